//! A fragment being written: folder, data files, metadata, commit, in this order.

use std::io::IoSlice;
use std::sync::Arc;

use super::Part;
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, NdRange, Timestamp};
use crate::vfs::{Uri, Vfs};

/// What is known of one tile of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileStats {
    /// The least value, where one is defined.
    pub min: Option<Vec<u8>>,
    /// The greatest value, where one is defined.
    pub max: Option<Vec<u8>>,
    /// The sum: an `i64`, `u64` or `f64` by the field's datatype, as bytes.
    pub sum: Option<[u8; 8]>,
    /// The number of null cells.
    pub null_count: u64,
}

/// A fragment being written. Dropped unfinished, it removes what it wrote.
#[derive(Debug)]
pub struct FragmentWriter {
    uri: Uri,
    name: FragmentName,
    fields: Vec<FieldWriter>,
}

impl FragmentWriter {
    /// Makes the fragment's folder. `timestamp`: when it counts as written, in milliseconds; `None` is now, later than
    /// any other of this process.
    pub fn create(
        _vfs: &Arc<Vfs>,
        _array: &Uri,
        _schema: &Arc<ArraySchema>,
        _dense: bool,
        _timestamp: Option<Timestamp>,
        _key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        unimplemented!()
    }

    /// The folder's name.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// The folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The fields: attributes, and dimensions of a sparse fragment. They can be written from several threads.
    pub fn fields(&mut self) -> &mut [FieldWriter] {
        &mut self.fields
    }

    /// A field by name.
    pub fn field(&mut self, name: &str) -> Option<&mut FieldWriter> {
        self.fields.iter_mut().find(|field| field.name() == name)
    }

    /// Sets the rectangle of the cells, as given by the caller; for a dense fragment it is expanded to whole tiles here.
    pub fn set_non_empty_domain(&mut self, _domain: NdRange) {
        unimplemented!()
    }

    /// Sets the number of cells in the last tile of a sparse fragment.
    pub fn set_last_tile_cell_num(&mut self, _n: u64) {
        unimplemented!()
    }

    /// Adds the MBR of the next tile of a sparse fragment.
    pub fn push_mbr(&mut self, _mbr: NdRange) {
        unimplemented!()
    }

    /// Puts everything on disk, the commit file last; the fragment is visible then.
    pub fn finish(self) -> Result<Uri> {
        unimplemented!()
    }
}

/// The files of one field being written.
#[derive(Debug)]
pub struct FieldWriter {
    name: String,
}

impl FieldWriter {
    /// The field's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Appends one whole stored tile and notes where it starts.
    pub fn append(&mut self, _part: Part, _pieces: &mut [IoSlice<'_>]) -> Result<()> {
        unimplemented!()
    }

    /// Notes the size in memory of a tile of variable-length values, in bytes.
    pub fn note_var_size(&mut self, _bytes: u64) {
        unimplemented!()
    }

    /// Notes what is known of a tile.
    pub fn note_stats(&mut self, _stats: TileStats) {
        unimplemented!()
    }
}
