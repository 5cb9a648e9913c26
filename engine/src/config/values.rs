//! The meaning of values: checks when a parameter is set, and typed access.
//!
//! Integers are decimal, without blanks or a suffix; one leading plus is allowed. The error texts
//! are libtiledb's, since programs compare them.

use std::borrow::Cow;
use std::num::IntErrorKind;
use std::str::FromStr;

use super::parameters::ValueCheck;
use super::{Config, Release};
use crate::error::{ConfigError, Error, Result};
use crate::memory::{self, Budget};

const COMMON_ACLS: [&str; 5] = [
    "NOT_SET",
    "private_",
    "public_read",
    "public_read_write",
    "authenticated_read",
];
const OBJECT_ACLS: [&str; 3] = [
    "aws_exec_read",
    "bucket_owner_read",
    "bucket_owner_full_control",
];

/// Checks a value that is about to be set.
pub(super) fn check(key: &str, value: &str, check: ValueCheck) -> Result<()> {
    match check {
        ValueCheck::Any => Ok(()),
        ValueCheck::U32 => integer::<u32>(value, "uint32_t").map(drop),
        ValueCheck::U64 => integer::<u64>(value, "uint64_t").map(drop),
        ValueCheck::I64OrEmpty if value.is_empty() => Ok(()),
        ValueCheck::I64 | ValueCheck::I64OrEmpty => integer::<i64>(value, "int64_t").map(drop),
        ValueCheck::F32 => real(value, f64::from(f32::MAX), "float32_t").map(drop),
        ValueCheck::FlagOrEmpty if value.is_empty() => Ok(()),
        ValueCheck::Flag | ValueCheck::FlagOrEmpty => flag(value).map(drop),
        ValueCheck::LoggingFormat => word(value, &["DEFAULT", "JSON"], "logging format"),
        ValueCheck::FormatVersion => word(value, &["22", "23"], "format version"),
        ValueCheck::OffsetsMode => word(value, &["bytes", "elements"], "offsets format"),
        ValueCheck::FileSync => word(value, &["all", "files", "none"], "extent of syncs"),
        ValueCheck::S3Scheme => word(value, &["http", "https"], "S3 scheme"),
        ValueCheck::SerializationFormat => match value {
            "CAPNP" | "JSON" => Ok(()),
            _ => Err(ConfigError::BadSerialization {
                value: value.into(),
            }
            .into()),
        },
        ValueCheck::BucketAcl => acl(key, value, COMMON_ACLS.contains(&value)),
        ValueCheck::ObjectAcl => acl(
            key,
            value,
            COMMON_ACLS.contains(&value) || OBJECT_ACLS.contains(&value),
        ),
    }
}

fn word(value: &str, allowed: &[&str], subject: &'static str) -> Result<()> {
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(ConfigError::BadWord {
        value: value.into(),
        subject,
    }
    .into())
}

fn acl(key: &str, value: &str, allowed: bool) -> Result<()> {
    if allowed {
        return Ok(());
    }
    Err(ConfigError::BadAcl {
        key: key.into(),
        value: value.into(),
    }
    .into())
}

/// Parses an integer; `name` is its type in the error.
fn integer<T: FromStr<Err = std::num::ParseIntError>>(text: &str, name: &'static str) -> Result<T> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    // A minus sign before an unsigned number is an invalid argument, not a value out of range.
    let has_two_signs = digits.len() < text.len() && digits.starts_with('-');
    let well_formed =
        !digits.starts_with('+') && (!has_two_signs || Release::current() >= Release::V2_31);
    let cause = match digits.parse() {
        Ok(value) if well_formed => return Ok(value),
        Err(error)
            if matches!(
                error.kind(),
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow
            ) =>
        {
            ConfigError::IntegerOutOfRange {
                value: text.into(),
                datatype: name,
            }
        }
        _ => ConfigError::NotAnInteger {
            value: text.into(),
            datatype: name,
        },
    };
    Err(cause.into())
}

/// Parses a floating-point number. Leading blanks are ignored; so is text after the number, before
/// 2.31.
fn real(text: &str, max: f64, name: &'static str) -> Result<f64> {
    real_of_release(text, max, name, Release::current())
}

fn real_of_release(text: &str, max: f64, name: &'static str, release: Release) -> Result<f64> {
    let is_strict = release >= Release::V2_31;
    let start = text
        .strip_prefix('+')
        .filter(|_| is_strict)
        .unwrap_or(text)
        .trim_start();
    let number = hexadecimal(start).or_else(|| {
        let len = number_len(start);
        Some((start.get(..len)?.parse::<f64>().ok()?, len))
    });
    let value = number.filter(|(_, len)| !is_strict || *len == start.len());
    let cause = match value.map(|(value, _)| value) {
        Some(value) if value.is_finite() && value.abs() <= max => return Ok(value),
        Some(value) if is_spelled_non_finite(start) && !(is_strict && value == f64::INFINITY) => {
            return Ok(value);
        }
        Some(_) => ConfigError::RealOutOfRange {
            value: text.into(),
            datatype: name,
        },
        None => ConfigError::NotAReal {
            value: text.into(),
            datatype: name,
        },
    };
    Err(cause.into())
}

/// Parses a hexadecimal number at the start of a text, as C does: "0x1.8p3" is 12. Returns the
/// number and its length in bytes.
fn hexadecimal(text: &str) -> Option<(f64, usize)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let rest = unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"))?;
    let digits_of = |text: &str| text.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (whole, rest) = rest.split_at(digits_of(rest));
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let (fraction, after) = fraction.split_at(digits_of(fraction));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let rest = if rest.starts_with('.') { after } else { rest };
    let (exponent, exponent_len) = binary_exponent(rest);
    let len = text.len() - rest.len() + exponent_len;
    let digit = |text: char| f64::from(text.to_digit(16).unwrap_or_default());
    let high = whole.chars().fold(0.0, |sum, c| sum * 16.0 + digit(c));
    let low = fraction
        .chars()
        .rev()
        .fold(0.0, |sum, c| (sum + digit(c)) / 16.0);
    let mut value = high + low;
    if value != 0.0 {
        value *= 2f64.powi(exponent.clamp(-5000, 5000));
    }
    let value = if text.starts_with('-') { -value } else { value };
    Some((value, len))
}

/// Returns the power of two at the start of a text, such as "p-3", and its length in bytes; 0 and 0
/// for other texts.
fn binary_exponent(text: &str) -> (i32, usize) {
    let Some(text) = text.strip_prefix(['p', 'P']) else {
        return (0, 0);
    };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits.get(..len).unwrap_or_default();
    let value = match number.parse::<i32>() {
        Ok(value) => value,
        Err(_) if number.is_empty() => return (0, 0),
        Err(_) => i32::MAX,
    };
    let value = if text.starts_with('-') { -value } else { value };
    (value, 1 + text.len() - digits.len() + len)
}

/// Returns the length in bytes of the number at the start of a text.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let from = |offset: usize| bytes.get(offset..).unwrap_or_default();
    let after_sign =
        |offset: usize| offset + usize::from(matches!(bytes.get(offset), Some(b'+' | b'-')));
    let after_digits = |offset: usize| {
        let digits = from(offset).iter().take_while(|byte| byte.is_ascii_digit());
        offset + digits.count()
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

/// Returns whether a text begins with "inf" or "nan", as opposed to a number that is too large.
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
        Err(ConfigError::NotAFlag { value: text.into() }.into())
    }
}

/// Typed access. Each function returns an error that contains name and value if the parameter is
/// unknown or the value does not have the type.
impl Config {
    /// Returns the memory budget.
    pub fn memory_budget(&self) -> Result<Budget> {
        self.u64(memory::PARAMETER).map(Budget::new)
    }

    /// Returns the value of an unsigned 64-bit parameter.
    pub fn u64(&self, key: &str) -> Result<u64> {
        self.parse_value(key, |text| integer(text, "uint64_t"))
    }

    /// Returns the value of an unsigned 32-bit parameter.
    pub fn u32(&self, key: &'static str) -> Result<u32> {
        self.parse_value(key, |text| integer(text, "uint32_t"))
    }

    /// Returns the value of a 32-bit floating-point parameter.
    pub fn f32(&self, key: &'static str) -> Result<f32> {
        self.parse_value(key, |text| {
            Ok(real(text, f64::from(f32::MAX), "float32_t")? as f32)
        })
    }

    /// Returns the value of a signed 64-bit parameter.
    pub fn i64(&self, key: &'static str) -> Result<i64> {
        self.parse_value(key, |text| integer(text, "int64_t"))
    }

    /// Returns the value of a 64-bit floating-point parameter.
    pub fn f64(&self, key: &'static str) -> Result<f64> {
        self.parse_value(key, |text| real(text, f64::MAX, "float64_t"))
    }

    /// Returns the value of a boolean parameter.
    pub fn flag(&self, key: &str) -> Result<bool> {
        self.parse_value(key, flag)
    }

    /// Returns the value of a parameter that contains file permissions in octal digits.
    pub fn permissions(&self, key: &'static str) -> Result<u32> {
        self.parse_value(key, |text| {
            u32::from_str_radix(text, 8)
                .ok()
                .filter(|mode| *mode <= 0o7777)
                .ok_or_else(|| Error::from(ConfigError::NotPermissions { value: text.into() }))
        })
    }

    /// Returns the value of a parameter, or an error if the name is unknown.
    pub fn required(&self, key: &str) -> Result<Cow<'_, str>> {
        self.text(key)
            .ok_or_else(|| Error::from(ConfigError::UnknownParameter { key: key.into() }))
    }

    fn parse_value<T>(&self, key: &str, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let text = self.required(key)?;
        parse(&text).map_err(|cause| {
            Error::from(ConfigError::BadValue {
                key: key.into(),
                value: text.into_owned(),
                cause,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_error(key: &str, value: &str) -> String {
        let mut config = Config::new();
        let result = config.set(key, value);
        result.map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
    }

    #[test]
    fn numbers_are_plain_decimal() {
        for (value, problem) in [
            ("", "is not an integer of type"),
            (" 1", "is not an integer of type"),
            ("0x10", "is not an integer of type"),
            ("12abc", "is not an integer of type"),
            ("-5", "is not an integer of type"),
            ("+", "is not an integer of type"),
            ("++1", "is not an integer of type"),
            ("99999999999999999999", "is out of the range of"),
        ] {
            assert_eq!(
                set_error("vfs.min_batch_gap", value),
                format!("'{value}' {problem} uint64_t")
            );
        }
        assert_eq!(set_error("vfs.min_batch_gap", "+7"), "accepted");
        assert_eq!(set_error("vfs.s3.proxy_port", "-7"), "accepted");
        assert!(
            set_error("config.logging_level", "5000000000")
                .ends_with("is out of the range of uint32_t")
        );
    }

    #[test]
    fn booleans_are_two_words_in_any_case() {
        for value in ["true", "FALSE", "tRuE"] {
            assert_eq!(set_error("sm.dedup_coords", value), "accepted", "{value}");
        }
        for value in ["", "0", "yes"] {
            assert_eq!(
                set_error("sm.dedup_coords", value),
                format!("'{value}' is neither 'true' nor 'false'")
            );
        }
    }

    #[test]
    fn floating_point_numbers_may_have_a_suffix() {
        for value in [
            "1.5x", " 1.5", "+1.5", "nan", "inf", "-1", "1e5", "1e", "1e+", "1.", ".5", "+.5e-3y",
            "infinit", "-NaN(7)", "0x10", "1e5.5",
        ] {
            assert_eq!(
                set_error("sm.consolidation.amplification", value),
                "accepted",
                "{value}"
            );
        }
        for (value, problem) in [
            ("abc", "is not a number of type"),
            ("", "is not a number of type"),
            (".", "is not a number of type"),
            ("--1", "is not a number of type"),
            ("e5", "is not a number of type"),
            ("1e400", "is out of the range of"),
            ("1e39", "is out of the range of"),
        ] {
            assert_eq!(
                set_error("sm.consolidation.amplification", value),
                format!("'{value}' {problem} float32_t")
            );
        }
    }

    #[test]
    fn floating_point_numbers_have_no_suffix_from_2_31_on() {
        let parse = |text: &str| {
            let max = f64::from(f32::MAX);
            real_of_release(text, max, "float32_t", Release::V2_31).ok()
        };
        for (text, value) in [
            (" 1.5", 1.5),
            ("+1.5", 1.5),
            ("+-1.5", -1.5),
            ("1e5", 1e5),
            ("1.", 1.0),
            ("0x1.8p3", 12.0),
            ("-inf", f64::NEG_INFINITY),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for text in [
            "1.5abc", "1e", "1 ", "0x10z", "0x1p", "inf", "infinit", "1e39", "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn hexadecimal_floating_point_numbers_have_the_value_of_c() {
        for (text, value) in [
            ("0x10", 16.0),
            ("-0X1F", -31.0),
            ("+0x1.8p3", 12.0),
            ("0x.8", 0.5),
            ("0x10p-4z", 1.0),
            ("0x1p", 1.0),
            ("0x1p+", 1.0),
            ("0x", 0.0),
            ("0xg", 0.0),
            ("0x0p99999", 0.0),
        ] {
            let mut config = Config::new();
            config
                .set("sm.consolidation.amplification", text)
                .expect(text);
            let parsed = config.f32("sm.consolidation.amplification").expect(text);
            assert_eq!(parsed, value, "{text}");
        }
        assert_eq!(
            set_error("sm.consolidation.amplification", "0x1p999999999999"),
            "'0x1p999999999999' is out of the range of float32_t"
        );
    }

    #[test]
    fn parsing_a_long_text_takes_linear_time() {
        let long = "1".repeat(1 << 20) + &"x".repeat(1 << 20);
        let error = set_error("sm.consolidation.amplification", &long);
        assert!(error.ends_with("is out of the range of float32_t"));
    }

    #[test]
    fn keywords_are_checked_as_in_libtiledb() {
        assert_eq!(
            set_error("sm.var_offsets.mode", "cells"),
            "'cells' is not valid as the offsets format"
        );
        assert_eq!(set_error("sm.read_range_oob", "whatever"), "accepted");
        assert_eq!(
            set_error("rest.server_serialization_format", "json"),
            "'json' is not a serialization format"
        );
        assert_eq!(
            set_error("vfs.s3.bucket_canned_acl", "aws_exec_read"),
            "'aws_exec_read' is not a canned ACL for the parameter 'vfs.s3.bucket_canned_acl'"
        );
        assert_eq!(
            set_error("vfs.s3.object_canned_acl", "aws_exec_read"),
            "accepted"
        );
    }

    #[test]
    fn typed_access_errors_contain_key_and_value() {
        let mut config = Config::new();
        config
            .set("sm.mem.total_budget", "lots")
            .expect("unchecked");
        let error = config.u64("sm.mem.total_budget").expect_err("no number");
        assert_eq!(
            error.to_string(),
            "The parameter 'sm.mem.total_budget' has the value 'lots': 'lots' is not an integer of type uint64_t"
        );
        let error = config.u64("sm.nothing").expect_err("unknown");
        assert_eq!(error.to_string(), "There is no parameter 'sm.nothing'");
        assert_eq!(
            config.permissions("vfs.file.posix_file_permissions").ok(),
            Some(0o644)
        );
    }

    #[test]
    fn every_default_passes_its_own_check() {
        for parameter in super::super::parameters::listed() {
            let default = parameter.default().expect("a default");
            check(parameter.name, default, parameter.check)
                .unwrap_or_else(|error| panic!("{}: {error}", parameter.name));
        }
    }
}
