//! Random filter lists, valid or not. Both libraries must accept or reject them alike.

use std::collections::BTreeMap;

use crate::library::{Library, address};
use crate::random::Random;

/// A filter and its options; each option is a code and the bytes of its value.
#[derive(Clone, Debug)]
pub(crate) struct FilterSpec {
    pub(crate) kind: u32,
    options: BTreeMap<usize, u64>,
}

/// The filter lists of a field.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListSpec {
    pub(crate) filters: Vec<FilterSpec>,
    max_chunk_size: Option<usize>,
}

/// The level at which GZIP produces the same bytes as libtiledb.
const ZLIB_LEVEL: i32 = 1;

const LEVEL: usize = 0;
const BIT_WIDTH_WINDOW: usize = 1;
const POSITIVE_DELTA_WINDOW: usize = 2;
const BYTE_WIDTH: usize = 3;
const FACTOR: usize = 4;
const OFFSET: usize = 5;
const REINTERPRET: usize = 9;

pub(crate) const GZIP: u32 = 1;
pub(crate) const RLE: u32 = 4;
pub(crate) const POSITIVE_DELTA: u32 = 10;
pub(crate) const DICTIONARY: u32 = 14;

const DOUBLE_DELTA: u32 = 6;
const BIT_WIDTH: u32 = 7;
const BYTESHUFFLE: u32 = 9;
pub(crate) const SCALE_FLOAT: u32 = 15;
const XOR: u32 = 16;
const DELTA: u32 = 19;
const UINT8: u64 = 6;

/// All filters except WebP, which requires pictures.
pub(crate) const KINDS: [u32; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 19];

impl FilterSpec {
    fn plain(kind: u32) -> Self {
        Self {
            kind,
            options: BTreeMap::new(),
        }
    }

    fn random(random: &mut Random) -> Self {
        let kind = random.one_of(&KINDS);
        let mut options = BTreeMap::new();
        let window = |random: &mut Random| random.one_of(&[8, 13, 64, 256, 1000, 5000]);
        match kind {
            GZIP | 2 | 5 => {
                let level: i32 = random.one_of(&[-1, -1, 1, 2, 6, 9]);
                options.insert(LEVEL, level as u32 as u64);
            }
            6 | 19 if random.below(2) == 0 => {
                options.insert(
                    REINTERPRET,
                    random.one_of(&[0, 1, 5, 6, 7, 8, 9, 10, 17, 18]),
                );
            }
            7 if random.below(2) == 0 => {
                options.insert(BIT_WIDTH_WINDOW, window(random));
            }
            10 if random.below(2) == 0 => {
                options.insert(POSITIVE_DELTA_WINDOW, window(random));
            }
            15 => {
                options.insert(BYTE_WIDTH, random.one_of(&[1, 2, 4, 8]));
                options.insert(FACTOR, random.one_of(&[1.0f64, 0.5, 3.0, 1e-3]).to_bits());
                options.insert(OFFSET, random.one_of(&[0.0f64, 1.0, -2.5]).to_bits());
            }
            _ => {}
        }
        Self { kind, options }
    }
}

impl ListSpec {
    /// Returns filters with their default options, except GZIP, whose level is one at which both
    /// libraries store equal bytes.
    pub(crate) fn of_kinds(kinds: &[u32]) -> Self {
        let filters = kinds.iter().map(|kind| {
            let mut filter = FilterSpec::plain(*kind);
            if *kind == GZIP {
                filter.options.insert(LEVEL, ZLIB_LEVEL as u32 as u64);
            }
            filter
        });
        Self {
            filters: filters.collect(),
            max_chunk_size: None,
        }
    }

    pub(crate) fn random(random: &mut Random) -> Self {
        let mut filters: Vec<_> = (0..random.below(4))
            .map(|_| FilterSpec::random(random))
            .collect();
        // The output of another filter is rarely a multiple of the value size, and libtiledb drops
        // incomplete values: such filters come first, or have bytes as type.
        for (index, filter) in filters.iter_mut().enumerate() {
            match filter.kind {
                DOUBLE_DELTA | DELTA if index > 0 => {
                    filter.options.insert(REINTERPRET, UINT8);
                }
                SCALE_FLOAT | RLE | XOR if index > 0 => *filter = FilterSpec::plain(BYTESHUFFLE),
                _ => {}
            }
        }
        // A part that is smaller than a value crashes libtiledb's window filters, so filters that
        // produce such parts do not precede them.
        let mut whole = true;
        for filter in &mut filters {
            match filter.kind {
                BIT_WIDTH | POSITIVE_DELTA if !whole => *filter = FilterSpec::plain(BYTESHUFFLE),
                _ => whole &= matches!(filter.kind, 0 | BYTESHUFFLE | XOR | 12 | 13),
            }
        }
        Self {
            filters,
            max_chunk_size: match random.below(6) {
                0 => Some(0),
                1 => Some(1000),
                _ => None,
            },
        }
    }

    /// Returns compression, shuffle and checksum filters, which any field accepts. If all strings
    /// are empty, libtiledb cannot read the output of some of them.
    pub(crate) fn of_bytes(random: &mut Random, texts: bool) -> Self {
        let kinds = [
            (GZIP, Some(ZLIB_LEVEL)),
            (2, Some(3)),
            (2, Some(-1)),
            (3, None),
            (5, Some(2)),
            (9, None),
            (12, None),
            (13, None),
            (0, None),
        ];
        let chosen: Vec<(u32, Option<i32>)> = (0..random.below(4))
            .map(|_| random.one_of(&kinds))
            .collect();
        let chosen = chosen
            .into_iter()
            .filter(|(kind, _)| !texts || !matches!(kind, 0 | 9 | 12 | 13));
        let filters = chosen.map(|(kind, level)| FilterSpec {
            kind,
            options: level
                .map(|level| (LEVEL, level as u32 as u64))
                .into_iter()
                .collect(),
        });
        Self {
            filters: filters.collect(),
            max_chunk_size: None,
        }
    }

    /// Returns filters for offsets and validity.
    pub(crate) fn not_of_text(random: &mut Random) -> Self {
        let mut list = Self::random(random);
        list.filters
            .retain(|filter| !matches!(filter.kind, DICTIONARY | SCALE_FLOAT));
        if let Some(first) = list.filters.first_mut() {
            // These filters are accepted for every datatype.
            first.options.remove(&REINTERPRET);
        }
        list
    }

    pub(crate) fn has(&self, kind: u32) -> bool {
        self.filters.iter().any(|filter| filter.kind == kind)
    }

    /// Returns whether libtiledb always writes the same bytes as this library: for windows that are
    /// not a multiple of the value size it stores uninitialized memory, and its deflate differs.
    pub(crate) fn is_repeatable(&self) -> bool {
        let zlib = ZLIB_LEVEL as u32 as u64;
        let others = self.filters.iter().enumerate();
        !others.into_iter().any(|(index, filter)| match filter.kind {
            BIT_WIDTH | POSITIVE_DELTA => index > 0,
            GZIP => filter.options.get(&LEVEL) != Some(&zlib),
            _ => false,
        })
    }

    pub(crate) fn make(&self, library: &Library) -> usize {
        let list = library.make("filter_list_alloc", &[]);
        for spec in &self.filters {
            let filter = library.make("filter_alloc", &[spec.kind as usize]);
            for (option, value) in &spec.options {
                let mut value = *value;
                library.ok("filter_set_option", &[filter, *option, address(&mut value)]);
            }
            library.ok("filter_list_add_filter", &[list, filter]);
        }
        if let Some(size) = self.max_chunk_size {
            library.ok("filter_list_set_max_chunk_size", &[list, size]);
        }
        list
    }
}
