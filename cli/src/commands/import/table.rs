//! Tables: columns that become dimensions and attributes, and the array that gets their rows.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use tiledb_engine::{
    Array, ArrayType, Attribute, Context, Datatype, Enumeration, Scalar, Schema, SchemaBuilder,
    WriteQuery,
};

use super::compression;
use crate::args::TableOptions;
use crate::problem::{Problem, Result};
use crate::selection::parse_datatype;

impl TableOptions {
    /// Returns the given datatypes, after a check that the options name columns of the file.
    pub(super) fn given<'a>(&'a self, columns: &[&str]) -> Result<Vec<(&'a str, Datatype)>> {
        let known = |name: &str| {
            if columns.contains(&name) {
                return Ok(());
            }
            Err(Problem::usage(format!("there is no column '{name}'"))
                .hint(format!("the columns are: {}", columns.join(", "))))
        };
        self.dimensions.iter().try_for_each(|name| known(name))?;
        let mut given: Vec<(&str, Datatype)> = Vec::new();
        for text in &self.types {
            let (name, datatype) = text.split_once('=').ok_or_else(|| {
                Problem::usage(format!("'{text}' is not a datatype of a column"))
                    .hint("write --type COLUMN=DATATYPE, such as --type id=UINT32")
            })?;
            known(name)?;
            if given.iter().any(|(other, _)| *other == name) {
                let message = format!("column '{name}' has two datatypes");
                return Err(Problem::usage(message).hint("give --type once for each column"));
            }
            given.push((name, parse_datatype(datatype)?));
        }
        Ok(given)
    }
}

/// Checks the names of columns.
pub(super) fn check_names(columns: &[&str]) -> Result<()> {
    let mut names = HashSet::new();
    for name in columns {
        if name.is_empty() || name.starts_with("__") || !names.insert(name) {
            return Err(
                Problem::usage(format!("'{name}' cannot be the name of a column"))
                    .hint("names must be different, not empty, and not begin with '__'"),
            );
        }
    }
    Ok(())
}

/// The most labels for which indexes have 16 bits: three times as many can be added later.
const MAX_SHORT_LABELS: usize = 1 << 14;

/// The number of values of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellShape {
    /// One value: a number, or a text of any length.
    One,
    /// This number of values in each cell; also 1, of characters and bytes.
    Fixed(u32),
    /// Any number of values.
    Any,
}

impl CellShape {
    pub(crate) fn of(attribute: &Attribute) -> Self {
        let has_text = attribute.datatype.is_string() || attribute.datatype.is_bytes();
        match attribute.cell_val_num {
            _ if attribute.is_var() => Self::Any,
            1 if !has_text => Self::One,
            number => Self::Fixed(number),
        }
    }
}

/// The values of a column with an enumeration.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    pub(crate) values: Vec<String>,
    pub(crate) ordered: bool,
}

impl Labels {
    /// Returns the datatype of the indexes.
    pub(crate) fn index_type(&self) -> Datatype {
        if self.values.len() <= MAX_SHORT_LABELS {
            Datatype::Uint16
        } else {
            Datatype::Int32
        }
    }
}

/// A column of a table, with the field that it becomes.
#[derive(Clone, Debug)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    /// The datatype of the values; of the indexes, if the column has an enumeration.
    pub(crate) datatype: Datatype,
    pub(crate) shape: CellShape,
    pub(crate) nullable: bool,
    pub(crate) is_dimension: bool,
    pub(crate) labels: Option<Labels>,
}

impl TableColumn {
    /// Returns the datatype with its properties, for users.
    pub(super) fn kind(&self) -> String {
        let values = match (&self.labels, self.shape) {
            (Some(labels), _) => format!(" (enumeration of {} values)", labels.values.len()),
            (None, CellShape::Fixed(number)) => format!("[{number}]"),
            (None, CellShape::Any) if !self.datatype.is_string() && !self.datatype.is_bytes() => {
                "[]".to_owned()
            }
            _ => String::new(),
        };
        let nullable = if self.nullable && !self.is_dimension {
            "?"
        } else {
            ""
        };
        let role = if self.is_dimension {
            " (dimension)"
        } else {
            ""
        };
        format!("{}{nullable}{values}{role}", self.datatype.name())
    }

    fn attribute(&self) -> Result<Attribute> {
        let attribute = Attribute::of(&self.name, self.datatype);
        let attribute = match self.shape {
            CellShape::One => attribute,
            CellShape::Fixed(number) => attribute.with_values_per_cell(number)?,
            CellShape::Any => attribute.with_any_number_of_values(),
        };
        let attribute = match &self.labels {
            Some(_) => attribute.with_enumeration(&self.name),
            None => attribute,
        };
        let attribute = if self.nullable {
            attribute.with_nulls()
        } else {
            attribute
        };
        Ok(attribute.with_filters(compression())?)
    }
}

/// An existing array to which the rows of a table are appended.
#[derive(Debug)]
pub(super) struct AppendTarget {
    pub(super) array: Array,
    pub(super) schema: Schema,
}

impl AppendTarget {
    pub(super) fn new(array: Array) -> Result<Self> {
        let schema = array.schema()?;
        if schema.is_dense() {
            return Err(Problem::usage(
                "rows can be appended to sparse arrays, and this one is dense",
            )
            .hint("import the file to a new array"));
        }
        Ok(Self { array, schema })
    }

    /// Checks that the fields of the array are the columns of the file, in any order. The only
    /// dimension may be missing if it has the numbers of rows.
    pub(super) fn check(&self, columns: &[&str]) -> Result<()> {
        check_names(columns)?;
        let fields: Vec<&str> = self.schema.field_names().collect();
        if let Some(name) = columns.iter().find(|name| !fields.contains(name)) {
            let message = format!("column '{name}' is not a field of the array");
            return Err(Problem::usage(message).hint(format!(
                "the fields are: {}; `tiledb-rs evolve` adds attributes",
                fields.join(", ")
            )));
        }
        let dimensions = self.schema.dimensions();
        let is_row = |name: &str| {
            let dimension = dimensions.iter().find(|dimension| dimension.name == name);
            dimensions.len() == 1
                && dimension.is_some_and(|dimension| dimension.datatype.is_integer())
        };
        let missing = fields
            .iter()
            .find(|name| !columns.contains(name) && !is_row(name));
        match missing {
            Some(name) => {
                let message = format!("the file has no column for the field '{name}'");
                let hint = format!("the columns are: {}", columns.join(", "));
                Err(Problem::usage(message).hint(hint))
            }
            None => Ok(()),
        }
    }

    /// Returns the column for a field. Its datatype is that of the values if the field has an
    /// enumeration.
    pub(super) fn column(&self, name: &str) -> Result<TableColumn> {
        if let Some(dimension) = self.schema.dimension(name) {
            return Ok(TableColumn {
                name: name.to_owned(),
                datatype: dimension.datatype,
                shape: if dimension.is_var() {
                    CellShape::Any
                } else {
                    CellShape::One
                },
                nullable: false,
                is_dimension: true,
                labels: None,
            });
        }
        let Some(attribute) = self.schema.attribute(name) else {
            return Err(Problem::usage(format!("there is no field '{name}'")));
        };
        let (datatype, shape, labels) = match &attribute.enumeration {
            Some(enumeration) => {
                let enumeration = self.array.enumeration(enumeration)?;
                let labels = Labels {
                    values: enumeration
                        .values()
                        .map(|value| value.to_string())
                        .collect(),
                    ordered: enumeration.ordered(),
                };
                (enumeration.datatype(), CellShape::One, Some(labels))
            }
            None => (attribute.datatype, CellShape::of(attribute), None),
        };
        Ok(TableColumn {
            name: name.to_owned(),
            datatype,
            shape,
            nullable: attribute.nullable,
            is_dimension: false,
            labels,
        })
    }
}

/// The array that gets the rows of a table.
#[derive(Debug)]
pub(super) struct TableTarget {
    pub(super) array: Array,
    columns: Vec<TableColumn>,
    /// The dimension with the numbers of rows, if no column is a dimension.
    row_name: Option<String>,
    /// The number of the first row of the file.
    first: u64,
    /// The number of rows that were written.
    pub(super) rows: u64,
}

impl TableTarget {
    /// Creates an array for the columns of a table, with their schema.
    pub(super) fn create(
        context: &Context,
        uri: &str,
        columns: Vec<TableColumn>,
        schema: &Schema,
    ) -> Result<Self> {
        let row_name = row_dimension(&columns);
        Array::create(context, uri, schema)?;
        Ok(Self {
            array: Array::open(context, uri)?,
            columns,
            row_name,
            first: 0,
            rows: 0,
        })
    }

    /// Returns an existing array for rows with these columns, which were checked.
    pub(super) fn append(target: AppendTarget, columns: Vec<TableColumn>) -> Result<Self> {
        let AppendTarget { array, schema } = target;
        let mut dimensions = schema.dimensions().iter();
        let unnamed =
            dimensions.find(|dimension| columns.iter().all(|column| column.name != dimension.name));
        let row_name = unnamed.map(|dimension| dimension.name.clone());
        let first = match (&row_name, array.non_empty_domain()?) {
            (Some(_), Some(domain)) => match domain.first().map(|range| range.end()) {
                Some(Scalar::Integer(last)) => next_row(*last)?,
                _ => 0,
            },
            _ => 0,
        };
        Ok(Self {
            array,
            columns,
            row_name,
            first,
            rows: 0,
        })
    }

    /// Adds the texts of columns that their enumerations lack, so that rows with them can be
    /// written.
    pub(super) fn add_labels<'a, T: IntoIterator<Item = Option<Scalar>>>(
        &mut self,
        columns: impl IntoIterator<Item = (&'a TableColumn, T)>,
    ) -> Result<()> {
        let columns = columns.into_iter();
        let labelled =
            columns.filter(|(column, _)| column.labels.is_some() && column.datatype.is_string());
        let arrays: Vec<(&str, ArrayRef)> = labelled
            .map(|(column, values)| {
                let texts = values.into_iter().map(|value| match value {
                    Some(Scalar::Text(text)) => Some(text),
                    _ => None,
                });
                let texts = Arc::new(texts.collect::<StringArray>());
                (&column.name[..], texts as ArrayRef)
            })
            .collect();
        if !arrays.is_empty() {
            let texts = RecordBatch::try_from_iter(arrays)?;
            self.array.extend_enumerations(&texts)?;
        }
        Ok(())
    }

    /// Returns a write of the next rows, which has the numbers of rows if they are a dimension.
    pub(super) fn write(&self, rows: usize) -> WriteQuery {
        let write = self.array.write();
        match &self.row_name {
            Some(name) => {
                let first = self.first.saturating_add(self.rows);
                write.column(name, first..first.saturating_add(rows as u64))
            }
            None => write,
        }
    }

    /// Stores the rows of a write.
    pub(super) fn submit(&mut self, write: WriteQuery, rows: usize) -> Result<()> {
        write.submit()?;
        self.rows += rows as u64;
        Ok(())
    }

    /// Adds to an error how many rows were appended before it.
    pub(super) fn explain(&self, problem: Problem) -> Problem {
        match self.rows {
            0 => problem,
            rows => problem.hint(format!(
                "the first {rows} rows of the file are in the array; continue after them"
            )),
        }
    }

    /// Returns the names of the fields with their datatypes.
    pub(super) fn fields(&self) -> Vec<(String, String)> {
        let row = self.row_name.iter().map(|name| {
            let schema = self.array.schema().ok();
            let datatype = schema.and_then(|schema| schema.datatype(name));
            let datatype = datatype.unwrap_or(Datatype::Uint64);
            (name.clone(), format!("{} (dimension)", datatype.name()))
        });
        let columns = self.columns.iter();
        row.chain(columns.map(|column| (column.name.clone(), column.kind())))
            .collect()
    }
}

/// Returns the number of the row after the last one of an array.
fn next_row(last: i128) -> Result<u64> {
    u64::try_from((last + 1).max(0)).map_err(|_| {
        Problem::usage(format!(
            "no number of a row is larger than {last}, which is taken"
        ))
        .hint("give the file a column with the coordinates")
    })
}

/// Returns the name of the dimension with the numbers of rows, if no column is a dimension.
pub(super) fn row_dimension(columns: &[TableColumn]) -> Option<String> {
    if columns.iter().any(|column| column.is_dimension) {
        return None;
    }
    let free = |name: &&str| columns.iter().all(|column| column.name != **name);
    let names = ["row", "row_number", "tiledb_row"];
    names
        .iter()
        .find(|name| free(name))
        .map(|name| (*name).to_owned())
}

/// Returns the schema of an array for the columns of a table.
pub(super) fn schema(columns: &[TableColumn], options: &TableOptions) -> Result<Schema> {
    let row_name = row_dimension(columns);
    let mut builder = Schema::builder(ArrayType::Sparse).capacity(10_000);
    if let Some(name) = row_name.as_deref() {
        let domain = 0..=u64::MAX / 2;
        builder = builder.dimension(name, Datatype::Uint64, domain, 10_000);
        builder = builder.filters(name, compression());
    } else {
        // Two rows may have the same coordinates.
        builder = builder.allow_duplicates(true);
    }
    for name in &options.dimensions {
        let Some(column) = columns.iter().find(|column| column.name == *name) else {
            continue;
        };
        builder = dimension(builder, column)?.filters(&column.name, compression());
    }
    for column in columns.iter().filter(|column| !column.is_dimension) {
        if let Some(labels) = &column.labels {
            let (name, values) = (&column.name, labels.values.iter());
            builder = builder.enumeration(Enumeration::of_texts(name, labels.ordered, values)?);
        }
        builder = builder.with_attribute(column.attribute()?);
    }
    Ok(builder.build()?)
}

/// Adds a dimension with a domain for later rows as well.
fn dimension(builder: SchemaBuilder, column: &TableColumn) -> Result<SchemaBuilder> {
    let (name, datatype) = (&column.name, column.datatype);
    let years = "0001-01-01"..="9999-12-31";
    let month = 86_400i64 * 30;
    if column.shape != CellShape::One && datatype != Datatype::StringAscii {
        let message = format!("column '{name}' has several values per cell");
        return Err(Problem::usage(message).hint("choose a dimension with one value per cell"));
    }
    Ok(match datatype {
        Datatype::StringAscii => builder.string_dimension(name),
        // The last tile must not exceed the greatest number.
        Datatype::Int64 => builder.dimension(name, datatype, i64::MIN..=i64::MAX - 10_000, 10_000),
        Datatype::Uint64 => builder.dimension(name, datatype, 0..=u64::MAX - 10_000, 10_000),
        Datatype::Int32 => builder.dimension(name, datatype, i32::MIN..=i32::MAX - 10_000, 10_000),
        Datatype::Uint32 => builder.dimension(name, datatype, 0..=u32::MAX - 10_000, 10_000),
        Datatype::Int16 => builder.dimension(name, datatype, i16::MIN..=i16::MAX - 100, 100),
        Datatype::Uint16 => builder.dimension(name, datatype, 0..=u16::MAX - 100, 100),
        Datatype::Float32 => builder.dimension(name, datatype, -1e38..=1e38, 1000.0),
        Datatype::Float64 => builder.dimension(name, datatype, -1e300..=1e300, 1000.0),
        Datatype::DatetimeDay => builder.dimension(name, datatype, years, 366),
        Datatype::DatetimeSec => builder.dimension(name, datatype, years, month),
        Datatype::DatetimeMs => builder.dimension(name, datatype, years, month * 1000),
        Datatype::DatetimeUs => builder.dimension(name, datatype, years, month * 1_000_000),
        // 64 bits of nanoseconds are 584 years.
        Datatype::DatetimeNs => {
            let years = "1678-01-01"..="2261-12-31";
            builder.dimension(name, datatype, years, month * 1_000_000_000)
        }
        other => {
            let message = format!("column '{name}' of {} cannot be a dimension", other.name());
            return Err(Problem::usage(message).hint(
                "dimensions are INT16 to INT64, UINT16 to UINT64, FLOAT32, FLOAT64, DATETIME_DAY, \
                 DATETIME_SEC to DATETIME_NS or STRING_ASCII",
            ));
        }
    })
}
