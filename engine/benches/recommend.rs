//! The costs of filters, and the recommended schemas of tables and rasters compared with the best
//! ones that a search finds.
//!
//! `cargo bench -p tiledb-engine --bench recommend -- costs` measures what the constants of
//! `src/recommend/costs.rs` are from; `-- tables [GOAL] [NAME]...` compares schemas. All run with
//! one thread; times are those of the processor.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::sync::Arc;
use std::time::Instant;

use tiledb_engine::internal::filter::{
    FilterType, Pipeline, Texts, chunk_starts, var_chunk_starts,
};
use tiledb_engine::internal::recommend::{FieldPart, candidates};
use tiledb_engine::internal::types::VAR_NUM;
use tiledb_engine::{
    Array, ArrayType, Attribute, CellBytes, Compressor, Config, Context, Datatype, Enumeration,
    Filter, FilterList, Goal, Layout, Result, Sample, SampleColumn, Schema, Subarray,
};

/// The number of rows of a table.
const ROWS: usize = 1 << 20;
/// The rows and columns of a raster.
const SIDE: usize = 1024;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let names = arguments.iter().filter(|name| **name != "--bench");
    let names: Vec<&str> = names.copied().collect();
    match names.split_first() {
        Some((&"costs", _)) => costs(),
        Some((&"tables", names)) => tables(names),
        _ => println!("arguments: costs, or tables with names of tables"),
    }
}

/// A generator of numbers without visible order.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number of an approximate normal distribution.
    fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.unit()).sum::<f64>() * 1.4 - 4.2
    }
}

/// The cells of a field.
#[derive(Clone)]
struct Column {
    name: &'static str,
    datatype: Datatype,
    data: Vec<u8>,
    starts: Option<Vec<u64>>,
}

impl Column {
    fn numbers<const N: usize>(
        name: &'static str,
        datatype: Datatype,
        cells: impl IntoIterator<Item = [u8; N]>,
    ) -> Self {
        Self {
            name,
            datatype,
            data: cells.into_iter().flatten().collect(),
            starts: None,
        }
    }

    fn texts(name: &'static str, cells: impl IntoIterator<Item = String>) -> Self {
        let (mut data, mut starts) = (Vec::new(), Vec::new());
        for cell in cells {
            starts.push(data.len() as u64);
            data.extend_from_slice(cell.as_bytes());
        }
        Self {
            name,
            datatype: Datatype::StringUtf8,
            data,
            starts: Some(starts),
        }
    }

    fn cell_bytes(&self) -> CellBytes<'_> {
        CellBytes {
            data: &self.data,
            offsets: self.starts.as_deref(),
            validity: None,
        }
    }

    fn cells(&self) -> usize {
        let starts = self.starts.as_ref().map(Vec::len);
        starts.unwrap_or(self.data.len() / self.datatype.size())
    }

    fn cell_val_num(&self) -> u32 {
        if self.starts.is_some() { VAR_NUM } else { 1 }
    }

    /// Returns the texts as indexes of labels; `None` for others and for texts with many values.
    fn as_labels(&self) -> Option<(Self, Enumeration)> {
        let starts = self.starts.as_ref()?;
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain([self.data.len() as u64]);
        let (mut labels, mut indexes) = (Vec::new(), Vec::new());
        let mut found = std::collections::HashMap::new();
        for (start, end) in starts.iter().zip(ends) {
            let text = std::str::from_utf8(&self.data[*start as usize..end as usize]).ok()?;
            let index = *found.entry(text).or_insert_with(|| {
                labels.push(text);
                labels.len() - 1
            });
            if index >= 1 << 16 {
                return None;
            }
            indexes.push((index as u32).to_le_bytes());
        }
        let enumeration = Enumeration::of_texts(self.name, false, &labels).ok()?;
        let column = if labels.len() < 1 << 14 {
            let short = indexes.iter().map(|index| [index[0], index[1]]);
            Self::numbers(self.name, Datatype::Uint16, short)
        } else {
            Self::numbers(self.name, Datatype::Int32, indexes)
        };
        Some((column, enumeration))
    }
}

/// Returns the processor time of this thread in seconds.
fn cpu() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure is valid for the call.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "the clock of a thread");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the shortest processor time of some runs.
fn shortest(runs: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..runs).map(|_| {
        let start = cpu();
        run();
        cpu() - start
    });
    times.fold(f64::INFINITY, f64::min)
}

// Costs of filters.

/// Columns with values of many kinds.
fn kinds() -> Vec<Column> {
    let mut random = Random(1);
    let cells = 1 << 17;
    let mut walk = 0.0;
    let mut walked: Vec<f64> = Vec::new();
    for _ in 0..cells {
        walk += random.normal();
        walked.push(walk);
    }
    let mut longs = |name, make: &mut dyn FnMut(u64, &mut Random) -> u64| {
        let cells = (0..cells as u64).map(|row| make(row, &mut random).to_le_bytes());
        Column::numbers(name, Datatype::Int64, cells)
    };
    let mut columns = vec![
        longs("ascending", &mut |row, _| row),
        longs("jitter", &mut |row, random| row * 1000 + random.below(900)),
        longs("random", &mut |_, random| random.next() >> 2),
        longs("small", &mut |_, random| random.below(1000)),
        longs("skewed", &mut |_, random| {
            1 << random.below(20) & random.next()
        }),
        longs("runs", &mut |row, _| row / 100 * 7919 % 1000),
    ];
    let ints = |make: &mut dyn FnMut(u64) -> u32| {
        (0..cells as u64)
            .map(|row| make(row).to_le_bytes())
            .collect::<Vec<_>>()
    };
    columns.push(Column::numbers(
        "small 32",
        Datatype::Int32,
        ints(&mut |_| random.below(1000) as u32),
    ));
    columns.push(Column::numbers(
        "dates 32",
        Datatype::Int32,
        ints(&mut |row| 8000 + row as u32 / 500 + random.below(120) as u32),
    ));
    columns.push(Column::numbers(
        "random 32",
        Datatype::Int32,
        ints(&mut |_| random.next() as u32),
    ));
    let shorts: Vec<[u8; 2]> = (0..cells)
        .map(|_| (random.below(500) as u16).to_le_bytes())
        .collect();
    columns.push(Column::numbers("labels", Datatype::Uint16, shorts));
    let bytes: Vec<[u8; 1]> = walked
        .iter()
        .map(|walk| [(*walk * 0.7) as i64 as u8])
        .collect();
    columns.push(Column::numbers("pixels", Datatype::Uint8, bytes));
    let reals = |make: &dyn Fn(f64) -> f64| -> Vec<[u8; 8]> {
        walked
            .iter()
            .map(|walk| make(*walk).to_le_bytes())
            .collect()
    };
    columns.push(Column::numbers(
        "walk",
        Datatype::Float64,
        reals(&|walk| walk),
    ));
    columns.push(Column::numbers(
        "rounded",
        Datatype::Float64,
        reals(&|walk| (walk * 100.0).round() / 100.0),
    ));
    let floats: Vec<[u8; 4]> = walked
        .iter()
        .map(|walk| ((*walk / 16.0) as f32).to_le_bytes())
        .collect();
    columns.push(Column::numbers("floats", Datatype::Float32, floats));
    let prices: Vec<[u8; 8]> = (0..cells)
        .map(|_| (random.below(10_000) as f64 / 100.0).to_le_bytes())
        .collect();
    columns.push(Column::numbers("prices", Datatype::Float64, prices));
    columns.push(Column::texts(
        "words",
        (0..cells).map(|_| words(&mut random, 1)),
    ));
    columns.push(Column::texts(
        "comments",
        (0..cells / 4).map(|_| words(&mut random, 5)),
    ));
    columns.push(Column::texts(
        "hex",
        (0..cells / 4).map(|_| {
            format!(
                "{:032x}",
                u128::from(random.next()) << 64 | u128::from(random.next())
            )
        }),
    ));
    columns.push(Column::texts(
        "modes",
        (0..cells).map(|_| {
            ["AIR", "TRUCK", "RAIL", "SHIP", "REG AIR"][random.below(5) as usize].to_owned()
        }),
    ));
    columns.push(Column::texts(
        "runs of words",
        (0..cells).map(|row| format!("station {}", row / 50)),
    ));
    columns
}

const WORDS: [&str; 24] = [
    "quick",
    "deposits",
    "furiously",
    "regular",
    "ironic",
    "packages",
    "sleep",
    "above",
    "the",
    "final",
    "accounts",
    "carefully",
    "express",
    "pending",
    "requests",
    "blithely",
    "foxes",
    "even",
    "slyly",
    "bold",
    "theodolites",
    "haggle",
    "among",
    "instructions",
];

fn words(random: &mut Random, number: u64) -> String {
    let words = (0..number).map(|_| WORDS[random.below(24) as usize]);
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the times of encoding and decoding a column in seconds, and the size in bytes; `None`
/// if the filters do not accept it.
fn encoded(column: &Column, filters: &[Filter]) -> Option<(f64, f64, usize)> {
    let list = Arc::new(FilterList {
        filters: filters.to_vec(),
        ..FilterList::default()
    });
    let size = column.datatype.size();
    let is_text_encoding = matches!(
        filters.first().map(Filter::kind),
        Some(FilterType::Rle | FilterType::Dictionary)
    );
    if let Some(starts) = column.starts.as_ref().filter(|_| is_text_encoding) {
        let mut ends = starts.clone();
        ends.push(column.data.len() as u64);
        let pipeline = Pipeline::for_texts(list, column.datatype, None).ok()?;
        let texts = Texts {
            values: &column.data,
            starts: &ends,
        };
        let stored = pipeline.encode_texts(texts).ok()?;
        let encode = shortest(3, || drop(pipeline.encode_texts(texts)));
        let (mut values, mut decoded) = (vec![0; column.data.len()], Vec::new());
        let decode = shortest(9, || {
            pipeline
                .decode_texts(&stored, &mut values, starts.len(), &mut decoded)
                .expect("decoded");
        });
        return Some((encode, decode, stored.len()));
    }
    let starts = match &column.starts {
        Some(starts) => {
            let mut ends = starts.clone();
            ends.push(column.data.len() as u64);
            var_chunk_starts(&list, &ends, 1).ok()?
        }
        None => chunk_starts(&list, column.data.len() as u64, size as u64).ok()?,
    };
    let pipeline = Pipeline::new(list, column.datatype, None).ok()?;
    let stored = pipeline.encode_tile(&column.data, &starts).ok()?;
    let encode = shortest(3, || drop(pipeline.encode_tile(&column.data, &starts)));
    let mut to = vec![0; column.data.len()];
    let decode = shortest(9, || {
        pipeline.decode_tile(&stored, &mut to).expect("decoded")
    });
    Some((encode, decode, stored.len()))
}

/// Prints the times of all lists of filters for columns of many kinds.
fn costs() {
    for column in kinds() {
        let weights = Goal::Size.weights();
        let (datatype, values) = (column.datatype, column.cell_val_num());
        let mut lists = candidates(FieldPart::Values, datatype, values, weights);
        lists.push(vec![Filter::Byteshuffle]);
        lists.push(vec![Filter::Bitshuffle]);
        lists.push(vec![Filter::compression(Compressor::Delta)]);
        for list in lists.iter().filter(|list| !list.is_empty()) {
            let Some((encode, decode, size)) = encoded(&column, list) else {
                continue;
            };
            let bytes = column.data.len() as f64;
            println!(
                "{:14} {:40} {:8.3} of the size, {:7.3} and {:7.3} ns a byte to encode and decode",
                column.name,
                filter_names(list),
                size as f64 / bytes,
                encode * 1e9 / bytes,
                decode * 1e9 / bytes,
            );
        }
    }
}

fn filter_names(list: &[Filter]) -> String {
    let names = list.iter().map(|filter| match filter {
        Filter::Compression(options) if options.compressor == Compressor::Zstd => {
            format!("ZSTD {}", options.level)
        }
        filter => filter.kind().name().to_owned(),
    });
    names.collect::<Vec<_>>().join(", ")
}

// Recommended schemas.

/// A table or a raster.
struct Table {
    name: &'static str,
    kind: ArrayType,
    /// The columns of the dimensions, then those of the attributes; of dense arrays, attributes.
    columns: Vec<Column>,
    dimensions: usize,
}

/// Returns the tables: coordinates first.
fn all_tables() -> Vec<Table> {
    let mut random = Random(2);
    let rows = || 0..ROWS as u64;
    let numbers = |name| Column::numbers(name, Datatype::Uint64, rows().map(u64::to_le_bytes));
    let labels: Vec<String> = (0..500)
        .map(|i| format!("w{i:03}").repeat(1 + i % 3))
        .collect();
    let mut walk = 0.0;
    let walks: Vec<[u8; 8]> = rows()
        .map(|_| {
            walk += random.normal();
            ((walk * 100.0f64).round() / 100.0).to_le_bytes()
        })
        .collect();
    let mut found = Vec::new();
    found.push(Table {
        name: "bench table",
        kind: ArrayType::Sparse,
        dimensions: 1,
        columns: vec![
            numbers("id"),
            Column::numbers("a", Datatype::Float64, walks),
            Column::numbers(
                "b",
                Datatype::Int32,
                rows().map(|_| (random.below(1000) as i32).to_le_bytes()),
            ),
            Column::texts(
                "s",
                rows().map(|_| labels[random.below(500) as usize].clone()),
            ),
        ],
    });
    found.push(airports(&mut random));
    found.push(line_items(&mut random));
    let (mut time, mut values) = (0u64, [0.0f64; 64]);
    let (mut times, mut ids, mut temperatures, mut pressures, mut states) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in rows() {
        let sensor = row % 64;
        if sensor == 0 {
            time += 1000 + random.below(20);
        }
        let value = &mut values[sensor as usize];
        *value += random.normal() * 0.05;
        times.push((1_700_000_000_000 + time as i64).to_le_bytes());
        ids.push((sensor as i32).to_le_bytes());
        temperatures.push(((20.0 + *value) as f32).to_le_bytes());
        pressures.push((((1013.0 - *value) * 10.0).round() / 10.0).to_le_bytes());
        states.push([u8::from(random.below(1000) == 0)]);
    }
    found.push(Table {
        name: "sensors",
        kind: ArrayType::Sparse,
        dimensions: 2,
        columns: vec![
            Column::numbers("time", Datatype::DatetimeMs, times),
            Column::numbers("sensor", Datatype::Int32, ids),
            Column::numbers("temperature", Datatype::Float32, temperatures),
            Column::numbers("pressure", Datatype::Float64, pressures),
            Column::numbers("state", Datatype::Uint8, states),
        ],
    });
    found.push(Table {
        name: "random integers",
        kind: ArrayType::Sparse,
        dimensions: 1,
        columns: vec![
            numbers("row"),
            Column::numbers(
                "i64",
                Datatype::Int64,
                rows().map(|_| (random.next() as i64).to_le_bytes()),
            ),
            Column::numbers(
                "i32",
                Datatype::Int32,
                rows().map(|_| (random.next() as i32).to_le_bytes()),
            ),
            Column::numbers(
                "million",
                Datatype::Int32,
                rows().map(|_| (random.below(1_000_000) as i32).to_le_bytes()),
            ),
            Column::numbers("u8", Datatype::Uint8, rows().map(|_| [random.next() as u8])),
        ],
    });
    let paths = ["index", "about", "login", "search", "cart"];
    found.push(Table {
        name: "text",
        kind: ArrayType::Sparse,
        dimensions: 1,
        columns: vec![
            numbers("row"),
            Column::texts(
                "message",
                rows().map(|_| {
                    let number = 4 + random.below(8);
                    words(&mut random, number)
                }),
            ),
            Column::texts(
                "url",
                rows().map(|_| {
                    format!(
                        "https://example.org/{}/{}",
                        paths[random.below(5) as usize],
                        random.below(100_000)
                    )
                }),
            ),
            Column::texts(
                "uuid",
                rows().map(|_| format!("{:016x}{:016x}", random.next(), random.next())),
            ),
            Column::texts(
                "level",
                rows().map(|_| {
                    ["INFO", "INFO", "INFO", "WARN", "ERROR"][random.below(5) as usize].to_owned()
                }),
            ),
        ],
    });
    let pixel = |index: usize| (index / SIDE, index % SIDE);
    let height = |index: usize| {
        let (y, x) = pixel(index);
        let (y, x) = (y as f64 / 97.0, x as f64 / 71.0);
        800.0 * (y.sin() * x.cos()) + 90.0 * (x * 3.1).sin() + 20.0 * (y * 7.7 + x).cos()
    };
    let heights: Vec<[u8; 4]> = (0..SIDE * SIDE)
        .map(|index| {
            (((height(index) + random.normal() * 0.3) * 10.0).round() as f32 / 10.0).to_le_bytes()
        })
        .collect();
    found.push(Table {
        name: "elevation raster",
        kind: ArrayType::Dense,
        dimensions: 2,
        columns: vec![Column::numbers("height", Datatype::Float32, heights)],
    });
    let mut channel = |name, factor: f64| {
        let pixels: Vec<[u8; 1]> = (0..SIDE * SIDE)
            .map(|index| [(128.0 + height(index) * factor + random.normal() * 2.0) as u8])
            .collect();
        Column::numbers(name, Datatype::Uint8, pixels)
    };
    let columns = vec![
        channel("red", 0.1),
        channel("green", 0.12),
        channel("blue", 0.07),
    ];
    found.push(Table {
        name: "photo raster",
        kind: ArrayType::Dense,
        dimensions: 2,
        columns,
    });
    found
}

/// Returns points in clusters with names, elevations and kinds, as a table of airports has.
fn airports(random: &mut Random) -> Table {
    let rows = 1 << 18;
    let centres: Vec<(f64, f64)> = (0..200)
        .map(|_| (random.unit() * 340.0 - 170.0, random.unit() * 140.0 - 70.0))
        .collect();
    let kinds = [
        "small_airport",
        "heliport",
        "medium_airport",
        "closed",
        "seaplane_base",
    ];
    let (mut longitudes, mut latitudes) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (x, y) = centres[random.below(200) as usize];
        let round = |value: f64| (value * 1e4).round() / 1e4;
        longitudes.push(round(x + random.normal() * 3.0).to_le_bytes());
        latitudes.push(round(y + random.normal() * 3.0).to_le_bytes());
    }
    Table {
        name: "airports",
        kind: ArrayType::Sparse,
        dimensions: 2,
        columns: vec![
            Column::numbers("longitude", Datatype::Float64, longitudes),
            Column::numbers("latitude", Datatype::Float64, latitudes),
            Column::texts(
                "name",
                (0..rows).map(|_| {
                    let number = 1 + random.below(3);
                    words(random, number)
                }),
            ),
            Column::texts(
                "kind",
                (0..rows).map(|_| kinds[random.below(5) as usize].to_owned()),
            ),
            Column::numbers(
                "elevation",
                Datatype::Int32,
                (0..rows)
                    .map(|_| (random.below(60) as i32 * random.below(200) as i32).to_le_bytes()),
            ),
        ],
    }
}

/// Returns rows with the distributions of the table `lineitem` of TPC-H.
fn line_items(random: &mut Random) -> Table {
    let (mut orders, mut lines, mut order, mut left) = (Vec::new(), Vec::new(), 1i64, 0);
    let mut line = 0i32;
    for _ in 0..ROWS {
        if left == 0 {
            order += if order % 32 < 8 { 1 } else { 25 };
            left = 1 + random.below(7);
            line = 0;
        }
        (left, line) = (left - 1, line + 1);
        orders.push(order.to_le_bytes());
        lines.push(line.to_le_bytes());
    }
    let ships: Vec<i64> = (0..ROWS)
        .map(|_| 8036 + random.below(2526) as i64)
        .collect();
    let mut around = |name, from: i64, days: u64| {
        let dates = ships
            .iter()
            .map(|day| (day + from + random.below(days) as i64).to_le_bytes());
        Column::numbers(name, Datatype::DatetimeDay, dates.collect::<Vec<_>>())
    };
    let dates = [
        around("shipdate", 0, 1),
        around("commitdate", -60, 120),
        around("receiptdate", 1, 30),
    ];
    let quantities: Vec<u64> = (0..ROWS).map(|_| 1 + random.below(50)).collect();
    let prices: Vec<[u8; 8]> = quantities
        .iter()
        .map(|quantity| {
            ((quantity * (90_000 + random.below(110_000))) as f64 / 100.0).to_le_bytes()
        })
        .collect();
    let mut cents = |name, limit| {
        let cells = (0..ROWS).map(|_| (random.below(limit) as f64 / 100.0).to_le_bytes());
        Column::numbers(name, Datatype::Float64, cells.collect::<Vec<_>>())
    };
    let (discounts, taxes) = (cents("discount", 11), cents("tax", 9));
    let mut choice = |name, texts: &[&str]| {
        let cells = (0..ROWS).map(|_| texts[random.below(texts.len() as u64) as usize].to_owned());
        Column::texts(name, cells.collect::<Vec<_>>())
    };
    let texts = [
        choice("returnflag", &["R", "A", "N", "N"]),
        choice("linestatus", &["O", "F"]),
        choice(
            "shipinstruct",
            &[
                "DELIVER IN PERSON",
                "COLLECT COD",
                "NONE",
                "TAKE BACK RETURN",
            ],
        ),
        choice(
            "shipmode",
            &["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"],
        ),
    ];
    let keys = |random: &mut Random, limit| {
        (0..ROWS)
            .map(|_| (1 + random.below(limit) as i64).to_le_bytes())
            .collect::<Vec<_>>()
    };
    let mut columns = vec![
        Column::numbers(
            "row",
            Datatype::Uint64,
            (0..ROWS as u64).map(u64::to_le_bytes),
        ),
        Column::numbers("orderkey", Datatype::Int64, orders),
        Column::numbers("partkey", Datatype::Int64, keys(random, 200_000)),
        Column::numbers("suppkey", Datatype::Int64, keys(random, 10_000)),
        Column::numbers("linenumber", Datatype::Int32, lines),
        Column::numbers(
            "quantity",
            Datatype::Float64,
            quantities
                .iter()
                .map(|quantity| (*quantity as f64).to_le_bytes()),
        ),
        Column::numbers("extendedprice", Datatype::Float64, prices),
        discounts,
        taxes,
    ];
    columns.extend(dates);
    columns.extend(texts);
    columns.push(Column::texts(
        "comment",
        (0..ROWS).map(|_| {
            let number = 2 + random.below(5);
            words(random, number)
        }),
    ));
    Table {
        name: "lineitem",
        kind: ArrayType::Sparse,
        dimensions: 1,
        columns,
    }
}

/// The form of an array of a table.
#[derive(Clone)]
struct Form {
    /// The filters of each field, and whether texts are labels.
    fields: Vec<(Vec<Filter>, bool)>,
    offsets: Vec<Filter>,
    extents: Vec<f64>,
    capacity: u64,
}

/// The costs of an array: bytes, and seconds of CPU time.
#[derive(Clone, Copy, Debug)]
struct Costs {
    bytes: f64,
    load: f64,
    all: f64,
    boxes: f64,
}

fn list_of(filters: &[Filter]) -> FilterList {
    FilterList {
        filters: filters.to_vec(),
        ..FilterList::default()
    }
}

impl Table {
    fn rows(&self) -> usize {
        self.columns[0].cells()
    }

    fn is_dense(&self) -> bool {
        self.kind == ArrayType::Dense
    }

    /// Returns the columns of coordinates and those of attributes.
    fn parts(&self) -> (&[Column], &[Column]) {
        let dimensions = if self.is_dense() { 0 } else { self.dimensions };
        self.columns.split_at(dimensions)
    }

    /// Returns the schema that a caller would begin with.
    fn draft(&self) -> Result<Schema> {
        let mut builder = Schema::builder(self.kind);
        if !self.is_dense() {
            builder = builder.allow_duplicates(true);
        }
        for dimension in self.parts().0 {
            builder = dimension_of(builder, dimension, None);
        }
        if self.is_dense() {
            for name in ["y", "x"] {
                builder = builder.dimension(name, Datatype::Int64, 0..=SIDE as i64 - 1, 100);
            }
        }
        for column in self.parts().1 {
            builder = builder.attribute(column.name, column.datatype);
        }
        builder.build()
    }

    /// Returns the array schema and the columns of a form, with only some fields.
    fn schema(
        &self,
        form: &Form,
        selected: &dyn Fn(&str) -> bool,
    ) -> Result<(Schema, Vec<Column>)> {
        let mut builder = Schema::builder(self.kind).capacity(form.capacity);
        if !self.is_dense() {
            builder = builder.allow_duplicates(true);
        }
        let (dimensions, attributes) = self.parts();
        let mut columns = dimensions.to_vec();
        for (index, dimension) in dimensions.iter().enumerate() {
            builder = dimension_of(builder, dimension, form.extents.get(index).copied());
            builder = builder.filters(dimension.name, list_of(&form.fields[index].0));
        }
        if self.is_dense() {
            for (name, extent) in ["y", "x"].into_iter().zip(&form.extents) {
                builder =
                    builder.dimension(name, Datatype::Int64, 0..=SIDE as i64 - 1, *extent as i64);
            }
        }
        for (column, (filters, is_label)) in attributes.iter().zip(&form.fields[dimensions.len()..])
        {
            if !selected(column.name) {
                continue;
            }
            let labels = column.as_labels().filter(|_| *is_label);
            let attribute = match labels {
                Some((indexes, enumeration)) => {
                    builder = builder.enumeration(enumeration);
                    let attribute = Attribute::of(column.name, indexes.datatype);
                    columns.push(indexes);
                    attribute.with_enumeration(column.name)
                }
                None => {
                    columns.push(column.clone());
                    Attribute::of(column.name, column.datatype)
                }
            };
            builder = builder.with_attribute(attribute.with_filters(list_of(filters))?);
        }
        builder = builder.offsets_filters(list_of(&form.offsets));
        Ok((builder.build()?, columns))
    }

    /// Writes the fields of a form and reads them: all cells, and boxes with 1 % of the cells.
    fn costs(&self, form: &Form, selected: &dyn Fn(&str) -> bool, read: &[&str]) -> Result<Costs> {
        let mut config = Config::new();
        config.set("sm.compute_concurrency_level", "1")?;
        config.set("sm.io_concurrency_level", "1")?;
        let context = Context::with_config(config)?;
        let (schema, columns) = self.schema(form, selected)?;
        Array::create(&context, "mem://table", &schema)?;
        let mut array = Array::open(&context, "mem://table")?;
        // Some values do not fit some filters, such as differences of large numbers.
        let mut written = Ok(());
        let load = shortest(1, || {
            let mut write = array.write();
            for column in &columns {
                write = write.column_bytes(column.name, column.cell_bytes());
            }
            if self.is_dense() {
                write = write.layout(Layout::RowMajor);
            }
            written = write.submit();
        });
        written?;
        array.reopen()?;
        let sizes = array.fragments()?;
        let sizes: Result<Vec<u64>> = sizes.iter().map(|fragment| fragment.size()).collect();
        let layout = if self.is_dense() {
            Layout::RowMajor
        } else {
            Layout::Unordered
        };
        let run = |subarray: Option<&Subarray>, bytes: usize| {
            let fields = read.iter().map(|name| (*name).to_owned());
            let mut query = array
                .query()
                .fields(fields)
                .layout(layout)
                .batch_bytes(bytes);
            if let Some(subarray) = subarray {
                query = query.subarray(subarray.clone());
            }
            let mut cells = 0;
            for batch in query.batches().expect("read") {
                cells += batch.expect("a batch").len();
            }
            cells
        };
        let all = shortest(3, || assert_eq!(run(None, 64 << 20), self.rows()));
        let boxes = self.boxes();
        let boxes = shortest(3, || {
            boxes.iter().for_each(|part| {
                run(Some(part), 4 << 20);
            })
        });
        Ok(Costs {
            bytes: sizes?.iter().sum::<u64>() as f64,
            load,
            all,
            boxes,
        })
    }

    /// Returns boxes with about 1 % of the cells each.
    fn boxes(&self) -> Vec<Subarray> {
        let mut random = Random(3);
        let part = 0.01f64.powf(1.0 / self.dimensions as f64);
        (0..16)
            .map(|_| {
                let mut subarray = Subarray::new();
                if self.is_dense() {
                    for name in ["y", "x"] {
                        let side = (SIDE as f64 * part) as i64;
                        let start = random.below((SIDE as i64 - side) as u64) as i64;
                        subarray = subarray.range(name, start..=start + side - 1);
                    }
                }
                for column in self.parts().0 {
                    let row = random.below(self.rows() as u64) as usize;
                    if column.datatype.is_real() {
                        let value = |row: usize| {
                            f64::from_le_bytes(
                                column.data[8 * row..8 * row + 8].try_into().expect("8"),
                            )
                        };
                        subarray = subarray.range(
                            column.name,
                            value(row) - 180.0 * part / 2.0..=value(row) + 180.0 * part / 2.0,
                        );
                        continue;
                    }
                    let size = column.datatype.size();
                    let value = |row: usize| {
                        let mut word = [0; 8];
                        word[..size].copy_from_slice(&column.data[size * row..size * (row + 1)]);
                        i64::from_le_bytes(word)
                    };
                    let all = (0..self.rows()).map(value);
                    let (low, high) = all.fold((i64::MAX, i64::MIN), |(low, high), value| {
                        (low.min(value), high.max(value))
                    });
                    let half = ((high - low) as f64 * part / 2.0) as i64;
                    subarray = subarray.range(
                        column.name,
                        (value(row) - half).max(low)..=(value(row) + half).min(high),
                    );
                }
                subarray
            })
            .collect()
    }
}

fn dimension_of(
    builder: tiledb_engine::SchemaBuilder,
    column: &Column,
    extent: Option<f64>,
) -> tiledb_engine::SchemaBuilder {
    let (name, datatype) = (column.name, column.datatype);
    match datatype {
        Datatype::Float64 => {
            builder.dimension(name, datatype, -1e6..=1e6, extent.unwrap_or(1000.0))
        }
        Datatype::Int32 => builder.dimension(
            name,
            datatype,
            -1_000_000_000..=1_000_000_000,
            extent.unwrap_or(1000.0) as i32,
        ),
        _ => builder.dimension(
            name,
            datatype,
            0..=1i64 << 50,
            extent.unwrap_or(10_000.0) as i64,
        ),
    }
}

/// Returns the size and the time of a field with the weights of the goal: per cell.
fn score(costs: Costs, rows: usize, goal: Goal) -> f64 {
    let (rows, weights) = (rows as f64, goal.weights());
    (costs.all + weights.encode * costs.load) * 1e9 / rows
        + weights.stored_byte * costs.bytes / rows
}

/// Searches the best form: for each field all lists of filters, then the shapes of tiles.
fn search(table: &Table, start: &Form, goal: Goal) -> Result<Form> {
    let mut best = start.clone();
    let dimensions = table.parts().0.len();
    for (index, column) in table.columns.iter().enumerate() {
        let mut least = f64::INFINITY;
        let labels = column.as_labels().filter(|_| index >= dimensions);
        let mut lists: Vec<(Vec<Filter>, bool)> = Vec::new();
        for (kind, is_label) in [
            (Some(column.clone()), false),
            (labels.map(|labels| labels.0), true),
        ] {
            let Some(kind) = kind else { continue };
            let found = candidates(
                FieldPart::Values,
                kind.datatype,
                kind.cell_val_num(),
                goal.weights(),
            );
            lists.extend(found.into_iter().map(|list| (list, is_label)));
        }
        for field in lists {
            let mut form = start.clone();
            form.fields[index] = field;
            let selected = |name: &str| {
                name == column.name || index < dimensions && name == table.columns[dimensions].name
            };
            let Ok(costs) = table.costs(&form, &selected, &[column.name]) else {
                continue;
            };
            let found = score(costs, table.rows(), goal);
            if found < least {
                (least, best.fields[index]) = (found, form.fields[index].clone());
            }
        }
    }
    let ratio = |costs: Costs, first: Costs| {
        costs.bytes / first.bytes + costs.all / first.all + costs.boxes / first.boxes
    };
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let first = table.costs(&best, &|_| true, &names)?;
    let (mut least, filters) = (3.0, best.clone());
    for factor in [0.0625, 0.25, 4.0, 16.0f64] {
        let mut form = filters.clone();
        form.capacity = (form.capacity as f64 * factor).max(1.0) as u64;
        let side = factor.powf(1.0 / form.extents.len() as f64);
        let limit = if table.is_dense() { SIDE as f64 } else { 1e9 };
        form.extents
            .iter_mut()
            .for_each(|extent| *extent = (*extent * side).clamp(1.0, limit));
        let Ok(costs) = table.costs(&form, &|_| true, &names) else {
            continue;
        };
        if ratio(costs, first) < least {
            (least, best) = (ratio(costs, first), form);
        }
    }
    Ok(best)
}

fn names_of(form: &Form, table: &Table) -> String {
    let fields = form.fields.iter().zip(&table.columns);
    let fields = fields.map(|((filters, is_label), column)| {
        let names = filter_names(filters);
        format!(
            "{}: {}{names}",
            column.name,
            if *is_label { "labels, " } else { "" }
        )
    });
    let fields: Vec<String> = fields.collect();
    format!(
        "{}; extents {:?}, capacity {}",
        fields.join("; "),
        form.extents,
        form.capacity
    )
}

fn tables(names: &[&str]) {
    let goal = names
        .iter()
        .find_map(|name| Goal::from_name(name))
        .unwrap_or_default();
    let named: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| Goal::from_name(name).is_none())
        .collect();
    println!("table | schema | MB | load ms | read all ms | 16 boxes ms");
    for table in all_tables() {
        if !named.is_empty() && !named.contains(&table.name) {
            continue;
        }
        compare(&table, goal).expect("compared");
    }
}

/// Prints the costs of the recommended schema and of the best one that is found.
fn compare(table: &Table, goal: Goal) -> Result<()> {
    let draft = table.draft()?;
    let mut sample = Sample::new().goal(goal).total_cells(table.rows() as u64);
    // A third of the rows, from three parts of the table.
    let third = table.rows() / 16;
    let parts: Vec<usize> = [0, 7, 15]
        .iter()
        .flat_map(|part| part * third..(part + 1) * third)
        .collect();
    let sampled: Vec<Column> = table
        .columns
        .iter()
        .map(|column| part_of(column, &parts))
        .collect();
    for column in &sampled {
        sample = sample.column(SampleColumn {
            name: column.name,
            data: &column.data,
            offsets: column.starts.as_deref(),
            validity: None,
        });
    }
    let start = Instant::now();
    let recommendation = draft.recommend(&sample)?;
    let elapsed = start.elapsed().as_secs_f64();
    let schema = recommendation.schema();
    let form = form_of(table, &schema);
    let again = draft.recommend(&sample)?;
    assert_eq!(again.reasons, recommendation.reasons, "the same sample");
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let best = search(table, &form, goal)?;
    let [one, other] = [&form, &best].map(|form| table.costs(form, &|_| true, &names));
    let (one, other) = (one?, other?);
    for (name, costs) in [("recommended", one), ("best found", other)] {
        println!(
            "{} | {name} | {:.2} | {:.1} | {:.1} | {:.1}",
            table.name,
            costs.bytes / 1e6,
            costs.load * 1e3,
            costs.all * 1e3,
            costs.boxes * 1e3
        );
    }
    println!(
        "{} | ratio | {:.2} | {:.2} | {:.2} | {:.2}",
        table.name,
        one.bytes / other.bytes,
        one.load / other.load,
        one.all / other.all,
        one.boxes / other.boxes
    );
    println!(
        "  recommended in {elapsed:.2} s for the goal {}",
        goal.name()
    );
    for reason in &recommendation.reasons {
        println!("    {reason}");
    }
    println!("  best found: {}", names_of(&best, table));
    Ok(())
}

fn part_of(column: &Column, rows: &[usize]) -> Column {
    let mut part = Column {
        data: Vec::new(),
        starts: column.starts.as_ref().map(|_| Vec::new()),
        ..column.clone()
    };
    for row in rows {
        let (start, end) = match &column.starts {
            Some(starts) => {
                let end = starts
                    .get(row + 1)
                    .map_or(column.data.len(), |end| *end as usize);
                (starts[*row] as usize, end)
            }
            None => (
                row * column.datatype.size(),
                (row + 1) * column.datatype.size(),
            ),
        };
        if let Some(starts) = &mut part.starts {
            starts.push(part.data.len() as u64);
        }
        part.data.extend_from_slice(&column.data[start..end]);
    }
    part
}

/// Returns the form of a recommended schema.
fn form_of(table: &Table, schema: &Schema) -> Form {
    let fields = table.columns.iter().map(|column| {
        let filters = schema.filters(column.name).map(|list| list.filters.clone());
        let attribute = schema.attribute(column.name);
        let is_label = attribute.is_some_and(|attribute| attribute.enumeration.is_some());
        (filters.unwrap_or_default(), is_label)
    });
    let extents = schema
        .dimensions()
        .iter()
        .map(|dimension| match dimension.tile_extent() {
            Some(tiledb_engine::Scalar::Integer(extent)) => extent as f64,
            Some(tiledb_engine::Scalar::Real(extent)) => extent,
            _ => 1.0,
        });
    Form {
        fields: fields.collect(),
        offsets: schema.offsets_filters().filters.clone(),
        extents: extents.collect(),
        capacity: schema.capacity(),
    }
}
