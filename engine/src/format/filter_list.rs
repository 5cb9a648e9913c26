//! The record of a filter list.
//!
//! ```text
//! max chunk size    u32
//! number of filters u32
//! of each filter:
//!   type            u8
//!   options' size   u32
//!   options         by type
//!     compressors           compressor u8, level i32;
//!                           for double delta since v20 and delta since v19 a datatype u8
//!     bit width reduction,
//!     positive delta        window u32
//!     scale float           scale f64, offset f64, byte width u64
//!     WebP                  quality f32, format u8, lossless u8, extents 2 x u16, 2 unused bytes
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::filter::{
    Compression, Compressor, Filter, FilterList, FilterType, ScaleFloat, Webp, WebpFormat,
};
use crate::format::version::{DELTA_REINTERPRETS, DOUBLE_DELTA_REINTERPRETS, FormatVersion};
use crate::types::Datatype;

/// The size in bytes of a filter without options.
const MIN_FILTER_LEN: usize = 5;

/// Reads a filter list.
pub fn read(from: &mut Cursor<'_>, version: FormatVersion) -> Result<FilterList> {
    let max_chunk_size = from.u32("max chunk size")?;
    let number = from.count_u32("number of filters", MIN_FILTER_LEN)?;
    Ok(FilterList {
        filters: from.list(number, |from| read_filter(from, version))?,
        max_chunk_size,
    })
}

/// Writes a filter list in the current version.
pub fn write(list: &FilterList, to: &mut Sink) {
    to.u32(list.max_chunk_size);
    to.u32(u32::try_from(list.filters.len()).unwrap_or(u32::MAX));
    for filter in &list.filters {
        to.u8(filter.kind().code());
        let mut options = Sink::new();
        write_options(filter, &mut options);
        to.u32(u32::try_from(options.len()).unwrap_or(u32::MAX));
        to.put(options.as_slice());
    }
}

fn read_filter(from: &mut Cursor<'_>, version: FormatVersion) -> Result<Filter> {
    let start = from.clone();
    let code = from.u8("filter type")?;
    let kind = FilterType::from_code(u32::from(code));
    let size = from.u32("size of filter options")?;
    let mut options = Cursor::new(
        "filter options",
        from.take_u64("filter options", u64::from(size))?,
    );
    let filter = match kind {
        Some(FilterType::Aes256Gcm) => Filter::Aes256Gcm,
        Some(kind) => match Filter::new(kind) {
            Some(filter) => read_options(filter, &mut options, version)?,
            None => {
                return Err(
                    start.corrupt("filter type", format!("is {code}, which is no longer used"))
                );
            }
        },
        None => return Err(start.corrupt("filter type", format!("is {code}, which is unknown"))),
    };
    options.end()?;
    Ok(filter)
}

/// Reads the options of a filter.
fn read_options(filter: Filter, from: &mut Cursor<'_>, version: FormatVersion) -> Result<Filter> {
    Ok(match filter {
        Filter::Compression(Compression { compressor, .. }) => {
            Filter::Compression(read_compression(compressor, from, version)?)
        }
        Filter::BitWidthReduction { .. } => Filter::BitWidthReduction {
            max_window: from.u32("window")?,
        },
        Filter::PositiveDelta { .. } => Filter::PositiveDelta {
            max_window: from.u32("window")?,
        },
        Filter::ScaleFloat(_) => Filter::ScaleFloat(read_scale_float(from)?),
        Filter::Webp(_) => Filter::Webp(read_webp(from)?),
        without => without,
    })
}

fn read_compression(
    compressor: Compressor,
    from: &mut Cursor<'_>,
    version: FormatVersion,
) -> Result<Compression> {
    let start = from.clone();
    let code = from.u8("compressor")?;
    if code != compressor.code() {
        let kind = compressor.kind().name();
        return Err(start.corrupt("compressor", format!("is {code} in a filter {kind}")));
    }
    let level = from.i32("compression level")?;
    let reinterprets = match compressor {
        Compressor::DoubleDelta => version >= DOUBLE_DELTA_REINTERPRETS,
        Compressor::Delta => version >= DELTA_REINTERPRETS,
        _ => false,
    };
    let reinterpret = if reinterprets {
        datatype(from, "reinterpreted datatype")?
    } else {
        Datatype::Any
    };
    Ok(Compression {
        compressor,
        level,
        reinterpret,
    })
}

/// Reads the code of a datatype.
pub(super) fn datatype(from: &mut Cursor<'_>, field: &'static str) -> Result<Datatype> {
    let start = from.clone();
    let code = from.u8(field)?;
    Datatype::from_code(u32::from(code))
        .ok_or_else(|| start.corrupt(field, format!("is {code}, which is unknown")))
}

fn read_scale_float(from: &mut Cursor<'_>) -> Result<ScaleFloat> {
    let scale = from.f64("scale")?;
    let offset = from.f64("offset")?;
    let start = from.clone();
    let byte_width = from.u64("byte width")?;
    if !matches!(byte_width, 1 | 2 | 4 | 8) {
        return Err(start.corrupt("byte width", format!("is {byte_width}")));
    }
    Ok(ScaleFloat {
        scale,
        offset,
        byte_width,
    })
}

fn read_webp(from: &mut Cursor<'_>) -> Result<Webp> {
    let quality = f32::from_bits(from.u32("quality")?);
    let start = from.clone();
    let code = from.u8("image format")?;
    let format = WebpFormat::from_code(code)
        .ok_or_else(|| start.corrupt("image format", format!("is {code}, which is unknown")))?;
    let lossless = from.flag("lossless")?;
    let extents = (from.u16("extent of rows")?, from.u16("extent of columns")?);
    from.u16("unused bytes")?;
    Ok(Webp {
        quality,
        format,
        lossless,
        extents,
    })
}

fn write_options(filter: &Filter, to: &mut Sink) {
    match filter {
        Filter::Compression(options) => {
            to.u8(options.compressor.code());
            to.i32(options.level);
            if options.compressor.reinterprets() {
                to.u8(options.reinterpret.code());
            }
        }
        Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => {
            to.u32(*max_window);
        }
        Filter::ScaleFloat(options) => {
            to.f64(options.scale);
            to.f64(options.offset);
            to.u64(options.byte_width);
        }
        Filter::Webp(options) => {
            to.u32(options.quality.to_bits());
            to.u8(options.format.code());
            to.flag(options.lossless);
            to.u16(options.extents.0);
            to.u16(options.extents.1);
            to.u16(0);
        }
        _ => (),
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    /// Returns a list of all filters that callers can choose.
    fn all() -> FilterList {
        FilterList {
            filters: (0..20)
                .filter_map(|code| Filter::new(FilterType::from_code(code)?))
                .collect(),
            max_chunk_size: 1234,
        }
    }

    fn bytes_of(list: &FilterList) -> Vec<u8> {
        let mut to = Sink::new();
        write(list, &mut to);
        to.into_bytes()
    }

    #[test]
    fn every_filter_round_trips() {
        let bytes = bytes_of(&all());
        let mut from = Cursor::new("filter list", &bytes);
        assert_eq!(
            read(&mut from, FormatVersion::WRITTEN).expect("whole"),
            all()
        );
        from.end().expect("nothing left");
    }

    #[test]
    fn a_truncated_list_is_a_located_error() {
        let bytes = bytes_of(&all());
        for cut in 0..bytes.len() {
            let read = read(
                &mut Cursor::new("filter list", &bytes[..cut]),
                FormatVersion::WRITTEN,
            );
            assert!(
                read.is_err_and(|error| error.is_corrupt_by(cut)),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn delta_filters_of_old_versions_have_no_datatype() {
        let old = [0, 0, 1, 0, 1, 0, 0, 0, 6, 5, 0, 0, 0, 6, 255, 255, 255, 255];
        let read_version = |version| {
            read(
                &mut Cursor::new("filter list", &old),
                FormatVersion(version),
            )
        };
        let filters = read_version(19).expect("whole").filters;
        assert_eq!(filters, [Filter::compression(Compressor::DoubleDelta)]);
        assert!(read_version(20).is_err());
    }

    #[test]
    fn unknown_types_are_errors() {
        for kind in [17, 20, 255] {
            let bytes = [0, 0, 1, 0, 1, 0, 0, 0, kind, 0, 0, 0, 0];
            assert!(
                read(
                    &mut Cursor::new("filter list", &bytes),
                    FormatVersion::WRITTEN
                )
                .is_err()
            );
        }
    }
}
