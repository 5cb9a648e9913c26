//! The messages that TileDB libraries exchange with servers: types generated from
//! `messages.capnp`. They are a crate of their own because compiling them takes long.
#![allow(warnings, clippy::all, missing_docs, reason = "generated code")]

#[rustfmt::skip]
mod messages_capnp;

pub use messages_capnp::*;
