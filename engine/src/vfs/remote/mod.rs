//! Object stores: Amazon S3 and compatible services, Azure Blob Storage, Google Cloud Storage.
//!
//! A store implements `ObjectStore`, whose methods are the requests of the service. [`Remote`] is a
//! backend on top of it: folders are prefixes of keys, files appear with one request, and nothing
//! is renamed. Requests are blocking; operations on many objects send them on threads of their own,
//! as many at a time as the parameters permit. Nothing is set up before the first request, and a
//! forked child starts with its own connections.
//!
//! `docs/object-stores.md` describes parameters, consistency and the number of requests of each
//! operation.

#[cfg(feature = "azure")]
mod azure;
mod backend;
mod block;
mod copies;
mod credentials;
#[cfg(any(feature = "azure", feature = "gcs"))]
mod delete_batch;
#[cfg(any(test, feature = "testing"))]
mod faulty_store;
#[cfg(feature = "gcs")]
mod gcs;
mod objects;
mod parameter_check;
mod parameters;
#[cfg(test)]
mod parts_tests;
mod pieces;
#[cfg(feature = "s3")]
mod s3;
mod sink;
mod source;
mod store;
#[cfg(test)]
mod test_server;
#[cfg(test)]
mod tests;
mod time;
#[cfg(any(feature = "azure", feature = "gcs"))]
mod token;

pub(super) use backend::Remote;
#[cfg(any(test, feature = "testing"))]
pub use faulty_store::{FaultyStore, StoreLimits};
pub(super) use parameter_check::check_parameters;
