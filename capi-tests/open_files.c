/*
 * A process may have only a few files open: arrays with more fields and fragments than that are
 * written, read and consolidated all the same.
 */
#include "arrays.h"

#include <sys/resource.h>

/* Two open files for each field would exceed the limit, and so would one for each fragment. */
enum { LIMIT = 40, FIELDS = 40, FRAGMENTS = 60 };

/* Allows the process `number` open files and returns how many it was allowed before. */
static rlim_t allow_open_files(rlim_t number) {
  struct rlimit limit;
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = number;
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  return before;
}

/* The number of cells, and the capacity of buffers in cells. */
enum { CELL_NUM = 2, ROOM = 16 };

/* The cells 1 and 2 of all fields: strings of two letters, the second of which is null. */
typedef struct {
  int32_t x[ROOM];
  char values[FIELDS][2 * ROOM];
  uint64_t starts[FIELDS][ROOM];
  uint8_t valid[FIELDS][ROOM];
  uint64_t x_size, value_sizes[FIELDS], start_sizes[FIELDS], valid_sizes[FIELDS];
} wide_t;

/* Sets the sizes of buffers with this number of cells. */
static void set_sizes(wide_t* cells, uint64_t number) {
  cells->x_size = number * sizeof *cells->x;
  for (int field = 0; field < FIELDS; field++) {
    cells->value_sizes[field] = 2 * number;
    cells->start_sizes[field] = number * sizeof **cells->starts;
    cells->valid_sizes[field] = number;
  }
}

static wide_t cells_of_all_fields(void) {
  wide_t cells;
  memset(&cells, 0, sizeof cells);
  set_sizes(&cells, CELL_NUM);
  for (int i = 0; i < CELL_NUM; i++) cells.x[i] = i + 1;
  for (int field = 0; field < FIELDS; field++) {
    for (int i = 0; i < 2 * CELL_NUM; i++) cells.values[field][i] = (char)('a' + (field + i) % 26);
    cells.starts[field][1] = 2;
    cells.valid[field][0] = 1;
  }
  return cells;
}

static void name_of(int field, char* name) { snprintf(name, 8, "a%d", field); }

/* Sets the buffers of a query: with coordinates if the array is sparse. */
static void set_buffers(tiledb_ctx_t* ctx, tiledb_query_t* query, tiledb_array_type_t type, wide_t* cells) {
  char name[8];
  if (type == TILEDB_SPARSE)
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", cells->x, &cells->x_size));
  for (int field = 0; field < FIELDS; field++) {
    name_of(field, name);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, cells->values[field], &cells->value_sizes[field]));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, name, cells->starts[field], &cells->start_sizes[field]));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, name, cells->valid[field], &cells->valid_sizes[field]));
  }
}

static void create_wide(tiledb_ctx_t* ctx, tiledb_array_type_t type, char* uri) {
  tiledb_array_schema_t* schema = schema_on(ctx, type, new_dimension(ctx, "x", 2, 2), NULL);
  char name[8];
  for (int field = 0; field < FIELDS; field++) {
    name_of(field, name);
    add_attribute(ctx, schema, name, TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 1);
  }
  create_with(ctx, schema, uri);
}

static void write_wide(tiledb_ctx_t* ctx, const char* uri, tiledb_array_type_t type, uint64_t time) {
  wide_t cells = cells_of_all_fields();
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, time);
  tiledb_query_t* query =
      query_all(ctx, array, TILEDB_WRITE, type == TILEDB_DENSE ? TILEDB_ROW_MAJOR : TILEDB_GLOBAL_ORDER);
  set_buffers(ctx, query, type, &cells);
  if (type == TILEDB_DENSE) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 2);
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    tiledb_subarray_free(&subarray);
  }
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static void check_wide(tiledb_ctx_t* ctx, const char* uri, tiledb_array_type_t type) {
  wide_t cells, expected = cells_of_all_fields();
  memset(&cells, 0, sizeof cells);
  set_sizes(&cells, ROOM);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 2);
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  tiledb_subarray_free(&subarray);
  set_buffers(ctx, query, type, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  for (int field = 0; field < FIELDS; field++) CHECK_EQ(cells.value_sizes[field], expected.value_sizes[field]);
  CHECK(type == TILEDB_DENSE || memcmp(cells.x, expected.x, sizeof cells.x) == 0);
  CHECK(memcmp(cells.values, expected.values, sizeof cells.values) == 0);
  CHECK(memcmp(cells.starts, expected.starts, sizeof cells.starts) == 0);
  CHECK(memcmp(cells.valid, expected.valid, sizeof cells.valid) == 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Writes, reads, consolidates and vacuums an array with many fields. */
static void use_wide(tiledb_ctx_t* ctx, tiledb_array_type_t type) {
  char uri[128];
  create_wide(ctx, type, uri);
  rlim_t before = allow_open_files(LIMIT);
  for (uint64_t time = 1; time <= 3; time++) write_wide(ctx, uri, type, time);
  check_wide(ctx, uri, type);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 1);
  check_wide(ctx, uri, type);
  allow_open_files(before);
}

TEST_WITH(ctx, sparse_arrays_may_have_more_fields_than_the_process_may_have_open_files) { use_wide(ctx, TILEDB_SPARSE); }

TEST_WITH(ctx, dense_arrays_may_have_more_fields_than_the_process_may_have_open_files) { use_wide(ctx, TILEDB_DENSE); }

/* Reads the points 1 to FRAGMENTS and checks that the number at x is 10 x. */
static void check_points(tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_layout_t layout) {
  int32_t x[FRAGMENTS], numbers[FRAGMENTS];
  uint64_t sizes[2] = {sizeof x, sizeof numbers};
  uint8_t seen[FRAGMENTS + 1] = {0};
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layout);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], sizeof x);
  for (int i = 0; i < FRAGMENTS; i++) {
    CHECK(x[i] >= 1 && x[i] <= FRAGMENTS && !seen[x[i]]);
    seen[x[i]] = 1;
    CHECK_EQ(numbers[i], 10 * x[i]);
  }
  tiledb_query_free(&query);
}

TEST_WITH(ctx, arrays_may_have_more_fragments_than_the_process_may_have_open_files) {
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, FRAGMENTS, 10, 0), uri);
  rlim_t before = allow_open_files(LIMIT);
  for (int32_t x = 1; x <= FRAGMENTS; x++) {
    int32_t number = 10 * x;
    write_points(ctx, uri, (uint64_t)x, 1, &x, &number);
  }
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  check_points(ctx, array, TILEDB_UNORDERED);
  check_points(ctx, array, TILEDB_ROW_MAJOR);
  check_points(ctx, array, TILEDB_GLOBAL_ORDER);
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  array = open_array(ctx, uri, TILEDB_READ);
  check_points(ctx, array, TILEDB_ROW_MAJOR);
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), 1);
  allow_open_files(before);
}

/* Other files of the program may use up all descriptors but a few. */
TEST_WITH(ctx, idle_files_are_closed_if_the_program_has_opened_many) {
  char uri[128];
  FILE* others[LIMIT];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, FRAGMENTS, 10, 0), uri);
  for (int32_t x = 1; x <= FRAGMENTS; x++) {
    int32_t number = 10 * x;
    write_points(ctx, uri, (uint64_t)x, 1, &x, &number);
  }
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  check_points(ctx, array, TILEDB_UNORDERED);
  rlim_t before = allow_open_files(LIMIT);
  int opened = 0;
  for (; opened < LIMIT; opened++)
    if ((others[opened] = fopen("/dev/null", "r")) == NULL) break;
  for (int i = 0; i < 4 && opened > 0; i++) fclose(others[--opened]);
  check_points(ctx, array, TILEDB_ROW_MAJOR);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  check_points(ctx, array, TILEDB_UNORDERED);
  close_array(ctx, &array);
  while (opened > 0) fclose(others[--opened]);
  allow_open_files(before);
}
