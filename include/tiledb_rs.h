/**
 * @file tiledb_rs.h
 * TileDB: multi-dimensional arrays, stored in files. The whole C API of the library.
 *
 * Generated from the sources of the library; do not edit.
 *
 * What holds for every function, where its comment does not say otherwise:
 * - It returns `TILEDB_OK`, or a negative code; `TILEDB_OOM` takes the place of `TILEDB_ERR` where memory is short. With
 *   a context argument the text of the error is kept there, for `tiledb_ctx_get_last_error`; with an error argument it
 *   is handed out there, and null means there was no error. A null context gives `TILEDB_INVALID_CONTEXT`, a null error
 *   argument `TILEDB_INVALID_ERROR`.
 * - Answers go through pointers, which are written on success only.
 * - What an `alloc`, `create` or `get` function hands out as a new object, the caller frees with the `free` function
 *   of its type. Freeing takes a pointer to the handle, accepts null, and leaves null there.
 * - A `const char *` answer belongs to the object it came from and lives as long as that does.
 * - Texts are zero-terminated UTF-8, unless a length stands beside them. Sizes are in bytes, unless said otherwise;
 *   a range names its first and its last value, both included.
 * - An object may be used from several threads at once, except while it is freed.
 *
 * @copyright MIT licence, see the file LICENSE.
 */


#ifndef TILEDB_RS_H
#define TILEDB_RS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tiledb_rs_enums.h"

/**
 * An array: closed, or open with what one opening sees.
 */
typedef struct tiledb_array_handle_t tiledb_array_handle_t;

/**
 * A list of changes to a schema, empty at first.
 */
typedef struct tiledb_array_schema_evolution_t tiledb_array_schema_evolution_t;

/**
 * A schema. It can be changed, also where it came from an array. That does not change with it, but an open array that it
 * came from keeps to the current domain that is set.
 */
typedef struct tiledb_array_schema_handle_t tiledb_array_schema_handle_t;

/**
 * An attribute. A schema it was added to, and handles got from that, share it: what is set here shows there.
 */
typedef struct tiledb_attribute_handle_t tiledb_attribute_handle_t;

/**
 * Bytes with a datatype. They belong to the caller who set them, or to the library.
 */
typedef struct tiledb_buffer_handle_t tiledb_buffer_handle_t;

/**
 * Buffers in order. A list from `tiledb_buffer_list_alloc` is empty.
 */
typedef struct tiledb_buffer_list_handle_t tiledb_buffer_list_handle_t;

/**
 * An operator with the field it works on, ready to be applied to a channel.
 */
typedef struct tiledb_channel_operation_handle_t tiledb_channel_operation_handle_t;

/**
 * What is computed for a field of a query.
 */
typedef struct tiledb_channel_operator_handle_t tiledb_channel_operator_handle_t;

/**
 * A set of configuration parameters. It may be used from several threads.
 */
typedef struct tiledb_config_handle_t tiledb_config_handle_t;

/**
 * A walk over the parameters of a configuration as they were when it began.
 */
typedef struct tiledb_config_iter_handle_t tiledb_config_iter_handle_t;

/**
 * A plan that says which fragments are worth merging with which: nodes, each a list of fragments.
 */
typedef struct tiledb_consolidation_plan_t tiledb_consolidation_plan_t;

/**
 * A context: configuration, limits, statistics, and the last error. It may be used from several threads; they share the
 * last error. Making one costs microseconds and starts no thread.
 */
typedef struct tiledb_ctx_handle_t tiledb_ctx_handle_t;

/**
 * The part of a domain that is in use, empty until a rectangle is set.
 */
typedef struct tiledb_current_domain_handle_t tiledb_current_domain_handle_t;

/**
 * A dimension. A domain it was added to, and handles got from that, share it: what is set here shows there.
 */
typedef struct tiledb_dimension_handle_t tiledb_dimension_handle_t;

/**
 * One label of a schema: what it names, its order and type, and where its array is.
 */
typedef struct tiledb_dimension_label_handle_t tiledb_dimension_label_handle_t;

/**
 * A domain. A schema it was set on, and handles got from that, share it: what is added here shows there.
 */
typedef struct tiledb_domain_handle_t tiledb_domain_handle_t;

/**
 * A named list of distinct values, which does not change.
 */
typedef struct tiledb_enumeration_handle_t tiledb_enumeration_handle_t;

/**
 * An error: one line of text.
 */
typedef struct tiledb_error_handle_t tiledb_error_handle_t;

/**
 * A filter and its options.
 */
typedef struct tiledb_filter_handle_t tiledb_filter_handle_t;

/**
 * A list of filters. Attributes, dimensions and schemas copy it when it is set on them.
 */
typedef struct tiledb_filter_list_handle_t tiledb_filter_list_handle_t;

/**
 * What is known of the fragments of one array. Load it before asking.
 */
typedef struct tiledb_fragment_info_handle_t tiledb_fragment_info_handle_t;

/**
 * A group, open or not. Free it with `tiledb_group_free`, closed or not; what was not closed is not written.
 */
typedef struct tiledb_group_handle_t tiledb_group_handle_t;

/**
 * One range for each dimension of a domain, unset at first.
 */
typedef struct tiledb_ndrectangle_handle_t tiledb_ndrectangle_handle_t;

/**
 * A named set of parameters, in memory until it is saved. It may be used from several threads.
 */
typedef struct tiledb_profile_handle_t tiledb_profile_handle_t;

/**
 * Where the results of a query's operations get their names: one per query, over all its cells.
 */
typedef struct tiledb_query_channel_handle_t tiledb_query_channel_handle_t;

/**
 * A comparison of a field with a value or a set, or a combination of conditions.
 */
typedef struct tiledb_query_condition_t tiledb_query_condition_t;

/**
 * A field of a query: an attribute, a dimension or the result of an aggregate.
 */
typedef struct tiledb_query_field_handle_t tiledb_query_field_handle_t;

/**
 * A query: what it does, and the caller's buffers.
 */
typedef struct tiledb_query_t tiledb_query_t;

/**
 * A text. It may hold zeros; one more follows its end.
 */
typedef struct tiledb_string_handle_t tiledb_string_handle_t;

/**
 * The ranges of each dimension that a query reads or writes.
 */
typedef struct tiledb_subarray_handle_t tiledb_subarray_handle_t;

/**
 * An open file. It may be used from several threads, which take turns.
 */
typedef struct tiledb_vfs_fh_handle_t tiledb_vfs_fh_handle_t;

/**
 * A virtual file system. It may be used from several threads. Files in memory belong to it and go with it.
 */
typedef struct tiledb_vfs_handle_t tiledb_vfs_handle_t;

/**
 * What a function returns: one of the codes below.
 */
typedef int32_t capi_return_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_ctx_handle_t tiledb_ctx_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_array_handle_t tiledb_array_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_array_schema_handle_t tiledb_array_schema_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_config_handle_t tiledb_config_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_enumeration_handle_t tiledb_enumeration_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_string_handle_t tiledb_string_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_attribute_handle_t tiledb_attribute_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_domain_handle_t tiledb_domain_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_current_domain_handle_t tiledb_current_domain_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_filter_list_handle_t tiledb_filter_list_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_dimension_label_handle_t tiledb_dimension_label_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_buffer_handle_t tiledb_buffer_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_buffer_list_handle_t tiledb_buffer_list_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_error_handle_t tiledb_error_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_config_iter_handle_t tiledb_config_iter_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_ndrectangle_handle_t tiledb_ndrectangle_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_dimension_handle_t tiledb_dimension_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_group_handle_t tiledb_group_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_filter_handle_t tiledb_filter_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_fragment_info_handle_t tiledb_fragment_info_t;

/**
 * A range of one dimension, for rectangles. The pointers stay the owner's.
 */
typedef struct tiledb_range_t {
  /**
   * The lower end, included.
   */
  const void *min;
  /**
   * Its size in bytes.
   */
  uint64_t min_size;
  /**
   * The upper end, included.
   */
  const void *max;
  /**
   * Its size in bytes.
   */
  uint64_t max_size;
} tiledb_range_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_profile_handle_t tiledb_profile_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_subarray_handle_t tiledb_subarray_t;

/**
 * Why a query is in the state it is in.
 */
typedef struct tiledb_experimental_query_status_details_t {
  /**
   * Why the query is incomplete.
   */
  tiledb_query_status_details_reason_t incomplete_reason;
} tiledb_experimental_query_status_details_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_experimental_query_status_details_t tiledb_query_status_details_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_channel_operation_handle_t tiledb_channel_operation_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_query_channel_handle_t tiledb_query_channel_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_channel_operator_handle_t tiledb_channel_operator_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_query_field_handle_t tiledb_query_field_t;

/**
 * The older name of `capi_return_t`.
 */
typedef int32_t capi_status_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_vfs_handle_t tiledb_vfs_t;

/**
 * The name C programs use.
 */
typedef struct tiledb_vfs_fh_handle_t tiledb_vfs_fh_t;

/**
 * Called with each object of a listing: path, its length, the size of the object, and the caller's data. Answers 1 to
 * go on, 0 to stop, -1 for an error.
 */
typedef int32_t (*tiledb_ls_callback_t)(const char*,
                                        size_t,
                                        uint64_t,
                                        void*);

/**
 * The same, with a byte that says whether the object is a directory before the caller's data.
 */
typedef int32_t (*tiledb_ls_callback_v2_t)(const char*,
                                           size_t,
                                           uint64_t,
                                           uint8_t,
                                           void*);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a handle for an array. Nothing is read: the array need not exist yet.
 *
 * The caller frees it with `tiledb_array_free`.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is: a URI or a path.
 * @param array Gets the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_alloc(tiledb_ctx_t *ctx,
                                 const char *array_uri,
                                 tiledb_array_t **array);

/**
 * Makes an array: its folder, and the first schema file in it.
 *
 * An array that is there already is an error, a schema that does not pass `tiledb_array_schema_check` too. The array is
 * encrypted when the context's configuration has a key (`sm.encryption_key`).
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where to make the array: a URI or a path.
 * @param array_schema The schema; stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_create(tiledb_ctx_t *ctx,
                                  const char *array_uri,
                                  const tiledb_array_schema_t *array_schema);

/**
 * Removes an array with all its fragments, schemas and metadata.
 *
 * Files in its folder that are not the array's stay, and the folder with them. The key of an encrypted array is that of the
 * context's configuration.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param uri Where the array is: a URI or a path.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_delete(tiledb_ctx_t *ctx,
                                  const char *uri);

/**
 * Tells how an array is encrypted. Needs no key.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is: a URI or a path.
 * @param encryption_type Gets the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_encryption_type(tiledb_ctx_t *ctx,
                                           const char *array_uri,
                                           tiledb_encryption_type_t *encryption_type);

/**
 * Frees an array handle, and closes the array for it. Queries of it keep what they need. Metadata that was put or deleted
 * is written by `tiledb_array_close` only.
 *
 * @param array The handle; null is left there. Null is fine at both levels.
 */
void tiledb_array_free(tiledb_array_t **array);

/**
 * Gives the URI of an array, whole, also where the handle was made from a path.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param array_uri Gets the text, which lives as long as the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_uri(tiledb_ctx_t *ctx,
                                   tiledb_array_t *array,
                                   const char **array_uri);

/**
 * Removes fragments by their URIs. A URI that is no fragment of the array is an error, and none is removed then.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param uri_str Where the array is: a URI or a path.
 * @param fragment_uris The URIs of the fragments.
 * @param num_fragments Their number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_delete_fragments_list(tiledb_ctx_t *ctx,
                                                 const char *uri_str,
                                                 const char **fragment_uris,
                                                 size_t num_fragments);

/**
 * Removes the fragments that lie wholly in a time range.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param uri_str Where the array is: a URI or a path.
 * @param timestamp_start The first moment, in milliseconds since 1970-01-01 UTC.
 * @param timestamp_end The last moment, in milliseconds since 1970-01-01 UTC.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_delete_fragments_v2(tiledb_ctx_t *ctx,
                                               const char *uri_str,
                                               uint64_t timestamp_start,
                                               uint64_t timestamp_end);

/**
 * Deletes a key of an array's metadata when the array is closed. A key that is not there is fine.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for writing.
 * @param key The key.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_delete_metadata(tiledb_ctx_t *ctx,
                                           tiledb_array_t *array,
                                           const char *key);

/**
 * Gives the value of a key.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param key The key.
 * @param value_type Gets the datatype.
 * @param value_num Gets the number of values.
 * @param value Gets the values, which live until the array is closed or reopened; null where there is no such key, the
 *   datatype and the number are not touched then. An empty value is told as one value with a null pointer.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_metadata(tiledb_ctx_t *ctx,
                                        tiledb_array_t *array,
                                        const char *key,
                                        tiledb_datatype_t *value_type,
                                        uint32_t *value_num,
                                        const void **value);

/**
 * Gives a key and its value by its place in the order of keys.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param index The place, from 0 on.
 * @param key Gets the key, with a zero behind it, which lives until the array is closed or reopened.
 * @param key_len Gets the length of the key in bytes.
 * @param value_type Gets the datatype.
 * @param value_num Gets the number of values.
 * @param value Gets the values, which live as long as the key; null for an empty value, which is told as one value.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_metadata_from_index(tiledb_ctx_t *ctx,
                                                   tiledb_array_t *array,
                                                   uint64_t index,
                                                   const char **key,
                                                   uint32_t *key_len,
                                                   tiledb_datatype_t *value_type,
                                                   uint32_t *value_num,
                                                   const void **value);

/**
 * Counts the keys of an array's metadata.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param num Gets the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_metadata_num(tiledb_ctx_t *ctx,
                                            tiledb_array_t *array,
                                            uint64_t *num);

/**
 * Tells whether an array's metadata has a key.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param key The key.
 * @param value_type Gets the datatype of its value; stays as it was where there is no such key.
 * @param has_key Gets 1 if there is such a key, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_has_metadata_key(tiledb_ctx_t *ctx,
                                            tiledb_array_t *array,
                                            const char *key,
                                            tiledb_datatype_t *value_type,
                                            int32_t *has_key);

/**
 * Puts a value under a key when the array is closed; an earlier value gives way.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for writing.
 * @param key The key.
 * @param value_type The datatype; not `TILEDB_ANY`.
 * @param value_num The number of values.
 * @param value The values; they are copied. Null puts the empty value, whatever the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_put_metadata(tiledb_ctx_t *ctx,
                                        tiledb_array_t *array,
                                        const char *key,
                                        tiledb_datatype_t value_type,
                                        uint32_t value_num,
                                        const void *value);

/**
 * Gives the non-empty domain of an array whose dimensions have one datatype of fixed size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param domain Gets low and high end of each dimension, one after the other; needs room for two values a dimension.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain(tiledb_ctx_t *ctx,
                                                tiledb_array_t *array,
                                                void *domain,
                                                int32_t *is_empty);

/**
 * Gives the non-empty domain of one fixed-size dimension, by index.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param idx The index of the dimension, from 0 on.
 * @param domain Gets low and high end, one after the other; needs room for two values.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain_from_index(tiledb_ctx_t *ctx,
                                                           tiledb_array_t *array,
                                                           uint32_t idx,
                                                           void *domain,
                                                           int32_t *is_empty);

/**
 * Gives the non-empty domain of one fixed-size dimension, by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param domain Gets low and high end, one after the other; needs room for two values.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain_from_name(tiledb_ctx_t *ctx,
                                                          tiledb_array_t *array,
                                                          const char *name,
                                                          void *domain,
                                                          int32_t *is_empty);

/**
 * Gives the non-empty domain of one variable-size dimension, by index.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param idx The index of the dimension, from 0 on.
 * @param start Gets the low end; needs room for as many bytes as `tiledb_array_get_non_empty_domain_var_size_from_index` says.
 * @param end Gets the high end; the same.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain_var_from_index(tiledb_ctx_t *ctx,
                                                               tiledb_array_t *array,
                                                               uint32_t idx,
                                                               void *start,
                                                               void *end,
                                                               int32_t *is_empty);

/**
 * Gives the non-empty domain of one variable-size dimension, by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param start Gets the low end; needs room for as many bytes as `tiledb_array_get_non_empty_domain_var_size_from_name` says.
 * @param end Gets the high end; the same.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain_var_from_name(tiledb_ctx_t *ctx,
                                                              tiledb_array_t *array,
                                                              const char *name,
                                                              void *start,
                                                              void *end,
                                                              int32_t *is_empty);

/**
 * Gives the sizes of the non-empty domain of one variable-size dimension, by index.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param idx The index of the dimension, from 0 on.
 * @param start_size Gets the size of the low end in bytes; 0 if no cell was written.
 * @param end_size Gets the size of the high end in bytes; 0 if no cell was written.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain_var_size_from_index(tiledb_ctx_t *ctx,
                                                                    tiledb_array_t *array,
                                                                    uint32_t idx,
                                                                    uint64_t *start_size,
                                                                    uint64_t *end_size,
                                                                    int32_t *is_empty);

/**
 * Gives the sizes of the non-empty domain of one variable-size dimension, by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param start_size Gets the size of the low end in bytes; 0 if no cell was written.
 * @param end_size Gets the size of the high end in bytes; 0 if no cell was written.
 * @param is_empty Gets 1 if no cell was written, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_non_empty_domain_var_size_from_name(tiledb_ctx_t *ctx,
                                                                   tiledb_array_t *array,
                                                                   const char *name,
                                                                   uint64_t *start_size,
                                                                   uint64_t *end_size,
                                                                   int32_t *is_empty);

/**
 * Opens an array for reading, writing, deleting or updating.
 *
 * To see another moment in time, set the open timestamps first; to open an encrypted array, set its key in the array's
 * configuration (`sm.encryption_type`, `sm.encryption_key`). An open array sees what was stored when it was opened.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, not open.
 * @param query_type What the array is opened for.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_open(tiledb_ctx_t *ctx,
                                tiledb_array_t *array,
                                tiledb_query_type_t query_type);

/**
 * Opens an array that is open for reading anew, to see what was written since.
 *
 * It sees everything until now, or until the end timestamp that was set after it was opened.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_reopen(tiledb_ctx_t *ctx,
                                  tiledb_array_t *array);

/**
 * Closes an array. One that is not open stays as it is.
 *
 * Queries of it can no longer be submitted; they still have to be freed.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_close(tiledb_ctx_t *ctx,
                                 tiledb_array_t *array);

/**
 * Tells whether an array is open.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param is_open Gets 1 if it is open, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_is_open(tiledb_ctx_t *ctx,
                                   tiledb_array_t *array,
                                   int32_t *is_open);

/**
 * Tells what an array was last opened for; `TILEDB_READ` where it never was.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param query_type Gets the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_query_type(tiledb_ctx_t *ctx,
                                          tiledb_array_t *array,
                                          tiledb_query_type_t *query_type);

/**
 * Gives the configuration of an array.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param config Gets a copy, which the caller frees with `tiledb_config_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_config(tiledb_ctx_t *ctx,
                                      tiledb_array_t *array,
                                      tiledb_config_t **config);

/**
 * Sets configuration parameters of an array, for the next opening. Parameters that `config` does not set stay.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, not open.
 * @param config The parameters; they are copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_set_config(tiledb_ctx_t *ctx,
                                      tiledb_array_t *array,
                                      tiledb_config_t *config);

/**
 * Tells the start of the time range that an array is opened for.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param timestamp_start Gets it, in milliseconds since 1970-01-01 UTC; 0 unless it was set.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_open_timestamp_start(tiledb_ctx_t *ctx,
                                                    tiledb_array_t *array,
                                                    uint64_t *timestamp_start);

/**
 * Tells the end of the time range that an array was opened for.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param timestamp_end Gets it, in milliseconds since 1970-01-01 UTC. After opening for reading without an end set it is the
 *     moment of opening; after opening for anything else without one it is 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_open_timestamp_end(tiledb_ctx_t *ctx,
                                                  tiledb_array_t *array,
                                                  uint64_t *timestamp_end);

/**
 * Sets the start of the time range that the next opening sees.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param timestamp_start The first moment, in milliseconds since 1970-01-01 UTC.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_set_open_timestamp_start(tiledb_ctx_t *ctx,
                                                    tiledb_array_t *array,
                                                    uint64_t timestamp_start);

/**
 * Sets the end of the time range that the next opening sees. What is written then counts as written at this time.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param timestamp_end The last moment, in milliseconds since 1970-01-01 UTC; `UINT64_MAX` stands for the moment of opening.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_set_open_timestamp_end(tiledb_ctx_t *ctx,
                                                  tiledb_array_t *array,
                                                  uint64_t timestamp_end);

/**
 * Gives the schema that an open array sees: the latest in its time range, or for writing the latest of all.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @param array_schema Gets a copy, which the caller frees with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_schema(tiledb_ctx_t *ctx,
                                      tiledb_array_t *array,
                                      tiledb_array_schema_t **array_schema);

/**
 * Changes the schema of an array (experimental). Fragments keep the schema they were written with.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is: a URI or a path.
 * @param array_schema_evolution The changes; stay the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_evolve(tiledb_ctx_t *ctx,
                                  const char *array_uri,
                                  struct tiledb_array_schema_evolution_t *array_schema_evolution);

/**
 * Brings an array to the newest format version, by a schema file of that version. Fragments stay as they are.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is: a URI or a path.
 * @param config Parameters for the upgrade; null stands for those of the context.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_upgrade_version(tiledb_ctx_t *ctx,
                                           const char *array_uri,
                                           tiledb_config_t *config);

/**
 * Gives an enumeration of an open array's schema (experimental), loading it where it is not loaded yet.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @param name The name of the enumeration.
 * @param enumeration Gets the enumeration, which the caller frees with `tiledb_enumeration_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_get_enumeration(tiledb_ctx_t *ctx,
                                           const tiledb_array_t *array,
                                           const char *name,
                                           tiledb_enumeration_t **enumeration);

/**
 * Loads all enumerations of an open array's schema (experimental). What is loaded already stays.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_load_all_enumerations(tiledb_ctx_t *ctx,
                                                 const tiledb_array_t *array);

/**
 * Loads the enumerations of every schema that an open array ever had (experimental).
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_load_enumerations_all_schemas(tiledb_ctx_t *ctx,
                                                         const tiledb_array_t *array);

/**
 * Makes an empty schema.
 *
 * It has row-major orders, a capacity of 10000 cells, no duplicates; zstd for coordinates and offsets, run-length
 * encoding for validity.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_type Dense or sparse.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_alloc(tiledb_ctx_t *ctx,
                                        tiledb_array_type_t array_type,
                                        tiledb_array_schema_t **array_schema);

/**
 * Makes an empty schema as of a time, which its file will tell. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_type Dense or sparse.
 * @param timestamp Milliseconds since 1970-01-01 UTC, not 0.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_alloc_at_timestamp(tiledb_ctx_t *ctx,
                                                     tiledb_array_type_t array_type,
                                                     uint64_t timestamp,
                                                     tiledb_array_schema_t **array_schema);

/**
 * Checks whether an array can be made of a schema, as making one does.
 *
 * It needs a domain; a dense one needs integers or dates for dimensions, and an attribute. All names must differ.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_check(tiledb_ctx_t *ctx,
                                        tiledb_array_schema_t *array_schema);

/**
 * Describes a schema as text.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_dump_str(tiledb_ctx_t *ctx,
                                           const tiledb_array_schema_t *array_schema,
                                           tiledb_string_t **out);

/**
 * Frees a schema.
 *
 * @param array_schema The handle; null afterwards. Null is accepted, and so is a pointer to null.
 */
void tiledb_array_schema_free(tiledb_array_schema_t **array_schema);

/**
 * Gets the format version of the file a schema came from; of a new one, the version that will be written.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param version Receives the version.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_version(tiledb_ctx_t *ctx,
                                              tiledb_array_schema_t *array_schema,
                                              uint32_t *version);

/**
 * Loads the latest schema of an array, with the configuration of the context.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is: a URI or a path.
 * @param array_schema Gets the schema, which the caller frees with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_load(tiledb_ctx_t *ctx,
                                       const char *array_uri,
                                       tiledb_array_schema_t **array_schema);

/**
 * Loads the latest schema of an array, with parameters of its own for what else is loaded with it.
 *
 * The key of an encrypted array is that of the context's configuration.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param config The parameters; null stands for those of the context.
 * @param array_uri Where the array is: a URI or a path.
 * @param array_schema Gets the schema, which the caller frees with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_load_with_config(tiledb_ctx_t *ctx,
                                                   tiledb_config_t *config,
                                                   const char *array_uri,
                                                   tiledb_array_schema_t **array_schema);

/**
 * Gets the time a schema was made at. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param lo Receives its first millisecond since 1970-01-01 UTC.
 * @param hi Receives its last millisecond.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_timestamp_range(tiledb_ctx_t *ctx,
                                                  tiledb_array_schema_t *array_schema,
                                                  uint64_t *lo,
                                                  uint64_t *hi);

/**
 * Adds an attribute after the others. The schema shares it: what is set on it later counts too.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param attr The attribute, whose handle stays the caller's. Names that begin with "__" are refused.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_add_attribute(tiledb_ctx_t *ctx,
                                                tiledb_array_schema_t *array_schema,
                                                tiledb_attribute_t *attr);

/**
 * Gets an attribute by its index.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param index The index, from 0.
 * @param attr Receives a handle that shares the attribute; free it with `tiledb_attribute_free`. Null if the schema
 *   has no attributes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_attribute_from_index(tiledb_ctx_t *ctx,
                                                           const tiledb_array_schema_t *array_schema,
                                                           uint32_t index,
                                                           tiledb_attribute_t **attr);

/**
 * Gets an attribute by its name. It is an error if there is none of the name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param name The name; may be empty.
 * @param attr Receives a handle that shares the attribute; free it with `tiledb_attribute_free`. Null if the schema
 *   has no attributes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_attribute_from_name(tiledb_ctx_t *ctx,
                                                          const tiledb_array_schema_t *array_schema,
                                                          const char *name,
                                                          tiledb_attribute_t **attr);

/**
 * Gets the number of attributes.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param attribute_num Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_attribute_num(tiledb_ctx_t *ctx,
                                                    const tiledb_array_schema_t *array_schema,
                                                    uint32_t *attribute_num);

/**
 * Says whether there is an attribute of a name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param name The name.
 * @param has_attr Receives 1 if there is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_has_attribute(tiledb_ctx_t *ctx,
                                                const tiledb_array_schema_t *array_schema,
                                                const char *name,
                                                int32_t *has_attr);

/**
 * Says whether cells may share coordinates.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param allows_dups Receives 1 if they may, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_allows_dups(tiledb_ctx_t *ctx,
                                                  tiledb_array_schema_t *array_schema,
                                                  int *allows_dups);

/**
 * Sets whether cells may share coordinates, which those of a dense array may not.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param allows_dups 0 if they may not, else 1.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_allows_dups(tiledb_ctx_t *ctx,
                                                  tiledb_array_schema_t *array_schema,
                                                  int allows_dups);

/**
 * Says whether an array is dense or sparse.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param array_type Receives the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_array_type(tiledb_ctx_t *ctx,
                                                 const tiledb_array_schema_t *array_schema,
                                                 tiledb_array_type_t *array_type);

/**
 * Gets the number of cells in a tile of sparse fragments.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param capacity Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_capacity(tiledb_ctx_t *ctx,
                                               const tiledb_array_schema_t *array_schema,
                                               uint64_t *capacity);

/**
 * Sets the number of cells in a tile of sparse fragments.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param capacity The number; not 0 for a sparse array.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_capacity(tiledb_ctx_t *ctx,
                                               tiledb_array_schema_t *array_schema,
                                               uint64_t capacity);

/**
 * Gets the order of cells within a tile.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param cell_order Receives the order.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_cell_order(tiledb_ctx_t *ctx,
                                                 const tiledb_array_schema_t *array_schema,
                                                 tiledb_layout_t *cell_order);

/**
 * Sets the order of cells within a tile.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param cell_order The order: row-major, column-major, or Hilbert for a sparse array. Set Hilbert before the
 *   domain.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_cell_order(tiledb_ctx_t *ctx,
                                                 tiledb_array_schema_t *array_schema,
                                                 tiledb_layout_t cell_order);

/**
 * Gets the order of tiles.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param tile_order Receives the order.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_tile_order(tiledb_ctx_t *ctx,
                                                 const tiledb_array_schema_t *array_schema,
                                                 tiledb_layout_t *tile_order);

/**
 * Sets the order of tiles.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param tile_order The order: row-major or column-major.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_tile_order(tiledb_ctx_t *ctx,
                                                 tiledb_array_schema_t *array_schema,
                                                 tiledb_layout_t tile_order);

/**
 * Gets the domain of a schema.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param domain Receives a handle that shares the domain, an empty one if none was set; free it with
 *   `tiledb_domain_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_domain(tiledb_ctx_t *ctx,
                                             const tiledb_array_schema_t *array_schema,
                                             tiledb_domain_t **domain);

/**
 * Sets the domain.
 *
 * Dimensions without a tile extent get that of their domain, except in Hilbert order. A dense array takes integers,
 * dates and times, of one datatype for all dimensions.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param domain The domain, of at least one dimension. Its handle stays the caller's and shares it.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_domain(tiledb_ctx_t *ctx,
                                             tiledb_array_schema_t *array_schema,
                                             tiledb_domain_t *domain);

/**
 * Gets the part of the domain that is in use. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param current_domain Receives the current domain, an empty one if none was set; free it with
 *   `tiledb_current_domain_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_current_domain(tiledb_ctx_t *ctx,
                                                     tiledb_array_schema_t *array_schema,
                                                     tiledb_current_domain_t **current_domain);

/**
 * Sets the part of the domain that is in use. Experimental.
 *
 * Where the schema came from an open array by `tiledb_array_get_schema`, queries on that keep to it from now on.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param current_domain The current domain, whose handle stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_current_domain(tiledb_ctx_t *ctx,
                                                     tiledb_array_schema_t *array_schema,
                                                     tiledb_current_domain_t *current_domain);

/**
 * Adds an enumeration, for attributes that hold its indexes. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param enumeration The enumeration, whose handle stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_add_enumeration(tiledb_ctx_t *ctx,
                                                  tiledb_array_schema_t *array_schema,
                                                  tiledb_enumeration_t *enumeration);

/**
 * Gets the enumeration whose indexes an attribute holds. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param attribute_name The name of the attribute.
 * @param enumeration Receives the enumeration, null if the attribute has none; free it with
 *   `tiledb_enumeration_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_enumeration_from_attribute_name(tiledb_ctx_t *ctx,
                                                                      tiledb_array_schema_t *array_schema,
                                                                      const char *attribute_name,
                                                                      tiledb_enumeration_t **enumeration);

/**
 * Gets an enumeration by its name. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param enumeration_name The name.
 * @param enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_enumeration_from_name(tiledb_ctx_t *ctx,
                                                            tiledb_array_schema_t *array_schema,
                                                            const char *enumeration_name,
                                                            tiledb_enumeration_t **enumeration);

/**
 * Gets a copy of the filters of coordinates whose dimension has none of its own.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_coords_filter_list(tiledb_ctx_t *ctx,
                                                         tiledb_array_schema_t *array_schema,
                                                         tiledb_filter_list_t **filter_list);

/**
 * Sets the filters of coordinates whose dimension has none of its own.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param filter_list The filters, copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_coords_filter_list(tiledb_ctx_t *ctx,
                                                         tiledb_array_schema_t *array_schema,
                                                         tiledb_filter_list_t *filter_list);

/**
 * Gets a copy of the filters of the offsets of variable-length fields.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_offsets_filter_list(tiledb_ctx_t *ctx,
                                                          tiledb_array_schema_t *array_schema,
                                                          tiledb_filter_list_t **filter_list);

/**
 * Sets the filters of the offsets of variable-length fields.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param filter_list The filters, copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_offsets_filter_list(tiledb_ctx_t *ctx,
                                                          tiledb_array_schema_t *array_schema,
                                                          tiledb_filter_list_t *filter_list);

/**
 * Gets a copy of the filters of validity vectors.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_validity_filter_list(tiledb_ctx_t *ctx,
                                                           tiledb_array_schema_t *array_schema,
                                                           tiledb_filter_list_t **filter_list);

/**
 * Sets the filters of validity vectors.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param filter_list The filters, copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_validity_filter_list(tiledb_ctx_t *ctx,
                                                           tiledb_array_schema_t *array_schema,
                                                           tiledb_filter_list_t *filter_list);

/**
 * Adds a label to a dimension. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema, whose domain is set.
 * @param dim_index The index of the dimension, from 0.
 * @param name The name of the label, unlike those of attributes, dimensions and other labels.
 * @param label_order The order of its values.
 * @param label_type The datatype of its values.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_add_dimension_label(tiledb_ctx_t *ctx,
                                                      tiledb_array_schema_t *array_schema,
                                                      uint32_t dim_index,
                                                      const char *name,
                                                      tiledb_data_order_t label_order,
                                                      tiledb_datatype_t label_type);

/**
 * Gets a dimension label by its index. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param dim_label_index The index, from 0.
 * @param dim_label Receives the label; free it with `tiledb_dimension_label_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_dimension_label_from_index(tiledb_ctx_t *ctx,
                                                                 tiledb_array_schema_t *array_schema,
                                                                 uint64_t dim_label_index,
                                                                 tiledb_dimension_label_t **dim_label);

/**
 * Gets a dimension label by its name. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param label_name The name.
 * @param dim_label Receives the label; free it with `tiledb_dimension_label_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_dimension_label_from_name(tiledb_ctx_t *ctx,
                                                                tiledb_array_schema_t *array_schema,
                                                                const char *label_name,
                                                                tiledb_dimension_label_t **dim_label);

/**
 * Gets the number of dimension labels. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param dim_label_num Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_get_dimension_label_num(tiledb_ctx_t *ctx,
                                                          tiledb_array_schema_t *array_schema,
                                                          uint64_t *dim_label_num);

/**
 * Says whether there is a dimension label of a name. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param name The name.
 * @param has_dim_label Receives 1 if there is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_has_dimension_label(tiledb_ctx_t *ctx,
                                                      const tiledb_array_schema_t *array_schema,
                                                      const char *name,
                                                      int32_t *has_dim_label);

/**
 * Sets the filters of the values of a dimension label. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param label_name The name of the label.
 * @param filter_list The filters, copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_dimension_label_filter_list(tiledb_ctx_t *ctx,
                                                                  tiledb_array_schema_t *array_schema,
                                                                  const char *label_name,
                                                                  tiledb_filter_list_t *filter_list);

/**
 * Sets the tile extent of the array of a dimension label. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param label_name The name of the label.
 * @param type The datatype of the dimension.
 * @param tile_extent The extent, a value of that datatype.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_set_dimension_label_tile_extent(tiledb_ctx_t *ctx,
                                                                  tiledb_array_schema_t *array_schema,
                                                                  const char *label_name,
                                                                  tiledb_datatype_t type,
                                                                  const void *tile_extent);

/**
 * Adds an attribute to the schema.
 *
 * The attribute is copied. It is an error if the list adds one of this name already; whether the schema has it is
 * found out when the array is evolved.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param attribute The attribute; stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_array_schema_evolution_add_attribute(tiledb_ctx_t *ctx,
                                                    struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                    tiledb_attribute_t *attribute);

/**
 * Adds an enumeration to the schema, so that attributes added in the same list can use it.
 *
 * It is an error if the list adds one of this name already.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param enumeration The enumeration; stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_evolution_add_enumeration(tiledb_ctx_t *ctx,
                                                            struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                            tiledb_enumeration_t *enumeration);

/**
 * Makes an empty list of changes.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution Receives the list; free it with `tiledb_array_schema_evolution_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_array_schema_evolution_alloc(tiledb_ctx_t *ctx,
                                            struct tiledb_array_schema_evolution_t **array_schema_evolution);

/**
 * Drops an attribute from the schema. Its cells stay in the files, for readers of the past.
 *
 * Dropping a dimension, or the last attribute of a dense array, is an error when the array is evolved.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param attribute_name The name of the attribute.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_array_schema_evolution_drop_attribute(tiledb_ctx_t *ctx,
                                                     struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                     const char *attribute_name);

/**
 * Drops an enumeration from the schema.
 *
 * It is an error when the array is evolved if an attribute that stays uses it.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param enumeration_name The name of the enumeration.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_evolution_drop_enumeration(tiledb_ctx_t *ctx,
                                                             struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                             const char *enumeration_name);

/**
 * Makes the current domain of the schema larger.
 *
 * It is an error, when the array is evolved, if it would lose a cell or pass the domain.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param expanded_domain The new current domain, whole; stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_evolution_expand_current_domain(tiledb_ctx_t *ctx,
                                                                  struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                                  tiledb_current_domain_t *expanded_domain);

/**
 * Replaces an enumeration by one that has more values.
 *
 * The new one must begin with the values of the old one, as `tiledb_enumeration_extend` makes it; if not, evolving the
 * array is an error.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param enumeration The longer enumeration; stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_schema_evolution_extend_enumeration(tiledb_ctx_t *ctx,
                                                               struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                               tiledb_enumeration_t *enumeration);

/**
 * Frees a list of changes.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * Experimental: may change from release to release.
 *
 * @param array_schema_evolution Where the list is; set to null.
 */
void tiledb_array_schema_evolution_free(struct tiledb_array_schema_evolution_t **array_schema_evolution);

/**
 * Says when the new schema begins, instead of the present.
 *
 * Both ends must be equal; zero is the present.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list of changes.
 * @param lo The earlier end, in milliseconds since 1970-01-01T00:00:00Z.
 * @param hi The later end, in milliseconds since 1970-01-01T00:00:00Z.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_array_schema_evolution_set_timestamp_range(tiledb_ctx_t *ctx,
                                                          struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                          uint64_t lo,
                                                          uint64_t hi);

/**
 * Makes an attribute of one value per cell, not nullable, without filters. Of `TILEDB_ANY` it has any number of
 * values per cell.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param name The name; may be empty. Names that begin with "__" are refused when the attribute is added to a
 *   schema.
 * @param type The datatype of its values.
 * @param attr Receives the attribute; free it with `tiledb_attribute_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_alloc(tiledb_ctx_t *ctx,
                               const char *name,
                               tiledb_datatype_t type,
                               tiledb_attribute_t **attr);

/**
 * Describes an attribute as text.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_dump_str(tiledb_ctx_t *ctx,
                                  const tiledb_attribute_t *attr,
                                  tiledb_string_t **out);

/**
 * Frees an attribute. A schema it was added to keeps it.
 *
 * @param attr The handle; null afterwards. Null is accepted, and so is a pointer to null.
 */
void tiledb_attribute_free(tiledb_attribute_t **attr);

/**
 * Gets the size of a cell.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param cell_size Receives the size in bytes; `UINT64_MAX` if it varies.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_cell_size(tiledb_ctx_t *ctx,
                                       const tiledb_attribute_t *attr,
                                       uint64_t *cell_size);

/**
 * Gets the number of values per cell.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param cell_val_num Receives the number; `TILEDB_VAR_NUM` if it varies.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_cell_val_num(tiledb_ctx_t *ctx,
                                          const tiledb_attribute_t *attr,
                                          uint32_t *cell_val_num);

/**
 * Gets the name of the enumeration whose indexes an attribute holds. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param name Receives the name, null if there is none; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_attribute_get_enumeration_name(tiledb_ctx_t *ctx,
                                                    tiledb_attribute_t *attr,
                                                    tiledb_string_t **name);

/**
 * Gets what unwritten cells of an attribute read as. It is an error if the attribute is nullable.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param value Receives the value, which lives as long as the handle.
 * @param size Receives its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_fill_value(tiledb_ctx_t *ctx,
                                        tiledb_attribute_t *attr,
                                        const void **value,
                                        uint64_t *size);

/**
 * Gets what unwritten cells of a nullable attribute read as. It is an error if the attribute is not nullable.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param value Receives the value, which lives as long as the handle.
 * @param size Receives its size in bytes.
 * @param valid Receives the validity: 0 if such cells are null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_fill_value_nullable(tiledb_ctx_t *ctx,
                                                 tiledb_attribute_t *attr,
                                                 const void **value,
                                                 uint64_t *size,
                                                 uint8_t *valid);

/**
 * Gets a copy of the filters of an attribute.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_attribute_t *attr,
                                         tiledb_filter_list_t **filter_list);

/**
 * Gets the name of an attribute.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param name Receives the name, which lives as long as the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_name(tiledb_ctx_t *ctx,
                                  const tiledb_attribute_t *attr,
                                  const char **name);

/**
 * Says whether cells of an attribute may be null.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param nullable Receives 1 if they may, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_nullable(tiledb_ctx_t *ctx,
                                      tiledb_attribute_t *attr,
                                      uint8_t *nullable);

/**
 * Gets the datatype of the values of an attribute.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param type Receives the datatype.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_get_type(tiledb_ctx_t *ctx,
                                  const tiledb_attribute_t *attr,
                                  tiledb_datatype_t *type);

/**
 * Sets the number of values per cell. The fill value becomes the default again. `TILEDB_ANY` always has any number.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param cell_val_num The number, not 0; `TILEDB_VAR_NUM` for any.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_set_cell_val_num(tiledb_ctx_t *ctx,
                                          tiledb_attribute_t *attr,
                                          uint32_t cell_val_num);

/**
 * Says that an attribute holds indexes of an enumeration. Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param enumeration_name The name of the enumeration, not empty.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_attribute_set_enumeration_name(tiledb_ctx_t *ctx,
                                                    tiledb_attribute_t *attr,
                                                    const char *enumeration_name);

/**
 * Sets what unwritten cells of an attribute read as. It is an error if the attribute is nullable.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param value The value, copied.
 * @param size Its size in bytes: that of a cell, or anything but 0 if cells are of variable length.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_set_fill_value(tiledb_ctx_t *ctx,
                                        tiledb_attribute_t *attr,
                                        const void *value,
                                        uint64_t size);

/**
 * Sets what unwritten cells of a nullable attribute read as. It is an error if the attribute is not nullable.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param value The value, copied.
 * @param size Its size in bytes: that of a cell, or anything but 0 if cells are of variable length.
 * @param validity 0 if such cells are null, else 1.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_set_fill_value_nullable(tiledb_ctx_t *ctx,
                                                 tiledb_attribute_t *attr,
                                                 const void *value,
                                                 uint64_t size,
                                                 uint8_t validity);

/**
 * Sets the filters of an attribute. It is an error if a filter does not take the datatype it would get.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param filter_list The filters, copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_set_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_attribute_t *attr,
                                         tiledb_filter_list_t *filter_list);

/**
 * Sets whether cells of an attribute may be null.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param attr The attribute.
 * @param nullable 0 if they may not, else 1.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_attribute_set_nullable(tiledb_ctx_t *ctx,
                                      tiledb_attribute_t *attr,
                                      uint8_t nullable);

/**
 * Makes a buffer without bytes, of the datatype UINT8.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer Where the new buffer goes. Free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_alloc(tiledb_ctx_t *ctx,
                                  tiledb_buffer_t **buffer);

/**
 * Frees a buffer, but not bytes that the caller set.
 *
 * @param buffer The buffer; null afterwards. Null is fine at both levels.
 */
void tiledb_buffer_free(tiledb_buffer_t **buffer);

/**
 * Gets the bytes of a buffer.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The buffer.
 * @param data Becomes the first byte; null where there is none. It is what the caller set, or belongs to the buffer, is
 *     not to be changed, and lasts until the buffer is freed or gets other bytes.
 * @param num_bytes Becomes the size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_get_data(tiledb_ctx_t *ctx,
                                     const tiledb_buffer_t *buffer,
                                     void **data,
                                     uint64_t *num_bytes);

/**
 * Gets the datatype of a buffer.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The buffer.
 * @param datatype Becomes the datatype.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_get_type(tiledb_ctx_t *ctx,
                                     const tiledb_buffer_t *buffer,
                                     tiledb_datatype_t *datatype);

/**
 * Sets the bytes of a buffer. They stay the caller's, who keeps them valid as long as the buffer has them.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The buffer.
 * @param data The first byte.
 * @param size The size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_set_data(tiledb_ctx_t *ctx,
                                     tiledb_buffer_t *buffer,
                                     void *data,
                                     uint64_t size);

/**
 * Sets the datatype of a buffer. The bytes do not change.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The buffer.
 * @param datatype The datatype.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_set_type(tiledb_ctx_t *ctx,
                                     tiledb_buffer_t *buffer,
                                     tiledb_datatype_t datatype);

/**
 * Makes an empty list.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer_list Where the new list goes. Free it with `tiledb_buffer_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_list_alloc(tiledb_ctx_t *ctx,
                                       tiledb_buffer_list_t **buffer_list);

/**
 * Copies the buffers of a list, one after the other, into one new buffer.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer_list The list.
 * @param buffer Where the new buffer goes. Free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_OOM`; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_list_flatten(tiledb_ctx_t *ctx,
                                         tiledb_buffer_list_t *buffer_list,
                                         tiledb_buffer_t **buffer);

/**
 * Frees a list. Buffers that were got from it keep their bytes.
 *
 * @param buffer_list The list; null afterwards. Null is fine at both levels.
 */
void tiledb_buffer_list_free(tiledb_buffer_list_t **buffer_list);

/**
 * Gets one buffer of a list. The bytes are not copied.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer_list The list.
 * @param buffer_idx Which buffer, counted from 0.
 * @param buffer Where the buffer goes. Free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_list_get_buffer(tiledb_ctx_t *ctx,
                                            const tiledb_buffer_list_t *buffer_list,
                                            uint64_t buffer_idx,
                                            tiledb_buffer_t **buffer);

/**
 * Counts the buffers of a list.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer_list The list.
 * @param num_buffers Becomes their number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_list_get_num_buffers(tiledb_ctx_t *ctx,
                                                 const tiledb_buffer_list_t *buffer_list,
                                                 uint64_t *num_buffers);

/**
 * Adds up the sizes of the buffers of a list.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer_list The list.
 * @param total_size Becomes the sum, in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_buffer_list_get_total_size(tiledb_ctx_t *ctx,
                                                const tiledb_buffer_list_t *buffer_list,
                                                uint64_t *total_size);

/**
 * Makes a configuration with the default value for every parameter.
 *
 * @param config Where the new configuration goes. Free it with `tiledb_config_free`.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_alloc(tiledb_config_t **config,
                                  tiledb_error_t **error);

/**
 * Compares the names and values of two configurations, unknown names included. The environment does not count.
 *
 * @param lhs One configuration.
 * @param rhs The other.
 * @param equal Becomes 1 if they are equal, else 0.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
capi_return_t tiledb_config_compare(tiledb_config_t *lhs,
                                    tiledb_config_t *rhs,
                                    uint8_t *equal);

/**
 * Frees a configuration. What was made with it keeps working.
 *
 * @param config The configuration; null afterwards. Null is fine at both levels.
 */
void tiledb_config_free(tiledb_config_t **config);

/**
 * Gets the value of a parameter: as it was set, from the environment, from a loaded file, or the default.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param value Becomes the value, or null for a parameter that is neither known nor set. It belongs to the
 *     configuration and lasts until the parameter changes or the configuration is freed.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_get(tiledb_config_t *config,
                                const char *param,
                                const char **value,
                                tiledb_error_t **error);

/**
 * Begins a walk over the parameters, sorted by name.
 *
 * @param config The configuration. Later changes to it are not seen.
 * @param prefix Only parameters whose names begin with it; the names are given without it. Null or empty for all.
 * @param config_iter Where the walk goes. Free it with `tiledb_config_iter_free`.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_iter_alloc(tiledb_config_t *config,
                                       const char *prefix,
                                       tiledb_config_iter_t **config_iter,
                                       tiledb_error_t **error);

/**
 * Tells whether a walk has no parameter left.
 *
 * @param config_iter The walk.
 * @param done Becomes 1 if it is at its end, else 0.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_iter_done(tiledb_config_iter_t *config_iter,
                                      int32_t *done,
                                      tiledb_error_t **error);

/**
 * Frees a walk.
 *
 * @param config_iter The walk; null afterwards. Null is fine at both levels.
 */
void tiledb_config_iter_free(tiledb_config_iter_t **config_iter);

/**
 * Gets the parameter that a walk is at.
 *
 * @param config_iter The walk.
 * @param param Becomes the name, without the prefix; null at the end. It belongs to the walk and lasts until the walk is
 *     reset or freed.
 * @param value Becomes the value; the same holds for it.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_iter_here(tiledb_config_iter_t *config_iter,
                                      const char **param,
                                      const char **value,
                                      tiledb_error_t **error);

/**
 * Goes to the next parameter. At the end of a walk it does nothing.
 *
 * @param config_iter The walk.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_iter_next(tiledb_config_iter_t *config_iter,
                                      tiledb_error_t **error);

/**
 * Begins a walk anew, over another configuration or with another prefix.
 *
 * @param config The configuration. Later changes to it are not seen.
 * @param config_iter The walk. What it lent before is no longer valid.
 * @param prefix As for `tiledb_config_iter_alloc`.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_iter_reset(tiledb_config_t *config,
                                       tiledb_config_iter_t *config_iter,
                                       const char *prefix,
                                       tiledb_error_t **error);

/**
 * Takes the parameters that a text file holds: a name and a value on each line, a comment behind `#`. The values are not
 * checked, and the environment outranks them.
 *
 * @param config The configuration.
 * @param filename The path of the file.
 * @param error Where an error goes; null on success. It tells the line, counted from 0. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_load_from_file(tiledb_config_t *config,
                                           const char *filename,
                                           tiledb_error_t **error);

/**
 * Writes the parameters to a text file, sorted by name. Empty values are left out, and names, keys, tokens and passwords
 * for storage services and servers. The key of encrypted arrays, `sm.encryption_key`, is written.
 *
 * @param config The configuration.
 * @param filename The path of the file; what is there is replaced.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_save_to_file(tiledb_config_t *config,
                                         const char *filename,
                                         tiledb_error_t **error);

/**
 * Sets a parameter. Names that are not known are kept, too. Numbers must be plain decimal (one leading `+` is fine) and
 * in range, booleans `true` or `false` in any letter case; some parameters are only checked when they are used.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param value Its value.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_set(tiledb_config_t *config,
                                const char *param,
                                const char *value,
                                tiledb_error_t **error);

/**
 * Gives a known parameter its default again, and removes one that is not known.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_config_unset(tiledb_config_t *config,
                                  const char *param,
                                  tiledb_error_t **error);

/**
 * Merges fragments, or small files of one kind, of an array into larger ones.
 *
 * `sm.consolidation.mode` says what: `fragments`, `fragment_meta`, `commits`, `array_meta`, or `group_meta` for a group.
 * What was merged stays for readers of the past until `tiledb_array_vacuum` removes it. An array with nothing to merge
 * is no error. For an encrypted array the key stands in `sm.encryption_key`.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is.
 * @param config Parameters for this call, or null for those of the context.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_consolidate(tiledb_ctx_t *ctx,
                                       const char *array_uri,
                                       tiledb_config_t *config);

/**
 * Merges the named fragments of an array into one.
 *
 * It is an error if a name is unknown, or if in a dense array a fragment that is not named is older than the newest of
 * them and has cells in the smallest box around theirs.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is.
 * @param fragment_uris The names of the fragments: the last part of their URIs.
 * @param num_fragments How many names there are; of fewer than two nothing is merged.
 * @param config Parameters for this call, or null for those of the context.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_consolidate_fragments(tiledb_ctx_t *ctx,
                                                 const char *array_uri,
                                                 const char **fragment_uris,
                                                 uint64_t num_fragments,
                                                 tiledb_config_t *config);

/**
 * Removes what consolidation has replaced.
 *
 * `sm.vacuum.mode` says what: `fragments`, `fragment_meta`, `commits`, `array_meta`, or `group_meta` for a group. When
 * fragments were removed, a dense array can no longer be opened as it was before the last of those that were merged into
 * one was written. Interrupted, it can be run again.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is.
 * @param config Parameters for this call, or null for those of the context.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_array_vacuum(tiledb_ctx_t *ctx,
                                  const char *array_uri,
                                  tiledb_config_t *config);

/**
 * Finds out which fragments of an array are worth merging.
 *
 * Fragments whose non-empty domains overlap go together, and small ones join until a node has about the size asked
 * for. Files are not changed.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param fragment_size The size of a merged fragment to aim at, in bytes.
 * @param consolidation_plan Receives the plan; free it with `tiledb_consolidation_plan_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_consolidation_plan_create_with_mbr(tiledb_ctx_t *ctx,
                                                  tiledb_array_t *array,
                                                  uint64_t fragment_size,
                                                  struct tiledb_consolidation_plan_t **consolidation_plan);

/**
 * Gives a plan as JSON text: an object with a list of nodes, each a list of objects with the `uri` of a fragment.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param consolidation_plan The plan.
 * @param str Receives the text; free it with `tiledb_consolidation_plan_free_json_str`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_consolidation_plan_dump_json_str(tiledb_ctx_t *ctx,
                                                const struct tiledb_consolidation_plan_t *consolidation_plan,
                                                char **str);

/**
 * Frees a plan.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * Experimental: may change from release to release.
 *
 * @param consolidation_plan Where the plan is; set to null.
 */
void tiledb_consolidation_plan_free(struct tiledb_consolidation_plan_t **consolidation_plan);

/**
 * Frees a text from `tiledb_consolidation_plan_dump_json_str`.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * Experimental: may change from release to release.
 *
 * @param str Where the text is; set to null.
 * @return `TILEDB_OK`.
 */
int32_t tiledb_consolidation_plan_free_json_str(char **str);

/**
 * Gives the name of one fragment of a node.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param consolidation_plan The plan.
 * @param node_index Which node, from 0.
 * @param fragment_index Which fragment of the node, from 0.
 * @param uri Receives the name, which lives as long as the plan.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_consolidation_plan_get_fragment_uri(tiledb_ctx_t *ctx,
                                                   struct tiledb_consolidation_plan_t *consolidation_plan,
                                                   uint64_t node_index,
                                                   uint64_t fragment_index,
                                                   const char **uri);

/**
 * Says how many fragments a node has.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param consolidation_plan The plan.
 * @param node_index Which node, from 0.
 * @param num_fragments Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_consolidation_plan_get_num_fragments(tiledb_ctx_t *ctx,
                                                    struct tiledb_consolidation_plan_t *consolidation_plan,
                                                    uint64_t node_index,
                                                    uint64_t *num_fragments);

/**
 * Says how many nodes a plan has; none if nothing is worth merging.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param consolidation_plan The plan.
 * @param num_nodes Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_consolidation_plan_get_num_nodes(tiledb_ctx_t *ctx,
                                                struct tiledb_consolidation_plan_t *consolidation_plan,
                                                uint64_t *num_nodes);

/**
 * Makes a context.
 *
 * @param config Its configuration, which stays the caller's and may be freed; null for the defaults.
 * @param ctx Where the new context goes; left as it is on failure. Free it with `tiledb_ctx_free`.
 * @return `TILEDB_OK` or `TILEDB_ERR`. `tiledb_ctx_alloc_with_error` tells why.
 */
capi_return_t tiledb_ctx_alloc(tiledb_config_t *config,
                               tiledb_ctx_t **ctx);

/**
 * Makes a context, and tells why if it cannot.
 *
 * @param config Its configuration, which stays the caller's and may be freed; null for the defaults.
 * @param ctx Where the new context goes; left as it is on failure. Free it with `tiledb_ctx_free`.
 * @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_alloc_with_error(tiledb_config_t *config,
                                          tiledb_ctx_t **ctx,
                                          tiledb_error_t **error);

/**
 * Cancels what runs with a context in other threads; it ends with an error. What begins later runs.
 *
 * @param ctx The context.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null.
 */
capi_return_t tiledb_ctx_cancel_tasks(tiledb_ctx_t *ctx);

/**
 * Frees a context. Arrays, queries and other objects made with it keep working.
 *
 * @param ctx The context; null afterwards. Null is fine at both levels.
 */
void tiledb_ctx_free(tiledb_ctx_t **ctx);

/**
 * Gets a copy of the configuration of a context.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param config Where the copy goes. Changing it does not change the context. Free it with `tiledb_config_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_get_config(tiledb_ctx_t *ctx,
                                    tiledb_config_t **config);

/**
 * Gets the protocol that the storage behind a URI speaks.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param uri The URI. Those of a TileDB server are an error: this library does not speak to servers.
 * @param data_protocol Becomes the protocol; `TILEDB_DATA_PROTOCOL_V2` for all storage that is no server.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_get_data_protocol(tiledb_ctx_t *ctx,
                                           const char *uri,
                                           tiledb_data_protocol_t *data_protocol);

/**
 * Gets the last error of a context: that of the last call that failed with it, in any thread. Success does not clear it.
 *
 * @param ctx The context.
 * @param err Becomes a new error object, or null if no call has failed. Free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_get_last_error(tiledb_ctx_t *ctx,
                                        tiledb_error_t **err);

/**
 * Gets the statistics of a context as a JSON object: timers in seconds, and counters. They are recorded from the beginning,
 * unless `tiledb_stats_disable` was called.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param stats_json Becomes the text, empty where nothing was counted. Free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_get_stats(tiledb_ctx_t *ctx,
                                   char **stats_json);

/**
 * Tells whether a kind of storage can be used. Local files always can.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fs The kind of storage.
 * @param is_supported Becomes 1 if it can be used, else 0; 0 also for a kind that is not known.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_is_supported_fs(tiledb_ctx_t *ctx,
                                         tiledb_filesystem_t fs,
                                         int32_t *is_supported);

/**
 * Sets a tag, which goes along with requests to a server. A tag of the same key is replaced.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param key The key.
 * @param value The value.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ctx_set_tag(tiledb_ctx_t *ctx,
                                 const char *key,
                                 const char *value);

/**
 * Makes a current domain that is empty.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param current_domain Receives it; free it with `tiledb_current_domain_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_current_domain_create(tiledb_ctx_t *ctx,
                                           tiledb_current_domain_t **current_domain);

/**
 * Gives a text that describes a current domain, for people to read.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param current_domain The current domain.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_current_domain_dump_str(tiledb_ctx_t *ctx,
                                             tiledb_current_domain_t *current_domain,
                                             tiledb_string_t **out);

/**
 * Frees a current domain and sets the pointer to null.
 *
 * Experimental: may change from release to release.
 *
 * @param current_domain Pointer to the current domain to free.
 * @return `TILEDB_OK`; `TILEDB_ERR` if `current_domain` or the handle that it points to is null.
 */
capi_return_t tiledb_current_domain_free(tiledb_current_domain_t **current_domain);

/**
 * Says whether nothing was set, so that the whole domain is in use.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param current_domain The current domain.
 * @param is_empty Receives 1 if it is empty, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_current_domain_get_is_empty(tiledb_ctx_t *ctx,
                                                 tiledb_current_domain_t *current_domain,
                                                 uint32_t *is_empty);

/**
 * Gives the rectangle of a current domain.
 *
 * It is an error if the current domain is empty.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param current_domain The current domain.
 * @param ndr Receives the rectangle; free it with `tiledb_ndrectangle_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_current_domain_get_ndrectangle(tiledb_ctx_t *ctx,
                                                    tiledb_current_domain_t *current_domain,
                                                    tiledb_ndrectangle_t **ndr);

/**
 * Says which shape a current domain has.
 *
 * It is an error if the current domain is empty.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param current_domain The current domain.
 * @param type Receives the shape.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_current_domain_get_type(tiledb_ctx_t *ctx,
                                             tiledb_current_domain_t *current_domain,
                                             tiledb_current_domain_type_t *type);

/**
 * Makes a rectangle the current domain.
 *
 * It is an error if one is set already. Whether it lies inside the domain is checked when the schema takes it.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param current_domain The current domain.
 * @param ndr The rectangle, with a range for every dimension; stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_current_domain_set_ndrectangle(tiledb_ctx_t *ctx,
                                                    tiledb_current_domain_t *current_domain,
                                                    tiledb_ndrectangle_t *ndr);

/**
 * Gives the datatype for its text.
 *
 * @param str The text, as "INT32".
 * @param datatype Receives the datatype.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_datatype_from_str(const char *str,
                                       tiledb_datatype_t *datatype);

/**
 * Gets the size of a value of a datatype.
 *
 * @param type The datatype.
 * @return The size in bytes; 0 if there is no such datatype.
 */
uint64_t tiledb_datatype_size(tiledb_datatype_t type);

/**
 * Gives the text for a datatype, as "INT32".
 *
 * @param datatype The datatype.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_datatype_to_str(tiledb_datatype_t datatype,
                                     const char **str);

/**
 * Makes a dimension without filters.
 *
 * Its datatype is an integer, a real number, a date or time, or `TILEDB_STRING_ASCII`. It is an error if the lower
 * end lies above the upper one or is no number, if the domain is all of the type, or if the extent is 0, negative,
 * larger than the domain, or such that the last tile passes what the type can hold.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param name The name; may be empty.
 * @param type The datatype of coordinates.
 * @param dim_domain Both ends of the domain, lower first, both included; null for text.
 * @param tile_extent The number of coordinates in a tile; null for text, and for one tile as large as the domain,
 *   which it becomes when the domain is set on a schema.
 * @param dim Receives the dimension, null on failure; free it with `tiledb_dimension_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_alloc(tiledb_ctx_t *ctx,
                               const char *name,
                               tiledb_datatype_t type,
                               const void *dim_domain,
                               const void *tile_extent,
                               tiledb_dimension_t **dim);

/**
 * Describes a dimension as text.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dimension The dimension.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_dump_str(tiledb_ctx_t *ctx,
                                  const tiledb_dimension_t *dimension,
                                  tiledb_string_t **out);

/**
 * Frees a dimension. A domain it was added to keeps it.
 *
 * @param dim The handle; null afterwards. Null is accepted, and so is a pointer to null.
 */
void tiledb_dimension_free(tiledb_dimension_t **dim);

/**
 * Gets the number of values per coordinate.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param cell_val_num Receives 1, or `TILEDB_VAR_NUM` for text.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_get_cell_val_num(tiledb_ctx_t *ctx,
                                          const tiledb_dimension_t *dim,
                                          uint32_t *cell_val_num);

/**
 * Gets the domain of a dimension.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param domain Receives both ends, lower first, which live as long as the handle; null for text.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_get_domain(tiledb_ctx_t *ctx,
                                    const tiledb_dimension_t *dim,
                                    const void **domain);

/**
 * Gets a copy of the filters of a dimension.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_get_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_dimension_t *dim,
                                         tiledb_filter_list_t **filter_list);

/**
 * Gets the name of a dimension.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param name Receives the name, which lives as long as the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_get_name(tiledb_ctx_t *ctx,
                                  const tiledb_dimension_t *dim,
                                  const char **name);

/**
 * Gets the tile extent of a dimension.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param tile_extent Receives the extent, a value of the datatype, which lives as long as the handle; null if there
 *   is none.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_get_tile_extent(tiledb_ctx_t *ctx,
                                         const tiledb_dimension_t *dim,
                                         const void **tile_extent);

/**
 * Gets the datatype of the coordinates of a dimension.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param type Receives the datatype.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_get_type(tiledb_ctx_t *ctx,
                                  const tiledb_dimension_t *dim,
                                  tiledb_datatype_t *type);

/**
 * Sets the number of values per coordinate, which can only be what it is.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param cell_val_num 1, or `TILEDB_VAR_NUM` for text.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_set_cell_val_num(tiledb_ctx_t *ctx,
                                          tiledb_dimension_t *dim,
                                          uint32_t cell_val_num);

/**
 * Sets the filters of the coordinates of a dimension. Without any, those of
 * `tiledb_array_schema_set_coords_filter_list` are used. It is an error if a filter does not take the datatype it
 * would get.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim The dimension.
 * @param filter_list The filters, copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_dimension_set_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_dimension_t *dim,
                                         tiledb_filter_list_t *filter_list);

/**
 * Frees the handle of a label; the schema keeps the label.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * @param dim_label Where the label is; set to null.
 */
void tiledb_dimension_label_free(tiledb_dimension_label_t **dim_label);

/**
 * Says which dimension a label belongs to.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param dim_index Receives the index of the dimension, from 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_dimension_index(tiledb_ctx_t *ctx,
                                                         tiledb_dimension_label_t *dim_label,
                                                         uint32_t *dim_index);

/**
 * Gives the name of the attribute that holds the values, in the array of the label.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param label_attr_name Receives the name, which lives as long as the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_label_attr_name(tiledb_ctx_t *ctx,
                                                         tiledb_dimension_label_t *dim_label,
                                                         const char **label_attr_name);

/**
 * Says how many values a label has per coordinate.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param label_cell_val_num Receives the count; `TILEDB_VAR_NUM` for texts.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_label_cell_val_num(tiledb_ctx_t *ctx,
                                                            tiledb_dimension_label_t *dim_label,
                                                            uint32_t *label_cell_val_num);

/**
 * Says in which order the values of a label are.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param label_order Receives the order.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_label_order(tiledb_ctx_t *ctx,
                                                     tiledb_dimension_label_t *dim_label,
                                                     tiledb_data_order_t *label_order);

/**
 * Gives the type of the values of a label.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param label_type Receives the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_label_type(tiledb_ctx_t *ctx,
                                                    tiledb_dimension_label_t *dim_label,
                                                    tiledb_datatype_t *label_type);

/**
 * Gives the name of a label.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param name Receives the name, which lives as long as the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_name(tiledb_ctx_t *ctx,
                                              tiledb_dimension_label_t *dim_label,
                                              const char **name);

/**
 * Says where the array of a label is: relative to the array it belongs to, unless it was set otherwise.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param dim_label The label.
 * @param uri Receives the URI, which lives as long as the handle.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_dimension_label_get_uri(tiledb_ctx_t *ctx,
                                             tiledb_dimension_label_t *dim_label,
                                             const char **uri);

/**
 * Adds a dimension after the others. The domain shares it: filters set on it later count too.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param dim The dimension, whose handle stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_add_dimension(tiledb_ctx_t *ctx,
                                    tiledb_domain_t *domain,
                                    tiledb_dimension_t *dim);

/**
 * Makes an empty domain.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain Receives the domain; free it with `tiledb_domain_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_alloc(tiledb_ctx_t *ctx,
                            tiledb_domain_t **domain);

/**
 * Describes the dimensions of a domain as text.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_dump_str(tiledb_ctx_t *ctx,
                               const tiledb_domain_t *domain,
                               tiledb_string_t **out);

/**
 * Frees a domain. A schema it was set on keeps it.
 *
 * @param domain The handle; null afterwards. Null is accepted, and so is a pointer to null.
 */
void tiledb_domain_free(tiledb_domain_t **domain);

/**
 * Gets a dimension by its index.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param index The index, from 0.
 * @param dim Receives a handle that shares the dimension; free it with `tiledb_dimension_free`. Null for the first
 *   of an empty domain.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_get_dimension_from_index(tiledb_ctx_t *ctx,
                                               const tiledb_domain_t *domain,
                                               uint32_t index,
                                               tiledb_dimension_t **dim);

/**
 * Gets a dimension by its name. It is an error if there is none of the name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param name The name.
 * @param dim Receives a handle that shares the dimension; free it with `tiledb_dimension_free`. Null if the domain
 *   is empty.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_get_dimension_from_name(tiledb_ctx_t *ctx,
                                              const tiledb_domain_t *domain,
                                              const char *name,
                                              tiledb_dimension_t **dim);

/**
 * Gets the number of dimensions.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param ndim Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_get_ndim(tiledb_ctx_t *ctx,
                               const tiledb_domain_t *domain,
                               uint32_t *ndim);

/**
 * Gets the datatype of all dimensions. It is an error if there are none, or if their datatypes differ.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param type Receives the datatype.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_get_type(tiledb_ctx_t *ctx,
                               const tiledb_domain_t *domain,
                               tiledb_datatype_t *type);

/**
 * Says whether there is a dimension of a name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain.
 * @param name The name.
 * @param has_dim Receives 1 if there is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_domain_has_dimension(tiledb_ctx_t *ctx,
                                    const tiledb_domain_t *domain,
                                    const char *name,
                                    int32_t *has_dim);

/**
 * Prints a description of a schema to a stream.
 *
 * Deprecated: `tiledb_array_schema_dump_str` returns the description as a string. libtiledb 2.30 does not have this function.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param array_schema The schema.
 * @param out The stream; an error if null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
TILEDB_DEPRECATED_EXPORT
capi_return_t tiledb_array_schema_dump(tiledb_ctx_t *ctx,
                                       const tiledb_array_schema_t *array_schema,
                                       FILE *out);

/**
 * Prints a description of an attribute to a stream.
 *
 * Deprecated: `tiledb_attribute_dump_str` returns the description as a string. libtiledb 2.30 does not have this function.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param attr The attribute.
 * @param out The stream; an error if null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
TILEDB_DEPRECATED_EXPORT
capi_return_t tiledb_attribute_dump(tiledb_ctx_t *ctx,
                                    const tiledb_attribute_t *attr,
                                    FILE *out);

/**
 * Prints a description of a dimension to a stream.
 *
 * Deprecated: `tiledb_dimension_dump_str` returns the description as a string. libtiledb 2.30 does not have this function.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param dim The dimension.
 * @param out The stream; an error if null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
TILEDB_DEPRECATED_EXPORT
capi_return_t tiledb_dimension_dump(tiledb_ctx_t *ctx,
                                    const tiledb_dimension_t *dim,
                                    FILE *out);

/**
 * Prints a description of a domain to a stream.
 *
 * Deprecated: `tiledb_domain_dump_str` returns the description as a string. libtiledb 2.30 does not have this function.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param domain The domain.
 * @param out The stream; an error if null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
TILEDB_DEPRECATED_EXPORT
capi_return_t tiledb_domain_dump(tiledb_ctx_t *ctx,
                                 const tiledb_domain_t *domain,
                                 FILE *out);

/**
 * Prints a description of an enumeration to a stream.
 *
 * Deprecated: `tiledb_enumeration_dump_str` returns the description as a string. libtiledb 2.30 does not have this function.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param enumeration The enumeration.
 * @param out The stream; an error if null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
TILEDB_DEPRECATED_EXPORT
capi_return_t tiledb_enumeration_dump(tiledb_ctx_t *ctx,
                                      tiledb_enumeration_t *enumeration,
                                      FILE *out);

/**
 * Returns the members of a group as text.
 *
 * Deprecated: `tiledb_group_dump_str_v2` returns the text as a `tiledb_string_t`. libtiledb 2.30 does not have this function.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param group The group, open for reading.
 * @param dump_ascii Set to a new text that ends with a zero byte, which the caller frees with `free`.
 * @param recursive If not 0, the members of groups among the members are listed, too.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
TILEDB_DEPRECATED_EXPORT
capi_return_t tiledb_group_dump_str(tiledb_ctx_t *ctx,
                                    tiledb_group_t *group,
                                    char **dump_ascii,
                                    uint8_t recursive);

/**
 * Makes an enumeration of the values given.
 *
 * It is an error if two values are equal, if the sizes do not make whole cells, or if offsets come with values of a
 * fixed size or are absent for others. An enumeration without values is legal: null and 0 for both.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param name The name; copied.
 * @param type The type of a value.
 * @param cell_val_num How many of the type make one value; `TILEDB_VAR_NUM` for values of any length.
 * @param ordered 1 if the order of the list is the order of the values, so that they can be compared by it, else 0.
 * @param data The values, one after the other; copied.
 * @param data_size Their size in bytes.
 * @param offsets Where each value starts, as `uint64_t` in bytes; null for values of a fixed size.
 * @param offsets_size The size of the offsets in bytes.
 * @param enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_alloc(tiledb_ctx_t *ctx,
                                       const char *name,
                                       tiledb_datatype_t type,
                                       uint32_t cell_val_num,
                                       int ordered,
                                       const void *data,
                                       uint64_t data_size,
                                       const void *offsets,
                                       uint64_t offsets_size,
                                       tiledb_enumeration_t **enumeration);

/**
 * Gives a text that describes an enumeration, for people to read.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_enumeration_dump_str(tiledb_ctx_t *ctx,
                                    tiledb_enumeration_t *enumeration,
                                    tiledb_string_t **out);

/**
 * Makes an enumeration that has the values of another and then more.
 *
 * Name, type and order stay. Take it into a schema with `tiledb_array_schema_evolution_extend_enumeration`. It is an
 * error if a value is there already. Null and 0 for both add nothing.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param old_enumeration The enumeration to begin with; it stays as it is.
 * @param data The values to add; copied.
 * @param data_size Their size in bytes.
 * @param offsets Where each value starts in `data`, as `uint64_t` in bytes; null for values of a fixed size.
 * @param offsets_size The size of the offsets in bytes.
 * @param new_enumeration Receives the longer enumeration; free it with `tiledb_enumeration_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_extend(tiledb_ctx_t *ctx,
                                        tiledb_enumeration_t *old_enumeration,
                                        const void *data,
                                        uint64_t data_size,
                                        const void *offsets,
                                        uint64_t offsets_size,
                                        tiledb_enumeration_t **new_enumeration);

/**
 * Frees an enumeration, and with it the values that its getters lent.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * Experimental: may change from release to release.
 *
 * @param enumeration Where the enumeration is; set to null.
 */
void tiledb_enumeration_free(tiledb_enumeration_t **enumeration);

/**
 * Says how many of the type make one value.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param cell_val_num Receives the count; `TILEDB_VAR_NUM` for values of any length.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_cell_val_num(tiledb_ctx_t *ctx,
                                                  tiledb_enumeration_t *enumeration,
                                                  uint32_t *cell_val_num);

/**
 * Gives all values, one after the other.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param data Receives where they are; they live as long as the enumeration. Null if there are none.
 * @param data_size Receives their size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_data(tiledb_ctx_t *ctx,
                                          tiledb_enumeration_t *enumeration,
                                          const void **data,
                                          uint64_t *data_size);

/**
 * Gives the name.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param name Receives the name; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_name(tiledb_ctx_t *ctx,
                                          tiledb_enumeration_t *enumeration,
                                          tiledb_string_t **name);

/**
 * Says where each value starts, for values of any length.
 *
 * It is an error if the values have a fixed size.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param offsets Receives where the offsets are: `uint64_t` in bytes, living as long as the enumeration.
 * @param offsets_size Receives their size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_offsets(tiledb_ctx_t *ctx,
                                             tiledb_enumeration_t *enumeration,
                                             const void **offsets,
                                             uint64_t *offsets_size);

/**
 * Says whether the order of the list is the order of the values.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param ordered Receives 1 if it is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_ordered(tiledb_ctx_t *ctx,
                                             tiledb_enumeration_t *enumeration,
                                             int *ordered);

/**
 * Gives the type of a value.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param type Receives the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_type(tiledb_ctx_t *ctx,
                                          tiledb_enumeration_t *enumeration,
                                          tiledb_datatype_t *type);

/**
 * Finds a value. That it is not there is no error.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param enumeration The enumeration.
 * @param value The value.
 * @param value_size Its size in bytes.
 * @param exist Receives 1 if the value is there, else 0.
 * @param index Receives its index, from 0; `UINT64_MAX` if the value is not there.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_enumeration_get_value_index(tiledb_ctx_t *ctx,
                                                 tiledb_enumeration_t *enumeration,
                                                 const void *value,
                                                 uint64_t value_size,
                                                 int *exist,
                                                 uint64_t *index);

/**
 * Gives the type of an array for its text.
 *
 * @param str The text, as "dense".
 * @param array_type Receives the type of an array.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_array_type_from_str(const char *str,
                                         tiledb_array_type_t *array_type);

/**
 * Gives the text for a type of an array, as "dense".
 *
 * @param array_type The type of an array.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_array_type_to_str(tiledb_array_type_t array_type,
                                       const char **str);

/**
 * Gives the data order for its text.
 *
 * @param str The text, as "increasing".
 * @param data_order Receives the data order.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_data_order_from_str(const char *str,
                                         tiledb_data_order_t *data_order);

/**
 * Gives the text for a data order, as "increasing".
 *
 * @param data_order The data order.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_data_order_to_str(tiledb_data_order_t data_order,
                                       const char **str);

/**
 * Gives the encryption type for its text.
 *
 * @param str The text, as "AES_256_GCM".
 * @param encryption_type Receives the encryption type.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_encryption_type_from_str(const char *str,
                                              tiledb_encryption_type_t *encryption_type);

/**
 * Gives the text for a encryption type, as "AES_256_GCM".
 *
 * @param encryption_type The encryption type.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_encryption_type_to_str(tiledb_encryption_type_t encryption_type,
                                            const char **str);

/**
 * Gives the layout for its text.
 *
 * @param str The text, as "row-major".
 * @param layout Receives the layout.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_layout_from_str(const char *str,
                                     tiledb_layout_t *layout);

/**
 * Gives the text for a layout, as "row-major".
 *
 * @param layout The layout.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_layout_to_str(tiledb_layout_t layout,
                                   const char **str);

/**
 * Frees an error.
 *
 * @param err The error; null afterwards. Null is fine at both levels.
 */
void tiledb_error_free(tiledb_error_t **err);

/**
 * Gets the text of an error.
 *
 * @param err The error.
 * @param errmsg Becomes the text. It belongs to the error and lasts until that is freed.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
capi_return_t tiledb_error_message(tiledb_error_t *err,
                                   const char **errmsg);

/**
 * Copies a part of the stored file into memory.
 *
 * It is an error if the part passes the end of the file.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filestore_array_uri Where the array is.
 * @param offset Where the part starts, in bytes.
 * @param buf Room for the part.
 * @param size The size of the part in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_filestore_buffer_export(tiledb_ctx_t *ctx,
                                       const char *filestore_array_uri,
                                       size_t offset,
                                       void *buf,
                                       size_t size);

/**
 * Stores bytes in memory as the file, in place of what was stored. No bytes change nothing.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filestore_array_uri Where the array is.
 * @param buf The bytes.
 * @param size How many there are.
 * @param mime_type What kind of file it is, or `TILEDB_MIME_AUTODETECT`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_filestore_buffer_import(tiledb_ctx_t *ctx,
                                       const char *filestore_array_uri,
                                       void *buf,
                                       size_t size,
                                       tiledb_mime_type_t mime_type);

/**
 * Makes a schema that suits a file.
 *
 * The size of the file decides the extent of tiles. There are no filters.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param uri The file that will be stored, or null for one not yet known.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_filestore_schema_create(tiledb_ctx_t *ctx,
                                       const char *uri,
                                       tiledb_array_schema_t **array_schema);

/**
 * Gives the size of the stored file.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filestore_array_uri Where the array is.
 * @param size Receives the size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_filestore_size(tiledb_ctx_t *ctx,
                              const char *filestore_array_uri,
                              size_t *size);

/**
 * Copies the stored file to a file.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param file_uri Where the file is to be; one that is there is replaced.
 * @param filestore_array_uri Where the array is.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_filestore_uri_export(tiledb_ctx_t *ctx,
                                    const char *file_uri,
                                    const char *filestore_array_uri);

/**
 * Stores a file, in place of what was stored. An empty one changes nothing.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filestore_array_uri Where the array is.
 * @param file_uri The file.
 * @param mime_type What kind of file it is, or `TILEDB_MIME_AUTODETECT`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_filestore_uri_import(tiledb_ctx_t *ctx,
                                    const char *filestore_array_uri,
                                    const char *file_uri,
                                    tiledb_mime_type_t mime_type);

/**
 * Gives the kind of a file for its text.
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param str The text, as "image/tiff".
 * @param mime_type Receives the kind.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
int32_t tiledb_mime_type_from_str(const char *str,
                                  tiledb_mime_type_t *mime_type);

/**
 * Gives the text for a kind of file, as "image/tiff".
 *
 * Deprecated: still works, and goes with a later release.
 *
 * @param mime_type The kind.
 * @param str Receives the text, which lives as long as the library.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
int32_t tiledb_mime_type_to_str(tiledb_mime_type_t mime_type,
                                const char **str);

/**
 * Gets the kind of storage of a name, such as "S3".
 *
 * @param str The name, in capitals.
 * @param filesystem Becomes the kind.
 * @return `TILEDB_OK`; `TILEDB_ERR` for an unknown name.
 */
capi_return_t tiledb_filesystem_from_str(const char *str,
                                         tiledb_filesystem_t *filesystem);

/**
 * Gets the name of a kind of storage.
 *
 * @param filesystem The kind.
 * @param str Becomes the name, which lasts for ever; an empty text for an unknown kind.
 * @return `TILEDB_OK`; `TILEDB_ERR` for an unknown kind.
 */
capi_return_t tiledb_filesystem_to_str(tiledb_filesystem_t filesystem,
                                       const char **str);

/**
 * Makes a filter with default options.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param type What it does, one of `TILEDB_FILTER_*`.
 * @param filter Receives the filter; free it with `tiledb_filter_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_alloc(tiledb_ctx_t *ctx,
                                  tiledb_filter_type_t type,
                                  tiledb_filter_t **filter);

/**
 * Frees a filter. Lists it was added to keep their copy.
 *
 * @param filter The handle; null afterwards. Null is accepted, and so is a pointer to null.
 */
void tiledb_filter_free(tiledb_filter_t **filter);

/**
 * Gets an option.
 *
 * The type of the value is the option's: `TILEDB_COMPRESSION_LEVEL` is an `int32_t`; the two windows are `uint32_t`,
 * in bytes; `TILEDB_SCALE_FLOAT_BYTEWIDTH` is a `uint64_t`, factor and offset are `double`; `TILEDB_WEBP_QUALITY` is
 * a `float`, format and lossless are `uint8_t`; `TILEDB_COMPRESSION_REINTERPRET_DATATYPE` is a `uint8_t` that holds
 * a `tiledb_datatype_t`. It is an error if the filter has no such option.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter The filter.
 * @param option Which option.
 * @param value Receives the value; must have room for its type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_get_option(tiledb_ctx_t *ctx,
                                       tiledb_filter_t *filter,
                                       tiledb_filter_option_t option,
                                       void *value);

/**
 * Gets what a filter does.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter The filter.
 * @param type Receives the type, one of `TILEDB_FILTER_*`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_get_type(tiledb_ctx_t *ctx,
                                     tiledb_filter_t *filter,
                                     tiledb_filter_type_t *type);

/**
 * Gives the filter option for its text.
 *
 * @param str The text, as "COMPRESSION_LEVEL".
 * @param filter_option Receives the filter option.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_filter_option_from_str(const char *str,
                                            tiledb_filter_option_t *filter_option);

/**
 * Gives the text for a filter option, as "COMPRESSION_LEVEL".
 *
 * @param filter_option The filter option.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_filter_option_to_str(tiledb_filter_option_t filter_option,
                                          const char **str);

/**
 * Sets an option.
 *
 * The type of the value is as in `tiledb_filter_get_option`. Lists that the filter was added to before keep the old
 * value. It is an error if the filter has no such option, or the value is out of its range.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter The filter.
 * @param option Which option.
 * @param value Points to the value.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_set_option(tiledb_ctx_t *ctx,
                                       tiledb_filter_t *filter,
                                       tiledb_filter_option_t option,
                                       const void *value);

/**
 * Gives the filter type for its text.
 *
 * @param str The text, as "ZSTD".
 * @param filter_type Receives the filter type.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_filter_type_from_str(const char *str,
                                          tiledb_filter_type_t *filter_type);

/**
 * Gives the text for a filter type, as "ZSTD".
 *
 * @param filter_type The filter type.
 * @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_filter_type_to_str(tiledb_filter_type_t filter_type,
                                        const char **str);

/**
 * Adds a copy of a filter at the end of a list. When writing, data passes the filters from first to last.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter_list The filter list.
 * @param filter The filter, which stays the caller's.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_list_add_filter(tiledb_ctx_t *ctx,
                                            tiledb_filter_list_t *filter_list,
                                            tiledb_filter_t *filter);

/**
 * Makes an empty filter list.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter_list Receives the list; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_list_alloc(tiledb_ctx_t *ctx,
                                       tiledb_filter_list_t **filter_list);

/**
 * Frees a filter list.
 *
 * @param filter_list The handle; null afterwards. Null is accepted, and so is a pointer to null.
 */
void tiledb_filter_list_free(tiledb_filter_list_t **filter_list);

/**
 * Gets a copy of a filter of a list.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter_list The filter list.
 * @param index Its index, from 0.
 * @param filter Receives the copy; free it with `tiledb_filter_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_list_get_filter_from_index(tiledb_ctx_t *ctx,
                                                       const tiledb_filter_list_t *filter_list,
                                                       uint32_t index,
                                                       tiledb_filter_t **filter);

/**
 * Gets the size of the chunks that are filtered at once.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter_list The filter list.
 * @param max_chunk_size Receives the size in bytes; 0 for tiles in one piece.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_list_get_max_chunk_size(tiledb_ctx_t *ctx,
                                                    const tiledb_filter_list_t *filter_list,
                                                    uint32_t *max_chunk_size);

/**
 * Gets the number of filters of a list.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter_list The filter list.
 * @param nfilters Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_list_get_nfilters(tiledb_ctx_t *ctx,
                                              const tiledb_filter_list_t *filter_list,
                                              uint32_t *nfilters);

/**
 * Sets the size of the chunks that are filtered at once.
 *
 * 0 leaves tiles in one piece. Any other value is kept with the list and has no effect, as in libtiledb: chunks are
 * 64 KiB, fitted to whole cells.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param filter_list The filter list.
 * @param max_chunk_size The size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_filter_list_set_max_chunk_size(tiledb_ctx_t *ctx,
                                                    tiledb_filter_list_t *filter_list,
                                                    uint32_t max_chunk_size);

/**
 * Makes a fragment info of an array. Nothing is read until `tiledb_fragment_info_load`.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_uri Where the array is.
 * @param fragment_info Receives the fragment info; free it with `tiledb_fragment_info_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_alloc(tiledb_ctx_t *ctx,
                                         const char *array_uri,
                                         tiledb_fragment_info_t **fragment_info);

/**
 * Prints a text that describes the fragments, for people to read.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param out Where to print it; not null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_dump(tiledb_ctx_t *ctx,
                                        const tiledb_fragment_info_t *fragment_info,
                                        FILE *out);

/**
 * Gives a text that describes the fragments, for people to read.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_dump_str(tiledb_ctx_t *ctx,
                                            const tiledb_fragment_info_t *fragment_info,
                                            tiledb_string_t **out);

/**
 * Frees a fragment info, and with it the texts that its getters lent.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * @param fragment_info Where the fragment info is; set to null.
 */
void tiledb_fragment_info_free(tiledb_fragment_info_t **fragment_info);

/**
 * Gives a copy of the parameters of a fragment info.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param config Receives the parameters; free them with `tiledb_config_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_config(tiledb_ctx_t *ctx,
                                              tiledb_fragment_info_t *fragment_info,
                                              tiledb_config_t **config);

/**
 * Says how many fragments there are.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fragment_num Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_fragment_num(tiledb_ctx_t *ctx,
                                                    tiledb_fragment_info_t *fragment_info,
                                                    uint32_t *fragment_num);

/**
 * Says how many fragments were merged into others and wait for vacuum.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param to_vacuum_num Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_to_vacuum_num(tiledb_ctx_t *ctx,
                                                     tiledb_fragment_info_t *fragment_info,
                                                     uint32_t *to_vacuum_num);

/**
 * Gives the URI of a fragment that waits for vacuum.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid Which of them, from 0.
 * @param uri Receives the URI, which lives as long as the fragment info.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_to_vacuum_uri(tiledb_ctx_t *ctx,
                                                     tiledb_fragment_info_t *fragment_info,
                                                     uint32_t fid,
                                                     const char **uri);

/**
 * Says how many cells all fragments have together. A cell that was written twice counts twice.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param count Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_total_cell_num(tiledb_ctx_t *ctx,
                                                      tiledb_fragment_info_t *fragment_info,
                                                      uint64_t *count);

/**
 * Says how many fragments have footers that no consolidated file holds.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param unconsolidated Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_unconsolidated_metadata_num(tiledb_ctx_t *ctx,
                                                                   tiledb_fragment_info_t *fragment_info,
                                                                   uint32_t *unconsolidated);

/**
 * Reads what the fragments of the array are now. Loading again gets newer ones.
 *
 * It is an error if the array does not exist.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_load(tiledb_ctx_t *ctx,
                                        tiledb_fragment_info_t *fragment_info);

/**
 * Sets the parameters for loading, as the key of an encrypted array. It is an error after that.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param config The parameters; copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_set_config(tiledb_ctx_t *ctx,
                                              tiledb_fragment_info_t *fragment_info,
                                              tiledb_config_t *config);

/**
 * Gives the schema that a fragment was written with.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_array_schema(tiledb_ctx_t *ctx,
                                                    tiledb_fragment_info_t *fragment_info,
                                                    uint32_t fid,
                                                    tiledb_array_schema_t **array_schema);

/**
 * Gives the name of the schema that a fragment was written with: the last part of the URI of its file.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param schema_name Receives the name, which lives as long as the fragment info.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_array_schema_name(tiledb_ctx_t *ctx,
                                                         tiledb_fragment_info_t *fragment_info,
                                                         uint32_t fid,
                                                         const char **schema_name);

/**
 * Says how many cells a fragment has: in a dense one, those of the tiles it covers.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param cell_num Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_cell_num(tiledb_ctx_t *ctx,
                                                tiledb_fragment_info_t *fragment_info,
                                                uint32_t fid,
                                                uint64_t *cell_num);

/**
 * Says whether a fragment is dense.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param dense Receives 1 if it is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_dense(tiledb_ctx_t *ctx,
                                             tiledb_fragment_info_t *fragment_info,
                                             uint32_t fid,
                                             int32_t *dense);

/**
 * Gives the name of a fragment: the last part of its URI.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param name Receives the name; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_fragment_name_v2(tiledb_ctx_t *ctx,
                                                        tiledb_fragment_info_t *fragment_info,
                                                        uint32_t fid,
                                                        tiledb_string_t **name);

/**
 * Gives the size of all files of a fragment.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param size Receives the size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_fragment_size(tiledb_ctx_t *ctx,
                                                     tiledb_fragment_info_t *fragment_info,
                                                     uint32_t fid,
                                                     uint64_t *size);

/**
 * Gives the URI of a fragment.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param uri Receives the URI, which lives as long as the fragment info.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_fragment_uri(tiledb_ctx_t *ctx,
                                                    tiledb_fragment_info_t *fragment_info,
                                                    uint32_t fid,
                                                    const char **uri);

/**
 * Says whether a fragment is sparse.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param sparse Receives 1 if it is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_sparse(tiledb_ctx_t *ctx,
                                              tiledb_fragment_info_t *fragment_info,
                                              uint32_t fid,
                                              int32_t *sparse);

/**
 * Says when a fragment was written, or from when to when those it was merged from were.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param start Receives the earlier end, in milliseconds since 1970-01-01T00:00:00Z.
 * @param end Receives the later end, in milliseconds since 1970-01-01T00:00:00Z.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_timestamp_range(tiledb_ctx_t *ctx,
                                                       tiledb_fragment_info_t *fragment_info,
                                                       uint32_t fid,
                                                       uint64_t *start,
                                                       uint64_t *end);

/**
 * Gives the format version of a fragment.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param version Receives the version.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_version(tiledb_ctx_t *ctx,
                                               tiledb_fragment_info_t *fragment_info,
                                               uint32_t fid,
                                               uint32_t *version);

/**
 * Says whether a consolidated file holds the footer of a fragment.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param has Receives 1 if one does, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_has_consolidated_metadata(tiledb_ctx_t *ctx,
                                                             tiledb_fragment_info_t *fragment_info,
                                                             uint32_t fid,
                                                             int32_t *has);

/**
 * Says how many bounding rectangles a fragment has: one per tile in a sparse one, none in a dense one.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mbr_num Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_num(tiledb_ctx_t *ctx,
                                               tiledb_fragment_info_t *fragment_info,
                                               uint32_t fid,
                                               uint64_t *mbr_num);

/**
 * Gives the range of a dimension in the bounding rectangle of a tile, by the index of the dimension.
 *
 * For dimensions of fixed size in sparse fragments; anything else is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mid The index of the rectangle, from 0.
 * @param did The index of the dimension, from 0.
 * @param mbr Receives both ends, one after the other, in the type of the dimension.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_from_index(tiledb_ctx_t *ctx,
                                                      tiledb_fragment_info_t *fragment_info,
                                                      uint32_t fid,
                                                      uint32_t mid,
                                                      uint32_t did,
                                                      void *mbr);

/**
 * Gives the range of a dimension in the bounding rectangle of a tile, by the name of the dimension.
 *
 * For dimensions of fixed size in sparse fragments; anything else is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mid The index of the rectangle, from 0.
 * @param dim_name The name of the dimension.
 * @param mbr Receives both ends, one after the other, in the type of the dimension.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_from_name(tiledb_ctx_t *ctx,
                                                     tiledb_fragment_info_t *fragment_info,
                                                     uint32_t fid,
                                                     uint32_t mid,
                                                     const char *dim_name,
                                                     void *mbr);

/**
 * Gives the range of a string dimension in the bounding rectangle of a tile, by the index of the dimension.
 *
 * Ask for the sizes first. A dimension of fixed size is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mid The index of the rectangle, from 0.
 * @param did The index of the dimension, from 0.
 * @param start Receives the lower end.
 * @param end Receives the upper end.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_var_from_index(tiledb_ctx_t *ctx,
                                                          tiledb_fragment_info_t *fragment_info,
                                                          uint32_t fid,
                                                          uint32_t mid,
                                                          uint32_t did,
                                                          void *start,
                                                          void *end);

/**
 * Gives the range of a string dimension in the bounding rectangle of a tile, by the name of the dimension.
 *
 * Ask for the sizes first. A dimension of fixed size is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mid The index of the rectangle, from 0.
 * @param dim_name The name of the dimension.
 * @param start Receives the lower end.
 * @param end Receives the upper end.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_var_from_name(tiledb_ctx_t *ctx,
                                                         tiledb_fragment_info_t *fragment_info,
                                                         uint32_t fid,
                                                         uint32_t mid,
                                                         const char *dim_name,
                                                         void *start,
                                                         void *end);

/**
 * Gives the sizes of the ends that `tiledb_fragment_info_get_mbr_var_from_index` gives.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mid The index of the rectangle, from 0.
 * @param did The index of the dimension, from 0.
 * @param start_size Receives the size of the lower end in bytes.
 * @param end_size Receives the size of the upper end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_var_size_from_index(tiledb_ctx_t *ctx,
                                                               tiledb_fragment_info_t *fragment_info,
                                                               uint32_t fid,
                                                               uint32_t mid,
                                                               uint32_t did,
                                                               uint64_t *start_size,
                                                               uint64_t *end_size);

/**
 * Gives the sizes of the ends that `tiledb_fragment_info_get_mbr_var_from_name` gives.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param mid The index of the rectangle, from 0.
 * @param dim_name The name of the dimension.
 * @param start_size Receives the size of the lower end in bytes.
 * @param end_size Receives the size of the upper end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_mbr_var_size_from_name(tiledb_ctx_t *ctx,
                                                              tiledb_fragment_info_t *fragment_info,
                                                              uint32_t fid,
                                                              uint32_t mid,
                                                              const char *dim_name,
                                                              uint64_t *start_size,
                                                              uint64_t *end_size);

/**
 * Gives the range of a dimension in which a fragment has cells, by the index of the dimension.
 *
 * For dimensions of fixed size; a string dimension is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param did The index of the dimension, from 0.
 * @param domain Receives both ends, one after the other, in the type of the dimension.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_non_empty_domain_from_index(tiledb_ctx_t *ctx,
                                                                   tiledb_fragment_info_t *fragment_info,
                                                                   uint32_t fid,
                                                                   uint32_t did,
                                                                   void *domain);

/**
 * Gives the range of a dimension in which a fragment has cells, by the name of the dimension.
 *
 * For dimensions of fixed size; a string dimension is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param dim_name The name of the dimension.
 * @param domain Receives both ends, one after the other, in the type of the dimension.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_non_empty_domain_from_name(tiledb_ctx_t *ctx,
                                                                  tiledb_fragment_info_t *fragment_info,
                                                                  uint32_t fid,
                                                                  const char *dim_name,
                                                                  void *domain);

/**
 * Gives the range of a string dimension in which a fragment has cells, by the index of the dimension.
 *
 * Ask for the sizes first. A dimension of fixed size is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param did The index of the dimension, from 0.
 * @param start Receives the lower end.
 * @param end Receives the upper end.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_non_empty_domain_var_from_index(tiledb_ctx_t *ctx,
                                                                       tiledb_fragment_info_t *fragment_info,
                                                                       uint32_t fid,
                                                                       uint32_t did,
                                                                       void *start,
                                                                       void *end);

/**
 * Gives the range of a string dimension in which a fragment has cells, by the name of the dimension.
 *
 * Ask for the sizes first. A dimension of fixed size is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param dim_name The name of the dimension.
 * @param start Receives the lower end.
 * @param end Receives the upper end.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_non_empty_domain_var_from_name(tiledb_ctx_t *ctx,
                                                                      tiledb_fragment_info_t *fragment_info,
                                                                      uint32_t fid,
                                                                      const char *dim_name,
                                                                      void *start,
                                                                      void *end);

/**
 * Gives the sizes of the ends that `tiledb_fragment_info_get_non_empty_domain_var_from_index` gives.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param did The index of the dimension, from 0.
 * @param start_size Receives the size of the lower end in bytes.
 * @param end_size Receives the size of the upper end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_non_empty_domain_var_size_from_index(tiledb_ctx_t *ctx,
                                                                            tiledb_fragment_info_t *fragment_info,
                                                                            uint32_t fid,
                                                                            uint32_t did,
                                                                            uint64_t *start_size,
                                                                            uint64_t *end_size);

/**
 * Gives the sizes of the ends that `tiledb_fragment_info_get_non_empty_domain_var_from_name` gives.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment, from 0.
 * @param dim_name The name of the dimension.
 * @param start_size Receives the size of the lower end in bytes.
 * @param end_size Receives the size of the upper end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_fragment_info_get_non_empty_domain_var_size_from_name(tiledb_ctx_t *ctx,
                                                                           tiledb_fragment_info_t *fragment_info,
                                                                           uint32_t fid,
                                                                           const char *dim_name,
                                                                           uint64_t *start_size,
                                                                           uint64_t *end_size);

/**
 * Makes a handle of a group, not open. Nothing is read.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group_uri Where the group is.
 * @param group Receives the group; free it with `tiledb_group_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_alloc(tiledb_ctx_t *ctx,
                                 const char *group_uri,
                                 tiledb_group_t **group);

/**
 * Closes a group, and writes the changes of one open for writing.
 *
 * Closing a group that is not open is no error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_close(tiledb_ctx_t *ctx,
                                 tiledb_group_t *group);

/**
 * Makes an empty group.
 *
 * It is an error if an array or a group is there.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group_uri Where it is to be.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_create(tiledb_ctx_t *ctx,
                                  const char *group_uri);

/**
 * Removes a group, and with it what is below its folder.
 *
 * The group must be open for `TILEDB_MODIFY_EXCLUSIVE`; it is closed afterwards.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param uri Where the group is.
 * @param recursive 1 to remove its members too, wherever they are, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_group_delete_group(tiledb_ctx_t *ctx,
                                  tiledb_group_t *group,
                                  const char *uri,
                                  uint8_t recursive);

/**
 * Gives a text that lists the members of an open group, for people to read.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param dump_ascii Receives the text; free it with `tiledb_string_free`.
 * @param recursive 1 to list the members of groups within it, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_dump_str_v2(tiledb_ctx_t *ctx,
                                       tiledb_group_t *group,
                                       tiledb_string_t **dump_ascii,
                                       uint8_t recursive);

/**
 * Frees a group, and with it the values that its getters lent.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * @param group Where the group is; set to null.
 */
void tiledb_group_free(tiledb_group_t **group);

/**
 * Gives a copy of the parameters of a group.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param config Receives the parameters; free them with `tiledb_config_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_config(tiledb_ctx_t *ctx,
                                      tiledb_group_t *group,
                                      tiledb_config_t **config);

/**
 * Says what a group is open for.
 *
 * It is an error if it is not open.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param query_type Receives the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_query_type(tiledb_ctx_t *ctx,
                                          tiledb_group_t *group,
                                          tiledb_query_type_t *query_type);

/**
 * Gives the URI of a group.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param group_uri Receives the URI, which lives as long as the group.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_uri(tiledb_ctx_t *ctx,
                                   tiledb_group_t *group,
                                   const char **group_uri);

/**
 * Says whether a group is open.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param is_open Receives 1 if it is, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_is_open(tiledb_ctx_t *ctx,
                                   tiledb_group_t *group,
                                   int32_t *is_open);

/**
 * Opens a group.
 *
 * To see another moment in time, set `sm.group.timestamp_start` and `sm.group.timestamp_end` first. It is an error if
 * the group is open already or does not exist.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param query_type What it is opened for: `TILEDB_READ`, `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_open(tiledb_ctx_t *ctx,
                                tiledb_group_t *group,
                                tiledb_query_type_t query_type);

/**
 * Sets the parameters of a group.
 *
 * It is an error if the group is open.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param config The parameters; copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_set_config(tiledb_ctx_t *ctx,
                                      tiledb_group_t *group,
                                      tiledb_config_t *config);

/**
 * Adds an array or a group as a member.
 *
 * The group must be open for writing. A member of the same name, or of the same URI where there is no name, gives way; it
 * is an error if that was added since the group was opened. An object need not be there yet; its type is unknown then.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param uri Where the member is.
 * @param relative 1 if `uri` is relative to the group, so that both can be moved together, 0 if it is absolute.
 * @param name Another name for it, or null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_add_member(tiledb_ctx_t *ctx,
                                      tiledb_group_t *group,
                                      const char *uri,
                                      uint8_t relative,
                                      const char *name);

/**
 * Adds a member whose type the caller knows, so that storage need not be asked.
 *
 * Otherwise as `tiledb_group_add_member`.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param uri Where the member is.
 * @param relative 1 if `uri` is relative to the group, so that both can be moved together, 0 if it is absolute.
 * @param name Another name for it, or null.
 * @param type `TILEDB_ARRAY` or `TILEDB_GROUP`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_add_member_with_type(tiledb_ctx_t *ctx,
                                                tiledb_group_t *group,
                                                const char *uri,
                                                uint8_t relative,
                                                const char *name,
                                                tiledb_object_t type);

/**
 * Says whether the URI of a member is relative to the group.
 *
 * The group must be open for reading. It is an error if there is no such member.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param name The name of the member.
 * @param relative Receives 1 if it is relative, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_is_relative_uri_by_name(tiledb_ctx_t *ctx,
                                                       tiledb_group_t *group,
                                                       const char *name,
                                                       uint8_t *relative);

/**
 * Gives a member by its index. The order of members means nothing.
 *
 * The group must be open for reading. It is an error if the index is not below the count.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param index Which member, from 0.
 * @param uri Receives its absolute URI; free it with `tiledb_string_free`.
 * @param type Receives its type.
 * @param name Receives its name, or null if it has none; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_member_by_index_v2(tiledb_ctx_t *ctx,
                                                  tiledb_group_t *group,
                                                  uint64_t index,
                                                  tiledb_string_t **uri,
                                                  tiledb_object_t *type,
                                                  tiledb_string_t **name);

/**
 * Gives a member by its name.
 *
 * The group must be open for reading. It is an error if there is no such member.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param name The name.
 * @param uri Receives its absolute URI; free it with `tiledb_string_free`.
 * @param type Receives its type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_member_by_name_v2(tiledb_ctx_t *ctx,
                                                 tiledb_group_t *group,
                                                 const char *name,
                                                 tiledb_string_t **uri,
                                                 tiledb_object_t *type);

/**
 * Says how many members there are.
 *
 * The group must be open for reading.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param count Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_member_count(tiledb_ctx_t *ctx,
                                            tiledb_group_t *group,
                                            uint64_t *count);

/**
 * Removes a member from the list; the array or group itself stays.
 *
 * The group must be open for writing. It is an error if the member was added since the group was opened, or if a URI
 * is given that several members have.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param name_or_uri The name of the member, or its URI if it has none.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_remove_member(tiledb_ctx_t *ctx,
                                         tiledb_group_t *group,
                                         const char *name_or_uri);

/**
 * Merges the metadata files of a group into one; `tiledb_group_vacuum_metadata` removes the others.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group_uri Where the group is.
 * @param config Parameters, or null for those of the context.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_consolidate_metadata(tiledb_ctx_t *ctx,
                                                const char *group_uri,
                                                tiledb_config_t *config);

/**
 * Removes a value from the metadata. That it is not there is no error.
 *
 * The group must be open for writing.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param key The key, a text.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_delete_metadata(tiledb_ctx_t *ctx,
                                           tiledb_group_t *group,
                                           const char *key);

/**
 * Gives a value of the metadata by its key. That it is not there is no error.
 *
 * The group must be open for reading.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param key The key, a text.
 * @param value_type Receives the type of the value.
 * @param value_num Receives how many of the type there are.
 * @param value Receives where the value is, null if there is none; it lives until the group is closed or freed. An empty
 *   value is told as one with a null pointer.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_metadata(tiledb_ctx_t *ctx,
                                        tiledb_group_t *group,
                                        const char *key,
                                        tiledb_datatype_t *value_type,
                                        uint32_t *value_num,
                                        const void **value);

/**
 * Gives a value of the metadata by its index, in the order of the keys.
 *
 * The group must be open for reading. It is an error if the index is not below the count.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param index Which value, from 0.
 * @param key Receives the key, with a zero behind it; it lives until the group is closed or freed.
 * @param key_len Receives its length in bytes.
 * @param value_type Receives the type of the value.
 * @param value_num Receives how many of the type there are.
 * @param value Receives where the value is, null for an empty one; it lives until the group is closed or freed.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_metadata_from_index(tiledb_ctx_t *ctx,
                                                   tiledb_group_t *group,
                                                   uint64_t index,
                                                   const char **key,
                                                   uint32_t *key_len,
                                                   tiledb_datatype_t *value_type,
                                                   uint32_t *value_num,
                                                   const void **value);

/**
 * Says how many values the metadata has.
 *
 * The group must be open for reading.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param num Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_get_metadata_num(tiledb_ctx_t *ctx,
                                            tiledb_group_t *group,
                                            uint64_t *num);

/**
 * Says whether the metadata has a key.
 *
 * The group must be open for reading.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param key The key, a text.
 * @param value_type Receives the type of the value; not written if the key is not there.
 * @param has_key Receives 1 if the key is there, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_has_metadata_key(tiledb_ctx_t *ctx,
                                            tiledb_group_t *group,
                                            const char *key,
                                            tiledb_datatype_t *value_type,
                                            int32_t *has_key);

/**
 * Sets a value of the metadata, in place of one with the same key.
 *
 * The group must be open for writing; the value is written when it is closed.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param key The key, a text.
 * @param value_type The type of the value; not `TILEDB_ANY`.
 * @param value_num How many of the type there are.
 * @param value The value; copied. Null puts the empty value, whatever the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_put_metadata(tiledb_ctx_t *ctx,
                                        tiledb_group_t *group,
                                        const char *key,
                                        tiledb_datatype_t value_type,
                                        uint32_t value_num,
                                        const void *value);

/**
 * Removes the metadata files that `tiledb_group_consolidate_metadata` has merged.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group_uri Where the group is.
 * @param config Parameters, or null for those of `ctx`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_group_vacuum_metadata(tiledb_ctx_t *ctx,
                                           const char *group_uri,
                                           tiledb_config_t *config);

/**
 * Makes a rectangle for a domain, its ranges not set.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param domain The domain; it may be freed before the rectangle.
 * @param ndr Receives the rectangle; free it with `tiledb_ndrectangle_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_alloc(tiledb_ctx_t *ctx,
                                       tiledb_domain_t *domain,
                                       tiledb_ndrectangle_t **ndr);

/**
 * Gives a text that describes a rectangle, for people to read.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_dump_str(tiledb_ctx_t *ctx,
                                          tiledb_ndrectangle_t *ndr,
                                          tiledb_string_t **out);

/**
 * Frees a rectangle and sets the pointer to null. Pointers that its getters returned become invalid.
 *
 * Experimental: may change from release to release.
 *
 * @param ndr Pointer to the rectangle to free.
 * @return `TILEDB_OK`; `TILEDB_ERR` if `ndr` or the handle that it points to is null.
 */
capi_return_t tiledb_ndrectangle_free(tiledb_ndrectangle_t **ndr);

/**
 * Says how many dimensions a rectangle has.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param ndim Receives the count.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_get_dim_num(tiledb_ctx_t *ctx,
                                             tiledb_ndrectangle_t *ndr,
                                             uint32_t *ndim);

/**
 * Gives the type of a dimension by its index.
 *
 * It is an error if there is no such dimension.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param idx The index of the dimension, from 0.
 * @param type Receives the type of the values of its range.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_get_dtype(tiledb_ctx_t *ctx,
                                           tiledb_ndrectangle_t *ndr,
                                           uint32_t idx,
                                           tiledb_datatype_t *type);

/**
 * Gives the type of a dimension by its name.
 *
 * It is an error if there is no such dimension.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param name The name of the dimension.
 * @param type Receives the type of the values of its range.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_get_dtype_from_name(tiledb_ctx_t *ctx,
                                                     tiledb_ndrectangle_t *ndr,
                                                     const char *name,
                                                     tiledb_datatype_t *type);

/**
 * Gives the range of a dimension by its index.
 *
 * It is an error if there is no such dimension.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param idx The index of the dimension, from 0.
 * @param range Receives pointers to both ends, with sizes in bytes, which live as long as the rectangle's handle; null and
 *   0 where the range was not set.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_get_range(tiledb_ctx_t *ctx,
                                           tiledb_ndrectangle_t *ndr,
                                           uint32_t idx,
                                           struct tiledb_range_t *range);

/**
 * Gives the range of a dimension by its name.
 *
 * It is an error if there is no such dimension.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param name The name of the dimension.
 * @param range Receives pointers to both ends, with sizes in bytes, which live as long as the rectangle's handle; null and
 *   0 where the range was not set.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_get_range_from_name(tiledb_ctx_t *ctx,
                                                     tiledb_ndrectangle_t *ndr,
                                                     const char *name,
                                                     struct tiledb_range_t *range);

/**
 * Sets the range of a dimension by its index.
 *
 * Both ends belong to the range. It is an error if there is no such dimension, if the sizes are not those of its type,
 * or if the lower end is above the upper one.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param idx The index of the dimension, from 0.
 * @param range The ends, in the type of the dimension, with sizes in bytes; copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_set_range(tiledb_ctx_t *ctx,
                                           tiledb_ndrectangle_t *ndr,
                                           uint32_t idx,
                                           struct tiledb_range_t *range);

/**
 * Sets the range of a dimension by its name.
 *
 * Both ends belong to the range. It is an error if there is no such dimension, if the sizes are not those of its type,
 * or if the lower end is above the upper one.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param ndr The rectangle.
 * @param name The name of the dimension.
 * @param range The ends, in the type of the dimension, with sizes in bytes; copied.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_ndrectangle_set_range_for_name(tiledb_ctx_t *ctx,
                                                    tiledb_ndrectangle_t *ndr,
                                                    const char *name,
                                                    struct tiledb_range_t *range);

/**
 * Calls back for each array and group right below a path, in the order of their names.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param path Where to look.
 * @param callback Called for each object found, with its URI, its type and `data`. The URI is valid during the call.
 *   Answers 1 to go on, 0 to stop without an error, -1 to make the call fail.
 * @param data Handed to the callback as it is; may be null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_object_ls(tiledb_ctx_t *ctx,
                         const char *path,
                         int32_t (*callback)(const char*,
                                             tiledb_object_t,
                                             void*),
                         void *data);

/**
 * Moves an array or a group, with all that is in it.
 *
 * It is an error if there is no such object.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param old_path Where it is.
 * @param new_path Where it is to be.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_object_move(tiledb_ctx_t *ctx,
                           const char *old_path,
                           const char *new_path);

/**
 * Removes an array or a group, with all that is in it.
 *
 * It is an error if there is no such object: other files are left alone.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param path Where it is.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_object_remove(tiledb_ctx_t *ctx,
                             const char *path);

/**
 * Says what is at a path.
 *
 * That nothing is there, or something else, is no error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param path The path.
 * @param type Receives the type: `TILEDB_INVALID` for neither array nor group.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_object_type(tiledb_ctx_t *ctx,
                           const char *path,
                           tiledb_object_t *type);

/**
 * Gives the type of an object for its text.
 *
 * @param str The text, as "ARRAY".
 * @param object_type Receives the type.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_object_type_from_str(const char *str,
                                          tiledb_object_t *object_type);

/**
 * Gives the text for the type of an object, as "ARRAY".
 *
 * @param object_type The type.
 * @param str Receives the text, which lives as long as the library.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_object_type_to_str(tiledb_object_t object_type,
                                        const char **str);

/**
 * Calls back for each array and group below a path, groups within groups included, each folder's in the order of names.
 *
 * Folders that are neither are not looked into.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param path Where to start; the path itself is not reported.
 * @param order Whether a group comes before its members or after them.
 * @param callback Called for each object found, with its URI, its type and `data`. The URI is valid during the call.
 *   Answers 1 to go on, 0 to stop without an error, -1 to make the call fail.
 * @param data Handed to the callback as it is; may be null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_object_walk(tiledb_ctx_t *ctx,
                           const char *path,
                           tiledb_walk_order_t order,
                           int32_t (*callback)(const char*,
                                               tiledb_object_t,
                                               void*),
                           void *data);

/**
 * Gives the order of a walk for its text.
 *
 * @param str The text, as "PREORDER".
 * @param walk_order Receives the order.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_walk_order_from_str(const char *str,
                                         tiledb_walk_order_t *walk_order);

/**
 * Gives the text for the order of a walk, as "PREORDER".
 *
 * @param walk_order The order.
 * @param str Receives the text, which lives as long as the library.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
capi_return_t tiledb_walk_order_to_str(tiledb_walk_order_t walk_order,
                                       const char **str);

/**
 * Makes a profile without parameters. Nothing is read or written.
 *
 * Experimental: may change from release to release.
 *
 * @param name The name, or null for "default".
 * @param dir The folder of the file; null for that of the environment variable `TILEDB_PROFILE_DIR`, or without that for
 *   `.tiledb` in the home folder.
 * @param profile Receives the profile; free it with `tiledb_profile_free`.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_alloc(const char *name,
                                   const char *dir,
                                   tiledb_profile_t **profile,
                                   tiledb_error_t **error);

/**
 * Gives a text that describes a profile, for people to read. Secrets are in it.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_dump_str(tiledb_profile_t *profile,
                                      tiledb_string_t **out,
                                      tiledb_error_t **error);

/**
 * Frees a profile; the file stays.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * Experimental: may change from release to release.
 *
 * @param profile Where the profile is; set to null.
 */
void tiledb_profile_free(tiledb_profile_t **profile);

/**
 * Says in which folder the file of a profile is.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param dir Receives the path; free it with `tiledb_string_free`.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_get_dir(tiledb_profile_t *profile,
                                     tiledb_string_t **dir,
                                     tiledb_error_t **error);

/**
 * Gives the name of a profile.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param name Receives the name; free it with `tiledb_string_free`.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_get_name(tiledb_profile_t *profile,
                                      tiledb_string_t **name,
                                      tiledb_error_t **error);

/**
 * Gives the value of a parameter of a profile.
 *
 * Null, and no error, if the profile does not have it.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param param The name of the parameter.
 * @param value Receives the value; free it with `tiledb_string_free`.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_get_param(tiledb_profile_t *profile,
                                       const char *param,
                                       tiledb_string_t **value,
                                       tiledb_error_t **error);

/**
 * Reads the parameters of a profile from its file.
 *
 * It is an error if the file has no profile of this name.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_load(tiledb_profile_t *profile,
                                  tiledb_error_t **error);

/**
 * Removes a profile from its file.
 *
 * It is an error if the file has no profile of this name.
 *
 * Experimental: may change from release to release.
 *
 * @param name The name, or null for "default".
 * @param dir The folder of the file, or null for `.tiledb` in the home folder, whatever the environment says.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_remove(const char *name,
                                    const char *dir,
                                    tiledb_error_t **error);

/**
 * Writes the parameters of a profile to its file, beside other profiles.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param overwrite 1 to replace a profile of this name, 0 to make that an error.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_save(tiledb_profile_t *profile,
                                  uint8_t overwrite,
                                  tiledb_error_t **error);

/**
 * Sets a parameter of a profile, in memory.
 *
 * Experimental: may change from release to release.
 *
 * @param profile The profile.
 * @param param The name of the parameter.
 * @param value The value, as text; null is an empty one.
 * @param error Receives the error, or null on success; free it with `tiledb_error_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_profile_set_param(tiledb_profile_t *profile,
                                       const char *param,
                                       const char *value,
                                       tiledb_error_t **error);

/**
 * Makes a query on an array, which must be open for `query_type`. It has the configuration of `ctx`, which need not be the
 * context of the array.
 *
 * The array may be closed or freed before the query; a submit then fails. Free the query with
 * `tiledb_query_free`.
 *
 * @param ctx The context that the query runs in; keeps the error if the call fails.
 * @param array An open array.
 * @param query_type What the query does; must be what the array is open for.
 * @param query Receives the query, which the caller owns.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_alloc(tiledb_ctx_t *ctx,
                           tiledb_array_t *array,
                           tiledb_query_type_t query_type,
                           struct tiledb_query_t **query);

/**
 * Frees a query and sets the pointer to null. Null is fine at both levels. A write in global order
 * that was not finalized leaves nothing behind.
 *
 * @param query The query to free.
 */
void tiledb_query_free(struct tiledb_query_t **query);

/**
 * Makes another handle of the array that the query was made for: closing the one closes the other.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param array Receives the array, which the caller owns.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_array(tiledb_ctx_t *ctx,
                               struct tiledb_query_t *query,
                               tiledb_array_t **array);

/**
 * Gets the statistics of the query, as JSON: what it counted and timed, not what others of its context did.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param stats_json Receives the text, empty where nothing was counted; free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_stats(tiledb_ctx_t *ctx,
                               struct tiledb_query_t *query,
                               char **stats_json);

/**
 * Tells what the query does.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param query_type Receives the query type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_type(tiledb_ctx_t *ctx,
                              struct tiledb_query_t *query,
                              tiledb_query_type_t *query_type);

/**
 * Finds the value of a text that `tiledb_query_type_to_str` gives.
 *
 * @param str The text.
 * @param query_type Receives the value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
 */
capi_return_t tiledb_query_type_from_str(const char *str,
                                         tiledb_query_type_t *query_type);

/**
 * Lends the text of what a query does, valid for ever.
 *
 * @param query_type The value.
 * @param str Receives the text.
 * @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
 */
capi_return_t tiledb_query_type_to_str(tiledb_query_type_t query_type,
                                       const char **str);

/**
 * Tells the buffer that was set for the values of a field.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param buffer Receives the buffer, null where none is set.
 * @param buffer_size Receives the pointer to its size in bytes, null where none is set.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_data_buffer(tiledb_ctx_t *ctx,
                                     struct tiledb_query_t *query,
                                     const char *name,
                                     void **buffer,
                                     uint64_t **buffer_size);

/**
 * Tells the buffer that was set for the offsets of a field.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param buffer Receives the buffer, null where none is set.
 * @param buffer_size Receives the pointer to its size in bytes, null where none is set.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_offsets_buffer(tiledb_ctx_t *ctx,
                                        struct tiledb_query_t *query,
                                        const char *name,
                                        uint64_t **buffer,
                                        uint64_t **buffer_size);

/**
 * Tells the buffer that was set for the validity of a field.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param buffer Receives the buffer, null where none is set.
 * @param buffer_size Receives the pointer to its size in bytes, null where none is set.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_validity_buffer(tiledb_ctx_t *ctx,
                                         struct tiledb_query_t *query,
                                         const char *name,
                                         uint8_t **buffer,
                                         uint64_t **buffer_size);

/**
 * Sets the buffer for the values of a field. The buffer stays the caller's and must outlive the
 * submits. For reads the size says how much room there is when the buffer is set, and each submit
 * overwrites it with what was delivered; for writes it says how many bytes to take at the submit.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param buffer The values.
 * @param buffer_size Its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_data_buffer(tiledb_ctx_t *ctx,
                                     struct tiledb_query_t *query,
                                     const char *name,
                                     void *buffer,
                                     uint64_t *buffer_size);

/**
 * Sets the buffer for the offsets of a field of variable length: where each cell starts in its
 * values, by default in bytes and as 64-bit integers (`sm.var_offsets.*`). The buffer stays the
 * caller's and must outlive the submits. For reads the size says how much room there is when the
 * buffer is set, and each submit overwrites it with what was delivered; for writes it says how
 * many bytes to take at the submit, eight for each offset: also for offsets of 32 bits, of which the
 * buffer then holds as many in half its size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param buffer The offsets.
 * @param buffer_size Its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_offsets_buffer(tiledb_ctx_t *ctx,
                                        struct tiledb_query_t *query,
                                        const char *name,
                                        uint64_t *buffer,
                                        uint64_t *buffer_size);

/**
 * Sets the buffer for the validity of a nullable attribute: a byte per cell, 0 for null. The
 * buffer stays the caller's and must outlive the submits. For reads the size says how much room
 * there is when the buffer is set, and each submit overwrites it with what was delivered; for
 * writes it says how many bytes to take at the submit.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param buffer The validity.
 * @param buffer_size Its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_validity_buffer(tiledb_ctx_t *ctx,
                                         struct tiledb_query_t *query,
                                         const char *name,
                                         uint8_t *buffer,
                                         uint64_t *buffer_size);

/**
 * Tells how many fragments a write has made.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param num Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_fragment_num(tiledb_ctx_t *ctx,
                                      const struct tiledb_query_t *query,
                                      uint32_t *num);

/**
 * Tells when a fragment that a write has made counts as written, in milliseconds since 1970.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param idx The index of the fragment, from 0.
 * @param t1 Receives the first time.
 * @param t2 Receives the last time.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_fragment_timestamp_range(tiledb_ctx_t *ctx,
                                                  const struct tiledb_query_t *query,
                                                  uint64_t idx,
                                                  uint64_t *t1,
                                                  uint64_t *t2);

/**
 * Lends the URI of a fragment that a write has made.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param idx The index of the fragment, from 0.
 * @param uri Receives the URI, valid as long as the query.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_fragment_uri(tiledb_ctx_t *ctx,
                                      const struct tiledb_query_t *query,
                                      uint64_t idx,
                                      const char **uri);

/**
 * Tells how many fragments the query has to look at.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param relevant_fragment_num Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_relevant_fragment_num(tiledb_ctx_t *ctx,
                                               const struct tiledb_query_t *query,
                                               uint64_t *relevant_fragment_num);

/**
 * Estimates how many bytes a read delivers for a field of fixed size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param size Receives the bytes of the values.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_est_result_size(tiledb_ctx_t *ctx,
                                         const struct tiledb_query_t *query,
                                         const char *name,
                                         uint64_t *size);

/**
 * Estimates how many bytes a read delivers for a nullable attribute of fixed size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param size_val Receives the bytes of the values.
 * @param size_validity Receives the bytes of the validity.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_est_result_size_nullable(tiledb_ctx_t *ctx,
                                                  const struct tiledb_query_t *query,
                                                  const char *name,
                                                  uint64_t *size_val,
                                                  uint64_t *size_validity);

/**
 * Estimates how many bytes a read delivers for a field of variable size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param size_off Receives the bytes of the offsets.
 * @param size_val Receives the bytes of the values.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_est_result_size_var(tiledb_ctx_t *ctx,
                                             const struct tiledb_query_t *query,
                                             const char *name,
                                             uint64_t *size_off,
                                             uint64_t *size_val);

/**
 * Estimates how many bytes a read delivers for a nullable attribute of variable size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param name The field: an attribute or a dimension.
 * @param size_off Receives the bytes of the offsets.
 * @param size_val Receives the bytes of the values.
 * @param size_validity Receives the bytes of the validity.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_est_result_size_var_nullable(tiledb_ctx_t *ctx,
                                                      const struct tiledb_query_t *query,
                                                      const char *name,
                                                      uint64_t *size_off,
                                                      uint64_t *size_val,
                                                      uint64_t *size_validity);

/**
 * Makes a copy of the configuration of the query.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param config Receives the configuration, which the caller owns.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_config(tiledb_ctx_t *ctx,
                                struct tiledb_query_t *query,
                                tiledb_config_t **config);

/**
 * Sets parameters for this query alone. Only before the first submit.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param config The configuration.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_config(tiledb_ctx_t *ctx,
                                struct tiledb_query_t *query,
                                tiledb_config_t *config);

/**
 * Tells the order of cells.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param query_layout Receives the layout.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_layout(tiledb_ctx_t *ctx,
                                struct tiledb_query_t *query,
                                tiledb_layout_t *query_layout);

/**
 * Sets the order of cells in the buffers. Default: row-major for dense arrays, unordered for
 * sparse ones. Only before the first submit.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param layout `TILEDB_ROW_MAJOR`, `TILEDB_COL_MAJOR`, `TILEDB_GLOBAL_ORDER` or
 *   `TILEDB_UNORDERED`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_layout(tiledb_ctx_t *ctx,
                                struct tiledb_query_t *query,
                                tiledb_layout_t layout);

/**
 * Makes a copy of what the query reads or writes.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param subarray Receives the subarray, which the caller owns.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_subarray_t(tiledb_ctx_t *ctx,
                                    const struct tiledb_query_t *query,
                                    tiledb_subarray_t **subarray);

/**
 * Sets what the query reads or writes; the query keeps a copy. Dense reads need one; dense writes
 * without one write the whole domain; sparse writes take none.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param subarray The subarray.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_subarray_t(tiledb_ctx_t *ctx,
                                    struct tiledb_query_t *query,
                                    const tiledb_subarray_t *subarray);

/**
 * Sets the condition that cells of a read, or of a delete, must meet; the query keeps a copy.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param cond The condition.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_set_condition(tiledb_ctx_t *ctx,
                                   struct tiledb_query_t *query,
                                   const struct tiledb_query_condition_t *cond);

/**
 * Adds the new value of a field to an update.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param field_name The attribute.
 * @param update_value The new value.
 * @param update_value_size Its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_add_update_value(tiledb_ctx_t *ctx,
                                      struct tiledb_query_t *query,
                                      const char *field_name,
                                      const void *update_value,
                                      uint64_t update_value_size);

/**
 * Reads or writes. A read that does not fit the buffers delivers what fits and stays incomplete:
 * empty the buffers and submit again for what follows. A write in global order takes the next
 * cells at each submit and ends with `tiledb_query_finalize`; other writes are complete, and
 * visible, when this returns.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_submit(tiledb_ctx_t *ctx,
                            struct tiledb_query_t *query);

/**
 * Submits the last cells of a write in global order and ends it. Nothing happens for null.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query, or null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_submit_and_finalize(tiledb_ctx_t *ctx,
                                         struct tiledb_query_t *query);

/**
 * Ends a write in global order and makes it visible. Nothing happens for other queries, and for null.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query, or null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_finalize(tiledb_ctx_t *ctx,
                              struct tiledb_query_t *query);

/**
 * Tells how far the query has come.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param status Receives the status.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_status(tiledb_ctx_t *ctx,
                                struct tiledb_query_t *query,
                                tiledb_query_status_t *status);

/**
 * Tells why the query is incomplete: buffers too small, or the memory budget.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param status_details Receives the reason.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_status_details(tiledb_ctx_t *ctx,
                                        struct tiledb_query_t *query,
                                        tiledb_query_status_details_t *status_details);

/**
 * Tells whether the last submit of a read delivered any cell.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param has_results Receives 1 or 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_has_results(tiledb_ctx_t *ctx,
                                 struct tiledb_query_t *query,
                                 int32_t *has_results);

/**
 * Finds the value of a text that `tiledb_query_status_to_str` gives.
 *
 * @param str The text.
 * @param query_status Receives the value.
 * @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
 */
int32_t tiledb_query_status_from_str(const char *str,
                                     tiledb_query_status_t *query_status);

/**
 * Lends the text of a query status, valid for ever.
 *
 * @param query_status The value.
 * @param str Receives the text.
 * @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
 */
int32_t tiledb_query_status_to_str(tiledb_query_status_t query_status,
                                   const char **str);

/**
 * Gives the operation that counts the cells a query selects.
 *
 * It needs no field. The object lives as long as the library and is not freed; `tiledb_aggregate_count` is the same.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param operation Receives the operation.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_aggregate_count_get(tiledb_ctx_t *ctx,
                                   const tiledb_channel_operation_t **operation);

/**
 * Frees an operation from `tiledb_create_unary_aggregate` and sets the pointer to null.
 *
 * The operation may be freed before the query that it was applied to. The operation of `tiledb_aggregate_count_get` is not
 * freed; only the pointer is set to null.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param op Pointer to the operation to free.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `op` or the handle that it points to is null.
 */
capi_return_t tiledb_aggregate_free(tiledb_ctx_t *ctx,
                                    tiledb_channel_operation_t **op);

/**
 * Has a query compute an operation and give the result under a name.
 *
 * Set a data buffer for that name, as for a field, and a validity buffer if the field is nullable. The result is there
 * once the query completes; until then the buffer holds nothing of use. A name may be given once, must not be that of
 * a field, and no operation can be added after the first submit.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param channel The channel of the query, from `tiledb_query_get_default_channel`.
 * @param output_field_name The name of the result; copied.
 * @param operation What to compute; may be applied to one channel only.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_channel_apply_aggregate(tiledb_ctx_t *ctx,
                                       tiledb_query_channel_t *channel,
                                       const char *output_field_name,
                                       const tiledb_channel_operation_t *operation);

/**
 * Gives the operator for the greatest value of a field.
 *
 * The result has the type of the field; it is null, or a fill value, where no cell was selected. The object lives as
 * long as the library and is not freed; `tiledb_channel_operator_max` is the same.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param op Receives the operator.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_channel_operator_max_get(tiledb_ctx_t *ctx,
                                        const tiledb_channel_operator_t **op);

/**
 * Gives the operator for the mean of a numeric field.
 *
 * The result is a `double`. The object lives as long as the library and is not freed; `tiledb_channel_operator_mean`
 * is the same.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param op Receives the operator.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_channel_operator_mean_get(tiledb_ctx_t *ctx,
                                         const tiledb_channel_operator_t **op);

/**
 * Gives the operator for the least value of a field.
 *
 * The result has the type of the field; it is null, or a fill value, where no cell was selected. The object lives as
 * long as the library and is not freed; `tiledb_channel_operator_min` is the same.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param op Receives the operator.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_channel_operator_min_get(tiledb_ctx_t *ctx,
                                        const tiledb_channel_operator_t **op);

/**
 * Gives the operator that counts the null cells of a nullable field.
 *
 * The result is a `uint64_t`. The object lives as long as the library and is not freed;
 * `tiledb_channel_operator_null_count` is the same.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param op Receives the operator.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_channel_operator_null_count_get(tiledb_ctx_t *ctx,
                                               const tiledb_channel_operator_t **op);

/**
 * Gives the operator for the sum of a numeric field.
 *
 * The result is an `int64_t` for signed integers, a `uint64_t` for unsigned ones, a `double` for reals. A sum beyond
 * the type stays at its end. The object lives as long as the library and is not freed; `tiledb_channel_operator_sum`
 * is the same.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param op Receives the operator.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_channel_operator_sum_get(tiledb_ctx_t *ctx,
                                        const tiledb_channel_operator_t **op);

/**
 * Binds an operator to a field of a query.
 *
 * It is an error if the field is unknown or has a type the operator cannot work on, as a sum of texts.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query whose field it is.
 * @param op The operator.
 * @param input_field_name The name of the field: an attribute or a dimension.
 * @param operation Receives the operation; free it with `tiledb_aggregate_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_create_unary_aggregate(tiledb_ctx_t *ctx,
                                      struct tiledb_query_t *query,
                                      const tiledb_channel_operator_t *op,
                                      const char *input_field_name,
                                      tiledb_channel_operation_t **operation);

/**
 * Frees the handle of a channel and sets the pointer to null. Operations that were applied to the channel stay with the query.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param channel Pointer to the channel to free.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `channel` or the handle that it points to is
 * null.
 */
capi_return_t tiledb_query_channel_free(tiledb_ctx_t *ctx,
                                        tiledb_query_channel_t **channel);

/**
 * Gives the channel that sees every cell a query selects.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query; a read.
 * @param channel Receives the channel; free it with `tiledb_query_channel_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_default_channel(tiledb_ctx_t *ctx,
                                         struct tiledb_query_t *query,
                                         tiledb_query_channel_t **channel);

/**
 * Makes a condition that says nothing yet; `tiledb_query_condition_init` says what.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param cond Receives the condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_condition_alloc(tiledb_ctx_t *ctx,
                                     struct tiledb_query_condition_t **cond);

/**
 * Makes a condition that a field is one of a set of values, or none of them.
 *
 * It is an error if the set is empty, if its size does not make whole values, or if `op` is another operator.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param field_name The name of the field; copied.
 * @param data The values, one after the other; copied. Labels, where the field uses an enumeration.
 * @param data_size Their size in bytes.
 * @param offsets Where each value starts, as `uint64_t` in bytes.
 * @param offests_size The size of the offsets in bytes.
 * @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
 * @param cond Receives the condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_query_condition_alloc_set_membership(tiledb_ctx_t *ctx,
                                                          const char *field_name,
                                                          const void *data,
                                                          uint64_t data_size,
                                                          const void *offsets,
                                                          uint64_t offests_size,
                                                          tiledb_query_condition_op_t op,
                                                          struct tiledb_query_condition_t **cond);

/**
 * Makes one condition of two.
 *
 * `TILEDB_NOT` takes one condition only: the left one, with null as the right one; or use
 * `tiledb_query_condition_negate`.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param left_cond One condition; stays the caller's.
 * @param right_cond The other; stays the caller's.
 * @param combination_op How they are combined.
 * @param combined_cond Receives the condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_condition_combine(tiledb_ctx_t *ctx,
                                       const struct tiledb_query_condition_t *left_cond,
                                       const struct tiledb_query_condition_t *right_cond,
                                       tiledb_query_condition_combination_op_t combination_op,
                                       struct tiledb_query_condition_t **combined_cond);

/**
 * Frees a condition. A query that it was set on keeps what it needs.
 *
 * Accepts null at both levels and leaves null behind.
 *
 * @param cond Where the condition is; set to null.
 */
void tiledb_query_condition_free(struct tiledb_query_condition_t **cond);

/**
 * Says what a condition compares: a field with a value.
 *
 * A null value with size 0 stands for null, for `TILEDB_EQ` and `TILEDB_NE` only; for a text that is not nullable, the
 * empty text is any pointer with size 0. Whether the field exists and the value fits is found out when the query runs.
 * It is an error if the condition says something already.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param cond A condition from `tiledb_query_condition_alloc`.
 * @param attribute_name The name of the field, an attribute or a dimension; copied.
 * @param condition_value The value; copied. A label, where the field uses an enumeration.
 * @param condition_value_size Its size in bytes.
 * @param op How they are compared; not `TILEDB_IN` or `TILEDB_NOT_IN`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_condition_init(tiledb_ctx_t *ctx,
                                    struct tiledb_query_condition_t *cond,
                                    const char *attribute_name,
                                    const void *condition_value,
                                    uint64_t condition_value_size,
                                    tiledb_query_condition_op_t op);

/**
 * Makes the opposite of a condition.
 *
 * A comparison with a null cell is false in both.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param cond The condition; stays as it is.
 * @param negated_cond Receives the opposite; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_condition_negate(tiledb_ctx_t *ctx,
                                      const struct tiledb_query_condition_t *cond,
                                      struct tiledb_query_condition_t **negated_cond);

/**
 * Says whether values of the condition are labels of an enumeration, which is the default, or the indexes that the
 * cells hold.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param cond The condition.
 * @param use_enumeration 1 for labels, 0 for indexes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_condition_set_use_enumeration(tiledb_ctx_t *ctx,
                                                   const struct tiledb_query_condition_t *cond,
                                                   int use_enumeration);

/**
 * Says how many values the field has per cell.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param field The field.
 * @param cell_val_num Receives the count; `TILEDB_VAR_NUM` for cells of variable size.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_field_cell_val_num(tiledb_ctx_t *ctx,
                                        tiledb_query_field_t *field,
                                        uint32_t *cell_val_num);

/**
 * Gives the channel that the field belongs to.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param field The field.
 * @param channel Receives the channel; free it with `tiledb_query_channel_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_field_channel(tiledb_ctx_t *ctx,
                                   tiledb_query_field_t *field,
                                   tiledb_query_channel_t **channel);

/**
 * Gives the type of the field's values.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param field The field.
 * @param type Receives the type.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_field_datatype(tiledb_ctx_t *ctx,
                                    tiledb_query_field_t *field,
                                    tiledb_datatype_t *type);

/**
 * Says whether cells of the field can be null, so that it needs a validity buffer.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param field The field.
 * @param nullable Receives 1 if they can, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_field_get_nullable(tiledb_ctx_t *ctx,
                                        tiledb_query_field_t *field,
                                        uint8_t *nullable);

/**
 * Says where the field comes from.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param field The field.
 * @param origin Receives the origin.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_field_origin(tiledb_ctx_t *ctx,
                                  tiledb_query_field_t *field,
                                  tiledb_field_origin_t *origin);

/**
 * Frees the handle of a query field and sets the pointer to null.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param field Pointer to the field to free.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `field` or the handle that it points to is
 * null.
 */
capi_return_t tiledb_query_field_free(tiledb_ctx_t *ctx,
                                      tiledb_query_field_t **field);

/**
 * Gives a field of a query by its name.
 *
 * It is an error if the query has no such field: no attribute, no dimension and no result of an aggregate.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param field_name The name of the field; `TILEDB_TIMESTAMPS` for the times of cells.
 * @param field Receives the field; free it with `tiledb_query_field_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_query_get_field(tiledb_ctx_t *ctx,
                                     struct tiledb_query_t *query,
                                     const char *field_name,
                                     tiledb_query_field_t **field);

/**
 * Returns the plan of a query as JSON: the array and its type, the strategy, the layout, the fields.
 *
 * The layout and the buffers of the query must be set, and the subarray of a dense read. The query is not submitted but
 * initialized: its status becomes `TILEDB_INITIALIZED`, and the layout, the subarray, the condition, the aggregates and the
 * configuration cannot be changed any more, nor buffers set for other fields.
 *
 * Experimental: may change from release to release.
 *
 * @param ctx The context; stores the error if the call fails.
 * @param query The query.
 * @param plan Set to a new string, which the caller frees with `tiledb_string_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_query_get_plan(tiledb_ctx_t *ctx,
                              struct tiledb_query_t *query,
                              tiledb_string_t **plan);

/**
 * Gives the encoding for its text.
 *
 * @param str The text, as "JSON".
 * @param serialization_type Receives the encoding.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
int32_t tiledb_serialization_type_from_str(const char *str,
                                           tiledb_serialization_type_t *serialization_type);

/**
 * Gives the text for an encoding, as "JSON".
 *
 * @param serialization_type The encoding.
 * @param str Receives the text, which lives as long as the library.
 * @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
 */
int32_t tiledb_serialization_type_to_str(tiledb_serialization_type_t serialization_type,
                                         const char **str);

/**
 * Makes a message of a configuration. Secrets are in it.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param config The configuration.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_config(tiledb_ctx_t *ctx,
                                const tiledb_config_t *config,
                                tiledb_serialization_type_t serialize_type,
                                int32_t client_side,
                                tiledb_buffer_t **buffer);

/**
 * Makes a configuration of a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param config Receives the configuration; free it with `tiledb_config_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_config(tiledb_ctx_t *ctx,
                                  const tiledb_buffer_t *buffer,
                                  tiledb_serialization_type_t serialize_type,
                                  int32_t client_side,
                                  tiledb_config_t **config);

/**
 * Makes a message of an array.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array(tiledb_ctx_t *ctx,
                               const tiledb_array_t *array,
                               tiledb_serialization_type_t serialize_type,
                               int32_t client_side,
                               tiledb_buffer_t **buffer);

/**
 * Makes an array of a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param array_uri Where the array is.
 * @param array Receives the array; free it with `tiledb_array_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array(tiledb_ctx_t *ctx,
                                 const tiledb_buffer_t *buffer,
                                 tiledb_serialization_type_t serialize_type,
                                 int32_t client_side,
                                 const char *array_uri,
                                 tiledb_array_t **array);

/**
 * Makes a message that opens an array.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer_list Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_open(tiledb_ctx_t *ctx,
                                    const tiledb_array_t *array,
                                    tiledb_serialization_type_t serialize_type,
                                    int32_t client_side,
                                    tiledb_buffer_t **buffer_list);

/**
 * Makes an open array of a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param array Receives the array; free it with `tiledb_array_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_open(tiledb_ctx_t *ctx,
                                      const tiledb_buffer_t *buffer,
                                      tiledb_serialization_type_t serialize_type,
                                      int32_t client_side,
                                      tiledb_array_t **array);

/**
 * Makes a message of the metadata of an array.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param serialization_type The encoding of the message.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_metadata(tiledb_ctx_t *ctx,
                                        const tiledb_array_t *array,
                                        tiledb_serialization_type_t serialization_type,
                                        tiledb_buffer_t **buffer);

/**
 * Sets the metadata of an array from a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param serialization_type The encoding of the message.
 * @param buffer The message.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_metadata(tiledb_ctx_t *ctx,
                                          tiledb_array_t *array,
                                          tiledb_serialization_type_t serialization_type,
                                          const tiledb_buffer_t *buffer);

/**
 * Makes a message of the non-empty domain of an array, for all dimensions.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_non_empty_domain_all_dimensions(tiledb_ctx_t *ctx,
                                                               const tiledb_array_t *array,
                                                               tiledb_serialization_type_t serialize_type,
                                                               int32_t client_side,
                                                               tiledb_buffer_t **buffer);

/**
 * Sets the non-empty domain of an array, for all dimensions, from a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_non_empty_domain_all_dimensions(tiledb_ctx_t *ctx,
                                                                 tiledb_array_t *array,
                                                                 const tiledb_buffer_t *buffer,
                                                                 tiledb_serialization_type_t serialize_type,
                                                                 int32_t client_side);

/**
 * Makes a message of a non-empty domain, for arrays whose dimensions have one type.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array that says which type.
 * @param nonempty_domain Both ends of each dimension, one after the other.
 * @param is_empty 1 if there are no cells, else 0.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_nonempty_domain(tiledb_ctx_t *ctx,
                                               const tiledb_array_t *array,
                                               const void *nonempty_domain,
                                               int32_t is_empty,
                                               tiledb_serialization_type_t serialize_type,
                                               int32_t client_side,
                                               tiledb_buffer_t **buffer);

/**
 * Reads a non-empty domain from a message, for arrays whose dimensions have one type.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array that says which type.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param nonempty_domain Receives both ends of each dimension, one after the other.
 * @param is_empty Receives 1 if there are no cells, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_nonempty_domain(tiledb_ctx_t *ctx,
                                                 const tiledb_array_t *array,
                                                 const tiledb_buffer_t *buffer,
                                                 tiledb_serialization_type_t serialize_type,
                                                 int32_t client_side,
                                                 void *nonempty_domain,
                                                 int32_t *is_empty);

/**
 * Always an error: the sizes it told are no longer supported.
 *
 * Deprecated: goes with a later release.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array.
 * @param subarray Not looked at.
 * @param serialize_type The encoding of the message.
 * @param buffer Not written.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_max_buffer_sizes(tiledb_ctx_t *ctx,
                                                const tiledb_array_t *array,
                                                const void *subarray,
                                                tiledb_serialization_type_t serialize_type,
                                                tiledb_buffer_t **buffer);

/**
 * Makes a message of a fragment info.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info, loaded.
 * @param serialization_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_fragment_info(tiledb_ctx_t *ctx,
                                       const tiledb_fragment_info_t *fragment_info,
                                       tiledb_serialization_type_t serialization_type,
                                       int32_t client_side,
                                       tiledb_buffer_t **buffer);

/**
 * Fills a fragment info from a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param array_uri Where the array is.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param fragment_info The fragment info to fill.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_fragment_info(tiledb_ctx_t *ctx,
                                         const tiledb_buffer_t *buffer,
                                         tiledb_serialization_type_t serialize_type,
                                         const char *array_uri,
                                         int32_t client_side,
                                         tiledb_fragment_info_t *fragment_info);

/**
 * Makes a message that asks for a fragment info.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fragment_info The fragment info to ask for.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_fragment_info_request(tiledb_ctx_t *ctx,
                                               const tiledb_fragment_info_t *fragment_info,
                                               tiledb_serialization_type_t serialize_type,
                                               int32_t client_side,
                                               tiledb_buffer_t **buffer);

/**
 * Sets, from a message, what a fragment info is asked for.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param fragment_info The fragment info to set it in.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_fragment_info_request(tiledb_ctx_t *ctx,
                                                 const tiledb_buffer_t *buffer,
                                                 tiledb_serialization_type_t serialize_type,
                                                 int32_t client_side,
                                                 tiledb_fragment_info_t *fragment_info);

/**
 * Makes a message of a group.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group, open.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer_list Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_group(tiledb_ctx_t *ctx,
                               const tiledb_group_t *group,
                               tiledb_serialization_type_t serialize_type,
                               int32_t client_side,
                               tiledb_buffer_t **buffer_list);

/**
 * Fills a group from a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param group The group to fill.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_group(tiledb_ctx_t *ctx,
                                 const tiledb_buffer_t *buffer,
                                 tiledb_serialization_type_t serialize_type,
                                 int32_t client_side,
                                 tiledb_group_t *group);

/**
 * Makes a message of the metadata of a group.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group, open.
 * @param serialization_type The encoding of the message.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_group_metadata(tiledb_ctx_t *ctx,
                                        const tiledb_group_t *group,
                                        tiledb_serialization_type_t serialization_type,
                                        tiledb_buffer_t **buffer);

/**
 * Sets the metadata of a group from a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param group The group.
 * @param serialization_type The encoding of the message.
 * @param buffer The message.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_group_metadata(tiledb_ctx_t *ctx,
                                          tiledb_group_t *group,
                                          tiledb_serialization_type_t serialization_type,
                                          const tiledb_buffer_t *buffer);

/**
 * Makes a message of the state of a query, in several buffers: those of the caller are not copied.
 *
 * The buffers of the query must stay as they are while the list is in use.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer_list Receives the list; free it with `tiledb_buffer_list_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_query(tiledb_ctx_t *ctx,
                               const struct tiledb_query_t *query,
                               tiledb_serialization_type_t serialize_type,
                               int32_t client_side,
                               tiledb_buffer_list_t **buffer_list);

/**
 * Sets the state of a query from a message.
 *
 * At the client, results go to the buffers that the query has.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param query The query to set it in; made for the same array.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_query(tiledb_ctx_t *ctx,
                                 const tiledb_buffer_t *buffer,
                                 tiledb_serialization_type_t serialize_type,
                                 int32_t client_side,
                                 struct tiledb_query_t *query);

/**
 * Makes a query, and the array it belongs to, of a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param array_uri Where the array is.
 * @param query Receives the query; free it with `tiledb_query_free`.
 * @param array Receives the array; free it with `tiledb_array_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_query_and_array(tiledb_ctx_t *ctx,
                                           const tiledb_buffer_t *buffer,
                                           tiledb_serialization_type_t serialize_type,
                                           int32_t client_side,
                                           const char *array_uri,
                                           struct tiledb_query_t **query,
                                           tiledb_array_t **array);

/**
 * Makes a message of the estimated sizes of the results of a query.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_query_est_result_sizes(tiledb_ctx_t *ctx,
                                                const struct tiledb_query_t *query,
                                                tiledb_serialization_type_t serialize_type,
                                                int32_t client_side,
                                                tiledb_buffer_t **buffer);

/**
 * Sets the estimated sizes of the results of a query from a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param query The query to set them in.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer The message.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_query_est_result_sizes(tiledb_ctx_t *ctx,
                                                  struct tiledb_query_t *query,
                                                  tiledb_serialization_type_t serialize_type,
                                                  int32_t client_side,
                                                  const tiledb_buffer_t *buffer);

/**
 * Answers, at the server, a request to delete fragments by name.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
 * @param serialization_type The encoding of the message.
 * @param request The message of the client.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_handle_array_delete_fragments_list_request(tiledb_ctx_t *ctx,
                                                                tiledb_array_t *array,
                                                                tiledb_serialization_type_t serialization_type,
                                                                const tiledb_buffer_t *request);

/**
 * Answers, at the server, a request to delete fragments by time.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
 * @param serialization_type The encoding of the message.
 * @param request The message of the client.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_handle_array_delete_fragments_timestamps_request(tiledb_ctx_t *ctx,
                                                                      tiledb_array_t *array,
                                                                      tiledb_serialization_type_t serialization_type,
                                                                      const tiledb_buffer_t *request);

/**
 * Answers, at the server, a request for a consolidation plan.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open for reading.
 * @param serialization_type The encoding of the message.
 * @param request The message of the client.
 * @param response Receives the answer; a buffer of the caller.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_handle_consolidation_plan_request(tiledb_ctx_t *ctx,
                                                       tiledb_array_t *array,
                                                       tiledb_serialization_type_t serialization_type,
                                                       const tiledb_buffer_t *request,
                                                       tiledb_buffer_t *response);

/**
 * Answers, at the server, a request for the schemas of an array.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @param serialization_type The encoding of the message.
 * @param request The message of the client.
 * @param response Receives the answer; a buffer of the caller.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_handle_load_array_schema_request(tiledb_ctx_t *ctx,
                                                      tiledb_array_t *array,
                                                      tiledb_serialization_type_t serialization_type,
                                                      const tiledb_buffer_t *request,
                                                      tiledb_buffer_t *response);

/**
 * Answers, at the server, a request for the enumerations of an array.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @param serialization_type The encoding of the message.
 * @param request The message of the client.
 * @param response Receives the answer; a buffer of the caller.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_handle_load_enumerations_request(tiledb_ctx_t *ctx,
                                                      tiledb_array_t *array,
                                                      tiledb_serialization_type_t serialization_type,
                                                      const tiledb_buffer_t *request,
                                                      tiledb_buffer_t *response);

/**
 * Answers, at the server, a request for the plan of a query.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array The array, open.
 * @param serialization_type The encoding of the message.
 * @param request The message of the client.
 * @param response Receives the answer; a buffer of the caller.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_handle_query_plan_request(tiledb_ctx_t *ctx,
                                               tiledb_array_t *array,
                                               tiledb_serialization_type_t serialization_type,
                                               const tiledb_buffer_t *request,
                                               tiledb_buffer_t *response);

/**
 * Makes a message of a schema.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema The schema.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_schema(tiledb_ctx_t *ctx,
                                      const tiledb_array_schema_t *array_schema,
                                      tiledb_serialization_type_t serialize_type,
                                      int32_t client_side,
                                      tiledb_buffer_t **buffer);

/**
 * Makes a schema of a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_schema(tiledb_ctx_t *ctx,
                                        const tiledb_buffer_t *buffer,
                                        tiledb_serialization_type_t serialize_type,
                                        int32_t client_side,
                                        tiledb_array_schema_t **array_schema);

/**
 * Makes a message of a list of changes to a schema.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array_schema_evolution The list.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param buffer Receives the message; free it with `tiledb_buffer_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_serialize_array_schema_evolution(tiledb_ctx_t *ctx,
                                                const struct tiledb_array_schema_evolution_t *array_schema_evolution,
                                                tiledb_serialization_type_t serialize_type,
                                                int32_t client_side,
                                                tiledb_buffer_t **buffer);

/**
 * Makes a list of changes to a schema of a message.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param array_schema_evolution Receives the list; free it with `tiledb_array_schema_evolution_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_schema_evolution(tiledb_ctx_t *ctx,
                                                  const tiledb_buffer_t *buffer,
                                                  tiledb_serialization_type_t serialize_type,
                                                  int32_t client_side,
                                                  struct tiledb_array_schema_evolution_t **array_schema_evolution);

/**
 * Makes of a message what is needed to create an array.
 *
 * Does not work yet: always an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param buffer The message.
 * @param serialize_type The encoding of the message.
 * @param client_side 1 if the caller is the client, 0 if it is the server.
 * @param storage_uri Receives where the array is to be stored; free it with `tiledb_string_free`.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_deserialize_array_create(tiledb_ctx_t *ctx,
                                        const tiledb_buffer_t *buffer,
                                        tiledb_serialization_type_t serialize_type,
                                        int32_t client_side,
                                        tiledb_string_t **storage_uri,
                                        tiledb_array_schema_t **array_schema);

/**
 * Stops counting and timing, in all contexts of the process, until `tiledb_stats_enable`. What was recorded stays.
 *
 * @return `TILEDB_OK`.
 */
int32_t tiledb_stats_disable(void);

/**
 * Writes the statistics to a stream: a JSON array with an object for each context alive that recorded something.
 *
 * @param out The stream; null for the standard output.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
int32_t tiledb_stats_dump(FILE *out);

/**
 * Gets the statistics as `tiledb_stats_dump` writes them.
 *
 * @param out Becomes the text. Free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
int32_t tiledb_stats_dump_str(char **out);

/**
 * Starts counting and timing again, in all contexts of the process, after `tiledb_stats_disable`; before, they are counted
 * and timed anyway.
 *
 * @return `TILEDB_OK`.
 */
int32_t tiledb_stats_enable(void);

/**
 * Frees a text of statistics.
 *
 * @param out The text; null afterwards. Null is fine at both levels.
 * @return `TILEDB_OK`.
 */
int32_t tiledb_stats_free_str(char **out);

/**
 * Tells whether `tiledb_stats_enable` was called, and not `tiledb_stats_disable` since. Statistics are recorded before either,
 * too.
 *
 * @param enabled Becomes 1 if it was, else 0.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
int32_t tiledb_stats_is_enabled(uint8_t *enabled);

/**
 * Writes the statistics to a stream; the same as `tiledb_stats_dump`.
 *
 * @param out The stream; null for the standard output.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
int32_t tiledb_stats_raw_dump(FILE *out);

/**
 * Gets the statistics as text; the same as `tiledb_stats_dump_str`.
 *
 * @param out Becomes the text. Free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
int32_t tiledb_stats_raw_dump_str(char **out);

/**
 * Forgets what was recorded, in all contexts.
 *
 * @return `TILEDB_OK`.
 */
int32_t tiledb_stats_reset(void);

/**
 * Frees a string.
 *
 * @param s The string; null afterwards.
 * @return `TILEDB_OK`; `TILEDB_ERR` if there was none.
 */
capi_return_t tiledb_string_free(tiledb_string_t **s);

/**
 * Gets the bytes of a string.
 *
 * @param s The string.
 * @param data Becomes the first byte; a zero follows the last. It belongs to the string and lasts until that is freed.
 * @param length Becomes the length in bytes, without the zero.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
capi_return_t tiledb_string_view(tiledb_string_t *s,
                                 const char **data,
                                 size_t *length);

/**
 * Makes a subarray: the ranges of each dimension that a query reads or writes. A new one is the
 * whole domain.
 *
 * The array must be open, and may be closed or freed before the subarray. Free it with
 * `tiledb_subarray_free`.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param array An open array.
 * @param subarray Receives the subarray, which the caller owns.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_alloc(tiledb_ctx_t *ctx,
                                    const tiledb_array_t *array,
                                    tiledb_subarray_t **subarray);

/**
 * Frees a subarray and sets the pointer to null. Null is fine at both levels.
 *
 * @param subarray The subarray to free.
 */
void tiledb_subarray_free(tiledb_subarray_t **subarray);

/**
 * Sets whether a range that begins right after the last one becomes one with it, as it does by
 * default. Only before the first range is added.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param coalesce_ranges 0 keeps ranges apart.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_set_coalesce_ranges(tiledb_ctx_t *ctx,
                                                  tiledb_subarray_t *subarray,
                                                  int coalesce_ranges);

/**
 * Sets how ranges out of the domain's bounds are treated, by `sm.read_range_oob`: `error` refuses
 * them, `warn` crops them to the domain.
 *
 * A new subarray refuses them.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param config The configuration.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_set_config(tiledb_ctx_t *ctx,
                                         tiledb_subarray_t *subarray,
                                         tiledb_config_t *config);

/**
 * Replaces all ranges by one per dimension. All dimensions must have one datatype of fixed size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param subarray_v Low and high end of each dimension, one after the other, both included.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_set_subarray(tiledb_ctx_t *ctx,
                                           tiledb_subarray_t *subarray,
                                           const void *subarray_v);

/**
 * Adds a range of one coordinate for each of `count` values of a dimension of fixed size.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param start The values, one after the other.
 * @param count How many.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_point_ranges(tiledb_ctx_t *ctx,
                                               tiledb_subarray_t *subarray,
                                               uint32_t dim_idx,
                                               const void *start,
                                               uint64_t count);

/**
 * Adds a range of one coordinate for each of the values of a dimension of variable size.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param start The values, one after the other.
 * @param start_size Their size in bytes.
 * @param start_offsets Where each value begins, in bytes.
 * @param start_offsets_size How many values there are.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_point_ranges_var(tiledb_ctx_t *ctx,
                                                   tiledb_subarray_t *subarray,
                                                   uint32_t dim_idx,
                                                   const void *start,
                                                   uint64_t start_size,
                                                   const uint64_t *start_offsets,
                                                   uint64_t start_offsets_size);

/**
 * Adds a range to a dimension of fixed size. The first range takes the place of the whole domain;
 * the order of adding is kept.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param start The low end, included; a value of the dimension's datatype.
 * @param end The high end, included.
 * @param stride Must be null; strides are not supported.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_range(tiledb_ctx_t *ctx,
                                        tiledb_subarray_t *subarray,
                                        uint32_t dim_idx,
                                        const void *start,
                                        const void *end,
                                        const void *stride);

/**
 * Adds a range to a dimension of fixed size, given by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param start The low end, included; a value of the dimension's datatype.
 * @param end The high end, included.
 * @param stride Must be null; strides are not supported.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_range_by_name(tiledb_ctx_t *ctx,
                                                tiledb_subarray_t *subarray,
                                                const char *dim_name,
                                                const void *start,
                                                const void *end,
                                                const void *stride);

/**
 * Adds a range to a dimension of variable size, such as text.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param start The low end, included; null with size 0 leaves it open.
 * @param start_size Its size in bytes.
 * @param end The high end, included; null with size 0 leaves it open.
 * @param end_size Its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_range_var(tiledb_ctx_t *ctx,
                                            tiledb_subarray_t *subarray,
                                            uint32_t dim_idx,
                                            const void *start,
                                            uint64_t start_size,
                                            const void *end,
                                            uint64_t end_size);

/**
 * Adds a range to a dimension of variable size, given by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param start The low end, included; null with size 0 leaves it open.
 * @param start_size Its size in bytes.
 * @param end The high end, included; null with size 0 leaves it open.
 * @param end_size Its size in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_range_var_by_name(tiledb_ctx_t *ctx,
                                                    tiledb_subarray_t *subarray,
                                                    const char *dim_name,
                                                    const void *start,
                                                    uint64_t start_size,
                                                    const void *end,
                                                    uint64_t end_size);

/**
 * Lends a range of a dimension of fixed size. The pointers are valid until a range is added or the
 * subarray is freed.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param range_idx The index of the range, in the order of adding.
 * @param start Receives a pointer to the low end.
 * @param end Receives a pointer to the high end.
 * @param stride Receives null; may be null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range(tiledb_ctx_t *ctx,
                                        const tiledb_subarray_t *subarray,
                                        uint32_t dim_idx,
                                        uint64_t range_idx,
                                        const void **start,
                                        const void **end,
                                        const void **stride);

/**
 * Lends a range of a dimension of fixed size, given by name. The pointers are valid until a range
 * is added or the subarray is freed.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range, in the order of adding.
 * @param start Receives a pointer to the low end.
 * @param end Receives a pointer to the high end.
 * @param stride Receives null; may be null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_from_name(tiledb_ctx_t *ctx,
                                                  const tiledb_subarray_t *subarray,
                                                  const char *dim_name,
                                                  uint64_t range_idx,
                                                  const void **start,
                                                  const void **end,
                                                  const void **stride);

/**
 * Tells how many ranges a dimension has.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param range_num Receives the number; 1 where no range was added.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_num(tiledb_ctx_t *ctx,
                                            const tiledb_subarray_t *subarray,
                                            uint32_t dim_idx,
                                            uint64_t *range_num);

/**
 * Tells how many ranges a dimension, given by name, has.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_num Receives the number; 1 where no range was added.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_num_from_name(tiledb_ctx_t *ctx,
                                                      const tiledb_subarray_t *subarray,
                                                      const char *dim_name,
                                                      uint64_t *range_num);

/**
 * Copies the ends of a range of a dimension of variable size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param range_idx The index of the range, in the order of adding.
 * @param start Receives the bytes of the low end; must have room for
 *   `tiledb_subarray_get_range_var_size`.
 * @param end Receives the bytes of the high end, likewise.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_var(tiledb_ctx_t *ctx,
                                            const tiledb_subarray_t *subarray,
                                            uint32_t dim_idx,
                                            uint64_t range_idx,
                                            void *start,
                                            void *end);

/**
 * Copies the ends of a range of a dimension of variable size, given by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range, in the order of adding.
 * @param start Receives the bytes of the low end; must have room for
 *   `tiledb_subarray_get_range_var_size`.
 * @param end Receives the bytes of the high end, likewise.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_var_from_name(tiledb_ctx_t *ctx,
                                                      const tiledb_subarray_t *subarray,
                                                      const char *dim_name,
                                                      uint64_t range_idx,
                                                      void *start,
                                                      void *end);

/**
 * Tells the sizes of the ends of a range of a dimension of variable size.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param range_idx The index of the range, in the order of adding.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_var_size(tiledb_ctx_t *ctx,
                                                 const tiledb_subarray_t *subarray,
                                                 uint32_t dim_idx,
                                                 uint64_t range_idx,
                                                 uint64_t *start_size,
                                                 uint64_t *end_size);

/**
 * Tells the sizes of the ends of a range of a dimension of variable size, given by name.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range, in the order of adding.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_range_var_size_from_name(tiledb_ctx_t *ctx,
                                                           const tiledb_subarray_t *subarray,
                                                           const char *dim_name,
                                                           uint64_t range_idx,
                                                           uint64_t *start_size,
                                                           uint64_t *end_size);

/**
 * Adds a range to a dimension by the values of one of its labels, of fixed size.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param label_name The name of the dimension label.
 * @param start The low end, included.
 * @param end The high end, included.
 * @param stride Must be null; strides are not supported.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_label_range(tiledb_ctx_t *ctx,
                                              tiledb_subarray_t *subarray,
                                              const char *label_name,
                                              const void *start,
                                              const void *end,
                                              const void *stride);

/**
 * Adds a range to a dimension by the values of one of its labels, of variable size.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param label_name The name of the dimension label.
 * @param start The low end, included.
 * @param start_size The size of the low end in bytes.
 * @param end The high end, included.
 * @param end_size The size of the high end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_add_label_range_var(tiledb_ctx_t *ctx,
                                                  tiledb_subarray_t *subarray,
                                                  const char *label_name,
                                                  const void *start,
                                                  uint64_t start_size,
                                                  const void *end,
                                                  uint64_t end_size);

/**
 * Lends the name of the label that the ranges of a dimension are given by.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param label_name Receives the name, valid as long as the subarray.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_label_name(tiledb_ctx_t *ctx,
                                             tiledb_subarray_t *subarray,
                                             uint32_t dim_idx,
                                             const char **label_name);

/**
 * Lends a range of a label of fixed size. The pointers are valid until a range is added or the subarray is freed.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param label_name The name of the dimension label.
 * @param range_idx The index of the range, in the order of adding.
 * @param start Receives a pointer to the low end.
 * @param end Receives a pointer to the high end.
 * @param stride Receives null; may be null.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_label_range(tiledb_ctx_t *ctx,
                                              const tiledb_subarray_t *subarray,
                                              const char *label_name,
                                              uint64_t range_idx,
                                              const void **start,
                                              const void **end,
                                              const void **stride);

/**
 * Tells how many ranges a label has.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param label_name The name of the dimension label.
 * @param range_num Receives the number.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_label_range_num(tiledb_ctx_t *ctx,
                                                  const tiledb_subarray_t *subarray,
                                                  const char *label_name,
                                                  uint64_t *range_num);

/**
 * Copies the ends of a range of a label of variable size.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param label_name The name of the dimension label.
 * @param range_idx The index of the range, in the order of adding.
 * @param start Receives the bytes of the low end.
 * @param end Receives the bytes of the high end.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_label_range_var(tiledb_ctx_t *ctx,
                                                  const tiledb_subarray_t *subarray,
                                                  const char *label_name,
                                                  uint64_t range_idx,
                                                  void *start,
                                                  void *end);

/**
 * Tells the sizes of the ends of a range of a label of variable size.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param label_name The name of the dimension label.
 * @param range_idx The index of the range, in the order of adding.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_get_label_range_var_size(tiledb_ctx_t *ctx,
                                                       const tiledb_subarray_t *subarray,
                                                       const char *label_name,
                                                       uint64_t range_idx,
                                                       uint64_t *start_size,
                                                       uint64_t *end_size);

/**
 * Tells whether the ranges of a dimension are given by one of its labels.
 *
 * Status: experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension, from 0.
 * @param has_label_range Receives 1 or 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_subarray_has_label_ranges(tiledb_ctx_t *ctx,
                                               const tiledb_subarray_t *subarray,
                                               uint32_t dim_idx,
                                               int32_t *has_label_range);

/**
 * Tells how the library was built: a JSON object that says which storage and which features it has.
 *
 * Experimental.
 *
 * @param out Becomes a new string. Free it with `tiledb_string_free`.
 * @return `TILEDB_OK` or `TILEDB_ERR`.
 */
capi_return_t tiledb_as_built_dump(tiledb_string_t **out);

/**
 * Does nothing: there is no profiler of the heap in the library, and tools such as heaptrack see all it allocates. It is
 * here for programs that call it.
 *
 * @param file_name_prefix Ignored.
 * @param dump_interval_ms Ignored.
 * @param dump_interval_bytes Ignored.
 * @param dump_threshold_bytes Ignored.
 * @return `TILEDB_OK`.
 */
int32_t tiledb_heap_profiler_enable(const char *file_name_prefix,
                                    uint64_t dump_interval_ms,
                                    uint64_t dump_interval_bytes,
                                    uint64_t dump_threshold_bytes);

/**
 * Writes a warning to the log, where `config.logging_level` is 2 or more.
 *
 * Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param message The text of the warning.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_log_warn(tiledb_ctx_t *ctx,
                              const char *message);

/**
 * Gets the longest length of a path.
 *
 * @return The length in bytes.
 */
uint32_t tiledb_max_path(void);

/**
 * Gets the size of an offset into values of variable length, where it is not configured otherwise.
 *
 * @return The size in bytes.
 */
uint64_t tiledb_offset_size(void);

/**
 * Gets the code of a status, which is the status itself.
 *
 * @param x What a function returned.
 * @return The same.
 */
capi_status_t tiledb_status_code(capi_return_t x);

/**
 * Gets the time as timestamps have it.
 *
 * @return Milliseconds since 1970-01-01 00:00 UTC.
 */
uint64_t tiledb_timestamp_now_ms(void);

/**
 * Gets the name of the field that holds the times at which cells were written.
 *
 * @return The name, which lasts for ever.
 */
const char *tiledb_timestamps(void);

/**
 * Converts the URI of a local file to its path. What is no URI of a local file is copied as it is; `mem://` is left off.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param uri The URI.
 * @param path_out Where the path goes, with a zero behind it.
 * @param path_length The size of `path_out` in bytes; becomes the length of the path without the zero, or 0 if it has no
 *     room there or the URI is of no known kind.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
int32_t tiledb_uri_to_path(tiledb_ctx_t *ctx,
                           const char *uri,
                           char *path_out,
                           uint32_t *path_length);

/**
 * Gets the number of values per cell that stands for "as many as there are".
 *
 * @return The number.
 */
uint32_t tiledb_var_num(void);

/**
 * Gets the version of libtiledb whose interface the library has.
 *
 * @param major Becomes the major version; null if it is not wanted, as for the others.
 * @param minor Becomes the minor version.
 * @param rev Becomes the patch version.
 */
void tiledb_version(int32_t *major,
                    int32_t *minor,
                    int32_t *rev);

/**
 * Makes a virtual file system.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param config What was set in it outranks the configuration of the context. It stays the caller's; null for none.
 * @param vfs Where the new file system goes. Free it with `tiledb_vfs_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_alloc(tiledb_ctx_t *ctx,
                               tiledb_config_t *config,
                               tiledb_vfs_t **vfs);

/**
 * Frees a virtual file system. Files that are open stay usable.
 *
 * @param vfs The file system; null afterwards. Null is fine at both levels.
 */
void tiledb_vfs_free(tiledb_vfs_t **vfs);

/**
 * Gets a copy of the configuration of a file system.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param config Where the copy goes. Free it with `tiledb_config_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_get_config(tiledb_ctx_t *ctx,
                                    tiledb_vfs_t *vfs,
                                    tiledb_config_t **config);

/**
 * Makes a bucket in an object store. Local files and files in memory have none: an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The bucket.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_create_bucket(tiledb_ctx_t *ctx,
                                       tiledb_vfs_t *vfs,
                                       const char *uri);

/**
 * Removes everything from a bucket. Local files and files in memory have none: an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The bucket.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_empty_bucket(tiledb_ctx_t *ctx,
                                      tiledb_vfs_t *vfs,
                                      const char *uri);

/**
 * Tells whether there is a bucket. Local files and files in memory have none: an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The bucket.
 * @param is_bucket Becomes 1 if there is one, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_is_bucket(tiledb_ctx_t *ctx,
                                   tiledb_vfs_t *vfs,
                                   const char *uri,
                                   int32_t *is_bucket);

/**
 * Tells whether a bucket is empty. Local files and files in memory have none: an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The bucket.
 * @param is_empty Becomes 1 if nothing is in it, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_is_empty_bucket(tiledb_ctx_t *ctx,
                                         tiledb_vfs_t *vfs,
                                         const char *uri,
                                         int32_t *is_empty);

/**
 * Removes a bucket. Local files and files in memory have none: an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The bucket.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_remove_bucket(tiledb_ctx_t *ctx,
                                       tiledb_vfs_t *vfs,
                                       const char *uri);

/**
 * Copies a file, within a storage or from one to another.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param old_uri The file.
 * @param new_uri The place of the copy; a file that is there is replaced.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_copy_file(tiledb_ctx_t *ctx,
                                   tiledb_vfs_t *vfs,
                                   const char *old_uri,
                                   const char *new_uri);

/**
 * Gets the size of a file.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The file.
 * @param size Becomes the size, in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_file_size(tiledb_ctx_t *ctx,
                                   tiledb_vfs_t *vfs,
                                   const char *uri,
                                   uint64_t *size);

/**
 * Tells whether there is a file.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The place.
 * @param is_file Becomes 1 if a file is there, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_is_file(tiledb_ctx_t *ctx,
                                 tiledb_vfs_t *vfs,
                                 const char *uri,
                                 int32_t *is_file);

/**
 * Gives a file another place in the same storage.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param old_uri The file.
 * @param new_uri Its new place; a file that is there is replaced.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_move_file(tiledb_ctx_t *ctx,
                                   tiledb_vfs_t *vfs,
                                   const char *old_uri,
                                   const char *new_uri);

/**
 * Removes a file. A missing one is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The file.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_remove_file(tiledb_ctx_t *ctx,
                                     tiledb_vfs_t *vfs,
                                     const char *uri);

/**
 * Makes an empty file, unless there is one. It is on disk then.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The file.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_touch(tiledb_ctx_t *ctx,
                               tiledb_vfs_t *vfs,
                               const char *uri);

/**
 * Copies a directory and all in it.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param old_uri The directory.
 * @param new_uri The place of the copy; files that are there are replaced.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_copy_dir(tiledb_ctx_t *ctx,
                                  tiledb_vfs_t *vfs,
                                  const char *old_uri,
                                  const char *new_uri);

/**
 * Makes a directory and those above it. An existing one is fine.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The directory.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_create_dir(tiledb_ctx_t *ctx,
                                    tiledb_vfs_t *vfs,
                                    const char *uri);

/**
 * Adds up the sizes of all files below a directory.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The directory.
 * @param size Becomes the sum, in bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_dir_size(tiledb_ctx_t *ctx,
                                  tiledb_vfs_t *vfs,
                                  const char *uri,
                                  uint64_t *size);

/**
 * Tells whether there is a directory.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The place.
 * @param is_dir Becomes 1 if a directory is there, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_is_dir(tiledb_ctx_t *ctx,
                                tiledb_vfs_t *vfs,
                                const char *uri,
                                int32_t *is_dir);

/**
 * Gives a directory another place in the same storage.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param old_uri The directory.
 * @param new_uri Its new place; the directories above are made.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_move_dir(tiledb_ctx_t *ctx,
                                  tiledb_vfs_t *vfs,
                                  const char *old_uri,
                                  const char *new_uri);

/**
 * Removes a directory and all in it. A missing one is an error.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The directory.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_remove_dir(tiledb_ctx_t *ctx,
                                    tiledb_vfs_t *vfs,
                                    const char *uri);

/**
 * Ends the use of an open file. What was written is on disk then, and a file opened for writing exists, empty perhaps.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fh The file. It is still to be freed with `tiledb_vfs_fh_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_close(tiledb_ctx_t *ctx,
                               tiledb_vfs_fh_t *fh);

/**
 * Frees the handle of a file. One that was written to is to be closed first: this call does not tell of errors.
 *
 * @param fh The file; null afterwards. Null is fine at both levels.
 */
void tiledb_vfs_fh_free(tiledb_vfs_fh_t **fh);

/**
 * Tells whether a file was closed.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fh The file.
 * @param is_closed Becomes 1 if it was closed, else 0.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_fh_is_closed(tiledb_ctx_t *ctx,
                                      tiledb_vfs_fh_t *fh,
                                      int32_t *is_closed);

/**
 * Gets the mode of a name, such as "VFS_READ".
 *
 * @param str The name.
 * @param vfs_mode Becomes the mode.
 * @return `TILEDB_OK`; `TILEDB_ERR` for an unknown name.
 */
capi_return_t tiledb_vfs_mode_from_str(const char *str,
                                       tiledb_vfs_mode_t *vfs_mode);

/**
 * Gets the name of a mode.
 *
 * @param vfs_mode The mode.
 * @param str Becomes the name, which lasts for ever; an empty text for an unknown mode.
 * @return `TILEDB_OK`; `TILEDB_ERR` for an unknown mode.
 */
capi_return_t tiledb_vfs_mode_to_str(tiledb_vfs_mode_t vfs_mode,
                                     const char **str);

/**
 * Opens a file. For reading it must be there; opening for writing removes it, and it comes back with the first write or
 * with closing; for appending it may be there.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param uri The file.
 * @param mode What it is opened for.
 * @param fh Where the handle goes. Close it with `tiledb_vfs_close`, then free it with `tiledb_vfs_fh_free`.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_open(tiledb_ctx_t *ctx,
                              tiledb_vfs_t *vfs,
                              const char *uri,
                              tiledb_vfs_mode_t mode,
                              tiledb_vfs_fh_t **fh);

/**
 * Reads from an open file.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fh The file.
 * @param offset Where to start, in bytes from the start of the file.
 * @param buffer Where the bytes go.
 * @param nbytes How many bytes; fewer in the file is an error.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_read(tiledb_ctx_t *ctx,
                              tiledb_vfs_fh_t *fh,
                              uint64_t offset,
                              void *buffer,
                              uint64_t nbytes);

/**
 * Puts what was written to an open file on disk.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fh The file.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_sync(tiledb_ctx_t *ctx,
                              tiledb_vfs_fh_t *fh);

/**
 * Writes behind what an open file holds.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param fh The file.
 * @param buffer The bytes; they are no longer needed afterwards.
 * @param nbytes How many bytes.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_write(tiledb_ctx_t *ctx,
                               tiledb_vfs_fh_t *fh,
                               const void *buffer,
                               uint64_t nbytes);

/**
 * Lists what is in a directory, sorted. A missing directory has nothing in it.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param path The directory.
 * @param callback Called with the URI of each object, valid for the call, and `data`. It answers 1 to go on, -1 to fail
 *     the listing, anything else to end it.
 * @param data Handed to the callback.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_ls(tiledb_ctx_t *ctx,
                            tiledb_vfs_t *vfs,
                            const char *path,
                            int32_t (*callback)(const char*,
                                                void*),
                            void *data);

/**
 * Lists all that is below a directory: a directory, then what is in it. Symbolic links are not followed.
 *
 * Deprecated: `tiledb_vfs_ls_recursive_v2` tells directories apart.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param path The directory; a missing one is an error.
 * @param callback Called with the URI of each object, its length, the size of the object in bytes (0 for a directory), and
 *     `data`. The URI is valid for the call. It answers 1 to go on, 0 to end the listing, -1 to fail it.
 * @param data Handed to the callback.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_ls_recursive(tiledb_ctx_t *ctx,
                                      tiledb_vfs_t *vfs,
                                      const char *path,
                                      tiledb_ls_callback_t callback,
                                      void *data);

/**
 * Lists all that is below a directory: a directory, then what is in it. Symbolic links are not followed.
 *
 * Experimental.
 *
 * @param ctx The context; keeps the error if the call fails.
 * @param vfs The file system.
 * @param path The directory; a missing one is an error.
 * @param callback Called with the URI of each object, its length, the size of the object in bytes, 1 for a directory or 0
 *     for a file, and `data`. The URI is valid for the call. It answers 1 to go on, 0 to end the listing, -1 to fail it.
 * @param data Handed to the callback.
 * @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
 */
capi_return_t tiledb_vfs_ls_recursive_v2(tiledb_ctx_t *ctx,
                                         tiledb_vfs_t *vfs,
                                         const char *path,
                                         tiledb_ls_callback_v2_t callback,
                                         void *data);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TILEDB_RS_H */
