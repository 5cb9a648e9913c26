/* Query fields, channels, aggregates and plans. */
#include "arrays.h"

static tiledb_query_t* whole_read(tiledb_ctx_t* ctx, tiledb_array_t* array) {
  return new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
}

static void field_is(
    tiledb_ctx_t* ctx, tiledb_query_t* query, const char* name, tiledb_datatype_t type, uint32_t values,
    uint8_t nullable, tiledb_field_origin_t origin) {
  tiledb_query_field_t* field = NULL;
  tiledb_datatype_t found_type;
  tiledb_field_origin_t found_origin;
  uint32_t found_values = 0;
  uint8_t found_nullable = 9;
  CHECK_OK(ctx, tiledb_query_get_field(ctx, query, name, &field));
  CHECK_OK(ctx, tiledb_field_datatype(ctx, field, &found_type));
  CHECK_EQ(found_type, type);
  CHECK_OK(ctx, tiledb_field_cell_val_num(ctx, field, &found_values));
  CHECK_EQ(found_values, values);
  CHECK_OK(ctx, tiledb_field_get_nullable(ctx, field, &found_nullable));
  CHECK_EQ(found_nullable, nullable);
  CHECK_OK(ctx, tiledb_field_origin(ctx, field, &found_origin));
  CHECK_EQ(found_origin, origin);
  CHECK_OK(ctx, tiledb_query_field_free(ctx, &field));
  CHECK(field == NULL);
}

TEST_WITH(ctx, field_getters_return_their_properties) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_query_field_t* field = NULL;
  field_is(ctx, query, "number", TILEDB_INT32, 1, 0, TILEDB_ATTRIBUTE_FIELD);
  field_is(ctx, query, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, TILEDB_ATTRIBUTE_FIELD);
  field_is(ctx, query, "maybe", TILEDB_FLOAT64, 1, 1, TILEDB_ATTRIBUTE_FIELD);
  field_is(ctx, query, "row", TILEDB_INT32, 1, 0, TILEDB_DIMENSION_FIELD);
  field_is(ctx, query, "__timestamps", TILEDB_UINT64, 1, 0, TILEDB_ATTRIBUTE_FIELD);
  CHECK_ERROR(ctx, tiledb_query_get_field(ctx, query, "unknown", &field), "C API: There is no field unknown");
  CHECK_ERROR(
      ctx, tiledb_query_get_field(ctx, NULL, "number", &field), "C API: argument `query` may not be nullptr");
  CHECK_ERROR(
      ctx, tiledb_query_get_field(ctx, query, NULL, &field), "C API: argument `field_name` may not be nullptr");
  CHECK_FAILS(ctx, tiledb_query_get_field(ctx, query, "number", NULL), "Invalid output pointer for object");
  CHECK_EQ(tiledb_query_get_field(NULL, query, "number", &field), TILEDB_INVALID_CONTEXT);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_field_leads_to_its_channel) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_query_field_t* field = NULL;
  tiledb_query_channel_t* channel = NULL;
  uint64_t count = 0, size = sizeof count;
  CHECK_OK(ctx, tiledb_query_get_field(ctx, query, "number", &field));
  CHECK_OK(ctx, tiledb_field_channel(ctx, field, &channel));
  CHECK_OK(ctx, tiledb_query_field_free(ctx, &field));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "n", tiledb_aggregate_count));
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "n", &count, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(count, CELLS);
  CHECK_ERROR(ctx, tiledb_query_get_field(ctx, query, "unknown", &field), "C API: There is no field unknown");
  CHECK(field == NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, numbers_are_summed_and_compared) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  int64_t sum = 0;
  int32_t end = 0;
  double mean = 0;
  uint64_t size = 8;
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  field_is(ctx, query, "out", TILEDB_INT64, 1, 0, TILEDB_AGGREGATE_FIELD);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sum, CELLS * (CELLS - 1) / 2);
  tiledb_query_free(&query);

  query = whole_read(ctx, array);
  size = 8;
  aggregate(ctx, query, tiledb_channel_operator_mean, "number");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &mean, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(mean == (CELLS - 1) / 2.0);
  tiledb_query_free(&query);

  query = whole_read(ctx, array);
  size = 4;
  aggregate(ctx, query, tiledb_channel_operator_max, "column");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &end, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(end, COLUMNS);
  CHECK_EQ(size, 4);
  tiledb_query_free(&query);

  const int32_t box[4] = {2, 3, 3, 5};
  const tiledb_channel_operator_t* const ends[2] = {tiledb_channel_operator_min, tiledb_channel_operator_max};
  for (int i = 0; i < 2; i++) {
    query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
    aggregate(ctx, query, ends[i], "number");
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &end, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(end, i ? 16 : 8);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, nulls_are_excluded_and_counted) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  uint64_t nulls = 0, size = 8, one = 1;
  double sum = 0, limit = -1;
  uint8_t valid = 7;
  aggregate(ctx, query, tiledb_channel_operator_null_count, "maybe");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &nulls, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(nulls, CELLS / 2);
  tiledb_query_free(&query);

  query = whole_read(ctx, array);
  aggregate(ctx, query, tiledb_channel_operator_sum, "maybe");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "out", &valid, &one));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(sum == CELLS / 2 * (CELLS / 2 - 1));
  CHECK_EQ(valid, 1);
  tiledb_query_free(&query);

  const tiledb_channel_operator_t* const operators[3] = {
      tiledb_channel_operator_min, tiledb_channel_operator_max, tiledb_channel_operator_mean};
  for (int i = 0; i < 3; i++) {
    query = whole_read(ctx, array);
    valid = 7;
    aggregate(ctx, query, operators[i], "maybe");
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &size));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "out", &valid, &one));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(sum, i == 0 ? 0 : i == 1 ? CELLS - 2 : CELLS / 2 - 1);
    CHECK_EQ(valid, 1);
    tiledb_query_free(&query);
  }

  /* No cell is left: the sum of no cells is null. */
  query = whole_read(ctx, array);

  tiledb_query_condition_t* condition = compare(ctx, "maybe", &limit, sizeof limit, TILEDB_LT);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  aggregate(ctx, query, tiledb_channel_operator_sum, "maybe");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "out", &valid, &one));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(sum == 0);
  CHECK_EQ(valid, 0);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, results_come_with_the_last_cells) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  int32_t numbers[CELLS / 2];
  int64_t sum = -5;
  uint64_t size = 8, numbers_size = sizeof numbers;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &numbers_size));
  submit(ctx, query, TILEDB_INCOMPLETE);
  CHECK_EQ(sum, -5);
  CHECK_EQ(size, 8);
  for (int i = 0; i < 9 && status == TILEDB_INCOMPLETE; i++) {
    numbers_size = sizeof numbers;
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(sum, CELLS * (CELLS - 1) / 2);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, invalid_aggregates_are_rejected) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  const tiledb_channel_operator_t* sum = tiledb_channel_operator_sum;
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
#define MAKE(query, op, field) tiledb_create_unary_aggregate(ctx, query, op, field, &operation)
  CHECK_ERROR(ctx, MAKE(query, sum, "unknown"), "C API: There is no field unknown");
  CHECK_ERROR(
      ctx, MAKE(query, sum, "name"), "TileDB internal: SUM aggregates can only be requested on numeric types");
  CHECK_ERROR(
      ctx, MAKE(query, tiledb_channel_operator_null_count, "number"),
      "InputFieldValidator: Aggregate must only be requested for nullable fields.");
  CHECK_ERROR(ctx, MAKE(NULL, sum, "number"), "C API: argument `query` may not be nullptr");
  CHECK_ERROR(
      ctx, MAKE(query, NULL, "number"), "C API: Invalid TileDB tiledb_channel_operator_handle_t object");
  CHECK_ERROR(
      ctx, MAKE(query, sum, NULL), "C API: argument `input_field` may not be nullptr for operator SUM");
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "out", tiledb_aggregate_count));
  CHECK_ERROR(
      ctx, tiledb_channel_apply_aggregate(ctx, channel, "out", tiledb_aggregate_count),
      "C API: An aggregate operation for output field: out already exists.");
  CHECK_ERROR(
      ctx, tiledb_channel_apply_aggregate(ctx, channel, NULL, tiledb_aggregate_count),
      "C API: argument `output_field` may not be nullptr");
  CHECK_ERROR(
      ctx, tiledb_channel_apply_aggregate(ctx, channel, "more", NULL),
      "C API: Invalid TileDB tiledb_channel_operation_t object");
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "CountAggregator: Result buffer doesn't exist.");
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
  tiledb_query_free(&query);

  query = whole_read(ctx, array);
  uint64_t count = 0, size = 8, one = 1;
  uint8_t valid = 0;
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "out", tiledb_aggregate_count));
  CHECK_ERROR(
      ctx, tiledb_query_set_validity_buffer(ctx, query, "out", &valid, &one),
      "[TileDB::Query] Error: Cannot set buffer; Input attribute 'out' is not nullable");
  CHECK_ERROR(
      ctx, tiledb_query_set_offsets_buffer(ctx, query, "out", &count, &size),
      "[TileDB::Query] Error: Cannot set buffer; Input attribute 'out' is not var sized");
  size = 4;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &count, &size));
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "OutputBufferValidator: Aggregate fixed size buffer should be for one element only.");
  tiledb_query_free(&query);
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));

  query = whole_read(ctx, array);
  size = 8;
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "out", tiledb_aggregate_count));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &count, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(count, CELLS);
  CHECK_ERROR(
      ctx, tiledb_channel_apply_aggregate(ctx, channel, "late", tiledb_aggregate_count),
      "C API: argument `query` is at a too late state of its lifetime");
  CHECK_ERROR(
      ctx, MAKE(query, sum, "number"), "C API: argument `query` is at a too late state of its lifetime");
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_plan_names_strategy_layout_and_fields) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_string_t* plan = NULL;
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  char expected[1024];
  CHECK_ERROR(
      ctx, tiledb_query_get_plan(ctx, query, &plan), "DenseReader: Cannot initialize dense reader; Buffers not set");
  CHECK_ERROR(ctx, tiledb_query_get_plan(ctx, NULL, &plan), "C API: argument `query` may not be nullptr");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_get_plan(ctx, query, &plan));
  snprintf(
      expected, sizeof expected,
      "{\n    \"TileDB Query Plan\": {\n        \"Array.Type\": \"dense\",\n        \"Array.URI\": \"%s\",\n"
      "        \"Query.Attributes\": [\n            \"number\"\n        ],\n"
      "        \"Query.Dimensions\": [\n            \"column\",\n            \"row\"\n        ],\n"
      "        \"Query.Layout\": \"row-major\",\n        \"Query.Strategy.Name\": \"DenseReader\",\n"
      "        \"VFS.Backend\": \"%.*s\"\n    }\n}",
      uri_of(uri), (int)strcspn(uri_of(uri), ":"), uri_of(uri));
  CHECK_TEXT(text_of(&plan), expected);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, plans_of_sparse_reads_name_the_reader_of_the_layout) {
  static const char* const readers[2][4] = {
      {"LegacyReader", "LegacyReader", "SparseGlobalOrderReader<h>", "SparseGlobalOrderReader<h>"},
      {"LegacyReader", "LegacyReader", "SparseGlobalOrderReader<h>", "SparseUnorderedWithDupsReader<h>"},
  };
  static const tiledb_layout_t layouts[4] = {
      TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  const int32_t ranges[4] = {1, 3, 2, 8};
  for (int i = 0; i < 8; i++) {
    char uri[128], expected[128];
    int32_t numbers[20];
    uint64_t size = sizeof numbers;
    tiledb_string_t* plan = NULL;
    create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 20, 5, i / 4), uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i % 4]);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &ranges[0], &ranges[1], NULL));
    if (layouts[i % 4] != TILEDB_GLOBAL_ORDER)
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &ranges[2], &ranges[3], NULL));
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
    CHECK_OK(ctx, tiledb_query_get_plan(ctx, query, &plan));
    snprintf(expected, sizeof expected, "\"Query.Strategy.Name\": \"%s\"", readers[i / 4][i % 4]);
    const char* text = NULL;
    size_t length = 0;
    CHECK_EQ(tiledb_string_view(plan, &text, &length), TILEDB_OK);
    CHECK(strstr(text, expected) != NULL);
    tiledb_string_free(&plan);
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, a_plan_checks_the_buffers) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_string_t* plan = NULL;
  double maybe[CELLS];
  uint8_t valid[CELLS];
  const int32_t part[4] = {1, 2, 1, 2};
  uint64_t size = sizeof maybe, valid_size = 1, out_size = 1;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", maybe, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  CHECK_ERROR(ctx, tiledb_query_get_plan(ctx, query, &plan),
              "ReaderBase: Buffer sizes check failed; Invalid number of validity cells given for attribute 'maybe' (1 < 24)");
  tiledb_query_free(&query);
  query = whole_read(ctx, array);
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", maybe, &out_size));
  CHECK_FAILS(ctx, tiledb_query_get_plan(ctx, query, &plan), "OutputBufferValidator: Aggregate");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", maybe, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  CHECK_ERROR(ctx, tiledb_query_get_plan(ctx, query, &plan),
              "WriterBase: Buffer sizes check failed; Invalid number of validity cells given for attribute 'maybe' (1 != 24)");
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, part);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", maybe, &size));
  CHECK_FAILS(ctx, tiledb_query_get_plan(ctx, query, &plan), "the subarray must coincide with the tile bounds");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_DELETE);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  CHECK_ERROR(ctx, tiledb_query_get_plan(ctx, query, &plan),
              "Deletes: Cannot initialize deletes; Only supported for sparse arrays");
  CHECK(plan == NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_plan_omits_results_of_aggregates) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_string_t* plan = NULL;
  int32_t numbers[CELLS];
  int64_t sum = 0;
  uint64_t size = sizeof numbers, sum_size = sizeof sum;
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &sum_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_get_plan(ctx, query, &plan));
  CHECK(strstr(text_of(&plan), "\"Query.Attributes\": [\n            \"number\"\n        ],") != NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_plan_initializes_the_query) {
  static const char late[] = "C API: argument `query` is at a too late state of its lifetime";
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = whole_read(ctx, array);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_GT, 1);
  tiledb_channel_operation_t* operation = NULL;
  tiledb_query_channel_t* channel = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  tiledb_string_t* plan = NULL;
  tiledb_query_status_t status;
  int32_t numbers[CELLS];
  double maybe[CELLS];
  uint64_t size = sizeof numbers, maybe_size = sizeof maybe;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, MAKE(query, tiledb_channel_operator_sum, "number"));
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  for (int plans = 0; plans < 2; plans++) {
    CHECK_OK(ctx, tiledb_query_get_plan(ctx, query, &plan));
    CHECK_OK(ctx, tiledb_string_free(&plan));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_EQ(status, TILEDB_INITIALIZED);
  }
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_COL_MAJOR),
              "[TileDB::Query] Error: Cannot set layout after initialization");
  CHECK_ERROR(ctx, tiledb_query_set_subarray_t(ctx, query, subarray),
              "Query: [set_subarray] Setting a subarray on an already initialized query is not supported.");
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", maybe, &maybe_size),
              "[TileDB::Query] Error: Cannot set buffer for new attribute/dimension 'maybe' after initialization");
  CHECK_FAILS(ctx, tiledb_query_set_condition(ctx, query, condition), "initialized query is not supported");
  CHECK_ERROR(ctx, tiledb_query_set_config(ctx, query, config),
              "Query: [set_config] Cannot set config after initialization.");
  CHECK_ERROR(ctx, MAKE(query, tiledb_channel_operator_sum, "number"), late);
  CHECK_ERROR(ctx, tiledb_channel_apply_aggregate(ctx, channel, "sum", operation), late);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof numbers);
  CHECK_OK(ctx, tiledb_aggregate_free(ctx, &operation));
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
  tiledb_query_condition_free(&condition);
  tiledb_subarray_free(&subarray);
  tiledb_config_free(&config);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, blobs_geometries_bools_and_characters_cannot_be_aggregated) {
  static const tiledb_datatype_t types[] = {TILEDB_BLOB, TILEDB_GEOM_WKB, TILEDB_GEOM_WKT, TILEDB_BOOL, TILEDB_CHAR};
  char uri[128];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    tiledb_array_schema_t* schema = new_number_schema(ctx);
    tiledb_channel_operation_t* operation = NULL;
    add_attribute(ctx, schema, "other", types[i], 1, 0);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = whole_read(ctx, array);
    CHECK_FAILS(ctx, MAKE(query, tiledb_channel_operator_sum, "other"), "is not a supported Datatype");
    CHECK_FAILS(ctx, MAKE(query, tiledb_channel_operator_min, "other"), "is not a supported Datatype");
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, overflowing_sums_saturate) {
  const int32_t box[4] = {1, 2, 1, 2}, numbers[4] = {1, 2, 3, 4};
  const struct {
    tiledb_datatype_t type;
    uint64_t value, sum;
  } cases[] = {
      {TILEDB_INT64, INT64_MAX, INT64_MAX}, {TILEDB_INT64, (uint64_t)INT64_MIN, INT64_MAX}, {TILEDB_UINT64, UINT64_MAX, UINT64_MAX}};
  char uri[128];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tiledb_array_schema_t* schema = new_number_schema(ctx);
    uint64_t values[4], sum = 0, sizes[3] = {sizeof values, sizeof numbers, sizeof sum};
    add_attribute(ctx, schema, "wide", cases[i].type, 1, 0);
    create_with(ctx, schema, uri);
    for (int cell = 0; cell < 4; cell++) values[cell] = cases[i].value;
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "wide", values, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", (void*)numbers, &sizes[1]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
    aggregate(ctx, query, tiledb_channel_operator_sum, "wide");
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &sizes[2]));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK(sum == cases[i].sum);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/* Other aggregates than the count are those of the selected cells. */
TEST_WITH(ctx, the_count_of_a_dense_read_includes_cells_that_a_condition_does_not_select) {
  const int32_t numbers[2] = {10, 20}, box[4] = {1, 1, 1, 2};
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  write_box(ctx, uri, 1, box, numbers);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_GT, 10);
  tiledb_query_channel_t* channel = NULL;
  const tiledb_channel_operation_t* count = NULL;
  uint64_t cells = 0, size = sizeof cells, sum_size = 8;
  int64_t sum = 0;
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  CHECK_OK(ctx, tiledb_aggregate_count_get(ctx, &count));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "count", count));
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "count", &cells, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &sum_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(cells, CELLS);
  CHECK_EQ(sum, 20);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
