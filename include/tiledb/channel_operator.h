/**
 * @file channel_operator.h
 * The operators of aggregates.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CHANNEL_OPERATOR_H
#define TILEDB_CPP_API_CHANNEL_OPERATOR_H

#include "context.h"
#include "query.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** The base of all operators. */
class ChannelOperator {};

/** The sum of a field. */
class SumOperator : public ChannelOperator {
 public:
  /** Returns the C operator, which lives as long as the library. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_sum;
  }
};

/** The least value of a field. */
class MinOperator : public ChannelOperator {
 public:
  /** Returns the C operator, which lives as long as the library. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_min;
  }
};

/** The greatest value of a field. */
class MaxOperator : public ChannelOperator {
 public:
  /** Returns the C operator, which lives as long as the library. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_max;
  }
};

/** The mean of a field. */
class MeanOperator : public ChannelOperator {
 public:
  /** Returns the C operator, which lives as long as the library. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_mean;
  }
};

/** The number of null cells of a field. */
class NullCountOperator : public ChannelOperator {
 public:
  /** Returns the C operator, which lives as long as the library. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_null_count;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_CHANNEL_OPERATOR_H
