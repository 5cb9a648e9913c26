/*
 * Messages of configurations, schemas, arrays, metadata and domains: what each function writes is
 * read again, in both encodings and on both sides.
 */
#include "messages.h"

TEST_WITH(ctx, configurations_are_read_as_written) {
  tiledb_config_t* config = config_with("my.own", "a\"b");
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t* buffer = NULL;
    tiledb_config_t* again = NULL;
    CHECK_OK(ctx, tiledb_serialize_config(ctx, config, encodings[side % 2], side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_config(ctx, buffer, encodings[side % 2], side / 2, &again));
    tiledb_error_t* error = NULL;
    const char* value = NULL;
    CHECK_EQ(tiledb_config_get(again, "my.own", &value, &error), TILEDB_OK);
    CHECK_TEXT(value, "a\"b");
    tiledb_config_free(&again);
    tiledb_buffer_free(&buffer);
  }
  tiledb_buffer_t* none = NULL;
  CHECK_NEEDS(ctx, "Invalid TileDB configuration object", tiledb_serialize_config, NULL, TILEDB_JSON, 1, &none);
  CHECK_FAILS(ctx, tiledb_serialize_config(ctx, config, neither, 1, &none), "Unknown serialization type passed");
  CHECK(none == NULL);
  tiledb_config_free(&config);
}

TEST_WITH(ctx, configurations_without_readers_are_of_an_old_client) {
  tiledb_buffer_t* buffer = buffer_of(ctx, "{\"entries\":[{\"key\":\"a\",\"value\":\"b\"}]}");
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  CHECK_FAILS(ctx, tiledb_deserialize_config(ctx, buffer, neither, 1, &config), "Unknown serialization type passed");
  CHECK_FAILS(ctx, tiledb_deserialize_config(ctx, NULL, TILEDB_JSON, 1, &config), "Invalid TileDB buffer object");
  CHECK_FAILS(ctx, tiledb_deserialize_config(ctx, buffer, TILEDB_JSON, 1, NULL), "Invalid output pointer for object");
  CHECK_FAILS(
      ctx, tiledb_deserialize_config(ctx, buffer, TILEDB_CAPNP, 1, &config),
      "[TileDB::Serialization] Error: Error deserializing config; kj::Exception: ");
  CHECK_OK(ctx, tiledb_deserialize_config(ctx, buffer, TILEDB_JSON, 1, &config));
  CHECK_EQ(tiledb_config_get(config, "sm.query.dense.reader", &value, &error), TILEDB_OK);
  CHECK_TEXT(value, "legacy");
  tiledb_config_free(&config);
  tiledb_buffer_free(&buffer);
}

TEST_WITH(ctx, schemas_are_read_as_written) {
  tiledb_array_schema_t* schema = new_schema(ctx);
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t *buffer = NULL, *other = NULL;
    tiledb_array_schema_t* again = NULL;
    uint32_t number = 0;
    CHECK_OK(ctx, tiledb_serialize_array_schema(ctx, schema, encodings[side % 2], side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_array_schema(ctx, buffer, encodings[side % 2], side / 2, &again));
    CHECK_OK(ctx, tiledb_array_schema_check(ctx, again));
    CHECK_OK(ctx, tiledb_array_schema_get_attribute_num(ctx, again, &number));
    CHECK_EQ(number, 3);
    CHECK_OK(ctx, tiledb_serialize_array_schema(ctx, again, TILEDB_JSON, 0, &other));
    CHECK(takes_text(ctx, &other, "\"name\":\"maybe\",\"type\":\"FLOAT64\""));
    CHECK_OK(ctx, tiledb_serialize_array_schema(ctx, again, TILEDB_JSON, 0, &other));
    CHECK(!takes_text(ctx, &other, "\"uri\""));
    tiledb_array_schema_free(&again);
    tiledb_buffer_free(&buffer);
  }
  tiledb_buffer_t* none = NULL;
  CHECK_NEEDS(ctx, "Invalid TileDB array_schema object", tiledb_serialize_array_schema, NULL, TILEDB_JSON, 1, &none);
  CHECK_ERROR(
      ctx, tiledb_serialize_array_schema(ctx, schema, neither, 1, &none),
      "[TileDB::Serialization] Error: Error serializing array schema; Unknown serialization type passed");
  tiledb_array_schema_free(&schema);
}

TEST_WITH(ctx, messages_that_are_not_schemas_are_errors) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_buffer_t* buffer = buffer_of(ctx, "{\"arrayType\":\"round\"}");
  CHECK_ERROR(
      ctx, tiledb_deserialize_array_schema(ctx, buffer, TILEDB_JSON, 1, &schema),
      "[TileDB::Serialization] Error: Error deserializing array schema; exception "
      "[Deserialization::array_schema_from_capnp] round is not a valid ArrayType identifer.");
  CHECK_FAILS(ctx, tiledb_deserialize_array_schema(ctx, buffer, TILEDB_CAPNP, 1, &schema), "kj::Exception: ");
  CHECK_FAILS(ctx, tiledb_deserialize_array_schema(ctx, buffer, neither, 1, &schema), "Unknown serialization type");
  CHECK_NEEDS(ctx, "Invalid TileDB buffer object", tiledb_deserialize_array_schema, NULL, TILEDB_JSON, 1, &schema);
  CHECK_FAILS(
      ctx, tiledb_deserialize_array_schema(ctx, buffer, TILEDB_JSON, 1, NULL), "Invalid output pointer for object");
  CHECK(schema == NULL);
  tiledb_buffer_free(&buffer);
  buffer = buffer_of(ctx, "[]");
  CHECK_FAILS(ctx, tiledb_deserialize_array_schema(ctx, buffer, TILEDB_JSON, 1, &schema), "kj::Exception: ");
  tiledb_buffer_free(&buffer);
}

TEST_WITH(ctx, requests_to_create_arrays_have_a_schema_and_a_storage) {
  tiledb_array_schema_t *schema = new_number_schema(ctx), *again = NULL;
  tiledb_buffer_t* buffer = NULL;
  tiledb_string_t* storage = NULL;
  void* data = NULL;
  uint64_t size = 0;
  const char* text = NULL;
  size_t length = 0;
  CHECK_OK(ctx, tiledb_serialize_array_schema(ctx, schema, TILEDB_JSON, 1, &buffer));
  CHECK_OK(ctx, tiledb_buffer_get_data(ctx, buffer, &data, &size));
  char* request = (char*)malloc(size + 64);
  snprintf(request, size + 64, "{\"uri\":\"s3://b/a\",\"schema\":%.*s}", (int)size, (const char*)data);
  tiledb_buffer_free(&buffer);
  buffer = buffer_of(ctx, request);
  CHECK_OK(ctx, tiledb_deserialize_array_create(ctx, buffer, TILEDB_JSON, 0, &storage, &again));
  CHECK_EQ(tiledb_string_view(storage, &text, &length), TILEDB_OK);
  CHECK(length == 8 && memcmp(text, "s3://b/a", 8) == 0);
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, again));
  CHECK_FAILS(
      ctx, tiledb_deserialize_array_create(ctx, buffer, neither, 0, &storage, &again), "Unknown serialization type");
  CHECK_NEEDS(
      ctx, "Invalid TileDB buffer object", tiledb_deserialize_array_create, NULL, TILEDB_JSON, 0, &storage, &again);
  tiledb_string_free(&storage);
  tiledb_array_schema_free(&again);
  tiledb_array_schema_free(&schema);
  tiledb_buffer_free(&buffer);
  free(request);
}

TEST_WITH(ctx, evolutions_are_read_as_written) {
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_attribute_t* attribute = new_attribute(ctx, "more", TILEDB_INT64);
  CHECK_OK(ctx, tiledb_array_schema_evolution_alloc(ctx, &evolution));
  CHECK_OK(ctx, tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute));
  CHECK_OK(ctx, tiledb_array_schema_evolution_drop_attribute(ctx, evolution, "number"));
  tiledb_attribute_free(&attribute);
  char uri[128];
  create_with(ctx, new_number_schema(ctx), uri);
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t *buffer = NULL, *other = NULL;
    tiledb_array_schema_evolution_t* again = NULL;
    CHECK_OK(
        ctx, tiledb_serialize_array_schema_evolution(ctx, evolution, encodings[side % 2], side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_array_schema_evolution(ctx, buffer, encodings[side % 2], side / 2, &again));
    CHECK_OK(ctx, tiledb_serialize_array_schema_evolution(ctx, again, TILEDB_JSON, 1, &other));
    CHECK(takes_text(ctx, &other, "\"attributesToDrop\":[\"number\"]"));
    if (side == 3) CHECK_OK(ctx, tiledb_array_evolve(ctx, uri, again));
    tiledb_array_schema_evolution_free(&again);
    tiledb_buffer_free(&buffer);
  }
  tiledb_array_schema_t* schema = NULL;
  int32_t has = 0;
  CHECK_OK(ctx, tiledb_array_schema_load(ctx, uri, &schema));
  CHECK_OK(ctx, tiledb_array_schema_has_attribute(ctx, schema, "more", &has));
  CHECK_EQ(has, 1);
  tiledb_array_schema_free(&schema);
  tiledb_buffer_t* none = NULL;
  CHECK_NEEDS(
      ctx, "Invalid TileDB array schema evolution object", tiledb_serialize_array_schema_evolution, NULL, TILEDB_JSON,
      1, &none);
  CHECK_FAILS(
      ctx, tiledb_serialize_array_schema_evolution(ctx, evolution, neither, 1, &none), "Unknown serialization type");
  CHECK_NEEDS(
      ctx, "Invalid TileDB buffer object", tiledb_deserialize_array_schema_evolution, NULL, TILEDB_JSON, 1,
      &evolution);
  tiledb_array_schema_evolution_free(&evolution);
}

TEST_WITH(ctx, arrays_are_open_after_reading_their_message) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t* buffer = NULL;
    tiledb_array_t* again = NULL;
    tiledb_array_schema_t* schema = NULL;
    tiledb_query_type_t type = TILEDB_WRITE;
    tiledb_datatype_t datatype = TILEDB_ANY;
    uint32_t number = 0;
    const void* value = NULL;
    int32_t open = 0;
    CHECK_OK(ctx, tiledb_serialize_array(ctx, array, encodings[side % 2], side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_array(ctx, buffer, encodings[side % 2], side / 2, uri, &again));
    CHECK_OK(ctx, tiledb_array_is_open(ctx, again, &open));
    CHECK_EQ(open, 1);
    CHECK_OK(ctx, tiledb_array_get_query_type(ctx, again, &type));
    CHECK_EQ(type, TILEDB_READ);
    CHECK_OK(ctx, tiledb_array_get_schema(ctx, again, &schema));
    CHECK_OK(ctx, tiledb_array_get_metadata(ctx, again, "key", &datatype, &number, &value));
    CHECK(datatype == TILEDB_INT32 && number == 1 && *(const int32_t*)value == 7);
    tiledb_array_schema_free(&schema);
    tiledb_array_free(&again);
    tiledb_buffer_free(&buffer);
  }
  tiledb_buffer_t *none = NULL, *empty = buffer_of(ctx, "[]");
  tiledb_array_t* made = NULL;
  CHECK_NEEDS(ctx, "Invalid TileDB array object", tiledb_serialize_array, NULL, TILEDB_JSON, 1, &none);
  CHECK_FAILS(ctx, tiledb_serialize_array(ctx, array, neither, 1, &none), "Unknown serialization type");
  CHECK_NEEDS(ctx, "Invalid TileDB buffer object", tiledb_deserialize_array, NULL, TILEDB_JSON, 1, uri, &made);
  CHECK_FAILS(
      ctx, tiledb_deserialize_array(ctx, empty, TILEDB_JSON, 1, "", &made), "Cannot deserialize array; Invalid URI");
  CHECK_EQ(tiledb_deserialize_array(ctx, empty, TILEDB_JSON, 1, uri, &made), TILEDB_ERR);
  tiledb_buffer_free(&empty);
  close_array(ctx, &array);
}

TEST_WITH(ctx, requests_to_open_arrays_have_a_query_type) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_WRITE);
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t *buffer = NULL, *other = NULL;
    tiledb_array_t* again = NULL;
    CHECK_OK(ctx, tiledb_serialize_array_open(ctx, array, encodings[side % 2], side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_array_open(ctx, buffer, encodings[side % 2], side / 2, &again));
    CHECK_OK(ctx, tiledb_serialize_array_open(ctx, again, TILEDB_JSON, 1, &other));
    CHECK(takes_text(ctx, &other, "\"queryType\":\"WRITE\""));
    tiledb_array_free(&again);
    tiledb_buffer_free(&buffer);
  }
  tiledb_buffer_t *none = NULL, *wrong = buffer_of(ctx, "{\"queryType\":\"GUESS\"}");
  tiledb_array_t* made = NULL;
  CHECK_NEEDS(ctx, "Invalid TileDB array object", tiledb_serialize_array_open, NULL, TILEDB_JSON, 1, &none);
  CHECK_FAILS(ctx, tiledb_serialize_array_open(ctx, array, neither, 1, &none), "Unknown serialization type");
  CHECK_NEEDS(ctx, "Invalid TileDB buffer object", tiledb_deserialize_array_open, NULL, TILEDB_JSON, 1, &made);
  CHECK_FAILS(ctx, tiledb_deserialize_array_open(ctx, wrong, TILEDB_JSON, 1, &made), "Error: Invalid QueryType GUESS");
  tiledb_buffer_free(&wrong);
  close_array(ctx, &array);
}

TEST_WITH(ctx, metadata_of_a_message_is_written_when_the_array_is_closed) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_array_t* reads = open_array(ctx, uri, TILEDB_READ);
  for (int i = 0; i < 2; i++) {
    char other[128];
    tiledb_buffer_t* buffer = NULL;
    tiledb_datatype_t datatype = TILEDB_ANY;
    uint32_t number = 0;
    const void* value = NULL;
    create_with(ctx, new_line_schema(ctx, TILEDB_SPARSE, 10, 5, 0), other);
    CHECK_OK(ctx, tiledb_serialize_array_metadata(ctx, reads, encodings[i], &buffer));
    tiledb_array_t* array = open_array(ctx, other, TILEDB_WRITE);
    CHECK_OK(ctx, tiledb_deserialize_array_metadata(ctx, array, encodings[i], buffer));
    close_array(ctx, &array);
    array = open_array(ctx, other, TILEDB_READ);
    CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, "key", &datatype, &number, &value));
    CHECK(datatype == TILEDB_INT32 && number == 1 && *(const int32_t*)value == 7);
    close_array(ctx, &array);
    tiledb_buffer_free(&buffer);
  }
  tiledb_buffer_t* wrong = buffer_of(
      ctx, "{\"entries\":[{\"key\":\"n\",\"type\":\"INT32\",\"valueNum\":2,\"value\":[1,0,0,0],\"del\":false}]}");
  tiledb_buffer_t* none = NULL;
  CHECK_ERROR(
      ctx, tiledb_deserialize_array_metadata(ctx, reads, TILEDB_JSON, wrong),
      "[TileDB::Serialization] Error: Error deserializing array metadata; value size sanity check failed for n.");
  CHECK_NEEDS(ctx, "Invalid TileDB array object", tiledb_serialize_array_metadata, NULL, TILEDB_JSON, &none);
  CHECK_NEEDS(ctx, "Invalid TileDB array object", tiledb_deserialize_array_metadata, NULL, TILEDB_JSON, wrong);
  CHECK_FAILS(
      ctx, tiledb_deserialize_array_metadata(ctx, reads, TILEDB_JSON, NULL), "Invalid TileDB buffer object");
  CHECK_FAILS(ctx, tiledb_serialize_array_metadata(ctx, reads, neither, &none), "Unknown serialization type");
  tiledb_buffer_free(&wrong);
  close_array(ctx, &reads);
}

TEST_WITH(ctx, non_empty_domains_are_read_as_written) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  int32_t bounds[2] = {3, 5}, read[2] = {0, 0};
  tiledb_buffer_t* none = NULL;
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t* buffer = NULL;
    tiledb_serialization_type_t encoding = encodings[side % 2];
    int32_t empty = 9;
    CHECK_OK(ctx, tiledb_serialize_array_nonempty_domain(ctx, array, bounds, 0, encoding, side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_array_nonempty_domain(ctx, array, buffer, encoding, side / 2, read, &empty));
    CHECK(read[0] == 3 && read[1] == 5 && empty == 0);
    tiledb_buffer_free(&buffer);
    CHECK_OK(ctx, tiledb_serialize_array_nonempty_domain(ctx, array, NULL, 1, encoding, side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_array_nonempty_domain(ctx, array, buffer, encoding, side / 2, read, &empty));
    CHECK_EQ(empty, 1);
    tiledb_buffer_free(&buffer);
    CHECK_OK(
        ctx, tiledb_serialize_array_non_empty_domain_all_dimensions(ctx, array, encoding, side / 2, &buffer));
    CHECK_OK(
        ctx, tiledb_deserialize_array_non_empty_domain_all_dimensions(ctx, array, buffer, encoding, side / 2));
    CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, read, &empty));
    CHECK(read[0] == 3 && read[1] == 5 && empty == 0);
    tiledb_buffer_free(&buffer);
  }
  CHECK_FAILS(
      ctx, tiledb_serialize_array_nonempty_domain(ctx, array, NULL, 0, TILEDB_JSON, 1, &none),
      "Error serializing nonempty domain; nonempty domain is null.");
  CHECK_NEEDS(
      ctx, "Invalid TileDB array object", tiledb_serialize_array_nonempty_domain, NULL, bounds, 0, TILEDB_JSON, 1,
      &none);
  CHECK_NEEDS(
      ctx, "Invalid TileDB array object", tiledb_serialize_array_non_empty_domain_all_dimensions, NULL, TILEDB_JSON, 1,
      &none);
  CHECK_NEEDS(
      ctx, "Invalid TileDB array object", tiledb_deserialize_array_non_empty_domain_all_dimensions, NULL, none,
      TILEDB_JSON, 1);
  CHECK_FAILS(
      ctx, tiledb_deserialize_array_nonempty_domain(ctx, array, NULL, TILEDB_JSON, 1, read, NULL),
      "Invalid TileDB buffer object");
  CHECK_ERROR(
      ctx, tiledb_serialize_array_max_buffer_sizes(ctx, array, bounds, TILEDB_JSON, &none),
      "C API: tiledb_serialize_array_max_buffer_sizes is no longer supported.");
  close_array(ctx, &array);
}
