//! Table functions, `CREATE EXTERNAL TABLE`, and groups as schemas.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::arrow::array::{
    ArrayRef, BooleanArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use datafusion::catalog::{
    SchemaProvider, Session, TableFunctionArgs, TableFunctionImpl, TableProvider,
    TableProviderFactory,
};
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::datasource::MemTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::planner::{
    RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{CreateExternalTable, Expr};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::sqlparser::ast::{
    Expr as SqlExpr, FunctionArg, FunctionArgExpr, TableFactor, Value,
};
use tiledb_engine::{Array, Datatype, FragmentDetails, Group, NonEmptyDomain, ObjectType, Schema};

use crate::create::{ArrayFormat, create_by};
use crate::error::{engine_error, not_removed_error, usage_error};
use crate::optimizer::{DeleteRule, optimizer_rules};
use crate::table::{TableOptions, TileDbTable, blocking};
use crate::task::Change;

/// The names of the table functions.
const FUNCTIONS: [&str; 3] = ["tiledb", "tiledb_fragments", "tiledb_tiles"];

/// The bytes and rows of the smaller side of a join up to which it has one hash table, with which
/// the rows of the larger side are compared where they are. DataFusion's own limits exchange the
/// rows of both sides for less (TPC-H at scale 1: 4 % more CPU time, up to 27 % in one query).
const COLLECTED_BYTES: usize = 16 << 20;
const COLLECTED_ROWS: usize = 1_000_000;

/// Returns a session in which SQL reads and writes arrays: with [`register`] and
/// [`optimizer_rules`]. The smaller side of a join has one hash table for all partitions up to
/// 16 MiB or 1,000,000 rows instead of 1 MiB or 131,072 rows, unless the configuration has other
/// values than these. If the engine's configuration sets `sm.mem.total_budget`, the operators of
/// DataFusion together have as much memory as the reads of the engine: sorts and groups that need
/// more use temporary files, and joins fail.
pub fn session(mut config: SessionConfig, options: &TableOptions) -> SessionContext {
    let optimizer = &mut config.options_mut().optimizer;
    let defaults = ConfigOptions::new().optimizer;
    if optimizer.hash_join_single_partition_threshold
        == defaults.hash_join_single_partition_threshold
        && optimizer.hash_join_single_partition_threshold_rows
            == defaults.hash_join_single_partition_threshold_rows
    {
        optimizer.hash_join_single_partition_threshold = COLLECTED_BYTES;
        optimizer.hash_join_single_partition_threshold_rows = COLLECTED_ROWS;
    }
    let mut state = SessionStateBuilder::new()
        .with_config(config)
        .with_default_features()
        .with_physical_optimizer_rules(optimizer_rules());
    if let Some(bytes) = options.memory_budget() {
        let runtime = RuntimeEnv {
            memory_pool: Arc::new(FairSpillPool::new(bytes)),
            ..RuntimeEnv::default()
        };
        state = state.with_runtime_env(Arc::new(runtime));
    }
    let session = SessionContext::new_with_state(state.build());
    register(&session, options);
    session
}

/// Adds the table functions `tiledb`, `tiledb_fragments` and `tiledb_tiles` to a session, and
/// `CREATE EXTERNAL TABLE ... STORED AS TILEDB` and `COPY ... TO 'uri' STORED AS TILEDB`. The
/// options are the defaults of their tables. In sessions without it, `DELETE` from an array is an
/// error.
pub fn register(session: &SessionContext, options: &TableOptions) {
    for name in FUNCTIONS {
        let function = TileDbFunction {
            name,
            options: options.clone(),
        };
        session.register_udtf(name, Arc::new(function));
    }
    // A planner that is registered twice plans each relation once.
    let _ = session.register_relation_planner(Arc::new(NamedArguments));
    // A rule that is added twice examines plans twice.
    session.add_optimizer_rule(Arc::new(DeleteRule));
    let factory = TileDbTableFactory::new(options.clone());
    let state = session.state_ref();
    let mut state = state.write();
    let factories = state.table_factories_mut();
    factories.insert("TILEDB".to_owned(), Arc::new(factory));
    let format = Arc::new(ArrayFormat::new(options.clone()));
    // A format that is registered twice is replaced, which is not an error.
    let _ = state.register_file_format(format, true);
}

/// Creates tables for `CREATE EXTERNAL TABLE ... STORED AS TILEDB LOCATION ... OPTIONS (...)`.
#[derive(Debug)]
pub struct TileDbTableFactory {
    options: TableOptions,
}

impl TileDbTableFactory {
    /// Creates a factory whose tables have these options unless a statement sets others.
    pub fn new(options: TableOptions) -> Self {
        Self { options }
    }
}

#[async_trait]
impl TableProviderFactory for TileDbTableFactory {
    async fn create(
        &self,
        _: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let [uri] = &command.locations[..] else {
            return Err(usage_error("a table of an array has one LOCATION"));
        };
        let mut options = self.options.clone();
        // Maps have no order, and the order of options does not matter.
        let stated: BTreeMap<_, _> = command.options.iter().collect();
        for (name, value) in stated {
            options = options.set(name, value)?;
        }
        let table = TileDbTable::open_async(uri.clone(), options).await?;
        let stated = command.schema.fields();
        if !stated.is_empty() && *stated != *table.schema().fields() {
            return Err(usage_error(format!(
                "the columns of the table are not those of the array '{uri}': leave them out"
            )));
        }
        Ok(Arc::new(table))
    }
}

/// A table function with a URI and options, which are pairs of a name and a value.
#[derive(Debug)]
struct TileDbFunction {
    name: &'static str,
    options: TableOptions,
}

impl TableFunctionImpl for TileDbFunction {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let name = self.name;
        let mut arguments = arguments.exprs().iter();
        let uri = arguments.next().map(text_of).transpose()?;
        let uri = uri.ok_or_else(|| usage_error(format!("{name} needs the URI of an array")))?;
        let mut options = self.options.clone();
        while let Some(option) = arguments.next() {
            let option = text_of(option)?;
            let value = arguments.next().map(text_of).transpose()?;
            let value = value.ok_or_else(|| {
                usage_error(format!("the option '{option}' of {name} has no value"))
            })?;
            options = options.set(&option, &value)?;
        }
        let table = TileDbTable::open(&uri, options)?;
        match name {
            "tiledb_fragments" => fragment_table(table.array()),
            "tiledb_tiles" => tile_table(table.array()),
            _ => Ok(Arc::new(table)),
        }
    }
}

/// Returns a literal argument as text; a timestamp as milliseconds.
fn text_of(argument: &Expr) -> Result<String> {
    let literal = match argument {
        Expr::Literal(value, _) => value,
        other => {
            return Err(usage_error(format!(
                "the argument {other} is not a literal"
            )));
        }
    };
    Ok(match literal {
        ScalarValue::TimestampSecond(Some(value), _) => (i128::from(*value) * 1000).to_string(),
        ScalarValue::TimestampMillisecond(Some(value), _) => value.to_string(),
        ScalarValue::TimestampMicrosecond(Some(value), _) => value.div_euclid(1000).to_string(),
        ScalarValue::TimestampNanosecond(Some(value), _) => value.div_euclid(1_000_000).to_string(),
        _ if literal.is_null() => return Err(usage_error("an argument is null")),
        _ => literal.to_string(),
    })
}

/// Rewrites `tiledb('uri', name => value)` to positional arguments, which DataFusion passes on.
#[derive(Debug)]
struct NamedArguments;

impl RelationPlanner for NamedArguments {
    fn plan_relation(
        &self,
        mut relation: TableFactor,
        _: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        if let TableFactor::Table {
            name,
            args: Some(arguments),
            ..
        } = &mut relation
        {
            let name = name.to_string().to_lowercase();
            if FUNCTIONS.contains(&name.as_str()) {
                let given = std::mem::take(&mut arguments.args);
                arguments.args = given.into_iter().flat_map(positional).collect();
            }
        }
        Ok(RelationPlanning::Original(Box::new(relation)))
    }
}

fn positional(argument: FunctionArg) -> Vec<FunctionArg> {
    let (name, value) = match argument {
        FunctionArg::Named { name, arg, .. } => (name.value, arg),
        FunctionArg::ExprNamed { name, arg, .. } => {
            let name = name.to_string();
            (name.trim_matches(['"', '\'']).to_owned(), arg)
        }
        FunctionArg::Unnamed(_) => return vec![argument],
    };
    let name = SqlExpr::value(Value::SingleQuotedString(name));
    vec![
        FunctionArg::Unnamed(FunctionArgExpr::Expr(name)),
        FunctionArg::Unnamed(value),
    ]
}

/// Returns the bounds of a box as text.
fn box_text(schema: &Schema, bounds: &NonEmptyDomain) -> String {
    let dimensions = schema.dimensions().iter().zip(bounds);
    let ranges = dimensions.map(|(dimension, range)| {
        let datatype: Datatype = dimension.datatype;
        let (low, high) = (range.start().text(datatype), range.end().text(datatype));
        format!("{}: {low}..{high}", dimension.name)
    });
    ranges.collect::<Vec<_>>().join(", ")
}

fn mem_table(columns: Vec<(&str, ArrayRef)>) -> Result<Arc<dyn TableProvider>> {
    let batch = RecordBatch::try_from_iter(columns)?;
    Ok(Arc::new(MemTable::try_new(
        batch.schema(),
        vec![vec![batch]],
    )?))
}

fn texts(values: Vec<String>) -> ArrayRef {
    Arc::new(StringArray::from(values))
}

fn numbers(values: Vec<u64>) -> ArrayRef {
    Arc::new(UInt64Array::from(values))
}

/// Returns a table with a row for each fragment.
fn fragment_table(array: &Array) -> Result<Arc<dyn TableProvider>> {
    let engine = |error| engine_error(array.uri(), error);
    let schema = array.schema().map_err(engine)?;
    let fragments = array.fragments().map_err(engine)?;
    let each = |value: fn(&FragmentDetails) -> u64| numbers(fragments.iter().map(value).collect());
    let sizes: tiledb_engine::Result<Vec<u64>> =
        fragments.iter().map(FragmentDetails::size).collect();
    let names = fragments.iter().map(|fragment| fragment.name().to_owned());
    let dense: BooleanArray = fragments
        .iter()
        .map(|fragment| Some(fragment.is_dense()))
        .collect();
    let versions: UInt32Array = fragments
        .iter()
        .map(|fragment| Some(fragment.version()))
        .collect();
    let boxes = fragments.iter();
    let boxes = boxes.map(|fragment| box_text(&schema, &fragment.non_empty_domain()));
    mem_table(vec![
        ("name", texts(names.collect())),
        (
            "timestamp_start",
            each(|fragment| fragment.timestamps().start),
        ),
        ("timestamp_end", each(|fragment| fragment.timestamps().end)),
        ("cells", each(FragmentDetails::cell_num)),
        ("tiles", each(FragmentDetails::tile_num)),
        ("bytes", numbers(sizes.map_err(engine)?)),
        ("is_dense", Arc::new(dense)),
        ("version", Arc::new(versions)),
        ("domain", texts(boxes.collect())),
    ])
}

/// Returns a table with a row for each tile.
fn tile_table(array: &Array) -> Result<Arc<dyn TableProvider>> {
    let engine = |error| engine_error(array.uri(), error);
    let schema = array.schema().map_err(engine)?;
    let (mut names, mut indexes, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
    for fragment in array.fragments().map_err(engine)? {
        let tiles = fragment.tile_bounds().map_err(engine)?;
        for (index, bounds) in tiles.iter().enumerate() {
            names.push(fragment.name().to_owned());
            indexes.push(index as u64);
            boxes.push(box_text(&schema, bounds));
        }
    }
    mem_table(vec![
        ("fragment", texts(names)),
        ("tile", numbers(indexes)),
        ("bounds", texts(boxes)),
    ])
}

/// A group of arrays as a schema: its members that are arrays are tables. `CREATE TABLE ... AS` in
/// the schema creates an array in the folder of the group.
pub struct TileDbGroup {
    uri: String,
    options: TableOptions,
    /// The URIs of the arrays by their names.
    members: Mutex<BTreeMap<String, String>>,
}

impl fmt::Debug for TileDbGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TileDbGroup")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

impl TileDbGroup {
    /// Opens the group at a URI; its tables have the options. The calling thread blocks while the
    /// members are read.
    ///
    /// # Errors
    ///
    /// If no group exists there or storage fails.
    pub fn open(uri: &str, options: TableOptions) -> Result<Self> {
        let engine = |error| engine_error(uri, error);
        let context = options.engine_context().map_err(engine)?;
        let members = Group::open(&context, uri).and_then(|group| group.members());
        let arrays = members.map_err(engine)?.into_iter();
        let arrays = arrays.filter(|member| member.kind == ObjectType::Array);
        let named = arrays.map(|member| {
            let last = || {
                member
                    .uri
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
            };
            let name = member.name.clone().unwrap_or_else(|| last().to_owned());
            (name, member.uri.clone())
        });
        Ok(Self {
            members: Mutex::new(named.collect()),
            uri: uri.to_owned(),
            options,
        })
    }

    fn member(&self, name: &str) -> Option<String> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.get(name).cloned()
    }
}

#[async_trait]
impl SchemaProvider for TileDbGroup {
    fn table_names(&self) -> Vec<String> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.keys().cloned().collect()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>, DataFusionError> {
        let Some(uri) = self.member(name) else {
            return Ok(None);
        };
        let options = self.options.clone();
        let table = blocking(move || TileDbTable::open(&uri, options)).await?;
        Ok(Some(Arc::new(table)))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    fn register_table(
        &self,
        name: String,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.table_exist(&name) {
            return Err(usage_error(format!(
                "the group '{}' has a member '{name}'",
                self.uri
            )));
        }
        let is_name = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_name) {
            return Err(usage_error(format!("'{name}' is not the name of an array")));
        }
        let table: &dyn std::any::Any = table.as_ref();
        let rows = table.downcast_ref::<MemTable>().ok_or_else(|| {
            usage_error("only CREATE TABLE ... AS SELECT creates a table in a group")
        })?;
        let mut batches = Vec::new();
        for partition in &rows.batches {
            let partition = partition
                .try_read()
                .map_err(|_| usage_error("the rows of the table are being changed"))?;
            batches.extend(partition.iter().cloned());
        }
        let uri = format!("{}/{name}", self.uri.trim_end_matches('/'));
        let engine = |error| engine_error(&uri, error);
        let context = self.options.engine_context().map_err(engine)?;
        let change = Change::of_task(&context)?;
        create_by(&change, &context, &uri, &rows.schema(), &batches)?;
        // It must not be cancelled between the array and the member.
        let context = context.separate().map_err(engine)?;
        let added = change.check().and_then(|()| {
            let group = Group::open(&context, &self.uri).map_err(engine)?;
            group.add_relative(&name, Some(&name)).map_err(engine)
        });
        if let Err(error) = added {
            // Otherwise an array would remain that is not in the group.
            return Err(match context.remove(&uri) {
                Ok(()) => error,
                Err(_) => not_removed_error(&uri, error),
            });
        }
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.insert(name, uri);
        Ok(None)
    }
}
