//! The shared files of the aws CLI: `~/.aws/config` and `~/.aws/credentials`.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::super::super::store::StoreResult;
use crate::http::failure::Failure;
use crate::vfs::remote::parameters::variable;

/// The settings of a section, by name.
type Section = HashMap<String, String>;

/// The sections of both files.
#[derive(Default)]
pub(super) struct SharedFiles {
    /// By name, without "profile ".
    profiles: HashMap<String, Section>,
    sessions: HashMap<String, Section>,
}

fn home() -> Option<PathBuf> {
    variable("HOME")
        .or_else(|| variable("USERPROFILE"))
        .map(PathBuf::from)
}

/// A file in the folder of the aws CLI.
pub(super) fn in_aws_folder(name: &str) -> Option<PathBuf> {
    Some(home()?.join(".aws").join(name))
}

/// Returns the content of a file; nothing if it does not exist.
fn read_if_any(path: Option<PathBuf>) -> StoreResult<String> {
    let Some(path) = path else {
        return Ok(String::new());
    };
    match std::fs::read_to_string(&path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(String::new())
        }
        read => read.map_err(|error| {
            let message = format!("the file '{}': {error}", path.display());
            Failure::new(error.kind(), message)
        }),
    }
}

impl SharedFiles {
    /// Reads the files. Missing ones are empty.
    ///
    /// # Errors
    ///
    /// If a file exists and cannot be read, or is not UTF-8.
    pub(super) fn read() -> StoreResult<Self> {
        let path = |name: &str, file: &str| {
            variable(name)
                .map(PathBuf::from)
                .or_else(|| in_aws_folder(file))
        };
        let config = read_if_any(path("AWS_CONFIG_FILE", "config"))?;
        let credentials = read_if_any(path("AWS_SHARED_CREDENTIALS_FILE", "credentials"))?;
        Ok(Self::parse(&config, &credentials))
    }

    fn parse(config: &str, credentials: &str) -> Self {
        let mut files = Self::default();
        for (name, section) in sections(config) {
            if let Some(session) = name.strip_prefix("sso-session ") {
                files.sessions.insert(session.trim().to_owned(), section);
                continue;
            }
            let name = name.strip_prefix("profile ").unwrap_or(&name).trim();
            files
                .profiles
                .entry(name.to_owned())
                .or_default()
                .extend(section);
        }
        // Keys in the credentials file take precedence.
        for (name, section) in sections(credentials) {
            files.profiles.entry(name).or_default().extend(section);
        }
        files
    }

    /// The name of the profile in use.
    pub(super) fn current() -> String {
        let name = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        name.unwrap_or_else(|| "default".to_owned())
    }

    pub(super) fn profile(&self, name: &str) -> Option<&Section> {
        self.profiles.get(name)
    }

    /// A setting of the single sign-on of a profile: its own, or that of the session that it names.
    pub(super) fn sso<'a>(&'a self, profile: &'a Section, setting: &str) -> Option<&'a str> {
        let in_profile = profile.get(setting);
        in_profile
            .or_else(|| self.sessions.get(profile.get("sso_session")?)?.get(setting))
            .map(String::as_str)
    }
}

/// The sections of a file. Settings of nested sections, which are indented, are skipped.
fn sections(text: &str) -> Vec<(String, Section)> {
    let mut sections: Vec<(String, Section)> = Vec::new();
    for line in text.lines() {
        let is_nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) || is_nested {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.split(']').next())
        {
            sections.push((name.trim().to_owned(), Section::new()));
        } else if let (Some((name, value)), Some((_, section))) =
            (line.split_once('='), sections.last_mut())
        {
            let value = value.split(" #").next().unwrap_or_default().trim();
            section.insert(name.trim().to_lowercase(), value.to_owned());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_both_files_are_merged() {
        let config = "[default]\nregion = eu-west-1 # note\naws_access_key_id=old\n[profile p]\nsso_session = s\ns3 =\n  x = 1\n\
            [sso-session s]\nsso_start_url = https://x\n";
        let files = SharedFiles::parse(config, "[default]\naws_access_key_id = new\n; no\n[q]\n");
        let default = files.profile("default").expect("profile");
        assert_eq!(default.get("region").map(String::as_str), Some("eu-west-1"));
        assert_eq!(
            default.get("aws_access_key_id").map(String::as_str),
            Some("new")
        );
        let p = files.profile("p").expect("profile");
        assert_eq!(files.sso(p, "sso_start_url"), Some("https://x"));
        assert_eq!(
            (p.contains_key("x"), files.profile("q").is_some()),
            (false, true)
        );
        assert!(files.profile("none").is_none());
    }
}
