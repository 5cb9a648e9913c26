//! Properties of the fragments of an array: names, timestamps, sizes, counts, and ranges.
//!
//! Loading lists the array and reads footers, like opening it. Properties that are not in the
//! footer are read when they are requested. Fragments are identified by their index, from 0, in
//! order of time.

use std::sync::Arc;

use crate::array::{StoredFragments, list_schemas, stored_fragments};
use crate::config::Config;
use crate::error::{Error, FragmentInfoError, Result};
use crate::fragment::Fragment;
use crate::platform::lock::RwLock;
use crate::schema::{ArraySchema, range_text};
use crate::types::{NdRange, TimeRange, now};
use crate::vfs::{Uri, Vfs};

/// The fragments of an array at the time when they were loaded.
#[derive(Debug)]
pub struct FragmentInfo {
    /// The storage.
    pub vfs: Arc<Vfs>,
    /// The folder of the array.
    pub array: Uri,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    config: Config,
    loaded: Option<Arc<StoredFragments>>,
    /// The latest schema and all schemas of a message.
    schemas: Option<(Arc<ArraySchema>, Vec<Arc<ArraySchema>>)>,
}

impl FragmentInfo {
    /// The action that errors of most functions of the C API name.
    pub const URI: &'static str = "get fragment URI";

    /// Creates the fragment info of an array without loading it. Returns an error if `uri` is
    /// invalid.
    pub fn new(vfs: &Arc<Vfs>, uri: &str) -> Result<Self> {
        let array = Uri::parse(uri)
            .map_err(|_| Error::from(FragmentInfoError::BadUri { uri: uri.into() }))?;
        Ok(Self {
            vfs: vfs.clone(),
            array,
            state: RwLock::new(State {
                config: vfs.context.config.clone(),
                loaded: None,
                schemas: None,
            }),
        })
    }

    /// Adds parameters to the configuration for loading. Returns an error if the fragments are
    /// loaded already.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state.write();
        if state.loaded.is_some() {
            return Err(FragmentInfoError::ConfigAfterLoad.into());
        }
        state.config.inherit(config);
        Ok(())
    }

    /// Returns the configuration.
    pub fn config(&self) -> Config {
        self.state.read().config.clone()
    }

    /// Loads the fragments of the array, replacing what was loaded before. With
    /// `sm.fragment_info.preload_mbrs` the R-trees of sparse fragments are loaded too, otherwise
    /// when they are first needed.
    ///
    /// # Errors
    ///
    /// If the array does not exist or its key is wrong.
    pub fn load(&self) -> Result<()> {
        let config = self.config();
        let until_now = TimeRange {
            start: 0,
            end: now(),
        };
        let found = stored_fragments(
            &self.vfs.snapshot(&self.array)?,
            &self.array,
            &config,
            until_now,
        )?;
        if config.flag("sm.fragment_info.preload_mbrs")? {
            let fragments = &found.fragments;
            let context = &self.vfs.context;
            context.for_each_io(fragments.len(), |index| fragments[index].rtree().map(drop))?;
        }
        let mut state = self.state.write();
        state.loaded = Some(Arc::new(found));
        state.schemas = None;
        Ok(())
    }

    /// Replaces what was loaded by the content of a message: the fragments, the latest schema and
    /// all schemas.
    pub fn receive(
        &self,
        fragments: StoredFragments,
        latest: Arc<ArraySchema>,
        all: Vec<Arc<ArraySchema>>,
    ) {
        let mut state = self.state.write();
        state.loaded = Some(Arc::new(fragments));
        state.schemas = Some((latest, all));
    }

    /// Returns the latest schema and all schemas: those of the message if one was read, otherwise
    /// those in storage.
    pub fn schemas(&self) -> Result<(Arc<ArraySchema>, Vec<Arc<ArraySchema>>)> {
        let state = self.state.read();
        match &state.schemas {
            Some(schemas) => Ok(schemas.clone()),
            None => list_schemas(&self.vfs, &self.array, &state.config),
        }
    }

    /// Returns the fragments. Returns an error if they are not loaded.
    pub fn loaded(&self) -> Result<Arc<StoredFragments>> {
        self.state
            .read()
            .loaded
            .clone()
            .ok_or_else(|| Error::from(FragmentInfoError::NotLoaded))
    }

    /// Returns a fragment. Returns an error if the fragments are not loaded, or one that names the
    /// `action` of the caller if the index is out of range.
    pub fn fragment(&self, index: u32, action: &'static str) -> Result<Arc<Fragment>> {
        let loaded = self.loaded()?;
        let found = loaded.fragments.get(index as usize);
        found
            .cloned()
            .ok_or_else(|| Error::from(FragmentInfoError::NoFragment { action, index }))
    }

    /// Returns the number of fragments. Returns an error if they are not loaded; so do the
    /// following functions except two.
    pub fn fragment_num(&self) -> Result<u32> {
        Ok(u32::try_from(self.loaded()?.fragments.len()).unwrap_or(u32::MAX))
    }

    /// Returns the number of cells in all fragments, saturating.
    pub fn total_cell_num(&self) -> Result<u64> {
        let loaded = self.loaded()?;
        Ok(loaded
            .fragments
            .iter()
            .map(|fragment| fragment.cell_num())
            .fold(0, u64::saturating_add))
    }

    /// Returns the number of fragments whose footers are not in a consolidated file; 0 if the
    /// fragments are not loaded.
    pub fn unconsolidated_metadata_num(&self) -> u32 {
        self.loaded().map_or(0, |loaded| unconsolidated(&loaded))
    }

    /// Returns the number of fragments that vacuum can remove; 0 if the fragments are not loaded.
    pub fn to_vacuum_num(&self) -> u32 {
        self.loaded().map_or(0, |loaded| {
            u32::try_from(loaded.replaced.len()).unwrap_or(u32::MAX)
        })
    }

    /// Returns the URI of a fragment that vacuum can remove.
    pub fn to_vacuum_uri(&self, index: u32) -> Result<Uri> {
        let loaded = self.loaded()?;
        let found = loaded.replaced.get(index as usize);
        found
            .cloned()
            .ok_or_else(|| Error::from(FragmentInfoError::NoReplaced { index }))
    }

    /// Returns the number of MBRs of a fragment, which is the number of tiles of a sparse one; 0
    /// for a dense one. Returns an error if the index is out of range.
    pub fn mbr_num(&self, index: u32) -> Result<u64> {
        let fragment = self.fragment(index, Self::URI)?;
        Ok(fragment.rtree()?.leaf_num() as u64)
    }

    /// Returns a text with all properties, identical to that of libtiledb.
    pub fn dump(&self) -> Result<String> {
        let loaded = self.loaded()?;
        let mut lines = vec![
            format!("- Fragment num: {}", loaded.fragments.len()),
            format!("- Unconsolidated metadata num: {}", unconsolidated(&loaded)),
            format!("- To vacuum num: {}", loaded.replaced.len()),
        ];
        if !loaded.replaced.is_empty() {
            lines.push("- To vacuum URIs:".to_owned());
            lines.extend(loaded.replaced.iter().map(|uri| format!("  > {uri}")));
        }
        for (number, fragment) in (1..).zip(&loaded.fragments) {
            lines.push(format!("- Fragment #{number}:"));
            describe(fragment, &mut lines)?;
        }
        lines.push(String::new());
        Ok(lines.join("\n"))
    }
}

fn unconsolidated(loaded: &StoredFragments) -> u32 {
    u32::try_from(
        loaded
            .fragments
            .iter()
            .filter(|fragment| !fragment.has_consolidated_footer)
            .count(),
    )
    .unwrap_or(u32::MAX)
}

fn describe(fragment: &Fragment, lines: &mut Vec<String>) -> Result<()> {
    let kind = if fragment.footer.dense {
        "dense"
    } else {
        "sparse"
    };
    let consolidated = if fragment.has_consolidated_footer {
        "yes"
    } else {
        "no"
    };
    let TimeRange { start, end } = fragment.timestamps();
    let domain = fragment.footer.non_empty_domain.as_ref();
    let domain = domain.map(|domain| domain_text(&fragment.schema, domain));
    lines.extend([
        format!("  > URI: {}", fragment.uri()),
        format!("  > Schema name: {}", fragment.schema_name()),
        format!("  > Type: {kind}"),
        format!("  > Non-empty domain: {}", domain.unwrap_or_default()),
        format!("  > Size: {}", fragment.stored_size()?),
        format!("  > Cell num: {}", fragment.cell_num()),
        format!("  > Timestamp range: [{start}, {end}]"),
        format!("  > Format version: {}", fragment.footer.head.version),
        format!("  > Has consolidated metadata: {consolidated}"),
    ]);
    Ok(())
}

fn domain_text(schema: &ArraySchema, domain: &NdRange) -> String {
    domain
        .iter()
        .zip(&schema.domain.dimensions)
        .map(|(range, dimension)| {
            // libtiledb takes a range of two empty strings for a missing one.
            let is_missing = range.is_var() && range.start().is_empty() && range.end().is_empty();
            range_text(dimension.datatype, Some(range).filter(|_| !is_missing))
        })
        .collect::<Vec<_>>()
        .join(" x ")
}
