/* Schema evolution: valid and invalid changes, their application, and reads before and after. */
#include "arrays.h"

typedef tiledb_array_schema_evolution_t evolution_t;

static evolution_t* new_evolution(tiledb_ctx_t* ctx) {
  evolution_t* made = NULL;
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &made));
  return made;
}

/* Applies the changes and frees them. */
static int32_t evolve(tiledb_ctx_t* ctx, const char* uri, evolution_t* changes) {
  int32_t answer = tiledb_array_evolve(ctx, uri, changes);
  tiledb_array_schema_evolution_free(&changes);
  return answer;
}

/*
 * Adds an int32 attribute. If `fill` is 0 the fill value is unchanged; `enumeration` may be null.
 */
static int32_t add(tiledb_ctx_t* ctx, evolution_t* changes, const char* name, int32_t fill, const char* enumeration) {
  tiledb_attribute_t* attribute = new_attribute(ctx, name, TILEDB_INT32);
  if (fill != 0) CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, &fill, sizeof fill));
  if (enumeration != NULL) CHECK_OK(ctx, tiledb_attribute_set_enumeration_name(ctx, attribute, enumeration));
  int32_t answer = tiledb_array_schema_evolution_add_attribute(ctx, changes, attribute);
  tiledb_attribute_free(&attribute);
  return answer;
}

static int32_t drop(tiledb_ctx_t* ctx, evolution_t* changes, const char* name) {
  return tiledb_array_schema_evolution_drop_attribute(ctx, changes, name);
}

/* Creates an array with the attribute number at timestamp 1005. */
static void create(tiledb_ctx_t* ctx, tiledb_array_type_t type, char* uri) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_array_schema_alloc_at_timestamp(ctx, type, 1005, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  tiledb_domain_free(&domain);
  create_with(ctx, schema, uri);
}

/*
 * Returns the names of the attributes at a timestamp, each after a blank. Valid until the next
 * call.
 */
static const char* names_at(tiledb_ctx_t* ctx, const char* uri, uint64_t time) {
  static char names[256];
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, time);
  tiledb_array_schema_t* schema = NULL;
  uint32_t attributes = 0;
  names[0] = '\0';
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, schema, &attributes));
  for (uint32_t i = 0; i < attributes; i++) {
    tiledb_attribute_t* attribute = NULL;
    const char* name = NULL;
    CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_index(ctx, schema, i, &attribute));
    CHECK_OK(ctx, tiledb_attribute_get_name(ctx, attribute, &name));
    snprintf(names + strlen(names), sizeof names - strlen(names), " %s", name);
    tiledb_attribute_free(&attribute);
  }
  tiledb_array_schema_free(&schema);
  close_array(ctx, &array);
  return names;
}

TEST_WITH(ctx, evolutions_accept_valid_changes_only) {
  evolution_t *changes = new_evolution(ctx), *none = NULL;
  tiledb_enumeration_t* values = NULL;
  tiledb_current_domain_t* empty = NULL;
  int32_t value = 1;
  CHECK_OK(ctx, add(ctx, changes, "a", 0, NULL));
  CHECK_ERROR(
      ctx, add(ctx, changes, "a", 0, NULL),
      "ArraySchemaEvolution: Cannot add attribute; Input attribute name is already there");
  CHECK_OK(ctx, drop(ctx, changes, "a"));
  CHECK_OK(ctx, add(ctx, changes, "a", 0, NULL));
  CHECK_OK(ctx, tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, &value, 4, NULL, 0, &values));
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, values));
  CHECK_ERROR(
      ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, values),
      "ArraySchemaEvolution: Cannot add enumeration; Input enumeration name is already added");
  CHECK_OK(ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, changes, values));
  CHECK_ERROR(
      ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, changes, values),
      "ArraySchemaEvolution: Cannot extend enumeration; Input enumeration name has already been extended in this "
      "evolution.");
  CHECK_OK(ctx, tiledb_array_schema_evolution_drop_enumeration(ctx, changes, "e"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, changes, values));
  CHECK_ERROR(
      ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1, 2),
      "ArraySchemaEvolution: Cannot set timestamp range; first element 1 and second element 2 are not equal!");
  CHECK_OK(ctx, tiledb_current_domain_create(ctx, &empty));
  CHECK_ERROR(
      ctx, tiledb_array_schema_evolution_expand_current_domain(ctx, changes, empty),
      "ArraySchemaEvolution: Unable to expand the array current domain, the new current domain specified is empty");
  CHECK_EQ(tiledb_current_domain_free(&empty), TILEDB_OK);
  CHECK_ERROR(
      ctx, tiledb_array_schema_evolution_add_attribute(ctx, changes, NULL), "C API: Invalid TileDB attribute object");
  CHECK_ERROR(
      ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, NULL),
      "C API: Invalid TileDB enumeration object");
  CHECK_EQ(tiledb_array_schema_evolution_drop_enumeration(ctx, changes, NULL), TILEDB_ERR);
  CHECK_FAILS(ctx, drop(ctx, none, "a"), "Invalid TileDB array schema evolution object");
  CHECK_EQ(tiledb_array_schema_evolution_set_timestamp_range(NULL, changes, 1, 1), TILEDB_INVALID_CONTEXT);
  tiledb_enumeration_free(&values);
  tiledb_array_schema_evolution_free(&changes);
  CHECK(changes == NULL);
  tiledb_array_schema_evolution_free(&changes);
  tiledb_array_schema_evolution_free(NULL);
}

TEST_WITH(ctx, existing_attributes_precede_added_ones) {
  evolution_t* changes = new_evolution(ctx);
  char uri[128];
  create(ctx, TILEDB_DENSE, uri);
  CHECK_OK(ctx, add(ctx, changes, "z", 0, NULL));
  CHECK_OK(ctx, add(ctx, changes, "gone", 0, NULL));
  CHECK_OK(ctx, add(ctx, changes, "a", 0, NULL));
  CHECK_OK(ctx, drop(ctx, changes, "gone"));
  CHECK_ERROR(
      ctx, tiledb_array_evolve(ctx, uri, changes),
      "ArraySchemaEvolution: Cannot drop attribute; Input attribute name refers to a dimension or does not exist");
  tiledb_array_schema_evolution_free(&changes);
  changes = new_evolution(ctx);
  CHECK_OK(ctx, add(ctx, changes, "z", 0, NULL));
  CHECK_OK(ctx, add(ctx, changes, "a", 0, NULL));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  changes = new_evolution(ctx);
  CHECK_OK(ctx, drop(ctx, changes, "number"));
  CHECK_OK(ctx, add(ctx, changes, "last", 0, NULL));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1100, 1100));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_TEXT(names_at(ctx, uri, 1019), " number");
  CHECK_TEXT(names_at(ctx, uri, 1020), " number z a");
  CHECK_TEXT(names_at(ctx, uri, 1099), " number z a");
  CHECK_TEXT(names_at(ctx, uri, 1100), " z a last");
}

TEST_WITH(ctx, an_invalid_evolution_leaves_the_array_unchanged) {
  evolution_t* changes = new_evolution(ctx);
  char uri[128];
  create(ctx, TILEDB_DENSE, uri);
  CHECK_OK(ctx, drop(ctx, changes, "row"));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes),
      "ArraySchemaEvolution: Cannot drop attribute; Input attribute name refers to a dimension or does not exist");
  changes = new_evolution(ctx);
  CHECK_OK(ctx, drop(ctx, changes, "number"));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes), "ArraySchema: Array schema check failed; No attributes provided");
  const char* taken[2] = {"number", "column"};
  for (int i = 0; i < 2; i++) {
    changes = new_evolution(ctx);
    CHECK_OK(ctx, add(ctx, changes, taken[i], 0, NULL));
    CHECK_ERROR(
        ctx, evolve(ctx, uri, changes),
        "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names");
  }
  changes = new_evolution(ctx);
  CHECK_OK(ctx, add(ctx, changes, "kind", 0, "nowhere"));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes),
      "ArraySchema: Cannot add attribute; Attribute refers to an unknown enumeration named 'nowhere'.");
  CHECK_TEXT(names_at(ctx, uri, UINT64_MAX), " number");
  changes = new_evolution(ctx);
  CHECK_ERROR(ctx, evolve(ctx, scratch(), changes), "TileDB internal: Cannot open array; Array does not exist.");
  CHECK_ERROR(ctx, tiledb_array_evolve(ctx, uri, NULL), "C API: Invalid TileDB array schema evolution object");
}

/* Writes two cells of the first row at a timestamp, and the second attribute if it has a name. */
static void write_two(
    tiledb_ctx_t* ctx, const char* uri, uint64_t time, int sparse, int32_t column, const int32_t* number,
    const char* other, const int32_t* values) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, time);
  tiledb_query_t* query = NULL;
  int32_t rows[2] = {1, 1}, columns[2] = {column, column + 1}, ranges[4] = {1, 1, column, column + 1};
  int32_t first[2] = {0, 0}, second[2] = {0, 0};
  uint64_t size = 8;
  if (sparse) {
    query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "row", rows, &size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "column", columns, &size));
  } else {
    query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, ranges);
  }
  memcpy(first, number, sizeof first);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", first, &size));
  if (other != NULL) {
    memcpy(second, values, sizeof second);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, other, second, &size));
  }
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

/*
 * Reads the int32 attribute of columns 1 to 4 of the first row, only of cells equal to `only`
 * unless that is 0. Returns the number of cells.
 */
static uint64_t read_row(tiledb_ctx_t* ctx, const char* uri, uint64_t time, const char* name, int32_t only, int32_t* cells) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, time);
  const int32_t ranges[4] = {1, 1, 1, 4};
  uint64_t size = 4 * sizeof *cells;
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, ranges);
  tiledb_query_condition_t* condition = NULL;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, cells, &size));
  if (only != 0) {
    condition = compare(ctx, name, &only, sizeof only, TILEDB_EQ);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, condition));
  }
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return size / sizeof *cells;
}

static void check_row(const int32_t* cells, int32_t first, int32_t second, int32_t third, int32_t fourth) {
  CHECK_EQ(cells[0], first);
  CHECK_EQ(cells[1], second);
  CHECK_EQ(cells[2], third);
  CHECK_EQ(cells[3], fourth);
}

static void old_cells_have_the_fill_value(tiledb_array_type_t type) {
  tiledb_ctx_t* ctx = new_context();
  evolution_t* changes = new_evolution(ctx);
  char uri[128];
  const int sparse = type == TILEDB_SPARSE;
  const int32_t before[2] = {1, 2}, after[2] = {3, 4}, later[2] = {30, 40};
  int32_t cells[4] = {0};
  create(ctx, type, uri);
  write_two(ctx, uri, 1010, sparse, 1, before, NULL, NULL);
  CHECK_OK(ctx, add(ctx, changes, "later", 77, NULL));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_EQ(read_row(ctx, uri, 1020, "later", 0, cells), sparse ? 2 : 4);
  CHECK_EQ(cells[0], 77);
  CHECK_EQ(cells[1], 77);
  write_two(ctx, uri, 1030, sparse, 3, after, "later", later);
  CHECK_EQ(read_row(ctx, uri, 1030, "later", 0, cells), 4);
  check_row(cells, 77, 77, 30, 40);
  CHECK_EQ(read_row(ctx, uri, 1030, "number", 0, cells), 4);
  check_row(cells, 1, 2, 3, 4);
  CHECK_EQ(read_row(ctx, uri, 1019, "number", 0, cells), sparse ? 2 : 4);
  CHECK_EQ(cells[1], 2);
  if (sparse) {
    CHECK_EQ(read_row(ctx, uri, 1030, "later", 40, cells), 1);
    CHECK_EQ(cells[0], 40);
  }
  changes = new_evolution(ctx);
  CHECK_OK(ctx, drop(ctx, changes, "number"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1040, 1040));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_EQ(read_row(ctx, uri, 1050, "later", 0, cells), 4);
  check_row(cells, 77, 77, 30, 40);
  CHECK_EQ(read_row(ctx, uri, 1039, "number", 0, cells), 4);
  check_row(cells, 1, 2, 3, 4);
  tiledb_ctx_free(&ctx);
}

TEST(cells_of_older_dense_fragments_have_the_fill_value) { old_cells_have_the_fill_value(TILEDB_DENSE); }

TEST(cells_of_older_sparse_fragments_have_the_fill_value) { old_cells_have_the_fill_value(TILEDB_SPARSE); }

static tiledb_enumeration_t* letters(tiledb_ctx_t* ctx, const char* name, const char* values) {
  tiledb_enumeration_t* made = NULL;
  CHECK_OK(
      ctx, tiledb_enumeration_alloc(ctx, name, TILEDB_CHAR, 1, 0, values, strlen(values), NULL, 0, &made));
  return made;
}

/* Returns the one-letter values of an enumeration at a timestamp. Valid until the next call. */
static const char* values_at(tiledb_ctx_t* ctx, const char* uri, uint64_t time, const char* name) {
  static char kept[64];
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, time);
  tiledb_enumeration_t* found = NULL;
  const void* data = NULL;
  uint64_t size = 0;
  CHECK_OK(ctx, tiledb_array_get_enumeration(ctx, array, name, &found));
  CHECK_OK(ctx, tiledb_enumeration_get_data(ctx, found, &data, &size));
  snprintf(kept, sizeof kept, "%.*s", (int)size, (const char*)data);
  tiledb_enumeration_free(&found);
  close_array(ctx, &array);
  return kept;
}

TEST_WITH(ctx, enumerations_are_added_extended_and_dropped) {
  evolution_t* changes = new_evolution(ctx);
  tiledb_enumeration_t *two = letters(ctx, "letters", "ab"), *three = NULL, *other = letters(ctx, "letters", "xyz");
  char uri[128];
  create(ctx, TILEDB_SPARSE, uri);
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, two));
  CHECK_OK(ctx, add(ctx, changes, "letter", 0, "letters"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_TEXT(values_at(ctx, uri, 1020, "letters"), "ab");

  changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, other));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes),
      "ArraySchema: Error adding enumeration. Enumeration with name 'letters' already exists in this ArraySchema.");
  changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, changes, other));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes),
      "ArraySchema: Error extending enumeration. Provided enumeration is not an extension of the current state of "
      "'letters'");
  changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_drop_enumeration(ctx, changes, "letters"));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes),
      "ArraySchema: Unable to drop enumeration 'letters' as it is used by attribute 'letter'.");
  tiledb_enumeration_free(&other);
  other = letters(ctx, "unknown", "xyz");
  changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, changes, other));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, changes),
      "ArraySchema: Unable to get enumeration path name. Unknown enumeration named 'unknown'.");

  CHECK_OK(ctx, tiledb_enumeration_extend(ctx, two, "c", 1, NULL, 0, &three));
  changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_extend_enumeration(ctx, changes, three));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1100, 1100));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_TEXT(values_at(ctx, uri, 1099, "letters"), "ab");
  CHECK_TEXT(values_at(ctx, uri, 1100, "letters"), "abc");

  changes = new_evolution(ctx);
  CHECK_OK(ctx, drop(ctx, changes, "letter"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_drop_enumeration(ctx, changes, "letters"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_drop_enumeration(ctx, changes, "never was"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1200, 1200));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_TEXT(names_at(ctx, uri, 1200), " number");
  CHECK_TEXT(values_at(ctx, uri, 1199, "letters"), "abc");
  changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_enumeration(ctx, changes, two));
  CHECK_OK(ctx, add(ctx, changes, "letter", 0, "letters"));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1300, 1300));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  CHECK_TEXT(values_at(ctx, uri, 1300, "letters"), "ab");
  CHECK_TEXT(values_at(ctx, uri, 1199, "letters"), "abc");
  tiledb_enumeration_free(&two);
  tiledb_enumeration_free(&three);
  tiledb_enumeration_free(&other);
}

/* Returns an evolution that expands the current domain to these rows and columns. */
static evolution_t* expansion(tiledb_ctx_t* ctx, int32_t rows, int32_t columns, uint64_t time) {
  const int32_t box[4] = {1, rows, 1, columns};
  tiledb_current_domain_t* current = new_current_domain(ctx, box);
  evolution_t* changes = new_evolution(ctx);
  CHECK_OK(ctx, tiledb_array_schema_evolution_expand_current_domain(ctx, changes, current));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, time, time));
  CHECK_EQ(tiledb_current_domain_free(&current), TILEDB_OK);
  return changes;
}

/* Returns the last row of the current domain at a timestamp; 0 without a current domain. */
static int32_t last_row_at(tiledb_ctx_t* ctx, const char* uri, uint64_t time) {
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_READ, 0, time);
  tiledb_array_schema_t* schema = NULL;
  tiledb_current_domain_t* current = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_range_t range;
  uint32_t empty = 9;
  int32_t last = 0;
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_current_domain(ctx, schema, &current));
  CHECK_OK(ctx, tiledb_current_domain_get_is_empty(ctx, current, &empty));
  if (!empty) {
    CHECK_OK(ctx, tiledb_current_domain_get_ndrectangle(ctx, current, &rectangle));
    CHECK_OK(ctx, tiledb_ndrectangle_get_range(ctx, rectangle, 0, &range));
    memcpy(&last, range.max, sizeof last);
    CHECK_EQ(tiledb_ndrectangle_free(&rectangle), TILEDB_OK);
  }
  CHECK_EQ(tiledb_current_domain_free(&current), TILEDB_OK);
  tiledb_array_schema_free(&schema);
  close_array(ctx, &array);
  return last;
}

TEST_WITH(ctx, the_current_domain_only_grows) {
  char uri[128];
  create(ctx, TILEDB_DENSE, uri);
  CHECK_OK(ctx, evolve(ctx, uri, expansion(ctx, 2, 3, 1020)));
  CHECK_ERROR(
      ctx, evolve(ctx, uri, expansion(ctx, 1, 3, 1030)),
      "ArraySchema: The current domain of an array can only be expanded, please adjust your new current domain object.");
  CHECK_ERROR(
      ctx, evolve(ctx, uri, expansion(ctx, ROWS + 1, 3, 1030)),
      "TileDB internal: This array current domain has ranges past the boundaries of the array schema domain");
  CHECK_ERROR(
      ctx, evolve(ctx, uri, expansion(ctx, 1, COLUMNS + 1, 1030)),
      "ArraySchema: The current domain of an array can only be expanded, please adjust your new current domain object.");
  CHECK_OK(ctx, evolve(ctx, uri, expansion(ctx, 3, COLUMNS, 1040)));
  CHECK_EQ(last_row_at(ctx, uri, 1019), 0);
  CHECK_EQ(last_row_at(ctx, uri, 1039), 2);
  CHECK_EQ(last_row_at(ctx, uri, 1040), 3);
  CHECK_TEXT(names_at(ctx, uri, 1040), " number");
}

TEST_WITH(ctx, upgrading_an_array_of_this_version_changes_nothing) {
  char uri[128];
  create(ctx, TILEDB_DENSE, uri);
  CHECK_OK(ctx, tiledb_array_upgrade_version(ctx, uri, NULL));
  CHECK_TEXT(names_at(ctx, uri, UINT64_MAX), " number");
  CHECK_FAILS(ctx, tiledb_array_upgrade_version(ctx, scratch(), NULL), "' does not exist");
  char missing[128], expected[256];
  snprintf(missing, sizeof missing, "%s", scratch());
  snprintf(expected, sizeof expected, "Cannot upgrade array; Array '%s'", uri_of(missing));
  CHECK_FAILS(ctx, tiledb_array_upgrade_version(ctx, missing, NULL), expected);
}

TEST_WITH(ctx, each_fragment_keeps_the_schema_it_was_written_with) {
  char uri[128], older[128];
  const int32_t before[2] = {1, 2}, after[2] = {3, 4}, later[2] = {30, 40};
  const char* name = NULL;
  tiledb_array_schema_t* schema = NULL;
  evolution_t* changes = new_evolution(ctx);
  create(ctx, TILEDB_DENSE, uri);
  write_two(ctx, uri, 1010, 0, 1, before, NULL, NULL);
  CHECK_OK(ctx, add(ctx, changes, "later", 77, NULL));
  CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
  CHECK_OK(ctx, evolve(ctx, uri, changes));
  write_two(ctx, uri, 1030, 0, 3, after, "later", later);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 0, &name));
  CHECK(strncmp(name, "__1005_1005_", 12) == 0);
  snprintf(older, sizeof older, "%s", name);
  CHECK_OK(ctx, tiledb_fragment_info_get_array_schema_name(ctx, info, 1, &name));
  CHECK(strncmp(name, "__1020_1020_", 12) == 0);
  CHECK(strcmp(name, older) != 0);
  for (uint32_t i = 0; i < 2; i++) {
    int32_t has = 9;
    CHECK_OK(ctx, tiledb_fragment_info_get_array_schema(ctx, info, i, &schema));
    CHECK_OK(ctx, tiledb_array_schema_has_attribute(ctx, schema, "later", &has));
    CHECK_EQ(has, i);
    tiledb_array_schema_free(&schema);
  }
  tiledb_fragment_info_free(&info);
}

/* The type of bytes may change: blobs become geometries. */
TEST_WITH(ctx, data_survives_adding_an_attribute_again_with_another_byte_type) {
  const tiledb_datatype_t types[] = {TILEDB_GEOM_WKB, TILEDB_GEOM_WKT};
  for (int i = 0; i < 2; i++) {
    char uri[128];
    uint8_t bytes[4] = {7, 8, 9, 10}, found[4] = {0};
    uint64_t size = sizeof bytes;
    tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, new_dimension(ctx, "x", 4, 2), NULL);
    tiledb_array_schema_evolution_t *drop = new_evolution(ctx), *again = new_evolution(ctx);
    tiledb_attribute_t* attribute = new_attribute(ctx, "shape", types[i]);
    add_attribute(ctx, schema, "shape", TILEDB_BLOB, 1, 0);
    add_attribute(ctx, schema, "other", TILEDB_BLOB, 1, 0);
    create_with(ctx, schema, uri);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
    tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "shape", bytes, &size));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "other", bytes, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
    wait_a_moment();
    CHECK_OK(ctx, tiledb_array_schema_evolution_drop_attribute(ctx, drop, "shape"));
    CHECK_OK(ctx, evolve(ctx, uri, drop));
    wait_a_moment();
    CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, again, attribute));
    CHECK_OK(ctx, evolve(ctx, uri, again));
    tiledb_attribute_free(&attribute);
    array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, 4);
    query = query_on(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, subarray);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "shape", found, &size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK(memcmp(found, bytes, sizeof bytes) == 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

TEST_WITH(ctx, cells_of_older_fragments_are_null_for_nullable_attributes) {
  const int32_t before[2] = {1, 2}, row[4] = {1, 1, 1, 2};
  char uri[128];
  for (int sparse = 0; sparse < 2; sparse++) {
    tiledb_attribute_t* attribute = new_attribute(ctx, "maybe", TILEDB_INT32);
    evolution_t* changes = new_evolution(ctx);
    int32_t cells[2] = {0, 0}, fill = 0;
    const void* fills = &fill;
    uint8_t valid[2] = {9, 9}, fill_valid = 9;
    uint64_t size = sizeof cells, valid_size = sizeof valid, fill_size = 0;
    create(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE, uri);
    write_two(ctx, uri, 1010, sparse, 1, before, NULL, NULL);
    CHECK_OK(ctx, tiledb_attribute_set_nullable(ctx, attribute, 1));
    CHECK_OK(ctx, tiledb_attribute_get_fill_value_nullable(ctx, attribute, &fills, &fill_size, &fill_valid));
    CHECK_EQ(fill_valid, 0);
    CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, changes, attribute));
    CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, 1020, 1020));
    CHECK_OK(ctx, evolve(ctx, uri, changes));
    tiledb_attribute_free(&attribute);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, row);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", cells, &size));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &valid_size));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(valid_size, 2);
    CHECK(valid[0] == 0 && valid[1] == 0);
    CHECK(cells[0] == INT32_MIN && cells[1] == INT32_MIN);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
}

/* TileDB-SOMA writes with explicit timestamps and extends enumerations in the same step. */
TEST_WITH(ctx, explicit_timestamps_must_follow_the_creation) {
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  for (uint64_t time = 2; time < 4; time++) {
    evolution_t* changes = new_evolution(ctx);
    CHECK_OK(ctx, add(ctx, changes, time == 2 ? "second" : "third", 0, NULL));
    CHECK_OK(ctx, tiledb_array_schema_evolution_set_timestamp_range(ctx, changes, time, time));
    CHECK_OK(ctx, evolve(ctx, uri, changes));
  }
  const char* known = names_at(ctx, uri, 2);
  CHECK(strstr(known, "second") != NULL && strstr(known, "third") == NULL);
  known = names_at(ctx, uri, 3);
  CHECK(strstr(known, "second") != NULL && strstr(known, "third") != NULL);
  known = names_at(ctx, uri, UINT64_MAX);
  CHECK(strstr(known, "second") != NULL && strstr(known, "third") != NULL);
}

TEST_WITH(ctx, default_timestamps_follow_explicit_ones) {
  char uri[128];
  create(ctx, TILEDB_DENSE, uri);
  for (int times = 0; times < 2; times++) {
    evolution_t* changes = new_evolution(ctx);
    CHECK_OK(ctx, add(ctx, changes, times == 0 ? "second" : "third", 0, NULL));
    CHECK_OK(ctx, evolve(ctx, uri, changes));
    wait_a_moment();
    const char* known = names_at(ctx, uri, UINT64_MAX);
    CHECK(strstr(known, "second") != NULL && (strstr(known, "third") != NULL) == times);
    CHECK(strstr(names_at(ctx, uri, 1010), "second") == NULL);
  }
}
