//! The plan of a query as JSON. Programs parse it, so the keys and the names of strategies are
//! those of libtiledb.

use serde_json::Value;

use super::run::Query;
use crate::aggregate::check_output;
use crate::error::{Result, WriteBufferError};
use crate::types::{Layout, QueryStatus, QueryType};

impl Query {
    /// Returns the plan as JSON and initializes the query, as libtiledb does: afterwards the
    /// layout, the subarray, the condition, the aggregates, the configuration and the set of
    /// buffers cannot be changed. `names` are the fields with buffers.
    ///
    /// # Errors
    /// If no buffer is set, or if the first submit would fail for the layout or the subarray.
    pub fn initialize_and_describe(&mut self, names: &[&str]) -> Result<String> {
        if self.status == QueryStatus::Uninitialized {
            self.check_ready(names)?;
            self.planned_fields = Some(names.iter().map(|name| (*name).to_owned()).collect());
            self.status = QueryStatus::Initialized;
        }
        Ok(self.describe(names))
    }

    /// Checks that the query could start with buffers for these fields.
    fn check_ready(&self, names: &[&str]) -> Result<()> {
        self.check_open()?;
        for (name, aggregate) in &self.aggregates {
            if !names.contains(&name.as_str()) {
                check_output(aggregate, None)?;
            }
        }
        match (self.query_type, self.is_dense()) {
            (QueryType::Read, true) => self.check_dense(names),
            (QueryType::Read, false) => self.check_sparse(names),
            (QueryType::Write | QueryType::ModifyExclusive, _) if names.is_empty() => {
                Err(WriteBufferError::NoBuffers.into())
            }
            _ => Ok(()),
        }
    }

    fn describe(&self, names: &[&str]) -> String {
        let schema = self.schema();
        let dense = schema.is_dense();
        let is_dimension = |name: &&str| schema.dimension(name).is_some();
        let mut attributes: Vec<&str> = names.to_vec();
        attributes.retain(|name| !is_dimension(name));
        let mut dimensions: Vec<&str> = if dense {
            let all = schema.domain.dimensions.iter();
            all.map(|dimension| &dimension.name[..]).collect()
        } else {
            names.iter().copied().filter(is_dimension).collect()
        };
        attributes.sort_unstable();
        dimensions.sort_unstable();
        let uri = self.array().uri().as_str();
        let backend = uri.split_once("://").map_or("file", |(scheme, _)| scheme);
        let text = |text: &str| Value::from(text).to_string();
        let list = |names: &[&str]| {
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
            ("Array.Type", text(schema.array_type.name())),
            ("Array.URI", text(uri)),
            ("Query.Attributes", list(&attributes)),
            ("Query.Dimensions", list(&dimensions)),
            ("Query.Layout", text(self.layout().name())),
            ("Query.Strategy.Name", text(self.strategy())),
            ("VFS.Backend", text(backend)),
        ];
        let pairs = pairs.map(|(key, value)| format!("        \"{key}\": {value}"));
        let plan = pairs.join(",\n");
        format!("{{\n    \"TileDB Query Plan\": {{\n{plan}\n    }}\n}}")
    }

    /// Returns libtiledb's name of the strategy.
    fn strategy(&self) -> &'static str {
        let schema = self.schema();
        // The letter is the mangled type of libtiledb's result bitmap: one bit or one count per
        // cell.
        let one_range = self.subarray().single().is_some();
        match (self.query_type(), schema.is_dense(), self.layout()) {
            (QueryType::Read, true, _) => "DenseReader",
            (QueryType::Read, false, Layout::Unordered) if schema.allows_dups => {
                if one_range {
                    "SparseUnorderedWithDupsReader<h>"
                } else {
                    "SparseUnorderedWithDupsReader<m>"
                }
            }
            (QueryType::Read, false, _) if one_range => "SparseGlobalOrderReader<h>",
            (QueryType::Read, false, _) => "SparseGlobalOrderReader<m>",
            (QueryType::Write | QueryType::ModifyExclusive, _, Layout::GlobalOrder) => {
                "GlobalOrderWriter"
            }
            (QueryType::Write | QueryType::ModifyExclusive, true, _) => "OrderedWriter",
            (QueryType::Write | QueryType::ModifyExclusive, false, _) => "UnorderedWriter",
            (QueryType::Delete | QueryType::Update, ..) => "DeletesAndUpdates",
        }
    }
}
