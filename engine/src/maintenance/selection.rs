//! Selects the next fragments to merge: consecutive in time, as many as possible, the smallest of
//! those.

use crate::config::{Config, UNUSED_WEIGHTS};
use crate::error::{MaintenanceError, Result};
use crate::fragment::Fragment;
use crate::geometry::{CellBox, TileGrid};
use crate::schema::ArraySchema;
use crate::types::NdRange;

/// A fragment of the array.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The size in bytes.
    pub(super) size: u64,
    pub(super) domain: NdRange,
    /// Whether it may be merged. Others separate those that may.
    pub(super) is_eligible: bool,
}

/// The parameters `sm.consolidation.*` for the selection.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelectionRules {
    /// The maximum number of steps.
    pub(super) steps: u32,
    min: u32,
    max: u32,
    /// The minimum ratio of the sizes of consecutive fragments.
    ratio: f32,
    /// The maximum ratio of the number of cells of a consolidated dense fragment to that of its
    /// inputs.
    amplification: f32,
}

impl SelectionRules {
    pub(super) fn from_config(config: &Config) -> Result<Self> {
        for unused in UNUSED_WEIGHTS {
            config.u64(unused)?;
        }
        let choice = Self {
            // libtiledb does one step before it compares their number.
            steps: config.u32("sm.consolidation.steps")?.max(1),
            min: config.u32("sm.consolidation.step_min_frags")?,
            max: config.u32("sm.consolidation.step_max_frags")?,
            ratio: config.f32("sm.consolidation.step_size_ratio")?,
            amplification: config.f32("sm.consolidation.amplification")?,
        };
        if choice.min > choice.max {
            return Err(MaintenanceError::MinAboveMax.into());
        }
        if !(0.0..=1.0).contains(&choice.ratio) {
            return Err(MaintenanceError::BadStepRatio.into());
        }
        if choice.amplification.is_nan() || choice.amplification < 0.0 {
            return Err(MaintenanceError::BadAmplification.into());
        }
        Ok(choice)
    }

    /// Returns the indexes of the next fragments, or `None` if nothing is left to merge. `before`
    /// are the domains of the fragments that are older than all candidates.
    pub(super) fn next(
        &self,
        schema: &ArraySchema,
        candidates: &[Candidate],
        before: &[NdRange],
    ) -> Option<std::ops::Range<usize>> {
        let number = candidates.len();
        let clamp = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX).min(number);
        let (min, max) = (clamp(self.min), clamp(self.max));
        let sums: Vec<u64> = std::iter::once(0)
            .chain(candidates.iter().scan(0u64, |sum, candidate| {
                *sum = sum.saturating_add(candidate.size);
                Some(*sum)
            }))
            .collect();
        let domains = FragmentDomains::new(schema, candidates, before);
        // The number of fragments that can be merged, by first fragment; computed on demand.
        let mut reach: Vec<Option<usize>> = vec![None; number];
        for count in (min.max(2)..=max).rev() {
            let mut best: Option<(u64, usize)> = None;
            for first in 0..=number - count {
                let most = *reach[first].get_or_insert_with(|| {
                    let end = first.saturating_add(max).min(number);
                    self.reach(&domains, &candidates[..end], first)
                });
                if most < count {
                    continue;
                }
                let size = sums[first + count] - sums[first];
                // A later batch must be much smaller, so that batches of similar size are merged
                // from the oldest on.
                if best.is_none_or(|(least, _)| (size as f64) < least as f64 / 1.25) {
                    best = Some((size, first));
                }
            }
            if let Some((_, first)) = best {
                return Some(first..first + count);
            }
        }
        None
    }

    /// Returns the number of fragments that can be merged into one, starting with `first`.
    fn reach(
        &self,
        domains: &FragmentDomains<'_>,
        candidates: &[Candidate],
        first: usize,
    ) -> usize {
        if !candidates[first].is_eligible {
            return 0;
        }
        let schema = domains.schema;
        let mut union = candidates[first].domain.clone();
        let mut sum = cell_num(schema, &candidates[first].domain);
        for index in first + 1..candidates.len() {
            let (last, next) = (&candidates[index - 1], &candidates[index]);
            let (small, large) = (last.size.min(next.size), last.size.max(next.size));
            if !next.is_eligible || (small as f32 / large.max(1) as f32) < self.ratio {
                return index - first;
            }
            if !schema.is_dense() {
                continue;
            }
            schema.domain.expand(&mut union, &next.domain);
            sum += cell_num(schema, &next.domain);
            // Cells that none of them contains would hide those of older fragments.
            if domains.hides_older(&union, first)
                || plain_cell_num(schema, &union) / sum > f64::from(self.amplification)
            {
                return index - first;
            }
        }
        candidates.len() - first
    }
}

/// The domains of fragments as boxes, which are compared many times; none of a sparse array.
struct FragmentDomains<'a> {
    schema: &'a ArraySchema,
    grid: Option<TileGrid>,
    /// The boxes of the fragments older than all candidates, followed by those of the candidates.
    boxes: Vec<Option<CellBox>>,
    older_num: usize,
}

impl<'a> FragmentDomains<'a> {
    fn new(schema: &'a ArraySchema, candidates: &[Candidate], before: &[NdRange]) -> Self {
        let grid = TileGrid::new(schema).ok();
        let domains = candidates.iter().map(|candidate| &candidate.domain);
        let boxes = before
            .iter()
            .chain(domains)
            .filter(|_| schema.is_dense())
            .map(|domain| grid.as_ref().and_then(|grid| grid.to_box(schema, domain)))
            .collect();
        Self {
            schema,
            boxes,
            older_num: before.len(),
            grid,
        }
    }

    /// Returns whether a domain overlaps a fragment that is older than the candidate `first`.
    fn hides_older(&self, domain: &NdRange, first: usize) -> bool {
        let older = &self.boxes[..self.older_num + first];
        let grid = self.grid.as_ref();
        let Some(domain) = grid.and_then(|grid| grid.to_box(self.schema, domain)) else {
            return !older.is_empty();
        };
        let mut older = older.iter();
        older.any(|older| older.as_ref().is_none_or(|older| domain.overlaps(older)))
    }
}

/// Returns the non-empty domain of a fragment; empty without one.
pub(super) fn domain_of(fragment: &Fragment) -> NdRange {
    fragment
        .footer
        .non_empty_domain
        .as_ref()
        .cloned()
        .unwrap_or_default()
}

/// Returns whether two domains of a dense array have a cell in common.
pub(super) fn overlap(schema: &ArraySchema, one: &NdRange, other: &NdRange) -> bool {
    let boxes = TileGrid::new(schema)
        .ok()
        .and_then(|grid| Some((grid.to_box(schema, one)?, grid.to_box(schema, other)?)));
    boxes.is_none_or(|(one, other)| one.overlaps(&other))
}

/// Returns the number of cells of a domain of a dense array as a floating-point number.
fn plain_cell_num(schema: &ArraySchema, domain: &NdRange) -> f64 {
    let cells = TileGrid::new(schema)
        .ok()
        .and_then(|grid| grid.to_box(schema, domain));
    cells.map_or(f64::INFINITY, |cells| {
        (0..cells.dim_num())
            .map(|dim| cells.len(dim) as f64)
            .product()
    })
}

/// Returns the number of cells of the tiles that a domain overlaps, as they are stored, or of the
/// domain itself if the array has a current domain.
fn cell_num(schema: &ArraySchema, domain: &NdRange) -> f64 {
    if schema.current_domain.is_some() {
        return plain_cell_num(schema, domain);
    }
    let Ok(grid) = TileGrid::new(schema) else {
        return 0.0;
    };
    let Some(cells) = grid.to_box(schema, domain) else {
        return 0.0;
    };
    let (tiles, shape) = (grid.tiles(&cells), grid.tile_shape());
    (0..tiles.dim_num())
        .map(|dim| tiles.len(dim) as f64 * shape[dim] as f64)
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Dimension, DomainDraft, SchemaDraft, shared};
    use crate::types::{ArrayType, Datatype, Range};

    fn schema() -> ArraySchema {
        let bounds: Vec<u8> = [0i64, 1 << 40]
            .iter()
            .flat_map(|end| end.to_le_bytes())
            .collect();
        let extent = 10i64.to_le_bytes();
        let dimension = Dimension::new("x", Datatype::Int64, Some(&bounds), Some(&extent));
        let dimensions = vec![shared(dimension.expect("a dimension"))];
        let mut draft = SchemaDraft::new(ArrayType::Dense, None);
        draft
            .set_domain(&shared(DomainDraft { dimensions }))
            .expect("a domain");
        draft.snapshot()
    }

    /// Returns a fragment of one tile.
    fn tile(index: i64) -> Candidate {
        Candidate {
            size: 100,
            domain: vec![Range::of(10 * index, 10 * index + 9)],
            is_eligible: true,
        }
    }

    fn rules(max: u32) -> SelectionRules {
        SelectionRules {
            steps: 1,
            min: 1,
            max,
            ratio: 0.0,
            amplification: 100.0,
        }
    }

    #[test]
    fn fragments_are_not_merged_over_an_older_one() {
        let schema = schema();
        let mut candidates = [tile(5), tile(0), tile(1), tile(9)];
        let next = |candidates: &[Candidate], max, before: &[NdRange]| {
            rules(max).next(&schema, candidates, before)
        };
        assert_eq!(next(&candidates, u32::MAX, &[]), Some(0..4));
        assert_eq!(next(&candidates, 2, &[]), Some(0..2));
        candidates[0].is_eligible = false;
        assert_eq!(next(&candidates, u32::MAX, &[]), Some(1..3));
        let before = [tile(1).domain];
        assert_eq!(next(&candidates, u32::MAX, &before), None);
        assert_eq!(next(&candidates[2..], u32::MAX, &before), None);
        assert_eq!(
            next(&candidates[2..], u32::MAX, &[tile(0).domain]),
            Some(0..2)
        );
    }
}
