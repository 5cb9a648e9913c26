//! The buffers of one field of a query: data, and offsets and validity where the field has them.

use std::ffi::CStr;

use super::{Done, Query, text};
use crate::library::{Library, address};

/// The buffers of a field. They must stay where they are while the query uses them, so they are
/// boxed.
pub(crate) struct FieldBuffers {
    data: Vec<u8>,
    offsets: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
    sizes: Box<[u64; 3]>,
}

impl FieldBuffers {
    /// Returns buffers of values to write.
    pub(crate) fn of(data: Vec<u8>, offsets: Option<Vec<u64>>, validity: Option<Vec<u8>>) -> Self {
        let bytes_of_offsets = offsets.as_ref().map_or(0, |offsets| 8 * offsets.len());
        let bytes_of_validity = validity.as_ref().map_or(0, Vec::len);
        let sizes = [data.len(), bytes_of_offsets, bytes_of_validity].map(|size| size as u64);
        Self {
            data,
            offsets,
            validity,
            sizes: Box::new(sizes),
        }
    }

    /// Returns buffers for the values of this many cells.
    pub(crate) fn with_capacity(cells: usize, var: bool, nullable: bool) -> Self {
        let data = vec![0; cells * if var { 32 } else { 8 }];
        Self::of(
            data,
            var.then(|| vec![0; cells]),
            nullable.then(|| vec![0; cells]),
        )
    }

    /// Converts the offsets to 32 bits. The size still counts eight bytes for each.
    pub(crate) fn pack_offsets(&mut self) {
        if let Some(offsets) = &mut self.offsets {
            let packed = offsets.chunks(2).map(|pair| {
                let second = pair.get(1).copied().unwrap_or_default();
                pair[0] | second << 32
            });
            let packed: Vec<u64> = packed.collect();
            offsets[..packed.len()].copy_from_slice(&packed);
        }
    }

    /// Replaces the content by other bytes.
    pub(crate) fn overwrite(&mut self) {
        self.data.fill(0xee);
        self.offsets
            .iter_mut()
            .for_each(|offsets| offsets.fill(u64::MAX));
        self.validity
            .iter_mut()
            .for_each(|validity| validity.fill(0xee));
    }

    /// Sets the buffers on a query, which uses them until it is freed.
    pub(crate) fn set(&mut self, library: &Library, query: &Query<'_>, name: &CStr) -> Done {
        let sizes = &mut *self.sizes;
        let set = |kind: &str, pointer: usize, size: usize| {
            library.attempt(kind, &[query.handle, text(name), pointer, size])
        };
        let data = self.data.as_mut_ptr() as usize;
        set("query_set_data_buffer", data, address(&mut sizes[0]))?;
        if let Some(offsets) = &mut self.offsets {
            let pointer = offsets.as_mut_ptr() as usize;
            set("query_set_offsets_buffer", pointer, address(&mut sizes[1]))?;
        }
        if let Some(validity) = &mut self.validity {
            let pointer = validity.as_mut_ptr() as usize;
            set("query_set_validity_buffer", pointer, address(&mut sizes[2]))?;
        }
        Ok(())
    }

    /// Returns the data that a read delivered.
    pub(crate) fn data(&self) -> &[u8] {
        &self.data[..self.sizes[0] as usize]
    }

    /// Returns the values that a read delivered; `None` is null.
    pub(crate) fn values(&self, value_size: usize) -> Vec<Option<&[u8]>> {
        let data = self.data();
        let values: Vec<&[u8]> = match &self.offsets {
            None => data.chunks_exact(value_size).collect(),
            Some(offsets) => {
                let offsets = &offsets[..self.sizes[1] as usize / 8];
                let ends = offsets.iter().skip(1).map(|end| *end as usize);
                let ends = ends.chain([data.len()]);
                offsets
                    .iter()
                    .zip(ends)
                    .map(|(start, end)| data.get(*start as usize..end).unwrap_or(b"?"))
                    .collect()
            }
        };
        match &self.validity {
            None => values.into_iter().map(Some).collect(),
            Some(validity) => values
                .into_iter()
                .zip(validity)
                .map(|(value, valid)| (*valid != 0).then_some(value))
                .collect(),
        }
    }
}
