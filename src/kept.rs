//! Texts and values that C gets: those lent for as long as a handle lives, those that last for ever, those it frees itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::atomic::{AtomicPtr, Ordering};

use tiledb_engine::bytes::words;
use tiledb_engine::platform::lock::Mutex;

use crate::prelude::*;

/// Texts and values that a handle lends; they live as long as it does.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    texts: Mutex<BTreeSet<CString>>,
    /// Values, in words so that every datatype is aligned, each with its length in bytes.
    values: Mutex<Vec<(usize, Box<[u64]>)>>,
}

impl Kept {
    /// A text as C reads it. The same text is kept once.
    pub(crate) fn text(&self, text: &str) -> *const c_char {
        let text = c_string(text);
        let mut kept = self.texts.lock();
        // What a CString points to stays where it is when the set grows.
        match kept.get(&text) {
            Some(known) => known.as_ptr(),
            None => {
                let pointer = text.as_ptr();
                kept.insert(text);
                pointer
            }
        }
    }

    /// A value as C reads it, aligned for any datatype. The same value is kept once.
    pub(crate) fn value(&self, bytes: &[u8]) -> *const c_void {
        let words: Box<[u64]> = words(bytes).collect();
        let mut kept = self.values.lock();
        let known = kept
            .iter()
            .find(|known| known.0 == bytes.len() && known.1 == words);
        // What a box points to stays where it is when the list grows.
        match known {
            Some((_, words)) => words.as_ptr().cast(),
            None => {
                let pointer = words.as_ptr().cast();
                kept.push((bytes.len(), words));
                pointer
            }
        }
    }
}

/// Texts that a handle lends by name, one of each name: it lasts until another text of that name is lent.
#[derive(Debug, Default)]
pub(crate) struct KeptByName {
    texts: Mutex<BTreeMap<String, CString>>,
}

impl KeptByName {
    /// The text of a name, as C reads it. It stays where it is as long as it is the same.
    pub(crate) fn text(&self, name: &str, text: &str) -> *const c_char {
        let text = c_string(text);
        let mut kept = self.texts.lock();
        match kept.get_mut(name) {
            Some(known) => {
                if *known != text {
                    *known = text;
                }
                known.as_ptr()
            }
            None => {
                let pointer = text.as_ptr();
                kept.insert(name.to_owned(), text);
                pointer
            }
        }
    }

    /// Drops the text of a name.
    pub(crate) fn forget(&self, name: &str) {
        self.texts.lock().remove(name);
    }
}

/// A text for C; zero bytes, which would end it, are shown as `\0`.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text)
        .unwrap_or_else(|_| CString::new(text.replace('\0', "\\0")).unwrap_or_default())
}

/// A text of the program itself, valid for ever.
pub(crate) fn constant(text: &'static str) -> *const c_char {
    /// One of a list that only grows. No lock guards it: in a forked child it would stay as another thread held it.
    struct Known {
        text: &'static str,
        for_c: CString,
        older: *mut Known,
    }
    static NEWEST: AtomicPtr<Known> = AtomicPtr::new(std::ptr::null_mut());
    let mut newest = NEWEST.load(Ordering::Acquire);
    loop {
        // SAFETY: what is in the list came from a box, and is neither changed nor freed.
        let known = |at: *mut Known| unsafe { at.as_ref() };
        let mut all = std::iter::successors(known(newest), |at| known(at.older));
        if let Some(known) = all.find(|known| known.text == text) {
            return known.for_c.as_ptr();
        }
        let new = Box::into_raw(Box::new(Known {
            text,
            for_c: c_string(text),
            older: newest,
        }));
        match NEWEST.compare_exchange(newest, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => newest = new,
            Err(other) => {
                // SAFETY: made above and seen by nobody else.
                drop(unsafe { Box::from_raw(new) });
                newest = other;
            }
        }
    }
}

/// Writes a text to a C stream, which must not be null; `action` names the operation in errors.
pub(crate) unsafe fn print(out: *mut libc::FILE, action: &'static str, text: &str) -> Result<()> {
    if out.is_null() {
        return Err(Error::usage(
            "C API",
            "Invalid stream handle; must be non-null",
        ));
    }
    // SAFETY: the caller's contract for the stream; the text is as long as said.
    match unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), out) } {
        written if written == text.len() => Ok(()),
        _ => {
            let error = std::io::Error::last_os_error();
            Err(Error::storage(action, "stream", error))
        }
    }
}

/// A text that the caller frees, with the C library's allocator behind `tiledb_stats_free_str` and the like.
pub(crate) fn given(text: &str) -> Result<*mut c_char> {
    let text = c_string(text);
    // SAFETY: a C string; the copy is the caller's.
    let copy = unsafe { libc::strdup(text.as_ptr()) };
    if copy.is_null() {
        return Err(Error::out_of_memory("a text", text.as_bytes().len() as u64));
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

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn a_name_has_one_text_that_stays_in_place_until_it_changes() {
        let kept = KeptByName::default();
        let first = kept.text("a", "one");
        kept.text("b", "two");
        assert_eq!(kept.text("a", "one"), first);
        for round in 0..1000 {
            kept.text("a", &round.to_string());
        }
        assert_eq!(kept.texts.lock().len(), 2);
        // SAFETY: lent by `kept`, which lives, and not lent anew since.
        let read = unsafe { CStr::from_ptr(kept.text("a", "999")) };
        assert_eq!(read.to_str(), Ok("999"));
        kept.forget("a");
        assert_eq!(kept.texts.lock().len(), 1);
    }

    #[test]
    fn a_constant_text_has_one_place() {
        let one = constant("a text of this test");
        let others = std::thread::spawn(|| constant("a text of this test") as usize);
        assert_eq!(others.join().expect("joined"), one as usize);
        // SAFETY: lent for ever.
        let read = unsafe { CStr::from_ptr(one) };
        assert_eq!(read.to_str(), Ok("a text of this test"));
    }
}
