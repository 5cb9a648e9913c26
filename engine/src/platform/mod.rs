//! Locks that survive `fork`, and the differences between operating systems: permissions, reads at
//! offsets, syncing and closing, paths, forks and signals. Each operating system has a file with
//! the same functions; no other module contains code for one system.

mod entry_type;
pub mod lock;
mod processors;

pub(crate) use entry_type::EntryType;
pub use processors::hardware_threads;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;
