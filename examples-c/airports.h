/* Places of the earth as columns, and reading them from a table of longitude, latitude and name. */
#ifndef PLACES_H
#define PLACES_H

#include "example.h"

enum { LONGEST_LINE = 512 };

/* Columns of `number` places. Name n is the bytes from `starts[n]` to the next start, or to the end. */
typedef struct {
  uint64_t number, names_size;
  double *longitude, *latitude;
  uint64_t* starts;
  char* names;
} places_t;

static inline places_t new_places(uint64_t number, uint64_t names_size) {
  places_t places = {number, names_size, NULL, NULL, NULL, NULL};
  places.longitude = calloc(number, sizeof(double));
  places.latitude = calloc(number, sizeof(double));
  places.starts = calloc(number, sizeof(uint64_t));
  places.names = calloc(names_size, 1);
  if (places.longitude == NULL || places.latitude == NULL || places.starts == NULL || places.names == NULL)
    fail("out of memory");
  return places;
}

static inline void free_places(places_t places) {
  free(places.longitude);
  free(places.latitude);
  free(places.starts);
  free(places.names);
}

static inline places_t read_places(const char* path) {
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
  places_t places = new_places(rows - 1, size);
  places.names_size = 0;
  for (uint64_t row = 0; row < places.number && fgets(line, sizeof line, file) != NULL; row++) {
    int at = 0;
    if (sscanf(line, "%lf,%lf,%n", &places.longitude[row], &places.latitude[row], &at) != 2 || at == 0)
      fail("a row is not longitude,latitude,name");
    size_t length = strcspn(line + at, "\r\n");
    places.starts[row] = places.names_size;
    memcpy(places.names + places.names_size, line + at, length);
    places.names_size += length;
  }
  fclose(file);
  return places;
}

#endif
