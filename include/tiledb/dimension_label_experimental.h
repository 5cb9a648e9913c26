/**
 * @file dimension_label_experimental.h
 * Dimension labels: values by which cells can be selected in place of coordinates.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_DIMENSION_LABEL_H
#define TILEDB_CPP_API_DIMENSION_LABEL_H

#include <string>

#include "context.h"
#include "deleter.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** The description of a label of a dimension, as part of a schema. Copies share it. */
class DimensionLabel : public impl::Handle<tiledb_dimension_label_t> {
 public:
  /** Takes ownership of a C dimension label. @param ctx The context. @param dim_label The label. */
  DimensionLabel(const Context& ctx, tiledb_dimension_label_t* dim_label)
      : Handle(ctx, dim_label) {
  }

  /** Returns the position of the dimension. @throws TileDBError if the library reports an error. */
  uint32_t dimension_index() const {
    uint32_t index = 0;
    check(tiledb_dimension_label_get_dimension_index(c_ctx(), c(), &index));
    return index;
  }

  /**
   * Returns the name of the attribute that stores the values.
   * @throws TileDBError if the library reports an error.
   */
  std::string label_attr_name() const {
    const char* name = nullptr;
    check(tiledb_dimension_label_get_label_attr_name(c_ctx(), c(), &name));
    return text(name);
  }

  /**
   * Returns the number of elements per value, TILEDB_VAR_NUM for strings.
   *
   * @throws TileDBError if the library reports an error.
   */
  uint32_t label_cell_val_num() const {
    uint32_t number = 0;
    check(tiledb_dimension_label_get_label_cell_val_num(c_ctx(), c(), &number));
    return number;
  }

  /** Returns the order of the values. @throws TileDBError if the library reports an error. */
  tiledb_data_order_t label_order() const {
    tiledb_data_order_t order = TILEDB_UNORDERED_DATA;
    check(tiledb_dimension_label_get_label_order(c_ctx(), c(), &order));
    return order;
  }

  /** Returns the datatype of the values. @throws TileDBError if the library reports an error. */
  tiledb_datatype_t label_type() const {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_dimension_label_get_label_type(c_ctx(), c(), &type));
    return type;
  }

  /** Returns the name. @throws TileDBError if the library reports an error. */
  std::string name() const {
    const char* name = nullptr;
    check(tiledb_dimension_label_get_name(c_ctx(), c(), &name));
    return text(name);
  }

  /**
   * Returns the URI of the array that stores the values.
   * @throws TileDBError if the library reports an error.
   */
  std::string uri() const {
    const char* uri = nullptr;
    check(tiledb_dimension_label_get_uri(c_ctx(), c(), &uri));
    return text(uri);
  }

 private:
  static std::string text(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_DIMENSION_LABEL_H
