//! The TileDB storage engine.
//!
//! Modules are declared from the lowest to the highest: a module uses only modules before it, which
//! `tests/module_order.rs` checks. ARCHITECTURE.md describes how an open, a read and a write pass
//! through them.

#![deny(unsafe_code)]

pub mod error;
pub mod platform;

pub mod memory;

pub mod types;

pub mod bytes;

pub mod config;
pub mod stats;

pub mod context;

pub mod vfs;

pub mod filter;

pub mod schema;

pub mod geometry;

pub mod format;

pub mod tile;

pub mod fragment;

pub mod array;

pub mod subarray;

pub mod condition;

pub mod buffers;

pub mod aggregate;

pub mod read;

pub mod write;

pub mod query;

pub mod maintenance;

pub mod object;

pub mod group;

pub mod filestore;

pub mod inspect;

pub use error::{Error, ErrorKind, Result};
