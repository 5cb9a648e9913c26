/* Filters: creation, types, setting and reading options. */
#include "harness.h"

static tiledb_filter_t* new_filter(tiledb_ctx_t* ctx, tiledb_filter_type_t type) {
  tiledb_filter_t* filter = NULL;
  CHECK_OK(ctx, tiledb_filter_alloc(ctx, type, &filter));
  return filter;
}

static const tiledb_filter_type_t types[] = {
    TILEDB_FILTER_NONE, TILEDB_FILTER_GZIP, TILEDB_FILTER_ZSTD, TILEDB_FILTER_LZ4, TILEDB_FILTER_RLE,
    TILEDB_FILTER_BZIP2, TILEDB_FILTER_DOUBLE_DELTA, TILEDB_FILTER_BIT_WIDTH_REDUCTION, TILEDB_FILTER_BITSHUFFLE,
    TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_POSITIVE_DELTA, TILEDB_FILTER_CHECKSUM_MD5,
    TILEDB_FILTER_CHECKSUM_SHA256, TILEDB_FILTER_DICTIONARY, TILEDB_FILTER_SCALE_FLOAT, TILEDB_FILTER_XOR,
    TILEDB_FILTER_WEBP, TILEDB_FILTER_DELTA};
enum { TYPES = sizeof types / sizeof *types, OPTIONS = 10 };

TEST_WITH(ctx, filters_return_their_type) {
  for (int i = 0; i < TYPES; i++) {
    tiledb_filter_t* filter = new_filter(ctx, types[i]);
    tiledb_filter_type_t type = TILEDB_INTERNAL_FILTER_COUNT;
    CHECK_OK(ctx, tiledb_filter_get_type(ctx, filter, &type));
    CHECK_EQ(type, types[i]);
    tiledb_filter_free(&filter);
    CHECK(filter == NULL);
  }
}

TEST_WITH(ctx, an_unknown_type_is_an_error) {
  tiledb_filter_t* filter = NULL;
  CHECK_EQ(tiledb_filter_alloc(ctx, (tiledb_filter_type_t)99, &filter), TILEDB_ERR);
  CHECK_EQ(tiledb_filter_alloc(ctx, TILEDB_INTERNAL_FILTER_COUNT, &filter), TILEDB_ERR);
  CHECK(filter == NULL);
}

TEST_WITH(ctx, filter_options_depend_on_the_type) {
  static const char* const has[TYPES] = {
      "", "09", "09", "09", "09", "09", "09", "1", "", "", "2", "", "", "09", "345", "", "678", "09"};
  for (int i = 0; i < TYPES; i++) {
    for (int option = 0; option < OPTIONS; option++) {
      tiledb_filter_t* filter = new_filter(ctx, types[i]);
      uint64_t value[2] = {0, 0};
      int32_t code = tiledb_filter_get_option(ctx, filter, (tiledb_filter_option_t)option, value);
      if ((code == TILEDB_OK) != (strchr(has[i], '0' + option) != NULL))
        harness_fail(__FILE__, __LINE__, "filter %d, option %d: %d, %s", (int)types[i], option, (int)code, harness_error(ctx));
      tiledb_filter_free(&filter);
    }
  }
}

TEST_WITH(ctx, compression_levels_are_stored) {
  static const tiledb_filter_type_t compressors[] = {
      TILEDB_FILTER_GZIP, TILEDB_FILTER_ZSTD, TILEDB_FILTER_LZ4, TILEDB_FILTER_BZIP2, TILEDB_FILTER_RLE,
      TILEDB_FILTER_DICTIONARY, TILEDB_FILTER_DOUBLE_DELTA, TILEDB_FILTER_DELTA};
  for (int i = 0; i < 8; i++) {
    tiledb_filter_t* filter = new_filter(ctx, compressors[i]);
    int32_t level = 0;
    CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
    CHECK_EQ(level, -1);
    for (int32_t expected = -7; expected < 30; expected += 6) {
      CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &expected));
      CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
      CHECK_EQ(level, expected);
    }
    tiledb_filter_free(&filter);
  }
}

TEST_WITH(ctx, windows_have_defaults_and_are_kept) {
  tiledb_filter_t* width = new_filter(ctx, TILEDB_FILTER_BIT_WIDTH_REDUCTION);
  tiledb_filter_t* delta = new_filter(ctx, TILEDB_FILTER_POSITIVE_DELTA);
  uint32_t window = 0;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, width, TILEDB_BIT_WIDTH_MAX_WINDOW, &window));
  CHECK_EQ(window, 256);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, delta, TILEDB_POSITIVE_DELTA_MAX_WINDOW, &window));
  CHECK_EQ(window, 1024);
  window = 77;
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, width, TILEDB_BIT_WIDTH_MAX_WINDOW, &window));
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, delta, TILEDB_POSITIVE_DELTA_MAX_WINDOW, &window));
  window = 0;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, width, TILEDB_BIT_WIDTH_MAX_WINDOW, &window));
  CHECK_EQ(window, 77);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, delta, TILEDB_POSITIVE_DELTA_MAX_WINDOW, &window));
  CHECK_EQ(window, 77);
  tiledb_filter_free(&width);
  tiledb_filter_free(&delta);
}

TEST_WITH(ctx, float_scaling_checks_its_options) {
  tiledb_filter_t* filter = new_filter(ctx, TILEDB_FILTER_SCALE_FLOAT);
  uint64_t width = 0, three = 3;
  double value = 0, infinite = 1e308 * 10;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_SCALE_FLOAT_BYTEWIDTH, &width));
  CHECK_EQ(width, 8);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &value));
  CHECK(value == 1);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_SCALE_FLOAT_OFFSET, &value));
  CHECK(value == 0);
  for (width = 1; width <= 8; width *= 2)
    CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_BYTEWIDTH, &width));
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_BYTEWIDTH, &three),
              "[TileDB::Filter] Error: Float scaling filter error; invalid byte width value.");
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &infinite),
              "[TileDB::Filter] Error: Float scaling filter error; invalid scale value.");
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_OFFSET, &infinite),
              "[TileDB::Filter] Error: Float scaling filter error; invalid offset value.");
  value = -0.5;
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_OFFSET, &value));
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &value));
  value = 0;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_SCALE_FLOAT_OFFSET, &value));
  CHECK(value == -0.5);
  tiledb_filter_free(&filter);
}

TEST_WITH(ctx, webp_checks_its_options) {
  tiledb_filter_t* filter = new_filter(ctx, TILEDB_FILTER_WEBP);
  float quality = 0, too_much = 100.5f, negative = -1;
  uint8_t format = 9, lossless = 9;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_WEBP_QUALITY, &quality));
  CHECK(quality == 100);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_WEBP_INPUT_FORMAT, &format));
  CHECK_EQ(format, TILEDB_WEBP_NONE);
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_WEBP_LOSSLESS, &lossless));
  CHECK_EQ(lossless, 0);
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_QUALITY, &too_much),
              "[TileDB::Filter] Error: Webp filter error; Quality must be in range [0.0, 100.0]");
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_QUALITY, &negative),
              "[TileDB::Filter] Error: Webp filter error; Quality must be in range [0.0, 100.0]");
  for (format = TILEDB_WEBP_NONE; format <= TILEDB_WEBP_BGRA; format++)
    CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_INPUT_FORMAT, &format));
  format = 5;
  CHECK_EQ(tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_INPUT_FORMAT, &format), TILEDB_ERR);
  lossless = 2;
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_LOSSLESS, &lossless),
              "[TileDB::Filter] Error: Webp filter error; Lossless compression must be either enabled (1) or "
              "disabled (0)");
  lossless = 1;
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_LOSSLESS, &lossless));
  quality = 33.5f;
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_QUALITY, &quality));
  quality = 0;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_WEBP_QUALITY, &quality));
  CHECK(quality == 33.5f);
  tiledb_filter_free(&filter);
}

TEST_WITH(ctx, delta_filters_can_reinterpret_the_datatype) {
  tiledb_filter_t* filter = new_filter(ctx, TILEDB_FILTER_DELTA);
  uint8_t type = 0, expected = TILEDB_INT64;
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_REINTERPRET_DATATYPE, &type));
  CHECK_EQ(type, TILEDB_ANY);
  CHECK_OK(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_REINTERPRET_DATATYPE, &expected));
  CHECK_OK(ctx, tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_REINTERPRET_DATATYPE, &type));
  CHECK_EQ(type, TILEDB_INT64);
  tiledb_filter_free(&filter);
}

TEST_WITH(ctx, options_of_other_filters_are_errors) {
  tiledb_filter_t* zstd = new_filter(ctx, TILEDB_FILTER_ZSTD);
  tiledb_filter_t* width = new_filter(ctx, TILEDB_FILTER_BIT_WIDTH_REDUCTION);
  tiledb_filter_t* none = new_filter(ctx, TILEDB_FILTER_NONE);
  uint32_t value = 1;
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, zstd, TILEDB_BIT_WIDTH_MAX_WINDOW, &value),
              "[TileDB::Filter] Error: Compression filter error; unknown option");
  CHECK_ERROR(ctx, tiledb_filter_get_option(ctx, zstd, TILEDB_BIT_WIDTH_MAX_WINDOW, &value),
              "[TileDB::Filter] Error: Compression filter error; unknown option");
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, width, TILEDB_COMPRESSION_LEVEL, &value),
              "[TileDB::Filter] Error: Bit width reduction filter error; unknown option");
  CHECK_ERROR(ctx, tiledb_filter_get_option(ctx, width, TILEDB_COMPRESSION_LEVEL, &value),
              "[TileDB::Filter] Error: Bit width reduction filter error; unknown option");
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, none, TILEDB_COMPRESSION_LEVEL, &value),
              "[TileDB::Filter] Error: Filter does not support options.");
  CHECK_ERROR(ctx, tiledb_filter_get_option(ctx, none, TILEDB_COMPRESSION_LEVEL, &value),
              "[TileDB::Filter] Error: Filter does not support options.");
  CHECK_EQ(tiledb_filter_set_option(ctx, zstd, (tiledb_filter_option_t)77, &value), TILEDB_ERR);
  CHECK_EQ(tiledb_filter_get_option(ctx, zstd, (tiledb_filter_option_t)77, &value), TILEDB_ERR);
  tiledb_filter_free(&zstd);
  tiledb_filter_free(&width);
  tiledb_filter_free(&none);
}

TEST_WITH(ctx, null_arguments_of_filters_are_errors) {
  tiledb_filter_t* filter = new_filter(ctx, TILEDB_FILTER_ZSTD);
  tiledb_filter_type_t type;
  int32_t level = 1;
  CHECK_EQ(tiledb_filter_alloc(NULL, TILEDB_FILTER_ZSTD, &filter), TILEDB_INVALID_CONTEXT);
  CHECK_EQ(tiledb_filter_get_type(NULL, filter, &type), TILEDB_INVALID_CONTEXT);
  CHECK_ERROR(ctx, tiledb_filter_get_type(ctx, NULL, &type), "C API: Invalid TileDB filter object");
  CHECK_EQ(tiledb_filter_get_type(ctx, filter, NULL), TILEDB_ERR);
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, NULL, TILEDB_COMPRESSION_LEVEL, &level),
              "C API: Invalid TileDB filter object");
  CHECK_ERROR(ctx, tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, NULL),
              "[TileDB::Filter] Error: Compression filter error; invalid option value");
  CHECK_ERROR(ctx, tiledb_filter_get_option(ctx, NULL, TILEDB_COMPRESSION_LEVEL, &level),
              "C API: Invalid TileDB filter object");
  CHECK_EQ(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, NULL), TILEDB_ERR);
  tiledb_filter_free(&filter);
  tiledb_filter_free(&filter);
  tiledb_filter_free(NULL);
}
