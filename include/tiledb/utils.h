/**
 * @file utils.h
 * Functions that divide result buffers into cells and join cells into buffers.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_UTILS_H
#define TILEDB_CPP_API_UTILS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exception.h"
#include "tiledb.h"

namespace tiledb {

/**
 * Divides values into cells of variable length.
 * @tparam T The type of a value.
 * @tparam E The type of a cell, made from two iterators; for instance std::string.
 * @param offsets Where each cell begins, in bytes.
 * @param data The values.
 * @param num_offsets The number of cells, at most offsets.size().
 * @param num_data The number of values, at most data.size(); the last cell ends there.
 * @return The cells, copied.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(
    const std::vector<uint64_t>& offsets, const std::vector<T>& data, uint64_t num_offsets, uint64_t num_data) {
  std::vector<E> cells;
  cells.reserve(num_offsets);
  const auto position = [&data](uint64_t value) { return data.begin() + static_cast<std::ptrdiff_t>(value); };
  for (uint64_t cell = 0; cell < num_offsets; cell++) {
    const uint64_t end = cell + 1 < num_offsets ? offsets[cell + 1] / sizeof(T) : num_data;
    cells.emplace_back(position(offsets[cell] / sizeof(T)), position(end));
  }
  return cells;
}

/**
 * Divides values into cells of variable length.
 * @tparam T The type of a value.
 * @tparam E The type of a cell, made from two iterators.
 * @param buff Offsets in bytes, and values.
 * @param num_offsets The number of cells.
 * @param num_data The number of values.
 * @return The cells, copied.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(
    const std::pair<std::vector<uint64_t>, std::vector<T>>& buff, uint64_t num_offsets, uint64_t num_data) {
  return group_by_cell<T, E>(buff.first, buff.second, num_offsets, num_data);
}

/**
 * Divides all values into cells of variable length.
 * @tparam T The type of a value.
 * @tparam E The type of a cell, made from two iterators.
 * @param offsets Where each cell begins, in bytes.
 * @param data The values.
 * @return The cells, copied.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<uint64_t>& offsets, const std::vector<T>& data) {
  return group_by_cell<T, E>(offsets, data, offsets.size(), data.size());
}

namespace impl {

/** Checks that a buffer holds whole cells. @throws std::invalid_argument if it does not. */
inline void check_whole_cells(uint64_t size, uint64_t el_per_cell) {
  if (el_per_cell == 0 || size % el_per_cell != 0)
    throw std::invalid_argument("Buffer is not a multiple of elements per cell.");
}

}  // namespace impl

/**
 * Divides values into cells of the same length.
 * @tparam T The type of a value.
 * @tparam E The type of a cell, made from two iterators.
 * @param buff The values.
 * @param el_per_cell The number of values per cell.
 * @param num_buff The number of values to divide, at most buff.size().
 * @return The cells, copied.
 * @throws std::invalid_argument if the size of the buffer is not a multiple of `el_per_cell`.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<T>& buff, uint64_t el_per_cell, uint64_t num_buff) {
  impl::check_whole_cells(buff.size(), el_per_cell);
  std::vector<E> cells;
  cells.reserve(num_buff / el_per_cell);
  const auto position = [&buff](uint64_t value) { return buff.begin() + static_cast<std::ptrdiff_t>(value); };
  for (uint64_t start = 0; start < num_buff; start += el_per_cell)
    cells.emplace_back(position(start), position(start + el_per_cell));
  return cells;
}

/**
 * Divides all values into cells of the same length.
 * @tparam T The type of a value.
 * @tparam E The type of a cell, made from two iterators.
 * @param buff The values.
 * @param el_per_cell The number of values per cell.
 * @return The cells, copied.
 * @throws std::invalid_argument if the size of the buffer is not a multiple of `el_per_cell`.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<T>& buff, uint64_t el_per_cell) {
  return group_by_cell<T, E>(buff, el_per_cell, buff.size());
}

/**
 * Divides values into cells of N values.
 * @tparam N The number of values per cell.
 * @tparam T The type of a value.
 * @param buff The values.
 * @param num_buff The number of values to divide, at most buff.size().
 * @return The cells, copied.
 * @throws std::invalid_argument if the size of the buffer is not a multiple of N.
 */
template <uint64_t N, typename T>
std::vector<std::array<T, N>> group_by_cell(const std::vector<T>& buff, uint64_t num_buff) {
  impl::check_whole_cells(buff.size(), N);
  std::vector<std::array<T, N>> cells;
  cells.reserve(num_buff / N);
  for (uint64_t start = 0; start < num_buff; start += N) {
    std::array<T, N>& cell = cells.emplace_back();
    for (uint64_t i = 0; i < N; i++)
      cell[i] = buff[start + i];
  }
  return cells;
}

/**
 * Divides all values into cells of N values.
 * @tparam N The number of values per cell.
 * @tparam T The type of a value.
 * @param buff The values.
 * @return The cells, copied.
 * @throws std::invalid_argument if the size of the buffer is not a multiple of N.
 */
template <uint64_t N, typename T>
std::vector<std::array<T, N>> group_by_cell(const std::vector<T>& buff) {
  return group_by_cell<N, T>(buff, buff.size());
}

/**
 * Joins cells of variable length into the buffers that a query writes.
 * @tparam T The type of a cell: a container.
 * @tparam R The type of a value.
 * @param data The cells.
 * @return Where each cell begins, in bytes; and the values.
 */
template <typename T, typename R = typename T::value_type>
std::pair<std::vector<uint64_t>, std::vector<R>> ungroup_var_buffer(const std::vector<T>& data) {
  std::pair<std::vector<uint64_t>, std::vector<R>> joined;
  joined.first.reserve(data.size());
  for (const auto& cell : data) {
    joined.first.push_back(joined.second.size() * sizeof(R));
    joined.second.insert(joined.second.end(), std::begin(cell), std::end(cell));
  }
  return joined;
}

/**
 * Joins containers into one vector.
 * @tparam V The type of a container of containers.
 * @tparam T The type of a value.
 * @param vec The containers.
 * @return Their values, in order.
 */
template <typename V, typename T = typename V::value_type::value_type>
std::vector<T> flatten(const V& vec) {
  size_t size = 0;
  for (const auto& part : vec)
    size += part.size();
  std::vector<T> joined;
  joined.reserve(size);
  for (const auto& part : vec)
    joined.insert(joined.end(), std::begin(part), std::end(part));
  return joined;
}

namespace impl {

/**
 * Takes the message of an error and frees it.
 * @param err The error; null afterwards.
 * @return The message; empty if the error is null.
 */
inline std::string take_message(tiledb_error_t** err) {
  const char* text = nullptr;
  if (*err != nullptr)
    tiledb_error_message(*err, &text);
  std::string message(text == nullptr ? "" : text);
  tiledb_error_free(err);
  return message;
}

/**
 * Throws if a call on a configuration reported an error.
 * @param err The error, which is freed; null for success.
 * @throws TileDBError with its message.
 */
inline void check_config_error(tiledb_error_t* err) {
  if (err != nullptr)
    throw TileDBError("Config Error: " + take_message(&err));
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_API_UTILS_H
