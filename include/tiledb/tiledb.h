/* The C API, under the name that programs for libtiledb include. */
#include "../tiledb_rs.h"
