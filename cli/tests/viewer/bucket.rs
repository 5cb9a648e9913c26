//! A bucket on loopback with the files of a local folder: a server of S3 that only reads, with a
//! latency. It counts requests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most keys of a page.
const PAGE: usize = 1000;

/// A running server. It ends with the process.
pub(crate) struct Bucket {
    address: String,
    state: Arc<State>,
}

struct State {
    files: BTreeMap<String, PathBuf>,
    latency: Mutex<Duration>,
    /// The number of requests after which others wait.
    limit: AtomicUsize,
    begun: AtomicUsize,
    /// The number of requests without a response.
    under_way: AtomicUsize,
    requests: Mutex<Vec<Served>>,
}

/// A request with a response.
struct Served {
    begin: Instant,
    end: Instant,
    object: String,
}

/// Counts of the requests since the last call of `take`.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// The number of requests.
    pub(crate) requests: usize,
    /// The length of the longest chain of requests, of which each began after the one before it
    /// had ended.
    pub(crate) rounds: usize,
    /// The most requests at a time.
    pub(crate) peak: usize,
    /// The number of requests by the name of the file, or the prefix that is listed.
    pub(crate) objects: BTreeMap<String, usize>,
}

impl Bucket {
    /// Serves the files in a folder.
    pub(crate) fn start(folder: &Path, latency: Duration) -> Self {
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files);
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("address").to_string();
        let state = Arc::new(State {
            files,
            latency: Mutex::new(latency),
            limit: AtomicUsize::new(usize::MAX),
            begun: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            requests: Mutex::default(),
        });
        let shared = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, state) = (client.expect("connection"), shared.clone());
                // The client may close the connection at any time.
                std::thread::spawn(move || state.serve(&client));
            }
        });
        Self { address, state }
    }

    /// Returns the arguments with the parameters for the server.
    pub(crate) fn options(&self) -> Vec<String> {
        let endpoint = format!("vfs.s3.endpoint_override={}", self.address);
        let parameters = [
            &endpoint,
            "vfs.s3.scheme=http",
            "vfs.s3.region=us-east-1",
            "vfs.s3.use_virtual_addressing=false",
            "vfs.s3.aws_access_key_id=test",
            "vfs.s3.aws_secret_access_key=test-secret",
        ];
        let options = parameters.map(|parameter| ["--config".to_owned(), parameter.to_owned()]);
        options.concat()
    }

    pub(crate) fn set_latency(&self, latency: Duration) {
        *self.state.latency.lock().expect("lock") = latency;
    }

    /// Sets the number of requests, from now on, after which others wait for another limit.
    pub(crate) fn set_limit(&self, limit: usize) {
        let begun = self.state.begun.load(Ordering::SeqCst);
        let limit = begun.saturating_add(limit);
        self.state.limit.store(limit, Ordering::SeqCst);
    }

    /// Returns the number of requests with a response.
    pub(crate) fn count(&self) -> usize {
        self.state.requests.lock().expect("lock").len()
    }

    /// Returns the requests since the last call, with those under way: a search that stops early
    /// leaves requests that it has sent ahead.
    pub(crate) fn take(&self) -> Traffic {
        while self.state.under_way.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut served = std::mem::take(&mut *self.state.requests.lock().expect("lock"));
        served.sort_by_key(|request| request.end);
        let events = served
            .iter()
            .flat_map(|request| [(request.begin, 1), (request.end, -1)]);
        let mut events: Vec<(Instant, isize)> = events.collect();
        events.sort_unstable();
        let (mut now, mut peak) = (0, 0);
        for (_, change) in events {
            now += change;
            peak = peak.max(now);
        }
        let (mut rounds, mut last) = (0, None);
        for request in &served {
            if last.is_none_or(|last| request.begin >= last) {
                rounds += 1;
                last = Some(request.end);
            }
        }
        let mut objects = BTreeMap::new();
        for request in &served {
            *objects.entry(request.object.clone()).or_default() += 1;
        }
        Traffic {
            requests: served.len(),
            rounds,
            peak: peak.unsigned_abs(),
            objects,
        }
    }
}

/// Adds the files below a folder with their keys.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("UTF-8");
        let key = format!("{prefix}{name}");
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{key}/"), files);
        } else {
            files.insert(key, entry.path());
        }
    }
}

impl State {
    /// Responds to the requests of a connection.
    fn serve(&self, client: &TcpStream) -> Option<()> {
        client.set_nodelay(true).ok()?;
        let mut reader = BufReader::new(client.try_clone().ok()?);
        let mut writer = client;
        loop {
            let mut lines = Vec::new();
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).ok()? == 0 {
                    return None;
                }
                if line == "\r\n" {
                    break;
                }
                lines.push(line);
            }
            let mut first = lines.first()?.split(' ');
            let (method, target) = (first.next()?, first.next()?);
            let begin = Instant::now();
            self.under_way.fetch_add(1, Ordering::SeqCst);
            let latency = *self.latency.lock().unwrap_or_else(PoisonError::into_inner);
            std::thread::sleep(latency);
            let number = self.begun.fetch_add(1, Ordering::SeqCst);
            while number >= self.limit.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let range = lines.iter().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_range = name.eq_ignore_ascii_case("range");
                is_range.then(|| value.trim().trim_start_matches("bytes=").to_owned())
            });
            let (head, body) = self.response(method, target, range.as_deref());
            let len = body.len();
            let head = format!(
                "HTTP/1.1 {head}\r\nETag: \"1\"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: {len}\r\n\r\n"
            );
            let served = Served {
                begin,
                end: Instant::now(),
                object: object_of(target),
            };
            self.requests
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(served);
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            writer.write_all(head.as_bytes()).ok()?;
            if method != "HEAD" {
                writer.write_all(&body).ok()?;
            }
        }
    }

    /// Returns the status with further headers, and the body.
    fn response(&self, method: &str, target: &str, range: Option<&str>) -> (String, Vec<u8>) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = decoded(path.trim_start_matches('/'));
        let (_, key) = path.split_once('/').unwrap_or((&path, ""));
        if key.is_empty() {
            return ("200 OK".to_owned(), self.listing(query).into_bytes());
        }
        let Some(bytes) = self
            .files
            .get(key)
            .and_then(|file| std::fs::read(file).ok())
        else {
            let error = "<Error><Code>NoSuchKey</Code><Message>missing</Message></Error>";
            return ("404 Not Found".to_owned(), error.as_bytes().to_vec());
        };
        let Some((low, high)) = range.and_then(|range| range.split_once('-')) else {
            return ("200 OK".to_owned(), bytes);
        };
        assert_eq!(method, "GET");
        let len = bytes.len();
        let high: usize = high.parse().unwrap_or(usize::MAX);
        let (first, end) = match low.parse::<usize>() {
            Ok(low) => (low.min(len), high.saturating_add(1).min(len)),
            // The last bytes.
            Err(_) => (len.saturating_sub(high), len),
        };
        if first >= end {
            return ("416 Range Not Satisfiable".to_owned(), Vec::new());
        }
        let head = format!(
            "206 Partial Content\r\nContent-Range: bytes {first}-{}/{len}",
            end - 1
        );
        (head, bytes[first..end].to_vec())
    }

    /// Returns a page of a listing.
    fn listing(&self, query: &str) -> String {
        let value = |name: &str| {
            let mut parts = query.split('&').filter_map(|part| part.split_once('='));
            let found = parts.find_map(|(other, value)| (other == name).then(|| decoded(value)));
            found.unwrap_or_default()
        };
        let (prefix, after) = (value("prefix"), value("continuation-token"));
        let most = value("max-keys").parse().unwrap_or(PAGE).min(PAGE);
        let by_folder = !value("delimiter").is_empty();
        let (mut text, mut folders) = (String::new(), BTreeSet::new());
        let (mut number, mut last) = (0, "");
        let mut is_complete = true;
        for (key, path) in self.files.range(prefix.clone()..) {
            let Some(rest) = key.strip_prefix(&prefix) else {
                break;
            };
            if *key <= after {
                continue;
            }
            if number >= most {
                is_complete = false;
                break;
            }
            if let Some((folder, _)) = rest.split_once('/').filter(|_| by_folder) {
                number += usize::from(folders.insert(format!("{prefix}{folder}/")));
            } else {
                let size = std::fs::metadata(path).map_or(0, |found| found.len());
                text.push_str(&format!(
                    "<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
                ));
                number += 1;
            }
            last = key.as_str();
        }
        for folder in folders {
            text.push_str(&format!(
                "<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"
            ));
        }
        let next = if is_complete {
            String::new()
        } else {
            format!(
                "<IsTruncated>true</IsTruncated><NextContinuationToken>{last}</NextContinuationToken>"
            )
        };
        format!("<ListBucketResult>{text}{next}</ListBucketResult>")
    }
}

/// Returns the name of the file of a request, or the prefix of a listing, with a star if it also
/// lists what is below folders.
fn object_of(target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    let Some((_, prefix)) = parts.clone().find(|(name, _)| *name == "prefix") else {
        let name = path.rsplit('/').next().unwrap_or_default();
        // The names of schemas and of metadata have identifiers.
        return if name.starts_with("__fragment") || !name.starts_with("__") {
            name.to_owned()
        } else {
            "__schema or __meta".to_owned()
        };
    };
    let is_folder = parts.any(|(name, value)| name == "delimiter" && !value.is_empty());
    format!("{}{}", decoded(prefix), if is_folder { "" } else { "*" })
}

/// Decodes escapes.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).expect("UTF-8")
}
