//! Values of parameters: which a configuration accepts, and with which a context is created.

use std::ffi::{CStr, CString, c_char};

use super::defaults::walk;
use super::library::{Library, address};

const VALUES: [&str; 25] = [
    "",
    "0",
    "1",
    "-1",
    "-0",
    "+5",
    " 7",
    "7 ",
    "00012",
    "0x10",
    "1.5",
    ".5",
    "1e3",
    "1_000",
    "5k",
    "nan",
    "true",
    "TRUE",
    "tRuE",
    "False",
    "abc",
    "none",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
];

/// Parameters whose values docs/differences lists, and one with which libtiledb ends the process.
const OTHERS: [&str; 7] = [
    "config.logging_level",
    "profile_dir",
    "profile_name",
    "rest.server_address",
    "sm.mem.malloc_trim",
    "vfs.file.posix_directory_permissions",
    "vfs.file.posix_file_permissions",
];

/// The results of one value: of setting it, of getting it, and of creating a context with it. An
/// error is its text.
#[derive(Debug)]
struct Outcome {
    set: Option<String>,
    value: Option<String>,
    context: Option<String>,
}

impl Outcome {
    /// Returns whether the results are those of libtiledb. Errors may say more after its text.
    fn is_that_of(&self, theirs: &Self) -> bool {
        let says = |ours: &Option<String>, theirs: &Option<String>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => ours.starts_with(theirs.as_str()),
            (ours, theirs) => ours == theirs,
        };
        says(&self.set, &theirs.set)
            && self.value == theirs.value
            && says(&self.context, &theirs.context)
    }
}

/// Compares all values of all parameters. Returns the number of contexts that were created.
pub(crate) fn check(ours: &Library, theirs: &Library) -> usize {
    let mut contexts = 0;
    for (parameter, _) in walk(ours, None) {
        if OTHERS.contains(&parameter.as_str()) || parameter.contains("concurrency") {
            continue;
        }
        for value in VALUES {
            let outcomes = [ours, theirs].map(|library| outcome(library, &parameter, value));
            let [one, other] = &outcomes;
            assert!(
                one.is_that_of(other),
                "{parameter}={value:?}: {outcomes:#?}"
            );
            contexts += usize::from(one.set.is_none() && one.context.is_none());
        }
    }
    contexts
}

fn outcome(library: &Library, parameter: &str, value: &str) -> Outcome {
    let texts = [parameter, value].map(|text| CString::new(text).expect("no zero byte"));
    let [parameter, value] = texts.each_ref().map(|text| text.as_ptr() as usize);
    let (mut config, mut context, mut error) = (0usize, 0usize, 0usize);
    library.call("config_alloc", &[address(&mut config), address(&mut error)]);
    let set = [config, parameter, value, address(&mut error)];
    let set = failure(library, library.call("config_set", &set), &mut error);
    let mut stored = std::ptr::null::<c_char>();
    let get = [config, parameter, address(&mut stored), address(&mut error)];
    assert_eq!(library.call("config_get", &get), 0);
    let stored = text(stored);
    let alloc = [config, address(&mut context), address(&mut error)];
    let allocated = library.call("ctx_alloc_with_error", &alloc);
    let outcome = Outcome {
        set,
        value: stored,
        context: failure(library, allocated, &mut error),
    };
    library.free("ctx_free", context);
    library.free("config_free", config);
    outcome
}

/// Returns the text of the error of a failed call, and frees the error.
fn failure(library: &Library, code: i32, error: &mut usize) -> Option<String> {
    if code == 0 {
        return None;
    }
    let mut message = std::ptr::null::<c_char>();
    library.call("error_message", &[*error, address(&mut message)]);
    let message = text(message);
    library.free("error_free", std::mem::take(error));
    Some(message.unwrap_or_default())
}

/// Copies a string of a library; `None` for null.
fn text(text: *const c_char) -> Option<String> {
    // SAFETY: strings are valid until the configuration or the error is freed.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?;
    Some(text.to_string_lossy().into_owned())
}
