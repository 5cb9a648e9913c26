//! Lists of filters for the parts of fields, chosen by the size of an encoded excerpt and the costs
//! of the filters.

use std::sync::Arc;

use super::costs::{Weights, filter_times};
use crate::error::{Error, Result};
use crate::filter::{
    Compressor, Filter, FilterList, FilterType, Pipeline, Texts, check_datatypes, chunk_starts,
    var_chunk_starts,
};
use crate::tile::Cells;
use crate::types::{Datatype, VAR_NUM};

/// A list must be cheaper than a shorter one by this factor.
const MIN_GAIN: f64 = 0.98;

/// The part of a field that a list of filters encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPart {
    /// The values.
    Values,
    /// The starts of cells of variable length.
    Offsets,
    /// A byte per cell, 0 for null.
    Validity,
}

/// A list of filters with its costs for each cell.
#[derive(Clone, Debug)]
pub(super) struct Encoding {
    pub(super) filters: Vec<Filter>,
    /// The size before and after the filters in bytes.
    pub(super) unfiltered: f64,
    pub(super) filtered: f64,
    /// The times in nanoseconds.
    pub(super) encode: f64,
    pub(super) decode: f64,
    /// The sum of sizes and times with the weights of the goal.
    pub(super) cost: f64,
}

impl Encoding {
    /// Returns the filters as text.
    pub(super) fn name(&self) -> String {
        name_of(&self.filters)
    }

    /// Returns the sizes and times of a cell as text.
    pub(super) fn figures(&self) -> String {
        let (unfiltered, filtered, decode) = (self.unfiltered, self.filtered, self.decode);
        format!("{unfiltered:.2} to {filtered:.2} bytes and {decode:.1} ns a cell")
    }
}

/// Returns the names of filters, with the levels of zstd.
pub(super) fn name_of(filters: &[Filter]) -> String {
    let names = filters.iter().map(|filter| match filter {
        Filter::Compression(options) if options.compressor == Compressor::Zstd => {
            format!("ZSTD {}", options.level)
        }
        other => other.kind().name().to_owned(),
    });
    match filters {
        [] => "no filters".to_owned(),
        _ => names.collect::<Vec<_>>().join(", "),
    }
}

/// Returns the lists of filters that are tried, shorter ones first.
pub fn candidates(
    part: FieldPart,
    datatype: Datatype,
    cell_val_num: u32,
    weights: Weights,
) -> Vec<Vec<Filter>> {
    let zstd = |level| Filter::compression_at(Compressor::Zstd, level);
    let rle = || Filter::compression(Compressor::Rle);
    let mut last = vec![Filter::compression(Compressor::Lz4), zstd(1)];
    if weights.zstd_level > 1 {
        last.push(zstd(weights.zstd_level));
    }
    let is_var = cell_val_num == VAR_NUM;
    let mut first: Vec<Vec<Filter>> = vec![Vec::new()];
    let is_text = datatype.is_string() || datatype.is_bytes() || datatype == Datatype::Char;
    let mut lists: Vec<Vec<Filter>> = vec![Vec::new()];
    if is_text && part == FieldPart::Values {
        if is_var && matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8) {
            first.extend([
                vec![rle()],
                vec![Filter::compression(Compressor::Dictionary)],
            ]);
        }
    } else {
        lists.push(vec![rle()]);
        if datatype.size() > 1 {
            first.push(vec![Filter::Byteshuffle]);
        }
        first.push(vec![Filter::Bitshuffle]);
        let width = Filter::new(FilterType::BitWidthReduction);
        if !datatype.is_real() && part != FieldPart::Validity {
            let delta = || Filter::compression(Compressor::Delta);
            let double_delta = || Filter::compression(Compressor::DoubleDelta);
            first.push(vec![double_delta()]);
            first.push(vec![delta(), Filter::Byteshuffle]);
            first.push(vec![delta(), Filter::Bitshuffle]);
            lists.push(vec![double_delta()]);
            lists.extend(width.map(|width| vec![width]));
        }
    }
    lists.extend(first.iter().flat_map(|first| {
        last.iter()
            .map(|last| first.iter().cloned().chain([last.clone()]).collect())
    }));
    if is_text && part == FieldPart::Values && is_var {
        lists.extend(first.into_iter().filter(|list| !list.is_empty()));
    }
    lists.retain(|list| {
        let list = FilterList {
            filters: list.clone(),
            ..FilterList::default()
        };
        check_datatypes(&list, datatype, cell_val_num).is_ok()
    });
    lists
}

/// Encodes excerpts with lists of filters.
#[derive(Debug)]
pub(super) struct Trial<'a> {
    /// The parts of fields that are encoded.
    excerpts: Vec<&'a [Cells]>,
    part: FieldPart,
    datatype: Datatype,
    cell_val_num: u32,
    /// The number of cells of a tile, which is filtered on its own.
    tile_cells: u64,
    weights: Weights,
    /// The costs of the offsets of a cell, which some lists for texts encode with the values.
    pub(super) offsets: Option<Encoding>,
    /// The lists that were tried, with the sizes in bytes.
    sizes: Vec<(Vec<Filter>, Option<usize>)>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(
        excerpts: Vec<&'a [Cells]>,
        part: FieldPart,
        (datatype, cell_val_num): (Datatype, u32),
        tile_cells: u64,
        weights: Weights,
    ) -> Self {
        Self {
            excerpts,
            part,
            datatype,
            cell_val_num,
            tile_cells: tile_cells.max(1),
            weights,
            offsets: None,
            sizes: Vec::new(),
        }
    }

    /// Returns the cheapest of the candidates, and the next one.
    pub(super) fn choose(&mut self) -> Option<(Encoding, Option<Encoding>)> {
        let lists = candidates(self.part, self.datatype, self.cell_val_num, self.weights);
        let mut found = lists.into_iter().filter_map(|list| self.measure(list));
        let mut best = found.next()?;
        let mut next: Option<Encoding> = None;
        for encoding in found {
            if encoding.cost < best.cost * MIN_GAIN {
                next = Some(std::mem::replace(&mut best, encoding));
            } else if next.as_ref().is_none_or(|next| encoding.cost < next.cost) {
                next = Some(encoding);
            }
        }
        Some((best, next))
    }

    /// Returns the costs of a list of filters; `None` if they cannot encode the excerpt.
    pub(super) fn measure(&mut self, filters: Vec<Filter>) -> Option<Encoding> {
        let mut sizes = vec![self.unfiltered()];
        for len in 1..=filters.len() {
            let before = sizes.last().copied().unwrap_or(0);
            let keeps_size = matches!(filters[len - 1], Filter::Bitshuffle | Filter::Byteshuffle);
            sizes.push(if keeps_size {
                before
            } else {
                self.encoded_size(&filters[..len])?
            });
        }
        let (encode, decode) = filter_times(&filters, &sizes, self.value_size());
        let filtered = sizes.last().copied().unwrap_or(0);
        let cells: usize = self.parts().map(|part| part.validity.len()).sum();
        let per_cell = |sum: f64| sum / cells.max(1) as f64;
        let mut encoding = Encoding {
            unfiltered: per_cell(self.unfiltered() as f64),
            filtered: per_cell(filtered as f64),
            encode: per_cell(encode),
            decode: per_cell(decode),
            cost: 0.0,
            filters,
        };
        let with_offsets = is_text_encoding(encoding.filters.first())
            && self.part == FieldPart::Values
            && self.cell_val_num == VAR_NUM;
        if let Some(offsets) = self.offsets.as_ref().filter(|_| !with_offsets) {
            encoding.unfiltered += offsets.unfiltered;
            encoding.filtered += offsets.filtered;
            encoding.encode += offsets.encode;
            encoding.decode += offsets.decode;
        }
        encoding.cost = encoding.decode
            + self.weights.encode * encoding.encode
            + self.weights.stored_byte * encoding.filtered;
        Some(encoding)
    }

    fn parts(&self) -> impl Iterator<Item = &'a Cells> + '_ {
        self.excerpts.iter().copied().flatten()
    }

    fn value_size(&self) -> usize {
        match self.part {
            FieldPart::Values => self.datatype.size(),
            FieldPart::Offsets => size_of::<u64>(),
            FieldPart::Validity => 1,
        }
    }

    /// Returns the size in bytes before filters.
    fn unfiltered(&self) -> usize {
        self.parts()
            .map(|part| match self.part {
                FieldPart::Values => part.data.len(),
                FieldPart::Offsets => 8 * part.starts.len().saturating_sub(1),
                FieldPart::Validity => part.validity.len(),
            })
            .sum()
    }

    /// Returns the size after filters, which is computed once for each list.
    fn encoded_size(&mut self, filters: &[Filter]) -> Option<usize> {
        if let Some((_, size)) = self.sizes.iter().find(|(list, _)| list == filters) {
            return *size;
        }
        let list = Arc::new(FilterList {
            filters: filters.to_vec(),
            ..FilterList::default()
        });
        let size = self
            .parts()
            .try_fold(0, |sum, part| Ok(sum + self.encode(part, &list)?));
        // Filters refuse values that they cannot encode, such as differences beyond 64 bits.
        let size = size.map_err(|_: Error| ()).ok();
        self.sizes.push((filters.to_vec(), size));
        size
    }

    /// Encodes a part in tiles and returns the size.
    fn encode(&self, part: &Cells, list: &Arc<FilterList>) -> Result<usize> {
        let tile_cells = usize::try_from(self.tile_cells).unwrap_or(usize::MAX);
        let fixed = |pipeline: &Pipeline, data: &[u8], cell: usize| -> Result<usize> {
            data.chunks(tile_cells.saturating_mul(cell))
                .map(|tile| {
                    let starts = chunk_starts(list, tile.len() as u64, cell as u64)?;
                    Ok(pipeline.encode_tile(tile, &starts)?.len())
                })
                .sum()
        };
        match self.part {
            FieldPart::Validity => {
                let pipeline = Pipeline::new(list.clone(), Datatype::Uint8, None)?;
                fixed(&pipeline, &part.validity, 1)
            }
            FieldPart::Values if self.cell_val_num != VAR_NUM => {
                let values = self.cell_val_num;
                let pipeline = Pipeline::for_cells(list.clone(), self.datatype, values, None)?;
                fixed(
                    &pipeline,
                    &part.data,
                    self.datatype.size() * values as usize,
                )
            }
            _ => {
                let cells = part.starts.len().saturating_sub(1);
                let starts = (0..cells).step_by(tile_cells);
                starts
                    .map(|first| {
                        let end = first.saturating_add(tile_cells).min(cells);
                        self.encode_var(&part.data, &part.starts[first..=end], list)
                    })
                    .sum()
            }
        }
    }

    /// Encodes the offsets or the values of a tile of cells of variable length.
    fn encode_var(&self, data: &[u8], starts: &[u64], list: &Arc<FilterList>) -> Result<usize> {
        let (Some(first), Some(end)) = (starts.first(), starts.last()) else {
            return Ok(0);
        };
        if self.part == FieldPart::Offsets {
            let pipeline = Pipeline::new(list.clone(), Datatype::Uint64, None)?;
            let offsets: Vec<u8> = starts
                .iter()
                .take(starts.len() - 1)
                .flat_map(|start| (start - first).to_le_bytes())
                .collect();
            let chunks = chunk_starts(list, offsets.len() as u64, 8)?;
            return Ok(pipeline.encode_tile(&offsets, &chunks)?.len());
        }
        if is_text_encoding(list.filters.first()) {
            let pipeline = Pipeline::for_texts(list.clone(), self.datatype, None)?;
            let texts = Texts {
                values: data,
                starts,
            };
            return Ok(pipeline.encode_texts(texts)?.len());
        }
        let pipeline = Pipeline::new(list.clone(), self.datatype, None)?;
        let chunks = var_chunk_starts(list, starts, self.datatype.size() as u64)?;
        let values = data.get(*first as usize..*end as usize).unwrap_or_default();
        Ok(pipeline.encode_tile(values, &chunks)?.len())
    }
}

/// Returns whether a first filter encodes texts together with their offsets.
fn is_text_encoding(filter: Option<&Filter>) -> bool {
    let kind = filter.map(Filter::kind);
    matches!(kind, Some(FilterType::Rle | FilterType::Dictionary))
}
