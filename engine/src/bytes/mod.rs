//! Bytes in order: a checked cursor over what storage brought, and a sink for what goes there.

mod cursor;
mod sink;
mod words;

pub use cursor::Cursor;
pub use sink::Sink;
pub use words::words;
