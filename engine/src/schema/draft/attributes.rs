//! The attributes of the schema that a draft began with.

use std::sync::Arc;

use crate::platform::lock::OnceValue;
use crate::schema::{Attribute, Shared, shared};

/// Copies of the attributes of a complete schema, which callers may change. An attribute is copied
/// when it is first requested.
#[derive(Debug, Default)]
pub(super) struct AttributeHandles(OnceValue<Box<[OnceValue<Shared<Attribute>>]>>);

impl AttributeHandles {
    /// Returns the handle of one of the attributes of the schema; `None` if it does not exist.
    pub(super) fn get(
        &self,
        attributes: &[Arc<Attribute>],
        index: usize,
    ) -> Option<&Shared<Attribute>> {
        let attribute = attributes.get(index)?;
        let empty = || attributes.iter().map(|_| OnceValue::new()).collect();
        let handle = self.0.get_or_init(empty).get(index)?;
        Some(handle.get_or_init(|| shared(Attribute::clone(attribute))))
    }

    /// Returns the attributes as they are now.
    pub(super) fn finish(
        &self,
        attributes: &[Arc<Attribute>],
    ) -> impl Iterator<Item = Arc<Attribute>> {
        let handles = self.0.get();
        attributes
            .iter()
            .enumerate()
            .map(move |(index, attribute)| {
                let handle = handles.and_then(|handles| handles.get(index)?.get());
                match handle {
                    Some(changed) => Arc::new(changed.read().clone()),
                    None => attribute.clone(),
                }
            })
    }
}
