/**
 * @file query_condition.h
 * Conditions on cells.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_CONDITION_H
#define TILEDB_CPP_API_QUERY_CONDITION_H

#include <string>
#include <string_view>
#include <type_traits>

#include "context.h"
#include "deleter.h"
#include "tiledb.h"

namespace tiledb {

/** A condition on the cells that a query reads or deletes. Copies share the condition. */
class QueryCondition : public impl::Handle<tiledb_query_condition_t> {
 public:
  /**
   * Creates a condition, to be completed by init().
   *
   * @param ctx The context.
   * @throws TileDBError if the library reports an error.
   */
  QueryCondition(const Context& ctx)
      : Handle(ctx) {
    check(tiledb_query_condition_alloc(c_ctx(), out()));
  }

  /** Takes ownership of a C condition. @param ctx The context. @param qc The condition. */
  QueryCondition(const Context& ctx, tiledb_query_condition_t* const qc)
      : Handle(ctx, qc) {
  }

  QueryCondition(const QueryCondition&) = default;
  QueryCondition(QueryCondition&&) = default;
  ~QueryCondition() = default;
  QueryCondition& operator=(const QueryCondition&) = default;
  QueryCondition& operator=(QueryCondition&&) = default;

  /**
   * Compares an attribute or a dimension with a value.
   * @param attribute_name The name of the field.
   * @param condition_value The value, copied; null to compare with null.
   * @param condition_value_size Its size in bytes.
   * @param op The comparison.
   * @throws TileDBError if the condition was initialised before. Fields and types are checked when
   *   a query uses it.
   */
  void init(const std::string& attribute_name, const void* condition_value, uint64_t condition_value_size,
      tiledb_query_condition_op_t op) {
    check(tiledb_query_condition_init(
        c_ctx(), c(), attribute_name.c_str(), condition_value, condition_value_size, op));
  }

  /**
   * Compares a field of strings with a string.
   * @param attribute_name The name of the field.
   * @param condition_value The string, copied.
   * @param op The comparison.
   * @throws TileDBError if the condition was initialised before.
   */
  void init(
      const std::string& attribute_name, const std::string& condition_value, tiledb_query_condition_op_t op) {
    init(attribute_name, condition_value.data(), condition_value.size(), op);
  }

  /**
   * Combines two conditions.
   * @param rhs The other condition.
   * @param combination_op TILEDB_AND, TILEDB_OR, or TILEDB_NOT, which negate() does.
   * @return A new condition.
   * @throws TileDBError if one is not initialised.
   */
  QueryCondition combine(const QueryCondition& rhs, tiledb_query_condition_combination_op_t combination_op) const {
    tiledb_query_condition_t* combined = nullptr;
    check(tiledb_query_condition_combine(c_ctx(), c(), impl::raw(rhs), combination_op, &combined));
    return QueryCondition(context(), combined);
  }

  /**
   * Returns a condition that holds where this one does not.
   * @throws TileDBError if this one is not initialised.
   */
  QueryCondition negate() const {
    tiledb_query_condition_t* negated = nullptr;
    check(tiledb_query_condition_negate(c_ctx(), c(), &negated));
    return QueryCondition(context(), negated);
  }

  /**
   * Creates a condition that compares a field of strings with a string.
   * @param ctx The context, which must outlive the condition.
   * @param attribute_name The name of the field.
   * @param value The string, copied.
   * @param op The comparison.
   * @throws TileDBError if the library reports an error.
   */
  static QueryCondition create(const Context& ctx, const std::string& attribute_name, const std::string& value,
      tiledb_query_condition_op_t op) {
    QueryCondition condition(ctx);
    condition.init(attribute_name, value, op);
    return condition;
  }

  /**
   * Creates a condition that compares a field with a value.
   * @tparam T The type of the field; a zero-terminated string for fields of strings.
   * @param ctx The context, which must outlive the condition.
   * @param attribute_name The name of the field.
   * @param value The value, copied.
   * @param op The comparison.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T>
  static QueryCondition create(
      const Context& ctx, const std::string& attribute_name, T value, tiledb_query_condition_op_t op) {
    QueryCondition condition(ctx);
    if constexpr (std::is_convertible_v<T, std::string_view>)
      condition.init(attribute_name, std::string(std::string_view(value)), op);
    else
      condition.init(attribute_name, &value, sizeof(T), op);
    return condition;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_QUERY_CONDITION_H
