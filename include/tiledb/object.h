/**
 * @file object.h
 * Arrays and groups on storage.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_OBJECT_H
#define TILEDB_CPP_API_OBJECT_H

#include <optional>
#include <ostream>
#include <string>

#include "context.h"
#include "tiledb.h"

namespace tiledb {

/** The URI of an array or a group, what it is, and the name it has as a member of a group. */
class Object {
 public:
  /** The type of an object. */
  enum class Type {
    Array,   ///< An array.
    Group,   ///< A group.
    Invalid  ///< Neither.
  };

  /**
   * Creates an object.
   * @param type What it is.
   * @param uri Its URI.
   * @param name Its name in a group.
   */
  explicit Object(
      const Type& type, const std::string& uri = "", const std::optional<std::string>& name = std::nullopt)
      : type_(type)
      , uri_(uri)
      , name_(name) {
  }

  /**
   * Creates an object.
   * @param type What it is.
   * @param uri Its URI.
   * @param name Its name in a group.
   */
  explicit Object(
      tiledb_object_t type, const std::string& uri = "", const std::optional<std::string>& name = std::nullopt)
      : Object(type == TILEDB_ARRAY ? Type::Array : type == TILEDB_GROUP ? Type::Group : Type::Invalid, uri, name) {
  }

  Object() = default;
  Object(const Object&) = default;
  Object(Object&&) = default;
  Object& operator=(const Object&) = default;
  Object& operator=(Object&&) = default;

  /** Returns the object as text. The closing bracket is there only after a name. */
  std::string to_str() const {
    std::string text = "Obj<";
    text += type_ == Type::Array ? "ARRAY" : type_ == Type::Group ? "GROUP" : "INVALID";
    text += " \"" + uri_ + "\"";
    if (name_)
      text += " - \"" + *name_ + "\">";
    return text;
  }

  /** Returns what the object is. */
  Type type() const {
    return type_;
  }

  /** Returns the URI. */
  std::string uri() const {
    return uri_;
  }

  /** Returns the name in a group. */
  std::optional<std::string> name() const {
    return name_;
  }

  /** Returns whether type, URI and name are equal. @param rhs Another object. */
  bool operator==(const Object& rhs) const {
    return type_ == rhs.type_ && uri_ == rhs.uri_ && name_ == rhs.name_;
  }

  /** Returns whether type, URI or name differ. @param rhs Another object. */
  bool operator!=(const Object& rhs) const {
    return !(*this == rhs);
  }

  /**
   * Returns what is at a URI.
   * @param ctx The context.
   * @param uri The URI.
   * @throws TileDBError if storage cannot be read.
   */
  static Object object(const Context& ctx, const std::string& uri) {
    tiledb_object_t type = TILEDB_INVALID;
    ctx.handle_error(tiledb_object_type(impl::raw(ctx), uri.c_str(), &type));
    return Object(type, uri);
  }

  /**
   * Removes an array or a group with all its contents.
   * @param ctx The context.
   * @param uri Its URI.
   * @throws TileDBError if it is neither, or cannot be removed.
   */
  static void remove(const Context& ctx, const std::string& uri) {
    ctx.handle_error(tiledb_object_remove(impl::raw(ctx), uri.c_str()));
  }

  /**
   * Moves an array or a group.
   * @param ctx The context.
   * @param old_uri Its URI.
   * @param new_uri Its new URI.
   * @throws TileDBError if it is neither, or cannot be moved.
   */
  static void move(const Context& ctx, const std::string& old_uri, const std::string& new_uri) {
    ctx.handle_error(tiledb_object_move(impl::raw(ctx), old_uri.c_str(), new_uri.c_str()));
  }

 private:
  Type type_ = Type::Invalid;
  std::string uri_;
  std::optional<std::string> name_;
};

/** Prints an object. @param os The stream. @param obj The object. @return The stream. */
inline std::ostream& operator<<(std::ostream& os, const Object& obj) {
  return os << obj.to_str();
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_OBJECT_H
