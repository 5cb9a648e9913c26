//! The small closed sets of words: codes as in the C API and in files, and their texts.

/// What an array holds: every cell of its domain, or only those written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ArrayType {
    Dense = 0,
    Sparse = 1,
}

impl ArrayType {
    const TEXTS: [(Self, &'static str); 2] = [(Self::Dense, "dense"), (Self::Sparse, "sparse")];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// An order of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Layout {
    RowMajor = 0,
    ColMajor = 1,
    GlobalOrder = 2,
    Unordered = 3,
    Hilbert = 4,
}

impl Layout {
    const TEXTS: [(Self, &'static str); 5] = [
        (Self::RowMajor, "row-major"),
        (Self::ColMajor, "col-major"),
        (Self::GlobalOrder, "global-order"),
        (Self::Unordered, "unordered"),
        (Self::Hilbert, "hilbert"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// What an array is opened for and what a query does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum QueryType {
    Read = 0,
    Write = 1,
    Delete = 2,
    Update = 3,
    ModifyExclusive = 4,
}

impl QueryType {
    const TEXTS: [(Self, &'static str); 5] = [
        (Self::Read, "READ"),
        (Self::Write, "WRITE"),
        (Self::Delete, "DELETE"),
        (Self::Update, "UPDATE"),
        (Self::ModifyExclusive, "MODIFY_EXCLUSIVE"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// How far a query has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum QueryStatus {
    Failed = 0,
    Completed = 1,
    InProgress = 2,
    Incomplete = 3,
    Uninitialized = 4,
    Initialized = 5,
}

impl QueryStatus {
    const TEXTS: [(Self, &'static str); 6] = [
        (Self::Failed, "FAILED"),
        (Self::Completed, "COMPLETED"),
        (Self::InProgress, "INPROGRESS"),
        (Self::Incomplete, "INCOMPLETE"),
        (Self::Uninitialized, "UNINITIALIZED"),
        (Self::Initialized, "INITIALIZED"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// Why a query is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum StatusReason {
    None = 0,
    UserBufferSize = 1,
    MemoryBudget = 2,
}

impl StatusReason {
    const TEXTS: [(Self, &'static str); 3] = [
        (Self::None, "REASON_NONE"),
        (Self::UserBufferSize, "REASON_USER_BUFFER_SIZE"),
        (Self::MemoryBudget, "REASON_MEMORY_BUDGET"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The order of the values of an attribute or a dimension label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum DataOrder {
    Unordered = 0,
    Increasing = 1,
    Decreasing = 2,
}

impl DataOrder {
    const TEXTS: [(Self, &'static str); 3] = [
        (Self::Unordered, "unordered"),
        (Self::Increasing, "increasing"),
        (Self::Decreasing, "decreasing"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// What is stored at a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ObjectType {
    Invalid = 0,
    Group = 1,
    Array = 2,
}

impl ObjectType {
    const TEXTS: [(Self, &'static str); 3] = [
        (Self::Invalid, "INVALID"),
        (Self::Group, "GROUP"),
        (Self::Array, "ARRAY"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// Whether a walk names a folder before or after what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum WalkOrder {
    Preorder = 0,
    Postorder = 1,
}

impl WalkOrder {
    const TEXTS: [(Self, &'static str); 2] =
        [(Self::Preorder, "PREORDER"), (Self::Postorder, "POSTORDER")];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// How an array is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum EncryptionType {
    NoEncryption = 0,
    Aes256Gcm = 1,
}

impl EncryptionType {
    const TEXTS: [(Self, &'static str); 2] = [
        (Self::NoEncryption, "NO_ENCRYPTION"),
        (Self::Aes256Gcm, "AES_256_GCM"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MimeType {
    Autodetect = 0,
    Tiff = 1,
    Pdf = 2,
}

impl MimeType {
    const TEXTS: [(Self, &'static str); 3] = [
        (Self::Autodetect, "AUTODETECT"),
        (Self::Tiff, "image/tiff"),
        (Self::Pdf, "application/pdf"),
    ];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SerializationType {
    Json = 0,
    Capnp = 1,
}

impl SerializationType {
    const TEXTS: [(Self, &'static str); 2] = [(Self::Json, "JSON"), (Self::Capnp, "CAPNP")];

    /// The value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::TEXTS.get(code as usize).map(|(value, _)| *value)
    }

    /// The code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The text.
    pub fn name(self) -> &'static str {
        Self::TEXTS[self as usize].1
    }

    /// The value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TEXTS
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}
