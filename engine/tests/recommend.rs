//! Recommended schemas: what is chosen for samples of many kinds, and arrays with them.

use tiledb_engine::{
    Array, ArrayType, Attribute, CellBytes, Context, Datatype, FilterType, Goal, Layout,
    Recommendation, Result, Sample, SampleColumn, Scalar, Schema,
};

const ROWS: u64 = 20_000;

fn mixed(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
}

/// The cells of a field.
#[derive(Clone, Default)]
struct Cells {
    name: &'static str,
    data: Vec<u8>,
    offsets: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
}

impl Cells {
    fn numbers<const N: usize>(name: &'static str, cell: impl Fn(u64) -> [u8; N]) -> Self {
        Self {
            name,
            data: (0..ROWS).flat_map(cell).collect(),
            ..Self::default()
        }
    }

    fn texts(name: &'static str, cell: impl Fn(u64) -> String) -> Self {
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        for row in 0..ROWS {
            offsets.push(data.len() as u64);
            data.extend(cell(row).into_bytes());
        }
        Self {
            name,
            data,
            offsets: Some(offsets),
            ..Self::default()
        }
    }

    fn column(&self) -> SampleColumn<'_> {
        SampleColumn {
            name: self.name,
            data: &self.data,
            offsets: self.offsets.as_deref(),
            validity: self.validity.as_deref(),
        }
    }
}

fn table() -> Vec<Cells> {
    let mut nullable = Cells::numbers("maybe", |row| ((row / 7) as f32).to_le_bytes());
    nullable.validity = Some((0..ROWS).map(|row| u8::from(row % 5 != 0)).collect());
    vec![
        Cells::numbers("row", u64::to_le_bytes),
        Cells::numbers("key", |row| ((row * 3) as i64).to_le_bytes()),
        Cells::numbers("small", |row| ((mixed(row) % 1000) as i32).to_le_bytes()),
        Cells::numbers("random", |row| {
            (mixed(row) << 8 | mixed(row + 1) & 255).to_le_bytes()
        }),
        Cells::numbers("real", |row| {
            ((mixed(row) % 10_000) as f64 / 100.0).to_le_bytes()
        }),
        nullable,
        Cells::texts("tree", |row| {
            ["oak", "ash", "elm", ""][(mixed(row) % 4) as usize].to_owned()
        }),
        Cells::texts("name", |row| format!("name {:x}", mixed(row))),
    ]
}

fn draft() -> Schema {
    Schema::builder(ArrayType::Sparse)
        .dimension("row", Datatype::Uint64, 0..=1u64 << 40, 1000)
        .attribute("key", Datatype::Int64)
        .attribute("small", Datatype::Int32)
        .attribute("random", Datatype::Uint64)
        .attribute("real", Datatype::Float64)
        .nullable_attribute("maybe", Datatype::Float32)
        .attribute("tree", Datatype::StringUtf8)
        .attribute("name", Datatype::StringUtf8)
        .build()
        .expect("a schema")
}

fn recommend(goal: Goal) -> Recommendation {
    let table = table();
    let sample = Sample::new().goal(goal).total_cells(1_000_000);
    let sample = table
        .iter()
        .fold(sample, |sample, cells| sample.column(cells.column()));
    draft().recommend(&sample).expect("a recommendation")
}

fn kinds(schema: &Schema, field: &str) -> Vec<FilterType> {
    let filters = schema.filters(field).expect("a field");
    filters.filters.iter().map(|filter| filter.kind()).collect()
}

/// Writes the table to an array with a schema; returns the array and its size.
fn written(context: &Context, schema: &Schema, table: &[Cells]) -> Result<(Array, u64)> {
    let uri = "mem://table";
    Array::create(context, uri, schema)?;
    let mut array = Array::open(context, uri)?;
    let mut write = array.write();
    for cells in table {
        let is_label = schema
            .attribute(cells.name)
            .is_some_and(|attribute| attribute.enumeration.is_some());
        if is_label {
            let texts = (0..ROWS as usize).map(|row| {
                let offsets = cells.offsets.as_ref().expect("texts");
                let end = offsets.get(row + 1).copied();
                let end = end.unwrap_or(cells.data.len() as u64) as usize;
                let bytes = &cells.data[offsets[row] as usize..end];
                Scalar::from(std::str::from_utf8(bytes).expect("UTF-8"))
            });
            write = write.column(cells.name, texts);
            continue;
        }
        let bytes = CellBytes {
            data: &cells.data,
            offsets: cells.offsets.as_deref(),
            validity: cells.validity.as_deref(),
        };
        write = write.column_bytes(cells.name, bytes);
    }
    write.submit()?;
    array.reopen()?;
    let size = array
        .fragments()?
        .iter()
        .map(|found| found.size())
        .sum::<Result<u64>>()?;
    Ok((array, size))
}

#[test]
fn the_same_sample_has_the_same_recommendation() {
    for goal in [Goal::Balanced, Goal::Size, Goal::Speed] {
        let (one, other) = (recommend(goal), recommend(goal));
        assert_eq!(one.reasons, other.reasons);
        let (one, other) = (one.schema(), other.schema());
        for field in one.field_names() {
            assert_eq!(one.filters(field), other.filters(field), "{field}");
        }
        assert_eq!(one.capacity(), other.capacity());
        assert_eq!(Goal::from_name(goal.name()), Some(goal));
    }
}

#[test]
fn cells_survive_every_goal_and_are_smaller_than_with_zstd() {
    let table = table();
    let zstd = tiledb_engine::FilterList::of(
        tiledb_engine::Filter::new(FilterType::Zstd).expect("a filter"),
    );
    let mut plain = Schema::builder(ArrayType::Sparse)
        .dimension("row", Datatype::Uint64, 0..=1u64 << 40, 1000)
        .filters("row", zstd.clone());
    for attribute in draft().attributes() {
        let attribute = Attribute::clone(attribute);
        plain = plain.with_attribute(attribute.with_filters(zstd.clone()).expect("filters"));
    }
    let plain = plain.build().expect("a schema");
    let context = Context::new().expect("a context");
    let (expected, zstd_size) = written(&context, &plain, &table).expect("written");
    let mut sizes = Vec::new();
    for goal in [Goal::Size, Goal::Balanced, Goal::Speed] {
        let context = Context::new().expect("a context");
        let schema = recommend(goal).schema();
        let (array, size) = written(&context, &schema, &table).expect("written");
        sizes.push(size);
        for field in schema.field_names() {
            let values = |array: &Array| {
                let query = array.query().layout(Layout::RowMajor);
                query.read::<Option<Scalar>>(field).expect("values")
            };
            assert_eq!(values(&array), values(&expected), "{field}, {goal:?}");
        }
    }
    assert!(sizes[0] < zstd_size, "{sizes:?}, zstd {zstd_size}");
    assert!(sizes.is_sorted(), "{sizes:?}");
}

#[test]
fn filters_suit_the_values() {
    let schema = recommend(Goal::Balanced).schema();
    // Differences of ascending numbers are constant.
    for field in ["row", "key"] {
        let kinds = kinds(&schema, field);
        let is_delta =
            |kind: &FilterType| matches!(kind, FilterType::DoubleDelta | FilterType::Delta);
        assert!(kinds.iter().any(is_delta), "{field}: {kinds:?}");
    }
    // Random bits cannot be compressed.
    assert_eq!(kinds(&schema, "random"), []);
    assert_ne!(kinds(&schema, "small"), []);
}

#[test]
fn texts_of_few_values_become_enumerations() {
    let recommendation = recommend(Goal::Balanced);
    let schema = recommendation.schema();
    assert_eq!(schema.enumeration_names().collect::<Vec<_>>(), ["tree"]);
    assert_eq!(schema.datatype("tree"), Some(Datatype::Uint16));
    assert_eq!(schema.datatype("name"), Some(Datatype::StringUtf8));
    let reason = |subject: &str| {
        let mut reasons = recommendation.reasons.iter();
        let reason = reasons.find(|reason| reason.subject == subject);
        reason.expect("a reason").to_string()
    };
    assert!(reason("tree").contains("enumeration of 4 as UINT16"));
    assert!(reason("tree").contains("4 distinct of 20000"));
    assert!(reason("name").contains("over 16384 texts are too many for labels"));
    assert!(
        recommendation
            .reasons
            .iter()
            .all(|reason| !reason.to_string().contains('\n'))
    );

    let cells = Cells::texts("tree", |row| format!("tree {}", row % 4));
    let sample = Sample::new().column(cells.column()).keep_texts("tree");
    let kept = draft()
        .recommend(&sample)
        .expect("a recommendation")
        .schema();
    assert_eq!(kept.datatype("tree"), Some(Datatype::StringUtf8));
    // Fields without cells keep their filters.
    assert_eq!(kept.filters("key"), draft().filters("key"));
}

#[test]
fn extents_have_the_shape_of_the_typical_read() {
    let draft = Schema::builder(ArrayType::Dense)
        .dimension("y", Datatype::Int64, 0..=9_999, 10)
        .dimension("x", Datatype::Int64, 0..=9_999, 10)
        .attribute("value", Datatype::Float32)
        .build()
        .expect("a schema");
    let cells = Cells::numbers("value", |row| ((row % 100) as f32).to_le_bytes());
    let extents = |sample: Sample<'_>| -> Vec<i128> {
        let schema = draft.recommend(&sample).expect("a recommendation").schema();
        let extents = schema
            .dimensions()
            .iter()
            .map(|dimension| match dimension.tile_extent() {
                Some(Scalar::Integer(extent)) => extent,
                other => panic!("{other:?}"),
            });
        extents.collect()
    };
    let sample = || Sample::new().column(cells.column());
    let boxes = extents(sample());
    assert_eq!(boxes[0], boxes[1]);
    assert!((64..=1024).contains(&boxes[0]), "{boxes:?}");
    let rows = extents(sample().typical_read([0.0001, 1.0]));
    assert!(rows[0] * 100 < rows[1], "{rows:?}");
    let columns = extents(sample().typical_read([1.0, 0.0001]));
    assert_eq!(columns, [rows[1], rows[0]]);
    // Numbers that are no parts have no effect.
    assert_eq!(
        extents(sample().typical_read([f64::NAN, f64::INFINITY])),
        boxes
    );
}

#[test]
fn samples_that_do_not_fit_are_errors() {
    let error = |columns: &[SampleColumn<'_>]| {
        let sample = columns.iter().copied().fold(Sample::new(), Sample::column);
        draft()
            .recommend(&sample)
            .expect_err("an error")
            .to_string()
    };
    let column = |name, data| SampleColumn {
        name,
        data,
        ..SampleColumn::default()
    };
    assert_eq!(error(&[]), "The sample has no cells");
    assert_eq!(error(&[column("key", &[])]), "The sample has no cells");
    assert_eq!(
        error(&[column("other", &[0; 8])]),
        "There is no field 'other'"
    );
    assert!(error(&[column("key", &[0; 9])]).contains("the last cell is incomplete"));
    assert!(error(&[column("tree", b"ab")]).contains("its cells need offsets"));
    let twice = [column("key", &[0; 8]), column("key", &[0; 8])];
    assert!(error(&twice).contains("twice"));
    let unequal = [column("key", &[0; 8]), column("small", &[0; 8])];
    assert!(error(&unequal).contains("has 1 cells and field 'small' has 2"));
    let texts = |offsets: &'static [u64]| SampleColumn {
        name: "tree",
        data: b"oak",
        offsets: Some(offsets),
        validity: None,
    };
    for offsets in [&[0, 4][..], &[2, 1], &[u64::MAX]] {
        assert!(error(&[texts(offsets)]).contains("its offsets are not ascending"));
    }
    let mut fixed = column("key", &[0; 8]);
    fixed.offsets = Some(&[0]);
    assert!(error(&[fixed]).contains("have no offsets"));
    let mut nulls = column("maybe", &[0; 8]);
    nulls.validity = Some(&[1]);
    assert!(error(&[nulls]).contains("validity"));
}

#[test]
fn extreme_cells_have_a_recommendation() {
    let values = [0u64, u64::MAX, 1, u64::MAX / 2, f64::NAN.to_bits()];
    let data: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    for cells in 1..=values.len() {
        let fields = ["row", "key", "random", "real"];
        let sample = fields
            .iter()
            .fold(Sample::new().total_cells(u64::MAX), |sample, name| {
                sample.column(SampleColumn {
                    name,
                    data: &data[..8 * cells],
                    ..SampleColumn::default()
                })
            });
        let sample = sample.typical_read([0.0, -1.0, 7.0]);
        let recommendation = draft().recommend(&sample).expect("a recommendation");
        assert_eq!(recommendation.reasons.len(), 5);
    }
    // Nothing but nulls, and nothing but empty texts.
    let validity = vec![0; 3];
    let sample = Sample::new()
        .column(SampleColumn {
            name: "maybe",
            data: &[0; 12],
            offsets: None,
            validity: Some(&validity),
        })
        .column(SampleColumn {
            name: "name",
            data: &[],
            offsets: Some(&[0; 3]),
            validity: None,
        });
    assert!(draft().recommend(&sample).is_ok());
}
