/* Snapshots of groups: one timestamp, concurrent writers, cycles, missing members. */
#include "arrays.h"

#include <pthread.h>

enum { SNAPSHOTS = 30 };

/* The timestamp of a snapshot at the current time. */
static const uint64_t NOW = UINT64_MAX;
/* Instead of the index of a member: the group that was opened. */
static const uint64_t OPENED_GROUP = UINT64_MAX;

static void add_member(tiledb_ctx_t* ctx, const char* group_uri, const char* member, const char* name) {
  tiledb_group_t* group = NULL;
  CHECK_OK(ctx, tiledb_group_alloc(ctx, group_uri, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, member, 0, name));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}

static void put_number(tiledb_ctx_t* ctx, const char* group_uri, int32_t number) {
  tiledb_group_t* group = NULL;
  CHECK_OK(ctx, tiledb_group_alloc(ctx, group_uri, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "number", TILEDB_INT32, 1, &number));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}

/* A group with the array "a" and the group "inner", which has the array "b". */
typedef struct {
  char root[128], inner[128], a[128], b[128];
} Tree;

static void new_tree(tiledb_ctx_t* ctx, Tree* tree) {
  snprintf(tree->root, sizeof tree->root, "%s", scratch());
  snprintf(tree->inner, sizeof tree->inner, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, tree->root));
  CHECK_OK(ctx, tiledb_group_create(ctx, tree->inner));
  create_with(ctx, new_number_schema(ctx), tree->a);
  create_with(ctx, new_number_schema(ctx), tree->b);
  add_member(ctx, tree->root, tree->a, "a");
  add_member(ctx, tree->root, tree->inner, "inner");
  add_member(ctx, tree->inner, tree->b, "b");
}

static tiledb_rs_group_snapshot_t* open_snapshot(tiledb_ctx_t* ctx, const char* uri, uint64_t timestamp) {
  tiledb_rs_group_snapshot_t* snapshot = NULL;
  CHECK_OK(ctx, tiledb_rs_group_snapshot_open(ctx, uri, NULL, timestamp, &snapshot));
  return snapshot;
}

/* Returns whether a string equals a text, and frees the string. Null equals null. */
static int string_is(tiledb_string_t* string, const char* text) {
  const char* data = NULL;
  size_t length = 0;
  if (string == NULL) return text == NULL;
  CHECK_EQ(tiledb_string_view(string, &data, &length), TILEDB_OK);
  int same = text != NULL && length == strlen(text) && memcmp(data, text, length) == 0;
  CHECK_EQ(tiledb_string_free(&string), TILEDB_OK);
  return same;
}

/* Checks a member, and the index of the group that contains it. */
static void check_member(
    tiledb_ctx_t* ctx, tiledb_rs_group_snapshot_t* snapshot, uint64_t index, const char* path, tiledb_object_t type,
    const char* name, uint64_t group) {
  tiledb_string_t *uri = NULL, *found = NULL;
  tiledb_object_t kind = TILEDB_INVALID;
  uint64_t in = 99;
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_member(ctx, snapshot, index, &uri, &kind, &found, &in));
  CHECK(string_is(uri, uri_of(path)));
  CHECK(string_is(found, name));
  CHECK_EQ(kind, type);
  CHECK_EQ(in, group);
}

/* Returns the first number of a member, which is an array whose cells are all equal. */
static int32_t number_of(tiledb_ctx_t* ctx, tiledb_rs_group_snapshot_t* snapshot, uint64_t index) {
  tiledb_array_t* array = NULL;
  int32_t numbers[CELLS];
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_array(ctx, snapshot, index, &array));
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, whole, numbers), CELLS);
  for (int i = 1; i < CELLS; i++) CHECK_EQ(numbers[i], numbers[0]);
  tiledb_array_free(&array);
  return numbers[0];
}

/* Writes a number to all cells of an array. */
static void write_number(tiledb_ctx_t* ctx, const char* uri, uint64_t time, int32_t number) {
  int32_t numbers[CELLS];
  for (int i = 0; i < CELLS; i++) numbers[i] = number;
  write_box(ctx, uri, time, whole, numbers);
}

TEST_WITH(ctx, a_snapshot_lists_all_members_with_their_groups) {
  Tree tree;
  uint64_t number = 0;
  new_tree(ctx, &tree);
  tiledb_rs_group_snapshot_t* snapshot = open_snapshot(ctx, tree.root, NOW);
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_member_num(ctx, snapshot, &number));
  CHECK_EQ(number, 3);
  check_member(ctx, snapshot, 0, tree.a, TILEDB_ARRAY, "a", OPENED_GROUP);
  check_member(ctx, snapshot, 1, tree.inner, TILEDB_GROUP, "inner", OPENED_GROUP);
  check_member(ctx, snapshot, 2, tree.b, TILEDB_ARRAY, "b", 1);
  tiledb_rs_group_snapshot_free(&snapshot);
  CHECK(snapshot == NULL);
  tiledb_rs_group_snapshot_free(&snapshot);
  tiledb_rs_group_snapshot_free(NULL);
}

TEST_WITH(ctx, all_members_are_open_at_one_timestamp) {
  Tree tree;
  uint64_t timestamp = 0;
  const uint64_t arrays[] = {0, 2};
  new_tree(ctx, &tree);
  write_number(ctx, tree.a, 0, 1);
  write_number(ctx, tree.b, 0, 1);
  tiledb_rs_group_snapshot_t* snapshot = open_snapshot(ctx, tree.root, NOW);
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_timestamp(ctx, snapshot, &timestamp));
  write_number(ctx, tree.a, 0, 2);
  write_number(ctx, tree.b, 0, 2);
  for (int i = 0; i < 2; i++) {
    tiledb_array_t* array = NULL;
    tiledb_query_type_t type = TILEDB_WRITE;
    uint64_t end = 0;
    int32_t open = 0;
    CHECK_OK(ctx, tiledb_rs_group_snapshot_get_array(ctx, snapshot, arrays[i], &array));
    CHECK_OK(ctx, tiledb_array_is_open(ctx, array, &open));
    CHECK_EQ(open, 1);
    CHECK_OK(ctx, tiledb_array_get_query_type(ctx, array, &type));
    CHECK_EQ(type, TILEDB_READ);
    CHECK_OK(ctx, tiledb_array_get_open_timestamp_end(ctx, array, &end));
    CHECK_EQ(end, timestamp);
    close_array(ctx, &array);
    CHECK_EQ(number_of(ctx, snapshot, arrays[i]), 1);
  }
  tiledb_rs_group_snapshot_t* again = open_snapshot(ctx, tree.root, timestamp);
  tiledb_rs_group_snapshot_t* later = open_snapshot(ctx, tree.root, NOW);
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(number_of(ctx, again, arrays[i]), 1);
    CHECK_EQ(number_of(ctx, later, arrays[i]), 2);
  }
  tiledb_rs_group_snapshot_free(&again);
  tiledb_rs_group_snapshot_free(&later);
  tiledb_rs_group_snapshot_free(&snapshot);
}

TEST_WITH(ctx, handles_stay_valid_after_the_snapshot) {
  Tree tree;
  tiledb_array_t *array = NULL, *other = NULL;
  tiledb_group_t* group = NULL;
  int32_t numbers[CELLS];
  const void* value = NULL;
  tiledb_datatype_t type;
  uint32_t per_value = 0;
  uint64_t members = 0;
  new_tree(ctx, &tree);
  write_number(ctx, tree.a, 0, 7);
  put_number(ctx, tree.inner, 7);
  tiledb_rs_group_snapshot_t* snapshot = open_snapshot(ctx, tree.root, NOW);
  put_number(ctx, tree.inner, 8);
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_array(ctx, snapshot, 0, &array));
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_array(ctx, snapshot, 0, &other));
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_group(ctx, snapshot, 1, &group));
  tiledb_rs_group_snapshot_free(&snapshot);
  close_array(ctx, &other);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, whole, numbers), CELLS);
  CHECK_EQ(numbers[0], 7);
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_group_get_metadata(ctx, group, "number", &type, &per_value, &value));
  CHECK(value != NULL && *(const int32_t*)value == 7);
  CHECK_OK(ctx, tiledb_group_get_member_count(ctx, group, &members));
  CHECK_EQ(members, 1);
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}

TEST_WITH(ctx, groups_that_contain_one_another_are_listed_once_per_membership) {
  Tree tree;
  uint64_t number = 0;
  new_tree(ctx, &tree);
  add_member(ctx, tree.inner, tree.root, "outer");
  add_member(ctx, tree.inner, tree.a, "a again");
  add_member(ctx, tree.inner, tree.inner, "self");
  tiledb_rs_group_snapshot_t* snapshot = open_snapshot(ctx, tree.root, NOW);
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_member_num(ctx, snapshot, &number));
  CHECK_EQ(number, 6);
  check_member(ctx, snapshot, 2, tree.a, TILEDB_ARRAY, "a again", 1);
  check_member(ctx, snapshot, 3, tree.b, TILEDB_ARRAY, "b", 1);
  check_member(ctx, snapshot, 4, tree.root, TILEDB_GROUP, "outer", 1);
  check_member(ctx, snapshot, 5, tree.inner, TILEDB_GROUP, "self", 1);
  tiledb_rs_group_snapshot_free(&snapshot);
}

TEST_WITH(ctx, a_missing_member_is_reported_with_its_uri) {
  Tree tree;
  char missing[128];
  tiledb_rs_group_snapshot_t* snapshot = NULL;
  new_tree(ctx, &tree);
  CHECK_OK(ctx, tiledb_object_remove(ctx, tree.b));
  CHECK_FAILS(ctx, tiledb_rs_group_snapshot_open(ctx, tree.root, NULL, NOW, &snapshot), uri_of(tree.b));
  CHECK(strstr(harness_error(ctx), "does not exist") != NULL);
  CHECK(strstr(harness_error(ctx), uri_of(tree.inner)) != NULL);

  new_tree(ctx, &tree);
  snprintf(missing, sizeof missing, "%s", scratch());
  add_member(ctx, tree.root, missing, NULL);
  CHECK_FAILS(ctx, tiledb_rs_group_snapshot_open(ctx, tree.root, NULL, NOW, &snapshot), uri_of(missing));
  CHECK(snapshot == NULL);
}

/* A thread that writes the same number to the arrays of a tree, one after the other. */
typedef struct {
  const Tree* tree;
  int in_the_past; /* whether the timestamps are 2, 3, ... instead of the time of the write */
  volatile int stop;
  int failed;
} Writer;

/* As write_number, but returns whether it succeeded: checks end a test in the main thread only. */
static int write_in_thread(tiledb_ctx_t* ctx, const char* uri, uint64_t time, int32_t number) {
  int32_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  for (int i = 0; i < CELLS; i++) numbers[i] = number;
  int ok = tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK &&
           tiledb_array_set_open_timestamp_end(ctx, array, time) == TILEDB_OK &&
           tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK &&
           tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK &&
           tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK &&
           tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size) == TILEDB_OK &&
           tiledb_query_submit(ctx, query) == TILEDB_OK && tiledb_array_close(ctx, array) == TILEDB_OK;
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  return ok;
}

static void* write_rounds(void* argument) {
  Writer* writer = argument;
  tiledb_ctx_t* ctx = NULL;
  int ok = tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK;
  for (int32_t number = 1; ok && !writer->stop; number++) {
    uint64_t time = writer->in_the_past ? (uint64_t)number + 1 : 0;
    ok = write_in_thread(ctx, writer->tree->a, time, number) && write_in_thread(ctx, writer->tree->b, time, number);
    for (int pause = 0; pause < 1 + number % 4; pause++) wait_a_moment();
  }
  writer->failed = !ok;
  tiledb_ctx_free(&ctx);
  return NULL;
}

/*
 * Opens snapshots during writes. The array "a" is always written first, so that its number may be
 * one ahead of that of "b", but never behind it.
 */
static void check_during_writes(tiledb_ctx_t* ctx, int in_the_past) {
  Tree tree;
  pthread_t thread;
  Writer writer = {&tree, in_the_past, 0, 0};
  int wrong = 0, differing = 0, snapshots = 0;
  int32_t first = 0, last = 0;
  new_tree(ctx, &tree);
  write_number(ctx, tree.a, 1, 0);
  write_number(ctx, tree.b, 1, 0);
  CHECK_EQ(pthread_create(&thread, NULL, write_rounds, &writer), 0);
  /* On a busy machine, the writer may need more time than these snapshots. */
  for (int i = 0; i < SNAPSHOTS || (last == first && i < 100 * SNAPSHOTS); i++) {
    if (i >= SNAPSHOTS) wait_a_moment();
    tiledb_rs_group_snapshot_t* snapshot = NULL;
    if (tiledb_rs_group_snapshot_open(ctx, tree.root, NULL, NOW, &snapshot) != TILEDB_OK) {
      wrong++;
      continue;
    }
    int32_t a = number_of(ctx, snapshot, 0), b = number_of(ctx, snapshot, 2);
    wrong += a != b && a != b + 1;
    differing += a != b;
    if (snapshots++ == 0) first = b;
    last = b;
    tiledb_rs_group_snapshot_free(&snapshot);
  }
  writer.stop = 1;
  CHECK_EQ(pthread_join(thread, NULL), 0);
  printf("    %d snapshots from %d to %d, %d between two writes\n", snapshots, (int)first, (int)last, differing);
  CHECK_EQ(writer.failed, 0);
  CHECK_EQ(wrong, 0);
  CHECK(last > first);
}

TEST_WITH(ctx, writes_during_the_opens_are_visible_in_all_members_or_in_none) { check_during_writes(ctx, 0); }

TEST_WITH(ctx, writes_with_earlier_timestamps_are_visible_in_all_members_or_in_none) { check_during_writes(ctx, 1); }

TEST_WITH(ctx, invalid_arguments_are_errors) {
  Tree tree;
  uint64_t number = 0;
  tiledb_string_t *uri = NULL, *name = NULL;
  tiledb_object_t type;
  tiledb_array_t* array = NULL;
  tiledb_group_t* group = NULL;
  tiledb_rs_group_snapshot_t* made = NULL;
  new_tree(ctx, &tree);
  CHECK_NEEDS(ctx, "group_uri", tiledb_rs_group_snapshot_open, NULL, NULL, NOW, &made);
  CHECK_NEEDS(ctx, "snapshot", tiledb_rs_group_snapshot_open, tree.root, NULL, NOW, NULL);
  CHECK_NEEDS(ctx, "does not exist", tiledb_rs_group_snapshot_open, tree.a, NULL, NOW, &made);
  tiledb_rs_group_snapshot_t* snapshot = open_snapshot(ctx, tree.root, NOW);
  CHECK_NEEDS(ctx, "group snapshot", tiledb_rs_group_snapshot_get_timestamp, NULL, &number);
  CHECK_NEEDS(ctx, "null", tiledb_rs_group_snapshot_get_timestamp, snapshot, NULL);
  CHECK_NEEDS(ctx, "group snapshot", tiledb_rs_group_snapshot_get_member_num, NULL, &number);
  CHECK_NEEDS(ctx, "larger than member count", tiledb_rs_group_snapshot_get_member, snapshot, 3, &uri, &type, &name, &number);
  CHECK_NEEDS(ctx, "null", tiledb_rs_group_snapshot_get_member, snapshot, 0, &uri, &type, &name, NULL);
  CHECK_NEEDS(ctx, "not an array", tiledb_rs_group_snapshot_get_array, snapshot, 1, &array);
  CHECK_NEEDS(ctx, "null", tiledb_rs_group_snapshot_get_array, snapshot, 0, NULL);
  CHECK_NEEDS(ctx, "not a group", tiledb_rs_group_snapshot_get_group, snapshot, 0, &group);
  CHECK_NEEDS(ctx, "larger than member count", tiledb_rs_group_snapshot_get_group, snapshot, 9, &group);
  CHECK_OK(ctx, tiledb_rs_group_snapshot_get_group(ctx, snapshot, OPENED_GROUP, &group));
  tiledb_group_free(&group);
  tiledb_rs_group_snapshot_free(&snapshot);
}
