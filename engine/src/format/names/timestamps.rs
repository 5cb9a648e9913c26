//! Timestamped names: of fragments, schemas, commits and metadata files.
//!
//! ```text
//! __uuid_t1[_t2]            formats 1 and 2
//! __t1_t2_uuid              formats 3 and 4; schemas and metadata files of every format
//! __t1_t2_uuid_version      since format 5
//! ```
//!
//! `t1` and `t2` are milliseconds since 1970-01-01 UTC; `uuid` is 32 hexadecimal digits. Names in
//! other formats are ignored.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::format::version::{FormatVersion, LAST_UNIQUE_FIRST_NAMES, LAST_UNVERSIONED_NAMES};
use crate::types::{SharedText, TimeRange, Timestamp, UUID_LEN, new_uuid, random};

/// The name of a fragment's folder, or of another file with a timestamp in its name, without a
/// suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentName {
    text: SharedText,
    timestamps: TimeRange,
    version: FormatVersion,
}

impl FragmentName {
    /// Parses a name, which may be followed by a dot and a suffix. Returns `None` for other names.
    pub fn parse(text: &str) -> Option<Self> {
        let (len, timestamps, version) = parse(text)?;
        Some(Self {
            text: text.get(..len)?.into(),
            timestamps,
            version,
        })
    }

    /// Parses a name as [`FragmentName::parse`] does. The name shares the memory of `text`.
    pub fn parse_shared(text: &SharedText) -> Option<Self> {
        let (len, timestamps, version) = parse(text.as_str())?;
        Some(Self {
            text: text.first(len),
            timestamps,
            version,
        })
    }

    /// Parses the part of a text at `range`, which must be a name and nothing else. The name shares
    /// the memory of the text.
    pub fn parse_part(whole: &Arc<String>, range: Range<usize>) -> Option<Self> {
        let (len, timestamps, version) = parse(whole.get(range.clone())?)?;
        (len == range.len()).then(|| Self {
            text: SharedText::part_of(whole, range),
            timestamps,
            version,
        })
    }

    /// Parses a name that is followed by exactly `suffix`. Incomplete files of writers have another
    /// suffix.
    pub fn with_suffix(text: &str, suffix: &str) -> Option<Self> {
        let stem = text.strip_suffix(suffix)?;
        Self::parse(stem).filter(|name| name.as_str() == stem)
    }

    /// Generates a unique name. Names that one process generates within a millisecond are in
    /// ascending order.
    pub fn generate(timestamps: TimeRange, version: FormatVersion) -> Self {
        let TimeRange { start, end } = timestamps;
        let text = format!("__{start}_{end}_{}_{version}", new_uuid());
        Self {
            text: text.as_str().into(),
            timestamps,
            version,
        }
    }

    /// Generates a name for a fragment that replaces this one and others before it. Among the names
    /// with the timestamps of this one, it sorts after it, before `next`, and before names
    /// generated later.
    pub fn following(&self, next: Option<&Self>, version: FormatVersion) -> Self {
        /// The logarithm of the number of names that can follow each other between two names.
        const GAP_SHIFT: u32 = 12;
        let end = self.timestamps.end;
        let known = self.unique_number();
        let next = next.filter(|next| next.timestamps == self.timestamps);
        let gap = match (known, next.and_then(Self::unique_number)) {
            (Some(known), Some(next)) => next.saturating_sub(known),
            _ => u128::MAX,
        };
        let step = 1 + (u128::from(random(end)) << GAP_SHIFT) % (gap >> GAP_SHIFT).max(1);
        match known.and_then(|known| known.checked_add(step)) {
            Some(unique_number) if step < gap => {
                Self::numbered(self.timestamps, unique_number, version)
            }
            _ => Self::generate(self.timestamps, version),
        }
    }

    /// Creates a name whose unique part is a number.
    pub fn numbered(timestamps: TimeRange, unique_number: u128, version: FormatVersion) -> Self {
        let TimeRange { start, end } = timestamps;
        let text = format!("__{start}_{end}_{unique_number:032x}_{version}");
        Self {
            text: text.as_str().into(),
            timestamps,
            version,
        }
    }

    /// Returns the unique part of the name as a number.
    pub fn unique_number(&self) -> Option<u128> {
        let digits = self
            .as_str()
            .split('_')
            .find(|part| part.len() == UUID_LEN)?;
        u128::from_str_radix(digits, 16).ok()
    }

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Returns whether the name ends with a format version. The names of fragments do, those of
    /// schemas and metadata files do not.
    pub fn is_versioned(&self) -> bool {
        self.version > LAST_UNVERSIONED_NAMES
    }

    /// Compares by start, by end, then by text: the oldest comes first.
    pub fn oldest_first(&self, other: &Self) -> Ordering {
        let times = self.timestamps.cmp(&other.timestamps);
        times.then_with(|| self.as_str().cmp(other.as_str()))
    }

    /// Returns the timestamps in milliseconds.
    pub fn timestamps(&self) -> TimeRange {
        self.timestamps
    }

    /// Returns the format version in the name; without one, the newest that is possible.
    pub fn version(&self) -> FormatVersion {
        self.version
    }
}

/// Generates a name without a version, for schemas and metadata files.
pub fn unversioned_name(timestamps: TimeRange) -> String {
    format!("__{}_{}_{}", timestamps.start, timestamps.end, new_uuid())
}

/// Generates a file name for an enumeration, which contains no timestamp, but the version of the
/// record.
pub fn enumeration_name() -> String {
    format!("__{}_{}", new_uuid(), crate::format::enumeration::VERSION)
}

/// Returns whether the name of a file, which was stored or received, has no path that could lead
/// out of its folder. An empty name, of a file that does not exist yet, has none.
pub fn is_without_path(name: &str) -> bool {
    !matches!(name, "." | "..") && !name.contains(['/', '\\'])
}

/// The length of a name without its suffix, the timestamps, and the format version.
type NameParts = (usize, TimeRange, FormatVersion);

fn parse(text: &str) -> Option<NameParts> {
    parse_versioned(text).or_else(|| parse_any(text))
}

/// Parses a name in the newest format. Opens parse the names of all fragments, most of which have
/// that format.
fn parse_versioned(text: &str) -> Option<NameParts> {
    let first = text.as_bytes().strip_prefix(b"__")?;
    let mut rest = first;
    let start = take_number(&mut rest)?;
    let digits = first.get(..first.len() - rest.len())?;
    rest = rest.strip_prefix(b"_")?;
    // Both timestamps of most fragments are equal.
    let end = match rest.strip_prefix(digits) {
        Some(after @ [b'_', ..]) => {
            rest = after;
            start
        }
        _ => take_number(&mut rest).filter(|end| start <= *end)?,
    };
    let uuid: &[u8; UUID_LEN];
    (uuid, rest) = rest.strip_prefix(b"_")?.split_first_chunk()?;
    // Without branches, several digits are compared at a time.
    if !uuid
        .iter()
        .map(u8::is_ascii_hexdigit)
        .fold(true, |all, digit| all & digit)
    {
        return None;
    }
    rest = rest.strip_prefix(b"_")?;
    let version = u32::try_from(take_number(&mut rest)?).ok()?;
    if !matches!(rest, [] | [b'.', ..]) {
        return None;
    }
    let timestamps = TimeRange { start, end };
    Some((text.len() - rest.len(), timestamps, FormatVersion(version)))
}

/// Parses a name in any format.
fn parse_any(text: &str) -> Option<NameParts> {
    let stem = match text.bytes().position(|byte| byte == b'.') {
        Some(end) => text.get(..end)?,
        None => text,
    };
    let rest = stem.strip_prefix("__")?;
    let mut parts = [""; 4];
    let (mut part_num, mut start) = (0, 0);
    // For short parts a loop is faster than a search.
    let ends = rest.bytes().enumerate().filter(|(_, byte)| *byte == b'_');
    for end in ends.map(|(end, _)| end).chain([rest.len()]) {
        *parts.get_mut(part_num)? = rest.get(start..end)?;
        part_num += 1;
        start = end + 1;
    }
    let (timestamps, version) = match (part_num, parts) {
        (4, [start, end, _, version]) => (range(start, end)?, FormatVersion(version.parse().ok()?)),
        (3, [start, end, uuid, _]) if uuid.len() == UUID_LEN => {
            (range(start, end)?, LAST_UNVERSIONED_NAMES)
        }
        (2 | 3, [uuid, start, end, _]) if uuid.len() == UUID_LEN => {
            let last = if end.is_empty() { start } else { end };
            (range(last, last)?, LAST_UNIQUE_FIRST_NAMES)
        }
        _ => return None,
    };
    Some((stem.len(), timestamps, version))
}

/// Removes the decimal digits at the start of `text` and returns their number; `None` without a
/// digit, or if the number is too large.
fn take_number(text: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    let mut len = 0;
    for digit in text.iter().map(|byte| byte.wrapping_sub(b'0')) {
        if digit > 9 {
            break;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
        len += 1;
    }
    *text = text.get(len..)?;
    (len > 0).then_some(number)
}

fn range(start: &str, end: &str) -> Option<TimeRange> {
    let start: Timestamp = start.parse().ok()?;
    let end: Timestamp = end.parse().ok()?;
    (start <= end).then_some(TimeRange { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::now;

    const UUID: &str = "01cf7b6741eec5a1a05eb52bb3fa0838";

    #[test]
    fn three_name_formats_are_distinguished() {
        let read =
            |text: &str| FragmentName::parse(text).map(|name| (name.timestamps(), name.version()));
        let range = |start, end| TimeRange { start, end };
        assert_eq!(
            read(&format!("__5_7_{UUID}_22")),
            Some((range(5, 7), FormatVersion(22)))
        );
        assert_eq!(
            read(&format!("__5_7_{UUID}")),
            Some((range(5, 7), FormatVersion(4)))
        );
        assert_eq!(
            read(&format!("__{UUID}_5")),
            Some((range(5, 5), FormatVersion(2)))
        );
        assert_eq!(
            read(&format!("__{UUID}_5_7")),
            Some((range(7, 7), FormatVersion(2)))
        );
    }

    #[test]
    fn replacing_fragments_sort_like_the_replaced_ones() {
        let timestamps = TimeRange { start: 7, end: 7 };
        let version = FormatVersion::WRITTEN;
        let [first, second] = [0, 1].map(|_| FragmentName::generate(timestamps, version));
        let is_between = |name: &FragmentName, low: &FragmentName, high: &FragmentName| {
            assert_eq!(FragmentName::parse(name.as_str()).as_ref(), Some(name));
            low.as_str() < name.as_str() && name.as_str() < high.as_str()
        };
        // Parts are replaced and divided again, several times.
        for known in [None, Some(&second)] {
            let (mut low, mut high) = (first.clone(), second.clone());
            for round in 0..5 {
                let next = if round == 0 { known } else { Some(&high) };
                let mut parts = vec![low.following(next, version)];
                for part in 1..1000 {
                    let one = parts[part - 1].following(next, version);
                    assert!(is_between(&one, &parts[part - 1], &high), "round {round}");
                    parts.push(one);
                }
                assert!(is_between(&parts[0], &low, &high), "round {round}");
                (low, high) = (parts[500].clone(), parts[501].clone());
            }
        }
        let last = FragmentName::parse(&format!("__7_7_{}_22", "f".repeat(32))).expect("name");
        assert_ne!(last.following(None, version), last);
    }

    #[test]
    fn a_suffix_is_not_part_of_the_name() {
        let name = FragmentName::parse(&format!("__5_7_{UUID}_22.wrt")).expect("name");
        assert_eq!(name.as_str(), format!("__5_7_{UUID}_22"));
    }

    #[test]
    fn only_complete_names_have_a_suffix() {
        let name = format!("__5_7_{UUID}_22");
        let with = |text: &str| FragmentName::with_suffix(text, ".vac");
        let found = with(&format!("{name}.vac")).expect("complete");
        assert_eq!(found.as_str(), name);
        for text in [".vac.tmp", ".tmp.vac", "..vac", ""] {
            assert_eq!(with(&format!("{name}{text}")), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn names_of_the_newest_format_are_parsed_like_all_others(
            name in "__[0-9]{1,20}_[0-9]{1,20}_[0-9a-gA-F]{31,33}(_[0-9+]{0,3})?([._a]{0,2})",
        ) {
            proptest::prop_assert_eq!(parse(&name), parse_any(&name));
            let shared = FragmentName::parse_shared(&name.as_str().into());
            proptest::prop_assert_eq!(FragmentName::parse(&name), shared);
        }
    }

    #[test]
    fn other_names_are_rejected() {
        for text in [
            "",
            "__schema",
            "__fragment_meta",
            "__lock.tdb",
            "__7_5_01cf7b6741eec5a1a05eb52bb3fa0838_22",
            "__-1_5_01cf7b6741eec5a1a05eb52bb3fa0838_22",
            "__a_5_01cf7b6741eec5a1a05eb52bb3fa0838_22",
            "__1_2_3_4_5_6",
            "notes_of_mine",
        ] {
            assert_eq!(FragmentName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn names_of_one_millisecond_are_in_order_of_generation() {
        let timestamps = TimeRange { start: 1, end: 1 };
        let names: Vec<_> = (0..1000).map(|_| unversioned_name(timestamps)).collect();
        let started = now();
        let mut within = Vec::new();
        while now() == started {
            within.push(unversioned_name(timestamps));
        }
        assert!(within.is_sorted(), "{within:?}");
        let mut distinct = names.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
        let name = FragmentName::generate(timestamps, FormatVersion::WRITTEN);
        assert_eq!(FragmentName::parse(name.as_str()), Some(name));
    }
}
