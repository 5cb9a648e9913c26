//! Random sparse schemas, and cells for them.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use crate::attribute::{AttributeSpec, Column, VAR};
use crate::filters::ListSpec;
use crate::library::{Library, address};
use crate::random::Random;

const UNORDERED: usize = 3;
const HILBERT: usize = 4;
const GLOBAL: usize = 2;

/// A dimension, and the coordinates in it that are used.
#[derive(Debug)]
pub(crate) struct Dimension {
    pub(crate) field: AttributeSpec,
    low: Vec<u8>,
    high: Vec<u8>,
    extent: Option<Vec<u8>>,
    points: Vec<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct SparseSpec {
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) attributes: Vec<AttributeSpec>,
    tile_order: usize,
    cell_order: usize,
    capacity: usize,
    pub(crate) allows_dups: bool,
    coords_filters: Option<ListSpec>,
    offsets_filters: Option<ListSpec>,
    validity_filters: Option<ListSpec>,
}

/// Cells of one fragment: a column for each dimension, then for each attribute.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) columns: Vec<Column>,
    pub(crate) number: usize,
    /// Which point of each dimension a cell has.
    pub(crate) places: Vec<Vec<usize>>,
}

fn bytes_of(value: i128, size: usize) -> Vec<u8> {
    value.to_le_bytes()[..size].to_vec()
}

fn integers(random: &mut Random, name: CString) -> Dimension {
    const TYPES: [(u32, usize, bool); 10] = [
        (0, 4, true),
        (1, 8, true),
        (5, 1, true),
        (6, 1, false),
        (7, 2, true),
        (8, 2, false),
        (9, 4, false),
        (10, 8, false),
        (25, 8, true),
        (36, 8, true),
    ];
    let (datatype, size, signed) = random.one_of(&TYPES);
    let bits = 8 * size as u32;
    let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
    let greatest = least + (1i128 << bits) - 1;
    let number = 1 + random.below(30) as i128;
    let most = (greatest - least) / (number + 2);
    let step = match random.below(3) {
        0 => most,
        1 => 1 + random.below(5).min(most as u64 - 1) as i128,
        _ => 1 + (random.next() as i128 % most).abs(),
    };
    let span = step * (number - 1) + random.below(3) as i128;
    let low = match random.below(3) {
        0 => least,
        1 => (greatest - span - 1).max(least),
        _ => (if signed { -3 } else { 3 }).min(greatest - span - 1),
    };
    let high = low + span;
    let largest = (span + 1).min((1 << (bits - 1)) - 1).min(1 << 62);
    let extent = match random.below(4) {
        0 => None,
        1 => Some(1),
        _ => Some(1 + (random.next() as i128 % largest).abs()),
    };
    // The last tile must end within the type.
    let fits = |extent: &i128| low + (span / extent + 1) * extent - 1 < greatest;
    let points = (0..number).map(|at| bytes_of(low + at * step, size));
    Dimension {
        field: AttributeSpec::of_dimension(name, datatype, size),
        low: bytes_of(low, size),
        high: bytes_of(high, size),
        extent: extent.filter(fits).map(|extent| bytes_of(extent, size)),
        points: points.collect(),
    }
}

fn reals(random: &mut Random, name: CString) -> Dimension {
    let short = random.below(2) == 0;
    let bytes = |value: f64| match short {
        true => (value as f32).to_le_bytes().to_vec(),
        false => value.to_le_bytes().to_vec(),
    };
    let number = 1 + random.below(30);
    let low = random.one_of(&[-1.5, 0.0, 1e-7, -1e9, 123.456]);
    let range = random.one_of(&[1e-3, 1.0, 7.7, 1e4, 3e9]);
    let points = (0..number).map(|at| bytes(low + range * at as f64 / number as f64));
    let points: BTreeSet<Vec<u8>> = points.collect();
    let extent = match random.below(3) {
        0 => None,
        _ => Some(range / (1 + random.below(40)) as f64),
    };
    // As short reals the ends may be nearer, or one.
    let span = match short {
        true => f64::from((low + range) as f32 - low as f32),
        false => range,
    };
    let extent = extent.filter(|extent| *extent <= span).map(bytes);
    Dimension {
        field: AttributeSpec::of_dimension(
            name,
            if short { 2 } else { 3 },
            if short { 4 } else { 8 },
        ),
        low: bytes(low),
        high: bytes(low + range),
        extent,
        points: points.into_iter().collect(),
    }
}

fn texts(random: &mut Random, name: CString) -> Dimension {
    let letters = match random.below(3) {
        0 => vec![b'a', b'b', 0],
        1 => vec![b'x', b'y', 200],
        _ => (b'a'..=b'z').collect(),
    };
    let head = random.one_of(&["", "", "longhead"]);
    let points: BTreeSet<Vec<u8>> = (0..1 + random.below(30))
        .map(|_| {
            let tail = (0..random.below(5)).map(|_| random.one_of(&letters));
            head.bytes().chain(tail).collect()
        })
        .collect();
    let mut field = AttributeSpec::of_dimension(name, 11, 1);
    field.cell_val_num = VAR;
    Dimension {
        field,
        low: Vec::new(),
        high: Vec::new(),
        extent: None,
        points: points.into_iter().collect(),
    }
}

impl Dimension {
    fn random(random: &mut Random, at: usize) -> Self {
        let name = CString::new(format!("d{at}")).expect("name");
        let mut dimension = match random.below(5) {
            0 => reals(random, name),
            1 => texts(random, name),
            _ => integers(random, name),
        };
        if random.below(3) == 0 {
            dimension.field.filters = ListSpec::of_bytes(random, dimension.is_text());
        }
        dimension
    }

    pub(crate) fn is_text(&self) -> bool {
        self.field.cell_val_num == VAR
    }
}

impl SparseSpec {
    pub(crate) fn random(random: &mut Random) -> Self {
        let dims = 1 + random.below(8).min(random.below(8)) as usize;
        let dimensions: Vec<_> = (0..dims).map(|at| Dimension::random(random, at)).collect();
        let attributes = (0..random.below(4))
            .map(|at| AttributeSpec::of_bytes(random, at))
            .collect();
        let any_text = dimensions.iter().any(Dimension::is_text);
        Self {
            dimensions,
            attributes,
            tile_order: random.below(2) as usize,
            cell_order: random.one_of(&[0, 1, HILBERT]),
            capacity: random.one_of(&[1, 2, 3, 7, 20, 10_000]),
            allows_dups: random.below(3) == 0,
            coords_filters: (random.below(2) == 0).then(|| ListSpec::of_bytes(random, any_text)),
            offsets_filters: (random.below(2) == 0).then(|| ListSpec::of_bytes(random, false)),
            validity_filters: (random.below(2) == 0).then(|| ListSpec::of_bytes(random, false)),
        }
    }

    /// Whether coordinates have characters past ASCII. libtiledb writes them in one order and merges fragments in another.
    pub(crate) fn is_past_ascii(&self) -> bool {
        let texts = self
            .dimensions
            .iter()
            .filter(|dimension| dimension.is_text());
        texts
            .flat_map(|dimension| &dimension.points)
            .any(|text| !text.is_ascii())
    }

    /// Whether the last tile of cells written in global order is short, not the only one, and null: libtiledb takes it for
    /// a full one, whose cells are not all null, and notes the ends of the type as its least and greatest value.
    pub(crate) fn ends_in_nulls(&self, cells: &Cells) -> bool {
        let last = cells.number - cells.number % self.capacity;
        let null = |(attribute, column): (&AttributeSpec, &Column)| {
            attribute.is_number()
                && attribute.nullable
                && column.validity[last..].iter().all(|valid| *valid == 0)
        };
        let attributes = &cells.columns[self.dimensions.len()..];
        (1..cells.number).contains(&last) && self.attributes.iter().zip(attributes).any(null)
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = &AttributeSpec> {
        let dimensions = self.dimensions.iter().map(|dimension| &dimension.field);
        dimensions.chain(&self.attributes)
    }

    /// An array of the schema; of its dimensions alone, with the number of each cell, where `numbered`.
    pub(crate) fn create(&self, library: &Library, uri: &CStr, numbered: bool) {
        let domain = library.make("domain_alloc", &[]);
        for dimension in &self.dimensions {
            let bounds = [&dimension.low[..], &dimension.high[..]].concat();
            let pointer = |bytes: Option<&[u8]>| bytes.map_or(0, |bytes| bytes.as_ptr() as usize);
            let arguments = [
                dimension.field.name.as_ptr() as usize,
                dimension.field.datatype as usize,
                pointer(
                    Some(&bounds)
                        .filter(|_| !dimension.is_text())
                        .map(|b| &b[..]),
                ),
                pointer(dimension.extent.as_deref()),
            ];
            let made = library.make("dimension_alloc", &arguments);
            if !dimension.field.filters.filters.is_empty() {
                let filters = dimension.field.filters.make(library);
                library.ok("dimension_set_filter_list", &[made, filters]);
            }
            library.ok("domain_add_dimension", &[domain, made]);
        }
        let schema = library.make("array_schema_alloc", &[1]);
        library.ok("array_schema_set_tile_order", &[schema, self.tile_order]);
        library.ok("array_schema_set_cell_order", &[schema, self.cell_order]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        library.ok("array_schema_set_capacity", &[schema, self.capacity]);
        let allows_dups = usize::from(self.allows_dups);
        library.ok("array_schema_set_allows_dups", &[schema, allows_dups]);
        if numbered {
            library.ok(
                "array_schema_add_attribute",
                &[schema, number().make(library)],
            );
        } else {
            for attribute in &self.attributes {
                let attribute = attribute.make(library);
                library.ok("array_schema_add_attribute", &[schema, attribute]);
            }
        }
        for (what, filters) in [
            ("coords", &self.coords_filters),
            ("offsets", &self.offsets_filters),
            ("validity", &self.validity_filters),
        ] {
            if let Some(filters) = filters {
                let filters = filters.make(library);
                library.ok(
                    &format!("array_schema_set_{what}_filter_list"),
                    &[schema, filters],
                );
            }
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    }

    /// Random cells; no two of them on one place unless the array takes that.
    pub(crate) fn random_cells(&self, random: &mut Random) -> Cells {
        let number = random.one_of(&[1, 2, 5, 30, 100]);
        let mut seen = BTreeSet::new();
        let mut places = Vec::new();
        for _ in 0..number {
            let place: Vec<usize> = self
                .dimensions
                .iter()
                .map(|dimension| random.below(dimension.points.len() as u64) as usize)
                .collect();
            if seen.insert(place.clone()) || self.allows_dups {
                places.push(place);
            }
        }
        let number = places.len();
        let coordinates = self.dimensions.iter().enumerate().map(|(d, dimension)| {
            let mut column = Column::default();
            for place in &places {
                if dimension.is_text() {
                    column.offsets.push(column.data.len() as u64);
                }
                column.data.extend(&dimension.points[place[d]]);
            }
            column
        });
        let mut columns: Vec<_> = coordinates.collect();
        let attributes = self.attributes.iter();
        columns.extend(attributes.map(|attribute| attribute.random_cells(random, number)));
        Cells {
            columns,
            number,
            places,
        }
    }

    /// The cells in another order.
    pub(crate) fn ordered(&self, cells: &Cells, order: &[u64]) -> Cells {
        let columns = self.fields().zip(&cells.columns).map(|(field, column)| {
            let mut ordered = Column::default();
            for at in order {
                ordered.append(&field.slice(column, *at as usize..*at as usize + 1));
            }
            ordered
        });
        Cells {
            columns: columns.collect(),
            number: cells.number,
            places: order
                .iter()
                .map(|at| cells.places[*at as usize].clone())
                .collect(),
        }
    }

    /// The order in which a library keeps cells: it writes their numbers and reads them in global order.
    pub(crate) fn global_order(&self, library: &Library, uri: &CStr, cells: &Cells) -> Vec<u64> {
        self.create(library, uri, true);
        let mut columns = cells.columns[..self.dimensions.len()].to_vec();
        let numbers = (0..cells.number as u64).flat_map(u64::to_le_bytes);
        columns.push(Column {
            data: numbers.collect(),
            ..Column::default()
        });
        let number = number();
        let dimensions = self.dimensions.iter().map(|dimension| &dimension.field);
        let fields: Vec<_> = dimensions.chain([&number]).collect();
        write(library, uri, UNORDERED, &fields, &[columns]);
        let read = read(library, uri, GLOBAL, &[&number], cells.number);
        let (numbers, _) = read[0].data.as_chunks::<8>();
        numbers
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect()
    }

    /// Writes cells in any order, or such as are in global order in `pieces` submits.
    pub(crate) fn write(&self, library: &Library, uri: &CStr, cells: &Cells, pieces: &[usize]) {
        let fields: Vec<_> = self.fields().collect();
        let layout = if pieces.is_empty() { UNORDERED } else { GLOBAL };
        let ends = match pieces {
            [] => vec![0, cells.number],
            pieces => pieces.to_vec(),
        };
        let submits: Vec<Vec<Column>> = ends
            .windows(2)
            .map(|ends| {
                let columns = fields.iter().zip(&cells.columns);
                columns
                    .map(|(field, column)| field.slice(column, ends[0]..ends[1]))
                    .collect()
            })
            .collect();
        write(library, uri, layout, &fields, &submits);
    }

    /// Reads all fields of all cells, as rows of bytes.
    pub(crate) fn read(&self, library: &Library, uri: &CStr, room: usize) -> Vec<Vec<Vec<u8>>> {
        let fields: Vec<_> = self.fields().collect();
        let layout = if self.allows_dups { UNORDERED } else { GLOBAL };
        self.rows(&read(library, uri, layout, &fields, room))
    }

    /// Cells as rows of bytes, a value and perhaps its validity for each field.
    pub(crate) fn rows(&self, columns: &[Column]) -> Vec<Vec<Vec<u8>>> {
        let first = self.fields().zip(columns).next();
        let number = first.map_or(0, |(field, column)| match field.cell_val_num {
            VAR => column.offsets.len(),
            values => column.data.len() / (field.size * values as usize),
        });
        let row = |at| {
            let fields = self.fields().zip(columns);
            let cells = fields.map(|(field, column)| field.slice(column, at..at + 1));
            cells
                .map(|cell| [cell.data, cell.validity].concat())
                .collect()
        };
        (0..number).map(row).collect()
    }
}

/// The number of a cell, as an attribute.
fn number() -> AttributeSpec {
    AttributeSpec::of_dimension(c"number".into(), 10, 8)
}

fn write(
    library: &Library,
    uri: &CStr,
    layout: usize,
    fields: &[&AttributeSpec],
    submits: &[Vec<Column>],
) {
    let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
    library.ok("array_open", &[array, 1]);
    let query = library.make("query_alloc", &[array, 1]);
    library.ok("query_set_layout", &[query, layout]);
    for columns in submits {
        let mut columns = columns.clone();
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        for ((field, column), sizes) in fields.iter().zip(&mut columns).zip(&mut sizes) {
            field.set_buffers(library, query, column, sizes);
        }
        library.ok("query_submit", &[query]);
    }
    library.ok("query_finalize", &[query]);
    library.ok("array_close", &[array]);
    library.free("query_free", query);
    library.free("array_free", array);
}

/// Reads all cells of an array that has at most `room`.
fn read(
    library: &Library,
    uri: &CStr,
    layout: usize,
    fields: &[&AttributeSpec],
    room: usize,
) -> Vec<Column> {
    let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
    library.ok("array_open", &[array, 0]);
    let query = library.make("query_alloc", &[array, 0]);
    library.ok("query_set_layout", &[query, layout]);
    let mut columns: Vec<Column> = fields
        .iter()
        .map(|field| field.room(2 * room + 10))
        .collect();
    let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
    for ((field, column), sizes) in fields.iter().zip(&mut columns).zip(&mut sizes) {
        field.set_buffers(library, query, column, sizes);
    }
    library.ok("query_submit", &[query]);
    let mut status = 0i32;
    library.ok("query_get_status", &[query, address(&mut status)]);
    assert_eq!(status, 1, "{}: the read is not complete", library.name);
    for (column, sizes) in columns.iter_mut().zip(&sizes) {
        column.truncate(sizes);
    }
    library.ok("array_close", &[array]);
    library.free("query_free", query);
    library.free("array_free", array);
    columns
}
