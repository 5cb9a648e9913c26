//! A read as a stream of Arrow arrays.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use tiledb_engine::internal::arrow::{BatchReader, ReadColumn, arrow_error, arrow_field};
use tiledb_engine::internal::buffers::FieldForm;
use tiledb_engine::internal::platform::lock::Mutex;
use tiledb_engine::internal::query::{NamedAggregate, Query};
use tiledb_engine::internal::types::{QueryStatus, QueryType};

use crate::arrow_data::{ArrowArray, ArrowArrayStream, ArrowSchema, form_of};
use crate::prelude::*;
use crate::query::QueryState;

/// The size of a batch in bytes if the program does not choose one.
const BATCH_BYTES: u64 = 16 << 20;

/// A read that a stream delivers.
pub(super) struct ArrowRead {
    /// Shared with the handle of the query, which may be freed before the stream.
    state: Arc<Mutex<QueryState>>,
    reader: BatchReader,
    fields: Fields,
    last_error: Option<CString>,
}

impl ArrowRead {
    /// Begins the export of fields of a query that has not been submitted.
    pub(super) fn new(
        state: &Arc<Mutex<QueryState>>,
        names: &[&str],
        batch_bytes: u64,
    ) -> Result<Self> {
        let mut locked = state.lock();
        let query = &mut locked.query;
        if query.request().query_type != QueryType::Read {
            return Err(arrow_error("only results of reads can be exported"));
        }
        if query.status() != QueryStatus::Uninitialized {
            return Err(arrow_error("the query has been submitted already"));
        }
        let columns = columns_of(query, names)?;
        let fields = columns.iter().map(|column| arrow_field(&column.form));
        let fields = fields.collect::<Result<Vec<Field>>>()?;
        let batch_bytes = if batch_bytes == 0 {
            BATCH_BYTES
        } else {
            batch_bytes
        };
        let reader = BatchReader::new(query, columns, batch_bytes)?;
        drop(locked);
        Ok(Self {
            state: state.clone(),
            reader,
            fields: fields.into(),
            last_error: None,
        })
    }

    fn schema(&self) -> Result<ArrowSchema> {
        ArrowSchema::of(self.fields.iter().map(|field| (**field).clone()).collect())
    }

    /// Returns the next batch, or `None` after the last one.
    fn next(&mut self) -> Result<Option<ArrowArray>> {
        let Some((cells, arrays)) = self.reader.next(&mut self.state.lock().query)? else {
            return Ok(None);
        };
        let batch = ArrayData::builder(DataType::Struct(self.fields.clone()));
        let batch = batch.len(cells).child_data(arrays);
        // SAFETY: each array has been validated, has the type of its field, and has this number of
        // cells.
        let batch = unsafe { batch.build_unchecked() };
        Ok(Some(ArrowArray::of(&batch)))
    }

    /// Moves the read to a stream, which frees it when it is released.
    pub(super) fn into_stream(self) -> ArrowArrayStream {
        ArrowArrayStream {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release),
            private_data: Box::into_raw(Box::new(self)).cast(),
        }
    }

    /// Runs a function of the stream. Returns 0, or a code of errno after storing the error.
    fn run(&mut self, body: impl FnOnce(&mut Self) -> Result<()>) -> c_int {
        match entry::guarded(|| body(self)) {
            Ok(()) => 0,
            Err(error) => {
                self.last_error = Some(c_strings::c_string(&error.libtiledb_text()));
                match error.cause() {
                    Cause::OutOfMemory { .. } => libc::ENOMEM,
                    Cause::Cancelled => libc::ECANCELED,
                    _ => libc::EIO,
                }
            }
        }
    }
}

/// Returns the types of the results of all aggregates of a query; with names, in their order.
fn results_of(query: &Query, names: &[&str]) -> Result<Vec<ReadColumn>> {
    let all = &query.request().aggregates;
    let column = |name: &&str| {
        let found = all.iter().find(|named| named.name == *name);
        let found = found.map(column_of_result);
        found.ok_or_else(|| {
            arrow_error(format!(
                "the query has aggregates, and '{name}' is none of them: cells and results are exported by \
                 different queries"
            ))
        })
    };
    let columns = names.iter().map(column).collect::<Result<Vec<_>>>()?;
    if columns.is_empty() {
        return Ok(all.iter().map(column_of_result).collect());
    }
    let missing = all.iter().find(|named| !names.contains(&&named.name[..]));
    match missing {
        Some(NamedAggregate { name, .. }) => Err(arrow_error(format!(
            "the result '{name}' is missing: all results of a query are exported together"
        ))),
        None => Ok(columns),
    }
}

fn column_of_result(named: &NamedAggregate) -> ReadColumn {
    let form = FieldForm {
        name: named.name.clone(),
        cells: named.aggregate.result_type(),
        enumeration: None,
    };
    ReadColumn {
        form,
        is_result: true,
        has_durations: false,
        has_indexes: false,
    }
}

/// Returns the types of fields; without names, of the dimensions of sparse arrays and of all
/// attributes.
fn columns_of(query: &Query, names: &[&str]) -> Result<Vec<ReadColumn>> {
    let schema = query.request().schema();
    if !query.request().aggregates.is_empty() {
        return results_of(query, names);
    }
    let array = &query.request().array;
    let enumeration = |name: &str| array.enumeration(name);
    let mut all = Vec::new();
    if !schema.is_dense() {
        all.extend(
            schema
                .domain
                .dimensions
                .iter()
                .map(|dimension| &dimension.name[..]),
        );
    }
    all.extend(
        schema
            .attributes
            .iter()
            .map(|attribute| &attribute.name[..]),
    );
    let names = if names.is_empty() { &all[..] } else { names };
    let columns = names.iter();
    let columns = columns.map(|name| {
        Ok(ReadColumn {
            form: form_of(schema, name, enumeration)?,
            is_result: false,
            has_durations: false,
            has_indexes: false,
        })
    });
    columns.collect()
}

/// Returns the read of a stream.
unsafe fn read_of<'a>(stream: *mut ArrowArrayStream) -> Option<&'a mut ArrowRead> {
    // SAFETY: the consumer passes a stream of this library, from one thread at a time.
    unsafe { stream.as_ref() }
        .filter(|stream| stream.release.is_some())
        // SAFETY: `into_stream` stored the read, and `release` resets the callback.
        .and_then(|stream| unsafe { stream.private_data.cast::<ArrowRead>().as_mut() })
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the consumer passes a stream that is not released.
    let Some(read) = (unsafe { read_of(stream) }) else {
        return libc::EINVAL;
    };
    read.run(|read| {
        // SAFETY: the consumer passes memory for a schema, or null.
        unsafe { arg::out(out, "out") }?.set(read.schema()?);
        Ok(())
    })
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the consumer passes a stream that is not released.
    let Some(read) = (unsafe { read_of(stream) }) else {
        return libc::EINVAL;
    };
    read.run(|read| {
        // SAFETY: the consumer passes memory for an array, or null.
        let out = unsafe { arg::out(out, "out") }?;
        // An array without a release callback is the end.
        out.set(read.next()?.unwrap_or(ArrowArray::EMPTY));
        Ok(())
    })
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the consumer passes a stream that is not released.
    let read = unsafe { read_of(stream) };
    let error = read.and_then(|read| read.last_error.as_ref());
    error.map_or(std::ptr::null(), |error| error.as_ptr())
}

unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
    // SAFETY: the consumer passes a stream of this library that was not released.
    let stream = unsafe { &mut *stream };
    // SAFETY: `into_stream` created it, and the callback is reset below.
    let read = unsafe { Box::from_raw(stream.private_data.cast::<ArrowRead>()) };
    entry::no_result(|| drop(read));
    stream.release = None;
    stream.private_data = std::ptr::null_mut();
}
