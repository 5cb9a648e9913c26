/**
 * @file array_schema.h
 * Schemas of arrays.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ARRAY_SCHEMA_H
#define TILEDB_CPP_API_ARRAY_SCHEMA_H

#include <array>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>

#include "attribute.h"
#include "capi_string.h"
#include "domain.h"
#include "object.h"
#include "schema_base.h"
#include "tiledb.h"

namespace tiledb {

/**
 * The dimensions, the attributes and the layout of an array. Copies share the schema. A schema that
 * was read from an array can be changed in memory; the array does not change with it.
 */
class ArraySchema : public Schema, public impl::Handle<tiledb_array_schema_t> {
 public:
  /**
   * Creates a schema without dimensions and attributes.
   * @param ctx The context, which must outlive the schema.
   * @param type Dense or sparse.
   * @throws TileDBError if the library reports an error.
   */
  explicit ArraySchema(const Context& ctx, tiledb_array_type_t type)
      : Schema(ctx)
      , Handle(ctx) {
    verify(tiledb_array_schema_alloc(c_ctx(), type, out()));
  }

  /**
   * Reads the latest schema of an array.
   * @param ctx The context, which must outlive the schema.
   * @param uri The URI of the array.
   * @throws TileDBError if the array does not exist or cannot be read.
   */
  ArraySchema(const Context& ctx, const std::string& uri)
      : Schema(ctx)
      , Handle(ctx) {
    verify(tiledb_array_schema_load(c_ctx(), uri.c_str(), out()));
  }

  /** Takes ownership of a C schema. @param ctx The context. @param schema The schema. */
  ArraySchema(const Context& ctx, tiledb_array_schema_t* schema)
      : Schema(ctx)
      , Handle(ctx, schema) {
  }

  ArraySchema() = delete;
  ArraySchema(const ArraySchema&) = default;
  ArraySchema(ArraySchema&&) = default;
  virtual ~ArraySchema() = default;
  ArraySchema& operator=(const ArraySchema&) = default;
  ArraySchema& operator=(ArraySchema&&) = default;

  using Schema::context;

  /**
   * Returns whether the array is dense or sparse.
   * @throws TileDBError if the library reports an error.
   */
  tiledb_array_type_t array_type() const {
    tiledb_array_type_t type = TILEDB_DENSE;
    verify(tiledb_array_schema_get_array_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Returns the number of cells per tile of a sparse array.
   * @throws TileDBError if the library reports an error.
   */
  uint64_t capacity() const {
    uint64_t capacity = 0;
    verify(tiledb_array_schema_get_capacity(c_ctx(), c(), &capacity));
    return capacity;
  }

  /**
   * Sets the number of cells per tile of a sparse array.
   * @param capacity The number, not 0.
   * @return This schema.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchema& set_capacity(uint64_t capacity) {
    verify(tiledb_array_schema_set_capacity(c_ctx(), c(), capacity));
    return *this;
  }

  /**
   * Returns whether cells can have the same coordinates.
   * @throws TileDBError if the library reports an error.
   */
  bool allows_dups() const {
    int allows = 0;
    verify(tiledb_array_schema_get_allows_dups(c_ctx(), c(), &allows));
    return allows != 0;
  }

  /**
   * Sets whether cells of a sparse array can have the same coordinates.
   * @param allows_dups True if they can.
   * @return This schema.
   * @throws TileDBError if the array is dense.
   */
  ArraySchema& set_allows_dups(bool allows_dups) {
    verify(tiledb_array_schema_set_allows_dups(c_ctx(), c(), allows_dups));
    return *this;
  }

  /** Returns the format version. @throws TileDBError if the library reports an error. */
  uint32_t version() const {
    uint32_t version = 0;
    verify(tiledb_array_schema_get_version(c_ctx(), c(), &version));
    return version;
  }

  /** Returns the order of tiles. @throws TileDBError if the library reports an error. */
  tiledb_layout_t tile_order() const {
    tiledb_layout_t layout = TILEDB_ROW_MAJOR;
    verify(tiledb_array_schema_get_tile_order(c_ctx(), c(), &layout));
    return layout;
  }

  /**
   * Sets the order of tiles.
   *
   * @param layout The order.
   * @return This schema.
   * @throws TileDBError if tiles cannot have it.
   */
  ArraySchema& set_tile_order(tiledb_layout_t layout) {
    verify(tiledb_array_schema_set_tile_order(c_ctx(), c(), layout));
    return *this;
  }

  /**
   * Sets both orders.
   *
   * @param p The order of tiles, and of cells.
   * @return This schema.
   * @throws TileDBError if they cannot have it.
   */
  ArraySchema& set_order(const std::array<tiledb_layout_t, 2>& p) {
    return set_tile_order(p[0]).set_cell_order(p[1]);
  }

  /** Returns the order of cells in a tile. @throws TileDBError if the library reports an error. */
  tiledb_layout_t cell_order() const {
    tiledb_layout_t layout = TILEDB_ROW_MAJOR;
    verify(tiledb_array_schema_get_cell_order(c_ctx(), c(), &layout));
    return layout;
  }

  /**
   * Sets the order of cells in a tile.
   *
   * @param layout The order.
   * @return This schema.
   * @throws TileDBError if cells cannot have it.
   */
  ArraySchema& set_cell_order(tiledb_layout_t layout) {
    verify(tiledb_array_schema_set_cell_order(c_ctx(), c(), layout));
    return *this;
  }

  /**
   * Returns a copy of the filters of coordinates.
   * @throws TileDBError if the library reports an error.
   */
  FilterList coords_filter_list() const {
    return filters(tiledb_array_schema_get_coords_filter_list);
  }

  /**
   * Sets the filters of dimensions that have none.
   *
   * @param filter_list The filters, copied.
   * @return This schema.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchema& set_coords_filter_list(const FilterList& filter_list) {
    verify(tiledb_array_schema_set_coords_filter_list(c_ctx(), c(), impl::raw(filter_list)));
    return *this;
  }

  /**
   * Returns a copy of the filters of offsets.
   * @throws TileDBError if the library reports an error.
   */
  FilterList offsets_filter_list() const {
    return filters(tiledb_array_schema_get_offsets_filter_list);
  }

  /**
   * Returns a copy of the filters of validity values.
   * @throws TileDBError if the library reports an error.
   */
  FilterList validity_filter_list() const {
    return filters(tiledb_array_schema_get_validity_filter_list);
  }

  /**
   * Sets the filters of offsets.
   *
   * @param filter_list The filters, copied.
   * @return This schema.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchema& set_offsets_filter_list(const FilterList& filter_list) {
    verify(tiledb_array_schema_set_offsets_filter_list(c_ctx(), c(), impl::raw(filter_list)));
    return *this;
  }

  /**
   * Sets the filters of validity values.
   *
   * @param filter_list The filters, copied.
   * @return This schema.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchema& set_validity_filter_list(const FilterList& filter_list) {
    verify(tiledb_array_schema_set_validity_filter_list(c_ctx(), c(), impl::raw(filter_list)));
    return *this;
  }

  /** Returns the dimensions. @throws TileDBError if the library reports an error. */
  Domain domain() const {
    tiledb_domain_t* domain = nullptr;
    verify(tiledb_array_schema_get_domain(c_ctx(), c(), &domain));
    return Domain(context(), domain);
  }

  /**
   * Sets the dimensions.
   *
   * @param domain The dimensions.
   * @return This schema.
   * @throws TileDBError if the array cannot have them.
   */
  ArraySchema& set_domain(const Domain& domain) {
    verify(tiledb_array_schema_set_domain(c_ctx(), c(), impl::raw(domain)));
    return *this;
  }

  /**
   * Returns when the schema was written, twice, in milliseconds since 1970.
   *
   * @throws TileDBError if the library reports an error.
   */
  std::pair<uint64_t, uint64_t> timestamp_range() {
    std::pair<uint64_t, uint64_t> range;
    verify(tiledb_array_schema_timestamp_range(c_ctx(), c(), &range.first, &range.second));
    return range;
  }

  /**
   * Adds an attribute.
   *
   * @param attr The attribute, which the schema shares.
   * @return This schema.
   * @throws TileDBError if it does not go with the others.
   */
  ArraySchema& add_attribute(const Attribute& attr) override {
    verify(tiledb_array_schema_add_attribute(c_ctx(), c(), impl::raw(attr)));
    return *this;
  }

  /** Checks that an array can be created with the schema. @throws TileDBError if it cannot. */
  void check() const override {
    verify(tiledb_array_schema_check(c_ctx(), c()));
  }

  /** Returns the attributes by name. @throws TileDBError if the library reports an error. */
  std::unordered_map<std::string, Attribute> attributes() const override {
    const unsigned number = attribute_num();
    std::unordered_map<std::string, Attribute> attributes;
    attributes.reserve(number);
    for (unsigned i = 0; i < number; i++) {
      Attribute next = attribute(i);
      attributes.emplace(next.name(), std::move(next));
    }
    return attributes;
  }

  /**
   * Returns an attribute.
   * @param name Its name.
   * @throws TileDBError if that name does not exist.
   */
  Attribute attribute(const std::string& name) const override {
    tiledb_attribute_t* attribute = nullptr;
    verify(tiledb_array_schema_get_attribute_from_name(c_ctx(), c(), name.c_str(), &attribute));
    return Attribute(context(), attribute);
  }

  /** Returns the number of attributes. @throws TileDBError if the library reports an error. */
  unsigned attribute_num() const override {
    unsigned number = 0;
    verify(tiledb_array_schema_get_attribute_num(c_ctx(), c(), &number));
    return number;
  }

  /** Returns an attribute. @param i Its position. @throws TileDBError if there are fewer. */
  Attribute attribute(unsigned int i) const override {
    tiledb_attribute_t* attribute = nullptr;
    verify(tiledb_array_schema_get_attribute_from_index(c_ctx(), c(), i, &attribute));
    return Attribute(context(), attribute);
  }

  /**
   * Returns whether there is an attribute of a name.
   *
   * @param name The name.
   * @throws TileDBError if the library reports an error.
   */
  bool has_attribute(const std::string& name) const {
    int32_t has = 0;
    verify(tiledb_array_schema_has_attribute(c_ctx(), c(), name.c_str(), &has));
    return has == 1;
  }

  /** Returns the name of a kind of array. @param type The kind. */
  static std::string to_str(tiledb_array_type_t type) {
    return type == TILEDB_DENSE ? "DENSE" : "SPARSE";
  }

  /**
   * Returns the name of an order; empty for a value that is not an order.
   * @param layout The order.
   */
  static std::string to_str(tiledb_layout_t layout) {
    switch (layout) {
      case TILEDB_GLOBAL_ORDER:
        return "GLOBAL";
      case TILEDB_ROW_MAJOR:
        return "ROW-MAJOR";
      case TILEDB_COL_MAJOR:
        return "COL-MAJOR";
      case TILEDB_UNORDERED:
        return "UNORDERED";
      case TILEDB_HILBERT:
        return "HILBERT";
      default:
        return "";
    }
  }

 private:
  /** The check of return codes, under a name that check() of the schema does not hide. */
  void verify(int rc) const {
    Handle::check(rc);
  }

  FilterList filters(capi_return_t (*get)(tiledb_ctx_t*, tiledb_array_schema_t*, tiledb_filter_list_t**)) const {
    tiledb_filter_list_t* list = nullptr;
    verify(get(c_ctx(), c(), &list));
    return FilterList(context(), list);
  }
};

/** Prints a schema. @param os The stream. @param schema The schema. @return The stream. */
inline std::ostream& operator<<(std::ostream& os, const ArraySchema& schema) {
  const Context& ctx = schema.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_array_schema_dump_str(impl::raw(ctx), impl::raw(schema), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ARRAY_SCHEMA_H
