/**
 * @file as_built_experimental.h
 * The build configuration of the library.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_AS_BUILT_EXPERIMENTAL_H
#define TILEDB_CPP_API_AS_BUILT_EXPERIMENTAL_H

#include <string>

#include "capi_string.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** The build configuration of the library. */
class AsBuilt {
 public:
  /** Returns a description as JSON. */
  static std::string dump() {
    tiledb_string_t* text = nullptr;
    tiledb_as_built_dump(&text);
    return impl::convert_to_string(&text).value_or("");
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_AS_BUILT_EXPERIMENTAL_H
