//! Opening of arrays and selection of cells from arguments.

use std::ops::RangeInclusive;

use tiledb_engine::{Array, Condition, Context, Datatype, ObjectType, ReadQuery, Scalar, Schema};

use crate::args::{Cells, Time};
use crate::problem::{Problem, Result};

/// Returns the type of the object at a URI, or an error if the URI has no object.
pub(crate) fn existing(context: &Context, uri: &str) -> Result<ObjectType> {
    match context.object_type(uri)? {
        ObjectType::Invalid => Err(Problem::missing(format!(
            "there is no array or group at '{uri}'"
        ))
        .hint("`tiledb-rs ls FOLDER` lists the arrays and groups in a folder")),
        kind => Ok(kind),
    }
}

/// Opens an array for reading.
pub(crate) fn open(context: &Context, uri: &str, time: Time) -> Result<Array> {
    if existing(context, uri)? == ObjectType::Group {
        return Err(Problem::usage(format!("'{uri}' is a group, not an array"))
            .hint(format!("`tiledb-rs ls {uri}` lists its members")));
    }
    Ok(match time.at {
        Some(timestamp) => Array::open_at(context, uri, ..=timestamp)?,
        None => Array::open(context, uri)?,
    })
}

/// Returns a query of the selected cells.
pub(crate) fn query(array: &Array, cells: &Cells) -> Result<ReadQuery> {
    let schema = array.schema()?;
    let mut query = array.query();
    let columns = if cells.columns.is_empty() {
        schema.field_names().map(str::to_owned).collect()
    } else {
        cells.columns.clone()
    };
    for column in &columns {
        check_field(&schema, column)?;
    }
    query = query.fields(columns);
    for range in &cells.range {
        let range = parse_range(&schema, range)?;
        query = query.range(&range.dimension, range.low..=range.high);
    }
    if let Some(text) = &cells.condition {
        query = query.condition(Condition::parse(text)?);
    }
    Ok(query)
}

/// The cells that a command prints or counts.
pub(crate) struct SelectedCells {
    pub(crate) schema: Schema,
    pub(crate) query: ReadQuery,
    /// Whether nothing was written, so that no cell exists.
    pub(crate) is_empty: bool,
}

/// Returns the selected cells. Dimensions of dense arrays without a range have that of the
/// non-empty domain: most cells of a domain such as that of all 64-bit integers have no value.
pub(crate) fn selected_cells(array: &Array, cells: &Cells) -> Result<SelectedCells> {
    let schema = array.schema()?;
    let mut query = query(array, cells)?;
    let dimensions = schema.dimensions().iter().enumerate();
    let without_range: Vec<(usize, &str)> = dimensions
        .map(|(index, dimension)| (index, dimension.name.as_str()))
        .filter(|(_, name)| {
            let mut ranges = cells.range.iter();
            !ranges.any(|text| is_range_of(&schema, text, name))
        })
        .collect();
    if !schema.is_dense() || without_range.is_empty() {
        let is_empty = false;
        return Ok(SelectedCells {
            schema,
            query,
            is_empty,
        });
    }
    let non_empty_domain = array.non_empty_domain()?;
    for (index, name) in without_range {
        if let Some(domain) = &non_empty_domain {
            query = query.range(name, domain[index].clone());
        }
    }
    let is_empty = non_empty_domain.is_none();
    Ok(SelectedCells {
        schema,
        query,
        is_empty,
    })
}

/// Divides `DIMENSION=BOUNDS`. A name with '=' is that of the dimension with the longest such name.
pub(crate) fn split_range<'a>(schema: &Schema, text: &'a str) -> Option<(&'a str, &'a str)> {
    let names = schema.dimensions().iter().map(|dimension| &dimension.name);
    let divided = names.filter_map(|name| {
        let bounds = text.strip_prefix(name.as_str())?.strip_prefix('=')?;
        Some((text.get(..name.len())?, bounds))
    });
    divided
        .max_by_key(|(name, _)| name.len())
        .or_else(|| text.split_once('='))
}

/// Returns whether a range among the arguments is of a dimension.
pub(crate) fn is_range_of(schema: &Schema, text: &str, dimension: &str) -> bool {
    split_range(schema, text).is_some_and(|(name, _)| name == dimension)
}

/// Checks that a field exists.
pub(crate) fn check_field(schema: &Schema, name: &str) -> Result<()> {
    let is_label = schema.labels().any(|(label, _)| label == name);
    if schema.datatype(name).is_some() || is_label {
        return Ok(());
    }
    let names: Vec<&str> = schema.field_names().collect();
    Err(Problem::usage(format!("there is no field '{name}'"))
        .hint(format!("the fields are: {}", names.join(", "))))
}

/// A range of a dimension among the arguments.
pub(crate) struct DimensionRange {
    pub(crate) dimension: String,
    pub(crate) low: Scalar,
    pub(crate) high: Scalar,
}

/// Parses `DIMENSION=LOW..HIGH` or `DIMENSION=VALUE`. An omitted bound is that of the domain.
pub(crate) fn parse_range(schema: &Schema, text: &str) -> Result<DimensionRange> {
    let wrong = |reason: &str| {
        Problem::usage(format!("'{text}' is not a range: {reason}"))
            .hint("write --range day=2024-01-01..2024-01-31, or --range row=5")
    };
    let divided = split_range(schema, text);
    let (name, bounds) = divided.ok_or_else(|| wrong("there is no '='"))?;
    let dimension = schema.dimension(name).ok_or_else(|| {
        let names = schema
            .dimensions()
            .iter()
            .map(|dimension| dimension.name.as_str());
        let names: Vec<&str> = names.collect();
        Problem::usage(format!("there is no dimension '{name}'"))
            .hint(format!("the dimensions are: {}", names.join(", ")))
    })?;
    let (low, high) = bounds.split_once("..").unwrap_or((bounds, bounds));
    let bound = |text: &str, of_domain: Option<Scalar>| {
        if !text.is_empty() {
            return parse_value(dimension.datatype, text);
        }
        of_domain.ok_or_else(|| wrong("a dimension of strings needs both bounds"))
    };
    let domain = dimension.bounds();
    let low = bound(low, domain.as_ref().map(|domain| domain.0.clone()))?;
    let high = bound(high, domain.as_ref().map(|domain| domain.1.clone()))?;
    if let Some((first, last)) = domain
        && (is_less(&high, &first, dimension.datatype) || is_less(&last, &low, dimension.datatype))
    {
        // A read would move such a range to the nearest coordinate.
        let ends = [first, last].map(|end| end.text(dimension.datatype));
        let message = format!("the range '{text}' is outside of the domain");
        return Err(Problem::usage(message).hint(format!(
            "the domain of '{name}' is {} to {}",
            ends[0], ends[1]
        )));
    }
    Ok(DimensionRange {
        dimension: name.to_owned(),
        low,
        high,
    })
}

/// Returns whether a value of a datatype is less than another one.
fn is_less(value: &Scalar, other: &Scalar, datatype: Datatype) -> bool {
    let stored = |scalar: &Scalar| {
        let bytes = scalar.to_bytes(datatype).ok()?;
        Some(Scalar::from_bytes(datatype, &bytes))
    };
    match (stored(value), stored(other)) {
        (Some(Scalar::Integer(value)), Some(Scalar::Integer(other))) => value < other,
        (Some(Scalar::Real(value)), Some(Scalar::Real(other))) => value < other,
        _ => false,
    }
}

/// Parses a value of a datatype.
pub(crate) fn parse_value(datatype: Datatype, text: &str) -> Result<Scalar> {
    let number = text.parse::<i128>().ok().map(Scalar::Integer);
    let value = if datatype == Datatype::Bool {
        text.parse().ok().map(Scalar::Bool).or(number)
    } else if datatype.is_real() {
        text.parse().ok().map(Scalar::Real)
    } else if datatype.is_integer() {
        number
    } else if datatype.is_datetime() || datatype.is_time() {
        // A year looks like a number.
        let year = datatype.is_datetime() && text.len() == 4;
        number.filter(|_| !year).or(Some(text.into()))
    } else {
        Some(text.into())
    };
    let problem = || Problem::usage(format!("'{text}' is not a value of {}", datatype.name()));
    let value = value.ok_or_else(problem)?;
    match value.to_bytes(datatype) {
        Ok(_) => Ok(value),
        Err(problem) => Err(Problem::usage(problem.to_string())),
    }
}

/// Returns the datatype with a name, in upper or lower case.
pub(crate) fn parse_datatype(name: &str) -> Result<Datatype> {
    Datatype::from_name(&name.to_ascii_uppercase()).ok_or_else(|| {
        Problem::usage(format!("'{name}' is not a datatype")).hint(
            "datatypes are INT8 to INT64, UINT8 to UINT64, FLOAT32, FLOAT64, BOOL, STRING_UTF8, STRING_ASCII, \
             DATETIME_DAY, DATETIME_SEC, DATETIME_MS, ...",
        )
    })
}

/// The stored integers of the first and the last selected coordinate of a dimension.
#[derive(Clone, Copy, Default)]
pub(crate) struct IntegerBounds {
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl IntegerBounds {
    /// Returns the number of coordinates.
    pub(crate) fn len(self) -> i128 {
        self.high - self.low + 1
    }
}

/// Returns the stored bounds of the selected coordinates of each dimension, or `None` if a
/// dimension is not of integers or has several ranges. Dimensions without a range have that of the
/// non-empty domain, as in [`selected_cells`], or of the domain if nothing was written.
pub(crate) fn dimension_bounds(
    array: &Array,
    schema: &Schema,
    cells: &Cells,
) -> Result<Option<Vec<IntegerBounds>>> {
    let non_empty_domain = array.non_empty_domain()?;
    Ok(bounds_of(schema, cells, non_empty_domain.as_deref()))
}

fn bounds_of(
    schema: &Schema,
    cells: &Cells,
    non_empty_domain: Option<&[RangeInclusive<Scalar>]>,
) -> Option<Vec<IntegerBounds>> {
    let ranges = cells.range.iter();
    let ranges: Option<Vec<_>> = ranges.map(|text| parse_range(schema, text).ok()).collect();
    let ranges = ranges?;
    let dimensions = schema.dimensions().iter().enumerate();
    let bounds = dimensions.map(|(index, dimension)| {
        let mut matching = ranges
            .iter()
            .filter(|range| range.dimension == dimension.name);
        let (low, high) = match (matching.next(), matching.next()) {
            (Some(range), None) => (range.low.clone(), range.high.clone()),
            (None, _) => match non_empty_domain.and_then(|domain| domain.get(index)) {
                Some(range) => (range.start().clone(), range.end().clone()),
                None => dimension.bounds()?,
            },
            _ => return None,
        };
        Some(low..=high)
    });
    let bounds: Option<Vec<_>> = bounds.collect();
    integer_bounds(schema, &bounds?)
}

/// Returns the stored integers of the bounds of each dimension, or `None` if a dimension is not of
/// integers.
pub(crate) fn integer_bounds(
    schema: &Schema,
    ranges: &[RangeInclusive<Scalar>],
) -> Option<Vec<IntegerBounds>> {
    let stored = |scalar: &Scalar, datatype: Datatype| match Scalar::from_bytes(
        datatype,
        &scalar.to_bytes(datatype).ok()?,
    ) {
        Scalar::Integer(value) => Some(value),
        _ => None,
    };
    let dimensions = schema.dimensions().iter().zip(ranges);
    let bounds = dimensions.map(|(dimension, range)| {
        Some(IntegerBounds {
            low: stored(range.start(), dimension.datatype)?,
            high: stored(range.end(), dimension.datatype)?,
        })
    });
    bounds.collect()
}

/// Returns the bounds of all selected coordinates of each dimension; `None` for dimensions without
/// ranges or with strings.
pub(crate) fn selected_bounds(
    schema: &Schema,
    cells: &Cells,
) -> Result<Vec<Option<RangeInclusive<Scalar>>>> {
    let ranges = cells.range.iter().map(|text| parse_range(schema, text));
    let ranges: Vec<_> = ranges.collect::<Result<_>>()?;
    let bounds = schema.dimensions().iter().map(|dimension| {
        let number = |scalar: &Scalar| {
            let bytes = scalar.to_bytes(dimension.datatype).ok()?;
            let stored = Scalar::from_bytes(dimension.datatype, &bytes);
            stored.to_f64().map(|number| (number, stored))
        };
        let mut all: Option<[(f64, Scalar); 2]> = None;
        let of_dimension = |range: &&DimensionRange| range.dimension == dimension.name;
        for range in ranges.iter().filter(of_dimension) {
            let (low, high) = (number(&range.low)?, number(&range.high)?);
            all = Some(match all {
                None => [low, high],
                Some([least, greatest]) => [
                    if low.0 < least.0 { low } else { least },
                    if high.0 > greatest.0 { high } else { greatest },
                ],
            });
        }
        all.map(|[(_, low), (_, high)]| low..=high)
    });
    Ok(bounds.collect())
}

/// Returns the numbers of selected coordinates of each dimension, or `None` as
/// [`dimension_bounds`].
pub(crate) fn dimension_sizes(
    array: &Array,
    schema: &Schema,
    cells: &Cells,
) -> Result<Option<Vec<u64>>> {
    let bounds = dimension_bounds(array, schema, cells)?;
    Ok(bounds.and_then(|bounds| {
        let sizes = bounds.into_iter();
        let sizes = sizes.map(|bounds| u64::try_from(bounds.len()).ok());
        sizes.collect()
    }))
}
