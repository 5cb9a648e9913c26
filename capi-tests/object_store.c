/*
 * The extensions for incomplete uploads. With OBJECT_STORE_URI, the URI of a bucket, and parameters
 * in the environment (see tests/object-stores/serve) also on an object store; the other tests of
 * storage run there as well.
 */
#include "arrays.h"

#include <sys/wait.h>
#include <unistd.h>

enum { UPLOADED = 50 << 20 };

typedef struct {
  int calls;
  int answer;
  char last[256];
} seen_t;

static int32_t note(const char* uri, void* data) {
  seen_t* seen = (seen_t*)data;
  seen->calls++;
  snprintf(seen->last, sizeof seen->last, "%s", uri);
  return seen->answer;
}

static tiledb_vfs_t* new_vfs(tiledb_ctx_t* ctx) {
  tiledb_vfs_t* vfs = NULL;
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  return vfs;
}

/* Begins to write an object in a child process, which ends without closing it. */
static void leave_upload(tiledb_ctx_t* ctx, tiledb_vfs_t* vfs, const char* uri) {
  int status = 0;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    static char bytes[1 << 20];
    tiledb_vfs_fh_t* file = NULL;
    int written = tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_WRITE, &file) == TILEDB_OK;
    for (int count = 0; written && count < UPLOADED / (int)sizeof bytes; count++)
      written = tiledb_vfs_write(ctx, file, bytes, sizeof bytes) == TILEDB_OK;
    _exit(written ? 0 : 1);
  }
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

TEST_WITH(ctx, uploads_exist_on_object_stores_only) {
  seen_t seen = {0, 1, ""};
  uint64_t number = 7;
  tiledb_vfs_t* vfs = new_vfs(ctx);
  CHECK_FAILS(
      ctx, tiledb_rs_vfs_uploads(ctx, vfs, "mem://folder", note, &seen),
      "Filesystem: uploads is not supported on the given filesystem.");
  CHECK_FAILS(
      ctx, tiledb_rs_vfs_abort_uploads(ctx, vfs, "mem://folder", &number),
      "Filesystem: abort_uploads is not supported on the given filesystem.");
  CHECK_EQ(tiledb_rs_vfs_uploads(ctx, vfs, "s3://bucket", NULL, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_vfs_uploads(ctx, vfs, NULL, note, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_vfs_uploads(ctx, NULL, "s3://bucket", note, &seen), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_vfs_uploads(NULL, vfs, "s3://bucket", note, &seen), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_rs_vfs_abort_uploads(ctx, vfs, "s3://bucket", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_rs_vfs_abort_uploads(NULL, vfs, "s3://bucket", &number), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(seen.calls, 0);
  CHECK_EQ(number, 7);
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, uploads_of_killed_processes_are_listed_and_aborted) {
  char folder[128], one[160], other[160];
  seen_t seen = {0, 1, ""};
  uint64_t number = 7;
  int32_t exists = 7;
  const char* base = getenv("OBJECT_STORE_URI");
  if (base == NULL) {
    printf("skipped: OBJECT_STORE_URI is not set\n");
    return;
  }
  /* Google Cloud Storage lists no uploads. */
  const int lists = strncmp(base, "gcs", 3) != 0;
  tiledb_vfs_t* vfs = new_vfs(ctx);
  snprintf(folder, sizeof folder, "%s", scratch());
  snprintf(one, sizeof one, "%s/one", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  /* The children use the context of this process, which has connections. */
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, one));
  CHECK_OK(ctx, tiledb_vfs_remove_file(ctx, vfs, one));
  leave_upload(ctx, vfs, one);
  leave_upload(ctx, vfs, other);
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, one, &exists));
  CHECK_EQ(exists, 0);
  CHECK_OK(ctx, tiledb_rs_vfs_uploads(ctx, vfs, folder, note, &seen));
  CHECK_EQ(seen.calls, lists ? 2 : 0);
  if (lists) CHECK_TEXT(seen.last, other);
  seen = (seen_t){0, 0, ""};
  CHECK_OK(ctx, tiledb_rs_vfs_uploads(ctx, vfs, folder, note, &seen));
  CHECK_EQ(seen.calls, lists ? 1 : 0);
  seen.answer = -1;
  if (lists) CHECK_EQ(tiledb_rs_vfs_uploads(ctx, vfs, folder, note, &seen), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_rs_vfs_abort_uploads(ctx, vfs, one, &number));
  CHECK_EQ(number, lists ? 1 : 0);
  CHECK_OK(ctx, tiledb_rs_vfs_abort_uploads(ctx, vfs, folder, &number));
  CHECK_EQ(number, lists ? 1 : 0);
  seen = (seen_t){0, 1, ""};
  CHECK_OK(ctx, tiledb_rs_vfs_uploads(ctx, vfs, folder, note, &seen));
  CHECK_EQ(seen.calls, 0);
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, one));
  CHECK_OK(ctx, tiledb_vfs_is_file(ctx, vfs, one, &exists));
  CHECK_EQ(exists, 1);
  CHECK_OK(ctx, tiledb_vfs_remove_dir(ctx, vfs, folder));
  tiledb_vfs_free(&vfs);
}

TEST_WITH(ctx, arrays_on_object_stores_are_deleted_without_their_key) {
  char uri[128];
  const char *key = "0123456789abcdeF0123456789abcdeF", *other = "fedcba9876543210fedcba9876543210";
  tiledb_ctx_t* contexts[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) {
    tiledb_config_t* config = config_with("sm.encryption_type", "AES_256_GCM");
    set_param(config, "sm.encryption_key", i == 0 ? key : other);
    contexts[i] = context_of(config);
  }
  create_with(contexts[0], new_number_schema(contexts[0]), uri);
  CHECK_EQ(tiledb_array_delete(contexts[1], uri), TILEDB_ERR);
  if (on_object_store()) {
    CHECK_OK(ctx, tiledb_array_delete(ctx, uri));
  } else {
    CHECK_EQ(tiledb_array_delete(ctx, uri), TILEDB_ERR);
    CHECK_OK(contexts[0], tiledb_array_delete(contexts[0], uri));
  }
  for (int i = 0; i < 2; i++) tiledb_ctx_free(&contexts[i]);
}

TEST_WITH(ctx, all_services_are_supported) {
  const tiledb_filesystem_t services[3] = {TILEDB_S3, TILEDB_AZURE, TILEDB_GCS};
  tiledb_string_t* built = NULL;
  const char* text = NULL;
  size_t length = 0;
  for (int index = 0; index < 3; index++) {
    int32_t supported = 7;
    CHECK_OK(ctx, tiledb_ctx_is_supported_fs(ctx, services[index], &supported));
    CHECK_EQ(supported, 1);
  }
  CHECK_EQ(tiledb_as_built_dump(&built), TILEDB_OK);
  CHECK_EQ(tiledb_string_view(built, &text, &length), TILEDB_OK);
  /* Three services and serialization. */
  int enabled = 0;
  for (const char* found = text; (found = strstr(found, "\"enabled\": true")) != NULL; found++) enabled++;
  CHECK_EQ(enabled, 4);
  tiledb_string_free(&built);
}
