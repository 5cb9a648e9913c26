/*
 * Conditions and enumerations: selects airports by kind, which is stored as one byte, and computes
 * aggregates of them.
 */
#include "example.h"

#include <algorithm>

using namespace tiledb;

namespace {

const std::vector<std::string> kinds{"Municipal", "Regional", "International", "County", "other"};

uint8_t kind_of(const std::string& name) {
  for (size_t i = 0; i + 1 < kinds.size(); i++) {
    if (name.find(kinds[i]) != std::string::npos)
      return static_cast<uint8_t>(i);
  }
  return static_cast<uint8_t>(kinds.size() - 1);
}

void create(const Context& ctx, const std::string& uri, const std::string& input) {
  const auto rows = example::rows(input);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<uint32_t>(ctx, "row", {{0, static_cast<uint32_t>(rows.size() - 1)}}, 500));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain);
  std::vector<std::string> values = kinds;
  ArraySchemaExperimental::add_enumeration(ctx, schema, Enumeration::create(ctx, "kinds", values));
  Attribute kind = Attribute::create<uint8_t>(ctx, "kind");
  AttributeExperimental::set_enumeration_name(ctx, kind, "kinds");
  schema.add_attributes(kind, Attribute::create<double>(ctx, "latitude"));
  Array::create(ctx, uri, schema);
  std::vector<uint32_t> numbers;
  std::vector<uint8_t> stored;
  std::vector<double> latitudes;
  for (const auto& row : rows) {
    numbers.push_back(static_cast<uint32_t>(numbers.size()));
    stored.push_back(kind_of(row.at(2)));
    latitudes.push_back(std::stod(row.at(1)));
  }
  const Array array(ctx, uri, TILEDB_WRITE);
  Query(ctx, array)
      .set_layout(TILEDB_UNORDERED)
      .set_data_buffer("row", numbers)
      .set_data_buffer("kind", stored)
      .set_data_buffer("latitude", latitudes)
      .submit();
}

/* Prints the number of matching airports and their mean latitude without copying cells. */
void print(const Array& array, const std::string& title, const QueryCondition& condition) {
  const Context& ctx = array.context();
  Query query(ctx, array);
  query.set_layout(TILEDB_UNORDERED).set_condition(condition);
  QueryChannel channel = QueryExperimental::get_default_channel(query);
  channel.apply_aggregate("count", CountOperation());
  channel.apply_aggregate("mean", QueryExperimental::create_unary_aggregate<MeanOperator>(query, "latitude"));
  std::vector<uint64_t> count(1);
  std::vector<double> mean(1);
  query.set_data_buffer("count", count).set_data_buffer("mean", mean).submit();
  std::cout << title << ": " << count[0] << ", mean latitude " << static_cast<int>(mean[0] * 10) / 10.0 << "\n";
}

void run(const std::string& input, const std::string& uri) {
  const Context ctx;
  example::remove_old(ctx, uri);
  create(ctx, uri, input);
  const Array array(ctx, uri, TILEDB_READ);
  const auto regional = QueryCondition::create(ctx, "kind", std::string("Regional"), TILEDB_EQ);
  const auto north = QueryCondition::create(ctx, "latitude", 48.0, TILEDB_GE);
  print(array, "regional", regional);
  print(array, "regional and north", regional.combine(north, TILEDB_AND));
  print(array, "neither", regional.combine(north, TILEDB_OR).negate());
  const std::vector<std::string> two{"Municipal", "County"};
  print(array, "municipal or county", QueryConditionExperimental::create(ctx, "kind", two, TILEDB_IN));
  const auto values = ArrayExperimental::get_enumeration(ctx, array, "kinds").as_vector<std::string>();
  std::cout << values.size() << " kinds, the first is " << values.front() << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
