//! Queries of Ballista over TileDB arrays: a codec of its plans and of arrays.
//!
//! Clients, schedulers and executors use the same codec, each with its own configuration and keys:
//! plans contain neither. `src/main.rs` is a scheduler and an executor.
//!
//! Ballista divides a stage into tasks by the partitions of the leaves that it knows: files, tables
//! in memory and results of other stages. Each task would execute all partitions of another leaf.
//! Tables of the scheduler therefore put a table in memory with the numbers of the parts below each
//! scan.

#![deny(unsafe_code)]

use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::array::{AsArray, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Statistics, TableReference};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, TableProviderFilterPushDown, TableType,
};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties,
};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use futures::{StreamExt, TryStreamExt};
use tiledb_datafusion::proto::TileDbCodec;
use tiledb_datafusion::{TableOptions, TileDbScan, TileDbTable};

/// The first byte of the message of a scan or table of an array.
const ARRAY: u8 = 1;
/// The first byte of the message of another plan or table.
const OTHER: u8 = 0;
/// The first byte of the message of a scan whose input has the numbers of its parts.
const PARTS: u8 = 2;

/// An array as a table of the scheduler, whose scans can be divided into tasks.
#[derive(Debug)]
struct ClusterTable(Arc<dyn TableProvider>);

#[async_trait]
impl TableProvider for ClusterTable {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn table_type(&self) -> TableType {
        self.0.table_type()
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        divided(self.0.scan(state, projection, filters, limit).await?)
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        self.0.supports_filters_pushdown(filters)
    }

    fn statistics(&self) -> Option<Statistics> {
        self.0.statistics()
    }
}

/// Puts a table with the numbers of its parts below each scan of an array.
fn divided(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let divided = plan.transform_up(|node| {
        if node.downcast_ref::<TileDbScan>().is_none() {
            return Ok(Transformed::no(node));
        }
        let schema = Arc::new(Schema::new(vec![Field::new(
            "part",
            DataType::UInt64,
            false,
        )]));
        let parts = 0..node.output_partitioning().partition_count() as u64;
        let parts = parts.map(|part| {
            let column = Arc::new(UInt64Array::from(vec![part]));
            Ok(vec![RecordBatch::try_new(schema.clone(), vec![column])?])
        });
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let parts = MemorySourceConfig::try_new_exec(&parts, schema.clone(), None)?;
        let scan: Arc<dyn ExecutionPlan> = Arc::new(PartsScan::new(node, parts));
        Ok(Transformed::yes(scan))
    });
    Ok(divided?.data)
}

/// A scan of the parts whose numbers its input has.
#[derive(Debug)]
struct PartsScan {
    scan: Arc<dyn ExecutionPlan>,
    parts: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl PartsScan {
    fn new(scan: Arc<dyn ExecutionPlan>, parts: Arc<dyn ExecutionPlan>) -> Self {
        let number = parts.output_partitioning().partition_count();
        // The order of the scan is not announced: exchanges of Ballista do not keep it.
        let properties = PlanProperties::new(
            EquivalenceProperties::new(scan.schema()),
            Partitioning::UnknownPartitioning(number),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self {
            scan,
            parts,
            properties: Arc::new(properties),
        }
    }
}

impl DisplayAs for PartsScan {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("PartsScan: ")?;
        match self.scan.downcast_ref::<TileDbScan>() {
            Some(scan) => scan.fmt_as(format, f),
            None => f.write_str(self.scan.name()),
        }
    }
}

impl ExecutionPlan for PartsScan {
    fn name(&self) -> &str {
        "PartsScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.parts]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let [parts] = children.try_into().map_err(|_| damaged())?;
        Ok(Arc::new(Self::new(self.scan.clone(), parts)))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let parts = self.parts.execute(partition, context.clone())?;
        let scan = self.scan.clone();
        let stream = futures::stream::once(async move {
            let mut streams = Vec::new();
            for batch in collect(parts).await? {
                let column = batch.columns().first().ok_or_else(damaged)?;
                let numbers = column
                    .as_primitive_opt::<UInt64Type>()
                    .ok_or_else(damaged)?;
                for number in numbers.values() {
                    let part = usize::try_from(*number).map_err(|_| damaged())?;
                    streams.push(scan.execute(part, context.clone())?);
                }
            }
            Ok::<_, DataFusionError>(futures::stream::iter(streams).flatten())
        });
        let schema = self.scan.schema();
        let stream = RecordBatchStreamAdapter::new(schema, Box::pin(stream.try_flatten()));
        Ok(Box::pin(stream))
    }
}

fn damaged() -> DataFusionError {
    DataFusionError::Plan("the parts of a scan of an array are damaged".to_owned())
}

/// Encodes arrays and the plans of Ballista.
#[derive(Debug, Default)]
pub struct ClusterCodec {
    arrays: TileDbCodec,
    plans: BallistaPhysicalExtensionCodec,
    tables: BallistaLogicalExtensionCodec,
}

impl ClusterCodec {
    /// Creates a codec whose decoded arrays have the configuration and keys of these options.
    pub fn new(options: TableOptions) -> Self {
        Self {
            arrays: TileDbCodec::new(options),
            ..Self::default()
        }
    }
}

fn split(bytes: &[u8]) -> Result<(u8, &[u8])> {
    let Some((kind, rest)) = bytes.split_first() else {
        return Err(DataFusionError::Plan("a message is empty".to_owned()));
    };
    Ok((*kind, rest))
}

impl PhysicalExtensionCodec for ClusterCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (kind, rest) = split(bytes)?;
        if kind == ARRAY {
            let arrays: &dyn PhysicalExtensionCodec = &self.arrays;
            return arrays.try_decode(rest, inputs, context, converter);
        }
        if kind == PARTS {
            let arrays: &dyn PhysicalExtensionCodec = &self.arrays;
            let scan = arrays.try_decode(rest, &[], context, converter)?;
            let [parts] = inputs else {
                return Err(damaged());
            };
            return Ok(Arc::new(PartsScan::new(scan, parts.clone())));
        }
        self.plans.try_decode(rest, inputs, context, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(parts) = node.downcast_ref::<PartsScan>() {
            bytes.push(PARTS);
            let arrays: &dyn PhysicalExtensionCodec = &self.arrays;
            return arrays.try_encode(parts.scan.clone(), bytes, converter);
        }
        if node.downcast_ref::<TileDbScan>().is_some() {
            bytes.push(ARRAY);
            let arrays: &dyn PhysicalExtensionCodec = &self.arrays;
            return arrays.try_encode(node, bytes, converter);
        }
        bytes.push(OTHER);
        self.plans.try_encode(node, bytes, converter)
    }
}

impl LogicalExtensionCodec for ClusterCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.tables.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.tables.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let (kind, rest) = split(bytes)?;
        if kind == ARRAY {
            let arrays = &self.arrays;
            let table = arrays.try_decode_table_provider(rest, name, schema, context)?;
            return Ok(Arc::new(ClusterTable(table)));
        }
        self.tables
            .try_decode_table_provider(rest, name, schema, context)
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let any: &dyn std::any::Any = table.as_ref();
        let table = match any.downcast_ref::<ClusterTable>() {
            Some(table) => table.0.clone(),
            None => table,
        };
        let any: &dyn std::any::Any = table.as_ref();
        if any.is::<TileDbTable>() {
            bytes.push(ARRAY);
            return self.arrays.try_encode_table_provider(name, table, bytes);
        }
        bytes.push(OTHER);
        self.tables.try_encode_table_provider(name, table, bytes)
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.tables.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(
        &self,
        bytes: &mut Vec<u8>,
        format: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.tables.try_encode_file_format(bytes, format)
    }
}
