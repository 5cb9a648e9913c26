/*
 * Queries that behave otherwise than with libtiledb, where libtiledb crashes, returns wrong results
 * or rejects what it could do. docs/differences lists them.
 */
#include "arrays.h"

enum { POINTS = 20 };

static void set_data(tiledb_ctx_t* ctx, tiledb_query_t* query, const char* name, void* data, uint64_t* size) {
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, data, size));
}

/* Creates a sparse line with the points from 1 to POINTS, whose numbers are 10 x. */
static void line_of_points(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[POINTS], numbers[POINTS];
  for (int i = 0; i < POINTS; i++) x[i] = i + 1, numbers[i] = 10 * (i + 1);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  write_points(ctx, uri, 1, POINTS, x, numbers);
}

TEST_WITH(ctx, the_nesting_of_conditions_is_limited) {
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_LT, 0);
  int levels = 1;
  for (; levels < 2000; levels++) {
    tiledb_query_condition_t *other = number_is(ctx, TILEDB_LT, levels), *both = NULL;
    int32_t code = tiledb_query_condition_combine(
        ctx, condition, other, levels % 2 == 0 ? TILEDB_AND : TILEDB_OR, &both);
    tiledb_query_condition_free(&other);
    if (code != TILEDB_OK) break;
    tiledb_query_condition_free(&condition);
    condition = both;
  }
  CHECK_EQ(levels, 1024);
  CHECK(strstr(harness_error(ctx), "1024") != NULL);
  tiledb_query_condition_free(&condition);
}

TEST_WITH(ctx, dense_reads_in_the_unordered_layout_return_all_cells_by_tile) {
  static const int32_t expected[CELLS] = {0,  1,  2,  6,  7,  8,  3,  4,  5,  9,  10, 11,
                                          12, 13, 14, 18, 19, 20, 15, 16, 17, 21, 22, 23};
  char uri[128];
  int32_t numbers[CELLS];
  tiledb_array_t* array = written_array(ctx, uri);
  CHECK_EQ(read_box(ctx, array, TILEDB_UNORDERED, whole, numbers), CELLS);
  CHECK_EQ(memcmp(numbers, expected, sizeof expected), 0);
  close_array(ctx, &array);
}

TEST_WITH(ctx, overlapping_buffers_are_rejected) {
  char uri[128];
  int32_t memory[2 * POINTS];
  uint64_t sizes[2] = {POINTS * sizeof *memory, POINTS * sizeof *memory};
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  set_data(ctx, query, "x", memory, &sizes[0]);
  set_data(ctx, query, "number", memory + POINTS - 1, &sizes[1]);
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "overlap");
  set_data(ctx, query, "number", memory + POINTS, &sizes[1]);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_null_buffer_of_size_zero_holds_empty_strings) {
  char uri[128], text[8];
  int32_t x[2] = {1, 2}, numbers[2] = {1, 2};
  uint64_t starts[2] = {0, 0}, size = sizeof x, starts_size = sizeof starts, none = 0, text_size = sizeof text;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "text", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  for (int reads = 0; reads < 2; reads++) {
    tiledb_query_type_t type = reads ? TILEDB_READ : TILEDB_WRITE;
    tiledb_array_t* array = open_array(ctx, uri, type);
    tiledb_query_t* query = query_all(ctx, array, type, TILEDB_UNORDERED);
    if (!reads) set_data(ctx, query, "x", x, &size);
    if (!reads) set_data(ctx, query, "number", numbers, &size);
    if (reads) set_data(ctx, query, "text", text, &text_size);
    else set_data(ctx, query, "text", NULL, &none);
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &starts_size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK_EQ(starts_size, sizeof starts);
  CHECK_EQ(text_size, 0);
}

TEST_WITH(ctx, a_subarray_of_an_array_with_another_domain_is_rejected) {
  char uri[128], other_uri[128];
  int32_t x[POINTS];
  uint64_t size = sizeof x;
  line_of_points(ctx, uri);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS + 1, POINTS, 0), other_uri);
  tiledb_array_t *array = open_array(ctx, uri, TILEDB_READ), *again = open_array(ctx, uri, TILEDB_READ);
  tiledb_array_t* other = open_array(ctx, other_uri, TILEDB_READ);
  tiledb_subarray_t *subarray = new_subarray(ctx, again), *foreign = new_subarray(ctx, other);
  add_range(ctx, subarray, 2, 4);
  add_range(ctx, foreign, POINTS + 1, POINTS + 1);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_FAILS(ctx, tiledb_query_set_subarray_t(ctx, query, foreign), "another array");
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  set_data(ctx, query, "x", x, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 3 * sizeof *x);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  tiledb_subarray_free(&foreign);
  close_array(ctx, &array);
  close_array(ctx, &again);
  close_array(ctx, &other);
}

TEST_WITH(ctx, a_read_outside_of_the_current_domain_can_be_repeated_with_another_subarray) {
  char uri[128];
  const int32_t current[4] = {1, 2, 2, 5}, outside[4] = {1, 2, 1, 5};
  int32_t cells[CELLS] = {0};
  uint64_t size = sizeof cells;
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  set_current_domain(ctx, schema, current);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, outside);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  tiledb_query_status_t status = TILEDB_COMPLETED;
  set_data(ctx, query, "number", cells, &size);
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "outside of the current domain [[1, 2],[2, 5]]");
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_UNINITIALIZED);
  CHECK_OK(ctx, tiledb_subarray_set_subarray(ctx, subarray, current));
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 8 * sizeof *cells);
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_read_with_an_invalid_condition_fails_in_every_layout) {
  const tiledb_layout_t layouts[3] = {TILEDB_ROW_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  char uri[128];
  int32_t x[POINTS];
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    uint64_t size = sizeof x;
    const int32_t value = 1;
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    tiledb_query_condition_t* condition = compare(ctx, "unknown", &value, sizeof value, TILEDB_EQ);
    tiledb_query_status_t status = TILEDB_COMPLETED;
    set_data(ctx, query, "x", x, &size);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
    CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "[TileDB::QueryCondition] Error: Field doesn't exist");
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_EQ(status, TILEDB_FAILED);
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_subarray_of_a_query_has_the_configuration_of_the_query) {
  char uri[128];
  const int32_t range[2] = {POINTS - 1, POINTS + 5};
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int adjusts = 0; adjusts < 2; adjusts++) {
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    tiledb_config_t* config = config_with("sm.read_range_oob", adjusts ? "warn" : "error");
    tiledb_subarray_t* subarray = NULL;
    CHECK_OK(ctx, tiledb_query_set_config(ctx, query, config));
    CHECK_OK(ctx, tiledb_query_get_subarray_t(ctx, query, &subarray));
    if (adjusts)
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL));
    else
      CHECK_FAILS(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL), "out of domain bounds");
    tiledb_subarray_free(&subarray);
    tiledb_config_free(&config);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, relevant_fragments_are_counted_in_every_layout) {
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  char uri[128];
  int32_t x[2] = {1, 2}, numbers[2] = {10, 20}, read[POINTS];
  line_of_points(ctx, uri);
  write_points(ctx, uri, 2, 2, x, numbers);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 4; i++)
    for (int32_t first = 1; first <= 3; first += 2) {
      tiledb_subarray_t* subarray = new_subarray(ctx, array);
      uint64_t fragments = 9;
      uint64_t size = sizeof read;
      add_range(ctx, subarray, first, POINTS);
      tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, layouts[i], subarray);
      set_data(ctx, query, "number", read, &size);
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_OK(ctx, tiledb_query_get_relevant_fragment_num(ctx, query, &fragments));
      CHECK_EQ(fragments, first == 1 ? 2 : 1);
      tiledb_query_free(&query);
    }
  close_array(ctx, &array);
}

/* Two cells of three values each. */
TEST_WITH(ctx, validity_is_estimated_per_cell) {
  char uri[128];
  int32_t x[2] = {1, 2}, numbers[2] = {0};
  double triples[6] = {0};
  uint8_t valid[2] = {1, 0};
  uint64_t sizes[4] = {sizeof x, sizeof numbers, sizeof triples, sizeof valid};
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "triple", TILEDB_FLOAT64, 3, 1);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "triple", triples, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "triple", valid, &sizes[3]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_get_est_result_size_nullable(ctx, query, "triple", &sizes[2], &sizes[3]));
  CHECK_EQ(sizes[2], sizeof triples);
  CHECK_EQ(sizes[3], sizeof valid);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, buffers_of_dimensions_can_be_replaced_by_ones_of_another_length) {
  char uri[128];
  int32_t x[3] = {4, 2, 9}, numbers[3] = {40, 20, 90}, read[POINTS];
  uint64_t size = sizeof *x, sizes[2] = {sizeof x, sizeof numbers}, read_size = sizeof read;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &size);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  set_data(ctx, query, "number", read, &read_size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(read_size, sizeof numbers);
  CHECK_EQ(read[0], 20);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_write_outside_of_the_current_domain_cannot_be_finalized) {
  const int32_t box[4] = {1, 2, 1, 2};
  char uri[128];
  int32_t rows[1] = {4}, columns[1] = {4}, numbers[1] = {1};
  uint64_t size = sizeof rows;
  tiledb_array_schema_t* schema = grid_schema(ctx, TILEDB_SPARSE);
  set_current_domain(ctx, schema, box);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "row", rows, &size);
  set_data(ctx, query, "column", columns, &size);
  set_data(ctx, query, "number", numbers, &size);
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "current domain");
  CHECK_EQ(tiledb_query_finalize(ctx, query), TILEDB_ERR);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), 0);
}

TEST_WITH(ctx, coordinates_of_8_bits_are_numbers_in_errors) {
  char uri[128];
  const int8_t bounds[2] = {6, 18}, extent = 4, range[2] = {4, 7};
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT8, bounds, &extent, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, dimension, NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_FAILS(
      ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL),
      "Range [4, 7] is out of domain bounds [6, 18]");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, conditions_of_dense_reads_use_the_right_cells_in_column_major_layout) {
  char uri[128];
  int32_t numbers[CELLS];
  const int32_t row = 2;
  tiledb_array_t* array = written_array(ctx, uri);
  for (int on_row = 0; on_row < 2; on_row++) {
    uint64_t size = sizeof numbers;
    tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_COL_MAJOR, whole);
    tiledb_query_condition_t* condition =
        on_row ? compare(ctx, "row", &row, sizeof row, TILEDB_LE) : compare(ctx, "maybe", NULL, 0, TILEDB_NE);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
    set_data(ctx, query, "number", numbers, &size);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, sizeof numbers);
    for (int i = 0; i < CELLS; i++) {
      int number = i % ROWS * COLUMNS + i / ROWS;
      int selected = on_row ? i % ROWS < 2 : number % 2 == 0;
      CHECK_EQ(numbers[i], selected ? number : INT32_MIN);
    }
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, overlapping_ranges_of_strings_return_each_cell_once) {
  char uri[128], names[8];
  const char *firsts[] = {"b", "a", "a"}, *lasts[] = {"d", "c", "b"};
  uint64_t offsets[8] = {0, 1, 2, 3, 4}, sizes[2] = {5, 5 * sizeof(uint64_t)};
  int32_t numbers[8] = {1, 2, 3, 4, 5};
  uint64_t numbers_size = 5 * sizeof *numbers;
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "name"), NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  memcpy(names, "abcde", 5);
  set_data(ctx, query, "name", names, &sizes[0]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", offsets, &sizes[1]));
  set_data(ctx, query, "number", numbers, &numbers_size);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  for (int i = 0; i < 3; i++)
    CHECK_OK(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, firsts[i], 1, lasts[i], 1));
  query = query_on(ctx, array, TILEDB_READ, TILEDB_UNORDERED, subarray);
  numbers_size = sizeof numbers;
  set_data(ctx, query, "number", numbers, &numbers_size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(numbers_size, 4 * sizeof *numbers);
  for (int i = 0; i < 4; i++) CHECK_EQ(numbers[i], i + 1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, ranges_of_one_dimension_are_read_in_the_order_of_the_layout) {
  char uri[128];
  int32_t numbers[POINTS];
  uint64_t size = sizeof numbers;
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 11, 12);
  add_range(ctx, subarray, 3, 4);
  tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
  set_data(ctx, query, "number", numbers, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 4 * sizeof *numbers);
  CHECK_EQ(numbers[0], 30);
  CHECK_EQ(numbers[3], 120);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(a_delivery_without_cells_has_no_offsets) {
  char uri[128], names[CELLS];
  uint64_t offsets[CELLS + 1], sizes[2] = {sizeof names, sizeof offsets};
  tiledb_config_t* config = config_with("sm.var_offsets.extra_element", "true");
  set_param(config, "sm.var_offsets.mode", "elements");
  tiledb_ctx_t *plain = new_context(), *ctx = context_of(config);
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  set_data(ctx, query, "name", names, &sizes[0]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", offsets, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], 0);
  CHECK_EQ(sizes[1], 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&plain);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, incomplete_reads_deliver_as_many_cells_as_fit) {
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_ROW_MAJOR, TILEDB_GLOBAL_ORDER};
  char uri[128];
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    int32_t numbers[7];
    uint64_t size = sizeof numbers;
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    set_data(ctx, query, "number", numbers, &size);
    for (int delivered = 0; delivered < POINTS; delivered += 7) {
      size = sizeof numbers;
      submit(ctx, query, delivered + 7 < POINTS ? TILEDB_INCOMPLETE : TILEDB_COMPLETED);
      CHECK_EQ(size, (delivered + 7 < POINTS ? 7 : POINTS - delivered) * sizeof *numbers);
      CHECK_EQ(numbers[0], 10 * (delivered + 1));
    }
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, strings_with_bytes_above_127_are_written_and_read_in_one_order) {
  char uri[128], names[8], read[8];
  uint64_t offsets[3] = {0, 1, 3}, read_offsets[3], sizes[2] = {4, sizeof offsets};
  int32_t numbers[3] = {1, 2, 3}, found[3];
  uint64_t numbers_size = sizeof numbers, found_size;
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "name"), NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  for (uint64_t time = 1; time <= 2; time++) {
    tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, time);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    memcpy(names, time == 1 ? "a\xc3\xa9z" : "b\xc3\xa8y", 4);
    set_data(ctx, query, "name", names, &sizes[0]);
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", offsets, &sizes[1]));
    set_data(ctx, query, "number", numbers, &numbers_size);
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 6; i++) {
    static const char* const all[] = {"a", "b", "y", "z", "\xc3\xa8", "\xc3\xa9"};
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, all[i], strlen(all[i]), all[i], strlen(all[i])));
    tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    uint64_t read_sizes[2] = {sizeof read, sizeof read_offsets};
    found_size = sizeof found;
    set_data(ctx, query, "name", read, &read_sizes[0]);
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", read_offsets, &read_sizes[1]));
    set_data(ctx, query, "number", found, &found_size);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(found_size, sizeof *found);
    CHECK_EQ(read_sizes[0], strlen(all[i]));
    CHECK_EQ(memcmp(read, all[i], strlen(all[i])), 0);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, filters_of_values_after_a_compressor_lose_no_bytes) {
  const tiledb_filter_type_t types[2] = {TILEDB_FILTER_GZIP, TILEDB_FILTER_DOUBLE_DELTA};
  int rejected = 0;
  for (int32_t last = 1; last <= 8; last++) {
    char uri[128];
    int32_t numbers[CELLS], read[CELLS];
    uint64_t size = sizeof numbers;
    tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "x", CELLS, CELLS), NULL);
    tiledb_attribute_t* attribute = new_attribute(ctx, "number", TILEDB_INT32);
    tiledb_filter_list_t* filters = filter_list(ctx, 2, types);
    CHECK_OK(ctx, tiledb_attribute_set_filter_list(ctx, attribute, filters));
    CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_filter_list_free(&filters);
    tiledb_attribute_free(&attribute);
    create_with(ctx, schema, uri);
    for (int32_t i = 0; i < CELLS; i++) numbers[i] = i % last * i;
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
    set_data(ctx, query, "number", numbers, &size);
    int32_t code = tiledb_query_submit(ctx, query);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    if (code != TILEDB_OK) {
      rejected++;
      CHECK(strstr(harness_error(ctx), "needs values of 4 bytes") != NULL);
      CHECK_EQ(fragments_of(ctx, uri), 0);
      continue;
    }
    array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, CELLS);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    size = sizeof read;
    set_data(ctx, query, "number", read, &size);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(memcmp(read, numbers, sizeof read), 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK(rejected > 0);
}

TEST_WITH(ctx, aggregates_of_deletes_are_rejected) {
  char uri[128];
  line_of_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_DELETE);
  tiledb_query_t* query = NULL;
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  int32_t code = tiledb_query_get_default_channel(ctx, query, &channel);
  if (code == TILEDB_OK)
    code = tiledb_create_unary_aggregate(ctx, query, tiledb_channel_operator_sum, "number", &operation);
  if (code == TILEDB_OK) code = tiledb_channel_apply_aggregate(ctx, channel, "sum", operation);
  if (code == TILEDB_OK) code = tiledb_query_submit(ctx, query);
  CHECK_EQ(code, TILEDB_ERR);
  if (operation != NULL) CHECK_OK(ctx, tiledb_aggregate_free(ctx, &operation));
  if (channel != NULL) CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(readers_of_earlier_versions_return_the_same_cells) {
  const char* parameters[] = {
      "sm.query.dense.reader", "sm.query.sparse_global_order.reader", "sm.query.sparse_unordered_with_dups.reader"};
  for (int kind = 0; kind < 3; kind++) {
    for (int legacy = 0; legacy < 2; legacy++) {
      char uri[128];
      int32_t numbers[CELLS] = {0};
      uint64_t size = sizeof numbers;
      tiledb_ctx_t* ctx = context_with(parameters[kind], legacy ? "legacy" : "refactored");
      tiledb_array_t* array = NULL;
      tiledb_query_t* query = NULL;
      if (kind == 0) {
        array = written_array(ctx, uri);
        query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
      } else {
        line_of_points(ctx, uri);
        array = open_array(ctx, uri, TILEDB_READ);
        query = query_all(ctx, array, TILEDB_READ, kind == 1 ? TILEDB_GLOBAL_ORDER : TILEDB_UNORDERED);
      }
      set_data(ctx, query, "number", numbers, &size);
      submit(ctx, query, TILEDB_COMPLETED);
      const int count = kind == 0 ? (int)CELLS : (int)POINTS;
      CHECK_EQ(size, count * sizeof *numbers);
      for (int i = 0; i < count; i++) CHECK_EQ(numbers[i], kind == 0 ? i : 10 * (i + 1));
      tiledb_query_free(&query);
      close_array(ctx, &array);
      tiledb_ctx_free(&ctx);
    }
  }
}

TEST_WITH(ctx, checks_of_cells_are_enabled_by_true_in_any_letter_case) {
  int32_t x[2] = {1, 1}, numbers[2] = {10, 20};
  uint64_t sizes[2] = {sizeof x, sizeof numbers};
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 20, 20, 0), uri);
  const char* params[][2] = {{"sm.check_coord_dups", "TRUE"}, {"sm.dedup_coords", "True"}};
  for (int i = 0; i < 2; i++) {
    tiledb_config_t* config = config_with(params[i][0], params[i][1]);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_config(ctx, query, config));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
    if (i == 0)
      CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "Duplicate coordinates");
    else
      CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_config_free(&config);
  }
}

TEST_WITH(ctx, a_rejected_box_leaves_the_ranges_unchanged) {
  char uri[128];
  const int32_t ends[2] = {2, 3}, box[4] = {1, 4, 6, 1};
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  for (uint32_t dim = 0; dim < 2; dim++)
    CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, dim, &ends[0], &ends[1], NULL));
  CHECK_EQ(tiledb_subarray_set_subarray(ctx, subarray, box), TILEDB_ERR);
  for (uint32_t dim = 0; dim < 2; dim++) {
    const void *low = NULL, *high = NULL, *stride = NULL;
    CHECK_OK(ctx, tiledb_subarray_get_range(ctx, subarray, dim, 0, &low, &high, &stride));
    CHECK(memcmp(low, &ends[0], sizeof *ends) == 0 && memcmp(high, &ends[1], sizeof *ends) == 0);
  }
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, dense_cells_have_no_timestamps) {
  char uri[128];
  int32_t numbers[CELLS] = {0};
  uint64_t times[CELLS], size = sizeof times;
  create_with(ctx, new_number_schema(ctx), uri);
  write_box(ctx, uri, 10, whole, numbers);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "__timestamps", times, &size),
              "[TileDB::Query] Error: Cannot set buffer; Invalid attribute/dimension/label '__timestamps'");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
