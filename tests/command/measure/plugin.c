/* A kernel for `gpusched measure`, on the stand-in for the CUDA driver: a stream starts with its number of SMs, and kernels run in the calling
   thread. On 8 SMs, a job takes NANOSECONDS. With QUEUED, a job waits in the stream instead; with ENDLESS, it also never ends. With GRAPH,
   a job is a CUDA graph, which the plugin captures on each new stream, because the nodes of a graph run on the SMs of the stream of its
   capture. A handle of a stream may come again, so the plugin compares the numbers of streams.
     PLUGIN_FAIL=N  the job number N and all later jobs return 7
     PLUGIN_TELL=1  at the end, prints the number of queued jobs, and how often a job found its stream empty after other jobs; with GRAPH,
                    the number of captured graphs */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef GRAPH
static long captured;
__attribute__((destructor)) static void report(void) { if (getenv("PLUGIN_TELL")) fprintf(stderr, "captured %ld\n", captured); }
static void *driver, *graph;
static uint64_t last;
#define CALL(name, ...) do { int (*call)() = (int (*)())(uintptr_t)dlsym(driver, name); int code = call ? call(__VA_ARGS__) : -1; if (code) return code; } while (0)
/* Captures a graph of two kernels. */
static int capture(void *stream) {
  void *module, *kernel, *made;
  uint64_t half = NANOSECONDS * 4u / *(unsigned *)stream;
  void *arguments[] = {&half};
  CALL("cuModuleLoadData", &module, ".visible .entry gpusched_spin");
  CALL("cuModuleGetFunction", &kernel, module, "gpusched_spin");
  CALL("cuStreamBeginCapture_v2", stream, 1);
  for (int i = 0; i < 2; ++i) CALL("cuLaunchKernel", kernel, *(unsigned *)stream, 1u, 1u, 64u, 1u, 1u, 0u, stream, arguments, (void *)0);
  CALL("cuStreamEndCapture", stream, &made);
  if (graph) CALL("cuGraphExecDestroy", graph);
  CALL("cuGraphInstantiateWithFlags", &graph, made, 0ull);
  captured += 1;
  return 0;
}
static int launch(void *stream) {
  uint64_t id;
  if (!driver) driver = dlopen(getenv("GPUSCHED_CUDA_LIBRARY"), RTLD_NOW);
  CALL("cuStreamGetId", stream, &id);
  if (id != last) { int code = capture(stream); if (code) return code; }
  last = id;
  CALL("cuGraphLaunch", graph, stream);
  return 0;
}
#elif defined QUEUED
static long queued, pauses;
__attribute__((destructor)) static void report(void) { if (getenv("PLUGIN_TELL")) fprintf(stderr, "queued %ld, pauses %ld\n", queued, pauses); }
#else
static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }
#endif

int gs_measure_job(void *stream) {
  static long jobs;
  const char *fail = getenv("PLUGIN_FAIL");
  if (fail && jobs++ >= atol(fail)) return 7;
#ifdef GRAPH
  return launch(stream);
#elif defined QUEUED
  struct { unsigned sms, first, launched, ended, endless; } *queue = stream;
  pauses += queue->launched && queue->launched == queue->ended;
  queue->launched += 1;
  queued += 1;
#ifdef ENDLESS
  queue->endless = 1;
#endif
#else
  for (uint64_t end = now() + NANOSECONDS * 8u / *(unsigned *)stream; now() < end;) {}
#endif
  return 0;
}
