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

impl Handle for tiledb_array_t {
    const NOUN: &'static str = "array";
}
impl Handle for tiledb_array_schema_t {
    const NOUN: &'static str = "array_schema";
}
impl Handle for tiledb_array_schema_evolution_t {
    const NOUN: &'static str = "array schema evolution";
    const ORIGIN: &'static str = "Error";
}
impl Handle for tiledb_attribute_t {
    const NOUN: &'static str = "attribute";
}
impl Handle for tiledb_buffer_t {
    const NOUN: &'static str = "buffer";
}
impl Handle for tiledb_buffer_list_t {
    const NOUN: &'static str = "buffer list";
}
impl Handle for tiledb_channel_operation_t {
    const NOUN: &'static str = "tiledb_channel_operation_t";
}
impl Handle for tiledb_channel_operator_t {
    const NOUN: &'static str = "tiledb_channel_operator_handle_t";
}
impl Handle for tiledb_config_t {
    const NOUN: &'static str = "configuration";
}
impl Handle for tiledb_config_iter_t {
    const NOUN: &'static str = "configuration iterator";
}
impl Handle for tiledb_consolidation_plan_t {
    const NOUN: &'static str = "consolidation plan";
    const ORIGIN: &'static str = "Error";
}
impl Handle for tiledb_ctx_t {
    const NOUN: &'static str = "context";
}
impl Handle for tiledb_current_domain_t {
    const NOUN: &'static str = "tiledb_current_domain_t";
}
impl Handle for tiledb_dimension_t {
    const NOUN: &'static str = "dimension";
}
impl Handle for tiledb_dimension_label_t {
    const NOUN: &'static str = "dimension label";
}
impl Handle for tiledb_domain_t {
    const NOUN: &'static str = "domain";
}
impl Handle for tiledb_enumeration_t {
    const NOUN: &'static str = "enumeration";
}
impl Handle for tiledb_error_t {
    const NOUN: &'static str = "error";
}
impl Handle for tiledb_filter_t {
    const NOUN: &'static str = "filter";
}
impl Handle for tiledb_filter_list_t {
    const NOUN: &'static str = "filter list";
}
impl Handle for tiledb_fragment_info_t {
    const NOUN: &'static str = "fragment_info";
}
impl Handle for tiledb_rs_group_snapshot_t {
    const NOUN: &'static str = "group snapshot";
}
impl Handle for tiledb_group_t {
    const NOUN: &'static str = "group";
}
impl Handle for tiledb_ndrectangle_t {
    const NOUN: &'static str = "tiledb_ndrectangle_t";
}
impl Handle for tiledb_profile_t {
    const NOUN: &'static str = "profile";
}
impl Handle for tiledb_query_t {
    const NOUN: &'static str = "query";
    const ORIGIN: &'static str = "Error";
}
impl Handle for tiledb_query_channel_t {
    const NOUN: &'static str = "tiledb_query_channel_t";
}
impl Handle for tiledb_query_condition_t {
    const NOUN: &'static str = "query condition";
    const ORIGIN: &'static str = "Error";
}
impl Handle for tiledb_query_field_t {
    const NOUN: &'static str = "tiledb_query_field_t";
}
impl Handle for tiledb_string_t {
    const NOUN: &'static str = "string";
}
impl Handle for tiledb_subarray_t {
    const NOUN: &'static str = "subarray";
}
impl Handle for tiledb_vfs_t {
    const NOUN: &'static str = "vfs";
}
impl Handle for tiledb_vfs_fh_t {
    const NOUN: &'static str = "vfs file handle";
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
