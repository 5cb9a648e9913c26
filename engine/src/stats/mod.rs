//! Counters and timers, and their JSON text.
