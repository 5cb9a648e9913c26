/**
 * @file schema_base.h
 * The interface of schemas.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_SCHEMA_BASE_H
#define TILEDB_CPP_API_SCHEMA_BASE_H

#include <functional>
#include <string>
#include <unordered_map>

#include "deleter.h"

namespace tiledb {

class Attribute;
class Context;

/** The common interface of schemas. Only ArraySchema implements it. */
class Schema {
 public:
  /** Returns the context that the schema was made with. */
  const Context& context() const {
    return ctx_.get();
  }

  /**
   * Adds attributes.
   * @param attrs The attributes, which the schema shares.
   * @return This schema.
   * @throws TileDBError if one does not go with the others.
   */
  template <typename... Args>
  Schema& add_attributes(Args... attrs) {
    (add_attribute(attrs), ...);
    return *this;
  }

 protected:
  /** Refers to a context. @param ctx The context, which must outlive the schema. */
  explicit Schema(const Context& ctx)
      : ctx_(ctx) {
  }

  Schema(const Schema&) = default;
  Schema(Schema&&) = default;
  Schema& operator=(const Schema&) = default;
  Schema& operator=(Schema&&) = default;
  virtual ~Schema() = default;

  /** Adds an attribute. @param attr The attribute. @return This schema. */
  virtual Schema& add_attribute(const Attribute& attr) = 0;
  /** Checks that the schema is complete and consistent. */
  virtual void check() const = 0;
  /** Returns the attributes by name. */
  virtual std::unordered_map<std::string, Attribute> attributes() const = 0;
  /** Returns the number of attributes. */
  virtual unsigned attribute_num() const = 0;
  /** Returns an attribute. @param name Its name. */
  virtual Attribute attribute(const std::string& name) const = 0;
  /** Returns an attribute. @param i Its position. */
  virtual Attribute attribute(unsigned int i) const = 0;

  /** The context. */
  std::reference_wrapper<const Context> ctx_;
  /** Frees handles. */
  impl::Deleter deleter_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_SCHEMA_BASE_H
