/*
 * Measures what a fragment costs when an array is opened, read, listed and consolidated, by the
 * number of fragments. capi-tests/choices-table runs it and writes a table of docs/performance.md.
 *
 *   fragment_costs FOLDER
 *
 * Prints lines of fields that are separated by tabs: the table, the number of fragments, and
 * microseconds of CPU time of the process for each fragment.
 */
#define _POSIX_C_SOURCE 200809L

#include <string.h>

#include "measure.h"

enum { CELLS = 100, LEAST = 10, MOST = 10000 };

static char uri[4096];

/* Creates a sparse array with the dimension "x" and the attribute "a". */
static void create(void) {
  const int64_t bounds[2] = {0, (int64_t)CELLS * MOST - 1}, extent = 10000;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dimension = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  ok(tiledb_domain_alloc(ctx, &domain));
  ok(tiledb_dimension_alloc(ctx, "x", TILEDB_INT64, bounds, &extent, &dimension));
  ok(tiledb_domain_add_dimension(ctx, domain, dimension));
  ok(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  ok(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  ok(tiledb_array_schema_set_domain(ctx, schema, domain));
  ok(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  ok(tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&domain);
}

static tiledb_array_t* open_array(tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  ok(tiledb_array_alloc(ctx, uri, &array));
  ok(tiledb_array_open(ctx, array, type));
  return array;
}

static void close_array(tiledb_array_t* array) {
  ok(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

/* Writes or reads `number` cells in one submit. */
static void submit(tiledb_array_t* array, tiledb_query_type_t type, int64_t* x, int32_t* a, uint64_t number) {
  tiledb_query_t* query = NULL;
  tiledb_query_status_t status = TILEDB_FAILED;
  uint64_t x_size = number * sizeof *x, a_size = number * sizeof *a;
  ok(tiledb_query_alloc(ctx, array, type, &query));
  ok(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  ok(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size));
  ok(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
  ok(tiledb_query_submit(ctx, query));
  ok(tiledb_query_finalize(ctx, query));
  ok(tiledb_query_get_status(ctx, query, &status));
  if (status != TILEDB_COMPLETED || x_size != number * sizeof *x) exit(1);
  tiledb_query_free(&query);
}

static void write_fragments(int number, int64_t* x, int32_t* a) {
  for (int i = 0; i < number; i++) {
    tiledb_array_t* array = open_array(TILEDB_WRITE);
    for (int cell = 0; cell < CELLS; cell++) {
      x[cell] = (int64_t)i * CELLS + cell;
      a[cell] = cell;
    }
    submit(array, TILEDB_WRITE, x, a, CELLS);
    close_array(array);
  }
}

static double list_ms(void) {
  const double start = cpu_ms();
  tiledb_fragment_info_t* info = NULL;
  uint32_t number = 0;
  ok(tiledb_fragment_info_alloc(ctx, uri, &info));
  ok(tiledb_fragment_info_load(ctx, info));
  ok(tiledb_fragment_info_get_fragment_num(ctx, info, &number));
  for (uint32_t i = 0; i < number; i++) {
    int64_t domain[2];
    ok(tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, i, 0, domain));
  }
  tiledb_fragment_info_free(&info);
  return cpu_ms() - start;
}

static double consolidate_ms(const char* mode) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  if (tiledb_config_alloc(&config, &error) != TILEDB_OK ||
      tiledb_config_set(config, "sm.consolidation.mode", mode, &error) != TILEDB_OK ||
      tiledb_config_set(config, "sm.vacuum.mode", mode, &error) != TILEDB_OK)
    exit(1);
  const double start = cpu_ms();
  ok(tiledb_array_consolidate(ctx, uri, config));
  ok(tiledb_array_vacuum(ctx, uri, config));
  tiledb_config_free(&config);
  return cpu_ms() - start;
}

static double open_ms(void) {
  const double start = cpu_ms();
  tiledb_array_t* array = open_array(TILEDB_READ);
  const double time = cpu_ms() - start;
  close_array(array);
  return time;
}

static double read_ms(int number, int64_t* x, int32_t* a) {
  tiledb_array_t* array = open_array(TILEDB_READ);
  const double start = cpu_ms();
  submit(array, TILEDB_READ, x, a, (uint64_t)number * CELLS);
  const double time = cpu_ms() - start;
  close_array(array);
  return time;
}

/* Prints the costs of `number` fragments, before and after their commits and metadata are
 * consolidated. */
static void report(int number, int64_t* x, int32_t* a) {
  const double scale = 1e3 / number;
  /* Creates threads and pools, which later operations reuse. */
  list_ms();
  const double open = open_ms(), list = list_ms(), read = read_ms(number, x, a);
  const double metadata = consolidate_ms("commits") + consolidate_ms("fragment_meta");
  const double consolidated_open = open_ms(), consolidated_list = list_ms();
  const double merge = consolidate_ms("fragments");
  printf("fragment-costs\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", number, open * scale,
         consolidated_open * scale, read * scale, list * scale, consolidated_list * scale, metadata * scale,
         merge * scale);
}

int main(int argc, char** argv) {
  if (argc != 2 || tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) {
    fprintf(stderr, "usage: fragment_costs FOLDER\n");
    return 2;
  }
  int64_t* x = allocate((size_t)CELLS * MOST * sizeof *x);
  int32_t* a = allocate((size_t)CELLS * MOST * sizeof *a);
  memset(x, 0, (size_t)CELLS * MOST * sizeof *x);
  memset(a, 0, (size_t)CELLS * MOST * sizeof *a);
  for (int number = LEAST; number <= MOST; number *= 10) {
    snprintf(uri, sizeof uri, "%s/fragments-%d", argv[1], number);
    create();
    write_fragments(number, x, a);
    report(number, x, a);
  }
  free(x);
  free(a);
  tiledb_ctx_free(&ctx);
  return 0;
}
