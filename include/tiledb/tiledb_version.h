/* TILEDB_VERSION_MAJOR, _MINOR and _PATCH. */
#include "../tiledb_rs.h"
