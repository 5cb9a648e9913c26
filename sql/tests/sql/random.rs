//! Random queries of random arrays, compared with the same rows in memory.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::catalog::{Session, TableProvider};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::datasource::MemTable;
use datafusion::error::Result as DataFusionResult;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use tiledb_datafusion::{TableOptions, TileDbTable, session};
use tiledb_engine::{
    Array, ArrayType, Attribute, Condition, Context, Datatype, Enumeration, Layout,
    MaintenanceMode, Schema, SchemaEvolution, WriteQuery,
};

use crate::arrays::memory_session;

/// The number of queries in CI; `TILEDB_RS_SQL_QUERIES` sets another.
const QUERIES: usize = 500;
const QUERIES_PER_ARRAY: usize = 20;

/// A generator of pseudo-random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Small,
    Unsigned,
    Real,
    Text,
    Color,
    Flag,
    Day,
    Time,
}

/// A table to which no predicate is passed when a query is planned.
#[derive(Debug)]
struct UnfilteredTable(TileDbTable);

#[async_trait]
impl TableProvider for UnfilteredTable {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        assert!(filters.is_empty());
        self.0.scan(session, projection, filters, limit).await
    }
}

/// A column of a random array.
#[derive(Clone, Debug)]
struct RandomColumn {
    name: &'static str,
    kind: Kind,
    nullable: bool,
}

const TEXTS: [&str; 8] = ["", "a", "ab", "abc", "b", "it's", "ä", "zz"];
/// The end of the domain of a dimension of unsigned integers.
const LARGEST: u64 = u64::MAX - (1 << 41);
const COLORS: [&str; 4] = ["red", "green", "blue", "none"];
const REALS: [f64; 8] = [
    f64::NAN,
    -0.0,
    0.0,
    1.5,
    -2.25,
    1e300,
    f64::NEG_INFINITY,
    3.0,
];

fn column(name: &'static str, kind: Kind, nullable: bool) -> RandomColumn {
    RandomColumn {
        name,
        kind,
        nullable,
    }
}

/// Adds the cells of an attribute to a write.
fn add_cells(
    write: WriteQuery,
    random: &mut Random,
    field: &RandomColumn,
    cells: usize,
) -> WriteQuery {
    macro_rules! column {
        ($value:expr) => {{
            if field.nullable {
                let values: Vec<_> = (0..cells)
                    .map(|_| (!random.chance(25)).then(|| $value))
                    .collect();
                write.column(field.name, values)
            } else {
                let values: Vec<_> = (0..cells).map(|_| $value).collect();
                write.column(field.name, values)
            }
        }};
    }
    match field.kind {
        Kind::Int => column!(random.below(20) as i32 - 10),
        Kind::Small => column!(random.below(256) as u8 as i8),
        Kind::Unsigned => column!(random.pick(&[0, 1, 7, u64::MAX, 1 << 63, 5])),
        Kind::Real => column!(random.pick(&REALS)),
        Kind::Text => column!(random.pick(&TEXTS)),
        Kind::Color => column!(random.pick(&COLORS)),
        Kind::Flag => column!(random.chance(50)),
        Kind::Day => column!(19_700 + random.below(30) as i64),
        Kind::Time => column!(1_700_000_000 + 3600 * random.below(30) as i64),
    }
}

fn attribute(field: &RandomColumn) -> Attribute {
    let datatype = match field.kind {
        Kind::Int => Datatype::Int32,
        Kind::Small => Datatype::Int8,
        Kind::Unsigned => Datatype::Uint64,
        Kind::Real => Datatype::Float64,
        Kind::Text => Datatype::StringUtf8,
        Kind::Color => Datatype::Uint8,
        Kind::Flag => Datatype::Bool,
        Kind::Day => Datatype::DatetimeDay,
        Kind::Time => Datatype::DatetimeSec,
    };
    let mut attribute = Attribute::of(field.name, datatype);
    if field.nullable {
        attribute = attribute.with_nulls();
    }
    if field.kind == Kind::Color {
        attribute = attribute.with_enumeration("colors");
    }
    attribute
}

/// Creates an array; returns its columns and the timestamps of the writes to read, if not all.
fn create(
    context: &Context,
    uri: &str,
    random: &mut Random,
) -> (Vec<RandomColumn>, Option<(u64, u64)>) {
    let is_dense = random.chance(30);
    let mut fields = vec![
        column("i", Kind::Int, random.chance(50)),
        column("x", Kind::Real, random.chance(30)),
        column("s", Kind::Text, random.chance(50)),
        column("color", Kind::Color, random.chance(30)),
        column("small", Kind::Small, random.chance(30)),
        column("u", Kind::Unsigned, false),
        column("flag", Kind::Flag, random.chance(30)),
        column("day", Kind::Day, random.chance(30)),
        column("time", Kind::Time, random.chance(30)),
    ];
    while fields.len() > 4 {
        let index = random.below(fields.len() as u64) as usize;
        fields.remove(index);
    }
    let mut builder = Schema::builder(if is_dense {
        ArrayType::Dense
    } else {
        ArrayType::Sparse
    });
    let mut dropped = Vec::new();
    let mut dimensions = vec![column("d", Kind::Int, false)];
    builder = builder.dimension("d", Datatype::Int32, -20..=19, 7);
    match random.below(if is_dense { 2 } else { 7 }) {
        0 => {}
        2 => {
            dimensions.push(column("w", Kind::Day, false));
            builder = builder.dimension("w", Datatype::DatetimeDay, 19_700..=19_729, 7);
        }
        1 => {
            dimensions.push(column("e", Kind::Int, false));
            builder = builder.dimension("e", Datatype::Int32, -5..=6, 3);
        }
        3 => {
            dimensions.push(column("t", Kind::Text, false));
            builder = builder.string_dimension("t");
        }
        4 => {
            dimensions.push(column("k", Kind::Unsigned, false));
            builder = builder.dimension("k", Datatype::Uint64, 0..=LARGEST, 1_u64 << 40);
        }
        5 => {
            dimensions.push(column("h", Kind::Time, false));
            let (first, last) = (1_700_000_000_i64, 1_700_200_000);
            builder = builder.dimension("h", Datatype::DatetimeSec, first..=last, 25_000);
        }
        _ => {
            dimensions.push(column("r", Kind::Real, false));
            builder = builder.dimension("r", Datatype::Float64, -100.0..=100.0, 10.0);
        }
    }
    let orders = [Layout::RowMajor, Layout::RowMajor, Layout::ColMajor];
    builder = builder
        .tile_order(random.pick(&orders))
        .cell_order(random.pick(&orders));
    if !is_dense {
        if random.chance(15) {
            builder = builder.cell_order(Layout::Hilbert);
        }
        builder = builder
            .capacity(1 + random.below(20))
            .allow_duplicates(random.chance(50));
    }
    let colors = Enumeration::of_texts("colors", random.chance(30), COLORS);
    builder = builder.enumeration(colors.expect("texts"));
    for field in &fields {
        builder = builder.with_attribute(attribute(field));
    }
    let schema = builder.build().expect("a schema");
    Array::create(context, uri, &schema).expect("an array");
    let fragments = 1 + random.below(4);
    let (mut past, mut first_end) = (None, 0);
    for fragment in 0..fragments {
        if fragment == 1 && random.chance(40) {
            let mut changes = SchemaEvolution::new();
            let added = column(
                "later",
                random.pick(&[Kind::Int, Kind::Text, Kind::Real]),
                random.chance(50),
            );
            changes.add_attribute(attribute(&added)).expect("a change");
            let array = Array::open(context, uri).expect("an array");
            array.evolve(&changes).expect("a new schema");
            fields.push(added);
        }
        if fragment == 2 && random.chance(40) {
            let mut changes = SchemaEvolution::new();
            let array = Array::open(context, uri).expect("an array");
            if random.chance(50) {
                let index = random.below(fields.len() as u64 - 1) as usize;
                let field = fields.remove(index);
                changes = changes.without_attribute(field.name);
                dropped.push(field);
            } else {
                let colors = array.enumeration("colors").expect("an enumeration");
                let more = colors.with_texts(["pink", "c"]).expect("more texts");
                changes = changes.with_extended_enumeration(more).expect("a change");
            }
            array.evolve(&changes).expect("a new schema");
        }
        let array = Array::open(context, uri).expect("an array");
        let mut write = array.write();
        let cells = if is_dense {
            let mut cells = 1;
            for (dimension, low, length) in [("d", -20_i64, 40), ("e", -5, 12)] {
                if dimensions.iter().any(|field| field.name == dimension) {
                    let start = low + random.below(length) as i64;
                    let end = (start + random.below(length) as i64).min(low + length as i64 - 1);
                    write = write.range(dimension, start..=end);
                    cells *= (end - start + 1) as usize;
                }
            }
            cells
        } else {
            let number = 1 + random.below(60) as usize;
            // Cells of one write have different coordinates unless duplicates are allowed.
            let start = random.below(40) as i32;
            let number = if schema.allows_duplicates() {
                number
            } else {
                number.min(40)
            };
            write = write.column("d", (0..number).map(|cell| (start + cell as i32) % 40 - 20));
            for dimension in &dimensions[1..] {
                write = match dimension.kind {
                    Kind::Int => {
                        write.column("e", (0..number).map(|_| random.below(12) as i64 - 5))
                    }
                    Kind::Day => {
                        write.column("w", (0..number).map(|_| 19_700 + random.below(30) as i64))
                    }
                    Kind::Text => write.column(
                        "t",
                        (0..number).map(|_| random.pick(&["", "a", "ab", "b", "zz"])),
                    ),
                    Kind::Unsigned => write.column(
                        "k",
                        (0..number).map(|_| random.pick(&[0, 1, 7, 1 << 63, LARGEST])),
                    ),
                    Kind::Time => {
                        let hour = |_| 1_700_000_000 + 3600 * random.below(30) as i64;
                        write.column("h", (0..number).map(hour))
                    }
                    _ => write.column(
                        "r",
                        (0..number).map(|_| random.pick(&[0.0, -0.0, 1.5, -99.0, 50.0])),
                    ),
                };
            }
            number
        };
        for field in &fields {
            write = add_cells(write, random, field, cells);
        }
        write.submit().expect("a write");
        if !is_dense && random.chance(30) {
            let low = random.below(40) as i64 - 20;
            let text = format!("d >= {low} AND d <= {}", low + 3);
            let condition: Condition = text.parse().expect("a condition");
            array.delete(&condition).expect("a delete");
        }
        let timestamp = || Array::open(context, uri).expect("an array").timestamp();
        if fragment == 0 {
            first_end = timestamp();
        }
        if fragment == 1 && random.chance(30) {
            let start = if random.chance(40) { first_end + 1 } else { 0 };
            past = Some((start, timestamp()));
        }
    }
    if random.chance(20) {
        let array = Array::open(context, uri).expect("an array");
        let mode = MaintenanceMode::Fragments;
        array.consolidate(mode).expect("a consolidation");
        if random.chance(50) {
            array.vacuum(mode).expect("a vacuum");
        }
    }
    dimensions.append(&mut fields);
    dimensions.append(&mut dropped);
    (dimensions, past)
}

fn literal(random: &mut Random, kind: Kind) -> String {
    match kind {
        Kind::Int => (random.below(24) as i64 - 12).to_string(),
        Kind::Small => (random.below(300) as i64 - 150).to_string(),
        Kind::Unsigned => random
            .pick(&["0", "1", "6", "18446744073709551615", "9223372036854775808"])
            .into(),
        Kind::Real => {
            let text = random.pick(&[
                "0.0",
                "-0.0",
                "1.5",
                "-2.25",
                "1e300",
                "2.0",
                "'NaN'::double",
                "'-inf'::double",
            ]);
            text.into()
        }
        Kind::Text => format!("'{}'", random.pick(&TEXTS).replace('\'', "''")),
        Kind::Color => format!(
            "'{}'",
            random.pick(&["red", "green", "blue", "none", "pink", "c"])
        ),
        Kind::Flag => random.pick(&["TRUE", "FALSE"]).into(),
        Kind::Day => format!(
            "DATE '1970-01-01' + INTERVAL '{} days'",
            19_695 + random.below(40)
        ),
        Kind::Time => {
            let time = 1_700_000_000 + 1800 * random.below(64);
            format!("to_timestamp_seconds({time})")
        }
    }
}

fn predicate(random: &mut Random, columns: &[RandomColumn], depth: usize) -> String {
    if depth > 0 && random.chance(55) {
        let operator = random.pick(&["AND", "OR", "AND", "OR", "NOT"]);
        let first = predicate(random, columns, depth - 1);
        if operator == "NOT" {
            return format!("NOT ({first})");
        }
        let second = predicate(random, columns, depth - 1);
        return match random.below(12) {
            0 => format!("({first}) IS NOT TRUE"),
            1 => format!("(CASE WHEN {first} THEN {second} ELSE d < 3 END)"),
            _ => format!("({first}) {operator} ({second})"),
        };
    }
    let index = random.below(columns.len() as u64) as usize;
    let field = &columns[index];
    let name = field.name;
    match random.below(15) {
        12 => format!(
            "{name} IS {}DISTINCT FROM {}",
            random.pick(&["", "NOT "]),
            literal(random, field.kind)
        ),
        13 => {
            let other = same_kind(random, columns, field.kind);
            let operator = random.pick(&["=", "<", ">=", "<>"]);
            format!("{name} {operator} {other}")
        }
        14 => {
            let (value, other) = (literal(random, field.kind), literal(random, field.kind));
            format!("coalesce({name}, {value}) <= {other}")
        }
        0 => format!("{name} IS NULL"),
        1 => format!("{name} IS NOT NULL"),
        2 => {
            let values: Vec<_> = (0..=random.below(4))
                .map(|_| literal(random, field.kind))
                .collect();
            let not = random.pick(&["", "NOT "]);
            format!("{name} {not}IN ({})", values.join(", "))
        }
        3 => {
            let (low, high) = (literal(random, field.kind), literal(random, field.kind));
            let not = random.pick(&["", "NOT "]);
            format!("{name} {not}BETWEEN {low} AND {high}")
        }
        5 | 6 => {
            let function = match field.kind {
                // The absolute value of the fill value, which is the least integer, is an error
                // unless another predicate is evaluated first.
                Kind::Int if name == "later" => random.pick(&["# + 3", "2 - #"]),
                Kind::Int => random.pick(&["# + 3", "2 - #", "CAST(# AS BIGINT) - 1", "abs(#)"]),
                Kind::Small => random.pick(&["CAST(# AS INT) + 1", "# % 5"]),
                // So are timestamps of the least day, which null cells have.
                Kind::Day if field.nullable => "# + INTERVAL '3 days'",
                Kind::Day => random.pick(&[
                    "CAST(date_trunc('week', #) AS DATE)",
                    "CAST(date_trunc('month', #) AS DATE)",
                    "CAST(CAST(# AS TIMESTAMP) AS DATE)",
                    "# + INTERVAL '3 days'",
                ]),
                // Null cells have the least integer, of which `date_trunc` subtracts without a
                // check.
                Kind::Time if field.nullable => "# + INTERVAL '1 hour'",
                Kind::Time => random.pick(&["date_trunc('hour', #)", "date_trunc('day', #)"]),
                Kind::Real => random.pick(&["-#", "# + 1.0", "abs(#)"]),
                Kind::Text | Kind::Color => random.pick(&["substr(#, 1, 2)", "upper(#)"]),
                Kind::Unsigned | Kind::Flag => "#",
            };
            let operator = random.pick(&["=", "<", "<=", ">", ">=", "<>"]);
            let value = literal(random, field.kind);
            format!("{} {operator} {value}", function.replace('#', name))
        }
        4 if matches!(field.kind, Kind::Text | Kind::Color) => {
            let pattern = random.pick(&["a%", "%b", "ab", "a_c", "r%", "%", "it''s%"]);
            let not = random.pick(&["", "NOT "]);
            format!("{name} {not}LIKE '{pattern}'")
        }
        _ => {
            let operator = random.pick(&["=", "<", "<=", ">", ">=", "<>"]);
            let value = literal(random, field.kind);
            if random.chance(20) {
                format!("{value} {operator} {name}")
            } else {
                format!("{name} {operator} {value}")
            }
        }
    }
}

/// Returns the name of a column of a kind.
fn same_kind(random: &mut Random, columns: &[RandomColumn], kind: Kind) -> &'static str {
    let others: Vec<_> = columns.iter().filter(|field| field.kind == kind).collect();
    others[random.below(others.len() as u64) as usize].name
}

/// Returns an aggregate of groups. The least number of a group with NaN depends on the order of
/// rows in DataFusion.
fn least_of_group(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "count",
        _ => "min",
    }
}

/// Returns an expression of a column that has no error for any value.
fn expression(random: &mut Random, columns: &[RandomColumn]) -> String {
    let field = &columns[random.below(columns.len() as u64) as usize];
    let pattern = match field.kind {
        Kind::Int | Kind::Small => random.pick(&[
            "CAST(# AS BIGINT) * 2",
            "coalesce(#, 1)",
            "nullif(#, 3)",
            "CASE WHEN # > 0 THEN 'positive' WHEN # < 0 THEN 'negative' END",
        ]),
        Kind::Unsigned => random.pick(&["# % 7", "CAST(# AS VARCHAR)", "greatest(#, 5)"]),
        Kind::Real => random.pick(&[
            "# > 1.0",
            "CASE WHEN # < 0.0 THEN 1 ELSE 2 END",
            "coalesce(#, 1.5)",
        ]),
        Kind::Text | Kind::Color => {
            random.pick(&["# || '!'", "upper(#)", "coalesce(#, 'none')", "# LIKE 'a%'"])
        }
        Kind::Flag => random.pick(&["NOT #", "coalesce(#, FALSE)"]),
        Kind::Day => random.pick(&["coalesce(#, DATE '2024-01-01')", "# > DATE '2023-12-20'"]),
        Kind::Time => random.pick(&["#", "# > to_timestamp_seconds(1700050000)"]),
    };
    pattern.replace('#', field.name)
}

/// Returns a query of the table `t` with clauses beyond those of [`query`].
fn clauses(random: &mut Random, columns: &[RandomColumn], filter: &str) -> (String, bool) {
    let name = |random: &mut Random| {
        let index = random.below(columns.len() as u64) as usize;
        (columns[index].name, columns[index].kind)
    };
    let ((first, kind), (second, second_kind)) = (name(random), name(random));
    let number = random.below(6);
    let not = random.pick(&["", "NOT "]);
    match random.below(10) {
        0 => {
            let (left, right) = (expression(random, columns), expression(random, columns));
            (
                format!("SELECT d, {left} AS l, {right} AS r FROM t{filter}"),
                false,
            )
        }
        1 => {
            let group = expression(random, columns);
            let condition = predicate(random, columns, 1);
            // DataFusion takes a column that a filter makes constant for constant in all sets, and
            // returns groups twice.
            let sets = ["ROLLUP (g, h)", "GROUPING SETS ((g), (h), ())"];
            let groups = match filter {
                "" => random.pick(&sets),
                _ => "g, h",
            };
            let least = least_of_group(second_kind);
            let text = format!(
                "SELECT g, h, count(*) AS n, count(v) FILTER (WHERE c) AS m, {least}(v) AS least FROM \
                 (SELECT {group} AS g, {first} AS h, {second} AS v, {condition} AS c FROM t{filter}) \
                 GROUP BY {groups}"
            );
            (text, false)
        }
        2 => {
            // The order of dimensions, which scans announce, and orders of other columns.
            let mut order = vec!["d"];
            let dimensions = columns.iter().take_while(|field| !field.nullable).skip(1);
            order.extend(
                dimensions
                    .take(random.below(3) as usize)
                    .map(|field| field.name),
            );
            if random.chance(30) && !order.contains(&first) {
                order.insert(0, first);
            }
            let keys: Vec<_> = order
                .iter()
                .map(|name| {
                    let direction = random.pick(&["", "", "", " DESC"]);
                    format!(
                        "{name}{direction}{}",
                        random.pick(&["", " NULLS FIRST", " NULLS LAST"])
                    )
                })
                .collect();
            let end = match random.below(3) {
                0 => String::new(),
                1 => format!(" LIMIT {number}"),
                _ => format!(" LIMIT {} OFFSET {number}", random.below(20)),
            };
            let (all, keys) = (order.join(", "), keys.join(", "));
            (
                format!("SELECT {all} FROM t{filter} ORDER BY {keys}{end}"),
                true,
            )
        }
        3 => (
            format!(
                "SELECT d, {first} AS c, count(*) OVER (PARTITION BY {second}) AS n, \
                 rank() OVER (PARTITION BY {first} ORDER BY d DESC) AS k FROM t{filter}"
            ),
            false,
        ),
        4 => (
            format!(
                "SELECT count(*) AS n FROM (SELECT {first} FROM t{filter} LIMIT {} OFFSET {number})",
                random.below(30)
            ),
            true,
        ),
        5 => {
            let other = same_kind(random, columns, kind);
            let least = random.pick(&["min", "max"]);
            let operator = random.pick(&["=", "<", ">=", "<>"]);
            let inner = predicate(random, columns, 1);
            let text = format!(
                "SELECT d, {first} AS c FROM (SELECT * FROM t{filter}) s \
                 WHERE {first} {operator} (SELECT {least}({other}) FROM t WHERE {inner})"
            );
            (text, false)
        }
        6 => {
            let operator = random.pick(&["INTERSECT", "EXCEPT", "UNION"]);
            let other = predicate(random, columns, 1);
            let text = format!(
                "SELECT {first} AS c, d FROM t{filter} {operator} SELECT {first}, d FROM t WHERE {other}"
            );
            (text, false)
        }
        7 => {
            let inner = predicate(random, columns, 0);
            let text = format!(
                "SELECT a.d, a.{first} AS c FROM (SELECT * FROM t{filter}) a WHERE {not}EXISTS \
                 (SELECT 1 FROM (SELECT * FROM t WHERE {inner}) b WHERE b.d = a.d AND b.{second} <> a.{second})"
            );
            (text, false)
        }
        8 => {
            let join = random.pick(&["JOIN", "LEFT JOIN", "FULL JOIN"]);
            let other = predicate(random, columns, 1);
            let text = format!(
                "SELECT a.d, a.{first} AS c, b.{second} AS e FROM (SELECT * FROM t{filter}) a {join} \
                 (SELECT * FROM t WHERE {other}) b ON a.d = b.d AND a.{first} = b.{first}"
            );
            (text, false)
        }
        _ => {
            let direction = random.pick(&["", " DESC"]);
            let text = format!(
                "SELECT DISTINCT {first} AS a, d AS b FROM t{filter} ORDER BY a{direction}, b LIMIT {}",
                1 + number
            );
            (text, true)
        }
    }
}

/// Returns a query of the table `t`, and whether the order of its rows is determined.
fn query(random: &mut Random, columns: &[RandomColumn]) -> (String, bool) {
    let filter = if random.chance(90) {
        format!(" WHERE {}", predicate(random, columns, 3))
    } else {
        String::new()
    };
    let name = |random: &mut Random| {
        let index = random.below(columns.len() as u64) as usize;
        (columns[index].name, columns[index].kind)
    };
    let all: Vec<_> = columns.iter().map(|field| field.name).collect();
    match random.below(22) {
        12.. => clauses(random, columns, &filter),
        0 => (format!("SELECT count(*) FROM t{filter}"), true),
        6 => {
            let ((group, _), (first, _)) = (name(random), name(random));
            let number = random.below(4);
            (
                format!(
                    "SELECT {group} AS g, count(*) AS n, count(DISTINCT {first}) FROM t{filter} \
                     GROUP BY {group} HAVING count({first}) > {number}"
                ),
                false,
            )
        }
        7 => {
            let (first, kind) = name(random);
            let others: Vec<_> = columns.iter().filter(|field| field.kind == kind).collect();
            let second = others[random.below(others.len() as u64) as usize].name;
            let inner = predicate(random, columns, 1);
            let outer = predicate(random, columns, 1);
            let not = random.pick(&["", "NOT "]);
            (
                format!(
                    "SELECT DISTINCT d, {first} FROM t WHERE ({outer}) AND {first} {not}IN \
                     (SELECT {second} FROM t WHERE {inner})"
                ),
                false,
            )
        }
        8 => {
            let other = predicate(random, columns, 1);
            let (first, _) = name(random);
            (
                format!(
                    "SELECT {first} AS c, d FROM t{filter} UNION ALL SELECT {first}, d FROM t WHERE {other}"
                ),
                false,
            )
        }
        1 => {
            let mut results = vec!["count(*)".to_owned()];
            for _ in 0..3 {
                let (field, kind) = name(random);
                results.push(format!("count({field})"));
                match kind {
                    Kind::Int | Kind::Small => {
                        results.push(format!(
                            "min({field}), max({field}), sum({field}), avg({field})"
                        ));
                    }
                    Kind::Flag => {}
                    _ => results.push(format!("min({field}), max({field})")),
                }
            }
            let results = named(&results);
            (
                format!("SELECT {} FROM t{filter}", results.join(", ")),
                true,
            )
        }
        2 => {
            let (group, _) = name(random);
            let (field, kind) = name(random);
            let least = least_of_group(kind);
            (
                format!(
                    "SELECT {group} AS g, count(*) AS n, {least}({field}) FROM t{filter} GROUP BY {group}"
                ),
                false,
            )
        }
        3 => {
            let number = 1 + random.below(5);
            let order = all.join(", ");
            let direction = random.pick(&["", " DESC"]);
            let (first, _) = name(random);
            (
                format!(
                    "SELECT * FROM t{filter} ORDER BY {first}{direction}, {order} LIMIT {number}"
                ),
                true,
            )
        }
        4 => {
            let (left, kind) = name(random);
            let others: Vec<_> = columns.iter().filter(|field| field.kind == kind).collect();
            let right = others[random.below(others.len() as u64) as usize].name;
            let filter = predicate(random, columns, 1);
            let join = random.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            let text = format!(
                "SELECT a.{left}, b.d FROM (SELECT * FROM t WHERE {filter}) a {join} t b ON a.{left} = b.{right}"
            );
            (text, false)
        }
        5 => (format!("SELECT d FROM t{filter} ORDER BY d"), true),
        9 => {
            let others = |kind: Kind, random: &mut Random| {
                let others: Vec<_> = columns.iter().filter(|field| field.kind == kind).collect();
                others[random.below(others.len() as u64) as usize].name
            };
            let ((left, kind), (key, key_kind)) = (name(random), name(random));
            let (right, values) = (others(kind, random), others(key_kind, random));
            let side = random.pick(&["a", "b"]);
            let (outer, inner) = (predicate(random, columns, 1), predicate(random, columns, 1));
            let number = random.below(3);
            let text = format!(
                "SELECT a.d, b.{right} FROM (SELECT * FROM t WHERE {outer}) a JOIN t b ON a.{left} = b.{right} \
                 WHERE {side}.{key} IN (SELECT {values} FROM t WHERE {inner} GROUP BY {values} HAVING count(*) > {number})"
            );
            (text, false)
        }
        _ => {
            let (first, _) = name(random);
            (
                format!("SELECT {first}, * FROM t{filter}").replace(", *", ", d"),
                false,
            )
        }
    }
}

/// Gives each result a name of its own, because the same one may occur twice.
fn named(results: &[String]) -> Vec<String> {
    let mut named = Vec::new();
    for (index, result) in results.iter().enumerate() {
        for (part, text) in result.split(", ").enumerate() {
            named.push(format!("{text} AS r{index}_{part}"));
        }
    }
    named
}

async fn rows(session: &SessionContext, sql: &str) -> Result<Vec<Vec<String>>, String> {
    let frame = session.sql(sql).await.map_err(|error| error.to_string())?;
    let batches = frame.collect().await.map_err(|error| error.to_string())?;
    Ok(batches.iter().flat_map(texts).collect())
}

fn texts(batch: &RecordBatch) -> Vec<Vec<String>> {
    let options = FormatOptions::default().with_null("NULL");
    let columns: Vec<_> = batch
        .columns()
        .iter()
        .map(|column| ArrayFormatter::try_new(column, &options).expect("a column"))
        .collect();
    let row = |row| {
        columns
            .iter()
            .map(|column| column.value(row).to_string())
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Stores the rows of a query as a Parquet file, and the query as a text.
async fn export(session: &SessionContext, folder: &str, name: &str, sql: &str) {
    let Ok(frame) = session.sql(sql).await else {
        return;
    };
    let file = format!("{folder}/{name}.parquet");
    let options = DataFrameWriteOptions::new().with_single_file_output(true);
    if frame.write_parquet(&file, options, None).await.is_ok() {
        std::fs::write(format!("{folder}/{name}.sql"), sql).expect("a file");
    }
}

/// Returns a name of the columns of each relation of a query: `d` or `key`, which has a type.
fn side(random: &mut Random, key: &RandomColumn, other: Option<&str>) -> String {
    let is_same = |name: &str| other.is_none_or(|other| other == name || key.kind == Kind::Int);
    let names = ["d", key.name];
    let fitting: Vec<_> = names.into_iter().filter(|name| is_same(name)).collect();
    random.pick(&fitting).to_owned()
}

/// Returns a relation with the columns `d` and `key`, as an item of a `FROM` clause without alias.
fn relation(
    random: &mut Random,
    columns: &[RandomColumn],
    key: &RandomColumn,
    depth: usize,
) -> String {
    let others: Vec<_> = columns
        .iter()
        .filter(|field| field.kind == key.kind)
        .collect();
    let name = key.name;
    // Joins of all cells would have too many rows.
    let low = random.below(40) as i64 - 20;
    let filter = format!("d BETWEEN {low} AND {}", low + 5);
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => format!(
            "(SELECT d, {name} FROM t WHERE {filter} AND ({}))",
            predicate(random, columns, 1)
        ),
        1 => {
            let other = others[random.below(others.len() as u64) as usize].name;
            format!("(SELECT d, {other} AS {name} FROM t WHERE {filter})")
        }
        2 => format!(
            "(SELECT {name}, d FROM t WHERE {filter} GROUP BY {name}, d HAVING count(*) > 0)"
        ),
        // The names of a group and of its column, and those of parts of a union, may differ.
        3 if key.kind == Kind::Int => format!(
            "(SELECT min({name}) AS {name}, g AS d FROM (SELECT d AS {name}, {name} AS g FROM t \
             WHERE {filter}) GROUP BY g)"
        ),
        4 if key.kind == Kind::Int => format!(
            "(SELECT d, {name} FROM t WHERE {filter} UNION ALL SELECT {name}, d FROM t WHERE {filter})"
        ),
        5..8 => {
            let (first, second) = (side(random, key, None), random.pick(&["p", "q"]));
            let other = side(random, key, Some(&first));
            let third = random.pick(&["p", "q"]);
            let (left, right) = (
                relation(random, columns, key, depth - 1),
                relation(random, columns, key, depth - 1),
            );
            format!(
                "(SELECT {second}.d, {third}.{name} FROM {left} p JOIN {right} q ON p.{first} = q.{other})"
            )
        }
        _ => format!("(SELECT d, {name} FROM t WHERE {filter})"),
    }
}

/// Returns a query of joins of the table `t` with itself, whose columns have few names, and whether
/// the order of its rows is determined.
fn joins(random: &mut Random, columns: &[RandomColumn]) -> (String, bool) {
    // Joins by one of two or four values would have too many rows.
    let keys: Vec<_> = columns
        .iter()
        .filter(|field| field.name != "d")
        // Zeros of both signs are joined, and have an order, which leaves out equal columns.
        .filter(|field| !matches!(field.kind, Kind::Flag | Kind::Color | Kind::Real))
        .collect();
    let Some(key) = keys.get(random.below(keys.len().max(1) as u64) as usize) else {
        return ("SELECT d FROM t".to_owned(), false);
    };
    let mut from = format!("{} a", relation(random, columns, key, 1));
    let mut aliases = vec!["a"];
    for alias in ["b", "c"].into_iter().take(1 + random.below(2) as usize) {
        let left = random.pick(&aliases);
        let first = side(random, key, None);
        let second = side(random, key, Some(&first));
        let join = random.pick(&[
            "JOIN",
            "JOIN",
            "JOIN",
            "LEFT JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
        ]);
        let relation = relation(random, columns, key, 0);
        from += &format!(" {join} {relation} {alias} ON {left}.{first} = {alias}.{second}");
        aliases.push(alias);
    }
    let mut conditions = Vec::new();
    for _ in 0..random.below(3) {
        let first = side(random, key, None);
        let second = side(random, key, Some(&first));
        let alias = random.pick(&aliases);
        let relation = relation(random, columns, key, 0);
        let not = random.pick(&["", "", "NOT "]);
        let name = key.name;
        conditions.push(match random.below(5) {
            0 | 1 => format!("{alias}.{first} {not}IN (SELECT {second} FROM {relation} z)"),
            2 => format!(
                "{not}EXISTS (SELECT 1 FROM {relation} z WHERE z.{second} = {alias}.{first} AND z.{name} <> {alias}.{name})"
            ),
            3 => format!(
                "({alias}.d < 0 OR {not}EXISTS (SELECT 1 FROM {relation} z WHERE z.{second} = {alias}.{first}))"
            ),
            _ => format!("{alias}.d BETWEEN -15 AND 10"),
        });
    }
    let filter = match conditions.len() {
        0 => String::new(),
        _ => format!(" WHERE {}", conditions.join(" AND ")),
    };
    let all = aliases
        .iter()
        .flat_map(|alias| ["d", key.name].map(|name| format!("{alias}.{name} AS {alias}_{name}")));
    let all = all.collect::<Vec<_>>().join(", ");
    match random.below(4) {
        0 => {
            let alias = random.pick(&aliases);
            let number = random.pick(&aliases);
            let text = format!(
                "SELECT {alias}.d, count(*), count({number}.d), sum({number}.d) FROM {from}{filter} GROUP BY {alias}.d"
            );
            (text, false)
        }
        1 => {
            let order: Vec<_> = (1..=2 * aliases.len())
                .rev()
                .map(|column| column.to_string())
                .collect();
            let number = 1 + random.below(9);
            let direction = random.pick(&["", " DESC"]);
            let text = format!(
                "SELECT {all} FROM {from}{filter} ORDER BY {}{direction} LIMIT {number}",
                order.join(", ")
            );
            (text, true)
        }
        _ => (format!("SELECT {all} FROM {from}{filter}"), false),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_have_the_results_of_the_same_rows_in_memory() {
    // `sql/tests/compare_duckdb.py` compares the stored files.
    compare(query, std::env::var("TILEDB_RS_SQL_EXPORT").ok()).await;
}

/// Columns of several relations have the same name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn joins_have_the_results_of_the_same_rows_in_memory() {
    compare(joins, None).await;
}

/// Compares the rows of random queries of random tables, each with whether its order is
/// determined, with those of the same rows in memory. Stores rows and results in a folder, if any.
async fn compare(
    query: fn(&mut Random, &[RandomColumn]) -> (String, bool),
    folder: Option<String>,
) {
    let stated = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
    };
    let number = stated("TILEDB_RS_SQL_QUERIES").unwrap_or(QUERIES);
    let first = stated("TILEDB_RS_SQL_SEED").unwrap_or(1);
    let (mut compared, mut failed) = (0, 0);
    for seed in first..first + number.div_ceil(QUERIES_PER_ARRAY) {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed as u64));
        let context = Context::new().expect("a context");
        let (columns, past) = create(&context, "mem://t", &mut random);
        let mut options = TableOptions::new().context(&context);
        if let Some((start, end)) = past {
            options = options.timestamps(start..=end);
        }
        // Parts of small reads, of which some have no rows.
        if random.chance(60) {
            options = options.part_bytes(1 + random.below(400));
        }
        // Functions of some fill values are errors, unless another predicate is evaluated first.
        let mut kinds = columns.iter().skip(1).map(|field| field.kind);
        let has_errors = kinds.any(|kind| matches!(kind, Kind::Int | Kind::Day | Kind::Time));
        options = options.unwritten_cells(!has_errors && random.chance(50));
        // Columns that are dictionaries have the rows of those that are texts.
        let texts = TileDbTable::open("mem://t", options.clone()).expect("a table");
        let options = options.dictionaries(seed % 2 == 0);
        let table = TileDbTable::open("mem://t", options).expect("a table");
        let config = SessionConfig::new()
            .with_target_partitions(1 + random.below(4) as usize)
            .with_batch_size(random.pick(&[8192, 64, 7]));
        let [array, unfiltered] = [(); 2].map(|()| {
            let options = TableOptions::new().context(&context);
            session(config.clone(), &options)
        });
        let provider = Arc::new(UnfilteredTable(table.clone()));
        unfiltered.register_table("t", provider).expect("a table");
        array.register_table("t", Arc::new(table)).expect("a table");
        let all = array.read_table(Arc::new(texts)).expect("a query");
        let schema = Arc::new(all.schema().as_arrow().clone());
        let batches = all.collect().await.expect("rows");
        let columns: Vec<_> = columns
            .into_iter()
            .filter(|field| schema.field_with_name(field.name).is_ok())
            // DuckDB does not distinguish zeros by sign.
            .filter(|field| folder.is_none() || field.kind != Kind::Real)
            .collect();
        let memory = memory_session();
        let table = MemTable::try_new(schema, vec![batches]).expect("a table");
        memory
            .register_table("t", Arc::new(table))
            .expect("a table");
        if let Some(folder) = &folder {
            export(&array, folder, &format!("t{seed}"), "SELECT * FROM t").await;
        }
        for index in 0..QUERIES_PER_ARRAY {
            let (sql, is_ordered) = query(&mut random, &columns);
            if let Some(folder) = &folder {
                export(&array, folder, &format!("t{seed}-{index}"), &sql).await;
            }
            let mut found = rows(&array, &sql).await;
            let mut without = rows(&unfiltered, &sql).await;
            let mut expected = rows(&memory, &sql).await;
            if !is_ordered {
                let all = [&mut found, &mut without, &mut expected];
                for rows in all.into_iter().flatten() {
                    rows.sort();
                }
            }
            match (&found, &without, &expected) {
                (Ok(found), Ok(without), Ok(expected))
                    if found == expected && without == expected =>
                {
                    compared += 1;
                }
                // A query that is invalid is so for all, such as for a type without a minimum.
                (Err(_), Err(_), Err(_)) => {}
                _ => {
                    failed += 1;
                    let explained = rows(&array, &format!("EXPLAIN FORMAT INDENT {sql}")).await;
                    let short = |rows: &Result<Vec<Vec<String>>, String>| match rows {
                        Ok(rows) => format!("{} rows {:?}", rows.len(), &rows[..rows.len().min(6)]),
                        Err(error) => error.clone(),
                    };
                    let message = format!(
                        "TILEDB_RS_SQL_SEED={seed}: {sql}\n array:  {}\n without predicates: {}\n memory: {}\n{}",
                        short(&found),
                        short(&without),
                        short(&expected),
                        explained.unwrap_or_default().concat().join("\n")
                    );
                    assert!(failed < 5, "{message}");
                    // The first failures are shown together.
                    let mut errors = std::io::stderr();
                    std::io::Write::write_all(&mut errors, format!("{message}\n").as_bytes())
                        .expect("standard error");
                }
            }
        }
    }
    assert_eq!(failed, 0);
    assert!(
        compared * 10 > number * 9,
        "{compared} of {number} queries were valid"
    );
}
