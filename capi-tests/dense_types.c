/*
 * Every type as dense attribute and as dense dimension, with domains that reach the limits of
 * their types.
 */
#include "arrays.h"

static const tiledb_datatype_t dimension_types[] = {
    TILEDB_INT8, TILEDB_UINT8, TILEDB_INT16, TILEDB_UINT16, TILEDB_INT32, TILEDB_UINT32, TILEDB_INT64, TILEDB_UINT64,
    TILEDB_DATETIME_YEAR, TILEDB_DATETIME_MONTH, TILEDB_DATETIME_WEEK, TILEDB_DATETIME_DAY, TILEDB_DATETIME_HR,
    TILEDB_DATETIME_MIN, TILEDB_DATETIME_SEC, TILEDB_DATETIME_MS, TILEDB_DATETIME_US, TILEDB_DATETIME_NS,
    TILEDB_DATETIME_PS, TILEDB_DATETIME_FS, TILEDB_DATETIME_AS, TILEDB_TIME_HR, TILEDB_TIME_MIN, TILEDB_TIME_SEC,
    TILEDB_TIME_MS, TILEDB_TIME_US, TILEDB_TIME_NS, TILEDB_TIME_PS, TILEDB_TIME_FS, TILEDB_TIME_AS};
enum { DIMENSION_TYPES = sizeof dimension_types / sizeof *dimension_types, CELL_NUM = 7 };

/*
 * Creates a one-dimensional array of CELL_NUM coordinates from `low` on; `type` and `nullable` are
 * those of the attribute.
 */
static void create_line(
    tiledb_ctx_t* ctx, tiledb_datatype_t dimension_type, uint64_t low, uint64_t tile, tiledb_datatype_t type,
    uint32_t values, uint8_t nullable, char* uri) {
  char bounds[16];
  uint64_t high = low + CELL_NUM - 1, size = tiledb_datatype_size(dimension_type);
  tiledb_dimension_t* dimension = NULL;
  memcpy(bounds, &low, size);
  memcpy(bounds + size, &high, size);
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", dimension_type, bounds, &tile, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, dimension, NULL);
  add_attribute(ctx, schema, "a", type, values, nullable);
  create_with(ctx, schema, uri);
}

/* Returns a query of the coordinates `first` to `last`, counted from the start of the domain. */
static tiledb_query_t* query_line(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, uint64_t low, uint64_t first, uint64_t last) {
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const uint64_t start = low + first, end = low + last;
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &start, &end, NULL));
  return query_on(ctx, array, type, TILEDB_ROW_MAJOR, subarray);
}

/* Fills `data` with CELL_NUM cells of `size` bytes, no two of which are equal. */
static void fill_cells(char* data, uint64_t size) {
  for (uint64_t i = 0; i < CELL_NUM * size; i++) data[i] = (char)(i % 100 + 1);
}

/* Writes all cells of a line, whose attribute has `size` bytes. */
static void write_line(tiledb_ctx_t* ctx, const char* uri, uint64_t low, uint64_t size) {
  char data[CELL_NUM * 16];
  uint64_t data_size = CELL_NUM * size;
  fill_cells(data, size);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_line(ctx, array, TILEDB_WRITE, low, 0, CELL_NUM - 1);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", data, &data_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Checks the cells of a part of the line, and their coordinates. */
static void check_line(
    tiledb_ctx_t* ctx, const char* uri, tiledb_datatype_t dimension_type, uint64_t low, uint64_t size, uint64_t first,
    uint64_t last) {
  char data[CELL_NUM * 16], expected[CELL_NUM * 16], coordinates[CELL_NUM * 8];
  uint64_t data_size = sizeof data, coordinates_size = sizeof coordinates, width = tiledb_datatype_size(dimension_type);
  fill_cells(expected, size);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_line(ctx, array, TILEDB_READ, low, first, last);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", data, &data_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", coordinates, &coordinates_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(data_size, (last - first + 1) * size);
  CHECK(memcmp(data, expected + first * size, data_size) == 0);
  CHECK_EQ(coordinates_size, (last - first + 1) * width);
  for (uint64_t i = 0; i <= last - first; i++) {
    const uint64_t coordinate = low + first + i;
    CHECK(memcmp(coordinates + i * width, &coordinate, width) == 0);
  }
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, every_dimension_type_reaches_both_ends) {
  for (int i = 0; i < DIMENSION_TYPES; i++) {
    const tiledb_datatype_t type = dimension_types[i];
    const uint64_t bits = 8 * tiledb_datatype_size(type);
    const int is_unsigned = type == TILEDB_UINT8 || type == TILEDB_UINT16 || type == TILEDB_UINT32 || type == TILEDB_UINT64;
    const uint64_t least = is_unsigned ? 0 : UINT64_MAX << (bits - 1);
    const uint64_t greatest = (UINT64_MAX >> (64 - bits)) >> (is_unsigned ? 0 : 1);
    const uint64_t lows[3] = {least, 3, greatest - 9};
    for (int position = 0; position < 3; position++) {
      char uri[128];
      create_line(ctx, type, lows[position], 3, TILEDB_INT32, 1, 0, uri);
      write_line(ctx, uri, lows[position], sizeof(int32_t));
      check_line(ctx, uri, type, lows[position], sizeof(int32_t), 0, CELL_NUM - 1);
      check_line(ctx, uri, type, lows[position], sizeof(int32_t), 2, 5);
    }
  }
}

TEST_WITH(ctx, every_attribute_type_has_cells_of_one_value_and_of_two) {
  for (int type = TILEDB_INT32; type <= TILEDB_GEOM_WKT; type++) {
    if (type == TILEDB_ANY) continue;
    for (uint32_t values = 1; values <= 2; values++) {
      char uri[128];
      const uint64_t size = values * tiledb_datatype_size((tiledb_datatype_t)type);
      create_line(ctx, TILEDB_INT32, 3, 3, (tiledb_datatype_t)type, values, 0, uri);
      write_line(ctx, uri, 3, size);
      check_line(ctx, uri, TILEDB_INT32, 3, size, 0, CELL_NUM - 1);
      check_line(ctx, uri, TILEDB_INT32, 3, size, 1, 4);
    }
  }
}

TEST_WITH(ctx, an_8_bit_dimension_has_up_to_255_cells) {
  const int8_t bounds[2] = {INT8_MIN, INT8_MAX - 1};
  int8_t back[255], numbers[255];
  uint64_t size = sizeof numbers, back_size = sizeof back, coordinates_size = sizeof back;
  char uri[128];
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT8, bounds, NULL, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, dimension, NULL);
  add_attribute(ctx, schema, "a", TILEDB_INT8, 1, 0);
  create_with(ctx, schema, uri);
  for (int i = 0; i < 255; i++) numbers[i] = (int8_t)(i - 128);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_line(ctx, array, TILEDB_READ, (uint8_t)INT8_MIN, 0, 254);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", back, &back_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(back_size, 255);
  CHECK(memcmp(back, numbers, 255) == 0);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "d", &coordinates_size));
  CHECK_EQ(coordinates_size, 255);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, arrays_with_the_largest_domain_can_be_written) {
  const uint64_t bounds[2] = {0, UINT64_MAX - 10}, extent = 5, cells[3] = {0, UINT64_MAX / 2, UINT64_MAX - 12};
  int32_t number = 0;
  char uri[128];
  tiledb_dimension_t* dimension = NULL;
  tiledb_array_t* array = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_UINT64, bounds, &extent, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, dimension, NULL);
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  for (int i = 0; i < 3; i++) {
    uint64_t size = sizeof number;
    number = i + 1;
    array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_line(ctx, array, TILEDB_WRITE, cells[i], 0, 0);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", &number, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    int32_t pair[2] = {0, 0};
    uint64_t size = sizeof pair;
    tiledb_query_t* query = query_line(ctx, array, TILEDB_READ, cells[i], 0, 1);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", pair, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(pair[0], i + 1);
    CHECK_EQ(pair[1], INT32_MIN);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}
