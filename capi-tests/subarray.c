/* Subarrays: adding, counting and reading back ranges, and errors. */
#include "arrays.h"

/* Returns an open array of new_number_schema. */
static tiledb_array_t* fresh_array(tiledb_ctx_t* ctx, tiledb_query_type_t type) {
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  return open_array(ctx, uri, type);
}

static void range_is(
    tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, uint32_t dimension, uint64_t i, int32_t first, int32_t last) {
  const void *start = NULL, *end = NULL, *stride = "";
  int32_t value = 0;
  CHECK_OK(ctx, tiledb_subarray_get_range(ctx, subarray, dimension, i, &start, &end, &stride));
  memcpy(&value, start, sizeof value);
  CHECK_EQ(value, first);
  memcpy(&value, end, sizeof value);
  CHECK_EQ(value, last);
  CHECK(stride == NULL);
}

TEST_WITH(ctx, a_new_subarray_is_the_whole_domain) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  uint64_t number = 0;
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
  CHECK_EQ(number, 1);
  range_is(ctx, subarray, 0, 0, 1, ROWS);
  range_is(ctx, subarray, 1, 0, 1, COLUMNS);
  tiledb_subarray_free(&subarray);
  CHECK(subarray == NULL);
  close_array(ctx, &array);
}

TEST_WITH(ctx, ranges_come_back_in_the_order_they_were_added) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t ranges[] = {5, 6, 1, 2, 4, 4};
  const void *start = NULL, *end = NULL, *stride = NULL;
  uint64_t number = 0;
  int32_t value = 0;
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &ranges[0], &ranges[1], NULL));
  CHECK_OK(ctx, tiledb_subarray_add_range_by_name(ctx, subarray, "column", &ranges[2], &ranges[3], NULL));
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &ranges[4], &ranges[5], NULL));
  CHECK_OK(ctx, tiledb_subarray_get_range_num_from_name(ctx, subarray, "column", &number));
  CHECK_EQ(number, 3);
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
  CHECK_EQ(number, 1);
  range_is(ctx, subarray, 1, 0, 5, 6);
  range_is(ctx, subarray, 1, 1, 1, 2);
  range_is(ctx, subarray, 1, 2, 4, 4);
  CHECK_OK(ctx, tiledb_subarray_get_range_from_name(ctx, subarray, "column", 1, &start, &end, &stride));
  memcpy(&value, end, sizeof value);
  CHECK_EQ(value, 2);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, adjacent_ranges_are_united_by_default) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  const int32_t ranges[] = {1, 2, 3, 4, 6, 6};
  uint64_t number = 0;
  for (int coalesce = 1; coalesce >= 0; coalesce--) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_set_coalesce_ranges(ctx, subarray, coalesce));
    for (int i = 0; i < 6; i += 2)
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &ranges[i], &ranges[i + 1], NULL));
    CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 1, &number));
    CHECK_EQ(number, coalesce ? 2 : 3);
    range_is(ctx, subarray, 1, 0, 1, coalesce ? 4 : 2);
    tiledb_subarray_free(&subarray);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, merging_of_adjacent_ranges_cannot_be_set_after_a_range) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  const int32_t ends[2] = {1, 2};
  for (int coalesce = 0; coalesce < 2; coalesce++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &ends[0], &ends[1], NULL));
    CHECK_ERROR(
        ctx, tiledb_subarray_set_coalesce_ranges(ctx, subarray, coalesce),
        "Subarray: non-default ranges have been set, cannot change coalesce_ranges setting!");
    tiledb_subarray_free(&subarray);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, points_are_ranges_of_one_cell) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t points[] = {2, 4, 1}, outside[] = {2, 5};
  uint64_t number = 0;
  CHECK_OK(ctx, tiledb_subarray_add_point_ranges(ctx, subarray, 0, points, 3));
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
  CHECK_EQ(number, 3);
  range_is(ctx, subarray, 0, 1, 4, 4);
  range_is(ctx, subarray, 0, 2, 1, 1);
  CHECK_EQ(tiledb_subarray_add_point_ranges(ctx, subarray, 5, outside, 2), TILEDB_ERR);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, points_of_texts_are_ranges_too) {
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "t"), NULL);
  const uint64_t starts[] = {0, 1, 3};
  const char* texts[] = {"a", "bb", "ccc"};
  uint64_t number = 0, sizes[2];
  char uri[128];
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, tiledb_subarray_add_point_ranges_var(ctx, subarray, 0, "abbccc", 6, starts, 3));
  /* A list of zero points adds nothing. */
  CHECK_OK(ctx, tiledb_subarray_add_point_ranges_var(ctx, subarray, 0, "abbccc", 6, starts, 0));
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
  CHECK_EQ(number, 3);
  for (uint64_t i = 0; i < number; i++) {
    char first[8] = "", last[8] = "";
    CHECK_OK(ctx, tiledb_subarray_get_range_var_size(ctx, subarray, 0, i, &sizes[0], &sizes[1]));
    CHECK_EQ(sizes[0], strlen(texts[i]));
    CHECK_EQ(sizes[1], strlen(texts[i]));
    CHECK_OK(ctx, tiledb_subarray_get_range_var(ctx, subarray, 0, i, first, last));
    CHECK_TEXT(first, texts[i]);
    CHECK_TEXT(last, texts[i]);
  }
  CHECK_ERROR(
      ctx, tiledb_subarray_add_point_ranges_var(ctx, subarray, 1, "abbccc", 6, starts, 3),
      "Subarray: Cannot add range; Invalid dimension index");
  CHECK_ERROR(
      ctx, tiledb_subarray_add_point_ranges_var(ctx, subarray, 0, NULL, 6, starts, 3),
      "Subarray: Cannot add ranges; Invalid start pointer");
  CHECK_ERROR(
      ctx, tiledb_subarray_add_point_ranges_var(ctx, subarray, 0, "abc", 3, NULL, 1),
      "Subarray: Cannot add ranges; Invalid start pointer");
  CHECK_FAILS(
      ctx, tiledb_subarray_add_point_ranges(ctx, subarray, 0, "abc", 3),
      "Cannot add range; Range must be fixed-sized. If you want to add a variable-sized range, use the add_range_var() "
      "instead");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
  array = fresh_array(ctx, TILEDB_READ);
  subarray = new_subarray(ctx, array);
  CHECK_FAILS(
      ctx, tiledb_subarray_add_point_ranges_var(ctx, subarray, 0, "abbccc", 6, starts, 3),
      "Cannot add range; Range must be variable-sized");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, string_ranges_are_added_and_returned_by_name) {
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "t"), NULL);
  const void *first = NULL, *last = NULL, *stride = NULL;
  uint64_t number = 0, sizes[2] = {9, 9};
  char uri[128], low[8] = "", high[8] = "";
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, tiledb_subarray_get_range_var_size_from_name(ctx, subarray, "t", 0, &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 0 && sizes[1] == 0);
  CHECK_OK(ctx, tiledb_subarray_add_range_var_by_name(ctx, subarray, "t", "a", 1, "bcd", 3));
  CHECK_OK(ctx, tiledb_subarray_get_range_num_from_name(ctx, subarray, "t", &number));
  CHECK_EQ(number, 1);
  CHECK_OK(ctx, tiledb_subarray_get_range_var_size_from_name(ctx, subarray, "t", 0, &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 1 && sizes[1] == 3);
  CHECK_OK(ctx, tiledb_subarray_get_range_var_from_name(ctx, subarray, "t", 0, low, high));
  CHECK_TEXT(low, "a");
  CHECK_TEXT(high, "bcd");
  CHECK_ERROR(ctx, tiledb_subarray_add_range_var_by_name(ctx, subarray, "unknown", "a", 1, "b", 1),
              "TileDB internal: Cannot get dimension index; Invalid dimension name");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var_from_name(ctx, subarray, "unknown", 0, low, high),
              "TileDB internal: Cannot get dimension index; Invalid dimension name");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var_from_name(ctx, subarray, "t", 1, low, high),
              "Subarray: Cannot get var range size; Invalid range index");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var_size_from_name(ctx, subarray, "t", 1, &sizes[0], &sizes[1]),
              "Subarray: Cannot get var range size; Invalid range index");
  CHECK_EQ(tiledb_subarray_get_range_from_name(ctx, subarray, "t", 1, &first, &last, &stride), TILEDB_ERR);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, set_subarray_sets_all_ranges) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t box[4] = {2, 3, 4, 5}, reversed[4] = {3, 2, 4, 5};
  CHECK_OK(ctx, tiledb_subarray_set_subarray(ctx, subarray, box));
  range_is(ctx, subarray, 0, 0, 2, 3);
  range_is(ctx, subarray, 1, 0, 4, 5);
  CHECK_ERROR(ctx, tiledb_subarray_set_subarray(ctx, subarray, reversed),
              "TileDB internal: Lower range bound 3 cannot be larger than the higher bound 2");
  CHECK_OK(ctx, tiledb_subarray_set_subarray(ctx, subarray, NULL));
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

static void set_bounds(tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, const char* what) {
  tiledb_config_t* config = config_with("sm.read_range_oob", what);
  CHECK_OK(ctx, tiledb_subarray_set_config(ctx, subarray, config));
  tiledb_config_free(&config);
}

TEST_WITH(ctx, a_range_out_of_bounds_is_cropped_when_the_config_is_given) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t range[2] = {-5, 100};
  set_bounds(ctx, subarray, "warn");
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL));
  range_is(ctx, subarray, 0, 0, 1, ROWS);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_range_out_of_bounds_is_an_error_otherwise) {
  tiledb_array_t *array = fresh_array(ctx, TILEDB_READ), *written = fresh_array(ctx, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t range[2] = {3, 100};
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL),
              "Subarray: Cannot add range to dimension 'row'; Range [3, 100] is out of domain bounds [1, 4]");
  set_bounds(ctx, subarray, "error");
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL),
              "Subarray: Cannot add range to dimension 'row'; Range [3, 100] is out of domain bounds [1, 4]");
  CHECK_ERROR(ctx, tiledb_subarray_add_range_by_name(ctx, subarray, "row", &range[0], &range[1], NULL),
              "Subarray: Cannot add range to dimension 'row'; Range [3, 100] is out of domain bounds [1, 4]");
  tiledb_subarray_free(&subarray);
  subarray = new_subarray(ctx, written);
  CHECK_EQ(tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL), TILEDB_ERR);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
  close_array(ctx, &written);
}

TEST_WITH(ctx, a_range_of_reals_out_of_bounds_is_printed_with_six_digits) {
  const char* uri = scratch();
  const double domain[2] = {0.25, 12345678}, tile = 5, range[2] = {0.1, 100}, small[2] = {0.00001, 3};
  tiledb_attribute_t* attribute = NULL;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain_of_array = NULL;
  tiledb_array_schema_t* schema = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "x", TILEDB_FLOAT64, domain, &tile, &dimension));
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain_of_array));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain_of_array, dimension));
  CHECK_OK(ctx, tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain_of_array));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain_of_array);
  tiledb_dimension_free(&dimension);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  set_bounds(ctx, subarray, "error");
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL),
              "Subarray: Cannot add range to dimension 'x'; Range [0.1, 100] is out of domain bounds [0.25, 1.23457e+07]");
  CHECK_ERROR(ctx, tiledb_subarray_add_range_by_name(ctx, subarray, "x", &small[0], &small[1], NULL),
              "Subarray: Cannot add range to dimension 'x'; Range [1e-05, 3] is out of domain bounds [0.25, 1.23457e+07]");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, invalid_and_unsuitable_ranges_are_rejected) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t one = 1, two = 2, stride = 1;
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &two, &one, NULL),
              "TileDB internal: Lower range bound 2 cannot be larger than the higher bound 1");
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &one, &two, &stride),
              "C API: Stride is currently unsupported");
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, NULL, &two, NULL),
              "Subarray: Cannot add range; Invalid range");
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &one, NULL, NULL),
              "Subarray: Cannot add range; Invalid range");
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, subarray, 2, &one, &two, NULL),
              "Subarray: Cannot add range; Invalid dimension index");
  CHECK_ERROR(ctx, tiledb_subarray_add_range_by_name(ctx, subarray, "unknown", &one, &two, NULL),
              "TileDB internal: Cannot get dimension index; Invalid dimension name");
  CHECK_ERROR(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, "a", 1, "b", 1),
              "Subarray: Cannot add range; Range must be variable-sized");
  CHECK_ERROR(ctx, tiledb_subarray_add_range_var_by_name(ctx, subarray, "row", "a", 1, "b", 1),
              "Subarray: Cannot add range; Range must be variable-sized");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, unknown_ranges_are_errors) {
  tiledb_array_t* array = fresh_array(ctx, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const void *start = NULL, *end = NULL, *stride = NULL;
  uint64_t number = 0, other = 0;
  char text[8];
  CHECK_ERROR(ctx, tiledb_subarray_get_range(ctx, subarray, 0, 1, &start, &end, &stride),
              "Subarray: Cannot get range; Invalid range index");
  CHECK_ERROR(ctx, tiledb_subarray_get_range(ctx, subarray, 2, 0, &start, &end, &stride),
              "Subarray: Cannot get range; Invalid dimension index");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_from_name(ctx, subarray, "unknown", 0, &start, &end, &stride),
              "TileDB internal: Cannot get dimension index; Invalid dimension name");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_num(ctx, subarray, 2, &number),
              "Subarray: Cannot get number of ranges for a dimension; Invalid dimension index 2 requested, 1 max "
              "avail.");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_num_from_name(ctx, subarray, "unknown", &number),
              "TileDB internal: Cannot get dimension index; Invalid dimension name");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var_size(ctx, subarray, 0, 0, &number, &other),
              "Subarray: Cannot get var range size; Dimension row is not var sized");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var_size_from_name(ctx, subarray, "row", 0, &number, &other),
              "Subarray: Cannot get var range size; Dimension row is not var sized");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var(ctx, subarray, 0, 0, text, text),
              "Subarray: Cannot get var range size; Dimension row is not var sized");
  CHECK_ERROR(ctx, tiledb_subarray_get_range_var_from_name(ctx, subarray, "row", 0, text, text),
              "Subarray: Cannot get var range size; Dimension row is not var sized");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, wrong_arguments_of_subarrays_are_errors) {
  char uri[128];
  tiledb_array_t *array = fresh_array(ctx, TILEDB_READ), *closed = NULL;
  tiledb_subarray_t *subarray = new_subarray(ctx, array), *other = NULL;
  const int32_t one = 1;
  const void *start = NULL, *end = NULL, *stride = NULL;
  uint64_t number = 0;
  CHECK_EQ(tiledb_subarray_alloc(NULL, array, &other), TILEDB_INVALID_CONTEXT);
  CHECK_ERROR(ctx, tiledb_subarray_alloc(ctx, NULL, &other), "C API: Invalid TileDB array object");
  CHECK_EQ(tiledb_subarray_alloc(ctx, array, NULL), TILEDB_ERR);
  create_with(ctx, new_number_schema(ctx), uri);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &closed));
  CHECK_ERROR(ctx, tiledb_subarray_alloc(ctx, closed, &other), "C API: Cannot create subarray; array is not open");
  CHECK(other == NULL);
  tiledb_array_free(&closed);
  CHECK_ERROR(ctx, tiledb_subarray_add_range(ctx, NULL, 0, &one, &one, NULL),
              "C API: Invalid TileDB subarray object");
  CHECK_EQ(tiledb_subarray_add_range_by_name(ctx, NULL, "row", &one, &one, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_add_range_by_name(ctx, subarray, NULL, &one, &one, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_add_point_ranges(ctx, NULL, 0, &one, 1), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_get_range(ctx, NULL, 0, 0, &start, &end, &stride), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_get_range(ctx, subarray, 0, 0, NULL, &end, &stride), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_get_range(ctx, subarray, 0, 0, &start, NULL, &stride), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_get_range_num(ctx, NULL, 0, &number), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_get_range_num(ctx, subarray, 0, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_get_range_num_from_name(ctx, subarray, NULL, &number), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_set_config(ctx, NULL, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_set_coalesce_ranges(ctx, NULL, 1), TILEDB_ERR);
  CHECK_EQ(tiledb_subarray_set_subarray(ctx, NULL, &one), TILEDB_ERR);
  tiledb_subarray_free(&subarray);
  tiledb_subarray_free(NULL);
  close_array(ctx, &array);
}
