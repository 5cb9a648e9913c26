//! Columns of Arrow as bytes of cells.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ByteArrayType, Date32Type, Date64Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, GenericByteArray, OffsetSizeTrait};
use arrow_schema::{DataType, TimeUnit};
use tiledb_engine::{CellBytes, Datatype, Scalar};

use super::ColumnType;
use crate::commands::CellShape;
use crate::problem::{Problem, Result};

/// The result of appending cells, or the problem as a sentence.
type Appended = std::result::Result<(), &'static str>;

const OTHER_TYPE: &str = "it has another type than the schema of the file states";

/// The cells of a column, collected from batches.
#[derive(Clone, Debug)]
pub(crate) struct CellBuffer {
    kind: ColumnType,
    nullable: bool,
    cells: usize,
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
}

impl CellBuffer {
    pub(crate) fn new(kind: ColumnType, nullable: bool) -> Self {
        Self {
            kind,
            nullable,
            cells: 0,
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
        }
    }

    /// Returns the memory in use in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.data.len() + 8 * self.offsets.len() + self.validity.len()
    }

    pub(crate) fn clear(&mut self) {
        self.cells = 0;
        self.data.clear();
        self.offsets.clear();
        self.validity.clear();
    }

    /// Returns the cells; without validity, if the field is not nullable.
    pub(crate) fn bytes(&self) -> CellBytes<'_> {
        CellBytes {
            data: &self.data,
            offsets: (self.kind.shape == CellShape::Any).then_some(&self.offsets[..]),
            validity: self.nullable.then_some(&self.validity[..]),
        }
    }

    /// Returns a cell as a value: `None` for null. The column has one value, text or bytes in each
    /// cell.
    pub(crate) fn scalar(&self, cell: usize) -> Option<Scalar> {
        if self.validity.get(cell) == Some(&0) {
            return None;
        }
        let size = self.kind.datatype.size();
        let (start, end) = if self.kind.shape == CellShape::Any {
            let start_of = |index: usize| self.offsets.get(index).map(|start| *start as usize);
            (
                start_of(cell)?,
                start_of(cell + 1).unwrap_or(self.data.len()),
            )
        } else {
            (cell * size, (cell + 1) * size)
        };
        let bytes = self.data.get(start..end)?;
        Some(Scalar::from_bytes(self.kind.datatype, bytes))
    }

    /// Appends the cells of a column of a batch. `first` is the row of the first one, for errors.
    pub(crate) fn append(&mut self, name: &str, array: &dyn Array, first: u64) -> Result<()> {
        let nulls = array.logical_nulls();
        let strict = nulls.as_ref().filter(|_| !self.nullable);
        if let Some(row) = strict.and_then(|nulls| nulls.iter().position(|valid| !valid)) {
            let row = first + row as u64 + 1;
            let message = format!("row {row}, column '{name}': null is not a value of it");
            return Err(Problem::usage(message)
                .hint("neither dimensions nor attributes that are not nullable can have nulls"));
        }
        if self.nullable {
            match &nulls {
                Some(nulls) => self.validity.extend(nulls.iter().map(u8::from)),
                None => self.validity.resize(self.validity.len() + array.len(), 1),
            }
        }
        self.cells += array.len();
        self.values(array).map_err(|problem| {
            Problem::usage(format!("column '{name}': {problem}"))
                .hint("convert the column in the file")
        })
    }

    /// Appends values.
    fn values(&mut self, array: &dyn Array) -> Appended {
        match array.data_type() {
            DataType::Boolean => {
                let values = array.as_boolean().values().iter();
                self.data.extend(values.map(u8::from));
            }
            DataType::Null => (0..array.len()).for_each(|_| self.push(&[])),
            DataType::Utf8 => self.texts(array.as_string::<i32>()),
            DataType::LargeUtf8 => self.texts(array.as_string::<i64>()),
            DataType::Binary => self.texts(array.as_binary::<i32>()),
            DataType::LargeBinary => self.texts(array.as_binary::<i64>()),
            DataType::Utf8View => {
                let texts = array.as_string_view().iter();
                texts.for_each(|text| self.push(text.unwrap_or_default().as_bytes()));
            }
            DataType::BinaryView => {
                let bytes = array.as_binary_view().iter();
                bytes.for_each(|bytes| self.push(bytes.unwrap_or_default()));
            }
            DataType::FixedSizeBinary(_) => {
                let values = array.as_fixed_size_binary();
                (0..values.len()).for_each(|cell| self.data.extend(values.value(cell)));
            }
            DataType::List(_) => self.lists(array.as_list::<i32>())?,
            DataType::LargeList(_) => self.lists(array.as_list::<i64>())?,
            DataType::FixedSizeList(_, size) => {
                let lists = array.as_fixed_size_list();
                let size = usize::try_from(*size).map_err(|_| OTHER_TYPE)?;
                let range = |cell: usize| (cell * size, size);
                check_items(lists, &**lists.values(), range)?;
                let start = usize::try_from(lists.value_offset(0)).unwrap_or(0);
                self.numbers(&*lists.values().slice(start, size * lists.len()))?;
            }
            _ => self.numbers(array)?,
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.offsets.push(self.data.len() as u64);
        self.data.extend_from_slice(bytes);
    }

    fn texts<T: ByteArrayType>(&mut self, array: &GenericByteArray<T>) {
        let offsets = array.value_offsets();
        let start_of = |index: usize| offsets.get(index).map_or(0, |start| to_usize(*start));
        let (first, last, start) = (start_of(0), start_of(array.len()), self.data.len());
        let starts = (0..array.len()).map(|cell| (start + start_of(cell) - first) as u64);
        self.offsets.extend(starts);
        let bytes = array.value_data().get(first..last);
        self.data.extend_from_slice(bytes.unwrap_or_default());
    }

    fn lists<O: OffsetSizeTrait>(&mut self, array: &arrow_array::GenericListArray<O>) -> Appended {
        let size = self.kind.datatype.size();
        let offsets = array.value_offsets();
        let start_of = |index: usize| offsets.get(index).map_or(0, |start| to_usize(*start));
        let (first, last, start) = (start_of(0), start_of(array.len()), self.data.len());
        let starts = (0..array.len()).map(|cell| (start + (start_of(cell) - first) * size) as u64);
        self.offsets.extend(starts);
        check_items(array, &**array.values(), |cell| {
            (start_of(cell), start_of(cell + 1) - start_of(cell))
        })?;
        self.numbers(&*array.values().slice(first, last - first))
    }

    /// Appends numbers, dates and times.
    fn numbers(&mut self, array: &dyn Array) -> Appended {
        match array.data_type() {
            DataType::Int8 => self.fixed::<Int8Type>(array),
            DataType::Int16 => self.fixed::<Int16Type>(array),
            DataType::Int32 => self.fixed::<Int32Type>(array),
            DataType::Int64 => self.fixed::<Int64Type>(array),
            DataType::UInt8 => self.fixed::<UInt8Type>(array),
            DataType::UInt16 => self.fixed::<UInt16Type>(array),
            DataType::UInt32 => self.fixed::<UInt32Type>(array),
            DataType::UInt64 => self.fixed::<UInt64Type>(array),
            DataType::Float16 => self.halves(array),
            DataType::Float32 => self.fixed::<Float32Type>(array),
            DataType::Float64 => self.fixed::<Float64Type>(array),
            DataType::Date32 => self.widened::<Date32Type>(array),
            DataType::Date64 => self.fixed::<Date64Type>(array),
            DataType::Time32(TimeUnit::Second) => self.widened::<Time32SecondType>(array),
            DataType::Time32(_) => self.widened::<Time32MillisecondType>(array),
            DataType::Time64(TimeUnit::Microsecond) => self.fixed::<Time64MicrosecondType>(array),
            DataType::Time64(_) => self.fixed::<Time64NanosecondType>(array),
            DataType::Timestamp(unit, _) => match unit {
                TimeUnit::Second => self.fixed::<TimestampSecondType>(array),
                TimeUnit::Millisecond => self.fixed::<TimestampMillisecondType>(array),
                TimeUnit::Microsecond => self.fixed::<TimestampMicrosecondType>(array),
                TimeUnit::Nanosecond => self.fixed::<TimestampNanosecondType>(array),
            },
            _ => Err(OTHER_TYPE),
        }
    }

    fn fixed<T: ArrowPrimitiveType>(&mut self, array: &dyn Array) -> Appended {
        let values = array.as_primitive_opt::<T>().ok_or(OTHER_TYPE)?.values();
        self.data.extend_from_slice(values.inner().as_slice());
        Ok(())
    }

    /// Appends floating-point numbers with 16 bits, which have 32 bits in cells.
    fn halves(&mut self, array: &dyn Array) -> Appended {
        let values = array.as_primitive_opt::<Float16Type>().ok_or(OTHER_TYPE)?;
        let values = values.values().iter();
        self.data
            .extend(values.flat_map(|value| value.to_f32().to_le_bytes()));
        Ok(())
    }

    /// Appends values with 32 bits that have 64 bits in cells.
    fn widened<T: ArrowPrimitiveType<Native = i32>>(&mut self, array: &dyn Array) -> Appended {
        let values = array.as_primitive_opt::<T>().ok_or(OTHER_TYPE)?;
        let values = values.values().iter();
        self.data
            .extend(values.flat_map(|value| i64::from(*value).to_le_bytes()));
        Ok(())
    }
}

/// Checks that no item of a list that is not null is null, which no value of a cell can be. `range`
/// returns the first item of a list and the number of its items.
fn check_items(
    lists: &dyn Array,
    items: &dyn Array,
    range: impl Fn(usize) -> (usize, usize),
) -> Appended {
    let Some(nulls) = items.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(());
    };
    let is_bad = |list: usize| {
        let (start, len) = range(list);
        lists.is_valid(list) && nulls.slice(start, len).null_count() > 0
    };
    if (0..lists.len()).any(is_bad) {
        return Err("an item of a list is null, which no value of a cell can be");
    }
    Ok(())
}

fn to_usize<O: OffsetSizeTrait>(offset: O) -> usize {
    // Arrow's arrays have checked offsets.
    offset.as_usize()
}

/// Returns whether values are bytes of texts in both datatypes, which need no conversion.
pub(crate) fn are_texts(one: Datatype, other: Datatype) -> bool {
    let is_text = |datatype| {
        matches!(
            datatype,
            Datatype::StringAscii | Datatype::StringUtf8 | Datatype::Char
        )
    };
    is_text(one) && is_text(other)
}
