//! The coordinates of a fragment, tile by tile, whatever the format stores.

use std::sync::Arc;

use super::tiles::{FieldTable, FragmentSource, ReadMeters, SparseField, TileLoader};
use crate::error::Result;
use crate::fragment::Fragment;
use crate::tile::Cells;

/// The coordinates of a sparse fragment.
#[derive(Debug)]
pub struct FragmentCoordinates {
    loader: TileLoader,
}

impl FragmentCoordinates {
    /// Prepares to read the coordinates of `fragment`.
    pub fn new(fragment: &Arc<Fragment>) -> Result<Self> {
        let schema = fragment.schema();
        let names = schema
            .domain
            .dimensions
            .iter()
            .map(|dimension| dimension.name.as_str());
        let fields: Vec<_> = names
            .map(|name| SparseField::new(schema, name))
            .collect::<Result<_>>()?;
        let meters = ReadMeters::default();
        let source = FragmentSource::new(fragment.clone(), false, fields.len(), &meters);
        Ok(Self {
            loader: TileLoader::new(FieldTable::new(fields, 0), vec![source]),
        })
    }

    /// Returns the number of cells of a tile.
    pub fn cell_num(&self, tile: u64) -> Result<usize> {
        self.loader.sources[0].cell_num(tile)
    }

    /// Returns the coordinates of a tile, one column per dimension.
    pub fn tile(&self, tile: u64) -> Result<Vec<Cells>> {
        let tile = self.loader.tile(0, tile)?;
        let fields = 0..self.loader.fields.len();
        fields
            .map(|field| {
                let mut cells = Cells::default();
                self.loader.load(&tile, field, &mut cells)?;
                Ok(cells)
            })
            .collect()
    }
}
