//! Parquet and Arrow files: their readers and writers, and conversions between Arrow's columns and
//! cells.

mod cells;
mod column_type;
mod reader;
mod writer;

pub(crate) use cells::{CellBuffer, are_texts};
pub(crate) use column_type::{ColumnType, is_dictionary};
pub(crate) use reader::{Source, TableReader};
pub(crate) use writer::TableWriter;
