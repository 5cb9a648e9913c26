//! Arrays of historical releases that each library continues on a copy of its own: written to,
//! consolidated, vacuumed, deleted from, upgraded to the newest format, evolved. After each step
//! both copies have the same files, with the same versions and timestamps in their names, and both
//! libraries read both copies alike. Errors must occur in the same steps.
//!
//! The arrays are not part of the repository; `TILEDB_RS_COMPAT_DIR` names their folder.

mod files;
pub(crate) mod lives;
mod stored;

use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::attribute::VAR;
use crate::library::{Library, address};
use stored::{NEVER, Stored};

const STRING_ASCII: usize = 11;

/// A timestamp after that of any of the arrays, in milliseconds.
const LATER: u64 = 1_795_230_000_000;
/// The distance in milliseconds between the current time and the steps that follow those with clock
/// times.
const MINUTE: u64 = 60_000;

/// A step.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Writes cells at a position that depends on the number, which is also added to the timestamp.
    Write(u64),
    Metadata(u64),
    Delete(u64),
    Consolidate(&'static str),
    Vacuum(&'static str),
    /// Consolidates with this maximum fragment size.
    Divide(&'static str),
    Upgrade,
    /// Adds an attribute of numbers with an enumeration; the number determines both names.
    AddAttribute(u64),
    /// Extends the enumeration with this number by one value, at a timestamp.
    Extend(u64, u64),
    /// Drops the attribute with this number, at a timestamp.
    DropAttribute(u64, u64),
}

/// The steps in their order. Writes that follow steps with clock times are later than those. No
/// delete precedes the consolidation of commits: libtiledb would ignore the consolidated file.
const STEPS: [Step; 26] = [
    Step::Write(1),
    Step::Metadata(1),
    Step::Write(2),
    Step::Metadata(2),
    Step::Consolidate("fragment_meta"),
    Step::Consolidate("fragments"),
    Step::Vacuum("fragments"),
    Step::Consolidate("array_meta"),
    Step::Vacuum("array_meta"),
    Step::Write(3),
    Step::Consolidate("fragment_meta"),
    Step::Vacuum("fragment_meta"),
    Step::Consolidate("commits"),
    Step::Vacuum("commits"),
    Step::Delete(4),
    Step::Write(5),
    Step::Divide("3000"),
    Step::Vacuum("fragments"),
    Step::Upgrade,
    Step::Write(6 + MINUTE),
    Step::Consolidate("fragments"),
    Step::AddAttribute(MINUTE + MINUTE / 2),
    Step::Write(7 + 2 * MINUTE),
    Step::Metadata(7 + 2 * MINUTE),
    Step::Consolidate("fragments"),
    Step::Vacuum("fragments"),
];

/// A copy of an array and the library that continues it.
struct Copied<'a> {
    library: &'a Library,
    path: PathBuf,
    uri: CString,
    /// The base timestamps of early and of later steps, in milliseconds.
    times: [u64; 2],
}

impl Copied<'_> {
    fn time(&self, number: u64) -> u64 {
        self.times[usize::from(number >= MINUTE)] + number
    }

    fn take(&self, step: Step) -> Result<(), String> {
        match step {
            Step::Write(number) => {
                Stored::write(self.library, &self.uri, self.time(number), number % MINUTE)
            }
            Step::Metadata(number) => self.put_metadata(self.time(number), number as i32),
            Step::Delete(number) => Stored::delete(self.library, &self.uri, self.time(number)),
            Step::Consolidate(mode) => {
                self.maintain("array_consolidate", &[("sm.consolidation.mode", mode)])
            }
            Step::Divide(most) => self.maintain(
                "array_consolidate",
                &[("sm.consolidation.max_fragment_size", most)],
            ),
            Step::Vacuum(mode) => self.maintain("array_vacuum", &[("sm.vacuum.mode", mode)]),
            Step::Upgrade => self.maintain("array_upgrade_version", &[]),
            Step::AddAttribute(number) => self.evolve(number, |evolution| {
                self.add_attribute(evolution, number);
                Ok(())
            }),
            Step::Extend(name, number) => {
                self.evolve(number, |evolution| self.extend(evolution, name, number))
            }
            Step::DropAttribute(name, number) => self.evolve(number, |evolution| {
                let name = messages(name)[0].clone();
                let drop = [evolution, name.as_ptr() as usize];
                self.library
                    .ok("array_schema_evolution_drop_attribute", &drop);
                Ok(())
            }),
        }
    }

    fn put_metadata(&self, time: u64, value: i32) -> Result<(), String> {
        let array = self
            .library
            .make("array_alloc", &[self.uri.as_ptr() as usize]);
        self.library
            .ok("array_set_open_timestamp_end", &[array, time as usize]);
        self.library.attempt("array_open", &[array, 1])?;
        let key = CString::new(format!("key {}", value % 3)).expect("key");
        let value = [value, -value];
        let put = [array, key.as_ptr() as usize, 0, 2, value.as_ptr() as usize];
        let put = self.library.attempt("array_put_metadata", &put);
        let closed = self.library.attempt("array_close", &[array]);
        self.library.free("array_free", array);
        put.and(closed)
    }

    fn maintain(&self, function: &str, parameters: &[(&str, &str)]) -> Result<(), String> {
        let config = self.library.make("ctx_get_config", &[]);
        let always = [
            // libtiledb fills the buffer with zeros each time.
            ("sm.consolidation.buffer_size", "1000000"),
            ("sm.consolidation.amplification", "100000"),
        ];
        for (name, value) in always.iter().chain(parameters) {
            let texts = [name, value].map(|text| CString::new(*text).expect("text"));
            let [name, value] = texts.each_ref().map(|text| text.as_ptr() as usize);
            let mut error = 0usize;
            let set = [config, name, value, address(&mut error)];
            assert_eq!(self.library.call("config_set", &set), 0, "{function}");
        }
        let done = self
            .library
            .attempt(function, &[self.uri.as_ptr() as usize, config]);
        self.library.free("config_free", config);
        done
    }

    fn evolve(
        &self,
        number: u64,
        change: impl FnOnce(usize) -> Result<(), String>,
    ) -> Result<(), String> {
        let library = self.library;
        let evolution = library.make("array_schema_evolution_alloc", &[]);
        let time = self.time(number) as usize;
        library.ok(
            "array_schema_evolution_set_timestamp_range",
            &[evolution, time, time],
        );
        let done = change(evolution).and_then(|()| {
            library.attempt("array_evolve", &[self.uri.as_ptr() as usize, evolution])
        });
        library.free("array_schema_evolution_free", evolution);
        done
    }

    fn add_attribute(&self, evolution: usize, number: u64) {
        let (library, [name, enumeration]) = (self.library, messages(number));
        let [name, enumeration] = [name.as_ptr() as usize, enumeration.as_ptr() as usize];
        let (mut values, mut starts) = (*b"onetwo", [0u64, 3]);
        let made = [
            enumeration,
            STRING_ASCII,
            VAR as usize,
            0,
            values.as_mut_ptr() as usize,
            values.len(),
            address(&mut starts),
            16,
        ];
        let made = library.make("enumeration_alloc", &made);
        library.ok("array_schema_evolution_add_enumeration", &[evolution, made]);
        let attribute = library.make("attribute_alloc", &[name, 0]);
        library.ok("attribute_set_enumeration_name", &[attribute, enumeration]);
        library.ok(
            "array_schema_evolution_add_attribute",
            &[evolution, attribute],
        );
        library.free("attribute_free", attribute);
        library.free("enumeration_free", made);
    }

    fn extend(&self, evolution: usize, name: u64, number: u64) -> Result<(), String> {
        let (library, [_, enumeration]) = (self.library, messages(name));
        let array = library.make("array_alloc", &[self.uri.as_ptr() as usize]);
        library.ok("array_set_open_timestamp_end", &[array, NEVER as usize]);
        library.attempt("array_open", &[array, 0])?;
        let known = library.make(
            "array_get_enumeration",
            &[array, enumeration.as_ptr() as usize],
        );
        let (mut more, mut starts) = (format!("value {number}").into_bytes(), [0u64]);
        let more = [
            known,
            more.as_mut_ptr() as usize,
            more.len(),
            address(&mut starts),
            8,
        ];
        let longer = library.make("enumeration_extend", &more);
        library.ok(
            "array_schema_evolution_extend_enumeration",
            &[evolution, longer],
        );
        library.ok("array_close", &[array]);
        library.free("enumeration_free", longer);
        library.free("enumeration_free", known);
        library.free("array_free", array);
        Ok(())
    }
}

/// Returns the names of an attribute and of its enumeration.
fn messages(number: u64) -> [CString; 2] {
    ["added", "words"].map(|word| CString::new(format!("{word} {number}")).expect("name"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).expect("folder") {
        let entry = entry.expect("entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("type").is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::write(&to, fs::read(entry.path()).expect("file")).expect("copy")
        }
    }
}

/// Returns the arrays below a folder: format version and name.
pub(crate) fn arrays(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for version in fs::read_dir(root).expect("folder").flatten() {
        for array in fs::read_dir(version.path()).into_iter().flatten().flatten() {
            if array.path().join("array").is_dir() {
                found.push(array.path());
            }
        }
    }
    found.sort();
    found
}

/// Returns whether libtiledb fails in a step, by the array and its original format version.
fn is_beyond_libtiledb(name: &str, version: u32, dense: bool, step: Step) -> bool {
    match step {
        // libtiledb loses earlier cells or crashes, also if the array has more strings than tiles
        // then.
        Step::Upgrade | Step::Write(6..) => version < 5 || name.contains("nullable"),
        // libtiledb crashes.
        Step::Consolidate("fragments") => name == "current_domain",
        // libtiledb merges footers at wrong offsets.
        Step::Consolidate("fragment_meta") => matches!(version, 3 | 4 | 10 | 11),
        // libtiledb ignores consolidated commits that contain deletes.
        Step::Consolidate("commits") | Step::Vacuum("commits") => {
            name.contains("delete") || name.contains("commits")
        }
        // libtiledb writes the commits of several fragments into the wrong folder, or exceeds the
        // limit with the last tile of a sparse fragment, or crashes.
        Step::Divide(_) => version < 12 || !dense || name == "current_domain",
        // libtiledb writes the schema without encryption or labels, or cannot read old fragments.
        Step::AddAttribute(_) => {
            version < 10 || name.contains("encrypted") || name.contains("label")
        }
        _ => false,
    }
}

/// Runs the steps with both libraries. Returns the numbers of steps that succeeded and that both
/// rejected.
pub(crate) fn compare(ours: &Library, theirs: &Library, array: &Path, folder: &Path) -> [usize; 2] {
    let now = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64;
    let pair = [(ours, "ours"), (theirs, "theirs")].map(|(library, name)| {
        let path = folder.join(name);
        copy(&array.join("array"), &path);
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        Copied {
            library,
            path,
            uri,
            times: [LATER, now],
        }
    });
    let name = array.file_name().unwrap_or_default().to_string_lossy();
    // In libtiledb, cells of sparse fragments hide newer ones of dense fragments, and consolidating
    // them fails.
    if name.contains("sparsefrag") {
        return [0, 0];
    }
    let (version, dense) = Stored::kind(ours, &pair[0].uri).unwrap_or((0, false));
    let mut taken = [0, 0];
    for step in STEPS {
        if is_beyond_libtiledb(&name, version, dense, step) {
            continue;
        }
        let done = pair.each_ref().map(|copied| copied.take(step));
        match &done {
            [Ok(()), Ok(())] => taken[0] += 1,
            [Err(_), Err(_)] => taken[1] += 1,
            _ => panic!("{step:?}: {done:?}"),
        }
        let lists = pair.each_ref().map(|copied| files::list(&copied.path, now));
        assert!(
            lists[0] == lists[1],
            "{step:?}: files differ\nours:   {:?}\ntheirs: {:?}",
            lists[0]
                .iter()
                .filter(|name| !lists[1].contains(name))
                .collect::<Vec<_>>(),
            lists[1]
                .iter()
                .filter(|name| !lists[0].contains(name))
                .collect::<Vec<_>>()
        );
        compare_reads(&pair, step, NEVER);
    }
    taken
}

/// Checks that both libraries read both copies alike at a timestamp.
fn compare_reads(pair: &[Copied<'_>; 2], step: Step, time: u64) {
    let mut results = Vec::new();
    for copied in pair {
        for reader in pair {
            let uri: &CStr = &copied.uri;
            results.push((
                format!("{} of {}'s", reader.library.name, copied.library.name),
                Stored::read(reader.library, uri, time),
            ));
        }
    }
    let (first, others) = results.split_first().expect("an answer");
    let latest = Stored::latest_fields(pair[0].library, &pair[0].uri).unwrap_or_default();
    let theirs = format!("{} of", pair[1].library.name);
    let agrees = |other: &(String, Result<stored::ReadResult, String>)| match (&first.1, &other.1) {
        (Ok(one), Ok(result)) if other.0.starts_with(&theirs) => {
            one == result || one.differs_in_dropped_values(result, &latest)
        }
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        // libtiledb reports this for tiles of which every cell was deleted.
        (Ok(_), Err(error)) => error.contains("All tiles should have at least one cell"),
        (Err(_), Ok(_)) => false,
    };
    if !others.iter().all(agrees) {
        let text = results.iter().map(|(who, result)| match result {
            Ok(result) => format!("{who}: {result:.3?}"),
            Err(error) => format!("{who}: {error}"),
        });
        panic!(
            "{step:?}: reads differ\n{}",
            text.collect::<Vec<_>>().join("\n")
        );
    }
}
