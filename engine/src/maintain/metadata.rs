//! Many files of metadata into one, of arrays and of groups.
//!
//! The merged file comes first, then the vacuum file that hides the others behind it. Until that is there, readers apply
//! both, which says the same.

use std::collections::HashSet;

use crate::array::{MetadataRecords, metadata_files, write_metadata_file};
use crate::error::Result;
use crate::format::commits::read_names;
use crate::format::names::{FragmentName, folders};
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{EntryKind, Uri, Vfs};

/// Merges the metadata files of the array or group at `object` that lie in a time range into one, which counts as written
/// from the first to the last of them. Nothing where there is only one. `absolute`: whether the vacuum file names the
/// others by URI, as readers of groups and of arrays up to format 18 need it.
pub fn consolidate_metadata(
    vfs: &Vfs,
    object: &Uri,
    timestamps: TimeRange,
    absolute: bool,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    // What a file with a wider span replaced already must not come back behind it.
    let always = TimeRange {
        start: 0,
        end: Timestamp::MAX,
    };
    let current: HashSet<Uri> = metadata_files(vfs, object, always)?.into_iter().collect();
    let mut files = metadata_files(vfs, object, timestamps)?;
    files.retain(|file| current.contains(file));
    let spans = files
        .iter()
        .filter_map(|file| FragmentName::parse(file.name()))
        .map(|name| name.timestamps());
    let span = spans.reduce(|a, b| TimeRange {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    });
    let (Some(span), true) = (span, files.len() > 1) else {
        return Ok(());
    };
    // A deletion means something only to files that stay.
    let all_merged = current.len() == files.len();
    let records = MetadataRecords::load(vfs, &files, key)?;
    let merged = records.merged()?.into_iter();
    let entries = merged.filter(|entry| entry.value.is_some() || !all_merged);
    let written = write_metadata_file(vfs, object, span, entries, key)?;
    let mut names = String::new();
    for file in &files {
        match absolute {
            true => names.push_str(file.as_str()),
            false => {
                names.push('/');
                names.push_str(folders::METADATA);
                names.push('/');
                names.push_str(file.name());
            }
        }
        names.push('\n');
    }
    let list =
        object
            .join(folders::METADATA)
            .join(&format!("{}{}", written.name(), folders::VACUUM));
    vfs.write_all(&list, names.as_bytes())
}

/// Removes the metadata files of the array or group at `object` that were merged, and then the lists of them.
pub fn vacuum_metadata(vfs: &Vfs, object: &Uri) -> Result<()> {
    let folder = object.join(folders::METADATA);
    let entries = vfs.list(&folder)?;
    let there: HashSet<&str> = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .map(|entry| entry.name.as_str())
        .collect();
    let lists = entries.iter().filter(|entry| {
        entry.name.ends_with(folders::VACUUM) && FragmentName::parse(&entry.name).is_some()
    });
    let mut removed = HashSet::new();
    for list in lists {
        let uri = folder.join(&list.name);
        let bytes = vfs.read_all(&uri)?;
        for name in read_names(&bytes).map_err(|error| error.at(&uri))? {
            if there.contains(name) && removed.insert(name.to_owned()) {
                vfs.remove_file(&folder.join(name))?;
            }
        }
        vfs.remove_file(&uri)?;
    }
    Ok(())
}
