/*
 * Measures the CPU time of typical operations. capi-tests/benchmark-table runs it on two libraries.
 *
 *   benchmark FOLDER
 *
 * Prints one line for each operation: its name, a tab, and the CPU time of the process in
 * milliseconds.
 */
#define _POSIX_C_SOURCE 200809L

#include "measure.h"

enum { SIDE = 2000, TILE = 250, CELLS = 1000000, FRAGMENTS = 100 };

static char uri[4096];

static void report(const char* name, double start) { printf("%s\t%.3f\n", name, cpu_ms() - start); }

static const char* array_uri(const char* folder, const char* name) {
  snprintf(uri, sizeof uri, "%s/%s", folder, name);
  return uri;
}

/* Creates an array with two dimensions and an attribute "a" of doubles, compressed with zstd. */
static void create(const char* array, tiledb_array_type_t type) {
  int32_t bounds[2] = {0, SIDE - 1}, extent = TILE;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_filter_t* filter = NULL;
  tiledb_filter_list_t* filters = NULL;
  ok(tiledb_domain_alloc(ctx, &domain));
  for (int i = 0; i < 2; i++) {
    tiledb_dimension_t* dimension = NULL;
    ok(tiledb_dimension_alloc(ctx, i ? "y" : "x", TILEDB_INT32, bounds, &extent, &dimension));
    ok(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
  }
  ok(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &filter));
  ok(tiledb_filter_list_alloc(ctx, &filters));
  ok(tiledb_filter_list_add_filter(ctx, filters, filter));
  ok(tiledb_attribute_alloc(ctx, "a", TILEDB_FLOAT64, &attribute));
  ok(tiledb_attribute_set_filter_list(ctx, attribute, filters));
  ok(tiledb_array_schema_alloc(ctx, type, &schema));
  ok(tiledb_array_schema_set_domain(ctx, schema, domain));
  ok(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  ok(tiledb_array_create(ctx, array, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&filter);
  tiledb_domain_free(&domain);
}

/* Runs one query. `ranges` may be null; `coordinates` are x and y of sparse cells. */
static void run(const char* array_uri, tiledb_query_type_t type, tiledb_layout_t layout, const int32_t* ranges,
                double* values, uint64_t values_size, int32_t** coordinates) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_status_t status = TILEDB_FAILED;
  uint64_t coordinates_size = values_size / 2;
  ok(tiledb_array_alloc(ctx, array_uri, &array));
  ok(tiledb_array_open(ctx, array, type));
  ok(tiledb_query_alloc(ctx, array, type, &query));
  ok(tiledb_query_set_layout(ctx, query, layout));
  if (ranges != NULL) {
    ok(tiledb_subarray_alloc(ctx, array, &subarray));
    ok(tiledb_subarray_set_subarray(ctx, subarray, ranges));
    ok(tiledb_query_set_subarray_t(ctx, query, subarray));
  }
  ok(tiledb_query_set_data_buffer(ctx, query, "a", values, &values_size));
  if (coordinates != NULL) {
    ok(tiledb_query_set_data_buffer(ctx, query, "x", coordinates[0], &coordinates_size));
    ok(tiledb_query_set_data_buffer(ctx, query, "y", coordinates[1], &coordinates_size));
  }
  ok(tiledb_query_submit(ctx, query));
  ok(tiledb_query_get_status(ctx, query, &status));
  if (status != TILEDB_COMPLETED) {
    fprintf(stderr, "error: the query is not complete\n");
    exit(1);
  }
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  ok(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

static void dense(const char* folder) {
  const uint64_t size = (uint64_t)SIDE * SIDE * sizeof(double);
  const int32_t all[4] = {0, SIDE - 1, 0, SIDE - 1};
  double* values = allocate(size);
  const char* array = array_uri(folder, "dense");
  for (int i = 0; i < SIDE * SIDE; i++) values[i] = (double)(i % 1000) / 8;
  create(array, TILEDB_DENSE);
  double start = cpu_ms();
  run(array, TILEDB_WRITE, TILEDB_ROW_MAJOR, all, values, size, NULL);
  report("dense: write 32 MB, zstd", start);
  start = cpu_ms();
  run(array, TILEDB_READ, TILEDB_ROW_MAJOR, all, values, size, NULL);
  report("dense: read 32 MB, zstd", start);
  start = cpu_ms();
  for (int i = 0; i < 200; i++) {
    const int32_t box[4] = {i * 9, i * 9 + 31, i * 9, i * 9 + 31};
    run(array, TILEDB_READ, TILEDB_ROW_MAJOR, box, values, size, NULL);
  }
  report("dense: open and read 200 boxes of 32 x 32", start);
  free(values);
}

static void sparse(const char* folder) {
  const uint64_t size = (uint64_t)CELLS * sizeof(double);
  const int32_t box[4] = {500, 1499, 500, 1499};
  double* values = allocate(size);
  int32_t* coordinates[2] = {allocate(size / 2), allocate(size / 2)};
  const char* array = array_uri(folder, "sparse");
  for (uint64_t i = 0; i < CELLS; i++) {
    const uint64_t cell = i * 2654435761u % ((uint64_t)SIDE * SIDE);
    coordinates[0][i] = (int32_t)(cell / SIDE);
    coordinates[1][i] = (int32_t)(cell % SIDE);
    values[i] = (double)(i % 1000) / 8;
  }
  create(array, TILEDB_SPARSE);
  double start = cpu_ms();
  run(array, TILEDB_WRITE, TILEDB_UNORDERED, NULL, values, size, coordinates);
  report("sparse: write 1,000,000 unordered cells", start);
  start = cpu_ms();
  run(array, TILEDB_READ, TILEDB_UNORDERED, box, values, size, coordinates);
  report("sparse: read a quarter of the domain, unordered", start);
  start = cpu_ms();
  run(array, TILEDB_READ, TILEDB_ROW_MAJOR, box, values, size, coordinates);
  report("sparse: read a quarter of the domain, row-major", start);
  free(coordinates[1]);
  free(coordinates[0]);
  free(values);
}

static void fragments(const char* folder) {
  double values[100];
  int32_t x[100], y[100], *coordinates[2] = {x, y};
  const char* array = array_uri(folder, "fragments");
  create(array, TILEDB_SPARSE);
  double start = cpu_ms();
  for (int i = 0; i < FRAGMENTS; i++) {
    for (int j = 0; j < 100; j++) x[j] = i * 19 % SIDE, y[j] = j * 20, values[j] = j;
    run(array, TILEDB_WRITE, TILEDB_UNORDERED, NULL, values, sizeof values, coordinates);
  }
  report("fragments: write 100 of 100 cells", start);
  start = cpu_ms();
  for (int i = 0; i < 10; i++) {
    tiledb_array_t* opened = NULL;
    ok(tiledb_array_alloc(ctx, array, &opened));
    ok(tiledb_array_open(ctx, opened, TILEDB_READ));
    ok(tiledb_array_close(ctx, opened));
    tiledb_array_free(&opened);
  }
  report("fragments: open an array of 100, 10 times", start);
  start = cpu_ms();
  ok(tiledb_array_consolidate(ctx, array, NULL));
  report("fragments: consolidate 100", start);
  start = cpu_ms();
  ok(tiledb_array_vacuum(ctx, array, NULL));
  report("fragments: vacuum 100", start);
}

int main(int argc, char** argv) {
  if (argc != 2 || tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) {
    fprintf(stderr, "usage: benchmark FOLDER\n");
    return 2;
  }
  dense(argv[1]);
  sparse(argv[1]);
  fragments(argv[1]);
  tiledb_ctx_free(&ctx);
  return 0;
}
