/*
 * The constants of the C API: return codes, enums, version, macros, the operators of aggregates.
 *
 * Included by tiledb_rs.h; a program includes that, or <tiledb/tiledb.h>. Written by hand: in the
 * library an enum argument is an integer that is checked, so the generator of the prototypes does
 * not see these types. A value never changes: many of them stand in files.
 */
#ifndef TILEDB_RS_ENUMS_H
#define TILEDB_RS_ENUMS_H

#include <stdint.h>

/** The version of libtiledb whose C API and file formats this library has. */
#define TILEDB_VERSION_MAJOR 2
#define TILEDB_VERSION_MINOR 30
#define TILEDB_VERSION_PATCH 0

/** Success. */
#define TILEDB_OK (0)
/** An error. The context or the error argument contains the message. */
#define TILEDB_ERR (-1)
/** Out of memory. */
#define TILEDB_OOM (-2)
/** The context is null. */
#define TILEDB_INVALID_CONTEXT (-3)
/** The error argument is null. */
#define TILEDB_INVALID_ERROR (-4)
/** A memory budget is too small for the operation. */
#define TILEDB_BUDGET_UNAVAILABLE (-5)

/**
 * The number of values per cell, or the size of a cell, that stands for a variable number.
 * `uint32_t`.
 */
#define TILEDB_VAR_NUM tiledb_var_num()
/** The maximum length of a path in bytes. `uint32_t`. */
#define TILEDB_MAX_PATH tiledb_max_path()
/** The size of an offset of a cell of variable size, in bytes. `uint64_t`. */
#define TILEDB_OFFSET_SIZE tiledb_offset_size()
/** The current time in milliseconds since 1970-01-01 UTC. `uint64_t`. */
#define TILEDB_TIMESTAMP_NOW_MS tiledb_timestamp_now_ms()
/** The name of the field with the timestamps of cells. `const char *`. */
#define TILEDB_TIMESTAMPS tiledb_timestamps()

/*
 * Macros of declarations that programs may use too. They are empty here, unless the program defined
 * them before it included this header.
 */
#ifndef TILEDB_EXPORT
#define TILEDB_EXPORT
#endif
#ifndef TILEDB_NO_EXPORT
#define TILEDB_NO_EXPORT
#endif
#ifndef TILEDB_DEPRECATED
#define TILEDB_DEPRECATED
#endif
#ifndef TILEDB_DEPRECATED_EXPORT
#define TILEDB_DEPRECATED_EXPORT TILEDB_DEPRECATED
#endif
#ifndef TILEDB_NOEXCEPT
#ifdef __cplusplus
#define TILEDB_NOEXCEPT noexcept
#else
#define TILEDB_NOEXCEPT
#endif
#endif

/**
 * The array type: dense arrays have a value for each cell of the domain, sparse arrays only written
 * cells.
 */
typedef enum tiledb_array_type_t {
  /** Every cell of the domain has a value. */
  TILEDB_DENSE = 0,
  /** Only cells that were written exist. */
  TILEDB_SPARSE = 1
} tiledb_array_type_t;

/** The shape of a current domain. */
typedef enum tiledb_current_domain_type_t {
  /** A rectangle: one range per dimension. */
  TILEDB_NDRECTANGLE = 0
} tiledb_current_domain_type_t;

/** The order of the values of a dimension label. */
typedef enum tiledb_data_order_t {
  /** In no order. */
  TILEDB_UNORDERED_DATA = 0,
  /** Each value above the one before it. */
  TILEDB_INCREASING_DATA = 1,
  /** Each value below the one before it. */
  TILEDB_DECREASING_DATA = 2
} tiledb_data_order_t;

/** The data protocol of a storage service. */
typedef enum tiledb_data_protocol_t {
  /** The protocol of TileDB Server 2.x, and of local storage. */
  TILEDB_DATA_PROTOCOL_v2 = 0,
  /** The protocol of TileDB Carrara. */
  TILEDB_DATA_PROTOCOL_v3 = 1
} tiledb_data_protocol_t;

/**
 * The type of a value: of a cell of an attribute, a coordinate, a metadata value, an enumeration.
 */
typedef enum tiledb_datatype_t {
  TILEDB_INT32 = 0,
  TILEDB_INT64 = 1,
  TILEDB_FLOAT32 = 2,
  TILEDB_FLOAT64 = 3,
  /** One byte; deprecated in favor of the string types. */
  TILEDB_CHAR = 4,
  TILEDB_INT8 = 5,
  TILEDB_UINT8 = 6,
  TILEDB_INT16 = 7,
  TILEDB_UINT16 = 8,
  TILEDB_UINT32 = 9,
  TILEDB_UINT64 = 10,
  /** Text of one-byte characters. */
  TILEDB_STRING_ASCII = 11,
  /** Text in UTF-8, cells in bytes. */
  TILEDB_STRING_UTF8 = 12,
  /** Text in UTF-16, cells in two-byte units. */
  TILEDB_STRING_UTF16 = 13,
  /** Text in UTF-32, cells in four-byte units. */
  TILEDB_STRING_UTF32 = 14,
  /** Text in UCS-2, two bytes each. */
  TILEDB_STRING_UCS2 = 15,
  /** Text in UCS-4, four bytes each. */
  TILEDB_STRING_UCS4 = 16,
  /** Bytes whose type the array does not say; deprecated. */
  TILEDB_ANY = 17,
  /** Datetimes are int64_t: how many of the unit since 1970-01-01T00:00:00Z. */
  TILEDB_DATETIME_YEAR = 18,
  TILEDB_DATETIME_MONTH = 19,
  TILEDB_DATETIME_WEEK = 20,
  TILEDB_DATETIME_DAY = 21,
  TILEDB_DATETIME_HR = 22,
  TILEDB_DATETIME_MIN = 23,
  TILEDB_DATETIME_SEC = 24,
  TILEDB_DATETIME_MS = 25,
  TILEDB_DATETIME_US = 26,
  TILEDB_DATETIME_NS = 27,
  TILEDB_DATETIME_PS = 28,
  TILEDB_DATETIME_FS = 29,
  TILEDB_DATETIME_AS = 30,
  /** Times are int64_t: how many of the unit since midnight. */
  TILEDB_TIME_HR = 31,
  TILEDB_TIME_MIN = 32,
  TILEDB_TIME_SEC = 33,
  TILEDB_TIME_MS = 34,
  TILEDB_TIME_US = 35,
  TILEDB_TIME_NS = 36,
  TILEDB_TIME_PS = 37,
  TILEDB_TIME_FS = 38,
  TILEDB_TIME_AS = 39,
  /** Bytes without a meaning to the library. */
  TILEDB_BLOB = 40,
  /** One byte, 0 or 1. */
  TILEDB_BOOL = 41,
  /** Geometry as well-known binary. */
  TILEDB_GEOM_WKB = 42,
  /** Geometry as well-known text. */
  TILEDB_GEOM_WKT = 43
} tiledb_datatype_t;

/** The encryption of the files of an array. */
typedef enum tiledb_encryption_type_t {
  /** Not encrypted. */
  TILEDB_NO_ENCRYPTION = 0,
  /** AES with a key of 32 bytes, in GCM mode. */
  TILEDB_AES_256_GCM = 1
} tiledb_encryption_type_t;

/** The origin of a field of a query. */
typedef enum tiledb_field_origin_t {
  /** An attribute of the schema. */
  TILEDB_ATTRIBUTE_FIELD = 0,
  /** A dimension of the schema. */
  TILEDB_DIMENSION_FIELD = 1,
  /** A result that the query computes. */
  TILEDB_AGGREGATE_FIELD = 2
} tiledb_field_origin_t;

/** A storage backend. `file://` and plain paths are always supported and have no value here. */
typedef enum tiledb_filesystem_t {
  /** `hdfs://`; no longer supported. */
  TILEDB_HDFS = 0,
  /** `s3://` */
  TILEDB_S3 = 1,
  /** `azure://` */
  TILEDB_AZURE = 2,
  /** `gcs://` and `gs://` */
  TILEDB_GCS = 3,
  /** `mem://`, memory of one context or one VFS handle. */
  TILEDB_MEMFS = 4,
  /** `tiledb://`, a TileDB server. */
  TILEDB_TILEDBFS = 5
} tiledb_filesystem_t;

/** An option of a filter. The comment gives the type that the value pointer must have. */
typedef enum tiledb_filter_option_t {
  /** `int32_t`; -1 is the default of the codec. */
  TILEDB_COMPRESSION_LEVEL = 0,
  /** `uint32_t`, bytes. */
  TILEDB_BIT_WIDTH_MAX_WINDOW = 1,
  /** `uint32_t`, bytes. */
  TILEDB_POSITIVE_DELTA_MAX_WINDOW = 2,
  /** `uint64_t`: 1, 2, 4 or 8. */
  TILEDB_SCALE_FLOAT_BYTEWIDTH = 3,
  /** `double` */
  TILEDB_SCALE_FLOAT_FACTOR = 4,
  /** `double` */
  TILEDB_SCALE_FLOAT_OFFSET = 5,
  /** `float`, 0 to 100. */
  TILEDB_WEBP_QUALITY = 6,
  /** `tiledb_filter_webp_format_t`, as one byte. */
  TILEDB_WEBP_INPUT_FORMAT = 7,
  /** `uint8_t`: 1 for lossless, 0 for lossy. */
  TILEDB_WEBP_LOSSLESS = 8,
  /** `tiledb_datatype_t`, as one byte. */
  TILEDB_COMPRESSION_REINTERPRET_DATATYPE = 9
} tiledb_filter_option_t;

/** A filter: one step between the cells in memory and the bytes of a file. */
typedef enum tiledb_filter_type_t {
  /** Does nothing. */
  TILEDB_FILTER_NONE = 0,
  /** Compression: gzip. */
  TILEDB_FILTER_GZIP = 1,
  /** Compression: Zstandard. */
  TILEDB_FILTER_ZSTD = 2,
  /** Compression: LZ4. */
  TILEDB_FILTER_LZ4 = 3,
  /** Compression: run lengths. */
  TILEDB_FILTER_RLE = 4,
  /** Compression: bzip2. */
  TILEDB_FILTER_BZIP2 = 5,
  /** Compression: differences of differences. */
  TILEDB_FILTER_DOUBLE_DELTA = 6,
  /** Integers in as few bits as each window needs. */
  TILEDB_FILTER_BIT_WIDTH_REDUCTION = 7,
  /** Groups bits of equal weight. */
  TILEDB_FILTER_BITSHUFFLE = 8,
  /** Groups bytes of equal weight. */
  TILEDB_FILTER_BYTESHUFFLE = 9,
  /** Differences of ascending integers. */
  TILEDB_FILTER_POSITIVE_DELTA = 10,
  /** Keeps and checks an MD5 sum. */
  TILEDB_FILTER_CHECKSUM_MD5 = 12,
  /** Keeps and checks a SHA-256 sum. */
  TILEDB_FILTER_CHECKSUM_SHA256 = 13,
  /** Compression: each distinct string once. */
  TILEDB_FILTER_DICTIONARY = 14,
  /** Reals as scaled integers; loses precision. */
  TILEDB_FILTER_SCALE_FLOAT = 15,
  /** Each value XOR the one before it. */
  TILEDB_FILTER_XOR = 16,
  /** A number no longer in use. */
  TILEDB_FILTER_DEPRECATED = 17,
  /** Compression of pixels: WebP. */
  TILEDB_FILTER_WEBP = 18,
  /** Compression: differences. */
  TILEDB_FILTER_DELTA = 19,
  /** One past the last filter; no filter itself. */
  TILEDB_INTERNAL_FILTER_COUNT = 20
} tiledb_filter_type_t;

/** The colour format of the pixels of the WebP filter. */
typedef enum tiledb_filter_webp_format_t {
  /** Not said. */
  TILEDB_WEBP_NONE = 0,
  /** Red, green, blue. */
  TILEDB_WEBP_RGB = 1,
  /** Blue, green, red. */
  TILEDB_WEBP_BGR = 2,
  /** Red, green, blue, alpha. */
  TILEDB_WEBP_RGBA = 3,
  /** Blue, green, red, alpha. */
  TILEDB_WEBP_BGRA = 4
} tiledb_filter_webp_format_t;

/**
 * An order of cells. `TILEDB_HILBERT` is a cell order of sparse arrays only, never the layout of a
 * query.
 */
typedef enum tiledb_layout_t {
  /** The last dimension runs fastest. */
  TILEDB_ROW_MAJOR = 0,
  /** The first dimension runs fastest. */
  TILEDB_COL_MAJOR = 1,
  /** Tile by tile, cells in the order of the schema. */
  TILEDB_GLOBAL_ORDER = 2,
  /** In any order. */
  TILEDB_UNORDERED = 3,
  /** Along a Hilbert curve. */
  TILEDB_HILBERT = 4
} tiledb_layout_t;

/** The kind of a file kept in a filestore array. */
typedef enum tiledb_mime_type_t {
  /** Unspecified: stored as "application/octet-stream", whatever the content. */
  TILEDB_MIME_AUTODETECT = 0,
  /** TIFF. */
  TILEDB_MIME_TIFF = 1,
  /** PDF. */
  TILEDB_MIME_PDF = 2
} tiledb_mime_type_t;

/*
 * The structures of Arrow's C data interface. They are not defined here, because programs define
 * them too, some without the guards of Arrow's specification; <tiledb/arrow_c_data.h> defines them.
 */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/** The format of an explanation. */
typedef enum tiledb_rs_explain_format_t {
  /** Lines of text. */
  TILEDB_RS_EXPLAIN_TEXT = 0,
  /** A JSON object. */
  TILEDB_RS_EXPLAIN_JSON = 1
} tiledb_rs_explain_format_t;

/** The consequences of a finding of `tiledb_rs_check`. */
typedef enum tiledb_rs_severity_t {
  /** None: a file that does not belong to the format, or a fragment that is not committed yet. */
  TILEDB_RS_NOTE = 0,
  /** None but used space: a killed process left it, and no reader sees it. */
  TILEDB_RS_REMAINS = 1,
  /** Readers return the right cells, but stored information is wrong. */
  TILEDB_RS_WARNING = 2,
  /** Readers fail, or may return wrong cells or aggregates. */
  TILEDB_RS_ERROR = 3
} tiledb_rs_severity_t;

/** The type of an object. */
typedef enum tiledb_object_t {
  /** Neither array nor group. */
  TILEDB_INVALID = 0,
  /** A group. */
  TILEDB_GROUP = 1,
  /** An array. */
  TILEDB_ARRAY = 2
} tiledb_object_t;

/** An operator that combines conditions. */
typedef enum tiledb_query_condition_combination_op_t {
  /** Both hold. */
  TILEDB_AND = 0,
  /** At least one holds. */
  TILEDB_OR = 1,
  /** The first does not hold. */
  TILEDB_NOT = 2
} tiledb_query_condition_combination_op_t;

/** A comparison operator of conditions. */
typedef enum tiledb_query_condition_op_t {
  /** Less. */
  TILEDB_LT = 0,
  /** Less or equal. */
  TILEDB_LE = 1,
  /** Greater. */
  TILEDB_GT = 2,
  /** Greater or equal. */
  TILEDB_GE = 3,
  /** Equal. */
  TILEDB_EQ = 4,
  /** Not equal. */
  TILEDB_NE = 5,
  /** One of a set. */
  TILEDB_IN = 6,
  /** None of a set. */
  TILEDB_NOT_IN = 7
} tiledb_query_condition_op_t;

/** The reason why a query is incomplete. */
typedef enum tiledb_query_status_details_reason_t {
  /** It is not incomplete. */
  TILEDB_REASON_NONE = 0,
  /** A buffer of the caller is full. */
  TILEDB_REASON_USER_BUFFER_SIZE = 1,
  /** The memory budget is used up. */
  TILEDB_REASON_MEMORY_BUDGET = 2
} tiledb_query_status_details_reason_t;

/** The state of a query. */
typedef enum tiledb_query_status_t {
  /** An error ended it. */
  TILEDB_FAILED = 0,
  /** All results were given, or all cells written. */
  TILEDB_COMPLETED = 1,
  /** It is running. */
  TILEDB_INPROGRESS = 2,
  /** Results are left: read the buffers and submit again. */
  TILEDB_INCOMPLETE = 3,
  /** It was not submitted yet. */
  TILEDB_UNINITIALIZED = 4,
  /** It is ready to run. */
  TILEDB_INITIALIZED = 5
} tiledb_query_status_t;

/** The type of a query, and of the queries that an array is opened for. */
typedef enum tiledb_query_type_t {
  /** Read cells. */
  TILEDB_READ = 0,
  /** Write cells. */
  TILEDB_WRITE = 1,
  /** Delete the cells of a condition. */
  TILEDB_DELETE = 2,
  /** Update the cells of a condition. */
  TILEDB_UPDATE = 3,
  /** Change the array itself, with exclusive access. */
  TILEDB_MODIFY_EXCLUSIVE = 4
} tiledb_query_type_t;

/** The encoding of a serialized object. */
typedef enum tiledb_serialization_type_t {
  /** JSON text. */
  TILEDB_JSON = 0,
  /** Cap'n Proto messages. */
  TILEDB_CAPNP = 1
} tiledb_serialization_type_t;

/** The mode in which a file is opened. */
typedef enum tiledb_vfs_mode_t {
  /** Read. */
  TILEDB_VFS_READ = 0,
  /** Write a new file, in place of one that exists. */
  TILEDB_VFS_WRITE = 1,
  /** Write at the end. */
  TILEDB_VFS_APPEND = 2
} tiledb_vfs_mode_t;

/** Whether a walk names a group before or after its members. */
typedef enum tiledb_walk_order_t {
  /** The group first. */
  TILEDB_PREORDER = 0,
  /** The members first. */
  TILEDB_POSTORDER = 1
} tiledb_walk_order_t;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The operators of aggregates, as objects that live as long as the library. Each equals what the
 * function `tiledb_channel_operator_*_get` or `tiledb_aggregate_count_get` of its name gives.
 */

/** The sum of a field. */
extern const struct tiledb_channel_operator_handle_t *tiledb_channel_operator_sum;
/** The least value of a field. */
extern const struct tiledb_channel_operator_handle_t *tiledb_channel_operator_min;
/** The greatest value of a field. */
extern const struct tiledb_channel_operator_handle_t *tiledb_channel_operator_max;
/** The mean of a field. */
extern const struct tiledb_channel_operator_handle_t *tiledb_channel_operator_mean;
/** The number of null cells of a field. */
extern const struct tiledb_channel_operator_handle_t *tiledb_channel_operator_null_count;
/** The number of cells that the query selects. */
extern const struct tiledb_channel_operation_handle_t *tiledb_aggregate_count;

#ifdef __cplusplus
} /* extern "C" */

/** The code that a function returned; `tiledb_status_code` in C. */
inline int32_t tiledb_status(int32_t code) { return code; }
#endif

#endif /* TILEDB_RS_ENUMS_H */
