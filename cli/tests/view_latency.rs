//! The command `view` with an array in an object store with a latency: how many requests each view
//! sends one after another, and that a read ends when the view moves on.
#![cfg(feature = "view")]

mod program;
mod viewer;

use std::time::{Duration, Instant};

use program::Folder;
use tiledb_engine::{Array, Context};
use viewer::bucket::Bucket;
use viewer::{Viewer, create_large};

/// The latency of each request.
const LATENCY: Duration = Duration::from_millis(30);
/// The fragments of a large array.
const FRAGMENTS: i64 = 200;

#[test]
fn views_of_a_bucket_send_few_requests() {
    let folder = Folder::new();
    create_large(&folder.path("bucket"), FRAGMENTS);
    let bucket = Bucket::start(&folder.path("bucket"), LATENCY);
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let begin = Instant::now();
    let uri = "s3://bucket/large";
    let viewer = Viewer::start(uri, &options);
    println!("start {:?} {:?}", begin.elapsed(), bucket.take());
    let plane = [("uri", uri), ("x", "row"), ("y", "column")];
    let fragments = FRAGMENTS as usize;
    // Each of the fragments has 5 tiles with 4 fields. A page needs the rows of one tile of each,
    // and the other fields of those that have cells of the page.
    for (path, more, most) in [
        ("schema", &[][..], fragments + 20),
        ("metadata", &[], 0),
        ("map", &[], 5),
        ("picture", &[("level", "0")], 5),
        ("picture", &[("level", "3")], 5),
        ("cells", &[], fragments),
        ("cells", &[("share", "0.5")], 3 * fragments),
        // Steps of half a second, and not all 20 tiles of each fragment.
        ("cells", &[("where", "value = 5.0")], 17 * fragments),
        ("history", &[], 0),
        ("size", &[], 0),
        ("explain", &[], 5),
        (
            "statistics",
            &[("field", "value"), ("field", "row")],
            fragments,
        ),
        (
            "statistics",
            &[("field", "value"), ("part", "1"), ("sides", "4,1")],
            5 * fragments,
        ),
    ] {
        let begin = Instant::now();
        viewer.get(path, &[&plane[..], more].concat());
        let (duration, traffic) = (begin.elapsed(), bucket.take());
        println!("{path} {more:?} {duration:?} {traffic:?}");
        assert!(traffic.requests <= most, "{path} {more:?} {traffic:?}");
    }
}

#[test]
fn statistics_of_many_fragments_are_those_of_a_sample_until_all_are_requested() {
    let folder = Folder::new();
    create_large(&folder.path("bucket"), FRAGMENTS);
    let bucket = Bucket::start(&folder.path("bucket"), Duration::ZERO);
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let uri = "s3://bucket/large";
    let viewer = Viewer::start(uri, &options);
    viewer.data("schema", &[("uri", uri)]);
    let context = Context::new().expect("context");
    let local = folder.path("bucket/large");
    let array = Array::open(&context, local.to_str().expect("UTF-8")).expect("open");
    let fragments = FRAGMENTS as u64;
    let fields = ["row", "column", "value", "kind"].map(|name| ("field", name));
    for is_whole in [false, true] {
        let mut parameters = [&[("uri", uri)], &fields[..]].concat();
        if is_whole {
            parameters.push(("all", "1"));
        }
        bucket.take();
        let stated = viewer.data("statistics", &parameters);
        assert_eq!(bucket.take().requests, 0);
        assert_eq!(stated["fragments"], fragments);
        let number = stated["sample"].as_u64();
        assert_eq!(number.is_none(), is_whole);
        let number = number.unwrap_or(fragments);
        assert!((1..=fragments).contains(&number), "{stated}");
        // The fragments are at equal distances.
        let mut index = 0;
        let names: Vec<String> = array
            .fragments()
            .expect("fragments")
            .iter()
            .filter(|_| {
                index += 1;
                index * number / fragments > (index - 1) * number / fragments
            })
            .map(|fragment| fragment.name().to_owned())
            .collect();
        let sample =
            array.with_fragments(|fragment| names.iter().any(|name| name == fragment.name()));
        let expected = sample.expect("fragments").query().count().expect("count");
        let sides = stated["sides"].as_array().expect("sides").iter();
        let sides = sides.map(ToString::to_string).collect::<Vec<_>>().join(",");
        let parts: u64 = stated["parts"]
            .as_str()
            .expect("parts")
            .parse()
            .expect("a number");
        let text = number.to_string();
        let cells = (0..parts).map(|part| {
            let part = part.to_string();
            let mut parameters = parameters.clone();
            parameters.extend([("part", part.as_str()), ("sides", &sides)]);
            if !is_whole {
                parameters.push(("sample", &text));
            }
            let found = viewer.data("statistics", &parameters);
            let requests = bucket.take().requests;
            println!("part {part} of {parts} of {number} fragments: {requests} requests");
            // Other parts may have a few tiles more than the one in the middle.
            assert!(is_whole || requests <= 600, "{requests} requests");
            found["fields"][0]["cells"].as_u64().expect("a number")
        });
        assert_eq!(cells.sum::<u64>(), expected);
    }
}

#[test]
fn views_show_the_newest_fragments_after_few_requests() {
    let folder = Folder::new();
    create_large(&folder.path("bucket"), FRAGMENTS);
    let context = Context::new().expect("context");
    let local = folder.path("bucket/large");
    let array = Array::open(&context, local.to_str().expect("UTF-8")).expect("open");
    array.put_metadata("station", "north").expect("metadata");
    // Rounds of requests are counted, and the time of one makes no difference to their number: a
    // long one is not exceeded by the time that a slow machine takes between requests.
    let bucket = Bucket::start(&folder.path("bucket"), 5 * LATENCY);
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let uri = "s3://bucket/large";
    let viewer = Viewer::start(uri, &options);
    let object = [("uri", uri)];
    let outline = viewer.data("outline", &object);
    assert_eq!(outline["outline"]["fragments"], FRAGMENTS);
    assert_eq!(outline["outline"]["newest"], 8);
    let last = &outline["outline"]["last_fragments"][199];
    assert_eq!(last["start"], 1_700_000_000_000_i64 + 199 * 60_000);
    assert_eq!(outline["dimensions"][1]["name"], "column");
    let metadata = viewer.data("metadata", &object);
    assert_eq!(metadata["items"][0]["text"], "north");
    let newest = viewer.data("schema", &[("uri", uri), ("newest", "1")]);
    assert_eq!(newest["fragments"], 8);
    assert_eq!(newest["cells"], 8 * 5000);
    // 1 second has 33 rounds of 30 ms.
    let traffic = bucket.take();
    println!("schema, metadata, fragments and footers of the newest: {traffic:?}");
    assert!(traffic.requests <= 14 && traffic.rounds <= 6, "{traffic:?}");
    assert!(
        !traffic.objects.contains_key("large/__meta/"),
        "{traffic:?}"
    );
    let plane = [("uri", uri), ("newest", "1"), ("x", "row"), ("y", "column")];
    for (path, more, requests, rounds) in [
        ("history", &[("names", "1")][..], 0, 0),
        ("program", &[], 0, 0),
        ("map", &[], 0, 0),
        ("explain", &[], 0, 0),
        ("picture", &[("level", "0")], 0, 0),
        // Five tiles of each of the fragments, with the coordinates of a page of cells.
        ("cells", &[], 8 * 5 * 4, 8),
        ("picture", &[("level", "1")], 8 * 5 * 2, 8),
        ("cells", &[("where", "value = 5.0")], 8 * 5 * 4, 8),
        ("statistics", &[("field", "value"), ("field", "row")], 8, 8),
        (
            "statistics",
            &[("field", "value"), ("part", "0"), ("sides", "1,1")],
            8 * 5 * 3,
            8,
        ),
    ] {
        let response = viewer.get(path, &[&plane[..], more].concat());
        assert_eq!(response.status, 200, "{path} {more:?}");
        let traffic = bucket.take();
        println!("{path} {more:?} {traffic:?}");
        assert!(
            traffic.requests <= requests && traffic.rounds <= rounds,
            "{path} {more:?} {traffic:?}"
        );
    }
    // The views say how many reads they wait for.
    let progress = viewer.data("progress", &[]);
    assert_eq!(progress["expected"], 5 * 8 * 3);
    assert!(progress["done"].as_u64() > Some(0), "{progress}");
    // Then the footers of all fragments, many at a time.
    let all = viewer.data("schema", &object);
    assert_eq!(all["fragments"], FRAGMENTS);
    let traffic = bucket.take();
    println!("all fragments: {traffic:?}");
    assert!(traffic.requests <= FRAGMENTS as usize, "{traffic:?}");
    assert!(traffic.rounds <= 12, "{traffic:?}");
    // The state at a time has the fragments until then.
    let earlier = ("at", "1700000300000");
    let outline = viewer.data("outline", &[("uri", uri), earlier]);
    assert_eq!(outline["outline"]["fragments"], 6);
    assert_eq!(outline["outline"]["newest"], 0);
    let few = viewer.data("schema", &[("uri", uri), ("newest", "1"), earlier]);
    assert_eq!(few["fragments"], 6);
}

#[test]
fn a_search_returns_in_steps_that_continue_to_the_end() {
    let folder = Folder::new();
    create_large(&folder.path("bucket"), 20);
    // Each step ends after the first range that it reads.
    let bucket = Bucket::start(&folder.path("bucket"), Duration::from_millis(200));
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let uri = "s3://bucket/large";
    let viewer = Viewer::start(uri, &options);
    let (mut from, mut shares, mut found) = (None::<String>, Vec::new(), 0);
    loop {
        let mut parameters = vec![("uri", uri), ("where", "value = 77.0"), ("count", "500")];
        if let Some(from) = &from {
            parameters.push(("from", from));
        }
        let page = viewer.data("cells", &parameters);
        found += page["rows"].as_array().expect("rows").len();
        if page["next"].is_null() {
            break;
        }
        shares.push(page["next"]["share"].as_f64().expect("a share"));
        from = page["next"]["from"].as_str().map(str::to_owned);
    }
    assert!(shares.is_sorted(), "{shares:?}");
    let context = Context::new().expect("context");
    let local = folder.path("bucket/large");
    let array = Array::open(&context, local.to_str().expect("UTF-8")).expect("open");
    let query = array
        .query()
        .condition("value = 77.0".parse().expect("condition"));
    assert_eq!(found as u64, query.count().expect("count"));
}

/// Starts a viewer that sends two requests at a time, so that many of them take long.
fn start_slow(bucket: &Bucket, uri: &str) -> Viewer {
    let mut options = bucket.options();
    options.extend([
        "--config".to_owned(),
        "vfs.s3.max_parallel_ops=2".to_owned(),
    ]);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    Viewer::start(uri, &options)
}

#[test]
fn a_read_ends_when_the_view_moves_on() {
    let folder = Folder::new();
    create_large(&folder.path("bucket"), FRAGMENTS);
    let bucket = Bucket::start(&folder.path("bucket"), Duration::ZERO);
    let uri = "s3://bucket/large";
    let viewer = start_slow(&bucket, uri);
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
        // A read that is not cancelled sends many more requests.
        bucket.set_latency(Duration::ZERO);
        bucket.take();
        assert_eq!(viewer.get(path, &parameters).status, 200, "{path}");
        let rest = bucket.take().requests;
        assert!(rest > 100, "{path}: {rest} requests after {ended}");
        bucket.set_latency(Duration::from_millis(40));
    }
}

#[test]
fn an_open_ends_when_the_view_moves_on_unless_another_view_needs_it() {
    let folder = Folder::new();
    create_large(&folder.path("bucket"), FRAGMENTS);
    let bucket = Bucket::start(&folder.path("bucket"), Duration::ZERO);
    // The array is in the folder of the command, so it is not opened before a request.
    let viewer = start_slow(&bucket, "s3://bucket/");
    let parameters = [("uri", "s3://bucket/large")];
    bucket.set_latency(Duration::from_millis(40));
    let wait_for = |requests: usize| {
        while bucket.count() < requests {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    // During the listing, and while footers are read.
    for requests in [1, 20] {
        bucket.take();
        let request = viewer.begin("schema", &parameters);
        wait_for(requests);
        drop(request);
        std::thread::sleep(Duration::from_millis(1000));
        let ended = bucket.count();
        std::thread::sleep(Duration::from_millis(800));
        assert_eq!(bucket.count(), ended);
        assert!(ended < FRAGMENTS as usize / 2, "{ended} requests");
    }
    // A request that hangs ends as well, and with it what the request of the page holds.
    bucket.take();
    bucket.set_limit(10);
    for _ in 0..6 {
        let request = viewer.begin("schema", &parameters);
        std::thread::sleep(Duration::from_millis(200));
        drop(request);
        std::thread::sleep(Duration::from_millis(700));
    }
    let begin = Instant::now();
    assert_eq!(viewer.get("session", &[]).status, 200);
    assert!(begin.elapsed() < Duration::from_secs(5));
    bucket.set_limit(usize::MAX);
    std::thread::sleep(Duration::from_millis(300));
    // The next view takes the open over.
    bucket.take();
    let first = viewer.begin("schema", &parameters);
    wait_for(40);
    let next = std::thread::scope(|scope| {
        let next = scope.spawn(|| viewer.data("schema", &parameters));
        std::thread::sleep(Duration::from_millis(100));
        drop(first);
        next.join().expect("the response")
    });
    assert_eq!(next["fragments"], FRAGMENTS);
    let traffic = bucket.take();
    println!("an open that another view took over: {traffic:?}");
    assert!(traffic.requests < FRAGMENTS as usize + 40, "{traffic:?}");
}
