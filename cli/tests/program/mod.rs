//! The program in a temporary folder.
#![allow(dead_code, reason = "each test uses what it needs")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder in which the program runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.write_bytes(name, text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("write");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("read")
    }

    pub(crate) fn read_bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("read")
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("folder").flatten();
        let names = entries.map(|entry| entry.file_name().into_string().expect("name"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Runs the program; returns its exit code, output and errors.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_with_input(arguments, b"")
    }

    /// Runs the program with a pipe as its standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tiledb-rs"))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        let output = std::thread::scope(|scope| {
            // The program may end before it has read everything.
            scope.spawn(move || drop(pipe.write_all(input)));
            child.wait_with_output().expect("the program ends")
        });
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let code = output.status.code().expect("an exit code");
        (code, text(output.stdout), text(output.stderr))
    }

    /// Runs the program, which must succeed; returns its output.
    pub(crate) fn output(&self, arguments: &[&str]) -> String {
        let (code, output, errors) = self.run(arguments);
        assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}");
        output
    }

    /// Runs the program, which must fail with this code and print no result; returns its errors.
    pub(crate) fn error(&self, arguments: &[&str], code: i32) -> String {
        let (found, output, errors) = self.run(arguments);
        assert_eq!(
            (found, output.as_str()),
            (code, ""),
            "{arguments:?}: {errors}"
        );
        assert!(!errors.contains("panicked"), "{errors}");
        errors
    }
}
