/*
 * Calls that read files, look them up, list folders and lock them. A part of shim.c.
 */
#include <sys/file.h>
#include <sys/syscall.h>

/*
 * -- reading
 * ------------------------------------------------------------------------------------------------
 */

static size_t part_of(enum verdict verdict, size_t count) { return verdict == GO_ON || count < 2 ? count : half(count); }

ssize_t read(int descriptor, void* data, size_t count) {
  NEXT(read);
  enum verdict verdict = decide_on("read", descriptor, NEEDS_NO_SPACE);
  return verdict == FAIL ? -1 : real(descriptor, data, part_of(verdict, count));
}

#define PREAD(name, offset_type) \
  ssize_t name(int descriptor, void* data, size_t count, offset_type offset) { \
    NEXT(name); \
    enum verdict verdict = decide_on("read", descriptor, NEEDS_NO_SPACE); \
    return verdict == FAIL ? -1 : real(descriptor, data, part_of(verdict, count), offset); \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

/* A short read fills half of the first part. */
#define PREADV(name, offset_type) \
  ssize_t name(int descriptor, const struct iovec* parts, int number, offset_type offset) { \
    NEXT(name); \
    enum verdict verdict = decide_on("read", descriptor, NEEDS_NO_SPACE); \
    if (verdict == FAIL || verdict == GO_ON) return verdict == FAIL ? -1 : real(descriptor, parts, number, offset); \
    struct iovec first = {parts[0].iov_base, part_of(verdict, parts[0].iov_len)}; \
    return real(descriptor, &first, 1, offset); \
  }
PREADV(preadv, off_t)
PREADV(preadv64, off64_t)

/*
 * -- looking up and listing
 * ---------------------------------------------------------------------------------------
 */

int statx(int folder, const char* path, int flags, unsigned mask, struct statx* about) {
  NEXT(statx);
  /* Null in a test whether the call exists, although it is declared not to be. */
  __asm__("" : "+r"(path));
  if (path == NULL) return real(folder, path, flags, mask, about);
  enum verdict verdict = path[0] != 0 ? decide_at("look-up", folder, path, NEEDS_NO_SPACE)
                                      : decide_on("look-up", folder, NEEDS_NO_SPACE);
  return verdict == FAIL ? -1 : real(folder, path, flags, mask, about);
}

#define ON_STAT(name, type) \
  int name(const char* path, type* about) { \
    NEXT(name); \
    if (decide_at("look-up", AT_FDCWD, path, NEEDS_NO_SPACE) == FAIL) return -1; \
    return real(path, about); \
  }
ON_STAT(stat64, struct stat64)
ON_STAT(lstat64, struct stat64)

DIR* opendir(const char* path) {
  NEXT(opendir);
  if (decide_at("list", AT_FDCWD, path, NEEDS_NO_SPACE) == FAIL) return NULL;
  return real(path);
}

struct dirent64* readdir64(DIR* folder) {
  NEXT(readdir64);
  if (decide_on("list", dirfd(folder), NEEDS_NO_SPACE) == FAIL) return NULL;
  return real(folder);
}

/* The library lists folders with a system call that older C libraries have no function for. */
long syscall(long number, ...) {
  NEXT(syscall);
  long arguments[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) arguments[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_getdents64 && decide_on("list", (int)arguments[0], NEEDS_NO_SPACE) == FAIL) return -1;
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int flock(int descriptor, int operation) {
  NEXT(flock);
  if ((operation & LOCK_UN) == 0 && decide_on("lock", descriptor, NEEDS_NO_SPACE) == FAIL) return -1;
  return real(descriptor, operation);
}
