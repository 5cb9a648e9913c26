/* Messages of groups and fragment information, and requests with their responses. */
#include "messages.h"

TEST_WITH(ctx, groups_are_read_as_written) {
  char uri[128], member[128];
  create_line(ctx, member);
  snprintf(uri, sizeof uri, "%s", scratch());
  int32_t value = 8;
  tiledb_group_t *group = NULL, *again = NULL;
  CHECK_OK(ctx, tiledb_group_create(ctx, uri));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, uri, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_add_member(ctx, group, member, 0, "line"));
  CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "key", TILEDB_INT32, 1, &value));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_READ));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, uri, &again));
  CHECK_OK(ctx, tiledb_group_open(ctx, again, TILEDB_READ));
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t* buffer = NULL;
    uint64_t number = 9;
    CHECK_OK(ctx, tiledb_serialize_group(ctx, group, encodings[side % 2], side / 2, &buffer));
    CHECK_OK(ctx, tiledb_deserialize_group(ctx, buffer, encodings[side % 2], side / 2, again));
    CHECK_OK(ctx, tiledb_group_get_member_count(ctx, again, &number));
    CHECK_EQ(number, 1);
    tiledb_buffer_free(&buffer);
    CHECK_OK(ctx, tiledb_serialize_group_metadata(ctx, group, encodings[side % 2], &buffer));
    CHECK_OK(ctx, tiledb_deserialize_group_metadata(ctx, again, encodings[side % 2], buffer));
    tiledb_buffer_free(&buffer);
    CHECK_OK(ctx, tiledb_serialize_group(ctx, again, TILEDB_JSON, 1, &buffer));
    CHECK(takes_text(ctx, &buffer, "\"key\":\"key\",\"type\":\"INT32\",\"valueNum\":1,\"value\":[8,0,0,0]"));
  }
  tiledb_buffer_t *none = NULL, *wrong = buffer_of(ctx, "{\"group\":{\"members\":[{\"uri\":\"x\"}]}}");
  CHECK_NEEDS(ctx, "Invalid TileDB group object", tiledb_serialize_group, NULL, TILEDB_JSON, 1, &none);
  CHECK_NEEDS(ctx, "Invalid TileDB group object", tiledb_serialize_group_metadata, NULL, TILEDB_JSON, &none);
  CHECK_NEEDS(ctx, "Invalid TileDB buffer object", tiledb_deserialize_group, NULL, TILEDB_JSON, 1, again);
  CHECK_NEEDS(ctx, "Invalid TileDB group object", tiledb_deserialize_group_metadata, NULL, TILEDB_JSON, wrong);
  CHECK_FAILS(ctx, tiledb_serialize_group(ctx, group, TILEDB_JSON, 1, NULL), "Invalid output pointer for object");
  CHECK_FAILS(ctx, tiledb_serialize_group(ctx, group, neither, 1, &none), "Unknown serialization type");
  CHECK_FAILS(
      ctx, tiledb_deserialize_group(ctx, wrong, TILEDB_JSON, 1, again),
      "Incomplete group member type in deserialization, missing type");
  tiledb_buffer_free(&wrong);
  CHECK_OK(ctx, tiledb_group_close(ctx, again));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&again);
  tiledb_group_free(&group);
}

TEST_WITH(ctx, messages_of_groups_for_writing_have_the_stored_metadata) {
  char uri[128];
  int32_t value = 8, other = 9;
  tiledb_group_t* group = NULL;
  tiledb_buffer_t* buffer = NULL;
  snprintf(uri, sizeof uri, "%s", scratch());
  CHECK_OK(ctx, tiledb_group_create(ctx, uri));
  CHECK_OK(ctx, tiledb_group_alloc(ctx, uri, &group));
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "kept", TILEDB_INT32, 1, &value));
  CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "replaced", TILEDB_INT32, 1, &value));
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  wait_a_moment();
  CHECK_OK(ctx, tiledb_group_open(ctx, group, TILEDB_WRITE));
  CHECK_OK(ctx, tiledb_serialize_group(ctx, group, TILEDB_JSON, 1, &buffer));
  CHECK(takes_text(ctx, &buffer, "\"key\":\"kept\",\"type\":\"INT32\",\"valueNum\":1,\"value\":[8,0,0,0]"));
  CHECK_OK(ctx, tiledb_group_put_metadata(ctx, group, "replaced", TILEDB_INT32, 1, &other));
#ifndef LIBTILEDB_ITSELF
  CHECK_OK(ctx, tiledb_serialize_group(ctx, group, TILEDB_JSON, 1, &buffer));
  CHECK(takes_text(ctx, &buffer, "\"key\":\"replaced\",\"type\":\"INT32\",\"valueNum\":1,\"value\":[9,0,0,0]"));
#endif
  CHECK_OK(ctx, tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
}

TEST_WITH(ctx, fragment_infos_are_loaded_by_their_message) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_fragment_info_t* info = NULL;
  CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &info));
  CHECK_OK(ctx, tiledb_fragment_info_load(ctx, info));
  for (int side = 0; side < 4; side++) {
    tiledb_buffer_t* buffer = NULL;
    tiledb_fragment_info_t* again = NULL;
    tiledb_serialization_type_t encoding = encodings[side % 2];
    uint32_t number = 0;
    uint64_t size = 0, expected = 1, cells = 0;
    CHECK_OK(ctx, tiledb_serialize_fragment_info(ctx, info, encoding, side / 2, &buffer));
    CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &again));
    CHECK_OK(ctx, tiledb_deserialize_fragment_info(ctx, buffer, encoding, uri, side / 2, again));
    tiledb_buffer_free(&buffer);
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_num(ctx, again, &number));
    CHECK_EQ(number, 1);
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_size(ctx, info, 0, &expected));
    CHECK_OK(ctx, tiledb_fragment_info_get_fragment_size(ctx, again, 0, &size));
    CHECK_EQ(size, expected);
    CHECK_OK(ctx, tiledb_fragment_info_get_cell_num(ctx, again, 0, &cells));
    CHECK_EQ(cells, 3);
    tiledb_fragment_info_free(&again);
    CHECK_OK(ctx, tiledb_serialize_fragment_info_request(ctx, info, encoding, side / 2, &buffer));
    CHECK_OK(ctx, tiledb_fragment_info_alloc(ctx, uri, &again));
    CHECK_OK(ctx, tiledb_deserialize_fragment_info_request(ctx, buffer, encoding, side / 2, again));
    tiledb_fragment_info_free(&again);
    tiledb_buffer_free(&buffer);
  }
  tiledb_buffer_t *none = NULL, *empty = buffer_of(ctx, "[]");
  const char* object = "Invalid TileDB fragment_info object";
  CHECK_NEEDS(ctx, object, tiledb_serialize_fragment_info, NULL, TILEDB_JSON, 1, &none);
  CHECK_NEEDS(ctx, object, tiledb_serialize_fragment_info_request, NULL, TILEDB_JSON, 1, &none);
  CHECK_NEEDS(ctx, object, tiledb_deserialize_fragment_info, empty, TILEDB_JSON, uri, 1, NULL);
  CHECK_NEEDS(ctx, object, tiledb_deserialize_fragment_info_request, empty, TILEDB_JSON, 1, NULL);
  CHECK_FAILS(ctx, tiledb_serialize_fragment_info(ctx, info, neither, 1, &none), "Unknown serialization type");
  CHECK_FAILS(
      ctx, tiledb_deserialize_fragment_info(ctx, empty, TILEDB_JSON, "", 1, info),
      "Failed to deserialize fragment info; Invalid array URI");
  CHECK_FAILS(
      ctx, tiledb_deserialize_fragment_info(ctx, empty, TILEDB_JSON, uri, 1, info),
      "[TileDB::Serialization] Error: Error deserializing fragment info; kj::Exception: ");
  tiledb_buffer_free(&empty);
  tiledb_fragment_info_free(&info);
}

TEST_WITH(ctx, requests_get_responses) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_buffer_t *empty = buffer_of(ctx, "{}"), *response = NULL;
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &response));
  CHECK_OK(ctx, tiledb_handle_load_array_schema_request(ctx, array, TILEDB_JSON, empty, response));
  CHECK(takes_text(ctx, &response, "\"arraySchemasAll\":{\"entries\":[{\"key\":\"__"));
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &response));
  CHECK_OK(ctx, tiledb_handle_load_enumerations_request(ctx, array, TILEDB_JSON, empty, response));
  CHECK(takes_text(ctx, &response, "{\"enumerations\":[]}"));
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &response));
  tiledb_buffer_t* size = buffer_of(ctx, "{\"fragmentSize\":\"100\"}");
  CHECK_OK(ctx, tiledb_handle_consolidation_plan_request(ctx, array, TILEDB_JSON, size, response));
  CHECK(takes_text(ctx, &response, "{"));
  CHECK_OK(ctx, tiledb_buffer_alloc(ctx, &response));
  CHECK_NEEDS(
      ctx, "Invalid TileDB array object", tiledb_handle_load_array_schema_request, NULL, TILEDB_JSON, empty, response);
  CHECK_NEEDS(
      ctx, "Invalid TileDB buffer object", tiledb_handle_load_enumerations_request, array, TILEDB_JSON, NULL,
      response);
  CHECK_NEEDS(
      ctx, "Invalid TileDB buffer object", tiledb_handle_consolidation_plan_request, array, TILEDB_JSON, size, NULL);
  CHECK_FAILS(
      ctx, tiledb_handle_load_array_schema_request(ctx, array, neither, empty, response),
      "Unknown serialization type passed");
  close_array(ctx, &array);
  CHECK_OK(ctx, tiledb_array_alloc(ctx, uri, &array));
  CHECK_FAILS(
      ctx, tiledb_handle_consolidation_plan_request(ctx, array, TILEDB_JSON, size, response),
      "Cannot get consolidation plan. Input array is not open");
  tiledb_array_free(&array);
  tiledb_buffer_free(&size);
  tiledb_buffer_free(&empty);
  tiledb_buffer_free(&response);
}

TEST_WITH(ctx, requests_delete_fragments) {
  char uri[128];
  create_line(ctx, uri);
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_MODIFY_EXCLUSIVE);
  tiledb_buffer_t* wrong = buffer_of(ctx, "{\"entries\":[\"__fragments/none\"]}");
  tiledb_buffer_t* times = buffer_of(ctx, "{\"startTimestamp\":\"0\",\"endTimestamp\":\"9000000000000\"}");
  CHECK_NEEDS(
      ctx, "Invalid TileDB array object", tiledb_handle_array_delete_fragments_list_request, NULL, TILEDB_JSON, wrong);
  CHECK_NEEDS(
      ctx, "Invalid TileDB buffer object", tiledb_handle_array_delete_fragments_timestamps_request, array,
      TILEDB_JSON, NULL);
  CHECK_FAILS(
      ctx, tiledb_handle_array_delete_fragments_list_request(ctx, array, TILEDB_JSON, wrong),
      "Failed to delete fragments_list");
  CHECK_OK(ctx, tiledb_handle_array_delete_fragments_timestamps_request(ctx, array, TILEDB_JSON, times));
  close_array(ctx, &array);
  array = open_array(ctx, uri, TILEDB_READ);
  int32_t read[2], empty = 0;
  CHECK_OK(ctx, tiledb_array_get_non_empty_domain(ctx, array, read, &empty));
  CHECK_EQ(empty, 1);
  close_array(ctx, &array);
  tiledb_buffer_free(&wrong);
  tiledb_buffer_free(&times);
}
