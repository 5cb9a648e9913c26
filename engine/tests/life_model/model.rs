//! What is known of an array: every cell ever written, every delete, and the schema of each moment.

use std::collections::{BTreeMap, BTreeSet};

use tiledb_engine::condition::Operator;

use super::shape::{Shape, Value};

/// A cell: where it is, when it was written, and its values.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) place: Vec<i32>,
    pub(crate) at: u64,
    pub(crate) values: BTreeMap<Shape, Value>,
}

impl Cell {
    pub(crate) fn value(&self, shape: Shape) -> Value {
        let known = self.values.get(&shape);
        known.cloned().unwrap_or_else(|| shape.fill())
    }
}

/// A delete of the cells whose number compares so.
#[derive(Debug)]
pub(crate) struct Delete {
    pub(crate) at: u64,
    pub(crate) shape: Shape,
    pub(crate) operator: Operator,
    pub(crate) bound: i32,
}

impl Delete {
    /// Whether a cell stays: it does where the opposite holds, and what is null never compares.
    fn leaves(&self, cell: &Cell) -> bool {
        let Some(bytes) = cell.value(self.shape).filter(|_| cell.at <= self.at) else {
            return cell.at > self.at;
        };
        let number = i32::from_le_bytes(bytes.try_into().expect("a number"));
        match self.operator {
            Operator::Lt => number >= self.bound,
            Operator::Le => number > self.bound,
            Operator::Gt => number <= self.bound,
            Operator::Ge => number < self.bound,
            Operator::Eq => number != self.bound,
            _ => number == self.bound,
        }
    }
}

/// The schema from a moment on.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) at: u64,
    /// Each with the enumeration that it has.
    pub(crate) attributes: Vec<(Shape, Option<String>)>,
    pub(crate) enumerations: BTreeMap<String, Vec<String>>,
    pub(crate) current: Option<Vec<(i32, i32)>>,
}

impl Moment {
    pub(crate) fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        self.attributes.iter().map(|(shape, _)| *shape)
    }
}

/// Everything that was done.
pub(crate) struct Model {
    allows_dups: bool,
    pub(crate) moments: Vec<Moment>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) deletes: Vec<Delete>,
    /// When a key got a value, or lost it.
    pub(crate) metadata: Vec<(u64, String, Option<u8>)>,
    /// The attributes that were not there when fragments were merged: their old cells may be gone.
    pub(crate) lost: BTreeSet<Shape>,
    /// From when on dense cells are sure to be seen as they were.
    pub(crate) cells_from: u64,
    /// The same of metadata.
    pub(crate) metadata_from: u64,
}

impl Model {
    pub(crate) fn new(first: Moment, allows_dups: bool) -> Self {
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

    pub(crate) fn latest(&self) -> &Moment {
        self.moments.last().expect("a schema")
    }

    /// The schema at a moment.
    pub(crate) fn at(&self, at: u64) -> &Moment {
        let mut moments = self.moments.iter().rev();
        moments.find(|moment| moment.at <= at).expect("a schema")
    }

    /// All attributes that there ever were.
    pub(crate) fn shapes(&self) -> BTreeSet<Shape> {
        self.moments.iter().flat_map(Moment::shapes).collect()
    }

    /// The cells of a span of time.
    pub(crate) fn seen(&self, from: u64, at: u64) -> Vec<&Cell> {
        let span = from..=at;
        let written = self.cells.iter().filter(|cell| span.contains(&cell.at));
        let deletes = self
            .deletes
            .iter()
            .filter(|delete| span.contains(&delete.at));
        let deletes: Vec<&Delete> = deletes.collect();
        let stays = |cell: &&Cell| deletes.iter().all(|delete| delete.leaves(cell));
        if self.allows_dups {
            return written.filter(stays).collect();
        }
        let newest: BTreeMap<_, _> = written.map(|cell| (&cell.place, cell)).collect();
        newest.into_values().filter(stays).collect()
    }

    /// The metadata at a moment.
    pub(crate) fn metadata_at(&self, at: u64) -> BTreeMap<&str, u8> {
        let mut known = BTreeMap::new();
        for (_, key, value) in self.metadata.iter().filter(|(when, ..)| *when <= at) {
            match value {
                Some(value) => drop(known.insert(&key[..], *value)),
                None => drop(known.remove(&key[..])),
            }
        }
        known
    }
}
