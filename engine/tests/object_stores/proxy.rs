//! A proxy that injects faults between a client and a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The effect of a fault.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// A response with the status 503 instead of forwarding the request.
    Unavailable,
    /// The connection is closed before the server receives the request.
    Reset,
    /// The connection is closed after the server has executed the request.
    LostResponse,
    /// Half of the body of the response.
    Truncated,
    /// No response for longer than the client waits.
    Stall,
}

const FAULTS: [Fault; 5] = [
    Fault::Unavailable,
    Fault::Reset,
    Fault::LostResponse,
    Fault::Truncated,
    Fault::Stall,
];

/// A running proxy. It ends with the process.
pub(crate) struct Proxy {
    pub(crate) address: String,
    injected: Arc<AtomicU64>,
}

impl Proxy {
    /// Starts a proxy that injects a fault into one of `every` requests, in a random order that a
    /// seed determines. A stall takes `stall`.
    pub(crate) fn start(server: &str, every: u64, seed: u64, stall: Duration) -> Self {
        let state = AtomicU64::new(seed);
        Self::with_faults(server, stall, move |_| random_fault(&state, every))
    }

    /// Starts a proxy as [`Proxy::start`] does that forwards requests after a time.
    pub(crate) fn slow(server: &str, every: u64, seed: u64, latency: Duration) -> Self {
        let state = AtomicU64::new(seed);
        Self::with_faults(server, 10 * latency, move |_| {
            std::thread::sleep(latency);
            random_fault(&state, every)
        })
    }

    /// Starts a proxy that loses the response to the first request with this method whose target
    /// contains a text.
    pub(crate) fn losing(server: &str, method: &'static str, part: &'static str) -> Self {
        let is_lost = AtomicBool::new(false);
        Self::with_faults(server, Duration::ZERO, move |request| {
            let line = request.split(|byte| *byte == b'\r').next()?;
            let line = std::str::from_utf8(line).ok()?;
            let is_meant = line.starts_with(&format!("{method} ")) && line.contains(part);
            let is_first = is_meant && !is_lost.swap(true, Ordering::Relaxed);
            is_first.then_some(Fault::LostResponse)
        })
    }

    /// Starts a proxy that injects the fault that `choose` returns for a request.
    fn with_faults(
        server: &str,
        stall: Duration,
        choose: impl Fn(&[u8]) -> Option<Fault> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("address").to_string();
        let injected = Arc::<AtomicU64>::default();
        let (count, server) = (injected.clone(), server.to_owned());
        let choose = Arc::new(choose);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("connection");
                let (server, choose, count) = (server.clone(), choose.clone(), count.clone());
                std::thread::spawn(move || {
                    let inject = |request: &[u8]| {
                        let fault = choose(request);
                        count.fetch_add(u64::from(fault.is_some()), Ordering::Relaxed);
                        fault
                    };
                    // A connection that ends early is a fault as well.
                    let _ = serve(client, &server, inject, stall);
                });
            }
        });
        Self { address, injected }
    }

    /// Returns the number of faults so far.
    pub(crate) fn injected(&self) -> u64 {
        self.injected.load(Ordering::Relaxed)
    }
}

/// Returns a fault for one of `every` requests.
fn random_fault(state: &AtomicU64, every: u64) -> Option<Fault> {
    let random = next(state);
    let fault = FAULTS[(random / every % FAULTS.len() as u64) as usize];
    Some(fault).filter(|_| random.is_multiple_of(every))
}

/// Returns the next number of a sequence that looks random (SplitMix64).
fn next(state: &AtomicU64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut value = state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Forwards one request on a connection, which is closed after it.
fn serve(
    client: TcpStream,
    server: &str,
    inject: impl Fn(&[u8]) -> Option<Fault>,
    stall: Duration,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let request = read_request(&mut client)?;
    let fault = inject(&request);
    match fault {
        Some(Fault::Unavailable) => {
            let response =
                "HTTP/1.1 503 Slow Down\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            return client.get_mut().write_all(response.as_bytes());
        }
        Some(Fault::Reset) => return Ok(()),
        Some(Fault::Stall) => {
            std::thread::sleep(stall);
            return Ok(());
        }
        Some(Fault::LostResponse | Fault::Truncated) | None => {}
    }
    let mut upstream = TcpStream::connect(server)?;
    upstream.set_nodelay(true)?;
    upstream.write_all(&request)?;
    let mut response = Vec::new();
    upstream.read_to_end(&mut response)?;
    let end = find(&response, b"\r\n\r\n").map_or(response.len(), |head| head + 4);
    let body = response.len() - end;
    let sent = match fault {
        Some(Fault::LostResponse) => 0,
        Some(Fault::Truncated) => end + body / 2,
        _ => response.len(),
    };
    client.get_mut().write_all(&response[..sent])
}

/// Reads a request and replaces its header for the connection, so that the server closes it.
pub(crate) fn read_request(client: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if client.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line == "\r\n" {
            head.extend_from_slice(b"connection: close\r\n\r\n");
            break;
        }
        if !lower.starts_with("connection:") {
            head.extend_from_slice(line.as_bytes());
        }
    }
    let start = head.len();
    head.resize(start + length, 0);
    client.read_exact(&mut head[start..])?;
    Ok(head)
}

/// Returns the position of the first occurrence of a pattern.
pub(crate) fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}
