//! Operations on arrays, groups and objects by URI, for the C layer: on the server of the context
//! if the URI begins with `tiledb://` and this build has the client, otherwise in storage. URIs
//! that may be invalid are texts; the functions for storage return their errors.

use std::sync::Arc;

use crate::array::{self, Array, OpenRegistration};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::group::{self, Group};
use crate::inspect::FragmentInfo;
use crate::maintenance::{self, ConsolidationPlan};
use crate::object::{self, ObjectVisit};
use crate::schema::{ArraySchema, Enumeration, SchemaEvolution};
use crate::types::{EncryptionKey, EncryptionType, ObjectType, QueryType, TimeRange, WalkOrder};
use crate::vfs::{Uri, Vfs};

#[cfg(feature = "rest")]
use super::{arrays::ServerArray, server::Server};
#[cfg(feature = "rest")]
use crate::{
    error::RestError,
    serialization::{
        write_consolidation_request, write_delete_fragments_list_request,
        write_delete_fragments_request, write_schema_evolution, write_vacuum_request,
    },
    vfs::Scheme,
};

/// Returns the server of the context if it has the objects at `uri`.
#[cfg(feature = "rest")]
fn server_of(vfs: &Vfs, uri: &Uri) -> Result<Option<Arc<Server>>> {
    let is_on_server = uri.scheme() == Scheme::TileDb;
    is_on_server.then(|| Server::new(&vfs.context)).transpose()
}

/// Returns the server as [`server_of`] does, and the URI. An invalid URI has none.
#[cfg(feature = "rest")]
fn server_of_text(vfs: &Vfs, uri: &str) -> Result<Option<(Arc<Server>, Uri)>> {
    match Uri::parse(uri) {
        Ok(uri) => Ok(server_of(vfs, &uri)?.map(|server| (server, uri))),
        Err(_) => Ok(None),
    }
}

/// Returns whether the server of the configuration has namespaces instead of workspaces.
pub fn is_legacy_server(context: &Arc<Context>) -> Result<bool> {
    #[cfg(feature = "rest")]
    return Server::new(context)?.is_legacy();
    #[cfg(not(feature = "rest"))]
    {
        let _ = context;
        Err(crate::error::VfsError::NoRest.into())
    }
}

/// Registers an operation on a stored array as an open of it. A URI that is not valid is an error
/// of the operation.
fn register(uri: &str, query_type: QueryType) -> Result<Option<OpenRegistration>> {
    let uri = Uri::parse(uri).ok();
    uri.map(|uri| OpenRegistration::new(&uri, query_type))
        .transpose()
}

/// Creates an array, as [`array::create`] does.
pub fn create_array(vfs: &Arc<Vfs>, uri: &Uri, schema: &ArraySchema) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        return server.create_array(uri, schema);
    }
    array::create(vfs, uri, schema, None)
}

/// Returns an error if an array or a group exists at `uri`. Servers check that when it is created.
pub fn check_is_free(vfs: &Arc<Vfs>, uri: &Uri) -> Result<()> {
    #[cfg(feature = "rest")]
    if server_of(vfs, uri)?.is_some() {
        return Ok(());
    }
    array::check_is_free(&vfs.view(), uri)
}

/// Returns the latest schema of an array, as [`array::load_schema`] does with the key of the
/// context. `config` determines what else is requested from a server.
#[cfg_attr(
    not(feature = "rest"),
    expect(unused_variables, reason = "only the client uses the configuration")
)]
pub fn load_schema(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        let schema = server.load_schema(uri)?;
        let paths = schema.enumerations.iter();
        let names: Vec<&str> = paths.map(|path| &path.name[..]).collect();
        server.load_enumerations_of(uri, config, schema.timestamps, &schema, &names)?;
        return Ok(schema);
    }
    array::load_schema(vfs, uri, &vfs.context.config)
}

/// Returns an enumeration of a loaded schema, as [`array::load_enumeration`] does.
pub fn load_enumeration(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    key: Option<&EncryptionKey>,
    schema: &ArraySchema,
    name: &str,
) -> Result<Arc<Enumeration>> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        return server.load_enumeration(uri, schema, name);
    }
    array::load_enumeration(vfs, uri, key, schema, name)
}

/// Opens an array, as [`Array::open_registered`] does.
pub fn open_array(array: &Array, query_type: Option<QueryType>) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(&array.vfs, &array.uri)? {
        let vfs = array.vfs.clone();
        return array.open_on(&ServerArray { server, vfs }, query_type);
    }
    array.open_registered(query_type)
}

/// Changes the schema of an array, as [`array::evolve`] does.
pub fn evolve(vfs: &Arc<Vfs>, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        let message = write_schema_evolution(changes, server.encoding)?;
        return server.post(uri, "/evolve", message);
    }
    array::evolve(vfs, uri, changes)
}

/// Returns the encryption type of an array, as [`array::encryption_type`] does.
pub fn encryption_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<EncryptionType> {
    #[cfg(feature = "rest")]
    if server_of(vfs, uri)?.is_some() {
        let action = "state the encryption type of an array";
        return Err(RestError::Unsupported { action }.into());
    }
    array::encryption_type(vfs, uri)
}

/// Removes an array, as [`object::remove_array`] does.
pub fn remove_array(vfs: &Arc<Vfs>, uri: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, uri)) = server_of_text(vfs, uri)? {
        let call = server.call("DELETE", "v1/arrays", &uri, "")?;
        return server.fetch(&call).map(drop);
    }
    let _exclusive = register(uri, QueryType::ModifyExclusive)?;
    object::remove_array(vfs, uri)
}

/// Removes the fragments of a time range, as [`maintenance::delete_fragments`] does.
pub fn delete_fragments(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    timestamps: TimeRange,
    config: &Config,
) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        let message = write_delete_fragments_request(config, timestamps, server.encoding)?;
        return server.post(uri, "/delete_fragments", message);
    }
    let _exclusive = OpenRegistration::new(uri, QueryType::ModifyExclusive)?;
    maintenance::delete_fragments(vfs, uri, timestamps, config)
}

/// Removes fragments by name, as [`maintenance::delete_named_fragments`] does.
pub fn delete_named_fragments(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    uris: &[&str],
    config: &Config,
) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        let names: Vec<String> = uris.iter().map(|uri| relative(uri)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = write_delete_fragments_list_request(config, &names, server.encoding)?;
        return server.post(uri, "/delete_fragments_list", message);
    }
    let _exclusive = OpenRegistration::new(uri, QueryType::ModifyExclusive)?;
    maintenance::delete_named_fragments(vfs, uri, uris, config)
}

/// Returns the URI of a fragment relative to its array: its last two parts.
#[cfg(feature = "rest")]
fn relative(uri: &str) -> String {
    let mut parts = uri.trim_end_matches('/').rsplit('/');
    let name = parts.next().unwrap_or_default();
    match parts.next() {
        Some(folder) if folder.starts_with("__") => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}

/// Consolidates an array or group, as [`maintenance::consolidate`] does.
pub fn consolidate(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, uri)) = server_of_text(vfs, uri)? {
        let message = write_consolidation_request(config, &[], server.encoding)?;
        return server.post(&uri, "/consolidate", message);
    }
    let _open = register(uri, QueryType::Read)?;
    maintenance::consolidate(vfs, uri, config)
}

/// Merges fragments, as [`maintenance::consolidate_fragments`] does. For an array on a server it is
/// an error, because servers of libtiledb ignore the names.
pub fn consolidate_fragments(
    vfs: &Arc<Vfs>,
    uri: &str,
    names: &[&str],
    config: &Config,
) -> Result<()> {
    #[cfg(feature = "rest")]
    if server_of_text(vfs, uri)?.is_some() {
        let action = "consolidate given fragments";
        return Err(RestError::Unsupported { action }.into());
    }
    let _open = register(uri, QueryType::Read)?;
    maintenance::consolidate_fragments(vfs, uri, names, config)
}

/// Vacuums an array or group, as [`maintenance::vacuum`] does.
pub fn vacuum(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, uri)) = server_of_text(vfs, uri)? {
        let message = write_vacuum_request(config, server.encoding)?;
        return server.post(&uri, "/vacuum", message);
    }
    maintenance::vacuum(vfs, uri, config)
}

/// Returns a consolidation plan of an open array, as [`ConsolidationPlan::new`] does.
pub fn consolidation_plan(array: &Array, fragment_size: u64) -> Result<ConsolidationPlan> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(&array.vfs, &array.uri)? {
        return server.consolidation_plan(array, fragment_size);
    }
    ConsolidationPlan::new(array, fragment_size)
}

/// Loads information about fragments, as [`FragmentInfo::load`] does.
pub fn load_fragment_info(info: &FragmentInfo) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(&info.vfs, &info.array)? {
        return server.load_fragment_info(info);
    }
    info.load()
}

/// Creates a group, as [`group::create`] does.
pub fn create_group(vfs: &Arc<Vfs>, uri: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, uri)) = server_of_text(vfs, uri)? {
        return server.create_group(&uri);
    }
    group::create(vfs, uri)
}

/// Opens a group, as [`Group::open`] does.
pub fn open_group(group: &Group, query_type: QueryType) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(&group.vfs, &group.uri)? {
        group.check_open_on_server(query_type)?;
        return group.receive_served(server.load_group(&group.uri, query_type)?);
    }
    group.open(query_type)
}

/// Returns the type of an object, as [`object::accessible_object_type`] does.
pub fn object_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<ObjectType> {
    #[cfg(feature = "rest")]
    if let Some(server) = server_of(vfs, uri)? {
        return server.object_type(uri);
    }
    object::accessible_object_type(&vfs.view(), uri)
}

/// Visits the objects directly in a folder, as [`object::list`] does. A server lists the folders
/// and states the types.
pub fn list_objects(vfs: &Arc<Vfs>, path: &str, visit: &mut ObjectVisit<'_>) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, folder)) = server_of_text(vfs, path)? {
        let type_of = |_: &_, uri: &Uri| server.object_type(uri);
        return object::list_typed(&vfs.view(), &folder, &type_of, visit);
    }
    object::list(vfs, path, visit)
}

/// Visits the objects below a folder, as [`object::walk`] does.
pub fn walk_objects(
    vfs: &Arc<Vfs>,
    path: &str,
    order: WalkOrder,
    visit: &mut ObjectVisit<'_>,
) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, root)) = server_of_text(vfs, path)? {
        let type_of = |_: &_, uri: &Uri| server.object_type(uri);
        return object::walk_typed(&vfs.view(), root, order, &type_of, visit);
    }
    object::walk(vfs, path, order, visit)
}

/// Removes an object, as [`object::remove`] does.
pub fn remove_object(vfs: &Arc<Vfs>, path: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, _)) = server_of_text(vfs, path)? {
        return object::remove_typed(vfs, path, &|_, uri| server.object_type(uri));
    }
    object::remove(vfs, path)
}

/// Moves an object, as [`object::move_object`] does.
pub fn move_object(vfs: &Arc<Vfs>, from: &str, to: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some((server, _)) = server_of_text(vfs, from)? {
        return object::move_typed(vfs, from, to, &|_, uri| server.object_type(uri));
    }
    object::move_object(vfs, from, to)
}
