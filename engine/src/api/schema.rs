//! The schema of an array.

use std::fmt;
use std::sync::Arc;

use super::fragments::{NonEmptyDomain, bounds};
use crate::error::{EnumerationError, Result};
use crate::expression::Scalar;
use crate::filter::FilterList;
use crate::recommend::{self, Recommendation, Sample};
use crate::schema::{
    ArraySchema, Attribute, Dimension, DimensionLabel, Enumeration, EnumerationValues,
};
use crate::types::{ArrayType, Datatype, Layout, VAR_NUM};

/// The dimensions, attributes and other properties of an array. It does not change; a
/// [`SchemaEvolution`](crate::SchemaEvolution) creates a new schema.
///
/// `Display` prints all properties.
#[derive(Clone, Debug)]
pub struct Schema(pub(crate) Arc<ArraySchema>);

impl Schema {
    /// Recommends a schema for cells like those of a sample: extents and capacity for the typical
    /// read, an enumeration for each attribute with texts of few values, and the filters of all
    /// fields of the sample. This schema is the draft: its names, datatypes, domains, orders, and
    /// what the sample has no cells of, stay.
    ///
    /// The recommendation depends on the draft and the sample only, not on the machine: filters are
    /// compared by the size of the encoded sample and by times that were measured in advance.
    ///
    /// ```
    /// use tiledb_engine::{ArrayType, Datatype, Goal, Sample, SampleColumn, Schema};
    ///
    /// # fn main() -> tiledb_engine::Result<()> {
    /// let draft = Schema::builder(ArrayType::Sparse)
    ///     .dimension("row", Datatype::Uint64, 0..=1u64 << 40, 1000)
    ///     .attribute("tree", Datatype::StringUtf8)
    ///     .build()?;
    /// // 10,000 rows with the texts "oak" and "ash".
    /// let rows: Vec<u8> = (0..10_000u64).flat_map(u64::to_le_bytes).collect();
    /// let trees = "oakash".repeat(5000);
    /// let starts: Vec<u64> = (0..10_000).map(|row| 3 * row).collect();
    /// let sample = Sample::new()
    ///     .goal(Goal::Balanced)
    ///     .total_cells(5_000_000)
    ///     .column(SampleColumn { name: "row", data: &rows, ..SampleColumn::default() })
    ///     .column(SampleColumn {
    ///         name: "tree",
    ///         data: trees.as_bytes(),
    ///         offsets: Some(&starts),
    ///         validity: None,
    ///     });
    /// let recommendation = draft.recommend(&sample)?;
    /// for reason in &recommendation.reasons {
    ///     println!("{reason}");
    /// }
    /// let schema = recommendation.schema();
    /// assert_eq!(schema.datatype("tree"), Some(Datatype::Uint16));
    /// assert_eq!(schema.enumeration_names().collect::<Vec<_>>(), ["tree"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the columns of the sample do not fit the fields or each other, or have no cells.
    pub fn recommend(&self, sample: &Sample<'_>) -> Result<Recommendation> {
        recommend::recommend(&self.0, sample)
    }

    /// Returns whether the array is dense.
    pub fn is_dense(&self) -> bool {
        self.0.is_dense()
    }

    /// Returns the type of the array.
    pub fn array_type(&self) -> ArrayType {
        self.0.array_type
    }

    /// Returns the dimensions.
    pub fn dimensions(&self) -> &[Arc<Dimension>] {
        &self.0.domain.dimensions
    }

    /// Returns the attributes.
    pub fn attributes(&self) -> &[Arc<Attribute>] {
        &self.0.attributes
    }

    /// Returns the dimension with a name.
    pub fn dimension(&self, name: &str) -> Option<&Arc<Dimension>> {
        self.0.dimension(name)
    }

    /// Returns the attribute with a name.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Attribute>> {
        self.0.attribute(name)
    }

    /// Returns the names of the dimensions followed by those of the attributes.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.dimensions()
            .iter()
            .map(|dimension| dimension.name.as_str())
            .chain(
                self.attributes()
                    .iter()
                    .map(|attribute| attribute.name.as_str()),
            )
    }

    /// Returns the datatype of a dimension, an attribute or a dimension label.
    pub fn datatype(&self, field: &str) -> Option<Datatype> {
        self.dimension(field)
            .map(|dimension| dimension.datatype)
            .or_else(|| self.attribute(field).map(|attribute| attribute.datatype))
            .or_else(|| self.label(field).map(|label| label.datatype))
    }

    /// Returns the names of the enumerations.
    pub fn enumeration_names(&self) -> impl Iterator<Item = &str> {
        self.0
            .enumerations
            .iter()
            .map(|enumeration| enumeration.name.as_str())
    }

    /// Returns the part of the domain to which cells are restricted, if the schema has one.
    pub fn current_domain(&self) -> Option<NonEmptyDomain> {
        let ranges = self.0.current_domain.as_ref()?;
        Some(bounds(&self.0, ranges))
    }

    /// Returns the names of the dimension labels, each with the name of its dimension.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.labels.iter().filter_map(|label| {
            let dimension = self.dimensions().get(label.dimension as usize)?;
            Some((label.name.as_str(), dimension.name.as_str()))
        })
    }

    /// Returns the dimension label with a name.
    pub fn label(&self, name: &str) -> Option<&DimensionLabel> {
        self.0.label(name)
    }

    /// Returns the order of tiles.
    pub fn tile_order(&self) -> Layout {
        self.0.tile_order
    }

    /// Returns the order of cells in a tile.
    pub fn cell_order(&self) -> Layout {
        self.0.cell_order
    }

    /// Returns the number of cells in a tile of a sparse array.
    pub fn capacity(&self) -> u64 {
        self.0.capacity
    }

    /// Returns whether several cells of a sparse array may have the same coordinates.
    pub fn allows_duplicates(&self) -> bool {
        self.0.allows_dups
    }

    /// Returns the format version of its file.
    pub fn version(&self) -> u32 {
        self.0.version
    }

    /// Returns the filters of a dimension or an attribute.
    pub fn filters(&self, field: &str) -> Option<&FilterList> {
        self.dimension(field)
            .map(|dimension| &*dimension.filters)
            .or_else(|| self.attribute(field).map(|attribute| &*attribute.filters))
    }

    /// Returns the filters of the offsets of all fields of variable length.
    pub fn offsets_filters(&self) -> &FilterList {
        &self.0.offsets_filters
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Recommendation {
    /// Returns the recommended schema.
    pub fn schema(&self) -> Schema {
        Schema(self.schema.clone())
    }
}

impl Dimension {
    /// Returns the lower and the upper bound of the domain; `None` for dimensions of strings.
    pub fn bounds(&self) -> Option<(Scalar, Scalar)> {
        let domain = self.domain.as_ref()?;
        let scalar = |bytes| Scalar::from_bytes(self.datatype, bytes);
        Some((scalar(domain.start()), scalar(domain.end())))
    }

    /// Returns the tile extent; `None` for dimensions without tiles.
    pub fn tile_extent(&self) -> Option<Scalar> {
        let extent = self.extent.as_ref()?;
        // The extent of a datetime is a number of its units.
        Some(Scalar::from_bytes(self.datatype, extent))
    }
}

impl Attribute {
    /// Creates an attribute: strings of any length, or one value per cell.
    pub fn of(name: &str, datatype: Datatype) -> Self {
        let mut attribute = Self::new(name, datatype);
        if datatype.is_string() || datatype.is_bytes() {
            // Variable length is valid for every datatype.
            let _ = attribute.set_cell_val_num(VAR_NUM);
        }
        attribute
    }

    /// Returns the attribute with cells that may be null.
    #[must_use]
    pub fn with_nulls(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Returns the attribute with this number of values per cell.
    ///
    /// # Errors
    ///
    /// If the number is 0, or cells are larger than 4 GB.
    pub fn with_values_per_cell(mut self, number: u32) -> Result<Self> {
        self.set_cell_val_num(number)?;
        Ok(self)
    }

    /// Returns the attribute with any number of values per cell.
    #[must_use]
    pub fn with_any_number_of_values(mut self) -> Self {
        // Variable length is valid for every datatype.
        let _ = self.set_cell_val_num(VAR_NUM);
        self
    }

    /// Returns the attribute with filters.
    ///
    /// # Errors
    ///
    /// If a filter does not accept the datatype.
    pub fn with_filters(mut self, filters: FilterList) -> Result<Self> {
        self.set_filters(Arc::new(filters))?;
        Ok(self)
    }

    /// Returns the attribute with the value of cells that were not written.
    ///
    /// # Errors
    ///
    /// If the value does not have the datatype.
    pub fn with_fill_value(mut self, value: impl Into<Scalar>) -> Result<Self> {
        let bytes = value.into().to_bytes(self.datatype)?;
        let validity = self.nullable.then_some(1);
        self.set_fill_value(Some(&bytes), validity)?;
        Ok(self)
    }

    /// Returns the attribute with the values of an enumeration, whose indexes cells contain.
    #[must_use]
    pub fn with_enumeration(mut self, name: &str) -> Self {
        self.enumeration = Some(name.to_owned());
        self
    }
}

impl Enumeration {
    /// Creates an enumeration of texts. In an ordered one, conditions can use `<` and `>`.
    ///
    /// # Errors
    ///
    /// If the name is empty or two values are equal.
    pub fn of_texts<T: AsRef<str>>(
        name: &str,
        ordered: bool,
        values: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let (data, offsets) = concatenated(values);
        let values = if offsets.is_empty() {
            EnumerationValues::default()
        } else {
            EnumerationValues {
                data: Some(&data),
                offsets: Some(&offsets),
            }
        };
        Self::new(name, Datatype::StringUtf8, VAR_NUM, ordered, values)
    }

    /// Returns the enumeration with more values.
    ///
    /// # Errors
    ///
    /// If a value exists already, or the values of the enumeration are not texts.
    pub fn with_texts<T: AsRef<str>>(&self, values: impl IntoIterator<Item = T>) -> Result<Self> {
        if !self.is_var() {
            return Err(EnumerationError::NotTexts.into());
        }
        let (data, offsets) = concatenated(values);
        self.extend(EnumerationValues {
            // An empty text has no bytes.
            data: Some(&data[..]).filter(|data| !data.is_empty()),
            offsets: Some(&offsets),
        })
    }

    /// Returns the values.
    pub fn values(&self) -> impl Iterator<Item = Scalar> {
        (0..self.len() as u64)
            .filter_map(|index| self.get(index))
            .map(|bytes| Scalar::from_bytes(self.datatype(), bytes))
    }
}

/// Returns concatenated texts and the bytes of their starts.
fn concatenated<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> (Vec<u8>, Vec<u8>) {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for text in texts {
        offsets.extend((data.len() as u64).to_le_bytes());
        data.extend_from_slice(text.as_ref().as_bytes());
    }
    (data, offsets)
}
