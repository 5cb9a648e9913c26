//! Fragments that a reader sees instead of the consolidated one that replaced them.
//!
//! Consolidation writes the attributes of the latest schema. A reader whose schema has an attribute
//! that was dropped then, or had another definition, would get fill values, although the replaced
//! fragments have its values until a vacuum. Such a reader sees the replaced fragments.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::listing::{Listing, Visibility};
use super::replacement::ReplacementList;
use super::schemas::Schemas;
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::fragment::{Fragment, FragmentLocation};
use crate::schema::{ArraySchema, Attribute};

/// The consolidated fragments that a reader does not use, and those that it uses instead.
#[derive(Clone, Debug, Default)]
pub(super) struct Restoration {
    /// The consolidated fragments that are not used.
    pub(super) hidden: Vec<FragmentLocation>,
    restored: HashSet<String>,
}

impl Restoration {
    /// Returns whether a fragment is used instead of a consolidated one.
    pub(super) fn is_restored(&self, fragment: &Fragment) -> bool {
        self.restored.contains(fragment.name().as_str())
    }

    /// Returns whether a consolidated fragment is not used.
    pub(super) fn is_hidden(&self, location: &FragmentLocation) -> bool {
        self.hidden.iter().any(|hidden| hidden.is_same(location))
    }

    /// Exchanges the consolidated ones among the visible fragments that lack an attribute of
    /// `schema` for those that they replaced, if these are all stored and one of them has it.
    /// `open` opens fragments.
    pub(super) fn restore(
        schemas: &Schemas,
        schema: &ArraySchema,
        listing: &Listing,
        visibility: Visibility,
        fragments: &mut Vec<Arc<Fragment>>,
        open: impl Fn(Vec<FragmentLocation>) -> Result<Vec<Arc<Fragment>>>,
    ) -> Result<Self> {
        let mut restored = Self::default();
        if listing.lists.is_empty()
            || fragments
                .iter()
                .all(|fragment| is_as_late(schema, &fragment.schema))
        {
            return Ok(restored);
        }
        let lists: HashMap<&str, &ReplacementList> = listing
            .lists
            .iter()
            .filter(|list| !list.announces_commits())
            .map(|list| (list.name.as_str(), list))
            .collect();
        let stored: HashMap<&str, &FragmentLocation> = listing
            .replaced
            .iter()
            .map(|listed| (listed.name().as_str(), listed))
            .collect();
        let times = listing.commits.timestamps;
        let state_of = |name: &str| match FragmentName::parse(name) {
            Some(name) if !visibility.shows(&name, times) => State::OutOfScope,
            _ if stored.contains_key(name) => State::Stored,
            _ => State::Missing,
        };
        let mut kept: HashSet<String> = HashSet::new();
        loop {
            let Some(fragment) = fragments
                .iter()
                .find(|fragment| {
                    let name = fragment.name();
                    lists.contains_key(name.as_str()) && !kept.contains(name.as_str())
                })
                .cloned()
            else {
                return Ok(restored);
            };
            kept.insert(fragment.name().as_str().to_owned());
            let lost = lost_attributes(schemas, schema, &fragment)?;
            if lost.is_empty() {
                continue;
            }
            let parts = parts_of(&fragment, fragments);
            let other_has_list = parts.iter().any(|part| {
                part.name() != fragment.name() && lists.contains_key(part.name().as_str())
            });
            if other_has_list {
                continue;
            }
            let name = fragment.name().as_str();
            let mut seen = HashSet::from([name]);
            let Some(names) = originals(name, &lists, &state_of, &mut seen, MAX_NESTING) else {
                continue;
            };
            let found: Vec<FragmentLocation> = names
                .iter()
                .filter_map(|name| stored.get(name).copied().cloned())
                .collect();
            let expected = found.len();
            let members = open(found)?;
            let is_useful = members.iter().any(|member| {
                lost.iter()
                    .any(|attribute| has_cells_of(&member.schema, attribute))
            });
            if members.len() != expected || !is_useful {
                continue;
            }
            fragments.retain(|other| !parts.iter().any(|part| Arc::ptr_eq(part, other)));
            for part in &parts {
                // A part that was itself restored is not in the listing.
                if !restored.restored.remove(part.name().as_str()) {
                    restored.hidden.push(part.location.clone());
                }
            }
            for member in &members {
                restored.restored.insert(member.name().as_str().to_owned());
            }
            fragments.extend(members);
            fragments.sort_by(|a, b| {
                let starts = a.timestamps().start.cmp(&b.timestamps().start);
                starts.then_with(|| a.name().as_str().cmp(b.name().as_str()))
            });
        }
    }
}

/// The greatest depth to which lists are followed, since files may contain any.
const MAX_NESTING: usize = 32;

/// Whether a replaced fragment can be read.
#[derive(PartialEq)]
enum State {
    Stored,
    /// None of its cells is visible in the time range.
    OutOfScope,
    Missing,
}

/// Returns the names of the fragments that a consolidated one replaced, or that those replaced in
/// turn, which are in the scope; `None` if a list or a fragment is missing. Names in `seen` are
/// skipped and new ones added to it, so that each list is followed once, whatever lists name.
fn originals<'a>(
    name: &str,
    lists: &HashMap<&'a str, &'a ReplacementList>,
    state_of: &dyn Fn(&str) -> State,
    seen: &mut HashSet<&'a str>,
    depth: usize,
) -> Option<Vec<&'a str>> {
    let (list, depth) = (lists.get(name)?, depth.checked_sub(1)?);
    let times_of = |name: &str| FragmentName::parse(name).map(|name| name.timestamps());
    let (mut found, mut own, mut expanded) = (Vec::new(), Vec::new(), Vec::new());
    for member in list.replaced.iter().map(String::as_str) {
        if !seen.insert(member) {
            continue;
        }
        // The parts of a divided fragment have its times, and only the first one has a list.
        let times = times_of(member).filter(|times| times.start < times.end);
        match (times, state_of(member)) {
            (_, State::OutOfScope) => {}
            (Some(times), state) => match originals(member, lists, state_of, seen, depth) {
                Some(inner) => {
                    found.extend(inner);
                    expanded.push(times);
                }
                None if state == State::Stored => own.push(member),
                None => return None,
            },
            (None, State::Stored) => own.push(member),
            (None, State::Missing) => return None,
        }
    }
    own.retain(|member| times_of(member).is_none_or(|times| !expanded.contains(&times)));
    found.extend(own);
    Some(found)
}

/// Returns the attributes of `schema` that a consolidated fragment lacks and that fragments before
/// it may have.
fn lost_attributes<'a>(
    schemas: &Schemas,
    schema: &'a ArraySchema,
    fragment: &Fragment,
) -> Result<Vec<&'a Attribute>> {
    let own = &fragment.schema;
    if is_as_late(schema, own) {
        return Ok(Vec::new());
    }
    let mut lost: Vec<&Attribute> = schema
        .attributes
        .iter()
        .map(|attribute| &**attribute)
        .filter(|attribute| !has_cells_of(own, attribute))
        .collect();
    if !lost.is_empty() {
        let all = schemas.all()?;
        let earlier: Vec<&Arc<ArraySchema>> = all
            .iter()
            .filter(|other| {
                other.name != own.name && other.timestamps.end <= fragment.timestamps().end
            })
            .collect();
        lost.retain(|attribute| earlier.iter().any(|other| has_cells_of(other, attribute)));
    }
    Ok(lost)
}

/// Returns whether the schema of a reader is that of a fragment or a later one. An attribute that
/// it has in addition was added later and starts without values, as in libtiledb.
fn is_as_late(schema: &ArraySchema, of_fragment: &ArraySchema) -> bool {
    schema.timestamps.end >= of_fragment.timestamps.end
}

/// Returns whether fragments of a schema have the values and validities of an attribute.
fn has_cells_of(schema: &ArraySchema, attribute: &Attribute) -> bool {
    schema.attribute(&attribute.name).is_some_and(|stored| {
        stored.datatype == attribute.datatype
            && stored.cell_val_num == attribute.cell_val_num
            && stored.nullable == attribute.nullable
            && stored.enumeration == attribute.enumeration
    })
}

/// Returns the parts into which a consolidated fragment was divided, and which have one list: those
/// with its timestamps and its schema.
fn parts_of(fragment: &Arc<Fragment>, fragments: &[Arc<Fragment>]) -> Vec<Arc<Fragment>> {
    let times = fragment.timestamps();
    fragments
        .iter()
        .filter(|other| {
            let is_alike = other.timestamps() == times
                && other.footer.head.schema_name.as_deref()
                    == fragment.footer.head.schema_name.as_deref()
                && other.footer.has_timestamps == fragment.footer.has_timestamps;
            // A dense fragment at one time may be that of a write.
            let is_rewritten = fragment.footer.has_timestamps || times.start < times.end;
            Arc::ptr_eq(other, fragment) || is_alike && is_rewritten
        })
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::Uri;

    /// Returns a fragment name of a consolidated fragment.
    fn name(number: usize) -> String {
        format!("__1_2_{number:032x}_22")
    }

    #[test]
    fn lists_that_name_each_other_are_followed_once() {
        // Both fragments of a level replace both of the next one: 2^30 ways lead to the last one.
        let uri = Uri::parse("mem://array/__commits").expect("a URI");
        let lists: Vec<ReplacementList> = (0..60)
            .map(|number| ReplacementList {
                name: name(number),
                uri: uri.clone(),
                replaced: (0..2).map(|next| name(number / 2 * 2 + 2 + next)).collect(),
                is_pending: false,
            })
            .collect();
        let by_name: HashMap<&str, &ReplacementList> = lists
            .iter()
            .map(|list| (list.name.as_str(), list))
            .collect();
        let first = name(0);
        let state_of = |_: &str| State::Stored;
        let mut seen = HashSet::from([first.as_str()]);
        let found = originals(&first, &by_name, &state_of, &mut seen, MAX_NESTING);
        assert_eq!(found.expect("all are stored"), [name(60), name(61)]);
    }
}
