/* Attribute, Dimension, Domain and ArraySchema. */
#include "fixtures.h"

#include <array>

using namespace tiledb;

TEST(attributes_have_types_filters_and_fill_values) {
  const Context ctx;
  FilterList filters(ctx);
  filters.add_filter({ctx, TILEDB_FILTER_GZIP});
  Attribute attribute = Attribute::create<int32_t>(ctx, "a", filters);
  CHECK_EQ(attribute.name(), "a");
  CHECK_EQ(attribute.type(), TILEDB_INT32);
  CHECK_EQ(attribute.cell_size(), 4);
  CHECK_EQ(attribute.cell_val_num(), 1);
  CHECK_EQ(attribute.filter_list().nfilters(), 1);
  CHECK(!attribute.variable_sized() && !attribute.nullable());
  const int32_t fill = 77;
  attribute.set_fill_value(&fill, sizeof fill);
  const void* value = nullptr;
  uint64_t size = 0;
  attribute.get_fill_value(&value, &size);
  CHECK_EQ(size, 4);
  CHECK_EQ(*static_cast<const int32_t*>(value), 77);
  attribute.set_nullable(true).set_fill_value(&fill, sizeof fill, 1);
  uint8_t valid = 0;
  attribute.get_fill_value(&value, &size, &valid);
  CHECK_EQ(valid, 1);
  CHECK_THROWS_WITH(attribute.get_fill_value(&value, &size), TileDBError, "nullable");
  CHECK(&attribute.context() == &ctx);
}

TEST(attributes_come_from_c_types) {
  const Context ctx;
  CHECK_EQ(Attribute::create<std::string>(ctx, "s").type(), TILEDB_STRING_ASCII);
  CHECK(Attribute::create<std::string>(ctx, "s").variable_sized());
  CHECK_EQ((Attribute::create<std::array<float, 3>>(ctx, "f").cell_val_num()), 3);
  CHECK_EQ(Attribute::create<std::vector<int8_t>>(ctx, "v").cell_val_num(), impl::var_num);
  CHECK_EQ(Attribute::create(ctx, "d", TILEDB_DATETIME_DAY).type(), TILEDB_DATETIME_DAY);
  CHECK_EQ(Attribute::create<bool>(ctx, "b").type(), TILEDB_BOOL);
  CHECK_EQ(Attribute::create<std::byte>(ctx, "b").type(), TILEDB_BLOB);
  CHECK_EQ(Attribute(ctx, "x", TILEDB_INT8, FilterList(ctx)).name(), "x");
  CHECK(harness::show(Attribute::create<int32_t>(ctx, "a")).find("- Name: a") != std::string::npos);
}

TEST(dimensions_have_domains_and_extents) {
  const Context ctx;
  Dimension dimension = Dimension::create<int32_t>(ctx, "d", {{-5, 4}}, 5);
  CHECK_EQ(dimension.name(), "d");
  CHECK_EQ(dimension.type(), TILEDB_INT32);
  CHECK_EQ(dimension.domain<int32_t>().first, -5);
  CHECK_EQ(dimension.tile_extent<int32_t>(), 5);
  CHECK_EQ(dimension.domain_to_str() + dimension.tile_extent_to_str(), "[-5,4]5");
  CHECK_EQ(harness::show(dimension), "Dim<d,[-5,4],5>");
  CHECK_EQ(dimension.cell_val_num(), 1);
  CHECK_EQ(dimension.set_filter_list(FilterList(ctx)).filter_list().nfilters(), 0);
  CHECK_THROWS(dimension.domain<int64_t>(), TypeError, "Static type (INT64) does not match expected type (INT32)");
  CHECK_THROWS_WITH(Dimension::create<int32_t>(ctx, "d", {{4, 1}}, 5), TileDBError, "");
}

TEST(dimensions_of_every_kind_print) {
  const Context ctx;
  CHECK_EQ(Dimension::create<float>(ctx, "d", {{-0.5f, 1e9f}}).domain_to_str(), "[-0.5,1e+09]");
  CHECK_EQ(Dimension::create<double>(ctx, "d", {{0, 0.1}}, 0.1).tile_extent_to_str(), "0.1");
  CHECK_EQ(Dimension::create<float>(ctx, "d", {{0, 1}}).tile_extent_to_str(), "N/A");
  CHECK_EQ(Dimension::create<float>(ctx, "d", {{0, 1}}).tile_extent<float>(), 0.0f);
  CHECK_EQ(Dimension::create<uint64_t>(ctx, "d", {{0, 1ull << 63}}, 10).domain_to_str(), "[0,9223372036854775808]");
  const int64_t days[2] = {0, 99}, extent = 10;
  const Dimension time = Dimension::create(ctx, "t", TILEDB_DATETIME_DAY, days, &extent);
  CHECK_EQ(harness::show(time), "Dim<t,[0,99],10>");
  CHECK_EQ(time.domain<int64_t>().second, 99);
  const Dimension text = Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr);
  CHECK_EQ(harness::show(text), "Dim<s,,>");
  CHECK_EQ(text.cell_val_num(), impl::var_num);
  // These headers print numbers, libtiledb's print characters.
  CHECK_EQ(Dimension::create<int8_t>(ctx, "d", {{-3, 65}}, 5).domain_to_str(), "[-3,65]");
  CHECK_EQ(Dimension::create<uint8_t>(ctx, "d", {{1, 65}}, 5).tile_extent_to_str(), "5");
}

TEST(domains_count_cells) {
  const Context ctx;
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int8_t>(ctx, "a", {{-128, 126}}, 5))
      .add_dimensions(Dimension::create<int8_t>(ctx, "b", {{-1, 1}}, 1));
  CHECK_EQ(domain.cell_num(), 255 * 3);
  CHECK_EQ(domain.ndim(), 2);
  CHECK_EQ(domain.dimensions().at(1).name(), "b");
  CHECK_EQ(domain.dimension(0).name() + domain.dimension("b").name(), "ab");
  CHECK(domain.has_dimension("a") && !domain.has_dimension("c"));
  CHECK_EQ(domain.type(), TILEDB_INT8);
  CHECK(harness::show(domain).find("- Name: b") != std::string::npos);
  CHECK_THROWS_WITH(domain.dimension(2), TileDBError, "");
  CHECK_THROWS_WITH(domain.dimension("c"), TileDBError, "c");
  Domain real(ctx);
  real.add_dimension(Dimension::create<double>(ctx, "x", {{0, 1}}));
  CHECK_THROWS(real.cell_num(), TileDBError,
      "[TileDB::C++API::Domain] Cannot compute number of cells for a non-integer domain");
  Domain text(ctx);
  text.add_dimension(Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr));
  CHECK_THROWS(text.cell_num(), TileDBError,
      "[TileDB::C++API::Domain] Cannot compute number of cells; Unknown domain type");
}

TEST(schemas_have_all_settings) {
  const Context ctx;
  ArraySchema schema = fixtures::sparse_schema(ctx);
  schema.check();
  CHECK_EQ(schema.array_type(), TILEDB_SPARSE);
  CHECK_EQ(schema.set_capacity(10).capacity(), 10);
  CHECK(schema.set_allows_dups(true).allows_dups());
  CHECK_EQ(schema.set_tile_order(TILEDB_COL_MAJOR).tile_order(), TILEDB_COL_MAJOR);
  CHECK_EQ(schema.set_cell_order(TILEDB_COL_MAJOR).cell_order(), TILEDB_COL_MAJOR);
  CHECK_EQ(schema.set_order({{TILEDB_ROW_MAJOR, TILEDB_ROW_MAJOR}}).cell_order(), TILEDB_ROW_MAJOR);
  FilterList filters(ctx);
  filters.add_filter({ctx, TILEDB_FILTER_LZ4}).add_filter({ctx, TILEDB_FILTER_BZIP2});
  CHECK_EQ(schema.set_coords_filter_list(filters).coords_filter_list().nfilters(), 2);
  CHECK_EQ(schema.set_offsets_filter_list(filters).offsets_filter_list().nfilters(), 2);
  CHECK_EQ(schema.set_validity_filter_list(filters).validity_filter_list().nfilters(), 2);
  CHECK_EQ(schema.version(), 22);
  CHECK_EQ(schema.domain().ndim(), 2);
  CHECK_EQ(schema.timestamp_range().first, schema.timestamp_range().second);
  CHECK(&schema.context() == &ctx);
  CHECK(harness::show(schema).find("Array type: sparse") != std::string::npos);
}

TEST(schemas_have_attributes) {
  const Context ctx;
  ArraySchema schema = fixtures::sparse_schema(ctx);
  schema.add_attributes(Attribute::create<int>(ctx, "i"), Attribute::create<char>(ctx, "c"));
  CHECK_EQ(schema.attribute_num(), 4);
  CHECK_EQ(schema.attribute(0).name() + schema.attribute("i").name(), "vi");
  CHECK_EQ(schema.attributes().at("s").nullable(), true);
  CHECK(schema.has_attribute("v") && !schema.has_attribute("id"));
  CHECK_THROWS_WITH(schema.attribute(4), TileDBError, "");
  CHECK_THROWS_WITH(schema.attribute("none"), TileDBError, "none");
  CHECK_THROWS_WITH(ArraySchema(ctx, TILEDB_DENSE).check(), TileDBError, "");
}

TEST(schemas_are_read_from_arrays) {
  const Context ctx;
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::dense_schema(ctx));
  CHECK_EQ(ArraySchema(ctx, uri).attribute(0).name(), "a");
  CHECK_EQ(Array::load_schema(ctx, uri).domain().cell_num(), 16);
  CHECK_EQ(Array::load_schema_with_config(ctx, Config(), uri).array_type(), TILEDB_DENSE);
  CHECK_THROWS_WITH(ArraySchema(ctx, harness::scratch()), TileDBError, "");
}

TEST(orders_and_kinds_have_names) {
  CHECK_EQ(ArraySchema::to_str(TILEDB_DENSE) + ArraySchema::to_str(TILEDB_SPARSE), "DENSESPARSE");
  CHECK_EQ(ArraySchema::to_str(TILEDB_ROW_MAJOR) + ArraySchema::to_str(TILEDB_COL_MAJOR), "ROW-MAJORCOL-MAJOR");
  CHECK_EQ(ArraySchema::to_str(TILEDB_GLOBAL_ORDER) + ArraySchema::to_str(TILEDB_UNORDERED), "GLOBALUNORDERED");
  CHECK_EQ(ArraySchema::to_str(TILEDB_HILBERT), "HILBERT");
}

TEST(moved_from_schemas_fail) {
  const Context ctx;
  ArraySchema schema = fixtures::dense_schema(ctx);
  const ArraySchema moved = std::move(schema);
  CHECK(schema.ptr() == nullptr);
  CHECK_THROWS_WITH(schema.capacity(), TileDBError, "Invalid TileDB array_schema object");
  CHECK_EQ(moved.attribute_num(), 1);
  Attribute attribute = moved.attribute(0);
  const Attribute moved_attribute = std::move(attribute);
  CHECK_THROWS_WITH(attribute.name(), TileDBError, "Invalid TileDB attribute object");
  Dimension dimension = moved.domain().dimension(0);
  const Dimension moved_dimension = std::move(dimension);
  CHECK_THROWS_WITH(dimension.name(), TileDBError, "Invalid TileDB dimension object");
  Domain domain = moved.domain();
  const Domain moved_domain = std::move(domain);
  CHECK_THROWS_WITH(domain.ndim(), TileDBError, "Invalid TileDB domain object");
}
