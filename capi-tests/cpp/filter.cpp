/* Filter and FilterList. */
#include "harness.h"

using namespace tiledb;

using UnsignedForInt32 = FilterOptionTypeError<int32_t, uint32_t>;
using DoubleForInt32 = FilterOptionTypeError<int32_t, double>;
using IntForByte = FilterOptionTypeError<uint8_t, int>;

TEST(options_have_types) {
  const Context ctx;
  Filter filter(ctx, TILEDB_FILTER_ZSTD);
  CHECK(&filter.set_option(TILEDB_COMPRESSION_LEVEL, 5) == &filter);
  CHECK_EQ(filter.get_option<int32_t>(TILEDB_COMPRESSION_LEVEL), 5);
  int32_t level = 7;
  filter.set_option(TILEDB_COMPRESSION_LEVEL, &level);
  level = 0;
  filter.get_option(TILEDB_COMPRESSION_LEVEL, &level);
  CHECK_EQ(level, 7);
  filter.get_option(TILEDB_COMPRESSION_LEVEL, static_cast<void*>(&level));
  CHECK_EQ(level, 7);
  CHECK_THROWS(filter.set_option(TILEDB_COMPRESSION_LEVEL, 5u), UnsignedForInt32,
      "Cannot set filter option 'COMPRESSION_LEVEL' with type 'UINT32'; Option value must be 'INT32'.");
  CHECK_THROWS(filter.get_option<double>(TILEDB_COMPRESSION_LEVEL), DoubleForInt32,
      "Cannot set filter option 'COMPRESSION_LEVEL' with type 'FLOAT64'; Option value must be 'INT32'.");
}

TEST(options_with_enums_take_either_type) {
  const Context ctx;
  Filter delta(ctx, TILEDB_FILTER_DELTA);
  delta.set_option(TILEDB_COMPRESSION_REINTERPRET_DATATYPE, TILEDB_INT16);
  delta.set_option(TILEDB_COMPRESSION_REINTERPRET_DATATYPE, static_cast<uint8_t>(TILEDB_INT32));
  CHECK_EQ(delta.get_option<uint8_t>(TILEDB_COMPRESSION_REINTERPRET_DATATYPE), TILEDB_INT32);
  CHECK_THROWS(delta.set_option(TILEDB_COMPRESSION_REINTERPRET_DATATYPE, 1), IntForByte,
      "Cannot set filter option 'COMPRESSION_REINTERPRET_DATATYPE' with type 'INT32'; Option value must be "
      "'tiledb_datatype_t' or 'UINT8'.");
  CHECK_THROWS(delta.set_option(static_cast<tiledb_filter_option_t>(15), 1), std::invalid_argument,
      "Invalid filter option ''");
}

TEST(wrong_options_are_errors_of_the_library) {
  const Context ctx;
  Filter filter(ctx, TILEDB_FILTER_BITSHUFFLE);
  CHECK_THROWS_WITH(filter.set_option(TILEDB_COMPRESSION_LEVEL, 5), TileDBError, "option");
  CHECK_THROWS_WITH(Filter(ctx, static_cast<tiledb_filter_type_t>(31)), TileDBError, "");
}

TEST(filters_have_names) {
  const Context ctx;
  CHECK_EQ(Filter::to_str(TILEDB_FILTER_NONE), "NOOP");
  CHECK_EQ(Filter::to_str(TILEDB_FILTER_DICTIONARY), "DICTIONARY_ENCODING");
  CHECK_EQ(Filter::to_str(static_cast<tiledb_filter_type_t>(31)), "");
  CHECK_EQ(harness::show(Filter(ctx, TILEDB_FILTER_GZIP)), "Filter<GZIP>");
}

TEST(lists_keep_the_order) {
  const Context ctx;
  FilterList list(ctx);
  list.add_filter(Filter(ctx, TILEDB_FILTER_BYTESHUFFLE)).add_filter({ctx, TILEDB_FILTER_LZ4}).set_max_chunk_size(10);
  CHECK_EQ(list.nfilters(), 2);
  CHECK_EQ(list.filter(1).filter_type(), TILEDB_FILTER_LZ4);
  CHECK_EQ(list.max_chunk_size(), 10);
  CHECK_EQ(harness::show(list), "FilterList<10, Filter<BYTESHUFFLE> Filter<LZ4>>");
  CHECK_THROWS_WITH(list.filter(2), TileDBError, "out of bounds");
  const FilterList copy = list;
  CHECK(copy.ptr().get() == list.ptr().get());
}

TEST(moved_from_filters_fail) {
  const Context ctx;
  Filter filter(ctx, TILEDB_FILTER_GZIP);
  const Filter moved = std::move(filter);
  CHECK(filter.ptr() == nullptr);
  CHECK_THROWS_WITH(filter.filter_type(), TileDBError, "Invalid TileDB filter object");
  CHECK_EQ(moved.filter_type(), TILEDB_FILTER_GZIP);
  FilterList list(ctx);
  const FilterList moved_list = std::move(list);
  CHECK_THROWS_WITH(list.nfilters(), TileDBError, "Invalid TileDB filter list object");
}
