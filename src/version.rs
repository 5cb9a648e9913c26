//! Version and constants, the clock, the log, and the build configuration.

use tiledb_engine::internal::config::Release;
use tiledb_engine::internal::stats::Level;
use tiledb_engine::internal::vfs::{Scheme, Vfs, to_path};

use crate::prelude::*;

/// The longest path, in bytes.
const MAX_PATH_BYTES: u32 = 4096;

/// Returns the build configuration as JSON.
fn as_built() -> String {
    let backend = |name: &str, scheme| {
        let enabled = Vfs::supports(scheme);
        format!("        \"{name}\": {{\n          \"enabled\": {enabled}\n        }}")
    };
    let backends = [
        backend("azure", Scheme::Azure),
        backend("gcs", Scheme::Gcs),
        backend("s3", Scheme::S3),
    ];
    format!(
        "{{\n  \"as_built\": {{\n    \"parameters\": {{\n      \"storage_backends\": {{\n{}\n      }},\n      \
         \"support\": {{\n        \"serialization\": {{\n          \"enabled\": true\n        }}\n      }}\n    }}\n  }}\n}}",
        backends.join(",\n")
    )
}

/// Gets the build configuration: a JSON object with the supported storage backends and features.
///
/// Experimental: this function may change in any release.
///
/// @param out Set to a new string; free it with `tiledb_string_free`.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_as_built_dump(out: *mut *mut tiledb_string_t) -> capi_return_t {
    entry::code_only(|| handle::make(out, "out", tiledb_string_t::new(as_built())))
}

/// Does nothing. The function exists for programs that call it; use a tool such as heaptrack to
/// profile allocations.
///
/// @param file_name_prefix Ignored.
/// @param dump_interval_ms Ignored.
/// @param dump_interval_bytes Ignored.
/// @param dump_threshold_bytes Ignored.
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_heap_profiler_enable(
    file_name_prefix: *const c_char,
    dump_interval_ms: u64,
    dump_interval_bytes: u64,
    dump_threshold_bytes: u64,
) -> i32 {
    let _unused = (
        file_name_prefix,
        dump_interval_ms,
        dump_interval_bytes,
        dump_threshold_bytes,
    );
    TILEDB_OK
}

/// Writes a warning to the log if `config.logging_level` is at least 2.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param message The text of the warning.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_log_warn(
    ctx: *mut tiledb_ctx_t,
    message: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let message = arg::text(message, "message")?;
        ctx.vfs.context.log.write(Level::Warning, message);
        Ok(())
    })
}

/// Gets the maximum length of a path.
///
/// @return The length in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_max_path() -> u32 {
    MAX_PATH_BYTES
}

/// Gets the default size of an offset into values of variable length.
///
/// @return The size in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_offset_size() -> u64 {
    size_of::<u64>() as u64
}

/// Returns the code of a status. Functions return codes already, so it returns its argument.
///
/// @param x The return value of a function.
/// @return `x`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_status_code(x: capi_return_t) -> capi_status_t {
    x
}

/// Gets the current time as a timestamp.
///
/// @return Milliseconds since 1970-01-01 00:00 UTC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_timestamp_now_ms() -> u64 {
    tiledb_engine::internal::types::now()
}

/// Gets the name of the field with the timestamps at which cells were written.
///
/// @return A static string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_timestamps() -> *const c_char {
    c"__timestamps".as_ptr()
}

/// Converts the URI of a local file to its path. Other URIs are copied unchanged, except that
/// `mem://` is removed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri The URI.
/// @param path_out Buffer that receives the zero-terminated path.
/// @param path_length The size of `path_out` in bytes. Set to the length of the path without the
///   terminating zero, or to 0 if the buffer is too small or the scheme of the URI is unknown.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_uri_to_path(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    path_out: *mut c_char,
    path_length: *mut u32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let uri = arg::text(uri, "uri")?;
        let buffer = arg::out(path_length, "path_length").map(|_| *path_length)?;
        let to = arg::bytes_mut(path_out.cast(), buffer.into(), "path_out")?;
        path_length.write(0);
        path_length.write(put_path(uri, to)?);
        Ok(())
    })
}

/// Writes the zero-terminated path of a URI to a buffer and returns the length of the path, or an
/// error if the buffer is too small.
fn put_path(uri: &str, to: &mut [u8]) -> Result<u32> {
    let refused = |why| Error::usage("C API", format!("Cannot convert '{uri}' to a path; {why}"));
    let path = to_path(uri)
        .filter(|path| !path.is_empty())
        .ok_or_else(|| refused("it is no URI of a known kind"))?;
    match to.split_at_mut_checked(path.len()) {
        Some((start, [end, ..])) => {
            start.copy_from_slice(path.as_bytes());
            *end = 0;
            Ok(u32::try_from(path.len()).unwrap_or(u32::MAX))
        }
        _ => Err(refused("the path and a zero have no room in the buffer")),
    }
}

/// Gets the number of values per cell that stands for a variable number.
///
/// @return The number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_var_num() -> u32 {
    u32::MAX
}

/// Gets the version of libtiledb whose C API the library implements: 2.30.0, or 2.31.0 if the
/// environment variable `TILEDB_RS_RELEASE` was `2.31` when the library first needed it.
///
/// @param major Set to the major version, unless null.
/// @param minor Set to the minor version, unless null.
/// @param rev Set to the patch version, unless null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_version(major: *mut i32, minor: *mut i32, rev: *mut i32) {
    let parts = [major, minor, rev]
        .into_iter()
        .zip(Release::current().numbers());
    for (output, part) in parts.filter(|(output, _)| !output.is_null()) {
        // SAFETY: not null, and the caller passes pointers to integers.
        unsafe { output.write(part) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_buffer_must_hold_the_terminating_zero() {
        let mut buffer = [b'?'; 5];
        assert!(put_path("file:///abc", &mut buffer[..4]).is_err());
        assert_eq!(put_path("file:///abc", &mut buffer).ok(), Some(4));
        assert_eq!(&buffer, b"/abc\0");
        assert!(put_path("foo://a", &mut [0; 100]).is_err());
        assert!(put_path("", &mut []).is_err());
    }
}
