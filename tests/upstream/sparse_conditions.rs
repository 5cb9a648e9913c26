//! Conditions and aggregates of sparse arrays that either library wrote: both read the same cells, in one piece and in many,
//! and compute the same of them.

use std::ffi::CString;
use std::path::Path;

use crate::aggregate;
use crate::condition::ConditionSpec;
use crate::library::Library;
use crate::random::Random;
use crate::sparse_read::SparseRead;
use crate::sparse_spec::SparseSpec;

/// How many reads there are of an array.
const READS: usize = 4;

/// One random array, of one library or the other.
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
        let room = 1 + random.below(spec.cell_num() as u64) as usize;
        let plenty = 100 * spec.cell_num();
        let cells = |library, room| {
            let mut cells = read.cells(&spec, &read.run(&spec, library, &uri, room));
            cells.sort();
            cells
        };
        let whole = cells(ours, plenty);
        assert!(
            whole == cells(ours, room),
            "in pieces of {room} the answer to {read:?} differs"
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
                let of = |library: &Library, room| {
                    let query = read.query(&spec, library, &uri);
                    aggregate::run(query, field, operator, room)
                };
                let alone = of(ours, None).expect("never fails");
                let beside = of(ours, Some(plenty)).expect("never fails");
                // Sums of reals differ by the order of tiles.
                assert!(
                    aggregate::agree(false, field, operator, &alone, &beside),
                    "{operator:?} beside the cells of {field:?} is {beside:?}, not {alone:?}"
                );
                if read.has_text_ranges(&spec) {
                    continue;
                }
                let Some(other) = of(theirs, None) else {
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
