//! Deletes and what happens to the schema after them.

use std::sync::Arc;
use std::time::Duration;

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::maintain;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::condition::{Condition, Operator};
use tiledb_engine::schema::{
    Attribute, Dimension, DomainDraft, SchemaDraft, SchemaEvolution, shared,
};
use tiledb_engine::types::{ArrayType, Datatype, QueryType};
use tiledb_engine::vfs::{Uri, Vfs};

struct Numbers {
    vfs: Arc<Vfs>,
    uri: Uri,
}

fn bytes(numbers: &[i32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

impl Numbers {
    /// A sparse array of the attributes a and b.
    fn create(name: &str) -> Self {
        let context = Context::new(Config::new()).expect("context");
        let vfs = Vfs::new(&context).expect("vfs");
        let uri = Uri::parse(&format!("mem://{name}")).expect("uri");
        let mut domain = DomainDraft::default();
        let (ends, extent) = (bytes(&[0, 99]), bytes(&[10]));
        let place = Dimension::new("x", Datatype::Int32, Some(&ends), Some(&extent));
        domain.dimensions.push(shared(place.expect("dimension")));
        let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
        draft.set_domain(&shared(domain)).expect("domain");
        for name in ["a", "b"] {
            let attribute = shared(Attribute::new(name, Datatype::Int32));
            draft.add_attribute(&attribute).expect("attribute");
        }
        let schema = draft.finish().expect("schema");
        array::create(&vfs, &uri, &schema, None).expect("create");
        Self { vfs, uri }
    }

    /// A query of now; nothing else has its millisecond.
    fn query(&self, query_type: QueryType) -> Query {
        std::thread::sleep(Duration::from_millis(2));
        let array = Array::new(&self.vfs, self.uri.as_str()).expect("array");
        array.open(query_type).expect("open");
        Query::new(&Arc::new(array), query_type).expect("query")
    }

    /// Writes these places, with the place in a and ten times the place in b.
    fn write(&self, places: &[i32], names: &[&str]) {
        let tens: Vec<i32> = places.iter().map(|place| 10 * place).collect();
        let (places, tens) = (bytes(places), bytes(&tens));
        let field = |name, data| FieldCells {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        };
        let mut fields = vec![field("x", &places[..])];
        for name in names {
            let data = if *name == "a" { &places } else { &tens };
            fields.push(field(name, &data[..]));
        }
        self.query(QueryType::Write).write(&fields).expect("write");
    }

    fn delete(&self, name: &str, value: i32) {
        let condition = Condition::compare(name, Operator::Eq, Some(&value.to_le_bytes()));
        let mut query = self.query(QueryType::Delete);
        let condition = Arc::new(condition.expect("condition"));
        query.set_condition(&condition).expect("set");
        query.delete().expect("delete");
    }

    fn places(&self) -> Vec<i32> {
        let mut places = vec![0; 400];
        let mut query = self.query(QueryType::Read);
        let field = FieldBuffers {
            name: "x",
            data: Some(&mut places),
            offsets: None,
            validity: None,
        };
        let sizes = query.read(&mut [field]).expect("read");
        places.truncate(sizes[0].data as usize);
        let (places, _) = places.as_chunks();
        places
            .iter()
            .map(|place| i32::from_le_bytes(*place))
            .collect()
    }

    fn evolve(&self, change: impl FnOnce(&mut SchemaEvolution)) {
        std::thread::sleep(Duration::from_millis(2));
        let mut evolution = SchemaEvolution::default();
        change(&mut evolution);
        array::evolve(&self.vfs, &self.uri, &evolution).expect("evolve");
    }

    fn consolidate(&self) {
        let config = Config::new();
        maintain::consolidate(&self.vfs, self.uri.as_str(), &config).expect("consolidated");
    }
}

#[test]
fn deletes_by_an_attribute_count_after_it_was_dropped() {
    let array = Numbers::create("dropped");
    array.write(&[1, 2, 3], &["a", "b"]);
    array.delete("a", 2);
    array.evolve(|evolution| evolution.drop_attribute("a"));
    assert_eq!(array.places(), [1, 3]);
    array.write(&[2, 4], &["b"]);
    assert_eq!(array.places(), [1, 2, 3, 4]);
    array.consolidate();
    assert_eq!(array.places(), [1, 2, 3, 4]);
    array.delete("b", 10);
    assert_eq!(array.places(), [2, 3, 4]);
}

#[test]
fn deletes_by_an_attribute_that_came_later_compare_its_fill_value() {
    let array = Numbers::create("added");
    array.write(&[1, 2], &["a", "b"]);
    array.evolve(|evolution| {
        let attribute = Attribute::new("c", Datatype::Int32);
        evolution.add_attribute(attribute).expect("attribute");
    });
    array.write(&[3], &["a", "b", "c"]);
    array.delete("c", 30);
    assert_eq!(array.places(), [1, 2]);
    array.delete("c", i32::MIN);
    assert!(array.places().is_empty());
}
