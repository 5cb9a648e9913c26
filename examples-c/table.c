/*
 * Stores a table as a dense array with one row per cell, and reads some of its rows and columns.
 *
 *   table AIRPORTS.csv ARRAY
 *
 * The array has one dimension, the row, and three attributes: longitude and latitude in degrees, and a name of any
 * length, all compressed with zstd. What was read goes to standard output; sizes and times, which differ from run to
 * run, go to standard error.
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tiledb/tiledb.h>

enum { ROWS_PER_TILE = 500, LONGEST_LINE = 512 };

/* Columns of `rows` values. Name n is the bytes from `starts[n]` to the next start, or to the end. */
typedef struct {
  uint64_t rows, names_size;
  double *longitude, *latitude;
  uint64_t* starts;
  char* names;
} table_t;

static void fail(const char* what) {
  fprintf(stderr, "table: %s\n", what);
  exit(1);
}

/* Ends the program with the text of the error, if there is one. */
static void ok(tiledb_ctx_t* ctx, int32_t code) {
  tiledb_error_t* error = NULL;
  const char* text = NULL;
  if (code == TILEDB_OK) return;
  if (tiledb_ctx_get_last_error(ctx, &error) != TILEDB_OK || error == NULL ||
      tiledb_error_message(error, &text) != TILEDB_OK)
    fail("an error without a text");
  fail(text);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static table_t new_table(uint64_t rows, uint64_t names_size) {
  table_t table = {rows, names_size, NULL, NULL, NULL, NULL};
  table.longitude = calloc(rows, sizeof(double));
  table.latitude = calloc(rows, sizeof(double));
  table.starts = calloc(rows, sizeof(uint64_t));
  table.names = calloc(names_size, 1);
  if (table.longitude == NULL || table.latitude == NULL || table.starts == NULL || table.names == NULL)
    fail("out of memory");
  return table;
}

static void free_table(table_t table) {
  free(table.longitude);
  free(table.latitude);
  free(table.starts);
  free(table.names);
}

static table_t read_table(const char* path) {
  char line[LONGEST_LINE];
  uint64_t rows = 0, size = 0;
  FILE* file = fopen(path, "r");
  if (file == NULL) fail("cannot open the table");
  while (fgets(line, sizeof line, file) != NULL) {
    rows++;
    size += strlen(line);
  }
  rewind(file);
  if (rows < 2 || fgets(line, sizeof line, file) == NULL) fail("the table has no rows");
  table_t table = new_table(rows - 1, size);
  table.names_size = 0;
  for (uint64_t row = 0; row < table.rows && fgets(line, sizeof line, file) != NULL; row++) {
    int at = 0;
    if (sscanf(line, "%lf,%lf,%n", &table.longitude[row], &table.latitude[row], &at) != 2 || at == 0)
      fail("a row is not longitude,latitude,name");
    size_t length = strcspn(line + at, "\r\n");
    table.starts[row] = table.names_size;
    memcpy(table.names + table.names_size, line + at, length);
    table.names_size += length;
  }
  fclose(file);
  return table;
}

/* Removes what an earlier run left. */
static void remove_old(tiledb_ctx_t* ctx, const char* uri) {
  tiledb_vfs_t* vfs = NULL;
  int32_t exists = 0;
  ok(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  ok(ctx, tiledb_vfs_is_dir(ctx, vfs, uri, &exists));
  if (exists) ok(ctx, tiledb_vfs_remove_dir(ctx, vfs, uri));
  tiledb_vfs_free(&vfs);
}

static void add_column(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t per_cell) {
  tiledb_attribute_t* attribute = NULL;
  tiledb_filter_t* zstd = NULL;
  tiledb_filter_list_t* filters = NULL;
  ok(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd));
  ok(ctx, tiledb_filter_list_alloc(ctx, &filters));
  ok(ctx, tiledb_filter_list_add_filter(ctx, filters, zstd));
  ok(ctx, tiledb_attribute_alloc(ctx, name, type, &attribute));
  ok(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, per_cell));
  ok(ctx, tiledb_attribute_set_filter_list(ctx, attribute, filters));
  ok(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  tiledb_attribute_free(&attribute);
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&zstd);
}

static void create_array(tiledb_ctx_t* ctx, const char* uri, uint64_t rows) {
  uint64_t bounds[2] = {0, rows - 1};
  uint64_t extent = rows < ROWS_PER_TILE ? rows : ROWS_PER_TILE;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_array_schema_t* schema = NULL;
  ok(ctx, tiledb_dimension_alloc(ctx, "row", TILEDB_UINT64, bounds, &extent, &dimension));
  ok(ctx, tiledb_domain_alloc(ctx, &domain));
  ok(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  ok(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  ok(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  add_column(ctx, schema, "longitude", TILEDB_FLOAT64, 1);
  add_column(ctx, schema, "latitude", TILEDB_FLOAT64, 1);
  add_column(ctx, schema, "name", TILEDB_STRING_UTF8, TILEDB_VAR_NUM);
  ok(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
}

/* Writes rows from `first` on, or reads them; says in `table` how many bytes of names there are. */
static void run_query(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, uint64_t first, table_t* table) {
  uint64_t range[2] = {first, first + table->rows - 1};
  uint64_t longitudes = table->rows * sizeof(double), latitudes = longitudes, starts = table->rows * sizeof(uint64_t);
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_status_t status;
  ok(ctx, tiledb_array_alloc(ctx, uri, &array));
  ok(ctx, tiledb_array_open(ctx, array, type));
  ok(ctx, tiledb_query_alloc(ctx, array, type, &query));
  ok(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  ok(ctx, tiledb_subarray_set_subarray(ctx, subarray, range));
  ok(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  ok(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "longitude", table->longitude, &longitudes));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "latitude", table->latitude, &latitudes));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "name", table->names, &table->names_size));
  ok(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", table->starts, &starts));
  ok(ctx, tiledb_query_submit(ctx, query));
  ok(ctx, tiledb_query_finalize(ctx, query));
  ok(ctx, tiledb_query_get_status(ctx, query, &status));
  if (status != TILEDB_COMPLETED) fail("the query did not complete");
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
}

static void print_row(const table_t* table, uint64_t row) {
  uint64_t end = row + 1 < table->rows ? table->starts[row + 1] : table->names_size;
  printf("%10.4f %9.4f  %.*s\n", table->longitude[row], table->latitude[row], (int)(end - table->starts[row]),
         table->names + table->starts[row]);
}

static uint64_t northernmost(const table_t* table) {
  uint64_t best = 0;
  for (uint64_t row = 1; row < table->rows; row++)
    if (table->latitude[row] > table->latitude[best]) best = row;
  return best;
}

int main(int count, char** arguments) {
  tiledb_ctx_t* ctx = NULL;
  if (count != 3) fail("usage: table AIRPORTS.csv ARRAY");
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) fail("cannot make a context");
  const char* uri = arguments[2];
  table_t table = read_table(arguments[1]);
  uint64_t names_size = table.names_size;

  remove_old(ctx, uri);
  double start = now_ms();
  create_array(ctx, uri, table.rows);
  run_query(ctx, uri, TILEDB_WRITE, 0, &table);
  double stored = now_ms();
  table_t some = new_table(5, names_size);
  run_query(ctx, uri, TILEDB_READ, 998, &some);
  table_t all = new_table(table.rows, names_size);
  run_query(ctx, uri, TILEDB_READ, 0, &all);
  double end = now_ms();

  printf("table: %" PRIu64 " rows\nrows 998-1002:\n", table.rows);
  for (uint64_t row = 0; row < some.rows; row++) print_row(&some, row);
  printf("farthest north:\n");
  print_row(&all, northernmost(&all));
  printf("all names came back: %s\n",
         all.names_size == names_size && memcmp(all.names, table.names, names_size) == 0 ? "yes" : "no");
  fprintf(stderr, "create and write %.2f ms, read five rows and all rows %.2f ms\n", stored - start, end - stored);

  free_table(table);
  free_table(some);
  free_table(all);
  tiledb_ctx_free(&ctx);
  return 0;
}
