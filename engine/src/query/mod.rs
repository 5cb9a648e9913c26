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

mod describe;
mod explain;
mod fields;
mod labels;
mod message;
mod needed_sizes;
#[expect(
    clippy::module_inception,
    reason = "the module's main type has its name"
)]
mod query;
mod reads;
mod request;
mod settings;
mod writes;

pub use describe::{FieldOrigin, QueryField, QueryPlan};
pub use explain::{Explanation, ReadOutcome};
pub use fields::BufferKind;
pub use message::QueryMessage;
pub use query::{
    Query, ReadCheckpoint, ReadPosition, Strategy, StrategyProgress, StrategyState, WrittenFragment,
};
pub use request::{NamedAggregate, QueryRequest};
