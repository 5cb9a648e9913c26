//! The logical datatypes: codes, names, and what each may be used for.

use super::VAR_NUM;
use super::physical::Physical;

/// A datatype of a dimension, an attribute or a metadata value. The codes are those of files and of
/// the C API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Datatype {
    Int32 = 0,
    Int64 = 1,
    Float32 = 2,
    Float64 = 3,
    Char = 4,
    Int8 = 5,
    Uint8 = 6,
    Int16 = 7,
    Uint16 = 8,
    Uint32 = 9,
    Uint64 = 10,
    StringAscii = 11,
    StringUtf8 = 12,
    StringUtf16 = 13,
    StringUtf32 = 14,
    StringUcs2 = 15,
    StringUcs4 = 16,
    Any = 17,
    DatetimeYear = 18,
    DatetimeMonth = 19,
    DatetimeWeek = 20,
    DatetimeDay = 21,
    DatetimeHr = 22,
    DatetimeMin = 23,
    DatetimeSec = 24,
    DatetimeMs = 25,
    DatetimeUs = 26,
    DatetimeNs = 27,
    DatetimePs = 28,
    DatetimeFs = 29,
    DatetimeAs = 30,
    TimeHr = 31,
    TimeMin = 32,
    TimeSec = 33,
    TimeMs = 34,
    TimeUs = 35,
    TimeNs = 36,
    TimePs = 37,
    TimeFs = 38,
    TimeAs = 39,
    Blob = 40,
    Bool = 41,
    GeomWkb = 42,
    GeomWkt = 43,
}

impl Datatype {
    /// All datatypes, by code.
    pub const ALL: [Self; 44] = [
        Self::Int32,
        Self::Int64,
        Self::Float32,
        Self::Float64,
        Self::Char,
        Self::Int8,
        Self::Uint8,
        Self::Int16,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
        Self::StringAscii,
        Self::StringUtf8,
        Self::StringUtf16,
        Self::StringUtf32,
        Self::StringUcs2,
        Self::StringUcs4,
        Self::Any,
        Self::DatetimeYear,
        Self::DatetimeMonth,
        Self::DatetimeWeek,
        Self::DatetimeDay,
        Self::DatetimeHr,
        Self::DatetimeMin,
        Self::DatetimeSec,
        Self::DatetimeMs,
        Self::DatetimeUs,
        Self::DatetimeNs,
        Self::DatetimePs,
        Self::DatetimeFs,
        Self::DatetimeAs,
        Self::TimeHr,
        Self::TimeMin,
        Self::TimeSec,
        Self::TimeMs,
        Self::TimeUs,
        Self::TimeNs,
        Self::TimePs,
        Self::TimeFs,
        Self::TimeAs,
        Self::Blob,
        Self::Bool,
        Self::GeomWkb,
        Self::GeomWkt,
    ];

    /// Returns the datatype with this code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// Returns the code in files and in the C API.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the name in dumps and messages ("INT32").
    pub fn name(self) -> &'static str {
        match self {
            Self::Int32 => "INT32",
            Self::Int64 => "INT64",
            Self::Float32 => "FLOAT32",
            Self::Float64 => "FLOAT64",
            Self::Char => "CHAR",
            Self::Int8 => "INT8",
            Self::Uint8 => "UINT8",
            Self::Int16 => "INT16",
            Self::Uint16 => "UINT16",
            Self::Uint32 => "UINT32",
            Self::Uint64 => "UINT64",
            Self::StringAscii => "STRING_ASCII",
            Self::StringUtf8 => "STRING_UTF8",
            Self::StringUtf16 => "STRING_UTF16",
            Self::StringUtf32 => "STRING_UTF32",
            Self::StringUcs2 => "STRING_UCS2",
            Self::StringUcs4 => "STRING_UCS4",
            Self::Any => "ANY",
            Self::DatetimeYear => "DATETIME_YEAR",
            Self::DatetimeMonth => "DATETIME_MONTH",
            Self::DatetimeWeek => "DATETIME_WEEK",
            Self::DatetimeDay => "DATETIME_DAY",
            Self::DatetimeHr => "DATETIME_HR",
            Self::DatetimeMin => "DATETIME_MIN",
            Self::DatetimeSec => "DATETIME_SEC",
            Self::DatetimeMs => "DATETIME_MS",
            Self::DatetimeUs => "DATETIME_US",
            Self::DatetimeNs => "DATETIME_NS",
            Self::DatetimePs => "DATETIME_PS",
            Self::DatetimeFs => "DATETIME_FS",
            Self::DatetimeAs => "DATETIME_AS",
            Self::TimeHr => "TIME_HR",
            Self::TimeMin => "TIME_MIN",
            Self::TimeSec => "TIME_SEC",
            Self::TimeMs => "TIME_MS",
            Self::TimeUs => "TIME_US",
            Self::TimeNs => "TIME_NS",
            Self::TimePs => "TIME_PS",
            Self::TimeFs => "TIME_FS",
            Self::TimeAs => "TIME_AS",
            Self::Blob => "BLOB",
            Self::Bool => "BOOL",
            Self::GeomWkb => "GEOM_WKB",
            Self::GeomWkt => "GEOM_WKT",
        }
    }

    /// Returns the datatype with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|datatype| datatype.name() == name)
    }

    /// Returns the physical type of one value.
    pub fn physical(self) -> Physical {
        match self {
            Self::Int8 | Self::Char => Physical::I8,
            Self::Uint8
            | Self::StringAscii
            | Self::StringUtf8
            | Self::Any
            | Self::Blob
            | Self::Bool
            | Self::GeomWkb
            | Self::GeomWkt => Physical::U8,
            Self::Int16 => Physical::I16,
            Self::Uint16 | Self::StringUtf16 | Self::StringUcs2 => Physical::U16,
            Self::Int32 => Physical::I32,
            Self::Uint32 | Self::StringUtf32 | Self::StringUcs4 => Physical::U32,
            Self::Uint64 => Physical::U64,
            Self::Float32 => Physical::F32,
            Self::Float64 => Physical::F64,
            _ => Physical::I64,
        }
    }

    /// Returns whether values are opaque bytes.
    pub fn is_bytes(self) -> bool {
        matches!(self, Self::Blob | Self::GeomWkb | Self::GeomWkt)
    }

    /// Returns the size of one value in bytes.
    pub fn size(self) -> usize {
        self.physical().size()
    }

    /// Returns whether values are floating-point numbers.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// Returns whether values are plain integers (not dates, times, characters or bytes).
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Self::Int8
                | Self::Uint8
                | Self::Int16
                | Self::Uint16
                | Self::Int32
                | Self::Uint32
                | Self::Int64
                | Self::Uint64
        )
    }

    /// Returns whether values count units since 1970-01-01.
    pub fn is_datetime(self) -> bool {
        (Self::DatetimeYear..=Self::DatetimeAs).contains(&self)
    }

    /// Returns whether values are times of a day.
    pub fn is_time(self) -> bool {
        (Self::TimeHr..=Self::TimeAs).contains(&self)
    }

    /// Returns whether values are characters of one byte, which conditions compare as strings.
    pub fn is_byte_text(self) -> bool {
        matches!(self, Self::Char | Self::StringAscii | Self::StringUtf8)
    }

    /// Returns whether values are text in one of the encodings ("STRING_...").
    pub fn is_string(self) -> bool {
        (Self::StringAscii..=Self::StringUcs4).contains(&self)
    }
}

/// The type of the cells of a field or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellType {
    /// The datatype of the values.
    pub datatype: Datatype,
    /// The number of values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null, so that there is a buffer of validities.
    pub nullable: bool,
}

impl CellType {
    /// Returns the type of cells of one value that are never null.
    pub const fn single(datatype: Datatype) -> Self {
        Self {
            datatype,
            cell_val_num: 1,
            nullable: false,
        }
    }

    /// Returns whether cells have a variable number of values, so that they have offsets.
    pub fn is_var(self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// Returns the size of a value in bytes.
    pub fn value_size(self) -> usize {
        self.datatype.size()
    }

    /// Returns the size of a cell in bytes, or of a value if cells have a variable length.
    pub fn cell_size(self) -> usize {
        let values = if self.is_var() { 1 } else { self.cell_val_num };
        self.value_size().saturating_mul(values as usize)
    }
}
