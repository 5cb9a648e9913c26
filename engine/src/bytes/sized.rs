//! The choice of code by the size of cells: loops are compiled for each common size, so that a cell
//! is copied or compared as one value.

/// Calls a generic function for a size in bytes that is a constant in it.
///
/// - `sized!(size, N => call::<N>(arguments), else => other)` is for cells: `N` is 1, 2, 4, 8 or
///   16, and `other` runs for all other sizes.
/// - `sized!(size, N => call::<N>(arguments))` is for values of number types: `N` is 1, 2, 4 or 8.
///   Other sizes do not occur, and are treated as 8.
///
/// Dispatch once for many cells, never for each.
#[doc(hidden)]
#[macro_export]
macro_rules! sized {
    (@ [$($known:literal)+] $size:expr, $N:ident => $call:expr, else => $other:expr) => {
        match $size {
            $($known => {
                const $N: usize = $known;
                $call
            })+
            _ => $other,
        }
    };
    ($size:expr, $N:ident => $call:expr) => {
        $crate::sized!(@ [1 2 4] $size, $N => $call, else => {
            const $N: usize = 8;
            $call
        })
    };
    ($size:expr, $N:ident => $call:expr, else => $other:expr) => {
        $crate::sized!(@ [1 2 4 8 16] $size, $N => $call, else => $other)
    };
}

pub use crate::sized;

#[cfg(test)]
mod tests {
    fn size<const N: usize>() -> usize {
        N
    }

    #[test]
    fn cells_of_common_sizes_have_their_own_code() {
        let chosen = |bytes: usize| sized!(bytes, N => Some(size::<N>()), else => None);
        for bytes in [1, 2, 4, 8, 16] {
            assert_eq!(chosen(bytes), Some(bytes));
        }
        for bytes in [0, 3, 5, 7, 9, 12, 15, 17, 32, usize::MAX] {
            assert_eq!(chosen(bytes), None);
        }
    }

    #[test]
    fn values_have_one_of_four_sizes() {
        let chosen = |bytes: usize| sized!(bytes, N => size::<N>());
        assert_eq!([1, 2, 4, 8].map(chosen), [1, 2, 4, 8]);
    }
}
