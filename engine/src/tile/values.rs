//! The filter pipeline of a field's values, depending on the format version of the fragment.

use crate::error::Result;
use crate::filter::{Filter, FilterType, Pipeline};
use crate::format::version::{self as v, FormatVersion};
use crate::schema::StoredField;
use crate::types::{Datatype, EncryptionKey};

/// Returns the pipeline for the values of a field in fragments of this version.
pub fn values_pipeline(
    field: &StoredField,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Pipeline> {
    if includes_offsets(field, version) {
        return Pipeline::for_texts(field.filters.clone(), field.datatype, key);
    }
    let values = if field.is_var() {
        1
    } else {
        field.cell_val_num
    };
    let pipeline = Pipeline::for_cells(field.filters.clone(), field.datatype, values, key)?;
    if version < v::WINDOW_FILTERS_APPLY_TO_TIMES {
        Ok(pipeline.without_time_windows())
    } else {
        Ok(pipeline)
    }
}

/// Returns whether the first filter also encodes the offsets of the field's cells.
fn includes_offsets(field: &StoredField, version: FormatVersion) -> bool {
    let first = field.filters.filters.first().map(Filter::kind);
    field.is_var()
        && match (first, field.datatype) {
            (Some(FilterType::Rle), Datatype::StringAscii) => version >= v::RLE_HOLDS_ASCII_OFFSETS,
            (Some(FilterType::Dictionary), Datatype::StringAscii) => {
                version >= v::DICTIONARY_HOLDS_ASCII_OFFSETS
            }
            (Some(FilterType::Rle | FilterType::Dictionary), Datatype::StringUtf8) => {
                version >= v::ENCODING_HOLDS_UTF8_OFFSETS
            }
            _ => false,
        }
}
