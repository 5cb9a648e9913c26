//! The non-empty domain of a dimension given by index or name, with the checks of the C API.

use super::Array;
use crate::error::{Error, Result};
use crate::schema::{ArraySchema, Dimension};
use crate::types::Range;

const ORIGIN: &str = "Array";

/// A dimension given by index or name.
#[derive(Clone, Copy, Debug)]
pub enum DimensionKey<'a> {
    /// By index.
    Index(u32),
    /// By name.
    Name(&'a str),
}

/// The form of the requested range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeForm {
    /// Both bounds have the size of the dimension's datatype.
    Fixed,
    /// The bounds have separate sizes.
    Var,
}

impl DimensionKey<'_> {
    /// Returns the error text for a closed array.
    fn closed(self) -> &'static str {
        match self {
            Self::Index(_) => "[non_empty_domain_from_index] Array is not open",
            Self::Name(_) => "[non_empty_domain_from_name] Array is not open",
        }
    }

    fn find(self, schema: &ArraySchema) -> Result<(usize, &Dimension)> {
        let dimensions = &schema.domain.dimensions;
        let (position, message) = match self {
            Self::Index(index) => (
                Some(index as usize),
                "Cannot get non-empty domain; Invalid dimension index".to_owned(),
            ),
            Self::Name(name) => (
                schema.domain.dimension_index(name),
                format!("Cannot get non-empty domain; Dimension name '{name}' does not exist"),
            ),
        };
        let found =
            position.and_then(|position| Some((position, dimensions.get(position)?.as_ref())));
        found.ok_or_else(|| Error::usage(ORIGIN, message))
    }
}

impl Array {
    /// Returns the non-empty domain of a dimension; `None` without visible cells. Returns an error
    /// if the array is not open for reading, the dimension does not exist, or its ranges have
    /// another form.
    pub fn non_empty_range(&self, key: DimensionKey<'_>, form: RangeForm) -> Result<Option<Range>> {
        let closed = |_| Error::usage(ORIGIN, key.closed());
        let schema = self.snapshot().map_err(closed)?.schema.clone();
        let (index, dimension) = key.find(&schema)?;
        check_form(dimension, key, form)?;
        let snapshot = self.read_snapshot(key.closed())?;
        Ok(snapshot
            .non_empty_domain()
            .and_then(|domain| domain.get(index))
            .cloned())
    }

    /// Returns the concatenated bounds of all dimensions; `None` without visible cells. Returns an
    /// error if the array is not open for reading, or its dimensions have different datatypes or
    /// variable size.
    pub fn non_empty_bounds(&self) -> Result<Option<Vec<u8>>> {
        let closed = |_| Error::usage(ORIGIN, "[non_empty_domain] Array is not open");
        let schema = self.snapshot().map_err(closed)?.schema.clone();
        if schema.domain.datatype().is_none() {
            let message =
                "[non_empty_domain] Function non-applicable to arrays with heterogenous dimensions";
            return Err(Error::usage(ORIGIN, message));
        }
        if !schema.domain.is_fixed() {
            let message = "[non_empty_domain] Function non-applicable to arrays with variable-sized dimensions";
            return Err(Error::usage(ORIGIN, message));
        }
        let domain = self.non_empty_domain()?;
        let bounds = |ranges: Vec<Range>| {
            ranges
                .iter()
                .filter_map(Range::both)
                .flatten()
                .copied()
                .collect()
        };
        Ok(domain.map(bounds))
    }
}

fn check_form(dimension: &Dimension, key: DimensionKey<'_>, form: RangeForm) -> Result<()> {
    let var = dimension.is_var();
    let problem = match (form, key) {
        (RangeForm::Fixed, DimensionKey::Index(_)) if var => "var-sized",
        (RangeForm::Fixed, DimensionKey::Name(_)) if var => "variable-sized",
        (RangeForm::Var, _) if !var => "fixed-sized",
        _ => return Ok(()),
    };
    let name = &dimension.name;
    let message = format!("Cannot get non-empty domain; Dimension '{name}' is {problem}");
    Err(Error::usage(ORIGIN, message))
}
