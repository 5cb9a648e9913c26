//! Predicates as ranges of dimensions and conditions of the engine.
//!
//! A predicate becomes a [`Term`] of sets of values by field. The rows that satisfy a term include
//! the rows for which the predicate is true; whether they are the same rows is stated beside the
//! result. Null never satisfies a set, as no row is selected for which SQL's predicate is null.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, new_null_array};
use datafusion::arrow::compute::{cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, Schema as ArrowSchema};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::logical_expr::{ColumnarValue, Operator, TableProviderFilterPushDown};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, Column, DynamicFilterPhysicalExpr, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr,
    Literal, NotExpr,
};
use datafusion::physical_expr::utils::collect_columns;
use tiledb_engine::{Array as TileDbArray, Datatype, Result, Scalar};

use crate::ranges::{Bound, Interval, RangeSet};

/// The nesting depth of expressions that are examined.
const MAX_DEPTH: usize = 64;
/// The most values of an enumeration for which a predicate is evaluated.
const MAX_ENUMERATION: usize = 100_000;
/// The most intervals that a condition of the engine lists.
const MAX_CONDITION_INTERVALS: usize = 1000;

/// How the values of a field are compared.
#[derive(Clone, Debug)]
enum FieldKind {
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
    name: String,
    data_type: DataType,
    kind: FieldKind,
    dimension: Option<usize>,
    is_nullable: bool,
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
            is_nullable: field.is_nullable(),
        })
    });
    fields.collect()
}

fn kind_of(datatype: Datatype, data_type: &DataType) -> FieldKind {
    let factor = match datatype {
        Datatype::DatetimeWeek => 7,
        Datatype::DatetimeHr | Datatype::TimeHr => 3600,
        Datatype::DatetimeMin | Datatype::TimeMin => 60,
        _ => 1,
    };
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
    let DataType::Dictionary(_, value_type) = data_type else {
        return FieldKind::Other;
    };
    let scalars: Option<Vec<ScalarValue>> = values
        .take(MAX_ENUMERATION + 1)
        .map(|value| match value {
            Scalar::Text(text) => Some(ScalarValue::LargeUtf8(Some(text))),
            Scalar::Integer(number) => i64::try_from(number).ok().map(ScalarValue::from),
            _ => None,
        })
        .collect();
    let is_plain = value_type.is_integer() || **value_type == DataType::LargeUtf8;
    let values = scalars.filter(|scalars| is_plain && scalars.len() <= MAX_ENUMERATION);
    let values = values.filter(|values| !values.is_empty());
    let values = values.and_then(|scalars| ScalarValue::iter_to_array(scalars).ok());
    match values.and_then(|values| cast(&values, value_type).ok()) {
        Some(values) if values.null_count() == 0 => FieldKind::Enumeration { values },
        _ => FieldKind::Other,
    }
}

/// A predicate, as far as the engine can evaluate it.
#[derive(Clone, Debug)]
enum Term {
    /// The value of the field is in the set. `exact` if no other rows satisfy it.
    Values {
        field: usize,
        set: RangeSet,
        exact: bool,
    },
    /// Whether the value of the field is null.
    Null {
        field: usize,
        is_null: bool,
    },
    All(Vec<Term>),
    Any(Vec<Term>),
    /// All rows or none.
    Constant(bool),
    /// Nothing is known.
    Unknown,
}

/// What the engine reads for predicates.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The values of each dimension.
    pub(crate) ranges: Vec<RangeSet>,
    /// A condition in the engine's language.
    pub(crate) condition: Option<String>,
}

impl Selection {
    /// Returns the selection of all cells of an array with this number of dimensions.
    pub(crate) fn all(dimensions: usize) -> Self {
        Self {
            ranges: vec![RangeSet::all(); dimensions],
            condition: None,
        }
    }

    /// Returns the selection of the cells that predicates select in both selections.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (ranges, others) in self.ranges.iter_mut().zip(&other.ranges) {
            *ranges = ranges.intersection(others);
        }
        self.condition = match (self.condition, other.condition) {
            (Some(first), Some(second)) => Some(format!("({first}) AND ({second})")),
            (first, second) => first.or(second),
        };
        self
    }
}

/// Translates predicates on the columns of a table.
#[derive(Debug)]
pub(crate) struct Translator<'a> {
    fields: &'a [FieldInfo],
    dimensions: usize,
    /// Cells of dense arrays that do not satisfy a condition are not left out.
    is_dense: bool,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(fields: &'a [FieldInfo], dimensions: usize, is_dense: bool) -> Self {
        Self {
            fields,
            dimensions,
            is_dense,
        }
    }

    /// Returns how completely the engine evaluates a predicate.
    pub(crate) fn support(&self, predicate: &Arc<dyn PhysicalExpr>) -> TableProviderFilterPushDown {
        let term = self.term(predicate, false, 0);
        let (ranges, is_exact) = self.ranges(&term);
        if is_exact {
            return TableProviderFilterPushDown::Exact;
        }
        match self.condition_of(&term) {
            Some((_, true)) => TableProviderFilterPushDown::Exact,
            Some((_, false)) => TableProviderFilterPushDown::Inexact,
            None if ranges.is_empty() => TableProviderFilterPushDown::Unsupported,
            None => TableProviderFilterPushDown::Inexact,
        }
    }

    /// Returns what the engine reads for rows that satisfy all predicates.
    pub(crate) fn select(&self, predicates: &[Arc<dyn PhysicalExpr>]) -> Selection {
        let mut selection = Selection::all(self.dimensions);
        for predicate in predicates {
            let term = self.term(predicate, false, 0);
            let (ranges, is_exact) = self.ranges(&term);
            let mut added = Selection::all(self.dimensions);
            for (dimension, set) in ranges {
                if let Some(all) = added.ranges.get_mut(dimension) {
                    *all = set;
                }
            }
            if !is_exact {
                added.condition = self.condition_of(&term).map(|(condition, _)| condition);
            }
            selection = selection.and(added);
        }
        selection
    }

    /// Returns a condition that exactly the rows satisfy for which all predicates are true, and
    /// that is false, not null, for all others: the form that deletes of the engine need.
    pub(crate) fn exact_condition(&self, predicates: &[Arc<dyn PhysicalExpr>]) -> Option<String> {
        let terms: Vec<Term> = predicates
            .iter()
            .map(|predicate| self.term(predicate, false, 0))
            .collect();
        let mut parts = Vec::new();
        for term in &terms {
            self.add_exact_parts(term, &mut parts)?;
        }
        if parts.is_empty() {
            // All cells: those of any coordinate.
            let field = self.fields.iter().find(|field| field.dimension.is_some())?;
            let name = quoted(&field.name);
            let all = match field.kind {
                FieldKind::Text => format!("{name} >= ''"),
                FieldKind::Integer { .. } => format!("({name} >= 0) OR ({name} < 0)"),
                _ => return None,
            };
            parts.push(all);
        }
        joined(&parts, "AND")
    }

    fn add_exact_parts(&self, term: &Term, parts: &mut Vec<String>) -> Option<()> {
        match term {
            Term::All(terms) => terms
                .iter()
                .try_for_each(|term| self.add_exact_parts(term, parts)),
            Term::Constant(true) => Some(()),
            _ => {
                let (condition, true) = self.condition(term)? else {
                    return None;
                };
                if self.has_nullable(term) {
                    return None;
                }
                parts.push(condition);
                Some(())
            }
        }
    }

    fn has_nullable(&self, term: &Term) -> bool {
        match term {
            Term::Values { field, .. } | Term::Null { field, .. } => self
                .fields
                .get(*field)
                .is_none_or(|field| field.is_nullable),
            Term::All(terms) | Term::Any(terms) => terms.iter().any(|term| self.has_nullable(term)),
            Term::Constant(_) | Term::Unknown => false,
        }
    }

    fn condition_of(&self, term: &Term) -> Option<(String, bool)> {
        if self.is_dense {
            return None;
        }
        self.condition(term)
    }

    /// Returns the field of a column, without a cast between an enumeration and its values.
    fn field(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<(usize, &'a FieldInfo)> {
        let column = expr.downcast_ref::<Column>()?;
        let mut fields = self.fields.iter().enumerate();
        fields.find(|(_, field)| field.name == column.name())
    }

    /// Returns a term for the rows for which the predicate, or its negation, is true.
    fn term(&self, expr: &Arc<dyn PhysicalExpr>, negated: bool, depth: usize) -> Term {
        if depth > MAX_DEPTH {
            return Term::Unknown;
        }
        if let Some(literal) = expr.downcast_ref::<Literal>() {
            return match literal.value() {
                ScalarValue::Boolean(value) => {
                    Term::Constant(value.is_some_and(|value| value != negated))
                }
                _ => Term::Unknown,
            };
        }
        if let Some(dynamic) = expr.downcast_ref::<DynamicFilterPhysicalExpr>() {
            return match dynamic.current() {
                Ok(current) => self.term(&current, negated, depth + 1),
                Err(_) => Term::Unknown,
            };
        }
        if let Some(not) = expr.downcast_ref::<NotExpr>() {
            return self.term(not.arg(), !negated, depth + 1);
        }
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>()
            && matches!(binary.op(), Operator::And | Operator::Or)
        {
            let sides = [binary.left(), binary.right()];
            let terms = sides.map(|side| self.term(side, negated, depth + 1)).into();
            let is_and = *binary.op() == Operator::And;
            return if is_and == negated {
                Term::Any(terms)
            } else {
                Term::All(terms)
            };
        }
        if let Some(term) = self.of_enumeration(expr, negated) {
            return term;
        }
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
            return self.comparison(binary, negated);
        }
        if let Some(list) = expr.downcast_ref::<InListExpr>() {
            return self.membership(list, negated);
        }
        if let Some(like) = expr.downcast_ref::<LikeExpr>() {
            return self.prefix(like, negated);
        }
        let is_null = expr
            .downcast_ref::<IsNullExpr>()
            .map(|test| (test.arg(), true));
        let is_not_null = || expr.downcast_ref::<IsNotNullExpr>();
        let test = is_null.or_else(|| is_not_null().map(|test| (test.arg(), false)));
        if let Some((argument, is_null)) = test {
            return match self.field(argument) {
                Some((field, _)) => Term::Null {
                    field,
                    is_null: is_null != negated,
                },
                None => Term::Unknown,
            };
        }
        match self.field(expr) {
            Some((field, info)) if matches!(info.kind, FieldKind::Bool) => Term::Values {
                field,
                set: point(Scalar::Bool(!negated)),
                exact: true,
            },
            _ => Term::Unknown,
        }
    }

    /// Evaluates a predicate on one field with an enumeration for each of its values.
    fn of_enumeration(&self, expr: &Arc<dyn PhysicalExpr>, negated: bool) -> Option<Term> {
        let columns = collect_columns(expr);
        let mut columns = columns.iter();
        let (Some(column), None) = (columns.next(), columns.next()) else {
            return None;
        };
        let column: Arc<dyn PhysicalExpr> = Arc::new(column.clone());
        let (field, info) = self.field(&column)?;
        let FieldKind::Enumeration { values } = &info.kind else {
            return None;
        };
        let selected = evaluate(expr, info, values)?;
        // The last value is null.
        let satisfied = |row: usize| selected.is_valid(row) && selected.value(row) != negated;
        if satisfied(values.len()) {
            return Some(Term::Unknown);
        }
        let mut points = Vec::new();
        for row in (0..values.len()).filter(|row| satisfied(*row)) {
            let value = scalar_of(&ScalarValue::try_from_array(values, row).ok()?)?;
            points.push(Interval::closed(value.clone(), value));
        }
        if points.is_empty() {
            return Some(Term::Constant(false));
        }
        // Adjacent numbers are separate values of the engine's condition.
        Some(Term::Values {
            field,
            set: RangeSet(points),
            exact: true,
        })
    }

    fn comparison(&self, binary: &BinaryExpr, negated: bool) -> Term {
        let (left, right) = (binary.left(), binary.right());
        let literal = |side: &Arc<dyn PhysicalExpr>| {
            let literal = side.downcast_ref::<Literal>();
            literal.map(|literal| literal.value().clone())
        };
        let sides = match (self.field(left), literal(right)) {
            (Some(field), Some(value)) => Some((field, *binary.op(), value)),
            _ => match (literal(left), self.field(right), binary.op().swap()) {
                (Some(value), Some(field), Some(swapped)) => Some((field, swapped, value)),
                _ => None,
            },
        };
        let Some(((field, info), operator, value)) = sides else {
            return Term::Unknown;
        };
        let operator = if negated {
            operator.negate()
        } else {
            Some(operator)
        };
        let set = operator.and_then(|operator| info.compared(operator, &value));
        set.map_or(Term::Unknown, |(set, exact)| info.values(field, set, exact))
    }

    fn membership(&self, list: &InListExpr, negated: bool) -> Term {
        let negated = list.negated() != negated;
        let Some((field, info)) = self.field(list.expr()) else {
            return Term::Unknown;
        };
        let mut intervals = Vec::with_capacity(list.len());
        let mut exact = true;
        for member in list.list() {
            let Some(literal) = member.downcast_ref::<Literal>() else {
                return Term::Unknown;
            };
            if literal.value().is_null() {
                // Null is in no set, and no value is outside of a set with null.
                if negated {
                    return Term::Constant(false);
                } else {
                    continue;
                }
            }
            let Some((set, is_exact)) = info.compared(Operator::Eq, literal.value()) else {
                return Term::Unknown;
            };
            exact &= is_exact;
            intervals.extend(set.0);
        }
        let set = RangeSet::new(intervals);
        match (negated, exact) {
            (false, _) => info.values(field, set, exact),
            (true, true) => info.values(field, set.complement(), true),
            (true, false) => Term::Unknown,
        }
    }

    /// Returns a term for `LIKE` with a pattern that begins with a text.
    fn prefix(&self, like: &LikeExpr, negated: bool) -> Term {
        let negated = like.negated() != negated;
        let (Some((field, info)), Some(pattern)) = (
            self.field(like.expr()),
            like.pattern().downcast_ref::<Literal>(),
        ) else {
            return Term::Unknown;
        };
        let Some(Some(pattern)) = pattern.value().try_as_str() else {
            return Term::Unknown;
        };
        let end = pattern.find(['%', '_', '\\']).unwrap_or(pattern.len());
        let (prefix, rest) = pattern.split_at(end);
        let exact = rest == "%";
        let is_text = matches!(info.kind, FieldKind::Text);
        if !is_text || like.case_insensitive() || prefix.is_empty() || (negated && !exact) {
            return Term::Unknown;
        }
        let mut after = prefix.as_bytes().to_vec();
        // UTF-8 has no bytes of 255.
        if let Some(last) = after.last_mut() {
            *last += 1;
        }
        let set = RangeSet::new(vec![Interval {
            low: Some(Bound {
                value: Scalar::from(prefix),
                included: true,
            }),
            high: Some(Bound {
                value: Scalar::Bytes(after),
                included: false,
            }),
        }]);
        let set = if negated { set.complement() } else { set };
        info.values(field, set, exact)
    }

    /// Returns the values of dimensions that rows of a term have, and whether all rows with these
    /// values satisfy the term.
    fn ranges(&self, term: &Term) -> (BTreeMap<usize, RangeSet>, bool) {
        let everything = BTreeMap::new;
        let nothing = || {
            let none = RangeSet(Vec::new());
            (0..self.dimensions)
                .map(|dimension| (dimension, none.clone()))
                .collect()
        };
        match term {
            Term::Values { field, set, exact } => {
                match self.fields.get(*field).and_then(|field| field.dimension) {
                    Some(dimension) => {
                        let (set, is_same) = set.clone().limited();
                        let exact = *exact && is_same && set.is_closed();
                        (BTreeMap::from([(dimension, set)]), exact)
                    }
                    None => (everything(), false),
                }
            }
            // Dimensions have no null values.
            Term::Null { field, is_null } => {
                let dimension = self.fields.get(*field).and_then(|field| field.dimension);
                match (dimension, is_null) {
                    (Some(_), true) => (nothing(), true),
                    (Some(_), false) => (everything(), true),
                    (None, _) => (everything(), false),
                }
            }
            Term::All(terms) => {
                let (mut all, mut exact) = (everything(), true);
                for term in terms {
                    let (ranges, is_exact) = self.ranges(term);
                    exact &= is_exact;
                    for (dimension, set) in ranges {
                        let both = match all.get(&dimension) {
                            Some(other) => set.intersection(other),
                            None => set,
                        };
                        all.insert(dimension, both);
                    }
                }
                (all, exact)
            }
            Term::Any(terms) => {
                let mut parts = terms.iter().map(|term| self.ranges(term));
                let Some((mut any, mut exact)) = parts.next() else {
                    return (everything(), false);
                };
                for (ranges, is_exact) in parts {
                    let one_dimension =
                        any.len() <= 1 && ranges.len() <= 1 && any.keys().eq(ranges.keys());
                    exact = exact && is_exact && one_dimension;
                    any.retain(|dimension, _| ranges.contains_key(dimension));
                    for (dimension, set) in &mut any {
                        if let Some(other) = ranges.get(dimension) {
                            *set = set.union(other);
                        }
                    }
                }
                (any, exact)
            }
            Term::Constant(true) => (everything(), true),
            Term::Constant(false) => (nothing(), true),
            Term::Unknown => (everything(), false),
        }
    }

    /// Returns a condition that rows of a term satisfy, and whether only they do; `None` if all
    /// rows may satisfy the term.
    fn condition(&self, term: &Term) -> Option<(String, bool)> {
        match term {
            Term::Values { field, set, exact } => {
                let info = self.fields.get(*field)?;
                info.condition(set).map(|condition| (condition, *exact))
            }
            Term::Null { field, is_null } => {
                let info = self.fields.get(*field)?;
                // An index without a value is null in SQL, and not for the engine.
                if matches!(info.data_type, DataType::Dictionary(..)) {
                    return None;
                }
                let test = if *is_null { "IS NULL" } else { "IS NOT NULL" };
                Some((format!("{} {test}", quoted(&info.name)), true))
            }
            Term::All(terms) => {
                let parts: Vec<_> = terms.iter().map(|term| self.condition(term)).collect();
                let exact = parts
                    .iter()
                    .all(|part| part.as_ref().is_some_and(|(_, exact)| *exact));
                let known: Vec<_> = parts.into_iter().flatten().map(|(part, _)| part).collect();
                joined(&known, "AND").map(|condition| (condition, exact))
            }
            Term::Any(terms) => {
                let parts: Option<Vec<_>> = terms.iter().map(|term| self.condition(term)).collect();
                let parts = parts?;
                let exact = parts.iter().all(|(_, exact)| *exact);
                let parts: Vec<_> = parts.into_iter().map(|(part, _)| part).collect();
                joined(&parts, "OR").map(|condition| (condition, exact))
            }
            Term::Constant(_) | Term::Unknown => None,
        }
    }
}

impl FieldInfo {
    /// Returns Arrow's number for a stored 1, if the field has this name and integers or times.
    pub(crate) fn factor_of(&self, name: &str) -> Option<i128> {
        match self.kind {
            FieldKind::Integer { factor } if self.name == name => Some(factor),
            _ => None,
        }
    }

    fn values(&self, field: usize, set: RangeSet, exact: bool) -> Term {
        let set = match self.limits() {
            Some((low, high)) => {
                let limits = RangeSet(vec![Interval::closed(low.into(), high.into())]);
                let mut inside = set.intersection(&limits);
                // A bound that every value satisfies is left out.
                for interval in &mut inside.0 {
                    let is = |bound: &Bound, limit: i128| bound.value == Scalar::Integer(limit);
                    interval.low.take_if(|bound| is(bound, low));
                    interval.high.take_if(|bound| is(bound, high));
                }
                inside
            }
            None => set,
        };
        Term::Values { field, set, exact }
    }

    /// Returns the least and the greatest stored value of integers, dates and times.
    fn limits(&self) -> Option<(i128, i128)> {
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
    fn compared(&self, operator: Operator, value: &ScalarValue) -> Option<(RangeSet, bool)> {
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
                let value = Scalar::Real(value);
                let set = match operator {
                    Operator::Eq => point(value),
                    _ if self.dimension.is_none() => return None,
                    Operator::Lt | Operator::LtEq => RangeSet(vec![less(&value, true)]),
                    Operator::Gt | Operator::GtEq => RangeSet(vec![greater(&value, true)]),
                    _ => return None,
                };
                Some((set, false))
            }
            _ => None,
        }
    }

    /// Returns a condition that the values of a set satisfy; `None` if all values do or it would be
    /// too long.
    fn condition(&self, set: &RangeSet) -> Option<String> {
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
fn joined(parts: &[String], operator: &str) -> Option<String> {
    match parts {
        [] => None,
        [part] => Some(part.clone()),
        _ => {
            let parts: Vec<_> = parts.iter().map(|part| format!("({part})")).collect();
            Some(parts.join(&format!(" {operator} ")))
        }
    }
}

fn point(value: Scalar) -> RangeSet {
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

/// Evaluates a predicate on one column for values of an enumeration, and for null at the end.
fn evaluate(
    expr: &Arc<dyn PhysicalExpr>,
    info: &FieldInfo,
    values: &ArrayRef,
) -> Option<BooleanArray> {
    let none = new_null_array(values.data_type(), 1);
    let column = concat(&[values, &none]).ok()?;
    let column = cast(&column, &info.data_type).ok()?;
    let field = Field::new(&info.name, info.data_type.clone(), true);
    let schema = Arc::new(ArrowSchema::new(vec![field]));
    let rows = column.len();
    let batch = RecordBatch::try_new(schema, vec![column]).ok()?;
    let expr = Arc::clone(expr).transform(|expr| match expr.downcast_ref::<Column>() {
        Some(_) => Ok(Transformed::yes(
            Arc::new(Column::new(&info.name, 0)) as Arc<dyn PhysicalExpr>
        )),
        None => Ok(Transformed::no(expr)),
    });
    let result = match expr.data().ok()?.evaluate(&batch).ok()? {
        ColumnarValue::Array(array) => array,
        scalar => scalar.into_array(rows).ok()?,
    };
    let result = result.as_any().downcast_ref::<BooleanArray>()?;
    (result.len() == rows).then(|| result.clone())
}
