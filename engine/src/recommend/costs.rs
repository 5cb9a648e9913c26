//! The costs of filters and cells in nanoseconds of one processor, and how a goal weighs them.
//!
//! A recommendation must not depend on the load of the machine, so nothing is timed when one is
//! made. A stage costs a time for each byte of its unfiltered side and one for each byte of its
//! filtered side. `cargo bench -p tiledb-engine --bench recommend -- costs` measures the stages on
//! numbers and texts of many kinds and prints the times of which these constants are fits.

use crate::filter::{Compressor, Filter};

/// What a schema is chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// The time of a stage in nanoseconds per byte.
#[derive(Clone, Copy, Debug)]
struct StageCost {
    /// Encoding, for each unfiltered and each filtered byte.
    encode: (f64, f64),
    /// Decoding, for each unfiltered and each filtered byte.
    decode: (f64, f64),
}

impl StageCost {
    const fn new(encode: (f64, f64), decode: (f64, f64)) -> Self {
        Self { encode, decode }
    }

    fn of(filter: &Filter) -> Self {
        let Filter::Compression(options) = filter else {
            return match filter {
                Filter::Bitshuffle => Self::new((0.25, 0.0), (0.25, 0.0)),
                Filter::Byteshuffle => Self::new((0.1, 0.0), (0.1, 0.0)),
                Filter::BitWidthReduction { .. } => Self::new((0.4, 0.1), (0.2, 0.1)),
                _ => Self::new((0.5, 0.5), (0.5, 0.5)),
            };
        };
        match (options.compressor, options.level) {
            (Compressor::Lz4, _) => Self::new((0.5, 2.0), (0.1, 0.5)),
            (Compressor::Zstd, ..=1) => Self::new((0.8, 4.0), (0.3, 2.0)),
            (Compressor::Zstd, 2..=5) => Self::new((3.0, 12.0), (0.3, 2.0)),
            (Compressor::Zstd, _) => Self::new((10.0, 40.0), (0.3, 2.0)),
            (Compressor::DoubleDelta, _) => Self::new((0.3, 0.3), (0.3, 0.3)),
            (Compressor::Delta, _) => Self::new((0.2, 0.0), (0.2, 0.0)),
            (Compressor::Rle, _) => Self::new((0.3, 1.0), (0.1, 1.0)),
            (Compressor::Dictionary, _) => Self::new((2.0, 2.0), (0.5, 1.0)),
            _ => Self::new((10.0, 30.0), (5.0, 10.0)),
        }
    }
}

/// The time of a list of filters: of encoding and of decoding, in nanoseconds. `sizes` are the
/// sizes in bytes before the first filter and after each.
pub(super) fn filter_times(filters: &[Filter], sizes: &[usize]) -> (f64, f64) {
    let stages = filters.iter().zip(sizes.iter().zip(sizes.iter().skip(1)));
    stages.fold((0.0, 0.0), |(encode, decode), (filter, (from, to))| {
        let cost = StageCost::of(filter);
        let time = |(unfiltered, filtered): (f64, f64)| {
            unfiltered * *from as f64 + filtered * *to as f64
        };
        (encode + time(cost.encode), decode + time(cost.decode))
    })
}
