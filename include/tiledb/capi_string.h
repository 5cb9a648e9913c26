/**
 * @file capi_string.h
 * Strings that the library returns.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CAPI_STRING_H
#define TILEDB_CPP_API_CAPI_STRING_H

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "exception.h"
#include "log.h"
#include "tiledb.h"

namespace tiledb::impl {

/** Owns a string of the C API. */
class CAPIString {
 public:
  /**
   * Takes ownership of a string.
   * @param handle The address of the string; null is there afterwards.
   * @throws std::invalid_argument if either is null.
   */
  CAPIString(tiledb_string_t** handle) {
    if (handle == nullptr || *handle == nullptr)
      throw std::invalid_argument("Pointer to string handle cannot be null or point to null handle.");
    string_ = *handle;
    *handle = nullptr;
  }

  ~CAPIString() {
    const auto code = tiledb_status(tiledb_string_free(&string_));
    if (code != TILEDB_OK)
      log_warn("Could not free string; Error code: " + std::to_string(code));
  }

  CAPIString(const CAPIString&) = delete;
  CAPIString operator=(const CAPIString&) = delete;
  CAPIString(const CAPIString&&) = delete;
  CAPIString operator=(const CAPIString&&) = delete;

  /**
   * Returns the characters without a copy, valid as long as this object.
   *
   * @throws TileDBError if the library reports an error.
   */
  std::string_view view() const {
    const char* data = nullptr;
    size_t size = 0;
    const auto code = tiledb_status(tiledb_string_view(string_, &data, &size));
    if (code != TILEDB_OK)
      throw TileDBError("Could not view string; Error code: " + std::to_string(code));
    return {data, size};
  }

  /** Returns a copy of the characters. @throws TileDBError if the library reports an error. */
  std::string str() const {
    return std::string(view());
  }

 private:
  tiledb_string_t* string_;
};

/**
 * Takes the characters of a string and frees it.
 * @param handle The address of the string; null is there afterwards.
 * @return The characters; nothing if the string is null.
 */
inline std::optional<std::string> convert_to_string(tiledb_string_t** handle) {
  if (*handle == nullptr)
    return std::nullopt;
  return CAPIString(handle).str();
}

/** Writes a string of the C API to a stream and frees it. Nothing is written if it is null. */
template <typename Stream>
Stream& print(Stream& stream, tiledb_string_t* string) {
  if (string != nullptr)
    stream << CAPIString(&string).view();
  return stream;
}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_CAPI_STRING_H
