//! Counts and times of the stored tiles that one operation processes.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::names::{Counter, Timer};
use super::{Moment, Stats};

/// The number of threads that count without sharing a cache line.
const SHARDS: usize = 8;

/// Counts and times the tiles of one kind that one read or write processes, on any number of
/// threads.
///
/// A tile costs two readings of the clock and one cache line that few threads share. The sums move
/// to a [`Stats`] with [`TileMeter::record`].
#[derive(Debug, Default)]
pub struct TileMeter {
    shards: [Shard; SHARDS],
}

/// The sums of some of the threads.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard {
    tiles: AtomicU64,
    parts: AtomicU64,
    bytes: AtomicU64,
    cells: AtomicU64,
    storage_ns: AtomicU64,
    filter_ns: AtomicU64,
    /// Not moved to the statistics.
    excluded: AtomicU64,
}

/// The contribution of one part of a tile to the sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct TileCost {
    /// Whether the part stands for its tile: one part of each tile does.
    pub is_tile: bool,
    /// The bytes before filtering, or after unfiltering.
    pub bytes: u64,
    /// The time that storage took.
    pub storage: Duration,
    /// The time that filters took.
    pub filters: Duration,
}

/// The sums of a [`TileMeter`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    tiles: u64,
    parts: u64,
    bytes: u64,
    cells: u64,
    storage: Duration,
    filters: Duration,
}

/// The names under which the sums of a [`TileMeter`] are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterNames {
    /// Tiles of attributes that are read.
    Attributes,
    /// Tiles of coordinates that are read.
    Coordinates,
    /// Tiles that are written.
    Written,
}

impl TileMeter {
    /// Adds a part of a tile: its data, its offsets or its validity.
    pub fn add(&self, cost: TileCost) {
        let shard = self.shard();
        let add = |sum: &AtomicU64, more: u64| {
            if more > 0 {
                sum.fetch_add(more, Ordering::Relaxed);
            }
        };
        add(&shard.tiles, u64::from(cost.is_tile));
        add(&shard.parts, 1);
        add(&shard.bytes, cost.bytes);
        add(&shard.storage_ns, nanoseconds(cost.storage));
        add(&shard.filter_ns, nanoseconds(cost.filters));
    }

    /// Adds the time that storage took for a part that is counted separately.
    pub fn add_storage(&self, time: Duration) {
        let sum = &self.shard().storage_ns;
        sum.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    /// Adds cells: of a read those whose coordinates were compared, of a write those that were
    /// written.
    pub fn add_cells(&self, cells: u64) {
        self.shard().cells.fetch_add(cells, Ordering::Relaxed);
    }

    /// Adds tiles whose parts are not counted.
    pub fn add_tiles(&self, tiles: u64) {
        self.shard().tiles.fetch_add(tiles, Ordering::Relaxed);
    }

    /// Adds a tile that was compared without a result.
    pub fn add_excluded(&self) {
        self.shard().excluded.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of tiles that were compared without a result.
    pub fn excluded(&self) -> u64 {
        self.shards
            .iter()
            .map(|shard| shard.excluded.load(Ordering::Relaxed))
            .sum()
    }

    /// Moves the sums to the statistics.
    pub fn record(&self, stats: &Stats, metered: MeterNames) {
        let sums = self.take();
        if sums == Sums::default() {
            return;
        }
        stats.add(Counter::Cells, sums.cells);
        let (storage, filters) = match metered {
            MeterNames::Written => {
                stats.add(Counter::Tiles, sums.tiles);
                stats.add(Counter::FilteredBytes, sums.bytes);
                (Timer::WriteTiles, Timer::FilterTile)
            }
            MeterNames::Attributes | MeterNames::Coordinates => {
                stats.add(Counter::TilesRead, sums.tiles);
                stats.add(Counter::TilesAllocated, sums.parts);
                stats.add(Counter::TilesUnfiltered, sums.parts);
                stats.add(Counter::UnfilteredBytes, sums.bytes);
                stats.add_time(Timer::ReadTiles, sums.storage, sums.parts);
                match metered {
                    MeterNames::Coordinates => {
                        (Timer::ReadCoordinateTiles, Timer::UnfilterCoordinateTiles)
                    }
                    _ => (Timer::ReadAttributeTiles, Timer::UnfilterAttributeTiles),
                }
            }
        };
        stats.add_time(storage, sums.storage, sums.parts);
        stats.add_time(filters, sums.filters, sums.parts);
    }

    /// Returns the sums and sets them to zero.
    fn take(&self) -> Sums {
        let mut sums = Sums::default();
        for shard in &self.shards {
            let take = |sum: &AtomicU64| match sum.load(Ordering::Relaxed) {
                0 => 0,
                _ => sum.swap(0, Ordering::Relaxed),
            };
            sums.tiles += take(&shard.tiles);
            sums.parts += take(&shard.parts);
            sums.bytes += take(&shard.bytes);
            sums.cells += take(&shard.cells);
            sums.storage += Duration::from_nanos(take(&shard.storage_ns));
            sums.filters += Duration::from_nanos(take(&shard.filter_ns));
        }
        sums
    }

    fn shard(&self) -> &Shard {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static SHARD: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS;
        }
        &self.shards[SHARD.with(|shard| *shard)]
    }
}

/// Separates the time that storage takes from the time that filters take while one part of a tile
/// is read.
#[derive(Debug)]
pub struct ReadWatch {
    begun: Option<Instant>,
    read: Cell<Option<Instant>>,
    bytes: Cell<u64>,
}

impl ReadWatch {
    /// Starts measuring, if statistics are recorded.
    pub fn start() -> Self {
        Self {
            begun: Moment::now().0,
            read: Cell::new(None),
            bytes: Cell::new(0),
        }
    }

    /// Notes that stored bytes were read, which unfilter to `bytes` bytes.
    pub fn note_read(&self, bytes: usize) {
        if self.begun.is_some() {
            self.read.set(Some(Instant::now()));
            self.note_bytes(bytes);
        }
    }

    /// Notes `bytes` bytes that need no unfiltering.
    pub fn note_bytes(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes as u64);
    }

    /// Adds the part to a meter, unless nothing of it was read.
    pub fn finish(&self, meter: &TileMeter, is_tile: bool) {
        let (Some(begun), 1..) = (self.begun, self.bytes.get()) else {
            return;
        };
        let ended = Instant::now();
        let read = self.read.get().unwrap_or(ended);
        meter.add(TileCost {
            is_tile,
            bytes: self.bytes.get(),
            storage: read.duration_since(begun),
            filters: ended.duration_since(read),
        });
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_several_threads_are_taken_once() {
        let meter = TileMeter::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| {
                    meter.add(TileCost {
                        is_tile: true,
                        bytes: 10,
                        storage: Duration::from_nanos(2),
                        filters: Duration::from_nanos(3),
                    });
                    meter.add(TileCost::default());
                    meter.add_cells(5);
                });
            }
        });
        let number = 2 * SHARDS as u64;
        let expected = Sums {
            tiles: number,
            parts: 2 * number,
            bytes: 10 * number,
            cells: 5 * number,
            storage: Duration::from_nanos(2 * number),
            filters: Duration::from_nanos(3 * number),
        };
        assert_eq!(meter.take(), expected);
        assert_eq!(meter.take(), Sums::default());
    }

    #[test]
    fn a_watch_adds_nothing_unless_bytes_were_read() {
        let meter = TileMeter::default();
        let watch = ReadWatch::start();
        watch.finish(&meter, true);
        assert_eq!(meter.take(), Sums::default());
        watch.note_read(7);
        watch.note_bytes(1);
        watch.finish(&meter, true);
        let sums = meter.take();
        assert_eq!((sums.tiles, sums.parts, sums.bytes), (1, 1, 8));
    }
}
