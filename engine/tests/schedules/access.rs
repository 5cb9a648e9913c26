//! The names that a storage call reads and changes, and whether two calls conflict.

use tiledb_engine::internal::vfs::{LockMode, Uri};

/// A storage call that is about to happen.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) action: &'static str,
    pub(crate) uri: String,
    parts: Vec<Part>,
    /// Whether the call changes nothing and waits for a change by another thread.
    pub(crate) is_pause: bool,
}

/// A name that a call accesses.
#[derive(Clone, Debug)]
struct Part {
    path: String,
    effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Depends on the file or folder of this name.
    Read,
    /// Creates, replaces or removes the file or folder of this name.
    Write,
    /// Removes or moves a folder with everything below it.
    WriteTree,
    /// Depends on the names in a folder.
    List,
    /// Adds or removes a name in a folder.
    ChangeList,
    Lock(LockMode),
}

impl Access {
    /// Returns a call without effects that other threads can see.
    pub(crate) fn private(action: &'static str, uri: &Uri) -> Self {
        let uri = uri.path().trim_end_matches('/').to_owned();
        Self {
            action,
            uri,
            parts: Vec::new(),
            is_pause: false,
        }
    }

    pub(crate) fn pause(uri: &Uri) -> Self {
        let mut access = Self::private("pause", uri);
        access.is_pause = true;
        access
    }

    pub(crate) fn reads(action: &'static str, uri: &Uri) -> Self {
        Self::private(action, uri).and(Effect::Read)
    }

    pub(crate) fn lists(action: &'static str, uri: &Uri) -> Self {
        Self::private(action, uri)
            .and(Effect::Read)
            .and(Effect::List)
    }

    /// Returns a call that changes the content of a file.
    pub(crate) fn fills(action: &'static str, uri: &Uri) -> Self {
        Self::private(action, uri).and(Effect::Write)
    }

    /// Returns a call that creates, replaces or removes one name.
    pub(crate) fn writes(action: &'static str, uri: &Uri) -> Self {
        Self::private(action, uri)
            .and(Effect::Write)
            .and_its_folder()
    }

    /// Returns a call that removes or moves a folder.
    pub(crate) fn writes_tree(action: &'static str, uri: &Uri) -> Self {
        Self::private(action, uri)
            .and(Effect::WriteTree)
            .and_its_folder()
    }

    /// Returns a call that moves a file or folder.
    pub(crate) fn moves(action: &'static str, from: &Uri, to: &Uri) -> Self {
        let mut access = Self::writes_tree(action, from);
        access.parts.extend(Self::writes_tree(action, to).parts);
        access
    }

    pub(crate) fn locks(uri: &Uri, mode: LockMode) -> Self {
        Self::private("lock", uri).and(Effect::Lock(mode))
    }

    fn and(mut self, effect: Effect) -> Self {
        let path = self.uri.clone();
        self.parts.push(Part { path, effect });
        self
    }

    fn and_its_folder(mut self) -> Self {
        if let Some((folder, _)) = self.uri.rsplit_once('/') {
            for effect in [Effect::Read, Effect::ChangeList] {
                let path = folder.to_owned();
                self.parts.push(Part { path, effect });
            }
        }
        self
    }

    /// Returns the folder and the mode of the lock that the call takes.
    pub(crate) fn lock(&self) -> Option<(&str, LockMode)> {
        self.parts.iter().find_map(|part| match part.effect {
            Effect::Lock(mode) => Some((part.path.as_str(), mode)),
            _ => None,
        })
    }

    /// Returns the folders whose names change.
    pub(crate) fn changed_folders(&self) -> impl Iterator<Item = &str> {
        let changed = self
            .parts
            .iter()
            .filter(|part| part.effect == Effect::ChangeList);
        changed.map(|part| part.path.as_str())
    }

    /// Returns whether the order of two calls of different threads can make a difference.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        self.parts
            .iter()
            .any(|one| other.parts.iter().any(|other| one.conflicts(other)))
    }
}

impl Part {
    fn conflicts(&self, other: &Self) -> bool {
        use Effect::{ChangeList, List, Lock, Read, Write, WriteTree};
        let is_same = self.path == other.path;
        match (self.effect, other.effect) {
            (Lock(one), Lock(other)) => {
                is_same && (one == LockMode::Exclusive || other == LockMode::Exclusive)
            }
            (Lock(_), _) | (_, Lock(_)) => false,
            (WriteTree, WriteTree) => {
                is_below(&self.path, &other.path) || is_below(&other.path, &self.path)
            }
            (WriteTree, _) => is_below(&other.path, &self.path),
            (_, WriteTree) => is_below(&self.path, &other.path),
            (Write, Write | Read) | (Read, Write) | (List, ChangeList) | (ChangeList, List) => {
                is_same
            }
            _ => false,
        }
    }
}

/// Returns whether a path is a folder itself or below it.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
