//! Handles: made, borrowed, released. The wording for a bad one stands here alone.

use crate::prelude::*;

/// Boxes `value` and hands it to C through `to`.
pub(crate) unsafe fn make<T>(to: *mut *mut T, name: &str, value: T) -> Result<()> {
    let to = unsafe {
        // SAFETY: the caller's contract.
        arg::out(to, name)?
    };
    to.set(Box::into_raw(Box::new(value)));
    Ok(())
}

/// The object behind a handle; `name` is the argument's.
pub(crate) unsafe fn borrow<'a, T>(handle: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: the caller's contract.
    unsafe { handle.as_ref() }
        .ok_or_else(|| Error::usage("C API", format!("Invalid TileDB object: {name}")))
}

/// The object behind a handle that may be null.
pub(crate) unsafe fn borrow_optional<'a, T>(handle: *const T) -> Option<&'a T> {
    // SAFETY: the caller's contract.
    unsafe { handle.as_ref() }
}

/// Frees the object behind a handle and leaves null there. Null is fine at both levels.
pub(crate) unsafe fn release<T>(handle: *mut *mut T) {
    entry::quiet(|| {
        // SAFETY: the caller's contract: null, or a pointer to null or to what `make` boxed.
        unsafe {
            if let Some(handle) = handle.as_mut() {
                let object = std::mem::replace(handle, std::ptr::null_mut());
                if !object.is_null() {
                    drop(Box::from_raw(object));
                }
            }
        }
    });
}
