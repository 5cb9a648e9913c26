//! The constants of reads. Their comments have the form that `tuning.rs` describes.

// Conditions and aggregates.

/// The maximum number of members of a set that are compared one by one in SIMD lanes; more are
/// looked up in a table.
///
/// Benchmark: `conditions::number_in_set`.
pub(crate) const MAX_COMPARED_MEMBERS: usize = 8;

/// The number of cells for which all parts of a condition are evaluated at a time: the block stays
/// in the L1 cache.
///
/// Benchmark: `conditions::combine_comparisons`.
pub(crate) const CONDITION_BLOCK_CELLS: usize = 2048;

/// The maximum number of slots of a table of members without buckets: it stays in the L2 cache.
///
/// Benchmark: `conditions::number_in_set`.
pub(crate) const MAX_FLAT_TABLE_SLOTS: usize = 1 << 14;

/// The number of multipliers that are tried for a table of members without collisions.
///
/// Benchmark: `conditions::number_in_set`.
pub(crate) const MULTIPLIER_TRIES: u64 = 1000;

/// The number of cells that are looked up before the candidates are compared.
///
/// Benchmark: `conditions::text_in_set`.
pub(crate) const STRING_MEMBER_BLOCK_CELLS: usize = 512;

/// The number of positions that are tried for the window of a string that is looked up.
///
/// Benchmark: `conditions::text_in_set`.
pub(crate) const WINDOW_TRIES: usize = 16;

/// The number of strings by which the position of the window is chosen.
///
/// Benchmark: `conditions::text_in_set`.
pub(crate) const WINDOW_SAMPLE_STRINGS: usize = 1024;

/// The number of values that are added before a partial sum is added to the wider sum. More could
/// overflow it.
///
/// Benchmark: `aggregates::sum`.
pub(crate) const SUM_BLOCK_VALUES: usize = 4096;

// Dense reads.

/// The minimum number of tasks that are planned together if tiles are on an object store.
///
/// Network: the latency of a request decides, which no benchmark here measures.
pub(crate) const REMOTE_TASKS: usize = 1 << 14;

/// The number of copies of tiles that are planned before they run.
///
/// Benchmark: `dense::copy_small_tiles`.
pub(crate) const COPY_TASKS: usize = 512;

/// The number of selections of cells that are planned before they run.
///
/// Benchmark: `dense::select_by_condition`.
pub(crate) const SELECT_TASKS: usize = 512;

/// The number of tiles to aggregate that are planned before they run.
///
/// Benchmark: `dense::aggregate`.
pub(crate) const AGGREGATE_TASKS: usize = 1024;

/// The number of tiles that a thread aggregates at a time; most only need their statistics.
///
/// Benchmark: `dense::aggregate`.
pub(crate) const TILES_PER_AGGREGATE_TASK: usize = 16;

/// The number of variable-length cells of a dense read whose offsets are in memory at once: they
/// stay in the L2 cache.
///
/// Benchmark: `dense::copy_texts`.
pub(crate) const VAR_CELLS: u64 = 1 << 18;

/// The maximum number of these cells, for large tiles.
///
/// Limit of memory.
pub(crate) const MAX_VAR_CELLS: u64 = 1 << 21;

/// The fraction of the memory budget for decoded chunks that are cached while an array is open:
/// what reads of variable-length cells leave of it.
///
/// Limit of memory.
pub(crate) const CHUNK_CACHE_SHARE: u64 = 4;

/// The size in bytes of an entry of the cache of chunks without its value: its key, its slot in the
/// list, the reference-counted allocation, and the removed entries that are remembered for it.
///
/// Limit of memory.
pub(crate) const CHUNK_ENTRY_BYTES: usize = 704;

/// The length in bytes of a run of cells from which on runs are copied one by one. For shorter
/// ones, a copy of what is between them costs less than many calls of `memcpy`.
///
/// Benchmark: `dense::copy_cached_columns`.
pub(crate) const MIN_SEPARATE_RUN_BYTES: usize = 32;

/// The distance in bytes from run to run from which on runs of any length are copied one by one.
///
/// Benchmark: `dense::copy_cached_columns`.
pub(crate) const MIN_RUN_DISTANCE: usize = 256;

/// The number of runs of cells after the copied one whose bytes in cached chunks are prefetched.
/// The processor itself recognizes only distances within a page.
///
/// Benchmark: `dense::copy_plain_columns`.
pub(crate) const RUNS_AHEAD: usize = 4;

/// The number of bytes of a run that are prefetched; the processor fetches what follows.
///
/// Benchmark: `dense::copy_plain_columns`.
pub(crate) const MAX_PREFETCHED_BYTES: usize = 512;

/// The maximum number of boxes whose results are estimated separately; for more, their bounding box
/// is used.
///
/// Limit of time.
pub(crate) const MAX_ESTIMATED_BOXES: u64 = 1024;

/// The maximum number of combinations of ranges, one per dimension, whose results in a sparse array
/// are estimated separately; more are estimated together.
///
/// Limit of memory.
pub(crate) const MAX_RANGE_COMBINATIONS: usize = 1 << 16;

/// The maximum size in bytes of the decoded tiles of labels that one search keeps, if the memory
/// budget allows it.
///
/// Limit of memory.
pub(crate) const MAX_LABEL_BYTES: u64 = 64 << 20;

/// The maximum number of cells whose offsets are read to compute their size before a read; the
/// offsets are in memory meanwhile.
///
/// Limit of memory.
pub(crate) const MEASURED_CELLS: u64 = 1 << 16;

/// The maximum number of fragments that are compared in pairs to find those that hide cells of
/// others.
///
/// Limit of time.
pub(crate) const MAX_DISJOINT_FRAGMENTS: usize = 512;

// Sparse reads.

/// The size in bytes that is assumed for the search of the R-tree of one fragment when the number
/// of threads is chosen: reading it takes as long as decoding this much.
///
/// Limit of time.
pub(crate) const FRAGMENT_SEARCH_BYTES: u64 = 16 << 10;

/// The maximum number of tiles that are processed together.
///
/// Limit of memory.
pub(crate) const MAX_BATCH_TILES: usize = 4096;

/// The maximum size in bytes, per thread, of the coordinates of the tiles that are processed
/// together: enough work for the thread, and small enough for the caches.
///
/// Benchmark: `sparse::merge_in_global_order`.
pub(crate) const THREAD_COORDINATE_BYTES: u64 = 1 << 20;

/// The fraction of the memory budget for these coordinates. Sorting cells takes several times the
/// memory of their coordinates.
///
/// Limit of memory.
pub(crate) const COORDINATE_SHARE: u64 = 24;

/// The fraction of the memory budget for variable-length values that are not delivered yet.
///
/// Limit of memory.
pub(crate) const VALUE_SHARE: u64 = 8;

/// The number of cells of the tiles that are aggregated together.
///
/// Benchmark: `sparse::aggregate`.
pub(crate) const AGGREGATE_BATCH_CELLS: usize = 1 << 22;

/// The fraction of the memory budget for unused buffers of cells.
///
/// Limit of memory.
pub(crate) const CELL_POOL_SHARE: u64 = 32;

/// The maximum size in bytes of packed coordinates that are cached while the array is open.
///
/// Limit of memory.
pub(crate) const MAX_COORDINATE_CACHE_BYTES: usize = 8 << 20;

/// The fraction of the memory budget for these coordinates.
///
/// Limit of memory.
pub(crate) const COORDINATE_CACHE_SHARE: u64 = 32;

/// The maximum number of runs that are merged by comparing; more are sorted by radix sort.
///
/// Benchmark: `sparse::merge_in_global_order`.
pub(crate) const MAX_COMPARED_RUNS: usize = 4;

/// The maximum number of runs of cells that are delivered together: enough for all threads, and
/// small enough for the caches.
///
/// Benchmark: `sparse::gather_scattered`.
pub(crate) const MAX_BATCH_RUNS: usize = 1 << 15;

/// The number of these runs after which a batch may end because the values of its tiles do not fit
/// into memory together. Each batch decodes its tiles, so that short ones cost more per cell.
///
/// Limit of time with a small budget.
pub(crate) const MIN_BATCH_RUNS: usize = MAX_BATCH_RUNS / 8;

/// The maximum number of these runs if the last ones are of one tile, which is decoded once.
///
/// Benchmark: `sparse::gather_scattered`.
pub(crate) const MAX_BATCH_RUNS_OF_TILE: usize = 1 << 17;

/// The bytes that a run takes while a batch is gathered, with the sizes of its values. A batch
/// whose values do not fit into memory has as many runs as fit, because it decodes all tiles, but
/// at most [`MAX_BATCH_RUNS_OF_TILE`].
///
/// Limit of memory.
pub(crate) const BATCH_RUN_BYTES: u64 = 128;

/// The number of runs that a thread gathers at a time.
///
/// Benchmark: `sparse::gather_scattered`.
pub(crate) const GATHER_BLOCK_RUNS: usize = 4096;
