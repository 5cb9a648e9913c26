/* Reads that a server runs. */
#include "query_messages.h"

TEST(dense_reads_return_fields_of_each_kind) {
  char uri[128], names[CELLS];
  int32_t numbers[CELLS];
  double values[CELLS];
  uint8_t valid[CELLS];
  uint64_t starts[CELLS];
  uint64_t sizes[5] = {sizeof numbers, sizeof names, sizeof starts, sizeof values, sizeof valid};
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  tiledb_array_t* array = written_array(ctx, uri);
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  for (int layout = 0; layout < 3; layout++) {
    sizes[0] = sizeof numbers, sizes[1] = sizeof names, sizes[2] = sizeof starts, sizes[3] = sizeof values;
    sizes[4] = sizeof valid;
    tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, layouts[layout], whole);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", names, &sizes[1]));
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &sizes[2]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "maybe", values, &sizes[3]));
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[4]));
    submit_remote(ctx, query, uri, TILEDB_COMPLETED);
    CHECK_EQ(sizes[0], sizeof numbers);
    CHECK_EQ(sizes[1], CELLS);
    CHECK_EQ(sizes[4], CELLS);
    for (int i = 0; i < CELLS; i++) {
      if (layout == 0) CHECK_EQ(numbers[i], i);
      CHECK_EQ(names[i], 'a' + numbers[i]);
      CHECK_EQ(starts[i], i);
      CHECK_EQ(valid[i], numbers[i] % 2 == 0);
      if (valid[i]) CHECK_EQ((int)values[i], numbers[i]);
    }
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(incomplete_dense_reads_continue_on_a_new_server) {
  char uri[128];
  int32_t numbers[7], sum = 0;
  uint64_t size = sizeof numbers, cells = 0, submits = 0;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  tiledb_array_t* array = written_array(ctx, uri);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, whole);
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  while (status == TILEDB_INCOMPLETE && submits++ < CELLS) {
    submit_remote(ctx, query, uri, TILEDB_FAILED);
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    for (uint64_t i = 0; i < size / sizeof *numbers; i++) {
      CHECK_EQ(numbers[i], cells + i);
      sum += numbers[i];
    }
    cells += size / sizeof *numbers;
  }
  CHECK_EQ(status, TILEDB_COMPLETED);
  CHECK_EQ(cells, CELLS);
  CHECK_EQ(sum, CELLS * (CELLS - 1) / 2);
  CHECK(submits >= 4);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(incomplete_sparse_reads_continue_on_a_new_server) {
  char uri[128];
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_GLOBAL_ORDER, TILEDB_ROW_MAJOR};
  for (int layout = 0; layout < 3; layout++) {
    int32_t numbers[9], x[9], seen[POINTS + 1] = {0};
    uint64_t sizes[2] = {sizeof numbers, sizeof x}, cells = 0, submits = 0;
    tiledb_query_status_t status = TILEDB_INCOMPLETE;
    tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, layouts[layout]);
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[1]));
    while (status == TILEDB_INCOMPLETE && submits++ < POINTS) {
      submit_remote(ctx, query, uri, TILEDB_FAILED);
      CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
      CHECK_EQ(sizes[0], sizes[1]);
      for (uint64_t i = 0; i < sizes[0] / sizeof *numbers; i++, cells++) {
        CHECK(x[i] >= 1 && x[i] <= POINTS);
        CHECK_EQ(numbers[i], 10 * x[i]);
        CHECK_EQ(seen[x[i]]++, 0);
        if (layout > 0) CHECK_EQ(x[i], cells + 1);
      }
    }
    CHECK_EQ(status, TILEDB_COMPLETED);
    CHECK_EQ(cells, POINTS);
    tiledb_query_free(&query);
  }
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

/* Reads the numbers that satisfy a condition, which is freed, through a server. */
static uint64_t selected(
    tiledb_ctx_t* ctx, tiledb_array_t* array, const char* uri, tiledb_query_condition_t** condition, int32_t* numbers) {
  uint64_t size = POINTS * sizeof *numbers;
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, *condition));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  tiledb_query_condition_free(condition);
  tiledb_query_free(&query);
  return size / sizeof *numbers;
}

TEST(conditions_are_sent_with_all_operators) {
  char uri[128];
  int32_t numbers[POINTS];
  const int32_t set[3] = {50, 60, 390};
  const uint64_t starts[3] = {0, 4, 8};
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const struct {
    tiledb_query_condition_op_t op;
    uint64_t cells;
  } cases[] = {{TILEDB_LT, 9}, {TILEDB_LE, 10}, {TILEDB_GT, 30}, {TILEDB_GE, 31}, {TILEDB_EQ, 1}, {TILEDB_NE, 39}};
  for (int i = 0; i < 6; i++) {
    tiledb_query_condition_t* condition = number_is(ctx, cases[i].op, 100);
    CHECK_EQ(selected(ctx, array, uri, &condition, numbers), cases[i].cells);
  }
  tiledb_query_condition_t* members = NULL;
  CHECK_OK(
      ctx,
      tiledb_query_condition_alloc_set_membership(
          ctx, "number", set, sizeof set, starts, sizeof starts, TILEDB_IN, &members));
  tiledb_query_condition_t *low = number_is(ctx, TILEDB_LT, 30), *either = NULL, *few = NULL, *high = NULL;
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, members, low, TILEDB_OR, &either));
  high = number_is(ctx, TILEDB_GE, 20);
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, either, high, TILEDB_AND, &few));
  CHECK_EQ(selected(ctx, array, uri, &few, numbers), 4);
  CHECK_EQ(numbers[0], 20);
  CHECK_EQ(numbers[3], 390);
  CHECK_OK(ctx, tiledb_query_condition_combine(ctx, low, high, TILEDB_AND, &few));
  CHECK_EQ(selected(ctx, array, uri, &few, numbers), 1);
  tiledb_query_condition_free(&members);
  tiledb_query_condition_free(&low);
  tiledb_query_condition_free(&high);
  tiledb_query_condition_free(&either);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(tests_for_null_are_sent) {
  char uri[128];
  int32_t numbers[POINTS];
#ifdef LIBTILEDB_ITSELF
  /* As a server it reads its own tests for null as comparisons with an empty value. */
  if (getenv("QUERY_MESSAGES_SERVER") == NULL) return;
#endif
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  nullable_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  const uint64_t nulls = (POINTS + 2) / 3;
  for (int equal = 0; equal < 2; equal++) {
    const tiledb_query_condition_op_t op = equal ? TILEDB_EQ : TILEDB_NE;
    tiledb_query_condition_t* condition = compare(ctx, "maybe", NULL, 0, op);
    CHECK_EQ(selected(ctx, array, uri, &condition, numbers), equal ? nulls : POINTS - nulls);
    CHECK_EQ(numbers[0], equal ? 10 : 20);
    /* Combined with a comparison of another field. */
    tiledb_query_condition_t *test = compare(ctx, "maybe", NULL, 0, op), *low = number_is(ctx, TILEDB_LE, 60);
    tiledb_query_condition_t* both = NULL;
    CHECK_OK(ctx, tiledb_query_condition_combine(ctx, test, low, TILEDB_AND, &both));
    CHECK_EQ(selected(ctx, array, uri, &both, numbers), equal ? 2 : 4);
    tiledb_query_condition_free(&test);
    tiledb_query_condition_free(&low);
  }
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(statistics_of_the_server_are_returned) {
  char uri[128];
  int32_t numbers[POINTS];
  uint64_t size = sizeof numbers;
  char* text = NULL;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  set_data(ctx, query, "number", numbers, &size);
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_get_stats(ctx, query, &text));
  CHECK(text != NULL && strstr(text, "Context.Query.Reader.loop_num\": 1") != NULL);
  CHECK(strstr(text, "Context.Query.Reader.dowork.sum") != NULL);
  CHECK_OK(ctx, tiledb_stats_free_str(&text));
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(deletes_in_consolidated_commits_are_applied_by_the_server) {
  char uri[128];
  int32_t numbers[POINTS];
  uint64_t size = sizeof numbers;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_DELETE, 0, 3);
  tiledb_query_t* query = NULL;
  tiledb_query_condition_t* low = number_is(ctx, TILEDB_LE, 100);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, low));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_condition_free(&low);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_config_t* commits = config_with("sm.consolidation.mode", "commits");
  set_param(commits, "sm.vacuum.mode", "commits");
  CHECK_OK(ctx, tiledb_array_consolidate(ctx, uri, commits));
  CHECK_OK(ctx, tiledb_array_vacuum(ctx, uri, commits));
  tiledb_config_free(&commits);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  set_data(ctx, query, "number", numbers, &size);
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, POINTS - 10);
  CHECK_EQ(numbers[0], 110);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(aggregates_are_computed_by_the_server) {
  char uri[128];
  int64_t sum = 0;
  uint64_t size = sizeof sum;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  const tiledb_channel_operator_t* op = NULL;
  CHECK_OK(ctx, tiledb_channel_operator_sum_get(ctx, &op));
  aggregate(ctx, query, op, "number");
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "out", &sum, &size));
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  CHECK_EQ(sum, 10 * POINTS * (POINTS + 1) / 2);
  CHECK_EQ(size, sizeof sum);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(ranges_of_labels_and_several_ranges_are_sent) {
  char uri[128];
  int32_t numbers[LENGTH];
  uint64_t size = sizeof numbers;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  labelled_array(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  CHECK_OK(ctx, label_range(ctx, subarray, "up", 1, 2));
  tiledb_query_t* query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  set_data(ctx, query, "number", numbers, &size);
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, 3);
  for (int32_t i = 0; i < 3; i++) CHECK_EQ(numbers[i], 12 + i);
  tiledb_query_free(&query);
  subarray = new_subarray(ctx, array);
  add_range(ctx, subarray, 1, 2);
  add_range(ctx, subarray, 6, 8);
  query = labelled_query(ctx, array, TILEDB_READ, &subarray);
  size = sizeof numbers;
  set_data(ctx, query, "number", numbers, &size);
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, 5);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(results_that_do_not_fit_are_an_error) {
  char uri[128];
  int32_t numbers[POINTS];
  uint64_t size = sizeof numbers;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  message_t request = message_of(ctx, query, 1), response = serve(request, uri);
  size = sizeof *numbers;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_FAILS(
      ctx, receive(ctx, response, 1, query), "Error deserializing query; buffer too small for buffer 'number'.");
  CHECK_EQ(size, sizeof *numbers);
  tiledb_buffer_list_t* list = NULL;
  CHECK_FAILS(
      ctx,
      tiledb_serialize_query(ctx, query, TILEDB_JSON, 1, &list),
      "Cannot serialize query; json format not supported.");
  CHECK(list == NULL);
  free(request.bytes);
  free(response.bytes);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(a_message_of_a_client_sets_the_sizes_of_another_client) {
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  const int32_t box[] = {1, 2, 1, 3};
  int32_t values[8], own[8], small[2];
  uint64_t size = 6 * sizeof *values, own_size = sizeof own, small_size = sizeof small;
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", values, &size));
  message_t message = message_of(ctx, query, 1);
  tiledb_query_free(&query);
  /* libtiledb copies what follows the message in memory. */
  message.bytes = (unsigned char*)realloc(message.bytes, message.size + sizeof values);
  memset(message.bytes + message.size, 1, sizeof values);
  memset(own, 7, sizeof own);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", own, &own_size));
  CHECK_OK(ctx, receive(ctx, message, 1, query));
  CHECK_EQ(own_size, 6 * sizeof *values);
#ifndef LIBTILEDB_ITSELF
  CHECK_EQ(own[0], 0x07070707);
#endif
  tiledb_query_free(&query);
  query = new_query(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR, box);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", small, &small_size));
  CHECK_ERROR(
      ctx, receive(ctx, message, 1, query),
      "[TileDB::Serialization] Error: Error deserializing query; buffer too small for buffer 'number'.");
  CHECK_EQ(small_size, sizeof small);
  tiledb_query_free(&query);
  free(message.bytes);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(estimates_replace_those_of_the_client) {
  char uri[128];
  uint64_t size = 0, received = 0;
  tiledb_buffer_t* buffer = NULL;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  tiledb_query_t* other = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, query, "number", &size));
  CHECK_EQ(size, POINTS * sizeof(int32_t));
  const tiledb_serialization_type_t encodings[] = {TILEDB_JSON, TILEDB_CAPNP};
  for (int i = 0; i < 2; i++) {
    CHECK_OK(ctx, tiledb_serialize_query_est_result_sizes(ctx, query, encodings[i], 0, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_query_est_result_sizes(ctx, other, encodings[i], 1, buffer));
    CHECK_OK(ctx, tiledb_query_get_est_result_size(ctx, other, "number", &received));
    CHECK_EQ(received, size);
    tiledb_buffer_free(&buffer);
  }
  tiledb_query_free(&query);
  tiledb_query_free(&other);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(plans_of_queries_are_requested_in_json) {
  char uri[128], request[] =
      "{\"query\":{\"attributeBufferHeaders\":[{\"name\":\"number\",\"originalFixedLenBufferSizeInBytes\":\"8\"}],"
      "\"layout\":\"unordered\",\"status\":\"UNINITIALIZED\",\"type\":\"READ\",\"readerIndex\":{\"layout\":\"unordered\","
      "\"subarray\":{\"layout\":\"unordered\",\"ranges\":[{\"type\":\"INT32\",\"hasDefaultRange\":true,"
      "\"buffer\":[1,0,0,0,40,0,0,0],\"bufferSizes\":[\"8\"],\"bufferStartSizes\":[\"0\"]}]}},"
      "\"varOffsetsMode\":\"bytes\",\"varOffsetsBitsize\":64}}";
  void* data = NULL;
  uint64_t size = 0;
  tiledb_buffer_t *from = NULL, *to = NULL;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &from));
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &to));
  CHECK_OK(ctx, tiledb_buffer_set_data(ctx, from, request, strlen(request)));
  CHECK_OK(ctx, tiledb_handle_query_plan_request(ctx, array, TILEDB_JSON, from, to));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, to, &data, &size));
  char* text = (char*)calloc(1, size + 1);
  memcpy(text, data, size);
  CHECK(strstr(text, "\"queryLayout\":\"unordered\"") != NULL);
  CHECK(strstr(text, "\"attributeNames\":[\"number\"]") != NULL);
  CHECK(strstr(text, "\"arrayType\":\"sparse\"") != NULL);
  free(text);
  tiledb_buffer_free(&from);
  tiledb_buffer_free(&to);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

enum { ROUNDS_MOST = 2 * POINTS };

/* Returns a random read: ranges, layout, condition. */
static tiledb_query_t* random_read(tiledb_ctx_t* ctx, tiledb_array_t* array, uint64_t seed) {
  uint64_t state = seed;
  const tiledb_layout_t layouts[] = {TILEDB_UNORDERED, TILEDB_GLOBAL_ORDER, TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR};
  const tiledb_layout_t layout = layouts[next_random(&state) % 4];
  tiledb_subarray_t* subarray = new_subarray(ctx, array);
  uint64_t ranges = layout == TILEDB_GLOBAL_ORDER ? next_random(&state) % 2 : next_random(&state) % 4;
  int32_t first = 1 + (int32_t)(next_random(&state) % 5);
  for (; ranges > 0 && first <= POINTS; ranges--) {
    int32_t last = first + (int32_t)(next_random(&state) % 12);
    add_range(ctx, subarray, first, last < POINTS ? last : POINTS);
    first = last + 2 + (int32_t)(next_random(&state) % 6);
  }
  tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, layout, subarray);
  if (next_random(&state) % 2 == 0) {
    tiledb_query_condition_t* one = number_is(
        ctx, (tiledb_query_condition_op_t)(next_random(&state) % 6), 10 * (int32_t)(next_random(&state) % POINTS));
    tiledb_query_condition_t* other = number_is(ctx, TILEDB_LT, 10 * (int32_t)(next_random(&state) % POINTS));
    tiledb_query_condition_t* both = NULL;
    CHECK_OK(
        ctx, tiledb_query_condition_combine(ctx, one, other, next_random(&state) % 2 == 0 ? TILEDB_AND : TILEDB_OR, &both));
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, both));
    tiledb_query_condition_free(&one);
    tiledb_query_condition_free(&other);
    tiledb_query_condition_free(&both);
  }
  return query;
}

static int compare_numbers(const void* one, const void* other) {
  const int32_t a = *(const int32_t*)one, b = *(const int32_t*)other;
  return (a > b) - (a < b);
}

TEST(random_reads_return_the_same_cells_from_a_server) {
  const char* number = getenv("QUERY_MESSAGES_QUERIES");
  const int queries = number != NULL ? atoi(number) : 40;
  char uri[2][128];
  uint64_t state = 88172645463325252u;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri[0]);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 1), uri[1]);
  for (int32_t part = 0; part < 3; part++) {
    int32_t x[POINTS / 2], numbers[POINTS / 2];
    for (int32_t i = 0; i < POINTS / 2; i++) x[i] = 1 + i * 2 / (part + 1), numbers[i] = 10 * x[i] + part;
    write_points(ctx, uri[1], (uint64_t)part + 1, POINTS / 2, x, numbers);
  }
  for (int i = 0; i < queries; i++) {
    const char* array_uri = uri[i % 2];
    int32_t local[4 * POINTS], remote[4 * POINTS], *next = remote;
    uint64_t seed = next_random(&state), size = sizeof local, rounds = 0;
    tiledb_layout_t layout;
    tiledb_query_status_t status = TILEDB_INCOMPLETE;
    tiledb_array_t* array = open_array(ctx, array_uri, TILEDB_READ);
    tiledb_query_t* query = random_read(ctx, array, seed);
    set_data(ctx, query, "number", local, &size);
    submit(ctx, query, TILEDB_COMPLETED);
    const uint64_t cells = size / sizeof *local;
    tiledb_query_free(&query);
    query = random_read(ctx, array, seed);
    CHECK_OK(ctx, tiledb_query_get_layout(ctx, query, &layout));
    const uint64_t capacity = (2 + next_random(&state) % 30) * sizeof *local;
    while (status == TILEDB_INCOMPLETE && rounds++ < ROUNDS_MOST) {
      uint64_t left = (uint64_t)(remote + 4 * POINTS - next) * sizeof *remote;
      size = capacity < left ? capacity : left;
      set_data(ctx, query, "number", next, &size);
      submit_remote(ctx, query, array_uri, TILEDB_FAILED);
      CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
      next += size / sizeof *next;
    }
    CHECK_EQ(status, TILEDB_COMPLETED);
    CHECK_EQ(next - remote, cells);
    if (layout == TILEDB_UNORDERED || i % 2 == 1) {
      qsort(local, cells, sizeof *local, compare_numbers);
      qsort(remote, cells, sizeof *remote, compare_numbers);
    }
    if (memcmp(local, remote, cells * sizeof *local) != 0) printf("    seed %llu\n", (unsigned long long)seed);
    CHECK_EQ(memcmp(local, remote, cells * sizeof *local), 0);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  tiledb_ctx_free(&ctx);
}
