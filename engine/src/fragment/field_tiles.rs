//! The stored tiles of one field of a fragment.

use std::sync::Arc;

use super::{Fragment, Part, Slot};
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::schema::StoredField;
use crate::tile::{Source, StoredTile, values_pipeline};
use crate::types::Datatype;
use crate::vfs::ReadFile;

/// Where a fragment keeps a field, and what undoes its filters.
#[derive(Debug)]
pub struct FieldTiles {
    slot: Slot,
    fixed: Pipeline,
    var: Option<Pipeline>,
    validity: Option<Pipeline>,
}

impl FieldTiles {
    /// Finds a field; `None` where the fragment was written without it.
    pub fn open(fragment: &Fragment, wanted: &StoredField) -> Result<Option<Self>> {
        let schema = fragment.schema();
        let found = schema.stored_field(&wanted.name);
        // An attribute that was dropped and added again with another shape has none of the old cells.
        let same = |found: &StoredField| {
            found.datatype == wanted.datatype
                && found.cell_val_num == wanted.cell_val_num
                && found.nullable == wanted.nullable
        };
        let (Some(field), Some(slot)) = (found.filter(same), fragment.slot(&wanted.name)) else {
            return Ok(None);
        };
        let key = fragment.key();
        let data = values_pipeline(&field, fragment.version(), key)?;
        let (fixed, var) = if field.is_var() {
            (
                Pipeline::new(schema.offsets_filters.clone(), Datatype::Uint64, key)?,
                Some(data),
            )
        } else {
            (data, None)
        };
        let validity = match field.nullable {
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
    pub fn var_size(&self, fragment: &Fragment, tile: u64) -> Result<usize> {
        let size = fragment.var_size(self.slot, tile)?;
        usize::try_from(size).map_err(|_| Error::OutOfMemory {
            what: "a tile",
            bytes: size,
        })
    }

    /// Calls `body` with a stored tile of `len` bytes in memory.
    pub fn with_tile<T>(
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
