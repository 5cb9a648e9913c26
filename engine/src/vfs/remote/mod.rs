//! Object stores: Amazon S3 and compatible services.
//!
//! A store implements `ObjectStore`, whose methods are the requests of the service. [`Remote`] is a
//! backend on top of it: folders are prefixes of keys, files appear with one request, and nothing
//! is renamed. Requests are blocking; operations on many objects send them on threads of their own,
//! as many at a time as the parameters permit. Nothing is set up before the first request, and a
//! forked child starts with its own connections.
//!
//! `docs/object-stores.md` describes parameters, consistency and the number of requests of each
//! operation.

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
