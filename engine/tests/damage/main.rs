//! Every file of small arrays and groups with every byte changed, in several ways, and cut at every length: an error, or data
//! that its checksums vouch for; never a panic, never memory out of proportion.
//!
//! `TILEDB_RS_EVERY_BYTE` changes each byte in more ways, and sets numbers to extremes wherever one may stand.
#![expect(unsafe_code, reason = "counts what the allocator hands out")]

mod cells;
mod counts;
mod metadata;
mod plain;
#[path = "../setup/mod.rs"]
mod setup;

use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::cell::Cell;
use std::fs;
use std::path::Path;

use tiledb_engine::Result;
use tiledb_engine::vfs::{EntryKind, Uri, Vfs};

use setup::Place;

/// Keeps the largest piece of memory that each thread asked for.
struct Largest;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    LARGEST.set(LARGEST.get().max(size));
}

// SAFETY: the system's allocator, with a look at the sizes.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        note(size.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, size: Size) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(pointer, size) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, size: Size, to: usize) -> *mut u8 {
        note(to);
        // SAFETY: the caller's.
        unsafe { System.realloc(pointer, size, to) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

/// The most that a damaged array of some kilobytes may ask for at once.
const MOST: usize = 64 << 20;

/// A damage at a place of a file.
#[derive(Clone, Copy, Debug)]
enum Harm {
    /// These bits of a byte turned round.
    Flip(u8),
    /// A byte that is zero.
    Zero,
    /// The bytes of a number there, or as many of them as the file has.
    Number(&'static [u8]),
    /// Nothing from there on.
    Cut,
}

/// What every byte suffers.
const USUAL: &[Harm] = &[
    Harm::Flip(0x01),
    Harm::Flip(0x80),
    Harm::Flip(0xff),
    Harm::Cut,
];
/// What every byte suffers where that is asked for.
const ALL: &[Harm] = &[
    Harm::Flip(0x01),
    Harm::Flip(0x40),
    Harm::Flip(0x80),
    Harm::Flip(0x81),
    Harm::Flip(0xff),
    Harm::Zero,
    Harm::Number(&[0; 8]),
    Harm::Number(&u64::MAX.to_le_bytes()),
    Harm::Number(&i64::MAX.to_le_bytes()),
    Harm::Number(&u32::MAX.to_le_bytes()),
    Harm::Number(&i32::MAX.to_le_bytes()),
    Harm::Cut,
];

fn harms() -> &'static [Harm] {
    match std::env::var_os("TILEDB_RS_EVERY_BYTE") {
        Some(_) => ALL,
        None => USUAL,
    }
}

impl Harm {
    /// Makes `damaged` of a file; false where that changes nothing.
    fn apply(self, bytes: &[u8], at: usize, damaged: &mut Vec<u8>) -> bool {
        damaged.clear();
        damaged.extend_from_slice(bytes);
        match self {
            Self::Flip(mask) => damaged[at] ^= mask,
            Self::Zero => damaged[at] = 0,
            Self::Number(number) => {
                let room = number.len().min(bytes.len() - at);
                damaged[at..at + room].copy_from_slice(&number[..room]);
            }
            Self::Cut => damaged.truncate(at),
        }
        damaged != bytes
    }
}

/// Files in memory, used by one thread: what that asks for is counted.
struct Files {
    place: Place,
}

impl Files {
    fn new() -> Self {
        let vfs = setup::vfs(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
        ]);
        let place = Place::new(&vfs, "mem://damaged");
        Self { place }
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
        copy(&files.place.vfs, folder, &files.place.uri);
        files
    }

    /// All files: path and place.
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
        walk(&self.place.vfs, &self.place.uri, "", &mut found);
        found
    }

    /// Damages each of the files whose path `picks` picks, and reads: never a panic, never memory out of proportion. What a
    /// read answers nevertheless is judged, by the path of the file. Answers how many files there were.
    #[expect(clippy::print_stdout, reason = "what was tried")]
    fn damage<T>(
        &self,
        what: &str,
        picks: impl Fn(&str) -> bool,
        read: impl Fn() -> Result<T>,
        judge: impl Fn(&str, T),
    ) -> usize {
        let vfs = &self.place.vfs;
        read().expect("as it was written");
        let (mut found, mut tried, mut refused) = (0, 0, 0);
        let mut damaged = Vec::new();
        for (path, uri) in self.list().iter().filter(|(path, _)| picks(path)) {
            let bytes = vfs.read_all(uri).expect("file");
            for at in 0..bytes.len() {
                for harm in harms() {
                    if !harm.apply(&bytes, at, &mut damaged) {
                        continue;
                    }
                    vfs.write_all(uri, &damaged).expect("damage");
                    tried += 1;
                    let told = || format!("{path}, {harm:?} at {at}");
                    match survive(told, &read) {
                        Ok(answer) => judge(&told(), answer),
                        Err(_) => refused += 1,
                    }
                }
            }
            vfs.write_all(uri, &bytes).expect("repair");
            found += usize::from(!bytes.is_empty());
        }
        read().expect("as it was repaired");
        println!("{what}: {tried} damages of {found} files, {refused} refused");
        assert!(found == 0 || refused > 0, "{what}: nothing was refused");
        found
    }
}

/// Reads what has a damaged file.
fn survive<T>(told: impl Fn() -> String, read: impl Fn() -> Result<T>) -> Result<T> {
    LARGEST.set(0);
    let Ok(outcome) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)) else {
        panic!("{}: a panic", told())
    };
    let largest = LARGEST.get();
    assert!(
        largest <= MOST,
        "{}: {largest} bytes asked for at once",
        told()
    );
    outcome
}
