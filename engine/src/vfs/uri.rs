//! URIs of objects, and paths converted to URIs.
//!
//! A path becomes "file:///..." without "." and ".."; a URI with a known scheme stays as it is. A
//! slash at the end of either stays: programs read their own text back.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result, VfsError};
use crate::platform;

const FILE: &str = "file://";
const MEMORY: &str = "mem://";

/// The storage backend of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// The local file system.
    File,
    /// The memory of one [`super::Vfs`].
    Memory,
    /// Amazon S3 and compatible services.
    S3,
    /// Azure blobs.
    Azure,
    /// Google cloud storage.
    Gcs,
    /// A TileDB server.
    TileDb,
}

impl Scheme {
    /// All schemes, in their order.
    pub(super) const ALL: [Self; 6] = [
        Self::File,
        Self::Memory,
        Self::S3,
        Self::Azure,
        Self::Gcs,
        Self::TileDb,
    ];

    /// Returns the scheme of a text if it is known. A text without "://" is a path.
    pub fn of(text: &str) -> Option<Self> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Some(Self::File);
        };
        match scheme {
            "file" if rest.starts_with('/') => Some(Self::File),
            "mem" => Some(Self::Memory),
            "s3" | "http" | "https" => Some(Self::S3),
            "azure" => Some(Self::Azure),
            "gcs" | "gs" => Some(Self::Gcs),
            "tiledb" => Some(Self::TileDb),
            _ => None,
        }
    }

    /// Returns the name of the service of an object store in parameters and URIs. The files of
    /// TileDB servers have the protocol of S3.
    #[cfg(feature = "remote")]
    pub(super) fn service(self) -> &'static str {
        match self {
            Self::Azure => "azure",
            Self::Gcs => "gcs",
            _ => "s3",
        }
    }
}

/// A URI of an object, such as "file:///a/b" or "mem://x/y". Those made from paths are normalised.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uri(Arc<str>);

/// Returns the last component of a URI, path or name, ignoring slashes at its end.
pub fn last_component(text: &str) -> &str {
    text.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default()
}

impl Uri {
    /// Parses a URI, or a path, which is made absolute.
    pub fn parse(text: &str) -> Result<Self> {
        match Scheme::of(text).filter(|_| !text.is_empty() && !text.contains('\0')) {
            None => Err(VfsError::UnsupportedScheme { uri: text.into() }.into()),
            Some(Scheme::File) if !text.starts_with(FILE) => absolute(text),
            Some(_) => Ok(Self(text.into())),
        }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the storage backend.
    pub fn scheme(&self) -> Scheme {
        // Most operations are on local files and look the scheme up several times.
        if self.0.starts_with(FILE) {
            return Scheme::File;
        }
        // Only texts with a known scheme are URIs.
        Scheme::of(&self.0).unwrap_or(Scheme::File)
    }

    /// Returns the URI of `name` in this folder.
    pub fn join(&self, name: &str) -> Self {
        self.object_below(name.trim_start_matches('/'))
    }

    /// Returns the URI of an object below this folder by the rest of its key, which may begin with
    /// a slash.
    pub fn object_below(&self, rest: &str) -> Self {
        let folder = self.trimmed();
        let mut text = String::with_capacity(folder.len() + 1 + rest.len());
        text.push_str(folder);
        text.push('/');
        text.push_str(rest);
        Self(text.into())
    }

    /// Returns the last component, ignoring a trailing slash.
    pub fn name(&self) -> &str {
        self.trimmed().rsplit('/').next().unwrap_or_default()
    }

    /// Returns the parent folder, or `None` for the root of the storage.
    pub fn parent(&self) -> Option<Self> {
        let (folder, name) = self.trimmed().rsplit_once('/')?;
        // "file://" and "mem:/" are not valid URIs.
        (!name.is_empty() && !folder.ends_with('/') && !folder.ends_with(':'))
            .then(|| Self(folder.into()))
    }

    /// Returns the path on the local file system, the part after "mem://", or otherwise the text
    /// itself.
    pub fn path(&self) -> &str {
        self.0
            .strip_prefix(FILE)
            .map(platform::local)
            .or_else(|| self.0.strip_prefix(MEMORY))
            .unwrap_or(&self.0)
    }

    /// Returns the same value for all spellings of a URI with slashes at the end, and of a local
    /// path with `.` and `..`, which are parts of names on other storage.
    pub(crate) fn normalized(&self) -> Self {
        match self.scheme() {
            Scheme::File => absolute(self.path())
                .map_or_else(|_| self.clone(), |uri| Self(uri.trimmed().into())),
            _ => Self(self.trimmed().into()),
        }
    }

    /// Returns the text without trailing slashes, except those of the scheme.
    fn trimmed(&self) -> &str {
        if let Some(path) = self.0.strip_prefix(FILE) {
            let path = path.trim_end_matches('/');
            return &self.0[..FILE.len() + path.len()];
        }
        // The first colon ends the scheme, and a search for one byte is faster than one for three.
        let colon = self.0.bytes().position(|byte| byte == b':');
        let start = match colon {
            Some(colon) if self.0[colon..].starts_with("://") => colon + "://".len(),
            _ => self.0.find("://").map_or(0, |end| end + "://".len()),
        };
        let (scheme, rest) = self.0.split_at(start);
        &self.0[..scheme.len() + rest.trim_end_matches('/').len()]
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the path of a text written as a URI: without the scheme for a local file, unchanged for
/// other known schemes, `None` for an unknown scheme.
pub fn to_path(text: &str) -> Option<&str> {
    Some(match Scheme::of(text)? {
        Scheme::File => text.strip_prefix(FILE).map_or(text, platform::local),
        Scheme::Memory => text.strip_prefix(MEMORY).unwrap_or(text),
        _ => text,
    })
}

/// Returns the URI of a path. Relative paths start at the working directory.
fn absolute(path: &str) -> Result<Uri> {
    let path = &*platform::with_forward_slashes(path);
    let mut parts: Vec<&str> = Vec::new();
    let base;
    if !path.starts_with('/') {
        base = base_folder(path)?;
        parts.extend(base.split('/').filter(|part| !part.is_empty()));
    }
    let below = match path {
        "~" => "",
        _ => path.strip_prefix("~/").unwrap_or(path),
    };
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts
                    .pop()
                    .ok_or_else(|| Error::from(VfsError::AboveRoot { path: path.into() }))?;
            }
            name => parts.push(name),
        }
    }
    let mut text = String::with_capacity(FILE.len() + path.len() + 1);
    text.push_str(FILE);
    for part in &parts {
        text.push('/');
        text.push_str(part);
    }
    if path.ends_with('/') || parts.is_empty() {
        text.push('/');
    }
    Ok(Uri(text.into()))
}

/// Returns the start of a relative path: the home directory for "~", otherwise the working
/// directory.
fn base_folder(path: &str) -> Result<String> {
    let home = (path == "~" || path.starts_with("~/"))
        .then(|| std::env::var(platform::HOME).ok())
        .flatten();
    if let Some(home) = home {
        return Ok(platform::with_forward_slashes(&home).into_owned());
    }
    let current = std::env::current_dir()
        .map_err(|error| Error::storage("find the working directory for", path, error))?;
    match current.to_str() {
        Some(current) => Ok(platform::with_forward_slashes(current).into_owned()),
        None => Err(VfsError::WorkingFolderNotUtf8 { path: path.into() }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str) -> String {
        Uri::parse(path).map_or_else(|error| error.to_string(), |uri| uri.to_string())
    }

    #[test]
    fn paths_become_file_uris_without_dots() {
        let folder = std::env::current_dir().expect("folder");
        let folder = platform::with_forward_slashes(folder.to_str().expect("text"));
        assert_eq!(text("/a/b"), "file:///a/b");
        assert_eq!(text("/a//./b/../c"), "file:///a/c");
        assert_eq!(text("x"), format!("file://{folder}/x"));
        assert_eq!(text("./x/"), format!("file://{folder}/x/"));
        assert_eq!(text("."), format!("file://{folder}"));
        assert_eq!(text("/"), "file:///");
        assert!(text("/..").contains("above the root"));
    }

    #[test]
    fn uris_stay_as_they_are() {
        for uri in [
            "file:///a//b/",
            "mem://x/y",
            "s3://bucket/a",
            "azure://c/a",
            "gcs://b/a",
            "gs://b/a",
            "tiledb://space/a",
            "https://host/b/a",
        ] {
            assert_eq!(text(uri), uri);
        }
    }

    #[test]
    fn unknown_schemes_and_nothing_are_refused() {
        for bad in ["", "foo://x", "file://host/x", "hdfs://x/y", "a\0b"] {
            assert!(Uri::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn normalized_uris_have_no_slash_at_the_end() {
        for (uri, normalized) in [
            ("/a/./b/", "file:///a/b"),
            ("s3://bucket/a/../b//", "s3://bucket/a/../b"),
            ("azure://bucket/", "azure://bucket"),
        ] {
            let uri = Uri::parse(uri).expect("uri");
            assert_eq!(uri.normalized().as_str(), normalized);
        }
    }

    #[test]
    fn parts_join_and_come_apart() {
        let uri = Uri::parse("/a/b/").expect("uri");
        assert_eq!(uri.name(), "b");
        assert_eq!(uri.join("c").as_str(), "file:///a/b/c");
        let parent = uri.parent().expect("parent");
        assert_eq!(parent.as_str(), "file:///a");
        assert_eq!(parent.parent(), None);
        let memory = Uri::parse("mem://x").expect("uri");
        assert_eq!(memory.parent(), None);
        assert_eq!(memory.join("y").as_str(), "mem://x/y");
        assert_eq!(
            Uri::parse("/").expect("root").join("y").as_str(),
            "file:///y"
        );
    }

    #[test]
    fn a_path_loses_its_scheme() {
        assert_eq!(to_path("file:///a/b"), Some("/a/b"));
        assert_eq!(to_path("mem://a"), Some("a"));
        assert_eq!(to_path("s3://a/b"), Some("s3://a/b"));
        assert_eq!(to_path("foo://a"), None);
    }
}
