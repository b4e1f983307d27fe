/* C interface of gpusched-runtime: runs a verified plan with the jobs of a C or C++ program. C11 and C++17.

   The program opens a plan, states the work of each task, starts the dispatchers, and stops them. In each partition, one dispatcher runs
   one job at a time, in the order of the policy of the plan. The guide is docs/how-to/cpp-program.md.

   No CUDA header is needed: a stream is a CUstream (or cudaStream_t), and a graph is a CUgraphExec, both as `void *`.
   All times are nanoseconds of CLOCK_MONOTONIC. A function returns 0, or a negative gs_status; gs_error() then explains it. All threads may
   call all functions, except gs_close(), which must be the last call. A function of the program must not throw, and may call only gs_abi(),
   gs_error(), gs_stream(), gs_release() and gs_end().

   A stream exists until gs_close(), also after gs_stop() and after a failed gs_start(). Before gs_close(), all work on the streams must
   have ended, and no thread may use them any more. */
#ifndef GPUSCHED_RUNTIME_H
#define GPUSCHED_RUNTIME_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define GS_ABI 1

typedef struct gs_runtime gs_runtime;
typedef enum {
  GS_OK = 0,
  GS_NO_DRIVER = -1,          /* libcuda.so.1 does not load, or is too old */
  GS_NO_DEVICE = -2,          /* no GPU, or another number of SMs than the plan states */
  GS_PLAN = -3,               /* a file is wrong, the plan does not verify, or no dispatcher can follow its policy */
  GS_UNPROVEN = -4,           /* the plan is not schedulable, or fails its test with the overheads */
  GS_PARTITION = -5,          /* the driver granted other sizes, partitions share SMs, or a partition runs no kernel */
  GS_CUDA = -6,               /* a call of the driver failed */
  GS_LOST = -7,               /* a fault ended the context: no partition can run a further job */
  GS_USAGE = -8,              /* a wrong argument, or a call that is not possible at this time */
  GS_TIMEOUT = -9,            /* gs_wait(): the time passed before the job completed */
  GS_INTERNAL = -10           /* a bug of gpusched */
} gs_status;

/* Set `size`, and all other fields to 0 (`gs_options o = {sizeof o}`), then the fields that you need. Later versions append fields. A field
   beyond `size` has its default. A field that this version does not know must be 0. */
typedef struct {
  uint32_t size;              /* sizeof(gs_options) */
  const char *backend;        /* "cuda" (default), or "simulated": no GPU, streams are null, random execution times up to the WCET */
  const char *overheads;      /* file with bounds on the overheads of the dispatcher; null: those of the plan, or the WCETs include them */
  int32_t device;             /* number of the GPU, from 0 */
  int32_t allow_unproven;     /* 1: start although GS_UNPROVEN, and allow gs_begin(); the trace says so */
  const int32_t *cpus;        /* one core per partition; null: any core */
  size_t cpu_count;
  int32_t fifo_priority;      /* priority of the dispatchers under SCHED_FIFO, 1 to 99; 0: the default scheduler */
  uint32_t records;           /* completed jobs that are kept per task; 0: 65536 */
  uint64_t spin;              /* time before an arrival from which an idle dispatcher spins; 0: 100000 */
  const char *ring;           /* file that receives each record at once, for `gpusched recording recover` after a kill; null: none. The
                                 file must not exist. gs_trace() removes it, and gs_close() if no gs_start() has succeeded. It has
                                 `records` places per task; then the last records of a partition replace its first ones. */
} gs_options;

typedef struct {
  uint32_t task;              /* position in the task set */
  uint32_t chunk;             /* 0 */
  uint64_t number;            /* number among the jobs of its task, from 0 */
  uint64_t arrival, deadline;
} gs_job;

enum {                        /* bits of gs_record.status */
  GS_MISSED = 1,              /* completed after its deadline */
  GS_OVERRUN = 2,             /* occupied the partition for longer than its budget C' */
  GS_LATE_WAKE = 4,           /* the dispatcher woke up later than its bound */
  GS_FAILED = 8,              /* its work failed */
  GS_OVERHEAD = 16            /* on a GPU: the time to enqueue it exceeded the bound o on overheads; unset without stated overheads */
};

typedef struct {              /* one completed job */
  gs_job job;
  uint64_t visible;           /* first time at or after the arrival at which the dispatcher read the clock */
  uint64_t decision;          /* time of the decision that chose the job */
  uint64_t enqueued;          /* time at which all its work was on the stream */
  uint64_t completion;        /* time at which the dispatcher observed its end */
  uint32_t status;
  uint32_t reserved;
} gs_record;

/* Enqueues one job on `stream`, and returns without waiting for its end. Nonzero: the job failed. Runs on the thread of the partition. */
typedef int (*gs_enqueue)(void *user, void *stream, const gs_job *job);
/* Receives a completed job, on a thread that is no dispatcher. */
typedef void (*gs_complete)(void *user, const gs_record *record);

/* GS_ABI of the library. */
int gs_abi(void);
/* Verifies the plan in a file for the task set in a file, and creates the partitions. `options` may be null. */
int gs_open(const char *plan, const char *set, const gs_options *options, gs_runtime **out);

/* Before the start. A periodic task needs a function or a graph. */
void *gs_stream(gs_runtime *, const char *task);                     /* stream of its partition, for warm-up; null on an error, and after
                                                                        gs_stop() or a failed gs_start() */
int gs_task(gs_runtime *, const char *task, gs_enqueue enqueue, void *user);
int gs_task_graph(gs_runtime *, const char *task, void *graph_exec); /* CUgraphExec, captured on gs_stream() */
int gs_sporadic(gs_runtime *, const char *task);                     /* its jobs arrive by gs_release() or gs_begin() */
int gs_on_complete(gs_runtime *, const char *task, gs_complete complete, void *user);

/* Starts the dispatchers. First arrival of the periodic tasks; 0: 10 ms after the warm-up of the dispatchers. GS_USAGE if the time has
   passed before the call, or before the end of this warm-up. In the second case, the runtime does not start again. */
int gs_start(gs_runtime *, uint64_t first_arrival);
/* A job of a sporadic task with a function or a graph arrives now, or a period after the arrival before. Never waits. `number` may be
   null. */
int gs_release(gs_runtime *, const char *task, uint64_t *number);
/* Releases a job of a sporadic task without a function and without a graph, and waits until it is chosen. Then this thread enqueues its
   work on `stream`, and calls gs_end() within ten budgets C' of the task, or within 1 s if that is longer. Until then, the partition runs
   no other job. After this time the job has failed, and gs_end() returns GS_USAGE. */
int gs_begin(gs_runtime *, const char *task, gs_job *job, void **stream);
int gs_end(gs_runtime *, const gs_job *job);
/* Waits for a job. `timeout` UINT64_MAX: for ever. `record` may be null. GS_USAGE if the runtime does not keep the record of the job: the
   job is older than the last `records` jobs, or it never ran, or a function of gs_on_complete() took so long that its record found no
   room. */
int gs_wait(gs_runtime *, const char *task, uint64_t number, uint64_t timeout, gs_record *record);
/* Starts no further job, and waits for the running jobs. A job between gs_begin() and gs_end() is a running job, so gs_stop() waits until
   gs_end() or until the time of this job has passed. A gs_begin() that still waits returns GS_USAGE. */
int gs_stop(gs_runtime *);

/* After the stop. 0: the run kept the plan; 1: it did not. `text` receives one line of at most `size` bytes, and may be null. */
int gs_audit(gs_runtime *, char *text, size_t size);
/* After the stop: writes the trace for `gpusched recording audit`, and removes the file `ring`. */
int gs_trace(gs_runtime *, const char *path);
/* Last error of this thread; valid until its next error. The argument may be null. */
const char *gs_error(gs_runtime *);
void gs_close(gs_runtime *);
#ifdef __cplusplus
}
#endif
#endif
