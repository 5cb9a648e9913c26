//! Ctrl-C and termination: commands that write files or arrays end in order and remove what is
//! incomplete. A second signal ends the process at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
#[cfg(feature = "sql")]
use std::time::Duration;

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

/// Changes the treatment of Ctrl-C for the rest of the process: [`check`] reports it until
/// [`forget`] is called, and a second one does not end the process.
#[cfg(feature = "sql")]
pub(crate) fn catch_each() {
    let received = RECEIVED.get_or_init(Arc::default);
    // Without the action, Ctrl-C ends the process as usual.
    let _ = flag::register_usize(SIGINT, received.clone(), SIGINT as usize);
}

/// Forgets the signal that was received.
#[cfg(feature = "sql")]
pub(crate) fn forget() {
    if let Some(received) = RECEIVED.get() {
        received.store(0, Ordering::Relaxed);
    }
}

/// Ends the process within a second after a signal, if the command has not ended until then: its
/// output may block, or a request to storage may hang.
#[cfg(feature = "sql")]
pub(crate) fn end_soon() {
    const INTERVAL: Duration = Duration::from_millis(50);
    const LIMIT: Duration = Duration::from_millis(750);
    let end = || {
        while !is_pending() {
            std::thread::sleep(INTERVAL);
        }
        std::thread::sleep(LIMIT);
        signal_hook::low_level::exit(128 + signal() as i32);
    };
    // Without the thread, the command ends when its output and storage return.
    let _ = std::thread::Builder::new().spawn(end);
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
