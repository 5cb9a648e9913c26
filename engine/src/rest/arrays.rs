//! Requests about arrays.

use std::sync::Arc;

use super::server::Server;
use crate::array::{
    Array, ArrayMessage, ArrayServer, MetadataNames, ObjectServer, OwnedMetadataEntry,
};
use crate::config::Config;
use crate::error::{ArrayEnumerationError, RestError, Result};
use crate::inspect::FragmentInfo;
use crate::maintenance::ConsolidationPlan;
use crate::schema::{ArraySchema, Enumeration};
use crate::serialization::{
    read_consolidation_plan_response, read_fragment_info, read_load_enumerations_response,
    read_metadata, read_non_empty_domains, read_schema, read_served_array, write_array_create,
    write_array_open, write_consolidation_plan_request, write_fragment_info_request,
    write_load_enumerations_request, write_metadata, write_schema,
};
use crate::types::{NdRange, QueryType, TimeRange};
use crate::vfs::{Uri, Vfs};

/// The header with the name of the credentials for new objects.
const CREDENTIALS: (&str, &str) = (
    "rest.creation_access_credentials_name",
    "x-tiledb-cloud-access-credentials-name",
);

/// The server of an open array, and the storage of the context, from which files are read if the
/// array is on both.
#[derive(Clone, Debug)]
pub(super) struct ServerArray {
    pub(super) server: Arc<Server>,
    pub(super) vfs: Arc<Vfs>,
}

impl Server {
    /// Creates an array.
    pub(super) fn create_array(&self, uri: &Uri, schema: &ArraySchema) -> Result<()> {
        let address = self.address_of(uri)?;
        let message = if self.is_legacy()? {
            write_schema(schema, None, self.encoding)?
        } else {
            if let Some(uri) = address.storage {
                return Err(RestError::OwnStorage { uri }.into());
            }
            write_array_create(schema, self.encoding)?
        };
        let call = self
            .call("POST", "v1/arrays", uri, "")?
            .uncached()
            .body(message);
        self.for_creation().fetch(&call).map(drop)
    }

    /// Sends a message about the fragments or the schema of an array.
    pub(super) fn post(&self, uri: &Uri, action: &str, message: Vec<u8>) -> Result<()> {
        let call = self.call("POST", "v1/arrays", uri, action)?;
        self.fetch(&call.body(message)).map(drop)
    }

    /// Returns a consolidation plan of an open array.
    pub(super) fn consolidation_plan(
        &self,
        array: &Array,
        fragment_size: u64,
    ) -> Result<ConsolidationPlan> {
        let request =
            write_consolidation_plan_request(&array.config(), fragment_size, self.encoding)?;
        let call = self.call("POST", "v1/arrays", &array.uri, "/consolidate/plan")?;
        let message = self.fetch_message(&call.body(request), "a consolidation plan")?;
        let nodes = read_consolidation_plan_response(&message, self.encoding)?;
        Ok(ConsolidationPlan { nodes })
    }

    /// Loads information about fragments, with the R-trees, because they cannot be loaded later.
    pub(super) fn load_fragment_info(&self, info: &FragmentInfo) -> Result<()> {
        let mut config = info.config();
        config.set("sm.fragment_info.preload_mbrs", "true")?;
        let request = write_fragment_info_request(&config, self.encoding)?;
        let call = self.call("POST", "v1/arrays", &info.array, "/fragment_info")?;
        let message = self.fetch_message(&call.body(request), "fragment information")?;
        read_fragment_info(&message, self.encoding, &info.array, info)
    }

    /// Returns whether an array exists.
    pub(super) fn has_array(&self, uri: &Uri) -> Result<bool> {
        let call = self.call("GET", "v1/arrays", uri, "")?;
        Ok(self.find(&call)?.is_some())
    }

    /// Returns the latest schema of an array.
    pub(super) fn load_schema(&self, uri: &Uri) -> Result<Arc<ArraySchema>> {
        let call = self.call("GET", "v1/arrays", uri, "")?;
        let message = self.fetch_message(&call, "a schema")?;
        Ok(Arc::new(read_schema(&message, self.encoding)?.0))
    }

    /// Returns the server with the header for the creation of objects.
    pub(super) fn for_creation(&self) -> Server {
        let mut headers = self.headers.clone();
        let (parameter, header) = CREDENTIALS;
        if let Some(name) = self.config().get(parameter) {
            headers.push((header.to_owned(), name));
        }
        Server {
            headers,
            ..self.clone()
        }
    }

    /// Returns enumerations of an array, as [`ArrayServer::enumerations`] does.
    pub(super) fn load_enumerations(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        latest: &str,
        names: &[&str],
    ) -> Result<Vec<(String, Vec<Arc<Enumeration>>)>> {
        let config = self.config();
        let call = self.call("POST", "v1/arrays", uri, "/enumerations")?;
        let request = write_load_enumerations_request(config, names, self.encoding)?;
        let call = call.times(timestamps).body(request);
        let message = self.fetch_message(&call, "enumerations")?;
        read_load_enumerations_response(&message, latest, self.encoding, config)
    }

    /// Returns an enumeration of a schema of the array, and keeps it with the schema.
    pub(super) fn load_enumeration(
        &self,
        uri: &Uri,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>> {
        let unknown = || {
            let name = name.to_owned();
            ArrayEnumerationError::Unknown { name }
        };
        let path = schema.enumeration(name).ok_or_else(unknown)?;
        if path.loaded().is_none() {
            let found = self.load_enumerations(uri, schema.timestamps, &schema.name, &[name])?;
            for (_, enumerations) in &found {
                schema.keep_enumerations(enumerations)?;
            }
        }
        Ok(path.loaded().ok_or_else(unknown)?.clone())
    }

    /// Loads the enumerations of a schema with these names, or all of them without names, if
    /// `config` requires that for the open of an array.
    pub(super) fn load_enumerations_of(
        &self,
        uri: &Uri,
        config: &Config,
        timestamps: TimeRange,
        schema: &ArraySchema,
        names: &[&str],
    ) -> Result<()> {
        if !config.flag("rest.load_enumerations_on_array_open")? || schema.enumerations.is_empty() {
            return Ok(());
        }
        let loaded = self.load_enumerations(uri, timestamps, &schema.name, names)?;
        for (_, enumerations) in loaded.iter().filter(|(name, _)| *name == schema.name) {
            schema.keep_enumerations(enumerations)?;
        }
        Ok(())
    }
}

impl ServerArray {
    /// Returns an array as servers of the first protocol describe it: by its schema only.
    fn open_by_schema(
        &self,
        uri: &Uri,
        config: &Config,
        query_type: QueryType,
        timestamps: TimeRange,
    ) -> Result<ArrayMessage> {
        let schema = self.server.load_schema(uri)?;
        self.server
            .load_enumerations_of(uri, config, timestamps, &schema, &[])?;
        Ok(ArrayMessage {
            query_type,
            timestamps,
            schemas: vec![schema.clone()],
            schema,
            fragments: Vec::new(),
            deletes: Vec::new(),
            non_empty_domain: None,
            metadata: None,
            metadata_names: MetadataNames::default(),
            server: None,
        })
    }
}

impl ObjectServer for ServerArray {
    fn metadata(&self, uri: &Uri, timestamps: TimeRange) -> Result<Vec<OwnedMetadataEntry>> {
        let server = &self.server;
        let call = server.call("GET", "v1/arrays", uri, "/array_metadata")?;
        let message = server.fetch_message(&call.times(timestamps), "metadata")?;
        read_metadata(&message, server.encoding, server.config())
    }

    fn put_metadata(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        changes: &[OwnedMetadataEntry],
    ) -> Result<()> {
        let server = &self.server;
        let call = server.call("POST", "v1/arrays", uri, "/array_metadata")?;
        let message = write_metadata(changes, server.encoding)?;
        server
            .fetch(&call.times(timestamps).body(message))
            .map(drop)
    }
}

impl ArrayServer for ServerArray {
    fn open(
        &self,
        uri: &Uri,
        config: &Config,
        query_type: QueryType,
        timestamps: TimeRange,
    ) -> Result<ArrayMessage> {
        let with_fragments = config.flag("rest.use_refactored_array_open_and_query_submit")?;
        let received = if with_fragments || config.flag("rest.use_refactored_array_open")? {
            let server = &self.server;
            let call = server.call("POST", "v2/arrays", uri, "/")?;
            let message = write_array_open(config, query_type, server.encoding)?;
            let call = call.times(timestamps).body(message);
            let message = server.fetch_message(&call, "an array")?;
            let found = read_served_array(&message, server.encoding, &self.vfs, uri)?;
            found.ok_or(RestError::NoData {
                content: "an array",
            })?
        } else {
            self.open_by_schema(uri, config, query_type, timestamps)?
        };
        Ok(ArrayMessage {
            query_type,
            server: Some(Arc::new(self.clone())),
            ..received
        })
    }

    fn non_empty_domain(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        schema: &ArraySchema,
    ) -> Result<Option<NdRange>> {
        let server = &self.server;
        let call = server.call("GET", "v2/arrays", uri, "/non_empty_domain")?;
        let message = server.fetch_message(&call.times(timestamps), "a non-empty domain")?;
        read_non_empty_domains(&message, server.encoding, &schema.domain)
    }

    fn enumerations(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        latest: &str,
        names: &[&str],
    ) -> Result<Vec<(String, Vec<Arc<Enumeration>>)>> {
        self.server
            .load_enumerations(uri, timestamps, latest, names)
    }
}
