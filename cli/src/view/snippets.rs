//! Exports of the page: the cells of a view as a file, and programs that read them.

use serde_json::{Value, json};
use tiledb_engine::{Datatype, Dimension, NonEmptyDomain, Scalar, Schema};

use super::http::{Request, Response};
use super::rows::MAX_COLUMNS;
use super::session::{Plan, Session, check_box, selection};
use crate::args::{CellFormat, Cells, FileFormat};
use crate::commands::{write_cells, write_table};
use crate::problem::{Problem, Result};
use crate::selection::{DimensionRange, parse_range, selected_cells};

/// The most cells of an exported file.
const MAX_EXPORTED: usize = 1_000_000;
/// The most cells of all buffers of a program in C.
const MAX_C_CELLS: usize = 1 << 20;

/// Returns the selected cells as a file, up to a number of cells.
pub(super) fn export(session: &Session, request: &Request) -> Result<Response> {
    let array = session.array(request)?;
    let cells = selection(request, request.all("field").map(str::to_owned).collect());
    let selected = selected_cells(&array, &cells)?;
    check_box(&array, &array.schema()?, &cells)?;
    if !selected.is_empty && !Plan::of(&array, &selected.query)?.is_within_limits() {
        return Err(Problem::usage("these cells exceed the limits of a view")
            .hint("select a smaller range, or use `tiledb-rs export`"));
    }
    let limit = request.number("limit", (1, MAX_EXPORTED), MAX_EXPORTED);
    let mut file = Vec::new();
    let media_type = match request.parameter("format") {
        Some("csv") => {
            write_cells(&selected, CellFormat::Csv, limit, &mut file)?;
            "text/csv; charset=utf-8"
        }
        Some("parquet") => {
            write_table(&selected, FileFormat::Parquet, limit, &mut file)?;
            "application/vnd.apache.parquet"
        }
        _ => return Err(Problem::usage("the format is neither csv nor parquet")),
    };
    Ok(Response::new(media_type, file))
}

/// Returns programs that read the selected cells, by language.
pub(super) fn programs(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let cells = selection(request, request.all("field").map(str::to_owned).collect());
    // Errors of the selection are reported here.
    selected_cells(&array, &cells)?;
    let texts = cells.range.iter();
    let ranges = texts.map(|text| parse_range(&schema, text));
    let program = Program {
        uri: array.uri(),
        timestamp: request.parameter("at"),
        schema: &schema,
        cells: &cells,
        ranges: ranges.collect::<Result<_>>()?,
        domain: array.non_empty_domain()?,
    };
    Ok(json!({
        "Shell": program.shell(),
        "Python": program.python(),
        "Rust": program.rust(),
        "C": program.c()?,
        "SQL": program.sql(),
    }))
}

/// A read that is written down in several languages.
struct Program<'a> {
    uri: &'a str,
    timestamp: Option<&'a str>,
    schema: &'a Schema,
    cells: &'a Cells,
    ranges: Vec<DimensionRange>,
    domain: Option<NonEmptyDomain>,
}

/// A language with texts in double quotes.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    Python,
    Rust,
    C,
}

/// Returns a text in double quotes. Control characters and those that change the direction of
/// writing, which compilers refuse, have escapes.
fn quoted(text: &str, language: Language) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        let changes_direction = matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        match (character, language) {
            ('"' | '\\', _) => quoted.extend(['\\', character]),
            ('\n', _) => quoted.push_str("\\n"),
            // C has sequences of three characters that begin with question marks.
            ('?', Language::C) => quoted.push_str("\\?"),
            _ if !character.is_control() && !changes_direction => quoted.push(character),
            (_, Language::Python) => quoted.push_str(&format!("\\u{:04x}", u32::from(character))),
            (_, Language::Rust) => quoted.push_str(&format!("\\u{{{:x}}}", u32::from(character))),
            (_, Language::C) => {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).bytes();
                quoted.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Returns an identifier of SQL in quotes.
fn identifier(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns a text of SQL in quotes.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns an argument of a shell in quotes.
fn argument(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns a bound of a range as a number; `None` for texts, datetimes and times.
fn number(bound: &Scalar, datatype: Datatype) -> Option<String> {
    match bound {
        _ if datatype.is_datetime() || datatype.is_time() => None,
        Scalar::Integer(value) => Some(value.to_string()),
        Scalar::Real(value) => Some(format!("{value:?}")),
        Scalar::Bool(value) => Some(u8::from(*value).to_string()),
        _ => None,
    }
}

/// Returns a bound of a range as text.
fn text_of(bound: &Scalar, datatype: Datatype) -> String {
    match bound {
        Scalar::Text(text) => text.clone(),
        bound => bound.text(datatype),
    }
}

/// A dimension that has ranges: its index, and the bounds of the ranges.
type DimensionRanges<'a> = (usize, &'a Dimension, Vec<(Scalar, Scalar)>);

impl Program<'_> {
    /// Returns the fields: without a selection, the first ones, which the page shows.
    fn fields(&self) -> Vec<&str> {
        if self.cells.columns.is_empty() {
            return self.schema.field_names().take(MAX_COLUMNS).collect();
        }
        let columns = self.cells.columns.iter().take(MAX_COLUMNS);
        columns.map(String::as_str).collect()
    }

    /// Returns the dimensions that have ranges.
    fn selected(&self) -> Vec<DimensionRanges<'_>> {
        let dimensions = self.schema.dimensions().iter().enumerate();
        let selected = dimensions.map(|(index, dimension)| {
            let own = self.ranges.iter();
            let own = own.filter(|range| range.dimension == dimension.name);
            let bounds = own.map(|range| (range.low.clone(), range.high.clone()));
            (index, &**dimension, bounds.collect::<Vec<_>>())
        });
        selected
            .filter(|(_, _, bounds)| !bounds.is_empty())
            .collect()
    }

    /// Returns what [`Self::selected`] does. Dimensions of a dense array without ranges have that
    /// of the cells that were written, because a read of all of them may not end.
    fn bounded(&self) -> Vec<DimensionRanges<'_>> {
        let mut selected = self.selected();
        let dimensions = self.schema.dimensions().iter().enumerate();
        for (index, dimension) in dimensions.filter(|_| self.schema.is_dense()) {
            let written = self.domain.as_ref().and_then(|domain| domain.get(index));
            let is_selected = selected.iter().any(|(other, ..)| *other == index);
            if let Some(range) = written.filter(|_| !is_selected) {
                let bounds = (range.start().clone(), range.end().clone());
                selected.push((index, &**dimension, vec![bounds]));
            }
        }
        selected
    }

    fn shell(&self) -> String {
        let mut text = format!("tiledb-rs cat {}", argument(self.uri));
        let columns = &self.cells.columns;
        // A name with a comma cannot be an item of the list: all fields are printed.
        if !columns.is_empty() && !columns.iter().any(|name| name.contains(',')) {
            text.push_str(&format!(" --columns {}", argument(&columns.join(","))));
        }
        for range in &self.cells.range {
            text.push_str(&format!(" --range {}", argument(range)));
        }
        if let Some(condition) = &self.cells.condition {
            text.push_str(&format!(" --where {}", argument(condition)));
        }
        if let Some(timestamp) = self.timestamp {
            text.push_str(&format!(" --at {timestamp}"));
        }
        text + "\n"
    }

    fn python(&self) -> String {
        let quoted = |text: &str| quoted(text, Language::Python);
        let opened_at = self
            .timestamp
            .map_or_else(String::new, |timestamp| format!(", timestamp={timestamp}"));
        let fields: Vec<String> = self.fields().into_iter().map(quoted).collect();
        let condition = self.cells.condition.as_ref();
        let condition = condition.map_or_else(String::new, |text| format!("{}, ", quoted(text)));
        let ranges = self.selected().into_iter().map(|(_, dimension, bounds)| {
            let value = |bound: &Scalar| {
                let number = number(bound, dimension.datatype);
                let number = number.map(|number| match number.as_str() {
                    "inf" | "-inf" => format!("float(\"{number}\")"),
                    _ => number,
                });
                number.unwrap_or_else(|| quoted(&text_of(bound, dimension.datatype)))
            };
            let pairs = bounds
                .iter()
                .map(|(low, high)| format!("({}, {})", value(low), value(high)));
            let pairs: Vec<String> = pairs.collect();
            format!("{}: [{}]", quoted(&dimension.name), pairs.join(", "))
        });
        let ranges: Vec<String> = ranges.collect();
        let ranges = if ranges.is_empty() {
            String::new()
        } else {
            format!(", ranges={{{}}}", ranges.join(", "))
        };
        format!(
            "import tiledb_rs\n\nwith tiledb_rs.open({}{opened_at}) as array:\n    \
             table = array.query({condition}columns=[{}]{ranges}).pandas()\nprint(table)\n",
            quoted(self.uri),
            fields.join(", ")
        )
    }

    fn rust(&self) -> String {
        let quoted = |text: &str| quoted(text, Language::Rust);
        let fields: Vec<String> = self.fields().into_iter().map(quoted).collect();
        let open = match self.timestamp {
            Some(timestamp) => format!(
                "Array::open_at(&context, {}, ..={timestamp})?",
                quoted(self.uri)
            ),
            None => format!("Array::open(&context, {})?", quoted(self.uri)),
        };
        let mut query = format!(
            "array\n        .query()\n        .fields([{}])",
            fields.join(", ")
        );
        for (_, dimension, ranges) in self.bounded() {
            let value = |bound: &Scalar| match number(bound, dimension.datatype).as_deref() {
                Some("inf") => "f64::INFINITY".to_owned(),
                Some("-inf") => "f64::NEG_INFINITY".to_owned(),
                Some(number) if dimension.datatype.is_real() => format!("{number}_f64"),
                Some(number) if number.parse::<i64>().is_ok() => format!("{number}_i64"),
                Some(number) => format!("{number}_u64"),
                None => quoted(&text_of(bound, dimension.datatype)),
            };
            for (low, high) in ranges {
                // Both bounds have one type.
                let (mut low, mut high) = (value(&low), value(&high));
                if high.ends_with("_u64") || low.ends_with("_u64") {
                    (low, high) = (low.replace("_i64", "_u64"), high.replace("_i64", "_u64"));
                }
                let name = quoted(&dimension.name);
                query.push_str(&format!("\n        .range({name}, {low}..={high})"));
            }
        }
        if let Some(condition) = &self.cells.condition {
            query.push_str(&format!(
                "\n        .condition({}.parse()?)",
                quoted(condition)
            ));
        }
        format!(
            "use tiledb_engine::{{Array, Context, Result}};\n\n\
             fn main() -> Result<()> {{\n    let context = Context::new()?;\n    let array = {open};\n    \
             let query = {query};\n    for batch in query.batches()? {{\n        let batch = batch?;\n        \
             for cell in 0..batch.len() {{\n            \
             let texts = batch.fields().iter().map(|field| field.text(cell).unwrap_or(\"null\".to_owned()));\n            \
             println!(\"{{}}\", texts.collect::<Vec<_>>().join(\"\\t\"));\n        }}\n    }}\n    Ok(())\n}}\n"
        )
    }

    /// Returns a program for the C API that prints the cells. Values of enumerations are their
    /// indexes, and datetimes are numbers of their units.
    fn c(&self) -> Result<String> {
        let quoted = |text: &str| quoted(text, Language::C);
        let opened_at = self.timestamp.map_or_else(String::new, |timestamp| {
            format!("  check(tiledb_array_set_open_timestamp_end(ctx, array, {timestamp}));\n")
        });
        let mut ranges = String::new();
        for (index, dimension, bounds) in self.bounded() {
            for bounds in bounds {
                ranges.push_str(&c_range(index, dimension, &bounds)?);
            }
        }
        let mut condition = String::new();
        if let Some(text) = &self.cells.condition {
            condition = format!(
                "  tiledb_query_condition_t *condition;\n  \
                 check(tiledb_rs_query_condition_parse(ctx, array, {}, NULL, &condition));\n  \
                 check(tiledb_query_set_condition(ctx, query, condition));\n  \
                 tiledb_query_condition_free(&condition);\n",
                quoted(text)
            );
        }
        let fields = self.fields();
        let fields = fields.iter().enumerate();
        let fields: Vec<CField> = fields
            .map(|(index, name)| CField::new(index, name, self.schema))
            .collect();
        let text = |part: fn(&CField) -> String| fields.iter().map(part).collect::<String>();
        let number = fields.first().map_or("0".to_owned(), CField::cell_num);
        let cell_num = (MAX_C_CELLS / fields.len().max(1)).clamp(256, 1 << 16);
        let headers = if ranges.contains("INFINITY") {
            "#include <inttypes.h>\n#include <math.h>\n"
        } else {
            "#include <inttypes.h>\n"
        };
        Ok(format!(
            "{headers}#include <stdio.h>\n#include <stdlib.h>\n#include <tiledb/tiledb.h>\n\n\
             /* The most cells at a time. */\n#define CELLS {cell_num}\n\n\
             static tiledb_ctx_t *ctx;\n{}\n\
             static void check(int32_t status) {{\n  if (status != TILEDB_OK) {{\n    \
             tiledb_error_t *error = NULL;\n    const char *message = \"\";\n    \
             if (ctx != NULL && tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL)\n      \
             tiledb_error_message(error, &message);\n    fprintf(stderr, \"%s\\n\", message);\n    exit(1);\n  }}\n}}\n\n\
             int main(void) {{\n  tiledb_array_t *array;\n  tiledb_query_t *query;\n  \
             tiledb_subarray_t *subarray;\n  tiledb_query_status_t status;\n  uint64_t cells;\n  \
             check(tiledb_ctx_alloc(NULL, &ctx));\n  check(tiledb_array_alloc(ctx, {}, &array));\n{opened_at}  \
             check(tiledb_array_open(ctx, array, TILEDB_READ));\n  \
             check(tiledb_subarray_alloc(ctx, array, &subarray));\n{ranges}  \
             check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));\n  \
             check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));\n  \
             check(tiledb_query_set_subarray_t(ctx, query, subarray));\n{condition}  \
             do {{\n{}    check(tiledb_query_submit(ctx, query));\n    \
             check(tiledb_query_get_status(ctx, query, &status));\n    cells = {number};\n    \
             if (status == TILEDB_INCOMPLETE && cells == 0) {{\n      \
             fprintf(stderr, \"a cell is larger than a buffer\\n\");\n      return 1;\n    }}\n    \
             for (uint64_t cell = 0; cell < cells; cell++) {{\n{}      putchar('\\n');\n    }}\n  \
             }} while (status == TILEDB_INCOMPLETE);\n  \
             tiledb_query_free(&query);\n  tiledb_subarray_free(&subarray);\n  \
             tiledb_array_free(&array);\n  tiledb_ctx_free(&ctx);\n}}\n",
            text(CField::buffers),
            quoted(self.uri),
            text(CField::set),
            text(CField::print),
        ))
    }

    fn sql(&self) -> String {
        let fields: Vec<String> = self.fields().iter().map(|name| identifier(name)).collect();
        // Conditions of the engine are predicates of SQL, too.
        let condition = self.cells.condition.iter();
        let mut conditions: Vec<String> = condition.map(|text| format!("({text})")).collect();
        for (_, dimension, bounds) in self.selected() {
            let value = |bound: &Scalar| {
                let number = number(bound, dimension.datatype);
                let number = number.filter(|number| !number.contains("inf"));
                number.unwrap_or_else(|| literal(&text_of(bound, dimension.datatype)))
            };
            let name = identifier(&dimension.name);
            let ranges = bounds
                .iter()
                .map(|(low, high)| format!("{name} BETWEEN {} AND {}", value(low), value(high)));
            let ranges: Vec<String> = ranges.collect();
            conditions.push(match &ranges[..] {
                [range] => range.clone(),
                ranges => format!("({})", ranges.join(" OR ")),
            });
        }
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("\nWHERE {}", conditions.join("\n  AND "))
        };
        let opened_at = self.timestamp.map_or_else(String::new, |timestamp| {
            format!(", timestamp => {timestamp}")
        });
        let source = format!("tiledb({}{opened_at})", literal(self.uri));
        format!("SELECT {}\nFROM {source}{condition};\n", fields.join(", "))
    }
}

/// Returns the statements of C that add a range of a dimension.
fn c_range(index: usize, dimension: &Dimension, bounds: &(Scalar, Scalar)) -> Result<String> {
    let (low, high) = bounds;
    if dimension.datatype.is_string() {
        let [low, high] = [low, high].map(|bound| text_of(bound, dimension.datatype));
        return Ok(format!(
            "  check(tiledb_subarray_add_range_var(ctx, subarray, {index}, {}, {}, {}, {}));\n",
            quoted(&low, Language::C),
            low.len(),
            quoted(&high, Language::C),
            high.len()
        ));
    }
    let value = |bound: &Scalar| -> Result<String> {
        let bytes = bound.to_bytes(dimension.datatype);
        let bytes = bytes.map_err(|error| Problem::usage(error.to_string()))?;
        Ok(match Scalar::from_bytes(dimension.datatype, &bytes) {
            // C has no literal for the least number.
            Scalar::Integer(value) if value == i64::MIN.into() => "INT64_MIN".to_owned(),
            Scalar::Integer(value) if value > i64::MAX.into() => format!("{value}u"),
            Scalar::Integer(value) => value.to_string(),
            Scalar::Real(value) if value.is_infinite() => {
                if value > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned()
            }
            Scalar::Real(value) => format!("{value:?}"),
            other => number(&other, dimension.datatype).unwrap_or_default(),
        })
    };
    let (c_type, _) = c_type(dimension.datatype);
    Ok(format!(
        "  check(tiledb_subarray_add_range(ctx, subarray, {index}, &({c_type}){{{}}}, &({c_type}){{{}}}, NULL));\n",
        value(low)?,
        value(high)?
    ))
}

/// A field of a program in C: its buffers have its index.
struct CField {
    index: usize,
    /// The name in quotes.
    name: String,
    datatype: Datatype,
    /// The number of values of a cell; `None` if it varies.
    value_num: Option<usize>,
    nullable: bool,
}

impl CField {
    fn new(index: usize, name: &str, schema: &Schema) -> Self {
        let attribute = schema.attribute(name);
        let datatype = schema.datatype(name).unwrap_or(Datatype::Any);
        let is_var = attribute.map_or(datatype.is_string(), |attribute| attribute.is_var());
        let value_num = attribute.map_or(1, |attribute| attribute.cell_val_num as usize);
        Self {
            index,
            name: quoted(name, Language::C),
            datatype,
            value_num: (!is_var).then_some(value_num),
            nullable: attribute.is_some_and(|attribute| attribute.nullable),
        }
    }

    /// Returns whether a cell is a text.
    fn is_text(&self) -> bool {
        c_type(self.datatype).1.is_empty()
    }

    /// Returns the bytes of a cell, of fields with a fixed number of values.
    fn cell_bytes(&self) -> usize {
        self.value_num.unwrap_or(1) * self.datatype.size()
    }

    /// Returns the number of cells in the buffers.
    fn cell_num(&self) -> String {
        let index = self.index;
        match self.value_num {
            None => format!("offsets_size{index} / sizeof *offsets{index}"),
            Some(_) => format!("size{index} / {}", self.cell_bytes()),
        }
    }

    /// Returns the declarations of the buffers.
    fn buffers(&self) -> String {
        let (index, (c_type, _)) = (self.index, c_type(self.datatype));
        let name = &self.name;
        let len = match self.value_num {
            None => "16 * CELLS".to_owned(),
            // The elements of texts are bytes.
            Some(_) => format!("{} * CELLS", self.cell_bytes() / c_size(c_type)),
        };
        let mut text = format!(
            "\n/* {} */\nstatic {c_type} data{index}[{len}];\nstatic uint64_t size{index};\n",
            name.replace("*/", "* /").replace("/*", "/ *")
        );
        if self.value_num.is_none() {
            text.push_str(&format!(
                "static uint64_t offsets{index}[CELLS], offsets_size{index};\n"
            ));
        }
        if self.nullable {
            text.push_str(&format!(
                "static uint8_t validity{index}[CELLS];\nstatic uint64_t validity_size{index};\n"
            ));
        }
        text
    }

    /// Returns the statements that set the buffers, whose sizes a submit changes.
    fn set(&self) -> String {
        let (index, name) = (self.index, &self.name);
        let mut text = format!(
            "    size{index} = sizeof data{index};\n    \
             check(tiledb_query_set_data_buffer(ctx, query, {name}, data{index}, &size{index}));\n"
        );
        for (kind, exists) in [
            ("offsets", self.value_num.is_none()),
            ("validity", self.nullable),
        ] {
            if exists {
                text.push_str(&format!(
                    "    {kind}_size{index} = sizeof {kind}{index};\n    \
                     check(tiledb_query_set_{kind}_buffer(ctx, query, {name}, {kind}{index}, &{kind}_size{index}));\n"
                ));
            }
        }
        text
    }

    /// Returns the statements that print a cell.
    fn print(&self) -> String {
        let index = self.index;
        let (_, format) = c_type(self.datatype);
        let mut text = String::new();
        if index > 0 {
            text.push_str("      putchar('\\t');\n");
        }
        if self.nullable {
            text.push_str(&format!(
                "      if (!validity{index}[cell])\n        fputs(\"null\", stdout);\n      else\n  "
            ));
        }
        let bounds = match self.value_num {
            None => format!(
                "uint64_t begin = offsets{index}[cell], \
                 end = cell + 1 < cells ? offsets{index}[cell + 1] : size{index};"
            ),
            Some(_) => format!(
                "uint64_t begin = cell * {0}, end = begin + {0};",
                self.cell_bytes()
            ),
        };
        text.push_str(&match (self.is_text(), self.value_num) {
            (true, _) => format!(
                "      {{ {bounds} fwrite(data{index} + begin, 1, end - begin, stdout); }}\n"
            ),
            (false, Some(1)) => format!("      printf({format}, data{index}[cell]);\n"),
            (false, _) => format!(
                "      {{ {bounds} for (uint64_t byte = begin; byte < end; byte += sizeof *data{index}) \
                 printf(byte > begin ? \",\" {format} : {format}, data{index}[byte / sizeof *data{index}]); }}\n"
            ),
        });
        text
    }
}

/// Returns the type of C for values of a datatype, and the format that prints one, which is empty
/// for the bytes of texts.
fn c_type(datatype: Datatype) -> (&'static str, &'static str) {
    use Datatype as D;
    match datatype {
        D::Int8 => ("int8_t", "\"%\" PRId8"),
        D::Uint8 | D::Bool => ("uint8_t", "\"%\" PRIu8"),
        D::Int16 => ("int16_t", "\"%\" PRId16"),
        D::Uint16 => ("uint16_t", "\"%\" PRIu16"),
        D::Int32 => ("int32_t", "\"%\" PRId32"),
        D::Uint32 => ("uint32_t", "\"%\" PRIu32"),
        D::Uint64 => ("uint64_t", "\"%\" PRIu64"),
        D::Float32 => ("float", "\"%.9g\""),
        D::Float64 => ("double", "\"%.17g\""),
        datatype if datatype.is_string() || datatype.is_bytes() => ("char", ""),
        _ if datatype.size() == 1 => ("char", ""),
        _ => ("int64_t", "\"%\" PRId64"),
    }
}

/// Returns the size of a type of C in bytes, of which the elements of a buffer are.
fn c_size(c_type: &str) -> usize {
    match c_type {
        "int8_t" | "uint8_t" | "char" => 1,
        "int16_t" | "uint16_t" => 2,
        "int32_t" | "uint32_t" | "float" => 4,
        _ => 8,
    }
}
