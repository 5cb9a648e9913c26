//! Random sparse arrays against a naive model: schemas, writes and deletes at moments in time, consolidation and vacuum in
//! between, reads in every layout, of every span of time, through buffers of every size. `TILEDB_RS_CASES` sets how many (default 150); a failure
//! prints the seed, and `TILEDB_RS_SEED` runs it.

mod deletes;
#[path = "../random/mod.rs"]
mod random;
mod upkeep;

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::filter::{Filter, FilterList, FilterType};
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::schema::{ArraySchema, Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM};
use tiledb_engine::vfs::{Uri, Vfs};

use self::deletes::Delete;
use self::random::Random;

/// What a dimension is. Its coordinates are told by their places in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Real,
    Text,
}

/// Texts in ascending order.
const TEXTS: [&str; 12] = [
    "", "a", "aa", "ab", "abc", "b", "ba", "c", "cc", "d", "da", "zz",
];
/// The number of coordinates of a dimension.
const PLACES: u64 = TEXTS.len() as u64;

impl Kind {
    fn coordinate(self, place: u64) -> Vec<u8> {
        match self {
            Self::Int => (place as i32 - 5).to_le_bytes().to_vec(),
            Self::Real => (place as f64 * 0.75 - 3.0).to_le_bytes().to_vec(),
            Self::Text => TEXTS[place as usize].as_bytes().to_vec(),
        }
    }

    fn place(self, bytes: &[u8]) -> u64 {
        (0..PLACES)
            .find(|place| self.coordinate(*place) == bytes)
            .expect("a coordinate that was written")
    }

    fn dimension(self, name: &str, random: &mut Random) -> Dimension {
        let ends = [self.coordinate(0), self.coordinate(PLACES - 1)].concat();
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

/// A cell: where it is, when it was written, and by attribute its bytes and whether it is valid.
#[derive(Clone, Debug)]
struct Cell {
    places: Vec<u64>,
    at: u64,
    values: Vec<(Vec<u8>, u8)>,
}

/// A cell of a result: where it is, and its values by attribute.
type Row = (Vec<u64>, Vec<(Vec<u8>, u8)>);

struct Case {
    random: Random,
    vfs: Arc<Vfs>,
    uri: Uri,
    schema: Arc<ArraySchema>,
    kinds: Vec<Kind>,
    cells: Vec<Cell>,
    deletes: Vec<Delete>,
    now: u64,
    /// How many fragments there are.
    fragments: usize,
}

fn filters(random: &mut Random) -> Arc<FilterList> {
    let kinds = [
        FilterType::Zstd,
        FilterType::Lz4,
        FilterType::Gzip,
        FilterType::Byteshuffle,
    ];
    let mut list = FilterList::default();
    for _ in 0..random.below(3) {
        list.filters.extend(Filter::new(random.one_of(&kinds)));
    }
    Arc::new(list)
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let dims = 1 + random.below(3) as usize;
        let kinds: Vec<Kind> = (0..dims)
            .map(|_| random.one_of(&[Kind::Int, Kind::Int, Kind::Real, Kind::Text]))
            .collect();
        let mut domain = DomainDraft::default();
        for (d, kind) in kinds.iter().enumerate() {
            let mut dimension = kind.dimension(&format!("d{d}"), &mut random);
            dimension
                .set_filters(filters(&mut random))
                .expect("filters");
            domain.dimensions.push(shared(dimension));
        }
        let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
        draft.set_domain(&shared(domain)).expect("domain");
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
        for at in 0..1 + random.below(3) {
            let datatype = random.one_of(&[
                Datatype::Int32,
                Datatype::Float64,
                Datatype::Uint8,
                Datatype::StringAscii,
            ]);
            let mut attribute = Attribute::new(&format!("a{at}"), datatype);
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
            draft.add_attribute(&shared(attribute)).expect("attribute");
        }
        let schema = draft.finish().expect("schema");
        let context = Context::new(Config::new()).expect("context");
        let vfs = Vfs::new(&context).expect("vfs");
        let uri = Uri::parse(&format!("mem://sparse-model-{seed}")).expect("uri");
        array::create(&vfs, &uri, &schema, None).expect("create");
        Self {
            random,
            vfs,
            uri,
            schema: Arc::new(schema),
            kinds,
            cells: Vec::new(),
            deletes: Vec::new(),
            now: 0,
            fragments: 0,
        }
    }

    fn open(&self, query_type: QueryType, at: u64) -> Arc<Array> {
        self.open_from(query_type, 0, at)
    }

    fn open_from(&self, query_type: QueryType, from: u64, at: u64) -> Arc<Array> {
        let array = Array::new(&self.vfs, self.uri.as_str()).expect("array");
        array.set_open_timestamp_start(from);
        array.set_open_timestamp_end(at);
        array.open(query_type).expect("open");
        Arc::new(array)
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
        self.now += 10;
        let attributes = self.schema.attributes.clone();
        let mut cells = Vec::new();
        let mut taken = BTreeMap::new();
        for _ in 0..1 + self.random.below(30) {
            let places: Vec<u64> = self
                .kinds
                .iter()
                .map(|_| self.random.below(PLACES))
                .collect();
            if !self.schema.allows_dups && taken.insert(places.clone(), ()).is_some() {
                continue;
            }
            let values = attributes
                .iter()
                .map(|attribute| self.random_value(attribute));
            let values = values.collect();
            cells.push(Cell {
                places,
                at: self.now,
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
        let column = |value: &dyn Fn(&Cell) -> (Vec<u8>, u8)| {
            let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
            for cell in cells {
                let (bytes, valid) = value(cell);
                offsets.extend_from_slice(&(data.len() as u64).to_le_bytes());
                data.extend_from_slice(&bytes);
                validity.push(valid);
            }
            (data, offsets, validity)
        };
        let mut columns = Vec::new();
        for (d, kind) in self.kinds.iter().enumerate() {
            let buffers = column(&|cell| (kind.coordinate(cell.places[d]), 1));
            columns.push((format!("d{d}"), *kind == Kind::Text, false, buffers));
        }
        for (a, attribute) in self.schema.attributes.iter().enumerate() {
            let var = attribute.cell_val_num == VAR_NUM;
            let buffers = column(&|cell| cell.values[a].clone());
            columns.push((attribute.name.clone(), var, attribute.nullable, buffers));
        }
        let fields: Vec<FieldCells<'_>> = columns
            .iter()
            .map(
                |(name, var, nullable, (data, offsets, validity))| FieldCells {
                    name,
                    data: Some(data),
                    offsets: var.then_some(&offsets[..]),
                    validity: nullable.then_some(&validity[..]),
                },
            )
            .collect();
        query.write(&fields).expect("write");
    }

    /// The cells that a read must bring, as rows that sort, those of the same coordinates in any order.
    fn expected(&self, (from, at): (u64, u64), lists: &[Vec<(u64, u64)>]) -> Vec<Row> {
        let asked = |cell: &&Cell| {
            let inside = |place: &u64, ranges: &Vec<(u64, u64)>| {
                ranges
                    .iter()
                    .any(|(low, high)| low <= place && place <= high)
            };
            from <= cell.at
                && cell.at <= at
                && cell
                    .places
                    .iter()
                    .zip(lists)
                    .all(|(place, ranges)| inside(place, ranges))
        };
        let mut deletes = self.deletes.iter().collect::<Vec<_>>();
        deletes.retain(|delete| (from..=at).contains(&delete.at));
        let stays = |cell: &&Cell| {
            let mut deletes = deletes.iter();
            deletes.all(|delete| delete.leaves(cell, &self.schema))
        };
        let row = |cell: &Cell| (cell.places.clone(), cell.values.clone());
        let found = self.cells.iter().filter(asked);
        if self.schema.allows_dups {
            return found.filter(stays).map(row).collect();
        }
        let newest: BTreeMap<_, _> = found.map(|cell| (&cell.places, cell)).collect();
        newest.into_values().filter(stays).map(row).collect()
    }

    fn read(&mut self) {
        let at = match self.random.below(2) {
            0 => u64::MAX - 1,
            _ => self.random.below(self.now + 20),
        };
        let from = match self.random.below(4) {
            0 => self.random.below(self.now + 20).min(at),
            _ => 0,
        };
        let layout = self.random.one_of(&[
            Layout::RowMajor,
            Layout::ColMajor,
            Layout::GlobalOrder,
            Layout::Unordered,
        ]);
        let array = self.open_from(QueryType::Read, from, at);
        let mut query = Query::new(&array, QueryType::Read).expect("query");
        query.set_layout(layout).expect("layout");
        let mut subarray = Subarray::new(&self.schema);
        let mut lists = Vec::new();
        for (d, kind) in self.kinds.iter().enumerate() {
            let mut ranges = Vec::new();
            let number = match layout {
                Layout::GlobalOrder => self.random.below(2),
                _ => self.random.below(3),
            };
            for _ in 0..number {
                let ends = [self.random.below(PLACES), self.random.below(PLACES)];
                let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                // Row- and column-major reads bring a cell for each range that holds it; an empty end of text is open.
                let apart = |(a, b): &(u64, u64)| high < *a || *b < low;
                let open = *kind == Kind::Text && high == 0;
                if ranges.iter().all(apart) && !open {
                    ranges.push((low, high));
                    let (low, high) = (kind.coordinate(low), kind.coordinate(high));
                    match kind {
                        Kind::Text => subarray.add_range_var(d as u32, &low, &high),
                        _ => subarray.add_range(d as u32, &low, &high),
                    }
                    .expect("range");
                }
            }
            lists.push(match ranges.is_empty() {
                true => vec![(0, PLACES - 1)],
                false => ranges,
            });
        }
        query.set_subarray(&subarray).expect("subarray");
        let mut expected = self.expected((from, at), &lists);
        let room = match self.random.below(3) {
            0 => 1 + self.random.below(6) as usize,
            _ => expected.len().max(1),
        };
        let mut found = Vec::new();
        loop {
            let cells = self.deliver(&mut query, room);
            let number = cells.len();
            found.extend(cells);
            match query.status() {
                QueryStatus::Completed => break,
                QueryStatus::Incomplete => assert!(number > 0, "nothing was delivered"),
                other => panic!("{other:?}"),
            }
        }
        let key = |places: &[u64]| -> Vec<u64> {
            match layout {
                Layout::ColMajor => places.iter().rev().copied().collect(),
                _ => places.to_vec(),
            }
        };
        if matches!(layout, Layout::RowMajor | Layout::ColMajor) {
            let keys: Vec<Vec<u64>> = found.iter().map(|(places, _)| key(places)).collect();
            assert!(keys.is_sorted(), "{layout:?}");
        }
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{layout:?} from {from} to {at}, {lists:?}");
    }

    /// What one submit brings.
    fn deliver(&self, query: &mut Query, room: usize) -> Vec<Row> {
        struct Column {
            name: String,
            var: bool,
            nullable: bool,
            size: usize,
            data: Vec<u8>,
            offsets: Vec<u8>,
            validity: Vec<u8>,
        }
        let make = |name: String, var, nullable, size: usize, longest: usize| Column {
            name,
            var,
            nullable,
            size,
            data: vec![0xee; room * longest],
            offsets: vec![0xee; room * 8],
            validity: vec![0xee; room],
        };
        let mut columns = Vec::new();
        for (d, kind) in self.kinds.iter().enumerate() {
            let size = kind.coordinate(1).len();
            columns.push(make(
                format!("d{d}"),
                *kind == Kind::Text,
                false,
                size,
                size.max(3),
            ));
        }
        for attribute in &self.schema.attributes {
            let var = attribute.cell_val_num == VAR_NUM;
            let size = match var {
                true => attribute.datatype.size(),
                false => attribute.cell_size() as usize,
            };
            let name = attribute.name.clone();
            columns.push(make(name, var, attribute.nullable, size, 3 * size));
        }
        let mut fields: Vec<FieldBuffers<'_>> = columns
            .iter_mut()
            .map(|column| FieldBuffers {
                name: &column.name,
                data: Some(match column.var {
                    true => &mut column.data[..],
                    false => &mut column.data[..room * column.size],
                }),
                offsets: column.var.then_some(&mut column.offsets[..]),
                validity: column.nullable.then_some(&mut column.validity[..]),
            })
            .collect();
        let sizes = query.read(&mut fields).expect("read");
        drop(fields);
        let cells = columns
            .iter()
            .zip(&sizes)
            .map(|(column, sizes)| match column.var {
                true => sizes.offsets as usize / 8,
                false => sizes.data as usize / column.size,
            });
        let cells: Vec<usize> = cells.collect();
        let number = cells.first().copied().unwrap_or(0);
        assert!(cells.iter().all(|other| *other == number), "{cells:?}");
        let value = |at: usize, cell: usize| -> Vec<u8> {
            let (column, sizes) = (&columns[at], &sizes[at]);
            if !column.var {
                return column.data[cell * column.size..(cell + 1) * column.size].to_vec();
            }
            let start = |cell: usize| match cell == number {
                true => sizes.data as usize,
                false => {
                    let bytes = &column.offsets[cell * 8..cell * 8 + 8];
                    u64::from_le_bytes(bytes.try_into().expect("8")) as usize
                }
            };
            column.data[start(cell)..start(cell + 1)].to_vec()
        };
        let dims = self.kinds.len();
        (0..number)
            .map(|cell| {
                let places = self.kinds.iter().enumerate();
                let places = places
                    .map(|(d, kind)| kind.place(&value(d, cell)))
                    .collect();
                let values = self.schema.attributes.iter().enumerate();
                let values = values.map(|(a, attribute)| {
                    let valid = match attribute.nullable {
                        true => columns[dims + a].validity[cell],
                        false => 1,
                    };
                    (value(dims + a, cell), valid)
                });
                (places, values.collect())
            })
            .collect()
    }
}

#[test]
fn reads_return_the_cells_of_any_moment() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (first, cases) = match number("TILEDB_RS_SEED") {
        Some(seed) => (seed, 1),
        None => (1, number("TILEDB_RS_CASES").unwrap_or(150)),
    };
    for seed in first..first + cases {
        let run = std::panic::catch_unwind(|| {
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
                    case.upkeep();
                    case.read();
                    case.read();
                }
            }
            case.read();
            case.read();
        });
        assert!(run.is_ok(), "the case of seed {seed} failed");
    }
    println!("{cases} sparse arrays, seeds from {first}");
}
