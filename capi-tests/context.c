/* Contexts: creation, last error, tags, statistics, supported storage; the version. */
#include "harness.h"

static tiledb_ctx_t* context_or_error(const char* param, const char* value, char* said, size_t room) {
  tiledb_config_t* config = config_with(param, value);
  tiledb_error_t* error = NULL;
  tiledb_ctx_t* ctx = NULL;
  const char* text = "";
  CHECK_EQ(tiledb_ctx_alloc_with_error(config, &ctx, &error) == TILEDB_OK, error == NULL);
  if (error != NULL) CHECK_EQ(tiledb_error_message(error, &text), TILEDB_OK);
  snprintf(said, room, "%s", text);
  tiledb_error_free(&error);
  tiledb_config_free(&config);
  return ctx;
}

TEST(invalid_configurations_do_not_create_a_context) {
  char said[256];
  tiledb_ctx_t* ctx = context_or_error("sm.compute_concurrency_level", "999999999", said, sizeof said);
  CHECK(ctx == NULL);
  CHECK_TEXT(
      said,
      "ThreadPool: Error initializing thread pool of concurrency level 999999999; Requested size too large");
  ctx = context_or_error("config.logging_level", "9", said, sizeof said);
  CHECK(ctx == NULL);
  CHECK(strstr(said, "Unsupported level") != NULL);
  CHECK_EQ(tiledb_ctx_alloc(NULL, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_ctx_alloc_with_error(NULL, &ctx, NULL), TILEDB_INVALID_ERROR);
  CHECK(ctx == NULL);
}

TEST(invalid_parameters_of_object_stores_do_not_create_a_context) {
  const char* params[][2] = {
      {"vfs.azure.max_retries", "-1"},        {"vfs.azure.use_block_list_upload", "1"},
      {"vfs.gcs.multi_part_size", ""},        {"vfs.gcs.request_timeout_ms", "0x10"},
      {"vfs.gcs.use_multi_part_upload", ""},  {"vfs.s3.install_sigpipe_handler", "yes"},
      {"vfs.s3.skip_init", ""},               {"vfs.s3.proxy_port", "4294967296"},
      {"vfs.s3.sse", "AES256"},               {"vfs.s3.sse", "kms"},
  };
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    tiledb_config_t* config = config_with(params[i][0], params[i][1]);
    tiledb_ctx_t* context = NULL;
    tiledb_error_t* error = NULL;
    const char* text = NULL;
    CHECK_EQ(tiledb_ctx_alloc_with_error(config, &context, &error), TILEDB_ERR);
    CHECK(context == NULL);
    CHECK_EQ(tiledb_error_message(error, &text), TILEDB_OK);
    CHECK(strstr(text, params[i][0]) != NULL);
    if (strcmp(params[i][1], "AES256") == 0)
      CHECK_TEXT(text, "S3: Unknown 'vfs.s3.sse' config value AES256; supported values are 'aes256' and 'kms'.");
    tiledb_error_free(&error);
    tiledb_config_free(&config);
  }
}

TEST(a_context_keeps_its_configuration) {
  char said[256];
  const char* value = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  tiledb_ctx_t* ctx = context_or_error("foo", "bar", said, sizeof said);
  CHECK_OK(ctx, tiledb_ctx_get_config(ctx, &config));
  CHECK_EQ(tiledb_config_get(config, "foo", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, "bar");
  tiledb_config_free(&config);
  tiledb_ctx_free(&ctx);
  CHECK(ctx == NULL);
  tiledb_ctx_free(&ctx);
  tiledb_ctx_free(NULL);
}

TEST_WITH(ctx, the_last_error_stays_after_success) {
  tiledb_error_t* error = NULL;
  int32_t supported = 9;
  CHECK_OK(ctx, tiledb_ctx_get_last_error(ctx, &error));
  CHECK(error == NULL);
  CHECK_FAILS(ctx, tiledb_ctx_set_tag(ctx, NULL, "v"), "C API: tiledb_ctx_set_tag: key may not be null");
  CHECK_OK(ctx, tiledb_ctx_is_supported_fs(ctx, TILEDB_MEMFS, &supported));
  CHECK_EQ(supported, 1);
  CHECK_TEXT(harness_error(ctx), "C API: tiledb_ctx_set_tag: key may not be null");
  CHECK_FAILS(ctx, tiledb_ctx_set_tag(ctx, "k", NULL), "C API: tiledb_ctx_set_tag: value may not be null");
  CHECK_OK(ctx, tiledb_ctx_set_tag(ctx, "k", "v"));
  CHECK_OK(ctx, tiledb_ctx_cancel_tasks(ctx));
}

TEST_WITH(ctx, supported_backends_are_those_of_the_build) {
  int32_t supported = 9;
  CHECK_OK(ctx, tiledb_ctx_is_supported_fs(ctx, TILEDB_S3, &supported));
  CHECK_EQ(supported, 1);
  CHECK_OK(ctx, tiledb_ctx_is_supported_fs(ctx, TILEDB_HDFS, &supported));
  CHECK_EQ(supported, 0);
}

TEST_WITH(ctx, paths_without_a_rest_server_have_data_protocol_0) {
  tiledb_data_protocol_t protocol = (tiledb_data_protocol_t)9;
  CHECK_OK(ctx, tiledb_ctx_get_data_protocol(ctx, "/a/b", &protocol));
  CHECK_EQ(protocol, 0);
  CHECK_FAILS(ctx, tiledb_ctx_get_data_protocol(ctx, NULL, &protocol), "Cannot get data protocol; Invalid URI");
  CHECK_FAILS(ctx, tiledb_ctx_get_data_protocol(ctx, "", &protocol), "Cannot get data protocol; Invalid URI");
}

TEST(the_version_and_the_constants_are_those_of_the_header) {
  int32_t major = 0, minor = 0, rev = 0;
  tiledb_version(&major, &minor, &rev);
  CHECK_EQ(major, TILEDB_VERSION_MAJOR);
  /* TILEDB_RS_RELEASE selects the release that the library follows. */
  CHECK_EQ(minor, getenv("TILEDB_RS_RELEASE") != NULL ? 31 : TILEDB_VERSION_MINOR);
  CHECK_EQ(rev, TILEDB_VERSION_PATCH);
  CHECK_TEXT(tiledb_timestamps(), "__timestamps");
  CHECK_EQ(tiledb_max_path(), 4096);
  CHECK_EQ(tiledb_offset_size(), 8);
  CHECK_EQ(tiledb_var_num(), UINT32_MAX);
  CHECK_EQ(tiledb_status_code(-5), -5);
  CHECK(tiledb_timestamp_now_ms() > 1700000000000ull);
}

TEST(the_build_configuration_is_json) {
  tiledb_string_t* text = NULL;
  const char* bytes = NULL;
  size_t length = 0;
  CHECK_EQ(tiledb_as_built_dump(&text), TILEDB_OK);
  CHECK_EQ(tiledb_string_view(text, &bytes, &length), TILEDB_OK);
  CHECK_EQ(length, strlen(bytes));
  CHECK(strstr(bytes, "\"storage_backends\"") != NULL);
  const char* serialization = strstr(bytes, "\"serialization\"");
  CHECK(serialization != NULL && strstr(serialization, "\"enabled\": true") != NULL);
  CHECK_EQ(tiledb_string_view(text, NULL, &length), TILEDB_ERR);
  CHECK_EQ(tiledb_string_free(&text), TILEDB_OK);
  CHECK(text == NULL);
  CHECK_EQ(tiledb_string_free(&text), TILEDB_ERR);
  CHECK_EQ(tiledb_as_built_dump(NULL), TILEDB_ERR);
}

TEST_WITH(ctx, uri_to_path_requires_space_for_the_terminating_zero) {
  char path[32];
  uint32_t length = 4;
  CHECK_EQ(tiledb_uri_to_path(ctx, "file:///abc", path, &length), TILEDB_ERR);
  length = 5;
  CHECK_OK(ctx, tiledb_uri_to_path(ctx, "file:///abc", path, &length));
  CHECK_EQ(length, 4);
  CHECK_TEXT(path, "/abc");
  length = sizeof path;
  CHECK_OK(ctx, tiledb_uri_to_path(ctx, "s3://a/b", path, &length));
  CHECK_TEXT(path, "s3://a/b");
  length = sizeof path;
  CHECK_EQ(tiledb_uri_to_path(ctx, "foo://a", path, &length), TILEDB_ERR);
  CHECK_EQ(length, 0);
  CHECK_EQ(tiledb_uri_to_path(ctx, NULL, path, &length), TILEDB_ERR);
}

TEST(the_heap_profiler_functions_succeed) {
  CHECK_EQ(tiledb_heap_profiler_enable(NULL, 0, 0, 0), TILEDB_OK);
  CHECK_EQ(tiledb_heap_profiler_enable(scratch(), 0, 0, 0), TILEDB_OK);
}
