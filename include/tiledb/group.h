/**
 * @file group.h
 * Groups of arrays and groups.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_GROUP_H
#define TILEDB_CPP_API_GROUP_H

#include <cstdint>
#include <optional>
#include <string>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "object.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/**
 * A group on storage, open from its construction on: members, which can have names, and metadata.
 *
 * The destructor closes the group, which writes its changes; close() does the same and reports
 * errors. Copies share the open group, and the destructor of any copy closes it for all: share it
 * by reference or std::shared_ptr<Group>.
 */
class Group : public impl::Handle<tiledb_group_t> {
 public:
  /**
   * Opens a group.
   * @param ctx The context, which must outlive the group.
   * @param group_uri The URI of the group.
   * @param query_type Whether it is opened for reads, writes or exclusive changes.
   * @throws TileDBError if the group does not exist or cannot be opened.
   */
  Group(const Context& ctx, const std::string& group_uri, tiledb_query_type_t query_type)
      : Handle(ctx) {
    check(tiledb_group_alloc(c_ctx(), group_uri.c_str(), out()));
    open(query_type);
  }

  /**
   * Opens a group.
   * @param ctx The context, which must outlive the group.
   * @param group_uri The URI of the group.
   * @param query_type Whether it is opened for reads, writes or exclusive changes.
   * @param config The configuration, in place of the context's.
   * @throws TileDBError if the group does not exist or cannot be opened.
   */
  Group(const Context& ctx, const std::string& group_uri, tiledb_query_type_t query_type, const Config& config)
      : Handle(ctx) {
    check(tiledb_group_alloc(c_ctx(), group_uri.c_str(), out()));
    set_config(config);
    open(query_type);
  }

  Group(const Group&) = default;
  Group(Group&&) = default;
  Group& operator=(const Group&) = default;
  Group& operator=(Group&&) = default;

  /** Closes the group if it is open. Errors are logged as warnings. */
  ~Group() {
    int32_t open = 0;
    if (c() != nullptr && tiledb_group_is_open(c_ctx(), c(), &open) == TILEDB_OK && open != 0)
      close_quietly();
  }

  /**
   * Opens the group again after close().
   *
   * @param query_type What for.
   * @throws TileDBError if it is open or cannot be opened.
   */
  void open(tiledb_query_type_t query_type) {
    check(tiledb_group_open(c_ctx(), c(), query_type));
  }

  /**
   * Sets the configuration of the next opening.
   *
   * @param config The configuration, copied.
   * @throws TileDBError if the group is open.
   */
  void set_config(const Config& config) const {
    check(tiledb_group_set_config(c_ctx(), c(), impl::raw(config)));
  }

  /** Returns a copy of the configuration. @throws TileDBError if the library reports an error. */
  Config config() const {
    tiledb_config_t* config = nullptr;
    check(tiledb_group_get_config(c_ctx(), c(), &config));
    return Config(&config);
  }

  /**
   * Closes the group for all copies, and writes its changes.
   * @param should_throw False to log errors as warnings.
   * @throws TileDBError if the changes cannot be written and `should_throw` is set.
   */
  void close(bool should_throw = true) {
    if (should_throw)
      check(tiledb_group_close(c_ctx(), c()));
    else
      close_quietly();
  }

  /**
   * Creates a group.
   *
   * @param ctx The context.
   * @param uri The URI, at which there must be nothing.
   * @throws TileDBError if it cannot be created.
   */
  static void create(const tiledb::Context& ctx, const std::string& uri) {
    ctx.handle_error(tiledb_group_create(impl::raw(ctx), uri.c_str()));
  }

  /** Returns whether the group is open. @throws TileDBError if the library reports an error. */
  bool is_open() const {
    int32_t open = 0;
    check(tiledb_group_is_open(c_ctx(), c(), &open));
    return open != 0;
  }

  /** Returns the URI. @throws TileDBError if the library reports an error. */
  std::string uri() const {
    const char* uri = nullptr;
    check(tiledb_group_get_uri(c_ctx(), c(), &uri));
    return uri == nullptr ? std::string() : std::string(uri);
  }

  /** Returns what the group is open for. @throws TileDBError if it is closed. */
  tiledb_query_type_t query_type() const {
    tiledb_query_type_t type = TILEDB_READ;
    check(tiledb_group_get_query_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Sets a metadata value of a group that is open for writes. It is written when the group is
   * closed.
   * @param key The key.
   * @param value_type The datatype.
   * @param value_num The number of values.
   * @param value The values, copied; null for none.
   * @throws TileDBError if the group is not open for writes.
   */
  void put_metadata(const std::string& key, tiledb_datatype_t value_type, uint32_t value_num, const void* value) {
    check(tiledb_group_put_metadata(c_ctx(), c(), key.c_str(), value_type, value_num, value));
  }

  /**
   * Removes a group.
   * @param uri The URI of the group.
   * @param recursive True to remove its members too; else they stay.
   * @throws TileDBError if this group is not open for exclusive changes.
   */
  void delete_group(const std::string& uri, bool recursive = false) {
    check(tiledb_group_delete_group(c_ctx(), c(), uri.c_str(), recursive));
  }

  /**
   * Removes a metadata value of a group that is open for writes.
   *
   * @param key The key.
   * @throws TileDBError if it is not.
   */
  void delete_metadata(const std::string& key) {
    check(tiledb_group_delete_metadata(c_ctx(), c(), key.c_str()));
  }

  /**
   * Returns a metadata value.
   * @param key The key.
   * @param value_type The datatype.
   * @param value_num The number of values.
   * @param value The values, valid until the group is closed; null if the key does not exist.
   * @throws TileDBError if the group is not open for reads.
   */
  void get_metadata(const std::string& key, tiledb_datatype_t* value_type, uint32_t* value_num, const void** value) {
    check(tiledb_group_get_metadata(c_ctx(), c(), key.c_str(), value_type, value_num, value));
  }

  /**
   * Returns whether there is a metadata value.
   * @param key The key.
   * @param value_type Its datatype; written only if it exists.
   * @throws TileDBError if the group is not open for reads.
   */
  bool has_metadata(const std::string& key, tiledb_datatype_t* value_type) {
    int32_t has = 0;
    check(tiledb_group_has_metadata_key(c_ctx(), c(), key.c_str(), value_type, &has));
    return has == 1;
  }

  /**
   * Returns the number of metadata values.
   * @throws TileDBError if the group is not open for reads.
   */
  uint64_t metadata_num() const {
    uint64_t number = 0;
    check(tiledb_group_get_metadata_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns a metadata value by its position in the order of keys.
   * @param index The position.
   * @param key The key.
   * @param value_type The datatype.
   * @param value_num The number of values.
   * @param value The values, valid until the group is closed.
   * @throws TileDBError if there are fewer values or the group is not open for reads.
   */
  void get_metadata_from_index(
      uint64_t index, std::string* key, tiledb_datatype_t* value_type, uint32_t* value_num, const void** value) {
    const char* text = nullptr;
    uint32_t length = 0;
    check(tiledb_group_get_metadata_from_index(c_ctx(), c(), index, &text, &length, value_type, value_num, value));
    if (text != nullptr)
      key->assign(text, length);
  }

  /**
   * Adds a member to a group that is open for writes.
   * @param uri The URI of the member.
   * @param relative Whether the URI is relative to that of the group.
   * @param name A name for the member.
   * @param type What the member is, to save looking it up.
   * @throws TileDBError if there is neither an array nor a group, the name is taken, or the group
   *   is not open for writes.
   */
  void add_member(const std::string& uri, const bool& relative, std::optional<std::string> name = std::nullopt,
      std::optional<tiledb_object_t> type = std::nullopt) {
    const char* c_name = name ? name->c_str() : nullptr;
    check(type ? tiledb_group_add_member_with_type(c_ctx(), c(), uri.c_str(), relative, c_name, *type)
               : tiledb_group_add_member(c_ctx(), c(), uri.c_str(), relative, c_name));
  }

  /**
   * Removes a member from a group that is open for writes.
   *
   * @param name_or_uri Its name, or its URI if it has none.
   * @throws TileDBError if the group is not open for writes.
   */
  void remove_member(const std::string& name_or_uri) {
    check(tiledb_group_remove_member(c_ctx(), c(), name_or_uri.c_str()));
  }

  /** Returns the number of members. @throws TileDBError if the group is not open for reads. */
  uint64_t member_count() const {
    uint64_t number = 0;
    check(tiledb_group_get_member_count(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns a member.
   *
   * @param index Its position.
   * @throws TileDBError if there are fewer or the group is not open for reads.
   */
  tiledb::Object member(uint64_t index) const {
    tiledb_string_t *uri = nullptr, *name = nullptr;
    tiledb_object_t type = TILEDB_INVALID;
    check(tiledb_group_get_member_by_index_v2(c_ctx(), c(), index, &uri, &type, &name));
    std::optional<std::string> member_name = impl::convert_to_string(&name);
    return tiledb::Object(type, impl::convert_to_string(&uri).value_or(""), member_name);
  }

  /**
   * Returns a member.
   *
   * @param name Its name.
   * @throws TileDBError if that name does not exist or the group is not open for reads.
   */
  tiledb::Object member(std::string name) const {
    tiledb_string_t* uri = nullptr;
    tiledb_object_t type = TILEDB_INVALID;
    check(tiledb_group_get_member_by_name_v2(c_ctx(), c(), name.c_str(), &uri, &type));
    return tiledb::Object(type, impl::convert_to_string(&uri).value_or(""), name);
  }

  /**
   * Returns whether a member was added with a relative URI.
   *
   * @param name Its name.
   * @throws TileDBError if that name does not exist.
   */
  bool is_relative(std::string name) const {
    uint8_t relative = 0;
    check(tiledb_group_get_is_relative_uri_by_name(c_ctx(), c(), name.c_str(), &relative));
    return relative != 0;
  }

  /**
   * Returns the members as text.
   *
   * @param recursive True for those of member groups too.
   * @throws TileDBError if the group is not open for reads.
   */
  std::string dump(const bool recursive) const {
    tiledb_string_t* text = nullptr;
    check(tiledb_group_dump_str_v2(c_ctx(), c(), &text, recursive));
    return impl::convert_to_string(&text).value_or("");
  }

  /**
   * Merges the metadata of a group into one file.
   * @param ctx The context.
   * @param uri The URI of the group.
   * @param config The configuration; null for the context's.
   * @throws TileDBError if the group does not exist or cannot be written.
   */
  static void consolidate_metadata(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    ctx.handle_error(tiledb_group_consolidate_metadata(impl::raw(ctx), uri.c_str(), raw_or_null(config)));
  }

  /**
   * Removes metadata files that consolidation has replaced.
   * @param ctx The context.
   * @param uri The URI of the group.
   * @param config The configuration; null for the context's.
   * @throws TileDBError if the group does not exist or a file cannot be removed.
   */
  static void vacuum_metadata(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    ctx.handle_error(tiledb_group_vacuum_metadata(impl::raw(ctx), uri.c_str(), raw_or_null(config)));
  }

 private:
  void close_quietly() {
    if (tiledb_group_close(c_ctx(), c()) != TILEDB_OK)
      tiledb_log_warn(c_ctx(), context().get_last_error_message().c_str());
  }

  static tiledb_config_t* raw_or_null(const Config* config) {
    return config == nullptr ? nullptr : impl::raw(*config);
  }
};

/**
 * Creates a group.
 *
 * @param ctx The context.
 * @param group The URI, at which there must be nothing.
 * @throws TileDBError if it cannot be created.
 */
inline void create_group(const Context& ctx, const std::string& group) {
  Group::create(ctx, group);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_GROUP_H
