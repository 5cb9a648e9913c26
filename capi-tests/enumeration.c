/*
 * Enumerations: creation, getters, extension, storage with a schema, loading, and conditions on
 * their values.
 */
#include "arrays.h"

/* Returns the enumeration colours: red, green and blue. */
static tiledb_enumeration_t* colours(tiledb_ctx_t* ctx, int ordered) {
  tiledb_enumeration_t* made = NULL;
  uint64_t starts[3] = {0, 3, 8};
  CHECK_OK(
      ctx, tiledb_enumeration_alloc(
               ctx, "colours", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, ordered, "redgreenblue", 12, starts, sizeof starts,
               &made));
  return made;
}

/* Returns the enumeration numbers: 5 and 6. */
static tiledb_enumeration_t* numbers(tiledb_ctx_t* ctx) {
  tiledb_enumeration_t* made = NULL;
  int32_t values[2] = {5, 6};
  CHECK_OK(
      ctx, tiledb_enumeration_alloc(ctx, "numbers", TILEDB_INT32, 1, 0, values, sizeof values, NULL, 0, &made));
  return made;
}

TEST_WITH(ctx, enumeration_getters_return_its_properties) {
  tiledb_enumeration_t* enumeration = colours(ctx, 1);
  tiledb_string_t* text = NULL;
  tiledb_datatype_t type;
  uint32_t values = 0;
  int ordered = 9;
  const void *data = NULL, *offsets = NULL;
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_enumeration_get_name(ctx, enumeration, &text));
  CHECK_TEXT(text_of(&text), "colours");
  CHECK_OK(ctx, tiledb_enumeration_get_type(ctx, enumeration, &type));
  CHECK_EQ(type, TILEDB_STRING_ASCII);
  CHECK_OK(ctx, tiledb_enumeration_get_cell_val_num(ctx, enumeration, &values));
  CHECK_EQ(values, TILEDB_VAR_NUM);
  CHECK_OK(ctx, tiledb_enumeration_get_ordered(ctx, enumeration, &ordered));
  CHECK_EQ(ordered, 1);
  CHECK_OK(ctx, tiledb_enumeration_get_data(ctx, enumeration, &data, &size));
  CHECK_EQ(size, 12);
  CHECK(memcmp(data, "redgreenblue", 12) == 0);
  CHECK_OK(ctx, tiledb_enumeration_get_offsets(ctx, enumeration, &offsets, &size));
  CHECK_EQ(size, 24);
  CHECK_EQ(((const uint64_t*)offsets)[2], 8);
  CHECK_OK(ctx, tiledb_enumeration_dump_str(ctx, enumeration, &text));
  CHECK_TEXT(
      text_of(&text),
      "### Enumeration ###\n- Name: colours\n- Type: STRING_ASCII\n- Cell Val Num: 4294967295\n- Ordered: true\n"
      "- Element Count: 3\n");
  tiledb_enumeration_free(&enumeration);
  CHECK(enumeration == NULL);
  tiledb_enumeration_free(&enumeration);
}

TEST_WITH(ctx, values_have_an_index_if_they_exist) {
  tiledb_enumeration_t *texts = colours(ctx, 0), *fixed = numbers(ctx);
  int exist = 9;
  uint64_t index = 99;
  int32_t six = 6;
  CHECK_OK(ctx, tiledb_enumeration_get_value_index(ctx, texts, "blue", 4, &exist, &index));
  CHECK_EQ(exist, 1);
  CHECK_EQ(index, 2);
  CHECK_OK(ctx, tiledb_enumeration_get_value_index(ctx, texts, "blu", 3, &exist, &index));
  CHECK_EQ(exist, 0);
  CHECK_OK(ctx, tiledb_enumeration_get_value_index(ctx, fixed, &six, sizeof six, &exist, &index));
  CHECK_EQ(exist, 1);
  CHECK_EQ(index, 1);
  CHECK_FAILS(
      ctx, tiledb_enumeration_get_value_index(ctx, texts, "a", 1, NULL, &index), "Invalid output pointer for object");
  CHECK_ERROR(
      ctx, tiledb_enumeration_get_value_index(ctx, NULL, "a", 1, &exist, &index),
      "C API: Invalid TileDB enumeration object");
  tiledb_enumeration_free(&texts);
  tiledb_enumeration_free(&fixed);
}

TEST_WITH(ctx, invalid_values_are_rejected) {
  tiledb_enumeration_t* made = NULL;
  int32_t values[2] = {5, 5};
  uint64_t starts[2] = {0, 1};
#define MAKE(name, type, number, data, size, offsets, offsets_size) \
  tiledb_enumeration_alloc(ctx, name, type, number, 0, data, size, offsets, offsets_size, &made)
  CHECK_ERROR(
      ctx, MAKE(NULL, TILEDB_CHAR, 1, "a", 1, NULL, 0), "C API: tiledb_enumeration_alloc: name must not be null");
  CHECK_ERROR(ctx, MAKE("", TILEDB_CHAR, 1, "a", 1, NULL, 0), "Enumeration: Enumeration name must not be empty");
  CHECK_ERROR(ctx, MAKE("e", TILEDB_CHAR, 0, "a", 1, NULL, 0), "Enumeration: Invalid cell_val_num in Enumeration");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_CHAR, TILEDB_VAR_NUM, "ab", 2, NULL, 0),
      "Enumeration: Var sized enumeration values require a non-null offsets pointer.");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_CHAR, TILEDB_VAR_NUM, "ab", 2, starts, 0),
      "Enumeration: Var sized enumeration values require a non-zero offsets size.");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_CHAR, TILEDB_VAR_NUM, "ab", 2, starts, 15),
      "Enumeration: Invalid offsets size is not a multiple of sizeof(uint64_t)");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_CHAR, TILEDB_VAR_NUM, "aa", 2, starts, 16),
      "Enumeration: Invalid duplicated value in enumeration 'a'");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_INT32, 1, values, 7, NULL, 0),
      "Enumeration: Invalid data size is not a multiple of the cell size.");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_INT32, 1, NULL, 8, NULL, 0),
      "Enumeration: Invalid data buffer must not be nullptr for fixed sized data.");
  CHECK_ERROR(
      ctx, MAKE("e", TILEDB_INT32, 1, values, 8, starts, 16),
      "Enumeration: Fixed length value type defined but offsets is not nullptr.");
  CHECK_FAILS(ctx, MAKE("e", TILEDB_INT32, 1, values, 8, NULL, 0), "Enumeration: Invalid duplicated value");
  CHECK_OK(ctx, MAKE("e", TILEDB_INT32, 1, NULL, 0, NULL, 0));
  tiledb_enumeration_free(&made);
  starts[0] = 0;
  CHECK_OK(ctx, MAKE("e", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, NULL, 0, starts, 8));
  tiledb_enumeration_free(&made);
}

TEST_WITH(ctx, extensions_keep_existing_values) {
  tiledb_enumeration_t *texts = colours(ctx, 1), *fixed = numbers(ctx), *more = NULL;
  uint64_t start = 0, index = 99;
  int exist = 0, ordered = 0;
  int32_t seven = 7;
#define EXTEND(enumeration, data, size, offsets, offsets_size) \
  tiledb_enumeration_extend(ctx, enumeration, data, size, offsets, offsets_size, &more)
  CHECK_OK(ctx, EXTEND(texts, "pink", 4, &start, 8));
  CHECK_OK(ctx, tiledb_enumeration_get_value_index(ctx, more, "pink", 4, &exist, &index));
  CHECK_EQ(index, 3);
  CHECK_OK(ctx, tiledb_enumeration_get_ordered(ctx, more, &ordered));
  CHECK_EQ(ordered, 1);
  tiledb_enumeration_free(&more);
  CHECK_OK(ctx, EXTEND(fixed, &seven, 4, NULL, 0));
  tiledb_enumeration_free(&more);
  CHECK_ERROR(
      ctx, EXTEND(texts, "red", 3, &start, 8), "Enumeration: Invalid duplicated value in enumeration 'red'");
  CHECK_ERROR(
      ctx, EXTEND(texts, "x", 1, NULL, 0),
      "Enumeration: The offsets buffer is required for this enumeration extension.");
  CHECK_ERROR(
      ctx, EXTEND(texts, "x", 0, &start, 8),
      "Enumeration: Unable to extend an enumeration with a zero sized data buffer.");
  CHECK_ERROR(
      ctx, EXTEND(texts, NULL, 1, &start, 8), "Enumeration: Unable to extend an enumeration without a data buffer.");
  CHECK_ERROR(
      ctx, EXTEND(fixed, &seven, 4, &start, 8),
      "Enumeration: Offsets buffer provided when extending a fixed sized enumeration.");
  CHECK_ERROR(
      ctx, EXTEND(fixed, &seven, 3, NULL, 0), "Enumeration: Invalid data size is not a multiple of the cell size.");
  tiledb_enumeration_free(&texts);
  tiledb_enumeration_free(&fixed);
}

/* Adds an attribute with indexes of an enumeration and returns the code. */
static int32_t add_indexes(
    tiledb_ctx_t* ctx, tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, const char* enumeration) {
  tiledb_attribute_t* attribute = new_attribute(ctx, name, type);
  CHECK_OK(ctx, tiledb_attribute_set_enumeration_name(ctx, attribute, enumeration));
  int32_t code = tiledb_array_schema_add_attribute(ctx, schema, attribute);
  tiledb_attribute_free(&attribute);
  return code;
}

TEST_WITH(ctx, a_schema_checks_attributes_that_use_an_enumeration) {
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_enumeration_t *enumeration = colours(ctx, 0), *found = NULL, *large = NULL;
  char values[127];
  for (int i = 0; i < 127; i++) values[i] = (char)i;
  CHECK_OK(
      ctx, tiledb_enumeration_alloc(ctx, "large", TILEDB_UINT8, 1, 0, values, sizeof values, NULL, 0, &large));
  CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, enumeration));
  CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, large));
  CHECK_ERROR(
      ctx, tiledb_array_schema_add_enumeration(ctx, schema, enumeration),
      "ArraySchema: Error adding enumeration. Enumeration with name 'colours' already exists in this ArraySchema.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_add_enumeration(ctx, schema, NULL), "C API: Invalid TileDB enumeration object");
  CHECK_ERROR(
      ctx, add_indexes(ctx, schema, "real", TILEDB_FLOAT32, "colours"),
      "ArraySchema: Unable to use enumeration with attribute 'real', attribute must have an integral data type, not "
      "FLOAT32");
  CHECK_ERROR(
      ctx, add_indexes(ctx, schema, "lost", TILEDB_INT32, "unknown"),
      "ArraySchema: Cannot add attribute; Attribute refers to an unknown enumeration named 'unknown'.");
  CHECK_FAILS(ctx, add_indexes(ctx, schema, "small", TILEDB_INT8, "large"), "not large enough to represent all");
  CHECK_OK(ctx, add_indexes(ctx, schema, "wide", TILEDB_UINT8, "large"));
  CHECK_OK(ctx, add_indexes(ctx, schema, "colour", TILEDB_UINT8, "colours"));
  CHECK_OK(ctx, tiledb_array_schema_get_enumeration_from_name(ctx, schema, "colours", &found));
  tiledb_enumeration_free(&found);
  CHECK_OK(ctx, tiledb_array_schema_get_enumeration_from_attribute_name(ctx, schema, "colour", &found));
  tiledb_enumeration_free(&found);
  CHECK_OK(ctx, tiledb_array_schema_get_enumeration_from_attribute_name(ctx, schema, "number", &found));
  CHECK(found == NULL);
  CHECK_ERROR(
      ctx, tiledb_array_schema_get_enumeration_from_name(ctx, schema, "unknown", &found),
      "ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named 'unknown'.");
  CHECK_ERROR(
      ctx, tiledb_array_schema_get_enumeration_from_name(ctx, schema, NULL, &found),
      "C API: 'enumeration_name' must not be null");
  tiledb_enumeration_free(&enumeration);
  tiledb_enumeration_free(&large);
  tiledb_array_schema_free(&schema);
}

/* Creates an array of CELLS colours with indexes 0 to 3 in turn; index 3 has no value. */
static tiledb_array_t* coloured_array(tiledb_ctx_t* ctx, int ordered) {
  char uri[128];
  uint8_t cells[CELLS];
  int32_t values[CELLS] = {0};
  uint64_t sizes[2] = {sizeof cells, sizeof values};
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_enumeration_t* enumeration = colours(ctx, ordered);
  CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, enumeration));
  tiledb_enumeration_free(&enumeration);
  CHECK_OK(ctx, add_indexes(ctx, schema, "colour", TILEDB_UINT8, "colours"));
  create_with(ctx, schema, uri);
  for (int i = 0; i < CELLS; i++) cells[i] = (uint8_t)(i % 4);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "colour", cells, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", values, &sizes[1]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return open_array(ctx, uri, TILEDB_READ);
}

TEST_WITH(ctx, enumerations_are_loaded_on_request) {
  tiledb_array_t* array = coloured_array(ctx, 1);
  tiledb_enumeration_t* found = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_string_t* text = NULL;
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  CHECK_OK(ctx, tiledb_array_schema_dump_str(ctx, schema, &text));
  CHECK(strstr(text_of(&text), "### Enumeration ###\n- Name: colours\n- Loaded: false\n") != NULL);
  tiledb_array_schema_free(&schema);
  CHECK_OK(ctx, tiledb_array_load_all_enumerations(ctx, array));
  CHECK_OK(ctx, tiledb_array_load_all_enumerations(ctx, array));
  CHECK_OK(ctx, tiledb_array_load_enumerations_all_schemas(ctx, array));
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  CHECK_OK(ctx, tiledb_array_schema_dump_str(ctx, schema, &text));
  CHECK(strstr(text_of(&text), "- Element Count: 3\n") != NULL);
  tiledb_array_schema_free(&schema);
  CHECK_OK(ctx, tiledb_array_get_enumeration(ctx, array, "colours", &found));
  tiledb_enumeration_free(&found);
  CHECK_FAILS(ctx, tiledb_array_get_enumeration(ctx, array, "unknown", &found), "No enumeration named 'unknown'");
  CHECK_ERROR(
      ctx, tiledb_array_get_enumeration(ctx, array, NULL, &found), "C API: 'attr_name' must not be null");
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_ERROR(
      ctx, tiledb_array_get_enumeration(ctx, array, "colours", &found),
      "Array: Unable to load enumerations; Array is not open.");
  CHECK_ERROR(
      ctx, tiledb_array_load_all_enumerations(ctx, array),
      "Array: Unable to load all enumerations; Array is not open.");
  tiledb_array_free(&array);
}

TEST_WITH(ctx, a_schema_is_loaded_with_its_enumerations_if_the_configuration_says_so) {
  tiledb_array_t* array = coloured_array(ctx, 1);
  const char* uri = NULL;
  CHECK_OK(ctx, tiledb_array_get_uri(ctx, array, &uri));
  for (int loaded = 0; loaded < 2; loaded++) {
    tiledb_config_t* config = config_with("rest.load_enumerations_on_array_open", loaded ? "true" : "false");
    tiledb_array_schema_t* schema = NULL;
    tiledb_string_t* text = NULL;
    CHECK_OK(ctx, tiledb_array_schema_load_with_config(ctx, config, uri, &schema));
    CHECK_OK(ctx, tiledb_array_schema_dump_str(ctx, schema, &text));
    CHECK(strstr(text_of(&text), loaded ? "- Element Count: 3\n" : "- Loaded: false\n") != NULL);
    tiledb_array_schema_free(&schema);
    tiledb_config_free(&config);
  }
  close_array(ctx, &array);
}

/*
 * Returns the indexes of the first four cells, which are 0 to 3, as digits of a number: 9 instead
 * of the index of a cell that does not match. The comparison is with a value of the enumeration if
 * `by_value`, otherwise with an index.
 */
static int first_four(
    tiledb_ctx_t* ctx, tiledb_array_t* array, const void* value, uint64_t size, tiledb_query_condition_op_t op,
    int by_value) {
  const int32_t four[4] = {1, 1, 1, 4};
  uint8_t cells[4];
  uint64_t size_of_cells = sizeof cells;
  int digits = 0;
  tiledb_query_condition_t* condition = compare(ctx, "colour", value, size, op);
  CHECK_OK(ctx, tiledb_query_condition_set_use_enumeration(ctx, condition, by_value));
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, four);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "colour", cells, &size_of_cells));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  submit(ctx, query, TILEDB_COMPLETED);
  for (int i = 0; i < 4; i++) digits = 10 * digits + (cells[i] == 255 ? 9 : cells[i]);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  return digits;
}

TEST_WITH(ctx, conditions_use_enumeration_values_by_default) {
  tiledb_array_t* array = coloured_array(ctx, 1);
  uint8_t index = 1;
  /* Leading zeros: 923 is 0, no match, 2, 3. */
  CHECK_EQ(first_four(ctx, array, "green", 5, TILEDB_EQ, 1), 9199);
  CHECK_EQ(first_four(ctx, array, "green", 5, TILEDB_NE, 1), 923);
  CHECK_EQ(first_four(ctx, array, "green", 5, TILEDB_LE, 1), 199);
  CHECK_EQ(first_four(ctx, array, "pink", 4, TILEDB_EQ, 1), 9999);
  CHECK_EQ(first_four(ctx, array, "pink", 4, TILEDB_NE, 1), 123);
  CHECK_EQ(first_four(ctx, array, "pink", 4, TILEDB_LT, 1), 9999);
  CHECK_EQ(first_four(ctx, array, &index, 1, TILEDB_GT, 0), 9923);
  close_array(ctx, &array);
}

TEST_WITH(ctx, unordered_enumerations_reject_order_comparisons) {
  tiledb_array_t* array = coloured_array(ctx, 0);
  const int32_t four[4] = {1, 1, 1, 4};
  uint8_t cells[4];
  uint64_t size_of_cells = sizeof cells;
  tiledb_query_condition_t* condition = compare(ctx, "colour", "green", 5, TILEDB_LT);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, four);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "colour", cells, &size_of_cells));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  CHECK_ERROR(
      ctx, tiledb_query_submit(ctx, query),
      "TileDB internal: Cannot apply an inequality operator against an unordered Enumeration");
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(enumerations_have_a_largest_size) {
  tiledb_config_t* config = config_with("sm.enumerations_max_size", "10");
  tiledb_ctx_t* ctx = NULL;
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  tiledb_enumeration_t* enumeration = colours(ctx, 1);
  CHECK_OK(ctx, tiledb_array_schema_add_enumeration(ctx, schema, enumeration));
  CHECK_ERROR(
      ctx, tiledb_array_create(ctx, scratch(), schema),
      "ArraySchema: Invalid enumeration 'colours' has a size exceeding 10 bytes.");
  tiledb_enumeration_free(&enumeration);
  tiledb_array_schema_free(&schema);
  tiledb_ctx_free(&ctx);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, attributes_return_their_enumeration) {
  tiledb_attribute_t* attribute = NULL;
  tiledb_string_t* name = NULL;
  CHECK_OK(ctx, tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  CHECK_OK(ctx, tiledb_attribute_get_enumeration_name(ctx, attribute, &name));
  CHECK(name == NULL);
  CHECK_OK(ctx, tiledb_attribute_set_enumeration_name(ctx, attribute, "e"));
  CHECK_OK(ctx, tiledb_attribute_get_enumeration_name(ctx, attribute, &name));
  const char* text = NULL;
  size_t length = 0;
  CHECK_EQ(tiledb_string_view(name, &text, &length), TILEDB_OK);
  CHECK(length == 1 && text[0] == 'e');
  tiledb_string_free(&name);
  tiledb_attribute_free(&attribute);
}

TEST_WITH(ctx, an_unknown_attribute_has_no_enumeration) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_enumeration_t* found = NULL;
  CHECK_OK(ctx, tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  for (int attributes = 0; attributes < 2; attributes++) {
    CHECK_FAILS(ctx, tiledb_array_schema_get_enumeration_from_attribute_name(ctx, schema, "b", &found),
                "C API: Attribute name: b does not exist for array");
    if (attributes == 0) add_attribute(ctx, schema, "a", TILEDB_INT32, 1, 0);
  }
  CHECK(found == NULL);
  tiledb_array_schema_free(&schema);
}

/*
 * Returns which of the first four cells match, as bits from the lowest on. The cells are red (1),
 * green (2), blue (4) and without a value (8).
 */
static int kept_by(tiledb_ctx_t* ctx, tiledb_array_t* array, tiledb_query_condition_t* condition) {
  const int32_t four[4] = {1, 1, 1, 4};
  uint8_t cells[4];
  uint64_t size_of_cells = sizeof cells;
  int bits = 0;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, four);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "colour", cells, &size_of_cells));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  submit(ctx, query, TILEDB_COMPLETED);
  for (int i = 0; i < 4; i++) bits |= (cells[i] != 255) << i;
  tiledb_query_free(&query);
  return bits;
}

TEST_WITH(ctx, conditions_accept_unknown_enumeration_values_in_sets_and_negations) {
  tiledb_array_t* array = coloured_array(ctx, 1);
  static const tiledb_query_condition_op_t operators[] = {TILEDB_EQ, TILEDB_NE, TILEDB_LT};
  static const int opposites[] = {7 | 8, 0, 0};
  tiledb_query_condition_t *condition = NULL, *opposite = NULL;
  const char members[] = "greenpink";
  uint64_t starts[2] = {0, 5};
  for (int in = 0; in < 2; in++) {
    CHECK_OK(
        ctx, tiledb_query_condition_alloc_set_membership(
                 ctx, "colour", members, 9, starts, sizeof starts, in ? TILEDB_IN : TILEDB_NOT_IN, &condition));
    CHECK_EQ(kept_by(ctx, array, condition), in ? 2 : 5 | 8);
    tiledb_query_condition_free(&condition);
  }
  for (int i = 0; i < 3; i++) {
    condition = compare(ctx, "colour", "pink", 4, operators[i]);
    CHECK_OK(ctx, tiledb_query_condition_negate(ctx, condition, &opposite));
    CHECK_EQ(kept_by(ctx, array, opposite), opposites[i]);
    tiledb_query_condition_free(&condition);
    tiledb_query_condition_free(&opposite);
  }
  close_array(ctx, &array);
}

TEST_WITH(ctx, the_empty_text_may_be_the_only_value) {
  tiledb_enumeration_t* made = NULL;
  uint64_t start = 0, index = 9;
  int exist = 9;
  CHECK_OK(
      ctx, tiledb_enumeration_alloc(
               ctx, "e", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, "", 0, &start, sizeof start, &made));
  CHECK_OK(ctx, tiledb_enumeration_get_value_index(ctx, made, "", 0, &exist, &index));
  CHECK(exist == 1 && index == 0);
  CHECK_OK(ctx, tiledb_enumeration_get_value_index(ctx, made, "a", 1, &exist, &index));
  CHECK_EQ(exist, 0);
  tiledb_enumeration_free(&made);
}
