//! Parameters in environment variables: with the prefix `TILEDB_`, `sm.memory_budget` is
//! `TILEDB_SM_MEMORY_BUDGET`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The source of environment variables.
#[derive(Clone, Default)]
pub(super) enum Environment {
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
    pub(super) fn frozen(prefix: &str) -> Self {
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
    pub(super) fn get(&self, prefix: &str, key: &str) -> Option<Cow<'_, str>> {
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
