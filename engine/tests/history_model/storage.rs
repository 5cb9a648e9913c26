//! The storage of a case, in which a change may fail.

use std::sync::Arc;

use tempfile::TempDir;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Vfs};

use super::random::Random;
use super::servers::Server;
use super::setup;

/// The kind of the storage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StoreKind {
    Memory,
    Disk,
    /// Files in memory that behave as on a disk and fail on command.
    FaultyDisk,
    /// An object store in memory that fails on command.
    FaultyObjects,
    /// The same with directories as entries.
    FaultyDirectories,
    /// A server.
    Service(&'static Server),
}

impl StoreKind {
    /// The kinds that need no server.
    pub(crate) const LOCAL: [Self; 5] = [
        Self::Memory,
        Self::Disk,
        Self::FaultyDisk,
        Self::FaultyObjects,
        Self::FaultyDirectories,
    ];

    /// Returns the name by which `TILEDB_RS_STORE` selects it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::FaultyDisk => "faulty-disk",
            Self::FaultyObjects => "faulty-objects",
            Self::FaultyDirectories => "faulty-directories",
            Self::Service(server) => server.kind,
        }
    }
}

/// What fails on command.
#[derive(Debug)]
enum Faults {
    Disk(Faulty),
    Objects(FaultyStore),
}

impl Faults {
    fn changes(&self) -> u64 {
        match self {
            Self::Disk(disk) => disk.changes(),
            Self::Objects(objects) => objects.changes(),
        }
    }

    /// Lets a change fail: alone, with all after it, or only its response.
    fn fail(&self, change: u64, mode: u64) {
        match (self, mode) {
            (Self::Disk(disk), 0) => disk.fail_from(change),
            (Self::Disk(disk), _) => disk.fail_once(change),
            (Self::Objects(objects), 0) => objects.fail_from(change),
            (Self::Objects(objects), 1) => objects.fail_once(change),
            (Self::Objects(objects), _) => objects.lose_response(change),
        }
    }
}

/// The storage of a case.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) vfs: Arc<Vfs>,
    /// The URI of a folder that does not exist.
    pub(crate) uri: String,
    faults: Option<Faults>,
    /// The number of the change that fails.
    failing: Option<u64>,
    _folder: Option<TempDir>,
}

/// The age in milliseconds from which claims are those of killed processes.
const EXPIRED: u64 = 301_000;

impl Store {
    pub(crate) fn new(
        kind: StoreKind,
        case: &str,
        parameters: &[(&str, &str)],
        random: &mut Random,
    ) -> Self {
        let mut all = parameters.to_vec();
        let mut folder = None;
        if let StoreKind::Service(server) = kind {
            let of_server = server.parameters.iter();
            all.extend(of_server.map(|(name, value)| (name.as_str(), value.as_str())));
        }
        let is_faulty = !matches!(
            kind,
            StoreKind::Memory | StoreKind::Disk | StoreKind::Service(_)
        );
        if is_faulty {
            all.push(("sm.compute_concurrency_level", "1"));
            all.push(("sm.io_concurrency_level", "1"));
        }
        let context = Context::new(setup::config(&all)).expect("context");
        let limits = StoreLimits {
            deletions: random.one_of(&[1, 4, 1000]),
            page_entries: random.one_of(&[1, 3, 20, 1000]),
        };
        let faults = match kind {
            StoreKind::FaultyDisk => Some(Faults::Disk(Faulty::new())),
            StoreKind::FaultyObjects => Some(Faults::Objects(FaultyStore::new(limits))),
            StoreKind::FaultyDirectories => {
                Some(Faults::Objects(FaultyStore::with_directories(limits)))
            }
            _ => None,
        };
        let vfs = match &faults {
            Some(Faults::Disk(disk)) => Vfs::with_backend(&context, Arc::new(disk.clone())),
            Some(Faults::Objects(objects)) => {
                Vfs::with_backend(&context, objects.backend(&context))
            }
            None => Vfs::new(&context),
        };
        let uri = match kind {
            StoreKind::Memory => "mem://array".to_owned(),
            StoreKind::Disk => {
                let created = folder.insert(tempfile::tempdir().expect("folder"));
                let path = created.path().join("array");
                path.to_str().expect("path").to_owned()
            }
            StoreKind::FaultyDisk => "mem://faulty/array".to_owned(),
            StoreKind::FaultyObjects | StoreKind::FaultyDirectories => {
                "s3://bucket/folder/array".to_owned()
            }
            StoreKind::Service(server) => format!("{}/histories/{case}", server.uri),
        };
        Self {
            vfs: vfs.expect("vfs"),
            uri,
            faults,
            failing: None,
            _folder: folder,
        }
    }

    /// Lets one of the next changes fail in some cases.
    pub(crate) fn inject(&mut self, random: &mut Random) {
        let Some(faults) = &self.faults else {
            return;
        };
        if random.below(3) > 0 {
            return;
        }
        let most = random.one_of(&[4, 12, 40]);
        let change = faults.changes() + random.below(most);
        faults.fail(change, random.below(3));
        self.failing = Some(change);
    }

    /// Lets nothing fail any more. Returns whether a change has failed.
    pub(crate) fn heal(&mut self) -> bool {
        let Some(faults) = &self.faults else {
            return false;
        };
        let failing = self.failing.take();
        let has_failed = failing.is_some_and(|failing| faults.changes() > failing);
        match faults {
            Faults::Disk(disk) => disk.heal(),
            Faults::Objects(objects) => {
                objects.heal();
                // A claim that could not be withdrawn is that of a killed process.
                objects.age(EXPIRED);
            }
        }
        has_failed
    }
}
