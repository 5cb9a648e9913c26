/* Domains: dimensions in order, by index and by name. */
#include "arrays.h"

TEST_WITH(ctx, domains_return_their_dimensions) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_dimension_t* dimension = NULL;
  tiledb_datatype_t type;
  const char* name = NULL;
  uint32_t number = 0;
  int32_t has = 9;
  CHECK_OK(ctx, tiledb_domain_get_type(ctx, domain, &type));
  CHECK_EQ(type, TILEDB_INT32);
  CHECK_OK(ctx, tiledb_domain_get_ndim(ctx, domain, &number));
  CHECK_EQ(number, 2);
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 1, &dimension));
  CHECK_OK(ctx, tiledb_dimension_get_name(ctx, dimension, &name));
  CHECK_TEXT(name, "column");
  tiledb_dimension_free(&dimension);
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_name(ctx, domain, "row", &dimension));
  CHECK_OK(ctx, tiledb_dimension_get_name(ctx, dimension, &name));
  CHECK_TEXT(name, "row");
  tiledb_dimension_free(&dimension);
  CHECK_OK(ctx, tiledb_domain_has_dimension(ctx, domain, "row", &has));
  CHECK_EQ(has, 1);
  CHECK_OK(ctx, tiledb_domain_has_dimension(ctx, domain, "unknown", &has));
  CHECK_EQ(has, 0);
  tiledb_domain_free(&domain);
  CHECK(domain == NULL);
}

TEST_WITH(ctx, a_dimension_outlives_its_domain) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_dimension_t* dimension = NULL;
  const char* name = NULL;
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dimension));
  tiledb_domain_free(&domain);
  CHECK_OK(ctx, tiledb_dimension_get_name(ctx, dimension, &name));
  CHECK_TEXT(name, "row");
  tiledb_dimension_free(&dimension);
}

TEST_WITH(ctx, getters_of_an_empty_domain_fail) {
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dimension = NULL;
  tiledb_datatype_t type;
  uint32_t number = 9;
  int32_t has = 9;
  CHECK_OK(ctx, tiledb_domain_alloc(ctx, &domain));
  CHECK_OK(ctx, tiledb_domain_get_ndim(ctx, domain, &number));
  CHECK_EQ(number, 0);
  CHECK_ERROR(ctx, tiledb_domain_get_type(ctx, domain, &type),
              "C API: Cannot get domain type; Domain has no dimensions");
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dimension));
  CHECK(dimension == NULL);
  CHECK_ERROR(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 1, &dimension),
              "C API: Dimension index 1 is out of bounds; valid indices are 0 to 4294967295");
  CHECK_OK(ctx, tiledb_domain_has_dimension(ctx, domain, "", &has));
  CHECK_EQ(has, 0);
  tiledb_domain_free(&domain);
}

TEST_WITH(ctx, unknown_names_and_indexes_are_errors) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_dimension_t* dimension = NULL;
  CHECK_ERROR(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 2, &dimension),
              "C API: Dimension index 2 is out of bounds; valid indices are 0 to 1");
  CHECK_ERROR(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 3, &dimension),
              "C API: Dimension index 3 is out of bounds; valid indices are 0 to 1");
  CHECK_ERROR(ctx, tiledb_domain_get_dimension_from_name(ctx, domain, "unknown", &dimension),
              "C API: Dimension 'unknown' does not exist");
  CHECK_ERROR(ctx, tiledb_domain_get_dimension_from_name(ctx, domain, "", &dimension),
              "C API: Dimension '' does not exist");
  CHECK(dimension == NULL);
  tiledb_domain_free(&domain);
}

TEST_WITH(ctx, mixed_types_have_no_common_type) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_dimension_t* dimension = NULL;
  const int64_t bounds[2] = {1, 9};
  tiledb_datatype_t type;
  CHECK_OK(ctx, tiledb_dimension_alloc(ctx, "deep", TILEDB_INT64, bounds, NULL, &dimension));
  CHECK_OK(ctx, tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK_ERROR(ctx, tiledb_domain_get_type(ctx, domain, &type),
              "C API: Cannot get domain type; Not applicable to heterogeneous dimensions");
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&domain);
}

TEST_WITH(ctx, domain_getters_return_its_properties) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_domain_dump_str(ctx, domain, &text));
  CHECK_TEXT(text_of(&text),
             "\n### Dimension ###\n- Name: row\n- Type: INT32\n- Cell val num: 1\n- Domain: [1, 4]\n- Tile extent: 2\n"
             "- Filters: 0\n\n"
             "### Dimension ###\n- Name: column\n- Type: INT32\n- Cell val num: 1\n- Domain: [1, 6]\n"
             "- Tile extent: 3\n- Filters: 0\n");
  tiledb_domain_free(&domain);
}

TEST_WITH(ctx, wrong_arguments_of_domains_are_errors) {
  tiledb_domain_t* domain = new_domain(ctx);
  tiledb_dimension_t* dimension = new_dimension(ctx, "d", 3, 1);
  tiledb_string_t* text = NULL;
  tiledb_datatype_t type;
  uint32_t number = 0;
  int32_t has = 0;
  CHECK_EQ(tiledb_domain_alloc(NULL, &domain), TILEDB_INVALID_CONTEXT);
  CHECK_ERROR(ctx, tiledb_domain_add_dimension(ctx, NULL, dimension), "C API: Invalid TileDB domain object");
  CHECK_ERROR(ctx, tiledb_domain_add_dimension(ctx, domain, NULL),
              "C API: May not add a missing dimension; argument is NULL");
  CHECK_EQ(tiledb_domain_get_type(ctx, NULL, &type), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_type(ctx, domain, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_ndim(ctx, NULL, &number), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_ndim(ctx, domain, NULL), TILEDB_ERR);
  tiledb_dimension_free(&dimension);
  CHECK_EQ(tiledb_domain_get_dimension_from_index(ctx, NULL, 0, &dimension), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_dimension_from_index(ctx, domain, 0, NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_dimension_from_name(ctx, NULL, "row", &dimension), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_dimension_from_name(ctx, domain, NULL, &dimension), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_get_dimension_from_name(ctx, domain, "row", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_has_dimension(ctx, NULL, "row", &has), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_has_dimension(ctx, domain, NULL, &has), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_has_dimension(ctx, domain, "row", NULL), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_dump_str(ctx, NULL, &text), TILEDB_ERR);
  CHECK_EQ(tiledb_domain_dump_str(ctx, domain, NULL), TILEDB_ERR);
  tiledb_domain_free(&domain);
  tiledb_domain_free(NULL);
}
