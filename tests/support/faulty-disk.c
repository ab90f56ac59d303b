/*
 * Makes writes fail as a broken disk does, in the process that it is preloaded into (LD_PRELOAD).
 *
 * FAULT_FILES is the prefix of the affected paths. FAULT_CONTROL is a file with "<errno> <per mille>": "5 300" makes
 * 300 of 1,000 calls fail with EIO. Without the file, no call fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static __thread unsigned int seed;

/* The errno to fail with; 0 to call the real function. */
static int fault_of_path(const char *path) {
  const char *files = getenv("FAULT_FILES"), *control = getenv("FAULT_CONTROL");
  if (files == NULL || control == NULL || strncmp(path, files, strlen(files)) != 0) return 0;
  int file = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32];
  ssize_t length = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  if (length <= 0) return 0;
  text[length] = 0;
  int code = 0, share = 0;
  if (sscanf(text, "%d %d", &code, &share) != 2) return 0;
  if (seed == 0) seed = (unsigned int)syscall(SYS_gettid);
  return rand_r(&seed) % 1000 < share ? code : 0;
}

static int fault_of_file(int file) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return fault_of_path(path);
}

#define FAIL_FOR(code, result) \
  do { \
    int fault = (code); \
    if (fault != 0) { \
      errno = fault; \
      return result; \
    } \
  } while (0)

#define ON_FILE(type, name, parameters, arguments) \
  type name parameters { \
    static type(*real) parameters; \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    FAIL_FOR(fault_of_file(file), -1); \
    return real arguments; \
  }

ON_FILE(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
ON_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
ON_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
ON_FILE(int, fsync, (int file), (file))
ON_FILE(int, fdatasync, (int file), (file))
ON_FILE(int, ftruncate, (int file, off_t length), (file, length))
ON_FILE(int, ftruncate64, (int file, off64_t length), (file, length))

#define ON_PATH(name, parameters, arguments) \
  int name parameters { \
    static int (*real) parameters; \
    if (real == NULL) real = (int (*) parameters)dlsym(RTLD_NEXT, #name); \
    FAIL_FOR(fault_of_path(path), -1); \
    return real arguments; \
  }

ON_PATH(unlink, (const char *path), (path))
ON_PATH(remove, (const char *path), (path))
ON_PATH(rename, (const char *path, const char *to), (path, to))

#define ON_OPEN(name) \
  int name(const char *path, int flags, ...) { \
    static int (*real)(const char *, int, ...); \
    if (real == NULL) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    if ((flags & O_ACCMODE) != O_RDONLY) FAIL_FOR(fault_of_path(path), -1); \
    return real(path, flags, mode); \
  }

ON_OPEN(open)
ON_OPEN(open64)
