//! Arrays of one dimension that both libraries create, write and consolidate in the same way.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::attribute::{AttributeSpec, Column, VAR};
use crate::library::Library;
use crate::query::{DELETE, Query, WRITE};

pub(crate) const INT32: u32 = 0;
const STRING_ASCII: u32 = 11;
/// The tile extent of the dimension.
const EXTENT: i32 = 10;

/// An array of one dimension with a fixed, a variable-length and a nullable attribute.
pub(crate) struct Stored {
    pub(crate) uri: CString,
    pub(crate) dense: bool,
}

pub(crate) fn field(
    name: &CStr,
    datatype: u32,
    cell_val_num: u32,
    nullable: bool,
) -> AttributeSpec {
    AttributeSpec {
        name: name.to_owned(),
        datatype,
        size: if datatype == INT32 { 4 } else { 1 },
        cell_val_num,
        nullable,
        filters: Default::default(),
        fill: None,
        coordinates: None,
    }
}

pub(crate) fn attributes() -> [AttributeSpec; 3] {
    [
        field(c"a", INT32, 1, false),
        field(c"v", STRING_ASCII, VAR, false),
        field(c"n", INT32, 1, true),
    ]
}

fn numbers(values: impl Iterator<Item = i32>) -> Column {
    Column {
        data: values.flat_map(i32::to_le_bytes).collect(),
        ..Column::default()
    }
}

/// The cells `first..first + count` of the dimension and the three attributes.
fn cells(first: i32, count: i32) -> [Column; 4] {
    let texts: Vec<String> = (0..count)
        .map(|index| "x".repeat(1 + index as usize % 3))
        .collect();
    let offsets = texts.iter().scan(0, |end, text| {
        let start = *end;
        *end += text.len() as u64;
        Some(start)
    });
    let text = Column {
        offsets: offsets.collect(),
        data: texts.concat().into_bytes(),
        ..Column::default()
    };
    let nullable = Column {
        validity: (0..count).map(|index| (index % 2) as u8).collect(),
        ..numbers(0..count)
    };
    [
        numbers(first..first + count),
        numbers(0..count),
        text,
        nullable,
    ]
}

impl Stored {
    pub(crate) fn create(
        library: &Library,
        folder: &Path,
        name: &str,
        dense: bool,
        dups: bool,
    ) -> Self {
        let uri = folder.join(format!("{}-{name}", library.name));
        let uri = CString::new(uri.to_str().expect("path")).expect("path");
        let (ends, extent) = ([1i32, 1000], EXTENT);
        let (domain, name) = (library.make("domain_alloc", &[]), c"x");
        let arguments = [
            name.as_ptr() as usize,
            INT32 as usize,
            ends.as_ptr() as usize,
        ];
        let arguments = [&arguments[..], &[std::ptr::from_ref(&extent) as usize]].concat();
        let dimension = library.make("dimension_alloc", &arguments);
        library.ok("domain_add_dimension", &[domain, dimension]);
        let schema = library.make("array_schema_alloc", &[usize::from(!dense)]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        if !dense {
            library.ok("array_schema_set_capacity", &[schema, EXTENT as usize]);
            library.ok("array_schema_set_allows_dups", &[schema, usize::from(dups)]);
        }
        for attribute in attributes() {
            let attribute = attribute.make(library);
            library.ok("array_schema_add_attribute", &[schema, attribute]);
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
        Self { uri, dense }
    }

    pub(crate) fn query<'a>(&self, library: &'a Library, mode: usize, layout: usize) -> Query<'a> {
        let query = Query::open(library, &self.uri, mode);
        if mode != DELETE {
            query.set_layout(layout);
        }
        query
    }

    pub(crate) fn set_range(&self, query: &Query<'_>, low: i32, high: i32) {
        query.set_ranges([(0, false, low.to_le_bytes(), high.to_le_bytes())]);
    }

    pub(crate) fn write(&self, library: &Library, layout: usize, first: i32, count: i32) {
        let query = self.query(library, WRITE, layout);
        if self.dense {
            self.set_range(&query, first, first + count - 1);
        }
        let dimension = field(c"x", INT32, 1, false);
        let attributes = attributes();
        let fields: Vec<_> = [&dimension].into_iter().chain(&attributes).collect();
        let skipped = usize::from(self.dense);
        let columns = cells(first, count)[skipped..].to_vec();
        query
            .write(&fields[skipped..], &[columns])
            .expect("written");
    }

    pub(crate) fn maintain(&self, library: &Library, function: &str, mode: &CStr) {
        let key = match function {
            "array_vacuum" => c"sm.vacuum.mode",
            _ => c"sm.consolidation.mode",
        };
        let config = library.context_config(&[(key, mode)]);
        library.ok(function, &[self.uri.as_ptr() as usize, config]);
        library.free("config_free", config);
    }
}
