//! The processors of the machine.

use super::lock::OnceValue;

/// Returns the number of CPUs available to this process according to its affinity and cgroup.
/// Cached, since determining it reads several files.
pub fn hardware_threads() -> usize {
    static COUNT: OnceValue<usize> = OnceValue::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
