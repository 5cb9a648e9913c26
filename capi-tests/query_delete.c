/* Delete queries: deleted cells, timestamps, visibility in reads, errors. */
#include "arrays.h"

#include <math.h>

enum { MOST = 32 };

/* Cells x (int32, 1 to 100) with number (int32), maybe (nullable int32) and name (string). */
static void create(tiledb_ctx_t* ctx, tiledb_array_type_t type, int dups, char* uri) {
  tiledb_array_schema_t* schema = new_line_schema(ctx, type, 100, 10, dups);
  add_attribute(ctx, schema, "maybe", TILEDB_INT32, 1, 1);
  add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
}

/*
 * Writes cells at a timestamp; maybe is null for odd numbers, and name has as many letters as the
 * number.
 */
static void write_cells(tiledb_ctx_t* ctx, const char* uri, uint64_t i, int cells, int32_t* x, int32_t* number) {
  uint8_t valid[MOST];
  uint64_t starts[MOST], sizes[6];
  char names[] = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn";
  uint64_t length = 0;
  for (int cell = 0; cell < cells; cell++) {
    valid[cell] = number[cell] % 2 == 0;
    starts[cell] = length;
    length += (uint64_t)number[cell];
  }
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, i);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  sizes[0] = sizes[1] = sizes[2] = (uint64_t)cells * sizeof *x;
  sizes[3] = (uint64_t)cells;
  sizes[4] = length;
  sizes[5] = (uint64_t)cells * sizeof *starts;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", number, &sizes[2]));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[3]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", names, &sizes[4]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &sizes[5]));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* At timestamp 10 the numbers 1 to 6 at 10 to 60, at 20 the numbers 7 and 8 at 20 and 70. */
static void fill(tiledb_ctx_t* ctx, int dups, char* uri) {
  int32_t old_x[] = {10, 20, 30, 40, 50, 60}, old_number[] = {1, 2, 3, 4, 5, 6};
  int32_t new_x[] = {20, 70}, new_number[] = {7, 8};
  create(ctx, TILEDB_SPARSE, dups, uri);
  write_cells(ctx, uri, 10, 6, old_x, old_number);
  write_cells(ctx, uri, 20, 2, new_x, new_number);
}

static tiledb_query_t* new_delete(tiledb_ctx_t* ctx, tiledb_array_t* array) {
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  return query;
}

/* Deletes the cells that match a condition, which is freed, at a timestamp. */
static void delete_at(tiledb_ctx_t* ctx, const char* uri, uint64_t i, tiledb_query_condition_t* condition) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_DELETE, 0, i);
  tiledb_query_t* query = new_delete(ctx, array);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  tiledb_query_condition_free(&condition);
  close_array(ctx, &array);
}

/* Returns the visible numbers in a range of timestamps, as bits. */
static uint32_t numbers(tiledb_ctx_t* ctx, const char* uri, tiledb_layout_t layout, uint64_t from, uint64_t to) {
  int32_t number[MOST];
  uint64_t size = sizeof number;
  uint32_t bits = 0;
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, from, to);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layout);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  for (uint64_t cell = 0; cell < size / sizeof *number; cell++) bits |= 1u << number[cell];
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return bits;
}

static const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

TEST_WITH(ctx, deleted_cells_are_gone_from_the_time_of_the_delete_on) {
  char uri[128];
  for (int dups = 0; dups < 2; dups++) {
    fill(ctx, dups, uri);
    delete_at(ctx, uri, 15, number_is(ctx, TILEDB_LE, 3));
    delete_at(ctx, uri, 20, number_is(ctx, TILEDB_GE, 8));
    for (size_t i = 0; i < LAYOUTS; i++) {
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 14), 0x7e);
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 15), 0x70);
      /* A delete includes cells with its own timestamp. */
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 30), 0xf0);
      CHECK_EQ(numbers(ctx, uri, layouts[i], 16, 30), 0x80);
    }
  }
}

TEST_WITH(ctx, a_deleted_cell_still_hides_older_ones) {
  char uri[128];
  fill(ctx, 0, uri);
  delete_at(ctx, uri, 25, number_is(ctx, TILEDB_EQ, 7));
  for (size_t i = 0; i < LAYOUTS; i++) CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 30), 0x17a);
}

TEST_WITH(ctx, deletes_with_null_remove_null_cells) {
  char uri[128];
  int32_t five = 5;
  fill(ctx, 1, uri);
  delete_at(ctx, uri, 25, compare(ctx, "maybe", &five, sizeof five, TILEDB_GT));
  CHECK_EQ(numbers(ctx, uri, TILEDB_UNORDERED, 0, 30), 0x14);
}

/* NaN satisfies neither a comparison by order nor its negation, which cells that remain satisfy. */
TEST_WITH(ctx, deletes_by_an_order_remove_cells_that_are_not_numbers) {
  char uri[128];
  int32_t x[4] = {1, 2, 3, 4}, found[4];
  double values[4] = {1, NAN, 3, NAN}, two = 2;
  uint64_t sizes[3] = {sizeof x, sizeof values, sizeof found};
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, new_dimension(ctx, "x", 100, 10), NULL);
  add_attribute(ctx, schema, "real", TILEDB_FLOAT64, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "real", values, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  delete_at(ctx, uri, 20, compare(ctx, "real", &two, sizeof two, TILEDB_LT));
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", found, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[2], sizeof *found);
  CHECK_EQ(found[0], 3);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, text_sets_coordinates_and_combinations_delete) {
  char uri[128];
  int32_t members[] = {1, 5, 99}, forty = 40;
  uint64_t starts[] = {0, 4, 8};
  tiledb_query_condition_t *set = NULL, *both = NULL;
  fill(ctx, 0, uri);
  delete_at(ctx, uri, 25, compare(ctx, "name", "nnn", 3, TILEDB_EQ));
  CHECK_EQ(numbers(ctx, uri, TILEDB_UNORDERED, 0, 30), 0x1f2);
  CHECK_OK(ctx, tiledb_query_condition_alloc_set_membership(
                    ctx, "number", members, sizeof members, starts, sizeof starts, TILEDB_IN, &set));
  delete_at(ctx, uri, 26, set);
  CHECK_EQ(numbers(ctx, uri, TILEDB_UNORDERED, 0, 30), 0x1d0);
  tiledb_query_condition_t* far = compare(ctx, "x", &forty, sizeof forty, TILEDB_GE);
  tiledb_query_condition_t* small = number_is(ctx, TILEDB_LT, 5);
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, far, small, TILEDB_AND, &both));
  delete_at(ctx, uri, 27, both);
  CHECK_EQ(numbers(ctx, uri, TILEDB_UNORDERED, 0, 30), 0x1c0);
  tiledb_query_condition_free(&far);
  tiledb_query_condition_free(&small);
}

static void consolidate(tiledb_ctx_t* ctx, const char* uri, const char* mode, const char* purge) {
  tiledb_config_t* config = config_with("sm.consolidation.mode", mode);
  set_param(config, "sm.vacuum.mode", mode);
  /* libtiledb fills all of its buffers with zeros first. */
  set_param(config, "sm.consolidation.buffer_size", "100000");
  set_param(config, "sm.consolidation.purge_deleted_cells", purge);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, config));
  tiledb_config_free(&config);
}

TEST_WITH(ctx, consolidated_fragments_keep_delete_timestamps) {
  char uri[128];
  for (int dups = 0; dups < 2; dups++) {
    fill(ctx, dups, uri);
    delete_at(ctx, uri, 15, number_is(ctx, TILEDB_LE, 3));
    delete_at(ctx, uri, 25, number_is(ctx, TILEDB_EQ, 7));
    consolidate(ctx, uri, "fragments", "false");
    consolidate(ctx, uri, "commits", "false");
    delete_at(ctx, uri, 27, number_is(ctx, TILEDB_EQ, 5));
    for (size_t i = 0; i < LAYOUTS; i++) {
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 12), 0x7e);
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 15), 0x70);
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 24), 0x1f0);
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 26), 0x170);
      CHECK_EQ(numbers(ctx, uri, layouts[i], 0, 30), 0x150);
    }
  }
}

TEST_WITH(ctx, purged_cells_are_gone_at_all_times) {
  char uri[128];
  for (int dups = 0; dups < 2; dups++) {
    fill(ctx, dups, uri);
    delete_at(ctx, uri, 25, number_is(ctx, TILEDB_EQ, 7));
    consolidate(ctx, uri, "fragments", "true");
    /* Cells that a purged cell had hidden do not reappear. */
    CHECK_EQ(numbers(ctx, uri, TILEDB_GLOBAL_ORDER, 0, 30), dups ? 0x17e : 0x17a);
    CHECK_EQ(numbers(ctx, uri, TILEDB_GLOBAL_ORDER, 0, 22), dups ? 0x17e : 0x17a);
  }
}

TEST_WITH(ctx, counts_leave_out_deleted_cells) {
  char uri[128];
  uint64_t count = 0, count_size = sizeof count;
  int64_t sum = 0;
  uint64_t sum_size = sizeof sum;
  tiledb_query_channel_t* channel = NULL;
  const tiledb_channel_operator_t* operator_sum = NULL;
  tiledb_channel_operation_t *of_sum = NULL;
  const tiledb_channel_operation_t* of_count = NULL;
  fill(ctx, 1, uri);
  delete_at(ctx, uri, 25, number_is(ctx, TILEDB_LE, 3));
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 30);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  CHECK_OK(ctx, tiledb_aggregate_count_get(ctx, &of_count));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "count", of_count));
  CHECK_OK(ctx, tiledb_channel_operator_sum_get(ctx, &operator_sum));
  CHECK_OK(ctx, tiledb_create_unary_aggregate(ctx, query, operator_sum, "number", &of_sum));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "sum", of_sum));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "count", &count, &count_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "sum", &sum, &sum_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(count, 5);
  CHECK_EQ(sum, 4 + 5 + 6 + 7 + 8);
  tiledb_aggregate_free(ctx, &of_sum);
  tiledb_query_channel_free(ctx, &channel);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, deletes_require_a_sparse_array_and_a_condition) {
  char uri[128];
  tiledb_query_status_t status;
  create(ctx, TILEDB_DENSE, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_DELETE);
  tiledb_query_t* query = new_delete(ctx, array);
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_LT, 5);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "Deletes: Cannot initialize deletes; Only supported for sparse arrays");
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_UNINITIALIZED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  fill(ctx, 0, uri);
  array = open_array(ctx, uri, TILEDB_DELETE);
  query = new_delete(ctx, array);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "Deletes: Cannot initialize deletes; One condition is needed");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_query_condition_free(&condition);
}

TEST_WITH(ctx, unsuitable_conditions_are_rejected) {
  const char* texts[] = {"[TileDB::QueryCondition] Error: Field doesn't exist",
                         "[TileDB::QueryCondition] Error: Value node condition value size mismatch: 4 != 2",
                         "[TileDB::QueryCondition] Error: Null value can only be used with equality operators",
                         "TileDB internal: Invalid negation of rewritten query."};
  char uri[128];
  int32_t five = 5;
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_DELETE);
  tiledb_query_condition_t* conditions[] = {
      compare(ctx, "nothing", &five, sizeof five, TILEDB_LT), compare(ctx, "number", &five, 2, TILEDB_LT),
      compare(ctx, "maybe", NULL, 0, TILEDB_LT), compare(ctx, "number", NULL, 0, TILEDB_EQ)};
  for (int i = 0; i < 4; i++) {
    tiledb_query_t* query = new_delete(ctx, array);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, conditions[i]));
    CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), texts[i]);
    tiledb_query_free(&query);
    tiledb_query_condition_free(&conditions[i]);
  }
  close_array(ctx, &array);
  CHECK_EQ(numbers(ctx, uri, TILEDB_UNORDERED, 0, 30), 0x1fa);
}

TEST_WITH(ctx, delete_queries_reject_buffers_layouts_and_subarrays) {
  char uri[128];
  int32_t number[4];
  uint64_t size = sizeof number, *size_out = NULL, starts[4];
  uint32_t fragments;
  uint8_t valid[4];
  void* data = NULL;
  tiledb_subarray_t* subarray = NULL;
  const char *set = by_release("[TileDB::Serialization] Error: Cannot set buffer; Unsupported query type.",
                 "Query: Cannot set buffer; Unsupported query type."),
             *get = by_release("[TileDB::Serialization] Error: Cannot get buffer; Unsupported query type.",
                 "Query: Cannot get buffer; Unsupported query type."),
             *layout = by_release("[TileDB::Serialization] Error: Cannot set layout; Unsupported query type.",
                 "Query: Cannot set layout; Unsupported query type."),
             *ranges =
                 "Query: [set_subarray] Setting a subarray is not supported for query type 'DELETE'.";
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_DELETE);
  tiledb_query_t* query = new_delete(ctx, array);
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size), set);
  CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &size), set);
  CHECK_ERROR(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &size), set);
  CHECK_ERROR(ctx, tiledb_query_get_data_buffer(ctx, query, "number", &data, &size_out), get);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR), layout);
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_HILBERT), layout);
  subarray = new_subarray(ctx, array);
  CHECK_ERROR(ctx, tiledb_query_set_subarray_t(ctx, query, subarray), ranges);
  CHECK_ERROR(
      ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size),
      "Query: query estimated result size: operation currently supported only for read queries");
  CHECK_FAILS(ctx, tiledb_query_get_fragment_num(ctx, query, &fragments), "Cannot get number of fragments");
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, each_submit_of_a_delete_query_deletes) {
  char uri[128];
  int32_t has_results = 9;
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_DELETE);
  tiledb_query_t* query = new_delete(ctx, array);
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_LT, 5);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  submit(ctx, query, TILEDB_COMPLETED);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_FAILS(ctx, tiledb_query_set_condition(ctx, query, condition), "Cannot set query condition");
  CHECK_OK(ctx, tiledb_query_has_results(ctx, query, &has_results));
  CHECK_EQ(has_results, 0);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  CHECK_ERROR(
      ctx, tiledb_query_submit_and_finalize(ctx, query),
      "Query: Failed to submit and finalize query; Call valid only in global_order writes.");
  tiledb_query_free(&query);
  tiledb_query_condition_free(&condition);
  close_array(ctx, &array);
  CHECK_EQ(numbers(ctx, uri, TILEDB_UNORDERED, 0, UINT64_MAX), 0x1e0);
}
