/* Buffers and buffer lists. */
#include "harness.h"

TEST_WITH(ctx, a_new_buffer_is_empty_bytes) {
  tiledb_buffer_t* buffer = NULL;
  tiledb_datatype_t datatype = TILEDB_ANY;
  void* data = &datatype;
  uint64_t size = 9;
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &buffer));
  CHECK_OK(ctx, tiledb_buffer_get_type(ctx, buffer, &datatype));
  CHECK_EQ(datatype, TILEDB_UINT8);
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, buffer, &data, &size));
  CHECK(data == NULL);
  CHECK_EQ(size, 0);
  tiledb_buffer_free(&buffer);
  CHECK(buffer == NULL);
  tiledb_buffer_free(&buffer);
  tiledb_buffer_free(NULL);
}

TEST_WITH(ctx, buffers_do_not_own_data_that_was_set) {
  tiledb_buffer_t* buffer = NULL;
  tiledb_datatype_t datatype = TILEDB_ANY;
  char bytes[] = "abc";
  void* data = NULL;
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &buffer));
  CHECK_OK(ctx, tiledb_buffer_set_data(ctx, buffer, bytes, 3));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, buffer, &data, &size));
  CHECK(data == bytes);
  CHECK_EQ(size, 3);
  CHECK_OK(ctx, tiledb_buffer_set_type(ctx, buffer, TILEDB_INT64));
  CHECK_OK(ctx, tiledb_buffer_get_type(ctx, buffer, &datatype));
  CHECK_EQ(datatype, TILEDB_INT64);
  CHECK_FAILS(ctx, tiledb_buffer_set_data(ctx, NULL, bytes, 3), "Invalid TileDB buffer object");
  CHECK_FAILS(ctx, tiledb_buffer_get_data(ctx, buffer, NULL, &size), "Invalid output pointer for object");
  tiledb_buffer_free(&buffer);
}

TEST_WITH(ctx, new_lists_are_empty) {
  tiledb_buffer_list_t* list = NULL;
  tiledb_buffer_t* buffer = NULL;
  uint64_t count = 9, size = 9;
  void* data = &count;
  CHECK_OK(ctx, tiledb_buffer_list_alloc(ctx, &list));
  CHECK_OK(ctx, tiledb_buffer_list_get_num_buffers(ctx, list, &count));
  CHECK_EQ(count, 0);
  CHECK_OK(ctx, tiledb_buffer_list_get_total_size(ctx, list, &size));
  CHECK_EQ(size, 0);
  CHECK_FAILS(
      ctx,
      tiledb_buffer_list_get_buffer(ctx, list, 0, &buffer),
      "Buffer: Cannot get buffer 0 from buffer list; index out of bounds.");
  CHECK(buffer == NULL);
  CHECK_OK(ctx, tiledb_buffer_list_flatten(ctx, list, &buffer));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, buffer, &data, &size));
  CHECK_EQ(size, 0);
  CHECK_FAILS(ctx, tiledb_buffer_list_flatten(ctx, NULL, &buffer), "Invalid TileDB buffer list object");
  tiledb_buffer_free(&buffer);
  tiledb_buffer_list_free(&list);
  CHECK(list == NULL);
}
