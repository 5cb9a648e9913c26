/* Dimension labels: selects rows of a dense array by their latitude. */
#include "example.h"

#include <algorithm>

using namespace tiledb;

namespace {

/* The airports from south to north, one row each. */
struct Sorted {
  std::vector<double> latitudes, longitudes;
};

Sorted sorted(const std::string& input) {
  std::vector<std::pair<double, double>> locations;
  for (const auto& row : example::rows(input))
    locations.emplace_back(std::stod(row.at(1)), std::stod(row.at(0)));
  std::sort(locations.begin(), locations.end());
  // Label values are unique.
  locations.erase(std::unique(locations.begin(), locations.end(),
                   [](const auto& a, const auto& b) { return a.first == b.first; }),
      locations.end());
  Sorted all;
  for (const auto& [latitude, longitude] : locations) {
    all.latitudes.push_back(latitude);
    all.longitudes.push_back(longitude);
  }
  return all;
}

void create(const Context& ctx, const std::string& uri, Sorted& locations) {
  const auto last = static_cast<uint32_t>(locations.latitudes.size() - 1);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<uint32_t>(ctx, "row", {{0, last}}, 100));
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(Attribute::create<double>(ctx, "longitude"));
  ArraySchemaExperimental::add_dimension_label(
      ctx, schema, 0, "latitude", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  Array::create(ctx, uri, schema);
  const Array array(ctx, uri, TILEDB_WRITE);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("longitude", locations.longitudes);
  QueryExperimental::set_data_buffer(query, "latitude", locations.latitudes);
  query.submit();
}

void print(const Context& ctx, const std::string& uri, double south, double north) {
  const Array array(ctx, uri, TILEDB_READ);
  Subarray subarray(ctx, array);
  SubarrayExperimental::add_label_range(ctx, subarray, "latitude", south, north);
  std::vector<double> latitudes(1000), longitudes(1000);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(subarray).set_data_buffer("longitude", longitudes);
  QueryExperimental::set_data_buffer(query, "latitude", latitudes);
  query.submit();
  const uint64_t number = QueryExperimental::result_buffer_elements_labels(query).at("latitude").second;
  std::cout << number << " rows from " << south << " to " << north << " degrees: " << latitudes.at(0) << ", "
            << longitudes.at(0) << " to " << latitudes.at(number - 1) << ", " << longitudes.at(number - 1) << "\n";
}

void run(const std::string& input, const std::string& uri) {
  const Context ctx;
  example::remove_old(ctx, uri);
  Sorted locations = sorted(input);
  create(ctx, uri, locations);
  const DimensionLabel label = ArraySchemaExperimental::dimension_label(ctx, Array::load_schema(ctx, uri), "latitude");
  std::cout << locations.latitudes.size() << " rows, label '" << label.name() << "' of dimension " << label.dimension_index()
            << "\n";
  print(ctx, uri, 70, 90);
  print(ctx, uri, 21.0, 21.5);
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
