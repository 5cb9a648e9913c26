/* Config, its iterator and its proxy. */
#include "harness.h"

#include <fstream>
#include <map>
#include <unordered_map>

using namespace tiledb;

TEST(sets_gets_and_unsets_parameters) {
  Config config;
  CHECK_EQ(config.get("sm.encryption_key"), "");
  CHECK(&config.set("sm.memory_budget", "1000") == &config);
  CHECK_EQ(config.get("sm.memory_budget"), "1000");
  config.unset("sm.memory_budget");
  CHECK_EQ(config.get("sm.memory_budget"), "5368709120");
  CHECK(config.contains("sm.memory_budget"));
  CHECK(!config.contains("sm.no_such_parameter"));
  const std::string longer = "sm.memory_budget and more";
  CHECK(config.contains(std::string_view(longer).substr(0, 16)));
}

TEST(unknown_parameters_and_wrong_values_are_errors) {
  Config config;
  CHECK_THROWS(config.get("sm.nothing"), TileDBError, "Config Error: Invalid parameter 'sm.nothing'");
  CHECK_THROWS_WITH(config.set("sm.memory_budget", "many"), TileDBError, "Config Error: ");
  CHECK_THROWS_WITH(Config(std::string("/no/such/file")), TileDBError, "Config Error: ");
}

TEST(proxies_assign_texts_and_numbers) {
  Config config;
  config["sm.memory_budget"] = 77;
  CHECK_EQ(config.get("sm.memory_budget"), "77");
  config["sm."]["memory_budget"] = "78";
  CHECK_EQ(config.get("sm.memory_budget"), "78");
  config["sm.memory_budget"] = std::string("79");
  const std::string value = config["sm.memory_budget"];
  CHECK_EQ(value, "79");
  CHECK_EQ(config["my.parameter"].param, "my.parameter");
}

TEST(iterates_over_parameters_with_a_prefix) {
  Config config;
  config["my.a"] = "1";
  config["my.b"] = "2";
  std::map<std::string, std::string> seen;
  for (auto it = config.begin("my."); it != config.end(); ++it)
    seen[it->first] = (*it).second;
  CHECK_EQ(seen.size(), 2);
  CHECK_EQ(seen["a"], "1");
  CHECK_EQ(seen["b"], "2");
  size_t all = 0;
  for (const auto& parameter : config)
    all += !parameter.first.empty();
  CHECK(all > 100);
  Config::iterator end = config.end();
  CHECK(++end == config.end());
  CHECK(config.begin("no.such.prefix") == config.end());
}

TEST(maps_and_files_make_configurations) {
  const Config from_map(std::map<std::string, std::string>{{"sm.memory_budget", "5"}});
  CHECK_EQ(from_map.get("sm.memory_budget"), "5");
  const Config from_hash(std::unordered_map<std::string, std::string>{{"sm.memory_budget", "5"}});
  CHECK(from_map == from_hash);
  CHECK(from_map != Config());
  const std::string file = harness::scratch();
  Config copy = from_map;
  copy.save_to_file(file);
  CHECK_EQ(Config(file).get("sm.memory_budget"), "5");
}

TEST(copies_share_parameters) {
  Config config;
  Config copy = config;
  copy["sm.memory_budget"] = 9;
  CHECK_EQ(config.get("sm.memory_budget"), "9");
  CHECK(copy.ptr().get() == config.ptr().get());
}

TEST(takes_a_c_configuration) {
  tiledb_config_t* c_config = nullptr;
  tiledb_error_t* error = nullptr;
  CHECK_EQ(tiledb_config_alloc(&c_config, &error), TILEDB_OK);
  tiledb_config_t* const address = c_config;
  const Config config(&c_config);
  CHECK(c_config == nullptr);
  CHECK(config.ptr().get() == address);
  CHECK(Config(static_cast<tiledb_config_t**>(nullptr)).ptr() == nullptr);
}

TEST(moved_from_configurations_are_empty) {
  Config config;
  const Config moved = std::move(config);
  CHECK(config.ptr() == nullptr);
  CHECK_THROWS(config == moved, std::runtime_error, "[TileDB::C++API] Error: Failed to compare configurations");
  config = moved;
  CHECK(config == moved);
}
