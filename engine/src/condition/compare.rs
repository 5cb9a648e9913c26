//! Comparisons of the cells of a column with a number.

use super::Operator;
use crate::bytes::simd_dispatch;
use crate::typed;
use crate::types::{Physical, Value};

/// Clears the bits of the cells that do not satisfy a comparison.
pub(super) type Compare = fn(value: &[u8; 8], data: &[u8], selected: &mut [u8]);

/// Returns the comparison function for a datatype.
pub(super) fn compare(physical: Physical, operator: Operator) -> Compare {
    typed!(physical, T => compare_of::<T>(operator))
}

fn compare_of<T: Value>(operator: Operator) -> Compare {
    match operator {
        Operator::Lt => |value, data, selected| keep::<T>(value, data, selected, |a, b| a < b),
        Operator::Le => |value, data, selected| keep::<T>(value, data, selected, |a, b| a <= b),
        Operator::Gt => |value, data, selected| keep::<T>(value, data, selected, |a, b| a > b),
        Operator::Ge => |value, data, selected| keep::<T>(value, data, selected, |a, b| a >= b),
        Operator::Ne => |value, data, selected| keep::<T>(value, data, selected, |a, b| a != b),
        _ => |value, data, selected| keep::<T>(value, data, selected, |a, b| a == b),
    }
}

#[inline(always)]
fn keep<T: Value>(value: &[u8; 8], data: &[u8], selected: &mut [u8], holds: impl Fn(T, T) -> bool) {
    let value = T::read(value);
    simd_dispatch(
        #[inline(always)]
        || {
            let cells = data.chunks_exact(T::SIZE).map(T::read);
            for (bit, cell) in selected.iter_mut().zip(cells) {
                *bit &= u8::from(holds(cell, value));
            }
        },
    );
}
