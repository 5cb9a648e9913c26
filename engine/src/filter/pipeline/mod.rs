//! A filter list bound to a datatype: runs over one chunk at a time, both ways.
//!
//! A filter gets the data and the metadata that the one before it gave, each in parts, and gives both again (`parts`).
//! Undoing, a filter takes its own notes off the front of the metadata and leaves the rest for the one before it.
//! Intermediate bytes lie in memory that each thread keeps; the first and the last step read and write the caller's.

mod decode;
mod encode;
mod scratch;
mod stage;

use std::sync::Arc;

use super::encrypt::Encrypt;
use super::text::TextEncoding;
use super::{FilterList, FilterType};
use crate::error::{Error, Result};
use crate::types::{Datatype, EncryptionKey};

pub(super) use scratch::KEPT;
use stage::Stage;
pub(super) use stage::{DataIs, Filtered, MetadataIs, Unfiltered};

/// The filters of a field, bound to its datatype: what runs.
#[derive(Clone, Debug)]
pub struct Pipeline {
    list: Arc<FilterList>,
    /// The first filter, where it takes texts with their offsets; `stages` come after it.
    text: Option<TextEncoding>,
    stages: Vec<Stage>,
    checks_digests: bool,
}

impl Pipeline {
    /// Binds filters to the datatype of the data they get; `key` encrypts after them, or where the list says so.
    pub fn new(
        list: Arc<FilterList>,
        datatype: Datatype,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        Self::for_cells(list, datatype, 1, key)
    }

    /// Binds the filters of variable-length text whose first filter takes the offsets of the cells too, if it is one that
    /// does.
    pub fn for_texts(
        list: Arc<FilterList>,
        datatype: Datatype,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let text = list.filters.first().and_then(TextEncoding::of);
        let skip = usize::from(text.is_some());
        let mut made = Self::bind(list, skip, datatype, datatype.size(), key)?;
        made.text = text;
        Ok(made)
    }

    /// The same for data whose cells are `values_per_cell` values each; 1 for variable-length data.
    pub fn for_cells(
        list: Arc<FilterList>,
        datatype: Datatype,
        values_per_cell: u32,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let cell_size = datatype.size() * values_per_cell as usize;
        Self::bind(list, 0, datatype, cell_size, key)
    }

    /// Binds the filters after the first `skip`, which leave the datatype as it is.
    fn bind(
        list: Arc<FilterList>,
        skip: usize,
        datatype: Datatype,
        cell_size: usize,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let mut stages = Vec::with_capacity(list.filters.len() + 1);
        let mut input = datatype;
        for filter in list.filters.iter().skip(skip) {
            stages.extend(Stage::of(filter, input, cell_size, key)?);
            input = filter.output(input);
        }
        if key.is_some() && !list.has(FilterType::Aes256Gcm) {
            stages.push(Stage::Encrypt(Encrypt::new(key)?));
        }
        Ok(Self {
            list,
            text: None,
            stages,
            checks_digests: true,
        })
    }

    /// The same, but digests are not compared when reading.
    #[must_use]
    pub fn without_digest_checks(mut self) -> Self {
        self.checks_digests = false;
        self
    }

    /// The same, but bit width reduction and positive delta leave dates and times as they are: so early formats have it.
    #[must_use]
    pub fn without_windows_of_times(mut self) -> Self {
        self.stages
            .retain(|stage| !matches!(stage, Stage::Windows(windows) if windows.is_of_times()));
        self
    }

    /// What it was made of.
    pub fn list(&self) -> &FilterList {
        &self.list
    }

    /// Whether stored chunks hold the data as it is.
    pub fn is_identity(&self) -> bool {
        self.stages.is_empty() && self.text.is_none()
    }

    /// Whether tiles hold the offsets of their cells: they are filtered whole, by `encode_texts` and `decode_texts`, and
    /// the offsets have no stored form of their own.
    pub fn folds_offsets(&self) -> bool {
        self.text.is_some()
    }
}

fn needs_offsets() -> Error {
    Error::usage(
        "FilterPipeline",
        "An encoding of text needs the offsets of the cells",
    )
}

fn bad_len(wanted: usize, is: usize) -> Error {
    Error::corrupt(
        "tile",
        "chunk",
        0,
        format!("holds {is} bytes where {wanted} belong"),
    )
}
