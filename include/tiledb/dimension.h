/**
 * @file dimension.h
 * Dimensions of arrays.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_DIMENSION_H
#define TILEDB_CPP_API_DIMENSION_H

#include <array>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>

#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "filter_list.h"
#include "object.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

namespace impl {

/**
 * Returns value `index` of an array of numbers or times as text.
 *
 * @throws TileDBError if no dimension has the datatype.
 */
inline std::string coordinate_to_str(tiledb_datatype_t type, const void* values, size_t index) {
  const auto real = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return std::string(text);
  };
  switch (type) {
    case TILEDB_INT8:
      return std::to_string(static_cast<const int8_t*>(values)[index]);
    case TILEDB_UINT8:
      return std::to_string(static_cast<const uint8_t*>(values)[index]);
    case TILEDB_INT16:
      return std::to_string(static_cast<const int16_t*>(values)[index]);
    case TILEDB_UINT16:
      return std::to_string(static_cast<const uint16_t*>(values)[index]);
    case TILEDB_INT32:
      return std::to_string(static_cast<const int32_t*>(values)[index]);
    case TILEDB_UINT32:
      return std::to_string(static_cast<const uint32_t*>(values)[index]);
    case TILEDB_UINT64:
      return std::to_string(static_cast<const uint64_t*>(values)[index]);
    case TILEDB_FLOAT32:
      return real(static_cast<const float*>(values)[index]);
    case TILEDB_FLOAT64:
      return real(static_cast<const double*>(values)[index]);
    default:
      if (type == TILEDB_INT64 || tiledb_datetime_type(type) || tiledb_time_type(type))
        return std::to_string(static_cast<const int64_t*>(values)[index]);
      throw TileDBError("Invalid Dim type");
  }
}

}  // namespace impl

/**
 * A coordinate of each cell of an array: its name, datatype, domain and tile extent. Copies share
 * the dimension.
 */
class Dimension : public impl::Handle<tiledb_dimension_t> {
 public:
  /** Takes ownership of a C dimension. @param ctx The context. @param dim The dimension. */
  Dimension(const Context& ctx, tiledb_dimension_t* dim)
      : Handle(ctx, dim) {
  }

  /**
   * Returns 1, or TILEDB_VAR_NUM for a string dimension.
   * @throws TileDBError if the library reports an error.
   */
  unsigned cell_val_num() const {
    unsigned number = 0;
    check(tiledb_dimension_get_cell_val_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Sets the number of values per coordinate.
   * @param num TILEDB_VAR_NUM for strings, else 1.
   * @return This dimension.
   * @throws TileDBError if the datatype does not allow it.
   */
  Dimension& set_cell_val_num(unsigned num) {
    check(tiledb_dimension_set_cell_val_num(c_ctx(), c(), num));
    return *this;
  }

  /**
   * Returns a copy of the filters of the coordinates.
   * @throws TileDBError if the library reports an error.
   */
  FilterList filter_list() const {
    tiledb_filter_list_t* list = nullptr;
    check(tiledb_dimension_get_filter_list(c_ctx(), c(), &list));
    return FilterList(context(), list);
  }

  /**
   * Sets the filters of the coordinates.
   * @param filter_list The filters, copied.
   * @return This dimension.
   * @throws TileDBError if a filter does not work with the datatype.
   */
  Dimension& set_filter_list(const FilterList& filter_list) {
    check(tiledb_dimension_set_filter_list(c_ctx(), c(), impl::raw(filter_list)));
    return *this;
  }

  /** Returns the name. @throws TileDBError if the library reports an error. */
  const std::string name() const {
    const char* name = nullptr;
    check(tiledb_dimension_get_name(c_ctx(), c(), &name));
    return name == nullptr ? std::string() : std::string(name);
  }

  /** Returns the datatype. @throws TileDBError if the library reports an error. */
  tiledb_datatype_t type() const {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_dimension_get_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Returns the first and the last coordinate.
   * @tparam T The type of a coordinate.
   * @throws TypeError if T does not match the datatype; TileDBError if the library reports an
   *   error.
   */
  template <typename T>
  std::pair<T, T> domain() const {
    impl::type_check<T>(type(), 1);
    const T* ends = static_cast<const T*>(c_domain());
    return ends == nullptr ? std::pair<T, T>() : std::pair<T, T>(ends[0], ends[1]);
  }

  /**
   * Returns the domain as text, "[1,4]"; empty for strings.
   * @throws TileDBError if the library reports an error.
   */
  std::string domain_to_str() const {
    const void* ends = c_domain();
    const tiledb_datatype_t datatype = type();
    if (datatype == TILEDB_STRING_ASCII)
      return "";
    return "[" + impl::coordinate_to_str(datatype, ends, 0) + "," + impl::coordinate_to_str(datatype, ends, 1) + "]";
  }

  /**
   * Returns the tile extent, or zero without an extent.
   * @tparam T The type of a coordinate.
   * @throws TypeError if T does not match the datatype; TileDBError if the library reports an
   *   error.
   */
  template <typename T>
  T tile_extent() const {
    impl::type_check<T>(type(), 1);
    const void* extent = c_tile_extent();
    return extent == nullptr ? T() : *static_cast<const T*>(extent);
  }

  /**
   * Returns the tile extent as text: "N/A" without an extent, empty for strings.
   *
   * @throws TileDBError if the library reports an error.
   */
  std::string tile_extent_to_str() const {
    const void* extent = c_tile_extent();
    const tiledb_datatype_t datatype = type();
    if (datatype == TILEDB_STRING_ASCII)
      return "";
    return extent == nullptr ? "N/A" : impl::coordinate_to_str(datatype, extent, 0);
  }

  /**
   * Creates a dimension whose datatype comes from a C++ type.
   * @tparam T The type of a coordinate.
   * @param ctx The context, which must outlive the dimension.
   * @param name The name.
   * @param domain The first and the last coordinate.
   * @param extent The number of coordinates per tile.
   * @throws TileDBError if the domain or the extent is wrong.
   */
  template <typename T>
  static Dimension create(const Context& ctx, const std::string& name, const std::array<T, 2>& domain, T extent) {
    return create(ctx, name, single_value<T>(), domain.data(), &extent);
  }

  /**
   * Creates a dimension without a tile extent, whose datatype comes from a C++ type.
   * @tparam T The type of a coordinate.
   * @param ctx The context, which must outlive the dimension.
   * @param name The name.
   * @param domain The first and the last coordinate.
   * @throws TileDBError if the domain is wrong.
   */
  template <typename T>
  static Dimension create(const Context& ctx, const std::string& name, const std::array<T, 2>& domain) {
    return create(ctx, name, single_value<T>(), domain.data(), nullptr);
  }

  /**
   * Creates a dimension.
   * @param ctx The context, which must outlive the dimension.
   * @param name The name.
   * @param datatype The datatype of a coordinate.
   * @param domain The first and the last coordinate, copied; null for strings.
   * @param extent The number of coordinates per tile, copied; null for none.
   * @throws TileDBError if the datatype, the domain or the extent is wrong.
   */
  static Dimension create(
      const Context& ctx, const std::string& name, tiledb_datatype_t datatype, const void* domain, const void* extent) {
    tiledb_dimension_t* dimension = nullptr;
    ctx.handle_error(tiledb_dimension_alloc(impl::raw(ctx), name.c_str(), datatype, domain, extent, &dimension));
    return Dimension(ctx, dimension);
  }

 private:
  friend class Domain;

  /** Returns the datatype of T, which must be a single value. */
  template <typename T>
  static constexpr tiledb_datatype_t single_value() {
    static_assert(impl::TypeHandler<T>::tiledb_num == 1, "Dimension types cannot be compound, use arithmetic type.");
    return impl::TypeHandler<T>::tiledb_type;
  }

  const void* c_domain() const {
    const void* domain = nullptr;
    check(tiledb_dimension_get_domain(c_ctx(), c(), &domain));
    return domain;
  }

  const void* c_tile_extent() const {
    const void* extent = nullptr;
    check(tiledb_dimension_get_tile_extent(c_ctx(), c(), &extent));
    return extent;
  }
};

/**
 * Prints the name, the domain and the tile extent.
 *
 * @param os The stream.
 * @param dim The dimension.
 * @return The stream.
 */
inline std::ostream& operator<<(std::ostream& os, const Dimension& dim) {
  return os << "Dim<" << dim.name() << "," << dim.domain_to_str() << "," << dim.tile_extent_to_str() << ">";
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_DIMENSION_H
