//! The metadata file of a fragment that is being written.

use super::super::metadata::Contents;
use super::super::open::dense_tile_num;
use super::super::rtree;
use super::FragmentWriter;
use crate::error::{Error, FragmentError, Result};
use crate::format::fragment::{Columns, Footer, FooterHead, RTree, slot_num};
use crate::format::version as v;
use crate::geometry::TileGrid;

impl FragmentWriter {
    /// Returns the content of the metadata file.
    pub(super) fn metadata(&self) -> Result<Vec<u8>> {
        let (tile_num, tile_cell_num, rtree) = if self.dense {
            let tile_num = dense_tile_num(&self.schema, self.non_empty_domain.as_ref());
            let cells = TileGrid::new(&self.schema)?.tile_cell_num;
            (tile_num, cells, RTree::empty())
        } else {
            let rtree = rtree::build(self.mbrs.clone(), &self.schema);
            (Some(rtree.leaf_num() as u64), self.schema.capacity, rtree)
        };
        let outside = || Error::from(FragmentError::OutsideDomain);
        let tile_num = tile_num.ok_or_else(outside)?;
        for field in &self.fields {
            field.check_tile_num(tile_num)?;
        }
        let last_tile_cell_num = match self.last_tile_cell_num {
            0 => tile_cell_num,
            some => some,
        };
        self.meter.add_tiles(tile_num);
        let full_tiles = tile_num.saturating_sub(1).saturating_mul(tile_cell_num);
        self.meter
            .add_cells(full_tiles.saturating_add(last_tile_cell_num));
        let contents = Contents {
            schema: &self.schema,
            fields: &self.fields,
            rtree: &rtree,
            order_bounds: &self.order_bounds,
            tile_num,
            tile_cell_num,
            last_tile_cell_num,
            processed: &self.processed,
            key: self.key.as_ref(),
        };
        contents.encode(self.footer(tile_num, last_tile_cell_num))
    }

    /// Returns the footer without the positions of the sections.
    fn footer(&self, tile_num: u64, last_tile_cell_num: u64) -> Footer {
        let version = self.name.version();
        let named = version >= v::FOOTER_NAMES_SCHEMA;
        Footer {
            head: FooterHead {
                version,
                schema_name: named.then(|| self.schema.name.as_str().into()),
            },
            dense: self.dense,
            non_empty_domain: self.non_empty_domain.clone(),
            sparse_tile_num: if self.dense { 0 } else { tile_num },
            last_tile_cell_num,
            has_timestamps: self.has_timestamps,
            has_delete_metadata: self.has_delete_metadata,
            columns: Columns::new(slot_num(
                &self.schema,
                version,
                self.has_timestamps,
                self.has_delete_metadata,
            )),
            rtree: 0,
            fragment_stats: 0,
            processed_conditions: 0,
            global_order_bounds: Vec::new(),
        }
    }
}
