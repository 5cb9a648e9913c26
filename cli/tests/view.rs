//! The command `view`: which requests it accepts, what they return, and its limits.
#![cfg(feature = "view")]

mod program;
mod viewer;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::Folder;
use serde_json::Value;
use tiledb_engine::{Array, ArrayType, Context, Datatype, Schema};
use viewer::{HOSTILE, KEY, Viewer, create_arrays, create_edge_arrays, create_large};

/// The most bytes of a response, except files and pictures.
const MAX_REPLY: usize = 4 << 20;

/// Creates the arrays and shows them.
fn arrays(options: &[&str]) -> (Folder, String, Viewer) {
    let folder = Folder::new();
    let root = create_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, options);
    (folder, root, viewer)
}

#[test]
fn requests_without_the_token_or_from_elsewhere_are_refused() {
    let (_folder, root, viewer) = arrays(&[]);
    let (host, bearer) = (viewer.host(), format!("Bearer {}", viewer.token));
    assert_eq!(viewer.token.len(), 32);
    let status = |method: &str, path: &str, headers: &[(&str, &str)]| {
        viewer.request(method, path, headers).status
    };
    let own = ("Host", host.as_str());
    let token = ("Authorization", bearer.as_str());
    assert_eq!(status("GET", "/api/session", &[own, token]), 200);
    assert_eq!(status("GET", "/api/session", &[own]), 401);
    let wrong = format!("Bearer {}", "0".repeat(32));
    assert_eq!(
        status("GET", "/api/session", &[own, ("Authorization", &wrong)]),
        401
    );
    assert_eq!(
        status("GET", "/api/session", &[own, ("Authorization", "Bearer ")]),
        401
    );
    let in_address = format!("/api/session?token={}", viewer.token);
    assert_eq!(status("GET", &in_address, &[own]), 401);
    // Names that resolve to 127.0.0.1, and requests without a host.
    for host in [
        "attacker.example",
        &format!("attacker.example:{}", viewer.port),
        "127.0.0.1",
    ] {
        assert_eq!(status("GET", "/", &[("Host", host)]), 403, "{host}");
        assert_eq!(
            status("GET", "/api/session", &[("Host", host), token]),
            403,
            "{host}"
        );
    }
    assert_eq!(status("GET", "/", &[]), 403);
    // Other origins.
    for origin in [
        "http://attacker.example",
        "null",
        "http://127.0.0.1:1",
        &format!("https://{host}"),
    ] {
        assert_eq!(
            status("GET", "/api/session", &[own, token, ("Origin", origin)]),
            403,
            "{origin}"
        );
    }
    let origin = format!("http://{host}");
    assert_eq!(
        status("GET", "/api/session", &[own, token, ("Origin", &origin)]),
        200
    );
    for site in ["cross-site", "same-site"] {
        assert_eq!(
            status(
                "GET",
                "/api/session",
                &[own, token, ("Sec-Fetch-Site", site)]
            ),
            403
        );
        assert_eq!(
            status("GET", "/main.js", &[own, ("Sec-Fetch-Site", site)]),
            403
        );
    }
    // The page may be opened by a link, and a request before a request with a header is refused.
    let link = [
        own,
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
    ];
    assert_eq!(status("GET", "/", &link), 200);
    for method in ["OPTIONS", "POST", "PUT", "DELETE", "HEAD"] {
        assert_eq!(
            status(method, "/api/session", &[own, token]),
            405,
            "{method}"
        );
    }
    assert_eq!(status("GET", "/api/sql", &[own, token]), 405);
    assert_eq!(status("GET", "/api/nothing", &[own, token]), 404);
    assert_eq!(status("GET", "/../../etc/passwd", &[own, token]), 404);
    // Objects that were not listed.
    for uri in [
        "/",
        "/etc",
        &format!("{root}/../arrays"),
        &format!("{root}-other"),
        "mem://x",
    ] {
        assert_eq!(viewer.get("schema", &[("uri", uri)]).status, 400, "{uri}");
        assert_eq!(viewer.get("members", &[("uri", uri)]).status, 400, "{uri}");
    }
    let headers = viewer.request("GET", "/", &[own]).headers;
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'",
        "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
    ] {
        assert!(headers.contains(header), "{headers}");
    }
    assert!(
        !headers.to_lowercase().contains("access-control"),
        "{headers}"
    );
}

#[test]
fn malformed_and_huge_requests_are_refused_and_the_server_continues() {
    let (_folder, _, viewer) = arrays(&[]);
    let host = viewer.host();
    let status = |text: &[u8]| viewer.send(text).map(|response| response.status);
    assert_eq!(status(b"nonsense\r\n\r\n"), Some(400));
    assert_eq!(status(&[0xff; 64]), Some(400));
    assert_eq!(status(b"GET http://x/ HTTP/1.1\r\n\r\n"), Some(400));
    assert_eq!(status(b"GET /?a=%ff HTTP/1.1\r\n\r\n"), Some(400));
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1 << 20));
    assert_eq!(status(long.as_bytes()), Some(431));
    let header = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(1 << 20));
    assert_eq!(status(header.as_bytes()), Some(431));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(1000));
    assert_eq!(status(many.as_bytes()), Some(431));
    let twice = format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n");
    assert_eq!(status(twice.as_bytes()), Some(400));
    let sites = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n";
    let twice = format!("GET / HTTP/1.1\r\nHost: {host}\r\n{sites}\r\n");
    assert_eq!(status(twice.as_bytes()), Some(400));
    let sql = |length: &str, body: &str| {
        let head =
            format!("POST /api/sql HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n");
        status((head + body).as_bytes())
    };
    assert_eq!(sql("99999999999999999999", ""), Some(413));
    assert_eq!(sql("-1", ""), Some(400));
    assert_eq!(sql("+1", "a"), Some(400));
    assert_eq!(sql("100000000", &"a".repeat(1 << 20)), Some(413));
    assert_eq!(sql("1", "a"), Some(401));
    let chunked = format!(
        "POST /api/sql HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );
    assert_eq!(status(chunked.as_bytes()), Some(501));
    // Connections that send nothing, or a part, do not block others, however many they are.
    let idle: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", viewer.port)).expect("connect");
            stream.write_all(b"GET / HT").expect("write");
            stream
        })
        .collect();
    let begin = Instant::now();
    for _ in 0..10 {
        assert_eq!(viewer.get("session", &[]).status, 200);
    }
    // Requests arrive within ten seconds, or they are refused.
    assert!(begin.elapsed() < Duration::from_secs(8));
    drop(idle);
    assert_eq!(viewer.get("session", &[]).status, 200);
}

#[test]
fn every_view_of_every_array_is_a_bounded_response() {
    let (_folder, root, viewer) = arrays(&[]);
    let members = viewer.data("members", &[("uri", &root)]);
    let members = members["items"].as_array().expect("members").clone();
    assert_eq!(members.len(), 11);
    for member in members {
        let uri = member["uri"].as_str().expect("a URI");
        let name = member["name"].as_str().expect("a name");
        if matches!(name, "encrypted" | "damaged") {
            continue;
        }
        let schema = viewer.data("schema", &[("uri", uri)]);
        let dimensions = schema["dimensions"].as_array().expect("dimensions");
        let named = |dimension: &'_ Value| dimension["name"].as_str().expect("a name").to_owned();
        let axes: Vec<String> = dimensions.iter().map(named).collect();
        let has_strings = dimensions[0]["axis"]["ranked"] == true;
        let field = schema["attributes"]["items"][0]["name"]
            .as_str()
            .expect("a name");
        let (x, y) = (axes.first(), axes.get(1));
        let mut requests = vec![
            ("schema", vec![]),
            ("size", vec![]),
            ("metadata", vec![]),
            ("cells", vec![("count", "500")]),
            ("history", vec![]),
            ("explain", vec![]),
            ("statistics", vec![("field", field)]),
            ("program", vec![]),
        ];
        if let Some(x) = x {
            let y = y.map_or("", String::as_str);
            let plane = [("x", x.as_str()), ("y", y), ("field", field)];
            for (path, more) in [
                ("map", ("use", "1")),
                ("picture", ("level", "0")),
                ("picture", ("level", "1")),
                ("picture", ("level", "3")),
            ] {
                if path == "map" || !has_strings {
                    requests.push((path, [&plane[..], &[more]].concat()));
                }
            }
        }
        for (path, parameters) in requests {
            let parameters = [&[("uri", uri)], &parameters[..]].concat();
            let response = viewer.get(path, &parameters);
            let text = String::from_utf8_lossy(&response.body);
            let shown: String = text.chars().take(300).collect();
            assert_eq!(response.status, 200, "{name} {path}: {shown}");
            let len = response.body.len();
            assert!(len < MAX_REPLY, "{name} {path}: {len} bytes");
        }
    }
}

#[test]
fn encrypted_arrays_need_the_key_and_damaged_ones_are_errors() {
    let (_folder, root, viewer) = arrays(&[]);
    let encrypted = format!("{root}/encrypted");
    let response = viewer.get("schema", &[("uri", &encrypted)]);
    assert!(matches!(response.status, 400 | 500), "{}", response.status);
    let hint = response.json()["hint"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(hint.contains("sm.encryption_key"), "{hint}");
    let damaged = format!("{root}/damaged");
    // The middle of each file is damaged, and pages of other tiles are shown.
    let pages = (0..10).map(|page| {
        let share = format!("0.{page}");
        viewer.get("cells", &[("uri", &damaged), ("share", &share)])
    });
    let failed: Vec<_> = pages.filter(|page| page.status != 200).collect();
    assert!(!failed.is_empty());
    for response in failed {
        assert_eq!(response.status, 500);
        let json = response.json();
        assert!(
            json["error"]
                .as_str()
                .is_some_and(|error| !error.is_empty())
        );
    }
    // Others are not affected.
    viewer.data("cells", &[("uri", &format!("{root}/sparse"))]);
    let key = format!("sm.encryption_key={KEY}");
    let options = [
        "--config",
        "sm.encryption_type=AES_256_GCM",
        "--config",
        &key,
    ];
    let viewer = Viewer::start(&encrypted, &options);
    let cells = viewer.data("cells", &[("uri", &encrypted), ("count", "20")]);
    assert_eq!(cells["rows"].as_array().expect("rows").len(), 20);
}

/// Returns a column of a page as numbers.
fn numbers(page: &Value, column: usize) -> Vec<f64> {
    let rows = page["rows"].as_array().expect("rows").iter();
    let texts = rows.map(|row| row[column].as_str().expect("a text"));
    texts.map(|text| text.parse().expect("a number")).collect()
}

#[test]
fn pages_of_a_dense_array_are_its_cells_in_row_major_order() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/dense");
    let page = |start: &str, count: &str| {
        viewer.data(
            "cells",
            &[("uri", &uri), ("start", start), ("count", count)],
        )
    };
    let first = page("0", "50");
    assert_eq!(first["total"], "560000");
    // Across the end of a row.
    let later = page("35690", "30");
    let columns: Vec<&str> = later["columns"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| column["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(columns, ["row", "column", "height", "count"]);
    let places: Vec<(f64, f64)> = numbers(&later, 0)
        .into_iter()
        .zip(numbers(&later, 1))
        .collect();
    let expected = (35_690..35_720).map(|row| (f64::from(row / 700), f64::from(row % 700)));
    assert_eq!(places, expected.collect::<Vec<_>>());
    assert_eq!(
        page("559990", "50")["rows"].as_array().expect("rows").len(),
        10
    );
    let ranges = [
        ("uri", uri.as_str()),
        ("range", "row=5..6"),
        ("range", "column=1..3"),
    ];
    let some = viewer.data("cells", &ranges);
    assert_eq!(some["total"], "6");
    assert_eq!(numbers(&some, 1), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
}

/// Follows the pages of a sparse array; returns the values of a column.
fn all_pages(viewer: &Viewer, parameters: &[(&str, &str)], column: usize) -> Vec<String> {
    let (mut values, mut next) = (Vec::new(), None::<(String, String)>);
    for _ in 0..1000 {
        let mut parameters = parameters.to_vec();
        if let Some((from, skip)) = &next {
            parameters.extend([("from", from.as_str()), ("skip", skip.as_str())]);
        }
        let page = viewer.data("cells", &parameters);
        let rows = page["rows"].as_array().expect("rows");
        values.extend(
            rows.iter()
                .map(|row| row[column].as_str().expect("a text").to_owned()),
        );
        if page["next"].is_null() {
            return values;
        }
        let from = page["next"]["from"].as_str().expect("a position");
        next = Some((from.to_owned(), page["next"]["skip"].to_string()));
    }
    panic!("the pages do not end");
}

#[test]
fn pages_of_sparse_arrays_have_each_cell_once_in_order() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/sparse");
    let context = Context::new().expect("context");
    let array = Array::open(&context, &uri).expect("open");
    let mut expected = array.read::<i64>("x").expect("read");
    expected.sort_unstable();
    let found = all_pages(&viewer, &[("uri", &uri), ("count", "333")], 0);
    let found: Vec<i64> = found
        .iter()
        .map(|text| text.parse().expect("a number"))
        .collect();
    assert_eq!(found, expected);
    let condition = [
        ("uri", uri.as_str()),
        ("count", "333"),
        ("where", "value BETWEEN 100 AND 200"),
    ];
    let count = array
        .query()
        .condition("value BETWEEN 100 AND 200".parse().expect("condition"));
    let values = all_pages(&viewer, &condition, 2);
    assert_eq!(values.len() as u64, count.count().expect("count"));
    assert!(
        values
            .iter()
            .all(|text| (100..=200).contains(&text.parse::<i32>().expect("a number")))
    );
    let uri = format!("{root}/strings");
    let found = all_pages(&viewer, &[("uri", &uri), ("count", "17")], 0);
    let expected: Vec<String> = (0..200).map(|cell| format!("tree {cell:03}")).collect();
    assert_eq!(found, expected);
    let uri = format!("{root}/dates");
    let found = all_pages(&viewer, &[("uri", &uri), ("count", "500")], 0);
    assert_eq!((found.len(), found[0].as_str()), (2000, "1972-09-27"));
    let middle = viewer.data("cells", &[("uri", &uri), ("share", "0.5"), ("count", "1")]);
    assert_eq!(middle["rows"][0][0], "1975-06-23");
}

#[test]
fn pictures_have_the_values_of_the_cells() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/dense");
    let frame = |level, ends: [&'static str; 4]| {
        viewer.picture(&[
            ("uri", &uri),
            ("x", "column"),
            ("y", "row"),
            ("field", "height"),
            ("level", level),
            ("x0", ends[0]),
            ("x1", ends[1]),
            ("y0", ends[2]),
            ("y1", ends[3]),
        ])
    };
    // All cells of a small frame, some of which were not written.
    let (properties, values) = frame("3", ["690", "720", "10", "15"]);
    assert_eq!(
        (&properties["columns"], &properties["rows"]),
        (&Value::from(30), &Value::from(5))
    );
    assert_eq!(properties["exact"], true);
    for (index, value) in values.iter().enumerate() {
        let (row, column) = (10 + index / 30, 690 + index % 30);
        if column < 700 {
            let expected = (row as f64 / 60.0).sin() + (column as f64 / 45.0).cos();
            assert!((value - expected).abs() < 1e-12, "{row} {column}");
        } else {
            assert!(value.is_nan(), "{row} {column}: {value}");
        }
    }
    // A sample of a large one.
    let (properties, values) = frame("1", ["0", "800", "0", "1000"]);
    assert_eq!(
        (values.len(), &properties["exact"]),
        (32 * 32, &Value::from(false))
    );
    let expected = (15.0_f64 / 60.0).sin() + (12.0_f64 / 45.0).cos();
    assert!(
        (values[0] - expected).abs() < 1e-12,
        "{} {expected}",
        values[0]
    );
    // Means of whole tiles from statistics.
    let (properties, values) = frame("0", ["0", "800", "0", "1000"]);
    assert!(
        properties["source"]
            .as_str()
            .is_some_and(|source| source.contains("statistics"))
    );
    assert!(values.iter().filter(|value| !value.is_nan()).count() > values.len() / 2);

    // A slice of a cube, with its axes in both orders.
    let uri = format!("{root}/cube");
    for (x, y) in [("x", "y"), ("y", "x")] {
        let (properties, values) = viewer.picture(&[
            ("uri", &uri),
            ("x", x),
            ("y", y),
            ("field", "brightness"),
            ("level", "3"),
            ("range", "time=+1..+1"),
        ]);
        let columns = properties["columns"].as_u64().expect("columns") as usize;
        for (index, value) in values.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let offset = if x == "x" {
                row * 80 + column
            } else {
                column * 80 + row
            };
            let cell = 4800 + offset;
            assert_eq!(
                *value,
                f64::from((20 + cell % 50) as u8),
                "{x} {row} {column}"
            );
        }
    }
    let uri = format!("{root}/sparse");
    let sparse = |level| viewer.picture(&[("uri", &uri), ("x", "x"), ("y", "y"), ("level", level)]);
    let context = Context::new().expect("context");
    let cells = Array::open(&context, &uri)
        .expect("open")
        .query()
        .count()
        .expect("count");
    let (properties, values) = sparse("2");
    assert_eq!(properties["cells"], cells);
    assert_eq!(
        values.iter().filter(|value| !value.is_nan()).sum::<f64>(),
        cells as f64
    );
    let (_, values) = sparse("0");
    let estimated = values.iter().filter(|value| !value.is_nan()).sum::<f64>();
    assert!((9000.0..=10_100.0).contains(&estimated), "{estimated}");
}

#[test]
fn maps_show_fragments_tiles_and_what_a_read_does() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/dense");
    let plane = [("uri", uri.as_str()), ("x", "column"), ("y", "row")];
    let map = viewer.data("map", &plane);
    assert_eq!(map["fragments"].as_array().expect("fragments").len(), 2);
    assert_eq!(
        map["fragments"][0]["bounds"],
        serde_json::json!([0.0, 700.0, 0.0, 600.0])
    );
    let tiles = map["tiles"].as_array().expect("tiles");
    // 18 columns of tiles; 12 and 10 rows of them.
    assert_eq!(tiles.len(), 7 * 18 * 22);
    let read = [
        &plane[..],
        &[
            ("use", "1"),
            ("range", "row=0..49"),
            ("range", "column=0..79"),
        ],
    ]
    .concat();
    let map = viewer.data("map", &read);
    let uses = map["tiles"].as_array().expect("tiles").chunks(7);
    assert_eq!(uses.filter(|tile| tile[6] == 4).count(), 2);
    // A frame that only touches the fragments.
    let edge = [&plane[..], &[("x0", "-10"), ("x1", "0")]].concat();
    assert_eq!(viewer.data("map", &edge)["tiles"], serde_json::json!([]));
    let cell = [
        &plane[..],
        &[("x0", "5"), ("x1", "6"), ("y0", "5"), ("y1", "6")],
    ]
    .concat();
    assert_eq!(
        viewer.data("map", &cell)["tiles"]
            .as_array()
            .expect("tiles")
            .len(),
        7
    );
}

#[test]
fn history_lists_writes_deletes_evolutions_and_consolidations() {
    let (folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/sparse");
    let kinds = |viewer: &Viewer| {
        let history = viewer.data("history", &[("uri", &uri), ("renew", "1")]);
        let events = history["events"].as_array().expect("events").clone();
        events
            .iter()
            .map(|event| event["kind"].as_str().expect("a kind").to_owned())
            .collect::<Vec<_>>()
    };
    let count = |kinds: &[String], kind: &str| kinds.iter().filter(|other| *other == kind).count();
    let found = kinds(&viewer);
    let numbers = ["write", "creation", "evolution", "delete"].map(|kind| count(&found, kind));
    assert_eq!(numbers, [5, 1, 1, 1], "{found:?}");
    // An earlier state.
    let earlier = viewer.data("size", &[("uri", &uri), ("at", "1700000060000")]);
    assert_eq!(earlier["cells"], 4000);
    folder.output(&["consolidate", &uri]);
    let found = kinds(&viewer);
    assert_eq!(
        (count(&found, "replaced"), count(&found, "consolidation")),
        (5, 1),
        "{found:?}"
    );
}

#[test]
fn explanations_statistics_and_programs_are_those_of_the_selection() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/dates");
    let explained = viewer.data(
        "explain",
        &[("uri", &uri), ("range", "day=1975-01-01..1975-01-02")],
    );
    assert_eq!(explained["explanation"]["plan"]["tiles_read"], 1);
    let selection = [
        ("uri", uri.as_str()),
        ("range", "day=1975-01-01..1975-01-02"),
        ("where", "rain > 1"),
        ("field", "rain"),
    ];
    let programs = viewer.data("program", &selection);
    for language in ["Shell", "Python", "Rust", "C", "SQL"] {
        let text = programs[language].as_str().expect("a program");
        assert!(text.contains("rain"), "{language}: {text}");
    }
    let bad = viewer.get("cells", &[("uri", &uri), ("where", "rain >")]);
    assert_eq!(bad.status, 400);
    assert!(
        bad.json()["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("a condition looks like"))
    );
    let csv = viewer.get("export", &[&selection[..], &[("format", "csv")]].concat());
    assert_eq!(
        String::from_utf8(csv.body).expect("UTF-8"),
        "rain\n5.3333335\n5.6666665\n"
    );
    let parquet = viewer.get(
        "export",
        &[&selection[..], &[("format", "parquet")]].concat(),
    );
    assert_eq!((parquet.status, &parquet.body[..4]), (200, &b"PAR1"[..]));
}

/// Returns the statistics of a field in each part, and what the metadata states.
fn statistics(viewer: &Viewer, parameters: &[(&str, &str)]) -> (Value, Vec<Value>) {
    let stated = viewer.data("statistics", parameters);
    let parts: u64 = stated["parts"]
        .as_str()
        .and_then(|parts| parts.parse().ok())
        .expect("a number");
    let sides = stated["sides"].as_array().expect("sides").iter();
    let sides: Vec<String> = sides.map(ToString::to_string).collect();
    let found = (0..parts).map(|part| {
        let (part, sides) = (part.to_string(), sides.join(","));
        let own = [("part", part.as_str()), ("sides", &sides)];
        let found = viewer.data("statistics", &[parameters, &own].concat());
        found["fields"][0].clone()
    });
    (stated.clone(), found.collect())
}

/// Returns the sum of a number over parts.
fn sum(parts: &[Value], name: &str) -> f64 {
    let numbers = parts.iter().map(|part| part[name].as_f64());
    numbers.map(|number| number.expect("a number")).sum()
}

#[test]
fn statistics_are_those_of_the_metadata_and_then_of_parts_with_each_cell_once() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/dates");
    let (stated, parts) = statistics(&viewer, &[("uri", &uri), ("field", "rain")]);
    let field = &stated["fields"][0];
    assert_eq!(
        (&field["least"]["text"], &stated["cells"]),
        (&"0".into(), &2000.into())
    );
    assert_eq!(sum(&parts, "cells"), 2000.0);
    assert_eq!(
        parts[0]["bins"]["counts"].as_array().expect("bins").len(),
        24
    );

    // A dense array with nulls and cells that were not written, and a sparse one with deletions.
    let uri = format!("{root}/dense");
    let (_, parts) = statistics(&viewer, &[("uri", &uri), ("field", "count")]);
    assert_eq!(sum(&parts, "cells"), 560_000.0);
    assert_eq!(sum(&parts, "nulls"), 80_000.0);
    assert_eq!(sum(&parts, "numbers"), 480_000.0);
    let uri = format!("{root}/sparse");
    let context = Context::new().expect("context");
    let array = Array::open(&context, &uri).expect("open");
    let values = array.read::<i32>("value").expect("read");
    let (stated, parts) = statistics(&viewer, &[("uri", &uri), ("field", "value")]);
    assert_eq!(stated["fields"][0]["greatest"]["text"], "9995");
    assert_eq!(sum(&parts, "cells"), values.len() as f64);
    let expected = values.iter().map(|value| f64::from(*value)).sum::<f64>();
    assert_eq!(sum(&parts, "sum"), expected);
    assert_eq!(parts[0]["greatest"]["text"], "9990");
    let (_, parts) = statistics(&viewer, &[("uri", &uri), ("field", "note")]);
    assert_eq!(parts[0]["least"]["text"], "note 1");

    // Parts of a dimension are disjoint and complete, also if there are many.
    let sides = [("uri", uri.as_str()), ("field", "y"), ("sides", "8,4")];
    let cells = (0..32).map(|part| {
        let part = part.to_string();
        let found = viewer.data("statistics", &[&sides[..], &[("part", &part)]].concat());
        found["fields"][0]["cells"].as_u64().expect("a number")
    });
    assert_eq!(cells.sum::<u64>(), values.len() as u64);
    // Values outside of given bins are reported.
    let own = [
        ("uri", uri.as_str()),
        ("field", "value"),
        ("part", "0"),
        ("bins", "0:10"),
    ];
    assert_eq!(
        viewer.data("statistics", &own)["fields"][0]["bins"]["outside"],
        true
    );
    // Only the selected cells.
    let selected = [
        ("uri", uri.as_str()),
        ("field", "value"),
        ("where", "value BETWEEN 100 AND 200"),
        ("range", "x=0..5000"),
    ];
    let (stated, parts) = statistics(&viewer, &selected);
    assert_eq!(stated["fields"][0]["least"], Value::Null);
    let query = array.query().range("x", 0..=5000i64);
    let query = query.condition("value BETWEEN 100 AND 200".parse().expect("condition"));
    assert_eq!(sum(&parts, "cells"), query.count().expect("count") as f64);
}

#[test]
fn maps_order_strings_by_the_ranks_of_the_bounds_of_tiles() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/strings");
    let map = viewer.data("map", &[("uri", &uri), ("x", "name")]);
    let tiles = map["tiles"].as_array().expect("tiles");
    // 20 tiles, each with two bounds of its own.
    assert_eq!(tiles.len(), 7 * 20);
    let ends: Vec<f64> = tiles
        .chunks(7)
        .flat_map(|tile| [tile[1].as_f64(), tile[2].as_f64()])
        .map(|end| end.expect("a number"))
        .collect();
    let expected = (0..20).flat_map(|tile| [2 * tile, 2 * tile + 2]);
    let expected: Vec<f64> = expected.map(|rank| f64::from(rank) / 40.0).collect();
    assert_eq!(ends, expected);
    let labels = map["labels"][0].as_array().expect("labels");
    assert_eq!(labels.len(), 20);
    assert_eq!(labels[1], serde_json::json!([0.05, "tree 010"]));
    assert_eq!(
        map["fragments"][0]["texts"][0],
        serde_json::json!(["tree 000", "tree 199"])
    );
    let part = [
        ("uri", uri.as_str()),
        ("x", "name"),
        ("x0", "0.11"),
        ("x1", "0.14"),
    ];
    assert_eq!(
        viewer.data("map", &part)["tiles"].as_array().map(Vec::len),
        Some(7)
    );
    // Strings beside numbers.
    let uri = format!("{root}/stations");
    let map = viewer.data("map", &[("uri", &uri), ("x", "station"), ("y", "day")]);
    let fragments = map["fragments"].as_array().expect("fragments");
    let bounds = |index: usize| fragments[index]["bounds"].clone();
    assert_eq!(
        [bounds(0)[2].clone(), bounds(2)[2].clone()],
        [Value::from(0.0), Value::from(400.0)]
    );
    assert!(
        bounds(0)[0].as_f64() < bounds(1)[0].as_f64(),
        "{fragments:?}"
    );
    assert_eq!(
        fragments[1]["texts"],
        serde_json::json!([["Basel", "Erfurt"], null])
    );
    // A picture needs numbers.
    assert_eq!(viewer.get("picture", &part).status, 400);
}

#[test]
fn arrays_are_changed_only_if_the_command_allows_it() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/sparse");
    let change = |viewer: &Viewer, parameters: &[(&str, &str)], body: &str| {
        let parameters = [&[("uri", uri.as_str())], parameters].concat();
        viewer.post("change", &parameters, body)
    };
    let changes: [(&[(&str, &str)], &str); 4] = [
        (&[("action", "set"), ("key", "k")], "v"),
        (&[("action", "delete"), ("key", "k")], ""),
        (&[("action", "consolidate")], ""),
        (&[("action", "vacuum")], ""),
    ];
    assert_eq!(viewer.data("session", &[])["changes"], false);
    for (parameters, body) in changes {
        let refused = change(&viewer, parameters, body);
        assert_eq!(refused.status, 403, "{parameters:?}");
    }
    let fragments = |viewer: &Viewer| viewer.data("size", &[("uri", &uri)])["fragments"].clone();
    assert_eq!(fragments(&viewer), 5);
    drop(viewer);

    let viewer = Viewer::start(&root, &["--write"]);
    assert_eq!(viewer.data("session", &[])["changes"], true);
    // The token, the method and the origin are checked as for other requests.
    assert_eq!(viewer.get("change", &[("uri", &uri)]).status, 405);
    let own = viewer.host();
    let path = format!("/api/change?action=vacuum&uri={}", viewer::escaped(&uri));
    assert_eq!(viewer.request("POST", &path, &[("Host", &own)]).status, 401);
    let bearer = format!("Bearer {}", viewer.token);
    let headers = [("Host", own.as_str()), ("Authorization", &bearer)];
    let foreign = [&headers[..], &[("Origin", "http://attacker.example")]].concat();
    assert_eq!(viewer.request("POST", &path, &foreign).status, 403);
    for bad in [
        &[("action", "set")][..],
        &[("action", "remove")],
        &[("action", "set"), ("key", &"k".repeat(2000))],
    ] {
        assert_eq!(change(&viewer, bad, "v").status, 400, "{bad:?}");
    }
    let elsewhere = [("uri", "/etc"), ("action", "vacuum")];
    assert_eq!(viewer.post("change", &elsewhere, "").status, 400);

    let metadata = |viewer: &Viewer| viewer.data("metadata", &[("uri", &uri)])["items"].clone();
    assert_eq!(change(&viewer, changes[0].0, "v").status, 200);
    assert_eq!(metadata(&viewer)[0]["text"], "v");
    assert_eq!(change(&viewer, changes[1].0, "").status, 200);
    assert_eq!(metadata(&viewer), serde_json::json!([]));
    let before = viewer.data("cells", &[("uri", &uri), ("count", "100")]);
    let done = change(&viewer, changes[2].0, "").json();
    assert_eq!(done["text"], "The array had 5 fragments and has 1 now.");
    assert_eq!(fragments(&viewer), 1);
    let done = change(&viewer, changes[3].0, "").json();
    assert_eq!(done["text"], "5 replaced fragments were removed.");
    let after = viewer.data("cells", &[("uri", &uri), ("count", "100")]);
    assert_eq!(after["rows"], before["rows"]);
    // A group has metadata, and no fragments.
    let set = [("uri", root.as_str()), ("action", "set"), ("key", "k")];
    assert_eq!(viewer.post("change", &set, "v").status, 200);
    let group = viewer.data("metadata", &[("uri", &root)]);
    assert_eq!(group["items"][0]["text"], "v");
    let vacuum = [("uri", root.as_str()), ("action", "vacuum")];
    assert_eq!(viewer.post("change", &vacuum, "").status, 400);
}

#[test]
fn the_shell_and_sql_programs_run() {
    let (folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/sparse");
    let programs = viewer.data(
        "program",
        &[
            ("uri", &uri),
            ("range", "x=0..100"),
            ("where", "note = 'it''s' OR value < 9"),
        ],
    );
    let shell = programs["Shell"].as_str().expect("a program");
    let command = shell.replacen("tiledb-rs", env!("CARGO_BIN_EXE_tiledb-rs"), 1);
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .output()
        .expect("sh");
    assert!(output.status.success(), "{output:?}");
    if cfg!(feature = "sql") {
        let sql = programs["SQL"].as_str().expect("a program");
        let rows = folder.output(&["sql", sql, "--csv"]);
        let cells = String::from_utf8(output.stdout)
            .expect("UTF-8")
            .lines()
            .count()
            - 2;
        assert_eq!(rows.lines().count() - 1, cells, "{rows}");
        assert!(cells > 0);
    }
}

#[cfg(feature = "sql")]
#[test]
fn sql_reads_and_changes_nothing() {
    let (folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/sparse");
    let response = viewer.sql(&uri, "SELECT count(*) AS n, max(value) AS most FROM array");
    assert_eq!(
        response.status,
        200,
        "{}",
        String::from_utf8_lossy(&response.body)
    );
    assert_eq!(response.json()["rows"][0][1], "9990");
    let many = viewer.sql(&uri, "SELECT * FROM array").json();
    assert_eq!(
        (many["rows"].as_array().map(Vec::len), &many["complete"]),
        (Some(1000), &Value::from(false))
    );
    let file = folder.path("out.csv");
    for query in [
        format!("COPY (SELECT 1) TO '{}'", file.display()),
        "CREATE TABLE t AS SELECT 1".to_owned(),
        "INSERT INTO array SELECT * FROM array".to_owned(),
        "DROP TABLE array".to_owned(),
        "SET datafusion.execution.batch_size = 1".to_owned(),
        "SELEC".to_owned(),
    ] {
        let response = viewer.sql(&uri, &query);
        assert_eq!(response.status, 400, "{query}");
    }
    assert!(!file.exists());
}

#[test]
fn hostile_names_long_metadata_and_many_attributes_are_data_in_parts() {
    let (_folder, root, viewer) = arrays(&[]);
    let uri = format!("{root}/hostile");
    let schema = viewer.data("schema", &[("uri", &uri)]);
    assert_eq!(schema["attributes"]["total"], 10_000);
    assert_eq!(
        schema["attributes"]["items"]
            .as_array()
            .expect("items")
            .len(),
        500
    );
    assert_eq!(schema["dimensions"][0]["name"], HOSTILE);
    let last = viewer.data("schema", &[("uri", &uri), ("from", "9999")]);
    assert_eq!(
        last["attributes"]["items"].as_array().expect("items").len(),
        1
    );
    let metadata = viewer.get("metadata", &[("uri", &uri)]);
    assert!(metadata.body.len() < 100_000, "{}", metadata.body.len());
    let items = metadata.json()["items"].as_array().expect("items").clone();
    let large = items
        .iter()
        .find(|item| item["key"] == "large")
        .expect("large");
    assert_eq!(
        (&large["bytes"], &large["whole"]),
        (&Value::from(9_437_184), &Value::from(false))
    );
    // Responses are JSON, which browsers do not show as a page.
    let response = viewer.get("members", &[("uri", &root)]);
    assert!(response.headers.contains("Content-Type: application/json"));
}

#[test]
fn a_huge_array_is_shown_from_few_cells_and_within_a_second() {
    let folder = Folder::new();
    let uri = folder.path("huge").to_str().expect("UTF-8").to_owned();
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("row", Datatype::Int64, 0..=999_999, 1000)
        .dimension("column", Datatype::Int64, 0..=999_999, 1000)
        .attribute("value", Datatype::Float64)
        .capacity(1000)
        .build()
        .expect("schema");
    Array::create(&context, &uri, &schema).expect("create");
    let array = Array::open(&context, &uri).expect("open");
    for write in 0..200i64 {
        let cells = (0..5000i64).map(|cell| write * 2_654_435 + cell * 40_503);
        let rows = cells.clone().map(|cell| (cell * 7) % 1_000_000);
        let columns = cells
            .clone()
            .map(|cell| (cell * 13 + write * 5000) % 1_000_000);
        let query = array.write().column("row", rows).column("column", columns);
        query
            .column("value", cells.map(|cell| cell as f64))
            .submit()
            .expect("write");
    }
    let viewer = Viewer::start(&uri, &[]);
    let plane = [("uri", uri.as_str()), ("x", "row"), ("y", "column")];
    let times: Vec<(&str, Duration)> = ["schema", "map", "cells", "picture", "history", "explain"]
        .into_iter()
        .map(|path| {
            let start = Instant::now();
            assert_eq!(viewer.get(path, &plane).status, 200, "{path}");
            (path, start.elapsed())
        })
        .collect();
    println!("{times:?}");
    let fields = [("uri", uri.as_str()), ("field", "value"), ("field", "row")];
    let part = [("part", "1"), ("sides", "4,1")];
    for parameters in [fields.to_vec(), [&fields[..], &part].concat()] {
        let start = Instant::now();
        viewer.data("statistics", &parameters);
        println!("{:?} {:?}", &parameters[3..], start.elapsed());
    }
    let map = viewer.data("map", &plane);
    assert_eq!(map["fragments"].as_array().expect("fragments").len(), 200);
    // The memory does not depend on the machine's speed.
    if let Some(memory) = viewer.memory() {
        assert!(memory < 700 << 20, "{memory} bytes");
    }
}

#[test]
fn arrays_with_extreme_values_are_shown() {
    let folder = Folder::new();
    let root = create_edge_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    for (array, axes, field, cells) in [
        ("negative", ["row", "column"], "v", 1000),
        ("signed", ["d", "e"], "a", 5),
        ("unsigned", ["d", ""], "a", 4),
        ("reals", ["x", "y"], "v", 6),
    ] {
        let uri = format!("{root}/{array}");
        let plane = [
            ("uri", uri.as_str()),
            ("x", axes[0]),
            ("y", axes[1]),
            ("field", field),
        ];
        for path in [
            "schema",
            "map",
            "history",
            "explain",
            "statistics",
            "program",
        ] {
            viewer.data(path, &plane);
        }
        for level in ["0", "1", "3"] {
            viewer.picture(&[&plane[..], &[("level", level)]].concat());
        }
        // Each cell is on one page, also those whose coordinates are not numbers.
        let mut found = 0;
        let (mut from, mut start) = (None::<(String, String)>, 0);
        for _ in 0..cells {
            let number = start.to_string();
            let mut parameters = vec![("uri", uri.as_str()), ("count", "2"), ("start", &number)];
            if let Some((from, skip)) = &from {
                parameters.extend([("from", from.as_str()), ("skip", skip)]);
            }
            let page = viewer.data("cells", &parameters);
            let rows = page["rows"].as_array().expect("rows").len();
            found += rows;
            start += rows;
            let next = &page["next"];
            let is_end = match page["total"].as_str() {
                Some(total) => start.to_string() == total,
                None => next.is_null(),
            };
            if is_end {
                break;
            }
            let position = next["from"].as_str().unwrap_or_default().to_owned();
            from = Some((position, next["skip"].to_string()));
        }
        assert_eq!(found, cells, "{array}");
    }
}

#[test]
fn ranges_are_of_the_dimension_with_the_longest_name() {
    let folder = Folder::new();
    let root = create_edge_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    let uri = format!("{root}/separators");
    let ranges = [
        ("uri", uri.as_str()),
        ("range", "a=2..3"),
        ("range", "a=1;b=4..6"),
    ];
    let page = viewer.data("cells", &ranges);
    assert_eq!(page["total"], "6");
    assert_eq!(numbers(&page, 2), [24.0, 25.0, 26.0, 34.0, 35.0, 36.0]);
    let plane = [("x", "a=1;b"), ("y", "a"), ("field", "v"), ("level", "3")];
    viewer.picture(&[&ranges[..], &plane].concat());
    viewer.data("statistics", &[&ranges[..], &[("field", "v")]].concat());
}

#[test]
fn statistics_of_a_dense_array_with_few_cells_in_a_huge_box_are_bounded() {
    let folder = Folder::new();
    let root = create_edge_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    let uri = format!("{root}/corners");
    let parameters = [("uri", uri.as_str()), ("field", "a")];
    let stated = viewer.data("statistics", &parameters);
    let parts: u64 = stated["parts"]
        .as_str()
        .and_then(|parts| parts.parse().ok())
        .expect("a number");
    let sides: Vec<u64> = stated["sides"]
        .as_array()
        .expect("sides")
        .iter()
        .map(|side| side.as_u64().expect("a number"))
        .collect();
    // 10^12 cells, of which a read delivers all.
    assert!(parts >= 1_000_000, "{stated}");
    let sides = format!("{},{}", sides[0], sides[1]);
    for (part, sides, status) in [
        ("0", sides.as_str(), 200),
        ("17", &sides, 200),
        ("0", "1,1", 400),
    ] {
        let own = [("part", part), ("sides", sides)];
        let found = viewer.get("statistics", &[&parameters[..], &own].concat());
        assert_eq!(found.status, status, "{part} {sides}");
    }
    // Other views return an error, or omit what they cannot show.
    let plane = [("x", "column"), ("y", "row"), ("field", "a")];
    for (path, more, status) in [
        ("explain", &[][..], 400),
        ("explain", &[("range", "row=0..99")], 200),
        ("export", &[("format", "csv")], 400),
        ("map", &[("use", "1")], 200),
        ("picture", &[("level", "0")], 200),
        ("picture", &[("level", "3")], 200),
        ("cells", &[("start", "999999999990")], 200),
        ("program", &[], 200),
    ] {
        let own: &[(&str, &str)] = if path == "export" { &[] } else { &plane };
        let found = viewer.get(path, &[&parameters[..1], own, more].concat());
        assert_eq!(found.status, status, "{path} {more:?}");
    }
    // The cells that were written are in the first part.
    let own = [("part", "0"), ("sides", sides.as_str())];
    let first = viewer.data("statistics", &[&parameters[..], &own].concat());
    assert_eq!(first["fields"][0]["greatest"]["text"], "9999");
}

#[test]
fn many_requests_at_a_time_stay_within_the_memory_and_the_server_continues() {
    let folder = Folder::new();
    create_large(&folder.path("large"), 40);
    let root = folder.path("large/large");
    let uri = root.to_str().expect("UTF-8");
    let viewer = Viewer::start(uri, &["--config", "sm.mem.total_budget=268435456"]);
    viewer.data("schema", &[("uri", uri)]);
    let plane = [
        ("uri", uri),
        ("x", "row"),
        ("y", "column"),
        ("field", "value"),
    ];
    let requests = [
        ("export", [("format", "csv"), ("range", "row=0..299999")]),
        (
            "export",
            [("format", "parquet"), ("range", "row=0..299999")],
        ),
        ("statistics", [("part", "0"), ("sides", "1,1")]),
        ("picture", [("level", "3"), ("x0", "0")]),
        ("cells", [("where", "value = 77.0"), ("count", "500")]),
    ];
    std::thread::scope(|scope| {
        let (viewer, plane) = (&viewer, &plane);
        for (path, more) in requests.iter().cycle().take(50) {
            scope.spawn(move || {
                // Each field of an export is selected once.
                let own = if *path == "export" {
                    &plane[..1]
                } else {
                    &plane[..]
                };
                let found = viewer.get(path, &[own, &more[..]].concat());
                assert_eq!(found.status, 200, "{path} {more:?}");
            });
        }
    });
    assert_eq!(viewer.get("session", &[]).status, 200);
    if let Some(memory) = viewer.memory() {
        assert!(memory < 512 << 20, "{memory} bytes");
    }
}

/// Returns the time for which a process has used processors, in hundredths of a second.
#[cfg(target_os = "linux")]
fn processor_time(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("stat");
    let (_, fields) = text.rsplit_once(") ").expect("fields");
    let fields: Vec<&str> = fields.split(' ').collect();
    let number = |index: usize| fields[index].parse::<u64>().expect("a number");
    number(11) + number(12)
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_of_a_local_array_ends_when_the_client_disconnects() {
    let folder = Folder::new();
    create_large(&folder.path("large"), 100);
    let root = folder.path("large/large");
    let uri = root.to_str().expect("UTF-8");
    let viewer = Viewer::start(uri, &[]);
    viewer.data("schema", &[("uri", uri)]);
    let process = viewer.process_id();
    let parameters = [("uri", uri), ("format", "csv")];
    // More than the server runs at a time, so that some wait.
    let exports: Vec<TcpStream> = (0..12)
        .map(|_| viewer.begin("export", &parameters))
        .collect();
    let begin = processor_time(process);
    while processor_time(process) < begin + 20 {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(exports);
    std::thread::sleep(Duration::from_millis(1500));
    let ended = processor_time(process);
    std::thread::sleep(Duration::from_millis(1500));
    let more = processor_time(process) - ended;
    assert!(more < 30, "{more} hundredths of a second");
    assert_eq!(viewer.get("session", &[]).status, 200);
}

/// A server of arrays in a folder at `tiledb://workspace/teamspace`, which ends when this value is
/// dropped.
struct ArrayServer {
    process: Child,
    options: Vec<String>,
}

impl Drop for ArrayServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl ArrayServer {
    /// Starts a server on the library of the variable `TILEDB_UPSTREAM_LIB`, if it is set.
    #[expect(clippy::print_stdout, reason = "says that the test was skipped")]
    fn start(folder: &std::path::Path) -> Option<Self> {
        let Some(library) = std::env::var_os("TILEDB_UPSTREAM_LIB") else {
            println!("skipped: TILEDB_UPSTREAM_LIB is not set");
            return None;
        };
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/rest/server.py");
        let mut process = Command::new("python3")
            .args([program.as_ref(), library.as_os_str(), folder.as_os_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut address = String::new();
        let output = process.stdout.take().expect("output");
        BufReader::new(output)
            .read_line(&mut address)
            .expect("the address");
        let address = format!("rest.server_address={}", address.trim());
        let options = ["--config", &address, "--config", "rest.token=token"];
        Some(Self {
            process,
            options: options.map(str::to_owned).to_vec(),
        })
    }
}

#[test]
fn arrays_on_a_server_are_shown() {
    let folder = Folder::new();
    let served = folder.path("served/workspace/teamspace");
    std::fs::create_dir_all(&served).expect("folder");
    create_arrays(&served);
    let Some(server) = ArrayServer::start(&folder.path("served")) else {
        return;
    };
    let options: Vec<&str> = server.options.iter().map(String::as_str).collect();
    for (name, plane) in [
        (
            "dense",
            [("x", "column"), ("y", "row"), ("field", "height")],
        ),
        ("sparse", [("x", "x"), ("y", "y"), ("field", "value")]),
    ] {
        let uri = format!("tiledb://workspace/teamspace/arrays/{name}");
        let viewer = Viewer::start(&uri, &options);
        for path in [
            "members",
            "schema",
            "size",
            "metadata",
            "map",
            "cells",
            "history",
            "explain",
            "statistics",
            "program",
        ] {
            let parameters = [&[("uri", uri.as_str())], &plane[..]].concat();
            viewer.data(path, &parameters);
        }
        let picture = [&[("uri", uri.as_str())], &plane[..], &[("level", "3")]].concat();
        let (_, served) = viewer.picture(&picture);
        // The viewer of the folder shows an equal picture.
        let local = folder.path(&format!("served/workspace/teamspace/arrays/{name}"));
        let local = local.to_str().expect("UTF-8");
        let viewer = Viewer::start(local, &[]);
        let picture = [&[("uri", local)], &plane[..], &[("level", "3")]].concat();
        let (_, expected) = viewer.picture(&picture);
        let equal = |(one, other): (&f64, &f64)| one.to_bits() == other.to_bits();
        assert_eq!(served.len(), expected.len());
        assert!(served.iter().zip(&expected).all(equal), "{name}");
    }
}

#[test]
fn nothing_is_written_by_any_request() {
    let (_folder, root, viewer) = arrays(&[]);
    let files = || {
        let context = Context::new().expect("context");
        let mut found = Vec::new();
        let visited = context.vfs().walk(&root, |uri, entry| {
            found.push((uri.to_owned(), entry.size));
            std::ops::ControlFlow::Continue(())
        });
        visited.expect("walk");
        found.sort();
        found
    };
    let before = files();
    let uri = format!("{root}/sparse");
    for path in ["schema", "cells", "history", "map", "picture", "statistics"] {
        viewer.get(
            path,
            &[("uri", &uri), ("x", "x"), ("y", "y"), ("field", "value")],
        );
    }
    let set = [("uri", uri.as_str()), ("action", "set"), ("key", "k")];
    assert_eq!(viewer.post("change", &set, "v").status, 403);
    assert_eq!(files(), before);
}

#[test]
fn the_server_ends_when_the_page_is_closed_or_at_a_signal() {
    let (_folder, _, mut viewer) = arrays(&[]);
    let open = format!(
        "GET /api/open HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        viewer.host(),
        viewer.token
    );
    let page = || {
        let mut page = TcpStream::connect(("127.0.0.1", viewer.port)).expect("connect");
        page.write_all(open.as_bytes()).expect("write");
        let mut byte = [0];
        page.read_exact(&mut byte).expect("a response");
        page
    };
    // A page that is loaded again.
    drop(page());
    let second = page();
    std::thread::sleep(Duration::from_secs(11));
    assert_eq!(viewer.get("session", &[]).status, 200);
    drop(second);
    assert_eq!(viewer.exit_code(Duration::from_secs(30)), Some(0));

    let (_folder, _, mut viewer) = arrays(&[]);
    let id = viewer.process_id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
    assert_eq!(viewer.exit_code(Duration::from_secs(30)), Some(0));
}

#[test]
fn an_object_that_does_not_exist_is_an_error() {
    let folder = Folder::new();
    let error = folder.error(&["view", "nothing", "--no-browser"], 3);
    assert!(
        error.contains("there is no array or group at 'nothing'"),
        "{error}"
    );
}
