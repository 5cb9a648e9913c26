/* Reads of sparse arrays: cells, order, incomplete results and status. */
#include "arrays.h"

enum { MOST = 16 };

/* Creates two fragments: 10, 20, 30, 40 with 0 to 3, and 20, 25 with 4 and 5. */
static void fill(tiledb_ctx_t* ctx, int dups, char* uri) {
  int32_t old_x[] = {40, 10, 30, 20}, old_number[] = {3, 0, 2, 1}, new_x[] = {25, 20}, new_number[] = {5, 4};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, dups), uri);
  write_points(ctx, uri, 1, 4, old_x, old_number);
  write_points(ctx, uri, 2, 2, new_x, new_number);
}

/* Checks that a submit returns these numbers and leaves the query in this status. */
static void check_numbers(
    tiledb_ctx_t* ctx, tiledb_query_t* query, uint64_t room, tiledb_query_status_t expected, uint64_t cells,
    const int32_t* numbers) {
  int32_t got[MOST];
  uint64_t size = room * sizeof *got;
  tiledb_query_status_t status;
  tiledb_query_status_details_t details;
  int32_t has_results = 9;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", got, &size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, expected);
  CHECK_EQ(size, cells * sizeof *got);
  CHECK(memcmp(got, numbers, (size_t)size) == 0);
  CHECK_OK(ctx, tiledb_query_has_results(ctx, query, &has_results));
  CHECK_EQ(has_results, cells > 0);
  CHECK_OK(ctx, tiledb_query_get_status_details(ctx, query, &details));
  CHECK_EQ(details.incomplete_reason, expected == TILEDB_INCOMPLETE ? TILEDB_REASON_USER_BUFFER_SIZE : TILEDB_REASON_NONE);
}

TEST_WITH(ctx, the_newest_of_equal_cells_is_read_in_each_layout) {
  const int32_t numbers[] = {0, 4, 5, 2, 3};
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  char uri[128];
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    check_numbers(ctx, query, MOST, TILEDB_COMPLETED, 5, numbers);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, duplicates_are_returned_fragment_by_fragment) {
  const int32_t numbers[] = {0, 1, 2, 3, 4, 5};
  char uri[128];
  fill(ctx, 1, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  check_numbers(ctx, query, MOST, TILEDB_COMPLETED, 6, numbers);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, reads_continue_after_full_buffers) {
  const int32_t numbers[] = {0, 4, 5, 2, 3};
  char uri[128];
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  check_numbers(ctx, query, 2, TILEDB_INCOMPLETE, 2, numbers);
  check_numbers(ctx, query, 0, TILEDB_INCOMPLETE, 0, numbers);
  check_numbers(ctx, query, 1, TILEDB_INCOMPLETE, 1, numbers + 2);
  check_numbers(ctx, query, MOST, TILEDB_COMPLETED, 2, numbers + 3);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, ranges_are_united_and_only_one_goes_with_global_order) {
  const int32_t numbers[] = {0, 4, 3};
  char uri[128];
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 35, 99);
  add_range(ctx, subarray, 1, 15);
  add_range(ctx, subarray, 5, 24);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  check_numbers(ctx, query, MOST, TILEDB_COMPLETED, 3, numbers);
  tiledb_query_free(&query);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  int32_t got[MOST];
  uint64_t size = sizeof got;
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", got, &size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "ReaderBase: Cannot initialize reader; Multi-range reads are not supported on a global order query.");
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, estimates_count_the_cells_of_tiles) {
  uint64_t size = 99;
  char uri[128];
  fill(ctx, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  CHECK_EQ(size, 6 * sizeof(int32_t));
  tiledb_query_free(&query);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 50, 60);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  CHECK_EQ(size, 0);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, reads_without_ranges_exclude_cells_outside_of_the_current_domain) {
  const int32_t inside[] = {0, 4, 5}, ends[] = {1, 26};
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_current_domain_t* current = NULL;
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_subarray_t* subarray = NULL;
  const tiledb_range_t range = {&ends[0], sizeof *ends, &ends[1], sizeof *ends};
  char uri[128];
  uint64_t number = 9;
  fill(ctx, 0, uri);
  /* A current domain that is set after the cells were written. */
  wait_a_moment();
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_domain(ctx, schema, &domain));
  CHECK_OK(ctx, tiledb_ndrectangle_alloc(ctx, domain, &rectangle));
  CHECK_OK(ctx, tiledb_ndrectangle_set_range(ctx, rectangle, 0, (tiledb_range_t*)&range));
  CHECK_OK(ctx, tiledb_current_domain_create(ctx, &current));
  CHECK_OK(ctx, tiledb_current_domain_set_ndrectangle(ctx, current, rectangle));
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &evolution));
  CHECK_OK(ctx, tiledb_array_schema_evolution_expand_current_domain(ctx, evolution, current));
  CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, evolution));
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_GLOBAL_ORDER};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    check_numbers(ctx, query, MOST, TILEDB_COMPLETED, 3, inside);
    CHECK_OK(ctx, tiledb_query_get_subarray_t(ctx, query, &subarray));
    const void *low = NULL, *high = NULL, *stride = NULL;
    CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
    CHECK_EQ(number, 1);
    CHECK_OK(ctx, tiledb_subarray_get_range(ctx, subarray, 0, 0, &low, &high, &stride));
    CHECK_EQ(*(const int32_t*)high, 26);
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
  tiledb_array_schema_evolution_free(&evolution);
  CHECK_EQ(tiledb_current_domain_free(&current), TILEDB_OK);
  CHECK_EQ(tiledb_ndrectangle_free(&rectangle), TILEDB_OK);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}
