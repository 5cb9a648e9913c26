//! An HTTP server on loopback, which tests use as a token service or as an object store.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::platform::lock::blocking::StdMutex;

/// A request that the server received.
#[derive(Clone, Debug, Default)]
pub(super) struct TestRequest {
    pub(super) method: String,
    /// The path with the query.
    pub(super) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl TestRequest {
    /// Returns the value of a header; an empty text if the request has none.
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    fn read(stream: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let mut words = line.split(' ');
        let mut received = Self {
            method: words.next()?.to_owned(),
            path: words.next()?.to_owned(),
            ..Self::default()
        };
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(':') else {
                break;
            };
            let header = (name.to_lowercase(), value.trim().to_owned());
            received.headers.push(header);
        }
        let mut body = vec![0; received.header("content-length").parse().unwrap_or(0)];
        stream.read_exact(&mut body).ok()?;
        received.body = String::from_utf8_lossy(&body).into_owned();
        Some(received)
    }
}

/// Returns the status and the body of the response to a request.
type Handler = dyn Fn(&TestRequest) -> (u16, String) + Send + Sync;

/// A server that runs until it is dropped.
pub(super) struct TestServer {
    address: String,
    received: Arc<StdMutex<Vec<TestRequest>>>,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    pub(super) fn start(
        handler: impl Fn(&TestRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        Self::start_with_header("", handler)
    }

    /// Starts a server whose responses have a header, if it is not empty.
    pub(super) fn start_with_header(
        header: &'static str,
        handler: impl Fn(&TestRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("address").to_string();
        let received = Arc::<StdMutex<Vec<TestRequest>>>::default();
        let is_stopped = Arc::<AtomicBool>::default();
        let (log, stopped) = (received.clone(), is_stopped.clone());
        let handler: Box<Handler> = Box::new(handler);
        let header = match header {
            "" => String::new(),
            header => format!("{header}\r\n"),
        };
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let mut stream = BufReader::new(stream.expect("connection"));
                let Some(request) = TestRequest::read(&mut stream) else {
                    continue;
                };
                log.lock().push(request.clone());
                let (status, body) = handler(&request);
                let head = format!(
                    "HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-length: {}\r\n{header}\r\n",
                    body.len()
                );
                // The client may have given up.
                let _ = stream.get_mut().write_all(head.as_bytes());
                if request.method != "HEAD" {
                    let _ = stream.get_mut().write_all(body.as_bytes());
                }
            }
        });
        Self {
            address,
            received,
            is_stopped,
            thread: Some(thread),
        }
    }

    /// The host and the port.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests since the last call.
    pub(super) fn take_received(&self) -> Vec<TestRequest> {
        std::mem::take(&mut *self.received.lock())
    }

    /// Returns the paths, without queries, of the requests since the last call.
    pub(super) fn take_paths(&self) -> Vec<String> {
        self.take_received()
            .into_iter()
            .map(|request| request.path.split('?').next().unwrap_or("").to_owned())
            .collect()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(&self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
