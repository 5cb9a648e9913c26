//! Byte-level tools: a checked cursor over stored bytes, a sink that builds them, reusable buffers,
//! order-preserving keys of strings, and the choice of code by the size of cells and by the SIMD
//! instructions of the CPU.

mod cursor;
mod find;
mod reusable_buffer;
mod simd;
mod sink;
mod sized;
mod text_key;
mod words;

pub use cursor::Cursor;
pub use find::find_byte;
pub use reusable_buffer::ReusableBuffer;
#[cfg(test)]
pub(crate) use simd::baseline;
pub(crate) use simd::lanes;
pub use simd::{prefetch, simd_dispatch, truncate_to_i32};
pub use sink::Sink;
pub use sized::sized;
pub use text_key::{is_exact_key, text_key};
pub use words::{bytes_of_words, words};
