/* Arrays on a local disk whose last changes cannot be stored. */
#include "arrays.h"

/* Destructors in C++ close open arrays: a second failure would end the program. */
TEST_WITH(ctx, an_array_whose_metadata_cannot_be_written_is_closed) {
  char uri[128], folder[160];
  int32_t is_open = 1, value = 1;
  tiledb_vfs_t* vfs = NULL;
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "a", TILEDB_INT32, 1, &value));
  /* The folder is replaced by a file. */
  snprintf(folder, sizeof folder, "%s/__meta", uri);
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  CHECK_OK(ctx, tiledb_vfs_remove_dir(ctx, vfs, folder));
  CHECK_OK(ctx, tiledb_vfs_touch(ctx, vfs, folder));
  CHECK_EQ(tiledb_array_close(ctx, array), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 0);
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_OK(ctx, tiledb_vfs_remove_file(ctx, vfs, folder));
  tiledb_vfs_free(&vfs);
  tiledb_array_free(&array);
}
