/* Conditions from text: which cells they select, and errors with the position of the problem. */
#include "arrays.h"

enum { CELL_NUM = 6 };

/*
 * Cells x = 1 to 6: number (int32) 10 to 60, maybe (nullable int32) null where x is odd, name
 * (text) "a" to "f".
 */
static void fill(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[CELL_NUM] = {1, 2, 3, 4, 5, 6}, number[CELL_NUM] = {10, 20, 30, 40, 50, 60};
  uint8_t valid[CELL_NUM] = {0, 1, 0, 1, 0, 1};
  uint64_t starts[CELL_NUM] = {0, 1, 2, 3, 4, 5};
  uint64_t size = sizeof x, validity_size = sizeof valid, name_size = CELL_NUM, starts_size = sizeof starts;
  char name[] = "abcdef";
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_INT32, 1, 1);
  add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", number, &size));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &validity_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", name, &name_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &starts_size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Returns the coordinates x of the cells that a condition selects, as bits. */
static uint32_t selected(tiledb_ctx_t* ctx, tiledb_array_t* array, const char* text) {
  int32_t x[CELL_NUM];
  uint64_t size = sizeof x, position = 99;
  uint32_t bits = 0;
  tiledb_query_condition_t* condition = NULL;
  CHECK_OK(ctx, tiledb_rs_query_condition_parse(ctx, array, text, &position, &condition));
  CHECK_EQ(position, 0);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  for (uint64_t cell = 0; cell < size / sizeof *x; cell++) bits |= 1u << x[cell];
  tiledb_query_free(&query);
  tiledb_query_condition_free(&condition);
  return bits;
}

TEST_WITH(ctx, texts_select_cells) {
  char uri[128];
  fill(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 20);
  CHECK_EQ(selected(ctx, array, "number > 30"), 1u << 4 | 1u << 5 | 1u << 6);
  CHECK_EQ(selected(ctx, array, "number BETWEEN 20 AND 30"), 1u << 2 | 1u << 3);
  CHECK_EQ(selected(ctx, array, "maybe IS NULL"), 1u << 1 | 1u << 3 | 1u << 5);
  CHECK_EQ(selected(ctx, array, "name IN ('a', 'f') OR x = 3"), 1u << 1 | 1u << 3 | 1u << 6);
  CHECK_EQ(selected(ctx, array, "NOT (name < 'c') AND maybe IS NOT NULL"), 1u << 4 | 1u << 6);
  close_array(ctx, &array);
}

TEST_WITH(ctx, errors_have_the_position_of_the_problem) {
  char uri[128];
  fill(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, 20);
  tiledb_query_condition_t* condition = NULL;
  uint64_t position = 0;
  CHECK_FAILS(ctx, tiledb_rs_query_condition_parse(ctx, array, "number >", &position, &condition), "at character 9");
  CHECK_EQ(position, 9);
  CHECK_FAILS(ctx, tiledb_rs_query_condition_parse(ctx, array, "x = 1 AND other = 2", &position, &condition), "other");
  CHECK_EQ(position, 11);
  CHECK_FAILS(ctx, tiledb_rs_query_condition_parse(ctx, array, "number = 'text'", &position, &condition), "number");
  CHECK_EQ(position, 10);
  CHECK_FAILS(ctx, tiledb_rs_query_condition_parse(ctx, array, "", NULL, &condition), "at character 1");
  CHECK(condition == NULL);
  close_array(ctx, &array);
}

TEST_WITH(ctx, the_array_must_be_open) {
  char uri[128];
  tiledb_array_t* array = NULL;
  tiledb_query_condition_t* condition = NULL;
  uint64_t position = 7;
  fill(ctx, uri);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_FAILS(ctx, tiledb_rs_query_condition_parse(ctx, array, "x = 1", &position, &condition), "not open");
  CHECK_EQ(position, 7);
  CHECK_NEEDS(ctx, "", tiledb_rs_query_condition_parse, NULL, "x = 1", &position, &condition);
  CHECK_NEEDS(ctx, "", tiledb_rs_query_condition_parse, array, NULL, &position, &condition);
  CHECK_NEEDS(ctx, "", tiledb_rs_query_condition_parse, array, "x = 1", &position, NULL);
  tiledb_array_free(&array);
}
