//! Cells as columns of Arrow.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    ListArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use tiledb_engine::{Datatype, Enumeration, FieldValues, Records, Scalar, Value};

use crate::problem::{Problem, Result};

/// Returns the schema of a table with these fields.
pub(crate) fn schema_of(records: &Records) -> Result<SchemaRef> {
    let fields = records.fields().iter().map(|values| {
        let field = Field::new(values.name(), data_type(values)?, values.is_nullable());
        let ordered = values
            .enumeration()
            .is_some_and(|enumeration| enumeration.ordered());
        Ok(field.with_dict_is_ordered(ordered))
    });
    let fields: Vec<Field> = fields.collect::<Result<_>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

/// Returns cells as a batch.
pub(crate) fn record_batch(schema: &SchemaRef, records: &Records) -> Result<RecordBatch> {
    let columns = records.fields().iter().map(column);
    let columns: Vec<ArrayRef> = columns.collect::<Result<_>>()?;
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}

fn unsupported(name: &str, datatype: Datatype) -> Problem {
    let datatype = datatype.name();
    let message = format!("field '{name}' of {datatype} has no datatype in Arrow");
    Problem::usage(message).hint("select other fields with --columns, or export it to CSV or JSON")
}

/// Returns the type of a column for a field.
fn data_type(values: &FieldValues) -> Result<DataType> {
    if let Some(enumeration) = values.enumeration() {
        let labels = enumeration.datatype();
        let labels = if enumeration.is_var() {
            bytes_type(labels)
        } else {
            single_type(labels)
        };
        let labels = labels.ok_or_else(|| unsupported(values.name(), values.value_datatype()))?;
        return Ok(DataType::Dictionary(DataType::Int32.into(), labels.into()));
    }
    let datatype = values.datatype();
    let bytes = bytes_type(datatype);
    let single = single_type(datatype);
    let item = |datatype| Arc::new(Field::new("item", datatype, false));
    let found = match values.values_per_cell() {
        None => bytes.or_else(|| Some(DataType::List(item(single?)))),
        Some(number) => {
            let size = i32::try_from(number).ok();
            match (bytes, single, size) {
                (Some(_), _, Some(size)) => Some(DataType::FixedSizeBinary(size)),
                (None, single, Some(1)) => single,
                (None, Some(datatype), Some(size)) => {
                    Some(DataType::FixedSizeList(item(datatype), size))
                }
                _ => None,
            }
        }
    };
    found.ok_or_else(|| unsupported(values.name(), datatype))
}

/// Returns the type of texts and bytes of any length.
fn bytes_type(datatype: Datatype) -> Option<DataType> {
    match datatype {
        Datatype::StringAscii | Datatype::StringUtf8 => Some(DataType::Utf8),
        Datatype::Char => Some(DataType::Binary),
        _ if datatype.is_bytes() => Some(DataType::Binary),
        _ => None,
    }
}

/// Returns the type of numbers, dates and times.
fn single_type(datatype: Datatype) -> Option<DataType> {
    Some(match datatype {
        Datatype::Bool => DataType::Boolean,
        Datatype::Int8 => DataType::Int8,
        Datatype::Int16 => DataType::Int16,
        Datatype::Int32 => DataType::Int32,
        Datatype::Int64 => DataType::Int64,
        Datatype::Uint8 => DataType::UInt8,
        Datatype::Uint16 => DataType::UInt16,
        Datatype::Uint32 => DataType::UInt32,
        Datatype::Uint64 => DataType::UInt64,
        Datatype::Float32 => DataType::Float32,
        Datatype::Float64 => DataType::Float64,
        Datatype::DatetimeWeek | Datatype::DatetimeDay => DataType::Date32,
        Datatype::DatetimeHr | Datatype::DatetimeMin | Datatype::DatetimeSec => {
            // Parquet has no seconds.
            DataType::Timestamp(TimeUnit::Millisecond, None)
        }
        Datatype::DatetimeMs => DataType::Timestamp(TimeUnit::Millisecond, None),
        Datatype::DatetimeUs => DataType::Timestamp(TimeUnit::Microsecond, None),
        Datatype::DatetimeNs => DataType::Timestamp(TimeUnit::Nanosecond, None),
        Datatype::TimeHr | Datatype::TimeMin | Datatype::TimeSec | Datatype::TimeMs => {
            DataType::Time32(TimeUnit::Millisecond)
        }
        Datatype::TimeUs => DataType::Time64(TimeUnit::Microsecond),
        Datatype::TimeNs => DataType::Time64(TimeUnit::Nanosecond),
        _ => return None,
    })
}

fn column(values: &FieldValues) -> Result<ArrayRef> {
    let valid = values.validity().iter().map(|byte| *byte != 0);
    let nulls = values
        .is_nullable()
        .then(|| NullBuffer::new(BooleanBuffer::from_iter(valid)));
    if let Some(enumeration) = values.enumeration() {
        return dictionary(values, enumeration, nulls);
    }
    let (name, datatype, data) = (values.name(), values.datatype(), values.data());
    let unsupported = || unsupported(name, datatype);
    match data_type(values)? {
        DataType::Utf8 | DataType::Binary => {
            let offsets = offsets(values, 1)?;
            texts(name, datatype, offsets, data, nulls)
        }
        DataType::FixedSizeBinary(size) => {
            let array = FixedSizeBinaryArray::try_new(size, Buffer::from(data), nulls)?;
            Ok(Arc::new(array))
        }
        DataType::List(item) => {
            let items = single(name, datatype, data, None)?;
            let offsets = offsets(values, datatype.size())?;
            Ok(Arc::new(ListArray::try_new(item, offsets, items, nulls)?))
        }
        DataType::FixedSizeList(item, size) => {
            let items = single(name, datatype, data, None)?;
            let array = FixedSizeListArray::try_new(item, size, items, nulls)?;
            Ok(Arc::new(array))
        }
        _ if values.is_var() => Err(unsupported()),
        _ => single(name, datatype, data, nulls),
    }
}

/// Returns the starts of cells and the end of the last one, in values of `size` bytes.
fn offsets(values: &FieldValues, size: usize) -> Result<OffsetBuffer<i32>> {
    let all = values.offsets().iter().copied();
    let all = all.chain([values.data().len() as u64]);
    let all = all.map(|offset| i32::try_from(offset / size as u64).ok());
    let all: Option<Vec<i32>> = all.collect();
    match all.filter(|all| all.is_sorted()) {
        Some(all) => Ok(OffsetBuffer::new(ScalarBuffer::from(all))),
        None => {
            let message = format!("a cell of field '{}' is larger than 2 GiB", values.name());
            Err(Problem::usage(message).hint("select other fields with --columns"))
        }
    }
}

fn texts(
    name: &str,
    datatype: Datatype,
    offsets: OffsetBuffer<i32>,
    data: &[u8],
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    if bytes_type(datatype) == Some(DataType::Binary) {
        let array = BinaryArray::try_new(offsets, Buffer::from(data), nulls)?;
        return Ok(Arc::new(array));
    }
    let array = StringArray::try_new(offsets, Buffer::from(data), nulls);
    match array {
        Ok(array) => Ok(Arc::new(array)),
        Err(_) => {
            let message = format!("field '{name}' has a text that is not valid UTF-8");
            Err(Problem::usage(message).hint("export it to CSV, which can contain any bytes"))
        }
    }
}

/// Returns an array of numbers, dates or times.
fn single(
    name: &str,
    datatype: Datatype,
    data: &[u8],
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let days = |factor: i64| scaled::<Date32Type>(name, data, factor, nulls.clone());
    let seconds = |factor: i64| {
        let values = integers(data).map(|value| value.saturating_mul(1000 * factor));
        primitive::<TimestampMillisecondType>(values.collect(), nulls.clone())
    };
    let times =
        |seconds: i64| scaled::<Time32MillisecondType>(name, data, 1000 * seconds, nulls.clone());
    match datatype {
        Datatype::Bool => {
            let values = BooleanBuffer::from_iter(data.iter().map(|byte| *byte != 0));
            Ok(Arc::new(BooleanArray::new(values, nulls)))
        }
        Datatype::Int8 => numbers::<Int8Type>(data, nulls),
        Datatype::Int16 => numbers::<Int16Type>(data, nulls),
        Datatype::Int32 => numbers::<Int32Type>(data, nulls),
        Datatype::Int64 => numbers::<Int64Type>(data, nulls),
        Datatype::Uint8 => numbers::<UInt8Type>(data, nulls),
        Datatype::Uint16 => numbers::<UInt16Type>(data, nulls),
        Datatype::Uint32 => numbers::<UInt32Type>(data, nulls),
        Datatype::Uint64 => numbers::<UInt64Type>(data, nulls),
        Datatype::Float32 => numbers::<Float32Type>(data, nulls),
        Datatype::Float64 => numbers::<Float64Type>(data, nulls),
        Datatype::DatetimeWeek => days(7),
        Datatype::DatetimeDay => days(1),
        Datatype::DatetimeHr => seconds(3600),
        Datatype::DatetimeMin => seconds(60),
        Datatype::DatetimeSec => seconds(1),
        Datatype::DatetimeMs => numbers::<TimestampMillisecondType>(data, nulls),
        Datatype::DatetimeUs => numbers::<TimestampMicrosecondType>(data, nulls),
        Datatype::DatetimeNs => numbers::<TimestampNanosecondType>(data, nulls),
        Datatype::TimeHr => times(3600),
        Datatype::TimeMin => times(60),
        Datatype::TimeSec => times(1),
        Datatype::TimeMs => scaled::<Time32MillisecondType>(name, data, 1, nulls),
        Datatype::TimeUs => numbers::<Time64MicrosecondType>(data, nulls),
        Datatype::TimeNs => numbers::<Time64NanosecondType>(data, nulls),
        _ => Err(unsupported(name, datatype)),
    }
}

fn integers(data: &[u8]) -> impl Iterator<Item = i64> {
    data.chunks_exact(i64::SIZE).map(i64::read)
}

fn numbers<T: ArrowPrimitiveType>(data: &[u8], nulls: Option<NullBuffer>) -> Result<ArrayRef>
where
    T::Native: Value,
{
    let size = <T::Native as Value>::SIZE;
    let values = data.chunks_exact(size).map(<T::Native as Value>::read);
    primitive::<T>(values.collect(), nulls)
}

fn primitive<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let array = PrimitiveArray::<T>::try_new(ScalarBuffer::from(values), nulls)?;
    Ok(Arc::new(array))
}

/// Returns an array of values with 32 bits, of cells with 64 bits and a larger unit. Null cells may
/// have any value.
fn scaled<T: ArrowPrimitiveType<Native = i32>>(
    name: &str,
    data: &[u8],
    factor: i64,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let is_null = |cell: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(cell));
    let values = integers(data).enumerate().map(|(cell, value)| {
        let scaled = value.checked_mul(factor);
        let scaled = scaled.and_then(|value| i32::try_from(value).ok());
        scaled
            .or_else(|| is_null(cell).then_some(0))
            .ok_or_else(|| {
                let message = format!("field '{name}' has a value that Arrow cannot represent");
                Problem::usage(format!("{message}: {value}")).hint("export it to CSV or JSON")
            })
    });
    primitive::<T>(values.collect::<Result<_>>()?, nulls)
}

/// Returns the indexes of cells with the values of their enumeration.
fn dictionary(
    values: &FieldValues,
    enumeration: &Enumeration,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let (name, datatype) = (values.name(), values.datatype());
    let number = enumeration.len() as i128;
    let is_null = |cell: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(cell));
    let keys = (0..values.len()).map(|cell| {
        let key = match Scalar::from_bytes(datatype, values.bytes(cell)) {
            Scalar::Integer(key) if (0..number).contains(&key) => i32::try_from(key).ok(),
            _ => None,
        };
        key.or_else(|| is_null(cell).then_some(0)).ok_or_else(|| {
            Problem::usage(format!("field '{name}' has an index without a value"))
                .hint("extend its enumeration, or export other fields with --columns")
        })
    });
    let keys: Vec<i32> = keys.collect::<Result<_>>()?;
    let keys = PrimitiveArray::<Int32Type>::try_new(ScalarBuffer::from(keys), nulls)?;
    let (mut data, mut starts) = (Vec::new(), vec![0i32]);
    for index in 0..enumeration.len() as u64 {
        data.extend_from_slice(enumeration.get(index).unwrap_or_default());
        starts.push(i32::try_from(data.len()).unwrap_or(i32::MAX));
    }
    let labels = if enumeration.is_var() {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(starts));
        texts(name, enumeration.datatype(), offsets, &data, None)?
    } else {
        single(name, enumeration.datatype(), &data, None)?
    };
    Ok(Arc::new(DictionaryArray::try_new(keys, labels)?))
}
