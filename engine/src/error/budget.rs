//! Causes of errors of memory budgets.

use std::fmt;

use super::ErrorKind;
use super::table::{CauseTable, Text};

/// A component of the engine, where the same cause occurs in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Component {
    /// Reads of dense arrays.
    DenseReader,
    /// Reads of sparse arrays in any order.
    SparseReader,
    /// Reads of sparse arrays that merge cells.
    MergingReader,
    /// Reads of sparse arrays with duplicates, which do not merge cells.
    UnorderedReader,
    /// Reads of the values of dimension labels.
    LabelReader,
    /// Metadata of fragments.
    FragmentMetadata,
    /// Writes.
    Writer,
    /// Consolidation of fragments.
    Consolidator,
}

impl Component {
    /// Returns libtiledb's component.
    pub(super) fn origin(self) -> &'static str {
        match self {
            Self::DenseReader => "DenseReader",
            Self::SparseReader => "SparseIndexReaderBase",
            Self::MergingReader => "SparseGlobalOrderReader",
            Self::UnorderedReader => "SparseUnorderedWithDupsReader",
            Self::LabelReader => "OrderedDimLabelReader",
            Self::FragmentMetadata => "FragmentMetadata",
            Self::Writer => "WriterBase",
            Self::Consolidator => "FragmentConsolidator",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DenseReader => "dense reader",
            Self::SparseReader => "sparse reader",
            Self::MergingReader => "merging reader",
            Self::UnorderedReader => "unordered reader",
            Self::LabelReader => "label reader",
            Self::FragmentMetadata => "fragment metadata",
            Self::Writer => "writer",
            Self::Consolidator => "consolidation",
        })
    }
}

/// A component that cannot progress within its memory budget.
#[derive(Debug, thiserror::Error)]
#[error(
    "The {component} needs {need} bytes for {purpose}, but {available} bytes are left of the budget of {budget} bytes; \
     raise {parameter}"
)]
pub struct BudgetError {
    /// The component that exceeds the budget.
    pub component: Component,
    /// The purpose of the memory.
    pub purpose: BudgetPurpose,
    /// The memory needed in bytes.
    pub need: u64,
    /// The memory left in bytes.
    pub available: u64,
    /// The budget in bytes.
    pub budget: u64,
    /// The parameter to raise. Others set shares of the budget that it sets.
    pub parameter: &'static str,
}

/// The purpose of memory that exceeds a budget.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetPurpose {
    /// A purpose of one place of the code.
    #[error("{0}")]
    Other(&'static str),
    /// The schema and the fragments of an open array.
    #[error("the open array")]
    OpenArray,
    /// The offsets of tiles.
    #[error("tile offsets")]
    TileOffsets,
    /// Metadata of fragments that is already in memory.
    #[error("fragment metadata in use, limited to {limit:.6} bytes")]
    MetadataInUse {
        /// The limit in bytes, which is a share of the budget.
        limit: f64,
    },
    /// R-trees.
    #[error("R-trees")]
    RTree,
    /// One tile.
    #[error("a tile")]
    Tile,
    /// Tiles in addition to those in memory.
    #[error("a tile besides {used} bytes of tiles")]
    MoreTiles {
        /// The bytes of the tiles in memory.
        used: u64,
    },
}

impl CauseTable for BudgetError {
    // After libtiledb's words it names the parameter to raise, if another parameter than the total
    // budget may be raised.
    fn text(&self) -> Text {
        let Self {
            component,
            purpose,
            need,
            available,
            budget,
            parameter,
        } = self;
        let raise = format!("Raise sm.mem.total_budget or {parameter}");
        let message = match purpose {
            BudgetPurpose::OpenArray => "Memory budget is too small to open array".to_owned(),
            BudgetPurpose::TileOffsets if *component == Component::DenseReader => {
                format!(
                    "Cannot load tile offsets requiring {need} bytes, increase memory budget ({budget})"
                )
            }
            BudgetPurpose::TileOffsets => format!(
                "Cannot load tile offsets, computed size ({need}) is larger than available memory ({available}), increase memory budget. \
                 Total budget for array data ({budget}). {raise}"
            ),
            BudgetPurpose::MetadataInUse { limit } => format!(
                "Cannot set array memory budget ({limit:.6}) because it is smaller than the current memory usage ({need}). {raise}"
            ),
            BudgetPurpose::RTree => format!(
                "Cannot load R-tree; Insufficient memory budget; Needed {need} but only had {available} from budget {budget}. {raise}"
            ),
            BudgetPurpose::Tile => match component {
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
            BudgetPurpose::MoreTiles { used } => format!(
                "Cannot load a single tile, increase memory budget: current coords tile size = {used}, next coords tile size = {need}, \
                 total_budget = {budget}"
            ),
            _ => format!(
                "Cannot reserve {need} bytes for {purpose}; {} of {budget} bytes of the memory budget are in use, raise {parameter}",
                budget.saturating_sub(*available)
            ),
        };
        Text::new(component.origin(), message)
    }

    fn kind(&self) -> ErrorKind {
        ErrorKind::OutOfBudget
    }
}
