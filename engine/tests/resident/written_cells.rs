//! The cells that the operations write.

use tiledb_engine::internal::buffers::FieldCells;

/// The cells that a write passes to a query.
#[derive(Default)]
pub(crate) struct Cells {
    fixed: Vec<(&'static str, Vec<u8>)>,
    texts: Vec<u8>,
    offsets: Vec<u8>,
}

impl Cells {
    /// Returns cells of a dense array, or of a sparse one with coordinates.
    pub(crate) fn new(
        numbers: std::ops::Range<u64>,
        coordinates_of: Option<&dyn Fn(u64) -> [u64; 2]>,
    ) -> Self {
        let len = (numbers.end - numbers.start) as usize;
        let mut cells = Self {
            fixed: vec![("a", Vec::with_capacity(8 * len))],
            texts: Vec::with_capacity(6 * len),
            offsets: Vec::with_capacity(8 * len),
        };
        if coordinates_of.is_some() {
            let coordinates = |name| (name, Vec::with_capacity(8 * len));
            cells.fixed.extend(["x", "y"].map(coordinates));
        }
        for number in numbers {
            let words = coordinates_of.map_or([0; 2], |coordinates_of| coordinates_of(number));
            let values = [number % 1000, words[0], words[1]];
            for ((_, to), value) in cells.fixed.iter_mut().zip(values) {
                to.extend_from_slice(&value.to_le_bytes());
            }
            let start = cells.texts.len() as u64;
            cells.offsets.extend_from_slice(&start.to_le_bytes());
            let digit = b'0' + (number % 10) as u8;
            cells
                .texts
                .extend_from_slice(&[b't', b'e', b'x', b't', b' ', digit]);
        }
        cells
    }

    pub(crate) fn fields(&self) -> Vec<FieldCells<'_>> {
        let fixed = self.fixed.iter().map(|(name, data)| FieldCells {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        });
        let texts = FieldCells {
            name: "s",
            data: Some(&self.texts),
            offsets: Some(&self.offsets),
            validity: None,
        };
        fixed.chain([texts]).collect()
    }
}

/// Returns scattered coordinates that no other number has.
pub(crate) fn scattered(number: u64) -> [u64; 2] {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    [mixed >> 20, mixed & 0xf_ffff]
}
