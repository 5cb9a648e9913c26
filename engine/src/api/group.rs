//! Groups of arrays and groups.

use super::context::Context;
use super::metadata::{self, TypedValues};
use crate::array::WithMetadata;
use crate::error::Result;
use crate::group::{self as engine, Group as EngineGroup, Member, MemberUri};
use crate::maintenance::{self, MaintenanceMode};
use crate::types::QueryType;

/// A group of arrays and groups, as it was when it was opened.
///
/// ```
/// use tiledb_engine::{Array, ArrayType, Context, Datatype, Group, Schema};
///
/// # fn main() -> tiledb_engine::Result<()> {
/// let context = Context::new()?;
/// Group::create(&context, "mem://pyramid")?;
/// let mut group = Group::open(&context, "mem://pyramid")?;
/// for side in [64_i64, 32] {
///     let schema = Schema::builder(ArrayType::Dense)
///         .dimension("y", Datatype::Int64, 0..=side - 1, 16)
///         .dimension("x", Datatype::Int64, 0..=side - 1, 16)
///         .attribute("brightness", Datatype::Uint8)
///         .build()?;
///     let name = format!("side-{side}");
///     Array::create(&context, &format!("mem://pyramid/{name}"), &schema)?;
///     group.add_relative(&name, Some(&name))?;
/// }
///
/// // An open group does not change; reopening shows the members that were added.
/// group.reopen()?;
/// assert_eq!(group.members()?.len(), 2);
/// let member = group.member("side-32")?;
/// let array = Array::open(&context, &member.uri)?;
/// assert!(array.schema()?.is_dense());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Group {
    context: Context,
    handle: EngineGroup,
}

/// A change of a group, for [`Group::apply`].
#[derive(Clone, Debug)]
pub enum GroupChange {
    /// Adds an existing array or group with an absolute URI.
    Add {
        /// The URI.
        uri: String,
        /// The name in the group.
        name: Option<String>,
    },
    /// Adds an existing array or group in the folder of the group.
    AddRelative {
        /// The path in the folder of the group.
        path: String,
        /// The name in the group.
        name: Option<String>,
    },
    /// Removes a member; the object itself is kept.
    Remove {
        /// The name or the URI of the member.
        name_or_uri: String,
    },
    /// Stores metadata.
    PutMetadata {
        /// The key.
        key: String,
        /// The value.
        value: TypedValues,
    },
    /// Removes metadata, which need not exist.
    RemoveMetadata {
        /// The key.
        key: String,
    },
}

impl Group {
    /// Creates an empty group.
    ///
    /// # Errors
    ///
    /// If an array or a group exists at `uri`, or storage fails.
    pub fn create(context: &Context, uri: &str) -> Result<()> {
        engine::create(context.storage(), uri)
    }

    /// Opens a group to read its present state.
    ///
    /// # Errors
    ///
    /// If the group does not exist or storage fails.
    pub fn open(context: &Context, uri: &str) -> Result<Self> {
        let handle = EngineGroup::new(context.storage(), uri)?;
        handle.open(QueryType::Read)?;
        Ok(Self {
            context: context.clone(),
            handle,
        })
    }

    /// Returns an open handle of the engine as a group.
    pub(super) fn of_handle(context: &Context, handle: EngineGroup) -> Self {
        Self {
            context: context.clone(),
            handle,
        }
    }

    /// Opens the group again to see later changes.
    ///
    /// # Errors
    ///
    /// As [`open`](Group::open); the group stays as it was.
    pub fn reopen(&mut self) -> Result<()> {
        *self = Self::open(&self.context, self.uri())?;
        Ok(())
    }

    /// Returns the URI.
    pub fn uri(&self) -> &str {
        self.handle.uri.as_str()
    }

    /// Returns the members.
    ///
    /// # Errors
    ///
    /// If the type of a member cannot be read from storage.
    pub fn members(&self) -> Result<Vec<Member>> {
        let number = self.handle.member_count()?;
        (0..number)
            .map(|index| self.handle.member_at(index))
            .collect()
    }

    /// Returns the member with a name.
    ///
    /// # Errors
    ///
    /// If the group does not have a member with this name.
    pub fn member(&self, name: &str) -> Result<Member> {
        self.handle.member_named(name)
    }

    /// Opens the group for writing, makes a change, and stores it.
    fn change(&self, change: impl FnOnce(&EngineGroup) -> Result<()>) -> Result<()> {
        let handle = EngineGroup::new(self.context.storage(), self.uri())?;
        handle.open(QueryType::Write)?;
        change(&handle)?;
        handle.close()
    }

    /// Makes several changes, which become visible together. They are visible in this handle after
    /// [`reopen`](Group::reopen). A member that is added replaces the one with its name.
    ///
    /// # Errors
    ///
    /// As the methods for single changes, or if two changes are of the same member. Nothing is
    /// changed then.
    pub fn apply(&self, changes: &[GroupChange]) -> Result<()> {
        self.change(|handle| {
            for change in changes {
                match change {
                    GroupChange::Add { uri, name } => {
                        handle.add_member(MemberUri::Absolute(uri), name.as_deref(), None)?;
                    }
                    GroupChange::AddRelative { path, name } => {
                        handle.add_member(MemberUri::Relative(path), name.as_deref(), None)?;
                    }
                    GroupChange::Remove { name_or_uri } => handle.remove_member(name_or_uri)?,
                    GroupChange::PutMetadata { key, value } => {
                        handle.put_metadata(Some(key), value.datatype, &value.data)?;
                    }
                    GroupChange::RemoveMetadata { key } => handle.delete_metadata(Some(key))?,
                }
            }
            Ok(())
        })
    }

    /// Adds an existing array or group with an absolute URI. The change is visible after
    /// [`reopen`](Group::reopen).
    ///
    /// # Errors
    ///
    /// If a member has the name, `uri` is not an array or a group, or storage fails.
    pub fn add(&self, uri: &str, name: Option<&str>) -> Result<()> {
        self.change(|handle| handle.add_member(MemberUri::Absolute(uri), name, None))
    }

    /// Adds an existing array or group in the folder of the group by its path relative to it, so
    /// that the group can be moved with its members.
    ///
    /// # Errors
    ///
    /// As [`add`](Group::add).
    pub fn add_relative(&self, path: &str, name: Option<&str>) -> Result<()> {
        self.change(|handle| handle.add_member(MemberUri::Relative(path), name, None))
    }

    /// Removes a member by its name or URI. The object itself is kept.
    ///
    /// # Errors
    ///
    /// If the group does not have the member, several members have the URI, or storage fails.
    pub fn remove(&self, name_or_uri: &str) -> Result<()> {
        self.change(|handle| handle.remove_member(name_or_uri))
    }

    /// Returns the metadata by keys, in the order of keys.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn metadata(&self) -> Result<Vec<(String, TypedValues)>> {
        metadata::all(&self.handle)
    }

    /// Returns the metadata with a key; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn metadata_value(&self, key: &str) -> Result<Option<TypedValues>> {
        metadata::find(&self.handle, key)
    }

    /// Stores metadata. It is visible after [`reopen`](Group::reopen).
    ///
    /// # Errors
    ///
    /// If storage fails, or the value has more elements than the file format can count (2^32 - 1).
    pub fn put_metadata(&self, key: &str, value: impl Into<TypedValues>) -> Result<()> {
        let value = value.into();
        self.change(|handle| handle.put_metadata(Some(key), value.datatype, &value.data))
    }

    /// Removes metadata, which need not exist.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn remove_metadata(&self, key: &str) -> Result<()> {
        self.change(|handle| handle.delete_metadata(Some(key)))
    }

    /// Merges the files of the group's metadata into one.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn consolidate_metadata(&self) -> Result<()> {
        let config = self
            .context
            .maintenance_config(MaintenanceMode::GroupMetadata)?;
        maintenance::consolidate(self.context.storage(), self.uri(), &config)
    }

    /// Removes files of metadata that consolidation replaced.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn vacuum_metadata(&self) -> Result<()> {
        let config = self
            .context
            .maintenance_config(MaintenanceMode::GroupMetadata)?;
        maintenance::vacuum(self.context.storage(), self.uri(), &config)
    }
}
