/**
 * @file log.h
 * The hook for warnings that occur where no exception can be thrown.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_LOG_H
#define TILEDB_CPP_API_LOG_H

#include <string>

namespace tiledb::impl {

/**
 * Ignores a warning, because it has no context with a logger; see tiledb_log_warn() of the C API.
 */
inline void log_warn(const std::string&) noexcept {
}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_API_LOG_H
