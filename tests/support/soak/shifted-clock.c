/*
 * Shifts the wall clock of each process that preloads it (LD_PRELOAD), without a restart. The monotonic clock is not
 * changed.
 *
 * CLOCK_SHIFT names a file of 8 bytes: the shift in milliseconds, a signed integer in the machine's byte order. All
 * processes map the file, so a change applies to all of them at once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int (*real_clock)(clockid_t, struct timespec *);
static _Atomic int64_t *shift_ms;

__attribute__((constructor)) static void open_shift(void) {
  real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("CLOCK_SHIFT");
  if (path == NULL) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) shift_ms = page;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  /* Other libraries may read the clock before the constructor has run. */
  if (real_clock == NULL) open_shift();
  int result = real_clock(clock, at);
  if (result != 0 || shift_ms == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  /* Whole seconds: the plan shifts by nothing else. */
  at->tv_sec += atomic_load(shift_ms) / 1000;
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}
