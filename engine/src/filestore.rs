//! File stores: files stored as dense arrays of bytes, with size and MIME type in the metadata.
//!
//! The dimension `position` counts bytes, and the attribute `contents` contains them. A file is
//! stored in complete tiles: the last tile is padded with zeros, and the metadata contains the
//! size. Storing another file adds a fragment; an array that is opened at an earlier time contains
//! the older file.
//!
//! The commit of the fragment is the only commit of an import. The metadata file is written before
//! it and has the name of the fragment; readers ignore it while the newest visible fragment is
//! older. libtiledb reads such files like any others.

use std::sync::Arc;

use crate::array::{
    Array, MetadataFolder, MetadataRecords, Snapshot, describes_visible, metadata_value,
    newest_fragment, open_repeatedly,
};
use crate::buffers::{FieldBuffers, FieldCells, OffsetsForm};
use crate::bytes::Sink;
use crate::error::{Error, FilestoreError, Result, try_vec};
use crate::format::metadata::{MetadataEntry, write_metadata};
use crate::format::names::{FragmentName, folders};
use crate::format::version::FormatVersion;
use crate::fragment::FragmentWriter;
use crate::geometry::Order;
use crate::query::Query;
use crate::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use crate::subarray::Subarray;
use crate::tile::generic;
use crate::types::{
    ArrayType, Datatype, Layout, MimeType, QueryStatus, QueryType, Range, unique_timestamp,
};
use crate::vfs::{Uri, Vfs};
use crate::write::{BoxWrite, GlobalWrite};

const POSITION: &str = "position";
const CONTENTS: &str = "contents";
const FILE_SIZE: &str = "file_size";
/// The maximum size of a buffer in bytes.
const BUFFER_SIZE: &str = "filestore.buffer_size";
/// Returns the tile extent in bytes for a file of a size.
fn extent_for(file_size: u64) -> u64 {
    const KB: u64 = 1 << 10;
    const MB: u64 = 1 << 20;
    match file_size {
        size if size > 1024 * MB => 100 * MB,
        size if size > 100 * MB => MB,
        size if size > MB => 256 * KB,
        _ => KB,
    }
}

/// Returns a schema for a file. The tile extent depends on the size of the file, if it exists.
pub fn schema(vfs: &Vfs, file: Option<&Uri>) -> Result<SchemaDraft> {
    let extent = extent_for(file.map_or(Ok(0), |file| vfs.file_size(file))?);
    let ends = [0, u64::MAX - extent - 1].map(u64::to_le_bytes).concat();
    let position = Dimension::new(
        POSITION,
        Datatype::Uint64,
        Some(&ends),
        Some(&extent.to_le_bytes()),
    )?;
    let domain = DomainDraft {
        dimensions: vec![shared(position)],
    };
    let mut schema = SchemaDraft::new(ArrayType::Dense, None);
    schema.set_domain(&shared(domain))?;
    schema.add_attribute(&shared(Attribute::new(CONTENTS, Datatype::Blob)))?;
    Ok(schema)
}

/// Stores a file of the VFS. Does nothing for an empty file. The previously stored file is visible
/// until the call succeeds.
pub fn import_file(vfs: &Arc<Vfs>, array: &Uri, file: &Uri, kind: MimeType) -> Result<()> {
    let source = vfs.open(file)?;
    let size = source.size()?;
    if size == 0 {
        return Ok(());
    }
    let store = Store::open(vfs, array)?;
    let extent = tile_extent(&store.array)?;
    let step = step(vfs, extent)?;
    let end = size.checked_next_multiple_of(extent).ok_or_else(|| {
        Error::from(FilestoreError::FileTooLarge {
            file: file.to_string(),
            size,
            extent,
        })
    })?;
    let context = &vfs.context;
    let _operation = context.operation();
    let _tracking = context.track("import", "bytes");
    context.progress("bytes", |progress| progress.total = size)?;
    let mut write = store.global_write(0..end)?;
    let mut buffer: Vec<u8> = try_vec("a part of a file", usize_of(step.min(end))?)?;
    for start in (0..end).step_by(usize_of(step)?) {
        let part = &mut buffer[..usize_of(step.min(end - start))?];
        let stored = usize_of(size - start.min(size))?.min(part.len());
        source.read_at(start, &mut part[..stored])?;
        part[stored..].fill(0);
        write.submit(vfs, &[cells(part)], OffsetsForm::STARTS)?;
        context.progress("bytes", |progress| progress.done += stored as u64)?;
    }
    let name = file.as_str().rsplit('/').next().unwrap_or_default();
    let (name, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let writer = write.into_writer()?.ok_or_else(|| {
        Error::from(FilestoreError::NothingRead {
            file: file.to_string(),
        })
    })?;
    store.commit(writer, &description(size, kind, [name, extension]))
}

/// Stores bytes as a file. Does nothing without bytes. The previously stored file is visible until
/// the call succeeds.
pub fn import_bytes(vfs: &Arc<Vfs>, array: &Uri, bytes: &[u8], kind: MimeType) -> Result<()> {
    let size = bytes.len() as u64;
    if size == 0 {
        return Ok(());
    }
    let context = &vfs.context;
    let _operation = context.operation();
    let _tracking = context.track("import", "bytes");
    context.progress("bytes", |progress| progress.total = size)?;
    let store = Store::open(vfs, array)?;
    let ranges = vec![Range::of(0, size - 1)];
    let write = BoxWrite {
        schema: &store.snapshot.schema,
        ranges: &ranges,
        order: Order::RowMajor,
        key: store.snapshot.session.key.as_ref(),
    };
    let writer = write.write(vfs, &[cells(bytes)], OffsetsForm::STARTS, || {
        store.fragment()
    })?;
    context.progress("bytes", |progress| progress.done = size)?;
    store.commit(writer, &description(size, kind, [""; 2]))
}

/// An array that contains a file.
#[derive(Debug)]
struct Store<'a> {
    vfs: &'a Arc<Vfs>,
    array: Arc<Array>,
    snapshot: Arc<Snapshot>,
}

impl<'a> Store<'a> {
    fn open(vfs: &'a Arc<Vfs>, uri: &Uri) -> Result<Self> {
        let array = open(vfs, uri, QueryType::Write)?;
        tile_extent(&array)?;
        let snapshot = array.snapshot()?.for_writing(vfs)?;
        Ok(Self {
            vfs,
            array,
            snapshot,
        })
    }

    fn fragment(&self) -> Result<FragmentWriter> {
        let snapshot = &self.snapshot;
        let timestamp = self.array.write_timestamp();
        let key = snapshot.session.key.as_ref();
        FragmentWriter::create(
            self.vfs,
            &snapshot.uri,
            &snapshot.schema,
            true,
            timestamp,
            key,
        )
        .map(FragmentWriter::in_open_array)
    }

    fn global_write(&self, bytes: std::ops::Range<u64>) -> Result<GlobalWrite> {
        let ranges = vec![Range::of(bytes.start, bytes.end - 1)];
        let key = self.snapshot.session.key.as_ref();
        GlobalWrite::begin(&self.snapshot.schema, &ranges, key, || self.fragment())
    }

    /// Completes a fragment, writes the metadata of its file under its name, and then commits it.
    fn commit(
        &self,
        mut writer: FragmentWriter,
        description: &[(&str, Datatype, Vec<u8>)],
    ) -> Result<()> {
        // libtiledb reads the metadata from now on, so slow work is done before.
        FragmentWriter::make_durable(std::slice::from_mut(&mut writer))?;
        let Snapshot { uri, session, .. } = &*self.snapshot;
        let entries = description
            .iter()
            .map(|(key, datatype, bytes)| MetadataEntry {
                key,
                value: Some(metadata_value(*datatype, bytes)),
            });
        let mut record = Sink::new();
        write_metadata(&mut record, entries);
        let file = uri.join(folders::METADATA).join(writer.name().as_str());
        let version = FormatVersion(self.snapshot.schema.version).of_records();
        generic::publish(
            self.vfs,
            uri,
            &file,
            record.as_slice(),
            version,
            session.key.as_ref(),
        )?;
        let folder = writer.uri().clone();
        writer.finish().inspect_err(|_| {
            // The first error is the one to report. If the fragment could not be removed, it may be
            // committed.
            if !self.vfs.is_dir(&folder).unwrap_or(true) {
                let _ = self.vfs.remove_file(&file);
            }
        })?;
        self.array.close()
    }
}

/// Writes the stored file to a file of the VFS, replacing an existing one.
pub fn export_file(vfs: &Arc<Vfs>, array: &Uri, file: &Uri) -> Result<()> {
    let array = open(vfs, array, QueryType::Read)?;
    let size = stored_size(&array)?;
    let step = step(vfs, tile_extent(&array)?)?;
    let mut buffer: Vec<u8> = try_vec("a part of a file", usize_of(step.min(size))?)?;
    let mut target = vfs.create(file)?;
    for start in (0..size).step_by(usize_of(step)?) {
        let part = &mut buffer[..usize_of(step.min(size - start))?];
        read(&array, start, part)?;
        target.write(part)?;
    }
    target.close()?;
    array.close()
}

/// Reads a part of the stored file. Returns an error if it exceeds the end.
pub fn export_bytes(vfs: &Arc<Vfs>, array: &Uri, start: u64, to: &mut [u8]) -> Result<()> {
    let array = open(vfs, array, QueryType::Read)?;
    let size = stored_size(&array)?;
    if start
        .checked_add(to.len() as u64)
        .is_none_or(|end| end > size)
    {
        return Err(FilestoreError::BeyondEnd {
            len: to.len(),
            start,
            size,
        }
        .into());
    }
    if !to.is_empty() {
        read(&array, start, to)?;
    }
    array.close()
}

/// Returns the size of the stored file in bytes.
pub fn size(vfs: &Arc<Vfs>, array: &Uri) -> Result<u64> {
    let array = open(vfs, array, QueryType::Read)?;
    let size = stored_size(&array)?;
    array.close()?;
    Ok(size)
}

fn usize_of(size: u64) -> Result<usize> {
    usize::try_from(size).map_err(|_| Error::from(FilestoreError::TooLarge { size }))
}

fn open(vfs: &Arc<Vfs>, uri: &Uri, query_type: QueryType) -> Result<Arc<Array>> {
    let array = Arc::new(Array::new(vfs, uri.as_str())?);
    if query_type == QueryType::Write {
        // Cells and metadata are from one snapshot.
        array.set_open_timestamp_end(unique_timestamp(uri.as_str()));
    }
    array.open(query_type)?;
    Ok(array)
}

fn tile_extent(array: &Array) -> Result<u64> {
    let schema = array.schema()?;
    let extent = match &schema.domain.dimensions[..] {
        [position] if position.datatype == Datatype::Uint64 && schema.is_dense() => {
            position.extent.as_deref()
        }
        _ => None,
    };
    let extent = extent.and_then(|extent| extent.first_chunk());
    let extent = extent.map(|extent| u64::from_le_bytes(*extent));
    extent.filter(|extent| *extent > 0).ok_or_else(|| {
        Error::from(FilestoreError::NotAFilestore {
            uri: array.uri.to_string(),
        })
    })
}

/// The size in bytes of the complete tiles that fit into the buffer.
fn step(vfs: &Vfs, extent: u64) -> Result<u64> {
    let buffer_size = vfs.context.config.u64(BUFFER_SIZE)?;
    if buffer_size < extent {
        return Err(FilestoreError::BufferTooSmall {
            parameter: BUFFER_SIZE,
            extent,
        }
        .into());
    }
    Ok(buffer_size - buffer_size % extent)
}

fn cells(bytes: &[u8]) -> FieldCells<'_> {
    FieldCells::fixed(CONTENTS, bytes)
}

fn read(array: &Arc<Array>, start: u64, to: &mut [u8]) -> Result<()> {
    let last = start + to.len() as u64 - 1;
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    let mut subarray = Subarray::new(query.request().schema());
    subarray.add_range(0, &start.to_le_bytes(), &last.to_le_bytes())?;
    query.set_subarray(&subarray)?;
    query.read(&mut [FieldBuffers::fixed(CONTENTS, to)])?;
    match query.status() {
        QueryStatus::Completed => Ok(()),
        _ => Err(FilestoreError::NotAFilestore {
            uri: array.uri.to_string(),
        }
        .into()),
    }
}

/// The number of attempts to open the array if consolidation merged the metadata of a newer file
/// into the metadata that the open reads.
const REOPENS: usize = 3;

/// Returns the size of the file whose content is visible. The array is opened again if another
/// process replaces the file.
fn stored_size(array: &Array) -> Result<u64> {
    let mut attempt = 0;
    let size = loop {
        let (size, may_be_newer) = size_seen(array)?;
        if attempt == REOPENS || !may_be_newer {
            break size;
        }
        attempt += 1;
        array.reopen()?;
    };
    size.ok_or_else(|| {
        let uri = &array.uri;
        Error::from(FilestoreError::NoSize {
            key: FILE_SIZE,
            uri: uri.to_string(),
        })
    })
}

/// Returns the size of the file of an open array, and whether it was merged with later metadata,
/// perhaps of a newer file.
fn size_seen(array: &Array) -> Result<(Option<u64>, bool)> {
    let snapshot = array.snapshot()?;
    let newest = newest_fragment(snapshot.fragments.iter().map(|fragment| fragment.name()));
    let seen_until = newest.map_or(0, |name| name.timestamps().end);
    let (vfs, uri) = (&array.vfs, &array.uri);
    open_repeatedly(vfs, uri, |lock| {
        let mut files =
            MetadataFolder::read(&vfs.view(), uri, lock)?.visible(snapshot.session.timestamps);
        let mut may_be_newer = false;
        files.retain(|file| {
            FragmentName::parse(file.name()).is_some_and(|file| {
                let span = file.timestamps();
                may_be_newer |= span.start <= seen_until && seen_until < span.end;
                describes_visible(&file, newest)
            })
        });
        let records = MetadataRecords::load(&vfs.view(), &files, snapshot.session.key.as_ref())?;
        let size = size_in(&records.merged()?);
        // Merged metadata may also be outside the time range of the open.
        may_be_newer |= size.is_none() && newest.is_some();
        Ok((size, may_be_newer))
    })
}

fn size_in(entries: &[MetadataEntry<'_>]) -> Option<u64> {
    let value = entries.iter().find(|entry| entry.key == FILE_SIZE)?.value?;
    let size = value.bytes.first_chunk()?;
    let is_size = value.datatype == Datatype::Uint64 && value.num == 1;
    is_size.then_some(u64::from_le_bytes(*size))
}

/// The metadata of a stored file.
fn description<'a>(
    size: u64,
    kind: MimeType,
    [name, extension]: [&str; 2],
) -> [(&'a str, Datatype, Vec<u8>); 5] {
    let kind = match kind {
        MimeType::Autodetect => "application/octet-stream",
        known => known.name(),
    };
    let text = |key, text: &str| (key, Datatype::StringUtf8, text.as_bytes().to_vec());
    [
        text("file_extension", extension),
        (FILE_SIZE, Datatype::Uint64, size.to_le_bytes().to_vec()),
        text("mime_encoding", "binary"),
        text("mime_type", kind),
        text("original_file_name", name),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{self, WithMetadata};
    use crate::config::Config;
    use crate::context::Context;

    fn store(folder: &tempfile::TempDir, buffer: u64) -> (Arc<Vfs>, Uri) {
        let mut config = Config::new();
        config.set(BUFFER_SIZE, &buffer.to_string()).expect("set");
        let context = Context::new(config).expect("context");
        let vfs = Vfs::new(&context).expect("vfs");
        let uri = Uri::parse(folder.path().join("store").to_str().expect("path")).expect("uri");
        let schema = schema(&vfs, None)
            .and_then(|schema| schema.finish())
            .expect("schema");
        array::create(&vfs, &uri, &schema, None).expect("array");
        (vfs, uri)
    }

    #[test]
    fn files_of_any_size_round_trip_with_any_buffer() {
        for size in [1usize, 1023, 1024, 1025, 5000] {
            for buffer in [1024, 3000, 1 << 20] {
                let folder = tempfile::tempdir().expect("folder");
                let (vfs, uri) = store(&folder, buffer);
                let uri_and_path = |name: &str| {
                    let path = folder.path().join(name);
                    (Uri::parse(path.to_str().expect("path")).expect("uri"), path)
                };
                let bytes: Vec<u8> = (0..size).map(|index| (index * 7 % 251) as u8).collect();
                let ((from, from_path), (to, to_path)) =
                    (uri_and_path("a.b.txt"), uri_and_path("out"));
                std::fs::write(from_path, &bytes).expect("file");
                import_file(&vfs, &uri, &from, MimeType::Pdf).expect("imports");
                export_file(&vfs, &uri, &to).expect("exports");
                assert!(
                    std::fs::read(to_path).expect("file") == bytes,
                    "{size} {buffer}"
                );
                assert_eq!(super::size(&vfs, &uri).expect("size"), size as u64);
                let array = open(&vfs, &uri, QueryType::Read).expect("opens");
                let text = |key| {
                    let read = |item: Option<crate::array::MetadataItem<'_>>| {
                        item.map(|item| (item.num, item.datatype))
                    };
                    array.metadata_of(Some(key), read).expect("metadata")
                };
                assert_eq!(text("original_file_name"), Some((3, Datatype::StringUtf8)));
                assert_eq!(text("file_extension"), Some((3, Datatype::StringUtf8)));
            }
        }
    }

    #[test]
    fn bytes_are_read_in_parts_within_the_file() {
        let folder = tempfile::tempdir().expect("folder");
        let (vfs, uri) = store(&folder, 1 << 20);
        assert!(super::size(&vfs, &uri).is_err(), "nothing is stored");
        import_bytes(&vfs, &uri, b"hello world", MimeType::Autodetect).expect("imports");
        import_bytes(&vfs, &uri, b"", MimeType::Autodetect).expect("nothing to do");
        let mut part = [0; 4];
        export_bytes(&vfs, &uri, 3, &mut part).expect("exports");
        assert_eq!(&part, b"lo w");
        assert!(export_bytes(&vfs, &uri, 8, &mut part).is_err());
        assert!(export_bytes(&vfs, &uri, u64::MAX, &mut part).is_err());
        export_bytes(&vfs, &uri, 11, &mut []).expect("nothing to do");
    }

    #[test]
    fn a_buffer_smaller_than_a_tile_is_rejected() {
        let folder = tempfile::tempdir().expect("folder");
        let (vfs, uri) = store(&folder, 100);
        let file = folder.path().join("file");
        std::fs::write(&file, b"abc").expect("file");
        let file = Uri::parse(file.to_str().expect("path")).expect("uri");
        let error = import_file(&vfs, &uri, &file, MimeType::Tiff).expect_err("too small");
        assert!(
            error.to_string().contains("tile extent of 1024 bytes"),
            "{error}"
        );
    }
}
