/*
 * Operations in which libtiledb crashes, loses cells or returns wrong results and this library is
 * correct. These programs run only on this library.
 */
#include "arrays.h"

TEST_WITH(ctx, unknown_enum_values_are_rejected_by_all_functions) {
  char uri[128];
  const int32_t value = 1;
  tiledb_array_schema_t* schema = NULL;
  tiledb_query_t *query = NULL, *other = NULL;
  tiledb_query_condition_t* condition = NULL;
  tiledb_buffer_t* buffer = NULL;
  tiledb_vfs_t* vfs = NULL;
  tiledb_vfs_fh_t* file = NULL;
  const tiledb_layout_t layout = (tiledb_layout_t)77;
  const tiledb_datatype_t type = (tiledb_datatype_t)177;
  CHECK_EQ(tiledb_array_schema_alloc(ctx, (tiledb_array_type_t)7, &schema), TILEDB_ERR);
  CHECK(schema == NULL);
  schema = new_number_schema(ctx);
  CHECK_EQ(tiledb_array_schema_set_cell_order(ctx, schema, layout), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_set_tile_order(ctx, schema, layout), TILEDB_ERR);
  CHECK_EQ(
      tiledb_array_schema_add_dimension_label(ctx, schema, 0, "l", (tiledb_data_order_t)77, TILEDB_INT32), TILEDB_ERR);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_EQ(tiledb_array_put_metadata(ctx, array, "k", type, 1, &value), TILEDB_ERR);
  CHECK_EQ(tiledb_query_alloc(ctx, array, (tiledb_query_type_t)77, &other), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  CHECK_EQ(tiledb_query_set_layout(ctx, query, layout), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_query_condition_alloc(ctx, &condition));
  CHECK_EQ(
      tiledb_query_condition_init(ctx, condition, "number", &value, 4, (tiledb_query_condition_op_t)77), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &buffer));
  CHECK_EQ(tiledb_buffer_set_type(ctx, buffer, type), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_EQ(tiledb_vfs_open(ctx, vfs, scratch(), (tiledb_vfs_mode_t)7, &file), TILEDB_ERR);
  CHECK(file == NULL);
  tiledb_vfs_free(&vfs);
  tiledb_buffer_free(&buffer);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(cells_omitted_in_global_order_have_correct_bounds) {
  tiledb_ctx_t* ctx = context_with("sm.dedup_coords", "true");
  int32_t x[] = {1, 1, 2, 2, 3}, numbers[] = {1, 2, 3, 4, 5}, ends[2] = {0, 0};
  uint64_t sizes[2] = {sizeof x, sizeof numbers}, cells = 0, tiles = 0;
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_submit_and_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_cell_num(ctx, info, 0, &cells));
  CHECK_EQ(cells, 3);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_num(ctx, info, 0, &tiles));
  CHECK_EQ(tiles, 2);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 1, 0, ends));
  CHECK(ends[0] == 3 && ends[1] == 3);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 0, ends));
  CHECK(ends[0] == 1 && ends[1] == 3);
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

/* Adds an attribute, or drops it if `type` is not set. */
static void evolve(tiledb_ctx_t* ctx, const char* uri, const char* name, tiledb_datatype_t type, uint32_t values) {
  tiledb_array_schema_evolution_t* changes = NULL;
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &changes));
  if (values == 0) {
    CHECK_OK(ctx, tiledb_array_schema_evolution_drop_attribute(ctx, changes, name));
  } else {
    tiledb_attribute_t* attribute = new_attribute(ctx, name, type);
    CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, 1));
    CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, changes, attribute));
    tiledb_attribute_free(&attribute);
  }
  CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, changes));
  tiledb_array_schema_evolution_free(&changes);
  wait_a_moment();
}

/* Writes cells of a line, those of the attribute "other" only if `both` is set. */
static void write_line(tiledb_ctx_t* ctx, const char* uri, uint64_t timestamp, int32_t low, int32_t high, int both) {
  int32_t cells[4] = {1, 2, 3, 4};
  uint8_t valid[4] = {1, 1, 1, 1};
  uint64_t number = (uint64_t)(high - low + 1), size = number * sizeof *cells;
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, timestamp);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, low, high);
  tiledb_query_t* query = query_on(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, subarray);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  if (both) {
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", cells, &size));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "other", valid, &number));
  }
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, dense_cells_have_no_values_of_older_fragments) {
  char uri[128];
  int32_t others[4];
  uint8_t valid[4] = {9, 9, 9, 9};
  uint64_t size = sizeof others, valid_size = sizeof valid;
  create_with(ctx, new_line_schema(ctx, TILEDB_DENSE, 10, 5, 0), uri);
  write_line(ctx, uri, 3, 2, 3, 0);
  wait_a_moment();
  evolve(ctx, uri, "other", TILEDB_INT32, 1);
  write_line(ctx, uri, 2, 1, 4, 1);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 4);
  tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", others, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "other", valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(valid[0] == 1 && valid[1] == 0 && valid[2] == 0 && valid[3] == 1);
  CHECK(others[0] == 1 && others[3] == 4);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, attributes_added_later_are_read_estimated_and_consolidated) {
  const int32_t x[] = {1, 2, 3}, numbers[] = {7, 8, 9};
  char uri[128], text[16];
  for (int dups = 0; dups < 2; dups++) {
    uint64_t starts[4], nulls = 0, sizes[3] = {sizeof text, sizeof starts, 4}, size = sizeof nulls;
    uint8_t valid[4] = {9, 9, 9, 9};
    double reals[4];
    create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, dups), uri);
    write_points(ctx, uri, 1, 2, x, numbers);
    write_points(ctx, uri, 2, 1, x + 2, numbers + 2);
    wait_a_moment();
    evolve(ctx, uri, "text", TILEDB_STRING_ASCII, TILEDB_VAR_NUM);
    evolve(ctx, uri, "other", TILEDB_INT32, 1);
    evolve(ctx, uri, "other", TILEDB_INT32, 0);
    evolve(ctx, uri, "other", TILEDB_FLOAT64, 1);
    for (int merged = 0; merged < 2; merged++) {
      tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
      tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
      sizes[0] = sizeof text;
      sizes[1] = sizeof starts;
      sizes[2] = 4;
      memset(valid, 9, sizeof valid);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", text, &sizes[0]));
      CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[1]));
      CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "text", valid, &sizes[2]));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(sizes[2], 3);
      CHECK(valid[0] == 0 && valid[1] == 0 && valid[2] == 0);
      tiledb_query_free(&query);
      query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
      sizes[0] = sizeof reals;
      sizes[2] = sizeof valid;
      memset(valid, 9, sizeof valid);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", reals, &sizes[0]));
      CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "other", valid, &sizes[2]));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(sizes[0], 3 * sizeof *reals);
      for (int cell = 0; cell < 3; cell++) CHECK(reals[cell] != reals[cell] && valid[cell] == 0);
      tiledb_query_free(&query);
      query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
      aggregate(ctx, query, tiledb_channel_operator_null_count, "other");
      nulls = 0;
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &nulls, &size));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(nulls, 3);
      tiledb_query_free(&query);
      close_array(ctx, &array);
      CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
      CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
      CHECK_EQ(fragments_of(ctx, uri), 1);
    }
  }
}

/* Tests for null are independent of the values. */
TEST_WITH(ctx, nulls_of_fields_without_stored_minima_are_counted) {
  char uri[128];
  int32_t x[3] = {1, 2, 3}, numbers[3] = {1, 2, 3};
  uint64_t values[3] = {7, 8, 9}, starts[3] = {0, 16, 16}, count = 99;
  uint8_t valid[3] = {1, 0, 1};
  uint64_t size = sizeof x, values_size = sizeof values, valid_size = sizeof valid, count_size = sizeof count;
  char letters[] = "abc";
  uint64_t letters_size = 3;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_UINT64, TILEDB_VAR_NUM, 1);
  add_attribute(ctx, schema, "letter", TILEDB_STRING_UTF8, 1, 1);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "letter", letters, &letters_size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "letter", valid, &letters_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", values, &values_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "maybe", starts, &values_size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int text = 0; text < 2; text++) {
    query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    aggregate(ctx, query, tiledb_channel_operator_null_count, text ? "letter" : "maybe");
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &count, &count_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(count, 1);
    tiledb_query_free(&query);
    count = 99;
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, conditions_select_consolidated_cells_of_an_earlier_time_after_a_delete) {
  const tiledb_layout_t layouts[2] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR};
  const int32_t x[4] = {1, 2, 3, 4};
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  write_points(ctx, uri, 10, 3, x, x);
  write_points(ctx, uri, 30, 1, x + 3, x + 3);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_DELETE, 0, 20);
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  tiledb_query_condition_t* condition = number_is(ctx, TILEDB_EQ, 3);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  condition = number_is(ctx, TILEDB_GT, 1);
  for (int i = 0; i < 4; i++) {
    int32_t found[4] = {0};
    uint64_t size = sizeof found;
    array = open_at(ctx, uri, TILEDB_READ, 0, i < 2 ? 15 : 25);
    query = query_all(ctx, array, TILEDB_READ, layouts[i % 2]);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", found, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, (i < 2 ? 2 : 1) * sizeof *found);
    CHECK(found[0] == 2 && found[1] == (i < 2 ? 3 : 0));
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  tiledb_query_condition_free(&condition);
}

TEST_WITH(ctx, null_cells_are_deleted_by_a_comparison_with_null) {
  char uri[128];
  int32_t x[4] = {1, 2, 3, 4}, numbers[4] = {1, 2, 3, 4};
  uint8_t valid[4] = {1, 0, 1, 0};
  uint64_t size = sizeof x, valid_size = sizeof valid;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_INT32, 1, 1);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", numbers, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  wait_a_moment();
  array = open_array(ctx, uri, TILEDB_DELETE);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  tiledb_query_condition_t* null = compare(ctx, "maybe", NULL, 0, TILEDB_EQ);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, null));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_condition_free(&null);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  for (int merged = 0; merged < 2; merged++) {
    uint64_t found_size = sizeof numbers;
    array = open_array(ctx, uri, TILEDB_READ);
    query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &found_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(found_size, 8);
    CHECK(numbers[0] == 1 && numbers[1] == 3);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  }
}

TEST_WITH(ctx, tiles_of_small_types_below_zero_are_written_in_global_order) {
  char uri[128];
  const int8_t bounds[2] = {-128, 121}, extent = 50;
  int8_t low = -128, high = -29;
  int32_t numbers[100], back[100];
  uint64_t size = sizeof numbers;
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT8, bounds, &extent, &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, dimension, NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  for (int i = 0; i < 100; i++) numbers[i] = i;
  for (int reading = 0; reading < 2; reading++) {
    tiledb_array_t* array = open_array(ctx, uri, reading ? TILEDB_READ : TILEDB_WRITE);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL));
    tiledb_query_t* query =
        query_on(ctx, array, reading ? TILEDB_READ : TILEDB_WRITE, TILEDB_GLOBAL_ORDER, subarray);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", reading ? back : numbers, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK(memcmp(numbers, back, sizeof back) == 0);
}

TEST_WITH(ctx, a_schema_shows_the_ranges_of_its_current_domain) {
  const int32_t box[4] = {1, 3, 1, 5};
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_string_t* text = NULL;
  set_current_domain(ctx, schema, box);
  CHECK_OK(ctx, tiledb_array_schema_dump_str(ctx, schema, &text));
  const char* shown = text_of(&text);
  CHECK(strstr(shown, "[1, 3]") != NULL && strstr(shown, "[1, 5]") != NULL);
  CHECK(strstr(shown, "0x") == NULL);
  tiledb_array_schema_free(&schema);
}

/* Returns the CPU time in seconds of putting `number` keys. */
static double put_keys(tiledb_ctx_t* ctx, int number) {
  char uri[128], key[16];
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  const clock_t begin = clock();
  for (int i = 0; i < number; i++) {
    snprintf(key, sizeof key, "key %d", i);
    CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, key, TILEDB_INT32, 1, &i));
  }
  close_array(ctx, &array);
  return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Twenty times as many keys must take about twenty times as long, not four hundred times. */
TEST_WITH(ctx, the_cost_of_metadata_is_linear_in_its_keys) {
  int linear = 0;
  for (int round = 0; round < 3 && !linear; round++) {
    const double few = put_keys(ctx, 2000), many = put_keys(ctx, 40000);
    linear = many < 80 * few + 0.05;
  }
  CHECK(linear);
}

/* Programs distinguish writes by timestamps and read as of one of them. */
TEST_WITH(ctx, each_write_has_a_unique_timestamp) {
  enum { WRITES = 20 };
  char uri[128];
  uint64_t last = 0;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 1), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  for (int32_t i = 1; i <= WRITES; i++) {
    uint64_t sizes[2] = {sizeof i, sizeof i};
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", &i, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", &i, &sizes[1]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), WRITES);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  for (uint32_t i = 0; i < WRITES; i++) {
    uint64_t start = 0, end = 0;
    CHECK_OK(ctx, tiledb_fragment_info_get_timestamp_range(ctx, info, i, &start, &end));
    CHECK(start == end && start > last);
    last = end;
  }
  tiledb_fragment_info_free(&info);
}

/* In libtiledb the value is lost after the first call. */
TEST_WITH(ctx, freeing_the_count_operation_has_no_effect) {
  for (int i = 0; i < 2; i++) {
    const tiledb_channel_operation_t* count = NULL;
    CHECK_OK(ctx, tiledb_aggregate_count_get(ctx, &count));
    CHECK(count != NULL);
    tiledb_channel_operation_t* mine = (tiledb_channel_operation_t*)count;
    CHECK_OK(ctx, tiledb_aggregate_free(ctx, &mine));
    CHECK(mine == NULL);
  }
}

/* Creates four points; "colour" has the labels red and green, and is null in odd cells. */
static void coloured_points(tiledb_ctx_t* ctx, char* uri) {
  const uint64_t starts[2] = {0, 3};
  int32_t x[4] = {1, 2, 3, 4}, colours[4] = {0, 0, 1, 1};
  uint8_t valid[4] = {1, 0, 1, 0};
  uint64_t sizes[2] = {sizeof x, sizeof valid};
  tiledb_enumeration_t* labels = NULL;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0);
  CHECK_OK(
      ctx, tiledb_enumeration_alloc(
               ctx, "labels", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, "redgreen", 8, starts, sizeof starts, &labels));
  CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, labels));
  tiledb_attribute_t* colour = new_attribute(ctx, "colour", TILEDB_INT32);
  CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, colour, 1));
  CHECK_OK(ctx, tiledb_attribute_set_enumeration_name(ctx, colour, "labels"));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, colour));
  tiledb_attribute_free(&colour);
  tiledb_enumeration_free(&labels);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "colour", colours, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "colour", valid, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, null_differs_from_no_unknown_label_in_any_layout) {
  static const tiledb_layout_t layouts[4] = {
      TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER, TILEDB_UNORDERED};
  char uri[128];
  int32_t x[4];
  coloured_points(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 4; i++) {
    uint64_t size = sizeof x;
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    tiledb_query_condition_t* condition = compare(ctx, "colour", "blue", 4, TILEDB_NE);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, 2 * sizeof *x);
    CHECK(x[0] == 1 && x[1] == 3);
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

/* Writes the number of a cell at two timestamps. */
static void write_twice(tiledb_ctx_t* ctx, const char* uri, uint64_t first, uint64_t second) {
  const int32_t cell[4] = {1, 1, 1, 1}, numbers[2] = {10, 20};
  write_box(ctx, uri, first, cell, &numbers[0]);
  write_box(ctx, uri, second, cell, &numbers[1]);
}

/* Consolidates files of a kind, and checks that the array can be read. */
static void consolidate_files(tiledb_ctx_t* ctx, const char* uri, const char* mode) {
  const int32_t cell[4] = {1, 1, 1, 1};
  int32_t number = 0;
  tiledb_config_t* config = config_with("sm.consolidation.mode", mode);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  tiledb_config_free(&config);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, cell, &number), 1);
  CHECK_EQ(number, 20);
  close_array(ctx, &array);
}

TEST_WITH(ctx, commits_at_timestamps_of_different_lengths_are_consolidated) {
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  write_twice(ctx, uri, 9, 10);
  consolidate_files(ctx, uri, "commits");
}

TEST(consolidated_footers_of_an_encrypted_array_are_encrypted_without_a_key_in_the_configuration) {
  char uri[128];
  tiledb_ctx_t* ctx = NULL;
  tiledb_config_t* config = config_with("sm.encryption_type", "AES_256_GCM");
  set_param(config, "sm.encryption_key", "0123456789abcdeF0123456789abcdeF");
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  tiledb_config_free(&config);
  create_with(ctx, new_number_schema(ctx), uri);
  write_twice(ctx, uri, 100, 200);
  consolidate_files(ctx, uri, "fragment_meta");
  tiledb_ctx_free(&ctx);
}

/* Creates an enumeration of this number of integers, or extends one by the numbers after them. */
static tiledb_enumeration_t* numbered_labels(tiledb_ctx_t* ctx, tiledb_enumeration_t* old, int32_t first, int32_t end) {
  static int32_t values[300];
  tiledb_enumeration_t* labels = NULL;
  const uint64_t size = (uint64_t)(end - first) * sizeof *values;
  for (int32_t i = first; i < end; i++) {
    values[i - first] = i;
  }
  if (old == NULL) {
    CHECK_OK(ctx, tiledb_enumeration_alloc(ctx, "labels", TILEDB_INT32, 1, 0, values, size, NULL, 0, &labels));
  } else {
    CHECK_OK(ctx, tiledb_enumeration_extend(ctx, old, values, size, NULL, 0, &labels));
  }
  return labels;
}

TEST_WITH(ctx, an_enumeration_is_not_extended_past_the_indexes_of_its_attributes) {
  static const struct {
    tiledb_datatype_t type;
    int32_t most;
  } attributes[2] = {{TILEDB_INT8, 128}, {TILEDB_UINT8, 256}};
  for (int i = 0; i < 2; i++) {
    const int32_t most = attributes[i].most;
    char uri[128], expected[128];
    tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
    tiledb_attribute_t* attribute = NULL;
    tiledb_enumeration_t* labels = numbered_labels(ctx, NULL, 0, most - 2);
    CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, labels));
    CHECK_OK(ctx, tiledb_attribute_alloc(ctx, "label", attributes[i].type, &attribute));
    CHECK_OK(ctx, tiledb_attribute_set_enumeration_name(ctx, attribute, "labels"));
    CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
    create_with(ctx, schema, uri);
    for (int32_t number = most + 1; number >= most; number--) {
      tiledb_array_schema_evolution_t* evolution = NULL;
      tiledb_enumeration_t* longer = numbered_labels(ctx, labels, most - 2, number);
      CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &evolution));
      CHECK_OK(ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, evolution, longer));
      const int32_t code = tiledb_array_evolve(ctx, uri, evolution);
      if (number > most) {
        CHECK_EQ(code, TILEDB_ERR);
        snprintf(expected, sizeof expected, "would have %d values", (int)number);
        CHECK(strstr(harness_error(ctx), expected) != NULL);
        snprintf(expected, sizeof expected, "can refer to %d only", (int)most);
        CHECK(strstr(harness_error(ctx), expected) != NULL);
      } else {
        CHECK_EQ(code, TILEDB_OK);
      }
      tiledb_array_schema_evolution_free(&evolution);
      tiledb_enumeration_free(&longer);
    }
    tiledb_enumeration_free(&labels);
  }
}
