/* File stores: files and byte buffers are imported and exported, completely and in parts. */
#include "arrays.h"

#include <sys/stat.h>

/*
 * Creates a file of `size` bytes that depend on their positions, with a file extension; copies its
 * path to `path` of 160 bytes.
 */
static void new_file(char* path, const char* ending, size_t size) {
  snprintf(path, 160, "%s%s", scratch_file(), ending);
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL);
  for (size_t i = 0; i < size; i++) CHECK(fputc((int)(i * 7 % 251), file) != EOF);
  CHECK_EQ(fclose(file), 0);
}

static void check_file(const char* path, size_t size) {
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  for (size_t i = 0; i < size; i++) CHECK_EQ(fgetc(file), i * 7 % 251);
  CHECK_EQ(fgetc(file), EOF);
  fclose(file);
}

/* Creates a file store for `file`, which may be null. */
static void new_store(tiledb_ctx_t* ctx, const char* file, char* uri) {
  tiledb_array_schema_t* schema = NULL;
  CHECK_OK(ctx, tiledb_filestore_schema_create(ctx, file, &schema));
  create_with(ctx, schema, uri);
}

static size_t stored_size(tiledb_ctx_t* ctx, const char* uri) {
  size_t size = 99;
  CHECK_OK(ctx, tiledb_filestore_size(ctx, uri, &size));
  return size;
}

/* Returns the metadata of a string key; "" if it is empty. Valid until the next call. */
static const char* kept_text(tiledb_ctx_t* ctx, const char* uri, const char* key) {
  static char kept[256];
  tiledb_array_t* array = open_array(ctx, uri, TILEDB_READ);
  tiledb_datatype_t type;
  uint32_t length = 0;
  const void* text = NULL;
  CHECK_OK(ctx, tiledb_array_get_metadata(ctx, array, key, &type, &length, &text));
  CHECK_EQ(type, TILEDB_STRING_UTF8);
  snprintf(kept, sizeof kept, "%.*s", text == NULL ? 0 : (int)length, text == NULL ? "" : (const char*)text);
  close_array(ctx, &array);
  return kept;
}

static uint64_t extent_for(tiledb_ctx_t* ctx, const char* file) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* position = NULL;
  const void *extent = NULL, *ends = NULL;
  CHECK_OK(ctx, tiledb_filestore_schema_create(ctx, file, &schema));
  CHECK_OK(ctx, tiledb_array_schema_check(ctx, schema));
  CHECK_OK(ctx, tiledb_array_schema_get_domain(ctx, schema, &domain));
  CHECK_OK(ctx, tiledb_domain_get_dimension_from_name(ctx, domain, "position", &position));
  CHECK_OK(ctx, tiledb_dimension_get_tile_extent(ctx, position, &extent));
  CHECK_OK(ctx, tiledb_dimension_get_domain(ctx, position, &ends));
  uint64_t found = *(const uint64_t*)extent;
  CHECK_EQ(((const uint64_t*)ends)[0], 0);
  CHECK_EQ(((const uint64_t*)ends)[1], UINT64_MAX - found - 1);
  tiledb_dimension_free(&position);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
  return found;
}

TEST_WITH(ctx, the_size_of_a_file_decides_the_extent) {
  char small[160], large[160];
  new_file(small, "", 3);
  new_file(large, "", (1 << 20) + 1);
  CHECK_EQ(extent_for(ctx, NULL), 1024);
  CHECK_EQ(extent_for(ctx, small), 1024);
  CHECK_EQ(extent_for(ctx, large), 256 << 10);
  tiledb_array_schema_t* schema = NULL;
  CHECK_FAILS(ctx, tiledb_filestore_schema_create(ctx, "/no/such/file", &schema), "/no/such/file");
  CHECK(schema == NULL);
}

TEST_WITH(ctx, files_are_exported_with_name_and_kind) {
  size_t sizes[] = {1, 1023, 1024, 1025, 5000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char from[160], to[160], uri[128];
    new_file(from, ".a.txt", sizes[i]);
    snprintf(to, sizeof to, "%s", scratch_file());
    new_store(ctx, from, uri);
    CHECK_OK(ctx, tiledb_filestore_uri_import(ctx, uri, from, TILEDB_MIME_TIFF));
    CHECK_EQ(stored_size(ctx, uri), sizes[i]);
    CHECK_OK(ctx, tiledb_filestore_uri_export(ctx, to, uri));
    check_file(to, sizes[i]);
    CHECK_TEXT(kept_text(ctx, uri, "mime_type"), "image/tiff");
    CHECK_TEXT(kept_text(ctx, uri, "mime_encoding"), "binary");
    CHECK_TEXT(kept_text(ctx, uri, "file_extension"), "txt");
    const char* name = strrchr(from, '/') + 1;
    CHECK_EQ(strncmp(kept_text(ctx, uri, "original_file_name"), name, strlen(name) - 4), 0);
  }
}

TEST_WITH(ctx, an_empty_file_is_not_stored) {
  char file[160], uri[128];
  size_t size = 0;
  new_file(file, "", 0);
  new_store(ctx, file, uri);
  CHECK_OK(ctx, tiledb_filestore_uri_import(ctx, uri, file, TILEDB_MIME_AUTODETECT));
  CHECK_EQ(tiledb_filestore_size(ctx, uri, &size), TILEDB_ERR);
  CHECK_FAILS(ctx, tiledb_filestore_uri_export(ctx, file, uri), "doesn't contain the file_size");
}

TEST_WITH(ctx, bytes_are_stored_and_read_in_parts) {
  char uri[128], text[] = "hello world", part[16] = "";
  new_store(ctx, NULL, uri);
  CHECK_OK(ctx, tiledb_filestore_buffer_import(ctx, uri, text, 11, TILEDB_MIME_PDF));
  CHECK_OK(ctx, tiledb_filestore_buffer_import(ctx, uri, text, 0, TILEDB_MIME_PDF));
  CHECK_EQ(stored_size(ctx, uri), 11);
  CHECK_OK(ctx, tiledb_filestore_buffer_export(ctx, uri, 3, part, 4));
  CHECK_TEXT(part, "lo w");
  CHECK_EQ(tiledb_filestore_buffer_export(ctx, uri, 3, part, 9), TILEDB_ERR);
  CHECK_TEXT(kept_text(ctx, uri, "mime_type"), "application/pdf");
  CHECK_TEXT(kept_text(ctx, uri, "original_file_name"), "");
}

TEST_WITH(ctx, the_last_import_replaces_the_file) {
  char uri[128], part[16] = "";
  new_store(ctx, NULL, uri);
  CHECK_OK(ctx, tiledb_filestore_buffer_import(ctx, uri, (void*)"long text", 9, TILEDB_MIME_AUTODETECT));
  wait_a_moment();
  CHECK_OK(ctx, tiledb_filestore_buffer_import(ctx, uri, (void*)"new", 3, TILEDB_MIME_AUTODETECT));
  CHECK_EQ(stored_size(ctx, uri), 3);
  CHECK_OK(ctx, tiledb_filestore_buffer_export(ctx, uri, 0, part, 3));
  CHECK_TEXT(part, "new");
  CHECK_EQ(tiledb_filestore_buffer_export(ctx, uri, 0, part, 9), TILEDB_ERR);
}

TEST(the_buffer_holds_whole_tiles) {
  tiledb_config_t* config = config_with(NULL, NULL);
  char file[160], to[160], uri[128];
  new_file(file, "", 2560);
  snprintf(to, sizeof to, "%s", scratch_file());
  for (int large = 0; large < 2; large++) {
    tiledb_ctx_t* ctx = NULL;
    set_param(config, "filestore.buffer_size", large ? "1500" : "100");
    CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
    if (!large) {
      new_store(ctx, file, uri);
      CHECK_FAILS(ctx, tiledb_filestore_uri_import(ctx, uri, file, TILEDB_MIME_PDF), "smaller than current 1024 tile");
    } else {
      CHECK_OK(ctx, tiledb_filestore_uri_import(ctx, uri, file, TILEDB_MIME_PDF));
      CHECK_OK(ctx, tiledb_filestore_uri_export(ctx, to, uri));
      check_file(to, 2560);
    }
    tiledb_ctx_free(&ctx);
  }
  tiledb_config_free(&config);
}

TEST_WITH(ctx, bad_arguments_are_errors) {
  char uri[128], byte = 0;
  size_t size = 0;
  new_store(ctx, NULL, uri);
  CHECK_FAILS(ctx, tiledb_filestore_buffer_import(ctx, NULL, &byte, 1, TILEDB_MIME_PDF), "Invalid uri pointer");
  CHECK_EQ(tiledb_filestore_buffer_import(ctx, uri, NULL, 1, TILEDB_MIME_PDF), TILEDB_ERR);
  CHECK_FAILS(ctx, tiledb_filestore_buffer_import(ctx, uri, &byte, 1, (tiledb_mime_type_t)9), "Invalid mime type");
  CHECK_FAILS(ctx, tiledb_filestore_uri_import(ctx, uri, NULL, TILEDB_MIME_PDF), "Invalid uri pointer");
  CHECK_FAILS(ctx, tiledb_filestore_uri_import(ctx, uri, "/no/such/file", TILEDB_MIME_PDF), "/no/such/file");
  CHECK_FAILS(ctx, tiledb_filestore_uri_import(ctx, NULL, "/no/such/file", TILEDB_MIME_PDF), "Invalid uri pointer");
  CHECK_FAILS(ctx, tiledb_filestore_uri_export(ctx, NULL, uri), "Invalid uri pointer");
  CHECK_FAILS(ctx, tiledb_filestore_uri_export(ctx, "/no/such/file", NULL), "Invalid uri pointer");
  CHECK_FAILS(ctx, tiledb_filestore_buffer_export(ctx, NULL, 0, &byte, 1), "Invalid uri pointer");
  /* Nothing is stored yet. */
  CHECK_EQ(tiledb_filestore_buffer_export(ctx, uri, 0, &byte, 1), TILEDB_ERR);
  CHECK_OK(ctx, tiledb_filestore_buffer_import(ctx, uri, (void*)"ab", 2, TILEDB_MIME_PDF));
  CHECK_EQ(tiledb_filestore_buffer_export(ctx, uri, 0, NULL, 1), TILEDB_ERR);
  CHECK_EQ(tiledb_filestore_buffer_export(ctx, uri, 2, &byte, 1), TILEDB_ERR);
  CHECK_EQ(byte, 0);
  CHECK_EQ(tiledb_filestore_size(ctx, uri, NULL), TILEDB_ERR);
  CHECK_FAILS(ctx, tiledb_filestore_size(ctx, "/no/such/array", &size), "Array does not exist");
  CHECK_EQ(tiledb_filestore_size(NULL, uri, &size), TILEDB_INVALID_CONTEXT);
}

/* Neither file extension nor content determine the kind of a file, and nothing is compressed. */
TEST_WITH(ctx, files_have_the_kind_that_was_set) {
  static const struct {
    const char *ending, *bytes;
    size_t size;
  } files[] = {{".gz", "\x1f\x8b\x08\0\0\0\0\0\0\0", 10}, {".pdf", "%PDF-1.4", 8}, {".tiff", "II*\0", 4}, {".txt", "text", 4}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[160], uri[128];
    tiledb_array_schema_t* schema = NULL;
    tiledb_attribute_t* contents = NULL;
    tiledb_filter_list_t* filters = NULL;
    uint32_t number = 9;
    snprintf(path, sizeof path, "%s%s", scratch_file(), files[i].ending);
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(files[i].bytes, 1, files[i].size, file), files[i].size);
    CHECK_EQ(fclose(file), 0);
    CHECK_OK(ctx, tiledb_filestore_schema_create(ctx, path, &schema));
    CHECK_OK(ctx, tiledb_array_schema_get_attribute_from_name(ctx, schema, "contents", &contents));
    CHECK_OK(ctx, tiledb_attribute_get_filter_list(ctx, contents, &filters));
    CHECK_OK(ctx, tiledb_filter_list_get_nfilters(ctx, filters, &number));
    CHECK_EQ(number, 0);
    tiledb_filter_list_free(&filters);
    tiledb_attribute_free(&contents);
    create_with(ctx, schema, uri);
    CHECK_OK(ctx, tiledb_filestore_uri_import(ctx, uri, path, TILEDB_MIME_AUTODETECT));
    CHECK_EQ(stored_size(ctx, uri), files[i].size);
    CHECK_TEXT(kept_text(ctx, uri, "mime_type"), "application/octet-stream");
    CHECK_TEXT(kept_text(ctx, uri, "file_extension"), files[i].ending + 1);
  }
}
