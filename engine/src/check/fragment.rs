//! Checks of fragments: the files of its folder, the R-tree, and the tiles of each field.

use std::collections::HashMap;
use std::sync::Arc;

use super::order::OrderCheck;
use super::report::{Finding, FindingReport, Severity};
use super::tile::{FieldCheck, contains};
use crate::array::ArrayFiles;
use crate::error::Result;
use crate::format::fragment::RTree;
use crate::format::names::{
    COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS, folders,
};
use crate::fragment::{FieldTiles, FilePart, Fragment};
use crate::schema::{Dimension, StoredField};
use crate::types::Range;
use crate::vfs::Entry;

/// The number of tiles whose findings are collected before they are reported.
const TILES_PER_STEP: u64 = 1024;

/// Returns the number of tiles to check in a fragment: those of each field, and those whose cells
/// are in order.
pub(super) fn tile_num(fragment: &Fragment) -> u64 {
    let fields = stored_fields(fragment).len() + usize::from(!fragment.footer.dense);
    fragment.tile_num.saturating_mul(fields as u64)
}

/// Checks all files of a committed fragment, unless it is no longer one of the array's `all` files.
pub(super) fn check(
    fragment: &Arc<Fragment>,
    all: &ArrayFiles,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    let listed = fragment.vfs.list_with_sizes(fragment.uri());
    let Some(entries) = report.value(fragment.uri(), listed)? else {
        return Ok(());
    };
    let mut files: HashMap<&str, &Entry> = entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry))
        .collect();
    files.remove(folders::FRAGMENT_METADATA_FILE);
    if lacks_bytes(fragment, &files) && all.is_removed(fragment.uri())? {
        return Ok(());
    }
    check_rtree(fragment, report)?;
    let conditions = fragment.processed_conditions().map(drop);
    report.value(fragment.uri(), conditions)?;
    for field in stored_fields(fragment) {
        let opened = FieldTiles::open(fragment, &field);
        if let Some(Some(tiles)) = report.value(fragment.uri(), opened)? {
            check_sizes(fragment, &tiles, &mut files, report)?;
            check_tiles(fragment, &field, tiles, report)?;
        } else {
            let (context, tiles) = (&fragment.vfs.context, fragment.tile_num);
            context.progress("tiles", |progress| progress.done += tiles)?;
        }
    }
    check_order(fragment, report)?;
    for name in files.into_keys() {
        let problem = "the file does not belong to the fragment; readers ignore it";
        report.add(&Finding::new(
            Severity::Note,
            &fragment.uri().join(name),
            problem,
        ))?;
    }
    Ok(())
}

/// Returns whether a file is missing or shorter than the metadata states. A file that is removed
/// during the listing may have no size.
fn lacks_bytes(fragment: &Fragment, files: &HashMap<&str, &Entry>) -> bool {
    let fields = stored_fields(fragment);
    fields
        .iter()
        .filter_map(|field| fragment.slot(&field.name))
        .flat_map(|slot| FilePart::ALL.map(|part| (slot, part)))
        .any(|(slot, part)| {
            let stored = files.get(fragment.file_name(slot, part).as_str());
            stored.map_or(0, |entry| entry.size) < fragment.file_size(slot, part)
        })
}

/// Returns the fields that a fragment stores.
fn stored_fields(fragment: &Fragment) -> Vec<StoredField> {
    let schema = &fragment.schema;
    schema
        .attribute_and_dimension_names()
        .chain([
            COORDINATES,
            TIMESTAMPS,
            DELETE_TIMESTAMPS,
            DELETE_CONDITIONS,
        ])
        .filter(|name| fragment.slot(name).is_some())
        .filter_map(|name| {
            schema
                .stored_field(name)
                .or_else(|| FieldTiles::internal_field(schema, name))
        })
        .collect()
}

/// Compares the sizes of a field's files with the metadata, and removes the files from `files`.
fn check_sizes(
    fragment: &Fragment,
    tiles: &FieldTiles,
    files: &mut HashMap<&str, &Entry>,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    for part in tiles.parts() {
        let name = fragment.file_name(tiles.slot, part);
        let stated = fragment.file_size(tiles.slot, part);
        let stored = files.remove(name.as_str()).map(|entry| entry.size);
        report.files(usize::from(stored.is_some()));
        let (severity, problem) = match stored {
            None if stated > 0 => (Severity::Error, "the file does not exist".to_owned()),
            Some(stored) if stored < stated => {
                let text =
                    format!("the file has {stored} bytes, {stated} according to the metadata");
                (Severity::Error, text)
            }
            Some(stored) if stored > stated => {
                let text =
                    format!("the file has {stored} bytes, {stated} according to the metadata");
                (Severity::Warning, text)
            }
            _ => continue,
        };
        let uri = fragment.uri().join(&name);
        report.add(&Finding::new(severity, &uri, problem))?;
    }
    Ok(())
}

/// Decodes all tiles of a field and compares them with the metadata.
fn check_tiles(
    fragment: &Fragment,
    field: &StoredField,
    tiles: FieldTiles,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    let check = FieldCheck::new(fragment, field, tiles);
    let metadata = fragment.uri().join(folders::FRAGMENT_METADATA_FILE);
    let problem = report.value(&metadata, check.fragment_statistics())?;
    if let Some(problem) = problem.flatten() {
        report.add(&Finding::new(Severity::Error, &metadata, problem))?;
    }
    for_tiles(fragment, |first, number| {
        let context = &fragment.vfs.context;
        let findings = context.map(number, |index| check.tile(first + index as u64))?;
        for finding in findings.iter().flatten() {
            report.add(finding)?;
        }
        report.tiles(number as u64);
        Ok(())
    })
}

/// Checks the order of the cells of a sparse fragment.
fn check_order(fragment: &Arc<Fragment>, report: &mut FindingReport<'_>) -> Result<()> {
    if fragment.footer.dense {
        return Ok(());
    }
    let order = OrderCheck::new(fragment);
    let Some(mut order) = report.value(fragment.uri(), order)? else {
        return Ok(());
    };
    for_tiles(fragment, |first, number| order.tiles(first, number, report))
}

/// Calls `check` with the first of some tiles and their number until all are checked.
fn for_tiles(fragment: &Fragment, mut check: impl FnMut(u64, usize) -> Result<()>) -> Result<()> {
    let mut first = 0;
    while first < fragment.tile_num {
        let number = TILES_PER_STEP.min(fragment.tile_num - first);
        check(first, number as usize)?;
        let context = &fragment.vfs.context;
        context.progress("tiles", |progress| progress.done += number)?;
        first += number;
    }
    Ok(())
}

/// Checks that each node of the R-tree contains those below it, and that the non-empty domain
/// contains all.
fn check_rtree(fragment: &Fragment, report: &mut FindingReport<'_>) -> Result<()> {
    if fragment.footer.dense {
        return Ok(());
    }
    let Some(tree) = report.value(fragment.uri(), fragment.rtree())? else {
        return Ok(());
    };
    let metadata = fragment.uri().join(folders::FRAGMENT_METADATA_FILE);
    let tiles = fragment.tile_num;
    if tree.leaf_num() as u64 != tiles {
        let problem = format!(
            "the R-tree has {} leaves for {tiles} tiles",
            tree.leaf_num()
        );
        return report.add(&Finding::new(Severity::Error, &metadata, problem));
    }
    for problem in rtree_problems(fragment, tree) {
        report.add(&Finding::new(Severity::Error, &metadata, problem))?;
    }
    Ok(())
}

fn rtree_problems(fragment: &Fragment, tree: &RTree) -> Vec<String> {
    let dimensions = &fragment.schema.domain.dimensions;
    let is_inside = |outer: &[Range], inner: &[Range]| {
        dimensions.iter().zip(outer.iter().zip(inner)).clone().all(
            |(dimension, (outer, inner)): (&std::sync::Arc<Dimension>, _)| {
                contains(dimension, outer, inner)
            },
        )
    };
    let mut problems = Vec::new();
    let fanout = tree.fanout.max(1) as usize;
    for (depth, pair) in tree.levels.windows(2).enumerate() {
        for child in 0..pair[1].len() {
            let (parent, node) = (pair[0].mbr(child / fanout), pair[1].mbr(child));
            let (Some(parent), Some(node)) = (parent, node) else {
                problems.push(format!("node {child} of level {} has no parent", depth + 1));
                continue;
            };
            if !is_inside(parent, node) {
                problems.push(format!(
                    "node {child} of level {} of the R-tree is not inside its parent",
                    depth + 1
                ));
            }
        }
    }
    if let Some(domain) = fragment.footer.non_empty_domain.as_ref() {
        for tile in 0..tree.leaf_num() {
            if tree.leaf(tile).is_some_and(|mbr| !is_inside(domain, mbr)) {
                problems.push(format!(
                    "the MBR of tile {tile} is not inside the non-empty domain"
                ));
            }
        }
    }
    problems
}
