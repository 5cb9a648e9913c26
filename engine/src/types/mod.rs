//! Values: datatypes, their physical types, ranges, timestamps, query conditions, and small
//! enumerations.
//!
//! No file formats and no I/O.

/// Defines an enum whose values have the codes of the C API and of files, 0, 1, ... unless others
/// are given, and names.
macro_rules! kind {
    ($(#[$attribute:meta])* pub enum $kind:ident {
        $($value:ident $(($code:literal))? = $name:literal,)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum $kind { $($value $(= $code)?,)* }

        impl $kind {
            pub(crate) const VALUES: [Self; [$($name),*].len()] = [$(Self::$value,)*];

            /// Returns the value with this code.
            pub fn from_code(code: u32) -> Option<Self> {
                match code {
                    $(code if code == Self::$value as u32 => Some(Self::$value),)*
                    _ => None,
                }
            }

            /// Returns the code: of what is stored, that in files and in the C API.
            pub fn code(self) -> u8 {
                self as u8
            }

            /// Returns the name in dumps, messages and statistics.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }

            /// Returns the value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::VALUES.into_iter().find(|value| value.name() == name)
            }
        }
    };
}
pub(crate) use kind;

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
