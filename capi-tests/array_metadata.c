/* Metadata of arrays: put and deleted in write mode, read by key and index, at timestamps. */
#include "arrays.h"

/* Creates a dense array of ten cells and copies its path to `uri`. */
static void create_array(tiledb_ctx_t* ctx, char* uri) {
  create_with(ctx, new_line_schema(ctx, TILEDB_DENSE, 10, 5, 0), uri);
}

static void put_number(tiledb_ctx_t* ctx, tiledb_array_t* array, const char* key, int32_t value) {
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, key, TILEDB_INT32, 1, &value));
}

TEST_WITH(ctx, metadata_is_returned_as_it_was_put) {
  char uri[128];
  const double pi[2] = {3.0, 3.1};
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t num = 0;
  const void* value = NULL;
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "pi", TILEDB_FLOAT64, 2, pi));
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "\xc3\xa4", TILEDB_STRING_UTF8, 4, "text"));
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_READ, 0, 10);
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "pi", &type, &num, &value));
  CHECK(type == TILEDB_FLOAT64 && num == 2 && ((const double*)value)[1] == 3.1);
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "\xc3\xa4", &type, &num, &value));
  CHECK(type == TILEDB_STRING_UTF8 && num == 4 && memcmp(value, "text", 4) == 0);
  value = &num;
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "none", &type, &num, &value));
  CHECK(value == NULL && num == 4);
  close_array(ctx, &array);
}

TEST_WITH(ctx, empty_metadata_is_one_value_with_a_null_pointer) {
  char uri[128];
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t num = 7;
  const void* value = &num;
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "empty", TILEDB_STRING_ASCII, 3, NULL));
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_READ, 0, 10);
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "empty", &type, &num, &value));
  CHECK(type == TILEDB_STRING_ASCII && num == 1 && value == NULL);
  close_array(ctx, &array);
}

TEST_WITH(ctx, keys_are_counted_and_ordered) {
  char uri[128];
  const char *key = NULL, *expected[] = {"a", "aa", "b"};
  uint64_t count = 0;
  uint32_t key_len = 0, num = 0;
  tiledb_datatype_t type = TILEDB_ANY;
  const void* value = NULL;
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  put_number(ctx, array, "b", 2);
  put_number(ctx, array, "aa", 1);
  put_number(ctx, array, "a", 0);
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_READ, 0, 10);
  CHECK_OK(ctx, tiledb_array_get_metadata_num(ctx, array, &count));
  CHECK_EQ(count, 3);
  for (uint64_t i = 0; i < count; i++) {
    CHECK_OK(ctx, tiledb_array_get_metadata_from_index(ctx, array, i, &key, &key_len, &type, &num, &value));
    CHECK_TEXT(key, expected[i]);
    CHECK_EQ(key_len, strlen(expected[i]));
    CHECK_EQ(*(const int32_t*)value, i);
  }
  CHECK_FAILS(ctx, tiledb_array_get_metadata_from_index(ctx, array, 3, &key, &key_len, &type, &num, &value),
      "Metadata: Cannot get metadata; index out of bounds");
  close_array(ctx, &array);
}

TEST_WITH(ctx, each_timestamp_has_its_own_keys) {
  char uri[128];
  int32_t has = -1;
  tiledb_datatype_t type = TILEDB_ANY;
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  put_number(ctx, array, "k", 1);
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_WRITE, 0, 20);
  CHECK_OK(ctx, tiledb_array_delete_metadata(ctx, array, "k"));
  CHECK_OK(ctx, tiledb_array_delete_metadata(ctx, array, "never there"));
  close_array(ctx, &array);
  for (uint64_t i = 5; i <= 25; i += 10) {
    array = open_at(ctx, uri, TILEDB_READ, 0, i);
    CHECK_OK(ctx, tiledb_array_has_metadata_key(ctx, array, "k", &type, &has));
    CHECK_EQ(has, i == 15);
    if (i == 5) CHECK_EQ(type, TILEDB_ANY);
    close_array(ctx, &array);
  }
  CHECK_EQ(type, TILEDB_INT32);
}

TEST_WITH(ctx, metadata_is_read_while_reading_and_put_while_writing) {
  char uri[128];
  uint64_t count = 0;
  const int32_t one = 1;
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  CHECK_FAILS(ctx, tiledb_array_get_metadata_num(ctx, array, &count),
      "Array: Cannot get number of metadata; Array was not opened in read mode");
  CHECK_FAILS(ctx, tiledb_array_put_metadata(ctx, array, NULL, TILEDB_INT32, 1, &one),
      "Array: Cannot put metadata; Key cannot be null");
  CHECK_FAILS(ctx, tiledb_array_put_metadata(ctx, array, "k", TILEDB_ANY, 1, &one),
      "Array: Cannot put metadata; Value type cannot be ANY");
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_READ, 0, 10);
  CHECK_FAILS(ctx, tiledb_array_put_metadata(ctx, array, "k", TILEDB_INT32, 1, &one),
      "Array: Cannot put metadata; Array was not opened in write");
  CHECK_FAILS(ctx, tiledb_array_delete_metadata(ctx, array, "k"),
      "Array: Cannot delete metadata. Array was not opened in write");
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_FAILS(ctx, tiledb_array_get_metadata_num(ctx, array, &count),
      "Array: Cannot get number of metadata; Array is not open");
  tiledb_array_free(&array);
  CHECK_EQ(tiledb_array_get_metadata_num(NULL, NULL, &count), TILEDB_INVALID_CONTEXT);
}

TEST_WITH(ctx, the_last_change_before_a_close_is_stored) {
  char uri[128];
  const double half = 2.5;
  tiledb_datatype_t type = TILEDB_ANY;
  uint64_t count = 9;
  uint32_t num = 0;
  int32_t has = 9;
  const void* value = NULL;
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  put_number(ctx, array, "twice", 1);
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "twice", TILEDB_FLOAT64, 1, &half));
  put_number(ctx, array, "gone", 1);
  CHECK_OK(ctx, tiledb_array_delete_metadata(ctx, array, "gone"));
  CHECK_OK(ctx, tiledb_array_delete_metadata(ctx, array, "back"));
  put_number(ctx, array, "back", 3);
  close_array(ctx, &array);
  array = open_at(ctx, uri, TILEDB_READ, 0, 10);
  CHECK_OK(ctx, tiledb_array_get_metadata_num(ctx, array, &count));
  CHECK_EQ(count, 2);
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "twice", &type, &num, &value));
  CHECK(type == TILEDB_FLOAT64 && num == 1 && *(const double*)value == 2.5);
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "back", &type, &num, &value));
  CHECK(type == TILEDB_INT32 && num == 1 && *(const int32_t*)value == 3);
  CHECK_OK(ctx, tiledb_array_has_metadata_key(ctx, array, "gone", &type, &has));
  CHECK_EQ(has, 0);
  close_array(ctx, &array);
  /* Metadata that was put before the range of timestamps is not visible. */
  array = open_at(ctx, uri, TILEDB_READ, 11, 20);
  CHECK_OK(ctx, tiledb_array_get_metadata_num(ctx, array, &count));
  CHECK_EQ(count, 0);
  close_array(ctx, &array);
}

TEST_WITH(ctx, output_pointers_are_required) {
  char uri[128];
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t num = 0, length = 0;
  const void* value = NULL;
  const char *key = NULL, *null_output = "C API: Invalid output pointer for object";
  create_array(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 10);
  CHECK_FAILS(ctx, tiledb_array_get_metadata_num(ctx, array, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_array_get_metadata(ctx, array, "k", NULL, &num, &value), null_output);
  CHECK_FAILS(ctx, tiledb_array_get_metadata(ctx, array, "k", &type, NULL, &value), null_output);
  CHECK_FAILS(ctx, tiledb_array_get_metadata(ctx, array, "k", &type, &num, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_array_has_metadata_key(ctx, array, "k", NULL, (int32_t*)&num), null_output);
  CHECK_FAILS(ctx, tiledb_array_has_metadata_key(ctx, array, "k", &type, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_array_get_metadata_from_index(ctx, array, 0, NULL, &length, &type, &num, &value), null_output);
  CHECK_FAILS(ctx, tiledb_array_get_metadata_from_index(ctx, array, 0, &key, NULL, &type, &num, &value), null_output);
  CHECK_FAILS(
      ctx, tiledb_array_get_metadata_from_index(ctx, array, UINT64_MAX, &key, &length, &type, &num, &value),
      "index out of bounds");
  close_array(ctx, &array);
}

static const char* const KEY = "0123456789abcdeF0123456789abcdeF";

/* Returns a configuration with an encryption key and another parameter. */
static tiledb_config_t* config_with_key(const char* key, const char* name, const char* value) {
  tiledb_config_t* config = config_with(name, value);
  set_param(config, "sm.encryption_type", "AES_256_GCM");
  set_param(config, "sm.encryption_key", key);
  return config;
}

TEST(metadata_of_an_encrypted_array_is_consolidated_with_its_key) {
  char uri[128];
  int32_t has = 0;
  tiledb_datatype_t type = TILEDB_ANY;
  tiledb_ctx_t* ctx = NULL;
  tiledb_config_t* config = config_with_key(KEY, "sm.consolidation.mode", "array_meta");
  tiledb_config_t* wrong = config_with_key("0123456789abcdeF0123456789abcdeX", "sm.consolidation.mode", "array_meta");
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_set(config, "sm.vacuum.mode", "array_meta", &error), TILEDB_OK);
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  create_array(ctx, uri);
  for (uint64_t i = 10; i <= 30; i += 10) {
    tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, i);
    char key[2] = {(char)('a' + i / 10), 0};
    put_number(ctx, array, key, (int32_t)i);
    if (i == 30) CHECK_OK(ctx, tiledb_array_delete_metadata(ctx, array, "b"));
    close_array(ctx, &array);
  }
  CHECK_EQ(tiledb_array_consolidate(ctx, uri, wrong), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, config));
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 40);
  const char* keys[] = {"b", "c", "d"};
  for (int i = 0; i < 3; i++) {
    CHECK_OK(ctx, tiledb_array_has_metadata_key(ctx, array, keys[i], &type, &has));
    CHECK_EQ(has, i > 0);
  }
  CHECK_FAILS(ctx, tiledb_array_has_metadata_key(ctx, array, NULL, &type, &has), "Key cannot be null");
  uint32_t num = 0;
  const void* value = NULL;
  CHECK_FAILS(ctx, tiledb_array_get_metadata(ctx, array, NULL, &type, &num, &value), "Key cannot be null");
  close_array(ctx, &array);
  tiledb_config_free(&config);
  tiledb_config_free(&wrong);
  tiledb_ctx_free(&ctx);
}
