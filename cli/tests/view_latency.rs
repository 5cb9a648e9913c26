//! The command `view` with an array in an object store with a latency: how many requests each view
//! sends one after another, and that a read ends when the view moves on.
#![cfg(feature = "view")]

mod program;
mod viewer;

use std::time::{Duration, Instant};

use program::Folder;
use tiledb_engine::{Array, ArrayType, Context, Datatype, Schema};
use viewer::Viewer;
use viewer::bucket::Bucket;

/// The latency of each request.
const LATENCY: Duration = Duration::from_millis(300);

/// Creates an array of 1,000,000 x 1,000,000 cells with this many fragments, each of which covers
/// all of the domain.
fn create_large(folder: &Folder, fragments: i64) -> String {
    let uri = folder
        .path("bucket/large")
        .to_str()
        .expect("UTF-8")
        .to_owned();
    std::fs::create_dir(folder.path("bucket")).expect("folder");
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
    uri
}

#[test]
fn views_of_a_bucket_send_few_requests_one_after_another() {
    let folder = Folder::new();
    let local = create_large(&folder, 200);
    let bucket = Bucket::start(&folder.path("bucket"), LATENCY);
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    for (uri, options) in [("s3://bucket/large", &options[..]), (&local, &[])] {
        let begin = Instant::now();
        let viewer = Viewer::start(uri, options);
        println!("start {:?} {:?}", begin.elapsed(), bucket.take());
        let plane = [("uri", uri), ("x", "row"), ("y", "column")];
        for (path, more) in [
            ("schema", ("", "")),
            ("metadata", ("", "")),
            ("map", ("", "")),
            ("picture", ("level", "0")),
            ("picture", ("level", "3")),
            ("cells", ("", "")),
            ("cells", ("share", "0.5")),
            ("cells", ("where", "value = 5.0")),
            ("cells", ("where", "value = -1")),
            ("history", ("", "")),
            ("explain", ("", "")),
            ("statistics", ("field", "value")),
            ("statistics", ("field", "row")),
        ] {
            let begin = Instant::now();
            let response = viewer.get(path, &[&plane[..], &[more]].concat());
            assert_eq!(response.status, 200, "{path}");
            let text = String::from_utf8_lossy(&response.body);
            println!(
                "{path} {more:?} {:?} {:?} {} bytes {}",
                begin.elapsed(),
                bucket.take(),
                text.len(),
                &text
                    .chars()
                    .rev()
                    .take(150)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect::<String>()
            );
        }
    }
}

#[test]
fn a_read_ends_when_the_view_moves_on() {
    let folder = Folder::new();
    create_large(&folder, 200);
    let bucket = Bucket::start(&folder.path("bucket"), Duration::ZERO);
    let mut options = bucket.options();
    // Few requests at a time take long together.
    options.extend([
        "--config".to_owned(),
        "vfs.s3.max_parallel_ops=2".to_owned(),
    ]);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let uri = "s3://bucket/large";
    let viewer = Viewer::start(uri, &options);
    viewer.data("schema", &[("uri", uri)]);
    bucket.set_latency(Duration::from_millis(40));
    for (path, more) in [
        ("cells", ("share", "0.3")),
        ("statistics", ("part", "3")),
        ("picture", ("level", "3")),
    ] {
        let parameters = [
            ("uri", uri),
            ("x", "row"),
            ("y", "column"),
            ("field", "value"),
            ("sides", "16,1"),
            ("x0", "500000"),
            ("x1", "501000"),
            more,
        ];
        bucket.take();
        let request = viewer.begin(path, &parameters);
        while bucket.count() < 20 {
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(request);
        // The requests that were begun end.
        std::thread::sleep(Duration::from_millis(800));
        let ended = bucket.count();
        std::thread::sleep(Duration::from_millis(800));
        assert_eq!(bucket.count(), ended, "{path}");
        // The same read needs many more.
        bucket.set_latency(Duration::ZERO);
        bucket.take();
        assert_eq!(viewer.get(path, &parameters).status, 200, "{path}");
        let rest = bucket.take().requests;
        assert!(rest > 100, "{path}: {rest} requests after {ended}");
        bucket.set_latency(Duration::from_millis(40));
    }
}
