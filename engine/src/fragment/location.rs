//! The folder of a fragment.

use crate::format::names::FragmentName;
use crate::platform::lock::OnceValue;
use crate::vfs::Uri;

/// The folder of a fragment. Its URI is made when it is first needed: most opens of many fragments
/// use few of their files.
#[derive(Clone, Debug)]
pub struct FragmentLocation {
    /// The folder that contains the fragment's.
    parent: Uri,
    name: FragmentName,
    uri: OnceValue<Uri>,
}

impl FragmentLocation {
    /// Returns the location of the fragment with a name in the folder `parent`.
    pub fn new(parent: &Uri, name: FragmentName) -> Self {
        Self {
            parent: parent.clone(),
            name,
            uri: OnceValue::new(),
        }
    }

    /// Returns the location of the fragment in the folder `uri`.
    pub fn of_folder(uri: Uri, name: FragmentName) -> Self {
        Self {
            parent: uri.parent().unwrap_or_else(|| uri.clone()),
            name,
            uri: OnceValue::from(uri),
        }
    }

    /// Returns the URI of the fragment's folder.
    pub fn uri(&self) -> &Uri {
        self.uri
            .get_or_init(|| self.parent.join(self.name.as_str()))
    }

    /// Returns the URI of a file in the fragment's folder. The URI of the folder is not made.
    pub(super) fn file_uri(&self, file: &str) -> Uri {
        match self.uri.get() {
            Some(uri) => uri.join(file),
            None => self.parent.join(&self.path_of(file)),
        }
    }

    /// Returns the path of a file in the fragment's folder, relative to the folder above.
    pub(super) fn path_of(&self, file: &str) -> String {
        [self.name.as_str(), "/", file].concat()
    }

    /// Returns whether the fragment's folder is directly in `folder`.
    pub(super) fn is_in(&self, folder: &Uri) -> bool {
        self.parent == *folder
    }

    /// Returns the name of the fragment's folder.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// Returns whether both are the same folder.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.parent == other.parent
    }
}
