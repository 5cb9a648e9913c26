/* Statistics: switching, texts, streams. */
#include "arrays.h"

TEST_WITH(ctx, nothing_is_recorded_until_it_is_switched_on) {
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

TEST(what_storage_does_is_counted) {
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

TEST_WITH(ctx, queries_record_what_programs_look_for) {
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
  for (size_t at = 0; at < sizeof keys / sizeof *keys; at++) {
    if (strstr(mine, keys[at]) == NULL) harness_fail(__FILE__, __LINE__, "there is no %s in %s", keys[at], mine);
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

TEST(a_place_for_a_text_is_needed) {
  CHECK_EQ(tiledb_stats_dump_str(NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_stats_free_str(NULL), TILEDB_OK);
}
