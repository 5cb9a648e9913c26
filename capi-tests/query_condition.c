/*
 * Query conditions: building, combining, negating, errors; results of dense reads, and of sparse
 * reads by cell timestamps.
 */
#include "arrays.h"

/* Reads all numbers with a condition, which is freed. Returns the matching cells as bits. */
static uint32_t kept(tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_condition_t* condition) {
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  uint32_t bits = 0;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  tiledb_query_condition_free(&condition);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof numbers);
  for (int i = 0; i < CELLS; i++) {
    if (numbers[i] == i)
      bits |= 1u << i;
    else
      CHECK_EQ(numbers[i], INT32_MIN);
  }
  tiledb_query_free(&query);
  return bits;
}

static const uint32_t all = (1u << CELLS) - 1;

TEST_WITH(ctx, every_operator_keeps_its_cells) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  CHECK_EQ(kept(ctx, array, number_is(ctx, TILEDB_LT, 5)), 0x1f);
  CHECK_EQ(kept(ctx, array, number_is(ctx, TILEDB_LE, 5)), 0x3f);
  CHECK_EQ(kept(ctx, array, number_is(ctx, TILEDB_GT, 5)), all & ~0x3fu);
  CHECK_EQ(kept(ctx, array, number_is(ctx, TILEDB_GE, 5)), all & ~0x1fu);
  CHECK_EQ(kept(ctx, array, number_is(ctx, TILEDB_EQ, 5)), 0x20);
  CHECK_EQ(kept(ctx, array, number_is(ctx, TILEDB_NE, 5)), all & ~0x20u);
  CHECK_EQ(kept(ctx, array, compare(ctx, "name", "c", 1, TILEDB_LE)), 7);
  CHECK_EQ(kept(ctx, array, compare(ctx, "name", "cc", 2, TILEDB_LE)), 7);
  CHECK_EQ(kept(ctx, array, compare(ctx, "name", "", 0, TILEDB_EQ)), 0);
  int32_t row = 2;
  CHECK_EQ(kept(ctx, array, compare(ctx, "row", &row, sizeof row, TILEDB_LT)), 0x3f);
  close_array(ctx, &array);
}

TEST_WITH(ctx, null_is_only_equal_or_not) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  double value = 5;
  const uint32_t even = 0x555555 & all;
  CHECK_EQ(kept(ctx, array, compare(ctx, "maybe", NULL, 0, TILEDB_NE)), even);
  CHECK_EQ(kept(ctx, array, compare(ctx, "maybe", NULL, 0, TILEDB_EQ)), all & ~even);
  CHECK_EQ(kept(ctx, array, compare(ctx, "maybe", &value, sizeof value, TILEDB_LT)), 0x15);
  CHECK_EQ(kept(ctx, array, compare(ctx, "maybe", &value, sizeof value, TILEDB_NE)), even);
  CHECK_EQ(kept(ctx, array, compare(ctx, "number", NULL, 0, TILEDB_EQ)), 0);
  CHECK_EQ(kept(ctx, array, compare(ctx, "number", NULL, 0, TILEDB_NE)), all);
  close_array(ctx, &array);
}

TEST_WITH(ctx, conditions_are_combined_and_negated) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_condition_t *low = number_is(ctx, TILEDB_LT, 8), *high = number_is(ctx, TILEDB_GE, 4), *made = NULL;
  tiledb_query_condition_t* again = NULL;
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, low, high, TILEDB_AND, &made));
  CHECK_OK(ctx, tiledb_query_condition_negate(ctx, made, &again));
  CHECK_EQ(kept(ctx, array, made), 0xf0);
  CHECK_EQ(kept(ctx, array, again), all & ~0xf0u);
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, low, high, TILEDB_OR, &made));
  CHECK_EQ(kept(ctx, array, made), all);
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, low, NULL, TILEDB_NOT, &made));
  CHECK_EQ(kept(ctx, array, made), all & ~0xffu);
  CHECK_EQ(tiledb_query_condition_combine(ctx, low, high, TILEDB_NOT, &made), TILEDB_ERR);
  CHECK_ERROR(
      ctx, tiledb_query_condition_combine(ctx, low, high, (tiledb_query_condition_combination_op_t)7, &made),
      "[TileDB::QueryCondition] Error: Cannot combine query conditions; Only the 'AND' and 'OR' combination ops are "
      "supported in this function.");
  tiledb_query_condition_free(&low);
  tiledb_query_condition_free(&high);
  CHECK(low == NULL);
  close_array(ctx, &array);
}

static tiledb_query_condition_t* one_of(
    tiledb_ctx_t* ctx, const char* field, const void* data, uint64_t size, uint64_t* starts, uint64_t number,
    tiledb_query_condition_op_t op) {
  tiledb_query_condition_t* condition = NULL;
  CHECK_OK(
      ctx, tiledb_query_condition_alloc_set_membership(ctx, field, data, size, starts, 8 * number, op, &condition));
  return condition;
}

TEST_WITH(ctx, sets_keep_their_members) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  int32_t numbers[3] = {3, 7, 100};
  uint64_t fours[3] = {0, 4, 8}, ones[3] = {0, 1, 1};
  CHECK_EQ(kept(ctx, array, one_of(ctx, "number", numbers, sizeof numbers, fours, 3, TILEDB_IN)), 0x88);
  CHECK_EQ(kept(ctx, array, one_of(ctx, "number", numbers, sizeof numbers, fours, 3, TILEDB_NOT_IN)), all & ~0x88u);
  CHECK_EQ(kept(ctx, array, one_of(ctx, "name", "bd", 2, ones, 3, TILEDB_IN)), 0x0a);
  close_array(ctx, &array);
}

TEST_WITH(ctx, cells_that_fail_are_fill_values_and_null) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  char names[CELLS];
  uint64_t starts[CELLS], sizes[4] = {sizeof names, sizeof starts, 0, CELLS};
  double values[CELLS];
  uint8_t valid[CELLS];
  sizes[2] = sizeof values;
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_LT, 3);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", names, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", values, &sizes[2]));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[3]));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], CELLS);
  for (int i = 0; i < CELLS; i++) {
    CHECK_EQ(starts[i], i);
    CHECK_EQ(names[i], i < 3 ? 'a' + i : 0);
    CHECK_EQ(valid[i], i < 3 && i % 2 == 0);
    if (i < 3) CHECK_EQ(values[i], i);
  }
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, coordinates_of_matching_cells_only_are_returned_if_configured) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_config_t* config = config_with("sm.query.dense.qc_coords_mode", "true");
  int32_t rows[CELLS], columns[CELLS];
  uint64_t sizes[2] = {sizeof rows, sizeof columns};
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_GE, CELLS - 2);
  for (int with = 0; with < 3; with++) {
    tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
    CHECK_OK(ctx, tiledb_query_set_config(ctx, query, config));
    if (with == 2) {
      int32_t both[2 * CELLS];
      uint64_t size = sizeof both;
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "__coords", both, &size));
      CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(size, 16);
      CHECK_EQ(both[1], COLUMNS - 1);
      CHECK_EQ(both[2], ROWS);
      CHECK_EQ(both[3], COLUMNS);
      tiledb_query_free(&query);
      continue;
    }
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "row", rows, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "column", columns, &sizes[1]));
    if (with) {
      CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(sizes[0], 8);
      CHECK_EQ(sizes[1], 8);
      CHECK_EQ(rows[1], ROWS);
      CHECK_EQ(columns[0], COLUMNS - 1);
      CHECK_EQ(columns[1], COLUMNS);
    } else {
      CHECK_ERROR(
          ctx, tiledb_query_submit(ctx, query),
          "DenseReader: sm.query.dense.qc_coords_mode requires a query condition");
    }
    tiledb_query_free(&query);
  }
  tiledb_query_condition_free(&condition);
  tiledb_config_free(&config);
  close_array(ctx, &array);
}

TEST_WITH(ctx, invalid_conditions_are_rejected) {
  tiledb_query_condition_t* condition = NULL;
  int32_t value = 1;
  uint64_t starts[2] = {0, 4};
  CHECK_OK(ctx, tiledb_query_condition_alloc(ctx, &condition));
  CHECK_ERROR(
      ctx, tiledb_query_condition_init(ctx, condition, "a", NULL, 4, TILEDB_EQ),
      "TileDB internal: Invalid query condition cannot be nullptr with non-zero size.");
  CHECK_ERROR(
      ctx, tiledb_query_condition_init(ctx, condition, "a", &value, 4, TILEDB_IN),
      "TileDB internal: Invalid query condition operation for set membership.");
  CHECK_ERROR(
      ctx, tiledb_query_condition_init(ctx, condition, "a", &value, 4, (tiledb_query_condition_op_t)253),
      "TileDB internal: Invalid use of internal operation: ALWAYS_TRUE");
  CHECK_OK(ctx, tiledb_query_condition_init(ctx, condition, "a", &value, 4, TILEDB_EQ));
  CHECK_ERROR(
      ctx, tiledb_query_condition_init(ctx, condition, "a", &value, 4, TILEDB_EQ),
      "[TileDB::QueryCondition] Error: Cannot reinitialize query condition");
  CHECK_ERROR(
      ctx, tiledb_query_condition_init(ctx, NULL, "a", &value, 4, TILEDB_EQ),
      "Error: Invalid TileDB query condition object");
  tiledb_query_condition_free(&condition);
  tiledb_query_condition_free(&condition);
  tiledb_query_condition_free(NULL);
#define SET(field, data, size, offsets, offsets_size, op) \
  tiledb_query_condition_alloc_set_membership(ctx, field, data, size, offsets, offsets_size, op, &condition)
  CHECK_ERROR(
      ctx, SET("a", NULL, 4, starts, 16, TILEDB_IN), "TileDB internal: ASTNodeVal set membership data must not be nullptr");
  CHECK_ERROR(
      ctx, SET("a", &value, 0, starts, 16, TILEDB_IN),
      "TileDB internal: ASTNodeVal set membership data size must be greater than zero when data is provided.");
  CHECK_ERROR(
      ctx, SET("a", &value, 4, NULL, 16, TILEDB_IN),
      "TileDB internal: ASTNodeVal set membership offsets must not be nullptr");
  CHECK_ERROR(
      ctx, SET("a", &value, 4, starts, 15, TILEDB_IN),
      "TileDB internal: ASTNodeVal set membership offsets is not a multiple of uint64_t size.");
  starts[1] = 5;
  CHECK_ERROR(
      ctx, SET("a", &value, 4, starts, 16, TILEDB_IN),
      "TileDB internal: ASTNodeVal invalid set membership offsets invalid for data size: last offset 5 is larger than "
      "data size 4");
  CHECK_ERROR(
      ctx, SET("a", &value, 4, starts, 8, TILEDB_EQ),
      "TileDB internal: ASTNodeVal invalid set membership operator in set membership constructor.");
  CHECK_ERROR(ctx, SET(NULL, &value, 4, starts, 8, TILEDB_IN), "C API: QueryCondition field name must not be nullptr");
  CHECK_EQ(tiledb_query_condition_alloc(NULL, &condition), TILEDB_INVALID_CONTEXT);
}

/* Checks that a submit with this condition, which is freed, fails with this message. */
static void fails(tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_condition_t* condition, const char* text) {
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  tiledb_query_condition_free(&condition);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), text);
  tiledb_query_free(&query);
}

TEST_WITH(ctx, conditions_are_checked_against_the_array_at_the_submit) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  int64_t value = 1;
  uint64_t starts[2] = {0, 4};
  fails(ctx, array, compare(ctx, "unknown", &value, 4, TILEDB_EQ), "[TileDB::QueryCondition] Error: Field doesn't exist");
  fails(
      ctx, array, compare(ctx, "number", &value, 8, TILEDB_EQ),
      "[TileDB::QueryCondition] Error: Value node condition value size mismatch: 4 != 8");
  fails(
      ctx, array, compare(ctx, "maybe", NULL, 0, TILEDB_LT),
      "[TileDB::QueryCondition] Error: Null value can only be used with equality operators");
  fails(
      ctx, array, one_of(ctx, "number", &value, 5, starts, 2, TILEDB_IN),
      "QueryCondition: Value node set member size mismatch: 4 != 1");
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_condition_is_set_before_the_first_submit_of_a_read) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_query_condition_t *condition = number_is(ctx, TILEDB_LT, 3), *empty = NULL;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_condition_alloc(ctx, &empty));
  CHECK_ERROR(
      ctx, tiledb_query_set_condition(ctx, query, empty), "TileDB internal: Query conditions must not be empty");
  CHECK_ERROR(ctx, tiledb_query_set_condition(ctx, query, NULL), "Error: Invalid TileDB query condition object");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_ERROR(
      ctx, tiledb_query_set_condition(ctx, query, condition),
      "[TileDB::Query] Error: Cannot set query condition; Setting a query condition on an alreadyinitialized query is not "
      "supported.");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  create_with(ctx, new_schema(ctx), uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_ERROR(
      ctx, tiledb_query_set_condition(ctx, query, condition),
      "[TileDB::Query] Error: Cannot set query condition; Operation not applicable to write queries");
  tiledb_query_free(&query);
  tiledb_query_condition_free(&condition);
  tiledb_query_condition_free(&empty);
  close_array(ctx, &array);
}

/*
 * Returns the numbers, as bits, of the cells whose timestamp matches a condition, which is freed.
 */
static uint32_t numbers_of_times(
    tiledb_ctx_t* ctx, const char* uri, tiledb_layout_t layout, tiledb_query_condition_t* condition, int with_times) {
  int32_t numbers[16];
  uint64_t times[16], size = sizeof numbers, times_size = sizeof times;
  uint32_t bits = 0;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layout);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  if (with_times) CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "__timestamps", times, &times_size));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  tiledb_query_condition_free(&condition);
  submit(ctx, query, TILEDB_COMPLETED);
  for (uint64_t i = 0; i < size / sizeof *numbers; i++) {
    bits |= 1u << numbers[i];
    if (with_times) CHECK_EQ(times[i], numbers[i] < 7 ? 10 : 20);
  }
  if (with_times) CHECK_EQ(times_size / sizeof *times, size / sizeof *numbers);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return bits;
}

static tiledb_query_condition_t* time_is(tiledb_ctx_t* ctx, tiledb_query_condition_op_t op, uint64_t time) {
  return compare(ctx, "__timestamps", &time, sizeof time, op);
}

/*
 * At timestamp 10 the numbers 1 to 6 at 10 to 60, at 20 the numbers 7 and 8 at 20 and 70;
 * optionally consolidated.
 */
TEST_WITH(ctx, conditions_on_timestamps_select_cells) {
#ifdef LIBTILEDB_ITSELF
  /*
   * In other layouts libtiledb crashes, and for consolidated duplicates it uses the timestamp of
   * the fragment.
   */
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR};
  const int merged_dups = 0;
#else
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  const int merged_dups = 1;
#endif
  int32_t old_x[] = {10, 20, 30, 40, 50, 60}, old_number[] = {1, 2, 3, 4, 5, 6};
  int32_t new_x[] = {20, 70}, new_number[] = {7, 8};
  for (int dups = 0; dups < 2; dups++)
    for (int merged = 0; merged < (dups ? 1 + merged_dups : 2); merged++) {
      const uint32_t old = dups ? 0x7e : 0x7a;
      char uri[128];
      create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, dups), uri);
      write_points(ctx, uri, 10, 6, old_x, old_number);
      write_points(ctx, uri, 20, 2, new_x, new_number);
      if (merged) {
        tiledb_config_t* config = config_with("sm.consolidation.buffer_size", "100000");
        CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
        CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, config));
        tiledb_config_free(&config);
      }
      for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (int with = 0; with < 2; with++) {
          CHECK_EQ(numbers_of_times(ctx, uri, layouts[i], time_is(ctx, TILEDB_LT, 15), with), old);
          CHECK_EQ(numbers_of_times(ctx, uri, layouts[i], time_is(ctx, TILEDB_GE, 20), with), 0x180);
          CHECK_EQ(numbers_of_times(ctx, uri, layouts[i], time_is(ctx, TILEDB_EQ, 10), with), old);
          CHECK_EQ(numbers_of_times(ctx, uri, layouts[i], time_is(ctx, TILEDB_GT, 20), with), 0);
          CHECK_EQ(numbers_of_times(ctx, uri, layouts[i], time_is(ctx, TILEDB_NE, 0), with), old | 0x180);
        }
    }
}

TEST_WITH(ctx, times_are_numbers_of_eight_bytes) {
  char uri[128];
  int32_t x[] = {10}, number[] = {1};
  uint64_t size = sizeof number;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  write_points(ctx, uri, 10, 1, x, number);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_condition_t* condition = compare(ctx, "__timestamps", number, sizeof *number, TILEDB_EQ);

  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "[TileDB::QueryCondition] Error: Value node condition value size mismatch: 8 != 4");
  tiledb_query_free(&query);
  tiledb_query_condition_free(&condition);
  close_array(ctx, &array);
}

TEST_WITH(ctx, null_cells_satisfy_neither_comparisons_nor_their_negations) {
  char uri[128];
  double five = 5;
  tiledb_array_t* array = written_array(ctx, uri);
  const uint32_t even = 0x555555 & all;
  tiledb_query_condition_t *less = compare(ctx, "maybe", &five, sizeof five, TILEDB_LT), *opposite = NULL;
  CHECK_OK(ctx, tiledb_query_condition_negate(ctx, less, &opposite));
  CHECK_EQ(kept(ctx, array, opposite), even & ~0x15u);
  CHECK_EQ(kept(ctx, array, less), 0x15);
  fails(
      ctx, array, compare(ctx, "maybe", NULL, 0, TILEDB_GE),
      "[TileDB::QueryCondition] Error: Null value can only be used with equality operators");
  close_array(ctx, &array);
}

/* Writes half of the array; every third of these cells has the fill value. */
TEST_WITH(ctx, conditions_match_values_equal_to_the_fill_value) {
  char uri[128];
  const int32_t half[4] = {1, 2, 1, COLUMNS};
  int32_t numbers[CELLS / 2], others[CELLS / 2], found[CELLS];
  uint64_t sizes[2] = {sizeof numbers, sizeof others};
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  add_attribute(ctx, schema, "other", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  for (int i = 0; i < CELLS / 2; i++) {
    numbers[i] = i % 3 == 0 ? INT32_MIN : i;
    others[i] = 100 + i;
  }
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, half);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", others, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int equal = 0; equal < 2; equal++) {
    uint64_t size = sizeof found;
    tiledb_query_condition_t* condition = number_is(ctx, equal ? TILEDB_EQ : TILEDB_NE, INT32_MIN);
    query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", found, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    for (int i = 0; i < CELLS; i++) {
      const int kept_cell = i < CELLS / 2 && (i % 3 == 0) == equal;
      CHECK_EQ(found[i], kept_cell ? 100 + i : INT32_MIN);
    }
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}
