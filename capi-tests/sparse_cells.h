/* Cells of sparse arrays, and checks of the fragments that they are written to. */
#ifndef SPARSE_CELLS_H
#define SPARSE_CELLS_H

#include "arrays.h"

enum { MOST = 16 };

/*
 * Creates an array of cells x (int32, 1 to 100, tiles of 10) and name (string) with the attribute
 * number (int32); two cells per tile.
 */
static inline void create(tiledb_ctx_t* ctx, tiledb_layout_t cell_order, int dups, char* uri) {
  tiledb_array_schema_t* schema =
      schema_on(ctx, TILEDB_SPARSE, new_dimension(ctx, "x", 100, 10), text_dimension(ctx, "name"));
  CHECK_OK(ctx, tiledb_array_schema_set_cell_order(ctx, schema, cell_order));
  CHECK_OK(ctx, tiledb_array_schema_set_capacity(ctx, schema, 2));
  CHECK_OK(ctx, tiledb_array_schema_set_allows_dups(ctx, schema, dups));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  create_with(ctx, schema, uri);
}

typedef struct cells {
  int32_t x[MOST], number[MOST];
  char names[MOST];
  uint64_t starts[MOST];
  uint64_t x_size, number_size, names_size, starts_size;
} cells_t;

/* Returns cells with these x, and names of one letter. */
static inline cells_t cells_at(const int32_t* x, const char* names) {
  cells_t cells;
  size_t number = strlen(names);
  memset(&cells, 0, sizeof cells);
  for (size_t i = 0; i < number; i++) {
    cells.x[i] = x[i];
    cells.number[i] = (int32_t)i;
    cells.starts[i] = i;
  }
  memcpy(cells.names, names, number);
  cells.x_size = cells.number_size = number * sizeof *cells.x;
  cells.names_size = number;
  cells.starts_size = number * sizeof *cells.starts;
  return cells;
}

static inline void set_coordinates(tiledb_ctx_t* ctx, tiledb_query_t* query, cells_t* cells) {
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "x", cells->x, &cells->x_size));
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "name", cells->names, &cells->names_size));
  CHECK_OK(ctx, tiledb_query_set_offsets_buffer(ctx, query, "name", cells->starts, &cells->starts_size));
}

static inline void set_all(tiledb_ctx_t* ctx, tiledb_query_t* query, cells_t* cells) {
  set_coordinates(ctx, query, cells);
  CHECK_OK(ctx, tiledb_query_set_data_buffer(ctx, query, "number", cells->number, &cells->number_size));
}

static inline uint32_t written(tiledb_ctx_t* ctx, tiledb_query_t* query) {
  uint32_t number = 99;
  CHECK_OK(ctx, tiledb_query_get_fragment_num(ctx, query, &number));
  return number;
}

/* Checks the number of cells and tiles of the only fragment, and the bounds of the tiles in x. */
static inline void check_fragment(tiledb_ctx_t* ctx, const char* uri, uint64_t cells, uint64_t tiles, const int32_t (*bounds)[2]) {
  tiledb_fragment_info_t* info = load_info(ctx, uri);
  uint32_t fragments = 0;
  uint64_t number = 0;
  int32_t dense = 9, ends[2];
  CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, info, &fragments));
  CHECK_EQ(fragments, 1);
  CHECK_OK(ctx, tiledb_fragment_info_get_dense(ctx, info, 0, &dense));
  CHECK_EQ(dense, 0);
  CHECK_OK(ctx, tiledb_fragment_info_get_cell_num(ctx, info, 0, &number));
  CHECK_EQ(number, cells);
  CHECK_OK(ctx, tiledb_fragment_info_get_mbr_num(ctx, info, 0, &number));
  CHECK_EQ(number, tiles);
  for (uint32_t tile = 0; tile < tiles; tile++) {
    CHECK_OK(ctx, tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, tile, 0, ends));
    CHECK_EQ(ends[0], bounds[tile][0]);
    CHECK_EQ(ends[1], bounds[tile][1]);
  }
  tiledb_fragment_info_free(&info);
}

/*
 * Checks that cells submitted to a new array of the context are rejected with this error and leave
 * no fragment.
 */
static inline void rejects(tiledb_ctx_t* ctx, tiledb_layout_t layout, tiledb_layout_t cell_order, cells_t cells, const char* error) {
  char uri[128];
  tiledb_array_t* array = NULL;
  tiledb_query_status_t status = TILEDB_COMPLETED;
  create(ctx, cell_order, 0, uri);
  array = open_array(ctx, uri, TILEDB_WRITE);
  tiledb_query_t* query = query_all(ctx, array, TILEDB_WRITE, layout);
  set_all(ctx, query, &cells);
  CHECK_ERROR(ctx, tiledb_query_submit(ctx, query), error);
  CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
  CHECK_EQ(status, TILEDB_FAILED);
  CHECK_EQ(written(ctx, query), 0);
  if (layout == TILEDB_UNORDERED) {
    CHECK_ERROR(ctx, tiledb_query_finalize(ctx, query), "UnorderWriter: Not all buffers already written");
    CHECK_OK(ctx, tiledb_query_get_status(ctx, query, &status));
    CHECK_EQ(status, TILEDB_FAILED);
  } else {
    CHECK_OK(ctx, tiledb_query_finalize(ctx, query));
  }
  tiledb_query_free(&query);
  close_array(ctx, &array);
  CHECK_EQ(fragments_of(ctx, uri), 0);
}

#endif /* SPARSE_CELLS_H */
