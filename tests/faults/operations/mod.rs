//! The operations that change files, each with the state it starts from and the parts of the state
//! that it may change.

mod create;
mod groups;
mod maintenance;
mod plain_files;
mod read;
mod write;

use std::ffi::{CStr, CString};
use std::path::PathBuf;

use crate::arrays::schema::{self, Shape};
use crate::arrays::state::{self, Section};
use crate::arrays::write::Cells;
use crate::arrays::{Done, c_path, text};
use crate::library::Library;

/// A part of the state, by its path in the folder of the case.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// An array or a group, or nothing.
    Object(&'static str),
    /// A file or a folder of files.
    Files(&'static str),
}

/// The states that may be seen after a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// All parts are old, or all are new.
    Atomic,
    /// Each part is old or new: the arrays of labels are committed before the array.
    Separate,
    /// Each part is old, has fewer cells, metadata and members, or is gone.
    Removal,
    /// Each file is old, a prefix of the new one, or does not exist.
    Stream,
}

/// An operation that changes files.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) parts: Vec<Part>,
    pub(crate) prepare: fn(&Session) -> Done,
    pub(crate) act: fn(&Session) -> Done,
    pub(crate) rule: Rule,
    /// Operations that lead to allowed states between old and new.
    pub(crate) between: Vec<fn(&Session) -> Done>,
    /// Whether failure must not be reported after the operation took effect, because repeating it
    /// fails or repeats the work.
    pub(crate) no_late_failure: bool,
    pub(crate) encrypted: bool,
    /// Returns what is read, in place of `act`. With a fault it is an error or the same.
    pub(crate) read: Option<fn(&Session) -> Done<String>>,
}

impl Operation {
    fn new(
        name: &'static str,
        parts: &[Part],
        prepare: fn(&Session) -> Done,
        act: fn(&Session) -> Done,
    ) -> Self {
        Self {
            name,
            parts: parts.to_vec(),
            prepare,
            act,
            rule: Rule::Atomic,
            between: Vec::new(),
            no_late_failure: ["consolidate_", "group_create", "create_"]
                .iter()
                .any(|prefix| name.starts_with(prefix)),
            encrypted: false,
            read: None,
        }
    }

    /// An operation on the array `a` alone.
    fn on_array(
        name: &'static str,
        prepare: fn(&Session) -> Done,
        act: fn(&Session) -> Done,
    ) -> Self {
        Self::new(name, &[Part::Object("a")], prepare, act)
    }

    fn rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    fn between(self, steps: [fn(&Session) -> Done; 2]) -> Self {
        Self {
            between: steps.to_vec(),
            ..self
        }
    }

    fn encrypted(self) -> Self {
        Self {
            encrypted: true,
            ..self
        }
    }

    /// Returns what a reader sees.
    pub(crate) fn state(&self, session: &Session) -> Vec<Section> {
        let parts = self.parts.iter().flat_map(|part| match part {
            Part::Object(name) => state::object(&session.library, &session.folder, name),
            Part::Files(name) => vec![state::files(&session.folder, name)],
        });
        parts.collect()
    }

    /// Returns the objects whose folders exist.
    pub(crate) fn folders(&self, session: &Session) -> String {
        let names = self.parts.iter().map(|part| match part {
            Part::Object(name) | Part::Files(name) => *name,
        });
        let existing = names.filter(|name| session.folder.join(name).exists());
        existing.collect::<Vec<_>>().join(" ")
    }

    /// Returns the numbers of fragments of the arrays.
    pub(crate) fn layout(&self, session: &Session) -> String {
        let layouts = self.parts.iter().filter_map(|part| match part {
            Part::Object(name) => {
                let counted = state::fragments(&session.library, &session.folder.join(name));
                (!counted.is_empty()).then(|| format!("{name}: {counted}\n"))
            }
            Part::Files(_) => None,
        });
        layouts.collect()
    }
}

/// A library with a context, and the folder of a case.
pub(crate) struct Session {
    pub(crate) library: Library,
    pub(crate) folder: PathBuf,
}

const KEY: &CStr = c"0123456789abcdeF0123456789abcdeF";

impl Session {
    /// Creates a context with one thread, so that the calls have the same order in each run.
    pub(crate) fn new(library: &Library, folder: PathBuf, encrypted: bool) -> Self {
        let mut parameters = vec![
            (c"sm.compute_concurrency_level", c"1"),
            (c"sm.io_concurrency_level", c"1"),
        ];
        if encrypted {
            parameters.push((c"sm.encryption_type", c"AES_256_GCM"));
            parameters.push((c"sm.encryption_key", KEY));
        }
        Self {
            library: library.with_context(&parameters),
            folder,
        }
    }

    /// Uses an existing context.
    pub(crate) fn of(context: &Library, folder: PathBuf) -> Self {
        Self {
            library: Library { ..*context },
            folder,
        }
    }

    fn uri(&self, name: &str) -> CString {
        c_path(&self.folder.join(name))
    }

    fn create(&self, shape: Shape) -> Done {
        schema::create(&self.library, &self.uri("a"), shape)
    }

    fn write(&self, cells: Cells) -> Done {
        cells.write(&self.library, &self.uri("a"))
    }

    /// Creates the array `a` with four fragments of overlapping cells, at the timestamps 1 to 4.
    fn array(&self, shape: Shape) -> Done {
        self.create(shape)?;
        for timestamp in 1..=4 {
            self.write(fragment(shape, timestamp))?;
        }
        Ok(())
    }

    /// Calls a function whose arguments are URIs of names in the folder.
    fn call(&self, function: &str, names: &[&str]) -> Done {
        self.call_with(function, names, &[])
    }

    /// Calls a function whose first arguments are URIs of names in the folder.
    fn call_with(&self, function: &str, names: &[&str], more: &[usize]) -> Done {
        let uris: Vec<CString> = names.iter().map(|name| self.uri(name)).collect();
        let addresses = uris.iter().map(|uri| text(uri));
        let arguments: Vec<usize> = addresses.chain(more.iter().copied()).collect();
        self.library.attempt(function, &arguments)
    }
}

/// The cells of one of four fragments that overlap.
fn fragment(shape: Shape, timestamp: u64) -> Cells {
    let first = 4 * (timestamp as i64 - 1);
    let cells = if shape.sparse {
        Cells::new(shape, (0..6).map(|x| 2 * first + 3 * x), timestamp as i64)
    } else {
        Cells::new(shape, first..first + 8, timestamp as i64)
    };
    cells.at(timestamp)
}

fn nothing(_: &Session) -> Done {
    Ok(())
}

/// Returns all operations.
pub(crate) fn all() -> Vec<Operation> {
    let mut all = create::operations();
    all.extend(write::operations());
    all.extend(maintenance::operations());
    all.extend(groups::operations());
    all.extend(plain_files::operations());
    all.extend(read::operations());
    all
}
