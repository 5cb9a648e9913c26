//! Lists of filters in messages.

use super::super::messages_capnp::{filter, filter_pipeline};
use super::super::texts::{length, named};
use crate::error::{FilterError, Result, SerializationError};
use crate::filter::{
    Compression, Compressor, Filter, FilterList, FilterOption, FilterType, ScaleFloat, Webp,
    WebpFormat,
};
use crate::types::Datatype;

/// Fills the message of a list of filters.
pub(super) fn fill(to: filter_pipeline::Builder<'_>, list: &FilterList) -> Result<()> {
    if list.filters.is_empty() {
        return Ok(());
    }
    let number = length("A list of filters", list.filters.len())?;
    let mut filters = to.init_filters(number);
    for (index, filter) in (0..).zip(&list.filters) {
        fill_filter(filters.reborrow().get(index), filter);
    }
    Ok(())
}

fn fill_filter(mut to: filter::Builder<'_>, filter: &Filter) {
    to.set_type(filter.kind().name());
    match filter {
        Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => {
            to.init_data().set_uint32(*max_window);
        }
        Filter::Compression(options) if options.compressor.reinterprets() => {
            to.init_data().set_uint8(options.reinterpret.code());
        }
        Filter::Compression(options) => to.init_data().set_int32(options.level),
        Filter::ScaleFloat(options) => {
            let mut to = to.init_float_scale_config();
            to.set_scale(options.scale);
            to.set_offset(options.offset);
            to.set_byte_width(options.byte_width);
        }
        Filter::Webp(options) => {
            let mut to = to.init_webp_config();
            to.set_quality(options.quality);
            to.set_format(options.format.code());
            to.set_lossless(options.lossless);
            to.set_extent_x(options.extents.0);
            to.set_extent_y(options.extents.1);
        }
        _ => {}
    }
}

/// Reads the message of a list of filters.
pub(super) fn parse(from: filter_pipeline::Reader<'_>) -> Result<FilterList> {
    let filters = from.get_filters()?.iter();
    Ok(FilterList {
        filters: filters.map(parse_filter).collect::<Result<_>>()?,
        ..FilterList::default()
    })
}

fn parse_filter(from: filter::Reader<'_>) -> Result<Filter> {
    let kind = named(from.get_type(), "a filter", FilterType::from_name)?;
    let filter = match kind {
        FilterType::Aes256Gcm => Some(Filter::Aes256Gcm),
        kind => Filter::new(kind),
    };
    let filter = filter.ok_or(SerializationError::UnknownName {
        subject: "a filter",
        name: kind.name().to_owned(),
    })?;
    Ok(match filter {
        Filter::BitWidthReduction { .. } => Filter::BitWidthReduction {
            max_window: window(from)?,
        },
        Filter::PositiveDelta { .. } => Filter::PositiveDelta {
            max_window: window(from)?,
        },
        Filter::Compression(Compression { compressor, .. }) => {
            Filter::Compression(parse_compression(from, compressor)?)
        }
        Filter::ScaleFloat(_) if from.has_float_scale_config() => parse_scaling(from)?,
        Filter::Webp(_) if from.has_webp_config() => parse_webp(from)?,
        filter => filter,
    })
}

/// Returns the error for options of which another one is set.
fn wrong_option(kind: &'static str) -> SerializationError {
    SerializationError::DatatypeOf {
        datatype: kind,
        part: "the field of the filter's option that is set",
    }
}

fn window(from: filter::Reader<'_>) -> Result<u32> {
    match from.get_data().which().map_err(capnp::Error::from)? {
        filter::data::Uint32(window) => Ok(window),
        _ => Err(wrong_option("UINT32").into()),
    }
}

fn parse_compression(from: filter::Reader<'_>, compressor: Compressor) -> Result<Compression> {
    let data = from.get_data().which().map_err(capnp::Error::from)?;
    let (level, reinterpret) = match (compressor.reinterprets(), data) {
        (false, filter::data::Int32(level)) => (level, Datatype::Any),
        (true, filter::data::Uint8(code)) => {
            let code = u32::from(code);
            let known = Datatype::from_code(code);
            let unknown = FilterError::BadReinterpretation { code };
            (-1, known.ok_or(unknown)?)
        }
        // A client before 2.16 sends the level of a delta filter.
        (true, _) => (-1, Datatype::Any),
        (false, _) => return Err(wrong_option("INT32").into()),
    };
    Ok(Compression {
        compressor,
        level,
        reinterpret,
    })
}

fn parse_scaling(from: filter::Reader<'_>) -> Result<Filter> {
    let from = from.get_float_scale_config()?;
    let mut filter = Filter::ScaleFloat(ScaleFloat {
        scale: 1.0,
        offset: from.get_offset(),
        byte_width: 8,
    });
    let scale = from.get_scale().to_le_bytes();
    filter.set_option(FilterOption::ScaleFloatFactor, Some(&scale))?;
    let width = from.get_byte_width().to_le_bytes();
    filter.set_option(FilterOption::ScaleFloatByteWidth, Some(&width))?;
    Ok(filter)
}

fn parse_webp(from: filter::Reader<'_>) -> Result<Filter> {
    let from = from.get_webp_config()?;
    let mut filter = Filter::Webp(Webp {
        quality: 100.0,
        format: WebpFormat::None,
        lossless: from.get_lossless(),
        extents: (from.get_extent_x(), from.get_extent_y()),
    });
    let quality = from.get_quality().to_le_bytes();
    filter.set_option(FilterOption::WebpQuality, Some(&quality))?;
    filter.set_option(FilterOption::WebpInputFormat, Some(&[from.get_format()]))?;
    Ok(filter)
}
