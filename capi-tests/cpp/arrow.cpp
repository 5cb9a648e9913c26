/* Exchange of buffers with Arrow. */
#include "fixtures.h"

#include <tiledb/arrowio>

#include <cstring>

using namespace tiledb;

namespace {

/* Returns a query that has read the whole sparse array. */
struct Read {
  explicit Read(Context& ctx)
      : array(ctx, fixtures::sparse_array(ctx), TILEDB_READ)
      , query(ctx, array) {
    query.set_layout(TILEDB_GLOBAL_ORDER)
        .set_data_buffer("v", values)
        .set_data_buffer("s", texts)
        .set_offsets_buffer("s", offsets)
        .set_validity_buffer("s", valid);
    query.submit();
  }

  Array array;
  Query query;
  std::vector<double> values = std::vector<double>(5);
  std::string texts = std::string(10, ' ');
  std::vector<uint64_t> offsets = std::vector<uint64_t>(5);
  std::vector<uint8_t> valid = std::vector<uint8_t>(5);
};

/* Imports an array of `length` cells from the cell `offset` of the buffers on. */
void import(Query& query, const char* name, const char* format, int64_t length, std::vector<const void*> buffers,
    int64_t offset = 0, int64_t flags = ARROW_FLAG_NULLABLE) {
  arrow::CPPArrowSchema schema(name, format, std::nullopt, flags, {}, nullptr);
  ArrowArray data{};
  data.length = length;
  data.offset = offset;
  data.n_buffers = static_cast<int64_t>(buffers.size());
  data.buffers = buffers.data();
  arrow::query_set_buffer_arrow_array(&query, name, &data, schema.ptr());
}

}  // namespace

TEST(fields_are_exported_without_copies) {
  Context ctx;
  Read read(ctx);
  arrow::ArrowAdapter adapter(&ctx, &read.query);
  ArrowArray array;
  ArrowSchema schema;
  adapter.export_buffer("v", &array, &schema);
  CHECK_EQ(std::string(schema.format) + schema.name, "gv");
  CHECK_EQ(array.length, 3);
  CHECK_EQ(array.n_buffers, 2);
  CHECK(array.buffers[1] == read.values.data() && array.buffers[0] == nullptr);
  array.release(&array);
  schema.release(&schema);
  CHECK(array.release == nullptr && schema.release == nullptr);
}

TEST(nullable_strings_are_exported) {
  Context ctx;
  Read read(ctx);
  ArrowArray array;
  ArrowSchema schema;
  arrow::query_get_buffer_arrow_array(&ctx, &read.query, "s", &array, &schema);
  CHECK_EQ(std::string(schema.format), "U");
  CHECK_EQ(schema.flags, ARROW_FLAG_NULLABLE);
  CHECK_EQ(array.length, 3);
  CHECK_EQ(array.null_count, 1);
  CHECK_EQ(*static_cast<const uint8_t*>(array.buffers[0]), 5);
  const auto* offsets = static_cast<const uint64_t*>(array.buffers[1]);
  CHECK(offsets[0] == 0 && offsets[1] == 1 && offsets[3] == 3);
  CHECK_EQ(std::memcmp(array.buffers[2], "xzz", 3), 0);
  CHECK_EQ(read.valid[2], 1);
  array.release(&array);
  schema.release(&schema);
}

TEST(arrow_arrays_are_written) {
  Context ctx;
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::sparse_schema(ctx));
  {
    const Array array(ctx, uri, TILEDB_WRITE);
    Query query(ctx, array);
    query.set_layout(TILEDB_UNORDERED);
    const double values[3] = {9, 1, 2};
    const int32_t offsets[3] = {0, 1, 1};
    const uint8_t bitmap = 1;
    const uint64_t times[2] = {1, 2}, id_offsets[3] = {0, 1, 2};
    import(query, "v", "g", 2, {nullptr, values}, 1);
    import(query, "s", "u", 2, {&bitmap, offsets, "q"});
    import(query, "t", "L", 2, {nullptr, times});
    import(query, "id", "Z", 2, {nullptr, id_offsets, "ab"});
    CHECK(query.submit() == Query::Status::COMPLETE);
  }
  const Array array(ctx, uri, TILEDB_READ);
  std::vector<double> values(2);
  std::string texts(4, ' ');
  std::vector<uint64_t> offsets(2);
  std::vector<uint8_t> valid(2);
  Query query(ctx, array);
  query.set_layout(TILEDB_GLOBAL_ORDER)
      .set_data_buffer("v", values)
      .set_data_buffer("s", texts)
      .set_offsets_buffer("s", offsets)
      .set_validity_buffer("s", valid)
      .submit();
  CHECK((values == std::vector<double>{1, 2}));
  CHECK((valid == std::vector<uint8_t>{1, 0}));
  CHECK_EQ(query.result_buffer_elements().at("s").second, 1);
  CHECK_EQ(texts[0], 'q');
}

TEST(offsets_are_imported_in_the_form_of_the_query) {
  const uint64_t times[3] = {1, 2, 3}, wide[4] = {0, 1, 3, 6};
  const int32_t narrow[4] = {0, 1, 3, 6};
  for (const char* bits : {"32", "64"}) {
    for (const char* extra : {"true", "false"}) {
      Context ctx;
      const std::string uri = harness::scratch();
      ArraySchema schema(ctx, TILEDB_SPARSE);
      // No dimension of strings: libtiledb reads 32-bit offsets of dimensions as 64-bit ones.
      schema.set_domain(Domain(ctx).add_dimension(Dimension::create<uint64_t>(ctx, "t", {{0, 1000}}, 10)));
      schema.add_attribute(Attribute::create<std::string>(ctx, "s").set_nullable(true));
      schema.add_attribute(Attribute::create<std::string>(ctx, "z"));
      Array::create(uri, schema);
      {
        const Array array(ctx, uri, TILEDB_WRITE);
        Query query(ctx, array);
        Config config;
        config.set("sm.var_offsets.bitsize", bits).set("sm.var_offsets.extra_element", extra);
        query.set_config(config).set_layout(TILEDB_UNORDERED);
        import(query, "s", "u", 3, {nullptr, narrow, "xyyzzz"});
        import(query, "t", "L", 3, {nullptr, times});
        import(query, "z", "Z", 3, {nullptr, wide, "abbccc"});
        CHECK(query.submit() == Query::Status::COMPLETE);
      }
      const Array array(ctx, uri, TILEDB_READ);
      std::string texts(7, ' '), bytes(7, ' ');
      std::vector<uint64_t> text_offsets(3), byte_offsets(3);
      std::vector<uint8_t> valid(3);
      Query query(ctx, array);
      query.set_layout(TILEDB_GLOBAL_ORDER).set_data_buffer("z", bytes).set_offsets_buffer("z", byte_offsets);
      query.set_data_buffer("s", texts).set_offsets_buffer("s", text_offsets).set_validity_buffer("s", valid);
      CHECK(query.submit() == Query::Status::COMPLETE);
      CHECK_EQ(bytes + texts, "abbccc xyyzzz ");
      CHECK((byte_offsets == std::vector<uint64_t>{0, 1, 3} && text_offsets == byte_offsets));
    }
  }
}

TEST(arrow_arrays_without_nulls_have_no_bitmap) {
  Context ctx;
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::sparse_schema(ctx));
  const double values[2] = {1, 2};
  const uint64_t times[2] = {1, 2}, offsets[3] = {0, 1, 2};
  const auto write = [&](int64_t flags, int64_t length, const char* texts, const uint64_t* text_offsets) {
    const Array array(ctx, uri, TILEDB_WRITE);
    Query query(ctx, array);
    query.set_layout(TILEDB_UNORDERED);
    import(query, "v", "g", length, {nullptr, values}, 0, flags);
    import(query, "s", "U", length, {nullptr, text_offsets, texts}, 0, flags);
    import(query, "t", "L", length, {nullptr, times}, 0, flags);
    import(query, "id", "Z", length, {nullptr, text_offsets, texts}, 0, flags);
    return query.submit();
  };
  CHECK(write(ARROW_FLAG_NULLABLE, 2, "ab", offsets) == Query::Status::COMPLETE);
  CHECK(write(0, 1, "c", offsets) == Query::Status::COMPLETE);
  CHECK_THROWS(write(0, -1, "c", offsets), TileDBError, "[TileDB-Arrow]: An array has a negative length or offset");
  // An array without strings may have no offsets.
  CHECK(write(0, 0, "", nullptr) == Query::Status::COMPLETE);
  const Array array(ctx, uri, TILEDB_READ);
  std::vector<uint64_t> read_offsets(5);
  std::vector<uint8_t> valid(5);
  std::string texts(5, ' ');
  Query query(ctx, array);
  query.set_layout(TILEDB_GLOBAL_ORDER).set_data_buffer("s", texts).set_offsets_buffer("s", read_offsets);
  query.set_validity_buffer("s", valid).submit();
  CHECK_EQ(texts, "abc  ");
  CHECK((valid == std::vector<uint8_t>{1, 1, 1, 0, 0}));
}

TEST(cells_of_several_values_have_no_counterpart) {
  Context ctx;
  const std::string uri = harness::scratch();
  ArraySchema schema = fixtures::dense_schema(ctx);
  schema.add_attribute(Attribute::create<std::array<int32_t, 2>>(ctx, "pair"));
  schema.add_attribute(Attribute(ctx, "letter", TILEDB_CHAR));
  schema.add_attribute(Attribute::create<int32_t>(ctx, "maybe").set_nullable(true));
  Array::create(uri, schema);
  const Array array(ctx, uri, TILEDB_READ);
  std::vector<int32_t> pairs(32), numbers(16);
  std::string letters(16, ' ');
  Query query(ctx, array);
  query.set_data_buffer("pair", pairs).set_data_buffer("letter", letters).set_data_buffer("maybe", numbers);
  ArrowArray data;
  ArrowSchema type;
  arrow::ArrowAdapter adapter(&ctx, &query);
  // libtiledb exports 32 values, and a text without offsets.
  CHECK_THROWS(adapter.export_buffer("pair", &data, &type), TileDBError,
      "ArrowExporter: 'pair' has several values per cell, which has no counterpart.");
  CHECK_THROWS(adapter.export_buffer("letter", &data, &type), TileDBError,
      "ArrowExporter: 'letter' has characters of fixed size, which have no counterpart.");
  CHECK_THROWS(adapter.export_buffer("maybe", &data, &type), TileDBError,
      "ArrowExporter: 'maybe' has no validity buffer.");
}

TEST(formats_without_counterpart_are_errors) {
  Context ctx;
  Read read(ctx);
  ArrowArray array;
  ArrowSchema schema;
  CHECK_THROWS_WITH(arrow::query_get_buffer_arrow_array(&ctx, &read.query, "none", &array, &schema), TileDBError,
      "Schema does not have attribute named 'none'");
  CHECK_THROWS_WITH(arrow::query_get_buffer_arrow_array(&ctx, &read.query, "t", &array, &schema), TileDBError,
      "No results found for attribute 't'");
  arrow::CPPArrowSchema unknown("x", "+l", std::nullopt, 0, {}, nullptr);
  CHECK_THROWS(arrow::arrow_type_to_tiledb(unknown.ptr()), TileDBError,
      "[TileDB-Arrow]: Unknown or unsupported Arrow format string '+l'");
  CHECK_THROWS(arrow::check_arrow_schema(nullptr), TileDBError, "[ArrowIO]: Invalid ArrowSchema object!");
}

TEST(bitmaps_become_bytes_and_back) {
  uint8_t bytes[10] = {0b10101, 0b10};
  arrow::bitmap_to_bytemap(bytes, 10);
  CHECK((bytes[0] == 1 && bytes[1] == 0 && bytes[4] == 1 && bytes[9] == 1 && bytes[8] == 0));
  CHECK_EQ(arrow::bytemap_to_bitmap(bytes, 10), 6);
  CHECK_EQ(bytes[0], 0b10101);
  CHECK_EQ(bytes[1], 0b10);
  CHECK_EQ(arrow::bitmap_get(bytes, 9), 1);
}
