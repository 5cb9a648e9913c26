//! Metadata of arrays and groups.

use std::fmt;

use crate::array::{MetadataItem, OwnedMetadataEntry, WithMetadata};
use crate::error::{ApiError, Result};
use crate::expression::Scalar;
use crate::types::{Datatype, Value, values_of};

/// Values of one datatype, as metadata stores them. [`text`](TypedValues::text) and `Display` are
/// the values.
#[derive(Clone, PartialEq)]
pub struct TypedValues {
    pub(super) datatype: Datatype,
    pub(super) data: Vec<u8>,
}

impl fmt::Display for TypedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for TypedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.datatype.name(), self.text())
    }
}

impl TypedValues {
    /// Creates values from their bytes in little-endian order.
    ///
    /// # Errors
    ///
    /// If the bytes are not a multiple of the size of a value.
    pub fn from_bytes(datatype: Datatype, data: &[u8]) -> Result<Self> {
        if !data.len().is_multiple_of(datatype.size()) {
            let cause = ApiError::PartialValue {
                size: data.len(),
                datatype: datatype.name(),
            };
            return Err(cause.into());
        }
        let data = data.to_vec();
        Ok(Self { datatype, data })
    }

    /// Returns the datatype.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Returns the bytes of the values in little-endian order.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    fn is_text(&self) -> bool {
        self.datatype == Datatype::Char || self.datatype.is_string()
    }

    /// Returns the number of values; of strings, the number of code units, which are bytes in
    /// UTF-8.
    pub fn len(&self) -> usize {
        self.data.len() / self.datatype.size()
    }

    /// Returns whether the number of values is 0.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns the numbers; `None` if they are strings, or stored as another type than `T`. Dates
    /// and times are stored as `i64`.
    pub fn numbers<T: Value>(&self) -> Option<Vec<T>> {
        let is_same_type = self.datatype.physical() == T::PHYSICAL && !self.is_text();
        is_same_type.then(|| values_of::<T>(&self.data).collect())
    }

    /// Returns the values. A string is a single value, and so are bytes (blobs and geometries).
    pub fn scalars(&self) -> Vec<Scalar> {
        if self.is_text() || self.datatype.is_bytes() {
            return vec![Scalar::from_bytes(self.datatype, &self.data)];
        }
        self.data
            .chunks_exact(self.datatype.size())
            .map(|bytes| Scalar::from_bytes(self.datatype, bytes))
            .collect()
    }

    /// Returns the values as text: strings without quotes, several values separated by commas.
    pub fn text(&self) -> String {
        let scalars = self.scalars();
        scalars
            .iter()
            .map(|scalar| scalar.text(self.datatype))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl From<&str> for TypedValues {
    fn from(text: &str) -> Self {
        Self {
            datatype: Datatype::StringUtf8,
            data: text.into(),
        }
    }
}

impl From<String> for TypedValues {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

macro_rules! from_numbers {
    ($($t:ty => $datatype:ident),*) => {$(
        impl From<$t> for TypedValues {
            fn from(value: $t) -> Self {
                Self { datatype: Datatype::$datatype, data: value.to_le_bytes().to_vec() }
            }
        }

        impl From<&[$t]> for TypedValues {
            fn from(values: &[$t]) -> Self {
                let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                Self { datatype: Datatype::$datatype, data }
            }
        }
    )*};
}

from_numbers!(i8 => Int8, u8 => Uint8, i16 => Int16, u16 => Uint16, i32 => Int32, u32 => Uint32);
from_numbers!(i64 => Int64, u64 => Uint64, f32 => Float32, f64 => Float64);

fn typed_values(item: MetadataItem<'_>) -> TypedValues {
    // The last word may be longer than the values.
    let mut data: Vec<u8> = item
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    data.truncate((item.num as usize).saturating_mul(item.datatype.size()));
    TypedValues {
        datatype: item.datatype,
        data,
    }
}

/// Returns all metadata of an object that is open for reading.
pub(super) fn all(object: &impl WithMetadata) -> Result<Vec<(String, TypedValues)>> {
    let number = object.metadata_num()?;
    (0..number)
        .map(|index| object.metadata_at(index, |item| (item.key().to_owned(), typed_values(item))))
        .collect()
}

/// Returns the metadata that entries have, without those that delete keys.
pub(super) fn of_entries(entries: Vec<OwnedMetadataEntry>) -> Vec<(String, TypedValues)> {
    entries
        .into_iter()
        .filter_map(|entry| {
            let (datatype, data) = entry.value?;
            Some((entry.key, TypedValues { datatype, data }))
        })
        .collect()
}

/// Returns the metadata with a key of an object that is open for reading.
pub(super) fn find(object: &impl WithMetadata, key: &str) -> Result<Option<TypedValues>> {
    object.metadata_of(Some(key), |item| item.map(typed_values))
}
