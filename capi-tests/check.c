/* Checks of stored files, and the removal of what killed processes leave. */
#include "arrays.h"

typedef struct {
  int findings, answer;
  tiledb_rs_severity_t severity;
  char uri[512], problem[512];
} Seen;

static int32_t note(
    tiledb_rs_severity_t severity, const char* uri, uint64_t position, const char* problem, void* data) {
  Seen* seen = data;
  (void)position;
  seen->findings++;
  seen->severity = severity;
  snprintf(seen->uri, sizeof seen->uri, "%s", uri);
  snprintf(seen->problem, sizeof seen->problem, "%s", problem);
  return seen->answer;
}

static int32_t note_removal(const char* uri, void* data) {
  return note(TILEDB_RS_REMAINS, uri, 0, "", data);
}

/* Creates a sparse array with three cells. */
static void fill(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[3] = {1, 2, 3}, number[3] = {10, 20, 30};
  uint64_t size = sizeof x;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 100, 10, 0), uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 10);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", number, &size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static tiledb_vfs_t* new_vfs(tiledb_ctx_t* ctx) {
  tiledb_vfs_t* vfs = NULL;
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  return vfs;
}

TEST_WITH(ctx, findings_are_passed_to_the_callback) {
  char uri[128], file[256];
  Seen seen = {.answer = 1};
  fill(ctx, uri);
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, NULL, note, &seen));
  CHECK_EQ(seen.findings, 0);
  tiledb_vfs_t* vfs = new_vfs(ctx);
  snprintf(file, sizeof file, "%s/unknown", uri);
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, file));
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, NULL, note, &seen));
  CHECK_EQ(seen.findings, 1);
  CHECK_EQ(seen.severity, TILEDB_RS_NOTE);
  CHECK(strstr(seen.uri, "/unknown") != NULL);
  CHECK(strstr(seen.problem, "does not belong") != NULL);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, the_callback_ends_a_check) {
  char uri[128], file[256];
  Seen seen = {.answer = 0};
  fill(ctx, uri);
  tiledb_vfs_t* vfs = new_vfs(ctx);
  for (int number = 0; number < 3; number++) {
    snprintf(file, sizeof file, "%s/unknown%d", uri, number);
    CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, file));
  }
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, NULL, note, &seen));
  CHECK_EQ(seen.findings, 1);
  seen.answer = -1;
  CHECK_EQ(tiledb_rs_check(ctx, uri, NULL, note, &seen), TILEDB_ERR);
  CHECK_EQ(seen.findings, 2);
  seen.answer = 1;
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, NULL, note, &seen));
  CHECK_EQ(seen.findings, 5);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, remains_are_removed) {
  char uri[128], file[256];
  Seen seen = {.answer = 1};
  int32_t exists = 0;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  CHECK_EQ(tiledb_config_set(config, "sm.vacuum.garbage_min_age_ms", "0", &error), TILEDB_OK);
  fill(ctx, uri);
  tiledb_vfs_t* vfs = new_vfs(ctx);
  snprintf(file, sizeof file, "%s/__tmp_0123456789abcdef0123456789abcdef", uri);
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, file));
  CHECK_OK(ctx, tiledb_rs_clean(ctx, uri, config, 1, note_removal, &seen));
  CHECK_EQ(seen.findings, 1);
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, file, &exists));
  CHECK_EQ(exists, 1);
  CHECK_OK(ctx, tiledb_rs_check(ctx, uri, config, note, &seen));
  CHECK_EQ(seen.findings, 2);
  CHECK_EQ(seen.severity, TILEDB_RS_REMAINS);
  seen.answer = 0;
  CHECK_OK(ctx, tiledb_rs_clean(ctx, uri, config, 0, note_removal, &seen));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, file, &exists));
  CHECK_EQ(exists, 1);
  CHECK_OK(ctx, tiledb_rs_clean(ctx, uri, config, 0, NULL, NULL));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, file, &exists));
  CHECK_EQ(exists, 0);
  tiledb_vfs_free(&vfs);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, arguments_are_checked) {
  Seen seen = {.answer = 1};
  CHECK_EQ(tiledb_rs_check(ctx, "mem://none", NULL, note, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_check(ctx, "mem://none", NULL, NULL, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_check(ctx, NULL, NULL, note, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_check(NULL, "mem://none", NULL, note, &seen), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_rs_clean(ctx, "mem://none", NULL, 1, note_removal, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_clean(ctx, NULL, NULL, 1, note_removal, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_clean(NULL, "mem://none", NULL, 1, NULL, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(seen.findings, 0);
}
