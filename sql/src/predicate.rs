//! Predicates as ranges of dimensions and conditions of the engine.
//!
//! A predicate becomes a [`Term`] of sets of values by field. The rows that satisfy a term include
//! the rows for which the predicate is true; whether they are the same rows is stated beside the
//! result. Null never satisfies a set, as no row is selected for which SQL's predicate is null.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Operator, TableProviderFilterPushDown};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, Column, DynamicFilterPhysicalExpr, InListExpr, IsNotNullExpr, IsNullExpr,
    LikeExpr, Literal, NotExpr,
};
use datafusion::physical_expr::utils::collect_columns;
use tiledb_engine::Scalar;

use crate::field::{FieldInfo, FieldKind, Filled, evaluate, joined, point, quoted, scalar_of};
use crate::ranges::{Bound, Interval, RangeSet};

/// The nesting depth of expressions that are examined.
const MAX_DEPTH: usize = 64;

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

/// The ranges and conditions that the engine reads for predicates.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The values of each dimension.
    pub(crate) ranges: Vec<RangeSet>,
    /// A condition in the engine's language.
    pub(crate) condition: Option<String>,
    /// The predicates of the condition of a dense read. They remove the cells that are delivered
    /// with fill values, which no expression of the query may see.
    pub(crate) filters: Vec<Arc<dyn PhysicalExpr>>,
}

impl Selection {
    /// Returns the selection of all cells of an array with this number of dimensions.
    pub(crate) fn all(dimensions: usize) -> Self {
        Self {
            ranges: vec![RangeSet::all(); dimensions],
            condition: None,
            filters: Vec::new(),
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
        self.filters.extend(other.filters);
        self
    }

    /// Removes the condition.
    pub(crate) fn without_condition(mut self) -> Self {
        self.condition = None;
        self.filters.clear();
        self
    }
}

/// Translates predicates on the columns of a table.
#[derive(Debug)]
pub(crate) struct Translator<'a> {
    fields: &'a [FieldInfo],
    dimensions: usize,
    /// Cells of dense arrays that do not satisfy a condition are delivered with fill values.
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
            Some((_, true)) if !self.is_dense => TableProviderFilterPushDown::Exact,
            Some(_) => TableProviderFilterPushDown::Inexact,
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
            if self.is_dense && added.condition.is_some() {
                added.filters.push(predicate.clone());
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
            _ => match self.condition(term)? {
                (condition, true) if !self.compares_nullable(term) => {
                    parts.push(condition);
                    Some(())
                }
                _ => None,
            },
        }
    }

    /// Returns whether a term compares a field that may be null. The stored conditions of deletes
    /// are negations, and cannot express that cells are kept because they are null.
    fn compares_nullable(&self, term: &Term) -> bool {
        let is_nullable = |field: &usize| {
            let field = self.fields.get(*field);
            field.is_none_or(|field| field.is_nullable)
        };
        match term {
            Term::Values { field, .. } => is_nullable(field),
            Term::Null { field, is_null } => !*is_null && is_nullable(field),
            Term::All(terms) | Term::Any(terms) => {
                terms.iter().any(|term| self.compares_nullable(term))
            }
            Term::Constant(_) | Term::Unknown => false,
        }
    }

    fn condition_of(&self, term: &Term) -> Option<(String, bool)> {
        if self.is_dense && self.accepts_fill(term) {
            return None;
        }
        self.condition(term)
    }

    /// Returns whether cells with the fill values of all attributes may satisfy a term.
    fn accepts_fill(&self, term: &Term) -> bool {
        let attribute = |field: &usize| {
            let field = self.fields.get(*field);
            field.filter(|field| field.dimension.is_none() && field.labelled.is_none())
        };
        match term {
            Term::Values { field, set, .. } => match attribute(field).map(FieldInfo::filled) {
                Some(Filled::Value(value)) => !set.misses(&value, &value),
                // SQL orders NaN after all numbers, and before them if it has a sign.
                Some(Filled::NotANumber { is_negative: true }) => {
                    set.0.first().is_some_and(|first| first.low.is_none())
                }
                Some(Filled::NotANumber { is_negative: false }) => {
                    set.0.last().is_some_and(|last| last.high.is_none())
                }
                Some(Filled::Null) => false,
                Some(Filled::Unknown) | None => true,
            },
            Term::Null { field, is_null } => match attribute(field).map(FieldInfo::filled) {
                Some(Filled::Value(_) | Filled::NotANumber { .. }) => !*is_null,
                Some(Filled::Null) => *is_null,
                Some(Filled::Unknown) | None => true,
            },
            Term::All(terms) => terms.iter().all(|term| self.accepts_fill(term)),
            Term::Any(terms) => terms.iter().any(|term| self.accepts_fill(term)),
            Term::Constant(value) => *value,
            Term::Unknown => true,
        }
    }

    /// Returns the field of a column, without a cast between an enumeration and its values.
    fn field(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<(usize, &'a FieldInfo)> {
        let column = expr.downcast_ref::<Column>()?;
        let mut fields = self.fields.iter().enumerate();
        fields.find(|(_, field)| field.name == column.name())
    }

    /// Returns the only field of an expression.
    fn only_field(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<(usize, &'a FieldInfo)> {
        let columns = collect_columns(expr);
        let mut columns = columns.iter();
        let (Some(column), None) = (columns.next(), columns.next()) else {
            return None;
        };
        let column: Arc<dyn PhysicalExpr> = Arc::new(column.clone());
        self.field(&column)
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
        if let Some(case) = expr.downcast_ref::<CaseExpr>() {
            // Such as the predicates of a join with the keys of each partition. Which one of them
            // counts for a row is not known.
            let results = case.when_then_expr().iter().map(|(_, result)| result);
            let results = results.chain(case.else_expr());
            let terms = results.map(|result| self.term(result, false, depth + 1));
            return if negated {
                Term::Unknown
            } else {
                Term::All(vec![Term::Any(terms.collect()), Term::Unknown])
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
        let (field, info) = self.only_field(expr)?;
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
        let (inner, operator, value) = match (literal(left), literal(right)) {
            (None, Some(value)) => (left, Some(*binary.op()), value),
            (Some(value), None) => (right, binary.op().swap(), value),
            _ => return Term::Unknown,
        };
        let Some(operator) = operator else {
            return Term::Unknown;
        };
        let operator = if negated {
            operator.negate()
        } else {
            Some(operator)
        };
        let Some(operator) = operator else {
            return Term::Unknown;
        };
        if let Some((field, info)) = self.field(inner) {
            let set = info.compared(operator, &value);
            return set.map_or(Term::Unknown, |(set, exact)| {
                values_term(info, field, set, exact)
            });
        }
        let Some((field, info)) = self.only_field(inner) else {
            return Term::Unknown;
        };
        match info.monotonic(inner, operator, &value) {
            Some(set) => values_term(info, field, set, false),
            None => Term::Unknown,
        }
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
            (false, _) => values_term(info, field, set, exact),
            (true, true) => values_term(info, field, set.complement(), true),
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
        values_term(info, field, set, exact)
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
                let field = self.fields.get(*field);
                if let Some((dimension, set)) = field.and_then(|field| field.labelled_values(set)) {
                    return (BTreeMap::from([(dimension, set.limited().0)]), false);
                }
                match field.and_then(|field| field.dimension) {
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
                if (self.is_dense && info.dimension.is_some()) || info.labelled.is_some() {
                    return None;
                }
                info.condition(set).map(|condition| (condition, *exact))
            }
            Term::Null { field, is_null } => {
                let info = self.fields.get(*field)?;
                // An index without a value is null in SQL, and not for the engine.
                let is_enumerated = matches!(
                    info.data_type,
                    DataType::Dictionary(..) | DataType::Utf8View
                );
                if is_enumerated || info.labelled.is_some() {
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

/// Returns the term of the values of a field that are in a set.
fn values_term(info: &FieldInfo, field: usize, set: RangeSet, exact: bool) -> Term {
    let set = match info.limits() {
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
