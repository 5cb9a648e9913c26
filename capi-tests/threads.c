/* Concurrency: one array, several contexts, and operations that another thread cancels. */
#include "arrays.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 8, ROUNDS = 10, LARGE = 4000000 };

typedef struct {
  tiledb_ctx_t* ctx;
  tiledb_array_t* array;
  const char* uri;
  int32_t number;
  int failures;
  volatile int done;
} worker_t;

/*
 * Reads the array of worker->array and counts wrong cells. The checks of the harness support only
 * one thread.
 */
static void* read_rounds(void* argument) {
  worker_t* worker = (worker_t*)argument;
  for (int round = 0; round < ROUNDS; round++) {
    tiledb_query_t* query = NULL;
    tiledb_subarray_t* subarray = NULL;
    int32_t numbers[CELLS], first = 1 + (worker->number + round) % ROWS, last = ROWS, low = 1, high = COLUMNS;
    uint64_t size = sizeof numbers;
    tiledb_query_status_t status = TILEDB_FAILED;
    int ok = tiledb_query_alloc(worker->ctx, worker->array, TILEDB_READ, &query) == TILEDB_OK &&
             tiledb_subarray_alloc(worker->ctx, worker->array, &subarray) == TILEDB_OK &&
             tiledb_subarray_add_range(worker->ctx, subarray, 0, &first, &last, NULL) == TILEDB_OK &&
             tiledb_subarray_add_range(worker->ctx, subarray, 1, &low, &high, NULL) == TILEDB_OK &&
             tiledb_query_set_subarray_t(worker->ctx, query, subarray) == TILEDB_OK &&
             tiledb_query_set_data_buffer(worker->ctx, query, "number", numbers, &size) == TILEDB_OK &&
             tiledb_query_submit(worker->ctx, query) == TILEDB_OK &&
             tiledb_query_get_status(worker->ctx, query, &status) == TILEDB_OK;
    int cells = COLUMNS * (last - first + 1);
    ok = ok && status == TILEDB_COMPLETED && size == cells * sizeof *numbers;
    for (int i = 0; ok && i < cells; i++) ok = numbers[i] == COLUMNS * (first - 1) + i;
    worker->failures += !ok;
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
  }
  return NULL;
}

/* Opens the array in its own context and reads it. */
static void* read_alone(void* argument) {
  worker_t* worker = (worker_t*)argument;
  int ok = tiledb_ctx_alloc(NULL, &worker->ctx) == TILEDB_OK &&
           tiledb_array_alloc(worker->ctx, worker->uri, &worker->array) == TILEDB_OK &&
           tiledb_array_open(worker->ctx, worker->array, TILEDB_READ) == TILEDB_OK;
  if (ok) read_rounds(worker);
  worker->failures += !ok;
  tiledb_array_free(&worker->array);
  tiledb_ctx_free(&worker->ctx);
  return NULL;
}

/* Writes half a row: each pair of threads has a row. */
static void* write_part(void* argument) {
  worker_t* worker = (worker_t*)argument;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  const int32_t half = COLUMNS / 2, row = 1 + worker->number / 2;
  int32_t low = 1 + worker->number % 2 * half, high = low + half - 1, numbers[COLUMNS / 2];
  uint64_t size = sizeof numbers;
  for (int32_t i = 0; i < half; i++) numbers[i] = COLUMNS * (row - 1) + low - 1 + i;
  int ok = tiledb_query_alloc(worker->ctx, worker->array, TILEDB_WRITE, &query) == TILEDB_OK &&
           tiledb_subarray_alloc(worker->ctx, worker->array, &subarray) == TILEDB_OK &&
           tiledb_subarray_add_range(worker->ctx, subarray, 0, &row, &row, NULL) == TILEDB_OK &&
           tiledb_subarray_add_range(worker->ctx, subarray, 1, &low, &high, NULL) == TILEDB_OK &&
           tiledb_query_set_subarray_t(worker->ctx, query, subarray) == TILEDB_OK &&
           tiledb_query_set_data_buffer(worker->ctx, query, "number", numbers, &size) == TILEDB_OK &&
           tiledb_query_submit(worker->ctx, query) == TILEDB_OK;
  worker->failures += !ok;
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  return NULL;
}

static void run_all(worker_t* workers, void* (*run)(void*)) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) CHECK_EQ(workers[i].failures, 0);
}

static void set_up(worker_t* workers, tiledb_ctx_t* ctx, tiledb_array_t* array, const char* uri) {
  memset(workers, 0, THREADS * sizeof *workers);
  for (int i = 0; i < THREADS; i++) {
    workers[i].ctx = ctx;
    workers[i].array = array;
    workers[i].uri = uri;
    workers[i].number = i;
  }
}

TEST_WITH(ctx, threads_write_and_read_one_array_at_once) {
  char uri[128];
  worker_t workers[THREADS];
  create_with(ctx, new_number_schema(ctx), uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  set_up(workers, ctx, array, uri);
  run_all(workers, write_part);
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  set_up(workers, ctx, array, uri);
  run_all(workers, read_rounds);
  close_array(ctx, &array);
  set_up(workers, NULL, NULL, uri);
  run_all(workers, read_alone);
}

/* Reads a large array repeatedly until a read fails. */
static void* read_until_cancelled(void* argument) {
  worker_t* worker = (worker_t*)argument;
  int32_t* numbers = (int32_t*)malloc(LARGE * sizeof *numbers);
  int32_t code = TILEDB_OK, low = 1, high = LARGE;
  while (numbers != NULL && code == TILEDB_OK && worker->done == 0) {
    tiledb_query_t* query = NULL;
    tiledb_subarray_t* subarray = NULL;
    uint64_t size = LARGE * sizeof *numbers;
    tiledb_query_status_t status = TILEDB_UNINITIALIZED;
    worker->failures += tiledb_query_alloc(worker->ctx, worker->array, TILEDB_READ, &query) != TILEDB_OK ||
                        tiledb_subarray_alloc(worker->ctx, worker->array, &subarray) != TILEDB_OK ||
                        tiledb_subarray_add_range(worker->ctx, subarray, 0, &low, &high, NULL) != TILEDB_OK ||
                        tiledb_query_set_subarray_t(worker->ctx, query, subarray) != TILEDB_OK ||
                        tiledb_query_set_data_buffer(worker->ctx, query, "number", numbers, &size) != TILEDB_OK;
    code = tiledb_query_submit(worker->ctx, query);
    worker->failures += tiledb_query_get_status(worker->ctx, query, &status) != TILEDB_OK;
    worker->failures += code != TILEDB_OK ? status == TILEDB_COMPLETED : status != TILEDB_COMPLETED;
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
  }
  worker->done = code == TILEDB_OK ? 2 : 1;
  free(numbers);
  return NULL;
}

TEST_WITH(ctx, a_read_that_another_thread_cancels_ends_with_an_error) {
  tiledb_dimension_t* x = new_dimension(ctx, "x", LARGE, 1000);
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_t* query = NULL;
  char uri[128];
  int32_t low = 1, high = LARGE, *numbers = (int32_t*)malloc(LARGE * sizeof *numbers);
  uint64_t size = LARGE * sizeof *numbers;
  CHECK(numbers != NULL);
  for (int32_t i = 0; i < LARGE; i++) numbers[i] = i;
  tiledb_array_schema_t* schema = schema_on(ctx, TILEDB_DENSE, x, NULL);
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(ctx, schema, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  CHECK_OK(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL));
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", numbers, &size));
  CHECK_OK(ctx, tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
  free(numbers);
  array = open_array(ctx, uri, TILEDB_READ);

  worker_t worker;
  pthread_t thread;
  memset(&worker, 0, sizeof worker);
  worker.ctx = ctx;
  worker.array = array;
  CHECK_EQ(pthread_create(&thread, NULL, read_until_cancelled, &worker), 0);
  for (int tries = 0; tries < 2000 && worker.done == 0; tries++) {
    const struct timespec pause = {0, 3000000};
    nanosleep(&pause, NULL);
    CHECK_OK(ctx, tiledb_ctx_cancel_tasks(ctx));
  }
  if (worker.done == 0) worker.done = 3;
  CHECK_EQ(pthread_join(thread, NULL), 0);
  CHECK_EQ(worker.done, 1);
  CHECK_EQ(worker.failures, 0);
  close_array(ctx, &array);

  /* Operations started later are not affected. */
  array = open_array(ctx, uri, TILEDB_READ);
  int32_t some[4], four = 4;
  CHECK_OK(ctx, tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  CHECK_OK(ctx, tiledb_subarray_alloc(ctx, array, &subarray));
  CHECK_OK(ctx, tiledb_subarray_add_range(ctx, subarray, 0, &low, &four, NULL));
  CHECK_OK(ctx, tiledb_query_set_subarray_t(ctx, query, subarray));
  size = sizeof some;
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", some, &size));
  submit(ctx, query, TILEDB_COMPLETED);
  CHECK_EQ(some[3], 3);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  close_array(ctx, &array);
}
