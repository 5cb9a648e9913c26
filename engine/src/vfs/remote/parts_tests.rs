//! Reads in several parts: the requests that are in flight at the same time.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::config::Config;
use crate::context::Context;
use crate::memory::tuning::MIN_REQUEST_BYTES;
use crate::vfs::{FileRanges, Uri, Vfs};

/// Returns the byte of the object at an offset.
fn byte(offset: u64) -> u8 {
    (offset / 1000 % 251) as u8
}

/// Reads a request for a range. Returns its first and last byte; `None` if the client closed the
/// connection before, as it may.
fn requested(stream: &TcpStream) -> Option<(u64, u64)> {
    let mut range = None;
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?.to_lowercase();
        if let Some(text) = line.strip_prefix("range: bytes=") {
            let (first, last) = text.split_once('-').expect("a range");
            range = Some((
                first.parse().expect("number"),
                last.parse().expect("number"),
            ));
        }
        if line.is_empty() {
            break;
        }
    }
    range
}

/// A response: the number of its request, its range, and whether it was sent completely.
type NumberedResponse = (usize, SentRange);

/// Starts a server that responds to `number` requests once it has received all of them. A client
/// may close a connection before the end of a response, and request the range or parts of it again:
/// later requests are responded to at once.
fn start(number: usize) -> (String, Receiver<NumberedResponse>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let requests = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming() {
            let mut stream = stream.expect("accepts");
            let (sender, requests) = (sender.clone(), requests.clone());
            std::thread::spawn(move || {
                let Some((first, last)) = requested(&stream) else {
                    return;
                };
                let request = requests.fetch_add(1, Ordering::SeqCst);
                while requests.load(Ordering::SeqCst) < number {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let bytes: Vec<u8> = (first..=last).map(byte).collect();
                let head = format!(
                    "HTTP/1.1 206 Partial Content\r\nconnection: close\r\n\
                     content-range: bytes {first}-{last}/1000000000\r\ncontent-length: {}\r\n\r\n",
                    bytes.len()
                );
                let sent = stream.write_all(head.as_bytes());
                let is_complete = sent.and_then(|()| stream.write_all(&bytes)).is_ok();
                let _ = sender.send((request, ((first, last), is_complete)));
            });
        }
    });
    (address, receiver)
}

/// Returns the ranges of the first `number` requests, sorted. Each other request is for a part of a
/// range whose response the client did not take completely.
fn first_ranges(responses: &Receiver<NumberedResponse>, number: usize) -> Vec<(u64, u64)> {
    let mut first: Vec<SentRange> = Vec::new();
    let mut others = Vec::new();
    let mut take = |(request, range): NumberedResponse| {
        if request < number {
            first.push(range);
        } else {
            others.push(range);
        }
        first.len()
    };
    while take(responses.recv().expect("a response")) < number {}
    responses.try_iter().for_each(|response| {
        take(response);
    });
    for ((start, end), _) in others {
        let is_part = |((first, last), is_complete): &SentRange| {
            !is_complete && *first <= start && end <= *last
        };
        assert!(first.iter().any(is_part), "{start}-{end}: {first:?}");
    }
    let mut ranges: Vec<_> = first.into_iter().map(|(range, _)| range).collect();
    ranges.sort_unstable();
    ranges
}

/// Sends the bytes of a range, at first slower and slower until `is_enough`. Returns whether the
/// client received all of them. Bytes are made as they are sent, since the time before the first
/// one is the latency of the response.
fn send_slowly(stream: &mut TcpStream, (first, last): (u64, u64), is_enough: &AtomicBool) -> bool {
    const STEP: u64 = 64 << 10;
    let head = format!(
        "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes {first}-{last}/1000000000\r\n\
         content-length: {}\r\n\r\n",
        last + 1 - first
    );
    let mut pause = Duration::ZERO;
    let mut send = |part: &[u8]| {
        if !is_enough.load(Ordering::SeqCst) {
            pause += Duration::from_millis(1);
            std::thread::sleep(pause);
        }
        stream.write_all(part).is_ok()
    };
    send(head.as_bytes())
        && (first..=last).step_by(STEP as usize).all(|start| {
            let end = last.min(start + STEP - 1);
            send(&(start..=end).map(byte).collect::<Vec<_>>())
        })
}

/// The range of a request, and whether its response was sent completely.
type SentRange = ((u64, u64), bool);

/// Starts a server that responds slowly to the first request until there is another one, each on
/// a connection of its own, and with `others` to the other ones if it is not empty. Returns the
/// ranges of the requests, and whether each response was sent completely.
fn start_slow(others: &'static str) -> (String, Receiver<SentRange>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let is_enough = Arc::new(AtomicBool::new(false));
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("accepts");
            let (sender, is_enough) = (sender.clone(), is_enough.clone());
            std::thread::spawn(move || {
                let Some(range) = requested(&stream) else {
                    return;
                };
                is_enough.fetch_or(number > 0, Ordering::SeqCst);
                let is_complete = if number == 0 || others.is_empty() {
                    send_slowly(&mut stream, range, &is_enough)
                } else {
                    stream.write_all(others.as_bytes()).is_ok()
                };
                let _ = sender.send((range, is_complete));
            });
        }
    });
    (address, receiver)
}

fn vfs(address: &str) -> Arc<Vfs> {
    vfs_with(address, &[("vfs.s3.max_parallel_ops", "3")])
}

fn vfs_with(address: &str, parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let mut config = Config::new();
    for (name, value) in [
        ("vfs.s3.endpoint_override", address),
        ("vfs.s3.scheme", "http"),
        ("vfs.s3.use_virtual_addressing", "false"),
        ("vfs.s3.no_sign_request", "true"),
        ("vfs.s3.request_timeout_ms", "60000"),
    ] {
        config.set(name, value).expect("parameter");
    }
    for (name, value) in parameters {
        config.set(name, value).expect("parameter");
    }
    Vfs::new(&Context::new(config).expect("context")).expect("vfs")
}

fn uri(name: &str) -> Uri {
    Uri::parse(&format!("s3://bucket/{name}")).expect("URI")
}

#[test]
fn the_parts_of_a_large_read_are_requested_at_the_same_time() {
    let (address, responses) = start(3);
    let file = vfs(&address).open(&uri("file")).expect("opens");
    let mut bytes = vec![0; 3 * MIN_REQUEST_BYTES as usize];
    file.read_at(10, &mut bytes).expect("reads");
    assert!(
        (10..)
            .zip(&bytes)
            .all(|(offset, found)| byte(offset) == *found)
    );
    let ranges = first_ranges(&responses, 3);
    let starts: Vec<u64> = ranges.iter().map(|(first, _)| *first).collect();
    assert_eq!(starts, [0, 1, 2].map(|part| 10 + part * MIN_REQUEST_BYTES));
}

#[test]
fn the_rest_of_a_slow_response_is_requested_in_pieces() {
    let (address, responses) = start_slow("");
    let file = vfs_with(&address, &[]).open(&uri("file")).expect("opens");
    let piece = MIN_REQUEST_BYTES;
    let end = 10 + 8 * piece;
    let mut bytes = vec![0; 8 * piece as usize];
    file.read_at(10, &mut bytes).expect("reads");
    assert!(
        (10..)
            .zip(&bytes)
            .all(|(offset, found)| byte(offset) == *found)
    );
    let mut rest = end;
    let mut received = Vec::new();
    while !received.contains(&((10, end - 1), false)) {
        received.push(responses.recv().expect("the first request ends early"));
    }
    received.extend(responses.try_iter());
    received.sort_unstable();
    for ((first, last), _) in received.into_iter().skip(1).rev() {
        assert_eq!((first, last), (rest - piece, rest - 1));
        rest -= piece;
    }
    assert!(rest > 10 && rest < end, "{rest}");
}

#[test]
fn a_piece_that_cannot_be_read_fails_the_read() {
    let (address, _) = start_slow("HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n");
    let file = vfs_with(&address, &[]).open(&uri("file")).expect("opens");
    let mut bytes = vec![0; 4 * MIN_REQUEST_BYTES as usize];
    let error = file.read_at(0, &mut bytes).expect_err("a piece is missing");
    assert!(error.to_string().contains("403"), "{error}");
}

#[test]
fn announced_ranges_of_several_files_are_requested_at_the_same_time() {
    let (address, responses) = start(3);
    let vfs = vfs(&address);
    let [one, other] = ["one", "other"].map(|name| Arc::new(vfs.open(&uri(name)).expect("opens")));
    let part = MIN_REQUEST_BYTES;
    let announced = [
        (&one, vec![0..part, part..2 * part]),
        (&other, vec![500..550, 550..600]),
    ];
    let announced = announced.map(|(file, ranges)| FileRanges {
        file: file.clone(),
        ranges,
    });
    vfs.announce(&announced).expect("announces");
    let check = |file: &crate::vfs::ReadFile, offset: u64, len: usize| {
        let mut bytes = vec![0; len];
        file.read_at(offset, &mut bytes).expect("reads");
        assert!(
            (offset..)
                .zip(&bytes)
                .all(|(offset, found)| byte(offset) == *found)
        );
    };
    // The server responds when it has all three requests; no read sends another one.
    check(&one, part - 50, 100);
    check(&one, 0, 100);
    check(&other, 500, 100);
    assert_eq!(first_ranges(&responses, 3).len(), 3);
}
