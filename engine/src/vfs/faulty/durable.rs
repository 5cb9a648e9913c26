//! The content of storage after a loss of power: contents of files that were synced, and names
//! whose folder was synced.

use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The number of a file or folder, which stays the same when it is renamed.
pub(super) type Node = usize;

/// A name in a folder.
type Name = (Node, String);

/// The folder that everything is in.
const ROOT: Node = 0;

/// The content of a node.
#[derive(Debug)]
enum Content {
    Folder,
    File {
        bytes: Vec<u8>,
        /// Whether the bytes were synced since they changed.
        synced: bool,
        /// The bytes when they were last synced.
        durable: Vec<u8>,
    },
}

/// A file, or a folder for `None`, by its path.
pub(super) type Tree = BTreeMap<String, Option<Vec<u8>>>;

/// The changes that a loss of power discards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Everything that was not synced.
    Everything,
    /// The contents that were not synced; names stay.
    Contents,
    /// One content or one change of names, by its number; see [`super::Faulty::undurable`].
    One(usize),
}

/// Files and folders, each name and content with what it was when it was last durable.
#[derive(Debug)]
pub(super) struct Durable {
    nodes: Vec<Content>,
    names: BTreeMap<Name, Node>,
    durable_names: BTreeMap<Name, Node>,
    /// The names that each change touched which is not durable yet, in order. A rename touches two.
    changes: Vec<Vec<Name>>,
}

impl Default for Durable {
    fn default() -> Self {
        Self {
            nodes: vec![Content::Folder],
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            changes: Vec::new(),
        }
    }
}

/// Returns the names in a path.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

impl Durable {
    fn find(&self, path: &str) -> Option<Node> {
        parts(path).try_fold(ROOT, |folder, name| {
            self.names.get(&(folder, name.to_owned())).copied()
        })
    }

    /// Returns the folder of a path, and the name in it.
    fn split(&self, path: &str) -> Option<Name> {
        let mut names = parts(path);
        let last = names.next_back()?;
        let folder = names.try_fold(ROOT, |folder, name| {
            self.names.get(&(folder, name.to_owned())).copied()
        });
        Some((folder?, last.to_owned()))
    }

    fn add(&mut self, content: Content) -> Node {
        self.nodes.push(content);
        self.nodes.len() - 1
    }

    fn add_name(&mut self, name: Name, node: Node) {
        self.names.insert(name.clone(), node);
        self.record_change(vec![name]);
    }

    /// Records a change of names. Names at the top of the storage are durable at once: their folder
    /// cannot be synced.
    fn record_change(&mut self, names: Vec<Name>) {
        let (top, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.0 == ROOT);
        self.make_durable(&top.into_iter().collect());
        if !others.is_empty() {
            self.changes.push(others);
        }
    }

    fn make_durable(&mut self, names: &BTreeSet<Name>) {
        for name in names {
            match self.names.get(name) {
                Some(node) => drop(self.durable_names.insert(name.clone(), *node)),
                None => drop(self.durable_names.remove(name)),
            }
        }
    }

    pub(super) fn create_dir(&mut self, path: &str) {
        let mut folder = ROOT;
        for part in parts(path) {
            let name = (folder, part.to_owned());
            folder = match self.names.get(&name) {
                Some(known) => *known,
                None => {
                    let node = self.add(Content::Folder);
                    self.add_name(name, node);
                    node
                }
            };
        }
    }

    /// Creates a file, or empties the one that exists unless `keeps` its content.
    pub(super) fn open_file(&mut self, path: &str, keeps: bool) -> Node {
        if let Some(known) = self.find(path) {
            if !keeps {
                self.set(known, Vec::new());
            }
            return known;
        }
        let node = self.add(Content::File {
            bytes: Vec::new(),
            synced: true,
            durable: Vec::new(),
        });
        if let Some(name) = self.split(path) {
            self.add_name(name, node);
        }
        node
    }

    fn set(&mut self, node: Node, new: Vec<u8>) {
        if let Some(Content::File { bytes, synced, .. }) = self.nodes.get_mut(node) {
            *bytes = new;
            *synced = false;
        }
    }

    pub(super) fn append(&mut self, node: Node, more: &[u8]) {
        if let Some(Content::File { bytes, synced, .. }) = self.nodes.get_mut(node) {
            bytes.extend_from_slice(more);
            *synced = false;
        }
    }

    /// Creates a file whose content is durable and whose name is not.
    pub(super) fn publish_file(&mut self, path: &str, bytes: &[u8]) {
        let node = self.open_file(path, false);
        self.set(node, bytes.to_vec());
        self.sync_node(node);
    }

    pub(super) fn remove_file(&mut self, path: &str) {
        if let Some(name) = self.split(path) {
            self.names.remove(&name);
            self.record_change(vec![name]);
        }
    }

    /// Removes a folder and everything in it, name by name.
    pub(super) fn remove_dir(&mut self, path: &str) {
        let Some(folder) = self.find(path) else {
            return;
        };
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            let inside: Vec<_> = self
                .names
                .range((folder, String::new())..(folder + 1, String::new()))
                .map(|(name, node)| (name.clone(), *node))
                .collect();
            for (name, node) in inside {
                self.names.remove(&name);
                self.record_change(vec![name]);
                folders.push(node);
            }
        }
        self.remove_file(path);
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let (Some(old), Some(new)) = (self.split(from), self.split(to)) else {
            return;
        };
        if let Some(node) = self.names.remove(&old) {
            self.names.insert(new.clone(), node);
            self.record_change(vec![old, new]);
        }
    }

    pub(super) fn sync(&mut self, path: &str) {
        if let Some(node) = self.find(path) {
            self.sync_node(node);
        }
    }

    pub(super) fn sync_node(&mut self, node: Node) {
        if let Some(Content::File {
            bytes,
            synced,
            durable,
        }) = self.nodes.get_mut(node)
        {
            durable.clone_from(bytes);
            *synced = true;
            return;
        }
        // A rename is durable as a whole once one of its folders is synced.
        let touching = self
            .changes
            .iter()
            .filter(|names| names.iter().any(|(folder, _)| *folder == node));
        let done: BTreeSet<Name> = touching.flatten().cloned().collect();
        self.make_durable(&done);
        for names in &mut self.changes {
            names.retain(|name| !done.contains(name));
        }
        self.changes.retain(|names| !names.is_empty());
    }

    fn unsynced(&self) -> impl Iterator<Item = Node> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(node, content)| match content {
            Content::File { synced: false, .. } => Some(node),
            _ => None,
        })
    }

    /// Returns the number of contents and changes of names that are not durable.
    pub(super) fn undurable(&self) -> usize {
        self.unsynced().count() + self.changes.len()
    }

    /// Makes everything durable.
    pub(super) fn settle(&mut self) {
        for node in 0..self.nodes.len() {
            self.sync_node(node);
        }
    }

    /// Loses something, and returns what is left, which is durable then.
    pub(super) fn lose(&mut self, loss: Loss) -> Tree {
        let unsynced: Vec<Node> = self.unsynced().collect();
        let (contents, names): (HashSet<Node>, Vec<Name>) = match loss {
            Loss::Everything => {
                let names = self.changes.iter().flatten().cloned().collect();
                (unsynced.into_iter().collect(), names)
            }
            Loss::Contents => (unsynced.into_iter().collect(), Vec::new()),
            Loss::One(index) => match unsynced.get(index) {
                Some(node) => (HashSet::from([*node]), Vec::new()),
                None => {
                    let names = self.changes.get(index - unsynced.len());
                    (HashSet::new(), names.cloned().unwrap_or_default())
                }
            },
        };
        for name in names {
            match self.durable_names.get(&name) {
                Some(node) => drop(self.names.insert(name, *node)),
                None => drop(self.names.remove(&name)),
            }
        }
        let tree = self.tree(&contents);
        *self = Self::default();
        for (path, bytes) in &tree {
            match bytes {
                Some(bytes) => self.publish_file(path, bytes),
                None => self.create_dir(path),
            }
        }
        self.durable_names = self.names.clone();
        self.changes.clear();
        tree
    }

    /// Returns all files and folders by their paths; files in `lost` have the content that was
    /// durable.
    fn tree(&self, lost: &HashSet<Node>) -> Tree {
        let mut tree = Tree::new();
        let mut folders = vec![(ROOT, String::new())];
        while let Some((folder, path)) = folders.pop() {
            let inside = self
                .names
                .range((folder, String::new())..(folder + 1, String::new()));
            for ((_, name), node) in inside {
                let path = format!("{path}/{name}");
                match &self.nodes[*node] {
                    Content::Folder => {
                        tree.insert(path.clone(), None);
                        folders.push((*node, path));
                    }
                    Content::File { durable, .. } if lost.contains(node) => {
                        tree.insert(path, Some(durable.clone()));
                    }
                    Content::File { bytes, .. } => {
                        tree.insert(path, Some(bytes.clone()));
                    }
                }
            }
        }
        tree
    }
}
