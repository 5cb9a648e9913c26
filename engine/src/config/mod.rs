//! Configuration: the parameter table, values, checks, and typed views of them.
//!
//! A value comes from the first of these that has one: what the program set, the environment (the parameter's name in
//! capitals behind `config.env_var_prefix`), the profile that `profile_name` and `profile_dir` tell, a loaded file, the
//! default.
//!
//! Only what differs from the defaults is stored, behind one shared pointer: making, cloning and dropping a
//! configuration costs next to nothing.

mod environment;
mod file;
mod parameters;
mod profile;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::platform::lock::OnceValue;

use crate::error::{Error, Result};
use environment::Environment;

pub use profile::Profile;

/// The parameter that names the prefix of environment variables.
const PREFIX: &str = "config.env_var_prefix";

/// What the parameters that tell the profile begin with.
const PROFILE: &str = "profile";

/// The CPUs that affinity and cgroups leave to this process, when it was first asked.
pub fn hardware_threads() -> usize {
    parameters::hardware_threads()
}

/// A value that is not the default.
#[derive(Clone, Debug)]
struct Value {
    text: String,
    /// Set by the program, which outranks the environment; else loaded from a file, which does not.
    set: bool,
}

/// A set of parameters. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Config {
    values: Arc<BTreeMap<String, Value>>,
    environment: Environment,
    /// The profile, read when it is first needed; copies share it.
    profile: Arc<OnceValue<Loaded>>,
}

/// What became of reading a profile.
#[derive(Clone, Debug)]
enum Loaded {
    Found(Profile),
    /// None is named, and there is none of the default name.
    Absent,
    /// The one that is named cannot be read.
    Missing,
}

impl Config {
    /// All defaults, overridden by the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a parameter as text; `None` for an unknown key.
    pub fn get(&self, key: &str) -> Option<String> {
        self.text(key).map(Cow::into_owned)
    }

    /// The same; an error where the profile would be asked and cannot be read.
    pub fn get_checked(&self, key: &str) -> Result<Option<String>> {
        if !key.starts_with(PROFILE) && self.told(key).is_none() {
            self.check_profile()?;
        }
        Ok(self.get(key))
    }

    /// The value of a parameter as text, borrowed where it can be; `None` for an unknown key.
    pub fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        let told = self.told(key);
        if told.is_some() {
            return told;
        }
        if !key.starts_with(PROFILE)
            && let Loaded::Found(profile) = self.profile()
            && let Some(text) = profile.get(key)
        {
            return Some(Cow::Borrowed(text));
        }
        self.stored(key).map(Cow::Borrowed)
    }

    /// The value that the program or the environment set.
    fn told(&self, key: &str) -> Option<Cow<'_, str>> {
        let set = self.values.get(key).filter(|value| value.set);
        match set {
            Some(value) => Some(Cow::Borrowed(&value.text)),
            None => self.environment.get(self.prefix(), key),
        }
    }

    /// Sets a parameter, known or not. Some known ones are checked here, the others where they are used.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if let Some(parameter) = parameters::find(key) {
            values::check(key, value, parameter.check)?;
        }
        self.store(key, value, true);
        Ok(())
    }

    /// Errors where the profile that is named cannot be read; its parameters count as not given then.
    pub fn check_profile(&self) -> Result<()> {
        match self.profile() {
            Loaded::Missing => Err(Error::usage(
                "Config",
                "Failed to load the REST profile. Please check the profile name and directory parameters.",
            )),
            Loaded::Found(_) | Loaded::Absent => Ok(()),
        }
    }

    fn profile(&self) -> &Loaded {
        self.profile.get_or_init(|| {
            let told = |key| self.text(key).filter(|text| !text.is_empty());
            let (name, folder) = (told("profile_name"), told("profile_dir"));
            let named = name.is_some() || folder.is_some();
            let profile = Profile::new(name.as_deref(), folder.as_deref());
            let loaded = profile.and_then(|mut profile| {
                if named || profile.has_file() {
                    profile.load()?;
                }
                Ok(profile)
            });
            match loaded {
                Ok(profile) => Loaded::Found(profile),
                Err(_) if named => Loaded::Missing,
                Err(_) => Loaded::Absent,
            }
        })
    }

    /// Gives a known parameter its default again and forgets an unknown one.
    pub fn unset(&mut self, key: &str) {
        if self.values.contains_key(key) {
            Arc::make_mut(&mut self.values).remove(key);
            self.forget_profile(key);
        }
    }

    /// Sets all that was set in `other`.
    pub fn inherit(&mut self, other: &Self) {
        for (key, value) in other.values.iter().filter(|(_, value)| value.set) {
            self.store(key, &value.text, true);
        }
    }

    /// All parameters whose name starts with `prefix`, sorted: the rest of the name, and the value.
    pub fn with_prefix(&self, prefix: &str) -> Vec<(String, String)> {
        self.names()
            .into_iter()
            .filter_map(|name| {
                let value = self.get(name)?;
                Some((name.strip_prefix(prefix)?.to_owned(), value))
            })
            .collect()
    }

    /// The same configuration with the environment as it is now, so that reading it costs no look at the environment.
    #[must_use]
    pub fn frozen(&self) -> Self {
        Self {
            values: self.values.clone(),
            environment: Environment::frozen(self.prefix()),
            profile: self.profile.clone(),
        }
    }

    /// The same configuration following the environment as it changes.
    #[must_use]
    pub fn thawed(&self) -> Self {
        Self {
            values: self.values.clone(),
            environment: Environment::Live,
            profile: self.profile.clone(),
        }
    }

    /// The names of all known parameters and of those that were set, sorted.
    fn names(&self) -> Vec<&str> {
        let known = parameters::PARAMETERS.iter().map(|p| p.name);
        let mut names: Vec<&str> = known
            .chain(self.values.keys().map(String::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The value without the environment.
    fn stored(&self, key: &str) -> Option<&str> {
        let value = self.values.get(key).map(|value| value.text.as_str());
        value.or_else(|| parameters::find(key).map(parameters::Parameter::default))
    }

    fn store(&mut self, key: &str, text: &str, set: bool) {
        let text = text.to_owned();
        Arc::make_mut(&mut self.values).insert(key.to_owned(), Value { text, set });
        self.forget_profile(key);
    }

    /// After a change of one of the parameters that tell the profile.
    fn forget_profile(&mut self, key: &str) {
        if key.starts_with(PROFILE) {
            self.profile = Arc::default();
        }
    }

    fn prefix(&self) -> &str {
        self.stored(PREFIX).unwrap_or_default()
    }
}

/// Equal are configurations with the same names and values, wherever the values come from. The environment does not count.
impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let names = self.values.keys().chain(other.values.keys());
        Arc::ptr_eq(&self.values, &other.values)
            || names
                .into_iter()
                .all(|name| self.stored(name) == other.stored(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_parameter_has_its_default_until_set_and_after_unset() {
        let mut config = Config::new();
        assert_eq!(
            config.get("sm.memory_budget").as_deref(),
            Some("5368709120")
        );
        config.set("sm.memory_budget", "7").expect("set");
        assert_eq!(config.get("sm.memory_budget").as_deref(), Some("7"));
        config.unset("sm.memory_budget");
        assert_eq!(
            config.get("sm.memory_budget").as_deref(),
            Some("5368709120")
        );
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
    fn a_change_leaves_clones_alone() {
        let mut config = Config::new();
        config.set("foo", "1").expect("set");
        let clone = config.clone();
        config.set("foo", "2").expect("set");
        assert_eq!(clone.get("foo").as_deref(), Some("1"));
    }

    #[test]
    fn comparison_looks_at_values_and_not_at_how_they_came() {
        let (mut a, b) = (Config::new(), Config::new());
        assert!(a == b);
        a.set("sm.dedup_coords", "false").expect("set");
        assert!(a == b, "the default, set");
        a.set("foo", "").expect("set");
        assert!(a != b, "an unknown name counts");
    }

    #[test]
    fn a_prefix_is_stripped_and_the_order_is_by_name() {
        let mut config = Config::new();
        config.set("sm.var_offsets.aaa", "1").expect("set");
        let found = config.with_prefix("sm.var_offsets.");
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["aaa", "bitsize", "extra_element", "mode"]);
        assert_eq!(config.with_prefix("").len(), 155);
    }

    #[test]
    fn what_was_set_is_inherited() {
        let (mut a, mut b) = (Config::new(), Config::new());
        b.set("foo", "1").expect("set");
        a.set("bar", "2").expect("set");
        a.inherit(&b);
        assert_eq!(a.get("foo").as_deref(), Some("1"));
        assert_eq!(a.get("bar").as_deref(), Some("2"));
    }
}
