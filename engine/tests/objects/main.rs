//! Creation, removal and changes of arrays, groups and file stores: what storage holds after a
//! failure, an interruption or a loss of power at any call, and when two operations run at once.

mod describe;
mod faults;
mod nested_operations;
mod object_store;
mod operations;
#[path = "../setup/mod.rs"]
mod setup;

use std::sync::Arc;

use operations::Operation;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::vfs::Vfs;
use tiledb_engine::internal::vfs::faulty::Faulty;

/// Storage on which an operation was prepared, everything durable.
struct Setup {
    backend: Faulty,
    vfs: Arc<Vfs>,
}

impl Setup {
    fn of(context: &Arc<Context>, operation: &Operation) -> Self {
        let backend = Faulty::new();
        let vfs = Vfs::with_backend(context, Arc::new(backend.clone())).expect("vfs");
        (operation.prepare)(&vfs).expect("prepares");
        backend.settle();
        Self { backend, vfs }
    }

    fn act(&self, operation: &Operation) -> Result<()> {
        (operation.act)(&self.vfs)
    }

    fn look(&self) -> String {
        describe::all(&self.vfs)
    }
}

fn context() -> Arc<Context> {
    Context::new(Config::new()).expect("context")
}
