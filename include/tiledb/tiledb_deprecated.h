/* Deprecated functions stand with the others in one header. */
#include "../tiledb_rs.h"
