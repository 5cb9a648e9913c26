//! Groups by texts of few values.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::{TakeOptions, take};
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::{JoinSide, JoinType};
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, HashJoinExecBuilder};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use crate::scan::{TileDbScan, dictionary_of};

/// Returns a plan with the same rows that groups by the stored indexes of enumerations of texts;
/// the texts take their place in the result. Indexes are found faster than texts, and pass joins in
/// fewer bytes. `None` if no column of the groups is such an enumeration.
pub(crate) fn grouped_by_index(
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(aggregate) = plan.downcast_ref::<AggregateExec>() else {
        return Ok(None);
    };
    let schema = plan.schema();
    let mut current = plan.clone();
    let mut texts = vec![None; schema.fields().len()];
    let groups = aggregate.group_expr().expr().len();
    for (column, texts) in texts.iter_mut().enumerate().take(groups) {
        if let Some((replaced, values)) = with_indexes(&current, column)? {
            current = replaced;
            *texts = Some(values);
        }
    }
    if texts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let columns = schema.fields().iter().zip(texts).enumerate();
    let columns = columns.map(|(index, (field, texts))| {
        let source: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), index));
        let expr = match texts {
            Some(texts) => Arc::new(TextOfIndex {
                index: source,
                texts,
                field: field.clone(),
            }),
            None => source,
        };
        ProjectionExpr::new(expr, field.name().clone())
    });
    let restored = ProjectionExec::try_new(columns, current)?;
    Ok(Some(Arc::new(restored)))
}

/// A plan with indexes in one column, and the texts that they stand for.
type Indexed = (Arc<dyn ExecutionPlan>, ArrayRef);

/// Returns a plan that delivers the indexes of an enumeration instead of its texts in a column;
/// `None` if the column is no enumeration, or is used for anything but groups.
fn with_indexes(plan: &Arc<dyn ExecutionPlan>, column: usize) -> Result<Option<Indexed>> {
    if let Some(scan) = plan.downcast_ref::<TileDbScan>() {
        let indexed = scan.with_indexes(column)?;
        return Ok(indexed.map(|(scan, texts)| (Arc::new(scan) as _, texts)));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let exprs = projection.expr();
        let Some(source) = exprs.get(column).and_then(|expr| index_of(&expr.expr)) else {
            return Ok(None);
        };
        let others = exprs
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != column);
        if others
            .map(|(_, expr)| &expr.expr)
            .any(|expr| uses(expr, source))
        {
            return Ok(None);
        }
        let Some((input, texts)) = with_indexes(projection.input(), source)? else {
            return Ok(None);
        };
        let projection = ProjectionExec::try_new(exprs.to_vec(), input)?;
        return Ok(Some((Arc::new(projection), texts)));
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        if filter.projection().is_some() || uses(filter.predicate(), column) {
            return Ok(None);
        }
        let Some((input, texts)) = with_indexes(filter.input(), column)? else {
            return Ok(None);
        };
        let filter = FilterExec::try_new(filter.predicate().clone(), input)?;
        return Ok(Some((Arc::new(filter), texts)));
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return below_join(join, column);
    }
    match plan.downcast_ref::<AggregateExec>() {
        Some(aggregate) => below_aggregate(aggregate, column),
        None => Ok(None),
    }
}

fn below_join(join: &HashJoinExec, column: usize) -> Result<Option<Indexed>> {
    let left_columns = join.left.schema().fields().len();
    let is_left = match join.join_type {
        JoinType::LeftSemi | JoinType::LeftAnti => true,
        JoinType::RightSemi | JoinType::RightAnti => false,
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
            column < left_columns
        }
        JoinType::LeftMark | JoinType::RightMark => return Ok(None),
    };
    let is_right_of_both =
        !is_left && !matches!(join.join_type, JoinType::RightSemi | JoinType::RightAnti);
    let source = if is_right_of_both {
        column - left_columns
    } else {
        column
    };
    let is_key = join
        .on
        .iter()
        .any(|(left, right)| uses(if is_left { left } else { right }, source));
    let is_filtered = join.filter.as_ref().is_some_and(|filter| {
        let mut columns = filter.column_indices().iter();
        columns.any(|used| used.index == source && (used.side == JoinSide::Left) == is_left)
    });
    if join.projection.is_some() || is_key || is_filtered {
        return Ok(None);
    }
    let side = if is_left { &join.left } else { &join.right };
    let Some((side, texts)) = with_indexes(side, source)? else {
        return Ok(None);
    };
    let (left, right) = if is_left {
        (side, join.right.clone())
    } else {
        (join.left.clone(), side)
    };
    let join = HashJoinExecBuilder::new(left, right, join.on.clone(), join.join_type)
        .with_filter(join.filter.clone())
        .with_partition_mode(join.mode)
        .with_null_equality(join.null_equality)
        .with_null_aware(join.null_aware)
        .build()?;
    Ok(Some((Arc::new(join), texts)))
}

/// An aggregate in one step, or the last of two steps with the first one.
fn below_aggregate(aggregate: &AggregateExec, column: usize) -> Result<Option<Indexed>> {
    let first = match aggregate.mode() {
        AggregateMode::Single | AggregateMode::SinglePartitioned => aggregate,
        AggregateMode::Final | AggregateMode::FinalPartitioned => {
            match aggregate.input().downcast_ref::<AggregateExec>() {
                Some(first) if *first.mode() == AggregateMode::Partial => first,
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    let groups = first.group_expr();
    let source = groups
        .expr()
        .get(column)
        .and_then(|(expr, _)| index_of(expr));
    let Some(source) = source.filter(|_| groups.is_single()) else {
        return Ok(None);
    };
    let others = groups
        .expr()
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != column);
    let is_grouped_again = others
        .map(|(_, (expr, _))| expr)
        .any(|expr| uses(expr, source));
    let is_argument = first.aggr_expr().iter().any(|function| {
        let sorted = function.order_bys().iter().map(|order| &order.expr);
        function
            .expressions()
            .iter()
            .chain(sorted)
            .any(|expr| uses(expr, source))
    });
    let is_condition = first
        .filter_expr()
        .iter()
        .flatten()
        .any(|expr| uses(expr, source));
    if is_grouped_again || is_argument || is_condition {
        return Ok(None);
    }
    let Some((input, texts)) = with_indexes(first.input(), source)? else {
        return Ok(None);
    };
    let schema = input.schema();
    let rebuilt = |step: &AggregateExec, input: Arc<dyn ExecutionPlan>| {
        AggregateExec::try_new(
            *step.mode(),
            step.group_expr().clone(),
            step.aggr_expr().to_vec(),
            step.filter_expr().to_vec(),
            input,
            schema.clone(),
        )
    };
    let mut rebuilt_plan: Arc<dyn ExecutionPlan> = Arc::new(rebuilt(first, input)?);
    if *first.mode() == AggregateMode::Partial {
        rebuilt_plan = Arc::new(rebuilt(aggregate, rebuilt_plan)?);
    }
    Ok(Some((rebuilt_plan, texts)))
}

/// Returns the index of an expression that is a column.
fn index_of(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    expr.downcast_ref::<Column>().map(Column::index)
}

fn uses(expr: &Arc<dyn PhysicalExpr>, column: usize) -> bool {
    collect_columns(expr)
        .iter()
        .any(|used| used.index() == column)
}

/// The text of an enumeration that an index stands for.
#[derive(Clone, Debug)]
struct TextOfIndex {
    index: Arc<dyn PhysicalExpr>,
    texts: ArrayRef,
    /// That of the texts.
    field: FieldRef,
}

impl PartialEq for TextOfIndex {
    fn eq(&self, other: &Self) -> bool {
        self.index.eq(&other.index)
            && self.field == other.field
            && Arc::ptr_eq(&self.texts, &other.texts)
    }
}

impl Eq for TextOfIndex {}

impl Hash for TextOfIndex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
        self.field.hash(state);
    }
}

impl fmt::Display for TextOfIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "text({})", self.index)
    }
}

impl PhysicalExpr for TextOfIndex {
    fn data_type(&self, _: &Schema) -> Result<DataType> {
        Ok(self.field.data_type().clone())
    }

    fn nullable(&self, _: &Schema) -> Result<bool> {
        Ok(self.field.is_nullable())
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let indexes = self.index.evaluate(batch)?;
        let indexes = indexes.into_array(batch.num_rows())?;
        if let DataType::Dictionary(..) = self.field.data_type() {
            let dictionary = dictionary_of(&indexes, &self.texts)?;
            return Ok(ColumnarValue::Array(dictionary));
        }
        let options = TakeOptions { check_bounds: true };
        let texts = take(&self.texts, &indexes, Some(options))?;
        Ok(ColumnarValue::Array(texts))
    }

    fn return_field(&self, _: &Schema) -> Result<FieldRef> {
        Ok(self.field.clone())
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.index]
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let index = children.into_iter().next();
        Ok(Arc::new(Self {
            index: index.unwrap_or_else(|| self.index.clone()),
            ..Self::clone(&self)
        }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt_sql(f)
    }
}
