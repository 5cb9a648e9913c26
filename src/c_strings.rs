//! Strings and values for C: owned by a handle, static, or owned by the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::atomic::{AtomicPtr, Ordering};

use tiledb_engine::internal::bytes::words;
use tiledb_engine::internal::platform::lock::Mutex;

use crate::prelude::*;

/// Strings and values that getters of a handle have returned. The handle owns them.
#[derive(Debug, Default)]
pub(crate) struct GetterValues {
    texts: Mutex<BTreeSet<CString>>,
    /// Values with their lengths in bytes, in 64-bit words so that they are aligned for every
    /// datatype.
    values: Mutex<Vec<(usize, Box<[u64]>)>>,
}

impl GetterValues {
    /// Returns a pointer to a zero-terminated copy of a string. Equal strings share a copy.
    pub(crate) fn text(&self, text: &str) -> *const c_char {
        let text = c_string(text);
        let mut returned = self.texts.lock();
        // The heap memory of a CString does not move when the set grows.
        match returned.get(&text) {
            Some(known) => known.as_ptr(),
            None => {
                let pointer = text.as_ptr();
                returned.insert(text);
                pointer
            }
        }
    }

    /// Returns a pointer to a copy of a value, aligned for any datatype. Equal values share a copy.
    pub(crate) fn value(&self, bytes: &[u8]) -> *const c_void {
        let words: Box<[u64]> = words(bytes).collect();
        let mut returned = self.values.lock();
        let known = returned
            .iter()
            .find(|known| known.0 == bytes.len() && known.1 == words);
        // The heap memory of a box does not move when the list grows.
        match known {
            Some((_, words)) => words.as_ptr().cast(),
            None => {
                let pointer = words.as_ptr().cast();
                returned.push((bytes.len(), words));
                pointer
            }
        }
    }
}

/// Strings by name. A string stays valid until another string is stored under its name.
#[derive(Debug, Default)]
pub(crate) struct ReturnedByName {
    texts: Mutex<BTreeMap<String, CString>>,
}

impl ReturnedByName {
    /// Stores a string under a name and returns a pointer to it. Storing an equal string again
    /// returns the same pointer.
    pub(crate) fn text(&self, name: &str, text: &str) -> *const c_char {
        let text = c_string(text);
        let mut returned = self.texts.lock();
        match returned.get_mut(name) {
            Some(known) => {
                if *known != text {
                    *known = text;
                }
                known.as_ptr()
            }
            None => {
                let pointer = text.as_ptr();
                returned.insert(name.to_owned(), text);
                pointer
            }
        }
    }

    /// Frees the string stored under a name.
    pub(crate) fn forget(&self, name: &str) {
        self.texts.lock().remove(name);
    }
}

/// Converts a string to a C string. Zero bytes are replaced by `\0`.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text)
        .unwrap_or_else(|_| CString::new(text.replace('\0', "\\0")).unwrap_or_default())
}

/// Returns a static C string.
pub(crate) fn constant(text: &'static str) -> *const c_char {
    /// The strings are in a list that only grows. It is lock-free, because a forked child could
    /// inherit a locked lock.
    struct StringNode {
        text: &'static str,
        for_c: CString,
        older: *mut StringNode,
    }
    static NEWEST: AtomicPtr<StringNode> = AtomicPtr::new(std::ptr::null_mut());
    let mut newest = NEWEST.load(Ordering::Acquire);
    loop {
        // SAFETY: the items of the list were boxed and are neither changed nor freed.
        let known = |pointer: *mut StringNode| unsafe { pointer.as_ref() };
        let mut all = std::iter::successors(known(newest), |pointer| known(pointer.older));
        if let Some(known) = all.find(|known| known.text == text) {
            return known.for_c.as_ptr();
        }
        let new = Box::into_raw(Box::new(StringNode {
            text,
            for_c: c_string(text),
            older: newest,
        }));
        match NEWEST.compare_exchange(newest, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => newest = new,
            Err(other) => {
                // SAFETY: created above and not shared yet.
                drop(unsafe { Box::from_raw(new) });
                newest = other;
            }
        }
    }
}

/// Writes a string to a C stream, which must not be null. `action` is the name of the operation in
/// errors.
pub(crate) unsafe fn print(out: *mut libc::FILE, action: &'static str, text: &str) -> Result<()> {
    if out.is_null() {
        return Err(Error::usage(
            "C API",
            "Invalid stream handle; must be non-null",
        ));
    }
    // SAFETY: the stream is valid by the contract in lib.rs, and the length is that of the string.
    match unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), out) } {
        written if written == text.len() => Ok(()),
        _ => {
            let error = std::io::Error::last_os_error();
            Err(Error::storage(action, "stream", error))
        }
    }
}

/// Writes a string that the caller frees with a function such as `tiledb_stats_free_str`. It is
/// allocated by the C library.
pub(crate) fn allocate(text: &str) -> Result<*mut c_char> {
    let text = c_string(text);
    // SAFETY: the argument is a zero-terminated string.
    let copy = unsafe { libc::strdup(text.as_ptr()) };
    if copy.is_null() {
        return Err(Error::out_of_memory("a text", text.as_bytes().len() as u64));
    }
    Ok(copy)
}

/// Frees a string from [`allocate`] and sets the pointer to null. Null and a pointer to null are
/// ignored.
pub(crate) unsafe fn free_allocated(text: *mut *mut c_char) {
    // SAFETY: null, or a pointer to null or to a string from `allocate`, by the contract in lib.rs.
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
    fn pointer_of_a_name_changes_only_with_its_string() {
        let returned = ReturnedByName::default();
        let first = returned.text("a", "one");
        returned.text("b", "two");
        assert_eq!(returned.text("a", "one"), first);
        for round in 0..1000 {
            returned.text("a", &round.to_string());
        }
        assert_eq!(returned.texts.lock().len(), 2);
        // SAFETY: `kept` is alive, and no other string was stored under the name.
        let read = unsafe { CStr::from_ptr(returned.text("a", "999")) };
        assert_eq!(read.to_str(), Ok("999"));
        returned.forget("a");
        assert_eq!(returned.texts.lock().len(), 1);
    }

    #[test]
    fn static_string_has_one_address() {
        let one = constant("a text of this test");
        let others = std::thread::spawn(|| constant("a text of this test") as usize);
        assert_eq!(others.join().expect("joined"), one as usize);
        // SAFETY: a static string.
        let read = unsafe { CStr::from_ptr(one) };
        assert_eq!(read.to_str(), Ok("a text of this test"));
    }
}
