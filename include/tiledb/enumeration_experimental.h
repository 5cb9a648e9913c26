/**
 * @file enumeration_experimental.h
 * Enumerations: the values that an attribute can have, stored once.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ENUMERATION_EXPERIMENTAL_H
#define TILEDB_CPP_API_ENUMERATION_EXPERIMENTAL_H

#include <cstdint>
#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

namespace impl {

/** Values as the C API takes them: bytes, and for strings where each begins. */
struct PackedValues {
  std::vector<uint8_t> data;      ///< The bytes of all values.
  std::vector<uint64_t> offsets;  ///< Where each begins.

  /** Joins strings. @param values Strings or views of strings. */
  template <typename Text, typename T = typename Text::value_type>
  explicit PackedValues(const std::vector<Text>& values) {
    size_t size = 0;
    for (const auto& value : values)
      size += value.size() * sizeof(T);
    data.reserve(size);
    offsets.reserve(values.size());
    for (const auto& value : values) {
      offsets.push_back(data.size());
      const auto* bytes = reinterpret_cast<const uint8_t*>(value.data());
      data.insert(data.end(), bytes, bytes + value.size() * sizeof(T));
    }
  }

  /** Creates a byte of each. @param values The values. */
  explicit PackedValues(const std::vector<bool>& values)
      : data(values.begin(), values.end()) {
  }

  /** Returns the size of the offsets in bytes. */
  uint64_t offsets_size() const {
    return offsets.size() * sizeof(uint64_t);
  }
};

}  // namespace impl

/**
 * A named list of values, of which attributes store positions. It does not change; extend() makes a
 * longer one. Copies share it.
 */
class Enumeration : public impl::Handle<tiledb_enumeration_t> {
 public:
  /** Takes ownership of a C enumeration. @param ctx The context. @param enmr The enumeration. */
  Enumeration(const Context& ctx, tiledb_enumeration_t* enmr)
      : Handle(ctx, enmr) {
  }

  Enumeration(const Enumeration&) = default;
  Enumeration(Enumeration&&) = default;
  Enumeration& operator=(const Enumeration&) = default;
  Enumeration& operator=(Enumeration&&) = default;
  ~Enumeration() = default;

  /**
   * Creates an enumeration with more values, of fixed size.
   * @param values The values that are added.
   * @return The enumeration, for ArraySchemaEvolution::extend_enumeration().
   * @throws TileDBError if `data` is empty, a value exists already, or this one has values of
   *   variable size.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  Enumeration extend(std::vector<T> values) {
    check_extension(values.size(), false);
    if constexpr (std::is_same_v<T, bool>) {
      const impl::PackedValues packed(values);
      return extend(packed.data.data(), packed.data.size(), nullptr, 0);
    } else {
      return extend(values.data(), values.size() * sizeof(T), nullptr, 0);
    }
  }

  /**
   * Creates an enumeration with more strings.
   * @param values The strings that are added.
   * @return The enumeration, for ArraySchemaEvolution::extend_enumeration().
   * @throws TileDBError if `data` is empty, a string exists already, or this one has values of
   *   fixed size.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  Enumeration extend(std::vector<std::basic_string<T>>& values) {
    return extend_strings(values);
  }

  /**
   * Creates an enumeration with more strings.
   * @param values The strings that are added, copied.
   * @return The enumeration, for ArraySchemaEvolution::extend_enumeration().
   * @throws TileDBError if `data` is empty, a string exists already, or this one has values of
   *   fixed size.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  Enumeration extend(std::vector<std::basic_string_view<T>> values) {
    return extend_strings(values);
  }

  /**
   * Creates an enumeration with more values.
   * @param data The bytes of the values that are added, copied.
   * @param data_size Their number.
   * @param offsets Where values of variable size begin, copied; else null.
   * @param offsets_size The size of the offsets in bytes.
   * @return The enumeration, for ArraySchemaEvolution::extend_enumeration().
   * @throws TileDBError if the values are wrong or one is there already.
   */
  Enumeration extend(const void* data, uint64_t data_size, const void* offsets, uint64_t offsets_size) {
    tiledb_enumeration_t* extended = nullptr;
    check(tiledb_enumeration_extend(c_ctx(), c(), data, data_size, offsets, offsets_size, &extended));
    return Enumeration(Handle::context(), extended);
  }

  /** Returns the name. @throws TileDBError if the library reports an error. */
  std::string name() const {
    tiledb_string_t* name = nullptr;
    check(tiledb_enumeration_get_name(c_ctx(), c(), &name));
    return impl::convert_to_string(&name).value_or("");
  }

  /**
   * Returns the position of a value; nothing if it is not there.
   *
   * @param value The value.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  std::optional<uint64_t> index_of(T value) {
    return index_of_bytes(&value, sizeof(T));
  }

  /**
   * Returns the position of a string; nothing if it is not there.
   *
   * @param value The string.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  std::optional<uint64_t> index_of(std::basic_string_view<T> value) {
    return index_of_bytes(value.data(), value.size() * sizeof(T));
  }

  /** Returns a copy of the context. */
  Context context() const {
    return Handle::context();
  }

  /** Returns the datatype of the values. @throws TileDBError if the library reports an error. */
  tiledb_datatype_t type() const {
    tiledb_datatype_t type = TILEDB_ANY;
    check(tiledb_enumeration_get_type(c_ctx(), c(), &type));
    return type;
  }

  /**
   * Returns the number of elements per value, TILEDB_VAR_NUM if it varies.
   *
   * @throws TileDBError if the library reports an error.
   */
  uint32_t cell_val_num() const {
    uint32_t number = 0;
    check(tiledb_enumeration_get_cell_val_num(c_ctx(), c(), &number));
    return number;
  }

  /**
   * Returns whether the order of the values has a meaning.
   * @throws TileDBError if the library reports an error.
   */
  bool ordered() const {
    int ordered = 0;
    check(tiledb_enumeration_get_ordered(c_ctx(), c(), &ordered));
    return ordered != 0;
  }

  /**
   * Returns the values.
   * @tparam T The type of a value.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T>
  std::vector<typename std::enable_if_t<std::is_trivially_copyable_v<T>, T>> as_vector() {
    const std::string_view all = data();
    std::vector<T> values(all.size() / sizeof(T));
    for (size_t i = 0; i < values.size(); i++) {
      T value;
      std::memcpy(&value, all.data() + i * sizeof(T), sizeof(T));
      values[i] = value;
    }
    return values;
  }

  /**
   * Returns the strings.
   * @tparam T std::string.
   * @throws TileDBError if the library reports an error.
   */
  template <typename T>
  std::vector<typename std::enable_if_t<std::is_same_v<std::string, T>, T>> as_vector() {
    const std::string_view all = data();
    const void* bytes = nullptr;
    uint64_t size = 0;
    check(tiledb_enumeration_get_offsets(c_ctx(), c(), &bytes, &size));
    const auto* offsets = static_cast<const uint64_t*>(bytes);
    const size_t number = size / sizeof(uint64_t);
    std::vector<std::string> values;
    values.reserve(number);
    for (size_t i = 0; i < number; i++)
      values.emplace_back(all.substr(offsets[i], (i + 1 < number ? offsets[i + 1] : all.size()) - offsets[i]));
    return values;
  }

  /**
   * Creates an enumeration without values, to be extended.
   * @param ctx The context, which must outlive the enumeration.
   * @param name The name.
   * @param type The datatype of the values.
   * @param cell_val_num The number of elements per value.
   * @param ordered Whether the order of the values has a meaning.
   * @throws TileDBError if the library reports an error.
   */
  static Enumeration create_empty(const Context& ctx, const std::string& name, tiledb_datatype_t type,
      uint32_t cell_val_num, bool ordered = false) {
    return create(ctx, name, type, cell_val_num, ordered, nullptr, 0, nullptr, 0);
  }

  /**
   * Creates an enumeration of values of fixed size.
   * @param ctx The context, which must outlive the enumeration.
   * @param name The name.
   * @param values The values, all different.
   * @param ordered Whether their order has a meaning.
   * @param type Their datatype, if not that of T.
   * @throws TileDBError if two values are equal.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static Enumeration create(const Context& ctx, const std::string& name, std::vector<T>& values,
      bool ordered = false, std::optional<tiledb_datatype_t> type = std::nullopt) {
    using Value = impl::TypeHandler<T>;
    const tiledb_datatype_t datatype = type.value_or(Value::tiledb_type);
    if constexpr (std::is_same_v<T, bool>) {
      const impl::PackedValues packed(values);
      return create(
          ctx, name, datatype, Value::tiledb_num, ordered, packed.data.data(), packed.data.size(), nullptr, 0);
    } else {
      return create(ctx, name, datatype, Value::tiledb_num, ordered, values.data(), values.size() * sizeof(T),
          nullptr, 0);
    }
  }

  /**
   * Creates an enumeration of strings.
   * @param ctx The context, which must outlive the enumeration.
   * @param name The name.
   * @param values The strings, all different.
   * @param ordered Whether their order has a meaning.
   * @param type Their datatype, if not that of T.
   * @throws TileDBError if two strings are equal.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static Enumeration create(const Context& ctx, const std::string& name,
      std::vector<std::basic_string<T>>& values, bool ordered = false,
      std::optional<tiledb_datatype_t> type = std::nullopt) {
    return create_strings<T>(ctx, name, values, ordered, type);
  }

  /**
   * Creates an enumeration of strings.
   * @param ctx The context, which must outlive the enumeration.
   * @param name The name.
   * @param values The strings, all different, copied.
   * @param ordered Whether their order has a meaning.
   * @param type Their datatype, if not that of T.
   * @throws TileDBError if two strings are equal.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static Enumeration create(const Context& ctx, const std::string& name,
      std::vector<std::basic_string_view<T>>& values, bool ordered = false,
      std::optional<tiledb_datatype_t> type = std::nullopt) {
    return create_strings<T>(ctx, name, values, ordered, type);
  }

  /**
   * Creates an enumeration.
   * @param ctx The context, which must outlive the enumeration.
   * @param name The name.
   * @param type The datatype of the values.
   * @param cell_val_num The number of elements per value, TILEDB_VAR_NUM if it varies.
   * @param ordered Whether the order of the values has a meaning.
   * @param data The bytes of the values, copied.
   * @param data_size Their number.
   * @param offsets Where values of variable size begin, copied; else null.
   * @param offsets_size The size of the offsets in bytes.
   * @throws TileDBError if the values are wrong or two are equal.
   */
  static Enumeration create(const Context& ctx, const std::string& name, tiledb_datatype_t type,
      uint32_t cell_val_num, bool ordered, const void* data, uint64_t data_size, const void* offsets,
      uint64_t offsets_size) {
    tiledb_enumeration_t* enumeration = nullptr;
    ctx.handle_error(tiledb_enumeration_alloc(impl::raw(ctx), name.c_str(), type, cell_val_num, ordered, data,
        data_size, offsets, offsets_size, &enumeration));
    return Enumeration(ctx, enumeration);
  }

 private:
  template <typename Text>
  Enumeration extend_strings(const std::vector<Text>& values) {
    check_extension(values.size(), true);
    const impl::PackedValues packed(values);
    return extend(packed.data.data(), packed.data.size(), packed.offsets.data(), packed.offsets_size());
  }

  template <typename T, typename Text>
  static Enumeration create_strings(const Context& ctx, const std::string& name, const std::vector<Text>& values,
      bool ordered, std::optional<tiledb_datatype_t> type) {
    static_assert(impl::TypeHandler<T>::tiledb_num == 1, "Enumeration string values cannot be compound");
    const impl::PackedValues packed(values);
    return create(ctx, name, type.value_or(impl::TypeHandler<T>::tiledb_type), impl::var_num, ordered,
        packed.data.data(), packed.data.size(), packed.offsets.data(), packed.offsets_size());
  }

  void check_extension(size_t number, bool var_sized) const {
    if (number == 0)
      throw TileDBError("Unable to extend an enumeration with an empty vector.");
    if (var_sized == (cell_val_num() == impl::var_num))
      return;
    throw TileDBError(var_sized ? "Error extending fixed sized enumeration with var size data."
                                : "Error extending var sized enumeration with fixed size data.");
  }

  std::optional<uint64_t> index_of_bytes(const void* value, uint64_t size) const {
    int exists = 0;
    uint64_t index = 0;
    check(tiledb_enumeration_get_value_index(c_ctx(), c(), value, size, &exists, &index));
    return exists == 1 ? std::optional(index) : std::nullopt;
  }

  /** Returns the bytes of the values, valid as long as the handle. */
  std::string_view data() const {
    const void* bytes = nullptr;
    uint64_t size = 0;
    check(tiledb_enumeration_get_data(c_ctx(), c(), &bytes, &size));
    return {static_cast<const char*>(bytes), size};
  }
};

/**
 * Prints an enumeration.
 * @param os The stream.
 * @param enumeration The enumeration.
 * @return The stream.
 */
inline std::ostream& operator<<(std::ostream& os, const Enumeration& enumeration) {
  const Context ctx = enumeration.context();
  tiledb_string_t* text = nullptr;
  ctx.handle_error(tiledb_enumeration_dump_str(impl::raw(ctx), impl::raw(enumeration), &text));
  return impl::print(os, text);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ENUMERATION_EXPERIMENTAL_H
