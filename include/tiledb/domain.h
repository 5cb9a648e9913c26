/**
 * @file domain.h
 * Domains: the dimensions of an array.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_DOMAIN_H
#define TILEDB_CPP_API_DOMAIN_H

#include <ostream>
#include <string>
#include <vector>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "dimension.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

/** The dimensions of an array, in order. Copies share the domain. */
class Domain : public impl::Handle<tiledb_domain_t> {
 public:
  /**
   * Creates a domain without dimensions.
   * @param ctx The context.
   * @throws TileDBError if the library reports an error.
   */
  explicit Domain(const Context& ctx)
      : Handle(ctx) {
    check(tiledb_domain_alloc(c_ctx(), out()));
  }

  /** Takes ownership of a C domain. @param ctx The context. @param domain The domain. */
  Domain(const Context& ctx, tiledb_domain_t* domain)
      : Handle(ctx, domain) {
  }

  /**
   * Returns the number of cells, modulo 2^64.
   * @throws TileDBError if the dimensions are not integers or have several types.
   */
  uint64_t cell_num() const {
    const tiledb_datatype_t datatype = type();
    if (datatype == TILEDB_FLOAT32 || datatype == TILEDB_FLOAT64)
      throw TileDBError("[TileDB::C++API::Domain] Cannot compute number of cells for a non-integer domain");
    const unsigned dimensions = ndim();
    uint64_t number = 1;
    for (unsigned i = 0; i < dimensions; i++)
      number *= coordinate_num(datatype, dimension(i));
    return number;
  }

  /**
   * Returns the datatype of the dimensions.
   * @throws TileDBError if they differ or the domain is empty.
   */
  tiledb_datatype_t type() const {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_domain_get_type(c_ctx(), c(), &type));
    return type;
  }

  /** Returns the number of dimensions. @throws TileDBError if the library reports an error. */
  unsigned ndim() const {
    unsigned number = 0;
    check(tiledb_domain_get_ndim(c_ctx(), c(), &number));
    return number;
  }

  /** Returns the dimensions. @throws TileDBError if the library reports an error. */
  std::vector<Dimension> dimensions() const {
    const unsigned number = ndim();
    std::vector<Dimension> dimensions;
    dimensions.reserve(number);
    for (unsigned i = 0; i < number; i++)
      dimensions.push_back(dimension(i));
    return dimensions;
  }

  /** Returns a dimension. @param idx Its position. @throws TileDBError if there are fewer. */
  Dimension dimension(unsigned idx) const {
    tiledb_dimension_t* dimension = nullptr;
    check(tiledb_domain_get_dimension_from_index(c_ctx(), c(), idx, &dimension));
    return Dimension(context(), dimension);
  }

  /** Returns a dimension. @param name Its name. @throws TileDBError if that name does not exist. */
  Dimension dimension(const std::string& name) const {
    tiledb_dimension_t* dimension = nullptr;
    check(tiledb_domain_get_dimension_from_name(c_ctx(), c(), name.c_str(), &dimension));
    return Dimension(context(), dimension);
  }

  /**
   * Adds a dimension after the others.
   * @param d The dimension, which the domain shares.
   * @return This domain.
   * @throws TileDBError if it does not go with the others.
   */
  Domain& add_dimension(const Dimension& d) {
    check(tiledb_domain_add_dimension(c_ctx(), c(), impl::raw(d)));
    return *this;
  }

  /**
   * Adds dimensions after the others.
   * @param dims The dimensions, which the domain shares.
   * @return This domain.
   * @throws TileDBError if one does not go with the others.
   */
  template <typename... Args>
  Domain& add_dimensions(Args... dims) {
    (add_dimension(dims), ...);
    return *this;
  }

  /**
   * Returns whether there is a dimension of a name.
   *
   * @param name The name.
   * @throws TileDBError if the library reports an error.
   */
  bool has_dimension(const std::string& name) const {
    int32_t has = 0;
    check(tiledb_domain_has_dimension(c_ctx(), c(), name.c_str(), &has));
    return has == 1;
  }

 private:
  /** Returns the number of coordinates of an integer dimension. */
  static uint64_t coordinate_num(tiledb_datatype_t datatype, const Dimension& dimension) {
    const void* ends = dimension.c_domain();
    // Converting to 64 bits keeps the difference of the ends, also of negative ones.
    const auto number = [ends](auto type) {
      const auto* typed = static_cast<const decltype(type)*>(ends);
      return static_cast<uint64_t>(typed[1]) - static_cast<uint64_t>(typed[0]) + 1;
    };
    switch (datatype) {
      case TILEDB_INT8:
        return number(int8_t());
      case TILEDB_UINT8:
        return number(uint8_t());
      case TILEDB_INT16:
        return number(int16_t());
      case TILEDB_UINT16:
        return number(uint16_t());
      case TILEDB_INT32:
        return number(int32_t());
      case TILEDB_UINT32:
        return number(uint32_t());
      case TILEDB_INT64:
      case TILEDB_UINT64:
        return number(uint64_t());
      default:
        throw TileDBError(
            "[TileDB::C++API::Domain] Cannot compute number of cells; Unknown domain type");
    }
  }
};

/** Prints the dimensions. @param os The stream. @param dom The domain. @return The stream. */
inline std::ostream& operator<<(std::ostream& os, const Domain& dom) {
  const Context& ctx = dom.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_domain_dump_str(impl::raw(ctx), impl::raw(dom), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_DOMAIN_H
