//! Connections whose waiting for input ends when the operation of the thread is cancelled.
//!
//! ureq calls the transport on the thread that sends the request, so the check for a cancellation
//! is stored per thread while a request is under way.

use std::cell::RefCell;
use std::io;
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, NextTimeout, RustlsConnector,
    TcpConnector, Transport, time,
};

/// The interval at which a waiting connection checks for a cancellation.
const STEP: Duration = Duration::from_millis(50);

type Check = Box<dyn Fn() -> bool>;

thread_local! {
    static CANCELLED: RefCell<Option<Check>> = const { RefCell::new(None) };
}

/// Sets the check for a cancellation on this thread while `body` runs.
pub(super) fn interruptible<R>(cancelled: Check, body: impl FnOnce() -> R) -> R {
    struct Reset(Option<Check>);
    impl Drop for Reset {
        fn drop(&mut self) {
            CANCELLED.set(self.0.take());
        }
    }
    let _reset = Reset(CANCELLED.replace(Some(cancelled)));
    body()
}

fn is_cancelled() -> bool {
    CANCELLED.with_borrow(|cancelled| cancelled.as_ref().is_some_and(|cancelled| cancelled()))
}

/// Returns a connector for HTTP and HTTPS, with or without a proxy.
pub(super) fn connector() -> impl Connector {
    ().chain(ConnectProxyConnector::default())
        .chain(TcpConnector::default())
        .chain(InterruptibleConnector)
        .chain(RustlsConnector::default())
}

/// Wraps the transport below it.
#[derive(Debug)]
struct InterruptibleConnector;

impl<In: Transport> Connector<In> for InterruptibleConnector {
    type Out = InterruptibleTransport<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(InterruptibleTransport))
    }
}

#[derive(Debug)]
struct InterruptibleTransport<T>(T);

impl<T: Transport> Transport for InterruptibleTransport<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    /// Waits in steps. A wait that times out has read nothing, so it can be repeated.
    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let whole = timeout.for_read();
        let start = Instant::now();
        loop {
            if is_cancelled() {
                return Err(Error::Io(io::ErrorKind::Interrupted.into()));
            }
            let rest = whole.after.saturating_sub(start.elapsed());
            let step = NextTimeout {
                after: time::Duration::Exact(rest.min(STEP)),
                per_read: None,
                ..whole
            };
            match self.0.await_input(step) {
                Err(Error::Timeout(_)) if rest > STEP => {}
                done => return done,
            }
        }
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}
