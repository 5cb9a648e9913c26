//! Random sparse schemas, what is written to them, and random reads of them: each of both libraries, in one piece and in
//! many.

use std::collections::HashSet;
use std::ffi::{CStr, CString};

use crate::attribute::{AttributeSpec, Column, VAR};
use crate::condition::ConditionSpec;
use crate::filters::ListSpec;
use crate::library::{Library, address};
use crate::random::Random;

const COMPLETED: i32 = 1;
const INCOMPLETE: i32 = 3;
const GLOBAL: usize = 2;
const UNORDERED: usize = 3;
const HILBERT: usize = 4;
const TEXT: u32 = 11;

/// A dimension.
#[derive(Debug)]
pub(crate) struct Dimension {
    name: CString,
    datatype: u32,
    size: usize,
    /// The ends of the domain, as bytes; nothing for texts.
    domain: Vec<u8>,
    extent: Option<Vec<u8>>,
    filters: ListSpec,
    /// The coordinates that are written, in order.
    coordinates: Vec<Vec<u8>>,
}

/// A sparse array.
#[derive(Debug)]
pub(crate) struct SparseSpec {
    dimensions: Vec<Dimension>,
    attributes: Vec<AttributeSpec>,
    tile_order: usize,
    cell_order: usize,
    capacity: u64,
    allows_dups: bool,
    writes: Vec<Vec<Column>>,
}

/// What is asked of an array.
#[derive(Debug)]
pub(crate) struct SparseRead {
    layout: usize,
    /// Each a dimension and its ends; an end of a text that is empty is open.
    ranges: Vec<(usize, Vec<u8>, Vec<u8>)>,
    /// The fields, dimensions first, by their places in the schema.
    fields: Vec<usize>,
    /// The span of time that is seen; everything for `None`.
    pub(crate) span: Option<(u64, u64)>,
    /// Which cells are wanted.
    pub(crate) condition: Option<ConditionSpec>,
}

/// Fixed-size dimensions: code, size, whether signed, whether real.
const NUMBERS: [(u32, usize, bool, bool); 14] = [
    (0, 4, true, false),
    (1, 8, true, false),
    (2, 4, true, true),
    (3, 8, true, true),
    (3, 8, true, true),
    (5, 1, true, false),
    (6, 1, false, false),
    (7, 2, true, false),
    (8, 2, false, false),
    (9, 4, false, false),
    (10, 8, false, false),
    (21, 8, true, false),
    (25, 8, true, false),
    (31, 8, true, false),
];

fn real(size: usize, value: f64) -> Vec<u8> {
    match size {
        4 => (value as f32).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    }
}

impl Dimension {
    fn random(random: &mut Random, at: usize) -> Self {
        let name = CString::new(format!("d{at}")).expect("name");
        let number = 1 + random.below(12);
        let texts = random.below(4) == 0;
        let filters = ListSpec::of_bytes(random, texts);
        if texts {
            let text = |random: &mut Random| -> Vec<u8> {
                let len = random.below(12);
                (0..len).map(|_| b'a' + random.below(3) as u8).collect()
            };
            let mut coordinates: Vec<_> = (0..number).map(|_| text(random)).collect();
            coordinates.sort();
            coordinates.dedup();
            return Self {
                name,
                datatype: TEXT,
                size: 1,
                domain: Vec::new(),
                extent: None,
                filters,
                coordinates,
            };
        }
        let (datatype, size, signed, is_real) = random.one_of(&NUMBERS);
        if is_real {
            let (low, len) = (
                random.below(9) as f64 - 4.5,
                1.0 + random.below(100) as f64 / 3.0,
            );
            let mut steps: Vec<u64> = (0..number).map(|_| random.below(17)).collect();
            steps.sort_unstable();
            steps.dedup();
            let at = |step: u64| real(size, low + len * step as f64 / 16.0);
            // The low end of the domain is between two numbers of a short real where the end is not.
            let domain = [real(size, low), real(size, low + len + 0.5)].concat();
            return Self {
                name,
                datatype,
                size,
                domain,
                extent: (random.below(3) > 0)
                    .then(|| real(size, len / (1 + random.below(5)) as f64)),
                filters,
                coordinates: steps.into_iter().map(at).collect(),
            };
        }
        let most = random.one_of(&[20, 100]);
        let len = 1 + random.below(most);
        let extent = 1 + random.below(len);
        let low = random.below(20) as i64 - if signed { 10 } else { 0 };
        let at = |place: u64| (low + place as i64).to_le_bytes()[..size].to_vec();
        let mut places: Vec<u64> = (0..number).map(|_| random.below(len)).collect();
        places.sort_unstable();
        places.dedup();
        Self {
            name,
            datatype,
            size,
            domain: [at(0), at(len - 1)].concat(),
            extent: (random.below(4) > 0).then(|| extent.to_le_bytes()[..size].to_vec()),
            filters,
            coordinates: places.into_iter().map(at).collect(),
        }
    }

    fn is_text(&self) -> bool {
        self.datatype == TEXT
    }

    fn field(&self) -> AttributeSpec {
        let mut field = AttributeSpec::of_dimension(self.name.clone(), self.datatype, self.size);
        if self.is_text() {
            field.cell_val_num = VAR;
        }
        field
    }

    fn make(&self, library: &Library) -> usize {
        let ends = match self.is_text() {
            true => 0,
            false => self.domain.as_ptr() as usize,
        };
        let extent = self
            .extent
            .as_ref()
            .map_or(0, |extent| extent.as_ptr() as usize);
        let name = self.name.as_ptr() as usize;
        let made = library.make(
            "dimension_alloc",
            &[name, self.datatype as usize, ends, extent],
        );
        let filters = self.filters.make(library);
        library.ok("dimension_set_filter_list", &[made, filters]);
        made
    }
}

impl SparseSpec {
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let dim_num = 1 + random.below(5).min(random.below(5)) as usize;
        let dimensions: Vec<_> = (0..dim_num)
            .map(|at| Dimension::random(&mut random, at))
            .collect();
        let attributes =
            (0..1 + random.below(3)).map(|at| AttributeSpec::of_bytes(&mut random, at));
        let mut spec = Self {
            dimensions,
            attributes: attributes.collect(),
            tile_order: random.below(2) as usize,
            cell_order: random.one_of(&[0, 1, HILBERT]),
            capacity: 1 + random.below(12),
            allows_dups: random.below(3) == 0,
            writes: Vec::new(),
        };
        for _ in 0..1 + random.below(5) {
            let write = spec.random_write(&mut random);
            spec.writes.push(write);
        }
        spec
    }

    fn random_write(&self, random: &mut Random) -> Vec<Column> {
        let number = 1 + random.below(60);
        let mut known = HashSet::new();
        let mut columns = vec![Column::default(); self.dimensions.len()];
        let mut cells = 0;
        for _ in 0..number {
            let cell: Vec<&[u8]> = self
                .dimensions
                .iter()
                .map(|dimension| {
                    let at = random.below(dimension.coordinates.len() as u64);
                    &*dimension.coordinates[at as usize]
                })
                .collect();
            if !known.insert(cell.clone()) && !self.allows_dups {
                continue;
            }
            cells += 1;
            for ((column, bytes), dimension) in columns.iter_mut().zip(cell).zip(&self.dimensions) {
                if dimension.is_text() {
                    column.offsets.push(column.data.len() as u64);
                }
                column.data.extend_from_slice(bytes);
            }
        }
        let attributes = self.attributes.iter();
        columns.extend(attributes.map(|attribute| attribute.random_cells(random, cells)));
        columns
    }

    /// The fields: dimensions, then attributes.
    pub(crate) fn fields(&self) -> Vec<AttributeSpec> {
        let dimensions = self.dimensions.iter().map(Dimension::field);
        dimensions.chain(self.attributes.iter().cloned()).collect()
    }

    /// Whether a text coordinate that is written is empty: libtiledb then crashes in some reads.
    pub(crate) fn has_empty_text(&self) -> bool {
        self.dimensions
            .iter()
            .any(|dimension| dimension.coordinates.iter().any(Vec::is_empty))
    }

    pub(crate) fn create(&self, library: &Library, uri: &CStr) {
        let domain = library.make("domain_alloc", &[]);
        for dimension in &self.dimensions {
            library.ok("domain_add_dimension", &[domain, dimension.make(library)]);
        }
        let schema = library.make("array_schema_alloc", &[1]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        library.ok("array_schema_set_tile_order", &[schema, self.tile_order]);
        library.ok("array_schema_set_cell_order", &[schema, self.cell_order]);
        library.ok(
            "array_schema_set_capacity",
            &[schema, self.capacity as usize],
        );
        library.ok(
            "array_schema_set_allows_dups",
            &[schema, usize::from(self.allows_dups)],
        );
        for attribute in &self.attributes {
            library.ok(
                "array_schema_add_attribute",
                &[schema, attribute.make(library)],
            );
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    }

    /// Writes all there is to write, a fragment each.
    pub(crate) fn write(&self, library: &Library, uri: &CStr) {
        for at in 0..self.writes.len() {
            self.write_one(library, uri, at, 0);
            // Fragments of one millisecond have no order between them in libtiledb.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }

    /// How many fragments there are to write.
    pub(crate) fn write_num(&self) -> usize {
        self.writes.len()
    }

    /// Writes a fragment at a time in milliseconds, 0 for now.
    pub(crate) fn write_one(&self, library: &Library, uri: &CStr, at: usize, time: u64) {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_set_open_timestamp_end", &[array, time as usize]);
        library.ok("array_open", &[array, 1]);
        let query = library.make("query_alloc", &[array, 1]);
        library.ok("query_set_layout", &[query, UNORDERED]);
        let mut columns = self.writes[at].clone();
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        let fields = self.fields();
        for ((field, column), sizes) in fields.iter().zip(&mut columns).zip(&mut sizes) {
            field.set_buffers(library, query, column, sizes);
        }
        library.ok("query_submit", &[query]);
        library.ok("query_finalize", &[query]);
        library.ok("array_close", &[array]);
        library.free("query_free", query);
        library.free("array_free", array);
    }

    /// How many cells were written.
    pub(crate) fn cell_num(&self) -> usize {
        let dimension = &self.dimensions[0];
        let cells = |write: &Vec<Column>| match dimension.is_text() {
            true => write[0].offsets.len(),
            false => write[0].data.len() / dimension.size,
        };
        self.writes.iter().map(cells).sum()
    }
}

impl SparseRead {
    pub(crate) fn random(spec: &SparseSpec, random: &mut Random) -> Self {
        let layout = random.below(4) as usize;
        let mut ranges = Vec::new();
        if random.below(4) > 0 {
            for (d, dimension) in spec.dimensions.iter().enumerate() {
                let most = if layout == GLOBAL { 2 } else { 4 };
                let mut known = Vec::new();
                for _ in 0..random.below(most) {
                    let mut end = || {
                        let at = random.below(dimension.coordinates.len() as u64);
                        dimension.coordinates[at as usize].clone()
                    };
                    let (a, b) = (end(), end());
                    let place =
                        |of: &Vec<u8>| dimension.coordinates.iter().position(|known| known == of);
                    known.push(if place(&a) <= place(&b) {
                        (a, b)
                    } else {
                        (b, a)
                    });
                }
                ranges.extend(known.into_iter().map(|(low, high)| (d, low, high)));
            }
        }
        let number = spec.dimensions.len() + spec.attributes.len();
        let mut fields: Vec<usize> = (0..number).collect();
        // Where cells may be equal, or their order is nobody's, the coordinates tell them apart.
        while fields.len() > spec.dimensions.len() && random.below(2) == 0 {
            let at = spec.dimensions.len() as u64
                + random.below((fields.len() - spec.dimensions.len()) as u64);
            fields.remove(at as usize);
        }
        if !spec.allows_dups && random.below(2) == 0 && fields.len() > spec.dimensions.len() {
            fields.retain(|field| *field >= spec.dimensions.len());
        }
        Self {
            layout,
            ranges,
            fields,
            span: None,
            condition: None,
        }
    }

    /// An open array and a query of it, without buffers.
    pub(crate) fn query(&self, spec: &SparseSpec, library: &Library, uri: &CStr) -> (usize, usize) {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        if let Some((start, end)) = self.span {
            library.ok("array_set_open_timestamp_start", &[array, start as usize]);
            library.ok("array_set_open_timestamp_end", &[array, end as usize]);
        }
        library.ok("array_open", &[array, 0]);
        let query = library.make("query_alloc", &[array, 0]);
        library.ok("query_set_layout", &[query, self.layout]);
        if !self.ranges.is_empty() {
            let subarray = library.make("subarray_alloc", &[array]);
            for (d, low, high) in &self.ranges {
                let (start, end) = (low.as_ptr() as usize, high.as_ptr() as usize);
                match spec.dimensions[*d].is_text() {
                    true => library.var_range(subarray, *d, low, high),
                    false => library.ok("subarray_add_range", &[subarray, *d, start, end, 0]),
                }
            }
            library.ok("query_set_subarray_t", &[query, subarray]);
            library.free("subarray_free", subarray);
        }
        if let Some(condition) = &self.condition {
            let condition = condition.make(library);
            library.ok("query_set_condition", &[query, condition]);
            library.free("query_condition_free", condition);
        }
        (array, query)
    }

    /// Whether a text dimension has several ranges: where libtiledb unites those that overlap, it takes the end of the last
    /// for that of all, and loses cells. It does in the unordered layout, and for aggregates in any.
    pub(crate) fn has_text_ranges(&self, spec: &SparseSpec) -> bool {
        let texts = |d: usize| self.ranges.iter().filter(|range| range.0 == d).count();
        (0..spec.dimensions.len()).any(|d| spec.dimensions[d].is_text() && texts(d) > 1)
    }

    /// Whether libtiledb crashes, or loses cells.
    pub(crate) fn is_dangerous(&self, spec: &SparseSpec) -> bool {
        let united = self.layout == UNORDERED && self.has_text_ranges(spec);
        united || (spec.has_empty_text() && self.layout < GLOBAL)
    }

    /// Whether libtiledb gives the cells range after range: of one fragment and dimension it does, and our order is the
    /// layout's.
    pub(crate) fn is_by_range(&self, spec: &SparseSpec) -> bool {
        self.layout < GLOBAL && spec.dimensions.len() == 1 && self.ranges.len() > 1
    }

    /// Whether cells of the same coordinates may come in any order.
    pub(crate) fn is_loose(&self, spec: &SparseSpec) -> bool {
        spec.allows_dups
    }

    /// Reads with buffers for `room` cells, as often as it takes.
    pub(crate) fn run(
        &self,
        spec: &SparseSpec,
        library: &Library,
        uri: &CStr,
        room: usize,
    ) -> Vec<Column> {
        let read = self.attempt(spec, library, uri, room);
        read.unwrap_or_else(|error| panic!("{}: {error}", library.name))
    }

    /// The same where a submit may fail.
    pub(crate) fn attempt(
        &self,
        spec: &SparseSpec,
        library: &Library,
        uri: &CStr,
        room: usize,
    ) -> Result<Vec<Column>, String> {
        let all = spec.fields();
        let fields: Vec<&AttributeSpec> = self.fields.iter().map(|at| &all[*at]).collect();
        let (array, query) = self.query(spec, library, uri);
        let mut whole = vec![Column::default(); fields.len()];
        let mut status = INCOMPLETE;
        for _ in 0..=20 * spec.cell_num() + 20 {
            let mut columns: Vec<Column> = fields
                .iter()
                .map(|field| {
                    let mut column = field.room(room);
                    // The longest text of all fits.
                    if field.cell_val_num == VAR {
                        column.data.resize(column.data.len() + 64, 0);
                    }
                    column
                })
                .collect();
            let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
            for ((field, column), sizes) in fields.iter().zip(&mut columns).zip(&mut sizes) {
                field.set_buffers(library, query, column, sizes);
            }
            library.attempt("query_submit", &[query])?;
            for ((column, sizes), whole) in columns.iter_mut().zip(&sizes).zip(&mut whole) {
                column.truncate(sizes);
                whole.append(column);
            }
            library.ok("query_get_status", &[query, address(&mut status)]);
            if status == COMPLETED {
                break;
            }
        }
        assert_eq!(status, COMPLETED, "{}: the read does not end", library.name);
        library.ok("array_close", &[array]);
        library.free("query_free", query);
        library.free("array_free", array);
        Ok(whole)
    }

    /// The cells of an answer; of each the bytes of its fields.
    pub(crate) fn cells(&self, spec: &SparseSpec, columns: &[Column]) -> Vec<Vec<Vec<u8>>> {
        let all = spec.fields();
        let mut cells: Vec<Vec<Vec<u8>>> = Vec::new();
        for (at, (field, column)) in self.fields.iter().zip(columns).enumerate() {
            let field = &all[*field];
            let number = match field.cell_val_num {
                VAR => column.offsets.len(),
                values => column.data.len() / (field.size * values as usize),
            };
            if at == 0 {
                cells = vec![Vec::new(); number];
            }
            assert_eq!(cells.len(), number, "fields of different lengths");
            for (cell, fields) in cells.iter_mut().enumerate() {
                let slice = field.slice(column, cell..cell + 1);
                fields.push([slice.data, slice.validity].concat());
            }
        }
        cells
    }

    /// How many of the first fields of [`SparseRead::cells`] are coordinates.
    pub(crate) fn coordinate_num(&self, spec: &SparseSpec) -> usize {
        let is_dimension = |field: &&usize| **field < spec.dimensions.len();
        self.fields.iter().filter(is_dimension).count()
    }
}
