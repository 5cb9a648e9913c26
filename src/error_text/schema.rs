//! The texts of errors of schemas.

use tiledb_engine::error::{CurrentDomainError, SchemaCheckError, SchemaError};

use super::origins::{ARRAY_SCHEMA, C_API, TILEDB_INTERNAL};
use super::{Text, text};

/// Returns the text of an error of schemas.
pub(super) fn schema(cause: &SchemaError) -> Text {
    use SchemaError as E;
    let origin = match cause {
        E::NoAttribute { .. }
        | E::UnknownAttribute { .. }
        | E::UnknownDimension { .. }
        | E::NoCommonType
        | E::MixedDomain => C_API,
        _ => ARRAY_SCHEMA,
    };
    let message = match cause {
        E::ReservedName { prefix } => {
            format!("Cannot add attribute: names starting with '{prefix}' are reserved")
        }
        E::DuplicateEnumeration { name } => format!(
            "Error adding enumeration. Enumeration with name '{name}' already exists in this ArraySchema."
        ),
        E::UnknownEnumeration { name } => format!(
            "Cannot add attribute; Attribute refers to an unknown enumeration named '{name}'."
        ),
        E::EnumerationOfType {
            attribute,
            datatype,
        } => format!(
            "Unable to use enumeration with attribute '{attribute}', attribute must have an integral data type, not {datatype}"
        ),
        E::EnumerationOfMany { .. } => {
            "Attributes with enumerations must have a cell_val_num of 1.".to_owned()
        }
        E::EnumerationNotLoaded { name } => format!(
            "Cannot add attribute referencing enumeration '{name}' as the enumeration has not been loaded."
        ),
        E::EnumerationTooLarge { name, attribute } => format!(
            "Unable to use enumeration '{name}' for attribute '{attribute}' because the attribute's type is not large enough to represent all enumeration values."
        ),
        E::NoDimensions => {
            "Cannot set domain; Domain must contain at least one dimension".to_owned()
        }
        E::MixedTypes => {
            "Cannot set domain; In dense arrays, all dimensions must have the same datatype"
                .to_owned()
        }
        E::DenseType { datatype } => format!(
            "Cannot set domain; Dense arrays do not support dimension datatype '{datatype}'"
        ),
        E::HilbertTiles => {
            "Cannot set tile order; Hilbert order is not applicable to tiles".to_owned()
        }
        E::UnorderedTiles => {
            "Cannot set tile order; Cannot create ArraySchema with UNORDERED tile order".to_owned()
        }
        E::HilbertDense => {
            "Cannot set cell order; Hilbert order is only applicable to sparse arrays".to_owned()
        }
        E::NoDimension { index, number } => return no_dimension(*index, *number),
        _ => schema_other(cause),
    };
    text(origin, message)
}

fn schema_other(cause: &SchemaError) -> String {
    use SchemaError as E;
    match cause {
        E::UnorderedCells => {
            "Cannot set cell order; Cannot create ArraySchema with UNORDERED cell order".to_owned()
        }
        E::NoCapacity => "Sparse arrays cannot have their capacity equal to zero.".to_owned(),
        E::DenseDuplicates => "Dense arrays cannot allow coordinate duplicates".to_owned(),
        E::RealDoubleDelta => {
            "Real dimension cannot inherit coordinate filters with DOUBLE DELTA compression"
                .to_owned()
        }
        E::FilterNotFirst { filter } => format!(
            "{filter} filter must be the first filter to apply when used on variable length string dimensions"
        ),
        E::NoAttribute { index, number } => {
            format!("Attribute index: {index} out of bounds given {number} attributes in array ")
        }
        E::UnknownAttribute { name } => format!("Attribute name: {name} does not exist for array "),
        E::UnknownDimension { name } => format!("Dimension '{name}' does not exist"),
        E::NoCommonType => "Cannot get domain type; Domain has no dimensions".to_owned(),
        E::MixedDomain => {
            "Cannot get domain type; Not applicable to heterogeneous dimensions".to_owned()
        }
        _ => cause.to_string(),
    }
}

/// Returns the text of an error of complete schemas.
pub(super) fn schema_check(cause: &SchemaCheckError) -> Text {
    use SchemaCheckError as E;
    let message = match cause {
        E::NoDomain => "Array schema check failed; Domain not set".to_owned(),
        E::NoDimensions => "Array schema check failed; No dimensions provided".to_owned(),
        E::HilbertDimensions { .. } => "Array schema check failed; Maximum dimensions supported by Hilbert order exceeded".to_owned(),
        E::RealDense => "Array schema check failed; Dense arrays cannot have floating point domains".to_owned(),
        E::NoAttributes => "Array schema check failed; No attributes provided".to_owned(),
        E::MixedTypes => "Array schema check failed; In dense arrays, all dimensions must have the same datatype".to_owned(),
        E::NoExtent => "Array schema check failed; Dense arrays must have a tile extent for each dimension".to_owned(),
        E::NoCapacity => "Array schema check failed; Sparse arrays cannot have their capacity equal to zero.".to_owned(),
        E::OrderedAttributes => "Array schema check failed; Ordered attributes are only supported on dense arrays with 1 dimension.".to_owned(),
        E::DuplicateName => "Array schema check failed; Attributes, dimensions and dimension labels must have unique names".to_owned(),
        E::NoLabelSchema { label } => format!("Array schema check failed; Missing dimension label schema for dimension label '{label}'."),
        E::WebpType => "WebP filter supports only uint8 attributes".to_owned(),
        E::WebpSparse => "WebP filter can only be applied to dense arrays".to_owned(),
        E::WebpDimensions { .. } => "WebP filter requires exactly 2 dimensions Y, X.".to_owned(),
        E::WebpMixed => "WebP filter dimensions 0, 1 should have matching integral types".to_owned(),
        E::TooNew { version, newest } => format!("Failed to deserialize; Array format version ({version}) is newer than the library format version ({newest})"),
        _ => cause.to_string(),
    };
    text(ARRAY_SCHEMA, message)
}

/// Returns the text of an error of current domains.
pub(super) fn current_domain(cause: &CurrentDomainError) -> Text {
    use CurrentDomainError as E;
    let origin = match cause {
        E::Shrinks => ARRAY_SCHEMA,
        _ => TILEDB_INTERNAL,
    };
    let message = match cause {
        E::NoDimensions => "The TileDB domain used to create the NDRectangle has no dimensions.".to_owned(),
        E::NoDimension { .. } => "The index does not correspond to a valid dimension in the NDRectangle".to_owned(),
        E::NoRange { .. } => "Trying to get a range for an index out of bounds is not possible.".to_owned(),
        E::NoDimensionToSet { .. } => "invalid dimension index".to_owned(),
        E::UnknownDimension { .. } => "Cannot get dimension index; Invalid dimension name".to_owned(),
        E::EmptyRange => "Range is empty".to_owned(),
        E::RangeSize { size, expected } => format!("Range size {size} does not match the expected size {expected}"),
        E::DimensionNumber => "The array current domain and the array schema have a non-equal number of dimensions".to_owned(),
        E::RangeMissing { index } => format!("This current domain has no range specified for dimension idx: {index}"),
        E::BeyondDomain => "This array current domain has ranges past the boundaries of the array schema domain".to_owned(),
        E::NanRange => "Range contains NaN".to_owned(),
        E::ReversedRange { low, high } => format!("Lower range bound {low} cannot be larger than the higher bound {high}"),
        E::Shrinks => "The current domain of an array can only be expanded, please adjust your new current domain object.".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

fn no_dimension(index: u32, number: usize) -> Text {
    let last = (number as u32).wrapping_sub(1);
    text(
        C_API,
        format!("Dimension index {index} is out of bounds; valid indices are 0 to {last}"),
    )
}
