/*
 * A table of airports as a sparse array: strings, a nullable column, a box of coordinates as the
 * index.
 */
#include "example.h"

#include <iomanip>

using namespace tiledb;

namespace {

void create(const Context& ctx, const std::string& uri) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<double>(ctx, "longitude", {{-180, 180}}, 5))
      .add_dimension(Dimension::create<double>(ctx, "latitude", {{-90, 90}}, 5));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).set_cell_order(TILEDB_HILBERT).set_capacity(256).set_allows_dups(true);
  schema.add_attribute(Attribute::create<std::string>(ctx, "name"));
  // Airports that are not named after a town have no value.
  schema.add_attribute(Attribute::create<std::string>(ctx, "kind").set_nullable(true));
  Array::create(ctx, uri, schema);
}

/* Returns the last word of names such as "Livingston Municipal" if it is one of a few. */
std::string kind_of(const std::string& name) {
  for (const char* kind : {"Municipal", "Regional", "International", "County"}) {
    const std::string ending = std::string(" ") + kind;
    if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      return kind;
  }
  return "";
}

size_t write(const Context& ctx, const std::string& uri, const std::string& input) {
  std::vector<double> longitudes, latitudes;
  example::Texts names, kinds;
  std::vector<uint8_t> has_kind;
  for (const auto& row : example::rows(input)) {
    longitudes.push_back(std::stod(row.at(0)));
    latitudes.push_back(std::stod(row.at(1)));
    names.add(row.at(2));
    kinds.add(kind_of(row.at(2)));
    has_kind.push_back(!kind_of(row.at(2)).empty());
  }
  const Array array(ctx, uri, TILEDB_WRITE);
  Query query(ctx, array);
  query.set_layout(TILEDB_UNORDERED)
      .set_data_buffer("longitude", longitudes)
      .set_data_buffer("latitude", latitudes)
      .set_data_buffer("name", names.data)
      .set_offsets_buffer("name", names.offsets)
      .set_data_buffer("kind", kinds.data)
      .set_offsets_buffer("kind", kinds.offsets)
      .set_validity_buffer("kind", has_kind);
  query.submit();
  return longitudes.size();
}

void print_box(const Context& ctx, const Array& array, double west, double east, double south, double north) {
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR)
      .set_subarray(Subarray(ctx, array).add_range("longitude", west, east).add_range("latitude", south, north));
  std::vector<double> longitudes(100);
  std::vector<char> names(10000), kinds(10000);
  std::vector<uint64_t> name_offsets(100), kind_offsets(100);
  std::vector<uint8_t> has_kind(100);
  query.set_data_buffer("longitude", longitudes)
      .set_data_buffer("name", names)
      .set_offsets_buffer("name", name_offsets)
      .set_data_buffer("kind", kinds)
      .set_offsets_buffer("kind", kind_offsets)
      .set_validity_buffer("kind", has_kind);
  query.submit();
  const auto numbers = query.result_buffer_elements_nullable();
  const auto [name_num, name_size, unused] = numbers.at("name");
  const auto name_cells = group_by_cell<char, std::string>(name_offsets, names, name_num, name_size);
  const auto kind_cells = group_by_cell<char, std::string>(
      kind_offsets, kinds, std::get<0>(numbers.at("kind")), std::get<1>(numbers.at("kind")));
  (void)unused;
  for (size_t i = 0; i < name_num; i++)
    std::cout << std::fixed << std::setprecision(4) << longitudes[i] << " " << name_cells[i] << " ("
              << (has_kind[i] != 0 ? kind_cells[i] : "no kind") << ")\n";
}

void run(const std::string& input, const std::string& uri) {
  const Context ctx;
  example::remove_old(ctx, uri);
  create(ctx, uri);
  std::cout << write(ctx, uri, input) << " airports\n";
  print_box(ctx, Array(ctx, uri, TILEDB_READ), -122.6, -122.0, 37.3, 37.9);
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
