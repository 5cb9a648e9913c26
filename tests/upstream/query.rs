//! A query of an array with either library: opened, given buffers, submitted until it completes,
//! and closed on drop.

use std::ffi::CStr;

use crate::attribute::{AttributeSpec, Column};
use crate::condition::ConditionSpec;
use crate::library::{Library, address};

pub(crate) const READ: usize = 0;
pub(crate) const WRITE: usize = 1;
pub(crate) const DELETE: usize = 2;

pub(crate) const ROW_MAJOR: usize = 0;
pub(crate) const GLOBAL: usize = 2;
pub(crate) const UNORDERED: usize = 3;
pub(crate) const HILBERT: usize = 4;

const COMPLETED: i32 = 1;
const INCOMPLETE: i32 = 3;

/// An open array and a query of it.
pub(crate) struct Query<'a> {
    pub(crate) library: &'a Library,
    pub(crate) array: usize,
    pub(crate) handle: usize,
}

impl<'a> Query<'a> {
    /// Opens an array at the current time.
    pub(crate) fn open(library: &'a Library, uri: &CStr, mode: usize) -> Self {
        Self::open_within(library, uri, mode, None)
    }

    /// Opens an array with a range of timestamps in milliseconds.
    pub(crate) fn open_within(
        library: &'a Library,
        uri: &CStr,
        mode: usize,
        span: Option<(u64, u64)>,
    ) -> Self {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        if let Some((start, end)) = span {
            library.ok("array_set_open_timestamp_start", &[array, start as usize]);
            library.ok("array_set_open_timestamp_end", &[array, end as usize]);
        }
        library.ok("array_open", &[array, mode]);
        let handle = library.make("query_alloc", &[array, mode]);
        Self {
            library,
            array,
            handle,
        }
    }

    pub(crate) fn set_layout(&self, layout: usize) {
        self.library.ok("query_set_layout", &[self.handle, layout]);
    }

    /// Sets ranges: the dimension, whether it has strings, and both ends.
    pub(crate) fn set_ranges<B: AsRef<[u8]>>(
        &self,
        ranges: impl IntoIterator<Item = (usize, bool, B, B)>,
    ) {
        let library = self.library;
        let subarray = library.make("subarray_alloc", &[self.array]);
        for (d, is_text, low, high) in ranges {
            let (low, high) = (low.as_ref(), high.as_ref());
            let ends = [low.as_ptr() as usize, high.as_ptr() as usize];
            if is_text {
                library.var_range(subarray, d, low, high)
            } else {
                library.ok("subarray_add_range", &[subarray, d, ends[0], ends[1], 0])
            }
        }
        library.ok("query_set_subarray_t", &[self.handle, subarray]);
        library.free("subarray_free", subarray);
    }

    pub(crate) fn set_condition(&self, condition: &ConditionSpec) {
        let condition = condition.make(self.library);
        self.library
            .ok("query_set_condition", &[self.handle, condition]);
        self.library.free("query_condition_free", condition);
    }

    pub(crate) fn submit(&self) -> Result<(), String> {
        self.library.attempt("query_submit", &[self.handle])
    }

    pub(crate) fn is_complete(&self) -> bool {
        let mut status = 0i32;
        let asked = [self.handle, address(&mut status)];
        self.library.ok("query_get_status", &asked);
        assert!(
            [COMPLETED, INCOMPLETE].contains(&status),
            "{}: status {status}",
            self.library.name
        );
        status == COMPLETED
    }

    /// Submits with the columns as buffers, and truncates them to the sizes that the library
    /// returns.
    pub(crate) fn submit_with(
        &self,
        fields: &[&AttributeSpec],
        columns: &mut [Column],
    ) -> Result<(), String> {
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        for ((field, column), sizes) in fields.iter().zip(&mut *columns).zip(&mut sizes) {
            field.set_buffers(self.library, self.handle, column, sizes);
        }
        self.submit()?;
        for (column, sizes) in columns.iter_mut().zip(&sizes) {
            column.truncate(sizes);
        }
        Ok(())
    }

    /// Writes the cells of each submit.
    pub(crate) fn write(
        &self,
        fields: &[&AttributeSpec],
        submits: &[Vec<Column>],
    ) -> Result<(), String> {
        for columns in submits {
            self.submit_with(fields, &mut columns.clone())?;
        }
        self.library.attempt("query_finalize", &[self.handle])
    }

    /// Reads with buffers that `make_buffers` creates, with at most `most` submits.
    pub(crate) fn read(
        &self,
        fields: &[&AttributeSpec],
        most: usize,
        capacity: impl Fn(&AttributeSpec) -> Column,
    ) -> Result<Vec<Column>, String> {
        let mut whole = vec![Column::default(); fields.len()];
        for _ in 0..most {
            let mut columns: Vec<Column> = fields.iter().map(|field| capacity(field)).collect();
            self.submit_with(fields, &mut columns)?;
            for (whole, column) in whole.iter_mut().zip(&columns) {
                whole.append(column);
            }
            if self.is_complete() {
                return Ok(whole);
            }
        }
        panic!("{}: the read does not end", self.library.name);
    }
}

impl Drop for Query<'_> {
    fn drop(&mut self) {
        let closed = self.library.attempt("array_close", &[self.array]);
        self.library.free("query_free", self.handle);
        self.library.free("array_free", self.array);
        if !std::thread::panicking() {
            closed.expect("the array closes");
        }
    }
}
