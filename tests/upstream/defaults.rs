//! The parameters of a new configuration, as its iterator returns them.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};

use super::library::{Library, address};

/// Returns names and values in the order of the iterator.
pub(crate) fn walk(library: &Library, prefix: Option<&CStr>) -> Vec<(String, String)> {
    let (mut config, mut error, mut steps) = (0usize, 0usize, 0usize);
    library.call("config_alloc", &[address(&mut config), address(&mut error)]);
    let prefix = prefix.map_or(0, |text| text.as_ptr() as usize);
    let alloc = [config, prefix, address(&mut steps), address(&mut error)];
    assert_eq!(library.call("config_iter_alloc", &alloc), 0);
    let mut found = Vec::new();
    loop {
        let mut done = 9i32;
        let asked = [steps, address(&mut done), address(&mut error)];
        assert_eq!(library.call("config_iter_done", &asked), 0);
        if done == 1 {
            return found;
        }
        let (mut name, mut value) = (std::ptr::null::<c_char>(), std::ptr::null::<c_char>());
        let arguments = [
            steps,
            address(&mut name),
            address(&mut value),
            address(&mut error),
        ];
        assert_eq!(library.call("config_iter_here", &arguments), 0);
        // SAFETY: the strings are valid until the next step of the iterator.
        let texts = unsafe { [CStr::from_ptr(name), CStr::from_ptr(value)] };
        let [name, value] = texts.map(|text| text.to_str().expect("UTF-8").to_owned());
        found.push((name, value));
        assert_eq!(
            library.call("config_iter_next", &[steps, address(&mut error)]),
            0
        );
    }
}

/// Compares the iterators of both libraries, with and without a prefix. Returns the number of
/// parameters.
pub(crate) fn check(ours: &Library, theirs: &Library) -> usize {
    for prefix in [c"vfs.", c"sm.", c"vfs.s3.", c"none."] {
        assert_eq!(walk(ours, Some(prefix)), walk(theirs, Some(prefix)));
    }
    let all = walk(ours, None);
    assert_eq!(all, walk(theirs, None));
    let different: BTreeMap<_, _> = all.iter().cloned().collect();
    assert_eq!(different.len(), all.len());
    all.len()
}
