//! The costs of filters and cells in nanoseconds of one processor, and how a goal weighs them.
//!
//! A recommendation must not depend on the load of the machine, so nothing is timed when one is
//! made. `cargo bench -p tiledb-engine --bench recommend -- costs` measures lists of filters on
//! numbers and texts of 20 kinds; the constants of the stages are typical times of that on an AMD
//! EPYC. Only their ratios matter.

use crate::filter::{Compressor, Filter};

/// The goal for which a schema is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// The time of reads on a local disk, and the size.
    #[default]
    Balanced,
    /// The size, for archives and slow networks.
    Size,
    /// The time of reads of data that is in memory.
    Speed,
}

/// The weights of a goal.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// The time that a stored byte costs in nanoseconds.
    pub stored_byte: f64,
    /// The share of the time of writing that counts: data is read more often than written.
    pub encode: f64,
    /// The level of zstd beyond the first that is tried.
    pub zstd_level: i32,
}

impl Goal {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Size => "size",
            Self::Speed => "speed",
        }
    }

    /// Returns the goal with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let goals = [Self::Balanced, Self::Size, Self::Speed];
        goals.into_iter().find(|goal| goal.name() == name)
    }

    /// Returns the weights.
    #[doc(hidden)]
    pub fn weights(self) -> Weights {
        match self {
            // A disk or an object store with 500 MB/s.
            Self::Balanced => Weights {
                stored_byte: 2.0,
                encode: 0.1,
                zstd_level: 5,
            },
            // A network with 20 MB/s.
            Self::Size => Weights {
                stored_byte: 50.0,
                encode: 0.02,
                zstd_level: 9,
            },
            // The page cache with 4 GB/s.
            Self::Speed => Weights {
                stored_byte: 0.25,
                encode: 0.05,
                zstd_level: 1,
            },
        }
    }
}

/// The time of reading a cell of variable length in nanoseconds, beyond that of decoding its bytes
/// and its offset.
pub(super) const TEXT_CELL: f64 = 3.0;
/// The most labels of an enumeration that is recommended.
pub(super) const MAX_LABELS: usize = 1 << 14;
/// The largest share of further cells, estimated, with a text that the enumeration would lack.
pub(super) const MAX_UNSEEN: f64 = 0.01;

/// A stage that makes bytes smaller by less than this factor stored them as they are.
const STORED: f64 = 0.98;

/// The time of a stage in nanoseconds: of encoding and of decoding.
///
/// `previous` is the filter before it. After a shuffle most blocks of a compressor are either
/// constant or stored as they are, so that it takes a fraction of the time.
fn stage_times(
    filter: &Filter,
    previous: Option<&Filter>,
    (from, to): (f64, f64),
    value_size: f64,
) -> (f64, f64) {
    let is_stored = to >= STORED * from;
    let values = from / value_size;
    let Filter::Compression(options) = filter else {
        return match filter {
            Filter::Bitshuffle => (0.29 * from, 0.155 * from),
            Filter::Byteshuffle => (0.11 * from, 0.045 * from),
            Filter::BitWidthReduction { .. } => (0.17 * from, 0.07 * from),
            _ => (from, from),
        };
    };
    let by_shuffle = |plain: f64, bytes: f64, bits: f64| match previous {
        Some(Filter::Byteshuffle) => bytes * from,
        Some(Filter::Bitshuffle) => bits * from,
        _ => plain * from,
    };
    match options.compressor {
        Compressor::Lz4 if is_stored => (0.15 * from, 0.05 * from),
        Compressor::Lz4 => (by_shuffle(2.0, 0.5, 0.25), by_shuffle(0.5, 0.2, 0.1)),
        Compressor::Zstd => {
            let level = match options.level {
                ..=1 => 1.0,
                2..=5 => 3.0,
                _ => 8.0,
            };
            if is_stored {
                return (0.4 * level * from, 0.05 * from);
            }
            let encode = level * by_shuffle(3.2, 1.2, 1.0);
            (encode, by_shuffle(1.1, 0.6, 0.2))
        }
        Compressor::DoubleDelta if is_stored => (0.15 * from, 0.05 * from),
        Compressor::DoubleDelta => (1.9 * values, 1.7 * values),
        Compressor::Delta => (0.08 * from, 0.36 * values),
        // Runs and dictionaries of texts have values of one byte.
        Compressor::Rle if value_size < 2.0 => (0.3 * from + 1.3 * to, 0.3 * from + 0.3 * to),
        Compressor::Rle => (0.1 * from + 13.0 * to / value_size, 1.6 * to / value_size),
        Compressor::Dictionary => (1.2 * from + 0.5 * to, 0.5 * from),
        _ => (10.0 * from, 5.0 * from),
    }
}

/// The time of a list of filters: of encoding and of decoding, in nanoseconds. `sizes` are the
/// sizes in bytes before the first filter and after each.
pub(super) fn filter_times(filters: &[Filter], sizes: &[usize], value_size: usize) -> (f64, f64) {
    let (mut encode, mut decode, mut previous) = (0.0, 0.0, None);
    for (filter, (from, to)) in filters.iter().zip(sizes.iter().zip(sizes.iter().skip(1))) {
        let sizes = (*from as f64, *to as f64);
        let times = stage_times(filter, previous, sizes, value_size.max(1) as f64);
        (encode, decode) = (encode + times.0, decode + times.1);
        previous = Some(filter);
    }
    (encode, decode)
}
