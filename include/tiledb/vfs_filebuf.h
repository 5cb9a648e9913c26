/**
 * @file vfs_filebuf.h
 * Stream buffers over files of the VFS.
 *
 * @copyright MIT licence, see the file LICENSE.
 */
#ifndef TILEDB_CPP_API_VFS_FILEBUF_H
#define TILEDB_CPP_API_VFS_FILEBUF_H

#include <cstdint>
#include <functional>
#include <ios>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

#include "context.h"
#include "deleter.h"
#include "tiledb.h"

namespace tiledb {

class VFS;

namespace impl {

/**
 * A std::streambuf over a file of the VFS, for std::istream and std::ostream. Reads are buffered.
 * Writes go to the library at once, and become visible at the latest with close(). Copies share the
 * open file and its position at the time of copying.
 */
class VFSFilebuf : public std::streambuf {
 public:
  /** Creates a closed buffer. @param vfs The VFS, which must outlive the buffer. */
  explicit VFSFilebuf(const VFS& vfs)
      : vfs_(vfs) {
  }

  VFSFilebuf(const VFSFilebuf& other)
      : std::streambuf(other)
      , vfs_(other.vfs_) {
    copy_file(other);
  }

  VFSFilebuf(VFSFilebuf&& other)
      : VFSFilebuf(static_cast<const VFSFilebuf&>(other)) {
    other.forget();
  }

  VFSFilebuf& operator=(const VFSFilebuf& other) {
    if (this != &other) {
      vfs_ = other.vfs_;
      copy_file(other);
    }
    return *this;
  }

  VFSFilebuf& operator=(VFSFilebuf&& other) {
    if (this != &other) {
      *this = static_cast<const VFSFilebuf&>(other);
      other.forget();
    }
    return *this;
  }

  /** Closes the file. Errors are ignored; close() reports them. */
  ~VFSFilebuf() override {
    close(false);
  }

  /**
   * Opens a file, after closing the one that is open.
   * @param uri The URI of the file.
   * @param openmode std::ios::in; std::ios::out, which replaces the file; or std::ios::app.
   *   std::ios::binary is implied.
   * @return This buffer; null if the mode is another one or the file cannot be opened.
   * @throws TileDBError if the file that is open cannot be closed.
   */
  VFSFilebuf* open(const std::string& uri, std::ios::openmode openmode = std::ios::in);

  /** Returns whether a file is open. */
  bool is_open() const {
    return fh_ != nullptr;
  }

  /**
   * Closes the file and makes what was written visible.
   * @param should_throw False to ignore errors.
   * @return This buffer.
   * @throws TileDBError if the file cannot be written and `should_throw` is set.
   */
  VFSFilebuf* close(bool should_throw = true);

  /** Returns the URI of the open file, or an empty string. */
  const std::string& get_uri() const {
    return uri_;
  }

 protected:
  /**
   * Moves the position of a file that is open for reads.
   * @return The position; -1 if it is not in the file.
   */
  pos_type seekoff(off_type offset, std::ios::seekdir seekdir, std::ios::openmode openmode) override {
    if ((openmode & std::ios::in) == 0 || mode_ != TILEDB_VFS_READ)
      return pos_type(off_type(-1));
    const off_type size = static_cast<off_type>(file_size());
    const off_type base = seekdir == std::ios::beg ? 0 : seekdir == std::ios::end ? size : position();
    if (offset < -base || offset > size - base)
      return pos_type(off_type(-1));
    next_ = static_cast<uint64_t>(base + offset);
    setg(nullptr, nullptr, nullptr);
    return pos_type(base + offset);
  }

  /**
   * Moves the position of a file that is open for reads.
   * @return The position; -1 if it is not in the file.
   */
  pos_type seekpos(pos_type pos, std::ios::openmode openmode) override {
    return seekoff(off_type(pos), std::ios::beg, openmode);
  }

  /** Returns the number of bytes that can be read after those in memory; -1 at the end. */
  std::streamsize showmanyc() override {
    const uint64_t size = is_open() ? file_size() : 0;
    return size > next_ ? static_cast<std::streamsize>(size - next_) : -1;
  }

  /**
   * Reads bytes.
   * @return Their number; less than asked for at the end of the file and after errors.
   */
  std::streamsize xsgetn(char_type* s, std::streamsize n) override;

  /** Reads the next part of the file into memory. */
  int_type underflow() override {
    if (gptr() == egptr()) {
      block_.resize(block_size);
      const std::streamsize read = read_at_next(block_.data(), block_size);
      setg(block_.data(), block_.data(), block_.data() + read);
    }
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

  /** Writes bytes. @return Their number; 0 after errors. */
  std::streamsize xsputn(const char_type* s, std::streamsize n) override;

  /** Writes a byte. */
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof()))
      return traits_type::not_eof(c);
    const char_type byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }

 private:
  static constexpr std::streamsize block_size = 1 << 16;

  std::reference_wrapper<const VFS> vfs_;
  std::shared_ptr<tiledb_vfs_fh_t> fh_;
  std::string uri_;
  tiledb_vfs_mode_t mode_ = TILEDB_VFS_READ;
  /** The position in the file after the bytes in memory. */
  uint64_t next_ = 0;
  std::vector<char_type> block_;

  uint64_t file_size() const;

  /** Returns the position of the next byte that is read. */
  off_type position() const {
    return static_cast<off_type>(next_) - (egptr() - gptr());
  }

  /**
   * Reads from the file, past the bytes in memory. Returns the number of bytes, 0 at the end and
   * after errors.
   */
  std::streamsize read_at_next(char_type* s, std::streamsize n);

  void copy_file(const VFSFilebuf& other) {
    fh_ = other.fh_;
    uri_ = other.uri_;
    mode_ = other.mode_;
    next_ = static_cast<uint64_t>(other.position());
    setg(nullptr, nullptr, nullptr);
  }

  void forget() {
    fh_ = nullptr;
    uri_.clear();
    next_ = 0;
    setg(nullptr, nullptr, nullptr);
  }
};

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_API_VFS_FILEBUF_H
