//! The log of storage operations, for `vfs.log_operations` and `vfs.read_logging_mode`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use super::Uri;
use crate::config::Config;
use crate::error::Result;
use crate::platform::lock::Mutex;
use crate::stats::{Level, Log};

/// Which reads are logged, by the value of `vfs.read_logging_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadLogging {
    Off,
    /// Each fragment once.
    Fragments,
    /// Each file of a fragment once.
    FragmentFiles,
    /// Each file once.
    Files,
    /// Each range of a file once.
    Ranges,
    /// Each read.
    Always,
}

/// The folder that fragments are in.
const FRAGMENTS: &str = "/__fragments/";

/// The log of the operations of a [`super::Vfs`] and its open files.
#[derive(Debug)]
pub(super) struct OperationLog {
    log: Log,
    logs_operations: bool,
    reads: ReadLogging,
    /// The files and ranges that were logged, for modes that log each once.
    seen: Mutex<HashSet<String>>,
}

impl OperationLog {
    /// Returns the log if the configuration asks for any.
    pub(super) fn new(config: &Config, log: Log) -> Result<Option<Arc<Self>>> {
        let logs_operations = config.flag("vfs.log_operations")?;
        let reads = match &*config.required("vfs.read_logging_mode")? {
            "fragments" => ReadLogging::Fragments,
            "fragment_files" => ReadLogging::FragmentFiles,
            "all_files" => ReadLogging::Files,
            "all_reads" => ReadLogging::Ranges,
            "all_reads_always" => ReadLogging::Always,
            // As in libtiledb other values switch it off.
            _ => ReadLogging::Off,
        };
        let is_needed = logs_operations || reads != ReadLogging::Off;
        Ok(is_needed.then(|| {
            Arc::new(Self {
                log,
                logs_operations,
                reads,
                seen: Mutex::default(),
            })
        }))
    }

    /// Runs an operation and logs it with its duration.
    pub(super) fn time<T>(&self, operation: &str, uri: &Uri, body: impl FnOnce() -> T) -> T {
        if !self.logs_operations {
            return body();
        }
        let start = Instant::now();
        let result = body();
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let line = format!("{operation} on {uri} lasted {milliseconds}ms");
        self.log.write(Level::Trace, &line);
        result
    }

    /// Runs and logs a read of the end of a file, which returns its bytes and the size of the file.
    pub(super) fn read_tail(
        &self,
        uri: &Uri,
        read: impl FnOnce() -> Result<(Vec<u8>, u64)>,
    ) -> Result<(Vec<u8>, u64)> {
        let (bytes, size) = self.time("read", uri, read)?;
        let len = bytes.len() as u64;
        self.log_read(uri, size.saturating_sub(len), len);
        Ok((bytes, size))
    }

    /// Logs a read of a file.
    pub(super) fn log_read(&self, uri: &Uri, offset: u64, size: u64) {
        if let Some(line) = self.line_of_read(uri, offset, size) {
            self.log.write(Level::Info, &line);
        }
    }

    /// Returns the line to log for a read, if there is one.
    fn line_of_read(&self, uri: &Uri, offset: u64, size: u64) -> Option<String> {
        let file = uri.as_str();
        let fragment = file.find(FRAGMENTS).and_then(|start| {
            let name = start + FRAGMENTS.len();
            let length = file[name..].find('/')?;
            Some(&file[..name + length])
        });
        let request = match self.reads {
            ReadLogging::Off => None,
            ReadLogging::Fragments => fragment.map(str::to_owned),
            ReadLogging::FragmentFiles => fragment.map(|_| file.to_owned()),
            ReadLogging::Files => Some(file.to_owned()),
            ReadLogging::Ranges | ReadLogging::Always => {
                Some(format!("{file}:offset:{offset}:nbytes:{size}"))
            }
        }?;
        let line = format!("VFS Read: {request}");
        let is_logged = self.reads == ReadLogging::Always || self.seen.lock().insert(request);
        is_logged.then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Format;

    #[test]
    fn reads_are_logged_once_or_always_as_the_mode_says() {
        let fragment = "file:///array/__fragments/__1_1_a_22";
        let reads = [
            ("file:///array/__schema/b", 0, 10),
            ("file:///array/__fragments/__1_1_a_22/a0.tdb", 0, 10),
            ("file:///array/__fragments/__1_1_a_22/a0.tdb", 10, 10),
            ("file:///array/__fragments/__1_1_a_22/a1.tdb", 0, 10),
            ("file:///array/__fragments/__1_1_a_22/a1.tdb", 0, 10),
        ];
        let modes = [
            (ReadLogging::Off, 0),
            (ReadLogging::Fragments, 1),
            (ReadLogging::FragmentFiles, 2),
            (ReadLogging::Files, 3),
            (ReadLogging::Ranges, 4),
            (ReadLogging::Always, 5),
        ];
        for (mode, lines) in modes {
            let operations = OperationLog {
                log: Log {
                    level: Level::Fatal,
                    format: Format::Default,
                },
                logs_operations: false,
                reads: mode,
                seen: Mutex::default(),
            };
            let logged = reads.iter().filter_map(|(uri, offset, size)| {
                let uri = Uri::parse(uri).expect("uri");
                operations.line_of_read(&uri, *offset, *size)
            });
            let logged: Vec<String> = logged.collect();
            assert_eq!(logged.len(), lines, "{mode:?}");
            if mode == ReadLogging::Fragments {
                assert_eq!(logged, [format!("VFS Read: {fragment}")]);
            }
            if mode == ReadLogging::Always {
                assert_eq!(
                    logged[2],
                    format!("VFS Read: {fragment}/a0.tdb:offset:10:nbytes:10")
                );
            }
        }
    }
}
