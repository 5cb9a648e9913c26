//! The TileDB storage engine.
//!
//! Rooms, in order; a room uses only those before it (`tests/rooms.rs` keeps that). ARCHITECTURE.md tells the ways of a
//! read, a write and an open through them.

#![deny(unsafe_code)]

pub mod error;
mod system;

pub mod lock;
pub mod types;

pub mod bytes;

pub mod config;
pub mod stats;

pub mod context;

pub mod vfs;

pub mod filter;

pub mod schema;

pub mod space;

pub mod format;

pub mod tile;

pub mod fragment;

pub mod array;

pub mod query;

pub mod maintain;

pub mod object;

pub mod group;

pub mod filestore;

pub mod inspect;

pub use error::{Error, ErrorKind, Result};
