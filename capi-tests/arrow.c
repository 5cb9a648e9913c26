/* Exchange with Arrow: streams of results, arrays as buffers of writes, and schemas. */
#include "labels.h"

#include <tiledb/arrow_c_data.h>

static const char* const fields[3] = {"number", "name", "maybe"};

/*
 * Returns a stream of the fields of a read. A batch has about `batch_bytes` bytes; 0 is the
 * default.
 */
static struct ArrowArrayStream stream_of(tiledb_ctx_t* ctx, tiledb_query_t* query, uint64_t batch_bytes) {
  struct ArrowArrayStream stream;
  CHECK_OK(ctx, tiledb_rs_query_export_arrow(ctx, query, fields, 3, batch_bytes, &stream));
  return stream;
}

/*
 * Checks the cells of a batch, which starts at the cell `first` of written_array in row-major
 * order.
 */
static void check_batch(const struct ArrowArray* batch, int64_t first) {
  CHECK_EQ(batch->n_children, 3);
  const struct ArrowArray *number = batch->children[0], *name = batch->children[1], *maybe = batch->children[2];
  CHECK_EQ(number->length, batch->length);
  for (int64_t i = 0; i < batch->length; i++) {
    int64_t cell = first + i, start = ((const int64_t*)name->buffers[1])[i];
    CHECK_EQ(((const int32_t*)number->buffers[1])[i], cell);
    CHECK_EQ(((const char*)name->buffers[2])[start], 'a' + cell);
    CHECK_EQ(((const int64_t*)name->buffers[1])[i + 1] - start, 1);
    const uint8_t* valid = maybe->buffers[0];
    CHECK_EQ(valid == NULL || valid[i / 8] >> (i % 8) & 1, cell % 2 == 0);
  }
}

TEST_WITH(ctx, batches_stay_valid_after_everything_else_was_freed) {
  char uri[128];
  struct ArrowArray batch;
  struct ArrowSchema schema;
  tiledb_ctx_t* own = new_context();
  tiledb_array_t* array = written_array(ctx, uri);
  close_array(ctx, &array);
  array = open_array(own, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(own, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  struct ArrowArrayStream stream = stream_of(own, query, 0);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  tiledb_ctx_free(&own);
  CHECK_EQ(stream.get_schema(&stream, &schema), 0);
  CHECK_TEXT(schema.format, "+s");
  CHECK_TEXT(schema.children[0]->format, "i");
  CHECK_TEXT(schema.children[1]->format, "U");
  CHECK_TEXT(schema.children[2]->format, "g");
  CHECK_TEXT(schema.children[2]->name, "maybe");
  CHECK_EQ(schema.children[1]->flags, 0);
  CHECK_EQ(schema.children[2]->flags, ARROW_FLAG_NULLABLE);
  schema.release(&schema);
  CHECK(schema.release == NULL);
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  stream.release(&stream);
  CHECK(stream.release == NULL);
  CHECK_EQ(batch.length, CELLS);
  CHECK_EQ(batch.children[2]->null_count, CELLS / 2);
  check_batch(&batch, 0);
  batch.release(&batch);
  CHECK(batch.release == NULL);
}

TEST_WITH(ctx, streams_of_small_batches_deliver_all_cells) {
  char uri[128];
  int64_t cells = 0;
  int batches = 0;
  struct ArrowArray batch;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER, whole);
  struct ArrowArrayStream stream = stream_of(ctx, query, 100);
  for (;; batches++) {
    CHECK_EQ(stream.get_next(&stream, &batch), 0);
    if (batch.release == NULL) break;
    cells += batch.length;
    batch.release(&batch);
  }
  CHECK_EQ(cells, CELLS);
  CHECK(batches > 3);
  stream.release(&stream);
  tiledb_query_free(&query);
  /* A stream may be released after any batch, and a child of a batch may be moved out of it. */
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  stream = stream_of(ctx, query, 100);
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  struct ArrowArray moved = *batch.children[1];
  batch.children[1]->release = NULL;
  batch.release(&batch);
  stream.release(&stream);
  CHECK_EQ(((const char*)moved.buffers[2])[0], 'a');
  moved.release(&moved);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, an_exported_batch_can_be_written) {
  char uri[128], copy[128];
  struct ArrowArray batch;
  struct ArrowSchema schema;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  struct ArrowArrayStream stream = stream_of(ctx, query, 0);
  CHECK_EQ(stream.get_schema(&stream, &schema), 0);
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  stream.release(&stream);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  create_with(ctx, new_schema(ctx), copy);
  array = open_array(ctx, copy, TILEDB_WRITE);
  query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_rs_query_import_arrow(ctx, query, &batch, &schema));
  CHECK(batch.release == NULL);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, copy, TILEDB_READ);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  stream = stream_of(ctx, query, 0);
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  check_batch(&batch, 0);
  batch.release(&batch);
  stream.release(&stream);
  schema.release(&schema);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static void release_array(struct ArrowArray* array) { array->release = NULL; }

static void release_type(struct ArrowSchema* type) { type->release = NULL; }

/* Returns an array that owns nothing. The number of nulls is not known. */
static struct ArrowArray array_of(int64_t length, const void** buffers, int64_t buffer_num, struct ArrowArray** child) {
  struct ArrowArray array;
  memset(&array, 0, sizeof array);
  array.length = length;
  array.null_count = -1;
  array.n_buffers = buffer_num;
  array.buffers = buffers;
  array.n_children = child != NULL;
  array.children = child;
  array.release = release_array;
  return array;
}

/* Returns the type of a field that may be null, which owns nothing. */
static struct ArrowSchema type_of(const char* format, const char* name, struct ArrowSchema** child) {
  struct ArrowSchema type;
  memset(&type, 0, sizeof type);
  type.format = format;
  type.name = name;
  type.flags = ARROW_FLAG_NULLABLE;
  type.n_children = child != NULL;
  type.children = child;
  type.release = release_type;
  return type;
}

TEST_WITH(ctx, nulls_that_cells_cannot_store_are_errors) {
  char uri[128];
  const int32_t numbers[4] = {1, 2, 3, 4};
  uint8_t rows = 0x03, cells = 0x03, values = 0x0f;
  const void *of_rows[1] = {&rows}, *of_cells[1] = {&cells}, *of_values[2] = {&values, numbers};
  struct ArrowSchema value_type = type_of("i", "value", NULL), *in_list = &value_type;
  struct ArrowSchema list_type = type_of("+w:2", "pair", &in_list), *in_row = &list_type;
  struct ArrowSchema type = type_of("+s", "", &in_row);
  struct ArrowArray value = array_of(4, of_values, 2, NULL), *in_cells = &value;
  struct ArrowArray list = array_of(2, of_cells, 1, &in_cells), *in_rows = &list;
  struct ArrowArray array = array_of(2, of_rows, 1, &in_rows);
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK_OK(ctx, tiledb_rs_array_schema_add_arrow(ctx, schema, &type));
  tiledb_domain_free(&domain);
  create_with(ctx, schema, uri);
  tiledb_array_t* opened = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, opened, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  rows = 0x01;
  CHECK_NEEDS(ctx, "a row of the array is null", tiledb_rs_query_import_arrow, query, &array, &type);
  rows = 0x03, values = 0x07;
  CHECK_NEEDS(ctx, "a cell of 'pair' contains a null", tiledb_rs_query_import_arrow, query, &array, &type);
  CHECK(array.release != NULL);
  /* Values in null cells have no meaning. */
  cells = 0x01;
  CHECK_OK(ctx, tiledb_rs_query_import_arrow(ctx, query, &array, &type));
  CHECK(array.release == NULL);
  tiledb_query_free(&query);
  close_array(ctx, &opened);
}

TEST_WITH(ctx, arrays_whose_structure_contradicts_their_type_are_errors) {
  char uri[128];
  int64_t ends[3] = {0, 1, 2}, lengths[1] = {2};
  uint8_t views[32] = {0};
  const void *of_texts[3] = {NULL, ends, "ab"}, *of_views[4] = {NULL, views, "ab", lengths};
  struct ArrowSchema text_type = type_of("U", "text", NULL), *in_row = &text_type;
  struct ArrowSchema type = type_of("+s", "", &in_row);
  struct ArrowArray text = array_of(2, of_texts, 3, NULL), *in_rows = &text;
  struct ArrowArray array = array_of(2, NULL, 0, &in_rows);
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK_OK(ctx, tiledb_rs_array_schema_add_arrow(ctx, schema, &type));
  tiledb_domain_free(&domain);
  create_with(ctx, schema, uri);
  tiledb_array_t* opened = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, opened, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  text.n_buffers = 2;
  CHECK_NEEDS(ctx, "too few buffers of 'text'", tiledb_rs_query_import_arrow, query, &array, &type);
  text.n_buffers = 3, ends[2] = -1;
  CHECK_NEEDS(ctx, "of 'text'", tiledb_rs_query_import_arrow, query, &array, &type);
  ends[2] = 2, ends[1] = 3;
  CHECK_NEEDS(ctx, "the offsets of 'text' do not ascend", tiledb_rs_query_import_arrow, query, &array, &type);
  ends[1] = 1, of_texts[1] = NULL;
  CHECK_NEEDS(ctx, "of 'text'", tiledb_rs_query_import_arrow, query, &array, &type);
  of_texts[1] = ends, text.length = 1;
  CHECK_NEEDS(ctx, "too few values", tiledb_rs_query_import_arrow, query, &array, &type);
  text.length = -1;
  CHECK_NEEDS(ctx, "`length` is larger than memory", tiledb_rs_query_import_arrow, query, &array, &type);
  text.length = 2;
  text_type.format = "vu";
  text.buffers = of_views, text.n_buffers = 2;
  CHECK_NEEDS(ctx, "too few buffers of 'text'", tiledb_rs_query_import_arrow, query, &array, &type);
  text.n_buffers = 4, lengths[0] = -2;
  CHECK_NEEDS(ctx, "negative", tiledb_rs_query_import_arrow, query, &array, &type);
  for (const char* const* format = (const char* const[]){"w:-1", "w:0", "+w:-2", "+l", "+m", "?", NULL}; *format != NULL;
       format++) {
    text_type.format = *format;
    CHECK_EQ(tiledb_rs_query_import_arrow(ctx, query, &array, &type), TILEDB_ERR);
  }
  text_type.format = "U", text.buffers = of_texts, text.n_buffers = 3;
  text_type.dictionary = &text_type;
  CHECK_EQ(tiledb_rs_query_import_arrow(ctx, query, &array, &type), TILEDB_ERR);
  text_type.dictionary = NULL;
  CHECK(array.release != NULL);
  CHECK_OK(ctx, tiledb_rs_query_import_arrow(ctx, query, &array, &type));
  tiledb_query_free(&query);
  close_array(ctx, &opened);
}

TEST_WITH(ctx, a_failed_import_keeps_the_buffers_of_the_query) {
  char uri[128];
  const int32_t numbers[2] = {1, 2};
  int32_t own[2] = {3, 4};
  uint64_t own_size = sizeof own, *size = NULL;
  void* data = NULL;
  const void* of_values[2] = {NULL, numbers};
  struct ArrowSchema number_type = type_of("i", "number", NULL), row_type = type_of("i", "row", NULL);
  struct ArrowSchema* types[2] = {&number_type, &row_type};
  struct ArrowSchema type = type_of("+s", "", types);
  struct ArrowArray number = array_of(2, of_values, 2, NULL), row = array_of(2, of_values, 2, NULL);
  struct ArrowArray* children[2] = {&number, &row};
  const void* no_validity[1] = {NULL};
  struct ArrowArray array = array_of(2, no_validity, 1, children);
  type.n_children = array.n_children = 2;
  tiledb_array_t* opened = written_array(ctx, uri);
  close_array(ctx, &opened);
  opened = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, opened, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", own, &own_size));
  /* A dense write in row-major order has no coordinates. */
  CHECK_FAILS(ctx, tiledb_rs_query_import_arrow(ctx, query, &array, &type), "cannot set dimension buffers");
  CHECK(array.release != NULL);
  CHECK_OK(ctx, tiledb_query_get_data_buffer(ctx, query, "number", &data, &size));
  CHECK(data == own && size == &own_size);
  CHECK_OK(ctx, tiledb_query_get_data_buffer(ctx, query, "row", &data, &size));
  CHECK(data == NULL);
  tiledb_query_free(&query);
  close_array(ctx, &opened);
}

TEST_WITH(ctx, schemas_are_converted_in_both_directions) {
  struct ArrowSchema schema;
  uint32_t number = 0;
  tiledb_array_schema_t *one = new_schema(ctx), *other = NULL;
  CHECK_OK(ctx, tiledb_rs_array_schema_to_arrow(ctx, one, &schema));
  CHECK_EQ(schema.n_children, 5);
  CHECK_TEXT(schema.children[0]->name, "row");
  tiledb_domain_t* domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &other));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, other, domain));
  CHECK_OK(ctx, tiledb_rs_array_schema_add_arrow(ctx, other, &schema));
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, other));
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, other, &number));
  CHECK_EQ(number, 3);
  schema.release(&schema);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&one);
  tiledb_array_schema_free(&other);
}

TEST_WITH(ctx, a_type_that_has_no_attribute_adds_none) {
  struct ArrowSchema schema;
  uint32_t number = 0;
  tiledb_array_schema_t *one = new_schema(ctx), *other = NULL;
  CHECK_OK(ctx, tiledb_rs_array_schema_to_arrow(ctx, one, &schema));
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &other));
  /* Names of attributes cannot begin with these characters. */
  const char* name = schema.children[4]->name;
  schema.children[4]->name = "__name";
  CHECK_NEEDS(ctx, "__", tiledb_rs_array_schema_add_arrow, other, &schema);
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, other, &number));
  CHECK_EQ(number, 0);
  schema.children[4]->name = name;
  schema.release(&schema);
  tiledb_array_schema_free(&one);
  tiledb_array_schema_free(&other);
}

static void add_result(
    tiledb_ctx_t* ctx, tiledb_query_t* query, const tiledb_channel_operator_t* op, const char* field, const char* name) {
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  CHECK_OK(ctx, tiledb_query_get_default_channel(ctx, query, &channel));
  CHECK_OK(ctx, tiledb_create_unary_aggregate(ctx, query, op, field, &operation));
  CHECK_OK(ctx, tiledb_channel_apply_aggregate(ctx, channel, name, operation));
  CHECK_OK(ctx, tiledb_aggregate_free(ctx, &operation));
  CHECK_OK(ctx, tiledb_query_channel_free(ctx, &channel));
}

TEST_WITH(ctx, results_of_aggregates_are_a_batch_with_one_row) {
  static const char* const some[2] = {"sum", "number"};
  char uri[128];
  struct ArrowArray batch;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  add_result(ctx, query, tiledb_channel_operator_sum, "number", "sum");
  add_result(ctx, query, tiledb_channel_operator_max, "name", "last");
  add_result(ctx, query, tiledb_channel_operator_min, "maybe", "least");
  add_result(ctx, query, tiledb_channel_operator_null_count, "maybe", "nulls");
  CHECK_NEEDS(ctx, "'number' is none of them", tiledb_rs_query_export_arrow, query, some, 2, 0, &stream);
  CHECK_NEEDS(ctx, "the result 'last' is missing", tiledb_rs_query_export_arrow, query, some, 1, 0, &stream);
  CHECK_OK(ctx, tiledb_rs_query_export_arrow(ctx, query, NULL, 0, 0, &stream));
  CHECK_EQ(stream.get_schema(&stream, &schema), 0);
  CHECK_EQ(schema.n_children, 4);
  CHECK_TEXT(schema.children[0]->name, "sum");
  CHECK_TEXT(schema.children[0]->format, "l");
  CHECK_TEXT(schema.children[1]->format, "U");
  CHECK_TEXT(schema.children[2]->format, "g");
  CHECK_EQ(schema.children[2]->flags, ARROW_FLAG_NULLABLE);
  CHECK_TEXT(schema.children[3]->format, "L");
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  CHECK_EQ(batch.length, 1);
  CHECK_EQ(((const int64_t*)batch.children[0]->buffers[1])[0], CELLS * (CELLS - 1) / 2);
  const int64_t* ends = batch.children[1]->buffers[1];
  CHECK_EQ(ends[0], 0);
  CHECK_EQ(ends[1], 1);
  CHECK_EQ(((const char*)batch.children[1]->buffers[2])[0], 'a' + CELLS - 1);
  CHECK(((const double*)batch.children[2]->buffers[1])[0] == 0);
  CHECK_EQ(((const uint64_t*)batch.children[3]->buffers[1])[0], CELLS / 2);
  batch.release(&batch);
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  CHECK(batch.release == NULL);
  schema.release(&schema);
  stream.release(&stream);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, extremes_of_strings_of_fixed_length_are_exported_completely) {
  char uri[128];
  static const char codes[] = "abdabc";
  const int32_t both[2] = {1, 2};
  uint64_t size = sizeof codes - 1;
  struct ArrowArray batch;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  tiledb_array_schema_t* dense = schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "x", 2, 2), NULL);
  add_attribute(ctx, dense, "code", TILEDB_STRING_ASCII, 3, 0);
  create_with(ctx, dense, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
  set_data(ctx, query, "code", codes, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, both);
  add_result(ctx, query, tiledb_channel_operator_min, "code", "first");
  CHECK_OK(ctx, tiledb_rs_query_export_arrow(ctx, query, NULL, 0, 0, &stream));
  CHECK_EQ(stream.get_schema(&stream, &schema), 0);
  CHECK_TEXT(schema.children[0]->format, "w:3");
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  CHECK_EQ(batch.length, 1);
  CHECK_EQ(memcmp(batch.children[0]->buffers[1], "abc", 3), 0);
  batch.release(&batch);
  schema.release(&schema);
  stream.release(&stream);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, labels_are_not_exported) {
  char uri[128];
  static const char* const label = "up";
  struct ArrowArrayStream stream;
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_NEEDS(ctx, "is a dimension label", tiledb_rs_query_export_arrow, query, &label, 1, 0, &stream);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/* The cells of the sample of trees. */
enum { SAMPLE_CELLS = 3000 };

TEST_WITH(ctx, schemas_are_recommended_for_samples) {
  static int64_t ids[SAMPLE_CELLS];
  static int32_t ends[SAMPLE_CELLS + 1];
  static char texts[3 * SAMPLE_CELLS];
  for (int i = 0; i < SAMPLE_CELLS; i++) {
    ids[i] = i;
    ends[i + 1] = 3 * (i + 1);
    memcpy(texts + ends[i], i % 7 < 3 ? "oak" : "ash", 3);
  }
  const void *of_ids[2] = {NULL, ids}, *of_texts[3] = {NULL, ends, texts}, *of_rows[1] = {NULL};
  struct ArrowSchema id_type = type_of("l", "id", NULL), tree_type = type_of("u", "tree", NULL);
  struct ArrowSchema* types[2] = {&id_type, &tree_type};
  struct ArrowSchema type = type_of("+s", "", types);
  struct ArrowArray id = array_of(SAMPLE_CELLS, of_ids, 2, NULL), tree = array_of(SAMPLE_CELLS, of_texts, 3, NULL);
  struct ArrowArray* columns[2] = {&id, &tree};
  struct ArrowArray sample = array_of(SAMPLE_CELLS, of_rows, 1, columns);
  type.n_children = sample.n_children = 2;

  const int64_t bounds[2] = {0, 1 << 30}, extent = 10;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t *draft = NULL, *schema = NULL, *again = NULL;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "id", TILEDB_INT64, bounds, &extent, &dimension));
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK_OK(ctx, tiledb_attribute_alloc(ctx, "tree", TILEDB_STRING_UTF8, &attribute));
  CHECK_OK(ctx, tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &draft));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, draft, domain));
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, draft, attribute));
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);

  const double range = 0.001;
  const char *text = NULL, *text_again = NULL;
  size_t len = 0, len_again = 0;
  tiledb_string_t *reasons = NULL, *reasons_again = NULL;
  CHECK_OK(ctx, tiledb_rs_schema_recommend(ctx, draft, "size", 1000000, &range, &sample, &type, &schema, &reasons));
  CHECK_OK(ctx, tiledb_rs_schema_recommend(ctx, draft, "size", 1000000, &range, &sample, &type, &again, &reasons_again));
  CHECK(sample.release != NULL && type.release != NULL);
  CHECK_OK(ctx, tiledb_string_view(reasons, &text, &len));
  CHECK_OK(ctx, tiledb_string_view(reasons_again, &text_again, &len_again));
  CHECK(len > 0 && len == len_again && memcmp(text, text_again, len) == 0);
  CHECK(strstr(text, "tree: enumeration of 2 as UINT16") != NULL);
  tiledb_string_free(&reasons);
  tiledb_string_free(&reasons_again);

  tiledb_datatype_t datatype;
  tiledb_enumeration_t* enumeration = NULL;
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_name(ctx, schema, "tree", &attribute));
  CHECK_OK(ctx, tiledb_attribute_get_type(ctx, attribute, &datatype));
  CHECK_EQ(datatype, TILEDB_UINT16);
  CHECK_OK(ctx, tiledb_array_schema_get_enumeration_from_name(ctx, schema, "tree", &enumeration));
  CHECK(enumeration != NULL);
  tiledb_enumeration_free(&enumeration);
  tiledb_attribute_free(&attribute);
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  /* The draft is as it was. */
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_name(ctx, draft, "tree", &attribute));
  CHECK_OK(ctx, tiledb_attribute_get_type(ctx, attribute, &datatype));
  CHECK_EQ(datatype, TILEDB_STRING_UTF8);
  tiledb_attribute_free(&attribute);
  tiledb_array_schema_free(&again);
  tiledb_array_schema_free(&schema);

  CHECK_OK(ctx, tiledb_rs_schema_recommend(ctx, draft, NULL, 0, NULL, &sample, &type, &schema, NULL));
  tiledb_array_schema_free(&schema);
  CHECK_FAILS(
      ctx,
      tiledb_rs_schema_recommend(ctx, draft, "fast", 0, NULL, &sample, &type, &schema, NULL),
      "'fast' is not balanced, size or speed");
  id_type.name = "other";
  CHECK_FAILS(ctx, tiledb_rs_schema_recommend(ctx, draft, NULL, 0, NULL, &sample, &type, &schema, NULL), "other");
  id_type.name = "id", sample.length = 0;
  CHECK_FAILS(
      ctx,
      tiledb_rs_schema_recommend(ctx, draft, NULL, 0, NULL, &sample, &type, &schema, NULL),
      "sample has no cells");
  CHECK(schema == NULL);
  CHECK_FAILS(ctx, tiledb_rs_schema_recommend(ctx, draft, NULL, 0, NULL, NULL, &type, &schema, NULL), "sample");
  tiledb_array_schema_free(&draft);
}

TEST_WITH(ctx, errors_are_returned_and_leave_the_arrays_to_the_caller) {
  static const char* const unknown = "unknown";
  char uri[128];
  struct ArrowArray batch;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  CHECK_NEEDS(ctx, "no field 'unknown'", tiledb_rs_query_export_arrow, query, &unknown, 1, 0, &stream);
  CHECK_NEEDS(ctx, "null", tiledb_rs_query_export_arrow, query, fields, 3, 0, NULL);
  stream = stream_of(ctx, query, 0);
  CHECK_EQ(stream.get_schema(&stream, &schema), 0);
  CHECK_EQ(stream.get_next(&stream, &batch), 0);
  CHECK_NEEDS(ctx, "only a write", tiledb_rs_query_import_arrow, query, &batch, &schema);
  CHECK_NEEDS(ctx, "submitted already", tiledb_rs_query_export_arrow, query, fields, 3, 0, &stream);
  CHECK_NEEDS(ctx, "Invalid TileDB array_schema", tiledb_rs_array_schema_add_arrow, NULL, &schema);
  CHECK(batch.release != NULL);
  batch.release(&batch);
  schema.release(&schema);
  stream.release(&stream);
  tiledb_query_free(&query);
  /* The array of the query is closed before the first batch. */
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  stream = stream_of(ctx, query, 0);
  close_array(ctx, &array);
  CHECK(stream.get_next(&stream, &batch) != 0);
  CHECK(strstr(stream.get_last_error(&stream), "open") != NULL);
  stream.release(&stream);
  tiledb_query_free(&query);
}
