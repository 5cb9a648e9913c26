/**
 * @file array.h
 * Arrays.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ARRAY_H
#define TILEDB_CPP_API_ARRAY_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "array_open.h"
#include "array_schema.h"
#include "context.h"
#include "deleter.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/**
 * An array on storage, open from its construction on. What it sees is a snapshot of the moment of
 * opening.
 *
 * The destructor closes the array, which writes its metadata; close() does the same and reports
 * errors. Copies share the open array, and the destructor of any copy closes it for all: share it
 * by reference or std::shared_ptr<Array>.
 */
class Array : public impl::Handle<tiledb_array_t> {
 public:
  /**
   * Opens an array.
   * @param ctx The context, which must outlive the array.
   * @param array_uri The URI of the array.
   * @param query_type Whether it is opened for reads, writes, deletes or exclusive changes.
   * @param temporal_policy Which fragments are opened; for writes, the timestamp that fragments
   *   get.
   * @param encryption_algorithm The encryption and its key, if not the context's.
   * @throws TileDBError if the array does not exist or cannot be opened.
   */
  Array(const Context& ctx, const std::string& array_uri, tiledb_query_type_t query_type,
      const TemporalPolicy temporal_policy = {}, const EncryptionAlgorithm encryption_algorithm = {})
      : Handle(ctx) {
    check(tiledb_array_alloc(c_ctx(), array_uri.c_str(), out()));
    check(tiledb_array_set_open_timestamp_start(c_ctx(), c(), temporal_policy.start_));
    check(tiledb_array_set_open_timestamp_end(c_ctx(), c(), temporal_policy.end_));
    if (encryption_algorithm.key_ != nullptr)
      encrypt(encryption_algorithm.type_, encryption_algorithm.key_);
    open(query_type);
  }

  /**
   * Refers to a C array and sets its configuration. The array is not closed or freed.
   * @param ctx The context, which must outlive this object.
   * @param carray The array, which must outlive this object.
   * @param config The configuration, copied.
   * @throws TileDBError if the library reports an error.
   */
  Array(const Context& ctx, tiledb_array_t* carray, tiledb_config_t* config)
      : Handle(ctx, borrowed(carray))
      , owns_(false) {
    check(tiledb_array_set_config(c_ctx(), c(), config));
  }

  /**
   * Wraps an open C array.
   * @param ctx The context, which must outlive this object. @param carray The array.
   * @param own True to close and free it with this object; else it must outlive this object.
   * @throws TileDBError if the array is null or not open; then it is not freed.
   */
  Array(const Context& ctx, tiledb_array_t* carray, bool own = true)
      : Handle(ctx, borrowed(carray))
      , owns_(own) {
    if (carray == nullptr)
      throw TileDBError("[TileDB::C++API] Error: Failed to create Array from null pointer");
    schema_ = schema();
    if (own)
      Handle::own(carray);
  }

  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) = default;
  Array& operator=(Array&&) = default;

  /** Closes the array if it is open. Errors are logged as warnings. */
  ~Array() {
    int32_t open = 0;
    if (!owns_ || c() == nullptr || tiledb_array_is_open(c_ctx(), c(), &open) != TILEDB_OK || open == 0)
      return;
    if (tiledb_array_close(c_ctx(), c()) != TILEDB_OK)
      tiledb_log_warn(c_ctx(), context().get_last_error_message().c_str());
  }

  /** Returns whether the array is open. @throws TileDBError if the library reports an error. */
  bool is_open() const {
    int32_t open = 0;
    check(tiledb_array_is_open(c_ctx(), c(), &open));
    return open != 0;
  }

  /** Returns the URI. @throws TileDBError if the library reports an error. */
  std::string uri() const {
    const char* uri = nullptr;
    check(tiledb_array_get_uri(c_ctx(), c(), &uri));
    return uri == nullptr ? std::string() : std::string(uri);
  }

  /** Returns the schema the array was opened with. @throws TileDBError if the array is closed. */
  ArraySchema schema() const {
    tiledb_array_schema_t* schema = nullptr;
    check(tiledb_array_get_schema(c_ctx(), c(), &schema));
    return ArraySchema(context(), schema);
  }

  /**
   * Removes an array.
   *
   * @param ctx The context.
   * @param uri The URI of the array.
   * @throws TileDBError if the array does not exist or cannot be removed.
   */
  static void delete_array(const Context& ctx, const std::string& uri) {
    ctx.handle_error(tiledb_array_delete(impl::raw(ctx), uri.c_str()));
  }

  /**
   * Removes the fragments written in a range of time.
   * @param ctx The context. @param uri The URI of the array.
   * @param timestamp_start The first millisecond since 1970. @param timestamp_end The last one.
   * @throws TileDBError if the array does not exist or a fragment cannot be removed.
   */
  static void delete_fragments(
      const Context& ctx, const std::string& uri, uint64_t timestamp_start, uint64_t timestamp_end) {
    ctx.handle_error(tiledb_array_delete_fragments_v2(impl::raw(ctx), uri.c_str(), timestamp_start, timestamp_end));
  }

  /**
   * Removes fragments.
   * @param ctx The context. @param uri The URI of the array.
   * @param fragment_uris The URIs of the fragments. @param num_fragments Their number.
   * @throws TileDBError if the array or a fragment does not exist.
   */
  static void delete_fragments_list(
      const Context& ctx, const std::string& uri, const char* fragment_uris[], const size_t num_fragments) {
    ctx.handle_error(tiledb_array_delete_fragments_list(impl::raw(ctx), uri.c_str(), fragment_uris, num_fragments));
  }

  /**
   * Opens the array again after close().
   *
   * @param query_type The type of the queries.
   * @throws TileDBError if it is open or cannot be opened.
   */
  void open(tiledb_query_type_t query_type) {
    check(tiledb_array_open(c_ctx(), c(), query_type));
    schema_ = schema();
  }

  /**
   * Opens the array again at a point in time.
   * @param query_type The type of the queries.
   * @param timestamp The last millisecond since 1970 of which fragments are opened.
   * @throws TileDBError if it is open or cannot be opened.
   */
  void open(tiledb_query_type_t query_type, uint64_t timestamp) {
    set_open_timestamp_end(timestamp);
    open(query_type);
  }

  /**
   * Opens an encrypted array again.
   * @param query_type The type of the queries.
   * @param encryption_type The encryption.
   * @param encryption_key The key.
   * @throws TileDBError if it is open or cannot be opened.
   */
  void open(
      tiledb_query_type_t query_type, tiledb_encryption_type_t encryption_type, const std::string& encryption_key) {
    encrypt(encryption_type, encryption_key);
    open(query_type);
  }

  /**
   * Opens an encrypted array again at a point in time.
   * @param query_type The type of the queries.
   * @param encryption_type The encryption.
   * @param encryption_key The key.
   * @param timestamp The last millisecond since 1970 of which fragments are opened.
   * @throws TileDBError if it is open or cannot be opened.
   */
  void open(tiledb_query_type_t query_type, tiledb_encryption_type_t encryption_type,
      const std::string& encryption_key, uint64_t timestamp) {
    set_open_timestamp_end(timestamp);
    open(query_type, encryption_type, encryption_key);
  }

  /** Takes a new snapshot of an array that is open for reads. @throws TileDBError if it is not. */
  void reopen() {
    check(tiledb_array_reopen(c_ctx(), c()));
    schema_ = schema();
  }

  /**
   * Sets the first fragment time of the next opening.
   *
   * @param timestamp_start Milliseconds since 1970.
   * @throws TileDBError if the library reports an error.
   */
  void set_open_timestamp_start(uint64_t timestamp_start) const {
    check(tiledb_array_set_open_timestamp_start(c_ctx(), c(), timestamp_start));
  }

  /**
   * Sets the last fragment time of the next opening.
   *
   * @param timestamp_end Milliseconds since 1970.
   * @throws TileDBError if the library reports an error.
   */
  void set_open_timestamp_end(uint64_t timestamp_end) const {
    check(tiledb_array_set_open_timestamp_end(c_ctx(), c(), timestamp_end));
  }

  /** Returns the first fragment time. @throws TileDBError if the library reports an error. */
  uint64_t open_timestamp_start() const {
    uint64_t timestamp = 0;
    check(tiledb_array_get_open_timestamp_start(c_ctx(), c(), &timestamp));
    return timestamp;
  }

  /** Returns the last fragment time. @throws TileDBError if the library reports an error. */
  uint64_t open_timestamp_end() const {
    uint64_t timestamp = 0;
    check(tiledb_array_get_open_timestamp_end(c_ctx(), c(), &timestamp));
    return timestamp;
  }

  /**
   * Sets the configuration of the next opening.
   *
   * @param config The configuration, copied.
   * @throws TileDBError if the array is open.
   */
  void set_config(const Config& config) const {
    check(tiledb_array_set_config(c_ctx(), c(), impl::raw(config)));
  }

  /** Returns a copy of the configuration. @throws TileDBError if the library reports an error. */
  Config config() const {
    tiledb_config_t* config = nullptr;
    check(tiledb_array_get_config(c_ctx(), c(), &config));
    return Config(&config);
  }

  /**
   * Closes the array for all copies, and writes its metadata.
   *
   * @throws TileDBError if the metadata cannot be written.
   */
  void close() {
    check(tiledb_array_close(c_ctx(), c()));
  }

  /**
   * Merges fragments, or what `sm.consolidation.mode` names.
   * @param ctx The context.
   * @param uri The URI of the array.
   * @param config The configuration; null for the context's.
   * @throws TileDBError if the array does not exist or cannot be consolidated.
   */
  static void consolidate(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    ctx.handle_error(tiledb_array_consolidate(impl::raw(ctx), uri.c_str(), raw_or_null(config)));
  }

  /**
   * Merges some fragments.
   * @param ctx The context. @param array_uri The URI of the array.
   * @param fragment_uris The names of the fragments. @param num_fragments Their number.
   * @param config The configuration; null for the context's.
   * @throws TileDBError if the array or a fragment does not exist.
   */
  static void consolidate(const Context& ctx, const std::string& array_uri, const char* fragment_uris[],
      const size_t num_fragments, Config* const config = nullptr) {
    ctx.handle_error(tiledb_array_consolidate_fragments(
        impl::raw(ctx), array_uri.c_str(), fragment_uris, num_fragments, raw_or_null(config)));
  }

  /**
   * Removes what consolidation has replaced.
   * @param ctx The context.
   * @param uri The URI of the array.
   * @param config The configuration; null for the context's.
   * @throws TileDBError if the array does not exist or a file cannot be removed.
   */
  static void vacuum(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    ctx.handle_error(tiledb_array_vacuum(impl::raw(ctx), uri.c_str(), raw_or_null(config)));
  }

  /**
   * Creates an array.
   * @param ctx The context. @param uri The URI, at which there must be nothing.
   * @param schema The schema.
   * @throws TileDBError if the schema is incomplete or the array cannot be created.
   */
  static void create(const Context& ctx, const std::string& uri, const ArraySchema& schema) {
    ctx.handle_error(tiledb_array_schema_check(impl::raw(ctx), impl::raw(schema)));
    ctx.handle_error(tiledb_array_create(impl::raw(ctx), uri.c_str(), impl::raw(schema)));
  }

  /**
   * Creates an array in the context of the schema.
   *
   * @param uri The URI.
   * @param schema The schema.
   * @throws TileDBError if the array cannot be created.
   */
  static void create(const std::string& uri, const ArraySchema& schema) {
    create(schema.context(), uri, schema);
  }

  /**
   * Reads the latest schema of an array.
   *
   * @param ctx The context.
   * @param uri The URI.
   * @throws TileDBError if it cannot be read.
   */
  static ArraySchema load_schema(const Context& ctx, const std::string& uri) {
    return ArraySchema(ctx, uri);
  }

  /**
   * Reads the latest schema of an array.
   * @param ctx The context. @param config The configuration.
   * @param uri The URI.
   * @throws TileDBError if it cannot be read.
   */
  static ArraySchema load_schema_with_config(const Context& ctx, const Config& config, const std::string& uri) {
    tiledb_array_schema_t* schema = nullptr;
    ctx.handle_error(
        tiledb_array_schema_load_with_config(impl::raw(ctx), impl::raw(config), uri.c_str(), &schema));
    return ArraySchema(ctx, schema);
  }

  /**
   * Returns the encryption of an array.
   *
   * @param ctx The context.
   * @param array_uri The URI.
   * @throws TileDBError if the array does not exist.
   */
  static tiledb_encryption_type_t encryption_type(const Context& ctx, const std::string& array_uri) {
    tiledb_encryption_type_t type = TILEDB_NO_ENCRYPTION;
    ctx.handle_error(tiledb_array_encryption_type(impl::raw(ctx), array_uri.c_str(), &type));
    return type;
  }

  /**
   * Returns the smallest box that holds all cells: names of dimensions, first and last coordinates.
   * @tparam T The type of the dimensions, which must all have it.
   * @return The dimensions; none if the array is empty.
   * @throws TypeError if T does not match; TileDBError if the array is not open for reads.
   */
  template <typename T>
  std::vector<std::pair<std::string, std::pair<T, T>>> non_empty_domain() {
    const Domain domain = schema_.domain();
    impl::type_check<T>(domain.type());
    const unsigned number = domain.ndim();
    std::vector<std::pair<T, T>> ends(number);
    std::vector<std::pair<std::string, std::pair<T, T>>> box;
    int32_t empty = 0;
    check(tiledb_array_get_non_empty_domain(c_ctx(), c(), ends.data(), &empty));
    for (unsigned i = 0; i < number && empty == 0; i++)
      box.emplace_back(domain.dimension(i).name(), ends[i]);
    return box;
  }

  /**
   * Returns the first and the last coordinate of a dimension at which there are cells; zeros if the
   * array is empty.
   * @tparam T The type of the dimension. @param idx The position of the dimension.
   * @throws TypeError if T does not match; TileDBError if there are fewer dimensions or the array
   *   is not open for reads.
   */
  template <typename T>
  std::pair<T, T> non_empty_domain(unsigned idx) {
    impl::type_check<T>(schema_.domain().dimension(idx).type());
    std::pair<T, T> ends{};
    int32_t empty = 0;
    check(tiledb_array_get_non_empty_domain_from_index(c_ctx(), c(), idx, &ends, &empty));
    return empty != 0 ? std::pair<T, T>() : ends;
  }

  /**
   * Returns the first and the last coordinate of a dimension at which there are cells; zeros if the
   * array is empty.
   * @tparam T The type of the dimension. @param name The name of the dimension.
   * @throws TypeError if T does not match; TileDBError if the dimension does not exist or the array
   *   is not open for reads.
   */
  template <typename T>
  std::pair<T, T> non_empty_domain(const std::string& name) {
    impl::type_check<T>(schema_.domain().dimension(name).type());
    std::pair<T, T> ends{};
    int32_t empty = 0;
    check(tiledb_array_get_non_empty_domain_from_name(c_ctx(), c(), name.c_str(), &ends, &empty));
    return empty != 0 ? std::pair<T, T>() : ends;
  }

  /**
   * Returns the first and the last string of a dimension; empty ones if the array is empty.
   * @param idx The position of the dimension.
   * @throws TypeError if it is not a string dimension; TileDBError if the array is not open for
   *   reads.
   */
  std::pair<std::string, std::string> non_empty_domain_var(unsigned idx) {
    impl::type_check<char>(schema_.domain().dimension(idx).type());
    std::pair<std::string, std::string> ends;
    uint64_t start_size = 0, end_size = 0;
    int32_t empty = 0;
    check(tiledb_array_get_non_empty_domain_var_size_from_index(c_ctx(), c(), idx, &start_size, &end_size, &empty));
    if (empty != 0)
      return ends;
    ends.first.resize(start_size);
    ends.second.resize(end_size);
    check(tiledb_array_get_non_empty_domain_var_from_index(
        c_ctx(), c(), idx, ends.first.data(), ends.second.data(), &empty));
    return ends;
  }

  /**
   * Returns the first and the last string of a dimension; empty ones if the array is empty.
   * @param name The name of the dimension.
   * @throws TypeError if it is not a string dimension; TileDBError if the array is not open for
   *   reads.
   */
  std::pair<std::string, std::string> non_empty_domain_var(const std::string& name) {
    impl::type_check<char>(schema_.domain().dimension(name).type());
    std::pair<std::string, std::string> ends;
    uint64_t start_size = 0, end_size = 0;
    int32_t empty = 0;
    check(tiledb_array_get_non_empty_domain_var_size_from_name(
        c_ctx(), c(), name.c_str(), &start_size, &end_size, &empty));
    if (empty != 0)
      return ends;
    ends.first.resize(start_size);
    ends.second.resize(end_size);
    check(tiledb_array_get_non_empty_domain_var_from_name(
        c_ctx(), c(), name.c_str(), ends.first.data(), ends.second.data(), &empty));
    return ends;
  }

  /** Returns what the array is open for. @throws TileDBError if it is closed. */
  tiledb_query_type_t query_type() const {
    tiledb_query_type_t type = TILEDB_READ;
    check(tiledb_array_get_query_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Merges the metadata of an array into one file.
   * @param ctx The context. @param uri The URI of the array.
   * @param config The configuration, whose `sm.consolidation.mode` is changed; null for the
   *   context's.
   * @throws TileDBError if the array does not exist or cannot be written.
   */
  static void consolidate_metadata(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    Config own = ctx.config();
    Config* const used = config == nullptr ? &own : config;
    used->set("sm.consolidation.mode", "array_meta");
    consolidate(ctx, uri, used);
  }

  /**
   * Rewrites the schema of an array in the format version of the library.
   * @param ctx The context.
   * @param array_uri The URI of the array.
   * @param config The configuration; null for the context's.
   * @throws TileDBError if the array does not exist or cannot be written.
   */
  static void upgrade_version(const Context& ctx, const std::string& array_uri, Config* const config = nullptr) {
    ctx.handle_error(tiledb_array_upgrade_version(impl::raw(ctx), array_uri.c_str(), raw_or_null(config)));
  }

  /**
   * Sets a metadata value of an array that is open for writes. It is written when the array is
   * closed.
   * @param key The key. @param value_type The datatype. @param value_num The number of values.
   * @param value The values, copied; null for none.
   * @throws TileDBError if the array is not open for writes.
   */
  void put_metadata(const std::string& key, tiledb_datatype_t value_type, uint32_t value_num, const void* value) {
    check(tiledb_array_put_metadata(c_ctx(), c(), key.c_str(), value_type, value_num, value));
  }

  /**
   * Removes a metadata value of an array that is open for writes.
   *
   * @param key The key.
   * @throws TileDBError if it is not.
   */
  void delete_metadata(const std::string& key) {
    check(tiledb_array_delete_metadata(c_ctx(), c(), key.c_str()));
  }

  /**
   * Returns a metadata value.
   * @param key The key. @param value_type The datatype. @param value_num The number of values.
   * @param value The values, valid until the array is closed; null if the key does not exist.
   * @throws TileDBError if the array is not open for reads.
   */
  void get_metadata(const std::string& key, tiledb_datatype_t* value_type, uint32_t* value_num, const void** value) {
    check(tiledb_array_get_metadata(c_ctx(), c(), key.c_str(), value_type, value_num, value));
  }

  /**
   * Returns whether there is a metadata value.
   * @param key The key. @param value_type Its datatype; written only if it exists.
   * @throws TileDBError if the array is not open for reads.
   */
  bool has_metadata(const std::string& key, tiledb_datatype_t* value_type) {
    int32_t has = 0;
    check(tiledb_array_has_metadata_key(c_ctx(), c(), key.c_str(), value_type, &has));
    return has == 1;
  }

  /**
   * Returns the number of metadata values.
   * @throws TileDBError if the array is not open for reads.
   */
  uint64_t metadata_num() const {
    uint64_t number = 0;
    check(tiledb_array_get_metadata_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns a metadata value by its position in the order of keys.
   * @param index The position. @param key The key.
   * @param value_type The datatype. @param value_num The number of values.
   * @param value The values, valid until the array is closed.
   * @throws TileDBError if there are fewer values or the array is not open for reads.
   */
  void get_metadata_from_index(uint64_t index, std::string* key, tiledb_datatype_t* value_type, uint32_t* value_num,
      const void** value) {
    const char* text = nullptr;
    uint32_t length = 0;
    check(tiledb_array_get_metadata_from_index(c_ctx(), c(), index, &text, &length, value_type, value_num, value));
    if (text != nullptr)
      key->assign(text, length);
  }

 private:
  /** The schema of the last opening; checks of types still work after close(). */
  ArraySchema schema_{context(), nullptr};
  bool owns_ = true;

  static std::shared_ptr<void> borrowed(tiledb_array_t* array) {
    return std::shared_ptr<void>(std::shared_ptr<void>(), array);
  }

  static tiledb_config_t* raw_or_null(const Config* config) {
    return config == nullptr ? nullptr : impl::raw(*config);
  }

  void encrypt(tiledb_encryption_type_t type, const std::string& key) {
    const char* name = nullptr;
    tiledb_encryption_type_to_str(type, &name);
    set_config(context().config().set("sm.encryption_type", name == nullptr ? "" : name).set("sm.encryption_key", key));
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ARRAY_H
