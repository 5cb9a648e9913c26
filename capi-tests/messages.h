/* Messages of both encodings, and an array to send. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "arrays.h"

static const tiledb_serialization_type_t encodings[2] = {TILEDB_JSON, TILEDB_CAPNP};

/* An encoding that does not exist. */
static const tiledb_serialization_type_t neither = (tiledb_serialization_type_t)2;

/* Returns a buffer of a text, which must stay valid. */
static inline tiledb_buffer_t* buffer_of(tiledb_ctx_t* ctx, const char* text) {
  tiledb_buffer_t* buffer = NULL;
  union {
    const char* text;
    void* data;
  } bytes = {text};
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &buffer));
  CHECK_OK(ctx, tiledb_buffer_set_data(ctx, buffer, bytes.data, strlen(text)));
  return buffer;
}

/* Returns whether a message contains a text, and frees it. */
static inline int takes_text(tiledb_ctx_t* ctx, tiledb_buffer_t** buffer, const char* text) {
  void* data = NULL;
  uint64_t size = 0;
  int found = 0;
  size_t length = strlen(text);
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, *buffer, &data, &size));
  for (uint64_t i = 0; i + length <= size && !found; i++)
    found = memcmp((const char*)data + i, text, length) == 0;
  tiledb_buffer_free(buffer);
  return found;
}

/* Creates an array of ten cells, 3 to 5 of which are written, with metadata. */
static inline void create_line(tiledb_ctx_t* ctx, char* uri) {
  int32_t xs[3] = {3, 4, 5}, numbers[3] = {30, 40, 50}, value = 7;
  uint64_t sizes[2] = {sizeof xs, sizeof numbers};
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", xs, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  CHECK_OK(ctx, tiledb_array_put_metadata(ctx, array, "key", TILEDB_INT32, 1, &value));
  close_array(ctx, &array);
}

#endif /* MESSAGES_H */
