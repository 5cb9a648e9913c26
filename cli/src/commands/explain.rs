//! The command `explain`, which describes how the cells of an array are read.

use tiledb_engine::Context;

use crate::args::Cells;
use crate::output::Output;
use crate::problem::Result;
use crate::selection::{open, selected_cells};

/// Explains a read of cells. Unless only the plan is requested, the cells are read first.
pub(super) fn explain(
    context: &Context,
    uri: &str,
    cells: &Cells,
    plan_only: bool,
    output: &mut Output,
) -> Result<()> {
    let array = open(context, uri, cells.time)?;
    let selected = selected_cells(&array, cells)?;
    let mut batches = selected.query.batches()?;
    if !plan_only && !selected.is_empty {
        batches.by_ref().try_for_each(|batch| batch.map(drop))?;
    }
    let explanation = batches.explain()?;
    if output.json {
        output.text(&format!("{}\n", explanation.to_json()))
    } else {
        output.text(&explanation.to_string())
    }
}
