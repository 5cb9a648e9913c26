/*
 * One program for a folder and an object store: only the URI differs. TILEDB_EXAMPLE_URI, for
 * instance s3://bucket/airports, replaces the folder of the second argument. Credentials are taken
 * from the environment or from vfs.s3.* parameters.
 */
#include "example.h"

#include <algorithm>
#include <cstdlib>

using namespace tiledb;

namespace {

Config configuration() {
  Config config;
  config["vfs.s3.region"] = "us-east-1";
  // Ranges of a remote file with smaller gaps than this are read in one request.
  config["vfs.min_batch_gap"] = 512 * 1024;
  if (const char* endpoint = std::getenv("TILEDB_EXAMPLE_ENDPOINT")) {
    config["vfs.s3.endpoint_override"] = endpoint;
    config["vfs.s3.use_virtual_addressing"] = "false";
  }
  return config;
}

/* Copies the table to the store, as a file next to the array. */
void upload(const VFS& vfs, const std::string& from, const std::string& to) {
  VFS::filebuf source(vfs), target(vfs);
  if (source.open(from) == nullptr || target.open(to, std::ios::out) == nullptr)
    throw std::runtime_error("cannot copy " + from + " to " + to);
  std::ostream out(&target);
  out << &source;
  target.close();
}

void write(const Context& ctx, const std::string& uri, const std::string& input) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<double>(ctx, "latitude", {{-90, 90}}, 10));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).set_allows_dups(true).add_attribute(Attribute::create<double>(ctx, "longitude"));
  Array::create(ctx, uri, schema);
  std::vector<double> latitudes, longitudes;
  for (const auto& row : example::rows(input)) {
    longitudes.push_back(std::stod(row.at(0)));
    latitudes.push_back(std::stod(row.at(1)));
  }
  const Array array(ctx, uri, TILEDB_WRITE);
  Query(ctx, array)
      .set_layout(TILEDB_UNORDERED)
      .set_data_buffer("latitude", latitudes)
      .set_data_buffer("longitude", longitudes)
      .submit();
}

void run(const std::string& input, const std::string& folder) {
  const char* remote = std::getenv("TILEDB_EXAMPLE_URI");
  const std::string root = remote == nullptr ? folder : remote;
  const Context ctx(configuration());
  const VFS vfs(ctx);
  if (vfs.is_dir(root))
    vfs.remove_dir(root);
  vfs.create_dir(root);
  upload(vfs, input, root + "/airports.csv");
  std::cout << vfs.file_size(root + "/airports.csv") << " bytes copied\n";
  write(ctx, root + "/array", input);

  const Array array(ctx, root + "/array", TILEDB_READ);
  std::vector<double> longitudes(200);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(Subarray(ctx, array).add_range(0, 65.0, 90.0));
  query.set_data_buffer("longitude", longitudes);
  uint64_t airports = 0;
  Query::Status status;
  do {
    status = query.submit();
    airports += query.result_buffer_elements().at("longitude").second;
  } while (status == Query::Status::INCOMPLETE);
  std::cout << status << ", " << airports << " airports north of 65 degrees\n";
  const auto files = VFSExperimental::ls_recursive_filter_v2(
      ctx, vfs, root, [](std::string_view, uint64_t, bool is_dir) { return !is_dir; });
  std::cout << (files.size() > 3 ? "several" : "few") << " files below the root\n";
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
