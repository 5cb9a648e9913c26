/*
 * Undocumented behaviour on which programs rely: defaults, unusual names, missing folders of
 * arrays, states.
 */
#include "arrays.h"

TEST_WITH(ctx, names_may_be_empty_and_not_null) {
  tiledb_dimension_t *dimension = new_dimension(ctx, "", 10, 5), *none = NULL;
  tiledb_attribute_t* attribute = new_attribute(ctx, "__x", TILEDB_INT32);
  const int32_t bounds[2] = {1, 10}, extent = 5;
  const char* name = NULL;
  CHECK_OK(ctx, tiledb_dimension_get_name(ctx, dimension, &name));
  CHECK_TEXT(name, "");
  CHECK_EQ(tiledb_dimension_alloc(ctx, NULL, TILEDB_INT32, bounds, &extent, &none), TILEDB_ERR);
  CHECK(none == NULL);
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, dimension, NULL);
  CHECK_EQ(tiledb_array_schema_add_attribute(ctx, schema, attribute), TILEDB_ERR);
  tiledb_attribute_free(&attribute);
  tiledb_array_schema_free(&schema);
}

TEST(configurations_differ_by_unknown_parameters_too) {
  tiledb_config_t *one = config_with("my.own", "1"), *other = config_with(NULL, NULL);
  tiledb_error_t* error = NULL;
  uint8_t equal = 9;
  CHECK_EQ(tiledb_config_compare(one, other, &equal), TILEDB_OK);
  CHECK_EQ(equal, 0);
  CHECK_EQ(tiledb_config_set(other, "my.own", "2", &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_compare(one, other, &equal), TILEDB_OK);
  CHECK_EQ(equal, 0);
  CHECK_EQ(tiledb_config_set(other, "my.own", "1", &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_compare(one, other, &equal), TILEDB_OK);
  CHECK_EQ(equal, 1);
  tiledb_config_free(&one);
  tiledb_config_free(&other);
}

TEST_WITH(ctx, domain_getters_require_equal_types_and_an_array_open_for_reading) {
  const int32_t bounds[2] = {1, 10};
  const double reals[2] = {0, 1};
  tiledb_dimension_t *first = NULL, *second = NULL;
  char uri[128], found[64];
  int32_t is_empty = 9;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "i", TILEDB_INT32, bounds, NULL, &first));
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "f", TILEDB_FLOAT64, reals, NULL, &second));
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, first, second);
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_ERROR(
      ctx, tiledb_array_get_non_empty_domain(ctx, array, found, &is_empty),
      "Array: [non_empty_domain] Function non-applicable to arrays with heterogenous dimensions");
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_EQ(tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, found, &is_empty), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain_from_name(ctx, array, "i", found, &is_empty), TILEDB_ERR);
  CHECK_EQ(tiledb_array_get_non_empty_domain(ctx, array, found, &is_empty), TILEDB_ERR);
  close_array(ctx, &array);
}

TEST_WITH(ctx, file_uris_without_a_path_are_invalid) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_array_t* array = NULL;
  CHECK_FAILS(ctx, tiledb_array_create(ctx, "file://array", schema), "Failed to construct valid URI");
  CHECK_FAILS(ctx, tiledb_array_alloc(ctx, "file://array", &array), "Failed to construct valid URI");
  CHECK_FAILS(ctx, tiledb_array_create(ctx, "://x", schema), "Failed to construct valid URI");
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, metadata_requires_key_and_type_and_deleting_a_missing_key_succeeds) {
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  const int32_t one = 1;
  uint64_t num = 9;
  CHECK_OK(ctx, tiledb_array_delete_metadata(ctx, array, "never was"));
  CHECK_ERROR(
      ctx, tiledb_array_delete_metadata(ctx, array, NULL), "Array: Cannot delete metadata. Key cannot be null");
  CHECK_ERROR(
      ctx, tiledb_array_put_metadata(ctx, array, NULL, TILEDB_INT32, 1, &one),
      "Array: Cannot put metadata; Key cannot be null");
  CHECK_ERROR(
      ctx, tiledb_array_put_metadata(ctx, array, "any", TILEDB_ANY, 1, &one),
      "Array: Cannot put metadata; Value type cannot be ANY");
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "", TILEDB_INT32, 1, &one));
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "nothing", TILEDB_INT32, 1, NULL));
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "empty", TILEDB_STRING_UTF8, 0, &one));
  CHECK_ERROR(
      ctx, tiledb_array_get_metadata_num(ctx, array, &num),
      "Array: Cannot get number of metadata; Array was not opened in read mode");
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  const char* keys[3] = {"", "empty", "nothing"};
  CHECK_OK(ctx, tiledb_array_get_metadata_num(ctx, array, &num));
  CHECK_EQ(num, 3);
  for (uint64_t i = 0; i < 3; i++) {
    const char* key = NULL;
    const void* value = NULL;
    uint32_t length = 0, value_num = 9;
    tiledb_datatype_t type = TILEDB_ANY;
    CHECK_OK(
        ctx, tiledb_array_get_metadata_from_index(ctx, array, i, &key, &length, &type, &value_num, &value));
    CHECK_EQ(length, strlen(keys[i]));
    CHECK(memcmp(key, keys[i], length) == 0);
    CHECK_EQ(value_num, 1);
    CHECK_EQ(value == NULL, i > 0);
    CHECK_EQ(type, i == 1 ? TILEDB_STRING_UTF8 : TILEDB_INT32);
  }
  tiledb_datatype_t type = TILEDB_FLOAT64;
  int32_t has = 9;
  CHECK_OK(ctx, tiledb_array_has_metadata_key(ctx, array, "none", &type, &has));
  CHECK_EQ(has, 0);
  CHECK_EQ(type, TILEDB_FLOAT64);
  CHECK_EQ(tiledb_array_put_metadata(ctx, array, "k", TILEDB_INT32, 1, &one), TILEDB_ERR);
  CHECK_EQ(tiledb_array_delete_metadata(ctx, array, "empty"), TILEDB_ERR);
  close_array(ctx, &array);
}

/* Removes a folder with its content. */
static void remove_below(const char* uri, const char* folder) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", uri, folder);
  nftw(path, harness_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* Object stores have no empty folders, so they are missing in a copy. */
TEST_WITH(ctx, arrays_without_empty_folders_can_be_opened) {
  static const char* const folders[] = {"__fragments", "__commits", "__meta", "__fragment_meta", "__labels"};
  tiledb_object_t kind = TILEDB_GROUP;
  tiledb_array_schema_t* schema = NULL;
  const int32_t box[4] = {1, 1, 1, 1};
  int32_t value = 5, back = 0;
  uint64_t size = sizeof value;
  char uri[128];
  if (on_object_store()) return;
  create_with(ctx, new_number_schema(ctx), uri);
  for (int i = 0; i < 5; i++) remove_below(uri, folders[i]);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", &value, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  remove_below(uri, "__schema/__enumerations");
  array = open_array(ctx, uri, TILEDB_READ);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", &back, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(back, 5);
  tiledb_query_free(&query);
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  remove_below(uri, "__schema");
  CHECK_FAILS(ctx, tiledb_array_open(ctx, array, TILEDB_READ), "does not exist");
  CHECK_EQ(tiledb_array_schema_load(ctx, uri, &schema), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_object_type(ctx, uri, &kind));
  CHECK_EQ(kind, TILEDB_INVALID);
  tiledb_array_free(&array);
}

TEST_WITH(ctx, query_types_must_match_the_mode_of_the_array) {
  const int32_t box[4] = {1, 1, 1, 1};
  int32_t value = 5;
  uint64_t size = sizeof value;
  char uri[128];
  tiledb_query_t* other = NULL;
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_EQ(tiledb_array_reopen(ctx, array), TILEDB_ERR);
  CHECK_EQ(tiledb_array_open(ctx, array, TILEDB_READ), TILEDB_ERR);
  CHECK_EQ(tiledb_query_alloc(ctx, array, TILEDB_READ, &other), TILEDB_ERR);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", &value, &size));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  CHECK_EQ(tiledb_query_submit(ctx, query), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_EQ(tiledb_array_reopen(ctx, array), TILEDB_ERR);
  CHECK_EQ(tiledb_query_alloc(ctx, array, TILEDB_READ, &other), TILEDB_ERR);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
}

/* A subarray without its own configuration rejects the range. */
TEST(ranges_out_of_bounds_are_cropped_or_rejected_as_configured) {
  enum { NOWHERE, IN_SUBARRAY, IN_CONTEXT };
  tiledb_ctx_t* plain = new_context();
  tiledb_config_t* config = config_with("sm.read_range_oob", "error");
  char uri[128];
  create_with(plain, new_number_schema(plain), uri);
  for (int where = NOWHERE; where <= IN_CONTEXT; where++) {
    for (int writing = 0; writing < 2; writing++) {
      tiledb_ctx_t* ctx = where == IN_CONTEXT ? context_with("sm.read_range_oob", "error") : new_context();
      tiledb_array_t* array = open_array(ctx, uri, writing ? TILEDB_WRITE : TILEDB_READ);
      const int32_t low = 0, high = 9;
      tiledb_subarray_t* subarray = new_subarray(ctx, array);
      if (where == IN_SUBARRAY) CHECK_OK(ctx, tiledb_subarray_set_config(ctx, subarray, config));
      CHECK_ERROR(
          ctx, tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL),
          "Subarray: Cannot add range to dimension 'row'; Range [0, 9] is out of domain bounds [1, 4]");
      tiledb_subarray_free(&subarray);
      close_array(ctx, &array);
      tiledb_ctx_free(&ctx);
    }
  }
  set_param(config, "sm.read_range_oob", "warn");
  for (int writing = 0; writing < 2; writing++) {
    tiledb_array_t* array = open_array(plain, uri, writing ? TILEDB_WRITE : TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(plain, array);
    const int32_t low = 0, high = 9;
    const void *first = NULL, *last = NULL, *stride = NULL;
    CHECK_OK(plain, tiledb_subarray_set_config(plain, subarray, config));
    CHECK_OK(plain, tiledb_subarray_add_range(plain, subarray, 0, &low, &high, NULL));
    CHECK_OK(plain, tiledb_subarray_get_range(plain, subarray, 0, 0, &first, &last, &stride));
    CHECK(*(const int32_t*)first == 1 && *(const int32_t*)last == ROWS);
    tiledb_subarray_free(&subarray);
    close_array(plain, &array);
  }
  tiledb_ctx_t* ctx = context_with("sm.read_range_oob", "nonsense");
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = NULL;
  CHECK_ERROR(
      ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query),
      "Subarray: [set_config] Invalid value nonsense for sm.read_range_obb. Acceptable values are 'error' or 'warn'.");
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
  tiledb_config_free(&config);
  tiledb_ctx_free(&plain);
}
