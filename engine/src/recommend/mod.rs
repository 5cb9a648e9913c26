//! Recommends a schema from a sample of cells: the shape of tiles, enumerations for texts of few
//! values, and filters.
//!
//! The caller gives a draft: a valid schema with the names, datatypes and domains, and a
//! [`Sample`].
//! `sample` checks it and takes excerpts, `layout` chooses the shape of tiles and sorts the cells
//! as they will be stored, `value_counts` counts values, `labels` makes texts an enumeration, and
//! `encodings` encodes excerpts with lists of filters, whose times are those of `costs`. Nothing is
//! timed and nothing is random: the same draft and sample have the same recommendation on every
//! machine.
//!
//! Time and memory are bounded: at most 2^18 cells are looked at, at most 1 MiB of each field is
//! encoded with each of about 30 lists of filters, and at most 2^16 distinct values are counted.

mod costs;
mod encodings;
mod labels;
mod layout;
mod sample;
mod value_counts;

use std::fmt;
use std::sync::Arc;

pub use costs::{Goal, Weights};
pub use encodings::{FieldPart, candidates};
pub use sample::{Sample, SampleColumn};

use crate::error::Result;
use crate::filter::FilterList;
use crate::schema::{ArraySchema, Attribute, EnumerationPath, SchemaDraft};
use crate::tile::Cells;
use crate::types::Datatype;
use encodings::{Encoding, Trial};
use labels::{Labels, can_be_enumerated};
use layout::{set_tiles, stored_order};
use sample::{SampleField, excerpt, looked_at};
use value_counts::ValueCounts;

/// A recommended schema, with the reasons.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recommendation {
    /// The schema.
    pub(crate) schema: Arc<ArraySchema>,
    /// The choices and their reasons: for the tiles, then for each field of the sample, then for
    /// the offsets and the validity of fields that have them.
    pub reasons: Vec<Reason>,
}

impl Recommendation {
    /// Returns the schema as the engine's modules use it.
    #[doc(hidden)]
    pub fn array_schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }
}

/// A choice, and why it was made. `Display` prints one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// A field, or a property of the schema.
    pub subject: String,
    /// The choice.
    pub choice: String,
    /// The figures that led to it.
    pub figures: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.subject, self.choice, self.figures)
    }
}

/// Recommends a schema for the cells of a sample.
///
/// # Errors
///
/// If the columns of the sample do not fit the draft or each other, or there are no cells.
pub fn recommend(draft: &ArraySchema, sample: &Sample<'_>) -> Result<Recommendation> {
    let fields = sample.fields(draft)?;
    let weights = sample.goal.weights();
    let mut cells = looked_at(fields.first().map_or(0, |field| field.cells));
    let mut schema = as_new(draft);
    let mut reasons = Vec::new();
    if let Some((choice, figures)) = set_tiles(&mut schema, sample, &fields, &cells)? {
        let subject = "tiles".to_owned();
        reasons.push(Reason {
            subject,
            choice,
            figures,
        });
    }
    stored_order(&schema, &fields, &mut cells);
    let tile_cells = cells_of_tile(&schema);
    let excerpts: Vec<Vec<Cells>> = fields.iter().map(|field| excerpt(field, &cells)).collect();
    // The offsets of all fields have the same filters, and so has the validity.
    let common = |part: FieldPart, datatype: Datatype, has: &dyn Fn(&SampleField<'_>) -> bool| {
        let some: Vec<&[Cells]> = fields
            .iter()
            .zip(&excerpts)
            .filter(|(field, _)| has(field))
            .map(|(_, excerpt)| &excerpt[..])
            .collect();
        let is_empty = some.is_empty();
        let mut trial = Trial::new(some, part, (datatype, 1), tile_cells, weights);
        trial.choose().filter(|_| !is_empty)
    };
    let offsets = common(FieldPart::Offsets, Datatype::Uint64, &|field| {
        field.is_var()
    });
    let mut attributes: Vec<Arc<Attribute>> = schema.attributes.iter().cloned().collect();
    let mut has_offsets = false;
    for (field, excerpt) in fields.iter().zip(&excerpts) {
        let name = field.column.name;
        let types = (field.datatype, field.cell_val_num);
        let mut trial = Trial::new(vec![excerpt], FieldPart::Values, types, tile_cells, weights);
        if field.is_var() {
            trial.offsets = offsets.as_ref().map(|(offsets, _)| offsets.clone());
        }
        let Some((encoding, next)) = trial.choose() else {
            continue;
        };
        let profile = ValueCounts::new(field, &cells);
        let mut reason = filter_reason(name, &encoding, next.as_ref(), &profile.text());
        if let Some(attribute) = attributes.iter_mut().find(|found| found.name == name) {
            let attribute = Arc::make_mut(attribute);
            if can_be_enumerated(draft, attribute, sample) {
                let labels = Labels::new(field, &profile, &cells, tile_cells, sample);
                let labels = labels.and_then(|labels| labels.if_cheaper(&encoding, weights));
                match labels {
                    Ok(labels) => {
                        let enumeration = labels.enumeration(attribute)?;
                        let path = EnumerationPath::of(Arc::new(enumeration));
                        schema.enumerations.push(path);
                        let (choice, figures) = labels.texts(&encoding);
                        reasons.push(Reason {
                            subject: name.to_owned(),
                            choice,
                            figures,
                        });
                        *attribute = labels.attribute(attribute)?;
                        continue;
                    }
                    Err(refusal) => reason.figures = format!("{}; {refusal}", reason.figures),
                }
            }
            attribute.set_filters(filter_list(&encoding))?;
        }
        let dimensions = &mut schema.domain.dimensions;
        if let Some(index) = dimensions.index_of(name) {
            if encoding.filters.is_empty() {
                // A dimension without filters has those of the coordinates.
                schema.coords_filters = Arc::default();
            }
            dimensions.update(|dimensions| {
                Arc::make_mut(&mut dimensions[index]).set_filters(filter_list(&encoding))
            })?;
        }
        has_offsets |= field.is_var();
        reasons.push(reason);
    }
    schema.attributes = attributes.into_iter().collect();
    if let Some((encoding, next)) = offsets.filter(|_| has_offsets) {
        schema.offsets_filters = filter_list(&encoding);
        reasons.push(filter_reason(
            "offsets",
            &encoding,
            next.as_ref(),
            "all fields",
        ));
    }
    let is_nullable = |field: &SampleField<'_>| {
        let attribute = schema.attributes.index_of(field.column.name);
        attribute.is_some_and(|index| schema.attributes[index].nullable)
    };
    if let Some((encoding, next)) = common(FieldPart::Validity, Datatype::Uint8, &is_nullable) {
        schema.validity_filters = filter_list(&encoding);
        reasons.push(filter_reason(
            "validity",
            &encoding,
            next.as_ref(),
            "all fields",
        ));
    }
    let schema = SchemaDraft::of(&Arc::new(schema)).finish()?;
    Ok(Recommendation {
        schema: Arc::new(schema),
        reasons,
    })
}

/// Returns a copy of a schema that is not stored yet.
fn as_new(draft: &ArraySchema) -> ArraySchema {
    let new = SchemaDraft::new(draft.array_type, None);
    ArraySchema {
        version: new.properties().version,
        name: String::new(),
        timestamps: new.properties().timestamps,
        ..draft.clone()
    }
}

/// Returns the number of cells of a tile.
fn cells_of_tile(schema: &ArraySchema) -> u64 {
    if !schema.is_dense() {
        return schema.capacity;
    }
    schema
        .domain
        .dimensions
        .iter()
        .map(|dimension| {
            let extent = dimension.extent.as_deref().unwrap_or(&[1]);
            let mut word = [0; 8];
            let len = extent.len().min(word.len());
            word[..len].copy_from_slice(&extent[..len]);
            u64::from_le_bytes(word)
        })
        .fold(1, u64::saturating_mul)
}

fn filter_list(encoding: &Encoding) -> Arc<FilterList> {
    Arc::new(FilterList {
        filters: encoding.filters.clone(),
        ..FilterList::default()
    })
}

fn filter_reason(
    subject: &str,
    encoding: &Encoding,
    next: Option<&Encoding>,
    about: &str,
) -> Reason {
    let mut figures = format!("{about}; {}", encoding.figures());
    if let Some(next) = next {
        let (name, filtered, decode) = (next.name(), next.filtered, next.decode);
        figures += &format!(", next {name} with {filtered:.2} bytes and {decode:.1} ns");
    }
    Reason {
        subject: subject.to_owned(),
        choice: encoding.name(),
        figures,
    }
}
