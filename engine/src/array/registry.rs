//! The arrays that callers in this process have open.
//!
//! An array that is open for exclusive modification cannot be opened a second time in the process,
//! in any context, and one that is open cannot be opened for exclusive modification. Locks in
//! storage order the changes of several processes; this registry keeps a thread from removing what
//! another has open. Opens that operations need internally are not registered.
//!
//! Since 2.31, `MODIFY_EXCLUSIVE` is a deprecated name of `WRITE` and excludes no other opens.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::config::Release;
use crate::context::Context;
use crate::error::{ArrayError, Result};
use crate::platform::lock::{Mutex, PerProcess};
use crate::stats::Level;
use crate::types::QueryType;
use crate::vfs::Uri;

/// Returns the query type with which arrays and groups are opened for `MODIFY_EXCLUSIVE`, as
/// deleting fragments and groups requires.
pub fn exclusive_type() -> QueryType {
    match Release::current() {
        Release::V2_30 => QueryType::ModifyExclusive,
        Release::V2_31 => QueryType::Write,
    }
}

/// Returns the query type with which an object is opened if `query_type` is requested. Logs a
/// warning if the requested type is deprecated.
pub fn opened_type(context: &Context, query_type: QueryType) -> QueryType {
    if query_type != QueryType::ModifyExclusive || exclusive_type() == query_type {
        return query_type;
    }
    let message =
        "The query type MODIFY_EXCLUSIVE is deprecated: it is WRITE, and excludes no other opens";
    context.log.write(Level::Warning, message);
    exclusive_type()
}

/// The opens of an array in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Uses {
    /// The number of opens; at least 1.
    Shared(usize),
    Exclusive,
}

/// The open arrays by their URIs. A forked child has none registered: handles that it inherited are
/// those of the parent.
static OPEN: PerProcess<Mutex<HashMap<String, Uses>>> = PerProcess::new();

/// The registration of an open array, which ends when it is dropped.
#[derive(Debug)]
pub struct OpenRegistration {
    uri: String,
    /// The registry of the process that opened the array.
    registry: &'static Mutex<HashMap<String, Uses>>,
}

impl OpenRegistration {
    /// Registers an open.
    ///
    /// # Errors
    ///
    /// If the array is open for exclusive modification, or if it is open and this open is for
    /// exclusive modification.
    pub fn new(uri: &Uri, query_type: QueryType) -> Result<Self> {
        let registry = OPEN.get();
        let is_exclusive = query_type == QueryType::ModifyExclusive
            && exclusive_type() == QueryType::ModifyExclusive;
        let uri = uri.to_string();
        match registry.lock().entry(uri.clone()) {
            Entry::Vacant(unused) => {
                let uses = if is_exclusive {
                    Uses::Exclusive
                } else {
                    Uses::Shared(1)
                };
                unused.insert(uses);
            }
            Entry::Occupied(mut used) => match used.get_mut() {
                Uses::Shared(number) if !is_exclusive => *number += 1,
                _ => return Err(ArrayError::InUse { uri }.into()),
            },
        }
        Ok(Self { uri, registry })
    }
}

impl Drop for OpenRegistration {
    fn drop(&mut self) {
        if !std::ptr::eq(self.registry, OPEN.get()) {
            // The handle was inherited. A thread of the parent may have held the lock.
            return;
        }
        let mut registry = self.registry.lock();
        match registry.get_mut(&self.uri) {
            Some(Uses::Shared(number)) if *number > 1 => *number -= 1,
            _ => drop(registry.remove(&self.uri)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(uri: &Uri, query_type: QueryType) -> Option<OpenRegistration> {
        OpenRegistration::new(uri, query_type).ok()
    }

    #[test]
    fn an_array_is_open_once_for_exclusive_modification_or_any_number_of_times_otherwise() {
        let uri = Uri::parse("mem://registry/one").expect("uri");
        let other = Uri::parse("mem://registry/other").expect("uri");
        let exclusive = open(&uri, QueryType::ModifyExclusive).expect("first");
        for query_type in [
            QueryType::Read,
            QueryType::Write,
            QueryType::Delete,
            QueryType::ModifyExclusive,
        ] {
            assert!(open(&uri, query_type).is_none(), "{query_type:?}");
            assert!(open(&other, query_type).is_some(), "{query_type:?}");
        }
        drop(exclusive);
        let shared = [QueryType::Read, QueryType::Write].map(|kind| open(&uri, kind));
        for registration in shared {
            assert!(registration.is_some());
            assert!(open(&uri, QueryType::ModifyExclusive).is_none());
            drop(registration);
        }
        assert!(open(&uri, QueryType::ModifyExclusive).is_some());
    }
}
