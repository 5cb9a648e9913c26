//! Object stores: Amazon S3, Azure Blob Storage and Google Cloud Storage.
//!
//! A store implements `ObjectStore`, whose methods are the requests of its service. [`Remote`] makes a backend of it:
//! folders are prefixes of keys, files appear with one request, nothing is renamed. Requests are blocking; operations on
//! many objects send them on threads of their own, as many at a time as the parameters allow. Nothing is set up before the
//! first request, and a forked child starts with connections of its own.
//!
//! `docs/object-stores.md` describes parameters, consistency and the number of requests of each operation.

mod backend;
mod cache;
mod client;
mod failure;
mod flat;
mod http;
mod limiter;
mod objects;
mod parameters;
#[cfg(feature = "s3")]
mod s3;
mod sink;
mod source;
mod store;
mod time;
mod tls;
mod xml;

pub(super) use backend::Remote;
