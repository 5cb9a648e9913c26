/* Objects: the type of a path, walks over trees of arrays and groups, moving and removing. */
#include "harness.h"

#include <sys/stat.h>

/*
 * Creates a folder `name` in `parent` and copies its path to `path` of 256 bytes. Object stores
 * have no empty folders, so it gets a file there.
 */
static void new_folder(const char* parent, const char* name, char* path) {
  CHECK(snprintf(path, 256, "%s/%s", parent, name) < 256);
  if (on_object_store()) {
    char file[300];
    tiledb_ctx_t* ctx = new_context();
    tiledb_vfs_t* vfs = NULL;
    snprintf(file, sizeof file, "%s/file", path);
    CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
    CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, file));
    tiledb_vfs_free(&vfs);
    tiledb_ctx_free(&ctx);
  } else {
    CHECK_EQ(mkdir(path, 0777), 0);
  }
}

/*
 * Creates the array `a`, the group `g` with the array `x`, and the folder `plain` with a
 * subfolder.
 */
static void new_tree(char* root) {
  char path[256], inner[256], ignored[256];
  snprintf(root, 128, "%s", scratch());
  if (!on_object_store()) CHECK_EQ(mkdir(root, 0777), 0);
  new_folder(root, "a", path);
  new_folder(path, "__schema", ignored);
  new_folder(root, "g", path);
  new_folder(path, "__group", ignored);
  new_folder(path, "x", inner);
  new_folder(inner, "__schema", ignored);
  new_folder(root, "plain", path);
  new_folder(path, "inner", ignored);
}

static tiledb_object_t type_of(tiledb_ctx_t* ctx, const char* root, const char* name) {
  char path[256];
  tiledb_object_t type = (tiledb_object_t)99;
  snprintf(path, sizeof path, "%s/%s", root, name);
  CHECK_OK(ctx, tiledb_object_type(ctx, path, &type));
  return type;
}

typedef struct found {
  char names[64];
  int answer;
} found_t;

/* Records the last part of each path, and A or G for the type. */
static int32_t note(const char* path, tiledb_object_t type, void* data) {
  found_t* found = (found_t*)data;
  size_t length = strlen(found->names);
  snprintf(found->names + length, sizeof found->names - length, "%s%c ", strrchr(path, '/') + 1,
      type == TILEDB_ARRAY ? 'A' : 'G');
  return found->answer;
}

TEST_WITH(ctx, object_types_are_determined_by_folder_contents) {
  char root[128];
  new_tree(root);
  CHECK_EQ(type_of(ctx, root, "a"), TILEDB_ARRAY);
  CHECK_EQ(type_of(ctx, root, "g"), TILEDB_GROUP);
  CHECK_EQ(type_of(ctx, root, "g/x"), TILEDB_ARRAY);
  CHECK_EQ(type_of(ctx, root, "plain"), TILEDB_INVALID);
  CHECK_EQ(type_of(ctx, root, "missing"), TILEDB_INVALID);
  CHECK_FAILS(ctx, tiledb_object_type(ctx, root, NULL), "C API: Invalid output pointer for object");
}

TEST_WITH(ctx, walks_have_an_order_and_can_be_stopped) {
  char root[128];
  new_tree(root);
  found_t listed = {"", 1}, before = {"", 1}, after = {"", 1}, stopped = {"", 0};
  CHECK_OK(ctx, tiledb_object_ls(ctx, root, note, &listed));
  CHECK_TEXT(listed.names, "aA gG ");
  CHECK_OK(ctx, tiledb_object_walk(ctx, root, TILEDB_PREORDER, note, &before));
  CHECK_TEXT(before.names, "aA gG xA ");
  CHECK_OK(ctx, tiledb_object_walk(ctx, root, TILEDB_POSTORDER, note, &after));
  CHECK_TEXT(after.names, "aA xA gG ");
  CHECK_OK(ctx, tiledb_object_walk(ctx, root, TILEDB_PREORDER, note, &stopped));
  CHECK_TEXT(stopped.names, "aA ");
}

TEST_WITH(ctx, walks_require_a_callback_which_can_fail_them) {
  char root[128];
  new_tree(root);
  found_t failed = {"", -1};
  CHECK_EQ(tiledb_object_ls(ctx, root, note, &failed), TILEDB_ERR);
  CHECK_TEXT(failed.names, "aA ");
  CHECK_FAILS(ctx, tiledb_object_ls(ctx, root, NULL, NULL), "Cannot initiate object ls; Invalid callback function");
  CHECK_FAILS(ctx, tiledb_object_walk(ctx, root, TILEDB_PREORDER, NULL, NULL),
      "Cannot initiate walk; Invalid callback function");
  CHECK_FAILS(ctx, tiledb_object_ls(ctx, "foo://x", note, &failed),
      "ObjectIter: Cannot create object iterator; Invalid input path");
}

TEST_WITH(ctx, only_objects_are_moved_and_removed) {
  char root[128], group[256], moved[256], plain[256];
  new_tree(root);
  snprintf(group, sizeof group, "%s/g", root);
  snprintf(moved, sizeof moved, "%s/moved", root);
  snprintf(plain, sizeof plain, "%s/plain", root);
  CHECK_OK(ctx, tiledb_object_move(ctx, group, moved));
  CHECK_EQ(type_of(ctx, root, "g"), TILEDB_INVALID);
  CHECK_EQ(type_of(ctx, root, "moved/x"), TILEDB_ARRAY);
  CHECK_OK(ctx, tiledb_object_remove(ctx, moved));
  CHECK_EQ(type_of(ctx, root, "moved"), TILEDB_INVALID);
  CHECK_FAILS(ctx, tiledb_object_move(ctx, plain, moved), "plain'; Invalid TileDB object");
  CHECK_FAILS(ctx, tiledb_object_remove(ctx, plain), "Object: Cannot remove object '");
  CHECK_FAILS(ctx, tiledb_object_move(ctx, plain, "foo://x"), "Object: Cannot move object to 'foo://x'; Invalid URI");
}

TEST_WITH(ctx, missing_paths_are_errors_and_empty_folders_are_not) {
  found_t found = {"", 1};
  tiledb_object_t type = TILEDB_ARRAY;
  char nowhere[128];
  snprintf(nowhere, sizeof nowhere, "%s", scratch());
  CHECK_FAILS(ctx, tiledb_object_type(ctx, NULL, &type), "Filesystem: Unsupported URI scheme: ");
  CHECK_FAILS(ctx, tiledb_object_type(ctx, "", &type), "Filesystem: Unsupported URI scheme: ");
  CHECK_EQ(tiledb_object_remove(ctx, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_object_remove(ctx, "foo://x"), "Object: Cannot remove object 'foo://x'; Invalid URI");
  CHECK_EQ(tiledb_object_remove(ctx, nowhere), TILEDB_ERR);
  CHECK_EQ(tiledb_object_move(ctx, NULL, nowhere), TILEDB_ERR);
  CHECK_EQ(tiledb_object_move(ctx, nowhere, NULL), TILEDB_ERR);
  CHECK_FAILS(ctx, tiledb_object_ls(ctx, NULL, note, &found), "Invalid input path");
  CHECK_FAILS(ctx, tiledb_object_walk(ctx, NULL, TILEDB_PREORDER, note, &found), "Invalid input path");
  CHECK_OK(ctx, tiledb_object_ls(ctx, nowhere, note, &found));
  CHECK_OK(ctx, tiledb_object_walk(ctx, nowhere, TILEDB_POSTORDER, note, &found));
  CHECK_TEXT(found.names, "");
  CHECK_EQ(tiledb_object_type(NULL, nowhere, &type), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_object_remove(NULL, nowhere), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_object_move(NULL, nowhere, nowhere), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_object_ls(NULL, nowhere, note, &found), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_object_walk(NULL, nowhere, TILEDB_PREORDER, note, &found), TILEDB_INVALID_CONTEXT);
}
