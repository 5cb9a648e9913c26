//! The filters of a field's values, as a fragment of some version runs them.

use crate::error::{Error, Result};
use crate::filter::{FilterType, Pipeline};
use crate::format::version::{self as v, FormatVersion};
use crate::schema::StoredField;
use crate::types::{Datatype, EncryptionKey};

/// What filters the values of a field in fragments of this version.
pub fn values_pipeline(
    field: &StoredField,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Pipeline> {
    let folds = match field.datatype {
        Datatype::StringAscii => version >= v::RLE_HOLDS_ASCII_OFFSETS,
        Datatype::StringUtf8 => version >= v::ENCODING_HOLDS_UTF8_OFFSETS,
        _ => false,
    };
    if folds && field.is_var() && field.filters.has(FilterType::Rle) {
        // Runs of texts hold the offsets; plain runs of bytes would be another format.
        return Err(Error::usage(
            "FilterPipeline",
            "RLE of text is not implemented yet",
        ));
    }
    let values = if field.is_var() {
        1
    } else {
        field.cell_val_num
    };
    let pipeline = Pipeline::for_cells(field.filters.clone(), field.datatype, values, key)?;
    match version < v::TIMES_ARE_REDUCED {
        true => Ok(pipeline.without_windows_of_times()),
        false => Ok(pipeline),
    }
}
