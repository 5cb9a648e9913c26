//! A builder of schemas.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::evolution::rectangle;
use super::schema::Schema;
use crate::error::{ApiError, Error, Result};
use crate::expression::Scalar;
use crate::filter::FilterList;
use crate::schema::{Attribute, Dimension, DomainDraft, Enumeration, SchemaDraft, shared};
use crate::types::{ArrayType, DataOrder, Datatype, Layout};

/// A schema that is being built. The first error is returned by [`build`](SchemaBuilder::build).
#[derive(Debug)]
pub struct SchemaBuilder {
    draft: SchemaDraft,
    dimensions: Vec<Dimension>,
    attributes: Vec<Attribute>,
    labels: Vec<NewLabel>,
    current_domain: Option<Vec<(Scalar, Scalar)>>,
    problem: Option<Error>,
}

/// A dimension label that is added when the domain is complete.
#[derive(Debug)]
struct NewLabel {
    dimension: String,
    name: String,
    order: DataOrder,
    datatype: Datatype,
    filters: Option<Arc<FilterList>>,
}

impl NewLabel {
    fn add_to(self, draft: &mut SchemaDraft, dimensions: &[String]) -> Result<()> {
        let index = dimensions
            .iter()
            .position(|name| *name == self.dimension)
            .ok_or(ApiError::UnknownDimension {
                name: self.dimension,
            })?;
        draft.add_label(index as u32, &self.name, self.order, self.datatype)?;
        match self.filters {
            Some(filters) => draft.set_label_filters(&self.name, filters),
            None => Ok(()),
        }
    }
}

impl SchemaBuilder {
    pub(super) fn new(array_type: ArrayType) -> Self {
        Self {
            draft: SchemaDraft::new(array_type, None),
            dimensions: Vec::new(),
            attributes: Vec::new(),
            labels: Vec::new(),
            current_domain: None,
            problem: None,
        }
    }

    /// Runs a step and keeps its error if it is the first one.
    pub(super) fn step(mut self, step: impl FnOnce(&mut Self) -> Result<()>) -> Self {
        if self.problem.is_none() {
            self.problem = step(&mut self).err();
        }
        self
    }

    /// Adds a dimension of numbers, datetimes or times, with its domain (both bounds included) and
    /// the extent of its tiles. The bounds of datetimes may be texts such as `"2024-02-29"`.
    #[must_use]
    pub fn dimension<V: Into<Scalar>>(
        self,
        name: &str,
        datatype: Datatype,
        domain: RangeInclusive<V>,
        extent: impl Into<Scalar>,
    ) -> Self {
        self.step(|builder| {
            let bytes = |value: Scalar| {
                let bytes = value.to_bytes(datatype);
                bytes.map_err(|cause| {
                    Error::from(ApiError::WrongBound {
                        cause,
                        name: name.into(),
                    })
                })
            };
            let (low, high) = domain.into_inner();
            let mut domain = bytes(low.into())?;
            domain.extend(bytes(high.into())?);
            let extent = bytes(extent.into())?;
            let dimension = Dimension::new(name, datatype, Some(&domain), Some(&extent))?;
            builder.dimensions.push(dimension);
            Ok(())
        })
    }

    /// Adds a dimension of strings, which only sparse arrays can have.
    #[must_use]
    pub fn string_dimension(self, name: &str) -> Self {
        self.step(|builder| {
            let dimension = Dimension::new(name, Datatype::StringAscii, None, None)?;
            builder.dimensions.push(dimension);
            Ok(())
        })
    }

    /// Adds a dimension, such as one of another schema.
    #[must_use]
    pub fn with_dimension(mut self, dimension: Dimension) -> Self {
        self.dimensions.push(dimension);
        self
    }

    /// Returns the datatype of a dimension that was added.
    #[cfg(feature = "arrow")]
    pub(super) fn dimension_type(&self, name: &str) -> Option<Datatype> {
        let found = self
            .dimensions
            .iter()
            .find(|dimension| dimension.name == name);
        found.map(|dimension| dimension.datatype)
    }

    /// Adds an attribute: strings or bytes of any length, or one value per cell. For other
    /// properties, use [`with_attribute`](SchemaBuilder::with_attribute).
    #[must_use]
    pub fn attribute(self, name: &str, datatype: Datatype) -> Self {
        self.with_attribute(Attribute::of(name, datatype))
    }

    /// Adds an attribute whose cells may be null.
    #[must_use]
    pub fn nullable_attribute(self, name: &str, datatype: Datatype) -> Self {
        self.with_attribute(Attribute::of(name, datatype).with_nulls())
    }

    /// Adds an attribute.
    #[must_use]
    pub fn with_attribute(mut self, attribute: Attribute) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Adds a label of a dimension of a dense array: a value for each of its indexes, by which
    /// reads select cells ([`ReadQuery::range`](crate::ReadQuery::range)). The values increase or
    /// decrease with the index. They are numbers, datetimes, times or strings (`STRING_ASCII`).
    ///
    /// ```
    /// use tiledb_engine::{Array, ArrayType, Context, DataOrder, Datatype, Schema};
    ///
    /// # fn main() -> tiledb_engine::Result<()> {
    /// let context = Context::new()?;
    /// let schema = Schema::builder(ArrayType::Dense)
    ///     .dimension("row", Datatype::Int32, 0..=3, 2)
    ///     .label("row", "depth", DataOrder::Increasing, Datatype::Float64)
    ///     .attribute("temperature", Datatype::Int32)
    ///     .build()?;
    /// Array::create(&context, "mem://soil", &schema)?;
    /// let mut array = Array::open(&context, "mem://soil")?;
    /// array
    ///     .write()
    ///     .range("row", 0..=3)
    ///     .column("depth", [0.0, 0.5, 1.5, 4.0])
    ///     .column("temperature", [21, 18, 14, 11])
    ///     .submit()?;
    /// array.reopen()?;
    ///
    /// let records = array.query().fields(["depth", "temperature"]).range("depth", 0.5..=2.0);
    /// let records = records.collect()?;
    /// assert_eq!(records.values::<f64>("depth")?, [0.5, 1.5]);
    /// assert_eq!(records.values::<i32>("temperature")?, [18, 14]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn label(
        mut self,
        dimension: &str,
        name: &str,
        order: DataOrder,
        datatype: Datatype,
    ) -> Self {
        self.labels.push(NewLabel {
            dimension: dimension.to_owned(),
            name: name.to_owned(),
            order,
            datatype,
            filters: None,
        });
        self
    }

    /// Adds an enumeration, to which attributes refer by name.
    #[must_use]
    pub fn enumeration(self, enumeration: Enumeration) -> Self {
        self.step(|builder| builder.draft.add_enumeration(&Arc::new(enumeration)))
    }

    /// Sets the filters of a dimension, an attribute or a dimension label that was added before.
    #[must_use]
    pub fn filters(self, field: &str, filters: FilterList) -> Self {
        self.step(|builder| {
            let filters = Arc::new(filters);
            let attribute = builder
                .attributes
                .iter_mut()
                .find(|attribute| attribute.name == field);
            if let Some(attribute) = attribute {
                return attribute.set_filters(filters);
            }
            let dimension = builder
                .dimensions
                .iter_mut()
                .find(|dimension| dimension.name == field);
            if let Some(dimension) = dimension {
                return dimension.set_filters(filters);
            }
            let label = builder
                .labels
                .iter_mut()
                .find(|label| label.name == field)
                .ok_or_else(|| ApiError::NoFieldForFilters {
                    field: field.into(),
                })?;
            label.filters = Some(filters);
            Ok(())
        })
    }

    /// Sets the filters of the offsets of all fields of variable length; zstd by default.
    #[must_use]
    pub fn offsets_filters(mut self, filters: FilterList) -> Self {
        self.draft.set_offsets_filters(Arc::new(filters));
        self
    }

    /// Sets the order of tiles; row-major by default.
    #[must_use]
    pub fn tile_order(self, order: Layout) -> Self {
        self.step(|builder| builder.draft.set_tile_order(order))
    }

    /// Sets the order of cells in a tile; row-major by default.
    #[must_use]
    pub fn cell_order(self, order: Layout) -> Self {
        self.step(|builder| builder.draft.set_cell_order(order))
    }

    /// Sets the number of cells in a tile of a sparse array; 10,000 by default.
    #[must_use]
    pub fn capacity(self, cells: u64) -> Self {
        self.step(|builder| builder.draft.set_capacity(cells))
    }

    /// Sets whether several cells of a sparse array may have the same coordinates. Otherwise the
    /// cell that was written last replaces the others.
    #[must_use]
    pub fn allow_duplicates(self, allow: bool) -> Self {
        self.step(|builder| builder.draft.set_allows_dups(allow))
    }

    /// Restricts cells to a part of the domain, one pair of bounds for each dimension.
    /// [`SchemaEvolution::expand_to`](crate::SchemaEvolution::expand_to) expands it.
    #[must_use]
    pub fn current_domain(mut self, bounds: impl IntoIterator<Item = (Scalar, Scalar)>) -> Self {
        self.current_domain = Some(bounds.into_iter().collect());
        self
    }

    /// Returns the schema.
    ///
    /// # Errors
    ///
    /// If a step had invalid arguments, or the parts do not fit together.
    pub fn build(self) -> Result<Schema> {
        let Self {
            mut draft,
            dimensions,
            attributes,
            labels,
            current_domain,
            problem,
        } = self;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let names: Vec<String> = dimensions
            .iter()
            .map(|dimension| dimension.name.clone())
            .collect();
        let dimensions = dimensions.into_iter().map(shared).collect();
        draft.set_domain(&shared(DomainDraft { dimensions }))?;
        if let Some(bounds) = current_domain {
            let rectangle = rectangle(&draft.snapshot().domain, &bounds)?;
            draft.current_domain = Some(shared(rectangle));
        }
        for attribute in attributes {
            draft.add_attribute(&shared(attribute))?;
        }
        for label in labels {
            label.add_to(&mut draft, &names)?;
        }
        Ok(Schema(Arc::new(draft.finish()?)))
    }
}

impl Schema {
    /// Returns a builder of a schema.
    pub fn builder(array_type: ArrayType) -> SchemaBuilder {
        SchemaBuilder::new(array_type)
    }
}
