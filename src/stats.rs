//! Statistics of the whole process: counters and timers of every context, as JSON text.

use tiledb_engine::stats;

use crate::prelude::*;

/// C's standard output, which the program may have written to before.
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

/// C's standard output, which the program may have written to before.
#[cfg(windows)]
fn standard_output() -> *mut libc::FILE {
    unsafe extern "C" {
        fn __acrt_iob_func(number: u32) -> *mut libc::FILE;
    }
    // SAFETY: the C library has three streams from its start on.
    unsafe { __acrt_iob_func(1) }
}

/// Writes the statistics to a C stream; to the standard output where there is none.
unsafe fn print(out: *mut libc::FILE) -> Result<()> {
    let out = if out.is_null() {
        standard_output()
    } else {
        out
    };
    // SAFETY: the C library's own stream, or the caller's contract.
    unsafe { kept::print(out, "write statistics to", &stats::dump()) }
}

/// Stops counting and timing, in all contexts of the process, until `tiledb_stats_enable`. What was recorded stays.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_disable() -> i32 {
    entry::plain(|| {
        stats::disable();
        Ok(())
    })
}

/// Writes the statistics to a stream: a JSON array with an object for each context alive that recorded something.
///
/// @param out The stream; null for the standard output.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump(out: *mut libc::FILE) -> i32 {
    entry::plain(|| print(out))
}

/// Gets the statistics as `tiledb_stats_dump` writes them.
///
/// @param out Becomes the text. Free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump_str(out: *mut *mut c_char) -> i32 {
    entry::plain(|| {
        let out = arg::out(out, "out")?;
        out.set(kept::given(&stats::dump())?);
        Ok(())
    })
}

/// Starts counting and timing again, in all contexts of the process, after `tiledb_stats_disable`; before, they are counted
/// and timed anyway.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_enable() -> i32 {
    entry::plain(|| {
        stats::enable();
        Ok(())
    })
}

/// Frees a text of statistics.
///
/// @param out The text; null afterwards. Null is fine at both levels.
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_free_str(out: *mut *mut c_char) -> i32 {
    entry::plain(|| {
        kept::free_given(out);
        Ok(())
    })
}

/// Tells whether `tiledb_stats_enable` was called, and not `tiledb_stats_disable` since. Statistics are recorded before either,
/// too.
///
/// @param enabled Becomes 1 if it was, else 0.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_is_enabled(enabled: *mut u8) -> i32 {
    entry::plain(|| {
        arg::out(enabled, "enabled")?.set(u8::from(stats::is_enabled()));
        Ok(())
    })
}

/// Writes the statistics to a stream; the same as `tiledb_stats_dump`.
///
/// @param out The stream; null for the standard output.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump(out: *mut libc::FILE) -> i32 {
    entry::plain(|| print(out))
}

/// Gets the statistics as text; the same as `tiledb_stats_dump_str`.
///
/// @param out Becomes the text. Free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump_str(out: *mut *mut c_char) -> i32 {
    entry::plain(|| {
        let out = arg::out(out, "out")?;
        out.set(kept::given(&stats::dump())?);
        Ok(())
    })
}

/// Forgets what was recorded, in all contexts.
///
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_reset() -> i32 {
    entry::plain(|| {
        stats::reset();
        Ok(())
    })
}
