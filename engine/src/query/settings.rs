//! The settings of a query, which a program can change until the first submit.

use std::sync::Arc;

use crate::aggregate::Aggregate;
use crate::condition::Condition;
use crate::config::Config;
use crate::subarray::Subarray;
use crate::types::Layout;

/// The settings of a query.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) layout: Layout,
    pub(super) subarray: Subarray,
    pub(super) config: Config,
    pub(super) condition: Option<Arc<Condition>>,
    pub(super) aggregates: Vec<NamedAggregate>,
}

/// An aggregate of a query.
#[derive(Clone, Debug)]
pub struct NamedAggregate {
    /// The name of the result.
    pub name: String,
    /// The aggregate.
    pub aggregate: Aggregate,
}
