/**
 * @file query_experimental.h
 * Aggregates, dimension labels and updates of queries.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_EXPERIMENTAL_H
#define TILEDB_CPP_API_QUERY_EXPERIMENTAL_H

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array_schema_experimental.h"
#include "context.h"
#include "dimension_label_experimental.h"
#include "query.h"
#include "query_channel.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Functions on queries that are subject to change. */
class QueryExperimental {
 public:
  /**
   * Sets a field of the cells that an update query changes.
   * @param ctx The context.
   * @param query The query.
   * @param field_name The name of the field.
   * @param update_value The value; it must stay valid until the query is submitted.
   * @param update_value_size Its size in bytes.
   * @throws TileDBError if the query is not an update.
   */
  static void add_update_value_to_query(const Context& ctx, Query& query, const char* field_name,
      const void* update_value, uint64_t update_value_size) {
    ctx.handle_error(tiledb_query_add_update_value(
        impl::raw(ctx), impl::raw(query), field_name, update_value, update_value_size));
  }

  /**
   * Returns the number of fragments that can have results of a read.
   *
   * @param ctx The context.
   * @param query The query.
   * @throws TileDBError if the library reports an error.
   */
  static uint64_t get_relevant_fragment_num(Context& ctx, const Query& query) {
    uint64_t number = 0;
    ctx.handle_error(tiledb_query_get_relevant_fragment_num(impl::raw(ctx), impl::raw(query), &number));
    return number;
  }

  /**
   * Sets the values of a field, which can be a dimension label.
   * @tparam T The type of a value.
   * @param query The query.
   * @param name The name of an attribute, a dimension or a label.
   * @param buf The buffer, which must not be resized while it is set.
   * @return The query.
   * @throws TypeError if T does not match the datatype; TileDBError if the field does not exist.
   */
  template <typename T>
  static Query& set_data_buffer(Query& query, const std::string& name, std::vector<T>& buf) {
    return set_data_buffer(query, name, buf.data(), buf.size());
  }

  /**
   * Sets the values of a field, which can be a dimension label.
   * @tparam T The type of a value.
   * @param query The query.
   * @param name The name of an attribute, a dimension or a label.
   * @param buff The buffer, which must stay valid as long as it is set.
   * @param nelements The number of values it holds.
   * @return The query.
   * @throws TypeError if T does not match the datatype; TileDBError if the field does not exist.
   */
  template <typename T>
  static Query& set_data_buffer(Query& query, const std::string& name, T* buff, uint64_t nelements) {
    impl::type_check<T>(field_type(query, name));
    return query.set_data_buffer(name, buff, nelements, sizeof(T));
  }

  /**
   * Sets the values of a field, which can be a dimension label, whatever its datatype is.
   * @param query The query.
   * @param name The name of an attribute, a dimension or a label.
   * @param buff The buffer, which must stay valid as long as it is set.
   * @param nelements The number of values it holds.
   * @return The query.
   * @throws TileDBError if the field does not exist.
   */
  static Query& set_data_buffer(Query& query, const std::string& name, void* buff, uint64_t nelements) {
    return query.set_data_buffer(name, buff, nelements, impl::type_size(field_type(query, name)));
  }

  /**
   * Sets the characters of a field of strings, which can be a dimension label.
   * @param query The query.
   * @param name The name of an attribute, a dimension or a label.
   * @param data The buffer, which must not be resized while it is set.
   * @return The query.
   * @throws TypeError if it is not a field of strings; TileDBError if the field does not exist.
   */
  static Query& set_data_buffer(Query& query, const std::string& name, std::string& data) {
    return set_data_buffer(query, name, data.data(), data.size());
  }

  /**
   * Returns what the last submit put into the buffers, those of labels included.
   * @param query The query.
   * @return For each field the number of offsets, 0 for cells of fixed size, and the number of
   *   values.
   * @throws TileDBError if the library reports an error.
   */
  static std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> result_buffer_elements_labels(
      const Query& query) {
    auto elements = query.result_buffer_elements();
    for (auto& [name, numbers] : elements)
      numbers.first = offset_num(query, name, numbers.first);
    return elements;
  }

  /**
   * Returns what the last submit put into the buffers, those of labels and validity values
   * included.
   * @param query The query.
   * @return For each field the number of offsets, 0 for cells of fixed size, of values, and of
   *   validity values.
   * @throws TileDBError if the library reports an error.
   */
  static std::unordered_map<std::string, std::tuple<uint64_t, uint64_t, uint64_t>>
  result_buffer_elements_nullable_labels(const Query& query) {
    auto elements = query.result_buffer_elements_nullable();
    for (auto& [name, numbers] : elements)
      std::get<0>(numbers) = offset_num(query, name, std::get<0>(numbers));
    return elements;
  }

  /**
   * Returns the channel of all cells that a query selects.
   *
   * @param query The query.
   * @throws TileDBError if the query is not a read.
   */
  static QueryChannel get_default_channel(const Query& query) {
    return QueryChannel::create_default_channel(query);
  }

  /**
   * Creates an aggregate of a field.
   * @tparam Op The operator, for instance SumOperator.
   * @param query The query.
   * @param input_field The name of the field.
   * @throws TileDBError if the field does not exist or the operator does not work with its type.
   */
  template <class Op, std::enable_if_t<std::is_base_of_v<ChannelOperator, Op>, bool> = true>
  static ChannelOperation create_unary_aggregate(const Query& query, const std::string& input_field) {
    return ChannelOperation::create<Op>(query, input_field);
  }

 private:
  /** Returns the schema of the array of a query, which does not depend on the Array object. */
  static ArraySchema schema(const Query& query) {
    const Context& ctx = query.ctx();
    tiledb_array_t* array = nullptr;
    tiledb_array_schema_t* schema = nullptr;
    ctx.handle_error(tiledb_query_get_array(impl::raw(ctx), impl::raw(query), &array));
    const auto code = tiledb_array_get_schema(impl::raw(ctx), array, &schema);
    tiledb_array_free(&array);
    ctx.handle_error(code);
    return ArraySchema(ctx, schema);
  }

  static tiledb_datatype_t field_type(const Query& query, const std::string& name) {
    const ArraySchema schema = QueryExperimental::schema(query);
    if (name == "__coords")
      return schema.domain().type();
    if (schema.has_attribute(name))
      return schema.attribute(name).type();
    if (const Domain domain = schema.domain(); domain.has_dimension(name))
      return domain.dimension(name).type();
    if (ArraySchemaExperimental::has_dimension_label(query.ctx(), schema, name))
      return ArraySchemaExperimental::dimension_label(query.ctx(), schema, name).label_type();
    throw TileDBError(
        "Cannot set buffer; No attribute, dimension, or dimension label named '" + name + "' exists");
  }

  /** Returns the number of offsets of a field: as given, unless it is a label. */
  static uint64_t offset_num(const Query& query, const std::string& name, uint64_t given) {
    const ArraySchema schema = QueryExperimental::schema(query);
    if (!ArraySchemaExperimental::has_dimension_label(query.ctx(), schema, name))
      return given;
    const auto label = ArraySchemaExperimental::dimension_label(query.ctx(), schema, name);
    return label.label_cell_val_num() == impl::var_num ? query.state_->at(name).offset_num() : 0;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_QUERY_EXPERIMENTAL_H
