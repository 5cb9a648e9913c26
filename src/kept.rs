//! Texts that C gets: those lent for as long as a handle lives, those that last for ever, those it frees itself.

use std::collections::BTreeMap;
use std::ffi::CString;

use parking_lot::Mutex;

use crate::prelude::*;

/// Texts that a handle lends; they live as long as it does.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Vec<CString>>);

impl Kept {
    /// A text as C reads it. The same text is kept once.
    pub(crate) fn text(&self, text: &str) -> *const c_char {
        let text = c_string(text);
        let mut kept = self.0.lock();
        // What a CString points to stays where it is when the list grows.
        match kept.iter().find(|known| **known == text) {
            Some(known) => known.as_ptr(),
            None => {
                let pointer = text.as_ptr();
                kept.push(text);
                pointer
            }
        }
    }
}

/// A text for C; zero bytes, which would end it, are shown as `\0`.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text)
        .unwrap_or_else(|_| CString::new(text.replace('\0', "\\0")).unwrap_or_default())
}

/// A text of the program itself, valid for ever.
pub(crate) fn constant(text: &'static str) -> *const c_char {
    static TEXTS: Mutex<BTreeMap<&'static str, CString>> = Mutex::new(BTreeMap::new());
    TEXTS
        .lock()
        .entry(text)
        .or_insert_with(|| c_string(text))
        .as_ptr()
}

/// A text that the caller frees, with the C library's allocator behind `tiledb_stats_free_str` and the like.
pub(crate) fn given(text: &str) -> Result<*mut c_char> {
    let text = c_string(text);
    // SAFETY: a C string; the copy is the caller's.
    let copy = unsafe { libc::strdup(text.as_ptr()) };
    if copy.is_null() {
        return Err(Error::OutOfMemory {
            what: "a text",
            bytes: text.as_bytes().len() as u64,
        });
    }
    Ok(copy)
}

/// Frees a text from [`given`] and leaves null there. Null is fine at both levels.
pub(crate) unsafe fn free_given(text: *mut *mut c_char) {
    // SAFETY: the caller's contract: null, or a pointer to null or to what `given` made.
    unsafe {
        if let Some(text) = text.as_mut() {
            libc::free(std::mem::replace(text, std::ptr::null_mut()).cast());
        }
    }
}
