//! The findings of a check.

use std::collections::HashSet;

use crate::error::{Cause, Error, Result};
use crate::vfs::Uri;

/// The consequences of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// No consequences: a file that does not belong to the format, or a fragment that is not
    /// committed and too young to be regarded as remains.
    Note,
    /// No consequences but used space: a killed process left it, and no reader sees it.
    Remains,
    /// Readers return the right cells, but stored information is wrong.
    Warning,
    /// Readers fail, or may return wrong cells or aggregates.
    Error,
}

impl Severity {
    /// All severities, the least first.
    pub const ALL: [Self; 4] = [Self::Note, Self::Remains, Self::Warning, Self::Error];

    /// Returns the name, such as "error".
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Remains => "remains",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A problem of a stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The consequences.
    pub severity: Severity,
    /// The URI of the file or folder.
    pub uri: String,
    /// The position of the problem in bytes, from the start of the record that the problem names;
    /// `None` if it has none.
    pub position: Option<u64>,
    /// The problem, as a sentence without a period.
    pub problem: String,
}

impl Finding {
    pub(super) fn new(severity: Severity, uri: &Uri, problem: impl Into<String>) -> Self {
        Self {
            severity,
            uri: uri.to_string(),
            position: None,
            problem: problem.into(),
        }
    }

    /// Converts the error of reading `uri` to a finding. Returns the error if it says nothing about
    /// the file, and `None` if another process has removed the file.
    pub(super) fn of_error(error: Error, uri: &Uri) -> Result<Option<Self>> {
        let (found, position, problem) = match error.cause() {
            Cause::Cancelled | Cause::Budget { .. } => return Err(error),
            Cause::Removed { .. } => return Ok(None),
            Cause::Corrupt {
                file,
                uri,
                field,
                offset,
                problem,
            } => {
                let problem = format!("the {file} is damaged: {field} {problem}");
                (uri.clone(), Some(*offset), problem)
            }
            Cause::Storage { uri, .. } if error.is_missing_file() => (
                Some(uri.clone()),
                None,
                "the file does not exist".to_owned(),
            ),
            Cause::Storage { uri, source, .. } => {
                let problem = format!("the file cannot be read: {source}");
                (Some(uri.clone()), None, problem)
            }
            _ => (None, None, error.to_string()),
        };
        Ok(Some(Self {
            severity: Severity::Error,
            uri: found.unwrap_or_else(|| uri.to_string()),
            position,
            problem,
        }))
    }
}

/// The size of a check and the number of its findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSummary {
    /// The number of checked files.
    pub files: u64,
    /// The number of checked tiles.
    pub tiles: u64,
    /// The numbers of findings, by [`Severity`].
    pub findings: [u64; 4],
}

impl CheckSummary {
    /// Returns the number of findings of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings[severity as usize]
    }
}

/// Passes findings to the caller and counts them.
pub(super) struct FindingReport<'a> {
    take: &'a mut dyn FnMut(&Finding) -> Result<()>,
    pub(super) summary: CheckSummary,
    /// The files and folders with errors.
    damaged: HashSet<String>,
}

impl<'a> FindingReport<'a> {
    pub(super) fn new(take: &'a mut dyn FnMut(&Finding) -> Result<()>) -> Self {
        Self {
            take,
            summary: CheckSummary::default(),
            damaged: HashSet::new(),
        }
    }

    /// Returns whether an error of a file or folder was reported.
    pub(super) fn has_error(&self, uri: &str) -> bool {
        self.damaged.contains(uri)
    }

    /// Counts checked files.
    pub(super) fn files(&mut self, number: usize) {
        self.summary.files += number as u64;
    }

    /// Counts checked tiles.
    pub(super) fn tiles(&mut self, number: u64) {
        self.summary.tiles += number;
    }

    /// Reports a finding.
    pub(super) fn add(&mut self, finding: &Finding) -> Result<()> {
        self.summary.findings[finding.severity as usize] += 1;
        if finding.severity == Severity::Error {
            self.damaged.insert(finding.uri.clone());
        }
        (self.take)(finding)
    }

    /// Returns the value, or reports why `uri` cannot be read.
    pub(super) fn value<T>(&mut self, uri: &Uri, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                if let Some(finding) = Finding::of_error(error, uri)? {
                    self.add(&finding)?;
                }
                Ok(None)
            }
        }
    }

    /// Does the same for a file that was listed. It may be missing, if another process has
    /// consolidated and removed it.
    pub(super) fn value_if_present<T>(&mut self, uri: &Uri, read: Result<T>) -> Result<Option<T>> {
        match read {
            Err(error) if error.is_missing_file() => Ok(None),
            read => self.value(uri, read),
        }
    }
}
