/*
 * A test program in plain C, which is also valid C++: tests register themselves and main runs
 * them.
 *
 * TEST(name_as_a_sentence) { CHECK_EQ(1 + 1, 2); }
 * TEST_WITH(ctx, contexts_have_a_configuration) { ... }   with its own context, which is freed
 * afterwards
 *
 * A failing check prints its location and ends its test; the other tests still run. One program is
 * one source file that includes this header once. Test files are created below scratch(), a folder
 * in TMPDIR that is removed at the end.
 */
#ifndef HARNESS_H
#define HARNESS_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

typedef struct harness_test {
  const char* name;
  void (*run)(void);
  struct harness_test* next;
} harness_test_t;

static harness_test_t* harness_first = NULL;
static jmp_buf harness_end_of_test;
static char harness_folder[96];
static int harness_files = 0;

#define TEST(test_name)                                                                 \
  static void test_name(void);                                                          \
  static harness_test_t harness_##test_name = {#test_name, test_name, NULL};            \
  __attribute__((constructor)) static void harness_add_##test_name(void) {              \
    harness_test_t** last = &harness_first;                                             \
    while (*last != NULL) last = &(*last)->next;                                        \
    *last = &harness_##test_name;                                                       \
  }                                                                                     \
  static void test_name(void)

#define TEST_WITH(context, test_name)                                                   \
  static void test_name##_with(tiledb_ctx_t* context);                                  \
  TEST(test_name) {                                                                     \
    tiledb_ctx_t* harness_context = new_context();                                      \
    test_name##_with(harness_context);                                                  \
    tiledb_ctx_free(&harness_context);                                                  \
  }                                                                                     \
  static void test_name##_with(tiledb_ctx_t* context)

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) harness_fail(__FILE__, __LINE__, "%s", #condition);               \
  } while (0)

/* Compares integers and enums. */
#define CHECK_EQ(one, other)                                                            \
  do {                                                                                  \
    long long harness_one = (long long)(one), harness_other = (long long)(other);       \
    if (harness_one != harness_other)                                                   \
      harness_fail(__FILE__, __LINE__, "%s is %lld, not %lld", #one, harness_one, harness_other); \
  } while (0)

/* Compares strings; null equals only null. */
#define CHECK_TEXT(one, other) harness_check_text(__FILE__, __LINE__, #one, (one), (other))

/* Checks that the call succeeds; prints the error of the context otherwise. */
#define CHECK_OK(ctx, call) harness_check_ok(__FILE__, __LINE__, #call, (ctx), (call))

/* Checks that the call fails and that the error of the context contains the text. */
#define CHECK_FAILS(ctx, call, text) harness_check_fails(__FILE__, __LINE__, #call, (ctx), (call), (text))

/* Checks that the call fails with exactly this error of the context, or one with it at a server. */
#define CHECK_ERROR(ctx, call, text) harness_check_error(__FILE__, __LINE__, #call, (ctx), (call), (text))

/*
 * Checks that the function requires a context and, with these arguments after it, fails with this
 * error.
 */
#define CHECK_NEEDS(ctx, text, function, ...)                                           \
  do {                                                                                  \
    CHECK_EQ(function(NULL, __VA_ARGS__), TILEDB_INVALID_CONTEXT);                      \
    CHECK_FAILS(ctx, function(ctx, __VA_ARGS__), text);                                 \
  } while (0)

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), noreturn))
#endif
static void harness_fail(const char* file, int line, const char* format, ...) {
  va_list values;
  va_start(values, format);
  printf("    %s:%d: ", file, line);
  vprintf(format, values);
  printf("\n");
  va_end(values);
  longjmp(harness_end_of_test, 1);
}

/* Returns the message of the context's last error, or "". Valid until the next call. */
static inline const char* harness_error(tiledb_ctx_t* ctx) {
  static char kept[4096];
  tiledb_error_t* error = NULL;
  const char* text = NULL;
  kept[0] = '\0';
  if (tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL) {
    tiledb_error_message(error, &text);
    if (text != NULL) snprintf(kept, sizeof kept, "%s", text);
    tiledb_error_free(&error);
  }
  return kept;
}

/* Returns whether scratch() is on a TileDB server, whose errors contain those of its library. */
static inline int at_server(void) {
  const char* base = getenv("OBJECT_STORE_URI");
  return base != NULL && strncmp(base, "tiledb://", 9) == 0;
}

static inline void harness_check_text(
    const char* file, int line, const char* what, const char* one, const char* other) {
  if (one == other) return;
  if (one == NULL || other == NULL || strcmp(one, other) != 0)
    harness_fail(file, line, "%s is '%s', not '%s'", what, one ? one : "(null)", other ? other : "(null)");
}

static inline void harness_check_ok(const char* file, int line, const char* what, tiledb_ctx_t* ctx, int32_t code) {
  if (code != TILEDB_OK) harness_fail(file, line, "%s gives %d: %s", what, (int)code, harness_error(ctx));
}

/* Returns whether the library follows libtiledb 2.31, which TILEDB_RS_RELEASE=2.31 selects. */
static inline int is_2_31(void) {
  int32_t major = 0, minor = 0, patch = 0;
  tiledb_version(&major, &minor, &patch);
  return major > 2 || minor >= 31;
}

/* Returns the expectation for the release of the library. */
static inline const char* by_release(const char* until_2_30, const char* from_2_31) {
  return is_2_31() ? from_2_31 : until_2_30;
}

/*
 * Returns the text of an error of 2.30 as the release of the library words it: 2.31 has a shorter
 * origin for errors of queries. Valid until the next call.
 */
static inline const char* harness_text(const char* text) {
  static char text_of_2_31[1024];
  const char* origin = "[TileDB::Query] Error: ";
  if (strncmp(text, origin, strlen(origin)) != 0 || !is_2_31()) return text;
  snprintf(text_of_2_31, sizeof text_of_2_31, "Query: %s", text + strlen(origin));
  return text_of_2_31;
}

static inline void harness_check_fails(
    const char* file, int line, const char* what, tiledb_ctx_t* ctx, int32_t code, const char* text) {
  const char* error = harness_error(ctx);
  text = harness_text(text);
  if (code != TILEDB_ERR) harness_fail(file, line, "%s gives %d, not TILEDB_ERR", what, (int)code);
  if (strstr(error, text) == NULL) harness_fail(file, line, "%s says '%s', not '%s'", what, error, text);
}

static inline void harness_check_error(
    const char* file, int line, const char* what, tiledb_ctx_t* ctx, int32_t code, const char* text) {
  const char* error = harness_error(ctx);
  text = harness_text(text);
  if (code != TILEDB_ERR) harness_fail(file, line, "%s gives %d, not TILEDB_ERR", what, (int)code);
  if (at_server() ? strstr(error, text) == NULL : strcmp(error, text) != 0)
    harness_fail(file, line, "%s says '%s', not '%s'", what, error, text);
}

static inline void set_param(tiledb_config_t* config, const char* name, const char* value) {
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_set(config, name, value, &error), TILEDB_OK);
}

/* Returns a configuration with one parameter set, or with the defaults if the name is null. */
static inline tiledb_config_t* config_with(const char* name, const char* value) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  CHECK_EQ(tiledb_config_alloc(&config, &error), TILEDB_OK);
  if (name != NULL) set_param(config, name, value);
  return config;
}

/* Returns a context with the configuration, which is freed; null for the defaults. */
static inline tiledb_ctx_t* context_of(tiledb_config_t* config) {
  tiledb_ctx_t* ctx = NULL;
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  tiledb_config_free(&config);
  return ctx;
}

/* Returns a context with the defaults. */
static inline tiledb_ctx_t* new_context(void) { return context_of(NULL); }

/* Returns a context with one parameter set. */
static inline tiledb_ctx_t* context_with(const char* name, const char* value) {
  return context_of(config_with(name, value));
}

/*
 * Returns a path that is not in use, in a folder of this run or, if OBJECT_STORE_URI is set, in
 * that bucket. Valid until the next call.
 */
static inline const char* scratch(void) {
  static char path[128];
  const char* base = getenv("OBJECT_STORE_URI");
  const char* name = harness_folder + strlen(harness_folder) - strlen("XXXXXX");
  if (base != NULL)
    snprintf(path, sizeof path, "%s/%s/%d", base, name, harness_files++);
  else
    snprintf(path, sizeof path, "%s/%d", harness_folder, harness_files++);
  return path;
}

/* Returns whether scratch() is in a bucket. */
static inline int on_object_store(void) { return getenv("OBJECT_STORE_URI") != NULL; }

/* Returns a local path that is not in use. Valid until the next call. */
static inline const char* scratch_file(void) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%d", harness_folder, harness_files++);
  return path;
}

/* Returns the URI that the library has for a path from scratch(). Valid until the next call. */
static inline const char* uri_of(const char* path) {
  static char uri[160];
  snprintf(uri, sizeof uri, "%s%s", strstr(path, "://") == NULL ? "file://" : "", path);
  return uri;
}

/* Waits for a few milliseconds, so that the next write has a later timestamp. */
static inline void wait_a_moment(void) {
  const struct timespec moment = {0, 3000000};
  nanosleep(&moment, NULL);
}

static inline int harness_remove(const char* path, const struct stat* status, int kind, struct FTW* position) {
  (void)status;
  (void)kind;
  (void)position;
  return remove(path);
}

/* Creates the folder of this run in TMPDIR, or elsewhere if that path is too long for the tests. */
static inline int harness_make_folder(void) {
  const char* parent = getenv("TMPDIR");
  if (parent == NULL || parent[0] != '/' || strlen(parent) > 64) parent = "/tmp";
  size_t length = strlen(parent);
  while (length > 0 && parent[length - 1] == '/') length--;
  snprintf(harness_folder, sizeof harness_folder, "%.*s/tiledb-capi-XXXXXX", (int)length, parent);
  return mkdtemp(harness_folder) != NULL;
}

/* Returns whether HARNESS_SKIP, names separated by blanks, contains the name of a test. */
static inline int harness_skips(const char* name) {
  const char* names = getenv("HARNESS_SKIP");
  const size_t length = strlen(name);
  for (const char* found = names; found != NULL && (found = strstr(found, name)) != NULL; found += length)
    if ((found == names || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0')) return 1;
  return 0;
}

int main(void) {
  volatile int failed = 0, ran = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!harness_make_folder()) {
    perror(harness_folder);
    return 2;
  }
  for (harness_test_t* volatile test = harness_first; test != NULL; test = test->next) {
    if (harness_skips(test->name)) {
      printf("skipped: %s\n", test->name);
      continue;
    }
    printf("%s\n", test->name);
    ran++;
    if (setjmp(harness_end_of_test) == 0)
      test->run();
    else
      failed++;
  }
  nftw(harness_folder, harness_remove, 8, FTW_DEPTH | FTW_PHYS);
  printf("%d tests, %d failed\n", ran, failed);
  return failed != 0 || ran == 0;
}

#endif /* HARNESS_H */
