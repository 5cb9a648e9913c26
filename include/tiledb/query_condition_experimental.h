/**
 * @file query_condition_experimental.h
 * Conditions on sets of values and on enumerations.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_CONDITION_EXPERIMENTAL_H
#define TILEDB_CPP_API_QUERY_CONDITION_EXPERIMENTAL_H

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "enumeration_experimental.h"
#include "query_condition.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/** Functions on conditions that are subject to change. */
class QueryConditionExperimental {
 public:
  /**
   * Creates a condition that a field has one of some values.
   * @param ctx The context, which must outlive the condition.
   * @param field_name The name of the field.
   * @param values The values, copied.
   * @param op TILEDB_IN or TILEDB_NOT_IN.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static QueryCondition create(const Context& ctx, const std::string& field_name, const std::vector<T>& values,
      tiledb_query_condition_op_t op) {
    // The C API refuses a null pointer to offsets, also for no values.
    std::vector<uint64_t> offsets{0};
    for (size_t i = 1; i < values.size(); i++)
      offsets.push_back(i * sizeof(T));
    if constexpr (std::is_same_v<T, bool>)
      return make(ctx, field_name, impl::PackedValues(values).data.data(), values.size(), offsets, op);
    else
      return make(ctx, field_name, values.data(), values.size() * sizeof(T), offsets, op);
  }

  /**
   * Creates a condition that a field has one of some strings.
   * @param ctx The context, which must outlive the condition.
   * @param field_name The name of the field.
   * @param values The strings, copied.
   * @param op TILEDB_IN or TILEDB_NOT_IN.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static QueryCondition create(const Context& ctx, const std::string& field_name,
      const std::vector<std::basic_string<T>>& values, tiledb_query_condition_op_t op) {
    return make(ctx, field_name, impl::PackedValues(values), op);
  }

  /**
   * Creates a condition that a field has one of some strings.
   * @param ctx The context, which must outlive the condition.
   * @param field_name The name of the field.
   * @param values The strings, copied.
   * @param op TILEDB_IN or TILEDB_NOT_IN.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static QueryCondition create(const Context& ctx, const std::string& field_name,
      const std::vector<std::basic_string_view<T>>& values, tiledb_query_condition_op_t op) {
    return make(ctx, field_name, impl::PackedValues(values), op);
  }

  /**
   * Sets whether values of a field with an enumeration are looked up in it, as they are at first.
   * @param ctx The context.
   * @param cond The condition.
   * @param use_enumeration False to compare the stored positions.
   * @throws TileDBError if the library reports an error.
   */
  static void set_use_enumeration(const Context& ctx, QueryCondition& cond, bool use_enumeration) {
    ctx.handle_error(tiledb_query_condition_set_use_enumeration(impl::raw(ctx), impl::raw(cond), use_enumeration));
  }

 private:
  static QueryCondition make(const Context& ctx, const std::string& field_name, const impl::PackedValues& strings,
      tiledb_query_condition_op_t op) {
    return make(ctx, field_name, strings.data.data(), strings.data.size(), strings.offsets, op);
  }

  static QueryCondition make(const Context& ctx, const std::string& field_name, const void* data, uint64_t size,
      const std::vector<uint64_t>& offsets, tiledb_query_condition_op_t op) {
    tiledb_query_condition_t* condition = nullptr;
    ctx.handle_error(tiledb_query_condition_alloc_set_membership(impl::raw(ctx), field_name.c_str(), data, size,
        offsets.data(), offsets.size() * sizeof(uint64_t), op, &condition));
    return QueryCondition(ctx, condition);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_QUERY_CONDITION_EXPERIMENTAL_H
