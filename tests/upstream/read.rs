//! Random reads: random ranges and fields, through large or small buffers.

use std::ffi::CStr;

use crate::attribute::{AttributeSpec, Column};
use crate::condition::ConditionSpec;
use crate::library::Library;
use crate::query::{Query, READ};
use crate::random::Random;
use crate::spec::Spec;

/// The parameters of a read.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    layout: usize,
    /// Ranges: the dimension and both ends.
    ranges: Vec<(usize, (u64, u64))>,
    cells: usize,
    fields: Vec<&'a AttributeSpec>,
    condition: Option<ConditionSpec>,
}

/// Returns the dimensions of a schema as fields.
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
    /// Returns a read of all cells and attributes.
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

    /// Returns a read of ascending, disjoint ranges of each dimension and some of the fields.
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
            let intervals = ends.chunks(2).map(|pair| (d, (pair[0], pair[1])));
            cells *= intervals
                .clone()
                .map(|(_, (low, high))| high - low + 1)
                .sum::<u64>() as usize;
            ranges.extend(intervals);
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

    /// Returns this read with a condition.
    pub(crate) fn with_condition(mut self, condition: ConditionSpec) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Returns the layout.
    pub(crate) fn layout(&self) -> usize {
        self.layout
    }

    /// Returns a query with these parameters.
    pub(crate) fn query<'l>(&self, spec: &Spec, library: &'l Library, uri: &CStr) -> Query<'l> {
        let query = Query::open(library, uri, READ);
        query.set_layout(self.layout);
        query.set_ranges(spec.ranges(self.ranges.iter().copied()));
        if let Some(condition) = &self.condition {
            query.set_condition(condition);
        }
        query
    }

    /// Reads with buffers for `capacity` cells until the query completes.
    pub(crate) fn run(
        &self,
        spec: &Spec,
        library: &Library,
        uri: &CStr,
        capacity: usize,
    ) -> Vec<Column> {
        let query = self.query(spec, library, uri);
        let read = query.read(&self.fields, self.cells + 1, |field| {
            field.buffers(capacity)
        });
        read.unwrap_or_else(|error| panic!("{}: {error}", library.name))
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells
    }
}
