//! Conditions with names and values as callers write them: built from operators or parsed from
//! text, and resolved against a schema.
//!
//! A [`Condition`](condition::Condition) of this module has values without datatypes (numbers,
//! texts). `resolve` converts them to the datatypes of an array's fields and returns the condition
//! of bytes that queries use. [`parse`] reads the text form, whose grammar is:
//!
//! ```text
//! condition   = conjunction { OR conjunction }
//! conjunction = term { AND term }
//! term        = NOT term | "(" condition ")" | comparison
//! comparison  = field operator value
//!             | value operator field
//!             | field [ NOT ] IN "(" value { "," value } ")"
//!             | field [ NOT ] BETWEEN value AND value
//!             | field IS [ NOT ] NULL
//! operator    = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">="
//! field       = identifier | '"' text '"'
//! value       = number | "'" text "'" | TRUE | FALSE | [ "-" ] INF | NAN | X "'" hexadecimal "'"
//! number      = [ "-" | "+" ] digits [ "." digits ] [ E [ "-" | "+" ] digits ]
//!             | [ "-" | "+" ] "0x" hexadecimal
//! ```
//!
//! Keywords may be in upper or lower case. An identifier starts with a letter or `_` and continues
//! with letters, digits, `_` and `.`; a field with any other name, or the name of a keyword, is
//! written in double quotes. A quote inside a text is written twice.
//!
//! | datatype | values |
//! | --- | --- |
//! | integers | numbers without a fraction, in the range of the datatype |
//! | floating point | numbers, `INF`, `-INF`, `NAN` |
//! | `BOOL` | `TRUE`, `FALSE`, `1`, `0` |
//! | strings and `CHAR` | texts, bytes such as `X'00ff'`; padded with zeros to fixed sizes |
//! | datetimes | `'2024'`, `'2024-02-29T12:30:00.5'`, `'NaT'`, or the stored number |
//! | times of a day | `'12:30'`, `'12:30:00.5'`, `'NaT'`, or the stored number |
//! | enumerations | a value of the enumeration |
//!
//! A datetime that is more precise than the datatype of the field is an error, since no cell is
//! equal to it. A comparison with a null cell is false, and so is its negation; `IS NULL` is the
//! only test that null cells satisfy. `NOT` exchanges `<` and `>=`, and so on; NaN satisfies none
//! of them, only `!=`, and `IN` with `NAN` in the list. `NaT` is the smallest of all datetimes.

pub mod condition;
pub mod datetime;
mod lexer;
mod parser;
mod resolve;
pub mod scalar;
#[cfg(test)]
mod tests;

pub use condition::{Condition, FieldName, field};
pub use parser::parse;
pub use scalar::Scalar;
