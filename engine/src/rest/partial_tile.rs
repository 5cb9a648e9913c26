//! Writes in global order in several submits: servers get complete tiles, and the client keeps the
//! cells after the last complete tile until the next submit.

use std::borrow::Cow;

use crate::buffers::{FieldCells, FieldSizes, OffsetsForm};
use crate::error::{
    QueryBufferError, Result, WriteBufferError, WriteError, reserve, reserve_exact, try_vec,
};
use crate::query::Query;

/// The size in bytes of an offset in the sizes of buffers of a message, whatever its width.
const OFFSET_SIZE: usize = 8;

/// The cells of a write in global order that no request has sent yet.
#[derive(Debug, Default)]
pub struct PartialTile {
    cells: usize,
    fields: Vec<FieldPart>,
}

/// The cells of one field.
#[derive(Debug)]
struct FieldPart {
    name: String,
    data: Vec<u8>,
    /// The starts of variable-length cells in `data`, in bytes.
    starts: Vec<u64>,
    validity: Vec<u8>,
}

/// The cells of a submit, divided into those that are sent and those that are kept.
#[derive(Debug)]
pub struct TileSplit<'a> {
    fields: Vec<SplitField<'a>>,
    form: OffsetsForm,
    /// The number of new cells that are sent, after all earlier ones; `None` if no cell is sent.
    sent: Option<usize>,
    cells: usize,
}

/// The new cells of one field.
#[derive(Debug)]
struct SplitField<'a> {
    name: &'a str,
    data: &'a [u8],
    /// The starts of variable-length cells and the end of the last one, in bytes.
    starts: Option<Vec<u64>>,
    validity: &'a [u8],
    cell_size: usize,
    value_size: usize,
}

/// The content of the buffers of a field in a request.
#[derive(Debug)]
pub struct SentField<'a> {
    /// The sizes of the buffers as a message has them.
    pub sizes: FieldSizes,
    /// Offsets, values, validity, in one or several parts each.
    pub parts: Vec<Cow<'a, [u8]>>,
}

impl PartialTile {
    /// Returns whether all cells were sent.
    pub fn is_empty(&self) -> bool {
        self.cells == 0
    }

    /// Divides the cells of a submit. Nothing is sent unless there are more cells than a tile has,
    /// or the submit is the `last` one, which sends all cells.
    ///
    /// # Errors
    ///
    /// If the fields have different numbers of cells, or are not those of earlier submits.
    pub fn split<'a>(
        &self,
        query: &Query,
        cells: &[FieldCells<'a>],
        last: bool,
    ) -> Result<TileSplit<'a>> {
        let form = query.request().written_form()?;
        let fields = cells
            .iter()
            .map(|field| SplitField::new(query, field, form))
            .collect::<Result<Vec<_>>>()?;
        let number = fields.first().map_or(0, SplitField::cell_num);
        if fields.iter().any(|field| field.cell_num() != number) {
            return Err(WriteError::UnequalFields.into());
        }
        if self.cells > 0 {
            // The first cells had other fields, or these lack one of them.
            let missing = self
                .fields
                .iter()
                .map(|part| part.name.as_str())
                .find(|name| fields.iter().all(|new| new.name != *name));
            let other = fields
                .iter()
                .map(|new| new.name)
                .find(|name| self.fields.iter().all(|part| part.name != *name));
            if let Some(name) = missing.or(other) {
                let name = name.to_owned();
                return Err(QueryBufferError::FieldMissing { name }.into());
            }
        }
        let tile = usize::try_from(query.request().tile_cell_num()?.max(1)).unwrap_or(usize::MAX);
        let total = self.cells.saturating_add(number);
        let rest = if last { 0 } else { total % tile };
        let sent = (last || total > tile).then(|| number.saturating_sub(rest));
        Ok(TileSplit {
            fields,
            form,
            sent,
            cells: number,
        })
    }

    /// Returns the content of a request for each field of the submit: the earlier cells and the new
    /// ones that are sent.
    pub fn content<'s>(&'s self, split: &'s TileSplit<'_>) -> Result<Vec<SentField<'s>>> {
        let number = split.sent.unwrap_or_default();
        split
            .fields
            .iter()
            .map(|field| {
                let earlier = self.fields.iter().find(|part| part.name == field.name);
                field.content(earlier, number, split.form)
            })
            .collect()
    }

    /// Adds the cells of a submit that were not sent yet. Memory for all of them is reserved
    /// first, so that an error changes nothing.
    pub fn append(&mut self, split: &TileSplit<'_>) -> Result<()> {
        for field in &split.fields {
            let index = self.fields.iter().position(|part| part.name == field.name);
            match index.and_then(|index| self.fields.get_mut(index)) {
                Some(part) => part.reserve(field, 0)?,
                None => {
                    let mut part = FieldPart::new(field.name);
                    part.reserve(field, 0)?;
                    self.fields.push(part);
                }
            }
        }
        for part in &mut self.fields {
            if let Some(field) = split.fields.iter().find(|field| field.name == part.name) {
                part.append(field, 0);
            }
        }
        self.cells += split.cells;
        Ok(())
    }
}

impl FieldPart {
    /// Creates the part of a field, without cells.
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            data: Vec::new(),
            starts: Vec::new(),
            validity: Vec::new(),
        }
    }

    /// Reserves memory for the cells of a field from a position.
    fn reserve(&mut self, field: &SplitField<'_>, from: usize) -> Result<()> {
        let purpose = "cells of an incomplete tile";
        let (starts, data, validity) = field.cells_from(from);
        reserve(purpose, &mut self.starts, starts.len())?;
        reserve(purpose, &mut self.data, data.len())?;
        reserve(purpose, &mut self.validity, validity.len())
    }

    /// Adds the cells of a field from a position. Their memory is reserved.
    fn append(&mut self, field: &SplitField<'_>, from: usize) {
        let (starts, data, validity) = field.cells_from(from);
        let (first, before) = (field.start(from) as u64, self.data.len() as u64);
        self.starts
            .extend(starts.iter().map(|offset| offset - first + before));
        self.data.extend_from_slice(data);
        self.validity.extend_from_slice(validity);
    }
}

impl TileSplit<'_> {
    /// Returns whether a request has to be sent.
    pub fn sends(&self) -> bool {
        self.sent.is_some()
    }

    /// Returns the cells that are not sent, for the next submit after a request.
    pub fn rest(&self) -> Result<PartialTile> {
        let from = self.sent.unwrap_or_default();
        if from == self.cells {
            return Ok(PartialTile::default());
        }
        let fields = self.fields.iter().map(|field| {
            let mut part = FieldPart::new(field.name);
            part.reserve(field, from)?;
            part.append(field, from);
            Ok(part)
        });
        Ok(PartialTile {
            cells: self.cells - from,
            fields: fields.collect::<Result<_>>()?,
        })
    }
}

impl<'a> SplitField<'a> {
    fn new(query: &Query, field: &FieldCells<'a>, form: OffsetsForm) -> Result<Self> {
        let schema = query.request().schema();
        let name = field.name;
        let data = field.data.unwrap_or_default();
        let value_size = usize::try_from(query.request().value_size(name))
            .unwrap_or_default()
            .max(1);
        let is_var = schema.is_var(name);
        let cell_size = usize::try_from(query.request().cell_size(name)).unwrap_or_default();
        let cell_size = if is_var { 1 } else { cell_size.max(1) };
        let starts = is_var.then(|| {
            let offsets = field.offsets.unwrap_or_default();
            starts_of(name, offsets, data.len() as u64, value_size, form)
        });
        let new = Self {
            name,
            data,
            starts: starts.transpose()?,
            validity: field
                .validity
                .filter(|_| schema.is_nullable(name))
                .unwrap_or_default(),
            cell_size,
            value_size,
        };
        let cells = new.cell_num();
        let is_whole = is_var || data.len() == cells * cell_size;
        // Surplus validity is ignored, as in writes that are not sent.
        match new.validity.get(..cells) {
            Some(validity) if is_whole => Ok(Self { validity, ..new }),
            None if is_whole && !schema.is_nullable(name) => Ok(new),
            _ => Err(WriteError::UnequalFields.into()),
        }
    }

    fn cell_num(&self) -> usize {
        match &self.starts {
            Some(starts) => starts.len() - 1,
            None => self.data.len() / self.cell_size,
        }
    }

    /// Returns where a cell starts in the data.
    fn start(&self, cell: usize) -> usize {
        match &self.starts {
            Some(starts) => starts
                .get(cell)
                .map_or(self.data.len(), |start| *start as usize),
            None => cell * self.cell_size,
        }
    }

    /// Returns the starts of the variable-length cells from a position, the data and the validity.
    fn cells_from(&self, from: usize) -> (&[u64], &[u8], &[u8]) {
        let starts = self
            .starts
            .as_ref()
            .and_then(|starts| starts.get(from..starts.len() - 1));
        let data = self.data.get(self.start(from)..);
        let validity = self.validity.get(from..);
        (
            starts.unwrap_or_default(),
            data.unwrap_or_default(),
            validity.unwrap_or_default(),
        )
    }

    /// Returns the content of a request, as [`PartialTile::content`] does: the earlier cells and
    /// the first `number` new ones.
    fn content<'s>(
        &'s self,
        earlier: Option<&'s FieldPart>,
        number: usize,
        form: OffsetsForm,
    ) -> Result<SentField<'s>> {
        let (first, last) = (self.start(0), self.start(number));
        let data = self.data.get(first..last).unwrap_or_default();
        let validity = self.validity.get(..number).unwrap_or_default();
        let before = earlier.map_or(&[][..], |part| &part.data);
        let mut parts: Vec<Cow<'s, [u8]>> = Vec::new();
        let mut sizes = FieldSizes {
            data: (before.len() + data.len()) as u64,
            offsets: 0,
            validity: (earlier.map_or(0, |part| part.validity.len()) + validity.len()) as u64,
        };
        if let Some(starts) = &self.starts {
            let earlier_starts = earlier.map_or(&[][..], |part| &part.starts).iter().copied();
            let new_starts = starts.get(..number).unwrap_or_default();
            let shift = before.len() as u64;
            let new_starts = new_starts.iter().map(|start| start - first as u64 + shift);
            let extra = form.extra.then_some(sizes.data);
            let offset_num = earlier_starts.len() + new_starts.len() + usize::from(form.extra);
            let mut encoded = try_vec("offsets of a write", offset_num * OFFSET_SIZE)?;
            let all = earlier_starts.chain(new_starts).chain(extra);
            form.put_all(&mut encoded, all, self.value_size);
            sizes.offsets = encoded.len() as u64;
            parts.push(Cow::Owned(encoded));
        }
        parts.extend([Cow::Borrowed(before), Cow::Borrowed(data)]);
        if let Some(earlier) = earlier {
            parts.push(Cow::Borrowed(&earlier.validity));
        }
        parts.push(Cow::Borrowed(validity));
        Ok(SentField { sizes, parts })
    }
}

/// Returns where cells start in data of `size` bytes, and `size`.
fn starts_of(
    name: &str,
    offsets: &[u8],
    size: u64,
    value_size: usize,
    form: OffsetsForm,
) -> Result<Vec<u64>> {
    let number = usize::try_from(form.capacity(offsets.len() as u64)).unwrap_or_default();
    let mut starts = Vec::new();
    reserve_exact("offsets of a write", &mut starts, number + 1)?;
    form.get_all(offsets, number, value_size, &mut starts);
    starts.push(size);
    if !starts.is_sorted() {
        let name = name.to_owned();
        return Err(WriteBufferError::DecreasingOffsets { name }.into());
    }
    Ok(starts)
}
