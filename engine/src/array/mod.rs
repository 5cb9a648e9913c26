//! One array: its directory, what one opening of it sees, its states.

mod create;
mod open;
mod snapshot;

pub use create::create;
pub use open::Array;
pub use snapshot::Snapshot;
