//! The modules of the engine that the C layer, the tests and the fuzz targets use. They are not
//! part of the public Rust API and change without notice.

pub mod error {
    pub use crate::error::*;
}
pub mod platform {
    pub use crate::platform::*;
}
pub mod types {
    pub use crate::types::*;
}
pub mod bytes {
    pub use crate::bytes::*;
}
pub mod config {
    pub use crate::config::*;
}
pub mod stats {
    pub use crate::stats::*;
}
pub mod context {
    pub use crate::context::*;
}
pub mod vfs {
    pub use crate::vfs::*;
}
pub mod filter {
    pub use crate::filter::*;
}
pub mod schema {
    pub use crate::schema::*;
}
pub mod geometry {
    pub use crate::geometry::*;
}
pub mod format {
    pub use crate::format::*;
}
pub mod tile {
    pub use crate::tile::*;
}
pub mod fragment {
    pub use crate::fragment::*;
}
pub mod array {
    pub use crate::array::*;
}
pub mod subarray {
    pub use crate::subarray::*;
}
pub mod condition {
    pub use crate::condition::*;
}
pub mod buffers {
    pub use crate::buffers::*;
}
pub mod aggregate {
    pub use crate::aggregate::*;
}
pub mod write {
    pub use crate::write::*;
}
pub mod query {
    pub use crate::query::*;
}
#[cfg(feature = "arrow")]
pub mod arrow {
    pub use crate::arrow::*;
}
pub mod maintenance {
    pub use crate::maintenance::*;
}
pub mod object {
    pub use crate::object::*;
}
pub mod group {
    pub use crate::group::*;
}
pub mod filestore {
    pub use crate::filestore::*;
}
pub mod inspect {
    pub use crate::inspect::*;
}
pub mod check {
    pub use crate::check::*;
}
pub mod serialization {
    pub use crate::serialization::*;
}
pub mod rest {
    pub use crate::rest::*;
}
pub mod expression {
    pub use crate::expression::*;
}
pub mod recommend {
    pub use crate::recommend::*;
}
