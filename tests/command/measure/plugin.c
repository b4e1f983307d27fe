/* A kernel for `gpusched measure`, on the stand-in for the CUDA driver: a stream starts with its number of SMs, and kernels run in the calling
   thread. On 8 SMs, a job takes NANOSECONDS. PLUGIN_FAIL=N: the job number N and all later jobs return 7. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }

int gs_measure_job(void *stream) {
  static long jobs;
  const char *fail = getenv("PLUGIN_FAIL");
  if (fail && jobs++ >= atol(fail)) return 7;
  for (uint64_t end = now() + NANOSECONDS * 8u / *(unsigned *)stream; now() < end;) {}
  return 0;
}
