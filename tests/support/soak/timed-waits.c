/* Waits 200 ms in each way to wait until a time on the wall clock; prints the milliseconds that each wait took. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static const long wait_ns = 200 * 1000000L;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_cond_t monotonic_condition;
static sem_t semaphore;

static void wait_in_condition(const struct timespec *deadline) {
  pthread_cond_timedwait(&condition, &mutex, deadline);
}

static void wait_by_clock(const struct timespec *deadline) {
  pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, deadline);
}

static void wait_for_semaphore(const struct timespec *deadline) {
  sem_timedwait(&semaphore, deadline);
}

static void wait_by_monotonic_clock(const struct timespec *deadline) {
  pthread_cond_timedwait(&monotonic_condition, &mutex, deadline);
}

static void measure(void (*wait)(const struct timespec *), clockid_t clock) {
  struct timespec deadline, start, end;
  clock_gettime(clock, &deadline);
  deadline.tv_nsec += wait_ns;
  deadline.tv_sec += deadline.tv_nsec / 1000000000L;
  deadline.tv_nsec %= 1000000000L;
  clock_gettime(CLOCK_MONOTONIC, &start);
  wait(&deadline);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%ld\n", (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000);
}

int main(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic_condition, &attributes);
  sem_init(&semaphore, 0, 0);
  pthread_mutex_lock(&mutex);

  measure(wait_in_condition, CLOCK_REALTIME);
  measure(wait_by_clock, CLOCK_REALTIME);
  measure(wait_for_semaphore, CLOCK_REALTIME);
  measure(wait_by_monotonic_clock, CLOCK_MONOTONIC);
  return 0;
}
