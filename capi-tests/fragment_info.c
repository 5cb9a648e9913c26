/* Fragment info of a dense array that is written twice. */
#include "arrays.h"

static void create_array(tiledb_ctx_t* ctx, char* uri) {
  create_with(ctx, new_line_schema(ctx, TILEDB_DENSE, 10, 5, 0), uri);
}

/* Writes the cells `low` to `high` at the timestamp `at`. */
static void write_cells(tiledb_ctx_t* ctx, const char* uri, uint64_t i, int32_t low, int32_t high) {
  int32_t cells[10] = {0};
  uint64_t size = (uint64_t)(high - low + 1) * sizeof *cells;
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, i);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, low, high);
  tiledb_query_t* query = query_on(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, subarray);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Returns the loaded fragment info of an array with two fragments. */
static tiledb_fragment_info_t* new_info(tiledb_ctx_t* ctx, char* uri) {
  create_array(ctx, uri);
  write_cells(ctx, uri, 10, 1, 4);
  write_cells(ctx, uri, 20, 4, 10);
  return load_info(ctx, uri);
}

TEST_WITH(ctx, fragments_are_listed_in_order_of_time) {
  char uri[128];
  uint32_t num = 0, version = 0;
  uint64_t start = 0, end = 0, cells = 0, all = 0, size = 0;
  int32_t dense = -1, sparse = -1, consolidated = -1, range[2] = {0, 0};
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &num));
  CHECK_EQ(num, 2);
  CHECK_OK(ctx, tiledb_fragment_info_get_timestamp_range(ctx, info, 1, &start, &end));
  CHECK(start == 20 && end == 20);
  CHECK_OK(ctx, tiledb_fragment_info_get_cell_num(ctx, info, 1, &cells));
  CHECK_EQ(cells, 10);
  CHECK_OK(ctx, tiledb_fragment_info_get_total_cell_num(ctx, info, &all));
  CHECK_EQ(all, 15);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_size(ctx, info, 0, &size));
  CHECK(size > 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_version(ctx, info, 0, &version));
  CHECK_EQ(version, is_2_31() ? 23 : 22);
  CHECK_OK(ctx, tiledb_fragment_info_get_dense(ctx, info, 0, &dense));
  CHECK_OK(ctx, tiledb_fragment_info_get_sparse(ctx, info, 0, &sparse));
  CHECK(dense == 1 && sparse == 0);
  CHECK_OK(ctx, tiledb_fragment_info_has_consolidated_metadata(ctx, info, 0, &consolidated));
  CHECK_EQ(consolidated, 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 1, 0, range));
  CHECK(range[0] == 4 && range[1] == 10);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, "x", range));
  CHECK(range[0] == 1 && range[1] == 4);
  tiledb_fragment_info_free(&info);
  CHECK(info == NULL);
}

TEST_WITH(ctx, fragment_info_returns_names_and_schemas) {
  char uri[128];
  const char *uri_found = NULL, *name = NULL, *schema_name = NULL;
  size_t length = 0;
  uint32_t attributes = 0;
  tiledb_string_t* text = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &uri_found));
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_name_v2(ctx, info, 0, &text));
  CHECK_EQ(tiledb_string_view(text, &name, &length), TILEDB_OK);
  CHECK_TEXT(strrchr(uri_found, '/') + 1, name);
  tiledb_string_free(&text);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 0, &schema_name));
  CHECK(strncmp(schema_name, "__", 2) == 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema(ctx, info, 0, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, schema, &attributes));
  CHECK_EQ(attributes, 1);
  tiledb_array_schema_free(&schema);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, wrong_arguments_of_fragment_info_are_errors) {
  char uri[128];
  uint32_t num = 0;
  uint64_t count = 9, end = 0;
  int32_t range[2];
  tiledb_fragment_info_t* info = NULL;
  CHECK_FAILS(ctx, tiledb_fragment_info_alloc(ctx, "foo://x", &info),
      "C API: Failed to create TileDB fragment info object; Invalid URI");
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, scratch(), &info));
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &num),
      "FragmentInfo: Fragment info has not been loaded.");
  CHECK_FAILS(ctx, tiledb_fragment_info_load(ctx, info), "Array does not exist");
  tiledb_fragment_info_free(&info);
  info = new_info(ctx, uri);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_cell_num(ctx, info, 2, &count), "Invalid fragment index");
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_num(ctx, info, 0, &count));
  CHECK_EQ(count, 0);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 0, 0, range),
      "FragmentInfo: Cannot get MBR; Fragment is not sparse");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, "none", range),
      "FragmentInfo: Cannot get non-empty domain; Invalid dimension name 'none'");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_index(ctx, info, 0, 0, &count, &end),
      "FragmentInfo: Cannot get non-empty domain var size; Dimension is fixed sized");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, NULL), "C API: Invalid output pointer for object");
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, a_dump_describes_each_fragment) {
  char uri[128];
  const char* text = NULL;
  size_t length = 0;
  tiledb_string_t* dump = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_dump_str(ctx, info, &dump));
  CHECK_EQ(tiledb_string_view(dump, &text, &length), TILEDB_OK);
  CHECK(strncmp(text, "- Fragment num: 2\n- Unconsolidated metadata num: 2\n- To vacuum num: 0\n- Fragment #1:\n", 81) == 0);
  CHECK(strstr(text, "  > Type: dense\n  > Non-empty domain: [1, 4]\n") != NULL);
  CHECK(strstr(text, by_release("  > Timestamp range: [20, 20]\n  > Format version: 22\n",
                         "  > Timestamp range: [20, 20]\n  > Format version: 23\n")) != NULL);
  char streamed[4096];
  FILE* file = tmpfile();
  CHECK(file != NULL);
  CHECK_OK(ctx, tiledb_fragment_info_dump(ctx, info, file));
  rewind(file);
  CHECK_EQ(fread(streamed, 1, sizeof streamed, file), length);
  CHECK(memcmp(streamed, text, length) == 0);
  fclose(file);
  tiledb_string_free(&dump);
  CHECK_FAILS(ctx, tiledb_fragment_info_dump(ctx, info, NULL), "C API: Invalid stream handle; must be non-null");
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, a_dump_shows_no_bounds_of_empty_texts) {
  char uri[128];
  int32_t number = 1;
  const char* text = NULL;
  size_t length = 0;
  uint64_t start = 0, sizes[3] = {0, sizeof start, sizeof number};
  tiledb_string_t* dump = NULL;
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "text"), NULL);
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", uri, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", &start, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", &number, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_dump_str(ctx, info, &dump));
  CHECK_EQ(tiledb_string_view(dump, &text, &length), TILEDB_OK);
  CHECK(strstr(text, "  > Non-empty domain: null\n") != NULL);
  tiledb_string_free(&dump);
  tiledb_fragment_info_free(&info);
}

/* Checks the number of visible fragments and of those to vacuum. */
static void count_fragments(tiledb_ctx_t* ctx, const char* uri, uint32_t visible, uint32_t waiting) {
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  uint32_t number = 99;
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &number));
  CHECK_EQ(number, visible);
  CHECK_OK(ctx, tiledb_fragment_info_get_to_vacuum_num(ctx, info, &number));
  CHECK_EQ(number, waiting);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, fragments_are_consolidated_and_vacuumed) {
  char uri[128];
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  tiledb_fragment_info_free(&info);
  const char* modes[] = {"commits", "fragment_meta", "array_meta"};
  for (int i = 0; i < 3; i++) {
    tiledb_config_t* merging = config_with("sm.consolidation.mode", modes[i]);
    tiledb_config_t* vacuuming = config_with("sm.vacuum.mode", modes[i]);
    CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, merging));
    CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, vacuuming));
    count_fragments(ctx, uri, 2, 0);
    tiledb_config_free(&merging);
    tiledb_config_free(&vacuuming);
  }
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  count_fragments(ctx, uri, 1, 2);
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  count_fragments(ctx, uri, 1, 0);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  count_fragments(ctx, uri, 1, 0);
  CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, "/nowhere/at/all", NULL), "Cannot consolidate array; Array does not exist");
  tiledb_config_t* wrong = config_with("sm.consolidation.mode", "everything");
  CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, uri, wrong), "Cannot consolidate; invalid configuration mode");
  tiledb_config_free(&wrong);
}

TEST_WITH(ctx, sizes_of_a_loaded_info_remain_after_a_vacuum) {
  char uri[128];
  uint64_t sizes[2] = {0, 0}, size = 0;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_size(ctx, info, i, &sizes[i]));
  }
  tiledb_fragment_info_free(&info);
  info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_size(ctx, info, i, &size));
    CHECK_EQ(size, sizes[i]);
  }
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_fragment_info_dump_str(ctx, info, &text));
  tiledb_string_free(&text);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, fragments_are_merged_by_name) {
  char uri[128], first[256], second[256];
  const char* names[3] = {first, second, "__1_1_00000000000000000000000000000000_22"};
  const char* found = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  char* uris[2] = {first, second};
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, i, &found));
    snprintf(uris[i], 256, "%s", strrchr(found, '/') + 1);
  }
  tiledb_fragment_info_free(&info);
  CHECK_FAILS(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 3, NULL),
      "FragmentConsolidator: Cannot consolidate; Found 2 of 3 required fragments.");
  CHECK_OK(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 1, NULL));
  count_fragments(ctx, uri, 2, 0);
  CHECK_OK(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 2, NULL));
  count_fragments(ctx, uri, 1, 2);
}

TEST_WITH(ctx, fragments_are_removed_by_time_or_by_name) {
  char uri[128], uri_found[256];
  const char *found = NULL, *names[2] = {uri_found, "__1_1_00000000000000000000000000000000_22"};
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  tiledb_fragment_info_free(&info);
  CHECK_OK(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 11, 19));
  count_fragments(ctx, uri, 2, 0);
  CHECK_OK(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 0, 15));
  count_fragments(ctx, uri, 1, 0);

  info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 1, &found));
  snprintf(uri_found, sizeof uri_found, "%s", found);
  tiledb_fragment_info_free(&info);
  CHECK_FAILS(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 2), "C API: Failed to delete fragments list");
  CHECK_ERROR(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 0),
              "C API: Failed to delete fragments list; Invalid input number of fragments");
  count_fragments(ctx, uri, 2, 0);
  CHECK_OK(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 1));
  count_fragments(ctx, uri, 1, 0);
}

TEST_WITH(ctx, replaced_fragments_that_a_reader_at_their_time_sees_are_removed_by_time) {
  char uri[128];
  int32_t is_empty = 0;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  tiledb_fragment_info_free(&info);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  count_fragments(ctx, uri, 1, 2);
  CHECK_OK(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 0, 15));
  for (uint64_t time = 15; time <= 25; time += 10) {
    int32_t domain[4];
    tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, time);
    CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, domain, &is_empty));
    CHECK_EQ(is_empty, time == 15);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, fragments_of_a_missing_array_cannot_be_deleted) {
  static const char missing[] = "[TileDB::Array] Error: Cannot open array; Array does not exist.";
  const char* names[1] = {"fragment"};
  const char* uri = scratch();
  CHECK_ERROR(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 1), missing);
  CHECK_ERROR(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 0, 1), missing);
}

/* Creates a sparse array of numbers and strings with one fragment and one cell per tile. */
static tiledb_fragment_info_t* new_text_info(tiledb_ctx_t* ctx, char* uri) {
  int32_t numbers[3] = {2, 4, 7};
  uint64_t offsets[3] = {0, 3, 4}, sizes[3] = {sizeof numbers, 6, sizeof offsets};
  char texts[] = "onetwo";
  tiledb_array_schema_t* schema =
      schema_on(ctx, TILEDB_SPARSE, new_dimension(ctx, "number", 10, 5), text_dimension(ctx, "text"));
  CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, schema, 1));
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", numbers, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", texts, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", offsets, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return load_info(ctx, uri);
}

TEST_WITH(ctx, texts_have_bounds_that_vary_in_length) {
  char uri[128], low[4] = "", high[4] = "";
  uint64_t sizes[2] = {9, 9}, tiles = 0;
  int32_t numbers[2] = {0, 0};
  tiledb_fragment_info_t* info = new_text_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_num(ctx, info, 0, &tiles));
  CHECK_EQ(tiles, 3);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 1, 0, numbers));
  CHECK(numbers[0] == 4 && numbers[1] == 4);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_from_name(ctx, info, 0, 2, "number", numbers));
  CHECK(numbers[0] == 7 && numbers[1] == 7);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_size_from_index(ctx, info, 0, 0, 1, &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 3 && sizes[1] == 3);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 0, 1, low, high));
  CHECK(memcmp(low, "one", 3) == 0 && memcmp(high, "one", 3) == 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 0, 1, "text", &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 1 && sizes[1] == 1);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_from_name(ctx, info, 0, 2, "text", low, high));
  CHECK(memcmp(low, "wo", 2) == 0 && memcmp(high, "wo", 2) == 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_index(ctx, info, 0, 1, &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 3 && sizes[1] == 2);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_index(ctx, info, 0, 1, low, high));
  CHECK(memcmp(low, "one", 3) == 0 && memcmp(high, "wo", 2) == 0);
  sizes[0] = sizes[1] = 9;
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_name(ctx, info, 0, "text", &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 3 && sizes[1] == 2);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, info, 0, "text", low, high));
  CHECK(memcmp(low, "one", 3) == 0 && memcmp(high, "wo", 2) == 0);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, mbr_getters_reject_wrong_types_and_indexes) {
  char uri[128], low[8], high[8];
  uint64_t one = 0, other = 0;
  int32_t range[2];
  tiledb_fragment_info_t* info = new_text_info(ctx, uri);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 3, 0, range), "FragmentInfo: Cannot get MBR; ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 1, 0, 0, range), "FragmentInfo: Cannot get MBR; ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 0, 1, range), "FragmentInfo: Cannot get MBR; ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_name(ctx, info, 0, 0, "x", range),
      "Invalid dimension name 'x'");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_size_from_index(ctx, info, 0, 0, 0, &one, &other), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 0, 0, low, high), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 0, 0, "x", &one, &other), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_name(ctx, info, 0, 0, "x", low, high), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 1, range), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_index(ctx, info, 0, 0, low, high), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, info, 0, "number", low, high), "FragmentInfo: ");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_name(ctx, info, 0, "number", &one, &other),
      "FragmentInfo: ");
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, all_functions_reject_an_unknown_fragment) {
  char uri[128];
  const char* text = NULL;
  uint64_t number = 0, other = 0;
  uint32_t version = 0;
  int32_t flag = 0, range[2];
  tiledb_array_schema_t* schema = NULL;
  tiledb_string_t* string = NULL;
  const char* refused = "Invalid fragment index";
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 2, &text), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_name_v2(ctx, info, 2, &string), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_size(ctx, info, 2, &number), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_dense(ctx, info, 2, &flag), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_sparse(ctx, info, 2, &flag), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_timestamp_range(ctx, info, 2, &number, &other), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_version(ctx, info, UINT32_MAX, &version), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_num(ctx, info, 2, &number), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_has_consolidated_metadata(ctx, info, 2, &flag), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 2, &text), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_array_schema(ctx, info, 2, &schema), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 2, 0, range), refused);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 7, range), "Invalid dimension index");
  CHECK_FAILS(
      ctx, tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, NULL, range),
      "Dimension name argument cannot be null");
  CHECK(text == NULL && string == NULL && schema == NULL);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, fragments_to_vacuum_are_returned_by_index) {
  char uri[128], uris[2][256];
  const char* uri_found = NULL;
  uint32_t number = 99;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, i, &uri_found));
    snprintf(uris[i], sizeof uris[i], "%s", uri_found);
  }
  CHECK_OK(ctx, tiledb_fragment_info_get_unconsolidated_metadata_num(ctx, info, &number));
  CHECK_EQ(number, 2);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, info, 0, &uri_found), "FragmentInfo: ");
  tiledb_config_t* merging = config_with("sm.consolidation.mode", "fragment_meta");
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, merging));
  tiledb_config_free(&merging);
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  CHECK_OK(ctx, tiledb_fragment_info_get_unconsolidated_metadata_num(ctx, info, &number));
  CHECK_EQ(number, 0);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  CHECK_OK(ctx, tiledb_fragment_info_get_to_vacuum_num(ctx, info, &number));
  CHECK_EQ(number, 2);
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, info, i, &uri_found));
    CHECK(strcmp(uri_found, uris[0]) == 0 || strcmp(uri_found, uris[1]) == 0);
  }
  CHECK_FAILS(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, info, 2, &uri_found), "FragmentInfo: ");
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, a_configuration_is_set_before_loading) {
  char uri[128];
  const char* value = NULL;
  tiledb_error_t* error = NULL;
  tiledb_config_t *config = config_with("sm.check_coord_dups", "false"), *found = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_FAILS(ctx, tiledb_fragment_info_set_config(ctx, info, config), "FragmentInfo: ");
  tiledb_fragment_info_free(&info);
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &info));
  CHECK_OK(ctx, tiledb_fragment_info_set_config(ctx, info, config));
  CHECK_OK(ctx, tiledb_fragment_info_get_config(ctx, info, &found));
  CHECK_EQ(tiledb_config_get(found, "sm.check_coord_dups", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, "false");
  CHECK_FAILS(ctx, tiledb_fragment_info_set_config(ctx, info, NULL), "onfig");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_config(ctx, NULL, &found), "Invalid TileDB fragment_info object");
  tiledb_config_free(&config);
  tiledb_config_free(&found);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, all_functions_reject_a_null_fragment_info) {
  uint64_t number = 0, other = 0;
  uint32_t small = 0;
  int32_t flag = 0;
  const char* text = NULL;
  char bytes[8];
  tiledb_string_t* string = NULL;
  tiledb_array_schema_t* schema = NULL;
  const char* refused = "Invalid TileDB fragment_info object";
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_load, NULL);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_fragment_num, NULL, &small);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_fragment_uri, NULL, 0, &text);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_fragment_name_v2, NULL, 0, &string);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_fragment_size, NULL, 0, &number);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_dense, NULL, 0, &flag);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_sparse, NULL, 0, &flag);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_timestamp_range, NULL, 0, &number, &other);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_mbr_num, NULL, 0, &number);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_mbr_from_name, NULL, 0, 0, "x", bytes);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_non_empty_domain_from_index, NULL, 0, 0, bytes);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_cell_num, NULL, 0, &number);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_total_cell_num, NULL, &number);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_version, NULL, 0, &small);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_has_consolidated_metadata, NULL, 0, &flag);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_unconsolidated_metadata_num, NULL, &small);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_to_vacuum_num, NULL, &small);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_to_vacuum_uri, NULL, 0, &text);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_array_schema, NULL, 0, &schema);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_get_array_schema_name, NULL, 0, &text);
  CHECK_NEEDS(ctx, refused, tiledb_fragment_info_dump_str, NULL, &string);
}
