//! Keys are tested against straightforward comparisons of cells.

use std::cmp::Ordering;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::config::Config;
use crate::context::Context;
use crate::schema::{ArraySchema, Dimension, Domain, SchemaDraft};
use crate::types::{ArrayType, Datatype, Layout, Value};

/// A dimension and the coordinates of cells in it.
#[derive(Clone, Debug)]
enum Column {
    Bytes(Vec<i8>, i8, i8, Option<i8>),
    Longs(Vec<u64>, u64, u64, Option<u64>),
    Dates(Vec<i64>, i64, i64, Option<i64>),
    Reals(Vec<f64>, f64, f64, Option<f64>),
    Shorts(Vec<f32>, f32, f32, Option<f32>),
    Texts(Vec<Vec<u8>>),
}

const CELLS: usize = 60;

fn bytes<T: Value>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::SIZE];
    let cells = bytes.chunks_exact_mut(T::SIZE);
    values
        .iter()
        .zip(cells)
        .for_each(|(value, to)| value.write(to));
    bytes
}

fn dimension<T: Value>(datatype: Datatype, low: T, high: T, extent: Option<T>) -> Dimension {
    let domain = bytes(&[low, high]);
    let extent = extent.map(|extent| bytes(&[extent]));
    Dimension::new("d", datatype, Some(&domain), extent.as_deref()).expect("a dimension")
}

fn compare<T: PartialOrd>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).expect("numbers")
}

impl Column {
    fn dimension(&self) -> Dimension {
        match self {
            Self::Bytes(_, low, high, extent) => dimension(Datatype::Int8, *low, *high, *extent),
            Self::Longs(_, low, high, extent) => dimension(Datatype::Uint64, *low, *high, *extent),
            Self::Dates(_, low, high, extent) => {
                dimension(Datatype::DatetimeMs, *low, *high, *extent)
            }
            Self::Reals(_, low, high, extent) => dimension(Datatype::Float64, *low, *high, *extent),
            Self::Shorts(_, low, high, extent) => {
                dimension(Datatype::Float32, *low, *high, *extent)
            }
            Self::Texts(_) => {
                Dimension::new("d", Datatype::StringAscii, None, None).expect("a dimension")
            }
        }
    }

    fn data(&self) -> (Vec<u8>, Option<Vec<u64>>) {
        match self {
            Self::Bytes(values, ..) => (bytes(values), None),
            Self::Longs(values, ..) => (bytes(values), None),
            Self::Dates(values, ..) => (bytes(values), None),
            Self::Reals(values, ..) => (bytes(values), None),
            Self::Shorts(values, ..) => (bytes(values), None),
            Self::Texts(texts) => {
                let mut starts = vec![0];
                starts.extend(texts.iter().scan(0, |end, text| {
                    *end += text.len() as u64;
                    Some(*end)
                }));
                (texts.concat(), Some(starts))
            }
        }
    }

    /// Returns the tile number of a cell.
    fn tile(&self, cell: usize) -> u64 {
        let integer = |value: i128, low: i128, extent: i128| ((value - low) / extent) as u64;
        match self {
            Self::Bytes(v, low, _, Some(extent)) => {
                integer(v[cell].into(), (*low).into(), (*extent).into())
            }
            Self::Longs(v, low, _, Some(extent)) => {
                integer(v[cell].into(), (*low).into(), (*extent).into())
            }
            Self::Dates(v, low, _, Some(extent)) => {
                integer(v[cell].into(), (*low).into(), (*extent).into())
            }
            Self::Reals(v, low, _, Some(extent)) => ((v[cell] - low) / extent) as u64,
            Self::Shorts(v, low, _, Some(extent)) => ((v[cell] - low) / extent) as u64,
            _ => 0,
        }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        match self {
            Self::Bytes(v, ..) => compare(v[a], v[b]),
            Self::Longs(v, ..) => compare(v[a], v[b]),
            Self::Dates(v, ..) => compare(v[a], v[b]),
            Self::Reals(v, ..) => compare(v[a], v[b]),
            Self::Shorts(v, ..) => compare(v[a], v[b]),
            Self::Texts(v) => {
                let signed = |text: &[u8]| text.iter().map(|c| *c as i8).collect::<Vec<_>>();
                signed(&v[a]).cmp(&signed(&v[b]))
            }
        }
    }
}

/// Replaces `z` by a character above 127, which is negative as a signed character.
fn with_negative_characters(mut text: Vec<u8>) -> Vec<u8> {
    for character in text.iter_mut().filter(|c| **c == b'z') {
        *character = 0x80;
    }
    text
}

/// Generates columns with few distinct coordinates, so that cells have equal coordinates.
fn column() -> impl Strategy<Value = Column> {
    let few = || proptest::collection::vec(0usize..12, CELLS);
    let pick = |steps: &[usize], step: f64| -> Vec<f64> {
        steps
            .iter()
            .map(|step_number| *step_number as f64 * step)
            .collect()
    };
    prop_oneof![
        (few(), proptest::option::of(1i8..30)).prop_map(|(step_number, extent)| {
            let values = step_number
                .iter()
                .map(|step_number| -60 + *step_number as i8 * 9)
                .collect();
            Column::Bytes(values, -60, 60, extent)
        }),
        (few(), proptest::option::of(1u64..1 << 61), 0u32..60).prop_map(
            |(step_number, extent, shift)| {
                let values: Vec<u64> = step_number
                    .iter()
                    .map(|step_number| 7 + ((*step_number as u64) << shift))
                    .collect();
                let high = 7 + (12 << shift);
                let extent = extent.map(|extent| extent.min(high - 7));
                Column::Longs(values, 7, high, extent)
            }
        ),
        (few(), proptest::option::of(1i64..1 << 40)).prop_map(|(step_number, extent)| {
            let values = step_number
                .iter()
                .map(|step_number| (*step_number as i64 - 6) << 38)
                .collect();
            Column::Dates(values, -(1 << 60), 1 << 50, extent)
        }),
        (few(), proptest::option::of(1usize..40)).prop_map(move |(step_number, extent)| {
            let values = pick(&step_number, 1.7).iter().map(|v| v - 7.5).collect();
            Column::Reals(
                values,
                -8.0,
                14.0,
                extent.map(|extent| extent as f64 * 0.37),
            )
        }),
        (few(), proptest::option::of(1usize..40)).prop_map(move |(step_number, extent)| {
            let values = step_number
                .iter()
                .map(|step_number| *step_number as f32 * 0.3 - 1.1)
                .collect();
            Column::Shorts(
                values,
                -2.5,
                14.0,
                extent.map(|extent| extent as f32 * 0.11),
            )
        }),
        proptest::collection::vec("[abz\\x00]{0,3}|aaaaaaaa[abz]{0,2}", CELLS).prop_map(|texts| {
            let bytes = texts.into_iter().map(String::into_bytes);
            Column::Texts(bytes.map(with_negative_characters).collect())
        }),
    ]
}

fn layout() -> impl Strategy<Value = Layout> {
    prop::sample::select(vec![Layout::RowMajor, Layout::ColMajor])
}

fn schema(columns: &[Column], tile_order: Layout, cell_order: Layout) -> ArraySchema {
    let dimensions = columns.iter().map(|column| Arc::new(column.dimension()));
    let mut schema = SchemaDraft::new(ArrayType::Sparse, Some(1)).snapshot();
    schema.tile_order = tile_order;
    schema.cell_order = cell_order;
    schema.domain = Domain {
        dimensions: dimensions.collect(),
    };
    schema
}

fn dims(layout: Layout, number: usize) -> Vec<usize> {
    match layout {
        Layout::ColMajor => (0..number).rev().collect(),
        _ => (0..number).collect(),
    }
}

/// Checks an order against a straightforward comparison: all pairs of cells, then the sort.
fn check(
    order: &CellOrder,
    columns: &[Column],
    reference: impl Fn(usize, usize) -> Ordering,
) -> Result<(), TestCaseError> {
    let data: Vec<_> = columns.iter().map(Column::data).collect();
    let coordinates: Vec<_> = data
        .iter()
        .map(|(data, starts)| Coordinates {
            data,
            starts: starts.as_deref(),
        })
        .collect();
    let mut keys = Keys::default();
    order.make_keys(&coordinates, &mut keys).expect("keys");
    let cells = KeyedCells {
        keys: &keys,
        columns: &coordinates,
    };
    prop_assert_eq!(keys.len(), CELLS);
    for a in 0..CELLS {
        for b in 0..CELLS {
            prop_assert_eq!(
                order.compare(cells, a, cells, b),
                reference(a, b),
                "{} {}",
                a,
                b
            );
            let are_equal = columns.iter().all(|column| column.compare(a, b).is_eq());
            prop_assert_eq!(order.same_cell(cells, a, cells, b), are_equal);
            if order.keys_decide() {
                prop_assert_eq!(keys.compare(a, &keys, b), reference(a, b));
            }
        }
    }
    let mut expected: Vec<u32> = (0..CELLS as u32).collect();
    expected.sort_by(|a, b| reference(*a as usize, *b as usize));
    let context = Context::new(Config::new()).expect("context");
    let tied = |pair: &[u32]| reference(pair[0] as usize, pair[1] as usize).is_eq();
    let ties = expected.windows(2).any(tied);
    let in_parts = order.sort_unordered(Some(&context), cells, CELLS as u32);
    for sorted in [order.sort(&context, cells), in_parts] {
        let sorted = sorted.expect("sorted");
        let indexes = sorted.order;
        let indexes = indexes.unwrap_or_else(|| (0..CELLS as u32).collect());
        prop_assert_eq!(&indexes, &expected);
        prop_assert_eq!(sorted.ties, ties);
    }
    Ok(())
}

proptest! {
    #[test]
    fn keys_compare_by_tiles_and_then_cells(
        columns in proptest::collection::vec(column(), 1..5),
        tile_order in layout(),
        cell_order in layout(),
    ) {
        let schema = schema(&columns, tile_order, cell_order);
        let reference = |a: usize, b: usize| {
            let tiles = dims(tile_order, columns.len()).into_iter().map(|d| columns[d].tile(a).cmp(&columns[d].tile(b)));
            let cells = dims(cell_order, columns.len()).into_iter().map(|d| columns[d].compare(a, b));
            tiles.chain(cells).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        for bounds in [Bounds::Domain, Bounds::Datatype] {
            let order = CellOrder::global(&schema, bounds).expect("an order");
            check(&order, &columns, reference)?;
        }
    }

    #[test]
    fn keys_compare_in_row_and_column_major_order(columns in proptest::collection::vec(column(), 1..5), layout in layout()) {
        let schema = schema(&columns, Layout::RowMajor, Layout::RowMajor);
        let order = if layout == Layout::ColMajor { Order::ColMajor } else { Order::RowMajor };
        let order = CellOrder::of_domain(&schema, order, Bounds::Domain).expect("an order");
        check(&order, &columns, |a, b| {
            let mut cells = dims(layout, columns.len()).into_iter().map(|d| match &columns[d] {
                Column::Texts(v) => v[a].cmp(&v[b]),
                other => other.compare(a, b),
            });
            cells.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })?;
    }

    #[test]
    fn cells_with_equal_hilbert_values_compare_in_row_major_order(columns in proptest::collection::vec(column(), 1..9)) {
        let schema = schema(&columns, Layout::RowMajor, Layout::Hilbert);
        let data: Vec<_> = columns.iter().map(Column::data).collect();
        let coordinates: Vec<_> = data.iter().map(|(data, starts)| Coordinates { data, starts: starts.as_deref() }).collect();
        let mut values = vec![0; CELLS];
        Hilbert::new(&schema.domain).expect("a curve").fill(&coordinates, 0, &mut values);
        let order = CellOrder::global(&schema, Bounds::Domain).expect("an order");
        check(&order, &columns, |a, b| {
            let cells = columns.iter().map(|column| column.compare(a, b));
            values[a].cmp(&values[b]).then(cells.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
        })?;
    }
}

fn order_of(columns: &[Column]) -> CellOrder {
    let schema = schema(columns, Layout::RowMajor, Layout::RowMajor);
    CellOrder::global(&schema, Bounds::Domain).expect("an order")
}

#[test]
fn small_domains_have_short_keys() {
    let dim = |extent| Column::Longs(Vec::new(), 0, 999_999, Some(extent));
    let order = order_of(&[dim(1000), dim(1000)]);
    assert_eq!((order.word_num(), order.bits), (1, 40));
    assert!(order.keys_decide());
    // With a single tile the keys contain the coordinates only.
    let order = order_of(&[dim(1_000_000), dim(1_000_000)]);
    assert_eq!((order.word_num(), order.bits), (1, 40));
}

#[test]
fn positive_and_negative_zero_compare_equal_but_are_different_cells() {
    let column = Column::Reals(vec![0.0, -0.0], -1.0, 1.0, None);
    let order = order_of(std::slice::from_ref(&column));
    let (data, _) = column.data();
    let columns = [Coordinates::fixed(&data)];
    let mut keys = Keys::default();
    order.make_keys(&columns, &mut keys).expect("keys");
    let cells = KeyedCells {
        keys: &keys,
        columns: &columns,
    };
    assert_eq!(order.compare(cells, 0, cells, 1), Ordering::Equal);
    assert!(!order.same_cell(cells, 0, cells, 1));
}

#[test]
fn large_sorts_equal_the_comparison_sort() {
    let mut config = Config::new();
    config
        .set("sm.compute_concurrency_level", "3")
        .expect("parameter");
    let context = Context::new(config).expect("context");
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed >> 20
    };
    for (high, extent) in [(100, 7), (1 << 30, 1 << 10), (1 << 62, 1 << 40)] {
        let number = 50_000;
        let columns: Vec<Column> = (0..2)
            .map(|_| {
                Column::Longs(
                    (0..number).map(|_| random() % high).collect(),
                    0,
                    high,
                    Some(extent),
                )
            })
            .collect();
        let order = order_of(&columns);
        let data: Vec<_> = columns.iter().map(Column::data).collect();
        let coordinates: Vec<_> = data
            .iter()
            .map(|(data, _)| Coordinates::fixed(data))
            .collect();
        let mut keys = Keys::default();
        order.make_keys(&coordinates, &mut keys).expect("keys");
        let cells = KeyedCells {
            keys: &keys,
            columns: &coordinates,
        };
        let mut expected: Vec<u32> = (0..number as u32).collect();
        expected.sort_by(|a, b| order.compare(cells, *a as usize, cells, *b as usize));
        for context in [None, Some(&*context)] {
            let sorted = order.sort_unordered(context, cells, number as u32);
            assert_eq!(sorted.expect("sorted").order, Some(expected.clone()));
        }
    }
}
