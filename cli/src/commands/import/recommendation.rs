//! Schemas that are recommended for a sample of the cells of a file.

use std::collections::HashSet;

use tiledb_engine::{CellBytes, FilterList, Goal, Sample, SampleColumn, Scalar, Schema};

use super::{Labels, compression};
use crate::args::SchemaGoal;
use crate::problem::Result;

/// The most rows of a sample.
pub(super) const SAMPLE_ROWS: usize = 196_608;
/// The size of the cells of a sample in bytes after which no more are added.
pub(super) const SAMPLE_BYTES: usize = 64 << 20;

/// The size of a sample in bytes below which the schema stays as it is: what suits a few cells may
/// not suit those that are appended later.
const MIN_SAMPLE_BYTES: usize = 16 << 10;
/// The most values of an enumeration; a column with more becomes one of plain texts.
const MAX_LABELS: usize = 1 << 16;

/// The cells of a sample.
#[derive(Debug, Default)]
pub(super) struct SampleCells {
    columns: Vec<SampleCellsOfField>,
}

/// The cells of a field, in the form of those of [`CellBytes`].
#[derive(Debug)]
struct SampleCellsOfField {
    name: String,
    data: Vec<u8>,
    offsets: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
}

/// A schema, and the reason for each part of it.
#[derive(Debug)]
pub(super) struct RecommendedSchema {
    pub(super) schema: Schema,
    /// The lines of the reasons by their subjects.
    pub(super) by_subject: Vec<(String, String)>,
}

impl RecommendedSchema {
    /// Returns the lines of the reasons.
    pub(super) fn reasons(&self) -> Vec<String> {
        let reasons = self.by_subject.iter();
        reasons.map(|(_, reason)| reason.clone()).collect()
    }

    /// Returns the lines of the reasons, those of the enumerations `labels` from the recommendation
    /// that chose them.
    pub(super) fn reasons_with_labels(&self, first: &Self, labels: &[&str]) -> Vec<String> {
        let reasons = self.by_subject.iter().map(|(subject, reason)| {
            let mut before = first.by_subject.iter();
            let before = before.find(|(other, _)| other == subject);
            let before = before.filter(|_| labels.contains(&&subject[..]));
            before.map_or(reason, |(_, before)| before).clone()
        });
        reasons.collect()
    }
}

/// The distinct texts of a column, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct LabelSet {
    values: Vec<String>,
    seen: HashSet<String>,
}

impl LabelSet {
    /// Adds a text, unless there are too many.
    pub(super) fn add(&mut self, text: &str) {
        if self.values.len() <= MAX_LABELS && !self.seen.contains(text) {
            self.seen.insert(text.to_owned());
            self.values.push(text.to_owned());
        }
    }

    /// Returns the labels; `None` if there are too many.
    pub(super) fn finish(self, ordered: bool) -> Option<Labels> {
        let values = self.values;
        (values.len() <= MAX_LABELS).then_some(Labels { values, ordered })
    }
}

impl SampleCells {
    /// Adds the numbers of rows.
    pub(super) fn add_rows(&mut self, name: &str, rows: &[u64]) {
        let data = rows.iter().flat_map(|row| row.to_le_bytes());
        self.columns.push(SampleCellsOfField {
            name: name.to_owned(),
            data: data.collect(),
            offsets: None,
            validity: None,
        });
    }

    /// Adds cells of a field.
    pub(super) fn add_bytes(&mut self, name: &str, cells: CellBytes<'_>) {
        self.columns.push(SampleCellsOfField {
            name: name.to_owned(),
            data: cells.data.to_vec(),
            offsets: cells.offsets.map(<[u64]>::to_vec),
            validity: cells.validity.map(<[u8]>::to_vec),
        });
    }

    /// Adds values that are converted to the datatype of the field. The field is left out if one
    /// cannot be: the import of its row reports that.
    pub(super) fn add_values(
        &mut self,
        draft: &Schema,
        name: &str,
        values: impl Iterator<Item = Option<Scalar>>,
    ) {
        let Some(datatype) = draft.datatype(name) else {
            return;
        };
        let is_var = draft.dimension(name).is_some_and(|found| found.is_var())
            || draft.attribute(name).is_some_and(|found| found.is_var());
        let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
        for value in values {
            offsets.push(data.len() as u64);
            validity.push(u8::from(value.is_some()));
            match value.map(|value| value.to_bytes(datatype)) {
                Some(Ok(bytes)) => data.extend(bytes),
                Some(Err(_)) => return,
                None if is_var => {}
                None => data.resize(data.len() + datatype.size(), 0),
            }
        }
        self.columns.push(SampleCellsOfField {
            name: name.to_owned(),
            data,
            offsets: is_var.then_some(offsets),
            validity: Some(validity),
        });
    }

    fn is_small(&self) -> bool {
        let sizes = self.columns.iter().map(|column| column.data.len());
        sizes.sum::<usize>() < MIN_SAMPLE_BYTES
    }

    /// Returns the schema that is recommended for the sample. `total` is the number of cells of the
    /// array, if it is known; the fields `texts` get no enumerations.
    pub(super) fn recommend(
        &self,
        draft: &Schema,
        goal: SchemaGoal,
        total: Option<u64>,
        texts: &[String],
    ) -> Result<RecommendedSchema> {
        let goal = match goal {
            _ if self.is_small() => {
                return Ok(RecommendedSchema {
                    schema: draft.clone(),
                    by_subject: Vec::new(),
                });
            }
            SchemaGoal::Balanced => Goal::Balanced,
            SchemaGoal::Size => Goal::Size,
            SchemaGoal::Speed => Goal::Speed,
            SchemaGoal::None => {
                return Ok(RecommendedSchema {
                    schema: draft.clone(),
                    by_subject: Vec::new(),
                });
            }
        };
        let mut sample = Sample::new().goal(goal);
        if let Some(total) = total {
            sample = sample.total_cells(total);
        }
        for text in texts {
            sample = sample.keep_texts(text);
        }
        for column in &self.columns {
            sample = sample.column(SampleColumn {
                name: &column.name,
                data: &column.data,
                offsets: column.offsets.as_deref(),
                validity: column.validity.as_deref(),
            });
        }
        let recommendation = draft.recommend(&sample)?;
        let reasons = recommendation.reasons.iter();
        Ok(RecommendedSchema {
            schema: recommendation.schema(),
            by_subject: reasons
                .map(|reason| (reason.subject.clone(), reason.to_string()))
                .collect(),
        })
    }

    /// Returns the filters that are recommended for a field of a dense array whose tiles stay as
    /// they are, and the reasons.
    pub(super) fn filters(
        &self,
        draft: &Schema,
        goal: SchemaGoal,
        field: &str,
    ) -> Result<(FilterList, Vec<String>)> {
        if goal == SchemaGoal::None || self.is_small() {
            return Ok((compression(), Vec::new()));
        }
        let recommended = self.recommend(draft, goal, None, &[])?;
        let filters = recommended.schema.filters(field).cloned();
        let reasons = recommended.by_subject.into_iter();
        let reasons = reasons.filter(|(subject, _)| subject == field);
        let reasons = reasons.map(|(_, reason)| reason);
        Ok((filters.unwrap_or_default(), reasons.collect()))
    }
}
