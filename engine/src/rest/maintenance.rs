//! Requests about the fragments of arrays: consolidation, vacuum, deletion, information.

use super::server::Server;
use crate::array::Array;
use crate::config::Config;
use crate::error::Result;
use crate::inspect::FragmentInfo;
use crate::maintenance::ConsolidationPlan;
use crate::serialization::{
    read_consolidation_plan_response, read_fragment_info, write_consolidation_plan_request,
    write_consolidation_request, write_delete_fragments_list_request,
    write_delete_fragments_request, write_fragment_info_request, write_vacuum_request,
};
use crate::types::TimeRange;
use crate::vfs::Uri;

impl Server {
    fn post(&self, uri: &Uri, action: &str, message: Vec<u8>) -> Result<()> {
        let call = self.call("POST", "v1/arrays", uri, action)?;
        self.fetch(&call.body(message)).map(drop)
    }

    /// Consolidates the fragments with these names, or those that the configuration selects.
    pub(super) fn consolidate(&self, uri: &Uri, names: &[&str], config: &Config) -> Result<()> {
        let message = write_consolidation_request(config, names, self.encoding)?;
        self.post(uri, "/consolidate", message)
    }

    /// Vacuums an array.
    pub(super) fn vacuum(&self, uri: &Uri, config: &Config) -> Result<()> {
        self.post(uri, "/vacuum", write_vacuum_request(config, self.encoding)?)
    }

    /// Removes the fragments of a time range.
    pub(super) fn delete_fragments(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        config: &Config,
    ) -> Result<()> {
        let message = write_delete_fragments_request(config, timestamps, self.encoding)?;
        self.post(uri, "/delete_fragments", message)
    }

    /// Removes fragments by their URIs.
    pub(super) fn delete_named_fragments(
        &self,
        uri: &Uri,
        uris: &[&str],
        config: &Config,
    ) -> Result<()> {
        let names: Vec<String> = uris.iter().map(|uri| relative(uri)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = write_delete_fragments_list_request(config, &names, self.encoding)?;
        self.post(uri, "/delete_fragments_list", message)
    }

    /// Returns a consolidation plan.
    pub(super) fn consolidation_plan(
        &self,
        array: &Array,
        fragment_size: u64,
    ) -> Result<ConsolidationPlan> {
        let config = array.config();
        let message = write_consolidation_plan_request(&config, fragment_size, self.encoding)?;
        let call = self.call("POST", "v1/arrays", array.uri(), "/consolidate/plan")?;
        let message = self.fetch_message(&call.body(message), "a consolidation plan")?;
        let nodes = read_consolidation_plan_response(&message, self.encoding)?;
        Ok(ConsolidationPlan::of_nodes(nodes))
    }

    /// Loads information about fragments, with their R-trees, which cannot be loaded later.
    pub(super) fn load_fragment_info(&self, info: &FragmentInfo) -> Result<()> {
        let mut config = info.config();
        config.set("sm.fragment_info.preload_mbrs", "true")?;
        let message = write_fragment_info_request(&config, self.encoding)?;
        let call = self.call("POST", "v1/arrays", info.array(), "/fragment_info")?;
        let message = self.fetch_message(&call.body(message), "fragment information")?;
        read_fragment_info(&message, self.encoding, info.array(), info)
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
