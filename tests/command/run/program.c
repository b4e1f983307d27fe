/* A program that runs a plan through the C interface, for the tests. It is C11 and C++17.
   Arguments: MODE PLAN SET BACKEND TRACE. Each line of the output is one result. */
#define _POSIX_C_SOURCE 200809L
#include "gpusched_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#define CHECK static_assert
#else
#define CHECK _Static_assert
#endif
CHECK(sizeof(gs_options) == 72 && sizeof(gs_job) == 32 && sizeof(gs_record) == 72, "layout");

static int called, completed, failing = -1;
static uint64_t graph = 100000; /* with the stand-in for the driver, a graph is a time in ns */

static int enqueue(void *user, void *stream, const gs_job *job) {
  if (user != &called || (stream != NULL) != (getenv("GPUSCHED_CUDA_LIBRARY") != NULL)) return 2;
  __atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
  return failing >= 0 && job->number == (uint64_t)failing;
}
static int waits(void *user, void *stream, const gs_job *job) { /* refused: a job must not wait for a job */
  (void)stream;
  (void)job;
  return gs_wait((gs_runtime *)user, "radar", 0, UINT64_MAX, NULL) == GS_USAGE && gs_stop((gs_runtime *)user) == GS_USAGE ? 0 : 1;
}
static void complete(void *user, const gs_record *record) {
  if (user == &completed && record->completion >= record->decision && record->decision >= record->visible) completed += 1;
}
static int fail(const char *call, int code) {
  printf("%s %d: %s\n", call, code, gs_error(NULL));
  return 1;
}
#define TRY(call) do { int code_ = (call); if (code_ < 0) return fail(#call, code_); } while (0)

static void pause_for(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}
static int contexts(void) { /* of the stand-in for the driver */
  int (*count)(void) = NULL;
  void *library = dlopen(getenv("GPUSCHED_CUDA_LIBRARY"), RTLD_NOW), *entry = library ? dlsym(library, "fake_contexts") : NULL;
  memcpy(&count, &entry, sizeof entry);
  return count ? count() : -1;
}

/* All kinds of work: functions, a graph, and sporadic releases. */
static int whole_run(const char *plan, const char *set, const gs_options *options, const char *trace) {
  gs_runtime *rt = NULL;
  gs_record record;
  uint64_t number = 99;
  char text[200];
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  printf("stream %d\n", gs_stream(rt, "lidar") != NULL);
  TRY(gs_task(rt, "lidar", enqueue, &called));
  TRY(gs_task(rt, "camera", waits, rt));
  TRY(gs_task_graph(rt, "radar", &graph));
  TRY(gs_task(rt, "map", enqueue, &called));
  TRY(gs_sporadic(rt, "map"));
  TRY(gs_on_complete(rt, "lidar", complete, &completed));
  if ((code = gs_start(rt, 0)) < 0) {
    fail("gs_start(rt, 0)", code);
    if (getenv("FAKE_THREADS")) {
      pause_for(50);
      printf("contexts %d\n", contexts());
    }
    gs_close(rt); /* the streams exist until now */
    return 1;
  }
  for (uint64_t job = 0; job < 3; ++job) {
    TRY(gs_release(rt, "map", &number));
    if (number != job) return fail("number", (int)number);
  }
  TRY(gs_wait(rt, "lidar", 4, UINT64_MAX, &record));
  printf("lidar %u %llu %llu %u\n", record.job.task, (unsigned long long)record.job.number, (unsigned long long)(record.job.deadline - record.job.arrival), record.status & GS_FAILED);
  TRY(gs_wait(rt, "map", 2, UINT64_MAX, &record));
  printf("map %llu\n", (unsigned long long)record.job.number);
  printf("late %d\n", gs_wait(rt, "radar", 1000000, 1000, NULL));
  TRY(gs_stop(rt));
  TRY(gs_stop(rt));
  TRY(gs_trace(rt, trace));
  TRY(code = gs_audit(rt, text, sizeof text));
  printf("called %d completed %d\naudit %d %s\n", called >= 8, completed >= 5, code, text);
  TRY(gs_audit(rt, text, 5));
  printf("cut %s\n", text);
  printf("over %d %d\n", gs_release(rt, "map", NULL), gs_wait(rt, "radar", 1000000, 1000, NULL));
  gs_close(rt);
  return 0;
}

/* All tasks are periodic. */
static int periodic(const char *plan, const char *set, const gs_options *options, const char *trace) {
  static const char *const all[] = {"lidar", "camera", "radar", "map"};
  gs_runtime *rt = NULL;
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  for (int i = 0; i < 4; ++i) TRY(gs_task(rt, all[i], enqueue, &called));
  TRY(gs_start(rt, 0));
  TRY(gs_wait(rt, "map", 5, UINT64_MAX, NULL));
  TRY(gs_stop(rt));
  TRY(gs_trace(rt, trace));
  gs_close(rt);
  return 0;
}

/* A thread enqueues jobs: this one. */
static int grants(const char *plan, const char *set, const gs_options *options) {
  static const char *const others[] = {"lidar", "camera", "radar"};
  gs_runtime *rt = NULL;
  gs_job job;
  gs_record record;
  void *stream = NULL;
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  for (int i = 0; i < 3; ++i) TRY(gs_task(rt, others[i], enqueue, &called));
  TRY(gs_sporadic(rt, "map"));
  TRY(gs_start(rt, 0));
  fail("release", gs_release(rt, "map", NULL));
  for (uint64_t number = 0; number < 3; ++number) {
    TRY(gs_begin(rt, "map", &job, &stream));
    TRY(gs_end(rt, &job));
    TRY(gs_wait(rt, "map", number, UINT64_MAX, &record));
    printf("grant %llu %u\n", (unsigned long long)job.number, record.status & GS_FAILED);
  }
  fail("again", gs_end(rt, &job));
  TRY(gs_begin(rt, "map", &job, &stream)); /* this thread never calls gs_end() */
  TRY(gs_wait(rt, "map", 3, UINT64_MAX, &record));
  printf("dead %u\n", record.status & GS_FAILED);
  TRY(gs_stop(rt));
  gs_close(rt);
  return 0;
}

static void *stops(void *rt) {
  static int code;
  code = gs_stop((gs_runtime *)rt);
  return &code;
}
/* A thread enqueues a job during the stop: this one. With `late`, it ends the job after the time-out. */
static int held(const char *plan, const char *set, const gs_options *options, int late) {
  static const char *const others[] = {"lidar", "camera", "radar"};
  gs_runtime *rt = NULL;
  gs_job job;
  void *stream = NULL, *stopped = NULL;
  pthread_t stopper;
  char text[300];
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  for (int i = 0; i < 3; ++i) TRY(gs_task(rt, others[i], enqueue, &called));
  TRY(gs_sporadic(rt, "map"));
  TRY(gs_start(rt, 0));
  TRY(gs_begin(rt, "map", &job, &stream));
  if (pthread_create(&stopper, NULL, stops, rt)) return 4;
  if (late) pthread_join(stopper, &stopped);
  else pause_for(100);
  printf("contexts %d end %d\n", contexts(), gs_end(rt, &job)); /* the stream exists */
  if (!late) pthread_join(stopper, &stopped);
  TRY(code = gs_audit(rt, text, sizeof text));
  printf("stop %d contexts %d failed %d\n", *(int *)stopped, contexts(), strstr(text, "1 failed job") != NULL);
  printf("stream %d\n", gs_stream(rt, "map") != NULL);
  fail("stream", gs_begin(rt, "map", &job, &stream));
  gs_close(rt);
  printf("closed %d\n", contexts());
  return 0;
}

static int opened;
static void slow(void *user, const gs_record *record) {
  (void)user;
  (void)record;
  while (!__atomic_load_n(&opened, __ATOMIC_ACQUIRE)) pause_for(1);
}
static int counts(void *user, void *stream, const gs_job *job) {
  (void)stream;
  (void)job;
  __atomic_fetch_add((int *)user, 1, __ATOMIC_RELEASE);
  return 0;
}
/* The queue of records is full, because the function above takes long. */
static int full(const char *plan, const char *set, const gs_options *options) {
  gs_runtime *rt = NULL;
  int fast = 0, rare = 0;
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  TRY(gs_task(rt, "fast", counts, &fast));
  TRY(gs_task(rt, "rare", counts, &rare));
  TRY(gs_sporadic(rt, "rare"));
  TRY(gs_on_complete(rt, "fast", slow, NULL));
  TRY(gs_start(rt, 0));
  while (__atomic_load_n(&fast, __ATOMIC_ACQUIRE) < 8300) pause_for(1);
  TRY(gs_release(rt, "rare", NULL));
  while (!__atomic_load_n(&rare, __ATOMIC_ACQUIRE)) pause_for(1);
  for (int seen = __atomic_load_n(&fast, __ATOMIC_ACQUIRE); __atomic_load_n(&fast, __ATOMIC_ACQUIRE) < seen + 2;) pause_for(1);
  __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
  fail("rare", gs_wait(rt, "rare", 0, 10000000000u, NULL));
  TRY(gs_stop(rt));
  gs_close(rt);
  return 0;
}

/* The process ends without a stop. */
static int killed(const char *plan, const char *set, const gs_options *options) {
  static const char *const all[] = {"lidar", "camera", "radar", "map"};
  gs_runtime *rt = NULL;
  gs_record record;
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  for (int i = 0; i < 4; ++i) TRY(gs_task(rt, all[i], enqueue, &called));
  TRY(gs_sporadic(rt, "map"));
  TRY(gs_start(rt, 0));
  for (uint64_t job = 0; job < 2; ++job) {
    TRY(gs_release(rt, "map", NULL));
    TRY(gs_wait(rt, "map", job, UINT64_MAX, &record));
    printf("map %llu %llu %llu\n", (unsigned long long)record.job.number, (unsigned long long)record.job.arrival, (unsigned long long)record.completion);
  }
  TRY(gs_wait(rt, "radar", 12, UINT64_MAX, &record));
  printf("radar %llu %llu %llu\n", (unsigned long long)record.job.number, (unsigned long long)record.job.arrival, (unsigned long long)record.completion);
  fflush(stdout);
  raise(SIGKILL);
  return 5;
}

/* A file of records exists until the trace. */
static int ringed(const char *plan, const char *set, const gs_options *options, const char *trace) {
  static const char *const all[] = {"lidar", "camera", "radar", "map"};
  gs_runtime *rt = NULL;
  FILE *file = fopen(options->ring, "w"); /* an empty file contains no records */
  if (file) fclose(file);
  for (int round = 0; round < 2; ++round) { /* without a start, and with one */
    int code = gs_open(plan, set, options, &rt);
    if (code < 0) return fail("gs_open", code);
    if (round == 1) {
      for (int i = 0; i < 4; ++i) TRY(gs_task(rt, all[i], enqueue, &called));
      TRY(gs_start(rt, 0));
      TRY(gs_wait(rt, "radar", 20, UINT64_MAX, NULL));
      TRY(gs_stop(rt));
      printf("stopped %d\n", (file = fopen(options->ring, "r")) != NULL);
      if (file) fclose(file);
      gs_runtime *second = NULL;
      fail("second", gs_open(plan, set, options, &second));
      TRY(gs_trace(rt, trace));
    }
    gs_close(rt);
    printf("closed %d\n", (file = fopen(options->ring, "r")) != NULL);
  }
  return 0;
}

static int slowly(void *user, void *stream, const gs_job *job) {
  (void)user;
  (void)stream;
  pause_for(job->number == 1 ? 3 : 0);
  return 0;
}
/* The function of one job takes longer than the bound on overheads. */
static int overhead(const char *plan, const char *set, const gs_options *options) {
  static const char *const others[] = {"camera", "radar", "map"};
  gs_runtime *rt = NULL;
  gs_record record;
  char text[300];
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  for (int i = 0; i < 3; ++i) TRY(gs_task(rt, others[i], enqueue, &called));
  TRY(gs_task(rt, "lidar", slowly, NULL));
  TRY(gs_start(rt, 0));
  TRY(gs_wait(rt, "lidar", 1, UINT64_MAX, &record));
  printf("overhead %u\n", record.status & GS_OVERHEAD);
  TRY(gs_stop(rt));
  TRY(code = gs_audit(rt, text, sizeof text));
  printf("audit %d %d\n", code, strstr(text, " above the bound") != NULL);
  gs_close(rt);
  return 0;
}

/* The stated first arrival passes during the warm-up. */
static int late_start(const char *plan, const char *set, const gs_options *options) {
  static const char *const all[] = {"lidar", "camera", "radar", "map"};
  gs_runtime *rt = NULL;
  struct timespec now;
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  for (int i = 0; i < 4; ++i) TRY(gs_task(rt, all[i], enqueue, &called));
  clock_gettime(CLOCK_MONOTONIC, &now);
  fail("start", gs_start(rt, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + 300000));
  gs_close(rt);
  return 0;
}

/* Older and later programs state other sizes of the options. */
static int sizes(const char *plan, const char *set) {
  struct { gs_options known; uint64_t later; } options;
  static const uint32_t tried[] = {0, 3, 4, 12, 16, 64, 71, 72, 80, 5000};
  for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i)
    for (int value = 0; value < 2; ++value) {
      gs_runtime *rt = NULL;
      memset(&options, 0, sizeof options);
      options.known.size = tried[i];
      options.known.backend = "simulated";
      if (tried[i] == 71 || tried[i] == 72) options.known.ring = "/no/folder/ring"; /* known from size 72 on */
      options.later = (uint64_t)value;
      int code = gs_open(plan, set, &options.known, &rt);
      printf("size %u %d %d\n", tried[i], value, code);
      gs_close(rt);
    }
  return 0;
}

/* Each wrong call has one sentence. */
static int misuse(const char *plan, const char *set, const gs_options *options) {
  gs_runtime *rt = NULL;
  gs_options wrong = *options;
  fail("null plan", gs_open(NULL, set, options, &rt));
  fail("null out", gs_open(plan, set, options, NULL));
  fail("bytes", gs_open("\xff", set, options, &rt));
  wrong.backend = "vulkan";
  fail("backend", gs_open(plan, set, &wrong, &rt));
  wrong = *options;
  static const int32_t cpus[] = {0, 1, 2};
  wrong.cpus = cpus;
  wrong.cpu_count = 3;
  fail("cpus", gs_open(plan, set, &wrong, &rt));
  fail("null runtime", gs_start(NULL, 0));
  int code = gs_open(plan, set, options, &rt);
  if (code < 0) return fail("gs_open", code);
  fail("task", gs_task(rt, "sonar", enqueue, NULL));
  fail("null function", gs_task(rt, "lidar", NULL, NULL));
  fail("no work", gs_start(rt, 0));
  fail("no start", gs_wait(rt, "lidar", 0, 0, NULL));
  fail("no stop", gs_trace(rt, "never.json"));
  fail("stop", gs_stop(rt));
  static const char *const all[] = {"lidar", "camera", "radar", "map"};
  for (int i = 0; i < 4; ++i) gs_task(rt, all[i], enqueue, &called);
  fail("past", gs_start(rt, 1));
  TRY(gs_start(rt, 0));
  fail("twice", gs_start(rt, 0));
  fail("after", gs_task(rt, "lidar", enqueue, NULL));
  fail("periodic", gs_release(rt, "lidar", NULL));
  fail("begin", gs_begin(rt, "lidar", (gs_job *)&wrong, (void **)&wrong));
  gs_close(rt);
  gs_close(NULL);
  printf("null stream %d\n", gs_stream(NULL, "lidar") == NULL);
  return 0;
}

int main(int count, char **arguments) {
  if (count != 6) return 2;
  gs_options options = {0};
  options.size = sizeof options;
  options.backend = arguments[4];
  options.allow_unproven = strcmp(arguments[1], "grants") == 0 || strncmp(arguments[1], "held", 4) == 0;
  options.ring = getenv("RING");
  if (getenv("RECORDS")) options.records = (uint32_t)atoi(getenv("RECORDS"));
  if (getenv("FAIL_JOB")) failing = atoi(getenv("FAIL_JOB"));
  if (gs_abi() != GS_ABI) return 3;
  if (strcmp(arguments[1], "grants") == 0) return grants(arguments[2], arguments[3], &options);
  if (strncmp(arguments[1], "held", 4) == 0) return held(arguments[2], arguments[3], &options, arguments[1][4] != 0);
  if (strcmp(arguments[1], "full") == 0) return full(arguments[2], arguments[3], &options);
  if (strcmp(arguments[1], "killed") == 0) return killed(arguments[2], arguments[3], &options);
  if (strcmp(arguments[1], "ringed") == 0) return ringed(arguments[2], arguments[3], &options, arguments[5]);
  if (strcmp(arguments[1], "overhead") == 0) return overhead(arguments[2], arguments[3], &options);
  if (strcmp(arguments[1], "late-start") == 0) return late_start(arguments[2], arguments[3], &options);
  if (strcmp(arguments[1], "periodic") == 0) return periodic(arguments[2], arguments[3], &options, arguments[5]);
  if (strcmp(arguments[1], "sizes") == 0) return sizes(arguments[2], arguments[3]);
  if (strcmp(arguments[1], "misuse") == 0) return misuse(arguments[2], arguments[3], &options);
  return whole_run(arguments[2], arguments[3], &options, arguments[5]);
}
