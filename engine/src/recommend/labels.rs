//! Enumerations for texts of few values.

use std::collections::HashMap;
use std::sync::Arc;

use super::costs::{MAX_LABELS, MAX_UNSEEN, TEXT_CELL, Weights};
use super::encodings::{Encoding, FieldPart, Trial};
use super::sample::{Sample, SampleColumn, SampleField, excerpt};
use super::value_counts::{MAX_DISTINCT, ValueCounts};
use crate::error::Error;
use crate::filter::FilterList;
use crate::schema::{ArraySchema, Attribute, Enumeration, EnumerationValues};
use crate::types::{DataOrder, Datatype, VAR_NUM};

/// The most labels for which indexes have 16 bits: three times as many can be added later.
const MAX_SHORT_LABELS: usize = 1 << 14;

/// Returns whether an attribute has texts without an enumeration, and may get one.
pub(super) fn can_be_enumerated(
    draft: &ArraySchema,
    attribute: &Attribute,
    sample: &Sample<'_>,
) -> bool {
    let is_text = matches!(
        attribute.datatype,
        Datatype::StringAscii | Datatype::StringUtf8
    );
    is_text
        && attribute.cell_val_num == VAR_NUM
        && attribute.enumeration.is_none()
        && attribute.order == DataOrder::Unordered
        && !attribute.name.is_empty()
        && draft.enumeration(&attribute.name).is_none()
        && !sample.texts.contains(&attribute.name)
}

/// The distinct texts of a field, and the costs of their indexes.
#[derive(Debug)]
pub(super) struct Labels<'a> {
    values: Vec<&'a [u8]>,
    /// The datatype of the indexes.
    datatype: Datatype,
    encoding: Encoding,
    /// The number of cells of the array.
    total_cells: f64,
    profile: String,
    unseen: f64,
}

impl<'a> Labels<'a> {
    /// Makes the texts of a field labels. Returns the reason as text if they are too many, or if
    /// the sample lacks too many.
    pub(super) fn new(
        field: &SampleField<'a>,
        profile: &ValueCounts<'a>,
        order: &[usize],
        tile_cells: u64,
        sample: &Sample<'_>,
    ) -> Result<Self, String> {
        let Some(values) = &profile.distinct else {
            return Err(format!("over {MAX_DISTINCT} texts are too many for labels"));
        };
        if values.is_empty() {
            return Err("no texts to be labels".to_owned());
        }
        if values.len() > MAX_LABELS {
            return Err(format!("over {MAX_LABELS} texts are too many for labels"));
        }
        let unseen = profile.unseen();
        if unseen > MAX_UNSEEN {
            let percent = unseen * 100.0;
            return Err(format!(
                "{percent:.1} % of further cells would have new labels"
            ));
        }
        let datatype = if values.len() > MAX_SHORT_LABELS {
            Datatype::Int32
        } else {
            Datatype::Uint16
        };
        let indexes: HashMap<&[u8], u64> = values
            .iter()
            .zip(0u64..)
            .map(|(text, index)| (*text, index))
            .collect();
        let mut data = Vec::with_capacity(order.len() * datatype.size());
        let mut validity = Vec::with_capacity(order.len());
        for cell in order {
            let index = indexes.get(field.bytes(*cell)).copied().unwrap_or(0);
            data.extend_from_slice(&index.to_le_bytes()[..datatype.size()]);
            validity.push(u8::from(field.is_valid(*cell)));
        }
        let indexes = SampleField {
            column: SampleColumn {
                name: field.column.name,
                data: &data,
                offsets: None,
                validity: Some(&validity),
            },
            datatype,
            cell_val_num: 1,
            cells: order.len(),
        };
        let all: Vec<usize> = (0..order.len()).collect();
        let excerpt = excerpt(&indexes, &all);
        let weights = sample.goal.weights();
        let types = (datatype, 1);
        let mut trial = Trial::new(
            vec![&excerpt],
            FieldPart::Values,
            types,
            tile_cells,
            weights,
        );
        let Some((encoding, _)) = trial.choose() else {
            return Err("no filters for the indexes of labels".to_owned());
        };
        Ok(Self {
            values: values.clone(),
            datatype,
            encoding,
            total_cells: sample.total_cells.unwrap_or(field.cells as u64) as f64,
            profile: profile.text(),
            unseen,
        })
    }

    /// Returns the labels if they cost less than the texts, otherwise the reason as text.
    pub(super) fn if_cheaper(self, texts: &Encoding, weights: Weights) -> Result<Self, String> {
        let label_bytes: usize = self.values.iter().map(|value| value.len() + 8).sum();
        let label_bytes = label_bytes as f64 / self.total_cells.max(1.0);
        let labels = self.encoding.cost + weights.stored_byte * label_bytes;
        if labels < texts.cost + TEXT_CELL {
            return Ok(self);
        }
        let (bytes, number) = (self.encoding.filtered + label_bytes, self.values.len());
        Err(format!(
            "labels would not be cheaper: {number} with {bytes:.2} bytes a cell"
        ))
    }

    pub(super) fn enumeration(&self, attribute: &Attribute) -> Result<Enumeration, Error> {
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        for value in &self.values {
            offsets.extend((data.len() as u64).to_le_bytes());
            data.extend_from_slice(value);
        }
        let values = EnumerationValues {
            data: Some(&data),
            offsets: Some(&offsets),
        };
        Enumeration::new(&attribute.name, attribute.datatype, VAR_NUM, false, values)
    }

    /// Returns the attribute with the indexes of the labels.
    pub(super) fn attribute(&self, attribute: &Attribute) -> Result<Attribute, Error> {
        let mut indexes = Attribute::new(&attribute.name, self.datatype);
        indexes.set_nullable(attribute.nullable)?;
        indexes.set_enumeration(&attribute.name)?;
        indexes.set_filters(Arc::new(FilterList {
            filters: self.encoding.filters.clone(),
            ..FilterList::default()
        }))?;
        Ok(indexes)
    }

    /// Returns the choice and its figures as texts.
    pub(super) fn texts(&self, texts: &Encoding) -> (String, String) {
        let (number, datatype) = (self.values.len(), self.datatype.name());
        let (profile, encoding) = (&self.profile, &self.encoding);
        let choice = format!("enumeration of {number} as {datatype}, {}", encoding.name());
        let (name, filtered, decode) = (texts.name(), texts.filtered, texts.decode + TEXT_CELL);
        let figures = format!(
            "{profile}, {:.2} % of further cells with new ones; {}, as texts with {name} \
             {filtered:.2} bytes and {decode:.1} ns",
            self.unseen * 100.0,
            encoding.figures(),
        );
        (choice, figures)
    }
}
