//! Writers of Parquet and Arrow files, batch by batch.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::args::FileFormat;
use crate::problem::Result;

/// The memory for a row group of a Parquet file in bytes.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// A file that gets batches of a table.
pub(crate) enum TableWriter<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<FileWriter<W>>),
    ArrowStream(Box<StreamWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Writes what precedes the batches.
    pub(crate) fn new(format: FileFormat, out: W, schema: &SchemaRef) -> Result<Self> {
        Ok(match format {
            FileFormat::Parquet => {
                let compression = Compression::ZSTD(ZstdLevel::default());
                let properties = WriterProperties::builder().set_compression(compression);
                let properties = Some(properties.build());
                let writer = ArrowWriter::try_new(out, schema.clone(), properties)?;
                Self::Parquet(writer.into())
            }
            FileFormat::ArrowStream => {
                Self::ArrowStream(StreamWriter::try_new(out, schema)?.into())
            }
            _ => Self::Arrow(FileWriter::try_new(out, schema)?.into()),
        })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::Parquet(writer) => {
                writer.write(batch)?;
                if writer.memory_size() > ROW_GROUP_BYTES {
                    writer.flush()?;
                }
            }
            Self::Arrow(writer) => writer.write(batch)?,
            Self::ArrowStream(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    /// Writes what follows the batches.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::Parquet(writer) => {
                writer.close()?;
            }
            Self::Arrow(mut writer) => writer.finish()?,
            Self::ArrowStream(mut writer) => writer.finish()?,
        }
        Ok(())
    }
}
