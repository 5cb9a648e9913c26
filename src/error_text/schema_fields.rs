//! The texts of errors of the fields of a schema.

use tiledb_engine::error::{AttributeError, DimensionError, EnumerationError};

use super::origins::{ATTRIBUTE, DIMENSION, ENUMERATION, TILEDB_INTERNAL};
use super::{Text, text};

/// Returns the text of an error of attributes.
pub(super) fn attribute(cause: &AttributeError) -> Text {
    use AttributeError as E;
    let message = match cause {
        E::AnyIsVar => "Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized".to_owned(),
        E::NoValues => "Cannot set zero values per cell".to_owned(),
        E::CellTooLarge { values } => format!("Cannot set {values} values per cell; A cell may not be larger than a chunk of 4 GB"),
        E::OrderedTextsAreVar { datatype } => format!("Cannot set number of values per cell; Ordered attributes with datatype '{datatype}' must have `cell_val_num=constants::var_num`."),
        E::OrderedNumbersAreSingle { datatype } => format!("Ordered attributes with datatype '{datatype}' must have `cell_val_num=1`."),
        E::OrderedIsNotNullable => "Cannot set to nullable; An ordered attribute cannot be nullable.".to_owned(),
        E::NoFillValue => "Cannot set fill value; Input value cannot be null".to_owned(),
        E::EmptyFillValue => "Cannot set fill value; Input size cannot be 0".to_owned(),
        E::FillValueSize { .. } => "Cannot set fill value; Input size is not the same as cell size".to_owned(),
        E::Nullable { verb } => format!("Cannot {verb} fill value; Attribute is nullable"),
        E::NotNullable { verb } => format!("Cannot {verb} fill value; Attribute is not nullable"),
        E::NoEnumerationName => "Invalid enumeration name, name must not be empty.".to_owned(),
        _ => cause.to_string(),
    };
    text(ATTRIBUTE, message)
}

/// Returns the text of an error of dimensions.
pub(super) fn dimension(cause: &DimensionError) -> Text {
    use DimensionError as E;
    let origin = match cause {
        E::BadType { .. } => TILEDB_INTERNAL,
        _ => DIMENSION,
    };
    let message = match cause {
        E::BadType { datatype } => format!("Datatype::{datatype} is not a valid Dimension Datatype"),
        E::NotOfTexts { subject, datatype } => format!("Setting the {subject} to a dimension with type '{datatype}' is not supported"),
        E::NoDomain => "Cannot set tile extent; Domain must be set first".to_owned(),
        E::TextsAreVar => "Cannot set non-variable number of values per coordinate for a string dimension".to_owned(),
        E::OneValue { .. } => "Cannot set number of values per coordinate; Currently only one value per coordinate is supported".to_owned(),
        E::DomainNan => "Domain check failed; domain contains NaN".to_owned(),
        E::DomainReversed => "Domain check failed; Upper domain bound should not be smaller than the lower one".to_owned(),
        E::DomainTooLarge => "Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned number".to_owned(),
        E::ExtentNotPositive { name } => format!("Tile extent check failed on dimension '{name}'; Tile extent must be greater than 0"),
        E::ExtentZero { name } => format!("Tile extent check failed on dimension '{name}'; Tile extent must not be 0"),
        E::ExtentTooLarge { name, extent, low, high } => format!("Tile extent check failed on dimension '{name}'; Tile extent {extent} exceeds range on dimension domain [{low}, {high}]"),
        E::LastTileOverflows => "Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value representable by domain type. Reduce domain max by 1 tile extent to allow for expansion.".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of enumerations.
pub(super) fn enumeration(cause: &EnumerationError) -> Text {
    use EnumerationError as E;
    let message = match cause {
        E::NoName => "Enumeration name must not be empty".to_owned(),
        E::NoValues => "Invalid cell_val_num in Enumeration".to_owned(),
        E::NoOffsets => {
            "Var sized enumeration values require a non-null offsets pointer.".to_owned()
        }
        E::EmptyOffsets => {
            "Var sized enumeration values require a non-zero offsets size.".to_owned()
        }
        E::PartialOffset { .. } => {
            "Invalid offsets size is not a multiple of sizeof(uint64_t)".to_owned()
        }
        E::OffsetBeyondData => {
            "Invalid data input, data_size is smaller than the last provided offset.".to_owned()
        }
        E::DecreasingOffsets => "Invalid offsets, they must not decrease.".to_owned(),
        E::UnexpectedOffsets => {
            "Fixed length value type defined but offsets is not nullptr.".to_owned()
        }
        E::NoData => "Invalid data buffer must not be nullptr for fixed sized data.".to_owned(),
        E::EmptyData => "Invalid data size; must be non-zero for fixed size data.".to_owned(),
        E::PartialMember { .. } => {
            "Invalid data size is not a multiple of the cell size.".to_owned()
        }
        E::Duplicate { value } => format!("Invalid duplicated value in enumeration '{value}'"),
        E::EmptyExtension => {
            "Unable to extend an enumeration with a zero sized data buffer.".to_owned()
        }
        E::ExtensionWithOffsets => {
            "Offsets buffer provided when extending a fixed sized enumeration.".to_owned()
        }
        E::ExtensionNoOffsets => {
            "The offsets buffer is required for this enumeration extension.".to_owned()
        }
        E::ExtensionEmptyOffsets => {
            "The offsets buffer for this enumeration extension must have a non-zero size."
                .to_owned()
        }
        E::TooNew { version, newest } => format!(
            "Invalid Enumeration version '{version}' is newer than supported enumeration version '{newest}'"
        ),
        _ => cause.to_string(),
    };
    text(ENUMERATION, message)
}
