//! Connections: the addresses of hosts, and waiting that ends when the operation of the thread is
//! cancelled.
//!
//! ureq calls the transport on the thread that sends the request, so the check for a cancellation
//! is stored per thread while a request is under way.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout,
    RustlsConnector, Transport,
};
use ureq::{Error, Timeout};

use crate::platform::keep_alive;

/// The interval at which a waiting connection checks for a cancellation.
const STEP: Duration = Duration::from_millis(50);
/// The time after which an attempt to connect continues on a thread of its own.
const QUICK: Duration = Duration::from_millis(200);

/// Returns whether an operation was cancelled.
type Check = Rc<dyn Fn() -> bool>;

thread_local! {
    static CANCELLED: RefCell<Option<Check>> = const { RefCell::new(None) };
}

/// Sets the check for a cancellation on this thread while `body` runs.
pub(crate) fn interruptible<R>(cancelled: Check, body: impl FnOnce() -> R) -> R {
    struct Reset(Option<Check>);
    impl Drop for Reset {
        fn drop(&mut self) {
            CANCELLED.set(self.0.take());
        }
    }
    let _reset = Reset(CANCELLED.replace(Some(cancelled)));
    body()
}

/// Returns an error if the operation of the thread was cancelled. Its kind is neither
/// `Interrupted`, after which the standard library and rustls read again, nor one that ends a body,
/// see [`unlike_end`].
fn check_cancelled() -> io::Result<()> {
    // The check may send requests, which have a check of their own.
    let check = CANCELLED.with_borrow(Clone::clone);
    if check.is_some_and(|is_cancelled| is_cancelled()) {
        Err(io::Error::other("cancelled"))
    } else {
        Ok(())
    }
}

/// Returns a connector for HTTP and HTTPS, with or without a proxy. With `keepalive`, the system
/// sends probes on idle connections.
pub(crate) fn connector(keepalive: bool) -> impl Connector {
    ().chain(ConnectProxyConnector::default())
        .chain(InterruptibleConnector { keepalive })
        .chain(RustlsConnector::default())
}

/// Connects to the first address that accepts, unless a proxy is connected already.
#[derive(Debug)]
struct InterruptibleConnector {
    keepalive: bool,
}

impl<In: Transport> Connector<In> for InterruptibleConnector {
    type Out = Either<In, InterruptibleTransport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        if let Some(chained) = chained {
            return Ok(Some(Either::A(chained)));
        }
        let deadline = Instant::now().checked_add(*details.timeout.after);
        let mut last = Error::ConnectionFailed;
        let mut remaining = details.addrs.len();
        for address in &details.addrs {
            // An address that does not respond leaves half of the time to the others.
            let rest = deadline.map(|until| until.saturating_duration_since(Instant::now()));
            let share = rest.map(|rest| if remaining > 1 { rest / 2 } else { rest });
            remaining -= 1;
            match connect(*address, share) {
                Ok(stream) => {
                    if self.keepalive {
                        keep_alive(&stream)?;
                    }
                    let config = details.config;
                    let sizes = [config.input_buffer_size(), config.output_buffer_size()];
                    return Ok(Some(Either::B(InterruptibleTransport::new(stream, sizes)?)));
                }
                Err(error) => {
                    check_cancelled()?;
                    last = match error.kind() {
                        ErrorKind::TimedOut => Error::Timeout(Timeout::Connect),
                        _ => error.into(),
                    };
                }
            }
        }
        Err(last)
    }
}

/// Connects to an address. A thread of its own waits if the address does not accept quickly; it
/// ends at the latest after the timeout, also if this function returned earlier.
fn connect(address: SocketAddr, timeout: Option<Duration>) -> io::Result<TcpStream> {
    check_cancelled()?;
    let timed_out = || io::Error::from(ErrorKind::TimedOut);
    let quick = timeout.map_or(QUICK, |timeout| timeout.min(QUICK));
    if quick.is_zero() {
        return Err(timed_out());
    }
    match TcpStream::connect_timeout(&address, quick) {
        Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {}
        connected => return connected,
    }
    let rest = timeout.map(|timeout| timeout.saturating_sub(quick));
    if rest.is_some_and(|rest| rest.is_zero()) {
        return Err(timed_out());
    }
    let (sender, receiver) = channel();
    std::thread::Builder::new().spawn(move || {
        let connected = match rest {
            Some(rest) => TcpStream::connect_timeout(&address, rest),
            None => TcpStream::connect(address),
        };
        // Fails if the operation was cancelled meanwhile.
        let _ = sender.send(connected);
    })?;
    loop {
        check_cancelled()?;
        match receiver.recv_timeout(STEP) {
            Ok(connected) => return connected,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::Other.into()),
        }
    }
}

/// Returns an error of a read whose kind is not that of a closed connection. ureq takes these kinds
/// for the end of the body, so that the received part of a body without a length would be complete.
fn unlike_end(error: Error) -> Error {
    use ErrorKind::{ConnectionAborted, ConnectionReset, UnexpectedEof};
    match error {
        Error::Io(error)
            if matches!(
                error.kind(),
                ConnectionAborted | ConnectionReset | UnexpectedEof
            ) =>
        {
            Error::Io(io::Error::other(error))
        }
        other => other,
    }
}

/// A connection that waits in steps.
#[derive(Debug)]
struct InterruptibleTransport {
    stream: TcpStream,
    buffers: LazyBuffers,
}

impl InterruptibleTransport {
    fn new(stream: TcpStream, [input, output]: [usize; 2]) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(STEP))?;
        stream.set_write_timeout(Some(STEP))?;
        Ok(Self {
            stream,
            buffers: LazyBuffers::new(input, output),
        })
    }
}

/// Calls `step`, which waits for [`STEP`] at most, until it is done, the time is over, or the
/// operation is cancelled.
fn in_steps(
    timeout: NextTimeout,
    mut step: impl FnMut() -> io::Result<usize>,
) -> Result<usize, Error> {
    let start = Instant::now();
    loop {
        check_cancelled()?;
        match step() {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) => {}
            done => return Ok(done?),
        }
        if start.elapsed() >= *timeout.after {
            return Err(Error::Timeout(timeout.reason));
        }
    }
}

impl Transport for InterruptibleTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let mut rest = self.buffers.output().get(..amount).unwrap_or_default();
        while !rest.is_empty() {
            let written = in_steps(timeout.for_write(), || (&self.stream).write(rest))?;
            if written == 0 {
                return Err(Error::Io(ErrorKind::WriteZero.into()));
            }
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let input = self.buffers.input_append_buf();
        let read =
            in_steps(timeout.for_read(), || (&self.stream).read(input)).map_err(unlike_end)?;
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    /// Returns whether the server has neither closed the connection nor sent bytes.
    fn is_open(&mut self) -> bool {
        let peek = || {
            self.stream.set_nonblocking(true)?;
            let peeked = self.stream.peek(&mut [0]);
            self.stream.set_nonblocking(false)?;
            peeked
        };
        matches!(peek(), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }
}

/// Resolves host names with the system's resolver. Names below `localhost`, which not all systems
/// resolve, are this machine (RFC 6761), as for libcurl.
#[derive(Debug, Default)]
pub(super) struct HostResolver {
    system: DefaultResolver,
}

/// Returns the URI of `localhost` if the host is a name below it.
fn on_loopback(uri: &ureq::http::Uri) -> Option<ureq::http::Uri> {
    let host = uri.host()?.trim_end_matches('.');
    let (_, domain) = host.rsplit_once('.')?;
    if !domain.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let authority = match uri.port_u16() {
        Some(port) => format!("localhost:{port}"),
        None => "localhost".to_owned(),
    };
    let builder = ureq::http::Uri::builder().scheme(uri.scheme_str()?);
    builder
        .authority(authority)
        .path_and_query("/")
        .build()
        .ok()
}

impl Resolver for HostResolver {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let loopback = on_loopback(uri);
        let uri = loopback.as_ref().unwrap_or(uri);
        self.system.resolve(uri, config, timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_localhost_are_this_machine() {
        let loopback = |uri: &str| {
            let uri: ureq::http::Uri = uri.parse().expect("a URI");
            on_loopback(&uri).map(|uri| uri.to_string())
        };
        let found = loopback("http://bucket.localhost:9000/key?list");
        assert_eq!(found.as_deref(), Some("http://localhost:9000/"));
        let found = loopback("https://a.b.LOCALHOST./key");
        assert_eq!(found.as_deref(), Some("https://localhost/"));
        for other in [
            "http://localhost:9000/",
            "http://localhost.org/",
            "http://[::1]/",
        ] {
            assert_eq!(loopback(other), None);
        }
    }
}
