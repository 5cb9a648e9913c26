//! Dimensions: their domain and tile extent, and the rules for both.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Named, cell_size};
use crate::error::{DimensionError, Error, Result};
use crate::filter::{FilterList, check_datatypes};
use crate::typed;
use crate::types::{CellType, Datatype, Physical, Range, VAR_NUM, Value};

/// A dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of coordinates.
    pub datatype: Datatype,
    /// The number of values per coordinate: 1, or `VAR_NUM` for strings.
    pub cell_val_num: u32,
    /// The domain; `None` for strings.
    pub domain: Option<Range>,
    /// The tile extent, as bytes of the datatype.
    pub extent: Option<Box<[u8]>>,
    /// The filters of its coordinates. If empty, the schema's coordinate filters apply.
    pub filters: Arc<FilterList>,
}

impl Named for Dimension {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Dimension {
    /// Creates a dimension. `domain` contains the lower and the upper bound; strings have neither a
    /// domain nor an extent.
    pub fn new(
        name: &str,
        datatype: Datatype,
        domain: Option<&[u8]>,
        extent: Option<&[u8]>,
    ) -> Result<Self> {
        if !Self::supports(datatype) {
            let name = datatype.name();
            return Err(DimensionError::BadType { datatype: name }.into());
        }
        let mut dimension = Self {
            name: name.to_owned(),
            datatype,
            cell_val_num: if datatype == Datatype::StringAscii {
                VAR_NUM
            } else {
                1
            },
            domain: None,
            extent: None,
            filters: Arc::default(),
        };
        if datatype == Datatype::StringAscii {
            for (given, subject) in [(domain, "domain"), (extent, "tile extent")] {
                if given.is_some() {
                    return Err(DimensionError::NotOfTexts {
                        subject,
                        datatype: datatype.name(),
                    }
                    .into());
                }
            }
            return Ok(dimension);
        }
        let (start, end) = domain
            .and_then(|domain| domain.split_at_checked(datatype.size()))
            .filter(|(_, end)| end.len() == datatype.size())
            .ok_or_else(|| Error::from(DimensionError::NoDomain))?;
        let domain = Range::fixed(start, end);
        typed!(datatype.physical(), T => check_domain::<T>(&domain))?;
        dimension.domain = Some(domain);
        if let Some(extent) = extent {
            dimension.set_extent(extent)?;
        }
        Ok(dimension)
    }

    /// Returns the type of the cells.
    pub fn cell_type(&self) -> CellType {
        CellType {
            cell_val_num: self.cell_val_num,
            ..CellType::single(self.datatype)
        }
    }

    /// Returns whether coordinates may have this datatype.
    pub fn supports(datatype: Datatype) -> bool {
        datatype.is_integer()
            || datatype.is_real()
            || datatype.is_datetime()
            || datatype.is_time()
            || datatype == Datatype::StringAscii
    }

    /// Returns whether the domain is a single tile as far as cell orders are concerned.
    pub fn is_one_tile(&self) -> bool {
        fn spans<T: Value>(domain: &Range, extent: &[u8]) -> bool {
            let (low, high) = domain.values::<T>();
            let width = high.to_key().saturating_sub(low.to_key());
            width < unsigned_extent(extent)
        }
        match (&self.domain, &self.extent) {
            (Some(domain), Some(extent)) if !self.datatype.is_real() => {
                typed!(self.datatype.physical(), T => spans::<T>(domain, extent))
            }
            (Some(_), Some(_)) => false,
            _ => true,
        }
    }

    /// Returns whether coordinates are of variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// Returns the size of a coordinate in bytes; `VAR_SIZE` for variable length.
    pub fn cell_size(&self) -> u64 {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// Sets the tile extent, as bytes of the datatype.
    pub fn set_extent(&mut self, extent: &[u8]) -> Result<()> {
        let (Some(domain), Some(extent)) = (&self.domain, extent.get(..self.datatype.size()))
        else {
            return Err(DimensionError::NoDomain.into());
        };
        typed!(self.datatype.physical(), T => check_extent::<T>(&self.name, domain, extent))?;
        self.extent = Some(extent.into());
        Ok(())
    }

    /// Sets the tile extent to the whole domain if it is not set.
    pub fn fill_extent(&mut self) {
        if let (Some(domain), None) = (&self.domain, &self.extent) {
            self.extent = Some(typed!(self.datatype.physical(), T => whole_extent::<T>(domain)));
        }
    }

    /// Returns whether arithmetic on domain and extent is well-defined. Old releases stored
    /// dimensions that violate later rules, so this requires less than creating a dimension.
    pub fn is_sound(&self) -> bool {
        let has_valid_shape = (self.datatype == Datatype::StringAscii) == self.is_var()
            && self.is_var() == self.domain.is_none()
            && (self.is_var() || self.cell_val_num == 1);
        let Some(domain) = &self.domain else {
            return has_valid_shape && self.extent.is_none();
        };
        has_valid_shape
            && typed!(self.datatype.physical(), T => is_well_defined::<T>(domain, self.extent.as_deref()))
    }

    /// Checks the number of values per coordinate, which cannot be changed.
    pub fn set_cell_val_num(&mut self, cell_val_num: u32) -> Result<()> {
        if self.datatype.is_string() && cell_val_num != VAR_NUM {
            return Err(DimensionError::TextsAreVar.into());
        }
        if !self.datatype.is_string() && cell_val_num != 1 {
            return Err(DimensionError::OneValue {
                values: cell_val_num,
            }
            .into());
        }
        Ok(())
    }

    /// Sets the filters. Returns an error if a filter does not accept the datatype of its input.
    pub fn set_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        check_datatypes(&filters, self.datatype, self.cell_val_num)?;
        self.filters = filters;
        Ok(())
    }
}

/// Returns the bytes of an integer extent as an unsigned number; extents are positive.
pub(super) fn unsigned_extent(extent: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = extent.len().min(bytes.len());
    bytes[..len].copy_from_slice(&extent[..len]);
    u64::from_le_bytes(bytes)
}

/// Checks a domain of type `T`.
fn check_domain<T: Value>(domain: &Range) -> Result<()> {
    let (start, end) = domain.values::<T>();
    if !start.to_f64().is_finite() || !end.to_f64().is_finite() {
        return Err(DimensionError::DomainNan.into());
    }
    if end < start {
        return Err(DimensionError::DomainReversed.into());
    }
    if !T::PHYSICAL.is_real() && start == T::LEAST && end == T::GREATEST {
        return Err(DimensionError::DomainTooLarge.into());
    }
    Ok(())
}

/// Returns whether a domain has finite, ordered bounds and tiles of the extent advance.
fn is_well_defined<T: Value>(domain: &Range, extent: Option<&[u8]>) -> bool {
    let (start, end) = domain.values::<T>();
    start.to_f64().is_finite()
        && end.to_f64().is_finite()
        && start <= end
        && extent.is_none_or(|extent| {
            let extent = T::read(extent);
            if T::PHYSICAL.is_real() {
                // libtiledb stores a zero extent for a floating-point domain of one coordinate.
                extent > T::default() || (extent == T::default() && start == end)
            } else {
                extent != T::default()
            }
        })
}

/// Checks a tile extent against the domain.
fn check_extent<T: Value>(name: &str, domain: &Range, extent: &[u8]) -> Result<()> {
    let (start, end) = domain.values::<T>();
    let extent = T::read(extent);
    if T::PHYSICAL.is_real() && extent.partial_cmp(&T::default()) != Some(Ordering::Greater) {
        return Err(DimensionError::ExtentNotPositive { name: name.into() }.into());
    }
    if extent == T::default() {
        return Err(DimensionError::ExtentZero { name: name.into() }.into());
    }
    let fits = if T::PHYSICAL.is_real() {
        extent.to_f64() <= round::<T>(round::<T>(end.to_f64() - start.to_f64()) + 1.0)
    } else {
        (1..=end.to_i128() - start.to_i128() + 1).contains(&coordinate_num(extent))
    };
    if !fits {
        let [extent, start, end] = [extent, start, end].map(format_value);
        let name = name.into();
        let cause = DimensionError::ExtentTooLarge {
            name,
            extent,
            low: start,
            high: end,
        };
        return Err(cause.into());
    }
    if !T::PHYSICAL.is_real() && last_tile_overflows(start, end, extent) {
        return Err(DimensionError::LastTileOverflows.into());
    }
    Ok(())
}

/// Returns whether the last tile, extended beyond the domain, exceeds the range of 64-bit integers.
/// As in libtiledb, only its start is checked for smaller types.
fn last_tile_overflows<T: Value>(start: T, end: T, extent: T) -> bool {
    let (range, extent) = (end.to_i128() - start.to_i128() + 1, coordinate_num(extent));
    if range % extent == 0 {
        return false;
    }
    let last_tile = (range - 1) / extent * extent + start.to_i128();
    let max = if T::PHYSICAL.is_signed() {
        i128::from(i64::MAX)
    } else {
        i128::from(u64::MAX)
    };
    last_tile > max - (extent - 1) || last_tile > T::GREATEST.to_i128()
}

/// Returns the extent that makes the domain a single tile. If the type cannot represent it, returns
/// the lowest bytes.
fn whole_extent<T: Value>(domain: &Range) -> Box<[u8]> {
    let (start, end) = domain.values::<T>();
    let bytes = match T::PHYSICAL {
        Physical::F32 => ((end.to_f64() - start.to_f64()) as f32)
            .to_le_bytes()
            .to_vec(),
        Physical::F64 => (end.to_f64() - start.to_f64()).to_le_bytes().to_vec(),
        _ => end
            .to_key()
            .wrapping_sub(start.to_key())
            .wrapping_add(1)
            .to_le_bytes()[..T::SIZE]
            .to_vec(),
    };
    bytes.into()
}

/// Returns the number of coordinates of an extent. A 64-bit extent can exceed the range of the
/// signed type: a tile as large as the domain is stored as a negative number.
fn coordinate_num<T: Value>(extent: T) -> i128 {
    match (T::PHYSICAL, extent.to_i128()) {
        (Physical::I64, negative @ i128::MIN..0) => negative + (1 << 64),
        (_, extent) => extent,
    }
}

/// Rounds a number to the precision of the type.
fn round<T: Value>(value: f64) -> f64 {
    match T::PHYSICAL {
        Physical::F32 => f64::from(value as f32),
        _ => value,
    }
}

/// Formats a coordinate for error messages: integers exactly, floating-point numbers with six
/// decimals.
fn format_value<T: Value>(value: T) -> String {
    if T::PHYSICAL.is_real() {
        format!("{:.6}", value.to_f64())
    } else {
        value.to_i128().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_dimension<T: Value>(
        datatype: Datatype,
        start: T,
        end: T,
        extent: Option<T>,
    ) -> Result<Dimension> {
        let bytes = |value: T| {
            let mut bytes = vec![0; T::SIZE];
            value.write(&mut bytes);
            bytes
        };
        let domain = [bytes(start), bytes(end)].concat();
        let extent = extent.map(bytes);
        Dimension::new("d", datatype, Some(&domain), extent.as_deref())
    }

    fn error_text<T>(dimension: Result<T>) -> String {
        dimension
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn a_domain_of_all_values_of_a_type_is_an_error() {
        let message = error_text(new_dimension(Datatype::Uint64, 0, u64::MAX, None));
        assert_eq!(
            message,
            "The domain has more values than the largest unsigned number"
        );
        assert!(new_dimension(Datatype::Uint64, 0, u64::MAX - 1, None).is_ok());
        assert!(new_dimension(Datatype::Int8, -128i8, 127, None).is_err());
        assert!(new_dimension(Datatype::DatetimeDay, i64::MIN, i64::MAX, None).is_err());
    }

    #[test]
    fn bounds_must_be_ordered_and_finite() {
        let order = "The upper bound of the domain is smaller than the lower one";
        assert_eq!(
            error_text(new_dimension(Datatype::Int32, 5, 4, None)),
            order
        );
        assert_eq!(
            error_text(new_dimension(Datatype::Float64, 5.0, 4.0, None)),
            order
        );
        let number = "A bound of the domain is not a finite number";
        assert_eq!(
            error_text(new_dimension(Datatype::Float64, f64::NAN, 4.0, None)),
            number
        );
        assert_eq!(
            error_text(new_dimension(Datatype::Float32, 1.0, f32::INFINITY, None)),
            number
        );
    }

    #[test]
    fn an_extent_must_be_positive_and_within_the_domain() {
        let subject = "of dimension 'd'";
        for (extent, message) in [
            (
                0,
                "The tile extent of dimension 'd' must not be 0".to_owned(),
            ),
            (
                -3,
                format!("The tile extent -3 {subject} is larger than the domain [1, 10]"),
            ),
            (
                11,
                format!("The tile extent 11 {subject} is larger than the domain [1, 10]"),
            ),
        ] {
            let usage_error = error_text(new_dimension(Datatype::Int32, 1, 10, Some(extent)));
            assert_eq!(usage_error, message);
        }
        let real = |extent| error_text(new_dimension(Datatype::Float32, 1.0, 2.0, Some(extent)));
        assert_eq!(
            real(0.0f32),
            format!("The tile extent {subject} must be greater than 0")
        );
        assert_eq!(
            real(3.0),
            format!(
                "The tile extent 3.000000 {subject} is larger than the domain [1.000000, 2.000000]"
            )
        );
        assert!(new_dimension(Datatype::Float32, 1.0, 2.0, Some(2.0f32)).is_ok());
    }

    #[test]
    fn the_last_tile_must_not_overflow_the_type() {
        assert!(new_dimension(Datatype::Uint64, 0, u64::MAX - 1, Some(10)).is_err());
        assert!(new_dimension(Datatype::Uint64, 0, u64::MAX - 2, Some(2)).is_ok());
        assert!(new_dimension(Datatype::Int64, 0, i64::MAX, Some(3)).is_err());
        // The default extent exceeds the range of the signed type.
        assert!(new_dimension(Datatype::Int64, 0, i64::MAX, Some(i64::MIN)).is_ok());
    }

    #[test]
    fn a_missing_extent_becomes_the_whole_domain() {
        let mut dimension = new_dimension(Datatype::Int16, -3i16, 10, None).expect("sound");
        dimension.fill_extent();
        assert_eq!(dimension.extent.as_deref(), Some(&14i16.to_le_bytes()[..]));
        let mut dimension = new_dimension(Datatype::Float32, 1.0f32, 3.5, None).expect("sound");
        dimension.fill_extent();
        assert_eq!(dimension.extent.as_deref(), Some(&2.5f32.to_le_bytes()[..]));
    }

    #[test]
    fn string_dimensions_have_no_bounds_and_variable_length() {
        let text = Dimension::new("d", Datatype::StringAscii, None, None).expect("sound");
        assert_eq!((text.cell_val_num, text.is_var()), (VAR_NUM, true));
        let bounded = Dimension::new("d", Datatype::StringAscii, Some(b"az"), None);
        assert_eq!(
            error_text(bounded),
            "A dimension of type STRING_ASCII has no domain"
        );
        let mut text = text;
        assert!(text.set_cell_val_num(1).is_err());
        assert!(text.set_cell_val_num(VAR_NUM).is_ok());
    }

    #[test]
    fn types_without_an_order_are_errors() {
        for datatype in [
            Datatype::Char,
            Datatype::Blob,
            Datatype::Any,
            Datatype::StringUtf8,
        ] {
            let message = error_text(Dimension::new("d", datatype, None, None));
            let name = datatype.name();
            assert_eq!(message, format!("A dimension cannot have the type {name}"));
        }
    }

    #[test]
    fn integer_filters_are_errors_for_floating_point_dimensions() {
        use crate::filter::{Filter, FilterType};
        let list = |kind| Arc::new(FilterList::of(Filter::new(kind).expect("a filter")));
        let mut real = new_dimension(Datatype::Float64, 1.0, 2.0, None).expect("sound");
        assert_eq!(
            error_text(real.set_filters(list(FilterType::PositiveDelta))),
            "The filter POSITIVE_DELTA does not accept values of type FLOAT64"
        );
        assert!(real.set_filters(list(FilterType::Zstd)).is_ok());
    }
}
