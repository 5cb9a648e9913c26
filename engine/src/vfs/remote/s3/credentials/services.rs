//! Services that provide credentials: token services, metadata services, programs.

use std::io::{self, ErrorKind, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::super::super::store::StoreResult;
use super::super::super::time;
use super::super::config::host;
use super::super::sign::{Credentials, sign};
use crate::http::client::{Client, Options, unsigned};
use crate::http::exchange::{BodyTarget, Request, Url};
use crate::http::failure::Failure;
use crate::http::xml;
use crate::platform::block_signals;
use crate::types::now;
use crate::vfs::remote::parameters::variable;

/// The time that a program for credentials may take.
const PROGRAM_TIME: Duration = Duration::from_secs(60);
/// The time without output after which the output of a program that has ended is complete.
const OUTPUT_TIME: Duration = Duration::from_secs(1);
/// The maximum size in bytes of the output of a program.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;
/// The name of the session of a role that names none.
const DEFAULT_SESSION_NAME: &str = "tiledb-rs";

/// The hosts of container services that are reached without TLS: the link-local addresses of ECS
/// and EKS.
const CONTAINER_HOSTS: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];

/// A role to assume.
#[derive(Clone, Debug, Default)]
pub(super) struct Role {
    pub(super) arn: String,
    /// Empty for none.
    pub(super) external_id: String,
    /// Empty for [`DEFAULT_SESSION_NAME`].
    pub(super) session_name: String,
    /// The seconds that the credentials last; empty for the default of the service.
    pub(super) duration: String,
}

fn invalid(subject: &str) -> Failure {
    Failure::new(
        ErrorKind::InvalidData,
        format!("{subject} returned no credentials"),
    )
}

/// The address of the token service of a region.
fn token_service(region: &str) -> Url {
    let endpoint = variable("AWS_ENDPOINT_URL_STS").or_else(|| variable("AWS_ENDPOINT_URL"));
    Url::parse(&endpoint.unwrap_or_else(|| host("sts", region)), "https")
}

fn role_query(url: Url, action: &str, role: &Role) -> Url {
    let name = if role.session_name.is_empty() {
        DEFAULT_SESSION_NAME
    } else {
        &role.session_name
    };
    let mut url = url.query("Action", action).query("Version", "2011-06-15");
    url = url
        .query("RoleArn", role.arn.as_str())
        .query("RoleSessionName", name);
    if !role.duration.is_empty() {
        url = url.query("DurationSeconds", role.duration.as_str());
    }
    url
}

fn of_token_service(body: &[u8], result: &str) -> StoreResult<Credentials> {
    let root = xml::parse(body).map_err(|_| invalid("The token service"))?;
    let found = root
        .child(result)
        .and_then(|result| result.child("Credentials"))
        .ok_or_else(|| invalid("The token service"))?;
    let text = |name: &str| found.text_of(name).unwrap_or_default();
    let mut credentials = Credentials::of(
        text("AccessKeyId"),
        text("SecretAccessKey"),
        text("SessionToken"),
    )
    .ok_or_else(|| invalid("The token service"))?;
    credentials.expires = time::parse(text("Expiration"));
    Ok(credentials)
}

/// Assumes a role with other credentials.
pub(super) fn assume_role(
    client: &Client,
    region: &str,
    role: &Role,
    credentials: &Credentials,
) -> StoreResult<Credentials> {
    let mut url = role_query(token_service(region), "AssumeRole", role);
    if !role.external_id.is_empty() {
        url = url.query("ExternalId", role.external_id.as_str());
    }
    let signed = |request: &mut Request<'_>| -> StoreResult<()> {
        sign(request, credentials, region, "sts", now());
        Ok(())
    };
    let response = client.send(&Request::new("GET", url), &signed, BodyTarget::Collect)?;
    of_token_service(&response.body, "AssumeRoleResult")
}

/// Reads a file with a token.
fn read_token(file: &str) -> StoreResult<String> {
    let token = std::fs::read_to_string(file);
    token.map_err(|error| Failure::new(error.kind(), format!("the token file '{file}': {error}")))
}

/// Assumes a role with the token in a file.
pub(super) fn web_identity(
    client: &Client,
    region: &str,
    role: &Role,
    file: &str,
) -> StoreResult<Credentials> {
    let token = read_token(file)?;
    let url = role_query(token_service(region), "AssumeRoleWithWebIdentity", role)
        .query("WebIdentityToken", token.trim());
    let response = client.send(&Request::new("GET", url), &unsigned, BodyTarget::Collect)?;
    of_token_service(&response.body, "AssumeRoleWithWebIdentityResult")
}

/// Gets the credentials of a container.
pub(super) fn container(client: &Client) -> StoreResult<Option<Credentials>> {
    let relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
        .map(|path| format!("http://169.254.170.2{path}"));
    let Some(endpoint) = relative.or_else(|| variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")) else {
        return Ok(None);
    };
    let url = Url::parse(&endpoint, "http");
    if url.scheme != "https" && !url.is_loopback() && !CONTAINER_HOSTS.contains(&url.host()) {
        let host = url.host();
        let message = format!("the address of the container service at '{host}' needs https");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let mut request = Request::new("GET", url);
    let token = match variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        Some(file) => Some(read_token(&file)?),
        None => variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
    };
    if let Some(token) = token {
        request.set_header("authorization", token.trim());
    }
    let response = client.send(&request, &unsigned, BodyTarget::Collect)?;
    let value = serde_json::from_slice(&response.body).map_err(|_| invalid("The container"))?;
    let names = ["AccessKeyId", "SecretAccessKey", "Token", "Expiration"];
    Credentials::of_json(&value, names)
        .map(Some)
        .ok_or_else(|| invalid("The container"))
}

/// Gets the credentials of the machine from its metadata service.
pub(super) fn instance(client: &Client) -> StoreResult<Credentials> {
    let endpoint = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT")
        .unwrap_or_else(|| "http://169.254.169.254".to_owned());
    // The service is one hop away or does not exist.
    let quick = Client::new(
        Options {
            connect_timeout: Duration::from_secs(1),
            request_timeout: Duration::from_secs(1),
            retries: 1,
            proxy: None,
            ..client.options.clone()
        },
        client.context.clone(),
    );
    let url = |path: &str| {
        let mut url = Url::parse(&endpoint, "http");
        url.path.push_str(path);
        url
    };
    let request = Request::new("PUT", url("/latest/api/token"))
        .header("x-aws-ec2-metadata-token-ttl-seconds", "21600");
    let token = quick.send(&request, &unsigned, BodyTarget::Collect)?.body;
    let token = String::from_utf8_lossy(&token).into_owned();
    let get = |path: &str| {
        let request =
            Request::new("GET", url(path)).header("x-aws-ec2-metadata-token", token.clone());
        quick.send(&request, &unsigned, BodyTarget::Collect)
    };
    const ROLES: &str = "/latest/meta-data/iam/security-credentials/";
    let roles = get(ROLES)?.body;
    let roles = String::from_utf8_lossy(&roles);
    let role = roles.lines().next().unwrap_or_default().trim();
    let found = get(&format!("{ROLES}{role}"))?.body;
    let value = serde_json::from_slice(&found).map_err(|_| invalid("The metadata service"))?;
    let names = ["AccessKeyId", "SecretAccessKey", "Token", "Expiration"];
    Credentials::of_json(&value, names).ok_or_else(|| invalid("The metadata service"))
}

/// Gets the credentials of a role by a token of single sign-on.
pub(super) fn single_sign_on(
    client: &Client,
    region: &str,
    account: &str,
    role: &str,
    token: &str,
) -> StoreResult<Credentials> {
    let endpoint = variable("AWS_ENDPOINT_URL_SSO").unwrap_or_else(|| host("portal.sso", region));
    let url = Url::parse(&endpoint, "https")
        .join("federation/credentials")
        .query("account_id", account)
        .query("role_name", role);
    let request = Request::new("GET", url).header("x-amz-sso_bearer_token", token);
    let response = client.send(&request, &unsigned, BodyTarget::Collect)?;
    let value: serde_json::Value =
        serde_json::from_slice(&response.body).map_err(|_| invalid("Single sign-on"))?;
    let names = [
        "accessKeyId",
        "secretAccessKey",
        "sessionToken",
        "expiration",
    ];
    let found = value.get("roleCredentials");
    let found = found.and_then(|found| Credentials::of_json(found, names));
    found.ok_or_else(|| invalid("Single sign-on"))
}

/// Runs a program that prints credentials. Its output is in no error, since it may have secrets.
pub(super) fn program(command: &str) -> StoreResult<Credentials> {
    let failed =
        |reason: String| Failure::new(ErrorKind::Other, format!("the credential process {reason}"));
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut child = Command::new(shell)
        .arg(flag)
        .arg(command)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("did not start: {error}")))?;
    let output = receive_output(child.stdout.take());
    let status = match wait_for_exit(&mut child) {
        Ok(Some(status)) => status,
        Ok(None) => {
            let seconds = PROGRAM_TIME.as_secs();
            return Err(failed(format!("did not end within {seconds} s")));
        }
        Err(error) => return Err(failed(format!("was lost: {error}"))),
    };
    if !status.success() {
        return Err(failed(format!("failed: {status}")));
    }
    let output = output.map_err(|error| failed(format!("cannot be read: {error}")))?;
    let mut text = Vec::new();
    // Ends with the output, or when a process that the program has left does not end it.
    while let Ok(part) = output.recv_timeout(OUTPUT_TIME) {
        text.extend_from_slice(&part);
    }
    let value = serde_json::from_slice(&text).map_err(|_| failed("printed no JSON".to_owned()))?;
    let names = [
        "AccessKeyId",
        "SecretAccessKey",
        "SessionToken",
        "Expiration",
    ];
    Credentials::of_json(&value, names).ok_or_else(|| failed("printed no credentials".to_owned()))
}

/// Returns the output of a program, up to [`MAX_OUTPUT_BYTES`], in parts as it arrives. A thread
/// reads it, so that the program does not wait for a reader.
fn receive_output(output: Option<ChildStdout>) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::Builder::new().spawn(move || {
        block_signals();
        let mut output = output.map(|output| output.take(MAX_OUTPUT_BYTES));
        let mut part = [0; 4096];
        while let Some(Ok(len @ 1..)) = output.as_mut().map(|output| output.read(&mut part)) {
            // Fails if the output is no longer needed.
            if sender.send(part[..len].to_vec()).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// Waits until a program ends, and ends it after [`PROGRAM_TIME`]. Returns its status, or `None` if
/// it had to be ended.
fn wait_for_exit(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > PROGRAM_TIME {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
