//! Reads cells, aggregates, enumerations, metadata and the current domain at a timestamp.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use tiledb_engine::internal::aggregate::{Aggregate, AggregateOperator};
use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Layout, QueryStatus, QueryType};

use super::model::{Model, SchemaVersion, satisfies};
use super::setup::column::{self, CellType, Column};
use super::setup::{COMPARISONS, config};
use super::shape::{Shape, Value};
use super::writing::open;
use super::{Case, Random, SIDE, coordinates_of_box};

/// More cells than any array of this test has.
const CAPACITY: usize = 2048;

/// A cell of a result.
type Row = (Vec<i32>, Vec<Value>);

/// What differs from the model.
type Compared = Result<(), String>;

/// Compares what was read with the model.
fn compare<T: PartialEq + Debug>(subject: &str, found: &T, expected: &T) -> Compared {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{subject}: {found:?}, not {expected:?}"))
    }
}

/// The parameters of a read.
#[derive(Clone, Debug)]
pub(crate) struct ReadPlan {
    from: u64,
    timestamp: u64,
    layout: Layout,
    /// The number of cells of the buffers.
    capacity: usize,
    /// The range of coordinates of each dimension.
    ranges: Option<Vec<(i32, i32)>>,
    condition: Option<(u64, Operator, i32)>,
    budget: Option<&'static str>,
}

impl ReadPlan {
    /// Returns a read of everything in one submit.
    fn whole(from: u64, timestamp: u64, dense: bool) -> Self {
        Self {
            from,
            timestamp,
            layout: if dense {
                Layout::RowMajor
            } else {
                Layout::Unordered
            },
            capacity: CAPACITY,
            ranges: None,
            condition: None,
            budget: None,
        }
    }

    fn random(random: &mut Random, from: u64, timestamp: u64, dense: bool, dims: usize) -> Self {
        let mut plan = Self::whole(from, timestamp, dense);
        let layouts = [
            Layout::RowMajor,
            Layout::ColMajor,
            Layout::Unordered,
            Layout::GlobalOrder,
        ];
        plan.layout = random.one_of(&layouts[..if dense { 2 } else { 4 }]);
        if random.below(3) == 0 {
            plan.capacity = 1 + random.below(9) as usize;
        }
        if random.below(3) == 0 {
            let ranges = (0..dims).map(|_| random.range_below(SIDE as u64));
            let ranges = ranges.map(|(low, high)| (low as i32, high as i32));
            plan.ranges = Some(ranges.collect());
        }
        if random.below(3) == 0 {
            let bound = random.below(7) as i32;
            plan.condition = Some((random.next(), random.one_of(&COMPARISONS), bound));
        }
        if random.below(4) == 0 {
            plan.budget = Some(random.one_of(&["100000", "1000000"]));
        }
        plan
    }
}

impl Case {
    pub(crate) fn read_latest(&mut self) {
        self.read(0, self.now + 5);
    }

    /// Reads at a random timestamp; sparse cells also with a random start timestamp.
    pub(crate) fn read_past(&mut self) {
        let first = self.first_time;
        let position = first + self.random.below(self.now + 5 - first);
        let from = match self.random.below(3) {
            0 if !self.dense => first + self.random.below(position + 1 - first),
            _ => 0,
        };
        self.read(from, position);
    }

    fn read(&mut self, from: u64, timestamp: u64) {
        let (dense, dims) = (self.dense, self.axes.len());
        let plan = ReadPlan::random(&mut self.random, from, timestamp, dense, dims);
        if let Err(difference) = self.compare(&self.model, &plan) {
            let from = from.saturating_sub(self.first_time);
            let timestamp = timestamp - self.first_time;
            panic!("from {from} to {timestamp}: {plan:?}: {difference}");
        }
    }

    /// Returns whether the array has the latest content of a model; otherwise what differs.
    pub(crate) fn shows(&self, model: &Model) -> Compared {
        self.compare(model, &ReadPlan::whole(0, self.now + 5, self.dense))
    }

    fn compare(&self, model: &Model, plan: &ReadPlan) -> Compared {
        let (from, timestamp) = (plan.from, plan.timestamp);
        let array = open(&self.array, QueryType::Read, from, timestamp);
        let array = array.map_err(|error| format!("open: {error}"))?;
        let version = model.schema_at(timestamp).clone();
        self.compare_schema(&array, &version)?;
        if from == 0 && timestamp >= model.metadata_from {
            compare_metadata(&array, model, timestamp)?;
        }
        let shapes: Vec<Shape> = version.shapes().collect();
        let known = |shape: &&Shape| shape.is_number() && !model.lost.contains(shape);
        let numbers: Vec<Shape> = shapes.iter().filter(known).copied().collect();
        let condition = plan.condition.filter(|_| !numbers.is_empty());
        let condition = condition.map(|(index, operator, bound)| {
            let shape = numbers[index as usize % numbers.len()];
            (shape, operator, bound)
        });
        let ranges = self.ranges(&version, plan);
        let Some(ranges) = ranges else {
            return Ok(());
        };
        let read = self.rows(&array, &shapes, plan, &ranges, condition);
        let rows = read.map_err(|error| format!("read: {error}"))?;
        if timestamp < model.cells_from {
            return Ok(());
        }
        let inside = |coordinate: &[i32]| {
            let mut pairs = coordinate.iter().zip(&ranges);
            pairs.all(|(index, (low, high))| low <= index && index <= high)
        };
        let seen = model.seen(from, timestamp).into_iter();
        let seen = seen.filter(|cell| inside(&cell.coordinate));
        let row = |cell: &super::Cell| -> Row {
            let values = shapes.iter().map(|shape| cell.value(*shape));
            (cell.coordinate.clone(), values.collect())
        };
        let all: Vec<Row> = if !self.dense {
            seen.map(row).collect()
        } else {
            let known: BTreeMap<_, _> = seen.map(|cell| (&cell.coordinate, cell)).collect();
            let fill: Vec<Value> = shapes.iter().map(|shape| shape.fill()).collect();
            let all = coordinates_of_box(&ranges).into_iter();
            all.map(|coordinate| match known.get(&coordinate) {
                Some(cell) => row(cell),
                None => (coordinate, fill.clone()),
            })
            .collect()
        };
        let selected = |(_, values): &Row| {
            condition.is_none_or(|(shape, operator, bound)| {
                let index = shapes.iter().position(|other| *other == shape);
                satisfies(&values[index.expect("a shape")], operator, bound)
            })
        };
        let expected: Vec<Row> = if self.dense {
            let fill: Vec<Value> = shapes.iter().map(|shape| shape.filtered()).collect();
            let rows = all.iter().map(|row| {
                if selected(row) {
                    row.clone()
                } else {
                    (row.0.clone(), fill.clone())
                }
            });
            rows.collect()
        } else {
            all.iter().filter(|row| selected(row)).cloned().collect()
        };
        // Values that consolidation may have discarded are read but not compared.
        let sure: Vec<usize> = (0..shapes.len())
            .filter(|index| !model.lost.contains(&shapes[*index]))
            .collect();
        let sorted = |rows: &[Row]| -> Vec<Row> {
            let sure_values = |values: &[Value]| -> Vec<Value> {
                sure.iter().map(|index| values[*index].clone()).collect()
            };
            let sure = rows.iter().map(|row| (row.0.clone(), sure_values(&row.1)));
            let mut sure: Vec<Row> = sure.collect();
            sure.sort();
            sure
        };
        compare("cells", &sorted(&rows), &sorted(&expected))?;
        self.check_order(plan, &rows)?;
        // Dense aggregates leave out cells that no fragment has.
        if !self.dense && condition.is_none() && plan.capacity == CAPACITY {
            for shape in numbers {
                let index = shapes.iter().position(|other| *other == shape);
                let index = index.expect("a shape");
                let values = expected.iter().map(|(_, values)| values[index].clone());
                self.compare_aggregates(&array, plan, &ranges, shape, values.collect())?;
            }
        }
        Ok(())
    }

    /// Checks the order of rows in row- and column-major layout.
    fn check_order(&self, plan: &ReadPlan, rows: &[Row]) -> Compared {
        let key = |row: &Row| -> Vec<i32> {
            let mut key = row.0.clone();
            if plan.layout == Layout::ColMajor {
                key.reverse();
            }
            key
        };
        let is_ordered = match plan.layout {
            Layout::RowMajor | Layout::ColMajor => rows.iter().map(key).is_sorted(),
            _ => true,
        };
        compare("order", &is_ordered, &true)
    }

    fn compare_schema(&self, array: &Array, version: &SchemaVersion) -> Compared {
        let snapshot = array.snapshot().map_err(|error| error.to_string())?;
        let names: Vec<String> = version.shapes().map(Shape::name).collect();
        let attributes = snapshot.schema.attributes.iter();
        let found: Vec<String> = attributes.map(|known| known.name.clone()).collect();
        compare("attributes", &found, &names)?;
        for index in 0..4 {
            let name = format!("e{index}");
            let found = array.enumeration(&name).ok().map(|known| {
                let value = |index| known.get(index).expect("value").to_vec();
                (0..known.len() as u64).map(value).collect::<Vec<_>>()
            });
            let expected = version.enumerations.get(&name).map(|texts| {
                let bytes = texts.iter().map(|text| text.clone().into_bytes());
                bytes.collect::<Vec<_>>()
            });
            compare(&name, &found, &expected)?;
        }
        for (shape, enumeration) in &version.attributes {
            let mut attributes = snapshot.schema.attributes.iter();
            let known = attributes.find(|known| known.name == shape.name());
            let known = known.map(|known| &known.enumeration);
            compare("enumeration", &known, &Some(enumeration))?;
        }
        if let Some(current) = &version.current {
            for (dim, (low, high)) in current.iter().enumerate() {
                let within = |low, high| {
                    let range = self.axes[dim].range((low, high));
                    snapshot.schema.is_current(dim, &range)
                };
                let ends = (
                    within(*low, *high),
                    *high < SIDE - 1 && within(*low, high + 1),
                );
                compare("current domain", &ends, &(true, false))?;
            }
        }
        Ok(())
    }

    /// Returns the coordinates in use at a timestamp.
    fn whole(&self, version: &SchemaVersion) -> Vec<(i32, i32)> {
        let current = version.current.clone();
        current.unwrap_or_else(|| vec![(0, SIDE - 1); self.axes.len()])
    }

    /// Returns the ranges of a read; `None` if they are empty.
    fn ranges(&self, version: &SchemaVersion, plan: &ReadPlan) -> Option<Vec<(i32, i32)>> {
        let whole = self.whole(version);
        let Some(ranges) = &plan.ranges else {
            return Some(whole);
        };
        let pairs = ranges.iter().zip(whole);
        let cut = pairs.map(|(range, whole)| (range.0.max(whole.0), range.1.min(whole.1)));
        let cut: Vec<(i32, i32)> = cut.collect();
        cut.iter().all(|(low, high)| low <= high).then_some(cut)
    }

    fn query(
        &self,
        array: &Arc<Array>,
        plan: &ReadPlan,
        ranges: &[(i32, i32)],
    ) -> tiledb_engine::Result<Query> {
        let mut query = Query::new(array, QueryType::Read)?;
        if let Some(budget) = plan.budget {
            query.set_config(&config(&[("sm.mem.total_budget", budget)]))?;
        }
        query.set_layout(plan.layout)?;
        let mut subarray = Subarray::new(query.request().schema());
        if self.dense || plan.ranges.is_some() {
            for (dim, (axis, range)) in self.axes.iter().zip(ranges).enumerate() {
                axis.add_range(&mut subarray, dim, *range);
            }
        }
        query.set_subarray(&subarray)?;
        Ok(query)
    }

    /// Returns all cells; for dense arrays with their coordinates.
    fn rows(
        &self,
        array: &Arc<Array>,
        shapes: &[Shape],
        plan: &ReadPlan,
        ranges: &[(i32, i32)],
        condition: Option<(Shape, Operator, i32)>,
    ) -> tiledb_engine::Result<Vec<Row>> {
        let mut query = self.query(array, plan, ranges)?;
        if let Some((shape, operator, bound)) = condition {
            let bound = bound.to_le_bytes();
            let condition = Condition::compare(&shape.name(), operator, Some(&bound))?;
            query.set_condition(&Arc::new(condition))?;
        }
        let mut rows = Vec::new();
        loop {
            let dims = self.axes.iter().enumerate().map(|(dim, axis)| {
                let cell_type = axis.cell_type(&format!("d{dim}"));
                Column::with_capacity(cell_type, plan.capacity, 3 * plan.capacity)
            });
            let attributes = shapes.iter();
            let attributes = attributes.map(|shape| shape.output_column(plan.capacity));
            let mut columns: Vec<Column> = dims.chain(attributes).collect();
            let cells = column::read(&mut query, &mut columns)?;
            let (coordinates, values) = cells.split_at(self.axes.len());
            let value = |(bytes, valid): &column::Cell| (*valid == 1).then(|| bytes.clone());
            let number = coordinates[0].len();
            rows.extend((0..number).map(|cell| {
                let coordinates = coordinates.iter().zip(&self.axes);
                let coordinates = coordinates.map(|(field, axis)| axis.index(&field[cell].0));
                let values = values.iter().map(|field| value(&field[cell]));
                (coordinates.collect(), values.collect())
            }));
            match query.status() {
                QueryStatus::Completed => return Ok(rows),
                QueryStatus::Incomplete => assert!(number > 0, "nothing was delivered"),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Compares aggregates of a number with those of the cells.
    fn compare_aggregates(
        &self,
        array: &Arc<Array>,
        plan: &ReadPlan,
        ranges: &[(i32, i32)],
        shape: Shape,
        values: Vec<Value>,
    ) -> Compared {
        let values = values.iter();
        let numbers = values.map(|value| value.as_ref().map(|bytes| shape.number(bytes)));
        let numbers: Vec<Option<i32>> = numbers.collect();
        let valid: Vec<i32> = numbers.iter().flatten().copied().collect();
        let read = || -> tiledb_engine::Result<Vec<column::Cell>> {
            let mut query = self.query(array, plan, ranges)?;
            let schema = query.request().schema().clone();
            let mut columns = vec![Column::with_capacity(CellType::fixed("n", 8), 1, 0)];
            query.add_aggregate("n", &Aggregate::COUNT)?;
            let operators = [
                (AggregateOperator::Sum, "sum", 8),
                (AggregateOperator::Min, "min", 4),
                (AggregateOperator::Max, "max", 4),
            ];
            for (operator, name, size) in operators {
                query.add_aggregate(name, &Aggregate::new(&schema, operator, &shape.name())?)?;
                let cell_type = CellType {
                    nullable: shape.nullable,
                    ..CellType::fixed(name, size)
                };
                columns.push(Column::with_capacity(cell_type, 1, 0));
            }
            if shape.nullable {
                let operator = AggregateOperator::NullCount;
                query.add_aggregate("nulls", &Aggregate::new(&schema, operator, &shape.name())?)?;
                columns.push(Column::with_capacity(CellType::fixed("nulls", 8), 1, 0));
            }
            let cells = column::read(&mut query, &mut columns)?;
            assert_eq!(query.status(), QueryStatus::Completed);
            Ok(cells.into_iter().map(|field| field[0].clone()).collect())
        };
        let found = read().map_err(|error| format!("aggregates: {error}"))?;
        let count = |number: usize| (number as u64).to_le_bytes().to_vec();
        compare("count", &found[0].0, &count(numbers.len()))?;
        if shape.nullable {
            compare("nulls", &found[4].0, &count(numbers.len() - valid.len()))?;
        }
        if !valid.is_empty() {
            let sum: i64 = valid.iter().map(|number| i64::from(*number)).sum();
            compare("sum", &found[1].0, &sum.to_le_bytes().to_vec())?;
            let ends = [valid.iter().min(), valid.iter().max()];
            for (found, end) in found[2..4].iter().zip(ends) {
                let end = end.expect("a number").to_le_bytes().to_vec();
                compare("least or most", &found.0, &end)?;
            }
        }
        Ok(())
    }
}

fn compare_metadata(array: &Array, model: &Model, timestamp: u64) -> Compared {
    let expected = model.metadata_at(timestamp);
    let number = array.metadata_num().map_err(|error| error.to_string())?;
    let found: BTreeMap<String, u8> = (0..number)
        .map(|index| {
            let read = array.metadata_at(index, |item| (item.key().to_owned(), item.words[0]));
            let (key, word) = read.expect("metadata");
            (key, word as u8)
        })
        .collect();
    let found: BTreeMap<&str, u8> = found
        .iter()
        .map(|(key, value)| (&key[..], *value))
        .collect();
    compare("metadata", &found, &expected)
}
