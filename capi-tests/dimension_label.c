/* Dimension labels: on schemas, as ranges of subarrays, their values in queries. */
#include "arrays.h"

#include <tiledb/tiledb_experimental.h>

enum { LENGTH = 10 };

static const double up[LENGTH] = {0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5};
static const double down[LENGTH] = {0, -1, -2, -3, -4, -5, -6, -7, -8, -9};
static const char letters[] = "abbbcdeeeefgh";
static const uint64_t letters_at[LENGTH] = {0, 1, 2, 4, 5, 6, 7, 10, 11, 12};

static void add_label(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, uint32_t dimension, const char* name, tiledb_data_order_t order,
    tiledb_datatype_t type) {
  CHECK_OK(ctx, tiledb_array_schema_add_dimension_label(ctx, schema, dimension, name, order, type));
}

/* One dimension, x, of 1 to LENGTH in tiles of 4; the attribute number; the labels up, down and text. */
static tiledb_array_schema_t* label_schema(tiledb_ctx_t* ctx, tiledb_array_type_t kind) {
  tiledb_array_schema_t* schema = new_line_schema(ctx, kind, LENGTH, 4, 0);
  add_label(ctx, schema, 0, "up", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  add_label(ctx, schema, 0, "down", TILEDB_DECREASING_DATA, TILEDB_FLOAT64);
  add_label(ctx, schema, 0, "text", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII);
  return schema;
}

static int32_t label_range(tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, const char* label, double first, double last) {
  return tiledb_subarray_add_label_range(ctx, subarray, label, &first, &last, NULL);
}

static int32_t text_range(tiledb_ctx_t* ctx, tiledb_subarray_t* subarray, const char* first, const char* last) {
  return tiledb_subarray_add_label_range_var(
      ctx, subarray, "text", first, strlen(first), last, strlen(last));
}

/* Takes the subarray, which may be null, over into a new query. */
static tiledb_query_t* labelled_query(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_type_t type, tiledb_subarray_t** subarray) {
  tiledb_query_t* query = NULL;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, type, &query));
  if (*subarray != NULL) CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, *subarray));
  tiledb_subarray_free(subarray);
  return query;
}

static void set_data(tiledb_ctx_t* ctx, tiledb_query_t* query, const char* name, const void* data, uint64_t* size) {
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, (void*)data, size));
}

/* Writes values of a label to the indexes from `first` to `last`, and gives the code of the submit. */
static int32_t write_label(
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

/* A dense array whose cells are the numbers from 10 on, with all three labels. */
static void labelled_array(tiledb_ctx_t* ctx, char* uri) {
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  int32_t numbers[LENGTH];
  uint64_t sizes[5] = {sizeof numbers, sizeof up, sizeof down, strlen(letters), sizeof letters_at};
  tiledb_query_status_t status;
  uint32_t fragments = 0;
  for (int32_t at = 0; at < LENGTH; at++) numbers[at] = 10 + at;
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

/* Reads the numbers of a subarray, and checks that they are those from `first` to `last`. */
static void numbers_are(
    tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_subarray_t** subarray, int32_t first, int32_t last) {
  int32_t numbers[2 * LENGTH];
  uint64_t size = sizeof numbers;
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, subarray);
  set_data(ctx, query, "number", numbers, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, last - first + 1);
  for (int32_t at = 0; at <= last - first; at++) CHECK_EQ(numbers[at], first + at);
  tiledb_query_free(&query);
}

TEST_WITH(ctx, a_schema_tells_its_labels) {
  tiledb_array_schema_t* schema = label_schema(ctx, TILEDB_DENSE);
  tiledb_dimension_label_t* label = NULL;
  uint64_t number = 0;
  uint32_t dimension = 9, values = 9;
  int32_t has = 9;
  const char* text = NULL;
  tiledb_data_order_t order;
  tiledb_datatype_t type;
  CHECK_OK(ctx, tiledb_array_schema_get_dimension_label_num(ctx, schema, &number));
  CHECK_EQ(number, 3);
  CHECK_OK(ctx, tiledb_array_schema_has_dimension_label(ctx, schema, "down", &has));
  CHECK_EQ(has, 1);
  CHECK_OK(ctx, tiledb_array_schema_has_dimension_label(ctx, schema, "number", &has));
  CHECK_EQ(has, 0);
  CHECK_OK(ctx, tiledb_array_schema_get_dimension_label_from_index(ctx, schema, 1, &label));
  CHECK_OK(ctx, tiledb_dimension_label_get_dimension_index(ctx, label, &dimension));
  CHECK_EQ(dimension, 0);
  CHECK_OK(ctx, tiledb_dimension_label_get_label_attr_name(ctx, label, &text));
  CHECK_TEXT(text, "label");
  CHECK_OK(ctx, tiledb_dimension_label_get_label_cell_val_num(ctx, label, &values));
  CHECK_EQ(values, 1);
  CHECK_OK(ctx, tiledb_dimension_label_get_label_order(ctx, label, &order));
  CHECK_EQ(order, TILEDB_DECREASING_DATA);
  CHECK_OK(ctx, tiledb_dimension_label_get_label_type(ctx, label, &type));
  CHECK_EQ(type, TILEDB_FLOAT64);
  CHECK_OK(ctx, tiledb_dimension_label_get_name(ctx, label, &text));
  CHECK_TEXT(text, "down");
  CHECK_OK(ctx, tiledb_dimension_label_get_uri(ctx, label, &text));
  CHECK_TEXT(text, "__labels/l1");
  tiledb_dimension_label_free(&label);
  CHECK(label == NULL);
  CHECK_OK(ctx, tiledb_array_schema_get_dimension_label_from_name(ctx, schema, "text", &label));
  CHECK_OK(ctx, tiledb_dimension_label_get_label_cell_val_num(ctx, label, &values));
  CHECK_EQ(values, TILEDB_VAR_NUM);
  tiledb_dimension_label_free(&label);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, labels_that_cannot_be_are_refused) {
  tiledb_array_schema_t *schema = label_schema(ctx, TILEDB_DENSE), *bare = NULL;
  tiledb_dimension_label_t* label = NULL;
  const struct {
    uint32_t dimension;
    const char* name;
    tiledb_data_order_t order;
    tiledb_datatype_t type;
    const char* error;
  } wrong[] = {
      {0, "up", TILEDB_INCREASING_DATA, TILEDB_INT32,
       "ArraySchema: Cannot add a dimension label with name 'up'. A different label with that name already exists."},
      {0, "number", TILEDB_INCREASING_DATA, TILEDB_INT32,
       "ArraySchema: Cannot add a dimension label with name 'number'. An attribute with that name already exists."},
      {0, "x", TILEDB_INCREASING_DATA, TILEDB_INT32,
       "ArraySchema: Cannot add a dimension label with name 'x'. A dimension with that name already exists."},
      {1, "l", TILEDB_INCREASING_DATA, TILEDB_INT32,
       "ArraySchema: Cannot add a label to dimension 1; Invalid dimension index. "},
      {0, "l", TILEDB_UNORDERED_DATA, TILEDB_INT32,
       "ArraySchema: Cannot add dimension label; Unordered dimension labels are not yet supported."},
      {0, "l", TILEDB_INCREASING_DATA, TILEDB_STRING_UTF8,
       "ArraySchema: Failed to add dimension label 'l'. (TileDB internal: Datatype Datatype::STRING_UTF8 is not a valid "
       "dimension datatype. (TileDB internal: Datatype 'STRING_UTF8' is not a valid dimension datatype.))"},
  };
  for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++)
    CHECK_ERROR(
        ctx,
        tiledb_array_schema_add_dimension_label(
            ctx, schema, wrong[at].dimension, wrong[at].name, wrong[at].order, wrong[at].type),
        wrong[at].error);
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &bare));
  CHECK_ERROR(
      ctx, tiledb_array_schema_add_dimension_label(ctx, bare, 0, "l", TILEDB_INCREASING_DATA, TILEDB_INT32),
      "ArraySchema: Cannot add dimension label; Must set domain before adding dimension labels.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_get_dimension_label_from_name(ctx, schema, "none", &label),
      "ArraySchema: Unable to get dimension label reference; No dimension label named 'none'.");
  add_attribute(ctx, schema, "up", TILEDB_INT32, 1, 0);
  CHECK_ERROR(
      ctx, tiledb_array_schema_check(ctx, schema),
      "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names");
  tiledb_array_schema_free(&bare);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, filters_and_extents_of_labels_are_set_before_the_array_is_made) {
  tiledb_array_schema_t* schema = label_schema(ctx, TILEDB_DENSE);
  tiledb_filter_list_t* filters = NULL;
  tiledb_filter_t* filter = NULL;
  int32_t extent = 2, zero = 0, large = 11;
  int64_t wide = 2;
  char uri[128], place[160];
  CHECK_OK(ctx, tiledb_filter_list_alloc(ctx, &filters));
  CHECK_OK(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_GZIP, &filter));
  CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, filters, filter));
  CHECK_OK(ctx, tiledb_array_schema_set_dimension_label_filter_list(ctx, schema, "up", filters));
  CHECK_ERROR(
      ctx, tiledb_array_schema_set_dimension_label_filter_list(ctx, schema, "none", filters),
      "ArraySchema: Unable to get dimension label reference; No dimension label named 'none'.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT64, &wide),
      "ArraySchema: Cannot set tile extent for dimension label 'up; The dimension the label is set on has type "
      "'INT32'which does not match the provided datatype 'INT64'.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &zero),
      "Dimension: Tile extent check failed on dimension 'index'; Tile extent must not be 0");
  CHECK_FAILS(
      ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &large),
      "exceeds range on dimension domain [1, 10]");
  CHECK_OK(ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &extent));
  create_with(ctx, schema, uri);
  snprintf(place, sizeof place, "%s/__labels/l0", uri);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, place, &schema));
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* index = NULL;
  tiledb_attribute_t* label = NULL;
  tiledb_filter_list_t* got = NULL;
  const void* found = NULL;
  uint32_t number = 0;
  CHECK_OK(ctx, tiledb_array_schema_get_domain(ctx, schema, &domain));
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_name(ctx, domain, "index", &index));
  CHECK_OK(ctx, tiledb_dimension_get_tile_extent(ctx, index, &found));
  CHECK_EQ(*(const int32_t*)found, 2);
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_name(ctx, schema, "label", &label));
  CHECK_OK(ctx, tiledb_attribute_get_filter_list(ctx, label, &got));
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, got, &number));
  CHECK_EQ(number, 1);
  tiledb_array_schema_free(&schema);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  CHECK_ERROR(
      ctx, tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &extent),
      "ArraySchema: Cannot set tile extent for dimension label 'up'; No dimension label schema is set.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_set_dimension_label_filter_list(ctx, schema, "up", filters),
      "ArraySchema: Cannot set filter pipeline for dimension label 'up'; No dimension label schema is set.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_check(ctx, schema),
      "ArraySchema: Array schema check failed; Missing dimension label schema for dimension label 'up'.");
  tiledb_filter_list_free(&got);
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&filter);
  tiledb_attribute_free(&label);
  tiledb_dimension_free(&index);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, ranges_of_a_label_come_back) {
  char uri[128];
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  uint64_t number = 9, sizes[2];
  int32_t has = 9, one = 1;
  double value = 0;
  char ends[2][8];
  const char* name = NULL;
  const void *first = NULL, *last = NULL, *stride = "";
  CHECK_OK(ctx, tiledb_subarray_has_label_ranges(ctx, subarray, 0, &has));
  CHECK_EQ(has, 0);
  CHECK_OK(ctx, tiledb_subarray_get_label_range_num(ctx, subarray, "up", &number));
  CHECK_EQ(number, 0);
  CHECK_ERROR(
      ctx, tiledb_subarray_get_label_name(ctx, subarray, 0, &name), "Subarray: [get_label_name] No label ranges set");
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 3, 3));
  CHECK_OK(ctx, tiledb_subarray_has_label_ranges(ctx, subarray, 0, &has));
  CHECK_EQ(has, 1);
  CHECK_OK(ctx, tiledb_subarray_get_label_name(ctx, subarray, 0, &name));
  CHECK_TEXT(name, "up");
  CHECK_OK(ctx, tiledb_subarray_get_label_range_num(ctx, subarray, "up", &number));
  CHECK_EQ(number, 2);
  CHECK_OK(ctx, tiledb_subarray_get_label_range_num(ctx, subarray, "down", &number));
  CHECK_EQ(number, 0);
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, subarray, 0, &number));
  CHECK_EQ(number, 0);
  CHECK_OK(ctx, tiledb_subarray_get_label_range(ctx, subarray, "up", 0, &first, &last, &stride));
  memcpy(&value, last, sizeof value);
  CHECK(value == 2 && stride == NULL);
  CHECK_ERROR(
      ctx, tiledb_subarray_get_label_range(ctx, subarray, "down", 0, &first, &last, &stride),
      "Subarray: [get_label_range] No ranges set on dimension label 'down'");
  CHECK_ERROR(
      ctx, label_range(ctx, subarray, "down", 1, 2),
      "Subarray: [add_label_range] Dimension is already to set to use dimension label 'up'");
  CHECK_ERROR(
      ctx, tiledb_subarray_add_range(ctx, subarray, 0, &one, &one, NULL),
      "Subarray: Cannot add range to to dimension; A range is already set on a dimension label for this dimension");
  CHECK_ERROR(
      ctx, tiledb_subarray_add_label_range(ctx, subarray, "up", NULL, &value, NULL),
      "Subarray: [add_label_range] Invalid range");
  CHECK_ERROR(
      ctx, tiledb_subarray_add_label_range(ctx, subarray, "up", &value, &value, &value),
      "C API: Stride is currently unsupported");
  CHECK_ERROR(
      ctx, label_range(ctx, subarray, "up", 2, 1),
      "TileDB internal: Lower range bound 2.000000 cannot be larger than the higher bound 1.000000");
  tiledb_subarray_free(&subarray);
  subarray = new_subarray(ctx, array);
  CHECK_ERROR(
      ctx, label_range(ctx, subarray, "text", 1, 2),
      "Subarray: [add_label_range] Cannot add a fixed-sized range to a variable sized dimension label");
  CHECK_ERROR(
      ctx, tiledb_subarray_add_label_range_var(ctx, subarray, "up", "a", 1, "b", 1),
      "Subarray: [add_label_range_var] Cannot add a variable-sized range to a fixed-sized dimension label");
  CHECK_OK(ctx, text_range(ctx, subarray, "b", "eee"));
  CHECK_OK(ctx, tiledb_subarray_get_label_range_var_size(ctx, subarray, "text", 0, &sizes[0], &sizes[1]));
  CHECK(sizes[0] == 1 && sizes[1] == 3);
  CHECK_OK(ctx, tiledb_subarray_get_label_range_var(ctx, subarray, "text", 0, ends[0], ends[1]));
  CHECK(ends[0][0] == 'b' && memcmp(ends[1], "eee", 3) == 0);
  tiledb_subarray_free(&subarray);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 2);
  CHECK_ERROR(
      ctx, label_range(ctx, subarray, "up", 1, 2),
      "Subarray: [add_label_range] Dimension '0' already has ranges set to it.");
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}

TEST_WITH(ctx, cells_are_read_by_ranges_of_labels) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const struct {
    const char* label;
    double first, last;
    int32_t from, to;
  } found[] = {
      {"up", 0, 4.5, 10, 19}, {"up", -9, 9, 10, 19},  {"up", .5, .5, 11, 11},   {"up", .6, 1, 12, 12},
      {"up", 4.4, 9, 19, 19}, {"up", -2, 0, 10, 10},  {"down", -2, -1, 11, 12}, {"down", -9.5, -7.5, 18, 19},
      {"down", -.5, 5, 10, 10},
  };
  const double empty[][2] = {{.6, .9}, {-3, -1}, {5, 9}};
  for (size_t at = 0; at < sizeof found / sizeof *found; at++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, label_range(ctx, subarray, found[at].label, found[at].first, found[at].last));
    numbers_are(ctx, array, &subarray, found[at].from, found[at].to);
  }
  for (size_t at = 0; at < 3; at++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    int32_t numbers[LENGTH];
    uint64_t size = sizeof numbers;
    CHECK_OK(ctx, label_range(ctx, subarray, "up", empty[at][0], empty[at][1]));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    set_data(ctx, query, "number", numbers, &size);
    CHECK_ERROR(
        ctx, tiledb_query_submit(ctx, query),
        "DimensionLabelQuery: Failed to process and update index ranges for label 'up'. OrderedDimLabelReader: Range "
        "contained no values");
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, cells_are_read_by_ranges_of_texts) {
  char uri[128];
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  const char texts[] = "abbbcdeeeefge";
  const uint64_t offsets[LENGTH] = {0, 1, 2, 4, 5, 6, 7, 10, 11, 12};
  uint64_t size = strlen(texts), offsets_size = sizeof offsets;
  tiledb_subarray_t* none = NULL;
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "text", texts, &size);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", (uint64_t*)offsets, &offsets_size));
  /* a b bb c d e eee f g e: the last is out of order. */
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to process data query for label 'text'. WriterBase: The data for attribute 'label' is "
      "not in the expected order.");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  labelled_array(ctx, uri);
  array = open_array(ctx, uri, TILEDB_READ);
  const struct {
    const char *first, *last;
    int32_t from, to;
  } found[] = {{"a", "z", 10, 19}, {"b", "bb", 11, 12}, {"", "b", 10, 11}, {"d", "e", 14, 15}, {"ba", "bz", 12, 12}};
  for (size_t at = 0; at < sizeof found / sizeof *found; at++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, text_range(ctx, subarray, found[at].first, found[at].last));
    numbers_are(ctx, array, &subarray, found[at].from, found[at].to);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, values_of_labels_are_read_beside_cells) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t *subarray = new_subarray(ctx, array), *of_query = NULL;
  double values[2][LENGTH];
  int32_t numbers[LENGTH], has = 0;
  char texts[32];
  uint64_t offsets[LENGTH];
  uint64_t sizes[5] = {sizeof *values, sizeof *values, sizeof texts, sizeof offsets, sizeof numbers}, number = 0;
  CHECK_OK(ctx, label_range(ctx, subarray, "down", -2, -1));
  CHECK_OK(ctx, label_range(ctx, subarray, "down", -8, -7));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values[0], &sizes[0]);
  set_data(ctx, query, "down", values[1], &sizes[1]);
  set_data(ctx, query, "text", texts, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", offsets, &sizes[3]));
  set_data(ctx, query, "number", numbers, &sizes[4]);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], 4 * sizeof(double));
  CHECK(values[0][0] == .5 && values[0][1] == 1 && values[0][2] == 3.5 && values[0][3] == 4);
  CHECK(values[1][0] == -1 && values[1][3] == -8);
  CHECK_EQ(sizes[2], 5);
  CHECK(memcmp(texts, "bbbfg", 5) == 0);
  CHECK_EQ(offsets[3], 4);
  CHECK_EQ(sizes[4], 4 * sizeof(int32_t));
  CHECK(numbers[0] == 11 && numbers[1] == 12 && numbers[2] == 17 && numbers[3] == 18);
  /* The ranges of indexes stand in the query's own subarray. */
  CHECK_OK(ctx, tiledb_query_get_subarray_t(ctx, query, &of_query));
  CHECK_OK(ctx, tiledb_subarray_get_range_num(ctx, of_query, 0, &number));
  CHECK_EQ(number, 2);
  CHECK_OK(ctx, tiledb_subarray_has_label_ranges(ctx, of_query, 0, &has));
  CHECK_EQ(has, 1);
  tiledb_subarray_free(&of_query);
  tiledb_query_free(&query);
  /* By indexes, labels alone. */
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 9, 10);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  sizes[0] = sizeof *values;
  set_data(ctx, query, "up", values[0], &sizes[0]);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(sizes[0], 2 * sizeof(double));
  CHECK(values[0][0] == 4 && values[0][1] == 4.5);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_read_of_labels_that_does_not_fit_goes_on) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  double values[3], all[LENGTH];
  uint64_t size = sizeof values;
  size_t got = 0;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  add_range(ctx, subarray, 2, 9);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  while (status == TILEDB_INCOMPLETE) {
    size = sizeof values;
    set_data(ctx, query, "up", values, &size);
    CHECK_OK(ctx, tiledb_query_submit(ctx, query));
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK(size > 0 && got + size / sizeof *values <= LENGTH);
    memcpy(all + got, values, size);
    got += size / sizeof *values;
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(got, 8);
  CHECK(memcmp(all, up + 1, 8 * sizeof *up) == 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, queries_with_labels_that_cannot_be_are_refused) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  tiledb_query_condition_t* condition = NULL;
  double values[LENGTH];
  uint64_t size = sizeof values, estimate = 0;
  int32_t five = 5;
  add_range(ctx, subarray, 1, 4);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_ERROR(
      ctx, tiledb_query_set_offsets_buffer(ctx, query, "up", (uint64_t*)values, &size),
      "Query: [set_offsets_buffer] Input dimension label 'up' is fixed-sized");
  CHECK_ERROR(
      ctx, tiledb_query_set_validity_buffer(ctx, query, "up", (uint8_t*)values, &size),
      "[TileDB::Query] Error: Cannot set buffer; Buffer name 'up' is not an attribute");
  CHECK_ERROR(
      ctx, tiledb_query_get_est_result_size(ctx, query, "up", &estimate),
      "Subarray: Cannot get estimated result size; there is no field named 'up'");
  set_data(ctx, query, "up", values, &size);
  CHECK_OK(ctx, tiledb_query_condition_alloc(ctx, &condition));
  CHECK_OK(ctx, tiledb_query_condition_init(ctx, condition, "number", &five, sizeof five, TILEDB_GT));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "Query: Cannot init query; Using query conditions and dimension labels together is not supported.");
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 4);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
  set_data(ctx, query, "up", values, &size);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "Query: Cannot init query; The global order layout is not supported when querying dimension labels");
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values, &size);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to process data query for label 'up'. DenseReader: Cannot initialize reader; Dense "
      "reads must have a subarray set");
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 4);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_ERROR(
      ctx, tiledb_query_set_data_buffer(ctx, query, "down", values, &size),
      "Query: [set_data_buffer] Cannot set buffer for new dimension label 'down' after initialization");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* So many submits fail, and leave the query so. */
static void fails_and_is(
    tiledb_ctx_t* ctx, tiledb_query_t* query, int submits, const char* text, tiledb_query_status_t wanted) {
  for (int at = 0; at < submits; at++) {
    tiledb_query_status_t status;
    tiledb_query_status_details_t details;
    CHECK_FAILS(ctx, tiledb_query_submit(ctx, query), text);
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_EQ(status, wanted);
    CHECK_OK(ctx, tiledb_query_get_status_details(ctx, query, &details));
    CHECK_EQ(details.incomplete_reason, TILEDB_REASON_NONE);
  }
  tiledb_query_free(&query);
}

TEST_WITH(ctx, what_fails_once_work_on_labels_began_stays_in_progress) {
  char uri[128];
  const double falling[] = {3, 2, 1};
  int32_t numbers[LENGTH] = {0};
  double values[LENGTH];
  uint64_t size = sizeof falling, numbers_size = 3 * sizeof *numbers;
  labelled_array(ctx, uri);
  wait_a_moment();
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  for (int with_cells = 0; with_cells < 2; with_cells++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 3);
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
    set_data(ctx, query, "up", falling, &size);
    if (with_cells) set_data(ctx, query, "number", numbers, &numbers_size);
    fails_and_is(ctx, query, 2, "is not in the expected order", TILEDB_INPROGRESS);
  }
  const double ends[][2] = {{1.1, 1.2}, {1, 4.5}};
  const char* texts[] = {"Failed to process and update index ranges for label 'up'", "Invalid number of cells given"};
  for (int at = 0; at < 2; at++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, label_range(ctx, subarray, "up", ends[at][0], ends[at][1]));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
    set_data(ctx, query, "number", numbers, &numbers_size);
    /* A second submit is of ranges of indexes, and crashes libtiledb. */
    fails_and_is(ctx, query, 1, texts[at], TILEDB_INPROGRESS);
  }
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int of_label = 0; of_label < 2; of_label++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    CHECK_OK(ctx, label_range(ctx, subarray, "up", 10, 20));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    size = sizeof values;
    numbers_size = sizeof numbers;
    if (of_label) set_data(ctx, query, "up", values, &size);
    else set_data(ctx, query, "number", numbers, &numbers_size);
    fails_and_is(ctx, query, 2, texts[0], TILEDB_INPROGRESS);
  }
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "up", values, &size);
  fails_and_is(ctx, query, 2, "Dense reads must have a subarray set", TILEDB_INPROGRESS);
  close_array(ctx, &array);
}

TEST_WITH(ctx, what_fails_before_stays_as_it_was) {
  char uri[128];
  int32_t numbers[LENGTH] = {0};
  double values[LENGTH];
  uint64_t size = 3 * sizeof *up, one = sizeof *numbers;
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "up", up, &size);
  fails_and_is(ctx, query, 2, "Cannot set both label buffer and label range on a write query.", TILEDB_UNINITIALIZED);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 3);
  query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "up", up, &size);
  set_data(ctx, query, "number", numbers, &one);
  fails_and_is(ctx, query, 2, "Invalid number of cells given", TILEDB_UNINITIALIZED);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 3);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
  set_data(ctx, query, "up", values, &size);
  fails_and_is(ctx, query, 2, "The global order layout is not supported", TILEDB_UNINITIALIZED);
  close_array(ctx, &array);
}

TEST_WITH(ctx, values_out_of_order_are_refused) {
  char uri[128];
  const double rising[] = {1, 2, 2.5}, equal[] = {1, 1, 2}, falling[] = {3, 2, 1};
  const char* refused =
      "WriterBase: The data for attribute 'label' is not in the expected order.";
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  CHECK_EQ(write_label(ctx, uri, "up", rising, 1, 3), TILEDB_OK);
  CHECK_FAILS(ctx, write_label(ctx, uri, "up", equal, 1, 3), refused);
  CHECK_FAILS(ctx, write_label(ctx, uri, "up", falling, 1, 3), refused);
  CHECK_EQ(write_label(ctx, uri, "down", falling, 1, 3), TILEDB_OK);
  CHECK_FAILS(ctx, write_label(ctx, uri, "down", equal, 1, 3), refused);
  CHECK_FAILS(ctx, write_label(ctx, uri, "down", rising, 1, 3), refused);
}

TEST_WITH(ctx, values_of_several_writes_must_go_on_in_order) {
  char uri[128];
  const double low[] = {1, 2, 3}, high[] = {7, 8}, middle[] = {5, 6}, wrong[] = {2.5};
  create_with(ctx, label_schema(ctx, TILEDB_DENSE), uri);
  CHECK_EQ(write_label(ctx, uri, "up", low, 2, 4), TILEDB_OK);
  wait_a_moment();
  CHECK_EQ(write_label(ctx, uri, "up", high, 7, 8), TILEDB_OK);
  for (int step = 0; step < 3; step++) {
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    double values[LENGTH];
    uint64_t size = sizeof values;
    CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 9));
    tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    set_data(ctx, query, "up", values, &size);
    if (step == 0)
      CHECK_ERROR(
          ctx, tiledb_query_submit(ctx, query),
          "DimensionLabelQuery: Failed to process and update index ranges for label 'up'. ReaderBase: Discontinuity found "
          "in array domain");
    else if (step == 1) {
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(size, 7 * sizeof *values);
    } else
      CHECK_ERROR(
          ctx, tiledb_query_submit(ctx, query),
          "DimensionLabelQuery: Failed to process and update index ranges for label 'up'. ReaderBase: Attribute out of "
          "order");
    tiledb_query_free(&query);
    close_array(ctx, &array);
    wait_a_moment();
    if (step == 0) CHECK_EQ(write_label(ctx, uri, "up", middle, 5, 6), TILEDB_OK);
    if (step == 1) CHECK_EQ(write_label(ctx, uri, "up", wrong, 6, 6), TILEDB_OK);
  }
}

TEST_WITH(ctx, cells_are_written_by_ranges_of_labels) {
  char uri[128];
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  const int32_t numbers[] = {100, 101, 102};
  uint64_t size = sizeof numbers;
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "number", numbers, &size);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  query = labelled_query(ctx, array, TILEDB_WRITE, &subarray);
  set_data(ctx, query, "up", up, &size);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to add dimension label queries. Cannot set both label buffer and label range on a "
      "write query.");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 3, 5);
  numbers_are(ctx, array, &subarray, 100, 102);
  close_array(ctx, &array);
}

TEST_WITH(ctx, sparse_cells_bring_labels_of_their_coordinates) {
  char uri[128];
  create_with(ctx, label_schema(ctx, TILEDB_SPARSE), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  const int32_t at[] = {2, 3, 4}, gap[] = {2, 4, 5}, numbers[] = {11, 12, 13};
  uint64_t sizes[] = {sizeof at, sizeof numbers, 3 * sizeof *up};
  tiledb_subarray_t* none = NULL;
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "x", at, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "up", up + 1, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "x", gap, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "up", up + 1, &sizes[2]);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "DimensionLabelQuery: Failed to initialize the data query for label 'up'. DimensionLabelQuery: The dimension data "
      "must contain consecutive points when writing to a dimension label.");
  tiledb_query_free(&query);
  query = labelled_query(ctx, array, TILEDB_WRITE, &none);
  set_data(ctx, query, "up", up + 1, &sizes[2]);
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written");
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", .6, 9));
  numbers_are(ctx, array, &subarray, 12, 13);
  close_array(ctx, &array);
}

TEST_WITH(ctx, labels_of_two_dimensions_and_ranges_go_together) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  char uri[128];
  add_label(ctx, schema, 0, "above", TILEDB_INCREASING_DATA, TILEDB_INT64);
  add_label(ctx, schema, 1, "beside", TILEDB_DECREASING_DATA, TILEDB_INT64);
  create_with(ctx, schema, uri);
  int32_t numbers[CELLS];
  int64_t rows[ROWS] = {10, 20, 30, 40}, columns[COLUMNS] = {60, 50, 40, 30, 20, 10};
  uint64_t sizes[] = {sizeof numbers, sizeof rows, sizeof columns};
  const int32_t all[] = {1, ROWS, 1, COLUMNS}, two = 2, three = 3;
  for (int32_t at = 0; at < CELLS; at++) numbers[at] = at;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, all);
  set_data(ctx, query, "number", numbers, &sizes[0]);
  set_data(ctx, query, "above", rows, &sizes[1]);
  set_data(ctx, query, "beside", columns, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  for (int by_label = 0; by_label < 2; by_label++) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    const int64_t first[2] = {15, 41}, last[2] = {35, 50};
    uint64_t size = sizeof numbers;
    CHECK_OK(ctx, tiledb_subarray_add_label_range(ctx, subarray, "above", &first[0], &last[0], NULL));
    if (by_label)
      CHECK_OK(ctx, tiledb_subarray_add_label_range(ctx, subarray, "beside", &first[1], &last[1], NULL));
    else
      CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 1, &two, &three, NULL));
    query = labelled_query(ctx, array, TILEDB_READ, &subarray);
    CHECK_OK(ctx, tiledb_query_set_layout(ctx, query, TILEDB_COL_MAJOR));
    sizes[2] = sizeof columns;
    set_data(ctx, query, "number", numbers, &size);
    set_data(ctx, query, "beside", columns, &sizes[2]);
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(size, (by_label ? 2 : 4) * sizeof *numbers);
    CHECK(numbers[0] == 7 && numbers[1] == 13);
    CHECK(columns[0] == 50);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
}

TEST(labels_are_encrypted_with_their_array) {
  tiledb_config_t* config = config_with("sm.encryption_type", "AES_256_GCM");
  tiledb_ctx_t *ctx = NULL, *plain = new_context();
  tiledb_array_schema_t* schema = NULL;
  char uri[128], place[160];
  set_param(config, "sm.encryption_key", "0123456789abcdef0123456789abcdef");
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  numbers_are(ctx, array, &subarray, 12, 14);
  close_array(ctx, &array);
  snprintf(place, sizeof place, "%s/__labels/l0", uri);
  CHECK_FAILS(plain, tiledb_array_schema_load(plain, place, &schema), "AES_256_GCM");
  tiledb_config_free(&config);
  tiledb_ctx_free(&plain);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, consolidation_leaves_labels_as_they_are) {
  char uri[128], place[160];
  const double first[] = {0, .25};
  labelled_array(ctx, uri);
  wait_a_moment();
  CHECK_EQ(write_label(ctx, uri, "up", first, 1, 2), TILEDB_OK);
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, NULL));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, NULL));
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", .25, 1));
  numbers_are(ctx, array, &subarray, 11, 12);
  close_array(ctx, &array);
  snprintf(place, sizeof place, "%s/__labels/l0", uri);
  CHECK_FAILS(
      ctx, tiledb_array_consolidate(ctx, place, NULL),
      "Global order writes to ordered attributes are not yet supported.");
  CHECK_OK(ctx, tiledb_array_delete(ctx, uri));
  CHECK(access(uri, F_OK) != 0);
}
