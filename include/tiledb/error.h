/**
 * @file error.h
 * The last error of a context.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ERROR_H
#define TILEDB_CPP_API_ERROR_H

#include <string>

#include "context.h"
#include "deleter.h"
#include "tiledb.h"

namespace tiledb {

/**
 * The last error of a context as it was when this object was made. Programs catch TileDBError
 * instead.
 */
class Error : public impl::Handle<tiledb_error_t> {
 public:
  /** Takes the last error. @param ctx The context. */
  Error(const Context& ctx)
      : Handle(ctx) {
    tiledb_ctx_get_last_error(c_ctx(), out());
  }

  /** Returns the message; empty if the context had no error. */
  const std::string error_message() {
    const char* text = nullptr;
    if (c() != nullptr)
      tiledb_error_message(c(), &text);
    return text == nullptr ? std::string() : std::string(text);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ERROR_H
