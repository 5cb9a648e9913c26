//! What a condition leaves of a piece: selected cells, and fill values in place of the others.
//!
//! Runs of cells go to the caller's buffer as they are picked, in one pass. Where cells lie in another order there, the
//! column is blanked first and then copied as any other.

use super::columns::{Column, blank};
use super::copy_fixed::{FieldOutput, put_column};
use super::fields::AttributeRead;
use super::tile_tasks::TileSlice;
use crate::bytes::simd_dispatch;
use crate::tile::{SharedBytes, StridedCopy};

/// Puts the cells of a piece, of a fixed size, where they belong: those with a bit from a column, which starts with cell
/// `first` of the tile as the bits do, and fill values for the others. The column is changed.
pub(super) fn put(
    piece: &TileSlice,
    first: usize,
    read: &AttributeRead,
    (column, bits): (&mut Column, &[u8]),
    target: &FieldOutput<'_>,
) {
    if piece.walks.iter().any(|walk| walk.run_len() == 1) {
        column.blank(read, bits);
        return put_column(piece, first, read, &column.as_ref(), target);
    }
    let column = column.as_ref();
    for walk in &piece.walks {
        let fill = &read.attribute.fill_value;
        pick(walk, first, fill, (column.data, bits), target.data);
        if let (Some(from), Some(to)) = (column.validity, target.validity) {
            let fill = [read.attribute.fill_validity];
            pick(walk, first, &fill, (from, bits), to);
        }
    }
}

/// Puts the cells of a walk, or the fill value.
fn pick(
    walk: &StridedCopy,
    first: usize,
    fill: &[u8],
    (column, bits): (&[u8], &[u8]),
    target: SharedBytes<'_>,
) {
    let size = fill.len();
    let mut before = None;
    let done: Result<(), std::convert::Infallible> = walk.for_each_run(|from, place, len| {
        // What comes after the next run is on its way while this one is picked: the caller's rows are far apart.
        if let Some(stride) = before.and_then(|before| place.checked_sub(before)) {
            target.will_write((place + 2 * stride) * size, len * size);
        }
        before = Some(place);
        let cells = from - first..from - first + len;
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        let to = unsafe { target.part(place * size, len * size) };
        let from = &column[cells.start * size..cells.end * size];
        pick_cells(fill, from, &bits[cells], to);
        Ok(())
    });
    let Ok(()) = done;
}

fn pick_cells(fill: &[u8], from: &[u8], bits: &[u8], to: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        || match *fill {
            [a] => pick_values([a], u8::from_le_bytes, u8::to_le_bytes, from, bits, to),
            [a, b] => pick_values([a, b], u16::from_le_bytes, u16::to_le_bytes, from, bits, to),
            [a, b, c, d] => {
                let fill = [a, b, c, d];
                pick_values(fill, u32::from_le_bytes, u32::to_le_bytes, from, bits, to);
            }
            [a, b, c, d, e, f, g, h] => {
                let fill = [a, b, c, d, e, f, g, h];
                pick_values(fill, u64::from_le_bytes, u64::to_le_bytes, from, bits, to);
            }
            _ => {
                to.copy_from_slice(from);
                blank(to, fill, bits);
            }
        },
    );
}

/// Cells of a size as numbers, so that the loop is without branches.
#[inline(always)]
fn pick_values<const N: usize, T: Copy>(
    fill: [u8; N],
    read: impl Fn([u8; N]) -> T,
    write: impl Fn(T) -> [u8; N],
    from: &[u8],
    bits: &[u8],
    to: &mut [u8],
) {
    let fill = read(fill);
    let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
    for ((to, from), bit) in to.iter_mut().zip(from).zip(bits) {
        let value = read(*from);
        *to = write(if *bit != 0 { value } else { fill });
    }
}
