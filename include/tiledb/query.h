/**
 * @file query.h
 * Queries: reads, writes and deletes.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_H
#define TILEDB_CPP_API_QUERY_H

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "array.h"
#include "array_schema.h"
#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "query_condition.h"
#include "query_results.h"
#include "query_state.h"
#include "subarray.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"
#include "utils.h"

namespace tiledb {

namespace impl {
class QueryBytes;
}

/**
 * A read, a write or a delete. Buffers belong to the caller: they must stay valid and at their
 * address until the query is destroyed or another buffer is set. Copies share the query and its
 * buffers.
 *
 * A read whose results do not fit into the buffers ends with Status::INCOMPLETE; submit() again
 * continues it.
 */
class Query : public impl::Handle<tiledb_query_t>, public impl::QueryResults<Query> {
 public:
  /** The status of a query. */
  enum class Status {
    FAILED,         ///< It failed.
    COMPLETE,       ///< All results are in the buffers, or all cells are written.
    INPROGRESS,     ///< It is being processed.
    INCOMPLETE,     ///< The buffers are full and there are more results.
    UNINITIALIZED,  ///< It was not submitted.
    INITIALIZED     ///< It was prepared and not submitted.
  };

  /**
   * Creates a query.
   * @param ctx The context, which must outlive the query.
   * @param array The array, open; it must outlive the query.
   * @param type What the query does.
   * @throws TileDBError if the array is not open for it.
   */
  Query(const Context& ctx, const Array& array, tiledb_query_type_t type)
      : Handle(ctx)
      , array_(array)
      , state_(new impl::QueryState) {
    adopt_any(state_, [](void* state) { delete static_cast<impl::QueryState*>(state); });
    check(tiledb_query_alloc(c_ctx(), impl::raw(array), type, &state_->handle));
    handle_ = std::shared_ptr<void>(handle_, state_->handle);
  }

  /**
   * Creates a query that does what the array is open for.
   *
   * @param ctx The context.
   * @param array The array.
   * @throws TileDBError if the array is not open.
   */
  Query(const Context& ctx, const Array& array)
      : Query(ctx, array, array.query_type()) {
  }

  /**
   * Creates a query that does what the array is open for, in its context.
   *
   * @param array The array.
   * @throws TileDBError if the array is not open.
   */
  Query(const Array& array)
      : Query(array.context(), array) {
  }

  Query(const Query&) = default;
  Query(Query&&) = default;
  Query& operator=(const Query&) = default;
  Query& operator=(Query&&) = default;

  /** Returns what the query does. @throws TileDBError if the library reports an error. */
  tiledb_query_type_t query_type() const {
    tiledb_query_type_t type = TILEDB_READ;
    check(tiledb_query_get_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Sets the order of cells in the buffers.
   *
   * @param layout The order.
   * @return This query.
   * @throws TileDBError if the query cannot have it.
   */
  Query& set_layout(tiledb_layout_t layout) {
    check(tiledb_query_set_layout(c_ctx(), c(), layout));
    return *this;
  }

  /**
   * Returns the order of cells in the buffers.
   * @throws TileDBError if the library reports an error.
   */
  tiledb_layout_t query_layout() const {
    tiledb_layout_t layout = TILEDB_ROW_MAJOR;
    check(tiledb_query_get_layout(c_ctx(), c(), &layout));
    return layout;
  }

  /**
   * Sets which cells are read or deleted.
   *
   * @param condition The condition, copied.
   * @return This query.
   * @throws TileDBError if the query cannot have one.
   */
  Query& set_condition(const QueryCondition& condition) {
    check(tiledb_query_set_condition(c_ctx(), c(), impl::raw(condition)));
    return *this;
  }

  /** Returns how far the query is. @throws TileDBError if the library reports an error. */
  Status query_status() const {
    tiledb_query_status_t status = TILEDB_FAILED;
    check(tiledb_query_get_status(c_ctx(), c(), &status));
    return to_status(status);
  }

  /**
   * Returns whether a read has put results into the buffers.
   * @throws TileDBError if the library reports an error.
   */
  bool has_results() const {
    int32_t has = 0;
    check(tiledb_query_has_results(c_ctx(), c(), &has));
    return has != 0;
  }

  /**
   * Runs the query, or continues it, and waits for it.
   * @return How far it is.
   * @throws TileDBError if it fails.
   */
  Status submit() {
    check(tiledb_query_submit(c_ctx(), c()));
    return query_status();
  }

  /**
   * Ends a write in global order, and makes it visible. Does nothing for other queries.
   *
   * @throws TileDBError if it fails.
   */
  void finalize() {
    check(tiledb_query_finalize(c_ctx(), c()));
  }

  /**
   * Writes the last cells of a write in global order and ends it.
   *
   * @throws TileDBError if it fails or is not a write in global order.
   */
  void submit_and_finalize() {
    check(tiledb_query_submit_and_finalize(c_ctx(), c()));
  }

  /**
   * Returns an upper bound of the bytes that a field of fixed size needs.
   *
   * @param attr_name Its name.
   * @throws TileDBError if the field does not exist or it is another kind.
   */
  uint64_t est_result_size(const std::string& attr_name) const {
    uint64_t size = 0;
    check(tiledb_query_get_est_result_size(c_ctx(), c(), attr_name.c_str(), &size));
    return size;
  }

  /**
   * Returns upper bounds of the bytes of offsets and values of a field of variable size.
   *
   * @param attr_name Its name.
   * @throws TileDBError if the field does not exist or it is another kind.
   */
  std::array<uint64_t, 2> est_result_size_var(const std::string& attr_name) const {
    std::array<uint64_t, 2> sizes{};
    check(tiledb_query_get_est_result_size_var(c_ctx(), c(), attr_name.c_str(), &sizes[0], &sizes[1]));
    return sizes;
  }

  /**
   * Returns upper bounds of the bytes of values and validity values of a nullable field of fixed
   * size.
   *
   * @param attr_name Its name.
   * @throws TileDBError if the field does not exist or it is another kind.
   */
  std::array<uint64_t, 2> est_result_size_nullable(const std::string& attr_name) const {
    std::array<uint64_t, 2> sizes{};
    check(tiledb_query_get_est_result_size_nullable(c_ctx(), c(), attr_name.c_str(), &sizes[0], &sizes[1]));
    return sizes;
  }

  /**
   * Returns upper bounds of the bytes of offsets, values and validity values of a nullable field of
   * variable size.
   *
   * @param attr_name Its name.
   * @throws TileDBError if the field does not exist or it is another kind.
   */
  std::array<uint64_t, 3> est_result_size_var_nullable(const std::string& attr_name) const {
    std::array<uint64_t, 3> sizes{};
    check(tiledb_query_get_est_result_size_var_nullable(
        c_ctx(), c(), attr_name.c_str(), &sizes[0], &sizes[1], &sizes[2]));
    return sizes;
  }

  /**
   * Returns the number of fragments that a write has made.
   * @throws TileDBError if the query is not a write.
   */
  uint32_t fragment_num() const {
    uint32_t number = 0;
    check(tiledb_query_get_fragment_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns the URI of a fragment that a write has made.
   *
   * @param idx Its position.
   * @throws TileDBError if there are fewer.
   */
  std::string fragment_uri(uint32_t idx) const {
    const char* uri = nullptr;
    check(tiledb_query_get_fragment_uri(c_ctx(), c(), idx, &uri));
    return uri == nullptr ? std::string() : std::string(uri);
  }

  /**
   * Returns the first and the last timestamp of a fragment that a write has made.
   *
   * @param idx Its position.
   * @throws TileDBError if there are fewer.
   */
  std::pair<uint64_t, uint64_t> fragment_timestamp_range(uint32_t idx) const {
    std::pair<uint64_t, uint64_t> range;
    check(tiledb_query_get_fragment_timestamp_range(c_ctx(), c(), idx, &range.first, &range.second));
    return range;
  }

  /**
   * Sets the cells that are read, or written in row-major or column-major order.
   *
   * @param subarray The ranges, copied.
   * @return This query.
   * @throws TileDBError if the query cannot have them.
   */
  Query& set_subarray(const Subarray& subarray) {
    check(tiledb_query_set_subarray_t(c_ctx(), c(), impl::raw(subarray)));
    return *this;
  }

  /**
   * Sets parameters of the query, before the first submit.
   *
   * @param config The configuration, copied.
   * @return This query.
   * @throws TileDBError if it was submitted.
   */
  Query& set_config(const Config& config) {
    check(tiledb_query_set_config(c_ctx(), c(), impl::raw(config)));
    return *this;
  }

  /** Returns a copy of the configuration. @throws TileDBError if the library reports an error. */
  Config config() const {
    tiledb_config_t* config = nullptr;
    check(tiledb_query_get_config(c_ctx(), c(), &config));
    return Config(&config);
  }

  /**
   * Sets the values of a field.
   * @tparam T The type of a value.
   * @param name The name of an attribute, a dimension or an aggregate.
   * @param buff The buffer; see the class about its lifetime.
   * @param nelements The number of values it holds.
   * @return This query.
   * @throws TypeError if T does not match the datatype; TileDBError if the field does not exist.
   */
  template <typename T>
  Query& set_data_buffer(const std::string& name, T* buff, uint64_t nelements) {
    const tiledb_datatype_t type = field_type(name);
    impl::type_check<T>(type);
    return set_data_buffer(name, buff, nelements, sizeof(T), type);
  }

  /**
   * Sets the values of a field.
   * @tparam T The type of a value.
   * @param name The name of an attribute, a dimension or an aggregate.
   * @param buf The buffer, which must not be resized while it is set.
   * @return This query.
   * @throws TypeError if T does not match the datatype; TileDBError if the field does not exist.
   */
  template <typename T>
  Query& set_data_buffer(const std::string& name, std::vector<T>& buf) {
    return set_data_buffer(name, buf.data(), buf.size());
  }

  /**
   * Sets the values of a field, whatever its datatype is.
   * @param name The name of an attribute, a dimension or an aggregate.
   * @param buff The buffer; see the class about its lifetime.
   * @param nelements The number of values it holds.
   * @return This query.
   * @throws TileDBError if the field does not exist.
   */
  Query& set_data_buffer(const std::string& name, void* buff, uint64_t nelements) {
    const tiledb_datatype_t type = field_type(name);
    return set_data_buffer(name, buff, nelements, impl::type_size(type), type);
  }

  /**
   * Sets the characters of a field of strings.
   * @param name The name of an attribute or a dimension.
   * @param data The buffer, which must not be resized while it is set.
   * @return This query.
   * @throws TypeError if it is not a field of strings; TileDBError if the field does not exist.
   */
  Query& set_data_buffer(const std::string& name, std::string& data) {
    return set_data_buffer(name, data.data(), data.size());
  }

  /**
   * Sets where the cells of a field of variable size begin.
   * @param attr The name of the field.
   * @param offsets The buffer; see the class about its lifetime.
   * @param offset_nelements The number of offsets it holds.
   * @return This query.
   * @throws TileDBError if the field does not exist or its cells are of fixed size.
   */
  Query& set_offsets_buffer(const std::string& attr, uint64_t* offsets, uint64_t offset_nelements) {
    uint64_t none = 0;
    uint64_t& size = state() == nullptr ? none : state_->at(attr).offsets_size;
    check(impl::set_with_size(size, offset_nelements * sizeof(uint64_t), [&](uint64_t* kept) {
      return tiledb_query_set_offsets_buffer(c_ctx(), c(), attr.c_str(), offsets, kept);
    }));
    return *this;
  }

  /**
   * Sets where the cells of a field of variable size begin.
   *
   * @param name The name of the field.
   * @param offsets The buffer, which must not be resized while it is set.
   * @return This query.
   * @throws TileDBError if the field does not exist or its cells are of fixed size.
   */
  Query& set_offsets_buffer(const std::string& name, std::vector<uint64_t>& offsets) {
    return set_offsets_buffer(name, offsets.data(), offsets.size());
  }

  /**
   * Sets which cells of a nullable field are null: one byte per cell, 0 for null.
   * @param attr The name of the field.
   * @param validity_bytemap The buffer; see the class about its lifetime.
   * @param validity_bytemap_nelements The number of bytes it holds.
   * @return This query.
   * @throws TileDBError if the field does not exist or it is not nullable.
   */
  Query& set_validity_buffer(
      const std::string& attr, uint8_t* validity_bytemap, uint64_t validity_bytemap_nelements) {
    uint64_t none = 0;
    uint64_t& size = state() == nullptr ? none : state_->at(attr).validity_size;
    check(impl::set_with_size(size, validity_bytemap_nelements, [&](uint64_t* kept) {
      return tiledb_query_set_validity_buffer(c_ctx(), c(), attr.c_str(), validity_bytemap, kept);
    }));
    return *this;
  }

  /**
   * Sets which cells of a nullable field are null.
   *
   * @param name The name of the field.
   * @param validity_bytemap The buffer, which must not be resized while it is set.
   * @return This query.
   * @throws TileDBError if the field does not exist or it is not nullable.
   */
  Query& set_validity_buffer(const std::string& name, std::vector<uint8_t>& validity_bytemap) {
    return set_validity_buffer(name, validity_bytemap.data(), validity_bytemap.size());
  }

  /**
   * Forgets all buffers, so that their memory may be freed. A query that was submitted cannot
   * continue afterwards.
   * @throws TileDBError if the library reports an error.
   */
  void unset_buffers() {
    check(tiledb_query_unset_buffers(c()));
    if (state() != nullptr)
      state_->clear();
  }

  /**
   * Returns the buffer of values that was set.
   * @param name The name of the field.
   * @param data The buffer.
   * @param data_nelements The number of values in it.
   * @param element_size The size of a value in bytes.
   * @return This query.
   * @throws TileDBError if no buffer was set.
   */
  Query& get_data_buffer(const std::string& name, void** data, uint64_t* data_nelements, uint64_t* element_size) {
    const impl::FieldBuffers* field = state() == nullptr ? nullptr : state_->find(name);
    if (field == nullptr || field->element_size == 0)
      throw TileDBError("[TileDB::C++API] Error: No buffer set for attribute '" + name + "'!");
    uint64_t* size = nullptr;
    check(tiledb_query_get_data_buffer(c_ctx(), c(), name.c_str(), data, &size));
    *element_size = field->element_size;
    *data_nelements = size == nullptr ? 0 : *size / *element_size;
    return *this;
  }

  /**
   * Returns the buffer of offsets that was set.
   * @param name The name of the field.
   * @param offsets The buffer; null if none was set.
   * @param offsets_nelements The number of offsets in it.
   * @return This query.
   * @throws TileDBError if the field does not exist or its cells are of fixed size.
   */
  Query& get_offsets_buffer(const std::string& name, uint64_t** offsets, uint64_t* offsets_nelements) {
    uint64_t* size = nullptr;
    check(tiledb_query_get_offsets_buffer(c_ctx(), c(), name.c_str(), offsets, &size));
    *offsets_nelements = size == nullptr ? 0 : *size / sizeof(uint64_t);
    return *this;
  }

  /**
   * Returns the buffer of validity values that was set.
   * @param name The name of the field.
   * @param validity_bytemap The buffer; null if none was set.
   * @param validity_bytemap_nelements The number of bytes in it.
   * @return This query.
   * @throws TileDBError if the field does not exist or it is not nullable.
   */
  Query& get_validity_buffer(
      const std::string& name, uint8_t** validity_bytemap, uint64_t* validity_bytemap_nelements) {
    uint64_t* size = nullptr;
    check(tiledb_query_get_validity_buffer(c_ctx(), c(), name.c_str(), validity_bytemap, &size));
    *validity_bytemap_nelements = size == nullptr ? 0 : *size;
    return *this;
  }

  /**
   * Returns the statistics of the query as JSON.
   * @throws TileDBError if the library reports an error.
   */
  std::string stats() {
    char* text = nullptr;
    check(tiledb_query_get_stats(c_ctx(), c(), &text));
    std::string stats(text == nullptr ? "" : text);
    tiledb_stats_free_str(&text);
    return stats;
  }

  /**
   * Replaces the ranges of a subarray by those of the query.
   *
   * @param subarray The subarray.
   * @return This query.
   * @throws TileDBError if the library reports an error.
   */
  Query& update_subarray_from_query(Subarray* subarray) {
    tiledb_subarray_t* ranges = nullptr;
    check(tiledb_query_get_subarray_t(c_ctx(), c(), &ranges));
    subarray->replace_subarray_data(ranges);
    return *this;
  }

  /** Converts a status of the C API. @param status The status. */
  static Status to_status(const tiledb_query_status_t& status) {
    switch (status) {
      case TILEDB_INCOMPLETE:
        return Status::INCOMPLETE;
      case TILEDB_COMPLETED:
        return Status::COMPLETE;
      case TILEDB_INPROGRESS:
        return Status::INPROGRESS;
      case TILEDB_FAILED:
        return Status::FAILED;
      case TILEDB_INITIALIZED:
        return Status::INITIALIZED;
      default:
        return Status::UNINITIALIZED;
    }
  }

  /**
   * Returns the name of a type of query; empty for a value that is not a type.
   * @param type The type.
   */
  static std::string to_str(tiledb_query_type_t type) {
    switch (type) {
      case TILEDB_READ:
        return "READ";
      case TILEDB_WRITE:
        return "WRITE";
      case TILEDB_MODIFY_EXCLUSIVE:
        return "MODIFY_EXCLUSIVE";
      case TILEDB_DELETE:
        return "DELETE";
      case TILEDB_UPDATE:
        return "UPDATE";
      default:
        return "";
    }
  }

  /** Returns the context. */
  const Context& ctx() const {
    return context();
  }

  /** Returns the array. */
  const Array& array() const {
    return array_.get();
  }

  /** Returns the array. */
  const Array& array() {
    return array_.get();
  }

 private:
  friend class QueryExperimental;
  friend class impl::QueryBytes;

  template <typename Q>
  friend class impl::QueryResults;

  std::reference_wrapper<const Array> array_;
  /** Owned by the shared pointer of the handle. */
  impl::QueryState* state_;

  /** Returns the buffers; null for a moved-from query. */
  impl::QueryState* state() const noexcept {
    return c() == nullptr ? nullptr : state_;
  }

  /** Returns the datatype of a field, which is looked up once. */
  tiledb_datatype_t field_type(const std::string& name) const {
    const impl::FieldBuffers* known = state() == nullptr ? nullptr : state_->find(name);
    if (known != nullptr && known->type)
      return *known->type;
    return impl::QueryField(context(), c(), name).type();
  }

  Query& set_data_buffer(const std::string& name, void* data, uint64_t data_nelements, size_t element_size,
      std::optional<tiledb_datatype_t> type = std::nullopt) {
    impl::FieldBuffers moved_from(name, nullptr);
    impl::FieldBuffers& field = state() == nullptr ? moved_from : state_->at(name);
    const int code = impl::set_with_size(field.data_size, data_nelements * element_size, [&](uint64_t* kept) {
      return tiledb_query_set_data_buffer(c_ctx(), c(), name.c_str(), data, kept);
    });
    if (code == TILEDB_OK) {
      field.element_size = element_size;
      field.type = type;
    }
    check(code);
    return *this;
  }
};

/**
 * Prints the name of a status.
 * @param os The stream.
 * @param stat The status.
 * @return The stream.
 */
inline std::ostream& operator<<(std::ostream& os, const Query::Status& stat) {
  switch (stat) {
    case Query::Status::INCOMPLETE:
      return os << "INCOMPLETE";
    case Query::Status::INPROGRESS:
      return os << "INPROGRESS";
    case Query::Status::FAILED:
      return os << "FAILED";
    case Query::Status::COMPLETE:
      return os << "COMPLETE";
    case Query::Status::UNINITIALIZED:
      return os << "UNINITIALIZED";
    case Query::Status::INITIALIZED:
      return os << "INITIALIZED";
  }
  return os;
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_QUERY_H
