//! The parameters `vfs.s3.*`, and the hosts of Amazon Web Services.

use std::time::Duration;

use super::super::parameters::{milliseconds, parallel, part_size, proxy, tls};
use crate::config::{Config, Release};
#[cfg(feature = "rest")]
use crate::error::RestError;
use crate::error::{Error, Result, VfsError};
use crate::http::client::Options;
use crate::vfs::remote::parameters::variable;

/// The smallest part that S3 accepts, except for the last one.
const MIN_PART: u64 = 5 << 20;

const MAX_TRIES: &str = "vfs.s3.connect_max_tries";

/// The parameters, checked. It has no `Debug`: there are secrets in it.
#[derive(Clone)]
pub(super) struct S3Config {
    pub(super) options: Options,
    /// The address of the service; `None` for that of the region.
    pub(super) endpoint: Option<String>,
    pub(super) scheme: String,
    pub(super) virtual_addressing: bool,
    pub(super) region: String,
    pub(super) access_key: String,
    pub(super) secret_key: String,
    pub(super) session_token: String,
    pub(super) role_arn: String,
    pub(super) external_id: String,
    pub(super) session_name: String,
    /// The seconds that the credentials of the role last; empty for the default of the service.
    pub(super) load_frequency: String,
    /// Which sources of credentials count: `config_files`, `sts_profile_with_web_identity`, or all
    /// for other values.
    pub(super) config_source: String,
    pub(super) no_sign_request: bool,
    pub(super) requester_pays: bool,
    /// The size of the parts of uploads; `None` for uploads without parts.
    pub(super) part_size: Option<u64>,
    pub(super) bucket_acl: Option<String>,
    /// Headers of requests that create objects.
    pub(super) new_objects: Vec<(String, String)>,
    /// Headers of all requests.
    pub(super) headers: Vec<(String, String)>,
}

impl S3Config {
    pub(super) fn new(config: &Config) -> Result<Self> {
        let text = |name: &str| config.get(name).unwrap_or_default();
        let flag = |name: &str| config.flag(name);
        let endpoint =
            Some(text("vfs.s3.endpoint_override")).filter(|endpoint| !endpoint.is_empty());
        let headers = config.with_prefix("vfs.s3.custom_headers.");
        let headers = headers
            .into_iter()
            .map(|(name, value)| (name.to_lowercase(), value));
        Ok(Self {
            options: options(config)?,
            endpoint,
            scheme: text("vfs.s3.scheme"),
            virtual_addressing: flag("vfs.s3.use_virtual_addressing")?,
            region: text("vfs.s3.region"),
            access_key: text("vfs.s3.aws_access_key_id"),
            secret_key: text("vfs.s3.aws_secret_access_key"),
            session_token: text("vfs.s3.aws_session_token"),
            role_arn: text("vfs.s3.aws_role_arn"),
            external_id: text("vfs.s3.aws_external_id"),
            session_name: text("vfs.s3.aws_session_name"),
            load_frequency: text("vfs.s3.aws_load_frequency"),
            config_source: text("vfs.s3.config_source"),
            no_sign_request: flag("vfs.s3.no_sign_request")?,
            requester_pays: flag("vfs.s3.requester_pays")?,
            part_size: part_size(
                config,
                ["vfs.s3.use_multipart_upload", "vfs.s3.multipart_part_size"],
                MIN_PART,
            )?,
            bucket_acl: acl(
                "vfs.s3.bucket_canned_acl",
                &text("vfs.s3.bucket_canned_acl"),
            )?,
            new_objects: new_objects(&text)?,
            headers: headers.collect(),
        })
    }

    /// Returns the parameters for the files of a TileDB server, which speaks the protocol of S3 at
    /// a path of its address. The token is the name of the key that signs requests; servers do not
    /// check the signature. Credentials of S3 are never sent to a server.
    #[cfg(feature = "rest")]
    pub(super) fn of_server(config: &Config) -> Result<Self> {
        let address = config.get("rest.server_address").unwrap_or_default();
        let address = address.trim_end_matches('/');
        if address.is_empty() {
            return Err(RestError::NoServer.into());
        }
        let token = config.get("rest.token").filter(|token| !token.is_empty());
        Ok(Self {
            endpoint: Some(format!("{address}/v4/files")),
            virtual_addressing: false,
            access_key: token.ok_or(RestError::NoLogin)?,
            secret_key: "unused".to_owned(),
            session_token: String::new(),
            role_arn: String::new(),
            ..Self::new(config)?
        })
    }
}

/// The domain of most regions.
const DOMAIN: &str = "amazonaws.com";

/// The domains of the regions that are operated separately, by the start of their names.
const SEPARATE_DOMAINS: [(&str, &str); 6] = [
    ("cn-", "amazonaws.com.cn"),
    ("eu-isoe-", "cloud.adc-e.uk"),
    ("eusc-", "amazonaws.eu"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"),
];

/// Returns the host name of a service in a region.
pub(super) fn host(service: &str, region: &str) -> String {
    let separate = SEPARATE_DOMAINS
        .iter()
        .find(|(start, _)| region.starts_with(start));
    let domain = separate.map_or(DOMAIN, |(_, domain)| domain);
    format!("{service}.{region}.{domain}")
}

fn options(config: &Config) -> Result<Options> {
    let (retries, first_pause) = match Release::current() {
        // Both parameters are signed; negative numbers mean no retries and the default pause.
        Release::V2_30 => (
            config.u64(MAX_TRIES).unwrap_or(0),
            config.u64("vfs.s3.connect_scale_factor").unwrap_or(25),
        ),
        Release::V2_31 => {
            let text = |name: &str| config.get(name).filter(|text| !text.is_empty());
            let strategy = text("vfs.s3.retry_strategy").or_else(|| variable("AWS_RETRY_MODE"));
            let tries = text(MAX_TRIES).or_else(|| variable("AWS_MAX_ATTEMPTS"));
            sdk_retries(strategy.as_deref(), tries.as_deref())
        }
    };
    Ok(Options {
        connect_timeout: milliseconds(config, "vfs.s3.connect_timeout_ms")?,
        request_timeout: milliseconds(config, "vfs.s3.request_timeout_ms")?,
        retries: u32::try_from(retries).unwrap_or(u32::MAX),
        first_pause: Duration::from_millis(first_pause),
        parallel: parallel(config, "vfs.s3.max_parallel_ops")?,
        proxy: proxy(
            config,
            [
                "vfs.s3.proxy_scheme",
                "vfs.s3.proxy_host",
                "vfs.s3.proxy_port",
                "vfs.s3.proxy_username",
                "vfs.s3.proxy_password",
            ],
        )?,
        tls: tls(
            config,
            ["vfs.s3.verify_ssl", "vfs.s3.ca_file", "vfs.s3.ca_path"],
        )?,
        ..Options::default()
    })
}

/// Returns the number of retries and the first pause in milliseconds of a retry strategy of the AWS
/// SDK. "adaptive" limits the rate of requests in addition, which only the pauses do here.
fn sdk_retries(strategy: Option<&str>, tries: Option<&str>) -> (u64, u64) {
    let tries = tries.and_then(|tries| tries.parse::<i64>().ok());
    let tries = tries.and_then(|tries| u64::try_from(tries).ok());
    match strategy {
        // Attempts, including the first one.
        Some("standard" | "adaptive") => (tries.unwrap_or(3).saturating_sub(1), 1000),
        _ => (tries.unwrap_or(10), 25),
    }
}

/// The name of a canned access list as S3 writes it.
fn acl(parameter: &str, value: &str) -> Result<Option<String>> {
    const KNOWN: [&str; 7] = [
        "private_",
        "public_read",
        "public_read_write",
        "authenticated_read",
        "aws_exec_read",
        "bucket_owner_read",
        "bucket_owner_full_control",
    ];
    if value == "NOT_SET" || value.is_empty() {
        return Ok(None);
    }
    if KNOWN.contains(&value) {
        Ok(Some(value.trim_end_matches('_').replace('_', "-")))
    } else {
        Err(unknown(parameter, value))
    }
}

fn unknown(parameter: &str, value: &str) -> Error {
    Error::from(VfsError::BadParameter {
        parameter: parameter.into(),
        value: value.into(),
    })
}

/// Checks the values of the parameters for new objects.
pub(in super::super) fn check(config: &Config) -> Result<()> {
    new_objects(&|name| config.get(name).unwrap_or_default()).map(drop)
}

/// The headers of requests that create objects.
fn new_objects(text: &impl Fn(&str) -> String) -> Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    if let Some(acl) = acl(
        "vfs.s3.object_canned_acl",
        &text("vfs.s3.object_canned_acl"),
    )? {
        add("x-amz-acl", &acl);
    }
    let class = text("vfs.s3.storage_class");
    if !class.is_empty() && class != "NOT_SET" {
        add("x-amz-storage-class", &class);
    }
    let key = text("vfs.s3.sse_kms_key_id");
    match text("vfs.s3.sse").as_str() {
        "" => {}
        "aes256" => add("x-amz-server-side-encryption", "AES256"),
        "kms" if key.is_empty() => {
            return Err(VfsError::NoKmsKey.into());
        }
        "kms" => {
            add("x-amz-server-side-encryption", "aws:kms");
            add("x-amz-server-side-encryption-aws-kms-key-id", &key);
        }
        other => return Err(unknown("vfs.s3.sse", other)),
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_of_2_31_follow_the_strategy_of_the_sdk() {
        assert_eq!(sdk_retries(Some("standard"), None), (2, 1000));
        assert_eq!(sdk_retries(Some("adaptive"), Some("5")), (4, 1000));
        assert_eq!(sdk_retries(Some("standard"), Some("0")), (0, 1000));
        assert_eq!(sdk_retries(Some("legacy"), None), (10, 25));
        assert_eq!(sdk_retries(None, Some("7")), (7, 25));
        assert_eq!(sdk_retries(Some("standard"), Some("-1")), (2, 1000));
    }

    #[test]
    fn regions_that_are_operated_separately_have_their_own_domains() {
        for (region, domain) in [
            ("us-east-1", "amazonaws.com"),
            ("us-gov-west-1", "amazonaws.com"),
            ("cn-north-1", "amazonaws.com.cn"),
            ("us-iso-east-1", "c2s.ic.gov"),
            ("us-isob-east-1", "sc2s.sgov.gov"),
            ("eusc-de-east-1", "amazonaws.eu"),
        ] {
            assert_eq!(host("s3", region), format!("s3.{region}.{domain}"));
        }
    }
}
