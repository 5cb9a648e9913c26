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
mod current_domain;
mod deletes;
mod describe;
mod explain;
mod fields;
mod label_writes;
mod labels;
mod metrics;
mod needed_sizes;
#[expect(
    clippy::module_inception,
    reason = "the module's main type has its name"
)]
mod query;
mod query_field;
mod reads;
mod received;
mod served;
mod setters;
mod settings;
mod work;
mod writes;

pub use carried::{CarriedKind, CarriedProgress, CarriedState, ReadPosition};
pub use describe::QueryPlan;
pub use explain::{Explanation, ReadOutcome};
pub use fields::BufferKind;
pub use query::Query;
pub use query_field::{FieldOrigin, QueryField};
pub use received::{BufferShape, ReceivedQuery};
pub use served::ServedProgress;
pub use settings::NamedAggregate;
pub use work::WrittenFragment;
