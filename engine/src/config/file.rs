//! Configuration files: one parameter and its value per line, with comments after `#`.

use std::fmt::Write;
use std::fs;

use super::{Config, parameters};
use crate::error::{ConfigError, Error, Result};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
