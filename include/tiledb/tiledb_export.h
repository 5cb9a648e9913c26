/* TILEDB_EXPORT and the other marks of declarations. */
#include "../tiledb_rs.h"
