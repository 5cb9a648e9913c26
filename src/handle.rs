//! Creating, borrowing and freeing handles, with the errors for null handles.

use crate::prelude::*;

/// A type that C programs use through handles.
pub(crate) trait Handle {
    /// The name of the type in errors.
    const NOUN: &'static str;
    /// The origin of errors about null handles.
    const ORIGIN: &'static str = "C API";
}

/// Boxes `value` and writes the pointer to `to`. `name` is the name of the argument.
pub(crate) unsafe fn make<T: Handle>(to: *mut *mut T, name: &str, value: T) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { arg::out(to, name) }?.give(value);
    Ok(())
}

impl<T: Handle> arg::Out<*mut T> {
    /// Boxes `value` and writes the pointer.
    pub(crate) fn give(self, value: T) {
        self.set(Box::into_raw(Box::new(value)));
    }

    /// Boxes `value` and writes the pointer, or null for `None`.
    pub(crate) fn give_or_null(self, value: Option<T>) {
        match value {
            Some(value) => self.give(value),
            None => self.set(std::ptr::null_mut()),
        }
    }
}

/// Returns the object of a handle, or an error for null.
pub(crate) unsafe fn borrow<'a, T: Handle>(handle: *const T) -> Result<&'a T> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { handle.as_ref() }
        .ok_or_else(|| Error::usage(T::ORIGIN, format!("Invalid TileDB {} object", T::NOUN)))
}

/// Returns the object of a handle, or `None` for null.
pub(crate) unsafe fn borrow_optional<'a, T: Handle>(handle: *const T) -> Option<&'a T> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { handle.as_ref() }
}

/// Frees the object of a handle and sets the handle to null. Null and a pointer to null are
/// ignored.
pub(crate) unsafe fn release<T: Handle>(handle: *mut *mut T) {
    entry::no_result(|| {
        // SAFETY: null, or a pointer to null or to a value that `make` boxed, by the contract in
        // lib.rs.
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

/// Frees the object of a handle and sets the handle to null. A null pointer and a null handle are
/// errors, as in the functions of libtiledb that return a code. `name` is the name of the argument.
pub(crate) unsafe fn release_existing<T: Handle>(handle: *mut *mut T, name: &str) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe {
        borrow(*arg::dereference(handle, name)?)?;
        release(handle);
    }
    Ok(())
}

/// Implements [`Handle`] for types: each with its noun, and its origin if that is another one.
macro_rules! handles {
    ($($handle:ty = $noun:literal $(, $origin:literal)?;)*) => {
        $(impl Handle for $handle {
            const NOUN: &'static str = $noun;
            $(const ORIGIN: &'static str = $origin;)?
        })*
    };
}

handles! {
    tiledb_array_t = "array";
    tiledb_array_schema_t = "array_schema";
    tiledb_array_schema_evolution_t = "array schema evolution", "Error";
    tiledb_attribute_t = "attribute";
    tiledb_buffer_t = "buffer";
    tiledb_buffer_list_t = "buffer list";
    tiledb_channel_operation_t = "tiledb_channel_operation_t";
    tiledb_channel_operator_t = "tiledb_channel_operator_handle_t";
    tiledb_config_t = "configuration";
    tiledb_config_iter_t = "configuration iterator";
    tiledb_consolidation_plan_t = "consolidation plan", "Error";
    tiledb_ctx_t = "context";
    tiledb_current_domain_t = "tiledb_current_domain_t";
    tiledb_dimension_t = "dimension";
    tiledb_dimension_label_t = "dimension label";
    tiledb_domain_t = "domain";
    tiledb_enumeration_t = "enumeration";
    tiledb_error_t = "error";
    tiledb_filter_t = "filter";
    tiledb_filter_list_t = "filter list";
    tiledb_fragment_info_t = "fragment_info";
    tiledb_rs_group_snapshot_t = "group snapshot";
    tiledb_group_t = "group";
    tiledb_ndrectangle_t = "tiledb_ndrectangle_t";
    tiledb_profile_t = "profile";
    tiledb_query_t = "query", "Error";
    tiledb_query_channel_t = "tiledb_query_channel_t";
    tiledb_query_condition_t = "query condition", "Error";
    tiledb_query_field_t = "tiledb_query_field_t";
    tiledb_string_t = "string";
    tiledb_subarray_t = "subarray";
    tiledb_vfs_t = "vfs";
    tiledb_vfs_fh_t = "vfs file handle";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of<T: Handle>(null: *const T) -> String {
        // SAFETY: `borrow` checks for null.
        unsafe { borrow(null) }
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn null_handle_error_contains_the_type_name() {
        assert_eq!(
            text_of::<tiledb_array_t>(std::ptr::null()),
            "C API: Invalid TileDB array object"
        );
        assert_eq!(
            text_of::<tiledb_config_t>(std::ptr::null()),
            "C API: Invalid TileDB configuration object"
        );
        assert_eq!(
            text_of::<tiledb_query_t>(std::ptr::null()),
            "Error: Invalid TileDB query object"
        );
    }
}
