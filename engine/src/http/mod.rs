//! HTTP: requests, connections of this process, TLS, retries, time limits, cancellation.
//!
//! Object stores (`vfs/remote`) and TileDB servers (`rest`) send their requests with it. Requests
//! are blocking. Nothing is set up before the first request, and a forked child starts with its own
//! connections.
#![cfg_attr(
    not(feature = "remote"),
    expect(dead_code, reason = "object stores use more than servers do")
)]

mod attempt;
pub(crate) mod client;
pub(crate) mod exchange;
pub(crate) mod failure;
#[cfg(feature = "rest")]
pub(crate) mod proxy;
#[cfg(test)]
mod tests;
pub(crate) mod tls;
mod transport;
pub(crate) mod xml;
