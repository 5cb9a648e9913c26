/*
 * Children of fork use inherited contexts and arrays while threads of the parent are active. Not
 * run on libtiledb, whose children hang in most cases. TILEDB_RS_FORKS is the number of children
 * (default 100).
 */
#include "arrays.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { THREADS = 3, POINTS = 5000, SECONDS = 20 };

typedef struct {
  tiledb_ctx_t* ctx;
  tiledb_array_t* dense;
  tiledb_array_t* sparse;
} shared_t;

static volatile int stop = 0;

/* Reads the whole dense array and returns whether the cells are right. */
static int read_dense(const shared_t* in) {
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  int32_t numbers[CELLS], low = 1, rows = ROWS, columns = COLUMNS;
  uint64_t size = sizeof numbers;
  int ok = tiledb_query_alloc(in->ctx, in->dense, TILEDB_READ, &query) == TILEDB_OK &&
           tiledb_subarray_alloc(in->ctx, in->dense, &subarray) == TILEDB_OK &&
           tiledb_subarray_add_range(in->ctx, subarray, 0, &low, &rows, NULL) == TILEDB_OK &&
           tiledb_subarray_add_range(in->ctx, subarray, 1, &low, &columns, NULL) == TILEDB_OK &&
           tiledb_query_set_subarray_t(in->ctx, query, subarray) == TILEDB_OK &&
           tiledb_query_set_data_buffer(in->ctx, query, "number", numbers, &size) == TILEDB_OK &&
           tiledb_query_submit(in->ctx, query) == TILEDB_OK && size == sizeof numbers;
  for (int i = 0; ok && i < CELLS; i++) ok = numbers[i] == i;
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  return ok;
}

/* Reads a range of the sparse array and returns whether the cells are right. */
static int read_sparse(const shared_t* in) {
  static _Thread_local int64_t coordinates[POINTS];
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  int64_t low = 100, high = 100 + POINTS / 2 - 1;
  uint64_t size = sizeof coordinates;
  int ok = tiledb_query_alloc(in->ctx, in->sparse, TILEDB_READ, &query) == TILEDB_OK &&
           tiledb_query_set_layout(in->ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK &&
           tiledb_subarray_alloc(in->ctx, in->sparse, &subarray) == TILEDB_OK &&
           tiledb_subarray_add_range(in->ctx, subarray, 0, &low, &high, NULL) == TILEDB_OK &&
           tiledb_query_set_subarray_t(in->ctx, query, subarray) == TILEDB_OK &&
           tiledb_query_set_data_buffer(in->ctx, query, "d", coordinates, &size) == TILEDB_OK &&
           tiledb_query_submit(in->ctx, query) == TILEDB_OK && size == POINTS / 2 * sizeof *coordinates;
  for (int i = 0; ok && i < POINTS / 2; i++) ok = coordinates[i] == 100 + i;
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  return ok;
}

static void* keep_busy(void* argument) {
  const shared_t* in = (const shared_t*)argument;
  while (!stop)
    if (!read_dense(in) || !read_sparse(in)) return argument;
  return NULL;
}

static void new_dense(shared_t* in) {
  char uri[128];
  int32_t numbers[CELLS], ranges[4] = {1, ROWS, 1, COLUMNS};
  for (int i = 0; i < CELLS; i++) numbers[i] = i;
  create_with(in->ctx, new_number_schema(in->ctx), uri);
  write_box(in->ctx, uri, 1, ranges, numbers);
  in->dense = open_array(in->ctx, uri, TILEDB_READ);
}

static void new_sparse(shared_t* in) {
  static int64_t coordinates[POINTS];
  static int32_t numbers[POINTS];
  char uri[128];
  int64_t bounds[2] = {0, 1000000}, extent = 1000;
  uint64_t size = sizeof coordinates, numbers_size = sizeof numbers;
  tiledb_dimension_t* dimension = NULL;
  CHECK_OK(in->ctx, tiledb_dimension_alloc(in->ctx, "d", TILEDB_INT64, bounds, &extent, &dimension));
  tiledb_array_schema_t* schema = schema_on(in->ctx, TILEDB_SPARSE, dimension, NULL);
  CHECK_OK(in->ctx, tiledb_array_schema_set_capacity(in->ctx, schema, 50));
  add_attribute(in->ctx, schema, "number", TILEDB_INT32, 1, 0);
  create_with(in->ctx, schema, uri);
  for (int i = 0; i < POINTS; i++) coordinates[i] = i;
  tiledb_array_t* array = open_array(in->ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  CHECK_OK(in->ctx, tiledb_query_alloc(in->ctx, array, TILEDB_WRITE, &query));
  CHECK_OK(in->ctx, tiledb_query_set_layout(in->ctx, query, TILEDB_UNORDERED));
  CHECK_OK(in->ctx, tiledb_query_set_data_buffer(in->ctx, query, "d", coordinates, &size));
  CHECK_OK(in->ctx, tiledb_query_set_data_buffer(in->ctx, query, "number", numbers, &numbers_size));
  submit(in->ctx, query, TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(in->ctx, &array);
  in->sparse = open_array(in->ctx, uri, TILEDB_READ);
}

/* Waits at most SECONDS for a child and returns whether it succeeded. */
static int ended_well(pid_t child) {
  const struct timespec moment = {0, 1000000};
  int status = 0;
  for (int waited = 0; waited < SECONDS * 1000; waited++) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    nanosleep(&moment, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 0;
}

TEST(children_read_inherited_arrays) {
  shared_t in = {new_context(), NULL, NULL};
  pthread_t threads[THREADS];
  const char* expected = getenv("TILEDB_RS_FORKS");
  const int forks = expected == NULL ? 100 : atoi(expected);
  int well = 0;
  new_dense(&in);
  new_sparse(&in);
  stop = 0;
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, keep_busy, &in), 0);
  for (int i = 0; i < forks; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(read_dense(&in) && read_sparse(&in) && read_dense(&in) ? 0 : 1);
    well += ended_well(child);
  }
  stop = 1;
  for (int i = 0; i < THREADS; i++) {
    void* failed = NULL;
    CHECK_EQ(pthread_join(threads[i], &failed), 0);
    CHECK(failed == NULL);
  }
  printf("    %d of %d children ended well\n", well, forks);
  CHECK_EQ(well, forks);
  close_array(in.ctx, &in.dense);
  close_array(in.ctx, &in.sparse);
  tiledb_ctx_free(&in.ctx);
}

static void* ask_for_names(void* argument) {
  const char* name = NULL;
  while (!stop)
    for (uint32_t i = 0; i < 40; i++) tiledb_datatype_to_str((tiledb_datatype_t)i, &name);
  return argument;
}

TEST(children_look_up_names_concurrently_with_the_parent) {
  pthread_t threads[THREADS];
  enum { FORKS = 100 };
  int well = 0;
  stop = 0;
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, ask_for_names, NULL), 0);
  for (int i = 0; i < FORKS && well == i; i++) {
    const char* name = NULL;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(tiledb_datatype_to_str(TILEDB_INT32, &name) == TILEDB_OK ? 0 : 1);
    well += ended_well(child);
  }
  stop = 1;
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
  CHECK_EQ(well, FORKS);
}

/* Handles that threads of the parent lock continuously, some of them for writing. */
typedef struct {
  tiledb_ctx_t* ctx;
  tiledb_array_t* array;
  tiledb_config_t* config;
  tiledb_group_t* group;
  tiledb_query_t* query;
  tiledb_subarray_t* subarray;
} contended_t;

/*
 * Calls that lock each handle for reading and for writing. Their results are ignored, because
 * several threads reopen one array and run one query at the same time.
 */
static void use_handles(const contended_t* in, int number) {
  static _Thread_local int32_t numbers[CELLS];
  uint64_t size = sizeof numbers, member_num = 0;
  int32_t low = 1, high = 1 + number % ROWS, is_open = 0;
  const char* value = NULL;
  tiledb_error_t* error = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_reopen(in->ctx, in->array);
  tiledb_array_is_open(in->ctx, in->array, &is_open);
  if (tiledb_array_get_schema(in->ctx, in->array, &schema) == TILEDB_OK) tiledb_array_schema_free(&schema);
  tiledb_config_set(in->config, "sm.tile_cache_size", number % 2 ? "1000" : "2000", &error);
  if (error != NULL) tiledb_error_free(&error);
  tiledb_config_get(in->config, "sm.tile_cache_size", &value, &error);
  if (error != NULL) tiledb_error_free(&error);
  tiledb_group_get_member_count(in->ctx, in->group, &member_num);
  tiledb_subarray_add_range(in->ctx, in->subarray, 0, &low, &high, NULL);
  tiledb_query_set_data_buffer(in->ctx, in->query, "number", numbers, &size);
  tiledb_query_submit(in->ctx, in->query);
}

static contended_t new_contended(void) {
  contended_t made = {new_context(), NULL, NULL, NULL, NULL, NULL};
  shared_t arrays = {made.ctx, NULL, NULL};
  tiledb_error_t* error = NULL;
  char uri[128];
  new_dense(&arrays);
  made.array = arrays.dense;
  CHECK_EQ(tiledb_config_alloc(&made.config, &error), TILEDB_OK);
  snprintf(uri, sizeof uri, "%s", scratch());
  CHECK_OK(made.ctx, tiledb_group_create(made.ctx, uri));
  CHECK_OK(made.ctx, tiledb_group_alloc(made.ctx, uri, &made.group));
  CHECK_OK(made.ctx, tiledb_group_open(made.ctx, made.group, TILEDB_READ));
  CHECK_OK(made.ctx, tiledb_query_alloc(made.ctx, made.array, TILEDB_READ, &made.query));
  CHECK_OK(made.ctx, tiledb_subarray_alloc(made.ctx, made.array, &made.subarray));
  return made;
}

static void* keep_locking(void* argument) {
  for (int number = 0; !stop; number++) use_handles((const contended_t*)argument, number);
  return argument;
}

TEST(children_never_hang_on_locks_of_the_parents_threads) {
  contended_t in = new_contended();
  pthread_t threads[THREADS];
  const char* expected = getenv("TILEDB_RS_FORKS");
  const int forks = expected == NULL ? 100 : atoi(expected);
  int ended = 0;
  stop = 0;
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, keep_locking, &in), 0);
  for (int i = 0; i < forks && ended == i; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      for (int number = 0; number < 3; number++) use_handles(&in, number);
      _exit(0);
    }
    ended += ended_well(child);
  }
  stop = 1;
  for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
  printf("    %d of %d children ended\n", ended, forks);
  CHECK_EQ(ended, forks);
  tiledb_subarray_free(&in.subarray);
  tiledb_query_free(&in.query);
  tiledb_group_free(&in.group);
  tiledb_config_free(&in.config);
  close_array(in.ctx, &in.array);
  tiledb_ctx_free(&in.ctx);
}

/* Returns the number of threads of this process. */
static int thread_num(void) {
  int number = -1;
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "Threads: %d", &number) == 1) break;
  fclose(status);
  return number;
}

TEST(a_thousand_contexts_add_no_thread) {
  static tiledb_ctx_t* contexts[1000];
  const int before = thread_num();
  for (int i = 0; i < 1000; i++) contexts[i] = new_context();
  CHECK_EQ(thread_num(), before);
  for (int i = 0; i < 1000; i++) tiledb_ctx_free(&contexts[i]);
}
