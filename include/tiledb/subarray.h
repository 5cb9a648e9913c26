/**
 * @file subarray.h
 * Subarrays: the ranges that queries read or write.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_SUBARRAY_H
#define TILEDB_CPP_API_SUBARRAY_H

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "array.h"
#include "array_schema.h"
#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "tiledb.h"
#include "type.h"
#include "utils.h"

namespace tiledb {

class Query;

/**
 * Ranges of the dimensions of an open array; a dimension without ranges is whole. Copies share the
 * ranges.
 */
class Subarray : public impl::Handle<tiledb_subarray_t> {
 public:
  /**
   * Creates a subarray that is the whole array.
   * @param ctx The context, which must outlive the subarray.
   * @param array The array, open; it must outlive the subarray.
   * @param coalesce_ranges Whether ranges that touch are merged.
   * @throws TileDBError if the array is not open.
   */
  Subarray(const tiledb::Context& ctx, const tiledb::Array& array, bool coalesce_ranges = true)
      : Handle(ctx)
      , array_(array)
      , schema_(array.schema()) {
    check(tiledb_subarray_alloc(c_ctx(), impl::raw(array), out()));
    check(tiledb_subarray_set_coalesce_ranges(c_ctx(), c(), coalesce_ranges));
  }

  /**
   * Sets whether ranges that touch are merged when they are added.
   *
   * @param coalesce_ranges True if they are.
   * @return This subarray.
   * @throws TileDBError if the library reports an error.
   */
  Subarray& set_coalesce_ranges(bool coalesce_ranges) {
    check(tiledb_subarray_set_coalesce_ranges(c_ctx(), c(), coalesce_ranges));
    return *this;
  }

  /**
   * Takes ownership of another C subarray of the same array.
   *
   * @param capi_subarray The subarray.
   * @return This subarray.
   */
  Subarray& replace_subarray_data(tiledb_subarray_t* capi_subarray) {
    own(capi_subarray);
    return *this;
  }

  /**
   * Adds a range.
   * @tparam T The type of the dimension.
   * @param dim_idx The position of the dimension.
   * @param start The first coordinate.
   * @param end The last coordinate.
   * @param stride Must be 0.
   * @return This subarray.
   * @throws TypeError if T does not match; TileDBError if the range is not in the domain.
   */
  template <class T>
  Subarray& add_range(uint32_t dim_idx, T start, T end, T stride = 0) {
    impl::type_check<T>(dimension_type(dim_idx));
    check(tiledb_subarray_add_range(c_ctx(), c(), dim_idx, &start, &end, stride == 0 ? nullptr : &stride));
    return *this;
  }

  /**
   * Adds a range.
   * @tparam T The type of the dimension.
   * @param dim_name The name of the dimension.
   * @param start The first coordinate.
   * @param end The last coordinate.
   * @param stride Must be 0.
   * @return This subarray.
   * @throws TypeError if T does not match; TileDBError if the range is not in the domain.
   */
  template <class T>
  Subarray& add_range(const std::string& dim_name, T start, T end, T stride = 0) {
    impl::type_check<T>(dimension_type(dim_name));
    check(tiledb_subarray_add_range_by_name(
        c_ctx(), c(), dim_name.c_str(), &start, &end, stride == 0 ? nullptr : &stride));
    return *this;
  }

  /**
   * Adds a range of a string dimension.
   * @param dim_idx The position of the dimension.
   * @param start The first string; empty for the beginning.
   * @param end The last string; empty for the end.
   * @return This subarray.
   * @throws TypeError if it is not a string dimension; TileDBError if the range is wrong.
   */
  Subarray& add_range(uint32_t dim_idx, const std::string& start, const std::string& end) {
    impl::type_check<char>(dimension_type(dim_idx));
    check(tiledb_subarray_add_range_var(c_ctx(), c(), dim_idx, start.data(), start.size(), end.data(), end.size()));
    return *this;
  }

  /**
   * Adds a range of a string dimension.
   * @param dim_name The name of the dimension.
   * @param start The first string; empty for the beginning.
   * @param end The last string; empty for the end.
   * @return This subarray.
   * @throws TypeError if it is not a string dimension; TileDBError if the range is wrong.
   */
  Subarray& add_range(const std::string& dim_name, const std::string& start, const std::string& end) {
    impl::type_check<char>(dimension_type(dim_name));
    check(tiledb_subarray_add_range_var_by_name(
        c_ctx(), c(), dim_name.c_str(), start.data(), start.size(), end.data(), end.size()));
    return *this;
  }

  /**
   * Replaces all ranges by one per dimension.
   * @tparam T The type of the dimensions, which must all have it.
   * @param pairs The first and the last coordinate of each dimension.
   * @param size The number of coordinates.
   * @return This subarray.
   * @throws TypeError if T does not match; SchemaMismatch if the number is wrong; TileDBError if a
   *   range is not in the domain.
   */
  template <typename T = uint64_t>
  Subarray& set_subarray(const T* pairs, uint64_t size) {
    const Domain domain = schema_.domain();
    impl::type_check<T>(domain.type());
    if (size != uint64_t{domain.ndim()} * 2)
      throw SchemaMismatch("Subarray should have num_dims * 2 values: (low, high) for each dimension.");
    check(tiledb_subarray_set_subarray(c_ctx(), c(), pairs));
    return *this;
  }

  /**
   * Sets parameters of the subarray.
   *
   * @param config The configuration.
   * @return This subarray.
   * @throws TileDBError if the library reports an error.
   */
  Subarray& set_config(const Config& config) {
    check(tiledb_subarray_set_config(c_ctx(), c(), impl::raw(config)));
    return *this;
  }

  /**
   * Replaces all ranges by one per dimension.
   * @param pairs A contiguous container: the first and the last coordinate of each dimension.
   * @return This subarray.
   * @throws TypeError if its type does not match; SchemaMismatch if its size is wrong; TileDBError
   *   if a range is not in the domain.
   */
  template <typename Vec>
  Subarray& set_subarray(const Vec& pairs) {
    return set_subarray(pairs.data(), pairs.size());
  }

  /**
   * Replaces all ranges by one per dimension.
   * @param l The first and the last coordinate of each dimension.
   * @return This subarray.
   * @throws TypeError if its type does not match; SchemaMismatch if its size is wrong; TileDBError
   *   if a range is not in the domain.
   */
  template <typename T = uint64_t>
  Subarray& set_subarray(const std::initializer_list<T>& l) {
    return set_subarray(std::data(l), l.size());
  }

  /**
   * Replaces all ranges by one per dimension.
   * @param pairs The first and the last coordinate of each dimension.
   * @return This subarray.
   * @throws TypeError if its type does not match; SchemaMismatch if its size is wrong; TileDBError
   *   if a range is not in the domain.
   */
  template <typename T = uint64_t>
  Subarray& set_subarray(const std::vector<std::array<T, 2>>& pairs) {
    static_assert(sizeof(std::array<T, 2>) == 2 * sizeof(T));
    return set_subarray(pairs.empty() ? nullptr : pairs.data()->data(), pairs.size() * 2);
  }

  /**
   * Returns the number of ranges of a dimension.
   *
   * @param dim_idx Its position.
   * @throws TileDBError if there are fewer dimensions.
   */
  uint64_t range_num(unsigned dim_idx) const {
    uint64_t number = 0;
    check(tiledb_subarray_get_range_num(c_ctx(), c(), dim_idx, &number));
    return number;
  }

  /**
   * Returns the number of ranges of a dimension.
   *
   * @param dim_name Its name.
   * @throws TileDBError if the dimension does not exist.
   */
  uint64_t range_num(const std::string& dim_name) const {
    uint64_t number = 0;
    check(tiledb_subarray_get_range_num_from_name(c_ctx(), c(), dim_name.c_str(), &number));
    return number;
  }

  /**
   * Returns a range: the first and the last coordinate, and 0.
   * @tparam T The type of the dimension.
   * @param dim_idx The position of the dimension.
   * @param range_idx The position of the range.
   * @throws TypeError if T does not match; TileDBError if the range does not exist.
   */
  template <class T>
  std::array<T, 3> range(unsigned dim_idx, uint64_t range_idx) {
    impl::type_check<T>(dimension_type(dim_idx));
    const void *start = nullptr, *end = nullptr, *stride = nullptr;
    check(tiledb_subarray_get_range(c_ctx(), c(), dim_idx, range_idx, &start, &end, &stride));
    return {value_at<T>(start), value_at<T>(end), value_at<T>(stride)};
  }

  /**
   * Returns a range: the first and the last coordinate, and 0.
   * @tparam T The type of the dimension.
   * @param dim_name The name of the dimension.
   * @param range_idx The position of the range.
   * @throws TypeError if T does not match; TileDBError if the range does not exist.
   */
  template <class T>
  std::array<T, 3> range(const std::string& dim_name, uint64_t range_idx) {
    impl::type_check<T>(dimension_type(dim_name));
    const void *start = nullptr, *end = nullptr, *stride = nullptr;
    check(tiledb_subarray_get_range_from_name(c_ctx(), c(), dim_name.c_str(), range_idx, &start, &end, &stride));
    return {value_at<T>(start), value_at<T>(end), value_at<T>(stride)};
  }

  /**
   * Returns a range of a string dimension: the first and the last string.
   * @param dim_idx The position of the dimension.
   * @param range_idx The position of the range.
   * @throws TypeError if it is not a string dimension; TileDBError if the range does not exist.
   */
  std::array<std::string, 2> range(unsigned dim_idx, uint64_t range_idx) {
    impl::type_check<char>(dimension_type(dim_idx));
    uint64_t start_size = 0, end_size = 0;
    check(tiledb_subarray_get_range_var_size(c_ctx(), c(), dim_idx, range_idx, &start_size, &end_size));
    std::array<std::string, 2> ends{std::string(start_size, '\0'), std::string(end_size, '\0')};
    check(tiledb_subarray_get_range_var(c_ctx(), c(), dim_idx, range_idx, ends[0].data(), ends[1].data()));
    return ends;
  }

  /**
   * Returns a range of a string dimension: the first and the last string.
   * @param dim_name The name of the dimension.
   * @param range_idx The position of the range.
   * @throws TypeError if it is not a string dimension; TileDBError if the range does not exist.
   */
  std::array<std::string, 2> range(const std::string& dim_name, uint64_t range_idx) {
    impl::type_check<char>(dimension_type(dim_name));
    const char* name = dim_name.c_str();
    uint64_t start_size = 0, end_size = 0;
    check(tiledb_subarray_get_range_var_size_from_name(c_ctx(), c(), name, range_idx, &start_size, &end_size));
    std::array<std::string, 2> ends{std::string(start_size, '\0'), std::string(end_size, '\0')};
    check(tiledb_subarray_get_range_var_from_name(c_ctx(), c(), name, range_idx, ends[0].data(), ends[1].data()));
    return ends;
  }

  /** Returns the array. */
  const Array& array() const {
    return array_.get();
  }

 private:
  friend class SubarrayExperimental;

  std::reference_wrapper<const Array> array_;
  ArraySchema schema_;
  /**
   * Names and types of the dimensions, read when the first range is added: later ones need no
   * handles.
   */
  std::vector<std::string> names_;
  std::vector<tiledb_datatype_t> types_;

  template <typename T>
  static T value_at(const void* value) {
    return value == nullptr ? T() : *static_cast<const T*>(value);
  }

  void learn_dimensions() {
    if (!types_.empty())
      return;
    const Domain domain = schema_.domain();
    const unsigned number = domain.ndim();
    std::vector<std::string> names(number);
    std::vector<tiledb_datatype_t> types(number);
    for (unsigned i = 0; i < number; i++) {
      const Dimension dimension = domain.dimension(i);
      names[i] = dimension.name();
      types[i] = dimension.type();
    }
    names_ = std::move(names);
    types_ = std::move(types);
  }

  tiledb_datatype_t dimension_type(uint32_t index) {
    learn_dimensions();
    // The library words the error.
    return index < types_.size() ? types_[index] : schema_.domain().dimension(index).type();
  }

  tiledb_datatype_t dimension_type(const std::string& name) {
    learn_dimensions();
    for (size_t i = 0; i < names_.size(); i++) {
      if (names_[i] == name)
        return types_[i];
    }
    return schema_.domain().dimension(name).type();
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_SUBARRAY_H
