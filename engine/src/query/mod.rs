//! Queries: settings, buffers and the states of submits.
//!
//! ```text
//! Uninitialized --submit--> Incomplete --submit--> ... --> Completed      (reads)
//!               --submit--> Completed                                     (writes)
//!               --submit--> Completed --submit--> ...                     (deletes, one each time)
//! ```
//! Writes in global order accept further submits until they are finalized. After a failed submit, a
//! query that had not started is `Uninitialized`; one that had started is `Failed`. A failed read
//! that is submitted again continues with the cells that no successful submit has delivered.

mod carried;
mod deletes;
mod describe;
mod explain;
mod fields;
mod label_writes;
mod labels;
mod needed_sizes;
mod reads;
mod received;
mod requests;
mod run;
mod served;
mod submits;
mod work;
mod writes;

pub use carried::{CarriedKind, CarriedProgress, CarriedState, ReadPosition};
pub use describe::QueryPlan;
pub use explain::{Explanation, ReadOutcome};
pub use fields::BufferKind;
pub use received::{BufferShape, ReceivedQuery};
pub use requests::{FieldOrigin, QueryField};
pub use run::Query;
pub use served::ServedProgress;
pub use work::WrittenFragment;
