/* Groups: adding and removing members over several opens, metadata, dumps, removal. */
#include "harness.h"

/*
 * Creates a group with the groups a, b and c in its folder; copies its path to `path` of 128
 * bytes.
 */
static void new_group(tiledb_ctx_t* ctx, char* path) {
  char member[160];
  snprintf(path, 128, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, path));
  for (const char* name = "abc"; *name; name++) {
    snprintf(member, sizeof member, "%s/%c", path, *name);
    CHECK_OK(ctx, tiledb_group_create(ctx, member));
  }
}

static tiledb_group_t* open_group(tiledb_ctx_t* ctx, const char* path, tiledb_query_type_t type) {
  tiledb_group_t* group = NULL;
  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, type));
  return group;
}

static void close_group(tiledb_ctx_t* ctx, tiledb_group_t* group) {
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
  CHECK(group == NULL);
}

static uint64_t count(tiledb_ctx_t* ctx, tiledb_group_t* group) {
  uint64_t number = 99;
  CHECK_OK(ctx, tiledb_group_get_member_count(ctx, group, &number));
  return number;
}

/* Returns whether a string ends with a text, and frees the string. */
static int ends_with(tiledb_string_t* string, const char* end) {
  const char* data = NULL;
  size_t length = 0, expected = strlen(end);
  CHECK(string != NULL);
  CHECK_EQ(tiledb_string_view(string, &data, &length), TILEDB_OK);
  int same = length >= expected && memcmp(data + length - expected, end, expected) == 0;
  CHECK_EQ(tiledb_string_free(&string), TILEDB_OK);
  return same;
}

TEST_WITH(ctx, groups_are_created_once_and_opened_by_uri) {
  char path[128];
  const char* uri = NULL;
  int32_t open = 9;
  tiledb_query_type_t type = (tiledb_query_type_t)99;
  tiledb_group_t* group = NULL;
  new_group(ctx, path);
  CHECK_FAILS(ctx, tiledb_group_create(ctx, path), "already exists");
  CHECK_ERROR(ctx, tiledb_group_create(ctx, NULL), "C API: argument `group_uri` may not be nullptr");
  CHECK_ERROR(ctx, tiledb_group_create(ctx, ""), "Group: Cannot create group ''; Invalid group URI");
  CHECK_ERROR(ctx, tiledb_group_alloc(ctx, NULL, &group), "C API: argument `group_uri` may not be nullptr");
  CHECK_FAILS(ctx, tiledb_group_alloc(ctx, path, NULL), "C API: Invalid output pointer for object");

  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_OK(ctx, tiledb_group_is_open(ctx, group, &open));
  CHECK_EQ(open, 0);
  CHECK_ERROR(ctx, tiledb_group_get_query_type(ctx, group, &type), "Group: Cannot get query_type; Group is not open");
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_ERROR(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE), "Group: Cannot open group; Group already open");
  CHECK_OK(ctx, tiledb_group_is_open(ctx, group, &open));
  CHECK_EQ(open, 1);
  CHECK_OK(ctx, tiledb_group_get_query_type(ctx, group, &type));
  CHECK_EQ(type, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_group_get_uri(ctx, group, &uri));
  CHECK_TEXT(uri, uri_of(path));
  close_group(ctx, group);

  snprintf(path, sizeof path, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_ERROR(ctx, tiledb_group_open(ctx, group, TILEDB_READ), "Group: Cannot open group; Group does not exist.");
  CHECK_ERROR(ctx, tiledb_group_open(ctx, NULL, TILEDB_READ), "C API: Invalid TileDB group object");
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
  tiledb_group_free(&group);
}

TEST_WITH(ctx, members_are_returned_by_name_and_index) {
  char path[128], absolute[160];
  tiledb_string_t *uri = NULL, *name = NULL;
  tiledb_object_t type = (tiledb_object_t)99;
  uint8_t relative = 9;
  uint64_t number = 0;
  new_group(ctx, path);
  snprintf(absolute, sizeof absolute, "%s/c", path);

  tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "a", 1, "A"));
  CHECK_ERROR(ctx, tiledb_group_add_member(ctx, group, "b", 1, "A"),
      "Group Details: Cannot add group member A, a member with the same name or URI has already been added.");
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "b", 1, NULL));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, absolute, 0, "C"));
  CHECK_OK(ctx, tiledb_group_add_member_with_type(ctx, group, "later", 1, "L", TILEDB_ARRAY));
  CHECK_ERROR(ctx, tiledb_group_add_member_with_type(ctx, group, "later", 1, "M", TILEDB_INVALID),
      "C API: Invalid object `type`");
  CHECK_FAILS(ctx, tiledb_group_get_member_count(ctx, group, &number),
      "Group: Cannot get member; Group was not opened in read mode");
  close_group(ctx, group);

  group = open_group(ctx, path, TILEDB_READ);
  CHECK_EQ(count(ctx, group), 4);
  CHECK_OK(ctx, tiledb_group_get_member_by_name_v2(ctx, group, "A", &uri, &type));
  CHECK(ends_with(uri, "/a"));
  CHECK_EQ(type, TILEDB_GROUP);
  CHECK_OK(ctx, tiledb_group_get_member_by_name_v2(ctx, group, "L", &uri, &type));
  CHECK(ends_with(uri, "/later"));
  CHECK_EQ(type, TILEDB_ARRAY);
  CHECK_ERROR(ctx, tiledb_group_get_member_by_name_v2(ctx, group, "b", &uri, &type),
      "Group Details: b does not exist in group");
  CHECK_OK(ctx, tiledb_group_get_is_relative_uri_by_name(ctx, group, "A", &relative));
  CHECK_EQ(relative, 1);
  CHECK_OK(ctx, tiledb_group_get_is_relative_uri_by_name(ctx, group, "C", &relative));
  CHECK_EQ(relative, 0);
  int unnamed = 0;
  for (uint64_t index = 0; index < 4; index++) {
    CHECK_OK(ctx, tiledb_group_get_member_by_index_v2(ctx, group, index, &uri, &type, &name));
    if (name == NULL) {
      unnamed++;
      CHECK(ends_with(uri, "/b"));
    } else {
      CHECK_EQ(tiledb_string_free(&uri), TILEDB_OK);
      CHECK_EQ(tiledb_string_free(&name), TILEDB_OK);
    }
  }
  CHECK_EQ(unnamed, 1);
  CHECK_ERROR(ctx, tiledb_group_get_member_by_index_v2(ctx, group, 99, &uri, &type, &name),
      "Group Details: index 99 is larger than member count 4");
  CHECK_ERROR(ctx, tiledb_group_add_member(ctx, group, "a", 1, NULL),
      by_release("Group: Cannot add member; Group was not opened in write or modify_exclusive mode",
          "Group: Cannot add member; Group was not opened in write mode"));
  close_group(ctx, group);
}

TEST_WITH(ctx, members_are_removed_by_name_or_by_an_unambiguous_uri) {
  char path[128];
  new_group(ctx, path);
  tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "a", 1, "one"));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "a", 1, "two"));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "b", 1, "three"));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "c", 1, NULL));
  CHECK_ERROR(ctx, tiledb_group_remove_member(ctx, group, "one"),
      "Group Details: Cannot remove group member one, member does not exist in group.");
  close_group(ctx, group);
  wait_a_moment();

  group = open_group(ctx, path, TILEDB_WRITE);
  CHECK_ERROR(ctx, tiledb_group_remove_member(ctx, group, "a"),
      "Group Details: Cannot remove group member a, there are multiple members with the same URI, please remove by name.");
  CHECK_OK(ctx, tiledb_group_remove_member(ctx, group, "one"));
  CHECK_OK(ctx, tiledb_group_remove_member(ctx, group, "b"));
  CHECK_ERROR(ctx, tiledb_group_remove_member(ctx, group, "b"),
      "Group Details: Cannot remove group member three, a member with the same name or URI has already been removed.");
  CHECK_OK(ctx, tiledb_group_remove_member(ctx, group, "c"));
  CHECK_ERROR(ctx, tiledb_group_remove_member(ctx, group, NULL), "C API: argument `name` may not be nullptr");
  close_group(ctx, group);

  group = open_group(ctx, path, TILEDB_READ);
  CHECK_EQ(count(ctx, group), 1);
  tiledb_string_t* uri = NULL;
  tiledb_object_t type;
  CHECK_OK(ctx, tiledb_group_get_member_by_name_v2(ctx, group, "two", &uri, &type));
  CHECK(ends_with(uri, "/a"));
  close_group(ctx, group);
}

TEST_WITH(ctx, open_timestamps_can_be_set_in_the_configuration) {
  char path[128];
  tiledb_config_t* config = config_with(NULL, NULL);
  tiledb_group_t* group = NULL;
  const char* members[] = {"a", "b"};
  const char* times[] = {"1000", "2000"};
  new_group(ctx, path);
  for (int i = 0; i < 2; i++) {
    set_param(config, "sm.group.timestamp_end", times[i]);
    CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
    CHECK_OK(ctx, tiledb_group_set_config(ctx, group, config));
    CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
    CHECK_OK(ctx, tiledb_group_add_member(ctx, group, members[i], 1, NULL));
    CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "at", TILEDB_INT32, 1, &i));
    CHECK_ERROR(ctx, tiledb_group_set_config(ctx, group, config), "Group: [set_config] Cannot set config; Group is open");
    close_group(ctx, group);
  }
  for (uint64_t seen = 0; seen <= 2; seen++) {
    const char* ends[] = {"999", "1000", "3000"};
    uint64_t keys = 9;
    set_param(config, "sm.group.timestamp_end", ends[seen]);
    CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
    CHECK_OK(ctx, tiledb_group_set_config(ctx, group, config));
    CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
    CHECK_EQ(count(ctx, group), seen);
    CHECK_OK(ctx, tiledb_group_get_metadata_num(ctx, group, &keys));
    CHECK_EQ(keys, seen > 0);
    close_group(ctx, group);
  }
  tiledb_config_free(&config);
}

TEST_WITH(ctx, metadata_is_put_read_consolidated_and_vacuumed) {
  char path[128];
  tiledb_datatype_t type = (tiledb_datatype_t)99;
  uint32_t number = 0, length = 0;
  const void* value = NULL;
  const char* key = NULL;
  int32_t has = 9;
  uint64_t keys = 9;
  new_group(ctx, path);
  for (int32_t round = 0; round < 3; round++) {
    tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
    CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "round", TILEDB_INT32, 1, &round));
    if (round == 0)
      CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "gone", TILEDB_INT32, 1, &round));
    else
      CHECK_OK(ctx, tiledb_group_delete_metadata(ctx, group, "gone"));
    CHECK_ERROR(ctx, tiledb_group_put_metadata(ctx, group, NULL, TILEDB_INT32, 1, &round),
        "C API: argument `key` may not be nullptr");
    CHECK_ERROR(ctx, tiledb_group_put_metadata(ctx, group, "any", TILEDB_ANY, 1, &round),
        "Group: Cannot put metadata; Value type cannot be ANY");
    CHECK_ERROR(ctx, tiledb_group_get_metadata(ctx, group, "round", &type, &number, &value),
        "Group: Cannot get metadata; Group was not opened in read mode");
    close_group(ctx, group);
    wait_a_moment();
  }
  for (int step = 0; step < 3; step++) {
    tiledb_group_t* group = open_group(ctx, path, TILEDB_READ);
    CHECK_OK(ctx, tiledb_group_get_metadata_num(ctx, group, &keys));
    CHECK_EQ(keys, 1);
    CHECK_OK(ctx, tiledb_group_get_metadata(ctx, group, "round", &type, &number, &value));
    CHECK_EQ(type, TILEDB_INT32);
    CHECK_EQ(number, 1);
    CHECK_EQ(*(const int32_t*)value, 2);
    CHECK_OK(ctx, tiledb_group_get_metadata_from_index(ctx, group, 0, &key, &length, &type, &number, &value));
    CHECK(length == 5 && memcmp(key, "round", 5) == 0);
    CHECK_OK(ctx, tiledb_group_has_metadata_key(ctx, group, "gone", &type, &has));
    CHECK_EQ(has, 0);
    CHECK_ERROR(ctx, tiledb_group_put_metadata(ctx, group, "k", TILEDB_INT32, 1, &step),
        by_release("Group: Cannot put metadata; Group was not opened in write or modify_exclusive mode",
            "Group: Cannot put metadata; Group was not opened in write mode"));
    close_group(ctx, group);
    if (step == 0)
      CHECK_OK(ctx, tiledb_group_consolidate_metadata(ctx, path, NULL));
    else
      CHECK_OK(ctx, tiledb_group_vacuum_metadata(ctx, path, NULL));
  }
  CHECK_ERROR(ctx, tiledb_group_consolidate_metadata(ctx, "/nowhere/at/all", NULL),
      "Group: Cannot consolidate group metadata; Group does not exist");
}

TEST_WITH(ctx, recursive_dumps_do_not_descend_into_a_parent_group) {
  char path[128], inner[160];
  const char* text = NULL;
  size_t length = 0;
  new_group(ctx, path);
  snprintf(inner, sizeof inner, "%s/a", path);
  tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "a", 1, "A"));
  close_group(ctx, group);
  group = open_group(ctx, inner, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, path, 0, "up"));
  close_group(ctx, group);
  for (uint8_t recursive = 0; recursive <= 1; recursive++) {
    tiledb_string_t* dump = NULL;
    group = open_group(ctx, path, TILEDB_READ);
    CHECK_OK(ctx, tiledb_group_dump_str_v2(ctx, group, &dump, recursive));
    CHECK_EQ(tiledb_string_view(dump, &text, &length), TILEDB_OK);
    const char* lines = (const char*)memchr(text, '\n', length);
    CHECK_TEXT(lines, recursive ? "\n|-- A GROUP\n|------ up GROUP\n" : "\n|-- A GROUP\n");
    CHECK_EQ(tiledb_string_free(&dump), TILEDB_OK);
    close_group(ctx, group);
  }
}

TEST_WITH(ctx, a_group_is_removed_alone_or_with_its_members) {
  char path[128], inner[160];
  tiledb_object_t type = (tiledb_object_t)99;
  for (uint8_t recursive = 0; recursive <= 1; recursive++) {
    new_group(ctx, path);
    snprintf(inner, sizeof inner, "%s/a", path);
    tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
    CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "a", 1, NULL));
    if (is_2_31()) {
      /* A group that is open for writing can be deleted; one that is open for reading cannot. */
      close_group(ctx, group);
      group = open_group(ctx, path, TILEDB_READ);
    }
    CHECK_ERROR(ctx, tiledb_group_delete_group(ctx, group, path, recursive),
        by_release("Group: [delete_group] Query type must be MODIFY_EXCLUSIVE",
            "Group: [delete_group] Query type must be WRITE"));
    CHECK_OK(ctx, tiledb_group_close(ctx, group));
    CHECK_ERROR(ctx, tiledb_group_delete_group(ctx, group, path, recursive), "Group: [delete_group] Group is not open");
    tiledb_group_free(&group);
    group = open_group(ctx, path, is_2_31() ? TILEDB_WRITE : TILEDB_MODIFY_EXCLUSIVE);
    CHECK_OK(ctx, tiledb_group_delete_group(ctx, group, path, recursive));
    tiledb_group_free(&group);
    CHECK_OK(ctx, tiledb_object_type(ctx, path, &type));
    CHECK_EQ(type, TILEDB_INVALID);
    CHECK_OK(ctx, tiledb_object_type(ctx, inner, &type));
    CHECK_EQ(type, recursive ? TILEDB_INVALID : TILEDB_GROUP);
  }
}

TEST_WITH(ctx, a_missing_group_cannot_be_deleted) {
  char path[128];
  int32_t is_open = 0;
  new_group(ctx, path);
  tiledb_group_t* group = open_group(ctx, path, TILEDB_MODIFY_EXCLUSIVE);
  CHECK_ERROR(ctx, tiledb_group_delete_group(ctx, group, scratch_file(), 0),
              "Group: Cannot open group; Group does not exist.");
  CHECK_OK(ctx, tiledb_group_is_open(ctx, group, &is_open));
  CHECK_EQ(is_open, 1);
  close_group(ctx, group);
}

TEST(metadata_of_an_encrypted_group_is_consolidated_with_its_key) {
  char path[128];
  tiledb_ctx_t* ctx = NULL;
  tiledb_config_t *config = config_with("sm.encryption_type", "AES_256_GCM"), *found = NULL;
  tiledb_error_t* error = NULL;
  const char* text = NULL;
  uint64_t num = 0;
  set_param(config, "sm.encryption_key", "0123456789abcdeF0123456789abcdeF");
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  new_group(ctx, path);
  for (int32_t i = 0; i < 3; i++) {
    char key[2] = {(char)('a' + i), 0};
    tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
    CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, key, TILEDB_INT32, 1, &i));
    if (i == 2) CHECK_OK(ctx, tiledb_group_delete_metadata(ctx, group, "a"));
    close_group(ctx, group);
    wait_a_moment();
  }
  CHECK_OK(ctx, tiledb_group_consolidate_metadata(ctx, path, config));
  CHECK_OK(ctx, tiledb_group_vacuum_metadata(ctx, path, config));
  tiledb_group_t* group = open_group(ctx, path, TILEDB_READ);
  CHECK_OK(ctx, tiledb_group_get_metadata_num(ctx, group, &num));
  CHECK_EQ(num, 2);
  const char* key = NULL;
  uint32_t key_len = 0, values = 0;
  tiledb_datatype_t type = TILEDB_ANY;
  const void* value = NULL;
  for (uint64_t i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_group_get_metadata_from_index(ctx, group, i, &key, &key_len, &type, &values, &value));
    CHECK(type == TILEDB_INT32 && values == 1 && *(const int32_t*)value == (int32_t)i + 1);
  }
  CHECK_FAILS(ctx, tiledb_group_get_metadata_from_index(ctx, group, 2, &key, &key_len, &type, &values, &value),
      "index out of bounds");
  CHECK_OK(ctx, tiledb_group_get_config(ctx, group, &found));
  CHECK_EQ(tiledb_config_get(found, "sm.encryption_type", &text, &error), TILEDB_OK);
  CHECK_TEXT(text, "AES_256_GCM");
  CHECK_FAILS(ctx, tiledb_group_set_config(ctx, group, config), "Group");
  close_group(ctx, group);
  tiledb_config_free(&found);
  tiledb_config_free(&config);
  tiledb_ctx_free(&ctx);
}

TEST_WITH(ctx, all_functions_reject_a_null_group) {
  const char *text = NULL, *null_handle = "Invalid TileDB group object";
  uint64_t number = 0;
  uint32_t small = 0, values = 0;
  int32_t flag = 0;
  uint8_t relative = 0;
  const void* value = NULL;
  tiledb_datatype_t datatype = TILEDB_ANY;
  tiledb_object_t kind = TILEDB_INVALID;
  tiledb_query_type_t type = TILEDB_READ;
  tiledb_string_t *uri = NULL, *name = NULL;
  tiledb_config_t* config = NULL;
  CHECK_NEEDS(ctx, null_handle, tiledb_group_close, NULL);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_set_config, NULL, NULL);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_config, NULL, &config);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_put_metadata, NULL, "k", TILEDB_INT32, 1, &flag);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_delete_metadata, NULL, "k");
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_metadata, NULL, "k", &datatype, &values, &value);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_metadata_num, NULL, &number);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_metadata_from_index, NULL, 0, &text, &small, &datatype, &values, &value);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_has_metadata_key, NULL, "k", &datatype, &flag);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_add_member, NULL, "a", 1, NULL);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_remove_member, NULL, "a");
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_member_count, NULL, &number);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_member_by_index_v2, NULL, 0, &uri, &kind, &name);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_member_by_name_v2, NULL, "a", &uri, &kind);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_is_relative_uri_by_name, NULL, "a", &relative);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_is_open, NULL, &flag);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_uri, NULL, &text);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_get_query_type, NULL, &type);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_dump_str_v2, NULL, &uri, 0);
  CHECK_NEEDS(ctx, null_handle, tiledb_group_delete_group, NULL, "a", 0);
  CHECK_FAILS(ctx, tiledb_group_consolidate_metadata(ctx, scratch(), NULL), "Group does not exist");
  CHECK_NEEDS(ctx, "C API: argument `group_uri` may not be nullptr", tiledb_group_vacuum_metadata, NULL, NULL);
  CHECK_FAILS(ctx, tiledb_group_vacuum_metadata(ctx, scratch(), NULL), "Group does not exist");
}

TEST_WITH(ctx, dumps_mark_missing_members) {
  char path[128], member[160];
  tiledb_string_t* dump = NULL;
  new_group(ctx, path);
  snprintf(member, sizeof member, "%s/a", path);
  tiledb_group_t* group = open_group(ctx, path, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, "a", 1, "A"));
  close_group(ctx, group);
  CHECK_OK(ctx, tiledb_object_remove(ctx, member));
  group = open_group(ctx, path, TILEDB_READ);
  CHECK_OK(ctx, tiledb_group_dump_str_v2(ctx, group, &dump, 1));
  const char* text = NULL;
  size_t length = 0;
  CHECK_EQ(tiledb_string_view(dump, &text, &length), TILEDB_OK);
  const char* lines = (const char*)memchr(text, '\n', length);
  CHECK_TEXT(lines, "\n|-- A GROUP (does not exist)\n");
  CHECK_EQ(tiledb_string_free(&dump), TILEDB_OK);
  close_group(ctx, group);
}

TEST_WITH(ctx, wrong_arguments_of_groups_are_errors) {
  char path[128];
  const char *null_output = "C API: Invalid output pointer for object", *no_key = "C API: argument `key` may not be nullptr";
  tiledb_group_t* group = NULL;
  tiledb_string_t* uri = NULL;
  tiledb_object_t kind = TILEDB_INVALID;
  tiledb_datatype_t type = TILEDB_BLOB;
  uint32_t number = 9;
  uint64_t count = 9;
  int32_t has = 9;
  uint8_t relative = 9;
  const void* value = &number;
  new_group(ctx, path);
  CHECK_OK(ctx, tiledb_group_alloc(ctx, path, &group));
  CHECK_EQ(tiledb_group_open(ctx, group, (tiledb_query_type_t)50), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_group_open(ctx, group, TILEDB_DELETE), "Group: Cannot open group; Unsupported query type");
  CHECK_ERROR(ctx, tiledb_group_get_member_count(ctx, group, &count), "Group: Cannot get member count; Group is not open");
  CHECK_ERROR(ctx, tiledb_group_put_metadata(ctx, group, "k", TILEDB_INT32, 1, &has),
      "Group: Cannot put metadata; Group is not open");
  CHECK_ERROR(ctx, tiledb_group_get_metadata_num(ctx, group, &count),
      "Group: Cannot get number of metadata; Group is not open");
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_ERROR(ctx, tiledb_group_add_member(ctx, group, NULL, 1, "a"), "C API: argument `group_uri` may not be nullptr");
  CHECK_ERROR(ctx, tiledb_group_delete_metadata(ctx, group, NULL), no_key);
  CHECK_OK(ctx, tiledb_group_delete_metadata(ctx, group, "never was"));
  CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "empty", TILEDB_INT32, 0, NULL));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
  CHECK_ERROR(ctx, tiledb_group_get_metadata(ctx, group, NULL, &type, &number, &value), no_key);
  CHECK_ERROR(ctx, tiledb_group_has_metadata_key(ctx, group, NULL, &type, &has), no_key);
  CHECK_OK(ctx, tiledb_group_get_metadata(ctx, group, "none", &type, &number, &value));
  CHECK(value == NULL && number == 9);
  CHECK_OK(ctx, tiledb_group_get_metadata(ctx, group, "empty", &type, &number, &value));
  CHECK(value == NULL && number == 1 && type == TILEDB_INT32);
  CHECK_EQ(tiledb_group_get_member_by_name_v2(ctx, group, NULL, &uri, &kind), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_group_get_is_relative_uri_by_name(ctx, group, NULL, &relative),
      "C API: argument `name` may not be nullptr");
  CHECK_ERROR(ctx, tiledb_group_get_is_relative_uri_by_name(ctx, group, "unknown", &relative),
      "Group Details: unknown does not exist in group");
  CHECK_FAILS(ctx, tiledb_group_get_member_count(ctx, group, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_group_get_metadata_num(ctx, group, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_group_is_open(ctx, group, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_group_get_query_type(ctx, group, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_group_get_uri(ctx, group, NULL), null_output);
  CHECK_FAILS(ctx, tiledb_group_dump_str_v2(ctx, group, NULL, 0), null_output);
  CHECK_ERROR(ctx, tiledb_group_delete_group(ctx, group, NULL, 0), "C API: argument `group_uri` may not be nullptr");
  CHECK(uri == NULL);
  close_group(ctx, group);
}
