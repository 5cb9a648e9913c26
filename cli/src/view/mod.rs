//! `view`: a page in the browser that shows an array, or a group with its arrays.
//!
//! `server` accepts requests of the page, which `http` parses. `session` responds from the arrays
//! that it keeps open, and `outline` has what is known before fragments are opened. Each view has a
//! module: `catalog` (the tree, the schema and metadata), `map`
//! (fragments and tiles), `rows` (cells), `raster` (pictures), `history` (the time), `summary`
//! (explanations and statistics), `snippets` (programs and exports) and `queries` (SQL). `change`
//! has the changes that the option `--write` allows.

mod catalog;
mod change;
mod history;
mod http;
mod map;
mod outline;
#[cfg(feature = "sql")]
mod queries;
mod raster;
mod rows;
mod server;
mod session;
mod snippets;
mod summary;

use std::process::{Command, Stdio};

use serde_json::json;
use tiledb_engine::Context;

use crate::interrupt;
use crate::output::Output;
use crate::problem::{Problem, Result};

/// The memory of all reads in bytes, unless the parameter is set.
const MEMORY: &str = "1073741824";
/// The parameter with the memory of a read.
const MEMORY_PARAMETER: &str = "sm.mem.total_budget";
/// The requests to an object store at a time, unless the parameter is set: a view needs a few of
/// each fragment, and waits for them as often as this divides their number.
const REQUESTS: &str = "128";

/// Serves the page until it is closed or Ctrl-C is pressed.
pub(crate) fn view(
    context: &Context,
    uri: &str,
    opens_browser: bool,
    allows_changes: bool,
    output: &mut Output,
) -> Result<()> {
    let mut config = context.config().clone();
    let defaults = [
        (MEMORY_PARAMETER, MEMORY),
        ("vfs.s3.max_parallel_ops", REQUESTS),
        ("vfs.azure.max_parallel_ops", REQUESTS),
        ("vfs.gcs.max_parallel_ops", REQUESTS),
    ];
    for (name, value) in defaults {
        if !config.is_set(name) {
            config.set(name, value)?;
        }
    }
    // Reads at the same time share the memory.
    let memory = config.get(MEMORY_PARAMETER).unwrap_or_default();
    if let Ok(memory) = memory.parse::<u64>() {
        let share = memory / session::MAX_READS as u64;
        config.set(MEMORY_PARAMETER, &share.max(1).to_string())?;
    }
    let context = Context::with_config(config)?;
    let session = session::Session::new(context, uri, allows_changes)?;
    let server = server::Server::start(session)
        .map_err(|error| Problem::from(error).of_file("listen at", "127.0.0.1"))?;
    interrupt::catch();
    let address = server.address();
    let json = json!({"uri": uri, "address": address});
    output.print(&json, || {
        format!("{uri} is shown at {address}\nCtrl-C or closing the page ends the server\n")
    })?;
    if opens_browser && !open_browser(&address) {
        output.text("no browser could be started; open the address in one\n")?;
    }
    server.wait();
    Ok(())
}

/// Opens an address in the default browser; returns whether a program for this was started.
fn open_browser(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/c", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().is_ok()
}
