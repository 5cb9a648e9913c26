/* Groups: a data set of several arrays with names and metadata, listed and walked. */
#include "example.h"

#include <algorithm>
#include <cstring>

using namespace tiledb;

namespace {

/* One array per band of 20 degrees of latitude. */
void create_band(const Context& ctx, const std::string& uri, std::vector<double> longitudes) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<uint32_t>(ctx, "row", {{0, 9999}}, 1000));
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(Attribute::create<double>(ctx, "longitude"));
  Array::create(ctx, uri, schema);
  Array array(ctx, uri, TILEDB_WRITE);
  Query query(ctx, array);
  const auto last = static_cast<uint32_t>(longitudes.size() - 1);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(Subarray(ctx, array).set_subarray<uint32_t>({0, last}));
  query.set_data_buffer("longitude", longitudes).submit();
  const auto number = static_cast<uint64_t>(longitudes.size());
  array.put_metadata("airports", TILEDB_UINT64, 1, &number);
}

void create(const Context& ctx, const std::string& root, const std::string& input) {
  std::vector<std::vector<double>> bands(5);
  for (const auto& row : example::rows(input)) {
    const double latitude = std::stod(row.at(1));
    if (latitude >= 0)
      bands.at(static_cast<size_t>(latitude / 20)).push_back(std::stod(row.at(0)));
  }
  Group::create(ctx, root);
  Group group(ctx, root, TILEDB_WRITE);
  for (size_t i = 0; i < bands.size(); i++) {
    if (bands[i].empty())
      continue;
    const std::string name = "north_" + std::to_string(i * 20);
    create_band(ctx, root + "/" + name, bands[i]);
    // Relative members move with the group.
    group.add_member(name, true, name, TILEDB_ARRAY);
  }
  const std::string source = "ourairports.com";
  group.put_metadata("source", TILEDB_STRING_UTF8, static_cast<uint32_t>(source.size()), source.data());
}

void print(Context& ctx, const std::string& root) {
  Group group(ctx, root, TILEDB_READ);
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t length = 0;
  const void* text = nullptr;
  group.get_metadata("source", &type, &length, &text);
  std::cout << "source: " << std::string(static_cast<const char*>(text), length) << "\n";
  std::vector<Object> members;
  for (uint64_t i = 0; i < group.member_count(); i++)
    members.push_back(group.member(i));
  std::sort(members.begin(), members.end(), [](const Object& a, const Object& b) { return a.name() < b.name(); });
  for (const Object& member : members) {
    Array array(ctx, member.uri(), TILEDB_READ);
    const void* value = nullptr;
    array.get_metadata("airports", &type, &length, &value);
    uint64_t number = 0;
    std::memcpy(&number, value, sizeof number);
    std::cout << member.name().value_or("?") << ": " << number << " airports\n";
  }
  ObjectIter objects(ctx, root);
  size_t arrays = 0;
  for (const Object& object : objects)
    arrays += object.type() == Object::Type::Array;
  std::cout << arrays << " arrays in the folder\n";
}

void run(const std::string& input, const std::string& root) {
  Context ctx;
  example::remove_old(ctx, root);
  create(ctx, root, input);
  print(ctx, root);
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
