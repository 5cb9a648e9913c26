//! Types whose values have names: `Display` writes the name and `FromStr` reads it.

use std::fmt;
use std::str::FromStr;

use crate::aggregate::AggregateOperator;
use crate::error::{ApiError, Error, Result};
use crate::filter::FilterType;
use crate::maintenance::MaintenanceMode;
use crate::types::{ArrayType, DataOrder, Datatype, Layout, ObjectType};

macro_rules! named_types {
    ($($name:ident: $category:literal),+ $(,)?) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self> {
                Self::from_name(name).ok_or_else(|| {
                    Error::from(ApiError::UnknownName {
                        category: $category,
                        name: name.to_owned(),
                    })
                })
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                let name = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

named_types! {
    AggregateOperator: "aggregate operator",
    ArrayType: "type of an array",
    DataOrder: "order of labels",
    Datatype: "datatype",
    FilterType: "filter",
    Layout: "layout",
    MaintenanceMode: "mode of maintenance",
    ObjectType: "type of an object",
}
