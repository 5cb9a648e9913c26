/**
 * @file array_schema_experimental.h
 * Dimension labels, current domains and enumerations of schemas.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ARRAY_SCHEMA_EXPERIMENTAL_H
#define TILEDB_CPP_API_ARRAY_SCHEMA_EXPERIMENTAL_H

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "array_schema.h"
#include "current_domain.h"
#include "dimension_label_experimental.h"
#include "enumeration_experimental.h"
#include "filter_list.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Functions on schemas that are subject to change. */
class ArraySchemaExperimental {
 public:
  /**
   * Adds a label to a dimension.
   * @param ctx The context.
   * @param array_schema The schema.
   * @param dim_index The position of the dimension.
   * @param name The name of the label.
   * @param label_order The order of its values.
   * @param label_type The datatype of its values.
   * @param filter_list The filters of its values, copied.
   * @throws TileDBError if the dimension does not exist, the name is taken or the type is not
   *   possible.
   */
  static void add_dimension_label(const Context& ctx, ArraySchema& array_schema, uint32_t dim_index,
      const std::string& name, tiledb_data_order_t label_order, tiledb_datatype_t label_type,
      std::optional<FilterList> filter_list = std::nullopt) {
    ctx.handle_error(tiledb_array_schema_add_dimension_label(
        impl::raw(ctx), impl::raw(array_schema), dim_index, name.c_str(), label_order, label_type));
    if (filter_list)
      ctx.handle_error(tiledb_array_schema_set_dimension_label_filter_list(
          impl::raw(ctx), impl::raw(array_schema), name.c_str(), impl::raw(*filter_list)));
  }

  /**
   * Adds a label with a tile extent to a dimension.
   * @tparam T The type of the dimension, or a pointer to it.
   * @param ctx The context.
   * @param array_schema The schema.
   * @param dim_idx The position of the dimension.
   * @param name The name of the label.
   * @param label_order The order of its values.
   * @param label_type The datatype of its values.
   * @param dim_tile_extent The tile extent of the label.
   * @param filter_list The filters of its values, copied.
   * @throws TileDBError if the dimension does not exist, the name is taken, or the type or the
   *   extent is not possible.
   */
  template <typename T, std::enable_if_t<!std::is_convertible_v<T, std::optional<FilterList>>, bool> = true>
  static void add_dimension_label(const Context& ctx, ArraySchema& array_schema, uint32_t dim_idx,
      const std::string& name, tiledb_data_order_t label_order, tiledb_datatype_t label_type, T dim_tile_extent,
      std::optional<FilterList> filter_list = std::nullopt) {
    using Extent = impl::TypeHandler<std::remove_cv_t<std::remove_pointer_t<T>>>;
    static_assert(Extent::tiledb_num == 1, "Dimension label types cannot be compound, use an arithmetic type.");
    add_dimension_label(ctx, array_schema, dim_idx, name, label_order, label_type, filter_list);
    const void* extent = nullptr;
    if constexpr (std::is_pointer_v<T>)
      extent = dim_tile_extent;
    else
      extent = &dim_tile_extent;
    ctx.handle_error(tiledb_array_schema_set_dimension_label_tile_extent(
        impl::raw(ctx), impl::raw(array_schema), name.c_str(), Extent::tiledb_type, extent));
  }

  /**
   * Returns whether a schema has a label.
   *
   * @param ctx The context.
   * @param array_schema The schema.
   * @param name The name.
   * @throws TileDBError if the library reports an error.
   */
  static bool has_dimension_label(const Context& ctx, const ArraySchema& array_schema, const std::string& name) {
    int32_t has = 0;
    ctx.handle_error(tiledb_array_schema_has_dimension_label(
        impl::raw(ctx), impl::raw(array_schema), name.c_str(), &has));
    return has != 0;
  }

  /**
   * Returns a label.
   *
   * @param ctx The context.
   * @param array_schema The schema.
   * @param name The name.
   * @throws TileDBError if that name does not exist.
   */
  static DimensionLabel dimension_label(const Context& ctx, const ArraySchema& array_schema, const std::string& name) {
    tiledb_dimension_label_t* label = nullptr;
    ctx.handle_error(tiledb_array_schema_get_dimension_label_from_name(
        impl::raw(ctx), impl::raw(array_schema), name.c_str(), &label));
    return DimensionLabel(ctx, label);
  }

  /**
   * Returns the current domain, which is empty if none was set.
   *
   * @param ctx The context.
   * @param array_schema The schema.
   * @throws TileDBError if the library reports an error.
   */
  static CurrentDomain current_domain(const Context& ctx, const ArraySchema& array_schema) {
    tiledb_current_domain_t* domain = nullptr;
    ctx.handle_error(tiledb_array_schema_get_current_domain(impl::raw(ctx), impl::raw(array_schema), &domain));
    return CurrentDomain(ctx, domain);
  }

  /**
   * Sets the current domain.
   * @param ctx The context.
   * @param array_schema The schema, which changes although it is const.
   * @param current_domain The current domain.
   * @throws TileDBError if it is not in the domain.
   */
  static void set_current_domain(
      const Context& ctx, const ArraySchema& array_schema, const CurrentDomain& current_domain) {
    ctx.handle_error(tiledb_array_schema_set_current_domain(
        impl::raw(ctx), impl::raw(array_schema), impl::raw(current_domain)));
  }

  /**
   * Returns an enumeration.
   *
   * @param ctx The context.
   * @param array_schema The schema.
   * @param enumeration_name Its name.
   * @throws TileDBError if that name does not exist.
   */
  static Enumeration get_enumeration_from_name(
      const Context& ctx, const ArraySchema& array_schema, const std::string& enumeration_name) {
    tiledb_enumeration_t* enumeration = nullptr;
    ctx.handle_error(tiledb_array_schema_get_enumeration_from_name(
        impl::raw(ctx), impl::raw(array_schema), enumeration_name.c_str(), &enumeration));
    return Enumeration(ctx, enumeration);
  }

  /**
   * Returns the enumeration of an attribute.
   *
   * @param ctx The context.
   * @param array_schema The schema.
   * @param attribute_name The name of the attribute.
   * @throws TileDBError if it has none.
   */
  static Enumeration get_enumeration_from_attribute_name(
      const Context& ctx, const ArraySchema& array_schema, const std::string& attribute_name) {
    tiledb_enumeration_t* enumeration = nullptr;
    ctx.handle_error(tiledb_array_schema_get_enumeration_from_attribute_name(
        impl::raw(ctx), impl::raw(array_schema), attribute_name.c_str(), &enumeration));
    return Enumeration(ctx, enumeration);
  }

  /**
   * Adds an enumeration, for attributes that are added later.
   * @param ctx The context.
   * @param array_schema The schema, which changes although it is const.
   * @param enmr The enumeration.
   * @throws TileDBError if the name is taken.
   */
  static void add_enumeration(const Context& ctx, const ArraySchema& array_schema, const Enumeration& enmr) {
    ctx.handle_error(tiledb_array_schema_add_enumeration(impl::raw(ctx), impl::raw(array_schema), impl::raw(enmr)));
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ARRAY_SCHEMA_EXPERIMENTAL_H
