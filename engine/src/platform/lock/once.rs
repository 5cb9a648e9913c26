//! Values that are set once and never block.

use once_cell::race::OnceBox;

/// A value that is set at most once. Unlike with `std::sync::OnceLock`, no thread waits for
/// another: if two threads compute the value at the same time, one result is kept and the other
/// dropped. A forked child therefore cannot inherit a cell whose value is being computed by a
/// thread that does not exist in the child.
#[derive(Clone, Debug)]
pub struct OnceValue<T>(OnceBox<T>);

impl<T> OnceValue<T> {
    /// Creates an empty cell.
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// Returns the value if it is set.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Sets the value. Returns `value` as an error if the cell has a value already.
    pub fn set(&self, value: T) -> Result<(), T> {
        self.0.set(Box::new(value)).map_err(|value| *value)
    }

    /// Returns the value, computing it first if it is not set.
    pub fn get_or_init(&self, compute: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| Box::new(compute()))
    }

    /// Returns the value, computing it first if it is not set. It stays unset after an error.
    pub fn get_or_try_init<E>(&self, compute: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        self.0.get_or_try_init(|| compute().map(Box::new))
    }
}

impl<T> Default for OnceValue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceValue<T> {
    fn from(value: T) -> Self {
        Self(OnceBox::with_value(Box::new(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_is_kept() {
        let value = OnceValue::new();
        assert_eq!(value.get(), None);
        assert_eq!(value.get_or_try_init(|| Err("no value")), Err("no value"));
        assert_eq!(value.get_or_init(|| 1), &1);
        assert_eq!(value.get_or_init(|| 2), &1);
        assert_eq!(value.get_or_try_init(|| Err("unused")), Ok(&1));
        assert_eq!(value.set(3), Err(3));
        assert_eq!(OnceValue::from(4).get(), Some(&4));
        assert_eq!(value.clone().get(), Some(&1));
    }
}
