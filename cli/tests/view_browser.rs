//! The page of the command `view` in headless Chromium, which is driven through pipes by the
//! DevTools protocol. Skipped with a message where no Chromium is installed.
//!
//! `TILEDB_RS_SCREENSHOTS` names a folder for pictures of all views, and `TILEDB_RS_AXE` the file
//! `axe.min.js` of axe-core, which then checks each view in addition to the checks here.
#![cfg(all(feature = "view", unix))]

mod program;
mod viewer;

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use program::Folder;
use serde_json::{Value, json};
use tiledb_engine::{Array, Context};
use viewer::bucket::Bucket;
use viewer::{Viewer, create_arrays, create_edge_arrays, create_large};

/// The views of an array.
const VIEWS: [&str; 9] = [
    "overview",
    "map",
    "cells",
    "picture",
    "time",
    "explain",
    "statistics",
    "sql",
    "programs",
];

/// The longest time until the browser sends a message.
const ANSWER: Duration = Duration::from_secs(60);

/// A tab of a browser.
struct Browser {
    process: Child,
    to: File,
    /// The messages of the browser.
    from: Receiver<Vec<u8>>,
    session: Option<String>,
    last: u64,
    /// Errors of the page: exceptions, and what it was not allowed to load.
    errors: Vec<String>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends its own processes.
        let close = json!({"id": 0, "method": "Browser.close"}).to_string() + "\0";
        let _ = self.to.write_all(close.as_bytes());
        for _ in 0..100 {
            if let Ok(Some(_)) = self.process.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the name of an installed browser.
fn program() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| {
        let version = Command::new(name)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        version.is_ok_and(|output| output.status.success())
    })
}

impl Browser {
    /// Starts a browser, if one is installed.
    #[expect(clippy::print_stdout, reason = "says that the test was skipped")]
    fn start(folder: &Folder) -> Option<Self> {
        let Some(name) = program() else {
            println!("skipped: Chromium is not installed");
            return None;
        };
        let pipes = ["to", "from"].map(|pipe| folder.path(pipe));
        let made = Command::new("mkfifo")
            .args(&pipes)
            .status()
            .expect("mkfifo");
        assert!(made.success());
        let profile = format!("--user-data-dir={}", folder.path("profile").display());
        let script = format!(
            "exec {name} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --disable-background-networking --force-color-profile=srgb --hide-scrollbars '{profile}' \
             --remote-debugging-pipe about:blank 3<'{}' 4>'{}'",
            pipes[0].display(),
            pipes[1].display()
        );
        let process = Command::new("sh")
            .args(["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh");
        let to = OpenOptions::new()
            .write(true)
            .open(&pipes[0])
            .expect("pipe");
        let mut pipe = BufReader::new(File::open(&pipes[1]).expect("pipe"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while pipe.read_until(0, &mut bytes).is_ok() && bytes.pop() == Some(0) {
                if sender.send(std::mem::take(&mut bytes)).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            process,
            to,
            from,
            session: None,
            last: 0,
            errors: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("write");
        loop {
            let message = self.receive();
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let bytes = self.from.recv_timeout(ANSWER).expect("the browser answers");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.errors
                    .push(message["params"]["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") if message["params"]["entry"]["level"] == "error" => {
                self.errors
                    .push(message["params"]["entry"]["text"].to_string());
            }
            _ => {}
        }
        message
    }

    /// Runs a script; returns its value.
    fn evaluate(&mut self, script: &str) -> Value {
        let parameters = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{script}: {result}");
        result["result"]["value"].clone()
    }

    /// Sets the width, and whether the colors are dark.
    fn appear(&mut self, width: u32, dark: bool) {
        let metrics =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// Opens an address and waits until the view is complete.
    fn open(&mut self, address: &str) {
        self.start_to_open(address);
        self.wait();
    }

    fn start_to_open(&mut self, address: &str) {
        // A change of the fragment alone does not load the page again.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({"url": address}));
    }

    /// Waits until the page has a text.
    fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + ANSWER;
        while !self.text().contains(text) {
            assert!(Instant::now() < end, "'{text}' is missing: {}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until no request of the page is under way.
    fn wait(&mut self) {
        let script = "(async () => {
            const quiet = () => !document.querySelector('#status.busy') && document.getElementById('panel')?.children.length;
            let calm = 0;
            for (let step = 0; step < 600 && calm < 8; step += 1) {
                await new Promise((done) => setTimeout(done, 50));
                calm = quiet() ? calm + 1 : 0;
            }
            return calm >= 8;
        })()";
        assert_eq!(self.evaluate(script), true, "the view is not complete");
    }

    fn text(&mut self) -> String {
        let text = self.evaluate("document.body?.innerText");
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Stores a picture of the page, if a folder is named.
    fn screenshot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("TILEDB_RS_SCREENSHOTS") else {
            return;
        };
        let taken = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let picture = decoded(taken["data"].as_str().expect("a picture"));
        fs::create_dir_all(&folder).expect("folder");
        let file = PathBuf::from(folder).join(format!("{name}.png"));
        fs::write(file, picture).expect("write");
    }

    /// Stores downloads in a folder.
    fn download_to(&mut self, folder: &Path) {
        fs::create_dir_all(folder).expect("folder");
        let session = self.session.take();
        let parameters = json!({"behavior": "allow", "downloadPath": folder});
        self.call("Browser.setDownloadBehavior", parameters);
        self.session = session;
    }

    /// Presses a button of the panel; returns the content of the file that is downloaded then. The
    /// name of the file must have this end.
    fn download(&mut self, folder: &Path, button: &str, end: &str) -> Vec<u8> {
        for file in fs::read_dir(folder).expect("folder").flatten() {
            fs::remove_file(file.path()).expect("remove");
        }
        let script = format!(
            "[...document.querySelectorAll('#panel button')].find((button) => button.textContent === '{button}').click()"
        );
        let parameters = json!({"expression": script, "userGesture": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{button}: {result}");
        let last = Instant::now() + ANSWER;
        loop {
            let files = fs::read_dir(folder).expect("folder").flatten();
            let found = files
                .map(|file| file.path())
                .find(|path| path.to_string_lossy().ends_with(end));
            if let Some(file) = found {
                return fs::read(file).expect("read");
            }
            assert!(Instant::now() < last, "{button}: {}", self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key});
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}

/// Decodes Base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').collect();
    let mut decoded = Vec::new();
    for part in bytes.chunks(4) {
        let bits =
            part.iter().fold(0, |bits, byte| bits << 6 | value(*byte)) << (6 * (4 - part.len()));
        let shifts = [16, 8, 0].into_iter().take(part.len() - 1);
        decoded.extend(shifts.map(|shift| (bits >> shift) as u8));
    }
    decoded
}

/// Finds controls without a name, pictures without a description, repeated ids, headings that are
/// missing, and text whose contrast with the background is less than 4.5.
const ACCESSIBILITY: &str = r#"(() => {
    const found = [];
    const visible = (node) => node.checkVisibility() && node.getClientRects().length;
    const nameOf = (node) => node.getAttribute("aria-label") || node.textContent.trim()
        || node.labels?.[0]?.textContent.trim() || node.title;
    for (const node of document.querySelectorAll("button, input, select, textarea, a, summary, [role=tab], [role=region]")) {
        if (visible(node) && !nameOf(node)) found.push(`no name: ${node.outerHTML.slice(0, 80)}`);
    }
    for (const node of document.querySelectorAll("canvas, [role=img]")) {
        if (visible(node) && !node.getAttribute("aria-label")) found.push(`no description: ${node.outerHTML.slice(0, 80)}`);
    }
    const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
    if (new Set(ids).size !== ids.length) found.push("an id is repeated");
    if (!document.querySelector("h1")?.textContent) found.push("no heading");
    if (!document.documentElement.lang) found.push("no language");
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1) {
        found.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
    }
    const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r, g, b]) => [r, g, b].map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const background = (node) => {
        for (let place = node; place; place = place.parentElement) {
            const color = parse(getComputedStyle(place).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !node || seen.has(node) || !visible(node)) continue;
        if (["SCRIPT", "NOSCRIPT", "STYLE", "OPTION"].includes(node.tagName) || node.disabled) continue;
        seen.add(node);
        const [one, other] = [luminance(parse(getComputedStyle(node).color)), luminance(background(node))];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)}: ${node.outerHTML.slice(0, 80)}`);
    }
    return found.slice(0, 10);
})()"#;

/// Returns what the checks find in a view.
fn violations(browser: &mut Browser) -> Vec<String> {
    let found = browser.evaluate(ACCESSIBILITY);
    let found = found.as_array().expect("a list").iter();
    let mut found: Vec<String> = found
        .map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect();
    let Some(file) = std::env::var_os("TILEDB_RS_AXE") else {
        return found;
    };
    let axe = fs::read_to_string(file).expect("axe.min.js");
    browser.evaluate(&format!("{axe}; true"));
    let script = "axe.run().then((found) => found.violations.map((one) => \
        `${one.id}: ${one.nodes[0].html.slice(0, 100)} ${one.nodes[0].failureSummary}`))";
    let by_axe = browser.evaluate(script);
    found.extend(
        by_axe
            .as_array()
            .expect("a list")
            .iter()
            .map(ToString::to_string),
    );
    found
}

/// Returns the address of a view.
fn address(viewer: &Viewer, uri: &str, view: &str, more: &str) -> String {
    format!(
        "{}&uri={}&view={view}{more}",
        viewer.address(),
        viewer::escaped(uri)
    )
}

#[test]
fn every_view_is_shown_at_two_widths_in_light_and_dark() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    let mut problems = Vec::new();
    for (array, views) in [
        ("dense", &VIEWS[..]),
        ("sparse", &VIEWS[..]),
        ("cube", &["picture", "map", "cells"]),
        ("strings", &["map", "cells", "picture", "statistics"]),
        ("stations", &["map", "cells", "picture", "statistics"]),
        ("dates", &["map", "cells", "picture", "statistics"]),
        ("labelled", &["overview", "cells", "picture"]),
        (
            "empty",
            &["overview", "map", "cells", "picture", "statistics"],
        ),
    ] {
        for view in views {
            if *view == "sql" && !cfg!(feature = "sql") {
                continue;
            }
            // The forms of one array are those of the others.
            let forms: &[(u32, bool)] = if array == "dense" {
                &[(1200, false), (1200, true), (400, false), (400, true)]
            } else {
                &[(1200, false)]
            };
            for (width, dark) in forms {
                browser.appear(*width, *dark);
                browser.open(&address(&viewer, &format!("{root}/{array}"), view, ""));
                let scheme = if *dark { "dark" } else { "light" };
                browser.screenshot(&format!("{array}-{view}-{width}-{scheme}"));
                let found = violations(&mut browser);
                problems.extend(
                    found
                        .iter()
                        .map(|found| format!("{array} {view} {width} {scheme}: {found}")),
                );
                let text = browser.text();
                if text.contains("does not respond")
                    || browser.evaluate("!!document.querySelector('.error')") == true
                {
                    problems.push(format!("{array} {view}: {text}"));
                }
            }
        }
    }
    // The size of the encrypted array is an error in the tree.
    let is_response = |error: &&String| error.contains("the server responded with a status of");
    problems.extend(
        browser
            .errors
            .iter()
            .filter(|error| !is_response(error))
            .map(|error| format!("error of the page: {error}")),
    );
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn views_are_used_by_keyboard_and_links_restore_them() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    browser.appear(1200, false);
    let dense = format!("{root}/dense");
    browser.open(&address(&viewer, &dense, "map", ""));
    // The token does not stay in the address.
    let hash = browser.evaluate("location.hash");
    assert!(
        !hash.as_str().expect("a text").contains(&viewer.token),
        "{hash}"
    );
    browser.evaluate("document.querySelector('canvas').focus()");
    for _ in 0..3 {
        browser.key("+");
    }
    browser.key("ArrowRight");
    browser.wait();
    let hash = browser
        .evaluate("location.hash")
        .as_str()
        .expect("a text")
        .to_owned();
    let state: String = hash.trim_start_matches('#').to_owned();
    assert!(state.contains("box="), "{state}");
    browser.open(&format!("{}&{state}", viewer.address()));
    assert_eq!(browser.evaluate("location.hash"), hash);

    browser.open(&address(&viewer, &dense, "cells", ""));
    let first = "document.querySelector('.cells tbody tr td').textContent";
    browser.evaluate("document.querySelector('.cells').focus()");
    browser.key("End");
    browser.wait();
    let last_row = browser.evaluate(first);
    assert_eq!(last_row, "799");
    browser.key("Home");
    browser.wait();
    assert_eq!(browser.evaluate(first), "0");
    browser.key("PageDown");
    browser.wait();
    let position =
        browser.evaluate("document.querySelectorAll('.cells tbody tr td')[1].textContent");
    assert_ne!(position, "0");

    // A condition that does not parse is an error on the page, and one that does selects cells.
    let sparse = format!("{root}/sparse");
    browser.open(&address(&viewer, &sparse, "cells", "&where=value%20%3E"));
    assert!(
        browser.text().contains("a condition looks like"),
        "{}",
        browser.text()
    );
    browser.open(&address(
        &viewer,
        &sparse,
        "cells",
        "&where=value%20%3D%2042",
    ));
    let rows = browser.evaluate("document.querySelectorAll('.cells tbody tr').length");
    assert!(
        rows.as_u64().is_some_and(|rows| (1..=5).contains(&rows)),
        "{rows}"
    );

    // The state at an earlier time.
    browser.open(&address(&viewer, &sparse, "overview", "&at=1700000060000"));
    assert!(browser.text().contains("4,000 cells"), "{}", browser.text());
    // Tabs are reached with the arrow keys.
    browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').focus()");
    browser.key("ArrowRight");
    browser.wait();
    assert_eq!(
        browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').id"),
        "tab-map"
    );
}

#[test]
fn arrays_are_changed_on_the_page_after_a_confirmation() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let sparse = format!("{root}/sparse");
    let buttons =
        "[...document.querySelectorAll('#panel button')].map((button) => button.textContent)";
    let has_buttons = |browser: &mut Browser| {
        let found = browser.evaluate(buttons).to_string();
        ["Consolidate", "Vacuum", "Set"].map(|name| found.contains(name))
    };
    let press = |browser: &mut Browser, selector: &str, name: &str| {
        let script = format!(
            "[...document.querySelectorAll('{selector} button')].find((button) => button.textContent === '{name}').click()"
        );
        browser.evaluate(&script);
    };
    browser.appear(1200, false);
    let viewer = Viewer::start(&root, &[]);
    browser.open(&address(&viewer, &sparse, "overview", ""));
    assert_eq!(has_buttons(&mut browser), [false; 3]);
    drop(viewer);

    let viewer = Viewer::start(&root, &["--write"]);
    browser.open(&address(&viewer, &sparse, "overview", ""));
    assert_eq!(has_buttons(&mut browser), [true; 3]);
    browser.screenshot("change-overview");
    assert_eq!(violations(&mut browser), Vec::<String>::new());
    let fragments = |viewer: &Viewer| viewer.data("size", &[("uri", &sparse)])["fragments"].clone();
    press(&mut browser, "#panel", "Consolidate");
    browser.screenshot("change-confirmation");
    assert_eq!(violations(&mut browser), Vec::<String>::new());
    press(&mut browser, "dialog", "Cancel");
    browser.wait();
    assert_eq!(fragments(&viewer), 5);
    press(&mut browser, "#panel", "Consolidate");
    press(&mut browser, "dialog", "Confirm");
    browser.wait();
    assert_eq!(fragments(&viewer), 1);
    assert!(
        browser.text().contains("in 1 fragment with"),
        "{}",
        browser.text()
    );
    let fill = "[...document.querySelectorAll('#panel input')].forEach((input, index) => { input.value = ['a key', 'a <b>value</b>'][index]; })";
    browser.evaluate(fill);
    press(&mut browser, "#panel", "Set");
    press(&mut browser, "dialog", "Confirm");
    browser.wait();
    assert!(
        browser.text().contains("a <b>value</b>"),
        "{}",
        browser.text()
    );
    press(&mut browser, "#panel", "Delete");
    press(&mut browser, "dialog", "Confirm");
    browser.wait();
    assert!(browser.text().contains("no metadata"), "{}", browser.text());
    // An earlier state cannot be changed.
    browser.open(&address(&viewer, &sparse, "overview", "&at=1700000060000"));
    assert_eq!(has_buttons(&mut browser), [false; 3]);
}

#[test]
fn large_arrays_are_read_in_parts_until_the_numbers_are_exact() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    create_large(&folder.path("bucket"), 120);
    let context = Context::new().expect("context");
    let local = folder.path("bucket/large");
    let array = Array::open(&context, local.to_str().expect("UTF-8")).expect("open");
    let kinds = array.read::<i32>("kind").expect("read");
    let bucket = Bucket::start(&folder.path("bucket"), Duration::from_millis(30));
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let uri = "s3://bucket/large";
    let viewer = Viewer::start(uri, &options);
    browser.appear(1200, false);
    browser.open(&address(&viewer, uri, "statistics", ""));
    browser.screenshot("large-statistics");
    let text = browser.text();
    assert!(text.contains("of the 120 fragments, spread over"), "{text}");
    assert_eq!(violations(&mut browser), Vec::<String>::new());
    let read_all = "[...document.querySelectorAll('#panel button')].find((button) => button.textContent === 'Read all fragments').click()";
    browser.evaluate(read_all);
    browser.wait();
    let text = browser.text();
    assert!(text.contains("Statistics of all selected cells."), "{text}");
    let facts_script = "[...document.querySelectorAll('#panel section')].map((section) => [section.querySelector('h2').textContent, ...[...section.querySelectorAll('dd')].map((fact) => fact.textContent), [...section.querySelectorAll('.bars i')].reduce((sum, bar) => sum + Number(bar.title.split(': ')[1].replaceAll(',', '')), 0)])";
    let facts = browser.evaluate(facts_script);
    let kind = facts.as_array().expect("fields").iter();
    let kind: Vec<&Value> = kind.filter(|fact| fact[0] == "kind").collect();
    let mean = kinds.iter().map(|kind| f64::from(*kind)).sum::<f64>() / kinds.len() as f64;
    let shown = |index: usize| kind[0][index].as_str().expect("a text").replace(',', "");
    assert_eq!(shown(1), kinds.len().to_string());
    assert_eq!([shown(3), shown(4)], ["0", "16"]);
    let difference = shown(5).parse::<f64>().expect("a number") - mean;
    assert!(difference.abs() < 1e-8, "{facts}");
    assert_eq!(kind[0][6], kinds.len());

    // Without bounds from the metadata, the bins of the first part are widened for later ones.
    let selected = "&where=value%20%3C%2050000&ranges=row%3D0..899999";
    browser.open(&address(&viewer, uri, "statistics", selected));
    browser.evaluate(read_all);
    browser.wait();
    let query = array.query().range("row", 0..=899_999i64);
    let query = query.condition("value < 50000".parse().expect("condition"));
    let expected = query.count().expect("count");
    for fact in browser.evaluate(facts_script).as_array().expect("fields") {
        let last = fact.as_array().and_then(|fact| fact.last());
        assert_eq!(last, Some(&Value::from(expected)), "{fact}");
    }

    // Cells that satisfy a condition, which the whole array is searched for.
    let condition = "&where=value%20%3D%2077.0";
    browser.open(&address(&viewer, uri, "cells", condition));
    browser.screenshot("large-search");
    let query = array
        .query()
        .condition("value = 77.0".parse().expect("condition"));
    let expected = query.count().expect("count");
    let rows = browser.evaluate("document.querySelectorAll('.cells tbody tr').length");
    assert_eq!(rows, expected, "{}", browser.text());
    assert!(
        browser.text().contains("the end of the array"),
        "{}",
        browser.text()
    );
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn field_of_ranges_accepts_names_with_its_separators() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_edge_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    let uri = format!("{root}/separators");
    browser.appear(1200, false);
    for (ranges, rows) in [
        ("a=1;b=4..6; a=2..3", 6),
        ("a=2..3;a=1;b=4..6", 6),
        ("a=1;b=4..5", 20),
        (" a=1 ;", 10),
    ] {
        let selection = format!("&ranges={}", viewer::escaped(ranges));
        browser.open(&address(&viewer, &uri, "cells", &selection));
        let shown = browser.evaluate("document.querySelectorAll('.cells tbody tr').length");
        assert_eq!(shown, rows, "{ranges}: {}", browser.text());
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn views_of_an_object_store_show_something_before_all_fragments_are_open() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    create_large(&folder.path("bucket"), 120);
    let bucket = Bucket::start(&folder.path("bucket"), Duration::from_millis(30));
    let options = bucket.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let uri = "s3://bucket/large";
    browser.appear(1200, false);
    for (view, more, requests, early, late) in [
        ("overview", "", 40, "Fragments (120)", "with 600,000 cells"),
        ("time", "", 40, "2023-11-15 00:12:20", "5,000"),
        ("programs", "", 40, "SELECT", "SELECT"),
        ("map", "", 40, "8 of 8 fragments", "120 of 120 fragments"),
        (
            "explain",
            "",
            40,
            "The 8 newest of 120 fragments",
            "120 of 120 are read",
        ),
        ("picture", "", 120, "counted", "estimated from the bounds"),
        (
            "cells",
            "",
            80,
            "cells from row",
            "ordered by the dimensions",
        ),
        (
            "cells",
            "&where=value%20%3D%2077.0",
            220,
            "cells from row",
            "ordered by the dimensions",
        ),
        (
            "statistics",
            "",
            220,
            "Histogram as a table",
            "of the 120 fragments, spread over",
        ),
    ] {
        bucket.set_limit(requests);
        let viewer = Viewer::start(uri, &options);
        browser.start_to_open(&address(&viewer, uri, view, more));
        // Only this number of requests has a response.
        browser.wait_for(early);
        let shown = browser.text();
        let is_early = !["overview", "time", "programs"].contains(&view);
        assert_eq!(
            shown.contains("The 8 newest of 120 fragments"),
            is_early,
            "{view}: {shown}"
        );
        if view != "programs" {
            browser.wait_for(" reads");
            browser.wait_for("Waiting for");
        }
        browser.screenshot(&format!("early-{view}{}", more.len()));
        assert_eq!(violations(&mut browser), Vec::<String>::new(), "{view}");
        bucket.set_limit(usize::MAX);
        browser.wait_for(late);
        browser.wait();
        let shown = browser.text();
        assert!(!shown.contains("The 8 newest"), "{view}: {shown}");
        assert!(!shown.contains("not known yet"), "{view}: {shown}");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn hostile_arrays_do_no_harm() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    browser.appear(1200, false);
    for view in VIEWS {
        browser.open(&address(&viewer, &format!("{root}/hostile"), view, ""));
        assert_eq!(
            browser.evaluate("typeof window.harmed"),
            "undefined",
            "{view}"
        );
        let foreign = "document.querySelectorAll('main script, nav script, img, iframe').length";
        assert_eq!(browser.evaluate(foreign), 0, "{view}");
        // Stored texts do not reverse the text of the page.
        let reversed = "document.body.innerText.includes('\\u202e')";
        assert_eq!(browser.evaluate(reversed), false, "{view}");
        browser.screenshot(&format!("hostile-{view}"));
    }
    // Damaged and encrypted arrays are errors on the page.
    for (array, view, text) in [
        ("damaged", "statistics", "__fragments"),
        ("encrypted", "cells", "sm.encryption_key"),
    ] {
        browser.open(&address(&viewer, &format!("{root}/{array}"), view, ""));
        let shown = browser.text();
        assert!(shown.contains(text), "{array}: {shown}");
        browser.screenshot(&format!("{array}-{view}"));
    }
}

#[test]
fn a_foreign_page_can_neither_read_nor_send_requests() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let (viewer, other) = (Viewer::start(&root, &[]), Viewer::start(&root, &[]));
    // A page of another origin of the same machine, without the policy of the page.
    browser.call("Page.setBypassCSP", json!({"enabled": true}));
    browser.open(&other.address());
    for (path, options) in [
        (
            "api/session",
            format!("{{headers: {{authorization: 'Bearer {}'}}}}", viewer.token),
        ),
        ("api/session", "{}".to_owned()),
        ("main.js", "{}".to_owned()),
        ("api/sql", "{method: 'POST', body: 'SELECT 1'}".to_owned()),
    ] {
        let script = format!(
            "fetch('http://127.0.0.1:{}/{path}', {options}).then((found) => found.status, () => 'refused')",
            viewer.port
        );
        assert_eq!(browser.evaluate(&script), "refused", "{path}");
    }
    let script = format!(
        "fetch('http://127.0.0.1:{}/main.js', {{mode: 'no-cors'}}).then((found) => found.type, () => 'refused')",
        viewer.port
    );
    assert_eq!(browser.evaluate(&script), "refused");
}

#[test]
fn the_server_ends_with_the_page() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let mut viewer = Viewer::start(&root, &[]);
    browser.open(&viewer.address());
    browser.call("Page.reload", json!({}));
    browser.wait();
    std::thread::sleep(Duration::from_secs(11));
    assert_eq!(viewer.get("session", &[]).status, 200);
    browser.call("Page.navigate", json!({"url": "about:blank"}));
    assert_eq!(viewer.exit_code(Duration::from_secs(30)), Some(0));
    assert!(Path::new(&root).exists());
}

/// Returns the number of colors of a PNG file, and its width and height.
fn colors(file: &[u8]) -> (usize, u32, u32) {
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let mut reader = decoder.read_info().expect("PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("size")];
    let info = reader.next_frame(&mut pixels).expect("PNG");
    let size = info.color_type.samples();
    let colors: std::collections::HashSet<&[u8]> = pixels.chunks_exact(size).collect();
    (colors.len(), info.width, info.height)
}

#[test]
fn pictures_and_cells_are_saved_as_files() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    let downloads = folder.path("downloads");
    browser.download_to(&downloads);
    browser.appear(1200, false);
    let dense = format!("{root}/dense");
    for view in ["picture", "map"] {
        browser.open(&address(&viewer, &dense, view, ""));
        let picture = browser.download(&downloads, "PNG", ".png");
        let (number, width, height) = colors(&picture);
        assert!(
            number > 2 && width > 500 && height > 200,
            "{view}: {number}"
        );
        let text = browser.download(&downloads, "SVG", ".svg");
        let text = String::from_utf8(text).expect("UTF-8");
        let parsed = browser.evaluate(&format!(
            "(() => {{ const found = new DOMParser().parseFromString({}, 'image/svg+xml'); \
             return [found.querySelectorAll('parsererror').length, found.documentElement.tagName, \
             found.querySelectorAll('text').length, found.querySelectorAll('rect, image').length]; }})()",
            Value::from(text)
        ));
        assert_eq!((&parsed[0], &parsed[1]), (&0.into(), &"svg".into()));
        assert!(
            parsed[2].as_u64() > Some(4) && parsed[3].as_u64() > Some(0),
            "{view}: {parsed}"
        );
    }

    // The cells of a selection, as CSV and Parquet.
    let selection = "&ranges=x%3D0..2000&where=value%20%3E%20100";
    let sparse = format!("{root}/sparse");
    browser.open(&address(&viewer, &sparse, "cells", selection));
    let context = Context::new().expect("context");
    let array = Array::open(&context, &sparse).expect("open");
    let query = array.query().range("x", 0..=2000i64);
    let query = query.condition("value > 100".parse().expect("condition"));
    let mut values = query.read::<i32>("value").expect("values");
    values.sort_unstable();
    assert!(values.len() > 100);
    let csv = browser.download(&downloads, "CSV of the selection", ".csv");
    let mut reader = csv::Reader::from_reader(&csv[..]);
    let header = reader.headers().expect("a header").clone();
    let index = header.iter().position(|name| name == "value");
    let index = index.expect("the field");
    let records = reader.records().map(|record| record.expect("a record"));
    let mut found: Vec<i32> = records
        .map(|record| record[index].parse().expect("a number"))
        .collect();
    found.sort_unstable();
    assert_eq!(found, values);
    let file = browser.download(&downloads, "Parquet of the selection", ".parquet");
    let path = folder.path("cells.parquet");
    fs::write(&path, file).expect("write");
    let file = File::open(&path).expect("open");
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
    let batches = reader.expect("Parquet").build().expect("Parquet");
    let mut found = Vec::new();
    for batch in batches {
        let batch = batch.expect("a batch");
        let column = batch.column_by_name("value").expect("the field");
        let column = column.as_any().downcast_ref::<arrow_array::Int32Array>();
        found.extend_from_slice(column.expect("numbers").values());
    }
    found.sort_unstable();
    assert_eq!(found, values);

    if cfg!(feature = "sql") {
        let query = "&query=SELECT%20x%2C%20value%20FROM%20array%20ORDER%20BY%20x%20LIMIT%2020";
        browser.open(&address(&viewer, &sparse, "sql", query));
        let csv = browser.download(&downloads, "CSV of the rows", ".csv");
        let mut reader = csv::Reader::from_reader(&csv[..]);
        assert_eq!(reader.headers().expect("a header"), vec!["x", "value"]);
        assert_eq!(reader.records().filter_map(Result::ok).count(), 20);
        let (number, width, _) = colors(&browser.download(&downloads, "PNG", ".png"));
        assert!(number > 1 && width == 720, "{number}");
    }
    // The size of the encrypted array is an error in the tree, and the policy of the page is also
    // that of the pictures that were parsed.
    let is_expected = |error: &&String| {
        error.contains("the server responded with a status of") || error.contains("inline style")
    };
    let others = browser.errors.iter().filter(|error| !is_expected(error));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Runs a program; returns its output.
fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn saved_programs_read_what_the_page_shows() {
    let folder = Folder::new();
    let Some(mut browser) = Browser::start(&folder) else {
        return;
    };
    let root = create_arrays(&folder.path("."));
    let viewer = Viewer::start(&root, &[]);
    let downloads = folder.path("downloads");
    browser.download_to(&downloads);
    browser.appear(1200, false);
    let sparse = format!("{root}/sparse");
    let selection = "&ranges=x%3D0..2000&where=value%20%3E%20100%20AND%20note%20IS%20NOT%20NULL";
    browser.open(&address(&viewer, &sparse, "programs", selection));
    let context = Context::new().expect("context");
    let array = Array::open(&context, &sparse).expect("open");
    let query = array.query().range("x", 0..=2000i64);
    let condition = "value > 100 AND note IS NOT NULL";
    let query = query.condition(condition.parse().expect("condition"));
    let cells = query.count().expect("count");
    assert!(cells > 20, "{cells}");
    let mut saved = |name: &str, end: &str| {
        let text = browser.download(&downloads, &format!("Save {name}"), end);
        let file = format!("read{end}");
        folder.write_bytes(&file, &text);
        folder.path(&file)
    };
    let program = Path::new(env!("CARGO_BIN_EXE_tiledb-rs"));
    let built = program.parent().expect("a folder");

    let shell = saved("Shell", ".sh");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", built.display());
    let text = output_of(Command::new("sh").arg(shell).env("PATH", path));
    assert!(text.lines().count() as u64 > cells, "{text}");

    let sql = saved("SQL", ".sql");
    if cfg!(feature = "sql") {
        let text = fs::read_to_string(sql).expect("read");
        let rows = folder.output(&["sql", &text, "--csv"]);
        assert_eq!(rows.lines().count() as u64, cells + 1);
    }

    let c = saved("C", ".c");
    let library = built.join("libtiledb_rs.so");
    if library.exists() {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
        let compiled = folder.path("read");
        let mut command = Command::new("gcc");
        // The library has the name of libtiledb, by which the program finds it.
        let named = folder.path("libtiledb.so.2.30");
        std::os::unix::fs::symlink(&library, &named).expect("link");
        let link = format!("-Wl,-rpath,{}", folder.path(".").display());
        command.args(["-Wall", "-Werror", "-I"]).arg(include).arg(c);
        command.arg("-o").arg(&compiled).arg("-L").arg(built);
        output_of(command.args(["-ltiledb_rs", &link]));
        let text = output_of(&mut Command::new(&compiled));
        assert_eq!(text.lines().count() as u64, cells, "{text}");
    } else {
        println!("skipped: {} was not built", library.display());
    }

    let python = saved("Python", ".py");
    let interpreter = std::env::var("TILEDB_RS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = Command::new(&interpreter)
        .args(["-c", "import tiledb_rs, pandas"])
        .output();
    if import.is_ok_and(|import| import.status.success()) {
        let text = output_of(Command::new(&interpreter).arg(python));
        assert!(text.contains(&format!("[{cells} rows x")), "{text}");
    } else {
        println!("skipped: {interpreter} has no module tiledb_rs");
        let parse = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
        output_of(Command::new(&interpreter).args(["-c", parse]).arg(python));
    }

    let rust = fs::read_to_string(saved("Rust", ".rs")).expect("read");
    assert!(rust.contains(".range(\"x\", 0_i64..=2000_i64)"), "{rust}");
}
