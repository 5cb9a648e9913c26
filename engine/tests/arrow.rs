//! Cells as Arrow's record batches: what is written as a batch is read as cells, and the other way
//! around, for all datatypes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMillisecondType, DurationNanosecondType, Float64Type, Int32Type, Int64Type, UInt8Type,
};
use arrow_array::{
    Array as _, ArrayRef, DictionaryArray, DurationSecondArray, FixedSizeListArray, Int64Array,
    LargeListArray, LargeStringArray, RecordBatch, RecordBatchReader, StringArray, StringViewArray,
    UInt8Array,
};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, TimeUnit};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use tiledb_engine::{
    Array, ArrayType, Attribute, CellBytes, Context, DataOrder, Datatype, Dimension, Enumeration,
    Layout, Records, Schema, SchemaEvolution, field,
};

/// The number of cells of a random array.
const CELLS: usize = 60;

/// A random attribute: what it is, and the seed of its cells.
#[derive(Clone, Debug)]
struct RandomField {
    datatype: Datatype,
    /// 0 for any number.
    values: u32,
    nullable: bool,
    /// The number of values of its enumeration.
    labels: Option<(u8, bool)>,
    seed: u64,
}

fn random_field() -> impl Strategy<Value = RandomField> {
    let datatype = proptest::sample::select(Datatype::ALL.to_vec());
    let labels = proptest::option::weighted(0.2, (1..9_u8, any::<bool>()));
    (datatype, 0..4_u32, any::<bool>(), labels, any::<u64>()).prop_map(
        |(datatype, values, nullable, labels, seed)| RandomField {
            datatype: match labels {
                Some(_) if !datatype.is_integer() => Datatype::Int16,
                _ => datatype,
            },
            values: match (labels, datatype) {
                (Some(_), _) => 1,
                (None, Datatype::Any) => 0,
                _ => values,
            },
            nullable,
            labels,
            seed,
        },
    )
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

impl RandomField {
    fn attribute(&self, name: &str) -> Attribute {
        let attribute = Attribute::of(name, self.datatype);
        let attribute = match self.values {
            0 => attribute.with_any_number_of_values(),
            number => attribute.with_values_per_cell(number).expect("values"),
        };
        let attribute = match self.labels {
            Some(_) => attribute.with_enumeration(&format!("labels of {name}")),
            None => attribute,
        };
        if self.nullable {
            attribute.with_nulls()
        } else {
            attribute
        }
    }

    /// Appends a value that the datatype can have.
    fn push(&self, random: &mut Random, to: &mut Vec<u8>) {
        let datatype = self.datatype;
        if let Some((labels, _)) = self.labels {
            let index = random.below(u64::from(labels)).to_le_bytes();
            return to.extend_from_slice(&index[..datatype.size()]);
        }
        let wide = ['a', 'ß', '語', '字'][random.below(4) as usize];
        match datatype {
            Datatype::Bool => to.push(random.below(2) as u8),
            Datatype::StringAscii => to.push(b'a' + random.below(26) as u8),
            Datatype::StringUtf8 if self.values == 0 => {
                to.extend_from_slice(wide.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Datatype::StringUtf16 | Datatype::StringUcs2 => {
                to.extend_from_slice(&(wide as u16).to_le_bytes());
            }
            Datatype::StringUtf32 | Datatype::StringUcs4 => {
                to.extend_from_slice(&u32::from(wide).to_le_bytes());
            }
            _ if datatype.is_datetime() || datatype.is_time() => {
                // At times "not a time".
                let value = match random.below(20) {
                    0 => i64::MIN,
                    _ => random.below(1 << 18) as i64 - (1 << 17),
                };
                to.extend_from_slice(&value.to_le_bytes());
            }
            _ => to.extend_from_slice(&random.next().to_le_bytes()[..datatype.size()]),
        }
    }

    /// Returns data, offsets and validity of the cells.
    fn cells(&self, cells: usize) -> (Vec<u8>, Vec<u64>, Vec<u8>) {
        let mut random = Random(self.seed);
        let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..cells {
            let valid = !self.nullable || random.below(4) > 0;
            let number = match self.values {
                0 if !valid => 0,
                0 => random.below(5),
                number => u64::from(number),
            };
            offsets.push(data.len() as u64);
            validity.push(u8::from(valid));
            for _ in 0..number {
                if valid {
                    self.push(&mut random, &mut data);
                } else {
                    data.resize(data.len() + self.datatype.size(), 0);
                }
            }
        }
        (data, offsets, validity)
    }
}

/// Returns a schema with these attributes.
fn schema_of(array_type: ArrayType, fields: &[RandomField], is_text: bool) -> Schema {
    let mut builder = Schema::builder(array_type);
    builder = if is_text {
        builder.string_dimension("d")
    } else {
        builder.dimension("d", Datatype::Int64, 0..=CELLS as i64 - 1, 16)
    };
    for (index, field) in fields.iter().enumerate() {
        let name = format!("a{index}");
        if let Some((number, ordered)) = field.labels {
            let texts = (0..number).map(|label| format!("label {label}"));
            let labels = Enumeration::of_texts(&format!("labels of {name}"), ordered, texts);
            builder = builder.enumeration(labels.expect("an enumeration"));
        }
        builder = builder.with_attribute(field.attribute(&name));
    }
    builder.build().expect("a schema")
}

/// Compares the cells of all fields.
fn compare(one: &Records, other: &Records) -> TestCaseResult {
    for (field, copied) in one.fields().iter().zip(other.fields()) {
        prop_assert_eq!(field.data(), copied.data(), "{}", field.name());
        prop_assert_eq!(field.offsets(), copied.offsets(), "{}", field.name());
        prop_assert_eq!(field.validity(), copied.validity(), "{}", field.name());
    }
    Ok(())
}

fn check_round_trip(
    fields: &[RandomField],
    is_dense: bool,
    is_text: bool,
    bytes: usize,
) -> TestCaseResult {
    let context = Context::new().expect("context");
    let (array_type, layout) = if is_dense {
        (ArrayType::Dense, Layout::RowMajor)
    } else {
        (ArrayType::Sparse, Layout::Unordered)
    };
    let is_text = is_text && !is_dense;
    let schema = schema_of(array_type, fields, is_text);
    for uri in ["mem://one", "mem://two", "mem://three"] {
        Array::create(&context, uri, &schema).expect("create");
    }
    let mut array = Array::open(&context, "mem://one").expect("open");
    let mut write = array.write();
    if is_text {
        write = write.column("d", (0..CELLS).map(|cell| format!("{cell:05}")));
    } else if !is_dense {
        write = write.column("d", 0..CELLS as i64);
    }
    for (index, random) in fields.iter().enumerate() {
        let (data, offsets, validity) = random.cells(CELLS);
        let cells = CellBytes {
            data: &data,
            offsets: (random.values == 0).then_some(&offsets[..]),
            validity: random.nullable.then_some(&validity[..]),
        };
        write = write.column_bytes(&format!("a{index}"), cells);
    }
    write.submit().expect("write");
    array.reopen().expect("reopen");
    let all = array.query().layout(layout).collect().expect("read");

    // Everything at once.
    let batch = array
        .query()
        .layout(layout)
        .collect_record_batch()
        .expect("a batch");
    prop_assert_eq!(batch.num_rows(), CELLS);
    let mut copy = Array::open(&context, "mem://two").expect("open");
    copy.write()
        .record_batch(&batch)
        .submit()
        .expect("write a batch");
    copy.reopen().expect("reopen");
    compare(&all, &copy.query().layout(layout).collect().expect("read"))?;

    // In batches of any size; all of them are kept.
    let query = array.query().layout(layout).batch_bytes(bytes);
    let batches = query.record_batches().expect("batches");
    let declared = batches.schema();
    let batches: Vec<RecordBatch> = batches.collect::<Result<_, _>>().expect("batches");
    let mut copy = Array::open(&context, "mem://three").expect("open");
    let mut first = 0;
    for part in &batches {
        prop_assert_eq!(&part.schema(), &declared);
        let rows = part.num_rows() as i64;
        let write = copy.write().record_batch(part);
        let write = if is_dense {
            write.range("d", first..=first + rows - 1)
        } else {
            write
        };
        write.submit().expect("write a batch");
        first += rows;
    }
    prop_assert_eq!(first, CELLS as i64);
    copy.reopen().expect("reopen");
    let copied = copy.query().collect().expect("read");
    compare(&array.query().collect().expect("read"), &copied)?;

    // The Arrow schema describes the fields.
    let arrow = array.arrow_schema().expect("a schema");
    let dimension: Dimension = (**schema.dimension("d").expect("a dimension")).clone();
    let restored = Schema::from_arrow(array_type, [dimension], &arrow).expect("a schema");
    for (one, other) in schema.attributes().iter().zip(restored.attributes()) {
        prop_assert_eq!(&one.name, &other.name);
        prop_assert_eq!(one.datatype, other.datatype, "{}", arrow);
        prop_assert_eq!(one.cell_val_num, other.cell_val_num, "{}", arrow);
        // Indexes without a value are null in Arrow.
        prop_assert_eq!(
            one.nullable || one.enumeration.is_some(),
            other.nullable,
            "{}",
            arrow
        );
        prop_assert_eq!(
            one.enumeration.is_some(),
            other.enumeration.is_some(),
            "{}",
            arrow
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn cells_of_random_arrays_are_the_same_after_a_round_trip(
        fields in proptest::collection::vec(random_field(), 1..5),
        is_dense in any::<bool>(),
        is_text in any::<bool>(),
        bytes in 1..4000_usize,
    ) {
        check_round_trip(&fields, is_dense, is_text, bytes)?;
    }
}

/// Creates an array with these attributes and cells 0 to 3 of the dimension "d".
fn array_with(context: &Context, uri: &str, attributes: Vec<Attribute>) -> Array {
    let mut builder = Schema::builder(ArrayType::Sparse).dimension("d", Datatype::Int64, 0..=9, 5);
    for attribute in attributes {
        builder = builder.with_attribute(attribute);
    }
    Array::create(context, uri, &builder.build().expect("schema")).expect("create");
    Array::open(context, uri).expect("open")
}

fn rows(number: i64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(0..number))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("a batch")
}

#[test]
fn views_dictionaries_and_slices_are_written() {
    let context = Context::new().expect("context");
    let text = Attribute::of("text", Datatype::StringUtf8).with_nulls();
    let wide = Attribute::of("wide", Datatype::StringUtf16);
    let mut array = array_with(&context, "mem://texts", vec![text, wide]);
    let long = "a text that is longer than a view";
    let views = StringViewArray::from(vec![Some("?"), Some("a"), None, Some(long)]);
    let keys: DictionaryArray<Int32Type> = ["?", "語", "𝄞", "語"].into_iter().collect();
    let all = batch(vec![
        ("d", rows(4)),
        ("text", Arc::new(views)),
        ("wide", Arc::new(keys)),
    ]);
    array
        .write()
        .record_batch(&all.slice(1, 3))
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    let texts = array.read::<Option<String>>("text").expect("read");
    assert_eq!(texts, [Some("a".to_owned()), None, Some(long.to_owned())]);
    assert_eq!(
        array.read::<String>("wide").expect("read"),
        ["語", "𝄞", "語"]
    );
    let read = array.query().collect_record_batch().expect("a batch");
    let wide = read
        .column_by_name("wide")
        .expect("a column")
        .as_string::<i64>();
    assert_eq!(wide.iter().flatten().collect::<Vec<_>>(), ["語", "𝄞", "語"]);
}

#[test]
fn values_that_do_not_fit_are_errors_that_name_the_field() {
    let context = Context::new().expect("context");
    let hours = Attribute::of("hours", Datatype::DatetimeHr);
    let array = array_with(&context, "mem://hours", vec![hours]);
    let half_hour = arrow_array::TimestampSecondArray::from(vec![3600, 5400]);
    let text = LargeStringArray::from(vec!["a", "b"]);
    let null = arrow_array::TimestampSecondArray::from(vec![Some(3600), None]);
    let columns: [(ArrayRef, &str); 3] = [
        (Arc::new(half_hour), "time 5400"),
        (Arc::new(text), "LargeUtf8"),
        (Arc::new(null), "not nullable"),
    ];
    for (column, problem) in columns {
        let batch = batch(vec![("d", rows(2)), ("hours", column)]);
        let error = array
            .write()
            .record_batch(&batch)
            .submit()
            .expect_err("does not fit");
        let error = error.to_string();
        assert!(
            error.contains("'hours'") && error.contains(problem),
            "{error}"
        );
    }
    let error = array
        .write()
        .record_batch(&batch(vec![("other", rows(2))]))
        .submit();
    assert!(error.expect_err("no field").to_string().contains("'other'"));
    assert_eq!(array.query().count().expect("count"), 0);
}

#[test]
fn values_that_arrow_cannot_express_are_errors_that_name_the_field() {
    let context = Context::new().expect("context");
    let text = Attribute::of("text", Datatype::StringUtf8);
    let week = Attribute::of("week", Datatype::DatetimeWeek);
    let mut array = array_with(&context, "mem://bad", vec![text, week]);
    let invalid = CellBytes {
        data: &[b'a', 0xff],
        offsets: Some(&[0, 1]),
        validity: None,
    };
    let write = array
        .write()
        .column("d", [1, 2])
        .column_bytes("text", invalid);
    write
        .column("week", [1, i64::from(i32::MAX)])
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    for name in ["text", "week"] {
        let error = array
            .query()
            .fields([name])
            .collect_record_batch()
            .expect_err("no value");
        assert!(error.to_string().contains(&format!("'{name}'")), "{error}");
        let mut batches = array
            .query()
            .fields([name])
            .record_batches()
            .expect("batches");
        let error = batches.next().expect("an error").expect_err("no value");
        assert!(error.to_string().contains(&format!("'{name}'")), "{error}");
        assert!(batches.next().is_none());
    }
}

#[test]
fn indexes_without_a_value_are_null() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("d", Datatype::Int64, 0..=3, 4)
        .enumeration(Enumeration::of_texts("trees", true, ["ash", "oak"]).expect("texts"))
        .with_attribute(Attribute::of("tree", Datatype::Uint8).with_enumeration("trees"))
        .build()
        .expect("schema");
    Array::create(&context, "mem://wood", &schema).expect("create");
    let mut array = Array::open(&context, "mem://wood").expect("open");
    let keys: DictionaryArray<Int32Type> = ["oak", "ash"].into_iter().collect();
    let batch = batch(vec![("tree", Arc::new(keys))]);
    array
        .write()
        .range("d", 1..=2)
        .record_batch(&batch)
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    let read = array.query().collect_record_batch().expect("a batch");
    let field = read.schema_ref().field(0).clone();
    assert_eq!(field.dict_is_ordered(), Some(true));
    let trees = read.column(0).as_any_dictionary();
    assert_eq!(trees.normalized_keys()[1..3], [1, 0]);
    assert!(trees.is_null(0) && trees.is_null(3) && trees.is_valid(1));
    let read = array.query().indexes(["tree"]).collect_record_batch();
    let indexes = read.expect("a batch").column(0).clone();
    let expected = UInt8Array::from(vec![None, Some(1), Some(0), None]);
    assert_eq!(indexes.as_primitive::<UInt8Type>(), &expected);
    let more: DictionaryArray<Int32Type> = ["elm"].into_iter().collect();
    let more = RecordBatch::try_from_iter([("tree", Arc::new(more) as ArrayRef)]).expect("a batch");
    let error = array.write().range("d", 0..=0).record_batch(&more).submit();
    let error = error.expect_err("not a value").to_string();
    assert!(
        error.contains("'tree'") && error.contains("'trees'"),
        "{error}"
    );
}

#[test]
fn dictionaries_of_arrow_schemas_become_enumerations_to_which_values_are_added() {
    let context = Context::new().expect("context");
    let kind = DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into());
    let arrow = ArrowSchema::new(vec![
        Field::new("d", DataType::Int64, false),
        Field::new("tree", kind, true),
        Field::new(
            "noon",
            DataType::Timestamp(TimeUnit::Second, Some("UTC".into())),
            false,
        ),
    ]);
    let draft = Schema::builder(ArrayType::Sparse).dimension("d", Datatype::Int64, 0..=9, 5);
    let schema = draft.arrow_attributes(&arrow).build().expect("schema");
    assert_eq!(schema.datatype("noon"), Some(Datatype::DatetimeSec));
    Array::create(&context, "mem://evolved", &schema).expect("create");
    let array = Array::open(&context, "mem://evolved").expect("open");
    let labels = array.enumeration("tree").expect("an enumeration");
    let labels = labels.with_texts(["oak"]).expect("more");
    let mut changes = SchemaEvolution::new();
    changes
        .extend_enumeration(&Arc::new(labels))
        .expect("more values");
    array.evolve(&changes).expect("evolve");
    let array = Array::open(&context, "mem://evolved").expect("open");
    let text: ArrayRef = Arc::new(LargeStringArray::from(vec!["oak"]));
    let noon: ArrayRef = Arc::new(arrow_array::TimestampSecondArray::from(vec![43_200]));
    let batch = batch(vec![("d", rows(1)), ("tree", text), ("noon", noon)]);
    array.write().record_batch(&batch).submit().expect("write");
    let array = Array::open(&context, "mem://evolved").expect("open");
    assert_eq!(
        array.read::<Option<String>>("tree").expect("read"),
        [Some("oak".to_owned())]
    );
    let decimal = ArrowSchema::new(vec![Field::new("price", DataType::Decimal128(9, 2), false)]);
    let draft = Schema::builder(ArrayType::Sparse).dimension("d", Datatype::Int64, 0..=9, 5);
    let error = draft
        .arrow_attributes(&decimal)
        .build()
        .expect_err("no datatype");
    assert!(error.to_string().contains("'price'"), "{error}");
}

#[test]
fn enumerations_are_extended_by_the_values_of_a_batch() {
    let (context, uri) = (Context::new().expect("context"), "mem://grove");
    let texts = |values: &[&str]| Enumeration::of_texts("trees", false, values).expect("texts");
    let ordered = Enumeration::of_texts("sizes", true, ["small"]).expect("texts");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int64, 0..=99, 10)
        .enumeration(texts(&["oak"]))
        .enumeration(ordered)
        .with_attribute(Attribute::of("one", Datatype::Int8).with_enumeration("trees"))
        .with_attribute(Attribute::of("two", Datatype::Uint16).with_enumeration("trees"))
        .with_attribute(Attribute::of("size", Datatype::Uint8).with_enumeration("sizes"))
        .build()
        .expect("schema");
    Array::create(&context, uri, &schema).expect("create");
    let mut array = Array::open(&context, uri).expect("open");
    let mut stale = array.clone();
    // A dictionary has a value without cells, and the empty text is a value.
    let two: DictionaryArray<Int32Type> = ["pine", "", "oak"].into_iter().collect();
    let two = two.slice(0, 2);
    let small = || Arc::new(StringArray::from(vec!["small", "small"]));
    let ids = |first| Arc::new(Int64Array::from(vec![first, first + 1]));
    let first = batch(vec![
        ("d", ids(0)),
        ("one", Arc::new(StringArray::from(vec!["ash", "pine"]))),
        ("two", Arc::new(two)),
        ("size", small()),
    ]);
    array.extend_enumerations(&first).expect("more values");
    let values = array.enumeration("trees").expect("values");
    let known = |value: &str| values.index_of(value.as_bytes());
    assert_eq!(
        ["oak", "ash", "pine", ""].map(known),
        [0, 1, 2, 3].map(Some)
    );
    array.write().record_batch(&first).submit().expect("write");
    // Nothing is missing, and an array that was opened before sees the values of others.
    array.extend_enumerations(&first).expect("no values");
    let second = batch(vec![
        ("d", ids(2)),
        ("one", Arc::new(StringArray::from(vec!["elm", "ash"]))),
        ("two", Arc::new(StringArray::from(vec!["elm", "oak"]))),
        ("size", small()),
    ]);
    stale.extend_enumerations(&second).expect("more values");
    stale.write().record_batch(&second).submit().expect("write");
    array.reopen().expect("reopen");
    let read = |field| array.read::<String>(field).expect("read");
    assert_eq!(read("one"), ["ash", "pine", "elm", "ash"]);
    assert_eq!(read("two"), ["pine", "", "elm", "oak"]);
    // The order of values is kept, and integers that are too small are an error.
    let large = batch(vec![
        ("d", ids(4)),
        ("one", Arc::new(StringArray::from(vec!["ash", "ash"]))),
        ("two", Arc::new(StringArray::from(vec!["ash", "ash"]))),
        ("size", Arc::new(StringArray::from(vec!["large", "small"]))),
    ]);
    array.extend_enumerations(&large).expect("nothing to add");
    let error = array.write().record_batch(&large).submit();
    assert!(error.expect_err("no value").to_string().contains("'size'"));
    let many: Vec<String> = (0..130).map(|number| number.to_string()).collect();
    let many = batch(vec![("two", Arc::new(StringArray::from(many)))]);
    let error = array.extend_enumerations(&many).expect_err("too many");
    assert!(error.to_string().contains("'one'"), "{error}");
    let mut past = Array::open_at(&context, uri, ..=1).expect("open");
    past.extend_enumerations(&second).expect("nothing to do");
}

#[test]
fn conditions_coordinates_and_growing_buffers_are_read() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=63, 16)
        .dimension("column", Datatype::Int32, 0..=63, 16)
        .attribute("a", Datatype::Float64)
        .attribute("text", Datatype::StringAscii)
        .build()
        .expect("schema");
    Array::create(&context, "mem://grid", &schema).expect("create");
    let mut array = Array::open(&context, "mem://grid").expect("open");
    let write = array.write().column("a", (0..4096).map(f64::from));
    let texts = (0..4096).map(|cell| "x".repeat(cell % 50));
    write.column("text", texts).submit().expect("write");
    array.reopen().expect("reopen");
    let names = ["row", "column", "a", "text"];
    let query = array
        .query()
        .fields(names)
        .range("row", 2..=40)
        .range("column", 5..=5);
    let read = query.collect_record_batch().expect("a batch");
    assert_eq!(read.num_rows(), 39);
    let row = read.column(0).as_primitive::<Int32Type>();
    let values = read.column(2).as_primitive::<Float64Type>();
    for cell in 0..39 {
        assert_eq!(row.value(cell), 2 + cell as i32);
        assert_eq!(values.value(cell), f64::from(64 * row.value(cell) + 5));
    }
    // A condition makes the sizes upper bounds; a small batch makes the buffers grow.
    let query = array
        .query()
        .fields(["a", "text"])
        .condition(field("a").ge(4000.0));
    let mut cells = 0;
    for batch in query
        .clone()
        .batch_bytes(100)
        .record_batches()
        .expect("batches")
    {
        cells += batch.expect("a batch").num_rows();
    }
    assert_eq!(cells, 4096);
    assert_eq!(
        query
            .batch_bytes(100)
            .collect_record_batch()
            .expect("a batch")
            .num_rows(),
        4096
    );
    let none = array.query().range("row", 0..=0).range("column", 0..=0);
    let one = none.collect_record_batch().expect("a batch");
    assert_eq!(one.column(1).as_string::<i64>().value(0), "");
}

#[test]
fn empty_results_are_empty_batches() {
    let context = Context::new().expect("context");
    let text = Attribute::of("text", Datatype::StringUtf8).with_nulls();
    let list = Attribute::of("list", Datatype::Int32).with_any_number_of_values();
    let array = array_with(&context, "mem://empty", vec![text, list]);
    assert_eq!(array.query().record_batches().expect("batches").count(), 0);
    let batch = array.query().collect_record_batch().expect("a batch");
    assert_eq!((batch.num_rows(), batch.num_columns()), (0, 3));
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().len(), 0);
}

#[test]
fn dimension_labels_are_read_and_written_as_columns() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=3, 2)
        .dimension("column", Datatype::Int32, 0..=1, 2)
        .label("row", "name", DataOrder::Increasing, Datatype::StringAscii)
        .label("column", "depth", DataOrder::Decreasing, Datatype::Float64)
        .attribute("a", Datatype::Int64)
        .build()
        .expect("schema");
    Array::create(&context, "mem://labels", &schema).expect("create");
    let mut array = Array::open(&context, "mem://labels").expect("open");
    let names: ArrayRef = Arc::new(StringViewArray::from(vec!["ant", "bee", "cat", "dog"]));
    let write = array.write().range("row", 0..=3).range("column", 0..=1);
    write
        .record_batch(&batch(vec![("a", rows(8))]))
        .record_batch(&batch(vec![("name", names)]))
        .column("depth", [4.0, 1.0])
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    // The labels of one dimension, as selected by them.
    let query = array.query().fields(["name"]).range("name", "b"..="c~");
    let read = query.collect_record_batch().expect("labels");
    let names = read.column(0).as_string::<i64>();
    assert!(names.iter().eq([Some("bee"), Some("cat")]));
    let query = array.query().fields(["depth"]);
    let mut depths = Vec::<f64>::new();
    for read in query.record_batches().expect("batches") {
        let read = read.expect("a batch");
        depths.extend(read.column(0).as_primitive::<Float64Type>().values().iter());
    }
    assert_eq!(depths, [4.0, 1.0]);
    // Cells that labels select.
    let query = array.query().fields(["a"]).range("name", "cat"..="cat");
    let read = query.collect_record_batch().expect("cells");
    assert_eq!(read.column(0).as_primitive::<Int64Type>().values(), &[4, 5]);
    // A batch has as many values in each column, which these fields have not.
    let query = array.query().fields(["a", "name"]);
    for error in [
        query.collect_record_batch().map(drop).expect_err("unequal"),
        query
            .record_batches()
            .expect("batches")
            .next_batch()
            .expect("an item")
            .map(drop)
            .expect_err("unequal"),
    ] {
        assert!(error.to_string().contains("'name'"), "{error}");
    }
}

#[test]
fn lists_of_one_value_are_single_values() {
    let context = Context::new().expect("context");
    let lists = [Some([Some(5)]), None, Some([Some(7)])];
    let lists = FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>(lists, 1);
    let field = Field::new("a", lists.data_type().clone(), true);
    let attribute = Attribute::from_arrow(&field).expect("an attribute");
    assert_eq!(
        (attribute.datatype, attribute.cell_val_num),
        (Datatype::Int64, 1)
    );
    let cells = attribute.cells_of_arrow(&lists.slice(1, 2)).expect("cells");
    assert_eq!(cells.validity.as_deref(), Some(&[0, 1][..]));
    assert_eq!(&cells.data[8..], 7_i64.to_le_bytes());
    let mut array = array_with(&context, "mem://one", vec![attribute]);
    let columns: Vec<(&str, ArrayRef)> = vec![("d", rows(3)), ("a", Arc::new(lists))];
    array
        .write()
        .record_batch(&batch(columns))
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    let values = array.read::<Option<i64>>("a").expect("read");
    assert_eq!(values, [Some(5), None, Some(7)]);
}

#[test]
fn durations_are_stored_as_times_and_read_as_durations_if_selected() {
    let context = Context::new().expect("context");
    let hours = Attribute::of("hours", Datatype::TimeHr);
    let seconds = Attribute::of("seconds", Datatype::TimeSec).with_nulls();
    let millis = Attribute::of("millis", Datatype::TimeMs).with_any_number_of_values();
    let pairs = Attribute::of("pairs", Datatype::TimeNs);
    let pairs = pairs.with_values_per_cell(2).expect("two values");
    let attributes = vec![hours, seconds, millis, pairs];
    let mut array = array_with(&context, "mem://durations", attributes);
    // Neither of these is a time of a day, and some do not fit 32 bits.
    let long = i64::from(i32::MAX) * 10;
    let lists = LargeListArray::from_iter_primitive::<DurationMillisecondType, _, _>([
        Some(vec![Some(-1), Some(long)]),
        Some(vec![]),
    ]);
    let fixed = FixedSizeListArray::from_iter_primitive::<DurationNanosecondType, _, _>(
        [Some([Some(i64::MAX), Some(-5)]), Some([Some(0), Some(1)])],
        2,
    );
    let written = batch(vec![
        ("d", rows(2)),
        (
            "hours",
            Arc::new(DurationSecondArray::from(vec![-3600, long * 3600])),
        ),
        (
            "seconds",
            Arc::new(DurationSecondArray::from(vec![Some(long), None])),
        ),
        ("millis", Arc::new(lists)),
        ("pairs", Arc::new(fixed)),
    ]);
    for (field, column) in written.schema().fields().iter().zip(written.columns()) {
        let attribute = Attribute::from_arrow(field).expect("an attribute");
        attribute.cells_of_arrow(column).expect("cells");
    }
    array
        .write()
        .record_batch(&written)
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    assert_eq!(array.read::<i64>("hours").expect("read"), [-1, long]);
    let read = array.query().durations();
    let read = read.collect_record_batch().expect("a batch");
    for (expected, found) in written.columns().iter().zip(read.columns()) {
        assert_eq!(expected, found);
    }
    // The batch that was read can be written again.
    array
        .write()
        .record_batch(&read)
        .submit()
        .expect("a second write");
    let error = array.query().fields(["seconds"]).collect_record_batch();
    let error = error.expect_err("times of 32 bits").to_string();
    assert!(error.contains("'seconds'"), "{error}");
    let parts = batch(vec![
        ("d", rows(1)),
        ("hours", Arc::new(DurationSecondArray::from(vec![1]))),
    ]);
    let error = array.write().record_batch(&parts).submit();
    let error = error.expect_err("a part of an hour").to_string();
    assert!(error.contains("'hours'"), "{error}");
}

/// Batches of a schema.
struct Batches(ArrowSchema, std::vec::IntoIter<RecordBatch>);

impl Iterator for Batches {
    type Item = std::result::Result<RecordBatch, arrow_schema::ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.1.next().map(Ok)
    }
}

impl arrow_array::RecordBatchReader for Batches {
    fn schema(&self) -> arrow_schema::SchemaRef {
        Arc::new(self.0.clone())
    }
}

/// Reads a column without its encoding.
fn plain(name: &str, column: &ArrayRef) -> Vec<std::result::Result<RecordBatch, String>> {
    let batch = RecordBatch::try_from_iter([(name, column.clone())]).expect("a batch");
    let batches = Batches(batch.schema_ref().as_ref().clone(), vec![batch].into_iter());
    let reader = tiledb_engine::PlainReader::new(batches);
    let parts = reader.map(|part| part.map_err(|error| error.to_string()));
    parts.collect()
}

#[test]
fn runs_and_views_of_lists_are_decoded_in_parts() {
    let ends = arrow_array::Int32Array::from(vec![2, 70_000, 70_001]);
    let values = arrow_array::StringArray::from(vec![Some("a"), None, Some("b")]);
    let runs = arrow_array::RunArray::try_new(&ends, &values).expect("runs");
    for (offset, len) in [(0, 70_001), (1, 70_000), (1, 1), (69_999, 2), (5, 0)] {
        let column: ArrayRef = Arc::new(runs.slice(offset, len));
        let parts = plain("a", &column);
        assert_eq!(parts.len(), len.div_ceil(1 << 16).max(1));
        let mut found = Vec::new();
        for part in parts {
            let part = part.expect("a batch");
            assert!(part.schema_ref().field(0).is_nullable());
            let texts = part.column(0).as_string::<i32>();
            found.extend(texts.iter().map(|text| text.map(str::to_owned)));
        }
        let value = |row: usize| match row {
            0 | 1 => Some("a".to_owned()),
            70_000 => Some("b".to_owned()),
            _ => None,
        };
        let expected: Vec<_> = (offset..offset + len).map(value).collect();
        assert!(found == expected, "{offset} {len}");
    }
    let item = Arc::new(Field::new_list_field(DataType::Int32, false));
    let items: ArrayRef = Arc::new(arrow_array::Int32Array::from(vec![1, 2, 3, 4]));
    let view = arrow_array::ListViewArray::try_new(
        item,
        vec![2, 0, 1, 3].into(),
        vec![2, 3, 0, 1].into(),
        items,
        Some(vec![true, true, true, false].into()),
    );
    let column: ArrayRef = Arc::new(view.expect("views").slice(1, 3));
    let parts = plain("a", &column);
    let part = parts[0].as_ref().expect("a batch");
    let lists = part.column(0).as_list::<i64>();
    assert_eq!(
        lists.value(0).as_primitive::<Int32Type>().values(),
        &[1, 2, 3]
    );
    assert!(lists.value(1).is_empty() && lists.is_null(2) && lists.len() == 3);
}
