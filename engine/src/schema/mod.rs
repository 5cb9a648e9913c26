//! The model of an array: dimensions, domain, attributes, schema, and their rules. No bytes of files here.

use std::sync::Arc;

use crate::filter::FilterList;
use crate::types::{ArrayType, DataOrder, Datatype, Layout, Range, TimeRange};

/// A dimension.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of coordinates.
    pub datatype: Datatype,
    /// 1, or `VAR_NUM` for text.
    pub cell_val_num: u32,
    /// The domain; `None` for text.
    pub domain: Option<Range>,
    /// The tile extent, as bytes of the datatype.
    pub extent: Option<Box<[u8]>>,
    /// The filters of its coordinates; empty ones give way to the schema's coordinate filters.
    pub filters: Arc<FilterList>,
}

/// An attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of values.
    pub datatype: Datatype,
    /// Values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// What unwritten cells read as.
    pub fill_value: Vec<u8>,
    /// The validity of unwritten cells.
    pub fill_validity: u8,
    /// The filters of its values.
    pub filters: Arc<FilterList>,
    /// The order its values are in.
    pub order: DataOrder,
    /// The enumeration whose indexes it holds.
    pub enumeration: Option<String>,
}

/// The dimensions of an array.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    /// The dimensions, in order.
    pub dimensions: Vec<Arc<Dimension>>,
}

/// A schema, whole and checked.
#[derive(Clone, Debug)]
pub struct ArraySchema {
    /// The format version of files written by it.
    pub version: u32,
    /// Dense or sparse.
    pub array_type: ArrayType,
    /// The order of tiles.
    pub tile_order: Layout,
    /// The order of cells within a tile.
    pub cell_order: Layout,
    /// Cells per tile of sparse fragments.
    pub capacity: u64,
    /// Whether cells may share coordinates.
    pub allows_dups: bool,
    /// The dimensions.
    pub domain: Domain,
    /// The attributes, in order.
    pub attributes: Vec<Arc<Attribute>>,
    /// Filters of coordinates whose dimension has none.
    pub coords_filters: Arc<FilterList>,
    /// Filters of the offsets of variable-length fields.
    pub offsets_filters: Arc<FilterList>,
    /// Filters of validity vectors.
    pub validity_filters: Arc<FilterList>,
    /// The file name in `__schema`.
    pub name: String,
    /// When it was written.
    pub timestamps: TimeRange,
}
