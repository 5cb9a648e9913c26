/**
 * @file vfs.h
 * Files and folders on every kind of storage.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_VFS_H
#define TILEDB_CPP_API_VFS_H

#include <cstdint>
#include <ios>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "context.h"
#include "deleter.h"
#include "tiledb.h"
#include "vfs_filebuf.h"

namespace tiledb {

/** Access to files and folders on every kind of storage, by URIs. Copies share the C object. */
class VFS : public impl::Handle<tiledb_vfs_t> {
 public:
  /** Stream buffers over files. */
  using filebuf = impl::VFSFilebuf;

  /**
   * Uses the configuration of a context.
   *
   * @param ctx The context, which must outlive this object.
   * @throws std::runtime_error if the library reports an error.
   */
  explicit VFS(const Context& ctx)
      : Handle(ctx) {
    create(nullptr);
  }

  /**
   * Adds parameters to those of a context.
   *
   * @param ctx The context, which must outlive this object.
   * @param config The parameters.
   * @throws std::runtime_error if the library reports an error.
   */
  VFS(const Context& ctx, const Config& config)
      : Handle(ctx)
      , config_(config) {
    create(impl::raw(config));
  }

  /**
   * Wraps a C object.
   * @param ctx The context, which must outlive this object.
   * @param vfs The C object.
   * @param own True to free it with the last copy; else it must outlive them.
   * @throws TileDBError if it is null.
   */
  VFS(const Context& ctx, tiledb_vfs_t* vfs, bool own = true)
      : Handle(ctx) {
    if (vfs == nullptr)
      throw TileDBError("[TileDB::C++API] Error: Failed to create VFS from pointer");
    if (own)
      Handle::own(vfs);
    else
      adopt(vfs, [](void*) {});
  }

  /** Creates a bucket. @param uri Its URI. @throws TileDBError if it cannot be created. */
  void create_bucket(const std::string& uri) const {
    check(tiledb_vfs_create_bucket(c_ctx(), c(), uri.c_str()));
  }

  /**
   * Removes a bucket with all its contents.
   * @param uri Its URI.
   * @throws TileDBError if it cannot be removed.
   */
  void remove_bucket(const std::string& uri) const {
    check(tiledb_vfs_remove_bucket(c_ctx(), c(), uri.c_str()));
  }

  /**
   * Returns whether there is a bucket.
   * @param uri Its URI.
   * @throws TileDBError if storage cannot be read.
   */
  bool is_bucket(const std::string& uri) const {
    int32_t is = 0;
    check(tiledb_vfs_is_bucket(c_ctx(), c(), uri.c_str(), &is));
    return is != 0;
  }

  /**
   * Removes the contents of a bucket.
   * @param bucket Its URI.
   * @throws TileDBError if they cannot be removed.
   */
  void empty_bucket(const std::string& bucket) const {
    check(tiledb_vfs_empty_bucket(c_ctx(), c(), bucket.c_str()));
  }

  /**
   * Returns whether a bucket has no contents.
   * @param bucket Its URI.
   * @throws TileDBError if storage cannot be read.
   */
  bool is_empty_bucket(const std::string& bucket) const {
    int32_t is = 0;
    check(tiledb_vfs_is_empty_bucket(c_ctx(), c(), bucket.c_str(), &is));
    return is != 0;
  }

  /**
   * Creates a folder; does nothing on object stores.
   *
   * @param uri Its URI.
   * @throws TileDBError if it cannot be created.
   */
  void create_dir(const std::string& uri) const {
    check(tiledb_vfs_create_dir(c_ctx(), c(), uri.c_str()));
  }

  /**
   * Returns whether there is a folder.
   * @param uri Its URI.
   * @throws TileDBError if storage cannot be read.
   */
  bool is_dir(const std::string& uri) const {
    int32_t is = 0;
    check(tiledb_vfs_is_dir(c_ctx(), c(), uri.c_str(), &is));
    return is != 0;
  }

  /**
   * Removes a folder with all its contents.
   * @param uri Its URI.
   * @throws TileDBError if it cannot be removed.
   */
  void remove_dir(const std::string& uri) const {
    check(tiledb_vfs_remove_dir(c_ctx(), c(), uri.c_str()));
  }

  /**
   * Returns whether there is a file.
   * @param uri Its URI.
   * @throws TileDBError if storage cannot be read.
   */
  bool is_file(const std::string& uri) const {
    int32_t is = 0;
    check(tiledb_vfs_is_file(c_ctx(), c(), uri.c_str(), &is));
    return is != 0;
  }

  /** Removes a file. @param uri Its URI. @throws TileDBError if it cannot be removed. */
  void remove_file(const std::string& uri) const {
    check(tiledb_vfs_remove_file(c_ctx(), c(), uri.c_str()));
  }

  /**
   * Returns the size of all files below a folder, in bytes.
   *
   * @param uri Its URI.
   * @throws TileDBError if it does not exist.
   */
  uint64_t dir_size(const std::string& uri) const {
    uint64_t size = 0;
    check(tiledb_vfs_dir_size(c_ctx(), c(), uri.c_str(), &size));
    return size;
  }

  /**
   * Returns the URIs of the files and folders in a folder.
   *
   * @param uri Its URI.
   * @throws TileDBError if storage cannot be read.
   */
  std::vector<std::string> ls(const std::string& uri) const {
    std::vector<std::string> uris;
    check(tiledb_vfs_ls(c_ctx(), c(), uri.c_str(), ls_getter, &uris));
    return uris;
  }

  /**
   * Returns the size of a file in bytes.
   * @param uri Its URI.
   * @throws TileDBError if it does not exist.
   */
  uint64_t file_size(const std::string& uri) const {
    uint64_t size = 0;
    check(tiledb_vfs_file_size(c_ctx(), c(), uri.c_str(), &size));
    return size;
  }

  /**
   * Moves a file.
   * @param old_uri Its URI.
   * @param new_uri The new one.
   * @throws TileDBError if it cannot be moved.
   */
  void move_file(const std::string& old_uri, const std::string& new_uri) const {
    check(tiledb_vfs_move_file(c_ctx(), c(), old_uri.c_str(), new_uri.c_str()));
  }

  /**
   * Moves a folder.
   * @param old_uri Its URI.
   * @param new_uri The new one.
   * @throws TileDBError if it cannot be moved.
   */
  void move_dir(const std::string& old_uri, const std::string& new_uri) const {
    check(tiledb_vfs_move_dir(c_ctx(), c(), old_uri.c_str(), new_uri.c_str()));
  }

  /**
   * Copies a file.
   *
   * @param old_uri Its URI.
   * @param new_uri That of the copy.
   * @throws TileDBError if it cannot be copied.
   */
  void copy_file(const std::string& old_uri, const std::string& new_uri) const {
    check(tiledb_vfs_copy_file(c_ctx(), c(), old_uri.c_str(), new_uri.c_str()));
  }

  /**
   * Copies a folder.
   *
   * @param old_uri Its URI.
   * @param new_uri That of the copy.
   * @throws TileDBError if it cannot be copied.
   */
  void copy_dir(const std::string& old_uri, const std::string& new_uri) const {
    check(tiledb_vfs_copy_dir(c_ctx(), c(), old_uri.c_str(), new_uri.c_str()));
  }

  /**
   * Creates an empty file; does nothing if there is one.
   *
   * @param uri Its URI.
   * @throws TileDBError if it cannot be created.
   */
  void touch(const std::string& uri) const {
    check(tiledb_vfs_touch(c_ctx(), c(), uri.c_str()));
  }

  /**
   * Returns the configuration that the object was made with, or else a copy of the one in use.
   *
   * @throws TileDBError if the library reports an error.
   */
  Config config() const {
    if (config_)
      return *config_;
    tiledb_config_t* config = nullptr;
    check(tiledb_vfs_get_config(c_ctx(), c(), &config));
    return Config(&config);
  }

  /**
   * Collects URIs: a callback for tiledb_vfs_ls().
   * @param path A URI.
   * @param data A std::vector<std::string>.
   * @return 1, to continue.
   */
  static int ls_getter(const char* path, void* data) {
    static_cast<std::vector<std::string>*>(data)->emplace_back(path);
    return 1;
  }

 private:
  friend class impl::VFSFilebuf;

  std::optional<Config> config_;

  void create(tiledb_config_t* config) {
    if (tiledb_vfs_alloc(c_ctx(), config, out()) != TILEDB_OK)
      throw std::runtime_error("[TileDB::C++API] Error: Failed to create VFS object");
  }
};

namespace impl {

inline VFSFilebuf* VFSFilebuf::open(const std::string& uri, std::ios::openmode openmode) {
  close();
  const auto wanted = openmode & ~std::ios::binary;
  if (wanted == std::ios::in)
    mode_ = TILEDB_VFS_READ;
  else if (wanted == std::ios::out || wanted == (std::ios::out | std::ios::trunc))
    mode_ = TILEDB_VFS_WRITE;
  else if (wanted == std::ios::app || wanted == (std::ios::out | std::ios::app))
    mode_ = TILEDB_VFS_APPEND;
  else
    return nullptr;
  const VFS& vfs = vfs_.get();
  tiledb_vfs_fh_t* handle = nullptr;
  if (tiledb_vfs_open(raw(vfs.context()), raw(vfs), uri.c_str(), mode_, &handle) != TILEDB_OK)
    return nullptr;
  fh_ = std::shared_ptr<tiledb_vfs_fh_t>(handle, Deleter());
  uri_ = uri;
  return this;
}

inline VFSFilebuf* VFSFilebuf::close(bool should_throw) {
  const std::shared_ptr<tiledb_vfs_fh_t> handle = std::move(fh_);
  forget();
  // A copy that is still open closes the file.
  if (handle != nullptr && (should_throw || handle.use_count() == 1)) {
    const Context& ctx = vfs_.get().context();
    const auto code = tiledb_vfs_close(raw(ctx), handle.get());
    if (should_throw)
      ctx.handle_error(code);
  }
  return this;
}

inline std::streamsize VFSFilebuf::read_at_next(char_type* s, std::streamsize n) {
  const uint64_t size = is_open() ? file_size() : 0;
  const uint64_t left = size > next_ ? size - next_ : 0;
  const uint64_t wanted = left < static_cast<uint64_t>(n) ? left : static_cast<uint64_t>(n);
  if (wanted == 0 || tiledb_vfs_read(raw(vfs_.get().context()), fh_.get(), next_, s, wanted) != TILEDB_OK)
    return 0;
  next_ += wanted;
  return static_cast<std::streamsize>(wanted);
}

inline std::streamsize VFSFilebuf::xsgetn(char_type* s, std::streamsize n) {
  std::streamsize taken = 0;
  while (taken < n) {
    const std::streamsize ready = egptr() - gptr();
    if (ready > 0) {
      const std::streamsize part = ready < n - taken ? ready : n - taken;
      traits_type::copy(s + taken, gptr(), static_cast<size_t>(part));
      gbump(static_cast<int>(part));
      taken += part;
    } else if (n - taken >= block_size) {
      const std::streamsize read = read_at_next(s + taken, n - taken);
      return taken + read;
    } else if (traits_type::eq_int_type(underflow(), traits_type::eof())) {
      break;
    }
  }
  return taken;
}

inline std::streamsize VFSFilebuf::xsputn(const char_type* s, std::streamsize n) {
  if (!is_open() ||
      tiledb_vfs_write(raw(vfs_.get().context()), fh_.get(), s, static_cast<uint64_t>(n)) != TILEDB_OK)
    return 0;
  return n;
}

inline uint64_t VFSFilebuf::file_size() const {
  const VFS& vfs = vfs_.get();
  uint64_t size = 0;
  if (tiledb_vfs_file_size(raw(vfs.context()), raw(vfs), uri_.c_str(), &size) != TILEDB_OK)
    return 0;
  return size;
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_API_VFS_H
