/**
 * @file filter.h
 * Filters: compressors, checksums and other transformations of tiles.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_FILTER_H
#define TILEDB_CPP_API_FILTER_H

#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

namespace impl {

/** Returns the name of a filter option. @param option The option. */
inline std::string filter_option_name(tiledb_filter_option_t option) {
  const char* name = nullptr;
  tiledb_filter_option_to_str(option, &name);
  return name == nullptr ? std::string() : std::string(name);
}

}  // namespace impl

/** A filter option was used with a value of the wrong C++ type. */
template <typename Expected, typename Actual>
class FilterOptionTypeError : public TypeError {
 public:
  /** Creates an error. @param option The option. */
  FilterOptionTypeError(tiledb_filter_option_t option)
      : TypeError(start(option) + impl::type_to_tiledb<Expected>::name + "'.") {
  }

  /**
   * Creates an error.
   * @param option The option.
   * @param alternate_type Another type that the option takes.
   */
  FilterOptionTypeError(tiledb_filter_option_t option, const std::string& alternate_type)
      : TypeError(start(option) + alternate_type + "' or '" + impl::type_to_tiledb<Expected>::name + "'.") {
  }

 private:
  static std::string start(tiledb_filter_option_t option) {
    return "Cannot set filter option '" + impl::filter_option_name(option) + "' with type '" +
        impl::type_to_tiledb<Actual>::name + "'; Option value must be '";
  }
};

/** A filter and its options. Copies share both. */
class Filter : public impl::Handle<tiledb_filter_t> {
 public:
  /**
   * Creates a filter with default options.
   * @param ctx The context, which must outlive the filter.
   * @param filter_type The type of the filter.
   * @throws TileDBError if the library has no such filter.
   */
  Filter(const Context& ctx, tiledb_filter_type_t filter_type)
      : Handle(ctx) {
    check(tiledb_filter_alloc(c_ctx(), filter_type, out()));
  }

  /** Takes ownership of a C filter. @param ctx The context. @param filter The filter. */
  Filter(const Context& ctx, tiledb_filter_t* filter)
      : Handle(ctx, filter) {
  }

  Filter() = delete;

  /**
   * Sets an option.
   * @param option The option.
   * @param value The value, of exactly the type of the option: int32_t for TILEDB_COMPRESSION_LEVEL
   *   and so on.
   * @return This filter.
   * @throws TypeError if the type is another one; TileDBError if the filter has no such option or
   *   does not take the value.
   */
  template <typename T, typename std::enable_if_t<!std::is_pointer_v<T>, int> = 0>
  Filter& set_option(tiledb_filter_option_t option, T value) {
    check_option_type<T>(option);
    return set_option(option, static_cast<const void*>(&value));
  }

  /**
   * Sets an option.
   * @param option The option.
   * @param value The address of a value of the type of the option, which is not checked.
   * @return This filter.
   * @throws TileDBError if the filter has no such option or does not take the value.
   */
  Filter& set_option(tiledb_filter_option_t option, const void* value) {
    check(tiledb_filter_set_option(c_ctx(), c(), option, value));
    return *this;
  }

  /**
   * Returns the value of an option.
   * @tparam T The type of the option.
   * @param option The option.
   * @throws TypeError if T is another type; TileDBError if the filter has no such option.
   */
  template <typename T>
  T get_option(tiledb_filter_option_t option) {
    check_option_type<T>(option);
    T value{};
    get_option(option, static_cast<void*>(&value));
    return value;
  }

  /**
   * Reads the value of an option.
   * @tparam T The type of the option.
   * @param option The option.
   * @param value Where the value is put.
   * @throws TypeError if T is another type; TileDBError if the filter has no such option.
   */
  template <typename T, typename std::enable_if<std::is_arithmetic_v<T>>::type* = nullptr>
  void get_option(tiledb_filter_option_t option, T* value) {
    check_option_type<T>(option);
    get_option(option, static_cast<void*>(value));
  }

  /**
   * Reads the value of an option.
   * @param option The option.
   * @param value The address of a variable of the type of the option, which is not checked.
   * @throws TileDBError if the filter has no such option.
   */
  void get_option(tiledb_filter_option_t option, void* value) {
    check(tiledb_filter_get_option(c_ctx(), c(), option, value));
  }

  /** Returns the type of the filter. @throws TileDBError if the library reports an error. */
  tiledb_filter_type_t filter_type() const {
    tiledb_filter_type_t type = TILEDB_FILTER_NONE;
    check(tiledb_filter_get_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Returns the name of a type of filter; empty for a value that is not a type.
   * @param type The type.
   */
  static std::string to_str(tiledb_filter_type_t type) {
    switch (type) {
      case TILEDB_FILTER_NONE:
        return "NOOP";
      case TILEDB_FILTER_GZIP:
        return "GZIP";
      case TILEDB_FILTER_ZSTD:
        return "ZSTD";
      case TILEDB_FILTER_LZ4:
        return "LZ4";
      case TILEDB_FILTER_RLE:
        return "RLE";
      case TILEDB_FILTER_BZIP2:
        return "BZIP2";
      case TILEDB_FILTER_DOUBLE_DELTA:
        return "DOUBLE_DELTA";
      case TILEDB_FILTER_BIT_WIDTH_REDUCTION:
        return "BIT_WIDTH_REDUCTION";
      case TILEDB_FILTER_BITSHUFFLE:
        return "BITSHUFFLE";
      case TILEDB_FILTER_BYTESHUFFLE:
        return "BYTESHUFFLE";
      case TILEDB_FILTER_POSITIVE_DELTA:
        return "POSITIVE_DELTA";
      case TILEDB_FILTER_CHECKSUM_MD5:
        return "CHECKSUM_MD5";
      case TILEDB_FILTER_CHECKSUM_SHA256:
        return "CHECKSUM_SHA256";
      case TILEDB_FILTER_DICTIONARY:
        return "DICTIONARY_ENCODING";
      case TILEDB_FILTER_SCALE_FLOAT:
        return "SCALE_FLOAT";
      case TILEDB_FILTER_XOR:
        return "XOR";
      case TILEDB_FILTER_DEPRECATED:
        return "DEPRECATED";
      case TILEDB_FILTER_WEBP:
        return "WEBP";
      case TILEDB_FILTER_DELTA:
        return "DELTA";
      default:
        return "";
    }
  }

 private:
  /** Throws unless T is the option's type, or its enum type Alternate, whose name is given. */
  template <typename T, typename Expected, typename Alternate = Expected>
  static void expect(tiledb_filter_option_t option, const char* alternate_name = nullptr) {
    if constexpr (!std::is_same_v<T, Expected> && !std::is_same_v<T, Alternate>) {
      if (alternate_name != nullptr)
        throw FilterOptionTypeError<Expected, T>(option, alternate_name);
      throw FilterOptionTypeError<Expected, T>(option);
    }
  }

  template <typename T>
  static void check_option_type(tiledb_filter_option_t option) {
    switch (option) {
      case TILEDB_COMPRESSION_LEVEL:
        return expect<T, int32_t>(option);
      case TILEDB_BIT_WIDTH_MAX_WINDOW:
      case TILEDB_POSITIVE_DELTA_MAX_WINDOW:
        return expect<T, uint32_t>(option);
      case TILEDB_SCALE_FLOAT_BYTEWIDTH:
        return expect<T, uint64_t>(option);
      case TILEDB_SCALE_FLOAT_FACTOR:
      case TILEDB_SCALE_FLOAT_OFFSET:
        return expect<T, double>(option);
      case TILEDB_WEBP_QUALITY:
        return expect<T, float>(option);
      case TILEDB_WEBP_INPUT_FORMAT:
        return expect<T, uint8_t, tiledb_filter_webp_format_t>(option, "tiledb_filter_webp_format_t");
      case TILEDB_WEBP_LOSSLESS:
        return expect<T, uint8_t>(option);
      case TILEDB_COMPRESSION_REINTERPRET_DATATYPE:
        return expect<T, uint8_t, tiledb_datatype_t>(option, "tiledb_datatype_t");
      default:
        throw std::invalid_argument("Invalid filter option '" + impl::filter_option_name(option) + "'");
    }
  }
};

/** Prints the type of a filter. @param os The stream. @param f The filter. @return The stream. */
inline std::ostream& operator<<(std::ostream& os, const Filter& f) {
  return os << "Filter<" << Filter::to_str(f.filter_type()) << '>';
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_FILTER_H
