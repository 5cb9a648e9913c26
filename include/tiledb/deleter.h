/**
 * @file deleter.h
 * How each type of handle is freed, and the base of the classes that use a handle within a context.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_DELETER_H
#define TILEDB_CPP_API_DELETER_H

#include <memory>
#include <utility>

#include "context.h"
#include "handle.h"
#include "log.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb::impl {

/**
 * Frees handles: the deleter for a std::shared_ptr that a program makes itself. Null is accepted.
 */
class Deleter {
 public:
  /** Creates a deleter for all types but query channels and channel operations. */
  Deleter()
      : ctx_(nullptr) {
  }

  /**
   * Creates a deleter.
   * @param ctx The context for types that need one to be freed; it must outlive the deleter.
   */
  Deleter(const Context* ctx)
      : ctx_(ctx) {
  }

  /// @name Frees a handle.
  /// @{
  void operator()(tiledb_vfs_fh_t* p) const {
    tiledb_vfs_fh_free(&p);
  }
  void operator()(tiledb_array_t* p) const {
    tiledb_array_free(&p);
  }
  void operator()(tiledb_subarray_t* p) const {
    tiledb_subarray_free(&p);
  }
  void operator()(tiledb_query_t* p) const {
    tiledb_query_free(&p);
  }
  void operator()(tiledb_query_condition_t* p) const {
    tiledb_query_condition_free(&p);
  }
  void operator()(tiledb_array_schema_t* p) const {
    tiledb_array_schema_free(&p);
  }
  void operator()(tiledb_array_schema_evolution_t* p) const {
    tiledb_array_schema_evolution_free(&p);
  }
  void operator()(tiledb_attribute_t* p) const {
    tiledb_attribute_free(&p);
  }
  void operator()(tiledb_dimension_t* p) const {
    tiledb_dimension_free(&p);
  }
  void operator()(tiledb_dimension_label_t* p) const {
    tiledb_dimension_label_free(&p);
  }
  void operator()(tiledb_domain_t* p) const {
    tiledb_domain_free(&p);
  }
  void operator()(tiledb_current_domain_t* p) const {
    tiledb_current_domain_free(&p);
  }
  void operator()(tiledb_ndrectangle_t* p) const {
    tiledb_ndrectangle_free(&p);
  }
  void operator()(tiledb_enumeration_t* p) const {
    tiledb_enumeration_free(&p);
  }
  void operator()(tiledb_vfs_t* p) const {
    tiledb_vfs_free(&p);
  }
  void operator()(tiledb_filter_t* p) const {
    tiledb_filter_free(&p);
  }
  void operator()(tiledb_filter_list_t* p) const {
    tiledb_filter_list_free(&p);
  }
  void operator()(tiledb_fragment_info_t* p) const {
    tiledb_fragment_info_free(&p);
  }
  void operator()(tiledb_error_t* p) const {
    tiledb_error_free(&p);
  }
  void operator()(tiledb_group_t* p) const {
    tiledb_group_free(&p);
  }
  void operator()(tiledb_consolidation_plan_t* p) const {
    tiledb_consolidation_plan_free(&p);
  }
  void operator()(tiledb_query_channel_t* p) const {
    if (p != nullptr)
      tiledb_query_channel_free(c_ctx(), &p);
  }
  void operator()(tiledb_channel_operation_t* p) const {
    if (p != nullptr)
      tiledb_aggregate_free(c_ctx(), &p);
  }
  /// @}

 private:
  const Context* ctx_;

  tiledb_ctx_t* c_ctx() const {
    return ctx_ == nullptr ? nullptr : raw(*ctx_);
  }
};

/**
 * A handle and the context that its calls use. The context is referred to, not copied: it must
 * outlive the object.
 *
 * @tparam T The type of the handle.
 */
template <typename T>
class Handle : public Owner<T> {
 public:
  /** Returns the context that the object was made with. */
  const Context& context() const {
    return *ctx_;
  }

 protected:
  /** Owns nothing yet: out() gives the address for the C function that makes the handle. */
  explicit Handle(const Context& ctx) noexcept
      : ctx_(&ctx) {
  }

  /** Takes ownership of a handle. */
  Handle(const Context& ctx, T* handle)
      : ctx_(&ctx) {
    own(handle);
  }

  /** Shares a handle that something else frees. */
  Handle(const Context& ctx, std::shared_ptr<void> handle) noexcept
      : Owner<T>(std::move(handle))
      , ctx_(&ctx) {
  }

  /** Returns the C context. */
  tiledb_ctx_t* c_ctx() const noexcept {
    return raw(*ctx_);
  }

  /** Applies the context's check to what a function of the C API returned. */
  void check(int rc) const {
    ctx_->handle_error(rc);
  }

  /** Takes ownership of a handle in place of the present one. */
  void own(T* handle) {
    this->adopt(handle, release);
  }

  /** Takes over, at the end of the expression, the handle that a C function wrote. */
  class Out {
   public:
    explicit Out(Handle& owner) noexcept
        : owner_(owner) {
    }
    Out(const Out&) = delete;
    Out& operator=(const Out&) = delete;
    ~Out() {
      owner_.own(handle_);
    }
    operator T**() noexcept {
      return &handle_;
    }

   private:
    Handle& owner_;
    T* handle_ = nullptr;
  };

  /** Returns what can be passed to a C function as the address of the new handle. */
  Out out() noexcept {
    return Out(*this);
  }

 private:
  const Context* ctx_;

  static void release(void* handle) {
    Deleter()(static_cast<T*>(handle));
  }
};

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_DELETER_H
