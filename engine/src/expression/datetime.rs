//! Datetimes and times of a day as text.

use crate::types::Datatype;

/// The number of decimals of a second in the smallest unit, attoseconds.
const PLACES: u32 = 18;
const ATTOSECONDS: i128 = 10_i128.pow(PLACES);
/// The attoseconds of a day.
const DAY: i128 = 86_400 * ATTOSECONDS;

/// The text of the smallest number, which NumPy uses for missing values.
const NOT_A_TIME: &str = "NaT";

/// A unit of datetimes and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Year,
    Month,
    /// The unit in attoseconds.
    Span(i128),
}

fn unit(datatype: Datatype) -> Option<Unit> {
    use Datatype as D;
    let seconds = |seconds: i128| Some(Unit::Span(seconds * ATTOSECONDS));
    let part = |places: u32| Some(Unit::Span(10_i128.pow(PLACES - places)));
    match datatype {
        D::DatetimeYear => Some(Unit::Year),
        D::DatetimeMonth => Some(Unit::Month),
        D::DatetimeWeek => Some(Unit::Span(7 * DAY)),
        D::DatetimeDay => Some(Unit::Span(DAY)),
        D::DatetimeHr | D::TimeHr => seconds(3600),
        D::DatetimeMin | D::TimeMin => seconds(60),
        D::DatetimeSec | D::TimeSec => seconds(1),
        D::DatetimeMs | D::TimeMs => part(3),
        D::DatetimeUs | D::TimeUs => part(6),
        D::DatetimeNs | D::TimeNs => part(9),
        D::DatetimePs | D::TimePs => part(12),
        D::DatetimeFs | D::TimeFs => part(15),
        D::DatetimeAs | D::TimeAs => part(18),
        _ => None,
    }
}

/// A date of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
}

/// Returns the number of days from 1970-01-01 to a date.
fn days_from_date(date: Date) -> i64 {
    let Date { year, month, day } = date;
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns the date that is `days` days after 1970-01-01.
fn date_from_days(days: i64) -> Date {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Date { year, month, day }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the value of a datetime or time of a day with this datatype in ISO 8601, or the number
/// if a calendar date cannot express it.
pub fn format(datatype: Datatype, value: i64) -> String {
    let Some(unit) = unit(datatype) else {
        return value.to_string();
    };
    let date = |year: i64, rest: String| match year {
        0..=9999 => format!("{year:04}{rest}"),
        _ => format!("{year:+05}{rest}"),
    };
    match unit {
        _ if value == i64::MIN => NOT_A_TIME.to_owned(),
        Unit::Year => date(value.saturating_add(1970), String::new()),
        Unit::Month => {
            let (years, month) = (value.div_euclid(12), value.rem_euclid(12));
            date(years + 1970, format!("-{:02}", month + 1))
        }
        Unit::Span(span) => {
            let places = if span < ATTOSECONDS {
                PLACES - span.ilog10()
            } else {
                0
            };
            let Some(total) = i128::from(value).checked_mul(span) else {
                return value.to_string();
            };
            if datatype.is_time() {
                return clock_text(total, places);
            }
            let days = i64::try_from(total.div_euclid(DAY)).unwrap_or(i64::MAX);
            // Days of years beyond this cannot be divided into dates without overflow.
            if days.unsigned_abs() > i64::MAX as u64 / 400 {
                return value.to_string();
            }
            let Date { year, month, day } = date_from_days(days);
            let date = date(year, format!("-{month:02}-{day:02}"));
            if span >= DAY {
                return date;
            }
            format!("{date}T{}", clock_text(total.rem_euclid(DAY), places))
        }
    }
}

/// Returns a number of attoseconds as hours, minutes and seconds with this number of decimals.
fn clock_text(total: i128, places: u32) -> String {
    let sign = if total < 0 { "-" } else { "" };
    let (seconds, fraction) = (total.abs() / ATTOSECONDS, total.abs() % ATTOSECONDS);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let clock = format!("{sign}{hours:02}:{minutes:02}:{:02}", seconds % 60);
    if places == 0 {
        return clock;
    }
    let fraction = format!("{fraction:018}");
    format!("{clock}.{}", &fraction[..places as usize])
}

/// Returns the value of this datatype that a text denotes, or the problem as the end of a sentence
/// that begins with the text.
pub fn parse(datatype: Datatype, text: &str) -> Result<i64, String> {
    let kind = if datatype.is_time() {
        "time"
    } else {
        "datetime"
    };
    let unit = unit(datatype).ok_or_else(|| format!("is not a value of {}", datatype.name()))?;
    let invalid = || {
        let example = if datatype.is_time() {
            "12:30:00.5"
        } else {
            "2024-02-29T12:30:00.5"
        };
        format!("is not a {kind} such as '{example}'")
    };
    let inexact = || format!("is more precise than {}", datatype.name());
    let range = || format!("is out of the range of {}", datatype.name());
    if text == NOT_A_TIME {
        return Ok(i64::MIN);
    }
    if datatype.is_time() {
        let clock = parse_clock(text).ok_or_else(invalid)?;
        return in_unit(unit, clock, inexact, range);
    }
    let (date, clock) = parse_date_and_clock(text).ok_or_else(invalid)?;
    let Date { year, month, day } = date;
    match unit {
        Unit::Year if month == 1 && day == 1 && clock == 0 => Ok(year - 1970),
        Unit::Month if day == 1 && clock == 0 => Ok((year - 1970) * 12 + month - 1),
        Unit::Year | Unit::Month => Err(inexact()),
        Unit::Span(_) => {
            let since_1970 = i128::from(days_from_date(date)) * DAY + clock;
            in_unit(unit, since_1970, inexact, range)
        }
    }
}

/// Converts attoseconds to a unit.
fn in_unit(
    unit: Unit,
    total: i128,
    inexact: impl Fn() -> String,
    range: impl Fn() -> String,
) -> Result<i64, String> {
    let Unit::Span(span) = unit else {
        return Err(inexact());
    };
    if total % span != 0 {
        return Err(inexact());
    }
    i64::try_from(total / span).map_err(|_| range())
}

fn digits(text: &str, len: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let valid = len.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| valid)
}

/// Parses `2024`, `2024-02`, `2024-02-29`, with a clock after `T` or a space, and an optional `Z`
/// or difference from UTC. Years have four to six digits and an optional sign. The time of the day
/// is in attoseconds in UTC, and may be on the day before or after.
fn parse_date_and_clock(text: &str) -> Option<(Date, i128)> {
    let text = text.trim();
    let (date, clock_part) = match text.split_once(['T', 't', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let (negative, date) = match date.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, date.strip_prefix('+').unwrap_or(date)),
    };
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4..=6)?;
    let year = if negative { -year } else { year };
    let month = parts.next().map_or(Some(1), |text| digits(text, 2..=2))?;
    let day = parts.next().map_or(Some(1), |text| digits(text, 2..=2))?;
    let valid = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    if !valid || parts.next().is_some() {
        return None;
    }
    let clock = match clock_part {
        None => 0,
        // A clock needs a complete date.
        Some(_) if date.matches('-').count() != 2 => return None,
        Some(text) => {
            let (text, difference) = utc_difference(text);
            parse_clock(text)? - difference * ATTOSECONDS
        }
    };
    Some((Date { year, month, day }, clock))
}

/// Divides a clock with an optional `Z`, `+01:00`, `+0100` or `+01` into the clock and the
/// difference from UTC in seconds.
fn utc_difference(text: &str) -> (&str, i128) {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return (clock, 0);
    }
    text.rfind(['+', '-'])
        .and_then(|start| {
            let (clock, zone) = text.split_at(start);
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let zone = zone.get(1..)?;
            let (hours, minutes) = match zone.len() {
                2 => (zone, "00"),
                4 => zone.split_at_checked(2)?,
                _ => zone.split_once(':')?,
            };
            let (hours, minutes) = (digits(hours, 2..=2)?, digits(minutes, 2..=2)?);
            let seconds = i128::from(hours * 3600 + minutes * 60);
            (hours < 24 && minutes < 60).then_some((clock, sign * seconds))
        })
        .unwrap_or((text, 0))
}

/// Parses `12:30`, `12:30:59` or `12:30:59.5`. Returns the attoseconds since midnight.
fn parse_clock(text: &str) -> Option<i128> {
    let mut parts = text.trim().split(':');
    let hours = digits(parts.next()?, 2..=2)?;
    let minutes = digits(parts.next()?, 2..=2)?;
    let seconds = parts.next().unwrap_or("00");
    if parts.next().is_some() {
        return None;
    }
    let (seconds, decimals) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let seconds = digits(seconds, 2..=2)?;
    let fraction = digits(decimals, 1..=PLACES as usize)?;
    let fraction = i128::from(fraction) * 10_i128.pow(PLACES - decimals.len() as u32);
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let seconds = i128::from(hours * 3600 + minutes * 60 + seconds);
    Some(seconds * ATTOSECONDS + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datetimes_survive_format_and_parse() {
        let datatypes = Datatype::ALL.into_iter();
        for datatype in datatypes.filter(|datatype| datatype.is_datetime()) {
            for value in [-1500, -1, 0, 1, 13, 59, 86_399, 1_000_000, 1_709_210_096] {
                let value = match datatype {
                    Datatype::DatetimeYear | Datatype::DatetimeMonth => value % 1000,
                    Datatype::DatetimeWeek | Datatype::DatetimeDay => value % 1_000_000,
                    Datatype::DatetimeHr | Datatype::DatetimeMin => value % 10_000_000,
                    _ => value,
                };
                let text = format(datatype, value);
                assert_eq!(parse(datatype, &text), Ok(value), "{datatype:?} {text}");
            }
        }
    }

    #[test]
    fn known_dates_have_known_values() {
        let day = |text| parse(Datatype::DatetimeDay, text);
        assert_eq!(day("1970-01-01"), Ok(0));
        assert_eq!(day("2000-02-29"), Ok(11_016));
        assert_eq!(day("1969-12-31"), Ok(-1));
        assert_eq!(day("2024-01"), Ok(19_723));
        assert_eq!(parse(Datatype::DatetimeYear, "2024"), Ok(54));
        assert_eq!(parse(Datatype::DatetimeWeek, "1970-01-08"), Ok(1));
        let text = "2024-02-29 12:30:00.5Z";
        assert_eq!(parse(Datatype::DatetimeMs, text), Ok(1_709_209_800_500));
        for zone in ["+05:30", "+0530"] {
            let text = format!("2024-02-29T18:00:00.5{zone}");
            assert_eq!(parse(Datatype::DatetimeMs, &text), Ok(1_709_209_800_500));
        }
        assert_eq!(day("1970-01-01T23:00-01"), Ok(1));
        assert_eq!(day("1970-01-01T01:00+01:00"), Ok(0));
        assert_eq!(format(Datatype::DatetimeMs, -1), "1969-12-31T23:59:59.999");
        assert_eq!(format(Datatype::TimeMs, 45_000_500), "12:30:00.500");
        for datatype in [
            Datatype::DatetimeNs,
            Datatype::DatetimeYear,
            Datatype::TimeSec,
        ] {
            assert_eq!(format(datatype, i64::MIN), "NaT");
            assert_eq!(parse(datatype, "NaT"), Ok(i64::MIN));
        }
    }

    #[test]
    fn extreme_values_are_formatted() {
        for datatype in Datatype::ALL {
            for value in [i64::MIN, i64::MIN + 1, i64::MAX] {
                assert!(!format(datatype, value).is_empty());
            }
        }
    }

    #[test]
    fn invalid_texts_are_errors() {
        for text in [
            "",
            "x",
            "20",
            "2024-13",
            "2023-02-29",
            "2024-1-1",
            "2024-02-01T25:00",
            "2024-02-01T12:00+24:00",
            "2024-02-01T12:00+1",
            "2024-02-01T12:00+ä",
            "2024-02-01T+01:00",
            "2024-02-01+01:00",
        ] {
            assert!(parse(Datatype::DatetimeNs, text).is_err(), "{text}");
        }
        for text in ["12", "24:00", "12:60", "12:30:00.", "-01:00"] {
            assert!(parse(Datatype::TimeNs, text).is_err(), "{text}");
        }
        let problem = parse(Datatype::DatetimeDay, "2024-01-01T12:00").expect_err("a half day");
        assert_eq!(problem, "is more precise than DATETIME_DAY");
        let problem = parse(Datatype::DatetimeAs, "2024-01-01").expect_err("too far");
        assert_eq!(problem, "is out of the range of DATETIME_AS");
    }
}
