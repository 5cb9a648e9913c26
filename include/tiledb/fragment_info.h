/**
 * @file fragment_info.h
 * Information about the fragments of an array.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_FRAGMENT_INFO_H
#define TILEDB_CPP_API_FRAGMENT_INFO_H

#include <cstdint>
#include <cstdio>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "array_schema.h"
#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/**
 * The fragments of an array as they were when load() was called. Copies share the information.
 * Methods throw a TileDBError before load().
 */
class FragmentInfo : public impl::Handle<tiledb_fragment_info_t> {
 public:
  /**
   * Refers to an array.
   * @param ctx The context, which must outlive this object.
   * @param array_uri The URI of the array.
   * @throws std::runtime_error if the URI is not valid.
   */
  FragmentInfo(const Context& ctx, const std::string& array_uri)
      : Handle(ctx) {
    if (tiledb_fragment_info_alloc(c_ctx(), array_uri.c_str(), out()) != TILEDB_OK)
      throw std::runtime_error("[TileDB::C++API] Error: Failed to create FragmentInfo object");
  }

  /** Reads the fragments. @throws TileDBError if the array does not exist or cannot be read. */
  void load() const {
    check(tiledb_fragment_info_load(c_ctx(), c()));
  }

  /**
   * Returns the URI of a fragment.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  std::string fragment_uri(uint32_t fid) const {
    const char* uri = nullptr;
    check(tiledb_fragment_info_get_fragment_uri(c_ctx(), c(), fid, &uri));
    return text(uri);
  }

  /**
   * Returns the name of a fragment.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  std::string fragment_name(uint32_t fid) const {
    tiledb_string_t* name = nullptr;
    check(tiledb_fragment_info_get_fragment_name_v2(c_ctx(), c(), fid, &name));
    return impl::convert_to_string(&name).value_or("");
  }

  /**
   * Reads the first and the last coordinate of a fragment.
   * @param fid The position of the fragment.
   * @param did The position of the dimension.
   * @param domain Where two coordinates are put.
   * @throws TileDBError if there are fewer fragments or dimensions, or it is a string dimension.
   */
  void get_non_empty_domain(uint32_t fid, uint32_t did, void* domain) const {
    check(tiledb_fragment_info_get_non_empty_domain_from_index(c_ctx(), c(), fid, did, domain));
  }

  /**
   * Reads the first and the last coordinate of a fragment.
   * @param fid The position of the fragment.
   * @param dim_name The name of the dimension.
   * @param domain Where two coordinates are put.
   * @throws TileDBError if there are fewer fragments or dimensions, or it is a string dimension.
   */
  void get_non_empty_domain(uint32_t fid, const std::string& dim_name, void* domain) const {
    check(tiledb_fragment_info_get_non_empty_domain_from_name(c_ctx(), c(), fid, dim_name.c_str(), domain));
  }

  /**
   * Returns the first and the last string of a fragment.
   * @param fid The position of the fragment.
   * @param did The position of the dimension.
   * @throws TileDBError if there are fewer fragments or dimensions, or it is not a string
   *   dimension.
   */
  std::pair<std::string, std::string> non_empty_domain_var(uint32_t fid, uint32_t did) const {
    uint64_t start_size = 0, end_size = 0;
    check(tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
        c_ctx(), c(), fid, did, &start_size, &end_size));
    auto ends = strings(start_size, end_size);
    check(tiledb_fragment_info_get_non_empty_domain_var_from_index(
        c_ctx(), c(), fid, did, ends.first.data(), ends.second.data()));
    return ends;
  }

  /**
   * Returns the first and the last string of a fragment.
   * @param fid The position of the fragment.
   * @param dim_name The name of the dimension.
   * @throws TileDBError if there are fewer fragments or dimensions, or it is not a string
   *   dimension.
   */
  std::pair<std::string, std::string> non_empty_domain_var(uint32_t fid, const std::string& dim_name) const {
    uint64_t start_size = 0, end_size = 0;
    check(tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
        c_ctx(), c(), fid, dim_name.c_str(), &start_size, &end_size));
    auto ends = strings(start_size, end_size);
    check(tiledb_fragment_info_get_non_empty_domain_var_from_name(
        c_ctx(), c(), fid, dim_name.c_str(), ends.first.data(), ends.second.data()));
    return ends;
  }

  /**
   * Returns the number of MBRs, the smallest boxes around the tiles of a sparse fragment.
   *
   * @param fid The position of the fragment.
   * @throws TileDBError if there are fewer.
   */
  uint64_t mbr_num(uint32_t fid) const {
    uint64_t number = 0;
    check(tiledb_fragment_info_get_mbr_num(c_ctx(), c(), fid, &number));
    return number;
  }

  /**
   * Reads the first and the last coordinate of an MBR.
   * @param fid The position of the fragment.
   * @param mid The position of the MBR.
   * @param did The position of the dimension.
   * @param mbr Where two coordinates are put.
   * @throws TileDBError if the MBR does not exist, or it is a string dimension.
   */
  void get_mbr(uint32_t fid, uint32_t mid, uint32_t did, void* mbr) const {
    check(tiledb_fragment_info_get_mbr_from_index(c_ctx(), c(), fid, mid, did, mbr));
  }

  /**
   * Reads the first and the last coordinate of an MBR.
   * @param fid The position of the fragment.
   * @param mid The position of the MBR.
   * @param dim_name The name of the dimension.
   * @param mbr Where two coordinates are put.
   * @throws TileDBError if the MBR does not exist, or it is a string dimension.
   */
  void get_mbr(uint32_t fid, uint32_t mid, const std::string& dim_name, void* mbr) const {
    check(tiledb_fragment_info_get_mbr_from_name(c_ctx(), c(), fid, mid, dim_name.c_str(), mbr));
  }

  /**
   * Returns the first and the last string of an MBR.
   * @param fid The position of the fragment.
   * @param mid The position of the MBR.
   * @param did The position of the dimension.
   * @throws TileDBError if the MBR does not exist, or it is not a string dimension.
   */
  std::pair<std::string, std::string> mbr_var(uint32_t fid, uint32_t mid, uint32_t did) const {
    uint64_t start_size = 0, end_size = 0;
    check(tiledb_fragment_info_get_mbr_var_size_from_index(c_ctx(), c(), fid, mid, did, &start_size, &end_size));
    auto ends = strings(start_size, end_size);
    check(tiledb_fragment_info_get_mbr_var_from_index(
        c_ctx(), c(), fid, mid, did, ends.first.data(), ends.second.data()));
    return ends;
  }

  /**
   * Returns the first and the last string of an MBR.
   * @param fid The position of the fragment.
   * @param mid The position of the MBR.
   * @param dim_name The name of the dimension.
   * @throws TileDBError if the MBR does not exist, or it is not a string dimension.
   */
  std::pair<std::string, std::string> mbr_var(uint32_t fid, uint32_t mid, const std::string& dim_name) const {
    uint64_t start_size = 0, end_size = 0;
    check(tiledb_fragment_info_get_mbr_var_size_from_name(
        c_ctx(), c(), fid, mid, dim_name.c_str(), &start_size, &end_size));
    auto ends = strings(start_size, end_size);
    check(tiledb_fragment_info_get_mbr_var_from_name(
        c_ctx(), c(), fid, mid, dim_name.c_str(), ends.first.data(), ends.second.data()));
    return ends;
  }

  /**
   * Returns the coordinates of the first cell of a tile in global order, as bytes by dimension.
   * @param fid The position of the fragment.
   * @param mid The position of the tile.
   * @throws TileDBError if the tile does not exist, or the fragment does not store its bounds:
   *     dense fragments, and those before format version 23.
   */
  std::vector<std::vector<uint8_t>> global_order_lower_bound(uint32_t fid, uint32_t mid) const {
    return global_order_bound(tiledb_fragment_info_get_global_order_lower_bound, fid, mid);
  }

  /**
   * Returns the coordinates of the last cell of a tile in global order, as bytes by dimension.
   * @param fid The position of the fragment.
   * @param mid The position of the tile.
   * @throws TileDBError if the tile does not exist, or the fragment does not store its bounds:
   *     dense fragments, and those before format version 23.
   */
  std::vector<std::vector<uint8_t>> global_order_upper_bound(uint32_t fid, uint32_t mid) const {
    return global_order_bound(tiledb_fragment_info_get_global_order_upper_bound, fid, mid);
  }

  /** Returns the number of fragments. @throws TileDBError if the library reports an error. */
  uint32_t fragment_num() const {
    uint32_t number = 0;
    check(tiledb_fragment_info_get_fragment_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns the size of a fragment in bytes.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  uint64_t fragment_size(uint32_t fid) const {
    uint64_t size = 0;
    check(tiledb_fragment_info_get_fragment_size(c_ctx(), c(), fid, &size));
    return size;
  }

  /**
   * Returns whether a fragment is dense.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  bool dense(uint32_t fid) const {
    int32_t dense = 0;
    check(tiledb_fragment_info_get_dense(c_ctx(), c(), fid, &dense));
    return dense != 0;
  }

  /**
   * Returns whether a fragment is sparse.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  bool sparse(uint32_t fid) const {
    int32_t sparse = 0;
    check(tiledb_fragment_info_get_sparse(c_ctx(), c(), fid, &sparse));
    return sparse != 0;
  }

  /**
   * Returns the first and the last timestamp of a fragment.
   *
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  std::pair<uint64_t, uint64_t> timestamp_range(uint32_t fid) const {
    std::pair<uint64_t, uint64_t> range;
    check(tiledb_fragment_info_get_timestamp_range(c_ctx(), c(), fid, &range.first, &range.second));
    return range;
  }

  /**
   * Returns the number of cells of a fragment.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  uint64_t cell_num(uint32_t fid) const {
    uint64_t number = 0;
    check(tiledb_fragment_info_get_cell_num(c_ctx(), c(), fid, &number));
    return number;
  }

  /**
   * Returns the number of cells of all fragments.
   * @throws TileDBError if the library reports an error.
   */
  uint64_t total_cell_num() const {
    uint64_t number = 0;
    check(tiledb_fragment_info_get_total_cell_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns the format version of a fragment.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  uint32_t version(uint32_t fid) const {
    uint32_t version = 0;
    check(tiledb_fragment_info_get_version(c_ctx(), c(), fid, &version));
    return version;
  }

  /**
   * Returns the schema of a fragment.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  ArraySchema array_schema(uint32_t fid) const {
    tiledb_array_schema_t* schema = nullptr;
    check(tiledb_fragment_info_get_array_schema(c_ctx(), c(), fid, &schema));
    return ArraySchema(context(), schema);
  }

  /**
   * Returns the name of the schema of a fragment.
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  std::string array_schema_name(uint32_t fid) const {
    const char* name = nullptr;
    check(tiledb_fragment_info_get_array_schema_name(c_ctx(), c(), fid, &name));
    return text(name);
  }

  /**
   * Returns whether the metadata of a fragment is consolidated.
   *
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  bool has_consolidated_metadata(uint32_t fid) const {
    int32_t has = 0;
    check(tiledb_fragment_info_has_consolidated_metadata(c_ctx(), c(), fid, &has));
    return has != 0;
  }

  /**
   * Returns the number of fragments whose metadata is not consolidated.
   *
   * @throws TileDBError if the library reports an error.
   */
  uint32_t unconsolidated_metadata_num() const {
    uint32_t number = 0;
    check(tiledb_fragment_info_get_unconsolidated_metadata_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns the number of fragments that vacuum would remove.
   * @throws TileDBError if the library reports an error.
   */
  uint32_t to_vacuum_num() const {
    uint32_t number = 0;
    check(tiledb_fragment_info_get_to_vacuum_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns the URI of a fragment that vacuum would remove.
   *
   * @param fid Its position.
   * @throws TileDBError if there are fewer.
   */
  std::string to_vacuum_uri(uint32_t fid) const {
    const char* uri = nullptr;
    check(tiledb_fragment_info_get_to_vacuum_uri(c_ctx(), c(), fid, &uri));
    return text(uri);
  }

#ifndef TILEDB_REMOVE_DEPRECATIONS
  /**
   * Prints all fragments.
   *
   * @deprecated Print the object to a stream.
   * @param out An open file; null for the standard output.
   * @throws TileDBError if the library reports an error.
   */
  TILEDB_CPP_DEPRECATED("print the object to a stream")
  void dump(FILE* out = nullptr) const {
    check(tiledb_fragment_info_dump(c_ctx(), c(), out));
  }
#endif

 private:
  template <typename Get>
  std::vector<std::vector<uint8_t>> global_order_bound(Get get, uint32_t fid, uint32_t mid) const {
    const unsigned dim_num = array_schema(fid).domain().ndim();
    std::vector<size_t> sizes(dim_num);
    std::vector<void*> pointers(dim_num);
    check(get(c_ctx(), c(), fid, mid, sizes.data(), pointers.data()));
    std::vector<std::vector<uint8_t>> bound;
    for (unsigned d = 0; d < dim_num; d++) {
      bound.emplace_back(sizes[d]);
      pointers[d] = bound[d].data();
    }
    check(get(c_ctx(), c(), fid, mid, sizes.data(), pointers.data()));
    return bound;
  }

  static std::string text(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
  }

  static std::pair<std::string, std::string> strings(uint64_t first_size, uint64_t second_size) {
    return {std::string(first_size, '\0'), std::string(second_size, '\0')};
  }
};

/** Prints all fragments. @param os The stream. @param fi The fragments. @return The stream. */
inline std::ostream& operator<<(std::ostream& os, const FragmentInfo& fi) {
  const Context& ctx = fi.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_fragment_info_dump_str(impl::raw(ctx), impl::raw(fi), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_FRAGMENT_INFO_H
