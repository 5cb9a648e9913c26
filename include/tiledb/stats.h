/**
 * @file stats.h
 * Statistics of all contexts.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_STATS_H
#define TILEDB_CPP_API_STATS_H

#include <cstdio>
#include <string>

#include "exception.h"
#include "tiledb.h"

namespace tiledb {

/** Timers and counters of the whole process. They are off at first. */
class Stats {
 public:
  /** Starts recording. @throws TileDBError if the library reports an error. */
  static void enable() {
    check(tiledb_stats_enable(), "enabling stats");
  }

  /**
   * Stops recording. What was recorded stays.
   * @throws TileDBError if the library reports an error.
   */
  static void disable() {
    check(tiledb_stats_disable(), "disabling stats");
  }

  /**
   * Returns whether statistics are recorded.
   * @throws TileDBError if the library reports an error.
   */
  static bool is_enabled() {
    uint8_t enabled = 0;
    check(tiledb_stats_is_enabled(&enabled), "checking stats enabled");
    return enabled != 0;
  }

  /** Sets all timers and counters to zero. @throws TileDBError if the library reports an error. */
  static void reset() {
    check(tiledb_stats_reset(), "resetting stats");
  }

  /**
   * Writes the statistics, derived values included.
   * @param out An open file; null for the standard output.
   * @throws TileDBError if the library reports an error.
   */
  static void dump(FILE* out = nullptr) {
    check(tiledb_stats_dump(out), "dumping stats");
  }

  /**
   * Returns the statistics, derived values included.
   * @param out Where the text is put.
   * @throws TileDBError if the library reports an error.
   */
  static void dump(std::string* out) {
    take(tiledb_stats_dump_str, out);
  }

  /**
   * Writes the statistics as they were recorded.
   * @param out An open file; null for the standard output.
   * @throws TileDBError if the library reports an error.
   */
  static void raw_dump(FILE* out = nullptr) {
    check(tiledb_stats_raw_dump(out), "dumping stats");
  }

  /**
   * Returns the statistics as they were recorded.
   * @param out Where the text is put.
   * @throws TileDBError if the library reports an error.
   */
  static void raw_dump(std::string* out) {
    take(tiledb_stats_raw_dump_str, out);
  }

 private:
  static void check(int rc, const char* what) {
    if (rc != TILEDB_OK)
      throw TileDBError(std::string("Stats Error: error ") + what);
  }

  template <typename Dump>
  static void take(Dump dump, std::string* out) {
    char* text = nullptr;
    check(dump(&text), "dumping stats");
    *out = text;
    check(tiledb_stats_free_str(&text), "freeing stats string");
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_STATS_H
