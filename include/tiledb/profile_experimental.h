/**
 * @file profile_experimental.h
 * Profiles: named sets of parameters, kept in a file of the user.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_PROFILE_EXPERIMENTAL_H
#define TILEDB_CPP_PROFILE_EXPERIMENTAL_H

#include <optional>
#include <string>

#include "capi_string.h"
#include "exception.h"
#include "handle.h"
#include "tiledb_experimental.h"
#include "utils.h"

namespace tiledb {

/** An error of a profile. */
class ProfileException : public TileDBError {
 public:
  /** Creates an error. @param msg The message. */
  explicit ProfileException(const std::string& msg)
      : TileDBError("[TileDB::C++ API][Profile]: " + msg) {
  }
};

/** A named set of parameters: credentials and addresses of servers. Copies share the parameters. */
class Profile : public impl::Owner<tiledb_profile_t> {
 public:
  /**
   * Creates a profile in memory.
   * @param name The name; by default "default".
   * @param dir The folder of the file of profiles; by default that of the user.
   * @throws ProfileException if the name is not valid.
   */
  explicit Profile(std::optional<std::string> name = std::nullopt, std::optional<std::string> dir = std::nullopt) {
    tiledb_profile_t* profile = nullptr;
    tiledb_error_t* error = nullptr;
    check(tiledb_profile_alloc(text(name), text(dir), &profile, &error), error);
    adopt(profile, release);
  }

  Profile(const Profile&) = default;
  Profile(Profile&&) = default;
  Profile& operator=(const Profile&) = default;
  Profile& operator=(Profile&&) = default;
  ~Profile() = default;

  /**
   * Reads a profile from the file.
   * @param name The name; by default "default".
   * @param dir The folder of the file; by default that of the user.
   * @throws ProfileException if the profile does not exist or the file cannot be read.
   */
  static Profile load(
      std::optional<std::string> name = std::nullopt, std::optional<std::string> dir = std::nullopt) {
    Profile profile(name, dir);
    tiledb_error_t* error = nullptr;
    check(tiledb_profile_load(profile.c(), &error), error);
    return profile;
  }

  /** Returns the name. @throws ProfileException if the library reports an error. */
  std::string name() const {
    return fetch(tiledb_profile_get_name).value_or("");
  }

  /** Returns the folder of the file. @throws ProfileException if the library reports an error. */
  std::string dir() const {
    return fetch(tiledb_profile_get_dir).value_or("");
  }

  /**
   * Sets a parameter in memory.
   *
   * @param param The name.
   * @param value The value.
   * @throws ProfileException if the library reports an error.
   */
  void set_param(const std::string& param, const std::string& value) {
    tiledb_error_t* error = nullptr;
    check(tiledb_profile_set_param(c(), param.c_str(), value.c_str(), &error), error);
  }

  /**
   * Returns a parameter; nothing if it is not set.
   *
   * @param param The name.
   * @throws ProfileException if the library reports an error.
   */
  std::optional<std::string> get_param(const std::string& param) const {
    tiledb_error_t* error = nullptr;
    tiledb_string_t* value = nullptr;
    check(tiledb_profile_get_param(c(), param.c_str(), &value, &error), error);
    return impl::convert_to_string(&value);
  }

  /**
   * Writes the profile to the file.
   *
   * @param overwrite Whether a profile of this name is replaced.
   * @throws ProfileException if there is one and it is not, or the file cannot be written.
   */
  void save(bool overwrite = false) {
    tiledb_error_t* error = nullptr;
    check(tiledb_profile_save(c(), overwrite, &error), error);
  }

  /**
   * Removes a profile from the file.
   * @param name The name; by default "default".
   * @param dir The folder of the file; by default that of the user.
   * @throws ProfileException if the profile does not exist or the file cannot be written.
   */
  static void remove(
      std::optional<std::string> name = std::nullopt, std::optional<std::string> dir = std::nullopt) {
    tiledb_error_t* error = nullptr;
    check(tiledb_profile_remove(text(name), text(dir), &error), error);
  }

  /** Returns the profile as text. @throws ProfileException if the library reports an error. */
  std::string dump() const {
    return fetch(tiledb_profile_dump_str).value_or("");
  }

 private:
  static void release(void* handle) {
    tiledb_profile_t* profile = static_cast<tiledb_profile_t*>(handle);
    tiledb_profile_free(&profile);
  }

  static const char* text(const std::optional<std::string>& text) {
    return text ? text->c_str() : nullptr;
  }

  /** `error` is a reference because the call that sets it is the other argument. */
  static void check(int rc, tiledb_error_t*& error) {
    if (rc != TILEDB_OK)
      throw ProfileException(impl::take_message(&error));
  }

  template <typename Get>
  std::optional<std::string> fetch(Get get) const {
    tiledb_error_t* error = nullptr;
    tiledb_string_t* text = nullptr;
    check(get(c(), &text, &error), error);
    return impl::convert_to_string(&text);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_PROFILE_EXPERIMENTAL_H
