//! Typed configuration of a context.

use std::fmt;

use super::context::Context;
use crate::config::Config;
use crate::error::{Error, Result};

/// A context that is being configured; [`Context::builder`] returns it. The first error is returned
/// by [`build`](ContextBuilder::build).
///
/// ```no_run
/// use tiledb_engine::{Context, S3Options};
///
/// # fn main() -> tiledb_engine::Result<()> {
/// let context = Context::builder()
///     .memory_budget(2 << 30)
///     .threads(4)
///     .s3(S3Options {
///         region: Some("eu-west-1".into()),
///         access_key_id: Some("AKIA...".into()),
///         secret_access_key: std::env::var("SECRET").ok(),
///         ..S3Options::default()
///     })
///     .set("sm.consolidation.step_max_frags", "10")
///     .build()?;
/// # let _ = context;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct ContextBuilder {
    config: Config,
    problem: Option<Error>,
}

impl Context {
    /// Returns a builder with the default configuration.
    pub fn builder() -> ContextBuilder {
        ContextBuilder::default()
    }
}

impl ContextBuilder {
    /// Sets a parameter by its name, as [`Config::set`] does. The names are those of libtiledb.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        if self.problem.is_none() {
            self.problem = self.config.set(name, value).err();
        }
        self
    }

    /// Sets the memory for reads, writes and consolidations in bytes; 10 GB by default
    /// (`sm.mem.total_budget`).
    pub fn memory_budget(self, bytes: u64) -> Self {
        self.set("sm.mem.total_budget", &bytes.to_string())
    }

    /// Sets the number of threads that compute, and of those that access files; the number of
    /// processors by default (`sm.compute_concurrency_level`, `sm.io_concurrency_level`).
    pub fn threads(self, number: usize) -> Self {
        let number = number.to_string();
        self.set("sm.compute_concurrency_level", &number)
            .set("sm.io_concurrency_level", &number)
    }

    /// Sets the key of encrypted arrays, which are created and opened with AES-256-GCM: 32 bytes.
    /// `Debug` does not print it.
    pub fn encryption_key(self, key: &str) -> Self {
        self.set("sm.encryption_type", "AES_256_GCM")
            .set("sm.encryption_key", key)
    }

    /// Sets options of Amazon S3 and services that speak its protocol.
    pub fn s3(self, options: S3Options) -> Self {
        options.apply(self)
    }

    /// Sets options of Azure Blob Storage.
    pub fn azure(self, options: AzureOptions) -> Self {
        options.apply(self)
    }

    /// Sets options of Google Cloud Storage.
    pub fn gcs(self, options: GcsOptions) -> Self {
        options.apply(self)
    }

    /// Creates the context.
    ///
    /// # Errors
    ///
    /// If a parameter is invalid.
    pub fn build(self) -> Result<Context> {
        match self.problem {
            Some(problem) => Err(problem),
            None => Context::with_config(self.config),
        }
    }
}

/// The text of an option that is set, for `Debug`.
fn shown<T: fmt::Debug>(value: &Option<T>, is_secret: bool) -> String {
    match value {
        None => "None".to_owned(),
        Some(_) if is_secret => "Some(<secret>)".to_owned(),
        Some(value) => format!("Some({value:?})"),
    }
}

/// Defines the options of an object store: the field, whether it is a secret, its type, and the
/// parameters that it sets.
macro_rules! store_options {
    (
        $(#[$doc:meta])* $name:ident {
            $($(#[$field_doc:meta])* $secrecy:ident $field:ident: $kind:ty => $($parameter:literal)+;)+
        }
    ) => {
        $(#[$doc])*
        ///
        /// An option that is `None` has the value of the environment or the default. `Debug` does
        /// not print secrets. Write `..Default::default()` after the options that are set: later
        /// versions may have more.
        #[derive(Clone, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: Option<$kind>,)+
        }

        impl $name {
            fn apply(&self, builder: ContextBuilder) -> ContextBuilder {
                let mut builder = builder;
                $(if let Some(value) = &self.$field {
                    let text = value.to_string();
                    $(builder = builder.set($parameter, &text);)+
                })+
                builder
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(
                        stringify!($field),
                        &format_args!("{}", shown(&self.$field, stringify!($secrecy) == "secret")),
                    ))+
                    .finish()
            }
        }
    };
}

store_options! {
    /// Options of Amazon S3 and services that speak its protocol.
    S3Options {
        /// The region, such as `eu-west-1`.
        plain region: String => "vfs.s3.region";
        /// The host and port of a service other than Amazon's, such as `localhost:9000`.
        plain endpoint: String => "vfs.s3.endpoint_override";
        /// The protocol: `https` or `http`.
        plain scheme: String => "vfs.s3.scheme";
        /// The access key.
        plain access_key_id: String => "vfs.s3.aws_access_key_id";
        /// The secret of the access key.
        secret secret_access_key: String => "vfs.s3.aws_secret_access_key";
        /// The token of temporary credentials.
        secret session_token: String => "vfs.s3.aws_session_token";
        /// The role that is assumed.
        plain role_arn: String => "vfs.s3.aws_role_arn";
        /// The identifier that the owner of the role requires.
        secret external_id: String => "vfs.s3.aws_external_id";
        /// Whether requests are not signed, as for public data.
        plain anonymous: bool => "vfs.s3.no_sign_request";
        /// Whether the bucket is part of the host's name.
        plain virtual_addressing: bool => "vfs.s3.use_virtual_addressing";
        /// Whether the caller pays for requests.
        plain requester_pays: bool => "vfs.s3.requester_pays";
        /// The size of the parts of an upload in bytes.
        plain part_size: u64 => "vfs.s3.multipart_part_size";
        /// The number of requests that may be in flight.
        plain parallel_requests: u64 => "vfs.s3.max_parallel_ops";
        /// The number of attempts for a request.
        plain attempts: u64 => "vfs.s3.connect_max_tries";
        /// The time for a request in milliseconds.
        plain request_timeout_ms: u64 => "vfs.s3.request_timeout_ms";
        /// A file with certificates of authorities.
        plain ca_file: String => "vfs.s3.ca_file";
        /// Whether the certificate of the service is verified.
        plain verify_certificates: bool => "vfs.s3.verify_ssl";
    }
}

store_options! {
    /// Options of Azure Blob Storage.
    AzureOptions {
        /// The name of the storage account.
        plain account_name: String => "vfs.azure.storage_account_name";
        /// The key of the storage account.
        secret account_key: String => "vfs.azure.storage_account_key";
        /// A shared access signature.
        secret sas_token: String => "vfs.azure.storage_sas_token";
        /// The URL of the service if it is not Microsoft's.
        plain endpoint: String => "vfs.azure.blob_endpoint";
        /// The size of the blocks of an upload in bytes.
        plain part_size: u64 => "vfs.azure.block_list_block_size";
        /// The number of requests that may be in flight.
        plain parallel_requests: u64 => "vfs.azure.max_parallel_ops";
        /// The number of repetitions of a request that failed.
        plain retries: u64 => "vfs.azure.max_retries";
    }
}

store_options! {
    /// Options of Google Cloud Storage.
    GcsOptions {
        /// The project in which buckets are created.
        plain project_id: String => "vfs.gcs.project_id";
        /// The key of a service account as JSON.
        secret service_account_key: String => "vfs.gcs.service_account_key";
        /// The configuration of a workload identity as JSON.
        secret workload_identity: String => "vfs.gcs.workload_identity_configuration";
        /// The service account, or the accounts separated by commas, that are impersonated.
        plain impersonate: String => "vfs.gcs.impersonate_service_account";
        /// The URL of the service if it is not Google's.
        plain endpoint: String => "vfs.gcs.endpoint";
        /// The size of the parts of an upload in bytes.
        plain part_size: u64 => "vfs.gcs.multi_part_size";
        /// The number of requests that may be in flight.
        plain parallel_requests: u64 => "vfs.gcs.max_parallel_ops";
        /// The time for a request in milliseconds.
        plain request_timeout_ms: u64 => "vfs.gcs.request_timeout_ms";
    }
}
