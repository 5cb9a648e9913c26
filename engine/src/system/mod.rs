//! What operating systems do differently: permissions, reads at offsets, syncing and closing, paths, forks and signals. Each has
//! a file here with the same functions; no other room asks what system it runs on.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;
