//! Values: datatypes, their physical types, ranges, timestamps, query conditions, and small
//! enumerations.
//!
//! No file formats and no I/O.

pub mod condition;

mod datatype;
mod key;
mod kinds;
mod physical;
mod range;
mod real_text;
mod shared_text;
mod time;
mod uuid;

pub use datatype::{CellType, Datatype};
pub use key::EncryptionKey;
pub use kinds::{
    ArrayType, DataOrder, EncryptionType, Layout, MimeType, ObjectType, QueryStatus, QueryType,
    SerializationType, StatusReason, WalkOrder,
};
pub use physical::{Physical, Value, values_of};
pub use range::{NdRange, Range};
pub use real_text::{real_text, real_text_with_digits};
pub use shared_text::SharedText;
pub use time::{TimeRange, Timestamp, now, unique_timestamp};
pub use uuid::{UUID_LEN, new_uuid, random, random_fraction};

/// The number of values per cell of a variable-length field.
pub const VAR_NUM: u32 = u32::MAX;

/// The share of the cells of a tile or a box that ranges, a condition or a mask select, as far as
/// it is known without examining the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// No cell: a tile is not fetched.
    None,
    /// Possibly some cells: they must be examined.
    Some,
    /// All cells: the rule need not be evaluated.
    All,
}

impl Match {
    /// Returns the match of cells that all have this result.
    pub fn of(result: bool) -> Self {
        if result { Self::All } else { Self::None }
    }
}
