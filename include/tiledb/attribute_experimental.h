/**
 * @file attribute_experimental.h
 * Enumerations of attributes.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ATTRIBUTE_EXPERIMENTAL_H
#define TILEDB_CPP_API_ATTRIBUTE_EXPERIMENTAL_H

#include <optional>
#include <string>

#include "attribute.h"
#include "capi_string.h"
#include "context.h"
#include "enumeration_experimental.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Functions on attributes that are subject to change. */
class AttributeExperimental {
 public:
  /**
   * Creates an attribute store positions in an enumeration of its schema.
   * @param ctx The context.
   * @param attribute The attribute, of an integer type.
   * @param enumeration_name The name of the enumeration.
   * @throws TileDBError if the type of the attribute is wrong.
   */
  static void set_enumeration_name(const Context& ctx, Attribute& attribute, const std::string& enumeration_name) {
    ctx.handle_error(
        tiledb_attribute_set_enumeration_name(impl::raw(ctx), impl::raw(attribute), enumeration_name.c_str()));
  }

  /**
   * Returns the name of the enumeration of an attribute.
   * @param ctx The context.
   * @param attribute The attribute.
   * @return The name; nothing if it has no enumeration.
   * @throws TileDBError if the library reports an error.
   */
  static std::optional<std::string> get_enumeration_name(const Context& ctx, const Attribute& attribute) {
    tiledb_string_t* name = nullptr;
    ctx.handle_error(tiledb_attribute_get_enumeration_name(impl::raw(ctx), impl::raw(attribute), &name));
    return impl::convert_to_string(&name);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ATTRIBUTE_EXPERIMENTAL_H
