/*
 * Aggregates that libtiledb rejects or computes otherwise. docs/differences lists them.
 */
#include "labels.h"

enum { POINTS = 20 };

/* Creates a sparse line with the points from 1 to POINTS, whose numbers are 10 x. */
static void line_of_points(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[POINTS], numbers[POINTS];
  for (int i = 0; i < POINTS; i++) x[i] = i + 1, numbers[i] = 10 * (i + 1);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  write_points(ctx, uri, 1, POINTS, x, numbers);
}

TEST_WITH(ctx, the_mean_of_partially_written_tiles_is_that_of_the_written_cells) {
  const int32_t box[4] = {1, 1, 1, 2}, numbers[2] = {10, 20};
  char uri[128];
  double mean = 0;
  uint64_t size = sizeof mean;
  create_with(ctx, new_number_schema(ctx), uri);
  write_box(ctx, uri, 1, box, numbers);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  aggregate(ctx, query, tiledb_channel_operator_mean, "number");
  set_data(ctx, query, "out", &mean, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(mean == 15);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, aggregates_of_partly_written_tiles_without_valid_cells_are_null) {
  char uri[128];
  int64_t numbers[4] = {1, 2, 3, 4};
  uint8_t validities[4] = {0, 0, 0, 0};
  const int32_t ends[2] = {1, 4};
  uint64_t sizes[2] = {sizeof numbers, sizeof validities};
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "x", 8, 8), NULL);
  add_attribute(ctx, schema, "a", TILEDB_INT64, 1, 1);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, ends[0], ends[1]);
  tiledb_query_t* query = query_on(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, subarray);
  set_data(ctx, query, "a", numbers, &sizes[0]);
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "a", validities, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  const tiledb_channel_operator_t* operators[4] = {
      tiledb_channel_operator_sum, tiledb_channel_operator_min, tiledb_channel_operator_max,
      tiledb_channel_operator_mean};
  for (int i = 0; i < 4; i++) {
    int64_t result = 7;
    uint8_t validity = 7;
    uint64_t size = sizeof result, validity_size = 1;
    subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 8);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    aggregate(ctx, query, operators[i], "a");
    set_data(ctx, query, "out", &result, &size);
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "out", &validity, &validity_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(validity, 0);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, sums_are_exact_if_those_of_their_tiles_overflow) {
  int64_t numbers[6] = {INT64_MAX, INT64_MAX, INT64_MIN / 2, INT64_MIN / 2, -5, -5};
  for (int sparse = 0; sparse < 2; sparse++) {
    char uri[128];
    int32_t x[6] = {1, 2, 3, 4, 5, 6};
    int64_t sum = 0;
    uint64_t sizes[3] = {sizeof x, sizeof numbers, sizeof sum};
    tiledb_array_schema_t* schema =
        schema_on(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE, new_dimension(ctx, "x", 6, 2), NULL);
    if (sparse) CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, schema, 2));
    add_attribute(ctx, schema, "a", TILEDB_INT64, 1, 0);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR);
    if (sparse) set_data(ctx, query, "x", x, &sizes[0]);
    set_data(ctx, query, "a", numbers, &sizes[1]);
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    query = query_all(ctx, array, TILEDB_READ, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &x[0], &x[5], NULL));
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    aggregate(ctx, query, tiledb_channel_operator_sum, "a");
    set_data(ctx, query, "out", &sum, &sizes[2]);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(sum, INT64_MAX - 11);
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/* Times in nanoseconds, of which six exceed 64 bits. */
TEST_WITH(ctx, means_are_exact_if_the_sum_overflows) {
  for (int sparse = 0; sparse < 2; sparse++) {
    char uri[128];
    int32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t times[8];
    uint8_t valid[8] = {1, 1, 1, 1, 1, 1, 1, 1}, validity = 0;
    double mean = 0;
    uint64_t sizes[5] = {sizeof x, sizeof times, sizeof valid, sizeof mean, sizeof validity};
    for (int i = 0; i < 8; i++) times[i] = INT64_C(1700000000000000000);
    tiledb_array_schema_t* schema =
        schema_on(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE, new_dimension(ctx, "x", 8, 8), NULL);
    add_attribute(ctx, schema, "a", TILEDB_INT64, 1, 1);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR);
    if (sparse) set_data(ctx, query, "x", x, &sizes[0]);
    set_data(ctx, query, "a", times, &sizes[1]);
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "a", valid, &sizes[2]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    query = query_all(ctx, array, TILEDB_READ, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 8);
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    aggregate(ctx, query, tiledb_channel_operator_mean, "a");
    set_data(ctx, query, "out", &mean, &sizes[3]);
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "out", &validity, &sizes[4]));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(validity, 1);
    CHECK(mean == 1.7e18);
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, aggregates_of_sparse_reads_are_computed_with_cells_in_every_layout) {
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  char uri[128];
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 4; i++) {
    int32_t numbers[POINTS];
    int64_t sum = 0;
    uint64_t sizes[2] = {sizeof numbers, sizeof sum};
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    aggregate(ctx, query, tiledb_channel_operator_sum, "number");
    set_data(ctx, query, "number", numbers, &sizes[0]);
    set_data(ctx, query, "out", &sum, &sizes[1]);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(sum, 10 * POINTS * (POINTS + 1) / 2);
    CHECK_EQ(sizes[0], sizeof numbers);
    CHECK_EQ(numbers[POINTS - 1], 10 * POINTS);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, aggregates_of_incomplete_reads_count_each_cell_once) {
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_ROW_MAJOR, TILEDB_GLOBAL_ORDER};
  char uri[128];
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    int32_t numbers[3];
    int64_t sum = 0;
    uint64_t sizes[2] = {sizeof numbers, sizeof sum};
    int cells = 0;
    tiledb_query_status_t status = TILEDB_INCOMPLETE;
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    aggregate(ctx, query, tiledb_channel_operator_sum, "number");
    set_data(ctx, query, "number", numbers, &sizes[0]);
    set_data(ctx, query, "out", &sum, &sizes[1]);
    while (status == TILEDB_INCOMPLETE) {
      sizes[0] = sizeof numbers;
      CHECK_OK(ctx, tiledb_query_submit(ctx, query));
      CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
      cells += (int)(sizes[0] / sizeof *numbers);
    }
    CHECK_EQ(cells, POINTS);
    CHECK_EQ(sum, 10 * POINTS * (POINTS + 1) / 2);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, extremes_of_strings_of_fixed_length_over_no_cells_are_zeros) {
  char uri[128], least[4] = "???";
  uint64_t size = 3;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "code", TILEDB_STRING_ASCII, 3, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  aggregate(ctx, query, tiledb_channel_operator_min, "code");
  set_data(ctx, query, "out", least, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 3);
  CHECK_EQ(memcmp(least, "\0\0\0", 3), 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, the_least_character_needs_one_byte) {
  char uri[128], least = '?', letters[3] = {'q', 'c', 'x'};
  int32_t x[3] = {1, 2, 3}, numbers[3] = {1, 2, 3};
  uint64_t sizes[3] = {sizeof x, sizeof numbers, sizeof letters}, size = 1;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "letter", TILEDB_STRING_ASCII, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "letter", letters, &sizes[2]);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  aggregate(ctx, query, tiledb_channel_operator_min, "letter");
  set_data(ctx, query, "out", &least, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 1);
  CHECK_EQ(least, 'c');
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, extremes_of_strings_include_zero_bytes) {
  char uri[128], names[] = {'a', 0, 'b', 'a', 0, 'c', 'a'}, greatest[16];
  int32_t x[3] = {1, 2, 3}, numbers[3] = {1, 2, 3};
  uint64_t offsets[3] = {0, 3, 6}, start = 9, start_size = sizeof start;
  uint64_t sizes[4] = {sizeof x, sizeof numbers, sizeof names, sizeof offsets}, size = sizeof greatest;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "name", names, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", offsets, &sizes[3]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  aggregate(ctx, query, tiledb_channel_operator_max, "name");
  set_data(ctx, query, "out", greatest, &size);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "out", &start, &start_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 3);
  CHECK_EQ(start, 0);
  CHECK_EQ(memcmp(greatest, "a\0c", 3), 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, aggregates_of_label_ranges_are_computed_without_cells) {
  char uri[128];
  int64_t sum = 0;
  uint64_t size = sizeof sum;
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  set_data(ctx, query, "out", &sum, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sum, 12 + 13 + 14);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, aggregates_of_coordinates_in_dense_reads_use_the_right_cells_in_every_layout) {
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  const int32_t all[4] = {1, 6, 1, 6}, box[4] = {2, 3, 1, 6};
  int32_t numbers[36];
  char uri[128];
  for (int i = 0; i < 36; i++) numbers[i] = i;
  tiledb_array_schema_t* schema =
      schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "row", 6, 3), new_dimension(ctx, "column", 6, 1));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  write_box(ctx, uri, 1, all, numbers);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    int64_t sum = 0;
    uint64_t size = sizeof sum;
    tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, layouts[i], box);
    aggregate(ctx, query, tiledb_channel_operator_sum, "row");
    set_data(ctx, query, "out", &sum, &size);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(sum, 6 * (2 + 3));
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}
