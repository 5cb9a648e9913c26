//! The fields of a query that have buffers, with an index of their names.

use std::ops::{Deref, DerefMut};

use super::buffers::Field;

/// The fields in the order in which their first buffers were set.
///
/// Each call that sets a buffer searches its field, so that the cost of setting all buffers would
/// grow with the square of their number without an index.
#[derive(Clone, Default)]
pub(crate) struct FieldList {
    fields: Vec<Field>,
    /// The indexes of the fields in the order of their names.
    by_name: Vec<usize>,
}

impl FieldList {
    /// Returns the position of a field in `by_name`, or the position at which it can be inserted.
    fn search(&self, name: &str) -> Result<usize, usize> {
        self.by_name
            .binary_search_by(|index| self.fields[*index].name[..].cmp(name))
    }

    /// Returns a field by name.
    pub(crate) fn find(&self, name: &str) -> Option<&Field> {
        let position = self.search(name).ok()?;
        self.fields.get(self.by_name[position])
    }

    /// Returns a field by name, which is added without buffers if it does not exist.
    pub(super) fn find_or_add(&mut self, name: &str) -> &mut Field {
        let index = match self.search(name) {
            Ok(position) => self.by_name[position],
            Err(position) => {
                self.by_name.insert(position, self.fields.len());
                self.fields.push(Field::without_buffers(name));
                self.fields.len() - 1
            }
        };
        &mut self.fields[index]
    }

    /// Removes the fields for which `is_kept` returns false.
    pub(super) fn retain(&mut self, is_kept: impl FnMut(&Field) -> bool) {
        self.fields.retain(is_kept);
        let fields = &self.fields;
        self.by_name = (0..fields.len()).collect();
        self.by_name.sort_by_key(|index| &fields[*index].name);
    }
}

impl Deref for FieldList {
    type Target = [Field];

    fn deref(&self) -> &Self::Target {
        &self.fields
    }
}

impl DerefMut for FieldList {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(fields: &FieldList) -> Vec<&str> {
        fields.iter().map(|field| &field.name[..]).collect()
    }

    #[test]
    fn fields_stay_in_the_order_in_which_they_were_added() {
        let mut fields = FieldList::default();
        for name in ["b", "c", "a", "b", "a"] {
            assert_eq!(fields.find_or_add(name).name, name);
        }
        assert_eq!(names(&fields), ["b", "c", "a"]);
        assert!(fields.find("c").is_some() && fields.find("d").is_none());
    }

    #[test]
    fn fields_are_found_after_others_are_removed() {
        let mut fields = FieldList::default();
        for name in ["d", "b", "a", "c"] {
            fields.find_or_add(name);
        }
        fields.retain(|field| field.name != "b");
        assert_eq!(names(&fields), ["d", "a", "c"]);
        assert!(fields.find("b").is_none());
        for name in ["a", "c", "d"] {
            assert_eq!(fields.find(name).map(|field| &field.name[..]), Some(name));
        }
    }
}
