//! Damages every file of small arrays and groups: every byte is changed in several ways and each
//! file is truncated at every length. A read returns an error, or data that its checksums confirm;
//! it never panics and never allocates out of proportion. Allocations that fail are errors as well.
//!
//! If `TILEDB_RS_EVERY_BYTE` is set, each byte is changed in more ways, and extreme numbers are
//! written at every position.
#![expect(unsafe_code, reason = "counts and refuses allocations")]

mod cells;
mod counts;
mod lists;
mod metadata;
mod plain;
#[path = "../setup/mod.rs"]
mod setup;

use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::cell::Cell;
use std::fs;
use std::path::Path;

use tiledb_engine::Result;
use tiledb_engine::internal::vfs::{EntryKind, Uri, Vfs};

use setup::TestArray;

/// An allocator that records the largest allocation of each thread, and refuses those of more bytes
/// than the thread allows, and the first that exceeds what it may allocate in all.
struct Largest;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The bytes that may be allocated; `usize::MAX` for any number.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Records an allocation. Returns whether it is refused.
fn note(size: usize) -> bool {
    LARGEST.set(LARGEST.get().max(size));
    let left = LEFT.get();
    let is_too_much = left < size;
    LEFT.set(match left {
        // The error needs memory, too.
        _ if is_too_much => usize::MAX,
        usize::MAX => left,
        left => left - size,
    });
    is_too_much || size > MOST.get()
}

// SAFETY: forwards to the system allocator, records sizes, and may return null.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        if note(size.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: forwards the caller's guarantees.
        unsafe { System.alloc(size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, size: Size) {
        LEFT.set(LEFT.get().saturating_add(size.size()));
        // SAFETY: forwards the caller's guarantees.
        unsafe { System.dealloc(pointer, size) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, size: Size, to: usize) -> *mut u8 {
        LEFT.set(LEFT.get().saturating_add(size.size()));
        if note(to) {
            return std::ptr::null_mut();
        }
        // SAFETY: forwards the caller's guarantees.
        unsafe { System.realloc(pointer, size, to) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

/// The largest allocation in bytes that a damaged array of a few kilobytes may cause.
const MAX_ALLOCATION: usize = 64 << 20;

/// A change of a file at a position.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// Flips these bits of a byte.
    Flip(u8),
    /// Sets a byte to zero.
    Zero,
    /// Writes the bytes of a number, as far as the file reaches.
    Number(&'static [u8]),
    /// Truncates the file.
    Cut,
}

/// The changes that are applied at every byte by default.
const DEFAULT_DAMAGES: &[Damage] = &[
    Damage::Flip(0x01),
    Damage::Flip(0x80),
    Damage::Flip(0xff),
    Damage::Cut,
];
/// The changes that are applied at every byte if `TILEDB_RS_EVERY_BYTE` is set.
const ALL_DAMAGES: &[Damage] = &[
    Damage::Flip(0x01),
    Damage::Flip(0x40),
    Damage::Flip(0x80),
    Damage::Flip(0x81),
    Damage::Flip(0xff),
    Damage::Zero,
    Damage::Number(&[0; 8]),
    Damage::Number(&u64::MAX.to_le_bytes()),
    Damage::Number(&i64::MAX.to_le_bytes()),
    Damage::Number(&u32::MAX.to_le_bytes()),
    Damage::Number(&i32::MAX.to_le_bytes()),
    Damage::Cut,
];

fn damages() -> &'static [Damage] {
    match std::env::var_os("TILEDB_RS_EVERY_BYTE") {
        Some(_) => ALL_DAMAGES,
        None => DEFAULT_DAMAGES,
    }
}

impl Damage {
    /// Stores the changed file in `damaged`. Returns `false` if nothing would change.
    fn apply(self, bytes: &[u8], index: usize, damaged: &mut Vec<u8>) -> bool {
        damaged.clear();
        damaged.extend_from_slice(bytes);
        match self {
            Self::Flip(mask) => damaged[index] ^= mask,
            Self::Zero => damaged[index] = 0,
            Self::Number(number) => {
                let len = number.len().min(bytes.len() - index);
                damaged[index..index + len].copy_from_slice(&number[..len]);
            }
            Self::Cut => damaged.truncate(index),
        }
        damaged != bytes
    }
}

/// Files in memory that are used by one thread, whose allocations are counted.
struct Files {
    test_array: TestArray,
}

impl Files {
    fn new() -> Self {
        let vfs = setup::vfs(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
        ]);
        let test_array = TestArray::new(&vfs, "mem://damaged");
        Self { test_array }
    }

    /// Copies a folder.
    fn copy(folder: &Path) -> Self {
        fn copy(vfs: &Vfs, from: &Path, to: &Uri) {
            vfs.create_dir(to).expect("folder");
            for entry in fs::read_dir(from).expect("folder").flatten() {
                let to = to.join(&entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    copy(vfs, &entry.path(), &to)
                } else {
                    let bytes = fs::read(entry.path()).expect("file");
                    vfs.write_all(&to, &bytes).expect("copy");
                }
            }
        }
        let files = Self::new();
        copy(&files.test_array.vfs, folder, &files.test_array.uri);
        files
    }

    /// Returns the path and URI of each file.
    fn list(&self) -> Vec<(String, Uri)> {
        fn walk(vfs: &Vfs, folder: &Uri, path: &str, found: &mut Vec<(String, Uri)>) {
            for entry in vfs.list(folder).expect("listing") {
                let (path, uri) = (format!("{path}{}", entry.name), folder.join(&entry.name));
                match entry.kind {
                    EntryKind::Directory => walk(vfs, &uri, &format!("{path}/"), found),
                    _ => found.push((path, uri)),
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.test_array.vfs, &self.test_array.uri, "", &mut found);
        found
    }

    /// Damages each file whose path `selects` selects, and reads: reads never panic and never
    /// allocate out of proportion. Results of successful reads are checked by the path of the file.
    /// Returns the number of files.
    #[expect(clippy::print_stdout, reason = "what was tried")]
    fn damage<T>(
        &self,
        case: &str,
        selects: impl Fn(&str) -> bool,
        read: impl Fn() -> Result<T>,
        judge: impl Fn(&str, T),
    ) -> usize {
        let vfs = &self.test_array.vfs;
        read().expect("as it was written");
        let (mut found, mut tried, mut rejected) = (0, 0, 0);
        let mut damaged = Vec::new();
        for (path, uri) in self.list().iter().filter(|(path, _)| selects(path)) {
            let bytes = vfs.read_all(uri).expect("file");
            for index in 0..bytes.len() {
                for damage in damages() {
                    if !damage.apply(&bytes, index, &mut damaged) {
                        continue;
                    }
                    vfs.write_all(uri, &damaged).expect("damage");
                    tried += 1;
                    let description = || format!("{path}, {damage:?} at {index}");
                    match survive(description, &read) {
                        Ok(answer) => judge(&description(), answer),
                        Err(_) => rejected += 1,
                    }
                }
            }
            vfs.write_all(uri, &bytes).expect("repair");
            found += usize::from(!bytes.is_empty());
        }
        read().expect("as it was repaired");
        println!("{case}: {tried} damages of {found} files, {rejected} rejected");
        assert!(found == 0 || rejected > 0, "{case}: nothing was rejected");
        found
    }
}

/// Reads an array with a damaged file.
fn survive<T>(description: impl Fn() -> String, read: impl Fn() -> Result<T>) -> Result<T> {
    LARGEST.set(0);
    let Ok(outcome) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)) else {
        panic!("{}: a panic", description())
    };
    let largest = LARGEST.get();
    assert!(
        largest <= MAX_ALLOCATION,
        "{}: {largest} bytes asked for at once",
        description()
    );
    outcome
}
