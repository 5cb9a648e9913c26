/**
 * @file core_interface.h
 * Names and sizes of datatypes, and the mark of deprecated declarations.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CORE_INTERFACE_H
#define TILEDB_CPP_API_CORE_INTERFACE_H

#include <cstddef>
#include <string>

#include "tiledb.h"

/**
 * Marks a deprecated declaration. Define TILEDB_NO_API_DEPRECATION_WARNINGS to compile without its
 * warning.
 */
#ifndef TILEDB_CPP_DEPRECATED
#ifdef TILEDB_NO_API_DEPRECATION_WARNINGS
#define TILEDB_CPP_DEPRECATED(replacement)
#else
#define TILEDB_CPP_DEPRECATED(replacement) [[deprecated(replacement)]]
#endif
#endif

namespace tiledb::impl {

/**
 * Returns the size of one value of a datatype.
 * @param type The datatype.
 * @return The size in bytes; 0 for a value that is not a datatype.
 */
inline size_t type_size(tiledb_datatype_t type) {
  return tiledb_datatype_size(type);
}

/**
 * Returns the name of a datatype, for instance "INT32".
 * @param type The datatype.
 * @return The name; empty for a value that is not a datatype.
 */
inline std::string to_str(const tiledb_datatype_t& type) {
  const char* name = nullptr;
  tiledb_datatype_to_str(type, &name);
  return name == nullptr ? std::string() : std::string(name);
}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_CORE_INTERFACE_H
