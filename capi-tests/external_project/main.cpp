/* The C++ headers are installed next to the C headers. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

extern "C" int cpp_api_works() {
  const tiledb::Context ctx;
  const tiledb::Attribute attribute = tiledb::Attribute::create<int>(ctx, "a");
  return attribute.name() == "a" && std::get<1>(tiledb::version()) == TILEDB_VERSION_MINOR;
}
