//! Arrays and groups on TileDB servers, whose URIs begin with `tiledb://`.
//!
//! The functions of `dispatch` run an operation in storage or, for such a URI, on the server that
//! `rest.server_address` names. `server` has the server of a context: `login` the headers that
//! authorize requests, `address` the form of URIs, `transport` redirections and errors, and
//! `records` passes the results of queries to a `record_receiver` as they arrive. `partial_tile`
//! keeps cells of writes in global order until their tile is complete. `arrays`, `queries`,
//! `groups` and `maintenance` have the requests. An open array or group keeps its server as an
//! [`ObjectServer`](crate::array::ObjectServer), which loads what the open did not.
//!
//! `docs/remote.md` lists the requests and parameters.

#[cfg(feature = "rest")]
mod address;
#[cfg(feature = "rest")]
mod arrays;
#[cfg(feature = "rest")]
mod call;
mod dispatch;
#[cfg(feature = "rest")]
mod groups;
#[cfg(feature = "rest")]
mod login;
#[cfg(feature = "rest")]
mod maintenance;
mod partial_tile;
mod queries;
mod record_receiver;
#[cfg(feature = "rest")]
mod records;
#[cfg(feature = "rest")]
mod server;
#[cfg(feature = "rest")]
mod transport;

pub use dispatch::*;
pub use partial_tile::{PartialTile, SentField, TileSplit};
pub use queries::{QueryCall, QueryStep, load_estimates, query_plan, run_query};
pub use record_receiver::{RecordFlow, RecordReceiver};
