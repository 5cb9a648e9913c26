//! Enumerations: lists of distinct values, to which the values of attributes are indexes.

use std::collections::HashMap;
use std::ops::Range;

use crate::error::{EnumerationError, Result};
use crate::platform::lock::OnceValue;
use crate::types::{Datatype, VAR_NUM};

/// An immutable, named list of distinct values. Cells of attributes with an enumeration contain the
/// indexes of values; writes, reads and conditions use the values.
///
/// ```
/// use tiledb_engine::{Array, ArrayType, Attribute, Context, Datatype, Enumeration, Schema};
///
/// # fn main() -> tiledb_engine::Result<()> {
/// let context = Context::new()?;
/// let schema = Schema::builder(ArrayType::Sparse)
///     .dimension("id", Datatype::Uint64, 0..=999, 100)
///     .enumeration(Enumeration::of_texts("trees", false, ["oak", "beech"])?)
///     .with_attribute(Attribute::of("tree", Datatype::Uint8).with_enumeration("trees"))
///     .build()?;
/// Array::create(&context, "mem://wood", &schema)?;
/// let mut array = Array::open(&context, "mem://wood")?;
/// array.write().column("id", [1, 2]).column("tree", ["beech", "oak"]).submit()?;
///
/// array.reopen()?;
/// let oaks = array.query().condition("tree = 'oak'".parse()?).collect()?;
/// assert_eq!(oaks.values::<u64>("id")?, [2]);
/// assert_eq!(array.read::<String>("tree")?, ["beech", "oak"]);
/// assert_eq!(array.read::<u8>("tree")?, [1, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Enumeration {
    name: String,
    file: String,
    datatype: Datatype,
    cell_val_num: u32,
    ordered: bool,
    data: Vec<u8>,
    offsets: Vec<u64>,
    /// The index of each value, built at the first lookup.
    index: OnceValue<HashMap<Box<[u8]>, u64>>,
}

impl PartialEq for Enumeration {
    fn eq(&self, other: &Self) -> bool {
        (self.name == other.name && self.file == other.file)
            && (self.datatype, self.cell_val_num) == (other.datatype, other.cell_val_num)
            && self.ordered == other.ordered
            && (&self.data, &self.offsets) == (&other.data, &other.offsets)
    }
}

/// The values of an enumeration as passed by a caller; `None` is a null pointer.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnumerationValues<'a> {
    /// The concatenated values.
    pub data: Option<&'a [u8]>,
    /// The start of each value, 8 bytes each; `None` for values of fixed size.
    pub offsets: Option<&'a [u8]>,
}

impl EnumerationValues<'_> {
    fn data_len(&self) -> usize {
        self.data.map_or(0, <[u8]>::len)
    }

    fn starts(&self) -> Vec<u64> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let offsets = self.offsets.unwrap_or_default();
        offsets.chunks_exact(8).map(word).collect()
    }
}

impl Enumeration {
    /// Creates an enumeration that is not stored yet.
    pub fn new(
        name: &str,
        datatype: Datatype,
        cell_val_num: u32,
        ordered: bool,
        values: EnumerationValues<'_>,
    ) -> Result<Self> {
        if name.is_empty() {
            return Err(EnumerationError::NoName.into());
        }
        if cell_val_num == 0 {
            return Err(EnumerationError::NoValues.into());
        }
        let enumeration = Self {
            name: name.to_owned(),
            file: String::new(),
            datatype,
            cell_val_num,
            ordered,
            data: values.data.unwrap_or_default().to_vec(),
            offsets: values.starts(),
            index: OnceValue::new(),
        };
        enumeration.check_values(values)?;
        enumeration.check_distinct()?;
        Ok(enumeration)
    }

    fn check_values(&self, values: EnumerationValues<'_>) -> Result<()> {
        if values.data.is_none() && values.offsets.is_none() {
            return Ok(());
        }
        if !self.is_var() {
            return self.check_fixed(values);
        }
        let Some(offsets) = values.offsets else {
            return Err(EnumerationError::NoOffsets.into());
        };
        if offsets.is_empty() {
            return Err(EnumerationError::EmptyOffsets.into());
        }
        if !offsets.len().is_multiple_of(8) {
            return Err(EnumerationError::PartialOffset {
                size: offsets.len(),
            }
            .into());
        }
        if self.offsets.last().copied().unwrap_or_default() > self.data.len() as u64 {
            return Err(EnumerationError::OffsetBeyondData.into());
        }
        if self.offsets.windows(2).any(|pair| pair[1] < pair[0]) {
            return Err(EnumerationError::DecreasingOffsets.into());
        }
        Ok(())
    }

    fn check_fixed(&self, values: EnumerationValues<'_>) -> Result<()> {
        if values.offsets.is_some() {
            return Err(EnumerationError::UnexpectedOffsets.into());
        }
        let Some(data) = values.data else {
            return Err(EnumerationError::NoData.into());
        };
        if data.is_empty() {
            return Err(EnumerationError::EmptyData.into());
        }
        if !data.len().is_multiple_of(self.value_size()) {
            return Err(EnumerationError::PartialMember {
                size: data.len(),
                member: self.value_size(),
            }
            .into());
        }
        Ok(())
    }

    fn check_distinct(&self) -> Result<()> {
        let index = self.build_index();
        if index.len() == self.len() {
            let _ = self.index.set(index);
            return Ok(());
        }
        let values = (0..self.len() as u64).filter_map(|number| Some((number, self.get(number)?)));
        let duplicate = values
            .into_iter()
            .find(|(number, value)| index.get(*value) != Some(number));
        let duplicate = duplicate.map(|(_, value)| String::from_utf8_lossy(value).into_owned());
        Err(EnumerationError::Duplicate {
            value: duplicate.unwrap_or_default(),
        }
        .into())
    }

    /// Builds the map from each value to its first index.
    fn build_index(&self) -> HashMap<Box<[u8]>, u64> {
        let mut index = HashMap::with_capacity(self.len());
        for number in 0..self.len() as u64 {
            if let Some(value) = self.get(number) {
                index.entry(value.into()).or_insert(number);
            }
        }
        index
    }

    /// Returns the enumeration with another file name.
    #[must_use]
    pub fn stored_in(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }

    /// Returns an enumeration with additional values at the end.
    pub fn extend(&self, more: EnumerationValues<'_>) -> Result<Self> {
        self.check_extension(more)?;
        let mut longer = Self {
            file: String::new(),
            index: OnceValue::new(),
            ..self.clone()
        };
        longer.data.extend_from_slice(more.data.unwrap_or_default());
        let base = self.data.len() as u64;
        let starts = more.starts();
        let added = more.data_len() as u64;
        if starts.windows(2).any(|pair| pair[1] < pair[0])
            || starts.last().is_some_and(|last| *last > added)
        {
            return Err(EnumerationError::OffsetBeyondData.into());
        }
        longer
            .offsets
            .extend(starts.iter().map(|start| base + start));
        longer.check_distinct()?;
        Ok(longer)
    }

    fn check_extension(&self, more: EnumerationValues<'_>) -> Result<()> {
        if more.data.is_some_and(<[u8]>::is_empty) {
            return Err(EnumerationError::EmptyExtension.into());
        }
        if !self.is_var() {
            if more.offsets.is_some() {
                return Err(EnumerationError::ExtensionWithOffsets.into());
            }
            if !more.data_len().is_multiple_of(self.value_size()) {
                return Err(EnumerationError::PartialMember {
                    size: more.data_len(),
                    member: self.value_size(),
                }
                .into());
            }
            return Ok(());
        }
        match more.offsets {
            None => Err(EnumerationError::ExtensionNoOffsets.into()),
            Some([]) => Err(EnumerationError::ExtensionEmptyOffsets.into()),
            Some(offsets) if !offsets.len().is_multiple_of(8) => {
                Err(EnumerationError::PartialOffset {
                    size: offsets.len(),
                }
                .into())
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns whether this enumeration has the name and type of `other`, begins with its values,
    /// and has more.
    pub fn is_extension_of(&self, other: &Self) -> bool {
        let kind = |enumeration: &Self| {
            (
                enumeration.datatype,
                enumeration.cell_val_num,
                enumeration.ordered,
            )
        };
        let has_more = !self.is_var() || self.offsets.len() > other.offsets.len();
        (self.name == other.name && kind(self) == kind(other))
            && has_more
            && self.data.starts_with(&other.data)
            && self.offsets.starts_with(&other.offsets)
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file name in `__schema/__enumerations`; empty if it is not stored yet.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the datatype of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Returns the number of elements of the datatype per value, or `VAR_NUM`.
    pub fn cell_val_num(&self) -> u32 {
        self.cell_val_num
    }

    /// Returns whether the list is in the order of the values.
    pub fn ordered(&self) -> bool {
        self.ordered
    }

    /// Returns the concatenated values.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the start of each value; empty for values of fixed size.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns whether the values have variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// Returns the size in bytes of a value of fixed size.
    fn value_size(&self) -> usize {
        (self.cell_val_num as usize).saturating_mul(self.datatype.size())
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        if self.is_var() {
            self.offsets.len()
        } else {
            self.data.len() / self.value_size()
        }
    }

    /// Returns whether the number of values is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a value by its index.
    pub fn get(&self, index: u64) -> Option<&[u8]> {
        self.data
            .get(self.byte_range(usize::try_from(index).ok()?)?)
    }

    fn byte_range(&self, index: usize) -> Option<Range<usize>> {
        if !self.is_var() {
            let start = index.checked_mul(self.value_size())?;
            return Some(start..start.checked_add(self.value_size())?);
        }
        let start = usize::try_from(*self.offsets.get(index)?).ok()?;
        let end = match self.offsets.get(index + 1) {
            Some(end) => usize::try_from(*end).ok()?,
            None => self.data.len(),
        };
        Some(start..end)
    }

    /// Returns the index of a value.
    pub fn index_of(&self, value: &[u8]) -> Option<u64> {
        let index = self.index.get_or_init(|| self.build_index());
        index.get(value).copied()
    }
}
