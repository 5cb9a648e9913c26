/* Queries and related handles: every function reports a missing context or a null handle. */
#include "arrays.h"

#define NEEDS(object, function, ...) CHECK_NEEDS(ctx, "Invalid TileDB " object " object", function, __VA_ARGS__)

/* As above, for functions that report the name of the argument. */
#define NEEDS_QUERY(function, ...) CHECK_NEEDS(ctx, "C API: argument `query` may not be nullptr", function, __VA_ARGS__)

static uint64_t number, other, size = sizeof number, *sizes[2];
static uint32_t few;
static int32_t flag;
static uint8_t byte;
static const void* lent[3];
static const char* text;
static void* data;
static tiledb_datatype_t type;
static tiledb_string_t* string;

/* Programs free them after an error without having initialized them. */
TEST_WITH(ctx, queries_and_enumerations_that_are_not_created_are_null) {
  char uri[128];
  const int32_t value = 1;
  tiledb_query_t* query = (tiledb_query_t*)&value;
  tiledb_enumeration_t* enumeration = (tiledb_enumeration_t*)&value;
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query), TILEDB_ERR);
  CHECK(query == NULL);
  query = (tiledb_query_t*)&value;
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_EQ(tiledb_query_alloc(ctx, array, TILEDB_READ, &query), TILEDB_ERR);
  CHECK(query == NULL);
  tiledb_array_free(&array);
  CHECK_EQ(tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, &value, 3, NULL, 0, &enumeration), TILEDB_ERR);
  CHECK(enumeration == NULL);
}

TEST_WITH(ctx, functions_of_queries_need_a_query) {
  tiledb_query_status_t status;
  tiledb_query_status_details_t details;
  tiledb_query_type_t query_type;
  tiledb_layout_t layout;
  tiledb_array_t* array = NULL;
  tiledb_config_t* config = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_field_t* field = NULL;
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  uint64_t* offsets = NULL;
  uint8_t* validity = NULL;
  char* json = NULL;
  NEEDS("array", tiledb_query_alloc, NULL, TILEDB_READ, NULL);
  NEEDS("query", tiledb_query_get_stats, NULL, &json);
  NEEDS("query", tiledb_query_set_config, NULL, NULL);
  NEEDS("query", tiledb_query_get_config, NULL, &config);
  NEEDS("query", tiledb_query_set_subarray_t, NULL, NULL);
  NEEDS("query", tiledb_query_get_subarray_t, NULL, &subarray);
  NEEDS("query", tiledb_query_set_data_buffer, NULL, "a", &number, &size);
  NEEDS("query", tiledb_query_set_offsets_buffer, NULL, "a", &number, &size);
  NEEDS("query", tiledb_query_set_validity_buffer, NULL, "a", &byte, &size);
  NEEDS("query", tiledb_query_get_data_buffer, NULL, "a", &data, &sizes[0]);
  NEEDS("query", tiledb_query_get_offsets_buffer, NULL, "a", &offsets, &sizes[0]);
  NEEDS("query", tiledb_query_get_validity_buffer, NULL, "a", &validity, &sizes[0]);
  NEEDS("query", tiledb_query_set_layout, NULL, TILEDB_ROW_MAJOR);
  NEEDS("query", tiledb_query_get_layout, NULL, &layout);
  NEEDS("query", tiledb_query_set_condition, NULL, NULL);
  NEEDS("query", tiledb_query_submit, NULL);
  NEEDS("query", tiledb_query_has_results, NULL, &flag);
  NEEDS("query", tiledb_query_get_status, NULL, &status);
  NEEDS("query", tiledb_query_get_status_details, NULL, &details);
  NEEDS("query", tiledb_query_get_type, NULL, &query_type);
  NEEDS("query", tiledb_query_get_array, NULL, &array);
  NEEDS("query", tiledb_query_get_est_result_size, NULL, "a", &number);
  NEEDS("query", tiledb_query_get_est_result_size_var, NULL, "a", &number, &other);
  NEEDS("query", tiledb_query_get_est_result_size_nullable, NULL, "a", &number, &other);
  NEEDS("query", tiledb_query_get_est_result_size_var_nullable, NULL, "a", &number, &other, &size);
  NEEDS("query", tiledb_query_get_fragment_num, NULL, &few);
  NEEDS("query", tiledb_query_get_fragment_uri, NULL, 0, &text);
  NEEDS("query", tiledb_query_get_fragment_timestamp_range, NULL, 0, &number, &other);
  NEEDS("query", tiledb_query_get_relevant_fragment_num, NULL, &number);
  NEEDS("query", tiledb_query_add_update_value, NULL, "a", &number, size);
  NEEDS_QUERY(tiledb_query_get_field, NULL, "a", &field);
  NEEDS_QUERY(tiledb_query_get_default_channel, NULL, &channel);
  NEEDS_QUERY(tiledb_query_get_plan, NULL, &string);
  NEEDS_QUERY(tiledb_create_unary_aggregate, NULL, NULL, "a", &operation);
  /* Finalizing a null query succeeds. */
  CHECK_EQ(tiledb_query_finalize(NULL, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_OK(ctx, tiledb_query_finalize(ctx, NULL));
  CHECK_EQ(tiledb_query_submit_and_finalize(NULL, NULL), TILEDB_INVALID_CONTEXT);
  CHECK_OK(ctx, tiledb_query_submit_and_finalize(ctx, NULL));
}

TEST_WITH(ctx, functions_of_conditions_and_channels_need_their_handles) {
  tiledb_query_condition_t* condition = NULL;
  tiledb_field_origin_t origin;
  tiledb_query_channel_t* channel = NULL;
  NEEDS("query condition", tiledb_query_condition_init, NULL, "a", &number, size, TILEDB_EQ);
  NEEDS("query condition", tiledb_query_condition_combine, NULL, NULL, TILEDB_AND, &condition);
  NEEDS("query condition", tiledb_query_condition_negate, NULL, &condition);
  NEEDS("query condition", tiledb_query_condition_set_use_enumeration, NULL, 1);
  CHECK_EQ(
      tiledb_query_condition_alloc_set_membership(NULL, "a", &number, size, &number, size, TILEDB_IN, &condition),
      TILEDB_INVALID_CONTEXT);
  NEEDS("tiledb_query_field_t", tiledb_field_datatype, NULL, &type);
  NEEDS("tiledb_query_field_t", tiledb_field_cell_val_num, NULL, &few);
  NEEDS("tiledb_query_field_t", tiledb_field_origin, NULL, &origin);
  NEEDS("tiledb_query_field_t", tiledb_field_get_nullable, NULL, &byte);
  NEEDS("tiledb_query_field_t", tiledb_field_channel, NULL, &channel);
  NEEDS("tiledb_query_channel_t", tiledb_channel_apply_aggregate, NULL, "n", NULL);
}

TEST_WITH(ctx, functions_of_subarrays_need_a_subarray) {
  NEEDS("array", tiledb_subarray_alloc, NULL, NULL);
  NEEDS("subarray", tiledb_subarray_set_config, NULL, NULL);
  NEEDS("subarray", tiledb_subarray_set_coalesce_ranges, NULL, 1);
  NEEDS("subarray", tiledb_subarray_set_subarray, NULL, &number);
  NEEDS("subarray", tiledb_subarray_add_point_ranges, NULL, 0, &number, 1);
  NEEDS("subarray", tiledb_subarray_add_point_ranges_var, NULL, 0, &number, 8, &number, 1);
  NEEDS("subarray", tiledb_subarray_add_range, NULL, 0, &number, &number, NULL);
  NEEDS("subarray", tiledb_subarray_add_range_by_name, NULL, "x", &number, &number, NULL);
  NEEDS("subarray", tiledb_subarray_add_range_var, NULL, 0, "a", 1, "b", 1);
  NEEDS("subarray", tiledb_subarray_add_range_var_by_name, NULL, "x", "a", 1, "b", 1);
  NEEDS("subarray", tiledb_subarray_get_range_num, NULL, 0, &number);
  NEEDS("subarray", tiledb_subarray_get_range_num_from_name, NULL, "x", &number);
  NEEDS("subarray", tiledb_subarray_get_range, NULL, 0, 0, &lent[0], &lent[1], &lent[2]);
  NEEDS("subarray", tiledb_subarray_get_range_from_name, NULL, "x", 0, &lent[0], &lent[1], &lent[2]);
  NEEDS("subarray", tiledb_subarray_get_range_var_size, NULL, 0, 0, &number, &other);
  NEEDS("subarray", tiledb_subarray_get_range_var_size_from_name, NULL, "x", 0, &number, &other);
  NEEDS("subarray", tiledb_subarray_get_range_var, NULL, 0, 0, &number, &other);
  NEEDS("subarray", tiledb_subarray_get_range_var_from_name, NULL, "x", 0, &number, &other);
  NEEDS("subarray", tiledb_subarray_add_label_range, NULL, "l", &number, &number, NULL);
  NEEDS("subarray", tiledb_subarray_add_label_range_var, NULL, "l", "a", 1, "b", 1);
  NEEDS("subarray", tiledb_subarray_has_label_ranges, NULL, 0, &flag);
  NEEDS("subarray", tiledb_subarray_get_label_name, NULL, 0, &text);
  NEEDS("subarray", tiledb_subarray_get_label_range, NULL, "l", 0, &lent[0], &lent[1], &lent[2]);
  NEEDS("subarray", tiledb_subarray_get_label_range_num, NULL, "l", &number);
  NEEDS("subarray", tiledb_subarray_get_label_range_var, NULL, "l", 0, &number, &other);
  NEEDS("subarray", tiledb_subarray_get_label_range_var_size, NULL, "l", 0, &number, &other);
}

TEST_WITH(ctx, functions_of_labels_and_enumerations_need_their_handles) {
  tiledb_data_order_t order;
  tiledb_enumeration_t* enumeration = NULL;
  tiledb_dimension_label_t* label = NULL;
  tiledb_filter_list_t* filters = NULL;
  NEEDS("dimension label", tiledb_dimension_label_get_dimension_index, NULL, &few);
  NEEDS("dimension label", tiledb_dimension_label_get_label_attr_name, NULL, &text);
  NEEDS("dimension label", tiledb_dimension_label_get_label_cell_val_num, NULL, &few);
  NEEDS("dimension label", tiledb_dimension_label_get_label_order, NULL, &order);
  NEEDS("dimension label", tiledb_dimension_label_get_label_type, NULL, &type);
  NEEDS("dimension label", tiledb_dimension_label_get_name, NULL, &text);
  NEEDS("dimension label", tiledb_dimension_label_get_uri, NULL, &text);
  NEEDS("array_schema", tiledb_array_schema_add_dimension_label, NULL, 0, "l", TILEDB_INCREASING_DATA, TILEDB_INT32);
  NEEDS("array_schema", tiledb_array_schema_get_dimension_label_from_index, NULL, 0, &label);
  NEEDS("array_schema", tiledb_array_schema_get_dimension_label_from_name, NULL, "l", &label);
  NEEDS("array_schema", tiledb_array_schema_get_dimension_label_num, NULL, &number);
  NEEDS("array_schema", tiledb_array_schema_has_dimension_label, NULL, "l", &flag);
  NEEDS("array_schema", tiledb_array_schema_set_dimension_label_filter_list, NULL, "l", filters);
  NEEDS("array_schema", tiledb_array_schema_set_dimension_label_tile_extent, NULL, "l", TILEDB_INT32, &number);
  CHECK_NEEDS(
      ctx, "Invalid output pointer for object", tiledb_enumeration_alloc, "e", TILEDB_INT32, 1, 0, NULL, 0, NULL, 0, NULL);
  NEEDS("enumeration", tiledb_enumeration_dump_str, NULL, &string);
  NEEDS("enumeration", tiledb_enumeration_extend, NULL, &number, size, NULL, 0, &enumeration);
  NEEDS("enumeration", tiledb_enumeration_get_cell_val_num, NULL, &few);
  NEEDS("enumeration", tiledb_enumeration_get_data, NULL, &lent[0], &number);
  NEEDS("enumeration", tiledb_enumeration_get_name, NULL, &string);
  NEEDS("enumeration", tiledb_enumeration_get_offsets, NULL, &lent[0], &number);
  NEEDS("enumeration", tiledb_enumeration_get_ordered, NULL, &flag);
  NEEDS("enumeration", tiledb_enumeration_get_type, NULL, &type);
  NEEDS("enumeration", tiledb_enumeration_get_value_index, NULL, &number, size, &flag, &other);
  NEEDS("array", tiledb_array_get_enumeration, NULL, "e", &enumeration);
  NEEDS("array", tiledb_array_load_all_enumerations, NULL);
  NEEDS("array", tiledb_array_load_enumerations_all_schemas, NULL);
  NEEDS("array_schema", tiledb_array_schema_add_enumeration, NULL, NULL);
  NEEDS("array_schema", tiledb_array_schema_get_enumeration_from_name, NULL, "e", &enumeration);
  NEEDS("array_schema", tiledb_array_schema_get_enumeration_from_attribute_name, NULL, "a", &enumeration);
  NEEDS("attribute", tiledb_attribute_set_enumeration_name, NULL, "e");
  NEEDS("attribute", tiledb_attribute_get_enumeration_name, NULL, &string);
}

TEST_WITH(ctx, functions_of_current_domains_need_their_handles) {
  tiledb_current_domain_type_t kind;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_range_t range;
  memset(&range, 0, sizeof range);
  CHECK_NEEDS(ctx, "Invalid output pointer for object", tiledb_current_domain_create, NULL);
  NEEDS("tiledb_current_domain_t", tiledb_current_domain_dump_str, NULL, &string);
  NEEDS("tiledb_current_domain_t", tiledb_current_domain_get_is_empty, NULL, &few);
  NEEDS("tiledb_current_domain_t", tiledb_current_domain_get_ndrectangle, NULL, &rectangle);
  NEEDS("tiledb_current_domain_t", tiledb_current_domain_get_type, NULL, &kind);
  NEEDS("tiledb_current_domain_t", tiledb_current_domain_set_ndrectangle, NULL, NULL);
  NEEDS("domain", tiledb_ndrectangle_alloc, NULL, &rectangle);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_dump_str, NULL, &string);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_get_dim_num, NULL, &few);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_get_dtype, NULL, 0, &type);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_get_dtype_from_name, NULL, "x", &type);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_get_range, NULL, 0, &range);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_get_range_from_name, NULL, "x", &range);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_set_range, NULL, 0, &range);
  NEEDS("tiledb_ndrectangle_t", tiledb_ndrectangle_set_range_for_name, NULL, "x", &range);
}

TEST_WITH(ctx, every_operator_can_be_computed) {
  const struct {
    int32_t (*get)(tiledb_ctx_t*, const tiledb_channel_operator_t**);
    const tiledb_channel_operator_t* is;
  } operators[] = {
      {tiledb_channel_operator_sum_get, tiledb_channel_operator_sum},
      {tiledb_channel_operator_mean_get, tiledb_channel_operator_mean},
      {tiledb_channel_operator_min_get, tiledb_channel_operator_min},
      {tiledb_channel_operator_max_get, tiledb_channel_operator_max},
      {tiledb_channel_operator_null_count_get, tiledb_channel_operator_null_count},
  };
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const tiledb_channel_operator_t* found = NULL;
    CHECK_EQ(operators[i].get(NULL, &found), TILEDB_INVALID_CONTEXT);
    CHECK(found == NULL);
    CHECK_FAILS(ctx, operators[i].get(ctx, NULL), "Invalid output pointer for object");
    CHECK_OK(ctx, operators[i].get(ctx, &found));
    CHECK(found != NULL && found == operators[i].is);
  }
  const tiledb_channel_operation_t* count = NULL;
  CHECK_NEEDS(ctx, "Invalid output pointer for object", tiledb_aggregate_count_get, NULL);
  CHECK_OK(ctx, tiledb_aggregate_count_get(ctx, &count));
  CHECK(count == tiledb_aggregate_count);
}

TEST(freeing_null_does_nothing) {
  tiledb_query_condition_t* condition = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_dimension_label_t* label = NULL;
  tiledb_enumeration_t* enumeration = NULL;
  tiledb_query_condition_free(&condition);
  tiledb_query_condition_free(NULL);
  tiledb_subarray_free(&subarray);
  tiledb_subarray_free(NULL);
  tiledb_dimension_label_free(&label);
  tiledb_dimension_label_free(NULL);
  tiledb_enumeration_free(&enumeration);
  tiledb_enumeration_free(NULL);
  tiledb_query_free(NULL);
}
