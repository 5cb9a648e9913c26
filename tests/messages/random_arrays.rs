//! Stored arrays of random schemas with random cells.

use std::ffi::CStr;
use std::time::Duration;

use crate::library::Library;
use crate::random::Random;
use crate::sparse_spec::SparseSpec;
use crate::spec::Spec;

/// A time after that of all fragments.
pub(crate) const AFTER_ALL: u64 = 1 << 42;

/// Creates a dense or sparse array with a few fragments.
pub(crate) fn create(libraries: &[Library; 2], uri: &CStr, random: &mut Random) {
    let seed = random.next();
    let library = &libraries[random.below(2) as usize];
    if random.below(2) == 0 {
        create_dense(libraries, uri, library, seed);
    } else {
        let spec = SparseSpec::to_be_read(seed);
        spec.create(library, uri, false);
        spec.write_all(library, uri);
    }
}

fn create_dense(libraries: &[Library; 2], uri: &CStr, library: &Library, seed: u64) {
    let mut spec = Spec::random(seed);
    spec.settle(&libraries[0], &libraries[1]);
    spec.create(library, uri);
    // After a failed write, libtiledb may use freed memory for its other attributes.
    let writer = match spec.attributes.len() {
        1 => library,
        _ => &libraries[0],
    };
    for write in &spec.writes {
        // Filters may refuse random values, such as those that are too large to scale.
        if spec.write(writer, uri, write).is_err() {
            return;
        }
        // libtiledb does not order fragments with equal timestamps.
        std::thread::sleep(Duration::from_millis(2));
    }
}
