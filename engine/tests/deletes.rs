//! Deletes and later changes of the schema.

mod setup;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, next_millisecond, numbers};
use tiledb_engine::internal::array;
use tiledb_engine::internal::condition::{Condition, Operator};
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
        next_millisecond();
        let mut columns = [Column::with_capacity(CellType::fixed("x", 4), 100, 0)];
        let cells = read(&mut self.0.query(QueryType::Read), &mut columns).expect("read");
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
