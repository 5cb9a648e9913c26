/* Sparse arrays with a string dimension: ranges, empty strings, byte order, forms of offsets. */
#include "arrays.h"

/* In byte order: a string precedes those that it is a prefix of. */
static const char* const texts[] = {"", "A", "a", "aa", "ab", "b"};
enum { TEXTS = sizeof texts / sizeof *texts, ROOM = 64 };

/*
 * Creates an array of all strings, written in reverse order; each number is the rank of its
 * string.
 */
static void fill(tiledb_ctx_t* ctx, char* uri) {
  char cells[ROOM];
  uint64_t starts[TEXTS], used = 0, sizes[3] = {0, sizeof starts, TEXTS * sizeof(int32_t)};
  int32_t numbers[TEXTS];
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "t"), NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, schema, 2));
  create_with(ctx, schema, uri);
  for (int i = 0; i < TEXTS; i++) {
    const char* text = texts[TEXTS - 1 - i];
    starts[i] = used;
    memcpy(cells + used, text, strlen(text));
    used += strlen(text);
    numbers[i] = TEXTS - 1 - i;
  }
  sizes[0] = used;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", cells, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Reads a range in unordered layout and checks that it contains the strings from `first` to before
 * `end`.
 */
static void check_range(
    tiledb_ctx_t* ctx, tiledb_array_t* array, const char* low, const char* high, int32_t first, int32_t end) {
  int32_t numbers[TEXTS];
  uint64_t size = sizeof numbers;
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(
      ctx, tiledb_subarray_add_range_var(
               ctx, subarray, 0, low, low == NULL ? 0 : strlen(low), high, high == NULL ? 0 : strlen(high)));
  tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_UNORDERED, subarray);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, end - first);
  for (int32_t i = 0; i < end - first; i++) CHECK_EQ(numbers[i], first + i);
  tiledb_query_free(&query);
}

TEST_WITH(ctx, ranges_compare_bytes_and_then_lengths) {
  char uri[128];
  fill(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  check_range(ctx, array, "a", "aa", 2, 4);
  check_range(ctx, array, "a", "a", 2, 3);
  check_range(ctx, array, "aaa", "az", 4, 5);
  check_range(ctx, array, "", "A", 0, 2);
  check_range(ctx, array, "B", "Z", 2, 2);
  check_range(ctx, array, "", "", 0, 1);
  check_range(ctx, array, "a", "", 0, 0);
  check_range(ctx, array, "b", "a", 0, 0);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_null_end_is_the_empty_text_and_one_without_its_bytes_is_an_error) {
  char uri[128];
  fill(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  check_range(ctx, array, NULL, "aa", 0, 4);
  const char* refused = "Subarray: Cannot add range; Invalid range";
  CHECK_ERROR(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, NULL, 1, "b", 1), refused);
  CHECK_ERROR(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, "a", 1, NULL, 1), refused);
  CHECK_EQ(tiledb_subarray_add_range(ctx, subarray, 0, "a", "b", NULL), TILEDB_ERR);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST(offsets_have_the_width_and_the_end_that_are_set) {
#ifdef LIBTILEDB_ITSELF
  const int widths = 1; /* With 32 bits it damages memory now and then. */
#else
  const int widths = 2;
#endif
  tiledb_ctx_t* plain = new_context();
  char uri[128];
  fill(plain, uri);
  for (int form = 0; form < 2 * widths; form++) {
    const int narrow = form >> 1, extra = form & 1;
    tiledb_config_t* config = config_with("sm.var_offsets.bitsize", narrow ? "32" : "64");
    set_param(config, "sm.var_offsets.extra_element", extra ? "true" : "false");
    tiledb_ctx_t* ctx = context_of(config);
    char cells[ROOM];
    unsigned char offsets[16 * (TEXTS + 1)];
    const uint64_t width = narrow ? 4 : 8, expected = TEXTS + (uint64_t)extra;
    uint64_t size = sizeof cells, offsets_size = sizeof offsets, used = 0;
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
    memset(offsets, 0xff, sizeof offsets);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", cells, &size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", (uint64_t*)(void*)offsets, &offsets_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(offsets_size, expected * width);
    for (uint64_t i = 0; i < expected; i++) {
      uint64_t start = 0;
      memcpy(&start, offsets + i * width, width);
      CHECK_EQ(start, used);
      if (i < TEXTS) used += strlen(texts[i]);
    }
    CHECK_EQ(size, used);
    CHECK_EQ(offsets[expected * width], 0xff);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_ctx_free(&ctx);
  }
  tiledb_ctx_free(&plain);
}

TEST_WITH(ctx, a_buffer_too_small_for_a_cell_receives_none) {
  char uri[128], cells[ROOM];
  fill(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  uint64_t starts[TEXTS], size = 1, starts_size = sizeof starts;
  CHECK_OK(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, "aa", 2, "ab", 2));
  tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER, subarray);
  tiledb_query_status_details_t details;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", cells, &size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &starts_size));
  submit(ctx, query, TILEDB_INCOMPLETE);
  CHECK_EQ(size, 0);
  CHECK_OK(ctx, tiledb_query_get_status_details(ctx, query, &details));
  CHECK_EQ(details.incomplete_reason, TILEDB_REASON_USER_BUFFER_SIZE);
  size = sizeof cells;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", cells, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, 4);
  CHECK(memcmp(cells, "aaab", 4) == 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
