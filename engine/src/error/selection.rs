//! Errors of what a query selects: conditions, aggregates and subarrays.

use super::table::{Text, causes};

causes! {
    /// Causes of errors of conditions.
    PredicateError, "[TileDB::QueryCondition] Error" {
        SetOperator: "IN and NOT IN need a set of values"
            => ("TileDB internal", "Invalid query condition operation for set membership.");
        InternalOperator { operator: &'static str }: "{operator} is not an operator for callers"
            => ("TileDB internal", "Invalid use of internal operation: {operator}");
        NotSetOperator: "A set of values needs IN or NOT IN"
            => ("TileDB internal", "ASTNodeVal invalid set membership operator in set membership constructor.");
        NoOffsets: "The members of the set have no offsets"
            => ("TileDB internal", "ASTNodeVal set membership offsets size must be greater than zero.");
        DecreasingOffsets: "The offsets of the members of the set decrease"
            => ("TileDB internal", "ASTNodeVal set membership offsets must not decrease.");
        OffsetBeyondData { offset: u64, size: usize }: "The offset {offset} of a member of the set is beyond the data of {size} bytes"
            => ("TileDB internal", "ASTNodeVal invalid set membership offsets invalid for data size: last offset {offset} is larger than data size {size}");
        TooDeep { levels: usize }: "The conditions are nested deeper than {levels} levels"
            => ("TileDB internal", "Cannot combine query conditions; They are nested deeper than {levels} levels");
        UnknownField { name: String } [NotFound]: "There is no field '{name}' to compare"
            => "Field doesn't exist";
        Coordinates { name: String }: "The field '{name}' cannot be compared"
            => ("TileDB internal", "Unknown attribute {name}");
        NullInequality: "Null can only be compared for equality"
            => "Null value can only be used with equality operators";
        UnorderedEnumeration { name: String }: "The enumeration '{name}' has no order, which the comparison needs"
            => ("TileDB internal", "Cannot apply an inequality operator against an unordered Enumeration");
        IndexTooLarge { name: String, index: u64 }: "The index {index} of enumeration '{name}' does not fit its attribute"
            => "Index {index} of enumeration '{name}' does not fit its attribute";
        VarNumbers { name: String }: "The field '{name}' has a variable number of values other than ASCII texts"
            => "Value node non-empty attribute may only be var-sized for ASCII strings: {name}";
        ManyValues { name: String }: "The field '{name}' has several values per cell that are no text"
            => "Value node attribute must have one value per cell for non-string fixed size attributes: {name}";
        ValueSize { size: u64, given: usize }: "The value has {given} bytes instead of {size}"
            => "Value node condition value size mismatch: {size} != {given}";
        MemberSize { size: u64, given: usize }: "A member of the set has {given} bytes instead of {size}"
            => ("QueryCondition", "Value node set member size mismatch: {size} != {given}");
        UnsupportedType { name: String, datatype: &'static str }: "The field '{name}' of type {datatype} cannot be compared"
            => "Unsupported value node attribute type {datatype} on field {name}";
        UnusedEnumeration { name: String }: "Cannot apply delete; Enumeration {name} is not wanted"
            => ("QueryCondition");
        NoSchema: "No schema"
            => ("QueryCondition");
    }

    /// Causes of errors of aggregates.
    AggregateError, "TileDB internal" {
        UnknownField { name: String } [NotFound]: "There is no field '{name}' to aggregate"
            => ("C API", "There is no field {name}");
        NotNullable { name: String }: "The field '{name}' has no nulls to count"
            => ("InputFieldValidator", "Aggregate must only be requested for nullable fields.");
        UnsupportedType { datatype: &'static str }: "Values of type {datatype} cannot be aggregated"
            => "Datatype::{datatype} is not a supported Datatype";
        NotNumbers { operator: &'static str }: "{operator} needs numbers"
            => "{operator} aggregates can only be requested on numeric types";
        VarNumbers { name: String }: "The field '{name}' has a variable number of values that are no texts"
            => ("InputFieldValidator", "Aggregate is not supported for var sized non-string fields.");
        ManyValues { name: String }: "The field '{name}' has several values per cell that are no text"
            => ("InputFieldValidator", "Aggregate is not supported for non-string fields with cell_val_num greater than one.");
        NoBuffer { operator: &'static str }: "The result of {operator} has no buffer"
            => { Text::new(aggregator(operator), "Result buffer doesn't exist.") };
        NoFixedBuffer: "The result of an aggregate needs a buffer of a fixed size"
            => ("OutputBufferValidator", "Aggregate must have a fixed size buffer.");
        NoVarBuffer: "The result of an aggregate of texts needs a buffer of variable size"
            => ("OutputBufferValidator", "Var sized aggregates must have a var buffer.");
        BufferSize { size: usize, expected: usize }: "The buffer of the result of an aggregate has {size} bytes instead of {expected}"
            => ("OutputBufferValidator", "Aggregate fixed size buffer should be for one element only.");
        NoValidity: "The result of an aggregate of a nullable field needs validity"
            => ("OutputBufferValidator", "Aggregate for nullable attributes must have a validity buffer.");
        ValiditySize { size: usize }: "The validity of the result of an aggregate has {size} bytes instead of 1"
            => ("OutputBufferValidator", "Aggregate validity vector should be for one element only.");
        CountValidity: "A count has no validity"
            => ("OutputBufferValidator", "Count aggregates must not have a validity buffer.");
        UnexpectedValidity: "The result of an aggregate of a field that is not nullable has no validity"
            => ("OutputBufferValidator", "Aggregate for non nullable attributes must not have a validity buffer.");
        TextTooLong { name: String, size: usize }: "The result of field '{name}' needs {size} bytes"
            => ("MinMaxAggregator", "Min/max buffer not big enough for {name}. Required: {size}");
    }

    /// Causes of errors of the text and the values of conditions.
    ConditionTextError, "Condition" {
        Unexpected { found: char }: "'{found}' is not expected";
        NotOperator: "'!' is not an operator; write NOT";
        OpenQuote { quote: char }: "the quote {quote} is not closed";
        BadBytes: "X'...' needs pairs of hexadecimal digits";
        NotANumber { text: String }: "'{text}' is not a number";
        Empty: "the condition is empty";
        Expected { expected_token: &'static str, found: String }: "expected {expected_token}, found {found}";
        TooDeep { levels: usize }: "conditions are nested deeper than {levels} levels";
        NoField: "a comparison needs the name of a field";
        Like [Unsupported]: "LIKE is not supported";
        ComparedWithNull: "NULL is tested with IS NULL or IS NOT NULL";
        NotAValue { name: String }: "expected a value, found '{name}'; texts are in single quotes";
        UnknownField { name: String } [NotFound]: "there is no field '{name}'";
        WrongValue { cause: ScalarError, field: String }: "{cause}, the datatype of '{field}'";
    }

    /// Causes of errors of values that do not fit a datatype.
    ScalarError, "Value" {
        WrongType { value: String, datatype: &'static str }: "{value} is not a value of {datatype}";
        OutOfRange { value: String, datatype: &'static str }: "{value} is out of the range of {datatype}";
        BadTime { text: String, problem: String }: "'{text}' {problem}";
    }

    /// Causes of errors of the ranges of subarrays.
    SubarrayError, "Subarray" {
        NanRange: "A bound of the range is not a number"
            => ("TileDB internal", "Range contains NaN");
        ReversedRange { low: String, high: String }: "The lower bound {low} of the range is larger than the upper bound {high}"
            => ("TileDB internal", "Lower range bound {low} cannot be larger than the higher bound {high}");
        BadOutOfBounds { value: String }: "The parameter 'sm.read_range_oob' must be 'error' or 'warn', not '{value}'"
            => "[set_config] Invalid value {value} for sm.read_range_obb. Acceptable values are 'error' or 'warn'.";
        CoalesceWithRanges: "Merging of adjacent ranges cannot change after ranges are added"
            => "non-default ranges have been set, cannot change coalesce_ranges setting!";
        NoDimension { action: &'static str, index: u32 } [NotFound]: "Cannot {action} of dimension {index}, which does not exist"
            => "Cannot {action}; Invalid dimension index";
        UnknownDimension { name: String } [NotFound]: "There is no dimension '{name}'"
            => ("TileDB internal", "Cannot get dimension index; Invalid dimension name");
        NotFixed: "Dimensions of variable size need ranges of variable size"
            => "Cannot add range; Range must be fixed-sized";
        BadRange { size: usize, expected: usize }: "A bound of the range has {size} bytes instead of {expected}"
            => "Cannot add range; Invalid range";
        LabelRanges: "The dimension has ranges of a dimension label"
            => "Cannot add range to to dimension; A range is already set on a dimension label for this dimension";
        NotVar: "Dimensions of a fixed size need ranges of that size"
            => "Cannot add range; Range must be variable-sized";
        PointsNotFixed: "Points of a dimension of variable size need offsets"
            => "Cannot add range; Range must be fixed-sized. If you want to add a variable-sized range, use the add_range_var() instead";
        PointsNotVar: "Points of a dimension of a fixed size have no offsets"
            => "Cannot add range; Range must be variable-sized. If you want to add a fixed-sized range, use the add_point_ranges() instead";
        BadOffset { offset: u64 }: "The offset {offset} of a point is not inside the values"
            => "Cannot add ranges; Invalid offset {offset}";
        MixedTypes: "The dimensions have different datatypes, so they need one range each"
            => "Cannot set subarray; Function not applicable to heterogeneous domains";
        VarDimensions: "A dimension has values of variable size, so each dimension needs its range"
            => "Cannot set subarray; Function not applicable to domains with variable-sized dimensions";
        OutOfBounds { dimension: String, low: String, high: String, least: String, most: String }: "The range [{low}, {high}] is outside of the domain [{least}, {most}] of dimension '{dimension}'"
            => "Cannot add range to dimension '{dimension}'; Range [{low}, {high}] is out of domain bounds [{least}, {most}]";
        NoRangesOf { index: u32, most: usize } [NotFound]: "There is no dimension {index}; the largest index is {most}"
            => "Cannot get number of ranges for a dimension; Invalid dimension index {index} requested, {most} max avail.";
        NoRange { action: &'static str, index: usize } [NotFound]: "Cannot {action} {index}, which does not exist"
            => "Cannot {action}; Invalid range index";
        NotVarRange { dimension: String }: "The dimension '{dimension}' has no ranges of variable size"
            => "Cannot get var range size; Dimension {dimension} is not var sized";
    }

    /// Causes of errors of ranges of dimension labels.
    LabelRangeError, "Subarray" {
        NotFixed: "Labels of variable size need ranges of variable size"
            => "[add_label_range] Cannot add a fixed-sized range to a variable sized dimension label";
        BadRange { size: usize }: "A bound of the range of a label does not have {size} bytes"
            => "[add_label_range] Invalid range";
        NotVar: "Labels of a fixed size need ranges of that size"
            => "[add_label_range_var] Cannot add a variable-sized range to a fixed-sized dimension label";
        OtherLabel { label: String }: "The dimension has ranges of the label '{label}' already"
            => "[add_label_range] Dimension is already to set to use dimension label '{label}'";
        DimensionRanges { dimension: usize }: "Dimension {dimension} has ranges already"
            => "[add_label_range] Dimension '{dimension}' already has ranges set to it.";
        NoLabel { dimension: u32 } [NotFound]: "Dimension {dimension} has no ranges of a label"
            => "[get_label_name] No label ranges set";
        NoRanges { method: String, label: String } [NotFound]: "{method}: the label '{label}' has no ranges"
            => "[{method}] No ranges set on dimension label '{label}'";
        NoRange { method: String, label: String, index: u64, number: usize } [NotFound]: "{method}: there is no range {index}; the label '{label}' has {number}"
            => "[{method}] Invalid range index {index}; Dimension label '{label}' has {number}";
    }
}

/// Returns the origin of errors about the buffers of the result of an aggregate.
fn aggregator(operator: &str) -> &'static str {
    match operator {
        "COUNT" | "NULL_COUNT" => "CountAggregator",
        "SUM" | "MEAN" => "SumAggregator",
        _ => "MinMaxAggregator",
    }
}
