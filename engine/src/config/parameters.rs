//! The parameters: names, defaults, and the checks when one is set.
//!
//! This table is the only list of parameters. It is sorted by name, as iteration requires. As in
//! libtiledb, parameters that are not checked here are checked when they are used.

use hashbrown::HashMap;

use super::{ParameterDescription, Release};
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

/// The default of parameters that is the number of hardware threads available to the process.
const CPUS: &str = "CPUs";

/// A known parameter.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) check: ValueCheck,
    /// The default in libtiledb 2.30, or [`CPUS`].
    default: Option<&'static str>,
    /// The possible values, for the reference.
    values: &'static str,
    /// The effect and its cost, for the reference.
    effect: &'static str,
}

impl Parameter {
    /// Returns the default value; `None` if the parameter has no value until it is set.
    pub(super) fn default(&self) -> Option<&'static str> {
        match self.default {
            Some(CPUS) => Some(thread_count()),
            Some(_)
                if self.check == ValueCheck::FormatVersion
                    && Release::current() == Release::V2_31 =>
            {
                Some("23")
            }
            default => default,
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
    PARAMETERS
        .iter()
        .filter(move |parameter| !is_later || !REMOVED_2_31.contains(&parameter.name))
        .chain(ADDED_2_31.iter().filter(move |_| is_later))
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

/// Returns the reference of all parameters, sorted by name: those of both releases and the
/// extensions.
pub(super) fn descriptions() -> Vec<ParameterDescription> {
    let described = |parameters: &'static [Parameter], origin| {
        parameters
            .iter()
            .map(move |parameter| ParameterDescription {
                name: parameter.name,
                default: parameter.default,
                values: parameter.values,
                effect: parameter.effect,
                origin,
            })
    };
    let mut descriptions: Vec<_> = described(&PARAMETERS, "libtiledb 2.30")
        .chain(described(&WITHOUT_DEFAULT, "libtiledb 2.30"))
        .chain(described(&ADDED_2_31, "libtiledb 2.31"))
        .chain(described(&EXTENSIONS, "extension"))
        .collect();
    descriptions.sort_by_key(|description| description.name);
    descriptions
}

/// Makes an array of parameters. A row has the name, the default value if there is one, the check,
/// the possible values, and the effect.
macro_rules! parameters {
    ($($name:literal $(= $default:expr)?, $check:ident, $values:literal: $effect:literal;)*) => {
        [$(Parameter {
            name: $name,
            check: ValueCheck::$check,
            default: [$(Some($default),)? None][0],
            values: $values,
            effect: $effect,
        }),*]
    };
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
pub(super) static PARAMETERS: [Parameter; 154] = parameters! {
    "config.env_var_prefix" = "TILEDB_", Any, "text":
        "The prefix of environment variables that set parameters: `sm.dedup_coords` is `TILEDB_SM_DEDUP_COORDS`.";
    "config.logging_format" = "DEFAULT", LoggingFormat, "`DEFAULT` or `JSON`":
        "The form of lines in the log, which is the standard error output.";
    "config.logging_level" = "0", U32, "0 to 5":
        "What is written to the standard error output: 0 fatal errors, 1 errors, 2 warnings, 3 information, 4 and 5 more.";
    "filestore.buffer_size" = "104857600", Any, "bytes, above 0":
        "The part of a file that an import or export of a file store holds in memory. Larger parts mean fewer submits.";
    "profile_dir" = "", Any, "path":
        "The folder of the profiles file. Empty: that of the variable `TILEDB_PROFILE_DIR`, or `.tiledb` in the home folder.";
    "profile_name" = "", Any, "name":
        "The profile whose parameters are used where the configuration and the environment set none. Empty: `default`.";
    "rest.capnp_traversal_limit" = "2147483648", Any, "bytes":
        "The most bytes that are read from one message in Cap'n Proto form. It bounds the work that a damaged message causes.";
    "rest.curl.buffer_size" = "524288", Any, "bytes, at most 10 MiB":
        "The size of the buffers of a connection to a server.";
    "rest.curl.retry_errors" = "true", Any, "`true` or `false`":
        "Whether requests are repeated after errors of the connection.";
    "rest.curl.tcp_keepalive" = "true", Flag, "`true` or `false`":
        "Whether idle connections to servers are probed.";
    "rest.curl.verbose" = "false", Any, "`true` or `false`":
        "Whether requests and responses are logged, without secrets.";
    "rest.http_compressor" = "any", Any, "`any`, `none` or names of encodings":
        "The compressions that a server may use for responses. They cost CPU time on both sides and save bandwidth.";
    "rest.load_enumerations_on_array_open" = "false", Any, "`true` or `false`":
        "Whether an open at a server transfers the enumerations of the latest schema. Otherwise they are loaded on first use, with a request each.";
    "rest.load_enumerations_on_array_open_all_schemas" = "false", Any, "`true` or `false`":
        "As `rest.load_enumerations_on_array_open`, of all schemas.";
    "rest.load_metadata_on_array_open" = "true", Any, "`true` or `false`":
        "Whether an open at a server transfers the metadata. Otherwise it is loaded on first use, with one request.";
    "rest.load_non_empty_domain_on_array_open" = "true", Any, "`true` or `false`":
        "Whether an open at a server transfers the non-empty domain. Otherwise it is loaded on first use, with one request.";
    "rest.payer_namespace" = "", Any, "name":
        "The namespace that a server charges.";
    "rest.retry_count" = "25", Any, "number":
        "The most repetitions of a request to a server.";
    "rest.retry_delay_factor" = "1.25", Any, "number":
        "The factor by which the pause grows with each repetition.";
    "rest.retry_http_codes" = "503", Any, "numbers, separated by commas":
        "The statuses after which a request is repeated.";
    "rest.retry_initial_delay_ms" = "500", Any, "milliseconds":
        "The pause before the first repetition.";
    "rest.server_address" = "https://api.tiledb.com", Any, "URL":
        "The server of `tiledb://` URIs.";
    "rest.server_serialization_format" = "CAPNP", SerializationFormat, "`CAPNP` or `JSON`":
        "The form of messages. JSON is readable, and several times larger and slower.";
    "rest.use_refactored_array_open" = "true", Any, "`true` or `false`":
        "Whether an open is one request. Otherwise the schema, the fragments and the metadata are requested one by one.";
    "rest.use_refactored_array_open_and_query_submit" = "true", Any, "`true` or `false`":
        "Whether an open at a server transfers what queries need of the fragments.";
    "sm.allow_separate_attribute_writes" = "false", Flag, "`true` or `false`":
        "Whether a write of unordered cells may submit the coordinates and each attribute separately.";
    "sm.allow_updates_experimental" = "false", Flag, "`true` or `false`":
        "No effect but on the text of an error: update queries are rejected.";
    "sm.check_coord_dups" = "true", Flag, "`true` or `false`":
        "Whether writes to arrays without duplicates fail if cells have equal coordinates. The check uses the order that a write computes anyway.";
    "sm.check_coord_oob" = "true", Flag, "`true` or `false`":
        "Whether writes fail if coordinates are outside of the domain.";
    "sm.check_global_order" = "true", Flag, "`true` or `false`":
        "Whether writes in global order fail if cells are not in that order. Costs one comparison for each cell.";
    "sm.compute_concurrency_level" = CPUS, U64, "threads, above 0":
        "The most threads that compute for one context. Default: the CPUs that the process may use.";
    "sm.consolidation.amplification" = "1.0", F32, "number, not negative":
        "Dense fragments are merged only if the box around them has at most this many times their cells.";
    "sm.consolidation.buffer_size" = "50000000", U64, "bytes":
        "No effect: consolidation passes cells in parts of a fixed size.";
    "sm.consolidation.max_fragment_size" = "18446744073709551615", U64, "bytes":
        "The most bytes of tiles in a consolidated fragment. A larger result becomes several fragments.";
    "sm.consolidation.mode" = "fragments", Any, "`fragments`, `fragment_meta`, `commits`, `array_meta` or `group_meta`":
        "The files that a consolidation merges.";
    "sm.consolidation.purge_deleted_cells" = "false", Flag, "`true` or `false`":
        "Whether consolidation removes deleted cells instead of keeping them with the time of their removal. Reads at times before the removal then miss them.";
    "sm.consolidation.step_max_frags" = "4294967295", U32, "fragments":
        "The most fragments that one step merges.";
    "sm.consolidation.step_min_frags" = "4294967295", U32, "fragments":
        "The least fragments that one step merges.";
    "sm.consolidation.step_size_ratio" = "0.0", F32, "0.0 to 1.0":
        "A step merges only fragments each of which has at least this part of the size of the next one.";
    "sm.consolidation.steps" = "4294967295", U32, "number":
        "The most steps of a consolidation.";
    "sm.consolidation.timestamp_end" = "18446744073709551615", Any, "timestamp":
        "Only fragments that end at this time or before are merged.";
    "sm.consolidation.timestamp_start" = "0", Any, "timestamp":
        "Only fragments that start at this time or later are merged.";
    "sm.dedup_coords" = "false", Flag, "`true` or `false`":
        "Whether a write keeps one of several cells with equal coordinates, instead of failing. Which one is not determined.";
    "sm.enable_signal_handlers" = "true", Flag, "`true` or `false`":
        "No effect: no signal handlers are installed.";
    "sm.encryption_key" = "", Any, "32 bytes, as text":
        "The key of encrypted arrays. It is not saved to files.";
    "sm.encryption_type" = "NO_ENCRYPTION", Any, "`NO_ENCRYPTION` or `AES_256_GCM`":
        "The encryption that the key is for.";
    "sm.enumerations_max_size" = "10485760", Any, "bytes":
        "The most bytes that one enumeration of a schema may have.";
    "sm.enumerations_max_total_size" = "52428800", Any, "bytes":
        "The most bytes that all enumerations of a schema may have.";
    "sm.fragment_info.preload_mbrs" = "false", Flag, "`true` or `false`":
        "Whether fragment information loads the bounds of all tiles at once, instead of per fragment on first use.";
    "sm.group.timestamp_end" = "18446744073709551615", Any, "timestamp":
        "The latest time of the details and metadata that opening a group reads; the time of what is written.";
    "sm.group.timestamp_start" = "0", Any, "timestamp":
        "The earliest time of the details and metadata that opening a group reads.";
    "sm.io_concurrency_level" = CPUS, U64, "threads, above 0":
        "The most threads that read and write files for one context. Default: the CPUs that the process may use.";
    "sm.max_tile_overlap_size" = "314572800", Any, "bytes":
        "No effect: for the partitioning of older readers.";
    "sm.mem.consolidation.buffers_weight" = "1", Any, "number":
        "No effect: consolidation does not divide its memory.";
    "sm.mem.consolidation.reader_weight" = "3", Any, "number":
        "No effect: consolidation does not divide its memory.";
    "sm.mem.consolidation.writer_weight" = "2", Any, "number":
        "No effect: consolidation does not divide its memory.";
    "sm.mem.malloc_trim" = "true", Any, "`true` or `false`":
        "Whether the heap is returned to the system after a write that sorted its cells in parts. Costs a few milliseconds there.";
    "sm.mem.reader.sparse_global_order.ratio_array_data" = "0.1", Any, "0.0 to 1.0":
        "The part of the budget that ordered sparse reads may use for the tile offsets and bounds of fragments.";
    "sm.mem.reader.sparse_global_order.ratio_coords" = "0.5", Any, "0.0 to 1.0":
        "No effect: coordinates and attributes share one budget.";
    "sm.mem.reader.sparse_global_order.ratio_tile_ranges" = "0.1", Any, "0.0 to 1.0":
        "No effect: tile ranges share the budget.";
    "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data" = "0.1", Any, "0.0 to 1.0":
        "The part of the budget that unordered sparse reads may use for the tile offsets and bounds of fragments.";
    "sm.mem.reader.sparse_unordered_with_dups.ratio_coords" = "0.5", Any, "0.0 to 1.0":
        "No effect: coordinates and attributes share one budget.";
    "sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges" = "0.1", Any, "0.0 to 1.0":
        "No effect: tile ranges share the budget.";
    "sm.mem.tile_upper_memory_limit" = "1073741824", Any, "bytes":
        "No effect: dense reads hold the tiles that their threads work on.";
    "sm.mem.total_budget" = "10737418240", Any, "bytes":
        "The memory that one query or consolidation may use. A smaller budget makes reads take more submits or smaller groups of tiles; an operation that cannot progress fails and names the need.";
    "sm.memory_budget" = "5368709120", U64, "bytes":
        "No effect: for older readers. `sm.mem.total_budget` limits memory.";
    "sm.memory_budget_var" = "10737418240", U64, "bytes":
        "No effect: for older readers. `sm.mem.total_budget` limits memory.";
    "sm.merge_overlapping_ranges_experimental" = "true", Flag, "`true` or `false`":
        "Whether ranges that overlap or touch are merged when they are added to a subarray. Without it, cells in several ranges are returned several times.";
    "sm.partial_tile_offsets_loading" = "false", Any, "`true` or `false`":
        "Whether unordered sparse reads load the tile offsets of a few fragments at a time, where those of all exceed their part of the budget.";
    "sm.query.condition_evaluator" = "ast", Any, "text":
        "No effect: there is one evaluator.";
    "sm.query.dense.qc_coords_mode" = "false", Any, "`true` or `false`":
        "Whether a dense read with a condition returns only the coordinates of the selected cells.";
    "sm.query.dense.reader" = "refactored", Any, "`refactored` or `legacy`":
        "Only the kind of reader that messages name.";
    "sm.query.sparse_global_order.preprocess_tile_merge" = "32768", Any, "number":
        "No effect: tiles are always ordered before they are merged.";
    "sm.query.sparse_global_order.reader" = "refactored", Any, "`refactored` or `legacy`":
        "Only the kind of reader that messages name.";
    "sm.query.sparse_unordered_with_dups.reader" = "refactored", Any, "`refactored` or `legacy`":
        "Only the kind of reader that messages name.";
    "sm.read_range_oob" = "warn", Any, "`warn` or `error`":
        "Whether a range that leaves the domain is cut, or is an error.";
    "sm.skip_checksum_validation" = "false", Any, "`true` or `false`":
        "Whether reads skip the comparison of MD5 and SHA-256 checksums. It saves most of their cost, and damage is not found.";
    "sm.skip_est_size_partitioning" = "false", Any, "`true` or `false`":
        "No effect: for the partitioning of older readers.";
    "sm.skip_unary_partitioning_budget_check" = "false", Any, "`true` or `false`":
        "No effect: for the partitioning of older readers.";
    "sm.vacuum.mode" = "fragments", Any, "`fragments`, `fragment_meta`, `commits`, `array_meta`, `group_meta` or `garbage`":
        "The files that a vacuum removes. `garbage`, an extension, removes what killed processes left.";
    "sm.var_offsets.bitsize" = "64", U32, "32 or 64":
        "The size of the offsets in buffers of programs.";
    "sm.var_offsets.extra_element" = "false", Flag, "`true` or `false`":
        "Whether offsets end with the total size, as in Arrow.";
    "sm.var_offsets.mode" = "bytes", OffsetsMode, "`bytes` or `elements`":
        "The unit of the offsets in buffers of programs.";
    "ssl.ca_file" = "", Any, "path":
        "A file with certificates of authorities, instead of those of the system.";
    "ssl.ca_path" = "", Any, "path":
        "A folder with certificates of authorities, instead of those of the system.";
    "ssl.verify" = "true", Flag, "`true` or `false`":
        "Whether certificates are verified. Without it, connections can be intercepted.";
    "vfs.azure.blob_endpoint" = "", Any, "URL":
        "The address of the service, if it is not `https://ACCOUNT.blob.core.windows.net`.";
    "vfs.azure.block_list_block_size" = "5242880", Any, "bytes":
        "The size of the blocks in which a file is uploaded. Each block in flight is in memory.";
    "vfs.azure.is_data_lake_endpoint" = "", FlagOrEmpty, "`true` or `false`, or empty":
        "Whether the account has a hierarchical namespace. Empty: the account is asked, with one request.";
    "vfs.azure.max_parallel_ops" = CPUS, Any, "requests, above 0":
        "The most requests in flight for one context. Default: 32, unless it is set.";
    "vfs.azure.max_retries" = "5", Any, "number":
        "The most repetitions of a request.";
    "vfs.azure.max_retry_delay_ms" = "60000", Any, "milliseconds":
        "The longest pause between repetitions.";
    "vfs.azure.retry_delay_ms" = "800", Any, "milliseconds":
        "The pause before the first repetition.";
    "vfs.azure.storage_account_key" = "", Any, "base64":
        "The key of the account.";
    "vfs.azure.storage_account_name" = "", Any, "name":
        "The account.";
    "vfs.azure.storage_sas_token" = "", Any, "text":
        "A shared access signature, instead of a key.";
    "vfs.azure.use_block_list_upload" = "true", Any, "`true` or `false`":
        "Whether files are uploaded in blocks. Otherwise a file must fit into one request.";
    "vfs.file.posix_directory_permissions" = "755", U32, "octal number":
        "The permissions of new folders, without those that the process masks.";
    "vfs.file.posix_file_permissions" = "644", U32, "octal number":
        "The permissions of new files, without those that the process masks.";
    "vfs.gcs.endpoint" = "", Any, "URL":
        "The address of the service, if it is not Google's.";
    "vfs.gcs.impersonate_service_account" = "", Any, "accounts, separated by commas":
        "The account whose token is used; those before it are delegates.";
    "vfs.gcs.max_direct_upload_size" = "10737418240", Any, "bytes":
        "The most bytes of a file that is uploaded without parts.";
    "vfs.gcs.max_parallel_ops" = CPUS, Any, "requests, above 0":
        "The most requests in flight for one context. Default: 32, unless it is set.";
    "vfs.gcs.multi_part_size" = "5242880", Any, "bytes":
        "The size of the parts in which a file is uploaded. Each part in flight is in memory.";
    "vfs.gcs.project_id" = "", Any, "name":
        "The project in which buckets are created.";
    "vfs.gcs.request_timeout_ms" = "3000", Any, "milliseconds":
        "The time limit of one attempt of a request, without the transfer of its data.";
    "vfs.gcs.service_account_key" = "", Any, "JSON, or path":
        "The key of a service account.";
    "vfs.gcs.use_multi_part_upload" = "true", Any, "`true` or `false`":
        "Whether files are uploaded in parts. Otherwise a file must fit into one request.";
    "vfs.gcs.workload_identity_configuration" = "", Any, "JSON, or path":
        "The configuration of a workload identity.";
    "vfs.log_operations" = "false", Any, "`true` or `false`":
        "Whether each operation of storage is logged with its duration.";
    "vfs.max_batch_size" = "104857600", U64, "bytes":
        "No effect: ranges are merged by the gap between them alone.";
    "vfs.min_batch_gap" = "512000", U64, "bytes":
        "Ranges of a file on an object store that are closer than this are read with one request: fewer requests, more bytes.";
    "vfs.min_batch_size" = "20971520", U64, "bytes":
        "No effect: ranges are merged by the gap between them alone.";
    "vfs.min_parallel_size" = "10485760", U64, "bytes":
        "No effect: ranges are cut into parts of 4 to 40 MiB.";
    "vfs.read_ahead_cache_size" = "10485760", U64, "bytes":
        "The memory for read-ahead data of one context.";
    "vfs.read_ahead_size" = "102400", U64, "bytes":
        "A read of fewer bytes from an object store requests this many, for the reads that follow.";
    "vfs.read_logging_mode" = "", Any, "empty, `fragments`, `fragment_files`, `all_files`, `all_reads` or `all_reads_always`":
        "Which reads are logged.";
    "vfs.s3.aws_access_key_id" = "", Any, "text":
        "The access key.";
    "vfs.s3.aws_external_id" = "", Any, "text":
        "The external ID with which a role is assumed.";
    "vfs.s3.aws_load_frequency" = "", Any, "seconds":
        "The duration of the session of an assumed role.";
    "vfs.s3.aws_role_arn" = "", Any, "text":
        "The role to assume.";
    "vfs.s3.aws_secret_access_key" = "", Any, "text":
        "The secret key.";
    "vfs.s3.aws_session_name" = "", Any, "text":
        "The name of the session of an assumed role.";
    "vfs.s3.aws_session_token" = "", Any, "text":
        "The token of a temporary access key.";
    "vfs.s3.bucket_canned_acl" = "NOT_SET", BucketAcl, "name of a canned list, or `NOT_SET`":
        "The access control list of new buckets.";
    "vfs.s3.ca_file" = "", Any, "path":
        "A file with certificates of authorities. Empty: that of `ssl.ca_file`.";
    "vfs.s3.ca_path" = "", Any, "path":
        "A folder with certificates of authorities. Empty: that of `ssl.ca_path`.";
    "vfs.s3.config_source" = "auto", Any, "`auto`, `config_files` or `sts_profile_with_web_identity`":
        "Where credentials are searched.";
    "vfs.s3.connect_max_tries" = "5", I64, "number":
        "The most repetitions of a request.";
    "vfs.s3.connect_scale_factor" = "25", I64, "milliseconds":
        "The pause before the first repetition.";
    "vfs.s3.connect_timeout_ms" = "10800", I64, "milliseconds":
        "The time limit of a connection, with the lookup of its name.";
    "vfs.s3.endpoint_override" = "", Any, "host and port":
        "The address of the service, if it is not Amazon's.";
    "vfs.s3.install_sigpipe_handler" = "true", Any, "`true` or `false`":
        "No effect: no signal handlers are installed.";
    "vfs.s3.logging_level" = "Off", Any, "text":
        "No effect: the AWS SDK is not used.";
    "vfs.s3.max_parallel_ops" = CPUS, U64, "requests, above 0":
        "The most requests in flight for one context. Default: 32, unless it is set; then large ranges are cut into that number of parts.";
    "vfs.s3.multipart_part_size" = "5242880", U64, "bytes, 5 MiB to 5 GiB":
        "The size of the parts in which a file is uploaded. Each part in flight is in memory.";
    "vfs.s3.no_sign_request" = "false", Flag, "`true` or `false`":
        "Whether requests are sent without a signature, for public buckets.";
    "vfs.s3.object_canned_acl" = "NOT_SET", ObjectAcl, "name of a canned list, or `NOT_SET`":
        "The access control list of new objects.";
    "vfs.s3.proxy_host" = "", Any, "host":
        "The proxy. Empty: that of the environment.";
    "vfs.s3.proxy_password" = "", Any, "text":
        "The password at the proxy.";
    "vfs.s3.proxy_port" = "0", I64, "0 to 65535":
        "The port of the proxy.";
    "vfs.s3.proxy_scheme" = "http", Any, "`http` or `https`":
        "The protocol of the proxy.";
    "vfs.s3.proxy_username" = "", Any, "text":
        "The user at the proxy.";
    "vfs.s3.region" = "", Any, "name":
        "The region of the bucket. Empty: that of the environment, the profile, or `us-east-1`.";
    "vfs.s3.request_timeout_ms" = "3000", I64, "milliseconds":
        "The time limit of one attempt of a request, without the transfer of its data.";
    "vfs.s3.requester_pays" = "false", Flag, "`true` or `false`":
        "Whether the account of the caller pays for requests.";
    "vfs.s3.scheme" = "https", S3Scheme, "`https` or `http`":
        "The protocol of the endpoint.";
    "vfs.s3.skip_init" = "false", Any, "`true` or `false`":
        "No effect: the AWS SDK is not used.";
    "vfs.s3.sse" = "", Any, "empty, `aes256` or `kms`":
        "The encryption of new objects by the service.";
    "vfs.s3.sse_kms_key_id" = "", Any, "text":
        "The key of the encryption `kms`.";
    "vfs.s3.storage_class" = "NOT_SET", Any, "name of a class, or `NOT_SET`":
        "The storage class of new objects.";
    "vfs.s3.use_multipart_upload" = "true", Flag, "`true` or `false`":
        "Whether files are uploaded in parts. Otherwise a file must fit into one request.";
    "vfs.s3.use_virtual_addressing" = "true", Flag, "`true` or `false`":
        "Whether the bucket is a part of the host (`bucket.host`) or of the path (`host/bucket`).";
    "vfs.s3.verify_ssl" = "true", Flag, "`true` or `false`":
        "Whether certificates are verified. Without it, connections can be intercepted.";
};

/// Parameters that libtiledb has from 2.31 on.
const ADDED_2_31: [Parameter; 2] = parameters! {
    "rest.resubmit_incomplete" = "true", Any, "`true` or `false`":
        "Whether a read at a server whose result did not fit into its message continues with another request.";
    "vfs.s3.retry_strategy" = "standard", Any, "`standard`, `adaptive` or `legacy`":
        "The number and the pauses of repetitions, as in the AWS SDK.";
};

/// Parameters that libtiledb lists until 2.30.
const REMOVED_2_31: [&str; 2] = [MAX_TRIES, "vfs.s3.connect_scale_factor"];
const MAX_TRIES: &str = "vfs.s3.connect_max_tries";

/// The parameter that 2.31 checks and reads but does not list.
const UNLISTED_2_31: Parameter = Parameter {
    name: MAX_TRIES,
    check: ValueCheck::I64OrEmpty,
    default: None,
    values: "number",
    effect: "The most repetitions of a request.",
};

/// Parameters that libtiledb does not have. Iteration omits them until they are set, since programs
/// compare its names with libtiledb's.
const EXTENSIONS: [Parameter; 6] = parameters! {
    "sm.check_float_scaling" = "true", Flag, "`true` or `false`":
        "Whether a write fails if the filter for float scaling cannot store a value. Otherwise it stores another number.";
    "sm.mem.chunk_cache_size" = "67108864", U64, "bytes":
        "The decoded chunks that an open dense array keeps for later reads. 0: none.";
    "sm.vacuum.garbage_min_age_ms" = "86400000", U64, "milliseconds":
        "The least age of what a vacuum with the mode `garbage` removes.";
    "sm.vacuum.min_age_ms" = "0", U64, "milliseconds":
        "The least age of replaced fragments that a vacuum removes, so that readers that opened the array before can finish.";
    "tiledb_rs.format_version" = "22", FormatVersion, "22 or 23":
        "The format version in which arrays are created. libtiledb 2.30 cannot open version 23.";
    "vfs.file.sync" = "all", FileSync, "see the table in docs/commit-protocol.md":
        "Which files and folders are synced before an operation returns. Fewer syncs are faster, and a loss of power may then lose what was written.";
};

/// Parameters that have no value until they are set, which libtiledb does not list either.
const WITHOUT_DEFAULT: [Parameter; 8] = parameters! {
    "rest.creation_access_credentials_name", Any, "name":
        "The credentials with which a server creates an array.";
    "rest.custom_headers.*", Any, "text":
        "A header of requests to a server; its name follows the last dot.";
    "rest.ignore_ssl_validation", Any, "`true` or `false`":
        "Whether certificates of servers are not verified. Connections can then be intercepted.";
    "rest.password", Any, "text":
        "The password for a server, unless a token is set.";
    "rest.request_timeout_ms", Any, "milliseconds":
        "The longest time without a byte from or to a server; 5 minutes unless it is set.";
    "rest.token", Any, "text":
        "The token for a server.";
    "rest.username", Any, "text":
        "The user at a server, unless a token is set.";
    "vfs.s3.custom_headers.*", Any, "text":
        "A header of requests to S3; its name follows the last dot.";
};

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

    /// Returns the reference as Markdown: a section per prefix, a list item per parameter.
    fn reference() -> String {
        let mut text = REFERENCE_START.to_owned();
        let mut section = String::new();
        for description in descriptions() {
            let name = description.name;
            let mut words = name.split('.');
            let mut prefix = words.next().expect("a word").to_owned();
            if let ("vfs" | "sm", Some(second)) = (prefix.as_str(), words.next())
                && words.next().is_some()
            {
                prefix = format!("{prefix}.{second}");
            }
            if prefix != section && name.contains('.') {
                text.push_str(&format!("\n## `{prefix}`\n\n"));
                section = prefix;
            } else if !name.contains('.') && section != "profiles" {
                text.push_str("\n## Profiles\n\n");
                section = "profiles".to_owned();
            }
            let default = match description.default {
                None => "no default".to_owned(),
                Some("") => "default empty".to_owned(),
                Some(default) => format!("default `{default}`"),
            };
            let origin = match description.origin {
                "libtiledb 2.30" => String::new(),
                origin => format!(", {origin}"),
            };
            let values = description.values;
            let mut line = String::from("-");
            let item = format!(
                "`{name}` ({values}; {default}{origin}): {}",
                description.effect
            );
            for word in item.split(' ') {
                if line.len() + word.len() > 120 {
                    text.push_str(&line);
                    line = String::from("\n ");
                }
                line.push(' ');
                line.push_str(word);
            }
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    const REFERENCE_START: &str = "# Configuration reference

Generated from the table in `engine/src/config/parameters.rs`; `TILEDB_RS_BLESS=1 cargo test -p tiledb-engine --lib reference`
writes it, and a test compares it. `tiledb-rs config` prints the same.

A parameter is set in this order of precedence: by the program (`tiledb_config_set`), by an environment variable
(`TILEDB_SM_DEDUP_COORDS` for `sm.dedup_coords`), by a profile, by a file that the program loads. Flags are `true` or `false` in
any letter case. Sizes are bytes and timestamps milliseconds since 1970-01-01 UTC. Values are checked when they are set,
or, as in libtiledb, when they are used. Parameters without a mark are those of libtiledb 2.30; an *extension* is one of this
library.
";

    #[test]
    fn the_reference_is_that_of_the_table() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
        let expected = reference();
        if std::env::var_os("TILEDB_RS_BLESS").is_some() {
            fs::write(&path, &expected).expect("written");
        }
        // A crate outside of the workspace has no documents.
        if let Ok(text) = fs::read_to_string(&path) {
            assert!(text == expected, "docs/configuration.md is not up to date");
        }
    }

    #[test]
    fn every_parameter_is_described() {
        for parameter in descriptions() {
            let (name, effect) = (parameter.name, parameter.effect);
            assert!(effect.ends_with('.') && effect.len() > 10, "{name}");
            assert!(!parameter.values.is_empty(), "{name}");
            let has_no_effect = effect.starts_with("No effect:");
            let is_listed = without_effect().contains(&format!("`{name}`"));
            assert_eq!(has_no_effect, is_listed, "{name}");
        }
    }

    /// Returns the section of the documents on parameters without effect.
    fn without_effect() -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("root");
        let differences =
            fs::read_to_string(root.join("docs/differences/configuration.md")).expect("document");
        let section = differences.split("## Parameters without effect").nth(1);
        let section = section.and_then(|rest| rest.split("\n## ").next());
        section.expect("a section").to_owned()
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
        let section = without_effect();
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
