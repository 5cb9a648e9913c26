//! Queries: what was set, how far they have come.
//!
//! ```text
//! Uninitialized --submit--> Incomplete --submit--> ... --> Completed      (reads)
//!               --submit--> Completed                                     (writes; in global order until finalized)
//!               --submit--> Completed --submit--> ...                     (deletes, one each time)
//! ```
//! A submit that fails leaves a query that never began Uninitialized, and one that began Failed.

mod deletes;
mod describe;
mod fields;
mod labels;
mod reads;
mod requests;
mod run;
mod writes;

pub use fields::BufferKind;
pub use requests::{FieldOrigin, QueryField};
pub use run::Query;
pub use writes::WrittenFragment;
