/* Damaged messages of queries. Not for libtiledb, which reads beyond their ends. */
#include "query_messages.h"

/* Changes up to three bytes, and cuts the message sometimes. */
static message_t mutated(message_t message, uint64_t* state) {
  message_t copy = {(unsigned char*)malloc(message.size + 8), message.size};
  memcpy(copy.bytes, message.bytes, message.size);
  for (uint64_t left = next_random(state) % 4; left > 0; left--) {
    static const unsigned char values[] = {0, 1, 127, 128, 255};
    uint64_t i = next_random(state) % copy.size, kind = next_random(state) % 6;
    copy.bytes[i] = kind < 5 ? values[kind] : (unsigned char)next_random(state);
  }
  if (next_random(state) % 4 == 0) copy.size = next_random(state) % (copy.size + 1);
  return copy;
}

TEST(damaged_messages_do_not_crash_the_receiver) {
  const char* number = getenv("QUERY_MESSAGES_MUTATIONS");
  const int mutations = number != NULL ? atoi(number) : 300;
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
  for (int i = 0; i < mutations; i++) {
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

TEST(damaged_requests_and_estimates_are_errors) {
  const char* number = getenv("QUERY_MESSAGES_MUTATIONS");
  const int mutations = number != NULL ? atoi(number) : 300;
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
  for (int i = 0; i < mutations; i++) {
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
