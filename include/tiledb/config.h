/**
 * @file config.h
 * Configuration parameters.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_CONFIG_H
#define TILEDB_CPP_API_CONFIG_H

#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "exception.h"
#include "handle.h"
#include "tiledb.h"
#include "utils.h"

namespace tiledb {

class Config;

namespace impl {

/**
 * A position in the parameters of a Config. It sees the parameters as they were when the loop
 * began; copies share the position of the C iterator, as input iterators do. All iterators that are
 * not at the end compare equal.
 */
class ConfigIter : public Owner<tiledb_config_iter_t> {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = const std::pair<std::string, std::string>;
  using difference_type = std::ptrdiff_t;
  using pointer = value_type*;
  using reference = value_type&;

  /**
   * Starts at the first parameter.
   * @param config The configuration. It may change or end while the iterator lives.
   * @param prefix Only parameters that begin with it are visited; it is removed from their names.
   * @param done True for the end.
   * @throws TileDBError if the library reports an error.
   */
  ConfigIter(const Config& config, std::string prefix, bool done = false);

  ConfigIter(const ConfigIter&) = default;
  ConfigIter(ConfigIter&&) = default;
  ConfigIter& operator=(const ConfigIter&) = default;
  ConfigIter& operator=(ConfigIter&&) = default;

  /** Returns whether both or neither are at the end. @param o Another iterator. */
  bool operator==(const ConfigIter& o) const {
    return done_ == o.done_;
  }

  /** Returns whether only one is at the end. @param o Another iterator. */
  bool operator!=(const ConfigIter& o) const {
    return done_ != o.done_;
  }

  /** Returns the name and the value of the parameter, valid until the iterator moves. */
  const std::pair<std::string, std::string>& operator*() const {
    return here_;
  }

  /** Returns the name and the value of the parameter, valid until the iterator moves. */
  const std::pair<std::string, std::string>* operator->() const {
    return &here_;
  }

  /**
   * Moves to the next parameter; does nothing at the end.
   * @throws TileDBError if the library reports an error.
   */
  ConfigIter& operator++() {
    if (!done_) {
      tiledb_error_t* error = nullptr;
      tiledb_config_iter_next(c(), &error);
      check_config_error(error);
      fetch();
    }
    return *this;
  }

  /** Frees a C iterator. @param config_iter The iterator. */
  static void free(tiledb_config_iter_t* config_iter) {
    tiledb_config_iter_free(&config_iter);
  }

 private:
  std::string prefix_;
  std::pair<std::string, std::string> here_;
  bool done_;

  /** Reads the parameter at the position, or notes the end. */
  void fetch() {
    tiledb_error_t* error = nullptr;
    int32_t done = 0;
    tiledb_config_iter_done(c(), &done, &error);
    check_config_error(error);
    done_ = done != 0;
    if (done_)
      return;
    const char *name = nullptr, *value = nullptr;
    tiledb_config_iter_here(c(), &name, &value, &error);
    check_config_error(error);
    here_.first = name;
    here_.second = value;
  }
};

/** One parameter of a Config, which is set by assignment. Valid as long as the configuration. */
struct ConfigProxy {
  /**
   * Names a parameter.
   * @param config The configuration, which must outlive the proxy.
   * @param name The name.
   */
  ConfigProxy(Config& config, std::string name)
      : conf(config)
      , param(std::move(name)) {
  }

  /**
   * Sets the parameter to a number.
   * @param val The number.
   * @throws TileDBError if the parameter does not take it.
   */
  template <typename T>
  ConfigProxy& operator=(const T& val);

  /**
   * Sets the parameter.
   * @param val The value.
   * @throws TileDBError if the parameter does not take it.
   */
  ConfigProxy& operator=(const char* val);

  /**
   * Sets the parameter.
   * @param val The value.
   * @throws TileDBError if the parameter does not take it.
   */
  ConfigProxy& operator=(const std::string& val);

  /**
   * Names a longer parameter.
   * @param append What is added to the name.
   * @return The longer name's proxy.
   */
  ConfigProxy operator[](const std::string& append);

  /** Returns the value. @throws TileDBError if the parameter does not exist. */
  operator std::string();

  /** The configuration. */
  Config& conf;
  /** The name of the parameter. */
  const std::string param;
};

}  // namespace impl

/**
 * A set of configuration parameters, all with a default. Copies share the parameters.
 * `sm.memory_budget` and the others are listed in the documentation of `tiledb_config_set`.
 */
class Config : public impl::Owner<tiledb_config_t> {
 public:
  /** Iterates over names and values. */
  using iterator = impl::ConfigIter;

  /**
   * Creates a configuration with the default values.
   * @throws TileDBError if the library reports an error.
   */
  Config() {
    tiledb_error_t* error = nullptr;
    tiledb_config_t* config = nullptr;
    tiledb_config_alloc(&config, &error);
    impl::check_config_error(error);
    own(config);
  }

  /**
   * Reads a configuration from a text file with one parameter per line.
   * @param filename The path.
   * @throws TileDBError if the file cannot be read or a line is wrong.
   */
  explicit Config(const std::string& filename)
      : Config() {
    tiledb_error_t* error = nullptr;
    tiledb_config_load_from_file(c(), filename.c_str(), &error);
    impl::check_config_error(error);
  }

  /**
   * Takes ownership of a C configuration.
   * @param config The configuration; null afterwards.
   */
  explicit Config(tiledb_config_t** config)
      : Owner(std::shared_ptr<void>()) {
    if (config != nullptr) {
      own(*config);
      *config = nullptr;
    }
  }

  /**
   * Creates a configuration.
   *
   * @param config Names and values.
   * @throws TileDBError if a parameter does not take its value.
   */
  explicit Config(const std::map<std::string, std::string>& config)
      : Config() {
    for (const auto& [name, value] : config)
      set(name, value);
  }

  /**
   * Creates a configuration.
   *
   * @param config Names and values.
   * @throws TileDBError if a parameter does not take its value.
   */
  explicit Config(const std::unordered_map<std::string, std::string>& config)
      : Config() {
    for (const auto& [name, value] : config)
      set(name, value);
  }

  /**
   * Writes the parameters to a text file. Secrets are left out.
   * @param filename The path; an existing file is replaced.
   * @throws TileDBError if the file cannot be written.
   */
  void save_to_file(const std::string filename) {
    tiledb_error_t* error = nullptr;
    tiledb_config_save_to_file(c(), filename.c_str(), &error);
    impl::check_config_error(error);
  }

  /**
   * Returns whether all parameters are equal.
   *
   * @param rhs Another one.
   * @throws std::runtime_error for a moved-from object.
   */
  bool operator==(const Config& rhs) const {
    uint8_t equal = 0;
    if (tiledb_config_compare(c(), impl::raw(rhs), &equal) != TILEDB_OK)
      throw std::runtime_error("[TileDB::C++API] Error: Failed to compare configurations");
    return equal == 1;
  }

  /**
   * Returns whether a parameter differs.
   *
   * @param rhs Another one.
   * @throws std::runtime_error for a moved-from object.
   */
  bool operator!=(const Config& rhs) const {
    return !(*this == rhs);
  }

  /**
   * Sets a parameter. Objects that were made with this configuration keep what they had.
   * @param param The name.
   * @param value The value.
   * @return This configuration.
   * @throws TileDBError if the parameter does not take the value. Names the library does not define
   *   are accepted.
   */
  Config& set(const std::string& param, const std::string& value) {
    tiledb_error_t* error = nullptr;
    tiledb_config_set(c(), param.c_str(), value.c_str(), &error);
    impl::check_config_error(error);
    return *this;
  }

  /**
   * Returns the value of a parameter.
   * @param param The name.
   * @return The value: what was set, else the environment's, else the default.
   * @throws TileDBError if the parameter does not exist.
   */
  std::string get(const std::string& param) const {
    const char* value = lookup(param);
    if (value == nullptr)
      throw TileDBError("Config Error: Invalid parameter '" + param + "'");
    return value;
  }

  /** Returns whether there is such a parameter. @param param The name. */
  bool contains(const std::string_view& param) const {
    const char* value = nullptr;
    tiledb_error_t* error = nullptr;
    tiledb_config_get(c(), std::string(param).c_str(), &value, &error);
    tiledb_error_free(&error);
    return value != nullptr;
  }

  /**
   * Names a parameter, to be set by assignment.
   *
   * @param param The name.
   * @return A proxy, valid as long as this object.
   */
  impl::ConfigProxy operator[](const std::string& param) {
    return {*this, param};
  }

  /**
   * Gives a parameter its default value.
   * @param param The name.
   * @return This configuration.
   * @throws TileDBError if the library reports an error.
   */
  Config& unset(const std::string& param) {
    tiledb_error_t* error = nullptr;
    tiledb_config_unset(c(), param.c_str(), &error);
    impl::check_config_error(error);
    return *this;
  }

  /**
   * Starts a loop over the parameters that begin with a prefix, as begin(prefix) and end().
   * @param prefix The prefix, which is removed from the names.
   * @throws TileDBError if the library reports an error.
   */
  iterator begin(const std::string& prefix) {
    return iterator{*this, prefix, false};
  }

  /** Starts a loop over all parameters. @throws TileDBError if the library reports an error. */
  iterator begin() {
    return iterator{*this, "", false};
  }

  /** Returns the end of every loop. */
  iterator end() {
    return iterator{*this, "", true};
  }

  /** Frees a C configuration. @param config The configuration. */
  static void free(tiledb_config_t* config) {
    tiledb_config_free(&config);
  }

 private:
  void own(tiledb_config_t* config) {
    adopt(config, [](void* handle) { free(static_cast<tiledb_config_t*>(handle)); });
  }

  const char* lookup(const std::string& param) const {
    const char* value = nullptr;
    tiledb_error_t* error = nullptr;
    tiledb_config_get(c(), param.c_str(), &value, &error);
    impl::check_config_error(error);
    return value;
  }
};

namespace impl {

inline ConfigIter::ConfigIter(const Config& config, std::string prefix, bool done)
    : prefix_(std::move(prefix))
    , done_(done) {
  if (done_)
    return;
  tiledb_error_t* error = nullptr;
  tiledb_config_iter_t* iter = nullptr;
  tiledb_config_iter_alloc(raw(config), prefix_.empty() ? nullptr : prefix_.c_str(), &iter, &error);
  check_config_error(error);
  adopt(iter, [](void* handle) { free(static_cast<tiledb_config_iter_t*>(handle)); });
  fetch();
}

template <typename T>
ConfigProxy& ConfigProxy::operator=(const T& val) {
  conf.set(param, std::to_string(val));
  return *this;
}

inline ConfigProxy& ConfigProxy::operator=(const char* val) {
  conf.set(param, val);
  return *this;
}

inline ConfigProxy& ConfigProxy::operator=(const std::string& val) {
  conf.set(param, val);
  return *this;
}

inline ConfigProxy ConfigProxy::operator[](const std::string& append) {
  return {conf, param + append};
}

inline ConfigProxy::operator std::string() {
  return conf.get(param);
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_API_CONFIG_H
