//! The rules of the optimizer for plans that read arrays.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::ExecutionPlan;

use crate::aggregates::engine_aggregate;
use crate::groups::grouped_by_index;
use crate::joins::{aligned, semi_join_below_inner};

/// Returns the rules of DataFusion for physical plans, and between them those for arrays:
///
/// - Aggregates without groups over an array are those of the engine.
/// - A semi-join, such as that of `key IN (SELECT ...)`, comes before the inner joins of its table.
/// - Groups by enumerations of texts use the stored indexes.
/// - Arrays that are joined by their first dimensions are divided alike.
pub fn optimizer_rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = PhysicalOptimizer::new().rules;
    let mut names = rules.iter().map(|rule| rule.name());
    // The kinds of joins are known then, and exchanges of rows are not added yet.
    let joins_chosen = names
        .position(|name| name == "join_selection")
        .map_or(0, |selection| selection + 1);
    let divided = Replacement {
        name: "aligned_joins",
        inputs_first: true,
        replace: aligned,
    };
    rules.insert(joins_chosen, Arc::new(divided));
    let first: [Arc<dyn PhysicalOptimizerRule + Send + Sync>; 3] = [
        Arc::new(Replacement {
            name: "tiledb_aggregates",
            inputs_first: false,
            replace: engine_aggregate,
        }),
        Arc::new(Replacement {
            name: "early_semi_joins",
            inputs_first: false,
            replace: semi_join_below_inner,
        }),
        Arc::new(Replacement {
            name: "groups_by_index",
            inputs_first: false,
            replace: grouped_by_index,
        }),
    ];
    rules.splice(0..0, first);
    rules
}

type Plan = Arc<dyn ExecutionPlan>;

/// A rule that replaces single nodes of a plan with their inputs.
#[derive(Debug)]
struct Replacement {
    name: &'static str,
    /// Whether the inputs of a node are replaced before it.
    inputs_first: bool,
    /// Returns a plan with the same rows; `None` if the rule does not concern the node.
    replace: fn(&Plan) -> Result<Option<Plan>>,
}

impl PhysicalOptimizerRule for Replacement {
    fn optimize(&self, plan: Plan, _: &ConfigOptions) -> Result<Plan> {
        let replace = |plan| {
            Ok(match (self.replace)(&plan)? {
                Some(replaced) => Transformed::yes(replaced),
                None => Transformed::no(plan),
            })
        };
        if self.inputs_first {
            plan.transform_up(replace).data()
        } else {
            plan.transform_down(replace).data()
        }
    }

    fn name(&self) -> &str {
        self.name
    }

    fn schema_check(&self) -> bool {
        true
    }
}
