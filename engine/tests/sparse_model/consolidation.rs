//! Deletes, consolidation and vacuum.

use std::collections::BTreeMap;

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::types::{QueryStatus, QueryType};

use super::deletes::{Delete, Test};
use super::{Case, Cell};

impl Case {
    /// Deletes cells with a timestamp that is often that of a write, or much earlier.
    pub(crate) fn delete(&mut self) {
        let timestamp = match self.random.below(4) {
            0 => 1 + self.random.below(self.now + 20),
            1 => self.now.max(1),
            _ => self.now + 5,
        };
        let test = Test::random(&mut self.random, &self.schema, &self.kinds);
        let array = self.open(QueryType::Delete, timestamp);
        let mut query = Query::new(&array, QueryType::Delete).expect("query");
        let condition = test.condition(&self.schema, &self.kinds);
        query.set_condition(&condition).expect("condition");
        query.delete().expect("delete");
        assert_eq!(query.status(), QueryStatus::Completed);
        self.deletes.push(Delete { timestamp, test });
    }

    /// Consolidates in a random mode, and in some cases vacuums.
    pub(crate) fn consolidate_or_vacuum(&mut self) {
        let modes = ["fragments", "fragments", "commits", "fragment_meta"];
        let mode = self.random.one_of(&modes);
        let mut config = Config::new();
        let mut set = |name: &str, value: &str| config.set(name, value).expect("parameter");
        set("sm.consolidation.mode", mode);
        let purges = mode == "fragments" && self.random.below(2) == 0;
        let any = !purges && self.random.below(2) == 0;
        if purges {
            set("sm.consolidation.purge_deleted_cells", "true");
        } else if any {
            // Any fragments may be consolidated in any steps without changing the visible cells.
            let ends = [0, 1].map(|_| self.random.below(self.now + 20));
            set("sm.consolidation.step_min_frags", "2");
            let most = self.random.one_of(&["2", "3", "4"]);
            set("sm.consolidation.step_max_frags", most);
            set("sm.consolidation.steps", self.random.one_of(&["1", "2"]));
            let first = ends[0].min(ends[1]).to_string();
            set("sm.consolidation.timestamp_start", &first);
            let last = ends[0].max(ends[1]).to_string();
            set("sm.consolidation.timestamp_end", &last);
        }
        let divides = self.random.below(4) == 0;
        if divides {
            let most = (100 + self.random.below(3000)).to_string();
            let parameter = "sm.consolidation.max_fragment_size";
            config.set(parameter, &most).expect("parameter");
        }
        match maintenance::consolidate(&self.test_array.vfs, self.test_array.uri.as_str(), &config)
        {
            Ok(()) if purges => self.purge(),
            Ok(()) if mode == "fragments" => self.fragments = self.fragments.min(1),
            Ok(()) => {}
            Err(error) => {
                let message = error.to_string();
                assert!(divides && message.contains("exceeds the fragment size"));
            }
        }
        let fragments = self.fragment_num();
        assert!(
            divides || any || self.fragments == fragments,
            "{fragments} fragments"
        );
        self.fragments = fragments;
        if self.random.below(2) == 0 {
            config.set("sm.vacuum.mode", mode).expect("parameter");
            maintenance::vacuum(&self.test_array.vfs, self.test_array.uri.as_str(), &config)
                .expect("vacuumed");
        }
    }

    fn fragment_num(&self) -> usize {
        let array = self.open(QueryType::Read, u64::MAX - 1);
        array.snapshot().expect("snapshot").fragments.len()
    }

    /// Removes the deleted cells from the model as purging consolidation does.
    fn purge(&mut self) {
        if self.fragments < 2 {
            return;
        }
        let gone = |cell: &Cell| {
            let mut deletes = self.deletes.iter();
            deletes.any(|delete| !delete.retains(cell, &self.schema))
        };
        let mut left: Vec<Cell> = Vec::new();
        // The timestamp of the last delete of each cell, by coordinates.
        let mut ends: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
        for cell in self.cells.iter().rev() {
            let hidden = !self.schema.allows_dups && ends.contains_key(&cell.coordinate_indexes);
            if hidden {
                continue;
            }
            if gone(cell) {
                ends.insert(cell.coordinate_indexes.clone(), cell.timestamp);
            } else {
                left.push(cell.clone())
            }
        }
        left.reverse();
        // If no cell remains, no fragment is written.
        if !left.is_empty() {
            self.cells = left;
            self.fragments = 1;
        }
    }
}
