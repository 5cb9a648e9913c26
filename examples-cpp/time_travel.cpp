/*
 * Versions of an array: every write is a fragment with a timestamp, and the array can be opened as
 * of each of them.
 */
#include "example.h"

using namespace tiledb;

namespace {

/* Days of 2024 as timestamps in milliseconds. */
uint64_t day(uint64_t number) {
  return (19723 + number) * 86400000;
}

/* Counts airports by degree of latitude in the first `rows` rows. */
std::vector<uint32_t> histogram(const std::vector<std::vector<std::string>>& rows, size_t number) {
  std::vector<uint32_t> counts(90);
  for (size_t i = 0; i < number && i < rows.size(); i++) {
    const double latitude = std::stod(rows[i].at(1));
    if (latitude >= 0)
      counts.at(static_cast<size_t>(latitude))++;
  }
  return counts;
}

void write(const Context& ctx, const std::string& uri, std::vector<uint32_t> counts, uint64_t time) {
  const Array array(ctx, uri, TILEDB_WRITE, {TimeTravel, time});
  Query(ctx, array).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("airports", counts).submit();
}

uint32_t at_40_degrees(const Context& ctx, const std::string& uri, const TemporalPolicy& policy) {
  const Array array(ctx, uri, TILEDB_READ, policy);
  std::vector<uint32_t> count(1);
  Query query(ctx, array);
  query.set_subarray(Subarray(ctx, array).set_subarray({40, 40}));
  query.set_data_buffer("airports", count).submit();
  return count[0];
}

void run(const std::string& input, const std::string& uri) {
  const Context ctx;
  example::remove_old(ctx, uri);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "latitude", {{0, 89}}, 90));
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(Attribute::create<uint32_t>(ctx, "airports"));
  Array::create(ctx, uri, schema);
  const auto rows = example::rows(input);
  for (const uint64_t step : {uint64_t{1}, uint64_t{2}, uint64_t{3}})
    write(ctx, uri, histogram(rows, step * 1000), day(step));

  std::cout << "latest: " << at_40_degrees(ctx, uri, {}) << "\n";
  for (const uint64_t step : {uint64_t{1}, uint64_t{2}, uint64_t{3}})
    std::cout << "as of day " << step << ": " << at_40_degrees(ctx, uri, {TimeTravel, day(step)}) << "\n";
  std::cout << "written before day 1: "
            << (at_40_degrees(ctx, uri, {TimeTravel, day(1) - 1}) == UINT32_MAX ? "nothing" : "something") << "\n";

  FragmentInfo fragments(ctx, uri);
  fragments.load();
  std::cout << fragments.fragment_num() << " fragments before consolidation\n";
  Array::consolidate(ctx, uri);
  Array::vacuum(ctx, uri);
  fragments.load();
  std::cout << fragments.fragment_num() << " after, latest: " << at_40_degrees(ctx, uri, {}) << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
