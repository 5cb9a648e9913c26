//! Configuration: the parameter table, values and their checks, and typed access.
//!
//! A value is taken from the first of these that has one: the program's settings, the environment
//! (the parameter's name in capitals after `config.env_var_prefix`: with the prefix `TILEDB_`,
//! `sm.memory_budget` is `TILEDB_SM_MEMORY_BUDGET`), the profile selected by `profile_name` and
//! `profile_dir`, a loaded file, the default. A file has one parameter and its value per line, with
//! comments after `#`.
//!
//! Only values that differ from the defaults are stored, in one shared map, so configurations are
//! cheap to create, clone and drop.

mod parameters;
mod profile;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs;
use std::sync::Arc;

use crate::error::{ConfigError, Error, Result};
use crate::platform::lock::OnceValue;

pub use crate::error::Release;
pub(crate) use parameters::{UNUSED_FLAGS, UNUSED_WEIGHTS};
pub use profile::Profile;

/// The parameter that contains the prefix of environment variables.
const PREFIX: &str = "config.env_var_prefix";

/// The prefix of the parameters that select the profile.
const PROFILE: &str = "profile";

/// A value that is not the default.
#[derive(Clone)]
struct Value {
    text: String,
    /// Whether the program set the value. Such values have precedence over the environment; values
    /// loaded from a file do not.
    set: bool,
}

/// Values may be secrets, so they are left out.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value")
            .field("set", &self.set)
            .finish_non_exhaustive()
    }
}

/// The description of a parameter: [`Config::parameters`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParameterDescription {
    /// The name. If it ends with `.*`, any name can follow the last dot.
    pub name: &'static str,
    /// The default; `None` if the parameter has no value until it is set. `CPUs` stands for the
    /// number of CPUs that the process may use.
    pub default: Option<&'static str>,
    /// The possible values.
    pub values: &'static str,
    /// The effect and its cost.
    pub effect: &'static str,
    /// The software that has the parameter: "libtiledb 2.30", "libtiledb 2.31" or
    /// "extension", which is this library.
    pub origin: &'static str,
}

/// A set of parameters. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Config {
    values: Arc<BTreeMap<String, Value>>,
    environment: Environment,
    /// The profile, read when it is first needed and shared by clones.
    profile: Arc<OnceValue<ProfileState>>,
}

/// The source of a value. A lower one has precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueSource {
    /// The program set it.
    Set,
    /// The environment.
    Environment,
    /// The profile.
    Profile,
    /// A configuration file.
    File,
    /// None: it is the default.
    Default,
}

/// The outcome of reading the profile.
#[derive(Clone, Debug)]
enum ProfileState {
    Found(Profile),
    /// No profile was selected, and the default one does not exist.
    Absent,
    /// The selected profile cannot be read.
    Missing,
}

impl Config {
    /// Returns a configuration with the defaults, overridden by the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value of a parameter as text; `None` for an unknown name.
    pub fn get(&self, key: &str) -> Option<String> {
        self.text(key).map(Cow::into_owned)
    }

    /// Returns the value of a parameter as text, or an error if it depends on a profile that cannot
    /// be read.
    pub fn get_checked(&self, key: &str) -> Result<Option<String>> {
        if !key.starts_with(PROFILE) && self.source(key) > ValueSource::Environment {
            self.check_profile()?;
        }
        Ok(self.get(key))
    }

    /// Returns the value of a parameter as text, borrowed if possible; `None` for an unknown name.
    pub fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.lookup(key).1
    }

    /// Returns whether the program, the environment or the profile sets a parameter.
    pub fn is_set(&self, key: &str) -> bool {
        self.source(key) <= ValueSource::Profile
    }

    /// Returns where the value of a parameter comes from.
    pub fn source(&self, key: &str) -> ValueSource {
        self.lookup(key).0
    }

    /// Returns the source of the value of a parameter, and the value; `None` for an unknown name.
    fn lookup(&self, key: &str) -> (ValueSource, Option<Cow<'_, str>>) {
        let stored = self.values.get(key);
        if let Some(value) = stored.filter(|value| value.set) {
            return (ValueSource::Set, Some(Cow::Borrowed(&value.text)));
        }
        if let Some(text) = self.environment.get(self.prefix(), key) {
            return (ValueSource::Environment, Some(text));
        }
        // The parameters that select the profile are not in it.
        if !key.starts_with(PROFILE)
            && let ProfileState::Found(profile) = self.profile()
            && let Some(text) = profile.get(key)
        {
            return (ValueSource::Profile, Some(Cow::Borrowed(text)));
        }
        let source = match stored {
            Some(_) => ValueSource::File,
            None => ValueSource::Default,
        };
        (source, self.stored(key).map(Cow::Borrowed))
    }

    /// Sets a parameter, which may be unknown. Some known parameters are checked here, the others
    /// when they are used.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if let Some(parameter) = parameters::find(key) {
            values::check(key, value, parameter.check)?;
        }
        self.store(key, value, true);
        Ok(())
    }

    /// Returns an error if the selected profile cannot be read. Its parameters count as not set
    /// then.
    pub fn check_profile(&self) -> Result<()> {
        match self.profile() {
            ProfileState::Missing => Err(ConfigError::NoProfile.into()),
            ProfileState::Found(_) | ProfileState::Absent => Ok(()),
        }
    }

    fn profile(&self) -> &ProfileState {
        self.profile.get_or_init(|| {
            let overridden = |key| self.text(key).filter(|text| !text.is_empty());
            let (name, folder) = (overridden("profile_name"), overridden("profile_dir"));
            let named = name.is_some() || folder.is_some();
            let profile = Profile::new(name.as_deref(), folder.as_deref());
            let loaded = profile.and_then(|mut profile| {
                if named || profile.has_file() {
                    profile.load()?;
                }
                Ok(profile)
            });
            match loaded {
                Ok(profile) => ProfileState::Found(profile),
                Err(_) if named => ProfileState::Missing,
                Err(_) => ProfileState::Absent,
            }
        })
    }

    /// Resets a known parameter to its default and removes an unknown one.
    pub fn unset(&mut self, key: &str) {
        if self.values.contains_key(key) {
            Arc::make_mut(&mut self.values).remove(key);
            self.forget_profile(key);
        }
    }

    /// Sets all parameters that the program set in `other`.
    pub fn inherit(&mut self, other: &Self) {
        for (key, value) in other.values.iter().filter(|(_, value)| value.set) {
            self.store(key, &value.text, true);
        }
    }

    /// Returns the descriptions of all parameters, sorted by name.
    pub fn parameters() -> Vec<ParameterDescription> {
        parameters::descriptions()
    }

    /// Returns all parameters whose names start with `prefix`, sorted: the rest of the name, and
    /// the value.
    pub fn with_prefix(&self, prefix: &str) -> Vec<(String, String)> {
        self.names()
            .into_iter()
            .filter_map(|name| {
                let value = self.get(name)?;
                Some((name.strip_prefix(prefix)?.to_owned(), value))
            })
            .collect()
    }

    /// Returns the configuration with a copy of the current environment, so that reading it does
    /// not access the environment.
    #[must_use]
    pub fn frozen(&self) -> Self {
        Self {
            values: self.values.clone(),
            environment: Environment::frozen(self.prefix()),
            profile: self.profile.clone(),
        }
    }

    /// Returns the configuration with the live environment.
    #[must_use]
    pub fn thawed(&self) -> Self {
        Self {
            values: self.values.clone(),
            environment: Environment::Live,
            profile: self.profile.clone(),
        }
    }

    /// Returns the configuration with offsets in bytes, of 64 bits, without one after the last
    /// cell.
    #[must_use]
    pub(crate) fn with_cell_starts(&self) -> Self {
        let mut config = self.clone();
        config.store("sm.var_offsets.bitsize", "64", true);
        config.store("sm.var_offsets.mode", "bytes", true);
        config.store("sm.var_offsets.extra_element", "false", true);
        config
    }

    /// Returns the names of all known parameters and of those that are set, sorted.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = parameters::listed()
            .map(|p| p.name)
            .chain(self.values.keys().map(String::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the value without considering the environment and the profile.
    fn stored(&self, key: &str) -> Option<&str> {
        self.values
            .get(key)
            .map(|value| value.text.as_str())
            .or_else(|| parameters::find(key)?.default())
    }

    fn store(&mut self, key: &str, text: &str, set: bool) {
        let text = text.to_owned();
        Arc::make_mut(&mut self.values).insert(key.to_owned(), Value { text, set });
        self.forget_profile(key);
    }

    /// Discards the profile if `key` is one of the parameters that select it.
    fn forget_profile(&mut self, key: &str) {
        if key.starts_with(PROFILE) {
            self.profile = Arc::default();
        }
    }

    fn prefix(&self) -> &str {
        self.stored(PREFIX).unwrap_or_default()
    }
}

impl Config {
    /// Loads the parameters of a file without checking their values. The environment has precedence
    /// over them.
    pub fn load(&mut self, path: &str) -> Result<()> {
        if path.is_empty() {
            return Err(ConfigError::NoLoadPath.into());
        }
        let text = fs::read_to_string(path)
            .map_err(|_| Error::from(ConfigError::CannotOpen { path: path.into() }))?;
        for (number, line) in text.lines().enumerate() {
            let cause = match *words(line).as_slice() {
                [] => continue,
                [key, value] => {
                    self.store(key, value, false);
                    continue;
                }
                [_] => ConfigError::NoValue {
                    path: path.into(),
                    line: number,
                },
                _ => ConfigError::ExtraWords {
                    path: path.into(),
                    line: number,
                },
            };
            return Err(cause.into());
        }
        Ok(())
    }

    /// Writes the parameters to a file, sorted by name. Empty values and secrets are omitted.
    pub fn save(&self, path: &str) -> Result<()> {
        if path.is_empty() {
            return Err(ConfigError::NoSavePath.into());
        }
        let mut text = String::new();
        for name in self.names() {
            let value = self.stored(name).unwrap_or_default();
            if !value.is_empty() && !parameters::is_secret(name) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{name} {value}");
            }
        }
        fs::write(path, text)
            .map_err(|_| Error::from(ConfigError::CannotCreate { path: path.into() }))
    }
}

/// Splits a line into words up to a comment. A value may begin with `#`; a name or a third word may
/// not.
fn words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
    let comment = words
        .iter()
        .enumerate()
        .position(|(index, word)| index != 1 && word.starts_with('#'));
    words.truncate(comment.unwrap_or(words.len()));
    words
}

/// Configurations are equal if they have the same names and values, whatever the source of the
/// values. Environment and profile are ignored.
impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let names = self.values.keys().chain(other.values.keys());
        Arc::ptr_eq(&self.values, &other.values)
            || names
                .into_iter()
                .all(|name| self.stored(name) == other.stored(name))
    }
}

/// The source of environment variables.
#[derive(Clone, Default)]
enum Environment {
    /// The environment of the process, read at each access.
    #[default]
    Live,
    /// A copy of the variables that have the prefix; `None` if no such variable was set.
    Frozen(Option<Arc<BTreeMap<String, String>>>),
}

/// Values may be secrets, so they are left out.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Live => "Live",
            Self::Frozen(_) => "Frozen",
        })
    }
}

impl Environment {
    /// Copies the variables that currently have the prefix.
    fn frozen(prefix: &str) -> Self {
        let mut found = BTreeMap::new();
        for (name, value) in std::env::vars_os() {
            let name = name.to_str().filter(|name| name.starts_with(prefix));
            if let (Some(name), Some(value)) = (name, value.to_str()) {
                found.insert(name.to_owned(), value.to_owned());
            }
        }
        Self::Frozen((!found.is_empty()).then(|| Arc::new(found)))
    }

    /// Returns the value of the variable for a parameter.
    fn get(&self, prefix: &str, key: &str) -> Option<Cow<'_, str>> {
        match self {
            Self::Frozen(None) => None,
            Self::Frozen(Some(found)) => found
                .get(&variable(prefix, key))
                .map(|value| Cow::Borrowed(value.as_str())),
            Self::Live => {
                let name = variable(prefix, key);
                // The standard library panics for such names.
                if name.is_empty() || name.contains(['=', '\0']) {
                    return None;
                }
                std::env::var(name).ok().map(Cow::Owned)
            }
        }
    }
}

/// Returns the name of the variable for a parameter.
fn variable(prefix: &str, key: &str) -> String {
    let mut name = String::with_capacity(prefix.len() + key.len());
    name.push_str(prefix);
    name.extend(key.chars().map(|c| match c {
        '.' => '_',
        other => other.to_ascii_uppercase(),
    }));
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_parameter_has_its_default_until_set_and_after_unset() {
        let mut config = Config::new();
        assert_eq!(config.get("vfs.min_batch_gap").as_deref(), Some("512000"));
        config.set("vfs.min_batch_gap", "7").expect("set");
        assert_eq!(config.get("vfs.min_batch_gap").as_deref(), Some("7"));
        config.unset("vfs.min_batch_gap");
        assert_eq!(config.get("vfs.min_batch_gap").as_deref(), Some("512000"));
    }

    #[test]
    fn an_unknown_parameter_is_kept_until_unset() {
        let mut config = Config::new();
        assert_eq!(config.get("foo"), None);
        config.set("foo", "bar").expect("set");
        assert_eq!(config.get("foo").as_deref(), Some("bar"));
        config.unset("foo");
        assert_eq!(config.get("foo"), None);
    }

    #[test]
    fn a_change_does_not_affect_clones() {
        let mut config = Config::new();
        config.set("foo", "1").expect("set");
        let clone = config.clone();
        config.set("foo", "2").expect("set");
        assert_eq!(clone.get("foo").as_deref(), Some("1"));
    }

    #[test]
    fn comparison_considers_values_and_not_their_source() {
        let (mut a, b) = (Config::new(), Config::new());
        assert!(a == b);
        a.set("sm.dedup_coords", "false").expect("set");
        assert!(a == b, "the default, set");
        a.set("foo", "").expect("set");
        assert!(a != b, "an unknown name counts");
    }

    #[test]
    fn iteration_strips_the_prefix_and_sorts_by_name() {
        let mut config = Config::new();
        config.set("sm.var_offsets.aaa", "1").expect("set");
        let found = config.with_prefix("sm.var_offsets.");
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["aaa", "bitsize", "extra_element", "mode"]);
        assert_eq!(config.with_prefix("").len(), 155);
    }

    #[test]
    fn set_parameters_are_inherited() {
        let (mut a, mut b) = (Config::new(), Config::new());
        b.set("foo", "1").expect("set");
        a.set("bar", "2").expect("set");
        a.inherit(&b);
        assert_eq!(a.get("foo").as_deref(), Some("1"));
        assert_eq!(a.get("bar").as_deref(), Some("2"));
    }

    fn load(text: &str) -> Result<Config> {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("config");
        fs::write(&path, text).expect("file");
        let mut config = Config::new();
        config.load(path.to_str().expect("path"))?;
        Ok(config)
    }

    #[test]
    fn comments_and_blank_lines_are_ignored() {
        let config = load("# a comment\n\nfoo bar # why\n  x\ty\n#z 1\n").expect("loads");
        assert_eq!(config.get("foo").as_deref(), Some("bar"));
        assert_eq!(config.get("x").as_deref(), Some("y"));
        assert_eq!(config.get("z"), None);
    }

    #[test]
    fn errors_contain_the_line_number() {
        let error = load("foo bar\nalone\n").expect_err("no value").to_string();
        assert!(
            error.starts_with("Line 1 of the configuration file"),
            "{error}"
        );
        let error = load("one two three\n").expect_err("extra").to_string();
        assert!(
            error.starts_with("Line 0 of the configuration file"),
            "{error}"
        );
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_it() {
        let error = Config::new().load("/no/such/file").expect_err("missing");
        assert!(
            error
                .to_string()
                .contains("'/no/such/file' cannot be opened")
        );
    }

    #[test]
    fn saved_files_load_and_omit_secrets_and_empty_values() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("config");
        let path = path.to_str().expect("path");
        let mut config = Config::new();
        config.set("foo", "bar").expect("set");
        config.set("rest.token", "secret").expect("set");
        config.save(path).expect("saves");
        let text = fs::read_to_string(path).expect("file");
        assert!(!text.contains("secret") && !text.contains("profile_name"));
        // 154 known parameters, 33 of them empty by default, and the one set above.
        assert_eq!(text.lines().count(), 154 - 33 + 1);
        assert!(text.lines().collect::<Vec<_>>().is_sorted());
        let mut again = Config::new();
        again.load(path).expect("loads");
        assert_eq!(again.get("foo").as_deref(), Some("bar"));
    }

    #[test]
    fn variable_names_have_underscores_and_capitals() {
        assert_eq!(variable("TILEDB_", "vfs.s3.region"), "TILEDB_VFS_S3_REGION");
    }

    #[test]
    fn a_frozen_environment_returns_the_values_of_the_live_one() {
        let frozen = Environment::frozen("");
        for (name, value) in std::env::vars() {
            // Only names that a parameter can have.
            if name == variable("", &name) {
                let found = frozen.get("", &name);
                assert_eq!(found.as_deref(), Some(value.as_str()), "{name}");
            }
        }
        assert_eq!(frozen.get("", "no.such.variable"), None);
    }
}
