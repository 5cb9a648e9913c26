//! The datatypes that filters accept and produce, and which filters may follow each other.

use super::{Filter, FilterList, FilterType};
use crate::error::{Error, PipelineError, Result};
use crate::types::{Datatype, VAR_NUM};

impl Filter {
    /// Returns whether the filter accepts data of this datatype.
    pub fn accepts(&self, datatype: Datatype) -> bool {
        match self {
            Self::Compression(options) if options.compressor.reinterprets() => {
                match options.reinterpret {
                    Datatype::Any => !datatype.is_real(),
                    other => !other.is_real() && datatype.size().is_multiple_of(other.size()),
                }
            }
            Self::BitWidthReduction { .. } | Self::PositiveDelta { .. } => {
                datatype.is_integer()
                    || datatype.is_datetime()
                    || datatype.is_time()
                    || is_byte(datatype)
            }
            Self::ScaleFloat(_) => matches!(datatype.size(), 4 | 8),
            Self::Webp(_) => datatype == Datatype::Uint8,
            _ => true,
        }
    }

    /// Returns the datatype of the output for input of this datatype.
    pub fn output(&self, datatype: Datatype) -> Datatype {
        match self {
            Self::Compression(options)
                if options.compressor.reinterprets() && options.reinterpret != Datatype::Any =>
            {
                options.reinterpret
            }
            Self::ScaleFloat(options) => signed(options.byte_width as usize),
            Self::Xor => signed(datatype.size()),
            Self::Aes256Gcm => Datatype::Blob,
            _ => datatype,
        }
    }
}

fn is_byte(datatype: Datatype) -> bool {
    matches!(
        datatype,
        Datatype::Blob | Datatype::Bool | Datatype::GeomWkb | Datatype::GeomWkt
    )
}

/// Returns the signed integer type of a size in bytes.
fn signed(size: usize) -> Datatype {
    match size {
        1 => Datatype::Int8,
        2 => Datatype::Int16,
        4 => Datatype::Int32,
        _ => Datatype::Int64,
    }
}

/// Checks that a list can filter a field of this datatype with `cell_val_num` values per cell.
pub fn check_datatypes(list: &FilterList, datatype: Datatype, cell_val_num: u32) -> Result<()> {
    if matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8) && cell_val_num == VAR_NUM {
        check_text_encodings(list)?;
    }
    let mut input = datatype;
    let mut previous: Option<&Filter> = None;
    for filter in &list.filters {
        if !filter.accepts(input) {
            return Err(match previous {
                None => Error::from(PipelineError::WrongInput {
                    filter: filter.kind().name(),
                    datatype: input.name(),
                }),
                Some(previous) => Error::from(PipelineError::WrongChain {
                    first: previous.kind().name(),
                    datatype: input.name(),
                    second: filter.kind().name(),
                }),
            });
        }
        input = filter.output(input);
        previous = Some(filter);
    }
    Ok(())
}

/// String encodings need the original cells, so they must come first.
fn check_text_encodings(list: &FilterList) -> Result<()> {
    for (kind, name) in [
        (FilterType::Rle, "RLE"),
        (FilterType::Dictionary, "Dictionary"),
    ] {
        if list.has(kind)
            && list
                .filters
                .first()
                .is_some_and(|first| first.kind() != kind)
        {
            return Err(PipelineError::NotFirst { filter: name }.into());
        }
    }
    Ok(())
}
