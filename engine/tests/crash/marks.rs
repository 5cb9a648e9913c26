//! An array of which every write fills all cells with its mark. A read that finds two marks has
//! seen an incomplete write.

use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array};
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::setup::column::{CellType, Column, read, write};
use crate::setup::{self, attribute, dimension, numbers, schema};

const ROWS: i32 = 12;
const COLUMNS: i32 = 8;
const EXTENT: i32 = 4;
pub(crate) const CELLS: usize = (ROWS * COLUMNS) as usize;
const TILE_CELLS: usize = (EXTENT * EXTENT) as usize;

/// The type of the array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Dense,
    /// Without duplicates: newer cells hide older ones.
    Sparse,
    /// With duplicates: the cells of all writes are visible.
    SparseWithDups,
}

/// The layout of a write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WriteMode {
    /// One submit in row-major order, or in reversed, unordered layout if the array is sparse.
    Rows,
    /// In global order; each submit has one and a half tiles.
    TileByTile,
}

/// The array.
pub(crate) struct Marks {
    vfs: Arc<Vfs>,
    uri: Uri,
    kind: Kind,
}

/// Returns the text of a mark. Its length depends on the mark.
fn text(mark: u64) -> Vec<u8> {
    vec![b'a' + (mark % 26) as u8; (mark % 5) as usize]
}

impl Marks {
    pub(crate) fn new(vfs: &Arc<Vfs>, uri: &Uri, kind: Kind) -> Self {
        Self {
            vfs: vfs.clone(),
            uri: uri.clone(),
            kind,
        }
    }

    fn is_sparse(&self) -> bool {
        self.kind != Kind::Dense
    }

    pub(crate) fn vfs(&self) -> &Arc<Vfs> {
        &self.vfs
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(crate) fn create(&self) -> Result<()> {
        let dimensions = [("row", ROWS), ("column", COLUMNS)]
            .map(|(name, len)| dimension(name, Datatype::Int32, [1, len], EXTENT));
        let attributes = [
            attribute("mark", Datatype::Uint64, &[]),
            setup::text("text", &[FilterType::Zstd]),
        ];
        let array_type = if self.is_sparse() {
            ArrayType::Sparse
        } else {
            ArrayType::Dense
        };
        let mut draft = schema(array_type, dimensions, attributes);
        draft.set_capacity(10)?;
        draft.set_allows_dups(self.kind == Kind::SparseWithDups)?;
        array::create(&self.vfs, &self.uri, &draft.finish()?, None)
    }

    fn open(&self, query_type: QueryType) -> Result<Arc<Array>> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.open(query_type)?;
        Ok(Arc::new(array))
    }

    fn query(&self, query_type: QueryType, layout: Layout) -> Result<Query> {
        let array = self.open(query_type)?;
        let mut query = Query::new(&array, query_type)?;
        query.set_layout(layout)?;
        if self.is_sparse() {
            return Ok(query);
        }
        let mut subarray = Subarray::new(query.request().schema());
        for (d, len) in [ROWS, COLUMNS].into_iter().enumerate() {
            subarray.add_range(d as u32, &1i32.to_le_bytes(), &len.to_le_bytes())?;
        }
        query.set_subarray(&subarray)?;
        Ok(query)
    }

    /// Writes a mark into all cells.
    pub(crate) fn write(&self, mark: u64, mode: WriteMode) -> Result<()> {
        let (layout, piece) = match mode {
            WriteMode::Rows if self.is_sparse() => (Layout::Unordered, CELLS),
            WriteMode::Rows => (Layout::RowMajor, CELLS),
            WriteMode::TileByTile => (Layout::GlobalOrder, TILE_CELLS * 3 / 2),
        };
        let mut query = self.query(QueryType::Write, layout)?;
        let text = text(mark);
        let coordinates = coordinates(mode);
        for first in (0..CELLS).step_by(piece) {
            let cells = piece.min(CELLS - first);
            let mut columns = vec![
                Column::numbers("mark", std::iter::repeat_n(mark, cells)),
                Column::texts("text", std::iter::repeat_n(&text, cells)),
            ];
            if self.is_sparse() {
                let part = coordinates[first..first + cells].iter();
                columns.push(Column::numbers("row", part.clone().map(|cell| cell.0)));
                columns.push(Column::numbers("column", part.map(|cell| cell.1)));
            }
            write(&mut query, &columns)?;
        }
        query.finalize()
    }

    /// Returns the mark of all cells.
    pub(crate) fn read(&self) -> u64 {
        let marks = self.read_all(1);
        let mark = marks[0];
        assert_eq!(marks, [mark; CELLS], "more than one mark");
        mark
    }

    /// Returns the marks of all cells of up to `writes` writes.
    pub(crate) fn read_all(&self, writes: usize) -> Vec<u64> {
        let mut query = self
            .query(QueryType::Read, Layout::RowMajor)
            .expect("the array opens");
        let cells = CELLS * writes;
        let mut columns = [
            Column::with_capacity(CellType::fixed("mark", 8), cells, 0),
            Column::with_capacity(CellType::var("text"), cells, 8 * cells),
        ];
        let read = read(&mut query, &mut columns).expect("the array reads");
        assert_eq!(query.status(), QueryStatus::Completed);
        let marks = read[0].iter().flat_map(|cell| numbers::<u64>(&cell.0));
        let marks: Vec<u64> = marks.collect();
        assert_eq!(read[1].len(), marks.len());
        for ((found, _), mark) in read[1].iter().zip(&marks) {
            assert_eq!(*found, text(*mark), "the text of another mark");
        }
        marks
    }
}

/// Returns the coordinates of all cells in the order of a sparse write.
fn coordinates(mode: WriteMode) -> Vec<(i32, i32)> {
    let mut cells: Vec<(i32, i32)> = (1..=ROWS)
        .flat_map(|row| (1..=COLUMNS).map(move |column| (row, column)))
        .collect();
    match mode {
        WriteMode::Rows => cells.reverse(),
        WriteMode::TileByTile => {
            let tile = |coordinate: i32| (coordinate - 1) / EXTENT;
            cells.sort_by_key(|(row, column)| (tile(*row), tile(*column)));
        }
    }
    cells
}
