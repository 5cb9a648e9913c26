//! Filters reuse their workspaces: after the first chunks, encoding and decoding allocate nothing.
//! This program defines `malloc` and related functions to count all allocations, including those of
//! codecs in C, and forwards them to the C library.
//!
//! WebP is excluded: its library allocates for each picture and accepts no workspace.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tiledb_engine::internal::bytes::ReusableBuffer;
use tiledb_engine::internal::filter::{
    CHUNK_HEADER_LEN, Chunk, Filter, FilterList, FilterType, Pipeline, Texts,
};
use tiledb_engine::internal::types::{Datatype, EncryptionKey};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    COUNT.set(COUNT.get() + 1);
}

unsafe extern "C" {
    fn __libc_malloc(len: usize) -> *mut c_void;
    fn __libc_calloc(number: usize, len: usize) -> *mut c_void;
    fn __libc_realloc(address: *mut c_void, len: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, len: usize) -> *mut c_void;
}

/// Counts the call and forwards it to the C library.
#[unsafe(no_mangle)]
extern "C" fn malloc(len: usize) -> *mut c_void {
    count();
    // SAFETY: `malloc` accepts any length.
    unsafe { __libc_malloc(len) }
}

/// Counts the call and forwards it to the C library.
#[unsafe(no_mangle)]
extern "C" fn calloc(number: usize, len: usize) -> *mut c_void {
    count();
    // SAFETY: `calloc` accepts any lengths.
    unsafe { __libc_calloc(number, len) }
}

/// Counts the call and forwards it to the C library.
///
/// # Safety
/// As for `realloc` of the C library.
#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(address: *mut c_void, len: usize) -> *mut c_void {
    count();
    // SAFETY: the caller passes an address of this allocator, as the contract demands.
    unsafe { __libc_realloc(address, len) }
}

/// Counts the call and forwards it to the C library.
#[unsafe(no_mangle)]
extern "C" fn memalign(alignment: usize, len: usize) -> *mut c_void {
    count();
    // SAFETY: `memalign` accepts any length.
    unsafe { __libc_memalign(alignment, len) }
}

/// Serializes the tests: workspaces belong to the process, and a test must not get a smaller one
/// that another test has used.
static SERIAL: Mutex<()> = Mutex::new(());

fn serial() -> MutexGuard<'static, ()> {
    SERIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of allocations that this thread makes in `body`.
fn allocations(body: impl FnOnce()) -> usize {
    let before = COUNT.get();
    body();
    COUNT.get() - before
}

const CHUNKS: usize = 2000;
/// The number of values of the first chunk; later chunks have fewer.
const VALUES: usize = 4096;

fn length_of(round: usize) -> usize {
    8 * (VALUES - round * 37 % (VALUES / 2))
}

fn round_trip(pipeline: &Pipeline, data: &[u8], stored: &mut ReusableBuffer, back: &mut [u8]) {
    stored.clear();
    pipeline
        .encode_chunk(data, stored)
        .expect("ascending values");
    let len = |index: usize| {
        let bytes = stored[index..index + 4]
            .first_chunk()
            .copied()
            .unwrap_or_default();
        u32::from_le_bytes(bytes)
    };
    let (metadata, filtered) = stored[CHUNK_HEADER_LEN..].split_at(len(8) as usize);
    let chunk = Chunk {
        original_len: len(0),
        metadata,
        filtered,
    };
    let back = &mut back[..data.len()];
    pipeline
        .decode_chunk(chunk, back)
        .expect("what was written");
}

#[test]
fn allocations_are_counted() {
    assert_eq!(
        allocations(|| drop(std::hint::black_box(Box::new(7u64)))),
        1
    );
    // SAFETY: the allocation is freed exactly once.
    let from_c = || unsafe { libc::free(std::hint::black_box(libc::malloc(100))) };
    assert_eq!(allocations(from_c), 1);
}

#[test]
fn chunks_after_the_first_allocate_nothing() {
    let _serial = serial();
    use FilterType as F;
    let lists: [&[FilterType]; 20] = [
        &[],
        &[F::Gzip],
        &[F::Zstd],
        &[F::Lz4],
        &[F::Bzip2],
        &[F::Rle],
        &[F::DoubleDelta],
        &[F::Delta],
        &[F::BitWidthReduction],
        &[F::PositiveDelta],
        &[F::Xor],
        &[F::Bitshuffle],
        &[F::Byteshuffle],
        &[F::ScaleFloat],
        &[F::ChecksumMd5],
        &[F::ChecksumSha256],
        &[F::DoubleDelta, F::BitWidthReduction, F::Zstd],
        &[F::Delta, F::Byteshuffle, F::Lz4, F::ChecksumMd5],
        &[F::Bitshuffle, F::Bzip2, F::ChecksumSha256],
        &[F::Byteshuffle, F::Gzip, F::Zstd, F::Bzip2],
    ];
    let data: Vec<u8> = (0..VALUES as u64)
        .flat_map(|i| (i * i / 7).to_le_bytes())
        .collect();
    let mut back = vec![0; data.len()];
    let key = EncryptionKey::new(&[3; 32]);
    for kinds in lists {
        for key in [None, key.as_ref()] {
            let filters = kinds.iter().filter_map(|kind| Filter::new(*kind)).collect();
            let list = Arc::new(FilterList {
                filters,
                ..FilterList::default()
            });
            let pipeline = Pipeline::new(list, Datatype::Int64, key).expect("filters that run");
            let mut stored = ReusableBuffer::new();
            let mut rounds = |rounds: std::ops::Range<usize>| {
                for round in rounds {
                    let data = &data[..length_of(round)];
                    round_trip(&pipeline, data, &mut stored, &mut back);
                }
            };
            // Compressed lengths do not grow with those of the data: chunks are repeated to see the
            // longest once.
            rounds(0..CHUNKS / 10);
            let taken = allocations(|| rounds(0..CHUNKS / 10));
            assert_eq!(taken, 0, "{kinds:?}, key {}", key.is_some());
        }
    }
}

#[test]
fn decoding_thousands_of_chunks_of_a_tile_allocates_nothing() {
    let _serial = serial();
    let list = FilterList {
        filters: [
            FilterType::DoubleDelta,
            FilterType::BitWidthReduction,
            FilterType::Zstd,
        ]
        .into_iter()
        .filter_map(Filter::new)
        .collect(),
        ..FilterList::default()
    };
    let pipeline = Pipeline::new(Arc::new(list), Datatype::Int64, None).expect("filters that run");
    let data: Vec<u8> = (0..8 * CHUNKS as u64)
        .flat_map(|i| (i * 3).to_le_bytes())
        .collect();
    let starts: Vec<u64> = (0..CHUNKS as u64).map(|chunk| chunk * 64).collect();
    let (mut stored, mut back) = (ReusableBuffer::new(), vec![0; data.len()]);
    let mut both = || {
        stored.clear();
        pipeline
            .append_tile(&data, &starts, &mut stored)
            .expect("whole values");
        pipeline
            .decode_tile(&stored, &mut back)
            .expect("what was written");
    };
    both();
    assert_eq!(allocations(both), 0);
    assert_eq!(back, data);
}

#[test]
fn tiles_of_strings_allocate_nothing() {
    let _serial = serial();
    for kind in [FilterType::Rle, FilterType::Dictionary] {
        let list = FilterList {
            filters: Filter::new(kind).into_iter().collect(),
            ..FilterList::default()
        };
        let pipeline =
            Pipeline::for_texts(Arc::new(list), Datatype::StringAscii, None).expect("texts");
        let (mut values, mut starts) = (Vec::new(), vec![0]);
        for cell in 0..5000 {
            values.extend(format!("{}{}", "text ".repeat(cell % 9), cell / 3 % 40).bytes());
            starts.push(values.len() as u64);
        }
        let (mut stored, mut words) = (ReusableBuffer::new(), Vec::new());
        let (mut back, mut back_starts) = (vec![0; values.len()], Vec::new());
        let mut both = || {
            stored.clear();
            let texts = Texts {
                values: &values,
                starts: &starts,
            };
            pipeline
                .append_texts(texts, &mut stored, &mut words)
                .expect("texts");
            pipeline
                .decode_texts(&stored, &mut back, starts.len() - 1, &mut back_starts)
                .expect("what was written");
        };
        (0..3).for_each(|_| both());
        let taken = allocations(|| (0..50).for_each(|_| both()));
        assert_eq!(taken, 0, "{kind:?}");
        assert!(back == values && back_starts == starts, "{kind:?}");
    }
}
