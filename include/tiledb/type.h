/**
 * @file type.h
 * The correspondence between C++ types and datatypes of TileDB.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_TYPE_H
#define TILEDB_CPP_API_TYPE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core_interface.h"
#include "tiledb.h"

namespace tiledb::impl {

/** A condition that is false only once a template is instantiated. */
template <typename T>
struct defer_assert : std::false_type {};

/** True for std::array. */
template <typename T>
struct is_std_array : std::false_type {};

/** True for std::array. */
template <typename T, std::size_t N>
struct is_std_array<std::array<T, N>> : std::true_type {};

/**
 * Removes an overload unless T is one trivially copyable value: no pointer, C array or std::array.
 */
template <typename T>
using enable_trivial = typename std::enable_if<
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_array_v<T> && !is_std_array<T>::value>::type;

/** A C++ type and the datatype that goes with it. */
template <typename T, tiledb_datatype_t Datatype>
struct datatype_pair {
  /** The C++ type. */
  using type = T;
  /** The datatype. */
  static constexpr tiledb_datatype_t tiledb_type = Datatype;
};

/**
 * The datatype in which values of a C++ type are stored: for types other than numbers, as many
 * characters as they have bytes.
 */
template <typename T>
struct type_to_tiledb : datatype_pair<char, TILEDB_STRING_ASCII> {
  static_assert(std::is_trivially_copyable_v<T>, "Type must be trivially copyable.");
  /** A name for messages. */
  static constexpr const char* name = "Trivially Copyable (CHAR)";
};

/** The C++ type of the values of a datatype. */
template <tiledb_datatype_t T>
struct tiledb_to_type;

/// @cond
template <>
struct type_to_tiledb<std::byte> : datatype_pair<std::byte, TILEDB_BLOB> {
  static constexpr const char* name = "BLOB";
};
template <>
struct type_to_tiledb<bool> : datatype_pair<bool, TILEDB_BOOL> {
  static constexpr const char* name = "BOOL";
};
template <>
struct type_to_tiledb<int8_t> : datatype_pair<int8_t, TILEDB_INT8> {
  static constexpr const char* name = "INT8";
};
template <>
struct type_to_tiledb<uint8_t> : datatype_pair<uint8_t, TILEDB_UINT8> {
  static constexpr const char* name = "UINT8";
};
template <>
struct type_to_tiledb<int16_t> : datatype_pair<int16_t, TILEDB_INT16> {
  static constexpr const char* name = "INT16";
};
template <>
struct type_to_tiledb<uint16_t> : datatype_pair<uint16_t, TILEDB_UINT16> {
  static constexpr const char* name = "UINT16";
};
template <>
struct type_to_tiledb<int32_t> : datatype_pair<int32_t, TILEDB_INT32> {
  static constexpr const char* name = "INT32";
};
template <>
struct type_to_tiledb<uint32_t> : datatype_pair<uint32_t, TILEDB_UINT32> {
  static constexpr const char* name = "UINT32";
};
template <>
struct type_to_tiledb<int64_t> : datatype_pair<int64_t, TILEDB_INT64> {
  static constexpr const char* name = "INT64";
};
template <>
struct type_to_tiledb<uint64_t> : datatype_pair<uint64_t, TILEDB_UINT64> {
  static constexpr const char* name = "UINT64";
};
template <>
struct type_to_tiledb<float> : datatype_pair<float, TILEDB_FLOAT32> {
  static constexpr const char* name = "FLOAT32";
};
template <>
struct type_to_tiledb<double> : datatype_pair<double, TILEDB_FLOAT64> {
  static constexpr const char* name = "FLOAT64";
};

template <>
struct tiledb_to_type<TILEDB_CHAR> : datatype_pair<char, TILEDB_CHAR> {
  static constexpr const char* name = "CHAR";
};
template <>
struct tiledb_to_type<TILEDB_BLOB> : datatype_pair<std::byte, TILEDB_BLOB> {
  static constexpr const char* name = "BLOB";
};
template <>
struct tiledb_to_type<TILEDB_GEOM_WKB> : datatype_pair<std::byte, TILEDB_GEOM_WKB> {
  static constexpr const char* name = "GEOM_WKB";
};
template <>
struct tiledb_to_type<TILEDB_GEOM_WKT> : datatype_pair<std::byte, TILEDB_GEOM_WKT> {
  static constexpr const char* name = "GEOM_WKT";
};
template <>
struct tiledb_to_type<TILEDB_BOOL> : datatype_pair<uint8_t, TILEDB_BOOL> {
  static constexpr const char* name = "BOOL";
};
template <>
struct tiledb_to_type<TILEDB_INT8> : type_to_tiledb<int8_t> {};
template <>
struct tiledb_to_type<TILEDB_UINT8> : type_to_tiledb<uint8_t> {};
template <>
struct tiledb_to_type<TILEDB_INT16> : type_to_tiledb<int16_t> {};
template <>
struct tiledb_to_type<TILEDB_UINT16> : type_to_tiledb<uint16_t> {};
template <>
struct tiledb_to_type<TILEDB_INT32> : type_to_tiledb<int32_t> {};
template <>
struct tiledb_to_type<TILEDB_UINT32> : type_to_tiledb<uint32_t> {};
template <>
struct tiledb_to_type<TILEDB_INT64> : type_to_tiledb<int64_t> {};
template <>
struct tiledb_to_type<TILEDB_UINT64> : type_to_tiledb<uint64_t> {};
template <>
struct tiledb_to_type<TILEDB_FLOAT32> : type_to_tiledb<float> {};
template <>
struct tiledb_to_type<TILEDB_FLOAT64> : type_to_tiledb<double> {};
/// @endcond

/**
 * Returns the name of a datatype.
 * @param type The datatype.
 * @return The name; empty for a value that is not a datatype.
 */
inline std::string type_to_str(tiledb_datatype_t type) {
  return to_str(type);
}

/**
 * Returns whether values of a datatype are characters.
 * @param type The datatype.
 * @return True for TILEDB_CHAR and the string types.
 */
inline bool tiledb_string_type(tiledb_datatype_t type) {
  switch (type) {
    case TILEDB_CHAR:
    case TILEDB_STRING_ASCII:
    case TILEDB_STRING_UTF8:
    case TILEDB_STRING_UTF16:
    case TILEDB_STRING_UTF32:
    case TILEDB_STRING_UCS2:
    case TILEDB_STRING_UCS4:
      return true;
    default:
      return false;
  }
}

/**
 * Returns whether values of a datatype are raw bytes.
 * @param type The datatype.
 * @return True for blobs and geometries.
 */
inline bool tiledb_byte_type(tiledb_datatype_t type) {
  return type == TILEDB_BLOB || type == TILEDB_GEOM_WKB || type == TILEDB_GEOM_WKT;
}

/**
 * Returns whether values of a datatype are points in time, which programs hold in int64_t.
 * @param type The datatype.
 * @return True for TILEDB_DATETIME_YEAR to TILEDB_DATETIME_AS.
 */
inline bool tiledb_datetime_type(tiledb_datatype_t type) {
  return type >= TILEDB_DATETIME_YEAR && type <= TILEDB_DATETIME_AS;
}

/**
 * Returns whether values of a datatype are times of day, which programs hold in int64_t.
 * @param type The datatype.
 * @return True for TILEDB_TIME_HR to TILEDB_TIME_AS.
 */
inline bool tiledb_time_type(tiledb_datatype_t type) {
  return type >= TILEDB_TIME_HR && type <= TILEDB_TIME_AS;
}

/** The number of values per cell of types whose length varies: TILEDB_VAR_NUM as a constant. */
inline constexpr unsigned var_num = UINT32_MAX;

/**
 * The storage of a C++ type: `value_type`, the element; `tiledb_type`, its datatype; `tiledb_num`,
 * elements per cell; `size` and `data`, the elements of a value; `set`, which replaces a value by
 * bytes.
 */
template <typename T, typename Enable = void>
struct TypeHandler {
  static_assert(defer_assert<T>::value, "No TypeHandler exists for type.");
};

/**
 * What handlers of containers share. `Element` is the type of an element, `Number` how many of them
 * a cell has.
 */
template <typename Element, unsigned Number>
struct container_handler {
  /** The handler of an element. */
  using element_th = TypeHandler<Element>;
  /** The type of an element. */
  using value_type = typename element_th::value_type;
  /** The datatype of an element. */
  static constexpr tiledb_datatype_t tiledb_type = element_th::tiledb_type;
  /** The number of values per cell. */
  static constexpr unsigned tiledb_num = Number;
};

/** Single values. */
template <typename T>
struct TypeHandler<T, enable_trivial<T>> {
  /** The type itself. */
  using value_type = T;
  /** The datatype. */
  static constexpr tiledb_datatype_t tiledb_type = type_to_tiledb<T>::tiledb_type;
  /** The number of values of the datatype that one T takes: 1 for numbers. */
  static constexpr unsigned tiledb_num = sizeof(T) / sizeof(typename type_to_tiledb<T>::type);
  /** Returns 1. */
  static size_t size(const T&) {
    return 1;
  }
  /** Returns the address of the value. */
  static value_type* data(T& v) {
    return &v;
  }
  /** Returns the address of the value. */
  static value_type const* data(T const& v) {
    return &v;
  }
  /** Replaces the value. @throws std::runtime_error if `size` is not sizeof(T). */
  static void set(T& dest, const void* d, size_t size) {
    if (size != sizeof(value_type))
      throw std::runtime_error("Attempting to set type with incorrect size.");
    std::memcpy(&dest, d, size);
  }
};

/** Strings, with a variable number of characters per cell. */
template <typename T>
struct TypeHandler<std::basic_string<T>, enable_trivial<T>> : container_handler<T, var_num> {
  /** The type of a character. */
  using value_type = T;
  /** Returns the number of characters. */
  static size_t size(const std::basic_string<T>& v) {
    return v.size();
  }
  /** Returns the characters. */
  static value_type* data(std::basic_string<T>& v) {
    return v.data();
  }
  /** Returns the characters. */
  static value_type const* data(std::basic_string<T> const& v) {
    return v.data();
  }
  /** Replaces the characters; `size` is in bytes. */
  static void set(std::basic_string<T>& dest, const void* d, size_t size) {
    dest.resize(size / sizeof(T));
    std::memcpy(dest.data(), d, dest.size() * sizeof(T));
  }
};

/** Zero-terminated strings. */
template <>
struct TypeHandler<const char*> : container_handler<char, var_num> {
  /** The type of a character. */
  using value_type = char;
  /** Returns the number of characters before the terminator. */
  static size_t size(const char* v) {
    return std::strlen(v);
  }
  /** Returns the characters. */
  static value_type const* data(const char* v) {
    return v;
  }
};

/** Vectors, with a variable number of elements per cell. */
template <typename T>
struct TypeHandler<std::vector<T>, enable_trivial<T>> : container_handler<T, var_num> {
  /** The type of an element. */
  using value_type = T;
  /** Returns the number of elements. */
  static size_t size(const std::vector<T>& v) {
    return v.size();
  }
  /** Returns the elements. */
  static value_type* data(std::vector<T>& v) {
    return v.data();
  }
  /** Returns the elements. */
  static value_type const* data(std::vector<T> const& v) {
    return v.data();
  }
  /** Replaces the elements; `size` is in bytes. */
  static void set(std::vector<T>& dest, const void* d, size_t size) {
    dest.resize(size / sizeof(T));
    if (!dest.empty())
      std::memcpy(dest.data(), d, dest.size() * sizeof(T));
  }
};

/** Arrays of the standard library, with N elements per cell. */
template <typename T, std::size_t N>
struct TypeHandler<std::array<T, N>, enable_trivial<T>> : container_handler<T, N * TypeHandler<T>::tiledb_num> {
  /** The type of an element. */
  using value_type = T;
  /** Returns the number of elements. */
  static size_t size(const std::array<T, N>& a) {
    return a.size();
  }
  /** Returns the elements. */
  static value_type* data(std::array<T, N>& a) {
    return a.data();
  }
  /** Returns the elements. */
  static value_type const* data(std::array<T, N> const& a) {
    return a.data();
  }
  /**
   * Replaces the elements.
   * @throws std::runtime_error if `size` is not the size of N elements in bytes.
   */
  static void set(std::array<T, N>& dest, const void* d, size_t size) {
    if (size != sizeof(T) * N)
      throw std::runtime_error("Attempting to set type with incorrect size.");
    std::memcpy(dest.data(), d, size);
  }
};

/** C arrays, with N elements per cell. */
template <typename T, unsigned N>
struct TypeHandler<T[N], enable_trivial<T>> : container_handler<T, N * TypeHandler<T>::tiledb_num> {
  /** The type of an element. */
  using value_type = T;
  /** Returns the number of elements. */
  static size_t size(T const[N]) {
    return N;
  }
  /** Returns the elements. */
  static value_type* data(T v[N]) {
    return v;
  }
  /** Returns the elements. */
  static value_type const* data(T const v[N]) {
    return v;
  }
  /**
   * Replaces the elements.
   * @throws std::runtime_error if `size` is not the size of N elements in bytes.
   */
  static void set(T (&dest)[N], const void* d, size_t size) {
    if (size != sizeof(T) * N)
      throw std::runtime_error("Attempting to set type with incorrect size.");
    std::memcpy(dest, d, size);
  }
};

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_TYPE_H
