/*
 * Maintenance: the size of consolidated fragments, modes and limits, moving groups, missing paths.
 */
#include "arrays.h"

/* Writes a box of the array of new_number_schema: numbers from `first` on. */
static void write_from(tiledb_ctx_t* ctx, const char* uri, uint64_t time, const int32_t* box, int32_t first) {
  int32_t numbers[CELLS];
  for (int i = 0; i < CELLS; i++) numbers[i] = first + i;
  write_box(ctx, uri, time, box, numbers);
}

/* Returns the number of fragments; copies rows and columns of the first one to `box`. */
static uint32_t fragments_in(tiledb_ctx_t* ctx, const char* uri, int32_t* box) {
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  uint32_t num = 0;
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &num));
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 0, box));
  CHECK_OK(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 1, box + 2));
  tiledb_fragment_info_free(&info);
  return num;
}

/*
 * Creates the array of new_number_schema with a current domain of its first rows and columns, or
 * none for 0.
 */
static void create_used(tiledb_ctx_t* ctx, int32_t rows, int32_t columns, char* uri) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  const int32_t box[4] = {1, rows, 1, columns};
  if (rows != 0) set_current_domain(ctx, schema, box);
  create_with(ctx, schema, uri);
}

TEST_WITH(ctx, consolidated_fragments_do_not_exceed_the_current_domain) {
  static const int32_t left[4] = {1, 1, 1, 2}, right[4] = {3, 3, 3, 4}, upper[4] = {1, 2, 1, 2}, adjacent[4] = {1, 1, 2, 3};
  char uri[128];
  int32_t box[4];
  for (int used = 0; used < 2; used++) {
    create_used(ctx, used ? 3 : 0, 4, uri);
    write_from(ctx, uri, 1, left, 100);
    write_from(ctx, uri, 2, right, 200);
    CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
    /*
     * Together they have 12 cells of a box: as many as their tiles have, but more than the current
     * domain.
     */
    CHECK_EQ(fragments_in(ctx, uri, box), used ? 2 : 1);
    CHECK_EQ(box[1], used ? 1 : 3);
    create_used(ctx, used ? 3 : 0, 4, uri);
    write_from(ctx, uri, 1, upper, 100);
    write_from(ctx, uri, 2, adjacent, 200);
    CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
    CHECK_EQ(fragments_in(ctx, uri, box), 1);
    CHECK(box[0] == 1 && box[1] == 2 && box[2] == 1 && box[3] == 3);
  }
}

static int32_t consolidate(tiledb_ctx_t* ctx, const char* uri, const char* name, const char* value) {
  tiledb_config_t* config = config_with(name, value);
  int32_t answer = tiledb_array_consolidate(ctx, uri, config);
  tiledb_config_free(&config);
  return answer;
}

static int32_t vacuum(tiledb_ctx_t* ctx, const char* uri, const char* mode) {
  tiledb_config_t* config = config_with("sm.vacuum.mode", mode);
  int32_t answer = tiledb_array_vacuum(ctx, uri, config);
  tiledb_config_free(&config);
  return answer;
}

TEST_WITH(ctx, consolidation_and_vacuum_check_mode_limits_and_array) {
  static const char* const modes[] = {"fragments", "fragment_meta", "commits", "array_meta"};
  static const int32_t corner[4] = {1, 1, 1, 2};
  char uri[128];
  create_used(ctx, 0, 0, uri);
  for (int written = 0; written < 2; written++) {
    for (int i = 0; i < 4; i++) {
      CHECK_OK(ctx, consolidate(ctx, uri, "sm.consolidation.mode", modes[i]));
      CHECK_OK(ctx, vacuum(ctx, uri, modes[i]));
    }
    write_from(ctx, uri, 1, corner, 1);
  }
  CHECK_FAILS(
      ctx, consolidate(ctx, uri, "sm.consolidation.mode", "nonsense"), "Cannot consolidate; invalid configuration mode");
  CHECK_FAILS(ctx, vacuum(ctx, uri, "nonsense"), "Cannot consolidate; invalid configuration mode");
  CHECK_ERROR(
      ctx, consolidate(ctx, uri, "sm.consolidation.mode", "group_meta"),
      "Group: Cannot open group; Group does not exist.");
  CHECK_ERROR(ctx, vacuum(ctx, uri, "group_meta"), "Group: Cannot open group; Group does not exist.");
  write_from(ctx, uri, 2, corner, 2);
  CHECK_ERROR(
      ctx, consolidate(ctx, uri, "sm.consolidation.step_max_frags", "1"),
      "FragmentConsolidator: Invalid configuration; Minimum fragments config parameter is larger than the maximum");
  CHECK_ERROR(
      ctx, consolidate(ctx, uri, "sm.consolidation.step_size_ratio", "2"),
      "FragmentConsolidator: Invalid configuration; Step size ratio config parameter must be in [0.0, 1.0]");
  CHECK_ERROR(
      ctx, consolidate(ctx, uri, "sm.consolidation.amplification", "-1"),
      "FragmentConsolidator: Invalid configuration; Amplification config parameter must be non-negative");
  CHECK_ERROR(
      ctx, tiledb_array_vacuum(ctx, "/none/such", NULL), "TileDB internal: Cannot open array; Array does not exist.");
  CHECK_EQ(tiledb_array_vacuum(ctx, NULL, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_consolidate(ctx, NULL, NULL), TILEDB_ERR);
}

TEST_WITH(ctx, members_with_relative_names_move_with_their_group) {
  char path[128], member[192], moved[128];
  tiledb_group_t* group = NULL;
  snprintf(path, sizeof path, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, path));
  snprintf(member, sizeof member, "%s/m", path);
  CHECK_OK(ctx, tiledb_group_create(ctx, member));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "m", 1, "one"));
  CHECK_EQ(tiledb_group_add_member(ctx, group, "n", 1, "one"), TILEDB_ERR);
  CHECK_EQ(tiledb_group_remove_member(ctx, group, "one"), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
  snprintf(moved, sizeof moved, "%s", scratch());
  CHECK_OK(ctx, tiledb_object_move(ctx, path, moved));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, moved, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
  tiledb_string_t* uri = NULL;
  tiledb_object_t kind = TILEDB_INVALID;
  uint8_t relative = 9;
  CHECK_OK(ctx, tiledb_group_get_member_by_name_v2(ctx, group, "one", &uri, &kind));
  CHECK_EQ(kind, TILEDB_GROUP);
  snprintf(member, sizeof member, "%s/m", uri_of(moved));
  CHECK_TEXT(text_of(&uri), member);
  CHECK_OK(ctx, tiledb_group_get_is_relative_uri_by_name(ctx, group, "one", &relative));
  CHECK_EQ(relative, 1);
  CHECK_EQ(tiledb_group_delete_group(ctx, group, moved, 1), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_MODIFY_EXCLUSIVE));
  CHECK_OK(ctx, tiledb_group_delete_group(ctx, group, moved, 1));
  tiledb_group_free(&group);
}

TEST_WITH(ctx, missing_objects_cannot_be_removed_and_are_listed_as_empty) {
  tiledb_vfs_t* vfs = NULL;
  char folder[128], file[160];
  uint64_t size = 7;
  int32_t is = 9;
  snprintf(folder, sizeof folder, "%s", scratch());
  snprintf(file, sizeof file, "%s/f", folder);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  /* Object stores do not report that there is nothing to remove. */
  if (!on_object_store()) {
    CHECK_EQ(tiledb_vfs_remove_file(ctx, vfs, folder), TILEDB_ERR);
    CHECK_EQ(tiledb_vfs_remove_dir(ctx, vfs, folder), TILEDB_ERR);
  }
  CHECK_EQ(tiledb_vfs_file_size(ctx, vfs, folder, &size), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_dir_size(ctx, vfs, folder, &size), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_vfs_is_dir(ctx, vfs, folder, &is));
  CHECK_EQ(is, 0);
  for (int twice = 0; twice < 2; twice++) {
    CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, folder));
    CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, file));
  }
  if (!on_object_store()) CHECK_EQ(tiledb_vfs_remove_file(ctx, vfs, folder), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_copy_file(ctx, vfs, "/nope/x", file), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_move_file(ctx, vfs, "/nope/x", file), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_move_dir(ctx, vfs, "/nope/x", file), TILEDB_ERR);
  tiledb_vfs_free(&vfs);
}
