//! A backend that logs operations, for `vfs.log_operations` and `vfs.read_logging_mode`.

use std::collections::HashSet;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, Objects, OpenMode, Source,
    StagedFile,
};
use super::{Entry, Uri};
use crate::config::Config;
use crate::error::Result;
use crate::platform::lock::Mutex;
use crate::stats::{Level, Log};
use crate::types::Timestamp;

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

/// Logs the operations of a backend.
#[derive(Debug)]
pub(super) struct LoggedBackend {
    backend: Arc<dyn Backend>,
    shared: Arc<LogState>,
}

#[derive(Debug)]
struct LogState {
    log: Log,
    logs_operations: bool,
    reads: ReadLogging,
    /// The files and ranges that were logged, for modes that log each once.
    seen: Mutex<HashSet<String>>,
}

impl LoggedBackend {
    /// Returns the backend with logging if the configuration asks for any.
    pub(super) fn wrap(
        backend: Arc<dyn Backend>,
        config: &Config,
        log: Log,
    ) -> Result<Arc<dyn Backend>> {
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
        if !logs_operations && reads == ReadLogging::Off {
            return Ok(backend);
        }
        let shared = Arc::new(LogState {
            log,
            logs_operations,
            reads,
            seen: Mutex::default(),
        });
        Ok(Arc::new(Self { backend, shared }))
    }

    /// Runs an operation and logs it with its duration.
    fn time<T>(&self, operation: &str, uri: &Uri, body: impl FnOnce(&dyn Backend) -> T) -> T {
        self.shared.time(operation, uri, || body(&*self.backend))
    }
}

impl LogState {
    fn time<T>(&self, operation: &str, uri: &Uri, body: impl FnOnce() -> T) -> T {
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

    fn log_read(&self, uri: &Uri, offset: u64, size: u64) {
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

impl Backend for LoggedBackend {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        Ok(Box::new(LoggedSource {
            source: self.backend.open(uri)?,
            uri: uri.clone(),
            shared: self.shared.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        Ok(Box::new(LoggedSink {
            sink: self.backend.create(uri, opening)?,
            uri: uri.clone(),
            shared: self.shared.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.time("file_size", uri, |backend| backend.file_size(uri))
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.time("is_file", uri, |backend| backend.is_file(uri))
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.time("is_dir", uri, |backend| backend.is_dir(uri))
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.backend.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        self.time("ls", uri, |backend| backend.list(uri, sizes))
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.time("create_dir", uri, |backend| backend.create_dir(uri))
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.time("remove_file", uri, |backend| backend.remove_file(uri))
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.time("remove_dir", uri, |backend| backend.remove_dir(uri))
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.time("remove_dir", uri, |backend| backend.remove_empty_dir(uri))
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.time("touch", uri, |backend| backend.touch(uri))
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.time("move", from, |backend| backend.rename(from, to))
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.time("sync", uri, |backend| backend.sync(uri))
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.time("write", uri, |backend| {
            backend.publish_file(staging, uri, bytes)
        })
    }

    fn stage_file<'a>(
        &'a self,
        staging: &Uri,
        uri: &Uri,
        bytes: &'a [u8],
    ) -> Result<Option<Box<dyn StagedFile + 'a>>> {
        self.shared.time("write", uri, || {
            self.backend.stage_file(staging, uri, bytes)
        })
    }

    fn sync_round(&self, count: usize, body: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        self.backend.sync_round(count, body)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.time("move", from, |backend| backend.publish_dir(from, to))
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.time("create_dir", uri, |backend| backend.create_new_dir(uri))
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.backend.modified(uri)
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.backend.folder_state(uri)
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        self.time("lock", uri, |backend| backend.try_lock(uri, mode))
    }

    fn pause(&self, duration: Duration) {
        self.backend.pause(duration);
    }

    fn objects(&self) -> Option<&dyn Objects> {
        self.backend.objects()
    }
}

#[derive(Debug)]
struct LoggedSource {
    source: Box<dyn Source>,
    uri: Uri,
    shared: Arc<LogState>,
}

impl Source for LoggedSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.shared.log_read(&self.uri, offset, to.len() as u64);
        let source = &self.source;
        self.shared
            .time("read", &self.uri, || source.read_at(offset, to))
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        let size: usize = to.iter().map(|part| part.len()).sum();
        self.shared.log_read(&self.uri, offset, size as u64);
        let source = &self.source;
        self.shared
            .time("read", &self.uri, || source.read_vectored_at(offset, to))
    }

    fn size(&self) -> Result<u64> {
        self.source.size()
    }

    fn read_tail(&self, most: u64) -> Result<(Vec<u8>, u64)> {
        let source = &self.source;
        let read = || source.read_tail(most);
        let (bytes, size) = self.shared.time("read", &self.uri, read)?;
        let len = bytes.len() as u64;
        self.shared
            .log_read(&self.uri, size.saturating_sub(len), len);
        Ok((bytes, size))
    }

    fn read_all(&self) -> Result<Vec<u8>> {
        let source = &self.source;
        let bytes = self.shared.time("read", &self.uri, || source.read_all())?;
        self.shared.log_read(&self.uri, 0, bytes.len() as u64);
        Ok(bytes)
    }

    fn announce(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        self.source.announce(ranges)
    }

    fn load(&self, range: &Range<u64>) {
        self.source.load(range);
    }

    fn forget(&self) {
        self.source.forget();
    }
}

#[derive(Debug)]
struct LoggedSink {
    sink: Box<dyn FileSink>,
    uri: Uri,
    shared: Arc<LogState>,
}

impl FileSink for LoggedSink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let sink = &mut self.sink;
        self.shared
            .time("write", &self.uri, || sink.write_vectored(parts))
    }

    fn sync(&mut self) -> Result<()> {
        let sink = &mut self.sink;
        self.shared.time("sync", &self.uri, || sink.sync())
    }

    fn close(self: Box<Self>) -> Result<()> {
        let Self { sink, uri, shared } = *self;
        shared.time("close_file", &uri, || sink.close())
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
            let shared = LogState {
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
                shared.line_of_read(&uri, *offset, *size)
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
