//! The parameters `vfs.azure.*`.

use std::time::Duration;

use super::super::environment::variable;
use super::super::parameters::{milliseconds, parallel};
use crate::config::Config;
use crate::error::{Result, VfsError};
use crate::http::options::Options;
use crate::http::tls::Tls;

/// The time without a byte after which a request is repeated. Azure has no parameter for it.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The parameters, checked. It has no `Debug`: there are secrets in it.
pub(super) struct AzureConfig {
    pub(super) options: Options,
    pub(super) account: String,
    /// The address of the service, perhaps with a shared access signature.
    pub(super) endpoint: String,
    /// The key of the account, in base64; empty for none.
    pub(super) key: String,
    /// A shared access signature; empty for none.
    pub(super) sas: String,
    pub(super) uses_block_lists: bool,
    pub(super) block_size: u64,
    /// Whether the account has a hierarchical namespace; `None` if a request finds out.
    pub(super) is_data_lake: Option<bool>,
}

impl AzureConfig {
    pub(super) fn new(config: &Config) -> Result<Self> {
        let text = |name: &str, environment: &str| {
            let value = config.get(name).filter(|value| !value.is_empty());
            value.or_else(|| variable(environment)).unwrap_or_default()
        };
        let account = text("vfs.azure.storage_account_name", "AZURE_STORAGE_ACCOUNT");
        let key = text("vfs.azure.storage_account_key", "AZURE_STORAGE_KEY");
        let mut endpoint = text("vfs.azure.blob_endpoint", "AZURE_BLOB_ENDPOINT");
        if account.is_empty() && (endpoint.is_empty() || !key.is_empty()) {
            return Err(VfsError::NoAzureAccount.into());
        }
        if endpoint.is_empty() {
            endpoint = format!("https://{account}.blob.core.windows.net");
        }
        let retries = config.u64("vfs.azure.max_retries")?;
        let data_lake = config.get("vfs.azure.is_data_lake_endpoint");
        Ok(Self {
            options: Options {
                request_timeout: REQUEST_TIMEOUT,
                retries: u32::try_from(retries).unwrap_or(u32::MAX),
                first_pause: milliseconds(config, "vfs.azure.retry_delay_ms")?,
                longest_pause: milliseconds(config, "vfs.azure.max_retry_delay_ms")?,
                parallel: parallel(config, "vfs.azure.max_parallel_ops")?,
                tls: Tls::of(config)?,
                ..Options::default()
            },
            account,
            endpoint,
            key,
            sas: text("vfs.azure.storage_sas_token", "AZURE_STORAGE_SAS_TOKEN"),
            uses_block_lists: config.flag("vfs.azure.use_block_list_upload")?,
            block_size: config.u64("vfs.azure.block_list_block_size")?.max(1),
            is_data_lake: data_lake
                .filter(|value| !value.is_empty())
                .map(|value| value.eq_ignore_ascii_case("true")),
        })
    }
}
