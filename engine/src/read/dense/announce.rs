//! Announces tiles that a dense read needs, so that many requests are in flight before the first
//! tile is decoded.

use super::fields::AttributeRead;
use super::plan::Plan;
use super::tile_tasks::TileTask;
use crate::error::Result;
use crate::fragment::{Announcement, FieldTiles, FilePart, Fragment};
use crate::memory::tuning::REMOTE_FRAGMENTS;

/// The parts of the tiles of an attribute that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileParts {
    All,
    /// Values of fixed size and validity.
    Fixed,
    /// The offsets of variable-length values.
    Offsets,
    /// Variable-length values.
    Values,
}

impl TileParts {
    fn include(self, read: &AttributeRead, tiles: &FieldTiles, part: FilePart) -> bool {
        match self {
            Self::All => true,
            Self::Fixed => part == FilePart::Validity || !read.attribute.is_var(),
            // The values are decoded with the offsets.
            Self::Offsets if tiles.includes_offsets() => true,
            Self::Offsets => part == FilePart::Fixed,
            Self::Values => part == FilePart::Var && !tiles.includes_offsets(),
        }
    }
}

impl Plan {
    /// Returns whether reads of tiles send requests.
    pub(super) fn is_remote(&self) -> bool {
        let first = self.views.first();
        first.is_some_and(|view| view.fragment.is_remote())
    }

    /// Calls `run` with groups of tasks, and the number of tasks before each. If reads send
    /// requests, the tiles of `fields` that a group needs are announced before `run` gets the group
    /// before it.
    pub(super) fn for_each_announced(
        &self,
        tasks: &[TileTask],
        fields: &[(&AttributeRead, TileParts)],
        mut run: impl FnMut(usize, &[TileTask]) -> Result<()>,
    ) -> Result<()> {
        if !self.is_remote() {
            return run(0, tasks);
        }
        let (mut before, mut rest) = (0, tasks);
        let mut first = self.announce(rest, fields)?;
        while !rest.is_empty() {
            let (group, after) = rest.split_at(first);
            first = self.announce(after, fields)?;
            run(before, group)?;
            before += group.len();
            rest = after;
        }
        Ok(())
    }

    /// Begins to load the tiles of fields that the first tasks need, as many as form a group.
    /// Returns the number of these tasks.
    pub(super) fn announce(
        &self,
        tasks: &[TileTask],
        fields: &[(&AttributeRead, TileParts)],
    ) -> Result<usize> {
        let Some(first) = self.views.first().filter(|_| self.is_remote()) else {
            return Ok(tasks.len());
        };
        let mut announcement = Announcement::default();
        let mut number = 0;
        for (index, task) in tasks.iter().enumerate() {
            if announcement.is_full() {
                break;
            }
            number += 1;
            for slice in &task.slices {
                let Some(view) = slice.view else {
                    continue;
                };
                if !self.views[view].fragment.has_metadata() {
                    self.load_metadata(tasks.get(index..).unwrap_or_default())?;
                }
                for (read, parts) in fields {
                    if let Some(tiles) = read.in_view(self, view)? {
                        announcement
                            .add(tiles, slice.tile, |part| parts.include(read, tiles, part))?;
                    }
                }
            }
        }
        announcement.load(&first.fragment)?;
        Ok(number)
    }

    /// Loads the metadata of all fragments that have an attribute, at the same time.
    pub(super) fn load_all_metadata(&self, read: &AttributeRead) -> Result<()> {
        if !self.is_remote() {
            return Ok(());
        }
        let mut fragments: Vec<&Fragment> = Vec::new();
        for (index, view) in self.views.iter().enumerate() {
            if !view.fragment.has_metadata() && read.in_view(self, index)?.is_some() {
                fragments.push(&view.fragment);
            }
        }
        Fragment::load_metadata(&fragments)
    }

    /// Loads the metadata of the first fragments that tasks read, at the same time.
    fn load_metadata(&self, tasks: &[TileTask]) -> Result<()> {
        let mut fragments: Vec<&Fragment> = Vec::new();
        for slice in tasks.iter().flat_map(|task| &task.slices) {
            let fragment = slice.view.map(|view| &*self.views[view].fragment);
            let missing = fragment.filter(|fragment| !fragment.has_metadata());
            let Some(missing) = missing else { continue };
            if fragments.iter().all(|known| !std::ptr::eq(*known, missing)) {
                fragments.push(missing);
            }
            if fragments.len() == REMOTE_FRAGMENTS {
                break;
            }
        }
        Fragment::load_metadata(&fragments)
    }
}
