//! A filter list bound to a datatype, which encodes and decodes one chunk at a time.
//!
//! Each stage receives data and metadata, both in parts (`parts`), from the previous stage and
//! produces both. When decoding, a stage consumes its own entries from the front of the metadata
//! and leaves the rest for the next stage. Intermediate bytes are in buffers that each thread
//! keeps; the first and the last stage use the caller's buffers.

mod decode;
mod encode;
mod stage;
mod workspace;

use std::sync::Arc;

use super::encrypt::Encrypt;
use super::text::TextEncoding;
use super::{Filter, FilterList, FilterType};
use crate::error::{Error, Result};
use crate::types::{Datatype, EncryptionKey};

use stage::{ReadBack, Stage};

/// The filters of a field, bound to its datatype.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The filters.
    pub list: Arc<FilterList>,
    /// The first filter, if it encodes strings together with their offsets; `stages` follow it.
    text: Option<TextEncoding>,
    stages: Vec<Stage>,
    /// For each stage, whether filters without effect immediately precede it.
    follows_view: Vec<bool>,
    checks_digests: bool,
}

impl Pipeline {
    /// Binds filters to the datatype of their input. `key` adds encryption at the end, or where the
    /// list contains it.
    pub fn new(
        list: Arc<FilterList>,
        datatype: Datatype,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        Self::for_cells(list, datatype, 1, key)
    }

    /// Binds the filters of variable-length strings. If the first filter can encode the offsets of
    /// the cells as well, it does.
    pub fn for_texts(
        list: Arc<FilterList>,
        datatype: Datatype,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let text = list.filters.first().and_then(TextEncoding::of);
        let skip = usize::from(text.is_some());
        let mut pipeline = Self::bind(list, skip, datatype, datatype.size(), key)?;
        pipeline.text = text;
        Ok(pipeline)
    }

    /// Binds filters to data whose cells are `values_per_cell` values each; 1 for variable-length
    /// data.
    pub fn for_cells(
        list: Arc<FilterList>,
        datatype: Datatype,
        values_per_cell: u32,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let cell_size = datatype.size() * values_per_cell as usize;
        Self::bind(list, 0, datatype, cell_size, key)
    }

    /// Binds the filters after the first `skip`, which do not change the datatype.
    fn bind(
        list: Arc<FilterList>,
        skip: usize,
        datatype: Datatype,
        cell_size: usize,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let mut stages = Vec::with_capacity(list.filters.len() + 1);
        let mut follows_view = Vec::with_capacity(list.filters.len() + 1);
        let (mut input, mut is_view) = (datatype, false);
        for (index, filter) in list.filters.iter().enumerate().skip(skip) {
            match Stage::of(filter, input, cell_size, key)? {
                Some(mut stage) => {
                    if let Stage::Checksum { lossy, .. } = &mut stage {
                        let filters = list.filters.get(index..).unwrap_or_default();
                        let bound = Self::lossy(filters, input, cell_size)?;
                        *lossy = bound.map(|bound| Arc::new(bound) as Arc<dyn ReadBack>);
                    }
                    stages.push(stage);
                    follows_view.push(std::mem::take(&mut is_view));
                }
                None => is_view = true,
            }
            input = filter.output(input);
        }
        if key.is_some() && !list.has(FilterType::Aes256Gcm) {
            stages.push(Stage::Encrypt(Encrypt::new(key)?));
            follows_view.push(is_view);
        }
        Ok(Self {
            list,
            text: None,
            stages,
            follows_view,
            checks_digests: true,
        })
    }

    /// Binds the filters up to the last one that changes values, without checksums; `None` if there
    /// is none.
    fn lossy(filters: &[Filter], input: Datatype, cell_size: usize) -> Result<Option<Self>> {
        let Some(last) = filters.iter().rposition(Filter::is_lossy) else {
            return Ok(None);
        };
        let list = FilterList {
            filters: filters
                .iter()
                .take(last + 1)
                .filter(|filter| {
                    !matches!(
                        filter.kind(),
                        FilterType::ChecksumMd5 | FilterType::ChecksumSha256
                    )
                })
                .cloned()
                .collect(),
            ..FilterList::default()
        };
        Self::bind(Arc::new(list), 0, input, cell_size, None).map(Some)
    }

    /// Returns the pipeline with the verification of digests disabled.
    #[must_use]
    pub fn without_digest_checks(mut self) -> Self {
        self.checks_digests = false;
        self
    }

    /// Returns the pipeline with bit width reduction and positive delta disabled for dates and
    /// times, as early format versions store them.
    #[must_use]
    pub fn without_time_windows(mut self) -> Self {
        let stages = self.stages.into_iter().zip(self.follows_view);
        (self.stages, self.follows_view) = stages
            .filter(|(stage, _)| !matches!(stage, Stage::Windows(windows) if windows.has_times))
            .unzip();
        self
    }

    /// Returns whether stored chunks contain the data unchanged.
    pub fn is_identity(&self) -> bool {
        self.stages.is_empty() && self.text.is_none()
    }

    /// Returns whether tiles contain the offsets of their cells. Such tiles are filtered as a
    /// whole, by `encode_texts` and `decode_texts`, and no offsets tile is stored.
    pub fn includes_offsets(&self) -> bool {
        self.text.is_some()
    }
}

fn bad_len(expected: usize, actual: usize) -> Error {
    Error::corrupt(
        "tile",
        "chunk",
        0,
        format!("holds {actual} bytes, expected {expected}"),
    )
}
