/**
 * @file consolidation_plan_experimental.h
 * Plans of what consolidation should merge.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CONSOLIDATION_PLAN_EXPERIMENTAL_H
#define TILEDB_CPP_API_CONSOLIDATION_PLAN_EXPERIMENTAL_H

#include <cstdint>
#include <string>

#include "array.h"
#include "context.h"
#include "deleter.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Groups of fragments, called nodes, each to be consolidated by itself. Copies share the plan. */
class ConsolidationPlan : public impl::Handle<tiledb_consolidation_plan_t> {
 public:
  /**
   * Creates a plan.
   * @param ctx The context, which must outlive the plan.
   * @param array The array, open for reads.
   * @param fragment_size The size in bytes that fragments should have.
   * @throws TileDBError if the array is not open for reads.
   */
  ConsolidationPlan(const Context& ctx, const Array& array, uint64_t fragment_size)
      : Handle(ctx) {
    check(tiledb_consolidation_plan_create_with_mbr(c_ctx(), impl::raw(array), fragment_size, out()));
  }

  /** Returns the number of nodes. @throws TileDBError if the library reports an error. */
  uint64_t num_nodes() const {
    uint64_t number = 0;
    check(tiledb_consolidation_plan_get_num_nodes(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns the number of fragments of a node.
   *
   * @param node_idx The position of the node.
   * @throws TileDBError if there are fewer.
   */
  uint64_t num_fragments(uint64_t node_idx) const {
    uint64_t number = 0;
    check(tiledb_consolidation_plan_get_num_fragments(c_ctx(), c(), node_idx, &number));
    return number;
  }

  /**
   * Returns the name of a fragment.
   *
   * @param node_idx The position of the node.
   * @param fragment_idx That of the fragment.
   * @throws TileDBError if there are fewer.
   */
  std::string fragment_uri(uint64_t node_idx, uint64_t fragment_idx) const {
    const char* uri = nullptr;
    check(tiledb_consolidation_plan_get_fragment_uri(c_ctx(), c(), node_idx, fragment_idx, &uri));
    return uri == nullptr ? std::string() : std::string(uri);
  }

  /** Returns the plan as JSON. @throws TileDBError if the library reports an error. */
  std::string dump() const {
    char* text = nullptr;
    check(tiledb_consolidation_plan_dump_json_str(c_ctx(), c(), &text));
    std::string dump(text == nullptr ? "" : text);
    tiledb_consolidation_plan_free_json_str(&text);
    return dump;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_CONSOLIDATION_PLAN_EXPERIMENTAL_H
