//! Small enumerations with their codes, as in the C API and in files, and their names.

kind! {
    /// Whether an array stores every cell of its domain or only those written.
    pub enum ArrayType {
        Dense = "dense",
        Sparse = "sparse",
    }
}

kind! {
    /// A cell order.
    pub enum Layout {
        RowMajor = "row-major",
        ColMajor = "col-major",
        GlobalOrder = "global-order",
        Unordered = "unordered",
        Hilbert = "hilbert",
    }
}

kind! {
    /// The purpose of an open array or a query.
    pub enum QueryType {
        Read = "READ",
        Write = "WRITE",
        Delete = "DELETE",
        Update = "UPDATE",
        ModifyExclusive = "MODIFY_EXCLUSIVE",
    }
}

kind! {
    /// The state of a query.
    pub enum QueryStatus {
        Failed = "FAILED",
        Completed = "COMPLETED",
        InProgress = "INPROGRESS",
        Incomplete = "INCOMPLETE",
        Uninitialized = "UNINITIALIZED",
        Initialized = "INITIALIZED",
    }
}

kind! {
    /// The reason why a query is incomplete.
    pub enum StatusReason {
        None = "REASON_NONE",
        UserBufferSize = "REASON_USER_BUFFER_SIZE",
        MemoryBudget = "REASON_MEMORY_BUDGET",
    }
}

kind! {
    /// The order of the values of an attribute or a dimension label.
    pub enum DataOrder {
        Unordered = "unordered",
        Increasing = "increasing",
        Decreasing = "decreasing",
    }
}

kind! {
    /// The kind of object stored at a URI.
    pub enum ObjectType {
        Invalid = "INVALID",
        Group = "GROUP",
        Array = "ARRAY",
    }
}

kind! {
    /// Whether a walk reports a folder before or after its content.
    pub enum WalkOrder {
        Preorder = "PREORDER",
        Postorder = "POSTORDER",
    }
}

kind! {
    /// The encryption of an array.
    pub enum EncryptionType {
        NoEncryption = "NO_ENCRYPTION",
        Aes256Gcm = "AES_256_GCM",
    }
}

kind! {
    /// The kind of a file in a file store.
    pub enum MimeType {
        Autodetect = "AUTODETECT",
        Tiff = "image/tiff",
        Pdf = "application/pdf",
    }
}

kind! {
    /// The encoding of serialized messages.
    pub enum SerializationType {
        Json = "JSON",
        Capnp = "CAPNP",
    }
}
