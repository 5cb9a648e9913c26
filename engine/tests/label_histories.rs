//! Random histories of arrays with dimension labels compared with a naive model: writes of cells
//! and labels at current and earlier timestamps, schema evolution, consolidation and vacuum of the
//! array and of the arrays of its labels, and reads by label ranges at any timestamp. A failure
//! prints its seed and its steps.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_CASES` | the number of cases; default 150 |
//! | `TILEDB_RS_SEED` | the only seed |

mod random;
mod setup;

use std::collections::BTreeMap;
use std::sync::Arc;

use random::Random;
use setup::column::{CellType, Column, read, write};
use setup::{TestArray, attribute, config, dimension, numbers};
use tiledb_engine::internal::array;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::SchemaEvolution;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, DataOrder, Datatype, Layout, QueryStatus, QueryType,
};

/// The number of indexes of the dimension with labels.
const LENGTH: i32 = 12;
/// The number of coordinates of the other dimension.
const WIDTH: i32 = 3;
/// The distance between the least values of the labels of two indexes, in any version of them.
const DISTANCE: i64 = 10;

/// A label of the first dimension.
#[derive(Clone, Debug)]
struct Label {
    name: String,
    decreasing: bool,
    is_text: bool,
}

impl Label {
    fn random(random: &mut Random, position: u64) -> Self {
        Self {
            name: format!("l{position}"),
            decreasing: random.below(3) == 0,
            is_text: random.below(3) == 0,
        }
    }

    /// Returns a random value of an index. Those of any two indexes are in the order of the label.
    fn random_value(&self, random: &mut Random, index: i32) -> i64 {
        let rank = if self.decreasing {
            LENGTH - 1 - index
        } else {
            index
        };
        i64::from(rank) * DISTANCE + random.below(DISTANCE as u64) as i64
    }

    fn bytes(&self, value: i64) -> Vec<u8> {
        if self.is_text {
            format!("{value:04}").into_bytes()
        } else {
            value.to_le_bytes().to_vec()
        }
    }

    fn value(&self, bytes: &[u8]) -> i64 {
        if self.is_text {
            std::str::from_utf8(bytes)
                .expect("text")
                .parse()
                .expect("a number")
        } else {
            numbers(bytes)[0]
        }
    }

    fn cell_type(&self) -> CellType {
        if self.is_text {
            CellType::var(&self.name)
        } else {
            CellType::fixed(&self.name, 8)
        }
    }

    fn add_range(&self, subarray: &mut Subarray, (low, high): (i64, i64)) {
        let (low, high) = (self.bytes(low), self.bytes(high));
        let added = if self.is_text {
            subarray.add_label_range_var(&self.name, &low, &high)
        } else {
            subarray.add_label_range(&self.name, &low, &high)
        };
        added.expect("label range");
    }
}

/// The values of an attribute by coordinates.
type Cells = BTreeMap<Vec<i32>, i64>;

struct Case {
    random: Random,
    test_array: TestArray,
    dense: bool,
    labels: Vec<Label>,
    /// The number of dimensions.
    dims: usize,
    first_time: u64,
    now: u64,
    /// The time until which the array, and each label, may have been consolidated.
    consolidated: Vec<u64>,
    /// The time from which on the array, and each label, is as it was at any time.
    sure_from: Vec<u64>,
    /// Cells by the time of their write.
    writes: BTreeMap<u64, Cells>,
    /// Values of labels by index, for each label and time.
    label_writes: Vec<BTreeMap<u64, BTreeMap<i32, i64>>>,
    /// The attributes that were added, with the time.
    added: Vec<(u64, String)>,
    steps: Vec<String>,
}

impl Drop for Case {
    #[expect(clippy::print_stdout, reason = "what was done before a failure")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!(
                "dense: {}, dimensions: {}, {:?}\n{}",
                self.dense,
                self.dims,
                self.labels,
                self.steps.join("\n")
            );
        }
    }
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed ^ 0x1abe1);
        let dense = random.below(3) > 0;
        // Label values of sparse cells are read with one dimension only.
        let dims = 1 + if dense { random.below(2) as usize } else { 0 };
        let extent = random.one_of(&[1, 3, 5, LENGTH]);
        let mut dimensions = vec![dimension("x", Datatype::Int32, [0, LENGTH - 1], extent)];
        if dims == 2 {
            dimensions.push(dimension("y", Datatype::Int32, [0, WIDTH - 1], 2));
        }
        let kind = if dense {
            ArrayType::Dense
        } else {
            ArrayType::Sparse
        };
        let number = attribute("a", Datatype::Int64, &[]);
        let mut draft = setup::schema(kind, dimensions, [number]);
        let labels: Vec<Label> = (0..1 + random.below(2))
            .map(|position| Label::random(&mut random, position))
            .collect();
        for label in &labels {
            let order = if label.decreasing {
                DataOrder::Decreasing
            } else {
                DataOrder::Increasing
            };
            let datatype = if label.is_text {
                Datatype::StringAscii
            } else {
                Datatype::Int64
            };
            draft
                .add_label(0, &label.name, order, datatype)
                .expect("label");
        }
        let test_array = TestArray::in_memory();
        test_array.create(&draft);
        // Later than the schema, with as many digits.
        let now = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64 + 1000;
        Self {
            random,
            test_array,
            dense,
            dims,
            first_time: now,
            now,
            consolidated: vec![0; labels.len() + 1],
            sure_from: vec![0; labels.len() + 1],
            writes: BTreeMap::new(),
            label_writes: vec![BTreeMap::new(); labels.len()],
            labels,
            added: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Returns the time of a write: later than all others, or between earlier ones.
    fn write_time(&mut self) -> u64 {
        let earliest = self.consolidated.iter().max().expect("the array");
        let whole = self.writes.keys().next().copied();
        let last_change = self.added.last().map(|(time, _)| *time);
        let last_change = last_change.or(whole).unwrap_or(self.first_time);
        let after = (*earliest).max(last_change);
        if self.random.below(4) == 0 && after < self.now {
            let time = after + 1 + self.random.below(self.now - after);
            let is_free = |writes: &BTreeMap<u64, BTreeMap<i32, i64>>| !writes.contains_key(&time);
            if !self.writes.contains_key(&time) && self.label_writes.iter().all(is_free) {
                return time;
            }
        }
        self.now += 10;
        self.now
    }

    /// Writes cells, the values of labels, or both. Without a range all indexes are written.
    fn write(&mut self, is_whole: bool) {
        let time = if is_whole {
            self.now += 10;
            self.now
        } else {
            self.write_time()
        };
        let (low, high) = if is_whole {
            (0, LENGTH - 1)
        } else {
            {
                let (low, high) = self.random.range_below(LENGTH as u64);
                (low as i32, high as i32)
            }
        };
        let with_cells = is_whole || self.random.below(4) > 0;
        let mut with_labels: Vec<bool> = self
            .labels
            .iter()
            .map(|_| is_whole || self.random.below(2) == 0)
            .collect();
        if !with_cells && !with_labels.contains(&true) {
            with_labels[0] = true;
        }
        let mut columns = Vec::new();
        let mut cells = Cells::new();
        // The coordinates of a sparse write with labels are consecutive indexes, each once.
        let ends = if self.dims == 2 && (self.dense || self.random.below(2) == 0) {
            self.random.range_below(WIDTH as u64)
        } else {
            (0, 0)
        };
        let ends = if !self.dense && with_labels.contains(&true) {
            (ends.0, ends.0)
        } else {
            ends
        };
        let has_coordinates = !self.dense;
        for x in low..=high {
            for y in ends.0..=ends.1 {
                let coordinate = [x, y as i32][..self.dims].to_vec();
                cells.insert(coordinate, self.random.below(1000) as i64);
            }
        }
        if has_coordinates {
            for (dim, name) in ["x", "y"].into_iter().enumerate().take(self.dims) {
                let coordinates = cells.keys().map(|coordinate| coordinate[dim]);
                columns.push(Column::numbers(name, coordinates));
            }
        }
        if with_cells {
            columns.push(Column::numbers("a", cells.values().copied()));
            for (_, name) in &self.added {
                columns.push(Column::numbers(name, cells.values().map(|value| value + 1)));
            }
        }
        let mut values = Vec::new();
        for (label, _) in self
            .labels
            .iter()
            .zip(&with_labels)
            .filter(|(_, with)| **with)
        {
            let random = &mut self.random;
            let of_indexes: BTreeMap<i32, i64> = (low..=high)
                .map(|index| (index, label.random_value(random, index)))
                .collect();
            let bytes = of_indexes.values().map(|value| (label.bytes(*value), 1));
            columns.push(Column::of(label.cell_type(), bytes));
            values.push(of_indexes);
        }
        self.steps.push(format!(
            "write {low} to {high}, {ends:?} at {}: cells: {with_cells}, labels: {with_labels:?}",
            time - self.first_time
        ));
        let array = self.test_array.open_within(QueryType::Write, 0, time);
        let mut query = Query::new(&array, QueryType::Write).expect("query");
        if self.dense {
            let mut subarray = Subarray::new(query.request().schema());
            let ranges = [(low, high), (ends.0 as i32, ends.1 as i32)];
            for (dim, (low, high)) in ranges.into_iter().enumerate().take(self.dims) {
                let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
                subarray.add_range(dim as u32, &low, &high).expect("range");
            }
            query.set_subarray(&subarray).expect("subarray");
            query.set_layout(Layout::RowMajor).expect("layout");
        } else {
            query.set_layout(Layout::Unordered).expect("layout");
        }
        write(&mut query, &columns).expect("write");
        query.finalize().expect("finalize");
        array.close().expect("close");
        if with_cells {
            self.writes.insert(time, cells);
        }
        let mut values = values.into_iter();
        for (writes, with) in self.label_writes.iter_mut().zip(with_labels) {
            if with {
                writes.insert(time, values.next().expect("values"));
            }
        }
    }

    /// Adds an attribute, or drops the last one that was added.
    fn evolve(&mut self) {
        self.now += 10;
        let mut evolution = SchemaEvolution::default();
        evolution
            .set_timestamp_range(self.now, self.now)
            .expect("time");
        let name = format!("b{}", self.now - self.first_time);
        evolution
            .add_attribute(attribute(&name, Datatype::Int64, &[]))
            .expect("attribute");
        self.steps
            .push(format!("add {name} at {}", self.now - self.first_time));
        let (vfs, uri) = (&self.test_array.vfs, &self.test_array.uri);
        array::evolve(vfs, uri, &evolution).expect("evolve");
        self.added.push((self.now, name));
    }

    /// Consolidates or vacuums the array or the array of a label.
    fn maintain(&mut self) {
        let subject = self.random.below(self.labels.len() as u64 + 1) as usize;
        let mode = self
            .random
            .one_of(&["fragments", "fragments", "fragment_meta", "commits"]);
        let is_vacuum = self.random.below(3) == 0;
        let uri = match subject {
            0 => self.test_array.uri.as_str().to_owned(),
            label => format!("{}/__labels/l{}", self.test_array.uri.as_str(), label - 1),
        };
        self.steps
            .push(format!("{mode} of {uri}, vacuum: {is_vacuum}"));
        let config = config(&[("sm.consolidation.mode", mode), ("sm.vacuum.mode", mode)]);
        let vfs = &self.test_array.vfs;
        let done = if is_vacuum {
            maintenance::vacuum(vfs, &uri, &config)
        } else {
            maintenance::consolidate(vfs, &uri, &config)
        };
        if let Err(error) = done {
            // Ordered attributes are not written in global order.
            let is_refused = subject > 0 && error.to_string().contains("Ordered attributes");
            assert!(is_refused, "{error}");
            return;
        }
        if mode == "fragments" {
            let times = if is_vacuum {
                &mut self.sure_from
            } else {
                &mut self.consolidated
            };
            times[subject] = self.now;
        }
    }

    /// Returns the values of a label at a time, by index.
    fn label_at(&self, label: usize, time: u64) -> BTreeMap<i32, i64> {
        let writes = self.label_writes[label].range(..=time);
        writes.flat_map(|(_, values)| values.clone()).collect()
    }

    /// Reads by ranges of a label at a time and compares the cells and the values of all labels.
    fn read(&mut self, time: u64) {
        let label = self.random.below(self.labels.len() as u64) as usize;
        if time < *self.sure_from.iter().max().expect("the array") {
            return;
        }
        let values = self.label_at(label, time);
        if values.is_empty() {
            return;
        }
        let most = i64::from(LENGTH) * DISTANCE;
        let (low, high) = self.random.range_below(most as u64);
        let mut ranges = vec![(low as i64, high as i64)];
        if self.random.below(3) == 0 {
            let (low, high) = self.random.range_below(most as u64);
            let next = (low as i64, high as i64);
            let is_apart = next.0 > ranges[0].1;
            if is_apart && !self.labels[label].decreasing {
                ranges.push(next);
            }
        }
        let selected = |range: &(i64, i64)| -> Vec<i32> {
            let pairs = values.iter();
            pairs
                .filter(|(_, value)| range.0 <= **value && **value <= range.1)
                .map(|(index, _)| *index)
                .collect()
        };
        let indexes: Vec<Vec<i32>> = ranges.iter().map(selected).collect();
        if indexes.iter().any(Vec::is_empty) {
            return;
        }
        let indexes = indexes.concat();
        let with_cells = self.random.below(4) > 0;
        let layout = self.random.one_of(&[Layout::RowMajor, Layout::ColMajor]);
        let step = format!(
            "read {ranges:?} of {:?} at {}, cells: {with_cells}, {layout:?}",
            self.labels[label].name,
            time - self.first_time
        );
        self.steps.push(step);
        let array = self.test_array.open_within(QueryType::Read, 0, time);
        let found = self.rows(&array, label, &ranges, with_cells.then_some(layout));
        let of_labels: Vec<Vec<i64>> = (0..self.labels.len())
            .map(|other| {
                let values = self.label_at(other, time);
                indexes.iter().map(|index| values[index]).collect()
            })
            .collect();
        assert_eq!(found.labels, of_labels, "values of labels");
        if with_cells {
            let added = self.added.iter().rfind(|(added, _)| *added <= time);
            let rows = self.expected(&indexes, time, added.map(|(time, _)| *time));
            let key = |coordinate: &[i32]| match layout {
                Layout::ColMajor => coordinate.iter().rev().copied().collect(),
                _ => coordinate.to_vec(),
            };
            let mut rows = rows;
            rows.sort_by_key(|(coordinate, ..)| key(coordinate));
            assert_eq!(found.rows, rows, "cells");
        }
        self.steps.pop();
    }

    /// Returns the cells of indexes at a time: the coordinates, the value of the first attribute,
    /// and that of the last one that was added.
    fn expected(&self, indexes: &[i32], time: u64, added: Option<u64>) -> Vec<Row> {
        let mut newest: BTreeMap<Vec<i32>, (i64, u64)> = BTreeMap::new();
        for (written, cells) in self.writes.range(..=time) {
            let cells = cells.iter();
            newest
                .extend(cells.map(|(coordinate, value)| (coordinate.clone(), (*value, *written))));
        }
        let fill = i64::MIN;
        let mut rows = Vec::new();
        for index in indexes {
            let ys = if self.dims == 2 { WIDTH } else { 1 };
            for y in 0..ys {
                let coordinate = [*index, y][..self.dims].to_vec();
                let cell = newest.get(&coordinate);
                if cell.is_none() && !self.dense {
                    continue;
                }
                let value = cell.map_or(fill, |(value, _)| *value);
                let of_added = added.map(|added| match cell {
                    Some((value, written)) if *written > added => value + 1,
                    _ => fill,
                });
                rows.push((coordinate, value, of_added));
            }
        }
        rows
    }

    fn rows(
        &self,
        array: &Arc<tiledb_engine::internal::array::Array>,
        label: usize,
        ranges: &[(i64, i64)],
        layout: Option<Layout>,
    ) -> Found {
        let mut query = Query::new(array, QueryType::Read).expect("query");
        query
            .set_layout(layout.unwrap_or(Layout::RowMajor))
            .expect("layout");
        let schema = query.request().schema().clone();
        let mut subarray = Subarray::new(&schema);
        for range in ranges {
            self.labels[label].add_range(&mut subarray, *range);
        }
        query.set_subarray(&subarray).expect("subarray");
        let mut columns: Vec<Column> = self
            .labels
            .iter()
            .map(|label| Column::with_capacity(label.cell_type(), 500, 4000))
            .collect();
        let last = schema.attributes.last().map(|last| last.name.clone());
        let last = last.filter(|name| name != "a");
        if layout.is_some() {
            for name in &["x", "y"][..self.dims] {
                columns.push(Column::with_capacity(CellType::fixed(name, 4), 500, 0));
            }
            for name in ["a"].into_iter().chain(last.as_deref()) {
                columns.push(Column::with_capacity(CellType::fixed(name, 8), 500, 0));
            }
        }
        let cells = read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let (labels, fields) = cells.split_at(self.labels.len());
        let labels = self.labels.iter().zip(labels).map(|(label, cells)| {
            let values = cells.iter().map(|(bytes, _)| label.value(bytes));
            values.collect()
        });
        let number = fields.first().map_or(0, Vec::len);
        let value = |field: usize, cell: usize| numbers::<i64>(&fields[field][cell].0)[0];
        let rows = (0..number).map(|cell| {
            let coordinate = fields[..self.dims].iter();
            let coordinate = coordinate.map(|field| numbers::<i32>(&field[cell].0)[0]);
            let added = last.is_some().then(|| value(self.dims + 1, cell));
            (coordinate.collect(), value(self.dims, cell), added)
        });
        Found {
            labels: labels.collect(),
            rows: rows.collect(),
        }
    }
}

/// The coordinates of a cell and its values.
type Row = (Vec<i32>, i64, Option<i64>);

/// The result of a read.
struct Found {
    labels: Vec<Vec<i64>>,
    rows: Vec<Row>,
}

#[test]
fn arrays_with_labels_equal_the_model_at_any_timestamp() {
    let seeds = random::for_each_seed(150, |seed| {
        let mut case = Case::new(seed);
        case.write(true);
        for _ in 0..4 + case.random.below(12) {
            match case.random.below(8) {
                0..=3 => case.write(false),
                4 => case.evolve(),
                _ => case.maintain(),
            }
            case.read(case.now + 5);
            let past = case.random.below(case.now + 5 - case.first_time);
            case.read(case.first_time + past);
        }
    });
    println!("seeds {seeds:?}");
}
