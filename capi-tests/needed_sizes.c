/* The sizes of buffers that a read needs: ask, allocate, submit once. */
#include "arrays.h"

enum { FIELDS = 3 };

static const char* const names[FIELDS] = {"number", "name", "maybe"};

/* The buffers of a field, allocated with reported sizes. */
typedef struct {
  void *data, *offsets, *validity;
  uint64_t data_size, offsets_size, validity_size;
} Buffers;

static void allocate(Buffers* buffers, const tiledb_rs_needed_sizes_t* sizes) {
  buffers->data = malloc(sizes->data + 1);
  buffers->offsets = malloc(sizes->offsets + 1);
  buffers->validity = malloc(sizes->validity + 1);
  buffers->data_size = sizes->data;
  buffers->offsets_size = sizes->offsets;
  buffers->validity_size = sizes->validity;
}

static void set_buffers(tiledb_ctx_t* ctx, tiledb_query_t* query, const char* name, Buffers* buffers) {
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, buffers->data, &buffers->data_size));
  if (buffers->offsets_size > 0)
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, name, buffers->offsets, &buffers->offsets_size));
  if (buffers->validity_size > 0)
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, name, buffers->validity, &buffers->validity_size));
}

static void free_buffers(Buffers* buffers) {
  free(buffers->data);
  free(buffers->offsets);
  free(buffers->validity);
}

TEST_WITH(ctx, buffers_of_the_complete_size_need_one_submit) {
  char uri[128];
  tiledb_rs_needed_sizes_t sizes[FIELDS];
  Buffers buffers[FIELDS];
  tiledb_query_status_t status = TILEDB_FAILED;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_rs_query_get_needed_sizes(ctx, query, names, FIELDS, UINT64_MAX, sizes));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_UNINITIALIZED);
  CHECK_EQ(sizes[0].data, CELLS * sizeof(int32_t));
  CHECK_EQ(sizes[0].offsets, 0);
  CHECK_EQ(sizes[1].data, CELLS);
  CHECK_EQ(sizes[1].offsets, CELLS * sizeof(uint64_t));
  CHECK_EQ(sizes[2].validity, CELLS);
  for (int i = 0; i < FIELDS; i++) {
    CHECK_EQ(sizes[i].cells, CELLS);
    CHECK_EQ(sizes[i].is_exact, 1);
    allocate(&buffers[i], &sizes[i]);
    set_buffers(ctx, query, names[i], &buffers[i]);
  }
  submit(ctx, query, TILEDB_COMPLETED);
  for (int i = 0; i < FIELDS; i++) {
    CHECK_EQ(buffers[i].data_size, sizes[i].data);
    free_buffers(&buffers[i]);
  }
  CHECK_OK(ctx, tiledb_rs_query_get_needed_sizes(ctx, query, names, FIELDS, 1, sizes));
  CHECK_EQ(sizes[1].data + sizes[1].offsets + sizes[1].cells, 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, buffers_of_the_next_cell_make_progress) {
  char uri[128];
  int submits = 0;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER, whole);
  for (; status == TILEDB_INCOMPLETE; submits++) {
    tiledb_rs_needed_sizes_t sizes[FIELDS];
    Buffers buffers[FIELDS];
    int32_t has_results = 0;
    CHECK_OK(ctx, tiledb_rs_query_get_needed_sizes(ctx, query, names, FIELDS, 1, sizes));
    CHECK_EQ(sizes[1].data, 1);
    for (int i = 0; i < FIELDS; i++) {
      allocate(&buffers[i], &sizes[i]);
      set_buffers(ctx, query, names[i], &buffers[i]);
    }
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_has_results(ctx, query, &has_results));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_EQ(has_results, 1);
    for (int i = 0; i < FIELDS; i++) free_buffers(&buffers[i]);
  }
  CHECK_EQ(submits, CELLS);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, parts_of_sparse_tiles_and_conditions_have_upper_bounds) {
  static const char* const number = "number";
  char uri[128];
  int32_t x[4] = {1, 2, 3, 4}, found[4];
  uint64_t size = sizeof x;
  tiledb_rs_needed_sizes_t sizes;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, number, x, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_READ, 0, 20);
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_GE, 2);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_OK(ctx, tiledb_rs_query_get_needed_sizes(ctx, query, &number, 1, UINT64_MAX, &sizes));
  CHECK_EQ(sizes.is_exact, 0);
  CHECK_EQ(sizes.data, sizeof x);
  size = sizes.data;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, number, found, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 3 * sizeof *x);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, invalid_arguments_are_errors) {
  static const char* const unknown = "unknown";
  char uri[128];
  tiledb_rs_needed_sizes_t sizes;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_NEEDS(ctx, "null", tiledb_rs_query_get_needed_sizes, query, names, 1, 1, NULL);
  CHECK_NEEDS(ctx, "names", tiledb_rs_query_get_needed_sizes, query, NULL, 1, 1, &sizes);
  CHECK_NEEDS(ctx, "Invalid TileDB query", tiledb_rs_query_get_needed_sizes, NULL, names, 1, 1, &sizes);
  CHECK_NEEDS(ctx, "'unknown'", tiledb_rs_query_get_needed_sizes, query, &unknown, 1, 1, &sizes);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  CHECK_NEEDS(ctx, "only for read", tiledb_rs_query_get_needed_sizes, query, names, 1, 1, &sizes);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
