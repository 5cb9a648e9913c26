//! Only `memory` has caches, pools and workspaces in statics, and only `platform` has locks of its
//! own. Statics of other modules are listed here with their purpose.

use std::fs;
use std::path::Path;

/// A file, the name of a static, and its purpose.
const STATICS: [(&str, &str, &str); 24] = [
    ("bytes/simd.rs", "FORCED", "selects portable code in tests"),
    ("condition/bind.rs", "FIELD", "a constant"),
    (
        "config/parameters.rs",
        "BY_NAME",
        "an index of a constant table",
    ),
    ("config/parameters.rs", "PARAMETERS", "a constant table"),
    ("config/parameters.rs", "TEXT", "a constant of the machine"),
    ("config/profile.rs", "WRITTEN", "numbers temporary files"),
    (
        "context/mod.rs",
        "OPERATION",
        "the operation that a thread runs",
    ),
    ("context/pool.rs", "POOL", "the threads of the process"),
    ("context/pool.rs", "REQUESTS", "the threads of the process"),
    ("format/metadata.rs", "SEVENS", "a constant of a test"),
    ("stats/meter.rs", "SHARD", "the counters of a thread"),
    ("stats/meter.rs", "THREADS", "numbers threads"),
    ("stats/mod.rs", "ENABLED", "a setting of the process"),
    ("stats/mod.rs", "RECORDING", "a setting of the process"),
    ("stats/mod.rs", "RESETS", "counts resets of the statistics"),
    ("stats/mod.rs", "ROOTS", "the statistics of the process"),
    ("stats/mod.rs", "SERIAL", "orders tests"),
    (
        "types/time.rs",
        "LAST_TIMESTAMPS",
        "keeps timestamps unique",
    ),
    ("types/uuid.rs", "COUNT", "keeps identifiers unique"),
    ("types/uuid.rs", "COUNTER", "keeps identifiers unique"),
    ("types/uuid.rs", "KEYS", "the seed of identifiers"),
    (
        "vfs/remote/client.rs",
        "CONNECTIONS",
        "open connections to servers",
    ),
    (
        "vfs/remote/environment.rs",
        "VARIABLES",
        "replaces the environment in tests",
    ),
    (
        "vfs/remote/interrupt.rs",
        "CANCELLED",
        "whether the operation of a thread was cancelled",
    ),
];

/// Calls `found` with the path below `root` and the name of each static in the files of a folder.
fn statics(root: &Path, folder: &Path, found: &mut impl FnMut(&str, &str)) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            statics(root, &path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("source text");
        let file = path.strip_prefix(root).expect("below the root");
        let file = file.to_str().expect("text").replace('\\', "/");
        for line in text.lines().map(str::trim_start) {
            let declared = [
                "static ",
                "pub static ",
                "pub(super) static ",
                "pub(crate) static ",
            ];
            let rest = declared.iter().find_map(|start| line.strip_prefix(start));
            if let Some((name, _)) = rest.and_then(|rest| rest.split_once(':')) {
                found(&file, name.trim_start_matches("mut "));
            }
        }
    }
}

#[test]
fn statics_outside_of_memory_and_platform_are_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut unlisted = Vec::new();
    let mut unused: Vec<_> = STATICS
        .iter()
        .map(|(file, name, _)| (*file, *name))
        .collect();
    statics(&root, &root, &mut |file, name| {
        if file.starts_with("memory/") || file.starts_with("platform/") {
            return;
        }
        unused.retain(|listed| *listed != (file, name));
        if !STATICS
            .iter()
            .any(|listed| (listed.0, listed.1) == (file, name))
        {
            unlisted.push(format!("{file}: {name}"));
        }
    });
    assert!(
        unlisted.is_empty(),
        "caches and pools belong in memory: {unlisted:#?}"
    );
    assert!(unused.is_empty(), "listed but not found: {unused:#?}");
}
