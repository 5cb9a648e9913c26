/* Query and Subarray. */
#include "fixtures.h"

#include <memory>
#include <thread>
#include <tuple>

using namespace tiledb;

TEST(dense_reads_fill_vectors) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  std::vector<int32_t> values(4);
  Query query(array);
  CHECK(query.query_status() == Query::Status::UNINITIALIZED);
  const Subarray subarray = Subarray(ctx, array).add_range(0, 2, 3).add_range<int32_t>("cols", 1, 2);
  CHECK(&query.set_layout(TILEDB_COL_MAJOR).set_subarray(subarray).set_data_buffer("a", values) == &query);
  CHECK(query.submit() == Query::Status::COMPLETE);
  CHECK((values == std::vector<int32_t>{4, 8, 5, 9}));
  CHECK(query.has_results());
  CHECK_EQ(query.query_layout(), TILEDB_COL_MAJOR);
  CHECK_EQ(query.query_type(), TILEDB_READ);
  CHECK_EQ(query.result_buffer_elements().at("a").second, 4);
  CHECK_EQ(query.result_buffer_elements().at("a").first, 0);
  CHECK(&query.ctx() == &ctx && &query.array() == &array);
  CHECK_EQ(query.stats().find("no such thing"), std::string::npos);
  query.finalize();
}

TEST(sparse_reads_have_offsets_and_validity) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  std::string ids(10, ' '), texts(10, ' ');
  std::vector<uint64_t> id_offsets(5), text_offsets(5);
  std::vector<uint8_t> valid(5);
  std::vector<double> values(5);
  Query query(ctx, array, TILEDB_READ);
  query.set_layout(TILEDB_GLOBAL_ORDER)
      .set_data_buffer("id", ids)
      .set_offsets_buffer("id", id_offsets)
      .set_data_buffer("s", texts)
      .set_offsets_buffer("s", text_offsets.data(), text_offsets.size())
      .set_validity_buffer("s", valid)
      .set_data_buffer("v", values.data(), values.size());
  CHECK(query.submit() == Query::Status::COMPLETE);
  const auto numbers = query.result_buffer_elements_nullable();
  CHECK((numbers.at("s") == std::tuple<uint64_t, uint64_t, uint64_t>(3, 3, 3)));
  CHECK((numbers.at("v") == std::tuple<uint64_t, uint64_t, uint64_t>(0, 3, 0)));
  CHECK_EQ(ids.substr(0, 4), "abcc");
  CHECK((valid == std::vector<uint8_t>{1, 0, 1, 0, 0}));
  CHECK_EQ(values[2], 2.5);
  void* data = nullptr;
  uint64_t number = 0, size = 0, *offsets = nullptr;
  uint8_t* validity = nullptr;
  query.get_data_buffer("v", &data, &number, &size);
  CHECK(data == values.data() && number == 3 && size == 8);
  query.get_offsets_buffer("s", &offsets, &number);
  CHECK(offsets == text_offsets.data() && number == 3);
  query.get_validity_buffer("s", &validity, &number);
  CHECK(validity == valid.data() && number == 3);
  CHECK_THROWS(query.get_data_buffer("t", &data, &number, &size), TileDBError,
      "[TileDB::C++API] Error: No buffer set for attribute 't'!");
}

TEST(small_buffers_make_incomplete_reads) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  std::vector<double> values(1);
  std::vector<double> all;
  Query query(ctx, array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("v", values);
  Query::Status status;
  do {
    status = query.submit();
    all.insert(all.end(), values.begin(),
        values.begin() + static_cast<std::ptrdiff_t>(query.result_buffer_elements().at("v").second));
  } while (status == Query::Status::INCOMPLETE);
  CHECK(status == Query::Status::COMPLETE);
  CHECK_EQ(all.size(), 3);
}

TEST(buffers_are_checked_against_the_schema) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  Query query(ctx, array);
  std::vector<int64_t> wrong(4);
  std::vector<int32_t> right(4);
  std::string text(4, ' ');
  CHECK_THROWS(query.set_data_buffer("a", wrong), TypeError,
      "Static type (INT64) does not match expected type (INT32)");
  CHECK_THROWS(query.set_data_buffer("a", text), TypeError,
      "Static type (STRING_ASCII) does not match expected type (INT32)");
  CHECK_THROWS(query.set_data_buffer("none", right), TileDBError, "C API: There is no field none");
  query.set_data_buffer("a", static_cast<void*>(right.data()), right.size());
  CHECK_THROWS(query.set_data_buffer("a", wrong), TypeError,
      "Static type (INT64) does not match expected type (INT32)");
  std::vector<uint64_t> offsets(4);
  CHECK_THROWS_WITH(query.set_offsets_buffer("a", offsets), TileDBError, "");
  CHECK(query.result_buffer_elements().count("a") == 1);
  CHECK(Query(ctx, array).result_buffer_elements().empty());
}

TEST(queries_keep_their_buffers_if_others_are_refused) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  std::string texts(10, ' ');
  std::vector<uint64_t> offsets(2);
  std::vector<uint8_t> valid(2);
  Query query(ctx, array);
  query.set_layout(TILEDB_GLOBAL_ORDER).set_data_buffer("s", texts);
  query.set_offsets_buffer("s", offsets).set_validity_buffer("s", valid);
  // The library refers to the sizes: with those of the refused buffers it would write beyond the
  // end of the others.
  CHECK_THROWS_WITH(query.set_data_buffer("s", static_cast<char*>(nullptr), 100), TileDBError, "");
  CHECK_THROWS_WITH(query.set_offsets_buffer("s", nullptr, 100), TileDBError, "");
  CHECK_THROWS_WITH(query.set_validity_buffer("s", nullptr, 100), TileDBError, "");
  const auto sizes = query.result_buffer_elements_nullable().at("s");
  CHECK((sizes == std::tuple<uint64_t, uint64_t, uint64_t>(2, 10, 2)));
  CHECK(query.submit() == Query::Status::INCOMPLETE);
  CHECK_EQ(query.result_buffer_elements().at("s").first, 2);
}

TEST(sizes_of_results_are_read_by_several_threads) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  std::vector<double> values(5);
  Query query(ctx, array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("v", values).submit();
  std::vector<uint64_t> numbers(4);
  std::vector<std::thread> threads;
  for (uint64_t& number : numbers)
    threads.emplace_back([&query, &number] { number = query.result_buffer_elements().at("v").second; });
  for (std::thread& thread : threads)
    thread.join();
  CHECK((numbers == std::vector<uint64_t>(4, 3)));
}

TEST(writes_make_fragments) {
  const Context ctx;
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::dense_schema(ctx));
  const Array array(ctx, uri, TILEDB_WRITE, {TimeTravel, 7});
  std::vector<int32_t> values{1, 2, 3, 4};
  Query query(ctx, array);
  query.set_layout(TILEDB_GLOBAL_ORDER).set_subarray(Subarray(ctx, array).set_subarray<int32_t>({1, 2, 1, 2}));
  query.set_data_buffer("a", values).submit_and_finalize();
  CHECK(query.query_status() == Query::Status::COMPLETE);
  CHECK_EQ(query.fragment_num(), 1);
  CHECK(query.fragment_uri(0).find("__fragments") != std::string::npos);
  CHECK_EQ(query.fragment_timestamp_range(0).second, 7);
  CHECK_THROWS_WITH(query.fragment_uri(1), TileDBError, "");
}

TEST(sizes_of_results_are_estimated) {
  const Context ctx;
  const Array dense(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  Query query(ctx, dense);
  query.set_subarray(Subarray(ctx, dense).set_subarray({1, 2, 1, 2}));
  CHECK_EQ(query.est_result_size("a"), 16);
  const Array sparse(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  Query other(ctx, sparse);
  CHECK(other.est_result_size_var("id")[1] > 0);
  CHECK(other.est_result_size_var_nullable("s")[2] > 0);
  CHECK_THROWS_WITH(other.est_result_size_nullable("v"), TileDBError, "");
}

TEST(subarrays_have_ranges) {
  const Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  Subarray subarray(ctx, array, false);
  subarray.add_range(0, std::string("a"), std::string("b")).add_range("id", std::string("c"), std::string("d"));
  subarray.add_range(1, uint64_t{1}, uint64_t{2}).add_range("t", uint64_t{3}, uint64_t{4});
  CHECK_EQ(subarray.range_num(0), 2);
  CHECK_EQ(subarray.range_num("t"), 2);
  CHECK_EQ(subarray.range(0, 1)[1], "d");
  CHECK_EQ(subarray.range("id", 0)[0], "a");
  CHECK_EQ(subarray.range<uint64_t>(1, 1)[0], 3);
  CHECK_EQ(subarray.range<uint64_t>("t", 0)[1], 2);
  CHECK_EQ(subarray.range<uint64_t>("t", 0)[2], 0);
  CHECK(&subarray.array() == &array);
  CHECK_THROWS(subarray.add_range(1, 1, 2), TypeError, "Static type (INT32) does not match expected type (UINT64)");
  CHECK_THROWS_WITH(subarray.add_range(2, uint64_t{1}, uint64_t{2}), TileDBError, "");
  CHECK_THROWS_WITH(subarray.add_range("none", uint64_t{1}, uint64_t{2}), TileDBError, "none");
  CHECK_THROWS_WITH(subarray.range<uint64_t>(1, 2), TileDBError, "");
  Query query(ctx, array);
  query.set_subarray(subarray);
  Subarray other(ctx, array);
  query.update_subarray_from_query(&other);
  CHECK_EQ(other.range_num(0), 2);
}

TEST(subarrays_take_containers) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  Subarray subarray(ctx, array);
  subarray.set_coalesce_ranges(false).set_config(Config());
  subarray.set_subarray(std::vector<int32_t>{1, 2, 3, 4});
  CHECK_EQ(subarray.range<int32_t>(1, 0)[0], 3);
  subarray.set_subarray(std::array<int32_t, 4>{{2, 2, 3, 3}});
  subarray.set_subarray(std::vector<std::array<int32_t, 2>>{{{1, 1}}, {{4, 4}}});
  CHECK_EQ(subarray.range<int32_t>("cols", 0)[1], 4);
  CHECK_THROWS(subarray.set_subarray({1, 2}), SchemaMismatch,
      "Subarray should have num_dims * 2 values: (low, high) for each dimension.");
  CHECK_THROWS(subarray.set_subarray(std::vector<int64_t>{1, 2, 3, 4}), TypeError,
      "Static type (INT64) does not match expected type (INT32)");
}

TEST(queries_have_configurations) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  Query query(ctx, array);
  Config config;
  config["sm.var_offsets.bitsize"] = 32;
  query.set_config(config);
  CHECK_EQ(query.config().get("sm.var_offsets.bitsize"), "32");
}

TEST(statuses_and_types_have_names) {
  CHECK_EQ(harness::show(0), "0");
  std::ostringstream text;
  text << Query::Status::FAILED << Query::Status::COMPLETE << Query::Status::INPROGRESS << Query::Status::INCOMPLETE
       << Query::Status::UNINITIALIZED << Query::Status::INITIALIZED;
  CHECK_EQ(text.str(), "FAILEDCOMPLETEINPROGRESSINCOMPLETEUNINITIALIZEDINITIALIZED");
  CHECK(Query::to_status(TILEDB_INCOMPLETE) == Query::Status::INCOMPLETE);
  CHECK_EQ(Query::to_str(TILEDB_MODIFY_EXCLUSIVE), "MODIFY_EXCLUSIVE");
}

TEST(copies_share_the_query_and_its_buffers) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  std::vector<int32_t> values(16);
  auto original = std::make_unique<Query>(ctx, array);
  original->set_subarray(Subarray(ctx, array).set_subarray({1, 1, 1, 4})).set_data_buffer("a", values);
  Query copy = *original;
  // libtiledb's copies do not have the sizes, and their submit writes to memory of the original.
  original.reset();
  CHECK(copy.submit() == Query::Status::COMPLETE);
  CHECK_EQ(copy.result_buffer_elements().at("a").second, 4);
}

TEST(moved_from_queries_fail) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  std::vector<int32_t> values(16);
  std::vector<uint64_t> offsets(1);
  Query query(ctx, array);
  query.set_subarray(Subarray(ctx, array).set_subarray({1, 1, 1, 4})).set_data_buffer("a", values);
  Query moved = std::move(query);
  CHECK(query.ptr() == nullptr);
  CHECK_THROWS_WITH(query.submit(), TileDBError, "Invalid TileDB query object");
  CHECK_THROWS(query.set_data_buffer("a", values), TileDBError, "C API: argument `query` may not be nullptr");
  CHECK_THROWS_WITH(query.set_offsets_buffer("a", offsets), TileDBError, "Invalid TileDB query object");
  CHECK(query.result_buffer_elements().empty());
  CHECK(moved.submit() == Query::Status::COMPLETE);
  CHECK_EQ(moved.result_buffer_elements().at("a").second, 4);
  Subarray subarray(ctx, array);
  const Subarray moved_subarray = std::move(subarray);
  CHECK_THROWS_WITH(subarray.range_num(0), TileDBError, "Invalid TileDB subarray object");
  CHECK_EQ(moved_subarray.range_num(0), 1);
}
