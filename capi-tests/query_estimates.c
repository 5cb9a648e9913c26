/* Estimates of result sizes: for each type of field, for written and unwritten cells. */
#include "arrays.h"

static tiledb_array_t* empty_array(tiledb_ctx_t* ctx, char* uri) {
  create_with(ctx, new_schema(ctx), uri);
  return open_array(ctx, uri, TILEDB_READ);
}

/* Checks the estimates for all cells of new_schema, with one letter per name. */
static void check_whole(tiledb_ctx_t* ctx, tiledb_query_t* query) {
  uint64_t one = 0, two = 0;
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &one));
  CHECK_EQ(one, CELLS * sizeof(int32_t));
  CHECK_OK(ctx, tiledb_query_get_est_result_size_var(ctx, query, "name", &one, &two));
  CHECK_EQ(one, CELLS * sizeof(uint64_t));
  CHECK_EQ(two, CELLS);
  CHECK_OK(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, "maybe", &one, &two));
  CHECK_EQ(one, CELLS * sizeof(double));
  CHECK_EQ(two, CELLS);
}

TEST_WITH(ctx, estimates_require_a_field_and_output_pointers) {
  static const char field[] = "C API: Pointer to field name may not be NULL";
  static const char validity[] = "C API: Pointer to validity size may not be NULL";
  char uri[128];
  uint64_t one = 0, two = 0;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size(ctx, query, NULL, NULL), field);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size(ctx, query, "number", NULL), "C API: Pointer to size may not be NULL");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, NULL, NULL, NULL), field);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, "name", NULL, &one),
              "C API: Pointer to offset size may not be NULL");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, "name", &one, NULL),
              "C API: Pointer to value size may not be NULL");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, NULL, NULL, NULL), field);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, "maybe", NULL, &one),
              "C API: Pointer to value size may not be NULL");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, "maybe", &one, NULL), validity);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var_nullable(ctx, query, NULL, NULL, NULL, NULL), field);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var_nullable(ctx, query, "name", &one, &two, NULL), validity);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, results_are_estimated_by_the_kind_of_their_field) {
  char uri[128];
  uint64_t one = 0, two = 0, three = 0;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  check_whole(ctx, query);
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size(ctx, query, "name", &one),
              "Query: query estimated result size: 'name' is not fixed-sized");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size(ctx, query, "maybe", &one),
              "Query: query estimated result size: field 'maybe' is not a nonnull array field");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size(ctx, query, "unknown", &one),
              "Query: query estimated result size: 'unknown' is not an array field");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, "number", &one, &two),
              "Query: query estimated result size: 'number' is not variable-sized");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, "maybe", &one, &two),
              "Query: query estimated result size: 'maybe' is not variable-sized");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, "unknown", &one, &two),
              "Query: query estimated result size: 'unknown' is not an array field");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, "number", &one, &two),
              "Query: query estimated result size: attribute 'number' is not nullable");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var_nullable(ctx, query, "name", &one, &two, &three),
              "Query: query estimated result size: attribute 'name' is not nullable");
  CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var_nullable(ctx, query, "maybe", &one, &two, &three),
              "Query: query estimated result size: 'maybe' is not variable-sized");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static tiledb_array_schema_t* maybe_text_schema(tiledb_ctx_t* ctx, tiledb_array_type_t type) {
  tiledb_array_schema_t* schema = new_line_schema(ctx, type, 4, 2, 0);
  add_attribute(ctx, schema, "text", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 1);
  return schema;
}

/* Offsets, strings and validities of cells of which every second one is null and empty. */
TEST_WITH(ctx, nullable_texts_are_estimated_in_dense_and_sparse_arrays) {
  for (int sparse = 0; sparse < 2; sparse++) {
    char uri[128], text[] = "abab";
    int32_t x[4] = {1, 2, 3, 4}, numbers[4] = {0};
    uint64_t starts[4] = {0, 2, 2, 4}, sizes[5] = {sizeof x, sizeof numbers, 4, sizeof starts, 4};
    uint64_t offsets = 9, bytes = 9, validity = 9;
    uint8_t valid[4] = {1, 0, 1, 0};
    create_with(ctx, maybe_text_schema(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE), uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR);
    if (sparse) CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", text, &sizes[2]));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[3]));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "text", valid, &sizes[4]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 4);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    CHECK_OK(ctx, tiledb_query_get_est_result_size_var_nullable(ctx, query, "text", &offsets, &bytes, &validity));
    CHECK_EQ(offsets, sizeof starts);
    CHECK_EQ(bytes, 4);
    CHECK_EQ(validity, 4);
    CHECK_ERROR(ctx, tiledb_query_get_est_result_size(ctx, query, "text", &bytes),
                "Query: query estimated result size: 'text' is not fixed-sized");
    CHECK_ERROR(ctx, tiledb_query_get_est_result_size_var(ctx, query, "text", &offsets, &bytes),
                "Query: query estimated result size: field 'text' is not a nonnull array field");
    CHECK_ERROR(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, "text", &bytes, &validity),
                "Query: query estimated result size: 'text' is not fixed-sized");
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, coordinates_together_are_estimated_in_dense_arrays_too) {
  char uri[128];
  uint64_t size = 0;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "__coords", &size));
  CHECK_EQ(size, CELLS * 2 * sizeof(int32_t));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Partially written tiles have fill values in the rest. Without tiles, the estimate is that of an
 * empty array.
 */
TEST_WITH(ctx, texts_of_arrays_that_are_written_in_part_are_estimated_by_their_tiles) {
  const struct {
    const char* fill;
    int32_t ranges[2][2];
    int number;
    uint64_t bytes;
  } cases[] = {{"", {{1, 10}}, 1, 10}, {"abc", {{1, 10}}, 1, 30}, {"", {{2, 3}, {9, 10}}, 2, 4}, {"", {{1, 5}}, 1, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char uri[128], text[] = "33444";
    uint64_t starts[2] = {0, 2}, starts_size = sizeof starts, text_size = 5, number = 0, bytes = 0;
    tiledb_attribute_t* attribute = new_attribute(ctx, "text", TILEDB_STRING_ASCII);
    tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "x", 10, 5), NULL);
    CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
    if (cases[i].fill[0] != 0)
      CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, cases[i].fill, strlen(cases[i].fill)));
    CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 3, 4);
    tiledb_query_t* query = query_on(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, subarray);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", text, &text_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &starts_size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    subarray = new_subarray(ctx, array);
    for (int range = 0; range < cases[i].number; range++)
      add_range(ctx, subarray, cases[i].ranges[range][0], cases[i].ranges[range][1]);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    CHECK_OK(ctx, tiledb_query_get_est_result_size_var(ctx, query, "text", &number, &bytes));
    CHECK_EQ(bytes, cases[i].bytes);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/* Unwritten cells count as fill values. */
TEST_WITH(ctx, dense_arrays_without_cells_are_estimated_as_fill_values) {
  char uri[128];
  uint64_t one = 9;
  tiledb_array_t* array = empty_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  check_whole(ctx, query);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &one));
  CHECK_EQ(one, 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Returns the estimated number of cells of the ranges. */
static uint64_t estimated_cells(tiledb_ctx_t* ctx, const char* uri, int number, const int32_t (*ranges)[2]) {
  uint64_t size = 9;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  for (int range = 0; range < number; range++) add_range(ctx, subarray, ranges[range][0], ranges[range][1]);
  tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_UNORDERED, subarray);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_EQ(size % sizeof(int32_t), 0);
  return size / sizeof(int32_t);
}

/* Two fragments with the points 5, 6 and 7 each. */
TEST_WITH(ctx, sparse_results_have_at_most_one_cell_per_coordinate_of_each_range) {
  static const struct {
    int number;
    int32_t ranges[2][2];
    uint64_t expected[2]; /* without and with duplicates */
  } cases[] = {{1, {{5, 7}}, {3, 6}},         {1, {{1, 10}}, {6, 6}},         {1, {{6, 6}}, {1, 2}},
               {2, {{5, 7}, {5, 6}}, {5, 10}}, {2, {{6, 6}, {6, 6}}, {2, 4}}, {2, {{1, 4}, {7, 8}}, {2, 2}}};
  for (int dups = 0; dups < 2; dups++) {
    char uri[128];
    create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, dups), uri);
    for (uint64_t write = 1; write <= 2; write++) {
      int32_t points[3] = {5, 6, 7}, numbers[3] = {0};
      write_points(ctx, uri, write, 3, points, numbers);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      CHECK_EQ(estimated_cells(ctx, uri, cases[i].number, cases[i].ranges), cases[i].expected[dups]);
  }
}

/* A point is an infinitely small part of a rectangle of real numbers, but it may be a cell. */
TEST_WITH(ctx, a_point_between_real_coordinates_is_estimated_as_one_cell) {
  char uri[128];
  double bounds[2] = {0, 1}, x[3] = {0.25, 0.5, 0.75}, point = 0.5;
  int32_t numbers[3] = {1, 2, 3};
  uint64_t x_size = sizeof x, size = sizeof numbers;
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "x", TILEDB_FLOAT64, bounds, NULL, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, dimension, NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &point, &point, NULL));
  query = query_on(ctx, array, TILEDB_READ, TILEDB_UNORDERED, subarray);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  CHECK_EQ(size, sizeof(int32_t));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static void check_relevant(tiledb_ctx_t* ctx, tiledb_query_t* query, uint64_t expected) {
  uint64_t number = 9;
  CHECK_OK(ctx, tiledb_query_get_relevant_fragment_num(ctx, query, &number));
  CHECK_EQ(number, expected);
}

/* Creates three fragments with the points {1, 21}, {2, 22} and {3, 23}. */
TEST_WITH(ctx, relevant_fragments_intersect_the_ranges_of_a_query_that_was_estimated_or_submitted) {
  static const struct {
    int number;
    int32_t ranges[2][2];
    uint64_t expected;
  } cases[] = {{0, {{0}}, 3}, {1, {{22, 40}}, 2}, {1, {{5, 15}}, 3}, {2, {{1, 1}, {23, 23}}, 2}, {1, {{24, 90}}, 0}};
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  for (int32_t write = 1; write <= 3; write++) {
    int32_t points[2] = {write, write + 20}, numbers[2] = {write, write};
    write_points(ctx, uri, (uint64_t)write, 2, points, numbers);
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int submits = 0; submits < 2; submits++) {
      tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
      tiledb_subarray_t* subarray = new_subarray(ctx, array);
      for (int range = 0; range < cases[i].number; range++)
        add_range(ctx, subarray, cases[i].ranges[range][0], cases[i].ranges[range][1]);
      tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_UNORDERED, subarray);
      int32_t numbers[6];
      uint64_t size = sizeof numbers;
      check_relevant(ctx, query, 0);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
      if (submits)
        submit(ctx, query, TILEDB_COMPLETED);
      else
        CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
      /* A submit without ranges determines no fragments. */
      check_relevant(ctx, query, submits && cases[i].number == 0 ? 0 : cases[i].expected);
      tiledb_query_free(&query);
      close_array(ctx, &array);
    }
  }
}

TEST_WITH(ctx, estimates_determine_the_relevant_fragments) {
  char uri[128];
  tiledb_array_t* array = empty_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  uint64_t number = 9, size = 0;
  CHECK_OK(ctx, tiledb_query_get_relevant_fragment_num(ctx, query, &number));
  CHECK_EQ(number, 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = written_array(ctx, uri);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  CHECK_OK(ctx, tiledb_query_get_relevant_fragment_num(ctx, query, &number));
  CHECK_EQ(number, 1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, sizes_are_estimated_after_the_array_was_closed) {
  char uri[128];
  uint64_t size = 0;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  CHECK_EQ(size, CELLS * sizeof(int32_t));
  tiledb_query_free(&query);
}
