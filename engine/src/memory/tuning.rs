//! The constants that trade time for memory or other time, with their units and the reason for
//! each value.
//!
//! Each names the benchmark in `benches/stages` that measures it, or is a limit: of memory, of
//! files, of time. `docs/benchmarks.md` has the times with other values. Limits of file formats and
//! of services, and widths of vector loops, are not tuning: they stay with the code that they
//! belong to.

mod reads;

pub(crate) use self::reads::*;

use crate::platform::{hardware_threads, max_descriptors};

/// The number of freed buffers of each size class and element type.
///
/// Enough for the buffers of one wave of tiles of a sparse read; the bound on the total size takes
/// effect first for all but the smallest classes.
///
/// Benchmark: `sparse::read_small_boxes`.
pub(super) const BUFFERS_PER_CLASS: usize = 64;

/// The size in bytes below which freed buffers are left to the allocator, which reuses them as fast
/// without page faults.
///
/// Benchmark: `sparse::gather_numbers`.
pub(super) const MIN_POOLED_BUFFER: usize = 4096;

/// The size in bytes above which freed buffers are returned to the system, so that a few of them
/// cannot fill the pool: the lengths of the cells of a dense read, and the keys of 300,000 cells
/// that are merged.
///
/// Limit of idle memory.
pub(super) const MAX_POOLED_BUFFER: usize = 5 << 19;

/// The number of idle workspaces of each kind: one for each thread of all but the largest machines.
///
/// Limit of idle memory.
pub(super) const WORKSPACES_PER_KIND: usize = 256;

/// The maximum size in bytes of the idle buffers of the process. With the idle workspaces it is
/// part of the 32 MiB that an operation may use beyond its memory budget.
///
/// Limit of idle memory.
pub(super) const MAX_IDLE_BUFFER_BYTES: usize = 8 << 20;

/// Returns the maximum size in bytes of the idle workspaces of the process: the columns and stored
/// bytes of a dense tile of a few megabytes for each of two threads. On machines with many threads,
/// each adds the size of its codec contexts.
pub(super) fn max_idle_workspace_bytes() -> usize {
    (hardware_threads() << 21).clamp(16 << 20, 512 << 20)
}

/// Returns the maximum number of files that the process keeps open for reading: a quarter of those
/// that it may have open, at most 256. Most systems allow 1,024.
///
/// Limit of open files.
pub(super) fn max_open_files() -> usize {
    (max_descriptors() / 4).min(256)
}

/// Returns the maximum number of files that stay open between two writes: a quarter of those that
/// the process may have open, at most 4,096. A file beyond this limit is synced and closed after
/// each tile, so a dense write of 10 tiles to 2,000 files takes ten times as many syncs with 256.
///
/// Limit of open files.
pub(super) fn max_open_written_files() -> usize {
    (max_descriptors() / 4).min(4_096)
}

/// The maximum size in bytes of the end of a remote file that is cached: more than the metadata of
/// most fragments, so that a second open of an array requests none of them.
///
/// Limit of memory.
#[cfg(feature = "remote")]
pub(crate) const MAX_TAIL_BYTES: usize = 64 << 10;

/// The maximum size in bytes of the cached ends of the files of one object store.
///
/// Limit of memory.
#[cfg(feature = "remote")]
pub(crate) const MAX_TAIL_CACHE_BYTES: usize = 16 << 20;

/// The size in bytes of what a loop decodes, encodes or copies below which it runs on the calling
/// thread. Decoding this much takes about 100 microseconds, and waking a thread and waiting for it
/// about 20.
///
/// Limit of time.
pub(crate) const MIN_PARALLEL_BYTES: u64 = 128 << 10;

/// The size in bytes that is assumed for the cells of one tile that a dense read needs, at least:
/// locating and reading them takes as long as decoding this much.
///
/// Limit of time.
pub(crate) const MIN_SLICE_BYTES: u64 = 16 << 10;

// Storage.

/// The maximum number of bytes of tiles that one read announces to an object store at a time.
/// Further tiles are read when they are needed. It bounds memory.
///
/// Limit of memory.
pub(crate) const MAX_ANNOUNCED_BYTES: u64 = 192 << 20;

/// The number of tiles of a batch from which on the fields that select cells are requested from an
/// object store before the others, which are then requested for tiles with results only. For fewer
/// tiles all fields are requested at once, because that takes one latency less.
///
/// Network: the latency of a request decides, which no benchmark here measures.
pub(crate) const MIN_TILES_SELECTED_FIRST: usize = 64;

/// The number of bytes of tiles that are announced to an object store as a group. The next group is
/// announced before the tiles of one are decoded.
///
/// Limit of memory.
pub(crate) const ANNOUNCED_GROUP_BYTES: u64 = 64 << 20;

/// The number of bytes read from the end of a local metadata file. For a fragment with few fields
/// and tiles this is the whole file, and its sections need no further read. One page: a second
/// read costs more than the rest of the page.
///
/// Benchmark: `arrays::open`.
pub(crate) const METADATA_TAIL_BYTES: u64 = 4096;

/// The minimum number of fragments for which their folder is opened, so that their files are found
/// without resolving its path. Below it, opening the folder takes longer than that.
///
/// Benchmark: `arrays::open`.
pub(crate) const MIN_FRAGMENTS_OF_FOLDER: usize = 8;

/// The size in bytes of the buffer for the entries of a large folder. Larger ones take fewer calls,
/// but the kernel copies those of 1,000 fragments with one call into this one.
///
/// Benchmark: `arrays::open`.
pub(crate) const FOLDER_BUFFER_BYTES: usize = 96 << 10;

/// The number of removed entries that a cache that resists scans remembers, per entry that it has.
/// In a loop over up to this many times the size of the cache entries are kept.
///
/// Benchmark: `dense::copy_looped_rows`.
pub(super) const REMEMBERED_PER_ENTRY: usize = 4;

/// The minimum number of uses between two decisions of such a cache, for those of few entries.
///
/// Benchmark: `dense::copy_looped_rows`.
pub(super) const MIN_SCAN_WINDOW: usize = 64;

/// While entries are kept, one of this number of new ones is, so that entries that are not used any
/// more are replaced.
///
/// Benchmark: `dense::copy_looped_rows`.
pub(super) const SCAN_INSERTIONS: usize = 32;

/// The share of uses that must be found for entries to be kept: 1 of this number. In a loop that is
/// remembered completely, it is at least 1 of [`REMEMBERED_PER_ENTRY`].
///
/// Benchmark: `dense::copy_looped_rows`.
pub(super) const USELESS_SHARE: usize = 2 * REMEMBERED_PER_ENTRY;

/// The maximum number of files and folders that are synced at once. A disk merges the syncs that
/// wait for it, so the number of CPUs does not matter.
///
/// Limit of idle threads.
pub(crate) const SYNCS_AT_ONCE: usize = 64;

/// The duration of a sync in microseconds from which others are done at the same time. Starting the
/// threads of a first round costs 1,000 to 2,000 of CPU time; syncs take 1 on file systems in
/// memory, 100 to 500 on fast disks and up to 10,000 on others.
///
/// Limit of time.
pub(crate) const SLOW_SYNC_MICROSECONDS: u64 = 1000;

/// The number of bytes read from the end of a metadata file on an object store, where a request
/// costs as much as the transfer of about 100 KB.
///
/// Network: the latency of a request decides, which no benchmark here measures.
pub(crate) const REMOTE_METADATA_TAIL_BYTES: u64 = 64 << 10;

/// The maximum number of footers that are read from an object store at the same time as the schema.
/// They stay in the cache of ends of files until the fragments are opened.
///
/// Limit of memory.
pub(crate) const MAX_EARLY_FOOTERS: usize = 64;

/// The maximum number of fragments of an object store whose metadata a dense read loads at the same
/// time.
///
/// Limit of memory.
pub(crate) const REMOTE_FRAGMENTS: usize = 64;

/// The number of fragments opened per task. Smaller tasks cost more for coordination than they
/// save.
///
/// Benchmark: `arrays::open`.
pub(crate) const FRAGMENTS_PER_TASK: usize = 32;

/// The maximum gap between chunks in bytes that is read along, since another system call costs as
/// much as copying some kilobytes.
///
/// Benchmark: `dense::copy_small_boxes`.
pub(crate) const MAX_CHUNK_GAP: u64 = 2048;

/// The maximum size in bytes of a stored tile that is always read as a whole: a call costs more
/// than the bytes that it saves.
///
/// Benchmark: `dense::copy_small_boxes`.
pub(crate) const SMALL_TILE_BYTES: u64 = 131_072;

/// The size in bytes of the first read of a record of unknown length: one page.
///
/// Benchmark: `arrays::open`.
pub(crate) const FIRST_RECORD_READ: u64 = 4096;

/// The maximum number of bytes that one vectored read discards. Copying them takes about as long
/// as the system call that they save.
///
/// Benchmark: `storage::read_parts`.
pub(crate) const MAX_DISCARDED_BYTES: usize = 65536;

/// The gap in bytes between parts of an unfiltered tile up to which they are read together, and, as
/// the mean of a read, up to which its chunks are cached when such parts are read again. With
/// larger gaps, system calls for the parts alone cost less.
///
/// Benchmark: `dense::copy_plain_columns`.
pub(crate) const MAX_NARROW_GAP: usize = 4096;

/// The mean size in bytes of the parts of a file above which a vectored read copies them to their
/// destinations. Smaller parts are read together with the bytes between them and copied, because
/// the kernel takes longer for each part than for the bytes between.
///
/// Benchmark: `dense::copy_plain_columns`.
pub(crate) const MIN_SCATTERED_BYTES: usize = 1536;

/// The maximum number of bytes of a file that are read at once to copy short parts of them. A
/// system call costs as much as many of these bytes, and the memory belongs to the thread.
///
/// Benchmark: `dense::copy_plain_columns`.
pub(crate) const MAX_GATHERED_BYTES: usize = 1 << 20;

/// The size of the buffer for copying files in bytes.
///
/// Benchmark: `storage::read_parts`.
pub(crate) const COPY_BUFFER_BYTES: usize = 4 << 20;

// Object stores.

/// The number of bytes by which the buffer of a response of unknown length grows.
///
/// Network: the latency of a request decides, which no benchmark here measures.
#[cfg(feature = "http")]
pub(crate) const COLLECT_STEP_BYTES: usize = 256 << 10;

/// The maximum number of buffered bytes of one upload, unless two parts are larger.
///
/// Limit of memory.
#[cfg(feature = "remote")]
pub(crate) const MAX_UPLOAD_BYTES: u64 = 64 << 20;

/// The maximum number of parts of one upload that are sent at a time.
///
/// Limit of connections.
#[cfg(feature = "remote")]
pub(crate) const MAX_PARTS_AT_ONCE: usize = 8;

/// The maximum size of a read request in bytes. A failed request is repeated as a whole.
///
/// Limit of repeated transfers.
#[cfg(feature = "remote")]
pub(crate) const MAX_REQUEST_BYTES: u64 = 40 << 20;

/// The minimum size in bytes of a read request that is one of several for a range: about as much
/// as a connection transfers in the latency of a request.
///
/// Network: the latency of a request decides, which no benchmark here measures.
#[cfg(feature = "remote")]
pub(crate) const MIN_REQUEST_BYTES: u64 = 4 << 20;

/// The number of bytes after which the rate of a response is known.
///
/// Limit of the effect of bytes that the network had buffered.
#[cfg(feature = "remote")]
pub(crate) const RATE_SAMPLE_BYTES: usize = 1 << 20;

/// A response whose rest takes longer, in latencies of requests, is divided among several requests:
/// with fewer, the second request would arrive when the first one ends.
///
/// Network: the latency of a request decides, which no benchmark here measures.
#[cfg(feature = "remote")]
pub(crate) const SLOW_REST_LATENCIES: u32 = 3;

/// A response whose rest takes less time is not divided: more requests cost more than the time that
/// they save.
///
/// Limit of the number of requests. 32 MiB arrive in this time at 220 MB/s.
#[cfg(feature = "remote")]
pub(crate) const MIN_SLOW_REST: std::time::Duration = std::time::Duration::from_millis(150);

/// The number of requests in flight if the parameter is not set. Its default in libtiledb, the
/// number of hardware threads, is unrelated to the number of responses a network can carry.
///
/// Network: the latency of a request decides, which no benchmark here measures.
#[cfg(feature = "remote")]
pub(crate) const DEFAULT_REQUESTS: usize = 32;

/// The maximum number of requests in flight. Each has a thread and a connection.
///
/// Limit of threads.
#[cfg(feature = "remote")]
pub(crate) const MAX_REQUESTS: u64 = 256;

/// The maximum number of cached blocks of an object. It bounds memory.
///
/// Limit of memory.
#[cfg(feature = "remote")]
pub(crate) const MAX_CACHED_BLOCKS: usize = 256;

/// The maximum number of pages of a recursive listing that are requested if listing single folders
/// is expected to take fewer requests.
///
/// Network: the latency of a request decides, which no benchmark here measures.
#[cfg(feature = "remote")]
pub(crate) const MAX_FLAT_PAGES: usize = 4;

/// The number of pages without entries, one after another, after which a listing counts as one that
/// has no end. Services return empty pages where objects were deleted or are filtered: thousands of
/// names each.
///
/// Limit of time.
#[cfg(feature = "remote")]
pub(crate) const MAX_EMPTY_PAGES: u64 = 10_000;

// Sorting and ordering.

/// The number of cells for which the key of one dimension is computed before it is written to the
/// keys: the block stays in the L1 cache.
///
/// Benchmark: `geometry::keys`.
pub(crate) const KEY_BLOCK_CELLS: usize = 256;

/// The number of buckets per range of a range filter. More buckets reduce the number of ranges to
/// search per coordinate.
///
/// Benchmark: `sparse::filter_by_ranges`.
pub(crate) const BUCKETS_PER_RANGE: usize = 4;

/// The maximum number of bits of bucket numbers: the table of buckets stays in the L2 cache.
///
/// Benchmark: `sparse::filter_by_points`.
pub(crate) const MAX_BUCKET_BITS: u32 = 16;

/// The number of cells up to which one thread sorts as fast as several, because of the cost of
/// coordination.
///
/// Benchmark: `geometry::sort_cells_with_two_threads`.
pub(crate) const MAX_SINGLE_THREADED_CELLS: usize = 1 << 18;

/// The number of cells with equal words above which they are sorted by their next word.
///
/// Benchmark: `geometry::sort_cells`.
pub(crate) const LONG_RUN_CELLS: usize = 32;

/// The number of numbers below which they are sorted by comparison: 256 counters have to be
/// cleared for each digit.
///
/// Benchmark: `geometry::sort_numbers`.
pub(crate) const MIN_RADIX_NUMBERS: usize = 256;

/// The number of numbers above which they are first partitioned by their highest digit, so that
/// each part (128 KiB) stays in the L2 cache.
///
/// Benchmark: `geometry::sort_numbers`.
pub(crate) const MAX_CACHED_NUMBERS: usize = 1 << 14;

/// The number of cells whose Hilbert values are computed at a time: a few vector registers.
///
/// Benchmark: `geometry::keys`.
pub(crate) const HILBERT_BLOCK_CELLS: usize = 32;

/// The side in cells of the square that is transposed at a time: 16 cells of up to 8 bytes touch 16
/// cache lines on both sides.
///
/// Benchmark: `dense::copy_large_tiles`.
pub(crate) const TRANSPOSE_CELLS: usize = 16;

// Writing.

/// The minimum length in bytes of a row of the caller's buffer that is written without being
/// gathered first: each row is a part of a vectored write.
///
/// Benchmark: `writes::dense_box_without_filters`.
pub(crate) const MIN_DIRECT_ROW_BYTES: usize = 512;

/// The number of cells whose keys one task computes.
///
/// Benchmark: `writes::unordered`.
pub(crate) const KEY_TASK_CELLS: usize = 1 << 16;

/// The memory in bytes beyond the budget for ordering the cells of an unordered write.
///
/// Limit of memory.
pub(crate) const EXTRA_ORDER_BYTES: u64 = 12 << 20;

/// The memory in bytes for the cells that are sorted together if the keys of all cells exceed the
/// budget. The allocator may keep this memory when the cells are written.
///
/// Limit of memory.
pub(crate) const ORDER_PART_BYTES: u64 = 16 << 20;

/// The number of cells whose order one task checks.
///
/// Benchmark: `writes::global_order`.
pub(crate) const ORDER_CHECK_TASK_CELLS: usize = 1 << 14;

/// The number of offsets that are checked at once: they stay in the L1 cache.
///
/// Benchmark: `writes::unordered`.
pub(crate) const OFFSET_BLOCK: usize = 1024;

/// The block size in bytes of the passes of statistics over cells: it stays in the L1 cache.
///
/// Benchmark: `writes::dense_box`.
pub(crate) const STATS_BLOCK_BYTES: usize = 1 << 14;

/// The number of fragments that are locked at the same time before removal: each lock is an open
/// file.
///
/// Limit of open files.
pub(crate) const REMOVAL_BATCH_FRAGMENTS: usize = 64;

/// The maximum number of bytes of a field that consolidation reads and writes at a time, unless a
/// tile is larger.
///
/// Benchmark: `maintenance::consolidate_dense`.
pub(crate) const CONSOLIDATION_PART_BYTES: u64 = 16 << 20;

/// The minimum of these bytes, for small memory budgets.
///
/// Limit of memory.
pub(crate) const MIN_CONSOLIDATION_PART_BYTES: u64 = 64 << 10;

/// The assumed size of a variable-length cell in bytes when buffers are allocated. They grow if it
/// is too small.
///
/// Benchmark: `maintenance::consolidate_sparse`.
pub(crate) const ASSUMED_VAR_BYTES: u64 = 16;

// Filters.

/// The number of bytes below which zlib compresses: creating tables for libdeflate costs more.
///
/// Benchmark: `filters::encode_small_gzip`.
pub(crate) const MIN_LIBDEFLATE_BYTES: usize = 64;
