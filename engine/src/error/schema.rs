//! Errors of schemas and of their evolution.

use super::table::{Text, causes};

causes! {
    /// Causes of errors of schemas.
    SchemaError, "ArraySchema" {
        ReservedName { prefix: &'static str }: "Names of attributes must not start with '{prefix}'"
            => "Cannot add attribute: names starting with '{prefix}' are reserved";
        DuplicateEnumeration { name: String } [AlreadyExists]: "The schema has an enumeration '{name}' already"
            => "Error adding enumeration. Enumeration with name '{name}' already exists in this ArraySchema.";
        UnknownEnumeration { name: String } [NotFound]: "The schema has no enumeration '{name}', to which the attribute refers"
            => "Cannot add attribute; Attribute refers to an unknown enumeration named '{name}'.";
        EnumerationOfType { attribute: String, datatype: &'static str }: "Attribute '{attribute}' of type {datatype} cannot have an enumeration, which needs integers"
            => "Unable to use enumeration with attribute '{attribute}', attribute must have an integral data type, not {datatype}";
        EnumerationOfMany { attribute: String }: "Attribute '{attribute}' has an enumeration and needs one value per cell"
            => "Attributes with enumerations must have a cell_val_num of 1.";
        EnumerationNotLoaded { name: String }: "The enumeration '{name}' of the attribute is not loaded"
            => "Cannot add attribute referencing enumeration '{name}' as the enumeration has not been loaded.";
        EnumerationTooLarge { name: String, attribute: String }: "The type of attribute '{attribute}' cannot count all members of the enumeration '{name}'"
            => "Unable to use enumeration '{name}' for attribute '{attribute}' because the attribute's type is not large enough to represent all enumeration values.";
        EnumerationPastIndex { name: String, attribute: String, datatype: &'static str, values: u64, most: u64 }: "Enumeration '{name}' would have {values} values, but attribute '{attribute}' of type {datatype} can refer to {most} only";
        NoDimensions: "The domain has no dimension"
            => "Cannot set domain; Domain must contain at least one dimension";
        MixedTypes: "The dimensions of a dense array have different datatypes"
            => "Cannot set domain; In dense arrays, all dimensions must have the same datatype";
        DenseType { datatype: &'static str }: "A dense array cannot have dimensions of type {datatype}"
            => "Cannot set domain; Dense arrays do not support dimension datatype '{datatype}'";
        HilbertTiles: "Tiles cannot be in Hilbert order"
            => "Cannot set tile order; Hilbert order is not applicable to tiles";
        UnorderedTiles: "Tiles need an order"
            => "Cannot set tile order; Cannot create ArraySchema with UNORDERED tile order";
        HilbertDense: "Cells of dense arrays cannot be in Hilbert order"
            => "Cannot set cell order; Hilbert order is only applicable to sparse arrays";
        UnorderedCells: "Cells need an order"
            => "Cannot set cell order; Cannot create ArraySchema with UNORDERED cell order";
        NoCapacity: "The capacity of a sparse array must not be 0"
            => "Sparse arrays cannot have their capacity equal to zero.";
        DenseDuplicates: "Dense arrays cannot have duplicate coordinates"
            => "Dense arrays cannot allow coordinate duplicates";
        RealDoubleDelta: "Double delta cannot be a coordinate filter of dimensions of real numbers"
            => "Real dimension cannot inherit coordinate filters with DOUBLE DELTA compression";
        FilterNotFirst { filter: &'static str }: "The filter {filter} must be the first one on coordinates that are texts"
            => "{filter} filter must be the first filter to apply when used on variable length string dimensions";
        NoAttribute { index: u32, number: usize } [NotFound]: "There is no attribute {index}; the schema has {number}"
            => ("C API", "Attribute index: {index} out of bounds given {number} attributes in array ");
        UnknownAttribute { name: String } [NotFound]: "There is no attribute '{name}'"
            => ("C API", "Attribute name: {name} does not exist for array ");
        NoDimension { index: u32, number: usize } [NotFound]: "There is no dimension {index}; the domain has {number}"
            => { Text::new("C API", format!("Dimension index {index} is out of bounds; valid indices are 0 to {}", (*number as u32).wrapping_sub(1))) };
        UnknownDimension { name: String } [NotFound]: "There is no dimension '{name}'"
            => ("C API", "Dimension '{name}' does not exist");
        NoCommonType: "The domain has no dimensions"
            => ("C API", "Cannot get domain type; Domain has no dimensions");
        MixedDomain: "The dimensions have different datatypes"
            => ("C API", "Cannot get domain type; Not applicable to heterogeneous dimensions");
    }

    /// Causes of errors of complete schemas.
    SchemaCheckError, "ArraySchema" {
        NoDomain: "The schema has no domain"
            => "Array schema check failed; Domain not set";
        NoDimensions: "The schema has no dimensions"
            => "Array schema check failed; No dimensions provided";
        HilbertDimensions { number: usize, most: usize }: "Hilbert order supports {most} dimensions, not {number}"
            => "Array schema check failed; Maximum dimensions supported by Hilbert order exceeded";
        RealDense: "Dense arrays cannot have dimensions of real numbers"
            => "Array schema check failed; Dense arrays cannot have floating point domains";
        NoAttributes: "A dense array needs an attribute"
            => "Array schema check failed; No attributes provided";
        MixedTypes: "The dimensions of a dense array have different datatypes"
            => "Array schema check failed; In dense arrays, all dimensions must have the same datatype";
        NoExtent: "A dimension of a dense array has no tile extent"
            => "Array schema check failed; Dense arrays must have a tile extent for each dimension";
        NoCapacity: "The capacity of a sparse array must not be 0"
            => "Array schema check failed; Sparse arrays cannot have their capacity equal to zero.";
        OrderedAttributes: "Ordered attributes need a dense array with one dimension"
            => "Array schema check failed; Ordered attributes are only supported on dense arrays with 1 dimension.";
        DuplicateName: "Two of the attributes, dimensions and labels have the same name"
            => "Array schema check failed; Attributes, dimensions and dimension labels must have unique names";
        NoLabelSchema { label: String }: "The dimension label '{label}' has no schema"
            => "Array schema check failed; Missing dimension label schema for dimension label '{label}'.";
        WebpType: "The filter WebP needs attributes of type UINT8"
            => "WebP filter supports only uint8 attributes";
        WebpSparse: "The filter WebP needs a dense array"
            => "WebP filter can only be applied to dense arrays";
        WebpDimensions { number: usize }: "The filter WebP needs two dimensions, not {number}"
            => "WebP filter requires exactly 2 dimensions Y, X.";
        WebpMixed: "The filter WebP needs two dimensions of the same type"
            => "WebP filter dimensions 0, 1 should have matching integral types";
        TooNew { version: u32, newest: u32 } [Unsupported]: "The schema has format version {version}, but {newest} is the newest that is supported"
            => "Failed to deserialize; Array format version ({version}) is newer than the library format version ({newest})";
    }

    /// Causes of errors of current domains.
    CurrentDomainError, "TileDB internal" {
        NoDimensions: "A rectangle needs a domain with dimensions"
            => "The TileDB domain used to create the NDRectangle has no dimensions.";
        NoDimension { index: u32 } [NotFound]: "The rectangle has no dimension {index}"
            => "The index does not correspond to a valid dimension in the NDRectangle";
        NoRange { index: u32 } [NotFound]: "The rectangle has no range of a dimension {index}"
            => "Trying to get a range for an index out of bounds is not possible.";
        NoDimensionToSet { index: u32 } [NotFound]: "The rectangle has no dimension {index} whose range could be set"
            => "invalid dimension index";
        UnknownDimension { name: String } [NotFound]: "The rectangle has no dimension '{name}'"
            => "Cannot get dimension index; Invalid dimension name";
        EmptyRange: "The range is empty"
            => "Range is empty";
        RangeSize { size: usize, expected: usize }: "The range has {size} bytes instead of {expected}"
            => "Range size {size} does not match the expected size {expected}";
        DimensionNumber: "The current domain and the schema have different numbers of dimensions"
            => "The array current domain and the array schema have a non-equal number of dimensions";
        RangeMissing { index: usize }: "The current domain has no range of dimension {index}"
            => "This current domain has no range specified for dimension idx: {index}";
        BeyondDomain: "A range of the current domain is not inside the domain"
            => "This array current domain has ranges past the boundaries of the array schema domain";
        NanRange: "A bound of the range is not a number"
            => "Range contains NaN";
        ReversedRange { low: String, high: String }: "The lower bound {low} of the range is larger than the upper bound {high}"
            => "Lower range bound {low} cannot be larger than the higher bound {high}";
        Shrinks: "The new current domain does not contain the current one"
            => ("ArraySchema", "The current domain of an array can only be expanded, please adjust your new current domain object.");
    }

    /// Causes of errors of attributes.
    AttributeError, "Attribute" {
        AnyIsVar: "The datatype ANY always has a variable number of values"
            => "Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized";
        NoValues: "A cell needs at least one value"
            => "Cannot set zero values per cell";
        CellTooLarge { values: u32 }: "{values} values per cell are larger than a chunk of 4 GB"
            => "Cannot set {values} values per cell; A cell may not be larger than a chunk of 4 GB";
        OrderedTextsAreVar { datatype: &'static str }: "Ordered attributes of type {datatype} must have a variable number of values"
            => "Cannot set number of values per cell; Ordered attributes with datatype '{datatype}' must have `cell_val_num=constants::var_num`.";
        OrderedNumbersAreSingle { datatype: &'static str }: "Ordered attributes of type {datatype} must have one value per cell"
            => "Ordered attributes with datatype '{datatype}' must have `cell_val_num=1`.";
        OrderedIsNotNullable: "An ordered attribute cannot be nullable"
            => "Cannot set to nullable; An ordered attribute cannot be nullable.";
        NoFillValue: "The fill value is missing"
            => "Cannot set fill value; Input value cannot be null";
        EmptyFillValue: "The fill value has no bytes"
            => "Cannot set fill value; Input size cannot be 0";
        FillValueSize { size: usize, cell_size: u64 }: "The fill value has {size} bytes, but a cell has {cell_size}"
            => "Cannot set fill value; Input size is not the same as cell size";
        Nullable { verb: &'static str }: "Cannot {verb} a fill value without validity, because the attribute is nullable"
            => "Cannot {verb} fill value; Attribute is nullable";
        NotNullable { verb: &'static str }: "Cannot {verb} a fill value with validity, because the attribute is not nullable"
            => "Cannot {verb} fill value; Attribute is not nullable";
        NoEnumerationName: "The name of the enumeration of an attribute is empty"
            => "Invalid enumeration name, name must not be empty.";
    }

    /// Causes of errors of dimensions.
    DimensionError, "Dimension" {
        BadType { datatype: &'static str }: "A dimension cannot have the type {datatype}"
            => ("TileDB internal", "Datatype::{datatype} is not a valid Dimension Datatype");
        NotOfTexts { subject: &'static str, datatype: &'static str }: "A dimension of type {datatype} has no {subject}"
            => "Setting the {subject} to a dimension with type '{datatype}' is not supported";
        NoDomain: "The dimension has no domain"
            => "Cannot set tile extent; Domain must be set first";
        TextsAreVar: "Coordinates that are texts have a variable number of values"
            => "Cannot set non-variable number of values per coordinate for a string dimension";
        OneValue { values: u32 }: "Coordinates have one value, not {values}"
            => "Cannot set number of values per coordinate; Currently only one value per coordinate is supported";
        DomainNan: "A bound of the domain is not a finite number"
            => "Domain check failed; domain contains NaN";
        DomainReversed: "The upper bound of the domain is smaller than the lower one"
            => "Domain check failed; Upper domain bound should not be smaller than the lower one";
        DomainTooLarge: "The domain has more values than the largest unsigned number"
            => "Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned number";
        ExtentNotPositive { name: String }: "The tile extent of dimension '{name}' must be greater than 0"
            => "Tile extent check failed on dimension '{name}'; Tile extent must be greater than 0";
        ExtentZero { name: String }: "The tile extent of dimension '{name}' must not be 0"
            => "Tile extent check failed on dimension '{name}'; Tile extent must not be 0";
        ExtentTooLarge { name: String, extent: String, low: String, high: String }: "The tile extent {extent} of dimension '{name}' is larger than the domain [{low}, {high}]"
            => "Tile extent check failed on dimension '{name}'; Tile extent {extent} exceeds range on dimension domain [{low}, {high}]";
        LastTileOverflows: "The last tile would exceed the datatype; reduce the upper bound of the domain by one tile extent"
            => "Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value representable by domain type. Reduce domain max by 1 tile extent to allow for expansion.";
    }

    /// Causes of errors of enumerations.
    EnumerationError, "Enumeration" {
        NoName: "The name of the enumeration is empty"
            => "Enumeration name must not be empty";
        NoValues: "An enumeration needs at least one value per member"
            => "Invalid cell_val_num in Enumeration";
        NoOffsets: "Members of variable length need offsets"
            => "Var sized enumeration values require a non-null offsets pointer.";
        EmptyOffsets: "The offsets of the members are empty"
            => "Var sized enumeration values require a non-zero offsets size.";
        PartialOffset { size: usize }: "Offsets of {size} bytes are not a multiple of 8 bytes"
            => "Invalid offsets size is not a multiple of sizeof(uint64_t)";
        OffsetBeyondData: "An offset of a member is larger than the data"
            => "Invalid data input, data_size is smaller than the last provided offset.";
        DecreasingOffsets: "The offsets of the members decrease"
            => "Invalid offsets, they must not decrease.";
        UnexpectedOffsets: "Members of a fixed length have no offsets"
            => "Fixed length value type defined but offsets is not nullptr.";
        NoData: "The data of the members is missing"
            => "Invalid data buffer must not be nullptr for fixed sized data.";
        EmptyData: "The data of the members is empty"
            => "Invalid data size; must be non-zero for fixed size data.";
        PartialMember { size: usize, member: usize }: "{size} bytes are not a multiple of the members' size, {member} bytes"
            => "Invalid data size is not a multiple of the cell size.";
        Duplicate { value: String }: "The member '{value}' occurs more than once"
            => "Invalid duplicated value in enumeration '{value}'";
        EmptyExtension: "The members to add have no data"
            => "Unable to extend an enumeration with a zero sized data buffer.";
        ExtensionWithOffsets: "The members to add have a fixed length and no offsets"
            => "Offsets buffer provided when extending a fixed sized enumeration.";
        ExtensionNoOffsets: "The members to add need offsets"
            => "The offsets buffer is required for this enumeration extension.";
        ExtensionEmptyOffsets: "The offsets of the members to add are empty"
            => "The offsets buffer for this enumeration extension must have a non-zero size.";
        NotTexts: "The values of the enumeration are not texts";
        TooNew { version: u32, newest: u32 } [Unsupported]: "The enumeration has format version {version}, but {newest} is the newest that is supported"
            => "Invalid Enumeration version '{version}' is newer than supported enumeration version '{newest}'";
    }

    /// Causes of errors of dimension labels.
    LabelError, "ArraySchema" {
        Unordered [Unsupported]: "A dimension label needs an order"
            => "Cannot add dimension label; Unordered dimension labels are not yet supported.";
        NoDomain: "A dimension label needs a domain"
            => "Cannot add dimension label; Must set domain before adding dimension labels.";
        NoDimension { index: u32 } [NotFound]: "There is no dimension {index} to label"
            => "Cannot add a label to dimension {index}; Invalid dimension index. ";
        NoName: "The name of the dimension label is empty"
            => "Cannot add a dimension label with name ''. The name is empty.";
        NameOfAttribute { name: String } [AlreadyExists]: "An attribute '{name}' exists already"
            => "Cannot add a dimension label with name '{name}'. An attribute with that name already exists.";
        NameOfDimension { name: String } [AlreadyExists]: "A dimension '{name}' exists already"
            => "Cannot add a dimension label with name '{name}'. A dimension with that name already exists.";
        NameOfLabel { name: String } [AlreadyExists]: "A dimension label '{name}' exists already"
            => "Cannot add a dimension label with name '{name}'. A different label with that name already exists.";
        NoLabel { index: u64, number: usize } [NotFound]: "There is no dimension label {index}; the schema has {number}"
            => "Unable to get dimension label reference; Index {index} is out of range, there are {number}.";
        Unknown { name: String } [NotFound]: "There is no dimension label '{name}'"
            => "Unable to get dimension label reference; No dimension label named '{name}'.";
        BadDimensionType { label: String, datatype: &'static str }: "The dimension label '{label}' cannot be on a dimension of type {datatype}"
            => "Failed to add dimension label '{label}'. (TileDB internal: Failed to create dimension label schema; Currently labels are not support on dimensions with datatype Datatype::{datatype})";
        BadType { label: String, datatype: &'static str }: "The dimension label '{label}' cannot have the type {datatype}"
            => "Failed to add dimension label '{label}'. (TileDB internal: Datatype Datatype::{datatype} is not a valid dimension datatype. (TileDB internal: Datatype '{datatype}' is not a valid dimension datatype.))";
        NoSchema { label: String, subject: &'static str }: "The {subject} of the dimension label '{label}' cannot be set without a schema"
            => "Cannot set {subject} for dimension label '{label}'; No dimension label schema is set.";
        ExtentType { label: String, datatype: &'static str, given: &'static str }: "The tile extent of the dimension label '{label}' has the type {given} instead of {datatype}"
            => "Cannot set tile extent for dimension label '{label}; The dimension the label is set on has type '{datatype}'which does not match the provided datatype '{given}'.";
        DimensionNumber { label: String, number: usize }: "The schema of the label '{label}' has {number} dimensions"
            => "Invalid schema for label '{label}'; Schema has {number} dimensions.";
        DimensionType { found: &'static str, expected: &'static str }: "The schema of the label has a dimension of type {found} instead of {expected}"
            => "The dimension datatype of the dimension label is '{found}', but expected datatype was '{expected}'";
        NoAttribute { name: String }: "The schema of the label has no attribute '{name}'"
            => "The dimension label is missing an attribute with name '{name}'.";
        Order { found: &'static str, expected: &'static str }: "The order of the label is {found} instead of {expected}"
            => "The label order of the dimension label is {found}, but the expected label order was {expected}.";
        Type { found: &'static str, expected: &'static str }: "The label has the type {found} instead of {expected}"
            => "The datatype of the dimension label is {found}, but the expected label datatype was {expected}.";
        ValueNumber { found: u32, expected: u32 }: "The label has {found} values per cell instead of {expected}"
            => "The cell value number of the label attribute in the dimension label {found}, but the expected cell value number was {expected}.";
        NullableOrSparse { label: String }: "The values of the label '{label}' are nullable or sparse"
            => "Invalid schema for label '{label}'; its values must be neither nullable nor sparse";
        DimensionMissing { label: String } [NotFound]: "The array has no dimension for the label '{label}'"
            => "The dimension of the label is not there";
        NotCreated: "A dimension label that belongs to the array needs a schema"
            => ("Array", "Failed to create array. Dimension labels that are not external must have a schema");
        OutsideArray { label: String, uri: String }: "The URI '{uri}' of label '{label}' is not within its array"
            => ("DimensionLabel");
    }

    /// Causes of errors of the evolution of schemas.
    EvolutionError, "ArraySchemaEvolution" {
        AttributeAdded { name: String } [AlreadyExists]: "The attribute '{name}' is added already"
            => "Cannot add attribute; Input attribute name is already there";
        EnumerationAdded { name: String } [AlreadyExists]: "The enumeration '{name}' is added already"
            => "Cannot add enumeration; Input enumeration name is already added";
        EnumerationExtended { name: String } [AlreadyExists]: "The enumeration '{name}' is extended already"
            => "Cannot extend enumeration; Input enumeration name has already been extended in this evolution.";
        NoCurrentDomain: "The new current domain is empty"
            => "Unable to expand the array current domain, the new current domain specified is empty";
        TwoTimestamps { start: u64, end: u64 }: "The timestamps {start} and {end} of the evolution differ"
            => "Cannot set timestamp range; first element {start} and second element {end} are not equal!";
        UnknownAttribute { name: String } [NotFound]: "There is no attribute '{name}' to drop"
            => "Cannot drop attribute; Input attribute name refers to a dimension or does not exist";
        UnknownEnumeration { name: String } [NotFound]: "There is no enumeration '{name}' to extend"
            => ("ArraySchema", "Unable to get enumeration path name. Unknown enumeration named '{name}'.");
        NotLoaded { name: String }: "The enumeration '{name}' to extend is not loaded"
            => ("ArraySchema", "Error extending enumeration. Enumeration with name '{name}' is not loaded.");
        NotAnExtension { name: String }: "The new members of the enumeration '{name}' do not begin with its members"
            => ("ArraySchema", "Error extending enumeration. Provided enumeration is not an extension of the current state of '{name}'");
        SameFile { name: String }: "The extended enumeration '{name}' has the same file"
            => ("ArraySchema", "Error extending enumeration. Enumeration path name for '{name}' already exists in this schema.");
        NoAttributeName: "The attribute to drop has no name"
            => ("ArraySchema", "Cannot remove attribute '': empty string is reserved");
        EnumerationInUse { name: String, attribute: String }: "The enumeration '{name}' is in use by the attribute '{attribute}'"
            => ("ArraySchema", "Unable to drop enumeration '{name}' as it is used by attribute '{attribute}'.");
    }
}
