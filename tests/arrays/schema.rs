//! The schemas of test arrays: a dimension `x` (int64), an attribute `a` (int32), and optional
//! fields.

use std::ffi::CStr;

use super::{Done, text};
use crate::library::Library;

pub(crate) const INT32: usize = 0;
pub(crate) const INT64: usize = 1;
pub(crate) const FLOAT64: usize = 3;
pub(crate) const UTF8: usize = 12;
pub(crate) const VAR_NUM: usize = u32::MAX as usize;

/// The optional parts of an array in addition to `x` and `a`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) sparse: bool,
    pub(crate) dups: bool,
    /// The attributes `v` (UTF-8, variable size) and `n` (nullable float64).
    pub(crate) wide: bool,
    /// The dimension label `l` (int64, increasing) on `x`.
    pub(crate) labelled: bool,
    /// The attribute `e` (int32) with an enumeration of colors.
    pub(crate) enumerated: bool,
    /// A current domain of half of the domain.
    pub(crate) bounded: bool,
}

pub(crate) const DENSE: Shape = Shape {
    sparse: false,
    dups: false,
    wide: false,
    labelled: false,
    enumerated: false,
    bounded: false,
};
pub(crate) const SPARSE: Shape = Shape {
    sparse: true,
    ..DENSE
};
pub(crate) const DUPS: Shape = Shape {
    dups: true,
    ..SPARSE
};
pub(crate) const WIDE_DENSE: Shape = Shape {
    wide: true,
    ..DENSE
};
pub(crate) const WIDE_SPARSE: Shape = Shape {
    wide: true,
    ..SPARSE
};
pub(crate) const LABELLED: Shape = Shape {
    labelled: true,
    ..DENSE
};
pub(crate) const ENUMERATED: Shape = Shape {
    enumerated: true,
    ..DENSE
};
pub(crate) const BOUNDED: Shape = Shape {
    bounded: true,
    ..SPARSE
};

/// The last coordinate of dense and of sparse arrays; the first is 0.
pub(crate) const LAST: [i64; 2] = [31, 999];

/// Creates an array.
pub(crate) fn create(library: &Library, uri: &CStr, shape: Shape) -> Done {
    let schema = schema(library, shape)?;
    let created = library.attempt("array_create", &[text(uri), schema]);
    library.free("array_schema_free", schema);
    created
}

/// Returns a schema, which the caller frees.
pub(crate) fn schema(library: &Library, shape: Shape) -> Done<usize> {
    let sparse = usize::from(shape.sparse);
    let ends = [0, LAST[sparse]];
    let extent: i64 = [4, 10][sparse];
    let domain = library.try_make("domain_alloc", &[])?;
    let ends_at = ends.as_ptr() as usize;
    let extent_at = std::ptr::from_ref(&extent) as usize;
    let dimension =
        library.try_make("dimension_alloc", &[text(c"x"), INT64, ends_at, extent_at])?;
    library.attempt("domain_add_dimension", &[domain, dimension])?;
    let schema = library.try_make("array_schema_alloc", &[sparse])?;
    library.attempt("array_schema_set_domain", &[schema, domain])?;
    if shape.sparse {
        library.attempt("array_schema_set_capacity", &[schema, 4])?;
        let dups = usize::from(shape.dups);
        library.attempt("array_schema_set_allows_dups", &[schema, dups])?;
    }
    let add = |attribute| library.attempt("array_schema_add_attribute", &[schema, attribute]);
    add(attribute(library, c"a", INT32)?)?;
    if shape.wide {
        let texts = attribute(library, c"v", UTF8)?;
        library.attempt("attribute_set_cell_val_num", &[texts, VAR_NUM])?;
        add(texts)?;
        let nullable = attribute(library, c"n", FLOAT64)?;
        library.attempt("attribute_set_nullable", &[nullable, 1])?;
        add(nullable)?;
    }
    if shape.enumerated {
        let colors = colors(library, c"colors", &["red", "green", "blue"])?;
        library.attempt("array_schema_add_enumeration", &[schema, colors])?;
        let enumerated = attribute(library, c"e", INT32)?;
        library.attempt(
            "attribute_set_enumeration_name",
            &[enumerated, text(c"colors")],
        )?;
        add(enumerated)?;
    }
    if shape.labelled {
        let label = [schema, 0, text(c"l"), 1, INT64];
        library.attempt("array_schema_add_dimension_label", &label)?;
    }
    if shape.bounded {
        let bounds = current_domain(library, domain, [0, ends[1] / 2])?;
        library.attempt("array_schema_set_current_domain", &[schema, bounds])?;
    }
    library.free("dimension_free", dimension);
    library.free("domain_free", domain);
    Ok(schema)
}

/// Returns an attribute with one value per cell.
pub(crate) fn attribute(library: &Library, name: &CStr, datatype: usize) -> Done<usize> {
    library.try_make("attribute_alloc", &[text(name), datatype])
}

/// Returns an ordered or unordered enumeration of texts.
pub(crate) fn colors(library: &Library, name: &CStr, values: &[&str]) -> Done<usize> {
    let (data, offsets) = packed(values);
    library.try_make(
        "enumeration_alloc",
        &[
            text(name),
            UTF8,
            VAR_NUM,
            0,
            data.as_ptr() as usize,
            data.len(),
            offsets.as_ptr() as usize,
            8 * offsets.len(),
        ],
    )
}

/// Returns texts as data and offsets.
pub(crate) fn packed(values: &[&str]) -> (Vec<u8>, Vec<u64>) {
    let mut data = Vec::new();
    let mut offsets = Vec::new();
    for value in values {
        offsets.push(data.len() as u64);
        data.extend(value.as_bytes());
    }
    (data, offsets)
}

/// Returns a current domain of one range on `x`.
pub(crate) fn current_domain(library: &Library, domain: usize, range: [i64; 2]) -> Done<usize> {
    let rectangle = library.try_make("ndrectangle_alloc", &[domain])?;
    let ends = [&range[0], &range[1]].map(|end| std::ptr::from_ref(end) as usize);
    // A tiledb_range_t: the two ends, each with its size.
    let range = [ends[0], 8, ends[1], 8];
    let set = [rectangle, 0, range.as_ptr() as usize];
    library.attempt("ndrectangle_set_range", &set)?;
    let bounds = library.try_make("current_domain_create", &[])?;
    library.attempt("current_domain_set_ndrectangle", &[bounds, rectangle])?;
    Ok(bounds)
}
