/**
 * @file query_channel.h
 * Channels of queries, to which aggregates are applied.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_QUERY_CHANNEL_H
#define TILEDB_CPP_API_QUERY_CHANNEL_H

#include <functional>
#include <memory>
#include <string>

#include "channel_operation.h"
#include "context.h"
#include "query.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/**
 * The cells over which aggregates are computed. See QueryExperimental::get_default_channel().
 * Copies share it.
 */
class QueryChannel {
 public:
  /**
   * Takes ownership of a C channel.
   * @param ctx The context, which must outlive the channel.
   * @param ch The channel.
   */
  QueryChannel(const Context& ctx, tiledb_query_channel_t* ch)
      : ctx_(ctx)
      , channel_(ch, [ctx = ctx.ptr()](tiledb_query_channel_t* p) {
        if (p != nullptr)
          tiledb_query_channel_free(ctx.get(), &p);
      }) {
  }

  QueryChannel() = delete;
  QueryChannel(const QueryChannel&) = default;
  QueryChannel(QueryChannel&&) = default;
  QueryChannel& operator=(const QueryChannel&) = default;
  QueryChannel& operator=(QueryChannel&&) = default;
  ~QueryChannel() = default;

  /**
   * Adds an aggregate to the query.
   * @param output_field The name under which the query has it: that of its data buffer.
   * @param operation The aggregate.
   * @throws TileDBError if the name is taken or the query cannot have aggregates.
   */
  void apply_aggregate(const std::string& output_field, const ChannelOperation& operation) {
    const Context& ctx = ctx_.get();
    ctx.handle_error(
        tiledb_channel_apply_aggregate(impl::raw(ctx), channel_.get(), output_field.c_str(), operation.ptr()));
  }

 private:
  friend class QueryExperimental;

  std::reference_wrapper<const Context> ctx_;
  std::shared_ptr<tiledb_query_channel_t> channel_;

  static QueryChannel create_default_channel(const Query& query) {
    const Context& ctx = query.ctx();
    tiledb_query_channel_t* channel = nullptr;
    ctx.handle_error(tiledb_query_get_default_channel(impl::raw(ctx), impl::raw(query), &channel));
    return QueryChannel(ctx, channel);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_QUERY_CHANNEL_H
