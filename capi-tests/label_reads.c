/* Reads by label ranges, and of label values. */
#include "labels.h"

TEST_WITH(ctx, cells_are_read_by_ranges_of_labels) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const struct {
    const char* label;
    double first, last;
    int32_t from, to;
  } found[] = {
      {"up", 0, 4.5, 10, 19}, {"up", -9, 9, 10, 19},  {"up", .5, .5, 11, 11},   {"up", .6, 1, 12, 12},
      {"up", 4.4, 9, 19, 19}, {"up", -2, 0, 10, 10},  {"down", -2, -1, 11, 12}, {"down", -9.5, -7.5, 18, 19},
      {"down", -.5, 5, 10, 10},
  };
  const double empty[][2] = {{.6, .9}, {-3, -1}, {5, 9}};
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, label_range(ctx, subarray, found[i].label, found[i].first, found[i].last));
    numbers_are(ctx, array, &subarray, found[i].from, found[i].to);
  }
  for (size_t i = 0; i < 3; i++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    int32_t numbers[LENGTH];
    uint64_t size = sizeof numbers;
    CHECK_OK(ctx, label_range(ctx, subarray, "up", empty[i][0], empty[i][1]));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    set_data(ctx, query, "number", numbers, &size);
    CHECK_ERROR(
        ctx, tiledb_query_submit(ctx, query),
        "DimensionLabelQuery: Failed to process and update index ranges for label 'up'. OrderedDimLabelReader: Range "
        "contained no values");
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, label_texts_out_of_order_are_rejected) {
  char uri[128];
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  const char texts[] = "abbbcdeeeefge";
  const uint64_t offsets[LENGTH] = {0, 1, 2, 4, 5, 6, 7, 10, 11, 12};
  uint64_t size = strlen(texts), offsets_size = sizeof offsets;
  tiledb_subarray_t* none = NULL;
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "text", texts, &size);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", (uint64_t*)offsets, &offsets_size));
  /* The values a b bb c d e eee f g e: the last one is out of order. */
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to process data query for label 'text'. WriterBase: The data for attribute 'label' is "
      "not in the expected order.");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, cells_are_read_by_ranges_of_texts) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const struct {
    const char *first, *last;
    int32_t from, to;
  } found[] = {{"a", "z", 10, 19}, {"b", "bb", 11, 12}, {"", "b", 10, 11}, {"d", "e", 14, 15}, {"ba", "bz", 12, 12}};
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, text_range(ctx, subarray, found[i].first, found[i].last));
    numbers_are(ctx, array, &subarray, found[i].from, found[i].to);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, label_values_are_read_together_with_cells) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t *subarray = new_subarray(ctx, array), *of_query = NULL;
  double values[2][LENGTH];
  int32_t numbers[LENGTH], has = 0;
  char texts[32];
  uint64_t offsets[LENGTH];
  uint64_t sizes[5] = {sizeof *values, sizeof *values, sizeof texts, sizeof offsets, sizeof numbers}, number = 0;
  CHECK_OK(ctx, label_range(ctx, subarray, "down", -2, -1));
  CHECK_OK(ctx, label_range(ctx, subarray, "down", -8, -7));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values[0], &sizes[0]);
  set_data(ctx, query, "down", values[1], &sizes[1]);
  set_data(ctx, query, "text", texts, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", offsets, &sizes[3]));
  set_data(ctx, query, "number", numbers, &sizes[4]);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], 4 * sizeof(double));
  CHECK(values[0][0] == .5 && values[0][1] == 1 && values[0][2] == 3.5 && values[0][3] == 4);
  CHECK(values[1][0] == -1 && values[1][3] == -8);
  CHECK_EQ(sizes[2], 5);
  CHECK(memcmp(texts, "bbbfg", 5) == 0);
  CHECK_EQ(offsets[3], 4);
  CHECK_EQ(sizes[4], 4 * sizeof(int32_t));
  CHECK(numbers[0] == 11 && numbers[1] == 12 && numbers[2] == 17 && numbers[3] == 18);
  /* The index ranges are in the query's own subarray. */
  CHECK_OK(ctx, tiledb_query_get_subarray_t(ctx, query, &of_query));
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, of_query, 0, &number));
  CHECK_EQ(number, 2);
  CHECK_OK(ctx, tiledb_subarray_has_label_ranges(ctx, of_query, 0, &has));
  CHECK_EQ(has, 1);
  tiledb_subarray_free(&of_query);
  tiledb_query_free(&query);
  /* By index ranges, with label buffers only. */
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 9, 10);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  sizes[0] = sizeof *values;
  set_data(ctx, query, "up", values[0], &sizes[0]);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], 2 * sizeof(double));
  CHECK(values[0][0] == 4 && values[0][1] == 4.5);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, label_reads_continue_after_full_buffers) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  double values[3], all[LENGTH];
  uint64_t size = sizeof values;
  size_t got = 0;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  add_range(ctx, subarray, 2, 9);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  while (status == TILEDB_INCOMPLETE) {
    size = sizeof values;
    set_data(ctx, query, "up", values, &size);
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK(size > 0 && got + size / sizeof *values <= LENGTH);
    memcpy(all + got, values, size);
    got += size / sizeof *values;
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(got, 8);
  CHECK(memcmp(all, up + 1, 8 * sizeof *up) == 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Checks that `number` elements from the index `first` on are a part of `end` elements that
 * continues the part before, repeats it, or starts again. Sets `next` to the index after the part
 * and `before` to `first`.
 */
static void check_part(size_t first, size_t number, size_t* next, size_t* before, size_t end) {
  CHECK(number > 0 && first + number <= end);
  CHECK(first == *next || first == *before || first == 0);
  *before = first;
  *next = first + number;
}

/*
 * Reads the cells 2 to 9 with buffers for a number of cells and of label values; 0 is no buffer.
 * Checks that the submits deliver all of them. The cell i, counted from 0, has the number 10 + i
 * and the label value i / 2.
 */
static void check_parts(
    tiledb_ctx_t* ctx, tiledb_array_t* array, size_t cell_num, size_t value_num, int by_label) {
  enum { END = 8 };
  double values[END];
  int32_t numbers[END];
  size_t next_value = 0, next_cell = 0, value_before = 0, cell_before = 0, submits = 0;
  int values_end = value_num == 0, cells_end = cell_num == 0;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  if (by_label) {
    CHECK_OK(ctx, label_range(ctx, subarray, "down", -8, -1));
  } else {
    add_range(ctx, subarray, 2, 9);
  }
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  while (status == TILEDB_INCOMPLETE && submits++ < 4 * END) {
    uint64_t values_size = value_num * sizeof *values, numbers_size = cell_num * sizeof *numbers;
    if (value_num > 0) set_data(ctx, query, "up", values, &values_size);
    if (cell_num > 0) set_data(ctx, query, "number", numbers, &numbers_size);
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    if (value_num > 0) {
      size_t number = values_size / sizeof *values, first = (size_t)(2 * values[0]) - 1;
      check_part(first, number, &next_value, &value_before, END);
      CHECK(memcmp(values, up + 1 + first, values_size) == 0);
      values_end |= next_value == END;
    }
    if (cell_num > 0) {
      size_t number = numbers_size / sizeof *numbers, first = (size_t)(numbers[0] - 11);
      check_part(first, number, &next_cell, &cell_before, END);
      for (size_t i = 0; i < number; i++) CHECK_EQ(numbers[i], 11 + first + i);
      cells_end |= next_cell == END;
    }
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK(values_end && cells_end);
  tiledb_query_free(&query);
}

TEST_WITH(ctx, cells_and_label_values_continue_where_their_parts_end) {
  char uri[128];
  const size_t sizes[][2] = {{3, 8}, {8, 3}, {3, 5}, {3, 0}, {0, 5}};
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    check_parts(ctx, array, sizes[i][0], sizes[i][1], 0);
    check_parts(ctx, array, sizes[i][0], sizes[i][1], 1);
  }
  close_array(ctx, &array);
}

/* Writes the points 1 to LENGTH with a field whose values are given. */
static void write_field(tiledb_ctx_t* ctx, const char* uri, const char* name, const void* data, uint64_t size) {
  int32_t points[LENGTH];
  uint64_t points_size = sizeof points;
  tiledb_subarray_t* none = NULL;
  for (int32_t i = 0; i < LENGTH; i++) points[i] = i + 1;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  set_data(ctx, query, "x", points, &points_size);
  set_data(ctx, query, name, data, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, cells_and_label_values_of_a_sparse_array_continue_where_their_parts_end) {
  char uri[128];
  int32_t numbers[LENGTH];
  const size_t sizes[][2] = {{3, 8}, {8, 3}, {3, 5}, {0, 5}};
  for (int32_t i = 0; i < LENGTH; i++) numbers[i] = 10 + i;
  create_with(ctx, label_schema(ctx, TILEDB_SPARSE), uri);
  write_field(ctx, uri, "number", numbers, sizeof numbers);
  write_field(ctx, uri, "up", up, sizeof up);
  write_field(ctx, uri, "down", down, sizeof down);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    check_parts(ctx, array, sizes[i][0], sizes[i][1], 0);
    check_parts(ctx, array, sizes[i][0], sizes[i][1], 1);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, invalid_label_queries_are_rejected) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  double values[LENGTH];
  uint64_t size = sizeof values, estimate = 0;
  int32_t five = 5;
  add_range(ctx, subarray, 1, 4);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_ERROR(
      ctx, tiledb_query_set_offsets_buffer(ctx, query, "up", (uint64_t*)values, &size),
      "Query: [set_offsets_buffer] Input dimension label 'up' is fixed-sized");
  CHECK_ERROR(
      ctx, tiledb_query_set_validity_buffer(ctx, query, "up", (uint8_t*)values, &size),
      "[TileDB::Query] Error: Cannot set buffer; Buffer name 'up' is not an attribute");
  CHECK_ERROR(
      ctx, tiledb_query_get_est_result_size(ctx, query, "up", &estimate),
      "Subarray: Cannot get estimated result size; there is no field named 'up'");
  set_data(ctx, query, "up", values, &size);
  tiledb_query_condition_t* condition = compare(ctx, "number", &five, sizeof five, TILEDB_GT);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "Query: Cannot init query; Using query conditions and dimension labels together is not supported.");
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 4);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
  set_data(ctx, query, "up", values, &size);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "Query: Cannot init query; The global order layout is not supported when querying dimension labels");
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values, &size);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to process data query for label 'up'. DenseReader: Cannot initialize reader; Dense "
      "reads must have a subarray set");
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 4);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_ERROR(
      ctx, tiledb_query_set_data_buffer(ctx, query, "down", values, &size),
      "Query: [set_data_buffer] Cannot set buffer for new dimension label 'down' after initialization");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, label_ranges_can_be_combined_with_ranges_of_another_dimension) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  char uri[128];
  add_label(ctx, schema, 0, "above", TILEDB_INCREASING_DATA, TILEDB_INT64);
  add_label(ctx, schema, 1, "adjacent", TILEDB_DECREASING_DATA, TILEDB_INT64);
  create_with(ctx, schema, uri);
  int32_t numbers[CELLS];
  int64_t rows[ROWS] = {10, 20, 30, 40}, columns[COLUMNS] = {60, 50, 40, 30, 20, 10};
  uint64_t sizes[] = {sizeof numbers, sizeof rows, sizeof columns};
  const int32_t all[] = {1, ROWS, 1, COLUMNS}, two = 2, three = 3;
  for (int32_t i = 0; i < CELLS; i++) numbers[i] = i;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, all);
  set_data(ctx, query, "number", numbers, &sizes[0]);
  set_data(ctx, query, "above", rows, &sizes[1]);
  set_data(ctx, query, "adjacent", columns, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int by_label = 0; by_label < 2; by_label++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    const int64_t first[2] = {15, 41}, last[2] = {35, 50};
    uint64_t size = sizeof numbers;
    CHECK_OK(ctx, tiledb_subarray_add_label_range(ctx, subarray, "above", &first[0], &last[0], NULL));
    if (by_label)
      CHECK_OK(ctx, tiledb_subarray_add_label_range(ctx, subarray, "adjacent", &first[1], &last[1], NULL));
    else
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &two, &three, NULL));
    query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_COL_MAJOR));
    sizes[2] = sizeof columns;
    set_data(ctx, query, "number", numbers, &size);
    set_data(ctx, query, "adjacent", columns, &sizes[2]);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, (by_label ? 2 : 4) * sizeof *numbers);
    CHECK(numbers[0] == 7 && numbers[1] == 13);
    CHECK(columns[0] == 50);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}
