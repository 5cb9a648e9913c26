//! Consolidation and vacuum in random modes and order.

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::maintenance;

use super::Case;

impl Case {
    /// Consolidates, vacuums, or both.
    pub(crate) fn consolidate_or_vacuum(&mut self) {
        let modes = [
            "fragments",
            "fragments",
            "fragment_meta",
            "commits",
            "array_meta",
        ];
        let mode = self.random.one_of(&modes);
        if self.random.below(4) > 0 {
            self.consolidate(mode);
        }
        if self.random.below(2) == 0 {
            self.vacuum(mode);
        }
    }

    fn consolidate(&mut self, mode: &str) {
        let mut config = Config::new();
        let mut set = |name: &str, value: &str| {
            let name = format!("sm.consolidation.{name}");
            config.set(&name, value).expect("parameter");
        };
        set("mode", mode);
        set("amplification", "1000");
        if mode == "fragments" && self.random.below(2) == 0 {
            set("step_min_frags", "2");
            set("step_max_frags", self.random.one_of(&["2", "3", "4"]));
            set("steps", self.random.one_of(&["1", "2"]));
        }
        let divides = self.random.below(3) == 0;
        if divides {
            set(
                "max_fragment_size",
                self.random.one_of(&["60", "200", "700"]),
            );
        }
        match maintenance::consolidate(&self.array.vfs, self.array.uri.as_str(), &config) {
            Ok(()) => {}
            Err(error) => {
                let message = error.to_string();
                assert!(
                    divides && message.contains("exceeds the fragment size"),
                    "{message}"
                );
            }
        }
        if mode == "fragments" {
            let known: Vec<_> = self.model.latest().shapes().collect();
            let all = self.model.shapes().into_iter();
            let lost = all.filter(|shape| !known.contains(shape));
            self.model.lost.extend(lost);
        }
    }

    fn vacuum(&mut self, mode: &str) {
        self.array.vacuum(mode);
        match mode {
            "fragments" if self.dense => self.model.cells_from = self.now,
            "array_meta" => self.model.metadata_from = self.now,
            _ => {}
        }
    }
}
