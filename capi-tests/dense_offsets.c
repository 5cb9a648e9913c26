/*
 * Variable-length dense cells: offsets of 32 and 64 bits, in bytes and in elements, with and
 * without an extra offset; small buffers.
 */
#include "arrays.h"

enum { LENGTH = 6 };
static const int32_t values[] = {10, 20, 21, 30, 31, 32, 50, 51};
static const uint64_t starts[LENGTH] = {0, 1, 3, 6, 6, 8}; /* in elements; the last cell is empty, the fourth too */
enum { VALUES = sizeof values / sizeof *values };

typedef struct form {
  int bits, in_elements, extra;
} form_t;

static tiledb_ctx_t* context_for(form_t form) {
  tiledb_config_t* config = config_with("sm.var_offsets.bitsize", form.bits == 32 ? "32" : "64");
  set_param(config, "sm.var_offsets.mode", form.in_elements ? "elements" : "bytes");
  set_param(config, "sm.var_offsets.extra_element", form.extra ? "true" : "false");
  return context_of(config);
}

/* Creates an array of LENGTH cells with int32 lists, in tiles of 2. */
static void create_lists(tiledb_ctx_t* ctx, char* uri) {
  tiledb_dimension_t* dimension = new_dimension(ctx, "d", LENGTH, 2);
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, dimension, NULL);
  add_attribute(ctx, schema, "list", TILEDB_INT32, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
}

static tiledb_query_t* query_lists(tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type) {
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, LENGTH);
  return query_on(ctx, array, type, TILEDB_ROW_MAJOR, subarray);
}

/*
 * Stores the offsets of `starts`, and the end if the form requires it, in this form. Returns the
 * size for a write: 8 bytes per offset.
 */
static uint64_t spell(form_t form, char* to) {
  uint64_t number = LENGTH + (form.extra ? 1 : 0);
  for (uint64_t i = 0; i < number; i++) {
    uint64_t offset = (i < LENGTH ? starts[i] : (uint64_t)VALUES) * (form.in_elements ? 1 : sizeof *values);
    uint32_t narrow = (uint32_t)offset;
    if (form.bits == 32)
      memcpy(to + 4 * i, &narrow, 4);
    else
      memcpy(to + 8 * i, &offset, 8);
  }
  return number * 8;
}

static void write_lists(tiledb_ctx_t* ctx, const char* uri, form_t form) {
  uint64_t offsets[LENGTH + 1], offsets_size = spell(form, (char*)offsets), size = sizeof values;
  int32_t copy[VALUES];
  memcpy(copy, values, sizeof values);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_lists(ctx, array, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", copy, &size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", offsets, &offsets_size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(every_form_writes_the_same_and_reads_as_it_wrote) {
  for (int i = 0; i < 8; i++) {
    const form_t form = {i & 1 ? 32 : 64, i & 2, i & 4};
    uint64_t expected[LENGTH + 1], offsets[LENGTH + 2], size = sizeof values, offsets_size = sizeof offsets;
    int32_t read[VALUES];
    char uri[128];
    tiledb_ctx_t* ctx = context_for(form);
    create_lists(ctx, uri);
    write_lists(ctx, uri, form);
    uint64_t wanted_size = spell(form, (char*)expected) * (uint64_t)form.bits / 64;
    memset(offsets, 0x77, sizeof offsets);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = query_lists(ctx, array, TILEDB_READ);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", read, &size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", offsets, &offsets_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(offsets_size, wanted_size);
    CHECK(memcmp(offsets, expected, wanted_size) == 0);
    CHECK_EQ(((unsigned char*)offsets)[wanted_size], 0x77);
    CHECK_EQ(size, sizeof values);
    CHECK(memcmp(read, values, sizeof values) == 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_ctx_free(&ctx);
  }
}

/*
 * For writes, the size of 32-bit offsets may be given as 8 bytes each; other data may follow the
 * actual offsets.
 */
TEST(sizes_of_32_bit_offsets_may_be_given_as_64_bit) {
  const form_t form = {32, 1, 1};
  struct {
    uint32_t offsets[LENGTH + 1];
    int32_t read[VALUES];
  } memory;
  uint64_t size = sizeof memory.read, offsets_size = 2 * sizeof memory.offsets;
  char uri[128];
  tiledb_ctx_t* ctx = context_for(form);
  create_lists(ctx, uri);
  write_lists(ctx, uri, form);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_lists(ctx, array, TILEDB_READ);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", memory.read, &size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", (uint64_t*)&memory, &offsets_size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK(size == sizeof values && memcmp(memory.read, values, size) == 0);
  CHECK_EQ(memory.offsets[LENGTH], VALUES);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(a_wrong_extra_offset_is_an_error) {
  for (int i = 0; i < 2; i++) {
    const form_t form = {64, i, 1};
    uint64_t offsets[LENGTH + 1], offsets_size = spell(form, (char*)offsets), size = sizeof values;
    int32_t copy[VALUES];
    char uri[128];
    tiledb_ctx_t* ctx = context_for(form);
    memcpy(copy, values, sizeof values);
    create_lists(ctx, uri);
    offsets[LENGTH] = 7;
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_lists(ctx, array, TILEDB_WRITE);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", copy, &size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", offsets, &offsets_size));
    CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), i == 0
        ? "WriterBase: Invalid offsets for attribute list; the last offset: 7 is not equal to the size of the data buffer: 32"
        : "WriterBase: Invalid offsets for attribute list; the last offset: 7 is not equal to the size of the data buffer: 8");
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_ctx_free(&ctx);
  }
}

TEST(offsets_are_read_in_another_form_than_written) {
  const form_t written = {64, 0, 0}, asked = {32, 1, 1};
  uint64_t expected[LENGTH + 1], offsets[LENGTH + 1], size = sizeof values, offsets_size = sizeof offsets;
  int32_t read[VALUES];
  char uri[128];
  tiledb_ctx_t *ctx = context_for(written), *other = context_for(asked);
  create_lists(ctx, uri);
  write_lists(ctx, uri, written);
  uint64_t wanted_size = spell(asked, (char*)expected) / 2;
  tiledb_array_t* array = open_array(other, uri, TILEDB_READ);
  tiledb_query_t* query = query_lists(other, array, TILEDB_READ);
  CHECK_OK(other, tiledb_query_set_data_buffer(other, query, "list", read, &size));
  CHECK_OK(other, tiledb_query_set_offsets_buffer(other, query, "list", offsets, &offsets_size));
  submit(other, query, TILEDB_COMPLETED);
  CHECK_EQ(offsets_size, wanted_size);
  CHECK(memcmp(offsets, expected, wanted_size) == 0);
  tiledb_query_free(&query);
  close_array(other, &array);
  tiledb_ctx_free(&other);
  tiledb_ctx_free(&ctx);
}

/*
 * Reads with buffers of `cells` offsets and `bytes` bytes until the query completes; the parts
 * must form the whole.
 */
static void read_in_pieces(form_t form, uint64_t offsets_room, uint64_t data_room) {
  tiledb_ctx_t* ctx = context_for(form);
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  uint64_t cells = 0, used = 0;
  char uri[128];
  create_lists(ctx, uri);
  write_lists(ctx, uri, form);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_lists(ctx, array, TILEDB_READ);
  for (int round = 0; status == TILEDB_INCOMPLETE && round < 4 * LENGTH; round++) {
    uint64_t offsets[LENGTH + 1], offsets_size = offsets_room * (uint64_t)form.bits / 8, size = data_room;
    int32_t read[VALUES];
    memset(offsets, 0, sizeof offsets);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", read, &size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", offsets, &offsets_size));
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    uint64_t number = offsets_size * 8 / (uint64_t)form.bits;
    if (form.extra && number > 0) {
      uint64_t end = form.bits == 32 ? ((uint32_t*)offsets)[number - 1] : offsets[number - 1];
      CHECK_EQ(end * (form.in_elements ? sizeof *values : 1), size);
      number--;
    }
    CHECK(used + size <= sizeof values);
    CHECK(memcmp(read, (const char*)values + used, size) == 0);
    for (uint64_t i = 0; i < number; i++) {
      uint64_t offset = form.bits == 32 ? ((uint32_t*)offsets)[i] : offsets[i];
      CHECK_EQ(offset * (form.in_elements ? sizeof *values : 1) + used, starts[cells + i] * sizeof *values);
    }
    cells += number;
    used += size;
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(cells, LENGTH);
  CHECK_EQ(used, sizeof values);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(small_offset_buffers_return_the_cells_in_parts) {
  const form_t plain = {64, 0, 0}, extra = {64, 0, 1}, small = {32, 1, 1};
  read_in_pieces(plain, 2, sizeof values);
  read_in_pieces(plain, 1, sizeof values);
  read_in_pieces(extra, 3, sizeof values);
  read_in_pieces(extra, 2, sizeof values);
  read_in_pieces(small, 3, sizeof values);
}

TEST(small_data_buffers_return_the_cells_in_parts) {
  const form_t plain = {64, 0, 0}, small = {32, 1, 1};
  read_in_pieces(plain, LENGTH, 3 * sizeof(int32_t));
  read_in_pieces(small, LENGTH + 1, 3 * sizeof(int32_t));
}

TEST(a_cell_that_never_fits_is_incomplete_without_results) {
  const form_t form = {64, 0, 0};
  uint64_t offsets[LENGTH], offsets_size = sizeof offsets, size = 2;
  int32_t read[VALUES];
  char uri[128];
  tiledb_query_status_details_t details;
  tiledb_ctx_t* ctx = context_for(form);
  create_lists(ctx, uri);
  write_lists(ctx, uri, form);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_lists(ctx, array, TILEDB_READ);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", read, &size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", offsets, &offsets_size));
  submit(ctx, query, TILEDB_INCOMPLETE);
  CHECK_EQ(size, 0);
  CHECK_EQ(offsets_size, 0);
  CHECK_OK(ctx, tiledb_query_get_status_details(ctx, query, &details));
  CHECK_EQ(details.incomplete_reason, TILEDB_REASON_USER_BUFFER_SIZE);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, an_unknown_form_is_an_error) {
  char uri[128];
  uint64_t offsets[LENGTH], offsets_size = sizeof offsets, size = sizeof values;
  int32_t read[VALUES];
  tiledb_config_t* config = config_with("sm.var_offsets.bitsize", "48");
  const form_t form = {64, 0, 0};
  create_lists(ctx, uri);
  write_lists(ctx, uri, form);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_lists(ctx, array, TILEDB_READ);
  CHECK_OK(ctx, tiledb_query_set_config(ctx, query, config));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", read, &size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", offsets, &offsets_size));
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query),
              "DenseReader: Cannot initialize reader; Unsupported offsets bitsize in configuration");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_config_free(&config);
}
