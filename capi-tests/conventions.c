/* Rules of all families: null arguments, error objects, freeing. */
#include "harness.h"

TEST(a_null_context_has_its_own_code) {
  CHECK_EQ(tiledb_array_open(NULL, NULL, TILEDB_READ), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_array_schema_alloc(NULL, TILEDB_DENSE, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_query_submit(NULL, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_vfs_alloc(NULL, NULL, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_ctx_get_last_error(NULL, NULL), TILEDB_INVALID_CONTEXT);
}

TEST_WITH(ctx, null_handles_are_reported_by_type) {
  CHECK_FAILS(ctx, tiledb_array_open(ctx, NULL, TILEDB_READ), "Invalid TileDB array object");
  CHECK_FAILS(ctx, tiledb_array_schema_check(ctx, NULL), "Invalid TileDB array_schema object");
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, NULL), "Error: Invalid TileDB query object");
  CHECK_FAILS(ctx, tiledb_domain_dump_str(ctx, NULL, NULL), "Invalid TileDB domain object");
}

TEST_WITH(ctx, a_null_out_pointer_is_an_error) {
  CHECK_FAILS(ctx, tiledb_domain_alloc(ctx, NULL), "Invalid output pointer for object");
  CHECK_FAILS(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, NULL), "Invalid output pointer for object");
}

TEST(a_null_error_argument_has_its_own_code) {
  tiledb_config_t* config = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, NULL), TILEDB_INVALID_ERROR);
  CHECK(config == NULL);
}

TEST(an_error_argument_stays_null_on_success) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK(error == NULL);
  CHECK_EQ(tiledb_config_set(config, "sm.tile_cache_size", "10", &error), TILEDB_OK);
  CHECK(error == NULL);
  tiledb_config_free(&config);
  CHECK(config == NULL);
}

TEST(an_error_argument_names_the_null_argument) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const char* text = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_set(config, NULL, "10", &error), TILEDB_ERR);
  CHECK(error != NULL);
  CHECK_EQ(tiledb_error_message(error, &text), TILEDB_OK);
  CHECK(strstr(text, "argument `param` may not be nullptr") != NULL);
  tiledb_error_free(&error);
  CHECK(error == NULL);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, new_contexts_have_no_error) {
  tiledb_error_t* error = NULL;
  CHECK_OK(ctx, tiledb_ctx_get_last_error(ctx, &error));
  CHECK(error == NULL);
}

TEST_WITH(ctx, success_keeps_an_earlier_error_readable) {
  tiledb_domain_t* domain = NULL;
  CHECK_FAILS(ctx, tiledb_domain_alloc(ctx, NULL), "Invalid output pointer");
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK(strstr(harness_error(ctx), "Invalid output pointer") != NULL);
  tiledb_domain_free(&domain);
}

TEST(free_accepts_null_and_leaves_null) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_domain_t* domain = NULL;
  tiledb_domain_free(NULL);
  tiledb_domain_free(&domain);
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  tiledb_domain_free(&domain);
  CHECK(domain == NULL);
  tiledb_array_free(NULL);
  tiledb_query_free(NULL);
  tiledb_group_free(NULL);
  tiledb_fragment_info_free(NULL);
  tiledb_ctx_free(&ctx);
  CHECK(ctx == NULL);
  tiledb_ctx_free(&ctx);
  tiledb_ctx_free(NULL);
}

TEST_WITH(ctx, free_functions_with_a_return_code_report_null) {
  tiledb_current_domain_t* current_domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_channel_operation_t* operation = NULL;
  tiledb_query_channel_t* channel = NULL;
  tiledb_query_field_t* field = NULL;
  CHECK_EQ(tiledb_current_domain_free(NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_current_domain_free(&current_domain), TILEDB_ERR);
  CHECK_EQ(tiledb_ndrectangle_free(NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_ndrectangle_free(&rectangle), TILEDB_ERR);
  if (is_2_31()) {
    /* The context is ignored: it has no error, and may be null. */
    CHECK_EQ(tiledb_aggregate_free(NULL, &operation), TILEDB_ERR);
    CHECK_EQ(tiledb_query_channel_free(NULL, NULL), TILEDB_ERR);
    CHECK_EQ(tiledb_query_field_free(ctx, &field), TILEDB_ERR);
    CHECK_TEXT(harness_error(ctx), "");
    return;
  }
  CHECK_EQ(tiledb_query_field_free(NULL, &field), TILEDB_INVALID_CONTEXT);
  CHECK_FAILS(ctx, tiledb_aggregate_free(ctx, NULL), "Invalid output pointer for object");
  CHECK_FAILS(ctx, tiledb_aggregate_free(ctx, &operation), "Invalid TileDB tiledb_channel_operation_t object");
  CHECK_FAILS(ctx, tiledb_query_channel_free(ctx, NULL), "Invalid output pointer for object");
  CHECK_FAILS(ctx, tiledb_query_channel_free(ctx, &channel), "Invalid TileDB tiledb_query_channel_t object");
  CHECK_FAILS(ctx, tiledb_query_field_free(ctx, NULL), "Invalid output pointer for object");
  CHECK_FAILS(ctx, tiledb_query_field_free(ctx, &field), "Invalid TileDB tiledb_query_field_t object");
}

TEST(a_child_outlives_the_context_it_was_made_with) {
  tiledb_ctx_t* first = new_context();
  tiledb_ctx_t* second = new_context();
  tiledb_domain_t* domain = NULL;
  uint32_t count = 7;
  CHECK_OK(first, tiledb_domain_alloc(first, &domain));
  tiledb_ctx_free(&first);
  CHECK_OK(second, tiledb_domain_get_ndim(second, domain, &count));
  CHECK_EQ(count, 0);
  tiledb_domain_free(&domain);
  tiledb_ctx_free(&second);
}

TEST_WITH(ctx, unknown_enum_values_are_errors) {
  tiledb_filter_t* filter = NULL;
  tiledb_attribute_t* attribute = NULL;
  CHECK_EQ(tiledb_filter_alloc(ctx, (tiledb_filter_type_t)77, &filter), TILEDB_ERR);
  CHECK(filter == NULL);
  CHECK_EQ(tiledb_attribute_alloc(ctx, "a", (tiledb_datatype_t)177, &attribute), TILEDB_ERR);
  CHECK(attribute == NULL);
}

#define TEXT_OF_MACRO(macro) TEXT_OF(macro)
#define TEXT_OF(...) #__VA_ARGS__

TEST(macros_of_deprecated_functions_are_empty) {
  CHECK_TEXT(TEXT_OF_MACRO(TILEDB_DEPRECATED), "");
  CHECK_TEXT(TEXT_OF_MACRO(TILEDB_DEPRECATED_EXPORT), "");
}
