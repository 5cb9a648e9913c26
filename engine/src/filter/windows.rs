//! The integer filters that operate on windows: bit width reduction and positive delta.
//!
//! ```text
//! metadata: length of the data u32 (bit width reduction only), number of windows u32;
//!           for each window: its least or first value,
//!           bits of a stored value u8 (bit width reduction only), length of the window u32;
//!           then the input's metadata unchanged
//! data:     the windows
//! ```
//!
//! Bit width reduction stores values minus the least of the window in 8, 16, 32 or 64 bits each.
//! Positive delta stores each value minus the previous one, and rejects descending values. A window
//! that does not consist of whole values, or would not become smaller, is stored unchanged.

use super::parts::{DecodeInput, EncodeInput, Parts, PartsView, u32_of};
use super::words::{self, low, word};
use crate::bytes::{Cursor, simd_dispatch, sized};
use crate::error::{FilterError, PipelineError, Result};
use crate::typed;
use crate::types::{Datatype, Physical, Value};

/// The filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    BitWidth,
    PositiveDelta,
}

/// A window filter bound to its input datatype.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    method: Method,
    values: Physical,
    /// The maximum size of a window in bytes.
    max: usize,
    /// Whether the values are dates or times.
    pub(super) has_times: bool,
}

impl Windows {
    /// Creates a filter for integers, dates or times; windows have at most `max_window` bytes.
    pub(super) fn new(method: Method, input: Datatype, max_window: u32) -> Self {
        Self {
            method,
            values: input.physical(),
            max: max_window as usize,
            has_times: input.is_datetime() || input.is_time(),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self.method {
            Method::BitWidth => "bit width reduction filter",
            Method::PositiveDelta => "positive delta filter",
        }
    }

    /// Returns the size in bytes of the metadata before the windows, and of the metadata of a
    /// window.
    fn metadata_lens(&self) -> (usize, usize) {
        match self.method {
            Method::BitWidth => (8, self.values.size() + 5),
            Method::PositiveDelta => (4, self.values.size() + 4),
        }
    }

    /// Returns the window size in bytes for a part: a multiple of the value size, so that remaining
    /// bytes form a window at the end. A part smaller than a value is one window.
    fn window_of(&self, part: &[u8]) -> usize {
        let size = self.values.size();
        match part.len().min(self.max) / size * size {
            0 => part.len().max(1),
            whole => whole,
        }
    }

    fn count(&self, data: PartsView<'_>) -> usize {
        data.iter()
            .map(|part| part.len().div_ceil(self.window_of(part)))
            .sum()
    }

    pub(super) fn metadata_len(&self, input: EncodeInput<'_>) -> usize {
        let (head, window) = self.metadata_lens();
        head + window * self.count(input.data) + input.metadata.bytes.len()
    }

    pub(super) fn encode(
        &self,
        input: EncodeInput<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<()> {
        if self.max < self.values.size() {
            return Err(PipelineError::SmallWindow {
                filter: self.name(),
            }
            .into());
        }
        if self.method == Method::BitWidth {
            metadata.put_u32(u32_of(input.data.bytes.len())?)?;
        }
        metadata.put_u32(u32_of(self.count(input.data))?)?;
        for part in input.data.iter() {
            for window in part.chunks(self.window_of(part)) {
                match self.method {
                    Method::BitWidth => self.reduce(window, data, metadata)?,
                    Method::PositiveDelta => self.differ(window, data, metadata)?,
                }
            }
        }
        metadata.end_part();
        metadata.append(input.metadata)?;
        data.end_part();
        Ok(())
    }

    fn put_value(&self, value: u64, to: &mut Parts) -> Result<()> {
        let bytes = value.to_le_bytes();
        to.bytes.put(&bytes[..self.values.size()])
    }

    fn is_whole(&self, window: usize) -> bool {
        window.is_multiple_of(self.values.size())
    }

    fn reduce(&self, window: &[u8], data: &mut Parts, metadata: &mut Parts) -> Result<()> {
        let size = self.values.size();
        let (least, width) = simd_dispatch(
            #[inline(always)]
            || typed!(self.values, T => least_and_width::<T>(window)),
        );
        self.put_value(least, metadata)?;
        metadata.bytes.put(&[8 * width as u8])?;
        metadata.put_u32(u32_of(window.len())?)?;
        if width >= size || !self.is_whole(window.len()) {
            data.bytes.put(window)?;
            return Ok(());
        }
        let to = data.bytes.grow(window.len() / size * width)?;
        resize_values(size, width, least.wrapping_neg(), window, to);
        Ok(())
    }

    fn differ(&self, window: &[u8], data: &mut Parts, metadata: &mut Parts) -> Result<()> {
        let size = self.values.size();
        let first = words::first_word(size, window);
        self.put_value(first, metadata)?;
        metadata.put_u32(u32_of(window.len())?)?;
        if !self.is_whole(window.len()) {
            data.bytes.put(window)?;
            return Ok(());
        }
        let ascends = simd_dispatch(
            #[inline(always)]
            || typed!(self.values, T => ascends::<T>(window)),
        );
        if !ascends {
            return Err(FilterError::NegativeDelta.into());
        }
        words::differences(size, first, window, data.bytes.grow(window.len())?);
        Ok(())
    }

    /// Returns the decoded length according to the metadata, which is not verified.
    pub(super) fn decoded_len(&self, input: DecodeInput<'_>) -> Result<usize> {
        match self.method {
            Method::BitWidth => {
                let mut header = Cursor::new(self.name(), input.metadata);
                Ok(header.u32("length of the data")? as usize)
            }
            Method::PositiveDelta => Ok(input.data.len()),
        }
    }

    pub(super) fn decode(&self, input: DecodeInput<'_>, data: &mut [u8]) -> Result<Option<usize>> {
        let size = self.values.size();
        let mut header = Cursor::new(self.name(), input.metadata);
        if self.method == Method::BitWidth {
            header.skip("length of the data", 4)?;
        }
        let windows = header.count_u32("number of windows", self.metadata_lens().1)?;
        let mut from = Cursor::new(self.name(), input.data);
        let mut to = data;
        for _ in 0..windows {
            let base = words::first_word(size, header.take("value of a window", size)?);
            let width = self.width(&mut header)?;
            let len = header.u32("length of a window")? as usize;
            let (output, remaining) = to.split_at_mut_checked(len).ok_or_else(|| {
                header.corrupt("length of a window", format!("is {len}, beyond the chunk"))
            })?;
            if !self.is_whole(len) || width > size {
                output.copy_from_slice(from.take("window", len)?);
            } else if self.method == Method::PositiveDelta {
                words::sums(size, base, from.take("window", len)?, output);
            } else if width == size {
                output.copy_from_slice(from.take("window", len)?);
            } else {
                let stored = from.take("window", len / size * width)?;
                resize_values(width, size, base, stored, output);
            }
            to = remaining;
        }
        if !to.is_empty() || from.left() > 0 {
            return Err(header.corrupt(
                "windows",
                format!("do not cover {} bytes", to.len().max(from.left())),
            ));
        }
        Ok(Some(header.position()))
    }

    /// Reads the size in bytes of a stored value of the next window.
    fn width(&self, header: &mut Cursor<'_>) -> Result<usize> {
        if self.method == Method::PositiveDelta {
            return Ok(self.values.size());
        }
        match header.u8("bits of a window")? {
            bits if usize::from(bits) >= 8 * self.values.size() => Ok(self.values.size()),
            bits @ (8 | 16 | 32) => Ok(usize::from(bits) / 8),
            bits => Err(header.corrupt("bits of a window", format!("are {bits}"))),
        }
    }
}

/// Returns the least value of a window, and the number of bytes that values minus it need.
#[inline(always)]
fn least_and_width<T: Value>(window: &[u8]) -> (u64, usize) {
    let (mut least, mut max) = (T::GREATEST, T::LEAST);
    for value in window.chunks_exact(T::SIZE) {
        let value = T::read(value);
        least = if value < least { value } else { least };
        max = if value > max { value } else { max };
    }
    let mut bytes = [0; 8];
    least.write(&mut bytes);
    // The file format requires that the range plus one fits, in one bit less for signed values.
    let range = max.to_key().saturating_sub(least.to_key());
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

/// Adds `add` to values of `from_size` bytes and stores the lowest `to_size` bytes of the sums.
fn resize_values(from_size: usize, to_size: usize, add: u64, from: &[u8], to: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        || sized!(from_size, F => sized!(to_size, T => resize::<F, T>(add, from, to))),
    );
}

#[inline(always)]
fn resize<const F: usize, const T: usize>(add: u64, from: &[u8], to: &mut [u8]) {
    let from = from.as_chunks::<F>().0;
    for (to, value) in to.as_chunks_mut::<T>().0.iter_mut().zip(from) {
        *to = low(word(value).wrapping_add(add));
    }
}
