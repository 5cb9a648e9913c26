//! Values that handles of the C API share: changing one through a handle changes it for all.

use std::sync::Arc;

use crate::platform::lock::RwLock;

/// A value that multiple handles can change.
pub type Shared<T> = Arc<RwLock<T>>;

/// Makes a value shareable between handles.
pub fn shared<T>(value: T) -> Shared<T> {
    Arc::new(RwLock::new(value))
}
