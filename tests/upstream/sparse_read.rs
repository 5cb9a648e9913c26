//! Random reads of sparse arrays with both libraries: random ranges and fields, through large or
//! small buffers.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::attribute::{AttributeSpec, Column, VAR, rows};
use crate::condition::ConditionSpec;
use crate::library::Library;
use crate::query::{GLOBAL, Query, READ, UNORDERED};
use crate::random::Random;
use crate::sparse_spec::SparseSpec;

/// The parameters of a read.
#[derive(Debug)]
pub(crate) struct SparseRead {
    layout: usize,
    /// Ranges: the dimension and both ends; an empty end of a string range is open.
    ranges: Vec<(usize, Vec<u8>, Vec<u8>)>,
    /// The fields, dimensions first, by their indexes in the schema.
    fields: Vec<usize>,
    /// The range of timestamps; `None` for all.
    pub(crate) span: Option<(u64, u64)>,
    /// The condition on the cells.
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
                        let index = random.below(dimension.points.len() as u64);
                        dimension.points[index as usize].clone()
                    };
                    let (a, b) = (end(), end());
                    let position =
                        |bound: &Vec<u8>| dimension.points.iter().position(|known| known == bound);
                    known.push(if position(&a) <= position(&b) {
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
        // If cells may be equal or unordered, the coordinates are needed to distinguish them.
        while fields.len() > spec.dimensions.len() && random.below(2) == 0 {
            let index = spec.dimensions.len() as u64
                + random.below((fields.len() - spec.dimensions.len()) as u64);
            fields.remove(index as usize);
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

    /// Returns a query with these parameters, without buffers.
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

    /// Returns whether a string dimension has several ranges. When libtiledb unites overlapping
    /// ranges, in unordered layout and for all aggregates, it uses the end of the last range for
    /// all and loses cells.
    pub(crate) fn has_text_ranges(&self, spec: &SparseSpec) -> bool {
        let texts = |d: usize| self.ranges.iter().filter(|range| range.0 == d).count();
        (0..spec.dimensions.len()).any(|d| spec.dimensions[d].is_text() && texts(d) > 1)
    }

    /// Returns whether libtiledb crashes or loses cells for this read.
    pub(crate) fn is_dangerous(&self, spec: &SparseSpec) -> bool {
        let united = self.layout == UNORDERED && self.has_text_ranges(spec);
        let mixed = spec.mixed_texts();
        let mixed = mixed.is_some_and(|dim| self.ranges.iter().any(|range| range.0 == dim));
        united || mixed || (spec.has_empty_text() && self.layout < GLOBAL)
    }

    /// Returns whether libtiledb returns the cells range by range, which it does for one fragment
    /// and one dimension. This library uses the order of the layout.
    pub(crate) fn is_by_range(&self, spec: &SparseSpec) -> bool {
        self.layout < GLOBAL && spec.dimensions.len() == 1 && self.ranges.len() > 1
    }

    /// Returns whether cells with equal coordinates may be returned in any order.
    pub(crate) fn is_loose(&self, spec: &SparseSpec) -> bool {
        spec.allows_dups
    }

    /// Reads with buffers for `capacity` cells until the query completes.
    pub(crate) fn run(
        &self,
        spec: &SparseSpec,
        library: &Library,
        uri: &CStr,
        capacity: usize,
    ) -> Vec<Column> {
        let read = self.attempt(spec, library, uri, capacity);
        read.unwrap_or_else(|error| panic!("{}: {error}", library.name))
    }

    /// As [`SparseRead::run`], but a submit may fail.
    pub(crate) fn attempt(
        &self,
        spec: &SparseSpec,
        library: &Library,
        uri: &CStr,
        capacity: usize,
    ) -> Result<Vec<Column>, String> {
        let query = self.query(spec, library, uri);
        // A cell is returned once for each combination of ranges that contains it.
        query.read(&self.fields(spec), 100 * spec.cell_num() + 21, |field| {
            let mut column = field.buffers(capacity);
            // The buffer can hold the longest string.
            if field.cell_val_num == VAR {
                column.data.resize(column.data.len() + 64, 0);
            }
            column
        })
    }

    fn fields<'a>(&self, spec: &'a SparseSpec) -> Vec<&'a AttributeSpec> {
        let all: Vec<_> = spec.fields().collect();
        self.fields.iter().map(|index| all[*index]).collect()
    }

    /// Returns the cells of a result: for each cell the bytes of its fields.
    pub(crate) fn cells(&self, spec: &SparseSpec, columns: &[Column]) -> Vec<Vec<Vec<u8>>> {
        rows(&self.fields(spec), columns)
    }

    /// Returns the number of leading fields of [`SparseRead::cells`] that are coordinates.
    pub(crate) fn coordinate_num(&self, spec: &SparseSpec) -> usize {
        let is_dimension = |field: &&usize| **field < spec.dimensions.len();
        self.fields.iter().filter(is_dimension).count()
    }
}

/// Reads random parts of an array of libtiledb with both libraries; with this library also through
/// small buffers.
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
        let capacity = random.below(1 + spec.cell_num() as u64) as usize;
        let pieces = read.run(&spec, ours, &uri, capacity.max(1));
        assert!(
            cells == read.cells(&spec, &pieces),
            "with buffers of {capacity} cells the result of {read:?} differs"
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
