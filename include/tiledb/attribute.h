/**
 * @file attribute.h
 * Attributes of arrays.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ATTRIBUTE_H
#define TILEDB_CPP_API_ATTRIBUTE_H

#include <ostream>
#include <string>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "filter_list.h"
#include "object.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

/** A named value of each cell of an array. Copies share the attribute. */
class Attribute : public impl::Handle<tiledb_attribute_t> {
 public:
  /** Takes ownership of a C attribute. @param ctx The context. @param attr The attribute. */
  Attribute(const Context& ctx, tiledb_attribute_t* attr)
      : Handle(ctx, attr) {
  }

  /**
   * Creates an attribute with one value per cell.
   * @param ctx The context, which must outlive the attribute.
   * @param name The name; may be empty for one attribute of an array.
   * @param type The datatype.
   * @throws TileDBError if the library does not accept the name or the type.
   */
  Attribute(const Context& ctx, const std::string& name, tiledb_datatype_t type)
      : Handle(ctx) {
    check(tiledb_attribute_alloc(c_ctx(), name.c_str(), type, out()));
  }

  /**
   * Creates an attribute with filters.
   * @param ctx The context, which must outlive the attribute.
   * @param name The name.
   * @param type The datatype.
   * @param filter_list The filters of its tiles, copied.
   * @throws TileDBError if the library does not accept the name, the type or the filters.
   */
  Attribute(const Context& ctx, const std::string& name, tiledb_datatype_t type, const FilterList& filter_list)
      : Attribute(ctx, name, type) {
    set_filter_list(filter_list);
  }

  /** Returns the name. @throws TileDBError if the library reports an error. */
  std::string name() const {
    const char* name = nullptr;
    check(tiledb_attribute_get_name(c_ctx(), c(), &name));
    return name == nullptr ? std::string() : std::string(name);
  }

  /** Returns the datatype. @throws TileDBError if the library reports an error. */
  tiledb_datatype_t type() const {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_attribute_get_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Returns the size of a cell in bytes, TILEDB_VAR_NUM if it varies.
   *
   * @throws TileDBError if the library reports an error.
   */
  uint64_t cell_size() const {
    uint64_t size = 0;
    check(tiledb_attribute_get_cell_size(c_ctx(), c(), &size));
    return size;
  }

  /**
   * Returns the number of values per cell, TILEDB_VAR_NUM if it varies.
   *
   * @throws TileDBError if the library reports an error.
   */
  unsigned cell_val_num() const {
    unsigned number = 0;
    check(tiledb_attribute_get_cell_val_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Sets the number of values per cell. The fill value becomes the default one.
   * @param num The number, TILEDB_VAR_NUM for one that varies.
   * @return This attribute.
   * @throws TileDBError if the datatype does not allow it.
   */
  Attribute& set_cell_val_num(unsigned num) {
    check(tiledb_attribute_set_cell_val_num(c_ctx(), c(), num));
    return *this;
  }

  /**
   * Sets the value of cells that were not written, of an attribute that is not nullable.
   * @param value The value, copied.
   * @param size Its size in bytes: that of a cell, or any for cells of variable size.
   * @return This attribute.
   * @throws TileDBError if the size does not match or the attribute is nullable.
   */
  Attribute& set_fill_value(const void* value, uint64_t size) {
    check(tiledb_attribute_set_fill_value(c_ctx(), c(), value, size));
    return *this;
  }

  /**
   * Returns the value of cells that were not written, of an attribute that is not nullable.
   * @param value The value, valid until the attribute is freed or the fill value is set.
   * @param size Its size in bytes.
   * @throws TileDBError if the attribute is nullable.
   */
  void get_fill_value(const void** value, uint64_t* size) const {
    check(tiledb_attribute_get_fill_value(c_ctx(), c(), value, size));
  }

  /**
   * Sets the value of cells that were not written, of a nullable attribute.
   * @param value The value, copied.
   * @param size Its size in bytes.
   * @param valid 0 if these cells are null.
   * @return This attribute.
   * @throws TileDBError if the size does not match or the attribute is not nullable.
   */
  Attribute& set_fill_value(const void* value, uint64_t size, uint8_t valid) {
    check(tiledb_attribute_set_fill_value_nullable(c_ctx(), c(), value, size, valid));
    return *this;
  }

  /**
   * Returns the value of cells that were not written, of a nullable attribute.
   * @param value The value, valid until the attribute is freed or the fill value is set.
   * @param size Its size in bytes.
   * @param valid 0 if these cells are null.
   * @throws TileDBError if the attribute is not nullable.
   */
  void get_fill_value(const void** value, uint64_t* size, uint8_t* valid) const {
    check(tiledb_attribute_get_fill_value_nullable(c_ctx(), c(), value, size, valid));
  }

  /**
   * Returns whether the number of values per cell varies.
   * @throws TileDBError if the library reports an error.
   */
  bool variable_sized() const {
    return cell_val_num() == impl::var_num;
  }

  /** Returns a copy of the filters. @throws TileDBError if the library reports an error. */
  FilterList filter_list() const {
    tiledb_filter_list_t* list = nullptr;
    check(tiledb_attribute_get_filter_list(c_ctx(), c(), &list));
    return FilterList(context(), list);
  }

  /**
   * Sets the filters.
   * @param filter_list The filters, copied.
   * @return This attribute.
   * @throws TileDBError if a filter does not work with the datatype.
   */
  Attribute& set_filter_list(const FilterList& filter_list) {
    check(tiledb_attribute_set_filter_list(c_ctx(), c(), impl::raw(filter_list)));
    return *this;
  }

  /**
   * Sets whether cells can be null.
   * @param nullable True if they can.
   * @return This attribute.
   * @throws TileDBError if the library reports an error.
   */
  Attribute& set_nullable(bool nullable) {
    check(tiledb_attribute_set_nullable(c_ctx(), c(), nullable));
    return *this;
  }

  /** Returns whether cells can be null. @throws TileDBError if the library reports an error. */
  bool nullable() const {
    uint8_t nullable = 0;
    check(tiledb_attribute_get_nullable(c_ctx(), c(), &nullable));
    return nullable != 0;
  }

  /**
   * Creates an attribute whose datatype and number of values per cell come from a C++ type: a
   * number, a struct, a std::array, or std::string and std::vector, whose length varies.
   * @tparam T The type of a cell.
   * @param ctx The context, which must outlive the attribute.
   * @param name The name.
   * @throws TileDBError if the library does not accept the name.
   */
  template <typename T>
  static Attribute create(const Context& ctx, const std::string& name) {
    using Cell = impl::TypeHandler<T>;
    return Attribute(ctx, name, Cell::tiledb_type).set_cell_val_num(Cell::tiledb_num);
  }

  /**
   * Creates an attribute with one value per cell.
   * @param ctx The context, which must outlive the attribute.
   * @param name The name.
   * @param type The datatype.
   * @throws TileDBError if the library does not accept the name or the type.
   */
  static Attribute create(const Context& ctx, const std::string& name, tiledb_datatype_t type) {
    return Attribute(ctx, name, type);
  }

  /**
   * Creates an attribute with filters whose datatype comes from a C++ type.
   * @tparam T The type of a cell.
   * @param ctx The context, which must outlive the attribute.
   * @param name The name.
   * @param filter_list The filters of its tiles, copied.
   * @throws TileDBError if the library does not accept the name or the filters.
   */
  template <typename T>
  static Attribute create(const Context& ctx, const std::string& name, const FilterList& filter_list) {
    return create<T>(ctx, name).set_filter_list(filter_list);
  }
};

/**
 * Prints an attribute.
 * @param os The stream.
 * @param attribute The attribute.
 * @return The stream.
 */
inline std::ostream& operator<<(std::ostream& os, const Attribute& attribute) {
  const Context& ctx = attribute.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_attribute_dump_str(impl::raw(ctx), impl::raw(attribute), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ATTRIBUTE_H
