//! Look-ups of local files in folders that the user may not search.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use super::helpers::uri;
use crate::config::Config;
use crate::context::Context;
use crate::platform;
use crate::vfs::Vfs;

#[test]
fn what_is_in_a_folder_without_permission_to_search_is_not_missing() {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let temporary = tempfile::tempdir().expect("folder");
    let folder = uri(temporary.path().to_str().expect("path"));
    let closed = folder.join("closed");
    let file = closed.join("file");
    vfs.create_dir(&closed).expect("creates");
    std::fs::write(file.path(), "").expect("a file");
    for (path, mode) in [(folder.path(), 0o755), (closed.path(), 0o644)] {
        set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
    }
    assert!(platform::in_unprivileged_child(|| {
        vfs.is_file(&file).is_err()
            && vfs.is_dir(&file).is_err()
            && vfs.is_same(&file, &folder).is_err()
            && matches!(vfs.is_accessible_file(&file), Ok(false))
            && matches!(vfs.is_accessible_dir(&file), Ok(false))
    }));
}
