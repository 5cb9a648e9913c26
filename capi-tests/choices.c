/*
 * Measures what the choices of a schema cost: extents, filters, capacity, order, number of
 * fragments, size of buffers. capi-tests/choices-table runs it and writes the tables of
 * docs/performance.md.
 *
 *   choices FOLDER
 *
 * Prints lines of fields that are separated by tabs: the table, the choice, and the table's
 * columns. Times are CPU times of the process in milliseconds, sizes are megabytes on storage.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>

#include "measure.h"

/* Dense arrays have SIDE x SIDE cells; sparse arrays CELLS cells in a domain of that size. */
enum { SIDE = 2048, BOX = 32, BOXES = 100, ROWS = 20, CELLS = 1000000, SMALL = 1000 };

typedef struct {
  tiledb_array_type_t type;
  tiledb_datatype_t datatype;
  int32_t extent;
  uint64_t capacity;
  tiledb_layout_t cell_order;
  tiledb_filter_type_t filters[3]; /* Ends at the first TILEDB_FILTER_NONE. */
  int32_t level;                   /* Of the compressor; -1 is its default. */
} choice_t;

typedef struct {
  void* values; /* Of 4 bytes each. */
  int32_t *x, *y;
  uint64_t capacity; /* In cells. */
} buffers_t;

static const choice_t DENSE = {TILEDB_DENSE,     TILEDB_FLOAT32,     256, 10000,
                               TILEDB_ROW_MAJOR, {TILEDB_FILTER_ZSTD}, -1};
static const choice_t SPARSE = {TILEDB_SPARSE,    TILEDB_FLOAT32,     256, 10000,
                                TILEDB_ROW_MAJOR, {TILEDB_FILTER_ZSTD}, -1};

static const char* folder;
static char uri[4096];
static uint32_t arrays;

static tiledb_filter_list_t* filter_list(const choice_t* choice) {
  tiledb_filter_list_t* filters = NULL;
  ok(tiledb_filter_list_alloc(ctx, &filters));
  for (int i = 0; i < 3 && choice->filters[i] != TILEDB_FILTER_NONE; i++) {
    const tiledb_filter_type_t type = choice->filters[i];
    tiledb_filter_t* filter = NULL;
    ok(tiledb_filter_alloc(ctx, type, &filter));
    if (choice->level >= 0 && (type == TILEDB_FILTER_ZSTD || type == TILEDB_FILTER_GZIP))
      ok(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &choice->level));
    ok(tiledb_filter_list_add_filter(ctx, filters, filter));
    tiledb_filter_free(&filter);
  }
  return filters;
}

/* Creates an array with the dimensions "x" and "y" and the attribute "a"; sets `uri`. */
static void create(const choice_t* choice) {
  int32_t bounds[2] = {0, SIDE - 1};
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_filter_list_t* filters = filter_list(choice);
  snprintf(uri, sizeof uri, "%s/%u", folder, arrays++);
  ok(tiledb_domain_alloc(ctx, &domain));
  for (int i = 0; i < 2; i++) {
    tiledb_dimension_t* dimension = NULL;
    ok(tiledb_dimension_alloc(ctx, i ? "y" : "x", TILEDB_INT32, bounds, &choice->extent, &dimension));
    ok(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
  }
  ok(tiledb_attribute_alloc(ctx, "a", choice->datatype, &attribute));
  ok(tiledb_attribute_set_filter_list(ctx, attribute, filters));
  ok(tiledb_array_schema_alloc(ctx, choice->type, &schema));
  ok(tiledb_array_schema_set_domain(ctx, schema, domain));
  ok(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  ok(tiledb_array_schema_set_capacity(ctx, schema, choice->capacity));
  ok(tiledb_array_schema_set_cell_order(ctx, schema, choice->cell_order));
  ok(tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_filter_list_free(&filters);
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

/*
 * Submits a query until it is complete. `box` may be null, as may x and y of the buffers. Returns
 * the number of submits.
 */
static uint32_t submit(tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout, const int32_t* box,
                       const buffers_t* buffers) {
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_status_t status = TILEDB_FAILED;
  uint64_t sizes[3];
  uint32_t submits = 0;
  for (int i = 0; i < 3; i++) sizes[i] = 4 * buffers->capacity;
  ok(tiledb_query_alloc(ctx, array, type, &query));
  ok(tiledb_query_set_layout(ctx, query, layout));
  if (box != NULL) {
    ok(tiledb_subarray_alloc(ctx, array, &subarray));
    ok(tiledb_subarray_set_subarray(ctx, subarray, box));
    ok(tiledb_query_set_subarray_t(ctx, query, subarray));
  }
  ok(tiledb_query_set_data_buffer(ctx, query, "a", buffers->values, &sizes[0]));
  if (buffers->x != NULL) {
    ok(tiledb_query_set_data_buffer(ctx, query, "x", buffers->x, &sizes[1]));
    ok(tiledb_query_set_data_buffer(ctx, query, "y", buffers->y, &sizes[2]));
  }
  do {
    for (int i = 0; i < 3; i++) sizes[i] = 4 * buffers->capacity;
    ok(tiledb_query_submit(ctx, query));
    ok(tiledb_query_get_status(ctx, query, &status));
    submits++;
  } while (status == TILEDB_INCOMPLETE && sizes[0] > 0);
  if (status != TILEDB_COMPLETED) {
    fprintf(stderr, "error: a query is not complete\n");
    exit(1);
  }
  tiledb_subarray_free(&subarray);
  tiledb_query_free(&query);
  return submits;
}

static void write_cells(tiledb_layout_t layout, const buffers_t* buffers) {
  tiledb_array_t* array = open_array(TILEDB_WRITE);
  submit(array, TILEDB_WRITE, layout, NULL, buffers);
  close_array(array);
}

static double megabytes(void) {
  tiledb_vfs_t* vfs = NULL;
  uint64_t size = 0;
  ok(tiledb_vfs_alloc(ctx, NULL, &vfs));
  ok(tiledb_vfs_dir_size(ctx, vfs, uri, &size));
  tiledb_vfs_free(&vfs);
  return (double)size / 1e6;
}

/* Returns the time of reads of `number` boxes of `height` x `width` cells from an open array. */
static double read_boxes(int number, int32_t height, int32_t width, tiledb_layout_t layout, const buffers_t* buffers) {
  tiledb_array_t* array = open_array(TILEDB_READ);
  const double start = cpu_ms();
  for (int i = 0; i < number; i++) {
    const int32_t x = i * 769 % (SIDE - height + 1), y = i * 1153 % (SIDE - width + 1);
    const int32_t box[4] = {x, x + height - 1, y, y + width - 1};
    submit(array, TILEDB_READ, layout, box, buffers);
  }
  const double time = cpu_ms() - start;
  close_array(array);
  return time;
}

static buffers_t dense_buffers(void) {
  buffers_t buffers = {allocate(4u * SIDE * SIDE), NULL, NULL, (uint64_t)SIDE * SIDE};
  return buffers;
}

/* A smooth surface with noise, rounded to hundredths. */
static void measured_values(float* values) {
  for (int i = 0; i < SIDE * SIDE; i++) {
    const double x = (double)(i / SIDE) / SIDE, y = (double)(i % SIDE) / SIDE;
    const double noise = (double)((uint32_t)i * 2654435761u >> 28) / 100;
    values[i] = (float)(floor((20 + 10 * sin(9 * x) * cos(7 * y) + noise) * 100 + 0.5) / 100);
  }
}

/* A counter that grows by 0 to 3 per cell. */
static void counter_values(int32_t* values) {
  int32_t count = 0;
  for (int i = 0; i < SIDE * SIDE; i++) values[i] = count += (int32_t)((uint32_t)i * 2654435761u >> 30);
}

static void extents(void) {
  buffers_t buffers = dense_buffers();
  for (int32_t extent = 16; extent <= SIDE; extent *= extent < 64 ? 4 : 2) {
    choice_t choice = DENSE;
    choice.extent = extent;
    create(&choice);
    measured_values(buffers.values);
    const double start = cpu_ms();
    write_cells(TILEDB_ROW_MAJOR, &buffers);
    const double write = cpu_ms() - start;
    const double read = read_boxes(1, SIDE, SIDE, TILEDB_ROW_MAJOR, &buffers);
    const double boxes = read_boxes(BOXES, BOX, BOX, TILEDB_ROW_MAJOR, &buffers);
    const double rows = read_boxes(ROWS, 1, SIDE, TILEDB_ROW_MAJOR, &buffers);
    const double columns = read_boxes(ROWS, SIDE, 1, TILEDB_ROW_MAJOR, &buffers);
    printf("extents\t%d x %d\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\n", extent, extent, megabytes(), write, read, boxes, rows,
           columns);
  }
  free(buffers.values);
}

static void filters(void) {
  static const struct {
    const char* name;
    tiledb_filter_type_t filters[3];
    int32_t level;
  } choices[] = {
      {"none", {TILEDB_FILTER_NONE}, -1},
      {"LZ4", {TILEDB_FILTER_LZ4}, -1},
      {"zstd 1", {TILEDB_FILTER_ZSTD}, 1},
      {"zstd 5", {TILEDB_FILTER_ZSTD}, 5},
      {"zstd 12", {TILEDB_FILTER_ZSTD}, 12},
      {"gzip 6", {TILEDB_FILTER_GZIP}, 6},
      {"byteshuffle, LZ4", {TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_LZ4}, -1},
      {"byteshuffle, zstd 1", {TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_ZSTD}, 1},
      {"byteshuffle, zstd 5", {TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_ZSTD}, 5},
      {"bitshuffle, LZ4", {TILEDB_FILTER_BITSHUFFLE, TILEDB_FILTER_LZ4}, -1},
      {"bit width reduction", {TILEDB_FILTER_BIT_WIDTH_REDUCTION}, -1},
      {"double delta", {TILEDB_FILTER_DOUBLE_DELTA}, -1},
      {"delta, zstd 1", {TILEDB_FILTER_DELTA, TILEDB_FILTER_ZSTD}, 1},
  };
  buffers_t buffers = dense_buffers();
  for (int integers = 0; integers < 2; integers++) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
      const tiledb_filter_type_t first = choices[i].filters[0];
      const int for_integers = first == TILEDB_FILTER_BIT_WIDTH_REDUCTION || first == TILEDB_FILTER_DOUBLE_DELTA ||
                               first == TILEDB_FILTER_DELTA;
      if (for_integers && !integers) continue;
      choice_t choice = DENSE;
      choice.datatype = integers ? TILEDB_INT32 : TILEDB_FLOAT32;
      memcpy(choice.filters, choices[i].filters, sizeof choice.filters);
      choice.level = choices[i].level;
      create(&choice);
      if (integers) counter_values(buffers.values);
      else measured_values(buffers.values);
      const double start = cpu_ms();
      write_cells(TILEDB_ROW_MAJOR, &buffers);
      const double write = cpu_ms() - start;
      const double read = read_boxes(1, SIDE, SIDE, TILEDB_ROW_MAJOR, &buffers);
      const double boxes = read_boxes(BOXES, BOX, BOX, TILEDB_ROW_MAJOR, &buffers);
      printf("%s\t%s\t%.2f\t%.1f\t%.1f\t%.1f\n", integers ? "filters-integers" : "filters-reals", choices[i].name,
             megabytes(), write, read, boxes);
    }
  }
  free(buffers.values);
}

static buffers_t sparse_cells(uint32_t cells) {
  buffers_t buffers = {allocate(4u * cells), allocate(4u * cells), allocate(4u * cells), cells};
  for (uint32_t i = 0; i < cells; i++) {
    const uint32_t cell = i * 2654435761u % ((uint32_t)SIDE * SIDE);
    buffers.x[i] = (int32_t)(cell / SIDE);
    buffers.y[i] = (int32_t)(cell % SIDE);
    ((float*)buffers.values)[i] = (float)(cell % 1000) / 8;
  }
  return buffers;
}

static void free_cells(buffers_t* buffers) {
  free(buffers->values);
  free(buffers->x);
  free(buffers->y);
}

static void capacities(void) {
  static const struct {
    const char* order;
    tiledb_layout_t cell_order;
    int32_t extent;
  } orders[] = {{"row-major, extent 256", TILEDB_ROW_MAJOR, 256},
                {"row-major, extent 2048", TILEDB_ROW_MAJOR, SIDE},
                {"Hilbert", TILEDB_HILBERT, SIDE}};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    for (uint64_t capacity = 1000; capacity <= 100000; capacity *= 10) {
      buffers_t buffers = sparse_cells(CELLS);
      choice_t choice = SPARSE;
      choice.capacity = capacity;
      choice.extent = orders[i].extent;
      choice.cell_order = orders[i].cell_order;
      create(&choice);
      const double start = cpu_ms();
      write_cells(TILEDB_UNORDERED, &buffers);
      const double write = cpu_ms() - start;
      const double read = read_boxes(1, SIDE, SIDE, TILEDB_UNORDERED, &buffers);
      const double boxes = read_boxes(BOXES, BOX, BOX, TILEDB_UNORDERED, &buffers);
      const double rows = read_boxes(ROWS, 1, SIDE, TILEDB_UNORDERED, &buffers);
      printf("capacities\t%s, %d\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\n", orders[i].order, (int)capacity, megabytes(), write, read,
             boxes, rows);
      free_cells(&buffers);
    }
  }
}

static void layouts(void) {
  static const struct {
    const char* name;
    tiledb_layout_t layout;
  } orders[] = {{"unordered", TILEDB_UNORDERED}, {"global order", TILEDB_GLOBAL_ORDER}, {"row-major", TILEDB_ROW_MAJOR}};
  buffers_t buffers = sparse_cells(CELLS);
  create(&SPARSE);
  write_cells(TILEDB_UNORDERED, &buffers);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    printf("layouts\t%s\t%.1f\t%.1f\n", orders[i].name, read_boxes(1, SIDE, SIDE, orders[i].layout, &buffers),
           read_boxes(BOXES, BOX, BOX, orders[i].layout, &buffers));
  free_cells(&buffers);
}

static void buffer_sizes(void) {
  buffers_t buffers = sparse_cells(CELLS);
  create(&SPARSE);
  write_cells(TILEDB_UNORDERED, &buffers);
  for (uint64_t kilobytes = 2048; kilobytes >= 8; kilobytes /= 4) {
    buffers_t part = buffers;
    part.capacity = kilobytes * 1024 / 4;
    tiledb_array_t* array = open_array(TILEDB_READ);
    const double start = cpu_ms();
    const uint32_t submits = submit(array, TILEDB_READ, TILEDB_GLOBAL_ORDER, NULL, &part);
    printf("buffers\t%d KB\t%u\t%.1f\n", (int)kilobytes, submits, cpu_ms() - start);
    close_array(array);
  }
  free_cells(&buffers);
}

static void consolidate(const char* mode) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  if (tiledb_config_alloc(&config, &error) != TILEDB_OK ||
      tiledb_config_set(config, "sm.consolidation.mode", mode, &error) != TILEDB_OK ||
      tiledb_config_set(config, "sm.vacuum.mode", mode, &error) != TILEDB_OK)
    exit(1);
  ok(tiledb_array_consolidate(ctx, uri, config));
  ok(tiledb_array_vacuum(ctx, uri, config));
  tiledb_config_free(&config);
}

static void report_fragments(const char* state, int fragments, const buffers_t* buffers) {
  const double start = cpu_ms();
  close_array(open_array(TILEDB_READ));
  const double open = cpu_ms() - start;
  const double read = read_boxes(1, SIDE, SIDE, TILEDB_UNORDERED, buffers);
  const double boxes = read_boxes(BOXES, BOX, BOX, TILEDB_UNORDERED, buffers);
  printf("fragments\t%d, %s\t%.2f\t%.2f\t%.1f\t%.1f\n", fragments, state, megabytes(), open, read, boxes);
}

static void fragments(void) {
  for (int number = 10; number <= 1000; number *= 10) {
    buffers_t cells = sparse_cells((uint32_t)number * SMALL);
    create(&SPARSE);
    for (int i = 0; i < number; i++) {
      buffers_t part = {(float*)cells.values + i * SMALL, cells.x + i * SMALL, cells.y + i * SMALL, SMALL};
      write_cells(TILEDB_UNORDERED, &part);
    }
    report_fragments("as written", number, &cells);
    consolidate("commits");
    consolidate("fragment_meta");
    report_fragments("consolidated commits and metadata", number, &cells);
    consolidate("fragments");
    report_fragments("consolidated and vacuumed", number, &cells);
    free_cells(&cells);
  }
}

int main(int argc, char** argv) {
  if (argc != 2 || tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) {
    fprintf(stderr, "usage: choices FOLDER\n");
    return 2;
  }
  folder = argv[1];
  extents();
  filters();
  capacities();
  layouts();
  buffer_sizes();
  fragments();
  tiledb_ctx_free(&ctx);
  return 0;
}
