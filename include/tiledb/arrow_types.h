/**
 * @file arrow_types.h
 * The correspondence between datatypes and Arrow's format strings.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_ARROW_TYPES_H
#define TILEDB_ARROW_TYPES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "arrow_c_data.h"
#include "query.h"

namespace tiledb::arrow {

/** A format string. */
struct ArrowInfo {
  /** Sets all members. @param fmt The format. @param rep Another name of it. */
  ArrowInfo(std::string fmt, const std::string& rep = std::string())
      : fmt_(std::move(fmt))
      , rep_(rep) {
  }

  std::string fmt_;  ///< The format.
  std::string rep_;  ///< Another name of it.
};

/** The storage format of a field. */
struct TypeInfo {
  tiledb_datatype_t type;  ///< The datatype.
  uint64_t elem_size;      ///< The size of a value in bytes.
  uint32_t cell_val_num;   ///< The number of values per cell.
  bool arrow_large;        ///< Whether Arrow's offsets have 64 bits.
  bool nullable;           ///< Whether cells can be null.
};

/** The buffers of a field. */
struct BufferInfo {
  TypeInfo tdbtype;          ///< How the field is stored.
  bool is_var;               ///< Whether the number of values per cell varies.
  bool is_nullable;          ///< Whether cells can be null.
  uint64_t data_num;         ///< The number of values; for nullable fields, of cells.
  void* data;                ///< The values.
  uint64_t data_elem_size;   ///< The size of a value in bytes.
  uint64_t offsets_num;      ///< The number of offsets; 1 without offsets.
  void* offsets;             ///< The offsets.
  size_t offsets_elem_size;  ///< The size of an offset in bytes.
  uint8_t* validity;         ///< The validity values.
};

/** A format string and the datatype that is imported from it or exported to it. */
struct ArrowFormat {
  const char* format;      ///< The format.
  tiledb_datatype_t type;  ///< The datatype.
  bool imports;            ///< Whether arrays of the format can be imported.
};

/** The formats of fields of fixed size. */
inline constexpr ArrowFormat fixed_formats[] = {
    {"c", TILEDB_INT8, true},
    {"C", TILEDB_UINT8, true},
    {"s", TILEDB_INT16, true},
    {"S", TILEDB_UINT16, true},
    {"i", TILEDB_INT32, true},
    {"I", TILEDB_UINT32, true},
    {"l", TILEDB_INT64, true},
    {"L", TILEDB_UINT64, true},
    {"f", TILEDB_FLOAT32, true},
    {"g", TILEDB_FLOAT64, true},
    {"B", TILEDB_BLOB, true},
    {"tsn:", TILEDB_DATETIME_NS, true},
    {"tss:", TILEDB_DATETIME_SEC, false},
    {"tsm:", TILEDB_DATETIME_MS, false},
    {"tsu:", TILEDB_DATETIME_US, false},
    {"tts", TILEDB_TIME_SEC, false},
    {"ttm", TILEDB_TIME_MS, false},
    {"ttu", TILEDB_TIME_US, false},
    {"ttn", TILEDB_TIME_NS, false},
};

/**
 * Returns the format string of a field.
 * @param bufferinfo The field.
 * @throws TileDBError if its datatype has no counterpart.
 */
inline ArrowInfo tiledb_buffer_arrow_fmt(BufferInfo bufferinfo, bool = true) {
  const tiledb_datatype_t type = bufferinfo.tdbtype.type;
  const bool narrow = bufferinfo.offsets_elem_size == 4;
  if (type == TILEDB_STRING_ASCII || type == TILEDB_STRING_UTF8)
    return ArrowInfo(narrow ? "u" : "U");
  if (type == TILEDB_CHAR)
    return ArrowInfo(narrow ? "z" : "Z");
  for (const ArrowFormat& known : fixed_formats) {
    if (known.type == type)
      return ArrowInfo(known.format);
  }
  throw TileDBError("TileDB-Arrow: tiledb datatype not understood ('" + tiledb::impl::type_to_str(type) +
      "', cell_val_num: " + std::to_string(bufferinfo.tdbtype.cell_val_num) + ")");
}

/**
 * Returns how an Arrow array is stored.
 * @param arw_schema The type of the array.
 * @throws TileDBError if its format has no counterpart.
 */
inline TypeInfo arrow_type_to_tiledb(ArrowSchema* arw_schema) {
  const std::string format = arw_schema->format;
  const bool nullable = (arw_schema->flags & ARROW_FLAG_NULLABLE) != 0;
  const uint32_t var_num = tiledb::impl::var_num;
  if (format == "u" || format == "U")
    return {TILEDB_STRING_UTF8, 1, var_num, format == "U", nullable};
  if (format == "z" || format == "Z")
    return {TILEDB_CHAR, 1, var_num, format == "Z", nullable};
  for (const ArrowFormat& known : fixed_formats) {
    if (known.imports && format == known.format)
      return {known.type, tiledb::impl::type_size(known.type), 1, false, nullable};
  }
  throw TileDBError("[TileDB-Arrow]: Unknown or unsupported Arrow format string '" + format + "'");
}

/**
 * Returns how a field is stored.
 * @param schema The schema.
 * @param name The name of an attribute or a dimension.
 * @throws TileDBError if the field does not exist.
 */
inline TypeInfo tiledb_dt_info(const ArraySchema& schema, const std::string& name) {
  if (schema.has_attribute(name)) {
    const Attribute field = schema.attribute(name);
    return {field.type(), tiledb::impl::type_size(field.type()), field.cell_val_num(), false, field.nullable()};
  }
  const Domain domain = schema.domain();
  if (domain.has_dimension(name)) {
    const Dimension field = domain.dimension(name);
    return {field.type(), tiledb::impl::type_size(field.type()), field.cell_val_num(), false, false};
  }
  throw TileDBError("Schema does not have attribute named '" + name + "'");
}

/**
 * Checks that the type of an Arrow array can be read.
 * @param arw_schema The type.
 * @throws TileDBError if it is null or released, or a struct without children.
 */
inline void check_arrow_schema(const ArrowSchema* arw_schema) {
  if (arw_schema == nullptr)
    throw TileDBError("[ArrowIO]: Invalid ArrowSchema object!");
  if (arw_schema->release == nullptr)
    throw TileDBError("[ArrowIO]: Invalid ArrowSchema: cannot import released schema.");
  if (std::strcmp(arw_schema->format, "+s") != 0)
    return;
  if (arw_schema->n_children < 1)
    throw TileDBError("[ArrowIO]: Unsupported ArrowSchema with 0 children.");
  if (arw_schema->children == nullptr)
    throw TileDBError("[ArrowIO]: Invalid ArrowSchema with n_children>0 and children==NULL");
}

/** Returns the flags of an Arrow type. @param binfo The field. */
inline int64_t flags_for_buffer(BufferInfo binfo) {
  return binfo.is_nullable ? ARROW_FLAG_NULLABLE : 0;
}

/** Returns a bit. @param bits A bitmap, the lowest bit of a byte first. @param i The position. */
inline int8_t bitmap_get(const uint8_t* bits, int64_t i) {
  return static_cast<int8_t>((bits[i >> 3] >> (i & 7)) & 1);
}

/**
 * Replaces a bitmap by a byte for each bit.
 * @param bitmap The bitmap, in a buffer of at least `n` bytes.
 * @param n The number of bits.
 */
inline void bitmap_to_bytemap(void* bitmap, int64_t n) {
  auto* bytes = static_cast<uint8_t*>(bitmap);
  for (int64_t i = n; i-- > 0;)
    bytes[i] = static_cast<uint8_t>(bitmap_get(bytes, i));
}

/**
 * Replaces bytes by a bitmap.
 * @param bytemap The bytes, 0 for null; the bitmap is put at their beginning.
 * @param num The number of bytes.
 * @return The number of nulls.
 */
inline int64_t bytemap_to_bitmap(uint8_t* bytemap, int64_t num) {
  int64_t nulls = 0;
  for (int64_t start = 0; start < num; start += 8) {
    unsigned bits = 0;
    for (int64_t i = start; i < start + 8 && i < num; i++) {
      bits |= (bytemap[i] != 0 ? 1u : 0u) << (i - start);
      nulls += bytemap[i] == 0;
    }
    bytemap[start / 8] = static_cast<uint8_t>(bits);
  }
  return nulls;
}

}  // namespace tiledb::arrow

#endif  // TILEDB_ARROW_TYPES_H
