/*
 * Creates a dense array of 4 x 4 integers, writes it, and reads the second row.
 *
 *   first ARRAY
 *
 * README.md shows this program.
 */
#include "example.h"

int main(int argc, char** argv) {
  const char* uri = argc > 1 ? argv[1] : "first-array";
  int32_t values[16], row[4], bounds[2] = {1, 4}, extent = 2, ranges[4] = {2, 2, 1, 4};
  uint64_t values_size = sizeof values, row_size = sizeof row;
  tiledb_ctx_t* ctx = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_t* array = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_t* query = NULL;
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) fail("cannot create a context");
  remove_old(ctx, uri);

  /* The schema: two dimensions and one attribute. */
  ok(ctx, tiledb_domain_alloc(ctx, &domain));
  for (int i = 0; i < 2; i++) {
    tiledb_dimension_t* dimension = NULL;
    ok(ctx, tiledb_dimension_alloc(ctx, i ? "column" : "row", TILEDB_INT32, bounds, &extent, &dimension));
    ok(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
  }
  ok(ctx, tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  ok(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  ok(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  ok(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  ok(ctx, tiledb_array_create(ctx, uri, schema));

  /* Write all cells in row-major order. */
  for (int i = 0; i < 16; i++) values[i] = i + 1;
  ok(ctx, tiledb_array_alloc(ctx, uri, &array));
  ok(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE));
  ok(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  ok(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "a", values, &values_size));
  ok(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  ok(ctx, tiledb_array_close(ctx, array));

  /* Read row 2, columns 1 to 4. */
  ok(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  ok(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  ok(ctx, tiledb_subarray_set_subarray(ctx, subarray, ranges));
  ok(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  ok(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "a", row, &row_size));
  ok(ctx, tiledb_query_submit(ctx, query));
  for (uint64_t i = 0; i < row_size / sizeof *row; i++) printf("%" PRId32 "\n", row[i]);

  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_ctx_free(&ctx);
  return 0;
}
