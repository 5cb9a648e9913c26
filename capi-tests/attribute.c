/*
 * Attributes: setters and getters, and the rules for type, number of values, nulls and fill value.
 */
#include "arrays.h"

static const tiledb_datatype_t fixed_types[] = {
    TILEDB_INT32, TILEDB_INT64, TILEDB_FLOAT32, TILEDB_FLOAT64, TILEDB_CHAR, TILEDB_INT8, TILEDB_UINT8, TILEDB_INT16,
    TILEDB_UINT16, TILEDB_UINT32, TILEDB_UINT64, TILEDB_STRING_ASCII, TILEDB_STRING_UTF8, TILEDB_STRING_UTF16,
    TILEDB_STRING_UTF32, TILEDB_STRING_UCS2, TILEDB_STRING_UCS4, TILEDB_DATETIME_YEAR, TILEDB_DATETIME_MONTH,
    TILEDB_DATETIME_WEEK, TILEDB_DATETIME_DAY, TILEDB_DATETIME_HR, TILEDB_DATETIME_MIN, TILEDB_DATETIME_SEC,
    TILEDB_DATETIME_MS, TILEDB_DATETIME_US, TILEDB_DATETIME_NS, TILEDB_DATETIME_PS, TILEDB_DATETIME_FS,
    TILEDB_DATETIME_AS, TILEDB_TIME_HR, TILEDB_TIME_MIN, TILEDB_TIME_SEC, TILEDB_TIME_MS, TILEDB_TIME_US,
    TILEDB_TIME_NS, TILEDB_TIME_PS, TILEDB_TIME_FS, TILEDB_TIME_AS, TILEDB_BLOB, TILEDB_BOOL, TILEDB_GEOM_WKB,
    TILEDB_GEOM_WKT};
enum { TYPES = sizeof fixed_types / sizeof *fixed_types };

TEST_WITH(ctx, new_attributes_have_one_value_and_no_nulls) {
  for (int i = 0; i < TYPES; i++) {
    tiledb_attribute_t* attribute = new_attribute(ctx, "a", fixed_types[i]);
    tiledb_filter_list_t* filters = NULL;
    tiledb_datatype_t type = TILEDB_ANY;
    uint32_t number = 0, filter_number = 9;
    uint64_t size = 0;
    uint8_t nullable = 9;
    const char* name = NULL;
    CHECK_OK(ctx, tiledb_attribute_get_name(ctx, attribute, &name));
    CHECK_TEXT(name, "a");
    CHECK_OK(ctx, tiledb_attribute_get_type(ctx, attribute, &type));
    CHECK_EQ(type, fixed_types[i]);
    CHECK_OK(ctx, tiledb_attribute_get_cell_val_num(ctx, attribute, &number));
    CHECK_EQ(number, 1);
    CHECK_OK(ctx, tiledb_attribute_get_cell_size(ctx, attribute, &size));
    CHECK_EQ(size, tiledb_datatype_size(type));
    CHECK_OK(ctx, tiledb_attribute_get_nullable(ctx, attribute, &nullable));
    CHECK_EQ(nullable, 0);
    CHECK_OK(ctx, tiledb_attribute_get_filter_list(ctx, attribute, &filters));
    CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, filters, &filter_number));
    CHECK_EQ(filter_number, 0);
    tiledb_filter_list_free(&filters);
    tiledb_attribute_free(&attribute);
    CHECK(attribute == NULL);
  }
}

/* Checks the fill value of new attributes of a type. */
static void check_fill_value(tiledb_ctx_t* ctx, tiledb_datatype_t type, const void* expected, uint64_t expected_size) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", type);
  const void* value = NULL;
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_attribute_get_fill_value(ctx, attribute, &value, &size));
  CHECK_EQ(size, expected_size);
  CHECK(memcmp(value, expected, size) == 0);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, each_type_has_a_default_fill_value) {
  const int8_t int8 = INT8_MIN;
  const int16_t int16 = INT16_MIN;
  const int32_t int32 = INT32_MIN;
  const int64_t int64 = INT64_MIN;
  const uint64_t all_ones = UINT64_MAX, zero = 0;
  check_fill_value(ctx, TILEDB_INT8, &int8, 1);
  check_fill_value(ctx, TILEDB_INT16, &int16, 2);
  check_fill_value(ctx, TILEDB_INT32, &int32, 4);
  check_fill_value(ctx, TILEDB_INT64, &int64, 8);
  check_fill_value(ctx, TILEDB_UINT8, &all_ones, 1);
  check_fill_value(ctx, TILEDB_BOOL, &zero, 1);
  check_fill_value(ctx, TILEDB_UINT16, &all_ones, 2);
  check_fill_value(ctx, TILEDB_UINT32, &all_ones, 4);
  check_fill_value(ctx, TILEDB_UINT64, &all_ones, 8);
  check_fill_value(ctx, TILEDB_CHAR, &int8, 1);
  check_fill_value(ctx, TILEDB_BLOB, &zero, 1);
  check_fill_value(ctx, TILEDB_GEOM_WKB, &zero, 1);
  check_fill_value(ctx, TILEDB_STRING_ASCII, &zero, 1);
  check_fill_value(ctx, TILEDB_STRING_UTF8, &zero, 1);
  check_fill_value(ctx, TILEDB_STRING_UTF16, &zero, 2);
  check_fill_value(ctx, TILEDB_STRING_UCS4, &zero, 4);
  check_fill_value(ctx, TILEDB_DATETIME_NS, &int64, 8);
  check_fill_value(ctx, TILEDB_TIME_AS, &int64, 8);
}

TEST_WITH(ctx, fill_values_of_floating_point_numbers_are_nan) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_FLOAT64);
  const void* value = NULL;
  double real = 0;
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_attribute_get_fill_value(ctx, attribute, &value, &size));
  CHECK_EQ(size, sizeof real);
  memcpy(&real, value, sizeof real);
  CHECK(real != real);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, the_number_of_values_resets_the_fill_value) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  const int32_t seven = 7, pair[2] = {8, 9}, fill[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
  const void* value = NULL;
  uint64_t size = 0;
  uint32_t number = 0;
  CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, &seven, sizeof seven));
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, 3));
  CHECK_OK(ctx, tiledb_attribute_get_fill_value(ctx, attribute, &value, &size));
  CHECK_EQ(size, sizeof fill);
  CHECK(memcmp(value, fill, sizeof fill) == 0);
  CHECK_OK(ctx, tiledb_attribute_get_cell_size(ctx, attribute, &size));
  CHECK_EQ(size, 12);
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value(ctx, attribute, &seven, sizeof seven),
              "Attribute: Cannot set fill value; Input size is not the same as cell size");
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
  CHECK_OK(ctx, tiledb_attribute_get_cell_val_num(ctx, attribute, &number));
  CHECK_EQ(number, TILEDB_VAR_NUM);
  CHECK_OK(ctx, tiledb_attribute_get_cell_size(ctx, attribute, &size));
  CHECK(size == UINT64_MAX);
  CHECK_OK(ctx, tiledb_attribute_get_fill_value(ctx, attribute, &value, &size));
  CHECK_EQ(size, sizeof(int32_t));
  CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, pair, sizeof pair));
  CHECK_OK(ctx, tiledb_attribute_get_fill_value(ctx, attribute, &value, &size));
  CHECK_EQ(size, sizeof pair);
  CHECK(memcmp(value, pair, sizeof pair) == 0);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, fill_values_are_checked) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  const int32_t seven[2] = {7, 8};
  const void* value = NULL;
  uint64_t size = 0;
  uint8_t valid = 9;
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value(ctx, attribute, NULL, 4),
              "Attribute: Cannot set fill value; Input value cannot be null");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value(ctx, attribute, seven, 0),
              "Attribute: Cannot set fill value; Input size cannot be 0");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value(ctx, attribute, seven, 3),
              "Attribute: Cannot set fill value; Input size is not the same as cell size");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value(ctx, attribute, seven, 8),
              "Attribute: Cannot set fill value; Input size is not the same as cell size");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value_nullable(ctx, attribute, seven, 4, 1),
              "Attribute: Cannot set fill value; Attribute is not nullable");
  CHECK_ERROR(ctx, tiledb_attribute_get_fill_value_nullable(ctx, attribute, &value, &size, &valid),
              "Attribute: Cannot get fill value; Attribute is not nullable");
  CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, 1));
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value(ctx, attribute, seven, 4),
              "Attribute: Cannot set fill value; Attribute is nullable");
  CHECK_ERROR(ctx, tiledb_attribute_get_fill_value(ctx, attribute, &value, &size),
              "Attribute: Cannot get fill value; Attribute is nullable");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value_nullable(ctx, attribute, NULL, 4, 1),
              "Attribute: Cannot set fill value; Input value cannot be null");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value_nullable(ctx, attribute, seven, 0, 1),
              "Attribute: Cannot set fill value; Input size cannot be 0");
  CHECK_ERROR(ctx, tiledb_attribute_set_fill_value_nullable(ctx, attribute, seven, 5, 1),
              "Attribute: Cannot set fill value; Input size is not the same as cell size");
  CHECK_EQ(tiledb_attribute_get_fill_value_nullable(ctx, attribute, NULL, &size, &valid), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_fill_value_nullable(ctx, attribute, &value, NULL, &valid), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_fill_value_nullable(ctx, attribute, &value, &size, NULL), TILEDB_ERR);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, nullability_keeps_the_fill_value_and_makes_it_null) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  const int32_t seven = 7, eight = 8;
  const void* value = NULL;
  uint64_t size = 0;
  uint8_t valid = 9, nullable = 0;
  CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, &seven, sizeof seven));
  CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, 5));
  CHECK_OK(ctx, tiledb_attribute_get_nullable(ctx, attribute, &nullable));
  CHECK_EQ(nullable, 1);
  CHECK_OK(ctx, tiledb_attribute_get_fill_value_nullable(ctx, attribute, &value, &size, &valid));
  CHECK_EQ(size, sizeof seven);
  CHECK(memcmp(value, &seven, size) == 0);
  CHECK_EQ(valid, 0);
  CHECK_OK(ctx, tiledb_attribute_set_fill_value_nullable(ctx, attribute, &eight, sizeof eight, 1));
  CHECK_OK(ctx, tiledb_attribute_get_fill_value_nullable(ctx, attribute, &value, &size, &valid));
  CHECK(memcmp(value, &eight, size) == 0);
  CHECK_EQ(valid, 1);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, the_type_any_is_always_of_variable_size) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_ANY);
  uint32_t number = 0;
  CHECK_OK(ctx, tiledb_attribute_get_cell_val_num(ctx, attribute, &number));
  CHECK_EQ(number, TILEDB_VAR_NUM);
  CHECK_ERROR(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, 1),
              "Attribute: Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized");
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, a_cell_has_at_least_one_value) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  CHECK_ERROR(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, 0),
              "Attribute: Cannot set zero values per cell");
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, unusual_names_are_accepted) {
  static const char* const names[] = {"", "__reserved", "\xc3\xa9t\xc3\xa9", "a b/c\\d:e*f?\"<>|%20", "."};
  for (int i = 0; i < 5; i++) {
    tiledb_attribute_t* attribute = new_attribute(ctx, names[i], TILEDB_INT32);
    const char* name = NULL;
    CHECK_OK(ctx, tiledb_attribute_get_name(ctx, attribute, &name));
    CHECK_TEXT(name, names[i]);
    tiledb_attribute_free(&attribute);
  }
}

static void check_dump(tiledb_ctx_t* ctx, tiledb_attribute_t* attribute, const char* expected) {
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_attribute_dump_str(ctx, attribute, &text));
  CHECK_TEXT(text_of(&text), expected);
}

TEST_WITH(ctx, dumps_list_the_properties_of_an_attribute) {
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  const int32_t pair[2] = {-8, 9};
  check_dump(ctx, attribute,
        "### Attribute ###\n- Name: a\n- Type: INT32\n- Nullable: false\n- Cell val num: 1\n- Filters: 0\n"
        "- Fill value: -2147483648\n");
  CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, 1));
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, 2));
  CHECK_OK(ctx, tiledb_attribute_set_fill_value_nullable(ctx, attribute, pair, sizeof pair, 1));
  check_dump(ctx, attribute,
        "### Attribute ###\n- Name: a\n- Type: INT32\n- Nullable: true\n- Cell val num: 2\n- Filters: 0\n"
        "- Fill value: -8, 9\n- Fill value validity: 1\n");
  tiledb_attribute_free(&attribute);
  attribute = new_attribute(ctx, "", TILEDB_STRING_ASCII);
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
  CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, "none", 4));
  check_dump(ctx, attribute,
        "### Attribute ###\n- Name: \n- Type: STRING_ASCII\n- Nullable: false\n- Cell val num: var\n"
        "- Filters: 0\n- Fill value: n, o, n, e\n");
  tiledb_attribute_free(&attribute);
  attribute = new_attribute(ctx, "r", TILEDB_FLOAT64);
  check_dump(ctx, attribute,
        "### Attribute ###\n- Name: r\n- Type: FLOAT64\n- Nullable: false\n- Cell val num: 1\n- Filters: 0\n"
        "- Fill value: nan\n");
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, wrong_arguments_of_attributes_are_errors) {
  tiledb_attribute_t *attribute = new_attribute(ctx, "a", TILEDB_INT32), *other = NULL;
  tiledb_filter_list_t* filters = NULL;
  tiledb_string_t* text = NULL;
  tiledb_datatype_t type;
  const char* name = NULL;
  uint32_t number = 0;
  uint64_t size = 0;
  uint8_t nullable = 0;
  CHECK_EQ(tiledb_attribute_alloc(NULL, "a", TILEDB_INT32, &other), TILEDB_INVALID_CONTEXT);
  CHECK_ERROR(ctx, tiledb_attribute_alloc(ctx, NULL, TILEDB_INT32, &other),
              "C API: Argument \"name\" may not be NULL");
  CHECK_EQ(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_attribute_alloc(ctx, "a", (tiledb_datatype_t)200, &other),
              "TileDB internal: Invalid Datatype (200)");
  CHECK(other == NULL);
  CHECK_ERROR(ctx, tiledb_attribute_get_name(ctx, NULL, &name), "C API: Invalid TileDB attribute object");
  CHECK_EQ(tiledb_attribute_get_name(ctx, attribute, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_type(ctx, NULL, &type), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_type(ctx, attribute, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_cell_val_num(ctx, NULL, &number), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_cell_val_num(ctx, attribute, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_set_cell_val_num(ctx, NULL, 1), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_cell_size(ctx, NULL, &size), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_cell_size(ctx, attribute, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_nullable(ctx, NULL, &nullable), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_nullable(ctx, attribute, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_set_nullable(ctx, NULL, 1), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_filter_list(ctx, NULL, &filters), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_get_filter_list(ctx, attribute, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_attribute_set_filter_list(ctx, attribute, NULL),
              "C API: Invalid TileDB filter list object");
  CHECK_EQ(tiledb_attribute_set_filter_list(ctx, NULL, filters), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_dump_str(ctx, NULL, &text), TILEDB_ERR);
  CHECK_EQ(tiledb_attribute_dump_str(ctx, attribute, NULL), TILEDB_ERR);
  tiledb_attribute_free(&attribute);
  tiledb_attribute_free(NULL);
}
