//! Writes of cells in every layout, deletes and changes of metadata.

use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::condition::Condition;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Datatype, Layout, QueryStatus, QueryType};

use super::axis::{Axis, AxisKind};
use super::model::{Cell, Delete};
use super::setup::TestArray;
use super::setup::column::{Column, write};
use super::shape::Shape;
use super::{Case, coordinates_of_box, setup};

/// Opens an array at a range of timestamps.
pub(crate) fn open(
    test_array: &TestArray,
    query_type: QueryType,
    from: u64,
    timestamp: u64,
) -> Result<Arc<Array>> {
    let array = Array::new(&test_array.vfs, test_array.uri.as_str())?;
    array.set_open_timestamp_start(from);
    array.set_open_timestamp_end(timestamp);
    array.open(query_type)?;
    Ok(Arc::new(array))
}

/// The cells of a write and how they are submitted.
struct Submits {
    timestamp: u64,
    layout: Layout,
    /// The box of a dense write.
    ranges: Vec<(i32, i32)>,
    parameters: Vec<(&'static str, &'static str)>,
    columns: Vec<Vec<Column>>,
}

impl Submits {
    fn run(&self, test_array: &TestArray, axes: &[Axis]) -> Result<()> {
        let array = open(test_array, QueryType::Write, 0, self.timestamp)?;
        let mut query = Query::new(&array, QueryType::Write)?;
        let mut config = query.request().config.clone();
        for (name, value) in &self.parameters {
            config.set(name, value)?;
        }
        query.set_config(&config)?;
        query.set_layout(self.layout)?;
        if !self.ranges.is_empty() {
            let mut subarray = Subarray::new(query.request().schema());
            for (dim, (axis, range)) in axes.iter().zip(&self.ranges).enumerate() {
                axis.add_range(&mut subarray, dim, *range);
            }
            query.set_subarray(&subarray)?;
        }
        for columns in &self.columns {
            write(&mut query, columns)?;
        }
        query.finalize()?;
        assert_eq!(query.status(), QueryStatus::Completed);
        Ok(())
    }
}

impl Case {
    /// Returns the timestamp of a write: often that of the previous change, the later of which
    /// counts, or one before it that no other change has.
    fn write_time(&mut self) -> u64 {
        if self.random.below(4) == 0 {
            let after = self.model.latest().timestamp.max(self.first_time);
            let after = if self.dense {
                after.max(self.consolidated_until)
            } else {
                after
            };
            if after < self.now {
                let time = after + 1 + self.random.below(self.now - after);
                if !(time - self.first_time).is_multiple_of(10) && self.late.insert(time) {
                    return time;
                }
            }
        }
        self.now += self.random.one_of(&[0, 10, 10, 10]);
        self.now
    }

    /// Writes some cells.
    pub(crate) fn write(&mut self) {
        let timestamp = self.write_time();
        let shapes: Vec<Shape> = self.model.latest().shapes().collect();
        let current = self.current();
        let mut layout = if self.dense {
            let layouts = [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder];
            self.random.one_of(&layouts)
        } else if self.cell_order == Layout::Hilbert {
            Layout::Unordered
        } else {
            self.random
                .one_of(&[Layout::Unordered, Layout::GlobalOrder])
        };
        let mut parameters = Vec::new();
        let (mut coordinates, mut ranges) = (Vec::new(), Vec::new());
        let dedups = !self.dense && !self.allows_dups && self.random.below(4) == 0;
        if self.dense {
            for (low, high) in &current {
                let (first, last) = self.random.range_below((high - low + 1) as u64);
                ranges.push((low + first as i32, low + last as i32));
            }
            if layout == Layout::GlobalOrder {
                let tiles = ranges.iter().zip(&self.axes).map(|((low, high), axis)| {
                    let extent = axis.extent;
                    (low / extent * extent, high / extent * extent + extent - 1)
                });
                let tiles: Vec<(i32, i32)> = tiles.collect();
                let mut ends = tiles.iter().zip(&current);
                // A tile that extends beyond the domain cannot be written completely.
                if ends.all(|((_, high), (_, last))| high <= last) {
                    ranges = tiles;
                } else {
                    layout = Layout::RowMajor;
                }
            }
            coordinates = coordinates_of_box(&ranges);
        } else {
            for _ in 0..1 + self.random.below(15) {
                let coordinate = current
                    .iter()
                    .map(|(low, high)| low + self.random.below((high - low + 1) as u64) as i32);
                let coordinate: Vec<i32> = coordinate.collect();
                if self.allows_dups || !coordinates.contains(&coordinate) {
                    coordinates.push(coordinate);
                }
            }
        }
        self.sort(&mut coordinates, layout);
        let cells: Vec<Cell> = coordinates
            .into_iter()
            .map(|coordinate| Cell {
                coordinate,
                timestamp,
                values: shapes
                    .iter()
                    .map(|shape| (*shape, shape.random_value(&mut self.random)))
                    .collect(),
            })
            .collect();
        let mut given = cells.clone();
        if dedups {
            parameters.push(("sm.dedup_coords", "true"));
            // Equal cells: any of them may be kept.
            let index = self.random.below(given.len() as u64) as usize;
            given.insert(index, given[index].clone());
        }
        let mut columns = Vec::new();
        let separate = layout == Layout::Unordered && self.random.below(4) == 0;
        if separate {
            parameters.push(("sm.allow_separate_attribute_writes", "true"));
            let fields = self.columns(&shapes, &given);
            let (dims, attributes) = fields.split_at(self.axes.len());
            let first = self.random.below(attributes.len() as u64) as usize;
            columns.push([dims, &attributes[..first]].concat());
            columns.push([dims, &attributes[first..]].concat());
        } else if layout == Layout::GlobalOrder {
            let mut ends = vec![0, given.len()];
            for _ in 0..self.random.below(3) {
                ends.push(self.random.below(given.len() as u64 + 1) as usize);
            }
            ends.sort_unstable();
            ends.dedup();
            for ends in ends.windows(2) {
                columns.push(self.columns(&shapes, &given[ends[0]..ends[1]]));
            }
        } else {
            columns.push(self.columns(&shapes, &given));
        }
        let submits = Submits {
            timestamp,
            layout,
            ranges,
            parameters,
            columns,
        };
        let axes = self.axes.clone();
        let description = format!(
            "write {} cells at {} in {layout:?}, {:?}",
            cells.len(),
            timestamp - self.first_time,
            submits.parameters
        );
        let written = self.perform(
            &description,
            |test_array| submits.run(test_array, &axes),
            |model| model.write(cells),
        );
        written.expect("write");
    }

    /// Sorts coordinates into the order of a write.
    fn sort(&self, coordinates: &mut [Vec<i32>], layout: Layout) {
        let ordered = |order: Layout, coordinate: Vec<i32>| -> Vec<i32> {
            match order {
                Layout::ColMajor => coordinate.into_iter().rev().collect(),
                _ => coordinate,
            }
        };
        match layout {
            Layout::Unordered => {}
            Layout::GlobalOrder => coordinates.sort_by_key(|coordinate| {
                let tiles = coordinate.iter().zip(&self.axes);
                let tile = tiles.map(|(index, axis)| index / axis.extent).collect();
                (
                    ordered(self.tile_order, tile),
                    ordered(self.cell_order, coordinate.clone()),
                )
            }),
            order => coordinates.sort_by_key(|coordinate| ordered(order, coordinate.clone())),
        }
    }

    /// Returns the columns of cells: coordinates if the array is sparse, then attributes.
    fn columns(&self, shapes: &[Shape], cells: &[Cell]) -> Vec<Column> {
        let mut columns = Vec::new();
        for (dim, axis) in self.axes.iter().enumerate().filter(|_| !self.dense) {
            let coordinates = cells
                .iter()
                .map(|cell| (axis.bytes(cell.coordinate[dim]), 1));
            columns.push(Column::of(axis.cell_type(&format!("d{dim}")), coordinates));
        }
        for shape in shapes {
            let values = cells.iter().map(|cell| &cell.values[shape]);
            columns.push(shape.column(values));
        }
        columns
    }

    /// Deletes by an attribute whose values no consolidation has discarded.
    pub(crate) fn delete(&mut self) {
        self.now += 10;
        let latest = self.model.latest();
        let known = latest
            .shapes()
            .filter(|shape| shape.is_number() && !self.model.lost.contains(shape));
        let known: Vec<Shape> = known.collect();
        if known.is_empty() {
            return;
        }
        let delete = Delete {
            timestamp: self.now,
            shape: self.random.one_of(&known),
            operator: self.random.one_of(&setup::COMPARISONS),
            bound: self.random.below(7) as i32,
        };
        let timestamp = self.now;
        let condition = Condition::compare(
            &delete.shape.name(),
            delete.operator,
            Some(&delete.bound.to_le_bytes()),
        );
        let condition = Arc::new(condition.expect("condition"));
        let description = format!(
            "delete {} {:?} {} at {}",
            delete.shape.name(),
            delete.operator,
            delete.bound,
            timestamp - self.first_time
        );
        let deleted = self.perform(
            &description,
            |test_array| {
                let array = open(test_array, QueryType::Delete, 0, timestamp)?;
                let mut query = Query::new(&array, QueryType::Delete)?;
                query.set_condition(&condition)?;
                query.delete()
            },
            |model| model.deletes.push(delete),
        );
        deleted.expect("delete");
    }

    pub(crate) fn put_metadata(&mut self) {
        self.now += self.random.one_of(&[0, 10, 10, 10]);
        let timestamp = self.now;
        let mut changes = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let key = format!("key {}", self.random.below(4));
            let value = (self.random.below(3) > 0).then(|| self.random.below(200) as u8);
            changes.push((timestamp, key, value));
        }
        let description = format!("metadata {changes:?} at {}", timestamp - self.first_time);
        let put = self.perform(
            &description,
            |test_array| {
                let array = open(test_array, QueryType::Write, 0, timestamp)?;
                for (_, key, value) in &changes {
                    match value {
                        Some(value) => array.put_metadata(Some(key), Datatype::Uint8, &[*value])?,
                        None => array.delete_metadata(Some(key))?,
                    }
                }
                array.close()
            },
            |model| model.metadata.extend(changes.iter().cloned()),
        );
        put.expect("metadata");
    }

    /// Returns the dimensions of a random case.
    pub(crate) fn random_axes(random: &mut super::Random, dense: bool) -> Vec<Axis> {
        let dims = 1 + random.below(2);
        let kinds = [
            AxisKind::Int,
            AxisKind::Short,
            AxisKind::Real,
            AxisKind::Text,
        ];
        let common = random.one_of(&kinds[..2]);
        (0..dims)
            .map(|_| {
                let kind = match random.below(2) {
                    0 if !dense => random.one_of(&kinds),
                    _ => common,
                };
                Axis::random(random, kind)
            })
            .collect()
    }
}
