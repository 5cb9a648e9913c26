//! Queries: settings, buffers and the states of submits.
//!
//! ```text
//! Uninitialized --submit--> Incomplete --submit--> ... --> Completed      (reads)
//!               --submit--> Completed                                     (writes)
//!               --submit--> Completed --submit--> ...                     (deletes, one each time)
//! ```
//! Writes in global order accept further submits until they are finalized. After a failed submit, a
//! query that had not started is `Uninitialized`; one that had started is `Failed`.

mod deletes;
mod describe;
mod fields;
mod labels;
mod reads;
mod requests;
mod run;
mod work;
mod writes;

pub use fields::BufferKind;
pub use requests::{FieldOrigin, QueryField};
pub use run::Query;
pub use work::WrittenFragment;
