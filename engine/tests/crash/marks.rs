//! An array that is written whole each time, every cell with the mark of that write: a read that finds two marks has seen
//! part of a write.

use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::error::Result;
use tiledb_engine::filter::{Filter, FilterList, FilterType};
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM};
use tiledb_engine::vfs::{Uri, Vfs};

const ROWS: i32 = 12;
const COLUMNS: i32 = 8;
const EXTENT: i32 = 4;
pub(crate) const CELLS: usize = (ROWS * COLUMNS) as usize;
const TILE_CELLS: usize = (EXTENT * EXTENT) as usize;

/// What holds the cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Dense,
    /// A cell of a newer write hides those of older ones.
    Sparse,
    /// The cells of all writes are there.
    SparseWithDups,
}

/// How a write brings its cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Row-major in one submit; the other way round, unordered, where the array is sparse.
    Rows,
    /// In global order, a submit for each tile and a half.
    TileByTile,
}

/// The array at a place.
pub(crate) struct Marks {
    vfs: Arc<Vfs>,
    uri: Uri,
    kind: Kind,
}

/// The text of a mark: its length differs from mark to mark.
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
        let mut domain = DomainDraft::default();
        for (name, len) in [("row", ROWS), ("column", COLUMNS)] {
            let ends = [1i32.to_le_bytes(), len.to_le_bytes()].concat();
            let extent = EXTENT.to_le_bytes();
            let dimension = Dimension::new(name, Datatype::Int32, Some(&ends), Some(&extent))?;
            domain.dimensions.push(shared(dimension));
        }
        let array_type = match self.is_sparse() {
            true => ArrayType::Sparse,
            false => ArrayType::Dense,
        };
        let mut draft = SchemaDraft::new(array_type, None);
        draft.set_domain(&shared(domain))?;
        draft.set_capacity(10)?;
        draft.set_allows_dups(self.kind == Kind::SparseWithDups)?;
        draft.add_attribute(&shared(Attribute::new("mark", Datatype::Uint64)))?;
        let mut text = Attribute::new("text", Datatype::StringAscii);
        text.set_cell_val_num(VAR_NUM)?;
        let mut filters = FilterList::default();
        filters.filters.extend(Filter::new(FilterType::Zstd));
        text.set_filters(Arc::new(filters))?;
        draft.add_attribute(&shared(text))?;
        array::create(&self.vfs, &self.uri, &draft.finish()?, None)
    }

    fn open(&self, query_type: QueryType) -> Result<Arc<Array>> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.open(query_type)?;
        Ok(Arc::new(array))
    }

    pub(crate) fn remove(&self) -> Result<()> {
        self.vfs.remove_dir(&self.uri)
    }

    fn query(&self, query_type: QueryType, layout: Layout) -> Result<Query> {
        let array = self.open(query_type)?;
        let mut query = Query::new(&array, query_type)?;
        query.set_layout(layout)?;
        if self.is_sparse() {
            return Ok(query);
        }
        let mut subarray = Subarray::new(query.schema());
        for (d, len) in [ROWS, COLUMNS].into_iter().enumerate() {
            subarray.add_range(d as u32, &1i32.to_le_bytes(), &len.to_le_bytes())?;
        }
        query.set_subarray(&subarray)?;
        Ok(query)
    }

    /// Writes a mark into all cells.
    pub(crate) fn write(&self, mark: u64, way: Way) -> Result<()> {
        let (layout, piece) = match way {
            Way::Rows if self.is_sparse() => (Layout::Unordered, CELLS),
            Way::Rows => (Layout::RowMajor, CELLS),
            Way::TileByTile => (Layout::GlobalOrder, TILE_CELLS * 3 / 2),
        };
        let mut query = self.query(QueryType::Write, layout)?;
        let text = text(mark);
        let coordinates = coordinates(way);
        for first in (0..CELLS).step_by(piece) {
            let cells = piece.min(CELLS - first);
            let marks = mark.to_le_bytes().repeat(cells);
            let texts = text.repeat(cells);
            let offsets: Vec<u8> = (0..cells)
                .flat_map(|cell| ((cell * text.len()) as u64).to_le_bytes())
                .collect();
            let field = |name, data, offsets| FieldCells {
                name,
                data: Some(data),
                offsets,
                validity: None,
            };
            let part = first * 4..(first + cells) * 4;
            let mut fields = vec![
                field("mark", &marks[..], None),
                field("text", &texts[..], Some(&offsets[..])),
            ];
            if self.is_sparse() {
                let names = ["row", "column"].into_iter().zip(&coordinates);
                fields.extend(names.map(|(name, data)| field(name, &data[part.clone()], None)));
            }
            query.write(&fields)?;
        }
        query.finalize()
    }

    /// The one mark of all cells.
    pub(crate) fn read(&self) -> u64 {
        let marks = self.read_all(1);
        let mark = marks[0];
        assert_eq!(marks, [mark; CELLS], "more than one mark");
        mark
    }

    /// The marks of all cells of up to so many writes.
    pub(crate) fn read_all(&self, writes: usize) -> Vec<u64> {
        let mut query = self
            .query(QueryType::Read, Layout::RowMajor)
            .expect("the array opens");
        let room = CELLS * 8 * writes;
        let (mut marks, mut texts, mut offsets) = (vec![0; room], vec![0; room], vec![0; room]);
        let sizes = query
            .read(&mut [
                FieldBuffers {
                    name: "mark",
                    data: Some(&mut marks),
                    offsets: None,
                    validity: None,
                },
                FieldBuffers {
                    name: "text",
                    data: Some(&mut texts),
                    offsets: Some(&mut offsets),
                    validity: None,
                },
            ])
            .expect("the array reads");
        assert_eq!(query.status(), QueryStatus::Completed);
        let words = |bytes: &[u8], len: u64| -> Vec<u64> {
            let words = bytes[..len as usize].as_chunks().0.iter().copied();
            words.map(u64::from_le_bytes).collect()
        };
        let marks = words(&marks, sizes[0].data);
        texts.truncate(sizes[1].data as usize);
        let mut starts = words(&offsets, sizes[1].offsets);
        assert_eq!(starts.len(), marks.len());
        starts.push(sizes[1].data);
        for (pair, mark) in starts.windows(2).zip(&marks) {
            let found = &texts[pair[0] as usize..pair[1] as usize];
            assert_eq!(found, text(*mark), "the text of another mark");
        }
        marks
    }
}

/// The rows and columns of all cells, in the order in which a sparse write brings them.
fn coordinates(way: Way) -> [Vec<u8>; 2] {
    let mut cells: Vec<(i32, i32)> = (1..=ROWS)
        .flat_map(|row| (1..=COLUMNS).map(move |column| (row, column)))
        .collect();
    match way {
        Way::Rows => cells.reverse(),
        Way::TileByTile => {
            let tile = |at: i32| (at - 1) / EXTENT;
            cells.sort_by_key(|(row, column)| (tile(*row), tile(*column)));
        }
    }
    let column =
        |of: fn(&(i32, i32)) -> i32| cells.iter().flat_map(move |cell| of(cell).to_le_bytes());
    [
        column(|cell| cell.0).collect(),
        column(|cell| cell.1).collect(),
    ]
}
