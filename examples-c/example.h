/* Common parts of the examples: error handling, the clock, removal of earlier output. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tiledb/tiledb.h>

static inline void fail(const char* what) {
  fprintf(stderr, "error: %s\n", what);
  exit(1);
}

/* Ends the program with the error message, if there is an error. */
static inline void ok(tiledb_ctx_t* ctx, int32_t code) {
  tiledb_error_t* error = NULL;
  const char* text = NULL;
  if (code == TILEDB_OK) return;
  if (tiledb_ctx_get_last_error(ctx, &error) != TILEDB_OK || error == NULL ||
      tiledb_error_message(error, &text) != TILEDB_OK)
    fail("an error without a text");
  fail(text);
}

static inline double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Removes the output of an earlier run. */
static inline void remove_old(tiledb_ctx_t* ctx, const char* uri) {
  tiledb_vfs_t* vfs = NULL;
  int32_t exists = 0;
  ok(ctx, tiledb_vfs_alloc(ctx, NULL, &vfs));
  ok(ctx, tiledb_vfs_is_dir(ctx, vfs, uri, &exists));
  if (exists) ok(ctx, tiledb_vfs_remove_dir(ctx, vfs, uri));
  tiledb_vfs_free(&vfs);
}

#endif
