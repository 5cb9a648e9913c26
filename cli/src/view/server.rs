//! The server of the page: which requests it accepts, and when it ends.
//!
//! It listens on 127.0.0.1 only. Requests for data need the token of the address in a header, which
//! pages of other origins neither know nor can send: a request with this header is preceded by an
//! `OPTIONS` request, which is refused. `Host` and `Origin` must be those of this server, so that a
//! name that resolves to 127.0.0.1 is of no use to an attacker either.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::http::{Request, Response, send_stream_head};
use super::session::{CHANGE, Session, Watch};
use crate::interrupt;

/// The most connections at a time.
const MAX_CONNECTIONS: usize = 64;
/// The time after which the server ends if the last page was closed; it may be loaded again, which
/// takes seconds on a busy machine.
const GRACE: Duration = Duration::from_secs(10);
/// The time between two looks at a page that is open, and for signals.
const INTERVAL: Duration = Duration::from_millis(100);
/// The number of looks at a page between two bytes that are sent to it.
const BEAT: u32 = 100;

/// The files of the page: path, media type, content.
const FILES: [(&str, &str, &str); 12] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("page/index.html"),
    ),
    ("/style.css", CSS, include_str!("page/style.css")),
    ("/main.js", JS, include_str!("page/main.js")),
    ("/server.js", JS, include_str!("page/server.js")),
    ("/elements.js", JS, include_str!("page/elements.js")),
    ("/colors.js", JS, include_str!("page/colors.js")),
    ("/plane.js", JS, include_str!("page/plane.js")),
    ("/overview.js", JS, include_str!("page/overview.js")),
    ("/map.js", JS, include_str!("page/map.js")),
    ("/rows.js", JS, include_str!("page/rows.js")),
    ("/picture.js", JS, include_str!("page/picture.js")),
    ("/reports.js", JS, include_str!("page/reports.js")),
];
const JS: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// A server that accepts connections.
pub(super) struct Server {
    session: Session,
    token: String,
    port: u16,
    connections: AtomicUsize,
    /// The connections whose requests have not arrived, oldest first.
    arriving: Mutex<VecDeque<Arc<TcpStream>>>,
    pages: Mutex<Pages>,
}

/// The pages that are open in browsers.
#[derive(Default)]
struct Pages {
    open: usize,
    /// The time at which the last one was closed.
    closed: Option<Instant>,
}

/// Counts a connection or a page until it is dropped.
struct CountGuard<'a>(&'a Server, Kind);

#[derive(PartialEq)]
enum Kind {
    Connection,
    Page,
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        match self.1 {
            Kind::Connection => {
                self.0.connections.fetch_sub(1, Ordering::Relaxed);
            }
            Kind::Page => {
                let mut pages = self.0.pages.lock().unwrap_or_else(PoisonError::into_inner);
                pages.open -= 1;
                pages.closed = (pages.open == 0).then(Instant::now);
            }
        }
    }
}

impl Server {
    /// Starts to accept connections at a free port.
    pub(super) fn start(session: Session) -> io::Result<Arc<Self>> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut random = [0; 16];
        let filled = getrandom::fill(&mut random);
        filled.map_err(|error| io::Error::other(error.to_string()))?;
        let server = Arc::new(Self {
            session,
            token: random.iter().map(|byte| format!("{byte:02x}")).collect(),
            port: listener.local_addr()?.port(),
            connections: AtomicUsize::new(0),
            arriving: Mutex::default(),
            pages: Mutex::default(),
        });
        let accepting = Arc::clone(&server);
        thread::Builder::new().spawn(move || accepting.accept(&listener))?;
        let opening = Arc::clone(&server);
        thread::Builder::new().spawn(move || opening.session.open_root())?;
        Ok(server)
    }

    /// Returns the address of the page. Browsers do not send what follows the `#`.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token)
    }

    /// Waits until the last page is closed or a signal arrives.
    pub(super) fn wait(&self) {
        let is_closed = || {
            let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            pages.closed.is_some_and(|closed| closed.elapsed() > GRACE)
        };
        while !interrupt::is_pending() && !is_closed() {
            thread::sleep(INTERVAL);
        }
        self.session.context().cancel();
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            // Errors are those of single connections, or of too many open files.
            let Ok((mut stream, _)) = listener.accept() else {
                thread::sleep(INTERVAL);
                continue;
            };
            let Ok(arriving) = stream.try_clone().map(Arc::new) else {
                continue;
            };
            if self.connections.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                // Clients that send nothing do not keep others from the server.
                let Some(oldest) = self.arriving().pop_front() else {
                    continue;
                };
                let _ = oldest.shutdown(Shutdown::Both);
            }
            self.connections.fetch_add(1, Ordering::Relaxed);
            self.arriving().push_back(Arc::clone(&arriving));
            let server = Arc::clone(self);
            let handle = move || {
                let _counted = CountGuard(&server, Kind::Connection);
                let request = Request::read(&mut stream);
                let is_other = |other: &Arc<TcpStream>| !Arc::ptr_eq(other, &arriving);
                server.arriving().retain(is_other);
                drop(arriving);
                server.handle(&mut stream, request);
            };
            if thread::Builder::new().spawn(handle).is_err() {
                self.connections.fetch_sub(1, Ordering::Relaxed);
                self.arriving().pop_back();
            }
        }
    }

    fn arriving(&self) -> MutexGuard<'_, VecDeque<Arc<TcpStream>>> {
        let arriving = self.arriving.lock();
        arriving.unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, stream: &mut TcpStream, request: Option<Result<Request, Response>>) {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(Duration::from_secs(60)));
        let request = match request {
            None => return,
            Some(Err(response)) => return response.send(stream),
            Some(Ok(request)) => request,
        };
        if let Some(response) = self.refusal(&request) {
            return response.send(stream);
        }
        let file = FILES.iter().find(|file| file.0 == request.path);
        if let Some((_, media_type, content)) = file {
            return Response::new(media_type, *content).send(stream);
        }
        if request.path == "/api/open" {
            return self.follow_page(stream);
        }
        // The watch sees that the browser closes the connection, and that ends the read.
        let watch = Watch::new(stream, request.path == CHANGE);
        let response = watch.run(|| self.session.respond(&request));
        if let Some(response) = response {
            let _sending = self.session.sending(response.len());
            response.send(stream);
        }
    }

    /// Returns the response to a request that may not be sent.
    fn refusal(&self, request: &Request) -> Option<Response> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = request.header("host").unwrap_or_default();
        if !hosts.iter().any(|known| known == host) {
            return Some(Response::refusal(403, "the host is not that of the server"));
        }
        let is_own = |origin: &str| {
            let own = origin.strip_prefix("http://");
            own.is_some_and(|own| hosts.iter().any(|known| known == own))
        };
        if request
            .header("origin")
            .is_some_and(|origin| !is_own(origin))
        {
            return Some(Response::refusal(403, "the request is from another origin"));
        }
        let is_page = request.path == "/";
        let site = request.header("sec-fetch-site").unwrap_or("none");
        let is_navigation = request.header("sec-fetch-mode") == Some("navigate");
        let is_own_site = matches!(site, "same-origin" | "none");
        if !(is_own_site || is_page && is_navigation) {
            return Some(Response::refusal(403, "the request is from another site"));
        }
        let has_body = ["/api/sql", CHANGE].contains(&request.path.as_str());
        if request.method != if has_body { "POST" } else { "GET" } {
            return Some(Response::refusal(405, "the method is not accepted here"));
        }
        let is_data = request.path.starts_with("/api/");
        if is_data && !self.has_token(request) {
            return Some(Response::refusal(401, "the token is missing or wrong"));
        }
        None
    }

    /// Returns whether a request has the token. The time does not depend on the number of equal
    /// characters.
    fn has_token(&self, request: &Request) -> bool {
        let given = request.header("authorization").unwrap_or_default();
        let given = given.strip_prefix("Bearer ").unwrap_or_default();
        let pairs = given.bytes().zip(self.token.bytes());
        let difference = pairs.fold(0, |all, (one, other)| all | (one ^ other));
        given.len() == self.token.len() && difference == 0
    }

    /// Keeps a connection as long as the page is open.
    fn follow_page(&self, stream: &mut TcpStream) {
        {
            let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            pages.open += 1;
            pages.closed = None;
        }
        let _counted = CountGuard(self, Kind::Page);
        if send_stream_head(stream).is_err() {
            return;
        }
        let watch = Watch::new(stream, false);
        for look in 1.. {
            thread::sleep(INTERVAL);
            if watch.is_closed() {
                return;
            }
            if u32::is_multiple_of(look, BEAT) && stream.write_all(b"\n").is_err() {
                return;
            }
        }
    }
}
