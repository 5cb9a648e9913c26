//! The parameters: names, defaults, and the checks when one is set.
//!
//! This table is the only list of parameters. It is sorted by name, as iteration requires. As in
//! libtiledb, parameters that are not checked here are checked when they are used.

use hashbrown::HashMap;

use super::Release;
use crate::platform::hardware_threads;
use crate::platform::lock::OnceValue;

/// The form that a value must have when it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueCheck {
    /// Any text.
    Any,
    /// An unsigned number of 32 bits.
    U32,
    /// An unsigned number of 64 bits.
    U64,
    /// A signed number of 64 bits.
    I64,
    /// A signed number of 64 bits, or empty.
    I64OrEmpty,
    /// A floating-point number.
    F32,
    /// "true" or "false", in any letter case.
    Flag,
    /// "true" or "false", in any letter case, or empty.
    FlagOrEmpty,
    /// "DEFAULT" or "JSON".
    LoggingFormat,
    /// "CAPNP" or "JSON".
    SerializationFormat,
    /// A format version in which arrays can be created: "22" or "23".
    FormatVersion,
    /// "bytes" or "elements".
    OffsetsMode,
    /// "http" or "https".
    S3Scheme,
    /// Which local files and folders are synced.
    FileSync,
    /// A canned access control list of a bucket.
    BucketAcl,
    /// A canned access control list of an object.
    ObjectAcl,
}

enum Default {
    /// The parameter has no value until it is set.
    None,
    Text(&'static str),
    /// The format version that the release writes.
    FormatVersion,
    /// The number of hardware threads available to the process.
    Threads,
}

/// A known parameter.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) check: ValueCheck,
    default: Default,
}

impl Parameter {
    /// Returns the default value; `None` if the parameter has no value until it is set.
    pub(super) fn default(&self) -> Option<&'static str> {
        match self.default {
            Default::None => None,
            Default::Text(text) => Some(text),
            Default::FormatVersion => Some(match Release::current() {
                Release::V2_30 => "22",
                Release::V2_31 => "23",
            }),
            Default::Threads => Some(thread_count()),
        }
    }
}

/// Returns the parameter with this name.
pub(super) fn find(name: &str) -> Option<&'static Parameter> {
    // A hash table: every open and every query looks up dozens of parameters whose names share
    // prefixes.
    static BY_NAME: OnceValue<HashMap<&str, &Parameter>> = OnceValue::new();
    let by_name = BY_NAME.get_or_init(|| {
        let named = listed().chain(&EXTENSIONS);
        let mut by_name: HashMap<_, _> =
            named.map(|parameter| (parameter.name, parameter)).collect();
        if Release::current() >= Release::V2_31 {
            by_name.insert(UNLISTED_2_31.name, &UNLISTED_2_31);
        }
        by_name
    });
    by_name.get(name).copied()
}

/// Returns the parameters of libtiledb in the current release, which iteration lists.
pub(super) fn listed() -> impl Iterator<Item = &'static Parameter> {
    let is_later = Release::current() >= Release::V2_31;
    let kept = PARAMETERS
        .iter()
        .filter(move |parameter| !is_later || !REMOVED_2_31.contains(&parameter.name));
    let added = ADDED_2_31.iter().filter(move |_| is_later);
    kept.chain(added)
}

/// Returns whether a parameter contains a secret of a storage service or a server, or helps to
/// obtain one. Secrets are never saved to a file. As in libtiledb, the key of encrypted arrays is
/// not one of them.
pub(super) fn is_secret(name: &str) -> bool {
    SECRETS.contains(&name)
}

/// Returns [`hardware_threads`] as text.
fn thread_count() -> &'static str {
    static TEXT: OnceValue<String> = OnceValue::new();
    TEXT.get_or_init(|| hardware_threads().to_string())
}

const fn parameter(name: &'static str, default: &'static str, check: ValueCheck) -> Parameter {
    Parameter {
        name,
        check,
        default: Default::Text(default),
    }
}

const fn threads(name: &'static str, check: ValueCheck) -> Parameter {
    Parameter {
        name,
        check,
        default: Default::Threads,
    }
}

const SECRETS: [&str; 18] = [
    "rest.password",
    "rest.token",
    "rest.username",
    "vfs.azure.storage_account_key",
    "vfs.azure.storage_account_name",
    "vfs.azure.storage_sas_token",
    "vfs.gcs.impersonate_service_account",
    "vfs.gcs.service_account_key",
    "vfs.gcs.workload_identity_configuration",
    "vfs.s3.aws_access_key_id",
    "vfs.s3.aws_external_id",
    "vfs.s3.aws_load_frequency",
    "vfs.s3.aws_role_arn",
    "vfs.s3.aws_secret_access_key",
    "vfs.s3.aws_session_name",
    "vfs.s3.aws_session_token",
    "vfs.s3.proxy_password",
    "vfs.s3.proxy_username",
];

/// Numbers without effect whose values libtiledb checks when it consolidates.
pub(crate) const UNUSED_WEIGHTS: [&str; 3] = [
    "sm.mem.consolidation.buffers_weight",
    "sm.mem.consolidation.reader_weight",
    "sm.mem.consolidation.writer_weight",
];

/// Flags without effect whose values libtiledb checks when it creates a context.
pub(crate) const UNUSED_FLAGS: [&str; 2] = ["vfs.s3.install_sigpipe_handler", "vfs.s3.skip_init"];

/// All parameters, sorted by name.
pub(super) static PARAMETERS: [Parameter; 154] = [
    parameter("config.env_var_prefix", "TILEDB_", ValueCheck::Any),
    parameter(
        "config.logging_format",
        "DEFAULT",
        ValueCheck::LoggingFormat,
    ),
    parameter("config.logging_level", "0", ValueCheck::U32),
    parameter("filestore.buffer_size", "104857600", ValueCheck::Any),
    parameter("profile_dir", "", ValueCheck::Any),
    parameter("profile_name", "", ValueCheck::Any),
    parameter("rest.capnp_traversal_limit", "2147483648", ValueCheck::Any),
    parameter("rest.curl.buffer_size", "524288", ValueCheck::Any),
    parameter("rest.curl.retry_errors", "true", ValueCheck::Any),
    parameter("rest.curl.tcp_keepalive", "true", ValueCheck::Flag),
    parameter("rest.curl.verbose", "false", ValueCheck::Any),
    parameter("rest.http_compressor", "any", ValueCheck::Any),
    parameter(
        "rest.load_enumerations_on_array_open",
        "false",
        ValueCheck::Any,
    ),
    parameter(
        "rest.load_enumerations_on_array_open_all_schemas",
        "false",
        ValueCheck::Any,
    ),
    parameter("rest.load_metadata_on_array_open", "true", ValueCheck::Any),
    parameter(
        "rest.load_non_empty_domain_on_array_open",
        "true",
        ValueCheck::Any,
    ),
    parameter("rest.payer_namespace", "", ValueCheck::Any),
    parameter("rest.retry_count", "25", ValueCheck::Any),
    parameter("rest.retry_delay_factor", "1.25", ValueCheck::Any),
    parameter("rest.retry_http_codes", "503", ValueCheck::Any),
    parameter("rest.retry_initial_delay_ms", "500", ValueCheck::Any),
    parameter(
        "rest.server_address",
        "https://api.tiledb.com",
        ValueCheck::Any,
    ),
    parameter(
        "rest.server_serialization_format",
        "CAPNP",
        ValueCheck::SerializationFormat,
    ),
    parameter("rest.use_refactored_array_open", "true", ValueCheck::Any),
    parameter(
        "rest.use_refactored_array_open_and_query_submit",
        "true",
        ValueCheck::Any,
    ),
    parameter(
        "sm.allow_separate_attribute_writes",
        "false",
        ValueCheck::Flag,
    ),
    parameter("sm.allow_updates_experimental", "false", ValueCheck::Flag),
    parameter("sm.check_coord_dups", "true", ValueCheck::Flag),
    parameter("sm.check_coord_oob", "true", ValueCheck::Flag),
    parameter("sm.check_global_order", "true", ValueCheck::Flag),
    threads("sm.compute_concurrency_level", ValueCheck::U64),
    parameter("sm.consolidation.amplification", "1.0", ValueCheck::F32),
    parameter("sm.consolidation.buffer_size", "50000000", ValueCheck::U64),
    parameter(
        "sm.consolidation.max_fragment_size",
        "18446744073709551615",
        ValueCheck::U64,
    ),
    parameter("sm.consolidation.mode", "fragments", ValueCheck::Any),
    parameter(
        "sm.consolidation.purge_deleted_cells",
        "false",
        ValueCheck::Flag,
    ),
    parameter(
        "sm.consolidation.step_max_frags",
        "4294967295",
        ValueCheck::U32,
    ),
    parameter(
        "sm.consolidation.step_min_frags",
        "4294967295",
        ValueCheck::U32,
    ),
    parameter("sm.consolidation.step_size_ratio", "0.0", ValueCheck::F32),
    parameter("sm.consolidation.steps", "4294967295", ValueCheck::U32),
    parameter(
        "sm.consolidation.timestamp_end",
        "18446744073709551615",
        ValueCheck::Any,
    ),
    parameter("sm.consolidation.timestamp_start", "0", ValueCheck::Any),
    parameter("sm.dedup_coords", "false", ValueCheck::Flag),
    parameter("sm.enable_signal_handlers", "true", ValueCheck::Flag),
    parameter("sm.encryption_key", "", ValueCheck::Any),
    parameter("sm.encryption_type", "NO_ENCRYPTION", ValueCheck::Any),
    parameter("sm.enumerations_max_size", "10485760", ValueCheck::Any),
    parameter(
        "sm.enumerations_max_total_size",
        "52428800",
        ValueCheck::Any,
    ),
    parameter("sm.fragment_info.preload_mbrs", "false", ValueCheck::Flag),
    parameter(
        "sm.group.timestamp_end",
        "18446744073709551615",
        ValueCheck::Any,
    ),
    parameter("sm.group.timestamp_start", "0", ValueCheck::Any),
    threads("sm.io_concurrency_level", ValueCheck::U64),
    parameter("sm.max_tile_overlap_size", "314572800", ValueCheck::Any),
    parameter("sm.mem.consolidation.buffers_weight", "1", ValueCheck::Any),
    parameter("sm.mem.consolidation.reader_weight", "3", ValueCheck::Any),
    parameter("sm.mem.consolidation.writer_weight", "2", ValueCheck::Any),
    parameter("sm.mem.malloc_trim", "true", ValueCheck::Any),
    parameter(
        "sm.mem.reader.sparse_global_order.ratio_array_data",
        "0.1",
        ValueCheck::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_global_order.ratio_coords",
        "0.5",
        ValueCheck::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_global_order.ratio_tile_ranges",
        "0.1",
        ValueCheck::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data",
        "0.1",
        ValueCheck::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_coords",
        "0.5",
        ValueCheck::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges",
        "0.1",
        ValueCheck::Any,
    ),
    parameter(
        "sm.mem.tile_upper_memory_limit",
        "1073741824",
        ValueCheck::Any,
    ),
    parameter("sm.mem.total_budget", "10737418240", ValueCheck::Any),
    parameter("sm.memory_budget", "5368709120", ValueCheck::U64),
    parameter("sm.memory_budget_var", "10737418240", ValueCheck::U64),
    parameter(
        "sm.merge_overlapping_ranges_experimental",
        "true",
        ValueCheck::Flag,
    ),
    parameter("sm.partial_tile_offsets_loading", "false", ValueCheck::Any),
    parameter("sm.query.condition_evaluator", "ast", ValueCheck::Any),
    parameter("sm.query.dense.qc_coords_mode", "false", ValueCheck::Any),
    parameter("sm.query.dense.reader", "refactored", ValueCheck::Any),
    parameter(
        "sm.query.sparse_global_order.preprocess_tile_merge",
        "32768",
        ValueCheck::Any,
    ),
    parameter(
        "sm.query.sparse_global_order.reader",
        "refactored",
        ValueCheck::Any,
    ),
    parameter(
        "sm.query.sparse_unordered_with_dups.reader",
        "refactored",
        ValueCheck::Any,
    ),
    parameter("sm.read_range_oob", "warn", ValueCheck::Any),
    parameter("sm.skip_checksum_validation", "false", ValueCheck::Any),
    parameter("sm.skip_est_size_partitioning", "false", ValueCheck::Any),
    parameter(
        "sm.skip_unary_partitioning_budget_check",
        "false",
        ValueCheck::Any,
    ),
    parameter("sm.vacuum.mode", "fragments", ValueCheck::Any),
    parameter("sm.var_offsets.bitsize", "64", ValueCheck::U32),
    parameter("sm.var_offsets.extra_element", "false", ValueCheck::Flag),
    parameter("sm.var_offsets.mode", "bytes", ValueCheck::OffsetsMode),
    parameter("ssl.ca_file", "", ValueCheck::Any),
    parameter("ssl.ca_path", "", ValueCheck::Any),
    parameter("ssl.verify", "true", ValueCheck::Flag),
    parameter("vfs.azure.blob_endpoint", "", ValueCheck::Any),
    parameter(
        "vfs.azure.block_list_block_size",
        "5242880",
        ValueCheck::Any,
    ),
    parameter(
        "vfs.azure.is_data_lake_endpoint",
        "",
        ValueCheck::FlagOrEmpty,
    ),
    threads("vfs.azure.max_parallel_ops", ValueCheck::Any),
    parameter("vfs.azure.max_retries", "5", ValueCheck::Any),
    parameter("vfs.azure.max_retry_delay_ms", "60000", ValueCheck::Any),
    parameter("vfs.azure.retry_delay_ms", "800", ValueCheck::Any),
    parameter("vfs.azure.storage_account_key", "", ValueCheck::Any),
    parameter("vfs.azure.storage_account_name", "", ValueCheck::Any),
    parameter("vfs.azure.storage_sas_token", "", ValueCheck::Any),
    parameter("vfs.azure.use_block_list_upload", "true", ValueCheck::Any),
    parameter(
        "vfs.file.posix_directory_permissions",
        "755",
        ValueCheck::U32,
    ),
    parameter("vfs.file.posix_file_permissions", "644", ValueCheck::U32),
    parameter("vfs.gcs.endpoint", "", ValueCheck::Any),
    parameter("vfs.gcs.impersonate_service_account", "", ValueCheck::Any),
    parameter(
        "vfs.gcs.max_direct_upload_size",
        "10737418240",
        ValueCheck::Any,
    ),
    threads("vfs.gcs.max_parallel_ops", ValueCheck::Any),
    parameter("vfs.gcs.multi_part_size", "5242880", ValueCheck::Any),
    parameter("vfs.gcs.project_id", "", ValueCheck::Any),
    parameter("vfs.gcs.request_timeout_ms", "3000", ValueCheck::Any),
    parameter("vfs.gcs.service_account_key", "", ValueCheck::Any),
    parameter("vfs.gcs.use_multi_part_upload", "true", ValueCheck::Any),
    parameter(
        "vfs.gcs.workload_identity_configuration",
        "",
        ValueCheck::Any,
    ),
    parameter("vfs.log_operations", "false", ValueCheck::Any),
    parameter("vfs.max_batch_size", "104857600", ValueCheck::U64),
    parameter("vfs.min_batch_gap", "512000", ValueCheck::U64),
    parameter("vfs.min_batch_size", "20971520", ValueCheck::U64),
    parameter("vfs.min_parallel_size", "10485760", ValueCheck::U64),
    parameter("vfs.read_ahead_cache_size", "10485760", ValueCheck::U64),
    parameter("vfs.read_ahead_size", "102400", ValueCheck::U64),
    parameter("vfs.read_logging_mode", "", ValueCheck::Any),
    parameter("vfs.s3.aws_access_key_id", "", ValueCheck::Any),
    parameter("vfs.s3.aws_external_id", "", ValueCheck::Any),
    parameter("vfs.s3.aws_load_frequency", "", ValueCheck::Any),
    parameter("vfs.s3.aws_role_arn", "", ValueCheck::Any),
    parameter("vfs.s3.aws_secret_access_key", "", ValueCheck::Any),
    parameter("vfs.s3.aws_session_name", "", ValueCheck::Any),
    parameter("vfs.s3.aws_session_token", "", ValueCheck::Any),
    parameter("vfs.s3.bucket_canned_acl", "NOT_SET", ValueCheck::BucketAcl),
    parameter("vfs.s3.ca_file", "", ValueCheck::Any),
    parameter("vfs.s3.ca_path", "", ValueCheck::Any),
    parameter("vfs.s3.config_source", "auto", ValueCheck::Any),
    parameter("vfs.s3.connect_max_tries", "5", ValueCheck::I64),
    parameter("vfs.s3.connect_scale_factor", "25", ValueCheck::I64),
    parameter("vfs.s3.connect_timeout_ms", "10800", ValueCheck::I64),
    parameter("vfs.s3.endpoint_override", "", ValueCheck::Any),
    parameter("vfs.s3.install_sigpipe_handler", "true", ValueCheck::Any),
    parameter("vfs.s3.logging_level", "Off", ValueCheck::Any),
    threads("vfs.s3.max_parallel_ops", ValueCheck::U64),
    parameter("vfs.s3.multipart_part_size", "5242880", ValueCheck::U64),
    parameter("vfs.s3.no_sign_request", "false", ValueCheck::Flag),
    parameter("vfs.s3.object_canned_acl", "NOT_SET", ValueCheck::ObjectAcl),
    parameter("vfs.s3.proxy_host", "", ValueCheck::Any),
    parameter("vfs.s3.proxy_password", "", ValueCheck::Any),
    parameter("vfs.s3.proxy_port", "0", ValueCheck::I64),
    parameter("vfs.s3.proxy_scheme", "http", ValueCheck::Any),
    parameter("vfs.s3.proxy_username", "", ValueCheck::Any),
    parameter("vfs.s3.region", "", ValueCheck::Any),
    parameter("vfs.s3.request_timeout_ms", "3000", ValueCheck::I64),
    parameter("vfs.s3.requester_pays", "false", ValueCheck::Flag),
    parameter("vfs.s3.scheme", "https", ValueCheck::S3Scheme),
    parameter("vfs.s3.skip_init", "false", ValueCheck::Any),
    parameter("vfs.s3.sse", "", ValueCheck::Any),
    parameter("vfs.s3.sse_kms_key_id", "", ValueCheck::Any),
    parameter("vfs.s3.storage_class", "NOT_SET", ValueCheck::Any),
    parameter("vfs.s3.use_multipart_upload", "true", ValueCheck::Flag),
    parameter("vfs.s3.use_virtual_addressing", "true", ValueCheck::Flag),
    parameter("vfs.s3.verify_ssl", "true", ValueCheck::Flag),
];

/// Parameters that libtiledb has from 2.31 on.
const ADDED_2_31: [Parameter; 2] = [
    parameter("rest.resubmit_incomplete", "true", ValueCheck::Any),
    parameter("vfs.s3.retry_strategy", "standard", ValueCheck::Any),
];

/// Parameters that libtiledb lists until 2.30.
const REMOVED_2_31: [&str; 2] = [MAX_TRIES, "vfs.s3.connect_scale_factor"];
const MAX_TRIES: &str = "vfs.s3.connect_max_tries";

/// The parameter that 2.31 checks and reads but does not list.
const UNLISTED_2_31: Parameter = Parameter {
    name: MAX_TRIES,
    check: ValueCheck::I64OrEmpty,
    default: Default::None,
};

/// Parameters that libtiledb does not have. Iteration omits them until they are set, since programs
/// compare its names with libtiledb's.
const EXTENSIONS: [Parameter; 6] = [
    parameter("sm.check_float_scaling", "true", ValueCheck::Flag),
    parameter("sm.mem.chunk_cache_size", "67108864", ValueCheck::U64),
    parameter("sm.vacuum.garbage_min_age_ms", "86400000", ValueCheck::U64),
    parameter("sm.vacuum.min_age_ms", "0", ValueCheck::U64),
    Parameter {
        name: "tiledb_rs.format_version",
        check: ValueCheck::FormatVersion,
        default: Default::FormatVersion,
    },
    parameter("vfs.file.sync", "all", ValueCheck::FileSync),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(PARAMETERS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn every_parameter_can_be_looked_up() {
        for parameter in PARAMETERS.iter().chain(&EXTENSIONS) {
            assert_eq!(find(parameter.name).map(|p| p.name), Some(parameter.name));
        }
        assert!(find("sm.nothing").is_none());
    }

    #[test]
    fn the_thread_count_is_a_number_above_zero() {
        let parameter = find("sm.io_concurrency_level").expect("known");
        let default = parameter.default().expect("a default");
        assert!(default.parse::<u64>().expect("number") > 0);
    }

    /// Returns the text of all sources below a folder except this file.
    fn sources(folder: &Path) -> String {
        let entries = fs::read_dir(folder).expect("folder");
        let paths = entries.map(|entry| entry.expect("entry").path());
        let text = |path: PathBuf| {
            if path.is_dir() {
                sources(&path)
            } else if path.ends_with("config/parameters.rs") {
                String::new()
            } else {
                fs::read_to_string(&path).expect("source")
            }
        };
        paths.map(text).collect()
    }

    #[test]
    fn each_parameter_is_used_or_documented_as_without_effect() {
        let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = engine.parent().expect("the workspace");
        let sources = sources(&engine.join("src")) + &sources(&root.join("src"));
        let differences = fs::read_to_string(root.join("DIFFERENCES.md")).expect("document");
        let section = differences.split("## Parameters without effect").nth(1);
        let section = section.and_then(|rest| rest.split("\n## ").next());
        let section = section.expect("a section");
        for parameter in &PARAMETERS {
            let name = parameter.name;
            let is_read = sources.contains(&format!("\"{name}\""));
            let has = |name: &str| section.contains(&format!("`{name}`"));
            let ends = name.match_indices('.').map(|(dot, _)| dot);
            let by_prefix = ends.map(|dot| format!("{}.*", &name[..dot]));
            let is_listed = has(name) || by_prefix.into_iter().any(|prefix| has(&prefix));
            assert!(is_read || is_listed, "{name} has no effect and no reason");
            assert!(
                !(is_read && has(name)),
                "{name} is read, and listed as without effect"
            );
        }
    }
}
