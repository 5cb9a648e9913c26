//! The model of an array: dimensions, domain, attributes, schema, and their rules. No bytes of files here.
//!
//! An `ArraySchema` is whole, checked and does not change. A `SchemaDraft` is what callers fill step by step; its
//! dimensions, domain and attributes are shared with the handles they came from.
//! A `SchemaEvolution` is what makes one schema of another.

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
mod stored_field;
#[cfg(test)]
mod tests;

pub use array_schema::{ArraySchema, EnumerationPath, Field};
pub use attribute::Attribute;
pub use current_domain::NdRectangle;
pub use dimension::Dimension;
pub use dimension_label::DimensionLabel;
pub use domain::Domain;
pub use draft::{DomainDraft, SchemaDraft, Shared, shared};
pub(crate) use draft::{check_failed, check_names};
pub use dump::CurrentDomainText;
pub(crate) use dump::range_text;
pub use enumeration::{Enumeration, EnumerationValues};
pub use evolution::SchemaEvolution;
pub use stored_field::StoredField;

/// The size of a cell of a variable-length field, in bytes: unknown.
pub const VAR_SIZE: u64 = u64::MAX;

/// Zipped coordinates, as files of old versions have them.
pub const COORDS: &str = "__coords";
/// The folder, in that of an array, where the arrays of its dimension labels are.
pub const LABELS_FOLDER: &str = "__labels";
/// Names that begin like this are the library's own.
pub const RESERVED_PREFIX: &str = "__";

/// The size of a cell of so many values, in bytes.
fn cell_size(datatype: crate::types::Datatype, cell_val_num: u32) -> u64 {
    match cell_val_num {
        crate::types::VAR_NUM => VAR_SIZE,
        values => u64::from(values) * datatype.size() as u64,
    }
}
