/* Statistics: enabling, strings, streams. */
#include "arrays.h"

TEST_WITH(ctx, statistics_are_initially_empty_and_disabled) {
  uint8_t enabled = 9;
  char *all = NULL, *mine = NULL;
  CHECK_EQ(tiledb_stats_is_enabled(&enabled), TILEDB_OK);
  CHECK_EQ(enabled, 0);
  CHECK_EQ(tiledb_stats_is_enabled(NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_stats_dump_str(&all), TILEDB_OK);
  CHECK_TEXT(all, "[\n\n]\n");
  CHECK_EQ(tiledb_stats_free_str(&all), TILEDB_OK);
  CHECK(all == NULL);
  CHECK_OK(ctx, tiledb_ctx_get_stats(ctx, &mine));
  CHECK_TEXT(mine, "");
  tiledb_stats_free_str(&mine);
}

/* Returns a completed read of six cells. */
static tiledb_query_t* read_numbers(tiledb_ctx_t* ctx, tiledb_array_t* array) {
  const int32_t ranges[4] = {1, 2, 1, 3};
  int32_t cells[6];
  uint64_t size = sizeof cells;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, ranges);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  return query;
}

/* Returns whether statistics have a member that begins with this text, and frees them. */
static int tells(char* stats, const char* member) {
  const int found = strstr(stats, member) != NULL;
  tiledb_stats_free_str(&stats);
  return found;
}

static char* of_all(void) {
  char* stats = NULL;
  CHECK_EQ(tiledb_stats_dump_str(&stats), TILEDB_OK);
  return stats;
}

static char* of_context(tiledb_ctx_t* ctx) {
  char* stats = NULL;
  CHECK_OK(ctx, tiledb_ctx_get_stats(ctx, &stats));
  return stats;
}

static char* of_query(tiledb_ctx_t* ctx, tiledb_query_t* query) {
  char* stats = NULL;
  CHECK_OK(ctx, tiledb_query_get_stats(ctx, query, &stats));
  return stats;
}

TEST_WITH(ctx, statistics_are_recorded_without_being_enabled) {
  uint8_t enabled = 9;
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  CHECK(tells(of_context(ctx), "\"Context.VFS.write_byte_num\": "));
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = read_numbers(ctx, array);
  CHECK(tells(of_query(ctx, query), "\"Context.Query.Reader.loop_num\": 1"));
  CHECK(tells(of_query(ctx, query), "\"Context.Query.Reader.dowork.sum\": "));
  CHECK(tells(of_context(ctx), "\"Context.Query.Reader.loop_num\": 1"));
  CHECK(tells(of_context(ctx), "\"Context.Query.Reader.dowork.sum\": "));
  CHECK(tells(of_context(ctx), "\"Context.array_open_READ.sum\": "));
  CHECK(tells(of_all(), "\"Context.Query.Reader.loop_num\": 1"));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_EQ(tiledb_stats_is_enabled(&enabled), TILEDB_OK);
  CHECK_EQ(enabled, 0);
}

TEST_WITH(ctx, statistics_exist_for_queries_and_contexts) {
  char uri[128], *stats = NULL;
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* gone = read_numbers(ctx, array);
  tiledb_query_free(&gone);
  tiledb_query_t* query = read_numbers(ctx, array);
  CHECK(tells(of_query(ctx, query), "\"Context.Query.Reader.loop_num\": 1"));
  CHECK(!tells(of_query(ctx, query), "Context.VFS."));
  CHECK(tells(of_context(ctx), "\"Context.Query.Reader.loop_num\": 2"));
  CHECK_EQ(tiledb_stats_reset(), TILEDB_OK);
  stats = of_query(ctx, query);
  CHECK_TEXT(stats, "");
  tiledb_stats_free_str(&stats);
  stats = of_context(ctx);
  CHECK_TEXT(stats, "");
  tiledb_stats_free_str(&stats);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(enabling_statistics_is_reported) {
  uint8_t enabled = 9;
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
  CHECK_EQ(tiledb_stats_is_enabled(&enabled), TILEDB_OK);
  CHECK_EQ(enabled, 1);
  CHECK_EQ(tiledb_stats_disable(), TILEDB_OK);
  CHECK_EQ(tiledb_stats_is_enabled(&enabled), TILEDB_OK);
  CHECK_EQ(enabled, 0);
}

/* While statistics are disabled libtiledb records them, and this library does not. */
TEST_WITH(ctx, statistics_remain_after_disabling) {
  int32_t is_file = 9;
  tiledb_vfs_t* vfs = NULL;
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, "/no/such/file", &is_file));
  CHECK_EQ(tiledb_stats_disable(), TILEDB_OK);
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, "/no/such/file", &is_file));
  tiledb_vfs_free(&vfs);
#ifdef LIBTILEDB_ITSELF
  CHECK(tells(of_context(ctx), "\"Context.VFS.is_object_num\": 2"));
#else
  CHECK(tells(of_context(ctx), "\"Context.VFS.is_object_num\": 1"));
#endif
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
}

TEST(storage_operations_are_counted) {
  tiledb_ctx_t* ctx = NULL;
  tiledb_vfs_t* vfs = NULL;
  int32_t is_file = 9;
  char *all = NULL, *raw = NULL, *mine = NULL;
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
  ctx = new_context();
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, "/no/such/file", &is_file));
  CHECK_OK(ctx, tiledb_ctx_get_stats(ctx, &mine));
  CHECK_TEXT(mine,
      "{\n  \"timers\": {\n  },\n  \"counters\": {\n    \"Context.VFS.is_object_num\": 1\n  }\n}");
  CHECK_EQ(tiledb_stats_dump_str(&all), TILEDB_OK);
  CHECK_EQ(tiledb_stats_raw_dump_str(&raw), TILEDB_OK);
  CHECK_TEXT(all,
      "[\n  {\n    \"timers\": {\n    },\n    \"counters\": {\n      \"Context.VFS.is_object_num\": 1\n    }\n  }\n]\n");
  CHECK_TEXT(raw, all);
  tiledb_stats_free_str(&all);
  tiledb_stats_free_str(&raw);
  tiledb_stats_free_str(&mine);
  CHECK_EQ(tiledb_stats_reset(), TILEDB_OK);
  CHECK_EQ(tiledb_stats_dump_str(&all), TILEDB_OK);
  CHECK_TEXT(all, "[\n\n]\n");
  tiledb_stats_free_str(&all);
  CHECK_EQ(tiledb_stats_disable(), TILEDB_OK);
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, queries_record_expected_statistics) {
  const int32_t ranges[4] = {1, 2, 1, 3};
  const char* keys[] = {
      "\"Context.array_open_WRITE.sum\": ", "\"Context.array_open_READ.sum\": ", "\"Context.array_open_READ.avg\": ",
      "\"Context.Query.Writer.dowork.sum\": ", "\"Context.Query.Writer.attr_num\": 1", "\"Context.Query.Reader.dowork.sum\": ",
      "\"Context.Query.Reader.loop_num\": 1", "\"Context.Query.Reader.attr_num\": 1",
      "\"Context.Query.Reader.attr_fixed_num\": 1", "\"Context.Query.Reader.num_tiles_read\": 1",
      "\"Context.VFS.read_byte_num\": ", "\"Context.VFS.read_ops_num\": ", "\"Context.VFS.write_byte_num\": ",
  };
  int32_t cells[6] = {1, 2, 3, 4, 5, 6};
  uint64_t size = sizeof cells;
  char uri[128], *mine = NULL;
  CHECK_EQ(tiledb_stats_enable(), TILEDB_OK);
  create_with(ctx, new_number_schema(ctx), uri);
  for (int reads = 0; reads < 2; reads++) {
    const tiledb_query_type_t type = reads ? TILEDB_READ : TILEDB_WRITE;
    tiledb_array_t* array = open_array(ctx, uri, type);
    tiledb_query_t* query = new_query(ctx, array, type, TILEDB_ROW_MAJOR, ranges);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK_OK(ctx, tiledb_ctx_get_stats(ctx, &mine));
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (strstr(mine, keys[i]) == NULL) harness_fail(__FILE__, __LINE__, "%s is missing in %s", keys[i], mine);
  }
  tiledb_stats_free_str(&mine);
  CHECK_EQ(tiledb_stats_reset(), TILEDB_OK);
  CHECK_EQ(tiledb_stats_disable(), TILEDB_OK);
}

TEST(statistics_go_to_a_stream) {
  char text[64] = "";
  FILE* file = tmpfile();
  CHECK(file != NULL);
  CHECK_EQ(tiledb_stats_dump(file), TILEDB_OK);
  CHECK_EQ(tiledb_stats_raw_dump(file), TILEDB_OK);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  CHECK_TEXT(text, "[\n\n]\n[\n\n]\n");
  fclose(file);
}

TEST(statistics_are_printed_to_stdout_without_a_stream) {
  char text[64] = "";
  FILE* file = tmpfile();
  CHECK(file != NULL);
  CHECK_EQ(fflush(stdout), 0);
  const int own = dup(STDOUT_FILENO);
  CHECK(own >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
  printf("before");
  const int32_t dumped = tiledb_stats_dump(NULL);
  printf("after");
  fflush(stdout);
  dup2(own, STDOUT_FILENO);
  close(own);
  CHECK_EQ(dumped, TILEDB_OK);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  CHECK_TEXT(text, "before[\n\n]\nafter");
  fclose(file);
}

TEST(output_pointers_for_strings_are_required) {
  CHECK_EQ(tiledb_stats_dump_str(NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_stats_free_str(NULL), TILEDB_OK);
}
