/* Functions of libtiledb releases before 2.30, which programs built for those releases need. */
#include "arrays.h"

/* Reads the text that was printed to a temporary stream, and closes the stream. */
static void check_printed(FILE* stream, tiledb_string_t** expected) {
  static char printed[8192];
  const char* text = NULL;
  size_t length = 0;
  rewind(stream);
  size_t size = fread(printed, 1, sizeof printed - 1, stream);
  printed[size] = '\0';
  fclose(stream);
  CHECK_EQ(tiledb_string_view(*expected, &text, &length), TILEDB_OK);
  CHECK(length > 0);
  CHECK_EQ(size, length);
  CHECK(memcmp(printed, text, length) == 0);
  tiledb_string_free(expected);
}

#define CHECK_DUMP(object, handle)                                             \
  do {                                                                         \
    FILE* stream = tmpfile();                                                  \
    tiledb_string_t* expected = NULL;                                            \
    CHECK(stream != NULL);                                                     \
    CHECK_OK(ctx, tiledb_##object##_dump_str(ctx, handle, &expected));           \
    CHECK_OK(ctx, tiledb_##object##_dump(ctx, handle, stream));                \
    check_printed(stream, &expected);                                            \
    CHECK_FAILS(ctx, tiledb_##object##_dump(ctx, handle, NULL), "must be non-null"); \
    CHECK_FAILS(ctx, tiledb_##object##_dump(ctx, NULL, stdout), "Invalid TileDB");   \
    CHECK_EQ(tiledb_##object##_dump(NULL, handle, stdout), TILEDB_INVALID_CONTEXT);  \
  } while (0)

TEST_WITH(ctx, dumps_print_the_text_of_the_current_functions) {
  tiledb_array_schema_t* schema = new_schema(ctx);
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dimension = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_enumeration_t* enumeration = NULL;
  CHECK_OK(ctx, tiledb_array_schema_get_domain(ctx, schema, &domain));
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dimension));
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_index(ctx, schema, 0, &attribute));
  CHECK_OK(ctx, tiledb_enumeration_alloc(ctx, "letters", TILEDB_CHAR, 1, 0, "ab", 2, NULL, 0, &enumeration));
  CHECK_DUMP(array_schema, schema);
  CHECK_DUMP(domain, domain);
  CHECK_DUMP(dimension, dimension);
  CHECK_DUMP(attribute, attribute);
  CHECK_DUMP(enumeration, enumeration);
  tiledb_enumeration_free(&enumeration);
  tiledb_attribute_free(&attribute);
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, group_dumps_equal_those_of_the_current_function) {
  char uri[128];
  tiledb_group_t* group = NULL;
  tiledb_string_t* expected = NULL;
  char* dumped = NULL;
  snprintf(uri, sizeof uri, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, uri));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, uri, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
  for (uint8_t recursive = 0; recursive < 2; recursive++) {
    CHECK_OK(ctx, tiledb_group_dump_str_v2(ctx, group, &expected, recursive));
    CHECK_OK(ctx, tiledb_group_dump_str(ctx, group, &dumped, recursive));
    CHECK_TEXT(dumped, text_of(&expected));
    free(dumped);
  }
  CHECK_FAILS(ctx, tiledb_group_dump_str(ctx, group, NULL, 0), "Invalid output pointer");
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}
