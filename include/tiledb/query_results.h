/**
 * @file query_results.h
 * The numbers of results that queries have put into their buffers.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_RESULTS_H
#define TILEDB_CPP_API_QUERY_RESULTS_H

#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "query_state.h"

namespace tiledb::impl {

/**
 * Methods of Query that return maps. The class is a template so that programs that do not call them
 * do not compile the maps.
 *
 * @tparam Q Query.
 */
template <typename Q>
class QueryResults {
 public:
  /**
   * Returns what the last submit put into the buffers.
   * @return For each field the number of offsets, 0 for cells of fixed size, and the number of
   *   values.
   */
  std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> result_buffer_elements() const {
    std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> elements;
    for (FieldBuffers* field = first_field(); field != nullptr; field = field->next)
      elements.emplace(field->name, std::pair(offset_num(*field), field->value_num()));
    return elements;
  }

  /**
   * Returns what the last submit put into the buffers, validity values included.
   * @return For each field the number of offsets, 0 for cells of fixed size, of values, and of
   *   validity values.
   */
  std::unordered_map<std::string, std::tuple<uint64_t, uint64_t, uint64_t>> result_buffer_elements_nullable() const {
    std::unordered_map<std::string, std::tuple<uint64_t, uint64_t, uint64_t>> elements;
    for (FieldBuffers* field = first_field(); field != nullptr; field = field->next)
      elements.emplace(field->name, std::tuple(offset_num(*field), field->value_num(), field->validity_size));
    return elements;
  }

 protected:
  /** Only Query derives from the class. */
  QueryResults() = default;

 private:
  const Q& query() const noexcept {
    return static_cast<const Q&>(*this);
  }

  FieldBuffers* first_field() const noexcept {
    const QueryState* state = query().state();
    return state == nullptr ? nullptr : state->fields;
  }

  /**
   * Returns the number of offsets; 0 for cells of fixed size and for fields that the library does
   * not know.
   */
  uint64_t offset_num(FieldBuffers& field) const {
    using Sizes = FieldBuffers::Sizes;
    if (field.sizes == Sizes::unknown)
      field.sizes = QueryField::is_var_sized(query().ctx(), raw(query()), field.name) ? Sizes::variable : Sizes::fixed;
    return field.sizes == Sizes::variable ? field.offset_num() : 0;
  }
};

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_QUERY_RESULTS_H
