/*
 * Missing contexts, null handles and null output pointers: each function reports an error.
 * Functions around queries are in query_handles.c.
 */
#include "harness.h"

TEST_WITH(ctx, functions_of_arrays_need_a_context_and_a_handle) {
  CHECK_NEEDS(
      ctx, "TileDB internal: Failed to construct valid URI. Given path is invalid.",
      tiledb_array_delete_fragments_v2, NULL, 0, 0);
  CHECK_NEEDS(ctx, "FragmentConsolidator: Cannot vacuum fragments; Array name cannot be null", tiledb_array_vacuum, NULL, NULL);
  CHECK_ERROR(ctx, tiledb_array_vacuum(ctx, "no_such://place", NULL),
              "TileDB internal: Cannot open array; Array does not exist.");
  CHECK_EQ(tiledb_array_schema_load_with_config(NULL, NULL, "nowhere", NULL), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_array_schema_load_with_config(ctx, NULL, "nowhere", NULL), TILEDB_ERR);
}

TEST_WITH(ctx, functions_of_schemas_need_a_context_and_a_handle) {
  CHECK_NEEDS(
      ctx, "C API: Invalid output pointer for object", tiledb_array_schema_alloc_at_timestamp, TILEDB_DENSE, 1, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_get_allows_dups, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_get_coords_filter_list, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_get_current_domain, NULL, NULL);
  CHECK_NEEDS(
      ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_get_offsets_filter_list, NULL, NULL);
  CHECK_NEEDS(
      ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_get_validity_filter_list, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_set_capacity, NULL, 0);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_set_current_domain, NULL, NULL);
  CHECK_NEEDS(
      ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_set_offsets_filter_list, NULL, NULL);
  CHECK_NEEDS(
      ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_set_validity_filter_list, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB array_schema object", tiledb_array_schema_timestamp_range, NULL, NULL, NULL);
}

TEST_WITH(ctx, functions_of_evolutions_need_a_context_and_a_handle) {
  CHECK_EQ(tiledb_array_schema_evolution_alloc(NULL, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_NEEDS(
      ctx, "Error: Invalid TileDB array schema evolution object",
      tiledb_array_schema_evolution_drop_attribute, NULL, NULL);
}

TEST_WITH(ctx, functions_of_buffers_need_a_context_and_a_handle) {
  CHECK_NEEDS(ctx, "C API: Invalid output pointer for object", tiledb_buffer_alloc, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB buffer object", tiledb_buffer_get_type, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB buffer object", tiledb_buffer_set_type, NULL, TILEDB_INT32);
  CHECK_NEEDS(ctx, "C API: Invalid output pointer for object", tiledb_buffer_list_alloc, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB buffer list object", tiledb_buffer_list_get_num_buffers, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB buffer list object", tiledb_buffer_list_get_total_size, NULL, NULL);
}

TEST_WITH(ctx, functions_of_contexts_need_a_context_and_an_output) {
  CHECK_EQ(tiledb_ctx_cancel_tasks(NULL), TILEDB_INVALID_CONTEXT);
  CHECK_NEEDS(ctx, "C API: Invalid output pointer for object", tiledb_ctx_get_config, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid output pointer for object", tiledb_ctx_get_stats, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid output pointer for object", tiledb_ctx_is_supported_fs, TILEDB_S3, NULL);
}

TEST_WITH(ctx, functions_of_storage_need_a_context_and_a_handle) {
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_copy_dir, NULL, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_create_dir, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_dir_size, NULL, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs file handle object", tiledb_vfs_fh_is_closed, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_get_config, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_is_dir, NULL, NULL, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_ls_recursive_v2, NULL, NULL, 0, NULL);
  CHECK_NEEDS(ctx, "C API: Invalid TileDB vfs object", tiledb_vfs_move_dir, NULL, NULL, NULL);
}

/* Checks that the call reports a missing error argument. */
#define NO_ERROR_ARGUMENT(call) CHECK_EQ(call, TILEDB_INVALID_ERROR)

/* Checks that the call fails and that the error it returns contains the text. */
static void error_is(const char* what, int32_t code, tiledb_error_t** error, const char* expected) {
  const char* text = NULL;
  if (code != TILEDB_ERR || *error == NULL || tiledb_error_message(*error, &text) != TILEDB_OK ||
      strstr(text, expected) == NULL)
    harness_fail(__FILE__, __LINE__, "%s gives %d and says '%s', not '%s'", what, (int)code, text ? text : "", expected);
  tiledb_error_free(error);
}

#define HANDS_OUT(call, expected) error_is(#call, (call), &error, (expected))

TEST(functions_of_configurations_need_a_handle_and_an_error_argument) {
  tiledb_error_t* error = NULL;
  tiledb_config_t* config = NULL;
  tiledb_config_iter_t* iter = NULL;
  int32_t done = 0;
  uint8_t equal = 0;
  const char *param = NULL, *value = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_compare(NULL, config, &equal), TILEDB_ERR);
  CHECK_EQ(tiledb_config_compare(config, NULL, &equal), TILEDB_ERR);
  NO_ERROR_ARGUMENT(tiledb_config_iter_alloc(config, NULL, &iter, NULL));
  HANDS_OUT(tiledb_config_iter_alloc(NULL, NULL, &iter, &error), "Invalid TileDB configuration object");
  HANDS_OUT(tiledb_config_iter_alloc(config, NULL, NULL, &error), "Invalid output pointer for object");
  CHECK_EQ(tiledb_config_iter_alloc(config, NULL, &iter, &error), TILEDB_OK);
  NO_ERROR_ARGUMENT(tiledb_config_iter_done(iter, &done, NULL));
  HANDS_OUT(tiledb_config_iter_done(NULL, &done, &error), "Invalid TileDB configuration iterator object");
  NO_ERROR_ARGUMENT(tiledb_config_iter_here(iter, &param, &value, NULL));
  HANDS_OUT(tiledb_config_iter_here(NULL, &param, &value, &error), "Invalid TileDB configuration iterator object");
  NO_ERROR_ARGUMENT(tiledb_config_iter_next(iter, NULL));
  HANDS_OUT(tiledb_config_iter_next(NULL, &error), "Invalid TileDB configuration iterator object");
  NO_ERROR_ARGUMENT(tiledb_config_iter_reset(config, iter, NULL, NULL));
  HANDS_OUT(tiledb_config_iter_reset(NULL, iter, NULL, &error), "Invalid TileDB configuration object");
  HANDS_OUT(tiledb_config_iter_reset(config, NULL, NULL, &error), "Invalid TileDB configuration iterator object");
  tiledb_config_iter_free(&iter);
  tiledb_config_free(&config);
}

TEST(functions_of_profiles_need_a_handle_and_an_error_argument) {
  tiledb_error_t* error = NULL;
  tiledb_profile_t* profile = NULL;
  tiledb_string_t* text = NULL;
  NO_ERROR_ARGUMENT(tiledb_profile_alloc("p", scratch(), &profile, NULL));
  HANDS_OUT(tiledb_profile_alloc("p", scratch(), NULL, &error), "Invalid output pointer for object");
  NO_ERROR_ARGUMENT(tiledb_profile_get_name(profile, &text, NULL));
  HANDS_OUT(tiledb_profile_get_name(NULL, &text, &error), "Invalid TileDB profile object");
  NO_ERROR_ARGUMENT(tiledb_profile_get_dir(profile, &text, NULL));
  HANDS_OUT(tiledb_profile_get_dir(NULL, &text, &error), "Invalid TileDB profile object");
  NO_ERROR_ARGUMENT(tiledb_profile_set_param(profile, "a", "b", NULL));
  HANDS_OUT(tiledb_profile_set_param(NULL, "a", "b", &error), "Invalid TileDB profile object");
  NO_ERROR_ARGUMENT(tiledb_profile_get_param(profile, "a", &text, NULL));
  HANDS_OUT(tiledb_profile_get_param(NULL, "a", &text, &error), "Invalid TileDB profile object");
  NO_ERROR_ARGUMENT(tiledb_profile_save(profile, 0, NULL));
  HANDS_OUT(tiledb_profile_save(NULL, 0, &error), "Invalid TileDB profile object");
  NO_ERROR_ARGUMENT(tiledb_profile_remove("p", scratch(), NULL));
}

TEST(statistics_are_switched_without_a_context) {
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
  CHECK_EQ(tiledb_stats_reset(), TILEDB_OK);
  CHECK_EQ(tiledb_stats_disable(), TILEDB_OK);
}
