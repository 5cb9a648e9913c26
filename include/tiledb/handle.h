/**
 * @file handle.h
 * The one owner of handles of the C API. Every class that wraps a handle derives from a template of
 * this file.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_HANDLE_H
#define TILEDB_CPP_API_HANDLE_H

#include <memory>
#include <utility>

#include "core_interface.h"
#include "tiledb.h"

namespace tiledb::impl {

/**
 * Shared ownership of a handle of any type. It is not a template, so that what std::shared_ptr
 * needs is compiled once and not once per type of handle.
 */
class AnyOwner {
 protected:
  /** Owns nothing. */
  AnyOwner() = default;

  /** Shares a handle. */
  explicit AnyOwner(std::shared_ptr<void> handle) noexcept
      : handle_(std::move(handle)) {
  }

  /** Takes ownership of a handle, or of nothing if it is null. `release` frees it. */
  void adopt_any(void* handle, void (*release)(void*)) {
    if (handle == nullptr)
      handle_.reset();
    else
      handle_.reset(handle, release);
  }

  /** The handle; null for a moved-from object. */
  std::shared_ptr<void> handle_;
};

/**
 * Shared ownership of a handle of the C API. Copies share the handle; the last one frees it. A
 * moved-from owner has no handle, and the calls that need one fail with a TileDBError.
 *
 * @tparam T The type of the handle.
 */
template <typename T>
class Owner : protected AnyOwner {
 public:
  /**
   * Returns the handle, which lives as long as any copy of the pointer; null for a moved-from
   * object.
   */
  std::shared_ptr<T> ptr() const {
    return std::static_pointer_cast<T>(handle_);
  }

 protected:
  /** Owns nothing. */
  Owner() = default;

  /** Shares a handle. @param handle The handle. */
  explicit Owner(std::shared_ptr<void> handle) noexcept
      : AnyOwner(std::move(handle)) {
  }

  /**
   * Takes ownership of a handle.
   * @param handle The handle, or null.
   * @param release The function that frees it.
   */
  void adopt(T* handle, void (*release)(void*)) {
    adopt_any(handle, release);
  }

  /** Returns the handle for a call of the C API. */
  T* c() const noexcept {
    return static_cast<T*>(handle_.get());
  }

 private:
  template <typename U>
  friend U* raw(const Owner<U>& owner) noexcept;
};

/**
 * Returns the handle of another object for a call of the C API, without a copy of its shared
 * pointer.
 */
template <typename U>
U* raw(const Owner<U>& owner) noexcept {
  return owner.c();
}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_HANDLE_H
