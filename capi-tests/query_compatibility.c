/*
 * Undocumented behaviour of queries on which programs rely: limits of types, ranges, buffers,
 * budgets, nulls.
 */
#include <float.h>

#include "arrays.h"

/* Creates a sparse array with one dimension, d, and the attribute a: int32. */
static void create_line(
    tiledb_ctx_t* ctx, tiledb_datatype_t type, const void* bounds, tiledb_layout_t order, int dups, char* uri) {
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", type, bounds, NULL, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, dimension, NULL);
  CHECK_OK(ctx, tiledb_array_schema_set_cell_order(ctx, schema, order));
  CHECK_OK(ctx, tiledb_array_schema_set_allows_dups(ctx, schema, dups));
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
}

/* Writes cells whose attribute is 1, 2, 3 and so on. */
static void write_line(tiledb_ctx_t* ctx, const char* uri, void* cells, uint64_t size, int32_t cell_num) {
  int32_t values[8];
  uint64_t values_size = (uint64_t)cell_num * sizeof *values;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  for (int32_t i = 0; i < cell_num; i++) values[i] = i + 1;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", cells, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", values, &values_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static void create_points(tiledb_ctx_t* ctx, int dups, char* uri) {
  const int32_t bounds[2] = {1, 100};
  int32_t cells[6] = {1, 2, 3, 40, 50, 60};
  create_line(ctx, TILEDB_INT32, bounds, TILEDB_ROW_MAJOR, dups, uri);
  write_line(ctx, uri, cells, sizeof cells, 6);
}

/* Writes the maximum, the minimum and a middle coordinate, and reads them in each layout. */
static void check_ends(
    tiledb_datatype_t type, const void* least, const void* middle, const void* greatest, size_t size) {
  static const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  tiledb_ctx_t* ctx = new_context();
  unsigned char bounds[16], cells[24], found[32];
  char uri[128];
  memcpy(bounds, least, size);
  memcpy(bounds + size, greatest, size);
  memcpy(cells, greatest, size);
  memcpy(cells + size, least, size);
  memcpy(cells + 2 * size, middle, size);
  for (int hilbert = 0; hilbert < 2; hilbert++) {
    create_line(ctx, type, bounds, hilbert ? TILEDB_HILBERT : TILEDB_ROW_MAJOR, 0, uri);
    write_line(ctx, uri, cells, 3 * size, 3);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    for (int i = 0; i < 4; i++) {
      int32_t values[4];
      uint64_t found_size = 4 * size, values_size = sizeof values;
      tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", found, &found_size));
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", values, &values_size));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(found_size, 3 * size);
      CHECK_EQ(values_size, 12);
      CHECK(memcmp(found, least, size) == 0 && memcmp(found + size, middle, size) == 0);
      CHECK(memcmp(found + 2 * size, greatest, size) == 0);
      CHECK(values[0] == 2 && values[1] == 3 && values[2] == 1);
      tiledb_query_free(&query);
    }
    int32_t is_empty = 9;
    CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, found, &is_empty));
    CHECK_EQ(is_empty, 0);
    CHECK(memcmp(found, bounds, 2 * size) == 0);
    close_array(ctx, &array);
  }
  tiledb_ctx_free(&ctx);
}

#define CHECK_ENDS(type, value_type, least, middle, greatest)        \
  do {                                                               \
    const value_type ends[3] = {(least), (middle), (greatest)};      \
    check_ends(type, &ends[0], &ends[1], &ends[2], sizeof *ends);    \
  } while (0)

TEST(coordinates_of_sparse_arrays_reach_the_ends_of_their_types) {
  CHECK_ENDS(TILEDB_INT8, int8_t, INT8_MIN, 0, INT8_MAX - 1);
  CHECK_ENDS(TILEDB_UINT8, uint8_t, 0, 100, UINT8_MAX - 1);
  CHECK_ENDS(TILEDB_INT16, int16_t, INT16_MIN, 0, INT16_MAX - 1);
  CHECK_ENDS(TILEDB_UINT16, uint16_t, 0, 100, UINT16_MAX - 1);
  CHECK_ENDS(TILEDB_INT32, int32_t, INT32_MIN, 0, INT32_MAX - 1);
  CHECK_ENDS(TILEDB_UINT32, uint32_t, 0, 100, UINT32_MAX - 1);
  CHECK_ENDS(TILEDB_INT64, int64_t, INT64_MIN + 1, 0, INT64_MAX);
  CHECK_ENDS(TILEDB_UINT64, uint64_t, 0, 100, UINT64_MAX - 1);
  CHECK_ENDS(TILEDB_FLOAT32, float, -FLT_MAX, 0, FLT_MAX);
  CHECK_ENDS(TILEDB_FLOAT64, double, -DBL_MAX, 0, DBL_MAX);
  CHECK_ENDS(TILEDB_DATETIME_NS, int64_t, INT64_MIN + 1, 0, INT64_MAX);
  CHECK_ENDS(TILEDB_TIME_AS, int64_t, INT64_MIN + 1, 0, INT64_MAX);
}

TEST(cells_in_several_ranges_are_returned_once_unordered_and_repeatedly_in_row_major_order) {
  static const int32_t in_no_order[] = {1, 2, 3, 4, 5, 6};
  tiledb_ctx_t* plain = new_context();
  char uri[128];
  for (int i = 0; i < 8; i++) {
    const int dups = i & 1, merge = i >> 1 & 1, rows = i >> 2 & 1;
    const int32_t ranges[6] = {1, 50, 2, 60, 40, 40};
    tiledb_ctx_t* ctx = context_with("sm.merge_overlapping_ranges_experimental", merge ? "true" : "false");
    tiledb_query_t* query = NULL;
    int32_t values[16], sum = 0;
    uint64_t size = sizeof values;
    create_points(plain, dups, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    for (int range = 0; range < 6; range += 2)
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &ranges[range], &ranges[range + 1], NULL));
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, rows ? TILEDB_ROW_MAJOR : TILEDB_UNORDERED));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", values, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size / sizeof *values, rows ? 11 : 6);
    if (!rows) CHECK(memcmp(values, in_no_order, sizeof in_no_order) == 0);
    for (uint64_t cell = 0; cell < size / sizeof *values; cell++) sum += values[cell];
    CHECK_EQ(sum, rows ? 1 + 2 * 2 + 2 * 3 + 3 * 4 + 2 * 5 + 6 : 21);
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_ctx_free(&ctx);
  }
  tiledb_ctx_free(&plain);
}

TEST_WITH(ctx, a_started_read_accepts_new_buffers_but_no_other_changes) {
  static const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  char uri[128];
  for (int i = 0; i < 6; i++) {
    int32_t some[3], rest[8], coordinates[8], one = 1;
    uint64_t some_size = sizeof some, rest_size = sizeof rest, coordinates_size = sizeof coordinates;
    create_points(ctx, i & 1, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i / 2]);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", some, &some_size));
    submit(ctx, query, TILEDB_INCOMPLETE);
    const uint64_t first = some_size / sizeof *some;
    CHECK(first > 0 && some[0] == 1);
    CHECK_ERROR(
        ctx, tiledb_query_set_data_buffer(ctx, query, "d", coordinates, &coordinates_size),
        "[TileDB::Query] Error: Cannot set buffer for new attribute/dimension 'd' after initialization");
    CHECK_EQ(
        tiledb_query_set_layout(ctx, query, layouts[(i / 2 + 1) % 3]), TILEDB_ERR);
    tiledb_query_condition_t* condition = compare(ctx, "a", &one, sizeof one, TILEDB_GT);
    CHECK_EQ(tiledb_query_set_condition(ctx, query, condition), TILEDB_ERR);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", rest, &rest_size));
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK(rest_size >= sizeof *rest && first + rest_size / sizeof *rest <= 6);
    CHECK_EQ(rest[0], (int32_t)first + 1);
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, values_to_update_are_for_queries_that_update) {
  static const tiledb_query_type_t types[] = {TILEDB_READ, TILEDB_WRITE, TILEDB_DELETE};
  char uri[128];
  int32_t value = 5;
  tiledb_array_t* array = NULL;
  create_points(ctx, 0, uri);
  for (int i = 0; i < 3; i++) {
    tiledb_query_t* query = NULL;
    array = open_array(ctx, uri, types[i]);
    CHECK_OK(ctx, tiledb_query_alloc(ctx, array, types[i], &query));
    CHECK_ERROR(
        ctx, tiledb_query_add_update_value(ctx, query, "a", &value, sizeof value),
        "[TileDB::Query] Error: Cannot add query update value; Operation only applicable to update queries");
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_EQ(tiledb_array_open(ctx, array, TILEDB_UPDATE), TILEDB_ERR);
  tiledb_array_free(&array);
}

TEST(an_insufficient_memory_budget_is_reported) {
  tiledb_ctx_t *plain = new_context(), *ctx = context_with("sm.mem.total_budget", "10");
  const int32_t box[4] = {1, ROWS, 1, COLUMNS};
  int32_t values[CELLS];
  uint64_t size = sizeof values;
  char uri[128];
  create_with(plain, new_number_schema(plain), uri);
  tiledb_array_t* array = open_array(plain, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(plain, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
  memset(values, 1, sizeof values);
  CHECK_OK(plain, tiledb_query_set_data_buffer(plain, query, "number", values, &size));
  submit(plain, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(plain, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", values, &size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "DenseReader: Memory budget is too small to open array");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  for (int dups = 0; dups < 2; dups++) {
    create_points(plain, dups, uri);
    array = open_array(ctx, uri, TILEDB_READ);
    query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", values, &size));
    CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "SparseIndexReaderBase: Cannot set array memory budget (");
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  tiledb_ctx_free(&ctx);
  tiledb_ctx_free(&plain);
}

TEST_WITH(ctx, a_query_has_a_layout_before_one_is_set) {
  static const tiledb_query_type_t types[] = {TILEDB_READ, TILEDB_WRITE, TILEDB_DELETE};
  char uri[128];
  create_points(ctx, 0, uri);
  for (int i = 0; i < 3; i++) {
    tiledb_array_t* array = open_array(ctx, uri, types[i]);
    tiledb_query_t* query = NULL;
    tiledb_layout_t layout = TILEDB_HILBERT;
    CHECK_OK(ctx, tiledb_query_alloc(ctx, array, types[i], &query));
    CHECK_OK(ctx, tiledb_query_get_layout(ctx, query, &layout));
    CHECK_EQ(layout, types[i] == TILEDB_READ ? TILEDB_ROW_MAJOR : TILEDB_UNORDERED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, ranges_of_dense_reads_come_in_the_order_they_were_added) {
  static const int32_t rows[] = {3, 3, 4, 4, 1, 1}, columns[] = {5, 6, 2, 2};
  static const int32_t by_row[] = {16, 17, 13, 22, 23, 19, 4, 5, 1}, by_column[] = {16, 22, 4, 17, 23, 5, 13, 19, 1};
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  int32_t numbers[CELLS];
  for (int i = 0; i < CELLS; i++) numbers[i] = i;
  write_box(ctx, uri, 1, whole, numbers);
  for (int i = 0; i < 4; i++) {
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    int32_t values[CELLS];
    uint64_t size = sizeof values, num = 0;
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_set_coalesce_ranges(ctx, subarray, i & 1));
    for (int range = 0; range < 6; range += 2)
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &rows[range], &rows[range + 1], NULL));
    for (int range = 0; range < 4; range += 2)
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &columns[range], &columns[range + 1], NULL));
    CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &num));
    CHECK_EQ(num, i & 1 ? 2 : 3);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, i < 2 ? TILEDB_ROW_MAJOR : TILEDB_COL_MAJOR);
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", values, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, sizeof by_row);
    CHECK(memcmp(values, i < 2 ? by_row : by_column, size) == 0);
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, empty_strings_survive_all_filters) {
  static const tiledb_filter_type_t filters[] = {
      TILEDB_FILTER_RLE,   TILEDB_FILTER_DICTIONARY, TILEDB_FILTER_GZIP,        TILEDB_FILTER_BZIP2,       TILEDB_FILTER_LZ4,
      TILEDB_FILTER_ZSTD, TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_CHECKSUM_MD5};
  static const uint64_t offsets[3][6] = {{0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 3, 3}, {0, 2, 2, 2, 2, 4}}, sizes[3] = {0, 3, 4};
  static const int32_t box[4] = {1, 2, 1, 3};
  char uri[128];
  for (int i = 0; i < 24; i++) {
    const int kind = i % 3;
    tiledb_array_schema_t* schema = new_number_schema(ctx);
    tiledb_attribute_t* attribute = new_attribute(ctx, "t", TILEDB_STRING_ASCII);
    tiledb_filter_list_t* list = filter_list(ctx, 1, &filters[i / 3]);
    int32_t numbers[6] = {0};
    char text[] = "abcd", found[32];
    uint64_t numbers_size = sizeof numbers, text_size = sizes[kind], starts[6], starts_size = sizeof starts;
    CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
    CHECK_OK(ctx, tiledb_attribute_set_filter_list(ctx, attribute, list));
    CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
    tiledb_filter_list_free(&list);
    create_with(ctx, schema, uri);
    memcpy(starts, offsets[kind], sizeof starts);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &numbers_size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", text, &text_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &starts_size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    text_size = sizeof found;
    memset(starts, 1, sizeof starts);
    array = open_array(ctx, uri, TILEDB_READ);
    query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", found, &text_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &starts_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(text_size, sizes[kind]);
    CHECK(memcmp(found, text, text_size) == 0);
    CHECK(memcmp(starts, offsets[kind], sizeof starts) == 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/* Returns the coordinates whose field is null, or is not null, as bits. */
static uint32_t nulls_of(tiledb_ctx_t* ctx, const char* uri, const char* name, tiledb_query_condition_op_t op) {
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  int32_t coordinates[4];
  uint64_t size = sizeof coordinates;
  uint32_t found = 0;
  tiledb_query_condition_t* condition = compare(ctx, name, NULL, 0, op);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", coordinates, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  for (uint64_t i = 0; i < size / sizeof *coordinates; i++) found |= 1u << coordinates[i];
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return found;
}

TEST_WITH(ctx, nulls_are_found_whatever_the_type) {
  /* Any number of values, including 0. */
  static const struct {
    tiledb_datatype_t type;
    uint32_t values;
  } kinds[] = {
      {TILEDB_INT32, 1},       {TILEDB_INT32, 2},       {TILEDB_INT32, 0},        {TILEDB_FLOAT64, 1},
      {TILEDB_BOOL, 1},        {TILEDB_BLOB, 1},        {TILEDB_BLOB, 0},         {TILEDB_CHAR, 0},
      {TILEDB_STRING_ASCII, 1}, {TILEDB_STRING_UTF8, 1}, {TILEDB_STRING_ASCII, 0}, {TILEDB_STRING_UTF8, 0},
      {TILEDB_STRING_UCS4, 0}, {TILEDB_ANY, 0},         {TILEDB_GEOM_WKB, 0}};
  const int32_t bounds[2] = {1, 10};
  char uri[128];
  for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
    tiledb_dimension_t* dimension = NULL;
    tiledb_query_t* query = NULL;
    int32_t coordinates[4] = {1, 2, 3, 4};
    uint64_t data[16] = {0}, offsets[4], coordinates_size = sizeof coordinates, offsets_size = sizeof offsets, size, validity_size = 4;
    uint8_t validity[4] = {1, 0, 1, 0};
    const int is_var = kinds[index].values == 0;
    const uint64_t cell = tiledb_datatype_size(kinds[index].type) * (is_var ? 1 : kinds[index].values);
    CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, NULL, &dimension));
    tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, dimension, NULL);
    add_attribute(ctx, schema, "a", kinds[index].type, is_var ? TILEDB_VAR_NUM : kinds[index].values, 1);
    create_with(ctx, schema, uri);
    for (uint64_t i = 0; i < 4; i++) offsets[i] = i * cell;
    size = 4 * cell;
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", coordinates, &coordinates_size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", data, &size));
    if (is_var) CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "a", offsets, &offsets_size));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "a", validity, &validity_size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    CHECK_EQ(nulls_of(ctx, uri, "a", TILEDB_EQ), 1u << 2 | 1u << 4);
    CHECK_EQ(nulls_of(ctx, uri, "a", TILEDB_NE), 1u << 1 | 1u << 3);
  }
}

/* TileDB-SOMA reads with its own configuration in this way. */
TEST(a_query_has_the_configuration_of_the_context_that_it_is_made_in) {
  const char *budget = "sm.mem.total_budget", *found = NULL;
  char* counted = NULL;
  int32_t cells[CELLS];
  uint64_t room = sizeof cells;
  tiledb_ctx_t *one = context_with(budget, "1000000"), *other = context_with(budget, "3000000");
  char uri[128];
  tiledb_array_t* array = NULL;
  tiledb_config_t* own = config_with(budget, "2000000");
  create_with(one, new_number_schema(one), uri);
  CHECK_OK(one, tiledb_array_alloc(one, uri, &array));
  CHECK_OK(one, tiledb_array_set_config(one, array, own));
  tiledb_config_free(&own);
  CHECK_OK(one, tiledb_array_open(one, array, TILEDB_READ));
  for (int i = 0; i < 2; i++) {
    tiledb_error_t* error = NULL;
    tiledb_query_t* query = NULL;
    tiledb_ctx_t* ctx = i ? other : one;
    CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    CHECK_OK(ctx, tiledb_query_get_config(ctx, query, &own));
    CHECK_EQ(tiledb_config_get(own, budget, &found, &error), TILEDB_OK);
    CHECK_TEXT(found, i ? "3000000" : "1000000");
    tiledb_config_free(&own);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_set_subarray(ctx, subarray, whole));
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    tiledb_subarray_free(&subarray);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &room));
    CHECK_OK(ctx, tiledb_ctx_get_stats(ctx, &counted));
    CHECK(strstr(counted, "Context.Query.Reader.dowork") == NULL);
    tiledb_stats_free_str(&counted);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_OK(ctx, tiledb_ctx_get_stats(ctx, &counted));
    CHECK(strstr(counted, "Context.Query.Reader.dowork") != NULL);
    tiledb_stats_free_str(&counted);
    tiledb_query_free(&query);
  }
  close_array(one, &array);
  tiledb_ctx_free(&one);
  tiledb_ctx_free(&other);
}

TEST(reads_without_threads_fail) {
  tiledb_ctx_t *plain = new_context(), *ctx = context_with("sm.io_concurrency_level", "0");
  const int32_t cells[3] = {1, 2, 3};
  int32_t found[3];
  uint64_t room = sizeof found;
  char uri[128];
  create_with(plain, new_line_schema(plain, TILEDB_SPARSE, 10, 5, 0), uri);
  write_points(plain, uri, 1, 3, cells, cells);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", found, &room));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "Invalid task future");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
  ctx = context_with("sm.compute_concurrency_level", "0");
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_READ), "Invalid task future");
  tiledb_array_free(&array);
  tiledb_ctx_free(&ctx);
  tiledb_ctx_free(&plain);
}

TEST_WITH(ctx, a_read_continues_after_its_array_was_closed) {
  for (int sparse = 0; sparse < 2; sparse++) {
    char uri[128];
    int32_t numbers[2] = {0, 0}, x[4] = {1, 2, 3, 4};
    uint64_t size = sizeof numbers;
    const int32_t box[4] = {1, 1, 1, 4};
    create_with(ctx, sparse ? new_line_schema(ctx, TILEDB_SPARSE, 4, 4, 0) : new_number_schema(ctx), uri);
    if (sparse) write_points(ctx, uri, 1, 4, x, x);
    else write_box(ctx, uri, 1, box, x);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = sparse ? query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED)
                                   : new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
    submit(ctx, query, TILEDB_INCOMPLETE);
    CHECK_EQ(numbers[1], 2);
    close_array(ctx, &array);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, sizeof numbers);
    CHECK_EQ(numbers[0], 3);
    CHECK_EQ(numbers[1], 4);
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
  }
}

TEST_WITH(ctx, a_write_in_global_order_continues_after_its_array_was_closed) {
  char uri[128];
  int32_t x[2] = {1, 2}, found[4] = {0, 0, 0, 0};
  uint64_t size = sizeof x, found_size = sizeof found;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 4, 4, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", x, &size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  x[0] = 3;
  x[1] = 4;
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  CHECK_OK(ctx, tiledb_array_reopen(ctx, array));
  query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", found, &found_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(found_size, sizeof found);
  CHECK_EQ(found[3], 4);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
