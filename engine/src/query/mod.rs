//! Queries: what was set, how far they have come.
//!
//! ```text
//! Uninitialized --submit--> Incomplete --submit--> ... --> Completed      (reads)
//!               --submit--> Completed                                     (writes of a box)
//!               --submit--> InProgress --submit--> ... --finalize--> Completed  (writes in global order)
//! ```
//! A submit that fails leaves a query that never began Uninitialized, and one that began Failed.

pub mod aggregate;
pub mod buffers;
pub mod condition;
pub mod read;
pub mod subarray;
pub mod write;

mod describe;
mod fields;
mod requests;
mod run;

pub use fields::BufferKind;
pub use requests::{FieldOrigin, QueryField};
pub use run::{Query, WrittenFragment};
