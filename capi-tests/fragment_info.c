/* Fragment info of a dense array that is written twice. */
#include "harness.h"

static void create_array(tiledb_ctx_t* ctx, char* uri) {
  int32_t bounds[2] = {1, 10}, extent = 5;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, &extent, &dimension));
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK_OK(ctx, tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  snprintf(uri, 128, "%s", scratch());
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
}

/* Writes the cells `low` to `high` at the time `at`. */
static void write_cells(tiledb_ctx_t* ctx, const char* uri, uint64_t at, int32_t low, int32_t high) {
  int32_t range[2] = {low, high}, cells[10] = {0};
  uint64_t size = (uint64_t)(high - low + 1) * sizeof(int32_t);
  tiledb_array_t* array = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_OK(ctx, tiledb_array_set_open_timestamp_end(ctx, array, at));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  CHECK_OK(ctx, tiledb_subarray_set_subarray(ctx, subarray, range));
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", cells, &size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  tiledb_array_free(&array);
}

/* The fragment info, loaded, of an array with two fragments. */
static tiledb_fragment_info_t* new_info(tiledb_ctx_t* ctx, char* uri) {
  tiledb_fragment_info_t* info = NULL;
  create_array(ctx, uri);
  write_cells(ctx, uri, 10, 1, 4);
  write_cells(ctx, uri, 20, 4, 10);
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &info));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  return info;
}

TEST(fragments_are_told_in_the_order_of_time) {
  tiledb_ctx_t* ctx = new_context();
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
  CHECK_EQ(version, 22);
  CHECK_OK(ctx, tiledb_fragment_info_get_dense(ctx, info, 0, &dense));
  CHECK_OK(ctx, tiledb_fragment_info_get_sparse(ctx, info, 0, &sparse));
  CHECK(dense == 1 && sparse == 0);
  CHECK_OK(ctx, tiledb_fragment_info_has_consolidated_metadata(ctx, info, 0, &consolidated));
  CHECK_EQ(consolidated, 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 1, 0, range));
  CHECK(range[0] == 4 && range[1] == 10);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, "d", range));
  CHECK(range[0] == 1 && range[1] == 4);
  tiledb_fragment_info_free(&info);
  CHECK(info == NULL);
  tiledb_ctx_free(&ctx);
}

TEST(a_name_is_the_end_of_a_uri_and_a_schema_is_handed_out) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128];
  const char *place = NULL, *name = NULL, *schema_name = NULL;
  size_t length = 0;
  uint32_t attributes = 0;
  tiledb_string_t* text = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &place));
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_name_v2(ctx, info, 0, &text));
  CHECK_EQ(tiledb_string_view(text, &name, &length), TILEDB_OK);
  CHECK_TEXT(strrchr(place, '/') + 1, name);
  tiledb_string_free(&text);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 0, &schema_name));
  CHECK(strncmp(schema_name, "__", 2) == 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema(ctx, info, 0, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, schema, &attributes));
  CHECK_EQ(attributes, 1);
  tiledb_array_schema_free(&schema);
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(wrong_questions_are_errors) {
  tiledb_ctx_t* ctx = new_context();
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
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, "x", range),
      "FragmentInfo: Cannot get non-empty domain; Invalid dimension name 'x'");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_index(ctx, info, 0, 0, &count, &end),
      "FragmentInfo: Cannot get non-empty domain var size; Dimension is fixed sized");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, NULL), "C API: Invalid output pointer for object");
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(a_dump_describes_each_fragment) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128];
  const char* text = NULL;
  size_t length = 0;
  tiledb_string_t* dump = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_dump_str(ctx, info, &dump));
  CHECK_EQ(tiledb_string_view(dump, &text, &length), TILEDB_OK);
  CHECK(strncmp(text, "- Fragment num: 2\n- Unconsolidated metadata num: 2\n- To vacuum num: 0\n- Fragment #1:\n", 81) == 0);
  CHECK(strstr(text, "  > Type: dense\n  > Non-empty domain: [1, 4]\n") != NULL);
  CHECK(strstr(text, "  > Timestamp range: [20, 20]\n  > Format version: 22\n") != NULL);
  tiledb_string_free(&dump);
  CHECK_FAILS(ctx, tiledb_fragment_info_dump(ctx, info, NULL), "C API: Invalid stream handle; must be non-null");
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

/* The number of visible fragments, and of those that wait for vacuum. */
static void count_fragments(tiledb_ctx_t* ctx, const char* uri, uint32_t visible, uint32_t waiting) {
  tiledb_fragment_info_t* info = NULL;
  uint32_t number = 99;
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &info));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &number));
  CHECK_EQ(number, visible);
  CHECK_OK(ctx, tiledb_fragment_info_get_to_vacuum_num(ctx, info, &number));
  CHECK_EQ(number, waiting);
  tiledb_fragment_info_free(&info);
}

/* A configuration with one parameter set. */
static tiledb_config_t* config_of(const char* name, const char* value) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_set(config, name, value, &error), TILEDB_OK);
  return config;
}

TEST(fragments_are_merged_and_what_they_replaced_is_vacuumed) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128];
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  tiledb_fragment_info_free(&info);
  const char* modes[] = {"commits", "fragment_meta", "array_meta"};
  for (int at = 0; at < 3; at++) {
    tiledb_config_t* merging = config_of("sm.consolidation.mode", modes[at]);
    tiledb_config_t* vacuuming = config_of("sm.vacuum.mode", modes[at]);
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
  tiledb_config_t* wrong = config_of("sm.consolidation.mode", "everything");
  CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, uri, wrong), "Cannot consolidate; invalid configuration mode");
  tiledb_config_free(&wrong);
  tiledb_ctx_free(&ctx);
}

TEST(fragments_are_merged_by_name) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128], first[256], second[256];
  const char* names[3] = {first, second, "__1_1_00000000000000000000000000000000_22"};
  const char* found = NULL;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  char* places[2] = {first, second};
  for (uint32_t at = 0; at < 2; at++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, at, &found));
    snprintf(places[at], 256, "%s", strrchr(found, '/') + 1);
  }
  tiledb_fragment_info_free(&info);
  CHECK_FAILS(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 3, NULL),
      "FragmentConsolidator: Cannot consolidate; Found 2 of 3 required fragments.");
  CHECK_OK(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 1, NULL));
  count_fragments(ctx, uri, 2, 0);
  CHECK_OK(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 2, NULL));
  count_fragments(ctx, uri, 1, 2);
  tiledb_ctx_free(&ctx);
}

TEST(fragments_are_removed_by_time_or_by_name) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128], place[256];
  const char *found = NULL, *names[2] = {place, "__1_1_00000000000000000000000000000000_22"};
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  tiledb_fragment_info_free(&info);
  CHECK_OK(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 11, 19));
  count_fragments(ctx, uri, 2, 0);
  CHECK_OK(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 0, 15));
  count_fragments(ctx, uri, 1, 0);

  info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 1, &found));
  snprintf(place, sizeof place, "%s", found);
  tiledb_fragment_info_free(&info);
  CHECK_FAILS(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 2), "C API: Failed to delete fragments list");
  count_fragments(ctx, uri, 2, 0);
  CHECK_OK(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 1));
  count_fragments(ctx, uri, 1, 0);
  tiledb_ctx_free(&ctx);
}

TEST(what_waits_for_vacuum_and_for_merging_is_told) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128], old[256];
  const char* found = NULL;
  uint32_t number = 9;
  tiledb_fragment_info_t* info = new_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_unconsolidated_metadata_num(ctx, info, &number));
  CHECK_EQ(number, 2);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &found));
  snprintf(old, sizeof old, "%s", found);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, info, 0, &found), "Invalid fragment index");
  tiledb_config_t* merging = config_of("sm.consolidation.mode", "fragment_meta");
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, merging));
  tiledb_config_free(&merging);
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  CHECK_OK(ctx, tiledb_fragment_info_get_unconsolidated_metadata_num(ctx, info, &number));
  CHECK_EQ(number, 0);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  CHECK_OK(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, info, 0, &found));
  CHECK_TEXT(found, old);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, info, 2, &found), "Invalid fragment index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_to_vacuum_uri(ctx, NULL, 0, &found), "Invalid TileDB fragment_info object");
  CHECK_EQ(tiledb_fragment_info_get_to_vacuum_uri(NULL, info, 0, &found), TILEDB_INVALID_CONTEXT);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_unconsolidated_metadata_num(ctx, NULL, &number), "Invalid TileDB fragment_info object");
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(fragment_info_has_a_configuration_of_its_own) {
  tiledb_ctx_t* ctx = new_context();
  char uri[128];
  const char* value = NULL;
  tiledb_error_t* error = NULL;
  tiledb_config_t *mine = config_of("sm.tile_cache_size", "123"), *back = NULL;
  tiledb_fragment_info_t *info = new_info(ctx, uri), *fresh = NULL;
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &fresh));
  CHECK_OK(ctx, tiledb_fragment_info_set_config(ctx, fresh, mine));
  CHECK_OK(ctx, tiledb_fragment_info_get_config(ctx, fresh, &back));
  CHECK_EQ(tiledb_config_get(back, "sm.tile_cache_size", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, "123");
  tiledb_config_free(&back);
  /* One that is loaded keeps what it was loaded with. */
  CHECK_FAILS(ctx, tiledb_fragment_info_set_config(ctx, info, mine), "Cannot set config after load");
  CHECK_FAILS(ctx, tiledb_fragment_info_set_config(ctx, NULL, mine), "Invalid TileDB fragment_info object");
  CHECK_FAILS(ctx, tiledb_fragment_info_set_config(ctx, fresh, NULL), "Invalid TileDB configuration object");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_config(ctx, NULL, &back), "Invalid TileDB fragment_info object");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_config(ctx, fresh, NULL), "Invalid output pointer for object");
  CHECK_EQ(tiledb_fragment_info_get_config(NULL, fresh, &back), TILEDB_INVALID_CONTEXT);
  tiledb_config_free(&mine);
  tiledb_fragment_info_free(&fresh);
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}
