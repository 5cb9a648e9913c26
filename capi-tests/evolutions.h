/* Evolutions of an array of two by two cells. */
#ifndef EVOLUTIONS_H
#define EVOLUTIONS_H

#include "arrays.h"

typedef tiledb_array_schema_evolution_t evolution_t;

static inline evolution_t* new_evolution(tiledb_ctx_t* ctx) {
  evolution_t* made = NULL;
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &made));
  return made;
}

/* Applies the changes and frees them. */
static inline int32_t evolve(tiledb_ctx_t* ctx, const char* uri, evolution_t* changes) {
  int32_t answer = tiledb_array_evolve(ctx, uri, changes);
  tiledb_array_schema_evolution_free(&changes);
  return answer;
}

/*
 * Adds an int32 attribute. If `fill` is 0 the fill value is unchanged; `enumeration` may be null.
 */
static inline int32_t add(tiledb_ctx_t* ctx, evolution_t* changes, const char* name, int32_t fill, const char* enumeration) {
  tiledb_attribute_t* attribute = new_attribute(ctx, name, TILEDB_INT32);
  if (fill != 0) CHECK_OK(ctx, tiledb_attribute_set_fill_value(ctx, attribute, &fill, sizeof fill));
  if (enumeration != NULL) CHECK_OK(ctx, tiledb_attribute_set_enumeration_name(ctx, attribute, enumeration));
  int32_t answer = tiledb_array_schema_evolution_add_attribute(ctx, changes, attribute);
  tiledb_attribute_free(&attribute);
  return answer;
}

static inline int32_t drop(tiledb_ctx_t* ctx, evolution_t* changes, const char* name) {
  return tiledb_array_schema_evolution_drop_attribute(ctx, changes, name);
}

/* Creates an array with the attribute number at timestamp 1005. */
static inline void create(tiledb_ctx_t* ctx, tiledb_array_type_t type, char* uri) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = new_domain(ctx);
  CHECK_OK(ctx, tiledb_array_schema_alloc_at_timestamp(ctx, type, 1005, &schema));
  CHECK_OK(ctx, tiledb_array_schema_set_domain(ctx, schema, domain));
  add_attribute(ctx, schema, "number", TILEDB_INT32, 1, 0);
  tiledb_domain_free(&domain);
  create_with(ctx, schema, uri);
}

#endif /* EVOLUTIONS_H */
