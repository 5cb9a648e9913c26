/**
 * @file context.h
 * Contexts: configuration, threads and errors of a program's use of the library.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CONTEXT_H
#define TILEDB_CPP_API_CONTEXT_H

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "config.h"
#include "exception.h"
#include "handle.h"
#include "standard_headers.h"
#include "tiledb.h"

namespace tiledb {

/**
 * A configuration, a share of the thread pool, and the last error. Most programs have one, made
 * first and destroyed last.
 *
 * Other objects refer to the Context they were made with and do not copy it: it must outlive them
 * and stay at its address. It may be used from several threads at once, but the last error belongs
 * to the context, so threads that need exact messages use a context each.
 */
class Context : public impl::Owner<tiledb_ctx_t> {
 public:
  /**
   * Creates a context with the default configuration.
   * @throws TileDBError if the library reports an error.
   */
  Context()
      : Context(make(nullptr)) {
  }

  /**
   * Creates a context.
   * @param config The configuration, which is copied.
   * @throws TileDBError if a value of the configuration is wrong.
   */
  explicit Context(const Config& config)
      : Context(make(impl::raw(config))) {
  }

  /**
   * Wraps a C context.
   * @param ctx The context.
   * @param own True to free it with the last copy of this object; else it must outlive them.
   * @throws TileDBError if `ctx` is null.
   */
  Context(tiledb_ctx_t* ctx, bool own = true) {
    if (ctx == nullptr)
      throw TileDBError("[TileDB::C++API] Error: Failed to create Context from pointer");
    adopt(ctx, own ? release : [](void*) {});
    set_tag("x-tiledb-api-language", "c++");
  }

  /**
   * Calls the error handler with the message of the last error, unless a call succeeded. This is
   * the check that all methods apply to what the C API returns.
   * @param rc What a function of the C API returned.
   * @throws TileDBError unless set_error_handler() replaced the handler.
   */
  void handle_error(int rc) const {
    if (rc != TILEDB_OK)
      fail();
  }

  /** Returns the message of the last error of this context. */
  std::string get_last_error_message() const noexcept {
    tiledb_error_t* error = nullptr;
    const char* text = nullptr;
    if (tiledb_ctx_get_last_error(c(), &error) != TILEDB_OK || error == nullptr ||
        tiledb_error_message(error, &text) != TILEDB_OK || text == nullptr) {
      tiledb_error_free(&error);
      return "[TileDB::C++API] Error: Non-retrievable error occurred";
    }
    std::string message(text);
    tiledb_error_free(&error);
    return message;
  }

  /**
   * Replaces the error handler of this object and of copies made afterwards.
   * @param fn A function that takes the message. If it returns, the method that failed returns
   *   zeros and empty values.
   * @return This context.
   */
  Context& set_error_handler(const std::function<void(const std::string&)>& fn) {
    error_handler_ = fn;
    return *this;
  }

  /** Returns a copy of the configuration. @throws TileDBError if the library reports an error. */
  Config config() const {
    tiledb_config_t* config = nullptr;
    handle_error(tiledb_ctx_get_config(c(), &config));
    return Config(&config);
  }

  /**
   * Returns whether the library can use a kind of storage.
   * @param fs The kind of storage.
   * @throws TileDBError if the library reports an error.
   */
  bool is_supported_fs(tiledb_filesystem_t fs) const {
    int32_t supported = 0;
    handle_error(tiledb_ctx_is_supported_fs(c(), fs, &supported));
    return supported != 0;
  }

  /**
   * Cancels what runs in this context. Callable from any thread.
   *
   * @throws TileDBError if the library reports an error.
   */
  void cancel_tasks() const {
    handle_error(tiledb_ctx_cancel_tasks(c()));
  }

  /**
   * Sets a header of requests to a server.
   * @param key The name of the header.
   * @param value Its value.
   * @throws TileDBError if the library reports an error.
   */
  void set_tag(const std::string& key, const std::string& value) {
    handle_error(tiledb_ctx_set_tag(c(), key.c_str(), value.c_str()));
  }

  /** The data protocol of a storage service. */
  enum class DataProtocol : uint8_t {
    v2 = TILEDB_DATA_PROTOCOL_v2,  ///< The protocol of TileDB Server 2.x, and of local storage.
    v3 = TILEDB_DATA_PROTOCOL_v3   ///< The protocol of TileDB Carrara.
  };

  /**
   * Returns the protocol of the service that a URI names.
   * @param uri A URI.
   * @throws TileDBError if the service cannot be asked.
   */
  DataProtocol data_protocol(const std::string& uri) const {
    tiledb_data_protocol_t protocol = TILEDB_DATA_PROTOCOL_v2;
    handle_error(tiledb_ctx_get_data_protocol(c(), uri.c_str(), &protocol));
    return static_cast<DataProtocol>(protocol);
  }

  /**
   * Returns the statistics of this context as JSON.
   * @throws TileDBError if the library reports an error.
   */
  std::string stats() {
    char* text = nullptr;
    handle_error(tiledb_ctx_get_stats(c(), &text));
    std::string stats(text == nullptr ? "" : text);
    tiledb_stats_free_str(&text);
    return stats;
  }

  /** The error handler of new contexts. @param msg The message. @throws TileDBError always. */
  static void default_error_handler(const std::string& msg) {
    throw TileDBError(msg);
  }

 private:
  std::function<void(const std::string&)> error_handler_ = default_error_handler;

  void fail() const {
    error_handler_(get_last_error_message());
  }

  static void release(void* handle) {
    tiledb_ctx_t* ctx = static_cast<tiledb_ctx_t*>(handle);
    tiledb_ctx_free(&ctx);
  }

  static tiledb_ctx_t* make(tiledb_config_t* config) {
    tiledb_ctx_t* ctx = nullptr;
    tiledb_error_t* error = nullptr;
    tiledb_ctx_alloc_with_error(config, &ctx, &error);
    if (error != nullptr)
      throw TileDBError("[TileDB::C++API] Error: Failed to create context: " + impl::take_message(&error));
    return ctx;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_CONTEXT_H
