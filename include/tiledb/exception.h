/**
 * @file exception.h
 * The exceptions of the C++ API, and the check of C++ types against datatypes.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_TILEDB_CPP_API_EXCEPTION_H
#define TILEDB_TILEDB_CPP_API_EXCEPTION_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core_interface.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

/** An error of the library or of this API. `what()` is the message of the library. */
struct TileDBError : std::runtime_error {
  /** Creates an error. @param msg The message. */
  TileDBError(const std::string& msg)
      : std::runtime_error(msg) {
  }
};

/** A C++ type does not match the datatype that it is used for. */
struct TypeError : public TileDBError {
  /** Creates an error. @param msg The message. */
  TypeError(const std::string& msg)
      : TileDBError(msg) {
  }
};

/** Arguments do not match the schema of an array. */
struct SchemaMismatch : public TileDBError {
  /** Creates an error. @param msg The message. */
  SchemaMismatch(const std::string& msg)
      : TileDBError(msg) {
  }
};

/**
 * An attribute is used in a way that its definition does not allow. Part of the API; this version
 * throws it nowhere.
 */
struct AttributeError : public TileDBError {
  /** Creates an error. @param msg The message. */
  AttributeError(const std::string& msg)
      : TileDBError(msg) {
  }
};

namespace impl {

/**
 * Returns its argument.
 * @param t A value.
 * @return The same value.
 */
template <typename T>
const T& identity(const T& t) {
  return t;
}

/** The properties of a C++ type as values. */
struct static_type {
  /** The datatype that the type is stored in. */
  tiledb_datatype_t datatype;
  /** The number of values per cell, `var_num` if it varies. */
  unsigned number;
  /** True for std::byte. */
  bool is_byte;
  /** True for int64_t. */
  bool is_int64;
};

/**
 * Checks that a C++ type can hold the cells of a datatype.
 * @param type The datatype.
 * @param num The number of values per cell, 0 if it does not matter.
 * @param given The C++ type.
 * @throws TypeError if it cannot.
 */
inline void check_type(tiledb_datatype_t type, unsigned num, const static_type& given) {
  if (tiledb_string_type(type)) {
    if (given.datatype != TILEDB_STRING_ASCII && given.datatype != TILEDB_CHAR)
      throw TypeError("Static type (" + type_to_str(given.datatype) +
          ") does not match expected container type STRING_ASCII for tiledb type (" + type_to_str(type) + ")");
  } else if (tiledb_byte_type(type)) {
    if (!given.is_byte)
      throw TypeError("Static type does not match expected container type std::byte for tiledb byte type");
  } else if (tiledb_datetime_type(type)) {
    if (!given.is_int64)
      throw TypeError("Static type does not match expected container type int64_t for tiledb datetime type");
  } else if (tiledb_time_type(type)) {
    if (!given.is_int64)
      throw TypeError("Static type does not match expected container type int64_t for tiledb time type");
  } else if (given.datatype != type) {
    throw TypeError("Static type (" + type_to_str(given.datatype) + ") does not match expected type (" +
        type_to_str(type) + ")");
  }
  if (num != 0 && num != var_num && given.number != var_num && given.number != num)
    throw TypeError("Expected num of " + std::to_string(num) + ", static type has num of " +
        std::to_string(given.number));
}

/**
 * Checks that T can hold the cells of a datatype: characters for strings, std::byte for blobs,
 * int64_t for times, and else the number of exactly that width and sign.
 * @param type The datatype.
 * @param num The number of values per cell, 0 if it does not matter.
 * @throws TypeError if it cannot.
 */
template <typename T, typename Handler = TypeHandler<T>>
inline void type_check(tiledb_datatype_t type, unsigned num = 0) {
  check_type(type, num,
      {Handler::tiledb_type, Handler::tiledb_num, std::is_same_v<T, std::byte>, std::is_same_v<T, int64_t>});
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_TILEDB_CPP_API_EXCEPTION_H
