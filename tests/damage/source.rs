//! The arrays and groups that are damaged: files in memory, copied to a folder for each case.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};

use tiledb_engine::internal::types::EncryptionKey;

/// An array or a group on storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// The folder that the object is in, below the folder of arrays.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) is_group: bool,
    pub(crate) encrypted: bool,
}

/// Files by their paths below the object, and folders without files; `None` is a folder.
pub(crate) type Files = BTreeMap<String, Option<Vec<u8>>>;

/// The key of all encrypted arrays.
const KEY: &str = "0123456789abcdeF0123456789abcdeF";

impl Source {
    /// Returns all objects below the folders, in an order that does not change.
    pub(crate) fn all(folders: &[PathBuf]) -> Vec<Self> {
        let mut found = Vec::new();
        for folder in folders {
            // <format version>/<name>/{array,group}, or <name>/{array,group}.
            let mut names: Vec<PathBuf> = below(folder);
            names.extend(
                names
                    .clone()
                    .iter()
                    .flat_map(|version_folder| below(version_folder)),
            );
            for path in names {
                for kind in ["array", "group"] {
                    let object = path.join(kind);
                    if object.is_dir() && below(&path).len() == 1 {
                        let name = path.strip_prefix(folder).expect("below the folder");
                        let name = name.to_string_lossy().into_owned();
                        found.push(Self {
                            encrypted: name.contains("encrypted"),
                            name,
                            folder: object,
                            is_group: kind == "group",
                        });
                    }
                }
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    /// Returns the files of the object.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        read_below(&self.folder, "", &mut files);
        files
    }

    pub(crate) fn key(&self) -> Option<EncryptionKey> {
        EncryptionKey::new(KEY.as_bytes()).filter(|_| self.encrypted)
    }

    pub(crate) fn key_text(&self) -> Option<CString> {
        let key = CString::new(KEY).expect("a key without a zero");
        self.encrypted.then_some(key)
    }
}

/// Returns the folders in a folder, sorted.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn read_below(folder: &Path, path: &str, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name();
        let path = format!("{path}{}", name.to_string_lossy());
        if entry.path().is_dir() {
            read_below(&entry.path(), &format!("{path}/"), files);
            files.insert(path, None);
        } else {
            let bytes = fs::read(entry.path()).expect("a file");
            files.insert(path, Some(bytes));
        }
    }
}

/// Writes files below a folder, which is created.
pub(crate) fn write(files: &Files, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    // A mutation may have put a file where other files need a folder; these are left out.
    for (path, content) in files {
        let path = folder.join(path);
        match content {
            None => drop(fs::create_dir_all(path)),
            Some(bytes) => {
                if let Some(parent) = path.parent() {
                    drop(fs::create_dir_all(parent));
                }
                drop(fs::write(path, bytes));
            }
        }
    }
}
