/**
 * @file arrow_c_data.h
 * The structures of Arrow's C data interface, whose layout its specification fixes. For C and C++.
 * The guards are those of the specification, so that other headers may define them too.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_ARROW_C_DATA_H
#define TILEDB_ARROW_C_DATA_H

#include <stdint.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

/** The order of the values of a dictionary has a meaning. */
#define ARROW_FLAG_DICTIONARY_ORDERED 1
/** Values can be null. */
#define ARROW_FLAG_NULLABLE 2
/** The keys of a map are sorted. */
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/** The type of an Arrow array. */
struct ArrowSchema {
  const char* format;              /**< The type, as a format string. */
  const char* name;                /**< The name of the field; may be null. */
  const char* metadata;            /**< Metadata in Arrow's encoding; may be null. */
  int64_t flags;                   /**< ARROW_FLAG_*. */
  int64_t n_children;              /**< The number of children. */
  struct ArrowSchema** children;   /**< The children; may be null if `n_children` is 0. */
  struct ArrowSchema* dictionary;  /**< The type of dictionary values; may be null. */
  void (*release)(struct ArrowSchema*); /**< Releases the contents; null once that is done. */
  void* private_data;              /**< Belongs to the producer. */
};

/** The data of an Arrow array. */
struct ArrowArray {
  int64_t length;                 /**< The number of values. */
  int64_t null_count;             /**< The number of nulls; -1 if it is not known. */
  int64_t offset;                 /**< The position of the first value in the buffers. */
  int64_t n_buffers;              /**< The number of buffers. */
  int64_t n_children;             /**< The number of children. */
  const void** buffers;           /**< The buffers; the first is the validity bitmap, or null. */
  struct ArrowArray** children;   /**< The children; may be null if `n_children` is 0. */
  struct ArrowArray* dictionary;  /**< The dictionary values; may be null. */
  void (*release)(struct ArrowArray*); /**< Releases the contents; null once that is done. */
  void* private_data;             /**< Belongs to the producer. */
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/** A stream of Arrow arrays of one type. The first two functions return 0 or a code of errno. */
struct ArrowArrayStream {
  /** Returns the type. */
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  /** Returns the next array; at the end one whose `release` is null. */
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  /** Describes the last error; may return null. */
  const char* (*get_last_error)(struct ArrowArrayStream*);
  /** Releases the contents; null once that is done. */
  void (*release)(struct ArrowArrayStream*);
  void* private_data; /**< Belongs to the producer. */
};

#endif /* ARROW_C_STREAM_INTERFACE */

#endif /* TILEDB_ARROW_C_DATA_H */
