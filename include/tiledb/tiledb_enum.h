/* The enums stand with the functions in one header. */
#include "../tiledb_rs.h"
