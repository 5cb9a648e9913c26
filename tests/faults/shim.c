/*
 * Counts the system calls that change or read files below one folder, and makes one of them fail or
 * kills the process at it.
 *
 * Loaded with LD_PRELOAD. Inactive until faults_arm is called. Every call is counted, so that a run
 * without a fault returns their number, and faults_log lists them in order.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Kept in step with Fault in shim.rs. FULL fails this call and all later ones that need space. */
enum fault { NONE, KILL, TORN, SHORT, ERR_ENOSPC, ERR_EIO, ERR_EMFILE, FULL, ERR_EINTR, ERR_EACCES };

/* The action at a call: execute it, return -1, or write only the first half. */
enum verdict { GO_ON, FAIL, HALF, HALF_THEN_DIE };

enum { NEEDS_NO_SPACE, NEEDS_SPACE };

static char root[PATH_MAX];
static size_t root_length;
static long target, counter;
static enum fault fault;
static int armed;
static const char *name_to_die_at, *end_to_die_at;
static char log_text[1 << 23];
static size_t log_length;
/* Threads sync files at once: the line of a call must have the call's number. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

void faults_arm(const char* folder, long call, int kind) {
  root_length = (size_t)snprintf(root, sizeof root, "%s/", folder);
  target = call;
  fault = (enum fault)kind;
  counter = 0;
  log_length = 0;
  log_text[0] = 0;
  __atomic_store_n(&armed, 1, __ATOMIC_SEQ_CST);
}

/*
 * Kills the process at the first call with this name on a path with this end. The strings must stay
 * valid.
 */
void faults_kill_at(const char* name, const char* end) {
  name_to_die_at = name;
  end_to_die_at = end;
}

long faults_disarm(void) {
  __atomic_store_n(&armed, 0, __ATOMIC_SEQ_CST);
  return counter;
}

/* Returns one line per call: its name, and its path relative to the folder. */
const char* faults_log(void) { return log_text; }

static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

#define NEXT(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))next(#name)

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Stores the path of a file descriptor. */
static int path_of(int descriptor, char* path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0;
}

/* Stores the absolute form of a path that is relative to a folder. */
static void resolve(int folder, const char* path, char* resolved) {
  char base[PATH_MAX] = "";
  if (path[0] != '/') {
    if (folder == AT_FDCWD) {
      if (getcwd(base, sizeof base) == NULL) base[0] = 0;
    } else {
      path_of(folder, base);
    }
  }
  if (snprintf(resolved, PATH_MAX, "%s%s%s", base, base[0] ? "/" : "", path) >= PATH_MAX) resolved[0] = 0;
}

static int is_below(const char* path) {
  return strncmp(path, root, root_length) == 0 || (strncmp(path, root, root_length - 1) == 0 && path[root_length - 1] == 0);
}

static int ends_with(const char* path, const char* end) {
  size_t length = strlen(path), end_length = strlen(end);
  return length >= end_length && strcmp(path + length - end_length, end) == 0;
}

static enum verdict failed(int error) {
  errno = error;
  return FAIL;
}

/*
 * Returns whether a signal can interrupt a call. The numbers of calls differ between runs if the
 * order of the names in a folder does.
 */
static int is_interruptible(const char* name) {
  const char* const names[] = {"open", "open-to-read", "write", "read", "lock"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(name, names[i]) == 0) return 1;
  }
  return 0;
}

static enum verdict decide(const char* name, const char* path, int space) {
  if (!__atomic_load_n(&armed, __ATOMIC_SEQ_CST) || !is_below(path)) return GO_ON;
  const char* relative = strlen(path) < root_length ? "." : path + root_length;
  pthread_mutex_lock(&log_lock);
  long number = ++counter;
  if (log_length + PATH_MAX < sizeof log_text) {
    log_length += (size_t)sprintf(log_text + log_length, "%s %s\n", name, relative);
  }
  pthread_mutex_unlock(&log_lock);
  if (name_to_die_at != NULL && strcmp(name, name_to_die_at) == 0 && ends_with(path, end_to_die_at)) die();
  if (fault == FULL && number > target && target > 0 && space == NEEDS_SPACE) return failed(ENOSPC);
  if (number != target) return GO_ON;
  switch (fault) {
    case KILL: die(); break;
    case TORN: return HALF_THEN_DIE;
    case SHORT: return HALF;
    case ERR_ENOSPC:
    case FULL: return failed(ENOSPC);
    case ERR_EIO: return failed(EIO);
    case ERR_EMFILE: return failed(EMFILE);
    case ERR_EINTR: return is_interruptible(name) ? failed(EINTR) : GO_ON;
    case ERR_EACCES: return failed(EACCES);
    case NONE: break;
  }
  return GO_ON;
}

static enum verdict decide_at(const char* name, int folder, const char* path, int space) {
  char resolved[PATH_MAX];
  if (!__atomic_load_n(&armed, __ATOMIC_SEQ_CST)) return GO_ON;
  resolve(folder, path, resolved);
  return decide(name, resolved, space);
}

static enum verdict decide_on(const char* name, int descriptor, int space) {
  char path[PATH_MAX];
  if (!__atomic_load_n(&armed, __ATOMIC_SEQ_CST) || !path_of(descriptor, path)) return GO_ON;
  return decide(name, path, space);
}

/*
 * -- opening
 * ------------------------------------------------------------------------------------------------
 */

static int changes(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_ACCMODE) != O_RDONLY || (flags & O_TMPFILE) == O_TMPFILE;
}

static enum verdict decide_open(int folder, const char* path, int flags) {
  if (changes(flags)) return decide_at("open", folder, path, NEEDS_SPACE);
  return decide_at("open-to-read", folder, path, NEEDS_NO_SPACE);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    NEXT(name); \
    MODE(flags) \
    if (decide_open(AT_FDCWD, path, flags) == FAIL) return -1; \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char* path, int flags, ...) { \
    NEXT(name); \
    MODE(flags) \
    if (decide_open(folder, path, flags) == FAIL) return -1; \
    return real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

#define CREAT(name) \
  int name(const char* path, mode_t mode) { \
    NEXT(name); \
    if (decide_at("open", AT_FDCWD, path, NEEDS_SPACE) == FAIL) return -1; \
    return real(path, mode); \
  }
CREAT(creat)
CREAT(creat64)

#define FOPEN(name) \
  FILE* name(const char* path, const char* mode) { \
    NEXT(name); \
    if (strpbrk(mode, "wa+") != NULL && decide_at("open", AT_FDCWD, path, NEEDS_SPACE) == FAIL) return NULL; \
    return real(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

/*
 * -- writing
 * ------------------------------------------------------------------------------------------------
 */

/* Returns half of a length, rounded down. */
static size_t half(size_t count) { return count / 2; }

static ssize_t done_half(enum verdict verdict, ssize_t written) {
  if (verdict == HALF_THEN_DIE) die();
  return written;
}

ssize_t write(int descriptor, const void* data, size_t count) {
  NEXT(write);
  enum verdict verdict = decide_on("write", descriptor, NEEDS_SPACE);
  if (verdict == FAIL) return -1;
  if (verdict == GO_ON) return real(descriptor, data, count);
  return done_half(verdict, real(descriptor, data, half(count)));
}

#define PWRITE(name, offset_type) \
  ssize_t name(int descriptor, const void* data, size_t count, offset_type offset) { \
    NEXT(name); \
    enum verdict verdict = decide_on("write", descriptor, NEEDS_SPACE); \
    if (verdict == FAIL) return -1; \
    if (verdict == GO_ON) return real(descriptor, data, count, offset); \
    return done_half(verdict, real(descriptor, data, half(count), offset)); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

/*
 * Returns the parts of a vectored write in one buffer, which the caller frees; `length` receives
 * half of the size.
 */
static char* half_of(const struct iovec* parts, int number, size_t* length) {
  size_t all = 0, i = 0;
  for (int part = 0; part < number; part++) all += parts[part].iov_len;
  char* bytes = malloc(all + 1);
  if (bytes == NULL) abort();
  for (int part = 0; part < number; part++) {
    memcpy(bytes + i, parts[part].iov_base, parts[part].iov_len);
    i += parts[part].iov_len;
  }
  *length = half(all);
  return bytes;
}

ssize_t writev(int descriptor, const struct iovec* parts, int number) {
  NEXT(writev);
  enum verdict verdict = decide_on("write", descriptor, NEEDS_SPACE);
  if (verdict == FAIL) return -1;
  if (verdict == GO_ON) return real(descriptor, parts, number);
  size_t length;
  char* bytes = half_of(parts, number, &length);
  struct iovec first = {bytes, length};
  ssize_t written = done_half(verdict, real(descriptor, &first, 1));
  free(bytes);
  return written;
}

#define PWRITEV(name, offset_type) \
  ssize_t name(int descriptor, const struct iovec* parts, int number, offset_type offset) { \
    NEXT(name); \
    enum verdict verdict = decide_on("write", descriptor, NEEDS_SPACE); \
    if (verdict == FAIL) return -1; \
    if (verdict == GO_ON) return real(descriptor, parts, number, offset); \
    size_t length; \
    char* bytes = half_of(parts, number, &length); \
    struct iovec first = {bytes, length}; \
    ssize_t written = done_half(verdict, real(descriptor, &first, 1, offset)); \
    free(bytes); \
    return written; \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t count, unsigned flags) {
  NEXT(copy_file_range);
  enum verdict verdict = decide_on("write", to, NEEDS_SPACE);
  if (verdict == FAIL) return -1;
  if (verdict == GO_ON) return real(from, from_at, to, to_at, count, flags);
  struct stat about;
  if (fstat(from, &about) == 0 && (size_t)about.st_size < count) count = (size_t)about.st_size;
  return done_half(verdict, real(from, from_at, to, to_at, half(count), flags));
}

#define SENDFILE(name, offset_type) \
  ssize_t name(int to, int from, offset_type* offset, size_t count) { \
    NEXT(name); \
    enum verdict verdict = decide_on("write", to, NEEDS_SPACE); \
    if (verdict == FAIL) return -1; \
    if (verdict == GO_ON) return real(to, from, offset, count); \
    return done_half(verdict, real(to, from, offset, half(count))); \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

/*
 * -- the content of open files
 * ----------------------------------------------------------------------------------------
 */

#define ON_DESCRIPTOR(name, label, space, parameters, arguments) \
  int name parameters { \
    NEXT(name); \
    if (decide_on(label, descriptor, space) == FAIL) return -1; \
    return real arguments; \
  }
ON_DESCRIPTOR(ftruncate, "truncate", NEEDS_NO_SPACE, (int descriptor, off_t length), (descriptor, length))
ON_DESCRIPTOR(ftruncate64, "truncate", NEEDS_NO_SPACE, (int descriptor, off64_t length), (descriptor, length))
ON_DESCRIPTOR(fsync, "sync", NEEDS_NO_SPACE, (int descriptor), (descriptor))
ON_DESCRIPTOR(fdatasync, "sync", NEEDS_NO_SPACE, (int descriptor), (descriptor))
ON_DESCRIPTOR(fallocate, "truncate", NEEDS_SPACE, (int descriptor, int mode, off_t at, off_t length),
              (descriptor, mode, at, length))
ON_DESCRIPTOR(fallocate64, "truncate", NEEDS_SPACE, (int descriptor, int mode, off64_t at, off64_t length),
              (descriptor, mode, at, length))

/*
 * -- names
 * ------------------------------------------------------------------------------------------------
 */

#define ON_PATH(name, label, space, parameters, arguments) \
  int name parameters { \
    NEXT(name); \
    if (decide_at(label, AT_FDCWD, path, space) == FAIL) return -1; \
    return real arguments; \
  }
ON_PATH(unlink, "unlink", NEEDS_NO_SPACE, (const char* path), (path))
ON_PATH(remove, "unlink", NEEDS_NO_SPACE, (const char* path), (path))
ON_PATH(rmdir, "rmdir", NEEDS_NO_SPACE, (const char* path), (path))
ON_PATH(mkdir, "mkdir", NEEDS_SPACE, (const char* path, mode_t mode), (path, mode))
ON_PATH(truncate, "truncate", NEEDS_NO_SPACE, (const char* path, off_t length), (path, length))
ON_PATH(truncate64, "truncate", NEEDS_NO_SPACE, (const char* path, off64_t length), (path, length))

int unlinkat(int folder, const char* path, int flags) {
  NEXT(unlinkat);
  const char* name = (flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink";
  if (decide_at(name, folder, path, NEEDS_NO_SPACE) == FAIL) return -1;
  return real(folder, path, flags);
}

int mkdirat(int folder, const char* path, mode_t mode) {
  NEXT(mkdirat);
  if (decide_at("mkdir", folder, path, NEEDS_SPACE) == FAIL) return -1;
  return real(folder, path, mode);
}

int rename(const char* path, const char* to) {
  NEXT(rename);
  if (decide_at("rename", AT_FDCWD, to, NEEDS_SPACE) == FAIL) return -1;
  return real(path, to);
}

int renameat(int folder, const char* path, int to_folder, const char* to) {
  NEXT(renameat);
  if (decide_at("rename", to_folder, to, NEEDS_SPACE) == FAIL) return -1;
  return real(folder, path, to_folder, to);
}

int renameat2(int folder, const char* path, int to_folder, const char* to, unsigned flags) {
  NEXT(renameat2);
  if (decide_at("rename", to_folder, to, NEEDS_SPACE) == FAIL) return -1;
  return real(folder, path, to_folder, to, flags);
}

int link(const char* path, const char* to) {
  NEXT(link);
  if (decide_at("link", AT_FDCWD, to, NEEDS_SPACE) == FAIL) return -1;
  return real(path, to);
}

int linkat(int folder, const char* path, int to_folder, const char* to, int flags) {
  NEXT(linkat);
  if (decide_at("link", to_folder, to, NEEDS_SPACE) == FAIL) return -1;
  return real(folder, path, to_folder, to, flags);
}

int symlink(const char* target_path, const char* to) {
  NEXT(symlink);
  if (decide_at("link", AT_FDCWD, to, NEEDS_SPACE) == FAIL) return -1;
  return real(target_path, to);
}

/* A close reports what a delayed write could not do. The descriptor is closed nevertheless. */
int close(int descriptor) {
  NEXT(close);
  int flags = fcntl(descriptor, F_GETFL);
  int writes = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  if (!writes || decide_on("close", descriptor, NEEDS_NO_SPACE) != FAIL) return real(descriptor);
  int error = errno;
  real(descriptor);
  errno = error;
  return -1;
}

#include "shim_reads.h"
