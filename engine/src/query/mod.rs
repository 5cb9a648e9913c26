//! Queries: settings, buffers and the states of submits.
//!
//! ```text
//! Uninitialized --submit--> Incomplete --submit--> ... --> Completed      (reads)
//!               --submit--> Completed                                     (writes; in global order until finalized)
//!               --submit--> Completed --submit--> ...                     (deletes, one each time)
//! ```
//! After a failed submit, a query that had not started is `Uninitialized`; one that had started is
//! `Failed`.

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
