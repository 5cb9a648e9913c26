//! The file store: a file kept as a dense array of bytes, its size and kind beside them as metadata.
//!
//! The dimension `position` counts bytes, the attribute `contents` holds them. A file is stored in whole tiles; what is
//! behind its end in the last one is zero, and the metadata says how much belongs to the file. Storing another file adds a
//! fragment, and with time travel the older one can still be read.

use std::sync::Arc;

use crate::array::{Array, HoldsMetadata};
use crate::error::{Error, Result, try_vec};
use crate::query::Query;
use crate::query::buffers::{FieldBuffers, FieldCells};
use crate::query::subarray::Subarray;
use crate::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use crate::types::{ArrayType, Datatype, Layout, MimeType, QueryStatus, QueryType, moment_of};
use crate::vfs::{Uri, Vfs};

const ORIGIN: &str = "C API";
const POSITION: &str = "position";
const CONTENTS: &str = "contents";
const FILE_SIZE: &str = "file_size";
/// What a buffer holds at once, at most, in bytes.
const BUFFER_SIZE: &str = "filestore.buffer_size";

fn wrong(message: impl Into<String>) -> Error {
    Error::usage(ORIGIN, message)
}

/// Bytes to a tile for a file of a size.
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

/// A schema for a file; its size, where it is there already, decides the extent of tiles.
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

/// Stores a file of the vfs; nothing for an empty one.
pub fn import_file(vfs: &Arc<Vfs>, array: &Uri, file: &Uri, kind: MimeType) -> Result<()> {
    let source = vfs.open(file)?;
    let size = source.size()?;
    if size == 0 {
        return Ok(());
    }
    let array = open(vfs, array, QueryType::Write)?;
    let extent = tile_extent(&array)?;
    let step = step(vfs, extent)?;
    let end = size.checked_next_multiple_of(extent).ok_or_else(|| {
        wrong(format!(
            "The file '{file}' of {size} bytes is too large for tiles of {extent}"
        ))
    })?;
    let mut query = query(&array, QueryType::Write, Layout::GlobalOrder, 0..end)?;
    let mut buffer: Vec<u8> = try_vec("a part of a file", usize_of(step.min(end))?)?;
    for start in (0..end).step_by(usize_of(step)?) {
        let part = &mut buffer[..usize_of(step.min(end - start))?];
        let stored = usize_of(size - start.min(size))?.min(part.len());
        source.read_at(start, &mut part[..stored])?;
        part[stored..].fill(0);
        query.write(&[cells(part)])?;
    }
    query.finalize()?;
    let name = file.as_str().rsplit('/').next().unwrap_or_default();
    let (name, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    describe(&array, size, kind, (name, extension))?;
    array.close()
}

/// Stores bytes as a file; nothing where there are none.
pub fn import_bytes(vfs: &Arc<Vfs>, array: &Uri, bytes: &[u8], kind: MimeType) -> Result<()> {
    let size = bytes.len() as u64;
    if size == 0 {
        return Ok(());
    }
    let array = open(vfs, array, QueryType::Write)?;
    let mut query = query(&array, QueryType::Write, Layout::RowMajor, 0..size)?;
    query.write(&[cells(bytes)])?;
    describe(&array, size, kind, ("", ""))?;
    array.close()
}

/// Writes the stored file to a file of the vfs, in place of what is there.
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

/// Reads a part of the stored file. An error where it passes the end.
pub fn export_bytes(vfs: &Arc<Vfs>, array: &Uri, start: u64, to: &mut [u8]) -> Result<()> {
    let array = open(vfs, array, QueryType::Read)?;
    let size = stored_size(&array)?;
    let fits = |end: u64| end <= size;
    if !start.checked_add(to.len() as u64).is_some_and(fits) {
        return Err(wrong(format!(
            "The number of bytes requested is bigger than the array; {} bytes from {start} on were asked for of {size}",
            to.len()
        )));
    }
    if !to.is_empty() {
        read(&array, start, to)?;
    }
    array.close()
}

/// The size of the stored file in bytes.
pub fn size(vfs: &Arc<Vfs>, array: &Uri) -> Result<u64> {
    let array = open(vfs, array, QueryType::Read)?;
    let size = stored_size(&array)?;
    array.close()?;
    Ok(size)
}

fn usize_of(size: u64) -> Result<usize> {
    usize::try_from(size).map_err(|_| wrong(format!("{size} bytes are more than memory has")))
}

fn open(vfs: &Arc<Vfs>, uri: &Uri, query_type: QueryType) -> Result<Arc<Array>> {
    let array = Arc::new(Array::new(vfs, uri.as_str())?);
    if query_type == QueryType::Write {
        // Cells and metadata are of one moment.
        array.set_open_timestamp_end(moment_of(uri.as_str()));
    }
    array.open(query_type)?;
    Ok(array)
}

fn tile_extent(array: &Array) -> Result<u64> {
    let schema = array.schema()?;
    let extent = match &schema.domain.dimensions[..] {
        [position] if position.datatype == Datatype::Uint64 => position.extent.as_deref(),
        _ => None,
    };
    let extent = extent.and_then(|extent| extent.first_chunk());
    let extent = extent.map(|extent| u64::from_le_bytes(*extent));
    extent
        .filter(|extent| *extent > 0)
        .ok_or_else(|| wrong(format!("The array {} is no file store", array.uri())))
}

/// Whole tiles that the buffer has room for, in bytes.
fn step(vfs: &Vfs, extent: u64) -> Result<u64> {
    let room = vfs.context().config().u64(BUFFER_SIZE)?;
    if room < extent {
        return Err(wrong(format!(
            "The buffer size configured via {BUFFER_SIZE} is smaller than current {extent} tile extent"
        )));
    }
    Ok(room - room % extent)
}

fn query(
    array: &Arc<Array>,
    query_type: QueryType,
    layout: Layout,
    bytes: std::ops::Range<u64>,
) -> Result<Query> {
    let mut query = Query::new(array, query_type)?;
    query.set_layout(layout)?;
    let mut subarray = Subarray::new(query.schema());
    let (first, last) = (bytes.start, bytes.end - 1);
    subarray.add_range(0, &first.to_le_bytes(), &last.to_le_bytes())?;
    query.set_subarray(&subarray)?;
    Ok(query)
}

fn cells(bytes: &[u8]) -> FieldCells<'_> {
    FieldCells::fixed(CONTENTS, bytes)
}

fn read(array: &Arc<Array>, start: u64, to: &mut [u8]) -> Result<()> {
    let end = start + to.len() as u64;
    let mut query = query(array, QueryType::Read, Layout::RowMajor, start..end)?;
    query.read(&mut [FieldBuffers::fixed(CONTENTS, to)])?;
    match query.status() {
        QueryStatus::Completed => Ok(()),
        _ => Err(wrong(format!("The array {} is no file store", array.uri()))),
    }
}

fn stored_size(array: &Array) -> Result<u64> {
    let size = array.metadata_of(Some(FILE_SIZE), |item| {
        let item = item.filter(|item| item.datatype == Datatype::Uint64 && item.num == 1)?;
        item.words.first().copied()
    })?;
    size.ok_or_else(|| {
        let array = array.uri();
        wrong(format!(
            "The array metadata doesn't contain the {FILE_SIZE} key; nothing was stored in {array}"
        ))
    })
}

/// Tells as metadata what is stored.
fn describe(array: &Array, size: u64, kind: MimeType, file: (&str, &str)) -> Result<()> {
    let kind = match kind {
        MimeType::Autodetect => "application/octet-stream",
        known => known.name(),
    };
    array.put_metadata(Some(FILE_SIZE), Datatype::Uint64, &size.to_le_bytes())?;
    let texts = [
        ("mime_encoding", "binary"),
        ("mime_type", kind),
        ("original_file_name", file.0),
        ("file_extension", file.1),
    ];
    texts.into_iter().try_for_each(|(key, text)| {
        array.put_metadata(Some(key), Datatype::StringUtf8, text.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array;
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
    fn a_file_comes_back_whatever_its_size_and_the_buffer() {
        for size in [1usize, 1023, 1024, 1025, 5000] {
            for buffer in [1024, 3000, 1 << 20] {
                let folder = tempfile::tempdir().expect("folder");
                let (vfs, uri) = store(&folder, buffer);
                let place = |name: &str| {
                    let path = folder.path().join(name);
                    (Uri::parse(path.to_str().expect("path")).expect("uri"), path)
                };
                let bytes: Vec<u8> = (0..size).map(|at| (at * 7 % 251) as u8).collect();
                let ((from, from_path), (to, to_path)) = (place("a.b.txt"), place("out"));
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
    fn bytes_come_back_in_parts_and_not_from_behind_the_end() {
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
    fn a_buffer_smaller_than_a_tile_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let (vfs, uri) = store(&folder, 100);
        let file = folder.path().join("file");
        std::fs::write(&file, b"abc").expect("file");
        let file = Uri::parse(file.to_str().expect("path")).expect("uri");
        let error = import_file(&vfs, &uri, &file, MimeType::Tiff).expect_err("too small");
        assert!(error.to_string().contains("1024 tile extent"), "{error}");
    }
}
