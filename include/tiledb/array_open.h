/**
 * @file array_open.h
 * Options for opening an array: timestamps and encryption.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_ARRAY_OPEN_H
#define TILEDB_CPP_API_ARRAY_OPEN_H

#include <cstdint>

#include "tiledb.h"

namespace tiledb {

/** Selects the constructor of TemporalPolicy that takes one point in time. */
class TimeTravelMarker {};
/** Selects the constructor of TemporalPolicy that takes one point in time. */
static constexpr TimeTravelMarker TimeTravel{};

/** Selects the constructor of TemporalPolicy that takes a range. */
class TimestampStartEndMarker {};
/** Selects the constructor of TemporalPolicy that takes a range. */
static constexpr TimestampStartEndMarker TimestampStartEnd{};

/**
 * Which fragments an array is opened with, by the time they were written, in milliseconds since
 * 1970.
 */
class TemporalPolicy {
  friend class Array;

 public:
  /** Opens all fragments. */
  TemporalPolicy()
      : TemporalPolicy(TimestampStartEnd, 0, UINT64_MAX) {
  }

  /** Opens fragments written until a point in time. @param timestamp The last millisecond. */
  TemporalPolicy(const TimeTravelMarker&, uint64_t timestamp)
      : TemporalPolicy(TimestampStartEnd, 0, timestamp) {
  }

  /**
   * Opens fragments written in a range.
   * @param timestamp_start The first millisecond.
   * @param timestamp_end The last millisecond.
   */
  TemporalPolicy(const TimestampStartEndMarker&, uint64_t timestamp_start, uint64_t timestamp_end)
      : start_(timestamp_start)
      , end_(timestamp_end) {
  }

 private:
  const uint64_t start_;
  const uint64_t end_;
};

/** Selects the constructor of EncryptionAlgorithm for AES-256-GCM. */
class AESGCMEncryptionTypeMarker {};
/** Selects the constructor of EncryptionAlgorithm for AES-256-GCM. */
static constexpr AESGCMEncryptionTypeMarker AESGCM{};

/** The encryption of an array and its key. */
class EncryptionAlgorithm {
  friend class Array;

 public:
  /** The encryption that the configuration of the context names. */
  EncryptionAlgorithm()
      : EncryptionAlgorithm(TILEDB_NO_ENCRYPTION, nullptr) {
  }

  /**
   * Names an encryption.
   * @param type The type.
   * @param key The key; it must stay valid until the array is open.
   */
  EncryptionAlgorithm(tiledb_encryption_type_t type, const char* key)
      : type_(type)
      , key_(key) {
  }

  /**
   * Names AES-256-GCM.
   * @param key The key, 32 characters; it must stay valid until the array is open.
   */
  EncryptionAlgorithm(const AESGCMEncryptionTypeMarker&, const char* key)
      : EncryptionAlgorithm(TILEDB_AES_256_GCM, key) {
  }

 private:
  const tiledb_encryption_type_t type_;
  const char* key_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_API_ARRAY_OPEN_H
