//! The order of joins.

use std::sync::Arc;

use datafusion::common::{JoinType, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, HashJoinExecBuilder, PartitionMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};

use crate::scan::TileDbScan;

/// Moves a semi-join, such as that of `key IN (SELECT ...)`, below the inner join whose rows it
/// selects, to the side that has the key. DataFusion plans it above all joins of the `FROM` clause:
/// the values of a selective subquery are then compared with all joined rows, and no scan has a
/// dynamic filter of them. `None` for other plans, and if the inner join is expected to remove
/// rows.
pub(crate) fn semi_join_below_inner(
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(semi) = plan.downcast_ref::<HashJoinExec>() else {
        return Ok(None);
    };
    let is_plain = semi.join_type == JoinType::LeftSemi && semi.filter.is_none();
    if !is_plain || semi.projection.is_some() {
        return Ok(None);
    }
    let projection = semi.left.downcast_ref::<ProjectionExec>();
    let joined = projection.map_or(&semi.left, |projection| projection.input());
    let Some(inner) = joined.downcast_ref::<HashJoinExec>() else {
        return Ok(None);
    };
    if inner.join_type != JoinType::Inner || inner.projection.is_some() {
        return Ok(None);
    }
    let keys = semi.on.iter().map(|(key, _)| {
        let key = key.downcast_ref::<Column>()?;
        match projection {
            Some(projection) => {
                let source = &projection.expr().get(key.index())?.expr;
                source.downcast_ref::<Column>().map(Column::index)
            }
            None => Some(key.index()),
        }
    });
    let Some(keys) = keys.collect::<Option<Vec<usize>>>() else {
        return Ok(None);
    };
    let left_columns = inner.left.schema().fields().len();
    let (side, first) = if keys.iter().all(|key| *key < left_columns) {
        (&inner.left, 0)
    } else if keys.iter().all(|key| *key >= left_columns) {
        (&inner.right, left_columns)
    } else {
        return Ok(None);
    };
    if expected_rows(joined)? < expected_rows(side)? {
        return Ok(None);
    }
    let schema = side.schema();
    let on = keys.iter().zip(&semi.on).map(|(key, (_, other))| {
        let index = key - first;
        let column: Arc<dyn PhysicalExpr> =
            Arc::new(Column::new(schema.field(index).name(), index));
        (column, other.clone())
    });
    let selected = HashJoinExecBuilder::new(
        side.clone(),
        semi.right.clone(),
        on.collect(),
        JoinType::LeftSemi,
    )
    .with_partition_mode(semi.mode)
    .with_null_equality(semi.null_equality)
    .build()?;
    let selected: Arc<dyn ExecutionPlan> = Arc::new(selected);
    let sides = match first {
        0 => vec![selected, inner.right.clone()],
        _ => vec![inner.left.clone(), selected],
    };
    let joined = with_children(joined, sides)?;
    Ok(Some(match projection {
        Some(_) => with_children(&semi.left, vec![joined])?,
        None => joined,
    }))
}

/// Divides an array like the larger one that it is joined with, if the key is the first dimension
/// of both. The join then needs no exchange of rows between partitions. `None` for other plans.
pub(crate) fn aligned(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(join) = plan.downcast_ref::<HashJoinExec>() else {
        return Ok(None);
    };
    let [(left_key, right_key)] = &join.on[..] else {
        return Ok(None);
    };
    let keys = (left_key.downcast_ref(), right_key.downcast_ref());
    let (Some(left_key), Some(right_key)): (Option<&Column>, Option<&Column>) = keys else {
        return Ok(None);
    };
    if join.mode != PartitionMode::Partitioned {
        return Ok(None);
    }
    let left = origin(&join.left, left_key.index());
    let right = origin(&join.right, right_key.index());
    let (Some((left_scan, left_is_joined)), Some((right_scan, right_is_joined))) = (left, right)
    else {
        return Ok(None);
    };
    // A table that is joined already remains divided as it is.
    let left_changes = match (left_is_joined, right_is_joined) {
        (false, true) => true,
        (true, false) => false,
        (false, false) => left_scan.cells() < right_scan.cells(),
        (true, true) => return Ok(None),
    };
    let sides = if left_changes {
        let Some(scan) = left_scan.aligned_with(right_scan)? else {
            return Ok(None);
        };
        let left = with_origin(&join.left, left_key.index(), Arc::new(scan))?;
        vec![left, join.right.clone()]
    } else {
        let Some(scan) = right_scan.aligned_with(left_scan)? else {
            return Ok(None);
        };
        let right = with_origin(&join.right, right_key.index(), Arc::new(scan))?;
        vec![join.left.clone(), right]
    };
    with_children(plan, sides).map(Some)
}

/// Returns the scan whose partitions a plan has and whose first dimension is a column of the plan,
/// and whether it is joined with another scan that is divided alike.
fn origin(plan: &Arc<dyn ExecutionPlan>, column: usize) -> Option<(&TileDbScan, bool)> {
    if let Some(scan) = plan.downcast_ref::<TileDbScan>() {
        return (scan.first_dimension() == Some(column)).then_some((scan, false));
    }
    let (child, source) = source(plan, column)?;
    let (scan, is_joined) = origin(plan.children().get(child)?, source)?;
    let join = plan.downcast_ref::<HashJoinExec>();
    let is_exchanged = join.is_some_and(|join| join.mode == PartitionMode::Partitioned);
    Some((scan, is_joined || is_exchanged))
}

/// Returns the plan with another scan as the origin of a column.
fn with_origin(
    plan: &Arc<dyn ExecutionPlan>,
    column: usize,
    scan: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some((child, source)) = source(plan, column) else {
        return Ok(scan);
    };
    let mut children: Vec<_> = plan.children().into_iter().cloned().collect();
    children[child] = with_origin(&children[child], source, scan)?;
    with_children(plan, children)
}

/// Returns the input that has the same partitions as a plan, and its column that a column of the
/// plan is.
fn source(plan: &Arc<dyn ExecutionPlan>, column: usize) -> Option<(usize, usize)> {
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        return filter.projection().is_none().then_some((0, column));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let source = &projection.expr().get(column)?.expr;
        return Some((0, source.downcast_ref::<Column>()?.index()));
    }
    if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        // Groups of one column need no exchange if each of its values is in one partition.
        let [(group, _)] = aggregate.group_expr().expr() else {
            return None;
        };
        let group = group.downcast_ref::<Column>()?.index();
        return (column == 0 && aggregate.group_expr().is_single()).then_some((0, group));
    }
    let join = plan.downcast_ref::<HashJoinExec>()?;
    if join.projection.is_some() {
        return None;
    }
    let left_columns = join.left.schema().fields().len();
    let (child, source) = match join.join_type {
        JoinType::LeftSemi | JoinType::LeftAnti => (0, column),
        JoinType::RightSemi | JoinType::RightAnti => (1, column),
        JoinType::Inner if column < left_columns => (0, column),
        JoinType::Inner => (1, column - left_columns),
        _ => return None,
    };
    let is_partitioned = match join.mode {
        // The rows of the left side are in each partition of the right one.
        PartitionMode::CollectLeft => child == 1,
        PartitionMode::Partitioned => join.on.iter().any(|(left, right)| {
            let key = if child == 0 { left } else { right };
            let key = key.downcast_ref::<Column>();
            join.on.len() == 1 && key.is_some_and(|key| key.index() == source)
        }),
        PartitionMode::Auto => false,
    };
    is_partitioned.then_some((child, source))
}

fn with_children(
    plan: &Arc<dyn ExecutionPlan>,
    children: Vec<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    plan.clone().replace_children(children, options)
}

/// Returns the number of rows that the optimizer expects; `None` is less than all numbers.
fn expected_rows(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<usize>> {
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new())?;
    Ok(statistics.num_rows.get_value().copied())
}
