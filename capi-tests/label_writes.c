/* Writes of label values, and of cells by label ranges; errors and the query status after them. */
#include "labels.h"

/* Checks that `submits` submits fail and leave the query in this status. */
static void fails_and_is(
    tiledb_ctx_t* ctx, tiledb_query_t* query, int submits, const char* text, tiledb_query_status_t expected) {
  for (int i = 0; i < submits; i++) {
    tiledb_query_status_t status;
    tiledb_query_status_details_t details;
    CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), text);
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_EQ(status, expected);
    CHECK_OK(ctx, tiledb_query_get_status_details(ctx, query, &details));
    CHECK_EQ(details.incomplete_reason, TILEDB_REASON_NONE);
  }
  tiledb_query_free(&query);
}

TEST_WITH(ctx, failures_during_label_work_leave_the_query_in_progress) {
  char uri[128];
  const double falling[] = {3, 2, 1};
  int32_t numbers[LENGTH] = {0};
  double values[LENGTH];
  uint64_t size = sizeof falling, numbers_size = 3 * sizeof *numbers;
  labelled_array(ctx, uri);
  wait_a_moment();
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  for (int with_cells = 0; with_cells < 2; with_cells++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 3);
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
    set_data(ctx, query, "up", falling, &size);
    if (with_cells) set_data(ctx, query, "number", numbers, &numbers_size);
    fails_and_is(ctx, query, 2, "is not in the expected order", TILEDB_INPROGRESS);
  }
  const double ends[][2] = {{1.1, 1.2}, {1, 4.5}};
  const char* texts[] = {"Failed to process and update index ranges for label 'up'", "Invalid number of cells given"};
  for (int i = 0; i < 2; i++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, label_range(ctx, subarray, "up", ends[i][0], ends[i][1]));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
    set_data(ctx, query, "number", numbers, &numbers_size);
    /* A second submit would use index ranges, which crashes libtiledb. */
    fails_and_is(ctx, query, 1, texts[i], TILEDB_INPROGRESS);
  }
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int of_label = 0; of_label < 2; of_label++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, label_range(ctx, subarray, "up", 10, 20));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    size = sizeof values;
    numbers_size = sizeof numbers;
    if (of_label) set_data(ctx, query, "up", values, &size);
    else set_data(ctx, query, "number", numbers, &numbers_size);
    fails_and_is(ctx, query, 2, texts[0], TILEDB_INPROGRESS);
  }
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values, &size);
  fails_and_is(ctx, query, 2, "Dense reads must have a subarray set", TILEDB_INPROGRESS);
  close_array(ctx, &array);
}

TEST_WITH(ctx, failures_before_label_work_leave_the_query_uninitialized) {
  char uri[128];
  int32_t numbers[LENGTH] = {0};
  double values[LENGTH];
  uint64_t size = 3 * sizeof *up, one = sizeof *numbers;
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "up", up, &size);
  fails_and_is(ctx, query, 2, "Cannot set both label buffer and label range on a write query.", TILEDB_UNINITIALIZED);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 3);
  query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "up", up, &size);
  set_data(ctx, query, "number", numbers, &one);
  fails_and_is(ctx, query, 2, "Invalid number of cells given", TILEDB_UNINITIALIZED);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 3);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
  set_data(ctx, query, "up", values, &size);
  fails_and_is(ctx, query, 2, "The global order layout is not supported", TILEDB_UNINITIALIZED);
  close_array(ctx, &array);
}

TEST_WITH(ctx, unordered_label_values_are_rejected) {
  char uri[128];
  const double rising[] = {1, 2, 2.5}, equal[] = {1, 1, 2}, falling[] = {3, 2, 1};
  const char* refused =
      "WriterBase: The data for attribute 'label' is not in the expected order.";
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  CHECK_EQ(write_label(ctx, uri, "up", rising, 1, 3), TILEDB_OK);
  CHECK_FAILS(ctx, write_label(ctx, uri, "up", equal, 1, 3), refused);
  CHECK_FAILS(ctx, write_label(ctx, uri, "up", falling, 1, 3), refused);
  CHECK_EQ(write_label(ctx, uri, "down", falling, 1, 3), TILEDB_OK);
  CHECK_FAILS(ctx, write_label(ctx, uri, "down", equal, 1, 3), refused);
  CHECK_FAILS(ctx, write_label(ctx, uri, "down", rising, 1, 3), refused);
}

TEST_WITH(ctx, label_values_must_be_ordered_across_writes) {
  char uri[128];
  const double low[] = {1, 2, 3}, high[] = {7, 8}, middle[] = {5, 6}, wrong[] = {2.5};
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  CHECK_EQ(write_label(ctx, uri, "up", low, 2, 4), TILEDB_OK);
  wait_a_moment();
  CHECK_EQ(write_label(ctx, uri, "up", high, 7, 8), TILEDB_OK);
  for (int step = 0; step < 3; step++) {
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    double values[LENGTH];
    uint64_t size = sizeof values;
    CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 9));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    set_data(ctx, query, "up", values, &size);
    if (step == 0)
      CHECK_ERROR(
          ctx, tiledb_query_submit(ctx, query),
          "DimensionLabelQuery: Failed to process and update index ranges for label 'up'. ReaderBase: Discontinuity found "
          "in array domain");
    else if (step == 1) {
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(size, 7 * sizeof *values);
    } else
      CHECK_ERROR(
          ctx, tiledb_query_submit(ctx, query),
          "DimensionLabelQuery: Failed to process and update index ranges for label 'up'. ReaderBase: Attribute out of "
          "order");
    tiledb_query_free(&query);
    close_array(ctx, &array);
    wait_a_moment();
    if (step == 0) CHECK_EQ(write_label(ctx, uri, "up", middle, 5, 6), TILEDB_OK);
    if (step == 1) CHECK_EQ(write_label(ctx, uri, "up", wrong, 6, 6), TILEDB_OK);
  }
}

TEST_WITH(ctx, cells_are_written_by_ranges_of_labels) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t numbers[] = {100, 101, 102};
  uint64_t size = sizeof numbers;
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "number", numbers, &size);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "up", up, &size);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to add dimension label queries. Cannot set both label buffer and label range on a "
      "write query.");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 3, 5);
  numbers_are(ctx, array, &subarray, 100, 102);
  close_array(ctx, &array);
}

TEST_WITH(ctx, sparse_reads_return_labels_of_their_coordinates) {
  char uri[128];
  create_with(ctx, label_schema(ctx, TILEDB_SPARSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  const int32_t i[] = {2, 3, 4}, gap[] = {2, 4, 5}, numbers[] = {11, 12, 13};
  uint64_t sizes[] = {sizeof i, sizeof numbers, 3 * sizeof *up};
  tiledb_subarray_t* none = NULL;
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "x", i, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "up", up + 1, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "x", gap, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "up", up + 1, &sizes[2]);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to initialize the data query for label 'up'. DimensionLabelQuery: The dimension data "
      "must contain consecutive points when writing to a dimension label.");
  tiledb_query_free(&query);
  query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "up", up + 1, &sizes[2]);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", .6, 9));
  numbers_are(ctx, array, &subarray, 12, 13);
  close_array(ctx, &array);
}
