//! A cache that removes the least recently used entries.

use std::hash::Hash;

use hashbrown::HashMap;

use crate::platform::lock::{Mutex, MutexGuard, lock_unless_inherited};

/// A cache with a bound on the total size of its entries, in bytes or another unit of the caller.
///
/// In a forked child whose parent's thread was changing the cache, it is empty and stays so.
#[derive(Debug)]
pub struct LruCache<K, V>(Mutex<Entries<K, V>>);

/// The end of the list of entries.
const NONE: usize = usize::MAX;

#[derive(Debug)]
struct Entries<K, V> {
    /// The index of each entry.
    by_key: HashMap<K, usize>,
    /// The entries, linked from the most to the least recently used. Unused slots are in `free`.
    slots: Vec<Slot<K, V>>,
    free: Vec<usize>,
    newest: usize,
    oldest: usize,
    size: usize,
}

#[derive(Debug)]
struct Slot<K, V> {
    key: K,
    /// The value and its size; `None` in an unused slot.
    value: Option<(V, usize)>,
    newer: usize,
    older: usize,
}

impl<K, V> Default for LruCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Entries {
            by_key: HashMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            newest: NONE,
            oldest: NONE,
            size: 0,
        }))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> LruCache<K, V> {
    /// Returns a copy of a value if it is cached.
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let mut entries = self.entries()?;
        let slot = *entries.by_key.get(key)?;
        entries.unlink(slot);
        entries.link_newest(slot);
        let (value, _) = entries.slots[slot].value.as_ref()?;
        Some(value.clone())
    }

    /// Adds a value, or replaces the one with this key, and removes the least recently used entries
    /// until their total size is at most `limit`. A value that is larger than a quarter of that is
    /// not added.
    pub fn put(&self, key: K, value: V, size: usize, limit: usize) {
        if size > limit / 4 {
            return;
        }
        // Removed values are dropped after the lock is released.
        let mut removed = Vec::new();
        if let Some(mut entries) = self.entries() {
            removed.extend(entries.remove(&key));
            while entries.size > limit - size {
                removed.extend(entries.remove_oldest());
            }
            entries.add(key, value, size);
        }
    }

    /// Removes the least recently used entries until their total size is at most `limit`.
    pub fn shrink(&self, limit: usize) {
        // Removed values are dropped after the lock is released.
        let mut removed = Vec::new();
        if let Some(mut entries) = self.entries() {
            while entries.size > limit {
                removed.extend(entries.remove_oldest());
            }
        }
    }

    /// Removes an entry.
    pub fn remove(&self, key: &K) {
        let removed = self.entries().and_then(|mut entries| entries.remove(key));
        drop(removed);
    }

    /// Returns the total size of the entries.
    pub fn size(&self) -> usize {
        self.entries().map_or(0, |entries| entries.size)
    }

    fn entries(&self) -> Option<MutexGuard<'_, Entries<K, V>>> {
        lock_unless_inherited(&self.0)
    }
}

impl<K: Clone + Eq + Hash, V> Entries<K, V> {
    fn add(&mut self, key: K, value: V, size: usize) {
        let entry = Slot {
            key: key.clone(),
            value: Some((value, size)),
            newer: NONE,
            older: NONE,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot] = entry;
                slot
            }
            None => {
                self.slots.push(entry);
                self.slots.len() - 1
            }
        };
        self.by_key.insert(key, slot);
        self.size += size;
        self.link_newest(slot);
    }

    fn remove(&mut self, key: &K) -> Option<V> {
        let slot = self.by_key.remove(key)?;
        self.unlink(slot);
        self.free.push(slot);
        let (value, size) = self.slots[slot].value.take()?;
        self.size -= size;
        Some(value)
    }

    fn remove_oldest(&mut self) -> Option<V> {
        let key = self.slots.get(self.oldest)?.key.clone();
        self.remove(&key)
    }

    fn unlink(&mut self, slot: usize) {
        let Slot { newer, older, .. } = self.slots[slot];
        match newer {
            NONE => self.newest = older,
            newer => self.slots[newer].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.slots[older].newer = newer,
        }
    }

    fn link_newest(&mut self, slot: usize) {
        let second = std::mem::replace(&mut self.newest, slot);
        self.slots[slot].newer = NONE;
        self.slots[slot].older = second;
        match second {
            NONE => self.oldest = slot,
            second => self.slots[second].newer = slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn recently_used_entries_are_kept_within_the_limit() {
        let cache = LruCache::default();
        for key in 0..100 {
            cache.put(key, 2 * key, 10, 100);
            assert_eq!(cache.get(&0), Some(0), "{key}");
            assert!(cache.size() <= 100);
        }
        assert_eq!((cache.get(&99), cache.get(&50)), (Some(198), None));
        cache.put(200, 1, 26, 100);
        assert_eq!(cache.get(&200), None, "more than a quarter");
        cache.remove(&99);
        assert_eq!((cache.get(&99), cache.size()), (None, 90));
    }

    /// The reference: entries from the least to the most recently used.
    fn put(model: &mut Vec<(u8, usize)>, key: u8, size: usize, limit: usize) {
        if size > limit / 4 {
            return;
        }
        model.retain(|entry| entry.0 != key);
        while model.iter().map(|entry| entry.1).sum::<usize>() + size > limit {
            model.remove(0);
        }
        model.push((key, size));
    }

    proptest! {
        #[test]
        fn entries_equal_those_of_a_list(steps in vec((0..4u8, 0..20u8, 0..40usize), 0..200)) {
            let (cache, mut model) = (LruCache::default(), Vec::new());
            for (step, key, size) in steps {
                match step {
                    0 => {
                        cache.put(key, size, size, 100);
                        put(&mut model, key, size, 100);
                    }
                    1 => {
                        cache.remove(&key);
                        model.retain(|entry| entry.0 != key);
                    }
                    2 => {
                        cache.shrink(2 * size);
                        while model.iter().map(|entry| entry.1).sum::<usize>() > 2 * size {
                            model.remove(0);
                        }
                    }
                    _ => {
                        let index = model.iter().position(|entry| entry.0 == key);
                        let expected = index.map(|index| model.remove(index));
                        model.extend(expected);
                        prop_assert_eq!(cache.get(&key), expected.map(|entry| entry.1));
                    }
                }
                prop_assert_eq!(cache.size(), model.iter().map(|entry| entry.1).sum::<usize>());
            }
        }
    }
}
