//! The costs of filters, and the recommended schemas of tables and rasters compared with the best
//! ones that a search finds.
//!
//! `cargo bench -p tiledb-engine --bench recommend -- costs` fits the constants of
//! `src/recommend/costs.rs`; `-- tables [NAME]...` compares schemas. All run with one thread; times
//! are those of the processor.

use std::sync::Arc;
use std::time::Instant;

use tiledb_engine::filter::{FilterType, Pipeline, Texts, TextsMut, chunk_starts, var_chunk_starts};
use tiledb_engine::recommend::{FieldPart, candidates};
use tiledb_engine::types::VAR_NUM;
use tiledb_engine::{
    Array, ArrayType, Attribute, CellBytes, Config, Context, Datatype, Enumeration, Filter,
    FilterList, Goal, Layout, Result, Sample, SampleColumn, Schema, Subarray,
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
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|text| text.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) * 1e-9
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
        longs("skewed", &mut |_, random| 1 << random.below(20) & random.next()),
        longs("runs", &mut |row, _| row / 100 * 7919 % 1000),
    ];
    let ints = |make: &mut dyn FnMut(u64) -> u32| {
        (0..cells as u64).map(|row| make(row).to_le_bytes()).collect::<Vec<_>>()
    };
    columns.push(Column::numbers("small 32", Datatype::Int32, ints(&mut |_| random.below(1000) as u32)));
    columns.push(Column::numbers("dates 32", Datatype::Int32, ints(&mut |row| 8000 + row as u32 / 500 + random.below(120) as u32)));
    columns.push(Column::numbers("random 32", Datatype::Int32, ints(&mut |_| random.next() as u32)));
    let shorts: Vec<[u8; 2]> = (0..cells).map(|_| (random.below(500) as u16).to_le_bytes()).collect();
    columns.push(Column::numbers("labels", Datatype::Uint16, shorts));
    let bytes: Vec<[u8; 1]> = walked.iter().map(|walk| [(*walk * 0.7) as i64 as u8]).collect();
    columns.push(Column::numbers("pixels", Datatype::Uint8, bytes));
    let reals = |make: &dyn Fn(f64) -> f64| -> Vec<[u8; 8]> { walked.iter().map(|walk| make(*walk).to_le_bytes()).collect() };
    columns.push(Column::numbers("walk", Datatype::Float64, reals(&|walk| walk)));
    columns.push(Column::numbers("rounded", Datatype::Float64, reals(&|walk| (walk * 100.0).round() / 100.0)));
    let floats: Vec<[u8; 4]> = walked.iter().map(|walk| ((*walk / 16.0) as f32).to_le_bytes()).collect();
    columns.push(Column::numbers("floats", Datatype::Float32, floats));
    let prices: Vec<[u8; 8]> = (0..cells).map(|_| (random.below(10_000) as f64 / 100.0).to_le_bytes()).collect();
    columns.push(Column::numbers("prices", Datatype::Float64, prices));
    columns.push(Column::texts("words", (0..cells).map(|_| words(&mut random, 1))));
    columns.push(Column::texts("comments", (0..cells / 4).map(|_| words(&mut random, 5))));
    columns.push(Column::texts("hex", (0..cells / 4).map(|_| format!("{:032x}", u128::from(random.next()) << 64 | u128::from(random.next())))));
    columns.push(Column::texts("modes", (0..cells).map(|_| ["AIR", "TRUCK", "RAIL", "SHIP", "REG AIR"][random.below(5) as usize].to_owned())));
    columns.push(Column::texts("runs of words", (0..cells).map(|row| format!("station {}", row / 50))));
    columns
}

const WORDS: [&str; 24] = [
    "quick", "deposits", "furiously", "regular", "ironic", "packages", "sleep", "above", "the",
    "final", "accounts", "carefully", "express", "pending", "requests", "blithely", "foxes", "even",
    "slyly", "bold", "theodolites", "haggle", "among", "instructions",
];

fn words(random: &mut Random, number: u64) -> String {
    let words = (0..number).map(|_| WORDS[random.below(24) as usize]);
    words.collect::<Vec<_>>().join(" ")
}

/// A measured list of filters: for each stage its name, and the bytes on both sides.
struct Measured {
    stages: Vec<(String, f64, f64)>,
    encode: f64,
    decode: f64,
}

fn stage_name(filter: &Filter, is_text: bool) -> String {
    let name = filter.kind().name();
    match filter {
        Filter::Compression(options) if filter.kind() == FilterType::Zstd => format!("{name} {}", options.level),
        _ if is_text && matches!(filter.kind(), FilterType::Rle | FilterType::Dictionary) => format!("{name} of texts"),
        _ => name.to_owned(),
    }
}

fn encoded(column: &Column, filters: &[Filter]) -> Option<(f64, f64, usize)> {
    let list = Arc::new(FilterList { filters: filters.to_vec(), ..FilterList::default() });
    let size = column.datatype.size();
    let is_text_encoding = matches!(filters.first().map(Filter::kind), Some(FilterType::Rle | FilterType::Dictionary));
    if let Some(starts) = column.starts.as_ref().filter(|_| is_text_encoding) {
        let mut ends = starts.clone();
        ends.push(column.data.len() as u64);
        let pipeline = Pipeline::for_texts(list, column.datatype, None).ok()?;
        let texts = Texts { values: &column.data, starts: &ends };
        let stored = pipeline.encode_texts(texts).ok()?;
        let encode = shortest(3, || drop(pipeline.encode_texts(texts)));
        let (mut values, mut decoded) = (vec![0; column.data.len()], Vec::new());
        let decode = shortest(5, || {
            let texts = TextsMut { values: &mut values, number: starts.len(), starts: &mut decoded };
            pipeline.decode_texts(&stored, texts).expect("decoded");
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
    let decode = shortest(5, || pipeline.decode_tile(&stored, &mut to).expect("decoded"));
    Some((encode, decode, stored.len()))
}

fn costs() {
    let mut all: Vec<Measured> = Vec::new();
    for column in kinds() {
        let mut lists = candidates(FieldPart::Values, column.datatype, column.cell_val_num(), Goal::Balanced.weights());
        for level in [9] {
            lists.push(vec![Filter::compression_at(tiledb_engine::Compressor::Zstd, level)]);
        }
        lists.push(vec![Filter::Byteshuffle]);
        lists.push(vec![Filter::Bitshuffle]);
        lists.push(vec![Filter::compression(tiledb_engine::Compressor::Delta)]);
        for list in lists.iter().filter(|list| !list.is_empty()) {
            let mut sizes = vec![column.data.len() as f64];
            let mut times = None;
            for len in 1..=list.len() {
                times = encoded(&column, &list[..len]);
                let Some((_, _, size)) = times else { break };
                sizes.push(size as f64);
            }
            let Some((encode, decode, _)) = times else { continue };
            let is_text = column.starts.is_some();
            let stages = list.iter().enumerate().map(|(index, filter)| (stage_name(filter, is_text), sizes[index], sizes[index + 1]));
            let measured = Measured { stages: stages.collect(), encode: encode * 1e9, decode: decode * 1e9 };
            println!(
                "{:14} {:40} {:8.3} ratio {:7.3} ns/B encode {:7.3} ns/B decode",
                column.name,
                measured.stages.iter().map(|stage| stage.0.clone()).collect::<Vec<_>>().join(", "),
                sizes[list.len()] / sizes[0],
                measured.encode / sizes[0],
                measured.decode / sizes[0],
            );
            all.push(measured);
        }
    }
    for (direction, time) in [("encode", (|m: &Measured| m.encode) as fn(&Measured) -> f64), ("decode", |m| m.decode)] {
        fit(direction, &all, time);
    }
}

/// Prints the times per unfiltered and filtered byte of each stage with the least relative errors,
/// none of which is negative.
fn fit(direction: &str, all: &[Measured], time: fn(&Measured) -> f64) {
    let mut names: Vec<&str> = all.iter().flat_map(|m| m.stages.iter().map(|s| &s.0[..])).collect();
    names.sort_unstable();
    names.dedup();
    let rows: Vec<Vec<f64>> = all.iter().map(|measured| {
        let mut row = vec![0.0; 2 * names.len()];
        for (name, from, to) in &measured.stages {
            let at = names.iter().position(|other| other == name).unwrap_or(0);
            row[2 * at] += from / time(measured);
            row[2 * at + 1] += to / time(measured);
        }
        row
    }).collect();
    let mut x = vec![0.0f64; 2 * names.len()];
    let mut rest = vec![1.0f64; rows.len()];
    for _ in 0..20_000 {
        for at in 0..x.len() {
            let norm: f64 = rows.iter().map(|row| row[at] * row[at]).sum();
            if norm == 0.0 { continue }
            let gain: f64 = rows.iter().zip(&rest).map(|(row, rest)| row[at] * rest).sum();
            let next = (x[at] + gain / norm).max(0.0);
            for (row, rest) in rows.iter().zip(&mut rest) { *rest -= row[at] * (next - x[at]); }
            x[at] = next;
        }
    }
    let mean = rest.iter().map(|rest| rest.abs()).sum::<f64>() / rest.len() as f64;
    println!("\n{direction}: mean error {:.0} %", mean * 100.0);
    for (index, name) in names.iter().enumerate() {
        println!("  {name:24} ({:.2}, {:.2})", x[2 * index], x[2 * index + 1]);
    }
}

// Recommended schemas.

/// A table or a raster.
struct Table {
    name: &'static str,
    kind: ArrayType,
    /// The columns of the dimensions, then those of the attributes. Of dense arrays, attributes.
    columns: Vec<Column>,
    dimensions: usize,
}

fn tables(names: &[&str]) {
    let _ = names;
}
