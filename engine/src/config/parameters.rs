//! The parameters: names, defaults, and what is checked when one is set.
//!
//! This table is the whole knowledge of them. It is sorted by name, which iteration relies on. A parameter that
//! is not checked here is checked by whoever reads it: programs of libtiledb rely on which are.

use hashbrown::HashMap;

use crate::platform::lock::OnceValue;

/// What a value must look like when it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Whatever text.
    Any,
    /// An unsigned number of 32 bits.
    U32,
    /// An unsigned number of 64 bits.
    U64,
    /// A signed number of 64 bits.
    I64,
    /// A real number.
    F32,
    /// "true" or "false", in any letter case.
    Flag,
    /// The same, or nothing.
    FlagOrEmpty,
    /// "DEFAULT" or "JSON".
    LoggingFormat,
    /// "CAPNP" or "JSON".
    SerializationFormat,
    /// "bytes" or "elements".
    OffsetsMode,
    /// "http" or "https".
    S3Scheme,
    /// A canned access list of a bucket.
    BucketAcl,
    /// A canned access list of an object.
    ObjectAcl,
}

enum Default {
    Text(&'static str),
    /// One for each hardware thread that the process may use.
    Threads,
}

/// A known parameter.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) check: Check,
    default: Default,
}

impl Parameter {
    /// The value where nothing was set.
    pub(super) fn default(&self) -> &'static str {
        match self.default {
            Default::Text(text) => text,
            Default::Threads => thread_count(),
        }
    }
}

/// The parameter of this name.
pub(super) fn find(name: &str) -> Option<&'static Parameter> {
    // Every opening and every query asks for dozens, whose names begin alike.
    static BY_NAME: OnceValue<HashMap<&str, &Parameter>> = OnceValue::new();
    let by_name = BY_NAME.get_or_init(|| {
        let named = PARAMETERS.iter().chain(&EXTENSIONS);
        named.map(|parameter| (parameter.name, parameter)).collect()
    });
    by_name.get(name).copied()
}

/// Whether a parameter holds a secret of a storage service or a server, or what leads to one; such are never saved to a
/// file. As in libtiledb the key of encrypted arrays is none of them.
pub(super) fn is_secret(name: &str) -> bool {
    SECRETS.contains(&name)
}

/// The CPUs that affinity and cgroups leave to this process. Found once: it takes reading some files.
pub(super) fn hardware_threads() -> usize {
    static COUNT: OnceValue<usize> = OnceValue::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The same as text.
fn thread_count() -> &'static str {
    static TEXT: OnceValue<String> = OnceValue::new();
    TEXT.get_or_init(|| hardware_threads().to_string())
}

const fn parameter(name: &'static str, default: &'static str, check: Check) -> Parameter {
    Parameter {
        name,
        check,
        default: Default::Text(default),
    }
}

const fn threads(name: &'static str, check: Check) -> Parameter {
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

/// All parameters, sorted by name.
pub(super) static PARAMETERS: [Parameter; 154] = [
    parameter("config.env_var_prefix", "TILEDB_", Check::Any),
    parameter("config.logging_format", "DEFAULT", Check::LoggingFormat),
    parameter("config.logging_level", "0", Check::U32),
    parameter("filestore.buffer_size", "104857600", Check::Any),
    parameter("profile_dir", "", Check::Any),
    parameter("profile_name", "", Check::Any),
    parameter("rest.capnp_traversal_limit", "2147483648", Check::Any),
    parameter("rest.curl.buffer_size", "524288", Check::Any),
    parameter("rest.curl.retry_errors", "true", Check::Any),
    parameter("rest.curl.tcp_keepalive", "true", Check::Flag),
    parameter("rest.curl.verbose", "false", Check::Any),
    parameter("rest.http_compressor", "any", Check::Any),
    parameter("rest.load_enumerations_on_array_open", "false", Check::Any),
    parameter(
        "rest.load_enumerations_on_array_open_all_schemas",
        "false",
        Check::Any,
    ),
    parameter("rest.load_metadata_on_array_open", "true", Check::Any),
    parameter(
        "rest.load_non_empty_domain_on_array_open",
        "true",
        Check::Any,
    ),
    parameter("rest.payer_namespace", "", Check::Any),
    parameter("rest.retry_count", "25", Check::Any),
    parameter("rest.retry_delay_factor", "1.25", Check::Any),
    parameter("rest.retry_http_codes", "503", Check::Any),
    parameter("rest.retry_initial_delay_ms", "500", Check::Any),
    parameter("rest.server_address", "https://api.tiledb.com", Check::Any),
    parameter(
        "rest.server_serialization_format",
        "CAPNP",
        Check::SerializationFormat,
    ),
    parameter("rest.use_refactored_array_open", "true", Check::Any),
    parameter(
        "rest.use_refactored_array_open_and_query_submit",
        "true",
        Check::Any,
    ),
    parameter("sm.allow_separate_attribute_writes", "false", Check::Flag),
    parameter("sm.allow_updates_experimental", "false", Check::Flag),
    parameter("sm.check_coord_dups", "true", Check::Flag),
    parameter("sm.check_coord_oob", "true", Check::Flag),
    parameter("sm.check_global_order", "true", Check::Flag),
    threads("sm.compute_concurrency_level", Check::U64),
    parameter("sm.consolidation.amplification", "1.0", Check::F32),
    parameter("sm.consolidation.buffer_size", "50000000", Check::U64),
    parameter(
        "sm.consolidation.max_fragment_size",
        "18446744073709551615",
        Check::U64,
    ),
    parameter("sm.consolidation.mode", "fragments", Check::Any),
    parameter("sm.consolidation.purge_deleted_cells", "false", Check::Flag),
    parameter("sm.consolidation.step_max_frags", "4294967295", Check::U32),
    parameter("sm.consolidation.step_min_frags", "4294967295", Check::U32),
    parameter("sm.consolidation.step_size_ratio", "0.0", Check::F32),
    parameter("sm.consolidation.steps", "4294967295", Check::U32),
    parameter(
        "sm.consolidation.timestamp_end",
        "18446744073709551615",
        Check::Any,
    ),
    parameter("sm.consolidation.timestamp_start", "0", Check::Any),
    parameter("sm.dedup_coords", "false", Check::Flag),
    parameter("sm.enable_signal_handlers", "true", Check::Flag),
    parameter("sm.encryption_key", "", Check::Any),
    parameter("sm.encryption_type", "NO_ENCRYPTION", Check::Any),
    parameter("sm.enumerations_max_size", "10485760", Check::Any),
    parameter("sm.enumerations_max_total_size", "52428800", Check::Any),
    parameter("sm.fragment_info.preload_mbrs", "false", Check::Flag),
    parameter("sm.group.timestamp_end", "18446744073709551615", Check::Any),
    parameter("sm.group.timestamp_start", "0", Check::Any),
    threads("sm.io_concurrency_level", Check::U64),
    parameter("sm.max_tile_overlap_size", "314572800", Check::Any),
    parameter("sm.mem.consolidation.buffers_weight", "1", Check::Any),
    parameter("sm.mem.consolidation.reader_weight", "3", Check::Any),
    parameter("sm.mem.consolidation.writer_weight", "2", Check::Any),
    parameter("sm.mem.malloc_trim", "true", Check::Any),
    parameter(
        "sm.mem.reader.sparse_global_order.ratio_array_data",
        "0.1",
        Check::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_global_order.ratio_coords",
        "0.5",
        Check::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_global_order.ratio_tile_ranges",
        "0.1",
        Check::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data",
        "0.1",
        Check::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_coords",
        "0.5",
        Check::Any,
    ),
    parameter(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges",
        "0.1",
        Check::Any,
    ),
    parameter("sm.mem.tile_upper_memory_limit", "1073741824", Check::Any),
    parameter("sm.mem.total_budget", "10737418240", Check::Any),
    parameter("sm.memory_budget", "5368709120", Check::U64),
    parameter("sm.memory_budget_var", "10737418240", Check::U64),
    parameter(
        "sm.merge_overlapping_ranges_experimental",
        "true",
        Check::Flag,
    ),
    parameter("sm.partial_tile_offsets_loading", "false", Check::Any),
    parameter("sm.query.condition_evaluator", "ast", Check::Any),
    parameter("sm.query.dense.qc_coords_mode", "false", Check::Any),
    parameter("sm.query.dense.reader", "refactored", Check::Any),
    parameter(
        "sm.query.sparse_global_order.preprocess_tile_merge",
        "32768",
        Check::Any,
    ),
    parameter(
        "sm.query.sparse_global_order.reader",
        "refactored",
        Check::Any,
    ),
    parameter(
        "sm.query.sparse_unordered_with_dups.reader",
        "refactored",
        Check::Any,
    ),
    parameter("sm.read_range_oob", "warn", Check::Any),
    parameter("sm.skip_checksum_validation", "false", Check::Any),
    parameter("sm.skip_est_size_partitioning", "false", Check::Any),
    parameter(
        "sm.skip_unary_partitioning_budget_check",
        "false",
        Check::Any,
    ),
    parameter("sm.vacuum.mode", "fragments", Check::Any),
    parameter("sm.var_offsets.bitsize", "64", Check::U32),
    parameter("sm.var_offsets.extra_element", "false", Check::Flag),
    parameter("sm.var_offsets.mode", "bytes", Check::OffsetsMode),
    parameter("ssl.ca_file", "", Check::Any),
    parameter("ssl.ca_path", "", Check::Any),
    parameter("ssl.verify", "true", Check::Flag),
    parameter("vfs.azure.blob_endpoint", "", Check::Any),
    parameter("vfs.azure.block_list_block_size", "5242880", Check::Any),
    parameter("vfs.azure.is_data_lake_endpoint", "", Check::FlagOrEmpty),
    threads("vfs.azure.max_parallel_ops", Check::Any),
    parameter("vfs.azure.max_retries", "5", Check::Any),
    parameter("vfs.azure.max_retry_delay_ms", "60000", Check::Any),
    parameter("vfs.azure.retry_delay_ms", "800", Check::Any),
    parameter("vfs.azure.storage_account_key", "", Check::Any),
    parameter("vfs.azure.storage_account_name", "", Check::Any),
    parameter("vfs.azure.storage_sas_token", "", Check::Any),
    parameter("vfs.azure.use_block_list_upload", "true", Check::Any),
    parameter("vfs.file.posix_directory_permissions", "755", Check::U32),
    parameter("vfs.file.posix_file_permissions", "644", Check::U32),
    parameter("vfs.gcs.endpoint", "", Check::Any),
    parameter("vfs.gcs.impersonate_service_account", "", Check::Any),
    parameter("vfs.gcs.max_direct_upload_size", "10737418240", Check::Any),
    threads("vfs.gcs.max_parallel_ops", Check::Any),
    parameter("vfs.gcs.multi_part_size", "5242880", Check::Any),
    parameter("vfs.gcs.project_id", "", Check::Any),
    parameter("vfs.gcs.request_timeout_ms", "3000", Check::Any),
    parameter("vfs.gcs.service_account_key", "", Check::Any),
    parameter("vfs.gcs.use_multi_part_upload", "true", Check::Any),
    parameter("vfs.gcs.workload_identity_configuration", "", Check::Any),
    parameter("vfs.log_operations", "false", Check::Any),
    parameter("vfs.max_batch_size", "104857600", Check::U64),
    parameter("vfs.min_batch_gap", "512000", Check::U64),
    parameter("vfs.min_batch_size", "20971520", Check::U64),
    parameter("vfs.min_parallel_size", "10485760", Check::U64),
    parameter("vfs.read_ahead_cache_size", "10485760", Check::U64),
    parameter("vfs.read_ahead_size", "102400", Check::U64),
    parameter("vfs.read_logging_mode", "", Check::Any),
    parameter("vfs.s3.aws_access_key_id", "", Check::Any),
    parameter("vfs.s3.aws_external_id", "", Check::Any),
    parameter("vfs.s3.aws_load_frequency", "", Check::Any),
    parameter("vfs.s3.aws_role_arn", "", Check::Any),
    parameter("vfs.s3.aws_secret_access_key", "", Check::Any),
    parameter("vfs.s3.aws_session_name", "", Check::Any),
    parameter("vfs.s3.aws_session_token", "", Check::Any),
    parameter("vfs.s3.bucket_canned_acl", "NOT_SET", Check::BucketAcl),
    parameter("vfs.s3.ca_file", "", Check::Any),
    parameter("vfs.s3.ca_path", "", Check::Any),
    parameter("vfs.s3.config_source", "auto", Check::Any),
    parameter("vfs.s3.connect_max_tries", "5", Check::I64),
    parameter("vfs.s3.connect_scale_factor", "25", Check::I64),
    parameter("vfs.s3.connect_timeout_ms", "10800", Check::I64),
    parameter("vfs.s3.endpoint_override", "", Check::Any),
    parameter("vfs.s3.install_sigpipe_handler", "true", Check::Any),
    parameter("vfs.s3.logging_level", "Off", Check::Any),
    threads("vfs.s3.max_parallel_ops", Check::U64),
    parameter("vfs.s3.multipart_part_size", "5242880", Check::U64),
    parameter("vfs.s3.no_sign_request", "false", Check::Flag),
    parameter("vfs.s3.object_canned_acl", "NOT_SET", Check::ObjectAcl),
    parameter("vfs.s3.proxy_host", "", Check::Any),
    parameter("vfs.s3.proxy_password", "", Check::Any),
    parameter("vfs.s3.proxy_port", "0", Check::I64),
    parameter("vfs.s3.proxy_scheme", "http", Check::Any),
    parameter("vfs.s3.proxy_username", "", Check::Any),
    parameter("vfs.s3.region", "", Check::Any),
    parameter("vfs.s3.request_timeout_ms", "3000", Check::I64),
    parameter("vfs.s3.requester_pays", "false", Check::Flag),
    parameter("vfs.s3.scheme", "https", Check::S3Scheme),
    parameter("vfs.s3.skip_init", "false", Check::Any),
    parameter("vfs.s3.sse", "", Check::Any),
    parameter("vfs.s3.sse_kms_key_id", "", Check::Any),
    parameter("vfs.s3.storage_class", "NOT_SET", Check::Any),
    parameter("vfs.s3.use_multipart_upload", "true", Check::Flag),
    parameter("vfs.s3.use_virtual_addressing", "true", Check::Flag),
    parameter("vfs.s3.verify_ssl", "true", Check::Flag),
];

/// Parameters that libtiledb does not have. Iteration does not visit them until they are set, since programs compare its
/// names with libtiledb's.
const EXTENSIONS: [Parameter; 2] = [
    parameter("sm.vacuum.garbage_min_age_ms", "86400000", Check::U64),
    parameter("sm.vacuum.min_age_ms", "0", Check::U64),
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
    fn every_parameter_is_found_by_its_name() {
        for parameter in PARAMETERS.iter().chain(&EXTENSIONS) {
            assert_eq!(find(parameter.name).map(|p| p.name), Some(parameter.name));
        }
        assert!(find("sm.nothing").is_none());
    }

    #[test]
    fn the_thread_count_is_a_number_above_zero() {
        let parameter = find("sm.io_concurrency_level").expect("known");
        assert!(parameter.default().parse::<u64>().expect("number") > 0);
    }

    /// The text of all sources below a folder but the table above.
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
    fn each_parameter_is_read_or_documented_as_without_effect() {
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
