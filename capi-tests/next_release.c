/*
 * Additions of libtiledb 2.31: arrays of format version 23, the bounds of tiles in global order,
 * and queries whose buffers are unset; and what changes if TILEDB_RS_RELEASE is 2.31.
 */
#include "arrays.h"
#include <sys/stat.h>
#include <sys/wait.h>

/* Returns a context that creates arrays of format version 23. */
static tiledb_ctx_t* context_of_23(void) { return context_with("tiledb_rs.format_version", "23"); }

static uint32_t version_of(tiledb_ctx_t* ctx, const char* uri) {
  tiledb_array_schema_t* schema = NULL;
  uint32_t version = 0;
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_version(ctx, schema, &version));
  tiledb_array_schema_free(&schema);
  return version;
}

TEST(bounds_of_tiles_are_their_first_and_last_cells) {
  char uri[128];
  tiledb_ctx_t* ctx = context_of_23();
  int32_t x[5] = {9, 1, 4, 7, 3}, lower = 0, upper = 0;
  size_t size = 0;
  void *to_lower[1] = {&lower}, *to_upper[1] = {&upper}, *nothing[1] = {NULL};
  const int32_t expected[3][2] = {{1, 3}, {4, 7}, {9, 9}};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  write_points(ctx, uri, 1, 5, x, x);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  for (uint32_t tile = 0; tile < 3; tile++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, tile, &size, to_lower));
    CHECK_EQ(size, sizeof lower);
    CHECK_OK(ctx, tiledb_fragment_info_get_global_order_upper_bound(ctx, info, 0, tile, NULL, to_upper));
    CHECK(lower == expected[tile][0] && upper == expected[tile][1]);
  }
  size = 0;
  CHECK_OK(ctx, tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, 0, &size, nothing));
  CHECK_EQ(size, sizeof lower);
  CHECK_ERROR(ctx, tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, 3, &size, to_lower),
      "FragmentInfo: Cannot get MBR global order bound: Invalid mbr index");
  CHECK_ERROR(ctx, tiledb_fragment_info_get_global_order_upper_bound(ctx, info, 1, 0, &size, to_upper),
      "FragmentInfo: Cannot get MBR global order bound: Invalid fragment index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_global_order_upper_bound(ctx, info, 0, 0, &size, NULL),
      "C API: Invalid output pointer for object");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_global_order_upper_bound(ctx, NULL, 0, 0, &size, to_upper),
      "C API: Invalid TileDB fragment_info object");
  CHECK_EQ(tiledb_fragment_info_get_global_order_upper_bound(NULL, info, 0, 0, &size, to_upper),
      TILEDB_INVALID_CONTEXT);
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(bounds_of_strings_have_their_sizes) {
  char uri[128], cells[] = "bananaapplecarrot", lower[8] = "";
  uint64_t offsets[3] = {0, 6, 11}, size = sizeof cells - 1, offsets_size = sizeof offsets, values_size = 12;
  int32_t values[3] = {1, 2, 3};
  size_t bound_size = 0;
  void* to[1] = {lower};
  tiledb_ctx_t* ctx = context_of_23();
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "s"), NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "s", cells, &size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "s", offsets, &offsets_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", values, &values_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, 0, &bound_size, to));
  CHECK(bound_size == 5 && strcmp(lower, "apple") == 0);
  CHECK_ERROR(ctx, tiledb_fragment_info_get_global_order_upper_bound(ctx, info, 0, 0, NULL, to),
      "FragmentInfo: Cannot get MBR global order bound: Variable-length dimension requires non-NULL "
      "dimension_sizes argument");
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, fragments_without_bounds_say_so) {
  char uri[128];
  int32_t x[2] = {1, 2}, bound = 0, cells[10] = {0};
  uint64_t size = sizeof cells;
  size_t bound_size = 0;
  void* to[1] = {&bound};
  tiledb_ctx_t* older = context_with("tiledb_rs.format_version", "22");
  create_with(older, new_line_schema(older, TILEDB_SPARSE, 10, 5, 0), uri);
  tiledb_ctx_free(&older);
  write_points(ctx, uri, 1, 2, x, x);
  CHECK_EQ(version_of(ctx, uri), 22);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_ERROR(ctx, tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, 0, &bound_size, to),
      "FragmentInfo: Cannot get MBR global order bound: Invalid mbr index");
  tiledb_fragment_info_free(&info);
  create_with(ctx, new_line_schema(ctx, TILEDB_DENSE, 10, 5, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  info = load_info(ctx, uri);
  CHECK_ERROR(ctx, tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, 0, &bound_size, to),
      "FragmentInfo: Cannot get MBR; Fragment is not sparse");
  tiledb_fragment_info_free(&info);
}

TEST(the_version_of_an_array_never_falls) {
  char uri[128];
  tiledb_ctx_t *ctx = context_with("tiledb_rs.format_version", "22"), *newer = context_of_23();
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_config_t* config = NULL;
  tiledb_attribute_t* attribute = new_attribute(ctx, "more", TILEDB_INT8);
  create_with(newer, new_line_schema(newer, TILEDB_SPARSE, 10, 5, 0), uri);
  CHECK_EQ(version_of(ctx, uri), 23);
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &evolution));
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute));
  CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, evolution));
  CHECK_EQ(version_of(ctx, uri), 23);
  CHECK_OK(ctx, tiledb_array_upgrade_version(ctx, uri, config));
  CHECK_EQ(version_of(ctx, uri), 23);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  CHECK_EQ(version_of(ctx, uri), 22);
  CHECK_OK(newer, tiledb_array_upgrade_version(newer, uri, config));
  CHECK_EQ(version_of(ctx, uri), 23);
  tiledb_array_schema_evolution_free(&evolution);
  tiledb_attribute_free(&attribute);
  tiledb_ctx_free(&newer);
  tiledb_ctx_free(&ctx);
}

TEST(only_known_format_versions_can_be_configured) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_get(config, "tiledb_rs.format_version", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, by_release("22", "23"));
  CHECK_EQ(tiledb_config_set(config, "tiledb_rs.format_version", "24", &error), TILEDB_ERR);
  tiledb_error_free(&error);
  tiledb_config_free(&config);
}

/* Returns a read of x in global order. */
static tiledb_query_t* reading(tiledb_ctx_t* ctx, tiledb_array_t* array, int32_t* x, uint64_t* size) {
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, size));
  return query;
}

TEST_WITH(ctx, buffers_can_be_unset_before_the_submit) {
  char uri[128];
  int32_t x[5] = {1, 2, 3, 4, 5}, found[5] = {0};
  uint64_t size = sizeof found, *found_size = NULL;
  void* pointer = NULL;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  write_points(ctx, uri, 1, 5, x, x);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = reading(ctx, array, found, &size);
  CHECK_EQ(tiledb_query_unset_buffers(NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_query_unset_buffers(query), TILEDB_OK);
  CHECK_OK(ctx, tiledb_query_get_data_buffer(ctx, query, "x", &pointer, &found_size));
  CHECK(pointer == NULL && found_size == NULL && size == sizeof found);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", found, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(memcmp(found, x, sizeof x), 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_read_without_its_buffers_cannot_continue) {
  char uri[128];
  int32_t x[5] = {1, 2, 3, 4, 5}, found[2] = {0};
  uint64_t size = sizeof found;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  write_points(ctx, uri, 1, 5, x, x);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = reading(ctx, array, found, &size);
  submit(ctx, query, TILEDB_INCOMPLETE);
  CHECK_EQ(tiledb_query_unset_buffers(query), TILEDB_OK);
  found[0] = -1;
  CHECK_ERROR(ctx, tiledb_query_set_data_buffer(ctx, query, "x", found, &size),
      "[TileDB::Query] Error: Cannot set buffer for new attribute/dimension 'x' after initialization");
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(found[0], -1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, writes_need_buffers_after_they_were_unset) {
  char uri[128];
  int32_t x[2] = {1, 2};
  uint64_t size = sizeof x, values_size = sizeof x;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", x, &values_size));
  CHECK_EQ(tiledb_query_unset_buffers(query), TILEDB_OK);
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query),
      "Sparse array writes expect the coordinates of the cells to be written");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", x, &values_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(tiledb_query_unset_buffers(query), TILEDB_OK);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), 1);
}

/* libtiledb crashes. */
TEST_WITH(ctx, finalizing_a_write_in_global_order_without_buffers_is_an_error) {
  for (uint64_t number = 2; number < 4; number++) {
    char uri[128];
    int32_t x[3] = {1, 2, 3};
    uint64_t size = number * sizeof *x, values_size = size;
    create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", x, &values_size));
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_EQ(tiledb_query_unset_buffers(query), TILEDB_OK);
    CHECK_FAILS(ctx, tiledb_query_finalize(ctx, query), "The buffers were unset after a submit");
    tiledb_query_free(&query);
    close_array(ctx, &array);
    CHECK_EQ(fragments_of(ctx, uri), 0);
  }
}

TEST_WITH(ctx, arrays_have_the_version_of_the_release) {
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  CHECK_EQ(version_of(ctx, uri), is_2_31() ? 23 : 22);
}

/* Runs this program again, because the variable is read once. The other tests fail there. */
TEST(an_unknown_release_is_an_error_of_new_contexts) {
  char path[256] = "", command[512];
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return;
  if (getenv("NEXT_RELEASE_CHILD") != NULL) {
    tiledb_ctx_t* ctx = NULL;
    tiledb_error_t* error = NULL;
    const char* text = NULL;
    CHECK_EQ(tiledb_ctx_alloc_with_error(NULL, &ctx, &error), TILEDB_ERR);
    CHECK(ctx == NULL && !is_2_31());
    CHECK_EQ(tiledb_error_message(error, &text), TILEDB_OK);
    CHECK(strstr(text, "TILEDB_RS_RELEASE has another value than 2.30 and 2.31") != NULL);
    tiledb_error_free(&error);
    nftw(harness_folder, harness_remove, 8, FTW_DEPTH | FTW_PHYS);
    /* Without looking for leaks: the other tests ended early. */
    _exit(7);
  }
  snprintf(command, sizeof command, "NEXT_RELEASE_CHILD=1 TILEDB_RS_RELEASE=2.32 '%s' >/dev/null", path);
  int status = system(command);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 7);
}

/* Opening an array for exclusive modification is opening it for writing since 2.31. */
TEST_WITH(ctx, exclusive_modification_is_writing_from_2_31_on) {
  char uri[128];
  int32_t x[2] = {1, 2};
  tiledb_query_type_t type;
  tiledb_query_t* query = NULL;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  write_points(ctx, uri, 1, 2, x, x);
  tiledb_array_t* exclusive = open_array(ctx, uri, TILEDB_MODIFY_EXCLUSIVE);
  CHECK_OK(ctx, tiledb_array_get_query_type(ctx, exclusive, &type));
  CHECK_EQ(type, is_2_31() ? TILEDB_WRITE : TILEDB_MODIFY_EXCLUSIVE);
  if (is_2_31()) {
    CHECK_ERROR(ctx, tiledb_query_alloc(ctx, exclusive, TILEDB_MODIFY_EXCLUSIVE, &query),
        "Error: Cannot create query; Array query type does not match declared query type: (WRITE != MODIFY_EXCLUSIVE)");
    tiledb_array_t* reader = open_array(ctx, uri, TILEDB_READ);
    CHECK_OK(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 0, UINT64_MAX));
    CHECK_OK(ctx, tiledb_array_delete(ctx, uri));
    close_array(ctx, &reader);
  }
  tiledb_array_free(&exclusive);
}

static int32_t count_entry(const char* path, void* data) {
  (void)path;
  (*(int32_t*)data)++;
  return 1;
}

/* 2.30 needs the size of the target, and fails. */
TEST_WITH(ctx, links_that_lead_to_nothing_are_listed) {
  char folder[128], link[160];
  int32_t entries = 0;
  tiledb_vfs_t* vfs = NULL;
  snprintf(folder, sizeof folder, "%s", scratch_file());
  snprintf(link, sizeof link, "%s/link", folder);
  CHECK(mkdir(folder, 0777) == 0 && symlink("missing", link) == 0);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_OK(ctx, tiledb_vfs_ls(ctx, vfs, folder, count_entry, &entries));
  CHECK_EQ(entries, 1);
  tiledb_vfs_free(&vfs);
}
