//! The library that injects faults: compiled from `shim.c`, loaded with `LD_PRELOAD`, called by
//! name.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arrays::c_path;

/// A fault. The numbers are those of `enum fault` in `shim.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process is killed instead of the call.
    Kill = 1,
    /// Half of the data is written, then the process is killed.
    Torn,
    /// Half of the data is written or read, which the call reports as success.
    Short,
    Enospc,
    Eio,
    Emfile,
    /// This call and all later ones that need space fail.
    Full,
    /// A signal interrupts the call before it does anything.
    Eintr,
    Eacces,
}

impl Fault {
    pub(crate) const ALL: [Self; 9] = [
        Self::Kill,
        Self::Torn,
        Self::Short,
        Self::Enospc,
        Self::Eio,
        Self::Emfile,
        Self::Full,
        Self::Eintr,
        Self::Eacces,
    ];

    /// Returns whether the fault can happen at a call of this name, as `shim.c` names it.
    pub(crate) fn applies_to(self, call: &str) -> bool {
        match self {
            Self::Eio => true,
            Self::Kill => !reads(call) && call != "close",
            Self::Torn => call == "write",
            Self::Short => matches!(call, "write" | "read"),
            Self::Emfile => matches!(call, "open" | "open-to-read"),
            Self::Enospc => {
                matches!(
                    call,
                    "open" | "write" | "mkdir" | "rename" | "link" | "close"
                )
            }
            Self::Full => matches!(call, "open" | "write" | "mkdir" | "rename" | "link"),
            Self::Eintr => matches!(call, "open" | "open-to-read" | "write" | "read" | "lock"),
            Self::Eacces => matches!(call, "open-to-read" | "look-up" | "list"),
        }
    }

    /// Returns whether the operation must succeed in spite of the fault.
    pub(crate) fn is_harmless(self) -> bool {
        matches!(self, Self::Short | Self::Eintr)
    }

    /// Returns whether the process ends at the call.
    pub(crate) fn kills(self) -> bool {
        matches!(self, Self::Kill | Self::Torn)
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|fault| fault.to_string() == name)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "kill",
            Self::Torn => "torn",
            Self::Short => "short",
            Self::Enospc => "enospc",
            Self::Eio => "eio",
            Self::Emfile => "emfile",
            Self::Full => "full",
            Self::Eintr => "eintr",
            Self::Eacces => "eacces",
        })
    }
}

/// Returns whether a call only reads. `call` starts with its name, as `shim.c` states it.
pub(crate) fn reads(call: &str) -> bool {
    let name = call.split(' ').next().unwrap_or_default();
    matches!(name, "open-to-read" | "read" | "look-up" | "list" | "lock")
}

/// Compiles the library into a folder and returns its path.
pub(crate) fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shim.c");
    let library = folder.join("shim.so");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compiled = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .expect("a C compiler");
    assert!(compiled.success(), "shim.c does not compile");
    library
}

/// Counts the file-changing calls below a folder from now on, and injects the fault at the call
/// with its number.
pub(crate) fn arm(folder: &Path, fault: Option<(usize, Fault)>) {
    type Arm = unsafe extern "C" fn(*const c_char, c_long, c_int);
    let folder = c_path(folder);
    let (call, kind) = fault.map_or((0, 0), |(call, fault)| (call as c_long, fault as c_int));
    // SAFETY: the preloaded library defines the function with this signature; it copies the path.
    unsafe {
        let arm: Arm = std::mem::transmute(symbol(c"faults_arm"));
        arm(folder.as_ptr(), call, kind);
    }
}

/// Kills the process at the first call with this name on a path below the folder with this end.
pub(crate) fn kill_at(folder: &Path, name: &'static CStr, end: &'static CStr) {
    type KillAt = unsafe extern "C" fn(*const c_char, *const c_char);
    // SAFETY: the preloaded library defines the function with this signature; the texts are static.
    unsafe {
        let kill_at: KillAt = std::mem::transmute(symbol(c"faults_kill_at"));
        kill_at(name.as_ptr(), end.as_ptr());
    }
    arm(folder, None);
}

/// Stops counting. Returns the name and relative path of each call.
pub(crate) fn disarm() -> Vec<String> {
    type Disarm = unsafe extern "C" fn() -> c_long;
    type Log = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: the preloaded library defines the functions with these signatures; the log is a C
    // string in static memory.
    let log = unsafe {
        let disarm: Disarm = std::mem::transmute(symbol(c"faults_disarm"));
        let log: Log = std::mem::transmute(symbol(c"faults_log"));
        disarm();
        CStr::from_ptr(log())
    };
    log.to_string_lossy().lines().map(str::to_owned).collect()
}

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: looks a name up in the libraries of the process.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    assert!(!found.is_null(), "the process runs without {name:?}");
    found
}

/// The variable that loads the library into a process.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// Returns the value of [`PRELOAD`] with the library in front.
pub(crate) fn preload(library: &Path) -> String {
    let others = std::env::var(PRELOAD).unwrap_or_default();
    format!("{} {others}", library.display())
}
