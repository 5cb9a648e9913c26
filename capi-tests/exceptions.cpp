/*
 * C++ exceptions thrown by callbacks become errors with their message, in every listing function.
 */
#include "harness.h"

#include <sys/stat.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace {

struct Odd {
  int number;
};

struct Both : Odd, std::runtime_error {
  Both() : Odd{1}, std::runtime_error("of two bases") {}
};

/* Counts destructed objects. */
struct Counted {
  static int ended;
  ~Counted() { ended++; }
};
int Counted::ended = 0;

int expected = 0;

void raise() {
  Counted counted;
  switch (expected) {
    case 1: throw std::runtime_error("a text");
    case 2: throw Both();
    case 3: throw 7;
    case 4: throw std::string("not an exception");
    case 5: std::rethrow_exception(std::make_exception_ptr(std::logic_error("thrown again")));
    default: return;
  }
}

int32_t on_object(const char*, tiledb_object_t, void*) {
  raise();
  return 1;
}

int32_t on_path(const char*, void*) {
  raise();
  return 1;
}

int32_t on_file(const char*, size_t, uint64_t, void*) {
  raise();
  return 1;
}

int32_t on_entry(const char*, size_t, uint64_t, uint8_t, void*) {
  raise();
  return 1;
}

/* Creates a folder with one array. */
std::string new_folder() {
  std::string folder = scratch();
  for (const char* below : {"", "/a", "/a/__schema"}) CHECK_EQ(mkdir((folder + below).c_str(), 0777), 0);
  return folder;
}

const char* const unknown = "C API: unknown exception type; no further information";

}  // namespace

TEST(an_exception_is_an_error_with_its_text) {
  tiledb_ctx_t* ctx = new_context();
  const std::string folder = new_folder();
  const char* returned[] = {nullptr, "TileDB internal: a text", "TileDB internal: of two bases", unknown, unknown,
      "TileDB internal: thrown again"};
  for (int round = 0; round < 100; round++) {
    Counted::ended = 0;
    for (expected = 1; expected < 6; expected++)
      CHECK_ERROR(ctx, tiledb_object_ls(ctx, folder.c_str(), on_object, nullptr), returned[expected]);
    CHECK_EQ(Counted::ended, 5);
    CHECK_OK(ctx, tiledb_object_ls(ctx, folder.c_str(), on_object, nullptr));
  }
  tiledb_ctx_free(&ctx);
}

TEST(every_listing_catches) {
  tiledb_ctx_t* ctx = new_context();
  tiledb_vfs_t* vfs = nullptr;
  const std::string folder = new_folder();
  const char *path = folder.c_str(), *returned = "TileDB internal: a text";
  CHECK_OK(ctx, tiledb_vfs_alloc(ctx, nullptr, &vfs));
  expected = 1;
  CHECK_ERROR(ctx, tiledb_object_walk(ctx, path, TILEDB_PREORDER, on_object, nullptr), returned);
  CHECK_ERROR(ctx, tiledb_vfs_ls(ctx, vfs, path, on_path, nullptr), returned);
  CHECK_FAILS(ctx, tiledb_vfs_ls_recursive(ctx, vfs, path, on_file, nullptr), "a text");
  CHECK_FAILS(ctx, tiledb_vfs_ls_recursive_v2(ctx, vfs, path, on_entry, nullptr), "a text");
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
}

TEST(an_exception_that_is_being_handled_stays) {
  tiledb_ctx_t* ctx = new_context();
  const std::string folder = new_folder();
  std::string caught;
  expected = 1;
  try {
    try {
      throw std::runtime_error("outer");
    } catch (...) {
      CHECK_EQ(tiledb_object_ls(ctx, folder.c_str(), on_object, nullptr), TILEDB_ERR);
      throw;
    }
  } catch (const std::exception& error) {
    caught = error.what();
  }
  CHECK_TEXT(caught.c_str(), "outer");
  tiledb_ctx_free(&ctx);
}
