/* A kernel for `gpusched measure`, on the stand-in for the CUDA driver: a stream starts with its number of SMs, and kernels run in the calling
   thread. On 8 SMs, a job takes NANOSECONDS. With QUEUED, a job waits in the stream instead; with ENDLESS, it also never ends.
     PLUGIN_FAIL=N  the job number N and all later jobs return 7
     PLUGIN_TELL=1  at the end, prints the number of queued jobs, and how often a job found its stream empty after other jobs */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef QUEUED
static long queued, pauses;
__attribute__((destructor)) static void report(void) { if (getenv("PLUGIN_TELL")) fprintf(stderr, "queued %ld, pauses %ld\n", queued, pauses); }
#else
static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }
#endif

int gs_measure_job(void *stream) {
  static long jobs;
  const char *fail = getenv("PLUGIN_FAIL");
  if (fail && jobs++ >= atol(fail)) return 7;
#ifdef QUEUED
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
