//! The filters of integers that work window by window: bit width reduction and positive delta.
//!
//! ```text
//! metadata: length of the data u32 (bit width reduction only), number of windows u32,
//!           of each window: its least or first value, bits of a stored value u8 (bit width reduction only),
//!           length of the window u32; then the input's metadata as it was
//! data:     the windows
//! ```
//!
//! Bit width reduction stores values minus the least of the window in 8, 16, 32 or 64 bits each; positive delta stores
//! each minus the one before it, and refuses values that descend. A window that is not made of whole values, or would
//! not become smaller, stays as it is.

use super::parts::{Parts, PartsView, u32_of};
use super::pipeline::{DataIs, Filtered, MetadataIs, Unfiltered};
use super::words::{self, low, word};
use crate::bytes::{Cursor, widest};
use crate::error::{Error, Result};
use crate::typed;
use crate::types::{Datatype, Physical, Value};

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    BitWidth,
    PositiveDelta,
}

/// A filter that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    method: Method,
    values: Physical,
    /// The most bytes of a window.
    most: usize,
    of_times: bool,
}

impl Windows {
    /// A filter for integers, dates or times; windows have at most `max_window` bytes.
    pub(super) fn new(method: Method, input: Datatype, max_window: u32) -> Self {
        Self {
            method,
            values: input.physical(),
            most: max_window as usize,
            of_times: input.is_datetime() || input.is_time(),
        }
    }

    /// Whether its values are dates or times.
    pub(super) fn is_of_times(&self) -> bool {
        self.of_times
    }

    pub(super) fn name(&self) -> &'static str {
        match self.method {
            Method::BitWidth => "bit width reduction filter",
            Method::PositiveDelta => "positive delta filter",
        }
    }

    /// The bytes of the metadata before the windows, and those of a window.
    fn note_lens(&self) -> (usize, usize) {
        match self.method {
            Method::BitWidth => (8, self.values.size() + 5),
            Method::PositiveDelta => (4, self.values.size() + 4),
        }
    }

    /// The size in bytes of the windows of a part: whole values, so that one that has other bytes at its end ends with a
    /// window of those. A part smaller than a value is a window.
    fn window_of(&self, part: &[u8]) -> usize {
        let size = self.values.size();
        match part.len().min(self.most) / size * size {
            0 => part.len().max(1),
            whole => whole,
        }
    }

    fn count(&self, data: PartsView<'_>) -> usize {
        data.iter()
            .map(|part| part.len().div_ceil(self.window_of(part)))
            .sum()
    }

    pub(super) fn metadata_len(&self, input: Unfiltered<'_>) -> usize {
        let (head, window) = self.note_lens();
        head + window * self.count(input.data) + input.metadata.bytes.len()
    }

    pub(super) fn encode(
        &self,
        input: Unfiltered<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<DataIs> {
        if self.most < self.values.size() {
            return Err(Error::usage(
                "Filter",
                format!("The window of the {} is smaller than a value", self.name()),
            ));
        }
        if self.method == Method::BitWidth {
            metadata.put_u32(u32_of(input.data.bytes.len())?);
        }
        metadata.put_u32(u32_of(self.count(input.data))?);
        for part in input.data.iter() {
            for window in part.chunks(self.window_of(part)) {
                match self.method {
                    Method::BitWidth => self.reduce(window, data, metadata)?,
                    Method::PositiveDelta => self.differ(window, data, metadata)?,
                }
            }
        }
        metadata.end_part();
        metadata.append(input.metadata);
        data.end_part();
        Ok(DataIs::Written)
    }

    fn put_value(&self, value: u64, to: &mut Parts) {
        let bytes = value.to_le_bytes();
        to.bytes.put(&bytes[..self.values.size()]);
    }

    fn is_whole(&self, window: usize) -> bool {
        window.is_multiple_of(self.values.size())
    }

    fn reduce(&self, window: &[u8], data: &mut Parts, metadata: &mut Parts) -> Result<()> {
        let size = self.values.size();
        let (least, width) = widest(
            #[inline(always)]
            || typed!(self.values, T => least_and_width::<T>(window)),
        );
        self.put_value(least, metadata);
        metadata.bytes.put(&[8 * width as u8]);
        metadata.put_u32(u32_of(window.len())?);
        if width >= size || !self.is_whole(window.len()) {
            data.bytes.put(window);
            return Ok(());
        }
        let to = data.bytes.grow(window.len() / size * width)?;
        resize_values(size, width, least.wrapping_neg(), window, to);
        Ok(())
    }

    fn differ(&self, window: &[u8], data: &mut Parts, metadata: &mut Parts) -> Result<()> {
        let size = self.values.size();
        let first = words::first_word(size, window);
        self.put_value(first, metadata);
        metadata.put_u32(u32_of(window.len())?);
        if !self.is_whole(window.len()) {
            data.bytes.put(window);
            return Ok(());
        }
        let ascends = widest(
            #[inline(always)]
            || typed!(self.values, T => ascends::<T>(window)),
        );
        if !ascends {
            return Err(Error::usage(
                "[TileDB::Filter] Error",
                "Positive delta filter error: delta is not positive.",
            ));
        }
        words::differences(size, first, window, data.bytes.grow(window.len())?);
        Ok(())
    }

    /// The length of the data it will give, as its metadata has it; unchecked.
    pub(super) fn decoded_len(&self, input: Filtered<'_>) -> Result<usize> {
        match self.method {
            Method::BitWidth => {
                let mut notes = Cursor::new(self.name(), input.metadata);
                Ok(notes.u32("length of the data")? as usize)
            }
            Method::PositiveDelta => Ok(input.data.len()),
        }
    }

    pub(super) fn decode(
        &self,
        input: Filtered<'_>,
        data: &mut [u8],
    ) -> Result<(DataIs, MetadataIs)> {
        let size = self.values.size();
        let mut notes = Cursor::new(self.name(), input.metadata);
        if self.method == Method::BitWidth {
            notes.skip("length of the data", 4)?;
        }
        let windows = notes.count_u32("number of windows", self.note_lens().1)?;
        let mut from = Cursor::new(self.name(), input.data);
        let mut to = data;
        for _ in 0..windows {
            let base = words::first_word(size, notes.take("value of a window", size)?);
            let width = self.width(&mut notes)?;
            let len = notes.u32("length of a window")? as usize;
            let (place, later) = to.split_at_mut_checked(len).ok_or_else(|| {
                notes.corrupt("length of a window", format!("is {len}, past the chunk"))
            })?;
            if !self.is_whole(len) || width > size {
                place.copy_from_slice(from.take("window", len)?);
            } else if self.method == Method::PositiveDelta {
                words::sums(size, base, from.take("window", len)?, place);
            } else if width == size {
                place.copy_from_slice(from.take("window", len)?);
            } else {
                let stored = from.take("window", len / size * width)?;
                resize_values(width, size, base, stored, place);
            }
            to = later;
        }
        if !to.is_empty() || from.left() > 0 {
            return Err(notes.corrupt(
                "windows",
                format!("leave out {} bytes", to.len().max(from.left())),
            ));
        }
        Ok((DataIs::Written, MetadataIs::From(notes.position())))
    }

    /// The bytes of a stored value of the next window.
    fn width(&self, notes: &mut Cursor<'_>) -> Result<usize> {
        if self.method == Method::PositiveDelta {
            return Ok(self.values.size());
        }
        match notes.u8("bits of a window")? {
            bits if usize::from(bits) >= 8 * self.values.size() => Ok(self.values.size()),
            bits @ (8 | 16 | 32) => Ok(usize::from(bits) / 8),
            bits => Err(notes.corrupt("bits of a window", format!("are {bits}"))),
        }
    }
}

/// The least value of a window, and the bytes that values minus it need.
#[inline(always)]
fn least_and_width<T: Value>(window: &[u8]) -> (u64, usize) {
    let (mut least, mut most) = (T::GREATEST, T::LEAST);
    for value in window.chunks_exact(T::SIZE) {
        let value = T::read(value);
        least = if value < least { value } else { least };
        most = if value > most { value } else { most };
    }
    let mut bytes = [0; 8];
    least.write(&mut bytes);
    // One more than the range must fit, and one bit less where values have a sign: so files have it.
    let range = most.to_key().saturating_sub(least.to_key());
    let sign = u32::from(T::LEAST < T::default());
    let width = [1u32, 2, 4]
        .into_iter()
        .find(|width| range < u64::MAX >> (64 - 8 * width + sign))
        .map_or(T::SIZE, |width| T::SIZE.min(width as usize));
    (u64::from_le_bytes(bytes), width)
}

#[inline(always)]
fn ascends<T: Value>(window: &[u8]) -> bool {
    let before = window.chunks_exact(T::SIZE);
    let after = window[T::SIZE.min(window.len())..].chunks_exact(T::SIZE);
    before
        .zip(after)
        .fold(true, |ascends, (a, b)| ascends & (T::read(a) <= T::read(b)))
}

/// Adds `add` to values of `from_size` bytes and stores their lowest `to_size` bytes.
fn resize_values(from_size: usize, to_size: usize, add: u64, from: &[u8], to: &mut [u8]) {
    widest(
        #[inline(always)]
        || match (from_size, to_size) {
            (1, 2) => resize::<1, 2>(add, from, to),
            (1, 4) => resize::<1, 4>(add, from, to),
            (1, _) => resize::<1, 8>(add, from, to),
            (2, 1) => resize::<2, 1>(add, from, to),
            (2, 4) => resize::<2, 4>(add, from, to),
            (2, _) => resize::<2, 8>(add, from, to),
            (4, 1) => resize::<4, 1>(add, from, to),
            (4, 2) => resize::<4, 2>(add, from, to),
            (4, _) => resize::<4, 8>(add, from, to),
            (_, 1) => resize::<8, 1>(add, from, to),
            (_, 2) => resize::<8, 2>(add, from, to),
            (..) => resize::<8, 4>(add, from, to),
        },
    );
}

#[inline(always)]
fn resize<const F: usize, const T: usize>(add: u64, from: &[u8], to: &mut [u8]) {
    let from = from.as_chunks::<F>().0;
    for (to, value) in to.as_chunks_mut::<T>().0.iter_mut().zip(from) {
        *to = low(word(value).wrapping_add(add));
    }
}
