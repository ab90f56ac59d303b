/*
 * Shifts the wall clock of each process that preloads it (LD_PRELOAD), without a restart. The monotonic clock is not
 * changed.
 *
 * CLOCK_SHIFT names a file of 8 bytes: the shift in milliseconds, a signed integer in the machine's byte order. All
 * processes map the file, so a change applies to all of them at once.
 *
 * Timed waits take a deadline on the wall clock, and the kernel compares it with the machine's clock. So the deadline is
 * shifted back: otherwise each wait would end at once after a shift back, and threads that wait in a loop would use all
 * processors.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
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

/*
 * The deadline on the machine's clock. A deadline on the monotonic clock, which a condition variable may use, is left as
 * it is: it counts from the start of the machine, so it is less than 10^9 s (31 years).
 */
static struct timespec unshifted(const struct timespec *deadline) {
  struct timespec real = *deadline;
  if (shift_ms != NULL && real.tv_sec > 1000000000) real.tv_sec -= atomic_load(shift_ms) / 1000;
  return real;
}

/* The version that programs link to; dlsym would find the oldest one, which has another pthread_cond_t. */
#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION "GLIBC_2.17"
#endif

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (real == NULL) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", CONDITION_VERSION);
  struct timespec at = unshifted(deadline);
  return real(condition, mutex, &at);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (real == NULL) real = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  struct timespec at = unshifted(deadline);
  return real(condition, mutex, clock, &at);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  static int (*real)(sem_t *, const struct timespec *);
  if (real == NULL) real = dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec at = unshifted(deadline);
  return real(semaphore, &at);
}
