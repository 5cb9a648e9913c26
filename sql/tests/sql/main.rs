//! Tests of SQL over arrays.

mod arrays;
mod behaviour;
mod documented;
mod files;
#[cfg(feature = "proto")]
mod messages;
mod outages;
mod random;
mod task;
