//! The names of counters and timers: those of libtiledb that have a meaning in this library.
//!
//! A name that libtiledb reports and that is missing here is listed in
//! `docs/differences/statistics.md`; a test compares the two lists with what libtiledb reports.

use crate::types::kind;

kind! {
    /// A component that records statistics. The name is the prefix of its counters and timers.
    pub enum Part {
        Context = "Context.",
        Vfs = "Context.VFS.",
        ArrayDirectory = "Context.VFS.ArrayDirectory.",
        Consolidator = "Context.Consolidator.",
        Reader = "Context.Query.Reader.",
        Writer = "Context.Query.Writer.",
        Deletes = "Context.Query.Deletes.",
    }
}

kind! {
    /// A number that is counted.
    pub enum Counter {
        // Queries.
        Attributes = "attr_num",
        FixedAttributes = "attr_fixed_num",
        VarAttributes = "attr_var_num",
        NullableAttributes = "attr_nullable_num",
        Dimensions = "dim_num",
        FixedDimensions = "dim_fixed_num",
        VarDimensions = "dim_var_num",
        Cells = "cell_num",
        // Reads: submits, batches within them, space tiles of a dense result, tiles of each field,
        // parts of tiles.
        Loops = "loop_num",
        InternalLoops = "internal_loop_num",
        SpaceTiles = "num_tiles",
        TilesRead = "num_tiles_read",
        TilesAllocated = "tiles_allocated",
        TilesUnfiltered = "tiles_unfiltered",
        UnfilteredBytes = "read_unfiltered_byte_num",
        Results = "result_num",
        // Writes. libtiledb, too, counts bytes before they are filtered.
        Tiles = "tile_num",
        FilteredBytes = "write_filtered_byte_num",
        // Consolidation.
        ConsolidationSteps = "consolidate_step_num",
        // Metadata.
        ReadSchemaBytes = "read_array_schema_size",
        ReadMetadataBytes = "read_array_meta_size",
        WrittenMetadataBytes = "write_meta_size",
        // Fragment metadata: footers, those in consolidated files, and sections, when loaded.
        ReadFooterBytes = "read_frag_meta_size",
        ReadConsolidatedFooterBytes = "consolidated_frag_meta_size",
        ReadRTreeBytes = "read_rtree_size",
        ReadTileOffsetsBytes = "read_tile_offsets_size",
        ReadVarOffsetsBytes = "read_tile_var_offsets_size",
        ReadVarSizesBytes = "read_tile_var_sizes_size",
        ReadValidityOffsetsBytes = "read_tile_validity_offsets_size",
        ReadMinsBytes = "read_tile_min_size",
        ReadMaxsBytes = "read_tile_max_size",
        ReadOrderMinsBytes = "read_tile_global_order_min_size",
        ReadOrderMaxsBytes = "read_tile_global_order_max_size",
        ReadSumsBytes = "read_tile_sum_size",
        ReadNullCountsBytes = "read_tile_null_count_size",
        ReadFragmentStatsBytes = "read_fragment_min_max_sum_null_count_size",
        ReadProcessedConditionsBytes = "read_processed_conditions_size",
        // Storage.
        ReadOps = "read_ops_num",
        ReadBytes = "read_byte_num",
        WriteOps = "write_ops_num",
        WriteBytes = "write_byte_num",
        FileSizes = "file_size_num",
        IsObject = "is_object_num",
        Ls = "ls_num",
    }
}

kind! {
    /// A time that is measured.
    pub enum Timer {
        // Opening.
        OpenRead = "array_open_READ",
        OpenWrite = "array_open_WRITE",
        OpenDelete = "array_open_DELETE",
        OpenUpdate = "array_open_UPDATE",
        OpenModifyExclusive = "array_open_MODIFY_EXCLUSIVE",
        ListSchemas = "list_array_schema_uris",
        ListCommits = "list_commit_uris",
        ListMetadata = "list_array_meta_uris",
        LoadSchema = "sm_load_array_schema_from_uri",
        LoadFragmentMetadata = "sm_load_fragment_metadata",
        LoadMetadata = "sm_load_array_metadata",
        // Queries.
        InitState = "init_state",
        Work = "dowork",
        Finalize = "finalize",
        // Tiles, summed over threads.
        ReadTiles = "read_tiles",
        ReadAttributeTiles = "read_attribute_tiles",
        ReadCoordinateTiles = "read_coordinate_tiles",
        UnfilterAttributeTiles = "unfilter_attr_tiles",
        UnfilterCoordinateTiles = "unfilter_coord_tiles",
        FilterTile = "filter_tile",
        WriteTiles = "write_tiles",
        // Stages of reads.
        ApplyCondition = "apply_query_condition",
        CopyOffsetTiles = "copy_offset_tiles",
        CopyVarTiles = "copy_var_tiles",
        CopyFixedTiles = "copy_fixed_tiles",
        CreateResultTiles = "create_result_tiles",
        ProcessTiles = "process_tiles",
        ProcessSlabs = "process_slabs",
        ProcessAggregates = "process_aggregates",
        // Metadata.
        WriteMetadata = "write_meta",
        // Maintenance.
        ConsolidateFragments = "consolidate_frags",
        ConsolidateFragmentMetadata = "consolidate_frag_meta",
        ConsolidateMetadata = "consolidate_array_meta",
        ConsolidateCommits = "consolidate_commits",
        ConsolidateGroupMetadata = "consolidate_group_meta",
    }
}
