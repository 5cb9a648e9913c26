//! A filter list bound to a datatype: runs over one chunk at a time, both ways.
//!
//! A filter gets the data and the metadata that the one before it gave, each in parts, and gives both again (`parts`).
//! Undoing, a filter takes its own notes off the front of the metadata and leaves the rest for the one before it.
//! Intermediate bytes lie in memory that each thread keeps; the first and the last step read and write the caller's.

use std::cell::RefCell;
use std::sync::Arc;

use super::checksum::Checksum;
use super::chunks::{CHUNK_HEADER_LEN, Chunk, Chunks};
use super::compress::Compress;
use super::encrypt::Encrypt;
use super::parts::{Parts, PartsView, u32_of};
use super::text::{TextEncoding, Texts, TextsMut};
use super::transform::Transform;
#[cfg(feature = "webp")]
use super::webp::Pictures;
use super::windows::{Method, Windows};
use super::{Filter, FilterList, FilterType};
use crate::error::{Error, Result};
use crate::types::{Datatype, EncryptionKey};

/// The bytes before the chunks of a tile: their number.
const TILE_HEADER_LEN: usize = 8;

/// The filters of a field, bound to its datatype: what runs.
#[derive(Clone, Debug)]
pub struct Pipeline {
    list: Arc<FilterList>,
    /// The first filter, where it takes texts with their offsets; `stages` come after it.
    text: Option<TextEncoding>,
    stages: Vec<Stage>,
    checks_digests: bool,
}

/// A filter that runs.
#[derive(Clone, Debug)]
enum Stage {
    Compress(Compress),
    Transform(Transform),
    Windows(Windows),
    Checksum(Checksum),
    Encrypt(Encrypt),
    #[cfg(feature = "webp")]
    Webp(Pictures),
}

/// What a filter gets when writing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfiltered<'a> {
    pub(super) data: PartsView<'a>,
    pub(super) metadata: PartsView<'a>,
}

/// What a filter gets when reading: all it needs, untrusted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filtered<'a> {
    pub(super) data: &'a [u8],
    pub(super) metadata: &'a [u8],
}

/// What a filter did with the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DataIs {
    /// It stays as it was.
    Kept,
    /// It was written anew.
    Written,
}

/// Where the metadata for the filter before stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MetadataIs {
    /// In the metadata the filter got, from this byte on.
    From(usize),
    /// Written anew.
    Written,
}

/// What a filter hands to the next one.
#[derive(Debug, Default)]
struct Side {
    data: Parts,
    metadata: Parts,
    /// Whether `data` is what counts; else it is the caller's.
    holds_data: bool,
}

impl Side {
    fn clear(&mut self) {
        self.data.clear();
        self.metadata.clear();
        self.holds_data = false;
    }
}

#[derive(Debug, Default)]
struct Scratch {
    input: Side,
    output: Side,
}

/// A thread keeps no more bytes of a kind than a few chunks' worth; tiles in one piece can be large.
pub(super) const KEPT: usize = 1 << 20;

impl Scratch {
    fn shrink(&mut self) {
        for side in [&mut self.input, &mut self.output] {
            for parts in [&mut side.data, &mut side.metadata] {
                if parts.bytes.capacity() > KEPT {
                    parts.bytes = Vec::new();
                }
            }
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
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

    /// Filters `data` and appends the chunk, its header of 12 bytes first, to `to`. After an error `to` is as it was.
    pub fn encode_chunk(&self, data: &[u8], to: &mut Vec<u8>) -> Result<()> {
        if self.text.is_some() {
            return Err(needs_offsets());
        }
        let start = to.len();
        let original_len = u32_of(data.len())?;
        to.extend_from_slice(&[0; CHUNK_HEADER_LEN]);
        let encoded = SCRATCH.with_borrow_mut(|scratch| {
            scratch.input.clear();
            let encoded = encode(&self.stages, data, scratch, to);
            scratch.shrink();
            encoded
        });
        finish_chunk(start, original_len, encoded, to)
    }

    /// Filters the texts of a tile, which is one chunk.
    pub fn encode_texts(&self, texts: Texts<'_>) -> Result<Vec<u8>> {
        let text = self.text.ok_or_else(needs_offsets)?;
        let original_len = u32_of(texts.values.len())?;
        SCRATCH.with_borrow_mut(|scratch| {
            let input = &mut scratch.input;
            input.clear();
            text.encode(texts, &mut input.data, &mut input.metadata)?;
            input.holds_data = true;
            let mut stored = Vec::with_capacity(TILE_HEADER_LEN + CHUNK_HEADER_LEN);
            stored.extend_from_slice(&1u64.to_le_bytes());
            stored.extend_from_slice(&[0; CHUNK_HEADER_LEN]);
            let encoded = encode(&self.stages, &[], scratch, &mut stored);
            scratch.shrink();
            finish_chunk(TILE_HEADER_LEN, original_len, encoded, &mut stored)?;
            Ok(stored)
        })
    }

    /// Undoes the filters of a tile of texts. An error where it does not hold as many as there is room for.
    pub fn decode_texts(&self, stored: &[u8], texts: TextsMut<'_>) -> Result<()> {
        let text = self.text.ok_or_else(needs_offsets)?;
        let mut chunks = Chunks::parse(stored, texts.values.len() as u64)?;
        let chunk = match (chunks.next().transpose()?, chunks.next().transpose()?) {
            (Some(chunk), None) if chunk.original_len as usize == texts.values.len() => chunk,
            _ => return Err(Error::corrupt("tile", "texts", 0, "are not one chunk")),
        };
        let input = Filtered {
            data: chunk.filtered,
            metadata: chunk.metadata,
        };
        // A count, a length and an index of eight bytes each is the most that a cell costs.
        let most = 24 * texts.starts.len() + texts.values.len();
        SCRATCH.with_borrow_mut(|scratch| {
            let Scratch {
                input: side,
                output,
            } = scratch;
            let place = self.undo(&self.stages, input, side, output, most)?;
            let decoded = text.decode(place.of(side, input), texts);
            scratch.shrink();
            decoded
        })
    }

    /// Undoes the filters of a chunk into `to`, which has the chunk's original length.
    pub fn decode_chunk(&self, chunk: Chunk<'_>, to: &mut [u8]) -> Result<()> {
        if to.len() != chunk.original_len as usize {
            return Err(bad_len(chunk.original_len as usize, to.len()));
        }
        let input = Filtered {
            data: chunk.filtered,
            metadata: chunk.metadata,
        };
        if self.text.is_some() {
            return Err(needs_offsets());
        }
        match self.stages.split_first() {
            None => copy(input.data, to),
            Some((first, [])) => {
                let len = first.decoded_len(input)?;
                self.decode_last(first, input, len, to, &mut Vec::new())
            }
            Some((first, others)) => SCRATCH.with_borrow_mut(|scratch| {
                let decoded = self.decode_all(first, others, input, scratch, to);
                scratch.shrink();
                decoded
            }),
        }
    }

    /// Filters a tile: `starts` are those of its chunks, in bytes.
    pub fn encode_tile(&self, data: &[u8], starts: &[u64]) -> Result<Vec<u8>> {
        let mut stored = Vec::with_capacity(data.len() / 2 + 8);
        stored.extend_from_slice(&(starts.len() as u64).to_le_bytes());
        let ends = starts.iter().skip(1).copied().chain([data.len() as u64]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let chunk = data
                .get(start as usize..end as usize)
                .ok_or_else(|| bad_len(end as usize, data.len()))?;
            self.encode_chunk(chunk, &mut stored)?;
        }
        Ok(stored)
    }

    /// Undoes the filters of a stored tile into `to`, which has the tile's length.
    pub fn decode_tile(&self, stored: &[u8], to: &mut [u8]) -> Result<()> {
        let mut rest = &mut to[..];
        for chunk in Chunks::parse(stored, rest.len() as u64)? {
            let chunk = chunk?;
            let (place, later) = rest
                .split_at_mut_checked(chunk.original_len as usize)
                .ok_or_else(|| bad_len(chunk.original_len as usize, 0))?;
            self.decode_chunk(chunk, place)?;
            rest = later;
        }
        Ok(())
    }

    /// Undoes `others`, last first, through memory of the thread, then `first` into `to`.
    fn decode_all(
        &self,
        first: &Stage,
        others: &[Stage],
        chunk: Filtered<'_>,
        scratch: &mut Scratch,
        to: &mut [u8],
    ) -> Result<()> {
        let Scratch { input, output } = scratch;
        let place = self.undo(others, chunk, input, output, to.len())?;
        let filtered = place.of(input, chunk);
        let len = first.decoded_len(filtered)?;
        output.clear();
        self.decode_last(first, filtered, len, to, &mut output.metadata.bytes)
    }

    /// Undoes `stages`, last first, of a chunk whose data has about `len` bytes at the end. Answers where what they give
    /// stands.
    fn undo(
        &self,
        stages: &[Stage],
        chunk: Filtered<'_>,
        input: &mut Side,
        output: &mut Side,
        len: usize,
    ) -> Result<Place> {
        input.clear();
        // A filter may grow data, but no sensible one more than this: what a file says is not believed beyond.
        let limit = len.saturating_mul(4).saturating_add(1 << 16);
        let mut place = Place {
            metadata_from: Some(0),
        };
        for stage in stages.iter().rev() {
            output.clear();
            let filtered = place.of(input, chunk);
            let len = stage.decoded_len(filtered)?;
            if len > limit {
                return Err(stage.bad_len(limit, len));
            }
            output.data.bytes.resize(len, 0);
            let (data_is, metadata_is) = stage.decode(
                filtered,
                &mut output.data.bytes,
                &mut output.metadata.bytes,
                limit,
                self.checks_digests,
            )?;
            if data_is == DataIs::Written {
                std::mem::swap(&mut input.data, &mut output.data);
                input.holds_data = true;
            }
            match (metadata_is, place.metadata_from.as_mut()) {
                (MetadataIs::From(used), Some(from)) => *from += used,
                (MetadataIs::From(used), None) => drop(input.metadata.bytes.drain(..used)),
                (MetadataIs::Written, _) => {
                    std::mem::swap(&mut input.metadata, &mut output.metadata);
                    place.metadata_from = None;
                }
            }
        }
        Ok(place)
    }

    /// Undoes a filter into `to`.
    fn decode_last(
        &self,
        stage: &Stage,
        input: Filtered<'_>,
        len: usize,
        to: &mut [u8],
        metadata: &mut Vec<u8>,
    ) -> Result<()> {
        match stage {
            Stage::Checksum(_) if input.data.len() != to.len() => {
                return Err(stage.bad_len(to.len(), input.data.len()));
            }
            Stage::Checksum(_) => to.copy_from_slice(input.data),
            _ if len != to.len() => return Err(stage.bad_len(to.len(), len)),
            _ => (),
        }
        let limit = to.len().saturating_add(1 << 16);
        stage
            .decode(input, to, metadata, limit, self.checks_digests)
            .map(|_| ())
    }
}

/// Where the data and metadata between two filters stand when reading.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// In the chunk's metadata from here on; `None` is in the side's own.
    metadata_from: Option<usize>,
}

impl Place {
    fn of<'a>(self, side: &'a Side, chunk: Filtered<'a>) -> Filtered<'a> {
        Filtered {
            data: match side.holds_data {
                true => &side.data.bytes,
                false => chunk.data,
            },
            metadata: match self.metadata_from {
                Some(from) => chunk.metadata.get(from..).unwrap_or_default(),
                None => &side.metadata.bytes,
            },
        }
    }
}

/// Runs filters on what the scratch's input holds, or else on the chunk: those before the last through memory of the
/// thread, the last into `to`. Answers the length of the metadata, which stands before the data.
fn encode(
    stages: &[Stage],
    chunk: &[u8],
    scratch: &mut Scratch,
    to: &mut Vec<u8>,
) -> Result<usize> {
    let Scratch { input, output } = scratch;
    let ends = [chunk.len()];
    let Some((last, first)) = stages.split_last() else {
        let done = unfiltered(input, chunk, &ends);
        to.extend_from_slice(done.metadata.bytes);
        to.extend_from_slice(done.data.bytes);
        return Ok(done.metadata.bytes.len());
    };
    for stage in first {
        output.clear();
        let data_is = stage.encode(
            unfiltered(input, chunk, &ends),
            &mut output.data,
            &mut output.metadata,
        )?;
        if data_is == DataIs::Written {
            output.holds_data = true;
        } else {
            std::mem::swap(&mut input.data, &mut output.data);
            output.holds_data = input.holds_data;
        }
        std::mem::swap(input, output);
    }
    output.clear();
    let unfiltered = unfiltered(input, chunk, &ends);
    let gap = last.metadata_len(unfiltered);
    let base = to.len();
    to.resize(base + gap, 0);
    std::mem::swap(to, &mut output.data.bytes);
    let encoded = last.encode(unfiltered, &mut output.data, &mut output.metadata);
    std::mem::swap(to, &mut output.data.bytes);
    if encoded? == DataIs::Kept {
        to.extend_from_slice(unfiltered.data.bytes);
    }
    to[base..base + gap].copy_from_slice(&output.metadata.bytes);
    Ok(gap)
}

/// Fills in the lengths of the chunk that starts at `start`, or takes it back.
fn finish_chunk(
    start: usize,
    original_len: u32,
    metadata_len: Result<usize>,
    to: &mut Vec<u8>,
) -> Result<()> {
    let finished = metadata_len.and_then(|metadata_len| {
        let filtered_len = u32_of(to.len() - start - CHUNK_HEADER_LEN - metadata_len)?;
        let lengths = [original_len, filtered_len, u32_of(metadata_len)?];
        for (place, len) in to[start..].chunks_exact_mut(4).zip(lengths) {
            place.copy_from_slice(&len.to_le_bytes());
        }
        Ok(())
    });
    finished.inspect_err(|_| to.truncate(start))
}

fn needs_offsets() -> Error {
    Error::usage(
        "FilterPipeline",
        "An encoding of text needs the offsets of the cells",
    )
}

fn unfiltered<'a>(input: &'a Side, chunk: &'a [u8], ends: &'a [usize; 1]) -> Unfiltered<'a> {
    Unfiltered {
        data: if input.holds_data {
            input.data.view()
        } else {
            PartsView { bytes: chunk, ends }
        },
        metadata: input.metadata.view(),
    }
}

fn copy(from: &[u8], to: &mut [u8]) -> Result<()> {
    if from.len() != to.len() {
        return Err(bad_len(to.len(), from.len()));
    }
    to.copy_from_slice(from);
    Ok(())
}

fn bad_len(wanted: usize, is: usize) -> Error {
    Error::corrupt(
        "tile",
        "chunk",
        0,
        format!("holds {is} bytes where {wanted} belong"),
    )
}

#[cfg(not(feature = "webp"))]
fn no_webp() -> Error {
    Error::usage(
        "FilterPipeline",
        "WebP filter not available; this library instance built with TILEDB_WEBP=OFF",
    )
}

impl Stage {
    /// The filter as it runs on data of `input`; `None` where it does nothing.
    fn of(
        filter: &Filter,
        input: Datatype,
        cell_size: usize,
        key: Option<&EncryptionKey>,
    ) -> Result<Option<Self>> {
        let value_size = input.size();
        Ok(Some(match filter {
            Filter::None => return Ok(None),
            Filter::Compression(options)
                if options.compressor.reinterprets() && !filter.accepts(input) =>
            {
                let (name, input) = (filter.kind().name(), input.name());
                let message = format!("Filter {name} does not accept input type {input}");
                return Err(Error::usage("Filter", message));
            }
            Filter::Compression(options) => {
                Self::Compress(Compress::new(options, input, cell_size))
            }
            Filter::Byteshuffle => Self::Transform(Transform::ByteShuffle { value_size }),
            Filter::Bitshuffle => Self::Transform(Transform::BitShuffle { value_size }),
            Filter::Xor => Self::Transform(Transform::Xor { value_size }),
            Filter::ScaleFloat(_) if !matches!(value_size, 4 | 8) => {
                let message = format!("SCALE_FLOAT takes no values of {value_size} bytes");
                return Err(Error::usage("[TileDB::Filter] Error", message));
            }
            Filter::ScaleFloat(options) => Self::Transform(Transform::ScaleFloat {
                real_size: value_size,
                options: *options,
            }),
            Filter::ChecksumMd5 => Self::Checksum(Checksum::Md5),
            Filter::ChecksumSha256 => Self::Checksum(Checksum::Sha256),
            // What is no integer goes through these as it is.
            Filter::BitWidthReduction { .. } | Filter::PositiveDelta { .. }
                if !filter.accepts(input) =>
            {
                return Ok(None);
            }
            // Bytes cannot become narrower.
            Filter::BitWidthReduction { .. } if value_size == 1 => return Ok(None),
            Filter::BitWidthReduction { max_window } => {
                Self::Windows(Windows::new(Method::BitWidth, input, *max_window))
            }
            Filter::PositiveDelta { max_window } => {
                Self::Windows(Windows::new(Method::PositiveDelta, input, *max_window))
            }
            Filter::Aes256Gcm => Self::Encrypt(Encrypt::new(key)?),
            #[cfg(feature = "webp")]
            Filter::Webp(options) => Self::Webp(Pictures::new(options)),
            #[cfg(not(feature = "webp"))]
            Filter::Webp(_) => return Err(no_webp()),
        }))
    }

    /// How errors name it.
    fn name(&self) -> &'static str {
        match self {
            Self::Compress(compress) => compress.name(),
            Self::Transform(transform) => transform.name(),
            Self::Windows(windows) => windows.name(),
            Self::Checksum(checksum) => checksum.name(),
            Self::Encrypt(_) => Encrypt::NAME,
            #[cfg(feature = "webp")]
            Self::Webp(_) => Pictures::NAME,
        }
    }

    fn bad_len(&self, wanted: usize, is: usize) -> Error {
        let problem = format!("is of {is} bytes where {wanted} belong");
        Error::corrupt(self.name(), "data", 0, problem)
    }

    /// The length of the metadata it will give.
    fn metadata_len(&self, input: Unfiltered<'_>) -> usize {
        match self {
            Self::Compress(_) => Compress::metadata_len(input),
            Self::Transform(transform) => transform.metadata_len(input),
            Self::Windows(windows) => windows.metadata_len(input),
            Self::Checksum(checksum) => checksum.metadata_len(input),
            Self::Encrypt(_) => Encrypt::metadata_len(input),
            #[cfg(feature = "webp")]
            Self::Webp(_) => Pictures::metadata_len(input),
        }
    }

    fn encode(
        &self,
        input: Unfiltered<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<DataIs> {
        match self {
            Self::Compress(compress) => compress.encode(input, data, metadata),
            Self::Transform(transform) => transform.encode(input, data, metadata),
            Self::Windows(windows) => windows.encode(input, data, metadata),
            Self::Checksum(checksum) => checksum.encode(input, metadata),
            Self::Encrypt(encrypt) => encrypt.encode(input, data, metadata),
            #[cfg(feature = "webp")]
            Self::Webp(pictures) => pictures.encode(input, data, metadata),
        }
    }

    /// The length of the data it will give, as its metadata has it; unchecked.
    fn decoded_len(&self, input: Filtered<'_>) -> Result<usize> {
        match self {
            Self::Compress(compress) => compress.decoded_len(input),
            Self::Transform(transform) => transform.decoded_len(input),
            Self::Windows(windows) => windows.decoded_len(input),
            Self::Checksum(_) => Ok(0),
            Self::Encrypt(_) => Encrypt::decoded_len(input),
            #[cfg(feature = "webp")]
            Self::Webp(pictures) => Ok(pictures.decoded_len()),
        }
    }

    fn decode(
        &self,
        input: Filtered<'_>,
        data: &mut [u8],
        metadata: &mut Vec<u8>,
        limit: usize,
        checks_digests: bool,
    ) -> Result<(DataIs, MetadataIs)> {
        match self {
            Self::Compress(compress) => compress.decode(input, data, metadata, limit),
            Self::Transform(transform) => transform.decode(input, data),
            Self::Windows(windows) => windows.decode(input, data),
            Self::Checksum(checksum) => checksum.decode(input, checks_digests),
            Self::Encrypt(encrypt) => encrypt.decode(input, data, metadata),
            #[cfg(feature = "webp")]
            Self::Webp(pictures) => pictures.decode(input, data),
        }
    }
}
