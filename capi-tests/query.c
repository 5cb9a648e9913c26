/* Queries: states, setting and reading back buffers, errors of submits, results of writes. */
#include "arrays.h"

/* The buffers of a query of the whole array of new_schema, with values to write. */
typedef struct cells {
  int32_t number[CELLS];
  char name[CELLS];
  uint64_t starts[CELLS];
  double maybe[CELLS];
  uint8_t valid[CELLS];
  uint64_t number_size, name_size, starts_size, maybe_size, valid_size;
} cells_t;

/* Sets all values and sizes: for a write, or for a read, which replaces them. */
static void fill(cells_t* cells) {
  for (int i = 0; i < CELLS; i++) {
    cells->number[i] = i;
    cells->name[i] = (char)('a' + i);
    cells->starts[i] = (uint64_t)i;
    cells->maybe[i] = i;
    cells->valid[i] = i % 2 == 0;
  }
  cells->number_size = sizeof cells->number;
  cells->name_size = sizeof cells->name;
  cells->starts_size = sizeof cells->starts;
  cells->maybe_size = sizeof cells->maybe;
  cells->valid_size = sizeof cells->valid;
}

static void set_buffers(tiledb_ctx_t* ctx, tiledb_query_t* query, cells_t* cells) {
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells->number, &cells->number_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", cells->name, &cells->name_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", cells->starts, &cells->starts_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", cells->maybe, &cells->maybe_size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", cells->valid, &cells->valid_size));
}

/* Returns an open array of new_schema, with all cells written if `written` is set. */
static tiledb_array_t* fresh_array(tiledb_ctx_t* ctx, tiledb_query_type_t type, int written, char* uri) {
  if (written) {
    tiledb_array_t* array = written_array(ctx, uri);
    if (type == TILEDB_READ) return array;
    close_array(ctx, &array);
  } else {
    create_with(ctx, new_schema(ctx), uri);
  }
  return open_array(ctx, uri, type);
}

TEST_WITH(ctx, new_queries_return_their_properties) {
  char uri[128];
  tiledb_array_t *array = fresh_array(ctx, TILEDB_READ, 0, uri), *back = NULL;
  tiledb_query_t* query = NULL;
  tiledb_query_type_t type = TILEDB_WRITE;
  tiledb_query_status_t status = TILEDB_FAILED;
  tiledb_layout_t layout = TILEDB_HILBERT;
  tiledb_config_t* config = NULL;
  tiledb_subarray_t* subarray = NULL;
  uint64_t number = 0;
  int32_t flag = 9;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  CHECK_OK(ctx, tiledb_query_get_type(ctx, query, &type));
  CHECK_EQ(type, TILEDB_READ);
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_UNINITIALIZED);
  CHECK_OK(ctx, tiledb_query_get_layout(ctx, query, &layout));
  CHECK_EQ(layout, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_has_results(ctx, query, &flag));
  CHECK_EQ(flag, 0);
  CHECK_OK(ctx, tiledb_query_get_array(ctx, query, &back));
  CHECK_OK(ctx, tiledb_array_is_open(ctx, back, &flag));
  CHECK_EQ(flag, 1);
  tiledb_array_free(&back);
  CHECK_OK(ctx, tiledb_query_get_config(ctx, query, &config));
  tiledb_config_free(&config);
  CHECK_OK(ctx, tiledb_query_get_subarray_t(ctx, query, &subarray));
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
  CHECK_EQ(number, 1);
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  CHECK(query == NULL);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_query_needs_an_open_array_of_its_kind) {
  char uri[128];
  tiledb_array_t *array = fresh_array(ctx, TILEDB_READ, 0, uri), *closed = NULL;
  tiledb_query_t* query = NULL;
  CHECK_ERROR(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query),
              "Error: Cannot create query; Array query type does not match declared query type: (READ != WRITE)");
  CHECK_EQ(tiledb_query_alloc(ctx, array, (tiledb_query_type_t)50, &query), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &closed));
  CHECK_ERROR(ctx, tiledb_query_alloc(ctx, closed, TILEDB_READ, &query),
              "Error: Cannot create query; Input array is not open");
  CHECK(query == NULL);
  tiledb_array_free(&closed);
  close_array(ctx, &array);
}

TEST_WITH(ctx, submits_after_completion_leave_buffers_unchanged) {
  char uri[128];
  cells_t cells;
  int32_t flag = 9;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_has_results(ctx, query, &flag));
  CHECK_EQ(flag, 1);
  cells.number[0] = 77;
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(cells.number[0], 77);
  CHECK_EQ(cells.number_size, sizeof cells.number);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  CHECK_ERROR(ctx, tiledb_query_submit_and_finalize(ctx, query),
              "Query: Failed to submit and finalize query; Call valid only in global_order writes.");
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_COL_MAJOR),
              "[TileDB::Query] Error: Cannot set layout after initialization");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, submits_to_a_closed_array_fail) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "Query: Cannot init query; The associated array is not open");
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "Query: Cannot init query; Associated array query type does not match query type: (WRITE != READ)");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, buffers_are_returned_as_they_were_set) {
  char uri[128];
  cells_t cells;
  void* data = NULL;
  uint64_t *offsets = NULL, *size = NULL;
  uint8_t* validity = NULL;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 0, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  CHECK_OK(ctx, tiledb_query_get_data_buffer(ctx, query, "number", &data, &size));
  CHECK(data == cells.number && size == &cells.number_size);
  CHECK_OK(ctx, tiledb_query_get_data_buffer(ctx, query, "name", &data, &size));
  CHECK(data == cells.name && size == &cells.name_size);
  CHECK_OK(ctx, tiledb_query_get_offsets_buffer(ctx, query, "name", &offsets, &size));
  CHECK(offsets == cells.starts && size == &cells.starts_size);
  CHECK_OK(ctx, tiledb_query_get_validity_buffer(ctx, query, "maybe", &validity, &size));
  CHECK(validity == cells.valid && size == &cells.valid_size);
  CHECK_OK(ctx, tiledb_query_get_data_buffer(ctx, query, "row", &data, &size));
  CHECK(data == NULL && size == NULL);
  CHECK_ERROR(ctx, tiledb_query_get_data_buffer(ctx, query, "unknown", &data, &size),
              "[TileDB::Query] Error: Cannot get buffer; Invalid attribute/dimension/label name 'unknown'");
  CHECK_ERROR(ctx, tiledb_query_get_offsets_buffer(ctx, query, "number", &offsets, &size),
              "[TileDB::Query] Error: Cannot get buffer; 'number' is fixed-sized");
  CHECK_ERROR(ctx, tiledb_query_get_offsets_buffer(ctx, query, "unknown", &offsets, &size),
              "[TileDB::Query] Error: Cannot get buffer; Invalid attribute/dimension/label name 'unknown'");
  CHECK_ERROR(ctx, tiledb_query_get_validity_buffer(ctx, query, "number", &validity, &size),
              "[TileDB::Query] Error: Cannot get buffer; 'number' is non-nullable");
  CHECK_ERROR(ctx, tiledb_query_get_validity_buffer(ctx, query, "unknown", &validity, &size),
              "[TileDB::Query] Error: Cannot get buffer; 'unknown' is non-nullable");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, unsuitable_buffers_are_rejected_when_set) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 0, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "unknown", cells.number, &cells.number_size),
              "[TileDB::Query] Error: Cannot set buffer; Invalid attribute/dimension/label 'unknown'");
  CHECK_EQ(tiledb_query_set_data_buffer(ctx, query, NULL, cells.number, &cells.number_size), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "number", NULL, &cells.number_size),
              "[TileDB::Query] Error: Cannot set buffer; number buffer is null");
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells.number, NULL),
              "[TileDB::Query] Error: Cannot set buffer; number buffer size is null");
  CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, "number", cells.starts, &cells.starts_size),
              "[TileDB::Query] Error: Cannot set buffer; Input attribute/dimension 'number' is fixed-sized");
  CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, "unknown", cells.starts, &cells.starts_size),
              "[TileDB::Query] Error: Cannot set buffer; Invalid buffer name 'unknown' (it should be an "
              "attribute, dimension, or dimension label)");
  for (int i = 0; i < 2; i++) {
    const char *names[] = {"__coords", "__timestamps"};
    char text[160];
    snprintf(text, sizeof text,
             "[TileDB::Query] Error: Cannot set buffer; Invalid buffer name '%s' (it should be an "
             "attribute, dimension, or dimension label)", names[i]);
    CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, names[i], cells.starts, &cells.starts_size), text);
  }
  CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", NULL, &cells.starts_size),
              "[TileDB::Query] Error: Cannot set buffer; name buffer is null");
  CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", cells.starts, NULL),
              "[TileDB::Query] Error: Cannot set buffer; name buffer size is null");
  CHECK_ERROR(ctx, tiledb_query_set_validity_buffer(ctx, query, "number", cells.valid, &cells.valid_size),
              "[TileDB::Query] Error: Cannot set buffer; Input attribute 'number' is not nullable");
  CHECK_ERROR(ctx, tiledb_query_set_validity_buffer(ctx, query, "unknown", cells.valid, &cells.valid_size),
              "[TileDB::Query] Error: Cannot set buffer; Buffer name 'unknown' is not an attribute");
  CHECK_ERROR(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", NULL, &cells.valid_size),
              "[TileDB::Query] Error: Cannot set buffer; maybe validity buffer is null");
  CHECK_ERROR(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", cells.valid, NULL),
              "[TileDB::Query] Error: Cannot set buffer; maybe validity buffer size is null");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, fields_are_not_added_after_the_first_submit) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 0, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells.number, &cells.number_size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", cells.maybe, &cells.maybe_size),
              "[TileDB::Query] Error: Cannot set buffer for new attribute/dimension 'maybe' after initialization");
  CHECK_ERROR(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", cells.starts, &cells.starts_size),
              "[TileDB::Query] Error: Cannot set buffer for new attribute/dimension 'name' after initialization");
  CHECK_ERROR(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", cells.valid, &cells.valid_size),
              "[TileDB::Query] Error: Cannot set buffer for new attribute 'maybe' after initialization");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, reads_without_required_buffers_are_rejected) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), "DenseReader: Cannot initialize dense reader; Buffers not set");
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", cells.name, &cells.name_size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Var-Sized input attribute/dimension 'name' is not set correctly");
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", cells.starts, &cells.starts_size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Var-Sized input attribute/dimension 'name' is not set correctly");
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", cells.maybe, &cells.maybe_size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Nullable input attribute/dimension 'maybe' is not set correctly");
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", cells.valid, &cells.valid_size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Fix-Sized input attribute/dimension 'maybe' is not set correctly");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Returns a write of the whole array, from which a test omits parts. */
static tiledb_query_t* new_write(tiledb_ctx_t* ctx, tiledb_array_t* array, cells_t* cells) {
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  fill(cells);
  set_buffers(ctx, query, cells);
  return query;
}

TEST_WITH(ctx, writes_with_wrong_sizes_are_rejected) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_WRITE, 0, uri);
  tiledb_query_t* query = new_write(ctx, array, &cells);
  cells.number_size -= sizeof(int32_t);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Buffer sizes check failed; Invalid number of cells given for attribute 'number' (23 "
              "!= 24)");
  tiledb_query_free(&query);
  query = new_write(ctx, array, &cells);
  cells.starts_size -= sizeof(uint64_t);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Buffer sizes check failed; Invalid number of cells given for attribute 'name' (23 != "
              "24)");
  tiledb_query_free(&query);
  query = new_write(ctx, array, &cells);
  cells.valid_size -= 1;
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Buffer sizes check failed; Invalid number of validity cells given for attribute "
              "'maybe' (23 != 24)");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  int32_t domain[4], is_empty = 0;
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, domain, &is_empty));
  CHECK_EQ(is_empty, 1);
  close_array(ctx, &array);
}

TEST_WITH(ctx, writes_with_wrong_offsets_are_rejected) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_WRITE, 0, uri);
  tiledb_query_t* query = new_write(ctx, array, &cells);
  cells.starts[5] = 7;
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Invalid offsets for attribute name; offsets must be given in strictly ascending order.");
  tiledb_query_free(&query);
  query = new_write(ctx, array, &cells);
  cells.starts[CELLS - 1] = 1000;
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Invalid offsets for attribute name; offset 1000 specified at index 23 for buffer of "
              "size 24");
  tiledb_query_free(&query);
  query = new_write(ctx, array, &cells);
  cells.starts[3] = UINT64_MAX;
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Invalid offsets for attribute name; offset 18446744073709551615 specified at index 3 "
              "for buffer of size 24");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, writes_without_an_attribute_are_rejected) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_WRITE, 0, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered "
              "case) to be set");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells.number, &cells.number_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered "
              "case) to be set");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, unsuitable_layouts_are_rejected) {
  char uri[128];
  cells_t cells;
  const int32_t part[4] = {1, 3, 1, COLUMNS};
  tiledb_array_t* array = fresh_array(ctx, TILEDB_WRITE, 0, uri);
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_HILBERT),
              "[TileDB::Query] Error: Cannot set layout; Hilbert order is not applicable to queries");
  CHECK_ERROR(ctx, tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED),
              "[TileDB::Query] Error: Unordered writes are only possible for sparse arrays");
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, part);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Cannot initialize query; In global writes for dense arrays, the subarray must "
              "coincide with the tile bounds");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Sets a subarray with two ranges of rows, which are not adjacent. */
static void set_two_ranges(tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_t* query) {
  const int32_t one = 1, three = 3;
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &one, &one, NULL));
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &three, &three, NULL));
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  tiledb_subarray_free(&subarray);
}

TEST_WITH(ctx, reads_of_several_ranges_in_global_order_are_rejected) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  fill(&cells);
  set_two_ranges(ctx, array, query);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells.number, &cells.number_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "ReaderBase: Cannot initialize reader; Multi-range reads are not supported on a global order query.");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, dense_writes_of_several_ranges_are_rejected) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_WRITE, 0, uri);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  set_two_ranges(ctx, array, query);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "WriterBase: Cannot initialize writer; Multi-range dense writes are not supported");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, writes_return_their_fragment) {
  char uri[128];
  cells_t cells;
  const char* returned = NULL;
  uint64_t start = 0, end = 0;
  uint32_t number = 9;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_WRITE, 0, uri);
  tiledb_query_t* query = new_write(ctx, array, &cells);
  CHECK_OK(ctx, tiledb_query_get_fragment_num(ctx, query, &number));
  CHECK_EQ(number, 0);
  CHECK_ERROR(ctx, tiledb_query_get_fragment_uri(ctx, query, 0, &returned),
              "[TileDB::Query] Error: Cannot get fragment URI; Invalid fragment index");
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  CHECK_OK(ctx, tiledb_query_get_fragment_num(ctx, query, &number));
  CHECK_EQ(number, 1);
  CHECK_OK(ctx, tiledb_query_get_fragment_uri(ctx, query, 0, &returned));
  CHECK(strncmp(returned, uri_of(uri), strlen(uri_of(uri))) == 0 && strstr(returned, "/__fragments/__") != NULL);
  if (!on_object_store()) CHECK_EQ(access(returned + strlen("file://"), F_OK), 0);
  CHECK_OK(ctx, tiledb_query_get_fragment_timestamp_range(ctx, query, 0, &start, &end));
  CHECK(start == end && start > 0);
  CHECK_ERROR(ctx, tiledb_query_get_fragment_uri(ctx, query, 1, &returned),
              "[TileDB::Query] Error: Cannot get fragment URI; Invalid fragment index");
  CHECK_ERROR(ctx, tiledb_query_get_fragment_timestamp_range(ctx, query, 1, &start, &end),
              "[TileDB::Query] Error: Cannot get fragment timestamp range; Invalid fragment index");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  CHECK_ERROR(ctx, tiledb_query_get_fragment_num(ctx, query, &number),
      by_release("[TileDB::Query] Error: Cannot get number of fragments; Applicable only to WRITE and "
                 "MODIFY_EXCLUSIVE mode",
          "Query: Cannot get number of fragments; Applicable only to WRITE mode"));
  CHECK_ERROR(ctx, tiledb_query_get_fragment_uri(ctx, query, 0, &returned),
      by_release("[TileDB::Query] Error: Cannot get fragment URI; Applicable only to WRITE and MODIFY_EXCLUSIVE mode",
          "Query: Cannot get fragment URI; Applicable only to WRITE mode"));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, statistics_are_json) {
  char uri[128];
  cells_t cells;
  char* text = NULL;
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_get_stats(ctx, query, &text));
  CHECK_EQ(tiledb_stats_disable(), TILEDB_OK);
  CHECK(text != NULL && text[0] == '{' && strstr(text, "\"timers\"") != NULL && strstr(text, "\"counters\"") != NULL);
  tiledb_stats_free_str(&text);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, wrong_arguments_of_queries_are_errors) {
  char uri[128];
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t *query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole), *other = NULL;
  tiledb_query_status_t status;
  tiledb_query_status_details_t details;
  tiledb_layout_t layout;
  tiledb_query_type_t type;
  int32_t flag = 0;
  CHECK_EQ(tiledb_query_alloc(NULL, array, TILEDB_READ, &other), TILEDB_INVALID_CONTEXT);
  CHECK_ERROR(ctx, tiledb_query_alloc(ctx, NULL, TILEDB_READ, &other), "C API: Invalid TileDB array object");
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, NULL), "Error: Invalid TileDB query object");
  CHECK_EQ(tiledb_query_submit(NULL, query), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_query_set_layout(ctx, NULL, TILEDB_ROW_MAJOR), TILEDB_ERR);
  CHECK_EQ(tiledb_query_set_subarray_t(ctx, NULL, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_query_set_subarray_t(ctx, query, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_query_get_status(ctx, NULL, &status), TILEDB_ERR);
  CHECK_EQ(tiledb_query_get_status_details(ctx, NULL, &details), TILEDB_ERR);
  CHECK_EQ(tiledb_query_get_layout(ctx, NULL, &layout), TILEDB_ERR);
  CHECK_EQ(tiledb_query_get_type(ctx, NULL, &type), TILEDB_ERR);
  CHECK_EQ(tiledb_query_has_results(ctx, NULL, &flag), TILEDB_ERR);
  tiledb_query_free(&other);
  tiledb_query_free(NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_query_can_be_freed_after_its_array) {
  char uri[128];
  cells_t cells;
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ, 1, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  fill(&cells);
  set_buffers(ctx, query, &cells);
  submit(ctx, query, TILEDB_COMPLETED);
  close_array(ctx, &array);
  tiledb_query_free(&query);
}
