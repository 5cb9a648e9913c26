//! Writers of Parquet and Arrow files, batch by batch.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Time32MillisecondType, Time32SecondType, TimestampMillisecondType, TimestampSecondType,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
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
                let fields = schema.fields().iter().map(|field| in_milliseconds(field));
                let schema = Schema::new(fields.collect::<Vec<Field>>());
                let writer = ArrowWriter::try_new(out, Arc::new(schema), properties)?;
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
                let columns = batch.columns().iter().map(times_in_milliseconds);
                let columns = columns.collect::<std::result::Result<Vec<_>, ArrowError>>()?;
                let fields = batch.schema_ref().fields().iter();
                let fields: Vec<Field> = fields.map(|field| in_milliseconds(field)).collect();
                let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
                writer.write(&batch)?;
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

/// Returns the field of a Parquet file, which has no times in seconds.
fn in_milliseconds(field: &Field) -> Field {
    let kind = match field.data_type() {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        _ => return field.clone(),
    };
    // The metadata states the datatype of the type in seconds.
    field.clone().with_data_type(kind).with_metadata([].into())
}

/// Returns a column with times in milliseconds if they are in seconds.
fn times_in_milliseconds(column: &ArrayRef) -> std::result::Result<ArrayRef, ArrowError> {
    let too_large = |value: i64| {
        let message = format!("the time {value} is too large for milliseconds");
        ArrowError::InvalidArgumentError(message)
    };
    Ok(match column.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            let seconds = column.as_primitive::<TimestampSecondType>();
            let times = seconds.try_unary::<_, TimestampMillisecondType, _>(|value| match value {
                // "Not a time".
                i64::MIN => Ok(value),
                _ => value.checked_mul(1000).ok_or_else(|| too_large(value)),
            });
            Arc::new(times?)
        }
        DataType::Time32(TimeUnit::Second) => {
            let seconds = column.as_primitive::<Time32SecondType>();
            let times = seconds.try_unary::<_, Time32MillisecondType, _>(|value| match value {
                i32::MIN => Ok(value),
                _ => value
                    .checked_mul(1000)
                    .ok_or_else(|| too_large(value.into())),
            });
            Arc::new(times?)
        }
        _ => column.clone(),
    })
}
