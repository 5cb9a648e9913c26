//! A sparse array with duplicates, so that a cell that is visible twice is noticed, and the
//! operations on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array, WithMetadata};
use tiledb_engine::internal::check::{Finding, Severity, check};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{
    ArrayType, Datatype, Layout, QueryStatus, QueryType, TimeRange,
};
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::setup::column::{CellType, Column, read, write};
use crate::setup::{config, dimension, numbers, schema};

const COORDINATES: i32 = 40;
/// A delete removes the cells with this value.
const DELETED: i32 = 3;
/// The end timestamp of all opens.
const END: u64 = 1000;

/// The sorted cells and the metadata.
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

    /// Creates an array with work for each operation: six fragments of which the first three were
    /// consolidated, commits and footers both in consolidated files and in files of their own, and
    /// metadata.
    pub(crate) fn create(&self) -> Result<()> {
        let coordinate = dimension("place", Datatype::Int32, [0, COORDINATES - 1], 10);
        let number = Attribute::new("number", Datatype::Int32);
        let mut schema = schema(ArrayType::Sparse, [coordinate], [number]);
        schema.set_capacity(3)?;
        schema.set_allows_dups(true)?;
        array::create(&self.vfs, &self.uri, &schema.finish()?, None)?;
        for index in 1..4 {
            self.write(index)?;
            self.put(index, "first")?;
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

    /// Returns the errors that a check finds.
    pub(crate) fn damage(&self) -> Result<Vec<Finding>> {
        let mut damage = Vec::new();
        let parameters = config(&[]);
        check(&self.vfs, self.uri.as_str(), &parameters, &mut |finding| {
            damage.extend(Some(finding.clone()).filter(|found| found.severity == Severity::Error));
            Ok(())
        })?;
        Ok(damage)
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

    fn open(&self, query_type: QueryType, timestamp: u64) -> Result<Array> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.set_open_timestamp_end(timestamp);
        array.open(query_type)?;
        Ok(array)
    }

    fn query(&self, query_type: QueryType, timestamp: u64) -> Result<Query> {
        let array = self.open(query_type, timestamp)?;
        Query::new(&Arc::new(array), query_type)
    }

    /// Writes three cells with new coordinates; one has the value that deletes select.
    fn write(&self, timestamp: u64) -> Result<()> {
        let cells = cells_of(timestamp);
        let columns = [
            Column::numbers("place", cells.iter().map(|cell| cell.0)),
            Column::numbers("number", cells.iter().map(|cell| cell.1)),
        ];
        let mut query = self.query(QueryType::Write, timestamp)?;
        query.set_layout(Layout::Unordered)?;
        write(&mut query, &columns)
    }

    fn put(&self, timestamp: u64, key: &str) -> Result<()> {
        let array = self.open(QueryType::Write, timestamp)?;
        array.put_metadata(
            Some(key),
            Datatype::Int32,
            &(timestamp as i32).to_le_bytes(),
        )?;
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
    pub(crate) fn run(&self, operation: Operation, timestamp: u64) -> Result<Option<Content>> {
        match operation {
            Operation::Read => return self.read().map(Some),
            Operation::Write => self.write(timestamp)?,
            Operation::PutMetadata => self.put(timestamp, &format!("at {timestamp}"))?,
            Operation::Delete => {
                let value = DELETED.to_le_bytes();
                let condition = Condition::compare("number", Operator::Eq, Some(&value))?;
                // Earlier than the writes of other operations, so that their order does not matter.
                let mut query = self.query(QueryType::Delete, timestamp / 2)?;
                query.set_condition(&Arc::new(condition))?;
                query.delete()?;
            }
            other => self.maintain(other)?,
        }
        Ok(None)
    }

    /// Returns the fragments that consolidated commits name, that are not revoked, and whose folder
    /// does not exist. The commits contain no deletes.
    pub(crate) fn missing_fragments(&self) -> Result<BTreeSet<String>> {
        let folder = self.uri.join("__commits");
        let (mut committed, mut revoked) = (BTreeSet::new(), BTreeSet::new());
        for entry in self.vfs.list(&folder)? {
            let names = match entry.name.rsplit('.').next() {
                Some("con") => &mut committed,
                Some("ign") => &mut revoked,
                _ => continue,
            };
            let text = self.vfs.read_all(&folder.join(&entry.name))?;
            let text = String::from_utf8(text).expect("names");
            names.extend(text.lines().map(str::to_owned));
        }
        let fragments = self.vfs.list(&self.uri.join("__fragments"))?.into_iter();
        let existing = fragments.map(|entry| format!("__commits/{}.wrt", entry.name));
        revoked.extend(existing);
        Ok(committed.difference(&revoked).cloned().collect())
    }

    /// Reads everything that an open shows.
    pub(crate) fn read(&self) -> Result<Content> {
        let array = Arc::new(self.open(QueryType::Read, END)?);
        let mut query = Query::new(&array, QueryType::Read)?;
        query.set_layout(Layout::GlobalOrder)?;
        let output_column = |name| Column::with_capacity(CellType::fixed(name, 4), 200, 0);
        let mut columns = [output_column("place"), output_column("number")];
        let cells = read(&mut query, &mut columns)?;
        assert_eq!(query.status(), QueryStatus::Completed);
        let number = |cell: &(Vec<u8>, u8)| numbers::<i32>(&cell.0)[0];
        let cells = cells[0].iter().zip(&cells[1]);
        let mut cells: Vec<_> = cells
            .map(|(coordinate, value)| (number(coordinate), number(value)))
            .collect();
        cells.sort_unstable();
        let mut metadata = BTreeMap::new();
        for index in 0..array.metadata_num()? {
            let item =
                array.metadata_at(index, |item| (item.key().to_owned(), item.words[0] as i32));
            metadata.extend([item?]);
        }
        Ok(Content { cells, metadata })
    }
}

fn cells_of(timestamp: u64) -> Vec<(i32, i32)> {
    let timestamp = timestamp as i32;
    [
        (timestamp % COORDINATES, 10 * timestamp),
        ((timestamp + 13) % COORDINATES, DELETED),
        ((timestamp + 26) % COORDINATES, 10 * timestamp + 1),
    ]
    .to_vec()
}

impl Content {
    /// Returns the content after an operation at a timestamp.
    pub(crate) fn after(&self, operation: Operation, timestamp: u64) -> Self {
        let mut content = self.clone();
        match operation {
            Operation::Write => content.cells.extend(cells_of(timestamp)),
            Operation::Delete => {
                let old = (1..7).flat_map(cells_of).filter(|cell| cell.1 == DELETED);
                let old: Vec<_> = old.collect();
                content.cells.retain(|cell| !old.contains(cell));
            }
            Operation::PutMetadata => {
                content
                    .metadata
                    .insert(format!("at {timestamp}"), timestamp as i32);
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
