//! Functions of the releases 2.15 to 2.29 that libtiledb 2.30 does not have. Programs that were
//! built for those releases, such as TileDB-Py 0.21 to 0.35, cannot be loaded without them.

use std::sync::Arc;

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::vfs::Vfs;

use crate::prelude::*;

pub mod deletes;
pub mod query_ranges;
pub mod submit_async;
pub mod texts;
pub mod with_key;

/// Returns the storage of a context with another configuration.
fn with_config(ctx: &tiledb_ctx_t, config: Config) -> Result<Arc<Vfs>> {
    ctx.vfs.within(&Context::new(config)?)
}
