//! Small enumerations with their codes, as in the C API and in files, and their names.

/// Whether an array stores every cell of its domain or only those written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ArrayType {
    Dense = 0,
    Sparse = 1,
}

impl ArrayType {
    const NAMES: [(Self, &'static str); 2] = [(Self::Dense, "dense"), (Self::Sparse, "sparse")];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// A cell order.
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
    const NAMES: [(Self, &'static str); 5] = [
        (Self::RowMajor, "row-major"),
        (Self::ColMajor, "col-major"),
        (Self::GlobalOrder, "global-order"),
        (Self::Unordered, "unordered"),
        (Self::Hilbert, "hilbert"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The purpose of an open array or a query.
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
    const NAMES: [(Self, &'static str); 5] = [
        (Self::Read, "READ"),
        (Self::Write, "WRITE"),
        (Self::Delete, "DELETE"),
        (Self::Update, "UPDATE"),
        (Self::ModifyExclusive, "MODIFY_EXCLUSIVE"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The state of a query.
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
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Failed, "FAILED"),
        (Self::Completed, "COMPLETED"),
        (Self::InProgress, "INPROGRESS"),
        (Self::Incomplete, "INCOMPLETE"),
        (Self::Uninitialized, "UNINITIALIZED"),
        (Self::Initialized, "INITIALIZED"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The reason why a query is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum StatusReason {
    None = 0,
    UserBufferSize = 1,
    MemoryBudget = 2,
}

impl StatusReason {
    const NAMES: [(Self, &'static str); 3] = [
        (Self::None, "REASON_NONE"),
        (Self::UserBufferSize, "REASON_USER_BUFFER_SIZE"),
        (Self::MemoryBudget, "REASON_MEMORY_BUDGET"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
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
    const NAMES: [(Self, &'static str); 3] = [
        (Self::Unordered, "unordered"),
        (Self::Increasing, "increasing"),
        (Self::Decreasing, "decreasing"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The kind of object stored at a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ObjectType {
    Invalid = 0,
    Group = 1,
    Array = 2,
}

impl ObjectType {
    const NAMES: [(Self, &'static str); 3] = [
        (Self::Invalid, "INVALID"),
        (Self::Group, "GROUP"),
        (Self::Array, "ARRAY"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// Whether a walk reports a folder before or after its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum WalkOrder {
    Preorder = 0,
    Postorder = 1,
}

impl WalkOrder {
    const NAMES: [(Self, &'static str); 2] =
        [(Self::Preorder, "PREORDER"), (Self::Postorder, "POSTORDER")];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The encryption of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum EncryptionType {
    NoEncryption = 0,
    Aes256Gcm = 1,
}

impl EncryptionType {
    const NAMES: [(Self, &'static str); 2] = [
        (Self::NoEncryption, "NO_ENCRYPTION"),
        (Self::Aes256Gcm, "AES_256_GCM"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The kind of a file in a file store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MimeType {
    Autodetect = 0,
    Tiff = 1,
    Pdf = 2,
}

impl MimeType {
    const NAMES: [(Self, &'static str); 3] = [
        (Self::Autodetect, "AUTODETECT"),
        (Self::Tiff, "image/tiff"),
        (Self::Pdf, "application/pdf"),
    ];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}

/// The encoding of serialized messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SerializationType {
    Json = 0,
    Capnp = 1,
}

impl SerializationType {
    const NAMES: [(Self, &'static str); 2] = [(Self::Json, "JSON"), (Self::Capnp, "CAPNP")];

    /// Returns the value of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::NAMES.get(code as usize).map(|(value, _)| *value)
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the value of a text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, text)| *text == name)
            .map(|(value, _)| *value)
    }
}
