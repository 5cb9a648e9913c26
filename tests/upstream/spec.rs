//! Random dense schemas and writes.

use std::ffi::{CStr, CString};

use crate::attribute::{AttributeSpec, Column, INTEGERS};
use crate::filters::ListSpec;
use crate::library::Library;
use crate::query::{Query, WRITE};
use crate::random::Random;

pub(crate) struct Spec {
    pub(crate) dim_type: u32,
    pub(crate) dim_size: usize,
    pub(crate) lows: Vec<i64>,
    pub(crate) lens: Vec<u64>,
    pub(crate) extents: Vec<u64>,
    pub(crate) tile_order: usize,
    pub(crate) cell_order: usize,
    pub(crate) attributes: Vec<AttributeSpec>,
    pub(crate) offsets_filters: Option<ListSpec>,
    pub(crate) validity_filters: Option<ListSpec>,
    pub(crate) writes: Vec<Write>,
}

pub(crate) struct Write {
    pub(crate) layout: usize,
    pub(crate) ranges: Vec<(u64, u64)>,
    pub(crate) cells: usize,
    pub(crate) columns: Vec<Column>,
    /// The first cell of each submit, and the end of the last one.
    pieces: Vec<usize>,
}

/// Returns a datatype that dense dimensions may have: integers, dates (18 to 30) and times (31 to
/// 39).
fn dimension_type(random: &mut Random) -> (u32, usize, bool) {
    match random.below(2) {
        0 => random.one_of(&INTEGERS),
        _ => (18 + random.below(22) as u32, 8, true),
    }
}

/// Returns the lower bound of a dimension of complete tiles with `span` cells: near zero, or near a
/// limit of the type.
fn low(random: &mut Random, span: u64, size: usize, signed: bool) -> i64 {
    let bits = 8 * size as u32;
    let least = if signed { -1i64 << (bits - 1) } else { 0 };
    let greatest = (u64::MAX >> (64 - bits) >> u32::from(signed)) as i64;
    // The last tile ends before the greatest value, which libtiledb reserves.
    let last = greatest.wrapping_sub(span as i64);
    let near_zero = random.below(30) as i64 - if signed { 15 } else { 0 };
    match random.below(4) {
        0 => least,
        1 => last,
        _ if size == 1 => near_zero.min(last),
        _ => near_zero,
    }
}

impl Spec {
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let (dim_type, dim_size, signed) = dimension_type(&mut random);
        let dims = 1 + random.below(8).min(random.below(8)) as usize;
        let mut most = [90, 20, 8, 5, 3, 3, 2, 2][dims - 1];
        // In some cases tiles are larger than chunks.
        if dims == 1 && dim_size > 2 && random.below(6) == 0 {
            most = 40_000;
        }
        let lens: Vec<u64> = (0..dims).map(|_| 1 + random.below(most)).collect();
        let extents: Vec<u64> = lens.iter().map(|len| 1 + random.below(*len)).collect();
        let lows = lens
            .iter()
            .zip(&extents)
            .map(|(len, extent)| len.next_multiple_of(*extent))
            .map(|span| low(&mut random, span, dim_size, signed))
            .collect();
        let mut attributes: Vec<_> = (0..1 + random.below(4))
            .map(|index| AttributeSpec::random(&mut random, index))
            .collect();
        // With several tiles and more attributes than tiles, libtiledb stores minimum and maximum
        // strings in the slots of other tiles, or crashes.
        if attributes.iter().any(AttributeSpec::is_var_text) {
            attributes.truncate(2);
        }
        let mut spec = Self {
            dim_type,
            dim_size,
            lows,
            lens,
            extents,
            tile_order: random.below(2) as usize,
            cell_order: random.below(2) as usize,
            attributes,
            offsets_filters: (random.below(2) == 0).then(|| ListSpec::not_of_text(&mut random)),
            validity_filters: (random.below(2) == 0).then(|| ListSpec::not_of_text(&mut random)),
            writes: Vec::new(),
        };
        for _ in 0..1 + random.below(3) {
            let write = spec.random_write(&mut random);
            spec.writes.extend(write);
        }
        spec
    }

    fn random_write(&self, random: &mut Random) -> Option<Write> {
        let mut layout = random.one_of(&[0, 0, 1, 2]);
        // libtiledb rejects complete tiles of small negative integers.
        if self.dim_size < 4 && self.lows.iter().any(|low| *low < 0) {
            layout %= 2;
        }
        let mut ranges = Vec::new();
        for (len, extent) in self.lens.iter().zip(&self.extents) {
            let ends = [random.below(*len), random.below(*len)];
            let (mut low, mut high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if layout == 2 {
                (low, high) = (low / extent * extent, high / extent * extent + extent - 1);
                if high >= *len {
                    return None;
                }
            }
            ranges.push((low, high));
        }
        let cells: u64 = ranges.iter().map(|(low, high)| high - low + 1).product();
        let columns = self
            .attributes
            .iter()
            .map(|attribute| attribute.random_cells(random, cells as usize))
            .collect();
        let mut pieces = vec![0, cells as usize];
        if layout == 2 {
            pieces.extend((0..random.below(4)).map(|_| random.below(cells + 1) as usize));
            pieces.sort_unstable();
            pieces.dedup();
        }
        Some(Write {
            layout,
            ranges,
            cells: cells as usize,
            columns,
            pieces,
        })
    }

    /// Returns whether libtiledb always writes the same bytes as this library.
    pub(crate) fn is_repeatable(&self) -> bool {
        let attributes = self.attributes.iter().map(|attribute| &attribute.filters);
        let lists = attributes
            .chain(&self.offsets_filters)
            .chain(&self.validity_filters);
        lists.into_iter().all(ListSpec::is_repeatable)
    }

    /// Returns whether libtiledb stores the same statistics. For tiles that are written in several
    /// runs it counts nulls once per run, uses the validity of the first cells for strings, and
    /// sums floating-point numbers in another order.
    pub(crate) fn has_same_statistics(&self) -> bool {
        self.attributes
            .iter()
            .all(|attribute| (!attribute.nullable || attribute.is_number()) && !attribute.is_real())
    }

    /// Returns whether a write ends within a tile.
    pub(crate) fn has_partial_tiles(&self) -> bool {
        let cuts = |write: &Write| {
            let ranges = write.ranges.iter().zip(&self.extents);
            let mut ranges = ranges.zip(&self.lens);
            ranges.any(|(((low, high), extent), len)| {
                low % extent != 0 || ((high + 1) % extent != 0) || len % extent != 0
            })
        };
        self.writes.iter().any(cuts)
    }

    /// Returns the bytes of a coordinate that is given by its index.
    fn coordinate(&self, d: usize, index: u64) -> Vec<u8> {
        self.lows[d].wrapping_add(index as i64).to_le_bytes()[..self.dim_size].to_vec()
    }

    /// Returns the name of a dimension.
    pub(crate) fn dimension_name(d: usize) -> CString {
        CString::new(format!("d{d}")).expect("name")
    }

    pub(crate) fn create(&self, library: &Library, uri: &CStr) {
        let domain = library.make("domain_alloc", &[]);
        for (d, (len, extent)) in self.lens.iter().zip(&self.extents).enumerate() {
            let name = Self::dimension_name(d);
            let ends = [self.coordinate(d, 0), self.coordinate(d, len - 1)].concat();
            let extent = extent.to_le_bytes();
            let arguments = [
                name.as_ptr() as usize,
                self.dim_type as usize,
                ends.as_ptr() as usize,
                extent.as_ptr() as usize,
            ];
            let dimension = library.make("dimension_alloc", &arguments);
            library.ok("domain_add_dimension", &[domain, dimension]);
        }
        let schema = library.make("array_schema_alloc", &[0]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        library.ok("array_schema_set_tile_order", &[schema, self.tile_order]);
        library.ok("array_schema_set_cell_order", &[schema, self.cell_order]);
        for attribute in &self.attributes {
            library.ok(
                "array_schema_add_attribute",
                &[schema, attribute.make(library)],
            );
        }
        if let Some(filters) = &self.offsets_filters {
            library.ok(
                "array_schema_set_offsets_filter_list",
                &[schema, filters.make(library)],
            );
        }
        if let Some(filters) = &self.validity_filters {
            library.ok(
                "array_schema_set_validity_filter_list",
                &[schema, filters.make(library)],
            );
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    }

    /// Returns ranges as a query accepts them: the dimension and both ends.
    pub(crate) fn ranges(
        &self,
        ranges: impl IntoIterator<Item = (usize, (u64, u64))>,
    ) -> impl Iterator<Item = (usize, bool, Vec<u8>, Vec<u8>)> {
        let ranges = ranges.into_iter();
        ranges.map(|(d, (low, high))| (d, false, self.coordinate(d, low), self.coordinate(d, high)))
    }

    /// Removes filters that the libraries reject for their fields.
    pub(crate) fn settle(&mut self, ours: &Library, theirs: &Library) {
        for attribute in &mut self.attributes {
            attribute.settle(ours, theirs);
        }
        for (filters, set) in [
            (
                &mut self.offsets_filters,
                "array_schema_set_offsets_filter_list",
            ),
            (
                &mut self.validity_filters,
                "array_schema_set_validity_filter_list",
            ),
        ] {
            let Some(list) = filters else { continue };
            let codes = [ours, theirs].map(|library| {
                let schema = library.make("array_schema_alloc", &[0]);
                library.call(set, &[library.ctx, schema, list.make(library)])
            });
            assert_eq!(codes[0], codes[1], "different results for {list:?}");
            if codes[0] != 0 {
                *filters = None;
            }
        }
    }

    /// Writes cells. The error is that of the library.
    pub(crate) fn write(&self, library: &Library, uri: &CStr, write: &Write) -> Result<(), String> {
        let query = Query::open(library, uri, WRITE);
        query.set_layout(write.layout);
        query.set_ranges(self.ranges(write.ranges.iter().copied().enumerate()));
        let fields: Vec<_> = self.attributes.iter().collect();
        let submits = write.pieces.windows(2).map(|cells| {
            let columns = fields.iter().zip(&write.columns);
            columns
                .map(|(field, column)| field.slice(column, cells[0]..cells[1]))
                .collect()
        });
        query.write(&fields, &submits.collect::<Vec<_>>())
    }
}
