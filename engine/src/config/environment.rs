//! Parameters in environment variables: `sm.memory_budget` is `TILEDB_SM_MEMORY_BUDGET` where the prefix is `TILEDB_`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where variables are looked up.
#[derive(Clone, Debug, Default)]
pub(super) enum Environment {
    /// In the environment as it is.
    #[default]
    Live,
    /// In a copy of the variables that have the prefix; `None` where there are none.
    Frozen(Option<Arc<BTreeMap<String, String>>>),
}

impl Environment {
    /// A copy of the variables that have the prefix now.
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

    /// The variable for a parameter.
    pub(super) fn get(&self, prefix: &str, key: &str) -> Option<Cow<'_, str>> {
        match self {
            Self::Frozen(None) => None,
            Self::Frozen(Some(found)) => found
                .get(&variable(prefix, key))
                .map(|value| Cow::Borrowed(value.as_str())),
            Self::Live => {
                let name = variable(prefix, key);
                // The system refuses to look up such names.
                if name.is_empty() || name.contains(['=', '\0']) {
                    return None;
                }
                std::env::var(name).ok().map(Cow::Owned)
            }
        }
    }
}

/// The name of the variable for a parameter.
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
    fn dots_become_underscores_and_letters_capitals() {
        assert_eq!(variable("TILEDB_", "vfs.s3.region"), "TILEDB_VFS_S3_REGION");
    }

    #[test]
    fn a_frozen_environment_answers_as_the_live_one() {
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
