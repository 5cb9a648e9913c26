/* Small arrays that several tests need. */
#ifndef CPP_FIXTURES_H
#define CPP_FIXTURES_H

#include "harness.h"

#include <cstdint>
#include <vector>

namespace fixtures {

/* A dense array: rows and columns 1 to 4 in tiles of 2 by 2, an int attribute "a". */
inline tiledb::ArraySchema dense_schema(const tiledb::Context& ctx) {
  tiledb::Domain domain(ctx);
  domain.add_dimensions(tiledb::Dimension::create<int32_t>(ctx, "rows", {{1, 4}}, 2),
      tiledb::Dimension::create<int32_t>(ctx, "cols", {{1, 4}}, 2));
  tiledb::ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(tiledb::Attribute::create<int32_t>(ctx, "a"));
  return schema;
}

/* Writes 0 to 15 into a new dense array. */
inline std::string dense_array(const tiledb::Context& ctx) {
  const std::string uri = harness::scratch();
  tiledb::Array::create(uri, dense_schema(ctx));
  tiledb::Array array(ctx, uri, TILEDB_WRITE);
  std::vector<int32_t> values(16);
  for (int32_t i = 0; i < 16; i++)
    values[static_cast<size_t>(i)] = i;
  tiledb::Query(ctx, array).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("a", values).submit();
  return uri;
}

/*
 * A sparse array: string dimension "id", uint64 dimension "t" 0 to 1000; "v" double, "s" nullable
 * string.
 */
inline tiledb::ArraySchema sparse_schema(const tiledb::Context& ctx) {
  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create(ctx, "id", TILEDB_STRING_ASCII, nullptr, nullptr))
      .add_dimension(tiledb::Dimension::create<uint64_t>(ctx, "t", {{0, 1000}}, 10));
  tiledb::ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).set_capacity(2);
  schema.add_attribute(tiledb::Attribute::create<double>(ctx, "v"));
  schema.add_attribute(tiledb::Attribute::create<std::string>(ctx, "s").set_nullable(true));
  return schema;
}

/* Three cells: (a, 1) 0.5 "x", (b, 2) 1.5 null, (cc, 3) 2.5 "zz". */
inline std::string sparse_array(const tiledb::Context& ctx) {
  const std::string uri = harness::scratch();
  tiledb::Array::create(uri, sparse_schema(ctx));
  tiledb::Array array(ctx, uri, TILEDB_WRITE);
  std::string ids = "abcc", texts = "xzz";
  std::vector<uint64_t> id_offsets{0, 1, 2}, times{1, 2, 3}, text_offsets{0, 1, 1};
  std::vector<double> values{0.5, 1.5, 2.5};
  std::vector<uint8_t> valid{1, 0, 1};
  tiledb::Query query(ctx, array);
  query.set_layout(TILEDB_UNORDERED)
      .set_data_buffer("id", ids)
      .set_offsets_buffer("id", id_offsets)
      .set_data_buffer("t", times)
      .set_data_buffer("v", values)
      .set_data_buffer("s", texts)
      .set_offsets_buffer("s", text_offsets)
      .set_validity_buffer("s", valid);
  query.submit();
  return uri;
}

}  // namespace fixtures

#endif
