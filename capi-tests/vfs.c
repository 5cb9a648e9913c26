/* The virtual file system on local disk and in memory. */
#include "harness.h"

typedef struct {
  int calls;
  int32_t answer;
  uint64_t sizes;
  int folders;
  char last[256];
} seen_t;

static int32_t on_name(const char* path, void* data) {
  seen_t* seen = (seen_t*)data;
  seen->calls++;
  snprintf(seen->last, sizeof seen->last, "%s", path);
  return seen->answer;
}

static int32_t on_object(const char* path, size_t length, uint64_t size, void* data) {
  seen_t* seen = (seen_t*)data;
  if (strlen(path) != length) return -1;
  seen->sizes += size;
  return on_name(path, data);
}

static int32_t on_object_v2(const char* path, size_t length, uint64_t size, uint8_t is_folder, void* data) {
  ((seen_t*)data)->folders += is_folder;
  return on_object(path, length, size, data);
}

static tiledb_vfs_t* new_vfs(tiledb_ctx_t* ctx) {
  tiledb_vfs_t* vfs = NULL;
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  return vfs;
}

/* Returns FOLDER/NAME. Valid until the second next call. */
static const char* in(const char* folder, const char* name) {
  static char paths[2][256];
  static int turn = 0;
  turn = !turn;
  snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
  return paths[turn];
}

static void put(tiledb_ctx_t* ctx, tiledb_vfs_t* vfs, const char* uri, tiledb_vfs_mode_t mode, const char* text) {
  tiledb_vfs_fh_t* file = NULL;
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, uri, mode, &file));
  CHECK_OK(ctx, tiledb_vfs_write(ctx, file, text, strlen(text)));
  CHECK_OK(ctx, tiledb_vfs_close(ctx, file));
  tiledb_vfs_fh_free(&file);
  CHECK(file == NULL);
}

static void check_content(tiledb_ctx_t* ctx, tiledb_vfs_t* vfs, const char* uri, const char* text) {
  tiledb_vfs_fh_t* file = NULL;
  char bytes[64] = "";
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_vfs_file_size(ctx, vfs, uri, &size));
  CHECK_EQ(size, strlen(text));
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file));
  CHECK_OK(ctx, tiledb_vfs_read(ctx, file, 0, bytes, size));
  CHECK_TEXT(bytes, text);
  CHECK_OK(ctx, tiledb_vfs_close(ctx, file));
  tiledb_vfs_fh_free(&file);
}

/* Checks the behaviour of every storage that has folders. */
static void check_storage(const char* folder) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_vfs_t* vfs = new_vfs(ctx);
  int32_t is = 9;
  uint64_t size = 9;
  seen_t seen = {0, 1, 0, 0, ""};
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, in(folder, "a/b")));
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, in(folder, "a/b")));
  CHECK_OK(ctx, tiledb_vfs_is_dir(ctx, vfs, in(folder, "a"), &is));
  CHECK_EQ(is, 1);
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, in(folder, "a"), &is));
  CHECK_EQ(is, 0);
  put(ctx, vfs, in(folder, "a/file"), TILEDB_VFS_WRITE, "hello");
  put(ctx, vfs, in(folder, "a/file"), TILEDB_VFS_APPEND, " you");
  check_content(ctx, vfs, in(folder, "a/file"), "hello you");
  put(ctx, vfs, in(folder, "a/file"), TILEDB_VFS_WRITE, "again");
  check_content(ctx, vfs, in(folder, "a/file"), "again");
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, in(folder, "a/empty")));
  if (strncmp(folder, "mem://", 6) != 0) /* in memory, libtiledb empties the file */
    CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, in(folder, "a/file")));
  CHECK_OK(ctx, tiledb_vfs_dir_size(ctx, vfs, folder, &size));
  CHECK_EQ(size, 5);
  CHECK_OK(ctx, tiledb_vfs_ls(ctx, vfs, in(folder, "a"), on_name, &seen));
  CHECK_EQ(seen.calls, 3);
  CHECK(strstr(seen.last, "/a/file") != NULL);
  CHECK_OK(ctx, tiledb_vfs_ls(ctx, vfs, in(folder, "none"), on_name, &seen));
  CHECK_EQ(seen.calls, 3);
  CHECK_OK(ctx, tiledb_vfs_move_file(ctx, vfs, in(folder, "a/file"), in(folder, "moved")));
  check_content(ctx, vfs, in(folder, "moved"), "again");
  CHECK_OK(ctx, tiledb_vfs_move_dir(ctx, vfs, in(folder, "a"), in(folder, "c")));
  CHECK_OK(ctx, tiledb_vfs_is_dir(ctx, vfs, in(folder, "c/b"), &is));
  CHECK_EQ(is, 1);
  CHECK_OK(ctx, tiledb_vfs_remove_file(ctx, vfs, in(folder, "moved")));
  CHECK_EQ(tiledb_vfs_remove_file(ctx, vfs, in(folder, "moved")), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_file_size(ctx, vfs, in(folder, "moved"), &size), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_vfs_remove_dir(ctx, vfs, in(folder, "c")));
  CHECK_EQ(tiledb_vfs_remove_dir(ctx, vfs, in(folder, "c")), TILEDB_ERR);
  tiledb_vfs_free(&vfs);
  CHECK(vfs == NULL);
  tiledb_ctx_free(&ctx);
}

TEST(local_files_behave_as_files) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_vfs_t* vfs = new_vfs(ctx);
  const char* folder = scratch();
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, folder));
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
  check_storage(folder);
}

TEST(files_in_memory_behave_as_files) { check_storage("mem://folder"); }

TEST_WITH(ctx, files_in_memory_belong_to_one_file_system) {
  tiledb_vfs_t *one = new_vfs(ctx), *other = new_vfs(ctx);
  int32_t is = 9;
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, one, "mem://file"));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, one, "mem://file", &is));
  CHECK_EQ(is, 1);
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, other, "mem://file", &is));
  CHECK_EQ(is, 0);
  CHECK_FAILS(
      ctx,
      tiledb_vfs_touch(ctx, one, "mem://none/file"),
      "MemFS: Failed to create file, the parent directory doesn't exist.");
  tiledb_vfs_free(&one);
  tiledb_vfs_free(&other);
}

TEST_WITH(ctx, walks_descend_stop_and_fail_as_the_callback_requests) {
  tiledb_vfs_t* vfs = new_vfs(ctx);
  char folder[128];
  seen_t seen = {0, 1, 0, 0, ""};
  snprintf(folder, sizeof folder, "%s", scratch());
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, in(folder, "a/b")));
  put(ctx, vfs, in(folder, "a/b/file"), TILEDB_VFS_WRITE, "abc");
  put(ctx, vfs, in(folder, "c"), TILEDB_VFS_WRITE, "de");
  CHECK_OK(ctx, tiledb_vfs_ls_recursive_v2(ctx, vfs, folder, on_object_v2, &seen));
  CHECK_EQ(seen.calls, 4);
  CHECK_EQ(seen.folders, 2);
  CHECK_EQ(seen.sizes, 5);
  CHECK(strncmp(seen.last, "file:///", 8) == 0);
  seen.calls = 0;
  CHECK_OK(ctx, tiledb_vfs_ls_recursive(ctx, vfs, folder, on_object, &seen));
  CHECK_EQ(seen.calls, 4);
  seen.calls = 0;
  seen.answer = 0;
  CHECK_OK(ctx, tiledb_vfs_ls_recursive(ctx, vfs, folder, on_object, &seen));
  CHECK_OK(ctx, tiledb_vfs_ls_recursive_v2(ctx, vfs, folder, on_object_v2, &seen));
  CHECK_OK(ctx, tiledb_vfs_ls(ctx, vfs, folder, on_name, &seen));
  CHECK_EQ(seen.calls, 3);
  seen.answer = -1;
  CHECK_FAILS(
      ctx, tiledb_vfs_ls_recursive(ctx, vfs, folder, on_object, &seen), "LsScan: Error in user callback");
  CHECK_EQ(tiledb_vfs_ls(ctx, vfs, folder, on_name, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_ls_recursive(ctx, vfs, in(folder, "none"), on_object, &seen), TILEDB_ERR);
  CHECK_FAILS(ctx, tiledb_vfs_ls_recursive(ctx, vfs, NULL, on_object, &seen), "VFS passed a null path.");
  CHECK_FAILS(ctx, tiledb_vfs_ls_recursive(ctx, vfs, folder, NULL, &seen), "Callback function is null.");
  CHECK_FAILS(ctx, tiledb_vfs_ls(ctx, vfs, folder, NULL, &seen), "Invalid TileDB object: callback function");
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, file_handles_allow_operations_of_their_mode) {
  tiledb_vfs_t* vfs = new_vfs(ctx);
  tiledb_vfs_fh_t* file = NULL;
  const char* uri = scratch();
  char bytes[8] = "";
  int32_t is = 9;
  CHECK_FAILS(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file), "File does not exist");
  CHECK_FAILS(ctx, tiledb_vfs_open(ctx, vfs, NULL, TILEDB_VFS_READ, &file), "C API: Invalid TileDB object: uri");
  CHECK(file == NULL);
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_WRITE, &file));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, uri, &is));
  CHECK_EQ(is, 0);
  CHECK_OK(ctx, tiledb_vfs_write(ctx, file, "abcdef", 6));
  CHECK_OK(ctx, tiledb_vfs_sync(ctx, file));
  CHECK_OK(ctx, tiledb_vfs_read(ctx, file, 1, bytes, 3));
  CHECK_TEXT(bytes, "bcd");
  CHECK_FAILS(ctx, tiledb_vfs_read(ctx, file, 5, bytes, 3), "Read exceeds file size: offset 5, nbytes 3, file_size 6");
  CHECK_FAILS(ctx, tiledb_vfs_read(ctx, file, 0, NULL, 3), "Invalid output pointer for object");
  CHECK_OK(ctx, tiledb_vfs_fh_is_closed(ctx, file, &is));
  CHECK_EQ(is, 0);
  CHECK_OK(ctx, tiledb_vfs_close(ctx, file));
  CHECK_OK(ctx, tiledb_vfs_fh_is_closed(ctx, file, &is));
  CHECK_EQ(is, 1);
  CHECK_FAILS(ctx, tiledb_vfs_close(ctx, file), "File is not open");
  CHECK_FAILS(ctx, tiledb_vfs_write(ctx, file, "a", 1), "File is not open");
  CHECK_FAILS(ctx, tiledb_vfs_read(ctx, file, 0, bytes, 1), "File is not open");
  CHECK_FAILS(ctx, tiledb_vfs_sync(ctx, file), "File is not open");
  tiledb_vfs_fh_free(&file);
  CHECK_FAILS(ctx, tiledb_vfs_write(ctx, file, "a", 1), "Invalid TileDB vfs file handle object");
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_WRITE, &file));
  CHECK_OK(ctx, tiledb_vfs_close(ctx, file));
  check_content(ctx, vfs, uri, "");
  tiledb_vfs_fh_free(&file);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, buckets_and_unknown_schemes_are_rejected) {
  tiledb_vfs_t* vfs = new_vfs(ctx);
  int32_t is = 9;
  CHECK_FAILS(
      ctx,
      tiledb_vfs_create_bucket(ctx, vfs, "mem://b"),
      "Filesystem: create_bucket is not supported on the given filesystem.");
  CHECK_FAILS(ctx, tiledb_vfs_is_bucket(ctx, vfs, "/tmp", &is), "is_bucket is not supported");
  CHECK_FAILS(ctx, tiledb_vfs_is_empty_bucket(ctx, vfs, "/tmp", &is), "is_empty_bucket is not supported");
  CHECK_FAILS(ctx, tiledb_vfs_empty_bucket(ctx, vfs, "/tmp"), "empty_bucket is not supported");
  CHECK_FAILS(ctx, tiledb_vfs_remove_bucket(ctx, vfs, "/tmp"), "remove_bucket is not supported");
  CHECK_FAILS(ctx, tiledb_vfs_is_file(ctx, vfs, "foo://x", &is), "Filesystem: Unsupported URI scheme: ");
  CHECK_FAILS(ctx, tiledb_vfs_is_file(ctx, vfs, NULL, &is), "Filesystem: Unsupported URI scheme: ");
  CHECK_FAILS(ctx, tiledb_vfs_move_file(ctx, vfs, "/tmp/none", "mem://none"), "move_file is not supported");
  CHECK_FAILS(ctx, tiledb_vfs_is_file(ctx, NULL, "/x", &is), "Invalid TileDB vfs object");
  CHECK_EQ(is, 9);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, null_paths_and_outputs_are_errors) {
  const char *none = "Filesystem: Unsupported URI scheme: ", *nowhere = "C API: Invalid output pointer for object";
  tiledb_vfs_t* vfs = new_vfs(ctx);
  tiledb_vfs_fh_t* file = NULL;
  char uri[128];
  uint64_t size = 0;
  int32_t is = 9;
  seen_t seen = {0, 1, 0, 0, ""};
  snprintf(uri, sizeof uri, "%s", scratch());
  CHECK_FAILS(ctx, tiledb_vfs_create_dir(ctx, vfs, NULL), none);
  CHECK_FAILS(ctx, tiledb_vfs_is_dir(ctx, vfs, NULL, &is), none);
  CHECK_FAILS(ctx, tiledb_vfs_remove_dir(ctx, vfs, NULL), none);
  CHECK_FAILS(ctx, tiledb_vfs_remove_file(ctx, vfs, NULL), none);
  CHECK_FAILS(ctx, tiledb_vfs_dir_size(ctx, vfs, NULL, &size), none);
  CHECK_FAILS(ctx, tiledb_vfs_file_size(ctx, vfs, NULL, &size), none);
  CHECK_FAILS(ctx, tiledb_vfs_touch(ctx, vfs, NULL), none);
  CHECK_FAILS(ctx, tiledb_vfs_move_file(ctx, vfs, NULL, uri), none);
  CHECK_FAILS(ctx, tiledb_vfs_move_dir(ctx, vfs, uri, NULL), none);
  CHECK_FAILS(ctx, tiledb_vfs_copy_file(ctx, vfs, uri, NULL), none);
  CHECK_FAILS(ctx, tiledb_vfs_copy_dir(ctx, vfs, NULL, uri), none);
  CHECK_FAILS(ctx, tiledb_vfs_ls(ctx, vfs, NULL, on_name, &seen), none);
  CHECK_FAILS(ctx, tiledb_vfs_is_file(ctx, vfs, uri, NULL), nowhere);
  CHECK_FAILS(ctx, tiledb_vfs_is_dir(ctx, vfs, uri, NULL), nowhere);
  CHECK_FAILS(ctx, tiledb_vfs_file_size(ctx, vfs, uri, NULL), nowhere);
  CHECK_FAILS(ctx, tiledb_vfs_dir_size(ctx, vfs, uri, NULL), nowhere);
  CHECK_FAILS(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, NULL), nowhere);
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_WRITE, &file));
  for (uint64_t size = 0; size <= 3; size += 3)
    CHECK_ERROR(ctx, tiledb_vfs_write(ctx, file, NULL, size), "TileDB internal: buffer must not be nullptr");
  CHECK_OK(ctx, tiledb_vfs_write(ctx, file, "abc", 0));
  CHECK_OK(ctx, tiledb_vfs_close(ctx, file));
  check_content(ctx, vfs, uri, "");
  tiledb_vfs_fh_free(&file);
  CHECK_EQ(seen.calls, 0);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, copies_go_within_a_storage_and_between_two) {
  tiledb_vfs_t* vfs = new_vfs(ctx);
  char folder[128];
  snprintf(folder, sizeof folder, "%s", scratch());
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, folder));
  put(ctx, vfs, in(folder, "a"), TILEDB_VFS_WRITE, "abc");
  CHECK_OK(ctx, tiledb_vfs_copy_file(ctx, vfs, in(folder, "a"), in(folder, "b")));
  check_content(ctx, vfs, in(folder, "b"), "abc");
  CHECK_OK(ctx, tiledb_vfs_copy_file(ctx, vfs, in(folder, "a"), "mem://c"));
  check_content(ctx, vfs, "mem://c", "abc");
  CHECK_OK(ctx, tiledb_vfs_copy_dir(ctx, vfs, folder, in(folder, "../copy")));
  check_content(ctx, vfs, in(folder, "../copy/b"), "abc");
  CHECK_EQ(tiledb_vfs_copy_file(ctx, vfs, in(folder, "none"), in(folder, "d")), TILEDB_ERR);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, errors_name_local_files_by_their_path) {
  tiledb_vfs_t* vfs = new_vfs(ctx);
  tiledb_vfs_fh_t* file = NULL;
  char none[128], folder[128], uri[160], text[256];
  uint64_t size = 0;
  snprintf(none, sizeof none, "%s", scratch_file());
  snprintf(folder, sizeof folder, "%s", scratch_file());
  snprintf(uri, sizeof uri, "file://%s", none);
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, folder));
  for (int i = 0; i < 2; i++) {
    const char* name = i == 0 ? none : uri;
    snprintf(text, sizeof text, "IO Error: Cannot get file size of '%s'; No such file or directory", none);
    CHECK_ERROR(ctx, tiledb_vfs_file_size(ctx, vfs, name, &size), text);
    snprintf(text, sizeof text, "IO Error: Cannot delete file '%s'; No such file or directory", none);
    CHECK_ERROR(ctx, tiledb_vfs_remove_file(ctx, vfs, name), text);
    snprintf(text, sizeof text, "IO Error: Cannot move path: No such file or directory");
    CHECK_ERROR(ctx, tiledb_vfs_move_file(ctx, vfs, name, in(folder, "to")), text);
    CHECK_ERROR(ctx, tiledb_vfs_move_dir(ctx, vfs, name, in(folder, "to")), text);
  }
  snprintf(text, sizeof text, "IO Error: Failed to create file '%s'; Is a directory", folder);
  CHECK_ERROR(ctx, tiledb_vfs_touch(ctx, vfs, folder), text);
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, folder, TILEDB_VFS_WRITE, &file));
  snprintf(text, sizeof text, "IO Error: Cannot open file '%s'; Is a directory", folder);
  CHECK_ERROR(ctx, tiledb_vfs_write(ctx, file, "abc", 3), text);
  tiledb_vfs_fh_free(&file);
  put(ctx, vfs, none, TILEDB_VFS_WRITE, "abc");
  CHECK_OK(ctx, tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file));
  snprintf(
      text, sizeof text,
      "IO Error: Cannot read from file; Read exceeds file size: offset 1, nbytes 3, file_size 3, URI %s", none);
  CHECK_ERROR(ctx, tiledb_vfs_read(ctx, file, 1, folder, 3), text);
  tiledb_vfs_fh_free(&file);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, copying_a_file_as_a_folder_copies_the_file) {
  tiledb_vfs_t* vfs = new_vfs(ctx);
  char folder[128];
  snprintf(folder, sizeof folder, "%s", scratch_file());
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, folder));
  CHECK_OK(ctx, tiledb_vfs_create_dir(ctx, vfs, in(folder, "into")));
  put(ctx, vfs, in(folder, "file"), TILEDB_VFS_WRITE, "abc");
  CHECK_OK(ctx, tiledb_vfs_copy_dir(ctx, vfs, in(folder, "file"), in(folder, "into")));
  check_content(ctx, vfs, in(folder, "into/file"), "abc");
  CHECK_OK(ctx, tiledb_vfs_copy_dir(ctx, vfs, in(folder, "file"), in(folder, "copy")));
  check_content(ctx, vfs, in(folder, "copy"), "abc");
  CHECK_EQ(tiledb_vfs_copy_dir(ctx, vfs, in(folder, "into"), in(folder, "file")), TILEDB_ERR);
  CHECK_EQ(tiledb_vfs_copy_dir(ctx, vfs, in(folder, "file"), in(folder, "missing/copy")), TILEDB_ERR);
  check_content(ctx, vfs, in(folder, "file"), "abc");
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, a_file_system_uses_its_own_configuration) {
  tiledb_config_t *config = config_with("foo", "bar"), *copy = NULL;
  tiledb_error_t* error = NULL;
  tiledb_vfs_t* vfs = NULL;
  const char* value = NULL;
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, config, &vfs));
  CHECK_OK(ctx, tiledb_vfs_get_config(ctx, vfs, &copy));
  CHECK_EQ(tiledb_config_get(copy, "foo", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, "bar");
  tiledb_config_free(&copy);
  tiledb_config_free(&config);
  tiledb_vfs_free(&vfs);
}
