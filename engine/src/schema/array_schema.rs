//! A complete schema, with lookups of its fields by name.

use std::sync::Arc;

use super::{
    Attribute, COORDS, Dimension, Domain, Enumeration, Named, NamedList, VAR_SIZE, cell_size,
    greatest_index,
};
use crate::error::{Result, SchemaError};
use crate::filter::FilterList;
use crate::platform::lock::OnceValue;
use crate::types::{ArrayType, CellType, DataOrder, Datatype, Layout, NdRange, TimeRange, VAR_NUM};

/// A complete, checked and immutable schema.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySchema {
    /// The format version of its file; for a new schema, the version that will be written.
    pub version: u32,
    /// Dense or sparse.
    pub array_type: ArrayType,
    /// The order of tiles.
    pub tile_order: Layout,
    /// The order of cells within a tile.
    pub cell_order: Layout,
    /// The number of cells per tile of sparse fragments.
    pub capacity: u64,
    /// Whether cells may share coordinates.
    pub allows_dups: bool,
    /// The dimensions.
    pub domain: Domain,
    /// The attributes, in order.
    pub attributes: NamedList<Arc<Attribute>>,
    /// The dimension labels, in order.
    pub labels: NamedList<DimensionLabel>,
    /// The enumerations and their files.
    pub enumerations: NamedList<EnumerationPath>,
    /// The part of the domain in use; `None` if it is the whole domain.
    pub current_domain: Option<NdRange>,
    /// The filters of coordinates of dimensions that have no filters of their own.
    pub coords_filters: Arc<FilterList>,
    /// The filters of the offsets of variable-length fields.
    pub offsets_filters: Arc<FilterList>,
    /// The filters of validity vectors.
    pub validity_filters: Arc<FilterList>,
    /// The file name in `__schema`; empty if the schema is not stored yet.
    pub name: String,
    /// The time at which it was written.
    pub timestamps: TimeRange,
}

/// A dimension label: a separate array that maps values to indexes of a dimension.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DimensionLabel {
    /// The index of the dimension.
    pub dimension: u32,
    /// The name.
    pub name: String,
    /// The URI of its array.
    pub uri: String,
    /// Whether the URI is relative to the array's folder.
    pub uri_is_relative: bool,
    /// The attribute of its array that contains the values.
    pub attribute: String,
    /// The order of the values.
    pub order: DataOrder,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// The number of values per label, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether its array exists independently of this array.
    pub is_external: bool,
    /// The schema of its array until that is created; `None` for labels of stored schemas.
    pub schema: Option<Arc<ArraySchema>>,
}

impl Named for DimensionLabel {
    fn name(&self) -> &str {
        &self.name
    }
}

impl DimensionLabel {
    /// Returns the type of the values.
    pub fn cell_type(&self) -> CellType {
        CellType {
            cell_val_num: self.cell_val_num,
            ..CellType::single(self.datatype)
        }
    }

    /// Returns whether the values have variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }
}

/// An enumeration of a schema: its name, its file, and its values if they are loaded.
#[derive(Clone, Debug)]
pub struct EnumerationPath {
    /// The name.
    pub name: String,
    /// The file name in `__schema/__enumerations`.
    pub file: String,
    loaded: OnceValue<Arc<Enumeration>>,
}

impl PartialEq for EnumerationPath {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.file) == (&other.name, &other.file)
    }
}

impl Named for EnumerationPath {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EnumerationPath {
    /// Creates a reference to a stored enumeration that is not loaded.
    pub fn new(name: String, file: String) -> Self {
        Self {
            name,
            file,
            loaded: OnceValue::new(),
        }
    }

    /// Creates a reference to an enumeration in memory.
    pub fn of(enumeration: Arc<Enumeration>) -> Self {
        Self {
            name: enumeration.name().to_owned(),
            file: enumeration.file().to_owned(),
            loaded: OnceValue::from(enumeration),
        }
    }

    /// Returns the enumeration if it is loaded.
    pub fn loaded(&self) -> Option<&Arc<Enumeration>> {
        self.loaded.get()
    }

    /// Returns the enumeration, calling `load` if it is not loaded yet.
    pub fn get(&self, load: impl FnOnce() -> Result<Enumeration>) -> Result<&Arc<Enumeration>> {
        self.loaded.get_or_try_init(|| load().map(Arc::new))
    }
}

/// A field of an array, for which data buffers can be set.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    /// An attribute and its index.
    Attribute(usize, &'a Arc<Attribute>),
    /// A dimension and its index.
    Dimension(usize, &'a Arc<Dimension>),
    /// The zipped coordinates of a cell as one value, in arrays whose dimensions have the same
    /// fixed-size datatype.
    Coords(&'a Domain),
}

impl<'a> Field<'a> {
    /// Returns the name.
    pub fn name(&self) -> &'a str {
        match self {
            Self::Attribute(_, attribute) => &attribute.name,
            Self::Dimension(_, dimension) => &dimension.name,
            Self::Coords(_) => COORDS,
        }
    }

    /// Returns the type of the cells.
    pub fn cell_type(&self) -> CellType {
        CellType {
            datatype: self.datatype(),
            cell_val_num: self.cell_val_num(),
            nullable: self.is_nullable(),
        }
    }

    /// Returns the datatype of values.
    pub fn datatype(&self) -> Datatype {
        match self {
            Self::Attribute(_, attribute) => attribute.datatype,
            Self::Dimension(_, dimension) => dimension.datatype,
            Self::Coords(domain) => domain.datatype().unwrap_or(Datatype::Any),
        }
    }

    /// Returns the number of values per cell, or `VAR_NUM`.
    pub fn cell_val_num(&self) -> u32 {
        match self {
            Self::Attribute(_, attribute) => attribute.cell_val_num,
            Self::Dimension(_, dimension) => dimension.cell_val_num,
            Self::Coords(domain) => u32::try_from(domain.dimensions.len()).unwrap_or(VAR_NUM),
        }
    }

    /// Returns the size of a cell in bytes; `VAR_SIZE` for variable length.
    pub fn cell_size(&self) -> u64 {
        cell_size(self.datatype(), self.cell_val_num())
    }

    /// Returns whether cells are of variable length.
    pub fn is_var(&self) -> bool {
        self.cell_size() == VAR_SIZE
    }

    /// Returns whether cells may be null.
    pub fn is_nullable(&self) -> bool {
        matches!(self, Self::Attribute(_, attribute) if attribute.nullable)
    }
}

impl ArraySchema {
    /// Returns whether the array stores every cell of the domain.
    pub fn is_dense(&self) -> bool {
        self.array_type == ArrayType::Dense
    }

    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.domain.dimensions.len()
    }

    /// Returns the names of all attributes, followed by those of all dimensions.
    pub fn attribute_and_dimension_names(&self) -> impl Iterator<Item = &str> {
        self.attributes
            .iter()
            .map(|attribute| attribute.name.as_str())
            .chain(
                self.domain
                    .dimensions
                    .iter()
                    .map(|dimension| dimension.name.as_str()),
            )
    }

    /// Returns an attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Attribute>> {
        self.attributes.named(name)
    }

    /// Returns a dimension by name.
    pub fn dimension(&self, name: &str) -> Option<&Arc<Dimension>> {
        self.domain.dimensions.named(name)
    }

    /// Returns an enumeration by name.
    pub fn enumeration(&self, name: &str) -> Option<&EnumerationPath> {
        self.enumerations.named(name)
    }

    /// Keeps enumerations that a server sent, unless they are loaded already.
    pub(crate) fn keep_enumerations(&self, list: &[Arc<Enumeration>]) -> Result<()> {
        for loaded in list {
            if let Some(path) = self.enumeration(loaded.name()) {
                path.get(|| Ok(Enumeration::clone(loaded).stored_in(&path.file)))?;
            }
        }
        Ok(())
    }
    /// Checks that every attribute with one of these enumerations can refer to all their values.
    /// Those that are not loaded are not checked.
    pub fn check_enumerations<'a>(
        &self,
        enumerations: impl IntoIterator<Item = &'a EnumerationPath>,
    ) -> Result<()> {
        for loaded in enumerations.into_iter().filter_map(EnumerationPath::loaded) {
            for attribute in self
                .attributes
                .iter()
                .filter(|attribute| attribute.enumeration.as_deref() == Some(loaded.name()))
            {
                let most = greatest_index(attribute.datatype).saturating_add(1);
                if loaded.len() as u64 > most {
                    return Err(SchemaError::EnumerationPastIndex {
                        name: loaded.name().into(),
                        attribute: attribute.name.clone(),
                        datatype: attribute.datatype.name(),
                        values: loaded.len() as u64,
                        most,
                    }
                    .into());
                }
            }
        }
        Ok(())
    }

    /// Returns a dimension label by name.
    pub fn label(&self, name: &str) -> Option<&DimensionLabel> {
        self.labels.named(name)
    }

    /// Returns a field by name: an attribute, a dimension or the zipped coordinates.
    pub fn field(&self, name: &str) -> Option<Field<'_>> {
        if let Some(index) = self.attributes.index_of(name) {
            return Some(Field::Attribute(index, &self.attributes[index]));
        }
        let dimensions = &self.domain.dimensions;
        if let Some(index) = dimensions.index_of(name) {
            return Some(Field::Dimension(index, &dimensions[index]));
        }
        let zipped = name == COORDS && self.domain.is_fixed() && self.domain.datatype().is_some();
        zipped.then_some(Field::Coords(&self.domain))
    }

    /// Returns the size of a cell of a field in bytes, `VAR_SIZE` for variable length; `None` for
    /// unknown fields.
    pub fn cell_size(&self, name: &str) -> Option<u64> {
        self.field(name).map(|field| field.cell_size())
    }

    /// Returns whether a field has variable length; `false` for unknown fields.
    pub fn is_var(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.is_var())
    }

    /// Returns whether a field is nullable; `false` for unknown fields.
    pub fn is_nullable(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.is_nullable())
    }

    /// Returns the filters of the values of a field. For a dimension without filters the coordinate
    /// filters were substituted when the schema was read, except for format versions with filters
    /// for zipped coordinates only: there, fragments of newer formats store dimensions unfiltered.
    pub fn filters(&self, field: &Field<'_>) -> &Arc<FilterList> {
        match field {
            Field::Attribute(index, _) => self
                .attributes
                .get(*index)
                .map(|attribute| &attribute.filters),
            Field::Dimension(index, _) => self
                .domain
                .dimensions
                .get(*index)
                .map(|dimension| &dimension.filters),
            Field::Coords(_) => None,
        }
        .unwrap_or(&self.coords_filters)
    }
}

/// The properties needed to store and read the cells of a field: of an attribute, of a dimension of
/// a sparse array, or of timestamps and delete metadata that fragments add.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredField {
    /// The name.
    pub name: String,
    /// The type of the cells.
    pub cells: CellType,
    /// The filters of the values.
    pub filters: Arc<FilterList>,
}

impl From<&Dimension> for StoredField {
    fn from(dimension: &Dimension) -> Self {
        Self {
            name: dimension.name.clone(),
            cells: dimension.cell_type(),
            filters: dimension.filters.clone(),
        }
    }
}

impl From<&Attribute> for StoredField {
    fn from(attribute: &Attribute) -> Self {
        Self {
            name: attribute.name.clone(),
            cells: attribute.cell_type(),
            filters: attribute.filters.clone(),
        }
    }
}

impl ArraySchema {
    /// Returns a field as sparse fragments store it. Dense fragments store no dimensions.
    pub fn stored_field(&self, name: &str) -> Option<StoredField> {
        let field = self.field(name)?;
        Some(StoredField {
            name: name.into(),
            cells: field.cell_type(),
            filters: self.filters(&field).clone(),
        })
    }
}
