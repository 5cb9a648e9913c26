/* Error objects and the log. */
#include "harness.h"

TEST(an_error_has_a_text_until_it_is_freed) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const char* text = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_set(config, "sm.memory_budget", "no", &error), TILEDB_ERR);
  CHECK(error != NULL);
  CHECK_EQ(tiledb_error_message(error, &text), TILEDB_OK);
  CHECK(strstr(text, "Failed to convert string 'no'") != NULL);
  CHECK_EQ(tiledb_error_message(error, NULL), TILEDB_ERR);
  tiledb_error_free(&error);
  CHECK(error == NULL);
  tiledb_error_free(&error);
  tiledb_error_free(NULL);
  CHECK_EQ(tiledb_error_message(NULL, &text), TILEDB_ERR);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, a_warning_needs_a_context_and_a_text) {
  CHECK_OK(ctx, tiledb_log_warn(ctx, "not shown at the default level"));
  CHECK_EQ(tiledb_log_warn(ctx, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_log_warn(NULL, "x"), TILEDB_INVALID_CONTEXT);
}
