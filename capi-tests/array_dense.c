/* Dense arrays: create, write, read, inspect. 4 x 6 cells in tiles of 2 x 3. */
#include "arrays.h"

static void create_array(tiledb_ctx_t* ctx, char* uri) { create_with(ctx, new_schema(ctx), uri); }

/*
 * Cell n in row-major order contains n, a string of n % 3 letters, and n / 2 unless n is a
 * multiple of 5.
 */
static void write_all(tiledb_ctx_t* ctx, const char* uri) {
  int32_t number[CELLS];
  uint64_t starts[CELLS];
  char name[2 * CELLS];
  double maybe[CELLS];
  uint8_t valid[CELLS];
  uint64_t used = 0;
  for (int i = 0; i < CELLS; i++) {
    number[i] = i;
    starts[i] = used;
    for (int letter = 0; letter < i % 3; letter++) name[used++] = (char)('a' + i);
    maybe[i] = i / 2.0;
    valid[i] = i % 5 != 0;
  }
  uint64_t number_size = sizeof number, starts_size = sizeof starts, maybe_size = sizeof maybe;
  uint64_t valid_size = sizeof valid;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &number_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", name, &used));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &starts_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", maybe, &maybe_size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, boxes_are_read_in_each_layout) {
  const int32_t box[4] = {2, 3, 2, 4};
  const int32_t by_rows[] = {7, 8, 9, 13, 14, 15}, by_columns[] = {7, 13, 8, 14, 9, 15};
  const int32_t by_tiles[] = {0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}, tiles[4] = {1, 2, 1, COLUMNS};
  int32_t number[CELLS];
  char uri[128];
  create_array(ctx, uri);
  write_all(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, box, number), 6);
  CHECK(memcmp(number, by_rows, sizeof by_rows) == 0);
  CHECK_EQ(read_box(ctx, array, TILEDB_COL_MAJOR, box, number), 6);
  CHECK(memcmp(number, by_columns, sizeof by_columns) == 0);
  CHECK_EQ(read_box(ctx, array, TILEDB_GLOBAL_ORDER, tiles, number), 12);
  CHECK(memcmp(number, by_tiles, sizeof by_tiles) == 0);
  close_array(ctx, &array);
}

TEST_WITH(ctx, texts_and_nulls_come_back) {
  const int32_t row[4] = {2, 2, 1, COLUMNS};
  uint64_t starts[COLUMNS], starts_size = sizeof starts, name_size = CELLS, maybe_size, valid_size;
  const uint64_t wanted_starts[] = {0, 0, 1, 3, 3, 4};
  char uri[128], name[CELLS];
  double maybe[COLUMNS];
  uint8_t valid[COLUMNS];
  maybe_size = sizeof maybe;
  valid_size = sizeof valid;
  create_array(ctx, uri);
  write_all(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, row);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", name, &name_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &starts_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", maybe, &maybe_size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(starts_size, sizeof starts);
  CHECK(memcmp(starts, wanted_starts, sizeof starts) == 0);
  CHECK_EQ(name_size, 6);
  CHECK(memcmp(name, "hiikll", 6) == 0);
  for (int i = 0; i < COLUMNS; i++) {
    CHECK_EQ(valid[i], (i + COLUMNS) % 5 != 0);
    if (valid[i]) CHECK(maybe[i] == (i + COLUMNS) / 2.0);
  }
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, small_buffers_return_the_cells_in_parts) {
  int32_t number[5], next = 0;
  char uri[128];
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  tiledb_query_status_details_t details;
  create_array(ctx, uri);
  write_all(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  for (int round = 0; status == TILEDB_INCOMPLETE && round <= CELLS; round++) {
    uint64_t size = sizeof number;
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_OK(ctx, tiledb_query_get_status_details(ctx, query, &details));
    CHECK_EQ(details.incomplete_reason,
             status == TILEDB_INCOMPLETE ? TILEDB_REASON_USER_BUFFER_SIZE : TILEDB_REASON_NONE);
    for (uint64_t i = 0; i < size / sizeof(int32_t); i++) CHECK_EQ(number[i], next++);
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(next, CELLS);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Reads all coordinates of a query as `number` fields, with buffers for `cells` cells. Returns the
 * number of submits.
 */
static int read_coordinates(
    tiledb_ctx_t* ctx, tiledb_query_t* query, int number, const char* const* names, const uint64_t* widths, uint64_t cells,
    int32_t (*to)[2 * CELLS], uint64_t* count) {
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  uint64_t done[2] = {0, 0}, sizes[2];
  int submits = 0;
  for (; status == TILEDB_INCOMPLETE && submits <= CELLS; submits++) {
    for (int i = 0; i < number; i++) {
      sizes[i] = cells * widths[i] * sizeof(int32_t);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, names[i], to[i] + done[i], &sizes[i]));
    }
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    for (int i = 0; i < number; i++) done[i] += sizes[i] / sizeof(int32_t);
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  *count = done[0] / widths[0];
  return submits;
}

TEST_WITH(ctx, coordinates_of_all_dimensions_are_read_as_one_value) {
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  const char *apart[] = {"row", "column"}, *zipped[] = {"__coords"};
  const uint64_t one[] = {1, 1}, two[] = {2};
  const int32_t box[4] = {2, 4, 2, 6};
  int32_t separate[2][2 * CELLS], together[1][2 * CELLS];
  char uri[128];
  create_array(ctx, uri);
  write_all(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    for (uint64_t cells = 2; cells <= 15; cells += 13) {
      uint64_t count = 0, expected = 0, size = 0;
      tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, layouts[i], box);
      read_coordinates(ctx, query, 2, apart, one, CELLS, separate, &expected);
      tiledb_query_free(&query);
      CHECK_EQ(expected, 15);
      query = new_query(ctx, array, TILEDB_READ, layouts[i], box);
      CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "__coords", &size));
      CHECK_EQ(size, 15 * 2 * sizeof(int32_t));
      const int submits = read_coordinates(ctx, query, 1, zipped, two, cells, together, &count);
      CHECK(cells == 15 ? submits == 1 : submits >= 8);
      CHECK_EQ(count, expected);
      for (uint64_t cell = 0; cell < count; cell++) {
        CHECK_EQ(together[0][2 * cell], separate[0][cell]);
        CHECK_EQ(together[0][2 * cell + 1], separate[1][cell]);
      }
      tiledb_query_free(&query);
    }
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, coordinates_are_read_in_one_way) {
  const char* texts = "[TileDB::Query] Error: Cannot set separate coordinate buffers and a zipped coordinate buffer in the "
                      "same query";
  int32_t cells[2 * CELLS];
  uint64_t size = sizeof cells;
  uint32_t values = 0;
  tiledb_datatype_t type = TILEDB_ANY;
  tiledb_field_origin_t origin = TILEDB_ATTRIBUTE_FIELD;
  tiledb_query_field_t* field = NULL;
  char uri[128];
  create_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "__coords", cells, &size));
  CHECK_FAILS(ctx, tiledb_query_set_data_buffer(ctx, query, "row", cells, &size), texts);
  CHECK_OK(ctx, tiledb_query_get_field(ctx, query, "__coords", &field));
  CHECK_OK(ctx, tiledb_field_datatype(ctx, field, &type));
  CHECK_OK(ctx, tiledb_field_origin(ctx, field, &origin));
  CHECK_OK(ctx, tiledb_field_cell_val_num(ctx, field, &values));
  CHECK_EQ(type, TILEDB_INT32);
  CHECK_EQ(origin, TILEDB_DIMENSION_FIELD);
  CHECK_EQ(values, 1);
  CHECK_OK(ctx, tiledb_query_field_free(ctx, &field));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_FAILS(ctx, tiledb_query_set_data_buffer(ctx, query, "__coords", cells, &size),
              "[TileDB::Query] Error: Dense write queries cannot set dimension buffers");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Programs that read an array tile by tile expect tiles, also if a buffer can hold slightly more.
 */
TEST_WITH(ctx, reads_end_at_tile_borders_if_a_tile_fits) {
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  int32_t written[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, number[6];
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_DENSE, 10, 5, 0), uri);
  uint64_t size = sizeof written;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", written, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 10);
    query = query_on(ctx, array, TILEDB_READ, layouts[i], subarray);
    for (int tile = 0; tile < 2; tile++) {
      size = sizeof number;
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
      submit(ctx, query, tile == 0 ? TILEDB_INCOMPLETE : TILEDB_COMPLETED);
      CHECK_EQ(size, 5 * sizeof *number);
      CHECK(memcmp(number, written + 5 * tile, size) == 0);
    }
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, reads_return_the_newest_cells_and_fill_values) {
  const int32_t box[4] = {1, 2, 1, 2}, corner[4] = {2, 2, 2, 2};
  int32_t number[CELLS], first[4] = {1, 2, 3, 4}, second[1] = {50};
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  write_box(ctx, uri, 1, box, first);
  write_box(ctx, uri, 2, corner, second);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, whole, number), CELLS);
  CHECK_EQ(number[0], 1);
  CHECK_EQ(number[1], 2);
  CHECK_EQ(number[2], INT32_MIN);
  CHECK_EQ(number[COLUMNS], 3);
  CHECK_EQ(number[COLUMNS + 1], 50);
  CHECK_EQ(number[CELLS - 1], INT32_MIN);
  close_array(ctx, &array);
}

TEST_WITH(ctx, the_non_empty_domain_is_what_was_written) {
  int32_t domain[4] = {0, 0, 0, 0}, is_empty = 0;
  char uri[128];
  create_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, domain, &is_empty));
  CHECK_EQ(is_empty, 1);
  close_array(ctx, &array);
  write_all(ctx, uri);
  array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, domain, &is_empty));
  CHECK_EQ(is_empty, 0);
  CHECK_EQ(domain[0], 1);
  CHECK_EQ(domain[1], ROWS);
  CHECK_EQ(domain[2], 1);
  CHECK_EQ(domain[3], COLUMNS);
  close_array(ctx, &array);
}

TEST_WITH(ctx, writes_continue_when_a_missing_attribute_is_set) {
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    char uri[128];
    int32_t number[] = {1, 2, 3, 4};
    uint64_t size = sizeof number;
    create_with(ctx, new_line_schema(ctx, TILEDB_DENSE, 4, 2, 0), uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, layouts[i]);
    for (int times = 0; times < 2; times++) {
      tiledb_query_status_t status = TILEDB_COMPLETED;
      CHECK_ERROR(
          ctx, tiledb_query_submit(ctx, query),
          "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered case) to be set");
      CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
      CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
      CHECK_EQ(status, TILEDB_UNINITIALIZED);
    }
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(ctx, &array);
    CHECK_EQ(fragments_of(ctx, uri), 1);
  }
}
