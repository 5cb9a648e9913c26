/**
 * @file current_domain.h
 * Current domains: the part of its domain in which an array can hold cells.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CURRENT_DOMAIN_H
#define TILEDB_CPP_API_CURRENT_DOMAIN_H

#include <ostream>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "ndrectangle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/**
 * The part of its domain in which an array can hold cells, which can be expanded later. Copies
 * share it.
 */
class CurrentDomain : public impl::Handle<tiledb_current_domain_t> {
 public:
  /**
   * Creates an empty current domain: the whole domain.
   *
   * @param ctx The context.
   * @throws TileDBError if the library reports an error.
   */
  explicit CurrentDomain(const Context& ctx)
      : Handle(ctx) {
    check(tiledb_current_domain_create(c_ctx(), out()));
  }

  /**
   * Takes ownership of a C current domain.
   * @param ctx The context.
   * @param cd The current domain.
   */
  CurrentDomain(const tiledb::Context& ctx, tiledb_current_domain_t* cd)
      : Handle(ctx, cd) {
  }

  /** Returns its shape. @throws TileDBError if it is empty. */
  tiledb_current_domain_type_t type() const {
    tiledb_current_domain_type_t type = TILEDB_NDRECTANGLE;
    check(tiledb_current_domain_get_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Makes it a rectangle.
   *
   * @param ndrect The rectangle.
   * @return This current domain.
   * @throws TileDBError if it is not empty.
   */
  CurrentDomain& set_ndrectangle(const NDRectangle& ndrect) {
    check(tiledb_current_domain_set_ndrectangle(c_ctx(), c(), impl::raw(ndrect)));
    return *this;
  }

  /** Returns the rectangle. @throws TileDBError if it is empty. */
  NDRectangle ndrectangle() const {
    tiledb_ndrectangle_t* rectangle = nullptr;
    check(tiledb_current_domain_get_ndrectangle(c_ctx(), c(), &rectangle));
    return NDRectangle(context(), rectangle);
  }

  /** Returns whether it is empty. @throws TileDBError if the library reports an error. */
  bool is_empty() const {
    uint32_t empty = 0;
    check(tiledb_current_domain_get_is_empty(c_ctx(), c(), &empty));
    return empty != 0;
  }
};

/**
 * Prints a current domain.
 * @param os The stream.
 * @param cd The current domain.
 * @return The stream.
 */
inline std::ostream& operator<<(std::ostream& os, const CurrentDomain& cd) {
  const Context& ctx = cd.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_current_domain_dump_str(impl::raw(ctx), impl::raw(cd), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_CURRENT_DOMAIN_H
