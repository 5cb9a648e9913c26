//! The attributes of a schema, with an index of their names.

use std::ops::Deref;
use std::sync::Arc;

use super::Attribute;
use crate::platform::lock::OnceValue;

/// The number of attributes up to which comparing all names is faster than the index.
const FEW: usize = 16;

/// The attributes of a schema in their order.
///
/// Reads and writes search an attribute by name several times for each attribute, so that a linear
/// search would make their cost grow with the square of the number.
#[derive(Clone, Debug, Default)]
pub struct AttributeList {
    attributes: Vec<Arc<Attribute>>,
    /// The indexes of the attributes in the order of their names. Made by the first search.
    by_name: OnceValue<Vec<usize>>,
}

impl AttributeList {
    /// Returns the index of the first attribute with a name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        let attributes = &self.attributes;
        if attributes.len() <= FEW {
            return attributes
                .iter()
                .position(|attribute| attribute.name == name);
        }
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: Vec<usize> = (0..attributes.len()).collect();
            by_name.sort_by_key(|index| &attributes[*index].name);
            by_name
        });
        let name_at = |index: usize| &attributes[index].name[..];
        let position = by_name.partition_point(|index| name_at(*index) < name);
        by_name
            .get(position)
            .copied()
            .filter(|index| name_at(*index) == name)
    }

    /// Returns the attributes, which the caller may change.
    pub(super) fn make_mut(&mut self) -> &mut [Arc<Attribute>] {
        self.by_name = OnceValue::new();
        &mut self.attributes
    }

    /// Removes an attribute.
    ///
    /// # Panics
    ///
    /// If the index is not below the number of attributes.
    pub(super) fn remove(&mut self, index: usize) {
        self.attributes.remove(index);
        self.by_name = OnceValue::new();
    }
}

impl Deref for AttributeList {
    type Target = [Arc<Attribute>];

    fn deref(&self) -> &Self::Target {
        &self.attributes
    }
}

impl PartialEq for AttributeList {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
    }
}

impl From<Vec<Arc<Attribute>>> for AttributeList {
    fn from(attributes: Vec<Arc<Attribute>>) -> Self {
        Self {
            attributes,
            by_name: OnceValue::new(),
        }
    }
}

impl FromIterator<Arc<Attribute>> for AttributeList {
    fn from_iter<I: IntoIterator<Item = Arc<Attribute>>>(attributes: I) -> Self {
        Self::from(Vec::from_iter(attributes))
    }
}

impl<'a> IntoIterator for &'a AttributeList {
    type Item = &'a Arc<Attribute>;
    type IntoIter = std::slice::Iter<'a, Arc<Attribute>>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Datatype;

    fn list(names: impl IntoIterator<Item = String>) -> AttributeList {
        let attribute = |name: String| Arc::new(Attribute::new(&name, Datatype::Int8));
        names.into_iter().map(attribute).collect()
    }

    #[test]
    fn attributes_are_found_by_name() {
        for number in [0, 1, FEW, FEW + 1, 200] {
            let mut attributes = list((0..number).map(|index| format!("a{index}")));
            for index in 0..number {
                assert_eq!(attributes.index_of(&format!("a{index}")), Some(index));
            }
            for unknown in ["", "a", "a00", "b", &format!("a{number}")] {
                assert_eq!(attributes.index_of(unknown), None, "{unknown}");
            }
            if number > 1 {
                attributes.remove(0);
                assert_eq!(attributes.index_of("a0"), None);
                assert_eq!(attributes.index_of("a1"), Some(0));
            }
        }
    }

    #[test]
    fn the_first_of_attributes_with_equal_names_is_found() {
        let attributes = list((0..3 * FEW).map(|index| format!("a{}", index % FEW)));
        for index in 0..FEW {
            assert_eq!(attributes.index_of(&format!("a{index}")), Some(index));
        }
    }
}
