//! Random reads of sparse arrays: any ranges, any of the fields, in one piece or in many; and what both libraries answer.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::attribute::{AttributeSpec, Column, VAR, rows};
use crate::condition::ConditionSpec;
use crate::library::Library;
use crate::query::{GLOBAL, Query, READ, UNORDERED};
use crate::random::Random;
use crate::sparse_spec::SparseSpec;

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
                        let at = random.below(dimension.points.len() as u64);
                        dimension.points[at as usize].clone()
                    };
                    let (a, b) = (end(), end());
                    let place =
                        |of: &Vec<u8>| dimension.points.iter().position(|known| known == of);
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

    /// A query that this asks for, without buffers.
    pub(crate) fn query<'a>(
        &self,
        spec: &SparseSpec,
        library: &'a Library,
        uri: &CStr,
    ) -> Query<'a> {
        let query = Query::open_within(library, uri, READ, self.span);
        query.set_layout(self.layout);
        if !self.ranges.is_empty() {
            let ranges = self.ranges.iter();
            query.set_ranges(ranges.map(|(d, low, high)| {
                let is_text = spec.dimensions[*d].is_text();
                (*d, is_text, low, high)
            }));
        }
        if let Some(condition) = &self.condition {
            query.set_condition(condition);
        }
        query
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
        let mixed = spec.mixed_texts();
        let mixed = mixed.is_some_and(|dim| self.ranges.iter().any(|range| range.0 == dim));
        united || mixed || (spec.has_empty_text() && self.layout < GLOBAL)
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
        let query = self.query(spec, library, uri);
        // Each cell comes for each combination of ranges that has it.
        query.read(&self.fields(spec), 100 * spec.cell_num() + 21, |field| {
            let mut column = field.room(room);
            // The longest text of all fits.
            if field.cell_val_num == VAR {
                column.data.resize(column.data.len() + 64, 0);
            }
            column
        })
    }

    fn fields<'a>(&self, spec: &'a SparseSpec) -> Vec<&'a AttributeSpec> {
        let all: Vec<_> = spec.fields().collect();
        self.fields.iter().map(|at| all[*at]).collect()
    }

    /// The cells of an answer; of each the bytes of its fields.
    pub(crate) fn cells(&self, spec: &SparseSpec, columns: &[Column]) -> Vec<Vec<Vec<u8>>> {
        rows(&self.fields(spec), columns)
    }

    /// How many of the first fields of [`SparseRead::cells`] are coordinates.
    pub(crate) fn coordinate_num(&self, spec: &SparseSpec) -> usize {
        let is_dimension = |field: &&usize| **field < spec.dimensions.len();
        self.fields.iter().filter(is_dimension).count()
    }
}

/// Reads random parts of an array that libtiledb wrote with both libraries; ours also gives them in pieces.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let spec = SparseSpec::to_be_read(seed);
    let path = folder.join("theirs");
    let uri = CString::new(path.to_str().expect("path")).expect("path");
    spec.create(theirs, &uri, false);
    spec.write_all(theirs, &uri);
    let mut random = Random(!seed);
    let mut compared = false;
    for _ in 0..8 {
        let read = SparseRead::random(&spec, &mut random);
        let plenty = 100 * spec.cell_num();
        let whole = read.run(&spec, ours, &uri, plenty);
        let cells = read.cells(&spec, &whole);
        let room = random.below(1 + spec.cell_num() as u64) as usize;
        let pieces = read.run(&spec, ours, &uri, room.max(1));
        assert!(
            cells == read.cells(&spec, &pieces),
            "in pieces of {room} the answer to {read:?} differs"
        );
        if read.is_dangerous(&spec) {
            continue;
        }
        let mut expected = read.cells(&spec, &read.run(&spec, theirs, &uri, plenty));
        let mut found = cells;
        if read.is_by_range(&spec) {
            found.sort();
            expected.sort();
        } else if read.is_loose(&spec) {
            let dims = read.coordinate_num(&spec);
            let coordinates = |cells: &[Vec<Vec<u8>>]| -> Vec<Vec<Vec<u8>>> {
                cells.iter().map(|cell| cell[..dims].to_vec()).collect()
            };
            assert!(
                coordinates(&found) == coordinates(&expected),
                "the order of {read:?} differs"
            );
            found.sort();
            expected.sort();
        }
        assert!(
            found == expected,
            "{} cells, not {}, or others, of {read:?}",
            found.len(),
            expected.len()
        );
        compared = true;
    }
    compared
}
