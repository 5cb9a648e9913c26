//! TileDB arrays as tables of [Apache DataFusion](https://datafusion.apache.org).
//!
//! ```
//! use datafusion::prelude::SessionConfig;
//! use tiledb_datafusion::{TableOptions, session};
//! use tiledb_engine::{Array, ArrayType, Context, Datatype, Schema};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = Context::new()?;
//! let schema = Schema::builder(ArrayType::Sparse)
//!     .dimension("day", Datatype::DatetimeDay, "2024-01-01"..="2024-12-31", 7)
//!     .nullable_attribute("temperature", Datatype::Float64)
//!     .build()?;
//! Array::create(&context, "mem://weather", &schema)?;
//!
//! let session = session(SessionConfig::new(), &TableOptions::new().context(&context));
//! session
//!     .sql("CREATE EXTERNAL TABLE weather STORED AS TILEDB LOCATION 'mem://weather'")
//!     .await?;
//! let insert = "INSERT INTO weather VALUES ('2024-01-01', 4.5), ('2024-01-02', NULL)";
//! session.sql(insert).await?.collect().await?;
//! let rows = session.sql("SELECT * FROM weather WHERE day >= '2024-01-02'").await?;
//! assert_eq!(rows.count().await?, 1);
//! # Ok(())
//! # }
//! ```
//!
//! [`TileDbTable`] is an array as a [`TableProvider`](datafusion::catalog::TableProvider), and
//! [`TileDbGroup`] a group as a schema. [`session`] returns a session with the table functions
//! `tiledb(uri)`, `tiledb_fragments(uri)` and `tiledb_tiles(uri)`; [`register`] adds them to an
//! existing session. `docs/sql.md` of the project has a tour and the limits.
//!
//! Reads block; they run on the threads of `tokio` for blocking calls. [`run_task`] runs a
//! statement that the calling thread can abandon, such as after Ctrl-C.

#![deny(unsafe_code)]

mod aggregates;
mod create;
mod error;
mod field;
mod files;
mod functions;
mod groups;
mod joins;
mod optimizer;
mod partitions;
mod predicate;
#[cfg(feature = "proto")]
pub mod proto;
mod pushdown;
mod ranges;
mod scan;
mod table;
mod task;
mod write;

pub use create::create_array;
pub use functions::{TileDbGroup, TileDbTableFactory, register, session};
pub use optimizer::optimizer_rules;
pub use scan::TileDbScan;
pub use table::{TableOptions, TileDbTable};
pub use task::{run_task, wait};
