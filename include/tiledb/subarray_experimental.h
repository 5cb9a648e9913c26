/**
 * @file subarray_experimental.h
 * Ranges of dimension labels.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_SUBARRAY_EXPERIMENTAL_H
#define TILEDB_CPP_API_SUBARRAY_EXPERIMENTAL_H

#include <array>
#include <cstdint>
#include <string>

#include "array_schema_experimental.h"
#include "dimension_label_experimental.h"
#include "subarray.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Functions on subarrays that are subject to change. */
class SubarrayExperimental {
 public:
  /**
   * Adds a range of a label, which selects the coordinates that have its values.
   * @tparam T The type of the label.
   * @param ctx The context.
   * @param subarray The subarray.
   * @param label_name The name of the label.
   * @param start The first value.
   * @param end The last value.
   * @param stride Must be 0.
   * @throws TypeError if T does not match; TileDBError if the label does not exist or the range is
   *   wrong.
   */
  template <class T>
  static void add_label_range(
      const Context& ctx, Subarray& subarray, const std::string& label_name, T start, T end, T stride = 0) {
    check_label<T>(ctx, subarray, label_name);
    ctx.handle_error(tiledb_subarray_add_label_range(impl::raw(ctx), impl::raw(subarray), label_name.c_str(), &start,
        &end, stride == 0 ? nullptr : &stride));
  }

  /**
   * Adds a range of a label of strings.
   * @param ctx The context.
   * @param subarray The subarray.
   * @param label_name The name of the label.
   * @param start The first string.
   * @param end The last string.
   * @throws TypeError if it has no strings; TileDBError if the label does not exist or the range is
   *   wrong.
   */
  static void add_label_range(const Context& ctx, Subarray& subarray, const std::string& label_name,
      const std::string& start, const std::string& end) {
    check_label<char>(ctx, subarray, label_name);
    ctx.handle_error(tiledb_subarray_add_label_range_var(impl::raw(ctx), impl::raw(subarray), label_name.c_str(),
        start.data(), start.size(), end.data(), end.size()));
  }

  /**
   * Returns the number of ranges of a label.
   *
   * @param ctx The context.
   * @param subarray The subarray.
   * @param label_name The name of the label.
   * @throws TileDBError if the label does not exist.
   */
  static uint64_t label_range_num(const Context& ctx, Subarray& subarray, const std::string& label_name) {
    uint64_t number = 0;
    ctx.handle_error(
        tiledb_subarray_get_label_range_num(impl::raw(ctx), impl::raw(subarray), label_name.c_str(), &number));
    return number;
  }

  /**
   * Returns a range of a label: the first and the last value, and 0.
   * @tparam T The type of the label.
   * @param ctx The context.
   * @param subarray The subarray.
   * @param label_name The name of the label.
   * @param range_idx The position of the range.
   * @throws TypeError if T does not match; TileDBError if the range does not exist.
   */
  template <class T>
  static std::array<T, 3> label_range(
      const Context& ctx, Subarray& subarray, const std::string& label_name, uint64_t range_idx) {
    check_label<T>(ctx, subarray, label_name);
    const void *start = nullptr, *end = nullptr, *stride = nullptr;
    ctx.handle_error(tiledb_subarray_get_label_range(
        impl::raw(ctx), impl::raw(subarray), label_name.c_str(), range_idx, &start, &end, &stride));
    return {Subarray::value_at<T>(start), Subarray::value_at<T>(end), Subarray::value_at<T>(stride)};
  }

  /**
   * Returns a range of a label of strings: the first and the last string.
   * @param ctx The context.
   * @param subarray The subarray.
   * @param label_name The name of the label.
   * @param range_idx The position of the range.
   * @throws TypeError if it has no strings; TileDBError if the range does not exist.
   */
  static std::array<std::string, 2> label_range(
      const Context& ctx, Subarray& subarray, const std::string& label_name, uint64_t range_idx) {
    check_label<char>(ctx, subarray, label_name);
    const char* name = label_name.c_str();
    uint64_t start_size = 0, end_size = 0;
    ctx.handle_error(tiledb_subarray_get_label_range_var_size(
        impl::raw(ctx), impl::raw(subarray), name, range_idx, &start_size, &end_size));
    std::array<std::string, 2> ends{std::string(start_size, '\0'), std::string(end_size, '\0')};
    ctx.handle_error(tiledb_subarray_get_label_range_var(
        impl::raw(ctx), impl::raw(subarray), name, range_idx, ends[0].data(), ends[1].data()));
    return ends;
  }

 private:
  template <class T>
  static void check_label(const Context& ctx, const Subarray& subarray, const std::string& label_name) {
    impl::type_check<T>(ArraySchemaExperimental::dimension_label(ctx, subarray.schema_, label_name).label_type());
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_SUBARRAY_EXPERIMENTAL_H
