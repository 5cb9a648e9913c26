/* Dimension labels stand with the other functions in one header. */
#include "../tiledb_rs.h"
