/* Stand-in for libcuda.so.1, so that the tests of `gpusched run`, of the C interface and of exports need no GPU. It has 132 SMs in groups of 8. Kernels run in the
   calling thread. Environment variables inject faults:
     FAKE_VERSION=12040      version of the driver
     FAKE_NAME=NAME          name of the GPU
     FAKE_GROUPS=4           most groups of a split
     FAKE_SHORT=2            each context has so many SMs less
     FAKE_SHARED=1           all contexts have the same SMs
     FAKE_WANDER=N           after N launches that observe SMs, a context has other SMs
     FAKE_FAIL=NAME:N:CODE   the call NAME fails with CODE after N calls; without N and CODE, always with 801 (not supported)
     FAKE_STICKY=CODE        after the failure of FAKE_FAIL, each query of a stream returns CODE
     FAKE_CLUSTERS=1         from CUDA 13.1, only groups of any SMs exist
     FAKE_HANG=N             the N-th job and all later jobs never end
     FAKE_MAJOR=9            major number of the compute capability
     FAKE_MOST=15            most green contexts at the same time
     FAKE_LEFT=1             at the end, prints the number of contexts that still exist
     FAKE_RELEASE=1          prints the release of the primary context
     FAKE_THREADS=N          with this library in LD_PRELOAD, the system creates N threads and refuses one
     FAKE_DRIFT=50           each reading of the clocks is so many MHz lower
     FAKE_REASONS=4          reasons for reduced clocks
     FAKE_SPEED=60           with this library in LD_PRELOAD, the monotonic clock is so many times as fast
     FAKE_REST=1             no context can have the rest of a split
     FAKE_TICK=1024          the timer of the GPU counts in steps of so many ns; 0: it stands still, and kernels that wait for it trap
     FAKE_GPCS=18,18,…       SMs of the GPCs, with their TPCs in turn
     FAKE_LONELY=124         from this SM on, only clusters of two blocks run
     FAKE_ORDER=ascending    order in which blocks get SMs; even-odd, descending or gpcs
     FAKE_PRIORITIES=0       all streams have one priority
     FAKE_SLICE=0            kernels of two contexts do not run in turn
     FAKE_APART=1            all blocks of the kernel that uses shared memory run on one SM
     FAKE_CLOCKLESS=1        the driver does not state the clock of the memory
     FAKE_MOVED=1            at the end, prints how often kernels moved memory, and the SMs of the last one
   Kernels of a calibration do not run: their times come from a model of the machine. Reads of DRAM take 1 ns per 20 bytes and SM, up to 1 ns
   per 1000 bytes; writes take twice as long; reads of L2 take half as long, without a limit.
   Work of a plugin can also wait in a stream (struct Green): then each question about the stream or its events ends one job.
   A program calls fake_contexts() for the number of contexts that exist.
   The library is also a stand-in for libnvidia-ml.so.1.
   No CUDA header is needed: all types are stated here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct { unsigned type; unsigned char internal[92]; unsigned count, least, alignment; unsigned char rest[36]; } Resource;
typedef struct { unsigned sms; } Description;
typedef struct { unsigned sms, first, launched, ended, endless; uint64_t id, *captured, extra; int priority; } Green;
typedef struct { uint64_t time; Green *stream; unsigned launched; } Event;
_Static_assert(sizeof(Resource) == 144, "layout of CUdevResource");

static const char *NAMES[] = {"gpusched_spin", "gpusched_flag", "gpusched_smid", "gpusched_ticks", "gpusched_log", "gpusched_read", "gpusched_write", "gpusched_gaps", "gpusched_pipe"};
static int calls, broken, jobs, contexts;
static unsigned next_sm;

static long number(const char *name, long otherwise) { const char *text = getenv(name); return text ? atol(text) : otherwise; }

/* The error of this call; 0 for success. */
static int failing(const char *name) {
  const char *fail = getenv("FAKE_FAIL");
  size_t length = strlen(name);
  if (!fail || strncmp(fail, name, length) != 0 || (fail[length] && fail[length] != ':')) return 0;
  long after = 0, code = 801;
  sscanf(fail + length, ":%ld:%ld", &after, &code);
  if (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) < after) return 0;
  broken = 1;
  return (int)code;
}
#define FAIL do { int code = failing(__func__); if (code) return code; } while (0)

int cuInit(unsigned flags) { (void)flags; FAIL; return 0; }
int cuDriverGetVersion(int *version) { *version = (int)number("FAKE_VERSION", 13000); return 0; }
int cuGetErrorName(int code, const char **name) {
  switch (code) {
  case 1: *name = "CUDA_ERROR_INVALID_VALUE"; return 0;
  case 100: *name = "CUDA_ERROR_NO_DEVICE"; return 0;
  case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return 0;
  case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return 0;
  case 719: *name = "CUDA_ERROR_LAUNCH_FAILED"; return 0;
  case 915: *name = "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"; return 0;
  case 801: *name = "CUDA_ERROR_NOT_SUPPORTED"; return 0;
  default: *name = 0; return 1;
  }
}
int cuDeviceGet(int *device, int ordinal) { FAIL; *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int length, int device) { (void)device; FAIL; const char *own = getenv("FAKE_NAME"); snprintf(name, (size_t)length, "%s", own ? own : "Fake H100"); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  FAIL;
  switch (attribute) {
  case 8: *value = 49152; break;           /* shared memory of a block */
  case 12: case 82: *value = 65536; break; /* registers of a block and of an SM */
  case 36: *value = 2619000; return getenv("FAKE_CLOCKLESS") ? 1 : 0; /* clock of the memory in kHz */
  case 37: *value = 5120; break;           /* width of its bus in bits */
  case 38: *value = 1 << 20; break;        /* L2 */
  case 39: *value = 2048; break;           /* threads of an SM */
  case 75: *value = (int)number("FAKE_MAJOR", 9); break;
  case 76: *value = 0; break;
  case 81: *value = 233472; break;         /* shared memory of an SM */
  case 97: *value = 232448; break;         /* most shared memory of a block */
  case 106: *value = 32; break;            /* blocks of an SM */
  default: return 1;
  }
  return 0;
}
int cuDeviceGetUuid(unsigned char *uuid, int device) { (void)device; FAIL; for (unsigned char i = 0; i < 16; ++i) uuid[i] = i; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; FAIL; *context = &calls; return 0; }
int cuDevicePrimaryCtxRelease(int device) { (void)device; if (getenv("FAKE_RELEASE")) fprintf(stderr, "context released\n"); return 0; }
int cuCtxSetCurrent(void *context) { FAIL; return context == &calls || context == &broken ? 0 : 1; }
int cuCtxCreate(void **context, unsigned flags, int device) { (void)device; FAIL; *context = &broken; return flags ? 1 : 0; }
int cuCtxDestroy(void *context) { return context == &broken ? 0 : 1; }
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) { FAIL; *memory = aligned_alloc(128, (bytes + 127) / 128 * 128); return flags == 3 && *memory ? 0 : 1; }
int cuMemHostGetDevicePointer(uint64_t *address, void *memory, unsigned flags) { FAIL; *address = (uint64_t)(uintptr_t)memory; return flags ? 1 : 0; }
int cuMemFreeHost(void *memory) { free(memory); return 0; }
int cuMemAlloc(uint64_t *address, size_t bytes) { FAIL; *address = (uint64_t)(uintptr_t)malloc(bytes); return 0; }
int cuMemFree(uint64_t address) { free((void *)(uintptr_t)address); return 0; }
int cuMemcpyDtoH(void *to, uint64_t from, size_t bytes) { FAIL; memcpy(to, (void *)(uintptr_t)from, bytes); return 0; }
int cuMemsetD32(uint64_t to, unsigned value, size_t count) { FAIL; for (size_t i = 0; i < count; ++i) ((unsigned *)(uintptr_t)to)[i] = value; return 0; }
int cuModuleLoadData(void **module, const void *image) { FAIL; *module = (void *)NAMES; return strstr(image, ".visible .entry gpusched_spin") || strstr(image, ".visible .entry gpusched_ticks") ? 0 : 1; }
int cuModuleUnload(void *module) { (void)module; return 0; }
int cuModuleGetFunction(const char **function, void *module, const char *name) {
  FAIL;
  for (int i = 0; i < 9; ++i) if (module == (void *)NAMES && !strcmp(name, NAMES[i])) { *function = NAMES[i]; return 0; }
  return 500;
}
int cuFuncSetAttribute(const char *function, int attribute, int value) { (void)function; FAIL; return (attribute == 8 && value == 232448) || (attribute == 14 && value == 1) ? 0 : 1; }

static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }
static int hangs(void) { return jobs >= number("FAKE_HANG", 1 << 30); }
/* The timer of the GPU. */
static int trapped;
static uint64_t timer(void) { uint64_t tick = (uint64_t)number("FAKE_TICK", 1); return tick ? now() / tick * tick : 0; }

/* The GPC of an SM. The TPCs of all GPCs have their numbers in turn. */
static unsigned gpc_of(unsigned sm) {
  unsigned sizes[16], count = 0, tpc = sm / 2;
  const char *text = getenv("FAKE_GPCS");
  for (text = text ? text : "18,18,16,16,16,16,16,16"; text && count < 16; text = strchr(text, ',') ? strchr(text, ',') + 1 : 0) sizes[count++] = (unsigned)atoi(text) / 2;
  for (unsigned row = 0;; ++row)
    for (unsigned gpc = 0; gpc < count; ++gpc)
      if (sizes[gpc] > row && tpc-- == 0) return gpc;
}

/* The number of the SM that gets block `block`, for a stream with all SMs. */
static unsigned ordered(const Green *stream, unsigned block) {
  const char *order = getenv("FAKE_ORDER");
  unsigned at = block % stream->sms, half = (stream->sms + 1) / 2;
  if (!order || !strcmp(order, "ascending")) return at;
  if (!strcmp(order, "descending")) return stream->sms - 1 - at;
  if (!strcmp(order, "even-odd")) return at < half ? 2 * at : 2 * (at - half) + 1;
  for (unsigned gpc = 0;; ++gpc)
    for (unsigned sm = 0; sm < stream->sms; ++sm) if (gpc_of(sm) == gpc && at-- == 0) return sm;
}

/* The time of a kernel that moves `bytes` bytes of a memory with `size` bytes. */
static uint64_t moving(unsigned sms, uint64_t size, uint64_t bytes, int writes) {
  uint64_t dram = 20u * sms < 1000 ? 20u * sms : 1000, rate = size <= 1 << 20 ? 40u * sms : dram;
  return bytes * (writes ? 2 : 1) / rate;
}

static unsigned moved[2][2], mover; /* reads and writes of DRAM and of L2 */
static uint64_t low_start, low_block, low_end; /* the last kernel of the lowest priority */
static uint64_t pipe_start; /* of the first kernel on an execution pipe since the last synchronization; 0 before it */
static unsigned pipe_of;
int cuLaunchKernel(const char *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared, Green *stream, void **arguments, void **extra) {
  FAIL;
  if (trapped) return 719;
  if ((function == NAMES[0] || function == NAMES[4] || function == NAMES[7]) && !number("FAKE_TICK", 1) && !(stream && stream->captured)) { trapped = 1; return 0; }
  if (function == NAMES[7]) {
    /* A kernel runs for 2 ms, and then pauses for 2.4 ms. */
    uint64_t *out = (uint64_t *)(uintptr_t) * (uint64_t *)arguments[0], count = number("FAKE_SLICE", 1) ? 40 : 0;
    for (uint64_t i = 0; i < count; ++i) { out[2 * i] = i * 4400000 + 2000000; out[2 * i + 1] = (i + 1) * 4400000; }
    out[2 * *(unsigned *)arguments[1]] = count;
    return stream || x * tx != 1 ? 1 : 0;
  }
  if (!stream || extra || y * z * ty * tz != 1 || x == 0 || tx == 0) return 1;
  if (function == NAMES[0]) {
    uint64_t duration = *(uint64_t *)arguments[0], start = timer();
    if (x != stream->sms) return 1;
    if (stream->captured) { *stream->captured += duration; return 0; }
    __atomic_fetch_add(&jobs, 1, __ATOMIC_RELAXED);
    while (timer() < start + duration) {}
  } else if (function == NAMES[1]) {
    if (!hangs()) __atomic_store_n((uint32_t *)(uintptr_t) * (uint64_t *)arguments[0], *(uint32_t *)arguments[1], __ATOMIC_RELEASE);
  } else if (function == NAMES[2]) {
    uint32_t *ids = (uint32_t *)(uintptr_t) * (uint64_t *)arguments[0];
    static long launches;
    unsigned first = stream->first + (launches++ >= number("FAKE_WANDER", 1 << 30) ? 8 : 0);
    if (shared != 232448) return 1;
    for (unsigned i = 0; i < x; ++i) ids[i] = stream->sms == 132 ? ordered(stream, i) : first + i % stream->sms;
  } else if (function == NAMES[3]) {
    uint64_t *out = (uint64_t *)(uintptr_t) * (uint64_t *)arguments[0], tick = (uint64_t)number("FAKE_TICK", 1);
    unsigned count = *(unsigned *)arguments[1];
    static unsigned launches;
    /* One launch is interrupted for a while. */
    for (unsigned i = 0; i < count; ++i) out[i] = (i + 1 + (launches == 1 && i > 7 ? 5000 : 0)) * tick;
    launches += 1;
    out[count] = tick ? count : 0;
  } else if (function == NAMES[4]) {
    uint64_t *out = (uint64_t *)(uintptr_t) * (uint64_t *)arguments[0], duration = *(uint64_t *)arguments[1], begin = timer();
    /* A kernel of the highest priority starts when the running blocks of the other kernel have ended. */
    if (stream->priority) { if (begin < low_end) begin = low_start + ((begin - low_start) / low_block + 1) * low_block; }
    else { low_start = begin; low_block = duration; low_end = begin + (x / (stream->sms * 2)) * duration; }
    for (unsigned i = 0; i < x; ++i) {
      uint64_t start = begin + i / (stream->sms * 2) * duration, log[] = {start, start + duration, stream->first + i % stream->sms};
      memcpy(out + 3 * i, log, sizeof log);
    }
  } else if (function == NAMES[8]) {
    uint64_t *out = (uint64_t *)(uintptr_t) * (uint64_t *)arguments[0], begin = timer();
    unsigned pipe = *(unsigned *)arguments[1], lost = (unsigned)number("FAKE_APART", 0);
    uint64_t duration = (uint64_t)*(unsigned *)arguments[2] * (pipe + 1) * 8;
    if (x != stream->sms || tx != 512 || pipe > 4) return 1;
    if (!pipe_start) { pipe_start = begin; pipe_of = pipe; }
    else {
      begin = pipe_start + 100000;
      if (pipe == pipe_of) duration *= 2;
      else if (pipe < 2 && pipe_of < 2) duration += duration / 2; /* 32-bit floating point and integers */
    }
    for (unsigned i = 0; i < x; ++i) {
      uint64_t log[] = {begin, begin + duration, stream->first + (lost && pipe == 4 ? 0 : i)};
      memcpy(out + 3 * i, log, sizeof log);
    }
  } else {
    uint64_t data = *(uint64_t *)arguments[0], bytes = *(uint64_t *)arguments[1] * 16;
    if (!data || tx != 256 || x != stream->sms * 8) return 1;
    ((char *)(uintptr_t)data)[bytes - 1] = 1;
    moved[function == NAMES[6]][bytes <= 1 << 20] += 1;
    mover = stream->sms;
    stream->extra += moving(stream->sms, bytes, bytes * *(unsigned *)arguments[2], function == NAMES[6]);
  }
  return 0;
}
/* A cluster runs on neighboring SMs of a GPC. */
typedef struct { unsigned grid[3], block[3], shared; Green *stream; const unsigned *attributes; unsigned count; } Launch;
int cuLaunchKernelEx(const Launch *launch, const char *function, void **arguments, void **extra) {
  FAIL;
  static unsigned turn;
  uint32_t *ids = (uint32_t *)(uintptr_t) * (uint64_t *)arguments[0];
  unsigned size = launch->attributes[2], lonely = (unsigned)number("FAKE_LONELY", 132);
  if (extra || function != NAMES[2] || launch->count != 1 || launch->attributes[0] != 4 || launch->attributes[3] != 1 || launch->attributes[4] != 1 || launch->grid[0] % size) return 1;
  for (unsigned block = 0; block < launch->grid[0]; block += size) {
    unsigned sms[132], count = 0, tries = 0;
    for (; count < size && tries < 16; ++tries) {
      unsigned gpc = turn++ % 16;
      count = 0;
      for (unsigned sm = 0; sm < launch->stream->sms; ++sm) if (gpc_of(sm) == gpc && (size == 2 || sm < lonely)) sms[count++] = sm;
    }
    if (count < size) return 912;
    unsigned from = size == 2 ? turn / 16 % (count / 2) * 2 : turn / 16 % count;
    for (unsigned i = 0; i < size; ++i) ids[block + i] = sms[(from + i) % count];
  }
  return 0;
}
int cuCtxGetStreamPriorityRange(int *lowest, int *highest) { FAIL; *lowest = 0; *highest = -(int)number("FAKE_PRIORITIES", 5); return 0; }
/* A graph is a time in ns. A capture adds the times of the kernels on its stream. */
int cuStreamBeginCapture_v2(Green *stream, int mode) { FAIL; if (mode != 1 || stream->captured) return 1; stream->captured = calloc(1, sizeof *stream->captured); return 0; }
int cuStreamEndCapture(Green *stream, uint64_t **graph) { FAIL; *graph = stream->captured; stream->captured = 0; return *graph ? 0 : 1; }
int cuGraphInstantiateWithFlags(uint64_t **executable, uint64_t *graph, unsigned long long flags) { FAIL; *executable = graph; return flags ? 1 : 0; }
int cuGraphExecDestroy(uint64_t *executable) { free(executable); return 0; }
int cuStreamGetId(Green *stream, uint64_t *id) { FAIL; *id = stream->id; return 0; }
int cuGraphLaunch(const uint64_t *time, Green *stream) {
  FAIL;
  if (!time || !stream) return 1;
  __atomic_fetch_add(&jobs, 1, __ATOMIC_RELAXED);
  for (uint64_t end = now() + *time; now() < end;) {}
  return 0;
}
/* Ends one job that waits in the stream. */
static void proceed(Green *stream) { if (stream && !stream->endless && stream->ended != stream->launched) stream->ended += 1; }
int cuStreamQuery(Green *stream) {
  FAIL;
  if (broken && getenv("FAKE_STICKY")) return (int)number("FAKE_STICKY", 0);
  if (trapped) return 719;
  proceed(stream);
  return hangs() || (stream && stream->ended != stream->launched) ? 600 : 0;
}
int cuStreamSynchronize(Green *stream) { FAIL; if (trapped) return 719; pipe_start = 0; while (stream && stream->ended != stream->launched) proceed(stream); return 0; }
int cuStreamDestroy(Green *stream) { return stream ? 0 : 1; }
int cuStreamWriteValue32(Green *stream, uint64_t address, unsigned value, unsigned flags) {
  FAIL;
  if (!stream || flags) return 1;
  if (!hangs()) __atomic_store_n((uint32_t *)(uintptr_t)address, value, __ATOMIC_RELEASE);
  return 0;
}

int cuEventCreate(Event **event, unsigned flags) { FAIL; *event = calloc(1, sizeof **event); return flags ? 1 : 0; }
int cuEventRecord(Event *event, Green *stream) { FAIL; if (!stream) return 1; *event = (Event){now() + stream->extra, stream, stream->launched}; return 0; }
int cuEventQuery(Event *event) {
  FAIL;
  if (trapped) return 719;
  if (!event->stream) return 1;
  proceed(event->stream);
  return (int)(event->stream->ended - event->launched) >= 0 ? 0 : 600;
}
int cuEventSynchronize(Event *event) { FAIL; if (trapped) return 719; return event->time ? 0 : 1; }
int cuEventElapsedTime(float *milliseconds, const Event *start, const Event *end) { FAIL; *milliseconds = (float)(end->time - start->time) / 1e6f; return 0; }
int cuEventDestroy(Event *event) { free(event); return 0; }

static void describe(Resource *resource, unsigned sms) { memset(resource, 0, sizeof *resource); resource->type = 1; resource->count = sms; resource->least = resource->alignment = 8; }
int cuDeviceGetDevResource(int device, Resource *resource, unsigned type) {
  (void)device;
  FAIL;
  describe(resource, type == 1 ? 132 : 0);
  resource->type = type;
  return type == 1 || (type == 1000 && number("FAKE_VERSION", 13000) >= 13010) ? 0 : 1;
}
int cuDevSmResourceSplitByCount(Resource *out, unsigned *count, const Resource *in, Resource *rest, unsigned flags, unsigned least) {
  FAIL;
  unsigned step = flags & 1 ? 2 : 8, size = (least + step - 1) / step * step, most = (unsigned)number("FAKE_GROUPS", in->count / size);
  if (!out) { *count = most; return 0; }
  if (*count > most) *count = most;
  for (unsigned i = 0; i < *count; ++i) describe(out + i, size);
  if (rest) describe(rest, in->count - *count * size);
  return 0;
}
typedef struct { unsigned sms, coscheduled, preferred, flags, reserved[12]; } Group;
int cuDevSmResourceSplit(Resource *out, unsigned count, const Resource *in, Resource *rest, unsigned flags, Group *groups) {
  FAIL;
  unsigned used = 0;
  if (flags) return 1;
  for (unsigned i = 0; i < count; ++i) {
    if ((i && groups[i].sms > groups[i - 1].sms) || groups[i].sms % groups[i].coscheduled || (getenv("FAKE_CLUSTERS") && !(groups[i].flags & 1)) || (used += groups[i].sms) > in->count) return 915;
    describe(out + i, groups[i].sms);
  }
  describe(rest, in->count - used);
  return 0;
}
int cuDevResourceGenerateDesc(Description **out, const Resource *resources, unsigned count) {
  FAIL;
  *out = calloc(1, sizeof **out);
  for (unsigned i = 0; i < count; ++i) {
    if (resources[i].type == 1) (*out)->sms += resources[i].count;
    else if (resources[i].type != 1000 || resources[i].least != 1 || resources[i].alignment != 1) return 1; /* work queues: limit 1, balanced */
  }
  return 0;
}
int cuGreenCtxCreate(Green **out, const Description *description, int device, unsigned flags) {
  (void)device;
  FAIL;
  static uint64_t created;
  if (flags != 1) return 1;
  if (getenv("FAKE_REST") && contexts == 1 && description->sms % 8) return 915;
  if (contexts >= number("FAKE_MOST", 1 << 30)) return 2;
  *out = calloc(1, sizeof **out);
  (*out)->sms = description->sms;
  (*out)->first = getenv("FAKE_SHARED") ? 0 : next_sm;
  (*out)->id = ++created;
  next_sm += description->sms;
  contexts += 1;
  return 0;
}
int cuGreenCtxDestroy(Green *context) { contexts -= 1; free(context); return 0; }
int fake_contexts(void) { return contexts; }
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static int created;
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  if (getenv("FAKE_THREADS") && __atomic_fetch_add(&created, 1, __ATOMIC_RELAXED) == number("FAKE_THREADS", 0)) return EAGAIN;
  return real(thread, attributes, run, argument);
}
int clock_gettime(clockid_t clock, struct timespec *time) {
  static uint64_t first;
  long speed = number("FAKE_SPEED", 1);
  long code = syscall(SYS_clock_gettime, clock, time);
  if (code || clock != CLOCK_MONOTONIC || speed == 1) return (int)code;
  uint64_t real = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec, none = 0;
  __atomic_compare_exchange_n(&first, &none, real, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  uint64_t fast = first + (real - first) * (uint64_t)speed;
  *time = (struct timespec){(time_t)(fast / 1000000000u), (long)(fast % 1000000000u)};
  return 0;
}
__attribute__((destructor)) static void report(void) {
  if (getenv("FAKE_MOVED")) fprintf(stderr, "moved %u %u %u %u on %u\n", moved[0][0], moved[1][0], moved[0][1], moved[1][1], mover);
  if (getenv("FAKE_LEFT")) fprintf(stderr, "contexts left: %d\n", contexts);
}
int cuGreenCtxGetDevResource(const Green *context, Resource *resource, unsigned type) { FAIL; describe(resource, context->sms - (unsigned)number("FAKE_SHORT", 0)); return type == 1 ? 0 : 1; }
/* A stream is its context. A stream with priority is a copy, which stays until the end of the process. */
int cuGreenCtxStreamCreate(Green **stream, Green *context, unsigned flags, int priority) {
  FAIL;
  *stream = context;
  if (priority) { *stream = malloc(sizeof **stream); **stream = *context; (*stream)->priority = priority; }
  return flags == 1 ? 0 : 1;
}

/* Names of these entry points in cuda.h. */
int cuDevicePrimaryCtxRelease_v2(int device) { return cuDevicePrimaryCtxRelease(device); }
int cuStreamDestroy_v2(Green *stream) { return cuStreamDestroy(stream); }

/* Entry points and the CUDA version of their signatures. */
#define ENTRY(name, version) {#name, (void *)name, version}
static const struct { const char *name; void *entry; int version; } ENTRIES[] = {
  ENTRY(cuInit, 2000), ENTRY(cuDriverGetVersion, 2020), ENTRY(cuGetErrorName, 6000), ENTRY(cuDeviceGet, 2000), ENTRY(cuDeviceGetName, 2000),
  ENTRY(cuDeviceGetAttribute, 2000), ENTRY(cuDeviceGetUuid, 9020), ENTRY(cuEventCreate, 2000), ENTRY(cuEventRecord, 2000),
  ENTRY(cuEventQuery, 2000), ENTRY(cuEventSynchronize, 2000),
  ENTRY(cuEventElapsedTime, 2000), ENTRY(cuEventDestroy, 4000), ENTRY(cuDevicePrimaryCtxRetain, 7000),
  ENTRY(cuDevicePrimaryCtxRelease, 11000), ENTRY(cuCtxSetCurrent, 4000),
  ENTRY(cuMemHostAlloc, 2020), ENTRY(cuMemHostGetDevicePointer, 3020), ENTRY(cuMemFreeHost, 2000), ENTRY(cuMemAlloc, 3020), ENTRY(cuMemFree, 3020),
  ENTRY(cuMemcpyDtoH, 3020), ENTRY(cuMemsetD32, 3020), ENTRY(cuModuleLoadData, 2000), ENTRY(cuModuleUnload, 2000), ENTRY(cuModuleGetFunction, 2000),
  ENTRY(cuFuncSetAttribute, 9000), ENTRY(cuLaunchKernel, 4000), ENTRY(cuLaunchKernelEx, 11060), ENTRY(cuCtxCreate, 3020), ENTRY(cuCtxDestroy, 4000), ENTRY(cuCtxGetStreamPriorityRange, 5050), ENTRY(cuStreamQuery, 2000), ENTRY(cuGraphLaunch, 10000), ENTRY(cuStreamSynchronize, 2000),
  ENTRY(cuStreamDestroy, 4000), ENTRY(cuStreamWriteValue32, 11070), ENTRY(cuDeviceGetDevResource, 12040), ENTRY(cuDevSmResourceSplitByCount, 12040),
  ENTRY(cuDevResourceGenerateDesc, 12040), ENTRY(cuGreenCtxCreate, 12040), ENTRY(cuGreenCtxDestroy, 12040), ENTRY(cuGreenCtxGetDevResource, 12040),
  ENTRY(cuGreenCtxStreamCreate, 12050), ENTRY(cuDevSmResourceSplit, 13010),
};
int cuGetProcAddress_v2(const char *name, void **entry, int version, uint64_t flags, int *status) {
  (void)flags;
  int driver = 0;
  cuDriverGetVersion(&driver);
  for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; ++i)
    if (!strcmp(name, ENTRIES[i].name) && ENTRIES[i].version <= version && version <= driver) { *entry = ENTRIES[i].entry; if (status) *status = 0; return 0; }
  *entry = 0;
  if (status) *status = 1;
  return 500;
}

/* NVML. */
int nvmlInit_v2(void) { return failing(__func__); }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **gpu) { *gpu = &calls; return strcmp(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f") ? 1 : 0; }
int nvmlSystemGetDriverVersion(char *version, unsigned length) { snprintf(version, length, "999.9"); return 0; }
int nvmlDeviceGetClockInfo(void *gpu, unsigned clock, unsigned *megahertz) {
  static long readings;
  *megahertz = (unsigned)((clock == 1 ? 1980 : 2619) - number("FAKE_DRIFT", 0) * readings++);
  return gpu == &calls && (clock == 1 || clock == 2) ? 0 : 1;
}
int nvmlDeviceGetTemperature(void *gpu, unsigned sensor, unsigned *celsius) { *celsius = 41; return gpu == &calls && sensor == 0 ? 0 : 1; }
int nvmlDeviceGetCurrentClocksEventReasons(void *gpu, unsigned long long *reasons) {
  *reasons = (unsigned long long)number("FAKE_REASONS", 1);
  return gpu == &calls ? 0 : 1;
}
