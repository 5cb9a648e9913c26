//! Arrays and groups on TileDB servers, whose URIs begin with `tiledb://`.
//!
//! [`location`] runs an operation by URI: in storage or, for such a URI, on the server that
//! `rest.server_address` names. `server` has the server of a context by its configuration, with the
//! headers of `login`; `transport` sends requests, to paths by the form of URIs (`address`), and
//! `records` passes the results of queries on as they arrive. `arrays`, `groups` and `queries` have
//! the requests about them. `partial_tile` keeps cells of writes in global order until their tile
//! is complete. An open array or group keeps its server as an
//! [`ObjectServer`](crate::array::ObjectServer), which loads what the open did not.
//!
//! `docs/remote.md` lists the requests and parameters.

#[cfg(feature = "rest")]
mod address;
#[cfg(feature = "rest")]
mod arrays;
#[cfg(feature = "rest")]
mod groups;
pub mod location;
#[cfg(feature = "rest")]
mod login;
mod partial_tile;
mod queries;
#[cfg(feature = "rest")]
mod records;
#[cfg(feature = "rest")]
mod server;
#[cfg(feature = "rest")]
mod transport;

pub use partial_tile::{PartialTile, SentField, TileSplit};
pub use queries::{QueryCall, QueryStep, load_estimates, query_plan, run_query};
