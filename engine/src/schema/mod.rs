//! The data model of an array: dimensions, domain, attributes, schema, and their rules. File
//! formats are not part of this module.
//!
//! An `ArraySchema` is complete, checked and immutable. A `SchemaDraft` is a schema under
//! construction; its dimensions, domain and attributes are shared with the caller's handles. A
//! `SchemaEvolution` is a list of changes that turns a schema into another.

mod array_schema;
mod attribute;
mod current_domain;
mod dimension;
mod dimension_label;
mod domain;
mod draft;
mod dump;
mod enumeration;
mod evolution;
mod named_list;
#[cfg(test)]
mod tests;
mod value_text;

use std::sync::Arc;

use crate::platform::lock::RwLock;

pub use array_schema::{ArraySchema, DimensionLabel, EnumerationPath, Field, StoredField};
pub use attribute::Attribute;
pub use current_domain::NdRectangle;
pub use dimension::Dimension;
pub use domain::{Domain, MAX_HILBERT_DIMENSIONS};
pub(crate) use draft::check_names;
pub use draft::{DomainDraft, SchemaDraft};
pub use dump::current_domain_text;
pub use enumeration::{Enumeration, EnumerationValues, greatest_index};
pub use evolution::SchemaEvolution;
pub use named_list::{Named, NamedList};
pub(crate) use value_text::{number_text, range_text};

/// The cell size of variable-length fields: not fixed.
pub const VAR_SIZE: u64 = u64::MAX;

/// The name of zipped coordinates, which old format versions store.
pub const COORDS: &str = "__coords";
/// The folder below an array's that contains the arrays of its dimension labels.
pub const LABELS_FOLDER: &str = "__labels";
/// The prefix of reserved names.
pub const RESERVED_PREFIX: &str = "__";

/// Returns the size in bytes of a cell of this many values.
fn cell_size(datatype: crate::types::Datatype, cell_val_num: u32) -> u64 {
    match cell_val_num {
        crate::types::VAR_NUM => VAR_SIZE,
        values => u64::from(values) * datatype.size() as u64,
    }
}

/// A value that several handles of the C API share: changing it through one changes it for all.
pub type Shared<T> = Arc<RwLock<T>>;

/// Makes a value shareable between handles.
pub fn shared<T>(value: T) -> Shared<T> {
    Arc::new(RwLock::new(value))
}
