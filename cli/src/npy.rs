//! The header of NumPy's `.npy` files.

use std::io::Read;

use tiledb_engine::Datatype;

use crate::problem::{Problem, Result};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The longest header that is read, in bytes.
const MAX_HEADER: usize = 1 << 16;

/// The type and shape of a NumPy array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub(crate) datatype: Datatype,
    /// Whether values are in big-endian order.
    pub(crate) big_endian: bool,
    /// Whether the first index varies fastest.
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<u64>,
}

const TYPES: [(&str, Datatype); 11] = [
    ("b1", Datatype::Bool),
    ("i1", Datatype::Int8),
    ("u1", Datatype::Uint8),
    ("i2", Datatype::Int16),
    ("u2", Datatype::Uint16),
    ("i4", Datatype::Int32),
    ("u4", Datatype::Uint32),
    ("i8", Datatype::Int64),
    ("u8", Datatype::Uint64),
    ("f4", Datatype::Float32),
    ("f8", Datatype::Float64),
];

/// NumPy's units of datetimes, which have 64 bits.
const DATETIME_UNITS: [(&str, Datatype); 13] = [
    ("Y", Datatype::DatetimeYear),
    ("M", Datatype::DatetimeMonth),
    ("W", Datatype::DatetimeWeek),
    ("D", Datatype::DatetimeDay),
    ("h", Datatype::DatetimeHr),
    ("m", Datatype::DatetimeMin),
    ("s", Datatype::DatetimeSec),
    ("ms", Datatype::DatetimeMs),
    ("us", Datatype::DatetimeUs),
    ("ns", Datatype::DatetimeNs),
    ("ps", Datatype::DatetimePs),
    ("fs", Datatype::DatetimeFs),
    ("as", Datatype::DatetimeAs),
];

/// NumPy's units of durations that arrays have; they have 64 bits.
const DURATION_UNITS: [(&str, Datatype); 9] = [
    ("h", Datatype::TimeHr),
    ("m", Datatype::TimeMin),
    ("s", Datatype::TimeSec),
    ("ms", Datatype::TimeMs),
    ("us", Datatype::TimeUs),
    ("ns", Datatype::TimeNs),
    ("ps", Datatype::TimePs),
    ("fs", Datatype::TimeFs),
    ("as", Datatype::TimeAs),
];

fn invalid(reason: &str) -> Problem {
    Problem::usage(format!("the file is not a .npy file that can be imported: {reason}"))
        .hint("numpy.save writes such files; numbers, truth values, datetimes, and durations in hours to attoseconds are supported")
}

impl NpyHeader {
    /// Reads the header from the start of a file.
    pub(crate) fn read(file: &mut impl Read) -> Result<Self> {
        let mut start = [0; 10];
        file.read_exact(&mut start)
            .map_err(|_| invalid("it is too short"))?;
        if &start[..6] != MAGIC {
            return Err(invalid("it does not start with the magic bytes"));
        }
        let mut len = usize::from(u16::from_le_bytes([start[8], start[9]]));
        if start[6] > 1 {
            // Later versions have a length of four bytes.
            let mut more = [0; 2];
            file.read_exact(&mut more)
                .map_err(|_| invalid("it is too short"))?;
            len = u32::from_le_bytes([start[8], start[9], more[0], more[1]]) as usize;
        }
        if len > MAX_HEADER {
            return Err(invalid("its header is too long"));
        }
        let mut text = vec![0; len];
        file.read_exact(&mut text)
            .map_err(|_| invalid("it is too short"))?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Parses a header such as `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Self> {
        let value = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let descr = value("descr").and_then(|rest| rest.strip_prefix('\'')?.split('\'').next());
        let descr = descr.ok_or_else(|| invalid("its values are not of a single type"))?;
        let (datatype, big_endian) =
            parse_type(descr).ok_or_else(|| invalid(&format!("its type is '{descr}'")))?;
        let fortran = value("fortran_order").map(|rest| rest.starts_with("True"));
        let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split(')').next());
        let shape = shape.ok_or_else(|| invalid("it has no shape"))?;
        let sizes = shape
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty());
        let shape = sizes.map(|size| size.parse::<u64>());
        let shape: std::result::Result<Vec<u64>, _> = shape.collect();
        Ok(Self {
            datatype,
            big_endian,
            fortran_order: fortran.unwrap_or(false),
            shape: shape.map_err(|_| invalid("its shape is not a list of numbers"))?,
        })
    }

    /// Returns the number of values, or `None` if it is too large.
    pub(crate) fn values(&self) -> Option<u64> {
        let mut sizes = self.shape.iter();
        sizes.try_fold(1u64, |values, size| values.checked_mul(*size))
    }

    /// Returns the bytes of the header, or `None` if `.npy` files cannot have the datatype.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        let descr = type_text(self.datatype, self.big_endian)?;
        let sizes = self.shape.iter().map(|size| format!("{size},"));
        let sizes = sizes.collect::<Vec<_>>().join(" ");
        let order = if self.fortran_order { "True" } else { "False" };
        let dictionary =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({sizes}), }}");
        // The data starts at a multiple of 64 bytes, after a newline.
        let len = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend(u16::try_from(len).ok()?.to_le_bytes());
        bytes.extend(format!("{dictionary:<width$}\n", width = len - 1).into_bytes());
        Some(bytes)
    }
}

/// Returns the datatype of a type of NumPy such as `<f8`, `|u1` or `>M8[ns]`, and whether its
/// values are in big-endian order.
fn parse_type(descr: &str) -> Option<(Datatype, bool)> {
    let (order, kind) = descr.split_at_checked(1)?;
    let unit = |prefix| kind.strip_prefix(prefix)?.strip_suffix(']');
    let (kinds, kind) = match (unit("M8["), unit("m8[")) {
        (Some(unit), _) => (&DATETIME_UNITS[..], unit),
        (_, Some(unit)) => (&DURATION_UNITS[..], unit),
        _ => (&TYPES[..], kind),
    };
    let (_, datatype) = kinds.iter().find(|(name, _)| *name == kind)?;
    let is_byte = datatype.size() == 1;
    match order {
        "<" => Some((*datatype, false)),
        ">" => Some((*datatype, !is_byte)),
        "|" | "=" if is_byte => Some((*datatype, false)),
        _ => None,
    }
}

/// Returns the type of NumPy of a datatype, if it has one.
fn type_text(datatype: Datatype, big_endian: bool) -> Option<String> {
    let name = |kinds: &[(&'static str, Datatype)]| {
        let kind = kinds.iter().find(|(_, listed)| *listed == datatype);
        kind.map(|(name, _)| *name)
    };
    let order = match (datatype.size(), big_endian) {
        (1, _) => "|",
        (_, true) => ">",
        (_, false) => "<",
    };
    if let Some(unit) = name(&DATETIME_UNITS) {
        return Some(format!("{order}M8[{unit}]"));
    }
    if let Some(unit) = name(&DURATION_UNITS) {
        return Some(format!("{order}m8[{unit}]"));
    }
    name(&TYPES).map(|kind| format!("{order}{kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_write_and_read() {
        for (datatype, big_endian, shape) in [
            (Datatype::Float64, false, vec![3, 4]),
            (Datatype::Float64, true, vec![3, 4]),
            (Datatype::Uint8, false, vec![7]),
            (Datatype::Bool, false, vec![]),
            (Datatype::DatetimeNs, false, vec![5]),
            (Datatype::DatetimeMonth, true, vec![2, 2]),
            (Datatype::TimeHr, false, vec![1]),
            (Datatype::TimeAs, true, vec![1]),
        ] {
            let header = NpyHeader {
                datatype,
                big_endian,
                fortran_order: false,
                shape,
            };
            let bytes = header.bytes().expect("a datatype of NumPy");
            assert!(bytes.len().is_multiple_of(64));
            let read = NpyHeader::read(&mut &bytes[..]).ok();
            assert_eq!(read, Some(header));
        }
    }

    #[test]
    fn other_headers_are_errors() {
        for text in [
            "{}",
            "{'descr': '=f8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (x,), }",
            "{'descr': '<m8[D]', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<m8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<M8[10ns]', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<M8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '', 'fortran_order': False, 'shape': (3,), }",
        ] {
            assert!(NpyHeader::parse(text).is_err(), "{text}");
        }
        assert!(NpyHeader::read(&mut &b"\x93NUMPY\x01\x00\xff\xff"[..]).is_err());
        assert!(NpyHeader::read(&mut &b"PK"[..]).is_err());
    }
}
