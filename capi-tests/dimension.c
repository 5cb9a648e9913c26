/* Dimensions: domains and extents up to the limits of each type, and errors. */
#include "arrays.h"

/* Creates a dimension, which is freed, and returns the code. */
static int32_t make(tiledb_ctx_t* ctx, tiledb_datatype_t type, const void* bounds, const void* extent) {
  tiledb_dimension_t* dimension = NULL;
  int32_t code = tiledb_dimension_alloc(ctx, "d", type, bounds, extent, &dimension);
  if ((code == TILEDB_OK) != (dimension != NULL)) harness_fail(__FILE__, __LINE__, "code %d and handle disagree", (int)code);
  tiledb_dimension_free(&dimension);
  return code;
}

TEST_WITH(ctx, dimension_getters_return_what_was_set) {
  tiledb_dimension_t* dimension = NULL;
  const int64_t bounds[2] = {-10, 99}, extent = 11;
  const void* value = NULL;
  const char* name = NULL;
  tiledb_datatype_t type;
  uint32_t number = 0;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT64, bounds, &extent, &dimension));
  CHECK_OK(ctx, tiledb_dimension_get_name(ctx, dimension, &name));
  CHECK_TEXT(name, "d");
  CHECK_OK(ctx, tiledb_dimension_get_type(ctx, dimension, &type));
  CHECK_EQ(type, TILEDB_INT64);
  CHECK_OK(ctx, tiledb_dimension_get_domain(ctx, dimension, &value));
  CHECK(memcmp(value, bounds, sizeof bounds) == 0);
  CHECK_OK(ctx, tiledb_dimension_get_tile_extent(ctx, dimension, &value));
  CHECK(memcmp(value, &extent, sizeof extent) == 0);
  CHECK_OK(ctx, tiledb_dimension_get_cell_val_num(ctx, dimension, &number));
  CHECK_EQ(number, 1);
  tiledb_dimension_free(&dimension);
  CHECK(dimension == NULL);
}

TEST_WITH(ctx, every_integer_date_and_time_may_be_a_dimension) {
  static const tiledb_datatype_t types[] = {
      TILEDB_INT8, TILEDB_UINT8, TILEDB_INT16, TILEDB_UINT16, TILEDB_INT32, TILEDB_UINT32, TILEDB_INT64,
      TILEDB_UINT64};
  const int64_t small[2] = {1, 50}, extent = 7;
  for (int i = 0; i < 8; i++) {
    uint64_t size = tiledb_datatype_size(types[i]);
    char bounds[16];
    memcpy(bounds, &small[0], size);
    memcpy(bounds + size, &small[1], size);
    CHECK_OK(ctx, make(ctx, types[i], bounds, &extent));
  }
  for (int type = TILEDB_DATETIME_YEAR; type <= TILEDB_TIME_AS; type++)
    CHECK_OK(ctx, make(ctx, (tiledb_datatype_t)type, small, &extent));
}

TEST_WITH(ctx, other_types_are_rejected) {
  static const tiledb_datatype_t types[] = {
      TILEDB_CHAR, TILEDB_STRING_UTF8, TILEDB_STRING_UTF16, TILEDB_STRING_UTF32, TILEDB_STRING_UCS2,
      TILEDB_STRING_UCS4, TILEDB_ANY, TILEDB_BLOB, TILEDB_BOOL, TILEDB_GEOM_WKB, TILEDB_GEOM_WKT};
  const int64_t bounds[2] = {1, 50}, extent = 7;
  for (int i = 0; i < 11; i++) CHECK_EQ(make(ctx, types[i], bounds, &extent), TILEDB_ERR);
  CHECK_ERROR(ctx, make(ctx, TILEDB_CHAR, bounds, &extent),
              "TileDB internal: Datatype::CHAR is not a valid Dimension Datatype");
  CHECK_ERROR(ctx, make(ctx, TILEDB_ANY, bounds, &extent),
              "TileDB internal: Datatype::ANY is not a valid Dimension Datatype");
  CHECK_FAILS(ctx, make(ctx, (tiledb_datatype_t)99, bounds, &extent), "Invalid Datatype (99)");
}

TEST_WITH(ctx, small_types_reach_their_ends) {
  int8_t i8[2] = {INT8_MIN, INT8_MAX - 1}, i8_extent = 1;
  CHECK_OK(ctx, make(ctx, TILEDB_INT8, i8, NULL));
  CHECK_OK(ctx, make(ctx, TILEDB_INT8, i8, &i8_extent));
  i8_extent = 5;
  CHECK_OK(ctx, make(ctx, TILEDB_INT8, i8, &i8_extent));
  i8[1] = INT8_MAX;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT8, i8, NULL),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  i8_extent = 1;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT8, i8, &i8_extent),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  uint8_t u8[2] = {0, UINT8_MAX - 1}, u8_extent = 255;
  CHECK_OK(ctx, make(ctx, TILEDB_UINT8, u8, &u8_extent));
  u8[1] = UINT8_MAX;
  CHECK_ERROR(ctx, make(ctx, TILEDB_UINT8, u8, NULL),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  u8_extent = 16;
  CHECK_ERROR(ctx, make(ctx, TILEDB_UINT8, u8, &u8_extent),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  int16_t i16[2] = {INT16_MIN, INT16_MAX - 1}, i16_extent = 1000;
  CHECK_OK(ctx, make(ctx, TILEDB_INT16, i16, &i16_extent));
  i16[1] = INT16_MAX - 1000;
  CHECK_OK(ctx, make(ctx, TILEDB_INT16, i16, &i16_extent));
}

TEST_WITH(ctx, large_types_reach_their_ends) {
  int64_t i64[2] = {INT64_MIN, INT64_MAX}, i64_extent = 10;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT64, i64, NULL),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT64, i64, &i64_extent),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  i64[1] = INT64_MAX - 10;
  CHECK_OK(ctx, make(ctx, TILEDB_INT64, i64, &i64_extent));
  i64[0] = INT64_MAX - 30;
  CHECK_OK(ctx, make(ctx, TILEDB_INT64, i64, &i64_extent));
  i64[1] = INT64_MAX;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT64, i64, &i64_extent),
              "Dimension: Tile extent check failed; domain max expanded to multiple of tile extent exceeds max "
              "value representable by domain type. Reduce domain max by 1 tile extent to allow for expansion.");
  uint64_t u64[2] = {0, UINT64_MAX}, u64_extent = 10;
  CHECK_ERROR(ctx, make(ctx, TILEDB_UINT64, u64, NULL),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  CHECK_ERROR(ctx, make(ctx, TILEDB_UINT64, u64, &u64_extent),
              "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum "
              "unsigned number");
  u64[1] = UINT64_MAX - 10;
  CHECK_OK(ctx, make(ctx, TILEDB_UINT64, u64, &u64_extent));
  u64[1] = UINT64_MAX - 1;
  u64_extent = UINT64_MAX;
  CHECK_OK(ctx, make(ctx, TILEDB_UINT64, u64, &u64_extent));
}

TEST_WITH(ctx, invalid_dimensions_are_null) {
  const int32_t bounds[2] = {0, 10}, extent = 10000;
  char anything;
  tiledb_dimension_t* dimension = (tiledb_dimension_t*)&anything;
  CHECK_EQ(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, &extent, &dimension), TILEDB_ERR);
  CHECK(dimension == NULL);
}

TEST_WITH(ctx, bounds_and_extents_must_make_sense) {
  int32_t bounds[2] = {5, 4}, extent = 1;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT32, bounds, &extent),
              "Dimension: Domain check failed; Upper domain bound should not be smaller than the lower one");
  bounds[1] = 9;
  extent = 0;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT32, bounds, &extent),
              "Dimension: Tile extent check failed on dimension 'd'; Tile extent must not be 0");
  extent = -2;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT32, bounds, &extent),
              "Dimension: Tile extent check failed on dimension 'd'; Tile extent -2 exceeds range on dimension "
              "domain [5, 9]");
  extent = 6;
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT32, bounds, &extent),
              "Dimension: Tile extent check failed on dimension 'd'; Tile extent 6 exceeds range on dimension "
              "domain [5, 9]");
  extent = 5;
  CHECK_OK(ctx, make(ctx, TILEDB_INT32, bounds, &extent));
  CHECK_ERROR(ctx, make(ctx, TILEDB_INT32, NULL, &extent),
              "Dimension: Cannot set tile extent; Domain must be set first");
  uint32_t u_bounds[2] = {5, 9}, u_extent = 0;
  CHECK_ERROR(ctx, make(ctx, TILEDB_UINT32, u_bounds, &u_extent),
              "Dimension: Tile extent check failed on dimension 'd'; Tile extent must not be 0");
  int64_t dates[2] = {9, 5}, days = 1;
  CHECK_ERROR(ctx, make(ctx, TILEDB_DATETIME_DAY, dates, &days),
              "Dimension: Domain check failed; Upper domain bound should not be smaller than the lower one");
  dates[1] = 19;
  days = 12;
  CHECK_ERROR(ctx, make(ctx, TILEDB_DATETIME_DAY, dates, &days),
              "Dimension: Tile extent check failed on dimension 'd'; Tile extent 12 exceeds range on dimension "
              "domain [9, 19]");
}

TEST_WITH(ctx, floating_point_bounds_must_be_finite) {
  double bounds[2] = {-1, 1e308 * 10}, extent = 0.5;
  CHECK_ERROR(ctx, make(ctx, TILEDB_FLOAT64, bounds, &extent), "Dimension: Domain check failed; domain contains NaN");
  bounds[1] = bounds[1] - bounds[1];
  CHECK_ERROR(ctx, make(ctx, TILEDB_FLOAT64, bounds, &extent), "Dimension: Domain check failed; domain contains NaN");
  bounds[1] = 1;
  CHECK_OK(ctx, make(ctx, TILEDB_FLOAT64, bounds, &extent));
  CHECK_OK(ctx, make(ctx, TILEDB_FLOAT64, bounds, NULL));
  extent = 3;
  CHECK_OK(ctx, make(ctx, TILEDB_FLOAT64, bounds, &extent));
  extent = -1;
  CHECK_ERROR(ctx, make(ctx, TILEDB_FLOAT64, bounds, &extent),
              "Dimension: Tile extent check failed on dimension 'd'; Tile extent must be greater than 0");
  float f_bounds[2] = {2, 1}, f_extent = 1;
  CHECK_ERROR(ctx, make(ctx, TILEDB_FLOAT32, f_bounds, &f_extent),
              "Dimension: Domain check failed; Upper domain bound should not be smaller than the lower one");
}

TEST_WITH(ctx, text_has_no_domain) {
  tiledb_dimension_t* dimension = NULL;
  const void* value = "";
  uint32_t number = 0;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_STRING_ASCII, NULL, NULL, &dimension));
  CHECK_OK(ctx, tiledb_dimension_get_cell_val_num(ctx, dimension, &number));
  CHECK_EQ(number, TILEDB_VAR_NUM);
  CHECK_OK(ctx, tiledb_dimension_get_domain(ctx, dimension, &value));
  CHECK(value == NULL);
  value = "";
  CHECK_OK(ctx, tiledb_dimension_get_tile_extent(ctx, dimension, &value));
  CHECK(value == NULL);
  CHECK_ERROR(ctx, tiledb_dimension_set_cell_val_num(ctx, dimension, 4),
              "Dimension: Cannot set non-variable number of values per coordinate for a string dimension");
  CHECK_OK(ctx, tiledb_dimension_set_cell_val_num(ctx, dimension, TILEDB_VAR_NUM));
  tiledb_dimension_free(&dimension);
  CHECK_ERROR(ctx, make(ctx, TILEDB_STRING_ASCII, "ab", NULL),
              "Dimension: Setting the domain to a dimension with type 'STRING_ASCII' is not supported");
  CHECK_ERROR(ctx, make(ctx, TILEDB_STRING_ASCII, NULL, "a"),
              "Dimension: Setting the tile extent to a dimension with type 'STRING_ASCII' is not supported");
}

TEST_WITH(ctx, a_coordinate_is_one_value) {
  tiledb_dimension_t* dimension = new_dimension(ctx, "d", 10, 2);
  CHECK_OK(ctx, tiledb_dimension_set_cell_val_num(ctx, dimension, 1));
  CHECK_ERROR(ctx, tiledb_dimension_set_cell_val_num(ctx, dimension, 2),
              "Dimension: Cannot set number of values per coordinate; Currently only one value per coordinate is "
              "supported");
  CHECK_ERROR(ctx, tiledb_dimension_set_cell_val_num(ctx, dimension, 0),
              "Dimension: Cannot set number of values per coordinate; Currently only one value per coordinate is "
              "supported");
  CHECK_ERROR(ctx, tiledb_dimension_set_cell_val_num(ctx, dimension, TILEDB_VAR_NUM),
              "Dimension: Cannot set number of values per coordinate; Currently only one value per coordinate is "
              "supported");
  tiledb_dimension_free(&dimension);
}

TEST_WITH(ctx, a_dimension_keeps_its_filters) {
  tiledb_dimension_t* dimension = new_dimension(ctx, "d", 10, 2);
  tiledb_filter_list_t *list = NULL, *back = NULL;
  tiledb_filter_t* filter = NULL;
  uint32_t number = 9;
  CHECK_OK(ctx, tiledb_dimension_get_filter_list(ctx, dimension, &back));
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, back, &number));
  CHECK_EQ(number, 0);
  tiledb_filter_list_free(&back);
  CHECK_OK(ctx, tiledb_filter_list_alloc(ctx, &list));
  CHECK_OK(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_DOUBLE_DELTA, &filter));
  CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, list, filter));
  CHECK_OK(ctx, tiledb_dimension_set_filter_list(ctx, dimension, list));
  CHECK_OK(ctx, tiledb_dimension_get_filter_list(ctx, dimension, &back));
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, back, &number));
  CHECK_EQ(number, 1);
  tiledb_filter_list_free(&back);
  tiledb_filter_list_free(&list);
  tiledb_filter_free(&filter);
  tiledb_dimension_free(&dimension);
}

static void dumps(tiledb_ctx_t* ctx, tiledb_datatype_t type, const void* bounds, const void* extent, const char* expected) {
  tiledb_dimension_t* dimension = NULL;
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", type, bounds, extent, &dimension));
  CHECK_OK(ctx, tiledb_dimension_dump_str(ctx, dimension, &text));
  CHECK_TEXT(text_of(&text), expected);
  tiledb_dimension_free(&dimension);
}

TEST_WITH(ctx, dimension_getters_return_its_properties) {
  const int32_t bounds[2] = {-1, 10}, extent = 3;
  const double real_bounds[2] = {0.5, 1e20}, real_extent = 0.25;
  dumps(ctx, TILEDB_INT32, bounds, &extent,
        "### Dimension ###\n- Name: d\n- Type: INT32\n- Cell val num: 1\n- Domain: [-1, 10]\n- Tile extent: 3\n"
        "- Filters: 0\n");
  dumps(ctx, TILEDB_INT32, bounds, NULL,
        "### Dimension ###\n- Name: d\n- Type: INT32\n- Cell val num: 1\n- Domain: [-1, 10]\n- Tile extent: null\n"
        "- Filters: 0\n");
  dumps(ctx, TILEDB_FLOAT64, real_bounds, &real_extent,
        "### Dimension ###\n- Name: d\n- Type: FLOAT64\n- Cell val num: 1\n- Domain: [0.5, 1e+20]\n"
        "- Tile extent: 0.25\n- Filters: 0\n");
  dumps(ctx, TILEDB_STRING_ASCII, NULL, NULL,
        "### Dimension ###\n- Name: d\n- Type: STRING_ASCII\n- Cell val num: var\n- Domain: null\n"
        "- Tile extent: null\n- Filters: 0\n");
}

TEST_WITH(ctx, wrong_arguments_of_dimensions_are_errors) {
  tiledb_dimension_t *dimension = new_dimension(ctx, "", 10, 2), *other = NULL;
  tiledb_filter_list_t* list = NULL;
  tiledb_string_t* text = NULL;
  const int32_t bounds[2] = {1, 2};
  const void* value = NULL;
  const char* name = NULL;
  tiledb_datatype_t type;
  uint32_t number = 0;
  CHECK_EQ(tiledb_dimension_alloc(NULL, "d", TILEDB_INT32, bounds, NULL, &other), TILEDB_INVALID_CONTEXT);
  CHECK_ERROR(ctx, tiledb_dimension_alloc(ctx, NULL, TILEDB_INT32, bounds, NULL, &other),
              "C API: Dimension name must not be NULL");
  CHECK_EQ(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, NULL, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_dimension_get_name(ctx, NULL, &name), "C API: Invalid TileDB dimension object");
  CHECK_EQ(tiledb_dimension_get_name(ctx, dimension, NULL), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_dimension_get_name(ctx, dimension, &name));
  CHECK_TEXT(name, "");
  CHECK_EQ(tiledb_dimension_get_type(ctx, NULL, &type), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_type(ctx, dimension, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_domain(ctx, NULL, &value), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_domain(ctx, dimension, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_tile_extent(ctx, NULL, &value), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_tile_extent(ctx, dimension, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_cell_val_num(ctx, NULL, &number), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_cell_val_num(ctx, dimension, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_set_cell_val_num(ctx, NULL, 1), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_filter_list(ctx, NULL, &list), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_get_filter_list(ctx, dimension, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_dimension_set_filter_list(ctx, dimension, NULL),
              "C API: Invalid TileDB filter list object");
  CHECK_EQ(tiledb_dimension_dump_str(ctx, NULL, &text), TILEDB_ERR);
  CHECK_EQ(tiledb_dimension_dump_str(ctx, dimension, NULL), TILEDB_ERR);
  tiledb_dimension_free(&dimension);
  tiledb_dimension_free(NULL);
}
