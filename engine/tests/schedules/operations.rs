//! The operations that run at the same time, the array they change, and what readers of it may see.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array, WithMetadata};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::SchemaEvolution;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType, TimeRange};
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{Backend, EntryKind, EntrySizes, OpenMode, Uri, Vfs};

use crate::setup::column::{CellType, Column, read, write};
use crate::setup::{attribute, config, dimension, next_millisecond, numbers, schema};

const ROOT: &str = "mem://";
const ARRAY: &str = "mem://array";
/// The keys of the cells that are there from the start. Each is in a fragment of its own at first.
const FIRST_KEYS: [i32; 5] = [1, 2, 3, 4, 5];
/// The key of the fragment that [`Operation::DeleteFragment`] deletes, and its timestamp.
const DELETED_FRAGMENT: (i32, u64) = (5, 50);
/// The key that [`Operation::Delete`] deletes.
const DELETED_KEY: i32 = 2;
/// The key that [`Operation::Write`] writes.
const WRITTEN_KEY: i32 = 9;
const FIRST_METADATA: [&str; 3] = ["a", "b", "c"];
const WRITTEN_METADATA: &str = "d";

pub(crate) const MODES: [&str; 4] = ["fragments", "commits", "fragment_meta", "array_meta"];

/// An operation that a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Opens the array and reads cells and metadata.
    Read,
    /// Writes a cell.
    Write,
    /// Deletes a cell by a condition.
    Delete,
    /// Writes a key of the array's metadata.
    PutMetadata,
    /// Consolidates in a mode of [`MODES`].
    Consolidate(usize),
    /// Vacuums in a mode of [`MODES`].
    Vacuum(usize),
    /// Deletes a fragment.
    DeleteFragment,
    /// Adds an attribute that is named after the thread.
    Evolve,
}

/// Returns the maintenance operations of which all pairs are explored.
pub(crate) fn maintenance() -> Vec<Operation> {
    let modes = 0..MODES.len();
    let consolidations = modes.clone().map(Operation::Consolidate);
    let vacuums = modes.map(Operation::Vacuum);
    let others = [Operation::DeleteFragment, Operation::Evolve];
    consolidations.chain(vacuums).chain(others).collect()
}

impl fmt::Display for Operation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => out.write_str("read"),
            Self::Write => out.write_str("write"),
            Self::Delete => out.write_str("delete"),
            Self::PutMetadata => out.write_str("put_metadata"),
            Self::Consolidate(mode) => write!(out, "consolidate_{}", MODES[*mode]),
            Self::Vacuum(mode) => write!(out, "vacuum_{}", MODES[*mode]),
            Self::DeleteFragment => out.write_str("delete_fragment"),
            Self::Evolve => out.write_str("evolve"),
        }
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut all = maintenance();
        all.extend([Self::Read, Self::Write, Self::Delete, Self::PutMetadata]);
        let named = all.into_iter().find(|one| one.to_string() == text);
        named.ok_or_else(|| format!("unknown operation {text:?}"))
    }
}

/// The content of the array as a reader saw it: the number of occurrences of each key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    cells: BTreeMap<i32, usize>,
    metadata: Vec<String>,
    /// The attributes that [`Operation::Evolve`] added.
    added: usize,
}

/// The result of an operation.
#[derive(Debug)]
pub(crate) enum Outcome {
    Read(Content),
    /// The read failed because a vacuum removed a fragment that it needed.
    Vacuumed,
    Done,
}

/// Creates a storage with the array: a consolidated fragment and the replaced ones, fragments that
/// are not consolidated, consolidated commits and metadata with the replaced files. Every
/// maintenance operation has work to do.
pub(crate) fn first_state() -> Faulty {
    let storage = Faulty::new();
    let vfs = unscheduled(&storage);
    let key = dimension("key", Datatype::Int32, [1, 100], 100);
    let mut draft = schema(
        ArrayType::Sparse,
        [key],
        [attribute("value", Datatype::Int32, &[])],
    );
    draft.set_allows_dups(true).expect("duplicates");
    let uri = Uri::parse(ARRAY).expect("uri");
    array::create(&vfs, &uri, &draft.finish().expect("schema"), None).expect("create");
    let consolidate = |mode: &str| {
        let config = config(&[("sm.consolidation.mode", mode)]);
        maintenance::consolidate(&vfs, ARRAY, &config).expect("consolidate");
    };
    let write = |key: i32| write_cell(&vfs, key, Some(10 * key as u64)).expect("write");
    FIRST_KEYS[..3].iter().for_each(|key| write(*key));
    put_metadata(&vfs, FIRST_METADATA[0]).expect("metadata");
    put_metadata(&vfs, FIRST_METADATA[1]).expect("metadata");
    MODES.iter().for_each(|mode| consolidate(mode));
    FIRST_KEYS[3..].iter().for_each(|key| write(*key));
    put_metadata(&vfs, FIRST_METADATA[2]).expect("metadata");
    storage
}

/// Returns a copy of a storage.
pub(crate) fn copy(storage: &Faulty) -> Faulty {
    let copied = Faulty::new();
    copy_folder(storage, &copied, &Uri::parse(ROOT).expect("uri"));
    copied
}

fn copy_folder(from: &Faulty, to: &Faulty, folder: &Uri) {
    for entry in from.list(folder, EntrySizes::Read).expect("listing") {
        let uri = folder.join(&entry.name);
        if entry.kind == EntryKind::Directory {
            to.create_dir(&uri).expect("folder");
            copy_folder(from, to, &uri);
        } else {
            let mut bytes = vec![0; entry.size as usize];
            let file = from.open(&uri).expect("file");
            file.read_at(0, &mut bytes).expect("content");
            let mut copy = to.create(&uri, OpenMode::Replace).expect("file");
            let mut parts = [std::io::IoSlice::new(&bytes)];
            copy.write_vectored(&mut parts).expect("content");
            copy.close().expect("close");
        }
    }
}

/// Returns a file system whose operations run in the calling thread only.
pub(crate) fn file_system(backend: Arc<dyn Backend>) -> Arc<Vfs> {
    let config = config(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
    ]);
    let context = Context::new(config).expect("context");
    Vfs::with_backend(&context, backend).expect("vfs")
}

pub(crate) fn unscheduled(storage: &Faulty) -> Arc<Vfs> {
    file_system(Arc::new(storage.clone()))
}

impl Operation {
    /// Runs the operation in the thread with this number.
    pub(crate) fn run(self, vfs: &Arc<Vfs>, thread: usize) -> Result<Outcome> {
        let uri = Uri::parse(ARRAY)?;
        match self {
            Self::Read => return read_content(vfs),
            Self::Write => write_cell(vfs, WRITTEN_KEY, None)?,
            Self::Delete => delete_cell(vfs)?,
            Self::PutMetadata => put_metadata(vfs, WRITTEN_METADATA)?,
            Self::Consolidate(mode) => {
                let config = config(&[("sm.consolidation.mode", MODES[mode])]);
                maintenance::consolidate(vfs, ARRAY, &config)?;
            }
            Self::Vacuum(mode) => {
                let config = config(&[("sm.vacuum.mode", MODES[mode])]);
                maintenance::vacuum(vfs, ARRAY, &config)?;
            }
            Self::DeleteFragment => {
                let (start, end) = (DELETED_FRAGMENT.1, DELETED_FRAGMENT.1);
                maintenance::delete_fragments(vfs, &uri, TimeRange { start, end }, &Config::new())?;
            }
            Self::Evolve => {
                let mut changes = SchemaEvolution::default();
                let name = format!("added{thread}");
                changes.add_attribute(attribute(&name, Datatype::Int32, &[]))?;
                array::evolve(vfs, &uri, &changes)?;
            }
        }
        Ok(Outcome::Done)
    }
}

fn open(vfs: &Arc<Vfs>, query_type: QueryType, timestamp: Option<u64>) -> Result<Arc<Array>> {
    let array = Array::new(vfs, ARRAY)?;
    if let Some(timestamp) = timestamp {
        array.set_open_timestamp_end(timestamp);
    }
    array.open(query_type)?;
    Ok(Arc::new(array))
}

fn write_cell(vfs: &Arc<Vfs>, key: i32, timestamp: Option<u64>) -> Result<()> {
    let array = open(vfs, QueryType::Write, timestamp)?;
    if timestamp.is_none() {
        // Later than the opens of operations that were started at the same time.
        next_millisecond();
    }
    let mut query = Query::new(&array, QueryType::Write)?;
    query.set_layout(Layout::Unordered)?;
    let mut columns = vec![
        Column::numbers("key", [key]),
        Column::numbers("value", [10 * key]),
    ];
    let attributes = array.schema()?.attributes.clone();
    let added = attributes
        .iter()
        .filter(|attribute| attribute.name != "value");
    columns.extend(added.map(|attribute| Column::numbers(&attribute.name, [7i32])));
    write(&mut query, &columns)?;
    query.finalize()
}

fn delete_cell(vfs: &Arc<Vfs>) -> Result<()> {
    let array = open(vfs, QueryType::Delete, None)?;
    let mut query = Query::new(&array, QueryType::Delete)?;
    let value = (10 * DELETED_KEY).to_le_bytes();
    let condition = Condition::compare("value", Operator::Eq, Some(&value))?;
    query.set_condition(&Arc::new(condition))?;
    query.delete()
}

fn put_metadata(vfs: &Arc<Vfs>, key: &str) -> Result<()> {
    let array = open(vfs, QueryType::Write, None)?;
    array.put_metadata(Some(key), Datatype::Int32, &1i32.to_le_bytes())?;
    array.close()
}

fn read_content(vfs: &Arc<Vfs>) -> Result<Outcome> {
    let array = open(vfs, QueryType::Read, None)?;
    match read_opened(&array) {
        Ok(content) => Ok(Outcome::Read(content)),
        Err(error) if error.to_string().contains("vacuum") => Ok(Outcome::Vacuumed),
        Err(error) => Err(error),
    }
}

fn read_opened(array: &Arc<Array>) -> Result<Content> {
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::Unordered)?;
    let mut columns = ["key", "value"]
        .map(|name| Column::with_capacity(CellType::fixed(name, size_of::<i32>()), 100, 0));
    let cells = read(&mut query, &mut columns)?;
    let mut content = Content {
        added: array.schema()?.attributes.len() - 1,
        ..Content::default()
    };
    let values_of = |column: usize| {
        cells[column]
            .iter()
            .flat_map(|cell| numbers::<i32>(&cell.0))
    };
    for (key, value) in values_of(0).zip(values_of(1)) {
        assert_eq!(value, 10 * key, "the value of another cell");
        *content.cells.entry(key).or_default() += 1;
    }
    for index in 0..array.metadata_num()? {
        let key = array.metadata_at(index, |item| item.key().to_owned())?;
        content.metadata.push(key);
    }
    Ok(content)
}

/// The content that a reader must see, and what it may see in addition.
#[derive(Debug)]
pub(crate) struct Expected {
    must: Vec<i32>,
    may: Vec<i32>,
    metadata_must: Vec<&'static str>,
    metadata_may: Vec<&'static str>,
    /// The minimum and maximum number of added attributes.
    added: [usize; 2],
}

impl Expected {
    /// Returns the content after the operations in `before`, while those in `during` run.
    pub(crate) fn new(before: &[Operation], during: &[Operation]) -> Self {
        let is_before = |operation| before.contains(&operation);
        let is_possible = |operation| is_before(operation) || during.contains(&operation);
        let mut must = FIRST_KEYS.to_vec();
        let mut may = Vec::new();
        // A fragment that is consolidated meanwhile may remain: the deletion does not find it.
        for (key, operation) in [
            (DELETED_KEY, Operation::Delete),
            (DELETED_FRAGMENT.0, Operation::DeleteFragment),
        ] {
            if is_possible(operation) {
                must.retain(|other| *other != key);
            }
            let is_certain = operation == Operation::Delete && is_before(operation);
            if is_possible(operation) && !is_certain {
                may.push(key);
            }
        }
        let mut metadata_must = FIRST_METADATA.to_vec();
        let mut metadata_may = Vec::new();
        if is_before(Operation::Write) {
            must.push(WRITTEN_KEY);
        } else if is_possible(Operation::Write) {
            may.push(WRITTEN_KEY);
        }
        if is_before(Operation::PutMetadata) {
            metadata_must.push(WRITTEN_METADATA);
        } else if is_possible(Operation::PutMetadata) {
            metadata_may.push(WRITTEN_METADATA);
        }
        let evolutions = |list: &[Operation]| {
            let evolutions = list.iter().filter(|one| **one == Operation::Evolve);
            evolutions.count()
        };
        let added = evolutions(before);
        Self {
            must,
            may,
            metadata_must,
            metadata_may,
            added: [added, added + evolutions(during)],
        }
    }

    /// Checks what a reader saw.
    pub(crate) fn check(&self, seen: &Content) -> std::result::Result<(), String> {
        let mut missing = self.must.iter().filter(|key| !seen.cells.contains_key(key));
        if let Some(key) = missing.next() {
            return Err(format!("cell {key} is missing: {seen:?}"));
        }
        for (key, times) in &seen.cells {
            if *times != 1 || !(self.must.contains(key) || self.may.contains(key)) {
                return Err(format!("cell {key} is there {times} times: {seen:?}"));
            }
        }
        if !(self.added[0]..=self.added[1]).contains(&seen.added) {
            let added = self.added;
            return Err(format!("{added:?} attributes were added: {seen:?}"));
        }
        let has = |keys: &[&str], key: &str| keys.contains(&key);
        let mut metadata = self.metadata_must.iter();
        if let Some(key) = metadata.find(|key| !seen.metadata.iter().any(|seen| seen == *key)) {
            return Err(format!("metadata {key} is missing: {seen:?}"));
        }
        let mut metadata = seen.metadata.iter();
        match metadata.find(|key| !has(&self.metadata_must, key) && !has(&self.metadata_may, key)) {
            Some(key) => Err(format!("metadata {key} must not be there: {seen:?}")),
            None => Ok(()),
        }
    }
}
