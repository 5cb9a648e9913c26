//! Profiles: named sets of parameters in a JSON file, so that programs need not contain
//! credentials.
//!
//! The file `profiles.json` of a folder contains all profiles and a version: `{"NAME":
//! {"PARAMETER": "VALUE", …}, "version": 1}`, sorted by name. A profile without parameters is
//! `null`.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::error::{Error, ProfileError, Result};
use crate::platform::{self, DescriptorLock, LockAttempt};
use crate::types::new_uuid;

const FILE: &str = "profiles.json";
/// The default folder, below the home folder.
const FOLDER: &str = ".tiledb/";
const VERSION: u64 = 1;
const DEFAULT_NAME: &str = "default";
/// Larger files are rejected without reading them.
const MAX_SIZE: u64 = 64 << 20;
/// The pause between two attempts to lock the folder.
const PAUSE: Duration = Duration::from_millis(2);
/// The time for which a process waits for others that change the file.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A named set of parameters, in memory until it is saved.
#[derive(Clone)]
pub struct Profile {
    name: String,
    /// The folder, with a trailing slash.
    folder: String,
    parameters: BTreeMap<String, String>,
}

/// Values may be secrets, so they are left out.
impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("name", &self.name)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Profile {
    /// Creates a profile without parameters; reads no file. The default name is "default". The
    /// default folder is the value of `TILEDB_PROFILE_DIR` or `.tiledb` in the home folder. Returns
    /// an error if that is needed and the home folder is unknown.
    pub fn new(name: Option<&str>, folder: Option<&str>) -> Result<Self> {
        let is_given = |text: &&str| !text.is_empty();
        let folder = match folder.filter(is_given) {
            Some(folder) => with_slash(folder),
            None => match std::env::var("TILEDB_PROFILE_DIR") {
                Ok(folder) => with_slash(&folder),
                Err(_) => home_folder()?,
            },
        };
        Ok(Self {
            name: name.filter(is_given).unwrap_or(DEFAULT_NAME).to_owned(),
            folder,
            parameters: BTreeMap::new(),
        })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the folder of the file.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns the value of a parameter.
    pub fn get(&self, parameter: &str) -> Option<&str> {
        self.parameters.get(parameter).map(String::as_str)
    }

    /// Sets a parameter in memory. The name must not be empty.
    pub fn set(&mut self, parameter: &str, value: &str) -> Result<()> {
        if parameter.is_empty() {
            return Err(ProfileError::NoParameterName.into());
        }
        self.parameters
            .insert(parameter.to_owned(), value.to_owned());
        Ok(())
    }

    fn path(&self) -> PathBuf {
        Path::new(&self.folder).join(FILE)
    }

    /// Returns whether the file exists.
    pub(super) fn has_file(&self) -> bool {
        self.path().exists()
    }

    /// Adds the stored parameters, which replace those in memory. Returns an error if the file does
    /// not contain the profile.
    pub fn load(&mut self) -> Result<()> {
        let path = self.path();
        let profiles = read(&path)?.ok_or_else(|| Error::from(ProfileError::NoFile))?;
        let name = &self.name;
        let stored = match profiles.get(name) {
            None => {
                return Err(ProfileError::Missing { name: name.clone() }.into());
            }
            Some(Value::Null) => return Ok(()),
            Some(stored) => stored.as_object(),
        };
        let texts = stored
            .and_then(|stored| {
                stored
                    .iter()
                    .map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                    .collect::<Option<Vec<_>>>()
            })
            .ok_or_else(|| {
                Error::from(ProfileError::NotStrings {
                    name: name.clone(),
                    path: path.display().to_string(),
                })
            })?;
        self.parameters.extend(texts);
        Ok(())
    }

    /// Adds the profile to its file. Returns an error if the file contains it already and
    /// `overwrite` is false.
    pub fn save(&self, overwrite: bool) -> Result<()> {
        let has = |parameter| self.parameters.contains_key(parameter);
        if has("rest.username") != has("rest.password") {
            return Err(ProfileError::HalfCredentials.into());
        }
        let (path, name) = (self.path(), &self.name);
        fs::create_dir_all(&self.folder)
            .map_err(|error| Error::storage("make the folder", &self.folder, error))?;
        let _lock = lock(&self.folder)?;
        let empty = fs::metadata(&path).is_ok_and(|file| file.len() == 0);
        let mut profiles = if empty {
            Map::new()
        } else {
            read(&path)?.unwrap_or_default()
        };
        if profiles.is_empty() {
            profiles.insert("version".to_owned(), VERSION.into());
        } else if profiles.get("version").and_then(Value::as_u64) < Some(VERSION) {
            return Err(ProfileError::OldVersion { version: VERSION }.into());
        }
        if profiles.contains_key(name) && (!overwrite || name == "version") {
            return Err(ProfileError::Exists { name: name.clone() }.into());
        }
        profiles.insert(name.clone(), self.value());
        write(&path, profiles)
    }

    /// Removes a profile from its file. The default name is "default", and the default folder is
    /// `.tiledb` in the home folder: as in libtiledb, `TILEDB_PROFILE_DIR` has no effect here.
    /// Returns an error if the file does not contain the profile.
    pub fn remove(name: Option<&str>, folder: Option<&str>) -> Result<()> {
        let folder = match folder.filter(|folder| !folder.is_empty()) {
            Some(folder) => with_slash(folder),
            None => home_folder()?,
        };
        let _lock = lock(&folder)?;
        let path = Path::new(&folder).join(FILE);
        let mut profiles =
            read(&path)?.ok_or_else(|| Error::from(ProfileError::NoFileToRemoveFrom))?;
        let name = name.unwrap_or(DEFAULT_NAME);
        if name == "version" || profiles.remove(name).is_none() {
            return Err(ProfileError::MissingToRemove {
                name: name.to_owned(),
            }
            .into());
        }
        write(&path, profiles)
    }

    /// Returns the profile as JSON for display, including secrets.
    pub fn dump(&self) -> String {
        let value = Map::from_iter([(self.name.clone(), self.value())]);
        pretty(value)
    }

    fn value(&self) -> Value {
        if self.parameters.is_empty() {
            return Value::Null;
        }
        Value::Object(
            self.parameters
                .iter()
                .map(|(name, text)| (name.clone(), text[..].into()))
                .collect(),
        )
    }
}

fn with_slash(folder: &str) -> String {
    if folder.ends_with('/') || folder.is_empty() {
        folder.to_owned()
    } else {
        format!("{folder}/")
    }
}

fn home_folder() -> Result<String> {
    match std::env::var(platform::HOME) {
        Ok(home) if !home.is_empty() => Ok(with_slash(&home) + FOLDER),
        _ => Err(ProfileError::NoHome {
            variable: platform::HOME,
        }
        .into()),
    }
}

/// Locks the folder, so that of two processes that change its file none undoes the change of the
/// other. Returns `None` if the folder does not exist or cannot be locked.
fn lock(folder: &str) -> Result<Option<DescriptorLock>> {
    let begun = Instant::now();
    loop {
        match platform::try_lock_folder(folder, true) {
            Ok(LockAttempt::Locked(lock)) => return Ok(Some(lock)),
            Ok(LockAttempt::Unsupported) | Err(_) => return Ok(None),
            Ok(LockAttempt::Busy) if begun.elapsed() < LONGEST_WAIT => {
                std::thread::sleep(PAUSE);
            }
            Ok(LockAttempt::Busy) => {
                return Err(Error::storage("lock", folder, ErrorKind::TimedOut.into()));
            }
        }
    }
}

/// Returns the profiles of a file; `None` if the file does not exist.
fn read(path: &Path) -> Result<Option<Map<String, Value>>> {
    let shown = || path.display().to_string();
    let unreadable = |problem: String| ProfileError::Unreadable {
        path: shown(),
        problem,
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Ok(file) if file.len() > MAX_SIZE => {
            return Err(ProfileError::TooLarge {
                path: shown(),
                size: file.len(),
            }
            .into());
        }
        _ => (),
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    // Text after the first value is ignored.
    match serde_json::Deserializer::from_str(&text).into_iter().next() {
        Some(Ok(Value::Object(profiles))) => Ok(Some(profiles)),
        Some(Ok(_)) => Err(ProfileError::NotAnObject { path: shown() }.into()),
        Some(Err(error)) => Err(unreadable(error.to_string()).into()),
        None => Err(ProfileError::Empty { path: shown() }.into()),
    }
}

fn pretty(mut profiles: Map<String, Value>) -> String {
    profiles.sort_keys();
    format!("{:#}", Value::Object(profiles))
}

/// Replaces the file atomically, so that readers see the old or the new content, which is durable
/// when the call returns. Only the owner can read it, since it contains secrets.
fn write(path: &Path, profiles: Map<String, Value>) -> Result<()> {
    let folder = path.parent().and_then(Path::to_str).unwrap_or_default();
    // A killed process may have left a file, and a later one may have the same id.
    let new = path.with_file_name(format!("{FILE}.{}", new_uuid()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    platform::set_file_permissions(&mut options, 0o600);
    let written = options
        .open(&new)
        .and_then(|mut file| {
            file.write_all(pretty(profiles).as_bytes())?;
            // Without this, the new name could become durable before the content.
            file.sync_all()
        })
        .and_then(|()| fs::rename(&new, path))
        .and_then(|()| platform::sync(folder));
    written.map_err(|error| {
        let _ = fs::remove_file(&new);
        Error::storage("write", path.display().to_string(), error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str, folder: &Path) -> Profile {
        Profile::new(Some(name), folder.to_str()).expect("profile")
    }

    #[test]
    fn saved_profiles_can_be_loaded_until_removed() {
        let folder = tempfile::tempdir().expect("folder");
        let folder = folder.path().join("made");
        let (mut one, other) = (profile("one", &folder), profile("other", &folder));
        one.set("rest.token", "a \"b\" \\ é").expect("set");
        one.save(false).expect("saves");
        other.save(false).expect("saves");
        let text = fs::read_to_string(folder.join(FILE)).expect("file");
        let expected = "{\n  \"one\": {\n    \"rest.token\": \"a \\\"b\\\" \\\\ é\"\n  },\n  \"other\": null,\n  \
                        \"version\": 1\n}";
        assert_eq!(text, expected);
        let mut again = profile("one", &folder);
        again.set("kept", "1").expect("set");
        again.load().expect("loads");
        assert_eq!(again.get("rest.token"), Some("a \"b\" \\ é"));
        assert_eq!(again.get("kept"), Some("1"));
        assert!(one.save(false).is_err() && one.save(true).is_ok());
        Profile::remove(Some("one"), folder.to_str()).expect("removes");
        assert!(Profile::remove(Some("one"), folder.to_str()).is_err());
        assert!(again.load().is_err());
        assert_eq!(fs::read_dir(&folder).expect("folder").count(), 1);
    }

    #[test]
    fn profiles_that_are_saved_at_the_same_time_are_all_kept() {
        const THREADS: usize = 4;
        const PROFILES: usize = 10;
        let folder = tempfile::tempdir().expect("folder");
        let name = |thread, number| format!("profile{thread}_{number}");
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let folder = folder.path();
                scope.spawn(move || {
                    for number in 0..PROFILES {
                        let profile = profile(&name(thread, number), folder);
                        profile.save(false).expect("saves");
                    }
                });
            }
        });
        let saved = read(&folder.path().join(FILE)).expect("reads");
        let saved = saved.expect("a file");
        for thread in 0..THREADS {
            for number in 0..PROFILES {
                assert!(saved.contains_key(&name(thread, number)));
            }
        }
        assert_eq!(saved.len(), THREADS * PROFILES + 1);
    }

    #[test]
    fn malformed_files_are_errors() {
        let folder = tempfile::tempdir().expect("folder");
        for (text, expected) in [
            ("{", "is not valid"),
            ("[]", "does not hold a JSON object"),
            ("{\"one\": [1]}", "values other than strings"),
            ("{\"one\": {\"a\": 1}}", "values other than strings"),
            ("{}", "There is no profile"),
        ] {
            fs::write(folder.path().join(FILE), text).expect("file");
            let error = profile("one", folder.path())
                .load()
                .expect_err(text)
                .to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        fs::write(folder.path().join(FILE), "{\"version\": 0}").expect("file");
        let error = profile("one", folder.path())
            .save(true)
            .expect_err("old")
            .to_string();
        assert!(error.contains("is older than version 1"), "{error}");
    }

    #[test]
    fn a_user_without_a_password_cannot_be_saved() {
        let folder = tempfile::tempdir().expect("folder");
        let mut profile = profile("one", folder.path());
        profile.set("rest.username", "me").expect("set");
        assert!(profile.save(false).is_err() && !profile.has_file());
        profile.set("rest.password", "").expect("set");
        profile.save(false).expect("saves");
        assert!(profile.set("", "x").is_err());
    }
}
