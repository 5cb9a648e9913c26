/* Schemas: defaults, setters and getters, errors, storing and loading. */
#include "arrays.h"

static tiledb_array_schema_t* blank(tiledb_ctx_t* ctx, tiledb_array_type_t type) {
  tiledb_array_schema_t* schema = NULL;
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, type, &schema));
  return schema;
}

/* Returns a domain of one dimension. */
static tiledb_domain_t* domain_of(
    tiledb_ctx_t* ctx, tiledb_datatype_t type, const void* bounds, const void* extent, const char* name) {
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, name, type, bounds, extent, &dimension));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  tiledb_dimension_free(&dimension);
  return domain;
}

static uint32_t filters_of(tiledb_ctx_t* ctx, tiledb_filter_list_t** list) {
  uint32_t number = 99;
  CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, *list, &number));
  tiledb_filter_list_free(list);
  return number;
}

TEST_WITH(ctx, new_schemas_have_the_defaults) {
  tiledb_array_schema_t* schema = blank(ctx, TILEDB_DENSE);
  tiledb_filter_list_t* list = NULL;
  tiledb_array_type_t type = TILEDB_SPARSE;
  tiledb_layout_t order = TILEDB_HILBERT;
  uint64_t capacity = 0;
  uint32_t number = 9, version = 0;
  int duplicates = 9;
  CHECK_OK(ctx, tiledb_array_schema_get_array_type(ctx, schema, &type));
  CHECK_EQ(type, TILEDB_DENSE);
  CHECK_OK(ctx, tiledb_array_schema_get_capacity(ctx, schema, &capacity));
  CHECK_EQ(capacity, 10000);
  CHECK_OK(ctx, tiledb_array_schema_get_cell_order(ctx, schema, &order));
  CHECK_EQ(order, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_array_schema_get_tile_order(ctx, schema, &order));
  CHECK_EQ(order, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, schema, &number));
  CHECK_EQ(number, 0);
  CHECK_OK(ctx, tiledb_array_schema_get_allows_dups(ctx, schema, &duplicates));
  CHECK_EQ(duplicates, 0);
  CHECK_OK(ctx, tiledb_array_schema_get_version(ctx, schema, &version));
  CHECK_EQ(version, 22);
  CHECK_OK(ctx, tiledb_array_schema_get_coords_filter_list(ctx, schema, &list));
  CHECK_EQ(filters_of(ctx, &list), 1);
  CHECK_OK(ctx, tiledb_array_schema_get_offsets_filter_list(ctx, schema, &list));
  CHECK_EQ(filters_of(ctx, &list), 1);
  CHECK_OK(ctx, tiledb_array_schema_get_validity_filter_list(ctx, schema, &list));
  CHECK_EQ(filters_of(ctx, &list), 1);
  tiledb_array_schema_free(&schema);
  CHECK(schema == NULL);
}

TEST_WITH(ctx, an_unfinished_schema_does_not_check) {
  tiledb_array_schema_t* schema = blank(ctx, TILEDB_DENSE);
  tiledb_domain_t* domain = NULL;
  CHECK_ERROR(ctx, tiledb_array_schema_check(ctx, schema), "ArraySchema: Array schema check failed; Domain not set");
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_ERROR(ctx, tiledb_array_schema_set_domain(ctx, schema, domain),
              "ArraySchema: Cannot set domain; Domain must contain at least one dimension");
  tiledb_domain_free(&domain);
  domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  tiledb_domain_free(&domain);
  CHECK_ERROR(ctx, tiledb_array_schema_check(ctx, schema),
              "ArraySchema: Array schema check failed; No attributes provided");
  add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, attributes_are_returned_by_index_and_name) {
  tiledb_array_schema_t* schema = new_schema(ctx);
  tiledb_attribute_t* attribute = NULL;
  const char* name = NULL;
  uint32_t number = 0;
  int32_t has = 9;
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, schema, &number));
  CHECK_EQ(number, 3);
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_index(ctx, schema, 1, &attribute));
  CHECK_OK(ctx, tiledb_attribute_get_name(ctx, attribute, &name));
  CHECK_TEXT(name, "name");
  tiledb_attribute_free(&attribute);
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_name(ctx, schema, "maybe", &attribute));
  CHECK_OK(ctx, tiledb_attribute_get_name(ctx, attribute, &name));
  CHECK_TEXT(name, "maybe");
  tiledb_attribute_free(&attribute);
  CHECK_OK(ctx, tiledb_array_schema_has_attribute(ctx, schema, "number", &has));
  CHECK_EQ(has, 1);
  CHECK_OK(ctx, tiledb_array_schema_has_attribute(ctx, schema, "row", &has));
  CHECK_EQ(has, 0);
  CHECK_ERROR(ctx, tiledb_array_schema_get_attribute_from_index(ctx, schema, 3, &attribute),
              "C API: Attribute index: 3 out of bounds given 3 attributes in array ");
  CHECK_ERROR(ctx, tiledb_array_schema_get_attribute_from_name(ctx, schema, "unknown", &attribute),
              "C API: Attribute name: unknown does not exist for array ");
  CHECK(attribute == NULL);
  tiledb_array_schema_free(&schema);
}

/* Checks the errors about attributes that the schema of an array lacks, and frees the schema. */
static void lacks_attributes(tiledb_ctx_t* ctx, tiledb_array_schema_t** schema, const char* uri, const char* slash) {
  char expected[512];
  tiledb_attribute_t* attribute = NULL;
  tiledb_enumeration_t* enumeration = NULL;
  snprintf(expected, sizeof expected,
           "C API: Attribute index: 3 out of bounds given 3 attributes in array %s%s", uri, slash);
  CHECK_ERROR(ctx, tiledb_array_schema_get_attribute_from_index(ctx, *schema, 3, &attribute), expected);
  snprintf(expected, sizeof expected, "C API: Attribute name: unknown does not exist for array %s%s", uri, slash);
  CHECK_ERROR(ctx, tiledb_array_schema_get_attribute_from_name(ctx, *schema, "unknown", &attribute), expected);
  CHECK_ERROR(ctx, tiledb_array_schema_get_enumeration_from_attribute_name(ctx, *schema, "unknown", &enumeration),
              expected);
  CHECK(attribute == NULL && enumeration == NULL);
  tiledb_array_schema_free(schema);
}

TEST_WITH(ctx, errors_about_missing_attributes_contain_the_uri_of_the_array) {
  char uri[256];
  snprintf(uri, sizeof uri, "%s", uri_of(scratch_file()));
  tiledb_array_schema_t* schema = new_schema(ctx);
  CHECK_OK(ctx, tiledb_array_create(ctx, uri, schema));
  lacks_attributes(ctx, &schema, uri, "");
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  lacks_attributes(ctx, &schema, uri, "");
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  close_array(ctx, &array);
  lacks_attributes(ctx, &schema, uri, "/");
}

TEST_WITH(ctx, invalid_attribute_names_are_rejected) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_attribute_t* attribute = new_attribute(ctx, "number", TILEDB_INT8);
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK_ERROR(ctx, tiledb_array_schema_check(ctx, schema),
              "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have "
              "unique names");
  tiledb_attribute_free(&attribute);
  tiledb_array_schema_free(&schema);
  schema = new_number_schema(ctx);
  attribute = new_attribute(ctx, "row", TILEDB_INT8);
  CHECK_OK(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK_ERROR(ctx, tiledb_array_schema_check(ctx, schema),
              "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have "
              "unique names");
  tiledb_attribute_free(&attribute);
  attribute = new_attribute(ctx, "__mine", TILEDB_INT8);
  CHECK_ERROR(ctx, tiledb_array_schema_add_attribute(ctx, schema, attribute),
              "ArraySchema: Cannot add attribute: names starting with '__' are reserved");
  tiledb_attribute_free(&attribute);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, orders_and_capacity_are_stored_or_rejected) {
  tiledb_array_schema_t *dense = new_number_schema(ctx), *sparse = blank(ctx, TILEDB_SPARSE);
  tiledb_layout_t order;
  uint64_t capacity = 0;
  CHECK_OK(ctx, tiledb_array_schema_set_cell_order(ctx, dense, TILEDB_COL_MAJOR));
  CHECK_OK(ctx, tiledb_array_schema_get_cell_order(ctx, dense, &order));
  CHECK_EQ(order, TILEDB_COL_MAJOR);
  CHECK_OK(ctx, tiledb_array_schema_set_tile_order(ctx, dense, TILEDB_COL_MAJOR));
  CHECK_OK(ctx, tiledb_array_schema_get_tile_order(ctx, dense, &order));
  CHECK_EQ(order, TILEDB_COL_MAJOR);
  CHECK_ERROR(ctx, tiledb_array_schema_set_cell_order(ctx, dense, TILEDB_HILBERT),
              "ArraySchema: Cannot set cell order; Hilbert order is only applicable to sparse arrays");
  CHECK_OK(ctx, tiledb_array_schema_set_cell_order(ctx, sparse, TILEDB_HILBERT));
  CHECK_ERROR(ctx, tiledb_array_schema_set_tile_order(ctx, sparse, TILEDB_HILBERT),
              "ArraySchema: Cannot set tile order; Hilbert order is not applicable to tiles");
  CHECK_ERROR(ctx, tiledb_array_schema_set_cell_order(ctx, dense, TILEDB_UNORDERED),
              "ArraySchema: Cannot set cell order; Cannot create ArraySchema with UNORDERED cell order");
  CHECK_ERROR(ctx, tiledb_array_schema_set_tile_order(ctx, dense, TILEDB_UNORDERED),
              "ArraySchema: Cannot set tile order; Cannot create ArraySchema with UNORDERED tile order");
  CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, dense, 0));
  CHECK_ERROR(ctx, tiledb_array_schema_set_capacity(ctx, sparse, 0),
              "ArraySchema: Sparse arrays cannot have their capacity equal to zero.");
  CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, dense, UINT64_MAX));
  CHECK_OK(ctx, tiledb_array_schema_get_capacity(ctx, dense, &capacity));
  CHECK(capacity == UINT64_MAX);
  tiledb_array_schema_free(&dense);
  tiledb_array_schema_free(&sparse);
}

TEST_WITH(ctx, duplicates_are_for_sparse_arrays) {
  tiledb_array_schema_t *dense = blank(ctx, TILEDB_DENSE), *sparse = blank(ctx, TILEDB_SPARSE);
  int duplicates = 0;
  CHECK_ERROR(ctx, tiledb_array_schema_set_allows_dups(ctx, dense, 1),
              "ArraySchema: Dense arrays cannot allow coordinate duplicates");
  CHECK_OK(ctx, tiledb_array_schema_set_allows_dups(ctx, dense, 0));
  CHECK_OK(ctx, tiledb_array_schema_set_allows_dups(ctx, sparse, 1));
  CHECK_OK(ctx, tiledb_array_schema_get_allows_dups(ctx, sparse, &duplicates));
  CHECK_EQ(duplicates, 1);
  tiledb_array_schema_free(&dense);
  tiledb_array_schema_free(&sparse);
}

TEST_WITH(ctx, dense_domains_are_of_one_type_of_integers) {
  tiledb_array_schema_t* schema = blank(ctx, TILEDB_DENSE);
  const double bounds[2] = {0, 1}, extent = 0.5;
  const int64_t wide[2] = {1, 9};
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = domain_of(ctx, TILEDB_FLOAT64, bounds, &extent, "d");
  CHECK_ERROR(ctx, tiledb_array_schema_set_domain(ctx, schema, domain),
              "ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype 'FLOAT64'");
  tiledb_domain_free(&domain);
  domain = domain_of(ctx, TILEDB_STRING_ASCII, NULL, NULL, "d");
  CHECK_ERROR(ctx, tiledb_array_schema_set_domain(ctx, schema, domain),
              "ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype 'STRING_ASCII'");
  tiledb_domain_free(&domain);
  domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "deep", TILEDB_INT64, wide, NULL, &dimension));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK_ERROR(ctx, tiledb_array_schema_set_domain(ctx, schema, domain),
              "ArraySchema: Cannot set domain; In dense arrays, all dimensions must have the same datatype");
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, a_missing_extent_is_the_whole_domain) {
  tiledb_array_schema_t* schema = blank(ctx, TILEDB_DENSE);
  const int32_t bounds[2] = {-3, 8};
  const void* extent = NULL;
  int32_t value = 0;
  tiledb_domain_t *domain = domain_of(ctx, TILEDB_INT32, bounds, NULL, "d"), *back = NULL;
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK_OK(ctx, tiledb_array_schema_get_domain(ctx, schema, &back));
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_index(ctx, back, 0, &dimension));
  CHECK_OK(ctx, tiledb_dimension_get_tile_extent(ctx, dimension, &extent));
  CHECK(extent != NULL);
  memcpy(&value, extent, sizeof value);
  CHECK_EQ(value, 12);
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&back);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, filter_lists_are_stored) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_filter_list_t* list = NULL;
  tiledb_filter_t* filter = NULL;
  CHECK_OK(ctx, tiledb_filter_list_alloc(ctx, &list));
  CHECK_OK(ctx, tiledb_array_schema_set_offsets_filter_list(ctx, schema, list));
  CHECK_OK(ctx, tiledb_filter_alloc(ctx, TILEDB_FILTER_BITSHUFFLE, &filter));
  CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, list, filter));
  CHECK_OK(ctx, tiledb_array_schema_set_coords_filter_list(ctx, schema, list));
  CHECK_OK(ctx, tiledb_filter_list_add_filter(ctx, list, filter));
  CHECK_OK(ctx, tiledb_array_schema_set_validity_filter_list(ctx, schema, list));
  tiledb_filter_list_free(&list);
  CHECK_OK(ctx, tiledb_array_schema_get_offsets_filter_list(ctx, schema, &list));
  CHECK_EQ(filters_of(ctx, &list), 0);
  CHECK_OK(ctx, tiledb_array_schema_get_coords_filter_list(ctx, schema, &list));
  CHECK_EQ(filters_of(ctx, &list), 1);
  CHECK_OK(ctx, tiledb_array_schema_get_validity_filter_list(ctx, schema, &list));
  CHECK_EQ(filters_of(ctx, &list), 2);
  tiledb_filter_free(&filter);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, a_schema_has_the_time_it_was_given) {
  tiledb_array_schema_t* schema = NULL;
  uint64_t low = 0, high = 0, before = tiledb_timestamp_now_ms();
  CHECK_OK(ctx, tiledb_array_schema_alloc_at_timestamp(ctx, TILEDB_DENSE, 1234, &schema));
  CHECK_OK(ctx, tiledb_array_schema_timestamp_range(ctx, schema, &low, &high));
  CHECK_EQ(low, 1234);
  CHECK_EQ(high, 1234);
  tiledb_array_schema_free(&schema);
  schema = blank(ctx, TILEDB_DENSE);
  CHECK_OK(ctx, tiledb_array_schema_timestamp_range(ctx, schema, &low, &high));
  CHECK(low == high && low >= before && low <= tiledb_timestamp_now_ms());
  tiledb_array_schema_free(&schema);
}

/* Returns the string of a handle and frees the handle. Valid until the next call. */
static const char* text_and_free(tiledb_ctx_t* ctx, tiledb_array_schema_t** schema) {
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_array_schema_dump_str(ctx, *schema, &text));
  tiledb_array_schema_free(schema);
  return text_of(&text);
}

TEST_WITH(ctx, a_stored_schema_loads_as_it_was) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_config_t* config = config_with(NULL, NULL);
  char uri[128], expected[8192];
  create_with(ctx, new_schema(ctx), uri);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  snprintf(expected, sizeof expected, "%s", text_and_free(ctx, &schema));
  CHECK(strstr(expected, "- Name: maybe\n- Type: FLOAT64\n- Nullable: true\n") != NULL);
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  create_with(ctx, schema, uri);
  CHECK_OK(ctx, tiledb_array_schema_load_with_config(ctx, config, uri, &schema));
  CHECK_TEXT(text_and_free(ctx, &schema), expected);
  tiledb_config_free(&config);
  CHECK_EQ(tiledb_array_schema_load(ctx, scratch(), &schema), TILEDB_ERR);
  CHECK(schema == NULL);
}

TEST_WITH(ctx, schemas_are_loaded_with_the_key_of_the_context) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_config_t* config = config_with("sm.encryption_key", "0123456789abcdeF0123456789abcdeF");
  tiledb_error_t* error = NULL;
  char uri[128];
  create_with(ctx, new_schema(ctx), uri);
  CHECK_EQ(tiledb_config_set(config, "sm.encryption_type", "AES_256_GCM", &error), TILEDB_OK);
  CHECK_OK(ctx, tiledb_array_schema_load_with_config(ctx, config, uri, &schema));
  tiledb_array_schema_free(&schema);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, schema_getters_return_its_properties) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  CHECK_TEXT(text_and_free(ctx, &schema),
             "- Array type: dense\n- Cell order: row-major\n- Tile order: row-major\n- Capacity: 10000\n"
             "- Allows duplicates: false\n- Coordinates filters: 1\n  > ZSTD: COMPRESSION_LEVEL=-1\n"
             "- Offsets filters: 1\n  > ZSTD: COMPRESSION_LEVEL=-1\n"
             "- Validity filters: 1\n  > RLE: COMPRESSION_LEVEL=-1\n\n"
             "### Dimension ###\n- Name: row\n- Type: INT32\n- Cell val num: 1\n- Domain: [1, 4]\n"
             "- Tile extent: 2\n- Filters: 0\n\n"
             "### Dimension ###\n- Name: column\n- Type: INT32\n- Cell val num: 1\n- Domain: [1, 6]\n"
             "- Tile extent: 3\n- Filters: 0\n\n"
             "### Attribute ###\n- Name: number\n- Type: INT32\n- Nullable: false\n- Cell val num: 1\n- Filters: 0\n"
             "- Fill value: -2147483648\n\n### Current domain ###\n- Version: 0\n- Empty: 1\n");
}

TEST_WITH(ctx, wrong_arguments_of_schemas_are_errors) {
  tiledb_array_schema_t *schema = new_number_schema(ctx), *other = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_array_type_t type;
  tiledb_layout_t order;
  uint64_t capacity = 0;
  uint32_t number = 0;
  int32_t has = 0;
  CHECK_EQ(tiledb_array_schema_alloc(NULL, TILEDB_DENSE, &other), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, NULL), TILEDB_ERR);
  CHECK(other == NULL);
  CHECK_ERROR(ctx, tiledb_array_schema_add_attribute(ctx, NULL, attribute),
              "C API: Invalid TileDB array_schema object");
  CHECK_ERROR(ctx, tiledb_array_schema_add_attribute(ctx, schema, NULL), "C API: Invalid TileDB attribute object");
  CHECK_ERROR(ctx, tiledb_array_schema_set_domain(ctx, schema, NULL), "C API: Invalid TileDB domain object");
  CHECK_EQ(tiledb_array_schema_set_domain(ctx, NULL, domain), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_domain(ctx, NULL, &domain), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_domain(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_array_type(ctx, NULL, &type), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_array_type(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_cell_order(ctx, NULL, &order), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_cell_order(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_tile_order(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_capacity(ctx, NULL, &capacity), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_capacity(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_attribute_num(ctx, NULL, &number), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_attribute_num(ctx, schema, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_array_schema_get_attribute_from_name(ctx, schema, NULL, &attribute),
              "C API: 'attribute_name' must not be null");
  CHECK_EQ(tiledb_array_schema_get_attribute_from_name(ctx, schema, "number", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_attribute_from_index(ctx, schema, 0, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_has_attribute(ctx, schema, NULL, &has), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_has_attribute(ctx, schema, "number", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_set_coords_filter_list(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_get_version(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_check(ctx, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_dump_str(ctx, schema, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_load(ctx, NULL, &other), TILEDB_ERR);
  CHECK_EQ(tiledb_array_schema_load(ctx, "/nowhere", NULL), TILEDB_ERR);
  tiledb_array_schema_free(&schema);
  tiledb_array_schema_free(NULL);
}
