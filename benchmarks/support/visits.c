/*
 * The load generator of the redirect benchmarks. Bun compiles it (bun:ffi's cc) when a benchmark starts, without a C
 * compiler and header files. So this file declares the functions of the C library that it uses. Linux only.
 *
 * One thread uses one epoll. For each visit, it takes the next pick, copies one of the prepared heads, writes the
 * link's key into it and a random address after it, and sends it. It reads the answer to its end by Content-Length
 * (without one, the answer has no body), and compares the beginning.
 * Closed loop (perSecond 0): each connection sends its next visit when the answer is complete.
 * Open loop: visit i is due at start + i / perSecond, however slow the server is. It is sent on the connection that has
 * been idle for the shortest time, or waits for one. Its latency counts from when it was due, so that a stall of the
 * server counts for all visits that it delays.
 */
typedef unsigned int u32;
typedef unsigned long u64;
struct timespec { long seconds, nanoseconds; };
#if defined(__x86_64__)
struct event { u32 events; u64 value; } __attribute__((packed));
#else
struct event { u32 events; u64 value; };
#endif
struct address { unsigned short family, port; u32 host; char zeros[8]; };

int socket(int, int, int);
int connect(int, const void *, u32);
int setsockopt(int, int, int, const void *, u32);
int fcntl(int, int, ...);
int close(int);
int prctl(int, ...);
long read(int, void *, u64);
long write(int, const void *, u64);
int epoll_create1(int);
int epoll_ctl(int, int, int, struct event *);
int epoll_wait(int, struct event *, int, int);
long syscall(long, ...);
int clock_gettime(int, struct timespec *);
void *memmem(const void *, u64, const void *, u64);
int memcmp(const void *, const void *, u64);
void *memcpy(void *, const void *, u64);
void *memmove(void *, const void *, u64);
long strtol(const char *, char **, int);

enum { connectionsMax = 1024, answerBytesMax = 16384, headBytesMax = 8192, keyDigits = 8, addressBytesMax = 19 };
enum { epollIn = 1, epollAdd = 1, epollPwait2 = 441, monotonic = 1, threadCpu = 3, timerSlack = 29 };
enum { ok = 0, noConnection = 1, headTooLong = 2, tooManyConnections = 3, partlySent = 4 };

struct connection { int fd, isBusy; double dueAt; long received; char *bytes; };

/* The parameters and results of a round. All fields have eight bytes, because visits-worker.ts writes them in order. */
struct round {
  char *heads; u32 *headStarts; u64 headCount, keyOffset;
  u32 *picks; u64 pickCount, firstPick;
  char *expected; u64 expectedBytes;
  u64 port, connections;
  double seconds, perSecond;
  float *latencies, *delays; u64 latenciesMax;
  /* Results. */
  double answered, measuredSeconds, cpuSeconds, wrong, unanswered;
};

static struct connection all[connectionsMax];
static char buffers[connectionsMax][answerBytesMax];
static char request[headBytesMax];
static struct event events[connectionsMax];
static int idle[connectionsMax];
static int epoll;
static u64 visits, headNumber;

static double clockOf(int which) {
  struct timespec time;
  clock_gettime(which, &time);
  return time.seconds + time.nanoseconds / 1e9;
}

static int dial(struct round *round, int index) {
  struct address address = {2, 0, 0x0100007f};
  struct event event = {epollIn, index};
  int yes = 1;
  int fd = socket(2, 1, 0);
  address.port = (round->port & 255) << 8 | round->port >> 8;
  if (fd < 0 || connect(fd, &address, sizeof address) != 0) return noConnection;
  setsockopt(fd, 6, 1, &yes, sizeof yes);
  fcntl(fd, 4, 2048);
  all[index].fd = fd;
  all[index].isBusy = 0;
  all[index].received = 0;
  all[index].bytes = buffers[index];
  return epoll_ctl(epoll, epollAdd, fd, &event) == 0 ? ok : noConnection;
}

static char *writeOctet(char *at, u32 octet) {
  if (octet >= 100) *at++ = '0' + octet / 100;
  if (octet >= 10) *at++ = '0' + octet / 10 % 10;
  *at++ = '0' + octet % 10;
  return at;
}

/* Writes a random IPv4 address (xorshift32) and the end of the head. Returns the end. */
static char *writeAddress(char *at) {
  static u32 random = 2463534242u;
  int shift;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  at = writeOctet(at, 1 + random % 223);
  for (shift = 8; shift < 32; shift += 8) {
    *at++ = '.';
    at = writeOctet(at, random >> shift & 255);
  }
  memcpy(at, "\r\n\r\n", 4);
  return at + 4;
}

static int send(struct round *round, struct connection *connection, double dueAt) {
  u64 head = headNumber++ % round->headCount;
  u32 start = round->headStarts[head];
  u32 length = round->headStarts[head + 1] - start;
  /* Like keyOf in links.ts: with an odd factor, numbers have distinct keys in scattered order. */
  u32 key = round->picks[(round->firstPick + visits++) % round->pickCount] * 2654435761u;
  int digit;
  if (length + addressBytesMax > headBytesMax) return headTooLong;
  memcpy(request, round->heads + start, length);
  for (digit = keyDigits - 1; digit >= 0; digit--, key >>= 4) {
    request[round->keyOffset + digit] = "0123456789abcdef"[key & 15];
  }
  length = writeAddress(request + length) - request;
  connection->dueAt = dueAt;
  connection->isBusy = 1;
  return write(connection->fd, request, length) == length ? ok : partlySent;
}

/* The length of the whole answer; 0 until it is known. */
static long bytesOf(struct connection *connection) {
  char *end = memmem(connection->bytes, connection->received, "\r\n\r\n", 4);
  char *field;
  long head;
  if (end == 0) return 0;
  head = end + 4 - connection->bytes;
  field = memmem(connection->bytes, head, "Content-Length: ", 16);
  if (field == 0) field = memmem(connection->bytes, head, "content-length: ", 16);
  return head + (field == 0 ? 0 : strtol(field + 16, 0, 10));
}

/* Returns 1 when the answer is complete, 0 when it is not, and -1 when the server has closed the connection. */
static int receive(struct connection *connection) {
  long got = read(connection->fd, connection->bytes + connection->received, answerBytesMax - connection->received);
  long whole;
  if (got <= 0) return -1;
  connection->received += got;
  whole = bytesOf(connection);
  return whole != 0 && connection->received >= whole;
}

static void record(struct round *round, struct connection *connection, double now) {
  u64 number = round->answered++;
  if (number < round->latenciesMax) round->latencies[number] = (now - connection->dueAt) * 1000;
  if (memcmp(connection->bytes, round->expected, round->expectedBytes) != 0) round->wrong++;
  connection->received = 0;
  connection->isBusy = 0;
}

/* Runs a round. Returns 0, or the number of the failure. */
int run(struct round *round) {
  int isOpen = round->perSecond > 0, connections = round->connections;
  int index, ready, idleCount = 0, busyCount = 0, failure = ok;
  double startedAt, endAt, giveUpAt, now, cpuBefore = clockOf(threadCpu);
  u64 due = 0, dueTotal;
  if (connections > connectionsMax) return tooManyConnections;
  prctl(timerSlack, 1L);
  epoll = epoll_create1(0);
  visits = round->answered = round->wrong = round->unanswered = 0;
  for (index = 0; index < connections && failure == ok; index++) failure = dial(round, index);
  startedAt = now = clockOf(monotonic);
  endAt = startedAt + round->seconds;
  /* How long to wait for answers to visits that were due. */
  giveUpAt = endAt + 10;
  dueTotal = isOpen ? (endAt - startedAt) * round->perSecond : 0;
  for (index = 0; index < connections && failure == ok; index++) {
    if (isOpen) idle[idleCount++] = index;
    else failure = send(round, &all[index], now), busyCount++;
  }
  while (failure == ok && now < giveUpAt && (busyCount > 0 || (isOpen && due < dueTotal))) {
    if (isOpen) {
      struct timespec wait = {1, 0};
      double nextAt = startedAt + due / round->perSecond;
      while (failure == ok && due < dueTotal && nextAt <= now && idleCount > 0) {
        if (due < round->latenciesMax) round->delays[due] = (clockOf(monotonic) - nextAt) * 1000;
        failure = send(round, &all[idle[--idleCount]], nextAt);
        busyCount++;
        nextAt = startedAt + ++due / round->perSecond;
      }
      if (due < dueTotal && idleCount > 0) {
        double pause = nextAt - clockOf(monotonic);
        wait.seconds = 0;
        wait.nanoseconds = pause <= 0 ? 0 : pause >= 1 ? 999999999 : pause * 1e9;
      }
      ready = syscall(epollPwait2, epoll, events, connectionsMax, &wait, 0L, 8L);
    } else {
      ready = epoll_wait(epoll, events, connectionsMax, 1000);
    }
    now = clockOf(monotonic);
    for (index = 0; index < ready && failure == ok; index++) {
      struct connection *connection = &all[events[index].value];
      int state = receive(connection);
      if (state == 0) continue;
      if (state < 0) {
        int wasBusy = connection->isBusy;
        close(connection->fd);
        if (wasBusy) busyCount--, round->wrong++;
        failure = dial(round, events[index].value);
        if (isOpen && !wasBusy) continue;
      } else {
        now = clockOf(monotonic);
        record(round, connection, now);
        busyCount--;
      }
      if (isOpen) idle[idleCount++] = events[index].value;
      else if (now < endAt && failure == ok) failure = send(round, connection, now), busyCount++;
    }
    now = clockOf(monotonic);
  }
  round->measuredSeconds = (isOpen ? endAt : now) - startedAt;
  round->cpuSeconds = clockOf(threadCpu) - cpuBefore;
  round->unanswered = busyCount + (dueTotal - due);
  for (index = 0; index < connections; index++) close(all[index].fd);
  close(epoll);
  return failure;
}
