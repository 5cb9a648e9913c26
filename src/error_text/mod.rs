//! The texts of errors as C programs see them.
//!
//! Programs compare the texts of libtiledb, so that each cause that libtiledb has is worded as
//! there, after the origin that libtiledb reports. Other causes have the engine's own sentence
//! after an origin. Only these files know origins and wording.

mod api;
mod array;
mod budget;
mod condition;
mod condition_text;
mod config;
mod context;
mod filter;
mod fragment;
mod group;
mod inspect;
mod maintenance;
mod origins;
mod query;
mod query_parts;
mod rest;
#[cfg(test)]
mod samples;
mod schema;
mod schema_changes;
mod schema_fields;
mod serialization;
mod subarray;
#[cfg(test)]
mod tests;
mod vfs;
mod write;

use std::fmt::{self, Display, Formatter};

use tiledb_engine::config::Release;
use tiledb_engine::error::{Component, Error, ErrorKind, reason};

use origins::{CONDITION, QUERY, STATUS_QUERY};

/// Returns the text of an error.
pub(crate) fn wording(error: &Error) -> String {
    parts(error).to_string()
}

/// A text and its origin.
struct Text {
    /// The component that reports the error, or no bytes.
    origin: &'static str,
    message: String,
}

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.origin {
            "" => f.write_str(&self.message),
            STATUS_QUERY if Release::current() >= Release::V2_31 => {
                write!(f, "{QUERY}: {}", self.message)
            }
            origin => write!(f, "{origin}: {}", self.message),
        }
    }
}

fn text(origin: &'static str, message: impl Display) -> Text {
    let message = message.to_string();
    Text { origin, message }
}

fn parts(error: &Error) -> Text {
    match error.kind() {
        ErrorKind::Usage { origin, message } => text(origin, message),
        ErrorKind::Storage {
            action,
            uri,
            source,
        } => vfs::storage(action, uri, &reason(source)),
        ErrorKind::Removed { uri } => text(
            "",
            format!(
                "Cannot read '{uri}'; It was removed after the array was opened, by a vacuum or a deletion of fragments: reopen the array"
            ),
        ),
        ErrorKind::Condition { position, cause } => {
            text(CONDITION, format!("{cause}; at character {position}"))
        }
        ErrorKind::Cancelled => text(QUERY, "Query was cancelled"),
        ErrorKind::Budget(cause) => budget::text_of(cause),
        kind => of_cause(kind),
    }
}

/// Returns the text of a cause of one module of the engine.
fn of_cause(kind: &ErrorKind) -> Text {
    match kind {
        ErrorKind::Api(cause) => api::api(cause),
        ErrorKind::Array(cause) => array::array(cause),
        ErrorKind::ArrayEnumeration(cause) => array::array_enumeration(cause),
        ErrorKind::Metadata(cause) => array::metadata(cause),
        ErrorKind::Predicate(cause) => condition::predicate(cause),
        ErrorKind::Aggregate(cause) => condition::aggregate(cause),
        ErrorKind::ConditionText(cause) => condition_text::condition_text(cause),
        ErrorKind::Scalar(cause) => condition_text::scalar(cause),
        ErrorKind::Config(cause) => config::config(cause),
        ErrorKind::Profile(cause) => config::profile(cause),
        ErrorKind::Context(cause) => context::context(cause),
        ErrorKind::Filter(cause) => filter::filter(cause),
        ErrorKind::Pipeline(cause) => filter::pipeline(cause),
        ErrorKind::Codec(cause) => filter::codec(cause),
        ErrorKind::Fragment(cause) => fragment::fragment(cause),
        ErrorKind::Record(cause) => fragment::record(cause),
        ErrorKind::Geometry(cause) => fragment::geometry(cause),
        ErrorKind::Group(cause) => group::group(cause),
        ErrorKind::Member(cause) => group::member(cause),
        ErrorKind::Object(cause) => group::object(cause),
        ErrorKind::Filestore(cause) => group::filestore(cause),
        ErrorKind::FragmentInfo(cause) => inspect::fragment_info(cause),
        ErrorKind::Maintenance(cause) => maintenance::maintenance(cause),
        ErrorKind::Query(cause) => query::query(cause),
        ErrorKind::Delete(cause) => query::delete(cause),
        ErrorKind::QueryBuffer(cause) => query::query_buffer(cause),
        ErrorKind::Estimate(cause) => query_parts::estimate(cause),
        ErrorKind::Read(cause) => query_parts::read(cause),
        ErrorKind::LabelRead(cause) => query_parts::label_read(cause),
        ErrorKind::QueryLabel(cause) => query_parts::query_label(cause),
        ErrorKind::Rest(cause) => rest::rest(cause),
        ErrorKind::Schema(cause) => schema::schema(cause),
        ErrorKind::SchemaCheck(cause) => schema::schema_check(cause),
        ErrorKind::CurrentDomain(cause) => schema::current_domain(cause),
        ErrorKind::Label(cause) => schema_changes::label(cause),
        ErrorKind::Evolution(cause) => schema_changes::evolution(cause),
        ErrorKind::Attribute(cause) => schema_fields::attribute(cause),
        ErrorKind::Dimension(cause) => schema_fields::dimension(cause),
        ErrorKind::Enumeration(cause) => schema_fields::enumeration(cause),
        ErrorKind::QueryMessage(cause) => serialization::query_message(cause),
        ErrorKind::Serialization(cause) => serialization::serialization(cause),
        ErrorKind::Subarray(cause) => subarray::subarray(cause),
        ErrorKind::LabelRange(cause) => subarray::label_range(cause),
        ErrorKind::Vfs(cause) => vfs::vfs(cause),
        ErrorKind::WriteBuffer(cause) => write::write_buffer(cause),
        ErrorKind::Write(cause) => write::write(cause),
        _ => text("", kind),
    }
}

/// Returns the origin that libtiledb reports for a component.
fn origin_of(component: Component) -> &'static str {
    match component {
        Component::DenseReader => origins::DENSE_READER,
        Component::MergingReader => origins::SPARSE_GLOBAL_ORDER_READER,
        Component::UnorderedReader => origins::SPARSE_UNORDERED_WITH_DUPS_READER,
        Component::LabelReader => origins::ORDERED_DIM_LABEL_READER,
        Component::FragmentMetadata => origins::FRAGMENT_METADATA,
        Component::Writer => origins::WRITER_BASE,
        Component::Consolidator => origins::FRAGMENT_CONSOLIDATOR,
        _ => origins::SPARSE_INDEX_READER_BASE,
    }
}
