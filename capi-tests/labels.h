/*
 * Arrays with dimension labels: one dimension, x, with the numeric labels up and down and the
 * string label text, and the attribute number.
 */
#ifndef LABELS_H
#define LABELS_H

#include "arrays.h"

enum { LENGTH = 10 };

static const double up[LENGTH] = {0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5};
static const double down[LENGTH] = {0, -1, -2, -3, -4, -5, -6, -7, -8, -9};
static const char letters[] = "abbbcdeeeefgh";
static const uint64_t letters_at[LENGTH] = {0, 1, 2, 4, 5, 6, 7, 10, 11, 12};

static inline void add_label(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, uint32_t dimension, const char* name, tiledb_data_order_t order,
    tiledb_datatype_t type) {
  CHECK_OK(ctx, tiledb_array_schema_add_dimension_label(ctx, schema, dimension, name, order, type));
}

/*
 * One dimension, x, of 1 to LENGTH in tiles of 4; the attribute number; the labels up, down and
 * text.
 */
static inline tiledb_array_schema_t* label_schema(tiledb_ctx_t* ctx, tiledb_array_type_t kind) {
  tiledb_array_schema_t* schema = new_line_schema(ctx, kind, LENGTH, 4, 0);
  add_label(ctx, schema, 0, "up", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  add_label(ctx, schema, 0, "down", TILEDB_DECREASING_DATA, TILEDB_FLOAT64);
  add_label(ctx, schema, 0, "text", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII);
  return schema;
}

static inline int32_t label_range(tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, const char* label, double first, double last) {
  return tiledb_subarray_add_label_range(ctx, subarray, label, &first, &last, NULL);
}

static inline int32_t text_range(tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, const char* first, const char* last) {
  return tiledb_subarray_add_label_range_var(
      ctx, subarray, "text", first, strlen(first), last, strlen(last));
}

/* Returns a new query with the subarray, which is freed and may be null. */
static inline tiledb_query_t* labelled_query(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, tiledb_subarray_t** subarray) {
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, type, &query));
  if (*subarray != NULL) CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, *subarray));
  tiledb_subarray_free(subarray);
  return query;
}

static inline void set_data(tiledb_ctx_t* ctx, tiledb_query_t* query, const char* name, const void* data, uint64_t* size) {
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, (void*)data, size));
}

/* Writes label values to the indexes from `first` to `last` and returns the code of the submit. */
static inline int32_t write_label(
    tiledb_ctx_t* ctx, const char* uri, const char* label, const double* values, int32_t first, int32_t last) {
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  uint64_t size = (uint64_t)(last - first + 1) * sizeof *values;
  add_range(ctx, subarray, first, last);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, label, values, &size);
  int32_t code = tiledb_query_submit(ctx, query);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return code;
}

/* Creates a dense array with the numbers from 10 on and all three labels. */
static inline void labelled_array(tiledb_ctx_t* ctx, char* uri) {
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  int32_t numbers[LENGTH];
  uint64_t sizes[5] = {sizeof numbers, sizeof up, sizeof down, strlen(letters), sizeof letters_at};
  tiledb_query_status_t status;
  uint32_t fragments = 0;
  for (int32_t i = 0; i < LENGTH; i++) numbers[i] = 10 + i;
  add_range(ctx, subarray, 1, LENGTH);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "number", numbers, &sizes[0]);
  set_data(ctx, query, "up", up, &sizes[1]);
  set_data(ctx, query, "down", down, &sizes[2]);
  set_data(ctx, query, "text", letters, &sizes[3]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", (uint64_t*)letters_at, &sizes[4]));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_get_fragment_num(ctx, query, &fragments));
  CHECK_EQ(fragments, 1);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* Reads the numbers of a subarray and checks that they are those from `first` to `last`. */
static inline void numbers_are(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_subarray_t** subarray, int32_t first, int32_t last) {
  int32_t numbers[2 * LENGTH];
  uint64_t size = sizeof numbers;
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, subarray);
  set_data(ctx, query, "number", numbers, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, last - first + 1);
  for (int32_t i = 0; i <= last - first; i++) CHECK_EQ(numbers[i], first + i);
  tiledb_query_free(&query);
}

#endif /* LABELS_H */
