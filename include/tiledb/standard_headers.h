/**
 * @file standard_headers.h
 * The headers of the standard library that libtiledb's headers include and these do not need:
 * programs use std::cout, std::numeric_limits and others without including them.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_STANDARD_HEADERS_H
#define TILEDB_CPP_API_STANDARD_HEADERS_H

#include <algorithm>
#include <cassert>
#include <ctime>
#include <iostream>
#include <limits>
#include <locale>
#include <set>
#include <sstream>

#endif  // TILEDB_CPP_API_STANDARD_HEADERS_H
