/*
 * Operations on strings in which libtiledb crashes or returns wrong results and this library is
 * correct. These programs run only on this library.
 */
#include "arrays.h"

/* Adds a variable-length attribute with these filters. */
static void add_filtered(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, tiledb_filter_type_t first,
    tiledb_filter_type_t second) {
  const tiledb_filter_type_t types[2] = {first, second};
  tiledb_attribute_t* attribute = new_attribute(ctx, name, type);
  tiledb_filter_list_t* list = filter_list(ctx, 2, types);
  /* In this order: RLE is rejected for strings once their length is variable. */
  CHECK_OK(ctx, tiledb_attribute_set_filter_list(ctx, attribute, list));
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  tiledb_filter_list_free(&list);
  tiledb_attribute_free(&attribute);
}

/*
 * libtiledb mixes up the minimum and maximum strings of tiles if there are more attributes than
 * tiles.
 */
TEST_WITH(ctx, minimum_and_maximum_strings_belong_to_their_tile) {
  enum { TEXTS = 6 };
  char uri[128], name[2] = "a", cells[CELLS], found[CELLS];
  uint64_t starts[CELLS], sizes[2 * TEXTS], number_size = CELLS * sizeof(int32_t);
  int32_t numbers[CELLS];
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  for (int i = 0; i < TEXTS; i++, name[0]++) add_attribute(ctx, schema, name, TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  for (int i = 0; i < CELLS; i++) {
    numbers[i] = i;
    cells[i] = (char)('a' + i);
    starts[i] = (uint64_t)i;
  }
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &number_size));
  name[0] = 'a';
  for (int i = 0; i < TEXTS; i++, name[0]++) {
    sizes[2 * i] = sizeof cells;
    sizes[2 * i + 1] = sizeof starts;
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, cells, &sizes[2 * i]));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, name, starts, &sizes[2 * i + 1]));
  }
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  name[0] = 'a';
  for (int i = 0; i < TEXTS; i++, name[0]++) {
    uint64_t size = sizeof found, starts_size = sizeof starts;
    for (int cell = 0; cell < CELLS; cell++) {
      char text = (char)('a' + cell);
      number_size = sizeof numbers;
      tiledb_query_condition_t* condition = compare(ctx, name, &text, 1, TILEDB_EQ);
      query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &number_size));
      CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
      submit(ctx, query, TILEDB_COMPLETED);
      for (int other = 0; other < CELLS; other++) CHECK_EQ(numbers[other], other == cell ? cell : INT32_MIN);
      tiledb_query_condition_free(&condition);
      tiledb_query_free(&query);
    }
    for (int greatest = 0; greatest < 2; greatest++) {
      query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
      aggregate(ctx, query, greatest ? tiledb_channel_operator_max : tiledb_channel_operator_min, name);
      size = sizeof found;
      starts_size = sizeof *starts;
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", found, &size));
      CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "out", starts, &starts_size));
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(size, 1);
      CHECK_EQ(found[0], greatest ? 'a' + CELLS - 1 : 'a');
      tiledb_query_free(&query);
    }
  }
  close_array(ctx, &array);
}

/* All cells are empty lists of numbers. */
TEST_WITH(ctx, tiles_of_empty_cells_survive_all_filters) {
  static const tiledb_filter_type_t filters[] = {
      TILEDB_FILTER_BIT_WIDTH_REDUCTION, TILEDB_FILTER_POSITIVE_DELTA, TILEDB_FILTER_DELTA, TILEDB_FILTER_DOUBLE_DELTA,
      TILEDB_FILTER_XOR,                 TILEDB_FILTER_BITSHUFFLE,     TILEDB_FILTER_BYTESHUFFLE};
  char uri[128];
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
    tiledb_array_schema_t* schema = new_number_schema(ctx);
    int32_t numbers[CELLS] = {0}, list[4];
    uint64_t starts[CELLS] = {0}, none = 0, sizes[2] = {sizeof numbers, sizeof starts}, size = sizeof list;
    add_filtered(ctx, schema, "list", TILEDB_INT32, filters[i], TILEDB_FILTER_CHECKSUM_SHA256);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", list, &none));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", starts, &sizes[1]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    memset(starts, 1, sizeof starts);
    array = open_array(ctx, uri, TILEDB_READ);
    query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "list", list, &size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "list", starts, &sizes[1]));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, 0);
    CHECK_EQ(sizes[1], sizeof starts);
    for (int cell = 0; cell < CELLS; cell++) CHECK_EQ(starts[cell], 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/*
 * Reads rows 4, 1 and 3 of an array of strings with increasing lengths and two filters that store
 * counts.
 */
TEST_WITH(ctx, texts_are_read_by_ranges_in_any_order) {
  static const int32_t rows[] = {4, 1, 3};
  char uri[128], texts[CELLS * CELLS], found[CELLS * CELLS];
  uint64_t starts[CELLS], back[CELLS], used = 0;
  int32_t numbers[CELLS] = {0};
  for (int cell = 0; cell < CELLS; cell++) {
    starts[cell] = used;
    memset(texts + used, 'a' + cell, (size_t)cell);
    used += (uint64_t)cell;
  }
  for (int i = 0; i < 2; i++) {
    tiledb_array_schema_t* schema = new_number_schema(ctx);
    uint64_t sizes[3] = {sizeof numbers, used, sizeof starts}, found_size = sizeof found, back_size = sizeof back;
    uint64_t expected = 0;
    add_filtered(ctx, schema, "text", TILEDB_STRING_UTF8, i ? TILEDB_FILTER_DICTIONARY : TILEDB_FILTER_RLE, TILEDB_FILTER_RLE);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", texts, &sizes[1]));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[2]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    for (int row = 0; row < 3; row++) add_range(ctx, subarray, rows[row], rows[row]);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", found, &found_size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", back, &back_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(back_size / sizeof *back, 3 * COLUMNS);
    for (int row = 0; row < 3; row++)
      for (int column = 0; column < COLUMNS; column++) {
        const int cell = (rows[row] - 1) * COLUMNS + column;
        CHECK_EQ(back[row * COLUMNS + column], expected);
        CHECK(memcmp(found + expected, texts + starts[cell], (size_t)cell) == 0);
        expected += (uint64_t)cell;
      }
    CHECK_EQ(found_size, expected);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, empty_texts_are_coordinates_in_rows_and_columns) {
  static const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR};
  char uri[128], cells[] = "ab", found[8];
  uint64_t starts[3] = {0, 1, 1}, sizes[3] = {2, sizeof starts, 0}, back[3];
  int32_t numbers[3] = {1, 0, 2};
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, text_dimension(ctx, "t"), NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  sizes[2] = sizeof numbers;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", cells, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 2; i++) {
    uint64_t size = sizeof found, back_size = sizeof back;
    query = query_all(ctx, array, TILEDB_READ, layouts[i]);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "t", found, &size));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "t", back, &back_size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[2]));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK(size == 2 && memcmp(found, "ab", 2) == 0);
    CHECK(back[0] == 0 && back[1] == 0 && back[2] == 1);
    for (int cell = 0; cell < 3; cell++) CHECK_EQ(numbers[cell], cell);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, reads_continue_after_a_buffer_without_space_for_a_cell) {
  char uri[128], text[] = "longlong", found[16];
  for (int dups = 0; dups < 2; dups++) {
    int32_t x = 5, number = 6;
    uint64_t start = 0, sizes[4] = {4, 4, 8, 8}, small = 3, large = sizeof found, starts_size = 8;
    tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, dups);
    add_attribute(ctx, schema, "text", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", &x, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", &number, &sizes[1]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", text, &sizes[2]));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", &start, &sizes[3]));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    array = open_array(ctx, uri, TILEDB_READ);
    query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", found, &small));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", &start, &starts_size));
    submit(ctx, query, TILEDB_INCOMPLETE);
    CHECK_EQ(small, 0);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", found, &large));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK(large == 8 && memcmp(found, text, 8) == 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/* libtiledb compares the first character only. */
TEST_WITH(ctx, values_of_conditions_are_padded_to_the_size_of_cells) {
  enum { TEXTS = 6, SIZE = 4 };
  static const char texts[TEXTS * SIZE + 1] = "zz\0\0z\0\0\0zzab\0\0\0\0ab\0\0zzz\0";
  /* The cells that satisfy each condition, as bits. */
  static const struct {
    const char* value;
    uint64_t size;
    tiledb_query_condition_op_t op;
    unsigned cells;
  } cases[] = {
      {"zz", 2, TILEDB_EQ, 1u << 0},
      {"zz", 2, TILEDB_NE, 0x3fu & ~(1u << 0)},
      {"zz", 2, TILEDB_LT, 1u << 1 | 1u << 3 | 1u << 4},
      {"zz", 2, TILEDB_GE, 1u << 0 | 1u << 2 | 1u << 5},
      {"zzab", 4, TILEDB_EQ, 1u << 2},
      {"zzabc", 5, TILEDB_EQ, 0},
      {"zzabc", 5, TILEDB_LE, 0x3fu & ~(1u << 5)},
      {"zzab\0", 5, TILEDB_EQ, 1u << 2},
      {"", 0, TILEDB_EQ, 1u << 3},
      {"", 0, TILEDB_GT, 0x3fu & ~(1u << 3)},
  };
  char uri[128];
  int32_t x[TEXTS] = {1, 2, 3, 4, 5, 6}, numbers[TEXTS] = {0, 1, 2, 3, 4, 5};
  uint64_t sizes[3] = {sizeof x, sizeof numbers, TEXTS * SIZE};
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  add_attribute(ctx, schema, "text", TILEDB_CHAR, SIZE, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", (void*)texts, &sizes[2]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t size = sizeof numbers;
    unsigned found = 0;
    tiledb_query_condition_t* condition = compare(ctx, "text", cases[i].value, cases[i].size, cases[i].op);
    query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    for (uint64_t cell = 0; cell < size / sizeof *numbers; cell++) found |= 1u << numbers[cell];
    CHECK_EQ(found, cases[i].cells);
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}
