//! Columns of coordinates, one for each dimension.

/// The coordinates of cells in one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates<'a> {
    /// Fixed-size coordinates, or the bytes of strings.
    pub data: &'a [u8],
    /// The start of each string and the end of the last one: ascending, within `data`. `None` for
    /// fixed-size coordinates.
    pub starts: Option<&'a [u64]>,
}

impl<'a> Coordinates<'a> {
    /// Creates a column of fixed-size coordinates.
    pub fn fixed(data: &'a [u8]) -> Self {
        Self { data, starts: None }
    }

    /// Creates a column of strings from the start of each and the end of the last one.
    pub fn texts(data: &'a [u8], starts: &'a [u64]) -> Self {
        Self {
            data,
            starts: Some(starts),
        }
    }

    /// Returns the number of coordinates; `size` is the size in bytes of a fixed-size coordinate.
    pub fn len(&self, size: usize) -> usize {
        match self.starts {
            Some(starts) => starts.len().saturating_sub(1),
            None => self.data.len() / size.max(1),
        }
    }

    /// Returns the bytes of a coordinate; `size` is the size in bytes of a fixed-size coordinate.
    /// Returns an empty slice for a cell out of range.
    #[inline]
    pub fn get(&self, cell: usize, size: usize) -> &'a [u8] {
        let bytes = match self.starts {
            Some([]) => None,
            Some(starts) => match starts.get(cell..cell + 2) {
                Some([start, end]) => self.data.get(*start as usize..*end as usize),
                _ => None,
            },
            None => self.data.get(cell * size..(cell + 1) * size),
        };
        bytes.unwrap_or_default()
    }

    /// Returns the coordinates from `cell` on; `size` is the size in bytes of a fixed-size
    /// coordinate.
    #[must_use]
    pub fn skip(&self, cell: usize, size: usize) -> Self {
        match self.starts {
            Some(starts) => Self {
                data: self.data,
                starts: Some(starts.get(cell..).unwrap_or_default()),
            },
            None => Self::fixed(self.data.get(cell * size..).unwrap_or_default()),
        }
    }
}
