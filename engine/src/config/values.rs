//! Values as text and as what they mean: the checks at `set`, and the typed views.
//!
//! Numbers are plain decimal: no blanks, no other base, nothing behind; one leading plus is fine. The texts of the errors
//! are libtiledb's, word for word, since programs match them.

use std::borrow::Cow;
use std::num::IntErrorKind;
use std::str::FromStr;

use super::Config;
use super::parameters::Check;
use crate::error::{Error, Result};

/// How libtiledb's errors of its conversions begin.
const CONVERSION: &str = "[TileDB::Utils] Error";
/// How its errors of the configuration begin.
const CONFIG: &str = "Config";

const ACLS_OF_BOTH: [&str; 5] = [
    "NOT_SET",
    "private_",
    "public_read",
    "public_read_write",
    "authenticated_read",
];
const ACLS_OF_OBJECTS: [&str; 3] = [
    "aws_exec_read",
    "bucket_owner_read",
    "bucket_owner_full_control",
];

/// Checks a value that is about to be set.
pub(super) fn check(key: &str, value: &str, check: Check) -> Result<()> {
    match check {
        Check::Any => Ok(()),
        Check::U32 => integer::<u32>(value, "uint32_t").map(drop),
        Check::U64 => integer::<u64>(value, "uint64_t").map(drop),
        Check::I64 => integer::<i64>(value, "int64_t").map(drop),
        Check::F32 => real(value, f64::from(f32::MAX), "float32_t").map(drop),
        Check::FlagOrEmpty if value.is_empty() => Ok(()),
        Check::Flag | Check::FlagOrEmpty => flag(value).map(drop),
        Check::LoggingFormat => word(value, &["DEFAULT", "JSON"], "logging format"),
        Check::OffsetsMode => word(value, &["bytes", "elements"], "offsets format"),
        Check::S3Scheme => word(value, &["http", "https"], "S3 scheme"),
        Check::SerializationFormat => match value {
            "CAPNP" | "JSON" => Ok(()),
            _ => Err(Error::usage(
                "Error",
                format!("Invalid SerializationType {value}"),
            )),
        },
        Check::BucketAcl => acl(key, ACLS_OF_BOTH.contains(&value)),
        Check::ObjectAcl => acl(
            key,
            ACLS_OF_BOTH.contains(&value) || ACLS_OF_OBJECTS.contains(&value),
        ),
    }
}

fn word(value: &str, allowed: &[&str], what: &str) -> Result<()> {
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(Error::usage(
        CONFIG,
        format!("Invalid {what} parameter value"),
    ))
}

fn acl(key: &str, allowed: bool) -> Result<()> {
    if allowed {
        return Ok(());
    }
    Err(Error::usage(
        "Error",
        format!("value {key} invalid canned acl for {key}"),
    ))
}

/// A whole number; `name` is its type in the error.
fn integer<T: FromStr<Err = std::num::ParseIntError>>(text: &str, name: &str) -> Result<T> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    // A minus where the type has none is no number at all, rather than one out of range.
    let well_formed = !digits.starts_with('+');
    let problem = match digits.parse() {
        Ok(value) if well_formed => return Ok(value),
        Err(error)
            if matches!(
                error.kind(),
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow
            ) =>
        {
            "Value out of range"
        }
        _ => "Invalid argument",
    };
    Err(Error::usage(
        CONVERSION,
        format!("Failed to convert string '{text}' to {name}; {problem}"),
    ))
}

/// A real number; leading blanks and what follows the number are ignored.
fn real(text: &str, max: f64, name: &str) -> Result<f64> {
    let start = text.trim_start();
    let number = start.get(..number_len(start)).map(str::parse::<f64>);
    let problem = match number.and_then(std::result::Result::ok) {
        Some(value) if value.is_finite() && value.abs() <= max => return Ok(value),
        Some(value) if is_spelled_non_finite(start) => return Ok(value),
        Some(_) => "Value out of range",
        None => "Invalid argument",
    };
    Err(Error::usage(
        CONVERSION,
        format!("Failed to convert string to {name}; {problem}"),
    ))
}

/// How many bytes of the beginning of a text may be a number.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let from = |at: usize| bytes.get(at..).unwrap_or_default();
    let after_sign = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let after_digits = |at: usize| {
        let digits = from(at).iter().take_while(|byte| byte.is_ascii_digit());
        at + digits.count()
    };
    let start = after_sign(0);
    for word in ["infinity", "inf", "nan"] {
        let found = from(start).get(..word.len());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes())) {
            return start + word.len();
        }
    }
    let mut end = after_digits(start);
    if bytes.get(end) == Some(&b'.') {
        end = after_digits(end + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let exponent = after_sign(end + 1);
        if after_digits(exponent) > exponent {
            end = after_digits(exponent);
        }
    }
    end
}

/// Whether a text says "inf" or "nan", rather than a number that is too large.
fn is_spelled_non_finite(text: &str) -> bool {
    text.trim_start_matches(['+', '-'])
        .starts_with(['i', 'I', 'n', 'N'])
}

fn flag(text: &str) -> Result<bool> {
    if text.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if text.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        Err(Error::usage(
            CONVERSION,
            "Failed to convert string to bool; Value not 'true' or 'false'",
        ))
    }
}

/// The typed views. Each fails where the key is unknown or the value is not of the type; the error names both.
impl Config {
    /// The value of an unsigned parameter.
    pub fn u64(&self, key: &'static str) -> Result<u64> {
        self.view(key, |text| integer(text, "uint64_t"))
    }

    /// The value of an unsigned parameter of 32 bits.
    pub fn u32(&self, key: &'static str) -> Result<u32> {
        self.view(key, |text| integer(text, "uint32_t"))
    }

    /// The value of a real parameter.
    pub fn f32(&self, key: &'static str) -> Result<f32> {
        self.view(key, |text| {
            Ok(real(text, f64::from(f32::MAX), "float32_t")? as f32)
        })
    }

    /// The value of a signed parameter.
    pub fn i64(&self, key: &'static str) -> Result<i64> {
        self.view(key, |text| integer(text, "int64_t"))
    }

    /// The value of a real parameter.
    pub fn f64(&self, key: &'static str) -> Result<f64> {
        self.view(key, |text| real(text, f64::MAX, "float64_t"))
    }

    /// The value of a boolean parameter.
    pub fn flag(&self, key: &'static str) -> Result<bool> {
        self.view(key, flag)
    }

    /// The value of a parameter that says the permissions of a file, in octal digits.
    pub fn permissions(&self, key: &'static str) -> Result<u32> {
        self.view(key, |text| {
            u32::from_str_radix(text, 8)
                .ok()
                .filter(|mode| *mode <= 0o7777)
                .ok_or_else(|| Error::usage(CONFIG, "Not the octal permissions of a file"))
        })
    }

    /// The value of a parameter that must be there.
    pub fn required(&self, key: &'static str) -> Result<Cow<'_, str>> {
        self.text(key).ok_or_else(|| {
            Error::usage(CONFIG, format!("Failed to get config value for key: {key}"))
        })
    }

    fn view<T>(&self, key: &'static str, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let text = self.required(key)?;
        parse(&text).map_err(|error| {
            Error::usage(
                CONFIG,
                format!("Failed to parse config value '{text}' for key '{key}'. Reason: {error}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(key: &str, value: &str) -> String {
        let mut config = Config::new();
        let result = config.set(key, value);
        result.map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
    }

    #[test]
    fn numbers_are_plain_decimal() {
        for (value, type_problem) in [
            ("", "Invalid argument"),
            (" 1", "Invalid argument"),
            ("0x10", "Invalid argument"),
            ("12abc", "Invalid argument"),
            ("-5", "Invalid argument"),
            ("+", "Invalid argument"),
            ("++1", "Invalid argument"),
            ("99999999999999999999", "Value out of range"),
        ] {
            assert_eq!(
                refusal("sm.memory_budget", value),
                format!(
                    "[TileDB::Utils] Error: Failed to convert string '{value}' to uint64_t; {type_problem}"
                )
            );
        }
        assert_eq!(refusal("sm.memory_budget", "+7"), "accepted");
        assert_eq!(refusal("vfs.s3.proxy_port", "-7"), "accepted");
        assert!(
            refusal("config.logging_level", "5000000000").ends_with("uint32_t; Value out of range")
        );
    }

    #[test]
    fn booleans_are_two_words_in_any_case() {
        for value in ["true", "FALSE", "tRuE"] {
            assert_eq!(refusal("sm.dedup_coords", value), "accepted", "{value}");
        }
        for value in ["", "0", "yes"] {
            assert_eq!(
                refusal("sm.dedup_coords", value),
                "[TileDB::Utils] Error: Failed to convert string to bool; Value not 'true' or 'false'"
            );
        }
    }

    #[test]
    fn reals_may_carry_more_text() {
        for value in [
            "1.5x", " 1.5", "+1.5", "nan", "inf", "-1", "1e5", "1e", "1e+", "1.", ".5", "+.5e-3y",
            "infinit", "-NaN(7)", "0x10", "1e5.5",
        ] {
            assert_eq!(
                refusal("sm.consolidation.amplification", value),
                "accepted",
                "{value}"
            );
        }
        for (value, problem) in [
            ("abc", "Invalid argument"),
            ("", "Invalid argument"),
            (".", "Invalid argument"),
            ("--1", "Invalid argument"),
            ("e5", "Invalid argument"),
            ("1e400", "Value out of range"),
            ("1e39", "Value out of range"),
        ] {
            assert_eq!(
                refusal("sm.consolidation.amplification", value),
                format!("[TileDB::Utils] Error: Failed to convert string to float32_t; {problem}")
            );
        }
    }

    #[test]
    fn a_long_text_is_read_once() {
        let long = "1".repeat(1 << 20) + &"x".repeat(1 << 20);
        let told = refusal("sm.consolidation.amplification", &long);
        assert!(told.ends_with("Value out of range"));
    }

    #[test]
    fn words_are_checked_where_programs_expect_it() {
        assert_eq!(
            refusal("sm.var_offsets.mode", "cells"),
            "Config: Invalid offsets format parameter value"
        );
        assert_eq!(refusal("sm.read_range_oob", "whatever"), "accepted");
        assert_eq!(
            refusal("rest.server_serialization_format", "json"),
            "Error: Invalid SerializationType json"
        );
        assert_eq!(
            refusal("vfs.s3.bucket_canned_acl", "aws_exec_read"),
            "Error: value vfs.s3.bucket_canned_acl invalid canned acl for vfs.s3.bucket_canned_acl"
        );
        assert_eq!(
            refusal("vfs.s3.object_canned_acl", "aws_exec_read"),
            "accepted"
        );
    }

    #[test]
    fn a_view_names_key_and_value() {
        let mut config = Config::new();
        config
            .set("sm.mem.total_budget", "lots")
            .expect("unchecked");
        let error = config.u64("sm.mem.total_budget").expect_err("no number");
        assert_eq!(
            error.to_string(),
            "Config: Failed to parse config value 'lots' for key 'sm.mem.total_budget'. Reason: \
             [TileDB::Utils] Error: Failed to convert string 'lots' to uint64_t; Invalid argument"
        );
        let error = config.u64("sm.nothing").expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "Config: Failed to get config value for key: sm.nothing"
        );
        assert_eq!(
            config.permissions("vfs.file.posix_file_permissions").ok(),
            Some(0o644)
        );
    }

    #[test]
    fn every_default_passes_its_own_check() {
        for parameter in &super::super::parameters::PARAMETERS {
            check(parameter.name, parameter.default(), parameter.check)
                .unwrap_or_else(|error| panic!("{}: {error}", parameter.name));
        }
    }
}
