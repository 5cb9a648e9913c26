/**
 * @file ndrectangle.h
 * Rectangles: one range per dimension.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_NDRECTANGLE_H
#define TILEDB_CPP_API_NDRECTANGLE_H

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "dimension.h"
#include "domain.h"
#include "exception.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/** One range for each dimension of a domain. Copies share the ranges. */
class NDRectangle : public impl::Handle<tiledb_ndrectangle_t> {
 public:
  /**
   * Creates a rectangle without ranges.
   * @param ctx The context, which must outlive the rectangle.
   * @param domain The dimensions.
   * @throws TileDBError if the library reports an error.
   */
  explicit NDRectangle(const tiledb::Context& ctx, const tiledb::Domain& domain)
      : Handle(ctx) {
    check(tiledb_ndrectangle_alloc(c_ctx(), impl::raw(domain), out()));
  }

  /** Takes ownership of a C rectangle. @param ctx The context. @param ndrect The rectangle. */
  NDRectangle(const tiledb::Context& ctx, tiledb_ndrectangle_t* ndrect)
      : Handle(ctx, ndrect) {
  }

  /**
   * Sets the range of a dimension.
   * @param dim_name The name of the dimension.
   * @param start The first coordinate.
   * @param end The last coordinate.
   * @return This rectangle.
   * @throws TileDBError if the dimension does not exist, its type has another size, or the range is
   *   not in its domain.
   */
  template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_floating_point_v<T>, bool> = true>
  NDRectangle& set_range(const std::string& dim_name, T start, T end) {
    return set(dim_name, bytes(start), bytes(end));
  }

  /**
   * Sets the range of a dimension.
   * @param dim_idx The position of the dimension.
   * @param start The first coordinate.
   * @param end The last coordinate.
   * @return This rectangle.
   * @throws TileDBError if the dimension does not exist, its type has another size, or the range is
   *   not in its domain.
   */
  template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_floating_point_v<T>, bool> = true>
  NDRectangle& set_range(uint32_t dim_idx, T start, T end) {
    return set(dim_idx, bytes(start), bytes(end));
  }

  /**
   * Sets the range of a string dimension.
   * @param dim_idx The position of the dimension.
   * @param start The first string.
   * @param end The last string.
   * @return This rectangle.
   * @throws TileDBError if the dimension does not exist or the range is wrong.
   */
  NDRectangle& set_range(uint32_t dim_idx, const std::string& start, const std::string& end) {
    return set(dim_idx, start, end);
  }

  /**
   * Sets the range of a string dimension.
   * @param dim_name The name of the dimension.
   * @param start The first string.
   * @param end The last string.
   * @return This rectangle.
   * @throws TileDBError if the dimension does not exist or the range is wrong.
   */
  NDRectangle& set_range(const std::string& dim_name, const std::string& start, const std::string& end) {
    return set(dim_name, start, end);
  }

  /**
   * Returns the range of a dimension.
   * @tparam T The type of the dimension, std::string for strings.
   * @param dim_name The name of the dimension.
   * @throws TileDBError if the dimension does not exist or it has no range.
   */
  template <class T>
  std::array<T, 2> range(const std::string& dim_name) {
    tiledb_range_t range{};
    check(tiledb_ndrectangle_get_range_from_name(c_ctx(), c(), dim_name.c_str(), &range));
    return ends<T>(range);
  }

  /**
   * Returns the range of a dimension.
   * @tparam T The type of the dimension, std::string for strings.
   * @param dim_idx The position of the dimension.
   * @throws TileDBError if the dimension does not exist or it has no range.
   */
  template <class T>
  std::array<T, 2> range(unsigned dim_idx) {
    tiledb_range_t range{};
    check(tiledb_ndrectangle_get_range(c_ctx(), c(), dim_idx, &range));
    return ends<T>(range);
  }

  /**
   * Returns the datatype of a dimension.
   *
   * @param dim_idx Its position.
   * @throws TileDBError if the dimension does not exist.
   */
  tiledb_datatype_t range_dtype(unsigned dim_idx) {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_ndrectangle_get_dtype(c_ctx(), c(), dim_idx, &type));
    return type;
  }

  /**
   * Returns the datatype of a dimension.
   *
   * @param dim_name Its name.
   * @throws TileDBError if the dimension does not exist.
   */
  tiledb_datatype_t range_dtype(const std::string& dim_name) {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_ndrectangle_get_dtype_from_name(c_ctx(), c(), dim_name.c_str(), &type));
    return type;
  }

  /** Returns the number of dimensions. @throws TileDBError if the library reports an error. */
  uint32_t dim_num() {
    uint32_t number = 0;
    check(tiledb_ndrectangle_get_dim_num(c_ctx(), c(), &number));
    return number;
  }

 private:
  /** The bytes of an end of a range. */
  using Bytes = std::string_view;

  template <typename T>
  static Bytes bytes(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(T)};
  }

  static tiledb_range_t c_range(Bytes start, Bytes end) {
    tiledb_range_t range{};
    range.min = start.data();
    range.min_size = start.size();
    range.max = end.data();
    range.max_size = end.size();
    return range;
  }

  NDRectangle& set(uint32_t index, Bytes start, Bytes end) {
    tiledb_range_t range = c_range(start, end);
    check(tiledb_ndrectangle_set_range(c_ctx(), c(), index, &range));
    return *this;
  }

  NDRectangle& set(const std::string& name, Bytes start, Bytes end) {
    tiledb_range_t range = c_range(start, end);
    check(tiledb_ndrectangle_set_range_for_name(c_ctx(), c(), name.c_str(), &range));
    return *this;
  }

  template <typename T>
  static T end(const void* bytes, uint64_t size) {
    if (bytes == nullptr)
      return T();
    if (size != sizeof(T))
      throw TypeError("Static type has " + std::to_string(sizeof(T)) + " bytes, coordinates of the dimension have " +
          std::to_string(size));
    return *static_cast<const T*>(bytes);
  }

  template <typename T>
  static std::array<T, 2> ends(const tiledb_range_t& range) {
    if constexpr (std::is_same_v<T, std::string>) {
      return {std::string(static_cast<const char*>(range.min), range.min_size),
          std::string(static_cast<const char*>(range.max), range.max_size)};
    } else {
      return {end<T>(range.min, range.min_size), end<T>(range.max, range.max_size)};
    }
  }
};

/** Prints the ranges. @param os The stream. @param ndr The rectangle. @return The stream. */
inline std::ostream& operator<<(std::ostream& os, const NDRectangle& ndr) {
  const Context& ctx = ndr.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_ndrectangle_dump_str(impl::raw(ctx), impl::raw(ndr), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_NDRECTANGLE_H
