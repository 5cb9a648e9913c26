/*
 * Messages of queries: a client serializes a query, a server runs it and returns its state and its
 * results.
 *
 * The server is this process or, if QUERY_MESSAGES_SERVER names a build of this program, a process
 * of that program for each submit, which may be linked with another library.
 */
#include "labels.h"

#include <tiledb/tiledb_serialization.h>

static const char* const field_names[] = {"number", "name", "maybe", "x", "row", "column"};
enum { FIELD_NAMES = sizeof field_names / sizeof *field_names, MAX_MEMORY = 3 * FIELD_NAMES };

typedef struct {
  unsigned char* bytes;
  uint64_t size;
} message_t;

/* Returns a context whose arrays are sent with their fragments. */
static tiledb_ctx_t* message_context(const char* name, const char* value) {
  tiledb_config_t* config = config_with("rest.use_refactored_array_open_and_query_submit", "true");
  if (name != NULL) set_param(config, name, value);
  return context_of(config);
}

static message_t flat(tiledb_ctx_t* ctx, tiledb_buffer_list_t** list) {
  tiledb_buffer_t* buffer = NULL;
  void* data = NULL;
  message_t message = {NULL, 0};
  CHECK_OK(ctx, tiledb_buffer_list_flatten(ctx, *list, &buffer));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, buffer, &data, &message.size));
  message.bytes = (unsigned char*)malloc(message.size + 8);
  memcpy(message.bytes, data, message.size);
  tiledb_buffer_free(&buffer);
  tiledb_buffer_list_free(list);
  return message;
}

static message_t message_of(tiledb_ctx_t* ctx, tiledb_query_t* query, int32_t client_side) {
  tiledb_buffer_list_t* list = NULL;
  CHECK_OK(ctx, tiledb_serialize_query(ctx, query, TILEDB_CAPNP, client_side, &list));
  return flat(ctx, &list);
}

static int32_t receive(tiledb_ctx_t* ctx, message_t message, int32_t client_side, tiledb_query_t* query) {
  tiledb_buffer_t* buffer = NULL;
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &buffer));
  CHECK_OK(ctx, tiledb_buffer_set_data(ctx, buffer, message.bytes, message.size));
  int32_t code = tiledb_deserialize_query(ctx, buffer, TILEDB_CAPNP, client_side, query);
  tiledb_buffer_free(&buffer);
  return code;
}

static int32_t receive_with_array(
    tiledb_ctx_t* ctx, message_t message, const char* uri, tiledb_query_t** query, tiledb_array_t** array) {
  tiledb_buffer_t* buffer = NULL;
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &buffer));
  CHECK_OK(ctx, tiledb_buffer_set_data(ctx, buffer, message.bytes, message.size));
  int32_t code = tiledb_deserialize_query_and_array(ctx, buffer, TILEDB_CAPNP, 0, uri, query, array);
  tiledb_buffer_free(&buffer);
  return code;
}

/* Allocates the buffers of a received read. Returns their number. */
static int allocate(tiledb_ctx_t* ctx, tiledb_query_t* query, void** memory) {
  int count = 0;
  for (int at = 0; at < FIELD_NAMES; at++) {
    const char* name = field_names[at];
    void* data = NULL;
    uint64_t *size = NULL, *offsets = NULL;
    uint8_t* valid = NULL;
    if (tiledb_query_get_data_buffer(ctx, query, name, &data, &size) == TILEDB_OK && size != NULL && data == NULL) {
      memory[count] = calloc(1, *size + 1);
      CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, name, memory[count++], size));
    }
    size = NULL;
    if (tiledb_query_get_offsets_buffer(ctx, query, name, &offsets, &size) == TILEDB_OK && size != NULL && offsets == NULL) {
      memory[count] = calloc(1, *size + 1);
      CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, name, (uint64_t*)memory[count++], size));
    }
    size = NULL;
    if (tiledb_query_get_validity_buffer(ctx, query, name, &valid, &size) == TILEDB_OK && size != NULL && valid == NULL) {
      memory[count] = calloc(1, *size + 1);
      CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, name, (uint8_t*)memory[count++], size));
    }
  }
  return count;
}

/* Runs the query of a message on a server and returns the message of the result. */
static message_t serve_here(message_t request, const char* uri) {
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  tiledb_query_t* query = NULL;
  tiledb_array_t* array = NULL;
  void* memory[MAX_MEMORY];
  int count = 0;
  tiledb_query_type_t type;
  CHECK_OK(ctx, receive_with_array(ctx, request, uri, &query, &array));
  CHECK_OK(ctx, tiledb_query_get_type(ctx, query, &type));
  if (type == TILEDB_READ) count = allocate(ctx, query, memory);
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  message_t response = message_of(ctx, query, 0);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  for (int at = 0; at < count; at++) free(memory[at]);
  tiledb_ctx_free(&ctx);
  return response;
}

static message_t load(const char* path) {
  message_t message = {NULL, 0};
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  CHECK_EQ(fseek(file, 0, SEEK_END), 0);
  message.size = (uint64_t)ftell(file);
  rewind(file);
  message.bytes = (unsigned char*)malloc(message.size + 8);
  CHECK_EQ(fread(message.bytes, 1, message.size, file), message.size);
  fclose(file);
  return message;
}

static void save(message_t message, const char* path) {
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL);
  CHECK_EQ(fwrite(message.bytes, 1, message.size, file), message.size);
  CHECK_EQ(fclose(file), 0);
}

/* The process of a server: runs one request and ends. */
__attribute__((constructor)) static void serve_a_process(void) {
  const char *request = getenv("QUERY_MESSAGES_REQUEST"), *response = getenv("QUERY_MESSAGES_RESPONSE");
  if (request == NULL || response == NULL) return;
  if (setjmp(harness_end_of_test) != 0) _Exit(1);
  save(serve_here(load(request), getenv("QUERY_MESSAGES_URI")), response);
  _Exit(0);
}

static message_t serve(message_t request, const char* uri) {
  const char* server = getenv("QUERY_MESSAGES_SERVER");
  if (server == NULL) return serve_here(request, uri);
  char from[128], to[128], command[1024];
  snprintf(from, sizeof from, "%s", scratch_file());
  snprintf(to, sizeof to, "%s", scratch_file());
  save(request, from);
  snprintf(
      command,
      sizeof command,
      "QUERY_MESSAGES_REQUEST=%s QUERY_MESSAGES_RESPONSE=%s QUERY_MESSAGES_URI=%s %s",
      from,
      to,
      uri,
      server);
  CHECK_EQ(system(command), 0);
  return load(to);
}

/* Submits a query of a client to a server. */
static void submit_remote(tiledb_ctx_t* ctx, tiledb_query_t* query, const char* uri, tiledb_query_status_t expected) {
  tiledb_query_status_t status;
  message_t request = message_of(ctx, query, 1);
  message_t response = serve(request, uri);
  CHECK_OK(ctx, receive(ctx, response, 1, query));
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  if (expected != TILEDB_FAILED) CHECK_EQ(status, expected);
  free(request.bytes);
  free(response.bytes);
}

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
    for (int at = 0; at < CELLS; at++) {
      if (layout == 0) CHECK_EQ(numbers[at], at);
      CHECK_EQ(names[at], 'a' + numbers[at]);
      CHECK_EQ(starts[at], at);
      CHECK_EQ(valid[at], numbers[at] % 2 == 0);
      if (valid[at]) CHECK_EQ((int)values[at], numbers[at]);
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
    for (uint64_t at = 0; at < size / sizeof *numbers; at++) {
      CHECK_EQ(numbers[at], cells + at);
      sum += numbers[at];
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

enum { POINTS = 40 };

/* Creates a sparse line with two fragments of alternating points, whose numbers are 10 x. */
static void sparse_line(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[POINTS / 2], numbers[POINTS / 2];
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 0), uri);
  for (int part = 0; part < 2; part++) {
    for (int at = 0; at < POINTS / 2; at++) x[at] = 2 * at + part + 1, numbers[at] = 10 * x[at];
    write_points(ctx, uri, (uint64_t)part + 1, POINTS / 2, x, numbers);
  }
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
      for (uint64_t at = 0; at < sizes[0] / sizeof *numbers; at++, cells++) {
        CHECK(x[at] >= 1 && x[at] <= POINTS);
        CHECK_EQ(numbers[at], 10 * x[at]);
        CHECK_EQ(seen[x[at]]++, 0);
        if (layout > 0) CHECK_EQ(x[at], cells + 1);
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
  for (int at = 0; at < 6; at++) {
    tiledb_query_condition_t* condition = number_is(ctx, cases[at].op, 100);
    CHECK_EQ(selected(ctx, array, uri, &condition, numbers), cases[at].cells);
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

/* Creates an array of POINTS cells, of which every third has a null in "maybe". */
static void nullable_line(tiledb_ctx_t* ctx, char* uri) {
  int32_t x[POINTS], numbers[POINTS];
  double values[POINTS];
  uint8_t valid[POINTS];
  uint64_t sizes[4] = {sizeof x, sizeof numbers, sizeof values, sizeof valid};
  tiledb_array_schema_t* schema = new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 0);
  add_attribute(ctx, schema, "maybe", TILEDB_FLOAT64, 1, 1);
  create_with(ctx, schema, uri);
  for (int at = 0; at < POINTS; at++)
    x[at] = at + 1, numbers[at] = 10 * x[at], values[at] = at, valid[at] = at % 3 != 0;
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 1);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "maybe", values, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[3]));
  submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
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

TEST(writes_of_dense_arrays_are_done_by_the_server) {
  char uri[128];
  int32_t numbers[CELLS], read[CELLS];
  uint64_t size = sizeof numbers;
  const char* name = NULL;
  uint32_t written = 0;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  create_with(ctx, new_number_schema(ctx), uri);
  for (int at = 0; at < CELLS; at++) numbers[at] = 3 * at;
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = new_query(ctx, array, TILEDB_WRITE, TILEDB_ROW_MAJOR, whole);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  CHECK_OK(ctx, tiledb_query_get_fragment_num(ctx, query, &written));
  CHECK_EQ(written, 1);
  CHECK_OK(ctx, tiledb_query_get_fragment_uri(ctx, query, 0, &name));
  CHECK(strstr(name, "/__fragments/__") != NULL);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  CHECK_EQ(read_box(ctx, array, TILEDB_ROW_MAJOR, whole, read), CELLS);
  CHECK_EQ(memcmp(read, numbers, sizeof read), 0);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(writes_of_sparse_arrays_are_done_by_the_server) {
  char uri[128];
  int32_t x[3] = {7, 2, 5}, numbers[3] = {70, 20, 50}, read[POINTS];
  uint64_t sizes[2] = {sizeof x, sizeof numbers}, size = sizeof read;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 0), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[1]));
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", read, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof numbers);
  CHECK_EQ(read[0], 20);
  CHECK_EQ(read[2], 70);
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
  for (int32_t at = 0; at < 3; at++) CHECK_EQ(numbers[at], 12 + at);
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

/* Writes all fields through a server and reads them from it; offsets are of `bits` bits. */
static void exchange_fields(const char* bits) {
  char uri[128], names[CELLS + 1], read_names[CELLS];
  int32_t numbers[CELLS], wide = strcmp(bits, "64") == 0;
  uint64_t starts[CELLS], read_starts[CELLS], sizes[5];
  double values[CELLS], read_values[CELLS];
  uint8_t valid[CELLS], read_valid[CELLS];
  tiledb_ctx_t* ctx = message_context("sm.var_offsets.bitsize", bits);
  create_with(ctx, new_schema(ctx), uri);
  memset(starts, 0, sizeof starts);
  for (int at = 0; at < CELLS; at++) {
    numbers[at] = at, values[at] = at / 2.0, valid[at] = at % 3 != 0, names[at] = (char)('a' + at);
    if (wide)
      starts[at] = (uint64_t)at;
    else
      ((uint32_t*)(void*)starts)[at] = (uint32_t)at;
  }
  for (int pass = 0; pass < 2; pass++) {
    tiledb_query_type_t type = pass == 0 ? TILEDB_WRITE : TILEDB_READ;
    tiledb_array_t* array = open_array(ctx, uri, type);
    tiledb_query_t* query = new_query(ctx, array, type, TILEDB_ROW_MAJOR, whole);
    sizes[0] = sizeof numbers, sizes[1] = CELLS, sizes[2] = sizeof starts, sizes[3] = sizeof values, sizes[4] = CELLS;
    set_data(ctx, query, "number", numbers, &sizes[0]);
    set_data(ctx, query, "name", pass == 0 ? names : read_names, &sizes[1]);
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", pass == 0 ? starts : read_starts, &sizes[2]));
    set_data(ctx, query, "maybe", pass == 0 ? values : read_values, &sizes[3]);
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", pass == 0 ? valid : read_valid, &sizes[4]));
    submit_remote(ctx, query, uri, TILEDB_COMPLETED);
    tiledb_query_free(&query);
    close_array(ctx, &array);
  }
  CHECK_EQ(sizes[1], CELLS);
  CHECK_EQ(memcmp(names, read_names, CELLS), 0);
  CHECK_EQ(memcmp(starts, read_starts, CELLS * (wide ? sizeof(uint64_t) : sizeof(uint32_t))), 0);
  for (int at = 0; at < CELLS; at++) {
    CHECK_EQ(read_valid[at], valid[at]);
    if (valid[at]) CHECK_EQ((int)(2 * read_values[at]), at);
  }
  tiledb_ctx_free(&ctx);
}

TEST(fields_of_each_kind_are_written_by_the_server) { exchange_fields("64"); }

TEST(offsets_of_32_bits_are_written_by_the_server) { exchange_fields("32"); }

TEST(deletes_are_done_by_the_server) {
  char uri[128];
  int32_t numbers[POINTS];
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_DELETE);
  tiledb_query_t* query = NULL;
  tiledb_query_condition_t* low = number_is(ctx, TILEDB_LE, 100);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, low));
  submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  tiledb_query_condition_free(&low);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  uint64_t size = sizeof numbers;
  query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size / sizeof *numbers, POINTS - 10);
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
  for (int at = 0; at < 2; at++) {
    CHECK_OK(ctx, tiledb_serialize_query_est_result_sizes(ctx, query, encodings[at], 0, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_query_est_result_sizes(ctx, other, encodings[at], 1, buffer));
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

/* A generator of pseudo-random numbers. */
static uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
  return *state;
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
  const char* wanted = getenv("QUERY_MESSAGES_QUERIES");
  const int queries = wanted != NULL ? atoi(wanted) : 40;
  char uri[2][128];
  uint64_t state = 88172645463325252u;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri[0]);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 1), uri[1]);
  for (int32_t part = 0; part < 3; part++) {
    int32_t x[POINTS / 2], numbers[POINTS / 2];
    for (int32_t at = 0; at < POINTS / 2; at++) x[at] = 1 + at * 2 / (part + 1), numbers[at] = 10 * x[at] + part;
    write_points(ctx, uri[1], (uint64_t)part + 1, POINTS / 2, x, numbers);
  }
  for (int at = 0; at < queries; at++) {
    const char* place = uri[at % 2];
    int32_t local[4 * POINTS], remote[4 * POINTS], *next = remote;
    uint64_t seed = next_random(&state), size = sizeof local, rounds = 0;
    tiledb_layout_t layout;
    tiledb_query_status_t status = TILEDB_INCOMPLETE;
    tiledb_array_t* array = open_array(ctx, place, TILEDB_READ);
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
      submit_remote(ctx, query, place, TILEDB_FAILED);
      CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
      next += size / sizeof *next;
    }
    CHECK_EQ(status, TILEDB_COMPLETED);
    CHECK_EQ(next - remote, cells);
    if (layout == TILEDB_UNORDERED || at % 2 == 1) {
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

/* Writes random cells of an array of nullable_line, in random order, here or through a server. */
static void write_random(tiledb_ctx_t* ctx, const char* uri, uint64_t seed, int is_remote) {
  int32_t x[POINTS], numbers[POINTS];
  double values[POINTS];
  uint8_t valid[POINTS];
  uint64_t state = seed, cells = 1 + next_random(&state) % POINTS;
  for (int at = 0; at < POINTS; at++) x[at] = at + 1;
  for (uint64_t at = 0; at < cells; at++) {
    uint64_t other = at + next_random(&state) % (POINTS - at);
    int32_t swapped = x[at];
    x[at] = x[other], x[other] = swapped;
    numbers[at] = (int32_t)(next_random(&state) % 1000);
    values[at] = (double)(next_random(&state) % 1000);
    valid[at] = next_random(&state) % 2 == 0;
  }
  uint64_t sizes[4] = {cells * sizeof *x, cells * sizeof *numbers, cells * sizeof *values, cells};
  tiledb_array_t* array = open_at(ctx, uri, TILEDB_WRITE, 0, 1000 + seed % 1000);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_UNORDERED);
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  set_data(ctx, query, "maybe", values, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[3]));
  if (is_remote)
    submit_remote(ctx, query, uri, TILEDB_COMPLETED);
  else
    submit(ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

typedef struct {
  int32_t x[POINTS], numbers[POINTS];
  double values[POINTS];
  uint8_t valid[POINTS];
  uint64_t cells;
} cells_t;

static cells_t read_nullable(tiledb_ctx_t* ctx, const char* uri) {
  cells_t cells;
  memset(&cells, 0, sizeof cells);
  uint64_t sizes[4] = {sizeof cells.x, sizeof cells.numbers, sizeof cells.values, sizeof cells.valid};
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  set_data(ctx, query, "x", cells.x, &sizes[0]);
  set_data(ctx, query, "number", cells.numbers, &sizes[1]);
  set_data(ctx, query, "maybe", cells.values, &sizes[2]);
  CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", cells.valid, &sizes[3]));
  submit(ctx, query, TILEDB_COMPLETED);
  cells.cells = sizes[0] / sizeof *cells.x;
  tiledb_query_free(&query);
  close_array(ctx, &array);
  return cells;
}

TEST(random_writes_store_the_same_cells_through_a_server) {
  const char* wanted = getenv("QUERY_MESSAGES_QUERIES");
  const int writes = wanted != NULL ? atoi(wanted) : 40;
  char uri[2][128];
  uint64_t state = 88172645463325252u;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  nullable_line(ctx, uri[0]);
  nullable_line(ctx, uri[1]);
  for (int at = 0; at < writes; at++) {
    uint64_t seed = next_random(&state) / 1000 * 1000 + (uint64_t)at % 1000;
    for (int side = 0; side < 2; side++) write_random(ctx, uri[side], seed, side);
    if (at % 8 != 7 && at + 1 != writes) continue;
    cells_t local = read_nullable(ctx, uri[0]), remote = read_nullable(ctx, uri[1]);
    CHECK_EQ(local.cells, remote.cells);
    for (uint64_t cell = 0; cell < local.cells; cell++) {
      CHECK_EQ(local.x[cell], remote.x[cell]);
      CHECK_EQ(local.numbers[cell], remote.numbers[cell]);
      CHECK_EQ(local.valid[cell], remote.valid[cell]);
      if (local.valid[cell]) CHECK(local.values[cell] == remote.values[cell]);
    }
  }
  tiledb_ctx_free(&ctx);
}

/*
 * Writes parts of a line in global order, each by a new query of a server: the first ones by the
 * server of the tests, the last one by this process, which ends the write.
 */
static void write_in_parts(tiledb_ctx_t* ctx, const char* uri, int parts, int per_part) {
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_type_t type;
  CHECK_OK(ctx, tiledb_array_get_schema(ctx, array, &schema));
  CHECK_OK(ctx, tiledb_array_schema_get_array_type(ctx, schema, &type));
  tiledb_array_schema_free(&schema);
  if (type == TILEDB_DENSE) {
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, parts * per_part);
    CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
    tiledb_subarray_free(&subarray);
  }
  for (int part = 0; part < parts; part++) {
    int32_t x[POINTS], numbers[POINTS];
    double values[POINTS];
    uint8_t valid[POINTS];
    char names[2 * POINTS];
    uint64_t starts[POINTS], cells = (uint64_t)per_part, length = 0;
    for (int at = 0; at < per_part; at++) {
      x[at] = part * per_part + at + 1, numbers[at] = 10 * x[at], values[at] = x[at], valid[at] = x[at] % 3 != 0;
      starts[at] = length;
      for (int count = 0; count <= x[at] % 2; count++) names[length++] = (char)('a' + x[at] % 26);
    }
    uint64_t sizes[6] = {cells * sizeof *x, cells * sizeof *numbers, cells * sizeof *values, cells, length, 8 * cells};
    if (type == TILEDB_SPARSE) set_data(ctx, query, "x", x, &sizes[0]);
    set_data(ctx, query, "number", numbers, &sizes[1]);
    set_data(ctx, query, "maybe", values, &sizes[2]);
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[3]));
    set_data(ctx, query, "name", names, &sizes[4]);
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &sizes[5]));
    if (part + 1 < parts) {
      submit_remote(ctx, query, uri, TILEDB_FAILED);
      continue;
    }
    tiledb_ctx_t* far = message_context(NULL, NULL);
    tiledb_query_t* server = NULL;
    tiledb_array_t* opened = NULL;
    message_t request = message_of(ctx, query, 1);
    CHECK_OK(far, receive_with_array(far, request, uri, &server, &opened));
    CHECK_OK(far, tiledb_query_submit_and_finalize(far, server));
    tiledb_query_free(&server);
    tiledb_array_free(&opened);
    tiledb_ctx_free(&far);
    free(request.bytes);
  }
  tiledb_query_free(&query);
  close_array(ctx, &array);
}

TEST(writes_in_global_order_continue_on_a_new_server) {
#ifdef LIBTILEDB_ITSELF
  /* It does not continue writes that this library has started. */
  if (getenv("QUERY_MESSAGES_SERVER") != NULL) return;
#endif
  enum { PARTS = 3, EACH = 10, ALL = PARTS * EACH };
  for (int sparse = 0; sparse < 2; sparse++) {
    char uri[128], names[2 * ALL];
    int32_t numbers[ALL];
    double values[ALL];
    uint8_t valid[ALL];
    uint64_t starts[ALL], sizes[5] = {sizeof numbers, sizeof values, sizeof valid, sizeof names, sizeof starts};
    tiledb_ctx_t* ctx = message_context(NULL, NULL);
    tiledb_array_schema_t* schema =
        new_line_schema(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE, ALL, 10, 0);
    add_attribute(ctx, schema, "maybe", TILEDB_FLOAT64, 1, 1);
    add_attribute(ctx, schema, "name", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
    create_with(ctx, schema, uri);
    write_in_parts(ctx, uri, PARTS, EACH);
    CHECK_EQ(fragments_of(ctx, uri), 1);
    tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
    tiledb_subarray_t* subarray = new_subarray(ctx, array);
    add_range(ctx, subarray, 1, ALL);
    tiledb_query_t* query = query_on(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER, subarray);
    set_data(ctx, query, "number", numbers, &sizes[0]);
    set_data(ctx, query, "maybe", values, &sizes[1]);
    CHECK_OK(ctx, tiledb_query_set_validity_buffer(ctx, query, "maybe", valid, &sizes[2]));
    set_data(ctx, query, "name", names, &sizes[3]);
    CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &sizes[4]));
    submit(ctx, query, TILEDB_COMPLETED);
    CHECK_EQ(sizes[0], sizeof numbers);
    for (int at = 0; at < ALL; at++) {
      CHECK_EQ(numbers[at], 10 * (at + 1));
      CHECK_EQ(valid[at], (at + 1) % 3 != 0);
      if (valid[at]) CHECK(values[at] == at + 1);
      CHECK_EQ(names[starts[at]], 'a' + (at + 1) % 26);
    }
    tiledb_query_free(&query);
    /* The minimum and maximum come from the statistics of tiles. */
    query = query_all(ctx, array, TILEDB_READ, TILEDB_ROW_MAJOR);
    tiledb_query_condition_t* high = number_is(ctx, TILEDB_GT, 10 * ALL - 50);
    CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, high));
    tiledb_query_condition_free(&high);
    if (sparse) {
      sizes[0] = sizeof numbers;
      set_data(ctx, query, "number", numbers, &sizes[0]);
      submit(ctx, query, TILEDB_COMPLETED);
      CHECK_EQ(sizes[0] / sizeof *numbers, 5);
      CHECK_EQ(numbers[0], 10 * ALL - 40);
    }
    tiledb_query_free(&query);
    close_array(ctx, &array);
    tiledb_ctx_free(&ctx);
  }
}

#ifndef LIBTILEDB_ITSELF
/* Changes up to three bytes, and cuts the message sometimes. */
static message_t mutated(message_t message, uint64_t* state) {
  message_t copy = {(unsigned char*)malloc(message.size + 8), message.size};
  memcpy(copy.bytes, message.bytes, message.size);
  for (uint64_t left = next_random(state) % 4; left > 0; left--) {
    static const unsigned char values[] = {0, 1, 127, 128, 255};
    uint64_t at = next_random(state) % copy.size, kind = next_random(state) % 6;
    copy.bytes[at] = kind < 5 ? values[kind] : (unsigned char)next_random(state);
  }
  if (next_random(state) % 4 == 0) copy.size = next_random(state) % (copy.size + 1);
  return copy;
}

TEST(damaged_messages_do_not_crash_the_receiver) {
  const char* wanted = getenv("QUERY_MESSAGES_MUTATIONS");
  const int mutations = wanted != NULL ? atoi(wanted) : 300;
  char uri[128];
  int32_t numbers[POINTS];
  uint64_t state = 88172645463325252u, size = sizeof numbers;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  tiledb_query_condition_t* low = number_is(ctx, TILEDB_LE, 100);
  CHECK_OK(ctx, tiledb_query_set_condition(ctx, query, low));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  message_t request = message_of(ctx, query, 1), response = serve(request, uri);
  int failed = 0;
  for (int at = 0; at < mutations; at++) {
    tiledb_query_t* received = NULL;
    tiledb_array_t* opened = NULL;
    message_t bad = mutated(request, &state);
    if (receive_with_array(ctx, bad, uri, &received, &opened) != TILEDB_OK) failed++;
    tiledb_query_free(&received);
    tiledb_array_free(&opened);
    free(bad.bytes);
    tiledb_query_t* client = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
    size = sizeof numbers;
    CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, client, "number", numbers, &size));
    bad = mutated(response, &state);
    if (receive(ctx, bad, 1, client) != TILEDB_OK) failed++;
    CHECK(size <= sizeof numbers);
    free(bad.bytes);
    tiledb_query_free(&client);
  }
  CHECK(failed > mutations / 10);
  for (uint64_t cut = 0; cut < response.size; cut++) {
    message_t bad = {response.bytes, cut};
    CHECK_EQ(receive(ctx, bad, 1, query), TILEDB_ERR);
  }
  free(request.bytes);
  free(response.bytes);
  tiledb_query_condition_free(&low);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(writes_in_global_order_continue_in_the_query_of_the_server) {
  char uri[128];
  int32_t x[2 * 10], numbers[2 * 10], read[POINTS];
  uint64_t sizes[2], size = sizeof read;
  uint32_t written = 0;
  tiledb_ctx_t *ctx = message_context(NULL, NULL), *far = message_context(NULL, NULL);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 0), uri);
  for (int at = 0; at < 20; at++) x[at] = at + 1, numbers[at] = 10 * x[at];
  tiledb_array_t *array = open_array(ctx, uri, TILEDB_WRITE), *opened = NULL;
  tiledb_query_t *query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER), *server = NULL;
  for (int part = 0; part < 2; part++) {
    sizes[0] = sizes[1] = 10 * sizeof *x;
    set_data(ctx, query, "x", x + 10 * part, &sizes[0]);
    set_data(ctx, query, "number", numbers + 10 * part, &sizes[1]);
    message_t request = message_of(ctx, query, 1);
    if (part == 0) {
      CHECK_OK(far, receive_with_array(far, request, uri, &server, &opened));
    } else {
      CHECK_OK(far, receive(far, request, 0, server));
    }
    submit(far, server, TILEDB_COMPLETED);
    if (part == 1) CHECK_OK(far, tiledb_query_finalize(far, server));
    message_t response = message_of(far, server, 0);
    CHECK_OK(ctx, receive(ctx, response, 1, query));
    free(request.bytes);
    free(response.bytes);
  }
  CHECK_OK(ctx, tiledb_query_get_fragment_num(ctx, query, &written));
  CHECK_EQ(written, 1);
  tiledb_query_free(&server);
  tiledb_array_free(&opened);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  query = query_all(ctx, array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
  set_data(ctx, query, "number", read, &size);
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(size, sizeof numbers);
  CHECK_EQ(memcmp(read, numbers, sizeof numbers), 0);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&far);
  tiledb_ctx_free(&ctx);
}

TEST(states_of_writes_are_compared_with_the_files) {
  char uri[128];
  int32_t x[10], numbers[10];
  uint64_t sizes[2] = {sizeof x, sizeof numbers};
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 0), uri);
  for (int at = 0; at < 10; at++) x[at] = at + 1, numbers[at] = 10 * x[at];
  tiledb_array_t *array = open_array(ctx, uri, TILEDB_WRITE), *opened = NULL;
  tiledb_query_t *query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER), *server = NULL;
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  message_t first = message_of(ctx, query, 1), answer = serve_here(first, uri);
  CHECK_OK(ctx, receive(ctx, answer, 1, query));
  for (int at = 0; at < 10; at++) x[at] += 10;
  message_t second = message_of(ctx, query, 1);
  for (int round = 0; round < 2; round++) {
    /* The second time the files have grown. */
    CHECK_OK(ctx, receive_with_array(ctx, second, uri, &server, &opened));
    if (round == 0) {
      CHECK_OK(ctx, tiledb_query_submit_and_finalize(ctx, server));
    } else {
      CHECK_FAILS(ctx, tiledb_query_submit(ctx, server), "not in the state");
    }
    tiledb_query_free(&server);
    tiledb_array_free(&opened);
  }
  CHECK_EQ(fragments_of(ctx, uri), 1);
  free(first.bytes);
  free(answer.bytes);
  free(second.bytes);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}

TEST(damaged_requests_and_estimates_are_errors) {
  const char* wanted = getenv("QUERY_MESSAGES_MUTATIONS");
  const int mutations = wanted != NULL ? atoi(wanted) : 300;
  char uri[128];
  uint64_t state = 88172645463325252u;
  tiledb_buffer_t *estimates = NULL, *from = NULL, *to = NULL;
  void* data = NULL;
  message_t message = {NULL, 0};
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  sparse_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_READ, TILEDB_UNORDERED);
  CHECK_OK(ctx, tiledb_serialize_query_est_result_sizes(ctx, query, TILEDB_CAPNP, 0, &estimates));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, estimates, &data, &message.size));
  message.bytes = (unsigned char*)data;
  char plan[] = "{\"query\":{\"attributeBufferHeaders\":[{\"name\":\"number\"}],\"layout\":\"unordered\","
                "\"status\":\"UNINITIALIZED\",\"type\":\"READ\",\"reader\":{\"layout\":\"unordered\"}}}";
  message_t request = {(unsigned char*)plan, strlen(plan)};
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &from));
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &to));
  int failed = 0;
  for (int at = 0; at < mutations; at++) {
    message_t bad = mutated(message, &state);
    CHECK_OK(ctx, tiledb_buffer_set_data(ctx, from, bad.bytes, bad.size));
    failed += tiledb_deserialize_query_est_result_sizes(ctx, query, TILEDB_CAPNP, 1, from) != TILEDB_OK;
    free(bad.bytes);
    bad = mutated(request, &state);
    CHECK_OK(ctx, tiledb_buffer_set_data(ctx, from, bad.bytes, bad.size));
    failed += tiledb_handle_query_plan_request(ctx, array, TILEDB_JSON, from, to) != TILEDB_OK;
    free(bad.bytes);
  }
  CHECK(failed > mutations / 10);
  tiledb_buffer_free(&estimates);
  tiledb_buffer_free(&from);
  tiledb_buffer_free(&to);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}
#endif
