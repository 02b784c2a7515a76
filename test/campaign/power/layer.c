/*
 * A layer between a program and its disk, loaded by LD_PRELOAD: it notes every call that changes files below a directory, in the
 * order in which the calls took effect over all programs that it is loaded into, and what was asked to be made durable. From that
 * `disk.ts` works out what a disk may hold after the power failed. It can slow the disk down as well, and set the clock.
 *
 *   POWER_ROOT      directory below which calls count; an absolute path without symbolic links
 *   POWER_JOURNAL   file that the calls are appended to
 *   POWER_CONTROL   file of 4096 bytes, shared by all programs: its first 32-bit number is 0 for nothing, 1 for "wait", 2 for "note";
 *                   the 64-bit number at 8 is by how many seconds the clock is wrong
 *   POWER_DELAY_US  microseconds that each of these calls takes longer
 *
 * What is not seen: writes through mmap, and calls that bypass the C library. Neither Node, git nor PostgreSQL changes files so.
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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATHS (2 * PATH_MAX)
#define EXPORT __attribute__((visibility("default")))

enum { OFF = 0, WAIT = 1, NOTE = 2 };

struct control {
  volatile uint32_t state;
  uint32_t unused;
  volatile int64_t shift;
  uint32_t others[12];
  pthread_mutex_t lock;
};

/* What stands in front of each note; the paths and the data follow. */
struct note {
  uint32_t size;
  uint32_t kind;
  uint64_t inode;
  uint64_t offset;
  uint32_t path;
  uint32_t other;
  uint32_t data;
  uint32_t pid;
} __attribute__((packed));

static struct control *control;
static char root[PATH_MAX];
static size_t root_length;
static int journal = -1;
static useconds_t delay;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned char by_stream[65536];

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

#define ORIGINAL(type, name, ...) static type (*real_##name)(__VA_ARGS__)
ORIGINAL(int, open64, const char *, int, ...);
ORIGINAL(int, openat64, int, const char *, int, ...);
ORIGINAL(int, close, int);
ORIGINAL(ssize_t, write, int, const void *, size_t);
ORIGINAL(ssize_t, pwrite64, int, const void *, size_t, off_t);
ORIGINAL(ssize_t, writev, int, const struct iovec *, int);
ORIGINAL(ssize_t, pwritev64, int, const struct iovec *, int, off_t);
ORIGINAL(int, ftruncate64, int, off_t);
ORIGINAL(int, truncate64, const char *, off_t);
ORIGINAL(int, fsync, int);
ORIGINAL(int, fdatasync, int);
ORIGINAL(int, syncfs, int);
ORIGINAL(void, sync, void);
ORIGINAL(int, renameat2, int, const char *, int, const char *, unsigned);
ORIGINAL(int, unlinkat, int, const char *, int);
ORIGINAL(int, mkdirat, int, const char *, mode_t);
ORIGINAL(char *, mkdtemp, char *);
ORIGINAL(int, mkostemp64, char *, int);
ORIGINAL(int, linkat, int, const char *, int, const char *, int);
ORIGINAL(int, symlinkat, const char *, int, const char *);
ORIGINAL(int, posix_fallocate64, int, off_t, off_t);
ORIGINAL(int, fallocate64, int, int, off_t, off_t);
ORIGINAL(FILE *, fopen64, const char *, const char *);
ORIGINAL(FILE *, fdopen, int, const char *);
ORIGINAL(int, fclose, FILE *);
ORIGINAL(ssize_t, copy_file_range, int, off_t *, int, off_t *, size_t, unsigned);
ORIGINAL(ssize_t, sendfile64, int, int, off_t *, size_t);
ORIGINAL(long, syscall, long, ...);
ORIGINAL(int, clock_gettime, clockid_t, struct timespec *);
ORIGINAL(int, gettimeofday, struct timeval *restrict, void *restrict);

static void begin(void) {
#define FIND(name) real_##name = (__typeof__(real_##name))real(#name)
  FIND(open64);
  FIND(openat64);
  FIND(close);
  FIND(write);
  FIND(pwrite64);
  FIND(writev);
  FIND(pwritev64);
  FIND(ftruncate64);
  FIND(truncate64);
  FIND(fsync);
  FIND(fdatasync);
  FIND(syncfs);
  FIND(sync);
  FIND(renameat2);
  FIND(unlinkat);
  FIND(mkdirat);
  FIND(mkdtemp);
  FIND(mkostemp64);
  FIND(linkat);
  FIND(symlinkat);
  FIND(posix_fallocate64);
  FIND(fallocate64);
  FIND(fopen64);
  FIND(fdopen);
  FIND(fclose);
  FIND(copy_file_range);
  FIND(sendfile64);
  FIND(syscall);
  FIND(clock_gettime);
  FIND(gettimeofday);
  const char *at = getenv("POWER_ROOT"), *file = getenv("POWER_JOURNAL"), *shared = getenv("POWER_CONTROL");
  if (!at || !file || !shared || strlen(at) >= sizeof root) return;
  const char *slow = getenv("POWER_DELAY_US");
  delay = slow ? (useconds_t)atoi(slow) : 0;
  int fd = real_open64(shared, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  real_close(fd);
  if (mapped == MAP_FAILED) return;
  int made = real_open64(file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (made < 0) return;
  /* Programs close and reuse the low numbers. */
  journal = fcntl(made, F_DUPFD_CLOEXEC, 900);
  if (journal < 0) journal = made;
  else real_close(made);
  strcpy(root, at);
  root_length = strlen(root);
  control = mapped;
}

__attribute__((constructor)) static void load(void) {
  pthread_once(&once, begin);
}

static int is_on(void) {
  pthread_once(&once, begin);
  return control && (control->state != OFF || delay);
}

static int is_below(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* The absolute path without `.`, `..` and double slashes; 0 if it is none of ours. */
static int resolve(int dirfd, const char *path, char *to) {
  char whole[PATHS];
  if (!path) return 0;
  if (path[0] == '/') {
    if (strlen(path) >= PATH_MAX) return 0;
    strcpy(whole, path);
  } else {
    if (dirfd == AT_FDCWD) {
      if (!getcwd(whole, PATH_MAX)) return 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
      ssize_t length = readlink(link, whole, PATH_MAX - 1);
      if (length < 0) return 0;
      whole[length] = 0;
    }
    size_t length = strlen(whole);
    if (length + strlen(path) + 2 >= sizeof whole) return 0;
    whole[length] = '/';
    strcpy(whole + length + 1, path);
  }
  size_t length = 0;
  for (const char *at = whole; *at;) {
    while (*at == '/') at++;
    const char *end = at;
    while (*end && *end != '/') end++;
    size_t part = (size_t)(end - at);
    if (part == 2 && at[0] == '.' && at[1] == '.') {
      while (length > 0 && to[length - 1] != '/') length--;
      if (length > 0) length--;
    } else if (part > 0 && !(part == 1 && at[0] == '.')) {
      if (length + part + 2 >= PATH_MAX) return 0;
      to[length++] = '/';
      memcpy(to + length, at, part);
      length += part;
    }
    at = end;
  }
  to[length] = 0;
  return is_below(to);
}

/* Whether an open file is one of ours, and which. */
static int is_ours(int fd, struct stat *found) {
  if (fd < 0 || fd == journal || fstat(fd, found) != 0 || !(S_ISREG(found->st_mode) || S_ISDIR(found->st_mode))) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

struct turn {
  sigset_t before;
  int isNoting;
  int error;
};

static void take(struct turn *turn) {
  if (delay) usleep(delay);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &turn->before);
  if (pthread_mutex_lock(&control->lock) == EOWNERDEAD) pthread_mutex_consistent(&control->lock);
  while (control->state == WAIT) usleep(1000);
  turn->isNoting = control->state == NOTE;
  turn->error = 0;
}

static void give(struct turn *turn) {
  int error = errno;
  pthread_mutex_unlock(&control->lock);
  pthread_sigmask(SIG_SETMASK, &turn->before, NULL);
  errno = error;
}

static void note(struct turn *turn, char kind, uint64_t inode, uint64_t offset, const char *path, const char *other,
                 const struct iovec *data, int count, size_t most) {
  if (!turn->isNoting) return;
  int error = errno;
  struct note head = {0, (uint32_t)kind, inode, offset, 0, 0, 0, (uint32_t)getpid()};
  head.path = path ? (uint32_t)strlen(path) : 0;
  head.other = other ? (uint32_t)strlen(other) : 0;
  size_t bytes = 0;
  for (int at = 0; at < count; at++) bytes += data[at].iov_len;
  if (bytes > most) bytes = most;
  head.data = (uint32_t)bytes;
  head.size = (uint32_t)(sizeof head + head.path + head.other + bytes);
  struct iovec parts[1027];
  int used = 0;
  parts[used++] = (struct iovec){&head, sizeof head};
  if (path) parts[used++] = (struct iovec){(void *)path, head.path};
  if (other) parts[used++] = (struct iovec){(void *)other, head.other};
  for (int at = 0; at < count && bytes > 0 && used < 1027; at++) {
    size_t part = data[at].iov_len < bytes ? data[at].iov_len : bytes;
    parts[used++] = (struct iovec){data[at].iov_base, part};
    bytes -= part;
  }
  /* One call at a time, so that a program that is killed leaves a whole note or none. */
  size_t left = head.size;
  for (int at = 0; at < used && left > 0;) {
    int group = used - at > 1000 ? 1000 : used - at;
    ssize_t done = real_writev(journal, parts + at, group);
    if (done < 0) abort();
    left -= (size_t)done;
    while (at < used && (size_t)done >= parts[at].iov_len) done -= (ssize_t)parts[at++].iov_len;
    if (at < used && done > 0) {
      parts[at].iov_base = (char *)parts[at].iov_base + done;
      parts[at].iov_len -= (size_t)done;
    }
  }
  errno = error;
}

static void note_paths(struct turn *turn, char kind, uint64_t inode, const char *path, const char *other) {
  note(turn, kind, inode, 0, path, other, NULL, 0, 0);
}

/* What a stream of the C library has written is seen only as the whole content. */
static void note_content(struct turn *turn, const char *path, int fd, uint64_t inode) {
  char link[64];
  if (!path) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    path = link;
  }
  int reading = real_open64(path, O_RDONLY | O_CLOEXEC);
  if (reading < 0) return;
  struct stat found;
  if (fstat(reading, &found) == 0) {
    char *bytes = malloc((size_t)found.st_size + 1);
    ssize_t length = bytes ? pread(reading, bytes, (size_t)found.st_size, 0) : -1;
    struct iovec one = {bytes, length > 0 ? (size_t)length : 0};
    if (length >= 0) note(turn, 'K', inode, 0, NULL, NULL, &one, 1, SIZE_MAX);
    free(bytes);
  }
  real_close(reading);
}

static void copied(struct turn *turn, int fd, uint64_t inode) {
  note_content(turn, NULL, fd, inode);
}

/* open */

static int opened(int dirfd, const char *path, int flags, mode_t mode) {
  char at[PATHS];
  int changes = flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;
  if (!changes || !is_on() || !resolve(dirfd, path, at)) return real_openat64(dirfd, path, flags, mode);
  struct turn turn;
  take(&turn);
  struct stat before;
  int isNew = lstat(at, &before) != 0;
  int fd = real_openat64(dirfd, path, flags, mode);
  struct stat found;
  if (fd >= 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) {
    by_stream[fd & 65535] = 0;
    if (isNew) note_paths(&turn, 'C', found.st_ino, at, NULL);
    else if (flags & O_TRUNC) note_paths(&turn, 'T', found.st_ino, NULL, NULL);
  }
  give(&turn);
  return fd;
}

#define MODE(last)                                                            \
  mode_t mode = 0;                                                            \
  if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                  \
    va_list rest;                                                             \
    va_start(rest, last);                                                     \
    mode = va_arg(rest, mode_t);                                              \
    va_end(rest);                                                             \
  }                                                                           \
  pthread_once(&once, begin)

EXPORT int open(const char *path, int flags, ...) {
  MODE(flags);
  return opened(AT_FDCWD, path, flags, mode);
}
EXPORT int open64(const char *path, int flags, ...) {
  MODE(flags);
  return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
EXPORT int openat(int dirfd, const char *path, int flags, ...) {
  MODE(flags);
  return opened(dirfd, path, flags, mode);
}
EXPORT int openat64(int dirfd, const char *path, int flags, ...) {
  MODE(flags);
  return opened(dirfd, path, flags | O_LARGEFILE, mode);
}
EXPORT int __open_2(const char *path, int flags) {
  pthread_once(&once, begin);
  return opened(AT_FDCWD, path, flags, 0);
}
EXPORT int __open64_2(const char *path, int flags) {
  pthread_once(&once, begin);
  return opened(AT_FDCWD, path, flags, 0);
}
EXPORT int creat(const char *path, mode_t mode) {
  pthread_once(&once, begin);
  return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
EXPORT int creat64(const char *path, mode_t mode) {
  return creat(path, mode);
}

static FILE *streamed(const char *path, const char *how) {
  char at[PATHS];
  pthread_once(&once, begin);
  if (!strpbrk(how, "wa+") || !is_on() || !resolve(AT_FDCWD, path, at)) return real_fopen64(path, how);
  struct turn turn;
  take(&turn);
  struct stat before, found;
  int isNew = lstat(at, &before) != 0;
  FILE *file = real_fopen64(path, how);
  if (file && fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode)) {
    by_stream[fileno(file) & 65535] = 1;
    if (isNew) note_paths(&turn, 'C', found.st_ino, at, NULL);
    else if (strchr(how, 'w')) note_paths(&turn, 'T', found.st_ino, NULL, NULL);
  }
  give(&turn);
  return file;
}
EXPORT FILE *fopen(const char *path, const char *how) {
  return streamed(path, how);
}
EXPORT FILE *fopen64(const char *path, const char *how) {
  return streamed(path, how);
}
EXPORT FILE *fdopen(int fd, const char *how) {
  pthread_once(&once, begin);
  if (strpbrk(how, "wa+")) by_stream[fd & 65535] = 1;
  return real_fdopen(fd, how);
}
EXPORT int fclose(FILE *file) {
  pthread_once(&once, begin);
  struct stat found;
  int fd = file ? fileno(file) : -1;
  if (fd < 0 || !by_stream[fd & 65535] || !is_on()) return real_fclose(file);
  by_stream[fd & 65535] = 0;
  if (!is_ours(fd, &found) || !S_ISREG(found.st_mode) || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
    return real_fclose(file);
  struct turn turn;
  take(&turn);
  fflush(file);
  note_content(&turn, NULL, fd, found.st_ino);
  int result = real_fclose(file);
  give(&turn);
  return result;
}

EXPORT int mkstemp64(char *pattern) {
  pthread_once(&once, begin);
  return mkostemp64(pattern, 0);
}
EXPORT int mkstemp(char *pattern) {
  return mkstemp64(pattern);
}
EXPORT int mkostemp(char *pattern, int flags) {
  return mkostemp64(pattern, flags);
}
EXPORT int mkostemp64(char *pattern, int flags) {
  pthread_once(&once, begin);
  char at[PATHS];
  if (!is_on() || !resolve(AT_FDCWD, pattern, at)) return real_mkostemp64(pattern, flags);
  struct turn turn;
  take(&turn);
  int fd = real_mkostemp64(pattern, flags);
  struct stat found;
  if (fd >= 0 && fstat(fd, &found) == 0 && resolve(AT_FDCWD, pattern, at)) note_paths(&turn, 'C', found.st_ino, at, NULL);
  give(&turn);
  return fd;
}
EXPORT char *mkdtemp(char *pattern) {
  pthread_once(&once, begin);
  char at[PATHS];
  if (!is_on() || !resolve(AT_FDCWD, pattern, at)) return real_mkdtemp(pattern);
  struct turn turn;
  take(&turn);
  char *made = real_mkdtemp(pattern);
  struct stat found;
  if (made && resolve(AT_FDCWD, made, at) && stat(at, &found) == 0) note_paths(&turn, 'M', found.st_ino, at, NULL);
  give(&turn);
  return made;
}

/* write */

#define WRITING(type, call, stated, ...)                                      \
  pthread_once(&once, begin);                                                 \
  struct stat found;                                                          \
  if (!is_on() || !is_ours(fd, &found)) return call;                          \
  struct turn turn;                                                           \
  take(&turn);                                                                \
  type done = call;                                                           \
  if (done >= 0) {                                                            \
    stated;                                                                   \
  }                                                                           \
  give(&turn);                                                                \
  return done

static uint64_t before_end(int fd, ssize_t done) {
  return (uint64_t)(lseek(fd, 0, SEEK_CUR) - done);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec one = {(void *)bytes, length};
  WRITING(ssize_t, real_write(fd, bytes, length),
          note(&turn, 'W', found.st_ino, before_end(fd, done), NULL, NULL, &one, 1, (size_t)done));
}
EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  struct iovec one = {(void *)bytes, length};
  WRITING(ssize_t, real_pwrite64(fd, bytes, length, offset),
          note(&turn, 'W', found.st_ino, (uint64_t)offset, NULL, NULL, &one, 1, (size_t)done));
}
EXPORT ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return pwrite64(fd, bytes, length, offset);
}
EXPORT ssize_t writev(int fd, const struct iovec *parts, int count) {
  WRITING(ssize_t, real_writev(fd, parts, count),
          note(&turn, 'W', found.st_ino, before_end(fd, done), NULL, NULL, parts, count, (size_t)done));
}
EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  WRITING(ssize_t, real_pwritev64(fd, parts, count, offset),
          note(&turn, 'W', found.st_ino, (uint64_t)offset, NULL, NULL, parts, count, (size_t)done));
}
EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}
EXPORT int ftruncate64(int fd, off_t length) {
  WRITING(int, real_ftruncate64(fd, length), note(&turn, 'T', found.st_ino, (uint64_t)length, NULL, NULL, NULL, 0, 0));
}
EXPORT int ftruncate(int fd, off_t length) {
  return ftruncate64(fd, length);
}
EXPORT int truncate64(const char *path, off_t length) {
  pthread_once(&once, begin);
  char at[PATHS];
  struct stat found;
  if (!is_on() || !resolve(AT_FDCWD, path, at)) return real_truncate64(path, length);
  struct turn turn;
  take(&turn);
  int done = real_truncate64(path, length);
  if (done == 0 && stat(at, &found) == 0) note(&turn, 'T', found.st_ino, (uint64_t)length, NULL, NULL, NULL, 0, 0);
  give(&turn);
  return done;
}
EXPORT int truncate(const char *path, off_t length) {
  return truncate64(path, length);
}
static void grown(struct turn *turn, int fd, struct stat *before) {
  struct stat now;
  if (fstat(fd, &now) == 0 && now.st_size > before->st_size)
    note(turn, 'T', now.st_ino, (uint64_t)now.st_size, NULL, NULL, NULL, 0, 0);
}
EXPORT int posix_fallocate64(int fd, off_t offset, off_t length) {
  WRITING(int, real_posix_fallocate64(fd, offset, length), grown(&turn, fd, &found));
}
EXPORT int posix_fallocate(int fd, off_t offset, off_t length) {
  return posix_fallocate64(fd, offset, length);
}
EXPORT int fallocate64(int fd, int mode, off_t offset, off_t length) {
  WRITING(int, real_fallocate64(fd, mode, offset, length), grown(&turn, fd, &found));
}
EXPORT int fallocate(int fd, int mode, off_t offset, off_t length) {
  return fallocate64(fd, mode, offset, length);
}
EXPORT ssize_t copy_file_range(int from, off_t *start, int fd, off_t *offset, size_t length, unsigned flags) {
  WRITING(ssize_t, real_copy_file_range(from, start, fd, offset, length, flags), copied(&turn, fd, found.st_ino));
}
EXPORT ssize_t sendfile64(int fd, int from, off_t *offset, size_t length) {
  WRITING(ssize_t, real_sendfile64(fd, from, offset, length), copied(&turn, fd, found.st_ino));
}
EXPORT ssize_t sendfile(int fd, int from, off_t *offset, size_t length) {
  return sendfile64(fd, from, offset, length);
}

/* Durability: the disk is not asked, as only the journal counts. */

static int durable(int fd, int (*call)(int)) {
  struct stat found;
  if (!is_on() || !is_ours(fd, &found)) return call(fd);
  struct turn turn;
  take(&turn);
  if (S_ISREG(found.st_mode) && by_stream[fd & 65535]) note_content(&turn, NULL, fd, found.st_ino);
  note_paths(&turn, S_ISDIR(found.st_mode) ? 'D' : 'Y', found.st_ino, NULL, NULL);
  give(&turn);
  return 0;
}
EXPORT int fsync(int fd) {
  pthread_once(&once, begin);
  return durable(fd, real_fsync);
}
EXPORT int fdatasync(int fd) {
  pthread_once(&once, begin);
  return durable(fd, real_fdatasync);
}
EXPORT int syncfs(int fd) {
  pthread_once(&once, begin);
  struct stat found;
  if (!is_on() || !is_ours(fd, &found)) return real_syncfs(fd);
  struct turn turn;
  take(&turn);
  note_paths(&turn, 'E', 0, NULL, NULL);
  give(&turn);
  return 0;
}
EXPORT void sync(void) {
  pthread_once(&once, begin);
  if (!is_on()) {
    real_sync();
    return;
  }
  struct turn turn;
  take(&turn);
  note_paths(&turn, 'E', 0, NULL, NULL);
  give(&turn);
}

/* Names */

static int renamed(int fromfd, const char *from, int tofd, const char *to, unsigned flags) {
  char old[PATHS], now[PATHS];
  pthread_once(&once, begin);
  int isOurs = is_on() ? resolve(fromfd, from, old) + resolve(tofd, to, now) : 0;
  if (isOurs != 2) return real_renameat2(fromfd, from, tofd, to, flags);
  struct turn turn;
  take(&turn);
  int done = real_renameat2(fromfd, from, tofd, to, flags);
  if (done == 0) note_paths(&turn, 'R', 0, old, now);
  give(&turn);
  return done;
}
EXPORT int rename(const char *from, const char *to) {
  return renamed(AT_FDCWD, from, AT_FDCWD, to, 0);
}
EXPORT int renameat(int fromfd, const char *from, int tofd, const char *to) {
  return renamed(fromfd, from, tofd, to, 0);
}
EXPORT int renameat2(int fromfd, const char *from, int tofd, const char *to, unsigned flags) {
  return renamed(fromfd, from, tofd, to, flags);
}

static int gone(int dirfd, const char *path, int flags) {
  char at[PATHS];
  pthread_once(&once, begin);
  if (!is_on() || !resolve(dirfd, path, at)) return real_unlinkat(dirfd, path, flags);
  struct turn turn;
  take(&turn);
  int done = real_unlinkat(dirfd, path, flags);
  if (done == 0) note_paths(&turn, 'U', 0, at, NULL);
  give(&turn);
  return done;
}
EXPORT int unlink(const char *path) {
  return gone(AT_FDCWD, path, 0);
}
EXPORT int unlinkat(int dirfd, const char *path, int flags) {
  return gone(dirfd, path, flags);
}
EXPORT int rmdir(const char *path) {
  return gone(AT_FDCWD, path, AT_REMOVEDIR);
}
EXPORT int remove(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return -1;
  return gone(AT_FDCWD, path, S_ISDIR(found.st_mode) ? AT_REMOVEDIR : 0);
}

EXPORT int mkdirat(int dirfd, const char *path, mode_t mode) {
  char at[PATHS];
  pthread_once(&once, begin);
  if (!is_on() || !resolve(dirfd, path, at)) return real_mkdirat(dirfd, path, mode);
  struct turn turn;
  take(&turn);
  struct stat found;
  int done = real_mkdirat(dirfd, path, mode);
  if (done == 0 && stat(at, &found) == 0) note_paths(&turn, 'M', found.st_ino, at, NULL);
  give(&turn);
  return done;
}
EXPORT int mkdir(const char *path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}

EXPORT int linkat(int fromfd, const char *from, int tofd, const char *to, int flags) {
  char old[PATHS], now[PATHS];
  pthread_once(&once, begin);
  if (!is_on() || !resolve(tofd, to, now)) return real_linkat(fromfd, from, tofd, to, flags);
  struct turn turn;
  take(&turn);
  struct stat found;
  int done = real_linkat(fromfd, from, tofd, to, flags);
  if (done == 0 && lstat(now, &found) == 0) {
    resolve(fromfd, from, old);
    note_paths(&turn, 'L', found.st_ino, now, NULL);
  }
  give(&turn);
  return done;
}
EXPORT int link(const char *from, const char *to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
EXPORT int symlinkat(const char *target, int dirfd, const char *path) {
  char at[PATHS];
  pthread_once(&once, begin);
  if (!is_on() || !resolve(dirfd, path, at)) return real_symlinkat(target, dirfd, path);
  struct turn turn;
  take(&turn);
  struct stat found;
  int done = real_symlinkat(target, dirfd, path);
  if (done == 0 && lstat(at, &found) == 0) note_paths(&turn, 'S', found.st_ino, at, target);
  give(&turn);
  return done;
}
EXPORT int symlink(const char *target, const char *path) {
  return symlinkat(target, AT_FDCWD, path);
}

/* The clock */

static int64_t shift(clockid_t clock) {
  return control && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) ? control->shift : 0;
}
EXPORT int clock_gettime(clockid_t clock, struct timespec *now) {
  pthread_once(&once, begin);
  int done = real_clock_gettime(clock, now);
  if (done == 0) now->tv_sec += shift(clock);
  return done;
}
EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  pthread_once(&once, begin);
  int done = real_gettimeofday(now, zone);
  if (done == 0) now->tv_sec += shift(CLOCK_REALTIME);
  return done;
}
EXPORT time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

/* Node calls the kernel in this way for what older C libraries have no name for. */
EXPORT long syscall(long number, ...) {
  pthread_once(&once, begin);
  va_list rest;
  va_start(rest, number);
  long given[6];
  for (int at = 0; at < 6; at++) given[at] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_copy_file_range)
    return copy_file_range((int)given[0], (off_t *)given[1], (int)given[2], (off_t *)given[3], (size_t)given[4],
                           (unsigned)given[5]);
  return real_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

EXPORT int close(int fd) {
  pthread_once(&once, begin);
  if (fd >= 0 && fd == journal) {
    errno = EBADF;
    return -1;
  }
  return real_close(fd);
}
