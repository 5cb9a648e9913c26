/*
 * Stores a picture as a dense array and reads a window of it in two orders.
 *
 * raster PICTURE.ppm ARRAY WINDOW.ppm
 *
 * The array has two dimensions, row and column, tiles of 64 x 64 pixels, and one attribute of
 * three bytes (red, green, blue) compressed with zstd. Results are printed to standard output;
 * sizes on disk and times, which differ between runs, to standard error.
 */
#include "example.h"

enum { CHANNELS = 3, TILE = 64 };

typedef struct {
  uint32_t rows, columns;
  uint8_t* pixels;
} picture_t;

/* The first and last row, and the first and last column. */
typedef struct {
  uint32_t range[4];
} window_t;

static const window_t WINDOW = {{30, 129, 80, 159}};

static size_t size_of(uint32_t rows, uint32_t columns) { return (size_t)rows * columns * CHANNELS; }

static picture_t read_picture(const char* path) {
  picture_t picture = {0, 0, NULL};
  unsigned depth = 0;
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail("cannot open the picture");
  if (fscanf(file, "P6 %" SCNu32 " %" SCNu32 " %u", &picture.columns, &picture.rows, &depth) != 3 || depth != 255)
    fail("not a binary PPM with 8 bits per channel");
  if (picture.columns == 0 || picture.rows == 0 || picture.columns > 65535 || picture.rows > 65535)
    fail("the picture has no usable size");
  (void)fgetc(file); /* the one blank after the depth */
  picture.pixels = malloc(size_of(picture.rows, picture.columns));
  if (picture.pixels == NULL) fail("out of memory");
  if (fread(picture.pixels, CHANNELS, (size_t)picture.rows * picture.columns, file) !=
      (size_t)picture.rows * picture.columns)
    fail("the picture ends early");
  fclose(file);
  return picture;
}

static void write_picture(const char* path, picture_t picture) {
  const size_t pixels = (size_t)picture.rows * picture.columns;
  FILE* file = fopen(path, "wb");
  if (file == NULL) fail("cannot write the window");
  if (fprintf(file, "P6\n%" PRIu32 " %" PRIu32 "\n255\n", picture.columns, picture.rows) < 0 ||
      fwrite(picture.pixels, CHANNELS, pixels, file) != pixels)
    fail("cannot write the window");
  if (fclose(file) != 0) fail("cannot write the window");
}

static void add_dimension(tiledb_ctx_t* ctx, tiledb_domain_t* domain, const char* name, uint32_t length) {
  uint32_t bounds[2] = {0, length - 1};
  uint32_t extent = length < TILE ? length : TILE;
  tiledb_dimension_t* dimension = NULL;
  ok(ctx, tiledb_dimension_alloc(ctx, name, TILEDB_UINT32, bounds, &extent, &dimension));
  ok(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  tiledb_dimension_free(&dimension);
}

static void add_colors(tiledb_ctx_t* ctx, tiledb_array_schema_t* schema) {
  tiledb_attribute_t* attribute = NULL;
  tiledb_filter_t* zstd = NULL;
  tiledb_filter_list_t* filters = NULL;
  int32_t level = 5;
  ok(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd));
  ok(ctx, tiledb_filter_set_option(ctx, zstd, TILEDB_COMPRESSION_LEVEL, &level));
  ok(ctx, tiledb_filter_list_alloc(ctx, &filters));
  ok(ctx, tiledb_filter_list_add_filter(ctx, filters, zstd));
  ok(ctx, tiledb_attribute_alloc(ctx, "rgb", TILEDB_UINT8, &attribute));
  ok(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, CHANNELS));
  ok(ctx, tiledb_attribute_set_filter_list(ctx, attribute, filters));
  ok(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  tiledb_attribute_free(&attribute);
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&zstd);
}

static void create_array(tiledb_ctx_t* ctx, const char* uri, picture_t picture) {
  tiledb_domain_t* domain = NULL;
  tiledb_array_schema_t* schema = NULL;
  ok(ctx, tiledb_domain_alloc(ctx, &domain));
  add_dimension(ctx, domain, "row", picture.rows);
  add_dimension(ctx, domain, "column", picture.columns);
  ok(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  ok(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  add_colors(ctx, schema);
  ok(ctx, tiledb_array_schema_check(ctx, schema));
  ok(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_domain_free(&domain);
}

static tiledb_array_t* open_array(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  ok(ctx, tiledb_array_alloc(ctx, uri, &array));
  ok(ctx, tiledb_array_open(ctx, array, type));
  return array;
}

/* Writes or reads the pixels of the window in the order of the layout. */
static void run_query(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout, window_t window,
    uint8_t* pixels, uint64_t size) {
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_status_t status;
  ok(ctx, tiledb_query_alloc(ctx, array, type, &query));
  ok(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  ok(ctx, tiledb_subarray_set_subarray(ctx, subarray, window.range));
  ok(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  ok(ctx, tiledb_query_set_layout(ctx, query, layout));
  ok(ctx, tiledb_query_set_data_buffer(ctx, query, "rgb", pixels, &size));
  ok(ctx, tiledb_query_submit(ctx, query));
  ok(ctx, tiledb_query_finalize(ctx, query));
  ok(ctx, tiledb_query_get_status(ctx, query, &status));
  if (status != TILEDB_COMPLETED) fail("the query did not complete");
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
}

static void store(tiledb_ctx_t* ctx, const char* uri, picture_t picture) {
  window_t whole = {{0, picture.rows - 1, 0, picture.columns - 1}};
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  run_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole, picture.pixels, size_of(picture.rows, picture.columns));
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

/* A window with its pixels in the order of the layout. */
static picture_t slice(tiledb_ctx_t* ctx, const char* uri, window_t window, tiledb_layout_t layout) {
  picture_t cut = {window.range[1] - window.range[0] + 1, window.range[3] - window.range[2] + 1, NULL};
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  cut.pixels = malloc(size_of(cut.rows, cut.columns));
  if (cut.pixels == NULL) fail("out of memory");
  run_query(ctx, array, TILEDB_READ, layout, window, cut.pixels, size_of(cut.rows, cut.columns));
  ok(ctx, tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
  return cut;
}

/* Returns the Adler-32 checksum, which depends on the order of the pixels. */
static uint32_t checksum(picture_t picture) {
  uint32_t low = 1, high = 0;
  for (size_t i = 0; i < size_of(picture.rows, picture.columns); i++) {
    low = (low + picture.pixels[i]) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

static void print_window(const char* order, picture_t picture) {
  uint64_t sums[CHANNELS] = {0, 0, 0};
  uint64_t count = (uint64_t)picture.rows * picture.columns;
  for (uint64_t i = 0; i < count * CHANNELS; i++) sums[i % CHANNELS] += picture.pixels[i];
  printf("%s: checksum %08" PRIx32 ", mean color %" PRIu64 " %" PRIu64 " %" PRIu64 ", first pixels", order,
         checksum(picture), sums[0] / count, sums[1] / count, sums[2] / count);
  for (int i = 0; i < 4; i++) {
    const uint8_t* pixel = picture.pixels + (ptrdiff_t)i * CHANNELS;
    printf(" %02x%02x%02x", pixel[0], pixel[1], pixel[2]);
  }
  printf("\n");
}

/*
 * Returns whether both contain the same pixels, one in row-major and the other in column-major
 * order.
 */
static int same_pixels(picture_t by_rows, picture_t by_columns) {
  for (uint32_t row = 0; row < by_rows.rows; row++)
    for (uint32_t column = 0; column < by_rows.columns; column++) {
      size_t one = ((size_t)row * by_rows.columns + column) * CHANNELS;
      size_t other = ((size_t)column * by_rows.rows + row) * CHANNELS;
      if (memcmp(by_rows.pixels + one, by_columns.pixels + other, CHANNELS) != 0) return 0;
    }
  return 1;
}

static uint64_t size_on_disk(tiledb_ctx_t* ctx, const char* uri) {
  tiledb_vfs_t* vfs = NULL;
  uint64_t size = 0;
  ok(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  ok(ctx, tiledb_vfs_dir_size(ctx, vfs, uri, &size));
  tiledb_vfs_free(&vfs);
  return size;
}

int main(int count, char** arguments) {
  tiledb_ctx_t* ctx = NULL;
  if (count != 4) fail("usage: raster PICTURE.ppm ARRAY WINDOW.ppm");
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) fail("cannot make a context");
  const char* uri = arguments[2];
  picture_t picture = read_picture(arguments[1]);

  remove_old(ctx, uri);
  double start = now_ms();
  create_array(ctx, uri, picture);
  store(ctx, uri, picture);
  double stored = now_ms();
  picture_t by_rows = slice(ctx, uri, WINDOW, TILEDB_ROW_MAJOR);
  double first = now_ms();
  picture_t by_columns = slice(ctx, uri, WINDOW, TILEDB_COL_MAJOR);
  double second = now_ms();

  printf("picture: %" PRIu32 " x %" PRIu32 " pixels\n", picture.columns, picture.rows);
  printf("window: rows %" PRIu32 "-%" PRIu32 ", columns %" PRIu32 "-%" PRIu32 "\n", WINDOW.range[0], WINDOW.range[1],
         WINDOW.range[2], WINDOW.range[3]);
  print_window("row-major", by_rows);
  print_window("col-major", by_columns);
  printf("both orders hold the same pixels: %s\n", same_pixels(by_rows, by_columns) ? "yes" : "no");
  write_picture(arguments[3], by_rows);
  fprintf(stderr, "%zu bytes in memory, %" PRIu64 " bytes on disk\n", size_of(picture.rows, picture.columns),
          size_on_disk(ctx, uri));
  fprintf(stderr, "create and write %.2f ms, read by rows %.2f ms, by columns %.2f ms; the window is in %s\n",
          stored - start, first - stored, second - first, arguments[3]);

  free(picture.pixels);
  free(by_rows.pixels);
  free(by_columns.pixels);
  tiledb_ctx_free(&ctx);
  return 0;
}
