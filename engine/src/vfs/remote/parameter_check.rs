//! Checks of the parameters of all services for a new context.

use crate::config::{Config, UNUSED_FLAGS};
use crate::error::Result;

/// Checks the values of the parameters whose values are not checked when they are set. libtiledb
/// checks them for a context, whether or not it accesses object stores.
pub(in crate::vfs) fn check_parameters(config: &Config) -> Result<()> {
    for name in [
        "vfs.azure.block_list_block_size",
        "vfs.azure.max_parallel_ops",
        "vfs.azure.max_retries",
        "vfs.azure.max_retry_delay_ms",
        "vfs.azure.retry_delay_ms",
        "vfs.gcs.max_direct_upload_size",
        "vfs.gcs.max_parallel_ops",
        "vfs.gcs.multi_part_size",
        "vfs.gcs.request_timeout_ms",
    ] {
        config.u64(name)?;
    }
    for name in [
        "vfs.azure.use_block_list_upload",
        "vfs.gcs.use_multi_part_upload",
    ] {
        config.flag(name)?;
    }
    for name in UNUSED_FLAGS {
        config.flag(name)?;
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
}
