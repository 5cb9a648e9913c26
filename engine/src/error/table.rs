//! The tables of causes: one row has the variant, its fields, the engine's sentence, and
//! libtiledb's sentence with the origin that libtiledb reports.

use std::fmt::{self, Display};

use super::{ErrorKind, Release};

/// The text of an error as C programs see it. Programs compare it with libtiledb's.
pub(super) struct Text {
    /// The component that reports the error, or no bytes.
    origin: &'static str,
    pub(super) message: String,
}

impl Text {
    pub(super) fn new(origin: &'static str, message: impl Display) -> Self {
        Self {
            origin,
            message: message.to_string(),
        }
    }

    /// Returns the text of a failed open. libtiledb replaces the origin of internal errors.
    pub(super) fn of_failed_open(self) -> Self {
        match self.origin {
            "TileDB internal" => Self::new("[TileDB::Array] Error", self.message),
            _ => Self::new("[TileDB::Array] Error", self),
        }
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = match self.origin {
            "" => return f.write_str(&self.message),
            "[TileDB::Query] Error" if Release::current() >= Release::V2_31 => "Query",
            origin => origin,
        };
        write!(f, "{origin}: {}", self.message)
    }
}

/// A table of causes.
pub(super) trait CauseTable: Display {
    /// Returns the text for C programs.
    fn text(&self) -> Text;
    /// Returns the meaning.
    fn kind(&self) -> ErrorKind;
}

/// Defines enums of causes. A table starts with the enum and the origin of its rows:
///
/// ```text
/// GroupError, "Group" {
///     Exists { uri: String } [AlreadyExists]: "The group '{uri}' exists already"
///         => "Cannot create group; Group '{uri}' already exists";
/// }
/// ```
///
/// A row has the kind in brackets, unless it is `InvalidArgument`, the engine's sentence, and
/// libtiledb's after an arrow, if it has the error: a sentence, an origin in parentheses, both, or
/// a block that returns a [`Text`].
macro_rules! causes {
    ($(
        $(#[$doc:meta])*
        $name:ident, $origin:literal {
            $(
                $variant:ident $({ $($field:ident: $type:ty),* })? $([$kind:tt])?:
                $sentence:literal $(=> $text:tt)?;
            )*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($variant $({ $($field: $type),* })?),*
        }

        #[allow(unused_variables, reason = "some sentences do not have all fields")]
        impl $crate::error::table::CauseTable for $name {
            fn text(&self) -> $crate::error::table::Text {
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        $crate::error::table::text!($origin, $sentence $(, $text)?)
                    })*
                }
            }

            fn kind(&self) -> $crate::error::ErrorKind {
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        $crate::error::table::kind!($($kind)?)
                    })*
                }
            }
        }

        #[cfg(test)]
        impl $name {
            /// Returns one value of each variant, with another value in each field.
            pub(super) fn samples() -> Vec<$crate::error::Error> {
                let mut number = 7000;
                let _ = &mut number;
                vec![$(
                    Self::$variant $({
                        $($field: $crate::error::table::FieldSample::sample(stringify!($field), &mut number)),*
                    })?.into()
                ),*]
            }
        }

        impl std::fmt::Display for $name {
            #[allow(unused_variables, reason = "some sentences do not have all fields")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),* })? => write!(f, $sentence)),*
                }
            }
        }

        impl std::error::Error for $name {}
    )*};
}

/// The text of one row.
macro_rules! text {
    ($origin:literal, $sentence:literal) => {
        $crate::error::table::Text::new($origin, format_args!($sentence))
    };
    ($origin:literal, $sentence:literal, { $($body:tt)* }) => {{ $($body)* }};
    ($origin:literal, $sentence:literal, ($own:literal)) => {
        $crate::error::table::Text::new($own, format_args!($sentence))
    };
    ($origin:literal, $sentence:literal, ($own:literal, $text:literal)) => {
        $crate::error::table::Text::new($own, format_args!($text))
    };
    ($origin:literal, $sentence:literal, $text:literal) => {
        $crate::error::table::Text::new($origin, format_args!($text))
    };
}

/// The kind of one row.
macro_rules! kind {
    () => {
        $crate::error::ErrorKind::InvalidArgument
    };
    ($kind:ident) => {
        $crate::error::ErrorKind::$kind
    };
    (($kind:expr)) => {
        $kind
    };
}

pub(super) use {causes, kind, text};

/// A value of a field of a cause, for tests.
#[cfg(test)]
pub(super) trait FieldSample {
    /// Returns a value that names the field, or the next number.
    fn sample(field: &str, number: &mut u16) -> Self;
}

#[cfg(test)]
mod tests {
    use super::FieldSample;
    use crate::error::{Component, Error, MessageKind, MetadataAction, ScalarError, WriterKind};

    impl FieldSample for String {
        fn sample(field: &str, _: &mut u16) -> Self {
            format!("the_{field}")
        }
    }

    impl FieldSample for &'static str {
        fn sample(field: &str, _: &mut u16) -> Self {
            format!("the_{field}").leak()
        }
    }

    macro_rules! numbers {
        ($($type:ty),*) => {$(
            impl FieldSample for $type {
                fn sample(_: &str, number: &mut u16) -> Self {
                    *number += 1;
                    (*number).into()
                }
            }
        )*};
    }

    impl FieldSample for Vec<usize> {
        fn sample(field: &str, number: &mut u16) -> Self {
            vec![FieldSample::sample(field, number)]
        }
    }

    numbers!(u16, u32, i32, u64, i64, usize);

    macro_rules! values {
        ($($type:ty: $value:expr;)*) => {$(
            impl FieldSample for $type {
                fn sample(_: &str, _: &mut u16) -> Self {
                    $value
                }
            }
        )*};
    }

    values! {
        bool: true;
        char: '#';
        Component: Component::MergingReader;
        Error: Error::cancelled();
        MessageKind: MessageKind::ArrayOpen;
        MetadataAction: MetadataAction::Put;
        ScalarError: ScalarError::BadTime { text: "the_text".into(), problem: "the_problem".into() };
        WriterKind: WriterKind::Unordered;
    }
}
