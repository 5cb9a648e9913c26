//! Operations on arrays, groups and objects by URI, in storage or on a server.

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
#[cfg(feature = "rest")]
use crate::vfs::Scheme;
use crate::vfs::{Uri, Vfs};

#[cfg(feature = "rest")]
use super::server::{Server, ServerLocation};

/// The location of arrays, groups and objects, and its operations by URI. URIs that may be
/// invalid are texts, as in the functions for storage.
pub trait ObjectLocation {
    /// Creates an array, as [`array::create`] does.
    fn create_array(&self, uri: &Uri, schema: &ArraySchema) -> Result<()>;

    /// Returns an error if an array exists at `uri`. Servers check that when it is created.
    fn check_is_free(&self, uri: &Uri) -> Result<()>;

    /// Returns the latest schema of an array, as [`array::load_schema`] does with the key of the
    /// context. `config` determines what else is requested from a server.
    fn load_schema(&self, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>>;

    /// Returns an enumeration of a loaded schema, as [`array::load_enumeration`] does.
    fn load_enumeration(
        &self,
        uri: &Uri,
        key: Option<&EncryptionKey>,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>>;

    /// Opens an array, as [`Array::open_registered`] does.
    fn open_array(&self, array: &Array, query_type: Option<QueryType>) -> Result<()>;

    /// Changes the schema of an array, as [`array::evolve`] does.
    fn evolve(&self, uri: &Uri, changes: &SchemaEvolution) -> Result<()>;

    /// Returns the encryption type of an array, as [`array::encryption_type`] does.
    fn encryption_type(&self, uri: &Uri) -> Result<EncryptionType>;

    /// Removes an array, as [`object::remove_array`] does.
    fn remove_array(&self, uri: &str) -> Result<()>;

    /// Removes the fragments of a time range, as [`maintenance::delete_fragments`] does.
    fn delete_fragments(&self, uri: &Uri, timestamps: TimeRange, config: &Config) -> Result<()>;

    /// Removes fragments by name, as [`maintenance::delete_named_fragments`] does.
    fn delete_named_fragments(&self, uri: &Uri, uris: &[&str], config: &Config) -> Result<()>;

    /// Consolidates an array or group, as [`maintenance::consolidate`] does.
    fn consolidate(&self, uri: &str, config: &Config) -> Result<()>;

    /// Merges fragments, as [`maintenance::consolidate_fragments`] does.
    fn consolidate_fragments(&self, uri: &str, names: &[&str], config: &Config) -> Result<()>;

    /// Vacuums an array or group, as [`maintenance::vacuum`] does.
    fn vacuum(&self, uri: &str, config: &Config) -> Result<()>;

    /// Returns a consolidation plan of an open array, as [`ConsolidationPlan::new`] does.
    fn consolidation_plan(&self, array: &Array, fragment_size: u64) -> Result<ConsolidationPlan>;

    /// Loads information about fragments, as [`FragmentInfo::load`] does.
    fn load_fragment_info(&self, info: &FragmentInfo) -> Result<()>;

    /// Creates a group, as [`group::create`] does.
    fn create_group(&self, uri: &str) -> Result<()>;

    /// Opens a group, as [`Group::open`] does.
    fn open_group(&self, group: &Group, query_type: QueryType) -> Result<()>;

    /// Returns the type of an object, as [`object::accessible_object_type`] does.
    fn object_type(&self, uri: &Uri) -> Result<ObjectType>;

    /// Visits the objects directly in a folder, as [`object::list`] does.
    fn list_objects(&self, path: &str, visit: &mut ObjectVisit<'_>) -> Result<()>;

    /// Visits the objects below a folder, as [`object::walk`] does.
    fn walk_objects(&self, path: &str, order: WalkOrder, visit: &mut ObjectVisit<'_>)
    -> Result<()>;

    /// Removes an object, as [`object::remove`] does.
    fn remove_object(&self, path: &str) -> Result<()>;

    /// Moves an object, as [`object::move_object`] does.
    fn move_object(&self, from: &str, to: &str) -> Result<()>;
}

/// Returns the location of an object: the server of the context if the URI begins with `tiledb://`
/// and this build has the client; otherwise storage.
pub fn location_of(vfs: &Arc<Vfs>, uri: &Uri) -> Result<Box<dyn ObjectLocation>> {
    #[cfg(feature = "rest")]
    if uri.scheme() == Scheme::TileDb {
        return Ok(Box::new(ServerLocation {
            server: Server::new(vfs.context())?,
            vfs: vfs.clone(),
        }));
    }
    #[cfg(not(feature = "rest"))]
    let _ = uri;
    Ok(Box::new(Storage { vfs: vfs.clone() }))
}

/// Returns the location of an object as [`location_of`] does. An invalid URI is in storage, whose
/// functions return the error.
pub fn location_of_text(vfs: &Arc<Vfs>, uri: &str) -> Result<Box<dyn ObjectLocation>> {
    match Uri::parse(uri) {
        Ok(uri) => location_of(vfs, &uri),
        Err(_) => Ok(Box::new(Storage { vfs: vfs.clone() })),
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

/// Local disks, memory and object stores.
struct Storage {
    vfs: Arc<Vfs>,
}

/// Registers an operation on a stored array as an open of it. A URI that is not valid is an error
/// of the operation.
fn register(uri: &str, query_type: QueryType) -> Result<Option<OpenRegistration>> {
    let uri = Uri::parse(uri).ok();
    uri.map(|uri| OpenRegistration::new(&uri, query_type))
        .transpose()
}

impl ObjectLocation for Storage {
    fn create_array(&self, uri: &Uri, schema: &ArraySchema) -> Result<()> {
        array::create(&self.vfs, uri, schema, None)
    }

    fn check_is_free(&self, uri: &Uri) -> Result<()> {
        array::check_is_free(&self.vfs.view(), uri)
    }

    fn load_schema(&self, uri: &Uri, _: &Config) -> Result<Arc<ArraySchema>> {
        array::load_schema(&self.vfs, uri, self.vfs.context().config())
    }

    fn load_enumeration(
        &self,
        uri: &Uri,
        key: Option<&EncryptionKey>,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>> {
        array::load_enumeration(&self.vfs, uri, key, schema, name)
    }

    fn open_array(&self, array: &Array, query_type: Option<QueryType>) -> Result<()> {
        array.open_registered(query_type)
    }

    fn evolve(&self, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
        array::evolve(&self.vfs, uri, changes)
    }

    fn encryption_type(&self, uri: &Uri) -> Result<EncryptionType> {
        array::encryption_type(&self.vfs, uri)
    }

    fn remove_array(&self, uri: &str) -> Result<()> {
        let _exclusive = register(uri, QueryType::ModifyExclusive)?;
        object::remove_array(&self.vfs, uri)
    }

    fn delete_fragments(&self, uri: &Uri, timestamps: TimeRange, config: &Config) -> Result<()> {
        let _exclusive = OpenRegistration::new(uri, QueryType::ModifyExclusive)?;
        maintenance::delete_fragments(&self.vfs, uri, timestamps, config)
    }

    fn delete_named_fragments(&self, uri: &Uri, uris: &[&str], config: &Config) -> Result<()> {
        let _exclusive = OpenRegistration::new(uri, QueryType::ModifyExclusive)?;
        maintenance::delete_named_fragments(&self.vfs, uri, uris, config)
    }

    fn consolidate(&self, uri: &str, config: &Config) -> Result<()> {
        let _open = register(uri, QueryType::Read)?;
        maintenance::consolidate(&self.vfs, uri, config)
    }

    fn consolidate_fragments(&self, uri: &str, names: &[&str], config: &Config) -> Result<()> {
        let _open = register(uri, QueryType::Read)?;
        maintenance::consolidate_fragments(&self.vfs, uri, names, config)
    }

    fn vacuum(&self, uri: &str, config: &Config) -> Result<()> {
        maintenance::vacuum(&self.vfs, uri, config)
    }

    fn consolidation_plan(&self, array: &Array, fragment_size: u64) -> Result<ConsolidationPlan> {
        ConsolidationPlan::new(array, fragment_size)
    }

    fn load_fragment_info(&self, info: &FragmentInfo) -> Result<()> {
        info.load()
    }

    fn create_group(&self, uri: &str) -> Result<()> {
        group::create(&self.vfs, uri)
    }

    fn open_group(&self, group: &Group, query_type: QueryType) -> Result<()> {
        group.open(query_type)
    }

    fn object_type(&self, uri: &Uri) -> Result<ObjectType> {
        object::accessible_object_type(&self.vfs.view(), uri)
    }

    fn list_objects(&self, path: &str, visit: &mut ObjectVisit<'_>) -> Result<()> {
        object::list(&self.vfs, path, visit)
    }

    fn walk_objects(
        &self,
        path: &str,
        order: WalkOrder,
        visit: &mut ObjectVisit<'_>,
    ) -> Result<()> {
        object::walk(&self.vfs, path, order, visit)
    }

    fn remove_object(&self, path: &str) -> Result<()> {
        object::remove(&self.vfs, path)
    }

    fn move_object(&self, from: &str, to: &str) -> Result<()> {
        object::move_object(&self.vfs, from, to)
    }
}
