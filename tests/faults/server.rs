//! A process that loads a library and forks a child for each request, so that each child can be
//! killed and starts with empty caches.
//!
//! Requests are lines of fields separated by tabs. A reply is a line with its size and the child's
//! wait status, followed by sections: a line with the name and the size of the text, then the text.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::arrays::Done;
use crate::arrays::maintenance::{MODES, vacuum, vacuum_group};
use crate::arrays::state::Section;
use crate::left_behind;
use crate::library::Library;
use crate::operations::{self, Operation, Part, Session};
use crate::shim::{self, Fault};

/// Names the library that a server loads; makes this program a server.
pub(crate) const SERVE: &str = "TILEDB_RS_FAULTS_SERVE";
/// Makes a server handle reads in its own process: creating a context of libtiledb takes longer
/// than a read.
const RESIDENT: &str = "TILEDB_RS_FAULTS_RESIDENT";

/// The seconds after which a child that hangs is killed.
const PATIENCE: u32 = 60;

/// The request that a child carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Creates the state that the operation starts from.
    Prepare,
    /// Runs the operation that leads to a state between old and new; the number of the call says
    /// which.
    Between,
    /// Runs the operation, with a fault if there is one.
    Act,
    /// Reads the state.
    Read,
    /// Reads the state, repeats the operation, reads, vacuums, reads.
    Settle,
    /// Vacuums and reads.
    Vacuum,
}

const VERBS: [Verb; 6] = [
    Verb::Prepare,
    Verb::Between,
    Verb::Act,
    Verb::Read,
    Verb::Settle,
    Verb::Vacuum,
];

/// A request for one child.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) verb: Verb,
    pub(crate) operation: &'a str,
    pub(crate) folder: &'a Path,
    pub(crate) fault: Option<(usize, Fault)>,
}

/// The output of a child and its exit status.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    status: i32,
    sections: Vec<Section>,
}

impl Reply {
    /// Returns the text of a section.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.sections.iter().find(|section| section.0 == name);
        found.map(|(_, text)| text.as_str())
    }

    /// Returns the sections whose names have a prefix, without it.
    pub(crate) fn below(&self, prefix: &str) -> Vec<Section> {
        let below = self.sections.iter().filter_map(|(name, text)| {
            let name = name.strip_prefix(prefix)?;
            Some((name.to_owned(), text.clone()))
        });
        below.collect()
    }

    pub(crate) fn was_killed(&self) -> bool {
        libc::WIFSIGNALED(self.status) && libc::WTERMSIG(self.status) == libc::SIGKILL
    }

    /// Returns how the child ended if it did not end normally.
    pub(crate) fn crash(&self) -> Option<String> {
        if libc::WIFSIGNALED(self.status) {
            return Some(match libc::WTERMSIG(self.status) {
                libc::SIGALRM => "hangs".to_owned(),
                signal => format!("dies of signal {signal}"),
            });
        }
        let code = libc::WEXITSTATUS(self.status);
        (code != 0).then(|| format!("panics: {}", self.get("panic").unwrap_or("exit")))
    }
}

/// A running server.
pub(crate) struct Server {
    library: PathBuf,
    shim: Option<PathBuf>,
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server for a library. With the shim its children can have faults; without it, the
    /// server only reads.
    pub(crate) fn start(library: &Path, shim: Option<&Path>) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .args([
                "--exact",
                "serves_requests",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(SERVE, library)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        match shim {
            Some(shim) => command.env(shim::PRELOAD, shim::preload(shim)),
            None => command.env(RESIDENT, "1"),
        };
        let mut child = command.spawn().expect("a server");
        let requests = child.stdin.take().expect("its input");
        let mut replies = BufReader::new(child.stdout.take().expect("its output"));
        // The test harness writes lines of its own first.
        let mut line = String::new();
        while line.trim_end() != "ready" {
            line.clear();
            let read = replies.read_line(&mut line).expect("a line");
            assert!(
                read > 0,
                "the server of {} does not start",
                library.display()
            );
        }
        Self {
            library: library.to_owned(),
            shim: shim.map(Path::to_owned),
            child,
            requests,
            replies,
        }
    }

    /// Sends a request and waits for the reply. If the server ends, the request is sent once more
    /// to a new server: threads of libtiledb that remain after a failed open can end the process
    /// later.
    pub(crate) fn ask(&mut self, request: &Request<'_>) -> Reply {
        if let Ok(reply) = self.try_ask(request) {
            return reply;
        }
        self.restart();
        match self.try_ask(request) {
            Ok(reply) => reply,
            Err(_) => Reply {
                status: self.restart(),
                sections: Vec::new(),
            },
        }
    }

    fn try_ask(&mut self, request: &Request<'_>) -> std::io::Result<Reply> {
        let verb = VERBS.iter().position(|verb| *verb == request.verb);
        let verb = verb.expect("a verb");
        let (call, fault) = request.fault.map_or((0, String::new()), |(call, fault)| {
            (call, fault.to_string())
        });
        let folder = request.folder.display();
        let line = format!("{verb}\t{}\t{folder}\t{call}\t{fault}\n", request.operation);
        self.requests.write_all(line.as_bytes())?;
        self.requests.flush()?;
        let mut line = String::new();
        self.replies.read_line(&mut line)?;
        let Some((size, status)) = line.trim_end().split_once(' ') else {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        };
        let mut bytes = vec![0; size.parse().expect("a size")];
        self.replies.read_exact(&mut bytes)?;
        Ok(Reply {
            status: status.parse().expect("a status"),
            sections: sections(&bytes),
        })
    }

    /// Replaces a server that has ended; returns its wait status.
    fn restart(&mut self) -> i32 {
        let ended = self.child.wait().expect("the server");
        *self = Self::start(&self.library.clone(), self.shim.clone().as_deref());
        ended.into_raw()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is not an error if the server has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn sections(mut bytes: &[u8]) -> Vec<Section> {
    let mut sections = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let Some((name, size)) = head.split_once('\t') else {
            break;
        };
        let size = size.parse().unwrap_or(0).min(bytes.len() - end - 1);
        let text = &bytes[end + 1..end + 1 + size];
        sections.push((name.to_owned(), String::from_utf8_lossy(text).into_owned()));
        bytes = &bytes[end + 1 + size..];
    }
    sections
}

/// Serves requests from the standard input until it ends.
pub(crate) fn serve(library: &Path) {
    let library = Library::load(library, "the library");
    let operations = operations::all();
    let resident = std::env::var_os(RESIDENT).map(|_| {
        [false, true].map(|encrypted| Session::new(&library, PathBuf::new(), encrypted).library)
    });
    let mut out = std::io::stdout();
    writeln!(out, "\nready").expect("a line");
    out.flush().expect("a line");
    for line in std::io::stdin().lines() {
        let line = line.expect("a line");
        let fields: Vec<&str> = line.split('\t').collect();
        let [verb, name, folder, call, fault] = fields[..] else {
            panic!("not a request: {line}");
        };
        let verb = VERBS[verb.parse::<usize>().expect("a verb")];
        let operation = operations.iter().find(|operation| operation.name == name);
        let operation = operation.expect("an operation");
        let fault = Fault::parse(fault).map(|fault| (call.parse().expect("a number"), fault));
        let folder = PathBuf::from(folder);
        let run = |session: Session, out: &mut dyn Write| {
            let mut worker = Worker {
                session,
                operation,
                out,
            };
            worker.run(verb, fault);
        };
        let (bytes, status) = match &resident {
            Some(contexts) => {
                let context = &contexts[usize::from(operation.encrypted)];
                let mut bytes = Vec::new();
                // SAFETY: the alarm signal ends the process, which is intended.
                unsafe { libc::alarm(PATIENCE) };
                run(Session::of(context, folder), &mut bytes);
                // SAFETY: as above.
                unsafe { libc::alarm(0) };
                (bytes, 0)
            }
            None => in_child(|out| {
                run(Session::new(&library, folder, operation.encrypted), out);
            }),
        };
        writeln!(out, "{} {status}", bytes.len()).expect("a reply");
        out.write_all(&bytes).expect("a reply");
        out.flush().expect("a reply");
    }
}

/// Runs a function in a forked child; returns what it wrote and its wait status.
pub(crate) fn in_child(run: impl FnOnce(&mut File)) -> (Vec<u8>, i32) {
    let mut ends = [0; 2];
    let mut status = 0;
    // SAFETY: no other threads run in this process, so the forked child may call any function.
    // Each end of the pipe gets one owner, and the child exits in this block.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0, "a pipe");
        let child = libc::fork();
        assert!(child >= 0, "a child");
        if child == 0 {
            libc::close(ends[0]);
            libc::alarm(PATIENCE);
            let mut out = File::from_raw_fd(ends[1]);
            let run = std::panic::AssertUnwindSafe(|| run(&mut out));
            let ended = std::panic::catch_unwind(run);
            libc::_exit(i32::from(ended.is_err()));
        }
        libc::close(ends[1]);
        let mut bytes = Vec::new();
        let mut input = File::from_raw_fd(ends[0]);
        input.read_to_end(&mut bytes).expect("the child's output");
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child, "the child");
        (bytes, status)
    }
}

/// A child at work.
struct Worker<'a> {
    session: Session,
    operation: &'a Operation,
    out: &'a mut dyn Write,
}

impl Worker<'_> {
    fn run(&mut self, verb: Verb, fault: Option<(usize, Fault)>) {
        match verb {
            Verb::Prepare => {
                let outcome = (self.operation.prepare)(&self.session);
                self.outcome("outcome", &outcome);
            }
            Verb::Between => {
                let (step, _) = fault.expect("the number of a step");
                let outcome = (self.operation.between[step])(&self.session);
                self.outcome("outcome", &outcome);
            }
            Verb::Act => {
                let expected = self
                    .operation
                    .read
                    .map(|read| self.read_without_fault(read));
                shim::arm(&self.session.folder, fault);
                let outcome = match self.operation.read {
                    Some(read) => read(&self.session).map(|seen| {
                        let expected = expected.expect("a read without a fault");
                        assert_eq!(seen, expected, "a fault changes what is read");
                    }),
                    None => (self.operation.act)(&self.session),
                };
                let calls = shim::disarm();
                self.outcome("outcome", &outcome);
                self.section("calls", &calls.join("\n"));
            }
            Verb::Read => self.state("read"),
            Verb::Settle => {
                self.state("read");
                let outcome = (self.operation.act)(&self.session);
                self.outcome("repeat", &outcome);
                self.state("repeated");
                self.vacuum();
            }
            Verb::Vacuum => self.vacuum(),
        }
    }

    /// Returns what another child reads, so that nothing remains in the caches of this one.
    fn read_without_fault(&self, read: fn(&Session) -> Done<String>) -> String {
        let (bytes, _) = in_child(|out| {
            let seen = read(&self.session).expect("a read");
            out.write_all(seen.as_bytes()).expect("the content");
        });
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn section(&mut self, name: &str, text: &str) {
        let text = format!("{name}\t{}\n{text}", text.len());
        self.out.write_all(text.as_bytes()).expect("a section");
    }

    fn outcome(&mut self, name: &str, outcome: &Done) {
        let text = outcome.as_ref().err().cloned().unwrap_or_default();
        let folder = self.session.folder.display().to_string();
        self.section(name, &text.replace(&folder, "@"));
    }

    fn state(&mut self, prefix: &str) {
        for (name, text) in self.operation.state(&self.session) {
            self.section(&format!("{prefix}/{name}"), &text);
        }
        let folders = self.operation.folders(&self.session);
        self.section(&format!("{prefix}-folders"), &folders);
        let layout = self.operation.layout(&self.session);
        self.section(&format!("{prefix}-layout"), &layout);
    }

    /// Vacuums the objects in all modes that both libraries have; then in the mode that removes
    /// what nothing refers to.
    fn vacuum(&mut self) {
        let outcome = self.for_each_object(|library, uri, kind| match kind {
            2 => MODES
                .iter()
                .try_for_each(|mode| vacuum(library, uri, mode, &[])),
            _ => vacuum_group(library, uri, &[]),
        });
        self.outcome("vacuum", &outcome);
        self.state("vacuumed");
        let at_once = (c"sm.vacuum.garbage_min_age_ms", c"0");
        let outcome = self.for_each_object(|library, uri, kind| match kind {
            2 => vacuum(library, uri, "garbage", &[at_once]),
            _ => vacuum_group(library, uri, &[at_once]),
        });
        self.outcome("garbage", &outcome);
        let left = left_behind::below(&self.session.folder);
        self.section("left", &left.join(", "));
        self.state("cleaned");
    }

    fn for_each_object(&self, act: impl Fn(&Library, &std::ffi::CStr, u32) -> Done) -> Done {
        let library = &self.session.library;
        for part in &self.operation.parts {
            let Part::Object(name) = part else { continue };
            let uri = crate::arrays::c_path(&self.session.folder.join(name));
            let mut kind = 0u32;
            let kind_at = crate::library::address(&mut kind);
            library.attempt("object_type", &[crate::arrays::text(&uri), kind_at])?;
            if kind != 0 {
                act(library, &uri, kind)?;
            }
        }
        Ok(())
    }
}
