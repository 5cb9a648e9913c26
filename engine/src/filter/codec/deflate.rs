//! zlib streams by libdeflate, which decompresses about twice as fast as zlib and compresses two to
//! seven times as fast, since it has the complete input and output at once. Each thread keeps one
//! compressor and one decompressor.

use std::cell::{OnceCell, RefCell};
use std::ptr::NonNull;

use libdeflate_sys as sys;

use crate::bytes::ReusableBuffer;

struct Compressor {
    level: i32,
    inner: NonNull<sys::libdeflate_compressor>,
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: created by libdeflate_alloc_compressor, freed once.
        unsafe { sys::libdeflate_free_compressor(self.inner.as_ptr()) };
    }
}

struct Decompressor(NonNull<sys::libdeflate_decompressor>);

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: made by libdeflate_alloc_decompressor, freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor>> = const { RefCell::new(None) };
    static DECOMPRESSOR: OnceCell<Option<Decompressor>> = const { OnceCell::new() };
}

/// Appends the zlib stream of `data`, at a level from 0 to 9.
pub(in super::super) fn deflate(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), &'static str> {
    const NO_MEMORY: &str = "memory is short";
    COMPRESSOR.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|slot| slot.level != level) {
            // SAFETY: any level may be passed; null is checked.
            let inner = NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level) });
            *slot = inner.map(|inner| Compressor { level, inner });
        }
        let compressor = slot.as_ref().ok_or(NO_MEMORY)?.inner.as_ptr();
        // SAFETY: the compressor is owned by this thread.
        let bound = unsafe { sys::libdeflate_zlib_compress_bound(compressor, data.len()) };
        super::append(to, bound, NO_MEMORY, |output| {
            // SAFETY: the compressor is owned by this thread; libdeflate stays within the given
            // lengths.
            let written = unsafe {
                sys::libdeflate_zlib_compress(
                    compressor,
                    data.as_ptr().cast(),
                    data.len(),
                    output.as_mut_ptr().cast(),
                    output.len(),
                )
            };
            // The bound is always sufficient.
            Some(written)
                .filter(|written| *written > 0)
                .ok_or("it does not fit")
        })
    })
}

/// Decompresses a zlib stream to the start of `to` and returns the length, or a description of the
/// error.
pub(in super::super) fn inflate(data: &[u8], to: &mut [u8]) -> Result<usize, &'static str> {
    DECOMPRESSOR.with(|cell| {
        let decompressor = cell.get_or_init(|| {
            // SAFETY: the function has no preconditions; null is checked.
            NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() }).map(Decompressor)
        });
        let decompressor = decompressor.as_ref().ok_or("memory is short")?.0.as_ptr();
        let (mut used, mut written) = (0, 0);
        // SAFETY: the decompressor is owned by this thread; libdeflate stays within the given
        // lengths for any input.
        let result = unsafe {
            sys::libdeflate_zlib_decompress_ex(
                decompressor,
                data.as_ptr().cast(),
                data.len(),
                to.as_mut_ptr().cast(),
                to.len(),
                &mut used,
                &mut written,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(written.min(to.len())),
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => {
                Err("it holds more than it should")
            }
            _ => Err("it is damaged"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::zlib;
    use super::*;
    #[test]
    fn streams_of_zlib_and_libdeflate_decompress_at_every_level_and_length() {
        let mut state = 1u32;
        let data: Vec<u8> = (0..70_000)
            .map(|i| {
                state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                if i % 3 == 0 {
                    (state >> 20) as u8
                } else {
                    (i / 700) as u8
                }
            })
            .collect();
        for level in [-1, 0, 1, 6, 9] {
            for len in [0, 1, 2, 100, 2_047, 2_048, 65_536, 70_000] {
                let (mut by_zlib, mut own) = (ReusableBuffer::new(), ReusableBuffer::new());
                zlib::deflate(level, &data[..len], &mut by_zlib).expect("memory");
                own.put(&[5]);
                deflate(level.max(0), &data[..len], &mut own).expect("memory");
                assert_eq!(own[0], 5, "what was there stays");
                own.drop_front(1);
                for mut stream in [by_zlib, own] {
                    let mut back = vec![0; len];
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                    assert_eq!(back, data[..len]);
                    if len > 0 {
                        assert!(inflate(&stream, &mut back[1..]).is_err());
                        assert!(inflate(&stream[..stream.len() - 1], &mut back).is_err());
                    }
                    // Bytes that follow a stream are ignored.
                    stream.put(&[7]);
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                }
            }
        }
    }
}
