//! Groups that are opened with all their members at one timestamp.

use std::sync::Arc;

use super::array::Array;
use super::context::Context;
use super::group::Group;
use crate::error::Result;
use crate::group::{self as engine, SnapshotMember};
use crate::types::Timestamp;

/// A group with all its arrays and groups, also those in member groups, as they were at one
/// timestamp.
///
/// All members show the state of one instant: writes that are committed while they are opened are
/// visible in all members or in none. Cloning returns another handle to the same snapshot.
///
/// ```
/// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Group, GroupSnapshot, Schema};
/// # fn main() -> tiledb_engine::Result<()> {
/// # let context = Context::new()?;
/// # let schema = Schema::builder(ArrayType::Dense)
/// #     .dimension("day", Datatype::Int32, 1..=7, 7)
/// #     .attribute("rain", Datatype::Float64)
/// #     .build()?;
/// # Group::create(&context, "mem://weather")?;
/// # Array::create(&context, "mem://weather/oslo", &schema)?;
/// # Group::open(&context, "mem://weather")?.add_relative("oslo", Some("Oslo"))?;
/// let weather = GroupSnapshot::open(&context, "mem://weather")?;
/// for (index, member) in weather.members().iter().enumerate() {
///     println!("{} at {}", member.uri, weather.timestamp());
///     assert_eq!(weather.array(index)?.timestamp(), weather.timestamp());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GroupSnapshot {
    context: Context,
    opened: Arc<engine::GroupSnapshot>,
}

impl GroupSnapshot {
    /// Opens a group and all its members at the present time.
    ///
    /// # Errors
    ///
    /// If the group or a member does not exist, which the error names by its URI, a key is wrong,
    /// storage fails, or members change constantly for a minute.
    pub fn open(context: &Context, uri: &str) -> Result<Self> {
        Self::open_with(context, uri, None)
    }

    /// Opens a group and all its members at a timestamp, in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// As [`open`](GroupSnapshot::open).
    pub fn open_at(context: &Context, uri: &str, timestamp: Timestamp) -> Result<Self> {
        Self::open_with(context, uri, Some(timestamp))
    }

    fn open_with(context: &Context, uri: &str, timestamp: Option<Timestamp>) -> Result<Self> {
        let (vfs, config) = (context.storage(), context.config());
        Ok(Self {
            context: context.clone(),
            opened: Arc::new(engine::GroupSnapshot::open(vfs, uri, config, timestamp)?),
        })
    }

    /// Returns the timestamp, in milliseconds since 1970.
    pub fn timestamp(&self) -> Timestamp {
        self.opened.timestamp
    }

    /// Returns the members: first those of the opened group, in the order of their names, then
    /// those of its member groups, and so on. A group that is a member several times, or contains
    /// itself, is in the list for each membership; its members are in the list once.
    pub fn members(&self) -> &[SnapshotMember] {
        &self.opened.members
    }

    /// Returns an array by its index among the members.
    ///
    /// # Errors
    ///
    /// If the member does not exist or is a group.
    pub fn array(&self, index: usize) -> Result<Array> {
        let array = self.opened.array(index as u64)?;
        Ok(Array::of_handle(&self.context, array))
    }

    /// Returns a group, with its metadata, by its index among the members; `None` for the group
    /// that was opened.
    ///
    /// # Errors
    ///
    /// If the member does not exist or is an array.
    pub fn group(&self, index: Option<usize>) -> Result<Group> {
        let group = self.opened.group(index.map(|index| index as u64))?;
        Ok(Group::of_handle(&self.context, group))
    }
}
