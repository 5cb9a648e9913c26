//! Checks of groups: the files that list members, metadata, and the members.

use std::collections::HashSet;
use std::sync::Arc;

use super::array;
use super::report::{Finding, FindingReport, Severity};
use crate::config::Config;
use crate::error::Result;
use crate::group::{Group, detail_files};
use crate::object::object_type;
use crate::types::{ObjectType, QueryType};
use crate::vfs::{Uri, Vfs};

/// Checks a group and its members, and the members of member groups.
pub(super) fn check(
    vfs: &Arc<Vfs>,
    root: &Uri,
    config: &Config,
    report: &mut FindingReport<'_>,
) -> Result<()> {
    // Groups may form cycles.
    let mut seen = HashSet::from([root.clone()]);
    let mut open = vec![root.clone()];
    while let Some(group) = open.pop() {
        for member in check_group(vfs, &group, config, report)? {
            if !seen.insert(member.clone()) {
                continue;
            }
            let Some(kind) = report.value(&member, object_type(&vfs.view(), &member))? else {
                continue;
            };
            match kind {
                ObjectType::Array => array::check(vfs, &member, config, report)?,
                ObjectType::Group => open.push(member),
                ObjectType::Invalid => {
                    let problem = format!("a member of the group '{group}' does not exist");
                    report.add(&Finding::new(Severity::Warning, &member, problem))?;
                }
            }
        }
    }
    Ok(())
}

/// Checks the files of a group and returns its members.
fn check_group(
    vfs: &Arc<Vfs>,
    group: &Uri,
    config: &Config,
    report: &mut FindingReport<'_>,
) -> Result<Vec<Uri>> {
    let mut damaged = false;
    for (uri, read) in detail_files(vfs, group, config)? {
        report.files(1);
        damaged |= report.value(&uri, read)?.is_none();
    }
    array::check_metadata(vfs, group, config, report)?;
    array::check_remains(vfs, group, config, report)?;
    if damaged {
        return Ok(Vec::new());
    }
    let handle = Group::new(vfs, group.as_str())?;
    handle.set_config(config)?;
    let opened = handle.open(QueryType::Read);
    if report.value(group, opened)?.is_none() {
        return Ok(Vec::new());
    }
    let members = (0..handle.member_count()?).map(|index| handle.member_at(index));
    let mut uris = Vec::new();
    for member in members {
        uris.extend(report.value(group, Uri::parse(&member?.uri))?);
    }
    Ok(uris)
}
