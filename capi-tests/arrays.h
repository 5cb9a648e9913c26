/*
 * Arrays for the tests of several families.
 *
 * new_schema creates an array of ROWS x COLUMNS cells, starting at 1, in tiles of 2 x 3, with the
 * attributes number (int32), name (string) and maybe (nullable double). new_number_schema has only
 * the first of these attributes; its cells are written and read as boxes. new_line_schema has one
 * dimension, x, and the attribute number; if it is sparse, its cells are written as points.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "harness.h"

enum { ROWS = 4, COLUMNS = 6, CELLS = ROWS * COLUMNS };

/* The box of all cells. */
static const int32_t whole[4] = {1, ROWS, 1, COLUMNS};

static inline tiledb_dimension_t* new_dimension(
    tiledb_ctx_t* ctx, const char* name, int32_t length, int32_t extent) {
  int32_t bounds[2] = {1, length};
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, name, TILEDB_INT32, bounds, &extent, &dimension));
  return dimension;
}

static inline tiledb_dimension_t* text_dimension(tiledb_ctx_t* ctx, const char* name) {
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, name, TILEDB_STRING_ASCII, NULL, NULL, &dimension));
  return dimension;
}

static inline tiledb_domain_t* new_domain(tiledb_ctx_t* ctx) {
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* rows = new_dimension(ctx, "row", ROWS, 2);
  tiledb_dimension_t* columns = new_dimension(ctx, "column", COLUMNS, 3);
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, rows));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, columns));
  tiledb_dimension_free(&rows);
  tiledb_dimension_free(&columns);
  return domain;
}

static inline tiledb_attribute_t* new_attribute(tiledb_ctx_t* ctx, const char* name, tiledb_datatype_t type) {
  tiledb_attribute_t* attribute = NULL;
  CHECK_OK(ctx, tiledb_attribute_alloc(ctx, name, type, &attribute));
  return attribute;
}

/* Returns a list of `number` filters with default options. */
static inline tiledb_filter_list_t* filter_list(tiledb_ctx_t* ctx, size_t number, const tiledb_filter_type_t* types) {
  tiledb_filter_list_t* list = NULL;
  CHECK_OK(ctx, tiledb_filter_list_alloc(ctx, &list));
  for (size_t i = 0; i < number; i++) {
    tiledb_filter_t* filter = NULL;
    CHECK_OK(ctx, tiledb_filter_alloc(ctx, types[i], &filter));
    CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, list, filter));
    tiledb_filter_free(&filter);
  }
  return list;
}

static inline void add_attribute(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t per_cell,
    uint8_t nullable) {
  tiledb_attribute_t* attribute = new_attribute(ctx, name, type);
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, per_cell));
  CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, nullable));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  tiledb_attribute_free(&attribute);
}

/* Returns a schema with one or two dimensions, which are freed; the second may be null. */
static inline tiledb_array_schema_t* schema_on(
    tiledb_ctx_t* ctx, tiledb_array_type_t type, tiledb_dimension_t* one, tiledb_dimension_t* other) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, one));
  if (other != NULL) CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, other));
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, type, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  tiledb_dimension_free(&one);
  tiledb_dimension_free(&other);
  tiledb_domain_free(&domain);
  return schema;
}

/* The dimensions row and column, and one attribute: number, int32. */
static inline tiledb_array_schema_t* grid_schema(tiledb_ctx_t* ctx, tiledb_array_type_t type) {
  tiledb_array_schema_t* schema =
      schema_on(ctx, type, new_dimension(ctx, "row", ROWS, 2), new_dimension(ctx, "column", COLUMNS, 3));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  return schema;
}

/* Returns a dense schema with the dimensions row and column. */
static inline tiledb_array_schema_t* new_number_schema(tiledb_ctx_t* ctx) { return grid_schema(ctx, TILEDB_DENSE); }

/*
 * One dimension, x (int32, from 1 on), and one attribute, number (int32). Sparse arrays have two
 * cells per tile.
 */
static inline tiledb_array_schema_t* new_line_schema(
    tiledb_ctx_t* ctx, tiledb_array_type_t type, int32_t length, int32_t extent, int dups) {
  tiledb_array_schema_t* schema = schema_on(ctx, type, new_dimension(ctx, "x", length, extent), NULL);
  if (type == TILEDB_SPARSE) {
    CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, schema, 2));
    CHECK_OK(ctx, tiledb_array_schema_set_allows_dups(ctx, schema, dups));
  }
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  return schema;
}

/*
 * As new_number_schema, with the additional attributes name (string) and maybe (nullable double).
 */
static inline tiledb_array_schema_t* new_schema(tiledb_ctx_t* ctx) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_FLOAT64, 1, 1);
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  return schema;
}

/*
 * Returns a rectangle of new_domain: the first and last coordinate of each dimension. A range that
 * ends at 0 is not set.
 */
static inline tiledb_ndrectangle_t* new_rectangle(tiledb_ctx_t* ctx, const int32_t* box) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_ndrectangle_t* made = NULL;
  CHECK_OK(ctx, tiledb_ndrectangle_alloc(ctx, domain, &made));
  for (uint32_t i = 0; i < 2; i++) {
    tiledb_range_t range = {&box[2 * i], sizeof *box, &box[2 * i + 1], sizeof *box};
    if (box[2 * i + 1] != 0) CHECK_OK(ctx, tiledb_ndrectangle_set_range(ctx, made, i, &range));
  }
  tiledb_domain_free(&domain);
  return made;
}

static inline tiledb_current_domain_t* new_current_domain(tiledb_ctx_t* ctx, const int32_t* box) {
  tiledb_current_domain_t* made = NULL;
  tiledb_ndrectangle_t* rectangle = new_rectangle(ctx, box);
  CHECK_OK(ctx, tiledb_current_domain_create(ctx, &made));
  CHECK_OK(ctx, tiledb_current_domain_set_ndrectangle(ctx, made, rectangle));
  CHECK_EQ(tiledb_ndrectangle_free(&rectangle), TILEDB_OK);
  return made;
}

/* Sets a box as the current domain of the schema. */
static inline void set_current_domain(tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, const int32_t* box) {
  tiledb_current_domain_t* current = new_current_domain(ctx, box);
  CHECK_OK(ctx, tiledb_array_schema_set_current_domain(ctx, schema, current));
  CHECK_EQ(tiledb_current_domain_free(&current), TILEDB_OK);
}

/*
 * Creates an array of the schema, frees the schema, and copies the path to `uri`, which must have
 * 128 bytes.
 */
static inline void create_with(tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, char* uri) {
  snprintf(uri, 128, "%s", scratch());
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
}

static inline tiledb_array_t* open_array(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, type));
  return array;
}

/* Opens an array for a range of timestamps, or for writing at the end of the range. */
static inline tiledb_array_t* open_at(
    tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, uint64_t from, uint64_t to) {
  tiledb_array_t* array = NULL;
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_OK(ctx, tiledb_array_set_open_timestamp_start(ctx, array, from));
  CHECK_OK(ctx, tiledb_array_set_open_timestamp_end(ctx, array, to));
  CHECK_OK(ctx, tiledb_array_open(ctx, array, type));
  return array;
}

static inline void close_array(tiledb_ctx_t* ctx, tiledb_array_t** array) {
  CHECK_OK(ctx, tiledb_array_close(ctx, *array));
  tiledb_array_free(array);
}

/* Returns a query of the whole array. */
static inline tiledb_query_t* query_all(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout) {
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, type, &query));
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, layout));
  return query;
}

/* Returns a query of a subarray, which is freed. */
static inline tiledb_query_t* query_on(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout,
    tiledb_subarray_t* subarray) {
  tiledb_query_t* query = query_all(ctx, array, type, layout);
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  tiledb_subarray_free(&subarray);
  return query;
}

static inline tiledb_subarray_t* new_subarray(tiledb_ctx_t* ctx, tiledb_array_t* array) {
  tiledb_subarray_t* subarray = NULL;
  CHECK_OK(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  return subarray;
}

/* Adds a range of the first dimension. */
static inline void add_range(tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, int32_t first, int32_t last) {
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
}

/* Returns a query of `ranges`: the first and last coordinate of each of the two dimensions. */
static inline tiledb_query_t* new_query(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout, const int32_t* ranges) {
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, tiledb_subarray_set_subarray(ctx, subarray, ranges));
  return query_on(ctx, array, type, layout, subarray);
}

static inline void submit(tiledb_ctx_t* ctx, tiledb_query_t* query, tiledb_query_status_t expected) {
  tiledb_query_status_t status;
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, expected);
}

/* Writes the numbers of a box in row-major order at a timestamp. */
static inline void write_box(
    tiledb_ctx_t* ctx, const char* uri, uint64_t time, const int32_t* box, const int32_t* numbers) {
  uint64_t size = sizeof *numbers * (uint64_t)((box[1] - box[0] + 1) * (box[3] - box[2] + 1));
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, time);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", (void*)numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Reads the numbers of a box of at most CELLS cells and returns their count. */
static inline uint64_t read_box(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_layout_t layout, const int32_t* box, int32_t* numbers) {
  uint64_t size = sizeof *numbers * (uint64_t)((box[1] - box[0] + 1) * (box[3] - box[2] + 1));
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, layout, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  return size / sizeof *numbers;
}

/* Writes `count` points of a sparse line, in any order, at a timestamp. */
static inline void write_points(
    tiledb_ctx_t* ctx, const char* uri, uint64_t time, uint64_t cells, const int32_t* x, const int32_t* numbers) {
  uint64_t sizes[2] = {cells * sizeof *x, cells * sizeof *numbers};
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, time);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", (void*)x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", (void*)numbers, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Returns the loaded fragment info of the array. */
static inline tiledb_fragment_info_t* load_info(tiledb_ctx_t* ctx, const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &info));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  return info;
}

static inline uint32_t fragments_of(tiledb_ctx_t* ctx, const char* uri) {
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  uint32_t fragments = 99;
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &fragments));
  tiledb_fragment_info_free(&info);
  return fragments;
}

/* Creates an array whose numbers count from 0 and whose every second value is null. */
static inline tiledb_array_t* written_array(tiledb_ctx_t* ctx, char* uri) {
  char names[CELLS];
  int32_t numbers[CELLS];
  uint64_t starts[CELLS], sizes[5] = {sizeof numbers, sizeof names, sizeof starts, 0, CELLS};
  double values[CELLS];
  uint8_t valid[CELLS];
  for (int i = 0; i < CELLS; i++) {
    numbers[i] = i;
    names[i] = (char)('a' + i);
    starts[i] = (uint64_t)i;
    values[i] = i;
    valid[i] = i % 2 == 0;
  }
  sizes[3] = sizeof values;
  create_with(ctx, new_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", names, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &sizes[2]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", values, &sizes[3]));
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[4]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return open_array(ctx, uri, TILEDB_READ);
}

static inline tiledb_query_condition_t* compare(
    tiledb_ctx_t* ctx, const char* field, const void* value, uint64_t size, tiledb_query_condition_op_t op) {
  tiledb_query_condition_t* condition = NULL;
  CHECK_OK(ctx, tiledb_query_condition_alloc(ctx, &condition));
  CHECK_OK(ctx, tiledb_query_condition_init(ctx, condition, field, value, size, op));
  return condition;
}

static inline tiledb_query_condition_t* number_is(tiledb_ctx_t* ctx, tiledb_query_condition_op_t op, int32_t value) {
  return compare(ctx, "number", &value, sizeof value, op);
}

/* Adds an aggregate of a field to a query, with the name "out". */
static inline void aggregate(
    tiledb_ctx_t* ctx, tiledb_query_t* query, const tiledb_channel_operator_t* op, const char* field) {
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  CHECK_OK(ctx, tiledb_create_unary_aggregate(ctx, query, op, field, &operation));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, "out", operation));
  CHECK_OK(ctx, tiledb_aggregate_free(ctx, &operation));
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
}

/* Returns the string of a handle and frees the handle. Valid until the next call. */
static inline const char* text_of(tiledb_string_t** string) {
  static char kept[8192];
  const char* text = NULL;
  size_t length = 0;
  CHECK_EQ(tiledb_string_view(*string, &text, &length), TILEDB_OK);
  snprintf(kept, sizeof kept, "%.*s", (int)length, text);
  tiledb_string_free(string);
  return kept;
}

#endif /* ARRAYS_H */
