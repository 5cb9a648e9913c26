//! Times in the forms that services use.

use crate::types::Timestamp;

const DAY: u64 = 86_400_000;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The year, month and day of a number of days since 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years that begin in March end with the leap day; 719,468 days lie between March of the year 0
    // and 1970.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + next, month, day)
}

/// The number of days from 1970 to a date; `None` for dates before.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let year_of_era = year % 400;
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(719_468)
}

/// A time as `2015-08-30T12:36:00Z`.
pub(super) fn format(timestamp: Timestamp) -> String {
    let (year, month, day) = date(timestamp / DAY);
    let seconds = timestamp % DAY / 1000;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// A time as `Sun, 30 Aug 2015 12:36:00 GMT`.
#[cfg(feature = "azure")]
pub(super) fn format_http(timestamp: Timestamp) -> String {
    // 1970 began on a Thursday.
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let (year, month, day) = date(timestamp / DAY);
    let seconds = timestamp % DAY / 1000;
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        WEEKDAYS[(timestamp / DAY % 7) as usize],
        MONTHS[(month - 1) as usize],
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Reads either form; the first also with fractions of seconds, which are ignored, and with an
/// offset from UTC such as `+02:00`. Returns `None` for other texts and for times before 1970.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (day, clock, offset) = match text.split_once(", ") {
        Some((_, rest)) => {
            let mut words = rest.split(' ');
            let day = words.next()?.parse().ok()?;
            let month = words.next()?;
            let month = MONTHS.iter().position(|name| *name == month)?;
            let year = words.next()?.parse().ok()?;
            (days(year, month as u64 + 1, day)?, words.next()?, 0)
        }
        None => {
            let (date, rest) = text.split_once('T')?;
            let mut parts = date.split('-').map(str::parse::<u64>);
            let mut next = || parts.next()?.ok();
            let day = days(next()?, next()?, next()?)?;
            let clock_len = rest.find(|c: char| !c.is_ascii_digit() && c != ':');
            let (clock, zone) = rest.split_at(clock_len.unwrap_or(rest.len()));
            let zone = zone.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            (day, clock, zone_offset(zone)?)
        }
    };
    let mut parts = clock.split(':').map(str::parse::<u64>);
    let mut next = || parts.next()?.ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    if hours > 24 || minutes > 59 || seconds > 60 {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60 + seconds;
    (day * DAY + seconds * 1000).checked_add_signed(-offset)
}

/// Returns the milliseconds by which a time zone is ahead of UTC.
fn zone_offset(zone: &str) -> Option<i64> {
    let (sign, offset) = match zone.split_at_checked(1) {
        _ if matches!(zone, "" | "Z" | "UTC") => return Some(0),
        Some(("+", offset)) => (1, offset.replace(':', "")),
        Some(("-", offset)) => (-1, offset.replace(':', "")),
        _ => return None,
    };
    let is_number = offset.bytes().all(|byte| byte.is_ascii_digit());
    let number = offset.parse::<i64>().ok().filter(|_| is_number)?;
    let (hours, minutes) = match offset.len() {
        2 => (number, 0),
        4 => (number / 100, number % 100),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read_in_both_forms() {
        let timestamp = 1_440_938_160_000;
        assert_eq!(format(timestamp), "2015-08-30T12:36:00Z");
        for text in [
            "2015-08-30T12:36:00Z",
            "2015-08-30T12:36:00.123Z",
            "2015-08-30T12:36:00+00:00",
            "2015-08-30T12:36:00UTC",
            "2015-08-30T12:36:00",
            "2015-08-30T14:36:00+02:00",
            "2015-08-30T07:06:00.5-0530",
            "2015-08-31T00:36:00+12",
            "Sun, 30 Aug 2015 12:36:00 GMT",
        ] {
            assert_eq!(parse(text), Some(timestamp), "{text}");
        }
        #[cfg(feature = "azure")]
        assert_eq!(format_http(timestamp), "Sun, 30 Aug 2015 12:36:00 GMT");
        for text in [
            "",
            "x",
            "2015-13-01T00:00:00Z",
            "T",
            "1800-01-01T00:00:00Z",
            "1970-01-01T00:00:00+01:00",
            "2015-08-30T18446744073709551615:00:00Z",
            "2015-08-30T00:60:00Z",
            "Sun, 30 Aug 2015 25:36:00 GMT",
            "2015-08-30T12:36:00+2",
            "2015-08-30T12:36:00+-100",
            "2015-08-30T12:36:00+24:00",
            "2015-08-30T12:36:00 CET",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        for day in 0..40_000 {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), Some(day));
        }
    }
}
