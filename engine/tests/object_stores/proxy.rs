//! A proxy that injects faults between a client and a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("address").to_string();
        let injected = Arc::<AtomicU64>::default();
        let (count, server) = (injected.clone(), server.to_owned());
        let state = Arc::new(AtomicU64::new(seed));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("connection");
                let (server, state, count) = (server.clone(), state.clone(), count.clone());
                std::thread::spawn(move || {
                    let random = next(&state);
                    let fault = FAULTS[(random / every % FAULTS.len() as u64) as usize];
                    let fault = Some(fault).filter(|_| random.is_multiple_of(every));
                    count.fetch_add(u64::from(fault.is_some()), Ordering::Relaxed);
                    // A connection that ends early is a fault as well.
                    let _ = serve(client, &server, fault, stall);
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
    fault: Option<Fault>,
    stall: Duration,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let request = read_request(&mut client)?;
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
