//! Configurations as messages.

use super::message::{self, DEFAULT_LIMIT, MessageEncoding};
use super::messages_capnp::config;
use super::texts::{length, short, text};
use crate::config::Config;
use crate::error::{MessageKind, Result};

/// The parameters that name the readers. A message without any of them is from a client before
/// 2.4, whose queries need the legacy reader.
const READERS: [&str; 3] = [
    "sm.query.dense.reader",
    "sm.query.sparse_global_order.reader",
    "sm.query.sparse_unordered_with_dups.reader",
];

/// Writes a configuration: all parameters with values, including those of the environment.
pub fn write_config(config: &Config, encoding: MessageEncoding) -> Result<Vec<u8>> {
    message::write::<config::Owned>(MessageKind::Config, encoding, |to| fill(to, config))
}

/// Reads a configuration.
pub fn read_config(bytes: &[u8], encoding: MessageEncoding) -> Result<Config> {
    message::read::<config::Owned, _>(MessageKind::Config, encoding, bytes, DEFAULT_LIMIT, parse)
}

/// Fills the message of a configuration.
pub(super) fn fill(to: config::Builder<'_>, config: &Config) -> Result<()> {
    let parameters = config.with_prefix("");
    let mut entries = to.init_entries(length("A configuration", parameters.len())?);
    for (index, (name, value)) in (0..).zip(&parameters) {
        let mut entry = entries.reborrow().get(index);
        entry.set_key(short("The name of a parameter", name)?);
        entry.set_value(short("The value of a parameter", value)?);
    }
    Ok(())
}

/// Reads the message of a configuration.
pub(super) fn parse(from: config::Reader<'_>) -> Result<Config> {
    let mut config = Config::new();
    if !from.has_entries() {
        return Ok(config);
    }
    let mut readers = false;
    for entry in from.get_entries()? {
        let name = text(entry.get_key())?;
        config.set(name, text(entry.get_value())?)?;
        readers |= READERS.contains(&name);
    }
    if !readers {
        for name in READERS {
            config.set(name, "legacy")?;
        }
    }
    Ok(config)
}
