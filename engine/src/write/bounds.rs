//! The bounds of tiles, and checks that cells are inside the domain.

use super::check::InputColumn;
use crate::error::{Error, Result, WriteError, WriterKind};
use crate::schema::{ArraySchema, Dimension};
use crate::typed;
use crate::types::{Physical, Range, Value, real_text_with_digits, values_of};

/// Returns the range of the coordinates of one dimension. Strings have offsets. The first of equal
/// coordinates is used, and NaN is ignored.
pub fn bounds_of(physical: Physical, data: &[u8], starts: Option<&[u64]>) -> Range {
    let Some(starts) = starts else {
        return typed!(physical, T => number_bounds::<T>(data));
    };
    let mut texts = starts
        .windows(2)
        .map(|pair| &data[pair[0] as usize..pair[1] as usize]);
    let first = texts.next().unwrap_or_default();
    let (low, high) = texts.fold((first, first), |(low, high), text| {
        (low.min(text), high.max(text))
    });
    Range::var(low, high)
}

/// Returns the coordinates of the first and the last cell. Strings have offsets.
pub(super) fn ends_of(data: &[u8], starts: Option<&[u64]>, cell_size: usize) -> Range {
    let Some(starts) = starts else {
        let last = data.len().saturating_sub(cell_size);
        let first = data.get(..cell_size).unwrap_or_default();
        return Range::fixed(first, data.get(last..).unwrap_or_default());
    };
    let cell = |pair: Option<&[u64]>| match pair {
        Some([start, end]) => data.get(*start as usize..*end as usize).unwrap_or_default(),
        _ => &[],
    };
    Range::var(cell(starts.get(..2)), cell(starts.windows(2).last()))
}

fn number_bounds<T: Value>(data: &[u8]) -> Range {
    let mut values = values_of::<T>(data);
    let Some(first) = values.find(|value| value.partial_cmp(value).is_some()) else {
        let first = T::read(data);
        return Range::of(first, first);
    };
    // Comparisons with NaN are false, so it is ignored.
    let (low, high) = values.fold((first, first), |(low, high), value| {
        (
            if value < low { value } else { low },
            if high < value { value } else { high },
        )
    });
    Range::of(low, high)
}

/// Returns the first cell outside the domain, and the dimension.
pub(super) fn first_outside(
    schema: &ArraySchema,
    columns: &[InputColumn<'_>],
) -> Option<(usize, usize)> {
    schema
        .domain
        .dimensions
        .iter()
        .zip(columns)
        .enumerate()
        .filter_map(|(dim, (dimension, column))| {
            let domain = dimension.domain.as_ref()?;
            let physical = dimension.datatype.physical();
            let cell = typed!(physical, T => outside::<T>(column.data, domain))?;
            Some((cell, dim))
        })
        .min()
}

fn outside<T: Value>(data: &[u8], domain: &Range) -> Option<usize> {
    const BLOCK: usize = 1024;
    let (low, high) = domain.values::<T>();
    let is_outside = |value: T| value < low || value > high;
    for (index, block) in data.chunks(BLOCK * T::SIZE).enumerate() {
        let values = || values_of::<T>(block);
        // Check complete blocks first: a loop without an early exit is vectorized.
        if values().fold(false, |any, value| any | is_outside(value)) {
            return values()
                .position(is_outside)
                .map(|cell| index * BLOCK + cell);
        }
    }
    None
}

/// Returns the error for a cell outside the domain.
pub(super) fn outside_error(dimension: &Dimension, column: &InputColumn<'_>, cell: usize) -> Error {
    let physical = dimension.datatype.physical();
    let digits = match physical {
        Physical::F32 => 7,
        _ => 16,
    };
    let text = |bytes: &[u8]| typed!(physical, T => number_text::<T>(bytes, digits));
    let (low, high) = match &dimension.domain {
        Some(domain) => (text(domain.start()), text(domain.end())),
        None => Default::default(),
    };
    Error::from(WriteError::OutsideDomain {
        coordinate: text(column.coordinates().get(cell, physical.size())),
        low,
        high,
        dimension: dimension.name.clone(),
    })
}

/// Returns the coordinates of a cell as text for errors.
pub(super) fn cell_text(columns: &[InputColumn<'_>], cell: usize) -> String {
    let coordinates = columns.iter().map(|column| {
        let physical = column.field.cells.datatype.physical();
        let bytes = column.coordinates().get(cell, physical.size());
        if column.field.cells.is_var() {
            String::from_utf8_lossy(bytes).into_owned()
        } else {
            typed!(physical, T => number_text::<T>(bytes, 6))
        }
    });
    format!("({})", coordinates.collect::<Vec<_>>().join(", "))
}

fn number_text<T: Value>(bytes: &[u8], digits: i32) -> String {
    let value = T::read(bytes);
    match T::PHYSICAL {
        Physical::F32 | Physical::F64 => real_text_with_digits(value.to_f64(), digits),
        _ => format!("{value:?}"),
    }
}

/// Checks that the non-empty domain of a fragment, `domain`, is inside the current domain.
pub(super) fn check_current_domain(
    schema: &ArraySchema,
    domain: &[Range],
    writer: WriterKind,
) -> Result<()> {
    let inside = domain
        .iter()
        .enumerate()
        .all(|(dim, range)| schema.is_current(dim, range));
    if inside {
        Ok(())
    } else {
        Err(WriteError::OutsideCurrentDomain { writer }.into())
    }
}
