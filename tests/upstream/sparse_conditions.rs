//! Conditions and aggregates of sparse arrays of either library: both libraries read the same
//! cells, through large and small buffers, and compute the same aggregates.

use std::ffi::CString;
use std::path::Path;

use crate::aggregate;
use crate::condition::ConditionSpec;
use crate::library::Library;
use crate::random::Random;
use crate::sparse_read::SparseRead;
use crate::sparse_spec::SparseSpec;

/// The number of reads of an array.
const READS: usize = 4;

/// Tests one random array of one of the libraries.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let spec = SparseSpec::to_be_read(seed);
    let mut random = Random(seed ^ 0xc0d1);
    let path = folder.join("array");
    let uri = CString::new(path.to_str().expect("path")).expect("path");
    let writer = random.one_of(&[ours, theirs]);
    spec.create(writer, &uri, false);
    spec.write_all(writer, &uri);
    let fields: Vec<_> = spec.fields().collect();
    let mut compared = false;
    for _ in 0..READS {
        let mut read = SparseRead::random(&spec, &mut random);
        if random.below(5) > 0 {
            read.condition = ConditionSpec::random(&mut random, &fields, true);
        }
        let capacity = 1 + random.below(spec.cell_num() as u64) as usize;
        let plenty = 100 * spec.cell_num();
        let cells = |library, capacity| {
            let mut cells = read.cells(&spec, &read.run(&spec, library, &uri, capacity));
            cells.sort();
            cells
        };
        let whole = cells(ours, plenty);
        assert!(
            whole == cells(ours, capacity),
            "in pieces of {capacity} the answer to {read:?} differs"
        );
        if read.is_dangerous(&spec) {
            continue;
        }
        let expected = cells(theirs, plenty);
        assert!(
            whole == expected,
            "{} cells, not {}, or others, of {read:?}",
            whole.len(),
            expected.len()
        );
        compared = true;
        for field in fields.iter().copied() {
            for operator in aggregate::operators(field) {
                let result_of = |library: &Library, capacity| {
                    let query = read.query(&spec, library, &uri);
                    aggregate::run(query, field, operator, capacity)
                };
                let alone = result_of(ours, None).expect("never fails");
                let with_cells = result_of(ours, Some(plenty)).expect("never fails");
                // Sums of floating-point numbers depend on the order of tiles.
                assert!(
                    aggregate::agree(false, field, operator, &alone, &with_cells),
                    "{operator:?} with the cells of {field:?} is {with_cells:?}, not {alone:?}"
                );
                if read.has_text_ranges(&spec) {
                    continue;
                }
                let Some(other) = result_of(theirs, None) else {
                    continue;
                };
                assert!(
                    aggregate::agree(false, field, operator, &alone, &other),
                    "{operator:?} of {field:?} is {alone:?}, not {other:?}: {read:?}"
                );
            }
        }
    }
    compared
}
