//! Decompression of zlib streams by libdeflate, about twice as fast as by zlib: it has the whole stream and all of the
//! room at once. One decompressor per thread.

use std::cell::OnceCell;
use std::ptr::NonNull;

use libdeflate_sys as sys;

struct Decompressor(NonNull<sys::libdeflate_decompressor>);

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: made by libdeflate_alloc_decompressor, freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

thread_local! {
    static DECOMPRESSOR: OnceCell<Option<Decompressor>> = const { OnceCell::new() };
}

/// Puts what a zlib stream holds at the start of `to`; answers its length, or what is wrong with the stream.
pub(in super::super) fn inflate(data: &[u8], to: &mut [u8]) -> Result<usize, &'static str> {
    DECOMPRESSOR.with(|cell| {
        let decompressor = cell.get_or_init(|| {
            // SAFETY: takes nothing; null is checked.
            NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() }).map(Decompressor)
        });
        let decompressor = decompressor.as_ref().ok_or("memory is short")?.0.as_ptr();
        let (mut used, mut written) = (0, 0);
        // SAFETY: the decompressor is this thread's; libdeflate stays within the lengths given, whatever the stream holds.
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
    use crate::bytes::Room;

    #[test]
    fn streams_of_zlib_come_back_at_every_level_and_length() {
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
            for len in [0, 1, 2, 100, 65_536, 70_000] {
                let (mut stream, mut back) = (Room::new(), vec![0; len]);
                zlib::deflate(level, &data[..len], &mut stream).expect("memory");
                assert_eq!(inflate(&stream, &mut back), Ok(len));
                assert_eq!(back, data[..len]);
                if len > 0 {
                    assert!(inflate(&stream, &mut back[1..]).is_err());
                    assert!(inflate(&stream[..stream.len() - 1], &mut back).is_err());
                }
                // What follows a stream is not its own.
                stream.put(&[7]);
                assert_eq!(inflate(&stream, &mut back), Ok(len));
            }
        }
    }
}
