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
  /** Makes a domain without dimensions. @param ctx The context. @throws TileDBError if the library reports an error. */
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
   * @throws TileDBError if the dimensions are no integers; TypeError if they have several types.
   */
  uint64_t cell_num() const {
    switch (type()) {
      case TILEDB_INT8:
        return cell_num<int8_t>();
      case TILEDB_UINT8:
        return cell_num<uint8_t>();
      case TILEDB_INT16:
        return cell_num<int16_t>();
      case TILEDB_UINT16:
        return cell_num<uint16_t>();
      case TILEDB_INT32:
        return cell_num<int32_t>();
      case TILEDB_UINT32:
        return cell_num<uint32_t>();
      case TILEDB_INT64:
        return cell_num<int64_t>();
      case TILEDB_UINT64:
        return cell_num<uint64_t>();
      case TILEDB_FLOAT32:
      case TILEDB_FLOAT64:
        throw TileDBError("[TileDB::C++API::Domain] Cannot compute number of cells for a non-integer domain");
      default:
        throw TileDBError("[TileDB::C++API::Domain] Cannot compute number of cells; Unknown domain type");
    }
  }

  /** Returns the datatype of the dimensions. @throws TileDBError if they have several, or if there is none. */
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

  /** Returns a dimension. @param name Its name. @throws TileDBError if there is none of this name. */
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

  /** Returns whether there is a dimension of a name. @param name The name. @throws TileDBError if the library reports an error. */
  bool has_dimension(const std::string& name) const {
    int32_t has = 0;
    check(tiledb_domain_has_dimension(c_ctx(), c(), name.c_str(), &has));
    return has == 1;
  }

 private:
  template <class T>
  uint64_t cell_num() const {
    uint64_t number = 1;
    for (const Dimension& dimension : dimensions()) {
      const auto [first, last] = dimension.domain<T>();
      number *= static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
    }
    return number;
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
