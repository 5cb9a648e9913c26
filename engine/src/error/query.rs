//! Errors of queries.

use super::table::{Text, causes};
use super::{Error, Release};

causes! {
    /// Causes of errors of queries.
    QueryError, "[TileDB::Query] Error" {
        ArrayClosed: "A query needs an open array"
            => ("Error", "Cannot create query; Input array is not open");
        OtherType { array: &'static str, query: &'static str }: "The array is open for {array}, not for {query}"
            => ("Error", "Cannot create query; Array query type does not match declared query type: ({array} != {query})");
        LayoutAfterSubmit: "The layout cannot change after the first submit"
            => "Cannot set layout after initialization";
        HilbertLayout: "Queries cannot be in Hilbert order"
            => "Cannot set layout; Hilbert order is not applicable to queries";
        UnorderedDense: "Dense arrays cannot be written in any order"
            => "Unordered writes are only possible for sparse arrays";
        OrderedSparse: "Sparse arrays cannot be written in row-major or column-major order"
            => "Row-major and column-major writes are only possible for dense arrays";
        SubarrayOfSparseWrite: "A write of a sparse array has no subarray"
            => ("Query", "[set_subarray] Setting a subarray is not supported on sparse writes.");
        SubarrayOfType { query: &'static str }: "A query of type {query} has no subarray"
            => ("Query", "[set_subarray] Setting a subarray is not supported for query type '{query}'.");
        SubarrayAfterSubmit: "The subarray cannot change after the first submit"
            => ("Query", "[set_subarray] Setting a subarray on an already initialized query is not supported.");
        OtherSubarray: "The subarray belongs to another array"
            => "[set_subarray] The subarray belongs to another array";
        ConfigAfterSubmit: "The configuration cannot change after the first submit"
            => ("Query", "[set_config] Cannot set config after initialization.");
        NoCells { action: &'static str }: "Cannot {action} of a query that neither reads nor writes cells"
            => { Text::new(Release::current().origin_of_no_cells(), format!("Cannot {action}; Unsupported query type.")) };
        ArrayNotOpen: "The array of the query is not open"
            => ("Query", "Cannot init query; The associated array is not open");
        ArrayReopened { array: &'static str, query: &'static str }: "The array of the query is now open for {array}, not for {query}"
            => ("Query", "Cannot init query; Associated array query type does not match query type: ({array} != {query})");
        NotARead: "The query was not begun as a read"
            => "Query was not begun as a read";
        ConditionOfWrite: "A write has no condition"
            => "Cannot set query condition; Operation not applicable to write queries";
        ConditionAfterSubmit: "The condition cannot change after the first submit"
            => "Cannot set query condition; Setting a query condition on an alreadyinitialized query is not supported.";
        OutsideCurrentDomain { range: String, dimension: String, current: String }: "The range {range} of dimension '{dimension}' is outside of the current domain [{current}]"
            => ("Query", "A range {range} on dimension '{dimension}' was set outside of the current domain [{current}].");
        DuplicateAggregate { name: String } [AlreadyExists]: "The query has an aggregate '{name}' already"
            => ("C API", "An aggregate operation for output field: {name} already exists.");
        TooLate: "The query has been submitted already"
            => ("C API", "argument `query` is at a too late state of its lifetime");
        UnknownField { name: String } [NotFound]: "There is no field '{name}' in the query"
            => ("C API", "There is no field {name}");
        ForeignState [Unsupported]: "The read was started by a server that uses another library";
        WriteElsewhere: "Only the query of the server that started a write can continue it";
        NotADelete { query: &'static str }: "A query of type {query} cannot delete cells"
            => "Queries of type {query} are not supported";
    }

    /// Causes of errors of deletes.
    DeleteError, "Deletes" {
        DenseArray [Unsupported]: "Cells of dense arrays cannot be deleted"
            => "Cannot initialize deletes; Only supported for sparse arrays";
        NoCondition: "A delete needs a condition"
            => "Cannot initialize deletes; One condition is needed";
        WithAggregates: "A delete has no aggregates"
            => "Cannot initialize deletes; Aggregates are not supported";
        TooDeep { levels: usize }: "The condition of a delete is nested deeper than {levels} levels"
            => "Cannot initialize deletes; The condition is nested too deep";
        Constant: "A condition that is always true or false cannot be stored"
            => ("TileDB internal", "Invalid negation of rewritten query.");
        OnlyNull { name: String }: "A delete cannot keep only the null cells of '{name}'"
            => "Cannot initialize deletes; A delete cannot keep only the null cells of '{name}'";
        UnusedEnumeration { name: String }: "A delete does not need the enumeration '{name}'"
            => "Cannot initialize deletes; Enumeration {name} is not wanted";
        InConsolidated: "A delete cannot be inside of the time range of a fragment that was consolidated without timestamps"
            => "Cannot write a delete in the middle of a fragment consolidated without timestamps.";
        Update { uri: String } [Unsupported]: "'{uri}' is an update, which cannot be applied"
            => ("ArrayOperations", "Cannot apply '{uri}'; Updates are not supported");
        UnknownMarker { marker: String }: "'{marker}' is not the name of a delete";
    }

    /// Causes of errors of the buffers of queries.
    QueryBufferError, "[TileDB::Query] Error" {
        GetFixed { name: String }: "The field '{name}' has values of a fixed size, without offsets"
            => "Cannot get buffer; '{name}' is fixed-sized";
        GetNotNullable { name: String }: "The field '{name}' is not nullable"
            => "Cannot get buffer; '{name}' is non-nullable";
        GetUnknown { name: String } [NotFound]: "There is no field '{name}' with a buffer"
            => "Cannot get buffer; Invalid attribute/dimension/label name '{name}'";
        UnknownData { name: String } [NotFound]: "There is no field '{name}' to set a buffer of"
            => "Cannot set buffer; Invalid attribute/dimension/label '{name}'";
        UnknownOffsets { name: String } [NotFound]: "There is no field '{name}' to set offsets of"
            => "Cannot set buffer; Invalid buffer name '{name}' (it should be an attribute, dimension, or dimension label)";
        NotAnAttribute { name: String }: "'{name}' is not an attribute, so it has no validity"
            => "Cannot set buffer; Buffer name '{name}' is not an attribute";
        DenseDimension: "Writes of dense arrays have no coordinates"
            => "Dense write queries cannot set dimension buffers";
        FixedLabel { name: String }: "The label '{name}' has values of a fixed size, without offsets"
            => ("Query", "[set_offsets_buffer] Input dimension label '{name}' is fixed-sized");
        Fixed { name: String }: "The field '{name}' has values of a fixed size, so it has no offsets"
            => "Cannot set buffer; Input attribute/dimension '{name}' is fixed-sized";
        NotNullable { name: String }: "The field '{name}' is not nullable, so it has no validity"
            => "Cannot set buffer; Input attribute '{name}' is not nullable";
        FixedResult { name: String }: "The result '{name}' has a fixed size, so it has no offsets"
            => "Cannot set buffer; Input attribute '{name}' is not var sized";
        MixedCoordinates: "The dimensions have different datatypes, so their coordinates need separate buffers"
            => "Cannot set buffer; Setting a buffer for zipped coordinates is not applicable to heterogeneous domains";
        TwoCoordinates: "A query cannot have both separate and zipped coordinates"
            => "Cannot set separate coordinate buffers and a zipped coordinate buffer in the same query";
        NoVarData { name: String }: "The field '{name}' has offsets but no data buffer"
            => "Var-Sized input attribute/dimension '{name}' is not set correctly. \nVar size buffer is not set.";
        NoOffsets { name: String }: "The field '{name}' has no buffer of offsets"
            => "Var-Sized input attribute/dimension '{name}' is not set correctly. \nOffsets buffer is not set.";
        NoData { name: String }: "The field '{name}' has no data buffer"
            => "Fix-Sized input attribute/dimension '{name}' is not set correctly. \nData buffer is not set.";
        NoValidity { name: String }: "The nullable field '{name}' has no validity buffer"
            => "Nullable input attribute/dimension '{name}' is not set correctly \nValidity buffer is not set";
        LabelAfterSubmit { setter: &'static str, name: String }: "The label '{name}' cannot be added after the first submit ({setter})"
            => ("Query", "[{setter}] Cannot set buffer for new dimension label '{name}' after initialization");
        FieldAfterSubmit { name: String }: "The field '{name}' cannot be added after the first submit"
            => "Cannot set buffer for new attribute/dimension '{name}' after initialization";
        ValidityAfterSubmit { name: String }: "The attribute '{name}' cannot be added after the first submit"
            => "Cannot set buffer for new attribute '{name}' after initialization";
        AlreadyWritten { name: String }: "The field '{name}' is written already"
            => "Buffer {name} was already written";
        FieldMissing { name: String }: "A write needs the cells of all fields; '{name}' has none"
            => "Writes expect all attributes (and coordinates in the sparse/unordered case) to be set";
        NoCoordinates: "A write of a sparse array needs the coordinates of the cells"
            => "Sparse array writes expect the coordinates of the cells to be written";
        DimensionMissing { name: String }: "The dimension '{name}' has no buffer"
            => ("Query", "[check_buffer_names] Dimension buffer {name} is not set");
    }

    /// Causes of errors of estimates of result sizes.
    EstimateError, "Query" {
        Unknown { name: String } [NotFound]: "There is no field '{name}' to estimate"
            => "query estimated result size: '{name}' is not an array field";
        Nullable { name: String }: "The field '{name}' is nullable, so its estimate includes validity"
            => "query estimated result size: field '{name}' is not a nonnull array field";
        NotVar { name: String }: "The field '{name}' has values of a fixed size, so its estimate is one number"
            => "query estimated result size: '{name}' is not variable-sized";
        NotFixed { name: String }: "The field '{name}' has values of variable size, so its estimate includes offsets"
            => "query estimated result size: '{name}' is not fixed-sized";
        Label { name: String }: "The size of the label '{name}' cannot be estimated"
            => ("Subarray", "Cannot get estimated result size; there is no field named '{name}'");
        NotAnAttribute { name: String }: "'{name}' is no attribute, so its estimate has no validity"
            => "query estimated result size: '{name}' is not the name of an attribute";
        NotNullable { name: String }: "The attribute '{name}' is not nullable, so its estimate has no validity"
            => "query estimated result size: attribute '{name}' is not nullable";
        NotARead: "Only the results of reads can be estimated"
            => "query estimated result size: operation currently supported only for read queries";
    }

    /// Causes of errors of reads.
    ReadError, "Reader" {
        NoBuffers { ordered: bool }: "The read has no buffers (ordered: {ordered})"
            => { Text::new(if *ordered { "Reader" } else { "SparseIndexReaderBase" }, "Cannot initialize reader; Buffers not set") };
        NoDenseBuffers: "The read of a dense array has no buffers"
            => ("DenseReader", "Cannot initialize dense reader; Buffers not set");
        NoSubarray: "The read of a dense array has no subarray"
            => ("DenseReader", "Cannot initialize reader; Dense reads must have a subarray set");
        NoCondition: "'sm.query.dense.qc_coords_mode' needs a condition"
            => ("DenseReader", "sm.query.dense.qc_coords_mode requires a query condition");
        ManyRanges [Unsupported]: "A read in global order has one range per dimension"
            => ("ReaderBase", "Cannot initialize reader; Multi-range reads are not supported on a global order query.");
        ValiditySize { name: String, size: u64, cells: u64 }: "The validity of '{name}' holds {size} cells, but its data for {cells}"
            => ("ReaderBase", "Buffer sizes check failed; Invalid number of validity cells given for attribute '{name}' ({size} < {cells})");
        UnknownField { name: String } [NotFound]: "Cannot read field '{name}'; the array has none of that name";
        UnknownDenseField { name: String } [NotFound]: "Cannot read field '{name}' of the dense array, which has none of that name"
            => ("DenseReader", "Cannot read field '{name}'; the array has none of that name");
        OutsideDomain { dimension: String }: "A range of dimension '{dimension}' leaves the domain"
            => ("DenseReader");
        ComputedDeletes: "The deletes of cells are computed when the cells are selected";
        NoDeletes { uri: String } [Corrupt]: "Fragment '{uri}' lacks its delete metadata";
        ComputedCoordinates: "Coordinates are made of those of the dimensions";
    }

    /// Causes of errors of reads of dimension labels.
    LabelReadError, "OrderedDimLabelReader" {
        NoValues: "A range of a label contains no values"
            => "Range contained no values";
        UnsupportedDomain [Unsupported]: "The domain of the array of the label has no grid of tiles"
            => "Cannot read ordered label array; Unsupported domain type";
        NoAttribute { name: String } [NotFound]: "The array of the label has no attribute '{name}'";
        Empty [Corrupt]: "The label has no values"
            => "Cannot read dim label; Dimension label is empty";
        OutOfOrder [Corrupt]: "The values of the label are not in their order"
            => ("ReaderBase", "Attribute out of order");
        Discontinuous [Corrupt]: "An index has no value of the label"
            => ("ReaderBase", "Discontinuity found in array domain");
    }

    /// Causes of errors of dimension labels in queries.
    QueryLabelError, "DimensionLabelQuery" {
        Failed { action: &'static str, label: String, cause: Error } [(cause.kind())]: "Cannot {action} the label '{label}': {cause}"
            => { Text::new("DimensionLabelQuery", format!("Failed to {action} label '{label}'. {}", cause.text())) };
        Unknown { name: String } [NotFound]: "The array has no dimension label '{name}'"
            => ("[TileDB::Query] Error");
        WithCondition [Unsupported]: "A query with dimension labels has no condition"
            => ("Query", "Cannot init query; Using query conditions and dimension labels together is not supported.");
        GlobalOrder [Unsupported]: "A query with dimension labels cannot be in global order"
            => ("Query", "Cannot init query; The global order layout is not supported when querying dimension labels");
        SparseDimensions [Unsupported]: "The values of a label cannot be read with cells of a sparse array of several dimensions"
            => ("Query", "Cannot initialize query; Reading dimension label data is not yet supported on sparse arrays with multiple dimensions.");
        BufferAndRange: "A write has either values or ranges of labels"
            => "Failed to add dimension label queries. Cannot set both label buffer and label range on a write query.";
        NotConsecutive: "The coordinates of a write of labels must be consecutive"
            => "The dimension data must contain consecutive points when writing to a dimension label.";
        NotOneRange: "A write of labels has one range"
            => "Dimension label writes can only be set for a single range.";
        NotContinued [Unsupported]: "The server does not continue reads of the values of labels; use buffers that all values fit in";
    }
}
