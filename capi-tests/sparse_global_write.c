/* Writes in global order to sparse arrays: several submits, the check of the order. */
#include "sparse_cells.h"

TEST_WITH(ctx, cells_in_global_order_come_in_many_submits) {
  char uri[128];
  const int32_t x[] = {1, 2, 3, 15, 15, 99}, bounds[][2] = {{1, 2}, {3, 15}, {15, 99}};
  tiledb_array_t* array = NULL;
  cells_t parts[4];
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  parts[0] = cells_at(x, "aaa");
  parts[1] = cells_at(x, "");
  parts[2] = cells_at(x + 3, "a");
  parts[3] = cells_at(x + 4, "bc");
  for (int i = 0; i < 3; i++) {
    set_all(ctx, query, &parts[i]);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(written(ctx, query), 0);
  }
  set_all(ctx, query, &parts[3]);
  CHECK_OK(ctx, tiledb_query_submit_and_finalize(ctx, query));
  CHECK_EQ(written(ctx, query), 1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_fragment(ctx, uri, 6, 3, bounds);
}

TEST_WITH(ctx, unordered_cells_are_rejected_in_global_order) {
  const int32_t rows[] = {3, 2}, tiles[] = {31, 2}, curve[] = {1, 100, 2};
  rejects(ctx, TILEDB_GLOBAL_ORDER, TILEDB_ROW_MAJOR, cells_at(rows, "ab"),
          "[TileDB::Writer] Error: Write failed; Coordinates (3, a) succeed (2, b) in the global order");
  rejects(ctx, TILEDB_GLOBAL_ORDER, TILEDB_ROW_MAJOR, cells_at(tiles, "ab"),
          "[TileDB::Writer] Error: Write failed; Coordinates (31, a) succeed (2, b) in the global order due to writes "
          "across tiles");
  rejects(ctx, TILEDB_GLOBAL_ORDER, TILEDB_HILBERT, cells_at(curve, "aaa"),
          "[TileDB::Writer] Error: Write failed; Coordinates (100, a) succeed (2, a) in the hilbert order");
}

TEST_WITH(ctx, global_order_is_checked_across_submits) {
  char uri[128];
  const int32_t first[] = {5}, tile[] = {15}, less[] = {4};
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  const char* errors[] = {
      "[TileDB::Writer] Error: Write failed; Coordinate (4, a) comes before last written coordinate in the global order",
      "[TileDB::Writer] Error: Write failed; Coordinate (4, a) comes before last written coordinate in the global order "
      "due to writes across tiles",
  };
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  for (int across = 0; across < 2; across++) {
    cells_t one = cells_at(across ? tile : first, "a"), other = cells_at(less, "a");
    query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
    set_all(ctx, query, &one);
    submit(ctx, query, TILEDB_COMPLETED);
    set_all(ctx, query, &other);
    CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), errors[across]);
    tiledb_query_free(&query);
  }
  /* The failed submit wrote nothing, and the next cells start a new fragment. */
  {
    const int32_t bounds[][2] = {{4, 4}};
    cells_t one = cells_at(first, "a"), other = cells_at(less, "a");
    query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
    set_all(ctx, query, &one);
    submit(ctx, query, TILEDB_COMPLETED);
    set_all(ctx, query, &other);
    CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), errors[0]);
    set_all(ctx, query, &other);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
    CHECK_EQ(written(ctx, query), 1);
    tiledb_query_free(&query);
    check_fragment(ctx, uri, 1, 1, bounds);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_write_in_global_order_continues_after_cells_out_of_bounds) {
  char uri[128];
  const int32_t x[] = {1, 2, 15, 101, 15, 99}, bounds[][2] = {{1, 2}, {15, 99}};
  cells_t parts[3];
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  for (int i = 0; i < 3; i++) {
    parts[i] = cells_at(x + 2 * i, "ab");
    set_all(ctx, query, &parts[i]);
    if (i == 1) {
      CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "Coordinate 101 is out of domain bounds [1, 100]");
    } else {
      submit(ctx, query, TILEDB_COMPLETED);
    }
  }
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  CHECK_EQ(written(ctx, query), 1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_fragment(ctx, uri, 4, 2, bounds);
}

TEST(checking_the_global_order_can_be_disabled) {
  char uri[128];
  const int32_t x[] = {30, 2}, bounds[][2] = {{2, 30}};
  tiledb_ctx_t* ctx = context_with("sm.check_global_order", "false");
  tiledb_array_t* array = NULL;
  cells_t cells = cells_at(x, "ab");
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  set_all(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_fragment(ctx, uri, 2, 1, bounds);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, writes_of_no_cells_create_no_fragment) {
  char uri[128];
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_GLOBAL_ORDER};
  tiledb_array_t* array = NULL;
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  for (int i = 0; i < 2; i++) {
    cells_t cells = cells_at(NULL, "");
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, layouts[i]);
    set_all(ctx, query, &cells);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
    CHECK_EQ(written(ctx, query), 0);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), 0);
}

TEST_WITH(ctx, surplus_validities_are_ignored_in_global_order) {
  char uri[128];
  int32_t x[2] = {3, 7}, numbers[2] = {1, 2}, found[4];
  uint8_t valid[4] = {0, 1, 0, 1}, found_valid[4];
  uint64_t size = sizeof x, valid_size = sizeof valid, found_size = sizeof found;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_INT32, 1, 1);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", found, &found_size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", found_valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(valid_size == 2 && found_valid[0] == 0 && found_valid[1] == 1 && found[1] == 2);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
