//! The command `view` in a process, and the arrays that it shows.
#![allow(dead_code, reason = "each test uses what it needs")]

pub(crate) mod bucket;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tiledb_engine::{
    Array, ArrayType, Attribute, Config, Context, DataOrder, Datatype, Enumeration, Group, Schema,
};

pub(crate) const KEY: &str = "0123456789abcdeF0123456789abcdeF";
/// A name that does harm if it becomes a part of a page. It also reverses the order of what follows
/// it.
pub(crate) const HOSTILE: &str =
    "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>\u{202e}";

/// A running `tiledb-rs view`.
pub(crate) struct Viewer {
    process: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A response: status, headers, body.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// Escapes a parameter.
pub(crate) fn escaped(text: &str) -> String {
    let escape = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(escape).collect()
}

impl Viewer {
    pub(crate) fn start(uri: &str, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tiledb-rs"))
            .args(["view", uri, "--no-browser"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let output = process.stdout.take().expect("output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let (_, address) = line.split_once("http://127.0.0.1:").expect("an address");
        let (port, token) = address.trim().split_once("/#token=").expect("a token");
        Self {
            port: port.parse().expect("a port"),
            token: token.to_owned(),
            process,
        }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token)
    }

    /// Sends bytes and returns the response; `None` if the connection is closed without one.
    pub(crate) fn send(&self, bytes: &[u8]) -> Option<Response> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connect");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("timeout");
        // The server may respond and close before it has received everything.
        let _ = stream.write_all(bytes);
        let mut received = Vec::new();
        let _ = stream.read_to_end(&mut received);
        let end = received.windows(4).position(|part| part == b"\r\n\r\n")?;
        let headers = String::from_utf8(received[..end].to_vec()).expect("headers");
        let status = headers.split(' ').nth(1).expect("a status");
        Some(Response {
            status: status.parse().expect("a number"),
            body: received[end + 4..].to_vec(),
            headers,
        })
    }

    /// Sends a request with headers.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        self.send(format!("{text}\r\n").as_bytes())
            .expect("a response")
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends a request for data and returns the connection without waiting for the response.
    pub(crate) fn begin(&self, path: &str, parameters: &[(&str, &str)]) -> TcpStream {
        let parameters = parameters.iter();
        let query = parameters.map(|(name, value)| format!("{name}={}", escaped(value)));
        let text = format!(
            "GET /api/{path}?{} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            query.collect::<Vec<_>>().join("&"),
            self.host(),
            self.token
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connect");
        stream.write_all(text.as_bytes()).expect("write");
        stream
    }

    /// Requests data with the token.
    pub(crate) fn get(&self, path: &str, parameters: &[(&str, &str)]) -> Response {
        let parameters = parameters.iter();
        let query = parameters.map(|(name, value)| format!("{name}={}", escaped(value)));
        let target = format!("/api/{path}?{}", query.collect::<Vec<_>>().join("&"));
        let bearer = format!("Bearer {}", self.token);
        self.request(
            "GET",
            &target,
            &[("Host", &self.host()), ("Authorization", &bearer)],
        )
    }

    /// Requests data, which must succeed.
    pub(crate) fn data(&self, path: &str, parameters: &[(&str, &str)]) -> Value {
        let response = self.get(path, parameters);
        let text = String::from_utf8_lossy(&response.body);
        assert_eq!(response.status, 200, "{path} {parameters:?}: {text}");
        response.json()
    }

    /// Requests a picture; returns its properties and its numbers.
    pub(crate) fn picture(&self, parameters: &[(&str, &str)]) -> (Value, Vec<f64>) {
        let response = self.get("picture", parameters);
        let text = String::from_utf8_lossy(&response.body);
        assert_eq!(response.status, 200, "{parameters:?}: {text}");
        let body = &response.body;
        let len = u32::from_le_bytes(body[..4].try_into().expect("a length")) as usize;
        let properties = serde_json::from_slice(&body[4..4 + len]).expect("JSON");
        let numbers = &body[(4 + len).next_multiple_of(8)..];
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("a number"));
        (properties, numbers.chunks_exact(8).map(number).collect())
    }

    /// Sends a request with a body and the token.
    pub(crate) fn post(&self, path: &str, parameters: &[(&str, &str)], body: &str) -> Response {
        let parameters = parameters.iter();
        let query = parameters.map(|(name, value)| format!("{name}={}", escaped(value)));
        let text = format!(
            "POST /api/{path}?{} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
            query.collect::<Vec<_>>().join("&"),
            self.host(),
            self.token,
            body.len()
        );
        self.send(text.as_bytes()).expect("a response")
    }

    /// Runs a query of SQL.
    pub(crate) fn sql(&self, uri: &str, query: &str) -> Response {
        self.post("sql", &[("uri", uri)], query)
    }

    /// Returns the exit code if the process ends within a time.
    pub(crate) fn exit_code(&mut self, time: Duration) -> Option<i32> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if let Some(status) = self.process.try_wait().expect("the process") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the resident memory of the process in bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes << 10)
    }
}

/// Creates arrays of all kinds in a group at `folder`; returns its path.
pub(crate) fn create_arrays(folder: &Path) -> String {
    let context = Context::new().expect("context");
    let root = folder.join("arrays").to_str().expect("UTF-8").to_owned();
    Group::create(&context, &root).expect("group");
    let uri = |name: &str| format!("{root}/{name}");
    dense(&context, &uri("dense"));
    cube(&context, &uri("cube"));
    sparse(&context, &uri("sparse"));
    strings(&context, &uri("strings"));
    stations(&context, &uri("stations"));
    dates(&context, &uri("dates"));
    labelled(&context, &uri("labelled"));
    hostile(&context, &uri("hostile"));
    empty(&context, &uri("empty"));
    let mut config = Config::new();
    config
        .set("sm.encryption_type", "AES_256_GCM")
        .expect("set");
    config.set("sm.encryption_key", KEY).expect("set");
    let encrypting = Context::with_config(config).expect("context");
    sparse(&encrypting, &uri("encrypted"));
    sparse(&context, &uri("damaged"));
    damage(Path::new(&uri("damaged")));
    let group = Group::open(&context, &root).expect("group");
    for name in [
        "dense",
        "cube",
        "sparse",
        "strings",
        "stations",
        "dates",
        "labelled",
        "hostile",
        "empty",
        "encrypted",
        "damaged",
    ] {
        let shown = if name == "hostile" { HOSTILE } else { name };
        group.add_relative(name, Some(shown)).expect("member");
    }
    root
}

fn opened(context: &Context, uri: &str, schema: &Schema) -> Array {
    Array::create(context, uri, schema).expect("create");
    Array::open(context, uri).expect("open")
}

/// Two fragments in a dense matrix of waves, whose corner was not written.
fn dense(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=999, 50)
        .dimension("column", Datatype::Int32, 0..=799, 40)
        .attribute("height", Datatype::Float64)
        .nullable_attribute("count", Datatype::Int16)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    for (timestamp, rows) in [(1_700_000_000_000, 0..=599), (1_700_000_360_000, 300..=799)] {
        let cells = rows
            .clone()
            .flat_map(|row| (0..700).map(move |column| (row, column)));
        let heights = cells.clone().map(|(row, column): (i32, i32)| {
            (f64::from(row) / 60.0).sin() + (f64::from(column) / 45.0).cos()
        });
        let counts = cells.map(|(row, column)| (column % 7 != 0).then_some((row / 10) as i16));
        let write = array
            .write()
            .at(timestamp)
            .range("row", rows)
            .range("column", 0..=699);
        let write = write.column("height", heights).column("count", counts);
        write.submit().expect("write");
    }
}

/// A cube of three dimensions of small numbers.
fn cube(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("time", Datatype::Uint16, 0..=9, 1)
        .dimension("y", Datatype::Uint16, 0..=59, 20)
        .dimension("x", Datatype::Uint16, 0..=79, 20)
        .attribute("brightness", Datatype::Uint8)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    let cells = (0..10u32 * 60 * 80).map(|cell| ((cell / 4800) * 20 + cell % 50) as u8);
    array
        .write()
        .column("brightness", cells)
        .submit()
        .expect("write");
}

/// Clusters of points with a few writes, a deletion and an evolution.
fn sparse(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Int64, -1_000_000i64..=1_000_000, 1000)
        .dimension("y", Datatype::Float64, -90.0..=90.0, 10.0)
        .attribute("value", Datatype::Int32)
        .nullable_attribute("note", Datatype::StringUtf8)
        .capacity(500)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    for write in 0..5i64 {
        let cells = 0..2000i64;
        let xs = cells
            .clone()
            .map(|cell| write * 20_000 + (cell * 7919) % 30_011);
        let ys = cells
            .clone()
            .map(|cell| ((cell * 104_729 + write) % 17_000) as f64 / 100.0 - 85.0);
        let notes = cells
            .clone()
            .map(|cell| (cell % 3 > 0).then(|| format!("note {cell}")));
        let values = cells.map(|cell| (cell * (write + 1)) as i32);
        let query = array.write().at(1_700_000_000_000 + write as u64 * 60_000);
        let query = query.column("x", xs).column("y", ys);
        query
            .column("value", values)
            .column("note", notes)
            .submit()
            .expect("write");
    }
    array
        .delete(&"value > 9990".parse().expect("condition"))
        .expect("delete");
    let mut changes = tiledb_engine::SchemaEvolution::new();
    let added = Attribute::of("added", Datatype::Float32);
    changes.add_attribute(added).expect("add");
    array.evolve(&changes).expect("evolve");
}

fn strings(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Sparse)
        .string_dimension("name")
        .enumeration(Enumeration::of_texts("kinds", false, ["oak", "ash"]).expect("kinds"))
        .with_attribute(Attribute::of("kind", Datatype::Uint8).with_enumeration("kinds"))
        .attribute("age", Datatype::Uint16)
        .capacity(10)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    let names = (0..200).map(|cell| format!("tree {cell:03}"));
    let query = array.write().column("name", names);
    let query = query.column("kind", (0..200).map(|cell| (cell % 2) as u8));
    query
        .column("age", (0..200).map(|cell| cell as u16))
        .submit()
        .expect("write");
}

/// A dimension of strings beside one of numbers, in writes of some of the strings.
fn stations(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Sparse)
        .string_dimension("station")
        .dimension("day", Datatype::Int32, 0..=999, 50)
        .attribute("rain", Datatype::Float32)
        .capacity(50)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    for write in 0..3 {
        let cells = 0..400;
        let names = [
            "Aachen", "Basel", "Cuxhaven", "Dresden", "Erfurt", "Freiburg",
        ];
        let stations = cells.clone().map(|cell| names[write + cell / 100]);
        let days = cells
            .clone()
            .map(|cell| (write * 200 + cell % 100 * 3) as i32);
        let query = array.write().at(1_700_000_000_000 + write as u64 * 60_000);
        let query = query.column("station", stations).column("day", days);
        let rain = cells.map(|cell| (cell % 37) as f32 / 4.0);
        query.column("rain", rain).submit().expect("write");
    }
}

fn dates(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension(
            "day",
            Datatype::DatetimeDay,
            "1970-01-01"..="2069-12-31",
            365,
        )
        .attribute("time", Datatype::DatetimeMs)
        .attribute("rain", Datatype::Float32)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    let query = array.write().column("day", 1000..3000i64);
    let query = query.column("time", (0..2000i64).map(|cell| cell * 86_400_000));
    query
        .column("rain", (0..2000).map(|cell| (cell % 90) as f32 / 3.0))
        .submit()
        .expect("write");
}

fn labelled(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=3, 2)
        .dimension("column", Datatype::Int32, 0..=2, 3)
        .label("row", "name", DataOrder::Increasing, Datatype::StringAscii)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    let array = opened(context, uri, &schema);
    let query = array.write().range("row", 0..=3).range("column", 0..=2);
    let query = query
        .column("a", 0..12)
        .column("name", ["ant", "bee", "cat", "dog"]);
    query.submit().expect("write");
}

/// 10,000 attributes and metadata of 10 MB, all with hostile names.
fn hostile(context: &Context, uri: &str) {
    let mut schema =
        Schema::builder(ArrayType::Sparse).dimension(HOSTILE, Datatype::Int32, 0..=99, 10);
    for attribute in 0..10_000 {
        schema = schema.attribute(&format!("{attribute} {HOSTILE}"), Datatype::Int8);
    }
    let array = opened(context, uri, &schema.build().expect("schema"));
    array.put_metadata(HOSTILE, HOSTILE).expect("metadata");
    array
        .put_metadata("large", "<b>".repeat(3 << 20))
        .expect("metadata");
    let numbers: Vec<u8> = vec![7; 1 << 20];
    array
        .put_metadata("numbers", &numbers[..])
        .expect("metadata");
}

/// Creates the array `large` of 1,000,000 x 1,000,000 cells with this many fragments, each of
/// which covers all of the domain.
pub(crate) fn create_large(folder: &Path, fragments: i64) {
    fs::create_dir(folder).expect("folder");
    let uri = folder.join("large").to_str().expect("UTF-8").to_owned();
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("row", Datatype::Int64, 0..=999_999, 1000)
        .dimension("column", Datatype::Int64, 0..=999_999, 1000)
        .attribute("value", Datatype::Float64)
        .attribute("kind", Datatype::Int32)
        .capacity(1000)
        .build()
        .expect("schema");
    Array::create(&context, &uri, &schema).expect("create");
    let array = Array::open(&context, &uri).expect("open");
    for write in 0..fragments {
        let cells = (0..5000i64).map(|cell| write * 2_654_435 + cell * 40_503);
        let rows = cells.clone().map(|cell| (cell * 7) % 1_000_000);
        let columns = cells
            .clone()
            .map(|cell| (cell * 13 + write * 5000) % 1_000_000);
        let query = array.write().at(1_700_000_000_000 + write as u64 * 60_000);
        let query = query.column("row", rows).column("column", columns);
        let values = cells.clone().map(|cell| (cell % 100_000) as f64);
        query
            .column("value", values)
            .column("kind", cells.map(|cell| (cell % 17) as i32))
            .submit()
            .expect("write");
    }
}

/// Creates arrays with values at the limits of their types at `folder`; returns its path.
pub(crate) fn create_edge_arrays(folder: &Path) -> String {
    let context = Context::new().expect("context");
    let root = folder.join("edges").to_str().expect("UTF-8").to_owned();
    fs::create_dir(&root).expect("folder");
    let uri = |name: &str| format!("{root}/{name}");

    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int16, -50..=49, 10)
        .dimension("column", Datatype::Int16, -5..=4, 5)
        .attribute("v", Datatype::Int32)
        .nullable_attribute("w", Datatype::Float32)
        .attribute("s", Datatype::StringUtf8);
    let array = opened(&context, &uri("negative"), &schema.build().expect("schema"));
    let query = array.write().range("row", -50..=49).range("column", -5..=4);
    let query = query.column("v", (0..1000).map(|cell| cell - 500));
    let numbers = (0..1000).map(|cell| (cell % 5 > 0).then_some(cell as f32 / 7.0));
    let texts = (0..1000).map(|cell| format!("s{cell}é"));
    let query = query.column("w", numbers).column("s", texts);
    query.submit().expect("write");

    let schema = Schema::builder(ArrayType::Sparse)
        .string_dimension("name \u{202e}\"?\\")
        .nullable_attribute("note", Datatype::StringUtf8)
        .enumeration(Enumeration::of_texts("kinds", false, ["oak", "a\"sh"]).expect("kinds"))
        .with_attribute(Attribute::of("kind", Datatype::Uint8).with_enumeration("kinds"))
        .capacity(4);
    let array = opened(&context, &uri("texts"), &schema.build().expect("schema"));
    let names = [
        "",
        " b",
        "\"quote'",
        "$HOME `id`",
        "%s%d",
        "\\n",
        "a\u{1}b",
        "z??/",
    ];
    let notes = [
        "é 漢字 \u{5d0}",
        "",
        "\u{202e}x",
        "'; DROP",
        "\"",
        "<b>",
        "\u{7f}",
        "%n",
    ];
    let notes = notes.iter().enumerate();
    let query = array.write().column("name \u{202e}\"?\\", names);
    let query = query.column(
        "note",
        notes.map(|(cell, note)| (cell != 3).then_some(*note)),
    );
    query
        .column("kind", (0..8).map(|cell| (cell % 2) as u8))
        .submit()
        .expect("write");

    // The first name is the beginning of a range of the second one.
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("a", Datatype::Int8, 0..=9, 10)
        .dimension("a=1;b", Datatype::Int8, 0..=9, 10)
        .attribute("v", Datatype::Int8)
        .build()
        .expect("schema");
    let array = opened(&context, &uri("separators"), &schema);
    let query = array.write().column("v", 0..100i8);
    query.submit().expect("write");

    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int64, i64::MIN..=i64::MAX - 1000, 1000)
        .dimension("e", Datatype::Int64, i64::MIN..=i64::MAX - 1000, 1000)
        .attribute("a", Datatype::Int64);
    let array = opened(&context, &uri("signed"), &schema.build().expect("schema"));
    let ends = [i64::MIN, -5, 0, 7, i64::MAX - 1000];
    let query = array.write().column("d", ends);
    let query = query.column("e", ends.iter().rev().copied());
    query.column("a", ends).submit().expect("write");

    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Uint64, 0..=u64::MAX - 1000, 1000)
        .attribute("a", Datatype::Uint64);
    let array = opened(&context, &uri("unsigned"), &schema.build().expect("schema"));
    let ends = [0, 1, 1 << 63, u64::MAX - 1000];
    let query = array.write().column("d", ends).column("a", ends);
    query.submit().expect("write");

    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Float64, -1.7e308..=1.7e308, f64::MAX)
        .dimension("y", Datatype::Float64, -10.0..=10.0, 1.0)
        .attribute("v", Datatype::Float64)
        .capacity(2);
    let array = opened(&context, &uri("reals"), &schema.build().expect("schema"));
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let query = array
        .write()
        .column("x", [-1.7e308, nan, 0.0, 5e-324, 1.7e308, 2.0]);
    let query = query.column("y", [1.0, 2.0, nan, -1.0, -2.0, 3.0]);
    let values = [nan, inf, -inf, -0.0, f64::MAX, f64::MIN_POSITIVE];
    query.column("v", values).submit().expect("write");

    // Two tiles at the ends of a domain with 10^12 cells.
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int64, 0..=999_999, 100)
        .dimension("column", Datatype::Int64, 0..=999_999, 100)
        .attribute("a", Datatype::Float64);
    let array = opened(&context, &uri("corners"), &schema.build().expect("schema"));
    for start in [0, 999_900] {
        let query = array.write().range("row", start..=start + 99);
        let query = query.range("column", start..=start + 99);
        query
            .column("a", (0..10_000).map(f64::from))
            .submit()
            .expect("write");
    }
    root
}

fn empty(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("d", Datatype::Int64, i64::MIN..=i64::MAX - 1000, 1000)
        .attribute("a", Datatype::Float32)
        .build()
        .expect("schema");
    opened(context, uri, &schema);
}

/// Changes bytes in the middle of all data files of an array.
fn damage(array: &Path) {
    for fragment in fs::read_dir(array.join("__fragments"))
        .expect("fragments")
        .flatten()
    {
        for file in fs::read_dir(fragment.path()).expect("files").flatten() {
            let is_data = !file.file_name().to_string_lossy().starts_with("__");
            let mut bytes = fs::read(file.path()).expect("read");
            if is_data {
                let middle = bytes.len() / 2;
                bytes
                    .iter_mut()
                    .skip(middle)
                    .take(20)
                    .for_each(|byte| *byte ^= 0xff);
                fs::write(file.path(), bytes).expect("write");
            }
        }
    }
}
