//! Sorts the entries of a listing.

use super::{Entry, EntryKind};

/// Sorts entries by name. The names in a folder of an array are long and begin alike, so the bytes
/// after their common prefix are compared first, as a number.
pub(super) fn sort_by_name(entries: &mut Vec<Entry>) {
    if entries.is_sorted_by(|a, b| a.name <= b.name) {
        return;
    }
    let prefix = common_prefix_len(entries);
    let keys = entries.iter().enumerate();
    // Small elements are sorted faster. Most names differ in the bytes of the keys.
    let mut keys: Vec<(u64, u32)> = keys
        .map(|(index, entry)| (key(&entry.name, prefix), index as u32))
        .collect();
    let name = |index: u32| {
        entries
            .get(index as usize)
            .map(|entry: &Entry| entry.name.as_str())
    };
    keys.sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| name(*i).cmp(&name(*j))));
    let mut sorted = Vec::with_capacity(entries.len());
    for (_, index) in keys {
        let none = Entry {
            name: String::new(),
            kind: EntryKind::File,
            size: 0,
            link: false,
        };
        sorted.extend(
            entries
                .get_mut(index as usize)
                .map(|entry| std::mem::replace(entry, none)),
        );
    }
    *entries = sorted;
}

/// Returns the length of the longest prefix that all names have.
fn common_prefix_len(entries: &[Entry]) -> usize {
    let Some((first, others)) = entries.split_first() else {
        return 0;
    };
    let first = first.name.as_bytes();
    others.iter().fold(first.len(), |len, other| {
        let pairs = first.iter().take(len).zip(other.name.as_bytes());
        pairs.take_while(|(a, b)| a == b).count()
    })
}

/// Returns the bytes of a name from `prefix` on, as many as fit into a number, the first one as the
/// highest byte.
fn key(name: &str, prefix: usize) -> u64 {
    let rest = name.as_bytes().get(prefix..).unwrap_or_default();
    if let Some(key) = rest.first_chunk() {
        return u64::from_le_bytes(*key).swap_bytes();
    }
    let mut key = [0; 8];
    key[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(key).swap_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_are_in_the_order_of_their_names(
            prefix in "[a-b]{0,20}",
            names in proptest::collection::vec("[\\x00a-c]{0,20}", 0..40),
        ) {
            let mut names: Vec<String> = names.iter().map(|name| prefix.clone() + name).collect();
            let entry = |name: &String| Entry {
                name: name.clone(),
                kind: EntryKind::Directory,
                size: name.len() as u64,
                link: false,
            };
            let mut entries: Vec<Entry> = names.iter().map(entry).collect();
            sort_by_name(&mut entries);
            names.sort();
            let expected: Vec<Entry> = names.iter().map(entry).collect();
            prop_assert_eq!(entries, expected);
        }
    }
}
