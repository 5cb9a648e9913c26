//! Consolidation and vacuum in their modes.

use std::ffi::{CStr, CString};

use super::{Done, text};
use crate::library::{Library, Parameter};

/// The modes that both libraries have, for consolidation and vacuum of arrays.
pub(crate) const MODES: [&str; 4] = ["fragments", "commits", "fragment_meta", "array_meta"];

/// Consolidates an array.
pub(crate) fn consolidate(
    library: &Library,
    uri: &CStr,
    mode: &str,
    parameters: &[Parameter<'_>],
) -> Done {
    let mode = CString::new(mode).expect("a mode");
    let parameters = [&[(c"sm.consolidation.mode", &*mode)], parameters].concat();
    with_config(library, "array_consolidate", uri, &parameters)
}

/// Vacuums an array.
pub(crate) fn vacuum(
    library: &Library,
    uri: &CStr,
    mode: &str,
    parameters: &[Parameter<'_>],
) -> Done {
    let mode = CString::new(mode).expect("a mode");
    let parameters = [&[(c"sm.vacuum.mode", &*mode)], parameters].concat();
    with_config(library, "array_vacuum", uri, &parameters)
}

pub(crate) fn consolidate_group(library: &Library, uri: &CStr) -> Done {
    let mode = (c"sm.consolidation.mode", c"group_meta");
    with_config(library, "group_consolidate_metadata", uri, &[mode])
}

pub(crate) fn vacuum_group(library: &Library, uri: &CStr, parameters: &[Parameter<'_>]) -> Done {
    let parameters = [&[(c"sm.vacuum.mode", c"group_meta")], parameters].concat();
    with_config(library, "group_vacuum_metadata", uri, &parameters)
}

/// Calls a function with a URI and the context's configuration with other parameters.
fn with_config(library: &Library, name: &str, uri: &CStr, parameters: &[Parameter<'_>]) -> Done {
    let config = library.context_config(parameters);
    let done = library.attempt(name, &[text(uri), config]);
    library.free("config_free", config);
    done
}
