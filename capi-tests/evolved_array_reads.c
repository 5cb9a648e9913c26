/* Reads of arrays whose fragments have an older schema. */
#include "evolutions.h"

/* Writes two cells of the first row at a timestamp, and the second attribute if it has a name. */
static void write_two(
    tiledb_ctx_t* ctx, const char* uri, uint64_t time, int sparse, int32_t column, const int32_t* number,
    const char* other, const int32_t* values) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, time);
  tiledb_query_t* query = NULL;
  int32_t rows[2] = {1, 1}, columns[2] = {column, column + 1}, ranges[4] = {1, 1, column, column + 1};
  int32_t first[2] = {0, 0}, second[2] = {0, 0};
  uint64_t size = 8;
  if (sparse) {
    query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "row", rows, &size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "column", columns, &size));
  } else {
    query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, ranges);
  }
  memcpy(first, number, sizeof first);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", first, &size));
  if (other != NULL) {
    memcpy(second, values, sizeof second);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, other, second, &size));
  }
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Reads the int32 attribute of columns 1 to 4 of the first row, only of cells equal to `only`
 * unless that is 0. Returns the number of cells.
 */
static uint64_t read_row(tiledb_ctx_t* ctx, const char* uri, uint64_t time, const char* name, int32_t only, int32_t* cells) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, time);
  const int32_t ranges[4] = {1, 1, 1, 4};
  uint64_t size = 4 * sizeof *cells;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, ranges);
  tiledb_query_condition_t* condition = NULL;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, cells, &size));
  if (only != 0) {
    condition = compare(ctx, name, &only, sizeof only, TILEDB_EQ);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  }
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return size / sizeof *cells;
}

static void check_row(const int32_t* cells, int32_t first, int32_t second, int32_t third, int32_t fourth) {
  CHECK_EQ(cells[0], first);
  CHECK_EQ(cells[1], second);
  CHECK_EQ(cells[2], third);
  CHECK_EQ(cells[3], fourth);
}

static void old_cells_have_the_fill_value(tiledb_array_type_t type) {
  tiledb_ctx_t* ctx = new_context();
  evolution_t* changes = new_evolution(ctx);
  char uri[128];
  const int sparse = type == TILEDB_SPARSE;
  const int32_t before[2] = {1, 2}, after[2] = {3, 4}, later[2] = {30, 40};
  int32_t cells[4] = {0};
  create(ctx, type, uri);
  write_two(ctx, uri, 1010, sparse, 1, before, NULL, NULL);
  CHECK_OK(ctx, add(ctx, changes, "later", 77, NULL));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_EQ(read_row(ctx, uri, 1020, "later", 0, cells), sparse ? 2 : 4);
  CHECK_EQ(cells[0], 77);
  CHECK_EQ(cells[1], 77);
  write_two(ctx, uri, 1030, sparse, 3, after, "later", later);
  CHECK_EQ(read_row(ctx, uri, 1030, "later", 0, cells), 4);
  check_row(cells, 77, 77, 30, 40);
  CHECK_EQ(read_row(ctx, uri, 1030, "number", 0, cells), 4);
  check_row(cells, 1, 2, 3, 4);
  CHECK_EQ(read_row(ctx, uri, 1019, "number", 0, cells), sparse ? 2 : 4);
  CHECK_EQ(cells[1], 2);
  if (sparse) {
    CHECK_EQ(read_row(ctx, uri, 1030, "later", 40, cells), 1);
    CHECK_EQ(cells[0], 40);
  }
  changes = new_evolution(ctx);
  CHECK_OK(ctx, drop(ctx, changes, "number"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1040, 1040));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_EQ(read_row(ctx, uri, 1050, "later", 0, cells), 4);
  check_row(cells, 77, 77, 30, 40);
  CHECK_EQ(read_row(ctx, uri, 1039, "number", 0, cells), 4);
  check_row(cells, 1, 2, 3, 4);
  tiledb_ctx_free(&ctx);
}

TEST(cells_of_older_dense_fragments_have_the_fill_value) { old_cells_have_the_fill_value(TILEDB_DENSE); }

TEST(cells_of_older_sparse_fragments_have_the_fill_value) { old_cells_have_the_fill_value(TILEDB_SPARSE); }

TEST_WITH(ctx, each_fragment_keeps_the_schema_it_was_written_with) {
  char uri[128], older[128];
  const int32_t before[2] = {1, 2}, after[2] = {3, 4}, later[2] = {30, 40};
  const char* name = NULL;
  tiledb_array_schema_t* schema = NULL;
  evolution_t* changes = new_evolution(ctx);
  create(ctx, TILEDB_DENSE, uri);
  write_two(ctx, uri, 1010, 0, 1, before, NULL, NULL);
  CHECK_OK(ctx, add(ctx, changes, "later", 77, NULL));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  write_two(ctx, uri, 1030, 0, 3, after, "later", later);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 0, &name));
  CHECK(strncmp(name, "__1005_1005_", 12) == 0);
  snprintf(older, sizeof older, "%s", name);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 1, &name));
  CHECK(strncmp(name, "__1020_1020_", 12) == 0);
  CHECK(strcmp(name, older) != 0);
  for (uint32_t i = 0; i < 2; i++) {
    int32_t has = 9;
    CHECK_OK(ctx, tiledb_fragment_info_get_array_schema(ctx, info, i, &schema));
    CHECK_OK(ctx, tiledb_array_schema_has_attribute(ctx, schema, "later", &has));
    CHECK_EQ(has, i);
    tiledb_array_schema_free(&schema);
  }
  tiledb_fragment_info_free(&info);
}

/* The type of bytes may change: blobs become geometries. */
TEST_WITH(ctx, data_survives_adding_an_attribute_again_with_another_byte_type) {
  const tiledb_datatype_t types[] = {TILEDB_GEOM_WKB, TILEDB_GEOM_WKT};
  for (int i = 0; i < 2; i++) {
    char uri[128];
    uint8_t bytes[4] = {7, 8, 9, 10}, found[4] = {0};
    uint64_t size = sizeof bytes;
    tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "x", 4, 2), NULL);
    tiledb_array_schema_evolution_t *drop = new_evolution(ctx), *again = new_evolution(ctx);
    tiledb_attribute_t* attribute = new_attribute(ctx, "shape", types[i]);
    add_attribute(ctx, schema, "shape", TILEDB_BLOB, 1, 0);
    add_attribute(ctx, schema, "other", TILEDB_BLOB, 1, 0);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "shape", bytes, &size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", bytes, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    wait_a_moment();
    CHECK_OK(ctx, tiledb_array_schema_evolution_drop_attribute(ctx, drop, "shape"));
    CHECK_OK(ctx, evolve(ctx, uri, drop));
    wait_a_moment();
    CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, again, attribute));
    CHECK_OK(ctx, evolve(ctx, uri, again));
    tiledb_attribute_free(&attribute);
    array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 4);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "shape", found, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK(memcmp(found, bytes, sizeof bytes) == 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, cells_of_older_fragments_are_null_for_nullable_attributes) {
  const int32_t before[2] = {1, 2}, row[4] = {1, 1, 1, 2};
  char uri[128];
  for (int sparse = 0; sparse < 2; sparse++) {
    tiledb_attribute_t* attribute = new_attribute(ctx, "maybe", TILEDB_INT32);
    evolution_t* changes = new_evolution(ctx);
    int32_t cells[2] = {0, 0}, fill = 0;
    const void* fills = &fill;
    uint8_t valid[2] = {9, 9}, fill_valid = 9;
    uint64_t size = sizeof cells, valid_size = sizeof valid, fill_size = 0;
    create(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE, uri);
    write_two(ctx, uri, 1010, sparse, 1, before, NULL, NULL);
    CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, 1));
    CHECK_OK(ctx, tiledb_attribute_get_fill_value_nullable(ctx, attribute, &fills, &fill_size, &fill_valid));
    CHECK_EQ(fill_valid, 0);
    CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, changes, attribute));
    CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
    CHECK_OK(ctx, evolve(ctx, uri, changes));
    tiledb_attribute_free(&attribute);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, row);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", cells, &size));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(valid_size, 2);
    CHECK(valid[0] == 0 && valid[1] == 0);
    CHECK(cells[0] == INT32_MIN && cells[1] == INT32_MIN);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}
