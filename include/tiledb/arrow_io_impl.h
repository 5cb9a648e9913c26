/**
 * @file arrow_io_impl.h
 * The implementation of `<tiledb/arrowio>`.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_ARROW_H
#define TILEDB_ARROW_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrowio"
#include "arrow_c_data.h"
#include "arrow_types.h"

/** Creates an error of a message. */
#define TDB_LERROR tiledb::TileDBError

namespace tiledb::impl {

/** Access to the buffers of a query in bytes. */
class QueryBytes {
 public:
  /**
   * Keeps the memory of offsets until others are kept for the field or the query is destroyed.
   *
   * @param query The query.
   * @param name The field.
   * @param memory The memory.
   */
  static void keep_offsets(Query& query, const std::string& name, std::shared_ptr<void> memory) {
    if (query.state() != nullptr)
      query.state_->at(name).offsets_memory = std::move(memory);
  }

  /**
   * Keeps the memory of validity values until others are kept for the field or the query is
   * destroyed.
   *
   * @param query The query.
   * @param name The field.
   * @param memory The memory.
   */
  static void keep_validity(Query& query, const std::string& name, std::shared_ptr<void> memory) {
    if (query.state() != nullptr)
      query.state_->at(name).validity_memory = std::move(memory);
  }

  /** Returns the size of the offsets. @param query The query. @param name The field. */
  static uint64_t offsets_size(const Query& query, const std::string& name) {
    return query.state() == nullptr ? 0 : query.state_->at(name).offsets_size;
  }

  /** Returns the size of the values. @param query The query. @param name The field. */
  static uint64_t data_size(const Query& query, const std::string& name) {
    return query.state() == nullptr ? 0 : query.state_->at(name).data_size;
  }
};

}  // namespace tiledb::impl

namespace tiledb::arrow {

/**
 * An Arrow type and the memory it refers to. It is given to a consumer by export_ptr() and deletes
 * itself on release.
 */
struct CPPArrowSchema {
  /**
   * Creates a type.
   * @param name The name of the field.
   * @param format The format string.
   * @param metadata Metadata in Arrow's encoding.
   * @param flags ARROW_FLAG_*.
   * @param children The types of children, which are released with this one.
   * @param dictionary The type of dictionary values.
   */
  CPPArrowSchema(std::string name, std::string format, std::optional<std::string> metadata, int64_t flags,
      std::vector<ArrowSchema*> children, std::shared_ptr<CPPArrowSchema> dictionary)
      : format_(std::move(format))
      , name_(std::move(name))
      , metadata_(std::move(metadata))
      , children_(std::move(children))
      , dictionary_(std::move(dictionary)) {
    schema_.format = format_.c_str();
    schema_.name = name_.c_str();
    schema_.metadata = metadata_ ? metadata_->c_str() : nullptr;
    schema_.flags = flags;
    schema_.n_children = static_cast<int64_t>(children_.size());
    schema_.children = children_.empty() ? nullptr : children_.data();
    schema_.dictionary = dictionary_ == nullptr ? nullptr : dictionary_->ptr();
    schema_.release = release;
    schema_.private_data = this;
  }

  CPPArrowSchema(const CPPArrowSchema&) = delete;
  CPPArrowSchema& operator=(const CPPArrowSchema&) = delete;

  /**
   * Gives the type to a consumer, whose release deletes this object.
   * @param out_schema The consumer's structure.
   */
  void export_ptr(ArrowSchema* out_schema) {
    *out_schema = schema_;
  }

  /** Returns the type, valid as long as this object. */
  ArrowSchema* mutable_ptr() {
    return &schema_;
  }

  /** Returns the type, valid as long as this object. */
  ArrowSchema* ptr() const {
    return &schema_;
  }

 private:
  mutable ArrowSchema schema_{};
  std::string format_;
  std::string name_;
  std::optional<std::string> metadata_;
  std::vector<ArrowSchema*> children_;
  std::shared_ptr<CPPArrowSchema> dictionary_;

  static void release(ArrowSchema* schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
      ArrowSchema* child = schema->children[i];
      if (child != nullptr && child->release != nullptr)
        child->release(child);
    }
    schema->release = nullptr;
    delete static_cast<CPPArrowSchema*>(schema->private_data);
  }
};

/**
 * Arrow data and the memory it refers to. It is given to a consumer by export_ptr() and deletes
 * itself on release.
 */
struct CPPArrowArray {
  /**
   * Makes data.
   * @param elem_num The number of values.
   * @param null_num The number of nulls.
   * @param offset The position of the first value.
   * @param children The data of children, which are given to the consumer with this one.
   * @param buffers The buffers, which must stay valid until the data is released.
   */
  CPPArrowArray(int64_t elem_num, int64_t null_num, int64_t offset,
      std::vector<std::shared_ptr<CPPArrowArray>> children, std::vector<void*> buffers)
      : children_(std::move(children))
      , buffers_(buffers.begin(), buffers.end()) {
    for (const auto& child : children_)
      child_pointers_.push_back(child->ptr());
    array_.length = elem_num;
    array_.null_count = null_num;
    array_.offset = offset;
    array_.n_buffers = static_cast<int64_t>(buffers_.size());
    array_.n_children = static_cast<int64_t>(children_.size());
    array_.buffers = buffers_.data();
    array_.children = child_pointers_.empty() ? nullptr : child_pointers_.data();
    array_.release = release;
    array_.private_data = this;
  }

  CPPArrowArray(const CPPArrowArray&) = delete;
  CPPArrowArray& operator=(const CPPArrowArray&) = delete;

  /**
   * Gives the data to a consumer, whose release deletes this object.
   * @param out_array The consumer's structure.
   */
  void export_ptr(ArrowArray* out_array) {
    *out_array = array_;
  }

  /** Returns the data, valid as long as this object. */
  ArrowArray* ptr() const {
    return &array_;
  }

  /** Returns the data, valid as long as this object. */
  ArrowArray* mutable_ptr() {
    return &array_;
  }

  /** Keeps memory until the data is released. @param memory The memory. */
  void keep(std::shared_ptr<void> memory) {
    kept_.push_back(std::move(memory));
  }

 private:
  mutable ArrowArray array_{};
  std::vector<std::shared_ptr<CPPArrowArray>> children_;
  std::vector<ArrowArray*> child_pointers_;
  std::vector<const void*> buffers_;
  std::vector<std::shared_ptr<void>> kept_;

  static void release(ArrowArray* array) {
    array->release = nullptr;
    delete static_cast<CPPArrowArray*>(array->private_data);
  }
};

/** Sets buffers of a query to those of Arrow arrays. */
class ArrowImporter {
 public:
  /** Refers to a query. @param query The query, which must outlive this object. */
  ArrowImporter(Query* const query)
      : query_(query) {
  }

  /**
   * Sets the buffers of a field.
   * @param name The name of the field.
   * @param array The data, which must stay valid as long as it is set.
   * @param schema The type.
   * @throws TileDBError if the format has no counterpart or the query does not accept the buffers.
   */
  void import_(std::string name, ArrowArray* array, ArrowSchema* schema) {
    const TypeInfo type = arrow_type_to_tiledb(schema);
    if (array->length < 0 || array->offset < 0)
      throw TDB_LERROR("[TileDB-Arrow]: An array has a negative length or offset");
    const uint64_t number = static_cast<uint64_t>(array->length);
    const uint64_t first = static_cast<uint64_t>(array->offset);
    const bool is_var = type.cell_val_num == tiledb::impl::var_num;
    if (array->n_buffers != (is_var ? 3 : 2))
      throw TDB_LERROR("[TileDB-Arrow]: An array of format '" + std::string(schema->format) + "' has " +
          std::to_string(array->n_buffers) + " buffers");
    auto* values = static_cast<uint8_t*>(const_cast<void*>(array->buffers[is_var ? 2 : 1]));
    if (!is_var)
      query_->set_data_buffer(name, static_cast<void*>(values + first * type.elem_size), number);
    else if (type.arrow_large)
      import_strings(name, static_cast<const uint64_t*>(array->buffers[1]) + first, number, values);
    else
      import_strings(name, static_cast<const uint32_t*>(array->buffers[1]) + first, number, values);
    const void* bitmap = type.nullable ? array->buffers[0] : nullptr;
    if (bitmap != nullptr || is_nullable(name))
      import_validity(name, static_cast<const uint8_t*>(bitmap), array->offset, number);
  }

 private:
  Query* const query_;

  bool is_nullable(const std::string& name) const {
    const ArraySchema schema = query_->array().schema();
    return schema.has_attribute(name) && schema.attribute(name).nullable();
  }

  /** Sets values and offsets. Offsets that the query takes as they are in Arrow are not copied. */
  template <typename Offset>
  void import_strings(const std::string& name, const Offset* offsets, uint64_t number, uint8_t* values) {
    static constexpr Offset no_strings[] = {0};
    if (offsets == nullptr && number == 0)
      offsets = no_strings;
    const Config config = query_->config();
    const bool narrow = config.get("sm.var_offsets.bitsize") == "32";
    const uint64_t wanted = number + (config.get("sm.var_offsets.extra_element") == "true" ? 1 : 0);
    query_->set_data_buffer(name, static_cast<void*>(values), offsets[number]);
    if (narrow == (sizeof(Offset) == 4)) {
      set_offsets(name, const_cast<Offset*>(offsets), wanted);
    } else if (narrow) {
      set_copied_offsets<uint32_t>(name, offsets, wanted);
    } else {
      set_copied_offsets<uint64_t>(name, offsets, wanted);
    }
  }

  /** Sets the offsets. A write counts 8 bytes for each of them, also if they have 32 bits. */
  template <typename Offset>
  void set_offsets(const std::string& name, Offset* offsets, uint64_t number) {
    query_->set_offsets_buffer(name, reinterpret_cast<uint64_t*>(offsets), number);
  }

  // Copies have an element more than is used: an empty vector has no address, which queries refuse.

  template <typename To, typename From>
  void set_copied_offsets(const std::string& name, const From* offsets, uint64_t number) {
    auto copied = std::make_shared<std::vector<To>>(number + 1);
    for (uint64_t i = 0; i < number; i++)
      (*copied)[i] = static_cast<To>(offsets[i]);
    set_offsets(name, copied->data(), number);
    tiledb::impl::QueryBytes::keep_offsets(*query_, name, std::move(copied));
  }

  /** Sets the validity values. Without a bitmap no value is null. */
  void import_validity(const std::string& name, const uint8_t* bitmap, int64_t first, uint64_t number) {
    auto bytes = std::make_shared<std::vector<uint8_t>>(number + 1, uint8_t{1});
    for (uint64_t i = 0; i < number && bitmap != nullptr; i++)
      (*bytes)[i] = static_cast<uint8_t>(bitmap_get(bitmap, first + static_cast<int64_t>(i)));
    query_->set_validity_buffer(name, bytes->data(), number);
    tiledb::impl::QueryBytes::keep_validity(*query_, name, std::move(bytes));
  }
};

/** Makes Arrow arrays of the buffers of a query. */
class ArrowExporter {
 public:
  /** Refers to a query. @param query The query, which must outlive this object. */
  ArrowExporter(Context* const, Query* const query)
      : query_(query) {
  }

  /**
   * Exports a field.
   * @param name The name of the field.
   * @param array Is overwritten; the caller releases it.
   * @param schema Is overwritten; the caller releases it.
   * @throws TileDBError if the field has no results or its datatype has no counterpart.
   */
  void export_(const std::string& name, ArrowArray* array, ArrowSchema* schema) {
    const BufferInfo info = buffer_info(name);
    if (schema == nullptr || array == nullptr)
      throw TDB_LERROR("ArrowExporter: received invalid pointer to output array or schema.");
    const ArrowInfo format = tiledb_buffer_arrow_fmt(info);
    std::vector<std::shared_ptr<void>> kept;
    std::vector<void*> buffers{nullptr};
    uint64_t number = info.data_num;
    check_counterpart(name, info);
    if (info.is_var) {
      number = cell_num(info);
      buffers.push_back(arrow_offsets(info, name, kept));
    }
    buffers.push_back(info.data);
    int64_t nulls = 0;
    if (info.is_nullable) {
      auto bitmap = std::make_shared<std::vector<uint8_t>>(info.validity, info.validity + number);
      nulls = bytemap_to_bitmap(bitmap->data(), static_cast<int64_t>(number));
      buffers[0] = bitmap->data();
      kept.push_back(std::move(bitmap));
    }
    auto type = std::make_unique<CPPArrowSchema>(name, format.fmt_, std::nullopt, flags_for_buffer(info),
        std::vector<ArrowSchema*>(), nullptr);
    auto data = std::make_unique<CPPArrowArray>(static_cast<int64_t>(number), nulls, 0,
        std::vector<std::shared_ptr<CPPArrowArray>>(), std::move(buffers));
    for (auto& memory : kept)
      data->keep(std::move(memory));
    type.release()->export_ptr(schema);
    data.release()->export_ptr(array);
  }

  /**
   * Returns the buffers of a field.
   * @param name The name of the field.
   * @throws TileDBError if it has no results.
   */
  BufferInfo buffer_info(const std::string& name) {
    const TypeInfo type = tiledb_dt_info(query_->array().schema(), name);
    BufferInfo info{};
    info.tdbtype = type;
    info.is_var = type.cell_val_num == tiledb::impl::var_num;
    info.is_nullable = type.nullable;
    info.offsets_num = 1;
    info.offsets_elem_size = query_->config().get("sm.var_offsets.bitsize") == "32" ? 4 : 8;
    const auto results = query_->result_buffer_elements();
    if (results.find(name) == results.end())
      throw TDB_LERROR("No results found for attribute '" + name + "'");
    query_->get_data_buffer(name, &info.data, &info.data_num, &info.data_elem_size);
    if (info.is_var) {
      uint64_t* offsets = nullptr;
      query_->get_offsets_buffer(name, &offsets, &info.offsets_num);
      info.offsets = offsets;
      info.offsets_num = tiledb::impl::QueryBytes::offsets_size(*query_, name) / info.offsets_elem_size;
    }
    if (info.is_nullable)
      query_->get_validity_buffer(name, &info.validity, &info.data_num);
    return info;
  }

 private:
  Query* const query_;

  /** Throws if the buffers cannot be those of an Arrow array. */
  static void check_counterpart(const std::string& name, const BufferInfo& info) {
    if (info.is_var ? tiledb::impl::type_size(info.tdbtype.type) != 1 : info.tdbtype.cell_val_num != 1)
      throw TDB_LERROR("ArrowExporter: '" + name + "' has several values per cell, which has no counterpart.");
    if (!info.is_var && tiledb::impl::tiledb_string_type(info.tdbtype.type))
      throw TDB_LERROR("ArrowExporter: '" + name + "' has characters of fixed size, which have no counterpart.");
    if (info.is_nullable && info.validity == nullptr)
      throw TDB_LERROR("ArrowExporter: '" + name + "' has no validity buffer.");
  }

  bool has_extra_offset() const {
    return query_->config().get("sm.var_offsets.extra_element") == "true";
  }

  uint64_t cell_num(const BufferInfo& info) const {
    return info.offsets_num - (has_extra_offset() && info.offsets_num > 0 ? 1 : 0);
  }

  /**
   * Returns offsets with one more for the end, as Arrow has them: those of the query, or a copy
   * that is added to `kept`.
   */
  void* arrow_offsets(const BufferInfo& info, const std::string& name, std::vector<std::shared_ptr<void>>& kept) const {
    if (has_extra_offset() && info.offsets_num > 0)
      return info.offsets;
    const size_t width = info.offsets_elem_size, size = info.offsets_num * width;
    const uint64_t end = tiledb::impl::QueryBytes::data_size(*query_, name);
    const uint32_t narrow_end = static_cast<uint32_t>(end);
    auto copied = std::make_shared<std::vector<uint8_t>>(size + width);
    if (size > 0)
      std::memcpy(copied->data(), info.offsets, size);
    std::memcpy(copied->data() + size, width == 4 ? static_cast<const void*>(&narrow_end) : &end, width);
    void* data = copied->data();
    kept.push_back(std::move(copied));
    return data;
  }
};

inline ArrowAdapter::ArrowAdapter(Context* ctx, Query* query)
    : importer_(nullptr)
    , exporter_(nullptr) {
  auto importer = std::make_unique<ArrowImporter>(query);
  exporter_ = new ArrowExporter(ctx, query);
  importer_ = importer.release();
}

inline ArrowAdapter::~ArrowAdapter() {
  delete importer_;
  delete exporter_;
}

inline void ArrowAdapter::export_buffer(const char* name, void* arrow_array, void* arrow_schema) {
  exporter_->export_(name, static_cast<ArrowArray*>(arrow_array), static_cast<ArrowSchema*>(arrow_schema));
}

inline void ArrowAdapter::import_buffer(const char* name, void* arrow_array, void* arrow_schema) {
  importer_->import_(name, static_cast<ArrowArray*>(arrow_array), static_cast<ArrowSchema*>(arrow_schema));
}

inline void query_get_buffer_arrow_array(
    Context* const ctx, Query* const query, std::string name, void* v_arw_array, void* v_arw_schema) {
  ArrowExporter(ctx, query)
      .export_(name, static_cast<ArrowArray*>(v_arw_array), static_cast<ArrowSchema*>(v_arw_schema));
}

inline void query_set_buffer_arrow_array(
    Query* const query, std::string name, void* v_arw_array, void* v_arw_schema) {
  auto* schema = static_cast<ArrowSchema*>(v_arw_schema);
  check_arrow_schema(schema);
  ArrowImporter(query).import_(name, static_cast<ArrowArray*>(v_arw_array), schema);
}

}  // namespace tiledb::arrow

#endif  // TILEDB_ARROW_H
