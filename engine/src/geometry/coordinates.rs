//! Coordinates of cells, one column for each dimension.

/// The coordinates of some cells in one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates<'a> {
    /// Fixed-size coordinates, or the bytes of texts.
    pub data: &'a [u8],
    /// Where each text starts, and the end of the last: ascending, within `data`. `None` for
    /// fixed-size coordinates.
    pub starts: Option<&'a [u64]>,
}

impl<'a> Coordinates<'a> {
    /// Coordinates of fixed size.
    pub fn fixed(data: &'a [u8]) -> Self {
        Self { data, starts: None }
    }

    /// Texts: where each starts, and the end of the last.
    pub fn texts(data: &'a [u8], starts: &'a [u64]) -> Self {
        Self {
            data,
            starts: Some(starts),
        }
    }

    /// Returns the number of coordinates, of `size` bytes each where they do not vary.
    pub fn len(&self, size: usize) -> usize {
        match self.starts {
            Some(starts) => starts.len().saturating_sub(1),
            None => self.data.len() / size.max(1),
        }
    }

    /// Returns the bytes of a coordinate, of `size` bytes where they do not vary; none for a cell
    /// that is not there.
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

    /// Returns the coordinates from `cell` on, of `size` bytes each where they do not vary.
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
