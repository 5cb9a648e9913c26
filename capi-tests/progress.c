/* The progress of operations, and their cancellation by a callback. */
#include "arrays.h"

typedef struct {
  int calls, cancel_at;
  uint64_t done, total;
  char operation[32], unit[32];
} Seen;

static int32_t note(const char* operation, uint64_t done, uint64_t total, const char* unit, void* data) {
  Seen* seen = data;
  seen->calls++;
  seen->done = done;
  seen->total = total;
  snprintf(seen->operation, sizeof seen->operation, "%s", operation);
  snprintf(seen->unit, sizeof seen->unit, "%s", unit);
  return seen->cancel_at > 0 && seen->calls >= seen->cancel_at;
}

static int32_t fail_check(tiledb_rs_severity_t severity, const char* uri, uint64_t i, const char* problem, void* data) {
  (void)i;
  printf("    %d %s: %s\n", (int)severity, uri, problem);
  ++*(int*)data;
  return 1;
}

/* Checks that the array has no damaged file. */
static void check_unharmed(tiledb_ctx_t* ctx, const char* uri) {
  int findings = 0;
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, NULL, NULL));
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, NULL, fail_check, &findings));
  CHECK_EQ(findings, 0);
}

/* Creates a dense array with two fragments. */
static void two_fragments(tiledb_ctx_t* ctx, char* uri) {
  int32_t numbers[CELLS];
  for (int i = 0; i < CELLS; i++) numbers[i] = i;
  create_with(ctx, new_number_schema(ctx), uri);
  write_box(ctx, uri, 1, whole, numbers);
  write_box(ctx, uri, 2, whole, numbers);
}

static int32_t read_all(tiledb_ctx_t* ctx, const char* uri) {
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  int32_t code = tiledb_query_submit(ctx, query);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return code;
}

TEST_WITH(ctx, operations_are_reported_with_their_units) {
  char uri[128];
  Seen seen = {0};
  two_fragments(ctx, uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  CHECK_EQ(read_all(ctx, uri), TILEDB_OK);
  CHECK(seen.calls > 0);
  CHECK_TEXT(seen.operation, "read");
  CHECK_TEXT(seen.unit, "cells");
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_TEXT(seen.operation, "consolidate");
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  CHECK_TEXT(seen.operation, "vacuum");
  CHECK_TEXT(seen.unit, "fragments");
  int calls = seen.calls;
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, NULL, NULL));
  CHECK_EQ(read_all(ctx, uri), TILEDB_OK);
  CHECK_EQ(seen.calls, calls);
}

TEST_WITH(ctx, a_callback_cancels_a_read) {
  char uri[128];
  Seen seen = {.cancel_at = 1};
  two_fragments(ctx, uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  CHECK_EQ(read_all(ctx, uri), TILEDB_ERR);
  CHECK(strstr(harness_error(ctx), "ancel") != NULL);
  CHECK_EQ(seen.calls, 1);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, NULL, NULL));
  CHECK_EQ(read_all(ctx, uri), TILEDB_OK);
}

TEST_WITH(ctx, cancelled_consolidations_and_vacuums_leave_the_array_unharmed) {
  char uri[128];
  Seen seen = {.cancel_at = 1};
  two_fragments(ctx, uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, uri, NULL), "ancel");
  check_unharmed(ctx, uri);
  CHECK_EQ(fragments_of(ctx, uri), 2);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  CHECK_FAILS(ctx, tiledb_array_vacuum(ctx, uri, NULL), "ancel");
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, NULL, NULL));
  CHECK_EQ(read_all(ctx, uri), TILEDB_OK);
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  check_unharmed(ctx, uri);
}

TEST_WITH(ctx, cancelled_writes_are_not_visible) {
  char uri[128];
  int32_t numbers[CELLS] = {0};
  uint64_t size = sizeof numbers;
  Seen seen = {.cancel_at = 1};
  create_with(ctx, new_number_schema(ctx), uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), "ancel");
  CHECK_TEXT(seen.operation, "write");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  check_unharmed(ctx, uri);
  CHECK_EQ(fragments_of(ctx, uri), 0);
}

TEST_WITH(ctx, imports_report_their_bytes) {
  char uri[128];
  uint8_t bytes[1000] = {0};
  Seen seen = {0};
  tiledb_array_schema_t* schema = NULL;
  CHECK_OK(ctx, tiledb_filestore_schema_create(ctx, NULL, &schema));
  create_with(ctx, schema, uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  CHECK_OK(ctx, tiledb_filestore_buffer_import(ctx, uri, bytes, sizeof bytes, TILEDB_MIME_AUTODETECT));
  CHECK_TEXT(seen.operation, "import");
  CHECK_TEXT(seen.unit, "bytes");
  CHECK_EQ(seen.total, sizeof bytes);
  seen.cancel_at = 1;
  CHECK_FAILS(
      ctx, tiledb_filestore_buffer_import(ctx, uri, bytes, sizeof bytes, TILEDB_MIME_AUTODETECT), "ancel");
}

TEST_WITH(ctx, checks_and_writes_in_global_order_have_totals) {
  char uri[128];
  int findings = 0;
  int32_t numbers[CELLS] = {0};
  uint64_t size = sizeof numbers;
  Seen seen = {0};
  create_with(ctx, new_number_schema(ctx), uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_TEXT(seen.operation, "write");
  CHECK_EQ(seen.total, 4);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, NULL, fail_check, &findings));
  CHECK_TEXT(seen.operation, "check");
  CHECK_EQ(seen.total, 4);
}

TEST_WITH(ctx, the_callback_cancels_a_check) {
  char uri[128];
  int findings = 0;
  Seen seen = {.cancel_at = 1};
  two_fragments(ctx, uri);
  CHECK_OK(ctx, tiledb_rs_ctx_set_progress_callback(ctx, note, &seen));
  CHECK_FAILS(ctx, tiledb_rs_check(ctx, uri, NULL, fail_check, &findings), "ancel");
  CHECK_EQ(findings, 0);
  CHECK_EQ(tiledb_rs_ctx_set_progress_callback(NULL, note, &seen), TILEDB_INVALID_CONTEXT);
}
