/* Array, its policies and its metadata. */
#include "fixtures.h"

#include <cstring>

using namespace tiledb;

TEST(arrays_open_close_and_reopen) {
  const Context ctx;
  const std::string uri = fixtures::dense_array(ctx);
  Array array(ctx, uri, TILEDB_READ);
  CHECK(array.is_open());
  CHECK(array.uri().find(uri) != std::string::npos);
  CHECK_EQ(array.query_type(), TILEDB_READ);
  CHECK_EQ(array.schema().attribute_num(), 1);
  CHECK(&array.context() == &ctx);
  array.reopen();
  array.close();
  CHECK(!array.is_open());
  array.open(TILEDB_WRITE);
  CHECK_EQ(array.query_type(), TILEDB_WRITE);
  CHECK_THROWS_WITH(array.open(TILEDB_READ), TileDBError, "");
  CHECK_THROWS_WITH(Array(ctx, harness::scratch(), TILEDB_READ), TileDBError, "does not exist");
}

TEST(arrays_open_at_points_in_time) {
  const Context ctx;
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::dense_schema(ctx));
  for (const uint64_t time : {uint64_t{10}, uint64_t{20}}) {
    Array array(ctx, uri, TILEDB_WRITE, {TimeTravel, time});
    std::vector<int32_t> values(16, static_cast<int32_t>(time));
    Query(ctx, array).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("a", values).submit();
  }
  const auto first = [&](const Array& array) {
    std::vector<int32_t> values(16);
    Query query(ctx, array);
    query.set_layout(TILEDB_ROW_MAJOR).set_subarray(Subarray(ctx, array).set_subarray({1, 4, 1, 4}));
    query.set_data_buffer("a", values).submit();
    return values[0];
  };
  CHECK_EQ(first(Array(ctx, uri, TILEDB_READ)), 20);
  CHECK_EQ(first(Array(ctx, uri, TILEDB_READ, TemporalPolicy(TimeTravel, 15))), 10);
  CHECK_EQ(first(Array(ctx, uri, TILEDB_READ, {TimestampStartEnd, 11, 30})), 20);
  Array array(ctx, uri, TILEDB_READ, {TimestampStartEnd, 5, 15});
  CHECK_EQ(array.open_timestamp_start(), 5);
  CHECK_EQ(array.open_timestamp_end(), 15);
  array.close();
  array.open(TILEDB_READ, 25);
  CHECK_EQ(array.open_timestamp_end(), 25);
  array.close();
  array.set_open_timestamp_start(0);
  array.set_open_timestamp_end(12);
  array.open(TILEDB_READ);
  CHECK_EQ(first(array), 10);
}

TEST(encrypted_arrays_need_the_key) {
  Config config;
  const char* key = "0123456789abcdeF0123456789abcdeF";
  config.set("sm.encryption_type", "AES_256_GCM").set("sm.encryption_key", key);
  const std::string uri = harness::scratch();
  {
    const Context ctx(config);
    Array::create(uri, fixtures::dense_schema(ctx));
    CHECK_EQ(Array::encryption_type(ctx, uri), TILEDB_AES_256_GCM);
  }
  const Context ctx;
  CHECK_THROWS_WITH(Array(ctx, uri, TILEDB_READ), TileDBError, "");
  Array array(ctx, uri, TILEDB_READ, {}, {AESGCM, key});
  CHECK_EQ(array.schema().attribute_num(), 1);
  array.close();
  array.open(TILEDB_READ, TILEDB_AES_256_GCM, key);
  array.close();
  array.open(TILEDB_WRITE, TILEDB_AES_256_GCM, key, 10);
  CHECK_EQ(array.open_timestamp_end(), 10);
  CHECK_EQ(array.config().get("sm.encryption_type"), "AES_256_GCM");
}

TEST(non_empty_domains_have_types) {
  const Context ctx;
  Array dense(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  const auto box = dense.non_empty_domain<int32_t>();
  CHECK_EQ(box.size(), 2);
  CHECK_EQ(box[1].first, "cols");
  CHECK_EQ(box[1].second.second, 4);
  CHECK_EQ(dense.non_empty_domain<int32_t>(0).first, 1);
  CHECK_EQ(dense.non_empty_domain<int32_t>("cols").second, 4);
  CHECK_THROWS(dense.non_empty_domain<int64_t>(), TypeError,
      "Static type (INT64) does not match expected type (INT32)");
  CHECK_THROWS(dense.non_empty_domain_var(0), TypeError, "Static type (STRING_ASCII) does not match expected type (INT32)");
  Array sparse(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  CHECK_EQ(sparse.non_empty_domain_var(0).second, "cc");
  CHECK_EQ(sparse.non_empty_domain_var("id").first, "a");
  CHECK_EQ(sparse.non_empty_domain<uint64_t>(1).second, 3);
  CHECK_THROWS_WITH(sparse.non_empty_domain<uint64_t>(2), TileDBError, "");
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::dense_schema(ctx));
  Array empty(ctx, uri, TILEDB_READ);
  CHECK(empty.non_empty_domain<int32_t>().empty());
  CHECK_EQ(empty.non_empty_domain<int32_t>(0).second, 0);
  empty.close();
  CHECK_THROWS_WITH(empty.non_empty_domain<int32_t>(0), TileDBError, "not open");
}

TEST(metadata_is_written_on_close) {
  const Context ctx;
  const std::string uri = fixtures::dense_array(ctx);
  const int32_t numbers[2] = {5, 6};
  {
    Array array(ctx, uri, TILEDB_WRITE);
    array.put_metadata("numbers", TILEDB_INT32, 2, numbers);
    array.put_metadata("text", TILEDB_STRING_UTF8, 3, "abc");
    array.put_metadata("none", TILEDB_INT32, 0, nullptr);
  }
  {
    Array array(ctx, uri, TILEDB_WRITE);
    array.delete_metadata("none");
  }
  Array array(ctx, uri, TILEDB_READ);
  CHECK_EQ(array.metadata_num(), 2);
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t number = 0;
  const void* value = nullptr;
  array.get_metadata("numbers", &type, &number, &value);
  CHECK_EQ(type, TILEDB_INT32);
  CHECK_EQ(number, 2);
  CHECK_EQ(std::memcmp(value, numbers, sizeof numbers), 0);
  array.get_metadata("missing", &type, &number, &value);
  CHECK(value == nullptr);
  CHECK(array.has_metadata("text", &type) && type == TILEDB_STRING_UTF8);
  CHECK(!array.has_metadata("missing", &type));
  std::string key;
  array.get_metadata_from_index(1, &key, &type, &number, &value);
  CHECK_EQ(key, "text");
  CHECK_THROWS_WITH(array.get_metadata_from_index(2, &key, &type, &number, &value), TileDBError, "");
  CHECK_THROWS_WITH(array.put_metadata("x", TILEDB_INT32, 1, numbers), TileDBError, "");
}

TEST(arrays_are_consolidated_and_vacuumed) {
  const Context ctx;
  const std::string uri = fixtures::dense_array(ctx);
  {
    Array array(ctx, uri, TILEDB_WRITE);
    array.put_metadata("a", TILEDB_INT32, 1, "abcd");
    std::vector<int32_t> values(16);
    Query(ctx, array).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("a", values).submit();
  }
  Config config;
  Array::consolidate_metadata(ctx, uri);
  Array::consolidate_metadata(ctx, uri, &config);
  CHECK_EQ(config.get("sm.consolidation.mode"), "array_meta");
  FragmentInfo before(ctx, uri);
  before.load();
  CHECK_EQ(before.fragment_num(), 2);
  const std::string names[2] = {before.fragment_name(0), before.fragment_name(1)};
  const char* c_names[2] = {names[0].c_str(), names[1].c_str()};
  Array::consolidate(ctx, uri, c_names, 2);
  Array::vacuum(ctx, uri);
  FragmentInfo after(ctx, uri);
  after.load();
  CHECK_EQ(after.fragment_num(), 1);
  Array::consolidate(ctx, uri);
  Array::upgrade_version(ctx, uri);
  const std::string last = after.fragment_uri(0);
  const char* c_last[1] = {last.c_str()};
  Array::delete_fragments_list(ctx, uri, c_last, 1);
  Array::delete_fragments(ctx, uri, 0, UINT64_MAX);
  Array::delete_array(ctx, uri);
  CHECK(Object::object(ctx, uri).type() == Object::Type::Invalid);
}

TEST(wraps_c_arrays) {
  const Context ctx;
  const std::string uri = fixtures::dense_array(ctx);
  tiledb_array_t* c_array = nullptr;
  ctx.handle_error(tiledb_array_alloc(ctx.ptr().get(), uri.c_str(), &c_array));
  CHECK_THROWS_WITH(Array(ctx, c_array), TileDBError, "");
  ctx.handle_error(tiledb_array_open(ctx.ptr().get(), c_array, TILEDB_READ));
  {
    const Array borrowed(ctx, c_array, false);
    CHECK(borrowed.is_open());
  }
  const Array owner(ctx, c_array, true);
  CHECK(owner.is_open());
  CHECK_THROWS(Array(ctx, static_cast<tiledb_array_t*>(nullptr)), TileDBError,
      "[TileDB::C++API] Error: Failed to create Array from null pointer");
}

TEST(the_destructor_of_a_copy_closes_for_all) {
  const Context ctx;
  Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  {
    const Array copy = array;
    CHECK(copy.ptr().get() == array.ptr().get());
  }
  CHECK(!array.is_open());
}

TEST(moved_from_arrays_are_harmless) {
  const Context ctx;
  Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  Array moved = std::move(array);
  CHECK(array.ptr() == nullptr);
  CHECK_THROWS_WITH(array.uri(), TileDBError, "Invalid TileDB array object");
  CHECK(moved.is_open());
  array = std::move(moved);
  CHECK(array.is_open());
}

TEST(errors_of_closing_in_a_destructor_do_not_end_the_program) {
  const Context ctx;
  const std::string uri = fixtures::dense_array(ctx);
  const VFS vfs(ctx);
  Array first(ctx, uri, TILEDB_WRITE);
  first.put_metadata("a", TILEDB_INT32, 1, "abcd");
  {
    Array second(ctx, uri, TILEDB_WRITE);
    second.put_metadata("a", TILEDB_INT32, 1, "abcd");
    // A file has the name of the folder, so that metadata cannot be written.
    vfs.remove_dir(uri + "/__meta");
    vfs.touch(uri + "/__meta");
    CHECK_THROWS_WITH(first.close(), TileDBError, "");
  }
  CHECK_EQ(vfs.is_file(uri + "/__meta"), true);
}

TEST(metadata_is_consolidated_with_the_configuration_of_the_context) {
  Config config;
  config.set("sm.encryption_type", "AES_256_GCM");
  config.set("sm.encryption_key", "0123456789abcdeF0123456789abcdeF");
  const Context ctx(config);
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::dense_schema(ctx));
  for (const uint64_t time : {uint64_t{1}, uint64_t{2}}) {
    Array array(ctx, uri, TILEDB_WRITE, {TimeTravel, time});
    array.put_metadata("a", TILEDB_INT32, 1, "abcd");
  }
  Array::consolidate_metadata(ctx, uri);
  Config vacuum = ctx.config();
  vacuum.set("sm.vacuum.mode", "array_meta");
  Array::vacuum(ctx, uri, &vacuum);
  CHECK_EQ(VFS(ctx).ls(uri + "/__meta").size(), 1);
}
