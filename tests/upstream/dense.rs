//! Random dense arrays, written and read by both libraries.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::aggregate;
use crate::attribute::{AttributeSpec, Column};
use crate::condition::ConditionSpec;
use crate::encryption::is_encrypted;
use crate::files::{METADATA, compare_files};
use crate::filters;
use crate::library::Library;
use crate::random::Random;
use crate::read::{self, Read};
use crate::spec::Spec;

/// Tests a random dense array. Returns whether it was written: both libraries must accept or reject
/// a write alike.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let mut spec = Spec::random(seed);
    spec.settle(ours, theirs);
    let paths = [folder.join("ours"), folder.join("theirs")];
    let mut refusals = Vec::new();
    for (library, path) in [ours, theirs].into_iter().zip(&paths) {
        // After a failed write, libtiledb may use freed memory for its other attributes.
        if refusals.iter().any(|refused: &Vec<_>| !refused.is_empty()) && spec.attributes.len() > 1
        {
            return false;
        }
        let mut refused = Vec::new();
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        spec.create(library, &uri);
        for (index, write) in spec.writes.iter().enumerate() {
            assert!(write.cells > 0);
            let written = spec.write(library, &uri, write);
            if let Err(error) = &written {
                refused.push((index, error.clone()));
                break;
            }
            // libtiledb does not order fragments with equal timestamps.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        if refused.is_empty() {
            compare_reads(&spec, ours, theirs, &uri, seed);
        }
        refusals.push(refused);
    }
    let which = |index: usize| refusals[index].first().map(|(write, _)| *write);
    assert_eq!(
        which(0),
        which(1),
        "who refuses {refusals:?} of {:?}",
        spec.attributes
    );
    if which(0).is_some() {
        return false;
    }
    // The initialization vectors of encryption are random.
    if is_encrypted(seed) || !spec.is_repeatable() {
        return true;
    }
    compare_files(&paths[0], &paths[1], |name| {
        name != METADATA || spec.has_same_statistics()
    });
    true
}

/// Reads an array with both libraries: completely in each layout, and random parts; with this
/// library also through small buffers.
fn compare_reads(spec: &Spec, ours: &Library, theirs: &Library, uri: &CStr, seed: u64) {
    let mut random = Random(!seed);
    for layout in [0, 1, 2] {
        let read = Read::whole(spec, layout);
        let whole = read.run(spec, ours, uri, read.cells());
        check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
    }
    let dimensions = read::dimensions(spec);
    for _ in 0..2 {
        let read = Read::random(spec, &dimensions, &mut random);
        let whole = read.run(spec, ours, uri, read.cells());
        check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
        let capacity = 1 + random.below(read.cells() as u64) as usize;
        check(&read, &whole, &read.run(spec, ours, uri, capacity));
    }
    for _ in 0..3 {
        compare_conditions(spec, [ours, theirs], uri, &dimensions, &mut random);
    }
}

/// Reads some cells with a condition, through large and small buffers, and computes aggregates of
/// them.
fn compare_conditions(
    spec: &Spec,
    [ours, theirs]: [&Library; 2],
    uri: &CStr,
    dimensions: &[AttributeSpec],
    random: &mut Random,
) {
    let read = Read::random(spec, dimensions, random);
    // If the layout of the read differs from the cell order, libtiledb uses wrong coordinates, and
    // wrong validities in tests for null.
    let in_order = read.layout() == 2 || read.layout() == spec.cell_order;
    let known = spec.attributes.iter();
    let known: Vec<_> = known
        .chain(dimensions.iter().filter(|_| in_order))
        .collect();
    let read = match ConditionSpec::random(random, &known, in_order) {
        Some(condition) if random.below(4) > 0 => read.with_condition(condition),
        _ => read,
    };
    let whole = read.run(spec, ours, uri, read.cells());
    check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
    let capacity = 1 + random.below(read.cells() as u64) as usize;
    check(&read, &whole, &read.run(spec, ours, uri, capacity));
    for field in known {
        for operator in aggregate::operators(field) {
            let result_of = |library, with_cells| {
                let capacity = if with_cells {
                    Some(4 * read.cells())
                } else {
                    None
                };
                aggregate::run(read.query(spec, library, uri), field, operator, capacity)
            };
            let run_alone = result_of(ours, false).expect("never fails");
            // libtiledb uses the statistics of complete tiles, which were computed before a lossy
            // filter.
            let other = if field.filters.has(filters::SCALE_FLOAT) {
                None
            } else {
                result_of(theirs, false)
            };
            if let Some(other) = other {
                assert!(
                    aggregate::agree(
                        spec.has_partial_tiles(),
                        field,
                        operator,
                        &run_alone,
                        &other
                    ),
                    "{operator:?} of {field:?} is {run_alone:?}, not {other:?}: {read:?}"
                );
            }
            let run_alone = Some(run_alone);
            assert_eq!(
                run_alone,
                result_of(ours, true),
                "{operator:?} beside the cells of {field:?}"
            );
        }
    }
}

/// Returns a capacity of more cells than the read has. If libtiledb expects that buffers may be too
/// small, it returns several ranges in parts that are out of order.
fn plenty(read: &Read) -> usize {
    64 * read.cells()
}

/// Checks that two results of a read are equal.
#[track_caller]
fn check(read: &Read, one: &[Column], other: &[Column]) {
    for (field, (one, other)) in one.iter().zip(other).enumerate() {
        let data = one.data.iter().zip(&other.data).position(|(a, b)| a != b);
        let offsets = one
            .offsets
            .iter()
            .zip(&other.offsets)
            .position(|(a, b)| a != b);
        let validity = one
            .validity
            .iter()
            .zip(&other.validity)
            .position(|(a, b)| a != b);
        assert!(
            one == other,
            "field {field} differs at byte {data:?}, offset {offsets:?}, validity {validity:?}: {} and {} bytes, {} and {} offsets of {read:?}",
            one.data.len(),
            other.data.len(),
            one.offsets.len(),
            other.offsets.len(),
        );
    }
}
