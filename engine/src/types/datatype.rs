//! The logical datatypes: codes, names, and what each may be used for.

use super::VAR_NUM;
use super::physical::Physical;

kind! {
    /// A datatype of a dimension, an attribute or a metadata value. The codes are those of files
    /// and of the C API.
    pub enum Datatype {
        Int32 = "INT32",
        Int64 = "INT64",
        Float32 = "FLOAT32",
        Float64 = "FLOAT64",
        Char = "CHAR",
        Int8 = "INT8",
        Uint8 = "UINT8",
        Int16 = "INT16",
        Uint16 = "UINT16",
        Uint32 = "UINT32",
        Uint64 = "UINT64",
        StringAscii = "STRING_ASCII",
        StringUtf8 = "STRING_UTF8",
        StringUtf16 = "STRING_UTF16",
        StringUtf32 = "STRING_UTF32",
        StringUcs2 = "STRING_UCS2",
        StringUcs4 = "STRING_UCS4",
        Any = "ANY",
        DatetimeYear = "DATETIME_YEAR",
        DatetimeMonth = "DATETIME_MONTH",
        DatetimeWeek = "DATETIME_WEEK",
        DatetimeDay = "DATETIME_DAY",
        DatetimeHr = "DATETIME_HR",
        DatetimeMin = "DATETIME_MIN",
        DatetimeSec = "DATETIME_SEC",
        DatetimeMs = "DATETIME_MS",
        DatetimeUs = "DATETIME_US",
        DatetimeNs = "DATETIME_NS",
        DatetimePs = "DATETIME_PS",
        DatetimeFs = "DATETIME_FS",
        DatetimeAs = "DATETIME_AS",
        TimeHr = "TIME_HR",
        TimeMin = "TIME_MIN",
        TimeSec = "TIME_SEC",
        TimeMs = "TIME_MS",
        TimeUs = "TIME_US",
        TimeNs = "TIME_NS",
        TimePs = "TIME_PS",
        TimeFs = "TIME_FS",
        TimeAs = "TIME_AS",
        Blob = "BLOB",
        Bool = "BOOL",
        GeomWkb = "GEOM_WKB",
        GeomWkt = "GEOM_WKT",
    }
}

impl Datatype {
    /// All datatypes, by code.
    pub const ALL: [Self; 44] = Self::VALUES;

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
