//! Random histories of new arrays: each library writes, deletes, evolves, consolidates and vacuums
//! an array of its own. After each step both libraries read both arrays alike, at the current and
//! at earlier timestamps.

use std::ffi::{CStr, CString};
use std::path::Path;

use super::{Copied, Step, compare_reads};
use crate::attribute::AttributeSpec;
use crate::library::{Library, address};
use crate::random::Random;

/// Creates a schema with an attribute of numbers and random others.
fn create(library: &Library, uri: &CStr, mut random: Random) -> bool {
    let dense = random.below(2) == 0;
    let domain = library.make("domain_alloc", &[]);
    for index in 0..1 + random.below(2) {
        let name = CString::new(format!("d{index}")).expect("name");
        let mut ends = [1i32, 10 + random.below(20) as i32];
        let mut extent = 1 + random.below(10) as i32;
        let point_indexes = [address(&mut ends), address(&mut extent)];
        let dimension = [
            name.as_ptr() as usize,
            0,
            point_indexes[0],
            point_indexes[1],
        ];
        let dimension = library.make("dimension_alloc", &dimension);
        library.ok("domain_add_dimension", &[domain, dimension]);
        library.free("dimension_free", dimension);
    }
    let schema = library.make("array_schema_alloc", &[usize::from(!dense)]);
    library.ok("array_schema_set_domain", &[schema, domain]);
    if !dense {
        let capacity = 1 + random.below(9) as usize;
        library.ok("array_schema_set_capacity", &[schema, capacity]);
    }
    let number = library.make("attribute_alloc", &[c"number".as_ptr() as usize, 0]);
    let mut attributes = vec![number];
    for index in 0..random.below(3) {
        let mut attribute = AttributeSpec::of_bytes(&mut random, index);
        // libtiledb stores wrong statistics for null strings.
        attribute.nullable &= !attribute.is_var_text() && !attribute.is_nullable_text();
        attribute.fill = None;
        attributes.push(attribute.make(library));
    }
    for attribute in attributes {
        library.ok("array_schema_add_attribute", &[schema, attribute]);
        library.free("attribute_free", attribute);
    }
    library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    library.free("array_schema_free", schema);
    library.free("domain_free", domain);
    dense
}

/// The state that determines the possible next steps.
struct Chances {
    /// The number of the last step.
    now: u64,
    dense: bool,
    /// Whether the schema may change: libtiledb writes evolved schemas of encrypted arrays
    /// unencrypted.
    evolves: bool,
    /// Whether a delete was written: libtiledb then ignores consolidated commits that contain it.
    deleted: bool,
    /// The numbers of the attributes that were added.
    added: Vec<u64>,
}

impl Chances {
    fn step(&mut self, random: &mut Random) -> Step {
        self.now += 10;
        let now = self.now;
        match random.below(12) {
            0..=3 => Step::Write(now + random.below(7)),
            4 => Step::Metadata(now),
            5 if !self.dense => {
                self.deleted = true;
                Step::Delete(now)
            }
            5 | 6 if self.evolves => {
                self.added.push(now);
                Step::AddAttribute(now)
            }
            7 => match self.added.last() {
                Some(name) => Step::Extend(*name, now),
                None => Step::Metadata(now),
            },
            8 if !self.added.is_empty() => {
                let index = random.below(self.added.len() as u64) as usize;
                Step::DropAttribute(self.added.remove(index), now)
            }
            5..=9 => Step::Consolidate("fragments"),
            10 => match random.below(2) {
                0 => Step::Vacuum("fragments"),
                _ => Step::Divide(random.one_of(&["300", "1000", "5000"])),
            },
            _ => {
                let mode = random.one_of(&["fragment_meta", "array_meta", "commits"]);
                match random.below(2) {
                    _ if mode == "commits" && self.deleted => Step::Write(now),
                    0 => Step::Consolidate(mode),
                    _ => Step::Vacuum(mode),
                }
            }
        }
    }
}

/// Tests one random history.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let mut random = Random(seed ^ 0x11fe);
    let now = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64;
    // Later than the first schema, which has the current time, with as many digits.
    let base = now + 20_000;
    let mut dense = false;
    let pair = [(ours, "ours"), (theirs, "theirs")].map(|(library, name)| {
        let path = folder.join(name);
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        dense = create(library, &uri, Random(seed));
        Copied {
            library,
            path,
            uri,
            times: [base, base],
        }
    });
    let mut chances = Chances {
        now: 0,
        dense,
        evolves: !crate::is_encrypted(seed),
        deleted: false,
        added: Vec::new(),
    };
    for index in 0..6 + random.below(8) {
        let step = match index {
            0 => Step::Write(1),
            _ => chances.step(&mut random),
        };
        let done = pair.each_ref().map(|copied| copied.take(step));
        let too_small = |done: &Result<(), String>| {
            done.as_ref()
                .is_err_and(|error| error.contains("too small to write a single tile"))
        };
        match &done {
            [Ok(()), Ok(())] => {}
            [one, other] if too_small(one) && too_small(other) => {}
            // libtiledb may exceed the limit with the last tile of a fragment. This library then
            // has two fragments to divide and libtiledb one, which it leaves unchanged.
            [one, Ok(())] if too_small(one) => return true,
            _ => panic!("{step:?}: {done:?}"),
        }
        compare_reads(&pair, step, base + chances.now + 9);
        compare_reads(&pair, step, base + random.below(chances.now + 9));
    }
    true
}
