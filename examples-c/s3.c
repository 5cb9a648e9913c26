/*
 * Stores a dense array in a bucket, reads a part of it, and lists and removes it.
 *
 *   s3 BUCKET [ENDPOINT]
 *
 * BUCKET is the URI of a bucket, such as s3://bucket. ENDPOINT is the address of a service that is
 * not Amazon's, such as 127.0.0.1:9000. The keys are those of the environment or of the files of
 * the aws CLI; docs/object-stores.md lists all sources and parameters. The same program works with
 * azure://container and gcs://bucket.
 */
#include "example.h"

enum { ROWS = 200, COLUMNS = 100 };

static void set(tiledb_config_t* config, const char* name, const char* value) {
  tiledb_error_t* error = NULL;
  if (tiledb_config_set(config, name, value, &error) != TILEDB_OK) fail(name);
}

static int32_t print_name(const char* uri, size_t length, uint64_t size, uint8_t is_folder, void* data) {
  int* files = (int*)data;
  (void)length;
  (void)is_folder;
  *files += 1;
  if (strstr(uri, "/__fragments/") != NULL && strstr(uri, "a0.tdb") != NULL) printf("data: %" PRIu64 " bytes\n", size);
  return 1;
}

static tiledb_ctx_t* new_context(const char* endpoint) {
  tiledb_config_t* config = NULL;
  tiledb_ctx_t* ctx = NULL;
  tiledb_error_t* error = NULL;
  if (tiledb_config_alloc(&config, &error) != TILEDB_OK) fail("cannot create a configuration");
  if (endpoint != NULL) {
    set(config, "vfs.s3.endpoint_override", endpoint);
    set(config, "vfs.s3.scheme", "http");
    set(config, "vfs.s3.use_virtual_addressing", "false");
  }
  set(config, "vfs.s3.max_parallel_ops", "16");
  if (tiledb_ctx_alloc(config, &ctx) != TILEDB_OK) fail("cannot create a context");
  tiledb_config_free(&config);
  return ctx;
}

static void create(tiledb_ctx_t* ctx, const char* uri) {
  const int32_t rows[2] = {1, ROWS}, columns[2] = {1, COLUMNS}, extent = 50;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dimension = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  ok(ctx, tiledb_domain_alloc(ctx, &domain));
  ok(ctx, tiledb_dimension_alloc(ctx, "row", TILEDB_INT32, rows, &extent, &dimension));
  ok(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  tiledb_dimension_free(&dimension);
  ok(ctx, tiledb_dimension_alloc(ctx, "column", TILEDB_INT32, columns, &extent, &dimension));
  ok(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  tiledb_dimension_free(&dimension);
  ok(ctx, tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute));
  ok(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  ok(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  ok(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  ok(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
}

/* Writes all cells, or reads one row: a query of an attribute on a box. */
static void run(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, const int32_t* box, int64_t* values, uint64_t size) {
  tiledb_array_t* array = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_t* query = NULL;
  ok(ctx, tiledb_array_alloc(ctx, uri, &array));
  ok(ctx, tiledb_array_open(ctx, array, type));
  ok(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  ok(ctx, tiledb_subarray_set_subarray(ctx, subarray, box));
  ok(ctx, tiledb_query_alloc(ctx, array, type, &query));
  ok(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  ok(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "a", values, &size));
  ok(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

int main(int argc, char** argv) {
  static int64_t values[ROWS * COLUMNS], row[COLUMNS];
  const int32_t everything[4] = {1, ROWS, 1, COLUMNS}, third_row[4] = {3, 3, 1, COLUMNS};
  char uri[512];
  int files = 0;
  int64_t sum = 0;
  tiledb_vfs_t* vfs = NULL;
  if (argc < 2) fail("usage: s3 BUCKET [ENDPOINT]");
  tiledb_ctx_t* ctx = new_context(argc > 2 ? argv[2] : NULL);
  snprintf(uri, sizeof uri, "%s/example", argv[1]);
  remove_old(ctx, uri);

  create(ctx, uri);
  for (int index = 0; index < ROWS * COLUMNS; index++) values[index] = index;
  run(ctx, uri, TILEDB_WRITE, everything, values, sizeof values);
  run(ctx, uri, TILEDB_READ, third_row, row, sizeof row);
  for (int index = 0; index < COLUMNS; index++) sum += row[index];
  printf("sum of the third row: %" PRId64 "\n", sum);

  /* An array is a folder of objects; one listing shows all of them. */
  ok(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  ok(ctx, tiledb_vfs_ls_recursive_v2(ctx, vfs, uri, print_name, &files));
  printf("objects: %d\n", files);
  ok(ctx, tiledb_vfs_remove_dir(ctx, vfs, uri));
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
  return 0;
}
