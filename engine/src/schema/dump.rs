//! Dumps of schemas. Programs compare them with libtiledb's, so the text is identical to
//! libtiledb's.

use std::fmt::{self, Display, Formatter};

use super::value_text::{number, range_text, value_text};
use super::{ArraySchema, Attribute, Dimension, DimensionLabel, Domain, Enumeration, NdRectangle};
use crate::typed;
use crate::types::{DataOrder, Physical, VAR_NUM, Value};

/// Formats a number of values per cell.
fn cell_val_num(cell_val_num: u32) -> String {
    match cell_val_num {
        VAR_NUM => "var".to_owned(),
        values => values.to_string(),
    }
}

impl Display for Dimension {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let extent = self.extent.as_ref().map_or_else(
            || "null".to_owned(),
            |extent| typed!(self.datatype.physical(), T => extent_text::<T>(extent)),
        );
        writeln!(f, "### Dimension ###")?;
        writeln!(f, "- Name: {}", self.name)?;
        writeln!(f, "- Type: {}", self.datatype.name())?;
        writeln!(f, "- Cell val num: {}", cell_val_num(self.cell_val_num))?;
        writeln!(
            f,
            "- Domain: {}",
            range_text(self.datatype, self.domain.as_ref())
        )?;
        writeln!(f, "- Tile extent: {extent}")?;
        writeln!(f, "- Filters: {}", self.filters)
    }
}

/// Formats an extent for dumps; extents of one-byte types are printed as characters.
fn extent_text<T: Value>(bytes: &[u8]) -> String {
    match T::PHYSICAL {
        Physical::I8 | Physical::U8 => bytes.iter().map(|byte| char::from(*byte)).collect(),
        _ => number::<T>(bytes),
    }
}

impl Display for Domain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.dimensions
            .iter()
            .try_for_each(|dimension| write!(f, "\n{dimension}"))
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "### Attribute ###")?;
        writeln!(f, "- Name: {}", self.name)?;
        writeln!(f, "- Type: {}", self.datatype.name())?;
        writeln!(f, "- Nullable: {}", self.nullable)?;
        writeln!(f, "- Cell val num: {}", cell_val_num(self.cell_val_num))?;
        writeln!(f, "- Filters: {}", self.filters)?;
        let values: Vec<_> = self
            .fill_value
            .chunks_exact(self.datatype.size())
            .map(|bytes| value_text(self.datatype, bytes))
            .collect();
        write!(f, "- Fill value: {}", values.join(", "))?;
        if self.nullable {
            write!(f, "\n- Fill value validity: {}", self.fill_validity)?;
        }
        if self.order != DataOrder::Unordered {
            write!(f, "\n- Data ordering: {}", self.order.name())?;
        }
        if let Some(enumeration) = &self.enumeration {
            write!(f, "\n- Enumeration name: {enumeration}")?;
        }
        writeln!(f)
    }
}

impl Display for DimensionLabel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "### Dimension Label ###")?;
        writeln!(f, "- Dimension Index: {}", self.dimension)?;
        writeln!(f, "- Dimension Label Name: {}", self.name)?;
        writeln!(f, "- URI: {}", self.uri)?;
        writeln!(f, "- Label Attribute Name: {}", self.name)?;
        writeln!(f, "- Label Type: {}", self.datatype.name())?;
        writeln!(
            f,
            "- Label cell val num: {}",
            cell_val_num(self.cell_val_num)
        )
    }
}

impl Display for Enumeration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "### Enumeration ###")?;
        writeln!(f, "- Name: {}", self.name())?;
        writeln!(f, "- Type: {}", self.datatype().name())?;
        writeln!(f, "- Cell Val Num: {}", self.cell_val_num())?;
        writeln!(f, "- Ordered: {}", self.ordered())?;
        writeln!(f, "- Element Count: {}", self.len())
    }
}

impl Display for ArraySchema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "- Array type: {}", self.array_type.name())?;
        writeln!(f, "- Cell order: {}", self.cell_order.name())?;
        writeln!(f, "- Tile order: {}", self.tile_order.name())?;
        writeln!(f, "- Capacity: {}", self.capacity)?;
        writeln!(f, "- Allows duplicates: {}", self.allows_dups)?;
        writeln!(f, "- Coordinates filters: {}", self.coords_filters)?;
        writeln!(f, "- Offsets filters: {}", self.offsets_filters)?;
        write!(f, "- Validity filters: {}", self.validity_filters)?;
        if self.dim_num() > 0 {
            write!(f, "\n{}", self.domain)?;
        }
        for attribute in &self.attributes {
            write!(f, "\n{attribute}")?;
        }
        for enumeration in &self.enumerations {
            match enumeration.loaded() {
                Some(loaded) => write!(f, "\n{loaded}")?,
                None => write!(
                    f,
                    "\n### Enumeration ###\n- Name: {}\n- Loaded: false\n",
                    enumeration.name
                )?,
            }
        }
        for label in &self.labels {
            write!(f, "\n{label}")?;
        }
        let current = self
            .current_domain
            .clone()
            .map(|ranges| NdRectangle::of(self.domain.clone(), ranges));
        write!(f, "\n{}", current_domain_text(current.as_ref()))
    }
}

impl Display for NdRectangle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, " - NDRectangle ###\n{}", ranges_text(self))
    }
}

/// Returns a line for each range.
fn ranges_text(rectangle: &NdRectangle) -> String {
    rectangle
        .ranges()
        .map(|(dimension, range)| format!("  - {}\n", range_text(dimension.datatype, range)))
        .collect()
}

/// Formats an optional current domain for dumps.
pub fn current_domain_text(current: Option<&NdRectangle>) -> String {
    let rest = match current {
        None => "- Empty: 1\n".to_owned(),
        Some(rectangle) => format!(
            "- Empty: 0\n- Type: NDRECTANGLE\n{}",
            ranges_text(rectangle)
        ),
    };
    format!("### Current domain ###\n- Version: 0\n{rest}")
}
