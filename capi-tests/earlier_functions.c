/* Functions of libtiledb releases before 2.30, which programs built for those releases need. */
#include "arrays.h"

#include <stdatomic.h>
#include <time.h>

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

static const char key[] = "0123456789abcdef0123456789abcdef";
static const char other_key[] = "1123456789abcdef0123456789abcdef";
static const char bad_length[] = "Cannot create key; invalid key length for encryption type.";
enum { KEY_SIZE = 32 };

/* Returns a context whose configuration has the key. */
static tiledb_ctx_t* context_with_key(void) {
  tiledb_config_t* config = config_with("sm.encryption_type", "AES_256_GCM");
  set_param(config, "sm.encryption_key", key);
  return context_of(config);
}

TEST_WITH(ctx, arrays_are_created_and_loaded_with_a_key_as_an_argument) {
  char uri[128], plain[128];
  tiledb_array_schema_t *schema = new_number_schema(ctx), *loaded = NULL;
  tiledb_encryption_type_t type = TILEDB_NO_ENCRYPTION;
  snprintf(uri, sizeof uri, "%s", scratch());
  CHECK_OK(ctx, tiledb_array_create_with_key(ctx, uri, schema, TILEDB_AES_256_GCM, key, KEY_SIZE));
  CHECK_FAILS(
      ctx, tiledb_array_create_with_key(ctx, uri, schema, TILEDB_AES_256_GCM, key, KEY_SIZE), "already exists");
  CHECK_OK(ctx, tiledb_array_encryption_type(ctx, uri, &type));
  CHECK_EQ(type, TILEDB_AES_256_GCM);
  snprintf(plain, sizeof plain, "%s", scratch());
  CHECK_FAILS(
      ctx, tiledb_array_create_with_key(ctx, plain, schema, TILEDB_AES_256_GCM, key, KEY_SIZE - 1), bad_length);
  CHECK_FAILS(ctx, tiledb_array_create_with_key(ctx, plain, schema, TILEDB_AES_256_GCM, NULL, 0), bad_length);
  CHECK_FAILS(ctx, tiledb_array_create_with_key(ctx, plain, schema, TILEDB_NO_ENCRYPTION, key, KEY_SIZE), bad_length);
  CHECK_FAILS(ctx, tiledb_array_create_with_key(ctx, plain, schema, 7, key, KEY_SIZE), bad_length);
  CHECK_FAILS(
      ctx, tiledb_array_create_with_key(ctx, plain, schema, TILEDB_AES_256_GCM, "\xff\xfe", 2), "is not UTF-8");
  /* The argument replaces the key of the context. */
  tiledb_ctx_t* with_key = context_with_key();
  CHECK_OK(with_key, tiledb_array_create_with_key(with_key, plain, schema, TILEDB_NO_ENCRYPTION, NULL, 0));
  CHECK_OK(ctx, tiledb_array_encryption_type(ctx, plain, &type));
  CHECK_EQ(type, TILEDB_NO_ENCRYPTION);
  tiledb_array_schema_free(&schema);

  CHECK_OK(ctx, tiledb_array_schema_load_with_key(ctx, uri, TILEDB_AES_256_GCM, key, KEY_SIZE, &loaded));
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, loaded));
  tiledb_array_schema_free(&loaded);
  CHECK_FAILS(
      ctx, tiledb_array_schema_load_with_key(ctx, uri, TILEDB_AES_256_GCM, other_key, KEY_SIZE, &loaded),
      "error finalizing decryption");
  CHECK_FAILS(
      ctx, tiledb_array_schema_load_with_key(ctx, uri, TILEDB_NO_ENCRYPTION, NULL, 0, &loaded),
      "tile is encrypted with AES_256_GCM but given key is for NO_ENCRYPTION");
  CHECK_FAILS(
      ctx, tiledb_array_schema_load_with_key(ctx, uri, TILEDB_AES_256_GCM, key, 12, &loaded), bad_length);
  CHECK(loaded == NULL);
  CHECK_OK(
      with_key, tiledb_array_schema_load_with_key(with_key, plain, TILEDB_NO_ENCRYPTION, NULL, 0, &loaded));
  tiledb_array_schema_free(&loaded);
  tiledb_ctx_free(&with_key);
}

TEST_WITH(ctx, arrays_are_consolidated_with_a_key_as_an_argument) {
  char uri[128];
  const int32_t box[4] = {1, 1, 1, 2}, numbers[2] = {1, 2};
  tiledb_ctx_t* with_key = context_with_key();
  create_with(with_key, new_number_schema(with_key), uri);
  write_box(with_key, uri, 1, box, numbers);
  write_box(with_key, uri, 2, box, numbers);
  CHECK_FAILS(
      ctx, tiledb_array_consolidate_with_key(ctx, uri, TILEDB_AES_256_GCM, other_key, KEY_SIZE, NULL),
      "error finalizing decryption");
  CHECK_FAILS(ctx, tiledb_array_consolidate_with_key(ctx, uri, TILEDB_AES_256_GCM, key, 3, NULL), bad_length);
  CHECK_FAILS(
      ctx, tiledb_array_consolidate_with_key(ctx, uri, TILEDB_NO_ENCRYPTION, NULL, 0, NULL),
      "tile is encrypted with AES_256_GCM but given key is for NO_ENCRYPTION");
  CHECK_EQ(fragments_of(with_key, uri), 2);
  /* A key in the configuration is ignored. */
  tiledb_config_t* config = config_with("sm.encryption_type", "AES_256_GCM");
  set_param(config, "sm.encryption_key", other_key);
  CHECK_OK(ctx, tiledb_array_consolidate_with_key(ctx, uri, TILEDB_AES_256_GCM, key, KEY_SIZE, config));
  CHECK_EQ(fragments_of(with_key, uri), 1);
  tiledb_config_free(&config);
  tiledb_ctx_free(&with_key);
}

TEST_WITH(ctx, open_arrays_are_deleted_only_if_they_are_open_exclusively) {
  const char* not_exclusive = by_release(
      "[TileDB::Array] Error: Array: [ensure_array_is_valid_for_delete] Query type must be MODIFY_EXCLUSIVE to "
      "perform a delete.",
      "[TileDB::Array] Error: Array: [ensure_array_is_valid_for_delete] Query type must be WRITE to perform a delete.");
  char uri[128], absent[128];
  const int32_t box[4] = {1, 1, 1, 2}, numbers[2] = {1, 2};
  const tiledb_query_type_t types[] = {TILEDB_READ, TILEDB_WRITE};
  tiledb_array_t* array = NULL;
  tiledb_object_t object = TILEDB_ARRAY;
  int32_t is_open = -1;
  create_with(ctx, new_number_schema(ctx), uri);
  write_box(ctx, uri, 1, box, numbers);
  write_box(ctx, uri, 5, box, numbers);
  snprintf(absent, sizeof absent, "%s", scratch());
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_ERROR(ctx, tiledb_array_delete_fragments(ctx, array, uri, 5, 5), not_exclusive);
  CHECK_ERROR(ctx, tiledb_array_delete_array(ctx, array, uri), not_exclusive);
  for (int i = 0; i < (is_2_31() ? 1 : 2); i++) {
    CHECK_OK(ctx, tiledb_array_open(ctx, array, types[i]));
    CHECK_ERROR(ctx, tiledb_array_delete_fragments(ctx, array, uri, 5, 5), not_exclusive);
    CHECK_ERROR(ctx, tiledb_array_delete_array(ctx, array, uri), not_exclusive);
    CHECK_OK(ctx, tiledb_array_close(ctx, array));
  }
  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_MODIFY_EXCLUSIVE));
  CHECK_FAILS(ctx, tiledb_array_delete_fragments(ctx, array, absent, 5, 5), "Array does not exist");
  CHECK_FAILS(ctx, tiledb_array_delete_fragments(ctx, NULL, uri, 5, 5), "Invalid TileDB array object");
  CHECK_OK(ctx, tiledb_array_delete_fragments(ctx, array, uri, 5, 5));
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 1);
  CHECK_OK(ctx, tiledb_array_close(ctx, array));
  CHECK_EQ(fragments_of(ctx, uri), 1);

  CHECK_OK(ctx, tiledb_array_open(ctx, array, TILEDB_MODIFY_EXCLUSIVE));
  CHECK_FAILS(ctx, tiledb_array_delete_array(ctx, array, absent), "Array does not exist");
  CHECK_FAILS(ctx, tiledb_array_delete_array(ctx, NULL, uri), "Invalid TileDB array object");
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 1);
  CHECK_OK(ctx, tiledb_array_delete_array(ctx, array, uri));
  CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &is_open));
  CHECK_EQ(is_open, 0);
  CHECK_OK(ctx, tiledb_object_type(ctx, uri, &object));
  CHECK_EQ(object, TILEDB_INVALID);
  tiledb_array_free(&array);
}

TEST_WITH(ctx, members_of_groups_are_returned_as_c_strings) {
  char uri[128], member[160];
  char *found = NULL, *name = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  tiledb_group_t* group = NULL;
  snprintf(uri, sizeof uri, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, uri));
  tiledb_array_schema_t* schema = new_number_schema(ctx);
  snprintf(member, sizeof member, "%s/x", uri);
  CHECK_OK(ctx, tiledb_array_create(ctx, member, schema));
  snprintf(member, sizeof member, "%s/y", uri);
  CHECK_OK(ctx, tiledb_array_create(ctx, member, schema));
  tiledb_array_schema_free(&schema);
  CHECK_OK(ctx, tiledb_group_alloc(ctx, uri, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "x", 1, NULL));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "y", 1, "named"));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
  int named = 0;
  for (uint64_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_group_get_member_by_index(ctx, group, i, &found, &type, &name));
    CHECK_EQ(type, TILEDB_ARRAY);
    CHECK(strstr(found, name == NULL ? "/x" : "/y") != NULL);
    if (name != NULL) {
      CHECK_TEXT(name, "named");
      named++;
    }
    free(found);
    free(name);
  }
  CHECK_EQ(named, 1);
  CHECK_FAILS(
      ctx, tiledb_group_get_member_by_index(ctx, group, 2, &found, &type, &name), "2 is larger than member count 2");
  type = TILEDB_INVALID;
  CHECK_OK(ctx, tiledb_group_get_member_by_name(ctx, group, "named", &found, &type));
  CHECK_EQ(type, TILEDB_ARRAY);
  CHECK(strstr(found, "/y") != NULL);
  free(found);
  CHECK_FAILS(ctx, tiledb_group_get_member_by_name(ctx, group, "absent", &found, &type), "does not exist in group");
  CHECK_FAILS(ctx, tiledb_group_get_member_by_name(ctx, group, "named", NULL, &type), "Invalid output pointer");
  CHECK_FAILS(ctx, tiledb_group_get_member_by_index(ctx, group, 0, &found, NULL, &name), "Invalid output pointer");
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}

TEST_WITH(ctx, names_of_fragments_are_returned_as_c_strings) {
  char uri[128];
  const int32_t x[1] = {3}, number[1] = {30};
  const char *name = NULL, *fragment_uri = NULL;
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 8, 2, 0), uri);
  write_points(ctx, uri, 7, 1, x, number);
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &fragment_uri));
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_name(ctx, info, 0, &name));
  CHECK(strncmp(name, "__7_7_", 6) == 0);
  CHECK_TEXT(strrchr(fragment_uri, '/') + 1, name);
  CHECK_FAILS(ctx, tiledb_fragment_info_get_fragment_name(ctx, info, 1, &name), "Invalid fragment index");
  tiledb_fragment_info_free(&info);
}

/* A sparse array with the dimensions x (int32, 1 to 8) and text (ASCII), and four cells. */
static void create_texts(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[4] = {1, 2, 5, 8}, numbers[4] = {10, 20, 30, 40};
  char texts[] = "abbcccd";
  uint64_t starts[4] = {0, 1, 3, 6}, sizes[4] = {sizeof x, sizeof numbers, 7, sizeof starts};
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_SPARSE, new_dimension(ctx, "x", 8, 2), text_dimension(ctx, "text"));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "text", texts, &sizes[2]));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[3]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static void check_range(tiledb_ctx_t* ctx, tiledb_query_t* query, uint64_t index, int32_t first, int32_t last) {
  const void *start = NULL, *end = NULL, *stride = query;
  CHECK_OK(ctx, tiledb_query_get_range(ctx, query, 0, index, &start, &end, &stride));
  CHECK_EQ(*(const int32_t*)start, first);
  CHECK_EQ(*(const int32_t*)end, last);
  CHECK(stride == NULL);
  CHECK_OK(ctx, tiledb_query_get_range_from_name(ctx, query, "x", index, &start, &end, &stride));
  CHECK_EQ(*(const int32_t*)start, first);
  CHECK_EQ(*(const int32_t*)end, last);
}

static void check_text_range(
    tiledb_ctx_t* ctx, tiledb_query_t* query, uint64_t index, const char* first, const char* last) {
  uint64_t sizes[2] = {0, 0};
  char start[8] = "", end[8] = "";
  CHECK_OK(ctx, tiledb_query_get_range_var_size(ctx, query, 1, index, &sizes[0], &sizes[1]));
  CHECK_EQ(sizes[0], strlen(first));
  CHECK_EQ(sizes[1], strlen(last));
  CHECK_OK(ctx, tiledb_query_get_range_var(ctx, query, 1, index, start, end));
  CHECK_TEXT(start, first);
  CHECK_TEXT(end, last);
  sizes[0] = sizes[1] = 0;
  CHECK_OK(ctx, tiledb_query_get_range_var_size_from_name(ctx, query, "text", index, &sizes[0], &sizes[1]));
  CHECK_EQ(sizes[0], strlen(first));
  CHECK_EQ(sizes[1], strlen(last));
  memset(start, 0, sizeof start);
  CHECK_OK(ctx, tiledb_query_get_range_var_from_name(ctx, query, "text", index, start, end));
  CHECK_TEXT(start, first);
}

TEST_WITH(ctx, ranges_are_added_to_a_query) {
  char uri[128];
  const int32_t two = 2, five = 5, seven = 7, eight = 8, beyond = 77;
  uint64_t number = 0;
  create_texts(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_get_range_num(ctx, query, 0, &number));
  CHECK_EQ(number, 1);
  check_range(ctx, query, 0, 1, 8);
  CHECK_OK(ctx, tiledb_query_add_range(ctx, query, 0, &two, &two, NULL));
  CHECK_OK(ctx, tiledb_query_add_range_by_name(ctx, query, "x", &five, &five, NULL));
  /* Ranges of reads are cropped to the domain. */
  CHECK_OK(ctx, tiledb_query_add_range(ctx, query, 0, &seven, &beyond, NULL));
  CHECK_OK(ctx, tiledb_query_add_point_ranges(ctx, query, 0, &eight, 1));
  CHECK_OK(ctx, tiledb_query_get_range_num_from_name(ctx, query, "x", &number));
  CHECK_EQ(number, 4);
  check_range(ctx, query, 0, 2, 2);
  check_range(ctx, query, 1, 5, 5);
  check_range(ctx, query, 2, 7, 8);
  check_range(ctx, query, 3, 8, 8);
  CHECK_OK(ctx, tiledb_query_add_range_var(ctx, query, 1, "b", 1, "cz", 2));
  CHECK_OK(ctx, tiledb_query_add_range_var_by_name(ctx, query, "text", "d", 1, "d", 1));
  CHECK_OK(ctx, tiledb_query_get_range_num(ctx, query, 1, &number));
  CHECK_EQ(number, 2);
  check_text_range(ctx, query, 0, "b", "cz");
  check_text_range(ctx, query, 1, "d", "d");

  CHECK_FAILS(ctx, tiledb_query_add_range(ctx, query, 0, &two, &five, &two), "Stride is currently unsupported");
  CHECK_FAILS(ctx, tiledb_query_add_range(ctx, query, 0, NULL, &five, NULL), "Invalid range");
  CHECK_FAILS(ctx, tiledb_query_add_range(ctx, query, 7, &two, &five, NULL), "Invalid dimension index");
  CHECK_FAILS(ctx, tiledb_query_add_range(ctx, query, 1, &two, &five, NULL), "Range must be fixed-sized");
  CHECK_FAILS(ctx, tiledb_query_add_range(ctx, query, 0, &five, &two, NULL), "cannot be larger than");
  CHECK_FAILS(ctx, tiledb_query_add_range_by_name(ctx, query, "y", &two, &two, NULL), "Invalid dimension name");
  CHECK_FAILS(ctx, tiledb_query_add_point_ranges(ctx, query, 0, NULL, 1), "Invalid start pointer");
  CHECK_FAILS(ctx, tiledb_query_add_range_var(ctx, query, 0, "b", 1, "c", 1), "Range must be variable-sized");
  CHECK_FAILS(ctx, tiledb_query_add_range_var(ctx, query, 1, NULL, 1, "c", 1), "Invalid range");
  CHECK_FAILS(ctx, tiledb_query_add_range(ctx, NULL, 0, &two, &five, NULL), "Invalid TileDB query object");
  CHECK_OK(ctx, tiledb_query_get_range_num(ctx, query, 0, &number));
  CHECK_EQ(number, 4);

  int32_t numbers[8] = {0};
  uint64_t size = sizeof numbers;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  /* The last cell is in two of the ranges. */
  const int32_t expected[4] = {20, 30, 40, 40};
  CHECK_EQ(size, sizeof expected);
  CHECK(memcmp(numbers, expected, sizeof expected) == 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST_WITH(ctx, a_box_is_set_on_a_query) {
  char uri[128];
  const int32_t box[4] = {2, 3, 4, 5}, beyond[4] = {2, 3, 4, 60};
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_subarray(ctx, query, beyond));
  CHECK_OK(ctx, tiledb_query_set_subarray(ctx, query, NULL));
  CHECK_OK(ctx, tiledb_query_set_subarray(ctx, query, box));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  const int32_t expected[4] = {9, 10, 15, 16};
  CHECK_EQ(size, sizeof expected);
  CHECK(memcmp(numbers, expected, sizeof expected) == 0);
  CHECK_FAILS(ctx, tiledb_query_set_subarray(ctx, query, box), "already initialized");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

static atomic_int calls;

static void count_call(void* number) { atomic_fetch_add(&calls, *(const int*)number); }

TEST_WITH(ctx, the_callback_of_a_submit_is_called_once) {
  char uri[128];
  int one = 1;
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_query_status_t status = TILEDB_INPROGRESS;
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
  CHECK_OK(ctx, tiledb_query_set_subarray(ctx, query, whole));
  CHECK_FAILS(ctx, tiledb_query_submit_async(ctx, query, count_call, &one), "uffers not set");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_submit_async(ctx, query, count_call, &one));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof numbers);
  for (int i = 0; i < CELLS; i++) CHECK_EQ(numbers[i], i);
  for (int i = 0; i < 10000 && atomic_load(&calls) == 0; i++) {
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  CHECK_EQ(atomic_load(&calls), 1);
  CHECK_FAILS(ctx, tiledb_query_submit_async(ctx, NULL, count_call, &one), "Invalid TileDB query object");
  tiledb_query_free(&query);
  close_array(ctx, &array);
}
