/**
 * @file array_experimental.h
 * Enumerations of open arrays.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ARRAY_EXPERIMENTAL_H
#define TILEDB_CPP_API_ARRAY_EXPERIMENTAL_H

#include <string>

#include "array.h"
#include "enumeration_experimental.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Functions on arrays that are subject to change. */
class ArrayExperimental {
 public:
  /**
   * Reads an enumeration.
   * @param ctx The context.
   * @param array The array, open.
   * @param attr_name The name of the enumeration.
   * @throws TileDBError if the enumeration does not exist.
   */
  static Enumeration get_enumeration(const Context& ctx, const Array& array, const std::string& attr_name) {
    tiledb_enumeration_t* enumeration = nullptr;
    ctx.handle_error(tiledb_array_get_enumeration(impl::raw(ctx), impl::raw(array), attr_name.c_str(), &enumeration));
    return Enumeration(ctx, enumeration);
  }

  /**
   * Reads all enumerations of the schema.
   *
   * @param ctx The context.
   * @param array The array, open.
   * @throws TileDBError if one cannot be read.
   */
  static void load_all_enumerations(const Context& ctx, const Array& array) {
    ctx.handle_error(tiledb_array_load_all_enumerations(impl::raw(ctx), impl::raw(array)));
  }

  /**
   * Reads all enumerations of all schemas of the array.
   *
   * @param ctx The context.
   * @param array The array, open.
   * @throws TileDBError if one cannot be read.
   */
  static void load_enumerations_all_schemas(const Context& ctx, const Array& array) {
    ctx.handle_error(tiledb_array_load_enumerations_all_schemas(impl::raw(ctx), impl::raw(array)));
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ARRAY_EXPERIMENTAL_H
