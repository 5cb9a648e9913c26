//! Sparse arrays: what this library writes has the bytes that libtiledb writes of the same cells, and both read
//! it as what was written.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;

use crate::attribute::AttributeSpec;
use crate::coordinates::Coordinates;
use crate::library::Library;
use crate::random::Random;
use crate::sparse_spec::{Cells, SparseSpec};
use crate::{METADATA, compare_files, is_encrypted};

/// Rows of bytes.
type Rows = Vec<Vec<Vec<u8>>>;

/// One random array, written by both libraries.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) {
    let mut random = Random(seed);
    let spec = SparseSpec::random(&mut random, Coordinates::Any);
    let uri = |name: &str| {
        let path = folder.join(name);
        CString::new(path.to_str().expect("path")).expect("path")
    };
    let (our_uri, their_uri) = (uri("ours"), uri("theirs"));
    spec.create(ours, &our_uri, false);
    spec.create(theirs, &their_uri, false);
    let mut written: Vec<Cells> = Vec::new();
    let (mut same_order, mut same_statistics) = (true, true);
    let fragments = if spec.is_past_ascii() { 1 } else { 3 };
    for fragment in 0..1 + random.below(fragments) {
        let mut cells = spec.random_cells(&mut random);
        let mut pieces = Vec::new();
        if random.below(2) == 0 {
            let order = spec.global_order(theirs, &uri(&format!("order{fragment}")), &cells);
            cells = spec.ordered(&cells, &order);
            pieces = random_pieces(&mut random, cells.number);
            same_statistics &= !spec.ends_in_nulls(&cells);
        } else {
            // Cells of one place are sorted in no particular order by libtiledb.
            same_order &= !has_dups(&cells);
        }
        for (library, uri) in [(ours, &our_uri), (theirs, &their_uri)] {
            spec.write(library, uri, &cells, &pieces);
        }
        // Fragments of one millisecond have no order between them in libtiledb.
        std::thread::sleep(std::time::Duration::from_millis(2));
        written.push(cells);
    }
    let expected = expected(&spec, &written);
    let room = written.iter().map(|cells| cells.number).sum();
    for uri in [&our_uri, &their_uri] {
        for library in [ours, theirs] {
            let mut rows = spec.read(library, uri, room);
            rows.sort();
            let name = library.name;
            assert!(rows == expected, "{name} reads other cells from {uri:?}");
        }
    }
    // The vectors of an encryption are random.
    if same_order && !is_encrypted(seed) {
        same_statistics &= !spec.attributes.iter().any(AttributeSpec::is_nullable_text);
        compare_files(&folder.join("ours"), &folder.join("theirs"), |name| {
            name != METADATA || same_statistics
        });
    }
}

fn has_dups(cells: &Cells) -> bool {
    let mut places = cells.places.clone();
    places.sort();
    places.windows(2).any(|pair| pair[0] == pair[1])
}

/// Where each submit begins, and the end of the last; some are empty.
fn random_pieces(random: &mut Random, number: usize) -> Vec<usize> {
    let cuts = random.below(4);
    let mut pieces: Vec<usize> = (0..cuts)
        .map(|_| random.below(number as u64 + 1) as usize)
        .collect();
    pieces.extend([0, number]);
    pieces.sort_unstable();
    pieces
}

/// The cells that a read gives, sorted: of one place the last written, unless the array keeps all.
fn expected(spec: &SparseSpec, written: &[Cells]) -> Rows {
    let mut all = Rows::new();
    let mut newest = BTreeMap::new();
    for cells in written {
        for (place, row) in cells.places.iter().zip(spec.rows(&cells.columns)) {
            if spec.allows_dups {
                all.push(row)
            } else {
                drop(newest.insert(place.clone(), row))
            }
        }
    }
    all.extend(newest.into_values());
    all.sort();
    all
}
