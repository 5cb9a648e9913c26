/* Writes and deletes that a server runs. */
#include "query_messages.h"

TEST(writes_of_dense_arrays_are_done_by_the_server) {
  char uri[128];
  int32_t numbers[CELLS], read[CELLS];
  uint64_t size = sizeof numbers;
  const char* name = NULL;
  uint32_t written = 0;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  create_with(ctx, new_number_schema(ctx), uri);
  for (int i = 0; i < CELLS; i++) numbers[i] = 3 * i;
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
  for (int i = 0; i < CELLS; i++) {
    numbers[i] = i, values[i] = i / 2.0, valid[i] = i % 3 != 0, names[i] = (char)('a' + i);
    if (wide)
      starts[i] = (uint64_t)i;
    else
      ((uint32_t*)(void*)starts)[i] = (uint32_t)i;
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
  for (int i = 0; i < CELLS; i++) {
    CHECK_EQ(read_valid[i], valid[i]);
    if (valid[i]) CHECK_EQ((int)(2 * read_values[i]), i);
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

/* Writes random cells of an array of nullable_line, in random order, here or through a server. */
static void write_random(tiledb_ctx_t* ctx, const char* uri, uint64_t seed, int is_remote) {
  int32_t x[POINTS], numbers[POINTS];
  double values[POINTS];
  uint8_t valid[POINTS];
  uint64_t state = seed, cells = 1 + next_random(&state) % POINTS;
  for (int i = 0; i < POINTS; i++) x[i] = i + 1;
  for (uint64_t i = 0; i < cells; i++) {
    uint64_t other = i + next_random(&state) % (POINTS - i);
    int32_t swapped = x[i];
    x[i] = x[other], x[other] = swapped;
    numbers[i] = (int32_t)(next_random(&state) % 1000);
    values[i] = (double)(next_random(&state) % 1000);
    valid[i] = next_random(&state) % 2 == 0;
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
  const char* number = getenv("QUERY_MESSAGES_QUERIES");
  const int writes = number != NULL ? atoi(number) : 40;
  char uri[2][128];
  uint64_t state = 88172645463325252u;
  tiledb_ctx_t* ctx = message_context(NULL, NULL);
  nullable_line(ctx, uri[0]);
  nullable_line(ctx, uri[1]);
  for (int i = 0; i < writes; i++) {
    uint64_t seed = next_random(&state) / 1000 * 1000 + (uint64_t)i % 1000;
    for (int side = 0; side < 2; side++) write_random(ctx, uri[side], seed, side);
    if (i % 8 != 7 && i + 1 != writes) continue;
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
    for (int i = 0; i < per_part; i++) {
      x[i] = part * per_part + i + 1, numbers[i] = 10 * x[i], values[i] = x[i], valid[i] = x[i] % 3 != 0;
      starts[i] = length;
      for (int count = 0; count <= x[i] % 2; count++) names[length++] = (char)('a' + x[i] % 26);
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
    for (int i = 0; i < ALL; i++) {
      CHECK_EQ(numbers[i], 10 * (i + 1));
      CHECK_EQ(valid[i], (i + 1) % 3 != 0);
      if (valid[i]) CHECK(values[i] == i + 1);
      CHECK_EQ(names[starts[i]], 'a' + (i + 1) % 26);
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
TEST(writes_in_global_order_continue_in_the_query_of_the_server) {
  char uri[128];
  int32_t x[2 * 10], numbers[2 * 10], read[POINTS];
  uint64_t sizes[2], size = sizeof read;
  uint32_t written = 0;
  tiledb_ctx_t *ctx = message_context(NULL, NULL), *far = message_context(NULL, NULL);
  create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, POINTS, 10, 0), uri);
  for (int i = 0; i < 20; i++) x[i] = i + 1, numbers[i] = 10 * x[i];
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
  for (int i = 0; i < 10; i++) x[i] = i + 1, numbers[i] = 10 * x[i];
  tiledb_array_t *array = open_array(ctx, uri, TILEDB_WRITE), *opened = NULL;
  tiledb_query_t *query = query_all(ctx, array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER), *server = NULL;
  set_data(ctx, query, "x", x, &sizes[0]);
  set_data(ctx, query, "number", numbers, &sizes[1]);
  message_t first = message_of(ctx, query, 1), response = serve_here(first, uri);
  CHECK_OK(ctx, receive(ctx, response, 1, query));
  for (int i = 0; i < 10; i++) x[i] += 10;
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
  free(response.bytes);
  free(second.bytes);
  tiledb_query_free(&query);
  close_array(ctx, &array);
  tiledb_ctx_free(&ctx);
}
#endif
