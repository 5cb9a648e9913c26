//! Checks of arrays: schemas, commits, deletes, metadata, consolidated files, fragments, and
//! remains.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::fragment;
use super::report::{Finding, FindingReport, Severity};
use crate::array::{
    ArrayFiles, MetadataFolder, key, label_folders, load_enumeration, read_metadata_file,
};
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::format::fragment::read_consolidated;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::fragment::Fragment;
use crate::maintenance::{self, RemainsAction, RemainsAge};
use crate::tile::generic;
use crate::vfs::{EntryKind, Uri, Vfs, is_temporary, last_component};

/// The number of attempts to find remains. One fails if another process removes a listed file.
const REMAINS_ATTEMPTS: u32 = 4;

/// Checks an array and the arrays of its labels.
pub(super) fn check(
    vfs: &Arc<Vfs>,
    array: &Uri,
    config: &Config,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    check_own(vfs, array, config, report)?;
    let labels: HashSet<Uri> = report
        .value(array, label_folders(&vfs.view(), array, config))?
        .unwrap_or_default()
        .into_iter()
        .collect();
    for label in labels {
        if vfs.is_dir(&label)? {
            check_own(vfs, &label, config, report)?;
        } else {
            let problem = "the array of a dimension label does not exist";
            report.add(&Finding::new(Severity::Error, &label, problem))?;
        }
    }
    Ok(())
}

fn check_own(
    vfs: &Arc<Vfs>,
    array: &Uri,
    config: &Config,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    let files = ArrayFiles::list(vfs, array, config);
    let Some(files) = report.value(array, files)? else {
        return Ok(());
    };
    // With a wrong key, nothing can be said about the files.
    files.check_key()?;
    check_schemas(vfs, array, &files, report)?;
    for (uri, read) in files.deletes()? {
        report.files(1);
        report.value(&uri, read)?;
    }
    let fragments = check_fragments(&vfs.context, &files, report)?;
    check_consolidated_footers(vfs, array, &files, &fragments, report)?;
    check_metadata(vfs, array, config, report)?;
    check_names(vfs, array, report)?;
    check_remains(vfs, array, config, report)
}

/// Reads all schemas and their enumerations.
fn check_schemas(
    vfs: &Arc<Vfs>,
    array: &Uri,
    files: &ArrayFiles,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    for (uri, schema) in files.schemas()? {
        report.files(1);
        let Some(schema) = report.value(&uri, schema)? else {
            continue;
        };
        for path in &schema.enumerations {
            report.files(1);
            let loaded = load_enumeration(vfs, array, files.key.as_ref(), &schema, &path.name);
            report.value(&uri, loaded)?;
        }
    }
    Ok(())
}

/// Checks all committed fragments; returns those that can be opened.
fn check_fragments(
    context: &Context,
    files: &ArrayFiles,
    report: &mut FindingReport<'_>,
) -> Result<Vec<Arc<Fragment>>> {
    let mut fragments = Vec::new();
    let all = files.fragments()?;
    let opened = all.iter().filter_map(|(_, opened)| opened.as_ref().ok());
    let tiles = opened.map(fragment::tile_num).fold(0, u64::saturating_add);
    context.progress("tiles", |progress| progress.total += tiles)?;
    for (uri, opened) in all {
        report.files(1);
        match opened {
            Err(error) if error.is_missing() && files.is_removed(&uri)? => continue,
            opened => {
                if let Some(fragment) = report.value(&uri, opened)? {
                    let fragment = Arc::new(fragment);
                    fragment::check(&fragment, files, report)?;
                    fragments.push(fragment);
                }
            }
        }
    }
    Ok(fragments)
}

/// Returns the files with consolidated footers.
fn consolidated_footers(vfs: &Vfs, array: &Uri) -> Result<Vec<Uri>> {
    let mut files = Vec::new();
    for folder in [&array.join(folders::FRAGMENT_META), array] {
        let entries = vfs.list(folder)?.into_iter();
        files.extend(
            entries
                .filter(|entry| {
                    entry.kind == EntryKind::File
                        && entry.name.ends_with(folders::CONSOLIDATED_META)
                })
                .map(|entry| folder.join(&entry.name)),
        );
    }
    Ok(files)
}

/// Compares consolidated footers with those in the files of the fragments.
fn check_consolidated_footers(
    vfs: &Arc<Vfs>,
    array: &Uri,
    files: &ArrayFiles,
    fragments: &[Arc<Fragment>],
    report: &mut FindingReport<'_>,
) -> Result<()> {
    let by_name: HashMap<&str, &Fragment> = fragments
        .iter()
        .map(|fragment| (fragment.name().as_str(), &**fragment))
        .collect();
    // Before format 12 the files are in the folder of the array.
    for uri in consolidated_footers(vfs, array)? {
        report.files(1);
        let read = generic::read(&vfs.view(), &uri, files.key.as_ref());
        let Some(record) = report.value_if_present(&uri, read)? else {
            continue;
        };
        let read = read_consolidated(&record).map_err(|error| error.with_uri(&uri));
        for (name, footer) in report.value(&uri, read)?.unwrap_or_default() {
            let name = last_component(name);
            let fragment = by_name.get(name);
            let Some(own_footer) = fragment.and_then(|fragment| fragment.footer_bytes().ok())
            else {
                continue;
            };
            if !footer.starts_with(&own_footer) {
                let problem = format!("the footer of fragment {name} differs from its own");
                report.add(&Finding::new(Severity::Error, &uri, problem))?;
            }
        }
    }
    Ok(())
}

/// Reads all metadata files of an array or group.
pub(super) fn check_metadata(
    vfs: &Arc<Vfs>,
    object: &Uri,
    config: &Config,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    let key = key::of_config_or_context(vfs, config)?;
    let folder = object.join(folders::METADATA);
    let listed = MetadataFolder::read(&vfs.view(), object, None);
    report.value_if_present(&folder, listed)?;
    for entry in vfs.list(&folder)? {
        if FragmentName::with_suffix(&entry.name, "").is_none() {
            continue;
        }
        report.files(1);
        let uri = folder.join(&entry.name);
        report.value_if_present(&uri, read_metadata_file(&vfs.view(), &uri, key.as_ref()))?;
    }
    Ok(())
}

/// Reports names in the folders of an array that do not belong to the format.
fn check_names(vfs: &Vfs, array: &Uri, report: &mut FindingReport<'_>) -> Result<()> {
    const SUFFIXES: [&str; 9] = [
        "",
        folders::WRITE,
        folders::OK,
        folders::DELETE,
        folders::UPDATE,
        folders::CONSOLIDATED_COMMITS,
        folders::IGNORE,
        folders::VACUUM,
        folders::CONSOLIDATED_META,
    ];
    const OWN: [&str; 9] = [
        folders::SCHEMAS,
        folders::COMMITS,
        folders::FRAGMENTS,
        folders::METADATA,
        folders::FRAGMENT_META,
        folders::LABELS,
        folders::PENDING,
        folders::ROOT_SCHEMA,
        folders::LOCK,
    ];
    let is_known = |name: &str| {
        SUFFIXES
            .iter()
            .any(|suffix| FragmentName::with_suffix(name, suffix).is_some())
            || is_temporary(name)
    };
    let folders_with_names = [folders::COMMITS, folders::FRAGMENTS, folders::FRAGMENT_META];
    let listed = folders_with_names.map(|name| array.join(name));
    check_root_fragments(vfs, array, report)?;
    for folder in listed.iter().chain([array]) {
        for entry in vfs.list(folder)? {
            let is_array_entry = OWN.contains(&entry.name.as_str())
                && (folder == array || entry.name == folders::PENDING);
            if !is_array_entry && !is_known(&entry.name) {
                let problem = "the name does not belong to the format; readers ignore it";
                report.add(&Finding::new(
                    Severity::Note,
                    &folder.join(&entry.name),
                    problem,
                ))?;
            }
        }
    }
    Ok(())
}

/// Reports folders of fragments before format 5 that readers ignore, because the file is missing
/// that commits these fragments.
fn check_root_fragments(vfs: &Vfs, array: &Uri, report: &mut FindingReport<'_>) -> Result<()> {
    for entry in vfs.list(array)? {
        let name = FragmentName::with_suffix(&entry.name, "");
        let is_old = name.is_some_and(|name| name.version() < v::OK_FILES);
        let uri = array.join(&entry.name);
        let metadata = uri.join(folders::FRAGMENT_METADATA_FILE);
        if is_old && entry.kind == EntryKind::Directory && !vfs.is_file(&metadata)? {
            let problem = "the fragment has no metadata; readers ignore it";
            report.add(&Finding::new(Severity::Note, &uri, problem))?;
        }
    }
    Ok(())
}

/// Reports what [`super::clean`] would remove.
pub(super) fn check_remains(
    vfs: &Arc<Vfs>,
    object: &Uri,
    config: &Config,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    let mut remains = Vec::new();
    let mut found = Ok(());
    for _ in 0..REMAINS_ATTEMPTS {
        remains.clear();
        let action = RemainsAction::Report;
        found = maintenance::sweep_remains(&vfs.view(), object, config, action, &mut |uri, age| {
            remains.push((uri.clone(), age));
            Ok(())
        });
        if !found.as_ref().is_err_and(Error::is_missing) {
            break;
        }
    }
    for (uri, age) in remains {
        let (severity, problem) = match age {
            RemainsAge::Removable => (
                Severity::Remains,
                "a killed process left it; no reader sees it",
            ),
            RemainsAge::TooYoung => (
                Severity::Note,
                "it is not committed, and no reader sees it: its writer is running or was killed",
            ),
        };
        report.add(&Finding::new(severity, &uri, problem))?;
    }
    if let Err(error) = found
        && let Some(finding) = Finding::of_error(error, object)?
        && !report.has_error(&finding.uri)
    {
        report.add(&finding)?;
    }
    Ok(())
}
