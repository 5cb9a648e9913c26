//! Random sparse arrays compared with a naive model: schemas, writes and deletes with random
//! timestamps, consolidation and vacuum in between, reads in every layout for every range of
//! timestamps through buffers of every size. `TILEDB_RS_CASES` is the number of cases (default
//! 150). A failure prints its seed, which `TILEDB_RS_SEED` repeats.

mod consolidation;
mod deletes;
#[path = "../random/mod.rs"]
mod random;
#[path = "../setup/mod.rs"]
mod setup;

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::filter::{FilterList, FilterType};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{ArraySchema, Attribute, Dimension};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM,
};

use self::deletes::Delete;
use self::random::Random;
use self::setup::TestArray;
use self::setup::column::{self, Column, fields};

/// The type of a dimension. Coordinates are represented by their indexes in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Real,
    Text,
}

/// Strings in ascending order.
const TEXTS: [&str; 12] = [
    "", "a", "aa", "ab", "abc", "b", "ba", "c", "cc", "d", "da", "zz",
];
/// The number of coordinates of a dimension.
const COORDINATES: u64 = TEXTS.len() as u64;

impl Kind {
    fn coordinate(self, coordinate_index: u64) -> Vec<u8> {
        match self {
            Self::Int => (coordinate_index as i32 - 5).to_le_bytes().to_vec(),
            Self::Real => (coordinate_index as f64 * 0.75 - 3.0)
                .to_le_bytes()
                .to_vec(),
            Self::Text => TEXTS[coordinate_index as usize].as_bytes().to_vec(),
        }
    }

    fn index_of(self, bytes: &[u8]) -> u64 {
        (0..COORDINATES)
            .find(|coordinate_index| self.coordinate(*coordinate_index) == bytes)
            .expect("a coordinate that was written")
    }

    fn dimension(self, name: &str, random: &mut Random) -> Dimension {
        let ends = [self.coordinate(0), self.coordinate(COORDINATES - 1)].concat();
        match self {
            Self::Int => {
                let extent = random.one_of(&[1i32, 3, 5, 12]).to_le_bytes();
                Dimension::new(name, Datatype::Int32, Some(&ends), Some(&extent))
            }
            Self::Real => Dimension::new(name, Datatype::Float64, Some(&ends), None),
            Self::Text => Dimension::new(name, Datatype::StringAscii, None, None),
        }
        .expect("dimension")
    }
}

/// A cell: its coordinates, timestamp, and the bytes and validity of each attribute.
#[derive(Clone, Debug)]
struct Cell {
    coordinate_indexes: Vec<u64>,
    timestamp: u64,
    values: Vec<column::Cell>,
}

/// A cell of a result: its coordinates and attribute values.
type Row = (Vec<u64>, Vec<column::Cell>);

struct Case {
    random: Random,
    test_array: TestArray,
    schema: Arc<ArraySchema>,
    kinds: Vec<Kind>,
    cells: Vec<Cell>,
    deletes: Vec<Delete>,
    now: u64,
    /// The number of fragments.
    fragments: usize,
    /// The number of reads whose sizes were known before.
    exact_sizes: usize,
}

fn filters(random: &mut Random) -> Arc<FilterList> {
    let kinds = [
        FilterType::Zstd,
        FilterType::Lz4,
        FilterType::Gzip,
        FilterType::Byteshuffle,
    ];
    let chosen: Vec<FilterType> = (0..random.below(3))
        .map(|_| random.one_of(&kinds))
        .collect();
    setup::filters(&chosen)
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let dims = 1 + random.below(3) as usize;
        let kinds: Vec<Kind> = (0..dims)
            .map(|_| random.one_of(&[Kind::Int, Kind::Int, Kind::Real, Kind::Text]))
            .collect();
        let mut dimensions = Vec::new();
        for (d, kind) in kinds.iter().enumerate() {
            let mut dimension = kind.dimension(&format!("d{d}"), &mut random);
            dimension
                .set_filters(filters(&mut random))
                .expect("filters");
            dimensions.push(dimension);
        }
        let mut draft = setup::schema(ArrayType::Sparse, dimensions, []);
        let orders = [Layout::RowMajor, Layout::ColMajor, Layout::Hilbert];
        draft
            .set_cell_order(random.one_of(&orders))
            .expect("cell order");
        draft
            .set_tile_order(random.one_of(&orders[..2]))
            .expect("tile order");
        draft.set_capacity(1 + random.below(9)).expect("capacity");
        draft
            .set_allows_dups(random.below(3) == 0)
            .expect("duplicates");
        draft.set_offsets_filters(filters(&mut random));
        for index in 0..1 + random.below(3) {
            let datatype = random.one_of(&[
                Datatype::Int32,
                Datatype::Float64,
                Datatype::Uint8,
                Datatype::StringAscii,
            ]);
            let mut attribute = Attribute::new(&format!("a{index}"), datatype);
            let values = match datatype {
                Datatype::StringAscii => VAR_NUM,
                _ => random.one_of(&[1, 1, 2, VAR_NUM]),
            };
            attribute.set_cell_val_num(values).expect("cell size");
            attribute
                .set_nullable(random.below(3) == 0)
                .expect("nullable");
            attribute
                .set_filters(filters(&mut random))
                .expect("filters");
            setup::add(&mut draft, attribute);
        }
        let test_array = TestArray::in_memory();
        test_array.create(&draft);
        Self {
            random,
            test_array,
            schema: Arc::new(draft.finish().expect("schema")),
            kinds,
            cells: Vec::new(),
            deletes: Vec::new(),
            now: 10,
            fragments: 0,
            exact_sizes: 0,
        }
    }

    fn open(&self, query_type: QueryType, timestamp: u64) -> Arc<Array> {
        self.test_array.open_within(query_type, 0, timestamp)
    }

    fn random_value(&mut self, attribute: &Attribute) -> (Vec<u8>, u8) {
        let values = match attribute.cell_val_num {
            VAR_NUM => self.random.below(4),
            values => values.into(),
        };
        let bytes = (0..values as usize * attribute.datatype.size())
            .map(|_| self.random.below(7) as u8)
            .collect();
        let valid = u8::from(!attribute.nullable || self.random.below(4) > 0);
        (bytes, valid)
    }

    fn write(&mut self) {
        self.now += self.random.one_of(&[0, 10, 10, 10]);
        let attributes = self.schema.attributes.clone();
        let mut cells = Vec::new();
        let mut taken = BTreeMap::new();
        for _ in 0..1 + self.random.below(30) {
            let coordinate_indexes: Vec<u64> = self
                .kinds
                .iter()
                .map(|_| self.random.below(COORDINATES))
                .collect();
            if !self.schema.allows_dups && taken.insert(coordinate_indexes.clone(), ()).is_some() {
                continue;
            }
            let values = attributes
                .iter()
                .map(|attribute| self.random_value(attribute));
            let values = values.collect();
            cells.push(Cell {
                coordinate_indexes,
                timestamp: self.now,
                values,
            });
        }
        let array = self.open(QueryType::Write, self.now);
        let mut query = Query::new(&array, QueryType::Write).expect("query");
        query.set_layout(Layout::Unordered).expect("layout");
        self.submit(&mut query, &cells);
        query.finalize().expect("finalize");
        assert_eq!(query.status(), QueryStatus::Completed);
        self.cells.extend(cells);
        self.fragments += 1;
    }

    fn submit(&self, query: &mut Query, cells: &[Cell]) {
        let columns = fields(&self.schema).enumerate().map(|(index, cell_type)| {
            let value = |cell: &Cell| match self.kinds.get(index) {
                Some(kind) => (kind.coordinate(cell.coordinate_indexes[index]), 1),
                None => cell.values[index - self.kinds.len()].clone(),
            };
            Column::of(cell_type, cells.iter().map(value))
        });
        let columns: Vec<Column> = columns.collect();
        column::write(query, &columns).expect("write");
    }

    /// Returns the sorted rows that a read must return; cells with equal coordinates may be in any
    /// order.
    fn expected(&self, (from, position): (u64, u64), lists: &[Vec<(u64, u64)>]) -> Vec<Row> {
        let asked = |cell: &&Cell| {
            let inside = |coordinate_index: &u64, ranges: &Vec<(u64, u64)>| {
                ranges
                    .iter()
                    .any(|(low, high)| low <= coordinate_index && coordinate_index <= high)
            };
            from <= cell.timestamp
                && cell.timestamp <= position
                && cell
                    .coordinate_indexes
                    .iter()
                    .zip(lists)
                    .all(|(coordinate_index, ranges)| inside(coordinate_index, ranges))
        };
        let mut deletes = self.deletes.iter().collect::<Vec<_>>();
        deletes.retain(|delete| (from..=position).contains(&delete.timestamp));
        let stays = |cell: &&Cell| {
            let mut deletes = deletes.iter();
            deletes.all(|delete| delete.retains(cell, &self.schema))
        };
        let row = |cell: &Cell| (cell.coordinate_indexes.clone(), cell.values.clone());
        let found = self.cells.iter().filter(asked);
        if self.schema.allows_dups {
            return found.filter(stays).map(row).collect();
        }
        let newest: BTreeMap<_, _> = found.map(|cell| (&cell.coordinate_indexes, cell)).collect();
        newest.into_values().filter(stays).map(row).collect()
    }

    fn read(&mut self) {
        let timestamp = match self.random.below(2) {
            0 => u64::MAX - 1,
            _ => self.random.below(self.now + 20),
        };
        let from = match self.random.below(4) {
            0 => self.random.below(self.now + 20).min(timestamp),
            _ => 0,
        };
        let layout = self.random.one_of(&[
            Layout::RowMajor,
            Layout::ColMajor,
            Layout::GlobalOrder,
            Layout::Unordered,
        ]);
        let array = self
            .test_array
            .open_within(QueryType::Read, from, timestamp);
        let mut subarray = Subarray::new(&self.schema);
        let mut lists = Vec::new();
        for (d, kind) in self.kinds.iter().enumerate() {
            let mut ranges = Vec::new();
            let number = match layout {
                Layout::GlobalOrder => self.random.below(2),
                _ => self.random.below(3),
            };
            for _ in 0..number {
                let (low, high) = self.random.range_below(COORDINATES);
                // Row- and column-major reads return a cell once for each range that contains it.
                let apart = |(a, b): &(u64, u64)| high < *a || *b < low;
                if ranges.iter().all(apart) {
                    ranges.push((low, high));
                    let (low, high) = (kind.coordinate(low), kind.coordinate(high));
                    match kind {
                        Kind::Text => subarray.add_range_var(d as u32, &low, &high),
                        _ => subarray.add_range(d as u32, &low, &high),
                    }
                    .expect("range");
                }
            }
            lists.push(if ranges.is_empty() {
                vec![(0, COORDINATES - 1)]
            } else {
                ranges
            });
        }
        let create = || {
            let mut query = Query::new(&array, QueryType::Read).expect("query");
            query.set_layout(layout).expect("layout");
            query.set_subarray(&subarray).expect("subarray");
            query
        };
        let all_fields: Vec<_> = fields(&self.schema).collect();
        let is_exact = setup::needed_sizes::check(&create, &all_fields);
        self.exact_sizes += usize::from(is_exact);
        let mut query = create();
        let mut expected = self.expected((from, timestamp), &lists);
        let capacity = match self.random.below(3) {
            0 => 1 + self.random.below(6) as usize,
            _ => expected.len().max(1),
        };
        let mut found = Vec::new();
        loop {
            let cells = self.deliver(&mut query, capacity);
            let number = cells.len();
            found.extend(cells);
            match query.status() {
                QueryStatus::Completed => break,
                QueryStatus::Incomplete => assert!(number > 0, "nothing was delivered"),
                other => panic!("{other:?}"),
            }
        }
        let key = |coordinate_indexes: &[u64]| -> Vec<u64> {
            match layout {
                Layout::ColMajor => coordinate_indexes.iter().rev().copied().collect(),
                _ => coordinate_indexes.to_vec(),
            }
        };
        if matches!(layout, Layout::RowMajor | Layout::ColMajor) {
            let keys: Vec<Vec<u64>> = found
                .iter()
                .map(|(coordinate_indexes, _)| key(coordinate_indexes))
                .collect();
            assert!(keys.is_sorted(), "{layout:?}");
        }
        found.sort();
        expected.sort();
        assert_eq!(
            found, expected,
            "{layout:?} from {from} to {timestamp}, {lists:?}"
        );
    }

    /// Returns the rows of one submit.
    fn deliver(&self, query: &mut Query, capacity: usize) -> Vec<Row> {
        let columns = fields(&self.schema).enumerate().map(|(index, cell_type)| {
            // The longest string and the longest list of values have three elements.
            let attribute = index.checked_sub(self.kinds.len());
            let size = attribute.map_or(1, |index| self.schema.attributes[index].datatype.size());
            Column::with_capacity(cell_type, capacity, 3 * size * capacity)
        });
        let mut columns: Vec<Column> = columns.collect();
        let cells = column::read(query, &mut columns).expect("read");
        let number = cells.first().map_or(0, Vec::len);
        assert!(
            cells.iter().all(|field| field.len() == number),
            "fields of different lengths"
        );
        let (coordinate_indexes, values) = cells.split_at(self.kinds.len());
        let places_of = |cell: usize| {
            let coordinate_indexes = self.kinds.iter().zip(coordinate_indexes);
            coordinate_indexes.map(move |(kind, field)| kind.index_of(&field[cell].0))
        };
        let values_of = |cell: usize| values.iter().map(move |field| field[cell].clone());
        (0..number)
            .map(|cell| (places_of(cell).collect(), values_of(cell).collect()))
            .collect()
    }
}

#[test]
fn reads_return_the_cells_at_any_timestamp() {
    let mut exact = 0;
    let seeds = random::for_each_seed(150, |seed| {
        let mut case = Case::new(seed);
        case.read();
        for _ in 0..1 + case.random.below(5) {
            case.write();
            case.read();
            if case.random.below(2) == 0 {
                case.delete();
                case.read();
            }
            if case.random.below(3) == 0 {
                case.consolidate_or_vacuum();
                case.read();
                case.read();
            }
        }
        case.read();
        case.read();
        exact += case.exact_sizes;
    });
    println!("sparse arrays of the seeds {seeds:?}, {exact} exact sizes");
}
