/* A minimal program that uses the library. */
#include <stdio.h>

#include <tiledb/tiledb.h>

int cpp_api_works(void);

int main(void) {
  int32_t major = 0, minor = 0, patch = 0;
  tiledb_version(&major, &minor, &patch);
  printf("TileDB %d.%d.%d\n", (int)major, (int)minor, (int)patch);
  return major == TILEDB_VERSION_MAJOR && minor == TILEDB_VERSION_MINOR && cpp_api_works() ? 0 : 1;
}
