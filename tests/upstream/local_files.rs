//! Random programs on local files: both libraries give the same results and errors, and leave the
//! same files.

use std::ffi::{CString, c_void};
use std::fs;
use std::path::{Path, PathBuf};

use super::library::{Library, address, bytes_of};
use super::random::Random;

const STEPS: usize = 60;
const NAMES: [&str; 11] = [
    "",
    "f",
    "g",
    "d",
    "d/f",
    "d/e",
    "d/e/f",
    "x y",
    "p%20q",
    "missing/k",
    "f/k",
];
/// Operations of a path that have no result.
const ACTIONS: [&str; 4] = ["touch", "create_dir", "remove_file", "remove_dir"];
const QUESTIONS: [&str; 4] = ["is_file", "is_dir", "file_size", "dir_size"];
const WRITE: usize = 1;

/// An operation and its two paths.
#[derive(Clone, Copy, Debug)]
enum Step {
    Act(&'static str, &'static str),
    Ask(&'static str, &'static str),
    Move(&'static str, &'static str, &'static str),
    Copy(&'static str, &'static str, &'static str),
    /// Writes or appends a few bytes.
    Write(usize, &'static str, &'static str),
    /// Reads bytes: the offset and the number.
    Read(&'static str, u64, usize),
    List(&'static str),
    ListRecursively(&'static str),
}

fn step(random: &mut Random) -> Step {
    let (path, target) = (random.one_of(&NAMES), random.one_of(&NAMES[1..]));
    match random.below(16) {
        0..4 => Step::Act(random.one_of(&ACTIONS[..2]), path),
        // The root stays.
        4 => Step::Act(random.one_of(&ACTIONS[2..]), target),
        5 | 6 => Step::Ask(random.one_of(&QUESTIONS), path),
        7 => Step::Move(
            random.one_of(&["move_file", "move_dir"]),
            random.one_of(&NAMES[1..]),
            target,
        ),
        8 => Step::Copy(
            random.one_of(&["copy_file", "copy_dir"]),
            random.one_of(&NAMES[1..]),
            target,
        ),
        9..12 => Step::Write(
            WRITE + random.below(2) as usize,
            target,
            random.one_of(&["", "abc", "0123456789"]),
        ),
        12 | 13 => Step::Read(
            path,
            random.one_of(&[0, 0, 1, 5, 20]),
            random.one_of(&[1, 3, 10]),
        ),
        14 => Step::List(path),
        _ => Step::ListRecursively(path),
    }
}

/// A library with its own folder.
struct Side<'a> {
    library: &'a Library,
    vfs: usize,
    root: PathBuf,
}

impl Side<'_> {
    fn path(&self, name: &str) -> CString {
        let path = self.root.join(name);
        CString::new(path.to_str().expect("path").trim_end_matches('/')).expect("path")
    }

    /// Replaces the folder in a text.
    fn relative(&self, text: &str) -> String {
        text.replace(self.root.to_str().expect("path"), "ROOT")
    }

    /// Returns the results of a step, or its error.
    fn run(&self, step: Step) -> Result<Vec<String>, String> {
        self.results(step).map_err(|error| self.relative(&error))
    }

    fn results(&self, step: Step) -> Result<Vec<String>, String> {
        let call = |name: &str, paths: &[&CString], rest: &[usize]| {
            let paths = paths.iter().map(|path| path.as_ptr() as usize);
            let arguments: Vec<usize> = [self.vfs]
                .into_iter()
                .chain(paths)
                .chain(rest.iter().copied())
                .collect();
            self.library.attempt(&format!("vfs_{name}"), &arguments)
        };
        match step {
            Step::Act(name, path) => call(name, &[&self.path(path)], &[])?,
            Step::Ask(name, path) => {
                let mut result = 0u64;
                call(name, &[&self.path(path)], &[address(&mut result)])?;
                return Ok(vec![result.to_string()]);
            }
            Step::Move(name, from, to) | Step::Copy(name, from, to) => {
                call(name, &[&self.path(from), &self.path(to)], &[])?;
            }
            Step::Write(mode, path, bytes) => self.write(mode, path, bytes)?,
            Step::Read(path, offset, len) => return self.read(path, offset, len),
            Step::List(path) => {
                let mut found = Found::default();
                let callback = on_name as *const c_void as usize;
                call("ls", &[&self.path(path)], &[callback, address(&mut found)])?;
                return Ok(self.sorted(found));
            }
            Step::ListRecursively(path) => {
                let mut found = Found::default();
                let callback = on_entry as *const c_void as usize;
                call(
                    "ls_recursive_v2",
                    &[&self.path(path)],
                    &[callback, address(&mut found)],
                )?;
                return Ok(self.sorted(found));
            }
        }
        Ok(Vec::new())
    }

    fn sorted(&self, found: Found) -> Vec<String> {
        let mut found: Vec<String> = found.0.iter().map(|name| self.relative(name)).collect();
        found.sort();
        found
    }

    fn write(&self, mode: usize, path: &str, bytes: &str) -> Result<(), String> {
        let (library, path) = (self.library, self.path(path));
        let file = library.try_make("vfs_open", &[self.vfs, path.as_ptr() as usize, mode])?;
        let arguments = [file, bytes.as_ptr() as usize, bytes.len()];
        let written = library.attempt("vfs_write", &arguments);
        let closed = library.attempt("vfs_close", &[file]);
        library.free("vfs_fh_free", file);
        written.and(closed)
    }

    fn read(&self, path: &str, offset: u64, len: usize) -> Result<Vec<String>, String> {
        let (library, path) = (self.library, self.path(path));
        let mut bytes = [0u8; 16];
        let file = library.try_make("vfs_open", &[self.vfs, path.as_ptr() as usize, 0])?;
        let arguments = [file, offset as usize, bytes.as_mut_ptr() as usize, len];
        let read = library.attempt("vfs_read", &arguments);
        library.free("vfs_fh_free", file);
        read.map(|()| vec![format!("{bytes:?}")])
    }

    /// Returns all files below the folder with their sizes.
    fn files(&self) -> Vec<(String, u64)> {
        let (mut folders, mut found) = (vec![self.root.clone()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("folder") {
                let path = entry.expect("entry").path();
                let size = if path.is_dir() {
                    0
                } else {
                    fs::metadata(&path).expect("file").len()
                };
                found.push((self.relative(path.to_str().expect("path")), size));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// The results of a listing.
#[derive(Default)]
struct Found(Vec<String>);

extern "C" fn on_name(path: *const u8, found: &mut Found) -> i32 {
    // SAFETY: the library passes a string with a terminating zero.
    let path = unsafe { std::ffi::CStr::from_ptr(path.cast()) };
    found.0.push(path.to_string_lossy().into_owned());
    1
}

extern "C" fn on_entry(
    path: *const u8,
    len: usize,
    size: u64,
    folder: u8,
    found: &mut Found,
) -> i32 {
    let path = bytes_of(path, len);
    let size = if folder == 0 { size } else { 0 };
    found.0.push(format!(
        "{} {size} {folder}",
        String::from_utf8_lossy(&path)
    ));
    1
}

/// Returns whether a step is one of those that docs/differences lists, or is not defined: copies to
/// missing folders and of folders into existing ones, and copies and moves of a folder into itself.
fn is_different(step: Step, root: &Path) -> bool {
    match step {
        Step::Copy(_, from, to) | Step::Move(_, from, to) => {
            let nested = from.starts_with(to) || to.starts_with(from);
            let parent = root.join(to);
            let parent = parent.parent().is_some_and(Path::is_dir);
            let merges = matches!(step, Step::Copy("copy_dir", ..)) && root.join(to).is_dir();
            nested || merges || !root.join(from).exists() || !parent
        }
        Step::ListRecursively(path) => !root.join(path).is_dir(),
        _ => false,
    }
}

/// Returns whether the error of a step has other words than libtiledb's: that of a copy, or of a
/// path below a file.
fn has_own_words(step: Step, root: &Path) -> bool {
    let is_below_file = |name: &str| {
        let path = root.join(name);
        path.ancestors().skip(1).any(Path::is_file)
    };
    match step {
        Step::Copy(..) => true,
        Step::Act(_, path) | Step::Write(_, path, _) => is_below_file(path),
        Step::Move(_, from, to) => is_below_file(from) || is_below_file(to),
        _ => false,
    }
}

/// Runs a random program with both libraries.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let sides = [(ours, "one"), (theirs, "two")].map(|(library, name)| {
        let root = folder.join(name);
        fs::create_dir_all(&root).expect("folder");
        let vfs = library.make("vfs_alloc", &[0]);
        Side { library, vfs, root }
    });
    let mut random = Random(seed);
    for number in 0..STEPS {
        let step = step(&mut random);
        if is_different(step, &sides[0].root) {
            continue;
        }
        let [one, other] = sides.each_ref().map(|side| side.run(step));
        let both_fail = one.is_err() && other.is_err();
        let is_worded_otherwise = both_fail && has_own_words(step, &sides[0].root);
        assert!(
            is_worded_otherwise || one == other,
            "step {number}: {step:?}: {one:?}, libtiledb {other:?}"
        );
        let [one, other] = sides.each_ref().map(Side::files);
        assert_eq!(one, other, "after step {number}: {step:?}");
    }
    for side in &sides {
        side.library.free("vfs_free", side.vfs);
    }
    true
}
