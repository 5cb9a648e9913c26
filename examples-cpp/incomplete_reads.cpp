/*
 * Reading a large result with small buffers: an incomplete read is submitted again until it is
 * complete.
 */
#include "example.h"

#include <algorithm>

using namespace tiledb;

namespace {

void create(const Context& ctx, const std::string& uri, const std::string& input) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create(ctx, "name", TILEDB_STRING_ASCII, nullptr, nullptr));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).set_allows_dups(true).add_attribute(Attribute::create<double>(ctx, "latitude"));
  Array::create(ctx, uri, schema);
  example::Texts names;
  std::vector<double> latitudes;
  for (const auto& row : example::rows(input)) {
    names.add(row.at(2));
    latitudes.push_back(std::stod(row.at(1)));
  }
  const Array array(ctx, uri, TILEDB_WRITE);
  Query(ctx, array)
      .set_layout(TILEDB_UNORDERED)
      .set_data_buffer("name", names.data)
      .set_offsets_buffer("name", names.offsets)
      .set_data_buffer("latitude", latitudes)
      .submit();
}

/* Reads all airports, at most 500 at a time; doubles buffers that are too small for one cell. */
void read(const Context& ctx, const std::string& uri) {
  const Array array(ctx, uri, TILEDB_READ);
  std::vector<char> names(4);
  std::vector<uint64_t> offsets(500);
  std::vector<double> latitudes(500);
  Query query(ctx, array);
  query.set_layout(TILEDB_GLOBAL_ORDER).set_offsets_buffer("name", offsets).set_data_buffer("latitude", latitudes);
  query.set_data_buffer("name", names);
  size_t cells = 0, growths = 0;
  double northmost = -90;
  Query::Status status;
  do {
    status = query.submit();
    const uint64_t number = query.result_buffer_elements().at("latitude").second;
    if (number == 0 && status == Query::Status::INCOMPLETE) {
      names.resize(names.size() * 2);
      query.set_data_buffer("name", names);
      growths++;
    }
    for (size_t i = 0; i < number; i++)
      northmost = std::max(northmost, latitudes[i]);
    cells += number;
  } while (status == Query::Status::INCOMPLETE);
  std::cout << cells << " airports, " << (growths > 0 ? "after growing the buffer" : "without growing the buffer")
            << ", the northmost at " << northmost << " degrees, " << status << "\n";
}

void run(const std::string& input, const std::string& uri) {
  const Context ctx;
  example::remove_old(ctx, uri);
  create(ctx, uri, input);
  read(ctx, uri);
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
