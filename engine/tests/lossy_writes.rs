//! Writes of values that filters, datatypes and orders can hardly store.

use tiledb_engine::internal::error::{Cause, WriteBufferError};
use tiledb_engine::internal::filter::FilterOption;
use tiledb_engine::{
    Array, ArrayType, Attribute, CellBytes, Config, Context, Datatype, Filter, FilterList,
    FilterType, Layout, MaintenanceMode, Result, Schema,
};

const PARAMETER: &str = "sm.check_float_scaling";

/// Returns float scaling with these options, before a checksum.
fn scaling(scale: f64, offset: f64, width: u64) -> FilterList {
    let mut filter = Filter::new(FilterType::ScaleFloat).expect("a filter");
    for (option, value) in [
        (FilterOption::ScaleFloatFactor, scale.to_le_bytes()),
        (FilterOption::ScaleFloatOffset, offset.to_le_bytes()),
        (FilterOption::ScaleFloatByteWidth, width.to_le_bytes()),
    ] {
        filter.set_option(option, Some(&value)).expect("an option");
    }
    FilterList {
        filters: vec![
            filter,
            Filter::new(FilterType::ChecksumMd5).expect("a filter"),
        ],
        ..FilterList::default()
    }
}

fn unchecked() -> Context {
    let mut config = Config::new();
    config.set(PARAMETER, "false").expect("a flag");
    Context::with_config(config).expect("context")
}

fn array(context: &Context, kind: ArrayType, attribute: Attribute) -> Array {
    let schema = Schema::builder(kind)
        .dimension("d", Datatype::Int32, 0..=9, 5)
        .with_attribute(attribute)
        .build()
        .expect("schema");
    Array::create(context, "mem://array", &schema).expect("create");
    Array::open(context, "mem://array").expect("open")
}

/// Returns the field and the value of the error of a write that a filter cannot store.
fn refused(result: Result<()>) -> (String, String) {
    let error = result.expect_err("refused");
    match error.cause() {
        Cause::WriteBuffer(WriteBufferError::OutsideScaling { name, value, .. }) => {
            (name.clone(), value.clone())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_outside_of_the_range_of_float_scaling_are_errors() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        for datatype in [Datatype::Float32, Datatype::Float64] {
            let context = Context::new().expect("context");
            let attribute = Attribute::of("a", datatype);
            let attribute = attribute
                .with_filters(scaling(0.5, 10.0, 1))
                .expect("filters");
            let array = array(&context, kind, attribute);
            let write = |layout: Layout, values: [f64; 5]| {
                let write = array.write().layout(layout).column("a", values);
                match kind {
                    ArrayType::Sparse => write.column("d", 0..5).submit(),
                    ArrayType::Dense => write.range("d", 0..=4).submit(),
                }
            };
            let layouts = match kind {
                ArrayType::Sparse => [Layout::Unordered, Layout::GlobalOrder],
                ArrayType::Dense => [Layout::RowMajor, Layout::GlobalOrder],
            };
            for layout in layouts {
                for (value, text) in [
                    (74.0, "74"),
                    (-54.5, "-54.5"),
                    (f64::NAN, "nan"),
                    (f64::INFINITY, "inf"),
                    (f64::NEG_INFINITY, "-inf"),
                ] {
                    let (name, refused) = refused(write(layout, [0.0, 1.0, 2.0, value, 3.0]));
                    assert_eq!(
                        (name.as_str(), refused.to_lowercase().as_str()),
                        ("a", text)
                    );
                }
                assert!(
                    array.fragments().expect("fragments").is_empty(),
                    "nothing is written"
                );
            }
            // The least and the greatest value, and one that is rounded to it.
            write(layouts[0], [-54.0, 73.5, 73.7, 1.0, 1.5]).expect("write");
            let mut array = array;
            array.reopen().expect("reopen");
            let read = array.query().range("d", 0..=4).read::<f64>("a");
            let read = match datatype {
                Datatype::Float64 => read.expect("read"),
                _ => {
                    let read = array
                        .query()
                        .range("d", 0..=4)
                        .read::<f32>("a")
                        .expect("read");
                    read.into_iter().map(f64::from).collect()
                }
            };
            assert_eq!(read, [-54.0, 73.5, 73.5, 1.0, 1.5]);
            // Fill values of cells that are not written are not numbers.
            array
                .consolidate(MaintenanceMode::Fragments)
                .expect("consolidate");
        }
    }
}

#[test]
fn coordinates_outside_of_the_range_of_float_scaling_are_errors() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Float64, 0.0..=1e6, 10.0)
        .attribute("a", Datatype::Int32)
        .filters("d", scaling(1.0, 0.0, 2))
        .build()
        .expect("schema");
    Array::create(&context, "mem://array", &schema).expect("create");
    let array = Array::open(&context, "mem://array").expect("open");
    let write = |last: f64| {
        array
            .write()
            .column("d", [1.0, last])
            .column("a", [1, 2])
            .submit()
    };
    assert_eq!(refused(write(40_000.0)), ("d".into(), "40000".into()));
    write(32_767.0).expect("write");
}

#[test]
fn null_cells_may_have_any_value() {
    let context = Context::new().expect("context");
    let attribute = Attribute::of("a", Datatype::Float64).with_nulls();
    let attribute = attribute
        .with_filters(scaling(1.0, 0.0, 2))
        .expect("filters");
    let mut array = array(&context, ArrayType::Sparse, attribute);
    let bytes: Vec<u8> = [1.0, f64::NAN]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let write = |validity: &[u8]| {
        let cells = CellBytes {
            data: &bytes,
            validity: Some(validity),
            ..CellBytes::default()
        };
        array
            .write()
            .column("d", [0, 1])
            .column_bytes("a", cells)
            .submit()
    };
    refused(write(&[1, 1]));
    write(&[1, 0]).expect("write");
    array.reopen().expect("reopen");
    assert_eq!(
        array.read::<Option<f64>>("a").expect("read"),
        [Some(1.0), None]
    );
}

#[test]
fn without_the_check_values_are_stored_as_in_libtiledb() {
    let context = unchecked();
    let attribute = Attribute::of("a", Datatype::Float64);
    let attribute = attribute
        .with_filters(scaling(1.0, 0.0, 1))
        .expect("filters");
    let mut array = array(&context, ArrayType::Sparse, attribute);
    let write = array
        .write()
        .column("d", 0..3)
        .column("a", [300.0, f64::NAN, 5.0]);
    write.submit().expect("write");
    array.reopen().expect("reopen");
    assert_eq!(array.read::<f64>("a").expect("read"), [44.0, 0.0, 5.0]);
}

#[test]
fn integers_cannot_be_scaled_as_floating_point_numbers() {
    let context = Context::new().expect("context");
    let attribute = Attribute::of("a", Datatype::Int32);
    let attribute = attribute
        .with_filters(scaling(1.0, 0.0, 4))
        .expect("filters");
    let array = array(&context, ArrayType::Sparse, attribute);
    let error = array.write().column("d", [0]).column("a", [7]).submit();
    let error = error.expect_err("refused");
    let is_expected = matches!(
        error.cause(),
        Cause::WriteBuffer(WriteBufferError::ScalingOfIntegers { name, datatype: "INT32", .. })
            if name == "a"
    );
    assert!(is_expected, "{error}");
}

#[test]
fn finite_numbers_do_not_become_infinite() {
    let context = Context::new().expect("context");
    let array = array(
        &context,
        ArrayType::Sparse,
        Attribute::of("a", Datatype::Float32),
    );
    let write = |value: f64| array.write().column("d", [0]).column("a", [value]).submit();
    assert!(write(1e39).is_err());
    write(f64::INFINITY).expect("write");
    write(3e38).expect("write");
}

#[test]
fn double_delta_of_partly_written_tiles_is_consolidated() {
    let context = Context::new().expect("context");
    let filters = FilterList {
        filters: vec![Filter::new(FilterType::DoubleDelta).expect("a filter")],
        ..FilterList::default()
    };
    let attribute = Attribute::of("a", Datatype::Int64);
    let attribute = attribute.with_filters(filters).expect("filters");
    let mut array = array(&context, ArrayType::Dense, attribute);
    for range in [0..=4, 5..=7] {
        let write = array.write().range("d", range.clone());
        write
            .column("a", range.map(i64::from))
            .submit()
            .expect("write");
    }
    array
        .consolidate(MaintenanceMode::Fragments)
        .expect("consolidate");
    array.vacuum(MaintenanceMode::Fragments).expect("vacuum");
    array.reopen().expect("reopen");
    assert_eq!(array.fragments().expect("fragments").len(), 1);
    let read = array
        .query()
        .range("d", 0..=9)
        .read::<i64>("a")
        .expect("read");
    assert_eq!(read, [0, 1, 2, 3, 4, 5, 6, 7, i64::MIN, i64::MIN]);
}

#[test]
fn empty_tiles_are_written_with_run_lengths_and_a_checksum() {
    let context = Context::new().expect("context");
    for checksum in [FilterType::ChecksumMd5, FilterType::ChecksumSha256] {
        let filters = [FilterType::Rle, checksum].map(|kind| Filter::new(kind).expect("a filter"));
        let filters = FilterList {
            filters: filters.to_vec(),
            ..FilterList::default()
        };
        let attribute = Attribute::of("a", Datatype::Uint8).with_any_number_of_values();
        let attribute = attribute.with_filters(filters).expect("filters");
        let schema = Schema::builder(ArrayType::Dense)
            .dimension("d", Datatype::Int32, 0..=3, 2)
            .with_attribute(attribute)
            .build()
            .expect("schema");
        let uri = format!("mem://{checksum:?}");
        Array::create(&context, &uri, &schema).expect("create");
        let mut array = Array::open(&context, &uri).expect("open");
        let cells = [vec![7u8], vec![], vec![], vec![]];
        array
            .write()
            .column("a", cells.clone())
            .submit()
            .expect("write");
        array.reopen().expect("reopen");
        assert_eq!(array.read::<Vec<u8>>("a").expect("read"), cells);
    }
}

#[test]
fn cells_of_sixteen_dimensions_in_hilbert_order_are_written_and_read() {
    let context = Context::new().expect("context");
    let names: Vec<String> = (0..16).map(|dim| format!("d{dim}")).collect();
    let mut schema = Schema::builder(ArrayType::Sparse)
        .cell_order(Layout::Hilbert)
        .capacity(3);
    for name in &names {
        schema = schema.dimension(name, Datatype::Int32, 0..=99, 10);
    }
    let schema = schema
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    Array::create(&context, "mem://array", &schema).expect("create");
    let mut array = Array::open(&context, "mem://array").expect("open");
    let coordinate = |cell: i32, dim: i32| (37 * cell + 11 * dim) % 100;
    let cells = 0..20;
    let mut write = array.write().column("a", cells.clone());
    for (dim, name) in (0..).zip(&names) {
        write = write.column(name, cells.clone().map(|cell| coordinate(cell, dim)));
    }
    write.submit().expect("write");
    array.reopen().expect("reopen");
    let all = array
        .query()
        .layout(Layout::GlobalOrder)
        .collect()
        .expect("read");
    let numbers = all.values::<i32>("a").expect("a");
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, cells.clone().collect::<Vec<_>>());
    for (dim, name) in (0..).zip(&names) {
        let column = all.values::<i32>(name).expect("a dimension");
        let written: Vec<i32> = numbers.iter().map(|cell| coordinate(*cell, dim)).collect();
        assert_eq!(column, written, "{name}");
    }
    let some = array
        .query()
        .range("d15", 0..=50)
        .read::<i32>("a")
        .expect("read");
    let mut some: Vec<i32> = some;
    some.sort_unstable();
    let expected: Vec<i32> = cells.filter(|cell| coordinate(*cell, 15) <= 50).collect();
    assert_eq!(some, expected);
}

#[test]
fn named_fragments_are_merged_into_one_until_the_latest_end() {
    let context = Context::new().expect("context");
    let attribute = Attribute::of("a", Datatype::Int32);
    let array = array(&context, ArrayType::Sparse, attribute);
    for time in [20u64, 40, 30] {
        let write = array.write().at(time).column("d", [time as i32 / 10]);
        write.column("a", [time as i32]).submit().expect("write");
    }
    let named = |times: &[(u64, u64)]| {
        let array = Array::open(&context, "mem://array").expect("open");
        let fragments = array.fragments().expect("fragments");
        let name = |range: &(u64, u64)| {
            let mut fragments = fragments.iter();
            let found = fragments.find(|fragment| {
                let found = fragment.timestamps();
                (found.start, found.end) == *range
            });
            found.expect("a fragment").name().to_owned()
        };
        times.iter().map(name).collect::<Vec<String>>()
    };
    for times in [[(20, 20), (40, 40)], [(20, 40), (30, 30)]] {
        let names = named(&times);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        array.consolidate_fragments(&names).expect("consolidate");
        array.vacuum(MaintenanceMode::Fragments).expect("vacuum");
    }
    assert_eq!(named(&[(20, 40)]).len(), 1);
    // The cell of time 40 is not visible before it.
    let read = |end: u64| {
        let array = Array::open_at(&context, "mem://array", ..=end).expect("open");
        array.read::<i32>("a").expect("read")
    };
    assert_eq!(read(35), [20, 30]);
    assert_eq!(read(40), [20, 30, 40]);
}

/// A combination of a real type and options of float scaling.
#[derive(Clone, Copy, Debug)]
struct Combination {
    datatype: Datatype,
    scale: f64,
    offset: f64,
    width: u64,
}

impl Combination {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for datatype in [Datatype::Float32, Datatype::Float64] {
            for scale in [1.0, -1.0, 0.5, 3.0, 1e-3, 1e6] {
                for offset in [0.0, 1.0, -2.5, 1e6] {
                    all.extend([1, 2, 4, 8].map(|width| Self {
                        datatype,
                        scale,
                        offset,
                        width,
                    }));
                }
            }
        }
        all
    }

    /// Returns the least number that is too large for the integers.
    fn end(self) -> f64 {
        2f64.powi(8 * self.width as i32 - 1)
    }

    /// Returns a number as a value of the type.
    fn value(self, number: f64) -> f64 {
        match self.datatype {
            Datatype::Float32 => f64::from(number as f32),
            _ => number,
        }
    }

    /// Returns what is read of a value; `None` if no integer represents it.
    fn stored(self, value: f64) -> Option<f64> {
        let Self { scale, offset, .. } = self;
        let scaled = match self.datatype {
            Datatype::Float32 => f64::from((value as f32 - offset as f32) / scale as f32),
            _ => (value - offset) / scale,
        };
        let integer = scaled.round();
        let fits = integer >= -self.end() && integer < self.end();
        fits.then(|| self.value(scale * self.value(integer) + offset))
    }

    /// Returns values in and outside of the range, each once.
    fn values(self) -> Vec<f64> {
        let (end, mut values) = (self.end(), Vec::new());
        let integers = [
            0.0,
            1.0,
            -1.0,
            100.0,
            end / 2.0,
            end - 1.0,
            end,
            -end,
            -end - 1.0,
        ];
        for integer in integers {
            for part in [0.0, 0.3, 0.5, -0.5] {
                values.push(self.value((integer + part) * self.scale + self.offset));
            }
        }
        values.sort_by(f64::total_cmp);
        values.dedup();
        values.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e38, -1e38]);
        values
    }

    fn filters(self, checksum_first: bool) -> FilterList {
        let mut filters = scaling(self.scale, self.offset, self.width);
        if checksum_first {
            filters.filters.reverse();
        }
        filters
    }
}

/// Reads a field of real numbers.
fn reals(array: &Array, datatype: Datatype, name: &str, range: Option<i32>) -> Vec<f64> {
    let mut query = array.query();
    if let Some(last) = range {
        query = query.range("d", 0..=last);
    }
    match datatype {
        Datatype::Float32 => {
            let read = query.read::<f32>(name).expect("read");
            read.into_iter().map(f64::from).collect()
        }
        _ => query.read(name).expect("read"),
    }
}

/// Creates an array whose attribute `a` has the filters of a combination.
fn scaled_array(
    context: &Context,
    uri: &str,
    kind: ArrayType,
    combination: Combination,
    checksum_first: bool,
) -> Array {
    let attribute = Attribute::of("a", combination.datatype)
        .with_filters(combination.filters(checksum_first))
        .expect("filters");
    let schema = Schema::builder(kind)
        .dimension("d", Datatype::Int32, 0..=99, 7)
        .capacity(7)
        .with_attribute(attribute)
        .build()
        .expect("schema");
    Array::create(context, uri, &schema).expect("create");
    Array::open(context, uri).expect("open")
}

/// Writes the first cells of an array of [`scaled_array`].
fn write_scaled(array: &Array, kind: ArrayType, values: &[f64]) -> tiledb_engine::Result<()> {
    let last = values.len() as i32 - 1;
    let write = array.write().column("a", values.to_vec());
    match kind {
        ArrayType::Sparse => write.column("d", 0..=last).submit(),
        ArrayType::Dense => write.range("d", 0..=last).submit(),
    }
}

#[test]
fn every_combination_of_float_scaling_stores_values_or_refuses_them() {
    let context = Context::new().expect("context");
    for (number, combination) in Combination::all().into_iter().enumerate() {
        let values = combination.values();
        let stored = |value: &f64| combination.stored(*value);
        let (fit, refuse): (Vec<f64>, Vec<f64>) =
            values.iter().partition(|value| stored(value).is_some());
        assert!(fit.len() > 1 && refuse.len() > 2, "{combination:?}");
        let expected: Vec<f64> = fit.iter().filter_map(stored).collect();
        let last = fit.len() as i32 - 1;
        for kind in [ArrayType::Dense, ArrayType::Sparse] {
            let uri = format!("mem://attribute-{number}-{kind:?}");
            let mut array = scaled_array(&context, &uri, kind, combination, false);
            for value in &refuse {
                let written = write_scaled(&array, kind, &[combination.offset, *value]);
                let (name, _) = refused(written);
                assert_eq!(name, "a", "{combination:?} {value}");
            }
            write_scaled(&array, kind, &fit)
                .unwrap_or_else(|error| panic!("{combination:?}: {error}"));
            array.reopen().expect("reopen");
            let read = reals(&array, combination.datatype, "a", Some(last));
            assert_eq!(read, expected, "{combination:?} {kind:?}");
        }
        // Coordinates, within the domain.
        let is_near = |value: &&f64| value.abs() <= 1e9;
        let near: Vec<f64> = fit.iter().filter(is_near).copied().collect();
        let builder = Schema::builder(ArrayType::Sparse);
        let builder = match combination.datatype {
            Datatype::Float32 => builder.dimension("d", Datatype::Float32, -1e9f32..=1e9, 1e8f32),
            _ => builder.dimension("d", Datatype::Float64, -1e9f64..=1e9, 1e8f64),
        };
        let schema = builder
            .allow_duplicates(true)
            .capacity(7)
            .attribute("a", Datatype::Int32)
            .filters("d", combination.filters(false))
            .build()
            .expect("schema");
        let uri = format!("mem://dimension-{number}");
        Array::create(&context, &uri, &schema).expect("create");
        let mut array = Array::open(&context, &uri).expect("open");
        let write = |values: &[f64]| {
            let write = array.write().column("a", 0..values.len() as i32);
            write.column("d", values.to_vec()).submit()
        };
        for value in refuse.iter().filter(is_near) {
            let (name, _) = refused(write(&[*value]));
            assert_eq!(name, "d", "{combination:?} {value}");
        }
        write(&near).unwrap_or_else(|error| panic!("{combination:?}: {error}"));
        array.reopen().expect("reopen");
        let mut read = reals(&array, combination.datatype, "d", None);
        read.sort_by(f64::total_cmp);
        let mut expected: Vec<f64> = near.iter().filter_map(stored).collect();
        expected.sort_by(f64::total_cmp);
        assert_eq!(read, expected, "{combination:?}");
    }
}

#[test]
fn checksums_before_float_scaling_are_those_of_the_values_read() {
    let context = Context::new().expect("context");
    let mut compared = 0;
    for (number, combination) in Combination::all().into_iter().enumerate() {
        let stored = |value: &f64| combination.stored(*value);
        let mut fit = combination.values();
        fit.retain(|value| stored(value).is_some());
        let expected: Vec<f64> = fit.iter().filter_map(stored).collect();
        for kind in [ArrayType::Dense, ArrayType::Sparse] {
            let uri = format!("mem://checksum-{number}-{kind:?}");
            let mut array = scaled_array(&context, &uri, kind, combination, true);
            write_scaled(&array, kind, &fit)
                .unwrap_or_else(|error| panic!("{combination:?}: {error}"));
            let last = fit.len() as i32 - 1;
            array.reopen().expect("reopen");
            let read = reals(&array, combination.datatype, "a", Some(last));
            assert_eq!(read, expected, "{combination:?} {kind:?}");
            compared += read.len();
        }
    }
    assert!(compared > 2_000, "{compared} values");
}
