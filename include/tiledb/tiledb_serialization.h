/* Serialization stands with the other functions in one header. */
#include "../tiledb_rs.h"
