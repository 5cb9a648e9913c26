/*
 * Dimension labels: their properties in a schema, their ranges in a subarray, and the encryption,
 * consolidation and removal of their arrays.
 */
#include "labels.h"

TEST_WITH(ctx, schemas_return_their_labels) {
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

/* Before the array is created, the label URIs are relative. */
TEST_WITH(ctx, schemas_have_label_uris_after_array_creation) {
  tiledb_array_schema_t* schema = label_schema(ctx, TILEDB_DENSE);
  char uri[128], label_uri[160];
  const char* text = NULL;
  tiledb_dimension_label_t *early = NULL, *late = NULL;
  snprintf(uri, sizeof uri, "%s", scratch());
  snprintf(label_uri, sizeof label_uri, "%s/__labels/l1", uri);
  CHECK_OK(ctx, tiledb_array_schema_get_dimension_label_from_name(ctx, schema, "down", &early));
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  CHECK_OK(ctx, tiledb_array_schema_get_dimension_label_from_name(ctx, schema, "down", &late));
  CHECK_OK(ctx, tiledb_dimension_label_get_uri(ctx, early, &text));
  CHECK_TEXT(text, "__labels/l1");
  CHECK_OK(ctx, tiledb_dimension_label_get_uri(ctx, late, &text));
  CHECK(strstr(text, label_uri) != NULL);
  tiledb_dimension_label_free(&early);
  tiledb_dimension_label_free(&late);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, invalid_labels_are_rejected) {
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
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_ERROR(
        ctx,
        tiledb_array_schema_add_dimension_label(
            ctx, schema, wrong[i].dimension, wrong[i].name, wrong[i].order, wrong[i].type),
        wrong[i].error);
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
  char uri[128], label_uri[160];
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
  snprintf(label_uri, sizeof label_uri, "%s/__labels/l0", uri);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, label_uri, &schema));
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
  const char* missing =
      "ArraySchema: Array schema check failed; Missing dimension label schema for dimension label 'up'.";
  if (is_2_31())
    CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  else
    CHECK_ERROR(ctx, tiledb_array_schema_check(ctx, schema), missing);
  CHECK_ERROR(ctx, tiledb_array_create(ctx, scratch(), schema), missing);
  tiledb_filter_list_free(&got);
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&filter);
  tiledb_attribute_free(&label);
  tiledb_dimension_free(&index);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, getters_return_label_ranges_as_they_were_added) {
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

TEST(labels_are_encrypted_with_their_array) {
  tiledb_config_t* config = config_with("sm.encryption_type", "AES_256_GCM");
  tiledb_ctx_t *ctx = NULL, *plain = new_context();
  tiledb_array_schema_t* schema = NULL;
  char uri[128], label_uri[160];
  set_param(config, "sm.encryption_key", "0123456789abcdef0123456789abcdef");
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  numbers_are(ctx, array, &subarray, 12, 14);
  close_array(ctx, &array);
  snprintf(label_uri, sizeof label_uri, "%s/__labels/l0", uri);
  CHECK_FAILS(plain, tiledb_array_schema_load(plain, label_uri, &schema), "AES_256_GCM");
  tiledb_config_free(&config);
  tiledb_ctx_free(&plain);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, consolidation_leaves_labels_as_they_are) {
  char uri[128], label_uri[160];
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
  snprintf(label_uri, sizeof label_uri, "%s/__labels/l0", uri);
  CHECK_FAILS(
      ctx, tiledb_array_consolidate(ctx, label_uri, NULL),
      "Global order writes to ordered attributes are not yet supported.");
  CHECK_OK(ctx, tiledb_array_delete(ctx, uri));
  CHECK(access(uri, F_OK) != 0);
}
