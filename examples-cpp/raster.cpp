/*
 * A picture as a dense array: three compressed attributes in tiles of 32 x 32 pixels; a window of
 * it is read.
 */
#include "example.h"

#include <algorithm>
#include <numeric>

using namespace tiledb;

namespace {

struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> red, green, blue;
};

Picture read_ppm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Picture picture;
  int depth = 0;
  file >> magic >> picture.width >> picture.height >> depth;
  file.get();
  if (!file || magic != "P6" || depth != 255)
    throw std::runtime_error("no binary PPM: " + path);
  for (size_t i = 0; i < size_t{picture.width} * picture.height; i++) {
    for (auto* channel : {&picture.red, &picture.green, &picture.blue})
      channel->push_back(static_cast<uint8_t>(file.get()));
  }
  return picture;
}

void create(const Context& ctx, const std::string& uri, const Picture& picture) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<uint32_t>(ctx, "row", {{0, picture.height - 1}}, 32))
      .add_dimension(Dimension::create<uint32_t>(ctx, "column", {{0, picture.width - 1}}, 32));
  FilterList filters(ctx);
  filters.add_filter({ctx, TILEDB_FILTER_DELTA})
      .add_filter(Filter(ctx, TILEDB_FILTER_ZSTD).set_option(TILEDB_COMPRESSION_LEVEL, 9));
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).set_order({{TILEDB_ROW_MAJOR, TILEDB_ROW_MAJOR}});
  for (const char* channel : {"red", "green", "blue"})
    schema.add_attribute(Attribute::create<uint8_t>(ctx, channel, filters));
  Array::create(ctx, uri, schema);
}

void write(const Context& ctx, const std::string& uri, Picture& picture) {
  const Array array(ctx, uri, TILEDB_WRITE);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR)
      .set_data_buffer("red", picture.red)
      .set_data_buffer("green", picture.green)
      .set_data_buffer("blue", picture.blue);
  query.submit();
}

/* Reads a window of one channel only. */
std::vector<uint8_t> window(const Array& array, const char* channel, const std::array<uint32_t, 4>& box) {
  std::vector<uint8_t> values(size_t{box[1] - box[0] + 1} * (box[3] - box[2] + 1));
  Query query(array);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(Subarray(array.context(), array).set_subarray(box));
  query.set_data_buffer(channel, values).submit();
  return values;
}

void run(const std::string& input, const std::string& uri) {
  const Context ctx;
  Picture picture = read_ppm(input);
  example::remove_old(ctx, uri);
  create(ctx, uri, picture);
  write(ctx, uri, picture);
  const Array array(ctx, uri, TILEDB_READ);
  std::cout << picture.width << " x " << picture.height << " pixels, " << array.schema().domain().cell_num() << " cells\n";
  const std::array<uint32_t, 4> face{{40, 103, 80, 143}};
  for (const char* channel : {"red", "green", "blue"}) {
    const auto values = window(array, channel, face);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::cout << channel << " of the face: " << +*low << " to " << +*high << ", mean "
              << static_cast<int>(sum / static_cast<double>(values.size())) << "\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  return example::run(count, arguments, run);
}
