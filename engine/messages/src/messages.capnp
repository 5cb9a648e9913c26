# The messages that libtiledb exchanges with its servers, and between processes.
#
# Identifiers, field numbers, types and names are those of libtiledb 2.30, so that either library
# reads what the other one wrote. `messages_capnp.rs` is generated from this file; the test
# `schema` of this crate compares them.

@0xb57d9224b587d87f;

annotation jsonName @0xfa5b1fd61c2e7c3d (field) :Text;
# The name of a field in JSON, if it is not that of the field.

struct DomainArray {
  # Values of one datatype; the field of that datatype is set.
  int8 @0 :List(Int8);
  uint8 @1 :List(UInt8);
  int16 @2 :List(Int16);
  uint16 @3 :List(UInt16);
  int32 @4 :List(Int32);
  uint32 @5 :List(UInt32);
  int64 @6 :List(Int64);
  uint64 @7 :List(UInt64);
  float32 @8 :List(Float32);
  float64 @9 :List(Float64);
}

struct KV {
  # A name and a text.
  key @0 :Text;
  value @1 :Text;
}

struct Config {
  # Configuration parameters, sorted by name.
  entries @0 :List(KV);
}

struct Array {
  # An open array.
  endTimestamp @0 :UInt64;
  queryType @1 :Text;
  uri @2 :Text;
  startTimestamp @3 :UInt64;
  arraySchemaLatest @4 :ArraySchema;
  arraySchemasAll @5 :Map(Text, ArraySchema);
  nonEmptyDomain @6 :NonEmptyDomainList;
  arrayMetadata @7 :ArrayMetadata;
  arrayDirectory @8 :ArrayDirectory;
  fragmentMetadataAll @9 :List(FragmentMetadata);
  openedAtEndTimestamp @10 :UInt64;
}

struct ArrayOpen {
  # A request to open an array.
  config @0 :Config;
  queryType @1 :Text;
}

struct ArraySchema {
  # A schema. Orders, types and datatypes are the names that schemas print.
  arrayType @0 :Text;
  attributes @1 :List(Attribute);
  capacity @2 :UInt64;
  cellOrder @3 :Text;
  coordsFilterPipeline @4 :FilterPipeline;
  domain @5 :Domain;
  offsetFilterPipeline @6 :FilterPipeline;
  tileOrder @7 :Text;
  uri @8 :Text;
  version @9 :List(Int32);
  allowsDuplicates @10 :Bool;
  validityFilterPipeline @11 :FilterPipeline;
  name @12 :Text;
  timestampRange @13 :List(UInt64);
  dimensionLabels @14 :List(DimensionLabel);
  enumerations @15 :List(Enumeration);
  enumerationPathMap @16 :List(KV);
  currentDomain @17 :CurrentDomain;
}

struct ArrayCreateRequest {
  # A request to create an array; without a URI the server chooses the storage.
  uri @0 :Text;
  schema @1 :ArraySchema;
}

struct DimensionLabel {
  # A label of a dimension, with the schema of its array if that is not stored yet.
  dimensionId @0 :UInt32;
  name @1 :Text;
  uri @2 :Text;
  attributeName @3 :Text;
  order @4 :Text;
  type @5 :Text;
  cellValNum @6 :UInt32;
  external @7 :Bool;
  relative @8 :Bool;
  schema @9 :ArraySchema;
}

struct ArraySchemaEvolution {
  # Changes of a schema.
  attributesToDrop @0 :List(Text);
  attributesToAdd @1 :List(Attribute);
  timestampRange @2 :List(UInt64);
  enumerationsToAdd @3 :List(Enumeration);
  enumerationsToDrop @4 :List(Text);
  enumerationsToExtend @5 :List(Enumeration);
  currentDomainToExpand @6 :CurrentDomain;
}

struct Attribute {
  # An attribute with its filters and fill value.
  cellValNum @0 :UInt32;
  name @1 :Text;
  type @2 :Text;
  filterPipeline @3 :FilterPipeline;
  fillValue @4 :Data;
  nullable @5 :Bool;
  fillValueValidity @6 :Bool;
  order @7 :Text;
  enumerationName @8 :Text;
}

struct Enumeration {
  # The values of an enumeration.
  name @0 :Text;
  pathName @1 :Text;
  type @2 :Text;
  cellValNum @3 :UInt32;
  ordered @4 :Bool;
  data @5 :Data;
  offsets @6 :Data;
}

struct AttributeBufferHeader {
  # The sizes of the buffers of a field. The bytes follow the message of a query.
  name @0 :Text;
  fixedLenBufferSizeInBytes @1 :UInt64;
  varLenBufferSizeInBytes @2 :UInt64;
  validityLenBufferSizeInBytes @3 :UInt64;
  originalFixedLenBufferSizeInBytes @4 :UInt64;
  originalVarLenBufferSizeInBytes @5 :UInt64;
  originalValidityLenBufferSizeInBytes @6 :UInt64;
}

struct Dimension {
  # A dimension. Texts have neither a domain nor an extent.
  name @0 :Text;
  nullTileExtent @1 :Bool;
  type @2 :Text;
  tileExtent :union {
    int8 @3 :Int8;
    uint8 @4 :UInt8;
    int16 @5 :Int16;
    uint16 @6 :UInt16;
    int32 @7 :Int32;
    uint32 @8 :UInt32;
    int64 @9 :Int64;
    uint64 @10 :UInt64;
    float32 @11 :Float32;
    float64 @12 :Float64;
  }
  domain @13 :DomainArray;
  filterPipeline @14 :FilterPipeline;
}

struct Domain {
  # The dimensions. The type is that of the first one; clients before 2.10 need it.
  cellOrder @0 :Text;
  dimensions @1 :List(Dimension);
  tileOrder @2 :Text;
  type @3 :Text;
}

struct Error {
  # An error of a server.
  code @0 :Int64;
  message @1 :Text;
}

struct FloatScaleConfig {
  # The options of the filter for scaled floats.
  scale @0 :Float64;
  offset @1 :Float64;
  byteWidth @2 :UInt64;
}

struct WebpConfig {
  # The options of the filter for pictures; the quality is 0 to 100.
  quality @0 :Float32;
  format @1 :UInt8;
  lossless @2 :Bool;
  extentX @3 :UInt16;
  extentY @4 :UInt16;
}

struct Filter {
  # A filter. The field of `data` depends on the type.
  type @0 :Text;
  data :union {
    text @1 :Text;
    bytes @2 :Data;
    int8 @3 :Int8;
    uint8 @4 :UInt8;
    int16 @5 :Int16;
    uint16 @6 :UInt16;
    int32 @7 :Int32;
    uint32 @8 :UInt32;
    int64 @9 :Int64;
    uint64 @10 :UInt64;
    float32 @11 :Float32;
    float64 @12 :Float64;
  }
  floatScaleConfig @13 :FloatScaleConfig;
  webpConfig @14 :WebpConfig;
}

struct FilterPipeline {
  # Filters in the order in which writes apply them.
  filters @0 :List(Filter);
}

struct Map(Key, Value) {
  # A map as a list.
  entries @0 :List(Entry);
  struct Entry {
    key @0 :Key;
    value @1 :Value;
  }
}

struct MapEnumeration {
  # Lists of enumerations by the name of their schema.
  entries @0 :List(Entry);
  struct Entry {
    key @0 :Text;
    value @1 :List(Enumeration);
  }
}

struct MapUInt32 {
  # Numbers by name.
  entries @0 :List(Entry);
  struct Entry {
    key @0 :Text;
    value @1 :UInt32;
  }
}

struct MapInt64 {
  # Numbers by name.
  entries @0 :List(Entry);
  struct Entry {
    key @0 :Text;
    value @1 :Int64;
  }
}

struct MapUInt64 {
  # Numbers by name.
  entries @0 :List(Entry);
  struct Entry {
    key @0 :Text;
    value @1 :UInt64;
  }
}

struct MapFloat64 {
  # Numbers by name.
  entries @0 :List(Entry);
  struct Entry {
    key @0 :Text;
    value @1 :Float64;
  }
}

struct Stats {
  # Statistics: seconds and counts by name.
  timers @0 :MapFloat64;
  counters @1 :MapUInt64;
}

struct UnorderedWriterState {
  # A write of unordered cells of which only some attributes are written yet.
  isCoordsPass @0 :Bool;
  cellPos @1 :List(UInt64);
  coordDups @2 :List(UInt64);
  fragMeta @3 :FragmentMetadata;
}

struct Writer {
  # The state of a write.
  checkCoordDups @0 :Bool;
  checkCoordOOB @1 :Bool;
  dedupCoords @2 :Bool;
  subarray @3 :DomainArray;
  subarrayRanges @4 :Subarray;
  stats @5 :Stats;
  globalWriteStateV1 @6 :GlobalWriteState;
  unorderedWriterState @7 :UnorderedWriterState;
}

struct SubarrayRanges {
  # The ranges of a dimension, concatenated, with their sizes and the sizes of their starts.
  type @0 :Text;
  hasDefaultRange @1 :Bool;
  buffer @2 :Data;
  bufferSizes @3 :List(UInt64);
  bufferStartSizes @4 :List(UInt64);
}

struct LabelSubarrayRanges {
  # The ranges of a dimension label.
  dimensionId @0 :UInt32;
  name @1 :Text;
  ranges @2 :SubarrayRanges;
}

struct Subarray {
  # The ranges of a query.
  layout @0 :Text;
  ranges @1 :List(SubarrayRanges);
  stats @2 :Stats;
  relevantFragments @3 :List(UInt32);
  labelRanges @4 :List(LabelSubarrayRanges);
  attributeRanges @5 :Map(Text, SubarrayRanges);
  coalesceRanges @6 :Bool = true;
}

struct SubarrayPartitioner {
  # The division of a subarray by the legacy reader.
  struct PartitionInfo {
    subarray @0 :Subarray;
    start @1 :UInt64;
    end @2 :UInt64;
    splitMultiRange @3 :Bool;
  }
  struct State {
    start @0 :UInt64;
    end @1 :UInt64;
    singleRange @2 :List(Subarray);
    multiRange @3 :List(Subarray);
  }
  subarray @0 :Subarray;
  budget @1 :List(AttributeBufferSize);
  current @2 :PartitionInfo;
  state @3 :State;
  memoryBudget @4 :UInt64;
  memoryBudgetVar @5 :UInt64;
  memoryBudgetValidity @6 :UInt64;
  stats @7 :Stats;
}

struct ReadState {
  # The progress of the legacy reader.
  overflowed @0 :Bool;
  unsplittable @1 :Bool;
  initialized @2 :Bool;
  subarrayPartitioner @3 :SubarrayPartitioner;
}

struct ConditionClause {
  # A comparison, as messages before 2.8 have them.
  fieldName @0 :Text;
  value @1 :Data;
  op @2 :Text;
  useEnumeration @3 :Bool;
}

struct ASTNode {
  # A node of a condition: a comparison, or an operator with children.
  isExpression @0 :Bool;
  fieldName @1 :Text;
  value @2 :Data;
  op @3 :Text;
  children @4 :List(ASTNode);
  combinationOp @5 :Text;
  useEnumeration @6 :Bool;
  offsets @7 :Data;
}

struct Condition {
  # A condition; messages before 2.8 have clauses instead of a tree.
  clauses @0 :List(ConditionClause);
  clauseCombinationOps @1 :List(Text);
  tree @2 :ASTNode;
}

struct QueryReader {
  # The state of a read that continues at a range.
  layout @0 :Text;
  subarray @1 :Subarray;
  readState @2 :ReadState;
  condition @3 :Condition;
  stats @4 :Stats;
  dimLabelIncreasing @5 :Bool;
}

struct Delete {
  # The state of a delete.
  condition @0 :Condition;
  stats @1 :Stats;
}

struct ResultCellSlab {
  # Consecutive cells of a tile.
  fragIdx @0 :UInt32;
  tileIdx @1 :UInt64;
  start @2 :UInt64;
  length @3 :UInt64;
}

struct FragmentIndex {
  # The next cell of a fragment.
  tileIdx @0 :UInt64;
  cellIdx @1 :UInt64;
}

struct ReadStateIndex {
  # The progress of a sparse read.
  resultCellSlab @0 :List(ResultCellSlab);
  fragTileIdx @1 :List(FragmentIndex);
  doneAddingResultTiles @2 :Bool;
}

struct ReaderIndex {
  # The state of a sparse read.
  layout @0 :Text;
  subarray @1 :Subarray;
  readState @2 :ReadStateIndex;
  condition @3 :Condition;
  stats @4 :Stats;
}

struct Query {
  # A query with its state. The values of its buffers follow the message.
  attributeBufferHeaders @0 :List(AttributeBufferHeader);
  layout @1 :Text;
  status @2 :Text;
  type @3 :Text;
  writer @4 :Writer;
  reader @5 :QueryReader;
  array @6 :Array;
  totalFixedLengthBufferBytes @7 :UInt64;
  totalVarLenBufferBytes @8 :UInt64;
  totalValidityBufferBytes @9 :UInt64;
  varOffsetsMode @10 :Text;
  varOffsetsAddExtraElement @11 :Bool;
  varOffsetsBitsize @12 :Int32;
  config @13 :Config;
  stats @14 :Stats;
  readerIndex @15 :ReaderIndex;
  denseReader @16 :QueryReader;
  delete @17 :Delete;
  writtenFragmentInfo @18 :List(WrittenFragmentInfo);
  writtenBuffers @19 :List(Text);
  orderedDimLabelReader @20 :QueryReader;
  channels @21 :List(QueryChannel);
}

struct NonEmptyDomain {
  # The bounds of one dimension, or of all if they have one datatype.
  nonEmptyDomain @0 :DomainArray;
  isEmpty @1 :Bool;
  sizes @2 :List(UInt64);
}

struct NonEmptyDomainList {
  # The bounds of each dimension, as bytes.
  nonEmptyDomains @0 :List(NonEmptyDomain);
}

struct AttributeBufferSize {
  # The sizes of the results of a field in bytes.
  attribute @0 :Text;
  offsetBytes @1 :UInt64;
  dataBytes @2 :UInt64;
  validityBytes @3 :UInt64;
}

struct ArrayMetadata {
  # Metadata of an array or a group, with deletions.
  struct MetadataEntry {
    key @0 :Text;
    type @1 :Text;
    valueNum @2 :UInt32;
    value @3 :Data;
    del @4 :Bool;
  }
  entries @0 :List(MetadataEntry);
}

struct ArrayDirectory {
  # The files of an array, relative to its folder.
  struct TimestampedURI {
    uri @0 :Text;
    timestampStart @1 :UInt64;
    timestampEnd @2 :UInt64;
  }
  struct DeleteAndUpdateTileLocation {
    uri @0 :Text;
    conditionMarker @1 :Text;
    offset @2 :UInt64;
  }
  unfilteredFragmentUris @0 :List(Text);
  consolidatedCommitUris @1 :List(Text);
  arraySchemaUris @2 :List(Text);
  latestArraySchemaUri @3 :Text;
  arrayMetaUrisToVacuum @4 :List(Text);
  arrayMetaVacUrisToVacuum @5 :List(Text);
  commitUrisToConsolidate @6 :List(Text);
  commitUrisToVacuum @7 :List(Text);
  consolidatedCommitUrisToVacuum @8 :List(Text);
  arrayMetaUris @9 :List(TimestampedURI);
  fragmentMetaUris @10 :List(Text);
  deleteAndUpdateTileLocation @11 :List(DeleteAndUpdateTileLocation);
  timestampStart @12 :UInt64;
  timestampEnd @13 :UInt64;
}

struct EstimatedResultSize {
  # Estimates of the sizes of results by field.
  struct ResultSize {
    sizeFixed @0 :Float64;
    sizeVar @1 :Float64;
    sizeValidity @2 :Float64;
  }
  struct MemorySize {
    sizeFixed @0 :UInt64;
    sizeVar @1 :UInt64;
    sizeValidity @2 :UInt64;
  }
  resultSizes @0 :Map(Text, ResultSize);
  memorySizes @1 :Map(Text, MemorySize);
}

struct FragmentInfoRequest {
  # A request for information about fragments.
  config @0 :Config;
}

struct SingleFragmentInfo {
  # Information about one fragment.
  arraySchemaName @0 :Text;
  meta @1 :FragmentMetadata;
  fragmentSize @2 :UInt64;
}

struct FragmentInfo {
  # Information about the fragments of an array.
  arraySchemaLatest @0 :ArraySchema;
  arraySchemasAll @1 :Map(Text, ArraySchema);
  fragmentInfo @2 :List(SingleFragmentInfo);
  toVacuum @3 :List(Text);
}

struct GroupMetadata {
  # Metadata of a group.
  config @0 :Config;
  metadata @1 :ArrayMetadata;
}

struct GroupMember {
  # A member of a group.
  uri @0 :Text;
  type @1 :Text;
  relative @2 :Bool;
  name @3 :Text;
}

struct Group {
  # A group with its members and metadata.
  struct GroupDetails {
    members @0 :List(GroupMember);
    metadata @1 :ArrayMetadata;
    logicalURI @2 :Text;
  }
  config @0 :Config;
  group @1 :GroupDetails $jsonName("group");
}

struct GroupUpdate {
  # Changes of the members of a group.
  struct GroupUpdateDetails {
    membersToRemove @0 :List(Text) $jsonName("members_to_remove");
    membersToAdd @1 :List(GroupMember) $jsonName("members_to_add");
  }
  config @0 :Config;
  groupUpdate @1 :GroupUpdateDetails $jsonName("group_changes");
}

struct GroupCreate {
  # A request to create a group.
  struct GroupCreateDetails {
    uri @0 :Text;
  }
  config @0 :Config;
  groupDetails @1 :GroupCreateDetails $jsonName("group_details");
}

struct GlobalWriteState {
  # The state of a write in global order.
  cellsWritten @0 :MapUInt64;
  fragMeta @1 :FragmentMetadata;
  lastCellCoords @2 :SingleCoord;
  lastHilbertValue @3 :UInt64;
  multiPartUploadStates @4 :Map(Text, MultiPartUploadState);
}

struct SingleCoord {
  # The coordinates of one cell.
  coords @0 :List(List(UInt8));
  sizes @1 :List(UInt64);
  singleOffset @2 :List(UInt64);
}

struct FragmentMetadata {
  # The metadata of a fragment. Lists have one element for each field, as its footer.
  struct GenericTileOffsets {
    rtree @0 :UInt64;
    tileOffsets @1 :List(UInt64);
    tileVarOffsets @2 :List(UInt64);
    tileVarSizes @3 :List(UInt64);
    tileValidityOffsets @4 :List(UInt64);
    tileMinOffsets @5 :List(UInt64);
    tileMaxOffsets @6 :List(UInt64);
    tileSumOffsets @7 :List(UInt64);
    tileNullCountOffsets @8 :List(UInt64);
    fragmentMinMaxSumNullCountOffset @9 :UInt64;
    processedConditionsOffsets @10 :UInt64;
    tileGlobalOrderMinOffsets @11 :List(UInt64);
    tileGlobalOrderMaxOffsets @12 :List(UInt64);
  }
  fileSizes @0 :List(UInt64);
  fileVarSizes @1 :List(UInt64);
  fileValiditySizes @2 :List(UInt64);
  fragmentUri @3 :Text;
  hasTimestamps @4 :Bool;
  hasDeleteMeta @5 :Bool;
  sparseTileNum @6 :UInt64;
  tileIndexBase @7 :UInt64;
  tileOffsets @8 :List(List(UInt64));
  tileVarOffsets @9 :List(List(UInt64));
  tileVarSizes @10 :List(List(UInt64));
  tileValidityOffsets @11 :List(List(UInt64));
  tileMinBuffer @12 :List(List(UInt8));
  tileMinVarBuffer @13 :List(List(UInt8));
  tileMaxBuffer @14 :List(List(UInt8));
  tileMaxVarBuffer @15 :List(List(UInt8));
  tileSums @16 :List(List(UInt8));
  tileNullCounts @17 :List(List(UInt64));
  fragmentMins @18 :List(List(UInt8));
  fragmentMaxs @19 :List(List(UInt8));
  fragmentSums @20 :List(UInt64);
  fragmentNullCounts @21 :List(UInt64);
  version @22 :UInt32;
  timestampRange @23 :List(UInt64);
  lastTileCellNum @24 :UInt64;
  nonEmptyDomain @25 :NonEmptyDomainList;
  rtree @26 :Data;
  hasConsolidatedFooter @27 :Bool;
  gtOffsets @28 :GenericTileOffsets;
  arraySchemaName @29 :Text;
  tileGlobalOrderMinBuffer @30 :List(List(UInt8));
  tileGlobalOrderMinVarBuffer @31 :List(List(UInt8));
  tileGlobalOrderMaxBuffer @32 :List(List(UInt8));
  tileGlobalOrderMaxVarBuffer @33 :List(List(UInt8));
}

struct MultiPartUploadState {
  # An unfinished upload of a file.
  partNumber @0 :UInt64;
  uploadId @1 :Text;
  status @2 :Text;
  completedParts @3 :List(CompletedPart);
  bufferedChunks @4 :List(BufferedChunk);
}

struct CompletedPart {
  # An uploaded part of a file.
  eTag @0 :Text;
  partNumber @1 :UInt64;
}

struct WrittenFragmentInfo {
  # A fragment that a query has written.
  uri @0 :Text;
  timestampRange @1 :List(UInt64);
}

struct BufferedChunk {
  # A stored chunk that is smaller than the least part of an upload.
  uri @0 :Text;
  size @1 :UInt64;
}

struct ArrayDeleteFragmentsListRequest {
  # A request to delete fragments by name.
  config @0 :Config;
  entries @1 :List(Text);
}

struct ArrayDeleteFragmentsTimestampsRequest {
  # A request to delete the fragments of a time range.
  config @0 :Config;
  startTimestamp @1 :UInt64;
  endTimestamp @2 :UInt64;
}

struct ArrayConsolidationRequest {
  # A request to consolidate an array.
  config @0 :Config;
  fragments @1 :List(Text);
}

struct ArrayVacuumRequest {
  # A request to vacuum an array.
  config @0 :Config;
}

struct LoadEnumerationsRequest {
  # A request for enumerations; without names, for all of them.
  config @0 :Config;
  enumerations @1 :List(Text);
}

struct LoadEnumerationsResponse {
  # Enumerations of the latest schema or, if the request was for more, of all.
  enumerations @0 :List(Enumeration);
  allEnumerations @1 :MapEnumeration;
}

struct LoadArraySchemaRequest {
  # A request for the schemas of an array. Servers before 2.26 read the flag.
  config @0 :Config;
  includeEnumerations @1 :Bool;
}

struct LoadArraySchemaResponse {
  # The latest schema, and all by name.
  schema @0 :ArraySchema;
  arraySchemasAll @1 :Map(Text, ArraySchema);
}

struct QueryPlanRequest {
  # A request for the plan of a query.
  config @0 :Config;
  query @1 :Query;
}

struct QueryPlanResponse {
  # The plan of a query.
  queryLayout @0 :Text;
  strategyName @1 :Text;
  arrayType @2 :Text;
  attributeNames @3 :List(Text);
  dimensionNames @4 :List(Text);
}

struct ConsolidationPlanRequest {
  # A request for a consolidation plan.
  config @0 :Config;
  fragmentSize @1 :UInt64;
}

struct ConsolidationPlanResponse {
  # The fragments of each node of a consolidation plan.
  fragmentUrisPerNode @0 :List(List(Text));
}

struct QueryChannel {
  # Aggregates of one pass over the results.
  default @0 :Bool;
  aggregates @1 :List(Aggregate);
}

struct Aggregate {
  # An aggregate of a field.
  outputFieldName @0 :Text;
  inputFieldName @1 :Text;
  name @2 :Text;
}

struct CurrentDomain {
  # The current domain; it is empty if it is the whole domain.
  version @0 :UInt32;
  type @1 :Text;
  union {
    emptyCurrentDomain @2 :Void;
    ndRectangle @3 :NDRectangle;
  }
}

struct NDRectangle {
  # A box: one range for each dimension.
  ndranges @0 :List(SubarrayRanges);
}

enum ObjectType {
  # The types of objects.
  array @0;
  group @1;
}

struct ObjectInfoResponse {
  # The type of an object.
  objectType @0 :ObjectType;
}

struct TileDBVersion {
  # A version of libtiledb.
  major @0 :UInt16;
  minor @1 :UInt16;
  patch @2 :UInt16;
}

struct RestCapabilities {
  # The versions that a server has and accepts.
  deployedTileDBVersion @0 :TileDBVersion;
  minimumSupportedTileDBClientVersion @1 :TileDBVersion;
}
