/* Runs the tests of the files that are named, or all: cpp_api [array query ...] */
#include "harness.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace {

struct Entry {
  std::string file;
  const char* name;
  void (*run)();
};

std::vector<Entry>& tests() {
  static std::vector<Entry> all;
  return all;
}

std::filesystem::path folder;

bool run(const Entry& test) {
  try {
    test.run();
  } catch (const harness::Failure& failure) {
    std::printf("%s.%s: %s\n", test.file.c_str(), test.name, failure.text.c_str());
    return false;
  } catch (const std::exception& error) {
    std::printf("%s.%s: throws '%s'\n", test.file.c_str(), test.name, error.what());
    return false;
  }
  return true;
}

}  // namespace

namespace harness {

Test::Test(const char* file, const char* name, void (*run)()) {
  tests().push_back({std::filesystem::path(file).stem().string(), name, run});
}

void fail(const char* file, int line, const std::string& text) {
  throw Failure{std::string(file) + ":" + std::to_string(line) + ": " + text};
}

std::string scratch() {
  static int number = 0;
  return (folder / std::to_string(number++)).string();
}

bool on_libtiledb() {
  return std::getenv("LIBTILEDB_ITSELF") != nullptr;
}

}  // namespace harness

int main(int count, char** arguments) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tiledb-cpp-XXXXXX").string();
  folder = mkdtemp(pattern.data());
  int number = 0, failed = 0;
  for (const Entry& test : tests()) {
    bool expected = count == 1;
    for (int i = 1; i < count; i++)
      expected |= test.file == arguments[i];
    if (!expected)
      continue;
    number++;
    failed += !run(test);
  }
  std::filesystem::remove_all(folder);
  std::printf("%d tests, %d failed\n", number, failed);
  return failed != 0 || number == 0;
}
