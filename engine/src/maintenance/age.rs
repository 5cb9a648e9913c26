//! The ages that files must have before they are removed.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::config::Config;
use crate::error::Result;
use crate::types::{Timestamp, now};
use crate::vfs::{EntryKind, StorageView, Uri};

/// The minimum age of files that are removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinAge {
    /// Files must have been changed last at this time or before, in milliseconds since 1970; `None`
    /// if any age will do.
    until: Option<Timestamp>,
}

impl MinAge {
    /// Returns the minimum age of files that were replaced.
    pub(super) fn of_replaced(config: &Config) -> Result<Self> {
        Self::from_config(config, "sm.vacuum.min_age_ms")
    }

    /// Returns the minimum age of files that a killed process may have left.
    pub(super) fn of_garbage(config: &Config) -> Result<Self> {
        Self::from_config(config, "sm.vacuum.garbage_min_age_ms")
    }

    /// Returns a minimum age.
    pub(super) fn new(age: Duration) -> Self {
        let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        Self {
            until: (age > 0).then(|| now().saturating_sub(age)),
        }
    }

    fn from_config(config: &Config, key: &'static str) -> Result<Self> {
        Ok(Self::new(Duration::from_millis(config.u64(key)?)))
    }

    /// Returns whether a file has the minimum age. A missing file has it.
    pub(super) fn has_passed(self, view: &StorageView, file: &Uri) -> Result<bool> {
        let Some(until) = self.until else {
            return Ok(true);
        };
        match view.modified(file) {
            Ok(changed) => Ok(changed <= until),
            Err(error) if error.is_missing_file() => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a folder and everything in it have the minimum age.
    pub(super) fn has_passed_below(self, view: &StorageView, folder: &Uri) -> Result<bool> {
        // Folders in memory have no modification time.
        let mut passed = self.has_passed(view, folder)?;
        if !passed || self.until.is_none() {
            return Ok(passed);
        }
        let walked = view.vfs.walk(folder, &mut |uri, entry| {
            if entry.kind == EntryKind::File || !entry.link {
                passed = self.has_passed(view, uri)?;
            }
            Ok(if passed {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        });
        match walked {
            Err(error) if error.is_missing_file() => Ok(true),
            walked => walked.map(|()| passed),
        }
    }
}
