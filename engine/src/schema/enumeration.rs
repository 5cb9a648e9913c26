//! Enumerations: lists of distinct values, to which the values of attributes are indexes.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use super::Named;
use crate::error::{EnumerationError, Error, Result, try_copy, try_reserved};
use crate::platform::lock::OnceValue;
use crate::typed;
use crate::types::{Datatype, VAR_NUM, Value, values_of};

/// The purpose of memory in errors.
const PURPOSE: &str = "an enumeration";

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
    values: Arc<Values>,
}

/// The values of an enumeration, which its copies with other file names share.
#[derive(Debug)]
struct Values {
    data: Vec<u8>,
    /// The start of each value; empty for values of fixed size.
    offsets: Vec<u64>,
    /// The size in bytes of a value of fixed size; `None` for values of variable length.
    size: Option<usize>,
    /// The numbers of the values by their hashes, built at the first lookup.
    index: OnceValue<ValueIndex>,
}

/// The first number of each value. The table refers to the bytes of the values.
#[derive(Clone, Debug, Default)]
struct ValueIndex {
    /// Randomly seeded, so that values cannot be crafted to collide.
    hasher: DefaultHashBuilder,
    numbers: HashTable<usize>,
}

impl PartialEq for Enumeration {
    fn eq(&self, other: &Self) -> bool {
        (self.name == other.name && self.file == other.file)
            && (self.datatype, self.cell_val_num) == (other.datatype, other.cell_val_num)
            && self.ordered == other.ordered
            && (self.data(), self.offsets()) == (other.data(), other.offsets())
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

    fn starts(&self) -> Result<Vec<u64>> {
        let offsets = self.offsets.unwrap_or_default();
        let mut starts = try_reserved(PURPOSE, offsets.len() / 8)?;
        starts.extend(values_of::<u64>(offsets));
        Ok(starts)
    }
}

/// Returns the greatest index of a value that an attribute of an integer datatype can contain.
pub fn greatest_index(datatype: Datatype) -> u64 {
    fn greatest<T: Value>() -> u64 {
        let mut bytes = [0; 8];
        T::GREATEST.write(&mut bytes);
        u64::from_le_bytes(bytes)
    }
    typed!(datatype.physical(), T => greatest::<T>())
}

impl Named for Enumeration {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Enumeration {
    /// Creates an enumeration that is not stored yet.
    #[doc(hidden)]
    pub fn new(
        name: &str,
        datatype: Datatype,
        cell_val_num: u32,
        ordered: bool,
        values: EnumerationValues<'_>,
    ) -> Result<Self> {
        let enumeration = Self::of(name, datatype, cell_val_num, ordered, values)?;
        enumeration.values.check_distinct()?;
        Ok(enumeration)
    }

    /// Creates an enumeration that was stored in a file. Values are not compared with one another:
    /// no index is built until a value is looked up.
    pub(crate) fn stored(
        name: &str,
        file: &str,
        datatype: Datatype,
        cell_val_num: u32,
        ordered: bool,
        values: EnumerationValues<'_>,
    ) -> Result<Self> {
        let stored = Self::of(name, datatype, cell_val_num, ordered, values)?;
        Ok(stored.stored_in(file))
    }

    fn of(
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
        let size = (cell_val_num as usize).saturating_mul(datatype.size());
        let enumeration = Self {
            name: name.to_owned(),
            file: String::new(),
            datatype,
            cell_val_num,
            ordered,
            values: Arc::new(Values {
                data: try_copy(PURPOSE, values.data.unwrap_or_default())?,
                offsets: values.starts()?,
                size: Some(size).filter(|_| cell_val_num != VAR_NUM),
                index: OnceValue::new(),
            }),
        };
        enumeration.check_values(values)?;
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
        if self.offsets().last().copied().unwrap_or_default() > self.data().len() as u64 {
            return Err(EnumerationError::OffsetBeyondData.into());
        }
        if self.offsets().windows(2).any(|pair| pair[1] < pair[0]) {
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

    /// Returns the enumeration with another file name.
    #[must_use]
    pub fn stored_in(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }

    /// Returns an enumeration with additional values at the end.
    pub fn extend(&self, more: EnumerationValues<'_>) -> Result<Self> {
        self.check_extension(more)?;
        let starts = more.starts()?;
        let added = more.data_len() as u64;
        if starts.windows(2).any(|pair| pair[1] < pair[0])
            || starts.last().is_some_and(|last| *last > added)
        {
            return Err(EnumerationError::OffsetBeyondData.into());
        }
        let base = self.data().len() as u64;
        let starts: Vec<u64> = starts.iter().map(|start| base + start).collect();
        let mut values = Values {
            data: [self.data(), more.data.unwrap_or_default()].concat(),
            offsets: [self.offsets(), &starts].concat(),
            size: self.values.size,
            index: OnceValue::new(),
        };
        match self.values.index.get() {
            Some(index) => {
                let index = values.extend_index(index.clone(), self.len())?;
                values.index = OnceValue::from(index);
            }
            None => values.check_distinct()?,
        }
        Ok(Self {
            name: self.name.clone(),
            file: String::new(),
            values: Arc::new(values),
            ..*self
        })
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
        let has_more = !self.is_var() || self.offsets().len() > other.offsets().len();
        (self.name == other.name && kind(self) == kind(other))
            && has_more
            && self.data().starts_with(other.data())
            && self.offsets().starts_with(other.offsets())
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
        &self.values.data
    }

    /// Returns the start of each value; empty for values of fixed size.
    pub fn offsets(&self) -> &[u64] {
        &self.values.offsets
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
        self.values.len()
    }

    /// Returns whether the number of values is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a value by its index.
    pub fn get(&self, index: u64) -> Option<&[u8]> {
        self.values.get(usize::try_from(index).ok()?)
    }

    /// Returns the index of a value.
    pub fn index_of(&self, value: &[u8]) -> Option<u64> {
        let values = &self.values;
        let ValueIndex { hasher, numbers } = values.index.get_or_init(|| values.build_index());
        let found = numbers.find(hasher.hash_one(value), |number| {
            values.get(*number) == Some(value)
        })?;
        Some(*found as u64)
    }
}

impl Values {
    fn len(&self) -> usize {
        match self.size {
            None => self.offsets.len(),
            Some(size) => self.data.len() / size,
        }
    }

    fn get(&self, number: usize) -> Option<&[u8]> {
        self.data.get(self.byte_range(number)?)
    }

    fn byte_range(&self, number: usize) -> Option<Range<usize>> {
        if let Some(size) = self.size {
            let start = number.checked_mul(size)?;
            return Some(start..start.checked_add(size)?);
        }
        let start = usize::try_from(*self.offsets.get(number)?).ok()?;
        let end = match self.offsets.get(number + 1) {
            Some(end) => usize::try_from(*end).ok()?,
            None => self.data.len(),
        };
        Some(start..end)
    }

    /// Builds the index. Returns an error if two values are equal.
    fn check_distinct(&self) -> Result<()> {
        let index = self.extend_index(ValueIndex::with_capacity(self.len())?, 0)?;
        let _ = self.index.set(index);
        Ok(())
    }

    fn build_index(&self) -> ValueIndex {
        // Values of a damaged file may all be equal, and then need no memory.
        let mut index = ValueIndex::with_capacity(self.len()).unwrap_or_default();
        for number in 0..self.len() {
            index.add(self, number);
        }
        index
    }

    /// Returns `index`, which has the first `known` values, with the other values as well. Returns
    /// an error if two values are equal.
    fn extend_index(&self, mut index: ValueIndex, known: usize) -> Result<ValueIndex> {
        for number in known..self.len() {
            if !index.add(self, number) {
                let value = self.get(number).unwrap_or_default();
                let value = String::from_utf8_lossy(value).into_owned();
                return Err(EnumerationError::Duplicate { value }.into());
            }
        }
        Ok(index)
    }
}

impl ValueIndex {
    fn with_capacity(values: usize) -> Result<Self> {
        let mut numbers = HashTable::new();
        numbers
            .try_reserve(values, |_| 0)
            .map_err(|_| Error::out_of_memory(PURPOSE, 8 * values as u64))?;
        Ok(Self {
            hasher: DefaultHashBuilder::default(),
            numbers,
        })
    }

    /// Adds the value with a number, unless an equal one is present. Returns whether it was added.
    fn add(&mut self, values: &Values, number: usize) -> bool {
        let hasher = &self.hasher;
        let value = values.get(number).unwrap_or_default();
        let entry = self.numbers.entry(
            hasher.hash_one(value),
            |known| values.get(*known) == Some(value),
            |known| hasher.hash_one(values.get(*known).unwrap_or_default()),
        );
        *entry.or_insert(number).get() == number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(texts: &[String]) -> Vec<u8> {
        let starts = texts.iter().scan(0u64, |end, text| {
            let start = *end;
            *end += text.len() as u64;
            Some(start)
        });
        starts.flat_map(u64::to_le_bytes).collect()
    }

    fn texts(numbers: Range<usize>) -> Vec<String> {
        numbers.map(|number| format!("label {number}")).collect()
    }

    fn with_values<T>(texts: &[String], body: impl FnOnce(EnumerationValues<'_>) -> T) -> T {
        let (data, offsets) = (texts.concat(), starts(texts));
        body(EnumerationValues {
            data: Some(data.as_bytes()),
            offsets: Some(&offsets),
        })
    }

    fn labels(texts: &[String]) -> Enumeration {
        let make = |values: EnumerationValues<'_>| {
            Enumeration::new("e", Datatype::StringUtf8, VAR_NUM, false, values)
        };
        with_values(texts, make).expect("distinct values")
    }

    fn stored(texts: &[String]) -> Enumeration {
        with_values(texts, |values| {
            Enumeration::stored("e", "f", Datatype::StringUtf8, VAR_NUM, false, values)
        })
        .expect("values")
    }

    #[test]
    fn values_of_copies_and_extensions_are_found() {
        let all = texts(0..1000);
        for first in [labels(&all[..600]), stored(&all[..600])] {
            let longer = with_values(&all[600..], |more| first.extend(more)).expect("distinct");
            assert!(longer.is_extension_of(&first));
            let copy = longer.clone().stored_in("file");
            assert!(
                Arc::ptr_eq(&copy.values, &longer.values),
                "copies share the values"
            );
            for (number, text) in all.iter().enumerate() {
                assert_eq!(copy.index_of(text.as_bytes()), Some(number as u64));
                let expected = Some(number as u64).filter(|number| *number < 600);
                assert_eq!(first.index_of(text.as_bytes()), expected);
            }
            assert_eq!(copy.index_of(b"label"), None);
        }
    }

    #[test]
    fn equal_values_of_an_extension_are_an_error() {
        let all = texts(0..20);
        for first in [labels(&all), stored(&all)] {
            for more in [["label 7", "x"], ["x", "x"]] {
                let more = more.map(str::to_owned);
                let error = with_values(&more, |more| first.extend(more)).expect_err("equal");
                let value = more.iter().find(|text| *text != "x").unwrap_or(&more[1]);
                assert!(error.to_string().contains(value.as_str()), "{error}");
            }
        }
    }

    #[test]
    fn a_stored_enumeration_has_no_index_until_a_value_is_looked_up() {
        let enumeration = stored(&texts(0..20));
        assert!(enumeration.values.index.get().is_none());
        assert_eq!(enumeration.index_of(b"label 3"), Some(3));
        assert!(enumeration.values.index.get().is_some());
        // Of equal values, which no library writes, the first is found.
        let equal = ["a", "b", "a"].map(str::to_owned);
        assert_eq!(stored(&equal).index_of(b"a"), Some(0));
    }
}
