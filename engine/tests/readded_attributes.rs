//! Reads of attributes that were dropped and added again with another definition.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tiledb_engine::{
    AggregateOperator, Array, ArrayType, Attribute, Config, Context, Datatype, Enumeration, Filter,
    FilterList, FilterType, MaintenanceMode, Scalar, Schema, SchemaEvolution, field,
};

const CELLS: i32 = 12;

/// Returns whether a cell of [`written`] is null. One of the three tiles has no null cell.
fn is_null(cell: i32) -> bool {
    [1, 6].contains(&cell)
}

fn filters(kinds: &[FilterType]) -> FilterList {
    let filters = kinds.iter().filter_map(|kind| Filter::new(*kind));
    FilterList {
        filters: filters.collect(),
        ..FilterList::default()
    }
}

fn number(nullable: bool, kinds: &[FilterType]) -> Attribute {
    let attribute = Attribute::of("n", Datatype::Int64)
        .with_filters(filters(kinds))
        .expect("filters");
    if nullable {
        return attribute.with_nulls();
    }
    attribute.with_fill_value(-5).expect("fill value")
}

fn text(nullable: bool, kinds: &[FilterType]) -> Attribute {
    let attribute = Attribute::of("t", Datatype::StringAscii)
        .with_filters(filters(kinds))
        .expect("filters");
    if nullable {
        return attribute.with_nulls();
    }
    attribute.with_fill_value("filled").expect("fill value")
}

/// Creates an array with the attributes n and t, and one that stays, and writes its cells.
fn written(context: &Context, kind: ArrayType, nullable: bool, kinds: &[FilterType]) -> Array {
    let uri = "mem://array";
    let schema = Schema::builder(kind)
        .dimension("x", Datatype::Int32, 0..=CELLS - 1, 4)
        .capacity(4)
        .with_attribute(number(nullable, kinds))
        .attribute("stays", Datatype::Int32)
        .with_attribute(text(nullable, kinds))
        .build()
        .expect("schema");
    Array::create(context, uri, &schema).expect("create");
    let array = Array::open(context, uri).expect("open");
    let cells = 0..CELLS;
    let mut write = array.write().column("stays", cells.clone());
    if kind == ArrayType::Sparse {
        write = write.column("x", cells.clone());
    }
    let texts = |cell: i32| "abc".repeat(cell as usize % 5);
    write = if nullable {
        let numbers = cells
            .clone()
            .map(|cell| (!is_null(cell)).then_some(i64::from(cell)));
        let texts = cells.map(|cell| (!is_null(cell)).then(|| texts(cell)));
        write.column("n", numbers).column("t", texts)
    } else {
        let numbers = cells.clone().map(i64::from);
        write.column("n", numbers).column("t", cells.map(texts))
    };
    write.submit().expect("write");
    array
}

/// Drops n and t and adds them again.
fn replace(array: &mut Array, n: Attribute, t: Attribute) {
    let mut changes = SchemaEvolution::new();
    changes.drop_attribute("n");
    changes.drop_attribute("t");
    array.evolve(&changes).expect("drop");
    let mut changes = SchemaEvolution::new();
    changes.add_attribute(n).expect("n");
    changes.add_attribute(t).expect("t");
    array.evolve(&changes).expect("add");
    array.reopen().expect("reopen");
}

fn for_each_case(check: impl Fn(ArrayType, &[FilterType])) {
    let pipelines: [&[FilterType]; 3] = [&[], &[FilterType::Zstd], &[FilterType::Rle]];
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        for kinds in pipelines {
            check(kind, kinds);
        }
    }
}

#[test]
fn null_cells_are_fill_values_of_an_attribute_without_nulls() {
    for_each_case(|kind, kinds| {
        let context = Context::new().expect("context");
        let mut array = written(&context, kind, true, kinds);
        replace(&mut array, number(false, kinds), text(false, kinds));
        let numbers = |cell: i32| if is_null(cell) { -5 } else { i64::from(cell) };
        let texts = |cell: i32| {
            if is_null(cell) {
                "filled".to_owned()
            } else {
                "abc".repeat(cell as usize % 5)
            }
        };
        for _ in 0..2 {
            for range in [0..=CELLS - 1, 1..=1, 0..=2, 5..=10] {
                let query = array.query().range("x", range.clone());
                let expected: Vec<i64> = range.clone().map(numbers).collect();
                assert_eq!(
                    query.read::<i64>("n").expect("n"),
                    expected,
                    "{kind:?} {kinds:?}"
                );
                let expected: Vec<String> = range.clone().map(texts).collect();
                assert_eq!(query.read::<String>("t").expect("t"), expected);
                let bytes: usize = expected.iter().map(String::len).sum();
                let sizes = array.query().range("x", range).fields(["t"]).result_sizes();
                let (_, needed) = sizes.expect("sizes").remove(0);
                assert!(
                    needed.sizes.data >= bytes as u64,
                    "{needed:?} for {bytes} bytes"
                );
            }
            // Statistics of the stored tiles do not have the fill value.
            let fills = array.query().condition(field("n").eq(-5));
            if kind == ArrayType::Sparse {
                assert_eq!(fills.read::<i32>("x").expect("x"), [1, 6]);
                let fills = array.query().condition(field("t").eq("filled"));
                assert_eq!(fills.read::<i32>("x").expect("x"), [1, 6]);
                assert_eq!(fills.count().expect("count"), 2);
            } else {
                let found = fills.read::<i32>("stays").expect("stays");
                let expected = (0..CELLS).map(|cell| if is_null(cell) { cell } else { i32::MIN });
                assert_eq!(found, expected.collect::<Vec<_>>());
            }
            let aggregates = [
                (AggregateOperator::Sum, "n"),
                (AggregateOperator::Min, "n"),
                (AggregateOperator::Max, "n"),
                (AggregateOperator::Max, "t"),
            ];
            let results = array.query().aggregate(&aggregates).expect("aggregates");
            let results: Vec<_> = results.iter().map(|result| result.scalar(0)).collect();
            let sum: i64 = (0..CELLS).map(numbers).sum();
            let integer = |value: i64| Some(Scalar::Integer(value.into()));
            assert_eq!(results[..3], [integer(sum), integer(-5), integer(11)]);
            assert_eq!(results[3], Some(Scalar::from("filled")));
            // The values do not change if the fragment is rewritten with the new definition.
            let cells = array.write().column("n", [7i64]).column("t", ["x"]);
            let cells = cells.column("stays", [0]);
            let written = match kind {
                ArrayType::Sparse => cells.column("x", [0]).submit(),
                ArrayType::Dense => cells.range("x", 0..=0).submit(),
            };
            written.expect("write");
            let restored = array.write().column("n", [0i64]).column("t", [""]);
            let restored = restored.column("stays", [0]);
            let restored = match kind {
                ArrayType::Sparse => restored.column("x", [0]).submit(),
                ArrayType::Dense => restored.range("x", 0..=0).submit(),
            };
            restored.expect("write");
            array
                .consolidate(MaintenanceMode::Fragments)
                .expect("consolidate");
            array.vacuum(MaintenanceMode::Fragments).expect("vacuum");
            array.reopen().expect("reopen");
        }
    });
}

#[test]
fn all_cells_are_valid_of_an_attribute_that_becomes_nullable() {
    for_each_case(|kind, kinds| {
        let context = Context::new().expect("context");
        let mut array = written(&context, kind, false, kinds);
        replace(&mut array, number(true, kinds), text(true, kinds));
        for range in [0..=CELLS - 1, 3..=3, 5..=10] {
            let query = array.query().range("x", range.clone());
            let expected: Vec<_> = range.clone().map(|cell| Some(i64::from(cell))).collect();
            assert_eq!(query.read::<Option<i64>>("n").expect("n"), expected);
            let texts = range.map(|cell| Some("abc".repeat(cell as usize % 5)));
            let texts: Vec<Option<String>> = texts.collect();
            assert_eq!(query.read::<Option<String>>("t").expect("t"), texts);
        }
        let aggregates = [
            (AggregateOperator::NullCount, "n"),
            (AggregateOperator::NullCount, "t"),
            (AggregateOperator::Sum, "n"),
        ];
        let results = array.query().aggregate(&aggregates).expect("aggregates");
        let results: Vec<_> = results.iter().map(|result| result.scalar(0)).collect();
        assert_eq!(
            results,
            [0, 0, 66].map(|value| Some(Scalar::Integer(value)))
        );
        let valid = array.query().condition(field("n").is_not_null());
        let valid = valid.read::<Option<i64>>("n").expect("n");
        assert_eq!(valid.iter().flatten().count(), CELLS as usize);
    });
}

#[test]
fn attributes_with_another_enumeration_or_number_of_values_are_others() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let context = Context::new().expect("context");
        let mut array = written(&context, kind, false, &[]);
        let colours = Enumeration::of_texts("colours", false, ["red", "green"]).expect("labels");
        let mut changes = SchemaEvolution::new();
        changes.drop_attribute("n");
        changes.drop_attribute("t");
        array.evolve(&changes).expect("drop");
        let mut changes = SchemaEvolution::new()
            .with_enumeration(colours)
            .expect("enumeration");
        let n = Attribute::of("n", Datatype::Int64)
            .with_enumeration("colours")
            .with_nulls();
        changes.add_attribute(n).expect("n");
        let t = Attribute::of("t", Datatype::StringAscii)
            .with_values_per_cell(2)
            .expect("two values");
        changes.add_attribute(t).expect("t");
        array.evolve(&changes).expect("add");
        array.reopen().expect("reopen");
        let all = array.query().collect().expect("read");
        let n = all.field("n").expect("n");
        assert!((0..CELLS as usize).all(|cell| n.is_null(cell)), "{kind:?}");
        assert_eq!(all.field("t").expect("t").data(), [0; 2 * CELLS as usize]);
        let stays: Vec<i32> = (0..CELLS).collect();
        assert_eq!(all.values::<i32>("stays").expect("stays"), stays);
    }
}

/// Returns the current time in milliseconds, after which later changes have another time.
fn time() -> u64 {
    let now = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.expect("a time").as_millis() as u64
    };
    let time = now();
    while now() == time {
        std::thread::sleep(Duration::from_micros(100));
    }
    time
}

/// Writes two cells of a, and of x if the array has it. Returns a time after the write.
fn write_two(context: &Context, cells: [i32; 2], value: i32) -> u64 {
    let array = Array::open(context, "mem://array").expect("open");
    let schema = array.schema().expect("schema");
    let values = [value, value + 1];
    let mut write = array.write().column("a", values);
    write = if schema.is_dense() {
        write.range("d", cells[0]..=cells[1])
    } else {
        write.column("d", cells)
    };
    if schema.attribute("x").is_some() {
        write = write.column("x", values.map(|value| -value));
    }
    write.submit().expect("write");
    time()
}

fn read_at(context: &Context, time: u64, name: &str) -> Vec<i32> {
    let array = Array::open_at(context, "mem://array", ..=time).expect("open");
    array.query().range("d", 0..=3).read(name).expect("read")
}

fn drop_x(context: &Context) -> u64 {
    let mut changes = SchemaEvolution::new();
    changes.drop_attribute("x");
    let array = Array::open(context, "mem://array").expect("open");
    array.evolve(&changes).expect("drop");
    time()
}

#[test]
fn readers_at_earlier_times_see_attributes_that_consolidation_has_left_out() {
    const FILL: i32 = i32::MIN;
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        for max_size in ["18446744073709551615", "400"] {
            let mut config = Config::new();
            let limit = "sm.consolidation.max_fragment_size";
            config.set(limit, max_size).expect("a size");
            let context = Context::with_config(config).expect("context");
            let schema = Schema::builder(kind)
                .dimension("d", Datatype::Int32, 0..=3, 2)
                .capacity(2)
                .attribute("a", Datatype::Int32)
                .attribute("x", Datatype::Int32);
            let schema = schema.build().expect("schema");
            Array::create(&context, "mem://array", &schema).expect("create");
            let first = write_two(&context, [0, 1], 10);
            let second = write_two(&context, [1, 2], 20);
            let dropped = drop_x(&context);
            let third = write_two(&context, [2, 3], 30);
            let mut open = Array::open_at(&context, "mem://array", ..=second).expect("open");
            let consolidate = || {
                let array = Array::open(&context, "mem://array").expect("open");
                array
                    .consolidate(MaintenanceMode::Fragments)
                    .expect("consolidate");
            };
            let shown = |cells: &[i32]| -> Vec<i32> {
                let fills = if kind == ArrayType::Dense {
                    4 - cells.len()
                } else {
                    0
                };
                cells
                    .iter()
                    .copied()
                    .chain(std::iter::repeat_n(FILL, fills))
                    .collect()
            };
            let check = || {
                assert_eq!(read_at(&context, first, "x"), shown(&[-10, -11]));
                assert_eq!(read_at(&context, second, "x"), shown(&[-10, -20, -21]));
                assert_eq!(read_at(&context, first, "a"), shown(&[10, 11]));
                assert_eq!(read_at(&context, dropped, "a"), shown(&[10, 20, 21]));
                assert_eq!(read_at(&context, third, "a"), [10, 20, 30, 31], "{kind:?}");
            };
            check();
            consolidate();
            check();
            // The restored fragments are those that are listed when an open array is compared.
            open.reopen().expect("reopen");
            let x = open.query().range("d", 0..=2).read::<i32>("x").expect("x");
            assert_eq!(x, [-10, -20, -21]);
            // A fragment that replaces the consolidated one.
            write_two(&context, [2, 3], 40);
            consolidate();
            assert_eq!(read_at(&context, second, "x"), shown(&[-10, -20, -21]));
            // The attribute is added again, without its values.
            let mut changes = SchemaEvolution::new();
            changes
                .add_attribute(Attribute::of("x", Datatype::Int32))
                .expect("x");
            let array = Array::open(&context, "mem://array").expect("open");
            array.evolve(&changes).expect("add");
            let last = time();
            let x = read_at(&context, last, "x");
            assert_eq!(x, [FILL; 4], "{kind:?} {max_size}");
            assert_eq!(read_at(&context, last, "a"), [10, 20, 40, 41], "{kind:?}");
            array.vacuum(MaintenanceMode::Fragments).expect("vacuum");
            assert_eq!(read_at(&context, last, "x"), [FILL; 4]);
            assert_eq!(read_at(&context, last, "a"), [10, 20, 40, 41], "{kind:?}");
        }
    }
}
