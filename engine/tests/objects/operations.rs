//! The operations: how the storage is prepared for each, and what it does.

use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array, WithMetadata};
use tiledb_engine::internal::buffers::FieldCells;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::filestore;
use tiledb_engine::internal::group::{self, Group, MemberUri};
use tiledb_engine::internal::object;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{
    ArraySchema, Attribute, Enumeration, EnumerationValues, SchemaDraft, SchemaEvolution,
};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, DataOrder, Datatype, Layout, MimeType, ObjectType, QueryType,
};
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::setup::{dimension, schema};

/// The cells of an array.
pub(crate) const CELLS: u8 = 10;

type Action = fn(&Arc<Vfs>) -> Result<()>;

/// The states, other than old and new, that a failed operation may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// None.
    Atomic,
    /// A part of what it removes; the same call completes the removal.
    Removal,
}

pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) prepare: Action,
    pub(crate) act: Action,
    /// The number of rounds of syncs, and of files and folders that the operation syncs.
    pub(crate) syncs: (u64, u64),
}

pub(crate) fn uri(name: &str) -> Uri {
    Uri::parse(&format!("mem://top/{name}")).expect("uri")
}

fn nothing(vfs: &Arc<Vfs>) -> Result<()> {
    vfs.ensure_dir(&uri(""))
}

fn draft() -> SchemaDraft {
    let x = dimension("x", Datatype::Uint8, [0, CELLS - 1], 5u8);
    schema(
        ArrayType::Dense,
        [x],
        [Attribute::new("a", Datatype::Uint8)],
    )
}

fn create(vfs: &Arc<Vfs>, name: &str, schema: &ArraySchema) -> Result<()> {
    array::create(vfs, &uri(name), schema, None)
}

pub(crate) fn create_array(vfs: &Arc<Vfs>) -> Result<()> {
    create(vfs, "array", &draft().finish()?)
}

fn labelled(datatype: Datatype) -> Result<ArraySchema> {
    let mut draft = draft();
    draft.add_label(0, "first", DataOrder::Increasing, datatype)?;
    draft.add_label(0, "second", DataOrder::Increasing, datatype)?;
    draft.finish()
}

pub(crate) fn create_labelled(vfs: &Arc<Vfs>) -> Result<()> {
    create(vfs, "array", &labelled(Datatype::Int32)?)
}

pub(crate) fn create_labelled_otherwise(vfs: &Arc<Vfs>) -> Result<()> {
    create(vfs, "array", &labelled(Datatype::Float64)?)
}

fn letters() -> Arc<Enumeration> {
    let values = EnumerationValues {
        data: Some(b"ab"),
        offsets: None,
    };
    Arc::new(Enumeration::new("letters", Datatype::Char, 1, false, values).expect("values"))
}

fn create_enumerated(vfs: &Arc<Vfs>) -> Result<()> {
    let mut draft = draft();
    draft.add_enumeration(&letters())?;
    create(vfs, "array", &draft.finish()?)
}

fn open(vfs: &Arc<Vfs>, name: &str, query_type: QueryType) -> Result<Arc<Array>> {
    let array = Array::new(vfs, uri(name).as_str())?;
    array.open(query_type)?;
    Ok(Arc::new(array))
}

fn write(vfs: &Arc<Vfs>, name: &str, mark: u8) -> Result<()> {
    let mut query = Query::new(&open(vfs, name, QueryType::Write)?, QueryType::Write)?;
    query.set_layout(Layout::RowMajor)?;
    let mut subarray = Subarray::new(query.request().schema());
    subarray.add_range(0, &[0], &[CELLS - 1])?;
    query.set_subarray(&subarray)?;
    query.write(&[FieldCells::fixed("a", &[mark; CELLS as usize])])?;
    query.finalize()
}

pub(crate) fn write_2(vfs: &Arc<Vfs>) -> Result<()> {
    write(vfs, "array", 2)
}

pub(crate) fn put_metadata(vfs: &Arc<Vfs>) -> Result<()> {
    let array = open(vfs, "array", QueryType::Write)?;
    array.put_metadata(Some("key"), Datatype::Uint8, &[7])?;
    array.close()
}

/// Creates an array with cells and metadata.
pub(crate) fn array(vfs: &Arc<Vfs>) -> Result<()> {
    create_array(vfs)?;
    write(vfs, "array", 1)?;
    let array = open(vfs, "array", QueryType::Write)?;
    array.put_metadata(Some("other"), Datatype::Uint8, &[1])?;
    array.close()
}

fn array_with_a_file(vfs: &Arc<Vfs>) -> Result<()> {
    array(vfs)?;
    vfs.publish_file(&uri("array"), &uri("array/mine"), b"x")
}

fn enumerated_array(vfs: &Arc<Vfs>) -> Result<()> {
    create_enumerated(vfs)?;
    write(vfs, "array", 1)
}

fn evolved_array(vfs: &Arc<Vfs>) -> Result<()> {
    array(vfs)?;
    evolve(vfs)
}

fn labelled_array(vfs: &Arc<Vfs>) -> Result<()> {
    create_labelled(vfs)?;
    write(vfs, "array", 1)
}

fn file_in_the_root(vfs: &Arc<Vfs>) -> Result<()> {
    vfs.publish_file(&uri("array"), &uri("array/mine"), b"x")
}

pub(crate) fn evolve(vfs: &Arc<Vfs>) -> Result<()> {
    let mut changes = SchemaEvolution::default();
    changes.add_enumeration(&letters())?;
    changes.add_attribute(Attribute {
        enumeration: Some("letters".to_owned()),
        ..Attribute::new("b", Datatype::Uint8)
    })?;
    array::evolve(vfs, &uri("array"), &changes)
}

pub(crate) fn evolve_otherwise(vfs: &Arc<Vfs>) -> Result<()> {
    let mut changes = SchemaEvolution::default();
    changes.add_attribute(Attribute::new("c", Datatype::Uint8))?;
    array::evolve(vfs, &uri("array"), &changes)
}

pub(crate) fn remove_array(vfs: &Arc<Vfs>) -> Result<()> {
    object::remove_array(vfs, uri("array").as_str())
}

pub(crate) fn remove_object(vfs: &Arc<Vfs>) -> Result<()> {
    object::remove(vfs, uri("array").as_str())
}

pub(crate) fn move_array(vfs: &Arc<Vfs>) -> Result<()> {
    object::move_object(vfs, uri("array").as_str(), uri("new/array").as_str())
}

fn copy_array(vfs: &Arc<Vfs>) -> Result<()> {
    let (from, to) = (uri("array"), uri("new/array"));
    object::copy_array(vfs, from.as_str(), to.as_str(), &|_| true).map(drop)
}

pub(crate) fn create_group(vfs: &Arc<Vfs>) -> Result<()> {
    group::create(vfs, uri("group").as_str())
}

fn in_group(vfs: &Arc<Vfs>, name: &str, body: impl FnOnce(&Group) -> Result<()>) -> Result<()> {
    let group = Group::new(vfs, uri(name).as_str())?;
    group.open(QueryType::Write)?;
    body(&group)?;
    group.close()
}

/// Creates a group with an array in its folder, a group elsewhere that has an array, and metadata.
pub(crate) fn group(vfs: &Arc<Vfs>) -> Result<()> {
    create_group(vfs)?;
    create(vfs, "group/inside", &draft().finish()?)?;
    write(vfs, "group/inside", 1)?;
    group::create(vfs, uri("outside").as_str())?;
    create(vfs, "member", &draft().finish()?)?;
    in_group(vfs, "outside", |group| {
        let member = uri("member");
        group.add_member(
            MemberUri::Absolute(member.as_str()),
            Some("m"),
            Some(ObjectType::Array),
        )
    })?;
    in_group(vfs, "group", |group| {
        group.put_metadata(Some("other"), Datatype::Uint8, &[1])?;
        group.add_member(MemberUri::Relative("inside"), Some("i"), None)?;
        group.add_member(
            MemberUri::Absolute(uri("outside").as_str()),
            Some("o"),
            None,
        )
    })
}

pub(crate) fn add_member(vfs: &Arc<Vfs>) -> Result<()> {
    in_group(vfs, "group", |group| {
        group.add_member(
            MemberUri::Relative("new"),
            Some("n"),
            Some(ObjectType::Array),
        )
    })
}

pub(crate) fn remove_member(vfs: &Arc<Vfs>) -> Result<()> {
    in_group(vfs, "group", |group| group.remove_member("i"))
}

fn put_group_metadata(vfs: &Arc<Vfs>) -> Result<()> {
    in_group(vfs, "group", |group| {
        group.put_metadata(Some("key"), Datatype::Uint8, &[7])
    })
}

fn delete_group_with(vfs: &Arc<Vfs>, recursive: bool) -> Result<()> {
    let group = Group::new(vfs, uri("group").as_str())?;
    group.open(QueryType::ModifyExclusive)?;
    group.delete(uri("group").as_str(), recursive)
}

fn delete_group(vfs: &Arc<Vfs>) -> Result<()> {
    delete_group_with(vfs, false)
}

pub(crate) fn delete_group_and_members(vfs: &Arc<Vfs>) -> Result<()> {
    delete_group_with(vfs, true)
}

/// Creates a group of the array `member` that once had the array `former`.
fn group_with_former_member(vfs: &Arc<Vfs>) -> Result<()> {
    create_group(vfs)?;
    for name in ["former", "member"] {
        create(vfs, name, &draft().finish()?)?;
        write(vfs, name, 1)?;
        in_group(vfs, "group", |group| {
            group.add_member(
                MemberUri::Absolute(uri(name).as_str()),
                Some(name),
                Some(ObjectType::Array),
            )
        })?;
    }
    in_group(vfs, "group", |group| group.remove_member("former"))
}

/// Removes a group and its members, of which it had more.
pub(crate) const DELETE_WITHOUT_FORMER_MEMBER: Operation = removal(
    "delete a group that had another member",
    group_with_former_member,
    delete_group_and_members,
    (0, 0),
);

fn remove_group(vfs: &Arc<Vfs>) -> Result<()> {
    object::remove(vfs, uri("group").as_str())
}

pub(crate) fn create_store(vfs: &Arc<Vfs>) -> Result<()> {
    create(vfs, "store", &filestore::schema(vfs, None)?.finish()?)
}

/// Creates a file store with a file.
pub(crate) fn store(vfs: &Arc<Vfs>) -> Result<()> {
    create_store(vfs)?;
    for (name, size) in [("short", 100), ("long", 3000)] {
        vfs.publish_file(&uri(""), &uri(name), &vec![2; size])?;
    }
    filestore::import_bytes(vfs, &uri("store"), &[1; 1500], MimeType::Autodetect)
}

pub(crate) fn import_bytes(vfs: &Arc<Vfs>) -> Result<()> {
    filestore::import_bytes(vfs, &uri("store"), &[2; 1024], MimeType::Pdf)
}

fn import_short(vfs: &Arc<Vfs>) -> Result<()> {
    filestore::import_file(vfs, &uri("store"), &uri("short"), MimeType::Pdf)
}

fn import_long(vfs: &Arc<Vfs>) -> Result<()> {
    filestore::import_file(vfs, &uri("store"), &uri("long"), MimeType::Pdf)
}

const fn operation(
    name: &'static str,
    prepare: Action,
    act: Action,
    syncs: (u64, u64),
) -> Operation {
    Operation {
        name,
        kind: Kind::Atomic,
        prepare,
        act,
        syncs,
    }
}

const fn removal(name: &'static str, prepare: Action, act: Action, syncs: (u64, u64)) -> Operation {
    Operation {
        kind: Kind::Removal,
        ..operation(name, prepare, act, syncs)
    }
}

/// Every operation that changes an array, a group or a file store, with its rounds and syncs.
pub(crate) const OPERATIONS: [Operation; 28] = [
    operation("create an array", nothing, create_array, (2, 4)),
    operation(
        "create an array beside a file",
        file_in_the_root,
        create_array,
        (2, 4),
    ),
    operation(
        "create an array with an enumeration",
        nothing,
        create_enumerated,
        (2, 6),
    ),
    operation(
        "create an array with labels",
        nothing,
        create_labelled,
        (2, 12),
    ),
    operation("create a group", nothing, create_group, (1, 2)),
    operation("write cells", array, write_2, (2, 5)),
    operation("put metadata", array, put_metadata, (2, 2)),
    operation("evolve a schema", array, evolve, (2, 4)),
    operation("move an array", array, move_array, (2, 3)),
    operation(
        "move an array with an enumeration",
        enumerated_array,
        move_array,
        (2, 3),
    ),
    operation(
        "move an array that has evolved",
        evolved_array,
        move_array,
        (2, 3),
    ),
    operation(
        "copy an array that has evolved",
        evolved_array,
        copy_array,
        (3, 17),
    ),
    operation("copy an array", array, copy_array, (3, 14)),
    operation("add a member", group, add_member, (2, 2)),
    operation("remove a member", group, remove_member, (2, 2)),
    operation("put metadata of a group", group, put_group_metadata, (2, 2)),
    operation("import bytes", store, import_bytes, (4, 7)),
    operation("import a shorter file", store, import_short, (4, 7)),
    operation("import a longer file", store, import_long, (4, 7)),
    operation("import the first file", create_store, import_bytes, (4, 7)),
    removal("remove an array", array, remove_array, (2, 2)),
    removal(
        "remove an array beside a file",
        array_with_a_file,
        remove_array,
        (2, 2),
    ),
    removal(
        "remove an array with labels",
        labelled_array,
        remove_array,
        (2, 2),
    ),
    removal("remove an object", array_with_a_file, remove_object, (2, 2)),
    removal("remove a group with all in it", group, remove_group, (2, 2)),
    removal("delete a group", group, delete_group, (2, 2)),
    removal(
        "delete a group and its members",
        group,
        delete_group_and_members,
        (10, 11),
    ),
    removal(
        "remove an object with labels",
        labelled_array,
        remove_object,
        (2, 2),
    ),
];
