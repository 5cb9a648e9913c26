/* Parts that programs which measure the library share. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tiledb/tiledb.h>

/* The context of all calls; the program creates it first. */
static tiledb_ctx_t* ctx;

/* Ends the program with the error of the context if a call failed. */
static void ok(int32_t code) {
  tiledb_error_t* error = NULL;
  const char* text = "no message";
  if (code == TILEDB_OK) return;
  if (tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL) tiledb_error_message(error, &text);
  fprintf(stderr, "error: %s\n", text);
  exit(1);
}

/* Returns the CPU time of the process, all threads, in milliseconds. */
static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Returns memory that is not initialized, or ends the program. */
static void* allocate(size_t size) {
  void* memory = malloc(size);
  if (memory == NULL) {
    fprintf(stderr, "error: out of memory\n");
    exit(1);
  }
  return memory;
}

#endif
