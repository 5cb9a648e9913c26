/* What fragment info tells of the cells of a sparse fragment: rectangles of tiles, and the domain, for numbers and texts. */
#include "harness.h"

/* Six cells in tiles of two: texts "a" to "ff" where a number is 10, 20, ... 60. */
enum { CELLS = 6 };
static const char texts[] = "abbcddeff";
static const uint64_t starts[CELLS] = {0, 1, 3, 4, 6, 7};
static const char *const lows[] = {"a", "c", "e"}, *const highs[] = {"bb", "dd", "ff"};

static void write_cells(tiledb_ctx_t* ctx, const char* uri, int is_text) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  char values[sizeof texts];
  uint64_t offsets[CELLS], texts_size = sizeof texts - 1, offsets_size = sizeof offsets;
  int32_t numbers[CELLS], cells[CELLS] = {0};
  uint64_t numbers_size = sizeof numbers, cells_size = sizeof cells;
  memcpy(values, texts, sizeof texts);
  memcpy(offsets, starts, sizeof offsets);
  for (int32_t at = 0; at < CELLS; at++) numbers[at] = 10 * (at + 1);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  if (is_text) {
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", values, &texts_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "d", offsets, &offsets_size));
  } else {
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "d", numbers, &numbers_size));
  }
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "a", cells, &cells_size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  tiledb_query_free(&query);
  tiledb_array_free(&array);
}

/* The info, loaded, of an array with one fragment. */
static tiledb_fragment_info_t* new_info(tiledb_ctx_t* ctx, int is_text) {
  int32_t bounds[2] = {1, 100}, extent = 100;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_fragment_info_t* info = NULL;
  const char* uri = scratch();
  if (is_text)
    CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_STRING_ASCII, NULL, NULL, &dimension));
  else
    CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, &extent, &dimension));
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK_OK(ctx, tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, schema, 2));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
  write_cells(ctx, uri, is_text);
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &info));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  return info;
}

static void check_texts(const char* start, uint64_t start_size, const char* end, uint64_t end_size, const char* low,
    const char* high) {
  CHECK(start_size == strlen(low) && memcmp(start, low, start_size) == 0);
  CHECK(end_size == strlen(high) && memcmp(end, high, end_size) == 0);
}

TEST(rectangles_of_texts_are_told_by_index_and_by_name) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_fragment_info_t* info = new_info(ctx, 1);
  char start[8] = "", end[8] = "";
  uint64_t start_size = 0, end_size = 0, num = 0;
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_num(ctx, info, 0, &num));
  CHECK_EQ(num, 3);
  for (uint32_t at = 0; at < 3; at++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_size_from_index(ctx, info, 0, at, 0, &start_size, &end_size));
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, at, 0, start, end));
    check_texts(start, start_size, end, end_size, lows[at], highs[at]);
    start_size = end_size = 0;
    memset(start, 0, sizeof start);
    memset(end, 0, sizeof end);
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 0, at, "d", &start_size, &end_size));
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_var_from_name(ctx, info, 0, at, "d", start, end));
    check_texts(start, start_size, end, end_size, lows[at], highs[at]);
  }
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(domains_of_texts_are_told_by_index_and_by_name) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_fragment_info_t* info = new_info(ctx, 1);
  char start[8] = "", end[8] = "";
  uint64_t start_size = 0, end_size = 0;
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_index(ctx, info, 0, 0, &start_size, &end_size));
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_index(ctx, info, 0, 0, start, end));
  check_texts(start, start_size, end, end_size, "a", "ff");
  start_size = end_size = 0;
  memset(start, 0, sizeof start);
  memset(end, 0, sizeof end);
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_name(ctx, info, 0, "d", &start_size, &end_size));
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, info, 0, "d", start, end));
  check_texts(start, start_size, end, end_size, "a", "ff");
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(rectangles_of_numbers_are_told_by_index_and_by_name) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_fragment_info_t* info = new_info(ctx, 0);
  for (uint32_t at = 0; at < 3; at++) {
    int32_t low = 10 * (2 * (int32_t)at + 1), range[2] = {0, 0};
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, at, 0, range));
    CHECK(range[0] == low && range[1] == low + 10);
    range[0] = range[1] = 0;
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_from_name(ctx, info, 0, at, "d", range));
    CHECK(range[0] == low && range[1] == low + 10);
  }
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}

TEST(numbers_are_not_asked_for_as_texts_and_texts_not_as_numbers) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_fragment_info_t *of_texts = new_info(ctx, 1), *of_numbers = new_info(ctx, 0);
  const char *fixed = "Dimension is fixed", *var = "Dimension is var";
  uint64_t one = 0, two = 0;
  int32_t range[2] = {0, 0};
  char start[8], end[8];
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_size_from_index(ctx, of_numbers, 0, 0, 0, &one, &two), fixed);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, of_numbers, 0, 0, 0, start, end), fixed);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_size_from_name(ctx, of_numbers, 0, 0, "d", &one, &two), fixed);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_name(ctx, of_numbers, 0, 0, "d", start, end), fixed);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, of_texts, 0, 0, 0, range), var);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_name(ctx, of_texts, 0, 0, "d", range), var);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_index(ctx, of_numbers, 0, 0, start, end), fixed);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, of_numbers, 0, "d", start, end), fixed);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_name(ctx, of_numbers, 0, "d", &one, &two), fixed);
  tiledb_fragment_info_free(&of_texts);
  tiledb_fragment_info_free(&of_numbers);
  tiledb_ctx_free(&ctx);
}

TEST(what_is_not_there_is_an_error) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_fragment_info_t* info = new_info(ctx, 1);
  uint64_t one = 0, two = 0;
  int32_t range[2] = {0, 0};
  char start[8], end[8];
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 1, 0, 0, start, end), "Invalid fragment index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 3, 0, start, end), "Invalid mbr index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 0, 1, start, end), "Invalid dimension index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_size_from_index(ctx, info, 0, 3, 0, &one, &two), "Invalid mbr index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 0, 0, "e", &one, &two), "Invalid dimension name 'e'");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_var_from_name(ctx, info, 0, 0, "e", start, end), "Invalid dimension name 'e'");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_mbr_from_name(ctx, info, 0, 0, "e", range), "Invalid dimension name 'e'");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_index(ctx, info, 0, 1, start, end), "nvalid dimension index");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, info, 0, "e", start, end), "nvalid dimension name");
  CHECK_FAILS(ctx, tiledb_fragment_info_get_non_empty_domain_var_size_from_name(ctx, info, 0, "e", &one, &two), "nvalid dimension name");
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
}
