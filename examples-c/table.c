/*
 * Stores a table as a dense array with one row per cell, and reads some of its rows and columns.
 *
 * table AIRPORTS.csv ARRAY
 *
 * The array has one dimension, the row, and three attributes: longitude and latitude in degrees,
 * and a variable-length name, all compressed with zstd. Results are printed to standard output;
 * sizes and times, which differ between runs, to standard error.
 */
#include "airports.h"

enum { ROWS_PER_TILE = 500 };

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

/* Writes or reads rows from `first` on; stores the number of bytes of names in `table`. */
static void run_query(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, uint64_t first, airports_t* table) {
  uint64_t range[2] = {first, first + table->number - 1};
  uint64_t longitudes = table->number * sizeof(double), latitudes = longitudes, starts = table->number * sizeof(uint64_t);
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

static void print_row(const airports_t* table, uint64_t row) {
  uint64_t end = row + 1 < table->number ? table->starts[row + 1] : table->names_size;
  printf("%10.4f %9.4f  %.*s\n", table->longitude[row], table->latitude[row], (int)(end - table->starts[row]),
         table->names + table->starts[row]);
}

static uint64_t northernmost(const airports_t* table) {
  uint64_t best = 0;
  for (uint64_t row = 1; row < table->number; row++)
    if (table->latitude[row] > table->latitude[best]) best = row;
  return best;
}

int main(int count, char** arguments) {
  tiledb_ctx_t* ctx = NULL;
  if (count != 3) fail("usage: table AIRPORTS.csv ARRAY");
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) fail("cannot make a context");
  const char* uri = arguments[2];
  airports_t table = read_airports(arguments[1]);
  uint64_t names_size = table.names_size;

  remove_old(ctx, uri);
  double start = now_ms();
  create_array(ctx, uri, table.number);
  run_query(ctx, uri, TILEDB_WRITE, 0, &table);
  double stored = now_ms();
  airports_t some = new_airports(5, names_size);
  run_query(ctx, uri, TILEDB_READ, 998, &some);
  airports_t all = new_airports(table.number, names_size);
  run_query(ctx, uri, TILEDB_READ, 0, &all);
  double end = now_ms();

  printf("table: %" PRIu64 " rows\nrows 998-1002:\n", table.number);
  for (uint64_t row = 0; row < some.number; row++) print_row(&some, row);
  printf("farthest north:\n");
  print_row(&all, northernmost(&all));
  printf("all names came back: %s\n",
         all.names_size == names_size && memcmp(all.names, table.names, names_size) == 0 ? "yes" : "no");
  fprintf(stderr, "create and write %.2f ms, read five rows and all rows %.2f ms\n", stored - start, end - stored);

  free_airports(table);
  free_airports(some);
  free_airports(all);
  tiledb_ctx_free(&ctx);
  return 0;
}
