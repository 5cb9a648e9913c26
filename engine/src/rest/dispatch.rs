//! Operations on arrays, groups and objects, wherever they are.

use std::sync::Arc;

use crate::array::{self, Array, OpenRegistration};
use crate::config::Config;
use crate::context::Context;
use crate::error::{RestError, Result};
use crate::group::{self, Group};
use crate::inspect::FragmentInfo;
use crate::maintenance::{self, ConsolidationPlan};
use crate::object;
use crate::schema::{ArraySchema, Enumeration, SchemaEvolution};
use crate::types::{EncryptionKey, EncryptionType, ObjectType, QueryType, TimeRange, WalkOrder};
use crate::vfs::{Next, Scheme, Uri, Vfs};

#[cfg(feature = "rest")]
use super::{arrays::ArrayServer, server::Server};

/// Returns whether a server has the files of `uri` and this build has a client.
fn is_served(uri: &Uri) -> bool {
    cfg!(feature = "rest") && uri.scheme() == Scheme::TileDb
}

/// Returns an error for an operation that servers do not have.
fn unsupported(action: &'static str) -> RestError {
    RestError::Unsupported { action }
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

/// Creates an array, as [`array::create`] does.
pub fn create_array(vfs: &Arc<Vfs>, uri: &Uri, schema: &ArraySchema) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(vfs, uri)? {
        return server.create_array(uri, schema);
    }
    array::create(vfs, uri, schema, None)
}

/// Returns an error if an array in storage exists at `uri`. Servers check that when it is created.
pub fn check_is_free(vfs: &Arc<Vfs>, uri: &Uri) -> Result<()> {
    if is_served(uri) {
        return Ok(());
    }
    array::check_is_free(vfs, uri)
}

/// Returns the latest schema of an array, as [`array::load_schema`] does with the key of the
/// context. `config` determines what else is requested from a server.
#[cfg_attr(
    not(feature = "rest"),
    expect(unused_variables, reason = "there are no servers")
)]
pub fn load_schema(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(vfs, uri)? {
        let schema = server.load_schema(uri)?;
        if config.flag("rest.load_enumerations_on_array_open")? && !schema.enumerations.is_empty() {
            let names = schema.enumerations.iter();
            let names: Vec<&str> = names.map(|path| &path.name[..]).collect();
            let times = schema.timestamps;
            let found = server.load_enumerations(uri, times, &schema.name, &names)?;
            for of_latest in found.iter().filter(|found| found.schema == schema.name) {
                schema.keep_enumerations(&of_latest.enumerations)?;
            }
        }
        return Ok(schema);
    }
    array::load_schema(vfs, uri, vfs.context().config())
}

/// Returns an enumeration of a loaded schema, as [`array::load_enumeration`] does.
pub fn load_enumeration(
    vfs: &Vfs,
    uri: &Uri,
    key: Option<&EncryptionKey>,
    schema: &ArraySchema,
    name: &str,
) -> Result<Arc<Enumeration>> {
    #[cfg(feature = "rest")]
    if let Some(path) = schema.enumeration(name)
        && path.loaded().is_none()
        && let Some(server) = Server::of(vfs, uri)?
    {
        let times = schema.timestamps;
        let found = server.load_enumerations(uri, times, &schema.name, &[name])?;
        for found in &found {
            schema.keep_enumerations(&found.enumerations)?;
        }
        if let Some(loaded) = path.loaded() {
            return Ok(loaded.clone());
        }
        let name = name.to_owned();
        return Err(crate::error::ArrayEnumerationError::Unknown { name }.into());
    }
    array::load_enumeration(vfs, uri, key, schema, name)
}

/// Opens an array, as [`Array::open_registered`] does.
pub fn open_array(array: &Array, query_type: Option<QueryType>) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(array.vfs(), array.uri())? {
        let vfs = array.vfs().clone();
        return array.open_on(&ArrayServer { server, vfs }, query_type);
    }
    array.open_registered(query_type)
}

/// Changes the schema of an array, as [`array::evolve`] does.
pub fn evolve(vfs: &Arc<Vfs>, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(vfs, uri)? {
        return server.evolve(uri, changes);
    }
    array::evolve(vfs, uri, changes)
}

/// Rewrites the schema of an array in the newest version, as [`array::upgrade_version`] does: on a
/// server through its files.
pub fn upgrade_version(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<()> {
    array::upgrade_version(vfs, uri, config)
}

/// Returns the encryption type of an array, as [`array::encryption_type`] does.
pub fn encryption_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<EncryptionType> {
    if is_served(uri) {
        return Err(unsupported("state the encryption type of an array").into());
    }
    array::encryption_type(vfs, uri)
}

/// Removes an array, as [`object::remove_array`] does.
pub fn remove_array(vfs: &Arc<Vfs>, uri: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Ok(parsed) = Uri::parse(uri)
        && let Some(server) = Server::of(vfs, &parsed)?
    {
        return server.delete_array(&parsed);
    }
    let _exclusive = register(uri, QueryType::ModifyExclusive)?;
    object::remove_array(vfs, uri)
}

/// Registers an operation on a stored array as an open of it. A URI that is not valid is an error
/// of the operation.
fn register(uri: &str, query_type: QueryType) -> Result<Option<OpenRegistration>> {
    let uri = Uri::parse(uri).ok();
    uri.map(|uri| OpenRegistration::new(&uri, query_type))
        .transpose()
}

/// Returns the type of an object, as [`object::accessible_object_type`] does.
pub fn object_type(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(vfs, uri)? {
        return server.object_type(uri);
    }
    object::accessible_object_type(vfs, uri)
}

/// Visits the objects directly in a folder, as [`object::list`] does. A server lists the folders
/// and states the types.
pub fn list_objects(
    vfs: &Arc<Vfs>,
    path: &str,
    visit: &mut dyn FnMut(&Uri, ObjectType) -> Result<Next>,
) -> Result<()> {
    match served(path) {
        Some(folder) => object::list_typed(vfs, &folder, &object_type, visit),
        None => object::list(vfs, path, visit),
    }
}

/// Visits the objects below a folder, as [`object::walk`] does.
pub fn walk_objects(
    vfs: &Arc<Vfs>,
    path: &str,
    order: WalkOrder,
    visit: &mut dyn FnMut(&Uri, ObjectType) -> Result<Next>,
) -> Result<()> {
    match served(path) {
        Some(root) => object::walk_typed(vfs, root, order, &object_type, visit),
        None => object::walk(vfs, path, order, visit),
    }
}

/// Removes an object, as [`object::remove`] does.
pub fn remove_object(vfs: &Vfs, path: &str) -> Result<()> {
    match served(path) {
        Some(_) => object::remove_typed(vfs, path, &object_type),
        None => object::remove(vfs, path),
    }
}

/// Moves an object, as [`object::move_object`] does.
pub fn move_object(vfs: &Vfs, from: &str, to: &str) -> Result<()> {
    match served(from) {
        Some(_) => object::move_typed(vfs, from, to, &object_type),
        None => object::move_object(vfs, from, to),
    }
}

/// Returns the URI of an object of a server.
fn served(path: &str) -> Option<Uri> {
    Uri::parse(path).ok().filter(is_served)
}

/// Removes the fragments of a time range, as [`maintenance::delete_fragments`] does.
pub fn delete_fragments(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    timestamps: TimeRange,
    config: &Config,
) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(vfs, uri)? {
        return server.delete_fragments(uri, timestamps, config);
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
    if let Some(server) = Server::of(vfs, uri)? {
        return server.delete_named_fragments(uri, uris, config);
    }
    let _exclusive = OpenRegistration::new(uri, QueryType::ModifyExclusive)?;
    maintenance::delete_named_fragments(vfs, uri, uris, config)
}

/// Consolidates an array or group, as [`maintenance::consolidate`] does.
pub fn consolidate(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Ok(parsed) = Uri::parse(uri)
        && let Some(server) = Server::of(vfs, &parsed)?
    {
        return server.consolidate(&parsed, &[], config);
    }
    let _open = register(uri, QueryType::Read)?;
    maintenance::consolidate(vfs, uri, config)
}

/// Merges fragments, as [`maintenance::consolidate_fragments`] does. Servers of libtiledb ignore
/// the names, so that no server is asked.
pub fn consolidate_fragments(
    vfs: &Arc<Vfs>,
    uri: &str,
    names: &[&str],
    config: &Config,
) -> Result<()> {
    if Uri::parse(uri).is_ok_and(|uri| is_served(&uri)) {
        return Err(unsupported("consolidate given fragments").into());
    }
    let _open = register(uri, QueryType::Read)?;
    maintenance::consolidate_fragments(vfs, uri, names, config)
}

/// Vacuums an array or group, as [`maintenance::vacuum`] does.
pub fn vacuum(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Ok(parsed) = Uri::parse(uri)
        && let Some(server) = Server::of(vfs, &parsed)?
    {
        return server.vacuum(&parsed, config);
    }
    maintenance::vacuum(vfs, uri, config)
}

/// Returns a consolidation plan of an open array, as [`ConsolidationPlan::new`] does.
pub fn consolidation_plan(array: &Array, fragment_size: u64) -> Result<ConsolidationPlan> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(array.vfs(), array.uri())? {
        return server.consolidation_plan(array, fragment_size);
    }
    ConsolidationPlan::new(array, fragment_size)
}

/// Loads information about fragments, as [`FragmentInfo::load`] does.
pub fn load_fragment_info(info: &FragmentInfo) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(info.vfs(), info.array())? {
        return server.load_fragment_info(info);
    }
    info.load()
}

/// Creates a group, as [`group::create`] does.
pub fn create_group(vfs: &Vfs, uri: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Ok(parsed) = Uri::parse(uri)
        && let Some(server) = Server::of(vfs, &parsed)?
    {
        return server.create_group(&parsed);
    }
    group::create(vfs, uri)
}

/// Opens a group, as [`Group::open`] does.
pub fn open_group(group: &Group, query_type: QueryType) -> Result<()> {
    #[cfg(feature = "rest")]
    if let Some(server) = Server::of(group.vfs(), group.uri())? {
        group.check_open_on_server(query_type)?;
        return group.receive_served(server.open_group(group.vfs(), group.uri(), query_type)?);
    }
    group.open(query_type)
}
