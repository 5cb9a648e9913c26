//! Costs of loops over cells: sorting and comparisons.

use std::sync::Arc;

use tiledb_engine::internal::condition::{BoundCondition, Condition, Operator};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::geometry::{Bounds, CellOrder, Coordinates, KeyedCells, Keys};
use tiledb_engine::internal::schema::{ArraySchema, Attribute, Dimension};
use tiledb_engine::internal::tile::CellsRef;
use tiledb_engine::internal::types::{ArrayType, Datatype};

use super::{least, run_alone, scattered, schema, setup};

#[test]
fn cells_are_sorted_fast() {
    let _alone = run_alone();
    const CELLS: usize = 1 << 21;
    let schema = schema(10_000).finish().expect("schema");
    let coordinates: Vec<(u64, u64)> = (0..CELLS as u64).map(scattered).collect();
    let columns = [
        setup::bytes(coordinates.iter().map(|cell| cell.0)),
        setup::bytes(coordinates.iter().map(|cell| cell.1)),
    ];
    let columns: Vec<_> = columns
        .iter()
        .map(|data| Coordinates::fixed(data))
        .collect();
    let context = Context::new(Config::new()).expect("context");
    let order = CellOrder::global(&schema, Bounds::Domain).expect("order");
    let sort = least(5, |_| {
        let mut keys = Keys::default();
        order.make_keys(&columns, &mut keys).expect("keys");
        let cells = KeyedCells {
            keys: &keys,
            columns: &columns,
        };
        let sorted = order.sort(&context, cells).expect("sorted");
        assert_eq!(sorted.order.map(|order| order.len()), Some(CELLS));
    });
    let rate = CELLS as f64 / sort / 1e6;
    println!("{rate:.1} M cells sorted a second and core");

    if !cfg!(debug_assertions) {
        assert!(rate >= 10.0, "{rate} M cells a second");
    }
}

/// Returns whether conditions on the datatype are rejected.
fn is_rejected(datatype: Datatype) -> bool {
    use Datatype::{Any, Blob, GeomWkb, GeomWkt, StringUcs2, StringUcs4, StringUtf16, StringUtf32};
    let refused = [
        Any,
        Blob,
        GeomWkb,
        GeomWkt,
        StringUcs2,
        StringUcs4,
        StringUtf16,
        StringUtf32,
    ];
    refused.contains(&datatype)
}

/// Returns the time of a condition on `cells` cells in memory, in seconds per cell.
fn cost_of(field: &Arc<Attribute>, condition: &Condition, data: &[u8], validity: &[u8]) -> f64 {
    let ends = setup::bytes([0i64, 9]);
    let dimension = Dimension::new("x", Datatype::Int64, Some(&ends), None).expect("dimension");
    let attribute = Attribute::clone(field);
    let schema = setup::schema(ArrayType::Sparse, [dimension], [attribute]);
    let schema: ArraySchema = schema.finish().expect("schema");
    let never = |_: &str| -> tiledb_engine::Result<_> { unreachable!("no enumerations") };
    let bound = BoundCondition::bind(condition, &schema, never).expect("bound");
    let cells = data.len() / (field.datatype.size() * field.cell_val_num as usize);
    let column = CellsRef {
        data,
        starts: None,
        validity: field.nullable.then_some(&validity[..cells]),
    };
    let mut selected = vec![1u8; cells];
    let cost = least(9, |_| {
        selected.fill(1);
        bound.select(&[column], cells, &mut selected);
    });
    cost / cells as f64
}

#[test]
fn a_comparison_costs_less_than_a_nanosecond_a_cell() {
    let _alone = run_alone();
    // Debug builds only check that each loop runs.
    const CELLS: usize = if cfg!(debug_assertions) {
        1 << 15
    } else {
        1 << 20
    };
    let numbers = Datatype::ALL
        .into_iter()
        .filter(|datatype| !is_rejected(*datatype))
        .map(|datatype| (datatype, 1));
    let texts = [2u32, 3, 4, 7, 8, 9, 12, 16, 24, 32].map(|values| (Datatype::StringAscii, values));
    let mut failed = Vec::new();
    for (datatype, values) in numbers.chain(texts) {
        let size = datatype.size() * values as usize;
        // Random bits: numbers of both signs, arbitrary strings, a few NaN.
        let data: Vec<u8> = (0..(CELLS * size / 8 + 1) as u64)
            .flat_map(|index| {
                (index + 1)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .to_le_bytes()
            })
            .take(CELLS * size)
            .collect();
        let validity: Vec<u8> = (0..CELLS).map(|cell| u8::from(cell % 5 != 0)).collect();
        for nullable in [false, true] {
            let mut attribute = Attribute::new("a", datatype);
            attribute.set_cell_val_num(values).expect("values");
            attribute.set_nullable(nullable).expect("nullable");
            let attribute = Arc::new(attribute);
            // The time for longer strings is limited by memory bandwidth.
            let bounded = !cfg!(debug_assertions) && size <= 12;
            let cost = |condition: &Condition| {
                let once = || cost_of(&attribute, condition, &data, &validity) * 1e9;
                let mut least = once();
                // Other processes make some rounds slower, none faster: the minimum counts.
                for _ in 0..9 {
                    if least < 1.0 || !bounded {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    least = least.min(once());
                }
                least
            };
            let value = &data[size * 7..size * 8];
            let compared = setup::COMPARISONS.map(|operator| {
                cost(&Condition::compare("a", operator, Some(value)).expect("condition"))
            });
            let most = compared.into_iter().fold(0.0, f64::max);
            let sets = [4usize, 32, 300].map(|members| {
                let starts: Vec<u64> = (0..members).map(|index| (index * size) as u64).collect();
                let set = &data[size * 100..size * (100 + members)];
                let set = Condition::is_one_of("a", Operator::In, set, &starts);
                cost(&set.expect("set"))
            });
            println!(
                "{} x{values}{}: at most {most:.2} ns a comparison, {:.2} ns a set of 4, {:.2} of 32, {:.2} of 300",
                datatype.name(),
                if nullable { ", nullable" } else { "" },
                sets[0],
                sets[1],
                sets[2],
            );
            let most = sets[..2].iter().fold(most, |most, set| set.max(most));
            if bounded && most >= 1.0 {
                failed.push((datatype, values, most));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
