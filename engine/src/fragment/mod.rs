//! One fragment: opened for reading, or being written.
