//! Ctrl-C and termination: commands that write files or arrays end in order and remove what is
//! incomplete. A second signal ends the process at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::problem::{Problem, Result};

/// The number of the signal that the process received; 0 for none.
static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Changes the treatment of signals for the rest of the process: [`check`] reports them.
pub(crate) fn catch() {
    let received = RECEIVED.get_or_init(Arc::default);
    let armed = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The actions run in this order: the first signal arms the end by the second one. If one
        // cannot be registered, the signal ends the process as usual.
        let _ = flag::register_conditional_shutdown(signal, 128 + signal, armed.clone())
            .and_then(|_| flag::register(signal, armed.clone()))
            .and_then(|_| flag::register_usize(signal, received.clone(), signal as usize));
    }
    // A file that exceeds a limit is an error of the write; it shall not end the process.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Returns whether a signal was received.
pub(crate) fn is_pending() -> bool {
    signal() != 0
}

fn signal() -> usize {
    RECEIVED
        .get()
        .map_or(0, |received| received.load(Ordering::Relaxed))
}

/// Returns an error if a signal was received.
pub(crate) fn check() -> Result<()> {
    match signal() {
        0 => Ok(()),
        signal => Err(Problem::interrupted(signal)),
    }
}
