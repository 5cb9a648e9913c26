/* Airports as columns, and reading them from a table of longitude, latitude and name. */
#ifndef AIRPORTS_H
#define AIRPORTS_H

#include "example.h"

enum { LONGEST_LINE = 512 };

/*
 * Columns of `number` airports. Name n is the bytes from `starts[n]` to the next start, or to the
 * end.
 */
typedef struct {
  uint64_t number, names_size;
  double *longitude, *latitude;
  uint64_t* starts;
  char* names;
} airports_t;

static inline airports_t new_airports(uint64_t number, uint64_t names_size) {
  airports_t airports = {number, names_size, NULL, NULL, NULL, NULL};
  airports.longitude = calloc(number, sizeof(double));
  airports.latitude = calloc(number, sizeof(double));
  airports.starts = calloc(number, sizeof(uint64_t));
  airports.names = calloc(names_size, 1);
  if (airports.longitude == NULL || airports.latitude == NULL || airports.starts == NULL || airports.names == NULL)
    fail("out of memory");
  return airports;
}

static inline void free_airports(airports_t airports) {
  free(airports.longitude);
  free(airports.latitude);
  free(airports.starts);
  free(airports.names);
}

static inline airports_t read_airports(const char* path) {
  char line[LONGEST_LINE];
  uint64_t rows = 0, size = 0;
  FILE* file = fopen(path, "r");
  if (file == NULL) fail("cannot open the table");
  while (fgets(line, sizeof line, file) != NULL) {
    rows++;
    size += strlen(line);
  }
  rewind(file);
  if (rows < 2 || fgets(line, sizeof line, file) == NULL) fail("the table has no rows");
  airports_t airports = new_airports(rows - 1, size);
  airports.names_size = 0;
  for (uint64_t row = 0; row < airports.number && fgets(line, sizeof line, file) != NULL; row++) {
    int at = 0;
    if (sscanf(line, "%lf,%lf,%n", &airports.longitude[row], &airports.latitude[row], &at) != 2 || at == 0)
      fail("a row is not longitude,latitude,name");
    size_t length = strcspn(line + at, "\r\n");
    airports.starts[row] = airports.names_size;
    memcpy(airports.names + airports.names_size, line + at, length);
    airports.names_size += length;
  }
  fclose(file);
  return airports;
}

#endif
