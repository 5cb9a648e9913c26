/**
 * @file object_iter.h
 * Loops over the arrays and groups of a folder.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_OBJECT_ITER_H
#define TILEDB_CPP_API_OBJECT_ITER_H

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "context.h"
#include "object.h"
#include "tiledb.h"

namespace tiledb {

/**
 * Lists the arrays and groups of a folder: `for (const Object& object : ObjectIter(ctx,
 * "folder"))`.
 */
class ObjectIter {
 public:
  /** The objects that obj_getter() collects. */
  struct ObjGetterData {
    /**
     * Sets all members.
     *
     * @param objs Where objects are added.
     * @param array True for arrays.
     * @param group True for groups.
     */
    ObjGetterData(std::vector<Object>& objs, bool array, bool group)
        : objs_(objs)
        , array_(array)
        , group_(group) {
    }

    std::reference_wrapper<std::vector<Object>> objs_;  ///< Where objects are added.
    bool array_;                                        ///< Whether arrays are added.
    bool group_;                                        ///< Whether groups are added.
  };

  /**
   * Refers to a folder. Its arrays and groups are visited, those of its subfolders are not.
   * @param ctx The context, which must outlive this object.
   * @param root The URI of the folder.
   */
  explicit ObjectIter(Context& ctx, const std::string& root = ".")
      : ctx_(ctx)
      , root_(root) {
  }

  /** Sets what is visited. @param group True for groups. @param array True for arrays. */
  void set_iter_policy(bool group, bool array) {
    group_ = group;
    array_ = array;
  }

  /**
   * Visits subfolders too.
   * @param walk_order Whether a group is visited before or after its members.
   */
  void set_recursive(tiledb_walk_order_t walk_order = TILEDB_PREORDER) {
    recursive_ = true;
    walk_order_ = walk_order;
  }

  /** Visits only the folder itself. */
  void set_non_recursive() {
    recursive_ = false;
  }

  /** A position in a list of objects, which is part of the iterator. */
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = const Object;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type*;
    using reference = value_type&;

    /** Creates the iterator at the end of any listing. */
    iterator() = default;

    /** Starts at the first object. @param objs The objects. */
    explicit iterator(std::vector<Object> objs)
        : objects_(std::move(objs)) {
    }

    iterator(const iterator&) = default;
    iterator(iterator&&) = default;
    iterator& operator=(const iterator&) = default;
    iterator& operator=(iterator&&) = default;

    /**
     * Returns whether both are at the end, or at the same position of lists of the same size.
     * @param o Another one.
     */
    bool operator==(const iterator& o) const {
      return (at_end() && o.at_end()) || (position_ == o.position_ && objects_.size() == o.objects_.size());
    }

    /** Returns whether the positions differ. @param o Another one. */
    bool operator!=(const iterator& o) const {
      return !(*this == o);
    }

    /** Returns the object, valid as long as the iterator. Not at the end. */
    const Object& operator*() const {
      return objects_[position_];
    }

    /** Returns the object, valid as long as the iterator. Not at the end. */
    const Object* operator->() const {
      return &objects_[position_];
    }

    /** Moves to the next object; does nothing at the end. */
    iterator& operator++() {
      if (!at_end())
        ++position_;
      return *this;
    }

    /** Moves to the end. @return A copy. */
    iterator end() {
      position_ = objects_.size();
      return *this;
    }

   private:
    std::size_t position_ = 0;
    std::vector<Object> objects_;

    bool at_end() const {
      return position_ >= objects_.size();
    }
  };

  /**
   * Lists the folder and starts at the first object.
   * @throws TileDBError if storage cannot be read.
   */
  iterator begin() {
    std::vector<Object> objects;
    ObjGetterData data(objects, array_, group_);
    const Context& ctx = ctx_.get();
    ctx.handle_error(recursive_
            ? tiledb_object_walk(impl::raw(ctx), root_.c_str(), walk_order_, obj_getter, &data)
            : tiledb_object_ls(impl::raw(ctx), root_.c_str(), obj_getter, &data));
    return iterator(std::move(objects));
  }

  /** Returns the end of the list. */
  iterator end() const {
    return iterator();
  }

  /**
   * Collects objects: a callback for tiledb_object_ls() and tiledb_object_walk().
   * @param path The URI of the object.
   * @param type What it is.
   * @param data An ObjGetterData.
   * @return 1, to continue.
   */
  static int obj_getter(const char* path, tiledb_object_t type, void* data) {
    const auto* wanted = static_cast<ObjGetterData*>(data);
    if ((type == TILEDB_ARRAY && wanted->array_) || (type == TILEDB_GROUP && wanted->group_))
      wanted->objs_.get().emplace_back(type, path);
    return 1;
  }

 private:
  std::reference_wrapper<Context> ctx_;
  std::string root_;
  bool array_ = true;
  bool group_ = true;
  bool recursive_ = false;
  tiledb_walk_order_t walk_order_ = TILEDB_PREORDER;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_OBJECT_ITER_H
