/* Unordered writes of sparse arrays: checks of cells, contents of fragments, errors of submits. */
#include "sparse_cells.h"

TEST_WITH(ctx, numbers_cannot_be_written_with_a_dictionary) {
  const tiledb_filter_type_t type = TILEDB_FILTER_DICTIONARY;
  char uri[128];
  int32_t x[2] = {1, 2}, numbers[2] = {1, 2};
  uint64_t size = sizeof x;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  tiledb_attribute_t* attribute = new_attribute(ctx, "coded", TILEDB_INT32);
  tiledb_filter_list_t* filters = filter_list(ctx, 1, &type);
  CHECK_OK(ctx, tiledb_attribute_set_filter_list(ctx, attribute, filters));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  tiledb_filter_list_free(&filters);
  tiledb_attribute_free(&attribute);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "coded", numbers, &size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Filter] Error: CompressionFilter error; Dictionary encoding only applies to variable length strings");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, cells_in_any_order_are_sorted_into_tiles) {
  char uri[128];
  const int32_t x[] = {95, 3, 12, 3, 11};
  const int32_t bounds[][2] = {{3, 3}, {11, 12}, {95, 95}};
  tiledb_array_t* array = NULL;
  cells_t cells = cells_at(x, "abcde");
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_all(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(written(ctx, query), 1);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_fragment(ctx, uri, 5, 3, bounds);
}

TEST(cells_outside_of_the_domain_are_rejected_if_checked) {
  const int32_t x[] = {3, 101, 0};
  const int32_t bounds[][2] = {{-5, 3}};
  char uri[128];
  tiledb_ctx_t* ctx = new_context();
  const char* error =
      "[TileDB::Dimension] Error: Dimension: Coordinate 101 is out of domain bounds [1, 100] on dimension 'x'";
  rejects(ctx, TILEDB_UNORDERED, TILEDB_ROW_MAJOR, cells_at(x, "ab"), error);
  rejects(ctx, TILEDB_GLOBAL_ORDER, TILEDB_ROW_MAJOR, cells_at(x, "ab"), error);
  tiledb_ctx_free(&ctx);
  ctx = context_with("sm.check_coord_oob", "false");
  {
    const int32_t outside[] = {3, -5};
    cells_t cells = cells_at(outside, "ab");
    tiledb_array_t* array = NULL;
    create(ctx, TILEDB_COL_MAJOR, 0, uri);
    array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    set_all(ctx, query, &cells);
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    check_fragment(ctx, uri, 2, 1, bounds);
  }
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, duplicates_are_rejected) {
  const int32_t x[] = {7, 3, 7};
  rejects(ctx, TILEDB_UNORDERED, TILEDB_ROW_MAJOR, cells_at(x, "aba"),
          "[TileDB::Writer] Error: Duplicate coordinates (7, a) are not allowed");
  {
    const int32_t same[] = {3, 3, 7};
    rejects(ctx, TILEDB_GLOBAL_ORDER, TILEDB_ROW_MAJOR, cells_at(same, "aab"),
            "[TileDB::Writer] Error: Duplicate coordinates (3, a) are not allowed");
  }
}

/* Writes 7 a, 3 b, 7 a and checks the number of cells and the tiles with their bounds in x. */
static void write_twice(tiledb_ctx_t* ctx, int dups, uint64_t cells_left, uint64_t tiles, const int32_t (*bounds)[2]) {
  char uri[128];
  const int32_t x[] = {7, 3, 7};
  cells_t cells = cells_at(x, "aba");
  tiledb_array_t* array = NULL;
  create(ctx, TILEDB_ROW_MAJOR, dups, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_all(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_fragment(ctx, uri, cells_left, tiles, bounds);
}

TEST(duplicates_are_kept_or_dropped_as_configured) {
  const int32_t both[][2] = {{3, 7}, {7, 7}};
  tiledb_ctx_t* ctx = new_context();
  write_twice(ctx, 1, 3, 2, both);
  tiledb_ctx_free(&ctx);
  ctx = context_with("sm.check_coord_dups", "false");
  write_twice(ctx, 0, 3, 2, both);
  tiledb_ctx_free(&ctx);
  ctx = context_with("sm.dedup_coords", "true");
  write_twice(ctx, 0, 2, 1, both);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, a_write_needs_all_its_fields) {
  char uri[128];
  const int32_t x[] = {1};
  tiledb_array_t* array = NULL;
  cells_t cells = cells_at(x, "a");
  const char* all = "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered case) to be set";
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells.number, &cells.number_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", cells.x, &cells.x_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), all);
  tiledb_query_free(&query);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_coordinates(ctx, query, &cells);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), all);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Programs pass complete attribute buffers although the coordinates have fewer cells. */
TEST_WITH(ctx, surplus_attribute_cells_are_ignored) {
  char uri[128], text[] = "abbccc", found_text[16];
  int32_t x[2] = {7, 3}, numbers[5] = {1, 2, 3, 4, 5}, found[4];
  uint64_t starts[3] = {0, 1, 3}, found_starts[4];
  uint8_t valid[4] = {0, 1, 0, 1}, found_valid[4];
  uint64_t x_size = sizeof x, size = sizeof numbers, valid_size = sizeof valid, text_size = 6, starts_size = sizeof starts;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_INT32, 1, 1);
  add_attribute(ctx, schema, "text", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", text, &text_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &starts_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  size = sizeof found, valid_size = sizeof found_valid, text_size = sizeof found_text, starts_size = sizeof found_starts;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", found, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", found_valid, &valid_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", found_text, &text_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", found_starts, &starts_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(size == 8 && found[0] == 2 && found[1] == 1);
  CHECK(valid_size == 2 && found_valid[0] == 1 && found_valid[1] == 0);
  CHECK(starts_size == 16 && found_starts[0] == 0);
#ifndef LIBTILEDB_ITSELF
  /* libtiledb adds the bytes of the omitted strings to the last cell. */
  CHECK(found_starts[1] == 2 && text_size == 3 && memcmp(found_text, "bba", 3) == 0);
#endif
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* In sparse writes; those of dense arrays need 8 bytes for each, see dense_offsets.c. */
TEST(sizes_of_32_bit_offsets_are_8_or_4_bytes_for_each) {
  for (uint64_t bytes = 4; bytes <= 8; bytes += 4) {
    char uri[128], text[] = "abbcccc", found_text[16];
    int32_t x[4] = {7, 3, 9, 1}, numbers[4] = {1, 2, 3, 4};
    uint32_t starts[4] = {0, 1, 3, 3}, found_starts[16];
    uint64_t x_size = sizeof x, size = sizeof numbers, text_size = 7, starts_size = 4 * bytes;
    tiledb_ctx_t* ctx = context_with("sm.var_offsets.bitsize", "32");
    tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
    add_attribute(ctx, schema, "text", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", text, &text_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", (uint64_t*)(void*)starts, &starts_size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    text_size = sizeof found_text, starts_size = sizeof found_starts;
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", found_text, &text_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", (uint64_t*)(void*)found_starts, &starts_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(starts_size, sizeof starts);
    CHECK(text_size == 7 && memcmp(found_text, "ccccbba", 7) == 0);
    CHECK(found_starts[1] == 4 && found_starts[2] == 6 && found_starts[3] == 7);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_ctx_free(&ctx);
  }
}

TEST_WITH(ctx, unordered_writes_complete_with_each_submit) {
  char uri[128];
  const int32_t x[] = {1};
  tiledb_array_t* array = NULL;
  cells_t cells = cells_at(x, "a");
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_all(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "x", cells.x, &cells.x_size),
              "[TileDB::Query] Error: Buffer x was already written");
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "TileDB internal: ['UnorderedWriter::dowork]  (UnorderWriter: All buffers already written)");
  CHECK_EQ(written(ctx, query), 1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  /* libtiledb removes the fragment that the first submit wrote; this library keeps it. */
}

TEST(separate_attribute_writes_must_be_enabled) {
  char uri[128];
  const int32_t x[] = {9, 1}, bounds[][2] = {{1, 9}};
  tiledb_ctx_t* ctx = context_with("sm.allow_separate_attribute_writes", "true");
  tiledb_array_t* array = NULL;
  cells_t cells = cells_at(x, "ab");
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", cells.x, &cells.x_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "Query: [check_buffer_names] Dimension buffer name is not set");
  set_coordinates(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(written(ctx, query), 0);
  CHECK_ERROR(ctx, tiledb_query_finalize(ctx, query), "UnorderWriter: Not all buffers already written");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells.number, &cells.number_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(written(ctx, query), 1);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_fragment(ctx, uri, 2, 1, bounds);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, sparse_writes_reject_subarrays_and_row_major_order) {
  char uri[128];
  tiledb_array_t* array = NULL;
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR),
              "[TileDB::Query] Error: Row-major and column-major writes are only possible for dense arrays");
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_ERROR(ctx, tiledb_query_set_subarray_t(ctx, query, subarray),
              "Query: [set_subarray] Setting a subarray is not supported on sparse writes.");
  CHECK_ERROR(ctx, tiledb_query_submit_and_finalize(ctx, query),
              "Query: Failed to submit and finalize query; Call valid only in global_order writes.");
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* The cells of a grid are 0 at (3, 1) and 1 at (2, 5). */
static void check_grid(tiledb_ctx_t* ctx, const char* uri) {
  int32_t rows[4], columns[4], numbers[4];
  uint64_t sizes[3] = {sizeof rows, sizeof columns, sizeof numbers};
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "row", rows, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "column", columns, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  for (int i = 0; i < 3; i++) CHECK_EQ(sizes[i], 2 * sizeof(int32_t));
  CHECK(rows[0] == 2 && columns[0] == 5 && numbers[0] == 1);
  CHECK(rows[1] == 3 && columns[1] == 1 && numbers[1] == 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, coordinates_may_come_zipped) {
  char uri[128];
  int32_t zipped[] = {3, 1, 2, 5}, number[] = {0, 1};
  const int32_t bounds[][2] = {{2, 3}};
  uint64_t zipped_size = sizeof zipped, number_size = sizeof number;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  const char* mixed =
      "[TileDB::Query] Error: Cannot set separate coordinate buffers and a zipped coordinate buffer in the same query";
  create_with(ctx, grid_schema(ctx, TILEDB_SPARSE), uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "__coords", zipped, &zipped_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &number_size));
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "row", zipped, &zipped_size), mixed);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  check_fragment(ctx, uri, 2, 1, bounds);
  check_grid(ctx, uri);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "row", zipped, &zipped_size));
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "__coords", zipped, &zipped_size), mixed);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  create(ctx, TILEDB_ROW_MAJOR, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "__coords", zipped, &zipped_size),
              "[TileDB::Query] Error: Cannot set buffer; Setting a buffer for zipped coordinates is not applicable to "
              "heterogeneous domains");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, floating_point_numbers_in_errors_are_printed_as_in_c) {
  char uri[128];
  double bounds[2] = {-1.5, 100}, x[] = {1.25, -1.75}, same[] = {123456789.0 / 1e7, 123456789.0 / 1e7};
  int32_t number[] = {0, 1};
  uint64_t x_size = sizeof x, number_size = sizeof number;
  tiledb_dimension_t* dimension = NULL;
  tiledb_array_t* array = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "x", TILEDB_FLOAT64, bounds, NULL, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, dimension, NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &number_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Dimension] Error: Dimension: Coordinate -1.75 is out of domain bounds [-1.5, 100] on dimension 'x'");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", same, &x_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Writer] Error: Duplicate coordinates (12.3457) are not allowed");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
