/* Configurations: values and defaults, checks, iterators, files, environment variables. */
#include "harness.h"

static char kept_error[1024];

/* Returns the message of an error, which is freed, or "". Valid until the next call. */
static const char* message_of(tiledb_error_t** error) {
  const char* text = NULL;
  kept_error[0] = '\0';
  if (*error != NULL && tiledb_error_message(*error, &text) == TILEDB_OK) snprintf(kept_error, sizeof kept_error, "%s", text);
  tiledb_error_free(error);
  return kept_error;
}

static tiledb_config_t* new_config(void) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  return config;
}

/* Sets a parameter. Returns the message of the error, or "". Valid until the next call. */
static const char* set(tiledb_config_t* config, const char* param, const char* value) {
  tiledb_error_t* error = NULL;
  int32_t code = tiledb_config_set(config, param, value, &error);
  CHECK_EQ(code == TILEDB_OK, error == NULL);
  return message_of(&error);
}

static const char* get(tiledb_config_t* config, const char* param) {
  tiledb_error_t* error = NULL;
  const char* value = "unset";
  CHECK_EQ(tiledb_config_get(config, param, &value, &error), TILEDB_OK);
  return value;
}

/* Checks that a value is rejected with a message that begins with `beginning`. */
static void check_refused(tiledb_config_t* config, const char* param, const char* value, const char* beginning) {
  char found[sizeof kept_error];
  snprintf(found, sizeof found, "%.*s", (int)strlen(beginning), set(config, param, value));
  CHECK_TEXT(found, beginning);
}

TEST(known_parameters_have_defaults_and_get_them_back) {
  tiledb_config_t* config = new_config();
  tiledb_error_t* error = NULL;
  CHECK_TEXT(get(config, "sm.memory_budget"), "5368709120");
  CHECK_TEXT(get(config, "vfs.s3.region"), "");
  CHECK_TEXT(set(config, "sm.memory_budget", "10"), "");
  CHECK_TEXT(get(config, "sm.memory_budget"), "10");
  CHECK_EQ(tiledb_config_unset(config, "sm.memory_budget", &error), TILEDB_OK);
  CHECK_TEXT(get(config, "sm.memory_budget"), "5368709120");
  tiledb_config_free(&config);
  CHECK(config == NULL);
}

TEST(unknown_parameters_are_kept_until_unset) {
  tiledb_config_t* config = new_config();
  tiledb_error_t* error = NULL;
  CHECK(get(config, "foo") == NULL);
  CHECK_TEXT(set(config, "foo", "bar"), "");
  CHECK_TEXT(get(config, "foo"), "bar");
  CHECK_EQ(tiledb_config_unset(config, "foo", &error), TILEDB_OK);
  CHECK(get(config, "foo") == NULL);
  tiledb_config_free(&config);
}

TEST(values_are_checked_when_they_are_set) {
  tiledb_config_t* config = new_config();
  check_refused(
      config, "sm.memory_budget", "12x",
      "[TileDB::Utils] Error: Failed to convert string '12x' to uint64_t; Invalid argument");
  check_refused(
      config, "sm.memory_budget", "99999999999999999999",
      "[TileDB::Utils] Error: Failed to convert string '99999999999999999999' to uint64_t; Value out of range");
  check_refused(
      config, "sm.dedup_coords", "yes",
      "[TileDB::Utils] Error: Failed to convert string to bool; Value not 'true' or 'false'");
  check_refused(config, "sm.var_offsets.mode", "cells", "Config: Invalid offsets format parameter value");
  CHECK_TEXT(set(config, "sm.dedup_coords", "TRUE"), "");
  CHECK_TEXT(set(config, "sm.memory_budget", "+7"), "");
  CHECK_TEXT(get(config, "sm.memory_budget"), "+7");
  tiledb_config_free(&config);
}

TEST(numbers_have_no_suffix_from_2_31_on) {
  const char *real = "sm.consolidation.amplification", *invalid;
  tiledb_config_t* config = new_config();
  invalid = by_release("[TileDB::Utils] Error: Failed to convert string to float32_t; Invalid argument",
      "[TileDB::Utils] Error: Failed to convert string 'abc' to float32_t; Invalid argument");
  check_refused(config, real, "abc", invalid);
  check_refused(config, real, "1e39",
      by_release("[TileDB::Utils] Error: Failed to convert string to float32_t; Value out of range",
          "[TileDB::Utils] Error: Failed to convert string '1e39' to float32_t; Value out of range"));
  invalid = "[TileDB::Utils] Error: Failed to convert string '1.5abc' to float32_t; Invalid argument";
  if (is_2_31()) {
    check_refused(config, real, "1.5abc", invalid);
    CHECK_TEXT(set(config, "vfs.s3.connect_timeout_ms", "+-7"), "");
  } else {
    CHECK_TEXT(set(config, real, "1.5abc"), "");
    check_refused(config, "vfs.s3.connect_timeout_ms", "+-7",
        "[TileDB::Utils] Error: Failed to convert string '+-7' to int64_t; Invalid argument");
  }
  tiledb_config_free(&config);
}

TEST(parameters_of_retries_depend_on_the_release) {
  tiledb_config_t* config = new_config();
  CHECK_TEXT(get(config, "vfs.s3.retry_strategy"), is_2_31() ? "standard" : NULL);
  CHECK_TEXT(get(config, "rest.resubmit_incomplete"), is_2_31() ? "true" : NULL);
  CHECK_TEXT(get(config, "vfs.s3.connect_max_tries"), is_2_31() ? NULL : "5");
  CHECK_TEXT(get(config, "vfs.s3.connect_scale_factor"), is_2_31() ? NULL : "25");
  CHECK_TEXT(set(config, "vfs.s3.retry_strategy", "unknown"), "");
  check_refused(config, "vfs.s3.connect_max_tries", "many",
      "[TileDB::Utils] Error: Failed to convert string 'many' to int64_t; Invalid argument");
  if (is_2_31()) {
    CHECK_TEXT(set(config, "vfs.s3.connect_max_tries", ""), "");
    CHECK_TEXT(set(config, "vfs.s3.connect_scale_factor", "any"), "");
  } else {
    check_refused(config, "vfs.s3.connect_max_tries", "",
        "[TileDB::Utils] Error: Failed to convert string '' to int64_t; Invalid argument");
    check_refused(config, "vfs.s3.connect_scale_factor", "any",
        "[TileDB::Utils] Error: Failed to convert string 'any' to int64_t; Invalid argument");
  }
  tiledb_config_free(&config);
}

TEST(null_arguments_are_reported_by_name) {
  tiledb_config_t* config = new_config();
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  CHECK_TEXT(set(NULL, "a", "b"), "C API: Invalid TileDB configuration object");
  CHECK_TEXT(set(config, NULL, "b"), "C API: argument `param` may not be nullptr");
  CHECK_TEXT(set(config, "a", NULL), "C API: argument `value` may not be nullptr");
  CHECK_EQ(tiledb_config_get(config, NULL, &value, &error), TILEDB_ERR);
  CHECK_TEXT(message_of(&error), "C API: argument `param` may not be nullptr");
  CHECK_EQ(tiledb_config_unset(config, NULL, &error), TILEDB_ERR);
  CHECK_TEXT(message_of(&error), "C API: argument `param` may not be nullptr");
  CHECK_EQ(tiledb_config_load_from_file(config, NULL, &error), TILEDB_ERR);
  CHECK_TEXT(message_of(&error), "C API: Cannot load from file; null filename");
  CHECK_EQ(tiledb_config_save_to_file(config, NULL, &error), TILEDB_ERR);
  CHECK_TEXT(message_of(&error), "C API: Cannot save to file; null filename");
  CHECK_EQ(tiledb_config_set(config, "a", "b", NULL), TILEDB_INVALID_ERROR);
  tiledb_config_free(&config);
}

TEST(iteration_is_sorted_and_removes_the_prefix) {
  static const char* const expected[] = {"bitsize", "extra_element", "mode"};
  tiledb_config_t* config = new_config();
  tiledb_config_iter_t* iterator = NULL;
  tiledb_error_t* error = NULL;
  const char *param = NULL, *value = NULL;
  int32_t done = 0;
  int count = 0;
  CHECK_EQ(tiledb_config_iter_alloc(config, "sm.var_offsets.", &iterator, &error), TILEDB_OK);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(tiledb_config_iter_here(iterator, &param, &value, &error), TILEDB_OK);
    CHECK_TEXT(param, expected[i]);
    CHECK_EQ(tiledb_config_iter_next(iterator, &error), TILEDB_OK);
  }
  CHECK_EQ(tiledb_config_iter_done(iterator, &done, &error), TILEDB_OK);
  CHECK_EQ(done, 1);
  CHECK_EQ(tiledb_config_iter_next(iterator, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_iter_here(iterator, &param, &value, &error), TILEDB_OK);
  CHECK(param == NULL && value == NULL);
  CHECK_EQ(tiledb_config_iter_reset(config, iterator, NULL, &error), TILEDB_OK);
  for (tiledb_config_iter_done(iterator, &done, &error); !done; tiledb_config_iter_done(iterator, &done, &error)) {
    count++;
    CHECK_EQ(tiledb_config_iter_next(iterator, &error), TILEDB_OK);
  }
  CHECK_EQ(count, 154);
  tiledb_config_iter_free(&iterator);
  CHECK(iterator == NULL);
  tiledb_config_free(&config);
}

TEST(a_saved_file_loads_into_an_equal_configuration) {
  tiledb_config_t *one = new_config(), *other = new_config();
  tiledb_error_t* error = NULL;
  const char* path = scratch();
  uint8_t equal = 9;
  CHECK_TEXT(set(one, "foo", "bar"), "");
  CHECK_TEXT(set(one, "sm.dedup_coords", "true"), "");
  CHECK_EQ(tiledb_config_compare(one, other, &equal), TILEDB_OK);
  CHECK_EQ(equal, 0);
  CHECK_EQ(tiledb_config_save_to_file(one, path, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_load_from_file(other, path, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_compare(one, other, &equal), TILEDB_OK);
  CHECK_EQ(equal, 1);
  tiledb_config_free(&one);
  tiledb_config_free(&other);
}

TEST(an_invalid_file_is_reported_with_its_line) {
  tiledb_config_t* config = new_config();
  tiledb_error_t* error = NULL;
  const char* path = scratch();
  FILE* file = fopen(path, "w");
  CHECK(file != NULL);
  fputs("# a comment\nfoo bar extra\n", file);
  fclose(file);
  CHECK_EQ(tiledb_config_load_from_file(config, path, &error), TILEDB_ERR);
  /* Lines are counted from 0. */
  CHECK(strstr(message_of(&error), "Invalid line format (line: 1)") != NULL);
  CHECK_EQ(tiledb_config_load_from_file(config, "/no/such/file", &error), TILEDB_ERR);
  CHECK_TEXT(message_of(&error), "Config: Failed to open config file '/no/such/file'");
  CHECK_EQ(tiledb_config_save_to_file(config, "/no/such/file", &error), TILEDB_ERR);
  CHECK_TEXT(message_of(&error), "Config: Failed to open config file '/no/such/file' for writing");
  tiledb_config_free(&config);
}

TEST(environment_variables_replace_defaults_but_not_set_values) {
  tiledb_config_t* config = new_config();
  setenv("TILEDB_SM_MEMORY_BUDGET", "77", 1);
  setenv("MINE_SM_MEMORY_BUDGET", "88", 1);
  CHECK_TEXT(get(config, "sm.memory_budget"), "77");
  CHECK_TEXT(set(config, "config.env_var_prefix", "MINE_"), "");
  CHECK_TEXT(get(config, "sm.memory_budget"), "88");
  CHECK_TEXT(set(config, "sm.memory_budget", "5"), "");
  CHECK_TEXT(get(config, "sm.memory_budget"), "5");
  unsetenv("TILEDB_SM_MEMORY_BUDGET");
  unsetenv("MINE_SM_MEMORY_BUDGET");
  tiledb_config_free(&config);
}
