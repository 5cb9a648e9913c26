/* Explanations of reads, as text and as JSON. */
#include "arrays.h"

static int explains(
    tiledb_ctx_t* ctx, tiledb_query_t* query, tiledb_rs_explain_format_t format, const char* expected) {
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_rs_query_explain(ctx, query, format, &text));
  return strstr(text_of(&text), expected) != NULL;
}

TEST_WITH(ctx, the_plan_is_explained_before_the_first_submit) {
  static const int32_t box[4] = {1, 2, 1, 3};
  char uri[128];
  tiledb_query_status_t status = TILEDB_FAILED;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_TEXT, "1 of 4 are read, 0 of them cut by the ranges"));
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_TEXT, "fields     number, name, maybe"));
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_JSON, "\"tiles_outside_ranges\": 3"));
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_JSON, "\"outcome\": null"));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_UNINITIALIZED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, what_happened_is_explained_afterwards) {
  char uri[128];
  int32_t numbers[2];
  uint64_t size = sizeof numbers;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  while (status == TILEDB_INCOMPLETE) {
    size = sizeof numbers;
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  }
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_TEXT, "complete: 24 cells in 12 submits"));
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_TEXT, "the buffers were filled 12 times"));
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_JSON, "\"returned_bytes\": 96"));
  CHECK(explains(ctx, query, TILEDB_RS_EXPLAIN_JSON, "\"complete\": true"));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, invalid_arguments_are_errors) {
  char uri[128];
  tiledb_string_t* text = NULL;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_NEEDS(ctx, "Invalid TileDB query", tiledb_rs_query_explain, NULL, TILEDB_RS_EXPLAIN_TEXT, &text);
  CHECK_NEEDS(ctx, "format of explanations", tiledb_rs_query_explain, query, (tiledb_rs_explain_format_t)9, &text);
  CHECK_NEEDS(ctx, "null", tiledb_rs_query_explain, query, TILEDB_RS_EXPLAIN_TEXT, NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  CHECK_NEEDS(ctx, "only for read", tiledb_rs_query_explain, query, TILEDB_RS_EXPLAIN_TEXT, &text);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
