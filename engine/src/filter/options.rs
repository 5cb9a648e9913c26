//! Filter options by code, as callers set and get them. The option determines the type of the
//! value.

use super::{Compression, Filter, ScaleFloat, Webp, WebpFormat};
use crate::error::{Error, FilterError, Result};
use crate::types::{Datatype, Physical, Value, kind};

kind! {
    /// The options. The codes are those of the C API.
    pub enum FilterOption {
        CompressionLevel = "COMPRESSION_LEVEL",
        BitWidthMaxWindow = "BIT_WIDTH_MAX_WINDOW",
        PositiveDeltaMaxWindow = "POSITIVE_DELTA_MAX_WINDOW",
        ScaleFloatByteWidth = "SCALE_FLOAT_BYTEWIDTH",
        ScaleFloatFactor = "SCALE_FLOAT_FACTOR",
        ScaleFloatOffset = "SCALE_FLOAT_OFFSET",
        WebpQuality = "WEBP_QUALITY",
        WebpInputFormat = "WEBP_INPUT_FORMAT",
        WebpLossless = "WEBP_LOSSLESS",
        CompressionReinterpretDatatype = "COMPRESSION_REINTERPRET_DATATYPE",
    }
}

impl FilterOption {
    /// Returns the physical type of the value.
    pub fn physical(self) -> Physical {
        match self {
            Self::CompressionLevel => Physical::I32,
            Self::BitWidthMaxWindow | Self::PositiveDeltaMaxWindow => Physical::U32,
            Self::ScaleFloatByteWidth => Physical::U64,
            Self::ScaleFloatFactor | Self::ScaleFloatOffset => Physical::F64,
            Self::WebpQuality => Physical::F32,
            Self::WebpInputFormat | Self::WebpLossless | Self::CompressionReinterpretDatatype => {
                Physical::U8
            }
        }
    }
}

impl Filter {
    /// Sets an option to a value of the option's type. `None` means that the caller passed a null
    /// pointer.
    pub fn set_option(&mut self, option: FilterOption, value: Option<&[u8]>) -> Result<()> {
        let Some(name) = self.option_owner() else {
            return Err(FilterError::NoOptions {
                filter: self.kind().name(),
            }
            .into());
        };
        let Some(value) = value.filter(|value| value.len() >= option.physical().size()) else {
            return Err(FilterError::NullOption { filter: name }.into());
        };
        match self {
            Self::Compression(options) => options.set(option, value),
            Self::BitWidthReduction { max_window } if option == FilterOption::BitWidthMaxWindow => {
                *max_window = u32::read(value);
                Ok(())
            }
            Self::PositiveDelta { max_window }
                if option == FilterOption::PositiveDeltaMaxWindow =>
            {
                *max_window = u32::read(value);
                Ok(())
            }
            Self::ScaleFloat(options) => options.set(option, value),
            Self::Webp(options) => options.set(option, value),
            _ => Err(unknown(name)),
        }
    }

    /// Returns the value of an option, as bytes of the option's type.
    pub fn option(&self, option: FilterOption) -> Result<Vec<u8>> {
        let Some(name) = self.option_owner() else {
            return Err(FilterError::NoOptions {
                filter: self.kind().name(),
            }
            .into());
        };
        let value = match (self, option) {
            (Self::Compression(options), FilterOption::CompressionLevel) => {
                options.level.to_le_bytes().to_vec()
            }
            (Self::Compression(options), FilterOption::CompressionReinterpretDatatype) => {
                vec![options.reinterpret.code()]
            }
            (Self::BitWidthReduction { max_window }, FilterOption::BitWidthMaxWindow)
            | (Self::PositiveDelta { max_window }, FilterOption::PositiveDeltaMaxWindow) => {
                max_window.to_le_bytes().to_vec()
            }
            (Self::ScaleFloat(options), FilterOption::ScaleFloatByteWidth) => {
                options.byte_width.to_le_bytes().to_vec()
            }
            (Self::ScaleFloat(options), FilterOption::ScaleFloatFactor) => {
                options.scale.to_le_bytes().to_vec()
            }
            (Self::ScaleFloat(options), FilterOption::ScaleFloatOffset) => {
                options.offset.to_le_bytes().to_vec()
            }
            (Self::Webp(options), FilterOption::WebpQuality) => {
                options.quality.to_le_bytes().to_vec()
            }
            (Self::Webp(options), FilterOption::WebpInputFormat) => vec![options.format.code()],
            (Self::Webp(options), FilterOption::WebpLossless) => {
                vec![u8::from(options.lossless)]
            }
            _ => return Err(unknown(name)),
        };
        Ok(value)
    }

    /// Returns the filter's name in error messages; `None` if it has no options.
    fn option_owner(&self) -> Option<&'static str> {
        match self {
            Self::Compression(_) => Some("Compression"),
            Self::BitWidthReduction { .. } => Some("Bit width reduction"),
            Self::PositiveDelta { .. } => Some("Positive delta"),
            Self::ScaleFloat(_) => Some("Float scaling"),
            Self::Webp(_) => Some("Webp"),
            _ => None,
        }
    }
}

fn unknown(name: &'static str) -> Error {
    Error::from(FilterError::UnknownOption { filter: name })
}

impl Compression {
    fn set(&mut self, option: FilterOption, value: &[u8]) -> Result<()> {
        match option {
            FilterOption::CompressionLevel => self.level = i32::read(value),
            FilterOption::CompressionReinterpretDatatype => {
                let code = u8::read(value);
                self.reinterpret = Datatype::from_code(u32::from(code)).ok_or_else(|| {
                    Error::from(FilterError::BadReinterpretation { code: code.into() })
                })?;
            }
            _ => return Err(unknown("Compression")),
        }
        Ok(())
    }
}

impl ScaleFloat {
    fn set(&mut self, option: FilterOption, value: &[u8]) -> Result<()> {
        let invalid = |option| Error::from(FilterError::BadScaling { option });
        match option {
            FilterOption::ScaleFloatByteWidth => {
                let width = u64::read(value);
                if !matches!(width, 1 | 2 | 4 | 8) {
                    return Err(invalid("byte width"));
                }
                self.byte_width = width;
            }
            FilterOption::ScaleFloatFactor => {
                let scale = f64::read(value);
                if !scale.is_normal() {
                    return Err(invalid("scale"));
                }
                self.scale = scale;
            }
            FilterOption::ScaleFloatOffset => {
                let offset = f64::read(value);
                if !offset.is_finite() {
                    return Err(invalid("offset"));
                }
                self.offset = offset;
            }
            _ => return Err(unknown("Float scaling")),
        }
        Ok(())
    }
}

impl Webp {
    fn set(&mut self, option: FilterOption, value: &[u8]) -> Result<()> {
        match option {
            FilterOption::WebpQuality => {
                let quality = f32::read(value);
                if !(0.0..=100.0).contains(&quality) {
                    return Err(FilterError::BadWebpQuality.into());
                }
                self.quality = quality;
            }
            FilterOption::WebpInputFormat => match WebpFormat::from_code(u8::read(value)) {
                Some(format) => self.format = format,
                None => return Err(FilterError::BadWebpFormat.into()),
            },
            FilterOption::WebpLossless => match u8::read(value) {
                lossless @ 0..=1 => self.lossless = lossless == 1,
                _ => {
                    return Err(FilterError::BadWebpLossless.into());
                }
            },
            _ => return Err(unknown("Webp")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::FilterType;
    use super::*;

    fn filter(kind: FilterType) -> Filter {
        Filter::new(kind).expect("a filter that can be chosen")
    }

    fn error(result: Result<()>) -> String {
        result.expect_err("an error").to_string()
    }

    #[test]
    fn options_are_returned_as_set() {
        for (kind, option, value) in [
            (
                FilterType::Zstd,
                FilterOption::CompressionLevel,
                &[7, 0, 0, 0][..],
            ),
            (
                FilterType::Gzip,
                FilterOption::CompressionReinterpretDatatype,
                &[9],
            ),
            (
                FilterType::BitWidthReduction,
                FilterOption::BitWidthMaxWindow,
                &[1, 2, 3, 0],
            ),
            (
                FilterType::PositiveDelta,
                FilterOption::PositiveDeltaMaxWindow,
                &[9, 0, 0, 0],
            ),
            (
                FilterType::ScaleFloat,
                FilterOption::ScaleFloatByteWidth,
                &4u64.to_le_bytes(),
            ),
            (
                FilterType::ScaleFloat,
                FilterOption::ScaleFloatFactor,
                &0.5f64.to_le_bytes(),
            ),
            (
                FilterType::ScaleFloat,
                FilterOption::ScaleFloatOffset,
                &(-3.5f64).to_le_bytes(),
            ),
            (
                FilterType::Webp,
                FilterOption::WebpQuality,
                &42f32.to_le_bytes(),
            ),
            (FilterType::Webp, FilterOption::WebpInputFormat, &[3]),
            (FilterType::Webp, FilterOption::WebpLossless, &[1]),
        ] {
            let mut filter = filter(kind);
            filter.set_option(option, Some(value)).expect("accepted");
            assert_eq!(
                filter.option(option).expect("known"),
                value,
                "{option:?} of {kind:?}"
            );
        }
    }

    #[test]
    fn defaults_equal_those_of_libtiledb() {
        let value = |kind, option| filter(kind).option(option).expect("known");
        assert_eq!(
            value(FilterType::Rle, FilterOption::CompressionLevel),
            (-1i32).to_le_bytes()
        );
        assert_eq!(
            value(
                FilterType::Lz4,
                FilterOption::CompressionReinterpretDatatype
            ),
            [17]
        );
        assert_eq!(
            value(
                FilterType::BitWidthReduction,
                FilterOption::BitWidthMaxWindow
            ),
            [0, 1, 0, 0]
        );
        assert_eq!(
            value(
                FilterType::PositiveDelta,
                FilterOption::PositiveDeltaMaxWindow
            ),
            [0, 4, 0, 0]
        );
        assert_eq!(
            value(FilterType::Webp, FilterOption::WebpQuality),
            100f32.to_le_bytes()
        );
    }

    #[test]
    fn errors_name_the_filter() {
        use FilterOption::*;
        let zero = [0; 8];
        for (kind, option, value, text) in [
            (
                FilterType::Xor,
                CompressionLevel,
                None,
                "The filter XOR has no options",
            ),
            (
                FilterType::Gzip,
                CompressionLevel,
                None,
                "The value of an option of the filter Compression is missing",
            ),
            (
                FilterType::Gzip,
                WebpQuality,
                Some(&zero),
                "The filter Compression does not have this option",
            ),
            (
                FilterType::Webp,
                WebpQuality,
                None,
                "The value of an option of the filter Webp is missing",
            ),
            (
                FilterType::Webp,
                CompressionLevel,
                Some(&zero),
                "The filter Webp does not have this option",
            ),
            (
                FilterType::ScaleFloat,
                ScaleFloatFactor,
                Some(&zero),
                "Float scaling does not accept this scale",
            ),
            (
                FilterType::ScaleFloat,
                ScaleFloatByteWidth,
                Some(&zero),
                "Float scaling does not accept this byte width",
            ),
            (
                FilterType::BitWidthReduction,
                ScaleFloatByteWidth,
                Some(&zero),
                "The filter Bit width reduction does not have this option",
            ),
        ] {
            let value = value.map(|value| &value[..]);
            let error = error(filter(kind).set_option(option, value));
            assert_eq!(error, text);
        }
    }
}
