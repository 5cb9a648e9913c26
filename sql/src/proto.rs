//! Tables and scans as messages, for engines that distribute plans of DataFusion.
//!
//! A message has the URI, the timestamps, the fields, the ranges, the condition and the parts of a
//! read. It has no configuration and no secrets: the options of the codec of the receiving process
//! have those. All processes read the writes up to the timestamp at which the plan was made.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use datafusion::arrow::datatypes::{Schema as ArrowSchema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{TableReference, not_impl_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use prost::Message;
use tiledb_engine::{Context, Scalar, TimeRange};

use crate::error::engine_error;
use crate::partitions::{Part, Parts};
use crate::predicate::Selection;
use crate::ranges::{Bound, Interval, RangeSet};
use crate::scan::{Source, TileDbScan};
use crate::table::{TableOptions, TileDbTable};

/// The most tables that stay open for the scans that are decoded next.
const OPEN_TABLES: usize = 16;

/// A table, once it is open.
type TableSlot = Arc<Mutex<Option<TileDbTable>>>;

/// Encodes tables and scans of arrays, and decodes them with its options.
///
/// The scans of one plan are decoded with one open array, because an engine decodes a scan for
/// each of its tasks. The 16 arrays used last stay open. Clones share them.
#[derive(Clone, Default)]
pub struct TileDbCodec {
    options: TableOptions,
    context: Arc<OnceLock<Context>>,
    /// Open tables by the bytes of their messages, the last used at the end.
    tables: Arc<Mutex<VecDeque<(Vec<u8>, TableSlot)>>>,
}

impl fmt::Debug for TileDbCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TileDbCodec")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl TileDbCodec {
    /// Creates a codec whose decoded tables and scans have the configuration and keys of these
    /// options.
    pub fn new(options: TableOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Returns the options of the table of a message. All tables have one context, and so share its
    /// threads, caches and connections.
    fn table_options(&self, table: &TableMessage) -> Result<TableOptions> {
        let context = match self.context.get() {
            Some(context) => context,
            None => {
                let context = self.options.engine_context();
                let context = context.map_err(|error| engine_error(&table.uri, error))?;
                self.context.get_or_init(|| context)
            }
        };
        Ok(table.options(self.options.clone().opened_context(context)))
    }

    /// Returns the table that the scans of a plan read.
    fn open(&self, table: &TableMessage) -> Result<TileDbTable> {
        let key = table.encode_to_vec();
        let slot = {
            let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
            let position = tables.iter().position(|(other, _)| *other == key);
            let entry = position.and_then(|position| tables.remove(position));
            let entry = entry.unwrap_or_default();
            let slot = entry.1.clone();
            tables.push_back((key, slot.clone()));
            if tables.len() > OPEN_TABLES {
                tables.pop_front();
            }
            slot
        };
        // Other tasks of the plan wait for the one that opens the array.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = slot.as_ref() {
            return Ok(open.clone());
        }
        let open = TileDbTable::open(&table.uri, self.table_options(table)?)?;
        *slot = Some(open.clone());
        Ok(open)
    }
}

#[derive(Clone, PartialEq, Message)]
struct TableMessage {
    #[prost(string, tag = "1")]
    uri: String,
    #[prost(uint64, optional, tag = "2")]
    start: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    end: Option<u64>,
    #[prost(string, repeated, tag = "4")]
    fields: Vec<String>,
    #[prost(bool, tag = "5")]
    unwritten_cells: bool,
    /// The plan of a scan.
    #[prost(uint64, tag = "6")]
    plan: u64,
    #[prost(bool, tag = "7")]
    dictionaries: bool,
}

#[derive(Clone, PartialEq, Message)]
struct ScanMessage {
    #[prost(message, required, tag = "1")]
    table: TableMessage,
    #[prost(message, repeated, tag = "2")]
    ranges: Vec<RangeSetMessage>,
    #[prost(string, optional, tag = "3")]
    condition: Option<String>,
    #[prost(message, repeated, tag = "4")]
    parts: Vec<PartMessage>,
    #[prost(uint64, optional, tag = "5")]
    limit: Option<u64>,
    #[prost(uint64, tag = "6")]
    fragments: u64,
    #[prost(uint64, tag = "7")]
    all_fragments: u64,
    #[prost(string, repeated, tag = "8")]
    columns: Vec<String>,
    #[prost(bool, tag = "9")]
    is_merged: bool,
}

#[derive(Clone, PartialEq, Message)]
struct PartMessage {
    #[prost(message, repeated, tag = "1")]
    boxes: Vec<BoxMessage>,
    #[prost(uint64, tag = "2")]
    cells: u64,
    #[prost(uint64, tag = "3")]
    tiles: u64,
}

#[derive(Clone, PartialEq, Message)]
struct BoxMessage {
    #[prost(message, repeated, tag = "1")]
    dimensions: Vec<RangeSetMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct RangeSetMessage {
    #[prost(message, repeated, tag = "1")]
    intervals: Vec<IntervalMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct IntervalMessage {
    #[prost(message, optional, tag = "1")]
    low: Option<BoundMessage>,
    #[prost(message, optional, tag = "2")]
    high: Option<BoundMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct BoundMessage {
    #[prost(oneof = "ValueMessage", tags = "1, 2, 3, 4, 5")]
    value: Option<ValueMessage>,
    #[prost(bool, tag = "6")]
    included: bool,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum ValueMessage {
    /// 16 bytes in little-endian order.
    #[prost(bytes, tag = "1")]
    Integer(Vec<u8>),
    #[prost(double, tag = "2")]
    Real(f64),
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(bytes, tag = "4")]
    Bytes(Vec<u8>),
    #[prost(bool, tag = "5")]
    Bool(bool),
}

fn bound_message(bound: &Bound) -> BoundMessage {
    let value = match &bound.value {
        Scalar::Integer(value) => ValueMessage::Integer(value.to_le_bytes().to_vec()),
        Scalar::Real(value) => ValueMessage::Real(*value),
        Scalar::Text(text) => ValueMessage::Text(text.clone()),
        Scalar::Bytes(bytes) => ValueMessage::Bytes(bytes.clone()),
        Scalar::Bool(value) => ValueMessage::Bool(*value),
    };
    BoundMessage {
        value: Some(value),
        included: bound.included,
    }
}

fn bound_of(message: BoundMessage) -> Result<Bound> {
    let value = match message.value {
        Some(ValueMessage::Integer(bytes)) => {
            let bytes = bytes
                .try_into()
                .map_err(|_| damaged("an integer has not 16 bytes"))?;
            Scalar::Integer(i128::from_le_bytes(bytes))
        }
        Some(ValueMessage::Real(value)) => Scalar::Real(value),
        Some(ValueMessage::Text(text)) => Scalar::Text(text),
        Some(ValueMessage::Bytes(bytes)) => Scalar::Bytes(bytes),
        Some(ValueMessage::Bool(value)) => Scalar::Bool(value),
        None => return Err(damaged("a bound has no value")),
    };
    Ok(Bound {
        value,
        included: message.included,
    })
}

fn set_message(set: &RangeSet) -> RangeSetMessage {
    let intervals = set.0.iter().map(|interval| IntervalMessage {
        low: interval.low.as_ref().map(bound_message),
        high: interval.high.as_ref().map(bound_message),
    });
    RangeSetMessage {
        intervals: intervals.collect(),
    }
}

fn set_of(message: RangeSetMessage) -> Result<RangeSet> {
    let intervals = message.intervals.into_iter().map(|interval| {
        Ok(Interval {
            low: interval.low.map(bound_of).transpose()?,
            high: interval.high.map(bound_of).transpose()?,
        })
    });
    Ok(RangeSet(intervals.collect::<Result<_>>()?))
}

fn part_message(part: &Part) -> PartMessage {
    let boxes = part.boxes.iter().map(|ranges| {
        let dimensions = ranges.iter().map(|ranges| {
            let intervals = ranges.iter().cloned();
            let intervals = intervals.map(|(low, high)| Interval::closed(low, high));
            set_message(&RangeSet(intervals.collect()))
        });
        BoxMessage {
            dimensions: dimensions.collect(),
        }
    });
    PartMessage {
        boxes: boxes.collect(),
        cells: part.cells,
        tiles: part.tiles,
    }
}

fn part_of(message: PartMessage) -> Result<Part> {
    let boxes = message.boxes.into_iter().map(|ranges| {
        let dimensions =
            ranges.dimensions.into_iter().map(|ranges| {
                let bounds = set_of(ranges)?.0.into_iter().map(|interval| {
                    match (interval.low, interval.high) {
                        (Some(low), Some(high)) => Ok((low.value, high.value)),
                        _ => Err(damaged("a range of a part has no bound")),
                    }
                });
                bounds.collect::<Result<Vec<_>>>()
            });
        dimensions.collect::<Result<Vec<_>>>()
    });
    Ok(Part {
        boxes: boxes.collect::<Result<_>>()?,
        cells: message.cells,
        tiles: message.tiles,
    })
}

fn damaged(problem: &str) -> DataFusionError {
    DataFusionError::Plan(format!(
        "a message of a scan of an array is damaged: {problem}"
    ))
}

fn decoded<M: Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(|error| damaged(&error.to_string()))
}

impl TableMessage {
    fn options(&self, options: TableOptions) -> TableOptions {
        let mut options = options
            .unwritten_cells(self.unwritten_cells)
            .dictionaries(self.dictionaries);
        if let (Some(start), Some(end)) = (self.start, self.end) {
            options = options.timestamps(TimeRange { start, end });
        }
        if !self.fields.is_empty() {
            options = options.fields(self.fields.iter().cloned());
        }
        options
    }
}

fn columns_of(schema: &SchemaRef) -> Vec<String> {
    schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect()
}

impl PhysicalExtensionCodec for TileDbCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        _: &[Arc<dyn ExecutionPlan>],
        _: &TaskContext,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let message: ScanMessage = decoded(bytes)?;
        let (Some(start), Some(end)) = (message.table.start, message.table.end) else {
            return Err(damaged("it has no timestamps"));
        };
        let table = self.open(&message.table)?;
        let schema = table.schema();
        let columns = message.columns.iter().map(|name| {
            let field = schema.field_with_name(name);
            field
                .cloned()
                .map_err(|_| damaged("a column does not exist"))
        });
        let columns = Arc::new(ArrowSchema::new(columns.collect::<Result<Vec<_>>>()?));
        let ranges = message
            .ranges
            .into_iter()
            .map(set_of)
            .collect::<Result<Vec<_>>>()?;
        let parts = message
            .parts
            .into_iter()
            .map(part_of)
            .collect::<Result<Vec<_>>>()?;
        let dimensions = table.dimension_num()?;
        let has_all = |ranges: usize| ranges == dimensions;
        let boxes = parts.iter().flat_map(|part| &part.boxes);
        if !has_all(ranges.len()) || boxes.into_iter().any(|ranges| !has_all(ranges.len())) {
            return Err(damaged("it has another number of dimensions"));
        }
        let source = Source {
            array: table.array().clone(),
            timestamps: TimeRange { start, end },
            fields: table.fields(),
            unwritten_cells: message.table.unwritten_cells,
            dictionaries: message.table.dictionaries,
            plan: message.table.plan,
        };
        let selection = Selection {
            ranges,
            condition: message.condition,
            filters: Vec::new(),
        };
        let parts = Parts {
            parts,
            fragments: message.fragments,
            all_fragments: message.all_fragments,
        };
        let limit = message
            .limit
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut scan = TileDbScan::new(source, columns, selection, parts, limit)?;
        // An executor reads some of the partitions, not more than it has cores.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        scan.concurrent = scan.concurrent.min(cores);
        Ok(Arc::new(if message.is_merged {
            scan.merged()
        } else {
            scan
        }))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(scan) = node.downcast_ref::<TileDbScan>() else {
            return not_impl_err!("the codec of arrays does not encode {}", node.name());
        };
        let table = TableMessage {
            uri: scan.uri().to_owned(),
            start: Some(scan.timestamps().start),
            end: Some(scan.timestamps().end),
            fields: scan.source.field_names(),
            unwritten_cells: scan.source.unwritten_cells,
            plan: scan.source.plan,
            dictionaries: scan.source.dictionaries,
        };
        let message = ScanMessage {
            table,
            ranges: scan.selection.ranges.iter().map(set_message).collect(),
            // The predicates of a dense read have no message: the filter above evaluates them.
            condition: scan
                .selection
                .condition
                .clone()
                .filter(|_| scan.selection.filters.is_empty()),
            parts: scan.parts.parts.iter().map(part_message).collect(),
            limit: scan.limit.map(|limit| limit as u64),
            fragments: scan.parts.fragments,
            all_fragments: scan.parts.all_fragments,
            columns: columns_of(&scan.columns),
            is_merged: scan.is_merged,
        };
        bytes.extend(message.encode_to_vec());
        Ok(())
    }
}

impl LogicalExtensionCodec for TileDbCodec {
    fn try_decode(&self, _: &[u8], _: &[LogicalPlan], _: &TaskContext) -> Result<Extension> {
        not_impl_err!("arrays have no logical nodes of their own")
    }

    fn try_encode(&self, node: &Extension, _: &mut Vec<u8>) -> Result<()> {
        not_impl_err!("the codec of arrays does not encode {}", node.node.name())
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        _: &TableReference,
        _: SchemaRef,
        _: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let message: TableMessage = decoded(bytes)?;
        let options = self.table_options(&message)?;
        Ok(Arc::new(TileDbTable::open(&message.uri, options)?))
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let any: &dyn std::any::Any = table.as_ref();
        let Some(table) = any.downcast_ref::<TileDbTable>() else {
            return not_impl_err!("the table '{name}' is not an array");
        };
        let timestamps = table.fixed_timestamps();
        let message = TableMessage {
            uri: table.uri().to_owned(),
            start: timestamps.map(|range| range.start),
            end: timestamps.map(|range| range.end),
            fields: columns_of(&table.schema()),
            unwritten_cells: table.has_unwritten_cells(),
            plan: 0,
            dictionaries: table.has_dictionaries(),
        };
        bytes.extend(message.encode_to_vec());
        Ok(())
    }
}
