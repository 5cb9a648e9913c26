/**
 * @file query_state.h
 * The sizes of the buffers of a query, which the library changes. Queries keep them with the
 * handle of the C API.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_STATE_H
#define TILEDB_CPP_API_QUERY_STATE_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "context.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb::impl {

/**
 * The buffers of a field. The library refers to the sizes, so that an object must stay at its
 * address.
 */
struct FieldBuffers {
  /** Whether the number of values per cell varies. */
  enum class Sizes : uint8_t { unknown, fixed, variable };

  std::string name;                       ///< The name of the field.
  uint64_t offsets_size = 0;              ///< The size of the offsets in bytes.
  uint64_t data_size = 0;                 ///< The size of the values in bytes.
  uint64_t validity_size = 0;             ///< The number of validity values.
  uint64_t element_size = 0;              ///< The size of a value in bytes; 0 if no values are set.
  std::optional<tiledb_datatype_t> type;  ///< The datatype, looked up once.
  /** The sizes of cells, looked up once, by const methods of any thread. */
  std::atomic<Sizes> sizes = Sizes::unknown;
  std::shared_ptr<void> offsets_memory;   ///< The memory of offsets that the query owns.
  std::shared_ptr<void> validity_memory;  ///< The memory of validity values that the query owns.
  FieldBuffers* next;                     ///< The next field.

  /**
   * Creates a field without buffers.
   * @param field_name Its name.
   * @param next_field The next field.
   */
  FieldBuffers(const std::string& field_name, FieldBuffers* next_field)
      : name(field_name)
      , next(next_field) {
  }

  /** Returns the number of offsets. */
  uint64_t offset_num() const noexcept {
    return offsets_size / sizeof(uint64_t);
  }

  /** Returns the number of values. */
  uint64_t value_num() const noexcept {
    return element_size == 0 ? 0 : data_size / element_size;
  }
};

/**
 * A C query and what must live as long as it. Its address is fixed. Queries have few fields: they
 * are in a list, which is compiled faster than a map.
 */
struct QueryState {
  tiledb_query_t* handle = nullptr;  ///< The query.
  FieldBuffers* fields = nullptr;    ///< The fields that have buffers.

  QueryState() = default;
  QueryState(const QueryState&) = delete;
  QueryState& operator=(const QueryState&) = delete;

  ~QueryState() {
    tiledb_query_free(&handle);
    clear();
  }

  /** Removes all fields, to which the query must not refer. */
  void clear() noexcept {
    while (fields != nullptr)
      delete std::exchange(fields, fields->next);
  }

  /** Returns the buffers of a field; null if it has none. @param name The name of the field. */
  FieldBuffers* find(const std::string& name) const noexcept {
    FieldBuffers* field = fields;
    while (field != nullptr && field->name != name)
      field = field->next;
    return field;
  }

  /**
   * Returns the buffers of a field, which are added if they do not exist.
   * @param name The name of the field.
   */
  FieldBuffers& at(const std::string& name) {
    if (FieldBuffers* known = find(name))
      return *known;
    fields = new FieldBuffers(name, fields);
    return *fields;
  }
};

/**
 * Changes a size to which the library refers, and calls a function that sets the buffer of that
 * size. If that fails the query keeps its earlier buffer, and the size is restored.
 * @param size The size.
 * @param value Its new value.
 * @param set The function, which is given the address of the size and returns a code of the C API.
 * @return The code.
 */
template <typename Set>
int set_with_size(uint64_t& size, uint64_t value, Set set) {
  const uint64_t earlier = std::exchange(size, value);
  const int code = set(&size);
  if (code != TILEDB_OK)
    size = earlier;
  return code;
}

/** A field of a C query. */
class QueryField {
 public:
  /** Looks a field up. @throws TileDBError if the query has no such field. */
  QueryField(const Context& ctx, tiledb_query_t* query, const std::string& name)
      : ctx_(ctx) {
    ctx.handle_error(tiledb_query_get_field(raw(ctx), query, name.c_str(), &field_));
  }

  QueryField(const QueryField&) = delete;
  QueryField& operator=(const QueryField&) = delete;

  ~QueryField() {
    if (field_ != nullptr)
      tiledb_query_field_free(raw(ctx_), &field_);
  }

  /** Returns the datatype. @throws TileDBError if the library reports an error. */
  tiledb_datatype_t type() const {
    tiledb_datatype_t type = TILEDB_ANY;
    ctx_.handle_error(tiledb_field_datatype(raw(ctx_), field_, &type));
    return type;
  }

  /**
   * Returns whether the number of values per cell of a field varies; false if the field does not
   * exist.
   */
  static bool is_var_sized(const Context& ctx, tiledb_query_t* query, const std::string& name) {
    tiledb_query_field_t* field = nullptr;
    if (tiledb_query_get_field(raw(ctx), query, name.c_str(), &field) != TILEDB_OK)
      return false;
    uint32_t number = 1;
    const auto code = tiledb_field_cell_val_num(raw(ctx), field, &number);
    tiledb_query_field_free(raw(ctx), &field);
    ctx.handle_error(code);
    return number == var_num;
  }

 private:
  const Context& ctx_;
  tiledb_query_field_t* field_ = nullptr;
};

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_QUERY_STATE_H
