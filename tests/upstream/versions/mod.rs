//! Arrays that historical releases wrote, gone on with by each library on a copy of its own: written to, merged, vacuumed,
//! deleted from, brought to the newest format, evolved. After each step both copies have the same files, whose names say the
//! same versions and times, and both libraries read both alike; what one refuses the other refuses.
//!
//! The arrays are not part of the source: `TILEDB_RS_COMPAT_DIR` names their folder.

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

/// Later than any of the arrays was written, in milliseconds.
const LATER: u64 = 1_795_230_000_000;
/// The minute, in milliseconds, that lies between now and the steps after those that take the time of the clock.
const MINUTE: u64 = 60_000;

/// What is done to an array.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Cells at a place that the number decides, so many milliseconds later.
    Write(u64),
    Metadata(u64),
    Delete(u64),
    Consolidate(&'static str),
    Vacuum(&'static str),
    /// Merging what fits in so many bytes.
    Divide(&'static str),
    Upgrade,
    /// An attribute of numbers that the number names, with an enumeration of that name, is added.
    AddAttribute(u64),
    /// The enumeration that the first number names gets a value more, at the time of the second.
    Extend(u64, u64),
    /// The attribute that the first number names is dropped, at the time of the second.
    DropAttribute(u64, u64),
}

/// In this order; writes after the clock was asked are later than that. No delete comes before commits are merged:
/// libtiledb does not see then which files hold them all.
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

/// A copy of an array and who goes on with it.
struct Copied<'a> {
    library: &'a Library,
    path: PathBuf,
    uri: CString,
    /// The time from which the numbers of early steps count, and that of later ones, in milliseconds.
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
                self.upkeep("array_consolidate", &[("sm.consolidation.mode", mode)])
            }
            Step::Divide(most) => self.upkeep(
                "array_consolidate",
                &[("sm.consolidation.max_fragment_size", most)],
            ),
            Step::Vacuum(mode) => self.upkeep("array_vacuum", &[("sm.vacuum.mode", mode)]),
            Step::Upgrade => self.upkeep("array_upgrade_version", &[]),
            Step::AddAttribute(number) => self.evolve(number, |evolution| {
                self.add_attribute(evolution, number);
                Ok(())
            }),
            Step::Extend(name, number) => {
                self.evolve(number, |evolution| self.extend(evolution, name, number))
            }
            Step::DropAttribute(name, number) => self.evolve(number, |evolution| {
                let name = words(name)[0].clone();
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

    fn upkeep(&self, function: &str, parameters: &[(&str, &str)]) -> Result<(), String> {
        let config = self.library.make("ctx_get_config", &[]);
        let always = [
            // libtiledb fills all of it with zeros each time.
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
        let (library, [name, enumeration]) = (self.library, words(number));
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
        let (library, [_, enumeration]) = (self.library, words(name));
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

/// The names of an attribute and of its enumeration.
fn words(number: u64) -> [CString; 2] {
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

/// The arrays below a folder: format version and name.
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

/// Whether libtiledb goes wrong in a step, by the array and the format version that it began with.
fn is_beyond_libtiledb(name: &str, version: u32, dense: bool, step: Step) -> bool {
    match step {
        // What was there is not read any more, or the program ends; also where there are more texts than tiles then.
        Step::Upgrade | Step::Write(6..) => version < 5 || name.contains("nullable"),
        // The program ends.
        Step::Consolidate("fragments") => name == "current_domain",
        // Footers are merged at wrong places.
        Step::Consolidate("fragment_meta") => matches!(version, 3 | 4 | 10 | 11),
        // Deletes in a file keep it from seeing what else is there.
        Step::Consolidate("commits") | Step::Vacuum("commits") => {
            name.contains("delete") || name.contains("commits")
        }
        // What commits several fragments goes where nothing looks for it; the last tile of a sparse fragment is
        // written however large that is; or the program ends.
        Step::Divide(_) => version < 12 || !dense || name == "current_domain",
        // The schema is written without encryption, or without labels; or old fragments are not read any more.
        Step::AddAttribute(_) => {
            version < 10 || name.contains("encrypted") || name.contains("label")
        }
        _ => false,
    }
}

/// Takes the steps with both libraries; answers with the number of those that were taken and the number refused.
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
    // Cells of sparse fragments win over newer ones of dense fragments there, and merging them ends in an error.
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

/// Both libraries read both copies alike, as they were at a time.
fn compare_reads(pair: &[Copied<'_>; 2], step: Step, time: u64) {
    let mut answers = Vec::new();
    for copied in pair {
        for reader in pair {
            let uri: &CStr = &copied.uri;
            answers.push((
                format!("{} of {}'s", reader.library.name, copied.library.name),
                Stored::read(reader.library, uri, time),
            ));
        }
    }
    let (first, others) = answers.split_first().expect("an answer");
    let same = |other: &(_, Result<stored::Answer, String>)| match (&first.1, &other.1) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        // So it says of tiles of which every cell was deleted.
        (Ok(_), Err(error)) => error.contains("All tiles should have at least one cell"),
        (Err(_), Ok(_)) => false,
    };
    if !others.iter().all(same) {
        let told = answers.iter().map(|(who, answer)| match answer {
            Ok(answer) => format!("{who}: {answer:.3?}"),
            Err(error) => format!("{who}: {error}"),
        });
        panic!(
            "{step:?}: reads differ\n{}",
            told.collect::<Vec<_>>().join("\n")
        );
    }
}
