//! Operations of a server on arrays, groups and objects by URI.

use std::sync::Arc;

use super::call::Call;
use super::location::ObjectLocation;
use super::server::ServerLocation;
use crate::array::Array;
use crate::config::Config;
use crate::error::{ArrayEnumerationError, GroupError, RestError, Result};
use crate::group::Group;
use crate::inspect::FragmentInfo;
use crate::maintenance::ConsolidationPlan;
use crate::object::{self, ObjectVisit};
use crate::schema::{ArraySchema, Enumeration, SchemaEvolution};
use crate::serialization::{
    read_consolidation_plan_response, read_fragment_info, write_array_create,
    write_consolidation_plan_request, write_consolidation_request,
    write_delete_fragments_list_request, write_delete_fragments_request,
    write_fragment_info_request, write_group_create, write_schema, write_schema_evolution,
    write_vacuum_request,
};
use crate::types::{EncryptionKey, EncryptionType, ObjectType, QueryType, TimeRange, WalkOrder};
use crate::vfs::Uri;

impl ServerLocation {
    /// Sends a message about the fragments of an array.
    fn post(&self, uri: &Uri, action: &str, message: Vec<u8>) -> Result<()> {
        let call = self.server.call("POST", "v1/arrays", uri, action)?;
        self.server.fetch(&call.body(message)).map(drop)
    }
}

impl ObjectLocation for ServerLocation {
    fn create_array(&self, uri: &Uri, schema: &ArraySchema) -> Result<()> {
        let server = &self.server;
        let address = server.address_of(uri)?;
        let message = if server.is_legacy()? {
            write_schema(schema, None, server.encoding)?
        } else {
            if let Some(uri) = address.storage {
                return Err(RestError::OwnStorage { uri }.into());
            }
            write_array_create(schema, server.encoding)?
        };
        let call = server
            .call("POST", "v1/arrays", uri, "")?
            .uncached()
            .body(message);
        server.for_creation().fetch(&call).map(drop)
    }

    fn check_is_free(&self, _: &Uri) -> Result<()> {
        Ok(())
    }

    fn load_schema(&self, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>> {
        let schema = self.server.load_schema(uri)?;
        let names: Vec<&str> = schema
            .enumerations
            .iter()
            .map(|path| &path.name[..])
            .collect();
        self.server
            .load_enumerations_of(uri, config, schema.timestamps, &schema, &names)?;
        Ok(schema)
    }

    fn load_enumeration(
        &self,
        uri: &Uri,
        _: Option<&EncryptionKey>,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>> {
        let unknown = || {
            let name = name.to_owned();
            ArrayEnumerationError::Unknown { name }
        };
        let path = schema.enumeration(name).ok_or_else(unknown)?;
        if path.loaded().is_none() {
            let times = schema.timestamps;
            let found = self
                .server
                .load_enumerations(uri, times, &schema.name, &[name])?;
            for (_, enumerations) in &found {
                schema.keep_enumerations(enumerations)?;
            }
        }
        Ok(path.loaded().ok_or_else(unknown)?.clone())
    }

    fn open_array(&self, array: &Array, query_type: Option<QueryType>) -> Result<()> {
        array.open_on(self, query_type)
    }

    fn evolve(&self, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
        let message = write_schema_evolution(changes, self.server.encoding)?;
        self.post(uri, "/evolve", message)
    }

    fn encryption_type(&self, _: &Uri) -> Result<EncryptionType> {
        let action = "state the encryption type of an array";
        Err(RestError::Unsupported { action }.into())
    }

    fn remove_array(&self, uri: &str) -> Result<()> {
        let server = &self.server;
        let call = server.call("DELETE", "v1/arrays", &Uri::parse(uri)?, "")?;
        server.fetch(&call).map(drop)
    }

    fn delete_fragments(&self, uri: &Uri, timestamps: TimeRange, config: &Config) -> Result<()> {
        let message = write_delete_fragments_request(config, timestamps, self.server.encoding)?;
        self.post(uri, "/delete_fragments", message)
    }

    fn delete_named_fragments(&self, uri: &Uri, uris: &[&str], config: &Config) -> Result<()> {
        let names: Vec<String> = uris.iter().map(|uri| relative(uri)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let encoding = self.server.encoding;
        let message = write_delete_fragments_list_request(config, &names, encoding)?;
        self.post(uri, "/delete_fragments_list", message)
    }

    fn consolidate(&self, uri: &str, config: &Config) -> Result<()> {
        let message = write_consolidation_request(config, &[], self.server.encoding)?;
        self.post(&Uri::parse(uri)?, "/consolidate", message)
    }

    /// Servers of libtiledb ignore the names, so that no server is asked.
    fn consolidate_fragments(&self, _: &str, _: &[&str], _: &Config) -> Result<()> {
        let action = "consolidate given fragments";
        Err(RestError::Unsupported { action }.into())
    }

    fn vacuum(&self, uri: &str, config: &Config) -> Result<()> {
        let message = write_vacuum_request(config, self.server.encoding)?;
        self.post(&Uri::parse(uri)?, "/vacuum", message)
    }

    fn consolidation_plan(&self, array: &Array, fragment_size: u64) -> Result<ConsolidationPlan> {
        let server = &self.server;
        let config = array.config();
        let message = write_consolidation_plan_request(&config, fragment_size, server.encoding)?;
        let call = server.call("POST", "v1/arrays", array.uri(), "/consolidate/plan")?;
        let message = server.fetch_message(&call.body(message), "a consolidation plan")?;
        let nodes = read_consolidation_plan_response(&message, server.encoding)?;
        Ok(ConsolidationPlan::of_nodes(nodes))
    }

    /// Loads the R-trees, too, because they cannot be loaded later.
    fn load_fragment_info(&self, info: &FragmentInfo) -> Result<()> {
        let server = &self.server;
        let mut config = info.config();
        config.set("sm.fragment_info.preload_mbrs", "true")?;
        let message = write_fragment_info_request(&config, server.encoding)?;
        let call = server.call("POST", "v1/arrays", info.array(), "/fragment_info")?;
        let message = server.fetch_message(&call.body(message), "fragment information")?;
        read_fragment_info(&message, server.encoding, info.array(), info)
    }

    fn create_group(&self, uri: &str) -> Result<()> {
        let server = &self.server;
        let uri = Uri::parse(uri)?;
        if server.has_group(&uri)? {
            let uri = uri.to_string();
            return Err(GroupError::Exists { uri }.into());
        }
        let legacy = server.is_legacy()?;
        let address = server.address_of(&uri)?;
        let storage = address.storage.as_deref().unwrap_or_default();
        if !legacy && !storage.is_empty() {
            let uri = storage.to_owned();
            return Err(RestError::OwnStorage { uri }.into());
        }
        let message = write_group_create(server.config(), storage, server.encoding)?;
        let call = if legacy {
            let path = format!("/v2/groups/{}", address.encoded_namespace());
            Call::new("POST", path).set_object(&address)
        } else {
            server.call("POST", "v2/groups", &uri, "")?
        };
        server.for_creation().fetch(&call.body(message)).map(drop)
    }

    fn open_group(&self, group: &Group, query_type: QueryType) -> Result<()> {
        group.check_open_on_server(query_type)?;
        group.receive_served(self.server.load_group(group.uri(), query_type)?)
    }

    fn object_type(&self, uri: &Uri) -> Result<ObjectType> {
        self.server.object_type(uri)
    }

    /// The server lists the folders and states the types.
    fn list_objects(&self, path: &str, visit: &mut ObjectVisit<'_>) -> Result<()> {
        object::list_typed(
            &self.vfs.view(),
            &Uri::parse(path)?,
            &|_, uri| self.server.object_type(uri),
            visit,
        )
    }

    fn walk_objects(
        &self,
        path: &str,
        order: WalkOrder,
        visit: &mut ObjectVisit<'_>,
    ) -> Result<()> {
        object::walk_typed(
            &self.vfs.view(),
            Uri::parse(path)?,
            order,
            &|_, uri| self.server.object_type(uri),
            visit,
        )
    }

    fn remove_object(&self, path: &str) -> Result<()> {
        object::remove_typed(&self.vfs, path, &|_, uri| self.server.object_type(uri))
    }

    fn move_object(&self, from: &str, to: &str) -> Result<()> {
        object::move_typed(&self.vfs, from, to, &|_, uri| self.server.object_type(uri))
    }
}

/// Returns the URI of a fragment relative to its array: its last two parts.
fn relative(uri: &str) -> String {
    let mut parts = uri.trim_end_matches('/').rsplit('/');
    let name = parts.next().unwrap_or_default();
    match parts.next() {
        Some(folder) if folder.starts_with("__") => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}
