/* Schema evolution: valid and invalid changes, enumerations, the current domain, timestamps. */
#include "evolutions.h"

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
