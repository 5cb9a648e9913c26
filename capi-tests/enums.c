/* Conversions between enums and strings. */
#include "harness.h"

#define COUNT(texts) (sizeof(texts) / sizeof((texts)[0]))

/*
 * Checks that value n has string n and vice versa; null if a value has no string. One value past
 * the last is an error.
 */
#define CHECK_TEXTS(type, to_str, from_str, texts)                     \
  do {                                                                 \
    for (size_t i = 0; i <= COUNT(texts); i++) {                    \
      const char* text = NULL;                                         \
      type value = (type)0;                                            \
      if (i == COUNT(texts) || (texts)[i] == NULL) {                 \
        CHECK_EQ(to_str((type)i, &text), TILEDB_ERR);                 \
        continue;                                                      \
      }                                                                \
      CHECK_EQ(to_str((type)i, &text), TILEDB_OK);                    \
      CHECK_TEXT(text, (texts)[i]);                                   \
      CHECK_EQ(from_str((texts)[i], &value), TILEDB_OK);              \
      CHECK_EQ(value, i);                                             \
    }                                                                  \
    type value = (type)0;                                              \
    CHECK_EQ(from_str("no such word", &value), TILEDB_ERR);            \
  } while (0)

TEST(array_types_have_names) {
  const char* texts[] = {"dense", "sparse"};
  CHECK_TEXTS(tiledb_array_type_t, tiledb_array_type_to_str, tiledb_array_type_from_str, texts);
}

TEST(layouts_have_names) {
  const char* texts[] = {"row-major", "col-major", "global-order", "unordered", "hilbert"};
  CHECK_TEXTS(tiledb_layout_t, tiledb_layout_to_str, tiledb_layout_from_str, texts);
}

TEST(datatypes_have_names) {
  const char* texts[] = {
      "INT32",         "INT64",          "FLOAT32",       "FLOAT64",       "CHAR",         "INT8",
      "UINT8",         "INT16",          "UINT16",        "UINT32",        "UINT64",       "STRING_ASCII",
      "STRING_UTF8",   "STRING_UTF16",   "STRING_UTF32",  "STRING_UCS2",   "STRING_UCS4",  "ANY",
      "DATETIME_YEAR", "DATETIME_MONTH", "DATETIME_WEEK", "DATETIME_DAY",  "DATETIME_HR",  "DATETIME_MIN",
      "DATETIME_SEC",  "DATETIME_MS",    "DATETIME_US",   "DATETIME_NS",   "DATETIME_PS",  "DATETIME_FS",
      "DATETIME_AS",   "TIME_HR",        "TIME_MIN",      "TIME_SEC",      "TIME_MS",      "TIME_US",
      "TIME_NS",       "TIME_PS",        "TIME_FS",       "TIME_AS",       "BLOB",         "BOOL",
      "GEOM_WKB",      "GEOM_WKT"};
  /* 44 and more have no string and are not checked: libtiledb reads past its table. */
  for (size_t i = 0; i < COUNT(texts); i++) {
    const char* text = NULL;
    tiledb_datatype_t value = TILEDB_INT32;
    CHECK_EQ(tiledb_datatype_to_str((tiledb_datatype_t)i, &text), TILEDB_OK);
    CHECK_TEXT(text, texts[i]);
    CHECK_EQ(tiledb_datatype_from_str(texts[i], &value), TILEDB_OK);
    CHECK_EQ(value, i);
  }
}

TEST(datatypes_have_sizes) {
  CHECK_EQ(tiledb_datatype_size(TILEDB_INT32), 4);
  CHECK_EQ(tiledb_datatype_size(TILEDB_FLOAT64), 8);
  CHECK_EQ(tiledb_datatype_size(TILEDB_STRING_UTF16), 2);
  CHECK_EQ(tiledb_datatype_size(TILEDB_STRING_UCS4), 4);
  CHECK_EQ(tiledb_datatype_size(TILEDB_DATETIME_AS), 8);
  CHECK_EQ(tiledb_datatype_size(TILEDB_BOOL), 1);
  CHECK_EQ(tiledb_datatype_size(TILEDB_GEOM_WKT), 1);
}

TEST(query_types_and_states_have_names) {
  const char* types[] = {"READ", "WRITE", "DELETE", "UPDATE", "MODIFY_EXCLUSIVE"};
  const char* states[] = {"FAILED", "COMPLETED", "INPROGRESS", "INCOMPLETE", "UNINITIALIZED", "INITIALIZED"};
  CHECK_TEXTS(tiledb_query_type_t, tiledb_query_type_to_str, tiledb_query_type_from_str, types);
  CHECK_TEXTS(tiledb_query_status_t, tiledb_query_status_to_str, tiledb_query_status_from_str, states);
}

TEST(filters_and_their_options_have_names) {
  const char* types[] = {
      "NONE",         "GZIP",          "ZSTD",
      "LZ4",          "RLE",           "BZIP2",
      "DOUBLE_DELTA", "BIT_WIDTH_REDUCTION", "BITSHUFFLE",
      "BYTESHUFFLE",  "POSITIVE_DELTA", NULL,
      "CHECKSUM_MD5", "CHECKSUM_SHA256", "DICTIONARY_ENCODING",
      "SCALE_FLOAT",  "XOR",           NULL,
      "WEBP",         "DELTA"};
  const char* options[] = {
      "COMPRESSION_LEVEL", "BIT_WIDTH_MAX_WINDOW", "POSITIVE_DELTA_MAX_WINDOW", "SCALE_FLOAT_BYTEWIDTH",
      "SCALE_FLOAT_FACTOR", "SCALE_FLOAT_OFFSET", "WEBP_QUALITY", "WEBP_INPUT_FORMAT", "WEBP_LOSSLESS",
      "COMPRESSION_REINTERPRET_DATATYPE"};
  CHECK_TEXTS(tiledb_filter_type_t, tiledb_filter_type_to_str, tiledb_filter_type_from_str, types);
  tiledb_filter_type_t type;
  CHECK_EQ(tiledb_filter_type_from_str("AES_256_GCM", &type), TILEDB_ERR);
  CHECK_EQ(tiledb_filter_type_from_str("DEPRECATED", &type), TILEDB_ERR);
  CHECK_TEXTS(tiledb_filter_option_t, tiledb_filter_option_to_str, tiledb_filter_option_from_str, options);
}

TEST(orders_have_names) {
  const char* data[] = {"unordered", "increasing", "decreasing"};
  const char* walk[] = {"PREORDER", "POSTORDER"};
  CHECK_TEXTS(tiledb_data_order_t, tiledb_data_order_to_str, tiledb_data_order_from_str, data);
  CHECK_TEXTS(tiledb_walk_order_t, tiledb_walk_order_to_str, tiledb_walk_order_from_str, walk);
}

TEST(filesystems_modes_and_encryption_types_have_names) {
  const char* filesystems[] = {"HDFS", "S3", "AZURE", "GCS", "MEM"};
  const char* modes[] = {"VFS_READ", "VFS_WRITE", "VFS_APPEND"};
  const char* encryptions[] = {"NO_ENCRYPTION", "AES_256_GCM"};
  CHECK_TEXTS(tiledb_filesystem_t, tiledb_filesystem_to_str, tiledb_filesystem_from_str, filesystems);
  CHECK_TEXTS(tiledb_vfs_mode_t, tiledb_vfs_mode_to_str, tiledb_vfs_mode_from_str, modes);
  CHECK_TEXTS(tiledb_encryption_type_t, tiledb_encryption_type_to_str, tiledb_encryption_type_from_str, encryptions);
}

TEST(object_types_file_kinds_and_encodings_have_names) {
  const char* objects[] = {"INVALID", "GROUP", "ARRAY"};
  const char* mimes[] = {"AUTODETECT", "image/tiff", "application/pdf"};
  const char* encodings[] = {"JSON", "CAPNP"};
  CHECK_TEXTS(tiledb_object_t, tiledb_object_type_to_str, tiledb_object_type_from_str, objects);
  CHECK_TEXTS(tiledb_mime_type_t, tiledb_mime_type_to_str, tiledb_mime_type_from_str, mimes);
  CHECK_TEXTS(
      tiledb_serialization_type_t, tiledb_serialization_type_to_str, tiledb_serialization_type_from_str, encodings);
}

TEST(macros_have_the_values_of_libtiledb) {
  CHECK_EQ(TILEDB_VAR_NUM, UINT32_MAX);
  CHECK_EQ(TILEDB_OFFSET_SIZE, 8);
  CHECK_TEXT(TILEDB_TIMESTAMPS, "__timestamps");
  CHECK(TILEDB_MAX_PATH >= 4096);
  /* The present is after September 2020. */
  CHECK(TILEDB_TIMESTAMP_NOW_MS > 1600000000000);
}
