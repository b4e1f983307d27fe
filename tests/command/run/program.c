/* A program that runs a plan through the C interface, for the tests. It is C11 and C++17.
   Arguments: MODE PLAN SET BACKEND TRACE. Each line of the output is one result. */
#include "gpusched_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define CHECK static_assert
#else
#define CHECK _Static_assert
#endif
CHECK(sizeof(gs_options) == 64 && sizeof(gs_job) == 32 && sizeof(gs_record) == 72, "layout");

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
  TRY(gs_start(rt, 0));
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

/* Older and later programs state other sizes of the options. */
static int sizes(const char *plan, const char *set) {
  struct { gs_options known; uint64_t later; } options;
  static const uint32_t tried[] = {0, 3, 4, 12, 16, 64, 72, 5000};
  for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i)
    for (int value = 0; value < 2; ++value) {
      gs_runtime *rt = NULL;
      memset(&options, 0, sizeof options);
      options.known.size = tried[i];
      options.known.backend = "simulated";
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
  options.allow_unproven = strcmp(arguments[1], "grants") == 0;
  if (getenv("FAIL_JOB")) failing = atoi(getenv("FAIL_JOB"));
  if (gs_abi() != GS_ABI) return 3;
  if (strcmp(arguments[1], "grants") == 0) return grants(arguments[2], arguments[3], &options);
  if (strcmp(arguments[1], "sizes") == 0) return sizes(arguments[2], arguments[3]);
  if (strcmp(arguments[1], "misuse") == 0) return misuse(arguments[2], arguments[3], &options);
  return whole_run(arguments[2], arguments[3], &options, arguments[5]);
}
