/*
 * Loads the library at run time, uses it in a thread that ends, and unloads it, a thousand times:
 * memory, open files and threads must not grow, and nothing crashes. This program is not linked
 * with the library, whose path is its first argument.
 *
 * The library stays mapped after the last dlclose (-z nodelete), because its worker threads and
 * thread-exit destructors execute its code. Loading it again is therefore cheap and finds the
 * existing workers.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <dirent.h>
#include <dlfcn.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tiledb/tiledb.h>

/*
 * The number of rounds, the number of rounds after which caches are filled, the cells of the array,
 * and how much memory may grow between the round WARM and the last one.
 */
enum { ROUNDS = 1000, WARM = 100, CELLS = 200000, MOST_GROWTH_KB = 2048 };

static char folder[4096];

/* The functions that a round uses, looked up in each round. */
typedef struct {
#define FUNCTIONS(X)                                                                                           \
  X(ctx_alloc) X(ctx_free) X(dimension_alloc) X(dimension_free) X(domain_alloc) X(domain_add_dimension)         \
  X(domain_free) X(filter_alloc) X(filter_free) X(filter_list_alloc) X(filter_list_add_filter) X(filter_list_free) \
  X(attribute_alloc) X(attribute_set_filter_list) X(attribute_free) X(array_schema_alloc)                       \
  X(array_schema_set_domain) X(array_schema_add_attribute) X(array_schema_free) X(array_create) X(array_alloc)  \
  X(array_open) X(array_close) X(array_free) X(query_alloc) X(query_set_subarray_t) X(query_set_data_buffer)    \
  X(query_submit) X(query_free) X(subarray_alloc) X(subarray_add_range) X(subarray_free)
#define MEMBER(name) __typeof__(&tiledb_##name) name;
  FUNCTIONS(MEMBER)
} functions_t;

static int find(void* library, functions_t* functions) {
#define FIND(name)                                                   \
  *(void**)&functions->name = dlsym(library, "tiledb_" #name);       \
  if (functions->name == NULL) return -1;
  FUNCTIONS(FIND)
  return 0;
}

#define OK(call)                                           \
  do {                                                     \
    if ((call) != TILEDB_OK) return "fails: " #call;       \
  } while (0)

/* Creates an array. Here and below, returns the problem, or null on success. */
static const char* create(const functions_t* f, tiledb_ctx_t* ctx, const char* uri) {
  int32_t bounds[2] = {1, CELLS}, extent = CELLS / 8;
  tiledb_dimension_t* x;
  tiledb_domain_t* domain;
  tiledb_filter_t* filter;
  tiledb_filter_list_t* filters;
  tiledb_attribute_t* attribute;
  tiledb_array_schema_t* schema;
  OK(f->dimension_alloc(ctx, "x", TILEDB_INT32, bounds, &extent, &x));
  OK(f->domain_alloc(ctx, &domain));
  OK(f->domain_add_dimension(ctx, domain, x));
  OK(f->filter_alloc(ctx, TILEDB_FILTER_ZSTD, &filter));
  OK(f->filter_list_alloc(ctx, &filters));
  OK(f->filter_list_add_filter(ctx, filters, filter));
  OK(f->attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  OK(f->attribute_set_filter_list(ctx, attribute, filters));
  OK(f->array_schema_alloc(ctx, TILEDB_DENSE, &schema));
  OK(f->array_schema_set_domain(ctx, schema, domain));
  OK(f->array_schema_add_attribute(ctx, schema, attribute));
  OK(f->array_create(ctx, uri, schema));
  f->array_schema_free(&schema);
  f->attribute_free(&attribute);
  f->filter_list_free(&filters);
  f->filter_free(&filter);
  f->domain_free(&domain);
  f->dimension_free(&x);
  return NULL;
}

/* Writes or reads all cells. */
static const char* query(
    const functions_t* f, tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, int32_t* cells) {
  int32_t bounds[2] = {1, CELLS};
  uint64_t size = CELLS * sizeof *cells;
  tiledb_array_t* array;
  tiledb_query_t* query;
  tiledb_subarray_t* subarray;
  OK(f->array_alloc(ctx, uri, &array));
  OK(f->array_open(ctx, array, type));
  OK(f->query_alloc(ctx, array, type, &query));
  OK(f->subarray_alloc(ctx, array, &subarray));
  OK(f->subarray_add_range(ctx, subarray, 0, &bounds[0], &bounds[1], NULL));
  OK(f->query_set_subarray_t(ctx, query, subarray));
  OK(f->query_set_data_buffer(ctx, query, "a", cells, &size));
  OK(f->query_submit(ctx, query));
  f->subarray_free(&subarray);
  f->query_free(&query);
  OK(f->array_close(ctx, array));
  f->array_free(&array);
  return size == CELLS * sizeof *cells ? NULL : "other cells than expected";
}

typedef struct {
  const functions_t* functions;
  const char* uri;
  int is_first;
  int32_t* cells;
  const char* problem;
} round_t;

/* Reads the array; in the first round, creates and writes it before. */
static const char* use(round_t* round) {
  const functions_t* f = round->functions;
  tiledb_ctx_t* ctx;
  OK(f->ctx_alloc(NULL, &ctx));
  if (round->is_first) {
    const char* problem = create(f, ctx, round->uri);
    for (int32_t i = 0; i < CELLS; i++) round->cells[i] = i / 3;
    if (problem == NULL) problem = query(f, ctx, round->uri, TILEDB_WRITE, round->cells);
    if (problem != NULL) return problem;
  }
  memset(round->cells, 0, CELLS * sizeof *round->cells);
  const char* problem = query(f, ctx, round->uri, TILEDB_READ, round->cells);
  for (int32_t i = 0; problem == NULL && i < CELLS; i++)
    if (round->cells[i] != i / 3) problem = "a cell is not what was written";
  f->ctx_free(&ctx);
  return problem;
}

static void* run(void* argument) {
  round_t* round = (round_t*)argument;
  round->problem = use(round);
  return NULL;
}

/* Returns a number of /proc/self/status. */
static long status_of(const char* field) {
  char line[256];
  long value = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, field, strlen(field)) == 0) value = strtol(line + strlen(field), NULL, 10);
  if (status != NULL) fclose(status);
  return value;
}

static long open_files(void) {
  long number = 0;
  DIR* files = opendir("/proc/self/fd");
  while (files != NULL && readdir(files) != NULL) number++;
  if (files != NULL) closedir(files);
  return number;
}

static int unlink_entry(const char* path, const struct stat* about, int type, struct FTW* position) {
  (void)about, (void)type, (void)position;
  return remove(path);
}

static const char* check(const char* library_path) {
  static char uri[sizeof folder + 8];
  long memory = 0, files = 0, threads = 0;
  int32_t* cells = (int32_t*)malloc(CELLS * sizeof *cells);
  if (cells == NULL) return "no memory";
  snprintf(uri, sizeof uri, "%s/array", folder);
  for (int i = 0; i < ROUNDS; i++) {
    functions_t functions;
    round_t round = {&functions, uri, i == 0, cells, "was not run"};
    pthread_t thread;
    void* library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
    if (find(library, &functions) != 0) return "a function is missing";
    if (pthread_create(&thread, NULL, run, &round) != 0 || pthread_join(thread, NULL) != 0) return "no thread";
    if (round.problem != NULL) return round.problem;
    if (dlclose(library) != 0) return dlerror();
    if (i == WARM) {
      memory = status_of("VmRSS:");
      files = open_files();
      threads = status_of("Threads:");
    }
  }
  free(cells);
  printf("memory %ld KB, then %ld KB; files %ld, then %ld; threads %ld, then %ld\n", memory, status_of("VmRSS:"), files,
    open_files(), threads, status_of("Threads:"));
  if (status_of("VmRSS:") > memory + MOST_GROWTH_KB) return "memory grows";
  if (open_files() > files) return "files stay open";
  return status_of("Threads:") > threads ? "threads grow" : NULL;
}

int main(int count, char** arguments) {
  const char* parent = getenv("TMPDIR");
  if (parent == NULL || *parent == '\0') parent = "/tmp";
  if (snprintf(folder, sizeof folder, "%s/tiledb-loading-XXXXXX", parent) >= (int)sizeof folder) return 2;
  if (count != 2 || mkdtemp(folder) == NULL) return 2;
  const char* problem = check(arguments[1]);
  nftw(folder, unlink_entry, 16, FTW_DEPTH | FTW_PHYS);
  if (problem != NULL) printf("%s\n", problem);
  return problem != NULL;
}
