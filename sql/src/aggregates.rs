//! Aggregates that the engine computes, from statistics of tiles where they suffice.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use tiledb_engine::{AggregateOperator, Scalar};

use crate::error::engine_error;
use crate::ranges::compare;
use crate::scan::TileDbScan;
use crate::table::blocking;

/// The most cells of which sums of 32-bit integers are certain to fit 64 bits.
const MAX_SUMMED_CELLS: u64 = 1 << 31;

/// Replaces an aggregate without groups over an array by aggregates of the engine: `COUNT`, and
/// `MIN`, `MAX`, `SUM` and `AVG` of columns where its results are SQL's. `None` for other plans.
pub(crate) fn engine_aggregate(
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    Ok(TileDbAggregate::of(plan).map(|aggregate| Arc::new(aggregate) as _))
}

/// The computation of a column of the result.
#[derive(Clone, Debug, PartialEq)]
enum Operation {
    /// The number of rows in which the field, if any, is not null.
    Count(Option<String>),
    Min(String, i128),
    Max(String, i128),
    Sum(String),
    Average(String),
}

/// A read of aggregates instead of rows.
#[derive(Clone, Debug)]
struct TileDbAggregate {
    scan: Arc<TileDbScan>,
    operations: Vec<Operation>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl TileDbAggregate {
    /// Returns the aggregate that replaces a plan, if the engine can compute all of it.
    fn of(plan: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        let aggregate = without_groups(plan)?;
        let raw = match aggregate.mode() {
            AggregateMode::Single => aggregate,
            AggregateMode::Final => {
                let partial = without_groups(aggregate.input())?;
                (*partial.mode() == AggregateMode::Partial).then_some(partial)?
            }
            _ => return None,
        };
        let scan = raw.input().downcast_ref::<TileDbScan>()?;
        if scan.fetch().is_some() || !scan.can_aggregate() {
            return None;
        }
        let operations = raw
            .aggr_expr()
            .iter()
            .map(|function| operation(function, scan));
        let operations: Vec<_> = operations.collect::<Option<_>>()?;
        let schema = plan.schema();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Some(Self {
            scan: Arc::new(scan.clone()),
            operations,
            schema,
            properties: Arc::new(properties),
        })
    }

    fn compute(&self) -> Result<RecordBatch> {
        let mut totals = vec![Total::default(); self.operations.len()];
        let mut rows = 0;
        for ranges in self.scan.parts.parts.iter().flat_map(|part| &part.boxes) {
            let query = self.scan.query(ranges, &self.scan.selection)?;
            let mut requests = vec![(AggregateOperator::Count, "")];
            requests.extend(self.operations.iter().map(Operation::request));
            let results = query.aggregate(&requests);
            let results = results.map_err(|error| engine_error(self.scan.uri(), error))?;
            let mut values = results
                .iter()
                .map(|values| values.value::<Option<Scalar>>(0));
            let mut next = || values.next().transpose();
            let read = |error| engine_error(self.scan.uri(), error);
            let count = match next().map_err(read)?.flatten() {
                Some(Scalar::Integer(count)) => count,
                _ => 0,
            };
            for (total, operation) in totals.iter_mut().zip(&self.operations) {
                let value = next().map_err(read)?.flatten();
                if count > 0 {
                    total.add(operation, value);
                }
            }
            rows += count;
        }
        let columns = self.operations.iter().zip(totals).zip(self.schema.fields());
        let columns = columns.map(|((operation, total), field)| {
            let value = total.result(operation, rows);
            let value = value.map_or_else(
                || ScalarValue::try_from(field.data_type()),
                |value| value.cast_to(field.data_type()),
            );
            value?.to_array()
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_>>()?;
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}

fn without_groups(plan: &Arc<dyn ExecutionPlan>) -> Option<&AggregateExec> {
    let aggregate = plan.downcast_ref::<AggregateExec>()?;
    let is_plain = aggregate.group_expr().is_empty()
        && aggregate.limit_options().is_none()
        && aggregate.filter_expr().iter().all(Option::is_none);
    is_plain.then_some(aggregate)
}

/// Returns the operation of an aggregate function, if the engine's result is SQL's.
fn operation(function: &AggregateFunctionExpr, scan: &TileDbScan) -> Option<Operation> {
    if function.is_distinct() || !function.order_bys().is_empty() {
        return None;
    }
    let arguments = function.expressions();
    let [argument] = &arguments[..] else {
        return None;
    };
    let name = function.fun().name();
    if name == "count"
        && argument
            .downcast_ref::<Literal>()
            .is_some_and(|value| !value.value().is_null())
    {
        return Some(Operation::Count(None));
    }
    // Sums and averages convert their argument.
    let inner: &Arc<dyn PhysicalExpr> = match argument.downcast_ref::<CastExpr>() {
        Some(cast) if matches!(name, "sum" | "avg") => cast.expr(),
        _ => argument,
    };
    let column = inner.downcast_ref::<Column>()?;
    let field = scan.columns.field_with_name(column.name()).ok()?;
    let (data_type, name_of) = (field.data_type(), field.name().clone());
    if !scan.is_stored(&name_of) {
        return None;
    }
    let is_small =
        data_type.is_integer() && data_type.primitive_width().is_some_and(|width| width <= 4);
    let is_real = matches!(data_type, DataType::Float32 | DataType::Float64);
    let is_cast = !Arc::ptr_eq(inner, argument);
    let returned = function.field().data_type().clone();
    match name {
        "count" if !field.is_nullable() => Some(Operation::Count(None)),
        "count" if data_type.is_primitive() => Some(Operation::Count(Some(name_of))),
        "min" | "max" => {
            let factor = scan.factor(&name_of)?;
            Some(if name == "min" {
                Operation::Min(name_of, factor)
            } else {
                Operation::Max(name_of, factor)
            })
        }
        "sum" if is_small && scan.cells() <= MAX_SUMMED_CELLS => {
            (returned.is_integer()).then_some(Operation::Sum(name_of))
        }
        "sum" if is_real && (!is_cast || returned == DataType::Float64) => {
            Some(Operation::Sum(name_of))
        }
        // Averages of several boxes cannot be combined.
        "avg" if scan.box_num() > 1 => None,
        "avg" if (is_small && scan.cells() <= MAX_SUMMED_CELLS) || is_real => {
            (returned == DataType::Float64).then_some(Operation::Average(name_of))
        }
        _ => None,
    }
}

impl Operation {
    /// Returns the aggregate of the engine.
    fn request(&self) -> (AggregateOperator, &str) {
        match self {
            Self::Count(None) => (AggregateOperator::Count, ""),
            Self::Count(Some(field)) => (AggregateOperator::NullCount, field),
            Self::Min(field, _) => (AggregateOperator::Min, field),
            Self::Max(field, _) => (AggregateOperator::Max, field),
            Self::Sum(field) => (AggregateOperator::Sum, field),
            Self::Average(field) => (AggregateOperator::Mean, field),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Count(None) => "count".to_owned(),
            Self::Count(Some(field)) => format!("count({field})"),
            Self::Min(field, _) => format!("min({field})"),
            Self::Max(field, _) => format!("max({field})"),
            Self::Sum(field) => format!("sum({field})"),
            Self::Average(field) => format!("avg({field})"),
        }
    }
}

/// The result of an operation so far.
#[derive(Clone, Debug, Default)]
struct Total {
    value: Option<Scalar>,
    /// The nulls of a count.
    nulls: i128,
}

impl Total {
    fn add(&mut self, operation: &Operation, value: Option<Scalar>) {
        let Some(value) = value else {
            return;
        };
        if let (Operation::Count(Some(_)), Scalar::Integer(nulls)) = (operation, &value) {
            self.nulls += nulls;
            return;
        }
        let Some(before) = self.value.take() else {
            self.value = Some(value);
            return;
        };
        self.value = Some(match (operation, before, value) {
            (Operation::Min(..), before, value) if compare(&value, &before) == Ordering::Less => {
                value
            }
            (Operation::Max(..), before, value)
                if compare(&value, &before) == Ordering::Greater =>
            {
                value
            }
            (Operation::Sum(_), Scalar::Integer(before), Scalar::Integer(value)) => {
                Scalar::Integer(before + value)
            }
            (Operation::Sum(_), Scalar::Real(before), Scalar::Real(value)) => {
                Scalar::Real(before + value)
            }
            (_, before, _) => before,
        });
    }

    fn result(self, operation: &Operation, rows: i128) -> Option<ScalarValue> {
        let integer = |value: i128| match i64::try_from(value) {
            Ok(value) => ScalarValue::Int64(Some(value)),
            Err(_) => ScalarValue::UInt64(u64::try_from(value).ok()),
        };
        match (operation, self.value) {
            (Operation::Count(_), _) => Some(integer(rows - self.nulls)),
            (
                Operation::Min(_, factor) | Operation::Max(_, factor),
                Some(Scalar::Integer(value)),
            ) => Some(integer(value * factor)),
            (_, Some(Scalar::Integer(value))) => Some(integer(value)),
            (_, Some(Scalar::Real(value))) => Some(ScalarValue::Float64(Some(value))),
            _ => None,
        }
    }
}

impl DisplayAs for TileDbAggregate {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operations: Vec<_> = self.operations.iter().map(Operation::text).collect();
        write!(f, "TileDbAggregate: [{}], ", operations.join(", "))?;
        self.scan.fmt_as(format, f)
    }
}

impl ExecutionPlan for TileDbAggregate {
    fn name(&self) -> &str {
        "TileDbAggregate"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
        self.replace_children(children, options)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let aggregate = self.clone();
        let result = blocking(move || aggregate.compute());
        let stream = futures::stream::once(result);
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema.clone(),
            Box::pin(stream),
        )))
    }
}
