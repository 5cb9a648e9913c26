//! Fields of arrays, as predicates see them: how their values are compared, and what is known of
//! their cells when a query is planned.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, new_null_array};
use datafusion::arrow::compute::{SortOptions, cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, Schema as ArrowSchema};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::logical_expr::interval_arithmetic::Interval as ValueInterval;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{ColumnarValue, Operator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use tiledb_engine::{Array as TileDbArray, Attribute, Datatype, Result, Scalar};

use crate::ranges::{Bound, Interval, RangeSet, compare};

/// The most values of an enumeration for which a predicate is evaluated.
const MAX_ENUMERATION: usize = 100_000;
/// The most fragments whose statistics are read for planning.
const MAX_STATISTICS: usize = 64;
/// The most indexes of a dimension of which labels are read for planning.
const MAX_LABELS: i128 = 1_000_000;
/// The greatest stored value for which functions of a dimension are evaluated.
const MAX_ARGUMENT: i128 = 1 << 61;
/// The most intervals that a condition of the engine lists.
const MAX_CONDITION_INTERVALS: usize = 1000;

/// The comparison of the values of a field.
#[derive(Clone, Debug)]
pub(crate) enum FieldKind {
    /// Integers, dates and times. Arrow's number is the stored one times `factor`.
    Integer { factor: i128 },
    /// Floating-point numbers, whose NaN and zeros SQL and the engine compare differently.
    Real,
    /// Truth values.
    Bool,
    /// Texts of any length, which are compared by bytes.
    Text,
    /// Indexes of the values of an enumeration, with the values and their datatype.
    Enumeration { values: ArrayRef },
    /// Values that are not compared by the engine as SQL compares them.
    Other,
}

/// A field of an array, as predicates see it.
#[derive(Clone, Debug)]
pub(crate) struct FieldInfo {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    pub(crate) kind: FieldKind,
    pub(crate) dimension: Option<usize>,
    /// The dimension whose label the field is.
    pub(crate) labelled: Option<usize>,
    pub(crate) is_nullable: bool,
    /// The stored value of unwritten cells of a dense array, and of cells that a condition of a
    /// dense read leaves out; `None` if it is null.
    fill: Option<Scalar>,
    observed: Observed,
}

/// The properties of the cells of a field that are known when a query is planned.
#[derive(Clone, Debug)]
enum Observed {
    /// Nothing yet: a field of a table.
    Nothing,
    /// The least and the greatest stored value of a dimension of integers or times, if known;
    /// whether a floating-point attribute may be NaN; the first index and the values of a label.
    Cells {
        bounds: Option<(i128, i128)>,
        may_be_nan: bool,
        labels: Option<(i128, ArrayRef)>,
    },
}

/// Returns the fields with what is known of the cells of the array. Only statistics of fields with
/// these names are read. `unwritten` if unwritten cells of a dense array are rows.
pub(crate) fn observed(
    fields: &[FieldInfo],
    array: &TileDbArray,
    filtered: &BTreeSet<String>,
    unwritten: bool,
) -> Result<Vec<FieldInfo>> {
    let is_filtered = fields.iter().any(|field| field.is_filtered(filtered));
    let domain = if is_filtered && !unwritten {
        array.non_empty_domain()?
    } else {
        None
    };
    let written = |dimension: Option<usize>| {
        let range = dimension.and_then(|dimension| domain.as_ref()?.get(dimension));
        range.and_then(|range| match (range.start(), range.end()) {
            (Scalar::Integer(low), Scalar::Integer(high)) => Some((*low, *high)),
            _ => None,
        })
    };
    let fields = fields.iter().map(|field| {
        let mut field = field.clone();
        let bounds = written(field.dimension);
        let labels = match written(field.labelled).filter(|_| field.is_filtered(filtered)) {
            Some((low, high)) if high - low < MAX_LABELS => {
                let dimension = field.labelled.unwrap_or_default();
                Some((low, label_values(array, &field.name, dimension, low, high)?))
            }
            _ => None,
        };
        let is_real = matches!(field.kind, FieldKind::Real);
        let has_no_nan = field.dimension.is_some()
            || field.labelled.is_some()
            || (is_real
                && field.is_filtered(filtered)
                && attribute_bounds(array, &field.name)?.is_some());
        field.observed = Observed::Cells {
            bounds,
            may_be_nan: !has_no_nan,
            labels,
        };
        Ok(field)
    });
    fields.collect()
}

/// Returns the values of a label for a range of indexes of its dimension.
pub(crate) fn label_values(
    array: &TileDbArray,
    name: &str,
    dimension: usize,
    low: i128,
    high: i128,
) -> Result<ArrayRef> {
    let schema = array.schema()?;
    let mut query = array.query().fields([name]);
    if let Some(dimension) = schema.dimensions().get(dimension) {
        let (low, high) = (Scalar::Integer(low), Scalar::Integer(high));
        query = query.range(&dimension.name, low..=high);
    }
    let batch = query.collect_record_batch()?;
    Ok(batch.column(0).clone())
}

/// Returns the least and the greatest value of an attribute in all fragments; `None` if a fragment
/// has no reliable statistics, or there are too many to read them.
pub(crate) fn attribute_bounds(
    array: &TileDbArray,
    name: &str,
) -> Result<Option<(Scalar, Scalar)>> {
    let fragments = array.fragments()?;
    if fragments.len() > MAX_STATISTICS {
        return Ok(None);
    }
    let mut all: Option<(Scalar, Scalar)> = None;
    for fragment in &fragments {
        let Some((low, high)) = fragment.attribute_bounds(name)? else {
            return Ok(None);
        };
        all = Some(match all {
            Some((least, greatest)) => (
                std::cmp::min_by(least, low, compare),
                std::cmp::max_by(greatest, high, compare),
            ),
            None => (low, high),
        });
    }
    Ok(all)
}

/// Returns the fields of an array with these Arrow fields.
pub(crate) fn fields_of(array: &TileDbArray, schema: &ArrowSchema) -> Result<Vec<FieldInfo>> {
    let described = array.schema()?;
    let fields = schema.fields().iter().map(|field| {
        let name = field.name();
        let position = |name: &str| {
            let mut dimensions = described.dimensions().iter();
            dimensions.position(|dimension| dimension.name == name)
        };
        let attribute = described.attribute(name);
        let enumeration = attribute.and_then(|attribute| attribute.enumeration.as_ref());
        let kind = match enumeration {
            Some(enumeration) => {
                let enumeration = array.enumeration(enumeration)?;
                enumeration_kind(enumeration.values(), field.data_type())
            }
            None => described
                .datatype(name)
                .map_or(FieldKind::Other, |datatype| {
                    kind_of(datatype, field.data_type())
                }),
        };
        Ok(FieldInfo {
            name: name.clone(),
            data_type: field.data_type().clone(),
            kind,
            dimension: position(name),
            labelled: described
                .labels()
                .find(|(label, _)| *label == name)
                .and_then(|(_, dimension)| position(dimension)),
            is_nullable: field.is_nullable(),
            fill: attribute.and_then(|attribute| fill_value(attribute)),
            observed: Observed::Nothing,
        })
    });
    fields.collect()
}

/// Returns the value of unwritten cells of an attribute; `None` if it is null.
fn fill_value(attribute: &Attribute) -> Option<Scalar> {
    let is_null = attribute.nullable && attribute.fill_validity == 0;
    (!is_null).then(|| Scalar::from_bytes(attribute.datatype, &attribute.fill_value))
}

/// Returns Arrow's number for a stored 1 of integers and times.
pub(crate) fn factor_of(datatype: Datatype) -> i128 {
    match datatype {
        Datatype::DatetimeWeek => 7,
        Datatype::DatetimeHr | Datatype::TimeHr => 3600,
        Datatype::DatetimeMin | Datatype::TimeMin => 60,
        _ => 1,
    }
}

fn kind_of(datatype: Datatype, data_type: &DataType) -> FieldKind {
    let factor = factor_of(datatype);
    let is_text = matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8);
    match data_type {
        DataType::Boolean => FieldKind::Bool,
        DataType::Float32 | DataType::Float64 => FieldKind::Real,
        DataType::LargeUtf8 if is_text => FieldKind::Text,
        _ if data_type.is_integer() || data_type.is_temporal() => FieldKind::Integer { factor },
        _ => FieldKind::Other,
    }
}

/// Returns the kind of a field with an enumeration. Values are compared by their bytes, so that
/// numbers with NaN and zeros of both signs are excluded.
fn enumeration_kind(values: impl Iterator<Item = Scalar>, data_type: &DataType) -> FieldKind {
    let value_type = match data_type {
        DataType::Dictionary(_, values) => &**values,
        DataType::Utf8View => data_type,
        _ => return FieldKind::Other,
    };
    let scalars: Option<Vec<ScalarValue>> = values
        .take(MAX_ENUMERATION + 1)
        .map(|value| match value {
            Scalar::Text(text) => Some(ScalarValue::LargeUtf8(Some(text))),
            Scalar::Integer(number) => i64::try_from(number).ok().map(ScalarValue::from),
            _ => None,
        })
        .collect();
    let is_plain =
        value_type.is_integer() || matches!(value_type, DataType::Utf8View | DataType::LargeUtf8);
    let values = scalars.filter(|scalars| is_plain && scalars.len() <= MAX_ENUMERATION);
    let values = values.filter(|values| !values.is_empty());
    let values = values.and_then(|scalars| ScalarValue::iter_to_array(scalars).ok());
    match values.and_then(|values| cast(&values, value_type).ok()) {
        Some(values) if values.null_count() == 0 => FieldKind::Enumeration { values },
        _ => FieldKind::Other,
    }
}

/// The value of an unwritten cell, as predicates see it.
pub(crate) enum Filled {
    Value(Scalar),
    NotANumber { is_negative: bool },
    Null,
    Unknown,
}

impl FieldInfo {
    /// Returns Arrow's number for a stored 1, if the field has this name and integers or times.
    pub(crate) fn factor_of(&self, name: &str) -> Option<i128> {
        match self.kind {
            FieldKind::Integer { factor } if self.name == name => Some(factor),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the least and the greatest value of the field if a read keeps these values of each
    /// dimension; `None` if unknown.
    pub(crate) fn bounds(
        &self,
        array: &TileDbArray,
        domain: Option<&[RangeInclusive<Scalar>]>,
        kept: &[RangeSet],
    ) -> Result<Option<(ScalarValue, ScalarValue)>> {
        let stored = match self.dimension {
            Some(dimension) => {
                let range = domain.and_then(|domain| domain.get(dimension));
                let kept = kept.get(dimension);
                range.zip(kept).and_then(|(range, kept)| {
                    let ranges = kept.closed_within(range.start(), range.end());
                    Some((ranges.first()?.0.clone(), ranges.last()?.1.clone()))
                })
            }
            None if matches!(self.kind, FieldKind::Integer { .. } | FieldKind::Real) => {
                attribute_bounds(array, &self.name)?
            }
            None => None,
        };
        Ok(stored.and_then(|(low, high)| Some((self.value_of(low)?, self.value_of(high)?))))
    }

    /// Returns a stored value as Arrow's.
    pub(crate) fn value_of(&self, stored: Scalar) -> Option<ScalarValue> {
        let value = match (&self.kind, stored) {
            (FieldKind::Integer { factor }, Scalar::Integer(value)) => {
                let value = value.checked_mul(*factor)?;
                match i64::try_from(value) {
                    Ok(value) => ScalarValue::Int64(Some(value)),
                    Err(_) => ScalarValue::UInt64(Some(u64::try_from(value).ok()?)),
                }
            }
            (FieldKind::Real, Scalar::Real(value)) => ScalarValue::Float64(Some(value)),
            (FieldKind::Text, Scalar::Text(text)) => ScalarValue::LargeUtf8(Some(text)),
            _ => return None,
        };
        value.cast_to(&self.data_type).ok()
    }

    /// Returns the dimension of a label, and its indexes with labels in a set; `None` for other
    /// fields, and if the labels are not known.
    pub(crate) fn labelled_values(&self, set: &RangeSet) -> Option<(usize, RangeSet)> {
        let dimension = self.labelled?;
        let (low, values) = match &self.observed {
            // Labels are known when a query is planned.
            Observed::Nothing => return Some((dimension, RangeSet::all())),
            Observed::Cells { labels, .. } => labels.as_ref()?,
        };
        let mut points = Vec::new();
        for index in 0..values.len() {
            let value = ScalarValue::try_from_array(values, index).ok()?;
            if value.is_null() {
                continue;
            }
            let value = self.stored_value(&value)?;
            // NaN may satisfy a comparison of SQL.
            let is_nan = matches!(&value, Scalar::Real(value) if value.is_nan());
            if is_nan || !set.misses(&value, &value) {
                let index = Scalar::Integer(low + index as i128);
                points.push(Interval::closed(index.clone(), index));
            }
        }
        Some((dimension, RangeSet::new(points)))
    }

    /// Returns Arrow's value as the stored one.
    fn stored_value(&self, value: &ScalarValue) -> Option<Scalar> {
        match (&self.kind, scalar_of(value)?) {
            (FieldKind::Integer { factor }, Scalar::Integer(value)) => {
                Some(Scalar::Integer(value.div_euclid(*factor)))
            }
            (_, value) => Some(value),
        }
    }

    fn is_filtered(&self, filtered: &BTreeSet<String>) -> bool {
        filtered.contains(&self.name)
    }

    /// Returns the value of unwritten cells.
    pub(crate) fn filled(&self) -> Filled {
        let Some(value) = &self.fill else {
            return Filled::Null;
        };
        match (&self.kind, value) {
            (FieldKind::Integer { .. }, Scalar::Integer(_))
            | (FieldKind::Text, Scalar::Text(_))
            | (FieldKind::Bool, Scalar::Bool(_)) => Filled::Value(value.clone()),
            (FieldKind::Real, Scalar::Real(number)) if number.is_nan() => Filled::NotANumber {
                is_negative: number.is_sign_negative(),
            },
            (FieldKind::Real, Scalar::Real(_)) => Filled::Value(value.clone()),
            (FieldKind::Enumeration { values }, Scalar::Integer(index)) => {
                let index = usize::try_from(*index).ok();
                let Some(index) = index.filter(|index| *index < values.len()) else {
                    return Filled::Null;
                };
                let value = ScalarValue::try_from_array(values, index);
                match value.ok().as_ref().and_then(scalar_of) {
                    Some(value) => Filled::Value(value),
                    None => Filled::Unknown,
                }
            }
            _ => Filled::Unknown,
        }
    }

    /// Returns the values of a dimension for which a function of it satisfies a comparison, or a
    /// set that contains them; `None` if the function is not monotonic in its cells.
    pub(crate) fn monotonic(
        &self,
        function: &Arc<dyn PhysicalExpr>,
        operator: Operator,
        value: &ScalarValue,
    ) -> Option<RangeSet> {
        if !matches!(self.kind, FieldKind::Integer { .. }) || self.dimension.is_none() {
            return None;
        }
        let is_compared = matches!(
            operator,
            Operator::Eq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq
        );
        if !is_compared || value.is_null() {
            return None;
        }
        // The cells are known when a query is planned; for those of most arrays, sums of a value
        // and a number are in the range of the type.
        let (low, high) = match &self.observed {
            Observed::Nothing => (0, 0),
            Observed::Cells { bounds, .. } => (*bounds)?,
        };
        // Functions of times may overflow near the ends of the type.
        if low < -MAX_ARGUMENT || high > MAX_ARGUMENT {
            return None;
        }
        let range = ValueInterval::try_new(self.value_of(low.into())?, self.value_of(high.into())?);
        let properties = order_of(function, &range.ok()?)?;
        let SortProperties::Ordered(order) = properties.sort_properties else {
            return None;
        };
        if matches!(self.observed, Observed::Nothing) {
            return Some(RangeSet::all());
        }
        let result = |stored: i128| -> Option<Ordering> {
            let argument = self.value_of(stored.into())?;
            let result = evaluated(function, &self.name, &argument)?;
            let order_of_result = result.partial_cmp(value)?;
            Some(if order.descending {
                order_of_result.reverse()
            } else {
                order_of_result
            })
        };
        // A result that wraps around would be less at the end.
        let (first, last) = (result(low)?, result(high)?);
        if first > last {
            return None;
        }
        // The first stored value whose result is not less than the value, or is greater.
        let first_with = |is_reached: fn(Ordering) -> bool| -> Option<i128> {
            let (mut start, mut end) = (low, high + 1);
            while start < end {
                let middle = start + (end - start) / 2;
                if is_reached(result(middle)?) {
                    end = middle;
                } else {
                    start = middle + 1;
                }
            }
            Some(start)
        };
        let not_less = || first_with(Ordering::is_ge);
        let greater = || first_with(Ordering::is_gt);
        let operator = match (order.descending, operator) {
            (true, Operator::Lt) => Operator::Gt,
            (true, Operator::LtEq) => Operator::GtEq,
            (true, Operator::Gt) => Operator::Lt,
            (true, Operator::GtEq) => Operator::LtEq,
            (_, operator) => operator,
        };
        let (start, end) = match operator {
            Operator::Eq => (not_less()?, greater()?),
            Operator::Lt => (low, not_less()?),
            Operator::LtEq => (low, greater()?),
            Operator::Gt => (greater()?, high + 1),
            _ => (not_less()?, high + 1),
        };
        let interval = Interval::closed(start.into(), (end - 1).into());
        Some(RangeSet::new(vec![interval]))
    }

    /// Returns the least and the greatest stored value of integers, dates and times.
    pub(crate) fn limits(&self) -> Option<(i128, i128)> {
        let FieldKind::Integer { .. } = self.kind else {
            return None;
        };
        Some(match self.data_type {
            DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
            DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
            DataType::Int32 => (i32::MIN.into(), i32::MAX.into()),
            DataType::UInt8 => (0, u8::MAX.into()),
            DataType::UInt16 => (0, u16::MAX.into()),
            DataType::UInt32 => (0, u32::MAX.into()),
            DataType::UInt64 => (0, u64::MAX.into()),
            _ => (i64::MIN.into(), i64::MAX.into()),
        })
    }

    /// Returns the values that satisfy a comparison with a value, and whether only they do.
    pub(crate) fn compared(
        &self,
        operator: Operator,
        value: &ScalarValue,
    ) -> Option<(RangeSet, bool)> {
        let is_order = matches!(
            operator,
            Operator::Eq
                | Operator::NotEq
                | Operator::Lt
                | Operator::LtEq
                | Operator::Gt
                | Operator::GtEq
        );
        if !is_order {
            return None;
        }
        if value.is_null() {
            return Some((RangeSet(Vec::new()), true));
        }
        // The number of a literal of another type has another unit.
        let is_text = matches!(self.kind, FieldKind::Text);
        if !is_text && value.data_type() != self.data_type {
            return None;
        }
        let scalar = scalar_of(value)?;
        let less = |value: &Scalar, included| Interval {
            low: None,
            high: Some(Bound {
                value: value.clone(),
                included,
            }),
        };
        let greater = |value: &Scalar, included| Interval {
            low: Some(Bound {
                value: value.clone(),
                included,
            }),
            high: None,
        };
        match (&self.kind, scalar) {
            (FieldKind::Integer { factor }, Scalar::Integer(value)) => {
                let (down, up) = (value.div_euclid(*factor), -(-value).div_euclid(*factor));
                let equal = if down == up {
                    RangeSet::new(vec![Interval::closed(down.into(), down.into())])
                } else {
                    RangeSet(Vec::new())
                };
                let set = match operator {
                    Operator::Eq => equal,
                    Operator::NotEq => equal.complement(),
                    Operator::Lt => RangeSet::new(vec![less(&up.into(), false)]),
                    Operator::LtEq => RangeSet::new(vec![less(&down.into(), true)]),
                    Operator::Gt => RangeSet::new(vec![greater(&down.into(), false)]),
                    Operator::GtEq => RangeSet::new(vec![greater(&up.into(), true)]),
                    _ => return None,
                };
                Some((set, true))
            }
            (FieldKind::Text, Scalar::Text(text)) => {
                let value = Scalar::Text(text);
                let equal = RangeSet(vec![Interval::closed(value.clone(), value.clone())]);
                let set = match operator {
                    Operator::Eq => equal,
                    Operator::NotEq => equal.complement(),
                    Operator::Lt => RangeSet(vec![less(&value, false)]),
                    Operator::LtEq => RangeSet(vec![less(&value, true)]),
                    Operator::Gt => RangeSet(vec![greater(&value, false)]),
                    Operator::GtEq => RangeSet(vec![greater(&value, true)]),
                    _ => return None,
                };
                Some((set, true))
            }
            (FieldKind::Bool, Scalar::Bool(value)) => {
                let set = match operator {
                    Operator::Eq => point(Scalar::Bool(value)),
                    Operator::NotEq => point(Scalar::Bool(!value)),
                    _ => return None,
                };
                Some((set, true))
            }
            // SQL orders NaN after all numbers, and distinguishes zeros by their sign.
            (FieldKind::Real, Scalar::Real(value)) if !value.is_nan() => {
                let is_zero = value == 0.0;
                let value = Scalar::Real(value);
                let may_be_nan = match self.observed {
                    // The filter above the scan decides.
                    Observed::Nothing => false,
                    Observed::Cells { may_be_nan, .. } => may_be_nan,
                };
                let set = match operator {
                    Operator::Eq => point(value),
                    _ if may_be_nan => return None,
                    Operator::Lt => RangeSet(vec![less(&value, is_zero)]),
                    Operator::LtEq => RangeSet(vec![less(&value, true)]),
                    Operator::Gt => RangeSet(vec![greater(&value, is_zero)]),
                    Operator::GtEq => RangeSet(vec![greater(&value, true)]),
                    _ => return None,
                };
                Some((set, false))
            }
            _ => None,
        }
    }

    /// Returns a condition that the values of a set satisfy; `None` if all values do or it would be
    /// too long.
    pub(crate) fn condition(&self, set: &RangeSet) -> Option<String> {
        if set.is_all() || set.0.len() > MAX_CONDITION_INTERVALS {
            return None;
        }
        let name = quoted(&self.name);
        let is_point = |interval: &Interval| match (&interval.low, &interval.high) {
            (Some(low), Some(high)) => low == high,
            _ => false,
        };
        if set.0.is_empty() {
            // No value is in the set, and null is in none.
            return None;
        }
        if set.0.len() > 1 && set.0.iter().all(is_point) {
            let lows = set.0.iter().filter_map(|interval| interval.low.as_ref());
            let values: Option<Vec<_>> = lows.map(|bound| text_of(&bound.value)).collect();
            return Some(format!("{name} IN ({})", values?.join(", ")));
        }
        if let [first, second] = &set.0[..]
            && first.low.is_none()
            && second.high.is_none()
            && let (Some(high), Some(low)) = (&first.high, &second.low)
            && high.value == low.value
        {
            return Some(format!("{name} != {}", text_of(&high.value)?));
        }
        let mut parts = Vec::with_capacity(set.0.len());
        for interval in &set.0 {
            if is_point(interval)
                && let Some(bound) = &interval.low
            {
                parts.push(format!("{name} = {}", text_of(&bound.value)?));
                continue;
            }
            let mut bounds = Vec::new();
            for (bound, included, excluded) in
                [(&interval.low, ">=", ">"), (&interval.high, "<=", "<")]
            {
                if let Some(bound) = bound {
                    let operator = if bound.included { included } else { excluded };
                    bounds.push(format!("{name} {operator} {}", text_of(&bound.value)?));
                }
            }
            parts.push(joined(&bounds, "AND")?);
        }
        joined(&parts, "OR")
    }
}

/// Joins parts of a condition.
pub(crate) fn joined(parts: &[String], operator: &str) -> Option<String> {
    match parts {
        [] => None,
        [part] => Some(part.clone()),
        _ => {
            let parts: Vec<_> = parts.iter().map(|part| format!("({part})")).collect();
            Some(parts.join(&format!(" {operator} ")))
        }
    }
}

pub(crate) fn point(value: Scalar) -> RangeSet {
    RangeSet(vec![Interval::closed(value.clone(), value)])
}

/// Returns a name in the quotes of the engine's conditions.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a value as the engine's conditions write it.
fn text_of(value: &Scalar) -> Option<String> {
    Some(match value {
        Scalar::Bool(true) => "TRUE".to_owned(),
        Scalar::Bool(false) => "FALSE".to_owned(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Real(value) if value.is_finite() => format!("{value:e}"),
        Scalar::Real(_) => return None,
        Scalar::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Scalar::Bytes(bytes) => {
            let mut text = "X'".to_owned();
            for byte in bytes {
                write!(text, "{byte:02x}").ok()?;
            }
            text.push('\'');
            text
        }
    })
}

/// Returns an Arrow value that is not null as a value of the engine: dates and times as the number
/// that Arrow stores.
pub(crate) fn scalar_of(value: &ScalarValue) -> Option<Scalar> {
    use ScalarValue as V;
    Some(match value {
        V::Boolean(value) => Scalar::Bool((*value)?),
        V::Int8(value) => Scalar::from((*value)?),
        V::Int16(value) => Scalar::from((*value)?),
        V::Int32(value)
        | V::Date32(value)
        | V::Time32Second(value)
        | V::Time32Millisecond(value) => Scalar::from((*value)?),
        V::Int64(value)
        | V::Time64Microsecond(value)
        | V::Time64Nanosecond(value)
        | V::TimestampSecond(value, None)
        | V::TimestampMillisecond(value, None)
        | V::TimestampMicrosecond(value, None)
        | V::TimestampNanosecond(value, None) => Scalar::from((*value)?),
        V::UInt8(value) => Scalar::from((*value)?),
        V::UInt16(value) => Scalar::from((*value)?),
        V::UInt32(value) => Scalar::from((*value)?),
        V::UInt64(value) => Scalar::from((*value)?),
        V::Float32(value) => Scalar::from((*value)?),
        V::Float64(value) => Scalar::from((*value)?),
        V::Utf8(value) | V::LargeUtf8(value) | V::Utf8View(value) => {
            Scalar::from(value.as_deref()?)
        }
        V::Dictionary(_, value) => scalar_of(value)?,
        _ => return None,
    })
}

/// Returns the properties of an expression in ascending values of its only column, which are in a
/// range. Each of its operations has one argument that is not a literal; `None` otherwise.
fn order_of(expr: &Arc<dyn PhysicalExpr>, range: &ValueInterval) -> Option<ExprProperties> {
    if expr.downcast_ref::<Column>().is_some() {
        let mut properties = ExprProperties::new_unknown();
        properties.sort_properties = SortProperties::Ordered(SortOptions::default());
        properties.range = range.clone();
        return Some(properties);
    }
    let children = expr.children();
    let is_literal = |child: &&Arc<dyn PhysicalExpr>| child.downcast_ref::<Literal>().is_some();
    let variable = children.iter().filter(|child| !is_literal(child)).count();
    if children.is_empty() && is_literal(&expr) {
        return expr.get_properties(&[]).ok();
    }
    if variable != 1 || expr.is_volatile_node() {
        return None;
    }
    // A time of a day does not increase with the days.
    let target = expr.downcast_ref::<CastExpr>().map(CastExpr::cast_type);
    if target.is_some_and(|target| !is_ordered_type(target)) {
        return None;
    }
    let children: Option<Vec<_>> = children
        .into_iter()
        .map(|child| order_of(child, range))
        .collect();
    expr.get_properties(&children?).ok()
}

/// Returns whether casts of integers and times to a type, and from there, keep their order.
fn is_ordered_type(data_type: &DataType) -> bool {
    match data_type {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None) => true,
        // Local times of other zones repeat an hour in autumn.
        DataType::Timestamp(_, Some(zone)) => zone.starts_with(['+', '-']) || &**zone == "UTC",
        other => other.is_integer(),
    }
}

/// Evaluates an expression of one column for a value.
fn evaluated(
    expr: &Arc<dyn PhysicalExpr>,
    name: &str,
    argument: &ScalarValue,
) -> Option<ScalarValue> {
    let column = argument.to_array().ok()?;
    let expr = with_first_column(expr, name)?;
    let result = expr.evaluate(&one_column(name, column)?).ok()?;
    let value = match result {
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0).ok()?,
        ColumnarValue::Scalar(value) => value,
    };
    (!value.is_null()).then_some(value)
}

/// Returns an expression whose only column is the first one.
fn with_first_column(expr: &Arc<dyn PhysicalExpr>, name: &str) -> Option<Arc<dyn PhysicalExpr>> {
    let expr = Arc::clone(expr).transform(|expr| match expr.downcast_ref::<Column>() {
        Some(_) => Ok(Transformed::yes(
            Arc::new(Column::new(name, 0)) as Arc<dyn PhysicalExpr>
        )),
        None => Ok(Transformed::no(expr)),
    });
    expr.data().ok()
}

fn one_column(name: &str, column: ArrayRef) -> Option<RecordBatch> {
    let field = Field::new(name, column.data_type().clone(), true);
    let schema = Arc::new(ArrowSchema::new(vec![field]));
    RecordBatch::try_new(schema, vec![column]).ok()
}

/// Evaluates a predicate on one column for values of an enumeration, and for null at the end.
pub(crate) fn evaluate(
    expr: &Arc<dyn PhysicalExpr>,
    info: &FieldInfo,
    values: &ArrayRef,
) -> Option<BooleanArray> {
    let none = new_null_array(values.data_type(), 1);
    let column = concat(&[values, &none]).ok()?;
    let column = cast(&column, &info.data_type).ok()?;
    let rows = column.len();
    let expr = with_first_column(expr, &info.name)?;
    let result = match expr.evaluate(&one_column(&info.name, column)?).ok()? {
        ColumnarValue::Array(array) => array,
        scalar => scalar.into_array(rows).ok()?,
    };
    let result = result.as_any().downcast_ref::<BooleanArray>()?;
    (result.len() == rows).then(|| result.clone())
}
