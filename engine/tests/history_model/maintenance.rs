//! Consolidation, vacuum and deletion of fragments in random modes, configurations and orders.

use tiledb_engine::Severity;
use tiledb_engine::internal::check;
use tiledb_engine::internal::maintenance::{self, ConsolidationPlan};
use tiledb_engine::internal::types::{QueryType, TimeRange};

use super::Case;
use super::writing::open;

impl Case {
    /// Consolidates, vacuums, or both.
    pub(crate) fn consolidate_or_vacuum(&mut self) {
        let modes = [
            "fragments",
            "fragments",
            "fragments",
            "fragment_meta",
            "commits",
            "array_meta",
        ];
        let mode = self.random.one_of(&modes);
        if self.random.below(4) > 0 {
            match self.random.below(5) {
                0 if mode == "fragments" => self.consolidate_named(),
                1 if mode == "fragments" => self.consolidate_by_plan(),
                _ => self.consolidate(mode),
            }
        }
        if self.random.below(2) == 0 {
            let other = self.random.one_of(&modes);
            let mode = self.random.one_of(&[mode, mode, other]);
            self.vacuum(mode);
        }
        if self.random.below(8) == 0 {
            self.vacuum("garbage");
        }
    }

    /// Returns random parameters that a consolidation of fragments of any kind may have.
    fn rewrite_parameters(&mut self) -> Vec<(&'static str, String)> {
        let mut parameters = self.key_parameters();
        let mut set = |name, value: &str| parameters.push((name, value.to_owned()));
        if self.random.below(3) == 0 {
            let size = self.random.one_of(&["60", "200", "700", "2000"]);
            set("sm.consolidation.max_fragment_size", size);
        }
        if self.random.below(3) == 0 {
            let size = self.random.one_of(&["1", "10", "100", "10000"]);
            set("sm.consolidation.buffer_size", size);
        }
        if self.random.below(3) == 0 {
            let budget = self.random.one_of(&["100000", "1000000"]);
            set("sm.mem.total_budget", budget);
        }
        if self.random.below(4) == 0 {
            set("sm.consolidation.purge_deleted_cells", "true");
        }
        parameters
    }

    fn consolidate(&mut self, mode: &str) {
        let mut parameters = self.rewrite_parameters();
        let mut set = |name, value: &str| parameters.push((name, value.to_owned()));
        set("sm.consolidation.mode", mode);
        let amplification = self.random.one_of(&["1", "1.5", "1000", "1000"]);
        set("sm.consolidation.amplification", amplification);
        if self.random.below(2) == 0 {
            set("sm.consolidation.step_min_frags", "2");
            let most = self.random.one_of(&["2", "3", "4"]);
            set("sm.consolidation.step_max_frags", most);
            let steps = self.random.one_of(&["1", "2", "5"]);
            set("sm.consolidation.steps", steps);
            let ratio = self.random.one_of(&["0.0", "0.0", "0.5", "1.0"]);
            set("sm.consolidation.step_size_ratio", ratio);
        }
        if self.random.below(3) == 0 {
            let length = self.now + 20 - self.first_time;
            let (first, last) = self.random.range_below(length);
            let [first, last] = [first, last].map(|end| (self.first_time + end).to_string());
            set("sm.consolidation.timestamp_start", &first);
            set("sm.consolidation.timestamp_end", &last);
        }
        self.rewrite(mode == "fragments", &parameters, |test_array, config| {
            maintenance::consolidate(&test_array.vfs, test_array.uri.as_str(), config)
        });
    }

    /// Consolidates some of the visible fragments by their names.
    fn consolidate_named(&mut self) {
        let array = self.open(QueryType::Read, 0, self.now);
        let fragments = array.snapshot().expect("snapshot").fragments.clone();
        let chosen = fragments.iter().filter(|_| self.random.below(2) == 0);
        let names = chosen.map(|fragment| fragment.name().as_str().to_owned());
        let names: Vec<String> = names.collect();
        let parameters = self.rewrite_parameters();
        let from = self.first_time;
        let index = |name: &String| {
            fragments
                .iter()
                .position(|one| one.name().as_str() == *name)
        };
        let times = fragments.iter().map(|fragment| {
            let times = fragment.timestamps();
            (times.start - from, times.end - from)
        });
        let times: Vec<_> = times.collect();
        let chosen: Vec<_> = names.iter().filter_map(index).collect();
        self.steps
            .push(format!("    fragments {chosen:?} of {times:?}"));
        self.rewrite(true, &parameters, |test_array, config| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let uri = test_array.uri.as_str();
            maintenance::consolidate_fragments(&test_array.vfs, uri, &names, config)
        });
    }

    /// Consolidates the fragments of the nodes of a plan.
    fn consolidate_by_plan(&mut self) {
        let array = self.open(QueryType::Read, 0, self.now);
        let size = self.random.one_of(&[100, 1000, 1_000_000]);
        let plan = ConsolidationPlan::new(&array, size).expect("plan");
        for node in &plan.nodes {
            let parameters = self.rewrite_parameters();
            self.rewrite(true, &parameters, |test_array, config| {
                let names: Vec<&str> = node.iter().map(String::as_str).collect();
                let uri = test_array.uri.as_str();
                maintenance::consolidate_fragments(&test_array.vfs, uri, &names, config)
            });
        }
    }

    /// Runs a consolidation, which may be refused.
    fn rewrite(
        &mut self,
        of_fragments: bool,
        parameters: &[(&'static str, String)],
        run: impl Fn(&super::TestArray, &super::Config) -> tiledb_engine::Result<()>,
    ) {
        let config = super::config_of(parameters);
        let has = |name: &str| parameters.iter().any(|(known, _)| *known == name);
        if of_fragments {
            let known: Vec<_> = self.model.latest().shapes().collect();
            let all = self.model.shapes().into_iter();
            let lost = all.filter(|shape| !known.contains(shape));
            self.model.lost.extend(lost);
            self.consolidated_until = self.now;
            if !self.dense && has("sm.consolidation.purge_deleted_cells") {
                self.model.cells_from = self.now;
            }
        }
        let description = format!("consolidate {parameters:?}");
        let consolidated =
            self.perform(&description, |test_array| run(test_array, &config), |_| {});
        if let Err(error) = consolidated {
            let message = error.to_string();
            let is_refused = has("sm.consolidation.max_fragment_size")
                && message.contains("exceeds the fragment size")
                || !self.allows_dups && message.contains("overlaps the fragments to consolidate");
            assert!(is_refused, "{description}: {message}");
        }
    }

    fn vacuum(&mut self, mode: &str) {
        match mode {
            "fragments" if self.dense => self.model.cells_from = self.now,
            "array_meta" => self.model.metadata_from = self.now,
            _ => {}
        }
        let mut parameters = self.key_parameters();
        parameters.push(("sm.vacuum.mode", mode.to_owned()));
        parameters.push(("sm.vacuum.garbage_min_age_ms", "0".to_owned()));
        let config = super::config_of(&parameters);
        let vacuumed = self.perform(
            &format!("vacuum {mode}"),
            |test_array| maintenance::vacuum(&test_array.vfs, test_array.uri.as_str(), &config),
            |_| {},
        );
        vacuumed.expect("vacuum");
    }

    /// Deletes all fragments.
    pub(crate) fn delete_all_fragments(&mut self) {
        let all = TimeRange {
            start: 0,
            end: self.now,
        };
        let config = super::config_of(&self.key_parameters());
        let deleted = self.perform(
            "delete fragments, all",
            |test_array| {
                maintenance::delete_fragments(&test_array.vfs, &test_array.uri, all, &config)
            },
            |model| model.cells.clear(),
        );
        deleted.expect("deletion");
    }

    /// Deletes the fragments of a time range, or some fragments by their names. Skips the step if
    /// other fragments may have cells of the same times, or cells of the range are in fragments
    /// that a consolidated one replaced.
    pub(crate) fn delete_some_fragments(&mut self) {
        let first = self.first_time;
        let all = self.fragments(0, self.now);
        let by_name = self.random.below(2) == 0;
        let (low, high) = self.random.range_below(self.now + 5 - first);
        let range = TimeRange {
            start: first + low,
            end: first + high,
        };
        let is_inside = |times: &TimeRange| range.start <= times.start && times.end <= range.end;
        let chosen: Vec<bool> = all
            .iter()
            .map(|(_, times)| {
                if by_name {
                    self.random.below(3) == 0
                } else {
                    is_inside(times)
                }
            })
            .collect();
        let select = |is_chosen: bool| {
            let pairs = all.iter().zip(&chosen);
            pairs
                .filter(move |(_, chosen)| **chosen == is_chosen)
                .map(|(fragment, _)| fragment.clone())
                .collect::<Vec<_>>()
        };
        let (deleted, kept) = (select(true), select(false));
        let overlaps =
            |one: &TimeRange, other: &TimeRange| one.start <= other.end && other.start <= one.end;
        let is_ambiguous = deleted
            .iter()
            .any(|(_, one)| kept.iter().any(|(_, other)| overlaps(one, other)));
        let visible = self.fragments(range.start, range.end);
        let mut visible = visible.iter().filter(|(_, times)| is_inside(times));
        let has_replaced = !by_name && visible.any(|fragment| !deleted.contains(fragment));
        if deleted.is_empty() || is_ambiguous || has_replaced {
            return;
        }
        let config = super::config_of(&self.key_parameters());
        let shown = |times: &TimeRange| (times.start - first, times.end - first);
        let times: Vec<_> = deleted.iter().map(|(_, times)| shown(times)).collect();
        let description = format!("delete fragments {times:?}, by name: {by_name}");
        let names: Vec<String> = deleted.iter().map(|(name, _)| name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let now = self.now;
        let done = self.perform(
            &description,
            |test_array| {
                let (vfs, uri) = (&test_array.vfs, &test_array.uri);
                if by_name {
                    // A part of them may be deleted when the call is repeated.
                    let array = open(test_array, QueryType::Read, 0, now)?;
                    let left = array.snapshot()?.fragments.clone();
                    let is_left =
                        |name: &&str| left.iter().any(|left| left.name().as_str() == *name);
                    let names: Vec<&str> = names.iter().copied().filter(is_left).collect();
                    maintenance::delete_named_fragments(vfs, uri, &names, &config)
                } else {
                    maintenance::delete_fragments(vfs, uri, range, &config)
                }
            },
            |model| {
                let is_deleted = |time: u64| {
                    let mut deleted = deleted.iter();
                    deleted.any(|(_, times)| times.start <= time && time <= times.end)
                };
                model.cells.retain(|cell| !is_deleted(cell.timestamp));
            },
        );
        done.expect("deletion");
    }

    /// Returns the names and time ranges of the fragments that are visible in a time range.
    fn fragments(&self, from: u64, until: u64) -> Vec<(String, TimeRange)> {
        let array = self.open(QueryType::Read, from, until);
        let fragments = array.snapshot().expect("snapshot").fragments.clone();
        fragments
            .iter()
            .map(|fragment| (fragment.name().as_str().to_owned(), fragment.timestamps()))
            .collect()
    }

    /// Checks all files, removes what killed processes left, and checks again.
    pub(crate) fn check_and_clean(&mut self) {
        let mut parameters = self.key_parameters();
        parameters.push(("sm.vacuum.garbage_min_age_ms", "0".to_owned()));
        let config = super::config_of(&parameters);
        self.check_files(&config, Severity::Remains);
        let (vfs, uri) = (&self.array.vfs, self.array.uri.as_str());
        check::clean(vfs, uri, &config, false, &mut |_| Ok(())).expect("clean");
        self.check_files(&config, Severity::Note);
        drop(open(&self.array, QueryType::Read, 0, self.now).expect("open"));
    }

    fn check_files(&self, config: &super::Config, worst: Severity) {
        let (vfs, uri) = (&self.array.vfs, self.array.uri.as_str());
        let checked = check::check(vfs, uri, config, &mut |finding| {
            assert!(finding.severity <= worst, "{finding:?}");
            Ok(())
        });
        checked.expect("check");
    }
}
