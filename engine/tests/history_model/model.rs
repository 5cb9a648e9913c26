//! The model of an array: every cell ever written, every delete, and each version of the schema.

use std::collections::{BTreeMap, BTreeSet};

use tiledb_engine::internal::condition::Operator;

use super::shape::{Shape, Value};

/// A cell: its coordinates, timestamp and values.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) coordinate: Vec<i32>,
    pub(crate) timestamp: u64,
    pub(crate) values: BTreeMap<Shape, Value>,
}

impl Cell {
    pub(crate) fn value(&self, shape: Shape) -> Value {
        let known = self.values.get(&shape);
        known.cloned().unwrap_or_else(|| shape.fill())
    }
}

/// A delete of the cells whose number satisfies a comparison.
#[derive(Clone, Debug)]
pub(crate) struct Delete {
    pub(crate) timestamp: u64,
    pub(crate) shape: Shape,
    pub(crate) operator: Operator,
    pub(crate) bound: i32,
}

impl Delete {
    /// Returns whether a cell remains: only if it satisfies the negated condition, which null does
    /// not.
    fn retains(&self, cell: &Cell) -> bool {
        let value = cell.value(self.shape);
        let is_deleted = value.is_none() || satisfies(&value, self.operator, self.bound);
        cell.timestamp > self.timestamp || !is_deleted
    }
}

/// Returns whether a value satisfies a comparison. Comparisons with null are false.
pub(crate) fn satisfies(value: &Value, operator: Operator, bound: i32) -> bool {
    let Some(bytes) = value else {
        return false;
    };
    let number = i32::from_le_bytes(bytes[..].try_into().expect("a number"));
    match operator {
        Operator::Lt => number < bound,
        Operator::Le => number <= bound,
        Operator::Gt => number > bound,
        Operator::Ge => number >= bound,
        Operator::Eq => number == bound,
        _ => number != bound,
    }
}

/// A version of the schema.
#[derive(Clone, Debug)]
pub(crate) struct SchemaVersion {
    pub(crate) timestamp: u64,
    /// The attributes, each with its enumeration.
    pub(crate) attributes: Vec<(Shape, Option<String>)>,
    pub(crate) enumerations: BTreeMap<String, Vec<String>>,
    pub(crate) current: Option<Vec<(i32, i32)>>,
}

impl SchemaVersion {
    pub(crate) fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        self.attributes.iter().map(|(shape, _)| *shape)
    }
}

/// Everything that was done to the array.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    allows_dups: bool,
    pub(crate) moments: Vec<SchemaVersion>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) deletes: Vec<Delete>,
    /// The timestamps at which keys were set or removed.
    pub(crate) metadata: Vec<(u64, String, Option<u8>)>,
    /// Attributes that did not exist when fragments were consolidated, which may have discarded
    /// their old cells.
    pub(crate) lost: BTreeSet<Shape>,
    /// The timestamp from which on dense cells are certain to be visible as they were.
    pub(crate) cells_from: u64,
    /// The timestamp from which on metadata is certain to be visible as it was.
    pub(crate) metadata_from: u64,
}

impl Model {
    pub(crate) fn new(first: SchemaVersion, allows_dups: bool) -> Self {
        Self {
            allows_dups,
            moments: vec![first],
            cells: Vec::new(),
            deletes: Vec::new(),
            metadata: Vec::new(),
            lost: BTreeSet::new(),
            cells_from: 0,
            metadata_from: 0,
        }
    }

    /// Adds the cells of a write. Those with the same timestamp as others are newer.
    pub(crate) fn write(&mut self, cells: Vec<Cell>) {
        self.cells.extend(cells);
        self.cells.sort_by_key(|cell| cell.timestamp);
    }

    pub(crate) fn latest(&self) -> &SchemaVersion {
        self.moments.last().expect("a schema")
    }

    /// Returns the schema at a timestamp.
    pub(crate) fn schema_at(&self, timestamp: u64) -> &SchemaVersion {
        let mut moments = self.moments.iter().rev();
        moments
            .find(|moment| moment.timestamp <= timestamp)
            .expect("a schema")
    }

    /// Returns all attributes that ever existed.
    pub(crate) fn shapes(&self) -> BTreeSet<Shape> {
        self.moments
            .iter()
            .flat_map(SchemaVersion::shapes)
            .collect()
    }

    /// Returns the cells of a range of timestamps.
    pub(crate) fn seen(&self, from: u64, timestamp: u64) -> Vec<&Cell> {
        let span = from..=timestamp;
        let written = self
            .cells
            .iter()
            .filter(|cell| span.contains(&cell.timestamp));
        let deletes = self
            .deletes
            .iter()
            .filter(|delete| span.contains(&delete.timestamp));
        let deletes: Vec<&Delete> = deletes.collect();
        let stays = |cell: &&Cell| deletes.iter().all(|delete| delete.retains(cell));
        if self.allows_dups {
            return written.filter(stays).collect();
        }
        let newest: BTreeMap<_, _> = written.map(|cell| (&cell.coordinate, cell)).collect();
        newest.into_values().filter(stays).collect()
    }

    /// Returns the metadata at a timestamp.
    pub(crate) fn metadata_at(&self, timestamp: u64) -> BTreeMap<&str, u8> {
        let mut known = BTreeMap::new();
        for (_, key, value) in self.metadata.iter().filter(|(when, ..)| *when <= timestamp) {
            match value {
                Some(value) => drop(known.insert(&key[..], *value)),
                None => drop(known.remove(&key[..])),
            }
        }
        known
    }
}
