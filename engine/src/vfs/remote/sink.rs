//! Objects being written. An object smaller than a part is stored with one request, a larger one in
//! parts that are sent concurrently. Nothing is visible before the object is closed.

use std::fmt;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

use super::store::{Location, ObjectStore, PartRange, UploadedPart};
use crate::context::Context;
use crate::error::{Error, Result, reserve};
use crate::http::failure::Failure;
use crate::memory::tuning::{MAX_PARTS_AT_ONCE, MAX_UPLOAD_BYTES};
use crate::platform::lock::Mutex;
use crate::vfs::Uri;
use crate::vfs::backend::FileSink;

/// The number of parts after which the size of parts doubles, so that large objects do not exceed
/// the limit of parts.
const PARTS_PER_SIZE: usize = 1000;

/// An object being written.
pub(super) struct RemoteSink {
    context: Arc<Context>,
    store: Arc<dyn ObjectStore>,
    uri: Uri,
    object: Location,
    buffer: Vec<u8>,
    /// The identifier of an upload in parts that was begun.
    upload: Option<String>,
    parts: Vec<UploadedPart>,
    sent: u64,
    /// Whether a write failed. Bytes are missing then, so the object must not be stored.
    has_failed: bool,
}

impl fmt::Debug for RemoteSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSink")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

impl RemoteSink {
    pub(super) fn new(
        context: Arc<Context>,
        store: Arc<dyn ObjectStore>,
        uri: Uri,
        object: Location,
    ) -> Self {
        Self {
            context,
            store,
            uri,
            object,
            buffer: Vec::new(),
            upload: None,
            parts: Vec::new(),
            sent: 0,
            has_failed: false,
        }
    }

    fn failed(&self, failure: Failure) -> Error {
        failure.into_error("write", self.uri.as_str())
    }

    /// The size of the next part; `None` if objects are not uploaded in parts.
    fn part_size(&self) -> Option<usize> {
        let first = self.store.upload_rules().part_size?;
        let doublings = (self.parts.len() / PARTS_PER_SIZE).min(20);
        usize::try_from(first.saturating_mul(1 << doublings)).ok()
    }

    /// Returns the number of parts of `size` bytes that are sent at a time.
    fn parts_at_once(&self, size: usize) -> usize {
        let by_memory = (MAX_UPLOAD_BYTES / size.max(1) as u64).max(2) as usize;
        let parallel = self.store.parallel().min(MAX_PARTS_AT_ONCE);
        parallel.min(by_memory).max(1)
    }

    /// Sends the complete parts in the buffer while there are enough for a concurrent transfer.
    fn send_full(&mut self) -> Result<()> {
        while let Some(size) = self.part_size() {
            let whole = size.saturating_mul(self.parts_at_once(size));
            // At least one more byte must follow: it shows that the object has several parts.
            if self.buffer.len() <= whole {
                break;
            }
            let rest = self.buffer.split_off(whole);
            let full = std::mem::replace(&mut self.buffer, rest);
            self.send_parts(&full, size, false)?;
        }
        Ok(())
    }

    /// Sends bytes as parts of this size, the last perhaps smaller. `is_end`: whether they are the
    /// last of the object.
    fn send_parts(&mut self, bytes: &[u8], size: usize, is_end: bool) -> Result<()> {
        let upload = match &self.upload {
            Some(upload) => upload.clone(),
            None => {
                let upload = self
                    .store
                    .begin_upload(&self.object)
                    .map_err(|failure| self.failed(failure))?;
                self.upload.insert(upload).clone()
            }
        };
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        if self.parts.len() + pieces.len() > self.store.upload_rules().max_parts {
            let message = "the object has too many parts; raise the parameter of their size";
            return Err(self.failed(Failure::new(ErrorKind::FileTooLarge, message)));
        }
        let sent: Vec<Mutex<Option<UploadedPart>>> =
            pieces.iter().map(|_| Mutex::new(None)).collect();
        let total = self.sent + bytes.len() as u64;
        let send = |index: usize| -> Result<()> {
            let part = PartRange {
                number: self.parts.len() + 1 + index,
                offset: self.sent + (index * size) as u64,
                total: Some(total).filter(|_| is_end && index + 1 == pieces.len()),
            };
            let stored = self
                .store
                .put_part(&self.object, &upload, part, pieces[index]);
            *sent[index].lock() = Some(stored.map_err(|failure| self.failed(failure))?);
            Ok(())
        };
        if self.store.upload_rules().in_order {
            (0..pieces.len()).try_for_each(send)?;
        } else {
            self.context
                .for_each_request(self.parts_at_once(size), pieces.len(), send)?;
        }
        self.parts
            .extend(sent.into_iter().filter_map(Mutex::into_inner));
        self.sent += bytes.len() as u64;
        Ok(())
    }

    /// Adds bytes to the buffer, and sends complete parts.
    fn append(&mut self, mut rest: &[u8]) -> Result<()> {
        while !rest.is_empty() {
            // A large write is appended in pieces, so that the buffer keeps its bound.
            let piece = rest.len().min(MAX_UPLOAD_BYTES as usize);
            let (bytes, after) = rest.split_at(piece);
            reserve("bytes to upload", &mut self.buffer, bytes.len())?;
            self.buffer.extend_from_slice(bytes);
            self.send_full()?;
            rest = after;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if self.has_failed {
            let message = "an earlier write failed, so the object is not stored";
            return Err(self.failed(Failure::new(ErrorKind::Other, message)));
        }
        let bytes = std::mem::take(&mut self.buffer);
        let size = self.part_size();
        let is_small = size.is_none_or(|size| bytes.len() <= size);
        if self.upload.is_none() && is_small {
            if bytes.len() as u64 > self.store.upload_rules().max_single {
                let message = "the object is too large for one request; allow uploads in parts";
                return Err(self.failed(Failure::new(ErrorKind::FileTooLarge, message)));
            }
            let stored = self.store.put(&self.object, &bytes);
            return stored.map_err(|failure| self.failed(failure));
        }
        if !bytes.is_empty() {
            self.send_parts(&bytes, size.unwrap_or(bytes.len()), true)?;
        }
        let Some(upload) = &self.upload else {
            return Ok(());
        };
        let completed = self
            .store
            .complete_upload(&self.object, upload, &self.parts, self.sent);
        completed.map_err(|failure| self.failed(failure))?;
        self.upload = None;
        Ok(())
    }
}

impl FileSink for RemoteSink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        for part in parts {
            self.append(part).inspect_err(|_| self.has_failed = true)?;
        }
        Ok(())
    }

    /// Does nothing: the object does not exist before the end.
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.finish()
    }
}

impl Drop for RemoteSink {
    fn drop(&mut self) {
        if let Some(upload) = &self.upload {
            // Remaining parts are invisible except in listings of uploads, but they are charged.
            let _ = self.store.abort_upload(&self.object, upload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::{
        ListRequest, ObjectInfo, ObjectVersion, Page, StoreResult, Upload, UploadRules, Uploads,
    };
    use super::*;
    use crate::config::Config;
    use crate::http::exchange::BodyTarget;
    use std::ops::Range;

    /// A store that accepts some parts of an upload. It records what is stored.
    #[derive(Debug, Default)]
    struct FailingStore {
        stored: Mutex<Vec<&'static str>>,
        accepted_parts: usize,
        bytes: Mutex<Vec<u8>>,
    }

    fn failed<T>() -> StoreResult<T> {
        Err(Failure::new(ErrorKind::Other, "out of order"))
    }

    impl ObjectStore for FailingStore {
        fn read(
            &self,
            _: &Location,
            _: Range<u64>,
            _: BodyTarget<'_>,
        ) -> StoreResult<ObjectVersion> {
            failed()
        }
        fn read_tail(&self, _: &Location, _: u64) -> StoreResult<(Vec<u8>, ObjectVersion)> {
            failed()
        }
        fn read_all(&self, _: &Location) -> StoreResult<Vec<u8>> {
            failed()
        }
        fn head(&self, _: &Location) -> StoreResult<ObjectInfo> {
            failed()
        }
        fn put(&self, _: &Location, _: &[u8]) -> StoreResult<()> {
            self.stored.lock().push("put");
            Ok(())
        }
        fn list(&self, _: ListRequest<'_>) -> StoreResult<Page> {
            failed()
        }
        fn delete(&self, _: &Location) -> StoreResult<()> {
            failed()
        }
        fn max_deletions(&self) -> usize {
            1
        }
        fn delete_batch(&self, _: &str, _: &[String]) -> StoreResult<Vec<String>> {
            failed()
        }
        fn copy(&self, _: &Location, _: &Location, _: u64) -> StoreResult<()> {
            failed()
        }
        fn create_bucket(&self, _: &str) -> StoreResult<()> {
            failed()
        }
        fn remove_bucket(&self, _: &str) -> StoreResult<()> {
            failed()
        }
        fn is_bucket(&self, _: &str) -> StoreResult<bool> {
            failed()
        }
    }

    impl Uploads for FailingStore {
        fn upload_rules(&self) -> UploadRules {
            UploadRules {
                part_size: Some(4),
                max_parts: 100,
                max_single: 100,
                in_order: false,
            }
        }
        fn begin_upload(&self, _: &Location) -> StoreResult<String> {
            Ok("upload".to_owned())
        }
        fn put_part(
            &self,
            _: &Location,
            _: &str,
            part: PartRange,
            bytes: &[u8],
        ) -> StoreResult<UploadedPart> {
            if part.number > self.accepted_parts {
                return failed();
            }
            self.bytes.lock().extend_from_slice(bytes);
            let (number, tag) = (part.number, "tag".to_owned());
            Ok(UploadedPart { number, tag })
        }
        fn complete_upload(
            &self,
            _: &Location,
            _: &str,
            _: &[UploadedPart],
            _: u64,
        ) -> StoreResult<()> {
            self.stored.lock().push("complete");
            Ok(())
        }
        fn abort_upload(&self, _: &Location, _: &str) -> StoreResult<()> {
            self.stored.lock().push("abort");
            Ok(())
        }
        fn uploads(&self, _: &str, _: &str) -> StoreResult<Vec<Upload>> {
            failed()
        }
    }

    fn sink(store: &Arc<FailingStore>) -> Box<RemoteSink> {
        let context = Context::new(Config::new()).expect("context");
        let uri = Uri::parse("s3://bucket/key").expect("URI");
        let object = Location::new("bucket", "key");
        Box::new(RemoteSink::new(context, store.clone(), uri, object))
    }

    #[test]
    fn a_file_below_the_part_size_is_stored_with_one_request_when_it_is_closed() {
        let store = Arc::new(FailingStore::default());
        let mut sink = sink(&store);
        assert!(sink.append(b"ab").is_ok());
        assert!(sink.append(b"c").is_ok());
        assert!(store.stored.lock().is_empty(), "the old object stays");
        sink.close().expect("closes");
        assert_eq!(*store.stored.lock(), ["put"]);
    }

    #[test]
    fn an_empty_file_is_stored_without_an_upload_in_parts() {
        let store = Arc::new(FailingStore::default());
        sink(&store).close().expect("closes");
        assert_eq!(*store.stored.lock(), ["put"]);
        // Parts of no bytes do not begin an upload.
        let mut sink = sink(&store);
        assert!(sink.append(b"").is_ok());
        sink.close().expect("closes");
        assert_eq!(*store.stored.lock(), ["put", "put"]);
    }

    #[test]
    fn closing_after_a_failed_write_stores_nothing() {
        let store = Arc::new(FailingStore {
            accepted_parts: 1,
            ..FailingStore::default()
        });
        let mut sink = sink(&store);
        assert!(sink.append(b"first").is_ok());
        let failing = sink.write_vectored(&mut [IoSlice::new(b"second and third")]);
        assert!(failing.is_err());
        assert!(sink.close().is_err());
        assert_eq!(*store.stored.lock(), ["abort"]);
    }

    #[test]
    fn a_large_write_leaves_at_most_one_transfer_in_the_buffer() {
        let store = Arc::new(FailingStore {
            accepted_parts: 100,
            ..FailingStore::default()
        });
        let mut sink = sink(&store);
        let bytes: Vec<u8> = (0..150).collect();
        for piece in [&bytes[..3], &bytes[3..120], &bytes[120..]] {
            sink.append(piece).expect("writes");
            assert!(sink.buffer.len() <= 4, "{} bytes", sink.buffer.len());
        }
        sink.close().expect("closes");
        assert_eq!(*store.bytes.lock(), bytes);
        assert_eq!(*store.stored.lock(), ["complete"]);
    }
}
