//! Bytes in order: a checked cursor over what storage brought, a sink for what goes there, memory that is used again, and
//! the choice of instructions for loops over many.

mod cursor;
mod room;
mod short_text;
mod sink;
mod spare;
mod vectors;
mod words;

pub use cursor::Cursor;
pub use room::Room;
pub use short_text::{SHORT, short_text};
pub use sink::Sink;
pub use spare::{keep_bytes, keep_words, some_words, spare_bytes, spare_words};
#[cfg(test)]
pub(crate) use vectors::baseline;
pub use vectors::widest;
pub use words::words;
