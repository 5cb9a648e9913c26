//! Workspaces from a process-wide pool.

use std::ops::{Deref, DerefMut};

use super::idle::Idle;
use super::workspace_pool::Workspace;

/// A workspace that returns to the pool when it is dropped.
#[derive(Debug)]
pub struct Pooled<T: Workspace>(Option<Box<T>>);

impl<T: Workspace> Pooled<T> {
    /// Returns an idle workspace, or creates one.
    ///
    /// # Errors
    ///
    /// Returns the error of `create`.
    pub fn try_new<E>(create: impl FnOnce() -> Result<T, E>) -> Result<Self, E> {
        let idle = Idle::of_process();
        let workspace = match idle.workspaces.take(&idle.workspace_bytes) {
            Some(workspace) => workspace,
            None => Box::new(create()?),
        };
        Ok(Self(Some(workspace)))
    }
}

impl<T: Workspace + Default> Default for Pooled<T> {
    fn default() -> Self {
        let idle = Idle::of_process();
        let workspace = idle.workspaces.take(&idle.workspace_bytes);
        Self(Some(workspace.unwrap_or_default()))
    }
}

impl<T: Workspace> Deref for Pooled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().expect("set until it is dropped")
    }
}

impl<T: Workspace> DerefMut for Pooled<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect("set until it is dropped")
    }
}

impl<T: Workspace> Drop for Pooled<T> {
    fn drop(&mut self) {
        // After a panic its state is unknown.
        if let Some(workspace) = self.0.take().filter(|_| !std::thread::panicking()) {
            let idle = Idle::of_process();
            idle.workspaces.put(workspace, &idle.workspace_bytes);
        }
    }
}
