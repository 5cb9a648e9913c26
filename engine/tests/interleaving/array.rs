//! A sparse array with duplicates, so that a cell that is visible twice is noticed, and the operations on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::array::{self, Array, WithMetadata};
use tiledb_engine::condition::{Condition, Operator};
use tiledb_engine::error::Result;
use tiledb_engine::maintenance;
use tiledb_engine::query::Query;
use tiledb_engine::schema::Attribute;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, TimeRange};
use tiledb_engine::vfs::{Uri, Vfs};

use crate::setup::column::{Column, Looks, read, write};
use crate::setup::{config, dimension, numbers, schema};

const PLACES: i32 = 40;
/// A delete removes the cells with this value.
const DELETED: i32 = 3;
/// The last timestamp that an open sees.
const END: u64 = 1000;

/// The cells, sorted, and the values of the keys of metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) cells: Vec<(i32, i32)>,
    pub(crate) metadata: BTreeMap<String, i32>,
}

/// An operation of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    Read,
    Write,
    Delete,
    PutMetadata,
    DeleteFragments,
    Consolidate(&'static str),
    Vacuum(&'static str),
}

pub(crate) const OPERATIONS: [Operation; 14] = [
    Operation::Read,
    Operation::Write,
    Operation::Delete,
    Operation::PutMetadata,
    Operation::DeleteFragments,
    Operation::Consolidate("fragments"),
    Operation::Consolidate("commits"),
    Operation::Consolidate("fragment_meta"),
    Operation::Consolidate("array_meta"),
    Operation::Vacuum("fragments"),
    Operation::Vacuum("commits"),
    Operation::Vacuum("fragment_meta"),
    Operation::Vacuum("array_meta"),
    Operation::Vacuum("garbage"),
];

/// An array at a URI.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    vfs: Arc<Vfs>,
    uri: Uri,
}

impl Cells {
    pub(crate) fn at(vfs: &Arc<Vfs>, uri: &str) -> Self {
        Self {
            vfs: vfs.clone(),
            uri: Uri::parse(uri).expect("uri"),
        }
    }

    /// Creates the array, with work for each operation: six fragments of which the first three were consolidated, commits
    /// and footers in consolidated files and beside them, and metadata.
    pub(crate) fn create(&self) -> Result<()> {
        let place = dimension("place", Datatype::Int32, [0, PLACES - 1], 10);
        let number = Attribute::new("number", Datatype::Int32);
        let mut schema = schema(ArrayType::Sparse, [place], [number]);
        schema.set_capacity(3)?;
        schema.set_allows_dups(true)?;
        array::create(&self.vfs, &self.uri, &schema.finish()?, None)?;
        for at in 1..4 {
            self.write(at)?;
            self.put(at, "first")?;
        }
        self.maintain(Operation::Consolidate("fragments"))?;
        self.write(4)?;
        self.maintain(Operation::Consolidate("commits"))?;
        self.write(5)?;
        self.maintain(Operation::Consolidate("commits"))?;
        self.maintain(Operation::Consolidate("fragment_meta"))?;
        self.maintain(Operation::Consolidate("array_meta"))?;
        self.write(6)?;
        self.put(6, "second")?;
        self.maintain(Operation::Consolidate("fragment_meta"))?;
        self.put(7, "first")
    }

    /// Copies the array.
    pub(crate) fn copy(&self, uri: &str) -> Result<Self> {
        let copy = Self::at(&self.vfs, uri);
        self.vfs.copy_dir(&self.uri, &copy.uri)?;
        Ok(copy)
    }

    pub(crate) fn remove(&self) -> Result<()> {
        self.vfs.remove_dir(&self.uri)
    }

    fn open(&self, query_type: QueryType, at: u64) -> Result<Array> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.set_open_timestamp_end(at);
        array.open(query_type)?;
        Ok(array)
    }

    fn query(&self, query_type: QueryType, at: u64) -> Result<Query> {
        let array = self.open(query_type, at)?;
        Query::new(&Arc::new(array), query_type)
    }

    /// Writes three cells, which no other write writes, one of them with the value that deletes look for.
    fn write(&self, at: u64) -> Result<()> {
        let cells = cells_of(at);
        let columns = [
            Column::numbers("place", cells.iter().map(|cell| cell.0)),
            Column::numbers("number", cells.iter().map(|cell| cell.1)),
        ];
        let mut query = self.query(QueryType::Write, at)?;
        query.set_layout(Layout::Unordered)?;
        write(&mut query, &columns)
    }

    fn put(&self, at: u64, key: &str) -> Result<()> {
        let array = self.open(QueryType::Write, at)?;
        array.put_metadata(Some(key), Datatype::Int32, &(at as i32).to_le_bytes())?;
        array.close()
    }

    fn maintain(&self, operation: Operation) -> Result<()> {
        let uri = self.uri.as_str();
        match operation {
            Operation::Consolidate(mode) => {
                let config = config(&[("sm.consolidation.mode", mode)]);
                maintenance::consolidate(&self.vfs, uri, &config)
            }
            Operation::Vacuum(mode) => {
                let age = ("sm.vacuum.garbage_min_age_ms", "0");
                let config = config(&[("sm.vacuum.mode", mode), age]);
                maintenance::vacuum(&self.vfs, uri, &config)
            }
            _ => {
                // The fragment of the write at 4.
                let range = TimeRange { start: 4, end: 4 };
                maintenance::delete_fragments(&self.vfs, &self.uri, range, &config(&[]))
            }
        }
    }

    /// Runs an operation whose changes have a timestamp. Returns what a read shows.
    pub(crate) fn run(&self, operation: Operation, at: u64) -> Result<Option<Content>> {
        match operation {
            Operation::Read => return self.read().map(Some),
            Operation::Write => self.write(at)?,
            Operation::PutMetadata => self.put(at, &format!("at {at}"))?,
            Operation::Delete => {
                let value = DELETED.to_le_bytes();
                let condition = Condition::compare("number", Operator::Eq, Some(&value))?;
                // Before the writes of other operations, so that their order does not matter.
                let mut query = self.query(QueryType::Delete, at / 2)?;
                query.set_condition(&Arc::new(condition))?;
                query.delete()?;
            }
            other => self.maintain(other)?,
        }
        Ok(None)
    }

    /// Everything that an open shows.
    pub(crate) fn read(&self) -> Result<Content> {
        let array = Arc::new(self.open(QueryType::Read, END)?);
        let mut query = Query::new(&array, QueryType::Read)?;
        query.set_layout(Layout::GlobalOrder)?;
        let room = |name| Column::room(Looks::fixed(name, 4), 200, 0);
        let mut columns = [room("place"), room("number")];
        let cells = read(&mut query, &mut columns)?;
        assert_eq!(query.status(), QueryStatus::Completed);
        let number = |cell: &(Vec<u8>, u8)| numbers::<i32>(&cell.0)[0];
        let cells = cells[0].iter().zip(&cells[1]);
        let mut cells: Vec<_> = cells
            .map(|(place, of)| (number(place), number(of)))
            .collect();
        cells.sort_unstable();
        let mut metadata = BTreeMap::new();
        for at in 0..array.metadata_num()? {
            let item = array.metadata_at(at, |item| (item.key().to_owned(), item.words[0] as i32));
            metadata.extend([item?]);
        }
        Ok(Content { cells, metadata })
    }
}

fn cells_of(at: u64) -> Vec<(i32, i32)> {
    let at = at as i32;
    [
        (at % PLACES, 10 * at),
        ((at + 13) % PLACES, DELETED),
        ((at + 26) % PLACES, 10 * at + 1),
    ]
    .to_vec()
}

impl Content {
    /// The content after an operation at a time.
    pub(crate) fn after(&self, operation: Operation, at: u64) -> Self {
        let mut content = self.clone();
        match operation {
            Operation::Write => content.cells.extend(cells_of(at)),
            Operation::Delete => {
                let old = (1..7).flat_map(cells_of).filter(|cell| cell.1 == DELETED);
                let old: Vec<_> = old.collect();
                content.cells.retain(|cell| !old.contains(cell));
            }
            Operation::PutMetadata => {
                content.metadata.insert(format!("at {at}"), at as i32);
            }
            Operation::DeleteFragments => {
                for cell in cells_of(4) {
                    let found = content.cells.iter().position(|known| *known == cell);
                    if let Some(found) = found {
                        content.cells.remove(found);
                    }
                }
            }
            _ => {}
        }
        content.cells.sort_unstable();
        content
    }
}
