/* Context, Error, Stats, version and exceptions. */
#include "harness.h"

#include <cstdlib>
#include <string>
#include <tuple>

using namespace tiledb;

TEST(contexts_have_a_configuration) {
  Config config;
  config["sm.memory_budget"] = 1234;
  const Context ctx(config);
  CHECK_EQ(ctx.config().get("sm.memory_budget"), "1234");
  config["sm.memory_budget"] = 1;
  CHECK_EQ(ctx.config().get("sm.memory_budget"), "1234");
}

TEST(errors_carry_the_message_of_the_library) {
  const Context ctx;
  const std::string message = harness::thrown<TileDBError>(
      __FILE__, __LINE__, "Array", [&] { Array(ctx, harness::scratch(), TILEDB_READ); });
  CHECK_EQ(ctx.get_last_error_message(), message);
  Error error(ctx);
  CHECK_EQ(error.error_message(), message);
  CHECK(error.ptr() != nullptr);
  CHECK_EQ(Error(Context()).error_message(), "");
}

TEST(error_handlers_replace_exceptions) {
  Context ctx;
  std::string message;
  CHECK(&ctx.set_error_handler([&](const std::string& text) { message = text; }) == &ctx);
  CHECK_EQ(VFS(ctx).file_size(harness::scratch()), 0);
  CHECK(!message.empty());
  const Attribute attribute(ctx, "a", TILEDB_INT32);
  CHECK_EQ(attribute.cell_val_num(), 1);
  ctx.handle_error(TILEDB_OK);
  CHECK_THROWS(Context::default_error_handler("a text"), TileDBError, "a text");
}

TEST(supported_filesystems_tags_protocols_and_tasks) {
  Context ctx;
  CHECK(ctx.is_supported_fs(TILEDB_MEMFS));
  ctx.set_tag("a", "b");
  ctx.cancel_tasks();
  CHECK(ctx.data_protocol("/tmp") == Context::DataProtocol::v2);
  CHECK_EQ(ctx.stats().find("no such thing"), std::string::npos);
}

TEST(wraps_c_contexts) {
  tiledb_ctx_t* c_ctx = nullptr;
  CHECK_EQ(tiledb_ctx_alloc(nullptr, &c_ctx), TILEDB_OK);
  {
    const Context borrowed(c_ctx, false);
    CHECK(borrowed.ptr().get() == c_ctx);
  }
  const Context owner(c_ctx);
  CHECK(owner.is_supported_fs(TILEDB_MEMFS));
  CHECK_THROWS(Context(static_cast<tiledb_ctx_t*>(nullptr)), TileDBError,
      "[TileDB::C++API] Error: Failed to create Context from pointer");
}

TEST(moved_from_contexts_fail) {
  Context ctx;
  const Context moved = std::move(ctx);
  CHECK(ctx.ptr() == nullptr);
  CHECK(moved.is_supported_fs(TILEDB_MEMFS));
  CHECK_EQ(ctx.get_last_error_message(), "[TileDB::C++API] Error: Non-retrievable error occurred");
}

TEST(stats_are_recorded_while_enabled) {
  Stats::enable();
  CHECK(Stats::is_enabled());
  Stats::reset();
  std::string text = "before", raw;
  Stats::dump(&text);
  Stats::raw_dump(&raw);
  CHECK(text != "before");
  CHECK(!raw.empty());
  Stats::disable();
  CHECK(!Stats::is_enabled());
}

TEST(the_version_is_that_of_the_release) {
  CHECK_EQ(std::get<0>(version()), TILEDB_VERSION_MAJOR);
  // TILEDB_RS_RELEASE selects the release that the library follows.
  CHECK_EQ(std::get<1>(version()), std::getenv("TILEDB_RS_RELEASE") != nullptr ? 31 : TILEDB_VERSION_MINOR);
}

TEST(exceptions_form_a_hierarchy) {
  const TypeError type("t");
  const SchemaMismatch mismatch("s");
  const AttributeError attribute("a");
  const TileDBError* base = &type;
  CHECK_EQ(base->what(), std::string("t"));
  CHECK((std::is_base_of_v<std::runtime_error, TileDBError>));
  CHECK((std::is_base_of_v<TileDBError, SchemaMismatch> && std::is_base_of_v<TileDBError, AttributeError>));
  CHECK((std::is_base_of_v<TypeError, FilterOptionTypeError<int, double>>));
  CHECK_EQ(std::string(mismatch.what()) + attribute.what(), "sa");
}
