/*
 * Null output pointers and null lists with which libtiledb crashes are errors in this library. The
 * program runs only on this library; cases that libtiledb rejects as well are tested with the
 * family.
 */
#include "arrays.h"

#define NOWHERE(call) CHECK_FAILS(ctx, call, "C API: Invalid output pointer for object")

TEST_WITH(ctx, query_getters_require_output_pointers) {
  char uri[128];
  void* data = NULL;
  uint64_t *offsets = NULL, *size = NULL;
  uint8_t* validity = NULL;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  NOWHERE(tiledb_query_get_data_buffer(ctx, query, "number", NULL, &size));
  NOWHERE(tiledb_query_get_data_buffer(ctx, query, "number", &data, NULL));
  NOWHERE(tiledb_query_get_offsets_buffer(ctx, query, "name", NULL, &size));
  NOWHERE(tiledb_query_get_offsets_buffer(ctx, query, "name", &offsets, NULL));
  NOWHERE(tiledb_query_get_validity_buffer(ctx, query, "maybe", NULL, &size));
  NOWHERE(tiledb_query_get_validity_buffer(ctx, query, "maybe", &validity, NULL));
  NOWHERE(tiledb_query_get_status(ctx, query, NULL));
  NOWHERE(tiledb_query_get_status_details(ctx, query, NULL));
  NOWHERE(tiledb_query_has_results(ctx, query, NULL));
  NOWHERE(tiledb_query_get_type(ctx, query, NULL));
  NOWHERE(tiledb_query_get_layout(ctx, query, NULL));
  NOWHERE(tiledb_query_get_array(ctx, query, NULL));
  NOWHERE(tiledb_query_get_relevant_fragment_num(ctx, query, NULL));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_WRITE);
  query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  NOWHERE(tiledb_query_get_fragment_num(ctx, query, NULL));
  CHECK(data == NULL && offsets == NULL && validity == NULL && size == NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, creating_functions_require_output_pointers) {
  NOWHERE(tiledb_query_condition_alloc(ctx, NULL));
  NOWHERE(tiledb_array_schema_evolution_alloc(ctx, NULL));
  NOWHERE(tiledb_filestore_schema_create(ctx, NULL, NULL));
}

/* An error since 2.31. */
TEST(conversions_of_enums_require_output_pointers) {
  CHECK_EQ(tiledb_array_type_to_str(TILEDB_DENSE, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_type_from_str("dense", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_layout_to_str(TILEDB_ROW_MAJOR, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_layout_from_str("row-major", NULL), TILEDB_ERR);
}

TEST_WITH(ctx, a_list_of_fragments_that_is_null_is_an_error) {
  char uri[128];
  tiledb_array_t* array = written_array(ctx, uri);
  close_array(ctx, &array);
  CHECK_FAILS(ctx, tiledb_array_delete_fragments_list(ctx, uri, NULL, 1), "`fragment_uris` may not be nullptr");
  CHECK_FAILS(ctx, tiledb_array_consolidate_fragments(ctx, uri, NULL, 2, NULL), "`fragment_uris` may not be nullptr");
  CHECK_EQ(fragments_of(ctx, uri), 1);
}
