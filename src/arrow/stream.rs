//! A read as a stream of Arrow arrays.

use std::sync::Arc;

use tiledb_engine::config::Config;
use tiledb_engine::platform::lock::Mutex;
use tiledb_engine::query::{NamedAggregate, Query};
use tiledb_engine::types::{QueryStatus, QueryType};

use crate::arrow_data::{
    ArrowArray, ArrowArrayStream, ArrowSchema, Capacity, ColumnBuffers, ColumnType, arrow_error,
};
use crate::prelude::*;
use crate::query::QueryState;

/// The size of a batch in bytes if the program does not choose one.
const BATCH_BYTES: u64 = 16 << 20;
/// The bytes that are reserved for a cell of variable length.
const VAR_CELL_BYTES: usize = 24;
/// The least bytes for variable-length values.
const MIN_VALUE_BYTES: usize = 64;

/// A read that a stream delivers.
pub(super) struct ArrowRead {
    /// Shared with the handle of the query, which may be freed before the stream.
    state: Arc<Mutex<QueryState>>,
    columns: Vec<ColumnType>,
    capacity: Capacity,
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
        if query.query_type() != QueryType::Read {
            return Err(arrow_error("only results of reads can be exported"));
        }
        if query.status() != QueryStatus::Uninitialized {
            return Err(arrow_error("the query has been submitted already"));
        }
        let columns = columns_of(query, names)?;
        let mut form = Config::new();
        form.set("sm.var_offsets.bitsize", "64")?;
        form.set("sm.var_offsets.mode", "bytes")?;
        form.set("sm.var_offsets.extra_element", "true")?;
        query.set_config(&form)?;
        let batch_bytes = if batch_bytes == 0 {
            BATCH_BYTES
        } else {
            batch_bytes
        };
        let capacity = capacity_of(query, &columns, batch_bytes)?;
        drop(locked);
        Ok(Self {
            state: state.clone(),
            columns,
            capacity,
            last_error: None,
        })
    }

    fn schema(&self) -> ArrowSchema {
        let children = self.columns.iter().map(ColumnType::schema);
        ArrowSchema::new("", "+s", 0, children.collect(), None)
    }

    /// Returns the next batch, or `None` after the last one.
    fn next(&mut self) -> Result<Option<ArrowArray>> {
        let query = &mut self.state.lock().query;
        while query.status() != QueryStatus::Completed {
            let columns = self.columns.iter();
            let buffers = columns.map(|column| ColumnBuffers::new(column, self.capacity));
            let mut buffers = buffers.collect::<Result<Vec<_>>>()?;
            let mut submitted: Vec<_> = buffers.iter_mut().map(ColumnBuffers::buffers).collect();
            let sizes = query.read(&mut submitted)?;
            drop(submitted);
            let cells = buffers.first().zip(sizes.first());
            let cells = cells.map_or(0, |(buffers, sizes)| buffers.cell_num(sizes));
            if cells > 0 {
                let arrays = buffers.into_iter().zip(&sizes);
                let arrays = arrays.map(|(buffers, sizes)| buffers.into_array(sizes));
                let arrays = arrays.collect::<Result<Vec<_>>>()?;
                return Ok(Some(ArrowArray::new(cells, 0, vec![None], arrays, None)));
            }
            if query.status() == QueryStatus::Incomplete {
                self.capacity.value_bytes = grown(query, &self.columns, self.capacity)?;
            }
        }
        Ok(None)
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
fn results_of(query: &Query, names: &[&str]) -> Result<Vec<ColumnType>> {
    let all = query.aggregates();
    let column = |name: &&str| {
        let found = all.iter().find(|named| named.name == *name);
        let found = found.map(|named| ColumnType::of_result(&named.name, &named.aggregate));
        found.ok_or_else(|| {
            arrow_error(format!(
                "the query has aggregates, and '{name}' is none of them: cells and results are exported by \
                 different queries"
            ))
        })
    };
    let columns = names.iter().map(column).collect::<Result<Vec<_>>>()?;
    if columns.is_empty() {
        let columns = all.iter();
        return Ok(columns
            .map(|named| ColumnType::of_result(&named.name, &named.aggregate))
            .collect());
    }
    let missing = all.iter().find(|named| !names.contains(&&named.name[..]));
    match missing {
        Some(NamedAggregate { name, .. }) => Err(arrow_error(format!(
            "the result '{name}' is missing: all results of a query are exported together"
        ))),
        None => Ok(columns),
    }
}

/// Returns the types of fields; without names, of the dimensions of sparse arrays and of all
/// attributes.
fn columns_of(query: &Query, names: &[&str]) -> Result<Vec<ColumnType>> {
    let schema = query.schema();
    if !query.aggregates().is_empty() {
        return results_of(query, names);
    }
    let array = query.array();
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
    let columns = columns.map(|name| ColumnType::of(schema, name, enumeration));
    columns.collect()
}

/// Returns the capacity of a batch of about `bytes` bytes, or of the complete result if it is
/// smaller.
fn capacity_of(query: &Query, columns: &[ColumnType], bytes: u64) -> Result<Capacity> {
    let per_cell = columns.iter().map(|column| {
        let size = if column.is_var() {
            8 + VAR_CELL_BYTES
        } else {
            column.cell_size()
        };
        size + usize::from(column.nullable)
    });
    let per_cell = per_cell.sum::<usize>().max(1) as u64;
    let names: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
    let needed = query.needed_sizes(&names, u64::MAX)?;
    let most = needed.iter().map(|needed| needed.cells).max().unwrap_or(0);
    let cells = (bytes / per_cell).clamp(1, most.max(1));
    let cells = arg::memory_len(cells, "batch_bytes")?;
    let values = needed
        .iter()
        .zip(columns)
        .filter(|(_, column)| column.is_var());
    let values = values
        .map(|(needed, _)| needed.sizes.data)
        .max()
        .unwrap_or(0);
    let reserved = cells.saturating_mul(VAR_CELL_BYTES).max(MIN_VALUE_BYTES);
    Ok(Capacity {
        cells,
        value_bytes: reserved.min(arg::memory_len(values.max(1), "batch_bytes")?),
    })
}

/// Returns the bytes of values that the next cell needs, or at least twice as many as before.
fn grown(query: &Query, columns: &[ColumnType], capacity: Capacity) -> Result<usize> {
    let names: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
    let needed = query.needed_sizes(&names, 1)?;
    let needed = needed.iter().map(|needed| needed.sizes.data).max();
    let needed = arg::memory_len(needed.unwrap_or(0), "batch_bytes")?;
    Ok(needed.max(capacity.value_bytes.saturating_mul(2)))
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
        unsafe { arg::out(out, "out") }?.set(read.schema());
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
