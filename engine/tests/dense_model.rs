//! Random dense arrays against a naive model: schemas, writes in every layout, reads in every layout through buffers of
//! every size; among them single cells in sparse fragments, as old formats have them. `TILEDB_RS_CASES` sets how many (default 150); a failure prints the seed, and `TILEDB_RS_SEED` runs it.

mod random;

use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::filter::{Filter, FilterList, FilterType};
use tiledb_engine::fragment::FragmentWriter;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells, OffsetsForm};
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::query::write::{Checks, UnorderedWrite};
use tiledb_engine::schema::{ArraySchema, Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM};
use tiledb_engine::vfs::{Uri, Vfs};

use random::Random;

/// A cell: its bytes, or null.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    bytes: Vec<u8>,
    valid: u8,
}

struct Case {
    random: Random,
    vfs: Arc<Vfs>,
    uri: Uri,
    schema: Arc<ArraySchema>,
    low: i64,
    lens: Vec<u64>,
    extents: Vec<u64>,
    /// By attribute, row-major over the domain.
    cells: Vec<Vec<Cell>>,
}

fn filters(random: &mut Random) -> Arc<FilterList> {
    let kinds = [
        None,
        Some(FilterType::Zstd),
        Some(FilterType::Gzip),
        Some(FilterType::Lz4),
        Some(FilterType::Bzip2),
        Some(FilterType::Byteshuffle),
        Some(FilterType::ChecksumMd5),
        Some(FilterType::ChecksumSha256),
    ];
    let mut list = FilterList::default();
    for _ in 0..random.below(3) {
        list.filters
            .extend(random.one_of(&kinds).and_then(Filter::new));
    }
    Arc::new(list)
}

/// Data, offsets, validity.
type Buffers = (Vec<u8>, Vec<u8>, Vec<u8>);

fn buffers(columns: &[Vec<Cell>], range: std::ops::Range<usize>) -> Vec<Buffers> {
    let mut buffers = Vec::new();
    for column in columns {
        let cells = &column[range.clone()];
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        for cell in cells {
            offsets.extend_from_slice(&(data.len() as u64).to_le_bytes());
            data.extend_from_slice(&cell.bytes);
        }
        buffers.push((data, offsets, cells.iter().map(|cell| cell.valid).collect()));
    }
    buffers
}

fn coordinate(datatype: Datatype, value: i64) -> Vec<u8> {
    value.to_le_bytes()[..datatype.size()].to_vec()
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let types = [
            Datatype::Int8,
            Datatype::Uint8,
            Datatype::Int16,
            Datatype::Uint32,
            Datatype::Int32,
            Datatype::Int64,
            Datatype::Uint64,
            Datatype::DatetimeDay,
        ];
        let datatype = random.one_of(&types);
        let signed = !matches!(
            datatype,
            Datatype::Uint8 | Datatype::Uint32 | Datatype::Uint64
        );
        let low = random.below(20) as i64 - if signed { 10 } else { 0 };
        let dims = 1 + random.below(4) as usize;
        let most = [40, 12, 7, 4][dims - 1];
        let lens: Vec<u64> = (0..dims).map(|_| 1 + random.below(most)).collect();
        let extents: Vec<u64> = lens.iter().map(|len| 1 + random.below(*len)).collect();
        let mut domain = DomainDraft::default();
        for d in 0..dims {
            let ends = [
                coordinate(datatype, low),
                coordinate(datatype, low + lens[d] as i64 - 1),
            ]
            .concat();
            let extent = coordinate(datatype, extents[d] as i64);
            let dimension = Dimension::new(&format!("d{d}"), datatype, Some(&ends), Some(&extent))
                .expect("dimension");
            domain.dimensions.push(shared(dimension));
        }
        let mut draft = SchemaDraft::new(ArrayType::Dense, None);
        draft.set_domain(&shared(domain)).expect("domain");
        draft
            .set_tile_order(random.one_of(&[Layout::RowMajor, Layout::ColMajor]))
            .expect("tile order");
        draft
            .set_cell_order(random.one_of(&[Layout::RowMajor, Layout::ColMajor]))
            .expect("cell order");
        draft
            .set_capacity(random.one_of(&[1, 3, 100]))
            .expect("capacity");
        draft.set_offsets_filters(filters(&mut random));
        draft.set_validity_filters(filters(&mut random));
        for at in 0..1 + random.below(3) {
            let datatype = random.one_of(&[
                Datatype::Int32,
                Datatype::Float64,
                Datatype::Uint8,
                Datatype::Int16,
            ]);
            let mut attribute = Attribute::new(&format!("a{at}"), datatype);
            attribute
                .set_cell_val_num(random.one_of(&[1, 1, 2, 3, VAR_NUM, VAR_NUM]))
                .expect("cell size");
            if random.below(3) == 0 {
                attribute.set_nullable(true).expect("nullable");
            }
            attribute
                .set_filters(filters(&mut random))
                .expect("filters");
            draft.add_attribute(&shared(attribute)).expect("attribute");
        }
        let schema = draft.finish().expect("schema");
        let context = Context::new(Config::new()).expect("context");
        let vfs = Vfs::new(&context).expect("vfs");
        let uri = Uri::parse(&format!("mem://dense-model-{seed}")).expect("uri");
        array::create(&vfs, &uri, &schema, None).expect("create");
        let cell_num: u64 = lens.iter().product();
        let fill = |attribute: &Arc<Attribute>| {
            let cell = Cell {
                bytes: attribute.fill_value.clone(),
                valid: attribute.fill_validity,
            };
            vec![
                if attribute.nullable {
                    cell
                } else {
                    Cell { valid: 1, ..cell }
                };
                cell_num as usize
            ]
        };
        let cells = schema.attributes.iter().map(fill).collect();
        Self {
            random,
            vfs,
            uri,
            schema: Arc::new(schema),
            low,
            lens,
            extents,
            cells,
        }
    }

    fn datatype(&self) -> Datatype {
        self.schema.domain.dimensions[0].datatype
    }

    fn open(&self, query_type: QueryType) -> Arc<Array> {
        let array = Array::new(&self.vfs, self.uri.as_str()).expect("array");
        array.open(query_type).expect("open");
        Arc::new(array)
    }

    fn index(&self, at: &[u64]) -> usize {
        at.iter()
            .zip(&self.lens)
            .fold(0, |index, (at, len)| index * *len as usize + *at as usize)
    }

    /// The positions of a box, given by the coordinates of each dimension, in a layout.
    fn positions(&self, lists: &[Vec<u64>], layout: Layout) -> Vec<Vec<u64>> {
        let mut all: Vec<Vec<u64>> = vec![vec![]];
        for list in lists {
            all = all
                .iter()
                .flat_map(|at| list.iter().map(move |c| [&at[..], &[*c]].concat()))
                .collect();
        }
        match layout {
            Layout::RowMajor => all,
            Layout::ColMajor => {
                let index = |at: &Vec<u64>| -> Vec<usize> {
                    at.iter()
                        .zip(lists)
                        .rev()
                        .map(|(c, list)| list.iter().position(|x| x == c).expect("there"))
                        .collect()
                };
                all.sort_by_key(index);
                all
            }
            _ => {
                let turn = |order: Layout, mut at: Vec<u64>| {
                    if order == Layout::ColMajor {
                        at.reverse();
                    }
                    at
                };
                all.sort_by_key(|at| {
                    let tile = at
                        .iter()
                        .zip(&self.extents)
                        .map(|(c, extent)| c / extent)
                        .collect();
                    (
                        turn(self.schema.tile_order, tile),
                        turn(self.schema.cell_order, at.clone()),
                    )
                });
                all
            }
        }
    }

    fn random_cell(&mut self, attribute: &Attribute) -> Cell {
        let size = attribute.datatype.size();
        let values = if attribute.cell_val_num == VAR_NUM {
            self.random.below(5)
        } else {
            attribute.cell_val_num.into()
        };
        let bytes = (0..values as usize * size)
            .map(|_| self.random.below(7) as u8)
            .collect();
        let valid = u8::from(!attribute.nullable || self.random.below(4) > 0);
        Cell { bytes, valid }
    }

    fn write(&mut self) {
        let layout = self
            .random
            .one_of(&[Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder]);
        let mut lists = Vec::new();
        for d in 0..self.lens.len() {
            let ends = [
                self.random.below(self.lens[d]),
                self.random.below(self.lens[d]),
            ];
            let (mut low, mut high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if layout == Layout::GlobalOrder {
                low = low / self.extents[d] * self.extents[d];
                high = high / self.extents[d] * self.extents[d] + self.extents[d] - 1;
                if high >= self.lens[d] {
                    // Tiles that hang over the domain cannot be written whole.
                    return;
                }
            }
            lists.push((low..=high).collect::<Vec<u64>>());
        }
        let positions = self.positions(&lists, layout);
        let attributes = self.schema.attributes.clone();
        let mut columns = Vec::new();
        for (a, attribute) in attributes.iter().enumerate() {
            let column: Vec<Cell> = positions
                .iter()
                .map(|_| self.random_cell(attribute))
                .collect();
            for (at, cell) in positions.iter().zip(&column) {
                let index = self.index(at);
                self.cells[a][index] = cell.clone();
            }
            columns.push(column);
        }
        let array = self.open(QueryType::Write);
        let mut query = Query::new(&array, QueryType::Write).expect("query");
        query.set_layout(layout).expect("layout");
        query
            .set_subarray(&self.subarray(&lists))
            .expect("subarray");
        let mut starts = vec![0, positions.len()];
        if layout == Layout::GlobalOrder {
            starts.push(self.random.below(positions.len() as u64 + 1) as usize);
            starts.sort_unstable();
        }
        for ends in starts.windows(2) {
            self.submit(&mut query, &columns, ends[0]..ends[1]);
        }
        query.finalize().expect("finalize");
        assert_eq!(query.status(), QueryStatus::Completed);
    }

    /// Writes single cells, as formats up to 10 let programs do: a sparse fragment.
    fn write_points(&mut self) {
        let number = 1 + self.random.below(12);
        let mut places = std::collections::BTreeSet::new();
        for _ in 0..number {
            places.insert(
                self.lens
                    .clone()
                    .iter()
                    .map(|len| self.random.below(*len))
                    .collect::<Vec<u64>>(),
            );
        }
        let attributes = self.schema.attributes.clone();
        let mut columns = vec![Vec::new(); attributes.len()];
        for at in &places {
            for (a, attribute) in attributes.iter().enumerate() {
                let cell = self.random_cell(attribute);
                let index = self.index(at);
                self.cells[a][index] = cell.clone();
                columns[a].push(cell);
            }
        }
        let coordinates: Vec<Vec<u8>> = (0..self.lens.len())
            .map(|d| {
                let at = places.iter();
                at.flat_map(|at| coordinate(self.datatype(), self.low + at[d] as i64))
                    .collect()
            })
            .collect();
        let dimensions = self.schema.domain.dimensions.iter().zip(&coordinates);
        let dimensions = dimensions.map(|(dimension, bytes)| FieldCells {
            name: &dimension.name,
            data: Some(bytes),
            offsets: None,
            validity: None,
        });
        let buffers = buffers(&columns, 0..places.len());
        let mut cells = self.fields(&buffers);
        cells.extend(dimensions);
        let form = OffsetsForm::from_config(&Config::new(), "", "").expect("form");
        let checks = Checks::from_config(&Config::new()).expect("checks");
        let schema = self.open(QueryType::Write).schema().expect("schema");
        let make = || FragmentWriter::create(&self.vfs, &self.uri, &schema, false, None, None);
        let mut write = UnorderedWrite::begin(&self.vfs, &schema, None, checks, &cells, form, make)
            .expect("write");
        let fragment = write.take_fragment().expect("fragment");
        fragment.finish().expect("commit");
    }

    fn submit(&self, query: &mut Query, columns: &[Vec<Cell>], range: std::ops::Range<usize>) {
        let buffers = buffers(columns, range);
        query.write(&self.fields(&buffers)).expect("write");
    }

    /// The buffers as those of the attributes.
    fn fields<'a>(&'a self, buffers: &'a [Buffers]) -> Vec<FieldCells<'a>> {
        let attributes = self.schema.attributes.iter().zip(buffers);
        attributes
            .map(|(attribute, (data, offsets, validity))| FieldCells {
                name: &attribute.name,
                data: Some(data),
                offsets: (attribute.cell_val_num == VAR_NUM).then_some(&offsets[..]),
                validity: attribute.nullable.then_some(&validity[..]),
            })
            .collect()
    }

    fn subarray(&self, lists: &[Vec<u64>]) -> Subarray {
        let mut subarray = Subarray::new(&self.schema);
        subarray.set_coalesce(false).expect("coalesce");
        for (d, list) in lists.iter().enumerate() {
            for run in list.chunk_by(|a, b| a + 1 == *b) {
                let end = |c: u64| coordinate(self.datatype(), self.low + c as i64);
                subarray
                    .add_range(d as u32, &end(run[0]), &end(run[run.len() - 1]))
                    .expect("range");
            }
        }
        subarray
    }

    fn read(&mut self) {
        let layout = self
            .random
            .one_of(&[Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder]);
        let mut lists = Vec::new();
        for d in 0..self.lens.len() {
            let mut list = Vec::new();
            let ranges = if layout == Layout::GlobalOrder {
                1
            } else {
                1 + self.random.below(3)
            };
            for _ in 0..ranges {
                let ends = [
                    self.random.below(self.lens[d]),
                    self.random.below(self.lens[d]),
                ];
                let run: Vec<u64> = (ends[0].min(ends[1])..=ends[0].max(ends[1])).collect();
                // Cells of ranges that touch or overlap would not be told apart below.
                if list
                    .iter()
                    .all(|c| !run.contains(c) && *c + 1 != run[0] && run[run.len() - 1] + 1 != *c)
                {
                    list.extend(run);
                }
            }
            lists.push(list);
        }
        let positions = self.positions(&lists, layout);
        let array = self.open(QueryType::Read);
        let mut query = Query::new(&array, QueryType::Read).expect("query");
        query.set_layout(layout).expect("layout");
        query
            .set_subarray(&self.subarray(&lists))
            .expect("subarray");
        let at_once = if self.random.below(3) == 0 {
            1 + self.random.below(9)
        } else {
            positions.len() as u64
        };
        let width = self.datatype().size();
        let mut delivered = 0usize;
        loop {
            let mut coordinates = vec![0xee; at_once as usize * width];
            let mut buffers: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = self
                .schema
                .attributes
                .iter()
                .map(|attribute| {
                    let size = attribute.datatype.size();
                    let cell = if attribute.cell_val_num == VAR_NUM {
                        4 * size
                    } else {
                        attribute.cell_size() as usize
                    };
                    let room = at_once as usize;
                    (
                        vec![0xee; room * cell],
                        vec![0xee; room * 8],
                        vec![0xee; room],
                    )
                })
                .collect();
            let mut fields: Vec<FieldBuffers<'_>> = self
                .schema
                .attributes
                .iter()
                .zip(&mut buffers)
                .map(|(attribute, (data, offsets, validity))| FieldBuffers {
                    name: &attribute.name,
                    data: Some(data),
                    offsets: (attribute.cell_val_num == VAR_NUM).then_some(offsets),
                    validity: attribute.nullable.then_some(validity),
                })
                .collect();
            fields.push(FieldBuffers {
                name: "d0",
                data: Some(&mut coordinates),
                offsets: None,
                validity: None,
            });
            let sizes = query.read(&mut fields).expect("read");
            let cells = sizes[self.schema.attributes.len()].data as usize / width;
            for (k, at) in positions[delivered..delivered + cells].iter().enumerate() {
                let expected = coordinate(self.datatype(), self.low + at[0] as i64);
                assert_eq!(
                    &coordinates[k * width..(k + 1) * width],
                    expected,
                    "coordinate of {at:?}"
                );
            }
            for (a, attribute) in self.schema.attributes.iter().enumerate() {
                let (data, offsets, validity) = &buffers[a];
                for (k, at) in positions[delivered..delivered + cells].iter().enumerate() {
                    let bytes = if attribute.cell_val_num == VAR_NUM {
                        let start = |k: usize| match k == cells {
                            true => sizes[a].data as usize,
                            false => {
                                u64::from_le_bytes(offsets[k * 8..k * 8 + 8].try_into().expect("8"))
                                    as usize
                            }
                        };
                        &data[start(k)..start(k + 1)]
                    } else {
                        let size = attribute.cell_size() as usize;
                        &data[k * size..(k + 1) * size]
                    };
                    let valid = if attribute.nullable { validity[k] } else { 1 };
                    let expected = &self.cells[a][self.index(at)];
                    assert_eq!(
                        (bytes, valid),
                        (&expected.bytes[..], expected.valid),
                        "{} at {at:?}",
                        attribute.name
                    );
                }
            }
            delivered += cells;
            match query.status() {
                QueryStatus::Completed => break,
                QueryStatus::Incomplete => {
                    assert!(cells > 0, "an incomplete read delivered nothing")
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(delivered, positions.len());
    }
}

#[test]
fn reads_return_what_was_written_last() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(default)
    };
    let (first, cases) = match std::env::var("TILEDB_RS_SEED") {
        Ok(_) => (number("TILEDB_RS_SEED", 0), 1),
        Err(_) => (1, number("TILEDB_RS_CASES", 150)),
    };
    for seed in first..first + cases {
        let run = std::panic::catch_unwind(|| {
            let mut case = Case::new(seed);
            case.read();
            for _ in 0..1 + case.random.below(4) {
                case.write();
                case.read();
                if case.random.below(5) == 0 {
                    case.write_points();
                    case.read();
                }
            }
            case.read();
            case.read();
        });
        assert!(run.is_ok(), "the case of seed {seed} failed");
    }
    println!("{cases} dense arrays, seeds from {first}");
}
