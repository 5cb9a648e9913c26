/*
 * Common parts of the examples: arguments, the array folder, the airports of
 * examples-c/data/airports.csv.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace example {

/* Removes an array or a group of an earlier run. */
inline void remove_old(const tiledb::Context& ctx, const std::string& uri) {
  if (tiledb::Object::object(ctx, uri).type() != tiledb::Object::Type::Invalid)
    tiledb::Object::remove(ctx, uri);
}

/* Returns the fields of a line of CSV; a field may be quoted. */
inline std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      all.emplace_back();
    else if (c != '\r')
      all.back() += c;
  }
  return all;
}

/* Returns the lines of a CSV file without its header. */
inline std::vector<std::vector<std::string>> rows(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<std::string>> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line))
    all.push_back(fields(line));
  return all;
}

/* Strings as a query accepts them: characters and offsets. */
struct Texts {
  std::string data;
  std::vector<uint64_t> offsets;

  void add(const std::string& text) {
    offsets.push_back(data.size());
    data += text;
  }
};

/* Runs an example with its two arguments and prints the exception that it throws. */
template <typename Run>
int run(int count, char** arguments, Run run) {
  try {
    if (count != 3)
      throw std::runtime_error(std::string("usage: ") + arguments[0] + " INPUT ARRAY");
    run(arguments[1], arguments[2]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace example

#endif
