/**
 * @file filter_list.h
 * Lists of filters that tiles pass through.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_FILTER_LIST_H
#define TILEDB_CPP_API_FILTER_LIST_H

#include <ostream>

#include "context.h"
#include "deleter.h"
#include "filter.h"
#include "tiledb.h"

namespace tiledb {

/** Filters in the order in which they are applied when a tile is written. Copies share the list. */
class FilterList : public impl::Handle<tiledb_filter_list_t> {
 public:
  /**
   * Creates an empty list.
   * @param ctx The context.
   * @throws TileDBError if the library reports an error.
   */
  FilterList(const Context& ctx)
      : Handle(ctx) {
    check(tiledb_filter_list_alloc(c_ctx(), out()));
  }

  /** Takes ownership of a C list. @param ctx The context. @param filter_list The list. */
  FilterList(const Context& ctx, tiledb_filter_list_t* filter_list)
      : Handle(ctx, filter_list) {
  }

  FilterList() = delete;

  /**
   * Adds a filter at the end. Options set later on the filter do not affect the list.
   * @param filter The filter.
   * @return This list.
   * @throws TileDBError if the library reports an error.
   */
  FilterList& add_filter(const Filter& filter) {
    check(tiledb_filter_list_add_filter(c_ctx(), c(), impl::raw(filter)));
    return *this;
  }

  /**
   * Returns a filter.
   * @param filter_index Its position.
   * @throws TileDBError if the list is shorter.
   */
  Filter filter(uint32_t filter_index) const {
    tiledb_filter_t* filter = nullptr;
    check(tiledb_filter_list_get_filter_from_index(c_ctx(), c(), filter_index, &filter));
    return Filter(context(), filter);
  }

  /**
   * Returns the size of the chunks that filters see, in bytes.
   * @throws TileDBError if the library reports an error.
   */
  uint32_t max_chunk_size() const {
    uint32_t size = 0;
    check(tiledb_filter_list_get_max_chunk_size(c_ctx(), c(), &size));
    return size;
  }

  /** Returns the number of filters. @throws TileDBError if the library reports an error. */
  uint32_t nfilters() const {
    uint32_t number = 0;
    check(tiledb_filter_list_get_nfilters(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Sets the size of the chunks that filters see.
   * @param max_chunk_size The size in bytes.
   * @return This list.
   * @throws TileDBError if the library reports an error.
   */
  FilterList& set_max_chunk_size(uint32_t max_chunk_size) {
    check(tiledb_filter_list_set_max_chunk_size(c_ctx(), c(), max_chunk_size));
    return *this;
  }
};

/**
 * Prints the chunk size and the filters.
 * @param os The stream.
 * @param f The list.
 * @return The stream.
 */
inline std::ostream& operator<<(std::ostream& os, const FilterList& f) {
  os << "FilterList<" << f.max_chunk_size() << ',';
  const uint32_t number = f.nfilters();
  for (uint32_t i = 0; i < number; i++)
    os << ' ' << f.filter(i);
  return os << '>';
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_FILTER_LIST_H
