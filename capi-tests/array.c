/* Arrays: creation, opening and closing, states, timestamps, non-empty domains, and errors. */
#include "arrays.h"

#include <sys/stat.h>

static void create_array(tiledb_ctx_t* ctx, char* uri) { create_with(ctx, new_number_schema(ctx), uri); }

/* Writes one cell at a timestamp. */
static void write_cell(
    tiledb_ctx_t* ctx, const char* uri, int32_t row, int32_t column, int32_t number, uint64_t timestamp) {
  const int32_t cell[4] = {row, row, column, column};
  write_box(ctx, uri, timestamp, cell, &number);
}

/*
 * Returns the number of a cell of an open array; INT32_MIN, the fill value, if it is not written.
 */
static int32_t read_cell(tiledb_ctx_t* ctx, tiledb_array_t* array, int32_t row, int32_t column) {
  const int32_t cell[4] = {row, row, column, column};
  int32_t number = 0;
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, cell, &number), 1);
  return number;
}

TEST_WITH(ctx, an_array_is_open_between_open_and_close) {
  char uri[128];
  tiledb_array_t* array = NULL;
  tiledb_query_type_t type = TILEDB_WRITE;
  const char* returned = NULL;
  int32_t is_open = 9;
  create_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 0);
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 1);
  CHECK_OK(ctx, tiledb_array_get_query_type(ctx, array, &type));
  CHECK_EQ(type, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_uri(ctx, array, &returned));
  CHECK_TEXT(returned, uri_of(uri));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 0);
  tiledb_array_free(&array);
  CHECK(array == NULL);
}

TEST_WITH(ctx, calls_in_the_wrong_state_are_errors) {
  char uri[128];
  tiledb_array_t* array = NULL;
  tiledb_array_schema_t* schema = NULL;
  int32_t domain[4], is_empty = 0;
  create_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_ERROR(ctx, tiledb_array_reopen(ctx, array), "[TileDB::Array] Error: Cannot reopen array; Array is not open");
  CHECK_ERROR(ctx, tiledb_array_get_schema(ctx, array, &schema),
              "[TileDB::Array] Error: Cannot get array schema; Array is not open");
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE));
  CHECK_ERROR(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE),
              "[TileDB::Array] Error: Cannot open array; Array already open.");
  CHECK_ERROR(ctx, tiledb_array_open(ctx, array, TILEDB_READ),
              "[TileDB::Array] Error: Cannot open array; Array already open.");
  CHECK_ERROR(ctx, tiledb_array_reopen(ctx, array),
              "[TileDB::Array] Error: Cannot reopen array; Array was not opened in read mode");
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain(ctx, array, domain, &is_empty),
              "Array: [non_empty_domain] Array not opened for reads");
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  tiledb_array_schema_free(&schema);
  close_array(ctx, &array);
}

TEST_WITH(ctx, an_unknown_query_type_is_an_error) {
  char uri[128];
  tiledb_array_t* array = NULL;
  int32_t is_open = 9;
  create_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_EQ(tiledb_array_open(ctx, array, (tiledb_query_type_t)77), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 0);
  tiledb_array_free(&array);
}

TEST_WITH(ctx, an_existing_array_is_reported_before_an_incomplete_schema) {
  char uri[128];
  tiledb_array_schema_t* unfinished = NULL;
  create_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &unfinished));
  CHECK_FAILS(ctx, tiledb_array_create(ctx, uri, unfinished), "already exists");
  tiledb_array_schema_free(&unfinished);
}

TEST_WITH(ctx, array_creation_requires_an_unused_uri_and_a_complete_schema) {
  char uri[128];
  tiledb_array_schema_t *schema = new_number_schema(ctx), *unfinished = NULL;
  create_array(ctx, uri);
  CHECK_FAILS(ctx, tiledb_array_create(ctx, uri, schema), "already exists");
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &unfinished));
  CHECK_ERROR(ctx, tiledb_array_create(ctx, scratch(), unfinished),
              "ArraySchema: Array schema check failed; Domain not set");
  CHECK_ERROR(ctx, tiledb_array_create(ctx, scratch(), NULL), "C API: Invalid TileDB array_schema object");
  CHECK_EQ(tiledb_array_create(ctx, NULL, schema), TILEDB_ERR);
  CHECK_EQ(tiledb_array_create(NULL, uri, schema), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_array_create(ctx, "", schema), TILEDB_ERR);
  CHECK_EQ(tiledb_array_create(ctx, "nosuchscheme://a/b", schema), TILEDB_ERR);
  tiledb_array_schema_free(&unfinished);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, uris_without_an_array_cannot_be_opened) {
  char path[128];
  tiledb_array_t* array = NULL;
  FILE* file = NULL;
  CHECK_OK(ctx, tiledb_array_alloc(ctx, scratch(), &array));
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_READ), "does not exist");
  tiledb_array_free(&array);
  snprintf(path, sizeof path, "%s", scratch_file());
  CHECK_EQ(mkdir(path, 0700), 0);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, path, &array));
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_READ), "does not exist");
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE), "does not exist");
  tiledb_array_free(&array);
  snprintf(path, sizeof path, "%s", scratch_file());
  file = fopen(path, "w");
  CHECK(file != NULL);
  fclose(file);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, path, &array));
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_READ), "does not exist");
  tiledb_array_free(&array);
}

TEST_WITH(ctx, creation_fails_in_unwritable_folders) {
  char folder[128], uri[160];
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  FILE* file = NULL;
  snprintf(folder, sizeof folder, "%s", scratch_file());
  file = fopen(folder, "w");
  CHECK(file != NULL);
  fclose(file);
  snprintf(uri, sizeof uri, "%s/below_a_file", folder);
  CHECK_EQ(tiledb_array_create(ctx, uri, schema), TILEDB_ERR);
  CHECK(strlen(harness_error(ctx)) > 0);
  CHECK_EQ(tiledb_array_create(ctx, "/proc/no_array_here", schema), TILEDB_ERR);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, unusual_paths_are_accepted) {
  static const char* const names[] = {"a b", "\xc3\xa9", "a%20b", "#a?b=c", "a'b\"c"};
  char uri[200], folder[128];
  snprintf(folder, sizeof folder, "%s", scratch());
  if (!on_object_store()) CHECK_EQ(mkdir(folder, 0700), 0);
  for (int i = 0; i < 5; i++) {
    tiledb_array_schema_t* schema = new_number_schema(ctx);
    snprintf(uri, sizeof uri, "%s/%s", folder, names[i]);
    CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
    write_cell(ctx, uri, 1, 1, i, 1);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    CHECK_EQ(read_cell(ctx, array, 1, 1), i);
    close_array(ctx, &array);
    if (!on_object_store()) CHECK_EQ(access(uri, F_OK), 0);
    tiledb_array_schema_free(&schema);
  }
}

TEST_WITH(ctx, arrays_are_read_as_of_a_timestamp) {
  char uri[128];
  tiledb_array_t* array = NULL;
  uint64_t start = 9, end = 9;
  create_array(ctx, uri);
  write_cell(ctx, uri, 1, 1, 10, 100);
  write_cell(ctx, uri, 1, 1, 20, 200);
  write_cell(ctx, uri, 1, 2, 30, 300);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  for (uint64_t timestamp = 50; timestamp <= 350; timestamp += 100) {
    CHECK_OK(ctx, tiledb_array_set_open_timestamp_end(ctx, array, timestamp));
    CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
    CHECK_OK(ctx, tiledb_array_get_open_timestamp_end(ctx, array, &end));
    CHECK_EQ(end, timestamp);
    CHECK_EQ(read_cell(ctx, array, 1, 1), timestamp < 100 ? INT32_MIN : timestamp < 200 ? 10 : 20);
    CHECK_EQ(read_cell(ctx, array, 1, 2), timestamp < 300 ? INT32_MIN : 30);
    CHECK_OK(ctx, tiledb_array_close(ctx, array));
  }
  CHECK_OK(ctx, tiledb_array_set_open_timestamp_start(ctx, array, 201));
  CHECK_OK(ctx, tiledb_array_set_open_timestamp_end(ctx, array, 299));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  CHECK_OK(ctx, tiledb_array_get_open_timestamp_start(ctx, array, &start));
  CHECK_EQ(start, 201);
  CHECK_EQ(read_cell(ctx, array, 1, 1), INT32_MIN);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_reopened_array_contains_later_writes) {
  char uri[128];
  create_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  write_cell(ctx, uri, 1, 1, 10, 100);
  CHECK_EQ(read_cell(ctx, array, 1, 1), INT32_MIN);
  CHECK_OK(ctx, tiledb_array_reopen(ctx, array));
  CHECK_EQ(read_cell(ctx, array, 1, 1), 10);
  close_array(ctx, &array);
}

TEST_WITH(ctx, an_array_can_be_open_in_several_handles) {
  char uri[128];
  create_array(ctx, uri);
  write_cell(ctx, uri, 2, 2, 5, 50);
  tiledb_array_t* readers[8];
  for (int i = 0; i < 8; i++) readers[i] = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 8; i++) {
    CHECK_EQ(read_cell(ctx, readers[i], 2, 2), 5);
    close_array(ctx, &readers[i]);
  }
}

TEST_WITH(ctx, non_empty_domains_are_returned_by_index_and_name) {
  char uri[128];
  int32_t domain[4] = {0, 0, 0, 0}, is_empty = 9;
  uint64_t start = 0, end = 0;
  create_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, domain, &is_empty));
  CHECK_EQ(is_empty, 1);
  close_array(ctx, &array);
  write_cell(ctx, uri, 2, 5, 1, 10);
  write_cell(ctx, uri, 3, 4, 1, 20);
  array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, domain, &is_empty));
  CHECK_EQ(is_empty, 0);
  CHECK_EQ(domain[0], 2);
  CHECK_EQ(domain[1], 3);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_from_name(ctx, array, "column", domain, &is_empty));
  CHECK_EQ(domain[0], 4);
  CHECK_EQ(domain[1], 5);
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain_from_index(ctx, array, 2, domain, &is_empty),
              "Array: Cannot get non-empty domain; Invalid dimension index");
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain_from_name(ctx, array, "unknown", domain, &is_empty),
              "Array: Cannot get non-empty domain; Dimension name 'unknown' does not exist");
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain_var_size_from_index(ctx, array, 0, &start, &end, &is_empty),
              "Array: Cannot get non-empty domain; Dimension 'row' is fixed-sized");
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain_var_size_from_name(ctx, array, "row", &start, &end, &is_empty),
              "Array: Cannot get non-empty domain; Dimension 'row' is fixed-sized");
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain_var_from_index(ctx, array, 0, domain, domain, &is_empty),
              "Array: Cannot get non-empty domain; Dimension 'row' is fixed-sized");
  CHECK_ERROR(ctx, tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "row", domain, domain, &is_empty),
              "Array: Cannot get non-empty domain; Dimension 'row' is fixed-sized");
  close_array(ctx, &array);
}

TEST_WITH(ctx, removed_arrays_do_not_exist) {
  char uri[128];
  create_array(ctx, uri);
  write_cell(ctx, uri, 2, 5, 1, 10);
  CHECK_OK(ctx, tiledb_array_delete(ctx, uri));
  tiledb_array_t* array = NULL;
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_EQ(tiledb_array_open(ctx, array, TILEDB_READ), TILEDB_ERR);
  tiledb_array_free(&array);
  CHECK_EQ(tiledb_array_delete(ctx, uri), TILEDB_ERR);
  CHECK_EQ(tiledb_array_delete(ctx, NULL), TILEDB_ERR);
}

TEST_WITH(ctx, an_array_keeps_a_config_of_its_own) {
  char uri[128];
  tiledb_config_t *config = config_with("sm.tile_cache_size", "12345"), *back = NULL;
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  tiledb_array_t* array = NULL;
  create_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_OK(ctx, tiledb_array_set_config(ctx, array, config));
  CHECK_OK(ctx, tiledb_array_get_config(ctx, array, &back));
  CHECK_EQ(tiledb_config_get(back, "sm.tile_cache_size", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, "12345");
  tiledb_config_free(&back);
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  CHECK_ERROR(ctx, tiledb_array_set_config(ctx, array, config),
              "Array: [set_config] Cannot set a config on an open array");
  close_array(ctx, &array);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, unencrypted_arrays_report_no_encryption) {
  char uri[128];
  tiledb_encryption_type_t type = TILEDB_AES_256_GCM;
  create_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_encryption_type(ctx, uri, &type));
  CHECK_EQ(type, TILEDB_NO_ENCRYPTION);
  CHECK_EQ(tiledb_array_encryption_type(ctx, scratch(), &type), TILEDB_ERR);
}

TEST_WITH(ctx, wrong_arguments_of_arrays_are_errors) {
  char uri[128];
  tiledb_array_t *array = NULL, *null_array = NULL;
  tiledb_array_schema_t* schema = NULL;
  int32_t domain[4], flag = 0;
  uint64_t i = 0;
  create_array(ctx, uri);
  CHECK_EQ(tiledb_array_alloc(NULL, uri, &array), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_array_alloc(ctx, NULL, &array), TILEDB_ERR);
  CHECK_EQ(tiledb_array_alloc(ctx, uri, NULL), TILEDB_ERR);
  CHECK(array == NULL);
  array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(tiledb_array_close(ctx, null_array), TILEDB_ERR);
  CHECK_EQ(tiledb_array_reopen(ctx, null_array), TILEDB_ERR);
  CHECK_EQ(tiledb_array_is_open(ctx, null_array, &flag), TILEDB_ERR);
  CHECK_EQ(tiledb_array_is_open(ctx, array, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_schema(ctx, null_array, &schema), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_schema(ctx, array, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_query_type(ctx, array, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_uri(ctx, array, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_open_timestamp_start(ctx, array, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_open_timestamp_end(ctx, null_array, &i), TILEDB_ERR);
  CHECK_EQ(tiledb_array_set_open_timestamp_end(ctx, null_array, i), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain(ctx, array, NULL, &flag), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain(ctx, array, domain, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, NULL, &flag), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain_from_name(ctx, array, NULL, domain, &flag), TILEDB_ERR);
  close_array(ctx, &array);
  tiledb_array_free(&array);
  tiledb_array_free(NULL);
}

/* Creates an empty sparse array with one string dimension. */
static void create_text_array(tiledb_ctx_t* ctx, char* uri) {
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "text"), NULL);
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
}

TEST_WITH(ctx, the_non_empty_domain_of_texts_has_two_lengths) {
  char uri[128], texts[] = "onetwothree", low[8] = "", high[8] = "";
  int32_t numbers[3] = {1, 2, 3}, is_empty = 0;
  uint64_t offsets[3] = {0, 3, 6}, sizes[3] = {sizeof numbers, 11, sizeof offsets}, start = 9, end = 9;
  create_text_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_var_size_from_index(ctx, array, 0, &start, &end, &is_empty));
  CHECK_EQ(is_empty, 1);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", numbers, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", texts, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", offsets, &sizes[2]));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_var_size_from_index(ctx, array, 0, &start, &end, &is_empty));
  CHECK(start == 3 && end == 3 && is_empty == 0);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_var_from_index(ctx, array, 0, low, high, &is_empty));
  CHECK(memcmp(low, "one", 3) == 0 && memcmp(high, "two", 3) == 0 && is_empty == 0);
  start = end = 9;
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_var_size_from_name(ctx, array, "text", &start, &end, &is_empty));
  CHECK(start == 3 && end == 3 && is_empty == 0);
  memset(low, 0, sizeof low);
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "text", low, high, &is_empty));
  CHECK(memcmp(low, "one", 3) == 0 && memcmp(high, "two", 3) == 0);
  CHECK_EQ(tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, low, &is_empty), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "unknown", low, high, &is_empty), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain_var_size_from_index(ctx, array, 1, &start, &end, &is_empty), TILEDB_ERR);
  close_array(ctx, &array);
}

TEST_WITH(ctx, all_functions_reject_a_null_array) {
  uint64_t number = 0;
  int32_t flag = 0;
  uint32_t values = 0;
  const void* value = NULL;
  const char *text = NULL, *null_handle = "Invalid TileDB array object";
  tiledb_datatype_t datatype = TILEDB_ANY;
  tiledb_query_type_t type = TILEDB_READ;
  tiledb_config_t* config = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_enumeration_t* enumeration = NULL;
  CHECK_NEEDS(ctx, null_handle, tiledb_array_open, NULL, TILEDB_READ);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_close, NULL);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_reopen, NULL);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_is_open, NULL, &flag);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_set_open_timestamp_start, NULL, 1);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_set_open_timestamp_end, NULL, 1);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_open_timestamp_start, NULL, &number);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_open_timestamp_end, NULL, &number);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_set_config, NULL, config);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_config, NULL, &config);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_schema, NULL, &schema);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_query_type, NULL, &type);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_uri, NULL, &text);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_put_metadata, NULL, "k", TILEDB_INT32, 1, &flag);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_delete_metadata, NULL, "k");
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_metadata, NULL, "k", &datatype, &values, &value);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_metadata_num, NULL, &number);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_has_metadata_key, NULL, "k", &datatype, &flag);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_get_enumeration, NULL, "e", &enumeration);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_load_all_enumerations, NULL);
  CHECK_NEEDS(ctx, null_handle, tiledb_array_load_enumerations_all_schemas, NULL);
  CHECK_EQ(tiledb_array_delete_fragments_v2(ctx, scratch(), 0, 10), TILEDB_ERR);
  CHECK_EQ(tiledb_array_delete_fragments_v2(ctx, NULL, 0, 10), TILEDB_ERR);
}

TEST_WITH(ctx, a_reopen_without_a_new_end_timestamp_is_at_the_current_time) {
  char uri[128];
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 50);
  write_cell(ctx, uri, 1, 1, 10, 100);
  CHECK_OK(ctx, tiledb_array_set_open_timestamp_end(ctx, array, 60));
  CHECK_OK(ctx, tiledb_array_reopen(ctx, array));
  CHECK_EQ(read_cell(ctx, array, 1, 1), INT32_MIN);
  /* The end that was set before is not used again. */
  for (int i = 0; i < 3; i++) {
    CHECK_OK(ctx, tiledb_array_reopen(ctx, array));
    CHECK_EQ(read_cell(ctx, array, 1, 1), 10);
  }
  close_array(ctx, &array);
}

static const char* const in_use = "May not perform simultaneous open or close operations.";

/* Checks that no change of an array that needs it exclusively is possible. */
static void check_is_in_use(tiledb_ctx_t* ctx, const char* uri) {
  const char* names[1] = {uri};
  tiledb_array_t* array = NULL;
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_MODIFY_EXCLUSIVE), in_use);
  tiledb_array_free(&array);
  CHECK_FAILS(ctx, tiledb_array_delete_fragments_v2(ctx, uri, 0, UINT64_MAX), in_use);
  CHECK_FAILS(ctx, tiledb_array_delete_fragments_list(ctx, uri, names, 1), in_use);
  CHECK_FAILS(ctx, tiledb_array_delete(ctx, uri), in_use);
}

TEST_WITH(ctx, exclusive_modification_excludes_other_opens_in_the_process) {
  static const tiledb_query_type_t types[] = {TILEDB_READ, TILEDB_WRITE, TILEDB_DELETE, TILEDB_MODIFY_EXCLUSIVE};
  char uri[128];
  tiledb_ctx_t* other = new_context();
  create_array(ctx, uri);
  write_cell(ctx, uri, 1, 1, 10, 100);
  for (int i = 0; i < 4 && !is_2_31(); i++) {
    tiledb_array_t *first = open_array(ctx, uri, types[i]), *second = NULL;
    check_is_in_use(ctx, uri);
    check_is_in_use(other, uri);
    close_array(ctx, &first);
    first = open_array(ctx, uri, TILEDB_MODIFY_EXCLUSIVE);
    CHECK_OK(other, tiledb_array_alloc(other, uri, &second));
    CHECK_FAILS(other, tiledb_array_open(other, second, types[i]), in_use);
    CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, uri, NULL), in_use);
    tiledb_array_free(&first);
    CHECK_OK(other, tiledb_array_open(other, second, types[i]));
    close_array(other, &second);
  }
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_cell(ctx, array, 1, 1), 10);
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_array_delete(ctx, uri));
  tiledb_ctx_free(&other);
}

TEST_WITH(ctx, an_open_array_is_removed_with_its_group) {
  char path[128], uri[160];
  tiledb_group_t* group = NULL;
  tiledb_object_t kind = TILEDB_ARRAY;
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  snprintf(path, sizeof path, "%s", scratch());
  snprintf(uri, sizeof uri, "%s/a", path);
  CHECK_OK(ctx, tiledb_group_create(ctx, path));
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, uri, 0, NULL));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_MODIFY_EXCLUSIVE));
  CHECK_OK(ctx, tiledb_group_delete_group(ctx, group, path, 1));
  CHECK_OK(ctx, tiledb_object_type(ctx, uri, &kind));
  CHECK_EQ(kind, TILEDB_INVALID);
  close_array(ctx, &array);
  tiledb_group_free(&group);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, arrays_in_memory_belong_to_their_context) {
  tiledb_ctx_t* other = new_context();
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_object_t kind = TILEDB_INVALID;
  tiledb_vfs_t* vfs = NULL;
  int32_t is_folder = 9;
  CHECK_OK(ctx, tiledb_array_create(ctx, "mem://array", schema));
  CHECK_OK(ctx, tiledb_object_type(ctx, "mem://array", &kind));
  CHECK_EQ(kind, TILEDB_ARRAY);
  CHECK_OK(other, tiledb_object_type(other, "mem://array", &kind));
  CHECK_EQ(kind, TILEDB_INVALID);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_OK(ctx, tiledb_vfs_is_dir(ctx, vfs, "mem://array", &is_folder));
  CHECK_EQ(is_folder, 0);
  tiledb_vfs_free(&vfs);
  tiledb_array_schema_free(&schema);
  tiledb_ctx_free(&other);
}

/* Schemas of releases before 1.4 have no version number. */
TEST_WITH(ctx, arrays_of_unsupported_formats_cannot_be_opened) {
  char uri[128], file[160];
  tiledb_array_t* array = NULL;
  tiledb_vfs_t* vfs = NULL;
  tiledb_vfs_fh_t* schema = NULL;
  char bytes[200];
  snprintf(uri, sizeof uri, "%s", scratch());
  snprintf(file, sizeof file, "%s/__array_schema.tdb", uri);
  for (int i = 0; i < 200; i++) bytes[i] = (char)(i % 7);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, uri));
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, file, TILEDB_VFS_WRITE, &schema));
  CHECK_OK(ctx, tiledb_vfs_write(ctx, schema, bytes, sizeof bytes));
  CHECK_OK(ctx, tiledb_vfs_close(ctx, schema));
  tiledb_vfs_fh_free(&schema);
  tiledb_vfs_free(&vfs);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_EQ(tiledb_array_open(ctx, array, TILEDB_READ), TILEDB_ERR);
  tiledb_array_free(&array);
}
