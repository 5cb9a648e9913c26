//! Checks of the parameters of all services for a new context.

use crate::config::{Config, Release, UNUSED_FLAGS};
use crate::error::Result;

/// The unsigned numbers.
const UNSIGNED: [&str; 13] = [
    "vfs.azure.block_list_block_size",
    "vfs.azure.max_parallel_ops",
    "vfs.azure.max_retries",
    "vfs.azure.max_retry_delay_ms",
    "vfs.azure.retry_delay_ms",
    "vfs.gcs.max_direct_upload_size",
    "vfs.gcs.max_parallel_ops",
    "vfs.gcs.multi_part_size",
    "vfs.gcs.request_timeout_ms",
    "vfs.read_ahead_cache_size",
    "vfs.read_ahead_size",
    "vfs.s3.max_parallel_ops",
    "vfs.s3.multipart_part_size",
];
/// The signed numbers.
const SIGNED: [&str; 2] = ["vfs.s3.connect_timeout_ms", "vfs.s3.request_timeout_ms"];
/// The signed numbers until 2.30. The first one may be empty or missing from 2.31 on, and the
/// second has no effect.
const SIGNED_2_30: [&str; 2] = ["vfs.s3.connect_max_tries", "vfs.s3.connect_scale_factor"];
/// The flags that have an effect.
const FLAGS: [&str; 8] = [
    "ssl.verify",
    "vfs.azure.use_block_list_upload",
    "vfs.gcs.use_multi_part_upload",
    "vfs.s3.no_sign_request",
    "vfs.s3.requester_pays",
    "vfs.s3.use_multipart_upload",
    "vfs.s3.use_virtual_addressing",
    "vfs.s3.verify_ssl",
];
/// The flag that may be empty.
const DATA_LAKE: &str = "vfs.azure.is_data_lake_endpoint";

/// Checks the values of parameters, whether or not the context accesses object stores, as libtiledb
/// does. Some are not checked when they are set, and none if they come from the environment, a
/// profile or a file.
pub(in crate::vfs) fn check_parameters(config: &Config) -> Result<()> {
    for name in UNSIGNED {
        config.u64(name)?;
    }
    for name in SIGNED {
        config.i64(name)?;
    }
    match Release::current() {
        Release::V2_30 => {
            for name in SIGNED_2_30 {
                config.i64(name)?;
            }
        }
        Release::V2_31
            if config
                .text(SIGNED_2_30[0])
                .is_some_and(|text| !text.is_empty()) =>
        {
            config.i64(SIGNED_2_30[0])?;
        }
        Release::V2_31 => {}
    }
    for name in FLAGS.into_iter().chain(UNUSED_FLAGS) {
        config.flag(name)?;
    }
    if config.text(DATA_LAKE).is_some_and(|text| !text.is_empty()) {
        config.flag(DATA_LAKE)?;
    }
    config.u32("vfs.s3.proxy_port")?;
    #[cfg(feature = "s3")]
    super::s3::check(config)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_parameters_are_checked_for_a_context() {
        check_parameters(&Config::new()).expect("the defaults");
        for (name, value, reason) in [
            ("vfs.azure.max_retries", "-1", "is not an integer"),
            ("vfs.gcs.multi_part_size", "", "is not an integer"),
            ("vfs.gcs.use_multi_part_upload", "1", "is neither"),
            (UNUSED_FLAGS[1], "", "is neither"),
            ("vfs.s3.proxy_port", "4294967296", "is out of the range"),
            ("vfs.s3.sse", "AES256", "vfs.s3.sse"),
            ("vfs.s3.sse", "kms", "vfs.s3.sse_kms_key_id"),
        ] {
            let mut config = Config::new();
            config.set(name, value).expect("any value can be set");
            let error = check_parameters(&config)
                .expect_err("an invalid value")
                .to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }

    #[test]
    fn values_in_a_file_are_checked_for_a_context() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("config");
        let names = UNSIGNED.into_iter().chain(SIGNED).chain(FLAGS);
        for name in names.chain([DATA_LAKE]) {
            std::fs::write(&path, format!("{name} 1x\n")).expect("writes");
            let mut config = Config::new();
            let path = path.to_str().expect("path");
            config.load(path).expect("values are not checked");
            let error = check_parameters(&config).expect_err("an invalid value");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
