/*
 * Current domains and their rectangles: setters, getters, checks, and restrictions of reads and
 * writes.
 */
#include "arrays.h"

TEST_WITH(ctx, a_rectangle_has_a_range_for_each_dimension) {
  const int32_t ends[4] = {2, 3, 0, 0}, columns[2] = {1, 4};
  tiledb_ndrectangle_t* made = new_rectangle(ctx, ends);
  tiledb_range_t range = {&columns[0], 4, &columns[1], 4}, found;
  tiledb_string_t* text = NULL;
  tiledb_datatype_t type;
  uint32_t dimensions = 0;
  CHECK_OK(ctx, tiledb_ndrectangle_get_dim_num(ctx, made, &dimensions));
  CHECK_EQ(dimensions, 2);
  CHECK_OK(ctx, tiledb_ndrectangle_get_dtype_from_name(ctx, made, "column", &type));
  CHECK_EQ(type, TILEDB_INT32);
  type = TILEDB_ANY;
  CHECK_OK(ctx, tiledb_ndrectangle_get_dtype(ctx, made, 1, &type));
  CHECK_EQ(type, TILEDB_INT32);
  CHECK_OK(ctx, tiledb_ndrectangle_set_range_for_name(ctx, made, "column", &range));
  CHECK_OK(ctx, tiledb_ndrectangle_get_range(ctx, made, 1, &found));
  CHECK_EQ(found.max_size, 4);
  CHECK_EQ(*(const int32_t*)found.max, 4);
  CHECK_OK(ctx, tiledb_ndrectangle_get_range_from_name(ctx, made, "row", &found));
  CHECK_EQ(*(const int32_t*)found.min, 2);
  CHECK_OK(ctx, tiledb_ndrectangle_dump_str(ctx, made, &text));
  CHECK_TEXT(text_of(&text), " - NDRectangle ###\n  - [2, 3]\n  - [1, 4]\n");
  CHECK_EQ(tiledb_ndrectangle_free(&made), TILEDB_OK);
}

TEST_WITH(ctx, invalid_ranges_are_rejected) {
  const int32_t ends[4] = {2, 3, 0, 0}, turned[2] = {5, 2};
  tiledb_ndrectangle_t *made = new_rectangle(ctx, ends), *none = NULL;
  tiledb_domain_t* empty = NULL;
  tiledb_range_t range = {&turned[0], 4, &turned[1], 4};
  tiledb_datatype_t type;
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_set_range(ctx, made, 0, &range),
      "TileDB internal: Lower range bound 5 cannot be larger than the higher bound 2");
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_set_range_for_name(ctx, made, "unknown", &range),
      "TileDB internal: Cannot get dimension index; Invalid dimension name");
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_set_range_for_name(ctx, made, NULL, &range),
      "C API: argument `name` may not be nullptr");
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_set_range(ctx, NULL, 0, &range), "C API: Invalid TileDB tiledb_ndrectangle_t object");
  CHECK_FAILS(ctx, tiledb_ndrectangle_set_range(ctx, made, 0, NULL), "Invalid output pointer for object");
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_set_range(ctx, made, 2, &range), "TileDB internal: invalid dimension index");
  range.min_size = range.max_size = 1;
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_set_range(ctx, made, 0, &range),
      "TileDB internal: Range size 2 does not match the expected size 8");
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_get_dtype(ctx, made, 2, &type),
      "TileDB internal: The index does not correspond to a valid dimension in the NDRectangle");
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &empty));
  CHECK_ERROR(
      ctx, tiledb_ndrectangle_alloc(ctx, empty, &none),
      "TileDB internal: The TileDB domain used to create the NDRectangle has no dimensions.");
  tiledb_domain_free(&empty);
  CHECK_EQ(tiledb_ndrectangle_free(&made), TILEDB_OK);
}

TEST_WITH(ctx, a_current_domain_takes_one_rectangle) {
  const int32_t ends[4] = {2, 3, 1, 4};
  tiledb_current_domain_t* made = NULL;
  tiledb_ndrectangle_t *rectangle = new_rectangle(ctx, ends), *back = NULL;
  tiledb_string_t* text = NULL;
  tiledb_current_domain_type_t type = (tiledb_current_domain_type_t)9;
  uint32_t empty = 9;
  CHECK_OK(ctx, tiledb_current_domain_create(ctx, &made));
  CHECK_ERROR(
      ctx, tiledb_current_domain_get_type(ctx, made, &type),
      "TileDB internal: It's not possible to read the type, this CurrentDomain instance is empty.");
  CHECK_EQ(type, 9);
  CHECK_OK(ctx, tiledb_current_domain_get_is_empty(ctx, made, &empty));
  CHECK_EQ(empty, 1);
  CHECK_OK(ctx, tiledb_current_domain_dump_str(ctx, made, &text));
  CHECK_TEXT(text_of(&text), "### Current domain ###\n- Version: 0\n- Empty: 1\n");
  CHECK_ERROR(
      ctx, tiledb_current_domain_set_ndrectangle(ctx, made, NULL),
      "C API: Invalid TileDB tiledb_ndrectangle_t object");
  CHECK_OK(ctx, tiledb_current_domain_set_ndrectangle(ctx, made, rectangle));
  CHECK_ERROR(
      ctx, tiledb_current_domain_set_ndrectangle(ctx, made, rectangle),
      "TileDB internal: Setting a rectangle on a non-empty CurrentDomain object is not allowed.");
  CHECK_OK(ctx, tiledb_current_domain_get_is_empty(ctx, made, &empty));
  CHECK_EQ(empty, 0);
  CHECK_OK(ctx, tiledb_current_domain_get_type(ctx, made, &type));
  CHECK_EQ(type, TILEDB_NDRECTANGLE);
  CHECK_OK(ctx, tiledb_current_domain_get_ndrectangle(ctx, made, &back));
  CHECK_EQ(tiledb_ndrectangle_free(&back), TILEDB_OK);
  CHECK_EQ(tiledb_ndrectangle_free(&rectangle), TILEDB_OK);
  CHECK_EQ(tiledb_current_domain_free(&made), TILEDB_OK);
}

/* Returns the code of creating an array with this current domain. */
static int32_t create(tiledb_ctx_t* ctx, const int32_t* ends) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  set_current_domain(ctx, schema, ends);
  int32_t answer = tiledb_array_create(ctx, scratch(), schema);
  tiledb_array_schema_free(&schema);
  return answer;
}

TEST_WITH(ctx, a_current_domain_is_complete_and_within_the_domain) {
  const int32_t fits[4] = {1, ROWS, 1, COLUMNS}, large[4] = {1, ROWS, 1, COLUMNS + 1}, half[4] = {1, ROWS, 0, 0};
  CHECK_OK(ctx, create(ctx, fits));
  CHECK_ERROR(
      ctx, create(ctx, large),
      "TileDB internal: This array current domain has ranges past the boundaries of the array schema domain");
  CHECK_ERROR(
      ctx, create(ctx, half), "TileDB internal: This current domain has no range specified for dimension idx: 1");
}

TEST_WITH(ctx, reads_and_writes_stay_in_the_current_domain) {
  char uri[128];
  const int32_t current[4] = {1, 2, 2, 5}, outside[4] = {1, 2, 1, 5};
  int32_t cells[CELLS] = {7};
  uint64_t size = 8 * sizeof(int32_t);
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  set_current_domain(ctx, schema, current);
  create_with(ctx, schema, uri);

  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, current);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  size = 10 * sizeof(int32_t);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, outside);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "Cells are written outside of the defined current domain.");
  tiledb_query_free(&query);
  close_array(ctx, &array);

  array = open_array(ctx, uri, TILEDB_READ);
  size = sizeof cells;
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, outside);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "Query: A range [1, 5] on dimension 'column' was set outside of the current domain [[1, 2],[2, 5]].");
  tiledb_query_free(&query);
  size = sizeof cells;
  memset(cells, 1, sizeof cells);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, current);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 8 * sizeof(int32_t));
  for (int i = 0; i < 8; i++) CHECK_EQ(cells[i], i == 0 ? 7 : 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, open_arrays_use_the_settings_of_their_schema) {
  char uri[128];
  const int32_t current[4] = {1, 2, 2, 5}, outside[4] = {1, 2, 1, 5};
  int32_t cells[CELLS] = {0};
  uint64_t size = sizeof cells;
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_array_schema_t* schema = NULL;
  tiledb_current_domain_t* seen = NULL;
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  set_current_domain(ctx, schema, current);
  tiledb_array_schema_free(&schema);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, outside);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "outside of the current domain [[1, 2],[2, 5]]");
  tiledb_query_free(&query);
  /* An array that is opened again uses its stored current domain. */
  for (int again = 0; again < 2; again++) {
    uint32_t empty = 9;
    CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
    CHECK_OK(ctx, tiledb_array_schema_get_current_domain(ctx, schema, &seen));
    CHECK_OK(ctx, tiledb_current_domain_get_is_empty(ctx, seen, &empty));
    CHECK_EQ(empty, again);
    CHECK_EQ(tiledb_current_domain_free(&seen), TILEDB_OK);
    tiledb_array_schema_free(&schema);
    CHECK_OK(ctx, tiledb_array_close(ctx, array));
    CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  }
  close_array(ctx, &array);
}

/* Writes a box of ones into an array that was opened before. */
static int32_t write_ones(tiledb_ctx_t* ctx, tiledb_array_t* array, const int32_t* box) {
  int32_t ones[CELLS];
  uint64_t size = (uint64_t)(box[1] - box[0] + 1) * (uint64_t)(box[3] - box[2] + 1) * sizeof *ones;
  for (size_t i = 0; i < CELLS; i++) ones[i] = 1;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", ones, &size));
  const int32_t code = tiledb_query_submit(ctx, query);
  tiledb_query_free(&query);
  return code;
}

/*
 * Expands the current domain as TileDB-SOMA does: with the rectangle of an array that is open for
 * writing.
 */
TEST_WITH(ctx, open_writers_can_write_into_an_expanded_current_domain) {
  char uri[128];
  const int32_t few[4] = {1, 2, 1, 2}, more[4] = {1, 4, 1, 5}, all[4] = {1, 4, 1, 6};
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  set_current_domain(ctx, schema, few);
  create_with(ctx, schema, uri);

  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_EQ(write_ones(ctx, array, more), TILEDB_ERR);
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_current_domain_t *own = NULL, *set = NULL;
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_current_domain(ctx, schema, &own));
  CHECK_OK(ctx, tiledb_current_domain_get_ndrectangle(ctx, own, &rectangle));
  for (uint32_t i = 0; i < 2; i++) {
    tiledb_range_t range = {&more[2 * i], 4, &more[2 * i + 1], 4};
    CHECK_OK(ctx, tiledb_ndrectangle_set_range(ctx, rectangle, i, &range));
  }
  CHECK_OK(ctx, tiledb_current_domain_create(ctx, &set));
  CHECK_OK(ctx, tiledb_current_domain_set_ndrectangle(ctx, set, rectangle));
  tiledb_array_schema_evolution_t* changes = NULL;
  wait_a_moment();
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &changes));
  CHECK_OK(ctx, tiledb_array_schema_evolution_expand_current_domain(ctx, changes, set));
  CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, changes));
  CHECK_EQ(write_ones(ctx, array, more), TILEDB_OK);
  CHECK_ERROR(
      ctx, write_ones(ctx, array, all),
      "TileDB internal: [OrderedWriter::dowork]  (FragmentMetadata: Cells are written outside of the defined current domain.)");
  tiledb_array_schema_evolution_free(&changes);
  CHECK_EQ(tiledb_ndrectangle_free(&rectangle), TILEDB_OK);
  CHECK_EQ(tiledb_current_domain_free(&set), TILEDB_OK);
  CHECK_EQ(tiledb_current_domain_free(&own), TILEDB_OK);
  tiledb_array_schema_free(&schema);
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), 1);
}
