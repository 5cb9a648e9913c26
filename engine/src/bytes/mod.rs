//! Bytes in order: a checked cursor over what storage brought, a sink for what goes there, memory that is used again, and
//! the choice of instructions for loops over many.

mod cursor;
mod room;
mod sink;
mod spare;
mod text_key;
mod vectors;
mod words;

pub use cursor::Cursor;
pub use room::Room;
pub use sink::Sink;
pub use spare::{keep_bytes, keep_words, some_words, spare_bytes, spare_words};
pub use text_key::{is_whole, text_key};
#[cfg(test)]
pub(crate) use vectors::baseline;
pub use vectors::widest;
pub use words::words;
