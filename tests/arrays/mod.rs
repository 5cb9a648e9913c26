//! Arrays and groups through the C API, for tests of files: creation, writes, and their state as
//! text.
//!
//! States are compared as text: between two libraries, and before and after a fault.
#![allow(dead_code, reason = "each test program uses what it needs")]

pub(crate) mod buffers;
pub(crate) mod maintenance;
pub(crate) mod metadata;
pub(crate) mod schema;
pub(crate) mod state;
pub(crate) mod write;

use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

use crate::library::Library;

/// The result of a call of the C API; an error is its message.
pub(crate) type Done<T = ()> = Result<T, String>;

pub(crate) const READ: usize = 0;
pub(crate) const WRITE: usize = 1;
pub(crate) const DELETE: usize = 2;
pub(crate) const MODIFY_EXCLUSIVE: usize = 4;

/// Returns a path as a C string.
pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.to_str().expect("a path in UTF-8")).expect("a path without a zero")
}

/// Returns the address of a C string as an argument.
pub(crate) fn text(text: &CStr) -> usize {
    text.as_ptr() as usize
}

/// A new folder, removed on drop: in memory where possible, since these tests sync often.
pub(crate) struct TestFolder(PathBuf);

impl TestFolder {
    pub(crate) fn new(name: &str) -> Self {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let folder = base.join(format!("tiledb-rs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is left.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An open array, closed and freed on drop.
pub(crate) struct OpenArray<'a> {
    library: &'a Library,
    pub(crate) handle: usize,
    open: bool,
}

impl<'a> OpenArray<'a> {
    /// Opens an array, at a timestamp if there is one.
    pub(crate) fn open(
        library: &'a Library,
        uri: &CStr,
        mode: usize,
        timestamp: Option<u64>,
    ) -> Done<Self> {
        let mut array = Self {
            library,
            handle: library.try_make("array_alloc", &[text(uri)])?,
            open: false,
        };
        if let Some(timestamp) = timestamp {
            let end = [array.handle, timestamp as usize];
            library.attempt("array_set_open_timestamp_end", &end)?;
        }
        library.attempt("array_open", &[array.handle, mode])?;
        array.open = true;
        Ok(array)
    }

    /// Closes the array, which writes its metadata.
    pub(crate) fn close(mut self) -> Done {
        self.open = false;
        self.library.attempt("array_close", &[self.handle])
    }
}

impl Drop for OpenArray<'_> {
    fn drop(&mut self) {
        if self.open {
            // Errors are ignored on drop: the first error was reported.
            let _ = self.library.attempt("array_close", &[self.handle]);
        }
        self.library.free("array_free", self.handle);
    }
}

/// An open group, closed and freed on drop.
pub(crate) struct OpenGroup<'a> {
    library: &'a Library,
    pub(crate) handle: usize,
    open: bool,
}

impl<'a> OpenGroup<'a> {
    pub(crate) fn open(library: &'a Library, uri: &CStr, mode: usize) -> Done<Self> {
        let mut group = Self {
            library,
            handle: library.try_make("group_alloc", &[text(uri)])?,
            open: false,
        };
        library.attempt("group_open", &[group.handle, mode])?;
        group.open = true;
        Ok(group)
    }

    /// Closes the group, which writes its members and metadata.
    pub(crate) fn close(mut self) -> Done {
        self.open = false;
        self.library.attempt("group_close", &[self.handle])
    }
}

impl Drop for OpenGroup<'_> {
    fn drop(&mut self) {
        if self.open {
            // Errors are ignored on drop: the first error was reported.
            let _ = self.library.attempt("group_close", &[self.handle]);
        }
        self.library.free("group_free", self.handle);
    }
}

/// A query, freed on drop.
pub(crate) struct Query<'a> {
    library: &'a Library,
    pub(crate) handle: usize,
}

impl<'a> Query<'a> {
    pub(crate) fn new(array: &OpenArray<'a>, mode: usize) -> Done<Self> {
        let library = array.library;
        Ok(Self {
            library,
            handle: library.try_make("query_alloc", &[array.handle, mode])?,
        })
    }

    pub(crate) fn set_layout(&self, layout: usize) -> Done {
        self.library
            .attempt("query_set_layout", &[self.handle, layout])
    }

    /// Restricts the query to one range of each dimension; coordinates are `i64`.
    pub(crate) fn set_ranges(&self, array: &OpenArray<'_>, ranges: &[[i64; 2]]) -> Done {
        let library = self.library;
        let subarray = library.try_make("subarray_alloc", &[array.handle])?;
        for (index, range) in ranges.iter().enumerate() {
            let ends = [&range[0], &range[1]].map(|end| std::ptr::from_ref(end) as usize);
            library.attempt(
                "subarray_add_range",
                &[subarray, index, ends[0], ends[1], 0],
            )?;
        }
        let set = library.attempt("query_set_subarray_t", &[self.handle, subarray]);
        library.free("subarray_free", subarray);
        set
    }

    pub(crate) fn submit(&self) -> Done {
        self.library.attempt("query_submit", &[self.handle])
    }

    pub(crate) fn finalize(&self) -> Done {
        self.library.attempt("query_finalize", &[self.handle])
    }

    /// Fails unless the query has delivered all its results.
    pub(crate) fn check_completed(&self) -> Done {
        let mut status = 9u32;
        let status_at = crate::library::address(&mut status);
        self.library
            .attempt("query_get_status", &[self.handle, status_at])?;
        match status {
            1 => Ok(()),
            _ => Err(format!("the query has the status {status}")),
        }
    }
}

impl Drop for Query<'_> {
    fn drop(&mut self) {
        self.library.free("query_free", self.handle);
    }
}
