/**
 * @file channel_operation.h
 * Aggregates: operators with the field they work on.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CHANNEL_OPERATION_H
#define TILEDB_CPP_API_CHANNEL_OPERATION_H

#include <memory>
#include <string>
#include <type_traits>

#include "channel_operator.h"
#include "context.h"
#include "query.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/**
 * An operator with the field it works on. Made by QueryExperimental::create_unary_aggregate().
 * Copies share it.
 */
class ChannelOperation {
 public:
  /** Creates an operation that cannot be applied. */
  ChannelOperation() = default;

  /** Takes ownership of a C operation. @param ctx The context. @param operation The operation. */
  ChannelOperation(const Context& ctx, tiledb_channel_operation_t* operation)
      : operation_(operation, [ctx = ctx.ptr()](tiledb_channel_operation_t* p) {
        if (p != nullptr)
          tiledb_aggregate_free(ctx.get(), &p);
      }) {
  }

  ChannelOperation(const ChannelOperation&) = default;
  ChannelOperation(ChannelOperation&&) = default;
  ChannelOperation& operator=(const ChannelOperation&) = default;
  ChannelOperation& operator=(ChannelOperation&&) = default;
  virtual ~ChannelOperation() = default;

 private:
  friend class QueryExperimental;
  friend class QueryChannel;

  std::shared_ptr<tiledb_channel_operation_t> operation_;

  virtual const tiledb_channel_operation_t* ptr() const {
    return operation_.get();
  }

  template <class Op, std::enable_if_t<std::is_base_of_v<ChannelOperator, Op>, bool> = true>
  static ChannelOperation create(const Query& query, const std::string& input_field) {
    const Context& ctx = query.ctx();
    tiledb_channel_operation_t* operation = nullptr;
    ctx.handle_error(tiledb_create_unary_aggregate(
        impl::raw(ctx), impl::raw(query), Op::ptr(), input_field.c_str(), &operation));
    return ChannelOperation(ctx, operation);
  }
};

/** The number of cells that a query selects. */
class CountOperation : public ChannelOperation {
 private:
  const tiledb_channel_operation_t* ptr() const override {
    return tiledb_aggregate_count;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_CHANNEL_OPERATION_H
