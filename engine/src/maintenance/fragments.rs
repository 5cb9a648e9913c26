//! Consolidation of fragments.
//!
//! Cells are read and written without a lock. Then, under the exclusive lock on the array, the
//! decision is checked again, the list of replaced fragments is written as pending, and the
//! fragment is committed: a process that is killed in between leaves either the old fragments or
//! the new one visible. Finally the list gets the name that libtiledb reads.

use std::collections::HashSet;
use std::sync::Arc;

use super::consolidation::{Attempt, Consolidation, Decision};
use super::pending::CommitDecision;
use super::selection::{Candidate, SelectionRules, domain_of, overlap};
use super::{consolidation_span, existing, rewrite};
use crate::array::{
    StoredFragments, adopt_pending, adopt_pending_locked, current_fragments, key, stored_fragments,
};
use crate::config::Config;
use crate::error::{MaintenanceError, Result};
use crate::format::version as v;
use crate::fragment::Fragment;
use crate::platform::lock::Mutex;
use crate::read::DeletedCells;
use crate::schema::ArraySchema;
use crate::types::{NdRange, TimeRange};
use crate::vfs::{StorageView, Uri, last_component};

/// The number of attempts if other processes change the fragments at the same time.
const ATTEMPTS: u32 = 8;

impl<'a> Consolidation<'a> {
    fn new(view: &'a StorageView, array: &'a Uri, config: &'a Config) -> Result<Self> {
        let schema = existing(view, array, config)?;
        let key = key::of_array_config(config)?;
        adopt_pending(view, array, true)?;
        Ok(Self {
            vfs: &view.vfs,
            array,
            config,
            schema,
            key,
            first_listing: Mutex::new(Some(view.clone())),
        })
    }

    /// Returns the fragments and deletes whose timestamps are completely in a time range.
    pub(super) fn visible(&self, timestamps: TimeRange) -> Result<StoredFragments> {
        let view = self.vfs.snapshot(self.array)?;
        stored_fragments(&view, self.array, self.config, timestamps)
    }

    /// Returns the state of storage at the beginning of a step: from the listing of the operation
    /// for the first step, then from a new listing.
    fn listed(&self) -> Result<StorageView> {
        match self.first_listing.lock().take() {
            Some(view) => Ok(view),
            None => self.vfs.snapshot(self.array),
        }
    }

    /// Returns the names of all fragments that are not replaced. Must be called before
    /// [`Self::visible`].
    fn known(&self, view: &StorageView) -> Result<HashSet<String>> {
        Ok(current_fragments(view, self.array, TimeRange::ALL, None)?
            .into_iter()
            .map(|name| name.as_str().to_owned())
            .collect())
    }

    /// Merges fragments into one, or into several if one would be too large.
    fn merge(&self, decision: &Decision<'_>) -> Result<Attempt> {
        let fragments = decision.fragments;
        let (Some(first), Some(last)) = (fragments.first(), fragments.last()) else {
            return Ok(Attempt::Merged(Vec::new()));
        };
        let timestamps = TimeRange {
            start: first.timestamps().start,
            end: fragments
                .iter()
                .map(|fragment| fragment.timestamps().end)
                .fold(last.timestamps().end, u64::max),
        };
        let deleted = self.deleted(decision)?;
        let mut prepared = None;
        let written = rewrite::rewrite(self, decision, deleted, timestamps, |name| {
            let outcome = prepared.insert(self.prepare(decision, name)?);
            Ok(matches!(outcome, CommitDecision::PendingList(_)))
        });
        match (written, prepared) {
            (_, Some(CommitDecision::Refused(attempt))) => Ok(attempt),
            (Ok(made), Some(CommitDecision::PendingList(pending))) => {
                // The list is valid at its pending name; a later operation renames it.
                let _ = pending.finish(self.vfs);
                Ok(Attempt::Merged(made))
            }
            (Err(error), Some(CommitDecision::PendingList(pending))) => {
                // Adopts the list if the commit took effect, otherwise removes it. The first error
                // is reported.
                let adopted = adopt_pending_locked(&self.vfs.view(), self.array, &pending.lock);
                let _ = adopted.and_then(|()| pending.claim.withdraw(self.vfs));
                Err(error)
            }
            (Ok(made), None) => Ok(Attempt::Merged(made)),
            (Err(error), None) if error.is_missing() => Ok(Attempt::Hindered(error)),
            (Err(error), None) => Err(error),
        }
    }

    /// Returns the treatment of deleted cells: they are kept with the time of the delete, so that
    /// readers at earlier times find them, unless the configuration purges them and no other
    /// fragment may have older cells, which would become visible.
    fn deleted(&self, decision: &Decision<'_>) -> Result<DeletedCells> {
        let (fragments, deletes) = (decision.fragments, decision.deletes);
        let start = fragments
            .iter()
            .map(|fragment| fragment.timestamps().start)
            .min()
            .unwrap_or(0);
        let touched = deletes.iter().any(|delete| delete.timestamp >= start)
            || fragments
                .iter()
                .any(|fragment| fragment.footer.has_delete_metadata);
        if !touched || self.version() < v::DELETE_COMMITS {
            return Ok(DeletedCells::Omit);
        }
        let purges = self.config.flag("sm.consolidation.purge_deleted_cells")?;
        Ok(if !purges {
            DeletedCells::Report
        } else if self.schema.allows_dups {
            DeletedCells::Omit
        } else if self.has_others_until(decision) {
            DeletedCells::Report
        } else {
            DeletedCells::OmitWithOlder
        })
    }

    /// Returns whether a fragment that is not merged may have cells with the coordinates of merged
    /// ones that are older than these.
    fn has_others_until(&self, decision: &Decision<'_>) -> bool {
        let chosen: HashSet<&Uri> = decision.fragments.iter().map(|one| one.uri()).collect();
        decision
            .all
            .iter()
            .filter(|other| !chosen.contains(other.uri()))
            .any(|other| {
                decision.fragments.iter().any(|one| {
                    other.timestamps().start <= one.timestamps().end
                        && domains_overlap(&self.schema, &domain_of(one), &domain_of(other))
                })
            })
    }
}

/// Calls `attempt` until no other process interferes. Returns `None` if other processes did the
/// work, or are doing it.
fn attempts(mut attempt: impl FnMut(u32) -> Result<Attempt>) -> Result<Option<Vec<Uri>>> {
    let mut last = Attempt::Superseded;
    for number in 0..ATTEMPTS {
        last = match attempt(number) {
            Ok(Attempt::Merged(made)) => return Ok(Some(made)),
            Ok(Attempt::Claimed) => return Ok(None),
            Ok(hindered) => hindered,
            Err(error) if error.is_missing() => Attempt::Hindered(error),
            Err(error) => return Err(error),
        };
    }
    match last {
        Attempt::Hindered(error) => Err(error),
        _ => Ok(None),
    }
}

/// Consolidates the fragments in the time range of a configuration that its parameters select.
pub(super) fn consolidate(view: &StorageView, array: &Uri, config: &Config) -> Result<()> {
    let rules = SelectionRules::from_config(config)?;
    let consolidation = Consolidation::new(view, array, config)?;
    let span = consolidation_span(config)?;
    // The fragments at the beginning, after they are listed, and those that the operation has made.
    let (mut found, mut made) = (None, HashSet::new());
    for _ in 0..rules.steps {
        match attempts(|_| consolidation.step(&rules, span, &mut found, &made))? {
            Some(new) if !new.is_empty() => made.extend(new),
            _ => break,
        }
    }
    Ok(())
}

impl Consolidation<'_> {
    /// Selects some of the fragments that were `found` first or `made` by this operation, and
    /// merges them. Without this limit consolidation would not end while others write, and two
    /// consolidations would repeatedly remove the fragments that the other one reads. Fragments
    /// that are all made by this operation are not merged again.
    fn step(
        &self,
        rules: &SelectionRules,
        span: TimeRange,
        found: &mut Option<HashSet<Uri>>,
        made: &HashSet<Uri>,
    ) -> Result<Attempt> {
        let listed = self.listed()?;
        let known = self.known(&listed)?;
        let StoredFragments {
            fragments, deletes, ..
        } = stored_fragments(&listed, self.array, self.config, span)?;
        let uris = fragments.iter().map(|fragment| fragment.uri());
        let found = found.get_or_insert_with(|| uris.cloned().collect());
        let candidates = fragments
            .iter()
            .map(|fragment| {
                let uri = fragment.uri();
                Ok(Candidate {
                    size: fragment.stored_size()?,
                    domain: domain_of(fragment),
                    is_eligible: found.contains(uri) || made.contains(uri),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let stored = if span == TimeRange::ALL || self.schema.allows_dups {
            Vec::new()
        } else {
            stored_fragments(&listed, self.array, self.config, TimeRange::ALL)?.fragments
        };
        // Also those that are partly in the time range may be older than what is merged.
        let before: Vec<NdRange> = stored
            .iter()
            .filter(|other| {
                self.schema.is_dense()
                    && other.timestamps().start <= span.end
                    && !span.contains(other.timestamps())
            })
            .map(|fragment| domain_of(fragment))
            .collect();
        let Some(chosen) = rules.next(&self.schema, &candidates, &before) else {
            return Ok(Attempt::Merged(Vec::new()));
        };
        let next = fragments.get(chosen.end);
        let chosen = &fragments[chosen];
        let all = if span == TimeRange::ALL {
            &fragments
        } else {
            &stored
        };
        if self.check_order(all, chosen).is_err() {
            return Ok(Attempt::Merged(Vec::new()));
        }
        // Divided fragments are not consolidated again.
        if chosen.iter().all(|fragment| made.contains(fragment.uri())) {
            return Ok(Attempt::Merged(Vec::new()));
        }
        self.merge(&Decision {
            fragments: chosen,
            all,
            next,
            deletes: &deletes,
            span,
            known: &known,
        })
    }

    /// Merges the fragments with these names. After the first attempt, missing ones were
    /// consolidated or removed by other processes.
    fn merge_named(&self, chosen_names: &[String], attempt: u32) -> Result<Attempt> {
        let listed = self.listed()?;
        let known = self.known(&listed)?;
        let StoredFragments {
            fragments: all,
            deletes,
            ..
        } = stored_fragments(&listed, self.array, self.config, TimeRange::ALL)?;
        let name_set: HashSet<&str> = chosen_names.iter().map(String::as_str).collect();
        let is_chosen = |fragment: &&Arc<Fragment>| name_set.contains(fragment.name().as_str());
        let (chosen, others): (Vec<_>, Vec<_>) = all.iter().partition(is_chosen);
        if chosen.len() != chosen_names.len() {
            return match attempt {
                0 => Err(MaintenanceError::MissingFragments {
                    found: chosen.len(),
                    chosen: chosen_names.len(),
                }
                .into()),
                _ => Ok(Attempt::Merged(Vec::new())),
            };
        }
        let chosen: Vec<Arc<Fragment>> = chosen.into_iter().cloned().collect();
        if self.schema.is_dense() {
            check_others(&self.schema, &chosen, &others)?;
        }
        self.check_order(&all, &chosen)?;
        let newest = all.iter().rposition(|fragment| is_chosen(&fragment));
        self.merge(&Decision {
            fragments: &chosen,
            all: &all,
            next: newest.and_then(|newest| all.get(newest + 1)),
            deletes: &deletes,
            span: TimeRange::ALL,
            known: &known,
        })
    }
}

impl Consolidation<'_> {
    /// Checks that no other fragment lies between the chosen ones that loses to, or wins over,
    /// their cells only because of its position: the consolidated fragment has the start of the
    /// first, and is the last of those that start then. Cells with timestamps of their own are
    /// compared by them; only equal ones are in the order of fragments. `all` are all fragments,
    /// oldest first.
    fn check_order(&self, all: &[Arc<Fragment>], chosen: &[Arc<Fragment>]) -> Result<()> {
        let (schema, is_dense) = (&self.schema, self.schema.is_dense());
        if schema.allows_dups {
            return Ok(());
        }
        let uris: HashSet<&Uri> = chosen.iter().map(|fragment| fragment.uri()).collect();
        let (chosen, others): (Vec<_>, Vec<_>) = all
            .iter()
            .enumerate()
            .partition(|(_, fragment)| uris.contains(fragment.uri()));
        let (Some((first, oldest)), Some((last, _))) = (chosen.first(), chosen.last()) else {
            return Ok(());
        };
        let start = oldest.timestamps().start;
        let has_times = !is_dense && self.version() >= v::CONSOLIDATED_TIMES;
        let hidden = others
            .iter()
            .filter(|(index, _)| first < index && index < last)
            .find(|(index, other)| {
                let has_start = other.timestamps().start == start;
                chosen.iter().any(|(position, one)| {
                    (position > index || has_start)
                        && (!has_times || one.timestamps().overlaps(other.timestamps()))
                        && domains_overlap(schema, &domain_of(one), &domain_of(other))
                })
            });
        match hidden {
            None => Ok(()),
            Some((_, other)) => Err(MaintenanceError::Hidden {
                uri: other.name().as_str().to_owned(),
            }
            .into()),
        }
    }
}

/// Returns whether two domains have a cell in common.
fn domains_overlap(schema: &ArraySchema, one: &NdRange, other: &NdRange) -> bool {
    if schema.is_dense() {
        overlap(schema, one, other)
    } else {
        schema.domain.overlap(one, other)
    }
}

/// Merges the fragments with these names or URIs.
pub(super) fn consolidate_named(
    view: &StorageView,
    array: &Uri,
    names: &[&str],
    config: &Config,
) -> Result<()> {
    let consolidation = Consolidation::new(view, array, config)?;
    if names.len() <= 1 {
        return Ok(());
    }
    let chosen_names: Vec<String> = names
        .iter()
        .map(|name| last_component(name).to_owned())
        .collect();
    attempts(|attempt| consolidation.merge_named(&chosen_names, attempt)).map(drop)
}

/// Checks that no other fragment of a dense array that is older than the newest one has cells in
/// the domain of the consolidated fragment.
fn check_others(
    schema: &ArraySchema,
    chosen: &[Arc<Fragment>],
    others: &[&Arc<Fragment>],
) -> Result<()> {
    let Some(union) = schema.domain.union(
        chosen
            .iter()
            .filter_map(|fragment| fragment.footer.non_empty_domain.as_ref()),
    ) else {
        return Ok(());
    };
    let newest = chosen
        .iter()
        .map(|fragment| fragment.timestamps().end)
        .max();
    let hidden = others.iter().find(|other| {
        Some(other.timestamps().start) <= newest && overlap(schema, &union, &domain_of(other))
    });
    match hidden {
        None => Ok(()),
        Some(other) => Err(MaintenanceError::Hidden {
            uri: other.name().as_str().to_owned(),
        }
        .into()),
    }
}
