//! Writes of cells. Values depend on the coordinate and on a number that differs between writes.

use std::ffi::CStr;

use super::buffers::FieldBuffers;
use super::schema::Shape;
use super::{DELETE, Done, OpenArray, Query, WRITE, text};
use crate::library::Library;

pub(crate) const ROW_MAJOR: usize = 0;
pub(crate) const COL_MAJOR: usize = 1;
pub(crate) const GLOBAL_ORDER: usize = 2;
pub(crate) const UNORDERED: usize = 3;

/// One write of cells.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) shape: Shape,
    pub(crate) layout: usize,
    /// The coordinates, ascending; contiguous in dense arrays.
    pub(crate) xs: Vec<i64>,
    /// A number that makes the values differ from those of other writes.
    pub(crate) salt: i64,
    /// The number of submits; more than one in global order only.
    pub(crate) submits: usize,
    /// The timestamp of the open array.
    pub(crate) timestamp: Option<u64>,
}

impl Cells {
    pub(crate) fn new(shape: Shape, xs: impl IntoIterator<Item = i64>, salt: i64) -> Self {
        Self {
            shape,
            layout: if shape.sparse { UNORDERED } else { ROW_MAJOR },
            xs: xs.into_iter().collect(),
            salt,
            submits: 1,
            timestamp: None,
        }
    }

    pub(crate) fn in_layout(self, layout: usize) -> Self {
        Self { layout, ..self }
    }

    pub(crate) fn in_submits(self, submits: usize) -> Self {
        Self {
            layout: GLOBAL_ORDER,
            submits,
            ..self
        }
    }

    pub(crate) fn at(self, timestamp: u64) -> Self {
        Self {
            timestamp: Some(timestamp),
            ..self
        }
    }

    /// Writes the cells to an array.
    pub(crate) fn write(&self, library: &Library, uri: &CStr) -> Done {
        let array = OpenArray::open(library, uri, WRITE, self.timestamp)?;
        let query = Query::new(&array, WRITE)?;
        query.set_layout(self.layout)?;
        if let (false, [first, .., last] | [first @ last]) = (self.shape.sparse, &*self.xs) {
            query.set_ranges(&array, &[[*first, *last]])?;
        }
        let part = self.xs.len().div_ceil(self.submits);
        // The buffers of a submit stay valid until the query is finalized.
        let mut buffers = Vec::new();
        for xs in self.xs.chunks(part) {
            for (name, mut field) in self.fields(xs) {
                field.set(library, &query, name)?;
                buffers.push(field);
            }
            query.submit()?;
        }
        query.finalize()?;
        drop(query);
        array.close()
    }

    /// Returns the buffers of some of the cells.
    pub(crate) fn fields(&self, xs: &[i64]) -> Vec<(&'static CStr, FieldBuffers)> {
        let salt = self.salt;
        let fixed = |data: Vec<u8>| FieldBuffers::of(data, None, None);
        let int32s = |value: &dyn Fn(i64) -> i32| {
            fixed(xs.iter().flat_map(|x| value(*x).to_le_bytes()).collect())
        };
        let int64s = |value: &dyn Fn(i64) -> i64| {
            fixed(xs.iter().flat_map(|x| value(*x).to_le_bytes()).collect())
        };
        let mut fields = vec![(c"a", int32s(&|x| (1000 * salt + x) as i32))];
        if self.shape.sparse {
            fields.push((c"x", int64s(&|x| x)));
        }
        if self.shape.enumerated {
            fields.push((c"e", int32s(&|x| ((x + salt) % 3) as i32)));
        }
        if self.shape.labelled {
            fields.push((c"l", int64s(&|x| 10 * x)));
        }
        if self.shape.wide {
            let texts: Vec<String> = xs
                .iter()
                .map(|x| format!("{salt}-{}", "y".repeat((x % 5) as usize)))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (data, offsets) = super::schema::packed(&texts);
            fields.push((c"v", FieldBuffers::of(data, Some(offsets), None)));
            let numbers = xs.iter().flat_map(|x| (*x as f64 / 2.0).to_le_bytes());
            let validity = xs.iter().map(|x| u8::from((x + salt) % 3 != 0)).collect();
            let numbers = FieldBuffers::of(numbers.collect(), None, Some(validity));
            fields.push((c"n", numbers));
        }
        fields
    }
}

/// Deletes the cells whose `a` is less than `below`.
pub(crate) fn delete_below(
    library: &Library,
    uri: &CStr,
    below: i32,
    timestamp: Option<u64>,
) -> Done {
    const LESS_THAN: usize = 0;
    let array = OpenArray::open(library, uri, DELETE, timestamp)?;
    let query = Query::new(&array, DELETE)?;
    let condition = library.try_make("query_condition_alloc", &[])?;
    let value = std::ptr::from_ref(&below) as usize;
    library.attempt(
        "query_condition_init",
        &[condition, text(c"a"), value, 4, LESS_THAN],
    )?;
    library.attempt("query_set_condition", &[query.handle, condition])?;
    query.submit()?;
    library.free("query_condition_free", condition);
    drop(query);
    array.close()
}
