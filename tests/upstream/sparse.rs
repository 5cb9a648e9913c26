//! Sparse arrays: this library writes the same bytes as libtiledb for the same cells, and both read
//! the written cells.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;

use crate::attribute::AttributeSpec;
use crate::coordinates::Coordinates;
use crate::encryption::is_encrypted;
use crate::files::{METADATA, compare_files};
use crate::library::Library;
use crate::random::Random;
use crate::sparse_spec::{Cells, SparseSpec};

/// Rows of bytes.
type Rows = Vec<Vec<Vec<u8>>>;

/// Tests one random array that both libraries write.
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
            // libtiledb sorts cells with equal coordinates in no particular order.
            same_order &= !has_dups(&cells);
        }
        for (library, uri) in [(ours, &our_uri), (theirs, &their_uri)] {
            spec.write(library, uri, &cells, &pieces);
        }
        // libtiledb does not order fragments with equal timestamps.
        std::thread::sleep(std::time::Duration::from_millis(2));
        written.push(cells);
    }
    let expected = expected(&spec, &written);
    let capacity = written.iter().map(|cells| cells.number).sum();
    for uri in [&our_uri, &their_uri] {
        for library in [ours, theirs] {
            let mut rows = spec.read(library, uri, capacity);
            rows.sort();
            let name = library.name;
            assert!(rows == expected, "{name} reads other cells from {uri:?}");
        }
    }
    // The initialization vectors of encryption are random.
    if same_order && !is_encrypted(seed) {
        same_statistics &= !spec.attributes.iter().any(AttributeSpec::is_nullable_text);
        compare_files(&folder.join("ours"), &folder.join("theirs"), |name| {
            name != METADATA || same_statistics
        });
    }
}

fn has_dups(cells: &Cells) -> bool {
    let mut point_indexes = cells.point_indexes.clone();
    point_indexes.sort();
    point_indexes.windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns the start of each submit, and the end of the last one; some submits are empty.
fn random_pieces(random: &mut Random, number: usize) -> Vec<usize> {
    let cuts = random.below(4);
    let mut pieces: Vec<usize> = (0..cuts)
        .map(|_| random.below(number as u64 + 1) as usize)
        .collect();
    pieces.extend([0, number]);
    pieces.sort_unstable();
    pieces
}

/// Returns the sorted cells that a read must return: of equal coordinates the newest, or all in
/// arrays with duplicates.
fn expected(spec: &SparseSpec, written: &[Cells]) -> Rows {
    let mut all = Rows::new();
    let mut newest = BTreeMap::new();
    for cells in written {
        for (point, row) in cells.point_indexes.iter().zip(spec.rows(&cells.columns)) {
            if spec.allows_dups {
                all.push(row)
            } else {
                drop(newest.insert(point.clone(), row))
            }
        }
    }
    all.extend(newest.into_values());
    all.sort();
    all
}
