//! A case: an object is copied, its files are mutated, all operations run on the copy.

use std::path::PathBuf;

use crate::arrays::TestFolder;
use crate::expectation::Expectation;
use crate::library::Library;
use crate::mutation::{self, Material, Mutations};
use crate::operations;
use crate::random::Random;
use crate::source::{self, Source};
use crate::workers::Session;

/// The folders with arrays of a worker, separated by colons.
pub(crate) const ARRAYS: &str = "TILEDB_RS_DAMAGE_FOLDERS";

/// The state that all cases of a worker share.
pub(crate) struct World {
    pub(crate) library: Library,
    folder: TestFolder,
    sources: Vec<Source>,
}

impl World {
    pub(crate) fn new(library: &Library) -> Self {
        let folders = std::env::var_os(ARRAYS).unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
        Self {
            library: library.with_context(&operations::PARAMETERS),
            folder: TestFolder::new("damage"),
            sources: Source::all(&folders),
        }
    }

    /// Runs a case. Seed 0 runs the operations on all objects without mutations.
    pub(crate) fn run_case(&self, session: &Session) {
        let sources = &self.sources;
        if session.seed() == 0 {
            for source in sources {
                println!("{}", source.name);
                self.run_object(session, source, &source.files(), &Mutations::default());
            }
            return;
        }
        let mut random = Random(session.seed());
        random.next();
        let pick = |random: &mut Random| &sources[random.below(sources.len() as u64) as usize];
        let (source, other) = (pick(&mut random), pick(&mut random));
        let mut files = source.files();
        let (key, other) = (source.key(), other.files());
        let material = Material {
            other: &other,
            key: key.as_ref(),
            is_group: source.is_group,
        };
        let mutations = mutation::mutate(&mut files, &material, &mut random);
        if session.is_verbose() {
            println!("{}: {:#?}", source.name, mutations.log);
        }
        self.run_object(session, source, &files, &mutations);
    }

    fn run_object(
        &self,
        session: &Session,
        source: &Source,
        files: &source::Files,
        mutations: &Mutations,
    ) {
        let case = self.folder.path().join(session.seed().to_string());
        // Seed 0 uses the folder for all objects in turn.
        let _ = std::fs::remove_dir_all(&case);
        let copy = |files: &source::Files, name: &str| {
            let folder = case.join(name);
            source::write(files, &folder);
            folder
        };
        copy(
            &[("file".to_owned(), Some(b"unchanged".to_vec()))].into(),
            "canary",
        );
        let expectation = mutations
            .changed_bytes
            .as_deref()
            .filter(|_| !source.is_group)
            .and_then(|changed| {
                let whole = copy(&source.files(), "whole");
                Expectation::of(session, &self.library, source, &whole, changed)
            });
        let object = copy(files, "object");
        for (path, special) in &mutations.specials {
            special.create(&object.join(path));
        }
        operations::run(
            session,
            &self.library,
            source,
            &object,
            expectation.as_ref(),
        );
        let canary = std::fs::read(case.join("canary/file")).unwrap_or_default();
        if canary != b"unchanged" {
            session.find("a file outside the object has changed");
        }
        if !session.is_verbose() {
            // Files that cannot be removed are removed with the folder of the worker.
            let _ = std::fs::remove_dir_all(&case);
        }
    }
}
