//! DOC family

use crate::prelude::*;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_disable() -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::not_implemented_plain("tiledb_stats_disable") }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump(out: *mut libc::FILE) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (out,);
        entry::not_implemented_plain("tiledb_stats_dump")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump_str(out: *mut *mut c_char) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (out,);
        entry::not_implemented_plain("tiledb_stats_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_enable() -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::not_implemented_plain("tiledb_stats_enable") }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_free_str(out: *mut *mut c_char) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (out,);
        entry::not_implemented_plain("tiledb_stats_free_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_is_enabled(enabled: *mut u8) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (enabled,);
        entry::not_implemented_plain("tiledb_stats_is_enabled")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump(out: *mut libc::FILE) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (out,);
        entry::not_implemented_plain("tiledb_stats_raw_dump")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump_str(out: *mut *mut c_char) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (out,);
        entry::not_implemented_plain("tiledb_stats_raw_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_reset() -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::not_implemented_plain("tiledb_stats_reset") }
}
