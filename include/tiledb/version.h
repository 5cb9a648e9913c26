/**
 * @file version.h
 * The version of the library.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_VERSION_H
#define TILEDB_CPP_API_VERSION_H

#include <tuple>

#include "standard_headers.h"
#include "tiledb.h"

namespace tiledb {

/**
 * Returns the version of the library that the program runs on, which can be newer than its headers.
 * @return The major, minor and patch numbers.
 */
inline std::tuple<int, int, int> version() {
  int32_t major = 0, minor = 0, patch = 0;
  tiledb_version(&major, &minor, &patch);
  return {major, minor, patch};
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_VERSION_H
