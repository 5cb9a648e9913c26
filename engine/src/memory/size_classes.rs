//! Freed buffers of one element type, by size class.
//!
//! Buffers are in lock-free queues, one for each class. A class contains capacities from its size
//! up to the next class; there are four classes for each power of two.

use crossbeam::queue::ArrayQueue;

use super::idle_bytes::IdleBytes;
use super::tuning::{
    BUFFERS_PER_CLASS, MAX_IDLE_BUFFER_BYTES, MAX_POOLED_BUFFER, MIN_POOLED_BUFFER,
};

/// The number of size classes for each power of two is 2 to the power of this.
const CLASS_BITS: u32 = 2;
/// The number of size classes.
const CLASSES: usize = class_of(MAX_POOLED_BUFFER) + 1;

/// Returns the class that contains a size of at least [`MIN_POOLED_BUFFER`] bytes.
const fn class_of(bytes: usize) -> usize {
    let exponent = bytes.ilog2();
    let steps = (bytes >> (exponent - CLASS_BITS)) - (1 << CLASS_BITS);
    (((exponent - MIN_POOLED_BUFFER.ilog2()) << CLASS_BITS) as usize) + steps
}

/// Freed buffers of one element type.
#[derive(Debug)]
pub(super) struct BufferPool<T>(Box<[ArrayQueue<Vec<T>>]>);

impl<T> Default for BufferPool<T> {
    fn default() -> Self {
        let queue = |_| ArrayQueue::new(BUFFERS_PER_CLASS);
        Self((0..CLASSES).map(queue).collect())
    }
}

impl<T> BufferPool<T> {
    /// Removes and returns a vector of the smallest class that has one with a capacity of at least
    /// `len` values, or returns an empty vector. Larger classes are used as well, so that buffers
    /// of a size that is no longer needed do not fill the pool.
    pub(super) fn take(&self, len: usize, idle: &IdleBytes) -> Vec<T> {
        let bytes = len.saturating_mul(size_of::<T>());
        if !(MIN_POOLED_BUFFER..=MAX_POOLED_BUFFER).contains(&bytes) {
            return Vec::new();
        }
        let class = class_of(bytes);
        for queue in &self.0[class..] {
            let Some(buffer) = queue.pop() else {
                continue;
            };
            // Buffers of the first class may be smaller.
            if buffer.capacity() >= len {
                idle.remove(buffer.capacity() * size_of::<T>());
                return buffer;
            }
            if let Err(buffer) = queue.push(buffer) {
                idle.remove(buffer.capacity() * size_of::<T>());
            }
        }
        Vec::new()
    }

    /// Adds a vector, unless more than `max` bytes would be idle.
    pub(super) fn put(&self, buffer: Vec<T>, idle: &IdleBytes, max: usize) {
        let bytes = buffer.capacity() * size_of::<T>();
        if (MIN_POOLED_BUFFER..=MAX_POOLED_BUFFER).contains(&bytes)
            && idle.try_add(bytes, max.min(MAX_IDLE_BUFFER_BYTES))
            && self.0[class_of(bytes)].push(buffer).is_err()
        {
            idle.remove(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_ascend_by_quarters_of_a_power_of_two() {
        let sizes = [4096, 5119, 5120, 6144, 7168, 8191, 8192, 10_240];
        let classes = sizes.map(class_of);
        assert_eq!(classes, [0, 0, 1, 2, 3, 3, 4, 5]);
        assert_eq!(class_of(MAX_POOLED_BUFFER), CLASSES - 1);
    }

    #[test]
    fn take_returns_a_sufficient_vector() {
        let (pool, idle) = (BufferPool::default(), IdleBytes::default());
        for len in [9000, 5000, 7000, 100] {
            pool.put(Vec::<u8>::with_capacity(len), &idle, 20_000);
        }
        // The third would exceed the limit; the fourth is too small.
        assert_eq!(idle.get(), 14_000);
        let take = |len| pool.take(len, &idle).capacity();
        // Buffers of this size are left to the allocator.
        assert_eq!(take(4000), 0);
        assert_eq!(take(4500), 5000);
        assert_eq!(take(4500), 9000);
        pool.put(Vec::<u8>::with_capacity(9000), &idle, 20_000);
        assert_eq!(take(9001), 0, "of the same class, but too small");
        assert_eq!(take(9000), 9000);
        assert_eq!(idle.get(), 0);
    }

    #[test]
    fn threads_take_each_buffer_once() {
        let (pool, idle) = (BufferPool::<u64>::default(), IdleBytes::default());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (pool, idle) = (&pool, &idle);
                scope.spawn(move || {
                    for round in 0..10_000 {
                        let mut words = pool.take(1000, idle);
                        words.clear();
                        words.resize(1000, thread * 10_000 + round);
                        assert!(words.iter().all(|word| *word == thread * 10_000 + round));
                        pool.put(words, idle, usize::MAX);
                    }
                });
            }
        });
        let mut left = 0;
        while pool.take(1000, &idle).capacity() > 0 {
            left += 1;
        }
        assert!((1..=4).contains(&left), "{left}");
        assert_eq!(idle.get(), 0);
    }
}
