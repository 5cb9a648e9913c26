//! Errors of groups, objects and file stores.

use super::table::{Text, causes};
use super::{Error, Release};

causes! {
    /// Causes of errors of groups.
    GroupError, "Group" {
        BadUri { uri: String }: "'{uri}' is not the URI of a group"
            => ("C API", "Failed to allocate TileDB group API object; Invalid URI");
        BadNewUri { uri: String }: "'{uri}' is not the URI of a new group"
            => "Cannot create group ''; Invalid group URI";
        IsArray { uri: String } [AlreadyExists]: "'{uri}' is an array"
            => "Cannot create group; '{uri}' is an array";
        Exists { uri: String } [AlreadyExists]: "The group '{uri}' exists already"
            => "Cannot create group; Group '{uri}' already exists";
        MissingForClose { uri: String } [NotFound]: "The group '{uri}' does not exist any more"
            => "Cannot close group; Group does not exist.";
        BadMetadataUri { action: &'static str, uri: String }: "Cannot {action} metadata of '{uri}', which is no URI"
            => "Cannot {action} group metadata; Invalid URI";
        NotAGroup { action: &'static str, uri: String } [NotFound]: "Cannot {action} metadata of '{uri}', which is not a group"
            => "Cannot {action} group metadata; Group does not exist";
        AlreadyOpen: "The group is open already"
            => "Cannot open group; Group already open";
        UnsupportedQueryType [Unsupported]: "The group cannot be opened for this type of query"
            => "Cannot open group; Unsupported query type";
        Missing { uri: String } [NotFound]: "The group '{uri}' does not exist"
            => "Cannot open group; Group does not exist.";
        Close { cause: Error } [(cause.kind())]: "The group cannot be closed: {cause}"
            => { Text::new("Group", format!("{} : Was storage for the group moved or deleted before closing?", cause.text())) };
        NoQueryType: "A closed group has no type of query"
            => "Cannot get query_type; Group is not open";
        ConfigOfOpen: "The configuration of an open group cannot change"
            => "[set_config] Cannot set config; Group is open";
        BadMemberUri { uri: String }: "'{uri}' is not the URI of a member"
            => "Cannot add member; '{uri}' is no URI";
        NotOpen { action: &'static str }: "Cannot {action}, because the group is not open"
            => "Cannot {action}; Group is not open";
        NotForWriting { action: &'static str }: "Cannot {action}, because the group is not open for writing"
            => { Text::new("Group", format!("Cannot {action}; Group was not opened in {} mode", Release::current().writing_modes())) };
        NotForReading: "The group is not open for reading"
            => "Cannot get member; Group was not opened in read mode";
        DeleteClosed: "A closed group cannot be deleted"
            => "[delete_group] Group is not open";
        DeleteNotExclusive: "A group must be open exclusively to be deleted"
            => { Text::new("Group", format!("[delete_group] Query type must be {}", Release::current().exclusive_type())) };
        BadDeleteUri { uri: String }: "'{uri}' is not the URI of a group to delete"
            => "[delete_group] '{uri}' is no URI";
        MissingMember { uri: String, group: String } [NotFound]: "The member '{uri}' of the group '{group}' does not exist";
        MemberOpen { uri: String, group: String, cause: Error } [(cause.kind())]: "The member '{uri}' of the group '{group}' cannot be opened: {cause}"
            => { Text::new("Group", format!("Cannot open member '{uri}' of group '{group}'; {}", cause.text())) };
        UnsteadyMembers { uri: String } [Busy]: "The group '{uri}' cannot be opened at one time, because its members change constantly";
        OtherMemberKind { index: u64, kind: &'static str }: "The member {index} is not {kind}";
        LongDump { limit: u64, parameter: &'static str } [OutOfBudget]: "The dump of the group exceeds the memory budget of {limit} bytes; raise {parameter}";
    }

    /// Causes of errors of the members of groups.
    MemberError, "Group Details" {
        NoMember { index: u64, number: u64 } [NotFound]: "There is no member {index}; the group has {number}"
            => "index {index} is larger than member count {number}";
        Unknown { name: String } [NotFound]: "There is no member '{name}'"
            => "{name} does not exist in group";
        Added { key: String } [AlreadyExists]: "The member '{key}' has been added already"
            => "Cannot add group member {key}, a member with the same name or URI has already been added.";
        UnknownToRemove { key: String } [NotFound]: "There is no member '{key}' to remove"
            => "Cannot remove group member {key}, member does not exist in group.";
        AddedToRemove { key: String }: "The member '{key}' to remove has been added"
            => "Cannot remove group member {key}, a member with the same name or URI has already been added.";
        Removed { key: String }: "The member '{key}' has been removed already"
            => "Cannot remove group member {key}, a member with the same name or URI has already been removed.";
        Ambiguous { key: String }: "Several members have the URI '{key}'; remove them by name"
            => "Cannot remove group member {key}, there are multiple members with the same URI, please remove by name.";
    }

    /// Causes of errors of objects.
    ObjectError, "Object" {
        BadUri { action: &'static str, which: &'static str, path: String }: "Cannot {action} the object {which}'{path}', which is no URI"
            => "Cannot {action} object {which}'{path}'; Invalid URI";
        NotAnObject { action: &'static str, path: String } [NotFound]: "Cannot {action} '{path}', which is neither an array nor a group"
            => "Cannot {action} object '{path}'; Invalid TileDB object";
        NotAnArray { action: &'static str, path: String }: "Cannot {action} '{path}', which is not an array";
        TargetExists { path: String }: "Something exists at '{path}' already";
        CopyDiffers { path: String }: "The copy '{path}' differs from its source, which may have changed";
        BadWalk { path: String }: "The objects of '{path}' cannot be listed, because it is no URI"
            => ("ObjectIter", "Cannot create object iterator; Invalid input path");
    }

    /// Causes of errors of files that are stored as arrays.
    FilestoreError, "C API" {
        FileTooLarge { file: String, size: u64, extent: u64 }: "The file '{file}' of {size} bytes is too large for tiles of {extent}";
        NothingRead { file: String }: "Nothing was read of the file '{file}'";
        BeyondEnd { len: usize, start: u64, size: u64 }: "{len} bytes at {start} exceed the stored file of {size} bytes"
            => "The number of bytes requested is bigger than the array; {len} bytes from {start} on were asked for of {size}";
        TooLarge { size: u64 }: "{size} bytes are more than memory has";
        NotAFilestore { uri: String }: "The array {uri} is no file store";
        BufferTooSmall { parameter: &'static str, extent: u64 }: "The parameter '{parameter}' is smaller than the tile extent of {extent} bytes"
            => "The buffer size configured via {parameter} is smaller than current {extent} tile extent";
        NoSize { key: &'static str, uri: String } [Corrupt]: "The metadata of '{uri}' has no key '{key}', because nothing was stored"
            => "The array metadata doesn't contain the {key} key; nothing was stored in {uri}";
    }
}
