/* Enumerations, labels, current domains, evolution, aggregates, plans, profiles. */
#include "fixtures.h"

using namespace tiledb;

TEST(enumerations_hold_values) {
  const Context ctx;
  std::vector<int32_t> numbers{5, 7};
  Enumeration enumeration = Enumeration::create(ctx, "numbers", numbers, true);
  CHECK_EQ(enumeration.name(), "numbers");
  CHECK_EQ(enumeration.type(), TILEDB_INT32);
  CHECK_EQ(enumeration.cell_val_num(), 1);
  CHECK(enumeration.ordered());
  CHECK(enumeration.as_vector<int32_t>() == numbers);
  CHECK(enumeration.index_of(7) == std::optional<uint64_t>(1));
  CHECK(!enumeration.index_of(8).has_value());
  const Enumeration longer = enumeration.extend(std::vector<int32_t>{9});
  CHECK_EQ(Enumeration(longer).as_vector<int32_t>().size(), 3);
  CHECK_THROWS(enumeration.extend(std::vector<int32_t>()), TileDBError,
      "Unable to extend an enumeration with an empty vector.");
  std::vector<std::string> texts{"a"};
  CHECK_THROWS(enumeration.extend(texts), TileDBError, "Error extending fixed sized enumeration with var size data.");
  CHECK_EQ(enumeration.context().config().get("sm.memory_budget").empty(), false);
  CHECK(harness::show(enumeration).find("numbers") != std::string::npos);
}

TEST(enumerations_hold_strings_and_bools) {
  const Context ctx;
  std::vector<std::string> texts{"red", "", "blue"};
  Enumeration enumeration = Enumeration::create(ctx, "colors", texts);
  CHECK(enumeration.as_vector<std::string>() == texts);
  CHECK(enumeration.index_of(std::string_view("blue")) == std::optional<uint64_t>(2));
  std::vector<std::string> more{"green"};
  CHECK_EQ(enumeration.extend(more).as_vector<std::string>().back(), "green");
  CHECK_THROWS(enumeration.extend(std::vector<int32_t>{1}), TileDBError,
      "Error extending var sized enumeration with fixed size data.");
  std::vector<std::string_view> views{"red", texts[2]};
  Enumeration of_views = Enumeration::create(ctx, "views", views);
  CHECK((of_views.as_vector<std::string>() == std::vector<std::string>{"red", "blue"}));
  CHECK_EQ(of_views.extend(std::vector<std::string_view>{"green"}).as_vector<std::string>().back(), "green");
  std::vector<bool> bools{false, true};
  Enumeration of_bools = Enumeration::create(ctx, "bools", bools);
  CHECK_EQ(of_bools.type(), TILEDB_BOOL);
  CHECK(of_bools.as_vector<bool>() == bools);
  std::vector<uint64_t> days{1};
  CHECK_EQ(Enumeration::create(ctx, "d", days, false, TILEDB_DATETIME_DAY).type(), TILEDB_DATETIME_DAY);
  CHECK(Enumeration::create_empty(ctx, "e", TILEDB_STRING_UTF8, TILEDB_VAR_NUM).as_vector<std::string>().empty());
  std::vector<int32_t> twice{1, 1};
  CHECK_THROWS_WITH(Enumeration::create(ctx, "t", twice), TileDBError, "");
  const Enumeration moved = std::move(enumeration);
  CHECK_THROWS_WITH(enumeration.name(), TileDBError, "");
}

TEST(attributes_refer_to_enumerations) {
  const Context ctx;
  const std::string uri = harness::scratch();
  std::vector<std::string> texts{"red", "blue"};
  ArraySchema schema = fixtures::dense_schema(ctx);
  ArraySchemaExperimental::add_enumeration(ctx, schema, Enumeration::create(ctx, "colors", texts));
  Attribute color = Attribute::create<int8_t>(ctx, "color");
  CHECK(!AttributeExperimental::get_enumeration_name(ctx, color).has_value());
  AttributeExperimental::set_enumeration_name(ctx, color, "colors");
  CHECK(AttributeExperimental::get_enumeration_name(ctx, color) == "colors");
  schema.add_attribute(color);
  CHECK_EQ(ArraySchemaExperimental::get_enumeration_from_name(ctx, schema, "colors").name(), "colors");
  CHECK_EQ(ArraySchemaExperimental::get_enumeration_from_attribute_name(ctx, schema, "color").name(), "colors");
  Array::create(uri, schema);
  const Array array(ctx, uri, TILEDB_READ);
  ArrayExperimental::load_all_enumerations(ctx, array);
  ArrayExperimental::load_enumerations_all_schemas(ctx, array);
  CHECK_EQ(ArrayExperimental::get_enumeration(ctx, array, "colors").as_vector<std::string>().at(1), "blue");
  CHECK_THROWS_WITH(ArrayExperimental::get_enumeration(ctx, array, "none"), TileDBError, "none");
  QueryCondition condition = QueryCondition::create(ctx, "color", std::string("blue"), TILEDB_EQ);
  QueryConditionExperimental::set_use_enumeration(ctx, condition, true);
}

TEST(schemas_evolve) {
  const Context ctx;
  const std::string uri = harness::scratch();
  Array::create(uri, fixtures::dense_schema(ctx));
  std::vector<int32_t> numbers{1};
  Enumeration first = Enumeration::create(ctx, "n", numbers);
  ArraySchemaEvolution(ctx).add_attribute(Attribute::create<int>(ctx, "b")).add_enumeration(first).array_evolve(uri);
  CHECK(ArraySchema(ctx, uri).has_attribute("b"));
  ArraySchemaEvolution second(ctx);
  second.extend_enumeration(first.extend(std::vector<int32_t>{2})).drop_attribute("b").array_evolve(uri);
  CHECK(!ArraySchema(ctx, uri).has_attribute("b"));
  ArraySchemaEvolution third(ctx);
  third.drop_enumeration("n");
  third.set_timestamp_range({UINT64_MAX / 2, UINT64_MAX / 2});
  third.array_evolve(uri);
  CHECK_THROWS_WITH(ArraySchemaEvolution(ctx).drop_attribute("none").array_evolve(uri), TileDBError, "");
  ArraySchemaEvolution moved_from(ctx);
  const ArraySchemaEvolution moved = std::move(moved_from);
  CHECK_THROWS_WITH(moved_from.drop_attribute("a"), TileDBError, "");
}

TEST(current_domains_are_rectangles) {
  const Context ctx;
  ArraySchema schema = fixtures::sparse_schema(ctx);
  CHECK(ArraySchemaExperimental::current_domain(ctx, schema).is_empty());
  NDRectangle rectangle(ctx, schema.domain());
  rectangle.set_range(0, "a", "m").set_range("id", std::string("a"), std::string("z"));
  rectangle.set_range("t", uint64_t{1}, uint64_t{9}).set_range(1, uint64_t{2}, uint64_t{8});
  CHECK_EQ(rectangle.range<std::string>("id")[1], "z");
  CHECK_EQ(rectangle.range<std::string>(0)[0], "a");
  CHECK_EQ(rectangle.range<uint64_t>(1)[0], 2);
  CHECK_EQ(rectangle.range<uint64_t>("t")[1], 8);
  CHECK_EQ(rectangle.dim_num(), 2);
  CHECK_EQ(rectangle.range_dtype(1), TILEDB_UINT64);
  CHECK_EQ(rectangle.range_dtype("id"), TILEDB_STRING_ASCII);
  CHECK_THROWS_WITH(rectangle.range<uint64_t>(2), TileDBError, "");
  CHECK_THROWS(rectangle.range<uint32_t>(1), TypeError,
      "Static type has 4 bytes, coordinates of the dimension have 8");
  CHECK_THROWS(rectangle.range<uint64_t>("id"), TypeError,
      "Static type has 8 bytes, coordinates of the dimension have 1");
  CHECK_THROWS_WITH(rectangle.set_range(1, int8_t{1}, int8_t{2}), TileDBError, "");
  CurrentDomain domain(ctx);
  CHECK(domain.is_empty());
  CHECK(&domain.set_ndrectangle(rectangle) == &domain);
  CHECK_EQ(domain.type(), TILEDB_NDRECTANGLE);
  CHECK_EQ(domain.ndrectangle().range<uint64_t>(1)[1], 8);
  ArraySchemaExperimental::set_current_domain(ctx, schema, domain);
  CHECK(!ArraySchemaExperimental::current_domain(ctx, schema).is_empty());
  const std::string uri = harness::scratch();
  Array::create(uri, schema);
  rectangle.set_range(1, uint64_t{0}, uint64_t{20});
  CurrentDomain larger(ctx);
  larger.set_ndrectangle(rectangle);
  ArraySchemaEvolution(ctx).expand_current_domain(larger).array_evolve(uri);
  CHECK(!harness::show(rectangle).empty() && !harness::show(domain).empty());
  const CurrentDomain moved = std::move(domain);
  CHECK_THROWS_WITH(domain.is_empty(), TileDBError, "");
}

TEST(labels_select_coordinates) {
  const Context ctx;
  const std::string uri = harness::scratch();
  ArraySchema schema = fixtures::dense_schema(ctx);
  ArraySchemaExperimental::add_dimension_label(
      ctx, schema, 0, "height", TILEDB_INCREASING_DATA, TILEDB_FLOAT64, FilterList(ctx));
  ArraySchemaExperimental::add_dimension_label(
      ctx, schema, 1, "code", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII, int32_t{4}, std::nullopt);
  CHECK(ArraySchemaExperimental::has_dimension_label(ctx, schema, "height"));
  const DimensionLabel label = ArraySchemaExperimental::dimension_label(ctx, schema, "height");
  CHECK_EQ(label.name(), "height");
  CHECK_EQ(label.dimension_index(), 0);
  CHECK_EQ(label.label_type(), TILEDB_FLOAT64);
  CHECK_EQ(label.label_order(), TILEDB_INCREASING_DATA);
  CHECK_EQ(label.label_cell_val_num(), 1);
  CHECK(!label.label_attr_name().empty() && !label.uri().empty());
  Array::create(uri, schema);
  {
    const Array array(ctx, uri, TILEDB_WRITE);
    std::vector<double> heights{0.5, 1.5, 2.5, 3.5};
    std::string codes = "abcd";
    std::vector<uint64_t> offsets{0, 1, 2, 3};
    std::vector<int32_t> values(16, 1);
    values[4] = 44;
    Query query(ctx, array);
    query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("a", values);
    QueryExperimental::set_data_buffer(query, "height", heights);
    QueryExperimental::set_data_buffer(query, "code", codes);
    query.set_offsets_buffer("code", offsets);
    query.submit();
    CHECK_THROWS(QueryExperimental::set_data_buffer(query, "none", heights), TileDBError,
        "Cannot set buffer; No attribute, dimension, or dimension label named 'none' exists");
    CHECK_THROWS(QueryExperimental::set_data_buffer(query, "height", values), TypeError,
        "Static type (INT32) does not match expected type (FLOAT64)");
  }
  const Array array(ctx, uri, TILEDB_READ);
  Subarray subarray(ctx, array);
  SubarrayExperimental::add_label_range(ctx, subarray, "height", 1.0, 2.0);
  SubarrayExperimental::add_label_range(ctx, subarray, "code", std::string("a"), std::string("a"));
  CHECK_EQ(SubarrayExperimental::label_range_num(ctx, subarray, "height"), 1);
  CHECK_EQ(SubarrayExperimental::label_range<double>(ctx, subarray, "height", 0)[1], 2.0);
  CHECK_EQ(SubarrayExperimental::label_range(ctx, subarray, "code", 0)[0], "a");
  CHECK_THROWS(SubarrayExperimental::add_label_range(ctx, subarray, "height", 1, 2), TypeError,
      "Static type (INT32) does not match expected type (FLOAT64)");
  std::vector<int32_t> values(4);
  std::vector<double> heights(4);
  std::string codes(4, ' ');
  std::vector<uint64_t> offsets(4);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(subarray).set_data_buffer("a", values);
  QueryExperimental::set_data_buffer(query, "height", heights.data(), heights.size());
  QueryExperimental::set_data_buffer(query, "code", static_cast<void*>(codes.data()), codes.size());
  query.set_offsets_buffer("code", offsets);
  CHECK(query.submit() == Query::Status::COMPLETE);
  CHECK_EQ(values[0], 44);
  CHECK_EQ(heights[0], 1.5);
  const auto numbers = QueryExperimental::result_buffer_elements_labels(query);
  CHECK_EQ(numbers.at("height").second, 1);
  CHECK_EQ(numbers.at("height").first, 0);
  CHECK_EQ(numbers.at("code").first, 1);
  CHECK_EQ(std::get<1>(QueryExperimental::result_buffer_elements_nullable_labels(query).at("code")), 1);
}

TEST(aggregates_are_computed) {
  const Context ctx;
  const Array array(ctx, fixtures::dense_array(ctx), TILEDB_READ);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(Subarray(ctx, array).set_subarray({1, 4, 1, 4}));
  QueryChannel channel = QueryExperimental::get_default_channel(query);
  channel.apply_aggregate("count", CountOperation());
  channel.apply_aggregate("sum", QueryExperimental::create_unary_aggregate<SumOperator>(query, "a"));
  channel.apply_aggregate("min", QueryExperimental::create_unary_aggregate<MinOperator>(query, "a"));
  channel.apply_aggregate("max", QueryExperimental::create_unary_aggregate<MaxOperator>(query, "a"));
  channel.apply_aggregate("mean", QueryExperimental::create_unary_aggregate<MeanOperator>(query, "a"));
  std::vector<uint64_t> count(1);
  std::vector<int64_t> sum(1);
  std::vector<int32_t> min(1), max(1);
  std::vector<double> mean(1);
  query.set_data_buffer("count", count).set_data_buffer("sum", sum).set_data_buffer("mean", mean);
  query.set_data_buffer("min", min).set_data_buffer("max", max);
  CHECK(query.submit() == Query::Status::COMPLETE);
  CHECK_EQ(count[0], 16);
  CHECK_EQ(sum[0], 120);
  CHECK_EQ(min[0], 0);
  CHECK_EQ(max[0], 15);
  CHECK_EQ(mean[0], 7.5);
  CHECK_EQ(query.result_buffer_elements().at("sum").second, 1);
  CHECK_THROWS_WITH(channel.apply_aggregate("count", CountOperation()), TileDBError, "");
  CHECK_THROWS_WITH(
      QueryExperimental::create_unary_aggregate<SumOperator>(query, "none"), TileDBError, "");
  CHECK_THROWS_WITH(channel.apply_aggregate("x", ChannelOperation()), TileDBError, "");
}

TEST(relevant_fragments_and_plans) {
  Context ctx;
  const Array array(ctx, fixtures::sparse_array(ctx), TILEDB_READ);
  Query query(ctx, array);
  std::vector<double> values(3);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("v", values);
  query.set_subarray(Subarray(ctx, array).add_range(1, uint64_t{1}, uint64_t{2}));
  query.submit();
  CHECK_EQ(QueryExperimental::get_relevant_fragment_num(ctx, query), 1);
  const ConsolidationPlan plan(ctx, array, 1000000);
  CHECK_EQ(plan.num_nodes(), 0);
  CHECK(plan.dump().find("nodes") != std::string::npos);
  CHECK_THROWS_WITH(plan.num_fragments(0), TileDBError, "");
  CHECK_THROWS_WITH(plan.fragment_uri(0, 0), TileDBError, "");
}

TEST(profiles_are_kept_in_a_file) {
  const Context ctx;
  const std::string folder = harness::scratch();
  VFS(ctx).create_dir(folder);
  Profile profile("mine", folder);
  CHECK_EQ(profile.name(), "mine");
  CHECK(profile.dir().find(folder) == 0);
  profile.set_param("rest.username", "somebody");
  CHECK(profile.get_param("rest.username") == "somebody");
  CHECK(!profile.get_param("rest.password").has_value() || profile.get_param("rest.password")->empty());
  profile.set_param("rest.password", "secret");
  profile.save();
  CHECK(Profile::load("mine", folder).get_param("rest.username") == "somebody");
  CHECK_THROWS_WITH(profile.save(), ProfileException, "[TileDB::C++ API][Profile]: ");
  profile.save(true);
  CHECK(profile.dump().find("rest.username") != std::string::npos);
  Profile::remove("mine", folder);
  const std::string text = harness::thrown<ProfileException>(
      __FILE__, __LINE__, "load", [&] { Profile::load("mine", folder); });
  CHECK(text.find("[TileDB::C++ API][Profile]: ") == 0 && text.size() > 40);
  const Profile moved = std::move(profile);
  CHECK_EQ(moved.name(), "mine");
  CHECK(profile.ptr() == nullptr);
}
