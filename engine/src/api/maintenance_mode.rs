//! Configurations with the mode of consolidation and vacuum.

use crate::config::Config;
use crate::error::Result;

pub use crate::maintenance::MaintenanceMode;

impl MaintenanceMode {
    /// Returns a configuration with this mode.
    pub(super) fn config(self, base: &Config) -> Result<Config> {
        let mut config = base.clone();
        config.set("sm.consolidation.mode", self.name())?;
        config.set("sm.vacuum.mode", self.name())?;
        Ok(config)
    }
}
