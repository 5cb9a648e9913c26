//! Configuration: the parameter table, values, checks, and typed views of them.

use crate::error::Result;

/// A set of parameters. Cheap to clone where unchanged.
#[derive(Clone, Debug, Default)]
pub struct Config {
    _values: (),
}

impl Config {
    /// All defaults, overridden by the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a parameter as text; `None` for an unknown key.
    pub fn get(&self, _key: &str) -> Option<String> {
        None
    }

    /// The value of an unsigned parameter.
    pub fn u64(&self, _key: &'static str) -> Result<u64> {
        Ok(0)
    }

    /// The value of a boolean parameter.
    pub fn flag(&self, _key: &'static str) -> Result<bool> {
        Ok(false)
    }
}
