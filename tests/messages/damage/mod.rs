//! Damaged messages: reading one is an error or succeeds, in every function that reads messages,
//! and needs no more memory than the limit of messages.

mod queries;
mod readers;
mod samples;

use std::fs;
use std::path::Path;

use crate::library::Library;
use crate::message::JSON;
use crate::mutation::mutated;
use crate::random::{self, Random};

use readers::{Reader, Stored, Targets};
use samples::Samples;

/// The number of messages after which the objects are opened again and memory is measured again.
const ROUND: u64 = 500;
/// The limit of messages in bytes: the lowest one, which applies to all functions.
const LIMIT: &std::ffi::CStr = c"67108864";
/// The most memory that reading messages may need, in bytes: results of aggregates have 64 MiB.
const MEMORY: u64 = 80 << 20;

/// Resets the peak of the resident memory of this process to its present value, and returns it in
/// bytes.
fn reset_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").expect("a reset");
    peak()
}

/// Returns the peak of the resident memory since the last reset, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    1024 * number.expect("a number")
}

/// The results of reading damaged messages.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) read: u64,
    pub(crate) rejected: u64,
}

/// Reads damaged messages with each function. If `TILEDB_RS_READER` is set, only with those whose
/// names contain it.
pub(crate) fn run(library: &Library, folder: &Path) -> Counts {
    let library = &library.with_context(&[
        (c"rest.capnp_traversal_limit", LIMIT),
        (c"rest.use_refactored_array_open_and_query_submit", c"true"),
    ]);
    let stored = Stored::create(library, folder).expect("stored objects");
    let all = samples::all(library, &stored).expect("messages");
    let reader_name = std::env::var("TILEDB_RS_READER").unwrap_or_default();
    let (mut total, mut large) = (Counts::default(), Vec::new());
    for samples in &all {
        let name = format!("{:?} {}", samples.reader, samples.encoding);
        if !name.contains(&reader_name) {
            continue;
        }
        check_valid(library, &stored, samples);
        let (counts, memory) = run_reader(library, &stored, samples);
        let Counts { read, rejected } = counts;
        println!("{name}: {read} read, {rejected} rejected, {memory} bytes");
        if memory > MEMORY {
            large.push(name);
        }
        total.read += read;
        total.rejected += rejected;
    }
    assert!(large.is_empty(), "too much memory: {large:?}");
    total
}

/// Checks that messages without damage are read.
fn check_valid(library: &Library, stored: &Stored, samples: &Samples) {
    let targets = Targets::open(library, stored, samples.reader).expect("open");
    let (reader, encoding) = (samples.reader, samples.encoding);
    for message in &samples.messages {
        let read = targets.read(reader, encoding, 1, message);
        // The names to delete are those of no fragment, which is an error.
        if !matches!(reader, Reader::Deletion(_)) {
            read.unwrap_or_else(|error| panic!("{reader:?} {encoding}: {error}"));
        }
    }
}

/// Returns the numbers of messages, and the most bytes by which a round of messages increased the
/// memory of this process.
fn run_reader(library: &Library, stored: &Stored, samples: &Samples) -> (Counts, u64) {
    let (mut counts, mut most) = (Counts::default(), 0);
    let others: Vec<&[u8]> = samples.messages.iter().map(Vec::as_slice).collect();
    let (reader, encoding) = (samples.reader, samples.encoding);
    let mut open_targets = None;
    let mut before = reset_peak();
    random::for_each_seed(100, |seed| {
        if seed % ROUND == 0 {
            // The array cannot be opened for exclusive modification while it is open.
            open_targets = None;
        }
        let targets = open_targets.get_or_insert_with(|| {
            let targets = Targets::open(library, stored, reader).expect("open");
            before = reset_peak();
            targets
        });
        let random = &mut Random(seed);
        let message = mutated(random.one_of(&others), encoding == JSON, &others, random);
        let side = random.below(2) as usize;
        match targets.read(reader, encoding, side, &message) {
            Ok(()) => counts.read += 1,
            Err(error) => {
                counts.rejected += 1;
                let is_panic = error.contains("uncaught exception");
                assert!(!is_panic, "{reader:?} {encoding}, seed {seed}: {error}");
            }
        }
        if seed % ROUND == ROUND - 1 {
            let memory = peak().saturating_sub(before);
            if memory > MEMORY {
                println!("{reader:?} {encoding}, a seed up to {seed}: {memory} bytes");
            }
            most = most.max(memory);
        }
    });
    most = most.max(peak().saturating_sub(before));
    (counts, most)
}
