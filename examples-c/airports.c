/*
 * Stores airports as cells of sparse arrays, and finds them by location and by name.
 *
 * airports AIRPORTS.csv ARRAYS
 *
 * Two arrays below the folder ARRAYS contain the same table. In by_location the dimensions are
 * longitude and latitude in degrees (floating-point numbers) and the name is an attribute; a box
 * selects the airports in it. In by_name the dimension is the name, a string, which several
 * airports may share; a range selects names. Results are printed to standard output; times, which
 * differ between runs, to standard error.
 */
#include "airports.h"

enum { AIRPORTS_PER_TILE = 500, AIRPORTS_PER_READ = 4096 };

static void make_folder(tiledb_ctx_t* ctx, const char* path) {
  tiledb_vfs_t* vfs = NULL;
  remove_old(ctx, path);
  ok(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  ok(ctx, tiledb_vfs_create_dir(ctx, vfs, path));
  tiledb_vfs_free(&vfs);
}

/* Returns a dimension of degrees from -`most` to `most`, or of strings if `most` is 0. */
static void add_dimension(tiledb_ctx_t* ctx, tiledb_domain_t* domain, const char* name, double most) {
  const double bounds[2] = {-most, most};
  tiledb_dimension_t* dimension = NULL;
  if (most > 0)
    ok(ctx, tiledb_dimension_alloc(ctx, name, TILEDB_FLOAT64, bounds, NULL, &dimension));
  else
    ok(ctx, tiledb_dimension_alloc(ctx, name, TILEDB_STRING_ASCII, NULL, NULL, &dimension));
  ok(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  tiledb_dimension_free(&dimension);
}

static void add_attribute(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t per_cell) {
  tiledb_attribute_t* attribute = NULL;
  ok(ctx, tiledb_attribute_alloc(ctx, name, type, &attribute));
  ok(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, per_cell));
  ok(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  tiledb_attribute_free(&attribute);
}

static void create_array(tiledb_ctx_t* ctx, const char* uri, int by_name) {
  tiledb_domain_t* domain = NULL;
  tiledb_array_schema_t* schema = NULL;
  ok(ctx, tiledb_domain_alloc(ctx, &domain));
  ok(ctx, tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  if (by_name) {
    add_dimension(ctx, domain, "name", 0);
    add_attribute(ctx, schema, "longitude", TILEDB_FLOAT64, 1);
    add_attribute(ctx, schema, "latitude", TILEDB_FLOAT64, 1);
    ok(ctx, tiledb_array_schema_set_allows_dups(ctx, schema, 1));
  } else {
    add_dimension(ctx, domain, "longitude", 180);
    add_dimension(ctx, domain, "latitude", 90);
    add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM);
    /* Airports that are close to each other share tiles. */
    ok(ctx, tiledb_array_schema_set_cell_order(ctx, schema, TILEDB_HILBERT));
  }
  ok(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  ok(ctx, tiledb_array_schema_set_capacity(ctx, schema, AIRPORTS_PER_TILE));
  ok(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_domain_free(&domain);
}

/* The sizes of the buffers of a query, which a read changes. */
typedef struct {
  uint64_t longitude, latitude, starts, names;
} sizes_t;

static void set_buffers(tiledb_ctx_t* ctx, tiledb_query_t* query, const airports_t* airports, sizes_t* sizes) {
  sizes->longitude = sizes->latitude = airports->number * sizeof(double);
  sizes->starts = airports->number * sizeof(uint64_t);
  sizes->names = airports->names_size;
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "longitude", airports->longitude, &sizes->longitude));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "latitude", airports->latitude, &sizes->latitude));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "name", airports->names, &sizes->names));
  ok(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", airports->starts, &sizes->starts));
}

static void store(tiledb_ctx_t* ctx, const char* uri, const airports_t* airports) {
  sizes_t sizes;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_query_status_t status;
  ok(ctx, tiledb_array_alloc(ctx, uri, &array));
  ok(ctx, tiledb_array_open(ctx, array, TILEDB_WRITE));
  ok(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  ok(ctx, tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  set_buffers(ctx, query, airports, &sizes);
  ok(ctx, tiledb_query_submit(ctx, query));
  ok(ctx, tiledb_query_get_status(ctx, query, &status));
  if (status != TILEDB_COMPLETED) fail("the query did not complete");
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_query_free(&query);
  tiledb_array_free(&array);
}

static void print_airports(const airports_t* airports, const sizes_t* sizes) {
  uint64_t number = sizes->starts / sizeof(uint64_t);
  for (uint64_t i = 0; i < number; i++) {
    uint64_t end = i + 1 < number ? airports->starts[i + 1] : sizes->names;
    printf("%10.4f %9.4f  %.*s\n", airports->longitude[i], airports->latitude[i], (int)(end - airports->starts[i]),
           airports->names + airports->starts[i]);
  }
}

/*
 * Prints the airports of a box, or those with names from `first` to `last`, in row-major order of
 * the array's dimensions. The query is submitted until it has returned all cells.
 */
static void print_found(
    tiledb_ctx_t* ctx, const char* uri, const double* box, const char* first, const char* last) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  airports_t airports = new_airports(AIRPORTS_PER_READ, AIRPORTS_PER_READ * 64);
  ok(ctx, tiledb_array_alloc(ctx, uri, &array));
  ok(ctx, tiledb_array_open(ctx, array, TILEDB_READ));
  ok(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  ok(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  if (box != NULL) {
    ok(ctx, tiledb_subarray_add_range_by_name(ctx, subarray, "longitude", &box[0], &box[1], NULL));
    ok(ctx, tiledb_subarray_add_range_by_name(ctx, subarray, "latitude", &box[2], &box[3], NULL));
  } else {
    ok(ctx, tiledb_subarray_add_range_var(ctx, subarray, 0, first, strlen(first), last, strlen(last)));
  }
  ok(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  ok(ctx, tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  while (status == TILEDB_INCOMPLETE) {
    sizes_t sizes;
    set_buffers(ctx, query, &airports, &sizes);
    ok(ctx, tiledb_query_submit(ctx, query));
    ok(ctx, tiledb_query_get_status(ctx, query, &status));
    if (status == TILEDB_INCOMPLETE && sizes.starts == 0) fail("an airport does not fit the buffers");
    print_airports(&airports, &sizes);
  }
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  free_airports(airports);
}

int main(int count, char** arguments) {
  static const double bay[4] = {-123, -121.5, 37, 38.5};
  char by_location[1024], by_name[1024];
  tiledb_ctx_t* ctx = NULL;
  if (count != 3) fail("usage: airports AIRPORTS.csv ARRAYS");
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) fail("cannot make a context");
  if (snprintf(by_location, sizeof by_location, "%s/by_location", arguments[2]) >= (int)sizeof by_location ||
      snprintf(by_name, sizeof by_name, "%s/by_name", arguments[2]) >= (int)sizeof by_name)
    fail("the path of the folder is too long");
  airports_t airports = read_airports(arguments[1]);

  make_folder(ctx, arguments[2]);
  double start = now_ms();
  create_array(ctx, by_location, 0);
  store(ctx, by_location, &airports);
  create_array(ctx, by_name, 1);
  store(ctx, by_name, &airports);
  double stored = now_ms();

  printf("airports: %" PRIu64 "\naround the San Francisco Bay, from west to east:\n", airports.number);
  print_found(ctx, by_location, bay, NULL, NULL);
  printf("called San A to San Z:\n");
  print_found(ctx, by_name, NULL, "San A", "San Z");
  double end = now_ms();
  fprintf(stderr, "create and write both %.2f ms, find %.2f ms\n", stored - start, end - stored);

  free_airports(airports);
  tiledb_ctx_free(&ctx);
  return 0;
}
