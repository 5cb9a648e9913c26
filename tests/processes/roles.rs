//! The work of each process until it is stopped.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::arrays::maintenance::{MODES, consolidate, consolidate_group, vacuum, vacuum_group};
use crate::arrays::schema::{self, ENUMERATED, LABELLED};
use crate::arrays::{OpenArray, READ, c_path, state, text};
use crate::library::Library;
use crate::log::{Counter, Counts, Log, WRITERS};
use crate::report::Report;
use crate::{array, group};

/// The minimum age of replaced fragments that vacuum removes from an array of [`Object::Kept`].
const MIN_AGE: Duration = Duration::from_secs(2);
/// The creators, and how many objects they create.
const CREATORS: u64 = 3;
pub(crate) const CREATIONS: u64 = 40;

/// Returns the URI of the bucket if the objects are on an object store.
pub(crate) fn object_store() -> Option<String> {
    std::env::var("OBJECT_STORE_URI").ok()
}

/// The object that the processes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Sparse,
    Dense,
    Group,
    /// A sparse array whose vacuum keeps what was replaced less than [`MIN_AGE`] ago.
    Kept,
    /// A sparse array that keeps cells with equal coordinates.
    Duplicates,
}

/// The role of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Writer(usize),
    Reader,
    Consolidator,
    Vacuum,
    /// Reads once, when the others have ended.
    Checker,
    /// Creates arrays and groups at the same time as the other creators.
    Creator(usize),
}

impl Object {
    pub(crate) const ALL: [Self; 5] = [
        Self::Sparse,
        Self::Dense,
        Self::Group,
        Self::Kept,
        Self::Duplicates,
    ];

    /// Returns the modes of consolidation and vacuum.
    pub(crate) fn modes(self) -> &'static [&'static str] {
        match self {
            Self::Group => &["group_meta"],
            Self::Sparse | Self::Dense | Self::Kept | Self::Duplicates => &MODES,
        }
    }
}

impl Role {
    pub(crate) const ALL: [Self; 12] = [
        Self::Writer(0),
        Self::Writer(1),
        Self::Writer(2),
        Self::Reader,
        Self::Reader,
        Self::Consolidator,
        Self::Consolidator,
        Self::Vacuum,
        Self::Checker,
        Self::Creator(0),
        Self::Creator(1),
        Self::Creator(2),
    ];

    /// Returns whether the process shares an object with others until it is stopped.
    pub(crate) fn shares(self) -> bool {
        !matches!(self, Self::Checker | Self::Creator(_))
    }

    /// Returns whether the process may be killed and started again. A write that is repeated stores
    /// cells twice if the array keeps duplicates.
    pub(crate) fn may_be_killed(self, object: Object) -> bool {
        self.shares() && (object != Object::Duplicates || !matches!(self, Self::Writer(_)))
    }
}

/// A process at work.
pub(crate) struct Process {
    pub(crate) library: Library,
    pub(crate) object: Object,
    path: PathBuf,
    uri: CString,
    log: Log,
    pub(crate) report: Report,
}

impl Process {
    /// Loads the library. Each process uses one thread, because there are more processes than
    /// cores.
    pub(crate) fn new(library: &Path, object: Object, folder: &Path) -> Self {
        let threads = [
            (c"sm.compute_concurrency_level", c"1"),
            (c"sm.io_concurrency_level", c"1"),
        ];
        let path = match object_store() {
            Some(base) => Path::new(&base).join(folder.file_name().expect("a name")),
            None => folder.to_owned(),
        };
        let path = path.join("object");
        Self {
            library: Library::load(library, "the library").with_context(&threads),
            object,
            uri: c_path(&path),
            path,
            log: Log::open(folder),
            report: Report::default(),
        }
    }

    /// Creates what the processes share.
    pub(crate) fn create(&self) {
        let created = match self.object {
            Object::Group => group::create(&self.library, &self.path),
            object => array::create(&self.library, &self.uri, object),
        };
        created.expect("the shared object");
    }

    pub(crate) fn run(&mut self, role: Role) {
        match role {
            Role::Writer(writer) => self.write(writer),
            Role::Reader => self.read(),
            Role::Consolidator => self.consolidate(),
            Role::Vacuum => self.vacuum(),
            Role::Checker => self.read_once(Duration::ZERO),
            Role::Creator(creator) => self.create_together(creator),
        }
    }

    fn write(&mut self, writer: usize) {
        assert!(writer < WRITERS);
        // Those of the process that was killed, if there was one.
        let mut counts = self.log.committed()[writer];
        for round in 1u64.. {
            let counter = match round % 5 {
                0 => Counter::Changes,
                // Each would add a cell to an array with duplicates.
                3 if self.object != Object::Duplicates => Counter::Rewrites,
                _ => Counter::Cells,
            };
            let from = counts[counter as usize];
            let to = match counter {
                Counter::Cells => from + 1 + round % 7,
                Counter::Rewrites | Counter::Changes => from + 1,
            };
            self.log.begin(writer, counter, to);
            let (library, uri) = (&self.library, &self.uri);
            let done = match (self.object, counter) {
                (Object::Group, Counter::Changes) => group::change(library, uri, writer, to),
                (Object::Group, Counter::Rewrites) => group::put(library, uri, writer, to),
                (Object::Group, Counter::Cells) => Ok(()),
                (_, Counter::Cells) => array::write(library, uri, writer, from..to),
                (_, Counter::Rewrites) => array::rewrite(library, uri, writer, to),
                (_, Counter::Changes) => array::change(library, uri, writer, to),
            };
            // A failed write is repeated with the same cells.
            if done.is_ok() {
                counts[counter as usize] = to;
                self.log.commit(writer, counter, to);
            }
            self.report.result("writes", done);
            if self.log.is_stopped() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2 + round % 9));
        }
    }

    fn read(&mut self) {
        for round in 1.. {
            // Every third read starts long after the open.
            let pause = if round % 3 == 0 { 10 * (round % 30) } else { 0 };
            self.read_once(Duration::from_millis(pause));
            if round % 4 == 0 && matches!(self.object, Object::Sparse | Object::Duplicates) {
                self.read_earlier();
            }
            if self.log.is_stopped() {
                break;
            }
        }
    }

    /// Reads the array as it was a moment ago. Consolidated fragments have the times of cells, so
    /// nothing is lost by a vacuum.
    fn read_earlier(&mut self) {
        let committed = self.log.committed();
        // Writes of the present millisecond may begin later; those that are committed have ended
        // before the millisecond that is read.
        std::thread::sleep(Duration::from_millis(2));
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.expect("a time after 1970").as_millis() as u64 - 1;
        let begun = self.log.begun();
        std::thread::sleep(Duration::from_millis(300));
        let (library, uri) = (&self.library, &self.uri);
        let array = match OpenArray::open(library, uri, READ, Some(time)) {
            Ok(array) => array,
            Err(error) => return self.report.bad(&format!("opens at a time: {error}")),
        };
        match array::read(library, &array, &begun) {
            Err(error) if error.contains("vacuum") => self.report.count("reads after a vacuum"),
            Err(error) => self.report.bad(&format!("reads at a time: {error}")),
            Ok(content) => {
                let checked = content
                    .without_metadata(&committed)
                    .check(&committed, &begun);
                self.report.result("reads at a time", checked);
            }
        }
    }

    /// Opens, waits, reads, checks.
    fn read_once(&mut self, pause: Duration) {
        let committed = self.log.committed();
        let start = Instant::now();
        let (library, uri) = (&self.library, &self.uri);
        let read = match self.object {
            Object::Group => group::open(library, uri).map(|group| {
                self.report.count("opens");
                let begun = self.log.begun();
                std::thread::sleep(pause);
                group::read(library, &group).map(|content| {
                    let begun = until_now(begun, &self.log, Counter::Rewrites);
                    content.check(&committed, &begun)
                })
            }),
            _ => OpenArray::open(library, uri, READ, None).map(|array| {
                self.report.count("opens");
                let begun = self.log.begun();
                std::thread::sleep(pause);
                array::read(library, &array, &begun).map(|content| {
                    let begun = until_now(begun, &self.log, Counter::Changes);
                    content.check(&committed, &begun)
                })
            }),
        };
        let is_kept = self.object == Object::Kept && start.elapsed() < MIN_AGE;
        match read {
            Err(error) => self.report.bad(&format!("opens: {error}")),
            Ok(Err(error)) if error.contains("vacuum") && !is_kept => {
                self.report.count("reads after a vacuum");
            }
            Ok(Err(error)) => self.report.bad(&format!("reads: {error}")),
            Ok(Ok(checked)) => self.report.result("reads", checked),
        }
    }

    fn consolidate(&mut self) {
        loop {
            for mode in self.object.modes() {
                let (library, uri) = (&self.library, &self.uri);
                let done = match self.object {
                    Object::Group => consolidate_group(library, uri),
                    _ => consolidate(library, uri, mode, &[]),
                };
                self.report
                    .result(&format!("consolidations of {mode}"), done);
                std::thread::sleep(Duration::from_millis(15));
            }
            if self.log.is_stopped() {
                break;
            }
        }
    }

    fn vacuum(&mut self) {
        loop {
            self.vacuum_once(true);
            if self.log.is_stopped() {
                break;
            }
        }
    }

    /// Vacuums in all modes. `others_run`: whether writers may be running.
    pub(crate) fn vacuum_once(&mut self, others_run: bool) {
        for mode in self.object.modes() {
            let (library, uri) = (&self.library, &self.uri);
            let done = match self.object {
                Object::Group => vacuum_group(library, uri, &[]),
                Object::Kept => vacuum(library, uri, mode, &[(c"sm.vacuum.min_age_ms", c"2000")]),
                _ => vacuum(library, uri, mode, &[]),
            };
            self.report.result(&format!("vacuums of {mode}"), done);
            std::thread::sleep(Duration::from_millis(5));
        }
        if self.object != Object::Group {
            // Running writers hold locks on their fragments, which are therefore never garbage. On
            // object stores only their age protects them.
            let age = match object_store() {
                Some(_) if others_run => c"100000",
                _ => c"0",
            };
            let age = (c"sm.vacuum.garbage_min_age_ms", age);
            let done = vacuum(&self.library, &self.uri, "garbage", &[age]);
            self.report.result("vacuums of garbage", done);
        }
    }

    /// Creates objects at the same time as other creators. One creator succeeds; the first one
    /// checks the objects.
    fn create_together(&mut self, creator: usize) {
        let folder = self.path.parent().expect("a folder").to_owned();
        for round in 0..CREATIONS {
            let name = format!("created{round}");
            let uri = c_path(&folder.join(&name));
            self.log.wait_for(CREATORS, 2 * round);
            let library = &self.library;
            let created = match self.object {
                Object::Sparse | Object::Kept | Object::Duplicates => {
                    schema::create(library, &uri, ENUMERATED)
                }
                Object::Dense => schema::create(library, &uri, LABELLED),
                Object::Group => library.attempt("group_create", &[text(&uri)]),
            };
            match created {
                Ok(()) => self.report.count("creates"),
                Err(error) if error.contains("already") => {
                    self.report.count("creates that are refused")
                }
                Err(error) => self.report.bad(&format!("creates: {error}")),
            }
            self.log.wait_for(CREATORS, 2 * round + 1);
            if creator == 0 {
                self.look_at(&folder, &name);
            }
        }
    }

    /// Checks that an object is complete: its state is that of an object that one process created.
    fn look_at(&mut self, folder: &Path, name: &str) {
        let seen = state::object(&self.library, folder, name);
        let parts = if self.object == Object::Dense { 2 } else { 1 };
        let good = |text: &str| text.starts_with("array\n") || text.starts_with("group\n");
        if seen.len() == parts && seen.iter().all(|(_, text)| good(text)) {
            self.report.count("complete objects");
        } else {
            self.report.bad(&format!("looks at {seen:?}"));
        }
        let others = std::fs::read_dir(folder.join(name).join("__labels"));
        let labels = others.into_iter().flatten().count();
        if labels != parts - 1 {
            self.report.bad(&format!("looks at {labels} labels"));
        }
    }
}

/// Replaces one counter by its current value: metadata is read when it is first needed, and newer
/// values may be visible if the listed files have been merged meanwhile (G1).
fn until_now(mut begun: Counts, log: &Log, counter: Counter) -> Counts {
    for (counts, now) in begun.iter_mut().zip(log.begun()) {
        counts[counter as usize] = now[counter as usize];
    }
    begun
}
