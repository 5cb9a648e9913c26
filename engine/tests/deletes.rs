//! Deletes and later changes of the schema.

mod setup;

use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, next_millisecond, numbers};
use tiledb_engine::internal::array;
use tiledb_engine::internal::condition::{Combination, Condition, Operator};
use tiledb_engine::internal::schema::{Attribute, SchemaEvolution};
use tiledb_engine::internal::types::{ArrayType, Datatype, QueryType};

/// A sparse array of numbers. Each change has its own timestamp.
struct Numbers(TestArray);

impl Numbers {
    /// Creates an array with the attributes a and b.
    fn create() -> Self {
        let test_array = TestArray::in_memory();
        let dimension = setup::dimension("x", Datatype::Int32, [0i32, 99], 10);
        let attributes = ["a", "b"].map(|name| Attribute::new(name, Datatype::Int32));
        test_array.create(&setup::schema(ArrayType::Sparse, [dimension], attributes));
        Self(test_array)
    }

    /// Writes these coordinates; a is the coordinate and b ten times the coordinate.
    fn write(&self, coordinates: &[i32], names: &[&str]) {
        next_millisecond();
        let mut columns = vec![Column::numbers("x", coordinates.iter().copied())];
        for name in names {
            let factor = if *name == "a" { 1 } else { 10 };
            let values = coordinates.iter().map(|coordinate| factor * coordinate);
            columns.push(Column::numbers(name, values));
        }
        write(&mut self.0.query(QueryType::Write), &columns).expect("write");
    }

    fn delete(&self, name: &str, value: i32) {
        next_millisecond();
        let condition = Condition::compare(name, Operator::Eq, Some(&value.to_le_bytes()));
        self.0.delete(condition.expect("condition"));
    }

    fn coordinates(&self) -> Vec<i32> {
        self.coordinates_with(None)
    }

    fn coordinates_with(&self, condition: Option<&Arc<Condition>>) -> Vec<i32> {
        next_millisecond();
        let mut columns = [Column::with_capacity(CellType::fixed("x", 4), 100, 0)];
        let mut query = self.0.query(QueryType::Read);
        if let Some(condition) = condition {
            query.set_condition(condition).expect("condition");
        }
        let cells = read(&mut query, &mut columns).expect("read");
        let coordinates = cells[0].iter();
        coordinates
            .flat_map(|cell| numbers::<i32>(&cell.0))
            .collect()
    }

    fn evolve(&self, change: impl FnOnce(&mut SchemaEvolution)) {
        next_millisecond();
        let mut evolution = SchemaEvolution::default();
        change(&mut evolution);
        array::evolve(&self.0.vfs, &self.0.uri, &evolution).expect("evolve");
    }
}

#[test]
fn deletes_by_an_attribute_still_apply_after_it_was_dropped() {
    let array = Numbers::create();
    array.write(&[1, 2, 3], &["a", "b"]);
    array.delete("a", 2);
    array.evolve(|evolution| evolution.drop_attribute("a"));
    assert_eq!(array.coordinates(), [1, 3]);
    array.write(&[2, 4], &["b"]);
    assert_eq!(array.coordinates(), [1, 2, 3, 4]);
    array.0.consolidate("fragments");
    assert_eq!(array.coordinates(), [1, 2, 3, 4]);
    array.delete("b", 10);
    assert_eq!(array.coordinates(), [2, 3, 4]);
}

#[test]
fn deletes_by_an_attribute_that_was_added_later_compare_its_fill_value() {
    let array = Numbers::create();
    array.write(&[1, 2], &["a", "b"]);
    array.evolve(|evolution| {
        let attribute = Attribute::new("c", Datatype::Int32);
        evolution.add_attribute(attribute).expect("attribute");
    });
    array.write(&[3], &["a", "b", "c"]);
    array.delete("c", 30);
    assert_eq!(array.coordinates(), [1, 2]);
    array.delete("c", i32::MIN);
    assert!(array.coordinates().is_empty());
}

/// Returns a condition that is nested as deeply as possible and is true where a is 2.
fn deepest() -> Arc<Condition> {
    let compare = |operator, value: i32| {
        let condition = Condition::compare("a", operator, Some(&value.to_le_bytes()));
        Arc::new(condition.expect("condition"))
    };
    let (never, always) = (compare(Operator::Eq, -1), compare(Operator::Ne, -1));
    let mut deepest = compare(Operator::Eq, 2);
    for level in 0.. {
        let combined = if level % 2 == 0 {
            deepest.combine(&never, Combination::Or)
        } else {
            deepest.combine(&always, Combination::And)
        };
        match combined {
            Ok(combined) => deepest = Arc::new(combined),
            Err(_) => break,
        }
    }
    deepest
}

/// The stack of threads is small in some programs, and a file may contain such a condition.
#[test]
fn the_deepest_conditions_need_little_of_the_stack() {
    let run = || {
        let numbers = Numbers::create();
        numbers.write(&[1, 2, 3], &["a", "b"]);
        let deepest = deepest();
        assert_eq!(numbers.coordinates_with(Some(&deepest)), [2]);
        assert_eq!(
            numbers.coordinates_with(Some(&Arc::new(deepest.negate()))),
            [1, 3]
        );
        next_millisecond();
        numbers.0.delete((*deepest).clone());
        assert_eq!(numbers.coordinates(), [1, 3]);
    };
    let thread = std::thread::Builder::new().stack_size(384 << 10);
    let thread = thread.spawn(run).expect("a thread");
    thread.join().expect("no panic");
}
