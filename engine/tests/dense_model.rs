//! Random dense arrays compared with a naive model: schemas, writes in every layout, reads in every
//! layout through buffers of every size; also sparse fragments in dense arrays, which old formats
//! allow. `TILEDB_RS_CASES` is the number of cases (default 150). A failure prints its seed, which
//! `TILEDB_RS_SEED` repeats.

mod random;
mod setup;

use std::sync::Arc;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::buffers::{FieldCells, OffsetsForm};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::error::Component;
use tiledb_engine::internal::filter::{FilterList, FilterType};
use tiledb_engine::internal::fragment::FragmentWriter;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{ArraySchema, Attribute, Dimension};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM,
};
use tiledb_engine::internal::write::{SparseWriteOptions, UnorderedWrite};

use random::Random;
use setup::TestArray;
use setup::column::{Cell, CellType, Column, attributes, read, write};

struct Case {
    random: Random,
    test_array: TestArray,
    schema: Arc<ArraySchema>,
    low: i64,
    lens: Vec<u64>,
    extents: Vec<u64>,
    /// The cells of each attribute in row-major order of the domain.
    cells: Vec<Vec<Cell>>,
    /// The number of reads whose sizes were known before.
    exact_sizes: usize,
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
    let chosen: Vec<_> = (0..random.below(3))
        .map(|_| random.one_of(&kinds))
        .collect();
    setup::filters(&chosen.into_iter().flatten().collect::<Vec<_>>())
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
        let dimensions = (0..dims).map(|d| {
            let ends = [low, low + lens[d] as i64 - 1].map(|end| coordinate(datatype, end));
            let extent = coordinate(datatype, extents[d] as i64);
            let name = format!("d{d}");
            Dimension::new(&name, datatype, Some(&ends.concat()), Some(&extent)).expect("dimension")
        });
        let mut draft = setup::schema(ArrayType::Dense, dimensions, []);
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
        for index in 0..1 + random.below(3) {
            let datatype = random.one_of(&[
                Datatype::Int32,
                Datatype::Float64,
                Datatype::Uint8,
                Datatype::Int16,
            ]);
            let mut attribute = Attribute::new(&format!("a{index}"), datatype);
            attribute
                .set_cell_val_num(random.one_of(&[1, 1, 2, 3, VAR_NUM, VAR_NUM]))
                .expect("cell size");
            if random.below(3) == 0 {
                attribute.set_nullable(true).expect("nullable");
            }
            attribute
                .set_filters(filters(&mut random))
                .expect("filters");
            setup::add(&mut draft, attribute);
        }
        let schema = draft.finish().expect("schema");
        let test_array = TestArray::in_memory();
        test_array.create(&draft);
        let cell_num: u64 = lens.iter().product();
        let fill = |attribute: &Arc<Attribute>| {
            let valid = if attribute.nullable {
                attribute.fill_validity
            } else {
                1
            };
            vec![(attribute.fill_value.clone(), valid); cell_num as usize]
        };
        let cells = schema.attributes.iter().map(fill).collect();
        Self {
            random,
            test_array,
            schema: Arc::new(schema),
            low,
            lens,
            extents,
            cells,
            exact_sizes: 0,
        }
    }

    fn datatype(&self) -> Datatype {
        self.schema.domain.dimensions[0].datatype
    }

    fn open(&self, query_type: QueryType) -> Arc<Array> {
        self.test_array.open(query_type)
    }

    fn index(&self, coordinates: &[u64]) -> usize {
        coordinates
            .iter()
            .zip(&self.lens)
            .fold(0, |index, (coordinates, len)| {
                index * *len as usize + *coordinates as usize
            })
    }

    /// Returns the positions of the cells of a box, given by the coordinates of each dimension, in
    /// a layout.
    fn positions(&self, lists: &[Vec<u64>], layout: Layout) -> Vec<Vec<u64>> {
        let mut all: Vec<Vec<u64>> = vec![vec![]];
        for list in lists {
            all = all
                .iter()
                .flat_map(|coordinates| {
                    list.iter().map(move |c| [&coordinates[..], &[*c]].concat())
                })
                .collect();
        }
        match layout {
            Layout::RowMajor => all,
            Layout::ColMajor => {
                let index = |coordinates: &Vec<u64>| -> Vec<usize> {
                    coordinates
                        .iter()
                        .zip(lists)
                        .rev()
                        .map(|(c, list)| list.iter().position(|x| x == c).expect("there"))
                        .collect()
                };
                all.sort_by_key(index);
                all
            }
            _ => {
                let turn = |order: Layout, mut coordinates: Vec<u64>| {
                    if order == Layout::ColMajor {
                        coordinates.reverse();
                    }
                    coordinates
                };
                all.sort_by_key(|coordinates| {
                    let tile = coordinates
                        .iter()
                        .zip(&self.extents)
                        .map(|(c, extent)| c / extent)
                        .collect();
                    (
                        turn(self.schema.tile_order, tile),
                        turn(self.schema.cell_order, coordinates.clone()),
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
        (bytes, valid)
    }

    fn write(&mut self) {
        let layout = self
            .random
            .one_of(&[Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder]);
        let mut lists = Vec::new();
        for d in 0..self.lens.len() {
            let (mut low, mut high) = self.random.range_below(self.lens[d]);
            if layout == Layout::GlobalOrder {
                low = low / self.extents[d] * self.extents[d];
                high = high / self.extents[d] * self.extents[d] + self.extents[d] - 1;
                if high >= self.lens[d] {
                    // Tiles that extend beyond the domain cannot be written completely.
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
            for (coordinates, cell) in positions.iter().zip(&column) {
                let index = self.index(coordinates);
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
            let part = self.columns(&columns, ends[0]..ends[1]);
            write(&mut query, &part).expect("write");
        }
        query.finalize().expect("finalize");
        assert_eq!(query.status(), QueryStatus::Completed);
    }

    /// Writes single cells as a sparse fragment, which formats up to 10 allow.
    fn write_points(&mut self) {
        let number = 1 + self.random.below(12);
        let mut positions = std::collections::BTreeSet::new();
        for _ in 0..number {
            positions.insert(
                self.lens
                    .clone()
                    .iter()
                    .map(|len| self.random.below(*len))
                    .collect::<Vec<u64>>(),
            );
        }
        let attributes = self.schema.attributes.clone();
        let mut columns = vec![Vec::new(); attributes.len()];
        for position in &positions {
            for (a, attribute) in attributes.iter().enumerate() {
                let cell = self.random_cell(attribute);
                let index = self.index(position);
                self.cells[a][index] = cell.clone();
                columns[a].push(cell);
            }
        }
        let coordinates: Vec<Vec<u8>> = (0..self.lens.len())
            .map(|d| {
                let positions = positions.iter();
                positions
                    .flat_map(|position| coordinate(self.datatype(), self.low + position[d] as i64))
                    .collect()
            })
            .collect();
        let dimensions = self.schema.domain.dimensions.iter().zip(&coordinates);
        let dimensions =
            dimensions.map(|(dimension, bytes)| FieldCells::fixed(&dimension.name, bytes));
        let columns = self.columns(&columns, 0..positions.len());
        let mut cells: Vec<_> = columns.iter().map(Column::cells).collect();
        cells.extend(dimensions);
        let form = OffsetsForm::from_config(&Config::new(), Component::DenseReader).expect("form");
        let options = SparseWriteOptions::from_config(&Config::new()).expect("options");
        let schema = self.open(QueryType::Write).schema().expect("schema");
        let TestArray { vfs, uri } = &self.test_array;
        let make = || FragmentWriter::create(vfs, uri, &schema, false, None, None);
        let mut write =
            UnorderedWrite::begin(vfs, &schema, None, options, &cells, form, make).expect("write");
        let fragment = write.take_fragment().expect("fragment");
        fragment.finish().expect("commit");
    }

    /// Returns a part of the cells of all attributes as columns to write.
    fn columns(&self, cells: &[Vec<Cell>], part: std::ops::Range<usize>) -> Vec<Column> {
        let fields = attributes(&self.schema).zip(cells);
        let part_of = |cells: &Vec<Cell>| cells[part.clone()].to_vec();
        fields
            .map(|(cell_type, cells)| Column::of(cell_type, part_of(cells)))
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
                let (low, high) = self.random.range_below(self.lens[d]);
                let run: Vec<u64> = (low..=high).collect();
                // The check below cannot distinguish the cells of adjacent or overlapping ranges.
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
        let subarray = self.subarray(&lists);
        let create = || {
            let mut query = Query::new(&array, QueryType::Read).expect("query");
            query.set_layout(layout).expect("layout");
            query.set_subarray(&subarray).expect("subarray");
            query
        };
        let mut all_fields: Vec<_> = attributes(&self.schema).collect();
        all_fields.push(CellType::fixed("d0", self.datatype().size()));
        let is_exact = setup::needed_sizes::check(&create, &all_fields);
        self.exact_sizes += usize::from(is_exact);
        let mut query = create();
        let at_once = if self.random.below(3) == 0 {
            1 + self.random.below(9)
        } else {
            positions.len() as u64
        };
        let datatype = self.datatype();
        let mut delivered = 0usize;
        loop {
            let capacity = at_once as usize;
            let sizes = self
                .schema
                .attributes
                .iter()
                .map(|attribute| attribute.datatype.size());
            let fields = attributes(&self.schema).zip(sizes);
            let mut columns: Vec<Column> = fields
                .map(|(cell_type, size)| {
                    Column::with_capacity(cell_type, capacity, 4 * size * capacity)
                })
                .collect();
            let coordinates = CellType::fixed("d0", datatype.size());
            columns.push(Column::with_capacity(coordinates, capacity, 0));
            let found = read(&mut query, &mut columns).expect("read");
            let cells = found[self.cells.len()].len();
            for (k, position) in positions[delivered..delivered + cells].iter().enumerate() {
                let expected = coordinate(datatype, self.low + position[0] as i64);
                let coordinate = &found[self.cells.len()][k].0;
                assert_eq!(*coordinate, expected, "coordinate of {position:?}");
                for (a, attribute) in self.schema.attributes.iter().enumerate() {
                    let expected = &self.cells[a][self.index(position)];
                    assert_eq!(&found[a][k], expected, "{} at {position:?}", attribute.name);
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
fn reads_return_the_newest_cells() {
    let mut exact = 0;
    let seeds = random::for_each_seed(150, |seed| {
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
        exact += case.exact_sizes;
    });
    println!("dense arrays of the seeds {seeds:?}, {exact} exact sizes");
}
