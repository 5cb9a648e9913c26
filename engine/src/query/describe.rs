//! Descriptions of a query: its fields, and its plan as JSON.
//!
//! Programs parse the plan, so the keys and the names of strategies are those of libtiledb.

use super::query::Query;
use super::request::QueryRequest;
use crate::aggregate::check_output;
use crate::buffers::{FieldBuffers, FieldCells};
use crate::error::{Error, QueryError, Result, WriteBufferError};
use crate::format::names::TIMESTAMPS;
use crate::geometry::Order;
use crate::schema::Field;
use crate::types::{ArrayType, CellType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM};
use crate::write::{BoxWrite, GlobalWrite};
use serde_json::Value;

/// The plan of a query.
#[derive(Clone, Debug)]
pub struct QueryPlan {
    /// The layout.
    pub layout: Layout,
    /// libtiledb's name of the reader or writer.
    pub strategy: String,
    /// Whether the array is dense.
    pub array_type: ArrayType,
    /// The fields with buffers that are neither dimensions nor labels, sorted. Results of
    /// aggregates are not fields.
    pub attributes: Vec<String>,
    /// The dimensions of the result, sorted.
    pub dimensions: Vec<String>,
}

impl Query {
    /// Returns the plan as JSON and initializes the query, as libtiledb does: afterwards the
    /// layout, the subarray, the condition, the aggregates, the configuration and the set of
    /// buffers cannot be changed. `names` are the fields with buffers.
    ///
    /// # Errors
    /// If no buffer is set, or if the first submit would fail for the layout, the subarray or the
    /// condition of a delete. [`check_planned_read`](Query::check_planned_read) and
    /// [`check_planned_write`](Query::check_planned_write) check the buffers.
    pub fn initialize_and_describe(&mut self, names: &[&str]) -> Result<String> {
        if self.status() == QueryStatus::Uninitialized {
            self.check_ready(names)?;
            self.state.initialize(Some(names));
        }
        Ok(self.request.describe(&self.request.plan(names)))
    }

    /// Returns a plan that a server made as JSON, and initializes the query.
    pub fn initialize_by(&mut self, plan: &QueryPlan, names: &[&str]) -> String {
        self.state.initialize(Some(names));
        self.request.describe(plan)
    }

    /// Checks that the query could start with buffers for these fields.
    fn check_ready(&self, names: &[&str]) -> Result<()> {
        self.check_open()?;
        for named in &self.request.aggregates {
            if !names.contains(&named.name.as_str()) {
                check_output(&named.aggregate, None)?;
            }
        }
        match self.request.query_type {
            QueryType::Read => self.request.check_plan(&self.request.subarray, names),
            QueryType::Write | QueryType::ModifyExclusive if names.is_empty() => {
                Err(WriteBufferError::NoBuffers.into())
            }
            QueryType::Delete => self.request.deleted_cells().map(drop),
            _ => Ok(()),
        }
    }

    /// Checks the sizes of the buffers of a read before its plan is made, as the first submit does.
    ///
    /// # Errors
    /// If the read is not initialized and cannot start with these buffers.
    pub fn check_planned_read(&self, buffers: &[FieldBuffers<'_>]) -> Result<()> {
        if self.state.is_initialized() {
            return Ok(());
        }
        let names: Vec<&str> = buffers.iter().map(|field| field.name).collect();
        self.request.check_plan(&self.request.subarray, &names)?;
        self.request
            .check_validity(&buffers.iter().collect::<Vec<_>>())?;
        self.request.check_results(buffers)
    }

    /// Checks the box and the sizes of the buffers of a dense write before its plan is made, as the
    /// first submit does.
    ///
    /// # Errors
    /// If the write is not initialized and cannot start with this box or these buffers.
    pub fn check_planned_write(&self, cells: &[FieldCells<'_>]) -> Result<()> {
        if self.state.is_initialized() || !self.request.is_dense() || cells.is_empty() {
            return Ok(());
        }
        let ranges = self
            .request
            .subarray
            .single()
            .ok_or_else(|| Error::from(WriteBufferError::ManyRanges))?;
        let Some(order) = Order::of(self.request.layout) else {
            return GlobalWrite::check(self.request.schema(), &ranges);
        };
        let write = BoxWrite {
            schema: self.request.schema(),
            ranges: &ranges,
            order,
            key: None,
        };
        write.check(cells, self.request.written_form()?)
    }
}

/// The origin of a field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum FieldOrigin {
    Attribute = 0,
    Dimension = 1,
    Aggregate = 2,
}

impl FieldOrigin {
    /// Returns the code in the C API.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Information about a field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryField {
    /// The type of the cells.
    pub cells: CellType,
    /// The origin.
    pub origin: FieldOrigin,
}

impl QueryRequest {
    /// Returns the plan of a query with buffers for the fields `names`.
    pub fn plan(&self, names: &[&str]) -> QueryPlan {
        let schema = self.schema();
        let is_dimension = |name: &&str| schema.dimension(name).is_some();
        let is_computed = |name: &str| self.aggregate(name).is_some() || self.is_label(name);
        let mut attributes: Vec<&str> = names.to_vec();
        attributes.retain(|name| !is_dimension(name) && !is_computed(name));
        let mut dimensions: Vec<&str> = if schema.is_dense() {
            schema
                .domain
                .dimensions
                .iter()
                .map(|dimension| &dimension.name[..])
                .collect()
        } else {
            names.iter().copied().filter(is_dimension).collect()
        };
        attributes.sort_unstable();
        dimensions.sort_unstable();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        QueryPlan {
            layout: self.layout,
            strategy: self.strategy().to_owned(),
            array_type: schema.array_type,
            attributes: owned(attributes),
            dimensions: owned(dimensions),
        }
    }

    fn describe(&self, plan: &QueryPlan) -> String {
        let uri = self.array.uri.as_str();
        let backend = uri.split_once("://").map_or("file", |(scheme, _)| scheme);
        let text = |text: &str| Value::from(text).to_string();
        let list = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| text(name)).collect();
            match &names[..] {
                [] => "[]".to_owned(),
                names => format!(
                    "[\n            {}\n        ]",
                    names.join(",\n            ")
                ),
            }
        };
        // The keys are in alphabetical order.
        let pairs = [
            ("Array.Type", text(plan.array_type.name())),
            ("Array.URI", text(uri)),
            ("Query.Attributes", list(&plan.attributes)),
            ("Query.Dimensions", list(&plan.dimensions)),
            ("Query.Layout", text(plan.layout.name())),
            ("Query.Strategy.Name", text(&plan.strategy)),
            ("VFS.Backend", text(backend)),
        ];
        // libtiledb does not state the storage of a server.
        let plan = pairs
            .iter()
            .filter(|(key, _)| *key != "VFS.Backend" || !self.is_served())
            .map(|(key, value)| format!("        \"{key}\": {value}"))
            .collect::<Vec<_>>()
            .join(",\n");
        format!("{{\n    \"TileDB Query Plan\": {{\n{plan}\n    }}\n}}")
    }

    /// Returns libtiledb's name of the strategy.
    fn strategy(&self) -> &'static str {
        let schema = self.schema();
        // The letter is the mangled type of libtiledb's result bitmap: one bit per cell, since it
        // merges overlapping ranges before it chooses the reader.
        match (self.query_type, schema.is_dense(), self.layout) {
            (QueryType::Read, true, _) => "DenseReader",
            (QueryType::Read, false, Layout::Unordered) if schema.allows_dups => {
                "SparseUnorderedWithDupsReader<h>"
            }
            (QueryType::Read, false, Layout::Unordered | Layout::GlobalOrder) => {
                "SparseGlobalOrderReader<h>"
            }
            (QueryType::Read, false, _) => "LegacyReader",
            (QueryType::Write | QueryType::ModifyExclusive, _, Layout::GlobalOrder) => {
                "GlobalOrderWriter"
            }
            (QueryType::Write | QueryType::ModifyExclusive, true, _) => "OrderedWriter",
            (QueryType::Write | QueryType::ModifyExclusive, false, _) => "UnorderedWriter",
            (QueryType::Delete | QueryType::Update, ..) => "DeletesAndUpdates",
        }
    }

    /// Returns information about a field: an attribute, a dimension, the timestamps, or an
    /// aggregate.
    pub fn field(&self, name: &str) -> Result<QueryField> {
        if name == TIMESTAMPS {
            return Ok(QueryField {
                cells: CellType::single(Datatype::Uint64),
                origin: FieldOrigin::Attribute,
            });
        }
        if let Some(field) = self.schema().field(name) {
            let (origin, cells) = match field {
                Field::Attribute(..) => (FieldOrigin::Attribute, field.cell_type()),
                Field::Dimension(..) => (FieldOrigin::Dimension, field.cell_type()),
                Field::Coords(_) => (FieldOrigin::Dimension, CellType::single(field.datatype())),
            };
            return Ok(QueryField { cells, origin });
        }
        let aggregate = self
            .aggregate(name)
            .ok_or_else(|| Error::from(QueryError::UnknownField { name: name.into() }))?;
        let cells = aggregate.result_type();
        // libtiledb describes strings of a fixed length as one character.
        let cell_val_num = if cells.is_var() { VAR_NUM } else { 1 };
        Ok(QueryField {
            cells: CellType {
                cell_val_num,
                ..cells
            },
            origin: FieldOrigin::Aggregate,
        })
    }
}
