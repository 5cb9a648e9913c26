//! What there is to record, and the names that reports give it.

/// Who recorded something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Part {
    Context,
    Vfs,
    Consolidator,
    Reader,
    Writer,
    Deletes,
}

impl Part {
    pub(super) const ALL: [Self; 6] = [
        Self::Context,
        Self::Vfs,
        Self::Consolidator,
        Self::Reader,
        Self::Writer,
        Self::Deletes,
    ];

    /// What the names of its counters and timers begin with.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Context => "Context.",
            Self::Vfs => "Context.VFS.",
            Self::Consolidator => "Context.Consolidator.",
            Self::Reader => "Context.Query.Reader.",
            Self::Writer => "Context.Query.Writer.",
            Self::Deletes => "Context.Query.Deletes.",
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Counter {
    Attributes,
    FixedAttributes,
    VarAttributes,
    NullableAttributes,
    Dimensions,
    FixedDimensions,
    VarDimensions,
    Loops,
    TilesRead,
    Results,
    ReadOps,
    ReadBytes,
    WriteOps,
    WriteBytes,
    FileSizes,
    IsObject,
    Ls,
}

impl Counter {
    pub(super) const ALL: [Self; 17] = [
        Self::Attributes,
        Self::FixedAttributes,
        Self::VarAttributes,
        Self::NullableAttributes,
        Self::Dimensions,
        Self::FixedDimensions,
        Self::VarDimensions,
        Self::Loops,
        Self::TilesRead,
        Self::Results,
        Self::ReadOps,
        Self::ReadBytes,
        Self::WriteOps,
        Self::WriteBytes,
        Self::FileSizes,
        Self::IsObject,
        Self::Ls,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Attributes => "attr_num",
            Self::FixedAttributes => "attr_fixed_num",
            Self::VarAttributes => "attr_var_num",
            Self::NullableAttributes => "attr_nullable_num",
            Self::Dimensions => "dim_num",
            Self::FixedDimensions => "dim_fixed_num",
            Self::VarDimensions => "dim_var_num",
            Self::Loops => "loop_num",
            Self::TilesRead => "num_tiles_read",
            Self::Results => "result_num",
            Self::ReadOps => "read_ops_num",
            Self::ReadBytes => "read_byte_num",
            Self::WriteOps => "write_ops_num",
            Self::WriteBytes => "write_byte_num",
            Self::FileSizes => "file_size_num",
            Self::IsObject => "is_object_num",
            Self::Ls => "ls_num",
        }
    }
}

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Timer {
    OpenRead,
    OpenWrite,
    OpenDelete,
    OpenUpdate,
    OpenModifyExclusive,
    InitState,
    Work,
}

impl Timer {
    pub(super) const ALL: [Self; 7] = [
        Self::OpenRead,
        Self::OpenWrite,
        Self::OpenDelete,
        Self::OpenUpdate,
        Self::OpenModifyExclusive,
        Self::InitState,
        Self::Work,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OpenRead => "array_open_READ",
            Self::OpenWrite => "array_open_WRITE",
            Self::OpenDelete => "array_open_DELETE",
            Self::OpenUpdate => "array_open_UPDATE",
            Self::OpenModifyExclusive => "array_open_MODIFY_EXCLUSIVE",
            Self::InitState => "init_state",
            Self::Work => "dowork",
        }
    }
}
