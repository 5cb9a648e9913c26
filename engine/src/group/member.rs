//! Members of groups.

use crate::types::ObjectType;

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The absolute URI.
    pub uri: String,
    /// The type.
    pub kind: ObjectType,
    /// The name, if it has one.
    pub name: Option<String>,
    /// Whether the group stores a relative URI.
    pub relative: bool,
}
