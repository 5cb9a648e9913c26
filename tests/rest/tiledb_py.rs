//! TileDB-Py at `tiledb://` URIs with this library: the program `tiledb_py.py` prints what it
//! prints with libtiledb in a folder.
//!
//! `TILEDB_RS_PYTHON`, or `python3`, has to have TileDB-Py 0.36.1; the test is skipped otherwise.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arrays::TestFolder;
use crate::server::{Protocol, Server};
use crate::{shared_library, upstream};

const VERSION: &str = "0.36.1";

/// A Python with TileDB-Py.
struct Python {
    program: String,
    /// The folder that contains the package.
    packages: PathBuf,
}

impl Python {
    fn find() -> Option<Self> {
        let program = std::env::var("TILEDB_RS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let code =
            "import numpy, os, tiledb; print(tiledb.__version__, os.path.dirname(tiledb.__file__))";
        let output = Command::new(&program).args(["-c", code]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (version, package) = text.trim().split_once(' ')?;
        let packages = Path::new(package).parent()?.to_owned();
        (version == VERSION).then_some(Self { program, packages })
    }

    /// Returns a folder with the same package on this library.
    fn on_ours(&self, folder: &Path) -> PathBuf {
        let site = folder.join("site");
        let libraries = site.join("tiledb.libs");
        fs::create_dir_all(&libraries).expect("a folder");
        let mut copy = Command::new("cp");
        copy.arg("-R").arg(self.packages.join("tiledb")).arg(&site);
        assert!(copy.status().expect("cp").success());
        for entry in fs::read_dir(self.packages.join("tiledb.libs")).expect("libraries") {
            let entry = entry.expect("a library");
            let name = entry.file_name().to_string_lossy().into_owned();
            let library = if name.starts_with("libtiledb-") {
                shared_library::path()
            } else {
                entry.path()
            };
            symlink(library, libraries.join(name)).expect("a link");
        }
        site
    }

    /// Runs the program at a URI. Returns what it prints.
    fn run(&self, site: Option<&Path>, root: &str, server: Option<&Server>) -> String {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rest/tiledb_py.py");
        let mut command = Command::new(&self.program);
        command.arg(program).arg(root).env_remove("PYTHONPATH");
        if let Some(site) = site {
            command.env("PYTHONPATH", site);
        }
        if let Some(server) = server {
            command.env("TILEDB_REST_SERVER_ADDRESS", server.address());
            command.env("TILEDB_REST_TOKEN", "token");
        }
        let output = command.output().expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{root}: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs the program at a server with `library`, again if a signal ended the server: that of
    /// libtiledb has segmentation faults now and then.
    fn run_at_server(
        &self,
        site: Option<&Path>,
        library: &Path,
        folder: &Path,
        protocol: Protocol,
    ) -> String {
        for attempt in 0..3 {
            let folder = folder.join(attempt.to_string());
            let mut server = Server::start(library, &folder, protocol).expect("Python");
            let printed = self.run(site, server.root(), Some(&server));
            if !server.was_killed() {
                return printed;
            }
        }
        panic!("a signal ended the server of {library:?} three times");
    }
}

/// Returns the output without the section of string dimensions: libtiledb's client receives their
/// non-empty domain without its end, with which TileDB-Py reads fewer cells.
fn without_strings(output: &str) -> String {
    let mut is_kept = true;
    let lines = output.lines().filter(|line| {
        if !line.starts_with(' ') {
            is_kept = *line != "sparse";
        }
        is_kept
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn tiledb_py_prints_at_a_server_what_it_prints_in_a_folder() {
    let Some(python) = Python::find() else {
        println!(
            "skipped: no Python with TileDB-Py {VERSION}; TILEDB_RS_PYTHON selects another one"
        );
        return;
    };
    let folder = TestFolder::new("rest-tiledb-py");
    let site = python.on_ours(folder.path());
    let local = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(&path).expect("a folder");
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    let expected = python.run(None, &local("of-libtiledb"), None);
    assert!(!expected.contains("failed:"), "{expected}");
    assert_eq!(python.run(Some(&site), &local("of-ours"), None), expected);
    let servers = [Some(shared_library::path()), upstream()];
    for (number, of_server) in servers.iter().flatten().enumerate() {
        for protocol in [Protocol::Workspaces, Protocol::Namespaces] {
            let served = folder.path().join(format!("served-{number}-{protocol:?}"));
            let found = python.run_at_server(Some(&site), of_server, &served, protocol);
            assert_eq!(found, expected, "{of_server:?} {protocol:?}");
        }
    }
    let Some(theirs) = upstream() else {
        return;
    };
    let served = folder.path().join("served-libtiledb");
    let found = python.run_at_server(None, &theirs, &served, Protocol::Workspaces);
    assert_eq!(without_strings(&found), without_strings(&expected));
}
