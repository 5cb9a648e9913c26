/* Type traits, checks of types and the functions of utils.h. */
#include "harness.h"

#include <tiledb/capi_string.h>

#include <array>
#include <cstddef>
#include <vector>

using namespace tiledb;
using impl::TypeHandler;

static_assert(impl::type_to_tiledb<int32_t>::tiledb_type == TILEDB_INT32);
static_assert(std::is_same_v<impl::tiledb_to_type<TILEDB_GEOM_WKB>::type, std::byte>);
static_assert(std::is_same_v<impl::tiledb_to_type<TILEDB_FLOAT32>::type, float>);
static_assert(TypeHandler<std::string>::tiledb_num == impl::var_num);
static_assert(TypeHandler<std::array<float, 3>>::tiledb_num == 3);
static_assert(TypeHandler<float[4]>::tiledb_num == 4);
static_assert(TypeHandler<bool>::tiledb_type == TILEDB_BOOL);

struct Point {
  int32_t x, y;
};
static_assert(TypeHandler<Point>::tiledb_num == 8 && TypeHandler<Point>::tiledb_type == TILEDB_STRING_ASCII);

TEST(handlers_copy_values) {
  const std::array<int32_t, 2> source{1, 2};
  std::array<int32_t, 2> array{};
  TypeHandler<std::array<int32_t, 2>>::set(array, source.data(), sizeof source);
  CHECK_EQ(array[1], 2);
  int32_t c_array[2] = {};
  TypeHandler<int32_t[2]>::set(c_array, source.data(), sizeof source);
  CHECK_EQ(c_array[1], 2);
  std::vector<int32_t> vector;
  TypeHandler<std::vector<int32_t>>::set(vector, source.data(), sizeof source);
  CHECK_EQ(vector.size(), 2);
  std::u16string text;
  TypeHandler<std::u16string>::set(text, u"ab", 4);
  CHECK(text == u"ab");
  CHECK_EQ(TypeHandler<const char*>::size("abc"), 3);
  int32_t value = 0;
  TypeHandler<int32_t>::set(value, source.data(), 4);
  CHECK_EQ(value, 1);
  CHECK_THROWS(TypeHandler<int32_t>::set(value, source.data(), 8), std::runtime_error,
      "Attempting to set type with incorrect size.");
}

TEST(type_checks_word_the_mismatch) {
  impl::type_check<int32_t>(TILEDB_INT32);
  impl::type_check<char>(TILEDB_STRING_UTF8);
  impl::type_check<int64_t>(TILEDB_DATETIME_DAY);
  impl::type_check<int64_t>(TILEDB_TIME_NS);
  impl::type_check<std::byte>(TILEDB_BLOB);
  impl::type_check<bool>(TILEDB_BOOL);
  CHECK_THROWS(impl::type_check<int64_t>(TILEDB_INT32), TypeError,
      "Static type (INT64) does not match expected type (INT32)");
  CHECK_THROWS(impl::type_check<int32_t>(TILEDB_STRING_ASCII), TypeError,
      "Static type (INT32) does not match expected container type STRING_ASCII for tiledb type (STRING_ASCII)");
  CHECK_THROWS(impl::type_check<uint8_t>(TILEDB_GEOM_WKT), TypeError,
      "Static type does not match expected container type std::byte for tiledb byte type");
  CHECK_THROWS(impl::type_check<uint64_t>(TILEDB_DATETIME_MS), TypeError,
      "Static type does not match expected container type int64_t for tiledb datetime type");
  CHECK_THROWS(impl::type_check<int32_t>(TILEDB_TIME_SEC), TypeError,
      "Static type does not match expected container type int64_t for tiledb time type");
  CHECK_THROWS((impl::type_check<std::array<int32_t, 2>>(TILEDB_INT32, 3)), TypeError,
      "Expected num of 3, static type has num of 2");
}

TEST(datatypes_have_names_and_kinds) {
  CHECK_EQ(impl::type_to_str(TILEDB_UINT16), "UINT16");
  CHECK_EQ(impl::to_str(TILEDB_DATETIME_AS), "DATETIME_AS");
  CHECK_EQ(impl::type_size(TILEDB_FLOAT64), 8);
  CHECK(impl::tiledb_string_type(TILEDB_CHAR) && !impl::tiledb_string_type(TILEDB_BLOB));
  CHECK(impl::tiledb_datetime_type(TILEDB_DATETIME_YEAR) && !impl::tiledb_datetime_type(TILEDB_TIME_HR));
  CHECK(impl::tiledb_time_type(TILEDB_TIME_AS) && !impl::tiledb_time_type(TILEDB_INT64));
  CHECK(impl::tiledb_byte_type(TILEDB_GEOM_WKB) && !impl::tiledb_byte_type(TILEDB_UINT8));
}

TEST(buffers_are_divided_into_cells) {
  const std::vector<char> data{'a', 'b', 'b', 'c'};
  const std::vector<uint64_t> offsets{0, 1, 3, 99};
  const auto cells = group_by_cell<char, std::string>(offsets, data, 3, 4);
  CHECK_EQ(cells.size(), 3);
  CHECK_EQ(cells[0] + "," + cells[1] + "," + cells[2], "a,bb,c");
  CHECK((group_by_cell<char>(std::pair(offsets, data), 0, 0).empty()));
  const std::vector<int> numbers{1, 2, 3, 4};
  CHECK_EQ(group_by_cell(numbers, 2).at(1).at(0), 3);
  CHECK_EQ(group_by_cell(numbers, 2, 2).size(), 1);
  CHECK_EQ(group_by_cell<2>(numbers).at(1)[1], 4);
  CHECK_THROWS(group_by_cell(numbers, 3), std::invalid_argument, "Buffer is not a multiple of elements per cell.");
  CHECK_THROWS(group_by_cell<3>(numbers), std::invalid_argument, "Buffer is not a multiple of elements per cell.");
  const std::vector<uint64_t> two{0, 8};
  CHECK_EQ((group_by_cell<int>(two, numbers)).at(1).size(), 2);
}

TEST(cells_are_joined_into_buffers) {
  const std::vector<std::string> texts{"a", "", "bcd"};
  const auto [offsets, data] = ungroup_var_buffer(texts);
  CHECK((offsets == std::vector<uint64_t>{0, 1, 1}));
  CHECK_EQ(std::string(data.begin(), data.end()), "abcd");
  CHECK((flatten(std::vector<std::vector<int>>{{1}, {}, {2, 3}}) == std::vector<int>{1, 2, 3}));
  CHECK(ungroup_var_buffer(std::vector<std::vector<int>>{}).first.empty());
}

TEST(c_strings_are_owned_once) {
  tiledb_string_t* none = nullptr;
  CHECK_THROWS(impl::CAPIString(&none), std::invalid_argument,
      "Pointer to string handle cannot be null or point to null handle.");
  CHECK(!impl::convert_to_string(&none).has_value());
  tiledb_string_t* text = nullptr;
  CHECK_EQ(tiledb_as_built_dump(&text), TILEDB_OK);
  CHECK_EQ(impl::convert_to_string(&text).value().front(), '{');
  CHECK(text == nullptr);
  CHECK_EQ(AsBuilt::dump().front(), '{');
}
