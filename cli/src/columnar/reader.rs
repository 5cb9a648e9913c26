//! Readers of Parquet and Arrow files, batch by batch.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::{Block, CompressionType, Message, RecordBatch as BatchHeader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use tiledb_engine::PlainReader;

use crate::args::FileFormat;
use crate::problem::{Problem, Result};

/// The memory for a batch of a Parquet file in bytes.
const BATCH_BYTES: i64 = 8 << 20;
/// The most rows of a batch.
const BATCH_ROWS: i64 = 1 << 16;

/// The size of the magic bytes at both ends of an Arrow file, and of the length before the last.
const MIN_ARROW_FILE: u64 = 18;
/// The size of the length of the footer and of the magic bytes after it.
const FOOTER_END: u64 = 10;
/// The most bytes that one byte of LZ4 can decode to.
const MAX_LZ4_RATIO: u64 = 255;
/// The most bytes that one byte of Zstandard can decode to: a block of 4 bytes repeats one byte.
const MAX_ZSTD_RATIO: u64 = 128 << 10;

/// A file with a table.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: File,
    pub(crate) format: FileFormat,
}

/// The batches of a table, with some of its columns.
pub(crate) struct TableReader {
    pub(crate) schema: SchemaRef,
    /// The number of rows, if the file states it at its end.
    pub(crate) rows: Option<u64>,
    batches: Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>>>,
}

impl TableReader {
    /// Starts to read a file; all columns if `columns` is `None`.
    pub(crate) fn open(source: &Source, columns: Option<Vec<usize>>) -> Result<Self> {
        Self::open_dictionaries(source, columns, &[])
    }

    /// Starts to read a file. The columns of texts with the indexes `dictionaries` are read as
    /// dictionaries from a Parquet file, which usually has them as such.
    pub(crate) fn open_dictionaries(
        source: &Source,
        columns: Option<Vec<usize>>,
        dictionaries: &[usize],
    ) -> Result<Self> {
        guarded(|| {
            let mut file = source.file.try_clone()?;
            file.rewind()?;
            match source.format {
                FileFormat::Parquet => Self::parquet(file, columns, dictionaries),
                format => Self::arrow(file, format, columns),
            }
        })
    }

    /// Starts to read a sample of the rows: of a Parquet file the start of its first, middle and
    /// last group of rows, of others the start.
    pub(crate) fn open_samples(source: &Source) -> Result<Vec<Self>> {
        if source.format != FileFormat::Parquet {
            return Ok(vec![Self::open(source, None)?]);
        }
        guarded(|| {
            let builder = || -> Result<_> {
                let mut file = source.file.try_clone()?;
                file.rewind()?;
                Ok(ParquetRecordBatchReaderBuilder::try_new(file)?)
            };
            let groups = builder()?.metadata().num_row_groups();
            let mut sampled = vec![0, groups / 2, groups.saturating_sub(1)];
            sampled.dedup();
            if groups < 3 {
                sampled = vec![0];
            }
            let readers = sampled.into_iter().map(|group| {
                let builder = if groups < 3 {
                    builder()?
                } else {
                    builder()?.with_row_groups(vec![group])
                };
                let rows = builder.metadata().file_metadata().num_rows();
                let batch = Self::batch_rows(builder.metadata());
                let builder = builder.with_batch_size(usize::try_from(batch).unwrap_or(1));
                Ok(Self::of(builder.build()?, u64::try_from(rows).ok()))
            });
            readers.collect()
        })
    }

    fn arrow(file: File, format: FileFormat, columns: Option<Vec<usize>>) -> Result<Self> {
        match format {
            FileFormat::ArrowStream => {
                check_stream(&file)?;
                let reader = StreamReader::try_new_buffered(file, columns)?;
                Ok(Self::of(reader, None))
            }
            _ => {
                check_blocks(&file)?;
                let reader = FileReader::try_new_buffered(file, columns)?;
                Ok(Self::of(reader, None))
            }
        }
    }

    /// Returns the number of rows of a batch.
    fn batch_rows(metadata: &ParquetMetaData) -> i64 {
        let groups = metadata.row_groups().iter();
        let bytes: i64 = groups.map(|group| group.total_byte_size().max(0)).sum();
        let rows = metadata.file_metadata().num_rows().max(0);
        let in_batch = BATCH_BYTES / (bytes / rows.max(1)).max(1);
        in_batch.clamp(1, BATCH_ROWS)
    }

    fn parquet(file: File, columns: Option<Vec<usize>>, dictionaries: &[usize]) -> Result<Self> {
        let mut builder = ParquetRecordBatchReaderBuilder::try_new(file.try_clone()?)?;
        if !dictionaries.is_empty() {
            let schema = builder.schema();
            let fields = schema.fields().iter().enumerate().map(|(index, field)| {
                let kind = field.data_type();
                let is_text = matches!(kind, DataType::Utf8 | DataType::LargeUtf8);
                if !dictionaries.contains(&index) || !is_text {
                    return field.clone();
                }
                let kind = DataType::Dictionary(DataType::Int32.into(), kind.clone().into());
                Arc::new(field.as_ref().clone().with_data_type(kind))
            });
            let fields: Vec<_> = fields.collect();
            let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
            let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
            builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)?;
        }
        let in_batch = Self::batch_rows(builder.metadata());
        let rows = builder.metadata().file_metadata().num_rows().max(0);
        if let Some(columns) = columns {
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
            builder = builder.with_projection(mask);
        }
        let builder = builder.with_batch_size(usize::try_from(in_batch).unwrap_or(1));
        let rows = u64::try_from(rows).ok();
        Ok(Self::of(builder.build()?, rows))
    }

    fn of(reader: impl RecordBatchReader + 'static, rows: Option<u64>) -> Self {
        let reader = PlainReader::new(reader);
        Self {
            schema: reader.schema(),
            rows,
            batches: Box::new(reader),
        }
    }
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = &mut self.batches;
        let batch = guarded(|| batches.next().transpose().map_err(Problem::from));
        batch.transpose()
    }
}

/// Checks the lengths that the messages of an Arrow stream state: the decoder allocates them before
/// it reads, so that a damaged one would end the process.
fn check_stream(mut file: &File) -> Result<()> {
    let size = file.metadata()?.len();
    let mut position = 0;
    while position < size {
        let Some((header, body_bytes)) = check_message(file, position, size - position)? else {
            break;
        };
        position += header + body_bytes;
    }
    Ok(file.rewind()?)
}

/// Checks the lengths in the footer of an Arrow file and in the messages that it lists.
fn check_blocks(mut file: &File) -> Result<()> {
    let size = file.metadata()?.len();
    if size < MIN_ARROW_FILE {
        return Err(damaged("the file is too short"));
    }
    file.seek(SeekFrom::Start(size - FOOTER_END))?;
    let mut length = [0; 4];
    file.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > size - FOOTER_END {
        return Err(damaged("its footer is longer than the file"));
    }
    let bytes = read_part(file, size - FOOTER_END - length, length)?;
    let footer = arrow_ipc::root_as_footer(&bytes).map_err(|error| damaged(&error.to_string()))?;
    let batches = footer.recordBatches().into_iter().flatten();
    for block in footer.dictionaries().into_iter().flatten().chain(batches) {
        check_block(file, block, size)?;
    }
    Ok(file.rewind()?)
}

fn check_block(file: &File, block: &Block, size: u64) -> Result<()> {
    let numbers = (
        u64::try_from(block.offset()),
        u64::try_from(block.metaDataLength()),
        u64::try_from(block.bodyLength()),
    );
    let (Ok(offset), Ok(header), Ok(body)) = numbers else {
        return Err(damaged("a message has a negative length"));
    };
    let end = offset
        .checked_add(header)
        .and_then(|end| end.checked_add(body));
    if end.is_none_or(|end| end > size) {
        return Err(damaged("a message is longer than the file"));
    }
    check_message(file, offset, header + body).map(drop)
}

/// Checks the lengths in the message at `position`, which has `available` bytes. Returns the number
/// of bytes before its body and of its body; `None` at the end of a stream.
fn check_message(mut file: &File, position: u64, available: u64) -> Result<Option<(u64, u64)>> {
    file.seek(SeekFrom::Start(position))?;
    let mut word = [0; 4];
    let mut prefix = 4;
    file.read_exact(&mut word)?;
    if word == [0xff; 4] {
        file.read_exact(&mut word)?;
        prefix = 8;
    }
    let length = u64::from(u32::from_le_bytes(word));
    if length == 0 {
        return Ok(None);
    }
    let rest = available.checked_sub(prefix + length);
    let rest = rest.ok_or_else(|| damaged("a message is longer than the file"))?;
    let bytes = read_part(file, position + prefix, length)?;
    let message =
        arrow_ipc::root_as_message(&bytes).map_err(|error| damaged(&error.to_string()))?;
    let body = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
    if body > rest {
        return Err(damaged("a message is longer than the file"));
    }
    check_buffers(file, &message, position + prefix + length, body)?;
    Ok(Some((prefix + length, body)))
}

/// Checks the sizes that the compressed buffers of a message state for their contents.
fn check_buffers(mut file: &File, message: &Message<'_>, start: u64, body: u64) -> Result<()> {
    let dictionary = message.header_as_dictionary_batch();
    let header: Option<BatchHeader<'_>> = message
        .header_as_record_batch()
        .or_else(|| dictionary.and_then(|dictionary| dictionary.data()));
    let Some((header, compression)) =
        header.and_then(|header| Some((header, header.compression()?)))
    else {
        return Ok(());
    };
    let ratio = match compression.codec() {
        CompressionType::LZ4_FRAME => MAX_LZ4_RATIO,
        _ => MAX_ZSTD_RATIO,
    };
    for buffer in header.buffers().into_iter().flatten() {
        let (Ok(offset), Ok(length)) = (
            u64::try_from(buffer.offset()),
            u64::try_from(buffer.length()),
        ) else {
            return Err(damaged("a buffer has a negative length"));
        };
        if offset.checked_add(length).is_none_or(|end| end > body) {
            return Err(damaged("a buffer is longer than its message"));
        }
        if length >= 8 {
            let mut size = [0; 8];
            file.seek(SeekFrom::Start(start + offset))?;
            file.read_exact(&mut size)?;
            // -1 means that the buffer is not compressed.
            let size = u64::try_from(i64::from_le_bytes(size)).unwrap_or(0);
            if size > length.saturating_mul(ratio) {
                return Err(damaged("a compressed buffer states an impossible size"));
            }
        }
    }
    Ok(())
}

fn read_part(mut file: &File, position: u64, length: u64) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(position))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn damaged(problem: &str) -> Problem {
    ArrowError::ParseError(problem.into()).into()
}

/// Runs a decoder. The decoders of Arrow's files check values with assertions: a panic in one, of
/// which nothing is printed, is an error about the file.
fn guarded<T>(decode: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    set_hook(hook);
    decoded.unwrap_or_else(|_| {
        let message = "sizes in the file contradict each other";
        Err(ArrowError::ParseError(message.into()).into())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, StringArray};
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::*;

    fn batch() -> RecordBatch {
        let list = |items: &[i32]| Some(items.iter().map(|item| Some(*item)).collect::<Vec<_>>());
        let lists = [list(&[1, 2]), None, list(&[])];
        let dictionary: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
        let columns: [(&str, ArrayRef); 4] = [
            (
                "text",
                Arc::new(StringArray::from(vec![Some("a"), None, Some("bcd")])),
            ),
            (
                "number",
                Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])),
            ),
            (
                "list",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
            ),
            ("label", Arc::new(dictionary)),
        ];
        RecordBatch::try_from_iter(columns).expect("a batch")
    }

    /// Reads all batches of a file; returns the number of rows.
    fn rows(bytes: &[u8], format: FileFormat) -> Result<usize> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        let batches = TableReader::open(&Source { file, format }, None)?;
        batches.map(|batch| Ok(batch?.num_rows())).sum()
    }

    #[test]
    fn damaged_arrow_files_are_errors_or_read() {
        let (mut stream, mut file, batch) = (Vec::new(), Vec::new(), batch());
        let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).expect("a writer");
        writer
            .write(&batch)
            .and_then(|()| writer.finish())
            .expect("written");
        let mut writer = FileWriter::try_new(&mut file, &batch.schema()).expect("a writer");
        writer
            .write(&batch)
            .and_then(|()| writer.finish())
            .expect("written");
        let mut compressed = Vec::new();
        let lz4 = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
        let lz4 = lz4.expect("options");
        let mut writer = FileWriter::try_new_with_options(&mut compressed, &batch.schema(), lz4)
            .expect("a writer");
        writer
            .write(&batch)
            .and_then(|()| writer.finish())
            .expect("written");
        for (bytes, format) in [
            (stream, FileFormat::ArrowStream),
            (file, FileFormat::Arrow),
            (compressed, FileFormat::Arrow),
        ] {
            assert_eq!(rows(&bytes, format).ok(), Some(3));
            let mut errors = 0;
            for position in (0..bytes.len()).step_by(4) {
                for pattern in [[0; 4], [255; 4], [255, 255, 255, 127]] {
                    let mut damaged = bytes.clone();
                    let end = (position + 4).min(bytes.len());
                    damaged[position..end].copy_from_slice(&pattern[..end - position]);
                    // The decoders must not panic.
                    errors += usize::from(rows(&damaged, format).is_err());
                }
            }
            assert!(errors > 100, "{format:?}: {errors}");
        }
    }
}
