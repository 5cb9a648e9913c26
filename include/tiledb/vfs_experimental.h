/**
 * @file vfs_experimental.h
 * Recursive listings of folders.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_VFS_EXPERIMENTAL_H
#define TILEDB_VFS_EXPERIMENTAL_H

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "context.h"
#include "tiledb_experimental.h"
#include "vfs.h"

namespace tiledb {

namespace impl {

/**
 * The members of VFSExperimental. The class is a template so that programs that do not call them do
 * not compile them.
 *
 * @tparam Unused Not used.
 */
template <typename Unused = void>
class Listings {
 public:
  /** Is called with the URI and the size of each file; returns whether to continue. */
  using LsCallback = std::function<bool(std::string_view, uint64_t)>;
  /**
   * Is called with the URI and the size of each file and folder, and whether it is a folder;
   * returns whether to continue.
   */
  using LsCallbackV2 = std::function<bool(std::string_view, uint64_t, bool)>;
  /** Returns whether a file is wanted. */
  using LsInclude = std::function<bool(std::string_view, uint64_t)>;
  /** Returns whether a file or folder is wanted. */
  using LsIncludeV2 = std::function<bool(std::string_view, uint64_t, bool)>;
  /** URIs and sizes. */
  using LsObjects = std::vector<std::pair<std::string, uint64_t>>;

  /** A callback of either kind. */
  class CallbackWrapperCPP {
   public:
    CallbackWrapperCPP() = delete;

    /** Wraps a callback. @param cb The callback. @throws std::logic_error if it is empty. */
    CallbackWrapperCPP(LsCallback cb)
        : cb_(std::move(cb)) {
      if (cb_ == nullptr)
        throw std::logic_error("ls_recursive callback function cannot be null");
    }

    /** Wraps a callback. @param cb The callback. @throws std::logic_error if it is empty. */
    CallbackWrapperCPP(LsCallbackV2 cb)
        : cb_v2_(std::move(cb)) {
      if (cb_v2_ == nullptr)
        throw std::logic_error("ls_recursive_v2 callback function cannot be null");
    }

    /**
     * Calls the callback for files.
     * @param path A URI.
     * @param size The size.
     * @return Whether to continue.
     */
    bool operator()(std::string_view path, uint64_t size) {
      return cb_(path, size);
    }

    /**
     * Calls the callback for files and folders.
     *
     * @param path A URI.
     * @param size The size.
     * @param is_dir Whether it is a folder.
     * @return Whether to continue.
     */
    bool operator()(std::string_view path, uint64_t size, bool is_dir) {
      return cb_v2_(path, size, is_dir);
    }

   private:
    LsCallback cb_;
    LsCallbackV2 cb_v2_;
  };

#ifndef TILEDB_REMOVE_DEPRECATIONS
  /**
   * Visits all files below a folder.
   * @deprecated Use ls_recursive_v2().
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The URI of the folder.
   * @param cb The callback.
   * @throws std::logic_error if the callback is empty; TileDBError if it throws or storage cannot
   *   be read.
   */
  TILEDB_CPP_DEPRECATED("use ls_recursive_v2")
  static void ls_recursive(const Context& ctx, const VFS& vfs, const std::string& uri, LsCallback cb) {
    visit_files(ctx, vfs, uri, std::move(cb));
  }

  /**
   * Returns all files below a folder.
   * @deprecated Use ls_recursive_filter_v2().
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The URI of the folder.
   * @param include Returns whether to list a file. By default all files are listed.
   * @throws TileDBError if `include` throws or storage cannot be read.
   */
  TILEDB_CPP_DEPRECATED("use ls_recursive_filter_v2")
  static LsObjects ls_recursive_filter(const Context& ctx, const VFS& vfs, const std::string& uri,
      std::optional<LsInclude> include = std::nullopt) {
    LsObjects objects;
    visit_files(ctx, vfs, uri, [&](std::string_view path, uint64_t size) {
      if (!include || (*include)(path, size))
        objects.emplace_back(path, size);
      return true;
    });
    return objects;
  }
#endif

  /**
   * Visits all files and folders below a folder.
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The URI of the folder.
   * @param cb The callback.
   * @throws std::logic_error if the callback is empty; TileDBError if it throws or storage cannot
   *   be read.
   */
  static void ls_recursive_v2(const Context& ctx, const VFS& vfs, const std::string& uri, LsCallbackV2 cb) {
    CallbackWrapperCPP wrapper(std::move(cb));
    const auto call = [](const char* path, size_t length, uint64_t size, uint8_t is_dir, void* data) -> int32_t {
      return (*static_cast<CallbackWrapperCPP*>(data))({path, length}, size, is_dir != 0);
    };
    ctx.handle_error(tiledb_vfs_ls_recursive_v2(impl::raw(ctx), impl::raw(vfs), uri.c_str(), call, &wrapper));
  }

  /**
   * Returns all files and folders below a folder.
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The URI of the folder.
   * @param include Returns whether to list a file or folder. By default all are listed.
   * @throws TileDBError if `include` throws or storage cannot be read.
   */
  static LsObjects ls_recursive_filter_v2(const Context& ctx, const VFS& vfs, const std::string& uri,
      std::optional<LsIncludeV2> include = std::nullopt) {
    LsObjects objects;
    ls_recursive_v2(ctx, vfs, uri, [&](std::string_view path, uint64_t size, bool is_dir) {
      if (!include || (*include)(path, size, is_dir))
        objects.emplace_back(path, size);
      return true;
    });
    return objects;
  }

#ifndef TILEDB_REMOVE_DEPRECATIONS
 private:
  static void visit_files(const Context& ctx, const VFS& vfs, const std::string& uri, LsCallback cb) {
    CallbackWrapperCPP wrapper(std::move(cb));
    const auto call = [](const char* path, size_t length, uint64_t size, void* data) -> int32_t {
      return (*static_cast<CallbackWrapperCPP*>(data))({path, length}, size);
    };
    ctx.handle_error(tiledb_vfs_ls_recursive(impl::raw(ctx), impl::raw(vfs), uri.c_str(), call, &wrapper));
  }
#endif
};

}  // namespace impl

/** Functions on files and folders that are subject to change. */
class VFSExperimental : public impl::Listings<> {};

}  // namespace tiledb

#endif  // TILEDB_VFS_EXPERIMENTAL_H
