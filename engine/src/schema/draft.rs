//! What callers fill step by step until it is a schema, with the checks at the moment libtiledb makes them.
//!
//! Dimensions, domains and attributes are shared: a handle that gave a dimension to a domain still changes it, and a
//! handle got from a schema changes the schema.

mod check;
mod domain;
mod labels;
mod webp;

pub(crate) use check::check_names;
pub use domain::DomainDraft;

use std::sync::Arc;

use crate::platform::lock::RwLock;

use super::{
    ArraySchema, Attribute, Domain, Enumeration, EnumerationPath, NdRectangle, RESERVED_PREFIX,
};
use crate::error::{Error, Result};
use crate::filter::{Compressor, Filter, FilterList};
use crate::typed;
use crate::types::{ArrayType, Datatype, Layout, TimeRange, Timestamp, Value, now};

/// Something that several handles change.
pub type Shared<T> = Arc<RwLock<T>>;

/// Puts a value where several handles can change it.
pub fn shared<T>(value: T) -> Shared<T> {
    Arc::new(RwLock::new(value))
}

/// The format version of new schemas.
const VERSION: u32 = 22;
/// Cells per tile of sparse fragments, unless somebody says otherwise.
const CAPACITY: u64 = 10_000;

/// A schema that is being filled.
#[derive(Clone, Debug)]
pub struct SchemaDraft {
    /// What has no handle of its own; its domain and attributes are not used.
    rest: ArraySchema,
    domain: Option<Shared<DomainDraft>>,
    attributes: Vec<Shared<Attribute>>,
    current_domain: Option<Shared<NdRectangle>>,
}

fn refused(message: impl Into<String>) -> Error {
    Error::usage("ArraySchema", message)
}

pub(crate) fn check_failed(why: &str) -> Error {
    refused(format!("Array schema check failed; {why}"))
}

impl SchemaDraft {
    /// An empty schema, made at `timestamp` (milliseconds; `None` is now).
    pub fn new(array_type: ArrayType, timestamp: Option<Timestamp>) -> Self {
        let at = timestamp.unwrap_or_else(now);
        let one = |compressor| Arc::new(FilterList::of(Filter::compression(compressor)));
        Self {
            rest: ArraySchema {
                version: VERSION,
                array_type,
                tile_order: Layout::RowMajor,
                cell_order: Layout::RowMajor,
                capacity: CAPACITY,
                allows_dups: false,
                domain: Domain::default(),
                attributes: Vec::new(),
                labels: Vec::new(),
                enumerations: Vec::new(),
                current_domain: None,
                coords_filters: one(Compressor::Zstd),
                offsets_filters: one(Compressor::Zstd),
                validity_filters: one(Compressor::Rle),
                name: String::new(),
                timestamps: TimeRange { start: at, end: at },
            },
            domain: None,
            attributes: Vec::new(),
            current_domain: None,
        }
    }

    /// A draft of a finished schema.
    pub fn of(schema: &ArraySchema) -> Self {
        let attributes = schema.attributes.iter();
        Self {
            domain: Some(shared(DomainDraft::of(&schema.domain))),
            attributes: attributes
                .map(|attribute| shared(Attribute::clone(attribute)))
                .collect(),
            current_domain: schema
                .current_domain
                .clone()
                .map(|ranges| shared(NdRectangle::of(schema.domain.clone(), ranges))),
            rest: ArraySchema {
                current_domain: None,
                ..schema.clone()
            },
        }
    }

    /// The schema as it is now, unchecked: for looking at it.
    pub fn snapshot(&self) -> ArraySchema {
        let domain = self.domain.as_ref().map(|domain| domain.read().finish());
        let attributes = self.attributes.iter();
        let domain = domain.unwrap_or_default();
        let current = self.current_domain.as_ref();
        ArraySchema {
            // One that is not whole is told when the schema is finished.
            current_domain: current.and_then(|current| current.read().finish(&domain).ok()),
            domain,
            attributes: attributes
                .map(|attribute| Arc::new(attribute.read().clone()))
                .collect(),
            ..self.rest.clone()
        }
    }

    /// The domain, once it is set.
    pub fn domain(&self) -> Option<&Shared<DomainDraft>> {
        self.domain.as_ref()
    }

    /// The attributes, in order.
    pub fn attributes(&self) -> &[Shared<Attribute>] {
        &self.attributes
    }

    /// What has no handle of its own: orders, capacity, filters, times. Its domain and attributes are not meant.
    pub fn properties(&self) -> &ArraySchema {
        &self.rest
    }

    /// The rectangle of the domain in use; `None` where that is all of it.
    pub fn current_domain(&self) -> Option<&Shared<NdRectangle>> {
        self.current_domain.as_ref()
    }

    /// Sets the rectangle of the domain in use; `None` is all of it.
    pub fn set_current_domain(&mut self, current: Option<Shared<NdRectangle>>) {
        self.current_domain = current;
    }

    /// An attribute by index; `None` where there are no attributes.
    pub fn attribute_at(&self, index: u32) -> Result<Option<Shared<Attribute>>> {
        match self.attributes.get(index as usize) {
            Some(attribute) => Ok(Some(attribute.clone())),
            None if self.attributes.is_empty() => Ok(None),
            None => Err(Error::usage(
                "C API",
                format!(
                    "Attribute index: {index} out of bounds given {} attributes in array ",
                    self.attributes.len()
                ),
            )),
        }
    }

    /// An attribute by name; `None` where there are no attributes.
    pub fn attribute(&self, name: &str) -> Result<Option<Shared<Attribute>>> {
        if self.attributes.is_empty() {
            return Ok(None);
        }
        match self.find_attribute(name) {
            Some(attribute) => Ok(Some(attribute.clone())),
            None => {
                let name = if name.is_empty() { "<anonymous>" } else { name };
                Err(Error::usage(
                    "C API",
                    format!("Attribute name: {name} does not exist for array "),
                ))
            }
        }
    }

    fn find_attribute(&self, name: &str) -> Option<&Shared<Attribute>> {
        self.attributes
            .iter()
            .find(|attribute| attribute.read().name == name)
    }

    /// Whether there is an attribute of this name.
    pub fn has_attribute(&self, name: &str) -> bool {
        self.find_attribute(name).is_some()
    }

    /// Adds an attribute.
    pub fn add_attribute(&mut self, attribute: &Shared<Attribute>) -> Result<()> {
        {
            let attribute = attribute.read();
            if attribute.name.starts_with(RESERVED_PREFIX) {
                return Err(refused(format!(
                    "Cannot add attribute: names starting with '{RESERVED_PREFIX}' are reserved"
                )));
            }
            self.check_enumeration(&attribute)?;
        }
        self.attributes.push(attribute.clone());
        Ok(())
    }

    /// Adds an enumeration, for attributes that come after it.
    pub fn add_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        if self.rest.enumeration(enumeration.name()).is_some() {
            return Err(refused(format!(
                "Error adding enumeration. Enumeration with name '{}' already exists in this ArraySchema.",
                enumeration.name()
            )));
        }
        let path = EnumerationPath::of(enumeration.clone());
        self.rest.enumerations.push(path);
        Ok(())
    }

    fn check_enumeration(&self, attribute: &Attribute) -> Result<()> {
        let Some(name) = &attribute.enumeration else {
            return Ok(());
        };
        let Some(path) = self.rest.enumeration(name) else {
            return Err(refused(format!(
                "Cannot add attribute; Attribute refers to an unknown enumeration named '{name}'."
            )));
        };
        if !attribute.datatype.is_integer() && attribute.datatype != Datatype::Bool {
            return Err(refused(format!(
                "Unable to use enumeration with attribute '{}', attribute must have an integral data type, not {}",
                attribute.name,
                attribute.datatype.name()
            )));
        }
        if attribute.cell_val_num != 1 {
            return Err(refused(
                "Attributes with enumerations must have a cell_val_num of 1.",
            ));
        }
        let Some(loaded) = path.loaded() else {
            return Err(refused(format!(
                "Cannot add attribute referencing enumeration '{name}' as the enumeration has not been loaded."
            )));
        };
        if most_values(attribute.datatype) <= loaded.len() as u64 {
            return Err(refused(format!(
                "Unable to use enumeration '{name}' for attribute '{}' because the attribute's type is not large enough to represent all enumeration values.",
                attribute.name
            )));
        }
        Ok(())
    }

    /// Sets the domain. Dimensions without extent become one tile, but in Hilbert order.
    pub fn set_domain(&mut self, domain: &Shared<DomainDraft>) -> Result<()> {
        let finished = domain.read().finish();
        let Some(first) = finished.dimensions.first() else {
            return Err(refused(
                "Cannot set domain; Domain must contain at least one dimension",
            ));
        };
        if self.rest.array_type == ArrayType::Dense {
            if finished.datatype().is_none() {
                return Err(refused(
                    "Cannot set domain; In dense arrays, all dimensions must have the same datatype",
                ));
            }
            let datatype = first.datatype;
            if !datatype.is_integer() && !datatype.is_datetime() && !datatype.is_time() {
                return Err(refused(format!(
                    "Cannot set domain; Dense arrays do not support dimension datatype '{}'",
                    datatype.name()
                )));
            }
        }
        if self.rest.cell_order != Layout::Hilbert {
            let draft = domain.read();
            draft
                .dimensions
                .iter()
                .for_each(|dimension| dimension.write().fill_extent());
        }
        self.domain = Some(domain.clone());
        Ok(())
    }

    /// Sets the order of tiles.
    pub fn set_tile_order(&mut self, order: Layout) -> Result<()> {
        match order {
            Layout::Hilbert => Err(refused(
                "Cannot set tile order; Hilbert order is not applicable to tiles",
            )),
            Layout::Unordered => Err(refused(
                "Cannot set tile order; Cannot create ArraySchema with UNORDERED tile order",
            )),
            order => {
                self.rest.tile_order = order;
                Ok(())
            }
        }
    }

    /// Sets the order of cells within a tile.
    pub fn set_cell_order(&mut self, order: Layout) -> Result<()> {
        match order {
            Layout::Hilbert if self.rest.is_dense() => Err(refused(
                "Cannot set cell order; Hilbert order is only applicable to sparse arrays",
            )),
            Layout::Unordered => Err(refused(
                "Cannot set cell order; Cannot create ArraySchema with UNORDERED cell order",
            )),
            order => {
                self.rest.cell_order = order;
                Ok(())
            }
        }
    }

    /// Sets the number of cells in a tile of sparse fragments.
    pub fn set_capacity(&mut self, capacity: u64) -> Result<()> {
        if self.rest.array_type == ArrayType::Sparse && capacity == 0 {
            return Err(refused(
                "Sparse arrays cannot have their capacity equal to zero.",
            ));
        }
        self.rest.capacity = capacity;
        Ok(())
    }

    /// Sets whether cells may share coordinates.
    pub fn set_allows_dups(&mut self, allows_dups: bool) -> Result<()> {
        if allows_dups && self.rest.is_dense() {
            return Err(refused("Dense arrays cannot allow coordinate duplicates"));
        }
        self.rest.allows_dups = allows_dups;
        Ok(())
    }

    /// Sets the filters of coordinates whose dimension has none.
    pub fn set_coords_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        if let Some(domain) = &self.domain {
            check::check_coords_filters(&filters, &domain.read().finish())?;
        }
        self.rest.coords_filters = filters;
        Ok(())
    }

    /// Sets the filters of the offsets of variable-length fields.
    pub fn set_offsets_filters(&mut self, filters: Arc<FilterList>) {
        self.rest.offsets_filters = filters;
    }

    /// Sets the filters of validity vectors.
    pub fn set_validity_filters(&mut self, filters: Arc<FilterList>) {
        self.rest.validity_filters = filters;
    }

    /// The schema, whole and checked: what an array can be made of.
    pub fn finish(&self) -> Result<ArraySchema> {
        let schema = self.finish_evolved()?;
        labels::check(&schema)?;
        Ok(schema)
    }

    /// The same for an array that is there, with the arrays of its labels.
    pub(super) fn finish_evolved(&self) -> Result<ArraySchema> {
        let mut schema = self.snapshot();
        if self.domain.is_none() {
            return Err(check_failed("Domain not set"));
        }
        check::check(&schema)?;
        if let Some(current) = &self.current_domain {
            current.read().finish(&schema.domain)?;
        }
        webp::fit_pictures(&mut schema)?;
        Ok(schema)
    }
}

/// The greatest value of an integer datatype.
fn most_values(datatype: Datatype) -> u64 {
    fn greatest<T: Value>() -> u64 {
        let mut bytes = [0; 8];
        T::GREATEST.write(&mut bytes);
        u64::from_le_bytes(bytes)
    }
    typed!(datatype.physical(), T => greatest::<T>())
}
