/*
 * The version of libtiledb whose C API and file formats this library has. Build systems search the
 * text of this file for the definitions, so they are repeated here; see also tiledb_rs_enums.h.
 */
#define TILEDB_VERSION_MAJOR 2
#define TILEDB_VERSION_MINOR 30
#define TILEDB_VERSION_PATCH 0
