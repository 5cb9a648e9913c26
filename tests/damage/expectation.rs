//! The cells that a damaged array may deliver: if only files with checksums changed, the original
//! ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::arrays::{Done, OpenArray, READ, c_path};
use crate::cells::{self, Cells, Delivered, Field, Handle, Request, Shape};
use crate::library::{Library, address};
use crate::operations::ROW_MAJOR;
use crate::single_operations::non_empty_domain;
use crate::source::Source;
use crate::workers::Session;

const MD5: u32 = 12;
const SHA256: u32 = 13;

/// The functions that return a dimension, free it and return its filters.
const DIMENSION: [&str; 3] = [
    "domain_get_dimension_from_index",
    "dimension_free",
    "dimension_get_filter_list",
];
/// The functions that return an attribute, free it and return its filters.
const ATTRIBUTE: [&str; 3] = [
    "array_schema_get_attribute_from_index",
    "attribute_free",
    "attribute_get_filter_list",
];

/// The cells of fields whose files are unchanged or have checksums.
#[derive(Debug)]
pub(crate) struct Expectation {
    cells: BTreeMap<String, Cells>,
}

impl Expectation {
    /// Reads the object as it was written; `changed` are the files whose bytes changed afterwards.
    pub(crate) fn of(
        session: &Session,
        library: &Library,
        source: &Source,
        whole: &Path,
        changed: &[String],
    ) -> Option<Self> {
        let schemas = fs::read_dir(whole.join("__schema"))
            .into_iter()
            .flatten()
            .flatten();
        let schemas = schemas.filter(|entry| entry.path().is_file()).count();
        if schemas > 1 {
            // Files are named by the field numbers in the schema of their fragment.
            return None;
        }
        let key = source.key_text();
        let library = crate::operations::context(library, key.as_deref());
        let read = || -> Done<Option<Self>> {
            let uri = c_path(whole);
            let array = OpenArray::open(&library, &uri, READ, None)?;
            let make = "array_get_schema";
            let schema = Handle::make(&library, make, &[array.handle], "array_schema_free")?;
            let shape = Shape::of(&library, schema.raw)?;
            let filters = Filters::of(&library, schema.raw, &shape)?;
            let Some(trusted) = filters.trusted(changed, source.encrypted) else {
                return Ok(None);
            };
            let ends = non_empty_domain(&library, &array)?;
            let delivered = cells::read(
                &library,
                &array,
                &Request {
                    layout: ROW_MAJOR,
                    subarray: ends.as_deref().filter(|_| !shape.sparse),
                    condition: None,
                    fields: &shape.fields,
                },
            )?;
            let deletes = fs::read_dir(whole.join("__commits"))
                .into_iter()
                .flatten()
                .flatten();
            let deletes = deletes.map(|entry| entry.file_name().to_string_lossy().into_owned());
            let deletes = deletes
                .filter(|name| name.ends_with(".del") || name.ends_with(".con"))
                .count();
            let all_trusted = trusted.len() == shape.fields.len();
            if shape.dups || !delivered.completed || deletes > 0 && !all_trusted {
                return Ok(None);
            }
            let cells = delivered
                .fields
                .into_iter()
                .filter(|(name, _)| trusted.contains(name));
            Ok(Some(Self {
                cells: cells.collect(),
            }))
        };
        session.run("read the array as written", read).flatten()
    }

    /// Returns the name of a field whose cells differ from the original ones.
    pub(crate) fn violated_by(&self, delivered: &Delivered) -> Option<String> {
        let wrong = delivered.fields.iter().find(|(name, cells)| {
            let expected = self.cells.get(name);
            expected.is_some_and(|expected| expected != cells)
        });
        wrong
            .map(|(name, _)| name.clone())
            .filter(|_| delivered.completed)
    }
}

/// The checksums of the files of a field.
struct Filters {
    fields: Vec<Field>,
    sparse: bool,
    values: Vec<bool>,
    offsets: bool,
    validity: bool,
}

impl Filters {
    fn of(library: &Library, schema: usize, shape: &Shape) -> Done<Self> {
        let list = |function: &str, arguments: &[usize]| -> Done<bool> {
            let list = Handle::make(library, function, arguments, "filter_list_free")?;
            has_checksum(library, list.raw)
        };
        let coordinates = list("array_schema_get_coords_filter_list", &[schema])?;
        let domain = Handle::make(library, "array_schema_get_domain", &[schema], "domain_free")?;
        let dimensions = shape
            .fields
            .iter()
            .filter(|field| field.is_dimension)
            .count();
        let mut values = Vec::new();
        for (position, field) in shape.fields.iter().enumerate() {
            let ([get, free, filters], arguments) = if field.is_dimension {
                (DIMENSION, [domain.raw, position])
            } else {
                (ATTRIBUTE, [schema, position - dimensions])
            };
            let handle = Handle::make(library, get, &arguments, free)?;
            let is_trusted = list(filters, &[handle.raw])?;
            values.push(is_trusted || field.is_dimension && coordinates);
        }
        Ok(Self {
            fields: shape.fields.clone(),
            sparse: shape.sparse,
            values,
            offsets: list("array_schema_get_offsets_filter_list", &[schema])?,
            validity: list("array_schema_get_validity_filter_list", &[schema])?,
        })
    }

    /// Returns the fields that must have their original cells, or `None` if any cells may be
    /// delivered.
    fn trusted(&self, changed: &[String], encrypted: bool) -> Option<Vec<String>> {
        let mut trusted = vec![true; self.fields.len()];
        for path in changed {
            let name = path.rsplit('/').next().unwrap_or_default();
            let (index, checked) = self.find(name.strip_suffix(".tdb")?)?;
            if checked || encrypted {
                continue;
            }
            if self.sparse && self.fields[index].is_dimension {
                return None;
            }
            trusted[index] = false;
        }
        let names = self
            .fields
            .iter()
            .zip(trusted)
            .filter(|(_, trusted)| *trusted);
        Some(
            names
                .map(|(field, _)| field.name.to_string_lossy().into_owned())
                .collect(),
        )
    }

    /// Returns the field that a data file belongs to, and whether the file has checksums.
    fn find(&self, stem: &str) -> Option<(usize, bool)> {
        let dimensions = self
            .fields
            .iter()
            .filter(|field| field.is_dimension)
            .count();
        self.fields.iter().enumerate().find_map(|(index, field)| {
            let number = if field.is_dimension {
                format!("d{index}")
            } else {
                format!("a{}", index - dimensions)
            };
            // Before format 8 files have the names of fields.
            let field_name = field.name.to_string_lossy();
            let rest = [number.as_str(), &*field_name]
                .into_iter()
                .find_map(|name| stem.strip_prefix(name))?;
            let values = self.values[index];
            match (rest, field.is_var()) {
                ("", false) | ("_var", true) => Some((index, values)),
                ("", true) => Some((index, self.offsets)),
                ("_validity", _) => Some((index, self.validity)),
                _ => None,
            }
        })
    }
}

fn has_checksum(library: &Library, list: usize) -> Done<bool> {
    let mut count = 0u32;
    library.attempt("filter_list_get_nfilters", &[list, address(&mut count)])?;
    for index in 0..count as usize {
        let make = "filter_list_get_filter_from_index";
        let filter = Handle::make(library, make, &[list, index], "filter_free")?;
        let mut kind = 0u32;
        library.attempt("filter_get_type", &[filter.raw, address(&mut kind)])?;
        if matches!(kind, MD5 | SHA256) {
            return Ok(true);
        }
    }
    Ok(false)
}
