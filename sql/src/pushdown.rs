//! The push-down of predicates between the nodes of a physical plan.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, internal_err};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterPushdownResult, ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation,
    PushedDown,
};
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;

type Plan = Arc<dyn ExecutionPlan>;
type Predicate = Arc<dyn PhysicalExpr>;

/// The push-down of predicates, such as those with the values of a join, as DataFusion's rule
/// `FilterPushdown` has it, apart from the columns of predicates.
///
/// The nodes of DataFusion look up the columns of an input by name, and take the first one of
/// several with the same name for each of them: rows were lost. This rule asks the nodes which
/// predicates they pass on, and maps their columns by position.
#[derive(Debug)]
pub(crate) struct FilterPushdown(FilterPushdownPhase);

impl FilterPushdown {
    /// Returns the rule that replaces one of DataFusion; `None` if that is another one.
    pub(crate) fn replacement(name: &str) -> Option<Self> {
        let phases = [FilterPushdownPhase::Pre, FilterPushdownPhase::Post];
        let mut rules = phases.into_iter().map(Self);
        rules.find(|rule| rule.name() == name)
    }
}

impl PhysicalOptimizerRule for FilterPushdown {
    fn optimize(&self, plan: Plan, config: &ConfigOptions) -> Result<Plan> {
        let pushed = push_down(&plan, &[], config, self.0)?;
        Ok(pushed.updated_node.unwrap_or(plan))
    }

    fn name(&self) -> &str {
        match self.0 {
            FilterPushdownPhase::Pre => "FilterPushdown",
            FilterPushdownPhase::Post => "FilterPushdown(Post)",
        }
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Pushes the predicates of the node above, and those of the nodes of a plan, towards its leaves.
fn push_down(
    node: &Plan,
    predicates: &[Predicate],
    config: &ConfigOptions,
    phase: FilterPushdownPhase,
) -> Result<FilterPushdownPropagation<Plan>> {
    // A volatile predicate has another value each time that it is evaluated.
    let positions: Vec<usize> = (0..predicates.len())
        .filter(|position| !is_volatile(&predicates[*position]))
        .collect();
    let candidates = positions
        .iter()
        .map(|position| predicates[*position].clone());
    let description = node.gather_filters_for_pushdown(phase, candidates.collect(), config)?;
    let (passed, own) = (description.parent_filters(), description.self_filters());
    let children = node.children();
    let is_complete = passed.iter().all(|passed| passed.len() == positions.len());
    if passed.len() != children.len() || own.len() != children.len() || !is_complete {
        return internal_err!("{} describes other predicates than it has", node.name());
    }
    let mut results: Vec<_> = predicates
        .iter()
        .map(|predicate| ChildFilterPushdownResult {
            filter: predicate.clone(),
            child_results: vec![PushedDown::No; children.len()],
        })
        .collect();
    let (mut new_children, mut own_results) = (Vec::new(), Vec::new());
    for (index, ((child, passed), own)) in children.into_iter().zip(passed).zip(own).enumerate() {
        let mut pushed = Vec::new();
        let mut own_result: Vec<_> = own
            .iter()
            .map(|own| PushedDown::No.wrap_expression(own.clone()))
            .collect();
        let own_positions: Vec<usize> = (0..own.len())
            .filter(|position| !is_volatile(&own[*position]))
            .collect();
        pushed.extend(own_positions.iter().map(|position| own[*position].clone()));
        let mut passed_positions = Vec::new();
        for (position, passed) in positions.iter().zip(passed) {
            if matches!(passed.discriminant, PushedDown::Yes)
                && let Some(predicate) = in_child(node, index, &predicates[*position])?
            {
                pushed.push(predicate);
                passed_positions.push(*position);
            }
        }
        let result = push_down(child, &pushed, config, phase)?;
        if result.filters.len() != pushed.len() {
            return internal_err!("{} has no result for a predicate", child.name());
        }
        new_children.push(result.updated_node.unwrap_or_else(|| child.clone()));
        let (own_support, support) = result.filters.split_at(own_positions.len());
        for (position, support) in own_positions.into_iter().zip(own_support) {
            own_result[position].discriminant = *support;
        }
        for (position, support) in passed_positions.into_iter().zip(support) {
            results[position].child_results[index] = *support;
        }
        own_results.push(own_result);
    }
    let updated = replace_children_if_necessary(node.clone(), new_children)?;
    let result = ChildPushdownResult {
        parent_filters: results,
        self_filters: own_results,
    };
    let mut result = updated.handle_child_pushdown_result(phase, result, config)?;
    if result.updated_node.is_none() && !Arc::ptr_eq(&updated, node) {
        result.updated_node = Some(updated);
    }
    Ok(result)
}

/// Returns a predicate on the columns of a node as one on those of an input; `None` if it has
/// other columns.
fn in_child(node: &Plan, child: usize, predicate: &Predicate) -> Result<Option<Predicate>> {
    let mut is_complete = true;
    let mapped = predicate.clone().transform_up(|expr| {
        let Some(column) = expr.downcast_ref::<Column>() else {
            return Ok(Transformed::no(expr));
        };
        match column_in_child(node, child, column.index()) {
            Some(source) => Ok(Transformed::yes(source)),
            None => {
                is_complete = false;
                Ok(Transformed::no(expr))
            }
        }
    });
    let mapped = mapped.data()?;
    // A column of a projection may be volatile.
    Ok(Some(mapped).filter(|mapped| is_complete && !is_volatile(mapped)))
}

/// Returns the value of a column of a node in a row of an input; `None` if the input does not have
/// it.
fn column_in_child(node: &Plan, child: usize, column: usize) -> Option<Arc<dyn PhysicalExpr>> {
    let input = node.children().get(child)?.schema();
    let source = if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        return Some(projection.expr().get(column)?.expr.clone());
    } else if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        let (group, _) = aggregate.group_expr().expr().get(column)?;
        return Some(group.clone());
    } else if let Some(filter) = node.downcast_ref::<FilterExec>() {
        match filter.projection() {
            Some(projection) => *projection.get(column)?,
            None => column,
        }
    } else if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        let joined = match &join.projection {
            Some(projection) => *projection.get(column)?,
            None => column,
        };
        let left_columns = join.left.schema().fields().len();
        let (side, source) = match join.join_type {
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full
                if joined >= left_columns =>
            {
                (1, joined - left_columns)
            }
            JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => (1, joined),
            _ => (0, joined),
        };
        if side == child {
            source
        } else {
            // The rows of a semi-join have an equal key on the other side.
            let is_semi = matches!(join.join_type, JoinType::LeftSemi | JoinType::RightSemi);
            let mut keys = join.on.iter().filter(|_| is_semi).map(|(left, right)| {
                let (own, other) = if side == 0 {
                    (left, right)
                } else {
                    (right, left)
                };
                (own.downcast_ref::<Column>(), other.clone())
            });
            let equal = |key: Option<&Column>| key.is_some_and(|key| key.index() == source);
            return keys.find_map(|(own, other)| equal(own).then_some(other));
        }
    } else if node.is::<UnionExec>() || node.schema().fields() == input.fields() {
        column
    } else {
        return None;
    };
    let field = input.fields().get(source)?;
    Some(Arc::new(Column::new(field.name(), source)))
}
