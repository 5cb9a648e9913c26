//! Arrays as tables.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatchReader;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::ExecutionProps;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use datafusion::physical_plan::ExecutionPlan;
use tiledb_engine::{Array, Context, TimeRange, Timestamp};

use crate::error::{engine_error, usage_error};
use crate::field::{FieldInfo, fields_of, observed};
use crate::optimizer::DeleteRule;
use crate::partitions::{Division, MIN_PART_BYTES};
use crate::predicate::{Selection, Translator};
use crate::scan::{BUDGET, Source, TileDbScan, cell_bytes};
use crate::write;

/// The options of an array as a table.
#[derive(Clone, Default)]
pub struct TableOptions {
    context: Option<Context>,
    /// Parameters of the configuration, among them secrets.
    parameters: Vec<(String, String)>,
    timestamps: Option<TimeRange>,
    fields: Option<Vec<String>>,
    unwritten_cells: bool,
    dictionaries: bool,
    part_bytes: Option<u64>,
}

impl fmt::Debug for TableOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableOptions")
            .field("timestamps", &self.timestamps)
            .field("fields", &self.fields)
            .field("unwritten_cells", &self.unwritten_cells)
            .field("dictionaries", &self.dictionaries)
            .finish_non_exhaustive()
    }
}

impl TableOptions {
    /// Creates the default options: the latest state, all fields, no unwritten cells, and no
    /// dictionaries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the context of the engine; a new one with the default configuration otherwise.
    #[must_use]
    pub fn context(mut self, context: &Context) -> Self {
        self.context = Some(context.clone());
        self
    }

    /// Sets the context that was created with these options.
    #[cfg(feature = "proto")]
    pub(crate) fn opened_context(mut self, context: &Context) -> Self {
        self.parameters.clear();
        self.context(context)
    }

    /// Sets a parameter of the engine's configuration, such as `sm.mem.total_budget`.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.parameters.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the key of an encrypted array.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.parameter("sm.encryption_type", "AES_256_GCM")
            .parameter("sm.encryption_key", key)
    }

    /// Reads the state at a time, in milliseconds since 1970.
    #[must_use]
    pub fn timestamp(self, timestamp: Timestamp) -> Self {
        self.timestamps(..=timestamp)
    }

    /// Reads the writes with timestamps in a range.
    #[must_use]
    pub fn timestamps(mut self, timestamps: impl Into<TimeRange>) -> Self {
        self.timestamps = Some(timestamps.into());
        self
    }

    /// Selects the fields that are columns, among them labels of dimensions; all dimensions and
    /// attributes otherwise.
    #[must_use]
    pub fn fields<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether cells of a dense array that were never written are rows, with fill values.
    #[must_use]
    pub fn unwritten_cells(mut self, are_rows: bool) -> Self {
        self.unwritten_cells = are_rows;
        self
    }

    /// Sets whether attributes with an enumeration of texts are columns of `Dictionary`, with the
    /// stored indexes and `LargeUtf8`, instead of `Utf8View`. Scans take less time, sorts and `MIN`
    /// of such columns more. Rows of several tables that an operator puts together, such as a sort
    /// above `UNION ALL`, are an error if they have more texts than the type of the indexes has
    /// values.
    #[must_use]
    pub fn dictionaries(mut self, are_columns: bool) -> Self {
        self.dictionaries = are_columns;
        self
    }

    /// Sets the least decoded bytes of a partition; 1 MiB by default. Smaller reads are not
    /// divided.
    #[must_use]
    pub fn part_bytes(mut self, bytes: u64) -> Self {
        self.part_bytes = Some(bytes);
        self
    }

    /// Sets an option by its name in SQL: `timestamp`, `timestamp_start`, `timestamp_end`,
    /// `fields`, `unwritten_cells`, `dictionaries`, `part_bytes`, `key`, or a parameter of the
    /// configuration.
    ///
    /// # Errors
    ///
    /// If the value is invalid or no option has the name.
    pub fn set(self, name: &str, value: &str) -> Result<Self> {
        let number = || {
            let number = value.parse::<Timestamp>();
            number.map_err(|_| usage_error(format!("'{value}' is not a timestamp in milliseconds")))
        };
        let truth = || {
            let truth = value.parse::<bool>();
            truth.map_err(|_| usage_error(format!("'{value}' is neither true nor false")))
        };
        let range = self.timestamps.unwrap_or(TimeRange::ALL);
        // DataFusion adds a prefix to names without a dot.
        let name = name.strip_prefix("format.").unwrap_or(name);
        Ok(match name {
            "timestamp" | "timestamp_end" => {
                let end = number()?;
                self.timestamps(TimeRange { end, ..range })
            }
            "timestamp_start" => {
                let start = number()?;
                self.timestamps(TimeRange { start, ..range })
            }
            "fields" => self.fields(value.split(',').map(str::trim)),
            "unwritten_cells" => self.unwritten_cells(truth()?),
            "dictionaries" => self.dictionaries(truth()?),
            "part_bytes" => {
                let bytes = value.parse::<u64>();
                let bytes = bytes
                    .map_err(|_| usage_error(format!("'{value}' is not a number of bytes")))?;
                self.part_bytes(bytes)
            }
            "key" => self.key(value),
            _ if is_parameter(name) => self.parameter(name, value),
            _ => return Err(usage_error(format!("tables have no option '{name}'"))),
        })
    }

    /// Returns the memory of reads in bytes, if it is set.
    pub(crate) fn memory_budget(&self) -> Option<usize> {
        let config = self.context.as_ref().map(Context::config);
        let config = config.filter(|config| config.is_set(BUDGET));
        let mut parameters = self.parameters.iter().rev();
        let own = parameters.find(|(name, _)| name == BUDGET);
        let own = own.map(|(_, value)| value.clone());
        let value = own.or_else(|| config?.get(BUDGET));
        value?.parse().ok()
    }

    /// Returns the context of the engine with the parameters.
    pub(crate) fn engine_context(&self) -> tiledb_engine::Result<Context> {
        let base = match &self.context {
            Some(context) if self.parameters.is_empty() => return Ok(context.clone()),
            Some(context) => context.config().clone(),
            None => tiledb_engine::Config::new(),
        };
        let mut config = base;
        for (name, value) in &self.parameters {
            config.set(name, value)?;
        }
        Context::with_config(config)
    }
}

/// An array as a table of DataFusion. Its columns are the dimensions and the attributes, with the
/// Arrow types of [`tiledb_engine::ReadQuery::record_batches`]; attributes with an enumeration of
/// texts are `Utf8View` unless the option [`TableOptions::dictionaries`] is set.
///
/// Each query reads the state of the array when it is planned, or at the timestamp of the options.
#[derive(Clone, Debug)]
pub struct TileDbTable {
    array: Array,
    options: TableOptions,
    schema: SchemaRef,
    fields: Arc<[FieldInfo]>,
}

impl TileDbTable {
    /// Opens the array at a URI. The calling thread blocks while its schema is read.
    ///
    /// # Errors
    ///
    /// If no array exists there, a field of the options does not exist, or storage fails.
    pub fn open(uri: &str, options: TableOptions) -> Result<Self> {
        let context = options
            .engine_context()
            .map_err(|error| engine_error(uri, error))?;
        let timestamps = options.timestamps.unwrap_or(TimeRange::ALL);
        let array = Array::open_at(&context, uri, timestamps);
        Self::of_array(array.map_err(|error| engine_error(uri, error))?, options)
    }

    fn of_array(array: Array, options: TableOptions) -> Result<Self> {
        let schema = table_schema(&array, options.fields.as_deref(), options.dictionaries)?;
        Self::with_columns(array, options, schema)
    }

    fn with_columns(array: Array, options: TableOptions, schema: SchemaRef) -> Result<Self> {
        let fields = fields_of(&array, &schema);
        Ok(Self {
            fields: fields
                .map_err(|error| engine_error(array.uri(), error))?
                .into(),
            array,
            options,
            schema,
        })
    }

    /// Opens the array on a thread for blocking calls.
    pub(crate) async fn open_async(uri: String, options: TableOptions) -> Result<Self> {
        blocking(move || Self::open(&uri, options)).await
    }

    /// Returns the URI of the array.
    pub fn uri(&self) -> &str {
        self.array.uri()
    }

    pub(crate) fn array(&self) -> &Array {
        &self.array
    }

    /// Returns the fields, as predicates see them.
    #[cfg(feature = "proto")]
    pub(crate) fn fields(&self) -> Arc<[FieldInfo]> {
        self.fields.clone()
    }

    #[cfg(feature = "proto")]
    pub(crate) fn dimension_num(&self) -> Result<usize> {
        self.shape().map(|(dimensions, _)| dimensions)
    }

    #[cfg(feature = "proto")]
    pub(crate) fn fixed_timestamps(&self) -> Option<TimeRange> {
        self.options.timestamps
    }

    #[cfg(feature = "proto")]
    pub(crate) fn has_unwritten_cells(&self) -> bool {
        self.options.unwritten_cells
    }

    #[cfg(feature = "proto")]
    pub(crate) fn has_dictionaries(&self) -> bool {
        self.options.dictionaries
    }

    pub(crate) fn is_past(&self) -> bool {
        self.options.timestamps.is_some()
    }

    /// Returns the predicates on the columns.
    pub(crate) fn predicates(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<Option<Arc<dyn PhysicalExpr>>>> {
        let schema = DFSchema::try_from(self.schema.as_ref().clone())?;
        let (properties, planning) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        // An expression without a physical form, such as a subquery, is evaluated above the scan.
        let predicates = filters.iter().map(|filter| {
            // The columns of a filter have the name of the table, which the provider does not have.
            let filter = Expr::clone(filter).transform(|part| match part {
                Expr::Column(column) => Ok(Transformed::yes(Expr::Column(
                    Column::new_unqualified(column.name),
                ))),
                part => Ok(Transformed::no(part)),
            });
            let filter = filter.data().ok()?;
            create_physical_expr(&filter, &schema, &properties, &planning).ok()
        });
        Ok(predicates.collect())
    }

    /// Returns what the engine reads for predicates.
    pub(crate) fn selection(&self, filters: &[Expr]) -> Result<Selection> {
        let (dimensions, is_dense) = self.shape()?;
        let filters: Vec<&Expr> = filters.iter().collect();
        let predicates: Vec<_> = self.predicates(&filters)?.into_iter().flatten().collect();
        Ok(Translator::new(&self.fields, dimensions, is_dense).select(&predicates))
    }

    /// Returns the condition of the cells for which all filters are true.
    pub(crate) fn delete_condition(&self, filters: &[Expr]) -> Result<String> {
        let (dimensions, is_dense) = self.shape()?;
        let uri = self.uri();
        if is_dense {
            return Err(usage_error(format!(
                "cells of the dense array '{uri}' cannot be deleted"
            )));
        }
        let filters: Vec<&Expr> = filters.iter().collect();
        let translator = Translator::new(&self.fields, dimensions, is_dense);
        let predicates: Option<Vec<_>> = self.predicates(&filters)?.into_iter().collect();
        let condition = predicates.and_then(|predicates| translator.exact_condition(&predicates));
        condition.ok_or_else(|| {
            usage_error(format!(
                "the deletes of '{uri}' cannot express this WHERE clause: compare columns that \
                 cannot be null, and are no floating-point numbers, with values"
            ))
        })
    }

    fn shape(&self) -> Result<(usize, bool)> {
        let schema = self.array.schema();
        let schema = schema.map_err(|error| engine_error(self.uri(), error))?;
        Ok((schema.dimensions().len(), schema.is_dense()))
    }

    /// Returns the table in the state that a query reads.
    fn current(&self) -> Result<Self> {
        if self.is_past() {
            return Ok(self.clone());
        }
        let engine = |error| engine_error(self.uri(), error);
        let mut array = self.array.clone();
        array.reopen().map_err(engine)?;
        let (stored, described) = (array.arrow_schema(), array.schema());
        let (stored, described) = (stored.map_err(engine)?, described.map_err(engine)?);
        let is_same = |column: &Arc<Field>| match stored.field_with_name(column.name()) {
            Ok(field) => column_of(field.clone(), self.options.dictionaries) == **column,
            Err(_) => described.label(column.name()).is_some(),
        };
        if !self.schema.fields().iter().all(is_same) {
            return Err(self.changed());
        }
        Self::with_columns(array, self.options.clone(), self.schema.clone())
    }

    fn changed(&self) -> DataFusionError {
        let uri = self.uri();
        usage_error(format!(
            "the schema of '{uri}' changed: open the table again"
        ))
    }

    /// Returns an error if a predicate that this table evaluates completely is not evaluated
    /// completely in the present state of the array.
    fn check_support(&self, current: &Self, filters: &[Expr]) -> Result<()> {
        let filters: Vec<&Expr> = filters.iter().collect();
        let before = self.supports_filters_pushdown(&filters)?;
        let now = current.supports_filters_pushdown(&filters)?;
        let exact = TableProviderFilterPushDown::Exact;
        let mut pairs = before.iter().zip(&now);
        if pairs.any(|(before, now)| *before == exact && *now != exact) {
            return Err(self.changed());
        }
        Ok(())
    }

    fn plan(
        &self,
        columns: SchemaRef,
        filters: &[Expr],
        limit: Option<usize>,
        target: usize,
    ) -> Result<TileDbScan> {
        let current = self.current()?;
        self.check_support(&current, filters)?;
        let filtered = filters.iter().flat_map(|filter| filter.column_refs());
        let filtered = filtered.map(|column| column.name.clone()).collect();
        let unwritten = self.options.unwritten_cells;
        let fields = observed(&current.fields, &current.array, &filtered, unwritten);
        let current = Self {
            fields: fields
                .map_err(|error| engine_error(self.uri(), error))?
                .into(),
            ..current
        };
        let mut selection = current.selection(filters)?;
        let is_delivered = |filter: &Arc<dyn PhysicalExpr>| {
            let needed = collect_columns(filter);
            let mut needed = needed.iter();
            needed.all(|column| columns.field_with_name(column.name()).is_ok())
        };
        if !selection.filters.iter().all(is_delivered) {
            selection = selection.without_condition();
        }
        let division = Division {
            ranges: &selection.ranges,
            target,
            cell_bytes: cell_bytes(&columns),
            unwritten: self.options.unwritten_cells,
            min_part_bytes: self.options.part_bytes.unwrap_or(MIN_PART_BYTES),
        };
        let parts = division.parts(&current.array)?;
        let start = self.options.timestamps.map_or(0, |range| range.start);
        let source = Source {
            timestamps: TimeRange {
                start,
                end: current.array.timestamp(),
            },
            array: current.array,
            fields: current.fields,
            unwritten_cells: self.options.unwritten_cells,
            #[cfg(feature = "proto")]
            dictionaries: self.options.dictionaries,
            #[cfg(feature = "proto")]
            plan: std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), ()),
        };
        let bounds = column_bounds(&source, &columns, &selection);
        let bounds = bounds.map_err(|error| engine_error(self.uri(), error))?;
        let mut scan = TileDbScan::new(source, columns, selection, parts, limit)?;
        scan.bounds = bounds;
        Ok(scan)
    }
}

/// Returns whether the configuration of the engine has a parameter.
fn is_parameter(name: &str) -> bool {
    let mut parameters = tiledb_engine::Config::parameters().into_iter();
    parameters.any(|parameter| match parameter.name.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == parameter.name,
    })
}

/// Returns the least and the greatest value of each column, if they are known without reading more
/// than the statistics of fragments.
fn column_bounds(
    source: &Source,
    columns: &SchemaRef,
    selection: &Selection,
) -> tiledb_engine::Result<Vec<Option<(ScalarValue, ScalarValue)>>> {
    let domain = source.array.non_empty_domain()?;
    let bounds = columns.fields().iter().map(|column| {
        let field = source
            .fields
            .iter()
            .find(|field| field.name() == column.name());
        let Some(field) = field else {
            return Ok(None);
        };
        field.bounds(&source.array, domain.as_deref(), &selection.ranges)
    });
    bounds.collect()
}

/// Runs a function that blocks on a thread for such functions; on the calling thread if that has
/// no runtime, such as one of a program that calls the table through a C interface.
pub(crate) async fn blocking<T: Send + 'static>(
    function: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return function();
    };
    let task = runtime.spawn_blocking(function);
    task.await
        .map_err(|error| DataFusionError::Execution(format!("a task of a table failed: {error}")))?
}

/// Returns the Arrow field of a dimension label.
fn label_field(array: &Array, name: &str) -> Result<Field> {
    let batches = array.query().fields([name]).record_batches();
    let batches = batches.map_err(|error| engine_error(array.uri(), error))?;
    Ok(batches.schema().field(0).clone())
}

/// Returns the column of an Arrow field, of an enumeration of texts as a dictionary or as views.
fn column_of(field: Field, dictionaries: bool) -> Field {
    // Sorts of views take a third of the time of those of dictionaries, which are hashed again for
    // each batch.
    let is_text = matches!(
        field.data_type(),
        DataType::Dictionary(_, values) if **values == DataType::LargeUtf8
    );
    let field = if is_text && !dictionaries {
        field.with_data_type(DataType::Utf8View)
    } else {
        field
    };
    // Metadata would make columns of equal types unequal.
    field.with_metadata(Default::default())
}

/// Returns the columns of a table.
fn table_schema(array: &Array, fields: Option<&[String]>, dictionaries: bool) -> Result<SchemaRef> {
    let schema = array.arrow_schema();
    let schema = schema.map_err(|error| engine_error(array.uri(), error))?;
    let names: Vec<&String> = match fields {
        Some(names) => names.iter().collect(),
        None => schema.fields().iter().map(|field| field.name()).collect(),
    };
    let described = array.schema();
    let described = described.map_err(|error| engine_error(array.uri(), error))?;
    let fields = names.into_iter().map(|name| {
        let field = match schema.field_with_name(name) {
            Ok(field) => field.clone(),
            Err(_) if described.label(name).is_some() => label_field(array, name)?,
            Err(_) => {
                return Err(usage_error(format!(
                    "the array '{}' has no field '{name}'",
                    array.uri()
                )));
            }
        };
        Ok(column_of(field, dictionaries))
    });
    Ok(Arc::new(ArrowSchema::new(
        fields.collect::<Result<Vec<_>>>()?,
    )))
}

#[async_trait]
impl TableProvider for TileDbTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = match projection {
            Some(projection) => Arc::new(self.schema.project(projection)?),
            None => self.schema.clone(),
        };
        let (table, filters) = (self.clone(), filters.to_vec());
        let target = state.config_options().execution.target_partitions;
        let scan = blocking(move || table.plan(columns, &filters, limit, target));
        Ok(Arc::new(scan.await?))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let (dimensions, is_dense) = self.shape()?;
        let translator = Translator::new(&self.fields, dimensions, is_dense);
        let support = self
            .predicates(filters)?
            .into_iter()
            .map(|predicate| match predicate {
                Some(predicate) => translator.support(&predicate),
                None => TableProviderFilterPushDown::Unsupported,
            });
        Ok(support.collect())
    }

    async fn insert_into(
        &self,
        _: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        operation: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        write::insert(self, input, operation)
    }

    async fn delete_from(
        &self,
        session: &dyn Session,
        filters: Vec<Expr>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !DeleteRule::is_applied(session) {
            return Err(usage_error(format!(
                "DELETE from '{}' needs a session of tiledb_datafusion::session or register",
                self.uri()
            )));
        }
        write::delete(self, &filters)
    }
}
