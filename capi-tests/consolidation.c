/* Consolidation and vacuum of arrays, and consolidation plans. */
#include "arrays.h"

/* Writes the cells from `first` to `last` of a row at a timestamp. */
static void write_cells(tiledb_ctx_t* ctx, const char* uri, uint64_t time, int32_t row, int32_t first, int32_t last) {
  int32_t box[4] = {row, row, first, last}, numbers[COLUMNS];
  for (int32_t i = 0; i < COLUMNS; i++) numbers[i] = (int32_t)time * 10 + i;
  write_box(ctx, uri, time, box, numbers);
}

/* Creates three fragments with the timestamps 1, 2 and 3: two overlap in tiles, one is separate. */
static void new_array(tiledb_ctx_t* ctx, char* uri) {
  create_with(ctx, new_number_schema(ctx), uri);
  write_cells(ctx, uri, 1, 1, 1, 2);
  write_cells(ctx, uri, 2, 1, 2, 3);
  write_cells(ctx, uri, 3, 4, 5, 6);
}

static tiledb_consolidation_plan_t* new_plan(tiledb_ctx_t* ctx, const char* uri, uint64_t size) {
  tiledb_consolidation_plan_t* plan = NULL;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_consolidation_plan_create_with_mbr(ctx, array, size, &plan));
  close_array(ctx, &array);
  return plan;
}

static uint64_t node_num(tiledb_ctx_t* ctx, tiledb_consolidation_plan_t* plan) {
  uint64_t num = 99;
  CHECK_OK(ctx, tiledb_consolidation_plan_get_num_nodes(ctx, plan, &num));
  return num;
}

static uint64_t fragment_num(tiledb_ctx_t* ctx, tiledb_consolidation_plan_t* plan, uint64_t node) {
  uint64_t num = 99;
  CHECK_OK(ctx, tiledb_consolidation_plan_get_num_fragments(ctx, plan, node, &num));
  return num;
}

TEST_WITH(ctx, overlapping_fragments_share_a_plan_node) {
  char uri[128], expected[1024];
  const char* names[2] = {NULL, NULL};
  char* text = NULL;
  new_array(ctx, uri);
  /* Fragments are larger than half the size, so that small ones are not combined. */
  tiledb_consolidation_plan_t* plan = new_plan(ctx, uri, 1000);
  CHECK_EQ(node_num(ctx, plan), 2);
  CHECK_EQ(fragment_num(ctx, plan, 0), 2);
  CHECK_EQ(fragment_num(ctx, plan, 1), 1);
  for (uint64_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_consolidation_plan_get_fragment_uri(ctx, plan, 0, i, &names[i]));
    CHECK_EQ(strncmp(names[i], i == 0 ? "__1_1_" : "__2_2_", 6), 0);
  }
  const char* last = NULL;
  CHECK_OK(ctx, tiledb_consolidation_plan_get_fragment_uri(ctx, plan, 1, 0, &last));
  snprintf(expected, sizeof expected,
      "{\n  \"nodes\": [\n"
      "    {\n      \"uris\" : [\n        {\n           \"uri\" : \"%s\"\n        },\n"
      "        {\n           \"uri\" : \"%s\"\n        }\n      ]\n    },\n"
      "    {\n      \"uris\" : [\n        {\n           \"uri\" : \"%s\"\n        }\n      ]\n    }\n"
      "  ]\n}\n", names[0], names[1], last);
  CHECK_OK(ctx, tiledb_consolidation_plan_dump_json_str(ctx, plan, &text));
  CHECK_TEXT(text, expected);
  CHECK_EQ(tiledb_consolidation_plan_free_json_str(&text), TILEDB_OK);
  CHECK(text == NULL);
  tiledb_consolidation_plan_free(&plan);
  CHECK(plan == NULL);
}

TEST_WITH(ctx, small_fragments_share_a_plan_node) {
  char uri[128];
  new_array(ctx, uri);
  tiledb_consolidation_plan_t* plan = new_plan(ctx, uri, 1 << 20);
  CHECK_EQ(node_num(ctx, plan), 1);
  CHECK_EQ(fragment_num(ctx, plan, 0), 3);
  tiledb_consolidation_plan_free(&plan);
}

TEST_WITH(ctx, consolidation_of_an_empty_array_does_nothing) {
  char uri[128];
  char* text = NULL;
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_consolidation_plan_t* plan = new_plan(ctx, uri, 1000);
  CHECK_EQ(node_num(ctx, plan), 0);
  CHECK_OK(ctx, tiledb_consolidation_plan_dump_json_str(ctx, plan, &text));
  CHECK_TEXT(text, "{\n  \"nodes\": [\n  ]\n}\n");
  tiledb_consolidation_plan_free_json_str(&text);
  tiledb_consolidation_plan_free(&plan);
}

TEST_WITH(ctx, a_consolidation_has_at_least_one_step) {
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  write_cells(ctx, uri, 1, 1, 1, 2);
  write_cells(ctx, uri, 2, 1, 2, 3);
  tiledb_config_t* config = config_with("sm.consolidation.steps", "0");
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  CHECK_EQ(fragments_of(ctx, uri), 1);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, plan_indexes_out_of_range_are_errors) {
  char uri[128];
  uint64_t num = 0;
  const char* name = NULL;
  const char* no_node = "Error: ConsolidationPlan: Trying to access a node that doesn't exist.";
  new_array(ctx, uri);
  tiledb_consolidation_plan_t *plan = new_plan(ctx, uri, 1000), *none = NULL;
  CHECK_ERROR(ctx, tiledb_consolidation_plan_get_num_fragments(ctx, plan, 2, &num), no_node);
  CHECK_ERROR(ctx, tiledb_consolidation_plan_get_num_fragments(ctx, plan, UINT64_MAX, &num), no_node);
  CHECK_ERROR(ctx, tiledb_consolidation_plan_get_fragment_uri(ctx, plan, 2, 0, &name), no_node);
  CHECK_ERROR(ctx, tiledb_consolidation_plan_get_fragment_uri(ctx, plan, 0, 2, &name),
      "Error: ConsolidationPlan: Trying to access a fragment that doesn't exist.");
  CHECK_FAILS(ctx, tiledb_consolidation_plan_create_with_mbr(ctx, NULL, 1000, &none), "Invalid TileDB array object");
  CHECK_FAILS(ctx, tiledb_consolidation_plan_get_num_nodes(ctx, NULL, &num), "onsolidation plan object");
  tiledb_consolidation_plan_free(&plan);
  tiledb_consolidation_plan_free(&none);
}

static void check_cells(tiledb_ctx_t* ctx, const char* uri) {
  int32_t box[4] = {1, 1, 1, 3}, numbers[3] = {0}, expected[3] = {10, 20, 21};
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, box, numbers), 3);
  CHECK_EQ(memcmp(numbers, expected, sizeof expected), 0);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_node_of_a_plan_can_be_merged) {
  char uri[128];
  const char* names[2] = {NULL, NULL};
  new_array(ctx, uri);
  tiledb_consolidation_plan_t* plan = new_plan(ctx, uri, 1000);
  for (uint64_t i = 0; i < 2; i++)
    CHECK_OK(ctx, tiledb_consolidation_plan_get_fragment_uri(ctx, plan, 0, i, &names[i]));
  CHECK_OK(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 2, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 2);
  check_cells(ctx, uri);
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 2);
  check_cells(ctx, uri);
  tiledb_consolidation_plan_free(&plan);
}

TEST_WITH(ctx, all_fragments_can_be_consolidated_and_vacuumed) {
  tiledb_config_t* config = config_with("sm.consolidation.amplification", "100");
  char uri[128];
  new_array(ctx, uri);
  /* One fragment would have many more cells than were written, which must be allowed explicitly. */
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 3);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  CHECK_EQ(fragments_of(ctx, uri), 1);
  check_cells(ctx, uri);
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 1);
  check_cells(ctx, uri);
  CHECK_EQ(tiledb_array_consolidate(ctx, "/no/such/array", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_consolidate(NULL, uri, NULL), TILEDB_INVALID_CONTEXT);
  tiledb_config_free(&config);
}

/*
 * Creates sixteen tiles of 4 x 4 numbers of 84 bytes each, written twice, and consolidates them
 * into fragments of at most `size` bytes.
 */
static void divide(tiledb_ctx_t* ctx, char* uri, const char* most, tiledb_layout_t tile_order) {
  const int32_t all[4] = {1, 16, 1, 16};
  int32_t numbers[256];
  tiledb_array_schema_t* schema =
      schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "row", 16, 4), new_dimension(ctx, "column", 16, 4));
  CHECK_OK(ctx, tiledb_array_schema_set_tile_order(ctx, schema, tile_order));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  for (uint64_t time = 1; time <= 2; time++) {
    for (int32_t i = 0; i < 256; i++) numbers[i] = (int32_t)time * 1000 + i;
    write_box(ctx, uri, time, all, numbers);
  }
  tiledb_config_t* config = config_with("sm.consolidation.max_fragment_size", most);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
  tiledb_config_free(&config);
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  memset(numbers, 0, sizeof numbers);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, all, numbers), 256);
  for (int32_t i = 0; i < 256; i++) CHECK_EQ(numbers[i], 2000 + i);
  close_array(ctx, &array);
}

/*
 * Returns the number of fragments that have `rows` rows and `columns` columns; all have both
 * timestamps.
 */
static int boxes(tiledb_ctx_t* ctx, const char* uri, int32_t rows, int32_t columns) {
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  uint32_t num = 0;
  int found = 0;
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &num));
  for (uint32_t i = 0; i < num; i++) {
    int32_t row[2], column[2];
    uint64_t start = 0, end = 0;
    CHECK_OK(ctx, tiledb_fragment_info_get_timestamp_range(ctx, info, i, &start, &end));
    CHECK(start == 1 && end == 2);
    CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, i, 0, row));
    CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, i, 1, column));
    found += row[1] - row[0] + 1 == rows && column[1] - column[0] + 1 == columns;
  }
  tiledb_fragment_info_free(&info);
  return found;
}

TEST_WITH(ctx, consolidated_dense_fragments_are_divided_into_boxes) {
  char uri[128];
  divide(ctx, uri, "700", TILEDB_ROW_MAJOR);
  CHECK_EQ(fragments_of(ctx, uri), 2);
  CHECK_EQ(boxes(ctx, uri, 8, 16), 2);
  divide(ctx, uri, "700", TILEDB_COL_MAJOR);
  CHECK_EQ(fragments_of(ctx, uri), 2);
  CHECK_EQ(boxes(ctx, uri, 16, 8), 2);
  divide(ctx, uri, "320", TILEDB_ROW_MAJOR);
  CHECK_EQ(fragments_of(ctx, uri), 8);
  CHECK_EQ(boxes(ctx, uri, 4, 12), 4);
  CHECK_EQ(boxes(ctx, uri, 4, 4), 4);
  divide(ctx, uri, "84", TILEDB_ROW_MAJOR);
  CHECK_EQ(boxes(ctx, uri, 4, 4), 16);
}

TEST_WITH(ctx, fragment_sizes_below_one_tile_are_rejected) {
  tiledb_config_t* config = config_with("sm.consolidation.max_fragment_size", "20");
  char uri[128];
  set_param(config, "sm.consolidation.amplification", "100");
  new_array(ctx, uri);
  CHECK_FAILS(ctx, tiledb_array_consolidate(ctx, uri, config), "Fragment size is too small to write a single tile");
  CHECK_EQ(fragments_of(ctx, uri), 3);
  check_cells(ctx, uri);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, vacuum_requires_an_array_and_a_valid_mode) {
  char uri[128];
  new_array(ctx, uri);
  tiledb_config_t* config = config_with("sm.vacuum.mode", "everything");
  CHECK_FAILS(ctx, tiledb_array_vacuum(ctx, uri, config), "invalid configuration mode");
  CHECK_EQ(tiledb_array_vacuum(NULL, uri, NULL), TILEDB_INVALID_CONTEXT);
  /* Nothing was consolidated, so nothing is removed. */
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  CHECK_EQ(fragments_of(ctx, uri), 3);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, vacuum_checks_the_parameters_of_consolidation) {
  const char* params[][2] = {
      {"sm.consolidation.amplification", "-1"},       {"sm.consolidation.step_size_ratio", "0x10"},
      {"sm.consolidation.timestamp_end", "x"},        {"sm.mem.consolidation.buffers_weight", "x"},
      {"sm.mem.consolidation.reader_weight", "-1"},   {"sm.mem.consolidation.writer_weight", ""},
  };
  char uri[128];
  new_array(ctx, uri);
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    tiledb_config_t* config = config_with(params[i][0], params[i][1]);
    CHECK_EQ(tiledb_array_consolidate(ctx, uri, config), TILEDB_ERR);
    CHECK_EQ(tiledb_array_vacuum(ctx, uri, config), TILEDB_ERR);
    set_param(config, "sm.vacuum.mode", "commits");
    CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, config));
    tiledb_config_free(&config);
  }
  CHECK_EQ(fragments_of(ctx, uri), 3);
}

TEST_WITH(ctx, a_key_without_a_type_or_a_type_without_a_key_is_ignored) {
  const char* modes[] = {"fragment_meta", "commits", "fragments"};
  char uri[128];
  new_array(ctx, uri);
  tiledb_config_t* config = config_with("sm.consolidation.amplification", "100");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    set_param(config, "sm.consolidation.mode", modes[i]);
    set_param(config, "sm.encryption_key", "short");
    set_param(config, "sm.encryption_type", "NO_ENCRYPTION");
    CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
    set_param(config, "sm.encryption_key", "");
    set_param(config, "sm.encryption_type", "unknown");
    CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, config));
    set_param(config, "sm.encryption_key", "short");
    CHECK_EQ(tiledb_array_consolidate(ctx, uri, config), TILEDB_ERR);
    set_param(config, "sm.encryption_type", "AES_256_GCM");
    CHECK_EQ(tiledb_array_consolidate(ctx, uri, config), TILEDB_ERR);
  }
  tiledb_config_free(&config);
  check_cells(ctx, uri);
}

/*
 * Creates two fragments and one with a timestamp between theirs that overlaps both. Consolidating
 * only the two would hide the third.
 */
TEST_WITH(ctx, fragments_are_not_consolidated_across_overlapping_ones) {
  char uri[128], fragment_names[3][256];
  const char *found = NULL, *names[2] = {fragment_names[0], fragment_names[2]};
  create_with(ctx, new_number_schema(ctx), uri);
  write_cells(ctx, uri, 1, 1, 1, 3);
  write_cells(ctx, uri, 2, 1, 1, 4);
  write_cells(ctx, uri, 3, 1, 3, 5);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  for (uint32_t i = 0; i < 3; i++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, i, &found));
    snprintf(fragment_names[i], 256, "%s", strrchr(found, '/') + 1);
  }
  tiledb_fragment_info_free(&info);
  char text[600];
  snprintf(text, sizeof text,
           "FragmentConsolidator: Cannot consolidate; The non-empty domain of the fragment with URI: %s overlaps with the "
           "union of the non-empty domains of the fragments selected for consolidation and was created before these "
           "fragments. For more information refer to our documentation on consolidation for Dense arrays.",
           fragment_names[1]);
  CHECK_FAILS(ctx, tiledb_array_consolidate_fragments(ctx, uri, names, 2, NULL), text);
  CHECK_EQ(fragments_of(ctx, uri), 3);
}
