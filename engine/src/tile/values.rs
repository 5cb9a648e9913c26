//! The filters of an attribute's values, as a fragment of some version runs them.

use crate::error::{Error, Result};
use crate::filter::{FilterType, Pipeline};
use crate::format::version::{self as v, FormatVersion};
use crate::schema::Attribute;
use crate::types::{Datatype, EncryptionKey};

/// What filters the values of an attribute in fragments of this version.
pub fn values_pipeline(
    attribute: &Attribute,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Pipeline> {
    let folds = match attribute.datatype {
        Datatype::StringAscii => version >= v::RLE_HOLDS_ASCII_OFFSETS,
        Datatype::StringUtf8 => version >= v::ENCODING_HOLDS_UTF8_OFFSETS,
        _ => false,
    };
    if folds && attribute.is_var() && attribute.filters.has(FilterType::Rle) {
        // Runs of texts hold the offsets; plain runs of bytes would be another format.
        return Err(Error::usage(
            "FilterPipeline",
            "RLE of text is not implemented yet",
        ));
    }
    let values = if attribute.is_var() {
        1
    } else {
        attribute.cell_val_num
    };
    let pipeline = Pipeline::for_cells(attribute.filters.clone(), attribute.datatype, values, key)?;
    match version < v::TIMES_ARE_REDUCED {
        true => Ok(pipeline.without_windows_of_times()),
        false => Ok(pipeline),
    }
}
