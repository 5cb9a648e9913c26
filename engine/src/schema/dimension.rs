//! Dimensions: their domain and tile extent, and what both must satisfy.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cell_size;
use crate::error::{Error, Result};
use crate::filter::{FilterList, check_datatypes};
use crate::typed;
use crate::types::{Datatype, Physical, Range, VAR_NUM, Value};

/// A dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of coordinates.
    pub datatype: Datatype,
    /// 1, or `VAR_NUM` for text.
    pub cell_val_num: u32,
    /// The domain; `None` for text.
    pub domain: Option<Range>,
    /// The tile extent, as bytes of the datatype.
    pub extent: Option<Box<[u8]>>,
    /// The filters of its coordinates; empty ones give way to the schema's coordinate filters.
    pub filters: Arc<FilterList>,
}

fn refused(message: impl Into<String>) -> Error {
    Error::usage("Dimension", message)
}

impl Dimension {
    /// A dimension. `domain` is both ends, one after the other; text has neither domain nor extent.
    pub fn new(
        name: &str,
        datatype: Datatype,
        domain: Option<&[u8]>,
        extent: Option<&[u8]>,
    ) -> Result<Self> {
        if !Self::supports(datatype) {
            return Err(refused(format!(
                "Datatype::{} is not a valid Dimension Datatype",
                datatype.name()
            )));
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
            for (given, what) in [(domain, "domain"), (extent, "tile extent")] {
                if given.is_some() {
                    return Err(refused(format!(
                        "Setting the {what} to a dimension with type '{}' is not supported",
                        datatype.name()
                    )));
                }
            }
            return Ok(dimension);
        }
        let (start, end) = domain
            .and_then(|domain| domain.split_at_checked(datatype.size()))
            .filter(|(_, end)| end.len() == datatype.size())
            .ok_or_else(|| refused("Cannot set tile extent; Domain must be set first"))?;
        let domain = Range::fixed(start, end);
        typed!(datatype.physical(), T => check_domain::<T>(&domain))?;
        dimension.domain = Some(domain);
        if let Some(extent) = extent {
            dimension.set_extent(extent)?;
        }
        Ok(dimension)
    }

    /// Whether coordinates may have this datatype.
    pub fn supports(datatype: Datatype) -> bool {
        datatype.is_integer()
            || datatype.is_real()
            || datatype.is_datetime()
            || datatype.is_time()
            || datatype == Datatype::StringAscii
    }

    /// Whether coordinates are of variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// The size of a coordinate in bytes; `VAR_SIZE` where it varies.
    pub fn cell_size(&self) -> u64 {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// Sets the tile extent, as bytes of the datatype.
    pub fn set_extent(&mut self, extent: &[u8]) -> Result<()> {
        let (Some(domain), Some(extent)) = (&self.domain, extent.get(..self.datatype.size()))
        else {
            return Err(refused("Cannot set tile extent; Domain must be set first"));
        };
        typed!(self.datatype.physical(), T => check_extent::<T>(&self.name, domain, extent))?;
        self.extent = Some(extent.into());
        Ok(())
    }

    /// Makes the whole domain one tile where there is no extent.
    pub fn fill_extent(&mut self) {
        if let (Some(domain), None) = (&self.domain, &self.extent) {
            self.extent = Some(typed!(self.datatype.physical(), T => whole_extent::<T>(domain)));
        }
    }

    /// Whether domain and extent are such that one can reckon with them. What was stored by old releases may break
    /// rules that came later, so this is less than what a new dimension must satisfy.
    pub fn is_sound(&self) -> bool {
        let shaped = (self.datatype == Datatype::StringAscii) == self.is_var()
            && self.is_var() == self.domain.is_none()
            && (self.is_var() || self.cell_val_num == 1);
        let Some(domain) = &self.domain else {
            return shaped && self.extent.is_none();
        };
        shaped
            && typed!(self.datatype.physical(), T => are_sound::<T>(domain, self.extent.as_deref()))
    }

    /// Sets the number of values per coordinate, which can be only what it is.
    pub fn set_cell_val_num(&mut self, cell_val_num: u32) -> Result<()> {
        if self.datatype.is_string() && cell_val_num != VAR_NUM {
            return Err(refused(
                "Cannot set non-variable number of values per coordinate for a string dimension",
            ));
        }
        if !self.datatype.is_string() && cell_val_num != 1 {
            return Err(refused(
                "Cannot set number of values per coordinate; Currently only one value per coordinate is supported",
            ));
        }
        Ok(())
    }

    /// Sets the filters; an error where one does not take the datatype it would get.
    pub fn set_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        check_datatypes(&filters, self.datatype, self.cell_val_num)?;
        self.filters = filters;
        Ok(())
    }
}

/// What a domain of this type may not be.
fn check_domain<T: Value>(domain: &Range) -> Result<()> {
    let (start, end) = domain.values::<T>();
    if !start.to_f64().is_finite() || !end.to_f64().is_finite() {
        return Err(refused("Domain check failed; domain contains NaN"));
    }
    if end < start {
        return Err(refused(
            "Domain check failed; Upper domain bound should not be smaller than the lower one",
        ));
    }
    if !is_real::<T>() && start == T::LEAST && end == T::GREATEST {
        return Err(refused(
            "Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned number",
        ));
    }
    Ok(())
}

/// Whether a domain has an order, and an extent moves on.
fn are_sound<T: Value>(domain: &Range, extent: Option<&[u8]>) -> bool {
    let (start, end) = domain.values::<T>();
    let moves = |extent: &[u8]| {
        let extent = T::read(extent);
        if is_real::<T>() {
            extent > T::default()
        } else {
            extent != T::default()
        }
    };
    start.to_f64().is_finite()
        && end.to_f64().is_finite()
        && start <= end
        && extent.is_none_or(moves)
}

/// What a tile extent may not be in a domain.
fn check_extent<T: Value>(name: &str, domain: &Range, extent: &[u8]) -> Result<()> {
    let (start, end) = domain.values::<T>();
    let extent = T::read(extent);
    let failed = |what: &str| {
        Err(refused(format!(
            "Tile extent check failed on dimension '{name}'; {what}"
        )))
    };
    if is_real::<T>() && extent.partial_cmp(&T::default()) != Some(Ordering::Greater) {
        return failed("Tile extent must be greater than 0");
    }
    if extent == T::default() {
        return failed("Tile extent must not be 0");
    }
    let fits = if is_real::<T>() {
        extent.to_f64() <= round::<T>(round::<T>(end.to_f64() - start.to_f64()) + 1.0)
    } else {
        (1..=integer(end) - integer(start) + 1).contains(&integer(extent))
    };
    if !fits {
        let [extent, start, end] = [extent, start, end].map(in_message);
        return failed(&format!(
            "Tile extent {extent} exceeds range on dimension domain [{start}, {end}]"
        ));
    }
    if !is_real::<T>()
        && last_tile_overflows(
            integer(start),
            integer(end),
            integer(extent),
            T::SIZE,
            integer(T::GREATEST),
        )
    {
        return Err(refused(
            "Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value representable by domain type. Reduce domain max by 1 tile extent to allow for expansion.",
        ));
    }
    Ok(())
}

/// Whether the last tile, where the domain cuts it, passes what 64 bits can count. As in the original, smaller types
/// are checked for the start of that tile only.
fn last_tile_overflows(start: i128, end: i128, extent: i128, size: usize, greatest: i128) -> bool {
    let range = end - start + 1;
    if range % extent == 0 {
        return false;
    }
    let last_tile = (range - 1) / extent * extent + start;
    let signed = greatest.count_ones() as usize + 1 == 8 * size;
    let most = if signed {
        i128::from(i64::MAX)
    } else {
        i128::from(u64::MAX)
    };
    last_tile > most - (extent - 1) || last_tile > greatest
}

/// The extent that makes a domain one tile; where it is more than the type can say, its lowest bits.
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

fn is_real<T: Value>() -> bool {
    matches!(T::PHYSICAL, Physical::F32 | Physical::F64)
}

/// The value of an integer type.
fn integer<T: Value>(value: T) -> i128 {
    let key = i128::from(value.to_key());
    match T::PHYSICAL {
        Physical::I8 | Physical::I16 | Physical::I32 | Physical::I64 => {
            key - (1 << (8 * T::SIZE - 1))
        }
        _ => key,
    }
}

/// A real number as the type can hold it.
fn round<T: Value>(value: f64) -> f64 {
    match T::PHYSICAL {
        Physical::F32 => f64::from(value as f32),
        _ => value,
    }
}

/// A coordinate in an error: integers whole, real numbers with six decimals.
fn in_message<T: Value>(value: T) -> String {
    if is_real::<T>() {
        format!("{:.6}", value.to_f64())
    } else {
        integer(value).to_string()
    }
}
