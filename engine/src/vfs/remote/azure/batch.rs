//! Deletions of several objects with one request.

use std::sync::atomic::Ordering;

use super::super::delete_batch::DeleteBatch;
use super::super::store::{Location, ObjectStore, StoreResult};
use super::Azure;
use crate::http::exchange::{BodyTarget, Request};

/// The maximum number of deletions of a request.
pub(super) const MAX_DELETIONS: usize = 256;

impl Azure {
    pub(super) fn has_batches(&self) -> bool {
        !self.lacks_batches.load(Ordering::Relaxed)
    }

    pub(super) fn delete_batch(&self, container: &str, keys: &[String]) -> StoreResult<()> {
        if keys.len() <= 1 || !self.has_batches() {
            return self.delete_each(container, keys);
        }
        let mut batch = DeleteBatch::new();
        for key in keys {
            let object = Location {
                bucket: container.to_owned(),
                key: key.clone(),
            };
            let mut part = Request::new("DELETE", self.object_url(&object));
            self.sign(&mut part)?;
            batch.add(&part);
        }
        let url = self.container_url(container);
        let url = url.query("restype", "container").query("comp", "batch");
        let (kind, body) = batch.finish();
        let request = Request::new("POST", url).header("content-type", kind);
        match self.send(request.body(body).slow(), BodyTarget::Collect) {
            // Single deletions repeat those that failed, or return the reason.
            Ok(response) if !batch.all_succeeded(&response.body) => {
                self.delete_each(container, keys)
            }
            Err(failure) if matches!(failure.status, 400 | 404 | 405 | 501) => {
                self.delete_each(container, keys)?;
                // Single deletions work, so the service does not support batches.
                self.lacks_batches.store(true, Ordering::Relaxed);
                Ok(())
            }
            sent => sent.map(drop),
        }
    }
}
