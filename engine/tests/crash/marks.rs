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
const CELLS: usize = (ROWS * COLUMNS) as usize;
const TILE_CELLS: usize = (EXTENT * EXTENT) as usize;

/// How a write brings its cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Row-major, in one submit.
    Rows,
    /// In global order, a submit for each tile and a half.
    TileByTile,
}

/// The array at a place.
pub(crate) struct Marks {
    vfs: Arc<Vfs>,
    uri: Uri,
}

/// The text of a mark: its length differs from mark to mark.
fn text(mark: u64) -> Vec<u8> {
    vec![b'a' + (mark % 26) as u8; (mark % 5) as usize]
}

impl Marks {
    pub(crate) fn new(vfs: &Arc<Vfs>, uri: &Uri) -> Self {
        Self {
            vfs: vfs.clone(),
            uri: uri.clone(),
        }
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
        let mut draft = SchemaDraft::new(ArrayType::Dense, None);
        draft.set_domain(&shared(domain))?;
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
            Way::Rows => (Layout::RowMajor, CELLS),
            Way::TileByTile => (Layout::GlobalOrder, TILE_CELLS * 3 / 2),
        };
        let mut query = self.query(QueryType::Write, layout)?;
        let text = text(mark);
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
            query.write(&[
                field("mark", &marks[..], None),
                field("text", &texts[..], Some(&offsets[..])),
            ])?;
        }
        query.finalize()
    }

    /// The one mark of all cells.
    pub(crate) fn read(&self) -> u64 {
        let mut query = self
            .query(QueryType::Read, Layout::RowMajor)
            .expect("the array opens");
        let (mut marks, mut texts) = (vec![0; CELLS * 8], vec![0; CELLS * 8]);
        let mut offsets = vec![0; CELLS * 8];
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
        texts.truncate(sizes[1].data as usize);
        let mark = marks[..8]
            .try_into()
            .map(u64::from_le_bytes)
            .expect("a mark");
        assert_eq!(
            marks,
            mark.to_le_bytes().repeat(CELLS),
            "more than one mark"
        );
        assert_eq!(texts, text(mark).repeat(CELLS), "texts of another mark");
        mark
    }
}
