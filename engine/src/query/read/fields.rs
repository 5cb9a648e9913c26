//! The fields of a read: what each is in the array's schema, and where each fragment keeps it.

use std::sync::{Arc, OnceLock};

use super::plan::Layer;
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::fragment::{Fragment, Part, Slot};
use crate::schema::{ArraySchema, Attribute};
use crate::tile::{Source, StoredTile, values_pipeline};
use crate::types::{Datatype, VAR_NUM};
use crate::vfs::ReadFile;

/// A field that a query reads.
#[derive(Debug)]
pub(super) enum ReadField {
    /// Coordinates of the result, made, not read.
    Dimension(usize),
    /// An attribute.
    Attribute(AttributeRead),
}

/// An attribute that a query reads.
#[derive(Debug)]
pub(super) struct AttributeRead {
    pub(super) attribute: Arc<Attribute>,
    /// The bytes of a value.
    pub(super) value_size: usize,
    /// The bytes of a cell; of an offset where cells vary.
    pub(super) cell_size: usize,
    /// Where each layer keeps it; `None` where the fragment was written without it.
    sources: Vec<OnceLock<Option<FieldSource>>>,
}

/// Where a fragment keeps a field, and what undoes its filters.
#[derive(Debug)]
pub(super) struct FieldSource {
    slot: Slot,
    fixed: Pipeline,
    var: Option<Pipeline>,
    validity: Option<Pipeline>,
}

impl FieldSource {
    fn new(fragment: &Fragment, wanted: &Attribute) -> Result<Option<Self>> {
        let schema = fragment.schema();
        let found = schema
            .attributes
            .iter()
            .find(|attribute| attribute.name == wanted.name);
        // An attribute that was dropped and added again with another shape has none of the old cells.
        let same = |found: &&Arc<Attribute>| {
            found.datatype == wanted.datatype
                && found.cell_val_num == wanted.cell_val_num
                && found.nullable == wanted.nullable
        };
        let (Some(attribute), Some(slot)) = (found.filter(same), fragment.slot(&wanted.name))
        else {
            return Ok(None);
        };
        let key = fragment.key();
        let data = values_pipeline(attribute, fragment.version(), key)?;
        let (fixed, var) = if attribute.cell_val_num == VAR_NUM {
            (
                Pipeline::new(schema.offsets_filters.clone(), Datatype::Uint64, key)?,
                Some(data),
            )
        } else {
            (data, None)
        };
        let validity = match attribute.nullable {
            true => Some(Pipeline::new(
                schema.validity_filters.clone(),
                Datatype::Uint8,
                key,
            )?),
            false => None,
        };
        Ok(Some(Self {
            slot,
            fixed,
            var,
            validity,
        }))
    }

    /// The pipeline of one of its files.
    fn pipeline(&self, part: Part) -> Option<&Pipeline> {
        match part {
            Part::Fixed => Some(&self.fixed),
            Part::Var => self.var.as_ref(),
            Part::Validity => self.validity.as_ref(),
        }
    }

    /// The size in memory of a tile of variable-length values.
    pub(super) fn var_size(&self, fragment: &Fragment, tile: u64) -> Result<usize> {
        let size = fragment.var_size(self.slot, tile)?;
        usize::try_from(size).map_err(|_| Error::OutOfMemory {
            what: "a tile",
            bytes: size,
        })
    }

    /// Calls `body` with a stored tile of `len` bytes in memory.
    pub(super) fn with_tile<T>(
        &self,
        fragment: &Fragment,
        part: Part,
        tile: u64,
        len: usize,
        body: impl FnOnce(&StoredTile<'_>) -> Result<T>,
    ) -> Result<T> {
        let pipeline = self.pipeline(part).ok_or_else(|| {
            Error::usage(
                "DenseReader",
                format!("Fragment '{}' lacks a file of the field", fragment.uri()),
            )
        })?;
        let file: Arc<ReadFile> = fragment.file(self.slot, part)?;
        let range = fragment.stored_range(self.slot, part, tile)?;
        let source = Source {
            file: &file,
            place: fragment.uri(),
            range,
        };
        body(&StoredTile {
            source,
            pipeline,
            len,
        })
    }
}

impl AttributeRead {
    /// Where a layer keeps it.
    pub(super) fn source(&self, layers: &[Layer], at: usize) -> Result<Option<&FieldSource>> {
        if let Some(known) = self.sources[at].get() {
            return Ok(known.as_ref());
        }
        let found = FieldSource::new(&layers[at].fragment, &self.attribute)?;
        Ok(self.sources[at].get_or_init(|| found).as_ref())
    }

    /// Whether cells vary in length.
    pub(super) fn is_var(&self) -> bool {
        self.attribute.cell_val_num == VAR_NUM
    }
}

impl ReadField {
    pub(super) fn new(schema: &ArraySchema, name: &str, layers: usize) -> Result<Self> {
        if let Some(attribute) = schema
            .attributes
            .iter()
            .find(|attribute| attribute.name == name)
        {
            let value_size = attribute.datatype.size();
            let var = attribute.cell_val_num == VAR_NUM;
            return Ok(Self::Attribute(AttributeRead {
                attribute: attribute.clone(),
                value_size,
                cell_size: if var {
                    8
                } else {
                    value_size * attribute.cell_val_num as usize
                },
                sources: (0..layers).map(|_| OnceLock::new()).collect(),
            }));
        }
        let dimension = schema
            .domain
            .dimensions
            .iter()
            .position(|dimension| dimension.name == name);
        dimension.map(Self::Dimension).ok_or_else(|| {
            Error::usage(
                "DenseReader",
                format!("Cannot read field '{name}'; the array has none of that name"),
            )
        })
    }
}
