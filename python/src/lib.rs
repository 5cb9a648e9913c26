//! The native module of the Python package `tiledb_rs`, on the public Rust API of the engine.
//!
//! Reads and writes release the interpreter. Cells of numbers are read into the memory of arrays of
//! NumPy; other cells become objects or buffers of Arrow. The classes of Python in
//! `python/tiledb_rs` extend those of this module by what needs other packages.
//!
//! The module also exports the C API, so that TileDB-Py runs on the same copy of the engine.

mod array;
mod arrow;
mod columns;
mod context;
mod errors;
mod index;
mod memory;
mod objects;
mod query;
mod schema;
mod values;

use pyo3::prelude::*;
use tiledb_rs as _;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    context::check_interpreter(module.py())?;
    context::find_main_thread(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<array::PyArray>()?;
    module.add_class::<array::PyField>()?;
    module.add_class::<query::PyQuery>()?;
    module.add_class::<schema::PySchema>()?;
    objects::add_functions(module)
}
