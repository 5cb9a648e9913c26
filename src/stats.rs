//! Statistics of the whole process: counters and timers of every context, as JSON text.

use tiledb_engine::internal::stats;

use crate::prelude::*;

/// Returns the standard output stream of the C library. It is used because the program may have
/// buffered output in it.
#[cfg(not(windows))]
fn standard_output() -> *mut libc::FILE {
    unsafe extern "C" {
        #[cfg_attr(
            any(target_vendor = "apple", target_os = "freebsd"),
            link_name = "__stdoutp"
        )]
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the C library set it before the program began.
    unsafe { stdout }
}

/// Returns the standard output stream of the C library. It is used because the program may have
/// buffered output in it.
#[cfg(windows)]
fn standard_output() -> *mut libc::FILE {
    unsafe extern "C" {
        fn __acrt_iob_func(number: u32) -> *mut libc::FILE;
    }
    // SAFETY: the C library has three streams from its start on.
    unsafe { __acrt_iob_func(1) }
}

/// Writes the statistics to a C stream; to the standard output if `out` is null.
unsafe fn print(out: *mut libc::FILE) -> Result<()> {
    let out = if out.is_null() {
        standard_output()
    } else {
        out
    };
    // SAFETY: the C library's own stream, or the caller's contract.
    unsafe { c_strings::print(out, "write statistics to", &stats::dump()) }
}

/// Stops counting and timing in all contexts of the process until `tiledb_stats_enable` is called.
/// Recorded values are kept.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_disable() -> i32 {
    entry::code_only(|| {
        stats::disable();
        Ok(())
    })
}

/// Writes the statistics to a stream: a JSON array with an object for each existing context that
/// has recorded a value.
///
/// @param out The stream; null for the standard output.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump(out: *mut libc::FILE) -> i32 {
    entry::code_only(|| print(out))
}

/// Gets the statistics as `tiledb_stats_dump` writes them.
///
/// @param out Set to the text. Free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump_str(out: *mut *mut c_char) -> i32 {
    entry::code_only(|| {
        let out = arg::out(out, "out")?;
        out.set(c_strings::allocate(&stats::dump())?);
        Ok(())
    })
}

/// Starts counting and timing in all contexts of the process after `tiledb_stats_disable`.
/// Statistics are enabled initially.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_enable() -> i32 {
    entry::code_only(|| {
        stats::enable();
        Ok(())
    })
}

/// Frees a string that a statistics function returned.
///
/// @param out Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_free_str(out: *mut *mut c_char) -> i32 {
    entry::code_only(|| {
        c_strings::free_allocated(out);
        Ok(())
    })
}

/// Checks whether `tiledb_stats_enable` was called and `tiledb_stats_disable` was not called after
/// it. Statistics are also recorded before either call; the result is 0 then.
///
/// @param enabled Set to 1 if it was, otherwise 0.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_is_enabled(enabled: *mut u8) -> i32 {
    entry::code_only(|| {
        arg::out(enabled, "enabled")?.set(u8::from(stats::is_enabled()));
        Ok(())
    })
}

/// Writes the statistics to a stream. Equivalent to `tiledb_stats_dump`.
///
/// @param out The stream; null for the standard output.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump(out: *mut libc::FILE) -> i32 {
    entry::code_only(|| print(out))
}

/// Gets the statistics as text. Equivalent to `tiledb_stats_dump_str`.
///
/// @param out Set to the text. Free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump_str(out: *mut *mut c_char) -> i32 {
    entry::code_only(|| {
        let out = arg::out(out, "out")?;
        out.set(c_strings::allocate(&stats::dump())?);
        Ok(())
    })
}

/// Resets the statistics of all contexts.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_reset() -> i32 {
    entry::code_only(|| {
        stats::reset();
        Ok(())
    })
}
