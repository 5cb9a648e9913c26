//! Many fragments into one.
//!
//! The list of what a new fragment replaces is written before that is committed, under a name that counts from then on: a
//! process that dies in between leaves either the old fragments or the new one, never both. The name that all readers know
//! comes last.

use std::collections::HashSet;
use std::sync::Arc;

use super::choice::{Candidate, Choice, expand, overlap};
use super::{existing, rewrite, span};
use crate::array::{Delete, StoredFragments, key, stored_fragments};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::Fragment;
use crate::query::read::Deleted;
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, NdRange, TimeRange};
use crate::vfs::{Uri, Vfs};

/// The origin of the texts that programs compare.
pub(super) const FRAGMENTS: &str = "FragmentConsolidator";

fn wrong(message: impl Into<String>) -> Error {
    Error::usage(FRAGMENTS, message)
}

/// An array whose fragments are merged.
pub(super) struct Merging<'a> {
    pub(super) vfs: &'a Arc<Vfs>,
    pub(super) array: &'a Uri,
    pub(super) config: &'a Config,
    pub(super) schema: Arc<ArraySchema>,
    pub(super) key: Option<EncryptionKey>,
}

impl<'a> Merging<'a> {
    fn new(vfs: &'a Arc<Vfs>, array: &'a Uri, config: &'a Config) -> Result<Self> {
        Ok(Self {
            vfs,
            array,
            config,
            schema: existing(vfs, array, config)?,
            key: key::of_array_config(config)?,
        })
    }

    /// The fragments that lie wholly in a time range, and its deletes.
    fn visible(&self, timestamps: TimeRange) -> Result<StoredFragments> {
        stored_fragments(self.vfs, self.array, self.config, timestamps)
    }

    /// Merges fragments, oldest first, which were seen together with deletes and with the `next` fragment. Answers with what
    /// came of them: several fragments where one would be too large.
    fn merge(
        &self,
        fragments: &[Arc<Fragment>],
        next: Option<&Arc<Fragment>>,
        deletes: &[Arc<Delete>],
    ) -> Result<Vec<Uri>> {
        let (Some(first), Some(last)) = (fragments.first(), fragments.last()) else {
            return Ok(Vec::new());
        };
        let timestamps = TimeRange {
            start: first.timestamps().start,
            end: fragments
                .iter()
                .map(|fragment| fragment.timestamps().end)
                .fold(last.timestamps().end, u64::max),
        };
        let merged = rewrite::Merged {
            fragments,
            next,
            deletes,
            deleted: self.deleted(fragments, deletes)?,
            timestamps,
        };
        let mut list = None;
        let merged = rewrite::rewrite(self, &merged, |name| {
            list = Some(self.write_list(name, fragments)?);
            Ok(())
        });
        match (merged, list) {
            (Ok(made), Some((ahead, list))) if !made.is_empty() => {
                self.vfs.rename("move file", &ahead, &list)?;
                Ok(made)
            }
            (Ok(made), None) => Ok(made),
            (merged, list) => {
                if let Some((ahead, _)) = list {
                    // The first error is the one to tell; the list of a fragment that is not there says nothing.
                    let _ = self.vfs.remove_file(&ahead);
                }
                merged
            }
        }
    }

    /// What happens to deleted cells: they are kept with a note, so that readers of the past find them, unless the
    /// configuration says otherwise.
    fn deleted(&self, fragments: &[Arc<Fragment>], deletes: &[Arc<Delete>]) -> Result<Deleted> {
        let start = fragments.iter().map(|fragment| fragment.timestamps().start);
        let start = start.min().unwrap_or(0);
        let touched = deletes.iter().any(|delete| delete.timestamp() >= start)
            || fragments
                .iter()
                .any(|fragment| fragment.has_delete_metadata());
        let version = FormatVersion(self.schema.version).for_writing();
        if !touched || version < v::DELETE_COMMITS {
            return Ok(Deleted::Gone);
        }
        Ok(
            match self.config.flag("sm.consolidation.purge_deleted_cells")? {
                false => Deleted::Told,
                true if self.schema.allows_dups => Deleted::Gone,
                true => Deleted::GoneWithOlder,
            },
        )
    }

    /// Writes which fragments a new one replaces; answers where that is, and where it is to be.
    fn write_list(&self, name: &FragmentName, fragments: &[Arc<Fragment>]) -> Result<(Uri, Uri)> {
        let version = FormatVersion(self.schema.version).for_writing();
        let folder = match version >= v::COMMITS_FOLDER {
            true => self.array.join(folders::COMMITS),
            false => self.array.clone(),
        };
        let mut names = String::new();
        for fragment in fragments {
            let uri = fragment.uri().as_str();
            let relative = uri.strip_prefix(self.array.as_str().trim_end_matches('/'));
            names.push_str(match version >= v::RELATIVE_VACUUM_NAMES {
                true => relative.unwrap_or(uri),
                false => uri,
            });
            names.push('\n');
        }
        let at = |suffix: &str| folder.join(&format!("{}{suffix}", name.as_str()));
        let (ahead, list) = (at(folders::VACUUM_AHEAD), at(folders::VACUUM));
        self.vfs.write_all(&ahead, names.as_bytes())?;
        Ok((ahead, list))
    }
}

fn domain_of(fragment: &Fragment) -> NdRange {
    fragment.non_empty_domain().cloned().unwrap_or_default()
}

/// Merges fragments that lie in the time range of a configuration, as its rules choose them.
pub(super) fn consolidate(vfs: &Arc<Vfs>, array: &Uri, config: &Config) -> Result<()> {
    let choice = Choice::from_config(config)?;
    let merging = Merging::new(vfs, array, config)?;
    let span = span(config)?;
    let mut made: HashSet<Uri> = HashSet::new();
    for _ in 0..choice.steps {
        let StoredFragments {
            fragments, deletes, ..
        } = merging.visible(span)?;
        let candidates = fragments.iter().map(|fragment| {
            Ok(Candidate {
                size: fragment.stored_size()?,
                domain: domain_of(fragment),
            })
        });
        let candidates = candidates.collect::<Result<Vec<_>>>()?;
        let before: Vec<NdRange> = match (merging.schema.is_dense(), span.start) {
            (true, start) if start > 0 => {
                let all = merging.visible(TimeRange::ALL)?.fragments;
                let older = all.iter().filter(|other| other.timestamps().start < start);
                older.map(|fragment| domain_of(fragment)).collect()
            }
            _ => Vec::new(),
        };
        let Some(chosen) = choice.next(&merging.schema, &candidates, &before) else {
            break;
        };
        // What was divided is not merged again and again.
        let next = fragments.get(chosen.end);
        let chosen = &fragments[chosen];
        if chosen.iter().all(|fragment| made.contains(fragment.uri())) {
            break;
        }
        let new = merging.merge(chosen, next, &deletes)?;
        if new.is_empty() {
            break;
        }
        made.extend(new);
    }
    Ok(())
}

/// Merges the fragments of these names or URIs.
pub(super) fn consolidate_named(
    vfs: &Arc<Vfs>,
    array: &Uri,
    names: &[&str],
    config: &Config,
) -> Result<()> {
    let merging = Merging::new(vfs, array, config)?;
    if names.len() <= 1 {
        return Ok(());
    }
    let last = |name: &str| {
        name.trim_end_matches('/')
            .rsplit('/')
            .next()
            .map(str::to_owned)
    };
    let wanted: Vec<String> = names.iter().filter_map(|name| last(name)).collect();
    let StoredFragments {
        fragments: all,
        deletes,
        ..
    } = merging.visible(TimeRange::ALL)?;
    let is_wanted =
        |fragment: &&Arc<Fragment>| wanted.iter().any(|name| name == fragment.name().as_str());
    let (chosen, others): (Vec<_>, Vec<_>) = all.iter().partition(is_wanted);
    if chosen.len() != names.len() {
        return Err(wrong(format!(
            "Cannot consolidate; Found {} of {} required fragments.",
            chosen.len(),
            names.len()
        )));
    }
    let chosen: Vec<Arc<Fragment>> = chosen.into_iter().cloned().collect();
    if merging.schema.is_dense() {
        check_others(&merging.schema, &chosen, &others)?;
    }
    let newest = all.iter().rposition(|fragment| is_wanted(&fragment));
    let next = newest.and_then(|newest| all.get(newest + 1));
    merging.merge(&chosen, next, &deletes).map(|_| ())
}

/// No other fragment of a dense array that is older than the newest may have cells where the merged one has.
fn check_others(
    schema: &ArraySchema,
    chosen: &[Arc<Fragment>],
    others: &[&Arc<Fragment>],
) -> Result<()> {
    let mut domains = chosen
        .iter()
        .filter_map(|fragment| fragment.non_empty_domain());
    let Some(mut union) = domains.next().cloned() else {
        return Ok(());
    };
    domains.for_each(|domain| expand(schema, &mut union, domain));
    let newest = chosen
        .iter()
        .map(|fragment| fragment.timestamps().end)
        .max();
    let hidden = others.iter().find(|other| {
        Some(other.timestamps().start) <= newest && overlap(schema, &union, &domain_of(other))
    });
    match hidden {
        None => Ok(()),
        Some(other) => Err(wrong(format!(
            "Cannot consolidate; The non-empty domain of the fragment with URI: {} overlaps with the union of the \
             non-empty domains of the fragments selected for consolidation and was created before these fragments.",
            other.name().as_str()
        ))),
    }
}
