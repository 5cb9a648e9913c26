//! The texts of errors about memory budgets.

use tiledb_engine::error::{BudgetError, BudgetPurpose as Purpose, Component};
use tiledb_engine::memory::PARAMETER;

use super::{Text, origin_of, text};

/// Returns the text of an error about a memory budget. After libtiledb's words it names the
/// parameter to raise, where another parameter than the total budget may be raised.
pub(super) fn text_of(cause: &BudgetError) -> Text {
    let BudgetError {
        component,
        purpose,
        need,
        available,
        budget,
        parameter,
    } = cause;
    let raise = format!("Raise {PARAMETER} or {parameter}");
    let message = match purpose {
        Purpose::OpenArray => "Memory budget is too small to open array".to_owned(),
        Purpose::TileOffsets if *component == Component::DenseReader => {
            format!(
                "Cannot load tile offsets requiring {need} bytes, increase memory budget ({budget})"
            )
        }
        Purpose::TileOffsets => format!(
            "Cannot load tile offsets, computed size ({need}) is larger than available memory ({available}), increase memory budget. \
             Total budget for array data ({budget}). {raise}"
        ),
        Purpose::MetadataInUse { limit } => format!(
            "Cannot set array memory budget ({limit:.6}) because it is smaller than the current memory usage ({need}). {raise}"
        ),
        Purpose::RTree => format!(
            "Cannot load R-tree; Insufficient memory budget; Needed {need} but only had {available} from budget {budget}. {raise}"
        ),
        Purpose::Tile => match component {
            Component::DenseReader => format!(
                "Cannot process a single tile requiring {need} bytes with {available} available, increase memory budget ({budget})"
            ),
            Component::LabelReader => {
                format!(
                    "Can't process a single range requiring {need} bytes, increase memory budget({budget})"
                )
            }
            _ => format!(
                "Cannot load a single tile requiring {need} bytes, increase memory budget ({budget})"
            ),
        },
        Purpose::MoreTiles { used } => format!(
            "Cannot load a single tile, increase memory budget: current coords tile size = {used}, next coords tile size = {need}, \
             total_budget = {budget}"
        ),
        _ => format!(
            "Cannot reserve {need} bytes for {purpose}; {} of {budget} bytes of the memory budget are in use, raise {parameter}",
            budget.saturating_sub(*available)
        ),
    };
    text(origin_of(*component), message)
}
