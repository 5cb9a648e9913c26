//! The construction of dimension labels and of the schemas of the arrays that contain their values.

use std::sync::Arc;

use super::{ArraySchema, Attribute, Dimension, DimensionLabel, DomainDraft, SchemaDraft, shared};
use crate::error::{Error, LabelError, Result};
use crate::filter::FilterList;
use crate::types::{ArrayType, DataOrder, Datatype, Timestamp, VAR_NUM};

/// The name of the dimension of label arrays.
const INDEX: &str = "index";
/// The name of their attribute.
const LABEL: &str = "label";

impl DimensionLabel {
    /// Creates a label of `dimension`, which has this index, for values of this datatype and order.
    /// Its array gets the tile extent of the dimension. `uri` is relative to the array's folder.
    pub(super) fn new(
        name: &str,
        uri: String,
        index: u32,
        dimension: &Dimension,
        order: DataOrder,
        datatype: Datatype,
        timestamp: Timestamp,
    ) -> Result<Self> {
        let cell_val_num = match datatype {
            Datatype::StringAscii => VAR_NUM,
            _ => 1,
        };
        let index_type = dimension.datatype;
        if !(index_type.is_integer() || index_type.is_datetime() || index_type.is_time()) {
            return Err(LabelError::BadDimensionType {
                label: name.to_owned(),
                datatype: index_type.name(),
            }
            .into());
        }
        if !Dimension::supports(datatype) {
            let datatype = datatype.name();
            return Err(LabelError::BadType {
                label: name.to_owned(),
                datatype,
            }
            .into());
        }
        let mut values = Attribute::new(LABEL, datatype);
        values.set_cell_val_num(cell_val_num)?;
        values.order = order;
        let schema = label_schema(dimension, values, timestamp)?;
        Ok(Self {
            dimension: index,
            name: name.to_owned(),
            uri,
            uri_is_relative: true,
            attribute: LABEL.to_owned(),
            order,
            datatype,
            cell_val_num,
            is_external: false,
            schema: Some(Arc::new(schema)),
        })
    }

    /// Returns the schema of an array that is not created yet, or an error about setting `subject`.
    pub(super) fn new_schema(&mut self, subject: &'static str) -> Result<&mut ArraySchema> {
        let schema = self.schema.as_mut().ok_or_else(|| {
            let name = &self.name;
            Error::from(LabelError::NoSchema {
                label: name.clone(),
                subject,
            })
        })?;
        Ok(Arc::make_mut(schema))
    }

    /// Sets the filters of the values of a label whose array is not created yet.
    pub(super) fn set_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        let schema = self.new_schema("filter pipeline")?;
        schema
            .attributes
            .update(|attributes| match attributes.first_mut() {
                Some(values) => Arc::make_mut(values).set_filters(filters),
                None => Ok(()),
            })
    }

    /// Sets the tile extent of a label whose array is not created yet: a value of the dimension's
    /// datatype, or `None` for a single tile.
    pub(super) fn set_extent(&mut self, datatype: Datatype, extent: Option<&[u8]>) -> Result<()> {
        let name = self.name.clone();
        let schema = self.new_schema("tile extent")?;
        schema.domain.dimensions.update(|dimensions| {
            let Some(index) = dimensions.first_mut() else {
                return Ok(());
            };
            if index.datatype != datatype {
                return Err(LabelError::ExtentType {
                    label: name,
                    datatype: index.datatype.name(),
                    given: datatype.name(),
                }
                .into());
            }
            let index = Arc::make_mut(index);
            match extent {
                Some(extent) => index.set_extent(extent),
                None => {
                    index.extent = None;
                    index.fill_extent();
                    Ok(())
                }
            }
        })
    }

    /// Returns an error unless `schema` is suitable for an array that contains the values of this
    /// label of `dimension`.
    pub fn check_schema(&self, dimension: &Dimension, schema: &ArraySchema) -> Result<()> {
        let [indexes] = &schema.domain.dimensions[..] else {
            return Err(LabelError::DimensionNumber {
                label: self.name.clone(),
                number: schema.dim_num(),
            }
            .into());
        };
        if indexes.datatype != dimension.datatype {
            return Err(LabelError::DimensionType {
                found: indexes.datatype.name(),
                expected: dimension.datatype.name(),
            }
            .into());
        }
        let Some(values) = schema.attribute(&self.attribute) else {
            return Err(LabelError::NoAttribute {
                name: self.attribute.clone(),
            }
            .into());
        };
        if values.order != self.order {
            let (found, expected) = (values.order.name(), self.order.name());
            return Err(LabelError::Order { found, expected }.into());
        }
        if values.datatype != self.datatype {
            let (found, expected) = (values.datatype.name(), self.datatype.name());
            return Err(LabelError::Type { found, expected }.into());
        }
        if values.cell_val_num != self.cell_val_num {
            return Err(LabelError::ValueNumber {
                found: values.cell_val_num,
                expected: self.cell_val_num,
            }
            .into());
        }
        if values.nullable || !schema.is_dense() {
            return Err(LabelError::NullableOrSparse {
                label: self.name.clone(),
            }
            .into());
        }
        Ok(())
    }
}

/// Returns the schema of an array that contains the values of a label at the indexes of
/// `dimension`.
fn label_schema(
    dimension: &Dimension,
    values: Attribute,
    timestamp: Timestamp,
) -> Result<ArraySchema> {
    let indexes = Dimension {
        name: INDEX.to_owned(),
        filters: Arc::default(),
        ..dimension.clone()
    };
    let domain = DomainDraft {
        dimensions: vec![shared(indexes)],
    };
    let mut draft = SchemaDraft::new(ArrayType::Dense, Some(timestamp));
    draft.set_domain(&shared(domain))?;
    draft.add_attribute(&shared(values))?;
    draft.finish()
}
