//! A cache that removes the least recently used entries, or keeps them against scans.
//!
//! A loop over more entries than fit removes each entry just before it is used again. A cache that
//! resists scans notices that: it remembers the keys of removed entries, and if more of them are
//! added again than entries are found, it stops replacing them: a new entry is then the next to be
//! removed, so that the others stay and are found in each turn of the loop. Every
//! [`SCAN_INSERTIONS`]th new entry is kept, and if hardly any entry is found, all are.

use std::collections::VecDeque;
use std::hash::Hash;

use hashbrown::HashMap;

use super::tuning::{MIN_SCAN_WINDOW, REMEMBERED_PER_ENTRY, SCAN_INSERTIONS, USELESS_SHARE};
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
    /// Of a cache that resists scans.
    scans: Option<ScanDetector<K>>,
}

/// Decides whether the entries of a cache are replaced or kept.
#[derive(Debug)]
struct ScanDetector<K> {
    /// The keys of removed entries, each with the number of uses before.
    removed: HashMap<K, u64>,
    /// The removals in their order, also those of keys that were added again.
    removals: VecDeque<(K, u64)>,
    /// The number of entries that were found or added.
    clock: u64,
    /// Since the last decision: the entries that were found or added, those that were found, those
    /// that were added again, and of these the ones that would have been found if new entries had
    /// replaced others.
    uses: usize,
    found: usize,
    missed: usize,
    missed_recent: usize,
    /// Whether a new entry is the next one to be removed.
    keeps: bool,
    /// The number of new entries since the last one that was not removed next.
    insertions: usize,
}

impl<K> Default for ScanDetector<K> {
    fn default() -> Self {
        Self {
            removed: HashMap::new(),
            removals: VecDeque::new(),
            clock: 0,
            uses: 0,
            found: 0,
            missed: 0,
            missed_recent: 0,
            keeps: false,
            insertions: 0,
        }
    }
}

impl<K: Clone + Eq + Hash> ScanDetector<K> {
    /// Counts an entry that was found among `entries`.
    fn find(&mut self, entries: usize) {
        self.found += 1;
        self.decide(entries);
    }

    /// Counts a new entry. Returns whether it is the next one to be removed.
    fn insert(&mut self, key: &K, entries: usize) -> bool {
        if let Some(removed) = self.removed.remove(key) {
            self.missed += 1;
            self.missed_recent += usize::from(self.clock - removed <= entries as u64);
        }
        self.decide(entries);
        self.insertions += 1;
        let replaces = !self.keeps || self.insertions >= SCAN_INSERTIONS;
        if replaces {
            self.insertions = 0;
        }
        !replaces
    }

    fn decide(&mut self, entries: usize) {
        self.clock += 1;
        self.uses += 1;
        // Those of a long loop that are found come all at once.
        let turns = if self.keeps { REMEMBERED_PER_ENTRY } else { 1 };
        if self.uses < entries.max(MIN_SCAN_WINDOW) * turns {
            return;
        }
        self.keeps = if self.keeps {
            self.found >= self.missed_recent.max(self.uses / USELESS_SHARE)
        } else {
            self.missed > self.found
        };
        (self.uses, self.found, self.missed, self.missed_recent) = (0, 0, 0, 0);
    }

    /// Remembers a removed entry, and forgets the oldest if there are too many for `entries`.
    fn remember(&mut self, key: K, entries: usize) {
        self.removed.insert(key.clone(), self.clock);
        self.removals.push_back((key, self.clock));
        let most = entries.max(MIN_SCAN_WINDOW) * REMEMBERED_PER_ENTRY;
        while self.removals.len() > most {
            let Some((key, clock)) = self.removals.pop_front() else {
                return;
            };
            if self.removed.get(&key) == Some(&clock) {
                self.removed.remove(&key);
            }
        }
    }
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
            scans: None,
        }))
    }
}

impl<K, V> LruCache<K, V> {
    /// Returns an empty cache that resists scans.
    pub fn scan_resistant() -> Self {
        let cache = Self::default();
        cache.0.lock().scans = Some(ScanDetector::default());
        cache
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
        let count = entries.by_key.len();
        if let Some(scans) = &mut entries.scans {
            scans.find(count);
        }
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
            let is_full = entries.size > limit - size;
            while entries.size > limit - size {
                removed.extend(entries.remove_oldest());
            }
            let count = entries.by_key.len();
            let scans = entries.scans.as_mut();
            let is_next = scans.is_some_and(|scans| scans.insert(&key, count));
            let slot = entries.add(key, value, size);
            if is_next && is_full {
                entries.unlink(slot);
                entries.link_oldest(slot);
            }
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
    fn add(&mut self, key: K, value: V, size: usize) -> usize {
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
        slot
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
        let removed = self.remove(&key);
        let count = self.by_key.len();
        if let Some(scans) = &mut self.scans {
            scans.remember(key, count);
        }
        removed
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

    fn link_oldest(&mut self, slot: usize) {
        let second = std::mem::replace(&mut self.oldest, slot);
        self.slots[slot].older = NONE;
        self.slots[slot].newer = second;
        match second {
            NONE => self.newest = slot,
            second => self.slots[second].older = slot,
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

    /// Returns the share of uses that were found, in percent, of the second half of `keys`.
    fn found(cache: &LruCache<u64, u64>, keys: impl IntoIterator<Item = u64>) -> usize {
        let keys: Vec<u64> = keys.into_iter().collect();
        let mut found = 0;
        for (index, key) in keys.iter().enumerate() {
            match cache.get(key) {
                Some(value) => {
                    assert_eq!(value, *key);
                    found += usize::from(index >= keys.len() / 2);
                }
                None => cache.put(*key, *key, 10, 10_000),
            }
            assert!(cache.size() <= 10_000);
        }
        found * 100 / (keys.len() - keys.len() / 2)
    }

    /// Returns numbers below `bound` in a pseudo-random order.
    fn random(bound: u64, count: u64) -> impl Iterator<Item = u64> {
        (0..count).map(move |index| (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) % bound)
    }

    fn both(keys: impl Iterator<Item = u64> + Clone) -> (usize, usize) {
        let (plain, resistant) = (LruCache::default(), LruCache::scan_resistant());
        (found(&plain, keys.clone()), found(&resistant, keys))
    }

    #[test]
    fn loops_over_more_entries_than_fit_find_those_that_stay() {
        for (entries, least) in [(999, 100), (1001, 95), (1100, 85), (1500, 60), (3000, 28)] {
            let (plain, resistant) = both((0..20 * entries).map(move |index| index % entries));
            assert_eq!(plain, if entries > 1000 { 0 } else { 100 }, "{entries}");
            assert!(resistant >= least, "{entries}: {resistant}");
        }
    }

    #[test]
    fn recent_entries_are_found_as_without_resistance_to_scans() {
        // Windows of 500 entries that move by 50, each used twice.
        let windows = (0..400_u64).flat_map(|window| (0..1000).map(move |i| window * 50 + i % 500));
        let (plain, resistant) = both(windows);
        assert!(resistant >= plain, "{plain} {resistant}");
        for bound in [900, 1100, 2000, 10_000] {
            let keys: Vec<u64> = random(bound, 40_000).collect();
            let (plain, resistant) = both(keys.into_iter());
            assert!(resistant + 2 >= plain, "{bound}: {plain} {resistant}");
        }
    }

    #[test]
    fn entries_of_another_loop_replace_those_that_stayed() {
        let cache = LruCache::scan_resistant();
        let turns = |first: u64, entries: u64| (0..20 * entries).map(move |i| first + i % entries);
        assert!(found(&cache, turns(0, 1200)) > 75);
        assert!(found(&cache, turns(10_000, 1200)) > 75);
        assert_eq!(found(&cache, turns(20_000, 800)), 100);
        // A single pass over many entries leaves most of a loop.
        assert!(found(&cache, turns(0, 1200)) > 75);
        assert_eq!(found(&cache, 100_000..100_900), 0);
        assert!(found(&cache, (0..1200).chain(0..1200)) > 40);
    }

    #[test]
    fn removed_keys_are_remembered_up_to_a_multiple_of_the_entries() {
        let cache = LruCache::scan_resistant();
        found(&cache, 0..200_000);
        let entries = cache.entries().expect("not inherited");
        let scans = entries.scans.as_ref().expect("resists scans");
        let most = 1000 * REMEMBERED_PER_ENTRY;
        assert!(scans.removals.len() <= most && scans.removed.len() <= most);
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
