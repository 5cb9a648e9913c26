//! Exports of the page: the cells of a view as a file, and programs that read them.

use serde_json::{Value, json};
use tiledb_engine::Schema;

use super::http::{Request, Response};
use super::session::{Plan, Session, selection};
use crate::args::{CellFormat, Cells, FileFormat};
use crate::commands::{write_cells, write_table};
use crate::problem::{Problem, Result};
use crate::selection::selected_cells;

/// The most cells of an exported file.
const MAX_EXPORTED: usize = 1_000_000;

/// Returns the selected cells as a file, up to a number of cells.
pub(super) fn export(session: &Session, request: &Request) -> Result<Response> {
    let array = session.array(request)?;
    let cells = selection(request, request.all("field").map(str::to_owned).collect());
    let selected = selected_cells(&array, &cells)?;
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
    let program = Program {
        uri: array.uri(),
        timestamp: request.parameter("at"),
        schema: &schema,
        cells: &cells,
    };
    Ok(json!({
        "Shell": program.shell(),
        "Python": program.python(),
        "Rust": program.rust(),
        "C": program.c(),
        "SQL": program.sql(),
    }))
}

/// A read that is written down in several languages.
struct Program<'a> {
    uri: &'a str,
    timestamp: Option<&'a str>,
    schema: &'a Schema,
    cells: &'a Cells,
}

/// Returns a text in double quotes, as Rust, Python and JSON write it: with escapes for quotes,
/// backslashes and all control characters.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            // Python and C have no escape with braces.
            character if character.is_control() => quoted.push('?'),
            character => quoted.push(character),
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

impl Program<'_> {
    /// Returns the fields: without a selection, all of them.
    fn fields(&self) -> Vec<&str> {
        if self.cells.columns.is_empty() {
            return self.schema.field_names().collect();
        }
        self.cells.columns.iter().map(String::as_str).collect()
    }

    /// Returns the name, the lower and the upper bound of each range, and whether they are numbers.
    fn ranges(&self) -> Vec<(&str, String, String, bool)> {
        let ranges = self
            .cells
            .range
            .iter()
            .filter_map(|text| text.split_once('='));
        let ranges = ranges.map(|(name, bounds)| {
            let (low, high) = bounds.split_once("..").unwrap_or((bounds, bounds));
            let dimension = self.schema.dimension(name);
            let domain = dimension.and_then(|dimension| dimension.bounds());
            let text = |bound: &str, of_domain: Option<String>| {
                if bound.is_empty() {
                    of_domain.unwrap_or_default()
                } else {
                    bound.to_owned()
                }
            };
            let datatype = dimension.map(|dimension| dimension.datatype);
            let bounds = domain
                .zip(datatype)
                .map(|((low, high), datatype)| (low.text(datatype), high.text(datatype)));
            let (first, last) = bounds.unzip();
            let (low, high) = (text(low, first), text(high, last));
            let is_number = [&low, &high]
                .iter()
                .all(|bound| bound.parse::<f64>().is_ok());
            let is_number = is_number && datatype.is_some_and(|datatype| !datatype.is_string());
            let number = |text: String| text.trim_start_matches('+').to_owned();
            if is_number {
                (name, number(low), number(high), true)
            } else {
                (name, low, high, false)
            }
        });
        ranges.collect()
    }

    fn shell(&self) -> String {
        let mut text = format!("tiledb-rs cat {}", argument(self.uri));
        if !self.cells.columns.is_empty() {
            text.push_str(&format!(
                " --columns {}",
                argument(&self.cells.columns.join(","))
            ));
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

    /// Returns the condition and the ranges as predicates of SQL, which conditions of the engine
    /// are, too.
    fn conditions(&self) -> Vec<String> {
        let condition = self.cells.condition.iter();
        let ranges = self
            .ranges()
            .into_iter()
            .map(|(name, low, high, is_number)| {
                let [low, high] =
                    [low, high].map(|bound| if is_number { bound } else { literal(&bound) });
                format!("{} BETWEEN {low} AND {high}", identifier(name))
            });
        let condition = condition.map(|text| format!("({text})"));
        condition.chain(ranges).collect()
    }

    fn python(&self) -> String {
        let opened_at = self
            .timestamp
            .map_or_else(String::new, |timestamp| format!(", timestamp={timestamp}"));
        let mut text = format!(
            "import tiledb_rs\n\nwith tiledb_rs.open({}{opened_at}) as array:\n",
            quoted(self.uri)
        );
        let fields: Vec<String> = self.fields().iter().map(|name| quoted(name)).collect();
        let conditions = self.conditions();
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("{}, ", quoted(&conditions.join(" AND ")))
        };
        text.push_str(&format!(
            "    table = array.query({condition}columns=[{}]).pandas()\nprint(table)\n",
            fields.join(", ")
        ));
        text
    }

    fn rust(&self) -> String {
        let fields: Vec<String> = self.fields().iter().map(|name| quoted(name)).collect();
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
        for (name, low, high, is_number) in self.ranges() {
            let is_real = self
                .schema
                .dimension(name)
                .is_some_and(|found| found.datatype.is_real());
            let value = |bound: &str| match (is_number, is_real) {
                (true, true) => format!("{bound}_f64"),
                (true, false) => format!("{bound}_i64"),
                _ => quoted(bound),
            };
            query.push_str(&format!(
                "\n        .range({}, {}..={})",
                quoted(name),
                value(&low),
                value(&high)
            ));
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
             let texts = batch.fields().iter().map(|field| field.text(cell).unwrap_or_default());\n            \
             println!(\"{{}}\", texts.collect::<Vec<_>>().join(\"\\t\"));\n        }}\n    }}\n    Ok(())\n}}\n"
        )
    }

    /// Returns a program for the C API that reads the first field; strings and nulls need more
    /// buffers.
    fn c(&self) -> String {
        let fields = self.fields();
        let attribute = fields
            .iter()
            .find(|name| self.schema.attribute(name).is_some());
        let name = attribute.or(fields.first()).copied().unwrap_or_default();
        let datatype = self.schema.datatype(name);
        let is_var = self.schema.attribute(name).map_or_else(
            || datatype.is_some_and(|datatype| datatype.is_string()),
            |attribute| attribute.is_var(),
        );
        let nullable = self
            .schema
            .attribute(name)
            .is_some_and(|attribute| attribute.nullable);
        let opened_at = self.timestamp.map_or_else(String::new, |timestamp| {
            format!("  check(tiledb_array_set_open_timestamp_end(ctx, array, {timestamp}));\n")
        });
        let mut ranges = String::new();
        for (index, dimension) in self.schema.dimensions().iter().enumerate() {
            let found = self
                .ranges()
                .into_iter()
                .find(|range| range.0 == dimension.name && range.3);
            let Some((_, low, high, _)) = found else {
                continue;
            };
            let c_type = c_type(dimension.datatype);
            ranges.push_str(&format!(
                "  {c_type} low{index} = {low}, high{index} = {high};\n  \
                 check(tiledb_subarray_add_range(ctx, subarray, {index}, &low{index}, &high{index}, NULL));\n"
            ));
        }
        let quoted_name = quoted(name);
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
        let (mut buffers, mut set) = (String::new(), String::new());
        if is_var {
            buffers.push_str(
                "  static uint64_t offsets[1 << 17];\n  uint64_t offsets_size = sizeof offsets;\n",
            );
            set.push_str(&format!(
                "  check(tiledb_query_set_offsets_buffer(ctx, query, {quoted_name}, offsets, &offsets_size));\n"
            ));
        }
        if nullable {
            buffers.push_str("  static uint8_t validity[1 << 20];\n  uint64_t validity_size = sizeof validity;\n");
            set.push_str(&format!(
                "  check(tiledb_query_set_validity_buffer(ctx, query, {quoted_name}, validity, &validity_size));\n"
            ));
        }
        let layout = if self.schema.is_dense() {
            "TILEDB_ROW_MAJOR"
        } else {
            "TILEDB_UNORDERED"
        };
        let c_type = datatype.map_or("uint8_t", c_type);
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <tiledb/tiledb.h>\n\n\
             static tiledb_ctx_t *ctx;\n\n\
             static void check(int32_t status) {{\n  if (status != TILEDB_OK) {{\n    \
             tiledb_error_t *error = NULL;\n    const char *message = \"\";\n    \
             if (ctx != NULL && tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL)\n      \
             tiledb_error_message(error, &message);\n    fprintf(stderr, \"%s\\n\", message);\n    exit(1);\n  }}\n}}\n\n\
             int main(void) {{\n  tiledb_array_t *array;\n  tiledb_query_t *query;\n  \
             tiledb_subarray_t *subarray;\n  tiledb_query_status_t status;\n  \
             check(tiledb_ctx_alloc(NULL, &ctx));\n  check(tiledb_array_alloc(ctx, {}, &array));\n{opened_at}  \
             check(tiledb_array_open(ctx, array, TILEDB_READ));\n  \
             check(tiledb_subarray_alloc(ctx, array, &subarray));\n{ranges}  \
             check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));\n  \
             check(tiledb_query_set_layout(ctx, query, {layout}));\n  \
             check(tiledb_query_set_subarray_t(ctx, query, subarray));\n{condition}  \
             static {c_type} data[1 << 20];\n  uint64_t size = sizeof data;\n{buffers}  \
             check(tiledb_query_set_data_buffer(ctx, query, {quoted_name}, data, &size));\n{set}  \
             do {{\n    check(tiledb_query_submit(ctx, query));\n    \
             check(tiledb_query_get_status(ctx, query, &status));\n    \
             printf(\"%llu values\\n\", (unsigned long long)(size / sizeof *data));\n  \
             }} while (status == TILEDB_INCOMPLETE && size > 0);\n  \
             tiledb_query_free(&query);\n  tiledb_subarray_free(&subarray);\n  \
             tiledb_array_free(&array);\n  tiledb_ctx_free(&ctx);\n}}\n",
            quoted(self.uri)
        )
    }

    fn sql(&self) -> String {
        let fields: Vec<String> = self.fields().iter().map(|name| identifier(name)).collect();
        let conditions = self.conditions();
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("\nWHERE {}", conditions.join("\n  AND "))
        };
        let source = format!("tiledb({})", literal(self.uri));
        format!("SELECT {}\nFROM {source}{condition};\n", fields.join(", "))
    }
}

/// Returns the type of C for values of a datatype.
fn c_type(datatype: tiledb_engine::Datatype) -> &'static str {
    use tiledb_engine::Datatype as D;
    match datatype {
        D::Int8 => "int8_t",
        D::Uint8 | D::Bool => "uint8_t",
        D::Int16 => "int16_t",
        D::Uint16 => "uint16_t",
        D::Int32 => "int32_t",
        D::Uint32 => "uint32_t",
        D::Uint64 => "uint64_t",
        D::Float32 => "float",
        D::Float64 => "double",
        datatype if datatype.is_string() || datatype.is_bytes() => "char",
        _ => "int64_t",
    }
}
