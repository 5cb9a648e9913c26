//! Run-end encoded columns and views of lists as columns with a value or a list for each row.

use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field};

use crate::types::values_of;

/// The number of items in lists that views may repeat in one array.
const MAX_REPEATED: usize = 1 << 26;

type Result<T> = std::result::Result<T, ArrowError>;

fn damaged(problem: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(problem.into())
}

/// Returns the field of a decoded column; `None` for columns that need no decoding.
pub fn plain_field(field: &Field) -> Option<Field> {
    let (kind, has_nulls) = match field.data_type() {
        DataType::RunEndEncoded(_, values) => {
            let values = plain_field(values).unwrap_or_else(|| (**values).clone());
            (values.data_type().clone(), values.is_nullable())
        }
        DataType::ListView(item) | DataType::LargeListView(item) => {
            let item = plain_field(item).map_or_else(|| item.clone(), Arc::new);
            (DataType::LargeList(item), false)
        }
        _ => return None,
    };
    let is_nullable = field.is_nullable() || has_nulls;
    let plain = field.clone().with_data_type(kind);
    Some(plain.with_nullable(is_nullable))
}

/// Returns a decoded column, whose type is that of [`plain_field`].
///
/// # Errors
///
/// If run ends, offsets or sizes contradict the column, or views repeat too many items.
pub fn plain_array(array: &ArrayData) -> Result<ArrayData> {
    match array.data_type() {
        DataType::RunEndEncoded(ends, _) => {
            let width = ends.data_type().primitive_width();
            expanded(
                array,
                width.ok_or_else(|| damaged("run ends are no integers"))?,
            )
        }
        DataType::ListView(item) => lists(array, item, 4),
        DataType::LargeListView(item) => lists(array, item, 8),
        _ => Ok(array.clone()),
    }
}

/// Returns `len` integers of a buffer from the position `start` on.
fn integers(
    array: &ArrayData,
    buffer: usize,
    start: usize,
    len: usize,
    width: usize,
) -> Result<Vec<i64>> {
    let bytes = array
        .buffers()
        .get(buffer)
        .map_or(&[][..], Buffer::as_slice);
    let first = start.checked_mul(width);
    let end = start
        .checked_add(len)
        .and_then(|end| end.checked_mul(width));
    let part = first
        .zip(end)
        .and_then(|(first, end)| bytes.get(first..end));
    let part = part.ok_or_else(|| damaged("a buffer of an encoded column is too small"))?;
    Ok(match width {
        2 => values_of::<i16>(part).map(i64::from).collect(),
        4 => values_of::<i32>(part).map(i64::from).collect(),
        _ => values_of::<i64>(part).collect(),
    })
}

/// Returns a column in which each value is repeated up to the end of its run.
fn expanded(array: &ArrayData, width: usize) -> Result<ArrayData> {
    let [ends, values] = array.child_data() else {
        return Err(damaged(
            "a run-end encoded column has no run ends or no values",
        ));
    };
    let ends = integers(ends, 0, ends.offset(), ends.len(), width)?;
    values.validate_full()?;
    let (first, len) = (array.offset(), array.len());
    let last = first
        .checked_add(len)
        .ok_or_else(|| damaged("a column is too long"))?;
    let mut column = MutableArrayData::new(vec![values], false, len);
    let mut position = first;
    let start = ends.partition_point(|end| usize::try_from(*end).unwrap_or(0) <= first);
    for (run, end) in ends.iter().enumerate().skip(start) {
        if position == last {
            break;
        }
        let end = usize::try_from(*end).unwrap_or(0).min(last);
        if end <= position || run >= values.len() {
            return Err(damaged(
                "the run ends of a column are not ascending, or have no values",
            ));
        }
        for _ in position..end {
            column.try_extend(0, run, run + 1)?;
        }
        position = end;
    }
    if position < last {
        return Err(damaged("the run ends of a column end before its last row"));
    }
    plain_array(&column.freeze())
}

/// Returns a column of lists whose items follow one another.
fn lists(array: &ArrayData, item: &Arc<Field>, width: usize) -> Result<ArrayData> {
    let [items] = array.child_data() else {
        return Err(damaged("a column of lists has no items"));
    };
    items.validate_full()?;
    let (offset, len) = (array.offset(), array.len());
    let starts = integers(array, 0, offset, len, width)?;
    let sizes = integers(array, 1, offset, len, width)?;
    let most = items.len().max(MAX_REPEATED);
    let mut ends: Vec<i64> = Vec::with_capacity(len + 1);
    ends.push(0);
    let mut number = 0_usize;
    let mut column = MutableArrayData::new(vec![items], false, 0);
    for (row, (start, size)) in starts.into_iter().zip(sizes).enumerate() {
        if array.is_valid(row) {
            let start = usize::try_from(start).ok();
            let end = start.zip(usize::try_from(size).ok());
            let end = end.and_then(|(start, size)| start.checked_add(size));
            let (Some(start), Some(end)) = (start, end.filter(|end| *end <= items.len())) else {
                return Err(damaged("a list is not among the items of its column"));
            };
            number += end - start;
            if number > most {
                return Err(damaged("the lists of a column repeat too many items"));
            }
            column.try_extend(0, start, end)?;
        }
        ends.push(number as i64);
    }
    let field = plain_field(item).map_or_else(|| item.clone(), Arc::new);
    let builder = ArrayData::builder(DataType::LargeList(field)).len(len);
    let builder = builder.add_buffer(Buffer::from_vec(ends));
    let builder = builder.nulls(array.nulls().cloned());
    builder
        .add_child_data(plain_array(&column.freeze())?)
        .build()
}
