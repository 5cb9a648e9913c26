//! The attributes, dimensions, labels and enumerations of a schema, with an index of their names.

use std::hash::BuildHasher;
use std::ops::Deref;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The number of items up to which comparing all names is faster than the index.
const FEW: usize = 16;

/// An item of a schema that has a name.
pub trait Named {
    /// Returns the name.
    fn name(&self) -> &str;
}

impl<T: Named> Named for Arc<T> {
    fn name(&self) -> &str {
        T::name(self)
    }
}

impl Named for String {
    fn name(&self) -> &str {
        self
    }
}

/// Items of a schema in their order.
///
/// Reads and writes search a field by name several times for each field, so that a linear search
/// would make their cost grow with the square of the number.
#[derive(Clone, Debug)]
pub struct NamedList<T> {
    items: Vec<T>,
    /// The index, if there are more than [`FEW`] items.
    index: Option<NameIndex>,
}

/// The numbers of items by their names.
#[derive(Clone, Debug, Default)]
struct NameIndex {
    hasher: DefaultHashBuilder,
    numbers: HashTable<usize>,
}

impl NameIndex {
    fn of<T: Named>(items: &[T]) -> Self {
        let mut index = Self {
            numbers: HashTable::with_capacity(items.len()),
            ..Self::default()
        };
        (0..items.len()).for_each(|number| index.add(items, number));
        index
    }

    fn find<T: Named>(&self, items: &[T], name: &str) -> Option<usize> {
        let is_same = |number: &usize| items[*number].name() == name;
        let hash = self.hasher.hash_one(name);
        self.numbers.find(hash, is_same).copied()
    }

    /// Adds an item, unless one before it has its name.
    fn add<T: Named>(&mut self, items: &[T], number: usize) {
        let name_of = |number: &usize| items[*number].name();
        let name = name_of(&number);
        let hash_of = |name: &str| self.hasher.hash_one(name);
        let entry = self.numbers.entry(
            hash_of(name),
            |known| name_of(known) == name,
            |known| hash_of(name_of(known)),
        );
        entry.or_insert(number);
    }
}

impl<T: Named> NamedList<T> {
    /// Returns the index of the first item with a name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.find(&self.items, name),
            None => self.items.iter().position(|item| item.name() == name),
        }
    }

    /// Returns the first item with a name.
    pub fn named(&self, name: &str) -> Option<&T> {
        self.items.get(self.index_of(name)?)
    }

    /// Returns whether an item has this name.
    pub fn has(&self, name: &str) -> bool {
        self.index_of(name).is_some()
    }

    /// Returns whether several items have the same name.
    pub(super) fn has_duplicates(&self) -> bool {
        match &self.index {
            Some(index) => index.numbers.len() < self.items.len(),
            None => self.iter().enumerate().any(|(number, item)| {
                self.items[..number]
                    .iter()
                    .any(|other| other.name() == item.name())
            }),
        }
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        self.items.push(item);
        match &mut self.index {
            Some(index) => index.add(&self.items, self.items.len() - 1),
            None => self.renew_index(),
        }
    }

    /// Changes items, also their names.
    pub fn update<R>(&mut self, change: impl FnOnce(&mut [T]) -> R) -> R {
        let result = change(&mut self.items);
        self.renew_index();
        result
    }

    /// Removes the items with a name.
    pub(super) fn remove(&mut self, name: &str) {
        if self.has(name) {
            self.retain(|item| item.name() != name);
        }
    }

    /// Keeps the items that satisfy a condition.
    pub(super) fn retain(&mut self, keeps: impl FnMut(&T) -> bool) {
        self.items.retain(keeps);
        self.renew_index();
    }

    fn renew_index(&mut self) {
        self.index = (self.items.len() > FEW).then(|| NameIndex::of(&self.items));
    }
}

impl<T> Default for NamedList<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            index: None,
        }
    }
}

impl<T> Deref for NamedList<T> {
    type Target = [T];

    fn deref(&self) -> &Self::Target {
        &self.items
    }
}

impl<T: PartialEq> PartialEq for NamedList<T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<T: Named> From<Vec<T>> for NamedList<T> {
    fn from(items: Vec<T>) -> Self {
        let mut list = Self { items, index: None };
        list.renew_index();
        list
    }
}

impl<T: Named> FromIterator<T> for NamedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::from(Vec::from_iter(items))
    }
}

impl<'a, T> IntoIterator for &'a NamedList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: impl IntoIterator<Item = String>) -> NamedList<String> {
        names.into_iter().collect()
    }

    #[test]
    fn items_are_found_by_name() {
        for number in [0, 1, FEW, FEW + 1, 200] {
            let mut items = list((0..number).map(|index| format!("a{index}")));
            for index in 0..number {
                assert_eq!(items.index_of(&format!("a{index}")), Some(index));
            }
            for unknown in ["", "a", "a00", "b", &format!("a{number}")] {
                assert_eq!(items.index_of(unknown), None, "{unknown}");
            }
            assert!(!items.has_duplicates());
            items.push(format!("a{number}"));
            assert_eq!(items.index_of(&format!("a{number}")), Some(number));
            items.retain(|item| item != "a0");
            assert_eq!(items.index_of("a0"), None);
            let first = number.checked_sub(1).map(|_| 0);
            assert_eq!(items.index_of("a1"), first);
            let name = items.named("a1").map(|item| &item[..]);
            assert_eq!(name, first.map(|_| "a1"));
            let renamed = items.update(|items| {
                let first = items.first_mut()?;
                *first = "renamed".to_owned();
                Some(0)
            });
            assert_eq!(items.index_of("renamed"), renamed);
            items.push("renamed".to_owned());
            assert_eq!(items.has_duplicates(), renamed.is_some());
            assert_eq!(renamed.is_some(), items.len() > 1);
        }
    }

    #[test]
    fn the_first_of_items_with_equal_names_is_found() {
        let mut items = list((0..3 * FEW).map(|index| format!("a{}", index % FEW)));
        assert!(items.has_duplicates());
        for _ in 0..2 {
            for index in 0..FEW {
                assert_eq!(items.index_of(&format!("a{index}")), Some(index));
            }
            items.push("a3".to_owned());
        }
    }
}
