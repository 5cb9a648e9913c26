//! Only `memory` has caches, pools and workspaces in statics, and only `platform` has locks of its
//! own. Statics of other modules are listed here with their purpose.

use std::fs;
use std::path::Path;

/// A file, the name of a static, and its purpose.
const STATICS: [(&str, &str, &str); 28] = [
    (
        "api/arrow.rs",
        "IS_READING",
        "whether a thread reads a batch",
    ),
    (
        "array/registry.rs",
        "OPEN",
        "the open arrays of the process",
    ),
    ("bytes/simd.rs", "FORCED", "selects portable code in tests"),
    ("condition/bind.rs", "FIELD", "a constant"),
    (
        "config/parameters.rs",
        "BY_NAME",
        "an index of a constant table",
    ),
    ("config/parameters.rs", "PARAMETERS", "a constant table"),
    ("config/parameters.rs", "TEXT", "a constant of the machine"),
    ("error/release.rs", "CONFIGURED", "a setting of the process"),
    (
        "context/progress.rs",
        "OPERATION",
        "the operation that a thread runs",
    ),
    (
        "context/progress.rs",
        "RUNNING",
        "the operation of a thread whose progress is reported",
    ),
    (
        "context/progress.rs",
        "HELPED",
        "the operation that a thread helps with",
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
        "http/client.rs",
        "CONNECTIONS",
        "open connections to servers",
    ),
    (
        "vfs/remote/parameters.rs",
        "VARIABLES",
        "replaces the environment in tests",
    ),
    (
        "http/transport.rs",
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

/// Each constant of `memory/tuning.rs` and `memory/tuning/` names the benchmark that measures it,
/// or states that it is a limit or a property of networks.
#[test]
fn tuning_constants_name_a_benchmark_or_a_limit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file| fs::read_to_string(root.join("src/memory").join(file)).expect(file);
    let text = ["tuning.rs", "tuning/reads.rs"].map(read).join("\n");
    let mut constants = 0;
    for item in text.split("\n\n").filter(|item| item.contains(" const ")) {
        constants += 1;
        let is_limit = ["/// Limit of ", "/// Network: "]
            .iter()
            .any(|kind| item.contains(kind));
        let benchmark = item.split("/// Benchmark: `").nth(1);
        let Some(benchmark) = benchmark.and_then(|rest| rest.split('`').next()) else {
            assert!(is_limit, "neither a benchmark nor a limit: {item}");
            continue;
        };
        let (file, function) = benchmark.split_once("::").expect("module::function");
        let file = root.join(format!("benches/stages/{file}.rs"));
        let source = fs::read_to_string(&file).expect("the file of the benchmark");
        assert!(
            source.contains(&format!("fn {function}(")),
            "{benchmark} does not exist"
        );
    }
    assert!(constants > 50, "{constants} constants");
}
