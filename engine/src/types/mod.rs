//! What values are: datatypes, their shapes in memory, ranges, times, conditions on them, and the small closed sets of words.
//!
//! No bytes of files and no I/O here.

pub mod condition;

mod datatype;
mod key;
mod kinds;
mod physical;
mod range;
mod real_text;
mod time;
mod uuid;

pub use datatype::Datatype;
pub use key::EncryptionKey;
pub use kinds::{
    ArrayType, DataOrder, EncryptionType, Layout, MimeType, ObjectType, QueryStatus, QueryType,
    SerializationType, StatusReason, WalkOrder,
};
pub use physical::{Physical, Value};
pub use range::{NdRange, Range};
pub use real_text::{real_text, real_text_of};
pub use time::{TimeRange, Timestamp, moment_of, now};
pub use uuid::{UUID_LEN, new_uuid, random};

/// The number of values per cell of a variable-length field.
pub const VAR_NUM: u32 = u32::MAX;
