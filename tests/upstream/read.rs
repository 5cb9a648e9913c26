//! Random reads: any ranges, any of the fields, in one piece or in many.

use std::ffi::CStr;

use crate::attribute::{AttributeSpec, Column};
use crate::condition::ConditionSpec;
use crate::library::{Library, address};
use crate::random::Random;
use crate::spec::Spec;

const COMPLETED: i32 = 1;
const INCOMPLETE: i32 = 3;

/// What is asked of an array.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    layout: usize,
    /// Each a dimension and its ends.
    ranges: Vec<(usize, (u64, u64))>,
    cells: usize,
    fields: Vec<&'a AttributeSpec>,
    condition: Option<ConditionSpec>,
}

/// The dimensions of a schema as fields.
pub(crate) fn dimensions(spec: &Spec) -> Vec<AttributeSpec> {
    (0..spec.lens.len())
        .map(|d| {
            let coordinates = (spec.lows[d], spec.lens[d]);
            let name = Spec::dimension_name(d);
            AttributeSpec {
                coordinates: Some(coordinates),
                ..AttributeSpec::of_dimension(name, spec.dim_type, spec.dim_size)
            }
        })
        .collect()
}

impl<'a> Read<'a> {
    /// All cells and attributes.
    pub(crate) fn whole(spec: &'a Spec, layout: usize) -> Self {
        Self {
            layout,
            ranges: spec
                .lens
                .iter()
                .map(|len| (0, len - 1))
                .enumerate()
                .collect(),
            cells: spec.lens.iter().product::<u64>() as usize,
            fields: spec.attributes.iter().collect(),
            condition: None,
        }
    }

    /// Some ranges of each dimension, ascending and apart, some attributes and dimensions.
    pub(crate) fn random(
        spec: &'a Spec,
        dimensions: &'a [AttributeSpec],
        random: &mut Random,
    ) -> Self {
        let layout = random.below(3) as usize;
        let most = if layout == 2 { 1 } else { 3 };
        let (mut ranges, mut cells) = (Vec::new(), 1);
        for (d, len) in spec.lens.iter().enumerate() {
            let mut ends: Vec<u64> = (0..2 * (1 + random.below(most)))
                .map(|_| random.below(*len))
                .collect();
            ends.sort_unstable();
            ends.dedup();
            if ends.len() % 2 == 1 {
                ends.insert(0, ends[0]);
            }
            let here = ends.chunks(2).map(|pair| (d, (pair[0], pair[1])));
            cells *= here
                .clone()
                .map(|(_, (low, high))| high - low + 1)
                .sum::<u64>() as usize;
            ranges.extend(here);
        }
        let mut fields: Vec<_> = spec.attributes.iter().chain(dimensions).collect();
        while fields.len() > 1 && random.below(2) == 0 {
            fields.remove(random.below(fields.len() as u64) as usize);
        }
        Self {
            layout,
            ranges,
            cells,
            fields,
            condition: None,
        }
    }

    /// The same with a condition.
    pub(crate) fn with_condition(mut self, condition: ConditionSpec) -> Self {
        self.condition = Some(condition);
        self
    }

    /// The layout.
    pub(crate) fn layout(&self) -> usize {
        self.layout
    }

    /// A query that this asks for, and its array.
    pub(crate) fn query(&self, spec: &Spec, library: &Library, uri: &CStr) -> (usize, usize) {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_open", &[array, 0]);
        let query = library.make("query_alloc", &[array, 0]);
        library.ok("query_set_layout", &[query, self.layout]);
        let subarray = spec.subarray(library, array, self.ranges.iter().copied());
        library.ok("query_set_subarray_t", &[query, subarray]);
        library.free("subarray_free", subarray);
        if let Some(condition) = &self.condition {
            let condition = condition.make(library);
            library.ok("query_set_condition", &[query, condition]);
            library.free("query_condition_free", condition);
        }
        (array, query)
    }

    /// Reads with buffers for `room` cells, as often as it takes.
    pub(crate) fn run(
        &self,
        spec: &Spec,
        library: &Library,
        uri: &CStr,
        room: usize,
    ) -> Vec<Column> {
        let (array, query) = self.query(spec, library, uri);
        let mut whole = vec![Column::default(); self.fields.len()];
        let mut status = INCOMPLETE;
        for _ in 0..=self.cells {
            let mut columns: Vec<Column> =
                self.fields.iter().map(|field| field.room(room)).collect();
            let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
            for ((field, column), sizes) in self.fields.iter().zip(&mut columns).zip(&mut sizes) {
                field.set_buffers(library, query, column, sizes);
            }
            library.ok("query_submit", &[query]);
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
        whole
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells
    }
}
