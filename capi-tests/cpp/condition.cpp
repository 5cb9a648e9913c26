/* QueryCondition and QueryConditionExperimental. */
#include "fixtures.h"

using namespace tiledb;

namespace {

std::string matches(const Context& ctx, const Array& array, const QueryCondition& condition) {
  std::string ids(20, ' ');
  std::vector<uint64_t> offsets(10);
  Query query(ctx, array);
  query.set_layout(TILEDB_GLOBAL_ORDER).set_condition(condition);
  query.set_data_buffer("id", ids).set_offsets_buffer("id", offsets).submit();
  return ids.substr(0, query.result_buffer_elements().at("id").second);
}

}  // namespace

TEST(conditions_compare_values) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  CHECK_EQ(matches(ctx, array, QueryCondition::create(ctx, "v", 1.0, TILEDB_GT)), "bcc");
  CHECK_EQ(matches(ctx, array, QueryCondition::create(ctx, "s", std::string("zz"), TILEDB_EQ)), "cc");
  QueryCondition null(ctx);
  null.init("s", nullptr, 0, TILEDB_EQ);
  CHECK_EQ(matches(ctx, array, null), "b");
  QueryCondition text(ctx);
  text.init("s", std::string("x"), TILEDB_EQ);
  CHECK_EQ(matches(ctx, array, text), "a");
  CHECK_THROWS_WITH(text.init("s", std::string("x"), TILEDB_EQ), TileDBError, "");
}

TEST(literals_are_strings) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  // libtiledb compares the bytes of the pointer.
  CHECK_EQ(matches(ctx, array, QueryCondition::create(ctx, "s", "zz", TILEDB_EQ)), "cc");
}

TEST(views_are_strings) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  // libtiledb compares the bytes of the view: its length and its pointer.
  const std::string_view text = std::string_view("zz and more").substr(0, 2);
  CHECK_EQ(matches(ctx, array, QueryCondition::create(ctx, "s", text, TILEDB_EQ)), "cc");
  CHECK_EQ(matches(ctx, array, QueryCondition::create(ctx, "s", std::string_view(), TILEDB_NE)), "acc");
  const std::vector<std::string_view> texts{text, "x"};
  CHECK_EQ(matches(ctx, array, QueryConditionExperimental::create(ctx, "s", texts, TILEDB_IN)), "acc");
}

TEST(conditions_combine) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  const auto low = QueryCondition::create(ctx, "v", 1.0, TILEDB_LT);
  const auto high = QueryCondition::create(ctx, "v", 2.0, TILEDB_GT);
  CHECK_EQ(matches(ctx, array, low.combine(high, TILEDB_OR)), "acc");
  CHECK_EQ(matches(ctx, array, low.combine(high, TILEDB_AND)), "");
  CHECK_EQ(matches(ctx, array, low.negate()), "bcc");
  QueryCondition moved_from = low;
  const QueryCondition moved = std::move(moved_from);
  CHECK_THROWS_WITH(moved_from.negate(), TileDBError, "");
  CHECK_EQ(matches(ctx, array, moved), "a");
}

TEST(conditions_have_sets) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  const std::vector<double> values{0.5, 2.5};
  CHECK_EQ(matches(ctx, array, QueryConditionExperimental::create(ctx, "v", values, TILEDB_IN)), "acc");
  CHECK_EQ(matches(ctx, array, QueryConditionExperimental::create(ctx, "v", values, TILEDB_NOT_IN)), "b");
  const std::vector<std::string> texts{"x", "other"};
  CHECK_EQ(matches(ctx, array, QueryConditionExperimental::create(ctx, "s", texts, TILEDB_IN)), "a");
}

TEST(sets_of_wide_strings_are_compared_completely) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  // A character of two bytes, which are "zz"; libtiledb compares the first.
  const std::vector<std::u16string> texts{{char16_t{0x7a7a}}};
  CHECK_EQ(matches(ctx, array, QueryConditionExperimental::create(ctx, "s", texts, TILEDB_IN)), "cc");
}
