//! A schema under construction, with each check at the call where libtiledb makes it.
//!
//! Dimensions, domains and attributes are shared with the caller's handles: changing a dimension
//! that was added to a domain changes the domain, and changing an attribute got from a schema
//! changes the schema.

mod check;
mod domain;
mod labels;

use std::sync::Arc;

use super::{
    ArraySchema, Attribute, Domain, Enumeration, EnumerationPath, NamedList, NdRectangle,
    RESERVED_PREFIX, Shared, greatest_index, shared,
};
use crate::config::Release;
use crate::error::{Result, SchemaCheckError, SchemaError};
use crate::filter::{Compressor, Filter, FilterList};
use crate::platform::lock::OnceValue;
use crate::types::{ArrayType, Datatype, Layout, TimeRange, Timestamp, now};
pub(crate) use check::check_names;
pub use domain::DomainDraft;

/// The format version of new schemas.
const VERSION: u32 = 22;
/// The default number of cells per tile of sparse fragments.
const CAPACITY: u64 = 10_000;

/// A schema under construction.
#[derive(Debug)]
pub struct SchemaDraft {
    /// The schema that the draft began with, which is copied before the first change; then the
    /// changed properties. Its domain and current domain are not used.
    base: Arc<ArraySchema>,
    /// The attributes of `base` that were requested.
    handles: AttributeHandles,
    added: Vec<Shared<Attribute>>,
    domain: Option<Shared<DomainDraft>>,
    /// The current domain; `None` if it is the whole domain.
    pub current_domain: Option<Shared<NdRectangle>>,
}

impl SchemaDraft {
    /// Creates an empty schema that is valid from `timestamp` (milliseconds; `None` means now).
    pub fn new(array_type: ArrayType, timestamp: Option<Timestamp>) -> Self {
        let time = timestamp.unwrap_or_else(now);
        let single = |compressor| Arc::new(FilterList::of(Filter::compression(compressor)));
        Self {
            base: Arc::new(ArraySchema {
                version: VERSION,
                array_type,
                tile_order: Layout::RowMajor,
                cell_order: Layout::RowMajor,
                capacity: CAPACITY,
                allows_dups: false,
                domain: Domain::default(),
                attributes: NamedList::default(),
                labels: NamedList::default(),
                enumerations: NamedList::default(),
                current_domain: None,
                coords_filters: single(Compressor::Zstd),
                offsets_filters: single(Compressor::Zstd),
                validity_filters: single(Compressor::Rle),
                name: String::new(),
                timestamps: TimeRange::at(time),
            }),
            handles: AttributeHandles::default(),
            added: Vec::new(),
            domain: None,
            current_domain: None,
        }
    }

    /// Creates a draft from a complete schema. Takes time that does not depend on the number of
    /// attributes: programs get the schema of an array again for each of them.
    pub fn of(schema: &Arc<ArraySchema>) -> Self {
        Self {
            base: schema.clone(),
            handles: AttributeHandles::default(),
            added: Vec::new(),
            domain: Some(shared(DomainDraft::of(&schema.domain))),
            current_domain: schema
                .current_domain
                .clone()
                .map(|ranges| shared(NdRectangle::of(schema.domain.clone(), ranges))),
        }
    }

    /// Returns the current state, unchecked, for inspection.
    pub fn snapshot(&self) -> ArraySchema {
        let domain = self
            .domain
            .as_ref()
            .map(|domain| domain.read().finish())
            .unwrap_or_default();
        let current = self.current_domain.as_ref();
        let added = self
            .added
            .iter()
            .map(|attribute| Arc::new(attribute.read().clone()));
        let first = self.handles.finish(&self.base.attributes);
        ArraySchema {
            // An incomplete current domain is reported when the schema is finished.
            current_domain: current.and_then(|current| current.read().finish(&domain).ok()),
            domain,
            attributes: first.chain(added).collect(),
            ..ArraySchema::clone(&self.base)
        }
    }

    /// Returns the domain, if it is set.
    pub fn domain(&self) -> Option<&Shared<DomainDraft>> {
        self.domain.as_ref()
    }

    /// Returns the number of attributes.
    pub fn attribute_num(&self) -> usize {
        self.base.attributes.len() + self.added.len()
    }

    /// Returns the properties without a handle of their own: orders, capacity, filters, times. Its
    /// domain and attributes are not those of the draft.
    pub fn properties(&self) -> &ArraySchema {
        &self.base
    }

    fn properties_mut(&mut self) -> &mut ArraySchema {
        Arc::make_mut(&mut self.base)
    }

    /// Returns an attribute by index; `None` if the schema has no attributes.
    pub fn attribute_at(&self, index: u32) -> Result<Option<Shared<Attribute>>> {
        match self.handle(index as usize) {
            Some(attribute) => Ok(Some(attribute.clone())),
            None if self.attribute_num() == 0 => Ok(None),
            None => Err(SchemaError::NoAttribute {
                index,
                number: self.attribute_num(),
            }
            .into()),
        }
    }

    /// Returns an attribute by name; `None` if the schema has no attributes.
    pub fn attribute(&self, name: &str) -> Result<Option<Shared<Attribute>>> {
        if self.attribute_num() == 0 {
            return Ok(None);
        }
        self.known_attribute(name).map(Some)
    }

    /// Returns an attribute by name; an error if it does not exist.
    pub fn known_attribute(&self, name: &str) -> Result<Shared<Attribute>> {
        let index = self.find_attribute(name);
        match index.and_then(|index| self.handle(index)) {
            Some(attribute) => Ok(attribute.clone()),
            None => {
                let name = if name.is_empty() { "<anonymous>" } else { name };
                Err(SchemaError::UnknownAttribute { name: name.into() }.into())
            }
        }
    }

    fn handle(&self, index: usize) -> Option<&Shared<Attribute>> {
        let attributes = &self.base.attributes;
        if index < attributes.len() {
            self.handles.get(attributes, index)
        } else {
            self.added.get(index - attributes.len())
        }
    }

    /// Returns the index of an attribute. Attributes cannot be renamed, so the names in `base` are
    /// those of its handles.
    fn find_attribute(&self, name: &str) -> Option<usize> {
        let attributes = &self.base.attributes;
        attributes.index_of(name).or_else(|| {
            let position = self
                .added
                .iter()
                .position(|attribute| attribute.read().name == name)?;
            Some(attributes.len() + position)
        })
    }

    /// Returns whether there is an attribute with this name.
    pub fn has_attribute(&self, name: &str) -> bool {
        self.find_attribute(name).is_some()
    }

    /// Adds an attribute.
    pub fn add_attribute(&mut self, attribute: &Shared<Attribute>) -> Result<()> {
        {
            let attribute = attribute.read();
            if attribute.name.starts_with(RESERVED_PREFIX) {
                return Err(SchemaError::ReservedName {
                    prefix: RESERVED_PREFIX,
                }
                .into());
            }
            self.check_enumeration(&attribute)?;
        }
        self.added.push(attribute.clone());
        Ok(())
    }

    /// Adds attributes. If one is refused, adds none.
    pub fn add_attributes(&mut self, attributes: Vec<Attribute>) -> Result<()> {
        let previous = self.added.len();
        let added = attributes
            .into_iter()
            .map(shared)
            .try_for_each(|attribute| self.add_attribute(&attribute));
        if added.is_err() {
            self.added.truncate(previous);
        }
        added
    }

    /// Adds an enumeration, for attributes that are added later.
    pub fn add_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        if self.base.enumeration(enumeration.name()).is_some() {
            return Err(SchemaError::DuplicateEnumeration {
                name: enumeration.name().into(),
            }
            .into());
        }
        let path = EnumerationPath::of(enumeration.clone());
        self.properties_mut().enumerations.push(path);
        Ok(())
    }

    fn check_enumeration(&self, attribute: &Attribute) -> Result<()> {
        let Some(name) = &attribute.enumeration else {
            return Ok(());
        };
        let Some(path) = self.base.enumeration(name) else {
            return Err(SchemaError::UnknownEnumeration { name: name.clone() }.into());
        };
        if !attribute.datatype.is_integer() && attribute.datatype != Datatype::Bool {
            return Err(SchemaError::EnumerationOfType {
                attribute: attribute.name.clone(),
                datatype: attribute.datatype.name(),
            }
            .into());
        }
        if attribute.cell_val_num != 1 {
            return Err(SchemaError::EnumerationOfMany {
                attribute: attribute.name.clone(),
            }
            .into());
        }
        let Some(loaded) = path.loaded() else {
            return Err(SchemaError::EnumerationNotLoaded { name: name.clone() }.into());
        };
        if greatest_index(attribute.datatype) <= loaded.len() as u64 {
            return Err(SchemaError::EnumerationTooLarge {
                name: name.clone(),
                attribute: attribute.name.clone(),
            }
            .into());
        }
        Ok(())
    }

    /// Sets the domain. Except in Hilbert order, dimensions without an extent get one that covers
    /// the domain.
    pub fn set_domain(&mut self, domain: &Shared<DomainDraft>) -> Result<()> {
        let finished = domain.read().finish();
        let Some(first) = finished.dimensions.first() else {
            return Err(SchemaError::NoDimensions.into());
        };
        if self.base.array_type == ArrayType::Dense {
            if finished.datatype().is_none() {
                return Err(SchemaError::MixedTypes.into());
            }
            let datatype = first.datatype;
            if !datatype.is_integer() && !datatype.is_datetime() && !datatype.is_time() {
                return Err(SchemaError::DenseType {
                    datatype: datatype.name(),
                }
                .into());
            }
        }
        if self.base.cell_order != Layout::Hilbert {
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
            Layout::Hilbert => Err(SchemaError::HilbertTiles.into()),
            Layout::Unordered => Err(SchemaError::UnorderedTiles.into()),
            order => {
                self.properties_mut().tile_order = order;
                Ok(())
            }
        }
    }

    /// Sets the order of cells within a tile.
    pub fn set_cell_order(&mut self, order: Layout) -> Result<()> {
        match order {
            Layout::Hilbert if self.base.is_dense() => Err(SchemaError::HilbertDense.into()),
            Layout::Unordered => Err(SchemaError::UnorderedCells.into()),
            order => {
                self.properties_mut().cell_order = order;
                Ok(())
            }
        }
    }

    /// Sets the number of cells in a tile of sparse fragments.
    pub fn set_capacity(&mut self, capacity: u64) -> Result<()> {
        if self.base.array_type == ArrayType::Sparse && capacity == 0 {
            return Err(SchemaError::NoCapacity.into());
        }
        self.properties_mut().capacity = capacity;
        Ok(())
    }

    /// Sets whether cells may share coordinates.
    pub fn set_allows_dups(&mut self, allows_dups: bool) -> Result<()> {
        if allows_dups && self.base.is_dense() {
            return Err(SchemaError::DenseDuplicates.into());
        }
        self.properties_mut().allows_dups = allows_dups;
        Ok(())
    }

    /// Sets the filters of coordinates of dimensions that have no filters of their own.
    pub fn set_coords_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        if let Some(domain) = &self.domain {
            check::check_coords_filters(&filters, &domain.read().finish())?;
        }
        self.properties_mut().coords_filters = filters;
        Ok(())
    }

    /// Sets the filters of the offsets of variable-length fields.
    pub fn set_offsets_filters(&mut self, filters: Arc<FilterList>) {
        self.properties_mut().offsets_filters = filters;
    }

    /// Sets the filters of validity vectors.
    pub fn set_validity_filters(&mut self, filters: Arc<FilterList>) {
        self.properties_mut().validity_filters = filters;
    }

    /// Checks the schema as a program requests it. Since 2.31 a label that was loaded with its
    /// array needs no schema for that, but creating an array with it does.
    pub fn check(&self) -> Result<()> {
        let schema = self.finish_evolved()?;
        check_labels(&schema, Release::current() >= Release::V2_31)
    }

    /// Returns the complete and checked schema, with which an array can be created.
    pub fn finish(&self) -> Result<ArraySchema> {
        let schema = self.finish_evolved()?;
        check_labels(&schema, false)?;
        Ok(schema)
    }

    /// Returns the complete and checked schema, in which labels that have arrays already need no
    /// schema.
    #[cfg(feature = "serde")]
    pub(crate) fn finish_loaded(&self) -> Result<ArraySchema> {
        let schema = self.finish_evolved()?;
        check_labels(&schema, true)?;
        Ok(schema)
    }

    /// Returns the complete and checked schema of an existing array, whose labels have arrays
    /// already.
    pub(super) fn finish_evolved(&self) -> Result<ArraySchema> {
        let mut schema = self.snapshot();
        if self.domain.is_none() {
            return Err(SchemaCheckError::NoDomain.into());
        }
        check::check(&schema)?;
        if let Some(current) = &self.current_domain {
            current.read().finish(&schema.domain)?;
        }
        check::set_webp_extents(&mut schema)?;
        Ok(schema)
    }
}

/// Checks that every label that belongs to the array has a suitable schema. `allows_loaded` is
/// whether a label may have none.
fn check_labels(schema: &ArraySchema, allows_loaded: bool) -> Result<()> {
    for label in schema.labels.iter().filter(|label| !label.is_external) {
        let Some(label_schema) = &label.schema else {
            if allows_loaded {
                continue;
            }
            return Err(SchemaCheckError::NoLabelSchema {
                label: label.name.clone(),
            }
            .into());
        };
        if let Some(dimension) = schema.domain.dimensions.get(label.dimension as usize) {
            label.check_schema(dimension, label_schema)?;
        }
        // Checks changes made to the schema since.
        SchemaDraft::of(label_schema).finish()?;
    }
    Ok(())
}

/// Copies of the attributes of a complete schema, which callers may change. An attribute is copied
/// when it is first requested.
#[derive(Debug, Default)]
pub(super) struct AttributeHandles(OnceValue<Box<[OnceValue<Shared<Attribute>>]>>);

impl AttributeHandles {
    /// Returns the handle of one of the attributes of the schema; `None` if it does not exist.
    pub(super) fn get(
        &self,
        attributes: &[Arc<Attribute>],
        index: usize,
    ) -> Option<&Shared<Attribute>> {
        let attribute = attributes.get(index)?;
        let handle = self
            .0
            .get_or_init(|| attributes.iter().map(|_| OnceValue::new()).collect())
            .get(index)?;
        Some(handle.get_or_init(|| shared(Attribute::clone(attribute))))
    }

    /// Returns the attributes as they are now.
    pub(super) fn finish(
        &self,
        attributes: &[Arc<Attribute>],
    ) -> impl Iterator<Item = Arc<Attribute>> {
        let handles = self.0.get();
        attributes
            .iter()
            .enumerate()
            .map(move |(index, attribute)| {
                let handle = handles.and_then(|handles| handles.get(index)?.get());
                match handle {
                    Some(changed) => Arc::new(changed.read().clone()),
                    None => attribute.clone(),
                }
            })
    }
}
