/**
 * @file array_schema_evolution.h
 * Changes of the schema of an array.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ARRAY_SCHEMA_EVOLUTION_H
#define TILEDB_CPP_API_ARRAY_SCHEMA_EVOLUTION_H

#include <cstdint>
#include <string>
#include <utility>

#include "array_schema.h"
#include "attribute.h"
#include "context.h"
#include "current_domain.h"
#include "deleter.h"
#include "domain.h"
#include "enumeration_experimental.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** A list of changes to a schema; array_evolve() applies them. Copies share the list. */
class ArraySchemaEvolution : public impl::Handle<tiledb_array_schema_evolution_t> {
 public:
  /** Takes ownership of a C handle. @param context The context. @param evolution The changes. */
  ArraySchemaEvolution(const Context& context, tiledb_array_schema_evolution_t* evolution)
      : Handle(context, evolution) {
  }

  /**
   * Creates an empty list.
   * @param context The context.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchemaEvolution(const Context& context)
      : Handle(context) {
    check(tiledb_array_schema_evolution_alloc(c_ctx(), out()));
  }

  ArraySchemaEvolution(const ArraySchemaEvolution&) = default;
  ArraySchemaEvolution(ArraySchemaEvolution&&) = default;
  ArraySchemaEvolution& operator=(const ArraySchemaEvolution&) = default;
  ArraySchemaEvolution& operator=(ArraySchemaEvolution&&) = default;
  virtual ~ArraySchemaEvolution() = default;

  /**
   * Adds an attribute.
   *
   * @param attr The attribute.
   * @return This list.
   * @throws TileDBError if it is in the list already.
   */
  ArraySchemaEvolution& add_attribute(const Attribute& attr) {
    check(tiledb_array_schema_evolution_add_attribute(c_ctx(), c(), impl::raw(attr)));
    return *this;
  }

  /**
   * Drops an attribute.
   *
   * @param attribute_name Its name.
   * @return This list.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchemaEvolution& drop_attribute(const std::string& attribute_name) {
    check(tiledb_array_schema_evolution_drop_attribute(c_ctx(), c(), attribute_name.c_str()));
    return *this;
  }

  /**
   * Adds an enumeration.
   *
   * @param enmr The enumeration.
   * @return This list.
   * @throws TileDBError if it is in the list already.
   */
  ArraySchemaEvolution& add_enumeration(const Enumeration& enmr) {
    check(tiledb_array_schema_evolution_add_enumeration(c_ctx(), c(), impl::raw(enmr)));
    return *this;
  }

  /**
   * Replaces an enumeration by a longer one.
   *
   * @param enmr What Enumeration::extend() returned.
   * @return This list.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchemaEvolution& extend_enumeration(const Enumeration& enmr) {
    check(tiledb_array_schema_evolution_extend_enumeration(c_ctx(), c(), impl::raw(enmr)));
    return *this;
  }

  /**
   * Drops an enumeration.
   *
   * @param enumeration_name Its name.
   * @return This list.
   * @throws TileDBError if the library reports an error.
   */
  ArraySchemaEvolution& drop_enumeration(const std::string& enumeration_name) {
    check(tiledb_array_schema_evolution_drop_enumeration(c_ctx(), c(), enumeration_name.c_str()));
    return *this;
  }

  /**
   * Expands the current domain.
   *
   * @param expanded_domain The larger one.
   * @return This list.
   * @throws TileDBError if it is empty.
   */
  ArraySchemaEvolution& expand_current_domain(const CurrentDomain& expanded_domain) {
    check(tiledb_array_schema_evolution_expand_current_domain(c_ctx(), c(), impl::raw(expanded_domain)));
    return *this;
  }

  /**
   * Sets the timestamp of the new schema.
   *
   * @param timestamp_range The timestamp, twice.
   * @throws TileDBError if the two differ.
   */
  void set_timestamp_range(const std::pair<uint64_t, uint64_t>& timestamp_range) {
    check(tiledb_array_schema_evolution_set_timestamp_range(
        c_ctx(), c(), timestamp_range.first, timestamp_range.second));
  }

  /**
   * Writes the new schema of an array.
   *
   * @param array_uri The URI.
   * @return This list.
   * @throws TileDBError if a change is not possible or the schema cannot be written.
   */
  ArraySchemaEvolution& array_evolve(const std::string& array_uri) {
    check(tiledb_array_evolve(c_ctx(), array_uri.c_str(), c()));
    return *this;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ARRAY_SCHEMA_EVOLUTION_H
