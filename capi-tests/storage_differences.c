/*
 * Labels, schema evolution, stored files, consolidation and deletes that behave otherwise than with
 * libtiledb. docs/differences lists them.
 */
#include "labels.h"

#include <tiledb/tiledb_serialization.h>

#include <sys/stat.h>
#include <unistd.h>

enum { POINTS = 20 };

static void consolidate_with(tiledb_ctx_t* ctx, const char* uri, const char* mode, const char* parameter, const char* value) {
  tiledb_config_t* config = config_with("sm.consolidation.mode", mode);
  if (parameter != NULL) set_param(config, parameter, value);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  tiledb_config_free(&config);
}

/* Returns the sum of all numbers of a line. */
static int64_t sum_of(tiledb_ctx_t* ctx, const char* uri) {
  int64_t sum = 0;
  uint64_t size = sizeof sum;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  aggregate(ctx, query, tiledb_channel_operator_sum, "number");
  set_data(ctx, query, "out", &sum, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return sum;
}

/* Deletes the cells that match the condition, which is freed. */
static void delete_at(tiledb_ctx_t* ctx, const char* uri, uint64_t time, tiledb_query_condition_t* condition) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_DELETE, 0, time);
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  tiledb_query_condition_free(&condition);
  close_array(ctx, &array);
}

TEST_WITH(ctx, an_index_of_a_missing_label_is_an_error) {
  tiledb_array_schema_t* schema = label_schema(ctx, TILEDB_DENSE);
  tiledb_dimension_label_t* label = NULL;
  CHECK_EQ(tiledb_array_schema_get_dimension_label_from_index(ctx, schema, 3, &label), TILEDB_ERR);
  CHECK(label == NULL);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, a_rejected_extent_of_a_label_is_not_set) {
  char uri[128], label_uri[160];
  int32_t extent = 3, found = 0;
  tiledb_array_schema_t *schema = label_schema(ctx, TILEDB_DENSE), *label_schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dimension = NULL;
  const void* stored = NULL;
  CHECK_OK(ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &extent));
  extent = -5;
  CHECK_EQ(
      tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &extent), TILEDB_ERR);
  create_with(ctx, schema, uri);
  snprintf(label_uri, sizeof label_uri, "%s/__labels/l0", uri);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, label_uri, &label_schema));
  CHECK_OK(ctx, tiledb_array_schema_get_domain(ctx, label_schema, &domain));
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dimension));
  CHECK_OK(ctx, tiledb_dimension_get_tile_extent(ctx, dimension, &stored));
  memcpy(&found, stored, sizeof found);
  CHECK_EQ(found, 3);
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&label_schema);
}

TEST_WITH(ctx, labels_survive_an_evolution) {
  char uri[128];
  tiledb_array_schema_evolution_t* changes = NULL;
  tiledb_attribute_t* attribute = new_attribute(ctx, "new", TILEDB_INT32);
  labelled_array(ctx, uri);
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &changes));
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, changes, attribute));
  CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, changes));
  tiledb_attribute_free(&attribute);
  tiledb_array_schema_evolution_free(&changes);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  numbers_are(ctx, array, &subarray, 12, 14);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_rejected_label_range_leaves_the_subarray_unchanged) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 4, 6);
  CHECK_EQ(label_range(ctx, subarray, "up", 2, 1), TILEDB_ERR);
  numbers_are(ctx, array, &subarray, 13, 15);
  close_array(ctx, &array);
}

TEST_WITH(ctx, offsets_of_labels_have_the_format_of_the_query) {
  char uri[128], text[32];
  uint32_t offsets[2 * LENGTH];
  uint64_t sizes[2] = {sizeof text, sizeof offsets};
  tiledb_config_t* config = config_with("sm.var_offsets.bitsize", "32");
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, LENGTH);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_OK(ctx, tiledb_query_set_config(ctx, query, config));
  set_data(ctx, query, "text", text, &sizes[0]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", (uint64_t*)(void*)offsets, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], strlen(letters));
  for (int i = 0; i < LENGTH; i++) CHECK_EQ(offsets[i], letters_at[i]);
  tiledb_query_free(&query);
  tiledb_config_free(&config);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_label_of_strings_needs_both_buffers) {
  char uri[128];
  uint64_t size = strlen(letters);
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, LENGTH);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "text", letters, &size);
  CHECK_EQ(tiledb_query_submit(ctx, query), TILEDB_ERR);
  CHECK(harness_error(ctx)[0] != '\0');
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, labels_of_small_dimensions_are_written_up_to_the_greatest_index) {
  char uri[128];
  const uint8_t bounds[2] = {0, 254}, extents[2] = {5, 200}, range[2] = {250, 254};
  double values[5] = {1, 2, 3, 4, 5}, read[5] = {0};
  uint64_t size = sizeof values;
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "x", TILEDB_UINT8, bounds, &extents[0], &dimension));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, dimension, NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  add_label(ctx, schema, 0, "up", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  CHECK_OK(ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_UINT8, &extents[1]));
  create_with(ctx, schema, uri);
  for (int reads = 0; reads < 2; reads++) {
    tiledb_query_type_t type = reads ? TILEDB_READ : TILEDB_WRITE;
    tiledb_array_t* array = open_array(ctx, uri, type);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL));
    tiledb_query_t* query = labelled_query(ctx, array, type, &subarray);
    set_data(ctx, query, "up", reads ? read : values, &size);
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK_EQ(memcmp(values, read, sizeof read), 0);
}

TEST_WITH(ctx, a_handle_that_was_reopened_is_opened_again_at_the_current_time) {
  char uri[128];
  const int32_t value = 7;
  tiledb_datatype_t type;
  int32_t has_key = 0;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_reopen(ctx, array));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  wait_a_moment();
  tiledb_array_t* writer = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, writer, "key", TILEDB_INT32, 1, &value));
  close_array(ctx, &writer);
  wait_a_moment();
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  CHECK_OK(ctx, tiledb_array_has_metadata_key(ctx, array, "key", &type, &has_key));
  CHECK_EQ(has_key, 1);
  close_array(ctx, &array);
}

TEST_WITH(ctx, label_ranges_select_by_the_newest_values) {
  char uri[128];
  const double values[4][4] = {{4, 15, 24, 30}, {5, 18, 24, 30}, {0, 18, 26, 31}, {9, 18, 25, 38}};
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_DENSE, 4, 1, 0);
  add_label(ctx, schema, 0, "up", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  create_with(ctx, schema, uri);
  for (int i = 0; i < 4; i++) {
    CHECK_OK(ctx, write_label(ctx, uri, "up", values[i], 1, 4));
    wait_a_moment();
  }
  double found[4] = {0};
  uint64_t size = sizeof found;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 13));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", found, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof *found);
  CHECK_EQ(found[0], 9);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, an_enumeration_that_is_dropped_and_added_is_added) {
  char uri[128];
  const int32_t value = 7;
  tiledb_array_schema_evolution_t* changes = NULL;
  tiledb_enumeration_t *made = NULL, *found = NULL;
  tiledb_array_schema_t* schema = NULL;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  CHECK_OK(ctx, tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, &value, sizeof value, NULL, 0, &made));
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &changes));
  CHECK_OK(ctx, tiledb_array_schema_evolution_drop_enumeration(ctx, changes, "e"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, made));
  CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, changes));
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_enumeration_from_name(ctx, schema, "e", &found));
  CHECK(found != NULL);
  tiledb_enumeration_free(&found);
  tiledb_enumeration_free(&made);
  tiledb_array_schema_free(&schema);
  tiledb_array_schema_evolution_free(&changes);
}

TEST_WITH(ctx, an_array_of_a_loaded_schema_has_its_enumerations) {
  char uri[128], copy[128];
  const int32_t value = 7;
  tiledb_enumeration_t *made = NULL, *found = NULL;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  CHECK_OK(ctx, tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, &value, sizeof value, NULL, 0, &made));
  CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, made));
  create_with(ctx, schema, uri);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  create_with(ctx, schema, copy);
  tiledb_array_t* array = open_array(ctx, copy, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_enumeration(ctx, array, "e", &found));
  CHECK(found != NULL);
  tiledb_enumeration_free(&found);
  tiledb_enumeration_free(&made);
  close_array(ctx, &array);
}

/* Creates a file store and imports a file of this name and these bytes. */
static void import(tiledb_ctx_t* ctx, const char* file, const char* bytes, char* uri) {
  tiledb_array_schema_t* schema = NULL;
  FILE* out = fopen(file, "wb");
  CHECK(out != NULL);
  CHECK_EQ(fputs(bytes, out) >= 0, 1);
  CHECK_EQ(fclose(out), 0);
  CHECK_OK(ctx, tiledb_filestore_schema_create(ctx, file, &schema));
  create_with(ctx, schema, uri);
  CHECK_OK(ctx, tiledb_filestore_uri_import(ctx, uri, file, TILEDB_MIME_AUTODETECT));
}

TEST_WITH(ctx, a_file_without_an_extension_has_none_in_a_folder_with_a_dot) {
  char folder[160], file[192], uri[128];
  tiledb_datatype_t type;
  uint32_t length = 9;
  const void* extension = NULL;
  snprintf(folder, sizeof folder, "%s.d", scratch_file());
  CHECK_EQ(mkdir(folder, 0700), 0);
  snprintf(file, sizeof file, "%s/plain", folder);
  import(ctx, file, "hello", uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "file_extension", &type, &length, &extension));
  CHECK(extension == NULL || length <= 1);
  close_array(ctx, &array);
  CHECK_EQ(remove(file), 0);
  CHECK_EQ(rmdir(folder), 0);
}

TEST_WITH(ctx, exports_that_cannot_write_are_errors_and_no_bytes_can_be_exported) {
  char file[160], uri[128], byte = '?';
  snprintf(file, sizeof file, "%s", scratch_file());
  import(ctx, file, "hello", uri);
  CHECK_EQ(tiledb_filestore_uri_export(ctx, "/dev/full", uri), TILEDB_ERR);
  CHECK(harness_error(ctx)[0] != '\0');
  CHECK_OK(ctx, tiledb_filestore_buffer_export(ctx, uri, 2, &byte, 0));
  CHECK_EQ(byte, '?');
}

TEST_WITH(ctx, errors_of_memory_files_name_the_operation_and_the_uri) {
  tiledb_vfs_t* vfs = NULL;
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_FAILS(ctx, tiledb_vfs_file_size(ctx, vfs, "mem://missing/file", &size), "mem://missing/file");
  CHECK(strstr(harness_error(ctx), "size") != NULL);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, commits_are_consolidated_after_deletes_were_removed) {
  char uri[128];
  int32_t x[4] = {1, 2, 3, 4}, numbers[4] = {1, 10, 100, 1000};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  write_points(ctx, uri, 1, 4, x, numbers);
  delete_at(ctx, uri, 2, number_is(ctx, TILEDB_EQ, 10));
  consolidate_with(ctx, uri, "commits", NULL, NULL);
  tiledb_config_t* vacuum = config_with("sm.vacuum.mode", "commits");
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, vacuum));
  delete_at(ctx, uri, 3, number_is(ctx, TILEDB_EQ, 100));
  consolidate_with(ctx, uri, "commits", NULL, NULL);
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, vacuum));
  tiledb_config_free(&vacuum);
  CHECK_EQ(sum_of(ctx, uri), 1001);
}

TEST_WITH(ctx, purging_consolidation_that_leaves_no_cells_does_nothing) {
  char uri[128];
  int32_t x[2] = {1, 2}, numbers[2] = {1, 10};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  write_points(ctx, uri, 1, 2, x, numbers);
  write_points(ctx, uri, 2, 2, x, numbers);
  delete_at(ctx, uri, 3, number_is(ctx, TILEDB_GT, 0));
  consolidate_with(ctx, uri, "fragments", "sm.consolidation.purge_deleted_cells", "true");
  CHECK_EQ(sum_of(ctx, uri), 0);
  CHECK_EQ(fragments_of(ctx, uri), 2);
}

TEST_WITH(ctx, consolidation_works_with_buffers_smaller_than_a_cell) {
  char uri[128];
  int32_t x[2] = {1, 2}, numbers[2] = {1, 10};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 1), uri);
  write_points(ctx, uri, 1, 2, x, numbers);
  write_points(ctx, uri, 2, 2, x, numbers);
  consolidate_with(ctx, uri, "fragments", "sm.consolidation.buffer_size", "1");
  tiledb_config_t* vacuum = config_with("sm.vacuum.mode", "fragments");
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, vacuum));
  tiledb_config_free(&vacuum);
  CHECK_EQ(fragments_of(ctx, uri), 1);
  CHECK_EQ(sum_of(ctx, uri), 22);
}

TEST_WITH(ctx, deletes_by_a_set_of_empty_strings_are_applied) {
  char uri[128], names[] = "ab";
  int32_t x[3] = {1, 2, 3}, numbers[3] = {1, 10, 100};
  uint64_t offsets[3] = {0, 1, 1}, start = 0;
  uint64_t sizes[4] = {sizeof x, sizeof numbers, 2, sizeof offsets};
  tiledb_query_condition_t* condition = NULL;
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0);
  add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 1);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "name", names, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", offsets, &sizes[3]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_OK(
      ctx, tiledb_query_condition_alloc_set_membership(
               ctx, "name", NULL, 0, &start, sizeof start, TILEDB_IN, &condition));
  delete_at(ctx, uri, 2, condition);
  CHECK_EQ(sum_of(ctx, uri), 101);
}

TEST_WITH(ctx, a_deserialized_non_empty_domain_replaces_that_of_the_array) {
  char uris[2][128];
  int32_t x[2] = {3, 5}, numbers[2] = {1, 2}, bounds[2], empty = 9;
  tiledb_buffer_t* buffer = NULL;
  for (int i = 0; i < 2; i++) {
    create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uris[i]);
    write_points(ctx, uris[i], 1, 2, x, numbers);
    x[1] = 9;
  }
  tiledb_array_t* wider = open_array(ctx, uris[1], TILEDB_READ);
  CHECK_OK(ctx, tiledb_serialize_array_non_empty_domain_all_dimensions(ctx, wider, TILEDB_CAPNP, 0, &buffer));
  close_array(ctx, &wider);
  tiledb_array_t* array = open_array(ctx, uris[0], TILEDB_READ);
  CHECK_OK(ctx, tiledb_deserialize_array_non_empty_domain_all_dimensions(ctx, array, buffer, TILEDB_CAPNP, 1));
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, bounds, &empty));
  CHECK_EQ(bounds[1], 9);
  tiledb_buffer_free(&buffer);
  close_array(ctx, &array);
}

/* Returns whether the message of an array that is open for `type` names a fragment. */
static int message_has_fragments(const char* uri, tiledb_query_type_t type) {
  const char* parameter = "rest.use_refactored_array_open_and_query_submit";
  tiledb_ctx_t* ctx = context_with(parameter, "true");
  tiledb_buffer_t* message = NULL;
  void* data = NULL;
  uint64_t size = 0;
  tiledb_array_t* array = open_array(ctx, uri, type);
  CHECK_OK(ctx, tiledb_serialize_array(ctx, array, TILEDB_JSON, 0, &message));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, message, &data, &size));
  char* text = (char*)malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  const int lists = strstr(text, "fragmentMetadataAll\":[{") != NULL;
  free(text);
  tiledb_buffer_free(&message);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
  return lists;
}

TEST_WITH(ctx, messages_of_arrays_open_for_deleting_list_no_fragments) {
  char uri[128];
  const int32_t x[2] = {1, 2}, numbers[2] = {10, 20};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  write_points(ctx, uri, 1, 2, x, numbers);
  CHECK_EQ(message_has_fragments(uri, TILEDB_READ), 1);
  CHECK_EQ(message_has_fragments(uri, TILEDB_DELETE), 0);
}

TEST_WITH(ctx, a_label_added_to_the_schema_of_an_array_has_an_unused_uri) {
  char uri[128];
  const char* uris[4];
  tiledb_dimension_label_t* labels[4] = {NULL};
  tiledb_array_schema_t* schema = NULL;
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  add_label(ctx, schema, 0, "more", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  for (uint64_t i = 0; i < 4; i++) {
    CHECK_OK(ctx, tiledb_array_schema_get_dimension_label_from_index(ctx, schema, i, &labels[i]));
    CHECK_OK(ctx, tiledb_dimension_label_get_uri(ctx, labels[i], &uris[i]));
  }
  for (int i = 0; i < 3; i++) CHECK(strcmp(uris[i], uris[3]) != 0);
  for (int i = 0; i < 4; i++) tiledb_dimension_label_free(&labels[i]);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, purging_up_to_a_time_keeps_the_state_before_later_deletes) {
  char uri[128];
  int32_t x[2] = {1, 2}, numbers[2] = {10, 20};
  uint64_t size = sizeof numbers;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  for (int i = 0; i < 2; i++) {
    write_points(ctx, uri, 1 + (uint64_t)i, 2, x, numbers);
    x[0] += 2, x[1] += 2;
  }
  delete_at(ctx, uri, 3, number_is(ctx, TILEDB_EQ, 20));
  tiledb_config_t* config = config_with("sm.consolidation.purge_deleted_cells", "true");
  set_param(config, "sm.consolidation.timestamp_end", "2");
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 1);
  CHECK_EQ(sum_of(ctx, uri), 20);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 1);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  set_data(ctx, query, "number", numbers, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof numbers);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, consolidation_rejects_limits_that_are_not_a_number) {
  const char* params[] = {"sm.consolidation.amplification", "sm.consolidation.step_size_ratio"};
  char uri[128];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, POINTS, 0), uri);
  for (int i = 0; i < 2; i++) {
    tiledb_config_t* config = config_with(params[i], "nan");
    CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, uri, config), "Invalid configuration");
    tiledb_config_free(&config);
  }
}

TEST_WITH(ctx, a_file_system_checks_its_whole_configuration) {
  const char* params[][2] = {
      {"config.logging_level", "12"},
      {"vfs.file.posix_file_permissions", "2147483648"},
      {"vfs.file.posix_directory_permissions", "77777"},
  };
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    tiledb_config_t* config = config_with(params[i][0], params[i][1]);
    tiledb_vfs_t* vfs = NULL;
    CHECK_EQ(tiledb_vfs_alloc(ctx, config, &vfs), TILEDB_ERR);
    CHECK(vfs == NULL);
    tiledb_config_free(&config);
  }
}

static int32_t on_any(const char* path, size_t length, uint64_t size, void* data) {
  return path != NULL && length > 0 && size == 0 && data == NULL;
}

TEST_WITH(ctx, failed_copies_and_recursive_listings_name_one_path) {
  const char* none = scratch_file();
  char text[256], to[160];
  tiledb_vfs_t* vfs = NULL;
  snprintf(to, sizeof to, "%s-copy", none);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  snprintf(text, sizeof text, "IO Error: Cannot open file '%s'; No such file or directory", none);
  CHECK_ERROR(ctx, tiledb_vfs_copy_file(ctx, vfs, none, to), text);
  snprintf(text, sizeof text, "IO Error: Cannot list directory '%s'; ", none);
  CHECK_FAILS(ctx, tiledb_vfs_copy_dir(ctx, vfs, none, to), text);
  CHECK_FAILS(ctx, tiledb_vfs_ls_recursive(ctx, vfs, none, on_any, NULL), text);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, uris_that_are_not_utf_8_are_errors) {
  char uri[160];
  int32_t is = 0;
  tiledb_vfs_t* vfs = NULL;
  tiledb_array_t* array = NULL;
  snprintf(uri, sizeof uri, "%s-\xff", scratch_file());
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_ERROR(ctx, tiledb_vfs_is_dir(ctx, vfs, uri, &is), "C API: argument `uri` is not UTF-8");
  CHECK_ERROR(ctx, tiledb_array_alloc(ctx, uri, &array), "C API: argument `array_uri` is not UTF-8");
  CHECK(array == NULL);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, a_copied_folder_does_not_replace_a_folder_by_a_file) {
  char from[160], to[160], text[300];
  tiledb_vfs_t* vfs = NULL;
  int32_t is = 0;
  snprintf(from, sizeof from, "%s", scratch_file());
  snprintf(to, sizeof to, "%s", scratch_file());
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  snprintf(text, sizeof text, "%s/name", from);
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, text));
  snprintf(text, sizeof text, "%s/name", to);
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, text));
  CHECK_EQ(tiledb_vfs_copy_dir(ctx, vfs, from, to), TILEDB_ERR);
  snprintf(text, sizeof text, "%s/name/name", to);
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, text, &is));
  CHECK_EQ(is, 0);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, commits_of_a_missing_array_cannot_be_vacuumed) {
  tiledb_config_t* config = config_with("sm.vacuum.mode", "commits");
  CHECK_FAILS(ctx, tiledb_array_vacuum(ctx, scratch_file(), config), "Array does not exist");
  tiledb_config_free(&config);
}

TEST_WITH(ctx, no_array_is_created_where_a_group_exists) {
  char path[128], text[200];
  tiledb_object_t type = TILEDB_INVALID;
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  snprintf(path, sizeof path, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, path));
  snprintf(text, sizeof text, "Array: Cannot create array; '%s' is a group", uri_of(path));
  CHECK_ERROR(ctx, tiledb_array_create(ctx, path, schema), text);
  tiledb_array_schema_free(&schema);
  CHECK_OK(ctx, tiledb_object_type(ctx, path, &type));
  CHECK_EQ(type, TILEDB_GROUP);
}

TEST_WITH(ctx, a_rejected_open_of_a_group_keeps_its_new_members) {
  char path[128];
  uint64_t members = 9;
  tiledb_group_t* group = NULL;
  snprintf(path, sizeof path, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, path));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, path, 0, "itself"));
  CHECK_ERROR(ctx, tiledb_group_open(ctx, group, TILEDB_READ), "Group: Cannot open group; Group already open");
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
  CHECK_OK(ctx, tiledb_group_get_member_count(ctx, group, &members));
  CHECK_EQ(members, 1);
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}
