//! Errors of fragments and of their maintenance.

use super::table::causes;

causes! {
    /// Causes of errors of fragments.
    FragmentError, "FragmentMetadata" {
        MissingFile { uri: String } [Corrupt]: "Fragment '{uri}' lacks a file of the field"
            => ("Reader");
        NotUnfinished { uri: String }: "Fragment '{uri}' is not in the state in which the query that started it left it";
        TileNumber { field: String, tiles: u64, expected: u64 } [Corrupt]: "Field '{field}' has {tiles} tiles, the fragment {expected}";
        OtherFragment: "The slot belongs to another fragment";
        OutsideCurrentDomain: "Cells are outside of the current domain"
            => "Cells are written outside of the defined current domain.";
        OutsideDomain: "The cells are outside of the domain";
        NoSchema { name: String } [NotFound]: "The array has no schema '{name}'; open the array again to find new schemas"
            => "Could not find schema {name} in map of schemas loaded.\nConsider reloading the array to check for new array schemas.";
    }

    /// Causes of errors of encrypted records.
    RecordError, "GenericTileIO" {
        NotEncrypted: "The record is not encrypted, but a key is given"
            => "Error getting generic tile; no encryption filter.";
        UnknownEncryption [Unsupported]: "The encryption of the record is not known"
            => "Error getting generic tile; invalid encryption type.";
        OtherEncryption { stored: &'static str, given: &'static str }: "The record is encrypted with {stored}, but the key is for {given}"
            => "Error reading generic tile; tile is encrypted with {stored} but given key is for {given}";
    }

    /// Causes of errors of the geometry of domains.
    GeometryError, "Domain" {
        HilbertDimensions { number: usize }: "No Hilbert order of {number} dimensions";
        NoDomain: "A dimension has no domain";
        NoGrid: "The domain has no grid of tiles";
        TileTooLarge: "A tile has more than 2^64 cells";
        TooManyCells { number: usize }: "{number} cells are more than can be sorted at once"
            => ("CellOrder");
    }

    /// Causes of errors of fragment information.
    FragmentInfoError, "FragmentInfo" {
        BadUri { uri: String }: "'{uri}' is not the URI of an array with fragments"
            => ("C API", "Failed to create TileDB fragment info object; Invalid URI");
        ConfigAfterLoad: "The configuration cannot change after the fragments are loaded"
            => "[set_config] Cannot set config after load";
        NotLoaded: "The fragments are not loaded"
            => "Fragment info has not been loaded.";
        NoFragment { action: &'static str, index: u32 } [NotFound]: "Cannot {action}, because there is no fragment {index}"
            => "Cannot {action}; Invalid fragment index";
        NoReplaced { index: u32 } [NotFound]: "There is no replaced fragment {index}"
            => "Cannot get URI of fragment to vacuum; Invalid fragment index";
        NoDimension { action: &'static str, index: usize } [NotFound]: "Cannot {action}, because there is no dimension {index}"
            => "Cannot {action}; Invalid dimension index";
        NoName { action: &'static str }: "Cannot {action} without the name of a dimension"
            => "Cannot {action}; Dimension name argument cannot be null";
        UnknownName { action: &'static str, name: String } [NotFound]: "Cannot {action}, because there is no dimension '{name}'"
            => "Cannot {action}; Invalid dimension name '{name}'";
        VarRange { action: &'static str }: "Cannot {action} in a fixed size, because the dimension has variable size"
            => "Cannot {action}; Dimension is variable-sized";
        FixedRange { action: &'static str }: "Cannot {action}, because the dimension has a fixed size"
            => "Cannot {action}; Dimension is fixed-sized";
        FixedRangeSize { action: &'static str }: "Cannot {action}, because all ranges of the dimension have one size"
            => "Cannot {action}; Dimension is fixed sized";
        Dense { action: &'static str }: "Cannot {action} of a dense fragment"
            => "Cannot {action}; Fragment is not sparse";
        NoMbr { index: u32 } [NotFound]: "There is no minimum bounding rectangle {index}"
            => "Cannot get MBR; Invalid MBR index";
        NoSizedMbr { index: u32 } [NotFound]: "There is no minimum bounding rectangle {index} whose size could be read"
            => "Cannot get MBR; Invalid mbr index";
        NoFragmentWithBounds { index: u32 } [NotFound]: "There is no fragment {index} with bounds of tiles in global order"
            => "Cannot get MBR global order bound: Invalid fragment index";
        NoOrderBounds { index: u32 } [NotFound]: "There are no bounds in global order for tile {index}"
            => "Cannot get MBR global order bound: Invalid mbr index";
        FormatWithoutBounds [Unsupported]: "The format of the fragment has no bounds of tiles in global order"
            => "Cannot get MBR global order bound: Unavailable";
        NoBoundSizes: "The bounds of dimensions of variable size need an output for their sizes"
            => "Cannot get MBR global order bound: Variable-length dimension requires non-NULL dimension_sizes argument";
        NoVarMbr { index: u32 } [NotFound]: "There is no minimum bounding rectangle {index} of variable size"
            => "Cannot get MBR var; Invalid mbr index";
    }

    /// Causes of errors of consolidation and vacuum.
    MaintenanceError, "FragmentConsolidator" {
        BadMode { parameter: String, mode: String }: "'{mode}' is not a value of the parameter '{parameter}'"
            => ("TileDB internal", "Cannot consolidate; invalid configuration mode (parameter '{parameter}' is '{mode}')");
        NotAFragment { name: String } [NotFound]: "'{name}' is not a fragment of the array"
            => ("ArrayDirectory", "[fragment_uris] {name} is not a fragment of the ArrayDirectory");
        BadUri { uri: String }: "'{uri}' is not the URI of an array"
            => ("Consolidator", "Cannot consolidate array; Invalid URI");
        NotAGroup { uri: String } [NotFound]: "'{uri}' is not a group"
            => ("Group", "Cannot open group; Group does not exist.");
        NotAnArray { uri: String } [NotFound]: "'{uri}' is not an array"
            => ("Consolidator", "Cannot consolidate array; Array does not exist");
        OldCommits { version: u32 } [Unsupported]: "Commits of arrays of format version {version} cannot be consolidated"
            => ("Consolidator", "Array version should be at least 12 to consolidate commits.");
        OutsideDomain [Corrupt]: "A fragment lies outside of the array's domain";
        Hindered [Busy]: "Fragments with earlier timestamps were written during the consolidation"
            => "Cannot consolidate; Fragments with earlier timestamps were written meanwhile.";
        MissingFragments { found: usize, chosen: usize } [NotFound]: "Only {found} of {chosen} fragments exist"
            => "Cannot consolidate; Found {found} of {chosen} required fragments.";
        Hidden { uri: String }: "The older fragment '{uri}' overlaps the fragments to consolidate"
            => "Cannot consolidate; The non-empty domain of the fragment with URI: {uri} overlaps with the union of the non-empty domains of the fragments selected for consolidation and was created before these fragments. For more information refer to our documentation on consolidation for Dense arrays.";
        MinAboveMax: "The minimum number of fragments is larger than the maximum"
            => "Invalid configuration; Minimum fragments config parameter is larger than the maximum";
        BadStepRatio: "The ratio of step sizes is not in [0, 1]"
            => "Invalid configuration; Step size ratio config parameter must be in [0.0, 1.0]";
        BadAmplification: "The amplification is negative"
            => "Invalid configuration; Amplification config parameter must be non-negative";
        NoProgress: "A consolidation read no cells and cannot progress"
            => "Consolidation read 0 cells, no progress can be made";
        NoNode { index: u64 } [NotFound]: "The plan has no node {index}"
            => ("Error: ConsolidationPlan", "Trying to access a node that doesn't exist.");
        NoPlanFragment { index: u64 } [NotFound]: "The node of the plan has no fragment {index}"
            => ("Error: ConsolidationPlan", "Trying to access a fragment that doesn't exist.");
    }
}
