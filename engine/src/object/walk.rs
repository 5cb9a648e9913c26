//! Objects at URIs: their types, and recursive listings of arrays and groups. Folders that are
//! neither are not searched.
//!
//! A folder with schemas, or with the single schema of old arrays, is an array; one with the
//! details of a group, or the mark of old groups, is a group.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::array;
use crate::error::{Error, ObjectError, Result};
use crate::format::names::folders;
use crate::types::{ObjectType, WalkOrder};
use crate::vfs::{Entry, EntryKind, StorageView, Uri, Vfs, is_temporary};

/// A callback for each object. Its result can end the listing.
pub type ObjectVisit<'a> = dyn FnMut(&Uri, ObjectType) -> Result<ControlFlow<()>> + 'a;

/// Visits the arrays and groups directly in the folder `path`, sorted by name. A missing folder has
/// none. Returns an error if `path` is not a URI or `visit` fails.
pub fn list(vfs: &Arc<Vfs>, path: &str, visit: &mut ObjectVisit<'_>) -> Result<()> {
    let folder = parse(path)?;
    let view = vfs.snapshot_all(&folder)?;
    list_typed(&view, &folder, &accessible_object_type, visit)
}

/// Visits the objects directly in a folder as [`list`] does. `type_of` returns their types.
pub fn list_typed(
    view: &StorageView,
    folder: &Uri,
    type_of: &TypeOf<'_>,
    visit: &mut ObjectVisit<'_>,
) -> Result<()> {
    for entry in folders(view, folder)? {
        let uri = folder.join(&entry.name);
        let kind = type_of(view, &uri)?;
        if kind != ObjectType::Invalid && visit(&uri, kind)? == ControlFlow::Break(()) {
            return Ok(());
        }
    }
    Ok(())
}

/// Visits the arrays and groups in the folder `path` and in these objects, sorted by name; each
/// before or after its contents. A missing folder has none. Returns an error if `path` is not a URI
/// or `visit` fails.
pub fn walk(
    vfs: &Arc<Vfs>,
    path: &str,
    order: WalkOrder,
    visit: &mut ObjectVisit<'_>,
) -> Result<()> {
    let root = parse(path)?;
    let view = vfs.snapshot_all(&root)?;
    walk_typed(&view, root, order, &accessible_object_type, visit)
}

/// Visits the objects below a folder as [`walk`] does. `type_of` returns their types.
pub fn walk_typed(
    view: &StorageView,
    root: Uri,
    order: WalkOrder,
    type_of: &TypeOf<'_>,
    visit: &mut ObjectVisit<'_>,
) -> Result<()> {
    // An explicit stack: groups may nest to any depth.
    let mut open = vec![Level::of(view, root, ObjectType::Invalid, false)?];
    while let Some(level) = open.last_mut() {
        let Some(entry) = level.left.next() else {
            let done = open
                .pop()
                .filter(|_| order == WalkOrder::Postorder && !open.is_empty());
            if let Some(level) = done
                && visit(&level.folder, level.kind)? == ControlFlow::Break(())
            {
                return Ok(());
            }
            continue;
        };
        let uri = level.folder.join(&entry.name);
        let kind = type_of(view, &uri)?;
        // Nested links may form cycles.
        if kind == ObjectType::Invalid || (entry.link && level.in_link) {
            continue;
        }
        let in_link = entry.link || level.in_link;
        if order == WalkOrder::Preorder && visit(&uri, kind)? == ControlFlow::Break(()) {
            return Ok(());
        }
        open.push(Level::of(view, uri, kind, in_link)?);
    }
    Ok(())
}

/// A folder on the current path.
struct Level {
    folder: Uri,
    kind: ObjectType,
    /// Whether a symbolic link led here.
    in_link: bool,
    left: std::vec::IntoIter<Entry>,
}

impl Level {
    fn of(view: &StorageView, folder: Uri, kind: ObjectType, in_link: bool) -> Result<Self> {
        let left = folders(view, &folder)?.into_iter();
        Ok(Self {
            folder,
            kind,
            in_link,
            left,
        })
    }
}

/// Returns the folders in a folder, except those with temporary names.
fn folders(view: &StorageView, folder: &Uri) -> Result<Vec<Entry>> {
    let mut entries = view.list(folder)?;
    entries.retain(|entry| entry.kind == EntryKind::Directory && !is_temporary(&entry.name));
    Ok(entries)
}

fn parse(path: &str) -> Result<Uri> {
    Uri::parse(path).map_err(|_| Error::from(ObjectError::BadWalk { path: path.into() }))
}

/// A function that returns the type of the object at a URI.
pub(super) type TypeOf<'a> = dyn Fn(&StorageView, &Uri) -> Result<ObjectType> + 'a;

/// Returns the type of the object at `uri`. A missing folder, or one of another kind, is not an
/// error. An array needs one storage call, because programs query many.
pub fn object_type(view: &StorageView, uri: &Uri) -> Result<ObjectType> {
    if view.vfs.is_object_store(uri) {
        return type_on_object_store(view, uri);
    }
    let has = |folder, file| -> Result<bool> {
        Ok(view.is_dir(&uri.join(folder))? || view.is_file(&uri.join(file))?)
    };
    if has(folders::SCHEMAS, folders::ROOT_SCHEMA)? {
        return Ok(ObjectType::Array);
    }
    if has(folders::GROUP_DETAILS, folders::GROUP_FILE)? {
        return Ok(ObjectType::Group);
    }
    Ok(ObjectType::Invalid)
}

/// Returns the type of the object at `uri` for a program that asks for it or lists a folder: local
/// folders that the user may not search are not objects, as for libtiledb.
pub fn accessible_object_type(view: &StorageView, uri: &Uri) -> Result<ObjectType> {
    view.vfs
        .unless_denied(uri, object_type(view, uri), ObjectType::Invalid)
}

fn type_on_object_store(view: &StorageView, uri: &Uri) -> Result<ObjectType> {
    if array::has_complete_schemas(&view.list(&uri.join(folders::SCHEMAS))?) {
        return Ok(ObjectType::Array);
    }
    let entries = view.list_own(uri)?;
    let has = |kind, name| {
        entries
            .iter()
            .any(|entry| entry.kind == kind && entry.name == name)
    };
    if has(EntryKind::File, folders::ROOT_SCHEMA) {
        return Ok(ObjectType::Array);
    }
    let has_details = has(EntryKind::Directory, folders::GROUP_DETAILS);
    if has_details || has(EntryKind::File, folders::GROUP_FILE) {
        return Ok(ObjectType::Group);
    }
    Ok(ObjectType::Invalid)
}

/// Parses the path of an object. `which` is the word before the path in errors: "to " for a target.
pub(super) fn parse_path(action: &'static str, which: &'static str, path: &str) -> Result<Uri> {
    Uri::parse(path).map_err(|_| {
        Error::from(ObjectError::BadUri {
            action,
            which,
            path: path.into(),
        })
    })
}
