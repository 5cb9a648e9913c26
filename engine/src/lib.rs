//! The TileDB storage engine: dense and sparse multi-dimensional arrays, stored in files that
//! libtiledb reads and writes as well.
//!
//! # Example
//!
//! ```
//! use tiledb_engine::{Array, ArrayType, Context, Datatype, Schema, field};
//!
//! # fn main() -> tiledb_engine::Result<()> {
//! let context = Context::new()?;
//! let uri = "mem://weather"; // or a folder, or s3://bucket/weather
//!
//! // An array of temperatures by day and station.
//! let schema = Schema::builder(ArrayType::Sparse)
//!     .dimension("day", Datatype::DatetimeDay, "2024-01-01"..="2024-12-31", 7)
//!     .string_dimension("station")
//!     .nullable_attribute("temperature", Datatype::Float64)
//!     .build()?;
//! Array::create(&context, uri, &schema)?;
//! let mut array = Array::open(&context, uri)?;
//!
//! // A write is visible to others as a whole.
//! array
//!     .write()
//!     .column("day", ["2024-01-01", "2024-01-01", "2024-01-02"])
//!     .column("station", ["Bergen", "Oslo", "Oslo"])
//!     .column("temperature", [Some(4.5), Some(-6.0), None])
//!     .submit()?;
//!
//! // An open array does not change; reopening shows later writes.
//! array.reopen()?;
//! let temperatures = array.read::<Option<f64>>("temperature")?;
//! assert_eq!(temperatures, [Some(4.5), Some(-6.0), None]);
//!
//! // Conditions are built from operators or parsed from text.
//! let cold = field("temperature").lt(0.0) & field("station").eq("Oslo");
//! let records = array
//!     .query()
//!     .range("day", "2024-01-01"..="2024-01-31")
//!     .condition(cold)
//!     .collect()?;
//! assert_eq!(records.values::<String>("day")?, ["2024-01-01"]);
//! let known = "temperature IS NOT NULL".parse()?;
//! assert_eq!(array.query().condition(known).count()?, 2);
//! # Ok(())
//! # }
//! ```
//!
//! # Concepts
//!
//! * A [`Context`] has the configuration and the storage. An array or group has a URI: a path,
//!   `file://`, `mem://`, or the URI of an object store or a server: `s3://`, `azure://`, `gcs://`
//!   and `tiledb://`. Each of the latter needs the feature with its name (`tiledb://`: `rest`); all
//!   are enabled by default.
//! * A [`Schema`] has dimensions, which form the coordinates of a cell, and attributes, its values.
//!   In a *dense* array every cell of the domain exists; in a *sparse* array only those that were
//!   written.
//! * Each write ([`Array::write`]) creates an immutable *fragment*. [`Array::open_at`] reads the
//!   state at an earlier time. [`Array::consolidate`] merges fragments, and [`Array::vacuum`]
//!   removes what was merged.
//! * [`Array::query`] describes a read: fields, ranges, a [`Condition`], and then all cells
//!   ([`ReadQuery::collect`]), batches of bounded size ([`ReadQuery::batches`]), or aggregates
//!   ([`ReadQuery::aggregate`]).
//! * Cells are Rust values ([`FromCell`], [`ToCell`]): numbers, `bool`, `String`, `Vec` for several
//!   values, `Option` for nullable fields. A [`Scalar`] holds a value of any datatype.
//! * [`Context::builder`] sets options by type, [`Context::vfs`] accesses plain files, and with the
//!   feature `serde` schemas, filters, values and conditions are read from and written to JSON.
//! * [`ReadQuery::read_into`] and [`ReadQuery::read_array`] read numbers of dense arrays into
//!   slices and vectors with a shape; the feature `ndarray` adds arrays of that crate. With the
//!   feature `arrow`, cells are Arrow's record batches (`ReadQuery::record_batches`,
//!   `WriteQuery::record_batch`, `Schema::from_arrow`).
//! * A [`SchemaEvolution`] adds and drops attributes ([`Array::evolve`]). An attribute can have an
//!   [`Enumeration`] of texts; a [`FilterList`] compresses a field.
//! * A [`Group`] has arrays and groups as members. Arrays and groups have metadata.
//!
//! # Conditions as text
//!
//! [`Condition::parse`] accepts conditions such as
//! `temperature > 20.5 AND station IN ('a', 'b') AND day >= '2024-02-29' AND note IS NOT NULL`.
//!
//! | form | meaning |
//! | --- | --- |
//! | `=`, `==`, `!=`, `<>`, `<`, `<=`, `>`, `>=` | comparison (`a > 1`, `1 < a`) |
//! | `a IN (1, 2)`, `a NOT IN (1, 2)` | membership in a set |
//! | `a BETWEEN 1 AND 2`, `a NOT BETWEEN 1 AND 2` | both bounds included |
//! | `a IS NULL`, `a IS NOT NULL` | test for null |
//! | `x AND y`, `x OR y`, `NOT x`, `(x)` | `NOT` binds strongest, then `AND`, then `OR` |
//!
//! Values are numbers (`1`, `-1.5e3`, `0xff`, `INF`, `NAN`), `TRUE`, `FALSE`, texts in single
//! quotes (`'it''s'`), and bytes (`X'00ff'`). Datetimes and times of a day are texts in ISO 8601
//! (`'2024-02-29T12:30:00.5'`, `'12:30'`) or the stored number. A field with an enumeration is
//! compared with values of the enumeration. Field names with other characters than letters, digits,
//! `_` and `.` are in double quotes (`"full name"`). Comparisons with null are false, and so are
//! their negations. `NOT` exchanges `<` and `>=`, and so on; NaN satisfies none of them, only `!=`.
//!
//! # Threads
//!
//! Functions block the calling thread until the operation is complete, and use threads of a pool of
//! the process for parts of it. In asynchronous code, call them where a runtime expects blocking
//! calls, such as in `tokio::task::spawn_blocking`, or use the streams of the feature `async`;
//! [`Context::cancel`] ends the operations of a context early.
//!
//! All types are [`Send`] and, except [`Batches`], [`Sync`]. Any number of threads and processes
//! can read and write an array at the same time, without locks; writes become visible one after
//! another.
//!
//! # Errors
//!
//! Functions do not panic on invalid arguments or damaged files. [`Error`] has one line of text and
//! a meaning ([`ErrorKind`]); an error about the text of a condition has the position:
//!
//! ```
//! use tiledb_engine::{Array, Context, ErrorKind};
//!
//! # fn main() -> tiledb_engine::Result<()> {
//! let context = Context::new()?;
//! match Array::open(&context, "mem://no_such_array") {
//!     Ok(_) => unreachable!("it was not created"),
//!     Err(error) if error.is_not_found() => println!("{error}"),
//!     Err(error) if error.kind() == ErrorKind::PermissionDenied => println!("no access: {error}"),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```

#![doc = include_str!("../guides.md")]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// Modules are declared from the lowest to the highest: a module uses only modules before it, which
// `tests/module_order.rs` checks. ARCHITECTURE.md describes how an open, a read and a write pass
// through them. Only the items re-exported below are the public API; `internal` has what the C
// layer uses.

#[doc(hidden)]
mod error;

mod platform;

mod memory;

mod types;

mod bytes;

mod config;

mod stats;

mod context;

#[cfg(feature = "http")]
mod http;

mod vfs;

mod filter;

mod schema;

mod geometry;

mod format;

mod tile;

mod fragment;

mod array;

mod subarray;

mod condition;

mod buffers;

mod aggregate;

mod read;

mod write;

mod query;

#[cfg(feature = "arrow")]
mod arrow;

mod maintenance;

mod object;

mod group;

mod filestore;

mod inspect;

mod check;

mod serialization;

mod rest;

mod expression;

mod recommend;

mod api;

#[doc(hidden)]
pub mod internal;

#[doc(inline)]
pub use aggregate::AggregateOperator;
#[cfg(feature = "arrow")]
#[doc(inline)]
pub use api::arrow::{PlainReader, RecordBatches, SharedReader};
#[cfg(feature = "async")]
#[doc(inline)]
pub use api::stream::BatchStream;
#[doc(inline)]
pub use api::{
    aggregate::Aggregate,
    array::Array,
    batches::Batches,
    cell::{FromCell, ToCell},
    context::Context,
    context_builder::{AzureOptions, ContextBuilder, GcsOptions, S3Options},
    field_values::{FieldValues, Records},
    fragments::{FragmentDetails, NonEmptyDomain},
    group::{Group, GroupChange},
    group_snapshot::GroupSnapshot,
    listing::ArrayListing,
    metadata::TypedValues,
    read_query::ReadQuery,
    schema::Schema,
    schema_builder::SchemaBuilder,
    subarray::Subarray,
    vfs::Vfs,
    write_query::{CellBytes, WriteQuery},
};
#[cfg(feature = "arrow")]
#[doc(inline)]
pub use arrow::ArrowCells;
#[doc(inline)]
pub use buffers::{FieldSizes, NeededSizes};
#[doc(inline)]
pub use check::{CheckSummary, Finding, Severity};
#[doc(inline)]
pub use config::{Config, ParameterDescription};
#[doc(inline)]
pub use context::Progress;
#[doc(inline)]
pub use error::{Error, ErrorKind, Result};
#[doc(inline)]
pub use expression::{Condition, FieldName, Scalar, field};
#[doc(inline)]
pub use filter::{Compression, Compressor, Filter, FilterList, FilterType};
#[doc(inline)]
pub use group::{Member, SnapshotMember};
#[doc(inline)]
pub use maintenance::MaintenanceMode;
#[doc(inline)]
pub use object::CopyProgress;
#[doc(inline)]
pub use query::{Explanation, ReadOutcome};
#[doc(inline)]
pub use read::{ReadSurvey, TileUse};
#[doc(inline)]
pub use recommend::{Goal, Reason, Recommendation, Sample, SampleColumn};
#[doc(inline)]
pub use schema::{Attribute, Dimension, DimensionLabel, Enumeration, SchemaEvolution};
#[doc(inline)]
pub use types::{ArrayType, DataOrder, Datatype, Layout, ObjectType, TimeRange, Timestamp, Value};
#[doc(inline)]
pub use vfs::{Entry, EntryKind, FileHandle};
