/* Filter lists: content, order and use. */
#include "arrays.h"

static void add_filter(tiledb_ctx_t* ctx, tiledb_filter_list_t* list, tiledb_filter_type_t type) {
  tiledb_filter_t* filter = NULL;
  CHECK_OK(ctx, tiledb_filter_alloc(ctx, type, &filter));
  CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, list, filter));
  tiledb_filter_free(&filter);
}

static tiledb_filter_list_t* new_list(tiledb_ctx_t* ctx) {
  tiledb_filter_list_t* list = NULL;
  CHECK_OK(ctx, tiledb_filter_list_alloc(ctx, &list));
  return list;
}

TEST_WITH(ctx, a_fresh_list_is_empty_with_chunks_of_64_KiB) {
  tiledb_filter_list_t* list = new_list(ctx);
  uint32_t number = 9, chunk = 9;
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, list, &number));
  CHECK_EQ(number, 0);
  CHECK_OK(ctx, tiledb_filter_list_get_max_chunk_size(ctx, list, &chunk));
  CHECK_EQ(chunk, 65536);
  tiledb_filter_list_free(&list);
  CHECK(list == NULL);
}

TEST_WITH(ctx, filters_come_back_in_order_with_their_options) {
  tiledb_filter_list_t* list = new_list(ctx);
  tiledb_filter_t* filter = NULL;
  tiledb_filter_type_t type;
  int32_t level = 7;
  uint32_t number = 0;
  add_filter(ctx, list, TILEDB_FILTER_BYTESHUFFLE);
  CHECK_OK(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_GZIP, &filter));
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
  CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, list, filter));
  /* The list contains a copy: a later change of the filter has no effect. */
  level = 1;
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
  tiledb_filter_free(&filter);
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, list, &number));
  CHECK_EQ(number, 2);
  CHECK_OK(ctx, tiledb_filter_list_get_filter_from_index(ctx, list, 0, &filter));
  CHECK_OK(ctx, tiledb_filter_get_type(ctx, filter, &type));
  CHECK_EQ(type, TILEDB_FILTER_BYTESHUFFLE);
  tiledb_filter_free(&filter);
  CHECK_OK(ctx, tiledb_filter_list_get_filter_from_index(ctx, list, 1, &filter));
  CHECK_OK(ctx, tiledb_filter_get_type(ctx, filter, &type));
  CHECK_EQ(type, TILEDB_FILTER_GZIP);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
  CHECK_EQ(level, 7);
  tiledb_filter_free(&filter);
  tiledb_filter_list_free(&list);
}

TEST_WITH(ctx, an_index_beyond_the_filters_is_an_error) {
  tiledb_filter_list_t* list = new_list(ctx);
  tiledb_filter_t* filter = NULL;
  CHECK_ERROR(ctx, tiledb_filter_list_get_filter_from_index(ctx, list, 0, &filter),
              "C API: Filter 0 out of bounds, filter list has 0 filters.");
  CHECK(filter == NULL);
  CHECK_ERROR(ctx, tiledb_filter_list_get_filter_from_index(ctx, list, 1, &filter),
              "C API: Filter 1 out of bounds, filter list has 0 filters.");
  add_filter(ctx, list, TILEDB_FILTER_LZ4);
  CHECK_ERROR(ctx, tiledb_filter_list_get_filter_from_index(ctx, list, 1, &filter),
              "C API: Filter 1 out of bounds, filter list has 1 filters.");
  CHECK_ERROR(ctx, tiledb_filter_list_get_filter_from_index(ctx, list, 4000000000u, &filter),
              "C API: Filter 4000000000 out of bounds, filter list has 1 filters.");
  CHECK(filter == NULL);
  tiledb_filter_list_free(&list);
}

TEST_WITH(ctx, a_chunk_size_is_kept_through_an_attribute) {
  tiledb_filter_list_t *list = new_list(ctx), *back = NULL;
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  uint32_t chunk = 0, number = 0;
  add_filter(ctx, list, TILEDB_FILTER_ZSTD);
  CHECK_OK(ctx, tiledb_filter_list_set_max_chunk_size(ctx, list, 1234));
  CHECK_OK(ctx, tiledb_attribute_set_filter_list(ctx, attribute, list));
  /* The attribute contains a copy. */
  add_filter(ctx, list, TILEDB_FILTER_LZ4);
  CHECK_OK(ctx, tiledb_attribute_get_filter_list(ctx, attribute, &back));
  CHECK_OK(ctx, tiledb_filter_list_get_max_chunk_size(ctx, back, &chunk));
  CHECK_EQ(chunk, 1234);
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, back, &number));
  CHECK_EQ(number, 1);
  CHECK_OK(ctx, tiledb_filter_list_set_max_chunk_size(ctx, list, 0));
  CHECK_OK(ctx, tiledb_filter_list_get_max_chunk_size(ctx, list, &chunk));
  CHECK_EQ(chunk, 0);
  tiledb_filter_list_free(&back);
  tiledb_filter_list_free(&list);
  tiledb_attribute_free(&attribute);
}

static void refused_on(tiledb_ctx_t* ctx, tiledb_datatype_t type, tiledb_filter_type_t filter, const char* text) {
  tiledb_filter_list_t* list = new_list(ctx);
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", type);
  add_filter(ctx, list, filter);
  CHECK_ERROR(ctx, tiledb_attribute_set_filter_list(ctx, attribute, list), text);
  tiledb_filter_list_free(&list);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, unsuitable_filters_are_rejected_for_attributes) {
  refused_on(ctx, TILEDB_FLOAT64, TILEDB_FILTER_BIT_WIDTH_REDUCTION,
             "Filter: Filter BIT_WIDTH_REDUCTION does not accept input type FLOAT64");
  refused_on(ctx, TILEDB_FLOAT32, TILEDB_FILTER_POSITIVE_DELTA,
             "Filter: Filter POSITIVE_DELTA does not accept input type FLOAT32");
  refused_on(ctx, TILEDB_FLOAT32, TILEDB_FILTER_DOUBLE_DELTA,
             "Filter: Filter DOUBLE_DELTA does not accept input type FLOAT32");
  refused_on(ctx, TILEDB_CHAR, TILEDB_FILTER_SCALE_FLOAT,
             "Filter: Filter SCALE_FLOAT does not accept input type CHAR");
  refused_on(ctx, TILEDB_INT32, TILEDB_FILTER_WEBP,
             "Filter: Filter WEBP does not accept input type INT32");
}

TEST_WITH(ctx, every_filter_may_follow_none) {
  tiledb_filter_list_t* list = new_list(ctx);
  tiledb_attribute_t* attribute = new_attribute(ctx, "a", TILEDB_INT32);
  add_filter(ctx, list, TILEDB_FILTER_NONE);
  add_filter(ctx, list, TILEDB_FILTER_DOUBLE_DELTA);
  add_filter(ctx, list, TILEDB_FILTER_BIT_WIDTH_REDUCTION);
  add_filter(ctx, list, TILEDB_FILTER_ZSTD);
  add_filter(ctx, list, TILEDB_FILTER_CHECKSUM_SHA256);
  CHECK_OK(ctx, tiledb_attribute_set_filter_list(ctx, attribute, list));
  tiledb_filter_list_free(&list);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, null_arguments_of_lists_are_errors) {
  tiledb_filter_list_t* list = new_list(ctx);
  tiledb_filter_t* filter = NULL;
  uint32_t number = 0;
  CHECK_EQ(tiledb_filter_list_alloc(NULL, &list), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_filter_list_alloc(ctx, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_filter_list_add_filter(ctx, NULL, filter), "C API: Invalid TileDB filter list object");
  CHECK_ERROR(ctx, tiledb_filter_list_add_filter(ctx, list, NULL), "C API: Invalid TileDB filter object");
  CHECK_ERROR(ctx, tiledb_filter_list_get_nfilters(ctx, NULL, &number), "C API: Invalid TileDB filter list object");
  CHECK_EQ(tiledb_filter_list_get_nfilters(ctx, list, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_filter_list_get_max_chunk_size(ctx, NULL, &number),
              "C API: Invalid TileDB filter list object");
  CHECK_EQ(tiledb_filter_list_get_max_chunk_size(ctx, list, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_filter_list_set_max_chunk_size(ctx, NULL, 1), "C API: Invalid TileDB filter list object");
  CHECK_ERROR(ctx, tiledb_filter_list_get_filter_from_index(ctx, NULL, 0, &filter),
              "C API: Invalid TileDB filter list object");
  CHECK_EQ(tiledb_filter_list_get_filter_from_index(ctx, list, 0, NULL), TILEDB_ERR);
  tiledb_filter_list_free(&list);
  tiledb_filter_list_free(NULL);
}
