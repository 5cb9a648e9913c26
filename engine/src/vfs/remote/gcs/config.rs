//! The parameters `vfs.gcs.*`.

use super::super::parameters::{milliseconds, parallel, part_size, variable};
use crate::config::Config;
use crate::error::Result;
use crate::http::client::Options;
use crate::http::tls::Tls;

/// The unit of the parts of an upload, in bytes.
const UNIT: u64 = 256 << 10;

/// The parameters, checked. It has no `Debug`: there are secrets in it.
pub(super) struct GcsConfig {
    pub(super) options: Options,
    /// The address of the service; `None` for that of Google.
    pub(super) endpoint: Option<String>,
    pub(super) project: String,
    /// The key of a service account as JSON, or the path of a file with it; empty for none.
    pub(super) service_account_key: String,
    /// The configuration of a workload identity as JSON, or the path of a file with it; empty for
    /// none.
    pub(super) workload_identity: String,
    /// Service accounts to impersonate, separated by commas. The last one is in effect, the others
    /// are delegates. Empty for none.
    pub(super) impersonate: String,
    /// The size of the parts of uploads; `None` for uploads without parts.
    pub(super) part_size: Option<u64>,
    pub(super) max_single: u64,
}

impl GcsConfig {
    pub(super) fn new(config: &Config) -> Result<Self> {
        let text = |name: &str| config.get(name).unwrap_or_default();
        let endpoint = Some(text("vfs.gcs.endpoint")).filter(|endpoint| !endpoint.is_empty());
        let part_size = part_size(
            config,
            ["vfs.gcs.use_multi_part_upload", "vfs.gcs.multi_part_size"],
            1,
        )?;
        Ok(Self {
            options: Options {
                request_timeout: milliseconds(config, "vfs.gcs.request_timeout_ms")?,
                parallel: parallel(config, "vfs.gcs.max_parallel_ops")?,
                tls: Tls::of(config)?,
                ..Options::default()
            },
            endpoint: endpoint.or_else(|| variable("CLOUD_STORAGE_EMULATOR_ENDPOINT")),
            project: text("vfs.gcs.project_id"),
            service_account_key: text("vfs.gcs.service_account_key"),
            workload_identity: text("vfs.gcs.workload_identity_configuration"),
            impersonate: text("vfs.gcs.impersonate_service_account"),
            part_size: part_size.map(|size| size.div_ceil(UNIT).saturating_mul(UNIT)),
            max_single: config.u64("vfs.gcs.max_direct_upload_size")?,
        })
    }
}
